"""Tests of the reader's training on made-up data; seconds on a CPU.

    python -m pytest -q test_reader.py
"""

from __future__ import annotations

import random

import numpy as np
import torch

from data import Question, answer_span, build_paragraph
from text_base import load_tokenizer
from negatives import Alterations, cut
from reader import Pairs, Reader, exact, reader_loss, tensors
from teacher_logits import attach, on_tokens
from made_up import TINY


def test_pairs_hold_every_question_once_and_passages_without_its_answer(paragraphs):
    pairs = Pairs(paragraphs, 3)
    batches = pairs.epoch(0, {"other": 1.0}, 400)
    asked = [group for batch in batches for group in batch]
    assert sorted(group[0][:2] for group in asked) == sorted((i, q) for i, p in enumerate(paragraphs) for q in range(len(p.questions)))
    assert any(len(group) == 2 for group in asked)
    for group in asked:
        assert group[0][0] == group[0][2]
        for index, place, read in group[1:]:
            assert paragraphs[index].questions[place].answers[0].lower() not in paragraphs[read].text.lower()
    for batch in batches:
        ids = tensors(paragraphs, [pair for group in batch for pair in group])[0]
        assert ids.numel() <= 400 or len(batch) == 1


def test_a_cut_paragraph_lacks_the_answer_and_keeps_the_rest_in_order(paragraphs):
    paragraph = build_paragraph(load_tokenizer(), 0, "The mill", "The mill was founded by Ines Calder in 1911, on the left bank. It closed in 1941. Visitors came from the whole valley, by train and on foot, to see the wheel turn.", 128)
    for text, gone, kept in (("1911", "Ines", "Visitors"), ("1941", "closed", "wheel")):
        start, end = answer_span(paragraph, paragraph.text.index(text), text)
        question = Question("q", "When?", np.array([101, 102]), start, end, [text])
        left = cut(paragraph, question)
        assert left.ids[0] == 101 and left.ids[-1] == 102 and len(left.ids) == len(left.offsets) == len(left.sentence) < len(paragraph.ids)
        pieces = [paragraph.text[a:b] for a, b in left.offsets[left.first : -1].tolist()]
        assert gone not in pieces and text not in pieces and kept in pieces
        assert (np.diff(left.offsets[left.first : -1, 0]) > 0).all()


def test_nothing_is_cut_where_the_answer_stands_twice_or_little_is_left(paragraphs):
    twice = build_paragraph(load_tokenizer(), 0, "t", "Ada was born in 1911 in the house by the river. In 1911 the bridge was built, and the town grew fast on both of its banks.", 128)
    start, end = answer_span(twice, twice.text.index("1911"), "1911")
    assert cut(twice, Question("q", "When?", np.array([101, 102]), start, end, ["1911"])) is None
    short = paragraphs[0]
    assert cut(short, short.questions[0]) is None or len(cut(short, short.questions[0]).ids) > 16


def test_an_altered_question_differs_in_one_thing_that_its_answer_does_not_say(paragraphs):
    tokenizer = load_tokenizer()
    text = "In 1911 Ines Calder founded the mill before the war. Otto Brandt sold it in 1925."
    paragraph = build_paragraph(tokenizer, 0, "The mill", text, 128)
    for name, (question, answer) in {"a": ("What did Ines Calder found before the war?", "the mill"), "b": ("Who sold the mill in 1925?", "Otto Brandt"), "c": ("What did Jan Pelt do in 1940?", "the mill")}.items():
        start, end = answer_span(paragraph, text.index(answer), answer)
        paragraph.questions.append(Question(name, question, np.array(tokenizer.encode(question).ids), start, end, [answer]))
    alterations = Alterations(tokenizer, [paragraph])
    found = {alterations.altered(random.Random(seed), paragraph, paragraph.questions[0]).text for seed in range(20)}
    assert found == {"What did Jan Pelt found before the war?", "What did Ines Calder found after the war?"}
    assert {alterations.altered(random.Random(seed), paragraph, paragraph.questions[1]).text for seed in range(20)} == {"Who sold the mill in 1940?"}
    plain = Question("d", "What is it?", np.array([101, 102]), paragraph.first, paragraph.first, ["In"])
    changed = alterations.altered(random.Random(1), paragraph, plain)
    assert changed.text == "What is not it?" and changed.start == -1 and changed.answers == []


