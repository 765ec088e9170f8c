"""The setting `ignore.extra` holds for everything that files are taken in by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from marrow.app import open_memory
from marrow.memory.engine import Asker, Engine
from tests.providers.code_hosts.loopback import LoopbackHost

from ...repository.conftest import Git, git, home
from .test_repository import EVERY, github, known, take

__all__ = ["git", "github", "home"]


def test_the_setting_of_a_project_holds_for_its_codebase(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARROW_HOME", str(tmp_path / "marrow"))
    (repository / ".marrow.toml").write_text('[ignore]\nextra = ["private/", "*.txt", "!kept.txt"]\n')
    for name in ("private/plan.md", "open.md", "gone.txt", "kept.txt"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(f"What {name} says.\n")
    with open_memory(str(repository), store="memory:") as memory:
        memory.ingest_codebase(str(repository), service_name="kiln")
        asker = memory.call.asker
        with memory.store.reading() as reader:
            rows = reader.sources(asker.namespace, (asker.scope.project,), service="kiln")
    assert {row.path for row in rows if row.is_document} == {".marrow.toml", "open.md", "kept.txt"}


def test_what_it_names_is_not_taken_from_a_code_host_and_leaves_if_it_was(
    engine: Engine, asker: Asker, github: LoopbackHost
) -> None:
    take(engine, asker, github)
    take(replace(engine, ignore_extra=("src/",)), asker, github, since="all")
    assert sorted(known(engine, asker)) == [path for path in EVERY if path != "src/app.py"]


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder
