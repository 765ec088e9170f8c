"""What a file's name says beyond the languages that the code map reads: further languages, data, and what another
reader is for."""

from __future__ import annotations

from .lazy_pattern import LazyPattern

# A program's settings are worth reading; a table of a million rows is not.
DATA_BYTES_MAX = 128 * 1024
DATA_SUFFIXES = frozenset(
    ".json .jsonl .ndjson .json5 .jsonc .yaml .yml .xml .csv .tsv .toml .ini .cfg .conf .properties .plist .geojson "
    ".po .pot .lock .resx .xsd .xsl .wsdl".split()
)

_LANGUAGES = {
    "ada": ".adb .ads", "assembly": ".s .asm", "astro": ".astro", "batch": ".bat .cmd",
    "clojure": ".clj .cljs .cljc .edn",
    "cmake": ".cmake", "cobol": ".cob .cbl", "coffeescript": ".coffee", "common lisp": ".lisp .lsp", "crystal": ".cr",
    "css": ".css .scss .sass .less", "cuda": ".cu .cuh", "cython": ".pyx .pxd", "d": ".d", "dart": ".dart",
    "elisp": ".el", "elixir": ".ex .exs", "elm": ".elm", "erlang": ".erl .hrl", "fortran": ".f .f90 .f95 .f03",
    "fsharp": ".fs .fsi .fsx", "graphviz": ".dot .gv", "glsl": ".glsl .vert .frag",
    "graphql": ".graphql .gql", "groovy": ".groovy .gradle",
    "haskell": ".hs .lhs", "hcl": ".tf .tfvars .hcl", "ini": ".ini .cfg .conf .properties",
    "jsonnet": ".jsonnet .libsonnet", "jq": ".jq",
    "json": ".json .json5 .jsonc .jsonl .ndjson .geojson", "julia": ".jl", "lua": ".lua", "lex": ".l", "m4": ".m4 .ac",
    "make": ".mk .mak .am",
    "matlab": ".m", "metal": ".metal", "nim": ".nim", "nix": ".nix", "objective-c": ".mm", "ocaml": ".ml .mli",
    "pascal": ".pas .pp", "perl": ".pl .pm", "plantuml": ".puml .plantuml", "powershell": ".ps1 .psm1",
    "prisma": ".prisma", "protobuf": ".proto",
    "purescript": ".purs", "r": ".r", "racket": ".rkt", "reason": ".re .rei", "rego": ".rego", "scheme": ".scm .ss",
    "shell": ".zsh .fish .ksh", "solidity": ".sol", "starlark": ".bzl .star", "svelte": ".svelte", "tcl": ".tcl",
    "templates": ".tmpl .tpl .j2 .jinja .jinja2 .erb .ejs .hbs .mustache .liquid", "thrift": ".thrift", "toml": ".toml",
    "uniffi": ".udl", "yacc": ".y .yy",
    "verilog": ".v .sv .svh", "vhdl": ".vhd .vhdl", "vim": ".vim", "visual basic": ".vb .vbs", "vue": ".vue",
    "wgsl": ".wgsl",
    "xml": ".xml .xsd .xsl .xslt .wsdl .plist .resx .csproj .vbproj .props .targets", "yaml": ".yaml .yml",
    "zig": ".zig",
}  # fmt: skip
_BY_SUFFIX = {suffix: language for language, suffixes in _LANGUAGES.items() for suffix in suffixes.split()}
_BY_NAME = {
    "dockerfile": "dockerfile", "containerfile": "dockerfile", "makefile": "make", "gnumakefile": "make",
    "cmakelists.txt": "cmake", "jenkinsfile": "groovy", "vagrantfile": "ruby", "podfile": "ruby", "brewfile": "ruby",
    "justfile": "just", "build.bazel": "starlark", "workspace": "starlark", "build": "starlark", "tiltfile": "starlark",
    "procfile": "yaml", "go.mod": "go module", "go.work": "go module", "caddyfile": "caddy",
    ".gitignore": "ignore rules",
    ".dockerignore": "ignore rules", ".gitattributes": "ignore rules", ".editorconfig": "ini",
    "codeowners": "code owners",
    ".bashrc": "bash", ".zshrc": "shell", ".profile": "bash", "requirements.txt": "requirements",
}  # fmt: skip
_PICTURES = frozenset(
    ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .ico .heic .avif .svg .psd .fig .sketch .drawio".split()
)
_RECORDINGS = frozenset(
    ".mp3 .wav .m4a .flac .ogg .opus .aac .wma .mp4 .mov .mkv .avi .webm .m4v .mpg .mpeg .vtt .srt".split()
)
_LOGS = frozenset((".log",))
# Why a file is left out that another reader is for, and which one. The name of an operation is no part of the reason:
# each surface writes it in its own way.
PICTURE, RECORDING, LOG = "it is a picture", "it is a recording or its transcript", "it is a log"
TALK = "it is a conversation"
PROSE = "it is a text and no log: hardly a line of it tells a time or a level"
BINARY, OTHER = "it is binary", "its ending is none of those that are read"
LEFT_BEHIND = "it is test data, or what programs leave behind"
NO_NAME = "its name is no UTF-8, and cannot be kept"
SUBMODULE = "it is a submodule, a repository of its own"
NO_RECORD = "it is taken for a decision now, and nothing in it says that it is one"
_READERS = {PICTURE: "ingest_design", RECORDING: "ingest_meeting", LOG: "ingest_log", TALK: "ingest_conversation"}
_READERS |= {
    OTHER: "ingest_document",
    NO_RECORD: "ingest_document",
    PROSE: "ingest_document",
    SUBMODULE: "ingest_codebase",
}
# What programs leave behind or compare themselves with.
_LEFT_BEHIND = frozenset(
    ".golden .output .out .stdout .stderr .expected .actual .timestamp .bak .orig .rej .patch .diff .sum .lock "
    ".tmp .swp "
    ".pid .crt .cer .csr .pub .sig .sha256 .md5 .map .cast .har".split()
)
_TEST_DATA = frozenset(
    "testdata test-data test_data fixtures __fixtures__ fixture fuzz corpus corpora golden goldens snapshots cassettes "
    "__snapshots__ dumps".split()
)
_KEYS = b"-----BEGIN "
# What a session of an agent and a day of a chat are written down as, and the log of a program.
_LINES_OF_DATA = (".jsonl", ".ndjson")
_SESSION = LazyPattern(r'\{[^\n]{0,4000}?"(?:sessionId|session_meta)"')
_CHAT_DAY = LazyPattern(r"\d{4}-\d\d-\d\d\.json\Z")
_CHAT = LazyPattern(r'\s{0,200}\[\s{0,200}\{[^{}]{0,4000}?"ts"\s{0,8}:\s{0,8}"\d{9,11}\.\d+"')
_EVENT = LazyPattern(
    r'\{(?=[^\n]{0,2000}?"(?:time|timestamp|@timestamp|ts|datetime|asctime)"\s?:)'
    r'(?=[^\n]{0,2000}?"(?:level|severity|lvl|levelname|log\.level)"\s?:)'
)
_INTERPRETERS = {"sh": "bash", "bash": "bash", "dash": "bash", "node": "javascript", "python": "python", "ruby": "ruby"}
_INTERPRETERS |= {name: name for name in ("perl", "zsh", "fish", "php", "lua", "awk", "tcl", "julia")}
_FIRST_LINE = LazyPattern(r"#!\s{0,3}\S{0,60}?(?:/env\s{1,3}(?:-S\s{1,3})?)?(?P<name>[a-z]+)[\d.]{0,6}(?:\s|\Z)")


