"""Running: what is due is computed once, versions cascade only where values change, errors are kept and tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.derive.run import ATTEMPTS_MAX, RETRY_MICROS, Ran, Workshop, derive
from marrow.derive.table import Input, Task, each, table_of
from marrow.derive.tally import Tally
from marrow.model.derivation import DONE, DUE, FAILED, LATER, STOP, Derivation, Derived
from marrow.model.errors import Conflict
from marrow.model.scope import Principal
from marrow.store import open_store
from marrow.store.protocol import Store
from marrow.store.receive import erase

from ..store.door import Door

Functions = dict[str, tuple[Derivation, Callable[..., Any]]]


class Bench:
    """A store with documents, and functions that a test declares and changes as it likes."""

    def __init__(self, store: Store) -> None:
        self.door = Door(store)
        self.now = self.door.now
        self.functions: Functions = {}
        self.runs: list[str] = []
        self.tally = Tally()
        self.tally.listeners.append(lambda name, given: self.runs.append(name))

    def declare(self, name: str, function: Callable[..., Any], **more: Any) -> None:
        self.functions[name] = (Derivation(name, **{"kinds": ("document",), **more}), function)

    def document(self, text: str) -> Input:
        return Input(self.door.say(text, kind="document"), "document", text)

    def run(self, *inputs: Input, **how: Any) -> Ran:
        def maker(function: Callable[..., Any]) -> Any:
            return each(lambda task: function(*task.values))

        declared = [(one, maker(function)) for one, function in self.functions.values()]
        shop = Workshop(
            self.door.store,
            "local",
            Principal("tester"),
            "tester",
            "p",
            lambda: self.now,
            table_of(declared=declared),
            self.tally,
        )
        return derive(shop, inputs, **{"whens": (LATER,), **how})

    def taken(self) -> list[str]:
        runs, self.runs = sorted(self.runs), []
        return runs

    def row(self, given: Input, name: str) -> Derived:
        (found,) = self.door.ask(lambda r: r.derived("local", [given.digest], names=[name]))
        return found


@pytest.fixture(params=["memory", "sqlite"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    store = open_store("memory:" if request.param == "memory" else str(tmp_path / "marrow.db"))
    yield Bench(store)
    store.close()


def words(text: str) -> int:
    return len(text.split())


def test_value_is_kept_with_its_lineage_and_computed_once(bench: Bench) -> None:
    bench.declare("words", words)
    one = bench.document("Three words here.")
    assert bench.run(one).ran == 1
    row = bench.row(one, "words")
    assert (row.result, row.state, row.version, row.actor, row.attempts, row.at) == (
        3,
        DONE,
        "1",
        "tester",
        1,
        bench.now,
    )
    assert bench.run(one) == Ran()
    assert bench.taken() == ["words"]


def test_derivation_is_only_for_its_kinds(bench: Bench) -> None:
    bench.declare("words", words)
    bench.run(Input(bench.door.say("A claim."), "claim", "A claim."))
    assert bench.taken() == []


def test_new_version_computes_its_own_and_what_depends_on_it_only_where_its_value_changed(bench: Bench) -> None:
    bench.declare("words", words)
    bench.declare("is_long", lambda count: count > 3, of=("words",))
    bench.declare("told", lambda long: "long" if long else "short", of=("is_long",))
    short, long = bench.document("Two words."), bench.document("One two three four five.")
    bench.run(short, long)
    assert bench.taken() == ["is_long"] * 2 + ["told"] * 2 + ["words"] * 2

    bench.declare("words", lambda text: max(words(text), 2), version="2")  # the same values
    assert bench.run(short, long).changed == 0
    assert bench.taken() == ["words"] * 2

    bench.declare("words", lambda text: words(text) + 1, version="3")  # others, which are as long or short as before
    bench.run(short, long)
    assert bench.taken() == ["is_long"] * 2 + ["words"] * 2

    bench.declare("words", lambda text: 9, version="4")
    bench.run(short, long)
    assert bench.taken() == ["is_long"] * 2 + ["told"] + ["words"] * 2
    assert bench.row(short, "told").result == "long"


def test_dependents_that_are_not_run_with_it_are_marked_and_found_later(bench: Bench) -> None:
    bench.declare("words", words)
    bench.declare("double", lambda count: 2 * count, of=("words",))
    one = bench.document("Two words.")
    bench.run(one)
    bench.declare("words", lambda text: 7, version="2")
    bench.run(one, names=["words"], cascade=False)
    assert bench.row(one, "double").state == DUE
    bench.taken()
    bench.run(one)
    assert bench.taken() == ["double"]
    assert bench.row(one, "double").result == 14


def test_mark_on_what_is_the_same_is_taken_off_without_a_run(bench: Bench) -> None:
    bench.declare("words", words)
    one = bench.document("Two words.")
    bench.run(one)
    with bench.door.store.writing() as writer:
        writer.mark_due("local", [one.digest], ["words"])
    bench.taken()
    bench.run(one)
    assert (bench.row(one, "words").state, bench.taken()) == (DONE, [])


def test_error_is_kept_with_its_text_and_the_rest_goes_on(bench: Bench) -> None:
    def only_short(text: str) -> int:
        if len(text) > 10:
            raise ValueError("it is too long")
        return len(text)

    bench.declare("size", only_short)
    bench.declare("double", lambda size: 2 * size, of=("size",))
    short, long = bench.document("Short."), bench.document("Much too long a text.")
    ran = bench.run(long, short)
    assert (ran.ran, ran.failed, ran.errors[0].input) == (3, 1, long.digest)
    row = bench.row(long, "size")
    assert (row.state, row.error, row.value, row.attempts) == (FAILED, "ValueError: it is too long", "", 1)
    assert bench.row(short, "double").result == 12
    assert bench.door.ask(lambda r: r.derived("local", [long.digest], names=["double"])) == []


def test_failure_is_tried_again_later_a_few_times_and_at_once_when_asked(bench: Bench) -> None:
    bench.declare("size", lambda text: 1 // 0 if False else int("x"))
    one = bench.document("A text.")
    bench.run(one)
    bench.run(one)
    assert bench.taken() == ["size"]
    for attempt in range(1, ATTEMPTS_MAX + 2):
        bench.now += attempt * RETRY_MICROS
        bench.run(one)
    assert bench.row(one, "size").attempts == ATTEMPTS_MAX
    bench.taken()
    bench.declare("size", lambda text: 5)
    bench.run(one, retry=True)
    assert (bench.row(one, "size").result, bench.row(one, "size").state) == (5, DONE)
    assert bench.taken() == ["size"]


def test_derivation_that_stops_on_errors_ends_the_batch_after_its_row_was_kept(bench: Bench) -> None:
    bench.declare("size", lambda text: int("x") if text.startswith("Bad") else len(text), on_error=STOP)
    bench.declare("zzz", words)
    good, bad, never = bench.document("Good."), bench.document("Bad."), bench.document("Never.")
    with pytest.raises(Conflict) as caught:
        bench.run(good, bad, never)
    assert "size" in caught.value.message
    assert caught.value.hint
    assert (bench.row(good, "size").state, bench.row(bad, "size").state) == (DONE, FAILED)
    assert bench.door.ask(lambda r: r.derived("local", [never.digest])) == []
    assert bench.taken() == ["size", "size"]


def test_named_ones_are_computed_even_when_they_are_not_due(bench: Bench) -> None:
    bench.declare("words", words)
    bench.declare("double", lambda count: 2 * count, of=("words",))
    one = bench.document("Two words.")
    bench.run(one, names=["double"])
    assert bench.taken() == ["double", "words"]
    bench.run(one, names=["words"], force=True)
    assert bench.taken() == ["words"]


def test_value_of_an_erased_node_does_not_come_back(bench: Bench) -> None:
    one = bench.document("Marguerite lives in Passau.")

    def erase_meanwhile(text: str) -> str:
        bench.door.now += 1
        erase(
            bench.door.store,
            Principal("tester"),
            "local",
            [one.digest],
            actor="tester",
            now=bench.door.now,
            entropy=bench.door.entropy,
        )
        return text.upper()

    bench.declare("loud", erase_meanwhile)
    bench.run(one)
    assert bench.door.ask(lambda r: r.derived_rows("local")) == []


def test_user_secret_is_redacted_from_what_a_function_gives(bench: Bench) -> None:
    token = "ghp_" + "Zq7" * 12
    bench.declare("leak", lambda text: {"found": token})
    one = bench.document("A text.")
    bench.run(one)
    assert token not in bench.row(one, "leak").value


def test_what_cannot_be_computed_is_a_problem_and_nothing_else() -> None:
    def never(task: Task) -> None:
        raise AssertionError

    table = table_of(
        declared=[
            (Derivation("lost", of=("nobody",)), each(never)),
            (Derivation("hen", of=("egg",)), each(never)),
            (Derivation("egg", of=("hen",)), each(never)),
            (Derivation("of_index", of=("embedding",)), each(never)),
            (Derivation("summary"), each(never)),
            (Derivation("fine"), each(never)),
        ]
    )
    names = {one.name for one in table.ordered}
    assert "fine" in names
    assert not names & {"lost", "hen", "egg", "of_index"}
    assert {"lost", "hen", "egg", "of_index", "summary 1"} == table.problems.keys()
    assert "nobody" in table.problems["lost"]
    assert table.named("summary").provider == "local"  # type: ignore[union-attr]


def test_value_that_is_no_json_is_the_functions_failure(bench: Bench) -> None:
    bench.declare("bad", lambda text: {1, 2})
    bench.declare("nan", lambda text: float("nan"))
    one = bench.document("A text.")
    assert bench.run(one).failed == 2
    assert bench.row(one, "bad").state == bench.row(one, "nan").state == FAILED


def test_file_has_what_is_of_files_and_what_is_of_that(bench: Bench) -> None:
    file = Input("ab" * 32, path="talk.wav", project="p", is_file=True)
    bench.declare("words", words)
    bench.declare("length", len, of=("transcript",), kinds=())
    heard = each(lambda task: f"heard {task.input.path}")
    shop_table = table_of(
        declared=[(one, each(lambda task: len(task.values[0]))) for one, _ in bench.functions.values()],
        makers={"transcript": heard},
    )
    shop = Workshop(bench.door.store, "local", Principal("t"), "t", "p", lambda: bench.now, shop_table, bench.tally)
    derive(shop, [file], names=["transcript"])
    assert bench.taken() == ["length", "transcript"]
    row = bench.row(file, "transcript")
    assert (row.result, row.path, row.project) == ("heard talk.wav", "talk.wav", "p")
    assert bench.row(file, "length").result == len("heard talk.wav")
