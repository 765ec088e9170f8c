"""C."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH = "src/ring.c"
SOURCE = """#include "ring.h"

#define RING_SIZE 256

static int count = 0;

/* Puts one byte in. */
int ring_put(struct ring *r, unsigned char b) {
    if (r->used == RING_SIZE)
        return -1;
    r->data[(r->head + r->used) % RING_SIZE] = b;
    r->used++;
    return 0;
}

int ring_get(struct ring *r, unsigned char *b) {
    if (!r->used) return -1;
    *b = r->data[r->head];
    r->head = (r->head + 1) % RING_SIZE;
    r->used--;
    return 0;
}
"""
LAID_OUT = """#include "ring.h"

#define RING_SIZE   256

static int count = 0;

/* Puts one byte in, at the end. */
int ring_put(struct ring *r, unsigned char b)
{
  if (r->used == RING_SIZE) return -1; /* full */
  r->data[(r->head + r->used) % RING_SIZE] = b;
  r->used++;
  return (0);
}

int ring_get(struct ring *r,
             unsigned char *b)
{
  if (!r->used)
    return -1;
  *b = r->data[r->head];
  r->head = (r->head + 1) % RING_SIZE;
  r->used--;
  return 0;
}
"""
FILES = {PATH: SOURCE}
PUT = {"type": "symbol", "symbol": "ring_put", "path": PATH}


def case(name: str, anchor: object, verdict: str, *edits: tuple[str, str], says: str = "", now: str = "") -> Case:
    return Case(f"c: {name}", anchor, verdict, FILES, tuple((PATH, *edit) for edit in edits), says=says, now=now)


CASES = (
    Case("c: layout of a function", PUT, HOLDS, FILES, after={PATH: LAID_OUT}),
    Case("c: layout of lines", f"{PATH}:17-20", MOVED, FILES, after={PATH: LAID_OUT}),
    case("an index", PUT, CHANGED, ("(r->head + r->used)", "(r->head - r->used)"), says="-"),
    case(
        "a returned value", PUT, CHANGED, ("RING_SIZE)\n        return -1", "RING_SIZE)\n        return -2"), says="-2"
    ),
    case("a definition", f"{PATH}:3", CHANGED, ("RING_SIZE 256", "RING_SIZE 512"), says="512"),
    case("a function by another name", PUT, MOVED, ("int ring_put(", "int ring_push("), now="ring_push"),
    case(
        "a function taken out",
        {"type": "symbol", "symbol": "ring_get"},
        GONE,
        (SOURCE[SOURCE.index("int ring_get") :], ""),
    ),
)
