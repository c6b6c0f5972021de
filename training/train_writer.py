"""Trains the question writer on (passage, answer, question) triples of the span sets.

    python train_writer.py --config runs/writer.json --data DATA_FOLDER --out work/writer

Logs the mean loss on held-out questions and a few questions that it writes. SIGTERM writes a
checkpoint and stops; --resume continues.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

import torch

from text_base import base_folder, load_tokenizer
from model import Shape, half, load_base, restore
from run import Run, machine_arguments, use_machine
from span_sets import train_and_tune
from teacher_data import draw
from writer_data import batches, examples, tensors
from writer_model import Writer, writer_loss
from writer_model import draw as draw_questions


def from_base(shape: Shape) -> Writer:
    writer = Writer(shape)
    writer.encoder.load_state_dict(load_base(shape, base_folder()).encoder.state_dict())
    return writer


def load(config: dict, data: Path, cache: Path) -> tuple[list, list]:
    """(training, held-out) examples of the config's sets."""
    train, held = [], []
    for name, path in config["sets"].items():
        paragraphs, tune = train_and_tune(str(data / path), config["held_out"], config["held_out_seed"], cache)
        asked = draw({name: paragraphs}, {name: 1.0}, config["questions"][name], config["seed"])[name]
        train += examples(paragraphs, asked, config["window"], f"{config['seed']}:{name}")
        asked = draw({name: tune}, {name: 1.0}, config["held_out_questions"], config["seed"])[name]
        held += examples(tune, asked, config["window"], f"{config['seed']}:{name}:held")
    return train, held


def stream(train: list, config: dict, skip: int) -> Iterator[list]:
    """Batches of one epoch after another, without the first `skip` ones."""
    at = number = 0
    while True:
        for batch in batches(train, config["batch_tokens"], config["seed"] + number):
            at += 1
            if at > skip:
                yield batch
        number += 1


@torch.no_grad()
def held_out_loss(writer: Writer, held: list, config: dict) -> float:
    total = count = 0.0
    for batch in batches(held, config["batch_tokens"], 0):
        with half(config["bf16"]):
            total += float(writer_loss(writer, *tensors(batch))) * len(batch)
        count += len(batch)
    return total / max(1, count)


def written(writer: Writer, held: list, count: int, seed: int) -> list[str]:
    """`count` questions for held-out passages, with the answers that they were asked to have."""
    tokenizer = load_tokenizer()
    generator = torch.Generator().manual_seed(seed)
    made = []
    for source, _ in random.Random(seed).sample(held, min(count, len(held))):
        ids, kinds = torch.as_tensor(source.paragraph.ids)[None], torch.as_tensor(source.kinds)[None]
        tokens, _ = draw_questions(writer, ids, kinds, 32, 0.9, 0.7, generator)[0]
        made.append(f"{tokenizer.decode(tokens)} [{source.answer}]")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--data", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--resume", action="store_true")
    machine_arguments(parser)
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    use_machine(args)
    torch.manual_seed(config["seed"])
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    train, held = load(config, Path(args.data), out.parent / "cache")
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        writer, state = restore(checkpoint, Writer)
    else:
        writer, state = from_base(Shape()), None
    writer.encoder.words.weight.requires_grad_(False)
    group = {"params": [p for p in writer.parameters() if p.requires_grad], "factor": config["rate"], "weight_decay": 0.01}
    run = Run(out, writer, [group], config, state)
    found = stream(train, config, run.step)
    print(f"{len(train)} questions, {len(held)} held out, from step {run.step}", flush=True)
    while run.going():
        ids, kinds, mask = tensors(next(found))
        writer.encoder.dropout = config["dropout"]
        with half(config["bf16"]):
            loss = writer_loss(writer, ids, kinds, mask, config["smoothing"])
        writer.encoder.dropout = 0.0
        run.learn(loss, {}, int(mask.sum()))
        if (row := run.row(config["log_every"])) is not None:
            if run.crossed(config["held_out_every"]):
                row |= {"heldOutLoss": round(held_out_loss(writer, held, config), 4), "written": written(writer, held, 6, run.step)}
            run.write(row)
        run.checkpoint()
    run.finish()


if __name__ == "__main__":
    main()
