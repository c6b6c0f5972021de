"""Span sets in the SQuAD layout -> paragraphs with token ids, read by the rules of data_rules.py.

Titles that say nothing (file names, page hashes) are dropped. Paragraphs are tokenised whole:
window() cuts what a pass reads.
"""

from __future__ import annotations

import json
import lzma
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from data import Paragraph, Question, answer_span, build_paragraph, question_ids, split_held_out
from data_rules import check_items, require, stem, usable
from draw_passages import span_document
from held_out_documents import held_out
from set_cache import cache_key, cached
from text_base import load_tokenizer

MAX_TOKENS = 4096
UNDIVIDED = ("train-v1.1", "qamr", "cmrc2018-trial", "piaf-fr", "network-questions")  # no part is for tuning
UNTITLED = ("contractnli", "tatqa-text")
ASKED_ABOUT = ("contractnli", "tatqa-text")  # a written question's document is a paragraph of these
FORMAT = 4  # of the cache


def load_spans(path: str, use: str, cache: Path | None = None, base: str | None = None) -> list[Paragraph]:
    """All paragraphs of a span set with the questions that `use` may read; a question that its
    passage does not answer has start = end = -1."""
    require(path, use)
    if cache is None:
        return read_spans(path, use, base)
    key = cache_key(Path(path), base, {"use": use, "format": FORMAT})
    return cached(cache / f"spans-{key}.pickle", lambda: read_spans(path, use, base))


def read_spans(path: str, use: str, base: str | None) -> list[Paragraph]:
    raw = lzma.open(path, "rt", encoding="utf-8") if str(path).endswith(".xz") else open(path, encoding="utf-8")
    with raw:
        articles = json.load(raw)["data"]
    tokenizer = load_tokenizer(base)
    paragraphs: list[Paragraph] = []
    for number, article in enumerate(articles):
        title = "" if stem(path) in UNTITLED else article["title"].replace("_", " ")
        for place, record in enumerate(article["paragraphs"]):
            if use == "train" and stem(path) in ASKED_ABOUT and held_out(span_document(article["title"], place)):
                continue
            asked = [qa for qa in record["qas"] if usable(path, use, article.get("split"), qa["id"])]
            if not asked:
                continue
            paragraph = build_paragraph(tokenizer, number, title, record["context"], MAX_TOKENS, record.get("heading", ""))
            for qa in asked:
                start = end = -1
                if qa["answers"]:
                    if (at := answer_place(record["context"], qa["answers"][0])) < 0:
                        continue
                    start, end = answer_span(paragraph, at, qa["answers"][0]["text"])
                    if start < 0:
                        continue
                answers = [a["text"] for a in qa["answers"]]
                paragraph.questions.append(Question(qa["id"], qa["question"], question_ids(tokenizer, qa["question"]), start, end, answers))
            check_items(path, [q.id for q in paragraph.questions])
            paragraphs.append(paragraph)
    return paragraphs


def answer_place(context: str, answer: dict) -> int:
    """Where the answer begins: where the set says it does, or else its nearest occurrence; -1 if
    there is none."""
    place, text = answer["answer_start"], answer["text"]
    if context.startswith(text, place):
        return place
    found = [at for at in (context.find(text, max(0, place)), context.rfind(text, 0, max(0, place) + len(text))) if at >= 0]
    return min(found, key=lambda at: abs(at - place), default=-1)


def train_and_tune(path: str, share: float, seed: int, cache: Path | None = None, base: str | None = None) -> tuple[list[Paragraph], list[Paragraph]]:
    """(train, tune): the parts that the rules name, or whole articles held out where a set has no
    part for tuning."""
    if stem(path) in UNDIVIDED:
        return split_held_out(load_spans(path, "train", cache, base), share, seed)
    return load_spans(path, "train", cache, base), load_spans(path, "tune", cache, base)


def window(paragraph: Paragraph, start: int, end: int, size: int, rng: random.Random) -> tuple[Paragraph, int, int] | None:
    """At most `size` passage tokens around positions start..end (inclusive; -1 for no answer),
    placed at random.
    @returns the shortened paragraph and the answer's positions in it; None if the answer is longer
    than `size`"""
    first, stop = paragraph.first, len(paragraph.ids) - 1
    if stop - first <= size:
        return paragraph, start, end
    low, high = first, stop - size
    if start >= 0:
        if end - start >= size:
            return None
        low, high = max(low, end + 1 - size), min(high, start)
    at = rng.randint(low, high)
    inside = np.r_[0:first, at : at + size, stop]
    shorter = replace(
        paragraph, ids=paragraph.ids[inside], offsets=paragraph.offsets[inside], sentence=paragraph.sentence[inside], questions=[]
    )
    shift = at - first if start >= 0 else 0
    return shorter, start - shift, end - shift
