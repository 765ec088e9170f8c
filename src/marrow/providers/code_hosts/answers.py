"""Fields of a host's answers. What is missing, or of another type than it should be, is empty and breaks nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_NEXT = re.compile(r"<([^<>]*)>\s*((?:;[^,<]*)*)")
_REL = re.compile(r";\s*rel\s*=\s*\"?([^\";]*)\"?", re.I)

# Programs that speak under an ordinary name.
_BOTS = frozenset(
    "dependabot renovate codecov coveralls codecov-commenter codeclimate sonarcloud sonarqubecloud netlify vercel "
    "github-actions github-advanced-security mergify bors homu snyk greenkeeper allcontributors changeset-bot "
    "gitlab-bot pre-commit-ci deepsource-autofix imgbot cla-assistant googlebot k8s-ci-robot rustbot "
    "coderabbitai sourcery-ai copilot-pull-request-reviewer semantic-release-bot fossabot".split()
)
_BOT = re.compile(r"\[bot\]\Z|(?:^|[-_.])bot\Z|\A(?:project|group)_\d+_bot|(?:^|[-_])ci-robot\Z", re.I)


def text(of: object, *names: str) -> str:
    """The text at the end of a path of names."""
    found = value(of, *names)
    return found if isinstance(found, str) else ""


def count(of: object, *names: str) -> int:
    found = value(of, *names)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def value(of: object, *names: str) -> Any:
    for name in names:
        of = of.get(name) if isinstance(of, Mapping) else None
    return of


def rows(of: object) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return (
        [one for one in of if isinstance(one, Mapping)] if isinstance(of, Sequence) and not isinstance(of, str) else []
    )


def is_bot(name: str) -> bool:
    return name.lower().removesuffix("[bot]") in _BOTS or _BOT.search(name) is not None


def next_query(headers: Mapping[str, str]) -> str:
    """The query of the next page in a `Link` header; "" where there is none. The host and the path in it are not
    looked at: behind a proxy they are often wrong, and the token goes nowhere else."""
    for address, about in _NEXT.findall(headers.get("link", "")):
        if any("next" in rel.lower().split() for rel in _REL.findall(about)):
            return str(address.partition("?")[2].partition("#")[0])
    return ""
