"""Tests of training on several sets at once: cutting, lower case, repetitions, places of answers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import question_sets
import teacher
from data import answer_span, build_paragraph, sentence_starts
from lexical_start import idf_by_cost
from made_up import made_up_squad
from mixed_sets import cut_long, load_encoder_sets, load_prepared
from span_sets import answer_place
from stopwords import term_stop_list
from text_base import Unigram
from unigram_file import SPECIALS, UnigramVocabulary, encode_vocabulary

TEXT = "东京是日本的首都。京都在西边！abc "


@pytest.fixture
def unigram(tmp_path) -> Unigram:
    pieces = sorted({*TEXT.replace(" ", "\u2581"), "\u2581", "东京", "\u2581ab"})
    vocabulary = UnigramVocabulary([*SPECIALS, *pieces], np.array([0] * 5 + [2048 * 9] * len(pieces), np.uint16), {})
    (tmp_path / "vocab.unigram").write_bytes(encode_vocabulary(vocabulary))
    return Unigram(tmp_path)


def paragraph_of(text: str, questions: list[tuple[str, str]], tmp_path: Path):
    qas = [{"id": f"q{n}", "question": q, "answers": [{"text": a, "answer_start": text.index(a)}]} for n, (q, a) in enumerate(questions)]
    path = tmp_path / "train-v1.1.json"
    path.write_text(json.dumps({"data": [{"title": "T", "paragraphs": [{"context": text, "qas": qas}]}]}))
    from span_sets import load_spans

    return load_spans(str(path), "train")[0]


def test_a_long_paragraph_is_cut_between_sentences_and_questions_follow_their_answers(tmp_path):
    sentences = [f"The {word} of the old town was built in {1900 + n}." for n, word in enumerate(("mill", "tower", "bridge", "school", "market"))]
    whole = paragraph_of(" ".join(sentences), [("mill?", "1900"), ("market?", "1904")], tmp_path)
    parts = cut_long(whole, 36)
    assert len(parts) > 1 and all(len(part.ids) <= 36 and part.ids[-1] == 102 for part in parts)
    assert sum(len(part.ids) - part.first - 1 for part in parts) == len(whole.ids) - whole.first - 1
    for part, name in ((parts[0], "1900"), (parts[-1], "1904")):
        (question,) = part.questions
        assert part.text[part.offsets[question.start, 0] : part.offsets[question.end, 1]] == name
    for part in parts:
        begin = part.offsets[part.first, 0]
        assert begin == 0 or part.text[begin - 2 : begin] == ". "
    assert cut_long(whole, 500) == [whole]


def test_sets_are_repeated_under_article_numbers_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "squad").mkdir()
    made_up_squad(tmp_path / "squad" / "train-v1.1.json")
    config = {"held_out_seed": 1, "max_tokens": 128, "lower_case": 1.0, "sets": [{"file": "squad/train-v1.1.json", "held_out": 0.25, "repeat": 2, "join": 2}]}
    train, held = load_encoder_sets(config, tmp_path, tmp_path / "cache")
    assert len(train) == 2 * 12 and len(held["train-v1"]) == 4
    assert len({p.article for p in train}) == 4  # three articles joined by twos, twice
    assert all(q.text == q.text.lower() for p in train for q in p.questions)
    assert any(q.text != q.text.lower() for p in held["train-v1"] for q in p.questions)
    monkeypatch.setattr(question_sets, "train_and_tune", None)  # the second time comes from the cache
    assert len(load_encoder_sets(config, tmp_path, tmp_path / "cache")[0]) == 24


def test_unigram_paragraphs_have_its_special_ids_and_exact_offsets(unigram):
    paragraph = build_paragraph(unigram, 0, "abc", TEXT, 64)
    assert paragraph.ids[0] == 2 and paragraph.ids[-1] == 3 and (paragraph.ids == 3).sum() == 2
    start, end = answer_span(paragraph, TEXT.index("日本"), "日本")
    assert TEXT[paragraph.offsets[start, 0] : paragraph.offsets[end, 1]] == "日本"
    assert set(paragraph.sentence[paragraph.first : -1]) == {0, 1, 2}


def test_chinese_sentences_end_without_a_space():
    starts = sentence_starts("他说：「来。」然后走了。好！")
    assert [("他说：「来。」然后走了。好！")[i] for i in starts] == ["他", "然", "好"]


def test_an_answer_is_looked_for_where_the_set_says_it_is():
    context = "1911, 1925 and 1911"
    assert answer_place(context, {"text": "1911", "answer_start": 15}) == 15
    assert answer_place(context, {"text": "1911", "answer_start": 13}) == 15
    assert answer_place(context, {"text": "1911", "answer_start": 2}) == 0
    assert answer_place(context, {"text": "1968", "answer_start": 2}) == -1


def test_the_idf_of_a_piece_that_training_does_not_hold_comes_from_its_cost():
    costs = np.array([6.0, 8.0, 10.0, 7.0, 9.0])
    idf = np.array([1.0, 3.0, 5.0, 9.0, 9.0])  # the last two were never seen
    made = idf_by_cost(idf, costs, np.array([True, True, True, False, False]))
    assert np.allclose(made, [1, 3, 5, 2, 4])


def test_frequent_pieces_punctuation_and_function_words_do_not_pool():
    pieces = [*SPECIALS, "\u2581", "\u2581The", "\u2581der", "\u2581Haus", "。", "7"]
    costs = [0, 0, 0, 0, 0, 4.0, 8.2, 7.5, 12.0, 9.0, 7.0]
    assert term_stop_list(pieces, costs) == [0, 1, 2, 3, 4, 5, 6, 7, 9]
    assert term_stop_list(["[PAD]", "the", "##s", "house", "."]) == [0, 1, 4]


def test_documents_with_written_questions_are_a_set(tmp_path):
    config = {"held_out_seed": 1, "max_tokens": 256}
    train, held = load_prepared({"file": "written/english.jsonl"}, config, tmp_path, tmp_path / "cache")
    assert len(train) > 500 and held and not {p.title + p.text for p in train} & {p.title + p.text for p in held}
    assert all(p.questions and all(q.start >= p.first for q in p.questions) for p in train)


def test_a_teacher_reads_every_paragraph_once_set_after_set_in_files_of_like_size(tmp_path, monkeypatch):
    (tmp_path / "squad").mkdir()
    made_up_squad(tmp_path / "squad" / "train-v1.1.json")
    monkeypatch.setattr(teacher, "PART", 5)
    squad = {"file": "squad/train-v1.1.json", "held_out": 0.25}
    config = {"seed": 4, "held_out_seed": 1, "max_tokens": 128, "sets": [squad]}
    train, _ = load_encoder_sets(config, tmp_path, tmp_path / "cache")
    made = teacher.parts(config, str(tmp_path), tmp_path / "cache")
    assert sorted(q.id for part in made for p in part for q in p.questions) == sorted(q.id for p in train for q in p.questions)
    assert all(5 <= sum(len(p.questions) for p in part) < 5 + max(len(p.questions) for p in train) for part in made[:-1])
    twice = teacher.parts({**config, "sets": [squad, {**squad, "held_out": 0.5}]}, str(tmp_path), tmp_path / "cache")
    assert [[p.text for p in part] for part in twice[: len(made) - 1]] == [[p.text for p in part] for part in made[:-1]]
