"""Sequences for the question writer: a passage with its answer marked, and the question that is
asked about it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from data import Paragraph, Question
from span_sets import window
from writer_model import ANSWER, QUESTION, SOURCE

CHUNK = 4000  # sequences that are sorted by length together
MAX_QUESTION = 40  # tokens


@dataclass
class Source:
    """A passage with a marked answer; `text` and `offsets` are the paragraph's, for turning
    positions into text."""

    paragraph: Paragraph
    start: int  # positions of the answer in the paragraph's ids, inclusive
    end: int

    @property
    def kinds(self) -> np.ndarray:
        kinds = np.full(len(self.paragraph.ids), SOURCE)
        kinds[self.start : self.end + 1] = ANSWER
        return kinds

    @property
    def answer(self) -> str:
        return self.paragraph.text[self.paragraph.offsets[self.start, 0] : self.paragraph.offsets[self.end, 1]]


def source(paragraph: Paragraph, start: int, end: int, size: int, rng: random.Random) -> Source | None:
    """At most `size` passage tokens around the answer; None if the answer is longer."""
    found = window(paragraph, start, end, size, rng)
    return None if found is None else Source(*found)


def examples(paragraphs: list[Paragraph], asked: list[tuple[int, int]], size: int, seed: str) -> list[tuple[Source, Question]]:
    rng = random.Random(seed)
    made = []
    for p, q in asked:
        question = paragraphs[p].questions[q]
        if question.start >= 0 and len(question.ids) <= MAX_QUESTION and (one := source(paragraphs[p], question.start, question.end, size, rng)):
            made.append((one, question))
    return made


def length(example: tuple[Source, Question]) -> int:
    return len(example[0].paragraph.ids) + len(example[1].ids) - 1


def batches(given: list[tuple[Source, Question]], tokens: int, seed: int) -> Iterator[list[tuple[Source, Question]]]:
    """One epoch: like lengths together, at most `tokens` padded tokens a batch."""
    rng = random.Random(seed)
    order = list(given)
    rng.shuffle(order)
    for at in range(0, len(order), CHUNK):
        made: list[list[tuple[Source, Question]]] = [[]]
        for one in sorted(order[at : at + CHUNK], key=length):
            if made[-1] and (len(made[-1]) + 1) * length(one) > tokens:
                made.append([])
            made[-1].append(one)
        rng.shuffle(made)
        yield from made


def tensors(batch: list[tuple[Source, Question]]) -> tuple[Tensor, Tensor, Tensor]:
    """ids, kinds, mask (B, T): source, question without its [CLS], padding."""
    width = max(map(length, batch))
    ids, kinds = torch.zeros(len(batch), width, dtype=torch.long), torch.full((len(batch), width), QUESTION)
    mask = torch.zeros(len(batch), width, dtype=torch.bool)
    for i, (one, question) in enumerate(batch):
        row = np.concatenate([one.paragraph.ids, question.ids[1:]])
        ids[i, : len(row)] = torch.as_tensor(row)
        kinds[i, : len(one.paragraph.ids)] = torch.as_tensor(one.kinds)
        mask[i, : len(row)] = True
    return ids, kinds, mask
