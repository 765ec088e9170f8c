"""How raw text of a repository becomes clean questions, texts and sentences."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

_TRAILER = re.compile(
    r"^([a-z]+(-[a-z]+)*-by|change-id|reviewed-on|run-trybot|trybot-[a-z]+|auto-submit|pr-url|refs?|fix(es|ed)?"
    r"|close[sd]?|see|discussion|backpatch[a-z-]*|bug|resolve[sd]?|updates?|for|cc|author|git-svn-id|luci[a-z-]*)\s*[:#]"
    r"|^\(?cherry[ -]picked|^\* [a-z_/]+\.[a-z]+:",
    re.I,
)
_TRAILERS_PLAIN = re.compile(r"^[A-Z][A-Za-z-]+(-[A-Za-z]+)+: ")
_ADDRESS = re.compile(r"<?\bhttps?://\S+|\S+@\S+\.\S+")
_NUMBERED = re.compile(r"\s*[(\[]?(?:GH-?|gh-|bpo-|PR ?)?#\d+[)\]]?\s*(--|:)?\s*|\s*\(r\d+\)|\[(ci skip|skip ci)\]")
_HASH = re.compile(r"\b[0-9a-f]{9,40}\b")
_ROLE = re.compile(r":[a-z:+-]+:`~?\.?([^`<]*?)(?:\s*<[^>]*>)?`")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|!?\[([^\]]+)\]\[[^\]]*\]")
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^>\n]{0,200}>|\{[{%#][^\n]*?[}%#]\}|\{#[^}]*\}", re.S)
_MARKS = re.compile(r"\*\*|__|``+|`|~~|^\s*[>*+]\s+|^\s*\.\. [a-z-]+::.*$|^\s*:[a-z-]+:.*$", re.M)
_SPACE = re.compile(r"\s+")
_MD_HEADING = re.compile(r"^(#{1,5}|={1,5})\s+(.+?)\s*#*$")
_RST_LINE = re.compile(r"^([=\-~^\"'+*#])\1{3,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~|----$|\.\. code|\.\. _|:::)")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_DEFINITION = re.compile(
    r"^\s*(pub(\([a-z]+\))? |export |public |private |protected |static |async |final |abstract |default |unsafe "
    r"|override )*"
    r"(func|fn|function|class|def|defp|defmacro|defmodule|interface|struct|enum|trait|impl|type|const|module|fun|void|int"
    r"|bool|boolean|String|char|[A-Z]\w*(<[^>]*>)?)\b.*[({:=]|^\s*(func|def|defp|fn) "
)


def clean(text: str) -> str:
    """One line without addresses, numbers of tickets, marks of a markup, and what only machines read."""
    text = _TAG.sub(" ", text)
    text = _LINK.sub(lambda found: found.group(1) or found.group(2) or " ", text)
    text = _ROLE.sub(r"\1", text)
    text = _ADDRESS.sub(" ", text)
    text = _NUMBERED.sub(" ", text)
    text = _HASH.sub(" ", text)
    text = _MARKS.sub("", text)
    return _SPACE.sub(" ", text).strip(" \t-–:*|#=")


def key_of(text: str) -> bytes:
    """What two texts share that differ in case, spaces and signs alone."""
    return hashlib.blake2b(re.sub(r"[\W_]+", "", text).lower().encode("utf-8", "replace"), digest_size=8).digest()


def is_english(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    plain = sum(character.isascii() for character in text)
    return letters >= 0.6 * len(text) and plain >= 0.97 * len(text)


def message_parts(message: str) -> tuple[str, str]:
    """A commit's subject and its body, without trailers, lists of files and diffs."""
    lines = message.strip().splitlines()
    if not lines:
        return "", ""
    subject = clean(re.sub(r"^\s*(\[[\w .-]+\]\s*)+", "", lines[0]))
    kept = []
    for line in lines[1:]:
        if line.startswith(("---", "diff ", "#")):
            break
        if not _TRAILER.match(line.strip()) and not _TRAILERS_PLAIN.match(line) and not line.startswith("    "):
            kept.append(line)
    body = clean("\n".join(kept))
    if not is_english(subject):
        return "", ""
    return subject, body if is_english(body) and len(body.split()) >= 6 else ""


