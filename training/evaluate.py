"""Figures on held-out training articles with the paragraph given, in PyTorch, for decisions during
a run.

    python evaluate.py --checkpoint work/distilled/model.pt --data SQUAD_TRAIN.json [--paragraphs 400]
    python evaluate.py --checkpoint work/encoder-kinds/model.pt --data DATA_FOLDER      # each set of its config

Exact match and F1 (0-100, the SQuAD v1.1 rule) of the best span i <= j < i + 20, for all n-grams,
none, unigrams alone and bigrams alone; and, for several thresholds of the filter, the share of rows
that it keeps and EM. Published figures come from `verbatim eval`. `open_figures` asks all
paragraphs of a file, exhaustively and by the span's score alone (no terms, no tf-idf).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from data import Paragraph
from scores import NEGATIVE, Asked, LossConfig, Read, Storage, encode, pair_logits, score_batch, span_logits, sparse_logits
from mixed_sets import load_paragraphs
from model import Verbatim, restore
from run import machine_arguments, use_machine

NGRAM_WEIGHT = 2.0  # of the model that ships
KINDS = {"full": (1, 2, 3), "denseOnly": (), "unigrams": (1,), "bigrams": (2,)}  # orders of n-grams that are used
PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise_answer(text: str) -> str:
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(PUNCTUATION)).split())


def exact_match(prediction: str, golds: list[str]) -> float:
    return float(any(normalise_answer(prediction) == normalise_answer(gold) for gold in golds))


def f1(prediction: str, golds: list[str]) -> float:
    best = 0.0
    said = normalise_answer(prediction).split()
    for gold in golds:
        meant = normalise_answer(gold).split()
        shared = sum((Counter(said) & Counter(meant)).values())
        if shared:
            best = max(best, 2 * shared / (len(said) + len(meant)))
    return best


def span_text(paragraph: Paragraph, place: int, window: int) -> str:
    """The text of the span at `place` of the passage's flattened span logits (t, window)."""
    first = place // window + paragraph.first
    return paragraph.text[paragraph.offsets[first, 0] : paragraph.offsets[first + place % window, 1]]


def stored_figures(model: Verbatim, paragraphs: list[Paragraph], bf16: bool = True, storage: Storage | None = None) -> dict[str, float]:
    """`figures` with the rows and unigrams that an index keeps, before their numbers are rounded."""
    storage = storage or Storage()
    config = LossConfig(bf16=bf16, ngram_weight=NGRAM_WEIGHT)
    return summed(*best_spans(model, paragraphs, (1,), bf16, storage.threshold, config=config, storage=storage))


@torch.no_grad()
def best_spans(model: Verbatim, paragraphs: list[Paragraph], kinds: tuple[int, ...], bf16: bool, threshold: float | None = None, window: int = 20, config: LossConfig | None = None, storage: Storage | None = None):
    """[(question, text of its best span)] and the share of rows that pass the filter's
    threshold."""
    found, rows, kept = [], 0, 0
    config = config or LossConfig(bf16=bf16)
    for at in range(0, len(paragraphs), 12):
        part = [p for p in paragraphs[at : at + 12] if any(q.start >= 0 for q in p.questions)]
        if not part:
            continue
        scores = score_batch(model, part, config, kinds, storage)
        full_start, full_end = (dense + sparse for dense, sparse in zip(scores.dense, scores.sparse))
        for p, (paragraph, s) in enumerate(zip(part, scores.slices_p)):
            mine = [i for i, (owner, _) in enumerate(scores.questions) if owner == p]
            body = slice(s.start + paragraph.first, s.stop - 1)
            start, end = full_start[mine, body], full_end[mine, body]
            if threshold is not None:
                pass_start, pass_end = (scores.keep[body] >= threshold).unbind(1)
                start, end = start.masked_fill(~pass_start, NEGATIVE), end.masked_fill(~pass_end, NEGATIVE)
            pair = pair_logits(scores.coherency[0][body], scores.coherency[1][body], scores.question[2][mine], window)
            places = span_logits(start, end, pair, window).flatten(1).argmax(1)
            for i, place in zip(mine, places.tolist()):
                found.append((scores.questions[i][1], span_text(paragraph, place, window)))
        if threshold is not None:
            inside = torch.cat([scores.keep[s.start + p.first : s.stop - 1] for p, s in zip(part, scores.slices_p)])
            rows, kept = rows + inside.numel(), kept + int((inside >= threshold).sum())
    return found, kept / max(1, rows)


