"""`marrow install` and `marrow uninstall`: Marrow in the hosts that are there, and out of them again."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...capture import line
from ...model.errors import Conflict, Invalid, MarrowError, NotFound
from ...version import __version__
from .hosts import apply, changes, json_edit, json_entries, toml_block
from .hosts import receipt as receipts
from .hosts.changes import Change
from .hosts.checks import installed_hosts
from .hosts.programs import programs_here
from .hosts.receipt import Receipt
from .hosts.table import HOSTS, NAMES, Host, Parts, Place, find_host, place_here, repository_here
from .invocation import Invocation

STOP_SECONDS = 2.0
LOST = "Where a host still calls it, `marrow install HOST` and then `marrow uninstall HOST` takes it out."


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done for one host. `do` does it."""

    host: Host
    changes: list[Change]
    do: Callable[[], None]

    @property
    def real(self) -> list[Change]:
        return [change for change in self.changes if change.is_one]


def run_install(
    call: Invocation,
    names: Sequence[str],
    *,
    skills_only: bool = False,
    hooks: bool = True,
    repository: bool = False,
    dry_run: bool = False,
    confirm: bool = False,
) -> None:
    place = place_here(_repository() if repository else "")
    chosen = _chosen(names, place)
    parts = Parts(hooks, not skills_only)
    _check_choice(chosen, parts, repository)
    if not repository:
        _refuse_doubles(chosen, place)
    works = []
    for host in chosen:
        with _going_on_without(host, chosen, "install"):
            works.append(_to_install(host, place, parts))
    done = _settle(call, works, "install", dry_run, confirm)
    if not call.output.json:
        for line in _afterwards(works, place, done, dry_run):
            call.output.text(line)


def run_uninstall(
    call: Invocation,
    names: Sequence[str],
    *,
    repository: bool = False,
    dry_run: bool = False,
    confirm: bool = False,
) -> None:
    place = place_here(_repository() if repository else "")
    chosen = list(dict.fromkeys(find_host(name) for name in names)) or installed_hosts(place)
    works, missing = [], []
    for host in chosen:
        with _going_on_without(host, chosen, "uninstall"):
            receipt = receipts.receipt_of(host, place.repository)
            if receipt is None:
                missing.append(host.name)
            else:
                works.append(_to_uninstall(host, receipt))
    if missing:
        said = f"Marrow is not installed in {', '.join(missing)}, by what {_shown(receipts.folder())} says."
        raise NotFound(said, hint=f"Nothing was changed. {_elsewhere(place)}", field="hosts")
    done = bool(works) and _settle(call, works, "uninstall", dry_run, confirm)
    if call.output.json:
        if not works:
            call.output.data({"hosts": [], "done": False})
    elif not works:
        call.output.text(f"Marrow is installed nowhere: there is nothing to take out. {_elsewhere(place)}")
    elif done:
        home = os.path.dirname(receipts.folder())
        stays = f" What it remembers stays in {_shown(home)}." if os.path.isdir(home) else ""
        is_left = bool(installed_hosts(place) or installed_hosts())
        ended = " The daemon has ended." if not is_left and _end_daemon() else ""
        call.output.text(f"Marrow is out of {_listed(works)}.{stays}{ended}")


@contextmanager
def _going_on_without(host: Host, chosen: Sequence[Host], command: str) -> Iterator[None]:
    """A file of one host that is not understood stops everything: then it is said how to go on with the others."""
    others = [one.name for one in chosen if one is not host]
    try:
        yield
    except MarrowError as problem:
        if others:
            problem.hint = f"{problem.hint} Without {host.title}: marrow {command} {' '.join(others)}".strip()
        raise


def _elsewhere(place: Place) -> str:
    """Where else Marrow may be, for one who thinks that it is here."""
    folder = "" if place.repository else repository_here()
    return "It is in this repository: add --repository." if folder and installed_hosts(place_here(folder)) else LOST


def _end_daemon() -> bool:
    """Nobody needs it any more; whoever does starts another. Whether one was there."""
    try:
        line.ask("marrow/stop", {}, STOP_SECONDS)
    except (OSError, MarrowError):
        return False
    return True


def _repository() -> str:
    if found := repository_here():
        return found
    raise NotFound("There is no repository here.", hint="Run it inside of one, or leave out --repository.")


def _chosen(names: Sequence[str], place: Place) -> list[Host]:
    """The hosts that were named, or those that are there."""
    if names:
        return list(dict.fromkeys(find_host(name) for name in names))
    found = [host for host in HOSTS if (host.in_repository if place.repository else host.is_there(place))]
    if not found:
        hint = f"Name one: marrow install claude-code. Marrow knows {', '.join(NAMES)}."
        raise NotFound("No host was found on this machine.", hint=hint, field="hosts")
    return found


def _check_choice(chosen: Sequence[Host], parts: Parts, repository: bool) -> None:
    if without := [host.name for host in chosen if not host.has_skills and not parts.server]:
        hint = "Leave it out, or name claude-code alone."
        raise Invalid(f"--skills-only is for hosts with skills; {without[0]} has none.", hint=hint, field="skills_only")
    if without := [host.name for host in chosen if repository and not host.in_repository]:
        hint = "Leave it out, or name claude-code alone."
        raise Invalid(f"{without[0]} cannot be installed into a repository.", hint=hint, field="repository")


def _refuse_doubles(chosen: Sequence[Host], place: Place) -> None:
    """A plugin brings the same hooks; both together would tell everything twice."""
    for host in chosen:
        if plugin := _enabled_plugin(host, place):
            command = {"claude-code": "claude plugin uninstall", "codex": "codex plugin remove"}[host.name]
            raise Conflict(
                f"{host.title} already has Marrow, as the plugin {plugin}.",
                hint=f"Keep that, or take it out first: {command} {plugin}",
            )


