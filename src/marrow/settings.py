"""Settings: one table, read once into one frozen value.

`SETTINGS` is the table; the documentation, `marrow config` and every check come from it. `load` reads, later ones
winning: the defaults, the user's `<home>/config.toml`, the project's `.marrow.toml`, the environment, arguments.
Where a row says `joins`, each of them adds instead: a project cannot take away what its user redacts.

In TOML the dots are tables: `recall.top_k` is `top_k` under `[recall]`. Three names hold a value and a table
(`embedder`, `llm`, `store`): write `embedder = "auto"`, or `name = "auto"` under `[embedder]` with its other keys. In
the environment it is `MARROW_RECALL_TOP_K`; empty counts as not set. As text, a list is `a,b` and a table `a=1,b=2`
(several words for one alias: `a=x|y`), or either as in TOML: `["a", "b"]`.

A `.marrow.toml` comes from whoever wrote the repository. It may set only the rows marked `project`: nothing that
spends money, sends text away, names a server or reaches outside the project.

A missing value is None; paths are absolute text. Start-up counts: `tomllib` only with TOML, no `pathlib`, no `typing`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType

from marrow.model import toml_text
from marrow.model.errors import Internal, Invalid, TooLarge, Unavailable
from marrow.model.nearest import nearest
from marrow.model.quick_pattern import check_quick, made_quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

Value = str | int | float | bool | tuple[str, ...] | Mapping[str, int | tuple[str, ...]] | None
Layer = dict[str, tuple[Value, str]]  # name: value and source

PROJECT_FILE, USER_FILE, STORE_FILE = ".marrow.toml", "config.toml", "marrow.db"
# Variables of our own tests and processes, which are no settings.
OTHER_VARIABLES = ("MARROW_TEST_", "MARROW_BENCH_", "MARROW_INTERNAL_")
_FILE_BYTES_MAX, _TEXT_MAX, _ITEMS_MAX, _DEPTH_MAX = 256 * 1024, 4096, 1000, 4
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False, repr=False, match_args=False)  # less to generate at every start
class Setting:
    """One row of the table. `type` is a key of `TYPES`."""

    name: str
    default: Value
    type: str
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()  # of a table: its keys
    absent: str = ""  # the word for having no value; accepted in its place
    project: bool = False  # a repository's own `.marrow.toml` may set it
    joins: bool = False  # every place adds to it
    secret: bool = False  # never shown, never in the compiled form

    @property
    def environment(self) -> str:
        return "MARROW_" + self.name.upper().replace(".", "_")

    @property
    def limits(self) -> str:
        """What is accepted, in words."""
        what = TYPES[self.type] + (f", one of {', '.join(self.choices)}" if self.choices else "")
        what += "" if self.minimum is None else f" from {self.minimum:,} to {self.maximum:,}"
        return what + (f", or {self.absent}" if self.absent else "")


TYPES = {
    "text": "a text",
    "path": "a path",
    "store": "a path, memory: or an address with ://",
    "address": "an http or https address without a password",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list of texts",
    "patterns": "a list of regular expressions",
    "counts": "a table of whole numbers",
    "words": "a table of texts, or of lists of them",
}
_LAYERS = MappingProxyType({"sessions": 300, "code": 500, "learnings": 300, "observations": 600, "call_graph": 300})
SETTINGS: tuple[Setting, ...] = (
    Setting("home", "~/.marrow", "path", "The folder of Marrow's own files."),
    Setting("store", None, "store", "Where memory is; <home>/marrow.db. A project: a path inside it.", project=True),
    Setting("config", None, "path", "The user's settings; <home>/config.toml. Not to be set in a file."),
    Setting("namespace", "local", "text", "The tenant whose memory this is."),
    Setting("view", None, "text", "The view through which everything is seen.", absent="none"),
    Setting("project", None, "text", "The project's name.", absent="by repository", project=True),
    Setting("project_root", None, "path", "The project's folder.", absent="git root", project=True),
    Setting("url", None, "address", "A team server.", absent="none"),
    Setting("token", None, "text", "The token for the team server.", secret=True),
    Setting("connect_timeout_ms", 500, "integer", "How long to wait for the server to answer.", 1, 600_000),
    Setting("read_timeout_ms", 1000, "integer", "How long to wait for the rest of its answer.", 1, 600_000),
    Setting("store.busy_timeout_ms", 10_000, "integer", "How long to wait for another writer.", 0, 600_000),
    Setting("recall.mode", "first", "text", "On which prompts.", choices=("first", "always", "off"), project=True),
    Setting("recall.time_budget_ms", 300, "integer", "What recall may cost a prompt.", 1, 30_000),
    Setting("recall.top_k", 5, "integer", "How many memories a prompt gets at most.", 1, 50, project=True),
    Setting("recall.min_score", None, "number", "Silence below it.", 0, 1, absent="calibrated", project=True),
    Setting("recall.budget_tokens", 800, "integer", "How long they may be together.", 0, 20_000, project=True),
    Setting("capture.enabled", True, "boolean", "Whether hooks keep what happens.", project=True),
    Setting("capture.scope", "session", "text", "Observed at a time.", choices=("session", "turn"), project=True),
    Setting("capture.min_salience", 0.5, "number", "What matters less is not kept.", 0, 1, project=True),
    Setting("capture.tools", ("all", "-reads"), "list", "Names or groups; a minus leaves out.", project=True),
    Setting("context.budget_tokens", 2000, "integer", "What a session starts with.", 0, 20_000, project=True),
    Setting("context.layers", _LAYERS, "counts", "Tokens a part.", 0, 20_000, tuple(_LAYERS), project=True, joins=True),
    Setting("compress.interval_turns", 15, "integer", "Turns before a nudge; 0: never.", 0, 10_000, project=True),
    Setting("compress.model", None, "text", "The language model that compresses.", absent="none"),
    Setting("summary.model", None, "text", "The language model that summarises.", absent="none"),
    Setting("embedder", "auto", "text", "auto is built in; any other only when it is named here."),
    Setting("embedder.model", None, "text", "The embedder's model.", absent="auto"),
    Setting("embedder.dimensions", None, "integer", "The length of its vectors.", 1, 8192, absent="auto"),
    Setting("embedder.instructions", None, "text", "What is put before a query.", absent="auto"),
    Setting("embedder.key", None, "text", "The key of its service.", secret=True, absent="none"),
    Setting("speech.model", None, "path", "The folder of a Whisper model.", absent="the extra's own"),
    Setting("reranker", "none", "text", "none, or the folder of a cross-encoder."),
    Setting("llm", "none", "text", "The provider of a language model."),
    Setting("llm.model", None, "text", "The language model.", absent="none"),
    Setting("llm.daily_tokens", 0, "integer", "Tokens a day, a hard cap.", 0, 10**12),
    Setting("llm.daily_usd", 0.0, "number", "Dollars a day, a hard cap.", 0, 10**6),
    Setting("retention.trace_days", 14, "integer", "How long raw traces are kept.", 1, 36_500),
    Setting("retention.context_days", 90, "integer", "How long conversation context is kept.", 1, 36_500),
    Setting("retention.telemetry_days", 90, "integer", "How long telemetry is kept.", 1, 36_500),
    Setting("daemon.idle_minutes", 30, "integer", "The daemon ends after so long without a call.", 1, 525_600),
    Setting("daemon.memory_mb", 512, "integer", "The daemon's memory.", 64, 1_048_576),
    Setting("log.level", "info", "text", "What is logged.", choices=("debug", "info", "warning", "error", "critical")),
    Setting("redact.extra", (), "patterns", "More that is redacted.", project=True, joins=True),
    Setting("ignore.extra", (), "list", "More that is not read, as in .gitignore.", project=True, joins=True),
    Setting("domains.extra", (), "list", "Domains beside Marrow's own.", project=True, joins=True),
    Setting("derivations.files", (), "list", "Files of your own derivations.", project=True),
    Setting("aliases", MappingProxyType({}), "words", "Other words for a word.", project=True, joins=True),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}
_BY_VARIABLE = {setting.environment: setting for setting in SETTINGS}
_ALSO_TABLES = {name.rpartition(".")[0] for name in _BY_NAME} & _BY_NAME.keys()


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting's value and where it came from; the files that were read, and what was left out. Made by `load`."""

    values: Mapping[str, Value] = field(repr=False)  # it may hold a token
    sources: Mapping[str, str]
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Value:
        return self.values[find(name).name]

    def get(self, name: str, kind: type[T]) -> T:
        """The value, which is a `kind`: `settings.get("recall.top_k", int)`."""
        value = self[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Internal(f"{name} is read as {kind.__name__}, and is {type(value).__name__}.", field=name)
        return value

    def maybe(self, name: str, kind: type[T]) -> T | None:
        """As `get`, for a setting that may have no value."""
        return None if self[name] is None else self.get(name, kind)

    def source(self, name: str) -> str:
        """`default`, a file's path, an environment variable's name, or `argument`; all of them where they join."""
        return self.sources[find(name).name]


def find(name: str, where: str = "") -> Setting:
    """The row of the table with this name, or an error that names the nearest."""
    if name not in _BY_NAME:
        raise _unknown(name, where, _BY_NAME)
    return _BY_NAME[name]


def load(
    arguments: Mapping[str, object] = _NOTHING,
    *,
    environ: Mapping[str, str] = os.environ,
    cwd: str | os.PathLike[str] | None = None,
) -> Settings:
    """Reads everything, once. An argument that is None counts as not given."""
    user_home = _user_home(environ)
    try:
        here = os.path.abspath(cwd or os.curdir)
    except FileNotFoundError:  # the current directory was removed
        here = user_home
    from_environment: Layer = {}
    for variable, text in environ.items():
        if variable.startswith("MARROW_") and text and not variable.startswith(OTHER_VARIABLES):
            if variable not in _BY_VARIABLE:
                raise _unknown(variable, "the environment", _BY_VARIABLE)
            setting = _BY_VARIABLE[variable]
            from_environment[setting.name] = _read(setting, text, variable, here, user_home), variable
    from_arguments: Layer = {
        name: (_read(find(name, "the arguments"), given, "the arguments", here, user_home), "argument")
        for name, given in arguments.items()
        if given is not None
    }
    given_first = {**from_environment, **from_arguments}
    home = str(given_first.get("home", (os.path.join(user_home, ".marrow"), ""))[0])
    config, named_by = given_first.get("config", (os.path.join(home, USER_FILE), ""))
    root = given_first.get("project_root", (None, ""))[0] or here
    layers, files, left_out = [], [], list[str]()
    for path, is_project in ((str(config), False), (find_project_file(str(root), user_home), True)):
        content = _file_text(path)
        if content is not None:
            files.append(path)
            layers.append(_layer(path, content, user_home, left_out, project=is_project))
        elif named_by and not is_project:
            raise _invalid("config", named_by, f"names {path}, and no such file is there.", "Correct or remove it.")
    values = {setting.name: setting.default for setting in SETTINGS} | {"home": home, "config": str(config)}
    sources = dict.fromkeys(values, "default")
    for layer in (*layers, from_environment, from_arguments):
        for name, (value, source) in layer.items():
            joins = _BY_NAME[name].joins and bool(values[name])
            sources[name] = f"{sources[name]}, {source}" if joins else source
            values[name] = _joined(values[name], value) if joins else value
    values["store"] = values["store"] or os.path.join(str(values["home"]), STORE_FILE)
    return Settings(MappingProxyType(values), MappingProxyType(sources), tuple(files), tuple(left_out))


def find_project_file(start: str, user_home: str) -> str:
    """The nearest `.marrow.toml` from `start` up to the repository's root; never the one in the user's home. Or "".
    Without a repository nothing in or above the home counts, nor another user's file: anyone may put one into /tmp."""
    directory, home, found = os.path.realpath(start), os.path.realpath(user_home), ""
    while True:
        path = os.path.join(directory, PROJECT_FILE)
        if not found and directory != home and os.path.lexists(path):
            found = path
        if os.path.lexists(os.path.join(directory, ".git")):
            return found
        if os.path.dirname(directory) == directory:
            break
        directory = os.path.dirname(directory)
    if not found or os.path.join(home, "").startswith(os.path.join(os.path.dirname(found), "")):
        return ""
    return found if not hasattr(os, "getuid") or os.lstat(found).st_uid == os.getuid() else ""


def set_value(path: str | os.PathLike[str], name: str, text: str) -> None:
    """Writes one setting into a TOML file. Every other line stays; the file is replaced whole or not at all."""
    file = os.path.realpath(path)
    setting = find(name, file)
    is_project = os.path.basename(os.fspath(path)) == PROJECT_FILE
    _allow(setting, file, project=is_project)
    value = _read(setting, text, file, os.path.dirname(file), _user_home(os.environ))
    typed = value is None or isinstance(value, str)  # then it is written as it was typed: `~/x` stays
    plain = text.strip() or setting.absent if typed else toml_text.read(f"v = {toml_text.literal(value)}")["v"]
    if is_project and value is not None:
        _keep_inside(setting, str(plain), file)
        check_quick(value if setting.type == "patterns" and isinstance(value, tuple) else (), name, file)
    if plain == "":
        raise _invalid(name, file, "would be empty.", f"Give {setting.limits}; or unset it.")
    before, table, place = _written(file, name)
    group, _, key = name.rpartition(".")
    if key and group in _ALSO_TABLES and isinstance(table.get(group), str):  # `embedder = "x"` becomes a table
        before = toml_text.without_value(before, (group,)) or ""
        before = toml_text.with_value(before, (group, "name"), table[group]) or ""
    _replace(file, name, toml_text.with_value(before, place, plain))


def unset_value(path: str | os.PathLike[str], name: str) -> bool:
    """Takes one setting out of a TOML file, and says whether it was there. Every other line stays."""
    file = os.path.realpath(path)
    find(name, file)
    before, _, place = _written(file, name)
    if name not in _names(file, before):
        return False
    _replace(file, name, toml_text.without_value(before, place))
    return True


def _written(file: str, name: str) -> tuple[str, dict[str, object], tuple[str, ...]]:
    """A file's text, its table, and where in it the setting is or would be written."""
    text = _file_text(file) or ""
    _names(file, text)  # refuses what is not TOML
    table = toml_text.read(text)
    if name in table and not isinstance(table[name], dict):
        return text, table, (name,)
    return text, table, (name, "name") if name in _ALSO_TABLES and name in table else tuple(name.split("."))


def _allow(setting: Setting, where: str, *, project: bool) -> None:
    """Whether a file may set this at all."""
    if setting.name == "config":
        raise _invalid("config", where, "cannot say which file to read.", f"Set {setting.environment} instead.")
    if project and not setting.project:
        hint = f"A repository may not set this for its users. Set it in {USER_FILE} or as {setting.environment}."
        raise _invalid(setting.name, where, "is not a project's to set.", hint)


def _read(setting: Setting, given: object, where: str, directory: str, user_home: str, *, typed: bool = False) -> Value:
    """`given` as the setting's value, or an error. Text is parsed, unless it comes `typed`, from TOML."""
    raw = os.fspath(given) if isinstance(given, os.PathLike) else given
    if isinstance(raw, str):
        raw = raw.strip()
        if setting.default is None and raw in ("", setting.absent):
            return None
    try:
        value = _converted(setting, _parsed(setting, raw) if isinstance(raw, str) and not typed else raw)
    except (ValueError, TypeError, OverflowError, RecursionError, re.error):  # a wrong text, type, number or pattern
        what = "cannot be this." if setting.secret or "@" in str(given) else f"cannot be {str(given)[:60]!r}."
        raise _invalid(setting.name, where, what, f"Give {setting.limits}.") from None
    if not isinstance(value, str) or setting.type not in ("path", "store"):
        return value
    if setting.type == "store":
        if "://" in value or value in ("memory:", ":memory:"):
            return value.removeprefix(":")
        value = value.removeprefix("sqlite:")
    expanded = user_home + value[1:] if value[:2] in ("~", "~/", "~" + os.sep) else value
    return os.path.normpath(os.path.join(directory, expanded))


def _parsed(setting: Setting, text: str) -> object:
    """A text from the environment or the command line, in the type that TOML would have given it."""
    if setting.type == "boolean":
        return _TRUTH.get(text.lower())
    if setting.type in ("integer", "number"):
        return int(text) if setting.type == "integer" else float(text)
    if setting.type in ("text", "path", "store", "address"):
        return text
    if text[:1] == "{" or (text[:1] == "[" and text[1:].lstrip()[:1] in ("'", '"', "]")):
        return toml_text.read(f"value = {text}")["value"]
    parts = [part.strip() for part in text.split("\n" if setting.type == "patterns" else ",") if part.strip()]
    if setting.type in ("list", "patterns"):
        return parts
    pairs = [[side.strip() for side in part.split("=", 1)] for part in parts]
    return {key: int(item) if setting.type == "counts" else item.split("|") for key, item in pairs}


def _converted(setting: Setting, raw: object) -> Value:
    """The checked value of what TOML gave. Raises ValueError or a relative of it for whatever is wrong."""
    kind = setting.type
    if kind == "boolean" and isinstance(raw, bool):
        return raw
    if kind in ("integer", "number"):
        return _number(setting, raw)
    if kind in ("list", "patterns") and isinstance(raw, list | tuple):
        return tuple(item for item in _texts(raw) if kind == "list" or re.compile(item))
    if kind == "counts" and isinstance(raw, Mapping) and raw.keys() <= set(setting.choices):
        return MappingProxyType({key: int(_number(setting, item)) for key, item in raw.items()})
    if kind == "words" and isinstance(raw, Mapping):
        words = {key: _texts([item] if isinstance(item, str) else item) for key, item in raw.items()}
        return MappingProxyType(dict(zip(_texts(list(words)), words.values(), strict=True)))
    if kind in ("text", "path", "store", "address") and raw in (setting.choices or (raw,)):
        text = _texts([raw])[0]
        if kind != "address" or re.fullmatch(r"https?://[^/?#@\s]+(/[^\s?#]*)?", text):
            return text
    raise ValueError(kind)


def _number(setting: Setting, raw: object) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, int | float if setting.type == "number" else int):
        raise TypeError(setting.type)
    if not (setting.minimum or 0) <= raw <= (setting.maximum or 0):
        raise ValueError(setting.type)
    return float(raw) if setting.type == "number" else raw


