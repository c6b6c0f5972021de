"""What a reader is trained on and measured with, on made-up data; seconds on a CPU.

    python -m pytest -q test_reader_rows.py
"""

from __future__ import annotations

import random

import pytest
import torch

from data import Paragraph
from export_reader import Rounding, write_graph
from made_up import TINY, made_up_squad
from ranked_negatives import RankedNegatives
from reader import Reader
from reader_figures import auroc, figures, onnx_scorer, reader_scorer
from reader_rows import batches, draw, rows, tensors
from span_sets import load_spans

CONFIG = {"seed": 3, "window": [12, 20], "negatives": {"cut": 0.3, "other": 0.5}, "bf16": False, "answer_weight": 0.5}


@pytest.fixture(scope="module")
def paragraphs(tmp_path_factory) -> list[Paragraph]:
    return load_spans(str(made_up_squad(tmp_path_factory.mktemp("squad") / "train-v1.1.json")), "train")


def made_rows(paragraphs):
    drawn = draw({"squad": paragraphs}, {"squad": 1.0}, 1000, 1)
    return rows("squad", paragraphs, drawn["squad"], CONFIG)


def test_rows_keep_their_answer_and_some_have_none(paragraphs):
    made = made_rows(paragraphs)
    texts = {q.id: q for p in paragraphs for q in p.questions}
    assert {r.id for r in made} == set(texts) and 0 < sum(r.start < 0 for r in made) < len(made) / 2
    ids, mask, passage = tensors(made)
    for i, row in enumerate(made):
        assert passage[i].sum() <= 20 and not passage[i, : row.passage].any() and mask[i].sum() == len(row.ids)
        if row.start >= 0:
            question = texts[row.id]
            assert passage[i, row.start] and passage[i, row.end]
            assert row.end - row.start == question.end - question.start
    again = [(r.id, r.start, r.ids.tolist()) for r in made_rows(paragraphs)]
    assert again == [(r.id, r.start, r.ids.tolist()) for r in made]


def test_ranked_passages_are_like_the_question_and_do_not_answer(paragraphs):
    ranked = RankedNegatives(paragraphs)
    question = paragraphs[0].questions[0]  # "Who founded the observatory?" "Ines Calder"
    assert 0 in ranked.ranked(question)[:4] and all("observatory" in paragraphs[n].text for n in ranked.ranked(question)[:4])
    drawn = ranked.draw(random.Random(1), 0, question, 2)
    assert len(drawn) == 2 and not any("Ines Calder" in one.text for one in drawn)
    config = {**CONFIG, "window": [60, 60], "negatives": {"ranked": 1.0}}
    made = rows("squad", paragraphs, [(0, 0), (0, 1)], config)
    assert [r.answers for r in made] == [True, False, False] * 2


def test_batches_hold_every_row_once_within_the_budget(paragraphs):
    made = made_rows(paragraphs)
    together = batches(made, 120, 7)
    assert sorted(id(r) for batch in together for r in batch) == sorted(map(id, made))
    for batch in together:
        assert len(batch) * max(len(r.ids) for r in batch) <= 120 or len(batch) == 1


def test_draw_takes_the_share_of_each_set(paragraphs):
    drawn = draw({"a": paragraphs, "b": paragraphs}, {"a": 0.75, "b": 0.25}, 16, 1)
    assert [len(drawn[name]) for name in "ab"] == [12, 4] and drawn["a"][:4] != drawn["b"]


def test_figures_are_percentages_over_the_drawn_questions(paragraphs, tmp_path):
    torch.manual_seed(5)
    reader = Reader(TINY).eval()
    found = figures(reader_scorer(reader, bf16=False), "squad", paragraphs, 10, 1)
    write_graph(reader, tmp_path / "reader.onnx", Rounding(int8=False))
    assert figures(onnx_scorer(tmp_path / "reader.onnx", 1), "squad", paragraphs, 10, 1) == found
    assert found["questions"] == 10 and 0 <= found["exactMatch"] <= found["f1"] <= 100 and 0 <= found["auroc"] <= 1
    assert auroc([2, 3], [1, 0]) == 1 and auroc([1], [1]) == 0.5 and auroc([0, 3], [1, 2]) == 0.5
