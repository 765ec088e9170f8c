"""Which language a file is in, by its name. A language is loaded when the first of its files is met."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ..language import Language

# Module → the languages in it, with the endings and the whole names of their files.
_MODULES: dict[str, dict[str, tuple[str, ...]]] = {
    "python": {"python": (".py", ".pyi", ".pyw")},
    "typescript": {
        "javascript": (".js", ".mjs", ".cjs", ".jsx"),
        "typescript": (".ts", ".mts", ".cts"),
        "tsx": (".tsx",),
    },
    "go": {"go": (".go",)},
    "java": {"java": (".java",)},
    "rust": {"rust": (".rs",)},
    "c": {"c": (".c",), "cpp": (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".ipp", ".inl")},
    "csharp": {"csharp": (".cs",)},
    "ruby": {"ruby": (".rb", ".rake", "Rakefile", "Gemfile")},
    "php": {"php": (".php",)},
    "kotlin": {"kotlin": (".kt", ".kts")},
    "swift": {"swift": (".swift",)},
    "scala": {"scala": (".scala", ".sc")},
    "shell": {"bash": (".sh", ".bash")},
    "sql": {"sql": (".sql",)},
    "markdown": {"markdown": (".md", ".markdown")},
}
_BY_ENDING = {
    ending: (language, module)
    for module, languages in _MODULES.items()
    for language, endings in languages.items()
    for ending in endings
}
_BY_NAME = {language: module for module, languages in _MODULES.items() for language in languages}


def language_of(path: str) -> str:
    """The name of the language that a file is in by its name; "" for one that the map does not read."""
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    found = (_BY_ENDING.get(f".{ending.lower()}") if dot and stem else None) or _BY_ENDING.get(name)
    return found[0] if found else ""


@cache
def language(name: str) -> Language:
    """The language itself: its module has it in `LANGUAGES`, by name."""
    module = import_module(f"{__package__}.{_BY_NAME[name]}")
    found: Language = module.LANGUAGES[name]
    return found
