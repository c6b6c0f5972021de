"""A reader's figures on held-out questions: exact match and F1 (0-100, SQuAD v1.1 rule) of the best
span, and how well its answer logit separates answerable pairs from others (AUROC). The network is
a checkpoint (model.pt) or an int8 graph (.onnx), all on the same questions.

    python reader_figures.py --network work/reader-large/model.pt --config runs/reader-large.json --data DATA_FOLDER --questions 500
    python reader_figures.py --network ../models/verbatim-reader-en/reader.onnx --config runs/reader-large.json --data DATA_FOLDER --questions 500
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph
from evaluate import exact_match, f1
from export_reader import read_with
from int8_session import open_session
from model import half, placed, restore
from mpnet import MPNetReader
from reader import NEGATIVE, Pairs, Reader
from reader_rows import Row, batches, row, tensors
from reader_sets import load_reader_sets
from run import machine_arguments, use_machine
from span_sets import window

ANSWER_TOKENS = 64  # longest span that is considered; contracts have long ones
SIZE = 300  # passage tokens that are read


def auroc(right: list[float], wrong: list[float]) -> float:
    """Share of (right, wrong) pairs that are in order; ties count half."""
    if not right or not wrong:
        return float("nan")
    values, inverse, counts = np.unique(np.array(right + wrong), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[: len(right)].sum() - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong)))


Scorer = Callable[[list[Row]], tuple[Tensor, Tensor, Tensor]]  # rows -> start, end (B, T), answer (B,)


def kinds_of(batch: list[Row], mask: Tensor) -> Tensor:
    """The reader's `kinds` (B, T): 0 for the question's part and padding, 1 for the rest."""
    asked = placed(np.array([r.asked for r in batch]))
    return ((torch.arange(mask.shape[1]) >= asked[:, None]) & mask).long()


def reader_scorer(reader: Reader, bf16: bool) -> Scorer:
    def score(batch: list[Row]) -> tuple[Tensor, Tensor, Tensor]:
        ids, mask, _ = tensors(batch)
        with torch.no_grad(), half(bf16):
            return reader(ids, kinds_of(batch, mask), mask)

    return score


def onnx_scorer(path: Path, threads: int) -> Scorer:
    """Scores with an int8 graph written by export_reader.py."""
    session = open_session(path, threads)

    def score(batch: list[Row]) -> tuple[Tensor, Tensor, Tensor]:
        ids, mask, _ = tensors(batch)
        return tuple(map(torch.as_tensor, read_with(session, ids, kinds_of(batch, mask), mask)))

    return score


def restore_reader(path: Path) -> tuple[Reader | MPNetReader, dict]:
    """(network, all that was saved with it) of a reader's checkpoint; it is MPNet's where the config
    has `mpnet`."""
    saved = torch.load(path, map_location="cpu", weights_only=False, mmap=True)
    return restore(path, MPNetReader if "mpnet" in saved.get("config", {}) else Reader)


def scorer_of(path: Path, threads: int) -> Scorer:
    """Of a checkpoint (model.pt), in the precision of its config, or of an int8 graph (.onnx)."""
    if path.suffix == ".onnx":
        return onnx_scorer(path, threads)
    reader, state = restore_reader(path)
    return reader_scorer(reader, state["config"].get("bf16", False))


def read(score: Scorer, rows: list[Row], tokens: int = 6000) -> dict[int, tuple[int, int, float]]:
    """id(row) -> (start, end, answer logit) of its best span of at most ANSWER_TOKENS"""
    found = {}
    for batch in batches(rows, tokens, 0):
        start, end, answer = score(batch)
        passage = tensors(batch)[2]
        start, end = (x.masked_fill(~passage, NEGATIVE) for x in (start, end))
        spans = start[:, :, None] + F.pad(end, (0, ANSWER_TOKENS - 1), value=NEGATIVE).unfold(1, ANSWER_TOKENS, 1)
        for one, place, logit in zip(batch, spans.flatten(1).argmax(1).tolist(), answer.tolist()):
            at = place // ANSWER_TOKENS
            found[id(one)] = (at, at + place % ANSWER_TOKENS, logit)
    return found


def figures(score: Scorer, name: str, paragraphs: list[Paragraph], questions: int, seed: int) -> dict:
    """Over `questions` drawn questions that have an answer, each with its own passage and with one
    that does not answer."""
    rng = random.Random(f"{seed}:{name}:figures")
    asked = [(p, q) for p, one in enumerate(paragraphs) for q, question in enumerate(one.questions) if question.start >= 0]
    asked = rng.sample(asked, min(questions, len(asked)))
    pairs = Pairs(paragraphs, seed)
    own, others = [], []
    for p, q in asked:
        question = paragraphs[p].questions[q]
        if (found := window(paragraphs[p], question.start, question.end, SIZE, rng)) is None:
            continue
        own.append((row(name, question, *found), found[0], question))
        if (other := pairs.negative(rng, p, question)) is not None:
            others.append(row(name, question, *window(paragraphs[other], -1, -1, SIZE, rng)))
    best = read(score, [r for r, _, _ in own] + others)
    em = overlap = 0.0
    for one, paragraph, question in own:
        start, end, _ = best[id(one)]
        shift = one.passage - paragraph.first
        text = paragraph.text[paragraph.offsets[start - shift, 0] : paragraph.offsets[end - shift, 1]]
        em, overlap = em + exact_match(text, question.answers), overlap + f1(text, question.answers)
    order = auroc([best[id(r)][2] for r, _, _ in own], [best[id(r)][2] for r in others])
    return {"exactMatch": round(100 * em / len(own), 2), "f1": round(100 * overlap / len(own), 2), "auroc": round(order, 4), "questions": len(own)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--network", "--config", "--data"):
        parser.add_argument(name, required=True)
    parser.add_argument("--questions", type=int, default=500, help="of each set, at most")
    parser.add_argument("--sets", help="comma-separated names; default: all of the config")
    parser.add_argument("--cache", default="work/cache")
    machine_arguments(parser)
    args = parser.parse_args()
    use_machine(args)
    config = json.loads(Path(args.config).read_text())
    score = scorer_of(Path(args.network), args.threads)
    names = args.sets.split(",") if args.sets else None
    for name, (_, tune) in load_reader_sets(config, Path(args.data), cache=Path(args.cache), names=names).items():
        print(json.dumps({"set": name, **figures(score, name, tune, args.questions, config["seed"])}), flush=True)


if __name__ == "__main__":
    main()
