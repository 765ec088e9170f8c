"""Trains both tiers of Marrow's embedder: one command, seeded, resumable.

    python train/pack_teacher.py MODEL_FOLDER        # once: the teacher, as int8, into train/data/teacher.npz
    python train/train.py [--out train/out] [--steps 2600] [--static-steps 1500] [--tiny]

The stages, each kept in the folder `--out` when it is done, so that a second call goes on where the first was stopped:

1. the teacher's vectors of every text, a projection of them to 256 dimensions, and hard negatives;
2. the transformer, from a part of the teacher's own weights;
3. the static tier, which learns from the transformer, so that both are in one space.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from encoder import OUT, Encoder, Static, schedule, student_of, teacher_from
from measure import Encode, dense, dev, held_out, library, paraphrases, shown
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from units import Units

from corpus import QUESTION_TOKENS, Corpus, Ragged, Vocabulary, bags_of, load, tokens, units, vocabulary

HERE = Path(__file__).parent
SHAPES = {
    "6x768": (range(6), 768),
    "4x1536": ((0, 1, 3, 5), 1536),
    "5x1024": ((0, 1, 2, 4, 5), 1024),
    "6x1536": (range(6), 1536),
}
# How often pairs of a kind are drawn, compared with others of the same number.
DRAWN = {
    "qa": 3.0,
    "doc": 1.2,
    "same": 1.0,
    "part": 0.6,
    "dict": 0.5,
    "comment": 0.7,
    "chat": 1.0,
    "python": 1.3,
    "way": 0.4,
}
TEMPERATURE = 0.05
_STARTED = time.monotonic()


def say(text: str) -> None:
    print(f"[{time.monotonic() - _STARTED:6.1f} s] {text}", flush=True)


def read_teacher(path: Path) -> dict[str, Tensor]:
    """The teacher's weights, kept as int8 in groups of 64 numbers with a scale each."""
    packed = np.load(path)
    made = {}
    for name in packed.files:
        if name.endswith(":scale"):
            continue
        table = packed[name]
        if f"{name}:scale" in packed:
            scale = packed[f"{name}:scale"].astype(np.float32)
            table = (table.reshape(-1, 64).astype(np.float32) * scale[:, None]).reshape(table.shape)
        made[name] = torch.from_numpy(table.astype(np.float32))
    return made


class Tokens:
    """The token ids of all texts on the device; makes padded batches, short texts beside short ones."""

    def __init__(self, made: Ragged, device: torch.device) -> None:
        self.values = torch.from_numpy(made.values.astype(np.int32)).to(device)
        self.starts = torch.from_numpy(made.starts).to(device)
        self.lengths = self.starts[1:] - self.starts[:-1]

    def batch(self, numbers: Tensor, longest: int) -> tuple[Tensor, Tensor]:
        lengths = self.lengths[numbers].clamp_max(longest)
        width = (int(lengths.max()) + 7) // 8 * 8
        places = torch.arange(width, device=numbers.device)
        mask = places[None, :] < lengths[:, None]
        at = (self.starts[numbers][:, None] + places[None, :]).clamp_max(len(self.values) - 1)
        return torch.where(mask, self.values[at], 0).long(), mask

    def encode(self, model: Encoder, numbers: Tensor, longest: int, size: int = 1024) -> Tensor:
        order = self.lengths[numbers].argsort()
        made = []
        for some in order.split(size):
            ids, mask = self.batch(numbers[some], longest)
            made.append(model(ids, mask))
        return torch.cat(made)[order.argsort()]


def autocast(device: torch.device) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


@torch.no_grad()
def all_vectors(model: Encoder, tokens_of: Tokens, count: int, device: torch.device) -> Tensor:
    model.eval()
    order = tokens_of.lengths.argsort()
    made: Tensor | None = None
    for some in order.split(2048):
        ids, mask = tokens_of.batch(some, 512)
        with autocast(device):
            vectors = model(ids, mask)
        if made is None:
            made = torch.empty(count, vectors.shape[1], dtype=torch.float16, device=device)
        made[some] = vectors.half()
    assert made is not None
    return made.clone()


