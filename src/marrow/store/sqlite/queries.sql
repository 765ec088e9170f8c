-- Every statement that the SQLite store runs has a name here; the method that runs it has the same name.

-- name: namespace
SELECT id, seq, at, hash, root FROM namespaces WHERE name = ?

-- name: schema_version
PRAGMA schema_version

-- name: heads
SELECT id, seq, hash FROM namespaces ORDER BY id

-- name: add_namespace
INSERT INTO namespaces (name, hash, root) VALUES (?, ?, ?) RETURNING id

-- name: namespaces
SELECT name FROM namespaces ORDER BY name

-- name: project
SELECT id FROM projects WHERE namespace = ? AND name = ?

-- name: add_project
INSERT INTO projects (namespace, name) VALUES (?, ?) RETURNING id

-- name: project_ids
SELECT p.id, p.name FROM projects p JOIN namespaces n ON n.id = p.namespace WHERE n.name = ? ORDER BY p.id

-- name: projects
SELECT p.id, p.name,
       (SELECT json_group_array(a.alias) FROM project_aliases a WHERE a.project = p.id),
       (SELECT count(*) FROM entries e JOIN standings s ON s.entry = e.id AND s.until = 4611686018427387904
         WHERE e.id BETWEEN p.id << 32 AND (p.id << 32) + 4294967295 AND s.state = 'active'),
       (SELECT count(*) FROM entries e WHERE e.id BETWEEN p.id << 32 AND (p.id << 32) + 4294967295),
       (SELECT coalesce(max(e.last_at), 0) FROM entries e WHERE e.id BETWEEN p.id << 32 AND (p.id << 32) + 4294967295)
  FROM projects p JOIN namespaces n ON n.id = p.namespace WHERE n.name = ? ORDER BY p.name

-- name: project_named
SELECT p.name FROM projects p JOIN namespaces n ON n.id = p.namespace WHERE n.name = :namespace AND p.name = :name
UNION ALL
SELECT p.name FROM project_aliases a JOIN projects p ON p.id = a.project JOIN namespaces n ON n.id = a.namespace
 WHERE n.name = :namespace AND a.alias = :name LIMIT 1

-- name: add_alias
INSERT INTO project_aliases (namespace, alias, project) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: next_entry
SELECT max(p.next, coalesce((SELECT e.id FROM entries e
                              WHERE e.id BETWEEN p.id << 32 AND (p.id << 32) + 4294967295 ORDER BY e.id DESC LIMIT 1)
                            - (p.id << 32), 0) + 1) FROM projects p WHERE p.id = ?

-- name: keep_next_entry
UPDATE projects SET next = max(next, (:entry & 4294967295) + 1) WHERE id = :entry >> 32

-- name: next_node
SELECT coalesce(max(id), 0) + 1 FROM nodes

-- name: node_and_entry
-- No join, here and in `buckets`: starting one costs more than all the rest of such a small question.
SELECT n.address, n.id, (SELECT e.id FROM entries e WHERE e.node = n.id AND e.id BETWEEN ?1 AND ?2)
  FROM nodes n WHERE n.namespace = ?3 AND n.address = ?4

-- name: add_node
INSERT INTO nodes (id, namespace, address, kind, content) VALUES (?, ?, ?, ?, ?)

-- name: add_input
INSERT INTO inputs (node, input) VALUES (?, ?)

-- name: add_entry
INSERT INTO entries (id, node, first_at, last_at) VALUES (?, ?, ?, ?)

-- name: stretch_entry
UPDATE entries SET first_at = min(first_at, :at), last_at = max(last_at, :at) WHERE id = :entry

-- name: add_occurrence
INSERT INTO occurrences (entry, id, seq, at, thread, user, service, source, chain, metadata)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: close_standing
UPDATE standings SET until = :seq, leaf = NULL WHERE entry = :entry AND until = 4611686018427387904

-- name: drop_standing
DELETE FROM standings WHERE entry = :entry AND start = :seq

