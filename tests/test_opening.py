"""What opening a memory costs: a program that only opens one does not load what it may do with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import marrow

OPENED = """
import sys, marrow
memory = marrow.open(sys.argv[1], store=sys.argv[2])
print(memory.project, *sys.modules, sep="\\n")
"""
# The values that a memory holds, what reads and writes them, and what only the verbs need.
UNNEEDED = (
    "numpy marrow.store.protocol marrow.store.sqlite.reader marrow.store.sqlite.writer marrow.model.record "
    "marrow.model.event marrow.model.derivation marrow.operations marrow.memory json hashlib"
).split()


def test_opening_finds_the_project_and_loads_nothing_of_what_a_memory_holds(
    tmp_path: Path, child_environment: dict[str, str]
) -> None:
    store = str(tmp_path / "memory.db")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    with marrow.open(tmp_path, store=store) as memory:
        memory.save("The gate opens at seven.")
    # From now on it is named by its origin, and the store knows it by the identity that it had before.
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", "git@git.example:team/orchard.git"], check=True)
    command = [sys.executable, "-c", OPENED, str(tmp_path), store]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=child_environment).stdout
    project, *loaded = out.split("\n")
    assert project == memory.project
    assert [name for name in UNNEEDED if name in loaded] == []
