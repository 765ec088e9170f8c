"""Times in questions are read when they are clear, and left alone when they may mean something else."""

from __future__ import annotations

import re
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.model.moments import micros
from marrow.search import spoken_time as module
from marrow.search.spoken_time import Spoken, event_date_terms, spoken_time

NOON = datetime(2026, 6, 17, 15, 30, tzinfo=UTC)  # a Wednesday
NOW = micros(NOON)

# The question with what is said in brackets, since, until; an edge is a day, a time of day, or nothing.
READ = """
what did I do [today]?                                  | 2026-06-17 | 2026-06-18
what changed [earlier today]?                           | 2026-06-17 | 2026-06-18
what did we decide [yesterday]?                         | 2026-06-16 | 2026-06-17
[Yesterday], why did we drop Redis?                     | 2026-06-16 | 2026-06-17
what broke [yesterday evening]?                         | 2026-06-16 | 2026-06-17
who deployed [the day before yesterday]?                | 2026-06-15 | 2026-06-16
what broke [this morning]?                              | 2026-06-17 | 2026-06-18
who was on call [last night]?                           | 2026-06-16T12:00 | 2026-06-17T12:00
the error [10 minutes ago]                              | 2026-06-17T15:15 | 2026-06-17T15:25
what did I ask [an hour ago]?                           | 2026-06-17T14:00 | 2026-06-17T15:00
the commit from [3 days ago]                            | 2026-06-14 | 2026-06-15
what was the plan [10 days ago]?                        | 2026-06-05 | 2026-06-10
what did we choose [a couple of days ago]?              | 2026-06-14 | 2026-06-17
the cache bug [a few days ago] that crashed             | 2026-06-11 | 2026-06-16
what did we decide [two weeks back]?                    | 2026-05-31 | 2026-06-07
auth decisions [about two weeks ago]                    | 2026-05-31 | 2026-06-07
what did we use [3 months ago]?                         | 2026-02-27 | 2026-04-05
what did we use [a year ago]?                           | 2024-12-17 | 2025-12-17
decisions [this week]                                   | 2026-06-15 | 2026-06-22
decisions [this month]                                  | 2026-06-01 | 2026-07-01
decisions [this quarter]                                | 2026-04-01 | 2026-07-01
what changed [this year]?                               | 2026-01-01 | 2027-01-01
[earlier this year] we chose a queue: which?            | 2026-01-01 | 2027-01-01
what did we decide [last week] about auth?              | 2026-06-08 | 2026-06-15
what did we ship [last month]?                          | 2026-05-01 | 2026-06-01
what did we ship [last quarter]?                        | 2026-01-01 | 2026-04-01
what did we ship [last year]?                           | 2025-01-01 | 2026-01-01
what did we ship [late last year]?                      | 2025-01-01 | 2026-01-01
failures [over the past 3 days]                         | 2026-06-14 |
what is new [in the last week]?                         | 2026-06-10 |
what is new [in the past month]?                        | 2026-05-17 |
the build has been red [for the past two weeks]         | 2026-06-03 |
what did I touch [in the last 2 hours]?                 | 2026-06-17T13:30 |
incidents [in the last few weeks]                       | 2026-05-06 |
what did we say [last Tuesday]?                         | 2026-06-16 | 2026-06-17
what did we say [last Wednesday]?                       | 2026-06-10 | 2026-06-11
what did we decide [on Monday]?                         | 2026-06-15 | 2026-06-16
what did we decide [on Monday morning]?                 | 2026-06-15 | 2026-06-16
what did we decide [on Friday]?                         | 2026-06-12 | 2026-06-13
what did we decide [on Tue]?                            | 2026-06-16 | 2026-06-17
what did we decide [on Friday last week]?               | 2026-06-12 | 2026-06-13
what did we decide [on Monday of last week]?            | 2026-06-08 | 2026-06-09
open bugs [since Monday]                                | 2026-06-15 |
what did we decide [in March]?                          | 2026-03-01 | 2026-04-01
what did we decide [in march]?                          | 2026-03-01 | 2026-04-01
what did we decide [in May] about auth?                 | 2026-05-01 | 2026-06-01
what did we decide [in may]?                            | 2026-05-01 | 2026-06-01
what did we decide [in June]?                           | 2026-06-01 | 2026-07-01
what did we decide [in September]?                      | 2025-09-01 | 2025-10-01
what did we decide [in March 2025]?                     | 2025-03-01 | 2025-04-01
what did we decide [in March of last year]?             | 2025-03-01 | 2025-04-01
what did we decide [in Jan. 2025]?                      | 2025-01-01 | 2025-02-01
what did we decide [in March and April]?                | 2026-03-01 | 2026-05-01
what did we decide [on March 3rd]?                      | 2026-03-03 | 2026-03-04
what did we decide [on 3 March 2026]?                   | 2026-03-03 | 2026-03-04
what did we decide [on the 3rd of March]?               | 2026-03-03 | 2026-03-04
what did we decide [on March 3, 2025] about auth?       | 2025-03-03 | 2025-03-04
what did we decide [March 3rd]?                         | 2026-03-03 | 2026-03-04
what did we decide [on December 24]?                    | 2025-12-24 | 2025-12-25
what did we decide [on 2026-03-03]?                     | 2026-03-03 | 2026-03-04
what did we decide [2026-03-03]?                        | 2026-03-03 | 2026-03-04
what did we decide [in 2026-03]?                        | 2026-03-01 | 2026-04-01
what was the roadmap [in Q1]?                           | 2026-01-01 | 2026-04-01
what did we ship [in Q3]?                               | 2025-07-01 | 2025-10-01
what did we ship [in Q3 2025]?                          | 2025-07-01 | 2025-10-01
what did we ship [in Q4 of last year]?                  | 2025-10-01 | 2026-01-01
which queue did we use [in 2024]?                       | 2024-01-01 | 2025-01-01
[In 2024] we used Kafka, why?                           | 2024-01-01 | 2025-01-01
what changed [since yesterday]?                         | 2026-06-16 |
what changed [since last week] in billing?              | 2026-06-08 |
what changed [since March]?                             | 2026-03-01 |
what changed [since 2026-05-04]?                        | 2026-05-04 |
what changed [since 2 weeks]?                           | 2026-06-03 |
what changed [since early 2025]?                        | 2025-01-01 |
what changed [from March on]?                           | 2026-03-01 |
what changed [after March]?                             | 2026-04-01 |
what changed [after 2026-03-03]?                        | 2026-03-04 |
what changed [after the beginning of March]?            | 2026-03-01 |
decisions [before March 2026]                           |            | 2026-03-01
what did we use [before 2025]?                          |            | 2025-01-01
what did we use [before the end of March]?              |            | 2026-04-01
what did we use [until March]?                          |            | 2026-04-01
what had we decided [by March 3rd]?                     |            | 2026-03-04
what changed [between March and May]?                   | 2026-03-01 | 2026-06-01
what changed [between 2026-03-01 and 2026-03-10]?       | 2026-03-01 | 2026-03-11
what changed [from March 3 to April 2]?                 | 2026-03-03 | 2026-04-03
what happened [from Monday to today]?                   | 2026-06-15 | 2026-06-18
notes [from March]                                      | 2026-03-01 | 2026-04-01
what did we learn [recently]?                           | 2026-05-18 |
why did latency go up [lately]                          | 2026-05-18 |
what was recently decided, [last week]?                 | 2026-06-08 | 2026-06-15
"""

