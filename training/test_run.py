"""What every training run does besides its losses, on the smallest network."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch

from made_up import TINY
from run import MAX_BAD_STEPS, Run


class Line(torch.nn.Module):
    """The smallest network that a run can train."""

    def __init__(self):
        super().__init__()
        self.shape = TINY
        self.weight = torch.nn.Parameter(torch.ones(3))


def made_run(tmp_path: Path, config: dict, state=None) -> Run:
    network = Line()
    return Run(tmp_path, network, [{"params": list(network.parameters()), "factor": 0.1}], {"warmup": 0.1, "seed": 3, **config}, state)


def test_a_run_without_finite_gradients_ends_with_a_message(tmp_path):
    run = made_run(tmp_path, {"steps": 100})
    run.learn(run.model.weight.sum() * float("nan"), {}, 1)
    assert torch.equal(run.model.weight, torch.ones(3))  # nothing was learned from it
    with pytest.raises(SystemExit, match="No finite gradient"):
        for _ in range(MAX_BAD_STEPS):
            run.learn(run.model.weight.sum() * float("inf"), {}, 1)


def test_a_spike_of_the_loss_is_reported(tmp_path, capsys):
    run = made_run(tmp_path, {"steps": 100})
    for _ in range(3):
        run.learn((run.model.weight**2).sum(), {}, 1)
    run.learn((run.model.weight**2).sum() * 100, {}, 1)
    assert "The loss jumped" in capsys.readouterr().out


def test_a_full_disk_is_reported_and_the_run_continues_with_its_old_checkpoint(tmp_path, capsys):
    run = made_run(tmp_path, {"steps": 100, "checkpoint_seconds": -1})
    run.checkpoint()
    old = (tmp_path / "checkpoint.pt").read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    run.save = full
    run.checkpoint()
    assert "could not be written" in capsys.readouterr().out and (tmp_path / "checkpoint.pt").read_bytes() == old
    with pytest.raises(SystemExit, match="last good state"):
        run.checkpoint(last=True)


def test_a_stopped_run_writes_a_checkpoint_and_resumes_from_it(tmp_path):
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        run = made_run(tmp_path, {"steps": 10})
        while run.going():
            run.learn((run.model.weight**2).sum(), {}, 1)
            if run.step == 4:
                os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(SystemExit, match="Stopped by SIGTERM at step 4"):
            run.finish()
        state = torch.load(tmp_path / "checkpoint.pt", weights_only=False)
        again = made_run(tmp_path, {"steps": 10}, state)
        assert again.step == 4 and again.spent == run.spent and not (tmp_path / "model.pt").exists()
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGINT), handlers):
            signal.signal(number, handler)


def test_a_run_in_minutes_ends_by_the_clock(tmp_path):
    run = made_run(tmp_path, {"minutes": 10})
    run.spent = 300
    assert run.going() and run.factor() == pytest.approx(0.5 / 0.9)
    run.spent = 600
    assert not run.going() and run.factor() == 0


def test_a_run_in_minutes_and_steps_ends_with_whichever_comes_first(tmp_path):
    run = made_run(tmp_path, {"minutes": 10, "steps": 100})
    run.spent, run.step = 300, 10
    assert run.progress == 0.5
    run.step = 80
    assert run.progress == 0.8 and run.factor() == pytest.approx(0.2 / 0.9)


def test_a_step_draws_the_same_dropout_after_a_resume(tmp_path):
    def drawn(first: int) -> list[float]:
        folder = tmp_path / str(first)
        folder.mkdir()
        run = made_run(folder, {"steps": 8})
        run.step = first
        draws = []
        for _ in run.batches(lambda _: [0] * 10):
            draws.append(torch.rand(()).item())
            run.step += 1
        return draws

    assert drawn(5) == drawn(0)[5:]
