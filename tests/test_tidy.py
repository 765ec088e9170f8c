"""The form of the house, proved: layers, cycles, sizes, names, and what must stay out of the repository."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from marrow.app import method_name
from marrow.model import errors
from marrow.model.errors import MarrowError
from marrow.operations.catalogue import TABLE

from .source_tree import PACKAGE, ROOT, TESTS, functions, imports, kept_files, module_name, python_files, room, tree

FILE_LINES_MAX, FUNCTION_LINES_MAX = 500, 70

# What each part of the package may import, itself aside. Everything is a list of names: there is no other way in.
ABOVE_STORE = "model settings version store repository codemap capture providers ingest derive access search"
MAY_IMPORT: Mapping[str, str] = {
    "version": "",
    "model": "",
    "settings": "model",
    "store": "model",
    "repository": "model",
    "codemap": "model",
    "capture": "model settings",
    "providers": "model",
    "ingest": "model repository codemap providers",
    "derive": "model store providers codemap",
    "access": "model store",
    "search": "model store providers",
    "memory": ABOVE_STORE,
    "jobs": f"{ABOVE_STORE} memory",
    "operations": f"{ABOVE_STORE} memory jobs",
    "app": f"{ABOVE_STORE} memory jobs operations",
    "surfaces": "",
    "__init__": "app model version",
    "__main__": "model surfaces version",
}
# Surfaces only translate in and out, and never import each other.
SURFACE_MAY_IMPORT: Mapping[str, str] = {
    "cli": "app operations capture model settings version",
    "mcp": "app operations model settings version",
    "daemon": "app operations capture model version",
    "web": "app operations model version",
    "chat": "app operations model version",
    "hook": "capture settings model version",
    "bridge": "capture settings model version",
}

# Own imports that wait for a call, by file or by the module that is waited for, and why.
LAZY_FILES = {
    "__init__.py": "a hook imports a part of the package and must not pay for the rest",
    "__main__.py": "each way on imports only what it needs",
    "app/memory.py": "a program that only opens a memory does not pay for the verbs",
    "app/parts.py": "only who names a part pays for it",
    "app/opening.py": "a program that only opens a memory does not pay for the verbs and the embedder",
    "capture/line.py": "a hook that is answered does not pay for what is said when it is not",
    "store/__init__.py": "a store's library is loaded for that kind of store only",
    "store/code/__init__.py": "a process that only parses opens no map",
}
LAZY_TARGETS = {
    "marrow.ingest.spot": "every search would pay for the readers of media",
    "marrow.memory.drift_here": "who asks in the main working tree, as most do, does not pay for reading code",
    "marrow.memory.connecting": "to find out that nothing is new would take a third longer",
    "marrow.memory.derivations": "the same",
    "marrow.memory.code.resolving_worker": "a first map that only parses does not pay for it",
    "marrow.operations.table": "who only lists the operations does not need it",
    "marrow.model.record": "to connect to a file it is not needed; a question for metadata is rare",
    "marrow.store.alike": "it needs numpy",
    "marrow.store.matrix": "it needs numpy",
    "marrow.store.segments": "it needs numpy",
    "marrow.store.stored_vectors": "it needs numpy",
    "marrow.store.sqlite.lengths": "it needs numpy",
    "marrow.store.sqlite.words": "it needs numpy",
    "marrow.store.sqlite.postings": "it needs numpy",
    "marrow.store.sqlite.reader": "who only opens a memory does not pay for what it may hold",
    "marrow.store.sqlite.writer": "who only reads does not need it",
    "marrow.providers.by_name": "only who names a model pays for it",
    "marrow.providers.remote": "urllib costs as much as the rest of the start",
    "marrow.providers.llm_services": "urllib costs as much as the rest of the start",
    "marrow.providers.reranker": "only who names one pays for it",
    "marrow.providers.code_hosts.connect": "http and urllib cost as much as the rest of the start",
    "marrow.surfaces.daemon.taking_in": "of many that git's hooks start at once, all but two end before it",
    "marrow.surfaces.daemon.serving": "all but one of many daemons that are started at once end before it",
}
# What decodes media, in a process of its own.
MEDIA = ("av", "faster_whisper", "rapidocr", "PIL", "pypdf")
# Everything else that may be imported inside a function below the surfaces: what costs too much at every start.
HEAVY = ("numpy", "tokenizers", "tomllib", "Stemmer", "tree_sitter", "subprocess", "importlib", "hashlib", *MEDIA)
# The outermost edges, where whatever was not foreseen becomes one error of ours.
BROAD_EXCEPTS = {
    ("surfaces/mcp/access.py", "_attempt"),
    ("surfaces/mcp/stdio.py", "serve"),
    ("surfaces/hook/run.py", "run"),
    ("surfaces/hook/turn.py", "main"),
    ("surfaces/daemon/server.py", "_connected"),
    ("surfaces/daemon/server.py", "_answer"),
    ("surfaces/daemon/background.py", "_turn"),
    ("surfaces/daemon/background.py", "_condense"),
    ("jobs/work_off.py", "_attempt"),
    ("derive/worker.py", "attempt"),
    ("providers/media_worker.py", "main"),
}
BANNED_NAMES = frozenset("utils util helpers helper common manager managers base misc".split())

# Texts that look like what must not be in the repository, and are not: by file, and why.
ALLOWED_TEXTS = {
    "bench/precision/worlds/signal.json": "a made-up team speaks of a mount of theirs",
    "train/written/a.jsonl": "made-up teams speak of mounts and folders of theirs",
    "train/written/b.jsonl": "made-up teams speak of mounts and folders of theirs",
    **{f"train/written/{which}.jsonl": "made-up teams speak of mounts and folders of theirs" for which in "defg"},
    "train/written/c.jsonl": "made-up teams speak of mounts and folders of theirs",
    "tests/model/secret_corpus.py": "the line of an .npmrc that holds a token, to be redacted",
}
SEPARATOR = "/"  # The patterns are put together from parts, so that this file does not contain what it forbids.
HOSTS = re.compile(
    "|".join(("pypi" + r"\.org", "python" + r"hosted\.org", "npm" + r"js\.(?:org|com)", "index" + "-url"))
)
PLACES = re.compile(
    rf"(?<![\w.~:{SEPARATOR}-]){SEPARATOR}(?:work|root|mnt|workspaces?|home|Users){SEPARATOR}(?P<name>[\w.-]+)"
)
EXAMPLE_USERS = frozenset("ada joe".split())


def own_imports() -> Iterator[tuple[str, str, str]]:
    """(where, source, target) of every import between two modules of Marrow, type checking included."""
    for found in imports():
        if found.own:
            yield found.where, found.source, found.target


def test_every_top_level_name_of_the_package_has_a_place_in_the_table() -> None:
    names = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert names - {"py.typed"} <= MAY_IMPORT.keys()


def test_imports_go_down_the_layers_only() -> None:
    wrong = [
        f"{where}: {room(source)} -> {room(target)}"
        for where, source, target in own_imports()
        if room(source) not in (room(target), "surfaces")
        and room(target) not in MAY_IMPORT.get(room(source), "").split()
    ]
    assert wrong == []


def test_a_surface_imports_what_its_row_allows_and_no_other_surface() -> None:
    wrong = []
    for where, source, target in own_imports():
        if room(source) != "surfaces":
            continue
        mine = source.split(".")[2] if source.count(".") > 1 else ""
        other = target.split(".")[2] if room(target) == "surfaces" and target.count(".") > 1 else ""
        allowed = mine == other if room(target) == "surfaces" else room(target) in SURFACE_MAY_IMPORT[mine].split()
        if not allowed:
            wrong.append(f"{where}: {source} -> {target}")
    assert wrong == []


def test_no_module_imports_itself_by_a_detour() -> None:
    """Only what is imported when a module is loaded counts: types and calls may look back."""
    edges: dict[str, set[str]] = {}
    for found in imports():
        if found.own and not found.in_function and not found.for_types and found.source != found.target:
            edges.setdefault(found.source, set()).add(found.target)
    assert _cycle(edges) == []


def _cycle(edges: Mapping[str, set[str]]) -> list[str]:
    """One cycle in a graph, or nothing."""
    done: set[str] = set()

    def walk(at: str, path: list[str]) -> list[str]:
        if at in path:
            return [*path[path.index(at) :], at]
        if at in done:
            return []
        for following in sorted(edges.get(at, ())):
            if found := walk(following, [*path, at]):
                return found
        done.add(at)
        return []

    return next((found for start in sorted(edges) if (found := walk(start, []))), [])


def test_the_search_for_cycles_finds_one() -> None:
    assert _cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert _cycle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_no_two_folders_import_each_other() -> None:
    pairs = {(room(source), room(target)) for _, source, target in own_imports() if room(source) != room(target)}
    assert [pair for pair in pairs if (pair[1], pair[0]) in pairs] == []


def test_own_imports_stand_at_the_top_of_the_file() -> None:
    wrong = [
        found.where
        for found in imports()
        if found.own
        and found.in_function
        and found.target not in LAZY_TARGETS
        and room(found.source) != "surfaces"
        and found.path.relative_to(PACKAGE).as_posix() not in LAZY_FILES
    ]
    assert wrong == []


def test_only_what_is_heavy_is_imported_inside_a_function() -> None:
    wrong = [
        f"{found.where} {found.target}"
        for found in imports()
        if not found.own
        and found.in_function
        and room(found.source) != "surfaces"
        and not found.target.partition(".")[0].startswith(HEAVY)
    ]
    assert wrong == []


def test_the_bottom_layer_imports_the_standard_library_only() -> None:
    outside = [
        f"{found.where} {found.target}"
        for found in imports()
        if room(found.source) in ("model", "settings", "version")
        and not found.own
        and found.target.partition(".")[0] not in sys.stdlib_module_names
    ]
    assert outside == []


@pytest.mark.parametrize("folder", [PACKAGE, TESTS, ROOT / "docs"], ids=["src", "tests", "docs"])
def test_files_and_functions_stay_small(folder: Path) -> None:
    long = []
    for path in python_files(folder):
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > FILE_LINES_MAX:
            long.append(f"{path.relative_to(ROOT)} {lines}")
        for function in functions(path):
            length = (function.end_lineno or 0) - function.lineno + 1
            if length > FUNCTION_LINES_MAX:
                long.append(f"{path.relative_to(ROOT)}:{function.lineno} {function.name} {length}")
    assert long == []


@pytest.mark.parametrize("folder", [PACKAGE, TESTS, ROOT / "docs"], ids=["src", "tests", "docs"])
def test_every_module_says_what_it_is(folder: Path) -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in python_files(folder)
        if not ast.get_docstring(tree(path)) and path.read_text(encoding="utf-8").strip()
    ]
    assert silent == []


def test_no_module_or_folder_has_a_name_that_says_nothing() -> None:
    places = [path.relative_to(ROOT) for folder in (PACKAGE, TESTS) for path in python_files(folder)]
    assert [str(place) for place in places if BANNED_NAMES.intersection(place.with_suffix("").parts)] == []


def test_no_error_is_swallowed_whole() -> None:
    """A handler for everything is allowed where it raises what it caught again, and at the outermost edges."""
    wrong = []
    for path in python_files(PACKAGE):
        place = path.relative_to(PACKAGE).as_posix()
        wrong += [
            f"{place}:{handler.lineno} in {function.name}"
            for function in functions(path)
            for handler in _broad_handlers(function)
            if not _raises_again(handler) and (place, function.name) not in BROAD_EXCEPTS
        ]
        assert not [h for h in _broad_handlers(tree(path), skip=True) if not _raises_again(h)], place
    assert wrong == []


def _broad_handlers(node: ast.AST, *, skip: bool = False) -> Iterator[ast.ExceptHandler]:
    """The handlers of everything in a function, those of functions in it aside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.ExceptHandler) and _is_broad(child.type):
            yield child
        if not (skip and isinstance(child, ast.ClassDef)):
            yield from _broad_handlers(child, skip=skip)