-- name: open_standing
INSERT INTO standings VALUES (?, ?, 4611686018427387904, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: addresses
SELECT lower(hex(n.address)) FROM nodes n JOIN namespaces s ON s.id = n.namespace
 WHERE s.name = :namespace AND n.address >= :low AND n.address <= :high
   AND (:projects IS NULL OR EXISTS (SELECT 1 FROM entries e, json_each(:projects) p
                                      WHERE e.node = n.id AND e.id >> 32 = p.value))
 ORDER BY n.address LIMIT :limit

-- name: records_of_addresses
SELECT e.id, p.name,
       -- As of an earlier moment, only what had been said by then counts.
       coalesce(iif(:seq = 4611686018427387903, NULL, (SELECT min(o.at) FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq)), e.first_at),
       coalesce(iif(:seq = 4611686018427387903, NULL, (SELECT max(o.at) FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq)), e.last_at), s.*,
       n.kind, n.content, n.address, (SELECT json_group_array(lower(hex(i.input))) FROM inputs i WHERE i.node = n.id)
  FROM json_each(:addresses) a
  CROSS JOIN nodes n ON n.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND n.address = unhex(a.value)
  JOIN entries e ON e.node = n.id
  JOIN projects p ON p.id = e.id >> 32
  JOIN standings s ON s.entry = e.id AND s.start <= :seq AND s.until > :seq
 WHERE :projects IS NULL OR p.id IN (SELECT value FROM json_each(:projects))
 ORDER BY a.key, p.name

-- Their nodes are read by the next: what an entry says never changes, and may be known.
-- name: records_of_entries
SELECT e.id, p.name,
       -- As of an earlier moment, only what had been said by then counts.
       coalesce(iif(:seq = 4611686018427387903, NULL, (SELECT min(o.at) FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq)), e.first_at),
       coalesce(iif(:seq = 4611686018427387903, NULL, (SELECT max(o.at) FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq)), e.last_at), s.*
  FROM json_each(:entries) a
  CROSS JOIN entries e ON e.id = a.value
  JOIN projects p ON p.id = e.id >> 32
  JOIN standings s ON s.entry = e.id AND s.start <= :seq AND s.until > :seq

-- name: nodes_of_entries
SELECT e.id, n.kind, n.content, n.address,
       (SELECT json_group_array(lower(hex(i.input))) FROM inputs i WHERE i.node = n.id)
  FROM json_each(?) a
  CROSS JOIN entries e ON e.id = a.value
  JOIN nodes n ON n.id = e.node

-- name: text_of_entry
SELECT e.id, (SELECT n.address FROM nodes n WHERE n.id = e.node), (SELECT n.content FROM nodes n WHERE n.id = e.node)
  FROM entries e WHERE e.id = ?

-- name: kinds_of_entries
SELECT e.id, n.kind FROM json_each(?) a CROSS JOIN entries e ON e.id = a.value JOIN nodes n ON n.id = e.node

-- name: placed
SELECT g.value, e.id FROM json_each(:addresses) g
 CROSS JOIN nodes n ON n.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND n.address = unhex(g.value)
  JOIN entries e ON e.node = n.id

-- name: select_entries
SELECT e.id FROM projects p
  JOIN entries e ON e.id BETWEEN p.id << 32 AND (p.id << 32) + 4294967295
  JOIN standings s ON s.entry = e.id AND s.start <= :seq AND s.until > :seq
  JOIN nodes n ON n.id = e.node
 WHERE p.namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (:projects IS NULL OR p.id IN (SELECT value FROM json_each(:projects)))
   AND (:include_superseded OR (s.state = 'active' AND (s.expires_at IS NULL OR s.expires_at > :now)))
   AND (:kinds IS NULL OR n.kind IN (SELECT value FROM json_each(:kinds)))
   AND (:domains IS NULL OR s.domain IN (SELECT value FROM json_each(:domains)))
   AND (:tags IS NULL OR (s.tags <> '[]'
                          AND (SELECT count(DISTINCT fold(t.value)) FROM json_each(s.tags) t
                                WHERE fold(t.value) IN (SELECT value FROM json_each(:tags))) >= :tags_least))
   AND s.confidence >= :min_confidence
   AND (:classification = '' OR s.classification = :classification)
   AND (:pinned IS NULL OR s.pinned = :pinned)
   AND (:approved IS NULL OR s.approved = :approved)
   AND (:path = '' OR EXISTS (SELECT 1 FROM anchors a WHERE a.entry = e.id AND a.start <= :seq AND a.until > :seq
                                 AND a.type IN ('file', 'lines')
                                 AND (a.target = :path OR substr(a.target, 1, length(:folder)) = :folder))
                   OR EXISTS (SELECT 1 FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq
                                 AND json_type(o.metadata, '$.path') = 'text'
                                 AND (o.metadata ->> '$.path' = :path
                                      OR substr(o.metadata ->> '$.path', 1, length(:folder)) = :folder)))
   AND (NOT :about_saying OR EXISTS (
        SELECT 1 FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq
           AND (:service = '' OR o.service = :service)
           AND (:user = '' OR o.user = :user)
           AND (:thread = '' OR o.thread = :thread)
           AND (:since IS NULL OR o.at >= :since)
           AND (:until IS NULL OR o.at <= :until)
           AND (:metadata IS NULL OR has_fields(o.metadata, :metadata))))
 ORDER BY coalesce(iif(:seq = 4611686018427387903, NULL,
                       (SELECT max(o.at) FROM occurrences o WHERE o.entry = e.id AND o.seq <= :seq)), e.last_at) DESC,
          e.id DESC LIMIT :limit OFFSET :offset

-- name: occurrences
SELECT o.entry, o.at, o.thread, o.user, o.service, o.source, o.chain, o.metadata
  FROM json_each(:entries) a CROSS JOIN occurrences o ON o.entry = a.value
 WHERE o.seq <= :seq ORDER BY a.key, o.at, o.id

-- name: intervals
SELECT * FROM standings WHERE entry = ? ORDER BY start

-- name: made_from
SELECT lower(hex(n.address)) FROM inputs i CROSS JOIN nodes n ON n.id = i.node JOIN namespaces s ON s.id = n.namespace
 WHERE s.name = ? AND i.input = ? ORDER BY n.address

-- name: threaded
SELECT DISTINCT entry FROM occurrences WHERE thread <> '' AND entry IN (SELECT value FROM json_each(?))

-- name: neighbours
SELECT mine.entry,
       (SELECT json_group_array(entry) FROM (
            SELECT DISTINCT b.entry FROM occurrences b WHERE b.thread = mine.thread AND b.thread <> '' AND b.entry < mine.entry
               AND b.entry >= (mine.entry >> 32) << 32 ORDER BY b.entry DESC LIMIT :reach)),
       (SELECT json_group_array(entry) FROM (
            SELECT DISTINCT b.entry FROM occurrences b WHERE b.thread = mine.thread AND b.thread <> '' AND b.entry > mine.entry
               AND b.entry < ((mine.entry >> 32) + 1) << 32 ORDER BY b.entry LIMIT :reach))
  FROM (SELECT DISTINCT entry, thread FROM occurrences
         WHERE thread <> '' AND entry IN (SELECT value FROM json_each(:entries))) mine

-- name: links
SELECT lower(hex(a.address)), lower(hex(b.address)), l.rel, p.name, l.at, l.until <> 4611686018427387904
  FROM links l
  JOIN nodes a ON a.id = l.source
  JOIN nodes b ON b.id = l.target
  JOIN projects p ON p.id = l.project
 WHERE l.id IN (
       SELECT l.id FROM json_each(:addresses) g CROSS JOIN nodes n
           ON n.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND n.address = unhex(g.value)
         JOIN links l ON l.source = n.id
       UNION ALL
       SELECT l.id FROM json_each(:addresses) g CROSS JOIN nodes n
           ON n.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND n.address = unhex(g.value)
         JOIN links l ON l.target = n.id)
   AND l.start <= :seq AND l.until > :seq
   AND (:projects IS NULL OR p.id IN (SELECT value FROM json_each(:projects)))
 ORDER BY l.id

-- name: all_links
SELECT lower(hex(a.address)), lower(hex(b.address)), l.rel, p.name, coalesce(l.ended_at, l.at),
       l.until <> 4611686018427387904
  FROM links l
  JOIN nodes a ON a.id = l.source
  JOIN nodes b ON b.id = l.target
  JOIN projects p ON p.id = l.project
 WHERE p.namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (:projects IS NULL OR p.id IN (SELECT value FROM json_each(:projects)))
   AND l.id = (SELECT max(m.id) FROM links m WHERE m.source = l.source AND m.rel = l.rel AND m.target = l.target
                                               AND m.project = l.project)
 ORDER BY 1, 2, 3, 4

-- name: link_now
SELECT l.id, l.until, coalesce(l.ended_at, l.at) FROM links l
 WHERE l.source = :source AND l.rel = :rel AND l.target = :target AND l.project = :project ORDER BY l.id DESC LIMIT 1

-- name: open_link
INSERT INTO links (project, source, target, rel, at, start, until) VALUES (?, ?, ?, ?, ?, ?, 4611686018427387904)

-- name: close_link
UPDATE links SET until = :seq, ended_at = :at WHERE id = :id

-- name: node_id
SELECT id FROM nodes WHERE namespace = ? AND address = ?

-- name: anchors
SELECT x.entry, x.type, x.target, x.detail FROM json_each(:entries) a CROSS JOIN anchors x ON x.entry = a.value
 WHERE x.start <= :seq AND x.until > :seq ORDER BY a.key, x.type, x.target, x.detail

-- name: anchor_now
SELECT id FROM anchors WHERE entry = ? AND type = ? AND target = ? AND detail = ? AND until = 4611686018427387904

-- name: open_anchor
INSERT INTO anchors (entry, type, target, detail, start, until) VALUES (?, ?, ?, ?, ?, 4611686018427387904)

-- name: close_anchor
UPDATE anchors SET until = ? WHERE id = ?

-- name: move_head
UPDATE namespaces SET seq = ?, at = ?, hash = ?, root = ? WHERE id = ?

-- name: add_event
INSERT INTO events (namespace, seq, at, actor, operation, layer, summary, project, domain,
                    commitments, salts, addresses, detail, root, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: events_oldest_first
SELECT e.seq, e.at, e.actor, e.operation, e.layer, e.summary, e.project, e.domain,
       e.commitments, e.salts, e.addresses, e.detail, e.root, e.hash,
       coalesce((SELECT b.hash FROM events b WHERE b.namespace = e.namespace AND b.seq = e.seq - 1), zeroblob(32))
  FROM events e WHERE e.namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND e.seq > :after AND e.seq <= :until ORDER BY e.seq LIMIT :limit

-- name: events_latest_first
SELECT e.seq, e.at, e.actor, e.operation, e.layer, e.summary, e.project, e.domain,
       e.commitments, e.salts, e.addresses, e.detail, e.root, e.hash,
       coalesce((SELECT b.hash FROM events b WHERE b.namespace = e.namespace AND b.seq = e.seq - 1), zeroblob(32))
  FROM events e WHERE e.namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND e.seq > :after AND e.seq <= :until ORDER BY e.seq DESC LIMIT :limit

-- name: sequence_at
SELECT coalesce(max(e.seq), 0) FROM events e
 WHERE e.namespace = (SELECT id FROM namespaces WHERE name = ?) AND e.at <= ?

-- name: snapshots
SELECT s.name, s.seq, lower(hex(s.root)), s.at, s.tags, s.note FROM snapshots s
 WHERE s.namespace = (SELECT id FROM namespaces WHERE name = ?) ORDER BY s.seq, s.name

-- name: add_snapshot
INSERT INTO snapshots (namespace, name, seq, root, at, tags, note) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: leaves
SELECT n.address, p.name, s.* FROM nodes n
  JOIN entries e ON e.node = n.id
  JOIN projects p ON p.id = e.id >> 32
  JOIN standings s ON s.entry = e.id AND s.start <= :seq AND s.until > :seq
 WHERE n.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND s.state = 'active'

-- name: buckets
SELECT ?1, (SELECT group_concat((SELECT hex(s.leaf) FROM standings s
                                  WHERE s.entry = e.id AND s.until = 4611686018427387904 AND s.leaf IS NOT NULL))
              FROM entries e WHERE e.node = n.id)
  FROM nodes n WHERE n.namespace = ?2 AND n.address >= ?3 AND n.address <= ?4

-- name: inner
SELECT prefix, children FROM merkle WHERE namespace = ? AND prefix = ?

-- name: grow
INSERT INTO merkle (namespace, prefix, children) VALUES (?, ?, ?)
ON CONFLICT (namespace, prefix) DO UPDATE SET children = excluded.children

-- name: keep_leaf
UPDATE standings SET leaf = CASE state WHEN 'active' THEN :leaf END
 WHERE entry = :entry AND until = 4611686018427387904

-- name: attachments
SELECT a.seq, a.head, a.length, a.chain FROM attachments a
 WHERE a.namespace = (SELECT id FROM namespaces WHERE name = ?) ORDER BY a.seq

-- name: attach
INSERT INTO attachments (namespace, seq, head, length, chain) VALUES (?, ?, ?, ?, ?)

-- As one text: a row for each would take longer. The limit keeps the function where the index can answer it.
-- name: match
SELECT json_group_array(packed) FROM (
    SELECT (rowid - :first) << 8 | min(255, instances(words)) AS packed FROM words
     WHERE words MATCH :query AND rowid BETWEEN :first AND :last LIMIT -1)

-- name: match_within
SELECT json_group_array(packed) FROM (
    SELECT (rowid - :first) << 8 | min(255, instances(words)) AS packed FROM words
     WHERE words MATCH :query AND rowid BETWEEN :first AND :last AND +rowid IN (SELECT value FROM json_each(:within))
     LIMIT -1)

-- name: holders
SELECT json_group_array(rowid - :first) FROM words WHERE words MATCH :query AND rowid BETWEEN :first AND :last

-- name: count_matches
SELECT count(*) FROM words WHERE words MATCH :query AND rowid BETWEEN :first AND :last

-- name: last_words
SELECT max(id) FROM words_docsize WHERE id BETWEEN ? AND ?

-- name: lengths_from
SELECT id, sz FROM words_docsize WHERE id BETWEEN ? AND ? ORDER BY id

-- name: terms_containing
SELECT term FROM temp.vocabulary WHERE term LIKE :pattern ESCAPE '\' LIMIT :limit

-- name: remove_words
DELETE FROM words WHERE rowid = ?

-- name: add_words
INSERT INTO words (rowid, body, names) VALUES (?, ?, ?)

-- name: clear_words
INSERT INTO words (words) VALUES ('delete-all')

-- name: merge_words
INSERT INTO words (words) VALUES ('optimize')

-- name: vectors_from
SELECT entry, vector FROM vectors WHERE entry BETWEEN ? AND ? ORDER BY entry

-- name: vectors_of
SELECT entry, vector FROM vectors WHERE entry IN (SELECT value FROM json_each(?))

-- name: put_vector
INSERT INTO vectors (entry, vector) VALUES (?, ?) ON CONFLICT (entry) DO UPDATE SET vector = excluded.vector

-- name: clear_vectors
DELETE FROM vectors

-- name: clear_refined
DELETE FROM facts WHERE name GLOB 'refined:*'

-- name: refined_marks
SELECT name, value FROM facts WHERE name GLOB 'refined:*'

-- name: last_vector
SELECT max(entry) FROM vectors WHERE entry BETWEEN ? AND ?

-- name: vector_entries
SELECT entry FROM vectors WHERE entry BETWEEN ? AND ? ORDER BY entry LIMIT ?

-- name: project_numbers
SELECT id FROM projects ORDER BY id

-- name: inactive
SELECT entry FROM standings INDEXED BY standings_inactive
 WHERE until = 4611686018427387904 AND state <> 'active' AND entry BETWEEN ? AND ?

-- name: aliased
SELECT entry FROM standings INDEXED BY standings_aliased
 WHERE until = 4611686018427387904 AND aliases <> '[]' AND state = 'active' AND entry BETWEEN ? AND ?

-- name: pinned
SELECT 1 FROM standings INDEXED BY standings_pinned
 WHERE until = 4611686018427387904 AND pinned AND entry BETWEEN ? AND ? LIMIT 1

-- name: anchored
SELECT DISTINCT a.entry FROM json_each(:targets) t CROSS JOIN anchors a ON a.target = t.value
 WHERE a.type IN ('file', 'lines', 'symbol') AND a.start <= :seq AND a.until > :seq ORDER BY a.entry DESC

-- name: expired
SELECT entry FROM standings INDEXED BY standings_expiring
 WHERE until = 4611686018427387904 AND expires_at IS NOT NULL AND expires_at <= ? AND entry BETWEEN ? AND ?

-- name: fact
SELECT value FROM facts WHERE name = ?

-- name: put_fact
INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: drop_fact
DELETE FROM facts WHERE name = ?

-- name: uses
SELECT u.entry, u.recalled, u.used, u.recalled_at FROM json_each(:entries) a CROSS JOIN uses u ON u.entry = a.value

-- name: count_recalled
INSERT INTO uses (entry, recalled, recalled_at) SELECT id, 1, :at FROM entries WHERE id = :entry
ON CONFLICT (entry) DO UPDATE SET recalled = recalled + 1, recalled_at = max(recalled_at, :at)

-- name: count_used
INSERT INTO uses (entry, used) SELECT id, 1 FROM entries WHERE id = :entry ON CONFLICT (entry) DO UPDATE SET used = used + 1

-- name: measurements
SELECT at, type, ms, tokens_in, tokens_out, detail FROM measurements
 WHERE at >= :since AND (:type = '' OR type = :type) ORDER BY at

-- name: add_measurement
INSERT INTO measurements (at, type, ms, tokens_in, tokens_out, detail) VALUES (?, ?, ?, ?, ?, ?)

-- name: prune_measurements
DELETE FROM measurements WHERE at < ? RETURNING 1

-- name: sizes
SELECT 'nodes', count(*) FROM nodes UNION ALL
SELECT 'entries', count(*) FROM entries UNION ALL
SELECT 'occurrences', count(*) FROM occurrences UNION ALL
SELECT 'standings', count(*) FROM standings UNION ALL
SELECT 'links', count(*) FROM links UNION ALL
SELECT 'anchors', count(*) FROM anchors UNION ALL
SELECT 'events', count(*) FROM events UNION ALL
SELECT 'snapshots', count(*) FROM snapshots UNION ALL
SELECT 'words', count(*) FROM words_docsize UNION ALL
SELECT 'vectors', count(*) FROM vectors UNION ALL
SELECT 'measurements', count(*) FROM measurements

-- name: unindexed_words
SELECT e.id FROM entries e LEFT JOIN words_docsize w ON w.id = e.id WHERE w.id IS NULL

-- name: unindexed_vectors
SELECT e.id FROM entries e LEFT JOIN vectors v ON v.entry = e.id WHERE v.entry IS NULL

-- name: entries_of_node
SELECT id FROM entries WHERE node = ?

-- name: erase_entry_words
DELETE FROM words WHERE rowid = ?

-- name: erase_entry_vector
DELETE FROM vectors WHERE entry = ?

-- name: erase_entry_uses
DELETE FROM uses WHERE entry = ?

-- name: erase_entry_anchors
DELETE FROM anchors WHERE entry = ?

-- name: erase_entry_standings
DELETE FROM standings WHERE entry = ?

-- name: erase_entry_occurrences
DELETE FROM occurrences WHERE entry = ?

-- name: erase_entry
DELETE FROM entries WHERE id = ?

-- name: erase_links
DELETE FROM links WHERE source = :node OR target = :node

-- name: erase_inputs
DELETE FROM inputs WHERE node = ?

-- name: erase_node
DELETE FROM nodes WHERE id = ?

-- name: events_naming
SELECT seq, salts, addresses FROM events WHERE namespace = ? AND instr(addresses, ?) > 0

-- name: scrub_event
UPDATE events SET salts = ?, addresses = ? WHERE namespace = ? AND seq = ?

-- Sessions and traces (sessions.py) from here on.

-- name: next_trace
SELECT max(coalesce((SELECT max(number) FROM traces), 0) + 1,
           coalesce((SELECT CAST(value AS INTEGER) FROM facts WHERE name = 'next_trace'), 1))

-- name: keep_next_trace
INSERT INTO facts (name, value) SELECT 'next_trace', coalesce(max(number), 0) + 1 FROM traces WHERE true
ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))

