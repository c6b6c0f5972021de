"""Batches about few topics, so that most paragraphs of a batch are hard negatives of each other
(topic-aware sampling: Hofstätter et al. 2021, "Efficiently Teaching an Effective Dense Retriever").

A group's vector is the mean of its paragraphs' tf-idf vectors, projected at random to `SIZE` numbers.
A topic is a group drawn at random with the groups nearest to it.
"""

from __future__ import annotations

import random

import numpy as np

from data import Paragraph, article_groups, filled

SIZE = 256  # of the projected vectors
COPY = 0.75  # cosine from which two paragraphs say the same


def tfidf_vectors(paragraphs: list[Paragraph], seed: int) -> np.ndarray:
    """Σ log(1 + count) · idf · r of a passage's word pieces, normalised; r is drawn for each piece: (n, SIZE)."""
    counted = [np.unique(p.ids[p.first : -1], return_counts=True) for p in paragraphs]
    seen = np.bincount(np.concatenate([ids for ids, _ in counted]))
    idf = np.log((len(paragraphs) + 1) / (seen + 1))
    table = np.random.default_rng(seed).standard_normal((len(seen), SIZE)).astype(np.float32)
    made = np.stack([(np.log1p(counts) * idf[ids]).astype(np.float32) @ table[ids] for ids, counts in counted])
    return normalised(made)


def normalised(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def topics(vectors: np.ndarray, size: int, rng: random.Random) -> list[list[int]]:
    """Rows in parts of `size` (the last may have fewer): a row drawn at random, with those nearest to it that
    are in no earlier part."""
    free, parts = np.arange(len(vectors)), []
    while len(free):
        first = rng.randrange(len(free))
        near = vectors[free] @ vectors[free[first]]
        near[first] = np.inf  # also where a vector is zero
        chosen = np.argsort(-near, kind="stable")[:size]
        parts.append(free[chosen].tolist())
        free = np.delete(free, chosen)
    return parts


def without_copies(places: list[int], vectors: np.ndarray, paragraphs: list[Paragraph]) -> list[int]:
    """The paragraphs without those that say what an earlier one of another article says: sets share texts, and
    a copy is no negative."""
    alike = vectors[places] @ vectors[places].T > COPY
    articles = np.array([paragraphs[place].article for place in places])
    copies = (np.tril(alike, -1) & (articles[:, None] != articles)).any(1)
    return [place for place, copy in zip(places, copies) if not copy]


def topic_batches(paragraphs: list[Paragraph], groups: int, group_size: int, count: int, seed: int, vectors: np.ndarray) -> list[list[int]]:
    """Batches of about `groups` × `group_size` paragraphs, made of whole groups of `article_groups`, from
    `count` topics each.

    @param vectors  `tfidf_vectors` of the paragraphs"""
    rng = random.Random(seed)
    made = article_groups(paragraphs, group_size, rng)
    parts = topics(normalised(np.stack([vectors[group].mean(0) for group in made])), max(1, groups // count), rng)
    rng.shuffle(parts)
    batches = filled([[place for group in part for place in made[group]] for part in parts], groups * group_size)
    return [without_copies(batch, vectors, paragraphs) for batch in batches]
