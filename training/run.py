"""What every training run does besides its losses: the optimiser's step, the schedule, the log,
checkpoints, clean shutdown.

A run has a length in steps (config `steps`), in minutes of training (`minutes`, for machines whose
speed varies), or both, whichever ends first; its progress from 0 to 1 sets the rate. It ends early, with a message and a
usable checkpoint, when it gets SIGTERM or Ctrl-C, when gradients stay infinite, or when a
checkpoint cannot be written at the end. A checkpoint that fails in between is reported and tried
again later.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor, nn

from model import save

MAX_BAD_STEPS = 20  # this many steps in a row without a finite gradient end the run
WINDOW = 50  # steps that the usual loss is averaged over
SPIKE = 4.0  # a loss this many times the usual one is reported


def machine_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of every run that depend on the machine. A larger machine wants larger batches: the
    config's `groups`."""
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1, mps, …")


def use_machine(args: argparse.Namespace) -> None:
    torch.set_num_threads(args.threads)
    if args.device != "cpu":  # setting a default device slows every call down a little, even if it is the same one
        torch.set_default_device(args.device)
        if torch.cuda.is_available():
            torch.backends.cuda.enable_cudnn_sdp(False)  # it plans every new shape: a third of the speed where lengths vary
            torch.backends.cuda.matmul.allow_tf32 = True