def test_pairs_without_an_answer_have_no_span_to_learn(paragraphs):
    pairs = Pairs(paragraphs, 3, load_tokenizer())
    asked = [group for batch in pairs.epoch(0, {"cut": 0.5, "altered": 0.5}, 4000) for group in batch]
    altered = [group for group in asked if group[0][0] != group[0][2]]
    assert altered and all(len(group) == 1 for group in altered)
    torch.manual_seed(3)
    reader = Reader(TINY)
    loss, parts = reader_loss(reader, pairs.paragraphs, altered, bf16=False)
    assert parts["span"].item() == 0 and parts["answerable"].item() > 0
    alone, _ = reader_loss(reader, pairs.paragraphs, [[(0, 0, 0)]], bf16=False)
    both, _ = reader_loss(reader, pairs.paragraphs, [[(0, 0, 0)], altered[0]], bf16=False)
    assert torch.isfinite(both) and both.item() != alone.item()
    again = pairs.epoch(0, {"cut": 0.5, "altered": 0.5}, 4000)
    assert [group for batch in again for group in batch] == asked


def test_a_pair_keeps_the_answer_at_its_place(paragraphs):
    paragraph, question = paragraphs[0], paragraphs[0].questions[1]
    ids, kinds, mask, passage = tensors(paragraphs, [(0, 1, 0), (0, 0, 1)])
    shift = len(question.ids) - 1
    assert ids[0, question.start + shift] == paragraph.ids[question.start]
    assert passage[0, question.start + shift] and passage[0].sum() == len(paragraph.ids) - 1 - paragraph.first
    assert not passage[0, : len(question.ids)].any() and kinds[0, len(question.ids)] == 1 and kinds[0, 0] == 0
    assert mask[0].sum() == len(question.ids) + len(paragraph.ids) - 1


def test_padding_does_not_change_what_is_read(paragraphs):
    torch.manual_seed(3)
    reader = Reader(TINY)
    together = reader(*tensors(paragraphs, [(0, 0, 0), (5, 1, 2)])[:3])
    alone = reader(*tensors(paragraphs, [(0, 0, 0)])[:3])
    width = alone[0].shape[1]
    assert torch.allclose(together[0][0, :width], alone[0][0], atol=1e-5) and torch.allclose(together[2][0], alone[2][0], atol=1e-5)


def test_the_reader_learns_a_handful_and_its_teaching_reaches_the_questions(paragraphs, tmp_path):
    torch.manual_seed(3)
    reader = Reader(TINY)
    optimiser = torch.optim.AdamW(reader.parameters(), lr=4e-3)
    batch = [[(i, q, i)] for i in range(4) for q in range(2)]
    batch[0].append((0, 0, 9))
    losses = []
    for _ in range(30):
        loss, _ = reader_loss(reader, paragraphs, batch, bf16=False)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.6 * losses[0]
    assert 0 <= exact(reader, paragraphs[:4], 8, bf16=False) <= 1


def test_a_teacher_of_another_tokenizer_is_learned_from_by_the_characters_of_its_tokens(paragraphs, tmp_path):
    one, two = paragraphs[0], paragraphs[1]
    places = one.offsets[one.first : -1]
    t = len(places)
    names = np.array([one.questions[0].id, two.questions[0].id])
    passages = {"passage": np.array([0, 1]), "passage_at": np.array([0, t, t + 1]), "places": np.concatenate([places, [[0, 2]]])}
    np.savez(tmp_path / "part-000.npz", ids=names, at=np.array([0, t, t + 1]), logits=np.zeros((2, t + 1), np.float16), **passages)
    try:
        assert attach(paragraphs, str(tmp_path)) == 2
        assert np.array_equal(one.questions[0].teacher, np.zeros((2, t)))
        assert (two.questions[0].teacher > -1).sum() == 2  # the one token that is known begins in one token and ends in one
    finally:
        for q in (one.questions[0], two.questions[0]):
            q.teacher = None
    # "un|happy| man" as "unha|ppy man": starts at u and h are in the first token, the end of "man" in the second
    moved = on_tokens(np.log([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([[0, 2], [2, 7], [8, 11]]), np.array([[0, 4], [4, 11]]))
    assert np.allclose(np.exp(moved.astype(np.float32)), [[0.8, 0.2], [0.1, 0.9]], atol=1e-3)
    assert on_tokens(np.zeros((2, 3)), np.array([[0, 2], [2, 7], [8, 11]]), np.array([[0, 7]])) is None
