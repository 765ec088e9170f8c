"""The one tree of errors. Every failure that Marrow tells a caller about is one of these.

    MarrowError
    ├── Invalid              the input is wrong: field, what was wrong, what to do
    │   ├── TooLarge         over a stated limit
    │   └── Refused          a service does not take the request as it is
    ├── NotFound             nothing has this address or name
    ├── Ambiguous            a prefix names several nodes; the candidates are listed
    ├── Immutable            the content of an episodic node cannot be changed
    ├── Conflict             the store is not in the state that the call needs
    ├── Unauthorized         no principal, or one that is not known
    ├── Forbidden            the principal may not do this here
    ├── QuotaExceeded        a cap was reached
    ├── RateLimited          too many calls; wait and retry
    ├── Unavailable          cannot be served now
    │   ├── StoreLocked      another writer holds the store
    │   ├── StoreDamaged     the file's canonical part is damaged
    │   ├── NotAStore        the file is something else (exit code 65)
    │   └── NewerFormat      the store was written by a newer Marrow (exit code 78)
    ├── ReadOnly             the store cannot be written
    └── Internal             a fault of Marrow's own

A class's docstring is its default message. `code` is stable and part of the contract; messages are not.
Surfaces translate these once; nothing below a surface catches them to turn them into text.
"""

from __future__ import annotations

import errno

# What the system says where a file is another's, its disk is full or broken, or too much is open: no fault of ours.
_OF_SYSTEM = frozenset(
    getattr(errno, name)
    for name in "EACCES EPERM EROFS ENOSPC EDQUOT EIO ENOTDIR ELOOP ENAMETOOLONG EMFILE ENFILE".split()
    if hasattr(errno, name)
)


class MarrowError(Exception):
    """Marrow could not do this."""

    code = "internal"
    retryable = False
    exit_code = 1
    # Of a service that was asked: how long it wants to be left alone, and whether it may have done it all the same.
    wait_s: float | None = None
    is_unsure = False

    def __init__(self, message: str | None = None, *, hint: str = "", field: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.hint = hint
        self.field = field
        super().__init__(self.message)

    def as_dict(self) -> dict[str, object]:
        """The shape that every surface sends: code, message, hint, field when one is at fault, retryable."""
        shape: dict[str, object] = {"code": self.code, "message": self.message, "hint": self.hint}
        if self.field is not None:
            shape["field"] = self.field
        shape["retryable"] = self.retryable
        return shape

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Invalid(MarrowError):
    """The input is not valid."""

    code = "invalid"
    exit_code = 2


class TooLarge(Invalid):
    """The input is larger than the limit."""

    code = "too_large"


class Refused(Invalid):
    """The service does not take this request as it is."""


class NotFound(MarrowError):
    """Nothing has this address or name."""

    code = "not_found"
    exit_code = 3


class Ambiguous(MarrowError):
    """This prefix names more than one node."""

    code = "ambiguous"
    exit_code = 4


class Immutable(MarrowError):
    """What happened cannot be edited: the content of an episodic node stays as it is."""

    code = "immutable"
    exit_code = 5


class Conflict(MarrowError):
    """The memory is not in the state that this call needs."""

    code = "conflict"
    exit_code = 6


class Unauthorized(MarrowError):
    """It is not known who is asking."""

    code = "unauthorized"
    exit_code = 77


class Forbidden(MarrowError):
    """This principal may not do that here."""

    code = "forbidden"
    exit_code = 77


class QuotaExceeded(MarrowError):
    """A cap was reached."""

    code = "quota_exceeded"
    exit_code = 75


class RateLimited(MarrowError):
    """Too many calls at once."""

    code = "rate_limited"
    retryable = True
    exit_code = 75


class Unavailable(MarrowError):
    """The memory cannot be served now."""

    code = "unavailable"
    exit_code = 69


class StoreLocked(Unavailable):
    """Another process is writing to this store."""

    retryable = True
    exit_code = 75


class StoreDamaged(Unavailable):
    """The store's file is damaged."""

    exit_code = 74


class NotAStore(Unavailable):
    """The file is not a Marrow store."""

    exit_code = 65


class NewerFormat(Unavailable):
    """The store was written by a newer Marrow than this one."""

    exit_code = 78


class ReadOnly(MarrowError):
    """The store is read-only."""

    code = "read_only"
    exit_code = 73


class Internal(MarrowError):
    """Marrow met a fault of its own."""

    code = "internal"
    exit_code = 70


def directory_gone() -> NotFound:
    """The folder that a program works in was deleted under it, as a worktree is: nobody's fault, and it can be left."""
    return NotFound("The current directory no longer exists.", hint="Change to one that does.")


def of_system(problem: BaseException) -> Unavailable | None:
    """What the system refused, told as such; None for what is a fault of ours."""
    if not isinstance(problem, OSError) or problem.errno not in _OF_SYSTEM:
        return None
    at = f"{problem.filename}: " if isinstance(problem.filename, str) else ""
    hint = "Check that it is yours and that its disk has room; MARROW_HOME names another folder for Marrow's files."
    return Unavailable(f"{at}{problem.strerror}.", hint=hint)
