"""Anchors that a memory gets when it is saved: evidence for those that were given, and what its text names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.memory.anchors import mentions as spotting
from marrow.memory.anchors.mentions import mentions

from .desk_code import Desk, desk

__all__ = ["desk"]


def test_a_text_that_names_no_code_gets_no_anchor(desk: Desk) -> None:
    for text in (
        "We chose the embedded store because there is no server to run.",
        "Read and/or write; see example.com, version 3.11 or e.g. this one.",
        "The Store is fast and parse works.",
        "Look at https://example.org/src/app.py for more.",
        "`nothing_like_it` and Other.thing() are not here.",
    ):
        assert desk.anchors(desk.save(text)) == [], text


def test_a_named_file_is_anchored(desk: Desk) -> None:
    address = desk.save("Requests come in through src/app.py first.")
    assert desk.anchors(address) == ["file src/app.py"]
    assert desk.details(address)["file", "src/app.py"]["auto"] is True


def test_a_bare_name_is_enough_where_only_one_file_has_it(desk: Desk) -> None:
    assert desk.anchors(desk.save("Requests come in through app.py first.")) == ["file src/app.py"]
    desk.write("lib/app.py", "x = 1\n")
    desk.commit()
    assert desk.anchors(desk.save("Requests come in through app.py now.")) == []


def test_a_named_line_is_anchored_by_its_content(desk: Desk) -> None:
    address = desk.save("The date is split in app.py:10, which is wrong for times.")
    found = desk.details(address)["lines", "src/app.py"]
    assert (found["start"], found["end"], found["within"]) == (10, 10, "parse_date")
    assert found["text"].strip() == 'return text.split("-")'


def test_names_in_a_named_file_are_anchored_with_their_file(desk: Desk) -> None:
    address = desk.save("In src/app.py, Store.close() forgets the lock and TIMEOUT is too short.")
    assert desk.anchors(address) == ["file src/app.py", "symbol Store.close", "symbol TIMEOUT"]
    assert desk.details(address)["symbol", "Store.close"]["path"] == "src/app.py"


def test_a_symbol_is_named_as_the_code_map_writes_it(desk: Desk) -> None:
    for number, (name, symbol) in enumerate(
        (("Store.close", "Store.close"), ("parse_date", "parse_date"), ("Store", "Store"))
    ):
        address = desk.save(f"src/app.py::{name} is as it should be, said {number} times.")
        assert desk.anchors(address) == ["file src/app.py", f"symbol {symbol}"]


def test_a_name_alone_is_anchored_where_the_code_map_knows_it(desk: Desk) -> None:
    assert desk.anchors(desk.save("`parse_date` takes the day first.")) == []
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]
    address = desk.save("`parse_date` takes the day first, always.")
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]
    assert desk.anchors(desk.save("We parse dates like that.")) == []


def test_no_more_than_a_few_anchors_are_made(desk: Desk) -> None:
    for number in range(9):
        desk.write(f"src/part_{number}.py", f"def work_{number}():\n    return {number}\n")
    desk.commit()
    text = " ".join(f"src/part_{number}.py has work_{number}." for number in range(9))
    anchors = desk.details(desk.save(text))
    assert 0 < sum("with" not in about for about in anchors.values()) <= 4


def test_what_was_given_gets_evidence(desk: Desk) -> None:
    given = [
        "src/app.py:6-10",
        {"type": "symbol", "symbol": "Store.rows"},
        {"type": "pattern", "pattern": "TIMEOUT = 30"},
    ]
    about = desk.details(desk.save("Three places.", anchors=given))
    assert about["lines", "src/app.py"]["print"]
    assert about["symbol", "Store.rows"]["path"] == "src/app.py"
    assert about["pattern", "TIMEOUT = 30"]["known"] == "src/app.py"


@pytest.mark.parametrize("given", ["not/there.py", "src/app.py:900-910", {"type": "symbol", "symbol": "Nobody.knows"}])
def test_what_is_not_there_is_kept_as_it_was_given(desk: Desk, given: object) -> None:
    assert len(desk.details(desk.save("A place to come.", anchors=[given]))) == 1


def test_a_secret_in_the_code_does_not_come_with_the_evidence(desk: Desk) -> None:
    desk.write("src/keys.py", 'AWS = "AKIAIOSFODNN7EXAMPLE"\nNAME = "x"\n')
    about = desk.details(desk.save("The key is read here.", anchors=["src/keys.py:1"]))
    assert "AKIAIOSFODNN7EXAMPLE" not in str(about)


def test_files_outside_and_large_ones_are_not_looked_into(desk: Desk) -> None:
    outside = desk.root.parent / "outside.py"
    outside.write_text("SECRET = 1\n")
    (desk.root / "src" / "link.py").symlink_to(outside)
    desk.write("src/big.py", "x = 1\n" * 300_000)
    desk.commit()
    assert desk.anchors(desk.save("See src/link.py for it.")) == []
    about = desk.details(desk.save("See src/big.py for it."))
    assert about == {("file", "src/big.py"): {"auto": True, "known": True}}


def test_what_is_said_again_is_pinned_to_the_code_as_it_is_now(desk: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is right.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify(address)
    assert desk.drift(address) == "changed"
    assert desk.save("TIMEOUT in src/app.py is right.") == address
    assert desk.drift(address) == ""
    assert desk.memory.verify(address).items[0].verdict == "holds"
    assert desk.anchors(address) == ["file src/app.py", "symbol TIMEOUT"]


def test_an_updated_memory_holds_as_the_code_is_now(desk: Desk) -> None:
    old = desk.save("TIMEOUT in src/app.py is 30.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify()
    new = desk.memory.update(old, "TIMEOUT in src/app.py is 60.").address
    assert desk.memory.verify(new).items[0].verdict == "holds"


@given(
    st.lists(st.sampled_from([*"aZ9_.:/(`)@- \n", "b.py", "Foo", "::", "run(", "é", " in "]), max_size=14).map("".join)
)
def test_what_is_looked_for_only_where_it_can_be_is_found_everywhere(text: str) -> None:
    found = mentions(text)
    if spotting._HINT.search(text) is not None:
        called, dotted = spotting._CALLED.findall(text), spotting._DOTTED.findall(text)
        assert set(found.names) >= {name for name in called if spotting._is_telling(name)}
        assert set(found.names) >= {
            name for name in dotted if spotting._is_telling(name) and not spotting._is_file_name(name)
        }
        assert {one.path for one in found.places} == {
            one[1] for one in spotting._PATH.finditer(text) if spotting._may_be_file(one[1])
        }


def test_mentions_are_found_quickly_and_only_where_code_is_named() -> None:
    assert not any(mentions("A plain sentence. Nothing in it (really) is code: none."))
    found = mentions("`Store.close()` in ./src/a/b.py:10-20, b.test.ts and Makefile; fetch_rows too.")
    assert [(place.path, place.start, place.end) for place in found.places] == [
        ("src/a/b.py", 10, 20),
        ("b.test.ts", 0, 0),
    ]
    assert found.names == ("Store.close()", "Store.close", "fetch_rows")
    assert found.words == ()


CRAWLER = """class Crawler {
  constructor() {
    this.limit = 1000;
  }
}
const FORCED_WIDTH = 80;
function isSatisfiable(range) {
  return range !== null;
}
function MousetrapHelpText() {
  return "no";
}
function echo(text) {
  return text + "!";
}
function safecall(work) {
  return work() || null;
}
module.exports = { Crawler, echo };
"""


def mapped(desk: Desk) -> None:
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Texts go through parse_date before anything else", "parse_date"),
        ("We ask isSatisfiable before we sort", "isSatisfiable"),
        ("Windows users see MousetrapHelpText at first", "MousetrapHelpText"),
        ("Tests set FORCED_WIDTH by hand", "FORCED_WIDTH"),
        ("Crawler.limit is what people raise first", "Crawler"),
        ("safecall in lib/crawl.js swallows what goes wrong", "safecall"),
        ("Use echo and safecall in lib/crawl.js only", "echo"),
    ],
)
def test_a_word_that_can_only_be_a_name_is_anchored_without_backticks(desk: Desk, text: str, symbol: str) -> None:
    desk.write("lib/crawl.js", CRAWLER)
    desk.commit()
    mapped(desk)
    assert f"symbol {symbol}" in " ".join(desk.anchors(desk.save(text)))


def test_a_name_that_two_files_define_is_anchored_to_neither(desk: Desk) -> None:
    desk.write("lib/other.py", "def parse_date(text):\n    return text\n")
    mapped(desk)
    assert desk.anchors(desk.save("Texts go through parse_date first")) == []


def test_a_save_says_what_it_was_anchored_to(desk: Desk) -> None:
    mapped(desk)
    told = desk.memory.perform("memory_save", {"content": "We parse_date with the day first."}).text
    assert "anchored to parse_date (src/app.py:6)" in told
    told = desk.memory.perform("memory_save", {"content": "No server has to run."}).text
    assert "anchored" not in told


def test_a_symbol_is_given_by_its_file_and_name(desk: Desk) -> None:
    given = {"content": "Rows come flushed.", "anchors": ["src/app.py::Store.rows"]}
    assert "anchored to Store.rows (src/app.py:" in desk.memory.perform("memory_save", given).text
    address = desk.save("Rows come flushed.", anchors=["src/app.py::Store.rows"])
    assert desk.details(address)["symbol", "Store.rows"]["path"] == "src/app.py"


@pytest.mark.parametrize("given", ["nothing.py::foo", "nothing.py", "src/app.py::nobody", "src/app.py:900"])
def test_a_save_says_which_given_anchor_points_at_nothing(desk: Desk, given: str) -> None:
    told = desk.memory.perform("memory_save", {"content": "To come.", "anchors": [given]}).text
    assert "points at nothing" in told


def test_an_empty_file_is_a_place(desk: Desk) -> None:
    desk.write("src/__init__.py", "")
    told = desk.memory.perform("memory_save", {"content": "It is a package.", "anchors": ["src/__init__.py"]}).text
    assert "points at nothing" not in told


MANIFESTS = {
    "go.mod": "module example.org/shop\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.0\n\tgopkg.in/a/chi/v5 v5.0.1\n)\n",
    "package.json": '{"dependencies": {"express": "^4.18.2", "zod": "3.22.4"}}\n',
    "Cargo.toml": '[dependencies]\nserde = { version = "1.0.190" }\ntokio = "1.35"\n',
    "pom.xml": "<dependencies><dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId>"
    "<version>2.10.1</version></dependency></dependencies>\n",
    "Shop.csproj": '<Project><PackageReference Include="Newtonsoft.Json" Version="13.0.3" /></Project>\n',
}


@pytest.mark.parametrize(
    ("text", "manifest", "name", "old", "new"),
    [
        ("We need cobra v1.8.0 in go.mod: 1.7 had a bug.", "go.mod", "github.com/spf13/cobra", "v1.8.0", "v1.9.1"),
        ("chi stays at 5.0.1, says go.mod.", "go.mod", "gopkg.in/a/chi/v5", "v5.0.1", "v5.1.0"),
        ("express is ^4.18.2 in package.json.", "package.json", "express", "^4.18.2", "^5.0.0"),
        ("serde 1.0.190 (Cargo.toml) has the fix.", "Cargo.toml", "serde", "1.0.190", "1.0.200"),
        ("gson 2.10.1 in pom.xml: newer breaks Java 8.", "pom.xml", "com.google.code.gson:gson", "2.10.1", "2.11.0"),
        ("Newtonsoft.Json 13.0.3 in Shop.csproj.", "Shop.csproj", "Newtonsoft.Json", "13.0.3", "13.0.4"),
    ],
)
def test_a_version_of_a_dependency_in_a_named_manifest_is_anchored(
    desk: Desk, text: str, manifest: str, name: str, old: str, new: str
) -> None:
    for path, written in MANIFESTS.items():
        desk.write(path, written)
    desk.commit()
    address = desk.save(text)
    assert desk.anchors(address) == [f"dependency {name}", f"file {manifest}"]
    desk.edit(manifest, old, new)
    told = desk.memory.perform("memory_verify", {}).text
    assert f"changed: {manifest}: {name} {old} -> {new}" in told


@pytest.mark.parametrize(
    "text",
    [
        "zod in package.json checks what comes in.",
        "Version 3.22.4 of something is in package.json.",
        "package.json has had zod since 3.22.",
        "package.json: express 4.18.25 is not out yet.",
    ],
)
def test_a_dependency_without_its_version_is_not(desk: Desk, text: str) -> None:
    desk.write("package.json", MANIFESTS["package.json"])
    desk.commit()
    assert desk.anchors(desk.save(text)) == ["file package.json"]


QUALIFIED = {
    "hugofs/fs.go": "package hugofs\n\nfunc NewBasePathFs(path string) int {\n\treturn len(path)\n}\n",
    "crates/ignore/src/walk.rs": "pub struct WalkBuilder;\nimpl WalkBuilder {\n    fn new() -> Self { Self }\n}\n",
    "src/main/java/org/shop/Invoice.java": "package org.shop;\n\nclass Invoice {\n    int total() { return 1; }\n}\n",
    "Shop/Retry/Delays.cs": "namespace Shop.Retry;\n\nclass Delays {\n    int Longest() { return 24; }\n}\n",
    **{f"other/t{n}.rs": f"struct T{n};\nimpl T{n} {{\n    fn new() -> Self {{ T{n} }}\n}}\n" for n in range(9)},
}


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("hugofs.NewBasePathFs keeps links.", "NewBasePathFs"),
        ("Links are kept by hugofs.NewBasePathFs().", "NewBasePathFs"),
        ("Links are kept: `hugofs.NewBasePathFs` does it.", "NewBasePathFs"),
        ("WalkBuilder::new costs nothing.", "WalkBuilder.new"),
        ("ignore::WalkBuilder::new costs nothing.", "WalkBuilder.new"),
        ("org.shop.Invoice.total rounds up.", "Invoice.total"),
        ("Shop.Retry.Delays.Longest is a day.", "Delays.Longest"),
    ],
)
def test_a_name_with_its_package_is_anchored_however_many_have_its_last_part(
    desk: Desk, text: str, symbol: str
) -> None:
    for path, written in QUALIFIED.items():
        desk.write(path, written)
    desk.commit()
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]
    assert f"symbol {symbol}" in desk.anchors(desk.save(text))


@pytest.mark.parametrize(
    "text",
    [
        "afero.NewBasePathFs keeps links.",
        "net.shop.Invoice2.total rounds.",
        "T99::new is it.",
        "go.NewBasePathFs() is of a variable, and no file of Go is meant.",
    ],
)
def test_a_name_of_another_package_is_not(desk: Desk, text: str) -> None:
    for path, written in QUALIFIED.items():
        desk.write(path, written)
    desk.commit()
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]
    assert desk.anchors(desk.save(text)) == []
