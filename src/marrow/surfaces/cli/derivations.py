"""`marrow derivations allow`: a person says that the repository's own functions may run."""

from __future__ import annotations

from .invocation import Invocation


def allow_derivations(call: Invocation, revoke: bool) -> None:
    with call.open(project=call.project, create=False) as memory:
        changed = memory.allow_derivations(not revoke)
    if call.output.json:
        call.output.data({"changed": [{"path": one.path, "sha256": one.digest} for one in changed]})
        return
    what = "may no longer run" if revoke else "may run, as it is now"
    for one in changed:
        call.output.text(f"{one.path} {what} (sha256 {one.digest[:16]}…)")
    if not changed:
        call.output.text("Nothing to change: `marrow derivations` says which files are named, and how they stand.")
