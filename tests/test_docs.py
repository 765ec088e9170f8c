"""The documentation, held against the code: nothing is missing, nothing is out of date, every example runs.

In a page, a ```python block runs in a home and a repository of its own; what a line says after `print(…)  # ` must be
printed. The ```console blocks of a page share one: each line that begins with `$ ` is run, and the lines below it must
be in its output, hashes, ages and times aside. `console exit 2` says how the last command of a block ends. What is
not to be run stands in a ```sh block.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from marrow.model.errors import MarrowError
from marrow.operations.catalogue import NAMES, TABLE
from marrow.settings import SETTINGS
from marrow.surfaces.cli import commands
from marrow.surfaces.cli.output import Output
from marrow.surfaces.cli.pages import exit_codes
from marrow.surfaces.cli.parsing import parse

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])
REFERENCE = DOCS / "reference"
PAGE_LINES_MAX = 120
# Everything that a console block may begin with; of `make` only the target is checked.
PROGRAMS = ("marrow", "cat", "echo", "printf", "git", "make")
ORIGIN = "https://github.com/acme/orchard.git"
SECONDS_MAX = 60

# Figures that are no measurements: limits, definitions and settings. By page, as they stand there.
FIGURES_ALLOWED: dict[str, tuple[str, ...]] = {}
FIGURE = re.compile(
    r"(?<![\w.])\d[\d,.]*\s?(?:ms|µs|s|sec|seconds?|minutes?|[KMG]i?B|megabytes?|%|percent|x faster)(?!\w)"
)
COMMAND = re.compile(r"`[^`]*(?:make |marrow |bench/)[^`]*`")


@cache
def generate() -> ModuleType:
    """docs/generate.py, which is a program and in no package."""
    sys.path.insert(0, str(DOCS))
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A fenced block: where it begins, the words after the fence, and its lines."""

    line: int
    language: str
    lines: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.language.partition(" ")[0]

    @property
    def exit_code(self) -> int:
        said = re.search(r" exit (\d+)", self.language)
        return int(said[1]) if said else 0


def blocks(text: str) -> Iterator[Block]:
    language: str | None = None
    start = 0
    held: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if language is None and line.startswith("```"):
            language, start, held = line[3:].strip(), number, []
        elif language is not None and line.startswith("```"):
            yield Block(start, language, tuple(held))
            language = None
        elif language is not None:
            held.append(line)
    assert language is None, f"the block of line {start} has no end"


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def in_blocks(kind: str) -> list[Path]:
    return [path for path in PAGES if any(block.kind == kind for block in blocks(text_of(path)))]


# --- What must be there ---------------------------------------------------------------------------------------------


def test_the_generated_pages_are_up_to_date() -> None:
    said: list[str] = []
    assert generate().main(["--check"], said.append) == 0, said


def test_a_page_that_is_out_of_date_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = generate()
    monkeypatch.setattr(made, "REFERENCE", tmp_path)
    assert made.main([]) == 0
    assert made.main(["--check"]) == 0
    page = tmp_path / "errors.md"
    page.write_text(page.read_text(encoding="utf-8") + "more", encoding="utf-8")
    (tmp_path / "gone.md").write_text("nothing makes this", encoding="utf-8")
    assert made.out_of_date() == ["errors.md", "gone.md"]
    assert made.main(["--check"], lambda said: None) == 1


def _section(page: str, heading: str) -> str:
    found = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^##|\Z)", text_of(REFERENCE / page), re.M | re.S)
    assert found, f"{page} has no section {heading}"
    return found[1]


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_operation_is_documented_with_all_that_it_takes_and_gives(name: str) -> None:
    operation = TABLE[name]
    section = _section("operations.md", name)
    assert operation.summary in section
    assert operation.details in section
    assert f"right: {operation.right}" in section
    assert f"`marrow {' '.join(commands.entry_of(name).words)}" in section
    assert [alias for alias in operation.aliases if f"`{alias}`" not in section] == []
    rows = {row.split("`")[1]: row for row in section.split("\n") if row.startswith("| `")}
    assert list(rows) == [argument.name for argument in operation.arguments]
    for argument in operation.arguments:
        assert [spelling for spelling in argument.spellings if f"`{spelling}`" not in rows[argument.name]] == []
        assert rows[argument.name].rstrip(" |").rpartition("|")[2].strip(), f"{argument.name} has no meaning"
    assert [part for part in operation.output_schema()["properties"] if f"`{part}`" not in section] == []


def test_every_name_and_alias_of_the_table_is_in_the_reference() -> None:
    text = text_of(REFERENCE / "operations.md")
    assert [name for name in NAMES if name not in text] == []


def test_every_command_is_documented() -> None:
    text = text_of(REFERENCE / "command-line.md")
    assert [entry.name for entry in commands.shown() if f"marrow {entry.name}" not in text] == []


