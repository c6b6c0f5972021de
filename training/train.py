"""Trains the encoder. One config file per run; checkpoints every few minutes; `--resume` continues
from the last one.

    python train.py --config runs/first.json --data SQUAD_TRAIN.json --out work/first
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import fields
from pathlib import Path

import torch

from data import base_folder, epoch_batches, load_squad, mined_batches, split_held_out
from evaluate import KINDS, figures
from losses import LossConfig, batch_losses
from model import Shape, Verbatim, load_base, restore
from run import Run, machine_arguments, use_machine
from stopwords import term_stop_mask
from teacher import attach


def parameter_groups(model, config: dict) -> list[dict]:
    for parameter in model.encoder.words.parameters():
        parameter.requires_grad_(False)  # keeps the terms' lexical identity (and SPARC §4.1)
    encoder = {id(p) for p in model.encoder.parameters()}
    base, heads, gains = [], [], [model.term_gain]
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and name != "term_gain":
            (base if id(parameter) in encoder else heads).append(parameter)
    rate_ = config["rate"]
    return [
        {"params": base, "factor": rate_, "weight_decay": 0.01},
        {"params": heads, "factor": rate_ * config["head_rate"], "weight_decay": 0.01},
        {"params": gains, "factor": rate_ * config["head_rate"] * 4, "weight_decay": 0.0},
    ]


def term_idf(vocabulary: int, paragraphs) -> torch.Tensor:
    """(vocabulary,): idf of every word piece over the training paragraphs."""
    count = torch.zeros(vocabulary)
    for paragraph in paragraphs:
        count[torch.unique(torch.as_tensor(paragraph.ids))] += 1
    n = len(paragraphs)
    return torch.log(1 + (n - count + 0.5) / (count + 0.5))


def idf_gain(model, paragraphs) -> None:
    """Initialises the terms' gains to log idf over the training paragraphs, scaled so that the mean
    question token has gain 1."""
    idf = term_idf(model.shape.vocabulary, paragraphs)
    asked = torch.cat([torch.as_tensor(q.ids[1:-1]) for p in paragraphs[:2000] for q in p.questions])
    gain = torch.log((idf / idf[asked].mean()).clamp(min=0.05)) * 0.5
    model.term_gain.data.copy_(gain)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--teacher", help="folder of teacher.py, instead of the config's")
    parser.add_argument("--start", help="initial weights (a model.pt), instead of the config's")
    parser.add_argument("--mined", help="file of mine.py, instead of the config's")
    parser.add_argument("--resume", action="store_true")
    machine_arguments(parser)
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    use_machine(args)
    torch.manual_seed(config["seed"])
    random.seed(config["seed"])
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)

    paragraphs = load_squad(args.data, config["max_tokens"], out.parent / "cache", config.get("limit"))
    train, held = split_held_out(paragraphs, config["held_out"], config.get("held_out_seed", config["seed"]))
    shape = Shape(**config.get("shape", {}))
    loss_config = LossConfig(**{k: v for k, v in config.get("loss", {}).items() if k in {f.name for f in fields(LossConfig)}})
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        model, state = restore(checkpoint)
    elif start := args.start or config.get("start"):
        model, state = restore(Path(start))[0], None
    else:
        model, state = (load_base(shape, base_folder()) if config.get("base", True) else Verbatim(shape)), None
        idf_gain(model, train)
    if loss_config.concatenate:
        model.term_idf.copy_(term_idf(model.shape.vocabulary, train))
    if config.get("teacher"):
        print(f"{attach(train, args.teacher or config['teacher'])} questions with a teacher", flush=True)
    run = Run(out, model, parameter_groups(model, config), config, state)
    total = config["steps"]
    term_stop = term_stop_mask(model.shape.vocabulary)
    confusers = json.loads(Path(args.mined or config["mined"]).read_text()) if args.mined or config.get("mined") else None

    def epoch_of(seed: int) -> list[list[int]]:
        if confusers is None:
            return epoch_batches(train, config["groups"], config["group_size"], seed)
        return mined_batches(train, confusers, config["groups"], config["group_size"], seed)

    per_epoch = len(epoch_of(config["seed"]))
    print(f"{len(train)} paragraphs, {per_epoch} steps per epoch, {total} in all, from step {run.step}", flush=True)
    batches: list[list[int]] = []
    batches_epoch = -1
    while run.going():
        epoch, place = divmod(run.step, per_epoch)
        if epoch != batches_epoch:
            batches, batches_epoch = epoch_of(config["seed"] + epoch), epoch
        batch = [train[i] for i in batches[place]]
        model.encoder.int8 = run.step >= total * (1 - config.get("int8_share", 0.0))
        model.encoder.dropout = config.get("dropout", 0.0)
        generator = torch.Generator(torch.get_default_device()).manual_seed(config["seed"] * 1_000_003 + run.step)
        loss, parts = batch_losses(model, batch, loss_config, generator, term_stop)
        run.learn(loss, parts, sum(len(p.ids) + sum(len(q.ids) for q in p.questions) for p in batch))
        if (row := run.row(config.get("log_every", 20))) is not None:
            if run.crossed(config.get("evaluate_every", 10**9)):
                model.encoder.dropout = 0.0
                sample = held[:: max(1, len(held) // 150)]
                row["heldOut"] = {k: figures(model, sample, KINDS[k], loss_config.bf16) for k in ("full", "denseOnly")}
            run.write(row)
        run.checkpoint()
    run.finish()


if __name__ == "__main__":
    main()
