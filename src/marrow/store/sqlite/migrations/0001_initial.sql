-- The first format. Canonical: namespaces to attachments. Derived or apart: from words down.
-- Times are microseconds since 1970 in UTC; addresses and hashes are raw bytes; an open interval ends at 2^62.

-- One row a tenant: where its chain of events ends.
CREATE TABLE namespaces (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    seq  INTEGER NOT NULL DEFAULT 0,
    at   INTEGER NOT NULL DEFAULT 0,
    hash BLOB NOT NULL,
    root BLOB NOT NULL
);

-- One row a project of a tenant. Entries of a project have numbers from id << 32 on, so that the keyword index and
-- the vectors of one project lie together and are searched by range. Numbers never go back, even after an erasure: that
-- notes in `next` the number after those that it took away.
CREATE TABLE projects (
    id        INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    name      TEXT NOT NULL,
    next      INTEGER NOT NULL DEFAULT 1,
    UNIQUE (namespace, name)
);

-- The other names of a project: addresses of its repository, the identity in its git directory.
CREATE TABLE project_aliases (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    alias     TEXT NOT NULL,
    project   INTEGER NOT NULL REFERENCES projects(id),
    PRIMARY KEY (namespace, alias)
) WITHOUT ROWID;

CREATE TABLE nodes (
    id        INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    address   BLOB NOT NULL,
    kind      TEXT NOT NULL,
    content   TEXT NOT NULL,
    UNIQUE (namespace, address)
);

-- What a node was made from. The input may be a node of another memory, so it is an address and no row.
CREATE TABLE inputs (
    node  INTEGER NOT NULL REFERENCES nodes(id),
    input BLOB NOT NULL,
    PRIMARY KEY (node, input)
) WITHOUT ROWID;
CREATE INDEX inputs_by_input ON inputs (input);

-- A node placed in a project. first_at and last_at span its occurrences.
CREATE TABLE entries (
    id       INTEGER PRIMARY KEY,
    node     INTEGER NOT NULL REFERENCES nodes(id),
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
);
CREATE INDEX entries_by_node ON entries (node);

CREATE TABLE occurrences (
    entry    INTEGER NOT NULL REFERENCES entries(id),
    id       BLOB NOT NULL,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    thread   TEXT NOT NULL DEFAULT '',
    user     TEXT NOT NULL DEFAULT '',
    service  TEXT NOT NULL DEFAULT '',
    source   TEXT NOT NULL DEFAULT '',
    chain    TEXT NOT NULL DEFAULT '',
    metadata TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (entry, id)
) WITHOUT ROWID;
CREATE INDEX occurrences_by_thread ON occurrences (thread, entry) WHERE thread <> '';

-- What may change about an entry, by interval. `leaf` is its leaf in the Merkle tree, NULL unless it is active.
CREATE TABLE standings (
    entry          INTEGER NOT NULL REFERENCES entries(id),
    start          INTEGER NOT NULL,
    until          INTEGER NOT NULL,
    state          TEXT NOT NULL,
    domain         TEXT NOT NULL,
    semantic       INTEGER NOT NULL,
    priority       REAL NOT NULL,
    confidence     REAL NOT NULL,
    pinned         INTEGER NOT NULL,
    preliminary    INTEGER NOT NULL,
    classification TEXT NOT NULL,
    approved       INTEGER,
    tags           TEXT NOT NULL,
    aliases        TEXT NOT NULL,
    reinforced     INTEGER NOT NULL,
    reinforced_at  INTEGER NOT NULL,
    expires_at     INTEGER,
    drift          TEXT NOT NULL,
    generation     INTEGER NOT NULL,
    changed_at     INTEGER NOT NULL,
    reason         TEXT NOT NULL,
    salt           TEXT NOT NULL,
    leaf           BLOB,
    PRIMARY KEY (entry, start)
) WITHOUT ROWID;
CREATE INDEX standings_inactive ON standings (entry) WHERE until = 4611686018427387904 AND state <> 'active';
CREATE INDEX standings_aliased ON standings (entry)
    WHERE until = 4611686018427387904 AND aliases <> '[]' AND state = 'active';
