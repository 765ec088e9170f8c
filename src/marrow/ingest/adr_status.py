"""The status of a decision as people write it, and the other records that it names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..model.errors import Invalid
from .dates import When, dates_in
from .lazy_pattern import LazyPattern
from .sections import plain

# What a record has in which nobody chose one of those that its template offers.
UNDECIDED = "undecided"
STATUSES = (UNDECIDED, "draft", "proposed", "accepted", "rejected", "deprecated", "superseded", "abandoned", "archived")
REFERENCES_MAX = 20
# English first; then what records say in German, French, Spanish, Italian, Portuguese, Russian, Chinese, Japanese and
# Korean.
_SPELLINGS = {
    "draft": "draft wip drafted unfinished entwurf brouillon borrador bozza rascunho черновик 草稿 草案 ドラフト "
    "下書き 초안",
    "proposed": "proposed proposal pending review open rfc discussion discussing requested candidate suggested "
    "provisional vorgeschlagen proposé proposée propuesto propuesta proposto proposta предложено предложен предложена "
    "предложение 提议 提议中 提案 提案中 提議 待定 评审中 検討中 제안 제안됨",
    "accepted": "accepted accept approved adopted decided agreed active final finalized finalised implemented done "
    "implementable complete completed ratified enacted current akzeptiert angenommen beschlossen accepté acceptée "
    "adopté adoptée aceptado aceptada aprobado aprobada accettato accettata aceito aceita aprovado aprovada принято "
    "принят принята "
    "утверждено одобрено 已接受 接受 已采纳 采纳 已採納 已通过 已批准 已决定 承認 承認済み 承認済 採用 採択 "
    "決定済み 승인 승인됨 채택",
    "rejected": "rejected reject declined refused denied abgelehnt verworfen rejeté rejetée refusé refusée "
    "rechazado rechazada rifiutato rifiutata rejeitado rejeitada отклонено отклонен отклонён отклонена отвергнуто "
    "已拒绝 拒绝 已否决 否决 却下 不採用 거부 거부됨",
    "deprecated": "deprecated obsolete retired outdated veraltet überholt obsolète déprécié obsoleto obsoleta "
    "deprecato устарело устарел устарела 已弃用 弃用 已废弃 废弃 废止 非推奨 廃止",
    "superseded": "superseded superceded superseeded replaced obsoleted overridden ersetzt abgelöst remplacé "
    "remplacée reemplazado reemplazada sustituido sustituida sostituito sostituita substituído substituída заменено "
    "заменен заменён заменена 已取代 取代 已替代 替代 被取代 被替代 대체됨",
    "abandoned": "abandoned withdrawn cancelled canceled dropped postponed deferred zurückgezogen abandonné "
    "abandonnée ritirato отозвано отменено 已撤回 撤回 取り下げ",
    "archived": "archived archiviert archivé archivée archivado архивировано 已归档 归档",
}
_NAMES = {word: status for status, words in _SPELLINGS.items() for word in words.split()}
_WORD = re.compile(r"[^\W\d_]+")
_IMPLEMENTATION = LazyPattern(r"\b(not(?:\s+yet)?|partially|partly|fully)?[\s-]{0,3}implemented\b", re.I)
# Several at once, to choose from: a template's. Two are, where nothing else stands on the line.
_TWO = LazyPattern(r"(?P<one>[^\W\d_]+)[ \t]*\\?\|[ \t]*(?P<other>[^\W\d_]+)\W*\Z")
_CHOICE = LazyPattern(r"\w+[ \t]*\|[ \t]*\w+[^\n]*\|")
_CHOSEN = LazyPattern(r"(?:\*\*|__)[ \t]*(?P<name>\w+)[ \t]*(?:\*\*|__)")
_PROMPT = LazyPattern(r"\?[ \t]*\Z|\b(?:such as|e\.g\.?|one of|etc|or)\b", re.I)
_SLASHED = LazyPattern(r"(?P<one>[^\W\d_]+)[ \t]*/[ \t]*(?=(?P<other>[^\W\d_]+))")
_CHOICES_MIN = 3
# A day beside this is not that of the status.
_TO_COME = LazyPattern(r"\b(?:to|will)[ \t]{1,3}be\b", re.I)
_BOX = LazyPattern(r"\[(?P<mark>[ xX✓✔]?)\](?!\()")
_ARROW = LazyPattern(r"→|[-=]>")
_PIECES = LazyPattern(r"[,;→]|[-=]>")
# A status and when it was reached, and nothing else: "Accepted, now deprecated (since May 2024)".
_PARTS = LazyPattern(r"[,;()]|\.(?!\d)|[ \t][-–—][ \t]|\b(?:and|but)\b", re.I)
_REACHED = LazyPattern(
    r"\W{0,3}(?:(?:now|later|then|since|meanwhile)[ \t]{1,3})?(?P<name>[^\W\d_]+)"
    r"(?:[ \t]{1,3}(?:(?:in|on|since|as of)[ \t]{1,3})?(?:[^\W\d_]{1,12}[ \t]{1,3}){0,2}\d[\d./-]{0,12})?\W{0,3}",
    re.I,
)
_RELATION = LazyPattern(
    r"(?P<superseded_by>(?:superseded|superceded|superseeded|replaced|obsoleted|overridden|deprecated)[ \t]{1,3}"
    r"(?:by|in[ \t]favou?r[ \t]of)"
    r"|replacement(?:[ \t]is)?:|(?:ersetzt|abgelöst)[ \t]{1,3}durch|remplacée?[ \t]{1,3}par"
    r"|(?:reemplazad|sustituid)[oa][ \t]{1,3}por|замен(?:[её]н[ао]?|яется)(?:[ \t]{1,3}(?:на|решением))?(?=[ \t])"
    r"|被(?=[^\n]{1,60}(?:取代|替代|替换|替換)))"
    r"|(?P<supersedes>\b(?:supersedes?|supercedes?|replaces|obsoletes|overrides|заменяет)\b|取代(?=[ \t]{0,3}\[?ADR))"
    r"|(?P<amended_by>\b(?:amended|extended|refined|clarified)[ \t]{1,3}by\b)"
    r"|(?P<amends>\b(?:amends|extends|refines|clarifies)\b)",
    re.I,
)
# Before a status: that it was not reached.
_DENIED = frozenset(("not", "never", "не", "nicht", "nie"))
_YET = frozenset(("yet", "been", "ever", "formally", "officially"))
_NOT_REACHED = frozenset(("be", "partially", "partly", "supersedes"))
# What is judged of a record (that it is not implemented yet says nothing of that), and what it no longer is.
_JUDGED = frozenset(("accepted", "approved", "adopted", "agreed", "ratified", "decided"))
_HOLDING = frozenset(("valid", "applicable", "relevant", "applies", "current", "used", "followed"))
# What stands before such a word: that it is to come, is not so, or only in part.
_NOT_SO = LazyPattern(r"\b(?:be|not|never|will|would|may|might|could|can|should|to)[ \t]{1,3}\Z", re.I)
_IN_PART = LazyPattern(r"\b(?:partially|partly|in[ \t]part)[ \t]{1,3}\Z", re.I)
_PARTLY = {"superseded_by": "amended_by", "supersedes": "amends"}
_BEFORE_WITHIN = 20
# Between two records: the second is only mentioned.
_ASIDE = LazyPattern(r";|\.[ \t]|\b(?:see|related|relates|cf|depends|builds|based|because|due|unlike|but|not)\b", re.I)
_REFERENCE = LazyPattern(
    r"\[(?P<text>[^\]\n]{0,200})\]\((?P<target>[^)\s]{1,400})\)"
    r"|\badr[\s_#-]{0,3}0*(?P<number>\d{1,5})\b(?!\.md)"
    r"|(?P<file>[\w./-]{0,200}\d[\w-]{0,100}\.(?:md|rst|adoc|markdown))"
    r"|(?<![\w#/.-])#?0*(?P<bare>\d{1,5})\b(?![./-]\d)",
    re.I,
)
_IN_NAME = LazyPattern(r"(?:adr[-_ ]?)?0*(\d{1,5})(?=[-_. ]|\Z)(?!-\d\d-\d\d)", re.I)
_IN_TEXT = LazyPattern(r"(?:adr[\s_#-]{0,3})?0*(\d{1,5})\b(?!-\d\d)", re.I)


@dataclass(frozen=True, slots=True)
class Status:
    """One of STATUSES or "", how it was said, whether it was carried out, and the date beside it."""

    name: str = ""
    said: str = ""
    implementation: str = ""
    date: When | None = None


NONE = Status()


@dataclass(frozen=True, slots=True)
class Named:
    """The records that a record says it stands for or gives way to."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()


