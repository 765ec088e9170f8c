"""The status of a decision where it takes more than a word to say it: what is ticked, what was true once, what will be,
what holds in part, and in other languages."""

from __future__ import annotations

import pytest

from marrow.ingest.adr import Adr, is_adr, read_adr
from marrow.ingest.adr_status import asked_status, read_status
from marrow.ingest.placing import day
from marrow.model.errors import Invalid

PROMPT = "What is the status, such as proposed, accepted, rejected, deprecated, superseded, etc.?"


def with_status(said: str) -> Adr:
    return read_adr("docs/adr/0020-x.md", f"# 20. X\n\n## Status\n\n{said}\n\n## Context\n\nc\n\n## Decision\n\nd\n")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("- [ ] Proposed\n- [x] Accepted\n- [ ] Deprecated\n- [ ] Superseded", "accepted"),
        ("[ ] Proposed [x] Rejected [ ] Accepted", "rejected"),
        ("- [ ] Proposed\n- [ ] Accepted\n- [ ] Superseded", "undecided"),
        ("[Proposed | Accepted | Superseded by [ADR-5](0005-example.md)]", "undecided"),
        ("Proposed or Accepted or Rejected", "undecided"),
        ("Accepted | Rejected", "undecided"),
        ("**proposed** \\| accepted", "undecided"),
        ("Accepted | Superseded by ADR-5", "superseded"),
        ("| Accepted | 2024-01-01 | Ada |", ""),
        ("| On | Status |\n|---|---|\n| 2024-01-01 | Draft |\n| 2024-01-02 | Open |\n| 2024-02-01 | Accepted |", ""),
        ("Accepted\n\n| Who | Vote |\n|---|---|\n| Ada | approved |\n| Max | rejected |\n| Eve | open |", ""),
        ("Proposed | **Accepted** | Deprecated | Superseded", "accepted"),
        ("Proposed / Accepted / Deprecated", "undecided"),
        (f"{PROMPT}\n\nRejected", "rejected"),
        (PROMPT, "undecided"),
        ("Proposed → Accepted", "accepted"),
        ("Accepted -> ADR-5", "accepted"),
        ("Proposed 2024/01/01, accepted 2024/02/01, deprecated 2025/01/01", "deprecated"),
        ("Akzeptiert\n\nErsetzt ADR-3", "accepted"),
        ("Ersetzt am 2024-02-01", "superseded"),
        ("Принято", "accepted"),
        ("Не принято", ""),
        ("Заменено на ADR-0005", "superseded"),
        ("已接受（2025年4月1日）", "accepted"),
        ("已被 ADR-0005 取代", "superseded"),
        ("承認済み", "accepted"),
        ("却下", "rejected"),
        ("승인됨", "accepted"),
        ("Aprovada", "accepted"),
        ("Proposed 2024-01-01, accepted 2024-02-01, deprecated 2025-01-01", "deprecated"),
        ("No longer accepted. Withdrawn on 2024-05-05.", "abandoned"),
        ("No longer accepted", "deprecated"),
        ("No longer proposed: accepted", "accepted"),
        ("Accepted, partially superseded by ADR-21 (only the cache)", "accepted"),
        ("Accepted. Will be superseded by ADR-30 once that is accepted.", "accepted"),
        ("Accepted. Not superseded by ADR-30.", "accepted"),
        ("Accepted, superseded", "superseded"),
        ("Accepted (deprecated)", "deprecated"),
        ("Accepted, deprecated\n\n2024-05-05, by the platform team", "deprecated"),
        ("Accepted, now deprecated", "deprecated"),
        ("Accepted, but deprecated since May 2024", "deprecated"),
        ("Proposed, rejected 2024-05-01", "rejected"),
        ("Proposed, accepted", "accepted"),
        ("Deprecated, accepted in 2019", "deprecated"),
        ("Accepted, was rejected at first", "accepted"),
        ("Accepted, replaced the old queue", "accepted"),
        ("Accepted, open questions remain", "accepted"),
        ("Accepted, not deprecated", "accepted"),
        ("Accepted and rejected alternatives are below", "accepted"),
        ("Proposed, accepted, deprecated", "proposed"),
        ("Accepted (to be replaced by ADR-30)", "accepted"),
        ("Akzeptiert", "accepted"),
        ("Ersetzt durch ADR-7", "superseded"),
        ("Accepté", "accepted"),
        ("Remplacé par ADR-7", "superseded"),
        ("Propuesto", "proposed"),
    ],
)
def test_the_status_is_the_one_that_holds_now(said: str, name: str) -> None:
    assert read_status(said).name == name
    assert with_status(said).status == name


def test_what_is_superseded_in_part_or_later_is_not_given_up() -> None:
    partly = with_status("Accepted, partially superseded by ADR-21")
    assert (partly.superseded_by, partly.amended_by) == ((), ("ADR-21",))
    assert with_status("Accepted. Will be superseded by ADR-30").superseded_by == ()
    assert with_status("Proposed. It would supersede ADR-3").supersedes == ()
    assert with_status("Accepted. Partly supersedes ADR-3").amends == ("ADR-3",)


