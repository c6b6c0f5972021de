"""Passages without questions, which write_questions.py asks about: of manuals, policies, contracts, minutes and
medical pages, and of an encyclopedia.

What is reserved for measuring and held-out documents are left out, and so are articles of SQuAD dev and those
that are held out of SQuAD's training part.
"""

from __future__ import annotations

import json
import lzma
import random
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from data import Paragraph, build_paragraph
from data_rules import require
from draw_passages import documents, is_cluttered, passages
from held_out_documents import held_out
from mixed_sets import cut_long
from text_base import load_tokenizer
from written import strip_markup

SHORTEST = 40  # tokens of a passage, at least


@dataclass(frozen=True)
class Passage:
    kind: str  # "encyclopedia", or as draw_passages.documents names it
    document: str
    title: str
    heading: str
    text: str


def other_kinds(data: Path, rng: random.Random, most: int) -> list[Passage]:
    """At most `most` passages of each kind of document."""
    made: dict[str, list[Passage]] = {}
    for kind, document, title, text in documents(data):
        if not held_out(document):
            found = (Passage(kind, document, title, heading, strip_markup(piece)) for _, heading, piece in passages(text) if not is_cluttered(piece))
            made.setdefault(kind, []).extend(found)
    return [one for some in made.values() for one in rng.sample(some, min(most, len(some)))]


def encyclopedia(data: Path, rng: random.Random, share: float, each: int, left_out: set[str]) -> list[Passage]:
    """At most `each` paragraphs of a share of the articles."""
    path = data / "corpora/enwiki-2015.jsonl.xz"
    require(path, "train")
    made = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if rng.random() >= share:
                continue
            article = json.loads(line)
            if article["title"].lower() in left_out:
                continue
            fitting = [one for one in article["text"].split("\n") if 250 < len(one) < 1600]
            picked = sorted(rng.sample(range(len(fitting)), min(each, len(fitting))))
            made += [Passage("encyclopedia", f"enwiki-2015 {number}", article["title"], "", fitting[i]) for i in picked]
    return made


def measured_titles(data: Path, share: float, seed: int) -> set[str]:
    """Titles of the articles of SQuAD dev, and of those that are held out of its training part (data.split_held_out)."""
    dev, train = (json.loads((data / f"squad/{part}-v1.1.json").read_text(encoding="utf-8"))["data"] for part in ("dev", "train"))
    order = list(range(len(train)))
    random.Random(seed).shuffle(order)
    return {article["title"].replace("_", " ").lower() for article in [*dev, *(train[i] for i in order[: round(len(order) * share)])]}


def tokenised(drawn: list[Passage], most: int) -> list[tuple[Passage, Paragraph]]:
    """Each passage, or the parts that it is cut into, of at most `most` tokens; a text twice is read once."""
    tokenizer, seen, made = load_tokenizer(), set(), []
    for one in drawn:
        whole = build_paragraph(tokenizer, 0, one.title, one.text, 4096, one.heading)
        for part in cut_long(whole, most):
            text = one.text[part.offsets[part.first, 0] : part.offsets[-2, 1]]
            if len(part.ids) - part.first < SHORTEST or text in seen:
                continue
            seen.add(text)
            made.append((replace(one, text=text), build_paragraph(tokenizer, 0, one.title, text, most, one.heading)))
    return made


def drawn_passages(config: dict, data: Path) -> list[tuple[Passage, Paragraph]]:
    """All passages in chunks' order: documents shuffled, the passages of a document next to one another."""
    rng = random.Random(config["seed"])
    left_out = measured_titles(data, config["held_out"], config["held_out_seed"])
    drawn = other_kinds(data, rng, config["most_of_kind"]) + encyclopedia(data, rng, config["share_of_articles"], config["paragraphs_of_article"], left_out)
    groups = [list(some) for _, some in groupby(sorted(drawn, key=lambda one: one.document), key=lambda one: one.document)]
    rng.shuffle(groups)
    return tokenised([one for some in groups for one in some], config["most_tokens"])
