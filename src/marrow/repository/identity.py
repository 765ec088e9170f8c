"""Which project is this directory? Answered from git's own files, without starting git.

A project is known by its repository, so that worktrees, clones and moved folders are one project. In order:
an explicit name; the origin's address (`github.com/org/name`); an identity kept in the common git directory
(`id:…`); and, where there is nothing better, the path (`path:/…`). The first that is known is the `name`; all that are
known are `aliases`, and the store keeps them together, so that adding an origin later changes nothing.

A name that a repository gives itself comes from whoever wrote it, and may be another project's. It is an alias only
together with what else is known of the repository (`orchard@github.com/org/name`): that is whose name it is.

A path is no alias beside a better name: folders are reused, and `/app` is another project in every container. It is
given as `path_name`, for whoever wants to adopt what was remembered before there was a repository.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from marrow.model.errors import Invalid
from marrow.model.scope import one_project
from marrow.model.text import name as checked_name

from .gitconfig import Entry, entries, read_bounded, user_entries
from .here import current_directory
from .origin import any_case, is_local, normalise

ID_FILE = "marrow-id"
PROJECT_FILE = ".marrow.toml"
NAME_MAX = 200
EXPLICIT, OWN = "explicit", "own"
_LOCAL = ("id:", "path:")
_ORIGINS_DEEP = 4
_ID_WAIT_TRIES = 50


@dataclass(frozen=True, slots=True)
class Identity:
    """A project's names. `source` says what `name` is: explicit, own (given by the repository itself), origin, id or
    path."""

    name: str
    aliases: tuple[str, ...]
    root: Path | None
    common_dir: Path | None
    source: str
    path_name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a repository is. A bare one has no root; a worktree's `common_dir` is its main repository's."""

    root: str | None
    git_dir: str
    common_dir: str


def identify(
    path: str | os.PathLike[str] | None = None,
    *,
    name: str | None = None,
    own: bool = False,
    create: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Identity:
    """The project at `path` (by default the current directory). `create` writes an identity where none is known. `own`
    says that the repository gave itself the name.

    `GIT_DIR` and its like speak for the current directory only: a question about another path is answered by the path.
    """
    variables = os.environ if environ is None else environ
    start = _directory(path)
    place = locate(path, environ=variables)
    given = _explicit(name) if name is not None and name.strip() else ""
    own = own and bool(given)
    known = [(given, EXPLICIT)] if given and not own else []
    if place is None:
        root = _marked_root(start, _home(variables))
        path_name = _bounded(f"path:{root}")
    else:
        root = place.root or ""
        path_name = _path_name(place)
        origins = _origin_names(place, variables, ())
        known += [(origin, "origin") for origin in origins]
        kept = _read_id(place.common_dir)
        if kept is None and create and (own or all(origin.startswith(_LOCAL) for origin in origins)):
            kept = _create_id(place.common_dir)
        known += [(kept, "id")] if kept else []
    known = known or [(path_name, "path")]
    aliases = dict.fromkeys(_bounded(f"{given}@{alias}") if own else alias for alias, _ in known)
    return Identity(
        name=given or known[0][0],
        aliases=tuple(aliases),
        root=Path(root) if root else None,
        common_dir=Path(place.common_dir) if place else None,
        source=OWN if own else known[0][1],
        path_name=path_name,
    )


def locate(path: str | os.PathLike[str] | None = None, *, environ: Mapping[str, str] | None = None) -> Place | None:
    """The repository that `path` is in, found as git finds it; None outside of one."""
    variables = os.environ if environ is None else environ
    directory = _directory(path)
    if (place := _named_by_environment(path, directory, variables)) is not None:
        return place
    ceilings = {os.path.realpath(c) for c in variables.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep) if c}
    while True:
        if (place := _at(directory)) is not None:
            return place
        if os.path.lexists(os.path.join(directory, ".git")) and not os.path.isdir(os.path.join(directory, ".git")):
            return None  # it points nowhere: git stops here too, instead of taking what lies around it
        parent = os.path.dirname(directory)
        if parent == directory or parent in ceilings:
            return None
        directory = parent


