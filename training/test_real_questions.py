import json
from pathlib import Path

import numpy as np
import pytest

from data import Question, build_paragraph, question_ids
from reader_rows import row
from real_questions import Candidate, Documents, answer_pattern, answer_place, article_of, candidates, golds, passage_around, tokens_at
from text_base import load_tokenizer

CONFIG = {"most_tokens": 200, "read": 2, "answerable": 0.0, "answer_margin": 1.0, "most_right": 1, "most_wrong": 2, "unanswered": 1.0}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["July 5 , 2018"], ["July 5, 2018"]),
        (["581 ( second edition )"], ["581"]),
        (["Loc - Dieu"], ["Loc-Dieu"]),
        ("['Bh.', 'BH (disambiguation)', 'BH']", ["Bh.", "BH"]),
        ("['the Ingres Museum', Château d'Amboise]", []),
        (["the", "x" * 61], []),
    ],
)
def test_golds(given: list[str] | str, expected: list[str]):
    assert golds(given) == expected


def test_a_passage_is_whole_lines_with_enough_text():
    text = "\n".join(["first line", "a" * 200, "the answer", "b" * 150, "c" * 400])
    at = text.index("answer")
    low, high = passage_around(text, at, at + 6)
    assert text[low:high].split("\n") == ["a" * 200, "the answer", "b" * 150]


def test_a_long_line_is_cut_between_words_around_the_answer():
    text = "word " * 600 + "the answer " + "word " * 600
    at = text.index("answer")
    low, high = passage_around(text, at, at + 6)
    assert "answer" in text[low:high]
    assert 800 < high - low <= 900
    assert set(text[low:high].split()) == {"word", "the", "answer"}


def test_answers_are_whole_words():
    pattern = answer_pattern(["art", "Art Nouveau"])
    assert [match.group() for match in pattern.finditer("Party: ART nouveau, art.")] == ["ART nouveau", "art"]


def candidate(text: str, answers: list[str], title: str = "Title") -> Candidate:
    tokenizer = load_tokenizer()
    paragraph = build_paragraph(tokenizer, 0, title, text, 200)
    question = Question("q", "Who?", question_ids(tokenizer, "Who?"), -1, -1, answers)
    places = [place for match in answer_pattern(answers).finditer(text) if (place := tokens_at(paragraph, *match.span())) is not None]
    return Candidate(title, paragraph, row("", question, paragraph, -1, -1), places)


def test_the_occurrence_that_the_reader_prefers_is_the_answer():
    one = candidate("Ada met Bob. Then Ada left.", ["Ada"])
    assert one.places == [(0, 0), (5, 5)]
    start = np.full(8, -5.0)
    end = start.copy()
    start[5] = end[5] = 3.0
    assert answer_place(one, start, end, 1.0, CONFIG) == (5, 5)
    assert answer_place(one, start, end, -0.1, CONFIG) is None  # the reader doubts that the passage answers
    start[2] = end[2] = 6.0  # the reader prefers "Bob" by far
    assert answer_place(one, start, end, 1.0, CONFIG) is None


def test_articles():
    item = {"id": "q", "question": "Who?", "answers": ["Ada", "Ada L."]}
    right, by_chance, wrong, more = (candidate(text, ["Ada"], title) for text, title in (("It was Ada.", "A"), ("Ada again.", "B"), ("It was Bob.", "C"), ("Nobody.", "D")))
    made = article_of(item, [wrong, right, by_chance, more], {id(right.row): (2, 2)}, CONFIG)
    assert made is not None
    assert [(p["title"], p["qas"][0]["id"], p["qas"][0]["is_impossible"]) for p in made["paragraphs"]] == [("A", "q-0", False), ("C", "q-1", True), ("D", "q-2", True)]
    assert made["paragraphs"][0]["qas"][0]["answers"] == [{"text": "Ada", "answer_start": 7}, {"text": "Ada L.", "answer_start": -1}]
    assert article_of(item, [wrong, by_chance, more], {}, CONFIG) is None
    none = article_of(item, [wrong, more], {}, CONFIG)
    assert none is not None and [p["title"] for p in none["paragraphs"]] == ["C"]


def test_candidates_of_a_search(tmp_path: Path):
    documents = [
        {"id": "a", "title": "Numbers", "text": "Ada wrote the first programme.\nOthers followed."},
        {"id": "b", "title": "Ada", "text": "She wrote the first programme."},  # the title is the answer: the text may answer or not
        {"id": "c", "title": "Engines", "text": "Bob built an engine."},
    ]
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in documents), encoding="utf-8")
    found = [
        {"documentId": "a", "startCodePoint": 0, "endCodePoint": 30},
        {"documentId": "a", "startCodePoint": 31, "endCodePoint": 47},  # within the first passage
        {"documentId": "b", "startCodePoint": 0, "endCodePoint": 5},
        {"documentId": "c", "startCodePoint": 0, "endCodePoint": 5},
    ]
    item = {"id": "q", "question": "Who wrote the first programme?", "answers": ["Ada"]}
    made = candidates(item, found, Documents(path), CONFIG, load_tokenizer())
    assert [(one.title, one.places) for one in made] == [("Numbers", [(0, 0)]), ("Engines", [])]
