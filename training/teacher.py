"""Writes the reader's start and end logits of training questions over their own paragraphs: what an
encoder is distilled from.

    python teacher.py --reader work/reader/model.pt --config runs/distilled.json --data SQUAD_TRAIN.json --out work/teacher
    python teacher.py --reader ../models/verbatim-reader-en/reader.onnx --config runs/encoder-kinds.json --data DATA_FOLDER --out work/teacher-kinds --minutes 30

The paragraphs are those that the run of the config trains on, its sets one after the other and each in
an order drawn with the config's seed. With --minutes, the last sets are therefore taught in part, by a
random choice of their paragraphs.

Files hold about 4,000 questions each, so an interrupted run continues where it stopped: part-<n>.npz
with `ids` (question ids), `at` (n + 1 offsets) and `logits` (2, tokens) float16, the passage tokens of
one question after another.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path

import numpy as np

from data import Paragraph
from mixed_sets import load_paragraphs, load_set
from run import machine_arguments, use_machine

PART = 4000


def attach(paragraphs: list[Paragraph], folder: str) -> int:
    """Sets every question's teacher logits. @returns how many questions have them"""
    known: dict[str, np.ndarray] = {}
    for path in sorted(Path(folder).glob("part-*.npz")):
        part = np.load(path)
        at, logits = part["at"], part["logits"]
        for i, name in enumerate(part["ids"].tolist()):
            known[name] = logits[:, at[i] : at[i + 1]]
    count = 0
    for paragraph in paragraphs:
        for question in paragraph.questions:
            found = known.get(question.id)
            if found is not None and found.shape[1] == len(paragraph.ids) - 1 - paragraph.first:
                question.teacher = found
                count += 1
    return count


def parts(config: dict, data: str, cache: Path) -> list[list[Paragraph]]:
    """Paragraphs in the order in which they are taught, in lists with about PART questions each."""
    if "sets" in config:
        sets = [load_set(entry, config, Path(data), cache)[0] for entry in config["sets"]]
    else:
        sets = [load_paragraphs(config, data, cache)[0]]
    made: list[list[Paragraph]] = []
    count = PART
    for number, paragraphs in enumerate(sets):
        drawn = list(paragraphs)
        random.Random(f"{config['seed']}:teacher:{number}").shuffle(drawn)
        for paragraph in drawn:
            if count >= PART:
                made.append([])
                count = 0
            made[-1].append(paragraph)
            count += len(paragraph.questions)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", required=True, type=Path, help="a checkpoint (model.pt) or an int8 graph (.onnx)")
    parser.add_argument("--config", required=True, type=Path, help="config of the run that learns from it")
    parser.add_argument("--data", required=True, help="as the run takes it")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begins no further file after this time")
    machine_arguments(parser)
    args = parser.parse_args()
    from reader_figures import scorer_of
    from reader_rows import batches, row

    use_machine(args)
    score = scorer_of(args.reader, args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    started, tokens = time.time(), 0
    made = parts(json.loads(args.config.read_text()), args.data, args.out.parent / "cache")
    for number, paragraphs in enumerate(made):
        path = args.out / f"part-{number:03d}.npz"
        if path.exists():
            continue
        if time.time() - started > 60 * args.minutes:
            break
        rows = [row("", question, paragraph, question.start, question.end) for paragraph in paragraphs for question in paragraph.questions if question.start >= 0]
        names, lengths, logits = [], [], []
        for batch in batches(rows, 1 if args.reader.suffix == ".onnx" else 6000, 0):  # a graph is fastest with one at a time
            start, end, _ = score(batch)
            for at, one in enumerate(batch):
                inside = slice(one.passage, len(one.ids) - 1)
                logits.append(np.stack([start[at, inside].float().numpy(), end[at, inside].float().numpy()]).astype(np.float16))
                names.append(one.id)
                lengths.append(logits[-1].shape[1])
                tokens += len(one.ids)
        partial = args.out / "part.tmp.npz"
        np.savez(partial, ids=np.array(names), at=np.concatenate([[0], np.cumsum(lengths)]), logits=np.concatenate(logits, 1))
        os.replace(partial, path)
        print(f"{number + 1} of {len(made)} files, {tokens / (time.time() - started):.0f} tokens/s", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
