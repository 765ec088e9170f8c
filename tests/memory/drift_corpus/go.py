"""Go, as gofmt and people change it."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH = "server/pool.go"
SOURCE = """package server

import "time"

const maxIdle = 10

// Pool keeps connections.
type Pool struct {
	size int
	idle time.Duration
}

// Get gives a connection, or waits for one.
func (p *Pool) Get(wait bool) (*Conn, error) {
	for i := 0; i < p.size; i++ {
		if c := p.free(i); c != nil {
			return c, nil
		}
	}
	if !wait {
		return nil, ErrFull
	}
	return p.waitFor(30 * time.Second)
}

func closeAll(conns []*Conn) {
	for _, c := range conns {
		c.Close()
	}
}
"""
UNFORMATTED = """package server

import "time"

const maxIdle   =   10

// Pool keeps connections, and closes those that are idle.
type Pool struct {
  size   int
  idle   time.Duration
}

func (p *Pool) Get(
	wait bool,
) (*Conn, error) {
  for i := 0; i<p.size; i++ {
    if c := p.free(i); (c != nil) { return c, nil }
  }
  // nobody waits for ever
  if !wait { return nil, ErrFull }
  return p.waitFor(30*time.Second)
}

func closeAll(conns []*Conn) { for _, c := range conns { c.Close() } }
"""
FILES = {PATH: SOURCE}
GET = {"type": "symbol", "symbol": "Pool.Get", "path": PATH}
CLOSE = {"type": "symbol", "symbol": "closeAll", "path": PATH}


def case(name: str, anchor: object, verdict: str, *edits: tuple[str, str], says: str = "", now: str = "") -> Case:
    return Case(f"go: {name}", anchor, verdict, FILES, tuple((PATH, *edit) for edit in edits), says=says, now=now)


CASES = (
    Case("go: layout of a method", GET, HOLDS, FILES, after={PATH: UNFORMATTED}),
    Case("go: layout of a function", CLOSE, HOLDS, FILES, after={PATH: UNFORMATTED}),
    Case("go: layout of a type", {"type": "symbol", "symbol": "Pool"}, HOLDS, FILES, after={PATH: UNFORMATTED}),
    Case("go: layout of lines", f"{PATH}:14-23", MOVED, FILES, after={PATH: UNFORMATTED}),
    case("a duration", GET, CHANGED, ("30 * time.Second", "30 * time.Minute"), says="Minute"),
    case("a constant", {"type": "symbol", "symbol": "maxIdle"}, CHANGED, ("maxIdle = 10", "maxIdle = 20"), says="20"),
    case("a condition turned round", GET, CHANGED, ("if !wait {", "if wait {")),
    case("a field", {"type": "symbol", "symbol": "Pool"}, CHANGED, ("size int", "size int64"), says="int64"),
    case("a function by another name", CLOSE, MOVED, ("func closeAll(", "func shutAll("), now="shutAll"),
    case("a function taken out", CLOSE, GONE, (SOURCE[SOURCE.index("func closeAll") :], "")),
)
