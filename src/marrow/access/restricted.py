"""A store as one sees it who is held to a view: everywhere, also in counts, links, scores, events and exports.

What is allowed is found out once for each state of the store, and kept here. A view that is not there allows nothing:
reading says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..store.protocol import Reader, Store, Writer, first_known
from .allowed import Allowed, allowed_now
from .reading import RestrictedReader
from .writing import RestrictedWriter, refuse


class Restricted:
    """`store` through the view of this name. `whole` is the store itself: for what works in the background for all,
    and for who may say what views there are."""

    def __init__(self, store: Store, namespace: str, view: str) -> None:
        self.inner = store
        self.namespace = namespace
        self.view = view
        self.url = store.url
        self.read_only = store.read_only
        self._allowed: Allowed | None = None
        self._looking = threading.Lock()

    @property
    def whole(self) -> Store:
        return whole(self.inner)

    def _allowed_now(self, reader: Reader) -> Allowed:
        with self._looking:
            # The view itself is looked up where everything is seen; what it allows is chosen from what is seen here.
            definitions = reader.unrestricted() if isinstance(reader, RestrictedReader) else reader
            self._allowed = allowed_now(reader, self.namespace, self.view, self._allowed, definitions)
            return self._allowed

    def known_as(self, namespace: str, names: Sequence[str]) -> str | None:
        with self.reading() as reader:
            return first_known(reader, namespace, names)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self.inner.reading() as reader:
            yield RestrictedReader(reader, self.namespace, self._allowed_now(reader))

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        with self.inner.writing() as writer:
            yield RestrictedWriter(writer, self.namespace, self._allowed_now(writer))

    def close(self) -> None:
        self.inner.close()

    def backup(self, path: str) -> None:
        refuse("copy the store")

    def restore(self, path: str, kept: str = "") -> None:
        refuse("restore a backup")

    def damages(self) -> list[str]:
        return self.inner.damages()

    def problems(self) -> list[str]:
        return self.inner.problems()

    def is_broken(self) -> bool:
        return self.inner.is_broken()

    def has_old_words(self) -> bool:
        return self.inner.has_old_words()

    def note_new_words(self) -> None:
        refuse("note new words of the store")

    def rebuild(self, kept: str, complete: Callable[[str], None]) -> Sequence[str]:
        refuse("rebuild the store")

    def copies(self) -> list[str]:
        return self.inner.copies()

    def sweep(self) -> None:
        self.inner.sweep()


def whole(store: Store) -> Store:
    """The store itself, whatever view one is held to."""
    while isinstance(store, Restricted):
        store = store.inner
    return store


def enforced(store: Store) -> str:
    """The view that one is held to who has this store; "" for none."""
    return store.view if isinstance(store, Restricted) else ""


def hidden_paths(store: Store, project: str, service: str) -> frozenset[str]:
    """The paths of a service that cannot be written under the view that one is held to."""
    if not isinstance(store, Restricted):
        return frozenset()
    with store.reading() as reader:
        assert isinstance(reader, RestrictedReader)
        return reader.hidden_paths(project, service)


def restrict(store: Store, namespace: str, view: str) -> Restricted:
    """The store through a view, which must be there."""
    found = Restricted(store, namespace, view)
    with found.reading():
        return found
