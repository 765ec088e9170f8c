"""Calls that lead out of a project as a matter of course: into the language itself, and into its standard library."""

from __future__ import annotations

import builtins
import io
import re
import sys
from collections.abc import Mapping
from functools import cache

# What nearly every language has on its lists, maps and texts, under one name or another.
_ANYWHERE = frozenset(
    "print println printf log format append add push pop get set put has remove insert extend join split strip "
    "trim map filter reduce for_each forEach find sort sorted reverse keys values items entries size length len "
    "contains includes indexOf replace substring slice concat equals hashCode toString to_string clone close open "
    "read write min max abs next iter iterator then catch finally apply call bind test match exec".split()
)
_JAVASCRIPT = frozenset(
    "require setTimeout clearTimeout setInterval clearInterval setImmediate queueMicrotask fetch parseInt "
    "parseFloat isNaN isFinite String Number Boolean Array Object Symbol BigInt Date Error TypeError RangeError "
    "RegExp Map Set WeakMap WeakSet Promise Proxy URL some every findIndex fill flat flatMap shift unshift splice "
    "charAt charCodeAt codePointAt startsWith endsWith toLowerCase toUpperCase padStart padEnd repeat lastIndexOf "
    "localeCompare toFixed hasOwnProperty addEventListener removeEventListener on once off emit resolve reject "
    "all race assign create freeze defineProperty isArray stringify parse delete clear at toISOString getTime now "
    "warn error info debug".split()
)
_GO = frozenset("append cap copy delete make new panic recover complex real imag Error String Lock Unlock Done".split())
_JAVA = frozenset(
    "valueOf isEmpty containsKey getOrDefault computeIfAbsent putIfAbsent addAll charAt startsWith endsWith "
    "compareTo getClass getName getMessage stream collect toArray of asList hasNext append toLowerCase "
    "toUpperCase intValue copyOf IllegalArgumentException IllegalStateException NullPointerException "
    "RuntimeException Exception StringBuilder ArrayList HashMap HashSet String Object Thread".split()
)
_RUST = frozenset(
    "Some None Ok Err unwrap expect unwrap_or unwrap_or_else unwrap_or_default into from as_ref as_mut as_str "
    "as_bytes iter_mut into_iter collect to_owned is_some is_none is_ok is_err is_empty map_err and_then ok_or "
    "or_else with_capacity new default cloned copied enumerate zip rev fold any all lock borrow borrow_mut drop "
    "vec assert assert_eq panic matches write writeln eprintln unreachable todo starts_with ends_with chars bytes "
    "lines".split()
)
_ROOTS = frozenset(
    "console Math JSON Object Array Promise Number String Date Reflect process window document globalThis Buffer "
    "System Integer Long Double Boolean Character Objects Arrays Collections Optional Thread std core alloc".split()
)
_NODE = frozenset(
    "assert buffer child_process cluster crypto dns events fs http http2 https net os path perf_hooks process "
    "querystring readline stream string_decoder timers tls tty url util v8 vm worker_threads zlib".split()
)
_FIRST = re.compile(r"\w+")


def is_usual(language: str, chain: str, name: str, imports: Mapping[str, str]) -> bool:
    """Whether a call that was not resolved says nothing. `imports` gives the module behind each name that the file
    imports."""
    root = found[0] if (found := _FIRST.search(chain)) else ""
    module = imports.get(root)
    if module is not None:
        return _is_standard(language, module)
    return name in _ANYWHERE or name in _names(language) or (root in _ROOTS and root != name)


def _is_standard(language: str, module: str) -> bool:
    if language == "python":
        return module.partition(".")[0] in sys.stdlib_module_names
    if language in ("javascript", "typescript", "tsx"):
        return module.startswith("node:") or module.partition("/")[0] in _NODE
    if language == "go":  # modules of others begin with the name of a host
        return "." not in module.partition("/")[0]
    if language in ("java", "kotlin", "scala"):
        return module.startswith(("java.", "javax.", "kotlin.", "scala."))
    if language == "rust":
        return re.split(r"::|\.", module)[0] in ("std", "core", "alloc")
    return language in ("c", "cpp") and "/" not in module and not module.endswith((".hpp", ".hh"))


@cache
def _names(language: str) -> frozenset[str]:
    if language == "python":
        types = (str, bytes, bytearray, int, float, list, dict, set, tuple, io.TextIOWrapper, BaseException)
        methods = (name for one in types for name in dir(one) if not name.startswith("_"))
        return frozenset((*dir(builtins), *methods))
    if language in ("javascript", "typescript", "tsx"):
        return _JAVASCRIPT
    return {"go": _GO, "java": _JAVA, "kotlin": _JAVA, "scala": _JAVA, "rust": _RUST}.get(language, frozenset())