def test_a_record_that_is_only_mentioned_beside_one_is_not_superseded() -> None:
    read = with_status("Accepted (supersedes ADR-4 and [5. Cache, see below](0005-cache.md); see also ADR-6)")
    assert read.supersedes == ("ADR-4", "ADR-5")
    assert with_status("Accepted, supersedes ADR-4. ADR-6 stays.").supersedes == ("ADR-4",)
    assert with_status("Superseded by the bus, see ADR-9").superseded_by == ("ADR-9",)


def test_the_day_is_that_of_the_decision_and_no_day_to_come() -> None:
    listed = with_status("- 2023-01-01 Proposed\n- 2023-02-01 Accepted\n- 2023-09-01 Deprecated")
    assert (listed.status, day(listed.date)) == ("deprecated", "2023-02-01")
    assert with_status("Not accepted yet; to be decided by 2024-08-01").date is None


def test_a_record_in_another_language_has_its_parts() -> None:
    text = "# 23. Datenbank\n\nStatut : Accepté\n\n## Kontext\n\nViele.\n\n## Entscheidung\n\nWir nehmen Postgres.\n"
    read = read_adr("doc/adr/0023-de.md", text)
    assert (read.status, read.context, read.decision) == ("accepted", "Viele.", "Wir nehmen Postgres.")


@pytest.mark.parametrize("said", ["Datum: 1. März 2026", "Fecha: 1 de marzo de 2026", "## Datum\n\n2026-03-01"])
def test_a_record_in_another_language_has_its_day(said: str) -> None:
    read = read_adr("doc/adr/0023-de.md", f"# 23. Datenbank\n\n{said}\n\n## Status\n\nAngenommen\n")
    assert day(read.date) == "2026-03-01"


def test_those_who_decided_are_names_alone() -> None:
    text = "---\ndeciders: {Ada, Grace}\n---\n# X\n\n## Decision\n\nd\n"
    assert read_adr("adr/0002-x.md", text).deciders == ("Ada", "Grace")
    people = "Ada Lovelace (@ada), Grace Hopper <grace@example.org>"
    text = f"# X\n\n**Status:** accepted\n**Author(s):** {people}\n\n## Decision\n\nd\n"
    assert read_adr("adr/0003-x.md", text).deciders == ("Ada Lovelace", "Grace Hopper")


@pytest.mark.parametrize(
    ("fields", "names", "said"),
    [
        ("Дата: 12 марта 2025", ("Статус", "Контекст", "Решение"), "Заменено ADR-0005"),
        ("日期：2025年3月12日", ("状态", "背景", "决策"), "已被 ADR-0005 取代"),
        ("| 日付 | 2025年3月12日 |", ("ステータス", "背景", "決定"), "Superseded by ADR-0005"),
        ("- 날짜: 2025년 3월 12일", ("상태", "배경", "결정"), "Superseded by ADR-0005"),
    ],
)
def test_record_in_other_letters_is_known_by_its_form_and_read(
    fields: str, names: tuple[str, str, str], said: str
) -> None:
    status, context, decision = names
    text = f"# Kafka\n\n{fields}\n\n## {status}\n\n{said}\n\n## {context}\n\nc\n\n## {decision}\n\nKafka\n"
    read = read_adr("docs/kafka.md", text)
    assert (read.status, day(read.date), read.superseded_by) == ("superseded", "2025-03-12", ("ADR-5",))
    assert (read.context, read.decision) == ("c", "Kafka")
    assert is_adr("docs/kafka.md", text)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Not yet accepted", "proposed"), ("Not accepted yet", "proposed"), ("Not accepted", "rejected"),
        ("Never approved", "rejected"), ("Has not been approved", "rejected"), ("No longer valid", "deprecated"),
        ("On hold", "abandoned"), ("Accepted, not yet approved by the board", "accepted"),
        ("Accepted, not yet implemented", "accepted"), ("Not yet implemented", "accepted"), ("Not superseded", ""),
        ("Accepted; no longer deprecated", "accepted"), ("Rejected in favour of ADR 2", "rejected"),
    ],
)  # fmt: skip
def test_what_is_denied_is_not_the_status(said: str, status: str) -> None:
    assert read_status(said).name == status


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("accepted", "accepted"),
        ("Approved", "accepted"),
        (" undecided ", "undecided"),
        ("superseded by 4", "superseded"),
    ],
)
def test_a_caller_says_a_status_by_any_of_its_words(said: str, status: str) -> None:
    assert asked_status(said).name == status


def test_a_status_that_a_caller_says_and_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(Invalid) as refused:
        asked_status("bogus")
    assert refused.value.field == "status"
    assert "accepted" in refused.value.hint
