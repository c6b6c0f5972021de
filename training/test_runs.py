"""Runs: schedule, resuming, means of weights, and the plan of ablations."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
import torch

import train
from ablations import config_of
from average import mean
from scores import LossConfig
from made_up import made_up_squad
from model import Shape, Verbatim
from run import rate

HERE = Path(__file__).parent


def test_schedule_rises_then_falls_to_zero():
    values = [rate(step / 100, 0.1) for step in range(101)]
    assert max(values) == pytest.approx(1.0) and values[100] == 0.0
    assert values[:11] == sorted(values[:11]) and values[10:] == sorted(values[10:], reverse=True)


def test_a_run_resumes_where_it_stopped(tmp_path, monkeypatch):
    """Six steps at once and three plus three give the same weights."""
    squad = made_up_squad(tmp_path / "train.json")
    config = {
        "purpose": "test", "seed": 3, "held_out": 0.25, "max_tokens": 128, "groups": 2, "group_size": 2, "rate": 1e-3, "head_rate": 2,
        "warmup": 0.2, "steps": 6, "base": False, "log_every": 2,
        "shape": {"hidden": 32, "layers": 1, "attention_heads": 2, "inner": 64, "dense": 16, "coherency": 16, "ngram": 8, "term": 16},
        "loss": {"sampled_terms": 32},
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))

    def arguments(out: str) -> list[str]:
        return ["train.py", "--config", str(tmp_path / "config.json"), "--data", str(squad), "--out", str(tmp_path / out), "--threads", "1"]

    def run(out: str, *more: str) -> dict:
        subprocess.run([sys.executable, *arguments(out), *more], cwd=HERE, check=True, capture_output=True)
        return torch.load(tmp_path / out / "model.pt", weights_only=False)["model"]

    class Interrupted(train.Run):
        def learn(self, *given) -> None:
            super().learn(*given)
            self.stopped = "SIGTERM" if self.step == 3 else ""

    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(train, "Run", Interrupted)
    monkeypatch.setattr("sys.argv", arguments("parts"))
    with pytest.raises(SystemExit, match="Stopped by SIGTERM at step 3"):
        train.main()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    whole, parts = run("whole"), run("parts", "--resume")
    for name, value in whole.items():
        assert torch.allclose(value, parts[name], atol=1e-5), name


def test_the_mean_of_weights_says_where_it_comes_from(tmp_path):
    first, second = ({"w": torch.full((2, 3), value), "n": torch.tensor([int(value)])} for value in (1.0, 4.0))
    assert torch.equal(mean([first, second])["w"], torch.full((2, 3), 2.5)) and mean([first, second])["n"].item() == 4
    for name, model in (("a", first), ("b", second)):
        torch.save({"shape": {}, "model": model, "config": {"steps": 7, "command": f"train {name}", "purpose": name, "max_tokens": 9}}, tmp_path / f"{name}.pt")
    subprocess.run([sys.executable, "average.py", str(tmp_path / "a.pt"), str(tmp_path / "b.pt"), "--out", str(tmp_path / "mean")], cwd=HERE, check=True)
    saved = torch.load(tmp_path / "mean" / "model.pt", weights_only=False)
    assert torch.equal(saved["model"]["w"], torch.full((2, 3), 2.5))
    assert saved["config"]["max_tokens"] == 9 and saved["config"]["start"].endswith("b.pt") and "average.py" in saved["config"]["command"]


def test_a_row_of_an_ablation_changes_what_it_says_alone():
    plan = json.loads((HERE / "runs" / "ablations.json").read_text())
    assert len({row["name"] for row in plan["rows"]}) == len(plan["rows"])
    for row in plan["rows"]:
        config = config_of(plan, row)
        assert set(config.get("loss", {})) <= {f.name for f in fields(LossConfig)} and config["loss"]["bf16"] is True
        Verbatim(replace(Shape(**config.get("shape", {})), layers=1))
        assert config["steps"] == plan["common"]["steps"]
