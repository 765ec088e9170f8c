"""Evidence: what an anchor notes of its place, so that it can be told later whether it is still as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any
from zlib import crc32

from ...codemap.fingerprint import Span, at_line, fingerprint, lines_print, sketch, symbol_print
from ...codemap.languages.table import language_of
from ...codemap.manifests import dependencies, is_manifest, same_name
from ...codemap.tokens import Tokens
from ...model.code import Symbol
from ...model.link import Anchor
from ...model.node import metadata_text
from .checkout import Checkout
from .patterns import occurrence

TEXT_MAX = 1_200
AROUND = 6  # tokens before and after a piece of lines, by which it is known among others like it
SEARCHED = 20
MANIFESTS_MAX = 50
_VERSION_NUMBER = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_MAJOR = re.compile(r"/v\d+\Z")
# A shorter sketch is of fewer than five words.
SKETCHED_LEAST = 3 * 8
# In which words of an anchor its evidence stands.
PRINT, TEXT, PATH, SKETCH, VERSION, KNOWN = "print", "text", "path", "sketch", "found", "known"

# An anchor with this word holds as long as the name is there, whatever becomes of the body.
BY_NAME = "by_name"


def has_evidence(anchor: Anchor) -> bool:
    found = anchor.fields
    return any(name in found for name in (PRINT, SKETCH, VERSION, KNOWN))


def with_evidence(checkout: Checkout, anchor: Anchor) -> Anchor | None:
    """The anchor with what is to be seen at its place now; None when there is nothing of it to be seen."""
    about = anchor.fields
    if anchor.type == "file":
        return file_anchor(checkout, anchor.target, about)
    if anchor.type == "lines":
        start, end = _number(about.get("start")), _number(about.get("end"))
        return lines_anchor(checkout, anchor.target, start, end or start, about) if start else None
    if anchor.type == "symbol":
        place = find_symbol(checkout, anchor.target, str(about.get(PATH) or about.get("file") or ""))
        return symbol_anchor(checkout, *place, about) if place else None
    if anchor.type == "pattern":
        return pattern_anchor(checkout, anchor.target, about)
    if anchor.type == "dependency":
        return dependency_anchor(checkout, anchor.target, about)
    whole, is_ancestor = checkout.commit(anchor.target)
    return made("commit", anchor.target, about, known=whole, ancestor=is_ancestor) if whole else None


def made(type_: str, target: str, about: Mapping[str, Any], **evidence: object) -> Anchor:
    """What was said about it, with this evidence in the place of what it had; what is empty is left out."""
    told = {**about, **evidence}
    return Anchor(type_, target, metadata_text({key: value for key, value in told.items() if value not in ("", None)}))


def file_anchor(checkout: Checkout, path: str, about: Mapping[str, Any]) -> Anchor | None:
    source = checkout.source(path)
    if source is None:
        return made("file", path, about, known=True) if checkout.has(path) else None
    words = sketch(source)
    # Of a line or two, such as a version, the sketch says nothing.
    is_exact = about.get("exact") or len(words) < SKETCHED_LEAST
    exact = fingerprint(path, source) if is_exact else ""
    return made("file", path, about, sketch=words, print=exact)


def lines_anchor(checkout: Checkout, path: str, start: int, end: int, about: Mapping[str, Any]) -> Anchor | None:
    """Lines by their content. Where nothing but comments stands on them, those are meant."""
    lines = checkout.lines(path)
    if not 1 <= start <= end or start > len(lines):
        return None
    end = min(end, len(lines))
    tokens = checkout.tokens(path)
    print_, within = lines_print(tokens, start, end), tokens.within(start, end)
    text = _kept(checkout, path, Span(start, end))
    sum_ = written_sum(lines[start - 1 : end])
    if not print_:
        known = made("lines", path, about, start=start, end=end, text=text, sum=sum_, print="", known=True)
        return known if text else None
    before, after = around_of(tokens, within[0], within[-1])
    around = at_line(checkout.symbols(path), start)
    return made(
        "lines",
        path,
        about,
        start=start,
        end=end,
        print=print_,
        at=tokens.first[within[0]],
        before=before,
        after=after,
        within=around.qualified if around else "",
        plain=None if tokens.exact or not language_of(path) else True,
        text=text,
        sum=sum_,
    )


def symbol_anchor(checkout: Checkout, path: str, index: int, about: Mapping[str, Any]) -> Anchor | None:
    symbols = checkout.symbols(path)
    symbol = symbols[index]
    print_ = symbol_print(checkout.tokens_at(path, symbol.start, symbol.end), symbols, index)
    if not print_:
        return None
    text = _kept(checkout, path, Span(symbol.start, symbol.end))
    rest = {key: value for key, value in about.items() if key != "file"}
    return made(
        "symbol",
        symbol.qualified,
        rest,
        path=path,
        kind=symbol.kind,
        start=symbol.start,
        end=symbol.end,
        print=print_,
        text=text,
    )


def find_symbol(checkout: Checkout, name: str, path: str) -> tuple[str, int] | None:
    """A symbol by its name (`Store.close`, `Store::close`, `close()`), in a file or, where only one has it, in any."""
    wanted = plain_name(name)
    if not wanted:
        return None
    if path:
        return next(iter(in_file(checkout, path, wanted)), None)
    found: list[tuple[str, int]] = []
    last = wanted.rpartition(".")[2]
    for one in checkout.defining(last) or checkout.holding(last, SEARCHED):
        found += in_file(checkout, one, wanted)
    exact = [place for place in found if checkout.symbols(place[0])[place[1]].qualified == wanted]
    return exact[0] if len(exact) == 1 else found[0] if len(found) == 1 else None


def in_file(checkout: Checkout, path: str, wanted: str) -> list[tuple[str, int]]:
    """The symbols of a file with this name, those with the whole of it first."""
    symbols = checkout.symbols(path)
    exact = [(path, at) for at, symbol in enumerate(symbols) if symbol.qualified == wanted]
    return exact or [(path, at) for at, symbol in enumerate(symbols) if is_called(symbol, wanted)]


def is_called(symbol: Symbol, wanted: str) -> bool:
    return symbol.qualified == wanted or symbol.qualified.endswith(f".{wanted}")


def plain_name(name: str) -> str:
    """A symbol's name in the one spelling: dots between its parts, without brackets."""
    bare = re.sub(r"\(.*\)\Z", "", name.strip().strip("`"))
    return ".".join(part for part in re.split(r"::|->|[.#/]", bare) if part)


