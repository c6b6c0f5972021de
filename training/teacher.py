"""Writes the reader's start and end logits of training questions over their own paragraphs: what an
encoder is distilled from.

    python teacher.py --reader work/reader/model.pt --config runs/distilled.json --data SQUAD_TRAIN.json --out work/teacher
    python teacher.py --reader ../models/verbatim-reader-en/reader.onnx --config runs/encoder-kinds.json --data DATA_FOLDER --out work/teacher-kinds --minutes 30

The paragraphs are those that the run of the config trains on, its sets one after the other and each in
an order drawn with the config's seed. With --minutes, the last sets are therefore taught in part, by a
random choice of their paragraphs.

Files hold about 4,000 questions each, so an interrupted run continues where it stopped: part-<n>.npz
with `ids` (question ids), `at` (n + 1 offsets) and `logits` (2, tokens) float16, the passage tokens of
one question after another; `places` (tokens, 2) are the characters of the tokens, of one passage after
another, and `passage` and `passage_at` say which ones are a question's.

A run with another tokenizer than the teacher's learns from the same files: `on_tokens` moves logits to
the tokens that hold the same characters.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path

import numpy as np
import torch

from data import Paragraph
from mixed_sets import load_paragraphs, load_set
from run import machine_arguments, use_machine

PART = 4000
UNKNOWN = -1e4  # logit of a token at which the teacher has none


def on_tokens(logits: np.ndarray, places: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
    """Logits (2, t) of starts and ends at tokens with the characters `places` (t, 2), on other tokens of
    the same text, `wanted` (u, 2): (2, u) float16, UNKNOWN where none of them has a start (end). None
    if a tenth of the probability of starts or ends is outside of the wanted tokens."""
    made = np.full((2, len(wanted)), UNKNOWN, dtype=np.float32)
    first = np.searchsorted(wanted[:, 0], places[:, 0], side="right") - 1
    last = np.searchsorted(wanted[:, 1], places[:, 1], side="left")
    holds_first = (first >= 0) & (places[:, 0] < wanted[first, 1])
    holds_last = last < len(wanted)
    holds_last[holds_last] &= wanted[last[holds_last], 0] < places[holds_last, 1]
    for side, (at, held) in enumerate(((first, holds_first), (last, holds_last))):
        given = logits[side].astype(np.float32)
        share = np.exp(given - given.max())
        if share[held].sum() < 0.9 * share.sum():
            return None
        np.logaddexp.at(made[side], at[held], given[held])
    return np.maximum(made, UNKNOWN).astype(np.float16)


Taught = dict[str, tuple[np.ndarray, np.ndarray]]  # question id -> logits (2, t) and the characters (t, 2) of their tokens


def load_logits(folder: str) -> Taught:
    """What this script wrote into a folder."""
    known: Taught = {}
    for path in sorted(Path(folder).glob("part-*.npz")):
        part = np.load(path)
        at, logits, places, passage_at, passages = (part[name] for name in ("at", "logits", "places", "passage_at", "passage"))
        for i, (name, passage) in enumerate(zip(part["ids"].tolist(), passages.tolist())):
            known[name] = logits[:, at[i] : at[i + 1]], places[passage_at[passage] : passage_at[passage + 1]]
    return known


def attach(paragraphs: list[Paragraph], *folders: str) -> int:
    """Sets every question's teacher logits; the last folder that has them counts. @returns how many questions have them"""
    known = {name: logits for folder in folders for name, logits in load_logits(folder).items()}
    count = 0
    for paragraph in paragraphs:
        wanted = paragraph.offsets[paragraph.first : -1]
        for question in paragraph.questions:
            if question.id not in known:
                continue
            logits, places = known[question.id]
            question.teacher = logits if np.array_equal(places, wanted) else on_tokens(logits, places, wanted)
            count += question.teacher is not None
    return count


def parts(config: dict, data: str, cache: Path, names: list[str] | None = None) -> list[list[Paragraph]]:
    """Paragraphs in the order in which they are taught, in lists with about PART questions each.
    @param names  of the sets that are taught, their files' without endings; None for all"""
    if "sets" in config:
        taught = [entry for entry in config["sets"] if names is None or Path(entry["file"]).name.split(".")[0] in names]
        sets = [load_set(entry, config, Path(data), cache)[0] for entry in taught]
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


def write_part(path: Path, paragraphs: list[Paragraph], asked: list[tuple[int, str, np.ndarray]]) -> None:
    """@param asked  of each question, its paragraph's place in the list, its id, and logits (2, passage tokens)"""
    partial = path.with_name(f"unfinished-{path.name}")
    np.savez(
        partial,
        ids=np.array([name for _, name, _ in asked]),
        at=np.cumsum([0, *(x.shape[1] for _, _, x in asked)]),
        logits=np.concatenate([np.zeros((2, 0), np.float16), *(x for _, _, x in asked)], 1),
        passage=np.array([owner for owner, _, _ in asked]),
        passage_at=np.cumsum([0, *(len(p.ids) - 1 - p.first for p in paragraphs)]),
        places=np.concatenate([np.zeros((0, 2), np.int32), *(p.offsets[p.first : -1] for p in paragraphs)]).astype(np.int32),
    )
    os.replace(partial, path)


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
    from reader_figures import scorer_of
    from reader_rows import batches, row

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
