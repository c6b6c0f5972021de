"""Tests of what the reader's smoothing is chosen on; seconds on a CPU.

    python -m pytest -q test_smoothing_sets.py
"""

from __future__ import annotations

import json
from pathlib import Path

import export_reader
import question_sets
from data import load_squad, split_held_out
from export_reader import level
from made_up import made_up_squad


def test_smoothing_sees_as_many_paragraphs_of_every_set(paragraphs):
    few, many = paragraphs[:3], paragraphs[3:15]
    drawn = level([many, few], 1)
    assert len(drawn) == 6 and sum(p in few for p in drawn) == 3
    assert level([many, few], 1) == drawn


def test_smoothing_of_a_reader_with_a_base_uses_the_sets_of_its_config(monkeypatch, tmp_path):
    made = json.loads(made_up_squad(tmp_path / "made.json").read_text())
    for name in ("train-v1.1", "cmrc2018-trial", "piaf-fr"):
        (tmp_path / f"{name}.json").write_text(json.dumps(made))
    read = []

    def train_and_tune(path, share, seed, cache, base):
        read.append((Path(path).name, base))
        return split_held_out(load_squad(path, 128), share, seed)

    monkeypatch.setattr(question_sets, "train_and_tune", train_and_tune)
    monkeypatch.setattr(export_reader, "prepared", lambda part, config, base: part)
    files = {"squad": "train-v1.1.json", "cmrc": "cmrc2018-trial.json", "written": "written/questions.jsonl", "piaf": "piaf-fr.json"}
    sets = [{"file": file, "name": name, "held_out": 0.5} for name, file in files.items()]
    config = {"base": "a base", "sets": sets, "held_out_seed": 1, "seed": 2}
    train, held = export_reader.paragraphs_for_smoothing(config, str(tmp_path), tmp_path)
    assert read == [("train-v1.1.json", "a base"), ("cmrc2018-trial.json", "a base"), ("piaf-fr.json", "a base")]
    assert len(train) % 3 == 0 and len(held) % 3 == 0
    assert not {p.text for p in train} & {p.text for p in held}
