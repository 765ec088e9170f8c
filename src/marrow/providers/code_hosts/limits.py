"""Limits of calls, as hosts put them into their headers, and how long they want to be left alone."""

from __future__ import annotations

import email.utils
from collections.abc import Mapping
from typing import Any

from .host import Limit

# What GitHub asks of those whom it stopped without saying for how long.
UNSAID_WAIT_S = 60.0
_LEAST_WAIT_S = 1.0


def limit_of(headers: Mapping[str, str]) -> Limit:
    """What may be asked still: GitHub's headers begin with `X-`, GitLab's do not."""
    numbers = [_number(headers, name) for name in ("limit", "remaining", "reset")]
    return Limit(*numbers)


def _number(headers: Mapping[str, str], name: str) -> int | None:
    for header in (f"x-ratelimit-{name}", f"ratelimit-{name}"):
        text = headers.get(header, "").strip()
        if text.isascii() and text.isdigit() and len(text) < 16:
            return int(text)
    return None


def is_limited(status: int, headers: Mapping[str, str], said: Mapping[str, Any]) -> bool:
    """Whether a refusal is for too many calls. GitHub says 403 for that too, as it does for missing rights: then a
    wait, an empty account of calls or the page that it refers to tells them apart."""
    if status == 429:
        return True
    if status != 403:
        return False
    if "retry-after" in headers or limit_of(headers).remaining == 0:
        return True
    return "rate-limit" in str(said.get("documentation_url", ""))


def wait_of(headers: Mapping[str, str], now: float) -> float | None:
    """For how many seconds the host wants no calls, or None where it does not say. `now` is the wall's clock."""
    wait = _retry_after(headers.get("retry-after", "").strip(), now)
    limit = limit_of(headers)
    if wait is None and limit.remaining in (0, None) and limit.reset is not None:
        wait = limit.reset - now
    return None if wait is None else max(_LEAST_WAIT_S, wait)


def _retry_after(text: str, now: float) -> float | None:
    """Seconds, or a date."""
    if not text:
        return None
    try:
        if text.replace(".", "", 1).isdigit():
            return float(text)
        return email.utils.parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError):
        return None
