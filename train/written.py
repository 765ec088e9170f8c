"""Memories with questions in other words, written by hand for the training: `written/*.jsonl`.

One JSON a line: {"m": a memory, "q": [a question in other words, one from another angle, the same said again]}. The
writers have not seen the project's paraphrase sets. A phrasing of one to three words says too little to be found by, so
it is left out. One block of ten lines in sixteen is kept out, to measure with:
neighbouring lines are about neighbouring things, so that the texts kept out are easily confused with each other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "written"
_BLOCK, _OF, _KEPT_OUT = 10, 16, 7
_FEWEST_WORDS = 4


@dataclass(frozen=True)
class Written:
    memory: str
    questions: tuple[str, ...]


def read(*, kept_out: bool, folder: Path = FOLDER) -> list[Written]:
    """Those to learn from, or those to measure with."""
    made = []
    for path in sorted(folder.glob("*.jsonl")):
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if (at // _BLOCK % _OF == _KEPT_OUT) == kept_out:
                row = json.loads(line)
                questions = tuple(said for said in row["q"] if len(said.split()) >= _FEWEST_WORDS)
                if questions:
                    made.append(Written(row["m"], questions))
    return made