-- name: add_trace
INSERT INTO traces (namespace, number, project, id, at, host, session, event, turn, tool, does, body, state, attempts,
                    error)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, id) DO NOTHING

-- name: settle_trace
UPDATE traces SET state = ?, error = ?, attempts = attempts + 1 WHERE namespace = ? AND number = ?

-- name: traces
SELECT id, at, host, session, event, turn, tool, does, body, number, state, attempts, error, project FROM traces
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND number > :after
   AND (:state = '' OR state = :state) AND (:project IS NULL OR project = :project)
   AND (:session = '' OR session = :session)
 ORDER BY number LIMIT :limit

-- name: traces_latest
SELECT id, at, host, session, event, turn, tool, does, body, number, state, attempts, error, project FROM traces
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND number > :after
   AND (:state = '' OR state = :state) AND (:project IS NULL OR project = :project)
   AND (:session = '' OR session = :session)
 ORDER BY number DESC LIMIT :limit

-- name: traces_raw
SELECT id, at, host, session, event, turn, tool, does, body, number, state, attempts, error, project
  FROM traces INDEXED BY traces_raw
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND state = 'raw' AND number > :after
   AND (:project IS NULL OR project = :project) AND (:session = '' OR session = :session)
 ORDER BY number LIMIT :limit

