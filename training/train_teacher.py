"""Trains the teacher: all-mpnet-base-v2 as a reader, on SQuAD and span sets of other kinds.

    loss = mean over answerable rows of (-log p(start) - log p(end)) / 2 + weight · binary cross-entropy of the answer logit

    python train_teacher.py --config runs/teacher.json --data DATA_FOLDER --base work/base/all-mpnet-base-v2 --out work/teacher

The schedule is in minutes of training, not in steps, because the machine's speed varies (run.py);
`--minutes` overrides the config's. The run ends when they are over or when the data ends. SIGTERM
writes a checkpoint and stops; --resume continues.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from model import half
from reader import NEGATIVE
from run import Run, machine_arguments, use_machine
from span_sets import train_and_tune
from teacher_data import Row, batches, draw, rows, tensors
from teacher_figures import figures, torch_scorer
from teacher_model import Teacher, from_base, restore_teacher, save_teacher

def teacher_loss(teacher: Teacher, batch: list[Row], config: dict) -> tuple[Tensor, dict[str, Tensor]]:
    ids, mask, passage = tensors(batch)
    with half(config["bf16"]):
        start, end, answer = teacher(ids, mask)
    right = torch.tensor([float(r.answers) for r in batch])
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
    config["steps"] = len(made)
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        teacher, state = restore_teacher(checkpoint)
    else:
        teacher, state = from_base(Path(args.base)), None
    teacher.freeze(config["frozen_layers"])
    run = Run(out, teacher, groups(teacher, config), config, state, save=save_teacher)
    print(f"{len(made)} batches, from step {run.step}, {run.spent / 60:.1f} of {config['minutes']} minutes spent", flush=True)

    def evaluate(questions: dict[str, int]) -> dict:
        score = torch_scorer(teacher, config["bf16"])
        return {name: figures(score, name, tune[name], count, config["seed"]) for name, count in questions.items()}

    marks = [mark for mark in config["held_out_at"] if mark > run.progress]
    while run.going():
        batch = made[run.step]
        loss, parts = teacher_loss(teacher, batch, config)
        run.learn(loss, parts, sum(len(r.ids) for r in batch))
        if (row := run.row(config["log_every"])) is not None:
            if marks and run.progress >= marks[0]:
                marks.pop(0)
                row["heldOut"] = evaluate(config["held_out_now"])
            run.write(row)
        run.checkpoint()
    run.finish()
    run.write({"step": run.step, "heldOut": evaluate(config["held_out_last"])})


if __name__ == "__main__":
    main()