def _enabled_plugin(host: Host, place: Place) -> str:
    """The name of a plugin of ours that a host has switched on."""
    file = {"claude-code": "settings.json", "codex": "config.toml"}.get(host.name)
    text = (
        (changes.read_bytes(os.path.join(host.folder(place), file)) or b"").decode("utf-8", "replace") if file else ""
    )
    try:
        if host.name == "codex":
            tables = toml_block.read(text).get("plugins", {})
            enabled = {name: table.get("enabled") for name, table in tables.items()}
        else:
            enabled = json_edit.read(text.removeprefix(changes.BOM)).get("enabledPlugins") or {} if text else {}
        return next((name for name, is_on in enabled.items() if is_on and name.partition("@")[0] == "marrow"), "")
    except (ValueError, AttributeError):
        return ""  # where the file is not what it should be, the plan says what is wrong with it


def _to_install(host: Host, place: Place, parts: Parts) -> Work:
    before = receipts.receipt_of(host, place.repository)
    programs = programs_here()
    planned = changes.to_install(host.wants(place, programs, parts), before)
    folders = before.folders if before else ()
    receipt = Receipt(host.name, __version__, programs, parts, (), folders, place.repository)
    path = receipts.path_of(host, place.repository)
    return Work(host, planned, lambda: apply.install(planned, receipt, path))


def _to_uninstall(host: Host, receipt: Receipt) -> Work:
    planned = changes.to_uninstall(receipt)
    path = receipts.path_of(host, receipt.repository)
    return Work(host, planned, lambda: apply.uninstall(planned, receipt, path))


# --- showing, asking, doing -------------------------------------------------------------------------------------------


def _settle(call: Invocation, works: Sequence[Work], command: str, dry_run: bool, confirm: bool) -> bool:
    """Shows what is to be done, asks, and does it; whether there was something, and it was done."""
    is_something = command == "uninstall" or any(work.real for work in works)
    done = is_something and not dry_run and _may(call, works, command, confirm)
    if done or not (dry_run or is_something):
        for work in works:
            work.do()  # where there is nothing to do, the receipt at most
    if call.output.json:
        call.output.data({"hosts": [_shape(work) for work in works], "done": done})
    elif dry_run or (done and confirm):
        call.output.text(_plan(works, whole=dry_run))
    elif is_something and not done:
        call.output.note("Nothing was changed.")
    for note in [note for work in works for change in work.changes for note in change.notes]:
        call.output.note(note)
    return done


def _may(call: Invocation, works: Sequence[Work], command: str, confirm: bool) -> bool:
    if confirm:
        return True
    if call.output.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        hint = "Add --yes. --dry-run shows what it would do."
        raise Invalid(f"{command} needs to be confirmed; nothing was changed.", hint=hint, field="confirm")
    sys.stderr.write(_plan(works) + "\nGo on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _plan(works: Sequence[Work], *, whole: bool = False) -> str:
    """What is to be written, a line a file; whole, with what is put into it."""
    lines: list[str] = []
    for work in works:
        lines.append(f"{work.host.title}{'' if work.real else ': nothing to do'}")
        for change in work.real:
            lines.append(
                f"  {_action(change):<7}{_shown(change.path)}" + (f"  ({change.what})" if change.record else "")
            )
            lines += _added(change) if whole else []
    return "\n".join(lines)


def _added(change: Change) -> list[str]:
    """What of ours the file will hold. None of its other lines: a host's file may hold what is nobody's to see."""
    if change.record is None or change.after is None:
        return []
    detail = change.record.detail
    if change.record.kind == json_entries.KIND:
        entries = json_entries.entries_of(detail)
        lines = [f"{'.'.join(entry.place)}: {json.dumps(entry.value, ensure_ascii=False)}" for entry in entries]
    elif change.record.kind == toml_block.KIND:
        lines = [line for line in str(detail["block"]).splitlines() if line]
    else:
        lines = change.after.decode("utf-8").splitlines()
    return [f"      + {line}".rstrip() for line in lines]


def _action(change: Change) -> str:
    return "make" if change.before is None else "remove" if change.after is None else "change"


def _shape(work: Work) -> dict[str, object]:
    files = [{"path": change.path, "what": change.what, "action": _action(change)} for change in work.real]
    return {"host": work.host.name, "files": files}


def _shown(path: str) -> str:
    home = os.environ.get("HOME") or os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def _listed(works: Sequence[Work]) -> str:
    return ", ".join(work.host.title for work in works)


def _afterwards(works: Sequence[Work], place: Place, done: bool, dry_run: bool) -> list[str]:
    """What happens next, how to check it, how to undo it."""
    if dry_run:
        return ["Nothing was written: this was a dry run."]
    if not done and any(work.real for work in works):
        return []
    if not done:
        return [f"Marrow is in {_listed(works)} already: nothing to do."]
    names = " ".join(work.host.name for work in works)
    where = " --repository" if place.repository else ""
    lines = ["", "Done. What happens next:"]
    lines += [f"- {work.host.then}" for work in works]
    if place.repository:
        lines.append("- These files are the repository's: everyone who works in it needs `marrow` on the PATH.")
    lines += [
        "- What is said and done in a session is kept on this machine; secrets are taken out before anything is kept.",
        "To check it:    marrow doctor",
        f"To undo it:     marrow uninstall {names}{where}",
    ]
    if importlib.util.find_spec("onnxruntime") is None:
        lines.append(f"Finds more by meaning, if you want that:  {_pip()} install 'marrow[onnx]'")
    return lines


def _pip() -> str:
    return f"{_shown(sys.executable)} -m pip"
