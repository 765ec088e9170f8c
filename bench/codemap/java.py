"""How right the map is about Java: symbols and calls of well-known libraries, compared with javac.

    PYTHONPATH=src .venv/bin/python bench/codemap/java.py [--show] [--json out.json] [package …]

The tool is JavaTruth.java, which asks javac's own tree API; it runs with the system's JDK (default-jdk-headless).
The libraries are Debian's source packages, got with `apt-get source` into .cache/codemap/java, from the same places as
the system's packages; the system's own lists are left alone. What they need besides is not there: what javac cannot
resolve without it is left out.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from compare import Compared, Skipped, mapped, run, speed

from marrow.codemap.languages.java import LANGUAGES, QUERY

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "codemap" / "java"
SOURCES = Path("/etc/apt")
# Debian's source package, and the part of it that is looked at.
PACKAGES = {
    "jsoup": ("jsoup", "src"),
    "commons-lang": ("libcommons-lang3-java", "src"),
    "commons-io": ("commons-io", "src"),
    "junit": ("junit4", "src"),
    "collections": ("libcommons-collections4-java", "src"),
    "jackson-core": ("jackson-core", "src"),
    "guava": ("guava-libraries", "guava/src"),
}


def fetched(name: str) -> Path:
    """The folder of a library's source."""
    package, part = PACKAGES[name]
    place = CACHE / package
    if not place.exists():
        if shutil.which("apt-get") is None:
            raise Skipped("the Java libraries come from Debian; there is no apt-get here")
        options = _apt()
        packed = CACHE / "packed"
        packed.mkdir(parents=True, exist_ok=True)
        got = subprocess.run(
            ["apt-get", *options, "source", "--download-only", "--only-source", package],
            cwd=packed,
            capture_output=True,
        )
        archives = sorted(packed.glob(f"{package}_*.orig.tar.*z*"))
        archives = [archive for archive in archives if not archive.name.endswith(".asc")]
        if got.returncode or not archives:
            raise Skipped(f"apt-get source {package} failed; see what it says")
        place.mkdir(parents=True)
        subprocess.run(["tar", "-xf", str(archives[-1]), "-C", str(place), "--strip-components=1"], check=True)
    return place / part


def _apt() -> list[str]:
    """Options for apt-get that make it look for sources, with lists of its own."""
    own = CACHE / "apt"
    parts, lists = own / "parts", own / "lists"
    options = []
    for key, value in (
        ("Dir::Etc::SourceList", "/dev/null"),
        ("Dir::Etc::SourceParts", parts),
        ("Dir::State::Lists", lists),
        ("Dir::Cache", own / "cache"),
    ):
        options += ["-o", f"{key}={value}"]
    if not lists.exists():
        parts.mkdir(parents=True, exist_ok=True)
        lists.mkdir(parents=True)
        (own / "cache").mkdir(exist_ok=True)
        for path in (SOURCES / "sources.list.d").glob("*.sources"):
            (parts / path.name).write_text(re.sub(r"(?m)^Types:.*$", "Types: deb-src", path.read_text()))
        for path in (SOURCES / "sources.list", *(SOURCES / "sources.list.d").glob("*.list")):
            if path.exists():
                (parts / path.name).write_text(re.sub(r"(?m)^deb\s", "deb-src ", path.read_text()))
        subprocess.run(["apt-get", *options, "update"], check=True, stdout=subprocess.DEVNULL)
    return options


def truth(place: Path) -> list[dict[str, Any]]:
    source, classes = Path(__file__).parent / "JavaTruth.java", CACHE / "classes"
    compiled = classes / "JavaTruth.class"
    if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["javac", "-d", str(classes), str(source)], check=True)
    said = subprocess.run(["java", "-cp", str(classes), "JavaTruth", str(place)], check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in said.stdout.splitlines()]


def measured(name: str, show: bool) -> tuple[dict[str, Any], dict[str, float]]:
    place = fetched(name)
    maps, sources = mapped(place, ".java")
    compared = Compared(name, maps, {}, show)
    compared.compare(truth(place))
    return compared.row(), speed(LANGUAGES["java"], QUERY, sources)


if __name__ == "__main__":
    if shutil.which("javac") is None:
        sys.exit("skipped: there is no `javac` here (Debian: default-jdk-headless)")
    run(__doc__ or "", PACKAGES, measured)