-- name: traces_failed
SELECT id, at, host, session, event, turn, tool, does, body, number, state, attempts, error, project
  FROM traces INDEXED BY traces_failed
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND state = 'failed' AND number > :after
   AND (:project IS NULL OR project = :project) AND (:session = '' OR session = :session)
 ORDER BY number LIMIT :limit

-- name: traces_of_session
SELECT id, at, host, session, event, turn, tool, does, body, number, state, attempts, error, project
  FROM traces INDEXED BY traces_by_session
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND session = :session AND number > :after
   AND (:state = '' OR state = :state) AND (:project IS NULL OR project = :project)
 ORDER BY number LIMIT :limit

-- name: traces_latest_of_session
SELECT id, at, host, session, event, turn, tool, does, body, number, state, attempts, error, project
  FROM traces INDEXED BY traces_by_session
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND session = :session AND number > :after
   AND (:state = '' OR state = :state) AND (:project IS NULL OR project = :project)
 ORDER BY number DESC LIMIT :limit

-- name: trace_counts
SELECT (SELECT count(*) FROM traces WHERE namespace = n.id),
       (SELECT count(*) FROM traces INDEXED BY traces_raw WHERE namespace = n.id AND state = 'raw'),
       (SELECT count(*) FROM traces INDEXED BY traces_failed WHERE namespace = n.id AND state = 'failed')
  FROM namespaces n WHERE n.name = ?

