"""Files that are moved, renamed, split and taken out."""

from __future__ import annotations

from . import python
from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH, FILES, SOURCE = python.PATH, python.FILES, python.SOURCE
NEW = "src/shop/sales/orders.py"
_CLASS = SOURCE[SOURCE.index("class Order:") :]
_SPLIT = {
    PATH: SOURCE.replace(_CLASS, "from .order import Order  # noqa\n"),
    "src/shop/order.py": '"""One order."""\n\n\n' + _CLASS,
}
_TOTAL = SOURCE[SOURCE.index("def total") : SOURCE.index("def is_late")]


def moved(
    name: str,
    anchor: object,
    verdict: str,
    *edits: tuple[str, str],
    says: str = "",
    now: str = "",
    commits: bool = False,
) -> Case:
    return Case(
        f"repository: {name}",
        anchor,
        verdict,
        FILES,
        tuple((PATH, *one) for one in edits),
        renames=((PATH, NEW),),
        says=says,
        now=now,
        commits=commits,
    )


CASES = (
    moved("a file moved by git", PATH, MOVED, now=NEW),
    moved("a file moved by git and committed", PATH, MOVED, now=NEW, commits=True),
    moved("a symbol in a moved file", python.TOTAL, MOVED, now=NEW),
    moved("lines in a moved file", python.LINES, MOVED, now=NEW, commits=True),
    moved("a pattern in a moved file", {"type": "pattern", "pattern": "TIMEOUT = 30", "path": PATH}, MOVED, now=NEW),
    moved(
        "a symbol changed in a moved file",
        python.TOTAL,
        CHANGED,
        ("discount=0.1", "discount=0.2"),
        says="0.2",
        commits=True,
    ),
    moved("another symbol changed in a moved file", python.PAY, MOVED, ("discount=0.1", "discount=0.2"), now=NEW),
    Case("repository: a file moved without git", PATH, MOVED, FILES, after={PATH: None, NEW: SOURCE}, now=NEW),
    Case("repository: a file taken out", PATH, GONE, FILES, after={PATH: None}, says="no longer there"),
    Case("repository: a symbol in a file taken out", python.TOTAL, GONE, FILES, after={PATH: None}),
    Case("repository: lines in a file taken out", python.LINES, GONE, FILES, after={PATH: None}, commits=True),
    Case("repository: an edited file is still the file", PATH, HOLDS, FILES, ((PATH, "TIMEOUT = 30", "TIMEOUT = 60"),)),
    Case(
        "repository: a file written anew under the same name",
        PATH,
        CHANGED,
        FILES,
        after={
            PATH: "\n".join(
                f"def handler_{word}(request):\n    return request.{word}()\n"
                for word in "ada ben cleo dora emil fay gus hal".split()
            )
        },
        says="anew",
    ),
    Case("repository: a file split in two, and what stayed", python.TOTAL, HOLDS, FILES, after=_SPLIT),
    Case(
        "repository: a file split in two, and what went",
        python.PAY,
        MOVED,
        FILES,
        after=_SPLIT,
        now="src/shop/order.py",
    ),
    Case(
        "repository: lines that went with a split", f"{PATH}:34-37", MOVED, FILES, after=_SPLIT, now="src/shop/order.py"
    ),
    Case(
        "repository: a file split in two, and what went was changed",
        python.PAY,
        CHANGED,
        FILES,
        after={
            **_SPLIT,
            "src/shop/order.py": _SPLIT["src/shop/order.py"].replace("amount < self.due", "amount <= self.due"),
        },
        says="<=",
    ),
    Case(
        "repository: a function moved to another file",
        python.TOTAL,
        MOVED,
        {**FILES, "src/shop/sums.py": "ZERO = 0\n"},
        after={PATH: SOURCE.replace(_TOTAL, ""), "src/shop/sums.py": "ZERO = 0\n\n\n" + _TOTAL.rstrip() + "\n"},
        now="src/shop/sums.py",
    ),
)
