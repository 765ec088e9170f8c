"""Verification: which memories are looked at, what is written down, and what a reader is told."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from marrow.memory.anchors.checkout import Checkout
from marrow.memory.verify import verify, verify_paths
from marrow.model.errors import Conflict, Invalid, NotFound

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


FORMATTER = """class HelpFormatter:
    def __init__(self, width=80):
        # never above 80
        self.width = width

    def write(self, text):
        return text[: self.width]


def unrelated(value):
    return value
"""


@pytest.mark.parametrize(
    ("said", "old", "new", "told"),
    [
        ("`HelpFormatter` in lib/help.py limits help to 80 columns.", "width=80", "width=100", "80 is no longer in"),
        ("lib/help.py cuts at 80 columns.", "width=80", "width=100", "80 is no longer in lib/help.py"),
        ("lib/help.py leans on `unrelated` for it.", "def unrelated(", "def unrelated_one(", ""),
    ],
)
def test_a_value_that_a_memory_quotes_is_missed_when_it_is_gone(
    desk: Desk, said: str, old: str, new: str, told: str
) -> None:
    desk.write("lib/help.py", FORMATTER)
    desk.commit()
    address = desk.save(said)
    assert desk.memory.verify(address).items[0].verdict == "holds"
    desk.edit("lib/help.py", old, new)
    found = desk.memory.verify(address).items[0]
    assert told in str(found.findings)
    assert found.verdict == ("changed" if told else "moved")
    desk.edit("lib/help.py", new, old)
    assert desk.memory.verify(address).items[0].verdict in ("holds", "moved")


def test_a_value_in_a_comment_and_one_that_is_only_written_otherwise_are_no_alarm(desk: Desk) -> None:
    desk.write("lib/help.py", FORMATTER.replace("width=80", "width=8000"))
    desk.commit()
    address = desk.save("lib/help.py cuts at 8,000 columns, not at 80.")
    desk.edit("lib/help.py", "        # never above 80\n", "")
    desk.edit("lib/help.py", "width=8000", "width=8_000")
    assert desk.memory.verify(address).items[0].verdict == "holds"


def test_a_value_goes_with_its_symbol_to_another_file(desk: Desk) -> None:
    desk.write("lib/limits.py", "LIMIT = 250\n\n\ndef other():\n    return 1\n")
    desk.commit()
    address = desk.save("LIMIT in lib/limits.py is 250.")
    desk.write("lib/limits.py", "def other():\n    return 1\n")
    desk.write("lib/more.py", "LIMIT = 250\n")
    assert desk.memory.verify(address).items[0].verdict == "moved"


def test_values_are_those_of_the_text_as_it_is_now(desk: Desk) -> None:
    desk.write("lib/help.py", FORMATTER)
    desk.commit()
    old = desk.save("lib/help.py cuts at 80 columns.")
    desk.edit("lib/help.py", "width=80", "width=100")
    desk.memory.verify()
    new = desk.memory.update(old, "lib/help.py cuts at 100 columns.").address
    assert desk.memory.verify(new).items[0].verdict == "holds"
    desk.edit("lib/help.py", "width=100", "width=120")
    assert desk.memory.verify(new).items[0].verdict == "changed"
    desk.memory.verify(new, accept=True)
    assert desk.memory.verify(new).items[0].verdict == "holds"


def test_what_held_is_not_read_again_until_its_file_changes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    source = Checkout.source

    def counted(self: Checkout, path: str) -> bytes | None:
        read[path] += 1
        return source(self, path)

    desk.save("TIMEOUT in src/app.py is short.")
    desk.save("`Store` in src/app.py keeps rows.", anchors=["src/app.py:6-10"])
    os.utime(desk.root / "src/app.py", (1_000_000_000, 1_000_000_000))
    assert desk.memory.verify().counts == {"holds": 2}
    monkeypatch.setattr(Checkout, "source", counted)
    assert desk.memory.verify().counts == {"holds": 2}
    assert not read
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    assert desk.memory.verify().counts == {"changed": 1, "holds": 1}
    assert desk.memory.verify().counts == {"changed": 1, "holds": 1}


def test_a_file_that_was_just_written_is_looked_at_again(desk: Desk) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    file = desk.root / "src/app.py"
    before = os.stat(file)
    desk.memory.verify()
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert desk.memory.verify().counts == {"changed": 1}


def test_a_long_verification_says_how_far_it_is(desk: Desk) -> None:
    for number in range(3):
        desk.save(f"src/app.py is known for thing number {number}.")
    seen: list[tuple[int, int | None]] = []
    verify(desk.memory.engine, desk.memory.call.asker, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 3)


def test_what_is_accepted_is_said_to_be(desk: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is short.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify()
    told = desk.memory.perform("memory_verify", {"address": address, "accept": True}).text
    assert "accepted: pinned to the code as it is now" in told
    assert "holds" not in told


def test_a_path_in_the_place_of_an_address_is_meant_as_one(desk: Desk) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    for given in ("src/app.py", "./src/", "src"):
        assert desk.memory.verify(given).looked_at == 1
    with pytest.raises(NotFound, match=r"nothing at 'cobra\.go'"):
        desk.memory.verify("cobra.go")


def test_a_path_that_is_not_there_is_said_not_to_be(desk: Desk) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    with pytest.raises(NotFound, match="nothing at 'nothere'"):
        desk.memory.verify(path="nothere")
    desk.write("src/app.py", None)
    assert desk.memory.verify(path="src/app.py").counts == {"gone": 1}


def test_what_has_another_name_now_is_recalled_with_it(desk: Desk) -> None:
    address = desk.save("`parse_date` in src/app.py takes the day first.")
    desk.edit("src/app.py", "def parse_date(", "def read_date(")
    assert desk.memory.verify(address).items[0].verdict == "moved"
    for _ in range(2):
        told = desk.memory.recall("how does parse_date take the day?").text()
        assert "parse_date is read_date (src/app.py) now" in told
        assert "parse_date is read_date (src/app.py) now" in desk.memory.get(address).text()
        assert desk.memory.verify(address).items[0].verdict == "holds"
    desk.edit("src/app.py", "def read_date(", "def parse_date(")
    desk.memory.verify()
    assert desk.drift(address) == ""


def test_what_has_another_path_now_is_recalled_with_it(desk: Desk) -> None:
    address = desk.save("src/app.py answers requests in turn.")
    desk.git("mv", "src/app.py", "src/web.py")
    desk.memory.verify()
    assert "src/app.py is src/web.py now" in desk.memory.recall("what answers requests?").text()
    new = desk.memory.update(address, "src/web.py answers requests in turn.").address
    desk.memory.verify()
    assert desk.drift(desk.memory.get(new).address) == ""


def test_lines_that_went_to_another_file_and_came_back_are_known_again(desk: Desk) -> None:
    """As when a branch on which a file has another name is left again: git knows nothing of that name then."""
    address = desk.save("The limit is short, see src/app.py:3.")
    desk.git("mv", "src/app.py", "src/main.py")
    assert "moved: src/app.py:3 is at src/main.py:3 now" in desk.memory.perform("memory_verify", {}).text
    desk.git("mv", "src/main.py", "src/app.py")
    assert "moved: src/main.py:3 is at src/app.py:3 now" in desk.memory.perform("memory_verify", {}).text
    assert desk.memory.verify().counts == {"holds": 1}
    assert desk.drift(address) == ""


def test_few_lines_of_a_file_that_is_gone_are_not_taken_for_others_that_only_read_alike(desk: Desk) -> None:
    desk.save("The limit is short, see src/app.py:3.")
    desk.write("src/app.py", None)
    desk.write("src/other.py", "OTHER = 1\nTIMEOUT = 30\nMORE = 2\n")
    assert "gone: src/app.py is no longer there" in desk.memory.perform("memory_verify", {}).text


def test_what_is_said_of_several_places_is_said_once(desk: Desk) -> None:
    desk.save("In src/app.py, Store.close() forgets the lock and TIMEOUT is too short.")
    desk.git("mv", "src/app.py", "src/main.py")
    assert desk.memory.perform("memory_verify", {}).text.count("src/app.py is src/main.py now") == 1


def test_of_many_lines_one_that_changed_is_told_as_one(desk: Desk) -> None:
    body = "".join(f"    total = total + amount_of_part_{number}(rows)\n" for number in range(60))
    desk.write("src/long.py", f"def whole(rows):\n    total = 0\n{body}    return total\n")
    desk.commit()
    by_lines = desk.save("It adds up.", anchors=["src/long.py:1-63"])
    by_symbol = desk.save("All of it is added.", anchors=["src/long.py::whole"])
    desk.edit("src/long.py", "total = 0", "total = 1")
    desk.memory.verify()
    for address in (by_lines, by_symbol):
        reason = desk.record(address).standing.reason
        assert "total = 0 -> 1" in reason
        assert "more" not in reason


def test_lines_that_were_deleted_are_not_taken_for_their_twin(desk: Desk) -> None:
    one = "def count_of_apples(basket, season):\n    return sum(1 for fruit in basket if fruit.ripe(season))\n"
    two = one.replace("apples", "pears")
    desk.write("src/fruit.py", f"{one}\n\n{two}")
    desk.write("src/copy.py", one)
    desk.commit()
    here, whole = desk.save("Ripe ones.", anchors=["src/fruit.py:1-2"]), desk.save("All.", anchors=["src/fruit.py:1-6"])
    desk.write("src/fruit.py", two)
    assert desk.memory.verify(here).items[0].verdict == "gone"
    desk.commit()
    assert desk.memory.verify(here).items[0].verdict == "gone"
    desk.write("src/fruit.py", None)
    assert desk.memory.verify(here).items[0].verdict == "gone"
    assert desk.memory.verify(whole).items[0].verdict == "gone"


def test_lines_that_went_to_another_file_are_found_there_though_a_twin_stayed(desk: Desk) -> None:
    one = "def count_of_apples(basket, season):\n    return sum(1 for fruit in basket if fruit.ripe(season))\n"
    two = one.replace("apples", "pears")
    desk.write("src/fruit.py", f"{one}\n\n{two}")
    desk.commit()
    address = desk.save("Ripe ones.", anchors=["src/fruit.py:1-2"])
    desk.write("src/fruit.py", two)
    desk.write("src/apples.py", one)
    assert desk.memory.verify(address).items[0].verdict == "moved"
    assert desk.anchors(address) == ["lines src/apples.py"]


def test_what_was_deleted_from_a_file_with_an_error_elsewhere_is_gone(desk: Desk) -> None:
    odd = "def stays(:\n    return 2\n"
    desk.write("src/odd.py", f"def goes(text):\n    return text.strip().lower()\n\n\n{odd}")
    desk.commit()
    address = desk.save("Lower case.", anchors=["src/odd.py::goes"])
    desk.edit("src/odd.py", "def goes(text):", "def goes(text:")
    assert desk.memory.verify(address).items[0].verdict != "gone"
    desk.write("src/odd.py", odd)
    assert desk.memory.verify(address).items[0].verdict == "gone"


@pytest.mark.parametrize(
    ("before", "after", "drift"),
    [
        ("[a]\nport = 80\n", "[z]\nhost = 'q'\n", "changed"),
        ("[a]\nport = 80\nhost = 'here'\nuser = 'me'\n", "", "changed"),
        ("[a]\nport = 80\nhost = 'here'\nuser = 'me'\n", "[a]\nport = 81\nhost = 'here'\nuser = 'me'\n", ""),
        ("[a]\nport = 80\n", "# where it listens\n\n[a]\n  port =   80\n", ""),
        ("1.2.3\n", "9.9.9\n", "changed"),
        ("1.2.3\n", "1.2.3\n\n", ""),
    ],
    ids=["other words", "emptied", "one value", "written otherwise", "a version", "a blank line"],
)
def test_of_a_short_file_that_is_meant_as_a_whole_it_is_seen_when_nothing_of_it_is_left(
    desk: Desk, before: str, after: str, drift: str
) -> None:
    desk.write("conf.toml", before)
    desk.commit()
    address = desk.save("It is set there.", anchors=["conf.toml"])
    desk.write("conf.toml", after)
    desk.memory.verify()
    assert desk.drift(address) == drift
