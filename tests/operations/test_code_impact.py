"""code: what a name means, what a change touches, and how that is told."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Ambiguous, NotFound

from .conftest import PROJECT, Do

CHECKS = """package press;

public class Check {
    public static void full(Object tray) {
        if (tray == null) throw new Empty();
    }

    public static void full(Object tray, String why) {
        if (tray == null) throw new Empty(why);
    }
}
"""
PRESS = """package press;

public class Press {
    void start(Object tray) {
        Check.full(tray);
    }

    void stop(Object tray) {
        Check.full(tray, "nothing to stop");
    }
}
"""
COMMANDS = """WIDTH_MAX = 80


class Command:
    def main(self):
        return self.invoke()

    def invoke(self):
        return 1


class Group(Command):
    def invoke(self):
        return lowest()


def lowest():
    return WIDTH_MAX


def width():
    return WIDTH_MAX - 2
"""
STEPS = "def step0():\n    return 0\n\n\n" + "\n\n".join(
    f"def step{n}():\n    return step{n - 1}()\n" for n in range(1, 8)
)


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "press").mkdir(parents=True)
    (folder / "press" / "Check.java").write_text(CHECKS, encoding="utf-8")
    (folder / "press" / "Press.java").write_text(PRESS, encoding="utf-8")
    (folder / "commands.py").write_text(COMMANDS, encoding="utf-8")
    (folder / "steps.py").write_text(STEPS, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "The press")
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")


def test_a_name_means_all_its_overloads(do: Do) -> None:
    assert {one.name for one in do("code_callers", symbol="Check.full").items} == {"Press.start", "Press.stop"}
    found = do("code_impact", symbol="Check.full")
    assert found.of == ("Check.full",)
    assert {one.name for one in found.items} == {"Press.start", "Press.stop"}
    assert set(do("code_callees", symbol="Check.full").loose) == {"Empty{}"}


def test_what_calls_an_overload_is_reached_from_further_away(do: Do, root: Path) -> None:
    edit(root, "press/Check.java", "throw new Empty(why)", "Low.fail()")
    (root / "press" / "Low.java").write_text(
        "package press;\n\nclass Low {\n    static void fail() {\n    }\n}\n", encoding="utf-8"
    )
    reached = {one.name: one.distance for one in do("code_impact", symbol="Low.fail").items}
    assert reached == {"Check.full": 1, "Press.start": 2, "Press.stop": 2}


def test_callers_of_a_method_tell_the_one_that_it_overrides(do: Do, said: Do) -> None:
    found = do("code_callers", symbol="Group.invoke")
    assert [(one["name"], one["calls"]) for one in found.above] == [("Command.invoke", 1)]
    text = said("code_callers", symbol="Group.invoke")
    assert "may be reached through Command.invoke (commands.py:8), which it overrides: 1 call" in text.splitlines()


def test_impact_goes_through_what_is_overridden_with_less_confidence(do: Do) -> None:
    (found,) = do("code_impact", symbol="Group.invoke").items
    assert (found.name, found.through) == ("Command.main", "Command.invoke")
    assert found.confidence < 0.6
    assert [(one.name, one.distance) for one in do("code_impact", symbol="lowest").items] == [
        ("Group.invoke", 1),
        ("Command.main", 2),
    ]


def test_impact_of_a_constant_says_where_its_name_stands(do: Do, said: Do) -> None:
    found = do("code_impact", symbol="WIDTH_MAX")
    assert [(one.line, one.name) for one in found.places] == [(18, "lowest"), (22, "width")]
    text = said("code_impact", symbol="WIDTH_MAX")
    assert "only calls are followed; its name stands in 2 places" in text
    assert "commands.py:22 width  return WIDTH_MAX - 2" in text


def test_impact_of_a_diff_begins_with_what_is_deleted_and_still_called(do: Do, said: Do, root: Path) -> None:
    edit(root, "commands.py", "def lowest():\n    return WIDTH_MAX\n", "")
    (found,) = do("code_impact", diff="HEAD").broken
    assert (found.what, found.name, found.path, found.total) == ("deleted", "lowest", "commands.py", 1)
    assert [(one.path, one.name, one.content) for one in found.places] == [
        ("commands.py", "Group.invoke", "return lowest()")
    ]
    assert said("code_impact", diff="HEAD").startswith("gone, and still named:\n  deleted lowest")


def test_impact_of_a_diff_tells_old_names_that_are_still_used(do: Do, root: Path) -> None:
    edit(root, "steps.py", "def step3():", "def third():")
    (found,) = do("code_impact", diff="HEAD").broken
    assert (found.what, found.name) == ("renamed", "step3")
    assert [one.name for one in found.places] == ["step4"]


def test_a_deleted_member_is_not_blamed_for_the_same_name_elsewhere(do: Do, root: Path) -> None:
    (root / "other.py").write_text("def read(table):\n    return table.invoke_all()\n", encoding="utf-8")
    edit(
        root,
        "commands.py",
        "        return self.invoke()\n",
        "        return 1\n\n    def invoke_all(self):\n        pass\n",
    )
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "more")
    edit(root, "commands.py", "    def invoke_all(self):\n        pass\n", "")
    assert do("code_impact", diff="HEAD").broken == ()


def test_impact_alone_is_of_what_is_not_committed(do: Do, said: Do, root: Path) -> None:
    assert said("code_impact") == "No function or type changed since the last commit, so nothing is touched."
    edit(root, "commands.py", "WIDTH_MAX - 2", "WIDTH_MAX - 3")
    assert do("code_impact").of == ("width",)


def test_impact_says_that_more_lies_beyond(do: Do, said: Do) -> None:
    found = do("code_impact", symbol="step0", distance=3)
    assert ([one.name for one in found.items], found.beyond) == (["step1", "step2", "step3"], 1)
    assert "(at least 1 more beyond 3 calls: raise distance)" in said("code_impact", symbol="step0", distance=3)
    assert do("code_impact", symbol="step5").beyond == 0


def test_impact_keeps_memories_of_the_symbol_apart_from_those_of_its_file(do: Do) -> None:
    do("memory_save", content="`Group.invoke` runs what is lowest.", anchors=["commands.py"])
    do("memory_save", content="`Command.main` gives back a code.")
    do("memory_save", content="This file has no tests yet.", anchors=["commands.py"])
    found = do("code_impact", symbol="Group.invoke")
    assert [one["title"] for one in found.memories] == ["`Group.invoke` runs what is lowest."]
    assert [one["title"] for one in found.of_files] == ["This file has no tests yet."]
    of_type = do("code_impact", symbol="Group").memories
    assert [one["title"] for one in of_type] == ["`Group.invoke` runs what is lowest."]


def test_several_of_a_name_are_listed_once_each_with_their_lines(do: Do, root: Path) -> None:
    edit(
        root, "press/Press.java", "void start(", "void full(int a) {\n    }\n    void full() {\n    }\n    void start("
    )
    with pytest.raises(Ambiguous) as problem:
        do("code_callers", symbol="full")
    message = problem.value.message
    assert message.count("press/Check.java::Check.full (line 4)") == 1
    assert message.count("press/Press.java::Press.full") == 1
    assert "path:line" in (problem.value.hint or "")


def test_a_type_is_meant_rather_than_its_constructor(do: Do, root: Path) -> None:
    edit(root, "press/Press.java", "    void start(", "    Press() {\n    }\n\n    void start(")
    assert do("code_callers", symbol="Press").kind == "class"


def test_one_is_told_as_one(said: Do, root: Path) -> None:
    assert said("code_callers", symbol="lowest").startswith("lowest (commands.py:17): 1 call\n")
    assert "1 symbol depends on it" in said("code_impact", symbol="Group.invoke")
    edit(root, "commands.py", "WIDTH_MAX - 2", "WIDTH_MAX - 3")
    assert said("code_changes").startswith("since the last commit: 1 modified in 1 file\n")
    assert said("code_callers", symbol="Group").startswith("Nowhere is one of Group (commands.py:12) made")


def test_a_limit_takes_the_first_of_the_whole_list(do: Do, root: Path) -> None:
    more = "".join(f"\n\ndef use{n}():\n    return width()\n" for n in range(9))
    edit(root, "commands.py", "WIDTH_MAX - 2\n", f"WIDTH_MAX - 2\n{more}")
    (root / "a.py").write_text("def first(x):\n    return x.width()\n", encoding="utf-8")
    whole = do("code_callers", symbol="width").items
    few = do("code_callers", symbol="width", limit=3)
    assert (few.items, few.left_out) == (whole[:3], len(whole) - 3)


def test_changes_of_a_path_count_its_files_alone(do: Do, root: Path) -> None:
    edit(root, "commands.py", "WIDTH_MAX - 2", "WIDTH_MAX - 3")
    edit(root, "press/Press.java", "nothing to stop", "nothing")
    assert do("code_changes").files == 2
    assert do("code_changes", path="press").files == 1
    assert do("code_changes", path="steps.py").files == 0


def test_a_type_that_moved_is_one_line(do: Do, said: Do, root: Path) -> None:
    text = (root / "commands.py").read_text(encoding="utf-8")
    start, end = text.index("class Group"), text.index("def lowest")
    (root / "group.py").write_text(text[start:end].rstrip() + "\n", encoding="utf-8")
    (root / "commands.py").write_text(text[:start] + text[end:], encoding="utf-8")
    (found,) = do("code_changes").items
    assert (found.what, found.name, found.was, found.members) == ("moved", "Group", "commands.py::Group", 1)
    assert said("code_changes").endswith("class Group (was commands.py::Group), with 1 member")
    assert [one.name for one in do("code_changes", kind="method").items] == ["Group.invoke"]


def test_a_function_map_says_that_signatures_were_left_out(do: Do, said: Do, root: Path) -> None:
    heads = "\n\n".join(f"def told{n}(one, other, and_another):\n    pass\n" for n in range(30))
    (root / "many.py").write_text(heads, encoding="utf-8")
    told = re.search(r"signatures left out: budget_tokens=(\d+) has them", said("code_function_map", path="many.py"))
    assert told is not None
    assert "told29(one, other, and_another)" in said("code_function_map", path="many.py", budget_tokens=int(told[1]))
    whole = said("code_function_map", path="many.py", budget_tokens=3000)
    assert "def told29(one, other, and_another)" in whole
    assert "left out" not in whole
    assert "left out" not in said("code_function_map", path="commands.py")


def test_a_function_map_that_no_number_of_tokens_has_room_for_says_so(said: Do, root: Path) -> None:
    heads = "\n\n".join(f"def told{n}(one, other, and_another):\n    pass\n" for n in range(900))
    (root / "many.py").write_text(heads, encoding="utf-8")
    assert "signatures and more left out: code_symbols lists them" in said("code_function_map", path="many.py")
    whole = said("code_function_map", path="many.py", budget_tokens=5000)
    assert "signatures left out: code_symbols lists them" in whole


def test_a_function_map_says_what_was_renamed_as_changes_do(do: Do, said: Do, root: Path) -> None:
    edit(root, "steps.py", "step7", "seventh")
    (change,) = do("code_changes").items
    assert (change.what, change.was) == ("renamed", "steps.py::step7")
    text = said("code_function_map", path="steps.py")
    assert "1 RENAMED" in text
    assert "RENAMED (was steps.py::step7)" in text
    assert " NEW" not in text


def test_lines_are_counted_as_an_editor_does(do: Do, root: Path) -> None:
    (root / "short.py").write_text("def one():\n    return 1", encoding="utf-8")
    assert do("code_function_map", path="short.py").items[0].lines == 2
    assert do("code_function_map", path="commands.py").items[0].lines == len(COMMANDS.splitlines())
    edit(root, "commands.py", "WIDTH_MAX - 2", "WIDTH_MAX - 3")
    assert do("code_function_map", path="commands.py").items[0].lines == len(COMMANDS.splitlines())


def test_a_call_graph_takes_a_file_in_the_place_of_a_symbol(do: Do) -> None:
    assert do("code_call_graph", symbol="steps.py").of == "steps.py"


def test_what_a_name_begins_is_offered(said: Do, do: Do) -> None:
    assert said("code_symbols", name="Comm") == "No symbol of 'Comm'. Comm* finds what begins so: Command."
    with pytest.raises(NotFound) as problem:
        do("code_callers", symbol="Width")
    assert problem.value.hint == "Did you mean width?"


GENERATED = "// Code generated by a tool. DO NOT EDIT.\npackage api\n\ntype Account struct {\n\tName string\n}\n"
BY_HAND = "package api\n\ntype Account struct {\n\tName string\n}\n\nfunc Open() {}\n"


@pytest.mark.parametrize("is_mapped_before", [False, True])
def test_a_generated_file_is_neither_before_nor_after_a_change(do: Do, root: Path, is_mapped_before: bool) -> None:
    (root / "api.go").write_text(GENERATED, encoding="utf-8")
    (root / "grown.go").write_text(BY_HAND, encoding="utf-8")
    (root / "tamed.go").write_text(GENERATED, encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Generated")
    if is_mapped_before:
        assert do("code_changes").items == ()
    (root / "api.go").write_text(GENERATED.replace("Name", "Label"), encoding="utf-8")
    (root / "grown.go").write_text(GENERATED, encoding="utf-8")
    (root / "tamed.go").write_text(BY_HAND, encoding="utf-8")
    assert do("code_changes").items == ()
    assert do("code_impact").broken == ()
    (root / "api.go").unlink()
    assert do("code_changes").items == ()


def test_impact_of_a_diff_tells_what_is_deleted_with_what_is_remembered_about_it(do: Do, said: Do, root: Path) -> None:
    (root / "sums.go").write_text("package sums\n\nfunc Sum() int {\n\treturn 1\n}\n", encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Sums")
    do("memory_save", content="Do not delete Sum: the invoices count on it.", anchors=["sums.go::Sum"])
    (root / "sums.go").unlink()
    found = do("code_impact", diff="HEAD")
    assert [(one["name"], one["path"]) for one in found.deleted] == [("Sum", "sums.go")]
    text = said("code_impact", diff="HEAD")
    assert "deleted, and not named any more: Sum (sums.go)" in text
    assert "Do not delete Sum" in text
    assert "nothing is touched" not in text


def test_a_deleted_method_that_others_have_too_is_not_said_to_be_named_nowhere(said: Do, root: Path) -> None:
    (root / "bank").mkdir()
    (root / "bank" / "keeper.go").write_text(
        "package bank\n\ntype Keeper struct{}\n\nfunc (k Keeper) Send(to string) error {\n\treturn nil\n}\n",
        encoding="utf-8",
    )
    (root / "bank" / "expected.go").write_text(
        "package bank\n\ntype Sender interface {\n\tSend(to string) error\n}\n\n"
        'func pay(s Sender) error {\n\treturn s.Send("a")\n}\n',
        encoding="utf-8",
    )
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "The bank")
    (root / "bank" / "keeper.go").write_text("package bank\n\ntype Keeper struct{}\n", encoding="utf-8")
    text = said("code_impact")
    assert "deleted, and others have the name, so that its calls cannot be told: Keeper.Send (bank/keeper.go)" in text
    assert "not named any more" not in text


def test_impact_of_a_diff_tells_what_was_remembered_under_an_old_name(do: Do, root: Path) -> None:
    do("memory_save", content="Step 7 is the last one that is safe.", anchors=["steps.py::step7"])
    edit(root, "steps.py", "step7", "seventh")
    assert [one["title"] for one in do("code_impact").memories] == ["Step 7 is the last one that is safe."]


def test_impact_of_a_diff_says_where_the_name_of_a_changed_constant_stands(do: Do, said: Do, root: Path) -> None:
    edit(root, "commands.py", "WIDTH_MAX = 80", "WIDTH_MAX = 90")
    found = do("code_impact", diff="HEAD")
    assert found.of == ("WIDTH_MAX",)
    assert {place.name for place in found.places} == {"lowest", "width"}
    assert "its name stands in 2 places" in said("code_impact", diff="HEAD")


def test_headings_are_counted_and_not_listed_unless_asked_for(do: Do, said: Do, root: Path) -> None:
    notes = "# Changes\n\n" + "".join(f"## v{n}\n\n- Step {n}.\n\n" for n in range(9))
    (root / "CHANGELOG.md").write_text(notes, encoding="utf-8")
    edit(root, "commands.py", "WIDTH_MAX - 2", "WIDTH_MAX - 4")
    found = do("code_changes")
    assert [one.name for one in found.items] == ["width"]
    assert found.headings == 10
    assert "10 headings of documents changed too" in said("code_changes")
    assert len(do("code_changes", kind="heading").items) == 10
    assert len(do("code_changes", path="CHANGELOG.md").items) == 10
    assert do("code_impact").of == ("width",)
    assert "10 headings of documents changed too" in said("code_impact")


def test_tests_that_are_not_shown_are_counted(said: Do, root: Path) -> None:
    tests = "".join(f"def test_{n}():\n    assert width()\n\n\n" for n in range(8))
    (root / "test_commands.py").write_text(f"from commands import width\n\n\n{tests}", encoding="utf-8")
    text = said("code_impact", symbol="width")
    assert "tests that reach it: 8" in text
    assert "(and 3 more)" in text


MACHINE = """pub fn transition(from: u8) -> u8 {
    from + 1
}

