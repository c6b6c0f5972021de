"""Trains the teacher: all-mpnet-base-v2 as a reader, on SQuAD and span sets of other kinds.

    loss = mean over answerable rows of (-log p(start) - log p(end)) / 2 + weight · binary cross-entropy of the answer logit

    python train_teacher.py --config runs/teacher.json --data DATA_FOLDER --base work/base/all-mpnet-base-v2 --out work/teacher

The schedule is in time, not in steps, because the machine's speed varies: rate(t) rises linearly over the first `warmup` of
`minutes` and then falls linearly to 0, where t counts only the time that this run was training. `--minutes` overrides the
config's. The run ends when t reaches `minutes` or when the data ends. SIGTERM writes a checkpoint and stops; --resume continues.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from model import half
from reader import NEGATIVE
from run import machine_arguments, use_machine
from span_sets import train_and_tune
from teacher_data import Row, batches, draw, rows, tensors
from teacher_figures import figures
from teacher_model import Teacher, from_base, restore_teacher, save_teacher

SPIKE_STEPS = 20  # this many steps in a row with a gradient that is not finite end the run


def schedule(progress: float, warmup: float) -> float:
    """Linear rise over the first `warmup` of the progress (0-1), then linear fall to 0; a factor in [0, 1]."""
    return max(0.0, min((progress + 1e-3) / warmup, (1 - progress) / (1 - warmup)))


def teacher_loss(teacher: Teacher, batch: list[Row], config: dict) -> tuple[Tensor, dict[str, Tensor]]:
    ids, mask, passage = tensors(batch)
    with half(config["bf16"]):
        start, end, answer = teacher(ids, mask)
    right = torch.tensor([float(r.start >= 0) for r in batch])
    known = [i for i, r in enumerate(batch) if r.start >= 0]
    span = torch.zeros(())
    for logits, gold in ((start, [batch[i].start for i in known]), (end, [batch[i].end for i in known])):
        if known:
            span = span + F.cross_entropy(logits.masked_fill(~passage, NEGATIVE)[known], torch.tensor(gold)) / 2
    answerable = F.binary_cross_entropy_with_logits(answer, right)
    return span + config["answer_weight"] * answerable, {"span": span, "answerable": answerable}


def groups(teacher: Teacher, config: dict) -> list[dict]:
    heads = [*teacher.span.parameters(), *teacher.answer.parameters()]
    body = [p for p in teacher.mpnet.parameters() if p.requires_grad]
    return [
        {"params": body, "factor": config["rate"], "weight_decay": 0.01},
        {"params": heads, "factor": config["rate"] * config["heads_factor"], "weight_decay": 0.0},
    ]


def stream(config: dict, data: Path, cache: Path) -> tuple[list[list[Row]], dict]:
    """All batches in their order, and the held-out paragraphs of each set."""
    train, tune = {}, {}
    for name, path in config["sets"].items():
        train[name], tune[name] = train_and_tune(str(data / path), config["held_out"], config["held_out_seed"], cache)
    drawn = draw(train, config["shares"], config["questions"], config["seed"])
    made = [one for name in train for one in rows(name, train[name], drawn[name], config)]
    print(f"{ {name: len(asked) for name, asked in drawn.items()} } questions, {len(made)} rows", flush=True)
    return batches(made, config["batch_tokens"], config["seed"]), tune


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--data", "--base", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--minutes", type=float, help="length of the schedule, instead of the config's")
    parser.add_argument("--resume", action="store_true")
    machine_arguments(parser)
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    config["minutes"] = args.minutes or config["minutes"]
    use_machine(args)
    torch.manual_seed(config["seed"])
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    made, tune = stream(config, Path(args.data), out.parent / "cache")
    checkpoint = out / "checkpoint.pt"
    step, spent, state = 0, 0.0, None
    if args.resume and checkpoint.exists():
        teacher, state = restore_teacher(checkpoint)
        step, spent = state["step"], state["spent"]
    else:
        teacher = from_base(Path(args.base))
    teacher.freeze(config["frozen_layers"])
    parameters = groups(teacher, config)
    optimiser = torch.optim.AdamW(parameters, lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=True)
    if state is not None:
        optimiser.load_state_dict(state["optimiser"])
    every = [p for group in parameters for p in group["params"]]

    def write(row: dict) -> None:
        print(json.dumps(row), flush=True)
        with (out / "log.jsonl").open("a") as log:
            log.write(json.dumps(row) + "\n")

    def save() -> None:
        save_teacher(teacher, checkpoint, optimiser=optimiser.state_dict(), step=step, spent=spent, config=config)

    def evaluate(questions: dict[str, int]) -> dict:
        return {name: figures(teacher, name, held, questions[name], config["seed"], config["bf16"]) for name, held in tune.items() if name in questions}

    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))
    print(f"{len(made)} batches, from step {step}, {spent / 60:.1f} of {config['minutes']} minutes spent", flush=True)
    sums: dict[str, float] = {}
    tokens = seen = bad = 0
    since = saved = time.time()
    marks = [m for m in config["held_out_at"] if m > spent / 60 / config["minutes"]]
    seconds = config["minutes"] * 60
    while step < len(made) and spent < seconds and not stopping:
        began = time.time()
        batch = made[step]
        factor = schedule(spent / seconds, config["warmup"])
        for group in optimiser.param_groups:
            group["lr"] = group["factor"] * factor
        loss, parts = teacher_loss(teacher, batch, config)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = float(torch.nn.utils.clip_grad_norm_(every, 1.0))
        bad = 0 if math.isfinite(norm) else bad + 1
        if bad == 0:
            optimiser.step()
        elif bad == SPIKE_STEPS:
            raise SystemExit(f"{SPIKE_STEPS} steps in a row had no finite gradient (step {step}). The last checkpoint is {checkpoint}; resume with a lower rate.")
        step, seen, tokens = step + 1, seen + 1, tokens + sum(len(r.ids) for r in batch)
        for key, value in {"loss": float(loss.detach()), **{k: float(v.detach()) for k, v in parts.items()}, "norm": norm}.items():
            sums[key] = sums.get(key, 0.0) + value
        spent += time.time() - began
        if seen == config["log_every"]:
            means = {k: round(v / seen, 4) for k, v in sums.items()}
            write({"step": step, "minutes": round(spent / 60, 1), "rate": config["rate"] * factor, "tokensPerSecond": round(tokens / (time.time() - since)), **means})
            sums, tokens, seen, since = {}, 0, 0, time.time()
        if marks and spent / seconds >= marks[0]:
            marks.pop(0)
            began = time.time()
            write({"step": step, "heldOut": evaluate(config["held_out_now"])})
            spent += time.time() - began
            since = time.time()
        if time.time() - saved > config["checkpoint_seconds"]:
            try:
                save()
            except OSError as error:  # the previous checkpoint is still complete
                print(f"The checkpoint could not be written: {error}. Training continues from memory.", flush=True)
            saved = time.time()
    save()
    if stopping:
        raise SystemExit(f"Stopped by signal {stopping[0]} at step {step}. Continue with --resume.")
    save_teacher(teacher, out / "model.pt", step=step, config=config)
    write({"step": step, "minutes": round(spent / 60, 1), "heldOut": evaluate(config["held_out_last"]), "done": True})


if __name__ == "__main__":
    main()