CREATE INDEX standings_pinned ON standings (entry) WHERE until = 4611686018427387904 AND pinned;
CREATE INDEX standings_expiring ON standings (entry, expires_at)
    WHERE until = 4611686018427387904 AND expires_at IS NOT NULL;

CREATE TABLE links (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects(id),
    source  INTEGER NOT NULL REFERENCES nodes(id),
    target  INTEGER NOT NULL REFERENCES nodes(id),
    rel     TEXT NOT NULL,
    at      INTEGER NOT NULL,
    start   INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    ended_at INTEGER
);
CREATE INDEX links_by_source ON links (source, rel, target);
CREATE INDEX links_by_target ON links (target);

CREATE TABLE anchors (
    id     INTEGER PRIMARY KEY,
    entry  INTEGER NOT NULL REFERENCES entries(id),
    type   TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL,
    start  INTEGER NOT NULL,
    until  INTEGER NOT NULL
);
CREATE INDEX anchors_by_entry ON anchors (entry);
CREATE INDEX anchors_by_target ON anchors (target);

-- The Merkle tree over the active set: digit and hash of each child of each inner node.
CREATE TABLE merkle (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    prefix    TEXT NOT NULL,
    children  BLOB NOT NULL,
    PRIMARY KEY (namespace, prefix)
) WITHOUT ROWID;

-- The log of changes. commitments, salts and addresses hold 32, 16 and 32 bytes for each node that an event touched;
-- an erased one keeps its commitment, and has zeroes for salt and address.
CREATE TABLE events (
    namespace   INTEGER NOT NULL REFERENCES namespaces(id),
    seq         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    operation   TEXT NOT NULL,
    layer       TEXT NOT NULL,
    summary     TEXT NOT NULL,
    project     TEXT NOT NULL,
    domain      TEXT NOT NULL,
    commitments BLOB NOT NULL,
    salts       BLOB NOT NULL,
    addresses   BLOB NOT NULL,
    detail      BLOB NOT NULL,
    root        BLOB NOT NULL,
    hash        BLOB NOT NULL,
    PRIMARY KEY (namespace, seq)
) WITHOUT ROWID;

CREATE TABLE snapshots (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    name      TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    root      BLOB NOT NULL,
    at        INTEGER NOT NULL,
    tags      TEXT NOT NULL,
    note      TEXT NOT NULL,
    PRIMARY KEY (namespace, name)
) WITHOUT ROWID;

-- Chains of other memories, kept beside the event that imported them.
CREATE TABLE attachments (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    seq       INTEGER NOT NULL,
    head      BLOB NOT NULL,
    length    INTEGER NOT NULL,
    chain     BLOB NOT NULL,
    PRIMARY KEY (namespace, seq)
) WITHOUT ROWID;

-- Derived: the keyword index. Texts arrive as terms that are already split, folded and stemmed.
CREATE VIRTUAL TABLE words USING fts5 (
    body, names,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_.+#-/@:'"
);

-- Derived: one vector an entry, 16-bit floats.
CREATE TABLE vectors (
    entry  INTEGER PRIMARY KEY REFERENCES entries(id),
    vector BLOB NOT NULL
);

-- Facts about the file itself: the model of the vectors, the epoch of the derived part.
CREATE TABLE facts (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Apart: counters and measurements. Outside the chain, lost without harm.
CREATE TABLE uses (
    entry       INTEGER PRIMARY KEY,
    recalled    INTEGER NOT NULL DEFAULT 0,
    used        INTEGER NOT NULL DEFAULT 0,
    recalled_at INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE measurements (
    at         INTEGER NOT NULL,
    type       TEXT NOT NULL,
    ms         REAL NOT NULL,
    tokens_in  INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    detail     TEXT NOT NULL
);
CREATE INDEX measurements_by_at ON measurements (at);