def test_every_setting_is_documented_by_both_names() -> None:
    rows = [row for row in text_of(REFERENCE / "settings.md").split("\n") if row.startswith("| `")]
    found = {row.split("`")[1]: row for row in rows}
    assert list(found) == [setting.name for setting in SETTINGS]
    for setting in SETTINGS:
        assert f"`{setting.environment}`" in found[setting.name]
        assert setting.limits in found[setting.name]


def _errors(error: type[MarrowError] = MarrowError) -> Iterator[type[MarrowError]]:
    yield error
    for below in error.__subclasses__():
        if below.__module__ == MarrowError.__module__:
            yield from _errors(below)


def test_every_error_with_its_code_and_exit_code_is_documented() -> None:
    text = text_of(REFERENCE / "errors.md")
    for error in _errors():
        (row,) = (row for row in text.split("\n") if f"`{error.__name__}`" in row)
        assert f"| `{error.code}` | {error.exit_code} |" in row


def test_every_exit_code_that_help_lists_is_documented() -> None:
    table = text_of(REFERENCE / "errors.md").partition("## Exit codes")[2]
    listed = set(re.findall(r"^  (\d+)", exit_codes(), re.M))
    assert listed
    assert listed == set(re.findall(r"^\| (\d+) \|", table, re.M))


def test_what_a_host_can_ask_the_server_for_is_named_where_hosts_are_connected() -> None:
    from marrow.surfaces.mcp.prompts import prompts
    from marrow.surfaces.mcp.resources import RESOURCES, TEMPLATES

    text = text_of(DOCS / "how-to" / "connect-an-agent.md")
    addresses = [*(r.uri for r in RESOURCES), *(t.uri_template for t in TEMPLATES)]
    assert [name for name in (*(p.name for p in prompts()), *map(str, addresses)) if f"`{name}`" not in text] == []


