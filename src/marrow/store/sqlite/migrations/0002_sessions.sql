-- The second format: what hosts report, their sessions, and what was told to them. All of it is apart: outside the
-- chain and the root, kept for a time only, not in bundles. Projects are named as text: the first trace of a project
-- comes before the project is known.

-- What hooks reported. Numbers rise in order of arrival and are never given again: what was taken away last is noted in
-- the fact next_trace. `body` comes last, so that what is asked for is found without reading it.
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
-- What is worked off leaves this index: the queue is found at once, however much was done before.
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

-- Which memory was told to which session, in which turn, and what it cost.
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

-- Up to which byte each segment of the inbox is in this store.
CREATE TABLE inbox (
    segment TEXT PRIMARY KEY,
    place   INTEGER NOT NULL
) WITHOUT ROWID;