def _at(directory: str) -> Place | None:
    """The repository whose root, or whose git directory, is exactly here."""
    dot_git = os.path.join(directory, ".git")
    git_dir = dot_git if os.path.isdir(dot_git) else _pointed(dot_git)
    if git_dir and _is_git_dir(git_dir):
        git_dir = os.path.realpath(git_dir)
        return Place(directory, git_dir, _common_dir(git_dir))
    if _is_git_dir(directory):
        inside = os.path.basename(directory) == ".git"
        return Place(os.path.dirname(directory) if inside else None, directory, _common_dir(directory))
    return None


def _pointed(dot_git: str) -> str | None:
    """The target of a `.git` file: a worktree's, a submodule's, or one with its git directory elsewhere."""
    text = read_bounded(dot_git, 8192)
    if text is None or not text.startswith("gitdir:"):
        return None
    return os.path.join(os.path.dirname(dot_git), text[7:].strip().partition("\n")[0])


def _is_git_dir(directory: str) -> bool:
    if not os.path.lexists(os.path.join(directory, "HEAD")):
        return False
    if os.path.exists(os.path.join(directory, "commondir")):
        return True
    return os.path.isdir(os.path.join(directory, "objects")) and os.path.isdir(os.path.join(directory, "refs"))


def _common_dir(git_dir: str) -> str:
    pointer = (read_bounded(os.path.join(git_dir, "commondir"), 8192) or "").strip()
    return os.path.realpath(os.path.join(git_dir, pointer)) if pointer and "\0" not in pointer else git_dir


def _named_by_environment(
    path: str | os.PathLike[str] | None, directory: str, variables: Mapping[str, str]
) -> Place | None:
    named = variables.get("GIT_DIR")
    if not named or not _is_git_dir(named):
        return None
    git_dir = os.path.realpath(named)
    tree = os.path.realpath(variables["GIT_WORK_TREE"]) if variables.get("GIT_WORK_TREE") else ""
    inside_tree = bool(tree) and os.path.join(directory, "").startswith(os.path.join(tree, ""))
    if path is not None and not inside_tree and directory != _directory(None):
        return None
    common = variables.get("GIT_COMMON_DIR")
    common_dir = os.path.realpath(common) if common else _common_dir(git_dir)
    if not tree:
        core = {key: value for section, _, key, value in _config(common_dir, variables) if section == "core"}
        if core.get("worktree"):
            tree = os.path.realpath(os.path.join(git_dir, core["worktree"]))
        elif core.get("bare", "false").lower() not in ("", "1", "on", "true", "yes"):  # a bare `bare` is true
            tree = directory
    return Place(tree or None, git_dir, common_dir)


def _origin_names(place: Place, variables: Mapping[str, str], seen: tuple[str, ...]) -> list[str]:
    """The names that the origin gives, best first. An origin on this machine is asked for its own."""
    local = _config(place.common_dir, variables)
    written = _origin(local)
    if not written:
        return []
    rewritten = _instead_of(written, [*user_entries(variables, place.git_dir, _home(variables)), *local])
    names: list[str] = []
    for address in dict.fromkeys((rewritten, written)):
        if is_local(address):
            if address == rewritten:
                names += _local_origin_names(address, place, variables, seen)
            continue
        found = normalise(address)
        if found and (address == rewritten or "." in found.partition("/")[0]):  # `gh:x` is only this user's word
            names += [_bounded(alias) for alias in (found, any_case(found)) if alias]
    return sorted(names, key=lambda alias: alias.startswith(_LOCAL))


def _local_origin_names(address: str, place: Place, variables: Mapping[str, str], seen: tuple[str, ...]) -> list[str]:
    path = re.sub(r"\Afile:(//[^/]*)?(?=/)", "", address, flags=re.I)
    path = os.path.join(_home(variables), path[2:]) if path.startswith("~/") else path
    target = os.path.realpath(os.path.join(place.root or place.git_dir, path))
    other = next((found for end in ("", ".git") if (found := _at(target + end))), None)
    if other is None:
        return [_bounded(f"path:{target}")]
    if other.common_dir == place.common_dir or other.common_dir in seen or len(seen) >= _ORIGINS_DEEP:
        return []
    names = _origin_names(other, variables, (*seen, place.common_dir))
    kept = _read_id(other.common_dir)
    return [*names, *([kept] if kept else []), _path_name(other)]


