"""The entries of a config's `sets`: their names, files and repetitions, and those of the configs in runs/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from question_sets import HERE, set_entries, set_name, set_path
from reader_sets import load_reader_sets, set_repeats, traditional_name

CONFIGS = {path.name: json.loads(path.read_text()) for path in (HERE / "runs").glob("*.json")}


def test_a_set_is_named_after_its_file_unless_it_has_a_name():
    assert set_name({"file": "other/fairytaleqa.json.xz"}) == "fairytaleqa"
    assert set_name({"file": "zh/cmrc2018-trial.json", "name": "cmrc"}) == "cmrc"


def test_written_and_made_files_are_in_this_folder_and_others_in_the_data_folder():
    data = Path("/data")
    assert set_path({"file": "squad/train-v1.1.json"}, data) == data / "squad/train-v1.1.json"
    for entry in ({"file": "written/questions.jsonl", "written": True}, {"file": "work/made.json", "made": True}, {"file": "written/chinese.jsonl"}):
        assert set_path(entry, data) == HERE / entry["file"]


def test_an_unknown_name_is_an_error():
    config = {"sets": [{"file": "a.json"}, {"file": "b.json", "name": "c"}]}
    assert [entry["file"] for entry in set_entries(config, ["c", "a"])] == ["a.json", "b.json"]
    with pytest.raises(SystemExit, match="no set b. Its sets are a, c"):
        set_entries(config, ["a", "b"])


def test_a_chinese_set_is_read_again_in_traditional_characters_and_as_often_repeated(tmp_path):
    article = {"title": "东京", "paragraphs": [{"context": "长江流过武汉。", "qas": [{"id": "q", "question": "哪个城市？", "answers": [{"text": "武汉", "answer_start": 4}]}]}]}
    (tmp_path / "cmrc2018-trial.json").write_text(json.dumps({"data": [article] * 4}))
    config = {"sets": [{"file": "cmrc2018-trial.json", "name": "cmrc", "held_out": 0.25, "repeat": 3, "traditional": True}], "held_out_seed": 1}
    loaded = load_reader_sets(config, tmp_path, cache=tmp_path / "cache")
    assert list(loaded) == ["cmrc", "cmrc-traditional"]
    for (train, tune), answer in zip(loaded.values(), ("武汉", "武漢")):
        assert (len(train), len(tune)) == (3, 1) and train[0].questions[0].answers == [answer]
    assert set_repeats(config) == {"cmrc": 3, "cmrc-traditional": 3}


@pytest.mark.parametrize("name", sorted(name for name, config in CONFIGS.items() if "counts" in config))
def test_a_reader_draws_from_all_sets_of_its_config_and_no_others(name):
    config = CONFIGS[name]
    names = {set_name(entry) for entry in config["sets"]} | {traditional_name(set_name(entry)) for entry in config["sets"] if entry.get("traditional")}
    assert config["counts"].keys() == names and config["held_out_last"].keys() <= names


@pytest.mark.parametrize("name", sorted(name for name, config in CONFIGS.items() if "sets" in config))
def test_every_set_of_a_config_has_a_name_of_its_own_and_known_keys(name):
    names = [set_name(entry) for entry in CONFIGS[name]["sets"]]
    assert len(set(names)) == len(names)
    known = {"file", "name", "held_out", "repeat", "written", "made", "join", "traditional", "style"}
    assert all(set(entry) <= known for entry in CONFIGS[name]["sets"])
