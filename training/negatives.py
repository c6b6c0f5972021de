"""Pairs of question and passage without an answer, made from pairs that have one (kinds after
Rajpurkar et al. 2018, §2 and table 2).

    cut      the question's own paragraph without the sentences that say the answer: the topic is right, the fact is missing
    altered  the paragraph as it is, the question changed: another name or number of the same article, or a word turned into its opposite
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

import numpy as np

from data import Paragraph, Question, question_ids
from text_base import Unigram, WordPiece

LEAST_TOKENS = 16  # a cut paragraph keeps at least this many passage tokens
NAME = re.compile(r"(?<=\s)[A-Z][\w'’-]+(?:\s+(?:(?:of|the|de|van)\s+)?[A-Z][\w'’-]+)*")
NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
OPPOSITES = [
    *("first last,before after,largest smallest,biggest smallest,most least,highest lowest,more less,more fewer,north south,east west,northern southern".split(",")),
    *("eastern western,oldest youngest,earliest latest,early late,increase decrease,increased decreased,began ended,begin end,start finish,won lost".split(",")),
    *("win lose,major minor,male female,men women,inside outside,above below,upper lower,maximum minimum,best worst,same different,longest shortest".split(",")),
    *("did|did not,does|does not,was|was not,were|were not,is|is not,are|are not,can|cannot".split(",")),
]


def opposites() -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for entry in OPPOSITES:
        one, other = entry.split("|") if "|" in entry else entry.split(" ")
        table.setdefault(one, []).append(other)
        if "|" not in entry:
            table.setdefault(other, []).append(one)
    return table


OPPOSITE = opposites()
OPPOSITE_WORD = re.compile(rf"\b(?:{'|'.join(sorted(OPPOSITE, key=len, reverse=True))})\b")


def cut(paragraph: Paragraph, question: Question) -> Paragraph | None:
    """The paragraph without the sentences of the answer; None if too little is left, or if an
    answer still occurs in the rest."""
    gone = set(paragraph.sentence[question.start : question.end + 1].tolist())
    inside = np.arange(len(paragraph.ids))
    passage = (inside >= paragraph.first) & (inside < len(paragraph.ids) - 1)
    kept = ~passage | ~np.isin(paragraph.sentence, list(gone))
    left = kept & passage
    if left.sum() < LEAST_TOKENS:
        return None
    text = " ".join(paragraph.text[a:b] for a, b in runs(paragraph, left)).lower()
    if any(answer.lower() in text for answer in question.answers):
        return None
    return replace(paragraph, ids=paragraph.ids[kept], offsets=paragraph.offsets[kept], sentence=paragraph.sentence[kept], questions=[])


def runs(paragraph: Paragraph, kept: np.ndarray) -> list[tuple[int, int]]:
    """(start, end) offsets of the text covered by each unbroken run of kept tokens."""
    places = np.flatnonzero(kept)
    breaks = np.flatnonzero(np.diff(places) > 1) + 1
    return [(int(paragraph.offsets[run[0], 0]), int(paragraph.offsets[run[-1], 1])) for run in np.split(places, breaks)]


class Alterations:
    """Changes questions by names and numbers from other questions of their article."""

    def __init__(self, tokenizer: WordPiece | Unigram, paragraphs: list[Paragraph]):
        self.tokenizer = tokenizer
        self.pools: dict[tuple[int, str], list[str]] = {}
        for paragraph in paragraphs:
            for question in paragraph.questions:
                for kind, _, text in replaceable(question.text):
                    self.pools.setdefault((paragraph.article, kind), []).append(text)

    def altered(self, rng: random.Random, paragraph: Paragraph, question: Question) -> Question | None:
        """The question with one thing changed to something that the answer's sentences do not
        mention; None if nothing can be changed."""
        said = " ".join(paragraph.text[a:b] for a, b in runs(paragraph, np.isin(paragraph.sentence, paragraph.sentence[question.start : question.end + 1])))
        choices = [(at, text, kind) for kind, at, text in replaceable(question.text)]
        choices += [(m.start(), m.group(), "word") for m in OPPOSITE_WORD.finditer(question.text)]
        rng.shuffle(choices)
        choices.sort(key=lambda choice: choice[2] == "word" and OPPOSITE[choice[1]][0].endswith("not"))  # a plain "not" is the last resort
        for at, text, kind in choices:
            pool = OPPOSITE[text] if kind == "word" else self.pools.get((paragraph.article, kind), [])
            for other in rng.sample(pool, min(8, len(pool))):
                if other.lower() in said.lower() or other.lower() in question.text.lower() and kind != "word":
                    continue
                changed = question.text[:at] + other + question.text[at + len(text) :]
                return replace(question, text=changed, ids=question_ids(self.tokenizer, changed), start=-1, end=-1, answers=[])
        return None


def replaceable(text: str) -> list[tuple[str, int, str]]:
    """(kind, offset, text) of the names, years and other numbers of a question."""
    found = [("name", m.start(), m.group()) for m in NAME.finditer(text)]
    return found + [("year" if len(m.group()) == 4 and m.group().isdigit() else "number", m.start(), m.group()) for m in NUMBER.finditer(text)]
