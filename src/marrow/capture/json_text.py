"""JSON for the hook. The library's own package costs as much as half of a hook, because it loads `re`.

Its compiled part does the work alone; where that is missing or takes other arguments, the package serves.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Scan = Callable[[str, int], tuple[object, int]]
    Encode = Callable[[object, int], Sequence[str]]

_SPACES = " \t\n\r"


class _Rules:
    """What the compiled scanner wants to know."""

    strict = False  # control characters in a text are no reason to lose it
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


def _no_default(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is nothing that JSON has.")


try:
    from _json import encode_basestring, make_encoder, make_scanner

    _scan: Scan = make_scanner(_Rules)  # type: ignore[arg-type]
    _encode: Encode = make_encoder(None, _no_default, encode_basestring, None, ":", ",", False, False, True)
except (ImportError, TypeError, AttributeError):
    from json import JSONDecoder, JSONEncoder

    _scan = JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]

    def _encode(value: object, _level: int) -> Sequence[str]:
        return [JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode(value)]


def parse(text: str) -> object:
    """The value of a JSON text. Raises ValueError for anything else, and where it nests too deeply."""
    begin, end = 0, len(text)
    while begin < end and text[begin] in _SPACES:
        begin += 1
    try:
        value, at = _scan(text, begin)
    except (StopIteration, RecursionError, SystemError):  # the last where its own error class is not loaded
        raise ValueError("This is not JSON.") from None
    if text[at:].strip(_SPACES):
        raise ValueError("Something follows the JSON.")
    return value


def render(value: object) -> str:
    """A value as JSON on one line, letters as they are. Raises ValueError for what cannot be written."""
    try:
        return "".join(_encode(value, 0))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"This cannot be written as JSON: {error}") from None