def read_status(said: str) -> Status:
    """The status that holds: what it was superseded by goes before all; in a list with dates, the last one; of
    two on a line, the one that went further; else the first that is named."""
    lines = list(_said_lines(said[:4_000]))
    if len(lines) == 1 and _are_two(lines[0]):
        return Status(UNDECIDED)
    if not lines or _CHOICE.search("\n".join(lines)[:400]):
        return Status(UNDECIDED) if _is_offered(said[:4_000]) else NONE
    whole = "\n".join(lines)
    pieces = [piece for line in lines[:40] for piece in _stages(line)]
    found = [(name, _reached_on(piece)) for piece in pieces for name in _names_in(piece)]
    dated = [one for one in found if one[1]]
    name, date = found[0] if found else ("", None)
    if name:
        name = _furthest(next((line for line in lines if any(_names_in(line))), ""), name)
    if len(dated) > 1:
        name, date = max(dated, key=lambda one: one[1].at if one[1] else 0)
        date = next((when for one, when in dated if one == "accepted"), date)
    if any(relation == "superseded_by" for relation, _ in _relations(whole)):
        name = "superseded"
    if len(lines) > 1 and ("superseded", None) in found:
        name = "superseded"
    carried = _IMPLEMENTATION.search(whole)
    extent = " ".join((carried[1] or "").lower().split()) if carried else ""
    implementation = f"{extent} implemented".strip().replace("partly", "partially") if carried else ""
    return Status(name, whole, implementation, date or (_reached_on(whole) if name else None))


