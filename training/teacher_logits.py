"""A teacher's start and end logits of questions over their own paragraphs: files that teacher.py and
write_questions.py write, and the logits at the tokens of a run that learns from them.

part-<n>.npz has `ids` (question ids), `at` (n + 1 offsets) and `logits` (2, tokens) float16, the passage
tokens of one question after another. `places` (tokens, 2) are the characters of the tokens, of one
passage after another, and `passage` and `passage_at` say which ones are a question's.

A run with another tokenizer than the teacher's learns from the same files: `on_tokens` moves logits to
the tokens that hold the same characters.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from data import Paragraph

UNKNOWN = -1e4  # logit of a token at which the teacher has none


def on_tokens(logits: np.ndarray, places: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
    """Logits (2, t) of starts and ends at tokens with the characters `places` (t, 2), on other tokens of
    the same text, `wanted` (u, 2): (2, u) float16, UNKNOWN where none of them has a start (end). None
    if a tenth of the probability of starts or ends is outside of the wanted tokens."""
    made = np.full((2, len(wanted)), UNKNOWN, dtype=np.float32)
    first = np.searchsorted(wanted[:, 0], places[:, 0], side="right") - 1
    last = np.searchsorted(wanted[:, 1], places[:, 1], side="left")
    holds_first = (first >= 0) & (places[:, 0] < wanted[first, 1])
    holds_last = last < len(wanted)
    holds_last[holds_last] &= wanted[last[holds_last], 0] < places[holds_last, 1]
    for side, (at, held) in enumerate(((first, holds_first), (last, holds_last))):
        given = logits[side].astype(np.float32)
        share = np.exp(given - given.max())
        if share[held].sum() < 0.9 * share.sum():
            return None
        np.logaddexp.at(made[side], at[held], given[held])
    return np.maximum(made, UNKNOWN).astype(np.float16)


Taught = dict[str, tuple[np.ndarray, np.ndarray]]  # question id -> logits (2, t) and the characters (t, 2) of their tokens


def load_logits(folder: str) -> Taught:
    """All logits that `write_part` wrote into a folder."""
    known: Taught = {}
    for path in sorted(Path(folder).glob("part-*.npz")):
        part = np.load(path)
        at, logits, places, passage_at, passages = (part[name] for name in ("at", "logits", "places", "passage_at", "passage"))
        for i, (name, passage) in enumerate(zip(part["ids"].tolist(), passages.tolist())):
            known[name] = logits[:, at[i] : at[i + 1]], places[passage_at[passage] : passage_at[passage + 1]]
    return known


def attach(paragraphs: list[Paragraph], *folders: str) -> int:
    """Sets every question's teacher logits; the last folder that has them counts. @returns how many questions have them"""
    known = {name: logits for folder in folders for name, logits in load_logits(folder).items()}
    count = 0
    for paragraph in paragraphs:
        wanted = paragraph.offsets[paragraph.first : -1]
        for question in paragraph.questions:
            if question.id not in known:
                continue
            logits, places = known[question.id]
            question.teacher = logits if np.array_equal(places, wanted) else on_tokens(logits, places, wanted)
            count += question.teacher is not None
    return count


def write_part(path: Path, paragraphs: list[Paragraph], asked: list[tuple[int, str, np.ndarray]]) -> None:
    """Writes one file, whole or not at all.

    @param asked  each question's paragraph (its place in the list), id, and logits (2, passage tokens)
    """
    partial = path.with_name(f"unfinished-{path.name}")
    np.savez(
        partial,
        ids=np.array([name for _, name, _ in asked]),
        at=np.cumsum([0, *(x.shape[1] for _, _, x in asked)]),
        logits=np.concatenate([np.zeros((2, 0), np.float16), *(x for _, _, x in asked)], 1),
        passage=np.array([owner for owner, _, _ in asked]),
        passage_at=np.cumsum([0, *(len(p.ids) - 1 - p.first for p in paragraphs)]),
        places=np.concatenate([np.zeros((0, 2), np.int32), *(p.offsets[p.first : -1] for p in paragraphs)]).astype(np.int32),
    )
    os.replace(partial, path)