-- name: prune_traces
DELETE FROM traces WHERE at < ?

-- name: keep_session
INSERT INTO sessions (namespace, session, host, project, cwd, started_at, last_at, ended_at, turns, title, detail)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, session) DO UPDATE SET host = excluded.host, project = excluded.project, cwd = excluded.cwd,
    started_at = excluded.started_at, last_at = excluded.last_at, ended_at = excluded.ended_at, turns = excluded.turns,
    title = excluded.title, detail = excluded.detail

-- name: session
SELECT session, host, project, cwd, started_at, last_at, ended_at, turns, title, detail FROM sessions
 WHERE namespace = (SELECT id FROM namespaces WHERE name = ?) AND session = ?

-- name: sessions
SELECT session, host, project, cwd, started_at, last_at, ended_at, turns, title, detail FROM sessions
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (:projects IS NULL OR project IN (SELECT value FROM json_each(:projects)))
   AND (:open IS NULL OR (ended_at IS NULL) = :open) AND (:since IS NULL OR last_at >= :since)
 ORDER BY last_at DESC, session DESC LIMIT :limit

-- name: sessions_of_project
SELECT session, host, project, cwd, started_at, last_at, ended_at, turns, title, detail
  FROM sessions INDEXED BY sessions_by_project
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND project = :project
   AND last_at >= coalesce(:since, -9223372036854775808) AND (:open IS NULL OR (ended_at IS NULL) = :open)
 ORDER BY last_at DESC, session DESC LIMIT :limit

