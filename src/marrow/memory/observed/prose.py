"""What a person wrote in a prompt: sentences, without code, logs, quotations and what the host put there."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from .lines import one_line, plain, unmarked

PROMPT_READ = 12_000
SENTENCE_MAX = 600
_BLOCKS = re.compile(
    r"```[\s\S]*?(?:```|\Z)|~~~[\s\S]*?(?:~~~|\Z)|"
    r"<(system-reminder|local-command-\w+|command-\w+|task-notification|bash-\w+|private|ide_\w+|"
    r"user-prompt-submit-hook|"
    r"environment_context|context|document|file|log|pre|code)\b[^>]*>[\s\S]*?(?:</\1>|\Z)",
    re.I,
)
_NOT_OF_THE_USER = re.compile(
    r"\s*(?:This session is being continued from a previous conversation|\[Request interrupted|Caveat: The messages "
    r"below|"
    r"/\w[\w:-]*(?:\s|\Z)|<task-notification|\[SYSTEM)",
    re.I,
)
_LOG_LINE = re.compile(
    r"\s*(?:>|\||\+\+\+|---|@@ |diff --git|[+-] {2,}\S|\$ |# \$|at \S+ ?\(|File \"|Traceback|E  +|\d{4}-\d\d-\d\d[T "
    r"]\d\d:\d\d|"
    r"\[?\d\d:\d\d:\d\d|\[\w+\]\s|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b[ :\]]|npm (?:ERR|WARN)|\w*(?:Error|"
    r"Exception): |"
    r"FAILED |PASSED |FAIL\b|PASS\b|[✓✕✗✔×●]|panic: |goroutine \d|thread '|Caused by: |\.\.\. \d+ more|Exit (?:code|"
    r"status)|"
    r"(?:added|removed|changed|audited|updated) \d+ packages?|\d+ (?:packages? (?:are|is)|vulnerabilit|passed|failed)|"
    r"found \d+ vulnerabilit|up to date, |run `npm |Successfully (?:installed|built|uninstalled)|Requirement already|"
    r"Collecting \S+\Z|Downloading |Installing collected|Compiling \S+ v|Tests: +\d|Test Suites: |Snapshots: |"
    r"(?:Expected|"
    r"Received): |[\w.]+(?:Error|Exception|Timeout)\Z|"
    r"={4,}|-{4,}|_{4,}|\d+ \||[{}\[\]();,]+\s*\Z|(?:import|from|def|class|function|const|let|var|"
    r"return|if|for)"
    r"\b.*[;:{(]\s*\Z|[\w./-]+:\d+:\d+)"
)
# Of these lines, those that others of the same output follow.
_TROUBLE_LINE = re.compile(
    r"\s*(?:at \S+ ?\(|File \"|Traceback|E  +|(?:ERROR|FATAL)\b[ :\]]|npm ERR|\w*(?:Error|Exception): |FAILED |panic: |"
    r"goroutine \d|thread '|Caused by: )"
)
# How somebody begins who goes on right below what was pasted, and no program does.
_OWN_WORDS = re.compile(
    r"\s*(?:[-*•] )?(?:(?:please|also|and|so|btw|ok|note)[,: ]+)*(?:remember\b|always\b|never\b|from now on\b|"
    r"in (?:this|our) (?:project|repo|repository|codebase)\b|we (?:always|never|only|use|don['’]?t|do not)\b|our )",
    re.I,
)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_INDENTED = re.compile(r"(?: {4}|\t)(?!\s*(?:[-*•]|\d+[.)]) )")
_BULLET = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)]|[a-z]\))\s+")
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bNo\.)(?<!\.\.\.)\s+(?=[\"'“(*`]?[A-Z0-9`“])|"
    r"(?<=[.!?])\s{2,}|(?<=[?!])\s+|(?<=[\w)`'\"][\w)`'\"]\.)(?<!etc\.)(?<!\bvs\.)(?<!\bca\.)(?<!\bincl\.)(?<!approx\.)"
    r"(?<!resp\.)(?<!\bNo\.)\s+(?=[a-z])|(?<=[。！？])|\s+(?:—|--)\s+(?=(?:remember|note|never|always)\b)"
)


class Sentence(NamedTuple):
    """`item` when it stands in a list, `paragraph` counts the paragraphs of the prompt."""

    text: str
    item: bool
    paragraph: int


def sentences(prompt: str) -> list[Sentence]:
    """The sentences of a prompt that the user wrote as such, in order."""
    if _NOT_OF_THE_USER.match(prompt):
        return []
    text = plain(prompt)
    if len(text) > PROMPT_READ:
        text = text[: PROMPT_READ * 2 // 3] + "\n\n" + text[-PROMPT_READ // 3 :]
    text = _BLOCKS.sub("\n\n", text)
    found: list[Sentence] = []
    for paragraph, lines in enumerate(_PARAGRAPHS.split(text)):
        found += _of_paragraph(lines.split("\n"), paragraph)
    return found


def _of_paragraph(lines: list[str], paragraph: int) -> list[Sentence]:
    """Where several lines are a program's, so is what stands between and behind them, unless it is plainly said."""
    pasted = [at for at, line in enumerate(lines) if _LOG_LINE.match(line) or _INDENTED.match(line)]
    if len(pasted) > 1 and any(_TROUBLE_LINE.match(lines[at]) for at in pasted):
        below = itertools.dropwhile(lambda line: not _OWN_WORDS.match(line), lines[pasted[-1] + 1 :])
        lines = [*lines[: pasted[0]], *below]
    found: list[Sentence] = []
    for line in lines:
        if _LOG_LINE.match(line) or _INDENTED.match(line):
            continue
        bullet = _BULLET.match(line)
        for part in _END.split(line[bullet.end() :] if bullet else line):
            said = unmarked(one_line(part)) if part else ""
            if said and len(said) <= SENTENCE_MAX:
                found.append(Sentence(said, bullet is not None, paragraph))
    return found
