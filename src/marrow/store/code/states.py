"""The states of a file in a map. Apart from what reads one: a process that only parses names them too."""

MAPPED, KEPT, SKIPPED, PLAIN = "mapped", "kept", "skipped", "plain"