def _is_broad(caught: ast.expr | None) -> bool:
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in WIDE) for kind in kinds)


WIDE = ("Exception", "BaseException")


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _named_queries() -> list[str]:
    text = (PACKAGE / "store" / "sqlite" / "queries.sql").read_text(encoding="utf-8")
    return re.findall(r"^-- name: (\w+)", text, re.M)


def _texts_in(node: ast.AST) -> set[str]:
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_named_query_is_used_and_has_one_name() -> None:
    names = _named_queries()
    used = {text for path in python_files(PACKAGE / "store" / "sqlite") for text in _texts_in(tree(path))}
    words = {word for text in used for word in text.split()}
    starts = tuple(text for text in used if re.fullmatch(r"[a-z_]+_", text))  # of names that end in another word
    used |= {start + word for start in starts for word in words}
    assert names
    assert sorted(set(names)) == sorted(names)
    assert [name for name in names if name not in used] == []


def test_every_query_that_is_run_exists() -> None:
    names, run = set(_named_queries()), set()
    for path in python_files(PACKAGE / "store" / "sqlite"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "_run":
                run |= _choices(node.args[0])
    assert run
    assert run - names == set()


def _choices(node: ast.expr) -> set[str]:
    """The texts that an expression can be: one, or either of two. One that is put together is not looked into."""
    if isinstance(node, ast.IfExp):
        return _choices(node.body) | _choices(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def test_migrations_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in (PACKAGE / "store" / "sqlite" / "migrations").glob("*.sql"))
    assert names
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert [name for name in names if not re.fullmatch(r"\d{4}_[a-z_]+\.sql", name)] == []


def test_every_operation_is_a_typed_method_of_the_memory() -> None:
    """The class names each with the function that its type comes from; what it does comes from the table."""
    classes = [node for node in tree(PACKAGE / "app" / "memory.py").body if isinstance(node, ast.ClassDef)]
    (memory,) = (node for node in classes if node.name == "Memory")
    typed = {}
    for node in ast.walk(memory):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="bound"), args=[ast.Attribute(attr=of)])
            ):
                typed[name] = of
    assert typed == {method_name(operation): operation.function.__name__ for operation in TABLE.values()}


