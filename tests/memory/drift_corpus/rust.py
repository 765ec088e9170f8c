"""Rust, as rustfmt and people change it."""

from __future__ import annotations

from .case import CHANGED, GONE, HOLDS, MOVED, Case

PATH = "src/cache.rs"
SOURCE = """use std::collections::HashMap;

pub const CAPACITY: usize = 64;

/// Keeps what was used last.
pub struct Cache { items: HashMap<String, u64>, hits: u64 }

impl Cache {
    /// What is kept for a key.
    pub fn get(&mut self, key: &str) -> Option<u64> {
        match self.items.get(key) {
            Some(v) => { self.hits += 1; Some(*v) }
            None => None,
        }
    }

    pub fn put(&mut self, key: String, value: u64) -> bool {
        if self.items.len() >= CAPACITY { return false; }
        self.items.insert(key, value).is_none()
    }
}

fn weight(n: u64) -> u64 { n.checked_mul(3).map_or(0, |x| { x + 1 }) }
"""
FORMATTED = """use std::collections::HashMap;

pub const CAPACITY: usize = 64;

/// Keeps what was used last, and counts.
pub struct Cache {
    items: HashMap<String, u64>,
    hits: u64,
}

impl Cache {
    pub fn get(&mut self, key: &str) -> Option<u64> {
        match self.items.get(key) {
            // found
            Some(v) => {
                self.hits += 1;
                Some(*v)
            }
            None => None,
        }
    }

    pub fn put(
        &mut self,
        key: String,
        value: u64,
    ) -> bool {
        if self.items.len() >= CAPACITY {
            return false;
        }
        self.items
            .insert(key, value)
            .is_none()
    }
}

fn weight(n: u64) -> u64 {
    n.checked_mul(3).map_or(0, |x| x + 1)
}
"""
FILES = {PATH: SOURCE}
GET = {"type": "symbol", "symbol": "Cache.get", "path": PATH}
PUT = {"type": "symbol", "symbol": "Cache.put", "path": PATH}
WEIGHT = {"type": "symbol", "symbol": "weight", "path": PATH}


def case(name: str, anchor: object, verdict: str, *edits: tuple[str, str], says: str = "", now: str = "") -> Case:
    return Case(f"rust: {name}", anchor, verdict, FILES, tuple((PATH, *edit) for edit in edits), says=says, now=now)


CASES = (
    Case("rust: layout of a method", PUT, HOLDS, FILES, after={PATH: FORMATTED}),
    Case("rust: layout of a match", GET, HOLDS, FILES, after={PATH: FORMATTED}),
    Case("rust: layout of a closure", WEIGHT, HOLDS, FILES, after={PATH: FORMATTED}),
    Case("rust: layout of a struct", {"type": "symbol", "symbol": "Cache"}, HOLDS, FILES, after={PATH: FORMATTED}),
    case("a comparison", PUT, CHANGED, (">= CAPACITY", "> CAPACITY"), says="> CAPACITY"),
    case("a constant", {"type": "symbol", "symbol": "CAPACITY"}, CHANGED, ("usize = 64", "usize = 128"), says="128"),
    case("a value that is thrown away", PUT, CHANGED, (".is_none()\n    }", ".is_none();\n        true\n    }")),
    case("a function by another name", WEIGHT, MOVED, ("fn weight(", "fn heft("), now="heft"),
    case("a function taken out", WEIGHT, GONE, (SOURCE[SOURCE.index("fn weight") :], "")),
)
