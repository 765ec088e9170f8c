"""The keyword index: what finds what, and that no query can break it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.change import Say
from marrow.model.link import Anchor
from marrow.model.node import Occurrence
from marrow.model.standing import Standing
from marrow.store.bm25 import K1, B
from marrow.store.protocol import Writer
from marrow.store.terms import QUERY_TERMS_MAX, query_terms, spaced_terms, terms_of

from ..door import SECOND, START, Door
from ..stores import STORES

TEXTS = {
    "stem": "The nightly builds were failing.",
    "camel": "Call getUserById before rendering.",
    "snake": "Use get_user_by_id in the worker.",
    "kebab": "The flag get-user-by-id is old.",
    "version": "Upgrade to v3.12.4 of the runtime.",
    "number": "The port is 5432.",
    "unit": "utf8 and sha256 are fine.",
    "accent": "Das Café öffnet um neun. Señor Ångström pays.",
    "chinese": "数据库连接超时",
    "japanese": "データベースが遅い",
    "korean": "서버가 느립니다",
    "plus": "C++ and C# are languages.",
    "path": "See src/marrow/store.py for it.",
    "apostrophe": "It wasn't the server's fault.",
    "greek": "Η θύρα είναι κλειστή",
    "cyrillic": "Порт закрыт",
    "russian": "Мы заменили базу данных.",
    "german": "Die Größe der Straße wird in größePrüfen geprüft.",
    "polish": "Łódź i Ørsted, İstanbul ılık.",
    "french": "L'équipe sait qu’une requête de l'utilisateur est lente.",
    "hindi": "भुगतान सेवा का डेटाबेस ज़रूरी है, १२३ बिल।",
    "arabic": "الْفَوَاتِير في قاعدة البيانات",
    "persian": "می\u200cخواهم",
    "thai": "ฐานข้อมูลช้า",
    "wide": "ＡＰＩ の ﾃﾞｰﾀ 猫",
    "rare": "𠮷野家の人々",
    "hyphen": "The sched\xaduler is slow.",
}


@pytest.fixture(scope="module", params=sorted(STORES))
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    door = Door(STORES[request.param](tmp_path_factory.mktemp("library")))
    for text in TEXTS.values():
        door.say(text)
    yield door
    door.store.close()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("build", {"stem"}),
        ("fail", {"stem"}),
        ("Building failures", {"stem"}),
        ("getUserById", {"camel", "snake", "kebab"}),
        ("get_user_by_id", {"camel", "snake", "kebab"}),
        ("get-user-by-id", {"camel", "snake", "kebab"}),
        ("user", {"camel", "snake", "kebab"}),
        ("GETUSERBYID", {"camel", "snake", "kebab"}),
        ("3.12.4", {"version"}),
        ("v3.12.4", {"version"}),
        ("12", {"version"}),
        ("5432", {"number"}),
        ("543", set()),
        ("543*", {"number"}),
        ("*432*", {"number"}),
        ("getUser*", {"camel", "snake", "kebab"}),
        ("*UserBy*", {"camel", "snake", "kebab"}),
        ("*serby*", {"camel", "snake", "kebab"}),
        ("nigh*", {"stem"}),
        ("sha", {"unit"}),
        ("sha256", {"unit"}),
        ("cafe", {"accent"}),
        ("CAFÉ", {"accent"}),
        ("cafe\u0301", {"accent"}),
        ("senor angstrom", {"accent"}),
        ("offnet", {"accent"}),
        ("数据库", {"chinese"}),
        ("连接", {"chinese"}),
        ("超时", {"chinese"}),
        ("サーバ", set()),
        ("データ", {"japanese", "wide"}),
        ("データ*", {"japanese", "wide"}),
        ("库", {"chinese"}),
        ("超*", {"chinese"}),
        ("为什么数据库超时？", {"chinese"}),
        ("猫", {"wide"}),
        ("api", {"wide"}),
        ("人々", {"rare"}),
        ("𠮷野", {"rare"}),
        ("ข้อมูล", {"thai"}),
        ("scheduler", {"hyphen"}),
        ("Strasse", {"german"}),
        ("STRASSE", {"german"}),
        ("groesse", set()),
        ("Größ*", {"german"}),
        ("grösse", {"german"}),
        ("größe_prüfen", {"german"}),
        ("lodz", {"polish"}),
        ("orsted", {"polish"}),
        ("istanbul", {"polish"}),
        ("ilik", {"polish"}),
        ("utilisateur", {"french"}),
        ("d'utilisateur", {"french"}),
        ("équipes", {"french"}),
        ("Pourquoi la requête ?", {"french"}),
        ("базы данных", {"russian"}),
        ("डेटाबेस", {"hindi"}),
        ("ज\u093cरूरी", {"hindi"}),
        ("जरूरी", {"hindi"}),
        ("123", {"hindi"}),
        ("भ", set()),
        ("فواتير", {"arabic"}),
        ("بيانات", {"arabic"}),
        ("القاعدة", {"arabic"}),
        ("Warum wir die Straße nehmen", {"german"}),
        ("die", {"german"}),
        ("میخواهم", {"persian"}),
        ("느립니다", {"korean"}),
        ("C++", {"plus"}),
        ("C#", {"plus"}),
        ("store.py", {"path"}),
        ("marrow", {"path"}),
        ("src/marrow/store.py", {"path"}),
        ("server", {"apostrophe"}),
        ("θύρα", {"greek"}),
        ("порт", {"cyrillic"}),
        ("nothing of the kind", set()),
        ("", set()),
        ("   ", set()),
    ],
)
def test_query_finds(library: Door, query: str, found: set[str]) -> None:
    assert set(library.find(query)) == {TEXTS[name] for name in found}


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "''",
        '""',
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "NEAR(a b)",
        "a AND b",
        "port OR 1=1",
        "port NOT 5432",
        "NEAR(port 5432, 3)",
        "(",
        ")",
        "((port",
        "port)",
        "body:port",
        "names : port",
        "{body names} : port",
        "^port",
        "port^",
        "-port",
        "+port",
        "port + 5432",
        "*",
        "**",
        "***",
        "* *",
        "*port",
        "port*",
        "*po*rt*",
        '*"*',
        "p*o*r*t",
        "'; DROP TABLE words; --",
        "port\x01\x02",
        "\u200b\u200d\ufeff",
        "%",
        "_",
        "*_*",
        "*%*",
        "\\",
        "*\\*",
        "[a-z]",
        "a" * 5000,
        "port " * 5000,
        "🔑🔑",
        "\ud7ff\ue000",
        "?",
        ":port",
        "@x",
        "#",
        "port#",
        ".",
        "...",
        "5432.",
    ],
)
def test_hostile_query_is_only_a_query(library: Door, query: str) -> None:
    for text in library.find(query):
        assert text in TEXTS.values()


@given(st.text(), st.sampled_from('()[]{}<>=,;*&%$!?|~^`"\\'), st.text())
def test_what_is_no_part_of_a_term_ends_it_as_a_space_does(one: str, sign: str, other: str) -> None:
    assert terms_of(one + sign + other) == terms_of(f"{one} {sign} {other}") == terms_of(f"{one} {other}")


@given(st.text(alphabet="aB9_'./:@-+#é漢 "))
def test_what_is_indexed_are_the_terms_with_a_space_between_them(text: str) -> None:
    assert spaced_terms(text) == " ".join(terms_of(text))


@given(st.text(max_size=40), st.sampled_from([" ", "\n", "\t ", "\u00a0", "\u2003", "\x1f"]), st.text(max_size=40))
def test_terms_of_two_texts_with_a_space_between_them_are_those_of_each(one: str, space: str, other: str) -> None:
    assert terms_of(one + space + other) == terms_of(one) + terms_of(other)


def test_word_is_cut_the_same_when_it_comes_again_and_however_long_it_is() -> None:
    long = "/".join(f"getUserById{n}" for n in range(40))
    for word in ("(`getUserById`,", "don’t", "naïve:", "v1.2.3", "C++", "東京都", long):
        first = terms_of(f"{word} first")
        assert terms_of(f"{word} again")[:-1] == first[:-1] != []


@given(st.text(max_size=60))
def test_a_line_has_the_same_terms_whatever_stands_in_the_others(text: str) -> None:
    lines = [*text.split("\n"), "getUserById v1.2", "Ça va, naïve “café”?", "日本語 text", "e\u0301 C++"]
    assert terms_of("\n".join(lines)) == [term for line in lines for term in terms_of(line)]


@given(st.text())
def test_no_text_breaks_the_terms(text: str) -> None:
    assert all(isinstance(term, str) and term and " " not in term for term in terms_of(text))
    wanted = query_terms(text)
    assert len(wanted) <= QUERY_TERMS_MAX
    assert len(set(wanted)) == len(wanted)


@pytest.fixture
def shelf(door: Door) -> Door:
    door.say("The port is 5432.")
    return door


@given(query=st.text(max_size=40))
def test_no_query_breaks_the_index(shelf: Door, query: str) -> None:
    assert shelf.find(query) in ([], ["The port is 5432."])


@given(
    terms=st.lists(
        st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)), max_size=8), max_size=5
    )
)
def test_no_terms_break_the_index(shelf: Door, terms: list[str]) -> None:
    assert len(shelf.ask(lambda r: r.match("local", terms, None, None, 5))) <= 1


@given(word=st.from_regex(r"[A-Za-z][a-z]{2,10}([A-Z][a-z]{1,8}){0,2}(_[a-z0-9]{1,5})?", fullmatch=True))
def test_every_word_is_found_by_itself(shelf: Door, word: str) -> None:
    text = f"Zebra {word} giraffe."
    shelf.say(text)
    assert text in shelf.find(word, limit=10_000)


def test_better_match_comes_first(door: Door) -> None:
    for n in range(20):
        door.say(f"Filler number {n} about gardens.")
    door.say("Redis and much other text about caches, queues, brokers, workers and everything else in the system.")
    door.say("Redis cache.")
    assert door.find("redis cache")[0] == "Redis cache."
    scores = door.ask(lambda r: [score for _, score in r.match("local", query_terms("redis cache"), None, None, 10)])
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert len(door.find("redis gardens", limit=5)) == 5


def test_tags_aliases_and_anchors_are_found(door: Door) -> None:
    a = door.say(
        "It broke again.",
        standing={"tags": ("flaky-test",), "aliases": ("the Heisenbug",)},
        anchors=(Anchor("file", "tests/test_clock.py"), Anchor("symbol", "Clock.tick_once")),
    )
    for query in ("flaky", "heisenbug", "test_clock", "tickOnce"):
        assert door.find(query) == ["It broke again."]
    door.restate(a, tags=("solved",), aliases=())
    assert door.find("heisenbug") == door.find("flaky") == []
    assert door.find("solved") == door.find("clock") == ["It broke again."]


def test_search_stays_within_projects_and_within_what_is_given(door: Door) -> None:
    here = door.say_so("A port here.").entry
    there = door.say_so("A port there.", project="q").entry
    assert sorted(door.find("port")) == ["A port here.", "A port there."]
    assert door.find("port", projects=("q",)) == ["A port there."]
    assert door.find("port", projects=()) == door.find("port", projects=("nowhere",)) == []
    assert door.find("port", within=[here]) == ["A port here."]
    assert door.find("port", within=[here], projects=("q",)) == []
    assert door.find("port", within=[]) == []
    assert sorted(door.find("port", within=[here, there, 99])) == ["A port here.", "A port there."]


def test_limit_holds_although_many_of_the_best_are_gone(door: Door) -> None:
    gone = [door.say(f"port port port {n}") for n in range(30)]
    for n in range(5):
        door.say(f"The port of harbour {n} is a place with many ships in it.")
    for address in gone:
        door.forget(address)
    assert len(door.find("port", limit=3)) == 3
    assert len(door.find("port", limit=10)) == 5


def test_expired_node_is_found_only_when_asked_for(door: Door) -> None:
    entry = door.say_so("A port for now.", standing={"expires_at": START + 2 * SECOND}).entry
    door.say("A port for ever.", standing={"expires_at": 4_000_000_000 * SECOND})
    assert door.find("port") == ["A port for ever."]
    assert door.near("a port for now") == ["A port for ever."]
    assert door.find("port", within=[entry]) == ["A port for now."]


def test_index_can_be_dropped_and_built_again(door: Door) -> None:
    address = door.say("The port is 5432.", standing={"tags": ("db",)})
    with door.store.writing() as writer:
        writer.clear_words()
    assert door.find("port") == []
    entry = door.record(address).entry
    with door.store.writing() as writer:
        writer.index_words(entry, spaced_terms("The port is 5432."), "db")
        writer.index_words(entry, spaced_terms("The port is 5432."), "db")
    assert door.find("port") == door.find("db") == ["The port is 5432."]
    assert door.ask(lambda r: r.sizes())["words"] == 1


def test_score_is_not_moved_by_texts_of_other_projects(door: Door) -> None:
    for n in range(12):
        door.say(f"The harbour {n} has ships and cranes.")
    door.say("The lighthouse of the harbour is red.")
    terms = query_terms("red lighthouse harbour")
    before = door.ask(lambda r: r.match("local", terms, ("p",), None, 20))
    assert len(before) == 13
    for n in range(30):
        door.say(f"A red lighthouse {n}.", project="q")
    assert door.ask(lambda r: r.match("local", terms, ("p",), None, 20)) == before
    assert len(door.ask(lambda r: r.match("local", terms, None, None, 100))) == 43


def test_scores_are_those_of_bm25(door: Door) -> None:
    for text in ("red ships", "red red red sails in the long evening over the bay", "a crane", "two cranes", "mud"):
        door.say(text)
    found = door.ask(lambda r: r.match("local", ["red", "ship"], None, None, 5))
    # Five texts of 2, 11, 2, 2 and 1 terms; `red` is in two of them, `ship` in one.
    mean, red, ship = 18 / 5, math.log(1 + 3.5 / 2.5), math.log(1 + 4.5 / 1.5)
    first = (red + ship) * (K1 + 1) / (1 + K1 * (1 - B + B * 2 / mean))
    second = red * 3 * (K1 + 1) / (3 + K1 * (1 - B + B * 11 / mean))
    assert [score for _, score in found] == pytest.approx([first, second], rel=1e-6)


def test_those_that_are_asked_for_by_name_come_wherever_they_stand(door: Door) -> None:
    texts = [f"apples {'apples ' * (9 - number)}and pear{number}" for number in range(9)]
    for text in texts:
        door.say(text)
    every = door.ask(lambda r: r.match(door.namespace, ["appl"], None, None, 100))
    last = every[-1]
    found = door.ask(lambda r: r.match(door.namespace, ["appl"], None, None, 2, also=[last[0], every[0][0]]))
    assert [entry for entry, _ in found] == [every[0][0], every[1][0], last[0]]
    assert found[-1][1] == pytest.approx(last[1])


def test_words_are_found_in_the_transaction_that_writes_them(door: Door) -> None:
    found: list[list[tuple[int, float]]] = []

    def look(writer: Writer) -> None:
        with door.store.reading() as reader:
            found.append(reader.match("local", ["appl"], None, None, 5))
        found.append(writer.match("local", ["appl"], None, None, 5))

    said = Say("claim", "apple", Occurrence(door.now), Standing(), frozenset(), (), (), ())
    entry = door.do(said, also=look).outcomes[0].entry
    assert [[one for one, _ in hits] for hits in found] == [[entry], [entry]]


def test_of_some_it_is_told_which_have_a_word(door: Door) -> None:
    one, two, other = door.say("The heron stands"), door.say("A second heron, a pump"), door.say("A pump", project="q")
    entries = [found[0].entry for found in (door.records(one), door.records(two), door.records(other))]
    with door.store.reading() as reader:
        for _ in range(2):  # what was asked for before may be kept in memory
            found = reader.holding("local", ["heron", "pump", "quagga"], ("p", "q"), entries)
            assert {term: sorted(some) for term, some in found.items()} == {
                "heron": sorted(entries[:2]),
                "pump": sorted(entries[1:]),
                "quagga": [],
            }
            assert [*reader.holding("local", ["pump"], ("p",), [*entries, 7 << 40])["pump"]] == [entries[1]]
            reader.match("local", ["heron", "pump"], ("p", "q"), None, 5)
        assert [*reader.holding("local", ["heron"], ("elsewhere",), entries)["heron"]] == []


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "marks", ["\u0301\u0323", "\uff9e\u0301", "\u0f73\u0301", "\u3099\u0640\u094d\u0640", "\u3099\u200d\u094d\u200d"]
)
def test_a_letter_under_a_hundred_thousand_marks_is_folded_at_once(marks: str) -> None:
    assert terms_of(f"before e{marks * 100_000} behind")[0] == terms_of("before")[0]
    assert terms_of("e" + "\u0301\u0323" * 100_000) == terms_of("e")
