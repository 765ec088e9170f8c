"""One JSON request to a service, with patience: time-outs, back-off, and every failure as one of Marrow's errors.

A key is sent in a header and nowhere else. It is in no error, no `repr` and no log; a redirect, which would carry it to
another host, is not followed. What a service says about a failure is shown cut short, and without the key in it.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import math
import random
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

from ..model.errors import (
    Forbidden,
    Invalid,
    MarrowError,
    QuotaExceeded,
    RateLimited,
    Refused,
    TooLarge,
    Unauthorized,
    Unavailable,
)

ANSWER_BYTES_MAX = 256 * 1024 * 1024
SAID_MAX = 200
_CHUNK = 64 * 1024
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 20.0
_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a call may take: one attempt, all of them together, and how many there are."""

    attempt_s: float
    total_s: float
    attempts: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Time, as the client sees it. Tests have one of their own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    wall: Callable[[], float] = time.time  # for a date in Retry-After


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _Failure(Exception):
    """What went wrong in one attempt, and whether another may help; `wait_s` is what the service asked for, `unsure`
    that it had the request and may have served it."""

    def __init__(
        self, error: MarrowError, *, again: bool = False, wait_s: float | None = None, unsure: bool = False
    ) -> None:
        super().__init__(error)
        self.error, self.again, self.wait_s, self.unsure = error, again, wait_s, unsure


