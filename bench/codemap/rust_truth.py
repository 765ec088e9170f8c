"""What the Rust compiler says about the crates that the map is measured on.

The crates are Debian's source packages (`librust-…-dev`), unpacked into .cache/codemap/rust. A crate that needs them
all is checked with the toolchain at hand, twice:

- each crate's MIR is written out, in which every call has the full path of what it calls and its place in the source;
- rustdoc writes its source pages with links to definitions, from which comes what is made (`Foo { … }`, `Some(…)`) and
  which macro is meant. Both are switched on with RUSTC_BOOTSTRAP.

What a file defines comes from `syn`, the parser that Rust's own macros are written with (`rust_symbols.rs`).
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "codemap" / "rust"
REGISTRY = CACHE / "x" / "usr" / "share" / "cargo" / "registry"
TRUTH = CACHE / "truth"
DEBIAN = (
    "regex regex-syntax aho-corasick memchr serde-json serde itoa ryu anyhow semver hashbrown log indexmap syn "
    "proc-macro2 quote unicode-ident clap tokio pin-project-lite rand rand-core rand-chacha ppv-lite86 cfg-if libc "
    "getrandom bitflags strsim clap-lex os-str-bytes termcolor once-cell bytes ahash version-check autocfg itertools "
    "either"
).split()
MANIFEST = """\
[package]
name = "truth"
version = "0.1.0"
edition = "2021"
[workspace]
[dependencies]
regex = "1"
regex-syntax = "0.6"
aho-corasick = "0.7"
serde_json = "1"
anyhow = "1"
semver = "1"
hashbrown = { version = "0.12", default-features = false, features = ["inline-more"] }
log = "0.4"
indexmap = "1"
memchr = "2"
tokio = { version = "1", features = ["sync", "time", "rt", "io-util"] }
rand = "0.8"
clap = { version = "4", default-features = false, features = ["std", "help", "usage", "error-context", "suggestions"] }
itertools = "0.10"
bytes = "1"
"""
SYMBOLS_MANIFEST = """\
[package]
name = "symbols"
version = "0.1.0"
edition = "2021"
[workspace]
[dependencies]
syn = { version = "1", features = ["full", "visit"] }
proc-macro2 = { version = "1", features = ["span-locations"] }
"""
CONFIG = """\
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "{registry}"
[build]
target-dir = "{target}"
"""
RUSTDOC = """\
#!/bin/sh
RUSTC_BOOTSTRAP=1 exec rustdoc -Zunstable-options --generate-link-to-definition --document-private-items "$@"
"""
RUSTC = """\
#!/bin/sh
real="$1"; shift
"$real" "$@" || exit $?
case " $* " in *"--emit=dep-info,metadata"*) ;; *) exit 0 ;; esac
name=$(printf '%s\\n' "$@" | sed -n '/^--crate-name$/{n;p;}')
RUSTC_BOOTSTRAP=1 "$real" "$@" -Zunpretty=mir -Zmir-include-spans=on -Zmir-opt-level=0 -Zinline-mir=no \\
    -Ztrim-diagnostic-paths=no -o "$MIR_DIR/$name.mir" >/dev/null 2>&1