def test_the_tree_of_errors_is_drawn_whole_and_each_has_a_code_and_a_message() -> None:
    known = _below(MarrowError)
    drawn = re.findall(r"[├└]── (\w+)", errors.__doc__ or "")
    assert sorted(drawn) == sorted(error.__name__ for error in known)
    for error in known:
        assert (error.__doc__ or "").strip().endswith("."), error
        assert re.fullmatch(r"[a-z_]+", error.code), error
        assert 1 < error.exit_code < 126, error
        assert error.__module__ == errors.__name__


def _below(error: type[MarrowError]) -> list[type[MarrowError]]:
    return [one for below in error.__subclasses__() for one in (below, *_below(below)) if "marrow" in one.__module__]


def test_constraints_pin_every_dependency_and_name_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")
    pins = [re.fullmatch(r"([A-Za-z0-9._-]+)==[A-Za-z0-9.+!]+", line) for line in lines if line]
    assert all(pins), lines
    ours = {_normal(folder.name) for folder in (ROOT / "packages").iterdir()}
    pinned = {_normal(pin[1]) for pin in pins if pin} | ours
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [
        *project["project"]["dependencies"],
        *(one for group in project["dependency-groups"].values() for one in group),
        *project["build-system"]["requires"],
    ]
    assert [text for text in asked if _normal(re.split(r"[^A-Za-z0-9._-]", text)[0]) not in pinned] == []


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_file_names_a_registry_or_a_place_on_this_machine() -> None:
    wrong = []
    for path in kept_files():
        place = path.relative_to(ROOT).as_posix()
        if place in ALLOWED_TEXTS:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            found = PLACES.search(line)
            if HOSTS.search(line) or (found and found["name"] not in EXAMPLE_USERS):
                wrong.append(f"{place}:{number} {line.strip()[:80]}")
    assert wrong == []


