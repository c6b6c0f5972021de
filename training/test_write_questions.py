import json
import random
from collections import Counter

import numpy as np
import pytest
import torch

from asked_passages import Passage, tokenised
from data import build_paragraph
from draw_passages import is_cluttered
from mixed_sets import load_prepared
from question_decoder import Asked
from question_writer import STYLES
from span_sets import load_spans
from teacher_logits import load_logits
from text_base import load_tokenizer
from write_questions import Reading, best_span, collect, counts_of, save_chunk, tidy, without_sentence

TEXT = "The harbour was built in 1874 by Ada Stone. It closed after the storm of 1953. A museum shows the old cranes to visitors. " * 1
CONFIG = {"answerable": 0.0, "margin": 1.0, "overlap": 0.8, "unanswerable": -1.0, "most_tokens": 200}


def passage(text: str = TEXT) -> Passage:
    return Passage("encyclopedia", "enwiki-2015 7", "Harbour", "History", text)


def asked(paragraph, text: str, start: str, end: str | None = None) -> Asked:
    place = lambda word: paragraph.first + [paragraph.text[a:b] for a, b in paragraph.offsets[paragraph.first : -1]].index(word)  # noqa: E731
    ids = load_tokenizer().encode(text, add_special_tokens=False).ids
    return Asked(place(start), place(end or start), STYLES.index("squad"), tuple(ids), -0.5)


def scorer(answers: dict[str, tuple[str, str]]):
    """A reader that finds, by the passage's text, the first and last word that it is given, and nothing elsewhere."""

    def score(batch):
        (one,) = batch
        words = [load_tokenizer().pieces[i] for i in one.ids[one.passage : -1]]
        start, end = torch.full((2, 1, len(one.ids)), -5.0)
        known = next((spans for word, spans in answers.items() if word in words), None)
        if known is not None:
            start[0, one.passage + words.index(known[0])] = 4.0
            end[0, one.passage + words.index(known[1])] = 4.0
        return start, end, torch.tensor([3.0 if known else -4.0])

    return score


def test_the_best_span_and_its_margin_over_spans_apart_from_it():
    start, end = np.zeros(9), np.zeros(9)
    start[[3, 4]], end[4], start[7], end[8] = (5, 4.5), 5, 2, 2
    assert best_span(start, end) == (3, 4, 6)
    assert best_span(np.array([1.0]), np.array([1.0])) == (0, 0, np.inf)


def test_a_question_is_kept_where_the_reader_finds_the_same_answer():
    paragraph = build_paragraph(load_tokenizer(), 0, "Harbour", TEXT, 200)
    one = asked(paragraph, "in which year was the harbour built ?", "1874")
    kept = Reading(scorer({"1874": ("1874", "1874")}), CONFIG).kept(passage(), paragraph, one, "n0", True)
    assert kept.question.text == "In which year was the harbour built?"
    assert kept.question.answers == ["1874"]
    assert kept.twin == "It closed after the storm of 1953. A museum shows the old cranes to visitors."
    assert kept.logits.shape == (2, len(paragraph.ids) - 1 - paragraph.first)
    for found in ({"1874": ("1953", "1953")}, {}, {"1874": ("built", "stone")}):
        assert Reading(scorer(found), CONFIG).kept(passage(), paragraph, one, "n0", True) is None


def test_a_question_has_no_twin_where_the_rest_answers_it_too():
    paragraph = build_paragraph(load_tokenizer(), 0, "Harbour", TEXT, 200)
    one = asked(paragraph, "when did it close ?", "1953")
    kept = Reading(scorer({"1953": ("1953", "1953"), "1874": ("1874", "1874")}), CONFIG).kept(passage(), paragraph, one, "n0", True)
    assert kept is not None and kept.twin is None


