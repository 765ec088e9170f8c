"""A client of a code host by name, with the token that the environment has for it.

A token goes to the host's own address, or to the one in the variable for it, and never to an address that only a call
names: whoever can call could else send it anywhere. To another address nothing is sent with the question.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ...model.errors import Invalid, Unauthorized
from ..http import Waiting
from .connection import LOCAL
from .github import ADDRESS as GITHUB_ADDRESS
from .github import GitHub
from .gitlab import ADDRESS as GITLAB_ADDRESS
from .gitlab import GitLab
from .wire import WAIT_S


@dataclass(frozen=True, slots=True)
class Known:
    """A host: where it is, and the variables that hold a token for it and another address of it."""

    address: str
    tokens: tuple[str, ...]
    addresses: tuple[str, ...]
    site: str


HOSTS = {
    "github": Known(GITHUB_ADDRESS, ("GITHUB_TOKEN", "GITHUB_PAT"), ("GITHUB_API_URL", "GITHUB_URL"), "github.com"),
    "gitlab": Known(GITLAB_ADDRESS, ("GITLAB_TOKEN", "GITLAB_PAT"), ("GITLAB_URL",), "gitlab.com"),
}


def connect(
    host: str,
    *,
    base_url: str = "",
    token: str | None = None,
    wait_s: float = WAIT_S,
    waiting: Waiting | None = None,
    environ: Mapping[str, str] | None = None,
) -> GitHub | GitLab:
    """A client of `github` or `gitlab`. A `token` that is given is used; else one from the environment, for the
    address from there."""
    if host not in HOSTS:
        raise Invalid(f"{host[:60]!r} is no code host.", hint=f"One of {', '.join(HOSTS)}.", field="host")
    known, around = HOSTS[host], os.environ if environ is None else environ
    own = next((found for name in known.addresses if (found := around.get(name, "").strip())), known.address)
    address = _checked(host, base_url or own)
    # From GITHUB_URL and the like, which are no addresses of the interface.
    mine = {_origin(_checked(host, own)), _origin(known.address)}
    hint = f"Put a token into {known.tokens[0]}."
    if token is None:
        token = next((found for name in known.tokens if (found := around.get(name, "").strip())), "")
        if token and _origin(address) not in mine:
            hint = f"The token is for another host. Put this one's address into {known.addresses[0]}."
            token = ""
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise Unauthorized(f"The token for {host} has characters that no token has.", hint="Set it anew.")
    if token and urlsplit(address).scheme != "https" and urlsplit(address).hostname not in LOCAL:
        raise Invalid(
            f"{address} is not encrypted, and the token would be seen on its way.",
            hint="Use its https address.",
            field="base_url",
        )
    client = GitHub if host == "github" else GitLab
    return client(token, address=address, token_hint=hint, wait_s=wait_s, waiting=waiting)


def _checked(host: str, address: str) -> str:
    """An address without what does not belong into one. github.com itself is taken for its interface, and another
    GitHub's bare address for where its interface is."""
    parts = urlsplit(address.strip().rstrip("/"))
    try:
        port, name = parts.port, parts.hostname or ""
    except ValueError:
        port, name = None, ""
    if parts.scheme not in ("http", "https") or not name or parts.username or parts.query or parts.fragment:
        raise Invalid(
            f"{_shown(address)!r} is no address of a code host.",
            hint="Give it as https://git.example.org, without a user or a password.",
            field="base_url",
        )
    if host == "github" and name in ("github.com", "www.github.com"):
        return GITHUB_ADDRESS
    where = f"[{name}]" if ":" in name else name
    root = f"{parts.scheme}://{where}{f':{port}' if port else ''}"
    is_bare_github = host == "github" and parts.path in ("", "/") and name != urlsplit(GITHUB_ADDRESS).hostname
    return f"{root}/api/v3" if is_bare_github and not name.startswith("api.") else root + parts.path


def _shown(address: str) -> str:
    return address.rpartition("@")[2][:80]


def _origin(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc.lower()
