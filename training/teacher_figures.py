"""The teacher's figures on held-out questions: exact match and F1 (0-100, SQuAD v1.1 rule) of the
best span, and how well its answer logit tells answerable pairs from others (AUROC).

    python teacher_figures.py --teacher work/teacher/model.pt --config runs/teacher.json --data DATA_FOLDER --questions 2000
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from data import Paragraph
from evaluate import exact_match, f1
from model import half
from reader import NEGATIVE, Pairs
from run import machine_arguments, use_machine
from span_sets import train_and_tune, window
from teacher_data import Row, batches, row, tensors
from teacher_model import Teacher, restore_teacher

ANSWER_TOKENS = 64  # longest span that is considered; contracts have long ones
SIZE = 300  # passage tokens that are read


def auroc(right: list[float], wrong: list[float]) -> float:
    """Share of (right, wrong) pairs that are in order; ties count half."""
    if not right or not wrong:
        return float("nan")
    values, inverse, counts = np.unique(np.array(right + wrong), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[: len(right)].sum() - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong)))


@torch.no_grad()
def read(teacher: Teacher, rows: list[Row], bf16: bool, tokens: int = 6000) -> dict[int, tuple[int, int, float]]:
    """id(row) -> (start, end, answer logit) of its best span of at most ANSWER_TOKENS"""
    found = {}
    for batch in batches(rows, tokens, 0):
        ids, mask, passage = tensors(batch)
        with half(bf16):
            start, end, answer = teacher(ids, mask)
        start, end = (x.masked_fill(~passage, NEGATIVE) for x in (start, end))
        spans = start[:, :, None] + F.pad(end, (0, ANSWER_TOKENS - 1), value=NEGATIVE).unfold(1, ANSWER_TOKENS, 1)
        for one, place, logit in zip(batch, spans.flatten(1).argmax(1).tolist(), answer.tolist()):
            at = place // ANSWER_TOKENS
            found[id(one)] = (at, at + place % ANSWER_TOKENS, logit)
    return found


def figures(teacher: Teacher, name: str, paragraphs: list[Paragraph], questions: int, seed: int, bf16: bool) -> dict:
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
    best = read(teacher, [r for r, _, _ in own] + others, bf16)
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
    for name in ("--teacher", "--config", "--data"):
        parser.add_argument(name, required=True)
    parser.add_argument("--questions", type=int, default=2000, help="of each set, at most")
    machine_arguments(parser)
    args = parser.parse_args()
    use_machine(args)
    config = json.loads(Path(args.config).read_text())
    teacher, _ = restore_teacher(Path(args.teacher))
    for name, path in config["sets"].items():
        cache = Path(args.teacher).parent.parent / "cache"
        _, tune = train_and_tune(str(Path(args.data) / path), config["held_out"], config["held_out_seed"], cache)
        print(json.dumps({"set": name, **figures(teacher, name, tune, args.questions, config["seed"], config["bf16"])}), flush=True)


if __name__ == "__main__":
    main()
