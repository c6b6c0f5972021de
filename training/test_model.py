"""The network of the encoder: its layers, n-gram attention and int8 rounding."""

from __future__ import annotations

import numpy as np
import torch

from scores import gram_ids, pair_logits, question_weights, span_logits
from made_up import TINY
from model import Gather, Shape, Ungather, Verbatim, fake_int8, flat_batch, gram_masks, half, linear


def test_how_sequences_are_grouped_does_not_change_the_encoding(tiny):
    rng = np.random.default_rng(0)
    sequences = [rng.integers(1000, 30000, size=n) for n in (5, 17, 9, 30)]
    outputs = []
    for size in (30, 1000):
        ids, position, groups, inverse, slices = flat_batch(sequences, size)
        outputs.append(tiny.encoder(ids, position, groups, inverse))
    alone = [tiny.encoder(*flat_batch([s], 100)[:4]) for s in sequences]
    assert torch.allclose(outputs[0], outputs[1], atol=1e-5)
    assert torch.allclose(outputs[0], torch.cat(alone), atol=1e-5)


def test_ngram_attention_masks_its_diagonal_and_specials(tiny):
    hidden = torch.randn(6, TINY.hidden)
    special = torch.tensor([True, False, False, False, False, True])
    weights = tiny.ngram_attention(hidden, special)
    assert (weights >= 0).all() and weights.shape == (4, 6, 6)
    assert (torch.diagonal(weights, dim1=1, dim2=2) == 0).all()
    assert (weights[:, :, 0] == 0).all() and (weights[:, :, 5] == 0).all()
    assert (weights[1, :, 4] == 0).all() and (weights[3, :, 4] == 0).all()  # a bigram with [SEP]
    assert torch.allclose(tiny.ngram_attention(hidden, special, rows=1)[:, 0], weights[:, 0], atol=1e-6)


def test_weights_of_all_questions_at_once_equal_each_alone(tiny):
    """Specials are masked, and with [CLS] the diagonal of its row."""
    rng = np.random.default_rng(1)
    sequences = [np.concatenate([[101], rng.integers(1000, 30000, size=n), [102]]) for n in (3, 7, 1)]
    ids, _, _, _, slices = flat_batch(sequences, 100)
    hidden = torch.randn(len(ids), TINY.hidden)
    together = question_weights(tiny, hidden, ids.numpy(), slices)
    for s in slices:
        alone = tiny.ngram_attention(hidden[s], tiny.special(ids[s]), rows=1)[:, 0]
        assert torch.allclose(together[:, s], alone, atol=1e-6)


def test_gathering_has_the_gradient_of_indexing():
    x = torch.randn(7, 3, requires_grad=True)
    index = torch.tensor([4, 7, 0, 2, 7, 1, 3, 5, 6])  # 7 is the padding
    inverse = torch.tensor([2, 5, 3, 6, 0, 7, 8])
    weights = torch.randn(9, 3)
    plain = torch.nn.functional.pad(x, (0, 0, 0, 1))[index]
    (expected,) = torch.autograd.grad((plain * weights).sum(), x)
    (found,) = torch.autograd.grad((Gather.apply(x, index, inverse) * weights).sum(), x)
    assert torch.equal(Gather.apply(x, index, inverse), plain) and torch.allclose(found, expected)
    y = torch.randn(9, 3, requires_grad=True)
    back = torch.randn(7, 3)
    (expected,) = torch.autograd.grad((y[inverse] * back).sum(), y)
    (found,) = torch.autograd.grad((Ungather.apply(y, index, inverse) * back).sum(), y)
    assert torch.equal(Ungather.apply(y, index, inverse), y[inverse]) and torch.allclose(found, expected)


def test_int8_rounding_is_small_and_lets_the_gradient_through():
    torch.manual_seed(4)
    layer = torch.nn.Linear(32, 8)
    x = torch.randn(20, 32, requires_grad=True)
    exact, rounded = layer(x), linear(layer, x, int8=True)
    assert 0 < (exact - rounded).abs().max() < 0.1
    codes = fake_int8(x, layer.weight)[0].detach()
    step = (max(float(x.max()), 0) - min(float(x.min()), 0)) / 255
    assert torch.allclose(codes / step, torch.round(codes / step), atol=1e-3)
    rounded.sum().backward()
    assert torch.allclose(x.grad, layer.weight.sum(0).expand_as(x), atol=0.05)


def test_an_ngram_is_its_tokens_in_order():
    ids = torch.tensor([101, 5, 6, 7, 5, 6, 102])
    one, two, three = gram_ids(ids.numpy(), 3)
    assert one[1] == one[4] and two[1] == two[4] and three[1] != three[4]
    masks = gram_masks(torch.isin(ids, torch.tensor(Shape().specials)), 3)
    assert masks.tolist()[:3] == [[0, 1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 0, 0, 0]] and torch.equal(masks[:3], masks[3:])


def test_the_network_makes_its_tensors_on_the_device_that_is_chosen():
    """The `meta` device refuses to mix with tensors of another: what a GPU would refuse, too."""
    try:
        torch.set_default_device("meta")
        model = Verbatim(TINY)
        ids, position, groups, inverse, slices = flat_batch([np.array([101, 2000, 3000, 102]), np.array([101, 5000, 102])], 100)
        hidden = model.encoder(ids, position, groups, inverse)
        start, end, c1, c2, keep = model.passage_heads(hidden)
        weights = model.ngram_attention(hidden[slices[0]], model.special(ids[slices[0]]))
        pair = pair_logits(c1, c2, model.question_heads(hidden[:1])[2], 5)
        spans = span_logits((start @ start.T)[:1], (end @ end.T)[:1], pair, 5)
        assert {t.device.type for t in (hidden, keep, weights, spans)} == {"meta"} and spans.shape == (1, 7, 5)
    finally:
        torch.set_default_device(None)
    with half():
        assert torch.nn.Linear(4, 2)(torch.ones(1, 4)).dtype == torch.bfloat16
    with half(False):
        assert torch.nn.Linear(4, 2)(torch.ones(1, 4)).dtype == torch.float32