EVENTS = """
what broke [before the 2.0 release]?                    | the 2.0 release          | before | 2.0 release
what changed [after v1.4]?                              | v1.4                     | after  | 1.4
which flags are gone [since 2.0]?                       | 2.0                      | since  | 2.0
which flags are gone [since version 2024.1]?            | version 2024.1           | since  | 2024.1
what changed [since ADR-012]?                           | ADR-012                  | since  | adr-012
how did retries work [before ADR 12]?                   | ADR 12                   | before | adr 12
what changed [since the outage]?                        | the outage               | since  | outage
what did we change [after the Redis outage]?            | the Redis outage         | after  | redis outage
which ORM did we use [before the migration to Postgres]? | the migration to Postgres | before | migration postgres
what was slow [until the upgrade to Python 3.12]?       | the upgrade to Python 3.12 | before | upgrade python 3.12
what broke [after the upgrade to 3.0]?                  | the upgrade to 3.0       | after  | upgrade 3.0
what was new [since the migration to Postgres 16]?      | the migration to Postgres 16 | since | migration postgres 16
what did we learn [since the move to Kubernetes]?       | the move to Kubernetes   | since  | move kubernetes
who was on call [during the outage]?                    | the outage               |        | outage
what changed [since the last incident]?                 | the last incident        | since  | incident
"""

