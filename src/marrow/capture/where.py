"""Where Marrow's own files are, for programs that may not load the settings: the hook, the bridge, the daemon's start.

All of it is the user's alone: folders 0700, files 0600. The hook pays for every import, so there is none but `os` and
the hash.
"""

from __future__ import annotations

import os

try:  # `hashlib` loads OpenSSL, which costs a hook milliseconds; these are the same hash
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SOCKET_PATH_MAX = 100  # bytes; systems take 104 to 108


def user_home(environ: Mapping[str, str] = os.environ) -> str:
    """The user's home, as the settings see it."""
    return environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")


def home(environ: Mapping[str, str] = os.environ) -> str:
    """The folder of Marrow's own files: MARROW_HOME, or `~/.marrow`."""
    given = environ.get("MARROW_HOME", "").strip()
    if not given:
        return os.path.join(user_home(environ), ".marrow")
    if given[:2] in ("~", "~/", "~" + os.sep):
        given = user_home(environ) + given[1:]
    return os.path.abspath(given)


def inbox(home: str) -> str:
    return os.path.join(home, "inbox")


def run(home: str) -> str:
    return os.path.join(home, "run")


def log(home: str) -> str:
    return os.path.join(home, "log")


def paused(home: str) -> str:
    return os.path.join(home, "paused")


def lock(home: str) -> str:
    return os.path.join(home, "run", "daemon.lock")


def port(home: str) -> str:
    """Where there are no Unix sockets: the file with the daemon's port and token."""
    return os.path.join(home, "run", "daemon.port")


def compiled(home: str, path: str) -> str:
    """The compiled settings for a project's file; "" for none."""
    return os.path.join(home, "run", "settings", digest(path, 16) + ".flat")


def socket(home: str) -> str:
    """The daemon's socket. A path that is too long for a socket is replaced by a short one in a folder of ours."""
    path = os.path.join(home, "run", "daemon.sock")
    if len(os.fsencode(path)) <= SOCKET_PATH_MAX:
        return path
    # Not in the folder that an environment names: hook and daemon must mean the same one, whoever started them.
    uid = os.getuid() if hasattr(os, "getuid") else 0
    return f"/tmp/marrow-{uid}-{digest(home, 12)}/daemon.sock"


def digest(text: str, length: int) -> str:
    """So many hexadecimal digits that stand for this text."""
    hashed: str = sha256(os.fsencode(text)).hexdigest()
    return hashed[:length]


def make(folder: str) -> None:
    """Makes a folder for the user alone, and those above it that are missing."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        parent = os.path.dirname(folder)
        if parent == folder:
            raise
        make(parent)
        make(folder)


def is_ours(folder: str) -> bool:
    """Whether a folder is the user's own and closed to others. Anyone may make one in a shared place such as /tmp."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000