def _origin(local: Iterable[Entry]) -> str | None:
    """The address of `origin`, or of the only remote there is."""
    addresses: dict[str, str] = {}
    for section, remote, key, value in local:
        if section == "remote" and key == "url" and value:
            addresses.setdefault(remote, value)
    if "origin" in addresses:
        return addresses["origin"]
    return next(iter(addresses.values())) if len(addresses) == 1 else None


def _instead_of(address: str, config: Iterable[Entry]) -> str:
    """As git rewrites it: the longest `insteadOf` that it begins with gives way to that section's name."""
    rules = [(value, base) for section, base, key, value in config if section == "url" and key == "insteadof" and value]
    fitting = [(value, base) for value, base in rules if address.startswith(value)]
    if not fitting:
        return address
    short, base = max(fitting, key=lambda rule: len(rule[0]))
    return base + address[len(short) :]


def _config(common_dir: str, variables: Mapping[str, str]) -> list[Entry]:
    return list(entries(os.path.join(common_dir, "config"), common_dir, _home(variables)))


def _read_id(common_dir: str) -> str | None:
    text = (read_bounded(os.path.join(common_dir, ID_FILE), 64) or "").strip()
    return f"id:{text}" if re.fullmatch(r"[0-9a-f]{32}", text) else None


def _create_id(common_dir: str) -> str | None:
    """A new identity, or the one that another process made first. None where nothing can be written."""
    path = os.path.join(common_dir, ID_FILE)
    fresh = os.urandom(16).hex()
    temporary = f"{path}.{fresh}.tmp"
    try:
        _write_new(temporary, fresh)
        try:
            os.link(temporary, path)  # whole or not at all, and only one can win
        except FileExistsError:
            pass
        except OSError:  # a disk without links: then only the name is exclusive, and readers wait for the text
            with suppress(FileExistsError):
                _write_new(path, fresh)
    except OSError:
        return None
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    with suppress(OSError):
        _sync_directory(common_dir)
    for _ in range(_ID_WAIT_TRIES):
        found = _read_id(common_dir)
        if found is not None or read_bounded(path, 64) != "":  # it is there, or something else is in its place
            return found
        time.sleep(0.002)
    return None


def _write_new(path: str, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="ascii") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(path: str) -> None:
    """What is remembered under a name must not outlive the name in a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _explicit(name: str) -> str:
    """A name that a person gave. An address is brought into the one form, so that it loses its credentials too."""
    if "://" in name or re.match(r"[^/\s]+@[^/\s]+[:/]", name.strip()):
        address = normalise(name)
        if address is None:
            raise Invalid("This address is not understood.", hint="Give host/path, or a plain name.", field="project")
        return _bounded(address)
    return one_project(checked_name(name, field="project"), "project")


def _path_name(place: Place) -> str:
    """One for all worktrees of a repository."""
    head, tail = os.path.split(place.common_dir)
    return _bounded(f"path:{head if tail == '.git' else place.common_dir}")


def _bounded(name: str) -> str:
    """Within the length of a name, and text: a path may hold bytes that are neither."""
    text = name.encode("utf-8", "backslashreplace").decode()
    if len(text) <= NAME_MAX:
        return text

    from hashlib import sha256

    return f"{text[:150]}~{sha256(text.encode()).hexdigest()[:32]}"


def _marked_root(start: str, home: str) -> str:
    """Outside of git: the nearest folder with a `.marrow.toml`, else the folder itself. Never the home or above it."""
    directory, home = start, os.path.join(os.path.realpath(home), "")
    while not home.startswith(os.path.join(directory, "")):
        if os.path.lexists(os.path.join(directory, PROJECT_FILE)):
            return directory
        directory = os.path.dirname(directory)
    return start


def _directory(path: str | os.PathLike[str] | None) -> str:
    """The real directory meant: of a file, the one that it is in."""
    try:
        real = os.path.realpath(current_directory() if path is None else path)
    except ValueError:
        raise Invalid("A path cannot hold a NUL character.", hint="Correct it.", field="path") from None
    return os.path.dirname(real) if os.path.isfile(real) else real


def _home(variables: Mapping[str, str]) -> str:
    return variables.get("HOME") or variables.get("USERPROFILE") or os.path.expanduser("~")
