"""Trains the reader on the teacher's labels (label.py; losses in distil_loss.py).

    python distil.py --config runs/reader-distilled.json --labels work/labels --labels work/labels-pairs --data SQUAD_TRAIN.json --out work/reader-distilled

`--data` is read for the held-out articles alone, on which the share of exact spans is logged.
Starts from the base encoder, or from --start. SIGTERM writes a checkpoint and stops; --resume
continues with the batch after it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import torch

from data import load_squad, split_held_out
from distil_loss import distil_loss
from labels import Label, epoch, shards
from model import Shape, restore
from reader import Reader, exact, load_reader_base
from run import Run, machine_arguments, use_machine


def stream(folders: list[Path], config: dict, skip: int) -> Iterator[list[list[Label]]]:
    """Batches of one epoch after another, without the first `skip` ones."""
    number = at = 0
    while True:
        before = at
        for _, batch in epoch(folders, config["batch_tokens"], config["seed"] + number):
            at += 1
            if at > skip:
                yield batch
        if at == before:
            raise SystemExit(f"There are no labels in {', '.join(map(str, folders))}. Write some with label.py.")
        number += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--data", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--labels", action="append", required=True, help="a folder of label.py; may be given more than once")
    parser.add_argument("--start", help="initial weights (a model.pt), instead of the base's")
    parser.add_argument("--resume", action="store_true")
    machine_arguments(parser)
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    use_machine(args)
    torch.manual_seed(config["seed"])
    out, folders = Path(args.out), [Path(folder) for folder in args.labels]
    out.mkdir(parents=True, exist_ok=True)
    _, held = split_held_out(load_squad(args.data, config["max_tokens"], out.parent / "cache"), config["held_out"], config["held_out_seed"])
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        reader, state = restore(checkpoint, Reader)
    elif args.start:
        reader, state = restore(Path(args.start), Reader)[0], None
    else:
        reader, state = load_reader_base(Shape(**config.get("shape", {}))), None
    reader.encoder.words.weight.requires_grad_(False)
    group = {"params": [p for p in reader.parameters() if p.requires_grad], "factor": config["rate"], "weight_decay": 0.01}
    run = Run(out, reader, [group], config, state)
    batches = stream(folders, config, run.step)
    print(f"{sum(len(shards(folder)) for folder in folders)} shards, from step {run.step}", flush=True)
    while run.going():
        batch = next(batches)
        reader.encoder.dropout = config.get("dropout", 0.0)
        loss, parts = distil_loss(reader, batch, config)
        reader.encoder.dropout = 0.0
        run.learn(loss, parts, sum(len(r.ids) for rows in batch for r in rows))
        if (row := run.row(config.get("log_every", 50))) is not None:
            if run.crossed(config["held_out_every"]):
                row["heldOutExact"] = round(exact(reader, held, 600, bf16=config.get("bf16", False)), 4)
            run.write(row)
        run.checkpoint()
    run.finish()


if __name__ == "__main__":
    main()