def asked_status(said: str) -> Status:
    """What a caller says of one. What a record says may be a team's own word; from a form it is a slip."""
    name = said.strip().lower()
    found = Status(name, said) if name in STATUSES else read_status(said)
    if not found.name:
        raise Invalid(
            f"{said.strip()[:60]!r} is no status of a decision.",
            hint=f"One of {', '.join(STATUSES)}; or another word for one, such as approved or withdrawn.",
            field="status",
        )
    return found


def _reached_on(said: str) -> When | None:
    return None if _TO_COME.search(said) else next(dates_in(said), None)


def _said_lines(said: str) -> Iterator[str]:
    """The lines that say something: of boxes those that are ticked, of a choice what is set off, and no question of a
    template."""
    for raw in said.split("\n"):
        line = raw.lstrip(">-*+ \t") if not raw.lstrip().startswith("**") else raw.strip()
        boxes = list(_BOX.finditer(line))
        if boxes:
            ends = [*(box.start() for box in boxes[1:]), len(line)]
            ticked = (line[box.end() : end] for box, end in zip(boxes, ends, strict=True) if box["mark"].strip())
            line = " ".join((line[: boxes[0].start()], *ticked))
        elif line.count("|") > 1 and len(chosen := list(_CHOSEN.finditer(line))) == 1:
            line = chosen[0]["name"]
        told = plain(line)
        if told and not _is_prompt(told):
            yield told


def _is_prompt(line: str) -> bool:
    """Whether a line asks which status it is: it names several, of which none holds."""
    if len(_named(line)) < _CHOICES_MIN:
        return False
    # Between other words a slash is one of a date or a path.
    slashed = (pair.group("one", "other") for pair in _SLASHED.finditer(line[:300].lower()))
    return bool(_PROMPT.search(line[:300])) or any(one in _NAMES and other in _NAMES for one, other in slashed)


def _is_offered(said: str) -> bool:
    """Whether several statuses stand side by side, to choose from. Those of a table are told one after the other."""
    lines = (said,) if _BOX.search(said) else said.split("\n")
    return any(len(_named(line)) >= _CHOICES_MIN for line in lines)


def _are_two(line: str) -> bool:
    """Whether a line is two statuses side by side: Accepted | Rejected."""
    two = _TWO.match(line)
    names = {_NAMES.get(word.lower()) for word in two.groups()} if two else set()
    return len(names) == 2 and None not in names


def _named(text: str) -> set[str]:
    """The statuses that are named, whether they hold or not."""
    return {_NAMES[word] for word in _WORD.findall(text[:300].lower()) if word in _NAMES}


def _stages(line: str) -> list[str]:
    """A line, or where it tells several stages those of which one counts: by their dates, or the last one."""
    if _ARROW.search(line[:300]):
        pieces = _PIECES.split(line)
        if any(True for _ in dates_in(line)):
            return pieces
        return [piece for piece in pieces if any(_names_in(piece))][-1:]  # the last may only point somewhere
    return _PIECES.split(line) if sum(1 for _ in dates_in(line[:300])) > 1 else [line]