def pattern_anchor(checkout: Checkout, pattern: str, about: Mapping[str, Any]) -> Anchor | None:
    path = str(about.get(PATH) or "")
    found = occurrence(checkout, pattern, path, is_regex=bool(about.get("regex")))
    if found is None:
        return None
    comment = True if found.in_comment else None
    return made("pattern", pattern, about, path=path, known=found.path, text=found.text, comment=comment)


def dependency_anchor(checkout: Checkout, name: str, about: Mapping[str, Any]) -> Anchor | None:
    known = find_dependency(checkout, name)
    if known is None:
        return None
    path, called, version = known
    return made("dependency", name, about, path=path, known=called, found=version)


def find_dependency(checkout: Checkout, name: str, path: str = "") -> tuple[str, str, str] | None:
    """The manifest, the name in it and the version; in `path` first, then in those nearest to the root."""
    manifests = [one for one in checkout.files() if is_manifest(one)]
    manifests.sort(key=lambda one: (one != path, one.count("/"), one))
    for one in manifests[:MANIFESTS_MAX]:
        text = (checkout.source(one) or b"").decode("utf-8", "replace")
        for called, version in dependencies(one, text).items():
            if same_name(name, called):
                return one, called, version
    return None


def told_dependencies(checkout: Checkout, path: str, content: str) -> Iterator[Anchor]:
    """The dependencies in a manifest of which a text says the version that they have there."""
    text = (checkout.source(path) or b"").decode("utf-8", "replace") if is_manifest(path) else ""
    for name, version in dependencies(path, text).items() if text else ():
        number = _VERSION_NUMBER.search(version)
        if number is not None and _says(content, number[0]) and _says(content, _said_name(name)):
            yield made("dependency", name, {"auto": True}, path=path, known=name, found=version)


def _said_name(name: str) -> str:
    """What people call it: `cobra` of `github.com/spf13/cobra`, `gson` of `com.google.code.gson:gson`."""
    return name if name.startswith("@") else re.split(r"[/:]", _MAJOR.sub("", name))[-1]


def _says(content: str, words: str) -> bool:
    """As a whole: `1.8` is not said by `1.8.0`, but is by `v1.8.`"""
    return re.search(rf"(?<![\w.-])v?{re.escape(words)}(?!\.?\w|-\w)", content, re.IGNORECASE) is not None


def companions(anchor: Anchor) -> list[Anchor]:
    """The file that an anchor's evidence stands in, as an anchor of its own: so that who comes to the file finds it."""
    path = anchor.fields.get(PATH) or (anchor.fields.get(KNOWN) if anchor.type == "pattern" else "")
    if anchor.type not in ("symbol", "pattern", "dependency") or not isinstance(path, str) or not path:
        return []
    return [Anchor("file", path, metadata_text({"with": anchor.type}))]


def _kept(checkout: Checkout, path: str, span: Span) -> str:
    text = checkout.told(path, span.first, span.last)
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX]


def written_sum(lines: Sequence[bytes]) -> str:
    """Lines as they are written, without the space around them. Their text is kept without secrets, and only as far as
    it goes: it cannot be compared with."""
    return sha256(b"\n".join(line.strip() for line in lines)).hexdigest()[:16]


def around_of(tokens: Tokens, first: int, last: int) -> tuple[str, str]:
    """The few tokens before and after a piece, as short hashes; "" at the beginning and the end of a file."""
    return _hashed(tokens.bare[max(0, first - AROUND) : first]), _hashed(tokens.bare[last + 1 : last + 1 + AROUND])


def _hashed(tokens: list[bytes]) -> str:
    return f"{crc32(b' '.join(tokens)):08x}" if tokens else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
