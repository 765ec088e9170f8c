"""knowledge: what is computed from what is known, how far that has come, and computing it again."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..memory.derivations import Declared, Overview, Row, check_names, derived_of, opened_table, overview
from ..memory.organisation.services import with_service
from ..memory.recompute import recompute as run_again
from ..memory.taking_in.media import trying_again
from ..model.address import shown
from ..model.derivation import AT_SAVE, Derived
from ..model.moments import iso
from ..model.record import Filter
from ..model.scope import WRITE
from ..model.text import first_line
from .table import Call, operation

VALUE_SHOWN = 300
ERRORS_SHOWN = 10


class DerivationsResult(NamedTuple):
    """`items` are the derivations, or of one node what was derived from it, with its lineage."""

    items: tuple[dict[str, Any], ...]
    address: str = ""
    problems: tuple[dict[str, str], ...] = ()
    files: tuple[dict[str, Any], ...] = ()
    errors: tuple[dict[str, Any], ...] = ()
    left_out: int = 0

    def text(self) -> str:
        if self.address:
            lines = [line for item in self.items for line in _value_lines(item)]
            return "\n".join([f"[{shown(self.address)}]", *lines]) if lines else "Nothing was derived from it yet."
        lines = [_row_line(item) for item in self.items]
        lines += _not_run_lines(self.problems)
        lines += ["failed:"] if self.errors else []
        lines += [
            f"  {e['name']} of [{e['input']}] {e['path']}: {_in_line(e['error'])}".replace("] :", "]:")
            for e in self.errors
        ]
        lines += ["Try again with `marrow recompute --errors-only`."] if self.errors else []
        return "\n".join(lines)


def _not_run_lines(problems: tuple[dict[str, str], ...]) -> list[str]:
    """The files and functions of users that did not run, and why."""
    return ["not run:", *(f"  {one['what']}: {one['why']}" for one in problems)] if problems else []


def _row_line(item: dict[str, Any]) -> str:
    if item["when"] == AT_SAVE:
        state = "made with the save"
    else:
        parts = [f"{item['done']:,} done"]
        parts += [f"{item[name]:,} {name}" for name in ("due", "failed") if item[name]]
        parts += [f"${item['cost_usd']:.4f}"] if item["cost_usd"] else []
        state = ", ".join(parts)
    kinds = f" for {', '.join(item['kinds'])}" if item["kinds"] else ""
    source = "" if item["source"] == "Marrow" else f" ({item['source']})"
    return f"{item['name']} {item['version']} of {', '.join(item['of'])}{kinds}: {state}{source}"


def _in_line(error: str) -> str:
    """What a function of a user's raises may have many lines."""
    return " ".join(error.split())


def _value_lines(item: dict[str, Any]) -> list[str]:
    made = f"{item['provider']}{' ' + item['model'] if item['model'] else ''}, {item['ms']:g} ms"
    cost = f", {item['tokens']:,} tokens, ${item['cost_usd']:.4f}" if item["tokens"] else ""
    head = f"{item['name']} {item['version']} {item['state']}: {_in_line(item['error']) or item['value']}"
    return [head, f"  by {made}{cost}, {item['at']}, for {item['actor']}, from {item['input'][:12]}"]


@operation("knowledge", aliases=("list_derivations",))
def derivations(
    call: Call,
    name: Annotated[str, "only this one"] = "",
    address: Annotated[str, "a node: what was derived from it, with its lineage"] = "",
) -> DerivationsResult:
    """What is computed from what is known (summary, topics, action items, your own), how far it is, and what failed.

    Files of your own derivations, named by derivations.files in .marrow.toml, run after `marrow derivations allow`.
    """
    if address:
        whole, rows = derived_of(call.engine, call.asker, address)
        shapes = (_derived_shape(row) for row in rows if name in ("", row.name))
        return DerivationsResult(tuple(shapes), whole)
    with opened_table(call.settings, call.root) as declared:
        check_names(declared.table, [name] if name else [], at_save=True)
        return _overview_result(overview(call.engine, call.asker, declared, name=name, errors=ERRORS_SHOWN), declared)


def _overview_result(found: Overview, declared: Declared) -> DerivationsResult:
    return DerivationsResult(
        tuple(_row_shape(row) for row in found.rows),
        problems=_problems(declared),
        files=tuple({"path": f.path, "sha256": f.digest, "allowed": f.is_allowed} for f in declared.files),
        errors=tuple(
            {"name": row.name, "input": shown(row.input), "path": row.path, "error": row.error, "at": iso(row.at)}
            for row in found.errors
        ),
    )


