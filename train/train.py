"""Trains both tiers of Marrow's embedder: one command, seeded, resumable.

    python train/pack_teacher.py MPNET_FOLDER MINILM_FOLDER        # once: both as int8 parts, into train/data/
    PYTHONPATH=src python train/train.py [--out train/out] [--final] [--tiny]

The stages, each kept in the folder `--out` when it is done, so that a second call goes on where the first was stopped:

1. the corpus, cut into tokens and units;
2. the teacher, tuned on the pairs; its vectors of every text, a projection of them to 256 dimensions, hard negatives;
3. the transformer, from MiniLM's weights;
4. the static tier, which learns from the transformer, so that both are in one space.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mpnet
import numpy as np
import torch
from batches import Bags, Draw, Tokens, all_vectors, autocast, hard_negatives
from encoder import OUT, Encoder, Static, schedule, student_of
from losses import contrast, losses
from measure import Encode, Questions, dense, dev, held_out, kept_out, library, paraphrases, shown
from mpnet import Mpnet, mpnet_from
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from tune import PAIRS as TUNED_PAIRS
from tune import Tuning, tuned

from corpus import QUESTION_TOKENS, Corpus, Ragged, Vocabulary, bags_of, load, tokens, units, vocabulary
from marrow.providers.units import Units

HERE = Path(__file__).parent
SHAPES = {
    "4x1536": ((0, 1, 3, 5), 1536),
    "5x1536": ((0, 1, 2, 4, 5), 1536),
    "6x1536": (range(6), 1536),
}
_STARTED = time.monotonic()


def say(text: str) -> None:
    print(f"[{time.monotonic() - _STARTED:6.1f} s] {text}", flush=True)


def read_packed(folder: Path, name: str) -> dict[str, Tensor]:
    """Weights kept as int8 in groups of 64 numbers with a scale each, in parts (see `pack_teacher`)."""
    pieces: dict[str, dict[int, np.ndarray]] = {}
    for path in sorted(folder.glob(f"{name}-[0-9].npz")):
        packed = np.load(path)
        for key in packed.files:
            table, _, at = key.rpartition("@")
            pieces.setdefault(table, {})[int(at)] = packed[key]
    tables = {name: np.concatenate([parts[at] for at in sorted(parts)]) for name, parts in pieces.items()}
    made = {}
    for name, table in tables.items():
        if f"{name}:scale" in tables:
            scale = tables[f"{name}:scale"].astype(np.float32)
            table = (table.reshape(-1, 64).astype(np.float32) * scale[:, None]).reshape(table.shape)
        if not name.endswith(":scale"):
            made[name] = torch.from_numpy(table.astype(np.float32))
    return made


@torch.no_grad()
def projection_of(vectors: Tensor) -> Tensor:
    """The 256 directions that keep most of the teacher's vectors (not centred, so that cosines stay)."""
    some = vectors[torch.randperm(len(vectors), device=vectors.device)[:300_000]].float()
    _, directions = torch.linalg.eigh(some.T @ some / len(some))
    return directions.flip(1)[:, :OUT].T.contiguous().clone()


@torch.no_grad()
def fit_last_matrix(student: Encoder, tokens_of: Tokens, target: Tensor, count: int) -> float:
    """By least squares, from the mean of the tokens to where the teacher is. Gives the mean cosine that it reaches."""
    device = target.device
    chosen = torch.randperm(len(target), device=device)[:count]
    student.eval()
    means = []
    for some in chosen.split(2048):
        ids, mask = tokens_of.batch(some, 128)
        with autocast(device):
            means.append(student.pooled(ids, mask).float())
    mean = torch.cat(means)
    wanted = target[chosen].float()
    square = (mean.T @ mean).double() / len(mean)
    square += 1e-4 * square.diagonal().mean() * torch.eye(len(square), device=device)
    matrix = torch.linalg.solve(square, (mean.T @ wanted).double() / len(mean)).float()
    assert student.dense is not None
    student.dense.weight.copy_(matrix.T)
    return float((functional.normalize(mean @ matrix, dim=1) * wanted).sum(1).mean())


