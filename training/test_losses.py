"""The losses of the encoder, and that each of its heads learns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import made_up

from losses import batch_losses, imitation
from model import Verbatim
from scores import SOFTNESS, LossConfig, MatchTable, Storage, largest, score_batch, span_logits

# These losses do not train the maps of passage vectors: passage_vectors.py does.
TINY = replace(made_up.TINY, vector=0)


def test_span_logits_are_start_plus_end_plus_pair():
    starts, ends, pair = torch.randn(2, 5), torch.randn(2, 5), torch.randn(2, 5, 3)
    logits = span_logits(starts, ends, pair, 3)
    for i in range(5):
        for width in range(3):
            if i + width < 5:
                expected = starts[:, i] + ends[:, i + width] + pair[:, i, width]
                assert torch.allclose(logits[:, i, width], expected, atol=1e-5)
            else:
                assert (logits[:, i, width] < -1000).all()


def test_kernel_trick_equals_one_hot_ngrams():
    """S F · (S' F')ᵀ with F written out (SPARC Eq. 1) equals the table look-up (Eq. 2)."""
    ids_q, ids_p = np.array([7, 8, 7, 9]), np.array([9, 7, 5, 8, 7])
    weights = torch.rand(4, 4)
    table = MatchTable(ids_q, [slice(0, 4)], weights[0]).at(ids_p)
    one_hot = lambda ids: torch.nn.functional.one_hot(torch.from_numpy(ids), 10).float()  # noqa: E731
    expected = weights[0] @ one_hot(ids_q) @ one_hot(ids_p).T
    assert torch.allclose(table[:, 0], expected)


def test_imitation_is_zero_for_the_teacher_itself_and_grows_apart():
    teacher = torch.randn(3, 9)
    assert imitation(teacher + 5, teacher, 2.0).abs().max() < 1e-5
    assert imitation(torch.zeros(3, 9), teacher, 2.0).mean() > 0.1


def test_loss_falls_on_one_batch(paragraphs):
    torch.manual_seed(2)
    model = Verbatim(TINY)
    stop = np.zeros(TINY.vocabulary, dtype=bool)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    config = LossConfig(sampled_terms=64)
    losses = []
    for step in range(12):
        total, parts = batch_losses(model, paragraphs[:4] + paragraphs[8:10], config, torch.Generator().manual_seed(step), stop)
        assert all(torch.isfinite(v) for v in parts.values())
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        losses.append(float(total.detach()))
    assert losses[-1] < 0.85 * losses[0]


def test_every_head_gets_a_gradient(paragraphs):
    torch.manual_seed(2)
    model = Verbatim(TINY)
    torch.nn.init.normal_(model.term_context.weight, std=0.05)
    stop = np.zeros(TINY.vocabulary, dtype=bool)
    total, _ = batch_losses(model, paragraphs[:6], LossConfig(sampled_terms=64), torch.Generator().manual_seed(0), stop)
    total.backward()
    silent = [n for n, p in model.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.abs().sum() > 0)]
    assert silent == []


def test_concatenated_negatives_and_other_heads_learn(paragraphs):
    """Each variant that an ablation switches on has finite losses and reaches every parameter that
    it has."""
    stop = np.zeros(TINY.vocabulary, dtype=bool)
    split = {"dense": 12, "coherency": 4}
    for changes, loss in (({}, {"concatenate": True}), ({"heads": "shared"}, {}), ({"heads": "split", **split}, {}), ({"orders": 1}, {}), ({"orders": 3}, {})):
        torch.manual_seed(2)
        model = Verbatim(replace(TINY, **changes))
        torch.nn.init.normal_(model.term_context.weight, std=0.05)
        total, parts = batch_losses(model, paragraphs[:6], LossConfig(sampled_terms=64, **loss), torch.Generator().manual_seed(0), stop)
        assert all(torch.isfinite(v) for v in parts.values()), changes
        total.backward()
        silent = [n for n, p in model.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.abs().sum() > 0)]
        assert silent == [], (changes, loss)
    plain, joined = (
        batch_losses(Verbatim(TINY), paragraphs[:6], LossConfig(sampled_terms=64, concatenate=c), torch.Generator().manual_seed(0), stop)[1] for c in (False, True)
    )
    assert joined["own"] > plain["own"]  # more to choose from
    with pytest.raises(ValueError, match="does not split"):
        Verbatim(replace(TINY, heads="split"))


def test_of_each_row_only_the_largest_weights_count():
    weights = torch.tensor([[0.0, 3.0, 1.0, 2.0], [1.0, 1.0, 1.0, 0.0]])
    assert largest(weights, 2).tolist() == [[0.0, 3.0, 0.0, 2.0], [1.0, 1.0, 1.0, 0.0]]  # equal ones all count
    assert largest(weights, 4) is weights


def test_a_stored_score_has_no_bigrams_and_lets_the_loss_decide_which_rows_pass(paragraphs):
    model, paragraphs = Verbatim(TINY), paragraphs[:3]
    config = LossConfig(ngram_weight=2.0)
    plain = score_batch(model, paragraphs, config, kinds=(1,))
    stored = score_batch(model, paragraphs, config, storage=Storage(threshold=0.0, ngrams_per_row=1000))
    passes = torch.nn.functional.logsigmoid(plain.keep / SOFTNESS)
    for side in (0, 1):
        assert torch.allclose(stored.sparse[side], plain.sparse[side], atol=1e-5)
        assert torch.allclose(stored.dense[side], plain.dense[side] + passes[:, side], atol=1e-4)
    stored.dense[0].sum().backward()
    assert model.filter.weight.grad.abs().sum() > 0