LEFT_ALONE = """
how do we sync with Monday.com?
why do we march through the list?
may we log the token?
why does it fail after may we changed?
what did this apple cost?
May 3rd party code be vendored?
how long is a second here?
what did the last migration do?
what was the last error?
what was the last minute change?
should we retry after 5 minutes?
why a timeout of 30 days?
do we cache for a week?
what runs every Monday?
what did we run on every Monday?
what does the nightly job do?
what runs at 2024-style ids?
which version 2024.1 flags did we set?
the token expires in 3 days
does it answer within 2 hours?
where is the reminder for the past-due invoices?
what did we decide for the next sprint?
what happened in the last sprint?
how does auth work today?
which database do we use today?
can we deploy on Friday?
do we deploy from Monday to Friday?
what must be done before Monday?
what must we finish by Friday?
what did we say is due on Friday?
what should we do this week?
what is planned for tomorrow?
this year's goals
why did yesterday's release look random?
what ran twice after last week's restart?
what did we do last weekend before March 3?
this quarter's OKRs
what did we learn since the team agreed on migration?
what did we plan for later this week?
why do we keep logs for the last 30 days?
which alert uses the average over the last 5 minutes?
ERROR 2026-03-03 10:15:02 worker died, did we see that?
why did we see ERROR 2026-03-03 in the log?
what happened on 2026-03-03 10:15?
why did we pin anthropic-version 2023-06-01?
why did we move the API to 2023-06-01?
why did we move from the 2023-06-01 API?
did we read docs/2026-03-03?
what does "since yesterday" mean in the parser?
why does the page show `3 days ago`?
what did we decide 2 or 3 days ago?
what did we decide over a year ago?
what did we decide half a year ago?
what was decided in the last week of March?
what was decided other than yesterday?
why was it slower than last week?
which decisions were not made in March, and not in April?
as of yesterday, which queue was used?
what did we decide between 3 and 10 March?
what changed from March 3 to 10?
what did we do yesterday that we did not do in March?
since Monday is a holiday, who is on call?
since March is over, what changed?
what changed after 2000 requests?
how did it scale in 2024 shards?
does it listen on 2024?
what was it divided by 2024?
what did we schedule in 2031?
what happened on February 30?
what happened 9999 years ago?
convert it to hex, not in dec
least recently used eviction: what did we choose?
how recently was it deployed?
what runs after the migration?
what runs before the release?
what happened before the migration script ran?
what did we do after an outage?
what must be ready before the 2.0 release?
what did we do two days before the outage?
what broke before and after the outage?
was it slow after 1.5 seconds?
what did we bind before 10.0.0.1?
what changed since the outage last week?
what do we do before each release?
what did we ship since we moved to Go?
what did we decide ages ago?
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def edge(text: str) -> int | None:
    return micros(datetime.fromisoformat(text)) if text else None


def split(marked: str) -> tuple[str, str]:
    """The question, and what it says of time."""
    said = re.search(r"\[(.+)\]", marked)
    assert said
    return marked.replace(said[0], said[1]), said[1]


@pytest.mark.parametrize(("marked", "since", "until"), rows(READ))
def test_a_time_is_read_from_a_question(marked: str, since: str, until: str) -> None:
    question, said = split(marked)
    found = spoken_time(question, NOW)
    assert found is not None
    assert (found.said, found.since, found.until) == (said, edge(since), edge(until))
    assert (found.event, found.relation) == ("", "")


@pytest.mark.parametrize(("marked", "event", "relation", "terms"), rows(EVENTS))
def test_an_event_is_left_for_the_memory_to_date(marked: str, event: str, relation: str, terms: str) -> None:
    question, said = split(marked)
    found = spoken_time(question, NOW)
    assert found is not None
    assert (found.said, found.event, found.relation) == (said, event, relation)
    assert (found.since, found.until) == (None, None)
    assert event_date_terms(found) == tuple(terms.split())


@pytest.mark.parametrize("question", LEFT_ALONE.strip().splitlines())
def test_what_may_not_be_a_time_of_the_memory_is_left_alone(question: str) -> None:
    assert spoken_time(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("what did we decide last week about auth?", "what did we decide about auth?"),
        ("what did we decide last week?", "what did we decide?"),
        ("Yesterday, why did we drop Redis?", "why did we drop Redis?"),
        ("What changed in .env since 2.0, and why?", "What changed in .env, and why?"),
        ("what changed in March .env files", "what changed .env files"),
        ("since\nyesterday: what broke?", "what broke?"),
        ("decisions since yesterday", "decisions"),
        ("since yesterday", ""),
    ],
)
def test_the_rest_is_the_question_without_the_time(question: str, rest: str) -> None:
    found = spoken_time(question, NOW)
    assert found is not None
    assert found.rest == rest


def test_only_recently_is_weak() -> None:
    recent, sharp = spoken_time("what changed recently?", NOW), spoken_time("what changed yesterday?", NOW)
    assert recent is not None
    assert sharp is not None
    assert (recent.weak, sharp.weak) == (True, False)


def test_spaces_do_not_cut_a_relation_from_its_time() -> None:
    assert spoken_time("what changed since  yesterday?", NOW) is None


def test_a_pasted_text_is_not_a_question() -> None:
    assert spoken_time("what broke yesterday? " + "x" * module.QUESTION_LENGTH_MAX, NOW) is None


def test_last_march_is_over_and_in_march_has_begun() -> None:
    march = micros(datetime(2026, 3, 10, tzinfo=UTC))
    this, last = spoken_time("decisions in March", march), spoken_time("decisions in last March", march)
    assert this is not None
    assert last is not None
    assert (this.since, last.since) == (edge("2026-03-01"), edge("2025-03-01"))


def test_an_event_without_words_of_its_own_has_no_terms() -> None:
    assert event_date_terms(Spoken(None, None, "", "")) == ()


PIECES = sorted(
    {word for table in (READ, EVENTS, LEFT_ALONE) for row in rows(table) for word in row[0].replace("[", "").split()}
)
questions = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from([*PIECES, "since", "the", "last", "\n", "İ", "9999"]), max_size=12).map(" ".join),
)
moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)).map(micros)


@settings(max_examples=600)
@given(questions, st.one_of(st.just(NOW), moments))
def test_what_is_found_is_made_of_the_question(question: str, now: int) -> None:
    found = spoken_time(question, now)
    if found is None:
        return
    assert found.said
    assert found.said in question
    assert not Counter(re.findall(r"\w+", found.rest)) - Counter(re.findall(r"\w+", question))
    assert (found.since is None and found.until is None) == bool(found.event)
    if found.since is not None and found.until is not None:
        assert found.since < found.until
    if found.since is not None:
        assert found.since <= now
    if found.event:
        assert found.event in question
        assert event_date_terms(found)


LONG = [
    "since ",
    "the ",
    "a few ",
    "between March and ",
    "'",
    '"a',
    "“",
    "9",
    "the x ",
    "Monday or ",
    " ",
    "v1.",
    "aed ",
]


def work(question: str) -> int:
    """How many lines of Python it takes."""
    count = 0

    def step(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line" and frame.f_code.co_filename == module.__file__
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        spoken_time(question, NOW)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.timeout(60)  # A pattern that backtracks over 10,000 characters would not end in a year.
@pytest.mark.parametrize("piece", LONG)
def test_work_grows_with_the_length_and_not_faster(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUESTION_LENGTH_MAX", 10_000)
    short, long = (work("what broke " + piece * (size // len(piece) - 11)) for size in (5_000, 10_000))
    assert long <= 2.5 * short + 100


def test_the_table_is_asked_at_a_fixed_moment() -> None:
    assert (NOON.weekday(), NOON - timedelta(days=2)) == (2, datetime(2026, 6, 15, 15, 30, tzinfo=UTC))
