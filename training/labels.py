"""Shards of what the teacher says of pairs of question and passage: what the reader is distilled
from.

A shard part-<n>.npz holds R rows; rows of one question are neighbours and form a group. Strings are
numpy string arrays.

    kind, id   (R,) the set and the question's id
    group      (R,) int32, ascending; rows with one number compete for one question
    known      (R,) int8: 1 the passage answers, at start..end; 0 it does not; -1 unknown
    ids        uint16, the pairs' BERT ids, one after the other; `at` (R + 1) int64 are the offsets
    passage    (R,) int32 position of the first passage token in the row; the last token, [SEP], is not part of the passage
    start, end (R,) int32 positions in the row, inclusive, -1 if not known
    logits     (2, tokens of all passages) float16; `logits_at` (R + 1) int64
    answer     (R,) float32 logit that the passage answers
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Label:
    kind: str
    id: str
    ids: np.ndarray
    passage: int
    known: int
    start: int
    end: int
    logits: np.ndarray  # (2, passage tokens)
    answer: float


def write_shard(path: Path, groups: list[list[Label]]) -> None:
    """Writes to a temporary name first, so that `path` is always a complete shard."""
    rows = [label for group in groups for label in group]
    offsets = lambda lengths: np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)  # noqa: E731
    partial = path.with_name(path.stem + ".tmp.npz")
    np.savez(
        partial,
        kind=np.array([r.kind for r in rows]),
        id=np.array([r.id for r in rows]),
        group=np.array([n for n, group in enumerate(groups) for _ in group], np.int32),
        known=np.array([r.known for r in rows], np.int8),
        ids=np.concatenate([r.ids for r in rows]).astype(np.uint16),
        at=offsets([len(r.ids) for r in rows]),
        passage=np.array([r.passage for r in rows], np.int32),
        start=np.array([r.start for r in rows], np.int32),
        end=np.array([r.end for r in rows], np.int32),
        logits=np.concatenate([r.logits for r in rows], 1).astype(np.float16),
        logits_at=offsets([r.logits.shape[1] for r in rows]),
        answer=np.array([r.answer for r in rows], np.float32),
    )
    os.replace(partial, path)


def read_shard(path: Path) -> list[list[Label]]:
    part = np.load(path)
    data = {name: part[name] for name in part.files}
    groups: list[list[Label]] = []
    for i, group in enumerate(data["group"].tolist()):
        if group == len(groups):
            groups.append([])
        inside = slice(*data["at"][i : i + 2])
        tokens = slice(*data["logits_at"][i : i + 2])
        single = {name: int(data[name][i]) for name in ("passage", "known", "start", "end")}
        ids = data["ids"][inside].astype(np.int64)
        groups[-1].append(
            Label(str(data["kind"][i]), str(data["id"][i]), ids, logits=data["logits"][:, tokens], answer=float(data["answer"][i]), **single)
        )
    return groups


def shards(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("part-*.npz") if ".tmp" not in path.name)


def epoch(folders: list[Path], tokens: int, seed: int):
    """Yields (number of shards read, batch): all groups once, shards in an order drawn by the seed,
    like lengths together, at most `tokens` padded tokens a batch (a single group may exceed it)."""
    rng = random.Random(seed)
    paths = [path for folder in folders for path in shards(folder)]
    rng.shuffle(paths)
    for number, path in enumerate(paths, 1):
        groups = read_shard(path)
        rng.shuffle(groups)
        longest = lambda group: max(len(r.ids) for r in group)  # noqa: E731
        batches: list[list[list[Label]]] = [[]]
        for group in sorted(groups, key=longest):
            count = sum(len(g) for g in batches[-1]) + len(group)
            if batches[-1] and count * longest(group) > tokens:
                batches.append([])
            batches[-1].append(group)
        rng.shuffle(batches)
        for batch in batches:
            yield number, batch