-- name: prune_sessions
DELETE FROM sessions WHERE last_at < ?

-- name: add_injection
INSERT INTO injections (namespace, project, session, turn, at, event, address, tokens, file)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: injections
SELECT session, turn, at, event, lower(hex(address)), tokens, file FROM injections
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND (:since IS NULL OR at >= :since)
 ORDER BY number DESC LIMIT :limit

-- name: injections_of_session
SELECT session, turn, at, event, lower(hex(address)), tokens, file FROM injections INDEXED BY injections_by_session
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND session = :session
   AND (:address IS NULL OR address = :address) AND (:since IS NULL OR at >= :since)
 ORDER BY number DESC LIMIT :limit

-- name: injections_of_address
SELECT session, turn, at, event, lower(hex(address)), tokens, file FROM injections INDEXED BY injections_by_address
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND address = :address
   AND (:since IS NULL OR at >= :since)
 ORDER BY number DESC LIMIT :limit

-- name: prune_injections
DELETE FROM injections WHERE at < ?

-- name: inbox_position
SELECT place FROM inbox WHERE segment = ?

-- name: place_inbox
INSERT INTO inbox (segment, place) VALUES (?, ?) ON CONFLICT (segment) DO UPDATE SET place = excluded.place

-- name: drop_inbox
DELETE FROM inbox WHERE segment = ?

