"""Slack exports: threads stay together, names are readable, and archives that play tricks are refused."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marrow.ingest.conversation import read_export
from marrow.ingest.item import Item, Skipped
from marrow.ingest.talk import slack_files
from marrow.ingest.talk.slack_text import message_text, readable
from marrow.model.errors import Invalid
from marrow.model.moments import iso, micros

NOW = 1_767_225_600_000_000
USERS = [
    {"id": "U1", "name": "ann", "profile": {"display_name": "Ann", "real_name": "Ann Lee"}},
    {"id": "U2", "name": "bob", "real_name": "Bob Ray", "profile": {"display_name": ""}},
]
DAY_ONE = [
    {"type": "message", "user": "U1", "ts": "1740823200.000100", "text": "Morning <!here>"},
    {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1740823201.0", "text": "<@U2> has joined"},
    {
        "type": "message",
        "user": "U2",
        "ts": "1740823260.000200",
        "text": "Why is <#C1|ops> red?",
        "thread_ts": "1740823260.000200",
        "reply_count": 2,
    },
    {
        "type": "message",
        "user": "U1",
        "ts": "1740823300.000300",
        "text": "The disk, see <https://x.org/d|the graph>",
        "thread_ts": "1740823260.000200",
    },
]
DAY_TWO = [
    {
        "type": "message",
        "user": "U2",
        "ts": "1740909600.000100",
        "text": "<@U1> we decided: bigger disks &amp; alerts",
        "thread_ts": "1740823260.000200",
    },
    {
        "type": "message",
        "subtype": "bot_message",
        "username": "ci",
        "ts": "1740909700.0",
        "text": "",
        "attachments": [{"title": "Build 12", "text": "failed"}],
    },
    {
        "type": "message",
        "user": "U9",
        "ts": "1740909800.0",
        "text": "file",
        "files": [{"name": "disk.png"}],
        "user_profile": {"real_name": "Guest: One"},
    },
]
FILES: dict[str, Any] = {
    "users.json": USERS,
    "channels.json": [{"id": "C1", "name": "ops"}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "ops/2025-03-01.json": DAY_ONE,
    "ops/2025-03-02.json": DAY_TWO,
    "D1/2025-03-01.json": [{"type": "message", "user": "U1", "ts": "1740823200.5", "text": "between us"}],
}


def folder(root: Path) -> Path:
    for name, shape in FILES.items():
        path = root / "export" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(shape), encoding="utf-8")
    return root / "export"


def zipped(root: Path, prefix: str = "") -> Path:
    path = root / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, shape in FILES.items():
            archive.writestr(prefix + name, json.dumps(shape))
    return path


def items(path: Path, **more: Any) -> list[Item]:
    return [one for one in read_export(path, now=NOW, **more) if isinstance(one, Item)]


@pytest.mark.parametrize("make", [folder, zipped, lambda root: zipped(root, "acme/")])
def test_a_thread_is_one_item_and_so_is_a_day(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    found = {item.path: item for item in items(make(tmp_path))}
    assert list(found) == ["slack:C1/1740823260.000200", "slack:C1/2025-03-01", "slack:C1/2025-03-02"]
    thread = found["slack:C1/1740823260.000200"]
    assert thread.draft.content == (
        "[10:01] Bob Ray: Why is #ops red?\n\n"
        "[10:01] Ann: The disk, see the graph (https://x.org/d)\n\n"
        "[2025-03-02 10:00] Bob Ray: @Ann we decided: bigger disks & alerts"
    )
    assert iso(micros(thread.draft.at)) == "2025-03-01T10:01:00Z"  # type: ignore[arg-type]
    assert thread.draft.metadata["channel"] == "#ops"
    assert thread.draft.metadata["people"] == ["Bob Ray", "Ann"]
    day = found["slack:C1/2025-03-02"].draft.content
    assert "ci: > Build 12\n> failed" in day
    assert "Guest One: file\n[files: disk.png]" in day
    assert found["slack:C1/2025-03-01"].draft.content == "[10:00] Ann: Morning @here"


def test_what_an_app_says_in_blocks_alone_is_read(tmp_path: Path) -> None:
    said = {"type": "rich_text_section", "elements": [{"type": "text", "text": "Deploy 7 failed, "}]}
    said["elements"] += [{"type": "user", "user_id": "U1"}, {"type": "link", "url": "https://x.org/7", "text": "log"}]  # type: ignore[operator]
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Deploys"}},
        {"type": "rich_text", "elements": [said]},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*by* <@U2>"}]},
    ]
    place = folder(tmp_path)
    message = {"type": "message", "subtype": "bot_message", "username": "cd", "ts": "1740996000.0", "text": ""}
    (place / "ops" / "2025-03-03.json").write_text(json.dumps([{**message, "blocks": blocks}]))
    (day,) = (item.draft.content for item in items(place) if item.path.endswith("2025-03-03"))
    assert day == "[10:00] cd: Deploys\nDeploy 7 failed, @Ann log (https://x.org/7)\n*by* @Bob Ray"


def test_two_who_are_called_the_same_are_told_apart(tmp_path: Path) -> None:
    place = folder(tmp_path)
    other = {"id": "U3", "name": "annie", "profile": {"display_name": "Ann"}}
    (place / "users.json").write_text(json.dumps([*USERS, other]))
    said = [
        {"type": "message", "user": user, "ts": f"174099600{at}.0", "text": "hi"} for at, user in ((1, "U1"), (2, "U3"))
    ]
    (place / "ops" / "2025-03-03.json").write_text(json.dumps(said))
    (day,) = (item.draft.content for item in items(place) if item.path.endswith("2025-03-03"))
    assert day == "[10:00] Ann (ann): hi\n\n[10:00] Ann (annie): hi"


def test_private_talk_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    place = folder(tmp_path)
    reported = [one for one in read_export(place, now=NOW) if isinstance(one, Skipped)]
    assert [one.path for one in reported] == ["direct messages"]
    assert any("between us" in item.draft.content for item in items(place, direct=True))
    assert not any("between us" in item.draft.content for item in items(place))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@U1> and <@U7|sam>", "@Ann and @sam"),
        ("<#C2>", "#C2"),
        ("<!subteam^S1|@ops-team> <!channel>", "@ops-team @channel"),
        ("<mailto:a@b.org|a@b.org>", "a@b.org"),
        ("<https://x.org|x.org>", "https://x.org"),
        ("a &lt;b&gt; <nothing", "a <b> <nothing"),
        ("<!date^1740823200^{date}|1 March>", "1 March"),
    ],
)
def test_markup_becomes_readable(text: str, expected: str) -> None:
    assert readable(text, {"U1": "Ann"}, {}) == expected


def test_names_that_lead_out_of_an_archive_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        for name in (
            "../evil/2025-03-01.json",
            "/abs/2025-03-01.json",
            "a\\..\\b/2025-03-01.json",
            "C:/x/2025-03-01.json",
        ):
            archive.writestr(zipfile.ZipInfo(name), json.dumps(DAY_ONE))
        link = zipfile.ZipInfo("ops/2025-03-09.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    reasons = {one.path: one.reason for one in read_export(path, now=NOW) if isinstance(one, Skipped)}
    assert sum(reason == "its name leads out of the archive" for reason in reasons.values()) == 4
    assert reasons["ops/2025-03-09.json"] == "a link is not followed"
    assert len(items(path)) == 3, "the rest is read"


def test_an_entry_that_unpacks_to_far_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ops/2025-03-05.json", b"[" + b" " * (8 * 1024 * 1024) + b"]")
    reasons = {one.path: one.reason for one in read_export(path, now=NOW) if isinstance(one, Skipped)}
    assert reasons["ops/2025-03-05.json"] == "it unpacks to more than any export has"
    monkeypatch.setattr(slack_files, "TOTAL_BYTES_MAX", 300)
    assert items(path) == []
    monkeypatch.setattr(slack_files, "ENTRIES_MAX", 3)
    with pytest.raises(Invalid, match="entries"):
        items(path)


def test_damaged_files_are_lines_in_the_report(tmp_path: Path) -> None:
    place = folder(tmp_path)
    (place / "ops" / "2025-03-03.json").write_text("{oops", encoding="utf-8")
    (place / "ops" / "2025-03-04.json").write_text('{"a": 1}', encoding="utf-8")
    (place / "ops" / "2025-03-06.json").write_text(
        '[1, null, {"ts": "x", "text": "y"}, {"text": 5, "ts": "1.0"}]', encoding="utf-8"
    )
    (place / "linked").symlink_to(place / "ops")
    reasons = {one.path: one.reason for one in read_export(place, now=NOW) if isinstance(one, Skipped)}
    assert reasons["ops/2025-03-03.json"] == "it is not JSON"
    assert reasons["ops/2025-03-04.json"] == "it holds no list of messages"
    assert reasons["linked"] == "a link is not followed"
    assert len(items(place)) == 3


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(Invalid, match="no Slack export"):
        items(path)
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(Invalid, match="zip"):
        items(path)


def test_channels_of_one_name_in_two_workspaces_are_two(tmp_path: Path) -> None:
    ours = items(folder(tmp_path))
    theirs_at = tmp_path / "theirs"
    for name, shape in {**FILES, "channels.json": [{"id": "C7", "name": "ops"}]}.items():
        path = theirs_at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(shape), encoding="utf-8")
    theirs = items(theirs_at)
    assert {item.path for item in ours}.isdisjoint(item.path for item in theirs)
    assert {item.draft.thread for item in ours}.isdisjoint(item.draft.thread for item in theirs)
    assert theirs[0].draft.metadata["channel"] == "#ops"


def test_a_channel_without_an_id_is_known_by_its_team_and_name(tmp_path: Path) -> None:
    place = tmp_path / "export"
    first: dict[str, Any] = {"user": "U1", "ts": "1740823200.000100", "text": "Morning", "team": "T1"}
    for name, shape in {
        "users.json": USERS,
        "ops/2025-03-01.json": [first],
        "dev/2025-03-01.json": DAY_ONE[:1],
    }.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(shape), encoding="utf-8")
    assert [item.path for item in items(place)] == ["slack:dev/2025-03-01", "slack:T1/ops/2025-03-01"]


def test_items_of_a_list_and_fields_of_a_block_are_lines_of_their_own() -> None:
    def section(text: str) -> dict[str, object]:
        return {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}

    listed = {"type": "rich_text_list", "elements": [section("one"), section("two")]}
    fields = [{"type": "mrkdwn", "text": "*Host* a1"}, {"type": "mrkdwn", "text": "*State* down"}]
    blocks = [
        {"type": "rich_text", "elements": [section("To do:"), listed]},
        {"type": "section", "text": {"type": "mrkdwn", "text": "Alert"}, "fields": fields},
    ]
    said = message_text({"text": "", "blocks": blocks}, {}, {})
    assert said.split("\n") == ["To do:", "one", "two", "Alert", "*Host* a1", "*State* down"]
