"""What a reader is trained on: windows of passages with and without the answer, from several span
sets, in batches of like length."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from data import Paragraph
from model import placed
from negatives import cut
from ranked_negatives import RankedNegatives
from reader import Pairs
from span_sets import window
from teacher_logits import Taught, on_tokens

CHUNK = 2000  # groups that are sorted by length together


@dataclass
class Row:
    """One pass: positions `start`, `end` (inclusive) are those in `ids`, -1 if the passage does not
    answer, or where it does so is not known."""

    kind: str
    id: str
    ids: np.ndarray
    asked: int  # tokens of the question, with [CLS] and [SEP]
    passage: int  # position of the first passage token in `ids`
    start: int
    end: int
    answers: bool  # whether the passage answers
    teacher: np.ndarray | None = None  # (2, passage tokens): start and end logits to learn from


def row(kind: str, question, paragraph: Paragraph, start: int, end: int, teacher: np.ndarray | None = None) -> Row:
    shift = len(question.ids) - 1
    ids = np.concatenate([question.ids, paragraph.ids[1:]])
    moved = shift if start >= 0 else 0
    return Row(kind, question.id, ids, len(question.ids), paragraph.first + shift, start + moved, end + moved, start >= 0, teacher)


def draw(sets: dict[str, list[Paragraph]], shares: dict[str, float], questions: int, seed: int) -> dict[str, list[tuple[int, int]]]:
    """Paragraph and question numbers drawn from each set: its share of `questions`, or all that it
    has."""
    drawn = {}
    for name, paragraphs in sets.items():
        asked = [(p, q) for p, paragraph in enumerate(paragraphs) for q in range(len(paragraph.questions))]
        random.Random(f"{seed}:{name}").shuffle(asked)
        drawn[name] = asked[: round(questions * shares[name])]
    return drawn


def teacher_at(taught: Taught, question: str, passage: Paragraph) -> np.ndarray | None:
    """A teacher's logits at the tokens of a passage; None if it has none, or finds more than a tenth of
    its answer elsewhere."""
    known = taught.get(question)
    return None if known is None else on_tokens(*known, passage.offsets[passage.first : -1])


def rows(name: str, paragraphs: list[Paragraph], asked: list[tuple[int, int]], config: dict, taught: Taught | None = None) -> list[Row]:
    """A row for every drawn question, with what a teacher made of it, and for shares of them a second
    one whose passage does not answer, or two that BM25 ranks high (`ranked`)."""
    rng = random.Random(f"{config['seed']}:{name}:rows")
    pairs = Pairs(paragraphs, config["seed"])
    cut_share, other, ranked_share = (config["negatives"].get(kind, 0.0) for kind in ("cut", "other", "ranked"))
    ranked = RankedNegatives(paragraphs) if ranked_share else None
    low, high = config["window"]
    made: list[Row] = []
    for p, q in asked:
        paragraph, question = paragraphs[p], paragraphs[p].questions[q]
        if (found := window(paragraph, question.start, question.end, rng.randint(low, high), rng)) is None:
            continue
        made.append(row(name, question, *found, teacher_at(taught or {}, question.id, found[0])))
        if question.start < 0:
            continue
        kind, read = rng.random(), []
        if kind < cut_share:
            read = [cut(paragraph, question)]
        elif kind < cut_share + other:
            number = pairs.negative(rng, p, question)
            read = [] if number is None else [paragraphs[number]]
        elif ranked and kind < cut_share + other + ranked_share:
            read = ranked.draw(rng, p, question, 2)
        for one in read:
            if one is not None:
                made.append(row(name, question, *window(one, -1, -1, rng.randint(low, high), rng)))
    return made


Group = list[Row]  # the rows of one question


def group_batches(groups: list[Group], tokens: int, rng: random.Random) -> list[list[Group]]:
    """All groups once, like lengths together, at most `tokens` padded tokens per batch (a single group
    may exceed it), in an order drawn by `rng`."""
    order = list(groups)
    rng.shuffle(order)
    longest = lambda group: max(len(r.ids) for r in group)  # noqa: E731
    made: list[list[Group]] = []
    for at in range(0, len(order), CHUNK):
        chunk: list[list[Group]] = [[]]
        for group in sorted(order[at : at + CHUNK], key=longest):
            if chunk[-1] and (sum(map(len, chunk[-1])) + len(group)) * longest(group) > tokens:
                chunk.append([])
            chunk[-1].append(group)
        rng.shuffle(chunk)
        made += chunk
    return made


def batches(given: list[Row], tokens: int, seed: int) -> list[list[Row]]:
    """`group_batches` of rows that are each their own group."""
    return [[r for (r,) in batch] for batch in group_batches([[r] for r in given], tokens, random.Random(seed))]


def tensors(batch: list[Row]) -> tuple[Tensor, Tensor, Tensor]:
    """ids, mask, passage mask: (B, T)."""
    lengths = np.array([len(r.ids) for r in batch])[:, None]
    columns = np.arange(lengths.max())
    mask = columns < lengths
    passage = (columns >= np.array([r.passage for r in batch])[:, None]) & (columns < lengths - 1)
    ids = np.zeros(mask.shape, dtype=np.int64)
    ids[mask] = np.concatenate([r.ids for r in batch])
    return placed(ids), placed(mask), placed(passage)