def other_language(name: str, suffix: str) -> str:
    """The language of a file that the code map does not read; "" where the name does not tell."""
    return named_language(name) or _BY_SUFFIX.get(suffix, "")


def named_language(name: str) -> str:
    """By its whole name, whatever its ending says: requirements.txt is no prose."""
    small = name.lower()
    return _BY_NAME.get(small) or ("dockerfile" if small.startswith("dockerfile.") else "")


def scripted_language(data: bytes) -> str:
    """The language of a program without a suffix, by its first line: `#!/usr/bin/env python3`."""
    if not data.startswith(b"#!"):
        return ""
    found = _FIRST_LINE.match(data[:120].partition(b"\n")[0].decode("latin-1"))
    return _INTERPRETERS.get(found["name"].rpartition("/")[2], "") if found else ""


def no_document(path: str, suffix: str, data: bytes) -> str:
    """Why a file whose name tells nothing is not read as a document, or one of data not as settings; "" if it is."""
    if data.startswith(_KEYS):
        return "it holds keys or certificates"
    if suffix in _LEFT_BEHIND:
        return f"it is what programs leave behind ({suffix})"
    if is_test_data(path):
        return "it is test data"
    if len(data) > DATA_BYTES_MAX:
        return f"it is data: {len(data):,} bytes, and at most {DATA_BYTES_MAX:,} of data are read as text"
    return ""


def is_test_data(path: str) -> bool:
    """Whether a file lies where programs have what they are tried on."""
    return not _TEST_DATA.isdisjoint(path.lower().split("/")[:-1])


def spoken_or_logged(path: str, suffix: str, data: bytes) -> str:
    """Why a file of data is not for this reader: it is a conversation or a log by what stands in it; else ""."""
    if suffix not in DATA_SUFFIXES:
        return ""
    head = data[:8_192].decode("utf-8", "replace")
    if suffix in _LINES_OF_DATA:
        return TALK if _SESSION.match(head) else LOG if _EVENT.match(head) else ""
    return TALK if _CHAT_DAY.search(path) and _CHAT.match(head) else ""


def elsewhere(suffix: str, name: str = "") -> str:
    """Why a file is not for this reader; "" where it may be. `reader_for` says which one it is for. A log may be
    packed."""
    if suffix == ".gz" and name.lower().removesuffix(suffix).endswith(tuple(_LOGS)):
        return LOG
    if suffix in _PICTURES:
        return PICTURE
    if suffix in _RECORDINGS:
        return RECORDING
    return LOG if suffix in _LOGS else ""


def reader_for(reason: str) -> str:
    """The operation that reads what was left out for this reason; "" where none does."""
    return _READERS.get(reason, "")
