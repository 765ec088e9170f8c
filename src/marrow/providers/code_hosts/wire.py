"""Requests to a code host, with patience: pages, tags, limits, bad days, and every failure as one of Marrow's errors.

The token is sent in a header, to the address that it is for, and nowhere else. It is in no error, no `repr` and no log.
A redirect within the host is followed, for repositories are renamed; one to another host is not.
"""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import quote, urlencode, urljoin, urlsplit

from ...model.errors import (
    Conflict,
    Forbidden,
    MarrowError,
    NotFound,
    RateLimited,
    Refused,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from ...model.moments import iso
from ..http import Waiting
from .connection import Connection
from .host import Limit
from .limits import UNSAID_WAIT_S, is_limited, limit_of, wait_of

ANSWER_BYTES_MAX = 64 * 1024 * 1024
ATTEMPT_S = 30.0
ATTEMPTS = 4
REDIRECTS_MAX = 5
WAIT_S = 60.0
SAID_MAX = 200
_CHUNK = 64 * 1024
_FIRST_WAIT_S = 0.5
_AGAIN = frozenset((408, 425, 500, 502, 503, 504, 520, 522, 524, 529))
_MOVED = frozenset((301, 302, 307, 308))
_MICROS = 1_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What came. `is_unchanged`: the host says that it is as it was when it gave the tag; then there is no body."""

    headers: Mapping[str, str]
    body: bytes
    is_unchanged: bool = False

    @property
    def tag(self) -> str:
        return self.headers.get("etag", "")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a host is spoken to. `token_form` is how the token stands in its header; `token_hint` where it comes from."""

    title: str
    address: str
    headers: Mapping[str, str]
    token_header: str
    token_form: str = "{}"
    token_hint: str = ""


class Wire:
    """Asks one host. `wait_s` is how long it may wait, in all, where the host asks for it."""

    def __init__(
        self, manner: Manner, token: str = "", *, wait_s: float = WAIT_S, waiting: Waiting | None = None
    ) -> None:
        self.manner = manner
        self.requests = 0
        self.waited_s = 0.0
        self.limit = Limit()
        self._token = token
        self._wait_left = wait_s
        self._waiting = waiting or Waiting()
        self._connection = Connection(manner.address, ATTEMPT_S)
        self._root = urlsplit(manner.address).path.rstrip("/")

    def __repr__(self) -> str:
        return f"<Wire to {self.manner.title} at {self.manner.address}>"

    def close(self) -> None:
        self._connection.close()

    def json(self, path: str, query: str | Mapping[str, object] = "", *, what: str) -> Any:
        return self.decoded(self.get(path, query, what=what))

    def decoded(self, answer: Answer) -> Any:
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise self._unavailable("its answer is not JSON") from None

    def get(
        self,
        path: str,
        query: str | Mapping[str, object] = "",
        *,
        what: str,
        accept: str = "",
        tag: str = "",
        bytes_max: int = ANSWER_BYTES_MAX,
    ) -> Answer:
        """The answer to one request. `what` says in words what is asked for; `tag` is of the answer that is known."""
        text = query if isinstance(query, str) else urlencode({k: v for k, v in query.items() if v not in ("", None)})
        target = self._root + path + (f"?{text}" if text else "")
        headers = {"User-Agent": "marrow", **self.manner.headers, **({"Accept": accept} if accept else {})}
        if tag:
            headers["If-None-Match"] = tag
        if self._token:
            headers[self.manner.token_header] = self.manner.token_form.format(self._token)
        failed = moved = limited = 0
        while True:
            self._wait_for_more()
            try:
                status, found, body = self._attempt(target, headers, bytes_max)
            except _Broken as problem:
                failed += 1
                if failed >= ATTEMPTS or not problem.again:
                    raise self._unavailable(problem.why) from None
                self._back_off(failed)
                continue
            self.limit = limit_of(found) if limit_of(found) != Limit() else self.limit
            said = {} if status in (200, 304) else _said(body)
            if status == 200 or (status == 304 and tag):
                return Answer(found, body, is_unchanged=status == 304)
            if status in _MOVED and moved < REDIRECTS_MAX:
                moved += 1
                target = self._moved(target, found)
            elif is_limited(status, found, said):
                limited += 1
                self._pause(wait_of(found, self._waiting.wall()), limited)
            elif status in _AGAIN and failed + 1 < ATTEMPTS:
                failed += 1
                self._back_off(failed, wait_of({"retry-after": found.get("retry-after", "")}, self._waiting.wall()))
            else:
                raise self._error(status, found, said, what)

    def _attempt(self, target: str, headers: Mapping[str, str], bytes_max: int) -> tuple[int, Mapping[str, str], bytes]:
        """One request. A connection that the other side closed while it was idle is opened again once."""
        while True:
            was_used = self._connection.is_used
            try:
                self.requests += 1
                end = self._waiting.clock() + ATTEMPT_S
                response = self._connection.send(target, headers)
                found = {name.lower(): value for name, value in response.getheaders()}
                body = self._read(response, end, bytes_max)
            except TimeoutError:
                self._connection.close()
                raise _Broken("it did not answer in time") from None
            except ssl.SSLCertVerificationError as problem:
                self._connection.close()
                raise _Broken(f"its certificate is not trusted ({problem.verify_message})", again=False) from None
            except (OSError, http.client.HTTPException) as problem:
                self._connection.close()
                if was_used and isinstance(problem, ConnectionError):
                    self.requests -= 1
                    continue
                raise _Broken(f"the connection broke ({type(problem).__name__})") from None
            if response.will_close:
                self._connection.close()
            else:
                self._connection.is_used = True
            return response.status, found, body

    def _read(self, response: http.client.HTTPResponse, end: float, bytes_max: int) -> bytes:
        parts, size = [], 0
        while piece := response.read1(_CHUNK):
            parts.append(piece)
            size += len(piece)
            if size > bytes_max:
                self._connection.close()
                raise TooLarge(f"What {self.manner.title} sends is larger than {bytes_max:,} bytes.")
            if self._waiting.clock() > end:
                raise TimeoutError
        if response.length:  # fewer bytes came than were announced; `read1` does not say so by itself
            raise http.client.IncompleteRead(b"", response.length)
        response.close()  # the answer alone; the connection stays
        return b"".join(parts)

    def _moved(self, target: str, headers: Mapping[str, str]) -> str:
        """Where a redirect leads, if that is on the same host."""
        own = urlsplit(self.manner.address)
        parts = urlsplit(urljoin(f"{own.scheme}://{own.netloc}{target}", headers.get("location", "")))
        if (parts.scheme, parts.netloc.lower()) != (own.scheme, own.netloc.lower()):
            raise Unavailable(
                f"{self.manner.title} sends us on to another host, {_clean(parts.netloc, self._token)}.",
                hint="The token is not taken there. Check the address.",
            )
        return parts.path + (f"?{parts.query}" if parts.query else "")

    def _wait_for_more(self) -> None:
        """Whoever goes on asking after the last call that was allowed is shut out for longer."""
        limit, now = self.limit, self._waiting.wall()
        if limit.remaining == 0 and limit.reset is not None and limit.reset > now:
            self._pause(limit.reset - now + 1.0, 1)

    def _pause(self, wait: float | None, times: int) -> None:
        """Wait as long as the host asks, if that is within what is left; else say when to go on."""
        needed = UNSAID_WAIT_S * 2.0 ** (times - 1) if wait is None else wait
        if needed > self._wait_left:
            when = iso(int((self._waiting.wall() + needed) * _MICROS))
            limited = RateLimited(
                f"{self.manner.title} takes no more calls until {when}.",
                hint="What was read is kept. Call it again after that, and it goes on from there.",
            )
            limited.wait_s = needed
            raise limited
        self._wait_left -= needed
        self.waited_s += needed
        self.limit = Limit()
        self._waiting.sleep(needed)

    def _back_off(self, attempt: int, asked: float | None = None) -> None:
        """Twice as long each time, and a random part of it, so that many do not come back at once."""
        own = _FIRST_WAIT_S * 2.0 ** (attempt - 1) * (0.5 + self._waiting.chance() / 2)
        if asked is not None and asked > own:
            self._pause(asked, attempt)
        else:
            self._waiting.sleep(own)

    def _error(self, status: int, headers: Mapping[str, str], said: Mapping[str, Any], what: str) -> MarrowError:
        title, detail = self.manner.title, self._detail(said)
        if status == 401:
            does = "does not accept the token" if self._token else "wants a token"
            return Unauthorized(f"{title} {does}.", hint=self.manner.token_hint)
        if status == 403:
            hint = "Check what the token may read."
            if "x-github-sso" in headers:
                hint = "Authorise the token for the organisation's single sign-on."
            return Forbidden(f"{title} does not allow {what}{detail}.", hint=hint)
        if status in (404, 410):
            hint = "Check the name. What is private looks so to a token that may not read it"
            return NotFound(f"{title} has no {what}.", hint=f"{hint}{'' if self._token else ', and to none'}.")
        if status == 409:
            return Conflict(f"{title} cannot give {what}{detail}.")
        if status == 413:
            return TooLarge(f"{title} does not send {what}: it is too large.")
        if status == 451:
            return Forbidden(f"{title} may not give {what}, for legal reasons{detail}.")
        if status in (400, 406, 414, 422):
            return Refused(f"{title} refused to give {what}{detail}.", hint="Check the name.")
        if status in _AGAIN or status >= 500:
            return Unavailable(f"{title} answered {status} for {what}{detail}.", hint="Try again later.")
        return Unavailable(f"{title} answered {status} for {what}{detail}.", hint="Check the address.")

    def _detail(self, said: Mapping[str, Any]) -> str:
        message = said.get("message") or said.get("error_description") or said.get("error")
        return f": {line}" if isinstance(message, str) and (line := _clean(message, self._token)) else ""

    def _unavailable(self, why: str) -> Unavailable:
        host = urlsplit(self.manner.address).netloc
        return Unavailable(
            f"{self.manner.title} at {host} cannot be used: {why}.", hint="Check the network and the address."
        )


class _Broken(Exception):
    """An attempt that gave no answer; `again` says whether another may."""

    def __init__(self, why: str, *, again: bool = True) -> None:
        super().__init__(why)
        self.why, self.again = why, again


def _said(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _clean(said: str, token: str) -> str:
    """One line, not long, without the token."""
    form = said.replace(token, "***") if token else said
    return " ".join("".join(c if c.isprintable() else " " for c in form).split())[:SAID_MAX].rstrip(".")


def step(name: str) -> str:
    """A name as one step of a path: a slash in it is no slash."""
    return quote(name, safe="")


def unexpected(title: str, what: str) -> NoReturn:
    raise Unavailable(f"The answer of {title} about {what} is not as it should be.", hint="Check the address.")


class Wired:
    """What every client has: a host's own is the rest of it."""

    title: str
    address: str
    _wire: Wire

    def __repr__(self) -> str:
        return f"<{self.title} at {self.address}>"

    def close(self) -> None:
        self._wire.close()

    @property
    def requests(self) -> int:
        return self._wire.requests

    @property
    def waited_s(self) -> float:
        return self._wire.waited_s

    @property
    def limit(self) -> Limit:
        return self._wire.limit
