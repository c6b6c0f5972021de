"""Keeps a written question when the teacher finds the answer that it was written for, and writes
shards for distil.py.

    python round_trip.py --written work/written-other.jsonl --teacher work/labels/teacher.onnx --out work/labels-written-other

Kept: F1 of the teacher's best span and the intended one ≥ 0.8, its answer logit ≥ `--answer`, and
its lead over the best span that does not overlap it ≥ `--margin`. A share of the kept questions
(`--twins`) also gets the passage without the answer's sentences, as a pair without an answer; the
pair is dropped if the teacher still finds one. kept-<n>.jsonl in the folder list the kept
questions.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from data import Paragraph, Question, answer_span, build_paragraph, question_ids
from text_base import load_tokenizer
from evaluate import f1
from label import label
from labels import Label, write_shard
from negatives import cut
from search_pairs import lines
from teacher_data import Row, row
from teacher_graph import open_teacher

WINDOW = 40  # tokens of the longest span
GROUPS = 2000  # written questions that are read for one shard


def best_and_rival(logits: np.ndarray) -> tuple[int, int, float]:
    """(start, end, lead) of the best span of at most WINDOW tokens; the lead over the best one that
    does not overlap it."""
    start, end = logits.astype(np.float32)
    count = len(start)
    scores = np.full((count, WINDOW), -np.inf, np.float32)
    for width in range(min(WINDOW, count)):
        scores[: count - width, width] = start[: count - width] + end[width:]
    at, width = divmod(int(scores.argmax()), WINDOW)
    rows, widths = np.indices(scores.shape)
    apart = (rows > at + width) | (rows + widths < at)
    rival = scores[apart].max() if apart.any() else -np.inf
    return at, at + width, float(scores[at, width] - rival)


def prepare(tokenizer, line: dict) -> tuple[Paragraph, Question] | None:
    paragraph = build_paragraph(tokenizer, 0, line["title"], line["text"], 320)
    start, end = answer_span(paragraph, line["start"], line["answer"])
    if start < 0:
        return None
    return paragraph, Question(line["id"], line["question"], question_ids(tokenizer, line["question"]), start, end, [line["answer"]])


def passes(made: Label, paragraph: Paragraph, question: Question, least_answer: float, margin: float) -> bool:
    start, end, lead = best_and_rival(made.logits)
    text = paragraph.text[paragraph.offsets[paragraph.first + start, 0] : paragraph.offsets[paragraph.first + end, 1]]
    return made.answer >= least_answer and lead >= margin and f1(text, question.answers) >= 0.8


def judge(session, given: list[tuple[dict, Paragraph, Question]], args: argparse.Namespace, rng: random.Random) -> tuple[list[list[Label]], list[dict]]:
    """(groups of labels, lines) of what is kept."""
    rows = [[row(line["kind"], question, paragraph, question.start, question.end)] for line, paragraph, question in given]
    kept = []
    for (line, paragraph, question), group in zip(given, label(session, rows, 0, args.batch_tokens)):
        if passes(group[0], paragraph, question, args.answer, args.margin):
            kept.append((line, paragraph, question, group))
    twins: list[list[Row]] = []
    owners: list[list[Label]] = []
    for line, paragraph, question, group in kept:
        if rng.random() < args.twins and (left := cut(paragraph, question)) is not None:
            twins.append([row(line["kind"], replace(question, start=-1, end=-1), left, -1, -1)])
            owners.append(group)
    for group, twin in zip(owners, label(session, twins, 0, args.batch_tokens) if twins else []):
        if twin[0].answer < 0:
            group += twin
    return [group for *_, group in kept], [line for line, *_ in kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--written", "--teacher", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--answer", type=float, default=0.0, help="least answer logit")
    parser.add_argument("--margin", type=float, default=2.0, help="least lead over the best other span, in logits")
    parser.add_argument("--twins", type=float, default=0.25, help="share of kept questions that get a pair without an answer")
    parser.add_argument("--batch-tokens", type=int, default=4000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    session, tokenizer = open_teacher(Path(args.teacher), args.threads), load_tokenizer()
    given = list(lines(args.written))
    read = kept = 0
    for number in range(-(-len(given) // GROUPS)):
        path, listed = out / f"part-{number:04d}.npz", out / f"kept-{number:04d}.jsonl"
        if path.exists():
            continue
        part = given[number * GROUPS : (number + 1) * GROUPS]
        prepared = [(line, *found) for line in part if (found := prepare(tokenizer, line)) is not None]
        groups, stayed = judge(session, prepared, args, random.Random(number))
        listed.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in stayed), encoding="utf-8")
        if groups:
            write_shard(path, groups)
        read, kept = read + len(part), kept + len(stayed)
        print(f"shard {number}: {len(stayed)} of {len(part)} kept; {100 * kept / read:.1f} % so far", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
