"""Labels pairs of question and passage with the teacher: start and end distributions and the answer
logit, in shards (labels.py).

    python label.py --config runs/labels.json --data DATA_FOLDER --teacher work/teacher/model.pt --out work/labels
    python label.py --config runs/labels.json --pairs work/pairs.jsonl --teacher work/labels/teacher.onnx --out work/labels-pairs

`--data` reads the config's span sets (training parts only, without the held-out articles): each
question with its own passage, and for shares of them one that does not answer. `--pairs` reads
lines {id, question, title, text, kind} of search_pairs.py. A shard that exists is skipped, so an
interrupted run continues where it stopped; changing the config needs a new folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from itertools import groupby
from pathlib import Path

import numpy as np
import torch

from data import Question, build_paragraph, question_ids
from text_base import load_tokenizer
from labels import Label, write_shard
from span_sets import train_and_tune, window
from teacher_data import Row, batches, draw, row, rows, tensors
from teacher_graph import open_teacher, read_with, teacher_smoothing, write_teacher
from teacher_model import restore_teacher

GROUPS = 2000  # in a shard
SAMPLE = 32  # rows that smoothing is measured on


def from_sets(config: dict, data: Path, cache: Path) -> list[list[Row]]:
    """Groups of rows of the config's span sets, in an order drawn by the seed: any first part is a
    sample of all."""
    groups: list[list[Row]] = []
    for name, path in config["sets"].items():
        train, _ = train_and_tune(str(data / path), config["held_out"], config["held_out_seed"], cache)
        drawn = draw({name: train}, {name: 1.0}, config["questions"], config["seed"])[name]
        groups += [list(group) for _, group in groupby(rows(name, train, drawn, config), key=lambda r: r.id)]
    random.Random(config["seed"]).shuffle(groups)
    return groups


def from_pairs(config: dict, path: Path) -> list[list[Row]]:
    """Groups of rows of a file of pairs; whether a passage answers is not known."""
    tokenizer = load_tokenizer()
    rng = random.Random(config["seed"])
    groups: list[list[Row]] = []
    with path.open(encoding="utf-8") as lines:
        for _, pairs in groupby(map(json.loads, lines), key=lambda pair: pair["id"]):
            groups.append([])
            for pair in pairs:
                paragraph = build_paragraph(tokenizer, 0, pair["title"], pair["text"], config["window"][1] + 20)
                question = Question(pair["id"], pair["question"], question_ids(tokenizer, pair["question"]), -1, -1, [])
                groups[-1].append(row(pair["kind"], question, *window(paragraph, -1, -1, config["window"][1], rng)))
    return groups


def export(weights: Path, graph: Path, groups: list[list[Row]], alpha: float) -> Path:
    """Writes the int8 graph of a teacher, unless it is there; outliers are measured on the first
    rows."""
    if not graph.exists():
        teacher, _ = restore_teacher(weights)
        smooth = teacher_smoothing(teacher, [group[0] for group in groups[:SAMPLE]], alpha)
        partial = graph.with_name("partial.onnx")
        write_teacher(teacher, partial, int8=True, smooth=smooth)
        os.replace(partial, graph)
    return graph


def label(session, groups: list[list[Row]], known: int, tokens: int) -> list[list[Label]]:
    """@param known what is known of rows without a span: 0, the passage does not answer; -1,
    nothing"""
    made: dict[int, Label] = {}
    for batch in batches([r for group in groups for r in group], tokens, 0):
        ids, mask, _ = tensors(batch)
        start, end, answer = read_with(session, ids, mask)
        for i, r in enumerate(batch):
            inside = slice(r.passage, len(r.ids) - 1)
            logits = np.stack([start[i, inside], end[i, inside]])
            made[id(r)] = Label(r.kind, r.id, r.ids, r.passage, 1 if r.start >= 0 else known, r.start, r.end, logits, float(answer[i]))
    return [[made[id(r)] for r in group] for group in groups]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--teacher", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--data")
    parser.add_argument("--pairs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after the shard that is being written then")
    args = parser.parse_args()
    if (args.data is None) == (args.pairs is None):
        parser.error("give either --data or --pairs")
    config = json.loads(Path(args.config).read_text())
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    groups = from_pairs(config, Path(args.pairs)) if args.pairs else from_sets(config, Path(args.data), out.parent / "cache")
    graph = Path(args.teacher)
    if graph.suffix == ".pt":
        torch.set_num_threads(args.threads)
        graph = export(graph, out / "teacher.onnx", groups, config["smoothing"])
    torch.set_num_threads(1)
    session = open_teacher(graph, args.threads)
    total = -(-len(groups) // GROUPS)
    started, read = time.time(), 0
    for number in range(total):
        path = out / f"part-{number:04d}.npz"
        if path.exists():
            continue
        part = label(session, groups[number * GROUPS : (number + 1) * GROUPS], -1 if args.pairs else 0, config["batch_tokens"])
        write_shard(path, part)
        read += sum(len(r.ids) for group in part for r in group)
        print(f"shard {number + 1} of {total}, {read / (time.time() - started):.0f} tokens/s", flush=True)
        if time.time() - started > args.minutes * 60:
            print("Stopped at the time limit. Call again to continue.", flush=True)
            return
    print("done", flush=True)


if __name__ == "__main__":
    main()
