"""`marrow derivations allow`: a person says that the repository's own functions may run."""

from __future__ import annotations

from ...model.errors import Invalid
from .invocation import Invocation

NONE_NAMED = "No file is named. `derivations.files` in the repository's .marrow.toml names them."


def allow_derivations(call: Invocation, revoke: bool) -> None:
    with call.open(project=call.project, create=False) as memory:
        named = memory.named_derivations()
        changed = memory.allow_derivations(not revoke)
    broken = [one for one in named if one.problem]
    if call.output.json:
        call.output.data(
            {
                "changed": [{"path": one.path, "sha256": one.digest} for one in changed],
                "problems": [{"path": one.path, "problem": one.problem} for one in broken],
            }
        )
        return
    what = "may no longer run" if revoke else "may run, as it is now"
    for one in changed:
        call.output.text(f"{one.path} {what} (sha256 {one.digest[:16]}…)")
    for one in named:
        if one not in changed and not one.problem:
            may = "may not run anyway" if revoke else "may run already, as it is now"
            call.output.text(f"{one.path} {may} (sha256 {one.digest[:16]}…)")
    if not named:
        call.output.text(NONE_NAMED)
    if broken and not revoke:
        told = " ".join(f"{one.path}: {one.problem}" for one in broken)
        raise Invalid(told, hint="Mend the file, or derivations.files in .marrow.toml.", field="derivations.files")
