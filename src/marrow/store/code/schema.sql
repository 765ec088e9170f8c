-- The map of one checkout. A symbol's id is its file's id and its number in the file, which stays while the file changes
-- (`id = file << 20 | number`); `at` is its place in the file's list as it is now.

CREATE TABLE about (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  language TEXT NOT NULL,
  package TEXT NOT NULL DEFAULT '',
  size INTEGER NOT NULL DEFAULT 0,
  mtime INTEGER NOT NULL DEFAULT 0,
  hash BLOB,
  state TEXT NOT NULL,      -- mapped, kept (not parsed, its last map stays), skipped, plain (not of a known language)
  reason TEXT NOT NULL DEFAULT '',
  errors INTEGER NOT NULL DEFAULT 0,
  lines INTEGER NOT NULL DEFAULT 0,
  numbers INTEGER NOT NULL DEFAULT 0,   -- how many numbers were given to its symbols
  changed INTEGER NOT NULL DEFAULT 0,   -- when a change of it was last seen; 0: not since the first map
  stale INTEGER NOT NULL DEFAULT 0      -- its calls are to be resolved again
);

CREATE TABLE texts (
  file INTEGER PRIMARY KEY,
  outline BLOB NOT NULL,
  calls BLOB NOT NULL
);

-- The resolved calls of a file.
CREATE TABLE edges (file INTEGER PRIMARY KEY, links BLOB NOT NULL);

CREATE TABLE symbols (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  within TEXT NOT NULL,
  kind TEXT NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  parent INTEGER,
  at INTEGER NOT NULL,
  flags INTEGER NOT NULL DEFAULT 0,
  born INTEGER NOT NULL DEFAULT 0,      -- when it was first seen; 0: by the first map
  since INTEGER NOT NULL DEFAULT 0      -- when it was first seen as it is now
);

-- Who calls a symbol: one row for each file that does, with the places in it.
CREATE TABLE incoming (target INTEGER NOT NULL, source INTEGER NOT NULL, places BLOB NOT NULL);

-- Calls that were not resolved: the files that hold some, by the last name.
CREATE TABLE loose (name TEXT PRIMARY KEY, files BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE extends (above INTEGER NOT NULL, below INTEGER NOT NULL, PRIMARY KEY (above, below)) WITHOUT ROWID;

-- What a symbol was before: its last version before each change, and what became of it.
CREATE TABLE history (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  qualified TEXT NOT NULL,
  kind TEXT NOT NULL,
  signature TEXT NOT NULL,
  hash TEXT NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  became TEXT NOT NULL,     -- modified, deleted, renamed, moved
  to_path TEXT NOT NULL DEFAULT '',
  to_qualified TEXT NOT NULL DEFAULT ''
);
CREATE INDEX history_by_time ON history (last);
CREATE INDEX history_by_place ON history (path, qualified);

-- What was observed at run time: for and against a call from one symbol to another.
CREATE TABLE seen (
  caller INTEGER NOT NULL,
  target INTEGER NOT NULL,
  line INTEGER NOT NULL,
  times INTEGER NOT NULL DEFAULT 0,
  against INTEGER NOT NULL DEFAULT 0,
  last INTEGER NOT NULL,
  PRIMARY KEY (target, caller)
) WITHOUT ROWID;
CREATE INDEX seen_by_caller ON seen (caller);
