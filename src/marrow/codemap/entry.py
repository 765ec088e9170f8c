"""What is called from outside the code: tests, programs' beginnings, what a framework finds by its decorator."""

from __future__ import annotations

import re

from ..model.code import CALLABLES, Symbol

# Bits of a symbol's flags.
ENTRY, TEST = 1, 2

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|e2e)/|(?:^|/)(?:test_[^/]*|conftest|[^/]*(?:_test|_spec|Test|Tests|"
    r"TestCase|\.test|\.spec))\.\w+\Z"
)
_TEST_NAME = re.compile(
    r"test(?:_|[A-Z]|\Z)|Test[A-Z_]|Benchmark[A-Z]|Example(?:[A-Z]|\Z)|Fuzz[A-Z]|(?:setUp|tearDown)"
)
_DUNDER = re.compile(r"__\w+__\Z")
_MAINS = frozenset("main Main init __main__ setUp tearDown setup_module teardown_module".split())
# Decorators that change how a function is called, and not by whom.
_PLAIN = re.compile(
    r"(?:property|cached_property|functools\.\w+|staticmethod|classmethod|abstractmethod|abc\.\w+|override|overload|"
    r"typing\.\w+|contextmanager|contextlib\.\w+|cache|lru_cache|wraps|\w+\.(?:setter|getter|deleter)|final|dataclass|"
    r"inline|inline\(.*|must_use|allow\(.*|Override|Deprecated|SuppressWarnings.*|Nullable|NonNull|NotNull|private|"
    r"public|protected|internal|static|Inject|JvmStatic|JvmOverloads|discardableResult|objc|available.*)"
)


def is_test_path(path: str) -> bool:
    return _TEST_PATH.search(path) is not None


def flags_of(path: str, symbol: Symbol, in_test_file: bool) -> int:
    """For a symbol of a file."""
    if symbol.kind not in CALLABLES:
        return TEST if in_test_file else 0
    name = symbol.name
    if in_test_file or (_TEST_NAME.match(name) and (in_test_file or "test" in path.lower())):
        return TEST | (ENTRY if _TEST_NAME.match(name) else 0)
    if name in _MAINS or _DUNDER.match(name):
        return ENTRY
    if any(not _PLAIN.match(decorator) for decorator in symbol.decorators):
        return ENTRY
    return 0