def _loaded_by(statement: str, *, alone: bool = True) -> set[str]:
    """The modules that a statement loads in an interpreter of its own; `alone` without any installed package."""
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\nbefore = set(sys.modules)\n{statement}\n"
    program += "print('\\n'.join(set(sys.modules) - before))"
    flags = ["-I", "-S"] if alone else ["-I"]
    done = subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


# What each of these may not load: a hook pays for it at every prompt.
COSTLY = "dataclasses typing inspect pathlib tomllib json marrow.app marrow.store marrow.operations"


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import marrow", f"{COSTLY} re marrow.model"),
        ("import marrow.model.redact", COSTLY),
        ("import marrow.settings", "typing pathlib tomllib json marrow.app marrow.store marrow.operations"),
        ("import marrow.model.errors", f"{COSTLY} re"),
    ],
)
def test_what_a_hook_needs_loads_little(statement: str, forbidden: str) -> None:
    assert _loaded_by(statement).intersection(forbidden.split()) == set()


def test_opening_a_memory_loads_nothing_heavy(tmp_path: Path) -> None:
    opening = f"import marrow; marrow.open({str(tmp_path)!r}, store={str(tmp_path / 'marrow.db')!r}).close()"
    loaded = _loaded_by(opening, alone=False)
    assert "marrow.app" in loaded
    heavy = "numpy tokenizers tomllib click rich mcp pydantic marrow.surfaces"
    assert loaded.intersection(heavy.split()) == set()


def test_the_table_of_layers_has_no_name_twice_and_no_way_up() -> None:
    """A row allows only what stands above it, so the table itself cannot hold a cycle."""
    order: Sequence[str] = list(MAY_IMPORT)
    for name, allowed in MAY_IMPORT.items():
        if name.startswith("__"):
            continue
        assert [other for other in allowed.split() if order.index(other) >= order.index(name)] == []


def test_the_tests_mirror_the_sources() -> None:
    """A folder of tests is named as the folder whose behaviour it tests."""
    folders = {path.parent.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py") if path.parent != TESTS}
    assert folders - {"journeys"} <= {room(module_name(path)) for path in python_files(PACKAGE)}