def _names_in(line: str) -> Iterator[str]:
    """The first status of a line that was reached. Where no other word says more, what is no longer accepted is
    deprecated, what is not accepted yet is proposed, and what is not accepted is rejected; "to be decided" is none."""
    before = earlier = otherwise = ""
    words = _WORD.findall(line[:300].lower())
    for small, following in zip(words, [*words[1:], ""], strict=False):
        # In German, the same word says that it replaces another.
        name = _NAMES.get(small) if small != "ersetzt" or following in ("", "durch", "von", "am") else None
        is_denied = before in _DENIED or (before in _YET and earlier in _DENIED)
        if before == "longer" and (name == "accepted" or small in _HOLDING):
            otherwise = otherwise or "deprecated"
        elif is_denied and small in _JUDGED:
            otherwise = otherwise or ("proposed" if "yet" in (before, following) else "rejected")
        elif small == "hold" and before == "on":
            otherwise = otherwise or "abandoned"
        elif name and before != "longer" and before not in _NOT_REACHED and before not in _DENIED:
            yield name
            return
        before, earlier = small, before
    if otherwise:
        yield otherwise


def _furthest(line: str, first: str) -> str:
    """Of the two that a line tells, the one that came of it: what was accepted may be deprecated now."""
    if len(_named(line)) >= _CHOICES_MIN:
        return first
    reached = (_REACHED.fullmatch(part.strip()) for part in _PARTS.split(line[:300]))
    names = (_NAMES.get(one["name"].lower(), "") for one in reached if one)
    return max((first, *filter(None, names)), key=STATUSES.index)


def _relations(line: str) -> Iterator[tuple[str, int]]:
    """What a line says of other records, and where the words for it end: not what is to come, or is not so."""
    for mark in _RELATION.finditer(line):
        before = line[max(0, mark.start() - _BEFORE_WITHIN) : mark.start()]
        relation = str(mark.lastgroup)
        if _IN_PART.search(before):
            yield _PARTLY.get(relation, relation), mark.end()
        elif not _NOT_SO.search(before):
            yield relation, mark.end()


def references_in(text: str, folder: PurePosixPath, given: Mapping[str, str]) -> Named:
    """The records that a text names, and how; `given` is what fields say of them."""
    found: dict[str, list[str]] = {"supersedes": [], "superseded_by": [], "amends": [], "amended_by": []}
    for relation, said in given.items():
        found[relation] += _references(said, folder)
    for line in text.split("\n")[:400]:
        looked_at = line[:2_000]
        starts = [mark.start() for mark in _RELATION.finditer(looked_at)]
        for relation, begin in _relations(looked_at):
            end = next((start for start in starts if start >= begin), 2_000)
            found[relation] += _references(looked_at[begin:end], folder)
    return Named(**{relation: tuple(dict.fromkeys(names))[:REFERENCES_MAX] for relation, names in found.items()})


def _references(said: str, folder: PurePosixPath) -> Iterator[str]:
    """The records that are listed; what stands after "see also" is only mentioned."""
    last = 0
    for match in _REFERENCE.finditer(said[:2_000]):
        if last and _ASIDE.search(said[last : match.start()]):
            return
        last = match.end()
        if match["number"]:
            yield f"ADR-{int(match['number'])}"
        elif match["target"] or match["file"]:
            if name := _from_link(match["text"] or "", match["target"] or match["file"], folder):
                yield name
        elif match["bare"] and not _is_year(match["bare"], said):
            yield f"ADR-{int(match['bare'])}"


def _is_year(digits: str, said: str) -> bool:
    return len(digits) == 4 and digits[:2] in ("19", "20") and f"0{digits}" not in said


def _from_link(text: str, target: str, folder: PurePosixPath) -> str:
    """By its number, which the file's name or the link's text has; else by its path. Issues are no records."""
    path = target.partition("#")[0]
    if re.match(r"https?:", path, re.I) and not path.lower().endswith((".md", ".rst", ".adoc", ".markdown", ".html")):
        return ""
    if found := _IN_NAME.match(PurePosixPath(path).stem) or _IN_TEXT.match(text.strip()):
        return f"ADR-{int(found[1])}"
    if not path or re.match(r"https?:", path, re.I):
        return ""
    return posixpath.normpath(posixpath.join(folder.as_posix(), path))
