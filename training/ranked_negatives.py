"""Passages that a search ranks high for a question and that do not answer it: what a reader meets in
use. BM25 over the word pieces of a set's paragraphs (Robertson & Zaragoza 2009, §3), all articles
together.
"""

from __future__ import annotations

import math
import random

import numpy as np

from data import Paragraph, Question

K1, B = 1.2, 0.75
DEPTH = 12  # ranked paragraphs of a question that are candidates


class RankedNegatives:
    def __init__(self, paragraphs: list[Paragraph]):
        self.paragraphs = paragraphs
        lengths = np.array([len(p.ids) for p in paragraphs], dtype=np.float32)
        norm = K1 * (1 - B + B * lengths / lengths.mean())
        places: dict[int, list[tuple[int, float]]] = {}
        for number, paragraph in enumerate(paragraphs):
            pieces, counts = np.unique(paragraph.ids[1:-1], return_counts=True)  # the title's, too
            for piece, count in zip(pieces.tolist(), counts.tolist()):
                places.setdefault(piece, []).append((number, count))
        self.postings: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for piece, found in places.items():
            numbers = np.array([number for number, _ in found])
            counts = np.array([count for _, count in found], dtype=np.float32)
            idf = math.log(1 + (len(paragraphs) - len(found) + 0.5) / (len(found) + 0.5))
            self.postings[piece] = numbers, idf * counts * (K1 + 1) / (counts + norm[numbers])

    def ranked(self, question: Question) -> list[int]:
        """Numbers of the DEPTH best paragraphs, best first."""
        scores = np.zeros(len(self.paragraphs), dtype=np.float32)
        for piece in set(question.ids[1:-1].tolist()):
            if piece in self.postings:
                numbers, weights = self.postings[piece]
                scores[numbers] += weights
        return np.argsort(-scores, kind="stable")[:DEPTH].tolist()

    def draw(self, rng: random.Random, own: int, question: Question, count: int) -> list[Paragraph]:
        """At most `count` of the ranked paragraphs, the better ranked ones more often; without the
        question's own one and those that contain an answer's text."""
        answers = [answer.lower() for answer in question.answers]
        left = [n for n in self.ranked(question) if n != own and not any(a in self.paragraphs[n].text.lower() for a in answers)]
        drawn: list[Paragraph] = []
        while left and len(drawn) < count:
            at = min(int(rng.expovariate(1) * len(left) / 3), len(left) - 1)
            drawn.append(self.paragraphs[left.pop(at)])
        return drawn
