"""Production logs: many forms, stacks joined to what they belong to, alike events in one group, bounded memory."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest

from marrow.ingest import log as module
from marrow.ingest.item import Item, Skipped
from marrow.ingest.log import LogLines, read_file, read_log
from marrow.ingest.logs import groups as groups_module
from marrow.ingest.logs.entry import CRITICAL, DEBUG, ERROR, FATAL, INFO, WARNING, Entry, level_of
from marrow.ingest.logs.forms import parse
from marrow.ingest.logs.joining import entries
from marrow.ingest.logs.template import template_of
from marrow.model.moments import iso, micros, moment

NOW = 1_767_225_600_000_000  # 2026-01-01


def items(text: str, **more: Any) -> list[Item]:
    found = read_file(io.BytesIO(text.encode()), now=NOW, **{"name": "app.log", **more})
    assert all(isinstance(one, Item) for one in found), found
    return [one for one in found if isinstance(one, Item)]


FORMS: list[tuple[str, str, int | None, str, str]] = [
    (
        '{"time":"2025-12-30T10:03:00Z","level":"error","service":"cart","msg":"it broke"}',
        "it broke",
        ERROR,
        "cart",
        "2025-12-30T10:03:00Z",
    ),
    (
        '{"ts":1767089000.5,"level":50,"name":"cart","message":"it broke"}',
        "it broke",
        ERROR,
        "cart",
        "2025-12-30T10:03:20Z",
    ),
    (
        '{"timestamp":1767089000500,"severity":"WARNING","textPayload":"it broke",'
        '"resource":{"labels":{"container_name":"cart"}}}',
        "it broke",
        WARNING,
        "cart",
        "2025-12-30T10:03:20Z",
    ),
    (
        '{"@timestamp":"2025-12-30T10:03:00.1Z","log.level":"debug","message":"it broke","service.name":"cart"}',
        "it broke",
        DEBUG,
        "cart",
        "2025-12-30T10:03:00Z",
    ),
    (
        '{"MESSAGE":"it broke","PRIORITY":"3","SYSLOG_IDENTIFIER":"cart","__REALTIME_TIMESTAMP":"1767089000500000"}',
        "it broke",
        ERROR,
        "cart",
        "2025-12-30T10:03:20Z",
    ),
    (
        'time=2025-12-30T10:04:00Z level=warn msg="it broke" service=cart',
        "it broke",
        WARNING,
        "cart",
        "2025-12-30T10:04:00Z",
    ),
    ("Dec 30 10:05:00 web1 cart[123]: it broke now", "it broke now", None, "cart", "2025-12-30T10:05:00Z"),
    ("<11>Dec 30 10:05:00 web1 cart[123]: it broke now", "it broke now", ERROR, "cart", "2025-12-30T10:05:00Z"),
    (
        '<9>1 2025-12-30T10:06:00Z host cart 12 - [x y="z"] it broke',
        "it broke",
        CRITICAL,
        "cart",
        "2025-12-30T10:06:00Z",
    ),
    (
        '10.0.0.1 - - [30/Dec/2025:10:07:00 +0100] "GET /o/17?x=1 HTTP/1.1" 502 12 "-" "curl"',
        "GET /o/17 answered 502",
        ERROR,
        "",
        "2025-12-30T09:07:00Z",
    ),
    (
        '::1 - bo [30/Dec/2025:10:07:00 +0000] "POST /login HTTP/2.0" 401 12',
        "POST /login answered 401",
        WARNING,
        "",
        "2025-12-30T10:07:00Z",
    ),
    (
        "2025/12/30 10:08:00 [error] 12#12: *1 connect() failed, client: 1.2.3.4, server: x",
        "connect() failed",
        ERROR,
        "",
        "2025-12-30T10:08:00Z",
    ),
    (
        "[Tue Dec 30 10:09:00.123 2025] [core:error] [pid 1] [client 1.2.3.4:80] it broke",
        "it broke",
        ERROR,
        "",
        "2025-12-30T10:09:00Z",
    ),
    ("E1230 10:10:00.123456   12 kubelet.go:12] it broke", "it broke", ERROR, "", "2025-12-30T10:10:00Z"),
    ("2025-12-30T10:11:00.123456789Z stderr F ERROR it broke", "it broke", ERROR, "", "2025-12-30T10:11:00Z"),
    ("[pod/cart-5f/cart] 2025-12-30T10:11:00Z ERROR it broke", "it broke", ERROR, "cart", "2025-12-30T10:11:00Z"),
    (
        '{"log":"ERROR it broke\\n","stream":"stderr","time":"2025-12-30T10:12:00Z"}',
        "it broke",
        ERROR,
        "",
        "2025-12-30T10:12:00Z",
    ),
    ("E, [2025-12-30T10:13:00.123456 #123] ERROR -- : it broke", "it broke", ERROR, "", "2025-12-30T10:13:00Z"),
    ("2025-12-30 10:14:00,123 - INFO - it runs", "it runs", INFO, "", "2025-12-30T10:14:00Z"),
    (
        "2025-12-30 10:14:00.123+02:00 [main] WARN  c.s.Cart - slow",
        "[main] c.s.Cart - slow",
        WARNING,
        "",
        "2025-12-30T08:14:00Z",
    ),
    ("25/12/30 10:15:00 FATAL executor: it broke", "executor: it broke", FATAL, "", "2025-12-30T10:15:00Z"),
    ("12-30 10:15:00.811  1702  2395 E Window: it broke", "Window: it broke", ERROR, "", "2025-12-30T10:15:00Z"),
    ("\x1b[31mERROR\x1b[0m it broke", "it broke", ERROR, "", ""),
    ("2025-12-30T10:16:00Z the request timed out", "the request timed out", WARNING, "", "2025-12-30T10:16:00Z"),
]


@pytest.mark.parametrize(("line", "message", "level", "service", "at"), FORMS)
def test_a_line_tells_its_message_level_service_and_time(
    line: str, message: str, level: int | None, service: str, at: str
) -> None:
    entry = parse(line, NOW)
    assert (entry.message, entry.level, entry.service) == (message, level, service)
    assert (iso(entry.at) if entry.at else "") == at


def test_a_day_without_a_year_is_the_last_one() -> None:
    assert iso(parse("Jan  1 00:00:30 h a: x", NOW).at) == "2026-01-01T00:00:30Z"
    assert iso(parse("Jan  9 10:00:00 h a: x", NOW).at) == "2025-01-09T10:00:00Z"
    assert iso(parse("Feb 29 10:00:00 h a: x", NOW).at) == "2024-02-29T10:00:00Z"


@pytest.mark.parametrize("word", ["", "x", None, True, 3.5, "999", [], 99])
def test_what_is_no_level_is_none(word: object) -> None:
    assert level_of(word) is None


PYTHON = """\
2025-12-30 10:00:00,123 ERROR worker: charge 17 failed
Traceback (most recent call last):
  File "pay.py", line 12, in charge
    go()

