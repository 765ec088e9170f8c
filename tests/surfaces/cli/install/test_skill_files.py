"""Skills on disk: three levels, and nothing outside of a skill's own folder is ever read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, MarrowError, NotFound, TooLarge
from marrow.surfaces.cli.hosts.skill_files import (
    BYTES_MAX,
    FILES_MAX,
    body_of,
    list_references,
    list_skills,
    load_reference,
    load_skill,
)

TEXT = "---\nname: tidy\ndescription: Tidy up. Use when it is untidy.\nlicense: MIT\n---\n\n# Tidy\n\nDo it.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two skills, one with references, and things beside them that are none of their business."""
    skills = tmp_path / "skills"
    for name in ("tidy", "wash"):
        (skills / name / "references" / "deep").mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(TEXT.replace("tidy", name), encoding="utf-8")
    (skills / "tidy" / "references" / "more.md").write_text("more", encoding="utf-8")
    (skills / "tidy" / "references" / "deep" / "most.md").write_text("most", encoding="utf-8")
    (skills / "notes.txt").write_text("no skill", encoding="utf-8")
    (skills / "Empty").mkdir()
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    return skills


def test_the_first_level_is_the_front_matter_of_each(root: Path) -> None:
    found = list_skills(root)
    assert [(skill.name, skill.description) for skill in found] == [
        ("tidy", "Tidy up. Use when it is untidy."),
        ("wash", "Tidy up. Use when it is unwash."),
    ]
    assert found[0].more == {"license": "MIT"}
    assert 0 < found[0].tokens < 20


def test_the_second_level_is_the_body_and_the_third_its_references(root: Path) -> None:
    assert body_of(root, "tidy") == "# Tidy\n\nDo it.\n"
    assert list_references(root, "tidy") == ["deep/most.md", "more.md"]
    assert load_reference(root, "tidy", "deep/most.md") == "most"
    assert list_references(root, "wash") == []


def test_front_matter_may_be_quoted_folded_or_long(root: Path) -> None:
    text = "---\nname: 'tidy'\ndescription: >-\n  Tidy up:\n  all of it.\n# a remark\nmetadata:\n  by: ada\n---\nx\n"
    (root / "tidy" / "SKILL.md").write_text(text.replace("\n", "\r\n"), encoding="utf-8", newline="")
    skill = load_skill(root, "tidy")
    assert skill.description == "Tidy up: all of it."
    assert skill.more == {"metadata": "by: ada"}


@pytest.mark.parametrize(
    "path",
    [
        *("../SKILL.md", "../../../secret.md", "deep/../../SKILL.md", "/etc/passwd", "..", "", "C:\\x", "a\0b"),
        *("deep\\most.md", ".hidden", "deep/.hidden", "file:more.md"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(root: Path, path: str) -> None:
    with pytest.raises(Invalid):
        load_reference(root, "tidy", path)


def test_a_link_that_leads_out_is_neither_listed_nor_read(root: Path, tmp_path: Path) -> None:
    (root / "tidy" / "references" / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "tidy" / "references" / "folder").symlink_to(tmp_path)
    (root / "tidy" / "references" / "same.md").symlink_to(root / "tidy" / "references" / "more.md")
    assert list_references(root, "tidy") == ["deep/most.md", "more.md", "same.md"]
    for path in ("out.md", "folder/secret.md"):
        with pytest.raises(Invalid):
            load_reference(root, "tidy", path)
    assert load_reference(root, "tidy", "same.md") == "more"


def test_a_skill_that_is_a_link_out_of_the_folder_is_none(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "SKILL.md").write_text(TEXT, encoding="utf-8")
    (root / "linked").symlink_to(elsewhere)
    with pytest.raises(NotFound):
        body_of(root, "linked")
    (root / "wash" / "SKILL.md").unlink()
    (root / "wash" / "SKILL.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(NotFound):
        body_of(root, "wash")


@pytest.mark.parametrize("name", ["../tidy", "tidy/../wash", "Tidy", "", ".", "-tidy", "tidy-", "a" * 65, "tidy\n"])
def test_a_name_that_is_none_is_refused(root: Path, name: str) -> None:
    with pytest.raises(Invalid):
        body_of(root, name)


def test_what_is_not_there_is_said_with_what_is(root: Path) -> None:
    with pytest.raises(NotFound) as missing:
        load_reference(root, "tidy", "less.md")
    assert "more.md" in missing.value.hint
    with pytest.raises(NotFound):
        load_skill(root, "iron")
    with pytest.raises(NotFound):
        list_skills(root / "nowhere")


@pytest.mark.parametrize(
    "text",
    [
        "# no front matter\n",
        "---\nname: tidy\n",
        "---\nname: wash\ndescription: x\n---\n",
        "---\nname: tidy\n---\n",
        "---\nname: tidy\nname: tidy\ndescription: x\n---\n",
        "---\nname: tidy\n- x\ndescription: x\n---\n",
        f"---\nname: tidy\ndescription: {'x' * 1025}\n---\n",
    ],
)
def test_a_skill_with_a_fault_is_an_error(root: Path, text: str) -> None:
    (root / "tidy" / "SKILL.md").write_text(text, encoding="utf-8")
    with pytest.raises(MarrowError):
        load_skill(root, "tidy")


def test_what_is_too_large_or_no_text_is_refused(root: Path) -> None:
    references = root / "tidy" / "references"
    (references / "large.md").write_bytes(b"x" * (BYTES_MAX + 1))
    with pytest.raises(TooLarge):
        load_reference(root, "tidy", "large.md")
    (references / "picture.md").write_bytes(b"\xff\xd8")
    with pytest.raises(Invalid, match="UTF-8"):
        load_reference(root, "tidy", "picture.md")
    with pytest.raises(Invalid, match="plain file"):
        load_reference(root, "tidy", "deep")
    os.mkfifo(references / "pipe.md")
    with pytest.raises(Invalid, match="plain file"):
        load_reference(root, "tidy", "pipe.md")
    for number in range(FILES_MAX + 1):
        (references / f"{number}.md").write_text("x", encoding="utf-8")
    with pytest.raises(TooLarge):
        list_references(root, "tidy")