@torch.no_grad()
def projection_of(vectors: Tensor) -> Tensor:
    """The 256 directions that keep most of the teacher's vectors (not centred, so that cosines stay)."""
    some = vectors[torch.randperm(len(vectors), device=vectors.device)[:300_000]].float()
    _, directions = torch.linalg.eigh(some.T @ some / len(some))
    return directions.flip(1)[:, :OUT].T.contiguous().clone()


@torch.no_grad()
def hard_negatives(vectors: Tensor, corpus: Corpus, device: torch.device, count: int = 24) -> Tensor:
    """For each pair, texts that the teacher finds near the question, but not so near as to be right as well."""
    asked = torch.from_numpy(corpus.asked[:, 0]).to(device).long()
    answer = torch.from_numpy(corpus.answer).to(device).long()
    kinds = torch.from_numpy(corpus.kind).to(device)
    chosen = torch.empty(len(asked), count, dtype=torch.int32, device=device)
    for kind in kinds.unique():
        mine = (kinds == kind).nonzero()[:, 0]
        texts = vectors[answer[mine]]
        for some in mine.split(4096):
            near = vectors[asked[some]] @ texts.T
            right = (vectors[asked[some]] * vectors[answer[some]]).sum(1, keepdim=True)
            near[near > right.clamp_min(0.25) * 0.95] = -1  # may be an answer too, or is the answer
            best = near.topk(min(2 * count, near.shape[1]), dim=1).indices
            if best.shape[1] < count:
                best = best.repeat(1, count)
            chosen[some] = answer[mine][best[:, :count]].int()
    return chosen


