"""Times as logs write them, in microseconds. Each form is one expression: a log has millions of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ...model.moments import MICROS_PER_DAY, micros, moment

_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
ISO = re.compile(
    r"(?P<y>\d{4})[-/](?P<mo>\d{2})[-/](?P<d>\d{2})[T ](?P<h>\d{2}):(?P<mi>\d{2}):(?P<s>\d{2})"
    r"(?:[.,](?P<f>\d{1,9}))?[ ]?(?P<z>Z|UTC|[+-]\d{2}:?\d{2})?"
)
SHORT = re.compile(
    r"(?P<yy>\d{2})/?(?P<mo>\d{2})/?(?P<d>\d{2}) (?P<h>\d{2}):?(?P<mi>\d{2}):?(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?\b"
)
SYSLOG = re.compile(r"(?P<m>[A-Z][a-z]{2}) +(?P<d>\d{1,2}) (?:(?P<y>\d{4}) )?(?P<h>\d{2}):(?P<mi>\d{2}):(?P<s>\d{2})")
ACCESS = re.compile(
    r"(?P<d>\d{2})/(?P<m>[A-Z][a-z]{2})/(?P<y>\d{4}):(?P<h>\d{2}):(?P<mi>\d{2}):(?P<s>\d{2})(?: (?P<z>[+-]\d{4}))?"
)
APACHE = re.compile(
    r"[A-Z][a-z]{2} (?P<m>[A-Z][a-z]{2}) +(?P<d>\d{1,2}) (?P<h>\d{2}):(?P<mi>\d{2}):(?P<s>\d{2})(?:\.(?P<f>\d+))?"
    r" (?P<y>\d{4})"
)
KLOG = re.compile(r"(?P<mo>\d{2})(?P<d>\d{2}) (?P<h>\d{2}):(?P<mi>\d{2}):(?P<s>\d{2})\.(?P<f>\d{1,9})")
_LATEST = 32_503_680_000  # the year 3000, in seconds


def of_match(found: re.Match[str], now: int) -> int:
    """The moment of a match of one of the forms. One without a year is the last such day before `now`."""
    parts = found.groupdict()
    month = int(parts["mo"]) if parts.get("mo") else _MONTHS.get((parts.get("m") or "").lower(), 0)
    clock = (int(parts["h"]), int(parts["mi"]), int(parts["s"]))
    second = min(clock[2], 59)  # a leap second
    fraction = int(((parts.get("f") or "") + "000000")[:6])
    try:
        if parts.get("y") or parts.get("yy"):
            year = int(parts.get("y") or f"20{parts['yy']}")
            at = micros(datetime(year, month, int(parts["d"]), clock[0], clock[1], second, fraction, tzinfo=UTC))
        else:
            at = _without_year(month, int(parts["d"]), clock[0], clock[1], second, fraction, now)
    except ValueError:
        return 0
    return max(0, at - _offset(parts.get("z")))


def _without_year(month: int, day: int, hour: int, minute: int, second: int, fraction: int, now: int) -> int:
    year = moment(now).year
    for earlier in range(5):
        try:
            at = micros(datetime(year - earlier, month, day, hour, minute, second, fraction, tzinfo=UTC))
        except ValueError:  # 29 February
            continue
        if at <= now + MICROS_PER_DAY:
            return at
    return 0


def _offset(zone: str | None) -> int:
    if not zone or zone in ("Z", "UTC"):
        return 0
    sign = -1 if zone[0] == "-" else 1
    digits = zone[1:].replace(":", "")
    return sign * (int(digits[:2]) * 3600 + int(digits[2:]) * 60) * 1_000_000


def of_value(given: object, now: int) -> int:
    """The moment that a field tells: a text of any form, or a number since 1970 in whatever unit. 0: none."""
    if isinstance(given, bool):
        return 0
    if isinstance(given, int | float):
        return _of_number(float(given))
    if not isinstance(given, str):
        return 0
    for form in (ISO, ACCESS, APACHE, SYSLOG):
        if found := form.match(given):
            return of_match(found, now)
    try:
        return _of_number(float(given))
    except ValueError:
        return 0


def _of_number(number: float) -> int:
    for scale in (1.0, 1e3, 1e6, 1e9):
        if 0 < number / scale < _LATEST and number / scale > 1e8:
            return int(number / scale * 1_000_000)
    return 0
