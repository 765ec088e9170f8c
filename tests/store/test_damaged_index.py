"""A damaged keyword index is no damage to the memory: it is derived, and everything goes on without it."""

from __future__ import annotations

from pathlib import Path

import apsw

import marrow


def test_saving_and_searching_go_on_without_the_keyword_index_and_doctor_mends_it(tmp_path: Path) -> None:
    store = str(tmp_path / "memory.db")
    with marrow.open(tmp_path, store=store) as memory:
        for number in range(50):
            memory.save(f"The queue of worker {number} is drained every {number} seconds.")
    with apsw.Connection(store) as connection:
        connection.execute("UPDATE words_data SET block = randomblob(length(block)) WHERE id > 10")
    connection.close()
    with marrow.open(tmp_path, store=store) as memory:
        assert memory.save("The drain of the queue was too slow.").items[0].outcome == "new"
        assert memory.search("draining queues").items
        assert not memory.doctor().ok
        memory.doctor(repair=True)
        assert memory.doctor().ok
        assert memory.search("slow drain").items[0].content == "The drain of the queue was too slow."
