"""Trains a reader, or trains it further, on span sets of several kinds, written questions, and pairs
that name the passage alone. Losses as in reader.py: spans normalised over a question's passages, and whether
each passage answers.

    python train_reader.py --config runs/reader-kinds.json --data DATA_FOLDER --out work/reader-kinds
    python train_reader.py --config runs/reader-multi.json --data DATA_FOLDER --written written/questions.jsonl --out work/reader-multi

The config's `sets` are described in question_sets.py and reader_sets.py; each time an epoch has a set, it
has at most the set's `counts` questions. A config with a `base` (text_base.py) and no `start` begins with
that base. `word_bits` 4 rounds the base's word table, which training leaves as it is, to what four bits
keep (word_table.py). With a `teacher`, a reader that is better than this one at first, the share `distil` of
the loss is the distance from it, falling to 0 by the end, or to the share `distil_least`. A config with
`mpnet`, the folder of all-mpnet-base-v2, trains a reader of that network (mpnet.py): a teacher. With
`teacher_logits`, a folder of teacher.py, `distil_logits` times the distance from those logits is added to the
loss; they may be of another tokenizer.

The length is in steps or minutes of training (run.py); the data are drawn again each time they are used up.
SIGTERM writes a checkpoint and stops; --resume continues.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import random
import signal
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph
from losses import imitation
from mixed_sets import lower_case
from model import Shape, half, placed
from mpnet import load_mpnet_base
from question_sets import set_name, set_path
from reader import NEGATIVE, Reader, load_reader_base, span_loss
from reader_figures import figures, kinds_of, reader_scorer, restore_reader
from reader_rows import Group, Row, draw, group_batches, row, rows, tensors
from reader_sets import load_reader_sets, set_repeats
from run import Run, begin
from span_sets import window
from teacher_logits import load_logits
from text_base import base_of, base_shape, load_tokenizer
from word_table import rounded
from written import is_pairs, load_pairs


def logits_of(reader: Reader, flat: list[Row], config: dict) -> tuple[Tensor, Tensor, Tensor]:
    """start, end (B, T), NEGATIVE outside the passages, and answer (B,)."""
    ids, mask, passage = tensors(flat)
    with half(config["bf16"]):
        start, end, answer = reader(ids, kinds_of(flat, mask), mask)
    return start.masked_fill(~passage, NEGATIVE), end.masked_fill(~passage, NEGATIVE), answer


def distillation_loss(student: tuple[Tensor, Tensor, Tensor], teacher: tuple[Tensor, Tensor, Tensor], temperature: float) -> tuple[Tensor, Tensor]:
    """(KL of the student's starts and ends from the teacher's, mean over rows, at a temperature and
    times its square, as Hinton et al. 2015, §2; cross-entropy of the answer logits)"""
    spans = torch.zeros(())
    for ours, theirs in zip(student[:2], teacher[:2]):
        wanted = torch.log_softmax(theirs / temperature, 1)
        spans = spans + F.kl_div(torch.log_softmax(ours / temperature, 1), wanted, log_target=True, reduction="batchmean") / 2
    return spans * temperature**2, F.binary_cross_entropy_with_logits(student[2], torch.sigmoid(teacher[2]))


def imitation_loss(start: Tensor, end: Tensor, flat: list[Row], temperature: float) -> Tensor:
    """Distance of starts and ends from the logits that rows have from a teacher, mean over all rows."""
    wanted = np.full((len(flat), 2, start.shape[1]), NEGATIVE, dtype=np.float32)
    for logits, one in zip(wanted, flat):
        if one.teacher is not None:
            logits[:, one.passage : len(one.ids) - 1] = one.teacher
    taught = placed(np.array([float(r.teacher is not None) for r in flat], dtype=np.float32))
    each = imitation(torch.stack([start, end], 1), placed(wanted), temperature).mean(1)
    return (each * taught).mean()


def loss_of(reader: Reader, batch: list[Group], config: dict, teacher: Reader | None = None, share: float = 0.0) -> tuple[Tensor, dict[str, Tensor]]:
    """@param share  of the loss that is the distance from the teacher, 0 to 1; the rest is that of the answers"""
    flat = [r for group in batch for r in group]
    start, end, answer = logits_of(reader, flat, config)
    owner = placed(np.array([i for i, group in enumerate(batch) for _ in group]))
    known = [i for i, r in enumerate(flat) if r.start >= 0]
    gold = tuple(placed(np.array([place(flat[i]) for i in known], dtype=np.int64)) for place in (lambda r: r.start, lambda r: r.end))
    span = span_loss((start, end), gold, placed(np.array(known, dtype=np.int64)), owner)
    answerable = F.binary_cross_entropy_with_logits(answer, placed(np.array([float(r.answers) for r in flat], dtype=np.float32)))
    parts = {"span": span, "answerable": answerable}
    loss = span + config["answer_weight"] * answerable
    if weight := config.get("distil_logits"):
        parts["imitation"] = imitation_loss(start, end, flat, config["temperature"])
        loss = loss + weight * parts["imitation"]
    if teacher is None or share == 0:
        return loss, parts
    with torch.no_grad():
        wanted = logits_of(teacher, flat, config)
    parts["distance"], right = distillation_loss((start, end, answer), wanted, config["temperature"])
    return (1 - share) * loss + share * (parts["distance"] + config["answer_weight"] * right), parts


def freeze_below(reader: Reader, layers: int) -> None:
    """Leaves the embeddings and the lowest layers as they are: nothing flows back through them."""
    lowest = reader.encoder
    for part in (reader.kinds, lowest.words, lowest.places, lowest.norm, *lowest.layers[:layers]):
        part.requires_grad_(False)


def distilled_share(config: dict, progress: float) -> float:
    """Share of the loss that is the distance from the teacher, at a progress of 0 to 1."""
    return max(config.get("distil", 0.0) * (1 - progress), config.get("distil_least", 0.0))


class Sets:
    """What the config names, read once; drawn from again for every epoch."""

    def __init__(self, config: dict, data: Path, cache: Path):
        self.config, base = config, base_of(config)
        self.repeats = set_repeats(config)
        loaded = load_reader_sets(config, data, cache=cache)
        self.train, self.tune = ({name: parts[which] for name, parts in loaded.items()} for which in (0, 1))
        self.taught = load_logits(config["teacher_logits"]) if "teacher_logits" in config else None
        pairs = {set_name(entry): set_path(entry, data) for entry in config["sets"] if is_pairs(entry["file"])}
        self.pairs = {name: load_pairs(path, config["counts"][name], config["seed"], base) for name, path in pairs.items()}
        if share := config.get("lower_case"):
            for paragraph in (p for paragraphs in self.train.values() for p in paragraphs):
                paragraph.questions = [lower_case(load_tokenizer(base), q, share) for q in paragraph.questions]

    def epoch(self, number: int) -> list[Group]:
        seed = self.config["seed"] * 1009 + number
        made: list[Group] = []
        for name, paragraphs in self.train.items():
            for turn in range(self.repeats[name]):
                config = {**self.config, "seed": seed + 100_003 * turn}
                drawn = draw({name: paragraphs}, {name: 1.0}, config["counts"][name], config["seed"])[name]
                given = [list(group) for _, group in groupby(rows(name, paragraphs, drawn, config, self.taught), key=lambda r: r.id)]
                print(f"{name}: {len(given)} questions, {sum(map(len, given))} rows", flush=True)
                made += given
        rng = random.Random(seed)
        for name, pairs in self.pairs.items():
            made += [self.pair(name, *one, rng) for one in pairs]
            print(f"{name}: {len(pairs)} pairs", flush=True)
        return made

    def pair(self, name: str, question, own: Paragraph, other: Paragraph, rng: random.Random) -> Group:
        sized = [window(one, -1, -1, self.config["window"][1], rng) for one in (own, other)]
        right, wrong = (row(name, question, *one) for one in sized)
        return [replace(right, answers=True), wrong]


drawn_from: Sets  # by a process that draws epochs


def start_drawing(sets: Sets) -> None:
    """Begins a process that draws epochs. It inherits the sets, which would take long to send."""
    global drawn_from
    drawn_from = sets
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not run.py's handler


def draw_epoch(number: int) -> list[Group]:
    return drawn_from.epoch(number)


def epochs(sets: Sets, ahead: int) -> Iterator[list[Group]]:
    """One epoch after another; the next `ahead` ones are drawn by other processes meanwhile, because a
    GPU reads an epoch faster than one process draws it."""
    if ahead == 0:
        yield from map(sets.epoch, itertools.count())
    with multiprocessing.get_context("fork").Pool(ahead, start_drawing, (sets,)) as pool:
        drawn = deque(pool.apply_async(draw_epoch, (number,)) for number in range(ahead))
        for number in itertools.count(ahead):
            epoch = drawn.popleft().get()
            drawn.append(pool.apply_async(draw_epoch, (number,)))
            yield epoch


def stream(sets: Sets, tokens: int, skip: int, ahead: int = 0) -> Iterator[list[Group]]:
    """Batches of one epoch after another, without the first `skip` ones."""
    at = 0
    for number, groups in enumerate(epochs(sets, ahead)):
        for batch in group_batches(groups, tokens, random.Random(number)):
            at += 1
            if at > skip:
                yield batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", help="initial weights (a model.pt), instead of the config's")
    parser.add_argument("--written", help="file of written questions, from this folder, instead of the config's")
    parser.add_argument("--minutes", type=float, help="length of the schedule, instead of the config's")
    parser.add_argument("--ahead", type=int, default=0, help="epochs that other processes draw in advance; a GPU wants 2")
    args, config, out = begin(parser)
    if args.minutes is not None:
        config["minutes"] = args.minutes
    config["start"] = args.start or config.get("start")
    if args.written is not None:
        config["sets"] = [{**entry, "file": args.written} if entry.get("written") else entry for entry in config["sets"]]
    sets = Sets(config, Path(args.data), out.parent / "cache")
    checkpoint = out / "checkpoint.pt"
    resumed = args.resume and checkpoint.exists()
    if resumed or config["start"]:
        reader, state = restore_reader(checkpoint if resumed else Path(config["start"]))
    elif folder := config.get("mpnet"):
        reader, state = load_mpnet_base(Path(folder)), None
    else:
        reader, state = load_reader_base(base_shape(Shape(), base_of(config)), base_of(config)), None
        if config.get("word_bits") == 4:
            reader.encoder.words.weight.data = torch.from_numpy(rounded(reader.encoder.words.weight.detach().numpy()))
    reader.encoder.words.weight.requires_grad_(False)
    if frozen := config.get("frozen_layers", 0):
        freeze_below(reader, frozen)
    teacher = restore_reader(Path(config["teacher"]))[0].eval() if "teacher" in config else None
    group = {"params": [p for p in reader.parameters() if p.requires_grad], "factor": config["rate"], "weight_decay": 0.01}
    run = Run(out, reader, [group], config, state if resumed else None)
    given = stream(sets, config["batch_tokens"], run.step, args.ahead)

    while run.going():
        batch = next(given)
        reader.encoder.dropout = config["dropout"]
        loss, parts = loss_of(reader, batch, config, teacher, distilled_share(config, run.progress))
        reader.encoder.dropout = 0.0
        run.learn(loss, parts, sum(len(r.ids) for one in batch for r in one))
        if (line := run.row(config["log_every"])) is not None:
            run.write(line)
        run.checkpoint()
    run.finish()
    score = reader_scorer(reader, config["bf16"])
    measured = {name: figures(score, name, sets.tune[name], count, config["seed"]) for name, count in config["held_out_last"].items()}
    run.write({"step": run.step, "heldOut": measured})


if __name__ == "__main__":
    main()
