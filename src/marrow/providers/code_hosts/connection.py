"""One connection to a host, kept open between requests: a repository is thousands of them. Proxies are those of the
environment, but never for a host on this machine."""

from __future__ import annotations

import base64
import http.client
import ssl
import urllib.request
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

LOCAL = ("localhost", "127.0.0.1", "::1")


class Connection:
    """Sends requests to one host. `is_used` says that it has served already: such a one may have been closed by the
    other side meanwhile, which is no failure."""

    def __init__(self, address: str, timeout_s: float) -> None:
        parts = urlsplit(address)
        self.host, self.is_secure = parts.hostname or "", parts.scheme == "https"
        self.port = parts.port or (443 if self.is_secure else 80)
        self.timeout_s = timeout_s
        self.is_used = False
        self._open: http.client.HTTPConnection | None = None
        self._prefix = ""
        self._extra: dict[str, str] = {}

    def send(self, target: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        if self._open is None:
            self._open = self._connect()
            self.is_used = False
        self._open.request("GET", self._prefix + target, headers={**headers, **self._extra})
        return self._open.getresponse()

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None
        self.is_used = False

    def _connect(self) -> http.client.HTTPConnection:
        proxy = self._proxy()
        if not proxy:
            return self._to(self.host, self.port)
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        known = {}
        if parts.username:
            login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            known = {"Proxy-Authorization": "Basic " + base64.b64encode(login.encode()).decode()}
        made = self._to(parts.hostname or "", parts.port or 8080)
        if self.is_secure:
            made.set_tunnel(self.host, self.port, known)
        else:
            self._prefix, self._extra = f"http://{self.host}:{self.port}", known
        return made

    def _to(self, host: str, port: int) -> http.client.HTTPConnection:
        if self.is_secure:
            return http.client.HTTPSConnection(host, port, timeout=self.timeout_s, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=self.timeout_s)

    def _proxy(self) -> str:
        if self.host in LOCAL or urllib.request.proxy_bypass(self.host):
            return ""
        return urllib.request.getproxies().get("https" if self.is_secure else "http", "")