def begin(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, dict, Path]:
    """Adds the options of every run to the parser's own and reads them, seeds PyTorch, and makes the output folder:
    the options, the config, and the folder."""
    parser.add_argument("--config", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--resume", action="store_true")
    machine_arguments(parser)
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    use_machine(args)
    torch.manual_seed(config["seed"])
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    return args, config, out


def rate(progress: float, warmup: float) -> float:
    """Linear warm-up over the first `warmup` of the progress (0 to 1), then linear decay to 0; a
    factor in [0, 1]."""
    return max(0.0, min(progress / max(warmup, 1e-9), (1 - progress) / max(1e-9, 1 - warmup)))


class Figures:
    """Numbers of a training step. Those of a GPU are copied while it continues to compute, and read a step
    later, so that neither waits for the other."""

    def __init__(self, named: dict[str, Tensor]):
        values = torch.stack([value.detach().float() for value in named.values()])
        self.names, self.ready = list(named), None
        self.values = values.to("cpu", non_blocking=True)
        if values.is_cuda:
            self.ready = torch.cuda.Event()
            self.ready.record()

    def read(self) -> dict[str, float]:
        if self.ready is not None:
            self.ready.synchronize()
        return dict(zip(self.names, self.values.tolist()))


class Run:
    """@param state  the checkpoint to resume from, or None
    @param save  writes the network and what else is passed by name; `model.save` unless the network
    has another form"""

    def __init__(self, out: Path, model: nn.Module, groups: list[dict], config: dict, state: dict | None, save: Callable = save):
        self.out, self.model, self.config, self.save = out, model, config, save
        self.parameters = [p for group in groups for p in group["params"]]
        self.optimiser = torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98), eps=1e-6, fused=True)
        self.step, self.spent = 0, 0.0  # steps and seconds of training that are done
        if state is not None:
            self.optimiser.load_state_dict(state["optimiser"])
            for group, given in zip(self.optimiser.param_groups, groups):
                group["factor"] = given["factor"]  # the config decides, not the checkpoint
            self.step, self.spent = state["step"], state.get("spent", 0.0)
        self.log = (out / "log.jsonl").open("a")
        self.saved = self.clock = time.time()
        self.bad, self.usual, self.stopped = 0, None, ""
        self.figures: Figures | None = None  # of the last step, unless they have been read
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        self.start_row()

    def stop(self, number: int, _frame: object) -> None:
        self.stopped = signal.Signals(number).name

    def start_row(self) -> None:
        self.tokens, self.seen, self.sums, self.since = 0, 0, {}, time.time()

    @property
    def progress(self) -> float:
        """Share of the run that is done, 0 to 1: of its steps or of its minutes, whichever is further."""
        steps = self.step / self.config["steps"] if "steps" in self.config else 0.0
        minutes = self.spent / 60 / self.config["minutes"] if "minutes" in self.config else 0.0
        return min(1.0, max(steps, minutes))

    @property
    def length(self) -> str:
        """What the run's config says about its length."""
        return " or ".join(f"{self.config[unit]} {unit}" for unit in ("steps", "minutes") if unit in self.config)

    def going(self) -> bool:
        """Whether another step is due."""
        return not self.stopped and self.progress < 1

    def batches(self, epoch_of: Callable[[int], list]) -> Iterator:
        """The batch of each step until the run ends, from the step that it resumes at. The caller takes the step.
        @param epoch_of  the batches of an epoch, by its number from 0; epochs may differ in length"""
        epoch, first, batches = 0, 0, epoch_of(0)  # `first` is the epoch's first step
        print(f"{len(batches)} steps per epoch, {self.length} in all, from step {self.step}", flush=True)
        while self.going():
            while self.step >= first + len(batches):
                first, epoch = first + len(batches), epoch + 1
                batches = epoch_of(epoch)
            torch.manual_seed(self.config["seed"] * 1_000_003 + self.step)  # dropout: the same after a resume
            yield batches[self.step - first]

    def factor(self) -> float:
        """Learning-rate factor of the next step. In a run of steps, the first one already learns: its
        warm-up counts the step itself."""
        warmup = self.config["warmup"]
        if "steps" in self.config and self.progress < warmup:
            return rate(min(warmup, (self.step + 1) / self.config["steps"]), warmup)
        return rate(self.progress, warmup)

    def learn(self, loss: Tensor, parts: dict[str, Tensor], tokens: int) -> None:
        """One step at the schedule's rate; a gradient that is not finite is skipped. @throws
        SystemExit after MAX_BAD_STEPS of those, on a GPU one step later"""
        factor = self.factor()
        for group in self.optimiser.param_groups:
            group["lr"] = group["factor"] * factor
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimiser.found_inf = (~torch.isfinite(norm)).float()  # the fused optimiser then changes nothing
        self.optimiser.step()
        self.step += 1
        self.seen += 1
        self.tokens += tokens
        self.read_figures()
        self.figures = Figures({"loss": loss, **parts, "norm": norm})
        if self.figures.ready is None:
            self.read_figures()
        now = time.time()
        self.spent, self.clock = self.spent + now - self.clock, now

    def read_figures(self) -> None:
        """Adds up the last figures, if they have not been read yet."""
        if self.figures is None:
            return
        read, self.figures = self.figures.read(), None
        for key, value in read.items():
            self.sums[key] = self.sums.get(key, 0.0) + value
        self.watch(read["loss"], math.isfinite(read["norm"]))

    def watch(self, loss: float, finite: bool) -> None:
        """Reports spikes of the loss, and ends the run when gradients stay infinite."""
        self.bad = 0 if finite else self.bad + 1
        if self.bad == MAX_BAD_STEPS:
            raise SystemExit(
                f"No finite gradient in {MAX_BAD_STEPS} steps in a row (step {self.step}, loss {loss}). "
                f"{self.out / 'checkpoint.pt'} is the last good state: resume from it with a lower rate."
            )
        if not finite:
            return
        if self.usual is not None and loss > SPIKE * self.usual:
            print(f"The loss jumped to {loss:.2f} at step {self.step}; usually it is {self.usual:.2f}.", flush=True)
        self.usual = loss if self.usual is None else self.usual + (loss - self.usual) / WINDOW

    def row(self, every: int) -> dict | None:
        """Means since the last row, when it is time for one."""
        if self.seen < every:
            return None
        self.read_figures()
        means = {k: round(v / self.seen, 4) for k, v in self.sums.items()}
        return {"step": self.step, "minutes": round(self.spent / 60, 1), "tokensPerSecond": round(self.tokens / (time.time() - self.since)), **means}

    def crossed(self, every: int) -> bool:
        """Whether a multiple of `every` steps, or the run's end, is in the row that is to be
        written."""
        return self.step // every != (self.step - self.seen) // every or self.progress >= 1

    def write(self, row: dict) -> None:
        print(json.dumps(row), flush=True)
        self.log.write(json.dumps(row) + "\n")
        self.log.flush()
        self.start_row()
        self.clock = time.time()  # time spent measuring does not count as training time

    def checkpoint(self, last: bool = False) -> None:
        """Saves when it is time to, or at the end; the old checkpoint stays until the new one is
        complete."""
        if not last and time.time() - self.saved <= self.config.get("checkpoint_seconds", 400):
            return
        try:
            self.save(self.model, self.out / "checkpoint.tmp", optimiser=self.optimiser.state_dict(), step=self.step, spent=self.spent, config=self.config)
            os.replace(self.out / "checkpoint.tmp", self.out / "checkpoint.pt")
        except (OSError, RuntimeError) as error:  # PyTorch reports a full disk as a RuntimeError
            message = f"The checkpoint of step {self.step} could not be written: {error}. {self.out / 'checkpoint.pt'} is the last good state."
            if last:
                raise SystemExit(message) from error
            print(f"{message} Training continues.", flush=True)
        self.saved = self.clock = time.time()

    def finish(self) -> None:
        """Writes the last checkpoint and the finished network. @throws SystemExit if the run was
        stopped before its end"""
        self.checkpoint(last=True)
        if self.stopped:
            raise SystemExit(f"Stopped by {self.stopped} at step {self.step}. Continue with --resume.")
        self.save(self.model, self.out / "model.tmp", config=self.config, step=self.step)
        os.replace(self.out / "model.tmp", self.out / "model.pt")  # a waiting process never sees half of it
        print("done", flush=True)
