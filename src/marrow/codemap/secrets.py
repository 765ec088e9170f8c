"""A file's map without its secrets: what stood in a string of the code must not be kept in the heads, comments and
names of the map, nor be shown from there.

A first map looks at every file of a repository. So what most likely holds one is put together and looked at once: heads
that have a string in them or name a password, comments, and names that are long and no plain words. Only where that may
hold a secret is each text of the file looked at, and redacted by the rules that hold for a memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ..model.code import FileMap
from ..model.redact import redact
from ..model.sieve import LONG_WORD, suspected, suspects_text

# In these a value stands without quotes.
_UNQUOTED = frozenset(("bash", "sql", "markdown"))
# So much beyond where a line is cut is looked at.
LOOKED_AT = 1_000
# What a chain or a type that held a secret becomes: something that cannot be said.
UNSAID = "?"
# What no name of several parts has in it.
_odd = re.compile(r"[^A-Za-z_.()\[\]{}<>,|?*$@]").search


def without_secrets(found: FileMap, extra: Sequence[str] = ()) -> FileMap:
    """`extra` are the project's own patterns, as for `redact`."""
    if not extra and found.language not in _UNQUOTED:
        likely = _likely(found)
        if not _cleaned(likely, ()):
            return found
    changed = _cleaned(_every(found), extra)
    return _with(found, changed) if changed else found


def _cleaned(texts: Iterable[str], extra: Sequence[str]) -> dict[str, str]:
    """Those that hold a secret, and what is left of them."""
    looked_at = texts if extra else suspected(list(texts))
    if not extra and not (looked_at and redact("\n".join(looked_at)).counts):  # mostly there is none after all
        return {}
    return {text: clean for text in looked_at if (clean := redact(text, extra).text) != text}


def with_secrets(paths: Sequence[str], extra: Sequence[str] = ()) -> set[str]:
    """The paths that hold a secret."""
    return set(_cleaned(paths, extra))


def cut(line: str, limit: int) -> str:
    """The beginning of a line that is longer. A secret is taken out first: a part of one would not show as such."""
    near = line[: limit + LOOKED_AT]
    if suspects_text(near):
        near = redact(near).text
    return f"{near[: limit - 1]}…"


def _likely(found: FileMap) -> list[str]:
    """The texts of a map of which one may hold a secret: few, and quickly found."""
    heads: list[str] = []
    names: set[str] = set()
    for _, name, _, _, _, _, signature, doc, decorators, _, bases, _, _ in found.symbols:
        if '"' in signature or "'" in signature or "`" in signature or "pass" in signature or "PASS" in signature:
            heads.append(signature)
        if doc:
            heads.append(doc)
        if len(name) >= LONG_WORD:
            names.add(name)
        if decorators or bases:
            names.update(decorators, bases)
    for _, name, type_, value, _ in found.bindings:
        if len(value) >= LONG_WORD:
            names.add(value)
        if len(type_) >= LONG_WORD:
            names.add(type_)
        if len(name) >= LONG_WORD:
            names.add(name)
    names.update([chain for _, _, _, chain, _ in found.calls if len(chain) >= LONG_WORD])
    for local, module, name, *_ in found.imports:
        names.update((local, module, name))
    names.add(found.package)
    heads += filter(_odd, names)
    return heads


def _every(found: FileMap) -> set[str]:
    """All texts of a map."""
    texts = {found.package}
    for symbol in found.symbols:
        texts.update((symbol.name, symbol.signature, symbol.doc, symbol.returns, symbol.receiver))
        texts.update(symbol.decorators, symbol.bases)
    for one in found.imports:
        texts.update((one.local, one.module, one.name))
    for binding in found.bindings:
        texts.update((binding.name, binding.type, binding.value))
    texts.update(call.chain for call in found.calls)
    return texts


def _with(found: FileMap, changed: Mapping[str, str]) -> FileMap:
    """The map with other texts. The names of what stands in something begin with the name of that."""
    named = [(text, changed[text]) for text in {symbol.name for symbol in found.symbols} if text in changed]

    def text(given: str) -> str:
        return changed.get(given, given)

    def qualified(given: str) -> str:
        for old, new in named:
            given = given.replace(old, new)
        return text(given)

    def said(given: str) -> str:
        return UNSAID if given in changed else given

    symbols = tuple(
        symbol._replace(
            name=text(symbol.name),
            qualified=qualified(symbol.qualified),
            signature=text(symbol.signature),
            doc=text(symbol.doc),
            decorators=tuple(map(text, symbol.decorators)),
            bases=tuple(map(text, symbol.bases)),
            returns="" if symbol.returns in changed else symbol.returns,
            receiver=text(symbol.receiver),
        )
        for symbol in found.symbols
    )
    imports = (
        one._replace(local=text(one.local), module=text(one.module), name=text(one.name)) for one in found.imports
    )
    bindings = (
        one._replace(name=text(one.name), type="" if one.type in changed else one.type, value=said(one.value))
        for one in found.bindings
    )
    return found._replace(
        package=text(found.package),
        symbols=symbols,
        imports=tuple(imports),
        bindings=tuple(bindings),
        calls=tuple(call._replace(chain=said(call.chain)) for call in found.calls),
    )