def test_a_question_that_says_its_answer_is_not_kept():
    paragraph = build_paragraph(load_tokenizer(), 0, "Harbour", TEXT, 200)
    reading = Reading(scorer({"1874": ("1874", "1874")}), CONFIG)
    assert reading.kept(passage(), paragraph, asked(paragraph, "was it built in 1874 ?", "1874"), "n0", False) is None
    assert reading.written.total() == 0


@pytest.mark.parametrize(
    "said, style, expected",
    [("who ' s there ?", "squad", "Who's there?"), ("deposit deadline", "keywords", "deposit deadline"), ("what is the re - use rate ( in % ) ?", "question", "What is the re-use rate (in %)?")],
)
def test_questions_are_joined_as_a_person_writes_them(said, style, expected):
    tokenizer = load_tokenizer()
    assert tidy(tokenizer.decode(tokenizer.encode(said, add_special_tokens=False).ids), style) == expected


def test_sentences_are_taken_out_whole():
    assert without_sentence(TEXT, TEXT.index("closed"), TEXT.index("closed") + 3) == TEXT.replace("It closed after the storm of 1953. ", "").strip()


def test_long_passages_are_cut_and_a_text_is_read_once():
    long = passage(" ".join(f"Sentence number {i} is about the harbour and its many old cranes." for i in range(40)))
    parts = tokenised([long, long], 120)
    assert len(parts) > 3
    assert all(len(p.ids) <= 120 and p.text == one.text for one, p in parts)
    assert " ".join(one.text for one, _ in parts) == long.text


def test_links_tables_and_code_are_not_asked_about():
    assert not is_cluttered(TEXT * 3 + "[1] and <b>")
    assert is_cluttered("| name | value |\n| --- | --- |\n| port | 8080 |")


def test_longer_passages_get_more_questions():
    shares = {STYLES[2]: 1.0}
    config = {"styles": {"encyclopedia": shares, "other": shares}, "tokens_per_question": {"encyclopedia": 40, "other": 20}}

    def count(kind: str, words: int) -> int:
        paragraph = build_paragraph(load_tokenizer(), 0, "", "harbour " * words, 500)
        return int(counts_of(random.Random(1), Passage(kind, "a", "", "", ""), paragraph, config)[2])

    assert [count("faq", 10), count("faq", 200), count("encyclopedia", 200)] == [1, 10, 5]


def test_a_part_is_read_like_any_other_set(tmp_path):
    one = passage()
    paragraph = build_paragraph(load_tokenizer(), 0, one.title, one.text, 200, one.heading)
    kept = Reading(scorer({"1874": ("1874", "1874")}), CONFIG).kept(one, paragraph, asked(paragraph, "when was it built ?", "1874"), "n0", True)
    save_chunk(tmp_path, 0, [(one, paragraph), (one, paragraph)], [[kept], []], Counter({"encyclopedia": 5}))
    save_chunk(tmp_path, 1, [(one, paragraph)], [[]], Counter())  # nothing was kept
    counts = collect(tmp_path)
    assert counts == {"passages": 2, "written": {"encyclopedia": 5}, "kept": {"encyclopedia": 1}, "unanswerable": {"encyclopedia": 1}, "styles": {"squad": 1}}
    read = load_spans(str(tmp_path / "network-questions.json"), "train")
    assert [[(q.id, q.answers) for q in p.questions] for p in read] == [[("n0", ["1874"])], [("n0-none", [])]]
    assert np.array_equal(read[0].ids, paragraph.ids)
    config = {"base": None, "held_out_seed": 17, "max_tokens": 256}
    train, held = load_prepared({"file": str(tmp_path / "network-questions.json"), "made": True}, config, tmp_path, tmp_path)
    assert [[q.id for q in p.questions] for p in train] == [["n0"]] and held == []
    logits, places = load_logits(str(tmp_path))["n0"]
    assert np.array_equal(logits, kept.logits) and np.array_equal(places, paragraph.offsets[paragraph.first : -1])
    assert json.loads((tmp_path / "figures.json").read_text()) == counts