pub fn run() -> u8 {
    transition(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake;

    impl Fake {
        fn go(&self) -> u8 {
            helper()
        }
    }

    fn helper() -> u8 {
        transition(2)
    }

    #[test]
    fn moves_on() {
        assert_eq!(helper(), transition(2));
    }
}

#[cfg(all(test, feature = "slow"))]
mod driver_tests {
    fn drives() -> u8 {
        super::transition(3)
    }
}

#[cfg(any(test, feature = "debug"))]
pub fn traced() -> u8 {
    transition(4)
}
"""


def test_tests_that_stand_in_a_file_of_rust_are_tests_also_after_a_change(do: Do, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src" / "machine.rs").write_text(MACHINE, encoding="utf-8")
    for change in ("from + 1", "from + 2"):
        edit(root, "src/machine.rs", "from + 1", change)
        edit(root, "src/machine.rs", "        transition(2)", f"        // {change}\n        transition(2)")
        found = do("code_impact", symbol="transition")
        assert {one.name for one in found.items} == {"run", "traced"}
        assert {one.name for one in found.tests} == {"tests.helper", "tests.moves_on", "driver_tests.drives", "Fake.go"}


def test_every_test_that_calls_it_is_counted(do: Do, root: Path) -> None:
    tests = "".join(f"def test_{number}():\n    assert weighed() == {number}\n\n\n" for number in range(620))
    (root / "scales.py").write_text("def weighed():\n    return 1\n")
    (root / "test_scales.py").write_text(f"from scales import weighed\n\n\n{tests}")
    assert do("code_impact", symbol="weighed").tests_in_all == 620


def test_the_first_question_finds_the_calls_of_a_macro_in_other_files(do: Do, root: Path) -> None:
    (root / "say.rs").write_text("macro_rules! told { () => {} }\npub fn shouted() {}\n")
    (root / "near.rs").write_text("fn near() { told!(2); log::shouted!(1); }\n")
    (root / "main.rs").write_text("mod say;\nmod near;\n")
    assert {one.name for one in do("code_callers", symbol="told").items} == {"near"}
    assert do("code_callers", symbol="shouted").loose == ()


def test_the_first_question_finds_calls_by_another_name_that_its_file_gives_it(do: Do, root: Path) -> None:
    (root / "node.ts").write_text(
        "function made() {}\nfunction bare() {}\nexport const node = made\nexport { bare as open }\n"
    )
    (root / "use.ts").write_text("import { node, open } from './node'\nexport function use() { node(); open() }\n")
    assert {one.name for one in do("code_callers", symbol="made").items} == {"use"}
    assert {one.name for one in do("code_callers", symbol="bare").items} == {"use"}


def test_calls_that_are_not_resolved_are_told_as_they_are_written(do: Do, said: Do, root: Path) -> None:
    again = "fn all(row: Foreign) { row.weigh(); let row = row.next(); row.weigh(); }\n"
    (root / "again.rs").write_text(f"pub struct Pear;\nimpl Pear {{ pub fn weigh(&self) {{}} }}\n{again}")
    assert {one.chain for one in do("code_callers", symbol="Pear.weigh").loose} == {"row.weigh"}
    assert set(do("code_callees", symbol="all").loose) == {"row.weigh", "row.next"}
    (root / "held.ts").write_text("export const isList = Array.isArray\n")
    (root / "asks.ts").write_text("import { isList } from './held'\nexport function asks() { isList([]) }\n")
    told = said("code_callers", symbol="isList")
    assert "is not called" not in told
    assert "asks.ts:2 asks" in told