-- name: has_sessions
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'traces'

-- name: session_sizes
SELECT 'traces', count(*) FROM traces UNION ALL
SELECT 'sessions', count(*) FROM sessions UNION ALL
SELECT 'injections', count(*) FROM injections

-- name: erase_traces
DELETE FROM traces WHERE namespace = :namespace AND (:session = '' OR session = :session)
   AND (:projects IS NULL OR project IN (SELECT value FROM json_each(:projects)))

-- name: erase_sessions
DELETE FROM sessions WHERE namespace = :namespace AND (:session = '' OR session = :session)
   AND (:projects IS NULL OR project IN (SELECT value FROM json_each(:projects)))

-- name: erase_injections
DELETE FROM injections WHERE namespace = :namespace AND (:session = '' OR session = :session)
   AND (:projects IS NULL OR project IN (SELECT value FROM json_each(:projects)))

-- name: erase_entry_traces
DELETE FROM traces WHERE namespace = :namespace
   AND session IN (SELECT thread FROM occurrences WHERE entry = :entry AND thread <> '')

-- name: blank_entry_sessions
UPDATE sessions SET title = '', detail = '{}' WHERE namespace = :namespace
   AND session IN (SELECT thread FROM occurrences WHERE entry = :entry AND thread <> '')

-- name: erase_injections_of
DELETE FROM injections WHERE namespace = ? AND address = ?

-- name: has_sources
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sources'

-- name: source_sizes
SELECT 'sources', count(*) FROM sources

-- name: sources
SELECT project, service, path, kind, lower(hex(address)), digest, size, mtime_ns, at, title FROM sources
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (:projects IS NULL OR project IN (SELECT value FROM json_each(:projects)))
   AND (:service IS NULL OR service = :service) AND (:path IS NULL OR path = :path)
   AND (:but IS NULL OR service <> :but)
 ORDER BY project, service, path

-- Of one project: they come in order as they lie, and to sort thousands would take as long as to read them.
-- name: sources_of_service
SELECT project, service, path, kind, lower(hex(address)), digest, size, mtime_ns, at, title FROM sources
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND project = :project AND service = :service
   AND (:path IS NULL OR path = :path)
 ORDER BY path

-- name: sources_with
SELECT project, service, path, kind, lower(hex(address)), digest, size, mtime_ns, at, title FROM sources
 WHERE namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (:projects IS NULL OR project IN (SELECT value FROM json_each(:projects)))
   AND path LIKE :pattern ESCAPE '\'
 ORDER BY project, service, path

-- The join says by which index: left alone, SQLite goes through all rows.
-- name: sources_of_addresses
SELECT project, service, path, kind, lower(hex(s.address)), digest, size, mtime_ns, at, title
  FROM (SELECT DISTINCT unhex(value) AS address FROM json_each(:addresses)) g
 CROSS JOIN sources s INDEXED BY sources_by_address
    ON s.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND s.address = g.address
 WHERE :projects IS NULL OR project IN (SELECT value FROM json_each(:projects))
 ORDER BY project, service, path

-- name: services
SELECT o.service, count(DISTINCT o.entry) FROM occurrences o JOIN standings s ON s.entry = o.entry
  JOIN entries e ON e.id = o.entry JOIN nodes n ON n.id = e.node
 WHERE o.service <> '' AND s.until = 4611686018427387904 AND s.state = 'active' AND o.entry BETWEEN ? AND ?
   AND (o.metadata ->> 'path' IS NULL OR n.kind = 'incident'
        OR NOT EXISTS (SELECT 1 FROM sources x WHERE x.namespace = n.namespace AND x.address = n.address)
        OR EXISTS (SELECT 1 FROM sources x WHERE x.namespace = n.namespace AND x.address = n.address
                      AND x.service = o.service))
 GROUP BY o.service

-- name: keep_source
INSERT INTO sources (namespace, project, service, path, kind, address, digest, size, mtime_ns, at, title)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (namespace, project, service, path) DO UPDATE SET kind = excluded.kind, address = excluded.address,
       digest = excluded.digest, size = excluded.size, mtime_ns = excluded.mtime_ns, at = excluded.at,
       title = excluded.title

-- name: drop_source
DELETE FROM sources WHERE namespace = ? AND project = ? AND service = ? AND path = ?

-- name: erase_sources_of
DELETE FROM sources WHERE namespace = ? AND address = ?

-- name: has_derived
SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'derived'

-- name: derived_sizes
SELECT 'derived', count(*) FROM derived

-- name: derived_of_inputs
SELECT lower(hex(d.input)), d.name, d.version, d.state, d.value, lower(hex(d.digest)), lower(hex(d.basis)), d.error,
       d.provider, d.model, d.tokens, d.cost_usd, d.ms, d.at, d.actor, d.attempts, d.path, d.project
  FROM json_each(:inputs) j CROSS JOIN derived d
 WHERE d.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND d.input = unhex(j.value)
   AND (:names IS NULL OR d.name IN (SELECT value FROM json_each(:names)))
   AND (:projects IS NULL OR d.project IN (SELECT value FROM json_each(:projects))
        OR EXISTS (SELECT 1 FROM nodes n JOIN entries e ON e.node = n.id
                    WHERE n.namespace = d.namespace AND n.address = d.input
                      AND e.id >> 32 IN (SELECT value FROM json_each(:ids))))
 ORDER BY d.input, d.name