def sections(source: str) -> Iterator[tuple[str, str]]:
    """The headings of a document (Markdown, AsciiDoc or reStructuredText), each with the prose below it."""
    if source.startswith("---\n"):
        front, _, source = source[4:].partition("\n---")
        named = re.search(r"^title:\s*(.+)$", front, re.M)
        source = f"# {named.group(1).strip(chr(34))}\n{source}" if named else source
    heading, body, fenced = "", [], False
    previous = ""
    for line in source.splitlines():
        if _FENCE.match(line):
            fenced = line.lstrip().startswith(("```", "~~~")) and not fenced
            previous = ""
            continue
        if fenced:
            continue
        marked = _MD_HEADING.match(line)
        under = bool(_RST_LINE.match(line) and previous.strip() and len(line.strip()) >= len(previous.strip()) - 2)
        if marked or (under and len(previous) < 120):
            if under and body:
                body.pop()
            if heading:
                yield heading, "\n".join(body)
            heading, body = (marked.group(2) if marked else previous.strip()), []
        elif not line.startswith(("    ", "\t", "|", "..", "import ", "![")) and not _RST_LINE.match(line):
            body.append(line)
        previous = line
    if heading:
        yield heading, "\n".join(body)


def sentences(body: str) -> Iterator[str]:
    """The sentences of a piece of prose that stand alone: not too short, not too long, English."""
    for paragraph in re.split(r"\n\s*\n|\n\s*[-*+] |\n\s*\d+\. ", body):
        for sentence in _END.split(clean(paragraph)):
            if 25 <= len(sentence) <= 260 and len(sentence.split()) >= 5 and is_english(sentence):
                yield sentence


def definitions(source: str) -> Iterator[tuple[str, ...]]:
    """A comment that stands before a definition, with the code of that definition."""
    lines = source.splitlines()
    comment: list[str] = []
    block = False
    for at, line in enumerate(lines):
        bare = line.strip()
        if block or bare.startswith("/*"):
            if not block:
                comment = []
            block = "*/" not in bare
            comment.append(bare.strip("/* "))
        elif bare.startswith(("//", "# ", "///")):
            comment.append(bare.lstrip("/#! "))
        elif bare.startswith(("@", "#[")):
            continue
        else:
            if comment and _DEFINITION.match(line):
                first = clean(re.split(r"\n\s*\n|\n@", "\n".join(comment).strip())[0])
                code = _block(lines, at)
                good = 20 <= len(first) <= 300 and len(first.split()) >= 4 and is_english(first)
                if good and code.count("\n") >= 2 and "copyright" not in first.lower():
                    yield "code", first[:220], code[:600]
            comment = []


def _block(lines: list[str], start: int) -> str:
    """From a definition to the line that closes it, or for 24 lines."""
    depth = 0
    for at in range(start, min(start + 24, len(lines))):
        depth += lines[at].count("{") - lines[at].count("}")
        closes = lines[at].strip() in ("end", "}", "};") and depth <= 0
        if closes or (at > start and not lines[at].strip() and depth <= 0):
            return "\n".join(lines[start : at + 1])
    return "\n".join(lines[start : start + 24])


def inline_comments(source: str, mark: str) -> Iterator[tuple[str, ...]]:
    """A comment within code, with the lines that follow it up to a gap."""
    lines = source.splitlines()
    at = 0
    while at < len(lines):
        if lines[at].startswith((" ", "\t")) and lines[at].strip().startswith(f"{mark} "):
            start = at
            while at < len(lines) and lines[at].strip().startswith(mark):
                at += 1
            said = clean(" ".join(line.strip().lstrip("/# ") for line in lines[start:at]))
            code = []
            for line in lines[at : at + 8]:
                if not line.strip() or line.strip().startswith(mark):
                    break
                code.append(line)
            if 30 <= len(said) <= 300 and len(said.split()) >= 6 and is_english(said) and len(code) >= 2:
                yield "comment", said[:220], "\n".join(code)[:400]
        else:
            at += 1
