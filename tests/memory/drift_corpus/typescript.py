"""TypeScript, as prettier and people change it."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH = "web/cart.ts"
SOURCE = """import { api } from './api'

export const LIMIT = 20

/** One line of the cart. */
export interface Line { sku: string; count: number }

// sums up
export function total(lines: Line[], tax = 0.19): number {
  const net = lines.map(l => l.count * price(l.sku)).reduce((a, b) => a + b, 0)
  if (net > 100 && tax > 0) return net * (1 + tax)
  return net
}

export class Cart {
  private lines: Line[] = []

  add(sku: string, count = 1) {
    if (count <= 0) throw new Error('count must be positive')
    this.lines.push({ 'sku': sku, count })
  }

  async send() {
    await api.post('/cart', { lines: this.lines })
  }
}
"""
PRETTIER = """import { api } from "./api";

export const LIMIT = 20;

/** One line of the cart, as it is sent. */
export interface Line {
    sku: string;
    count: number;
}

export function total(
    lines: Line[],
    tax = 0.19,
): number {
    const net = lines
        .map((l) => l.count * price(l.sku))
        .reduce((a, b) => a + b, 0);
    if (net > 100 && tax > 0) return net * (1 + tax);
    return net;
}

export class Cart {
    private lines: Line[] = [];

    add(sku: string, count = 1) {
        if (count <= 0) throw new Error("count must be positive");
        this.lines.push({ sku: sku, count });
    }

    async send() {
        await api.post("/cart", { lines: this.lines });
    }
}
"""
FILES = {PATH: SOURCE}
TOTAL = {"type": "symbol", "symbol": "total", "path": PATH}
ADD = {"type": "symbol", "symbol": "Cart.add", "path": PATH}
LINE = {"type": "symbol", "symbol": "Line", "path": PATH}


def case(name: str, anchor: object, verdict: str, *edits: tuple[str, str], says: str = "", now: str = "") -> Case:
    return Case(
        f"typescript: {name}", anchor, verdict, FILES, tuple((PATH, *edit) for edit in edits), says=says, now=now
    )


def whole(name: str, anchor: object, verdict: str) -> Case:
    return Case(f"typescript: {name}", anchor, verdict, FILES, after={PATH: PRETTIER})


CASES = (
    whole("prettier leaves a function as it was", TOTAL, HOLDS),
    whole("prettier leaves a method as it was", ADD, HOLDS),
    whole("prettier leaves an interface as it was", LINE, HOLDS),
    whole("prettier only moves lines", f"{PATH}:10-12", MOVED),
    case("a comment", TOTAL, HOLDS, ("// sums up", "// adds up\n// what is in the cart")),
    case("a default", ADD, CHANGED, ("count = 1", "count = 2"), says="2"),
    case("a condition", ADD, CHANGED, ("count <= 0", "count < 0"), says="<"),
    case("a type", LINE, CHANGED, ("count: number }", "count: string }"), says="string"),
    case(
        "a template instead of a string",
        {"type": "symbol", "symbol": "Cart.send"},
        CHANGED,
        ("'/cart'", "'/carts'"),
        says="/carts",
    ),
    case(
        "a constant",
        {"type": "symbol", "symbol": "LIMIT"},
        CHANGED,
        ("LIMIT = 20", "LIMIT = 25"),
        says="LIMIT = 20 -> 25",
    ),
    case("a method by another name", ADD, MOVED, ("  add(", "  put("), now="Cart.put"),
    case(
        "a method taken out",
        {"type": "symbol", "symbol": "Cart.send"},
        GONE,
        (
            "  async send() {\n    await api.post('/cart', { lines: this.lines })\n  }\n",
            "",
        ),
    ),
    case("no longer waited for", {"type": "symbol", "symbol": "Cart.send"}, CHANGED, ("await api", "void api")),
)
