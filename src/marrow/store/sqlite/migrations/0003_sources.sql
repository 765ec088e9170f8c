-- The third format: what was taken in from where. Derived: a cache beside the occurrences, by which the next reading
-- knows what it need not look at. Projects are named as text, as sessions name them.
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

-- What belongs to a service is asked for often, and most memories belong to none.
CREATE INDEX occurrences_by_service ON occurrences (service, entry) WHERE service <> '';
