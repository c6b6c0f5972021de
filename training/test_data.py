"""Paragraphs, spans, sentences and batches."""

from __future__ import annotations

from data import answer_span, build_paragraph, epoch_batches, sentence_starts, split_held_out
from text_base import load_tokenizer


def test_answer_spans_give_back_the_answer(paragraphs):
    for paragraph in paragraphs:
        for question in paragraph.questions:
            start, end = paragraph.offsets[question.start, 0], paragraph.offsets[question.end, 1]
            assert paragraph.text[start:end] == question.answers[0]


def test_an_answer_that_was_cut_off_has_no_span():
    paragraph = build_paragraph(load_tokenizer(), 0, "t", "one two three four five six", 8)
    assert answer_span(paragraph, 0, "one") == (paragraph.first, paragraph.first)
    assert answer_span(paragraph, 23, "six") == (-1, -1)


def test_sentences_end_at_stops_but_not_at_abbreviations():
    text = 'Dr. Calder came. "Who is it?" asked J. R. Voss. Nobody knew.'
    assert [text[s:][:6] for s in sentence_starts(text)] == ["Dr. Ca", '"Who i', "Nobody"]


def test_held_out_articles_share_nothing_with_training(paragraphs):
    train, held = split_held_out(paragraphs, 0.25, 3)
    assert len(held) == 4 and len(train) == 12
    assert not {p.article for p in train} & {p.article for p in held}
    assert split_held_out(paragraphs, 0.25, 3)[1][0].text == held[0].text


def test_batches_hold_every_paragraph_once_in_groups_of_one_article(paragraphs):
    batches = epoch_batches(paragraphs, 2, 2, 7)
    assert sorted(sum(batches, [])) == list(range(len(paragraphs)))
    for batch in batches:
        for i in range(0, len(batch), 2):
            assert paragraphs[batch[i]].article == paragraphs[batch[i + 1]].article
