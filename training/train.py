"""Trains the encoder. One config file per run; checkpoints every few minutes; `--resume` continues
from the last one.

    python train.py --config runs/first.json --data SQUAD_TRAIN.json --out work/first
    python train.py --config runs/encoder-multi.json --data DATA_FOLDER --out work/encoder-multi     # a config with `sets`
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import torch

from data import Paragraph, epoch_batches, mined_batches
from text_base import base_folder, base_of, base_shape, load_tokenizer
from evaluate import KINDS, figures, stored_figures
from losses import batch_losses
from lexical_start import idf_gain, term_idf
from mixed_sets import load_paragraphs
from model import Shape, Verbatim, load_base, restore
from run import Run, begin
from scores import LossConfig
from stopwords import term_stop_mask
from teacher_logits import attach


def parameter_groups(model, config: dict) -> list[dict]:
    for parameter in model.encoder.words.parameters():
        parameter.requires_grad_(False)  # keeps the terms' lexical identity (and SPARC §4.1)
    if frozen := config.get("frozen_layers", 0):
        for part in (model.encoder.places, model.encoder.norm, *model.encoder.layers[:frozen]):
            for parameter in part.parameters():
                parameter.requires_grad_(False)  # nothing flows back through these
    encoder = {id(p) for p in model.encoder.parameters()}
    base, heads, gains = [], [], [model.term_gain]
    apart = ("term_gain", "no_answer")
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and name not in apart:
            (base if id(parameter) in encoder else heads).append(parameter)
    rate_ = config["rate"]
    return [
        {"params": base, "factor": rate_, "weight_decay": 0.01},
        {"params": heads, "factor": rate_ * config["head_rate"], "weight_decay": 0.01},
        {"params": gains, "factor": rate_ * config["head_rate"] * 4, "weight_decay": 0.0},
        {"params": [model.no_answer], "factor": rate_ * config.get("no_answer_rate", config["head_rate"]), "weight_decay": 0.01},
    ]


def held_figures(model: Verbatim, paragraphs: list[Paragraph], count: int, bf16: bool) -> dict[str, dict[str, float]]:
    sample = paragraphs[:: max(1, len(paragraphs) // count)]
    return {"stored": stored_figures(model, sample, bf16), **{kind: figures(model, sample, KINDS[kind], bf16) for kind in ("full", "denseOnly")}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", help="folder of teacher.py, instead of the config's one or list")
    parser.add_argument("--start", help="initial weights (a model.pt), instead of the config's")
    parser.add_argument("--mined", help="file of mine.py, instead of the config's")
    args, config, out = begin(parser)
    random.seed(config["seed"])

    train, held = load_paragraphs(config, args.data, out.parent / "cache")
    base = base_of(config)
    shape = base_shape(Shape(**config.get("shape", {})), base)
    loss_config = LossConfig(**config.get("loss", {}))
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        model, state = restore(checkpoint)
    elif start := args.start or config.get("start"):
        model, state = restore(Path(start))[0], None
    else:
        model, state = (load_base(shape, base_folder(base)) if config.get("base", True) else Verbatim(shape)), None
        idf_gain(model, train, load_tokenizer(base))
    if loss_config.concatenate:
        model.term_idf.copy_(term_idf(model.shape.vocabulary, train))
    if config.get("teacher"):
        folders = args.teacher or config["teacher"]
        print(f"{attach(train, *([folders] if isinstance(folders, str) else folders))} questions with a teacher", flush=True)
    run = Run(out, model, parameter_groups(model, config), config, state)
    term_stop = term_stop_mask(load_tokenizer(base), model.shape.vocabulary)
    confusers = json.loads(Path(args.mined or config["mined"]).read_text()) if args.mined or config.get("mined") else None

    def epoch_of(epoch: int) -> list[list[int]]:
        seed = config["seed"] + epoch
        if confusers is None:
            return epoch_batches(train, config["groups"], config["group_size"], seed)
        return mined_batches(train, confusers, config["groups"], config["group_size"], seed)

    for places in run.batches(epoch_of):
        batch = [train[i] for i in places]
        model.encoder.int8 = run.progress >= 1 - config.get("int8_share", 0.0)
        model.encoder.dropout = config.get("dropout", 0.0)
        generator = torch.Generator(torch.get_default_device()).manual_seed(config["seed"] * 1_000_003 + run.step)
        loss, parts = batch_losses(model, batch, loss_config, generator, term_stop)
        run.learn(loss, parts, sum(len(p.ids) + sum(len(q.ids) for q in p.questions) for p in batch))
        if (row := run.row(config.get("log_every", 20))) is not None:
            if run.crossed(config.get("evaluate_every", 10**9)):
                model.encoder.dropout = 0.0
                row["heldOut"] = {name: held_figures(model, some, 150 // len(held), loss_config.bf16) for name, some in held.items() if some}
            run.write(row)
        run.checkpoint()
    run.finish()


if __name__ == "__main__":
    main()
