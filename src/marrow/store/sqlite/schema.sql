-- What the migrations add up to. Written by tests/store/test_migrations.py from a new store; not run by anyone.

CREATE TABLE namespaces (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    seq  INTEGER NOT NULL DEFAULT 0,
    at   INTEGER NOT NULL DEFAULT 0,
    hash BLOB NOT NULL,
    root BLOB NOT NULL
);

CREATE TABLE projects (
    id        INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    name      TEXT NOT NULL,
    next      INTEGER NOT NULL DEFAULT 1,
    UNIQUE (namespace, name)
);

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

CREATE TABLE inputs (
    node  INTEGER NOT NULL REFERENCES nodes(id),
    input BLOB NOT NULL,
    PRIMARY KEY (node, input)
) WITHOUT ROWID;
CREATE INDEX inputs_by_input ON inputs (input);

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
CREATE INDEX occurrences_by_service ON occurrences (service, entry) WHERE service <> '';

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

CREATE TABLE merkle (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    prefix    TEXT NOT NULL,
    children  BLOB NOT NULL,
    PRIMARY KEY (namespace, prefix)
) WITHOUT ROWID;

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

CREATE TABLE attachments (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    seq       INTEGER NOT NULL,
    head      BLOB NOT NULL,
    length    INTEGER NOT NULL,
    chain     BLOB NOT NULL,
    PRIMARY KEY (namespace, seq)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (
    body, names,
    content = '', contentless_delete = 1,
    tokenize = "ascii tokenchars '_.+#-/@:'"
);

CREATE TABLE vectors (
    entry  INTEGER PRIMARY KEY REFERENCES entries(id),
    vector BLOB NOT NULL
);

CREATE TABLE facts (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

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

CREATE TABLE traces (
    number    INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    id        TEXT NOT NULL,
    project   TEXT NOT NULL,
    at        INTEGER NOT NULL,
    host      TEXT NOT NULL,
    session   TEXT NOT NULL,
    event     TEXT NOT NULL,
    turn      TEXT NOT NULL,
    tool      TEXT NOT NULL,
    does      TEXT NOT NULL,
    state     TEXT NOT NULL,
    attempts  INTEGER NOT NULL,
    error     TEXT NOT NULL,
    body      TEXT NOT NULL,
    UNIQUE (namespace, id)
);
CREATE INDEX traces_raw ON traces (namespace) WHERE state = 'raw';
CREATE INDEX traces_failed ON traces (namespace) WHERE state = 'failed';
CREATE INDEX traces_by_session ON traces (namespace, session);
CREATE INDEX traces_by_at ON traces (at);

CREATE TABLE sessions (
    namespace  INTEGER NOT NULL REFERENCES namespaces(id),
    session    TEXT NOT NULL,
    host       TEXT NOT NULL,
    project    TEXT NOT NULL,
    cwd        TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    ended_at   INTEGER,
    turns      INTEGER NOT NULL,
    title      TEXT NOT NULL,
    detail     TEXT NOT NULL,
    PRIMARY KEY (namespace, session)
) WITHOUT ROWID;
CREATE INDEX sessions_by_project ON sessions (namespace, project, last_at);

CREATE TABLE injections (
    number    INTEGER PRIMARY KEY,
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    project   TEXT NOT NULL,
    session   TEXT NOT NULL,
    turn      TEXT NOT NULL,
    at        INTEGER NOT NULL,
    event     TEXT NOT NULL,
    address   BLOB NOT NULL,
    tokens    INTEGER NOT NULL,
    file      TEXT NOT NULL
);
CREATE INDEX injections_by_session ON injections (namespace, session);
CREATE INDEX injections_by_address ON injections (namespace, address);

CREATE TABLE inbox (
    segment TEXT PRIMARY KEY,
    place   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sources (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    project   TEXT NOT NULL,
    service   TEXT NOT NULL,
    path      TEXT NOT NULL,
    kind      TEXT NOT NULL,
    address   BLOB NOT NULL,
    digest    TEXT NOT NULL,
    size      INTEGER NOT NULL,
    mtime_ns  INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    title     TEXT NOT NULL,
    PRIMARY KEY (namespace, project, service, path)
) WITHOUT ROWID;
CREATE INDEX sources_by_address ON sources (namespace, address);

CREATE TABLE derived (
    namespace INTEGER NOT NULL REFERENCES namespaces(id),
    input     BLOB NOT NULL,
    name      TEXT NOT NULL,
    version   TEXT NOT NULL,
    state     TEXT NOT NULL,
    digest    BLOB NOT NULL,
    basis     BLOB NOT NULL,
    provider  TEXT NOT NULL,
    model     TEXT NOT NULL,
    tokens    INTEGER NOT NULL,
    cost_usd  REAL NOT NULL,
    ms        REAL NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    attempts  INTEGER NOT NULL,
    path      TEXT NOT NULL,
    project   TEXT NOT NULL,
    error     TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (namespace, input, name)
);
CREATE INDEX derived_undone ON derived (namespace, state) WHERE state <> 'done';
