-- Made once everything is in: sorting at the end is quicker than keeping order all along.
CREATE INDEX IF NOT EXISTS symbols_by_name ON symbols (name, within);
CREATE INDEX IF NOT EXISTS incoming_by_target ON incoming (target, source);
CREATE INDEX IF NOT EXISTS extends_by_below ON extends (below);
