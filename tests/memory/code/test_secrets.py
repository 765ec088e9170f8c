"""No secret of the code reaches the files of its map."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from marrow.codemap.outline import SIGNATURE_MAX
from marrow.codemap.parse import map_of
from marrow.codemap.secrets import without_secrets
from marrow.memory.code.kept_map import KeptMap, map_at
from marrow.store.code import FORMAT, MapFile

from .conftest import Project

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
RANDOM = "k3v!x9qz#m2w7r$t5y8u0p4s6d1f3g5h7j9" + "l2z4x6c8v0b1"
SAID = "T" + "r0ub4dor&3x!"
KEY = "MIIEowIBAAKCAQEAx7v4wJm3xk2hT9q0ZyB8n1c5FfVdLsQe"
HIDDEN = (TOKEN, RANDOM, SAID, KEY)
SOURCES = {
    "settings.py": f'SECRET_KEY = "{RANDOM}"\nDATABASE = {{"password": "{SAID}"}}\nDB_PASSWORD = 4815162342\n',
    "keys.py": f'PEM = """-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n{KEY}\n-----END RSA PRIVATE KEY-----"""\n',
    "heads.py": f"""NAMES = {{"{TOKEN}": 1}}
def f(a="{TOKEN}", *, password="{SAID}") -> "{TOKEN}":
    "The token is {TOKEN}."
    return "{TOKEN}".join(a)
@deco("{TOKEN}")
class A(namedtuple("{TOKEN}", "a b")):
    x: Literal["{TOKEN}"] = "{TOKEN}"
""",
    "a.ts": f"""import x from "{TOKEN}"; import y from "https://user:{SAID}@host/a.js";
