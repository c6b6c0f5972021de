"""Training the encoder on several question sets at once (question_sets.py), in one or more languages.

    {"file": "zh/cmrc2018-trial.json", "held_out": 0.34, "repeat": 4, "join": 4}

join       this many articles count as one, so that short ones are hard negatives of each other

Paragraphs longer than `max_tokens` are cut between sentences, as the engine cuts its passages.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from data import Paragraph, Question, load_squad, question_ids, split_held_out, without_heading
from question_sets import Parts, load_set, set_name, set_path
from set_cache import cache_key, cached
from text_base import base_of, load_tokenizer

FORMAT = 2  # of the cache


def cuts(paragraph: Paragraph, most: int) -> list[tuple[int, int]]:
    """Token ranges of the parts that a paragraph is cut into: as few as possible of about equal
    length, at most `most` tokens each, that end between sentences where they can."""
    first, stop = paragraph.first, len(paragraph.ids) - 1
    count = -(-(stop - first) // most)
    boundaries = [i for i in range(first + 1, stop) if paragraph.sentence[i] != paragraph.sentence[i - 1]]
    ranges = []
    while stop - first > most:
        wanted = first + -(-(stop - first) // count)
        near = [b for b in boundaries if first < b <= first + most]
        at = min(near, key=lambda b: abs(b - wanted), default=min(wanted, first + most))
        ranges.append((first, at))
        first, count = at, max(1, count - 1)
    return [*ranges, (first, stop)]


def cut_long(paragraph: Paragraph, most: int) -> list[Paragraph]:
    """The paragraph, or its parts of at most `most` tokens in all with the questions whose answers
    they hold."""
    room = most - paragraph.first - 1
    if len(paragraph.ids) <= most:
        return [paragraph]
    parts, last = [], len(paragraph.ids) - 1
    for begin, end in cuts(paragraph, room):
        inside = np.r_[0 : paragraph.first, begin:end, last]
        shift = begin - paragraph.first
        asked = [replace(q, start=q.start - shift, end=q.end - shift) for q in paragraph.questions if begin <= q.start and q.end < end]
        arrays = {name: getattr(paragraph, name)[inside] for name in ("ids", "offsets", "sentence")}
        parts.append(replace(paragraph, **arrays, questions=asked))
    return parts


def lower_case(tokenizer, question: Question, share: float) -> Question:
    """The question, or for a share of them, drawn by their ids, the question in lower case: people
    type so, and the pieces of the multilingual model keep case."""
    if random.Random(f"lower {question.id}").random() >= share or question.text == question.text.lower():
        return question
    return replace(question, text=question.text.lower(), ids=question_ids(tokenizer, question.text.lower()))


def prepared(paragraphs: list[Paragraph], config: dict, base: str | None) -> list[Paragraph]:
    """Parts with at least one answered question."""
    tokenizer = load_tokenizer(base)
    parts = [part for paragraph in paragraphs for part in cut_long(paragraph, config["max_tokens"])]
    for part in parts:
        part.questions = [lower_case(tokenizer, q, config.get("lower_case", 0.0)) for q in part.questions if q.start >= 0]
    return [part for part in parts if part.questions]


def load_prepared(entry: dict, config: dict, data: Path, cache: Path) -> Parts:
    """One set as `prepared` returns it. Only what is trained on has questions in lower case."""
    base = base_of(config)
    options = {
        "held_out": entry.get("held_out", 0.0),
        "held_out_seed": config["held_out_seed"],
        "max_tokens": config["max_tokens"],
        "lower_case": config.get("lower_case"),
        "format": FORMAT,
    }

    def read() -> Parts:
        train, tune = load_set(entry, config, data)
        return prepared(train, config, base), prepared(tune, {**config, "lower_case": 0.0}, base)

    return cached(cache / f"set-{cache_key(set_path(entry, data), base, options)}.pickle", read)


def load_encoder_sets(config: dict, data: Path, cache: Path) -> tuple[list[Paragraph], dict[str, list[Paragraph]]]:
    """(paragraphs to train on, held-out paragraphs by the name of their set); articles have numbers
    of their own in each set and repetition."""
    train: list[Paragraph] = []
    held_out: dict[str, list[Paragraph]] = {}
    tokenizer = load_tokenizer(base_of(config))
    for entry in config["sets"]:
        own, held = ([without_heading(p, tokenizer) for p in part] for part in load_prepared(entry, config, data, cache))
        held_out[set_name(entry)] = held
        for _ in range(entry.get("repeat", 1)):
            after = max((p.article for p in train), default=-1) + 1
            numbers = {article: i // entry.get("join", 1) for i, article in enumerate(sorted({p.article for p in own}))}
            train += [replace(p, article=after + numbers[p.article]) for p in own]
        print(json.dumps({"set": entry["file"], "paragraphs": len(own), "questions": sum(len(p.questions) for p in own), "heldOut": sum(len(p.questions) for p in held)}), flush=True)
    return train, held_out


def load_paragraphs(config: dict, data: str, cache: Path) -> tuple[list[Paragraph], dict[str, list[Paragraph]]]:
    """(paragraphs to train on, held-out paragraphs by set). `data`: the SQuAD file, or the folder
    of the config's `sets`."""
    if "sets" in config:
        return load_encoder_sets(config, Path(data), cache)
    paragraphs = load_squad(data, config["max_tokens"], cache, config.get("limit"))
    train, held = split_held_out(paragraphs, config["held_out"], config.get("held_out_seed", config["seed"]))
    return train, {"squad": held}