class Draw:
    """Draws pairs by kind, a form of each question, a hard negative, and texts that stand alone."""

    def __init__(self, corpus: Corpus, negatives: Tensor, device: torch.device, seed: int) -> None:
        self.asked = torch.from_numpy(corpus.asked).to(device).long()
        self.answer = torch.from_numpy(corpus.answer).to(device).long()
        self.alone = torch.from_numpy(corpus.alone).to(device).long()
        self.negatives = negatives
        weights = torch.tensor([DRAWN.get(kind, 1.0) for kind in corpus.kinds])[torch.from_numpy(corpus.kind).long()]
        self.edges = weights.double().cumsum(0).to(device)
        self.chance = torch.Generator(device).manual_seed(seed)

    def __call__(self, pairs: int, alone: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        device, chance = self.answer.device, self.chance
        at = torch.rand(pairs, device=device, generator=chance, dtype=torch.float64) * self.edges[-1]
        which = torch.searchsorted(self.edges, at).clamp_max(len(self.answer) - 1)
        form = torch.multinomial(torch.tensor([0.5, 0.22, 0.28], device=device), pairs, True, generator=chance)
        worst = torch.randint(self.negatives.shape[1], (pairs,), device=device, generator=chance)
        rest = torch.randint(len(self.alone), (alone,), device=device, generator=chance)
        return self.asked[which, form], self.answer[which], self.negatives[which, worst].long(), self.alone[rest]


def contrast(asked: Tensor, right: Tensor, wrong: Tensor, known: Tensor, same: Tensor) -> Tensor:
    """InfoNCE both ways; texts that the teacher holds for the same as the answer are no negatives."""
    scores = asked @ torch.cat([right, wrong]).T / TEMPERATURE
    count = len(asked)
    alike = (known[:count] @ known.T) > 0.92
    alike |= same
    eye = torch.arange(count, device=asked.device)
    alike[eye, eye] = False
    target = torch.arange(count, device=asked.device)
    forth = functional.cross_entropy(scores.masked_fill(alike, -1e4), target)
    back = functional.cross_entropy(scores[:, :count].masked_fill(alike[:, :count], -1e4).T, target)
    return forth + 0.5 * back


def agreement(mine: Tensor, theirs: Tensor) -> Tensor:
    """KL between the two similarity matrices of a batch, row by row, each text against the others."""
    eye = torch.eye(len(mine), dtype=torch.bool, device=mine.device)
    ours = ((mine @ mine.T) / TEMPERATURE).masked_fill(eye, -1e4).log_softmax(1)
    wanted = ((theirs @ theirs.T) / TEMPERATURE).masked_fill(eye, -1e4).log_softmax(1)
    return functional.kl_div(ours, wanted, reduction="batchmean", log_target=True)


def losses(
    made: Tensor, numbers: Tensor, pairs: int, known: Tensor, target: Tensor, trust: Tensor, share: float
) -> Tensor:
    """`made` are the vectors of questions, answers, hard negatives and lone texts, in this order; `share` is the weight
    of what is learnt from pairs, against what is learnt from the teacher.
    """
    theirs = known[numbers].float()
    follow = ((1 - (made * target[numbers].float()).sum(1)) * trust[numbers]).mean()
    kept = torch.cat([torch.arange(pairs, device=made.device), torch.arange(3 * pairs, len(made), device=made.device)])
    match = agreement(made[kept], theirs[kept])
    right = slice(pairs, 2 * pairs)
    both = torch.cat([numbers[right], numbers[2 * pairs : 3 * pairs]])
    same = both[None, :] == numbers[right][:, None]
    learnt = contrast(made[:pairs], made[right], made[2 * pairs : 3 * pairs], theirs[pairs : 3 * pairs], same)
    return 2.0 * follow + match + share * learnt


def train_transformer(
    student: Encoder, tokens_of: Tokens, draw: Draw, known: Tensor, target: Tensor, trust: Tensor,
    options: argparse.Namespace, checkpoint: Path,
) -> None:  # fmt: skip
    device = known.device
    optimiser = torch.optim.AdamW(student.parameters(), lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98))
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
            made = torch.cat(
                [
                    tokens_of.encode(student, asked, QUESTION_TOKENS),
                    tokens_of.encode(student, torch.cat([right, wrong]), options.longest),
                    tokens_of.encode(student, alone, QUESTION_TOKENS),
                ]
            )
        loss = losses(made, numbers, options.pairs, known, target, trust, options.share)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()
        total += loss.detach()
        if (step + 1) % options.every == 0:
            say(f"transformer step {step + 1}: loss {total.item() / options.every:.4f}")
            total.zero_()
            state = {"student": student.state_dict(), "optimiser": optimiser.state_dict()}
            torch.save({**state, "chance": draw.chance.get_state(), "step": step + 1}, checkpoint)
    student.quantise(False)


class Bags:
    """The static tier's units of all texts on the device."""

    def __init__(self, rows: Ragged, weights: Ragged, device: torch.device) -> None:
        self.rows = torch.from_numpy(rows.values.astype(np.int32)).to(device)
        self.weights = torch.from_numpy(weights.values.astype(np.float32)).to(device)
        self.starts = torch.from_numpy(rows.starts).to(device)

    def encode(self, model: Static, numbers: Tensor, dropped: float = 0.0) -> Tensor:
        begin, end = self.starts[numbers], self.starts[numbers + 1]
        lengths = end - begin
        starts = lengths.cumsum(0) - lengths
        at = torch.arange(int(lengths.sum()), device=numbers.device)
        at = at + torch.repeat_interleave(begin - starts, lengths)
        weights = self.weights[at]
        if dropped:
            weights = weights * (torch.rand_like(weights) >= dropped)
        return model(self.rows[at].long(), starts, weights)


