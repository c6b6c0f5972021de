"""An encoder of half the layers: what it starts from, and that it comes nearer to its teacher."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from fewer_layers import head_rows, kept_layers, losses, parameter_groups, student_of
from made_up import TINY
from model import Verbatim, flat_batch


@pytest.fixture
def teacher() -> Verbatim:
    torch.manual_seed(3)
    return Verbatim(replace(TINY, layers=4)).eval().requires_grad_(False)


def sequences(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.concatenate([[101], rng.integers(1000, 30000, size=n), [102]]) for n in (12, 5, 20)]


def test_the_student_has_every_second_layer_and_all_heads(teacher):
    assert kept_layers(12) == [1, 3, 5, 7, 9, 11]
    student = student_of(teacher)
    assert student.shape == replace(teacher.shape, layers=2, vector=0)
    for own, layer in enumerate((1, 3)):
        for name, value in student.encoder.layers[own].state_dict().items():
            assert torch.equal(value, teacher.encoder.layers[layer].state_dict()[name])
    hidden = torch.randn(4, TINY.hidden)
    for own, its in zip(head_rows(student, hidden), head_rows(teacher, hidden)):
        assert torch.equal(own, its)
    with pytest.raises(ValueError, match="3 layers cannot be halved"):
        student_of(Verbatim(replace(TINY, layers=3)))


def test_a_student_that_is_its_teacher_has_no_distance(teacher):
    """Layers that pass their input on unchanged do not distinguish 4 from 2."""
    for layer in (0, 2):
        own, kept = teacher.encoder.layers[layer], teacher.encoder.layers[layer + 1]
        for part in (own.out, own.down):
            part.weight.zero_(), part.bias.zero_()
        kept.load_state_dict(own.state_dict())
    parts = losses(student_of(teacher), teacher, sequences(1), bf16=False)
    assert parts["hidden"] < 1e-8 and parts["heads"] < 1e-8


def test_learning_brings_the_student_nearer_and_keeps_its_words(teacher):
    student = student_of(teacher)
    words = student.encoder.words.weight.clone()
    optimiser = torch.optim.AdamW(parameter_groups(student, 1e-3))
    before = losses(student, teacher, sequences(9), bf16=False)
    for step in range(60):
        parts = losses(student, teacher, sequences(step % 8), bf16=False)
        optimiser.zero_grad()
        (parts["hidden"] + parts["heads"]).backward()
        optimiser.step()
    after = losses(student, teacher, sequences(9), bf16=False)
    assert after["hidden"] < 0.8 * before["hidden"] and after["heads"] < 0.8 * before["heads"]
    assert torch.equal(student.encoder.words.weight, words)
    ids = flat_batch(sequences(2), 1000)[0]
    assert len(ids) == 43