@dataclass
class Stage:
    """What both students learn from."""

    corpus: Corpus
    tokens_of: Tokens
    draw: Draw
    known: Tensor  # the teacher's vectors: which texts are alike
    target: Tensor  # where each text is to be
    trust: Tensor
    group: Tensor


def train_transformer(student: Encoder, stage: Stage, options: argparse.Namespace, checkpoint: Path) -> None:
    device, draw, tokens_of = stage.known.device, stage.draw, stage.tokens_of
    optimiser = torch.optim.AdamW(
        student.parameters(), lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=device.type == "cuda"
    )
    first = 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, map_location=device)
        student.load_state_dict(kept["student"])
        optimiser.load_state_dict(kept["optimiser"])
        draw.chance.set_state(kept["chance"].cpu())
        first = kept["step"]
        say(f"going on at step {first}")
    student.train()
    total = torch.zeros((), device=device)
    for step in range(first, options.steps):
        for group in optimiser.param_groups:
            group["lr"] = options.rate * schedule(step, options.steps)
        student.quantise(step > 0.88 * options.steps)
        asked, right, wrong, alone = draw(options.pairs, options.alone)
        numbers = torch.cat([asked, right, wrong, alone])
        with autocast(device):
            made = tokens_of.encode(
                student, (asked, torch.cat([right, wrong]), alone), (QUESTION_TOKENS, options.longest, QUESTION_TOKENS)
            )
        loss = losses(made, numbers, options.pairs, stage.known, stage.target, stage.trust, stage.group, options.share)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()
        total += loss.detach()
        late = options.seconds and time.monotonic() - _STARTED > options.seconds
        if (step + 1) % options.every == 0:
            say(f"transformer step {step + 1}: loss {total.item() / options.every:.4f}")
            total.zero_()
        if late or (step + 1) % options.every == 0:
            state = {"student": student.state_dict(), "optimiser": optimiser.state_dict()}
            torch.save({**state, "chance": draw.chance.get_state(), "step": step + 1}, checkpoint)
        if late:
            say(f"stopped after step {step + 1}, as asked; the next call goes on")
            sys.exit(0)
    student.quantise(False)


def train_static(
    model: Static, bags: Bags, stage: Stage, options: argparse.Namespace, share: float, rate: float, steps: int
) -> None:
    """It learns from the transformer's vectors (`target`), which are in the space that it is to be in."""
    target, pairs = stage.target, options.static_pairs
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.99))
    total = torch.zeros((), device=target.device)
    model.train()
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate * schedule(step, steps)
        model.quantised = step > 0.8 * steps
        numbers = torch.cat(stage.draw(pairs, pairs))
        made = bags.encode(model, numbers, options.static_drop)
        loss = losses(made, numbers, pairs, stage.known, target, stage.trust, stage.group, share)
        # A question of this tier must also find texts of the other, and the other way round.
        right = numbers[pairs : 2 * pairs]
        theirs = target[right].float()
        alike = stage.group[right][None, :] == stage.group[right][:, None]
        loss = loss + 0.5 * share * contrast(made[:pairs], theirs, made[:0], theirs, alike)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        total += loss.detach()
        if (step + 1) % (4 * options.every) == 0:
            say(f"static step {step + 1}: loss {total.item() / (4 * options.every):.4f}")
            total.zero_()
    model.quantised = False


@torch.no_grad()
def first_rows(student: Encoder, tokenizer: Tokenizer, vocab: Vocabulary, device: torch.device) -> Tensor:
    """What the transformer says of each unit alone."""
    tokens_of = Tokens(tokens(tokenizer, vocab.texts, 16), device)
    return all_vectors(student, tokens_of, len(vocab.texts), device).float()


