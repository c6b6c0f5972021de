"""Tests of training a reader on sets of several kinds: what stays as it is, traditional characters."""

from __future__ import annotations

import torch

from data import answer_span, build_paragraph, question_ids
from made_up import TINY
from reader import Reader
from text_base import load_tokenizer
from traditional import in_traditional_characters, traditional
from tune_reader import freeze_below
from written import question_of

TEXT = "东京是日本的首都。长江流过武汉，干净的水。"


def test_only_layers_above_the_frozen_ones_learn():
    reader = Reader(TINY)
    freeze_below(reader, 1)
    learning = {name for name, parameter in reader.named_parameters() if parameter.requires_grad}
    assert not any(name.startswith(("kinds", "encoder.words", "encoder.places", "encoder.norm", "encoder.layers.0.")) for name in learning)
    assert {"span.weight", "answer.bias", "encoder.layers.1.qkv.weight"} <= learning


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