def train_static(
    model: Static, bags: Bags, draw: Draw, target: Tensor, trust: Tensor, options: argparse.Namespace
) -> None:
    """It learns from the transformer's vectors (`target`), which are in the space that it is to be in."""
    optimiser = torch.optim.Adam(model.parameters(), lr=options.static_rate, betas=(0.9, 0.99))
    total = torch.zeros((), device=target.device)
    model.train()
    for step in range(options.static_steps):
        for group in optimiser.param_groups:
            group["lr"] = options.static_rate * schedule(step, options.static_steps)
        model.quantised = step > 0.8 * options.static_steps
        numbers = torch.cat(draw(options.static_pairs, options.static_pairs))
        made = bags.encode(model, numbers, options.static_drop)
        loss = losses(made, numbers, options.static_pairs, target, target, trust, options.static_share)
        # A question of this tier must also find texts of the other, and the other way round.
        pairs = options.static_pairs
        theirs = target[numbers].float()
        empty = made[:0]
        alike = numbers[None, pairs : 2 * pairs] == numbers[pairs : 2 * pairs, None]
        known = theirs[pairs : 2 * pairs]
        loss = loss + 0.5 * options.static_share * contrast(made[:pairs], known, empty, known, alike)
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
    """What the transformer says of each unit alone; of pairs of words a little, as their words are there too."""
    tokens_of = Tokens(tokens(tokenizer, vocab.texts, 16), device)
    rows = all_vectors(student, tokens_of, len(vocab.texts), device).float()
    paired = torch.tensor([" " in text for text in vocab.texts], device=device)
    rows[paired] *= 0.1
    return rows.clone()