export const TOKEN = "{TOKEN}";
const o = {{ "{TOKEN}": function() {{ return 1 }}, ["{TOKEN}"]() {{}}, token: "{TOKEN}" }};
o["{TOKEN}"].foo(); o["{TOKEN}"]();
interface I {{ "{TOKEN}": string }}
function g(a: string = "{TOKEN}"): "{TOKEN}" {{ return a }}
""",
    "a.md": f"# The {TOKEN} head\n\n## password: {SAID}\n",
    "a.sh": f"export TOKEN={TOKEN}\nexport PASSWORD={SAID}\n. ./{TOKEN}.sh\n{TOKEN} a\n",
    "a.sql": f"CREATE TABLE t (a text default '{TOKEN}');\nCREATE TABLE \"{TOKEN}\" (b int);\n",
    "a.go": f'package a\nimport "host/{TOKEN}"\nconst Token = "{TOKEN}"\n',
    "a.rb": f'TOKEN = "{TOKEN}"\nrequire "{TOKEN}"\nclass A\n attr_accessor "{TOKEN}"\nend\n',
    "a.php": f'<?php\nconst A = "{TOKEN}";\nclass B {{ #[A("{TOKEN}")] function f($a = "{TOKEN}") {{}} }}\n',
    "a.rs": f'const A: &str = "{TOKEN}";\n#[serde(rename = "{TOKEN}")]\nstruct X {{ a: String }}\n',
    "A.java": f'class A {{ static final String T = "{TOKEN}"; @X("{TOKEN}") void f() {{}} }}\n',
    "a.c": f'#include "{TOKEN}.h"\nconst char *t = "{TOKEN}";\n',
    "a.kt": f'const val T = "{TOKEN}"\nfun `{TOKEN} b`() {{}}\n',
    "a.swift": f'let t = "{TOKEN}"\n',
    "a.scala": f'object A {{ val t = "{TOKEN}" }}\n',
    "a.cs": f'class A {{ const string T = "{TOKEN}"; [X("{TOKEN}")] void F(string a = "{TOKEN}") {{}} }}\n',
    f"docs/{TOKEN}.md": "# A file\n",
    f"docs/{TOKEN}.bin": "not code\n",
}


def held(folder: Path, hidden: tuple[str, ...] = HIDDEN) -> set[str]:
    """What is found in the bytes of the files of a folder."""
    data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return {one for one in hidden if one.encode() in data or one[:20].encode() in data}


@pytest.fixture
def telling(tmp_path: Path) -> Project:
    root = tmp_path / "telling"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    found = Project(root, tmp_path / "maps")
    for path, text in SOURCES.items():
        found.write(path, text)
    found.update()
    return found


def test_no_secret_is_in_the_files_of_a_map(telling: Project) -> None:
    folder = telling.kept.file.path.parent
    assert held(folder) == set()
    assert b"4815162342" not in telling.kept.file.path.read_bytes()
    with telling.kept.reading() as reader:
        assert [one.path for one in reader.symbols_named("SECRET_KEY")] == ["settings.py"]
        outline = reader.outline(reader.symbols_named("SECRET_KEY")[0].id >> 20)
    assert outline is not None
    assert outline[0].symbols[0].signature == 'SECRET_KEY = "[redacted:secret]"'


def test_nor_once_the_files_have_changed_moved_and_gone(telling: Project) -> None:
    for path, text in SOURCES.items():
        if path.startswith("docs/"):
            continue
        telling.write(path, text.replace("= ", "=  ").replace("A", "B") + f'\n# {TOKEN}\nNEW_TOKEN = "{TOKEN}x"\n')
    telling.update()
    telling.write("new.py", SOURCES["heads.py"] + SOURCES["settings.py"])
    (telling.root / "heads.py").unlink()
    (telling.root / "settings.py").rename(telling.root / f"{TOKEN}.py")
    telling.update()
    assert held(telling.kept.file.path.parent) == set()
    with telling.kept.reading() as reader:
        assert reader.versions_since(0)


def test_what_a_line_is_cut_at_is_no_part_of_a_secret(telling: Project) -> None:
    for room in range(SIGNATURE_MAX - 60, SIGNATURE_MAX, 3):
        head = f"def f({'a' * room}, b='{TOKEN}', c='{TOKEN}'): pass\n"
        symbol = without_secrets(map_of("a.py", head.encode())).symbols[0]
        assert TOKEN[:8] not in symbol.signature
        assert len(symbol.signature) <= SIGNATURE_MAX


def test_hashes_and_code_without_secrets_stay_what_they_are() -> None:
    harmless = map_of("a.py", b"def f(token: str = '', key=None):\n    return key['token']\n")
    assert without_secrets(harmless) is harmless
    found = map_of("heads.py", SOURCES["heads.py"].encode())
    clean = without_secrets(found)
    assert [one.hash for one in clean.symbols] == [one.hash for one in found.symbols]
    assert len(clean.calls) == len(found.calls)


def test_a_name_that_is_a_secret_is_the_same_in_what_stands_in_it() -> None:
    clean = without_secrets(map_of("a.md", f"# The {TOKEN} head\n\n## In it\n".encode()))
    assert [one.qualified for one in clean.symbols] == [
        "The [redacted:github-token] head",
        "The [redacted:github-token] head.In it",
    ]


def test_a_projects_own_patterns_hold_for_the_map(tmp_path: Path, telling: Project) -> None:
    maps = tmp_path / "own"
    telling.write("own.py", 'PLACE = "badger-house"\ndef badger(): return PLACE.badger_house()\n')
    map_at(maps, str(telling.root)).update(1)
    assert held(maps, ("badger-house",))
    kept = map_at(maps, str(telling.root), (), (r"badger[-_]\w+",))
    kept.update(2)
    assert not held(maps, ("badger-house", "badger_house"))
    telling.write("own.py", 'PLACE = "badger-hole"\n')
    fewer = KeptMap(kept.root, MapFile(kept.file.path))
    before = os.stat(kept.file.path).st_ino
    fewer.update(3)
    assert not held(maps, ("badger-hole",))
    assert os.stat(kept.file.path).st_ino == before


def test_maps_of_an_older_format_go_when_one_is_made(telling: Project) -> None:
    folder = telling.kept.file.path.parent
    old = telling.kept.file.path.read_bytes()
    older = old[:60] + (FORMAT - 1).to_bytes(4) + old[64:]
    others = {"0123456789-0_0_9.map": older, "0123456789-0_0_9.map-wal": b"", "other.map": old, "x.map": b"no map"}
    for name, data in others.items():
        (folder / name).write_bytes(data)
    telling.kept.file.path.write_bytes(older)
    telling.kept.file.close()
    assert KeptMap(telling.kept.root, MapFile(telling.kept.file.path)).update(9).parsed
    assert {name for name in others if (folder / name).exists()} == {"other.map", "x.map"}
