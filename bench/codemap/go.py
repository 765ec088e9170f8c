"""How right the map is about Go: symbols and calls of well-known packages, compared with go/types.

    PYTHONPATH=src .venv/bin/python bench/codemap/go.py [--show] [--json out.json] [package …]

The tool is go_truth/main.go, run with the system's `go` (Debian: golang-go). The packages are Debian's, with what they
need, so that all types are known: `apt-get download`, unpacked into .cache/codemap/go. Nothing is installed by this.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from compare import Compared, mapped, run, speed

from marrow.codemap.languages.go import LANGUAGES, QUERY

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "codemap" / "go"
GOPATH = CACHE / "tree" / "usr" / "share" / "gocode"
# Debian's package, and where its source lies below GOPATH/src.
PACKAGES = {
    "cobra": ("golang-github-spf13-cobra-dev", "github.com/spf13/cobra"),
    "pflag": ("golang-github-spf13-pflag-dev", "github.com/spf13/pflag"),
    "logrus": ("golang-github-sirupsen-logrus-dev", "github.com/sirupsen/logrus"),
    "gin": ("golang-github-gin-gonic-gin-dev", "github.com/gin-gonic/gin"),
    "mux": ("golang-github-gorilla-mux-dev", "github.com/gorilla/mux"),
    "viper": ("golang-github-spf13-viper-dev", "github.com/spf13/viper"),
    "yaml": ("golang-gopkg-yaml.v3-dev", "gopkg.in/yaml.v3"),
    "chi": ("golang-github-go-chi-chi-dev", "github.com/go-chi/chi"),
    "zap": ("golang-go.uber-zap-dev", "go.uber.org/zap"),
}


def fetched() -> None:
    """Debian's packages and what they need, unpacked."""
    if all((GOPATH / "src" / place).exists() for _, place in PACKAGES.values()):
        return
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        sys.exit("skipped: the Go packages come from Debian; there is no apt-get here")
    wanted = [package for package, _ in PACKAGES.values()]
    plan = subprocess.run(
        ["apt-get", "-s", "install", "--no-install-recommends", *wanted], capture_output=True, text=True, check=True
    )
    debs = CACHE / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    needed = {line.split()[1] for line in plan.stdout.splitlines() if line.startswith("Inst ")} | set(wanted)
    subprocess.run(
        ["apt-get", "download", *sorted(needed)],
        cwd=debs,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for deb in sorted(debs.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(deb), str(CACHE / "tree")], check=True)


def truth(place: Path) -> list[dict[str, Any]]:
    environment = os.environ | {"GO111MODULE": "off", "GOPATH": str(GOPATH), "CGO_ENABLED": "0", "GOFLAGS": ""}
    program = CACHE / "truth"
    source = Path(__file__).parent / "go_truth" / "main.go"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["go", "build", "-o", str(program), str(source)], check=True, env=environment)
    # The importer asks the go command, which looks from the folder it is started in.
    said = subprocess.run([str(program), "."], cwd=place, check=True, env=environment, stdout=subprocess.PIPE)
    return [json.loads(line) for line in said.stdout.splitlines()]


def measured(name: str, show: bool) -> tuple[dict[str, Any], dict[str, float]]:
    place = GOPATH / "src" / PACKAGES[name][1]
    maps, sources = mapped(place, ".go")
    others = {p.relative_to(place).as_posix(): p.read_text() for p in place.rglob("go.mod")}
    compared = Compared(name, maps, others, show)
    compared.compare(truth(place))
    return compared.row(), speed(LANGUAGES["go"], QUERY, sources)


if __name__ == "__main__":
    if shutil.which("go") is None:
        sys.exit("skipped: there is no `go` here (Debian: golang-go)")
    fetched()
    run(__doc__ or "", PACKAGES, measured)
