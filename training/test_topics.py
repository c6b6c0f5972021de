"""Batches of paragraphs about few topics."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

from data import article_groups
from topics import normalised, tfidf_vectors, topic_batches, topics, without_copies


def test_a_batch_holds_groups_that_are_near_each_other_and_every_paragraph_is_in_one(paragraphs):
    numbers = sorted({p.article for p in paragraphs})
    vectors = np.zeros((len(paragraphs), 2 * len(numbers)), dtype=np.float32)
    for place, paragraph in enumerate(paragraphs):  # two articles make a topic
        article = numbers.index(paragraph.article)
        vectors[place, [article // 2, len(numbers) + article]] = 0.8, 1
    batches = topic_batches(paragraphs, 4, 2, 1, 5, normalised(vectors))
    assert sorted(sum(batches, [])) == list(range(len(paragraphs)))
    assert all(len({numbers.index(paragraphs[place].article) // 2 for place in batch}) == 1 for batch in batches)
    assert batches == topic_batches(paragraphs, 4, 2, 1, 5, normalised(vectors))
    assert batches != topic_batches(paragraphs, 4, 2, 1, 6, normalised(vectors))


def test_topics_are_a_row_and_its_nearest_also_without_vectors():
    rng = np.random.default_rng(1)
    near = normalised(np.repeat(np.eye(4), 5, axis=0) + 0.01 * rng.standard_normal((20, 4)))
    parts = topics(near, 5, random.Random(2))
    assert sorted(map(sorted, parts)) == [list(range(at, at + 5)) for at in range(0, 20, 5)]
    assert sorted(sum(topics(np.zeros((7, 4)), 3, random.Random(2)), [])) == list(range(7))


def test_paragraphs_with_the_same_words_are_near(paragraphs):
    again = [*paragraphs, *(replace(p, article=p.article + 1000) for p in paragraphs)]
    vectors = tfidf_vectors(again, 3)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    count = len(paragraphs)
    assert np.allclose(vectors[:count], vectors[count:])
    nearest = (vectors[:count] @ vectors[:count].T - 2 * np.eye(count)).max(1)
    assert (nearest < 0.999).all()


def test_a_copy_under_another_article_is_left_out_of_a_batch(paragraphs):
    again = [*paragraphs, replace(paragraphs[1], article=1000), replace(paragraphs[1])]
    vectors, count = tfidf_vectors(again, 3), len(paragraphs)
    assert without_copies([0, 1, count], vectors, again) == [0, 1]
    assert without_copies([0, 1, count + 1], vectors, again) == [0, 1, count + 1]
    assert without_copies([count, 0, 1], vectors, again) == [count, 0]


def test_groups_are_of_one_article_each(paragraphs):
    groups = article_groups(paragraphs, 3, random.Random(1))
    assert sorted(sum(groups, [])) == list(range(len(paragraphs)))
    assert all(len({paragraphs[place].article for place in group}) == 1 and len(group) <= 3 for group in groups)
