import random

import pytest

from data import Question, question_ids
from question_forms import in_form, keywords, mistyped
from text_base import load_tokenizer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How much is the deposit for the flat in Quarry Road?", "deposit flat Quarry Road"),
        ("what's the re-use rate of the T-14's fan?", "re-use rate T-14's fan"),
        ("Who is it?", "Who is it?"),  # nothing would be left
        ("When was it built?", "When was it built?"),  # one word says too little
    ],
)
def test_keywords(text: str, expected: str):
    assert keywords(text) == expected


def test_one_word_is_mistyped():
    text = "When does the deposit have to be paid back?"
    for seed in range(200):
        made = mistyped(text, random.Random(seed))
        wrong = [(a, b) for a, b in zip(text.split(), made.split()) if a != b]
        assert len(made.split()) == len(text.split())
        assert len(wrong) <= 1  # swapping two equal letters changes nothing
        for before, after in wrong:
            assert before in ("deposit", "paid", "back?")
            assert before[0] == after[0]
            assert abs(len(before) - len(after)) <= 1


def test_all_kinds_of_mistakes_are_made():
    made = {mistyped("deposit", random.Random(seed)) for seed in range(400)}
    assert {"depsoit", "depoit", "depossit", "depodit"} <= made


def test_short_words_stay_as_they_are():
    assert mistyped("who is he?", random.Random(1)) == "who is he?"


def test_shares_of_forms():
    tokenizer = load_tokenizer()
    text = "How much is the deposit for the flat in Quarry Road?"
    asked = [Question(f"q{number}", text, question_ids(tokenizer, text), 3, 4, ["900"]) for number in range(2000)]
    made = [in_form(tokenizer, question, {"keywords": 0.2, "mistyped": 0.1}) for question in asked]
    short = [question for question in made if question.text == "deposit flat Quarry Road"]
    typos = [question for question in made if question.text not in (text, "deposit flat Quarry Road")]
    assert 330 < len(short) < 470
    assert 140 < len(typos) < 260
    assert short[0].ids.tolist() == question_ids(tokenizer, short[0].text).tolist()
    assert (short[0].start, short[0].answers) == (3, ["900"])
    assert [question.text for question in made] == [in_form(tokenizer, q, {"keywords": 0.2, "mistyped": 0.1}).text for q in asked]