def _problems(declared: Declared) -> tuple[dict[str, str], ...]:
    return tuple({"what": what, "why": why} for what, why in declared.table.problems.items())


def _row_shape(row: Row) -> dict[str, Any]:
    one = row.derivation
    return {
        "name": one.name,
        "version": one.version,
        "of": list(one.of),
        "kinds": list(one.kinds),
        "provider": one.provider,
        "on_error": one.on_error,
        "when": one.when,
        "what": one.what,
        "source": row.source,
        "done": row.done,
        "failed": row.failed,
        "due": row.due,
        "tokens": row.tokens,
        "cost_usd": row.cost_usd,
        "runs": row.runs,
    }


def _derived_shape(row: Derived) -> dict[str, Any]:
    return {
        "name": row.name,
        "version": row.version,
        "state": row.state,
        "value": first_line(row.value, VALUE_SHOWN),
        "error": row.error,
        "input": row.input,
        "provider": row.provider,
        "model": row.model,
        "tokens": row.tokens,
        "cost_usd": row.cost_usd,
        "ms": row.ms,
        "at": iso(row.at),
        "actor": row.actor,
        "attempts": row.attempts,
        "path": row.path,
    }


# Code that changed and was allowed again gives no other values by itself.
NOTHING_DUE = (
    "Nothing is due. Values stay while the version of their derivation is the same, though its code changed: raise "
    "`version`, or name what is to be computed anew."
)


class RecomputeResult(NamedTuple):
    ran: int
    failed: int
    changed: int
    dry_run: bool
    would: dict[str, int]
    errors: tuple[dict[str, str], ...] = ()
    problems: tuple[dict[str, str], ...] = ()
    left_out: int = 0
    nothing_due: bool = False

    def text(self) -> str:
        if self.dry_run:
            told = ", ".join(f"{count:,} {name}" for name, count in self.would.items()) or "nothing"
            return "\n".join([f"would compute {told}", *_not_run_lines(self.problems)])
        lines = [f"computed {self.ran:,}, {self.changed:,} of them with another value, {self.failed:,} failed"]
        lines += [f"  {one['name']} of [{one['input']}]: {_in_line(one['error'])}" for one in self.errors]
        if (more := self.failed - len(self.errors)) > 0:
            lines.append(f"  and {more:,} more: `marrow derivations` shows the latest")
        lines += [NOTHING_DUE] if self.nothing_due else []
        return "\n".join([*lines, *_not_run_lines(self.problems)])


@operation(
    "knowledge", right=WRITE, changes=True, aliases=("recompute_columns",), spellings={"name": ("names", "columns")}
)
def recompute(
    call: Call,
    name: Annotated[list[str] | None, "derivations to compute anew; default: whatever is due"] = None,
    addresses: Annotated[list[str] | None, "only of these nodes"] = None,
    kind: Annotated[str, "only of nodes of this kind"] = "",
    service: Annotated[str, "only of nodes of this service"] = "",
    errors_only: Annotated[bool, "only what failed"] = False,
    cascade: Annotated[bool, "also what depends on them, where their values changed"] = True,
    dry_run: bool = False,
) -> RecomputeResult:
    """Compute derivations again: those that are named, what failed, or whatever is due. What is unchanged is kept."""
    places = call.asker.places()
    wanted = Filter(projects=places, kinds=(kind,) if kind else (), service=service) if kind or service else None
    wanted = with_service(call.engine, call.asker, wanted) if wanted is not None else None
    with opened_table(call.settings, call.root) as declared:
        done = run_again(
            call.engine,
            call.asker,
            declared.table,
            names=name or (),
            addresses=addresses or (),
            wanted=wanted,
            errors_only=errors_only,
            cascade=cascade,
            dry_run=dry_run,
            again=trying_again(call.settings),
            progress=call.progress,
        )
    errors = tuple({"name": e.name, "input": shown(e.input), "error": e.error} for e in done.errors)
    counts = (done.ran, done.failed, done.changed)
    would, problems = dict(done.would), _problems(declared)
    is_told = bool(declared.files or declared.sources) and not (
        name or errors_only or dry_run or any(counts) or problems
    )
    return RecomputeResult(*counts, done.dry_run, would, errors, problems, nothing_due=is_told)
