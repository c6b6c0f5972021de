"""The development set: its corrections (bench/development/judged.jsonl) and its invented documents."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parent.parent / "bench" / "development" / "build.py"
spec = importlib.util.spec_from_file_location("development_build", PATH)
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


def corrected(monkeypatch, tmp_path, judged: list[dict]) -> tuple[list[dict], list[dict]]:
    monkeypatch.setattr(build, "JUDGED", tmp_path / "judged.jsonl")
    build.write(build.JUDGED, judged)
    answerable = [{"id": "a", "answers": ["Thu November 18"]}, {"id": "b", "answers": ["two"]}]
    return build.corrected(answerable, [{"id": "c", "question": "Who?"}, {"id": "d", "question": "Where?"}])


def test_further_answers_are_added_and_answered_questions_left_out(monkeypatch, tmp_path):
    questions, left = corrected(monkeypatch, tmp_path, [{"id": "a", "alsoRight": ["Nov 18"]}, {"id": "d", "answered": "here"}])
    assert [one["answers"] for one in questions] == [["Thu November 18", "Nov 18"], ["two"]]
    assert [one["id"] for one in left] == ["c"]


def test_a_correction_of_no_question_is_an_error(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match="'x'"):
        corrected(monkeypatch, tmp_path, [{"id": "x", "answered": "here"}])


def test_each_correction_has_an_id_of_its_own_and_one_kind():
    judged = build.read(build.JUDGED)
    assert len({one["id"] for one in judged}) == len(judged)
    assert all(set(one) in ({"id", "alsoRight"}, {"id", "answered"}) for one in judged)
    assert all(one.get("alsoRight") or one.get("answered") for one in judged)


def test_every_answer_about_an_invented_document_stands_in_it():
    answerable, unanswerable = build.invented()
    assert (len(answerable), len(unanswerable)) == (972, 432)
    texts = {path.name: " ".join(path.read_text(encoding="utf-8").split()) for path in (build.INVENTED / "documents").iterdir()}
    assert {one["document"] for one in answerable} == {f"invented/{name}" for name in texts}
    for one in answerable:
        text = texts[one["document"].removeprefix("invented/")]
        assert one["answers"] and all(" ".join(answer.split()) in text for answer in one["answers"])


def test_questions_about_invented_documents_are_not_those_of_the_own_set():
    """The own set is for measuring only."""
    own = PATH.parents[2] / "test" / "own-set"
    measured = {one["question"].lower() for name in ("questions", "unanswerable") for one in build.read(own / f"{name}.jsonl")}
    assert measured.isdisjoint(one["question"].lower() for part in build.invented() for one in part)
    assert {path.name for path in (own / "documents").iterdir()}.isdisjoint(path.name for path in (build.INVENTED / "documents").iterdir())
