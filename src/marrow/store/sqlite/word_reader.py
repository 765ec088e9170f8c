"""The index of words, read from SQLite: what holds what was asked, and how well."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import apsw

from ..protocol import Projects
from .index_terms import in_index
from .rows import first_entry, last_entry, spans_of
from .vectors import WORDS, IndexRows, VectorCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .words import KeptWords, Search, Texts

    Entries = NDArray[np.int64]

# Of more projects at once, nothing is kept: asking each for itself would take longer than asking the index.
KEPT_PROJECTS_MAX = 16


class WordReader(IndexRows, Protocol):
    """The protocol `Words`. Statements are run by the reader that this is a part of."""

    keeps: bool
    _connection: apsw.Connection
    _cache: VectorCache
    _sql: Mapping[str, str]
    _counts: dict[tuple[int, int, str], int]
    _searched: dict[tuple[int, ...], tuple[Texts, KeptWords | None]]
    _gone_then: tuple[object, Entries] | None

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any: ...

    def _chosen_ids(self, namespace: str, projects: Projects) -> list[int]: ...

    def _renew_facts(self) -> None: ...

    def fact(self, name: str) -> str | None: ...

    def match(
        self,
        namespace: str,
        terms: Sequence[str],
        projects: Projects,
        within: Iterable[int] | None,
        limit: int,
        among: Collection[int] | None = None,
        also: Collection[int] = (),
    ) -> list[tuple[int, float]]:
        try:
            search = self._search(namespace, projects, among, within, also)
            return search.best(self._in_index(terms), limit) if search else []
        except (apsw.CorruptError, apsw.SQLError):
            # The index is derived: without it the vectors still answer, and `problems` says what to do.
            return []

    def _search(
        self,
        namespace: str,
        projects: Projects,
        among: Collection[int] | None,
        within: Iterable[int] | None = None,
        also: Collection[int] = (),
    ) -> Search | None:
        """None where there is nothing to search. What it needs to know of the texts is looked up once in a view."""
        from ..matrix import sorted_ids
        from .words import Search, Texts

        chosen = tuple(self._chosen_ids(namespace, projects))
        if not chosen:
            return None
        self._settle()
        self._renew_facts()
        known = self._searched.get(chosen) if among is None else None
        if known is None:
            known = (Texts(chosen, self._cache.lengths(self, chosen), among), self._kept_words(chosen))
            if among is None:
                self._searched[chosen] = known
        texts, kept = known
        spans = spans_of(chosen)
        wanted = None if within is None else sorted_ids(within)
        gone = self._gone(spans) if wanted is None else sorted_ids(())
        return Search(self._run, texts, spans, wanted, gone, kept, sorted_ids(also), self._counts)

    def aliased(self, namespace: str, projects: Projects) -> frozenset[int]:
        spans = spans_of(self._chosen_ids(namespace, projects))
        return frozenset(entry for span in spans for (entry,) in self._run("aliased", span))

    def frequencies(
        self, namespace: str, terms: Sequence[str], projects: Projects, among: Collection[int] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        try:
            search = self._search(namespace, projects, among)
            if search is None:
                return 0, {}
            queries = {term: self._in_index([term]) for term in terms}
            return search.texts.count, {term: search.count(query[0]) if query else 0 for term, query in queries.items()}
        except (apsw.CorruptError, apsw.SQLError):
            return 0, {}

    def holding(
        self, namespace: str, terms: Sequence[str], projects: Projects, entries: Sequence[int]
    ) -> Mapping[str, Collection[int]]:
        from ..matrix import sorted_ids

        try:
            search, asked = self._search(namespace, projects, None), sorted_ids(entries)
            queries = {term: self._in_index([term]) for term in terms}
            return {
                term: frozenset(search.holding(query[0], asked).tolist()) if search and query else ()
                for term, query in queries.items()
            }
        except (apsw.CorruptError, apsw.SQLError):
            return dict.fromkeys(terms, frozenset(entries))

    def _settle(self) -> None:
        """Rows that wait to be written are there for a search. A reader has none."""
        return

    def _kept_words(self, projects: Sequence[int]) -> KeptWords | None:
        """What is in memory of the words of these projects; and for each the number after its last text as this reader
        sees it, and the state of its words. Nothing of very many projects; and a writer, whose rows may still be taken
        back, leaves it alone."""
        if not self.keeps or len(projects) > KEPT_PROJECTS_MAX:
            return None
        nexts = {}
        for project in projects:
            first = first_entry(project)
            last = self._run("last_words", (first, last_entry(project))).get
            state = self.fact(f"{WORDS}{project}") or ""
            nexts[project] = (0 if last is None else last - first + 1, state)
            self._cache.renew_words(project, state)
        return self._cache.postings(), nexts

    def _in_index(self, terms: Sequence[str]) -> list[str]:
        return in_index(terms, self._connection.execute, self._sql["terms_containing"])

    def _gone(self, spans: Sequence[tuple[int, int]]) -> Entries:
        """The entries in these spans that are not active now. Asked twice in a search, read once."""
        from ..matrix import sorted_ids

        state = (tuple(spans), self._connection.total_changes())
        if self._gone_then is None or self._gone_then[0] != state:
            now, gone = self._cache.now(), self._inactive(spans)
            expired = [entry for first, last in spans for (entry,) in self._run("expired", (now, first, last))]
            self._gone_then = (state, sorted_ids([*gone.tolist(), *expired]) if expired else gone)
        return self._gone_then[1]

    def _inactive(self, spans: Sequence[tuple[int, int]]) -> Entries:
        """Those of them that are gone for good, or until an event says otherwise. In a project that has lived for years
        there are many: they are read once for each head of the chains."""
        from ..matrix import sorted_ids

        def read() -> Entries:
            return sorted_ids([entry for span in spans for (entry,) in self._run("inactive", span)])

        if not self.keeps:
            return read()
        heads = tuple(self._run("heads"))
        return self._cache.inactive(tuple(spans), (self.vector_epoch(), heads), read)

    def lengths_between(self, first: int, last: int) -> list[tuple[int, bytes]]:
        rows: list[tuple[int, bytes]] = self._run("lengths_from", (first, last)).fetchall()
        return rows