ValueError: bad card 4
2025-12-30 10:00:05,123 INFO next
"""
JAVA = """\
2025-12-30 10:00:00,123 ERROR [main] Cart - no stock
com.shop.StockException: none left of 17
\tat com.shop.Cart.add(Cart.java:10)
\t... 3 more
Caused by: java.io.IOException: disk full
2025-12-30 10:00:05,123 INFO next
"""


def joined(text: str) -> list[Entry]:
    return list(entries(text.split("\n"), NOW))


def test_a_python_stack_belongs_to_the_error_above_it() -> None:
    first, second = joined(PYTHON)
    assert first.message == "worker: charge 17 failed"
    assert first.trace[0] == "Traceback (most recent call last):"
    assert first.trace[-1] == "ValueError: bad card 4"
    assert second.message == "next"


def test_a_java_stack_belongs_to_the_error_above_it() -> None:
    first, _ = joined(JAVA)
    assert first.trace[0] == "com.shop.StockException: none left of 17"
    assert first.trace[-1] == "Caused by: java.io.IOException: disk full"


def test_a_stack_under_something_harmless_is_an_error_of_its_own() -> None:
    stack = "Traceback (most recent call last):\n  File 'a.py', line 1, in f\nKeyError: 'x'"
    text = f"2025-12-30T10:00:00Z INFO started\n{stack}"
    harmless, error = joined(text)
    assert harmless.trace == []
    assert (error.level, error.trace[-1]) == (ERROR, "KeyError: 'x'")
    assert error.at == harmless.at, "it has the time of what went before"


def test_a_stack_is_joined_though_each_line_has_the_collectors_head() -> None:
    head = "2025-12-30T10:00:00.1Z stderr F "
    lines = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    g()",
        "KeyError: 'x'",
        "started again",
    ]
    stack, after = joined("\n".join(head + line for line in lines))
    assert stack.trace[-1] == "KeyError: 'x'"
    assert after.message == "started again"


def test_a_message_over_several_lines_is_one_event() -> None:
    (entry,) = joined("2025-12-30 10:00:00 WARN query was slow:\nSELECT *\nFROM t")
    assert entry.trace == ["SELECT *", "FROM t"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user 17 not found", "user 4 not found"),
        ("at 10.0.0.1:5432", "at 192.168.7.9:80"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id 650e8400-e29b-41d4-a716-44665544abcd"),
        ("sent to ann@x.org", "sent to bob.ray@y.example.com"),
        ("ptr 0x7ffee0 took 1.5ms", "ptr 0xdeadbeef took 120.25ms"),
        ('file "a b.txt" missing', 'file "c.txt" missing'),
        ("since 2025-01-01T10:00:00Z", "since 2024-02-03T04:05:06.789+02:00"),
        ("tries: 1, 2, 3", "tries: 4, 5"),
        ("GET /a?x=1&y=2", "GET /a?z=3"),
        ("commit deadbeef1234 by", "commit 00ab12cdef99 by"),
    ],
)
def test_messages_that_differ_by_numbers_ids_and_addresses_are_alike(one: str, other: str) -> None:
    assert template_of(one) == template_of(other)


def test_messages_that_say_different_things_are_not_alike() -> None:
    told = [
        "GET /a answered 502",
        "GET /a answered 404",
        "user not found",
        "cart not found",
        "status=503 x",
        "status=500 x",
    ]
    assert len({template_of(one) for one in told}) == len(told)


def test_alike_errors_are_one_item_with_how_often_and_when() -> None:
    text = "".join(f"2025-12-30T10:{n:02d}:00Z ERROR charge {n} failed for ann@x.org\n" for n in range(30))
    text += "2025-12-30T11:00:00Z WARN slow\n2025-12-30T11:00:01Z INFO fine\n"
    summary, error, warning = items(text)
    assert error.draft.content.startswith(
        "ERROR: charge <n> failed for <email>\n\n30 times, from 2025-12-30T10:00:00Z to 2025-12-30T10:29:00Z"
    )
    assert "Sample: charge 0 failed for ann@x.org" in error.draft.content
    about = error.draft.metadata
    assert (about["severity"], about["count"], about["first"], about["last"]) == (
        "error", 30, "2025-12-30T10:00:00Z", "2025-12-30T10:29:00Z",
    )  # fmt: skip
    assert (error.draft.kind, error.draft.domain, error.draft.source) == ("log", "issues", "log")
    assert iso(micros(error.draft.at)) == "2025-12-30T10:00:00Z"  # type: ignore[arg-type]
    assert warning.draft.metadata["severity"] == "warning"
    assert "32 events: 30 error, 1 warning, 1 info." in summary.draft.content
    assert "fine" not in summary.draft.content


def test_a_group_keeps_a_stack_and_the_ids_of_traces() -> None:
    line = '{"time":"2025-12-30T10:03:00Z","level":"error","service":"cart","msg":"it broke",'
    line += '"stack_trace":"E: x\\n at y","trace_id":"%s"}\n'
    _, item = items("".join(line % f"abc{n}" for n in range(9)))
    assert "Trace:\nE: x\n at y" in item.draft.content
    assert item.draft.metadata["traces"] == ["abc0", "abc1", "abc2"]
    assert item.draft.service == "cart"
    assert item.draft.content.startswith("ERROR in cart: it broke")


def test_an_entry_of_fields_tells_its_event_and_why_and_what_else_it_says() -> None:
    line = '{"ts":"2025-12-30T10:03:0%dZ","level":"error","svc":"post","event":"send_failed","msg":"msg_5%dc0ffee",'
    line += '"detail":"sender not known in +44","supplier":"tingle","retry":3}\n'
    summary, error = items("".join(line % (n, n) for n in range(3)))
    assert error.draft.content.startswith("ERROR in post: send_failed: sender not known in +<n>\n\n3 times")
    assert "Sample: send_failed: sender not known in +44 (msg=msg_50c0ffee, supplier=tingle, retry=3)" in (
        error.draft.content
    )
    assert "error in post, 3×: send_failed: sender not known" in summary.draft.content


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ('"err":{"type":"Error","message":"no route"}', "cannot fetch: no route"),
        ('"error.message":"no route"', "cannot fetch: no route"),
        ('"error":true,"reason":"no route"', "cannot fetch: no route"),
        ('"error":true', "cannot fetch"),
        ('"err":0,"detail":["a"]', "cannot fetch"),
    ],
)
def test_why_it_failed_is_told_in_words_wherever_they_stand(told: str, message: str) -> None:
    line = '{"time":"2025-12-30T10:03:00Z","level":"error","msg":"cannot fetch",%s}\n'
    assert parse(line % told, NOW).message == message


def test_why_a_message_failed_tells_it_from_others_and_a_harmless_one_stays_as_it_is() -> None:
    line = '{"time":"2025-12-30T10:03:0%dZ","level":"%s","msg":"cannot fetch","err":"%s"}\n'
    given = [("error", "no route"), ("error", "refused"), ("info", "fine")]
    found = [parse(line % (n, *one), NOW).message for n, one in enumerate(given)]
    assert found == ["cannot fetch: no route", "cannot fetch: refused", "cannot fetch"]


def test_errors_that_were_raised_for_different_reasons_are_told_apart() -> None:
    _, *found = items(PYTHON + PYTHON.replace("ValueError: bad card 4", "KeyError: 'card'").replace("17", "18"))
    assert [item.draft.metadata["count"] for item in found] == [1, 1]
    assert any("(ValueError: bad card <n>)" in item.draft.content for item in found)


def test_a_burst_of_something_harmless_is_told() -> None:
    lines = [f"2025-12-30T{h:02d}:{m:02d}:00Z INFO beat" for h in range(10) for m in range(60)]
    lines += [f"2025-12-30T05:30:{s % 60:02d}Z INFO cache was emptied" for s in range(90)]
    summary, burst = items("\n".join(lines))
    assert burst.draft.metadata["template"] == "cache was emptied"
    assert burst.draft.metadata["severity"] == "info"
    assert "info, 90×: cache was emptied" in summary.draft.content


def test_only_events_between_the_given_times_count() -> None:
    text = "".join(f"2025-12-30T10:{n:02d}:00Z ERROR e\n" for n in range(10))
    at = micros(moment(parse("2025-12-30T10:00:00Z ERROR e", NOW).at))
    _, error = items(text, since=at + 180_000_000, until=at + 300_000_000)
    assert error.draft.metadata["count"] == 3
    assert read_file(io.BytesIO(text.encode()), name="app.log", since=at * 2, now=NOW) == [
        Skipped("app.log", "no event was found in that time")
    ]


def test_a_grown_log_replaces_its_events_and_a_rotated_one_does_not() -> None:
    line = "2025-12-30T10:00:00Z ERROR e 1\n"
    before, grown = items(line), items(line + "2025-12-30T10:09:00Z ERROR e 2\n")
    rotated = items("2025-12-31T10:00:00Z ERROR e 1\n")
    assert [item.path for item in before] == [item.path for item in grown]
    assert not {item.path for item in before} & {item.path for item in rotated}
    assert before[1].draft.content != grown[1].draft.content
    assert all(item.path.startswith("log:app.log") for item in before)


def test_a_packed_log_is_read_and_one_that_ends_too_early_is_read_in_part() -> None:
    data = gzip.compress(b"".join(b"2025-12-30T10:00:00Z ERROR e %d\n" % n for n in range(5000)))
    assert len(read_file(io.BytesIO(data), now=NOW)) == 2
    *_, problem = read_file(io.BytesIO(data[: len(data) // 2]), name="a.gz", now=NOW)
    assert isinstance(problem, Skipped)
    assert "ends too early" in problem.reason


PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x9c@\x08\x02\n\x00\x00IDATx\x9c\x01\x03\xf8"


@pytest.mark.parametrize("data", [PICTURE, gzip.compress(PICTURE), bytes(range(256)) * 8, bytes(range(1, 256)) * 8])
def test_what_has_no_nul_in_its_first_line_may_be_no_text_either(data: bytes) -> None:
    assert read_file(io.BytesIO(data), name="a", now=NOW) == [Skipped("a", "it is not text")]


@pytest.mark.parametrize("before", [b"", b"\0" * 5000, b"\0" * 200_000, b"\x1b[31m", "\ufeffGrüße\n".encode("utf-16")])
def test_a_log_with_colours_or_a_hole_from_before_it_was_cut_is_text(before: bytes) -> None:
    line = "2025-12-30T10:00:00Z ERROR Größe of e\n"
    data = before + (line.encode("utf-16-le") if before.startswith(b"\xff\xfe") else line.encode("latin-1"))
    summary, *_ = read_file(io.BytesIO(data), name="a", now=NOW)
    assert isinstance(summary, Item)


def test_what_is_no_text_is_refused_and_an_empty_log_says_so() -> None:
    assert read_file(io.BytesIO(b"\x7fELF\x00\x00"), name="a", now=NOW) == [Skipped("a", "it is not text")]
    assert read_file(io.BytesIO(b""), name="a", now=NOW) == [Skipped("a", "no event was found")]
    assert read_file(io.BytesIO(b"\n\n \n"), name="a", now=NOW) == [Skipped("a", "no event was found")]


class Endless(io.RawIOBase):
    """A log without an end, and one line of it without an end."""

    def __init__(self, piece: bytes) -> None:
        self.piece = piece
        self.read_bytes = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), len(self.piece))
        buffer[:size] = self.piece[:size]
        self.read_bytes += size
        return size

    def seek(self, offset: int, whence: int = 0) -> int:
        return 0


@pytest.mark.parametrize("piece", [b"2025-12-30T10:00:00Z ERROR it broke again\n" * 50, b"x" * 4096])
def test_a_log_without_an_end_is_read_up_to_the_limit(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BYTES_MAX", 2_000_000)
    lines = LogLines(io.BufferedReader(Endless(piece)), 2_000_000)
    found = read_log(lines, now=NOW)
    assert lines.size <= 2_100_000
    assert lines.problem == "only the first 2,000,000 bytes were read"
    assert len(found) <= 2


def test_however_many_kinds_of_events_there_are_few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "GROUPS_MAX", 50)
    words = [f"{a}{b}{c}" for a in "abcdefgh" for b in "abcdefgh" for c in "abcdefgh"]
    lines = ["2025-12-30T10:00:00Z ERROR the one that matters"]
    lines += [f"2025-12-30T10:00:{n % 60:02d}Z INFO {word}" for n, word in enumerate(words)]
    summary, error = read_log(lines, now=NOW)
    assert error.draft.metadata["template"] == "the one that matters"
    assert "rare events of many kinds were only counted" in summary.draft.content
    assert "513 events" in summary.draft.content


def test_a_long_time_has_few_stretches() -> None:
    histogram = groups_module.Histogram()
    for minute in range(20_000):
        histogram.add(minute * groups_module.MINUTE)
    assert len(histogram.cells) <= groups_module.CELLS_MAX
    assert sum(histogram.cells.values()) == 20_000
    assert histogram.peak()[1] == histogram.width // groups_module.MINUTE


@pytest.mark.parametrize(
    "line",
    [
        "{" * 50_000,
        "[" * 50_000,
        "a=" * 30_000,
        '"' * 50_000,
        "<" * 50_000,
        " " * 60_000 + "x",
        "1" * 60_000,
        "a:" * 30_000,
        "[x" * 30_000,
        "-" * 60_000,
    ],
)
def test_hostile_lines_cost_little(line: str) -> None:
    assert read_log([line, "2025-12-30T10:00:00Z ERROR e"], now=NOW)


SECRETS = [
    ("login password=hunter2hunter failed", "hunter"),
    ("login {'password': 'Tr0ub4dor-Horse-Battery'} failed", "Horse"),
    ("key AKIAIOSFODNN7EXAMPLX was refused", "IOSFODNN"),
    ("sent Authorization: Bearer 4mNiJ8kQ2vXr7tYwZb3cDe6f to the gate", "NiJ"),
    ("connect postgres://app:s3cr3tHorse9@db.internal:5432/shop failed", "tHorse"),
]


@pytest.mark.parametrize(("said", "left"), SECRETS)
@pytest.mark.parametrize("form", ["2025-12-30T10:03:00Z ERROR {}", '{{"level":"error","msg":{}}}'])
def test_no_rest_of_a_secret_is_in_what_alike_events_have_in_common(said: str, left: str, form: str) -> None:
    line = form.format(json.dumps(said) if form.startswith("{") else said)
    told = items(f"{line}\n{line}\n2025-12-30T10:04:00Z INFO all is well\n")
    assert any("[redacted:" in one.draft.content for one in told)
    assert left not in repr(told)


def test_secrets_of_a_stack_and_beside_a_message_are_taken_out() -> None:
    lines = [
        "2025-12-30T10:03:00Z ERROR it broke",
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in go',
        "ValueError: password=hunter2hunter is no good",
    ]
    assert "hunter" not in repr(items("\n".join(lines)))
    fields = {"level": "error", "msg": "it broke", "password": "hunter2hunter", "note": "token=q8Zr4nW1xK7mB2vT"}
    told = repr(items(json.dumps(fields)))
    assert "hunter" not in told
    assert "q8Zr" not in told


def test_the_project_s_own_patterns_are_taken_out_before_numbers_are() -> None:
    told = items("2025-12-30T10:03:00Z ERROR badge XQ-4711-Z was refused", redact_extra=(r"XQ-\d{4}-Z",))
    assert "XQ" not in repr(told)
