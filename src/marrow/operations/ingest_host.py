"""knowledge: repositories on code hosts, read by token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from ..memory.taking_in.repository import PARTS, Brought, take_in_repository
from ..memory.taking_in.take_in import TakenIn
from ..model.errors import Invalid
from ..model.moments import iso
from ..model.scope import WRITE
from ..model.text import counted
from .problems import problem_lines, told_problems
from .table import Call, operation

if TYPE_CHECKING:
    from ..providers.code_hosts.host import Limit

WAIT_S_DEFAULT, WAIT_S_MAX = 60, 24 * 3600
PROBLEMS_MAX = 50
_MICROS = 1_000_000
_WORDS = {"files": "file", "pulls": "pull request", "issues": "issue"}


class RepositoryResult(NamedTuple):
    """What was read. `items` are what could not be read and why; `calls_left` is what the host still allows."""

    repository: str
    service: str
    commit: str
    files: dict[str, int]
    pulls: dict[str, int]
    issues: dict[str, int]
    items: tuple[dict[str, Any], ...]
    problems: int = 0
    skipped: int = 0
    requests: int = 0
    waited_s: float = 0.0
    calls_left: int | None = None
    calls_again_at: str = ""
    left_out: int = 0

    def text(self) -> str:
        at = f" at {self.commit[:10]}" if self.commit else ""
        lines = [f"{self.repository}{at}, as service {self.service}"]
        for part, word in _WORDS.items():
            counts: dict[str, int] = getattr(self, part)
            if told := ", ".join(f"{number:,} {what}" for what, number in counts.items() if number):
                lines.append(f"  {word}s: {told}")
        if len(lines) == 1:
            lines.append("  nothing there to read")
        if self.skipped:
            lines.append(f"  {self.skipped:,} left out: generated or binary files, and what only programs say")
        if self.items:
            lines.append(f"  {self.problems:,} not read, read in part or by a guess:")
            lines += [f"  {line}" for line in problem_lines(self.items, self.left_out)]
        left = "" if self.calls_left is None else f", {self.calls_left:,} left until {self.calls_again_at}"
        return "\n".join([*lines, f"  {counted(self.requests, 'request')}{left}"])


@operation("knowledge", right=WRITE, changes=True, spellings={"service": ("service_name",), "include": ("parts",)})
def ingest_repository(
    call: Call,
    host: Literal["github", "gitlab"],
    repository: Annotated[str, "owner/name, or its address"],
    service: Annotated[str, "default: the repository's name"] = "",
    include: Annotated[list[str] | None, "of files, pulls, issues; default: all"] = None,
    since: Annotated[str, "a time for pulls and issues, or all for everything again; default: the last run"] = "",
    ref: Annotated[str, "branch, tag or commit; default: the default branch"] = "",
    wait_s: Annotated[int, "how long to wait in all where the host's limits ask for it"] = WAIT_S_DEFAULT,
    base_url: Annotated[str, "of one's own GitLab or GitHub; no token is sent to it: use GITLAB_URL for that"] = "",
) -> RepositoryResult:
    """Take in a repository from GitHub or GitLab: files, pull requests and issues with reviews and comments.

    The token comes from GITHUB_TOKEN or GITLAB_TOKEN, and is kept nowhere. Called again it reads what changed since;
    stopped by a limit or a failure, it goes on from where it was.
    """
    # Only who calls it pays for the client.
    from ..providers.code_hosts.connect import HOSTS, connect

    if not 0 <= wait_s <= WAIT_S_MAX:
        raise Invalid(f"wait_s is a number from 0 to {WAIT_S_MAX:,}.", field="wait_s")
    client = connect(host, base_url=base_url.strip(), wait_s=float(wait_s))
    try:
        done = take_in_repository(
            call.engine,
            call.asker,
            client,
            repository,
            site=HOSTS[host].site if client.address == HOSTS[host].address else "",
            service=service.strip(),
            parts=include or PARTS,
            since=since.strip(),
            ref=ref.strip(),
            progress=call.progress,
        )
    finally:
        client.close()
    return _result(done)


def _result(done: Brought) -> RepositoryResult:
    problems = [problem for taken in (done.files, done.pulls, done.issues) for problem in taken.problems]
    told, left = told_problems(problems, PROBLEMS_MAX)
    return RepositoryResult(
        done.repository,
        done.service,
        done.commit,
        _counts(done.files),
        _counts(done.pulls),
        _counts(done.issues),
        told,
        len(problems),
        done.left_out,
        done.requests,
        round(done.waited_s, 1),
        done.limit.remaining,
        _again_at(done.limit),
        left,
    )


def _again_at(limit: Limit) -> str:
    try:
        return iso(limit.reset * _MICROS) if limit.reset else ""
    except OverflowError:
        return ""


def _counts(taken: TakenIn) -> dict[str, int]:
    return {name: getattr(taken, name) for name in ("added", "changed", "unchanged", "moved", "gone")}
