"""Whether a file is still the one that was meant."""

from __future__ import annotations

from ...codemap.fingerprint import SKETCH_SIZE, fingerprint, sketch, sketched_likeness
from ...model.link import Anchor
from .checkout import Checkout
from .evidence import PRINT, SKETCH, file_anchor, has_evidence
from .finding import CHANGED, GONE, HOLDS, MOVED, UNKNOWN, Finding

# A file that has so little in common with what it was is another under its name.
REWRITTEN = 0.12
SAME_FILE = 0.5
SUFFIXED_MAX = 200


def check_file(checkout: Checkout, anchor: Anchor) -> Finding:
    path = anchor.target
    if checkout.has(path):
        return _there(checkout, anchor)
    now = new_place(checkout, anchor.target, str(anchor.fields.get(SKETCH) or ""))
    if now:
        return Finding(anchor, MOVED, f"{path} is {now} now", file_anchor(checkout, now, anchor.fields))
    if has_evidence(anchor) or checkout.was_known(path):
        return Finding(anchor, GONE, f"{path} is no longer there")
    return Finding(anchor, UNKNOWN, f"{path} was never seen here")


def _there(checkout: Checkout, anchor: Anchor) -> Finding:
    path, about = anchor.target, anchor.fields
    source = checkout.source(path)
    if source is None:
        return Finding(anchor, HOLDS)
    if not has_evidence(anchor):
        return Finding(anchor, HOLDS, "", file_anchor(checkout, path, about))
    if about.get(PRINT):
        same = about[PRINT] == fingerprint(path, source)
        return Finding(anchor, HOLDS) if same else Finding(anchor, CHANGED, f"{path} was changed")
    was = str(about.get(SKETCH) or "")
    is_long_enough = len(was) >= SKETCH_SIZE * 8 // 2
    like = sketched_likeness(was, sketch(source)) if was else 1.0
    # Of a short one, a small change may leave little, but it leaves something.
    if like < REWRITTEN if is_long_enough else not like:
        return Finding(anchor, CHANGED, f"{path} was written anew: hardly anything of it is left")
    return Finding(anchor, HOLDS)


def new_place(checkout: Checkout, path: str, was: str) -> str:
    """What a file that is gone is called now: as git knows it, else by what stands in it."""
    renamed = checkout.renamed(path)
    if renamed or len(was) < 16:
        return renamed
    name = path.rpartition("/")[2]
    ending = f".{name.rpartition('.')[2]}" if "." in name else name
    alike = [one for one in checkout.files() if one.endswith(ending)]
    alike.sort(key=lambda one: (one.rpartition("/")[2] != name, one))
    best, score = "", SAME_FILE
    for one in alike[:SUFFIXED_MAX]:
        source = checkout.source(one)
        if source is not None and (like := sketched_likeness(was, sketch(source))) > score:
            best, score = one, like
    return best
