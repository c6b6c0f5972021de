"""Train the encoder. One config file a run; checkpoints every few minutes; `--resume` goes on where the last one stopped.

    python train.py --config runs/first.json --data SQUAD_TRAIN.json --out work/first
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import time
from dataclasses import fields
from pathlib import Path

import torch

from data import base_folder, epoch_batches, load_squad, split_held_out
from evaluate import KINDS, figures
from losses import LossConfig, batch_losses
from model import Shape, load_base, restore, save
from stopwords import term_stop_mask
from teacher import attach


def rate(step: int, total: int, warmup: float) -> float:
    """Linear warm-up, then linear decay to 0; a factor in [0, 1]."""
    rise = max(1, round(total * warmup))
    return min((step + 1) / rise, max(0.0, (total - step) / max(1, total - rise)))


def parameter_groups(model, config: dict) -> list[dict]:
    for parameter in model.encoder.words.parameters():
        parameter.requires_grad_(False)  # the lexical identity of the terms (and SPARC §4.1)
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


def idf_gain(model, paragraphs) -> None:
    """Start of the terms' gains: the logarithm of idf over the training paragraphs, scaled so that the mean question token has 1."""
    count = torch.zeros(model.shape.vocabulary)
    for paragraph in paragraphs:
        count[torch.unique(torch.as_tensor(paragraph.ids))] += 1
    n = len(paragraphs)
    idf = torch.log(1 + (n - count + 0.5) / (count + 0.5))
    asked = torch.cat([torch.as_tensor(q.ids[1:-1]) for p in paragraphs[:2000] for q in p.questions])
    gain = torch.log((idf / idf[asked].mean()).clamp(min=0.05)) * 0.5
    model.term_gain.data.copy_(gain)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--teacher", help="the teacher's distributions (teacher.py), instead of the config's")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--stop-after", type=int, help="stop after this many steps (the schedule stays that of the config)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    torch.set_num_threads(args.threads)
    torch.manual_seed(config["seed"])
    random.seed(config["seed"])
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)

    paragraphs = load_squad(args.data, config["max_tokens"], out.parent / "cache", config.get("limit"))
    train, held = split_held_out(paragraphs, config["held_out"], config["seed"])
    shape = Shape(**config.get("shape", {}))
    loss_config = LossConfig(**{k: v for k, v in config.get("loss", {}).items() if k in {f.name for f in fields(LossConfig)}})
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        model, state = restore(checkpoint)
    else:
        from model import Verbatim

        model, state = (load_base(shape, base_folder()) if config.get("base", True) else Verbatim(shape)), None
        idf_gain(model, train)
    if config.get("teacher"):
        print(f"{attach(train, args.teacher or config['teacher'])} questions with a teacher", flush=True)
    groups = parameter_groups(model, config)
    optimiser = torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98), eps=1e-6, fused=True)
    step = 0
    if state is not None:
        optimiser.load_state_dict(state["optimiser"])
        step = state["step"]
    total = config["steps"]
    stop_at = min(total, step + args.stop_after) if args.stop_after else total
    term_stop = term_stop_mask(model.shape.vocabulary)
    log = (out / "log.jsonl").open("a")
    per_epoch = len(epoch_batches(train, config["groups"], config["group_size"], config["seed"]))
    print(f"{len(train)} paragraphs, {per_epoch} steps an epoch, {total} steps in all, from step {step}", flush=True)
    tokens, since, saved, sums, seen = 0, time.time(), time.time(), {}, 0
    batches: list[list[int]] = []
    batches_epoch = -1
    while step < stop_at:
        epoch, place = divmod(step, per_epoch)
        if epoch != batches_epoch:
            batches, batches_epoch = epoch_batches(train, config["groups"], config["group_size"], config["seed"] + epoch), epoch
        batch = [train[i] for i in batches[place]]
        factor = rate(step, total, config["warmup"])
        for group in optimiser.param_groups:
            group["lr"] = group["factor"] * factor
        model.encoder.int8 = step >= total * (1 - config.get("int8_share", 0.0))
        generator = torch.Generator().manual_seed(config["seed"] * 1_000_003 + step)
        loss, parts = batch_losses(model, batch, loss_config, generator, term_stop)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_([p for g in groups for p in g["params"]], 1.0)
        if math.isfinite(float(norm)):
            optimiser.step()
        step += 1
        seen += 1
        tokens += sum(len(p.ids) + sum(len(q.ids) for q in p.questions) for p in batch)
        for key, value in {"loss": loss, **parts, "norm": norm}.items():
            sums[key] = sums.get(key, 0.0) + float(value.detach())
        if seen == config.get("log_every", 20):
            row = {"step": step, "tokensPerSecond": round(tokens / (time.time() - since)), **{k: round(v / seen, 4) for k, v in sums.items()}}
            if step % config.get("evaluate_every", 10**9) == 0:
                sample = held[:: max(1, len(held) // 150)]
                row["heldOut"] = {k: figures(model, sample, KINDS[k], loss_config.bf16) for k in ("full", "denseOnly")}
            print(json.dumps(row), flush=True)
            log.write(json.dumps(row) + "\n")
            log.flush()
            tokens, since, sums, seen = 0, time.time(), {}, 0
        if time.time() - saved > config.get("checkpoint_seconds", 400) or step == stop_at:
            save(model, out / "checkpoint.tmp", optimiser=optimiser.state_dict(), step=step, config=config)
            os.replace(out / "checkpoint.tmp", checkpoint)
            saved = time.time()
    save(model, out / "model.pt", config=config, step=step)
    print("done", flush=True)


if __name__ == "__main__":
    main()
