"""Python: what black does, what people do, and what must not be missed."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH = "src/shop/orders.py"
SOURCE = '''"""Orders."""

import datetime

TIMEOUT = 30
RETRIES = 3
NAMES = ["open", "paid", "sent"]


def total(lines, discount=0.1):
    """The sum of the lines, less the discount."""
    # prices are in cents
    amount = sum(line.price * line.count for line in lines)
    if amount > 1000 and discount:
        amount = amount - amount * discount
        log("discount given", amount)
    return round(amount, 2)


def is_late(order, today):
    days = (today - order.sent).days
    return days > 14 or order.state == "lost"


class Order:
    """One order."""

    currency = "EUR"

    def __init__(self, number):
        self.number = number
        self.state = 'open'

    def pay(self, amount):
        if amount < self.due:
            raise ValueError("too little")
        self.state = "paid"

    def cancel(self):
        self.state = "cancelled"
'''
BLACKENED = '''"""Orders."""
import datetime

TIMEOUT = 30
RETRIES = 3
NAMES = [
  'open',
  'paid',
  'sent',
]

def total(
  lines,
  discount = 0.1,
):
  """The sum of the lines, less the discount."""
  # prices are in cents
  amount = sum((line.price * line.count) for line in lines)
  if (amount > 1000) and discount:
    amount = (amount - (amount * discount))
    log(
      'discount given',
      amount,
    )
  return round(amount,2)

def is_late(order, today):
  days = (today-order.sent).days
  return days > 14 \\
    or order.state == 'lost'

class Order():
  """One order."""
  currency = 'EUR'
  def __init__(self, number):
    self.number = number; self.state = "open"
  def pay(self, amount):
    if (amount < self.due):
      raise ValueError('too little')
    self.state = 'paid'
  def cancel(self):
    self.state = 'cancelled'
'''
FILES = {PATH: SOURCE}
TOTAL = {"type": "symbol", "symbol": "total", "path": PATH}
PAY = {"type": "symbol", "symbol": "Order.pay", "path": PATH}
ORDER = {"type": "symbol", "symbol": "Order", "path": PATH}
LINES = f"{PATH}:13-16"


def case(name: str, anchor: object, verdict: str, *edits: tuple[str, str], says: str = "", now: str = "") -> Case:
    return Case(f"python: {name}", anchor, verdict, FILES, tuple((PATH, *edit) for edit in edits), says=says, now=now)


def whole(name: str, anchor: object, verdict: str, source: str, **more: str) -> Case:
    return Case(f"python: {name}", anchor, verdict, FILES, after={PATH: source}, **more)  # type: ignore[arg-type]


_IS_LATE = SOURCE[SOURCE.index("def is_late") : SOURCE.index("class Order")]
_MOVED_DOWN = (
    SOURCE.replace(SOURCE[SOURCE.index("def total") : SOURCE.index("def is_late")], "")
    + "\n\n"
    + SOURCE[SOURCE.index("def total") : SOURCE.index("\n\ndef is_late")]
)

CASES = (
    whole("a file laid out anew leaves a function as it was", TOTAL, HOLDS, BLACKENED),
    whole("a file laid out anew leaves a method as it was", PAY, HOLDS, BLACKENED),
    whole("a file laid out anew leaves a class as it was", ORDER, HOLDS, BLACKENED),
    whole("a file laid out anew only moves lines", LINES, MOVED, BLACKENED),
    whole(
        "a list wrapped over lines is the same list",
        f"{PATH}:7",
        HOLDS,
        BLACKENED.replace("import datetime\n", "\nimport datetime\n"),
    ),
    case("another docstring", TOTAL, HOLDS, ("less the discount.", "less what is given away.")),
    case("another comment", TOTAL, HOLDS, ("# prices are in cents", "# in cents, see the price list")),
    case(
        "a comment more, a comment less",
        LINES,
        MOVED,
        ("    # prices are in cents\n", "    # prices\n    # in cents\n"),
    ),
    case("blank lines", PAY, HOLDS, ('        self.state = "paid"\n', '\n        self.state = "paid"\n\n')),
    case("the other quotes", PAY, HOLDS, ('ValueError("too little")', "ValueError('too little')")),
    case(
        "a value",
        {"type": "symbol", "symbol": "TIMEOUT"},
        CHANGED,
        ("TIMEOUT = 30", "TIMEOUT = 60"),
        says="TIMEOUT = 30 -> 60",
    ),
    case("a value in lines", f"{PATH}:5-6", CHANGED, ("RETRIES = 3", "RETRIES = 5"), says="RETRIES = 3 -> 5"),
    case("a default argument", TOTAL, CHANGED, ("discount=0.1", "discount=0.2"), says="0.2"),
    case("an operator", TOTAL, CHANGED, ("amount > 1000", "amount >= 1000"), says=">="),
    case("and for or", {"type": "symbol", "symbol": "is_late"}, CHANGED, ("> 14 or", "> 14 and"), says="and"),
    case("what a string says", PAY, CHANGED, ('"too little"', '"not enough"'), says="not enough"),
    case("space inside a string", PAY, CHANGED, ('"too little"', '"too  little"')),
    case("a line one level deeper", TOTAL, CHANGED, ("    return round", "        return round"), says="depth"),
    case(
        "brackets that change the sum", TOTAL, CHANGED, ("amount - amount * discount", "(amount - amount) * discount")
    ),
    case(
        "two lines the other way round",
        PAY,
        CHANGED,
        (
            '        if amount < self.due:\n            raise ValueError("too little")\n        self.state = "paid"\n',
            '        self.state = "paid"\n        if amount < self.due:\n            raise ValueError("too little")\n',
        ),
    ),
    case("a variable by another name", TOTAL, CHANGED, ("    return round(amount, 2)", "    return round(sum_, 2)")),
    case("a line taken out", TOTAL, CHANGED, ('        log("discount given", amount)\n', "")),
    case(
        "code made a comment",
        PAY,
        CHANGED,
        ('            raise ValueError("too little")', '            pass  # raise ValueError("too little")'),
    ),
    case("a function by another name", TOTAL, MOVED, ("def total(", "def sum_of("), says="sum_of", now="sum_of"),
    case(
        "a function by another name, and a little changed",
        TOTAL,
        CHANGED,
        ("def total(", "def sum_of("),
        ("amount > 1000", "amount > 2000"),
        says="sum_of",
    ),
    case(
        "a constant by a like name",
        {"type": "symbol", "symbol": "TIMEOUT"},
        MOVED,
        ("TIMEOUT = 30", "TIMEOUT_S = 30"),
        now="TIMEOUT_S",
    ),
    case("a class by another name", PAY, MOVED, ("class Order:", "class Purchase:"), now="Purchase.pay"),
    case(
        "a function taken out",
        {"type": "symbol", "symbol": "is_late"},
        GONE,
        (
            _IS_LATE,
            "",
        ),
        says="is_late",
    ),
    case("a constant taken out", {"type": "symbol", "symbol": "RETRIES"}, GONE, ("RETRIES = 3\n", "")),
    case(
        "lines taken out",
        f"{PATH}:20-22",
        GONE,
        (
            _IS_LATE,
            "",
        ),
    ),
    case("a method of the class changed, not the class", ORDER, HOLDS, ('"cancelled"', '"void"')),
    case("a field of the class", ORDER, CHANGED, ('currency = "EUR"', 'currency = "USD"'), says="USD"),
    case("lines above", LINES, MOVED, ("import datetime\n", "import datetime\nimport logging\n"), says="14"),
    case("lines below", LINES, HOLDS, ('self.state = "cancelled"', 'self.state = "void"')),
    case("another function in the file", TOTAL, HOLDS, ("days > 14", "days > 21")),
    whole("a function further down in its file", TOTAL, HOLDS, _MOVED_DOWN),
    whole("lines further down in their file", LINES, MOVED, _MOVED_DOWN, says="line 3"),
    case(
        "a pattern with other spaces",
        {"type": "pattern", "pattern": "RETRIES = 3", "path": PATH},
        HOLDS,
        ("RETRIES = 3", "RETRIES=3"),
    ),
    case(
        "a pattern with another value",
        {"type": "pattern", "pattern": "RETRIES = 3", "path": PATH},
        CHANGED,
        ("RETRIES = 3", "RETRIES = 4"),
        says="4",
    ),
    case(
        "a pattern that is only a comment now",
        {"type": "pattern", "pattern": "RETRIES = 3", "path": PATH},
        CHANGED,
        ("RETRIES = 3", "# RETRIES = 3"),
    ),
    case(
        "a regular expression",
        {"type": "pattern", "pattern": r"days > \d+", "regex": True, "path": PATH},
        HOLDS,
        ("days > 14", "days > 21"),
    ),
)
