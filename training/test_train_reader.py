"""Tests of training a reader on sets of several kinds: what stays as it is, traditional characters."""

from __future__ import annotations

from itertools import islice

import numpy as np
import torch

from data import answer_span, build_paragraph, question_ids
from made_up import TINY, made_up_squad
from reader import NEGATIVE, Reader
from reader_rows import draw, rows
from text_base import load_tokenizer
from traditional import in_traditional_characters, traditional
from train_reader import Sets, distillation_loss, epochs, freeze_below, imitation_loss, loss_of
from written import question_of

TEXT = "东京是日本的首都。长江流过武汉，干净的水。"


def test_only_layers_above_the_frozen_ones_learn():
    reader = Reader(TINY)
    freeze_below(reader, 1)
    learning = {name for name, parameter in reader.named_parameters() if parameter.requires_grad}
    assert not any(name.startswith(("kinds", "encoder.words", "encoder.places", "encoder.norm", "encoder.layers.0.")) for name in learning)
    assert {"span.weight", "answer.bias", "encoder.layers.1.qkv.weight"} <= learning


def logits(*rows: list[float], answer: list[float]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    start = torch.tensor(rows)
    return start, start.flip(0), torch.tensor(answer)


def test_a_student_is_no_distance_from_a_teacher_that_says_the_same():
    teacher = logits([1.0, 2.0, NEGATIVE], [0.0, 3.0, 1.0], answer=[2.0, -1.0])
    spans, _ = distillation_loss(teacher, teacher, 2.0)
    assert abs(float(spans)) < 1e-6
    other = logits([2.0, 1.0, NEGATIVE], [0.0, 3.0, 1.0], answer=[2.0, -1.0])
    further = logits([5.0, -2.0, NEGATIVE], [0.0, 3.0, 1.0], answer=[2.0, -1.0])
    assert 0 < float(distillation_loss(other, teacher, 2.0)[0]) < float(distillation_loss(further, teacher, 2.0)[0])
    moved = tuple(one + 4 for one in teacher[:2]) + (teacher[2],)
    assert abs(float(distillation_loss(moved, teacher, 2.0)[0])) < 1e-5  # only differences within a row count


def test_a_student_comes_nearer_to_its_teacher(paragraphs):
    torch.manual_seed(2)
    student, teacher = Reader(TINY), Reader(TINY).eval()
    config = {"seed": 1, "window": [30, 30], "negatives": {"other": 0.5}, "answer_weight": 0.4, "temperature": 2.0, "bf16": False}
    drawn = draw({"squad": paragraphs}, {"squad": 1.0}, 8, 1)["squad"]
    batch = [[one] for one in rows("squad", paragraphs, drawn, config)]
    optimiser = torch.optim.AdamW(student.parameters(), lr=1e-3)
    distances = []
    for _ in range(25):
        loss, parts = loss_of(student, batch, config, teacher, 1.0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        distances.append(float(parts["distance"].detach()))
    assert distances[-1] < 0.5 * distances[0]
    plain, parts = loss_of(student, batch, config, teacher, 0.0)
    assert "distance" not in parts and torch.equal(plain, loss_of(student, batch, config)[0])


def test_rows_learn_from_logits_of_another_tokenizer(paragraphs):
    """The teacher's logits are those of single characters; a row of them is at no distance from itself."""
    config = {"seed": 1, "window": [30, 30], "negatives": {}, "answer_weight": 0.4, "temperature": 2.0, "bf16": False}
    paragraph = paragraphs[0]
    characters = np.stack([np.arange(len(paragraph.text)), np.arange(1, len(paragraph.text) + 1)], 1)
    first, second = paragraph.questions[:2]
    sharp = np.full((2, len(characters)), -9.0, dtype=np.float16)
    sharp[0, paragraph.offsets[first.start, 0]] = sharp[1, paragraph.offsets[first.end, 1] - 1] = 9
    flat = rows("squad", [paragraph], [(0, 0), (0, 1)], config, {first.id: (sharp, characters)})
    one, other = (next(r for r in flat if r.id == q.id) for q in (first, second))
    assert other.teacher is None and one.teacher.argmax(1).tolist() == [one.start - one.passage, one.end - one.passage]
    start, end = (torch.full((2, max(len(r.ids) for r in flat)), NEGATIVE) for _ in range(2))
    for side, logits in enumerate((start, end)):
        logits[0, one.passage : len(one.ids) - 1] = torch.from_numpy(one.teacher[side].astype(np.float32))
    assert abs(float(imitation_loss(start, end, [one, other], 2.0))) < 1e-4
    assert float(imitation_loss(end, start, [one, other], 2.0)) > 1
    elsewhere = np.roll(sharp, len(characters) // 2, axis=1)
    config["window"] = [first.end - first.start + 1] * 2
    (narrow,) = rows("squad", [paragraph], [(0, 0)], config, {first.id: (elsewhere, characters)})
    assert narrow.teacher is None  # it answers outside the window


def test_epochs_are_the_same_when_other_processes_draw_them(tmp_path):
    made_up_squad(tmp_path / "train-v1.1.json")
    config = {
        "sets": [{"file": "train-v1.1.json", "name": "squad", "held_out": 0.1}], "counts": {"squad": 30}, "seed": 5, "held_out_seed": 17,
        "window": [12, 20], "negatives": {"other": 0.5},
    }  # fmt: skip
    sets = Sets(config, tmp_path, tmp_path / "cache")
    here, there = ([[(r.id, r.ids.tolist()) for group in epoch for r in group] for epoch in islice(epochs(sets, ahead), 3)] for ahead in (0, 2))
    assert here == there and here[0] != here[1]


def test_traditional_characters_keep_offsets():
    assert traditional("东京 abc 长江") == "東京 abc 長江"
    assert len(traditional(TEXT)) == len(TEXT)


def test_questions_in_traditional_characters_keep_their_answers():
    tokenizer = load_tokenizer()
    paragraph = build_paragraph(tokenizer, 3, "长江", TEXT, 320)
    at = TEXT.index("武汉")
    start, end = answer_span(paragraph, at, "武汉")
    paragraph.questions = [question_of(tokenizer, "q", "长江流过哪个城市？", start, end, ["武汉"]), question_of(tokenizer, "n", "谁？", -1, -1, [])]
    (made,) = in_traditional_characters([paragraph], None)
    first, second = made.questions
    assert (made.title, first.text, first.answers) == ("長江", "長江流過哪個城市？", ["武漢"])
    assert made.text[made.offsets[first.start, 0] : made.offsets[first.end, 1]] == "武漢"
    assert first.ids.tolist() == question_ids(tokenizer, first.text).tolist()
    assert (second.start, second.end) == (-1, -1)
    assert torch.equal(torch.tensor(made.ids.shape), torch.tensor(paragraph.ids.shape))
