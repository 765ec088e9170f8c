"""knowledge: what the organisation knows, by service, kind and document."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from marrow.app import Memory
from marrow.ingest.item import Item, Skipped
from marrow.memory.connecting import connect
from marrow.memory.taking_in.take_in import take_in
from marrow.model.draft import Draft
from marrow.model.errors import Ambiguous, Forbidden, Invalid, NotFound
from marrow.model.link import make_anchor
from marrow.model.source import Source
from marrow.operations.listing import listed, load

from .conftest import Do, head, perform_with

HASH = "3fa9c1d20b7e5f7c6d8e9f001122334455667788"
LONG = "\n".join(f"line {n} of the {'valve' if n == 2718 else 'runbook'}" for n in range(1, 3_001))


def item(path: str, content: str, kind: str, day: int = 1, service: str = "billing", **fields: Any) -> Item:
    anchors = (make_anchor({"type": "commit", "target": fields["commit"]}),) if "commit" in fields else ()
    about = {"path": path, **fields} if path else fields
    at = datetime(2026, 1, day, tzinfo=UTC)
    draft = Draft(content, kind, service=service, at=at, metadata=about, anchors=anchors)
    return Item(draft, path, hashlib.sha256(content.encode()).hexdigest(), size=len(content))


def adr(number: int, text: str, status: str, day: int, **about: Any) -> Item:
    content = f"# {number}. Choice\n\n{text}"
    title = f"Choice {number}"
    path = f"docs/adr/{number:04}.md"
    return item(path, content, "decision", day, number=str(number), status=status, title=title, **about)


CORPUS = [
    adr(1, "Payments go straight to the bank.", "accepted", 1),
    adr(2, "Supersedes ADR-1. Payments go through a queue.", "accepted", 5, decision="A queue for payments."),
    adr(3, "Refunds are sent by hand.", "proposed", 6),
    adr(1, "Mails are sent at once.", "accepted", 7, service="mail"),
    item(
        "docs/inc-42.md",
        "# INC-42 Lost payments\n\nPayments were lost.",
        "incident",
        4,
        title="Lost payments",
        id="INC-42",
        severity="critical",
        root_cause="no queue",
        follow_ups=["a queue", "an alarm"],
    ),
    item("", "INC-7 Slow mails", "incident", 2, service="mail", title="Slow mails", severity="medium"),
    item("", "Queue payments\n\nFixes INC-42", "commit", 5, commit=HASH),
    item("src/pay.py", "def pay(): ...", "code"),
    item("src/mail.py", "def mail(): ...", "code", service="mail"),
    item("docs/runbook.md", LONG, "document", 3, title="Runbook"),
    item("docs/runbook.md", "How mails are sent.", "document", 3, service="mail"),
    item(".github/CODEOWNERS", "# who\n* @ada @joe\n/src @ada\n", "code"),
]


@pytest.fixture
def known(memory: Memory) -> Memory:
    taken = take_in(memory.engine, memory.call.asker, CORPUS, operation="test")
    connect(memory.engine, memory.call.asker, taken.addresses)
    passed = Skipped("docs/broken.pdf", "it is broken", "f" * 64)
    take_in(memory.engine, memory.call.asker, [passed], operation="test", service="billing")
    return memory


def titles(result: Any) -> list[str]:
    return [one.title for one in result.items]


def test_a_search_stays_within_a_service_and_tells_where_each_is_from(known: Memory, do: Do) -> None:
    found = do("search_by_service", service="billing", query="payments through a queue")
    assert {one.service for one in found.items} == {"billing"}
    first = found.items[0]
    assert (first.kind, first.path, first.status, first.date) == (
        "decision",
        "docs/adr/0002.md",
        "accepted",
        "2026-01-05",
    )
    assert first.score > 0
    only = do("search_by_service", service="mail", query="sent", kinds=["document"])
    assert [one.path for one in only.items] == ["docs/runbook.md"]


def test_a_passage_of_a_long_document_comes_with_its_lines(known: Memory, do: Do, said: Do) -> None:
    (found,) = do("search_by_service", service="billing", query="where is the valve", kinds=["document"]).items
    first, last = map(int, found.lines.split("-"))
    assert first <= 2718 <= last
    text = said("search_by_service", service="billing", query="where is the valve", kinds=["document"])
    assert f"docs/runbook.md:{first}-{last}" in text


NEEDED = {"search_by_service": {"query": "x"}, "ask": {"question": "x"}, "memory_recall": {"message": "pay"}}
NEEDED |= {"search_meetings": {"query": "x"}, "get_full_document": {"path": "docs/runbook.md"}}


def naming_a_service() -> list[str]:
    """Saving and taking in make a service by naming it; everywhere else it has to be there."""
    every = (load(name) for name in listed() if name != "memory_save" and not name.startswith("ingest_"))
    return [one.name for one in every if any(given.name == "service" for given in one.arguments)]


@pytest.mark.parametrize("operation", naming_a_service())
def test_an_unknown_service_is_not_found_and_the_near_one_is_named(operation: str, known: Memory, do: Do) -> None:
    more = NEEDED.get(operation, {})
    with pytest.raises(NotFound) as raised:
        do(operation, service="biling", **more)
    assert raised.value.field == "service"
    assert "billing" in raised.value.hint
    with pytest.raises(NotFound) as raised:
        do(operation, service="zzzzzzzz", **more)
    assert "mail" in raised.value.hint
    do(operation, service="billing", **more)


def test_a_service_is_found_whatever_its_capitals(known: Memory, do: Do) -> None:
    assert do("get_service_overview", service="Billing").service == "billing"
    assert do("memory_search", service="Billing", limit=50) == do("memory_search", service="billing", limit=50)


def test_a_service_whose_data_was_retracted_is_still_searched_and_erased_by_who_asks_for_it(
    known: Memory, do: Do
) -> None:
    then = head(known)
    do("delete_service_data", service="mail", dry_run=False, confirm=True)
    with pytest.raises(NotFound):
        do("memory_search", query="mails", service="mail")
    assert do("memory_search", query="mails", service="mail", include_superseded=True).items
    assert do("memory_search", query="mails", service="mail", as_of=str(then)).items
    assert do("erase", service="mail").erased


def test_a_search_through_a_view_does_not_know_a_service_that_the_view_hides(known: Memory, do: Do) -> None:
    do("view_define", name="billed", filter={"not": {"service": ["mail"]}})
    with pytest.raises(NotFound) as raised:
        do("memory_search", query="mails", service="mail", view="billed")
    with pytest.raises(NotFound) as unknown:
        do("memory_search", query="mails", service="maiI", view="billed")
    assert raised.value.hint == unknown.value.hint


def test_a_view_of_a_service_that_nothing_belongs_to_is_made_and_says_so(known: Memory, do: Do, said: Do) -> None:
    text = said("view_define", name="billed", filter={"service": ["billing"], "not": {"service": ["maill"]}})
    assert "Nothing belongs to the service 'maill' yet. Did you mean mail?" in text
    assert "'billing'" not in text


def test_decisions_are_those_that_were_not_superseded_the_latest_first(known: Memory, do: Do) -> None:
    found = do("get_architectural_decisions")
    assert titles(found) == ["Choice 1", "Choice 3", "Choice 2"]
    assert [one.status for one in found.items] == ["accepted", "proposed", "accepted"]
    assert found.statuses == {"accepted": 2, "proposed": 1, "superseded": 1}
    assert found.items[2].content == "A queue for payments."


def test_superseded_decisions_are_told_when_asked_for_and_say_by_what(known: Memory, do: Do, said: Do) -> None:
    (old,) = do("get_architectural_decisions", status="superseded").items
    (new,) = [one for one in do("get_architectural_decisions").items if one.title == "Choice 2"]
    assert (old.path, old.status, old.superseded_by) == ("docs/adr/0001.md", "superseded", (new.address,))
    assert f"superseded by {new.address}" in said("get_architectural_decisions", status="superseded")
    assert do("get_architectural_decisions", status="all", service="billing").total == 3


def test_the_status_follows_the_file_and_old_versions_are_not_told(known: Memory, do: Do) -> None:
    take_in(
        known.engine, known.call.asker, [adr(3, "Refunds are sent by hand. Agreed.", "accepted", 8)], operation="test"
    )
    found = do("get_architectural_decisions", status="all", service="billing")
    assert [one.status for one in found.items if one.path == "docs/adr/0003.md"] == ["accepted"]


def test_decisions_about_a_topic_come_by_how_well_they_fit(known: Memory, do: Do) -> None:
    assert titles(do("get_architectural_decisions", topic="refunds by hand", limit=1)) == ["Choice 3"]
    assert titles(do("get_architectural_decisions", query="a queue for payments", limit=1)) == ["Choice 2"]


def test_only_decisions_about_a_topic_are_told_and_how_many_there_are_in_all(known: Memory, do: Do, said: Do) -> None:
    long = " ".join(f"word{n}" for n in range(200))
    items = [
        adr(4, f"The rust bindings wait. {long}", "accepted", 8),
        adr(5, f"Rust is what the daemon is written in. {long} Rust is fast.", "accepted", 8),
    ]
    take_in(known.engine, known.call.asker, items, operation="test")
    found = do("get_architectural_decisions", topic="rust")
    assert titles(found) == ["Choice 5"]
    assert (found.total, found.mentioned, sum(found.statuses.values())) == (1, 1, 6)
    text = said("get_architectural_decisions", topic="rust")
    assert "1 of 6 decisions about rust; 1 only mentions it" in text
    assert "none of 6 decisions about zebras" in said("get_architectural_decisions", topic="zebras")
    assert titles(do("get_architectural_decisions", topic="Ref*")) == ["Choice 3"]


def test_an_unknown_status_lists_the_known(known: Memory, do: Do) -> None:
    with pytest.raises(Invalid) as raised:
        do("get_architectural_decisions", status="acepted")
    assert raised.value.field == "status"
    for status in ("proposed", "superseded", "all", "Did you mean accepted?"):
        assert status in raised.value.hint
    assert do("get_architectural_decisions", status="rejected").items == ()


def test_incidents_come_with_cause_and_what_they_led_to(known: Memory, do: Do, said: Do) -> None:
    found = do("get_incident_history")
    assert titles(found) == ["Lost payments", "Slow mails"]
    first = found.items[0]
    assert first.about == {"severity": "critical", "root_cause": "no queue", "follow_ups": ["a queue", "an alarm"]}
    assert [one["title"] for one in first.fixes] == ["Queue payments"]
    text = said("get_incident_history", service="billing")
    assert "root cause: no queue" in text
    assert "led to [" in text
    assert titles(do("get_incident_history", severity="SEV3")) == ["Slow mails"]
    assert titles(do("get_incident_history", severity="critical")) == ["Lost payments"]
    assert titles(do("get_incident_history", since="2026-01-03")) == ["Lost payments"]
    assert titles(do("get_incident_history", severity="low")) == []
    with pytest.raises(Invalid, match="no severity"):
        do("get_incident_history", severity="banana")
    assert do("get_incident_history", limit=1).total == 2


def test_incidents_are_seen_through_a_view_and_a_filter_that_meets_none_says_so(
    known: Memory, do: Do, said: Do
) -> None:
    do("view_define", name="mails", filter={"service": ["mail"]})
    assert titles(do("get_incident_history", view="mails")) == ["Slow mails"]
    assert titles(do("get_architectural_decisions", view="mails")) == ["Choice 1"]
    text = said("get_incident_history", since="2026-05-01")
    assert "None of the 2 incidents" in text


def test_what_is_left_out_is_counted(known: Memory, do: Do, said: Do) -> None:
    for operation in ("get_incident_history", "get_architectural_decisions", "list_documents"):
        found = do(operation, limit=1)
        assert found.left_out == found.total - 1 > 0
        assert f"({found.left_out} more: raise limit" in said(operation, limit=1)
    last = do("list_documents", limit=1).total - 1
    assert do("list_documents", limit=1, offset=last).left_out == 0
    assert do("list_documents", limit=1, offset=last - 1).left_out == 1


def test_a_document_comes_whole_by_path_by_the_end_of_it_and_by_address(known: Memory, do: Do) -> None:
    by_path = do("get_full_document", path="docs/adr/0002.md")
    assert by_path.content == CORPUS[1].draft.content
    assert (by_path.status, by_path.title, by_path.service) == ("accepted", "Choice 2", "billing")
    assert do("get_full_document", path="0002.md").address == by_path.address
    assert do("get_full_document", address=by_path.address).content == by_path.content
    assert do("get_full_document", path="./docs\\adr\\0002.md").address == by_path.address


def test_a_path_that_several_services_have_lists_them(known: Memory, do: Do) -> None:
    with pytest.raises(Ambiguous) as raised:
        do("get_full_document", path="docs/runbook.md")
    for name in ("billing", "mail", "docs/runbook.md"):
        assert name in raised.value.message
    assert do("get_full_document", path="docs/runbook.md", service="mail").content == "How mails are sent."


def test_a_decision_that_another_took_the_place_of_is_still_a_document(known: Memory, do: Do) -> None:
    do("snapshot_create", name="then")
    for about in ({}, {"as_of": "then"}):
        old = do("get_full_document", path="docs/adr/0001.md", service="billing", **about)
        assert (old.status, old.content) == ("superseded", CORPUS[0].draft.content)
        paths = [one["path"] for one in do("list_documents", service="billing", kinds=["decision"], **about).items]
        assert paths == ["docs/adr/0001.md", "docs/adr/0002.md", "docs/adr/0003.md"]


def test_a_text_that_several_services_have_is_that_of_the_asked_one(known: Memory, do: Do) -> None:
    same = [item("docs/same.md", "The same.", "document", service=name) for name in ("mail", "billing", "ads")]
    take_in(known.engine, known.call.asker, same, operation="test")
    for name in ("ads", "billing", "mail"):
        found = do("get_full_document", path="docs/same.md", service=name)
        assert (found.service, found.content) == (name, "The same.")
        (listed,) = do("list_documents", path="docs/same.md", service=name).items
        assert listed["service"] == name
        hits = do("search_by_service", query="the same", service=name).items
        assert {one.service for one in hits} == {name}


def test_several_documents_of_a_path_are_listed_each_once(known: Memory, do: Do) -> None:
    same = [item("docs/runbook.md", "How mails are sent.", "document", service=name) for name in ("ads", "shop")]
    take_in(known.engine, known.call.asker, same, operation="test")
    do("snapshot_create", name="then")
    for about in ({}, {"as_of": "then"}):
        with pytest.raises(Ambiguous) as raised:
            do("get_full_document", path="docs/runbook.md", **about)
        assert raised.value.message.count("billing: docs/runbook.md") == 1
    with pytest.raises(Ambiguous) as raised:
        do("get_full_document", path="runbook.md")
    for name in ("ads", "billing", "mail", "shop"):
        assert raised.value.message.count(f"{name}: docs/runbook.md") == 1


def mislaid(known: Memory, path: str, **about: Any) -> None:
    """A row as it was before something else changed what holds."""
    namespace = known.call.asker.namespace
    with known.engine.store.writing() as writer:
        (row,) = writer.sources(namespace, None, path=path)
        writer.keep_sources(namespace, [Source(row.project, row.service, path, row.kind, **about)])


def test_what_holds_at_a_path_is_told_though_its_row_names_what_was_replaced(known: Memory, do: Do) -> None:
    old = do("get_full_document", path="docs/adr/0003.md")
    changed = adr(3, "Refunds are sent by a program.", "accepted", 8)
    (address,) = take_in(known.engine, known.call.asker, [changed], operation="test").addresses
    (row,) = [one for one in CORPUS if one.path == "docs/adr/0003.md"]
    with known.engine.store.reading() as reader:
        (full,) = reader.addresses(known.call.asker.namespace, old.address, None, 2)
    mislaid(known, row.path, address=full)
    assert do("get_full_document", path="docs/adr/0003.md").content == changed.draft.content
    (listed,) = do("list_documents", path="docs/adr/0003.md").items
    assert address.startswith(listed["address"])


def test_what_was_forgotten_is_no_document_though_its_row_stays(known: Memory, do: Do, said: Do) -> None:
    one = do("get_full_document", path="docs/adr/0003.md")
    do("memory_forget", address=one.address)
    assert do("list_documents", path="docs/adr/0003.md").items == ()
    with pytest.raises(NotFound) as raised:
        do("get_full_document", path="docs/adr/0003.md")
    assert one.address in raised.value.hint
    assert do("get_full_document", path=one.address).state == "retracted"
    assert "retracted" in said("get_full_document", path=one.address)


def test_after_a_restore_documents_are_what_they_were(known: Memory, do: Do) -> None:
    do("snapshot_create", name="before")
    changed = adr(3, "Refunds are sent by a program.", "accepted", 8)
    take_in(known.engine, known.call.asker, [changed], operation="test", service="billing", gone=["src/pay.py"])
    assert "src/pay.py" not in [one["path"] for one in do("list_documents").items]
    do("snapshot_restore", name="before", dry_run=False, confirm=True)
    assert "by hand" in do("get_full_document", path="docs/adr/0003.md").content
    assert do("get_full_document", path="src/pay.py").content == "def pay(): ..."
    listed = {one["path"]: one["address"] for one in do("list_documents", service="billing").items}
    assert listed["docs/adr/0003.md"] == do("get_full_document", path="docs/adr/0003.md").address
    assert "src/pay.py" in listed


def test_services_documents_and_overviews_are_told_as_of_then(known: Memory, do: Do) -> None:
    do("snapshot_create", name="before")
    take_in(known.engine, known.call.asker, [item("a.go", "x", "code", service="new")], operation="test")
    changed = adr(3, "Refunds are sent by a program.", "accepted", 8)
    take_in(known.engine, known.call.asker, [changed], operation="test", service="billing", gone=["src/pay.py"])
    assert [one["service"] for one in do("list_services").items] == ["billing", "mail", "new"]
    assert [one["service"] for one in do("list_services", as_of="before").items] == ["billing", "mail"]
    now, then = do("list_documents", service="billing"), do("list_documents", service="billing", as_of="before")
    assert {one["path"] for one in then.items} - {one["path"] for one in now.items} == {"src/pay.py"}
    assert now.total == then.total - 1
    found = do("get_service_overview", service="billing", as_of="before")
    assert found.counts == {"code": 2, "commit": 1, "decision": 3, "document": 1, "incident": 1}
    assert (found.languages, found.owners, found.read) == ({"python": 1}, ("@ada", "@joe"), "")
    assert do("get_full_document", path="pay.py", as_of="before").path == "src/pay.py"
    with pytest.raises(NotFound):
        do("get_service_overview", service="new", as_of="before")
    with pytest.raises(Invalid) as raised:
        do("list_documents", as_of="before", since="2026-01-01")
    assert raised.value.field == "as_of"


def test_a_long_document_is_read_on_from_a_line(known: Memory, do: Do, said: Do) -> None:
    about = {"path": "docs/runbook.md", "service": "billing"}
    first = do("get_full_document", **about, budget_tokens=500)
    assert (first.start, first.total) == (1, 3_000)
    assert 1 < first.end < 200
    following = do("get_full_document", **about, offset=first.end + 1, limit=2)
    assert following.content == f"line {first.end + 1} of the runbook\nline {first.end + 2} of the runbook"
    assert f"offset {first.end + 1}" in said("get_full_document", **about, budget_tokens=500)
    with pytest.raises(Invalid, match="3,000 lines"):
        do("get_full_document", **about, offset=3_001)


def test_a_document_as_of_then_is_what_it_was(known: Memory, do: Do) -> None:
    do("snapshot_create", name="before")
    changed = adr(3, "Refunds are sent by a program.", "accepted", 8)
    take_in(known.engine, known.call.asker, [changed], operation="test")
    assert "program" in do("get_full_document", path="docs/adr/0003.md").content
    assert "by hand" in do("get_full_document", path="docs/adr/0003.md", as_of="before").content


def test_an_unknown_document_is_not_found_and_a_near_one_is_named(known: Memory, do: Do) -> None:
    with pytest.raises(NotFound) as raised:
        do("get_full_document", path="doc/adr/0002.md")
    assert "docs/adr/0002.md" in raised.value.hint
    with pytest.raises(Invalid):
        do("get_full_document", path=" ")
    with pytest.raises(NotFound):
        do("get_full_document", path="abcdef123456")


def test_documents_are_listed_with_paths_and_when(known: Memory, do: Do, said: Do) -> None:
    found = do("list_documents", service="billing")
    paths = [one["path"] for one in found.items]
    assert paths == sorted(paths)
    assert {"docs/adr/0001.md", "src/pay.py", "docs/inc-42.md"} <= set(paths)
    assert "docs/broken.pdf" not in paths
    assert all(one["read"] for one in found.items if one["path"])
    assert found.kinds == {"code": 2, "decision": 3, "document": 1, "incident": 1}
    assert [one["path"] for one in do("list_documents", path="src").items] == ["src/pay.py", "src/mail.py"]
    assert {one["kind"] for one in do("list_documents", kinds=["decision"]).items} == {"decision"}
    assert "docs/adr/0001.md" in said("list_documents", kinds=["decision"])


def test_what_came_without_a_path_is_listed_too(known: Memory, do: Do) -> None:
    found = do("list_documents", service="mail", kinds=["incident"])
    assert [(one["path"], one["title"]) for one in found.items] == [("", "Slow mails")]


def test_documents_are_listed_by_page_and_by_when_they_were_read(known: Memory, do: Do) -> None:
    every = do("list_documents", limit=100)
    pages = [one for offset in range(0, every.total, 4) for one in do("list_documents", limit=4, offset=offset).items]
    assert pages == list(every.items)
    assert do("list_documents", until="2020-01-01").items == ()
    with pytest.raises(Invalid):
        do("list_documents", limit=0)


def test_an_overview_has_counts_incidents_decisions_languages_and_owners(known: Memory, do: Do, said: Do) -> None:
    found = do("get_service_overview", service="billing")
    assert found.counts == {"code": 2, "commit": 1, "decision": 3, "document": 1, "incident": 1}
    assert [one.title for one in found.incidents] == ["Lost payments"]
    assert {(one.title, one.status) for one in found.decisions} == {
        ("Choice 1", "superseded"),
        ("Choice 2", "accepted"),
        ("Choice 3", "proposed"),
    }
    assert found.languages == {"python": 1}
    assert found.owners == ("@ada", "@joe")
    assert [one.title for one in found.documents] == ["Runbook"]
    text = said("get_service_overview", service="billing")
    assert "owners: @ada, @joe" in text
    assert "superseded by" in text


def test_who_has_a_folder_does_not_own_the_service(known: Memory, do: Do) -> None:
    rules = "* @old\n*       @ada @joe # all\n/docs/ @writers\n*.js @web\n[Docs] @section\nsrc/* @src\n"
    take_in(known.engine, known.call.asker, [item(".github/CODEOWNERS", rules, "code")], operation="test")
    only = item("CODEOWNERS", "/docs/ @writers\n", "code", service="mail")
    deep = item("vendor/lib/CODEOWNERS", "* @stranger\n", "code", service="mail")
    take_in(known.engine, known.call.asker, [only, deep], operation="test")
    assert do("get_service_overview", service="billing").owners == ("@ada", "@joe")
    assert do("get_service_overview", service="mail").owners == ()


@pytest.mark.parametrize(
    "path", ["LICENSE.md", "third_party/lib/README.md", "docs/THIRD-PARTY-NOTICES.txt", "licenses/zlib.txt", "NOTICE"]
)
def test_the_licences_of_others_are_no_documents_of_a_service(path: str, known: Memory, do: Do) -> None:
    items = [item(path, "Permission is hereby granted.", "document", 9)]
    items += [item("docs/noticeboard.md", "What hangs there.", "document", 8, title="Board")]
    take_in(known.engine, known.call.asker, items, operation="test")
    assert [one.title for one in do("get_service_overview", service="billing").documents] == ["Board", "Runbook"]


def test_a_filter_that_meets_no_document_is_not_said_to_be_an_empty_memory(known: Memory, do: Do, said: Do) -> None:
    every = do("list_documents").total
    assert f"None of the {every} documents" in said("list_documents", kinds=["meeting"])
    assert f"There are {every}: give a smaller offset" in said("list_documents", offset=1_000)


def test_services_and_numbers(known: Memory, do: Do, said: Do) -> None:
    assert [one["service"] for one in do("list_services").items] == ["billing", "mail"]
    found = do("knowledge_stats")
    assert found.services == ("billing", "mail")
    assert found.by_type == {"code": 3, "commit": 1, "decision": 4, "document": 2, "incident": 2}
    assert (found.total, found.not_read) == (12, 1)
    assert do("get_knowledge_base_stats") == found
    assert "2 services: billing, mail" in said("knowledge_stats")


def test_an_empty_memory_says_so(said: Do) -> None:
    for operation in ("list_services", "list_documents"):
        assert "ingest_codebase" in said(operation)
    assert "No incident" in said("get_incident_history")
    assert "No decision is known" in said("get_architectural_decisions")
    assert "nothing" in said("knowledge_stats")


def test_reading_needs_the_right_and_changes_nothing(known: Memory, do: Do) -> None:
    before = head(known)
    for name, about in {
        "list_services": {},
        "knowledge_stats": {},
        "list_documents": {},
        "ask": {"question": "why"},
    }.items():
        do(name, **about)
        with pytest.raises(Forbidden):
            perform_with(known, (), name, about)
    assert head(known) == before