def _texts(items: Iterable[object]) -> tuple[str, ...]:
    """`items` without repetitions, each of them text of one line that is not empty."""
    texts = tuple(dict.fromkeys(str(item) if isinstance(item, str) else "" for item in items))
    for text in texts:
        broken = any(mark < " " or "\ud800" <= mark < "\ue000" for mark in text)  # control marks, half characters
        if broken or not text.strip() or len(text) > _TEXT_MAX or len(texts) > _ITEMS_MAX:
            raise ValueError("text")
    return texts


def _joined(old: Value, new: Value) -> Value:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return MappingProxyType({**old, **new})
    return tuple(dict.fromkeys((*old, *new))) if isinstance(old, tuple) and isinstance(new, tuple) else new


def _layer(path: str, text: str, user_home: str, left_out: list[str], *, project: bool) -> Layer:
    """What one file sets. For a pattern of a project that may never end a quick one stands, or none: nobody waits."""
    layer: Layer = {}
    for name, raw in _names(path, text).items():
        setting = find(name, path)
        _allow(setting, path, project=project)
        value = _read(setting, raw, path, os.path.dirname(path), user_home, typed=True)
        if project and value is not None:
            _keep_inside(setting, str(raw), path)
            if setting.type == "patterns" and isinstance(value, tuple):
                value = made_quick(value, f"{name} in {path}", left_out)
        layer[name] = value, path
    return layer


