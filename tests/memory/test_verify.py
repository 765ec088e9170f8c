"""Verification: which memories are looked at, what is written down, and what a reader is told."""

from __future__ import annotations

import pytest

from marrow.memory.verify import verify, verify_paths
from marrow.model.errors import Conflict, Invalid

from .desk_code import APP, Desk, desk

__all__ = ["desk"]


def test_a_changed_value_is_said_and_the_memory_recalled_with_it(desk: Desk) -> None:
    address = desk.save("Requests are given up after TIMEOUT seconds, see src/app.py.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    told = desk.memory.perform("memory_verify", {}).text
    assert "TIMEOUT = 30 -> 60" in told
    assert "memory_update" in told
    standing = desk.record(address).standing
    assert (standing.drift, "30 -> 60" in standing.reason) == ("changed", True)
    assert "code changed" in desk.memory.recall("after how many seconds are requests given up?").text()


def test_what_is_as_it_was_again_has_no_drift(desk: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is short.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify()
    desk.edit("src/app.py", "TIMEOUT = 60", "TIMEOUT = 30")
    assert desk.memory.verify().counts == {"holds": 1}
    assert desk.drift(address) == ""


def test_looking_twice_writes_once(desk: Desk) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    assert desk.memory.verify().seq == 0
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    assert desk.memory.verify().seq > 0
    assert desk.memory.verify().seq == 0


def test_drift_is_written_down_by_the_system(desk: Desk) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify()
    with desk.memory.store.reading() as reader:
        event = next(reader.events(desk.memory.scope.namespace, latest=True))
    assert (event.operation, event.layer) == ("memory_verify", "system")
    assert "1 changed" in event.summary


def test_what_still_holds_is_accepted_as_the_code_is_now(desk: Desk) -> None:
    address = desk.save("TIMEOUT is deliberate.", anchors=["src/app.py:3", {"type": "symbol", "symbol": "TIMEOUT"}])
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    assert desk.memory.verify(address).items[0].verdict == "changed"
    desk.memory.verify(address, accept=True)
    assert desk.drift(address) == ""
    assert desk.memory.verify(address).items[0].verdict == "holds"
    desk.edit("src/app.py", "TIMEOUT = 60", "TIMEOUT = 30")
    assert desk.memory.verify(address).items[0].verdict == "changed"
    with pytest.raises(Invalid):
        desk.memory.verify(accept=True)


def test_a_memory_is_gone_only_when_all_its_places_are(desk: Desk) -> None:
    desk.write("src/other.py", "LIMIT = 3\n")
    address = desk.save("Both.", anchors=["src/app.py", "src/other.py"])
    desk.write("src/other.py", None)
    assert desk.memory.verify(address).items[0].verdict == "changed"
    desk.write("src/app.py", None)
    assert desk.memory.verify(address).items[0].verdict == "gone"
    assert desk.drift(address) == "gone"


def test_a_moved_symbol_takes_its_file_with_it(desk: Desk) -> None:
    address = desk.save("`parse_date` in src/app.py takes the day first.")
    desk.git("mv", "src/app.py", "src/web.py")
    assert desk.memory.verify(address).items[0].verdict == "moved"
    assert desk.anchors(address) == ["file src/web.py", "symbol parse_date"]
    assert [item.address for item in desk.memory.spatial("src/web.py").items] == [address[:12]]
    assert desk.memory.spatial("src/app.py").items == ()


def test_only_what_is_about_a_path_is_looked_at(desk: Desk) -> None:
    desk.write("lib/other.py", "LIMIT = 3\n")
    desk.save("src/app.py answers.")
    desk.save("lib/other.py limits.")
    assert desk.memory.verify(path="lib").looked_at == 1
    assert desk.memory.verify(path="./lib/other.py").looked_at == 1
    assert desk.memory.verify().looked_at == 2
    engine, asker = desk.memory.engine, desk.memory.call.asker
    assert verify_paths(engine, asker, ["src/app.py", "nothing.py"]).looked_at == 1
    assert verify_paths(engine, asker, []).looked_at == 0


def test_what_happened_is_not_verified_with_the_rest(desk: Desk) -> None:
    desk.save("It broke in src/app.py.", kind="incident", anchors=["src/app.py"])
    desk.save("Edited src/app.py.", kind="observation", anchors=["src/app.py"])
    assert desk.memory.verify().looked_at == 0


def test_what_was_never_seen_is_left_as_it_stands(desk: Desk) -> None:
    address = desk.save("A file to come.", anchors=["src/later.py", {"type": "symbol", "symbol": "Nobody.knows"}])
    assert desk.memory.verify(address).items[0].verdict == "unknown"
    assert desk.drift(address) == ""
    desk.write("src/later.py", "x = 1\n")
    assert desk.memory.verify(address).items[0].verdict == "holds"


def test_commits_hold_until_they_are_no_longer_part_of_it(desk: Desk) -> None:
    first = desk.git("rev-parse", "HEAD")
    second = desk.commit("second")
    address = desk.save("It was fixed there.", anchors=[{"type": "commit", "target": second[:10]}])
    assert desk.memory.verify(address).items[0].verdict == "holds"
    desk.git("reset", "--quiet", "--hard", first)
    assert desk.memory.verify(address).items[0].verdict == "changed"


def test_a_forgotten_memory_is_not_verified(desk: Desk) -> None:
    address = desk.save("src/app.py answers.")
    desk.memory.forget(address)
    assert desk.memory.verify().looked_at == 0
    with pytest.raises(Conflict):
        desk.memory.verify(address)


def test_without_the_folder_nothing_is_verified(desk: Desk) -> None:
    from dataclasses import replace

    with pytest.raises(Invalid):
        verify(desk.memory.engine, replace(desk.memory.call.asker, root=""))


def test_anchors_from_before_get_their_evidence_at_the_first_look(desk: Desk) -> None:
    from dataclasses import replace

    call = desk.memory.call
    desk.memory.__dict__["call"] = replace(call, asker=replace(call.asker, root=""))
    address = desk.save("From elsewhere.", anchors=["src/app.py:3", {"type": "symbol", "symbol": "Store.close"}])
    desk.memory.__dict__["call"] = call
    assert desk.memory.verify(address).items[0].verdict == "holds"
    desk.write("src/app.py", APP.replace("self.done = True", "self.done = False"))
    assert desk.memory.verify(address).items[0].verdict == "changed"


def test_a_folder_without_git_is_verified_too(desk: Desk) -> None:
    import shutil

    address = desk.save("`parse_date` in src/app.py takes the day first.")
    shutil.rmtree(desk.root / ".git")
    (desk.root / "src" / "app.py").rename(desk.root / "src" / "web.py")
    assert desk.memory.verify(address).items[0].verdict == "moved"


def test_a_file_in_the_middle_of_a_change_is_not_judged(desk: Desk) -> None:
    address = desk.save("`Store.rows` in src/app.py is slow.")
    desk.edit("src/app.py", "    def rows(self, limit):\n", "    def rows(self, (((:\n")
    assert desk.memory.verify(address).items[0].verdict in ("unknown", "changed", "holds")
    assert desk.drift(address) != "gone"
    desk.write("src/app.py", APP)
    desk.memory.verify(address)
    assert desk.drift(address) == ""


def test_other_line_ends_change_nothing(desk: Desk) -> None:
    desk.write("src/text.py", 'HELP = """one\ntwo\n"""\n\n\ndef show(a):\n    return a + HELP\n')
    given = ["src/text.py:1-3", {"type": "symbol", "symbol": "show"}, {"type": "symbol", "symbol": "HELP"}]
    address = desk.save("The help is shown.", anchors=given)
    text = (desk.root / "src/text.py").read_bytes()
    (desk.root / "src/text.py").write_bytes(text.replace(b"\n", b"\r\n"))
    assert desk.memory.verify(address).items[0].verdict == "holds"


def test_a_method_of_the_same_name_is_not_the_function(desk: Desk) -> None:
    desk.write(
        "src/two.py",
        "def close(a):\n    a.end()\n    return a.state\n\n\nclass Box:\n    def close(self):\n        pass\n",
    )
    address = desk.save("It ends it.", anchors=[{"type": "symbol", "symbol": "close", "path": "src/two.py"}])
    desk.write("src/two.py", "class Box:\n    def close(self):\n        pass\n")
    assert desk.memory.verify(address).items[0].verdict == "gone"