def figures(model: Verbatim, paragraphs: list[Paragraph], kinds: tuple[int, ...], bf16: bool = True, threshold: float | None = None) -> dict[str, float]:
    return summed(*best_spans(model, paragraphs, kinds, bf16, threshold), threshold is not None)


def summed(found: list, kept: float, with_rows: bool = True) -> dict[str, float]:
    """Exact match and F1, and the share of rows that the filter keeps."""
    em = sum(exact_match(text, q.answers) for q, text in found) / len(found)
    overlap = sum(f1(text, q.answers) for q, text in found) / len(found)
    return {"exactMatch": round(100 * em, 2), "f1": round(100 * overlap, 2), **({"rowsKept": round(kept, 3)} if with_rows else {})}


@torch.no_grad()
def open_figures(model: Verbatim, paragraphs: list[Paragraph], kinds: tuple[int, ...], *, bf16: bool = True, limit: int = 2000, seed: int = 1, window: int = 20) -> dict[str, float]:
    """Scores `limit` questions, drawn with `seed`, against every span of every paragraph: EM and F1
    of the best span, and how often it is in the question's own paragraph."""
    config = LossConfig(bf16=bf16)
    asked = [(p, q) for p, paragraph in enumerate(paragraphs) for q in paragraph.questions if q.start >= 0]
    asked = random.Random(seed).sample(asked, min(limit, len(asked)))
    pieces, slices, at = [], [], 0
    for first in range(0, len(asked), 100):
        hidden, ids, part = encode(model, [q.ids for _, q in asked[first : first + 100]], config)
        pieces.append((hidden, ids))
        slices += [slice(s.start + at, s.stop + at) for s in part]
        at += len(ids)
    questions = Asked(model, torch.cat([h for h, _ in pieces]), np.concatenate([ids for _, ids in pieces]), slices, config, kinds)
    best = torch.full((len(asked),), NEGATIVE)
    where, place = torch.full((len(asked),), -1), torch.zeros(len(asked), dtype=torch.long)
    for number, paragraph in enumerate(paragraphs):
        hidden, ids, part = encode(model, [paragraph.ids], config)
        read = Read(model, hidden, ids, part, config)
        sparse = sparse_logits(model, questions, read)
        body = slice(paragraph.first, len(ids) - 1)
        start, end = ((q @ r.T + n)[:, body] for q, r, n in zip((questions.start, questions.end), (read.start, read.end), sparse))
        pair = pair_logits(read.c1[body], read.c2[body], questions.coherency, window)
        top, at = span_logits(start, end, pair, window).flatten(1).max(1)
        better = top > best
        best, where, place = torch.where(better, top, best), torch.where(better, number, where), torch.where(better, at, place)
    em = overlap = right = 0.0
    for (p, question), number, at in zip(asked, where.tolist(), place.tolist()):
        paragraph = paragraphs[number]
        text = span_text(paragraph, at, window)
        em, overlap, right = em + exact_match(text, question.answers), overlap + f1(text, question.answers), right + (number == p)
    percent = lambda x: round(100 * x / len(asked), 2)  # noqa: E731
    return {"exactMatch": percent(em), "f1": percent(overlap), "passageFirst": percent(right), "questions": len(asked), "paragraphs": len(paragraphs)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--data", required=True, help="as the run takes it")
    parser.add_argument("--config", type=Path, help="config whose held-out questions are asked, instead of the checkpoint's own")
    parser.add_argument("--paragraphs", type=int, default=10_000, help="of each set, at most")
    machine_arguments(parser)
    args = parser.parse_args()
    use_machine(args)
    model, state = restore(Path(args.checkpoint))
    config = json.loads(args.config.read_text()) if args.config else state["config"]
    bf16 = config.get("loss", {}).get("bf16", False)
    _, held = load_paragraphs(config, args.data, Path(args.checkpoint).parent.parent / "cache")
    for name, paragraphs in held.items():
        some = paragraphs[:: max(1, len(paragraphs) // args.paragraphs)]
        for ngrams, kinds in KINDS.items():
            print(json.dumps({"set": name, "ngrams": ngrams, **figures(model, some, kinds, bf16)}), flush=True)
        for threshold in (-3.5, -3.0, -2.5, -2.0, -1.5):
            print(json.dumps({"set": name, "filter": threshold, **figures(model, some, KINDS["full"], bf16, threshold)}), flush=True)


if __name__ == "__main__":
    main()