def _keep_inside(setting: Setting, raw: str, path: str) -> None:
    """A project's own paths stay inside it, and its own name cannot be another repository's address."""
    if setting.name == "project" and re.search(r"[/:@\\]", raw):
        raise _invalid("project", path, f"cannot be {raw[:60]!r}.", "Give a plain name, without / : @ or a backslash.")
    if setting.type not in ("path", "store"):
        return
    directory = os.path.realpath(os.path.dirname(path))
    steps = raw.replace("\\", "/").casefold().split("/")
    outside = steps[0] in ("", "~") or ":" in raw or ".." in steps or ".git" in steps
    if outside or os.path.commonpath((directory, os.path.realpath(os.path.join(directory, raw)))) != directory:
        raise _invalid(setting.name, path, f"cannot be {raw[:60]!r}.", "Give a relative path inside the project.")


def _names(path: str, text: str) -> dict[str, object]:
    """A TOML text as dotted names and raw values."""
    try:
        found = list(_flattened(toml_text.read(text), ""))
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{path} is not valid TOML: {error}.", hint="Correct that line.", field="config") from None
    names: dict[str, object] = {}
    for name, value in found:
        if name in names:
            raise _invalid(name, path, "is given twice.", "Remove one of them.")
        names[name] = value
    return names


def _flattened(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        name = prefix + key
        is_table = name in _BY_NAME and _BY_NAME[name].type in ("counts", "words")
        if isinstance(value, dict) and not is_table and name.count(".") < _DEPTH_MAX:
            yield from _flattened(value, name + ".")
        else:
            yield prefix[:-1] if key == "name" and prefix[:-1] in _ALSO_TABLES else name, value


def _file_text(path: str) -> str | None:
    """The text of a file, None if there is none. A pipe or a device in its place neither blocks nor floods."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            data = file.read(_FILE_BYTES_MAX + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
        if data is None or len(data) > _FILE_BYTES_MAX:
            raise TooLarge(f"{path} is no file of at most {_FILE_BYTES_MAX:,} bytes.", hint="Remove or shorten it.")
        return data.decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        is_closed, folder = isinstance(error, PermissionError), os.path.dirname(path)
        hint = f"Check the permissions of it and of {folder}." if is_closed else "Make it readable UTF-8 text."
        raise Invalid(f"{path} cannot be read: {error}.", hint=hint, field="config") from None


def _user_home(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")


def _invalid(name: str, where: str, problem: str, hint: str) -> Invalid:
    return Invalid(f"{name} in {where} {problem}" if where else f"{name} {problem}", hint=hint, field=name)


def _unknown(name: str, where: str, known: Iterable[str]) -> Invalid:
    hint = (f"The nearest is {near}; " if (near := nearest(name, known)) else "") + "`marrow config` lists them all."
    return _invalid(name[:60], where, "is no setting.", hint)


def _replace(file: str, name: str, text: str | None) -> None:
    """Puts a new file in the place of the old one, so that a reader or a crash sees one or the other."""
    if text is None:
        raise _invalid(name, file, "cannot be changed without touching other lines.", "Edit that file by hand.")
    temporary = f"{file}.{os.urandom(6).hex()}.tmp"
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        mode = stat.S_IMODE(os.stat(file).st_mode) if os.path.exists(file) else 0o600
        with open(temporary, "x", encoding="utf-8", newline="") as out:
            os.chmod(temporary, mode)
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, file)
    except OSError as error:
        raise Unavailable(f"{file} cannot be written: {error.strerror}.", hint="Check its folder and disk.") from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)
