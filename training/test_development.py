"""The development set's corrections (bench/development/judged.jsonl) and how they are applied."""

import importlib.util
import json
from pathlib import Path

import pytest

PATH = Path(__file__).parent.parent / "bench" / "development" / "build.py"
spec = importlib.util.spec_from_file_location("development_build", PATH)
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


def lines(*items: dict) -> list[str]:
    return [json.dumps(item) + "\n" for item in items]


def corrected(monkeypatch, tmp_path, judged: list[dict]) -> tuple[list[dict], list[dict]]:
    file = tmp_path / "judged.jsonl"
    file.write_text("".join(lines(*judged)), encoding="utf-8")
    monkeypatch.setattr(build, "JUDGED", file)
    answerable = lines({"id": "a", "answers": ["Thu November 18"]}, {"id": "b", "answers": ["two"]})
    left = lines({"id": "c", "question": "Who?"}, {"id": "d", "question": "Where?"})
    return tuple([json.loads(line) for line in part] for part in build.corrected(answerable, left))


def test_further_answers_are_added_and_answered_questions_left_out(monkeypatch, tmp_path):
    questions, left = corrected(monkeypatch, tmp_path, [{"id": "a", "alsoRight": ["Nov 18"]}, {"id": "d", "answered": "here"}])
    assert [one["answers"] for one in questions] == [["Thu November 18", "Nov 18"], ["two"]]
    assert [one["id"] for one in left] == ["c"]


def test_a_correction_of_no_question_is_an_error(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match="'x'"):
        corrected(monkeypatch, tmp_path, [{"id": "x", "answered": "here"}])


def test_each_correction_has_an_id_of_its_own_and_one_kind():
    judged = [json.loads(line) for line in build.JUDGED.read_text(encoding="utf-8").splitlines()]
    assert len({one["id"] for one in judged}) == len(judged)
    assert all(set(one) in ({"id", "alsoRight"}, {"id", "answered"}) for one in judged)
    assert all(one.get("alsoRight") or one.get("answered") for one in judged)