def test_every_page_can_be_reached_from_the_index() -> None:
    seen, waiting = set(), [DOCS / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        waiting += [target for _, target, _ in links(page) if target.suffix == ".md" and target.is_file()]
    assert [name_of(page) for page in PAGES if page not in seen and page.is_relative_to(DOCS)] == []


# --- What must be right ---------------------------------------------------------------------------------------------


def links(page: Path) -> Iterator[tuple[str, Path, str]]:
    """The relative links of a page: as written, the file that each means, and the part of it."""
    for written in re.findall(r"\]\(([^)\s]+)\)", prose(text_of(page))):
        if not re.match(r"[a-z]+:", written):
            place, _, part = written.partition("#")
            yield written, (page.parent / place).resolve() if place else page, part


def anchors(page: Path) -> set[str]:
    """The parts of a page that a link can name: its headings, as they are named there."""
    headings = re.findall(r"^#+ (.+)$", prose(text_of(page)), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    wrong = [
        written
        for written, target, part in links(page)
        if not target.exists() or not target.is_relative_to(ROOT) or (part and part not in anchors(target))
    ]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_measured_figure_stands_without_the_command_that_prints_it(page: Path) -> None:
    """A paragraph that gives a figure names a command beside it, or the figure is no measurement and on the list."""
    if page.parent == REFERENCE:
        return
    wrong = []
    for paragraph in re.split(r"\n\s*\n", prose(text_of(page))):
        found = [figure.group() for figure in FIGURE.finditer(paragraph)]
        known = FIGURES_ALLOWED.get(name_of(page), ())
        if not COMMAND.search(paragraph):
            wrong += [figure for figure in found if figure not in known]
    assert wrong == []


def test_hand_written_pages_are_short() -> None:
    long = {name_of(page): text_of(page).count("\n") for page in PAGES if page.parent.name in ("how-to", "concepts")}
    assert long
    assert {page: lines for page, lines in long.items() if lines > PAGE_LINES_MAX} == {}


def test_every_target_of_make_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", text_of(ROOT / "Makefile"), re.M))
    named = {
        (name_of(page), target)
        for page in PAGES
        for target in re.findall(r"(?:`|^|\$ )make ([a-z-]+)", text_of(page), re.M)
    }
    assert named
    assert {(page, target) for page, target in named if target not in targets} == set()


def _sh_calls(page: Path) -> Iterator[list[str]]:
    """The words after `marrow` of every call in the page's ```sh blocks, which are not run."""
    for line in (line for block in blocks(text_of(page)) if block.kind == "sh" for line in block.lines):
        words = shlex.shlex(line, posix=True, punctuation_chars="|;&{}")
        words.whitespace_split = True
        call: list[str] = []
        for word in [*words, ";"]:
            if not word.strip("|;&{}"):
                if call[:1] == ["marrow"]:
                    yield call[1:]
                call = []
            else:
                call.append(word)


@pytest.mark.parametrize("page", in_blocks("sh"), ids=name_of)
def test_every_call_that_is_only_shown_is_one_that_marrow_takes(page: Path) -> None:
    for words in _sh_calls(page):
        parse(words, Output())


# --- What must run --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A home, and a repository in it to work in."""

    home: Path

    @property
    def repository(self) -> Path:
        return self.home / "orchard"

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MARROW_", "GIT_"))}
        programs = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", "")))
        return kept | {
            "HOME": str(self.home),
            "MARROW_HOME": str(self.home / ".marrow"),
            "TMPDIR": str(self.home),
            "PATH": programs,
            "PYTHONPATH": str(ROOT / "src"),
            "USER": "ada",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.repository,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS_MAX,
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A small repository with an origin, a README and one commit."""
    made = Place(tmp_path)
    made.repository.mkdir()
    readme = "# Orchard\n\nCounts apples.\n\n## How harvests are stored\n\nEach harvest is one row, written once.\n"
    (made.repository / "README.md").write_text(readme, encoding="utf-8")
    known = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    for words in (
        ("init", "--quiet", "--initial-branch=main"),
        ("remote", "add", "origin", ORIGIN),
        ("add", "README.md"),
        (*known, "commit", "--quiet", "-m", "Store one row a harvest", "-m", "Updating rows lost counts in a race."),
    ):
        done = made.run(("git", *words))
        assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("page", in_blocks("python"), ids=name_of)
def test_every_python_example_runs_and_prints_what_it_says(page: Path, place: Place) -> None:
    for number, block in enumerate(block for block in blocks(text_of(page)) if block.kind == "python"):
        own = Place(place.home / f"home-{number}")
        own.home.mkdir()
        place.run(("cp", "-r", str(place.repository), str(own.repository)))
        done = own.run((sys.executable, "-W", "error", "-c", "\n".join(block.lines)))
        where = f"{name_of(page)}:{block.line}"
        assert done.returncode == block.exit_code, f"{where}\n{done.stdout}{done.stderr}"
        said = comparable(done.stdout, own.home)
        promised = [found[1] for line in block.lines if (found := re.search(r"print\(.*\)  # (.+)$", line))]
        assert [line for line in promised if not is_shown(line, said)] == [], f"{where}\n{done.stdout}"


@pytest.mark.parametrize("page", in_blocks("console"), ids=name_of)
def test_every_console_example_runs_and_shows_what_it_says(page: Path, place: Place) -> None:
    for block in blocks(text_of(page)):
        if block.kind != "console":
            continue
        calls = list(_calls(block.lines))
        assert calls, f"{name_of(page)}:{block.line} runs nothing"
        for number, (command, shown) in enumerate(calls):
            where = f"{name_of(page)}:{block.line}: {command}"
            assert command.split()[0] in PROGRAMS, f"{where}: put what is not to be run into a sh block"
            if command.startswith("make "):
                continue
            done = place.run(("sh", "-c", command))
            wanted = block.exit_code if number == len(calls) - 1 else 0
            assert done.returncode == wanted, f"{where}\n{done.stdout}{done.stderr}"
            said = comparable(done.stdout + done.stderr, place.home)
            assert [line for line in shown if not is_shown(line, said)] == [], f"{where}\n{done.stdout}{done.stderr}"


def _calls(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The commands of a block, each with the output that is shown below it."""
    command = ""
    shown: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        elif command.endswith("\\"):
            command += "\n" + line
        elif line.strip():
            shown.append(line)
    if command:
        yield command, shown


# What differs from run to run, in the order in which it is taken out.
CHANGING = (
    re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:]+Z)?"),
    re.compile(r"(?<![\[0-9a-f])(?=[0-9a-f]*\d)[0-9a-f]{6,64}\b"),  # in brackets it is a node, the same everywhere
    re.compile(r"just now|\b\d+ (?:minute|hour|day|week|month|year)s?(?: ago)?"),
    re.compile(r"\b\d+\.\d+\b|\b\d+ ms\b|\b\d[\d,]* bytes\b"),
)


def comparable(text: str, home: Path) -> str:
    for folder in {str(home), str(home.resolve())}:
        text = text.replace(folder, "/home/ada")
    for changing in CHANGING:
        text = changing.sub("", text)
    return " ".join(text.split())


def is_shown(line: str, said: str) -> bool:
    """Whether what a page shows is in the output. An ellipsis stands for anything."""
    parts = [" ".join(part.split()) for part in comparable(line, Path("/home/ada")).split("…")]
    return all(part in said for part in parts)


def test_the_comparison_finds_a_line_that_is_not_there() -> None:
    said = comparable("Saved [aa2ccc0d8049] We chose SQLite, 3 days ago at 2026-01-01T00:00:00Z\n", Path("/nowhere"))
    assert is_shown("Saved [aa2ccc0d8049] We chose SQLite, just now", said)
    assert not is_shown("Saved [bb3ddd1e9150] We chose SQLite, just now", said)
    assert is_shown("Saved … SQLite", said)
    assert not is_shown("Saved [aa2ccc0d8049] We chose Postgres", said)
