"""Tests of labelling and of distilling the reader; seconds on a CPU.

    python -m pytest -q test_distil.py
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from distil_loss import answered, distil_loss, target, tensors
from label import from_pairs, from_sets, label
from labels import Label, epoch, read_shard, shards, write_shard
from model import save
from reader import Reader
from run import MAX_BAD_STEPS, Run
from made_up import TINY

CONFIG = {"temperature": 2.0, "gold": 0.5, "answer": 0.3, "trust": 0.5}
HERE = Path(__file__).parent


def made_label(rng: np.random.Generator, name: str, known: int, length: int = 12) -> Label:
    ids = np.concatenate([[101], rng.integers(1000, 2000, 4), [102, 102], rng.integers(1000, 2000, length), [102]])
    start = 9 if known == 1 else -1
    return Label("squad", name, ids, 7, known, start, start + 1 if known == 1 else -1, rng.normal(size=(2, length)).astype(np.float16), float(rng.normal()))


@pytest.fixture()
def groups() -> list[list[Label]]:
    rng = np.random.default_rng(3)
    return [[made_label(rng, f"q{n}", 1, 10 + n)] + ([made_label(rng, f"q{n}", 0)] if n % 2 else []) for n in range(6)] + [[made_label(rng, "p", -1), made_label(rng, "p", -1)]]


def test_a_shard_gives_back_what_was_written(groups, tmp_path):
    write_shard(tmp_path / "part-0000.npz", groups)
    (tmp_path / "part-0001.tmp.npz").write_bytes(b"interrupted")
    assert shards(tmp_path) == [tmp_path / "part-0000.npz"]
    again = read_shard(tmp_path / "part-0000.npz")
    assert [len(g) for g in again] == [len(g) for g in groups]
    for a, b in zip((r for g in groups for r in g), (r for g in again for r in g)):
        assert (a.kind, a.id, a.passage, a.known, a.start, a.end) == (b.kind, b.id, b.passage, b.known, b.start, b.end)
        assert np.array_equal(a.ids, b.ids) and np.array_equal(a.logits, b.logits) and a.answer == pytest.approx(b.answer)


def test_an_epoch_holds_every_group_once_and_keeps_it_whole(groups, tmp_path):
    write_shard(tmp_path / "part-0000.npz", groups)
    write_shard(tmp_path / "part-0001.npz", groups[:3])
    batches = [batch for _, batch in epoch([tmp_path], 80, 5)]
    assert sorted(tuple(r.id for r in g) for b in batches for g in b) == sorted(tuple(r.id for r in g) for g in groups + groups[:3])
    for batch in batches:
        rows = [r for g in batch for r in g]
        assert len(rows) * max(len(r.ids) for r in rows) <= 80 or len(batch) == 1


def test_the_target_is_one_distribution_over_all_passages(groups):
    group = groups[1]
    t = target(group, 0, 30, 2.0)
    assert float(t.sum()) == pytest.approx(1, abs=1e-5)
    share = torch.softmax(torch.tensor([r.answer for r in group]), 0)
    assert torch.allclose(t.sum(1), share, atol=1e-5)
    assert float(t[:, :7].sum()) == 0 and t[0, 7:17].argmax() == group[0].logits[0].argmax()


def test_how_likely_a_group_has_an_answer(groups):
    assert answered(groups[0]) == 1.0
    assert answered([groups[1][1]]) == 0.0
    a, b = groups[-1]
    sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    assert answered(groups[-1]) == pytest.approx(1 - (1 - sigmoid(a.answer)) * (1 - sigmoid(b.answer)), abs=1e-5)


def test_a_student_that_says_what_the_teacher_says_has_no_imitation_loss(groups):
    class Parrot(torch.nn.Module):
        def forward(self, ids, kinds, mask):
            start, end = torch.zeros(ids.shape), torch.zeros(ids.shape)
            rows = [r for g in batch for r in g]
            for g in batch:
                total = torch.logsumexp(torch.tensor([r.answer for r in g]), 0)
                for r in g:
                    i = next(n for n, one in enumerate(rows) if one is r)
                    inside = slice(r.passage, r.passage + r.logits.shape[1])
                    for side, out in enumerate((start, end)):
                        out[i, inside] = 2.0 * (torch.log_softmax(torch.as_tensor(r.logits[side]).float() / 2.0, 0) + r.answer - total)
            return start, end, torch.tensor([r.answer for r in rows])

    batch = groups
    _, parts = distil_loss(Parrot(), batch, CONFIG)
    assert float(parts["imitation"]) == pytest.approx(0, abs=1e-4)
    torch.manual_seed(1)
    _, others = distil_loss(Reader(TINY), batch, CONFIG)
    assert float(others["imitation"]) > 0.01


def test_the_question_and_the_passage_are_told_apart(groups):
    ids, kinds, mask, passage = tensors([groups[0]])
    assert kinds[0].tolist() == [0] * 6 + [1] * (ids.shape[1] - 6) and passage[0, 7:17].all() and passage.sum() == 10 and mask.all()


def test_the_student_learns_a_handful(groups):
    torch.manual_seed(3)
    reader = Reader(TINY)
    optimiser = torch.optim.AdamW(reader.parameters(), lr=4e-3)
    losses = []
    for _ in range(40):
        loss, _ = distil_loss(reader, groups, CONFIG)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.6 * losses[0]


def test_pairs_of_a_search_are_labelled_with_nothing_known(tmp_path):
    pairs = [{"id": f"q{n // 2}", "question": "Who founded the mill?", "title": "The mill", "text": f"Ines founded it in 19{n}0.", "kind": "nq"} for n in range(4)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(p) + "\n" for p in pairs))
    rows = from_pairs({"seed": 1, "window": [8, 64]}, tmp_path / "pairs.jsonl")
    assert [len(g) for g in rows] == [2, 2]

    class Session:
        def run(self, _, inputs):
            n, t = inputs["ids"].shape
            return [np.tile(np.arange(t, dtype=np.float32), (n, 1)), np.zeros((n, t), np.float32), np.full(n, -1.5, np.float32)]

    made = label(Session(), rows, -1, 100)
    for r in (r for g in made for r in g):
        assert (r.known, r.start, r.end, r.answer) == (-1, -1, -1, -1.5)
        assert r.logits.shape[1] == len(r.ids) - 1 - r.passage and r.logits[0, 0] == r.passage


def test_rows_of_a_set_are_grouped_by_question_without_the_held_out_articles(tmp_path):
    from made_up import made_up_squad

    made_up_squad(tmp_path / "train-v1.1.json")
    config = {"seed": 1, "held_out": 0.25, "held_out_seed": 2, "sets": {"squad": "train-v1.1.json"}, "questions": 1000, "window": [30, 40], "negatives": {"cut": 0.0, "other": 1.0}}
    rows = from_sets(config, tmp_path, tmp_path / "cache")
    assert len({g[0].id for g in rows}) == len(rows) == 24 and all(len({r.id for r in g}) == 1 for g in rows)
    assert all(g[0].start >= 0 for g in rows) and any(len(g) == 2 and g[1].start < 0 for g in rows)
    assert [[r.id for r in g] for g in rows] == [[r.id for r in g] for g in from_sets(config, tmp_path, tmp_path / "cache")]


class Line(torch.nn.Module):
    """The smallest network that a run can train."""

    def __init__(self):
        super().__init__()
        self.shape = TINY
        self.weight = torch.nn.Parameter(torch.ones(3))


def made_run(tmp_path: Path, config: dict, state=None) -> Run:
    network = Line()
    return Run(tmp_path, network, [{"params": list(network.parameters()), "factor": 0.1}], {"warmup": 0.1, **config}, state)


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


def test_distilling_resumes_where_it_stopped(groups, tmp_path):
    from made_up import made_up_squad

    (tmp_path / "labels").mkdir()
    write_shard(tmp_path / "labels" / "part-0000.npz", groups)
    shape = {"vocabulary": 30522, "hidden": 32, "layers": 2, "attention_heads": 4, "inner": 64, "dense": 16, "coherency": 16, "ngram": 8, "term": 16}
    torch.manual_seed(1)
    save(Reader(TINY), tmp_path / "start.pt")
    config = {**CONFIG, "seed": 1, "held_out": 0.25, "held_out_seed": 2, "max_tokens": 64, "batch_tokens": 200, "rate": 1e-3, "warmup": 0.1, "steps": 6, "log_every": 2, "held_out_every": 100, "shape": shape}
    (tmp_path / "config.json").write_text(json.dumps(config))
    data = made_up_squad(tmp_path / "train-v1.1.json")
    command = [sys.executable, "distil.py", "--config", tmp_path / "config.json", "--labels", tmp_path / "labels", "--data", data, "--out", tmp_path / "out", "--start", tmp_path / "start.pt", "--threads", "1", "--resume"]
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2, 4, 6] and "heldOutExact" in rows[-1]
    again = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
    assert again.returncode == 0 and "from step 6" in again.stdout