@torch.no_grad()
def measured(
    teacher: Encoder, student: Encoder, static: Static, tokenizer: Tokenizer, vocab: Vocabulary, final: bool
) -> str:
    """The figures of the teacher and of both tiers, alone and one asking the other; questions are asked in float."""
    device = static.table.weight.device

    def by(model: Encoder) -> Encode:
        return lambda texts: (
            all_vectors(model, Tokens(tokens(tokenizer, texts, 256), device), len(texts), device).float().cpu().numpy()
        )

    cut = Units(tokenizer, vocab.pieces, vocab.words, vocab.pairs)

    def fixed(texts: Sequence[str]) -> np.ndarray:
        made = bags_of([cut.rows(text) for text in texts])
        return Bags(*made, device).encode(static, torch.arange(len(texts), device=device)).cpu().numpy()

    def int8(texts: Sequence[str]) -> np.ndarray:
        student.quantise(True)
        made = by(student)(texts)
        student.quantise(False)
        return made

    kinds = [dev(), *held_out(HERE / "data"), library()]
    found = paraphrases() if final else None
    kinds += [found] if found else []
    ways = {
        "teacher": (by(teacher), by(teacher)),
        "transformer": (by(student), by(student)),
        "transformer, as int8": (int8, int8),
        "static": (fixed, fixed),
        "static asks transformer": (fixed, by(student)),
        "transformer asks static": (by(student), fixed),
    }
    return shown({way: {kind.name: dense(kind, *models) for kind in kinds} for way, models in ways.items()})


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    parser.add_argument("--name", default="marrow", help="of this student, so that several can share the first stage")
    parser.add_argument("--shape", choices=SHAPES, default="4x1536")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--steps", type=int, default=2_600)
    parser.add_argument("--static-steps", type=int, default=1_500)
    parser.add_argument("--pairs", type=int, default=1_024, help="in a step of the transformer")
    parser.add_argument("--alone", type=int, default=1_024, help="lone texts in a step of the transformer")
    parser.add_argument("--static-pairs", type=int, default=4_096)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--static-rate", type=float, default=5e-4)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--static-share", type=float, default=0.6)
    parser.add_argument("--static-drop", type=float, default=0.1, help="share of units left out in training")
    parser.add_argument("--longest", type=int, default=128, help="tokens of a text in training")
    parser.add_argument("--every", type=int, default=500, help="steps between two reports and checkpoints")
    parser.add_argument("--final", action="store_true", help="measure on the project's own paraphrases as well")
    parser.add_argument("--tiny", action="store_true", help="a smoke test on a hundredth of the data")
    options = parser.parse_args()
    if options.tiny:
        options.steps, options.static_steps, options.pairs, options.alone, options.every = 4, 8, 16, 16, 2
        options.static_pairs = 64
    return options


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = max(1, min(16, os.cpu_count() or 1))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    tokenizer = Tokenizer.from_file(str(options.data / "tokenizer.json"))
    cut = options.out / "corpus.pickle"
    if cut.exists():
        with cut.open("rb") as file:
            corpus, vocab, rows, weights, made = pickle.load(file)
    else:
        corpus = load(options.data, options.seed, 0.01 if options.tiny else 1.0)
        say(f"{len(corpus.texts)} texts, {len(corpus.answer)} pairs on {device}")
        vocab = vocabulary(tokenizer, corpus.texts, jobs)
        rows, weights = units(tokenizer, vocab, corpus.texts, jobs)
        made = tokens(tokenizer, corpus.texts, jobs=jobs)
        with cut.open("wb") as file:
            pickle.dump((corpus, vocab, rows, weights, made), file)
    tokens_of = Tokens(made, device)
    say(f"{len(vocab.texts)} static units, {len(tokens_of.values)} tokens")

    prepared = options.out / "teacher.pt"
    weights_of_teacher = read_teacher(options.data / "teacher.npz")
    if prepared.exists():
        known, projection, negatives = torch.load(prepared, map_location=device)
    else:
        teacher = teacher_from(weights_of_teacher).to(device)
        known = all_vectors(teacher, tokens_of, len(corpus.texts), device)
        say("teacher's vectors are made")
        projection = projection_of(known)
        negatives = hard_negatives(known, corpus, device)
        torch.save((known, projection, negatives), prepared)
        del teacher
    target = functional.normalize(known.float() @ projection.T, dim=1).half()
    kept = float((known[:20_000].float() @ projection.T).norm(dim=1).mean())
    say(f"hard negatives are mined; the projection keeps {kept:.4f} of a vector's length")
    trust = torch.from_numpy(corpus.weight).to(device)
    draw = Draw(corpus, negatives, device, options.seed)

    finished = options.out / f"{options.name}-transformer.pt"
    layers, wide = SHAPES[options.shape]
    student = student_of(weights_of_teacher, list(layers), wide, projection.cpu()).to(device)
    if finished.exists():
        student.load_state_dict(torch.load(finished, map_location=device))
    else:
        step = options.out / f"{options.name}-step.pt"
        train_transformer(student, tokens_of, draw, known, target, trust, options, step)
        torch.save(student.state_dict(), finished)
        step.unlink(missing_ok=True)
    say(f"transformer {options.shape}: {sum(p.numel() for p in student.parameters()):,} parameters")

    tables = {name: table.cpu().numpy() for name, table in student.state_dict().items()}
    save_parts(tables, options.out, f"{options.name}-transformer")

    target = all_vectors(student, tokens_of, len(corpus.texts), device)
    model = Static(first_rows(student, tokenizer, vocab, device)).to(device)
    if options.static_steps:
        draw = Draw(corpus, hard_negatives(target, corpus, device), device, options.seed)
        train_static(model, Bags(rows, weights, device), draw, target, torch.ones_like(trust), options)
    torch.save(model.state_dict(), options.out / f"{options.name}-static.pt")
    say("static tier is trained")
    save_parts({"rows": model.table.weight.detach().cpu().numpy()}, options.out, f"{options.name}-static")
    listed = {"pieces": vocab.pieces, "words": vocab.words, "pairs": vocab.pairs}
    (options.out / f"{options.name}-vocabulary.json").write_text(json.dumps(listed))
    teacher = teacher_from(weights_of_teacher).to(device)
    print(measured(teacher, student, model, tokenizer, vocab, options.final), flush=True)


if __name__ == "__main__":
    main()
