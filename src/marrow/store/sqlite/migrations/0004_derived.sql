-- The fourth format: what derivations gave. Derived and apart: outside the chain and the root, not in bundles.

-- One row for each input and derivation. `input` is a node's address or the sha256 of a media file; `digest` and `basis`
-- are empty without a value. `value` comes last, so that what is asked for is found without reading it.
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
-- What is not done is found at once, however much is.
CREATE INDEX derived_undone ON derived (namespace, state) WHERE state <> 'done';