exit 0
"""


class Target(NamedTuple):
    """What is called: the type or trait it belongs to ("" for a function of a module), the trait it is called through,
    the modules that it is said to be in, and its name."""

    owner: str
    trait: str
    modules: tuple[str, ...]
    name: str
    trait_modules: tuple[str, ...] = ()


def missing() -> str:
    """What has to be there and is not; "" for nothing."""
    for tool in ("cargo", "rustc", "rustdoc", "apt-get", "dpkg"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    return ""


def prepare() -> None:
    """Fetches the crates and asks the compiler, where that has not been done yet."""
    if not REGISTRY.exists():
        debs = CACHE / "debs"
        debs.mkdir(parents=True, exist_ok=True)
        for name in DEBIAN:
            subprocess.run(["apt-get", "download", "-q", f"librust-{name}-dev"], cwd=debs, check=True)
        for deb in sorted(debs.glob("*.deb")):
            subprocess.run(["dpkg", "-x", str(deb), str(CACHE / "x")], check=True)
    mir = TRUTH / "mir"
    if not (mir / "truth.mir").exists():
        mir.mkdir(parents=True, exist_ok=True)
        _crate(TRUTH, MANIFEST, "")
        wrapper = _script(TRUTH / "rustc.sh", RUSTC)
        surroundings = {"MIR_DIR": str(mir), "RUSTC_WRAPPER": str(wrapper), "CARGO_TARGET_DIR": str(TRUTH / "checked")}
        _cargo(TRUTH, "check", surroundings)
    if not (TRUTH / "target" / "doc" / "src" / "truth").exists():
        _cargo(TRUTH, "doc", {"RUSTDOC": str(_script(TRUTH / "rustdoc.sh", RUSTDOC))})
    if not (TRUTH / "target" / "debug" / "symbols").exists():
        _crate(TRUTH / "symbols", SYMBOLS_MANIFEST, Path(__file__).with_name("rust_symbols.rs").read_text(), "main.rs")
        _cargo(TRUTH / "symbols", "build", {})


def _crate(place: Path, manifest: str, source: str, name: str = "lib.rs") -> None:
    (place / "src").mkdir(parents=True, exist_ok=True)
    (place / ".cargo").mkdir(exist_ok=True)
    (place / "Cargo.toml").write_text(manifest)
    (place / "src" / name).write_text(source)
    (place / ".cargo" / "config.toml").write_text(CONFIG.format(registry=REGISTRY, target=TRUTH / "target"))


def _script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def _cargo(place: Path, command: str, surroundings: dict[str, str]) -> None:
    import os

    subprocess.run(
        ["cargo", command, "--offline", "--quiet"],
        cwd=place,
        check=True,
        env={**os.environ, **surroundings},
        stderr=subprocess.DEVNULL,
    )


def symbols(paths: list[Path]) -> dict[str, list[tuple[str, int, int, str]]]:
    """What each file defines: kind, line of the name, last line, name."""
    told = subprocess.run(
        [str(TRUTH / "target" / "debug" / "symbols"), *map(str, paths)], check=True, capture_output=True, text=True
    )
    found: dict[str, list[tuple[str, int, int, str]]] = {}
    here: list[tuple[str, int, int, str]] = []
    for line in told.stdout.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "file":
            here = found.setdefault(rest, [])
        elif kind == "unread":
            here.append(("unread", 0, 0, ""))
        else:
            first, last, name = rest.split(" ", 2)
            here.append((kind, int(first), int(last), name))
    return found


_CALL = re.compile(r"^\s+(?:\S+ = )(.+) -> \[?(?:return|unwind).*; // scope \d+ at (.+):(\d+):(\d+): (\d+):(\d+)$")


def calls(crate: str, folder: Path) -> dict[tuple[str, int, int], set[Target]]:
    """What the compiler says is called, by file, line and column (from 0, in bytes) of the name that is called."""
    found: dict[tuple[str, int, int], set[Target]] = {}
    texts: dict[str, list[str]] = {}
    folder = folder.resolve()
    with (TRUTH / "mir" / f"{crate}.mir").open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            matched = _CALL.match(line)
            if matched is None:
                continue
            path = Path(matched[2]).resolve()
            if not path.is_relative_to(folder):
                continue
            target = target_of(_callee(matched[1]))
            if target is None:
                continue
            inside = path.relative_to(folder).as_posix()
            if inside not in texts:
                texts[inside] = path.read_text(encoding="utf-8", errors="replace").split("\n")
            span = (int(matched[3]), int(matched[4]), int(matched[5]), int(matched[6]))
            place = _name_place(texts[inside], span, target.name)
            if place is not None:
                found.setdefault((inside, *place), set()).add(target)
    return found


def _callee(text: str) -> str:
    """What stands before the arguments."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            return text[:at]
    return ""


def _name_place(lines: list[str], span: tuple[int, int, int, int], name: str) -> tuple[int, int] | None:
    """Where the called name stands in a call; None for what only looks like one in the compiler's eyes."""
    first, column, last, end = span
    if last > len(lines) or last - first > 400:
        return None
    rows = [lines[row] for row in range(first - 1, last)]
    rows[-1] = rows[-1][: end - 1]
    text = "\n".join((rows[0][column - 1 :], *rows[1:])) if len(rows) > 1 else rows[0][column - 1 :]
    if not text.endswith(")"):
        return None
    depth, at = 0, len(text) - 1
    while at >= 0:
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            break
        at -= 1
    before = text[: max(at, 0)].rstrip()
    if before.endswith(">"):
        cut = before.rfind("::<")
        before = before[:cut] if cut > 0 else before
    if not re.search(rf"(?<!\w){re.escape(name)}\Z", before):
        return None
    begin = len(before) - len(name)
    row = before.count("\n", 0, begin)
    start = before.rfind("\n", 0, begin) + 1
    line = first + row
    offset = begin - start + (column - 1 if not row else 0)
    return line, len(lines[line - 1][:offset].encode())


