"""Writes the reader's start and end logits of training questions over their own paragraphs: what an
encoder is distilled from.

    python teacher.py --reader work/reader/model.pt --config runs/distilled.json --data SQUAD_TRAIN.json --out work/teacher
    python teacher.py --reader ../models/verbatim-reader-en/reader.onnx --config runs/encoder-kinds.json --data DATA_FOLDER --out work/teacher-kinds --minutes 30

The paragraphs are those that the run of the config trains on, its sets one after the other and each in
an order drawn with the config's seed. With --minutes, the last sets are therefore taught in part, by a
random choice of their paragraphs.

Files hold about 4,000 questions each (teacher_logits.py), so an interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch

from data import Paragraph
from mixed_sets import load_paragraphs, load_prepared
from question_sets import set_entries
from reader_figures import scorer_of
from reader_rows import batches, row
from run import machine_arguments, use_machine
from teacher_logits import write_part

PART = 4000  # questions of a file, about


def parts(config: dict, data: str, cache: Path, names: list[str] | None = None) -> list[list[Paragraph]]:
    """Paragraphs in the order in which they are taught, in lists with about PART questions each.
    @param names  of the sets that are taught (question_sets.set_name); None for all"""
    if "sets" in config:
        sets = [load_prepared(entry, config, Path(data), cache)[0] for entry in set_entries(config, names)]
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
    parser.add_argument("--sets", help="comma-separated names of the sets that are taught, such as languages,chinese; default: all of the config")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begins no further file after this time")
    machine_arguments(parser)
    args = parser.parse_args()
    use_machine(args)
    score = scorer_of(args.reader, args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    started, tokens = time.time(), 0
    room = 1 if args.reader.suffix == ".onnx" else 6000 if args.device == "cpu" else 60_000  # a graph is fastest with one at a time
    made = parts(json.loads(args.config.read_text()), args.data, args.out.parent / "cache", args.sets.split(",") if args.sets else None)
    for number, paragraphs in enumerate(made):
        path = args.out / f"part-{number:03d}.npz"
        if path.exists():
            continue
        if time.time() - started > 60 * args.minutes:
            break
        owners = {question.id: place for place, paragraph in enumerate(paragraphs) for question in paragraph.questions}
        rows = [row("", question, paragraph, question.start, question.end) for paragraph in paragraphs for question in paragraph.questions if question.start >= 0]
        names, logits = [], []
        for batch in batches(rows, room, 0):
            start, end, _ = score(batch)
            both = torch.stack([start, end], 1).cpu().numpy().astype(np.float16)
            for one, given in zip(batch, both):
                logits.append(given[:, one.passage : len(one.ids) - 1])
                names.append(one.id)
                tokens += len(one.ids)
        write_part(path, paragraphs, [(owners[name], name, given) for name, given in zip(names, logits)])
        print(f"{number + 1} of {len(made)} files, {tokens / (time.time() - started):.0f} tokens/s", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