class Measure:
    """The figures of a model on sets of questions. Those of `chosen_by` decide between settings, the others do not."""

    def __init__(self, tokenizer: Tokenizer, vocab: Vocabulary, device: torch.device, tiny: bool) -> None:
        self._tokenizer, self._device = tokenizer, device
        self._units = Units(tokenizer, vocab.pieces, vocab.words, vocab.pairs)
        self._tiny = tiny
        # By the lists of `chosen_by` and `told`, which live as long as this does.
        self._bags: dict[int, Bags] = {}
        self._tokens: dict[int, Tokens] = {}
        self.chosen_by = self._small([dev(), kept_out(), *held_out(HERE / "data")])
        self.told = self._small([library(), *paraphrases()])

    def _small(self, sets: list[Questions]) -> list[Questions]:
        return [one.first(20) for one in sets] if self._tiny else sets

    def by(self, model: Encoder | Mpnet) -> Encode:
        def encode(texts: Sequence[str]) -> np.ndarray:
            if id(texts) not in self._tokens:
                self._tokens[id(texts)] = Tokens(tokens(self._tokenizer, texts, 256), self._device)
            return all_vectors(model, self._tokens[id(texts)], len(texts), self._device).float().cpu().numpy()

        return encode

    def int8(self, student: Encoder) -> Encode:
        def encode(texts: Sequence[str]) -> np.ndarray:
            student.quantise(True)
            made = self.by(student)(texts)
            student.quantise(False)
            return made

        return encode

    def by_rows(self, model: Static) -> Encode:
        @torch.no_grad()
        def encode(texts: Sequence[str]) -> np.ndarray:
            if id(texts) not in self._bags:
                self._bags[id(texts)] = Bags(*bags_of([self._units.rows(text) for text in texts]), self._device)
            numbers = torch.arange(len(texts), device=self._device)
            return self._bags[id(texts)].encode(model, numbers).cpu().numpy()

        return encode

    def mean(self, encode: Encode) -> tuple[float, str]:
        """The mean MRR of the sets that decide, and each one's."""
        found = {one.name: dense(one, encode, encode)["MRR"] for one in self.chosen_by}
        return sum(found.values()) / len(found), ", ".join(f"{name} {value:.3f}" for name, value in found.items())

    def table(self, ways: Mapping[str, tuple[Encode, Encode]], sets: Sequence[Questions]) -> str:
        return shown({way: {one.name: dense(one, *models) for one in sets} for way, models in ways.items()})


