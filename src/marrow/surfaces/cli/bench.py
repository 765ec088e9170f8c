"""`marrow bench recall`: whether recall works on the memory at hand, as a table and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...model.text import counted
from .invocation import Invocation
from .progress import Progress

if TYPE_CHECKING:
    from ...app import Benched

COLUMNS = ("style", "embedder", "asked", "first", "in five", "rank", "recalled", "others", "p50", "p95")
NEEDED = 8  # a narrow terminal goes without the times
TEXTS = 2  # so many columns are texts; the others are numbers, and stand to the right
LEGEND = (
    "rank: mean place in search, not in twenty counts as 21; others: recalled along with it; p50, p95: ms of a recall"
)


def run_bench(call: Invocation, questions: int, embedders: Sequence[str], seed: int) -> None:
    with call.open(project=call.project, create=False) as memory, Progress(call.output, "bench recall") as progress:
        benched = memory.bench_recall(questions, embedders, seed, progress)
    if call.output.json:
        call.output.data(_shape(benched))
    else:
        _tell(call, benched)


def _shape(benched: Benched) -> dict[str, Any]:
    """As a program reads it: with the questions that failed, so that each can be asked again."""
    sides = [
        {
            **side._asdict(),
            "figures": [line._asdict() for line in side.figures],
            "missed": [one._asdict() for one in side.missed],
        }
        for side in benched.sides
    ]
    return {**benched._asdict(), "sides": sides, "sentences": list(benched.sentences)}


def _tell(call: Invocation, benched: Benched) -> None:
    where = benched.project or "the global scope"
    count = benched.sides[0].figures[-1].questions
    call.output.text(
        f"{counted(count, 'question')} about {benched.nodes:,} of {counted(benched.active, 'memory')} of {where}\n"
    )
    rows = _rows(benched)
    call.output.table(COLUMNS, rows, _plain(rows), needed=NEEDED)
    call.output.note(f"\n{LEGEND}")
    for side in benched.sides:
        if side.note:
            call.output.text(f"\n{side.called} was asked {side.note}; `marrow reindex vectors` makes its own.")
    call.output.text("\n" + "\n".join(benched.sentences))


def _rows(benched: Benched) -> list[list[str]]:
    """Style by style, the embedders below each other."""
    return [
        [
            line.style,
            side.called,
            f"{line.questions:,}",
            f"{line.first:,}",
            f"{line.in_five:,}",
            f"{line.mean_rank:.1f}",
            f"{line.recalled:,}",
            f"{line.others:.1f}",
            f"{line.p50_ms:.1f}",
            f"{line.p95_ms:.1f}",
        ]
        for at in range(len(benched.sides[0].figures))
        for side in benched.sides
        for line in [side.figures[at]]
    ]


def _plain(rows: Sequence[Sequence[str]]) -> str:
    lines = [COLUMNS, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < TEXTS else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
