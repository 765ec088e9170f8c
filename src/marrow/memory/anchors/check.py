"""A look at an anchor of any type: does it hold, did it move, was it changed, is it gone?"""

from __future__ import annotations

from ...codemap.manifests import same_version
from ...model.errors import MarrowError
from ...model.link import Anchor
from ...repository.head import is_shallow
from .check_file import check_file, new_place
from .check_lines import check_lines
from .check_symbol import check_symbol
from .checkout import Checkout
from .difference import shown
from .evidence import KNOWN, PATH, TEXT, VERSION, find_dependency, made, with_evidence
from .finding import CHANGED, GONE, HOLDS, MOVED, UNKNOWN, Finding
from .patterns import nearest, occurrence
from .values import SAYS, gone_values, said_of


def check(checkout: Checkout, anchor: Anchor) -> Finding:
    """One that cannot be looked at, like a pattern that nobody can read, says so: the others are looked at all the
    same."""
    try:
        return _quoted(checkout, _check(checkout, anchor))
    except MarrowError as problem:
        return Finding(anchor, UNKNOWN, problem.message)
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as problem:
        return Finding(anchor, UNKNOWN, f"it cannot be looked at ({type(problem).__name__})")


def _check(checkout: Checkout, anchor: Anchor) -> Finding:
    return {
        "file": check_file,
        "lines": check_lines,
        "symbol": check_symbol,
        "pattern": _pattern,
        "dependency": _dependency,
        "commit": _commit,
    }[anchor.type](checkout, anchor)


def _quoted(checkout: Checkout, found: Finding) -> Finding:
    """What holds or moved is changed all the same where what the memory quotes is no longer there."""
    if found.verdict not in (HOLDS, MOVED) or SAYS not in found.anchor.fields:
        return found
    gone = gone_values(checkout, found.now or found.anchor)
    if not gone:
        return found
    moved = f"{found.said}; " if found.said else ""
    return found._replace(verdict=CHANGED, said=f"{moved}{said_of(gone, found.now or found.anchor)}")


def is_companion(anchor: Anchor) -> bool:
    """A file that is there only because another anchor stands in it."""
    return anchor.type == "file" and "with" in anchor.fields


def _pattern(checkout: Checkout, anchor: Anchor) -> Finding:
    about = anchor.fields
    path, known = str(about.get(PATH) or ""), str(about.get(KNOWN) or "")
    is_regex, in_comment = bool(about.get("regex")), bool(about.get("comment"))
    if not known:
        return _first_look(checkout, anchor, f"{anchor.target!r} was never seen here")
    found = None
    if path and checkout.has(path):
        found = occurrence(checkout, anchor.target, path, is_regex=is_regex, comments=in_comment)
    elif path and (now := new_place(checkout, path, "")):
        found = occurrence(checkout, anchor.target, now, is_regex=is_regex, comments=in_comment)
    found = found or occurrence(checkout, anchor.target, "", is_regex=is_regex, comments=in_comment)
    if found is not None:
        if found.path == known or not path:
            return Finding(anchor, HOLDS)
        moved = made("pattern", anchor.target, about, path=found.path, known=found.path, text=found.text)
        return Finding(anchor, MOVED, f"{anchor.target!r} is in {found.path} now", moved)
    place = known if checkout.has(known) else new_place(checkout, known, "")
    near = nearest(checkout, place, str(about.get(TEXT) or anchor.target)) if place else None
    if near is not None:
        return Finding(anchor, CHANGED, f"{near.path}:{near.line}: {shown(str(about.get(TEXT, '')), near.text)}")
    return Finding(anchor, GONE, f"{anchor.target!r} no longer occurs{f' in {path}' if path else ''}")


def _dependency(checkout: Checkout, anchor: Anchor) -> Finding:
    about = anchor.fields
    if KNOWN not in about:
        return _first_look(checkout, anchor, f"{anchor.target} is in no manifest here")
    path = str(about.get(PATH) or "")
    found = find_dependency(checkout, anchor.target, path)
    if found is None:
        return Finding(anchor, GONE, f"{anchor.target} is no longer a dependency")
    now_at, called, version = found
    was = str(about.get(VERSION) or "")
    if not same_version(was, version):
        return Finding(anchor, CHANGED, f"{now_at}: {anchor.target} {was or 'any'} -> {version or 'any'}")
    if now_at != path:
        moved = made("dependency", anchor.target, about, path=now_at, known=called, found=version)
        return Finding(anchor, MOVED, f"{anchor.target} is in {now_at} now", moved)
    return Finding(anchor, HOLDS)


def _commit(checkout: Checkout, anchor: Anchor) -> Finding:
    about = anchor.fields
    whole, is_ancestor = checkout.commit(anchor.target)
    if KNOWN not in about:
        if not whole:
            return Finding(anchor, UNKNOWN, f"there is no commit {anchor.target[:12]} here")
        return Finding(anchor, HOLDS, "", with_evidence(checkout, anchor))
    if not whole:
        if checkout.repository is None or is_shallow(checkout.repository):
            return Finding(anchor, UNKNOWN, f"the history here does not go back to {anchor.target[:12]}")
        return Finding(anchor, GONE, f"there is no commit {anchor.target[:12]} any more")
    if about.get("ancestor") and not is_ancestor:
        return Finding(anchor, CHANGED, f"{anchor.target[:12]} is no longer part of what is checked out")
    return Finding(anchor, HOLDS)


def _first_look(checkout: Checkout, anchor: Anchor, otherwise: str) -> Finding:
    now = with_evidence(checkout, anchor)
    return Finding(anchor, HOLDS, "", now) if now is not None else Finding(anchor, UNKNOWN, otherwise)
