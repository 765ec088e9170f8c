"""What one line of a log says, in the forms that are in use: JSON, logfmt, syslog, Kubernetes and Docker, klog, access
and error logs of web servers, and what programs write for themselves (a time, a level, a name, a message)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from . import times
from .entry import ERROR, INFO, SYSLOG, WARNING, Entry, level_of

MESSAGE_LENGTH_MAX = 8_000
# How far behind a time the level may stand.
_LEVEL_WITHIN = 60
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CRI = re.compile(r"(?P<time>\d{4}-\d\d-\d\dT\S+) (?P<stream>stdout|stderr) (?P<part>[FP]) (?P<text>.*)\Z", re.S)
_KUBECTL = re.compile(r"\[(?:pod/)?(?P<pod>[a-z0-9][\w.-]*)/(?P<container>[\w.-]+)\] (?P<text>.*)\Z", re.S)
_KLOG = re.compile(r"(?P<level>[IWEF])(?=\d{4} \d\d:)")
_KLOG_REST = re.compile(r" +\d+ [\w./-]+:\d+\] ?")
_RFC5424 = re.compile(
    r"<(?P<pri>\d{1,3})>1 (?P<time>\S+) (?P<host>\S+) (?P<app>\S+) \S+ \S+ (?:-|(?:\[(?:[^\]\\]|\\.)*\])+) ?"
    r"(?P<text>.*)\Z",
    re.S,
)
_RFC3164 = re.compile(
    r"(?:<(?P<pri>\d{1,3})>)?(?P<time>[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|"
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?P<host>[\w.:-]+) (?P<app>[\w./@()-]+)(?:\[\d+\])?: (?P<text>.*)\Z",
    re.S,
)
_ACCESS = re.compile(
    r'(?P<host>\S+) \S+ .{1,80}?\[(?P<time>[^\]]{20,30})\] "(?P<request>(?:[^"\\]|\\.)*)" '
    r"(?P<status>\d{3}) (?P<size>\S+)"
)
_NGINX = re.compile(
    r"(?P<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?P<level>\w+)\] \d+#\d+: (?:\*\d+ )?(?P<text>.*)\Z", re.S
)
_APACHE = re.compile(
    r"\[(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:.]+ \d{4})\] \[(?:\w*:)?(?P<level>\w+)\]"
    r"(?: \[[^\]]*\])* (?P<text>.*)\Z",
    re.S,
)
_PAIR = re.compile(r'([A-Za-z_][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]\S*|)(?=\s|\Z)')
_LEVEL_WORD = re.compile(
    r"\b(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|SEVERE|CRIT(?:ICAL)?|ALERT|EMERG|FATAL|PANIC"
    r"|trace|debug|info|notice|warn(?:ing)?|error|critical|fatal|panic"
    r"|Trace|Debug|Info(?:rmation)?|Notice|Warn(?:ing)?|Error|Critical|Fatal)\b"
)
_LEVEL_HEAD = re.compile(rf"[\[(<]?{_LEVEL_WORD.pattern}[\])>]?(?=[\s:|\-]|\Z)[\s:|-]*")
# Without a time before it, only a level that is written large counts.
_LEVEL_LARGE = re.compile(
    r"(?:^|(?<=[\s|\[:]))(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE|CRIT(?:ICAL)?|ALERT|FATAL|PANIC)(?=[\s|\]:])"
)
_ANDROID = re.compile(
    r"(?P<mo>\d\d)-(?P<d>\d\d) (?P<h>\d\d):(?P<mi>\d\d):(?P<s>\d\d)\.(?P<f>\d+) +\d+ +\d+ (?P<level>[VDIWEFA]) "
)
_SINCE_1970 = re.compile(r"(?:- )?(?P<seconds>1\d{9})(?:[.,]\d+)?\b")
# What a line that tells no level says all the same.
_GRAVE = re.compile(
    r"\b(?:panic|segfault|segmentation fault|out of memory|oom-killer|killed process|fatal|core dumped)\b", re.I
)
_WRONG = re.compile(
    r"\b(?:errors?|failed|failures?|failing|exception|refused|denied|timed out|timeout|cannot|can't|could not|"
    r"unable to|aborted|corrupt(?:ed)?|unreachable|break-in|invalid user)\b",
    re.I,
)
_RUBY = re.compile(r"[DIWEFA], \[")
_TIME_KEYS = (
    "time", "timestamp", "@timestamp", "ts", "t", "datetime", "date", "eventTime", "asctime", "@t", "Timestamp",
    "__REALTIME_TIMESTAMP",
)  # fmt: skip
_LEVEL_KEYS = (
    "level", "severity", "lvl", "levelname", "log.level", "loglevel", "@l", "priority", "SeverityText", "LogLevel",
    "PRIORITY",
)  # fmt: skip
_MESSAGE_KEYS = (
    "message",
    "msg",
    "event",
    "log",
    "text",
    "body",
    "@m",
    "@mt",
    "textPayload",
    "jsonPayload.message",
    "error",
    "MESSAGE",
    "Body",
)
# What says more where the message is the name of an event, or only what failed; and what tells of an entry what is
# told by itself.
_EVENT_KEYS = ("event", "event_name", "eventName", "event.action", "action")
_DETAIL_KEYS = ("detail", "details", "reason", "error", "err", "cause", "description")
_ID_LIKE = re.compile(r"(?=\S*\d)[\w.:/#-]+\Z")
BESIDE_MAX, BESIDE_LENGTH_MAX = 12, 80
_SERVICE_KEYS = (
    "service", "service.name", "service_name", "serviceName", "svc", "app", "application", "kubernetes.container_name",
    "kubernetes.labels.app", "resource.labels.container_name", "container_name", "component", "SYSLOG_IDENTIFIER",
    "dd.service", "name",
)  # fmt: skip
_TRACE_KEYS = (
    "stack_trace",
    "stack",
    "exc_info",
    "exception",
    "traceback",
    "err.stack",
    "error.stack",
    "error.stack_trace",
    "@x",
    "stacktrace",
)
_ID_KEYS = (
    "trace_id",
    "traceId",
    "trace.id",
    "dd.trace_id",
    "otelTraceID",
    "request_id",
    "requestId",
    "correlation_id",
    "TraceId",
)


def parse(line: str, now: int) -> Entry:
    """The line as an entry. `is_head` is False for one that begins like none that tells its time or level."""
    text = _ANSI.sub("", line) if "\x1b" in line else line
    return _wrapped(text, now) or _bare(text, now) or Entry(text[:MESSAGE_LENGTH_MAX], is_head=False)


def _wrapped(text: str, now: int) -> Entry | None:
    """What a collector put around a line: Docker's JSON, the container runtime's prefix, kubectl's, syslog's."""
    if text.startswith("{"):
        shape = _json(text)
        if shape is None:
            return None
        if isinstance(shape.get("log"), str) and ("stream" in shape or "kubernetes" in shape) and "level" not in shape:
            inner = parse(str(shape["log"]).rstrip("\n"), now)
            at = times.of_value(_first(shape, _TIME_KEYS), now)
            return _around(inner, at, _text(_first(shape, _SERVICE_KEYS)), "docker")
        return _of_fields(shape, "json", now)
    first = text[:1]
    if first.isdigit() and text[10:11] == "T" and (found := _CRI.match(text)):
        return _around(parse(found["text"], now), times.of_value(found["time"], now), "", "cri")
    if first == "[" and (found := _KUBECTL.match(text)):
        return _around(parse(found["text"], now), 0, found["container"], "kubectl")
    if first != "<" and not first.isupper() and text[10:11] != "T":
        return None
    if found := _RFC5424.match(text) or _RFC3164.match(text):
        inner = _bare(found["text"], now) or Entry(found["text"][:MESSAGE_LENGTH_MAX], is_head=False)
        if inner.level is None:
            inner.level = SYSLOG[int(found["pri"]) % 8] if found["pri"] else _told_grade(inner.message)
        return _around(inner, times.of_value(found["time"], now), found["app"].partition("(")[0], "syslog")
    return None


def _around(inner: Entry, at: int, service: str, form: str) -> Entry:
    inner.at = at or inner.at
    inner.service = inner.service or (service if service != "-" else "")
    inner.form = inner.form or form
    inner.wrapped = True
    return inner


def _bare(text: str, now: int) -> Entry | None:
    if text.startswith("{"):
        shape = _json(text)
        return _of_fields(shape, "json", now) if shape is not None else None
    if text[:1] in "IWEF" and (klog := _KLOG.match(text)) and (at := times.KLOG.match(text, 1)):
        rest = _KLOG_REST.match(text, at.end())
        message = text[rest.end() if rest else at.end() :].strip()
        return Entry(message[:MESSAGE_LENGTH_MAX], times.of_match(at, now), level_of(klog["level"]), form="klog")
    if text[4:5] == "/" and (found := _NGINX.match(text)):
        message = found["text"].partition(", client: ")[0]
        return Entry(
            message[:MESSAGE_LENGTH_MAX], times.of_value(found["time"], now), level_of(found["level"]), form="nginx"
        )
    if text.startswith("[") and (found := _APACHE.match(text)):
        at_ = times.APACHE.match(found["time"])
        when = times.of_match(at_, now) if at_ else 0
        return Entry(found["text"][:MESSAGE_LENGTH_MAX], when, level_of(found["level"]), form="apache")
    if '] "' in text and (found := _ACCESS.match(text)):
        return _access(found, now)
    if "=" in text.lstrip()[:200].partition(" ")[0] and (entry := _logfmt(text, now)):
        return entry
    return _written(text, now)


def _access(found: re.Match[str], now: int) -> Entry | None:
    at = times.ACCESS.match(found["time"])
    if at is None:
        return None
    status = int(found["status"])
    request = found["request"].rpartition(" HTTP/")[0] or found["request"]
    method, _, target = request.partition(" ")
    level = ERROR if status >= 500 else WARNING if status in (401, 403, 408, 429, 499) else INFO
    message = f"{method} {target.partition('?')[0]} answered {status}"
    return Entry(message[:MESSAGE_LENGTH_MAX], times.of_match(at, now), level, form="access")


def _logfmt(text: str, now: int) -> Entry | None:
    pairs = {key: _unquoted(value) for key, value in _PAIR.findall(text)}
    if len(pairs) < 2 or not any(key in pairs for key in (*_LEVEL_KEYS, "msg", "message")):
        return None
    if not text.lstrip().partition("=")[0].replace(".", "").replace("_", "").replace("@", "").isalnum():
        return None  # words stand before the first pair
    return _of_fields(pairs, "logfmt", now)


def _unquoted(value: str) -> str:
    return value[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") if value[:1] == '"' else value


def _written(text: str, now: int) -> Entry | None:
    """What a program writes for itself: a time, a level, perhaps who, and a message."""
    if android := _ANDROID.match(text):
        grade = level_of({"V": "trace", "A": "fatal"}.get(android["level"], android["level"]))
        return Entry(text[android.end() :][:MESSAGE_LENGTH_MAX], times.of_match(android, now), grade, form="text")
    start = 3 if _RUBY.match(text) else 0
    head = text[start : start + 1] in ("[", "(")
    found = times.ISO.match(text, start + head) or times.SYSLOG.match(text, start + head) or times.SHORT.match(text)
    found = found or times.ISO.search(text[:_LEVEL_WITHIN])
    at = times.of_match(found, now) if found else _epoch(text)
    rest = text[found.end() :].lstrip("]), ").lstrip() if found else text
    if start and rest.startswith("#"):
        rest = rest.partition("]")[2].lstrip()
    level = _level_in(rest, bool(at))
    if level is None:
        return Entry(rest[:MESSAGE_LENGTH_MAX], at, _told_grade(rest), form="text") if at and rest else None
    before, message = rest[: level.start()].strip(" |-:"), rest[level.end() :].lstrip(" ])|:-,")
    if before.strip(" []()|-:") and not found:
        before = "" if len(before) > _LEVEL_WITHIN or before[:1].isdigit() else before
    whole = f"{before} {message}" if before.strip("[]()") else message  # who says it
    return Entry((whole.strip() or rest.strip())[:MESSAGE_LENGTH_MAX], at, level_of(level["level"]), form="text")


def _level_in(rest: str, is_timed: bool) -> re.Match[str] | None:
    """Where a line tells its level. Behind a time it may be written small; else a word in a sentence would do."""
    if is_timed:
        return _LEVEL_HEAD.match(rest) or _LEVEL_LARGE.search(rest[: _LEVEL_WITHIN * 2])
    return None if rest[:1].isspace() else _LEVEL_LARGE.search(rest[: _LEVEL_WITHIN * 2])


def _epoch(text: str) -> int:
    found = _SINCE_1970.match(text)
    return times.of_value(int(found["seconds"]), 0) if found else 0


def _told_grade(message: str) -> int | None:
    """How grave a message is that tells no level: by what it says, carefully."""
    if _GRAVE.search(message):
        return ERROR
    return WARNING if _WRONG.search(message) else None


def _of_fields(shape: Mapping[str, Any], form: str, now: int) -> Entry:
    told = _first(shape, _MESSAGE_KEYS)
    message = told if isinstance(told, str) else _text(told.get("message")) if isinstance(told, dict) else ""
    if _ID_LIKE.match(message):  # whose message, and not what happened
        message = _text(_first(shape, _EVENT_KEYS)) or message
    trace = _text(_first(shape, _TRACE_KEYS))
    level = level_of(_first(shape, _LEVEL_KEYS))
    if level is None and trace:
        level = ERROR
    detail = _detail(shape) if message and level is not None and level >= WARNING else ""
    if detail and detail not in message:
        message = f"{message}: {detail}"
    if not message:
        message = trace.partition("\n")[0] or " ".join(f"{k}={v}" for k, v in list(shape.items())[:12])
    entry = Entry(
        message[:MESSAGE_LENGTH_MAX],
        times.of_value(_first(shape, _TIME_KEYS), now),
        level,
        _service(shape),
        _text(_first(shape, _ID_KEYS))[:64],
        form,
        beside=_beside(shape, message) if level is not None and level >= WARNING else "",
    )
    entry.trace += trace.split("\n") if trace else []
    return entry


def _detail(shape: Mapping[str, Any]) -> str:
    """The first that says it in words, by itself or as the message of an error: that there was one says nothing."""
    for key in _DETAIL_KEYS:
        told = shape.get(key)
        told = told.get("message") if isinstance(told, dict) else told or shape.get(f"{key}.message")
        if isinstance(told, str) and told:
            return told
    return ""


def _beside(shape: Mapping[str, Any], message: str) -> str:
    """What else stands in an entry, as far as it is short: one of them is shown as a sample."""
    told = {*_TIME_KEYS, *_LEVEL_KEYS, *_SERVICE_KEYS, *_TRACE_KEYS, *_ID_KEYS}
    texts = ((key, _text(value)) for key, value in shape.items() if key not in told)
    short = [(key, text) for key, text in texts if 0 < len(text) <= BESIDE_LENGTH_MAX and text not in message]
    return ", ".join(f"{key}={text}" for key, text in short[:BESIDE_MAX])


def _service(shape: Mapping[str, Any]) -> str:
    told = _first(shape, _SERVICE_KEYS)
    if isinstance(told, dict):
        told = told.get("name")
    return _text(told)[:100]


def _first(shape: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of these that is there; a dotted one is looked for as it is, and step by step."""
    for key in keys:
        if (found := shape.get(key)) not in (None, "", {}):
            return found
        if "." in key:
            at: Any = shape
            for part in key.split("."):
                at = at.get(part) if isinstance(at, dict) else None
            if at not in (None, "", {}):
                return at
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def _json(text: str) -> dict[str, Any] | None:
    try:
        shape = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return shape if isinstance(shape, dict) else None


__all__ = ["parse"]
