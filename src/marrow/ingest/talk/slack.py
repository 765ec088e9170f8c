"""Slack exports: a thread is one conversation, and so is what was said outside threads on one day in one channel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...model.errors import Invalid
from ...model.moments import moment
from ...model.text import first_line
from ..item import Item, Skipped
from .json_lines import moment_in, text_at
from .slack_files import Files, days_of, is_export, json_in
from .slack_text import message_text
from .turns import Conversation, Turn, items_of, shortened, tidy

HOST = "slack"
NAME_LENGTH_MAX = 60
# What tells of the channel and not of its matter.
_NOISE = frozenset(
    "channel_join channel_leave channel_name channel_purpose channel_topic channel_archive channel_unarchive "
    "group_join group_leave group_name group_purpose group_topic group_archive group_unarchive bot_add bot_remove "
    "pinned_item unpinned_item reminder_add tombstone channel_convert_to_private channel_posting_permissions "
    "huddle_thread message_deleted message_changed reply_broadcast sh_room_created".split()
)


@dataclass(frozen=True)
class Place:
    """A channel: its name as people say it, whether it is a talk between few, and the id by which it is known: another
    workspace has a channel of the same name."""

    name: str
    is_direct: bool = False
    identity: str = ""


@dataclass
class _Threads:
    """The messages of a channel, by thread and by day. A reply may come days after what it answers."""

    threads: dict[str, list[Turn]] = field(default_factory=dict)
    days: dict[str, list[Turn]] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)
    team: str = ""


def read(files: Files, *, service: str = "", direct: bool = False, now: int = 0) -> Iterator[Item | Skipped]:
    """The items of an export, channel by channel. Talk between few is only taken in where `direct` asks for it."""
    names = files.names()
    if not is_export(names):
        raise Invalid(
            "This is no Slack export: users.json and channels.json are not there.",
            hint="Give the zip as Slack made it, or the folder that it unpacks to.",
            field="path",
        )
    people = _people(files, names)
    places, channels = _places(files, names, people)
    left_out = 0
    for folder, days in days_of(names).items():
        place = places.get(folder) or Place(folder, folder.startswith(("D0", "mpdm-")) and folder not in channels)
        if place.is_direct and not direct:
            left_out += 1
            continue
        threads = _Threads()
        for name in days:
            _take(threads, json_in(files, name), name, people, channels, files)
        known_as = place.identity or (f"{threads.team}/{folder}" if threads.team else folder)
        for conversation in _conversations(replace(place, identity=known_as), threads):
            yield from items_of(conversation, service=service, now=now)
    if left_out:
        yield Skipped("direct messages", f"{left_out} private talks were left out; direct=true takes them in")
    yield from files.skipped


def _people(files: Files, names: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    handles: dict[str, str] = {}
    for name in ("users.json", "org_users.json"):
        for user in _list(files, names, name):
            shown = (
                text_at(user, "profile", "display_name") or text_at(user, "profile", "real_name")
                or text_at(user, "real_name") or text_at(user, "name")
            )  # fmt: skip
            if identity := text_at(user, "id"):
                found[identity] = _name(shown or identity)
                handles[identity] = _name(text_at(user, "name") or identity)
    called = Counter(found.values())
    return {
        identity: f"{name} ({handles[identity]})" if called[name] > 1 and handles[identity] != name else name
        for identity, name in found.items()
    }


def _places(files: Files, names: list[str], people: Mapping[str, str]) -> tuple[dict[str, Place], dict[str, str]]:
    """Places by the name of their folder, and channels' names by id."""
    places: dict[str, Place] = {}
    channels: dict[str, str] = {}
    for name in ("channels.json", "groups.json"):
        for channel in _list(files, names, name):
            shown = _name(text_at(channel, "name"))
            channels[text_at(channel, "id")] = shown
            places[text_at(channel, "name")] = Place(f"#{shown}", identity=text_at(channel, "id"))
    for name in ("dms.json", "mpims.json"):
        for channel in _list(files, names, name):
            members = channel.get("members")
            who = [people.get(str(one), str(one)) for one in members] if isinstance(members, list) else []
            place = Place(", ".join(who[:5]) or "direct messages", True, text_at(channel, "id"))
            places[text_at(channel, "name") or text_at(channel, "id")] = place
            places[text_at(channel, "id")] = place
    return places, channels


def _list(files: Files, names: list[str], name: str) -> list[dict[str, Any]]:
    found = json_in(files, name) if name in names else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _name(text: str) -> str:
    return " ".join(tidy(text).split()).replace(":", "")[:NAME_LENGTH_MAX]


def _take(
    threads: _Threads, messages: Any, name: str, people: Mapping[str, str], channels: Mapping[str, str], files: Files
) -> None:
    """Enter the messages of a day's file."""
    if messages is None:
        return
    if not isinstance(messages, list):
        files.skipped.append(Skipped(name, "it holds no list of messages"))
        return
    for message in messages:
        if not isinstance(message, dict) or text_at(message, "subtype") in _NOISE:
            continue
        stamp = text_at(message, "ts")
        at = moment_in(stamp)
        speaker = _speaker(message, people)
        text = tidy(message_text(message, people, channels))
        if not text or not at or (stamp, speaker) in threads.seen:
            continue
        threads.seen.add((stamp, speaker))
        threads.team = threads.team or text_at(message, "team")
        turn = Turn(speaker, shortened(text), at, shows_time=True)
        thread = text_at(message, "thread_ts")
        if thread:
            threads.threads.setdefault(thread, []).append(turn)
        else:
            threads.days.setdefault(f"{moment(at):%Y-%m-%d}", []).append(turn)


def _speaker(message: Mapping[str, Any], people: Mapping[str, str]) -> str:
    known = people.get(text_at(message, "user"))
    told = (
        text_at(message, "user_profile", "display_name") or text_at(message, "user_profile", "real_name")
        or text_at(message, "username") or text_at(message, "bot_profile", "name") or text_at(message, "user")
    )  # fmt: skip
    return known or _name(told) or "bot"


def _conversations(place: Place, threads: _Threads) -> Iterator[Conversation]:
    for stamp, turns in sorted(threads.threads.items()):
        said = tuple(sorted(turns, key=lambda turn: turn.at))
        title = f"{place.name}: {first_line(said[0].text, 80)}"
        yield _conversation(place, f"{place.identity}/{stamp}", tuple(_with_days(said)), title)
    for day, turns in sorted(threads.days.items()):
        yield _conversation(
            place, f"{place.identity}/{day}", tuple(sorted(turns, key=lambda turn: turn.at)), f"{place.name}, {day}"
        )


def _with_days(turns: tuple[Turn, ...]) -> Iterator[Turn]:
    """An answer of a later day says so: by the hour alone it would seem to come before what it answers."""
    first = moment(turns[0].at).date()
    yield from (replace(turn, shows_day=moment(turn.at).date() != first) for turn in turns)


def _conversation(place: Place, identity: str, turns: tuple[Turn, ...], title: str) -> Conversation:
    return Conversation(identity, HOST, turns, title, about=(("channel", place.name),))
