"""What the headers of the language and of the system declare, as far as projects have their own of the same name: for
systems that lack it, or around it. Who includes such a header by itself means what it declares."""

from __future__ import annotations

_DECLARED = {
    "assert.h": "assert static_assert",
    "ctype.h": "isalnum isalpha isascii isblank isdigit isgraph islower isprint ispunct isspace isupper isxdigit "
    "tolower toupper",
    "errno.h": "",
    "fcntl.h": "fcntl open creat",
    "inttypes.h": "",
    "limits.h": "",
    "locale.h": "localeconv setlocale",
    "malloc.h": "malloc calloc realloc free malloc_usable_size",
    "math.h": "ceil exp fabs floor fmod isfinite isinf isnan log log10 log2 pow round signbit sqrt trunc",
    "netdb.h": "freeaddrinfo gai_strerror getaddrinfo gethostbyname getnameinfo",
    "poll.h": "poll",
    "pthread.h": "pthread_create pthread_join pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock "
    "pthread_mutex_destroy pthread_cond_wait pthread_cond_signal pthread_setname_np",
    "sched.h": "sched_yield",
    "setjmp.h": "longjmp setjmp",
    "signal.h": "raise sigaction signal",
    "stdarg.h": "va_arg va_copy va_end va_start",
    "stdbool.h": "",
    "stddef.h": "offsetof",
    "stdint.h": "",
    "stdio.h": "fclose fdopen feof ferror fflush fgets fileno fopen fprintf fputc fputs fread fscanf fseek ftell "
    "fwrite getline perror printf putc putchar puts remove rename rewind scanf setvbuf snprintf sprintf sscanf "
    "vfprintf vprintf vsnprintf vsprintf",
    "stdlib.h": "abort abs atexit atof atoi atol atoll bsearch calloc exit free getenv malloc mkstemp qsort rand "
    "random realloc realpath setenv srand strtod strtof strtol strtold strtoll strtoul strtoull",
    "string.h": "memchr memcmp memcpy memmem memmove memrchr memset stpcpy strcasecmp strcat strchr strcmp strcpy "
    "strcspn strdup strerror strerror_r strlcat strlcpy strlen strncasecmp strncat strncmp strncpy strndup strnlen "
    "strpbrk strrchr strsep strspn strstr strtok strtok_r",
    "strings.h": "bzero ffs index strcasecmp strncasecmp",
    "sys/socket.h": "accept bind connect getpeername getsockname getsockopt listen recv recvfrom recvmsg send sendmsg "
    "sendto setsockopt shutdown socket socketpair",
    "sys/stat.h": "chmod fstat lstat mkdir stat umask",
    "sys/time.h": "gettimeofday",
    "sys/types.h": "",
    "sys/select.h": "select",
    "time.h": "asctime clock ctime difftime gmtime gmtime_r localtime localtime_r mktime nanosleep strftime time",
    "unistd.h": "access chdir close dup dup2 execve fork fsync ftruncate getcwd getpid gethostname isatty lseek pipe "
    "pread pwrite read readlink rmdir sleep sysconf truncate unlink usleep write",
}
SYSTEM = {f"<{header}>": frozenset(names.split()) for header, names in _DECLARED.items()}
EVERYWHERE = frozenset().union(*SYSTEM.values())
