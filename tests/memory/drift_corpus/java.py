"""Java."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH = "src/main/java/shop/Ledger.java"
SOURCE = """package shop;

/** Books amounts. */
public class Ledger {
    private static final int LIMIT = 100;

    private long balance = 0;

    /** Books an amount. */
    public boolean book(long amount, String reason) {
        if (amount > LIMIT || reason.isEmpty()) {
            return false; // refused
        }
        balance += amount;
        return true;
    }

    public long balance() {
        return balance;
    }
}
"""
LAID_OUT = """package shop;

public class Ledger
{
  private static final int LIMIT = 100;
  private long balance = 0;

  /**
   * Books an amount, unless it is too large.
   */
  public boolean book(
      long amount,
      String reason)
  {
    if ((amount > LIMIT) || reason.isEmpty())
    {
      return false;
    }

    balance += amount;
    return (true);
  }

  public long balance() { return balance; }
}
"""
FILES = {PATH: SOURCE}
BOOK = {"type": "symbol", "symbol": "Ledger.book", "path": PATH}


def case(name: str, anchor: object, verdict: str, *edits: tuple[str, str], says: str = "", now: str = "") -> Case:
    return Case(f"java: {name}", anchor, verdict, FILES, tuple((PATH, *edit) for edit in edits), says=says, now=now)


CASES = (
    Case("java: layout of a method", BOOK, HOLDS, FILES, after={PATH: LAID_OUT}),
    Case("java: layout of lines", f"{PATH}:11-15", MOVED, FILES, after={PATH: LAID_OUT}),
    case("an operator", BOOK, CHANGED, ("balance += amount", "balance -= amount"), says="-="),
    case(
        "a limit", {"type": "symbol", "symbol": "Ledger.LIMIT"}, CHANGED, ("LIMIT = 100", "LIMIT = 1000"), says="1000"
    ),
    case("an annotation", BOOK, CHANGED, ("    public boolean book", "    @Deprecated\n    public boolean book")),
    case("a method by another name", BOOK, MOVED, ("boolean book(", "boolean enter("), now="Ledger.enter"),
    case(
        "a method taken out",
        {"type": "symbol", "symbol": "Ledger.book", "path": PATH},
        GONE,
        (
            SOURCE[SOURCE.index("    /** Books an") : SOURCE.index("    public long balance()")],
            "",
        ),
    ),
)
