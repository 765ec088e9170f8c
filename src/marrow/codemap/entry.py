"""What is called from outside the code: tests, programs' beginnings, what a framework finds by its decorator."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ..model.code import CALLABLES, Symbol

# Bits of a symbol's flags.
ENTRY, TEST = 1, 2
NAMES_KEPT = 8192

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|e2e)/|(?:^|/)(?:test_[^/]*|tests|conftest|[^/]*(?:_tests?|_spec|Test|Tests|"
    r"TestCase|\.test|\.spec))\.\w+\Z"
)
_TEST_NAME = re.compile(
    r"test(?:_|[A-Z]|\Z)|Test[A-Z_]|Benchmark[A-Z]|Example(?:[A-Z]|\Z)|Fuzz[A-Z]|(?:setUp|tearDown)"
)
# Rust's tests stand beside what they test: `#[cfg(test)] mod tests`, `#[test] fn`.
TESTS_ALONE = "cfg(test)"
_RUST_TEST = re.compile(r"(?:\w+\s*::\s*)*(?:test|rstest|test_case|bench|wasm_bindgen_test)\s*(?:\(|\Z)")
_TESTS_ALONE = re.compile(rf"cfg\s*\(\s*(?:all\s*\((?:[^()]*,)?\s*)?test\s*[,)]|{_RUST_TEST.pattern}")
_DUNDER = re.compile(r"__\w+__\Z")
_MAINS = frozenset("main Main init __main__ setUp tearDown setup_module teardown_module".split())
# Decorators that change how a function is called, and not by whom.
_PLAIN = re.compile(
    r"(?:property|cached_property|functools\.\w+|staticmethod|classmethod|abstractmethod|abc\.\w+|override|overload|"
    r"typing\.\w+|contextmanager|contextlib\.\w+|cache|lru_cache|wraps|\w+\.(?:setter|getter|deleter)|final|dataclass|"
    r"inline|inline\(.*|must_use|allow\(.*|Override|Deprecated|SuppressWarnings.*|Nullable|NonNull|NotNull|private|"
    r"public|protected|internal|static|Inject|JvmStatic|JvmOverloads|discardableResult|objc|available.*)"
)


def for_tests_alone(decorator: str) -> bool:
    """Whether Rust leaves out what is so marked, except where it makes tests."""
    return _TESTS_ALONE.match(decorator) is not None


def is_test_path(path: str) -> bool:
    return _TEST_PATH.search(path) is not None


def flags_in(path: str, in_test_file: bool) -> Callable[[Symbol], int]:
    """What gives the flags of a symbol of a file."""
    is_rust = path.endswith(".rs")
    among_tests = in_test_file or "test" in path.lower()
    plain = TEST if in_test_file else 0

    def flags_of(symbol: Symbol) -> int:
        decorators = symbol.decorators
        if decorators and is_rust and any(map(for_tests_alone, decorators)):
            return TEST | (ENTRY if symbol.kind in CALLABLES and any(map(_RUST_TEST.match, decorators)) else 0)
        if symbol.kind not in CALLABLES:
            return plain
        flags = _flags_of_name(symbol.name, in_test_file, among_tests)
        if decorators and not flags and not all(map(_PLAIN.match, decorators)):
            return ENTRY
        return flags

    return flags_of


@lru_cache(maxsize=NAMES_KEPT)
def _flags_of_name(name: str, in_test_file: bool, among_tests: bool) -> int:
    """Of a function, by its name alone: the same are met again and again."""
    is_test = _TEST_NAME.match(name) is not None
    if in_test_file or (is_test and among_tests):
        return TEST | (ENTRY if is_test else 0)
    return ENTRY if name in _MAINS or _DUNDER.match(name) else 0
