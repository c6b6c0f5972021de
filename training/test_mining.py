"""Tests of mined negatives and of the files that they are made from."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from data import load_squad, mined_batches, paragraph_names
import make
from make import STAGES, commands
from mine import confusers
from made_up import made_up_squad

HERE = Path(__file__).parent


def test_confusers_are_other_paragraphs_without_the_answer_the_most_believed_first():
    paragraphs = {"a#0": "Ines founded it.", "a#1": "Otto closed it.", "b#0": "It was ines, they say.", "b#1": "Mira sang."}
    golds = {"q1": ("a#0", ["Ines"]), "q2": ("a#0", ["founded it"])}
    answers = [
        {"id": "q1", "answers": [{"documentId": name} for name in ("a#0", "b#0", "b#1", "a#1", "gone#3")]},
        {"id": "q2", "answers": [{"documentId": name} for name in ("a#1", "b#1")]},
    ]
    # b#0 names Ines, so it may be right for q1; a#1 was 4th and 1st, b#1 3rd and 2nd
    assert confusers(answers, paragraphs, golds) == {"a#0": ["a#1", "b#1"]}
    assert confusers([], paragraphs, golds) == {}


def test_mined_batches_hold_every_paragraph_once_beside_its_confusers(tmp_path):
    paragraphs = load_squad(str(made_up_squad(tmp_path / "train.json")), 128)
    names = paragraph_names(paragraphs)
    assert names[0] == "The_observatory#0" and names[-1] == "The_archive#3"
    others = {name: [names[(i + 5) % len(names)], "gone#1"] for i, name in enumerate(names)}
    batches = mined_batches(paragraphs, others, groups=1, group_size=2, seed=3)
    assert sorted(i for batch in batches for i in batch) == list(range(len(paragraphs)))
    assert batches == mined_batches(paragraphs, others, groups=1, group_size=2, seed=3)
    mined = sum(len(batch) == 2 and (batch[1] - batch[0]) % len(names) == 5 for batch in batches)
    assert mined >= len(batches) // 2
    # without confusers a group is of one article
    for batch in mined_batches(paragraphs, {}, groups=1, group_size=4, seed=3):
        assert len({paragraphs[i].article for i in batch}) == 1


def test_the_articles_that_are_not_held_out_and_a_question_of_each_paragraph(tmp_path):
    data = made_up_squad(tmp_path / "train.json")
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"seed": 5, "held_out": 0.25}))
    out = {name: tmp_path / f"{name}.json" for name in ("out", "rest", "questions")}
    command = [sys.executable, "held_out.py", "--config", config, "--data", data]
    subprocess.run([*command, *(x for name, path in out.items() for x in (f"--{name}", path))], cwd=HERE, check=True, capture_output=True)
    titles = [{a["title"] for a in json.loads(out[name].read_text())["data"]} for name in ("out", "rest")]
    assert len(titles[0]) == 1 and len(titles[1]) == 3 and not titles[0] & titles[1]
    asked = [json.loads(line) for line in out["questions"].read_text().splitlines()]
    rest = json.loads(out["rest"].read_text())["data"]
    ids = [[qa["id"] for qa in p["qas"]] for article in rest for p in article["paragraphs"]]
    assert len(asked) == len(ids) and all(one["id"] in some for one, some in zip(asked, ids))


def test_every_python_script_of_a_stage_starts(tmp_path):
    scripts = {str(folder / command[1]) for _, folder, command in commands(tmp_path, tmp_path, tmp_path) if command[0] == sys.executable}
    assert len(scripts) > 10
    started = {script: subprocess.Popen([sys.executable, script, "--help"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for script in sorted(scripts)}
    said = {script: process.communicate()[1] for script, process in started.items()}
    assert {script: said[script] for script, process in started.items() if process.returncode != 0} == {}


def test_the_device_is_passed_to_every_stage_that_runs_a_network_in_pytorch(tmp_path):
    plain, on_device = (commands(tmp_path, tmp_path, tmp_path, device) for device in ("cpu", "cuda"))
    given = {name: command[-2:] for (name, _, command), (_, _, before) in zip(on_device, plain) if command != before}
    assert set(map(tuple, given.values())) == {("--device", "cuda")}
    assert {"teacher", "third", "teacher-mpnet", "reader-large-fifth", "encoder-kinds"} <= given.keys()
    assert not {"teacher-kinds", "average", "encoder", "passage-maps", "interpolation"} & given.keys()  # teacher-kinds reads an int8 graph
    for name, folder, command in on_device:
        if name in given:
            source = (folder / command[1]).read_text()
            assert "machine_arguments(parser)" in source or "begin(parser)" in source, name


def test_every_stage_of_the_whole_making_names_what_there_is(tmp_path):
    """Scripts, their switches and configs; and what a stage reads, an earlier one has written."""
    data = tmp_path / "train.json"
    data.write_text("{}")
    written = {str(data)}
    for name, folder, command in commands(data, tmp_path, tmp_path.parent / "kinds"):
        words = [word for word in command if word not in (sys.executable, "npx", "tsx")]
        script = folder / words[0]
        assert script.exists(), (name, script)
        if script.suffix in (".py", ".ts"):
            said = script.read_text() + (HERE / "run.py").read_text()
            for switch in (word[2:] for word in words if word.startswith("--")):
                assert f'"--{switch}"' in said or re.search(rf'"?{switch}"?: {{ type:', said), (name, switch)
        out = {str(folder / words[i + 1]) if not words[i + 1].startswith("/") else words[i + 1] for i, word in enumerate(words) if word in ("--out", "--to", "--rest", "--questions", "--index")}
        for word in words[1:]:
            if word.startswith("runs/"):
                assert (HERE / word).exists(), word
            elif word.startswith(str(tmp_path)) and word not in out:
                assert any(word == w or word.startswith(w + "/") for w in written), (name, word)
        written |= out
    run = subprocess.run([sys.executable, "make.py", "--data", str(data), "--kinds", str(tmp_path), "--dry-run"], cwd=HERE, capture_output=True, text=True, check=True)
    assert len(run.stdout.splitlines()) == len(STAGES) and "third: " in run.stdout


def test_stages_that_are_done_are_skipped(tmp_path, monkeypatch, capsys):
    data = tmp_path / "train.json"
    data.touch()
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "third").touch()
    monkeypatch.setattr(make, "WORK", tmp_path)
    monkeypatch.setattr(sys, "argv", ["make.py", "--data", str(data), "--kinds", str(tmp_path), "--dry-run"])
    make.main()
    assert "third: done" in capsys.readouterr().out.splitlines()
