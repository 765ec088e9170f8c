-- name: about
SELECT value FROM about WHERE key = ?

-- name: set_about
INSERT INTO about (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: files
SELECT id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale FROM files

-- name: file_at
SELECT id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale
FROM files WHERE path = ?

-- name: file_by_id
SELECT id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale
FROM files WHERE id = ?

-- name: files_below
SELECT id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale
FROM files WHERE path > ? AND path < ? ORDER BY path

-- name: files_named
SELECT id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale
FROM files WHERE path = ? OR path GLOB ? LIMIT 100

-- name: files_changed
SELECT id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale
FROM files WHERE changed > ? ORDER BY path

-- name: files_stale
SELECT id FROM files WHERE stale ORDER BY path LIMIT ?

-- name: stale_count
SELECT count(*) FROM files WHERE stale

-- name: states
SELECT state, reason, count(*) FROM files GROUP BY state, reason ORDER BY count(*) DESC

-- name: languages
SELECT language, count(*), sum(lines) FROM files WHERE state IN ('mapped', 'kept') GROUP BY language
ORDER BY count(*) DESC

-- name: last_file
SELECT coalesce(max(id), 0) FROM files

-- name: outline
SELECT outline FROM texts WHERE file = ?

-- name: calls
SELECT calls FROM texts WHERE file = ?

-- name: edges
SELECT links FROM edges WHERE file = ?

-- name: symbols_named
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20 WHERE s.name = ? LIMIT ?

-- name: symbols_qualified
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20 WHERE s.name = ? AND s.within = ? LIMIT ?

-- name: symbols_ending
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20
WHERE s.name = ?1 AND substr(s.within, -length(?2) - 1) = '.' || ?2 LIMIT ?3

-- name: symbols_beginning
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20 WHERE s.name >= ? AND s.name < ? LIMIT ?

-- name: symbols_of_file
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20 WHERE s.id >= ? << 20 AND s.id < (? + 1) << 20 ORDER BY s.at

-- name: symbol
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20 WHERE s.id = ?

-- name: places_of_name
SELECT id >> 20, at FROM symbols WHERE name = ? LIMIT ?

-- name: places_within
SELECT id >> 20, at FROM symbols
WHERE name = ?1 AND (within = ?2 OR (?2 <> '' AND substr(within, -length(?2) - 1) = '.' || ?2)) LIMIT ?3

-- name: kinds
SELECT kind, count(*) FROM symbols GROUP BY kind ORDER BY count(*) DESC

-- name: symbol_counts
SELECT id >> 20, count(*) FROM symbols WHERE id >= ? << 20 AND id < (? + 1) << 20 GROUP BY id >> 20

-- name: orphans
SELECT s.id, f.path, s.name, s.within, s.kind, s.start, s.stop, s.parent, s.at, s.flags, s.born, s.since
FROM symbols s JOIN files f ON f.id = s.id >> 20
WHERE s.kind IN ('function', 'method', 'constructor', 'macro') AND NOT s.flags AND f.path > ? AND f.path < ?
  AND NOT EXISTS (SELECT 1 FROM incoming i WHERE i.target = s.id)
  AND NOT EXISTS (SELECT 1 FROM seen o WHERE o.target = s.id AND o.times > o.against)
ORDER BY f.path, s.at

-- name: incoming
SELECT source, places FROM incoming WHERE target = ?

-- name: incoming_count
SELECT coalesce(sum(length(places) / 8), 0) FROM incoming WHERE target = ?

-- name: most_called
SELECT target, sum(length(places) / 8) AS calls FROM incoming GROUP BY target ORDER BY calls DESC, target LIMIT ?

-- name: sources_into
SELECT DISTINCT source FROM incoming WHERE target >= ? << 20 AND target < (? + 1) << 20

-- name: incoming_of_file
SELECT target, source, places FROM incoming WHERE target >= ? << 20 AND target < (? + 1) << 20

-- name: loose
SELECT files FROM loose WHERE name = ?

-- name: above
SELECT above FROM extends WHERE below = ?

-- name: below
SELECT below FROM extends WHERE above = ?

-- name: seen_of_target
SELECT caller, target, line, times, against, last FROM seen WHERE target = ?

-- name: seen_of_caller
SELECT caller, target, line, times, against, last FROM seen WHERE caller = ?

-- name: versions_at
SELECT path, qualified, kind, signature, hash, start, stop, first, last, became, to_path, to_qualified
FROM history WHERE path = ? AND qualified = ? ORDER BY last

-- name: versions_since
SELECT path, qualified, kind, signature, hash, start, stop, first, last, became, to_path, to_qualified
FROM history WHERE last > ? ORDER BY last, id

-- name: versions_into
SELECT path, qualified, kind, signature, hash, start, stop, first, last, became, to_path, to_qualified
FROM history WHERE to_path = ? AND to_qualified = ? ORDER BY last

-- name: add_file
INSERT INTO files (id, path, language, package, size, mtime, hash, state, reason, errors, lines, numbers, changed, stale)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: change_file
UPDATE files SET language = ?2, package = ?3, size = ?4, mtime = ?5, hash = ?6, state = ?7, reason = ?8, errors = ?9,
  lines = ?10, numbers = ?11, changed = ?12, stale = 0 WHERE id = ?1

-- name: mark_file
UPDATE files SET size = ?2, mtime = ?3, hash = ?4, state = ?5, reason = ?6 WHERE id = ?1

-- name: touch_file
UPDATE files SET mtime = ? WHERE id = ?

-- name: rename_file
UPDATE files SET path = ?2, changed = ?3 WHERE id = ?1

-- name: set_stale
UPDATE files SET stale = ? WHERE id = ?

-- name: drop_file
DELETE FROM files WHERE id = ?

-- name: drop_text
DELETE FROM texts WHERE file = ?

-- name: drop_edges
DELETE FROM edges WHERE file = ?

-- name: drop_symbols
DELETE FROM symbols WHERE id >= ? << 20 AND id < (? + 1) << 20

-- name: drop_symbol
DELETE FROM symbols WHERE id = ?

-- name: add_text
INSERT INTO texts (file, outline, calls) VALUES (?, ?, ?)

-- name: change_text
INSERT INTO texts (file, outline, calls) VALUES (?, ?, ?)
ON CONFLICT (file) DO UPDATE SET outline = excluded.outline, calls = excluded.calls

-- name: set_edges
INSERT INTO edges (file, links) VALUES (?, ?) ON CONFLICT (file) DO UPDATE SET links = excluded.links

-- name: add_symbol
INSERT INTO symbols (id, name, within, kind, start, stop, parent, at, flags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_symbol
INSERT OR REPLACE INTO symbols (id, name, within, kind, start, stop, parent, at, flags, born, since)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: add_incoming
INSERT INTO incoming (target, source, places) VALUES (?, ?, ?)

-- name: drop_incoming
DELETE FROM incoming WHERE target = ? AND source = ?

-- name: drop_incoming_of_symbol
DELETE FROM incoming WHERE target = ?

-- name: put_loose
INSERT INTO loose (name, files) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET files = excluded.files

-- name: drop_loose
DELETE FROM loose WHERE name = ?

-- name: add_extends
INSERT OR IGNORE INTO extends (above, below) VALUES (?, ?)

-- name: drop_extends_below
DELETE FROM extends WHERE below >= ? << 20 AND below < (? + 1) << 20

-- name: drop_extends_above
DELETE FROM extends WHERE above = ?

-- name: add_version
INSERT INTO history (path, qualified, kind, signature, hash, start, stop, first, last, became, to_path, to_qualified)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: move_history
UPDATE history SET path = iif(path = ?1, ?2, path), to_path = iif(to_path = ?1, ?2, to_path)
WHERE path = ?1 OR to_path = ?1

-- name: see
INSERT INTO seen (caller, target, line, times, against, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (target, caller) DO UPDATE SET times = times + ?4, against = against + ?5, last = ?6, line = ?3

-- name: forget_seen_target
DELETE FROM seen WHERE target = ?

-- name: forget_seen_caller
DELETE FROM seen WHERE caller = ?