def save_parts(tables: Mapping[str, np.ndarray], folder: Path, name: str) -> None:
    """As float16, in files below 15 MB."""
    part: dict[str, np.ndarray] = {}
    number, size = 0, 0
    pieces: list[tuple[str, np.ndarray]] = []
    for key, table in tables.items():
        table = table.astype(np.float16) if table.dtype == np.float32 else table
        for at, some in enumerate(np.array_split(table, max(1, -(-table.nbytes // 12_000_000)))):
            pieces.append((f"{key}@{at:03d}", some))
    for key, table in pieces:
        if size + table.nbytes > 14_500_000:
            np.savez(folder / f"{name}-{number}.npz", **part)
            part, size, number = {}, 0, number + 1
        part[key] = table
        size += table.nbytes
    np.savez(folder / f"{name}-{number}.npz", **part)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    parser.add_argument("--name", default="marrow", help="of this student, so that several can share the first stages")
    parser.add_argument("--shape", choices=SHAPES, default="6x1536")
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--tune-steps", type=int, default=1_000, help="of the teacher")
    parser.add_argument("--tune-rate", type=float, default=4e-5)
    parser.add_argument("--tune-hold", type=float, default=0.5, help="weight of what keeps the teacher where it was")
    parser.add_argument("--steps", type=int, default=2_400)
    parser.add_argument("--pairs", type=int, default=1_024, help="in a step of the transformer")
    parser.add_argument("--alone", type=int, default=1_024, help="lone texts in a step of the transformer")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--fitted", type=int, default=60_000, help="texts that the last matrix is fitted to at first")
    parser.add_argument("--static-steps", type=int, default=3_000)
    parser.add_argument("--static-pairs", type=int, default=4_096)
    parser.add_argument("--static-rate", type=float, default=5e-4)
    parser.add_argument("--static-share", type=float, default=1.0)
    parser.add_argument("--static-drop", type=float, default=0.1, help="share of units left out in training")
    parser.add_argument("--static-known", choices=("transformer", "teacher"), default="teacher")
    parser.add_argument("--trials", action="store_true", help="try the settings of TRIALS for the static tier too")
    parser.add_argument("--longest", type=int, default=128, help="tokens of a text in training")
    parser.add_argument("--every", type=int, default=500, help="steps between two reports and checkpoints")
    parser.add_argument(
        "--seconds", type=int, default=0, help="stop the transformer after so long; call again to go on"
    )
    parser.add_argument("--stop-after", choices=("cut", "tune", "transformer"), help="do not go on from there")
    parser.add_argument("--final", action="store_true", help="measure on the standard library and paraphrases as well")
    parser.add_argument("--tiny", action="store_true", help="a smoke test on a two-thousandth of the data")
    options = parser.parse_args()
    if options.tiny:
        options.steps, options.static_steps, options.pairs, options.alone, options.every = 4, 8, 16, 16, 2
        options.static_pairs, options.tune_steps = 64, 4
        options.fitted, mpnet.LAYERS = 100, 1
    return options


# Settings of the static tier that `--trials` compares with the one that the options say: share, rate, steps, known.
TRIALS = ((0.6, 5e-4, 1_500, "teacher"),)


def prepare(
    options: argparse.Namespace, tokenizer: Tokenizer, jobs: int
) -> tuple[Corpus, Vocabulary, Ragged, Ragged, Ragged]:
    """The corpus, the static tier's vocabulary, its units of each text with their weights, and the tokens of each."""
    cut = options.out / "corpus.pickle"
    if cut.exists():
        with cut.open("rb") as file:
            return pickle.load(file)
    corpus = load(options.data, options.seed, 0.0005 if options.tiny else 1.0)
    say(f"{len(corpus.texts)} texts, {len(corpus.answer)} pairs")
    vocab = vocabulary(tokenizer, corpus.texts, jobs)
    rows, weights = units(tokenizer, vocab, corpus.texts, jobs)
    made = tokens(tokenizer, corpus.texts, jobs=jobs)
    with cut.with_suffix(".part").open("wb") as file:
        pickle.dump((corpus, vocab, rows, weights, made), file, protocol=5)
    cut.with_suffix(".part").rename(cut)
    say("the corpus is cut")
    return corpus, vocab, rows, weights, made


def best_teacher(
    options: argparse.Namespace, corpus: Corpus, tokens_of: Tokens, measure: Measure, device: torch.device
) -> Mpnet:
    """MPNet, tuned on the pairs if that helps."""
    kept = options.out / "tuned.pt"
    if kept.exists():
        return mpnet_from(torch.load(kept, map_location=device)).to(device)
    weights = read_packed(options.data, "mpnet")
    teacher = mpnet_from(weights).to(device)
    before, told = measure.mean(measure.by(teacher))
    say(f"teacher as it came: {before:.4f} ({told})")
    ways = {"mpnet": (measure.by(teacher), measure.by(teacher))}
    if options.tune_steps:
        pairs = min(TUNED_PAIRS, options.pairs)
        tuning = Tuning(options.tune_steps, pairs, options.tune_rate, options.tune_hold, options.longest, options.seed)
        learnt = tuned(weights, corpus, tokens_of, device, tuning, say)
        after, told = measure.mean(measure.by(learnt))
        say(f"teacher, tuned: {after:.4f} ({told})")
        ways["mpnet, tuned"] = (measure.by(learnt), measure.by(learnt))
        teacher = learnt if after > before else teacher
    if options.final:
        print(measure.table(ways, measure.told), flush=True)
    torch.save(teacher.state_dict(), kept)
    return teacher


def taught(
    options: argparse.Namespace, corpus: Corpus, tokens_of: Tokens, measure: Measure, device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """The teacher's vectors of all texts, the projection and the hard negatives."""
    prepared = options.out / "teacher.pt"
    if prepared.exists():
        return torch.load(prepared, map_location=device)
    teacher = best_teacher(options, corpus, tokens_of, measure, device)
    known = all_vectors(teacher, tokens_of, len(corpus.texts), device)
    say("teacher's vectors are made")
    projection = projection_of(known)
    negatives = hard_negatives(known, corpus, device)
    torch.save((known, projection, negatives), prepared)
    return known, projection, negatives


def settings(options: argparse.Namespace) -> Iterable[tuple[float, float, int, str]]:
    yield options.static_share, options.static_rate, options.static_steps, options.static_known
    if options.trials:
        yield from TRIALS


def static_tier(
    options: argparse.Namespace, student: Encoder, stage: Stage, bags: Bags, first: Tensor, measure: Measure
) -> Static:
    """The static tier of the options, or the best of several by the mean of the sets that decide."""
    device = first.device
    target = all_vectors(student, stage.tokens_of, len(stage.corpus.texts), device)
    negatives = hard_negatives(target, stage.corpus, device)
    best: tuple[float, Static] | None = None
    for share, rate, steps, known in settings(options):
        if options.tiny:
            steps = options.static_steps
        torch.manual_seed(options.seed)
        model = Static(first.clone()).to(device)
        learns = Stage(
            stage.corpus, stage.tokens_of, Draw(stage.corpus, negatives, device, options.seed),
            target if known == "transformer" else stage.known, target, torch.ones_like(stage.trust), stage.group,
        )  # fmt: skip
        train_static(model, bags, learns, options, share, rate, steps)
        mean, told = measure.mean(measure.by_rows(model))
        say(f"static tier, share {share}, rate {rate}, {steps} steps, alike by the {known}: {mean:.4f} ({told})")
        if best is None or mean > best[0]:
            best = mean, model
    assert best is not None
    return best[1]


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = max(1, min(16, os.cpu_count() or 1))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    tokenizer = Tokenizer.from_file(str(options.data / "tokenizer.json"))
    corpus, vocab, rows, weights, made = prepare(options, tokenizer, jobs)
    if options.stop_after == "cut":
        return
    tokens_of = Tokens(made, device)
    say(f"{len(corpus.texts)} texts, {len(corpus.answer)} pairs, {len(tokens_of.values)} tokens on {device}")
    measure = Measure(tokenizer, vocab, device, options.tiny)
    if options.stop_after == "tune":
        best_teacher(options, corpus, tokens_of, measure, device)
        return
    known, projection, negatives = taught(options, corpus, tokens_of, measure, device)
    target = functional.normalize(known.float() @ projection.T, dim=1).half()
    kept = float((known[:20_000].float() @ projection.T).norm(dim=1).mean())
    say(f"hard negatives are mined; the projection keeps {kept:.4f} of a vector's length")
    trust, group = (torch.from_numpy(table).to(device) for table in (corpus.weight, corpus.group))
    draw = Draw(corpus, negatives, device, options.seed)
    stage = Stage(corpus, tokens_of, draw, known, target, trust, group)

    finished = options.out / f"{options.name}-transformer.pt"
    layers, wide = SHAPES[options.shape]
    student = student_of(read_packed(options.data, "minilm"), list(layers), wide).to(device)
    if finished.exists():
        student.load_state_dict(torch.load(finished, map_location=device))
    else:
        step = options.out / f"{options.name}-step.pt"
        if not step.exists():
            say(f"MiniLM, turned by a matrix: cosine {fit_last_matrix(student, tokens_of, target, options.fitted):.4f}")
        train_transformer(student, stage, options, step)
        torch.save(student.state_dict(), finished)
        step.unlink(missing_ok=True)
    say(f"transformer {options.shape}: {sum(p.numel() for p in student.parameters()):,} parameters")
    tables = {name: table.cpu().numpy() for name, table in student.state_dict().items()}
    save_parts(tables, options.out, f"{options.name}-transformer")
    transformer = measure.by(student)
    mean, told = measure.mean(transformer)
    say(f"transformer: {mean:.4f} ({told})")
    if options.stop_after == "transformer":
        return

    bags, first = Bags(rows, weights, device), first_rows(student, tokenizer, vocab, device)
    model = static_tier(options, student, stage, bags, first, measure)
    save_parts({"rows": model.table.weight.detach().cpu().numpy()}, options.out, f"{options.name}-static")
    listed = {"pieces": vocab.pieces, "words": vocab.words, "pairs": vocab.pairs}
    (options.out / f"{options.name}-vocabulary.json").write_text(json.dumps(listed))
    as_int8, static = measure.int8(student), measure.by_rows(model)
    ways = {
        "transformer": (transformer, transformer),
        "transformer, as int8": (as_int8, as_int8),
        "static": (static, static),
        "static asks transformer": (static, transformer),
        "transformer asks static": (transformer, static),
    }
    print(measure.table(ways, [*measure.chosen_by, *(measure.told if options.final else ())]), flush=True)
    say("done")


if __name__ == "__main__":
    main()
