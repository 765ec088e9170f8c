"""What macros of C stand for and call. Their bodies are no syntax: names before brackets are looked for in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .c_system import EVERYWHERE

BODY_BYTES_MAX = 20_000

_ALIAS = re.compile(rb"[ \t]*([A-Za-z_]\w*)\s*\Z")
_ASIDE = re.compile(rb'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_CALLED = re.compile(rb"(?<![\w.>#:])((?:[A-Za-z_]\w*+::)*+[A-Za-z_]\w*+)[ \t]*\(")
# What is no name of a function.
_WORDS = frozenset(
    b"if while for switch return sizeof do else defined alignof alignas decltype typeof __typeof__ __attribute__ "
    b"__declspec _Pragma __asm__ asm typeid static_cast dynamic_cast reinterpret_cast const_cast catch noexcept int "
    b"long short char void unsigned signed float double bool struct union enum class const static inline extern "
    b"volatile register auto restrict true false nullptr NULL this default case break continue goto template typename "
    b"namespace using public private protected virtual explicit constexpr operator new delete throw try friend "
    b"__inline__ __inline __restrict __volatile__ __extension__ thread_local _Thread_local size_t wchar_t".split()
)


def alias_of(name: bytes, value: bytes) -> bytes:
    """The function that a macro without brackets is another name for, as far as its spelling tells: constants are
    written in capitals, and types are mostly named `…_t`. What has a name of the system's is for systems that call it
    otherwise."""
    found = _ALIAS.match(_ASIDE.sub(b" ", value)) if len(value) < 200 else None
    target = found[1] if found is not None else b""
    if not target or target in _WORDS or target == name or target.endswith(b"_t"):
        return b""
    is_foreign = name.decode("ascii", "replace") in EVERYWHERE or name.upper() == target.upper()
    return b"" if is_foreign or (name.isupper() and target.isupper()) else target


def stands_for_itself(name: bytes, value: bytes) -> bool:
    """`#define set(a) set(a)`, `#define set set`: what is called is the function of that name."""
    plain = value.lstrip()
    rest = plain[len(name) :].lstrip() if plain.startswith(name) else b"x"
    return not rest or (rest.startswith(b"(") and rest.rstrip().endswith(b")") and b")" not in rest.rstrip()[:-1])


def calls_in(body: bytes, parameters: bytes) -> Iterator[tuple[int, bytes]]:
    """What the body of a macro calls, with where it stands in it."""
    plain = _ASIDE.sub(lambda one: b" " * len(one[0]), body[:BODY_BYTES_MAX])
    hidden = {*_WORDS, *re.findall(rb"\w+", parameters)}
    for found in _CALLED.finditer(plain):
        if found[1] not in hidden:
            yield found.start(1), found[1]
