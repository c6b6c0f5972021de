"""What every training run does beside its losses: the optimiser's step, the log, checkpoints, going on after an interruption."""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from pathlib import Path

import torch
from torch import Tensor, nn

from model import save


def machine_arguments(parser: argparse.ArgumentParser) -> None:
    """What every run may be told of the machine; the recipe is the same on each. A larger one wants larger batches: the config's `groups`."""
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="cpu", help="where tensors lie: cpu, cuda, cuda:1, mps, …")


def use_machine(args: argparse.Namespace) -> None:
    torch.set_num_threads(args.threads)
    if args.device != "cpu":  # even the same device again would cost every call something
        torch.set_default_device(args.device)


def rate(step: int, total: int, warmup: float) -> float:
    """Linear warm-up, then linear decay to 0; a factor in [0, 1]."""
    rise = max(1, round(total * warmup))
    return min((step + 1) / rise, max(0.0, (total - step) / max(1, total - rise)))


class Run:
    """`state`: the checkpoint that the run goes on from. `step` counts the steps that are done."""

    def __init__(self, out: Path, model: nn.Module, groups: list[dict], config: dict, state: dict | None):
        self.out, self.model, self.config = out, model, config
        self.parameters = [p for group in groups for p in group["params"]]
        self.optimiser = torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98), eps=1e-6, fused=True)
        self.step = 0
        if state is not None:
            self.optimiser.load_state_dict(state["optimiser"])
            for group, given in zip(self.optimiser.param_groups, groups):
                group["factor"] = given["factor"]  # the config decides, not the checkpoint
            self.step = state["step"]
        self.log = (out / "log.jsonl").open("a")
        self.saved = time.time()
        self.start_row()

    def start_row(self) -> None:
        self.tokens, self.seen, self.sums, self.since = 0, 0, {}, time.time()

    def learn(self, loss: Tensor, parts: dict[str, Tensor], tokens: int) -> None:
        """One step at the schedule's rate; a gradient that is not finite is passed over."""
        for group in self.optimiser.param_groups:
            group["lr"] = group["factor"] * rate(self.step, self.config["steps"], self.config["warmup"])
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        if math.isfinite(float(norm)):
            self.optimiser.step()
        self.step += 1
        self.seen += 1
        self.tokens += tokens
        for key, value in {"loss": loss, **parts, "norm": norm}.items():
            self.sums[key] = self.sums.get(key, 0.0) + float(value.detach())

    def row(self, every: int) -> dict | None:
        """Means since the last row, when it is time for one."""
        if self.seen < every:
            return None
        means = {k: round(v / self.seen, 4) for k, v in self.sums.items()}
        return {"step": self.step, "tokensPerSecond": round(self.tokens / (time.time() - self.since)), **means}

    def crossed(self, every: int) -> bool:
        """Whether a multiple of `every` steps, or the last one, lies in the row that is to be written."""
        return self.step // every != (self.step - self.seen) // every or self.step == self.config["steps"]

    def write(self, row: dict) -> None:
        print(json.dumps(row), flush=True)
        self.log.write(json.dumps(row) + "\n")
        self.log.flush()
        self.start_row()

    def checkpoint(self, last: bool) -> None:
        """Saves when it is time to (or `last`); the old checkpoint is there until the new one is whole."""
        if not last and time.time() - self.saved <= self.config.get("checkpoint_seconds", 400):
            return
        save(self.model, self.out / "checkpoint.tmp", optimiser=self.optimiser.state_dict(), step=self.step, config=self.config)
        os.replace(self.out / "checkpoint.tmp", self.out / "checkpoint.pt")
        self.saved = time.time()

    def finish(self) -> None:
        save(self.model, self.out / "model.pt", config=self.config, step=self.step)
        print("done", flush=True)
