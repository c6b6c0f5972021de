"""Tests of training a reader on sets of several kinds: what stays as it is, traditional characters."""

from __future__ import annotations

import torch

from data import answer_span, build_paragraph, question_ids
from made_up import TINY
from reader import NEGATIVE, Reader
from reader_rows import draw, rows
from text_base import load_tokenizer
from traditional import in_traditional_characters, traditional
from tune_reader import distillation_loss, freeze_below, loss_of
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