@dataclass(frozen=True, slots=True, repr=False)
class Client:
    """Speaks to one service. `key_hint` says where its key comes from, `key_header` which header it goes into, and
    `setting` which of Marrow's settings named the service."""

    service: str
    address: str
    key: str | None = None
    key_hint: str = ""
    waiting: Waiting = field(default_factory=Waiting)
    setting: str = "embedder"
    key_header: str = ""  # without one, the key is a bearer's
    headers: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Client of {self.service} at {self.address}>"

    def post(self, path: str, body: Mapping[str, object], patience: Patience) -> dict[str, Any]:
        """The answer to a request. Tries again what may pass by itself, for as long as the patience lasts."""
        data = json.dumps(body).encode()
        end = self.waiting.clock() + patience.total_s
        attempt = 0
        while True:
            attempt += 1
            left = end - self.waiting.clock()
            try:
                return self._attempt(path, data, max(0.001, min(patience.attempt_s, left)))
            except _Failure as failure:
                wait = self._wait(attempt, failure.wait_s)
                left = end - self.waiting.clock()
                if not failure.again or attempt >= patience.attempts or wait >= left:
                    raise failure.error from None
                self.waiting.sleep(wait)

    def ask(self, path: str, body: Mapping[str, object], timeout_s: float) -> dict[str, Any]:
        """The answer to a request that costs money: one attempt and no more. The error says whether another may help,
        how long to wait before it, and whether this one may have been served and billed all the same."""
        try:
            return self._attempt(path, json.dumps(body).encode(), timeout_s)
        except _Failure as failure:
            error = failure.error
            error.retryable, error.wait_s, error.is_unsure = failure.again, failure.wait_s, failure.unsure
            raise error from None

    def _wait(self, attempt: int, asked: float | None) -> float:
        """Twice as long each time, and a random part of it, so that many clients do not come back at once."""
        longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (attempt - 1))
        own: float = longest * (0.5 + self.waiting.chance() / 2)
        return own if asked is None else asked + own / 4

    def _attempt(self, path: str, data: bytes, timeout: float) -> dict[str, Any]:
        request = urllib.request.Request(self.address + path, data, self._headers())
        end = self.waiting.clock() + timeout
        try:
            with _opener(self.address).open(request, timeout=timeout) as response:
                raw = self._read(response, end)
        except urllib.error.HTTPError as error:
            with error:
                raise self._failure(error.code, error.headers, self._body_of(error, end)) from None
        except TimeoutError:
            raise self._unreachable("it did not answer in time") from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._unreachable("it did not answer in time") from None
            again = not isinstance(error.reason, ssl.SSLCertVerificationError)
            raise self._unreachable(str(error.reason), again=again, unsure=False) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(f"the connection broke ({type(error).__name__})") from None
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError):
            raise self._unreachable("its answer is not JSON") from None
        if not isinstance(answer, dict):
            raise self._unreachable("its answer is no JSON object")
        return answer

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "marrow"}
        headers |= self.headers
        if not self.key:
            return headers
        return headers | ({self.key_header: self.key} if self.key_header else {"Authorization": f"Bearer {self.key}"})

    def _read(self, response: Any, end: float) -> bytes:
        """The body, in pieces: the time-out of a socket is for each piece, and a slow answer has many."""
        parts, size = [], 0
        while piece := response.read1(_CHUNK):
            parts.append(piece)
            size += len(piece)
            if size > ANSWER_BYTES_MAX:
                too_long = Unavailable(f"The answer of {self.service} is too long.", hint="Check the address.")
                raise _Failure(too_long, unsure=True)
            if self.waiting.clock() > end:
                raise TimeoutError
        if response.length:  # fewer bytes came than were announced; `read1` does not say so by itself
            raise http.client.IncompleteRead(b"", response.length)
        return b"".join(parts)

    def _body_of(self, error: urllib.error.HTTPError, end: float) -> dict[str, Any]:
        """What a service says about a failure; nothing if that cannot be read."""
        try:
            said = json.loads(self._read(error.fp, end))
        except (OSError, ValueError, RecursionError, http.client.HTTPException):
            return {}
        return said if isinstance(said, dict) else {}

    def _failure(self, status: int, headers: Message, body: Mapping[str, Any]) -> _Failure:
        error = body.get("error")
        about: Mapping[str, Any] = error if isinstance(error, dict) else {}
        said = self._clean(about.get("message") or body.get("detail") or body.get("message") or error)
        if status == 401:
            what = f"{self.service} does not accept the key." if self.key else f"{self.service} wants a key."
            return _Failure(Unauthorized(what, hint=self.key_hint))
        if status == 403:
            hint = "Check the rights of the key, and from where it may be used."
            return _Failure(Forbidden(f"{self.service} does not allow this{said}.", hint=hint))
        if about.get("code") == "insufficient_quota" or status == 402:
            hint = f"Add credit there, or choose another {self.setting}."
            return _Failure(QuotaExceeded(f"The account at {self.service} is used up{said}.", hint=hint))
        wait = _asked_wait(headers, self.waiting.wall())
        if status == 429:
            when = f" Wait {math.ceil(wait)} s." if wait else ""
            limited = RateLimited(f"{self.service} has had too many calls{said}.", hint=f"Try again later.{when}")
            return _Failure(limited, again=True, wait_s=wait)
        if status in _AGAIN or status >= 500:
            down = Unavailable(f"{self.service} answered {status}{said}.", hint="Try again later.")
            # A proxy says these when it lost patience with a service that may be at it still.
            return _Failure(down, again=status in _AGAIN, wait_s=wait, unsure=status in (408, 502, 504))
        if status in (400, 413, 422):
            refused = TooLarge if status == 413 else Refused
            return _Failure(
                refused(f"{self.service} refused the request{said}.", hint=f"Check the settings of {self.setting}.")
            )
        if status in (404, 405):
            hint = "Check the model's name and the address."
            return _Failure(
                Invalid(f"{self.service} knows no such model or address{said}.", hint=hint, field=self.setting)
            )
        return _Failure(Unavailable(f"{self.service} answered {status}{said}.", hint="Check the address."))

    def _unreachable(self, why: str, *, again: bool = True, unsure: bool = True) -> _Failure:
        host = urlsplit(self.address).netloc
        error = Unavailable(
            f"{self.service} at {host} cannot be used: {why}.", hint="Check the network and the address."
        )
        return _Failure(error, again=again, unsure=unsure)

    def _clean(self, said: object) -> str:
        """What the service said, as the end of a sentence: one line, not long, without the key."""
        if not isinstance(said, str) or not said.strip():
            return ""
        text = said.replace(self.key, "***") if self.key else said
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return f": {line[:SAID_MAX].rstrip('.')}"


def _asked_wait(headers: Message, now: float) -> float | None:
    """The wait in `Retry-After`, in seconds or as a date, or in the finer header that some services send."""
    try:
        if fine := headers.get("retry-after-ms"):
            return max(0.0, float(fine) / 1000)
        text = headers.get("Retry-After")
        if text is None:
            return None
        wait = float(text) if text.strip().replace(".", "", 1).isdigit() else _until(text, now)
    except (ValueError, OverflowError):
        return None
    return max(0.0, wait)


def _until(date: str, now: float) -> float:
    return email.utils.parsedate_to_datetime(date).timestamp() - now


def _opener(address: str) -> urllib.request.OpenerDirector:
    """Proxies are those of the environment, but never for a service on this machine."""
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if urlsplit(address).hostname in _LOCAL:
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)
