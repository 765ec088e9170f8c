"""What `marrow daemon take-in` does when its turn has come."""

from __future__ import annotations

from ...app import open_memory

ACTOR = "daemon"


def take_in(root: str, store: str, namespace: str, project: str, service: str) -> None:
    """Nothing is made that is not there: where the store is gone, nobody follows anything any more."""
    with open_memory(root, store=store, namespace=namespace, create=False, actor=ACTOR) as memory:
        memory.catch_up(project, service, root)