def target_of(callee: str) -> Target | None:
    """The path of a function as the compiler writes it."""
    if callee.startswith(("move ", "copy ", "const ", "_", "(")) or "{closure" in callee.rpartition("::")[2]:
        return None
    if callee.startswith("<"):
        end = _closing(callee, 0)
        type_, _, trait = _split_as(callee[1:end])
        names = _segments(callee[end + 1 :].removeprefix("::"))
        owner = _segments(re.sub(r"^(?:[&*]|'\w+ |mut |const |dyn )+", "", type_))
        if not names:
            return None
        if len(names) > 1:  # a function in a method
            return Target("", "", ("?", *names[:-1]), names[-1])
        above = _segments(trait)
        return Target(
            owner[-1] if owner else type_[:40],
            above[-1] if above else "",
            tuple(owner[:-1]),
            names[-1],
            tuple(above[:-1]),
        )
    names = _segments(callee)
    if not names:
        return None
    if len(names) > 1 and names[-2].startswith("<impl "):
        inner = names[-2][6:-1].partition(" for ")
        owner = _segments(re.sub(r"^(?:[&*]|'\w+ |mut |const |dyn )+", "", inner[2] or inner[0]))
        return Target(owner[-1] if owner else "?", "", tuple(names[:-2]), names[-1])
    if len(names) > 1 and names[-2][:1].isupper():
        return Target(names[-2], "", tuple(names[:-2]), names[-1])
    return Target("", "", tuple(names[:-1]), names[-1])


def _closing(text: str, at: int) -> int:
    depth = 0
    for here in range(at, len(text)):
        if text[here] == ">" and text[here - 1] == "-":
            continue
        depth += (text[here] == "<") - (text[here] == ">")
        if not depth:
            return here
    return len(text)


def _split_as(text: str) -> tuple[str, str, str]:
    depth = 0
    for at in range(len(text)):
        if text[at] == ">" and text[at - 1] == "-":
            continue
        depth += (text[at] in "<([") - (text[at] in ">)]")
        if not depth and text.startswith(" as ", at):
            return text[:at], " as ", text[at + 4 :]
    return text, "", ""


def _segments(path: str) -> list[str]:
    """The names of a path, without the arguments of types."""
    names: list[str] = []
    at, name = 0, ""
    while at < len(path):
        if path[at] == "<":
            end = _closing(path, at)
            if path.startswith("<impl ", at):
                name += path[at : end + 1]
            at = end + 1
        elif path.startswith("::", at):
            if name:
                names.append(name)
            name, at = "", at + 2
        elif path[at] in " ([{":
            break
        else:
            name += path[at]
            at += 1
    if name:
        names.append(name)
    return names


_LINE = re.compile(r"<a href=#(\d+) id=\d+ data-nosnippet>\d+</a>")
_TAG = re.compile(r"<(/?)(\w+)([^>]*)>|([^<]+)")
_HREF = re.compile(r'href="([^"]*)"')


def links(crate: str, file: str) -> Iterator[tuple[int, int, str, str, int]]:
    """Links of a source page that stay in the crate's sources: line, column, text, file, line there."""
    page = TRUTH / "target" / "doc" / "src" / crate / f"{file}.html"
    if not page.exists():
        return
    text = page.read_text(encoding="utf-8")
    marks = list(_LINE.finditer(text))
    for at, mark in enumerate(marks):
        line = int(mark[1])
        body = text[mark.end() : marks[at + 1].start() if at + 1 < len(marks) else len(text)]
        column, href = 0, ""
        for tag in _TAG.finditer(body):
            if tag[4] is None:
                if tag[2] == "a":
                    found = _HREF.search(tag[3]) if not tag[1] else None
                    href = found[1] if found else ""
                continue
            said = html.unescape(tag[4])
            if href:
                where = _linked(href, file)
                yield line, column, said.strip(), *(where or ("", 0))
            column += len(said.encode())


def _linked(href: str, file: str) -> tuple[str, int] | None:
    place, hash_, lines = href.partition("#")
    first = lines.partition("-")[0]
    if not hash_ or not first.isdigit() or "://" in href:
        return None
    parts = file.split("/")[:-1] if place else file.split("/")
    for part in place.removesuffix(".html").split("/") if place else ():
        if part == "..":
            if not parts:
                return None
            parts = parts[:-1]
        else:
            parts.append(part)
    return "/".join(parts), int(first)
