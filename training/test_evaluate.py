"""Held-out figures of the encoder."""

from __future__ import annotations

import pytest
import torch

from evaluate import KINDS, best_spans, exact_match, f1, open_figures
from scores import LossConfig, pair_logits, score_batch, span_logits


def test_held_out_figures_follow_the_rule_of_squad(tiny, paragraphs):
    assert exact_match("the Ines Calder.", ["Ines Calder"]) == 1 and exact_match("Ines", ["Ines Calder"]) == 0
    assert f1("by Ines Calder", ["Ines Calder"]) == pytest.approx(0.8)
    all_rows, share = best_spans(tiny, paragraphs[:3], KINDS["full"], bf16=False, threshold=-1e9)
    assert share == 1 and [t for _, t in all_rows] == [t for _, t in best_spans(tiny, paragraphs[:3], KINDS["full"], bf16=False)[0]]
    for (question, text), paragraph in zip(all_rows, [p for p in paragraphs[:3] for _ in range(2)]):
        assert text in paragraph.text and question in paragraph.questions
    assert best_spans(tiny, paragraphs[:3], KINDS["full"], bf16=False, threshold=1e9)[1] == 0


def test_asking_all_paragraphs_finds_what_scores_of_pairs_say(tiny, paragraphs):
    """The best span of all paragraphs is the best of the best spans of each, scored together."""
    found = open_figures(tiny, paragraphs[:5], KINDS["full"], bf16=False, limit=100)
    scores = score_batch(tiny, paragraphs[:5], LossConfig())
    right = 0
    start, end = (dense + sparse for dense, sparse in zip(scores.dense, scores.sparse))
    for i, (owner, _) in enumerate(scores.questions):
        tops = []
        for p, (paragraph, s) in enumerate(zip(paragraphs[:5], scores.slices_p)):
            body = slice(s.start + paragraph.first, s.stop - 1)
            pair = pair_logits(scores.coherency[0][body], scores.coherency[1][body], scores.question[2][i : i + 1], 20)
            tops.append(span_logits(start[i : i + 1, body], end[i : i + 1, body], pair, 20).amax().detach())
        right += int(torch.stack(tops).argmax()) == owner
    assert found["questions"] == 10 and found["passageFirst"] == pytest.approx(100 * right / 10)
