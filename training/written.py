"""Loads written questions: a language model wrote them about passages of manuals, policies and
contracts (draw_passages.py, check_written.py). Also loads pairs of question and passage, from sets
that name the passage but not the place of its answer.

A fifth of the documents is held out (held_out_documents.py). Confidence, and what is read, are chosen
on the questions about them, so the pairs leave these documents out as well.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from pathlib import Path

from data import Paragraph, Question, answer_span, build_paragraph, question_ids
from data_rules import check_items, require, reserved, stem, usable
from draw_passages import documents, passages
from held_out_documents import held_out
from span_sets import MAX_TOKENS
from text_base import load_tokenizer

WITH_HEADING = 0.75  # of the passages that have one: a reader also meets documents without


def strip_markup(text: str) -> str:
    """Text without the marks of Markdown and reStructuredText, about as a parser shows it."""
    text = re.sub(r"!?\[([^\]\n]*)\]\([^)\s]*\)", r"\1", text)
    return re.sub(r"\*\*|``?|__|:(?:pep|ref|doc|class|func|meth|mod):(?=`)", "", text)


def question_of(tokenizer, name: str, text: str, start: int, end: int, answers: list[str]) -> Question:
    return Question(name, text, question_ids(tokenizer, text), start, end, answers)


def load_written(path: Path, data: Path, base: str | None = None) -> tuple[list[Paragraph], list[Paragraph]]:
    """(train, tune) of a file of check_written.py. An article is a document, whose other passages
    have no questions: they are the hard ones. A question that its passage does not answer has start
    = end = -1."""
    asked: dict[str, dict[int, list[dict]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        asked.setdefault(item["document"], {}).setdefault(item["at"], []).append(item)
    tokenizer = load_tokenizer(base)
    parts: tuple[list[Paragraph], list[Paragraph]] = ([], [])
    for number, (_, document, title, text) in enumerate(documents(data)):
        tune = held_out(document)
        for at, heading, piece in passages(text) if document in asked else ():
            if not tune and random.Random(f"{document}:{at}").random() >= WITH_HEADING:
                heading = ""
            paragraph = build_paragraph(tokenizer, number, title, strip_markup(piece), MAX_TOKENS, heading)
            paragraph.questions = [made for item in asked[document].pop(at, []) if (made := written_question(tokenizer, paragraph, piece, item))]
            parts[tune].append(paragraph)
    if lost := sum(len(items) for places in asked.values() for items in places.values()):
        raise SystemExit(f"{lost} questions of {path} are about passages that {data} does not have.")
    return parts


def written_question(tokenizer, paragraph: Paragraph, piece: str, item: dict) -> Question | None:
    """None if a mark goes over the answer's edge, so that the answer is not in the text without marks."""
    if item["answer"] is None:
        return question_of(tokenizer, item["id"], item["question"], -1, -1, [])
    before, answer = strip_markup(piece[: item["start"]]), strip_markup(item["answer"])
    if not paragraph.text.startswith(before + answer):
        return None
    start, end = answer_span(paragraph, len(before), answer)
    return question_of(tokenizer, item["id"], item["question"], start, end, [answer])


def trainable(path: Path, items: list[dict]) -> list[dict]:
    """The items that may be trained on. Some questions and passages occur in several items: those of a
    reserved item are left out everywhere, and so are passages of held-out documents."""
    asked = {folded(item["question"]) for item in items if reserved(item["id"])}
    hidden = {item["passage"] for item in items if reserved(item["id"]) or held_out(document_of(path, item))}
    return [
        item
        for item in items
        if usable(path, "train", item["source"].split()[-1], item["id"]) and item["passage"] not in hidden and folded(item["question"]) not in asked
    ]


def document_of(path: Path, item: dict) -> str:
    """The item's document, as draw_passages.documents names it."""
    return item["source"] if stem(path) == "faq" else item["id"]


def folded(text: str) -> str:
    return " ".join(text.lower().split())


def load_pairs(path: Path, limit: int, seed: int, base: str | None = None) -> list[tuple[Question, Paragraph, Paragraph]]:
    """(question, passage that answers it, passage of another item): one that shares the title where
    there is one, so that the topic alone does not decide."""
    require(path, "train")
    tokenizer, rng = load_tokenizer(base), random.Random(f"{seed}:{path.name}")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        items = trainable(path, [json.loads(line) for line in lines])
    check_items(str(path), [item["id"] for item in items])
    titled: dict[str, list[dict]] = {}
    for item in items:
        titled.setdefault(item["title"], []).append(item)
    rng.shuffle(items)
    made = []
    for item in items[:limit]:
        others = [o for o in titled[item["title"]] if o["passage"] != item["passage"] and o["question"] != item["question"]]
        other = rng.choice(others if others and rng.random() < 0.6 else items)
        if other["passage"] == item["passage"]:
            continue
        own, wrong = (build_paragraph(tokenizer, 0, one["title"], one["passage"], MAX_TOKENS) for one in (item, other))
        made.append((question_of(tokenizer, item["id"], item["question"], -1, -1, []), own, wrong))
    return made


def is_pairs(path: str) -> bool:
    return stem(path) in ("medquad", "qmsum", "faq")