-- name: derived_rows
SELECT lower(hex(d.input)), d.name, d.version, d.state, d.value, lower(hex(d.digest)), lower(hex(d.basis)), d.error,
       d.provider, d.model, d.tokens, d.cost_usd, d.ms, d.at, d.actor, d.attempts, d.path, d.project
  FROM derived d
 WHERE d.namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (d.input, d.name) > (unhex(:input), :name) AND (:state = '' OR d.state = :state)
   AND (:names IS NULL OR d.name IN (SELECT value FROM json_each(:names)))
   AND (:projects IS NULL OR d.project IN (SELECT value FROM json_each(:projects))
        OR EXISTS (SELECT 1 FROM nodes n JOIN entries e ON e.node = n.id
                    WHERE n.namespace = d.namespace AND n.address = d.input
                      AND e.id >> 32 IN (SELECT value FROM json_each(:ids))))
 ORDER BY d.input, d.name LIMIT :limit

-- name: derived_undone
SELECT lower(hex(d.input)), d.name, d.version, d.state, d.value, lower(hex(d.digest)), lower(hex(d.basis)), d.error,
       d.provider, d.model, d.tokens, d.cost_usd, d.ms, d.at, d.actor, d.attempts, d.path, d.project
  FROM derived d INDEXED BY derived_undone
 WHERE d.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND d.state <> 'done' AND d.state = :state
   AND (d.input, d.name) > (unhex(:input), :name)
   AND (:names IS NULL OR d.name IN (SELECT value FROM json_each(:names)))
   AND (:projects IS NULL OR d.project IN (SELECT value FROM json_each(:projects))
        OR EXISTS (SELECT 1 FROM nodes n JOIN entries e ON e.node = n.id
                    WHERE n.namespace = d.namespace AND n.address = d.input
                      AND e.id >> 32 IN (SELECT value FROM json_each(:ids))))
 ORDER BY d.input, d.name LIMIT :limit

-- name: derived_counts
SELECT d.name, d.version, d.state, count(*), sum(d.tokens), sum(d.cost_usd) FROM derived d
 WHERE d.namespace = (SELECT id FROM namespaces WHERE name = :namespace)
   AND (:projects IS NULL OR d.project IN (SELECT value FROM json_each(:projects))
        OR EXISTS (SELECT 1 FROM nodes n JOIN entries e ON e.node = n.id
                    WHERE n.namespace = d.namespace AND n.address = d.input
                      AND e.id >> 32 IN (SELECT value FROM json_each(:ids))))
 GROUP BY d.name, d.version, d.state ORDER BY d.name, d.version, d.state

-- name: underived
SELECT n.id, lower(hex(n.address)) FROM nodes n
 WHERE n.namespace = (SELECT id FROM namespaces WHERE name = :namespace) AND n.id > :after
   AND (:kinds IS NULL OR n.kind IN (SELECT value FROM json_each(:kinds)))
   AND EXISTS (SELECT 1 FROM entries e JOIN standings s ON s.entry = e.id
                WHERE e.node = n.id AND s.until = 4611686018427387904 AND s.state = 'active'
                  AND (:ids IS NULL OR e.id >> 32 IN (SELECT value FROM json_each(:ids))))
   AND NOT EXISTS (SELECT 1 FROM derived d
                    WHERE d.namespace = n.namespace AND d.input = n.address AND d.name = :name
                      AND d.version = :version AND d.state <> 'due')
 ORDER BY n.id LIMIT :limit

-- name: keep_derived
INSERT INTO derived (namespace, input, name, version, state, digest, basis, provider, model, tokens, cost_usd, ms, at,
                     actor, attempts, path, project, error, value)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (namespace, input, name) DO UPDATE SET version = excluded.version, state = excluded.state,
       digest = excluded.digest, basis = excluded.basis, provider = excluded.provider, model = excluded.model,
       tokens = excluded.tokens, cost_usd = excluded.cost_usd, ms = excluded.ms, at = excluded.at,
       actor = excluded.actor, attempts = excluded.attempts, path = excluded.path, project = excluded.project,
       error = excluded.error, value = excluded.value

-- name: mark_due
UPDATE derived SET state = 'due' WHERE namespace = ? AND input = ? AND name = ? AND state = 'done'

-- name: drop_derived
DELETE FROM derived WHERE namespace = ? AND input = ? AND name = ?

-- name: drop_derived_of
DELETE FROM derived WHERE namespace = ? AND input = ?

-- name: erase_entry_derived
DELETE FROM derived WHERE namespace = :namespace
   AND input IN (SELECT unhex(json_extract(metadata, '$.digest')) FROM occurrences WHERE entry = :entry)
