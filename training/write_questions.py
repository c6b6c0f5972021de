"""Writes questions about unlabelled passages with a question writer, and keeps those that a reader answers
with the span that they were written for (round trip: Alberti et al. 2019).

    python write_questions.py --config runs/network-questions.json --data DATA_FOLDER --out work/network-questions

The passages are of manuals, policies, contracts, minutes and medical pages, and of an encyclopedia. What is
reserved for measuring and held-out documents are left out, and so are articles of SQuAD dev and those that are
held out of SQuAD train.

A question is kept if the reader's best span is the one it was written for (F1 ≥ `overlap`), better than all
spans apart from it by `margin` (a sum of logits), and the logit that the passage answers is at least
`answerable`. For a share of them, `twins`, the question is also asked of the passage without the answer's
sentence: kept, without an answer, if there that logit is at most `unanswerable`.

    part-<n>.json      SQuAD layout, one article per document; an interrupted run continues after the last one
    part-<n>.npz       the reader's logits (teacher_logits.py)
    network-questions.json     all parts in one file, written at the end; figures.json counts them
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice
from multiprocessing.pool import Pool
from pathlib import Path

import numpy as np
import torch

from asked_passages import Passage, drawn_passages
from data import Paragraph, Question, build_paragraph, question_ids, sentence_starts
from evaluate import f1
from model import restore
from question_decoder import Asked, ask, encode, propose, style_numbers
from question_writer import STYLES, Writer
from reader_figures import Scorer, scorer_of
from reader_rows import Row, row
from teacher_logits import write_part
from text_base import load_tokenizer

LONGEST_SPAN = 30  # tokens of a span that the reader may find
AT_ONCE = 24  # passages that are encoded together


@dataclass
class Kept:
    question: Question
    style: str
    likelihood: float  # mean log-likelihood of a token of the question, by its writer
    logits: np.ndarray  # (2, passage tokens): starts and ends, by the reader
    twin: str | None = None  # the passage without the answer's sentence, where it does not answer


def counts_of(rng: random.Random, passage: Passage, paragraph: Paragraph, config: dict) -> np.ndarray:
    """How many questions of each style a passage gets."""
    kind = "encyclopedia" if passage.kind == "encyclopedia" else "other"
    count = max(1, round((len(paragraph.ids) - paragraph.first) / config["tokens_per_question"][kind]))
    drawn = rng.choices(range(len(STYLES)), weights=style_numbers(config["styles"][kind]).tolist(), k=count)
    return np.bincount(drawn, minlength=len(STYLES))


def best_span(start: np.ndarray, end: np.ndarray) -> tuple[int, int, float]:
    """(first, last, margin) of the best span of at most LONGEST_SPAN of the tokens (t,): the margin is over the
    best span that has no token of it."""
    size = len(start)
    distance = np.arange(size)[None] - np.arange(size)[:, None]
    spans = np.where((distance >= 0) & (distance < LONGEST_SPAN), start[:, None] + end[None], -np.inf)
    first, last = divmod(int(spans.argmax()), size)
    best = spans[first, last]
    apart = max(spans[:first, :first].max(initial=-np.inf), spans[last + 1 :, last + 1 :].max(initial=-np.inf))
    return first, last, float(best - apart)


def without_sentence(text: str, start: int, end: int) -> str:
    """The text without the sentences of the characters from `start` up to `end`."""
    starts = [*sentence_starts(text), len(text)]
    return "".join(text[a:b] for a, b in zip(starts, starts[1:]) if b <= start or a >= end).strip()


class Reading:
    """The round trip."""

    def __init__(self, score: Scorer, config: dict):
        self.score, self.config, self.tokenizer = score, config, load_tokenizer()
        self.written: Counter[str] = Counter()

    def logits(self, one: Row) -> tuple[np.ndarray, float]:
        start, end, answer = self.score([one])
        return torch.cat([start, end])[:, one.passage : len(one.ids) - 1].numpy(), float(answer[0])

    def kept(self, passage: Passage, paragraph: Paragraph, asked: Asked, name: str, twin: bool) -> Kept | None:
        """@param twin  whether the question may be asked of the passage without the answer's sentence as well"""
        text = tidy(self.tokenizer.decode(list(asked.ids)), STYLES[asked.style])
        wanted = passage.text[paragraph.offsets[asked.start, 0] : paragraph.offsets[asked.end, 1]]
        if not text or wanted.lower() in text.lower():
            return None
        self.written[passage.kind] += 1
        question = Question(name, text, question_ids(self.tokenizer, text), asked.start, asked.end, [wanted])
        logits, answer = self.logits(row("", question, paragraph, -1, -1))
        first, last, margin = best_span(*logits)
        found = passage.text[paragraph.offsets[paragraph.first + first, 0] : paragraph.offsets[paragraph.first + last, 1]]
        if answer < self.config["answerable"] or margin < self.config["margin"] or f1(found, [wanted]) < self.config["overlap"]:
            return None
        question = replace(question, start=paragraph.first + first, end=paragraph.first + last, answers=[found])
        kept = Kept(question, STYLES[asked.style], asked.likelihood, logits.astype(np.float16))
        if twin:
            place = int(paragraph.offsets[question.start, 0])
            rest = without_sentence(passage.text, place, place + len(found))
            if len(rest) > 0.4 * len(passage.text) and found.lower() not in rest.lower():
                cut = build_paragraph(self.tokenizer, 0, passage.title, rest, self.config["most_tokens"], passage.heading)
                if self.logits(row("", question, cut, -1, -1))[1] <= self.config["unanswerable"]:
                    kept.twin = rest
        return kept


def tidy(text: str, style: str) -> str:
    """A question as a person would write it: pieces joined, the first letter and the last mark as its style has them."""
    for before, after in ((" ' s ", "'s "), (" ’ s ", "’s "), (" - ", "-"), (" ' ", "'"), ("( ", "("), (" )", ")"), (" / ", "/"), ("$ ", "$"), ("# ", "#")):
        text = text.replace(before, after)
    text = text.strip()
    return text if style in ("keywords", "command") else text[:1].upper() + text[1:]


def article_of(document: str, passages_: list[tuple[Passage, Paragraph, list[Kept]]]) -> dict:
    """An article of the SQuAD layout."""
    paragraphs = []
    for passage, paragraph, kept in passages_:
        place = lambda q: int(paragraph.offsets[q.start, 0])  # noqa: E731
        qas = [
            {
                **{"id": k.question.id, "question": k.question.text, "style": k.style, "likelihood": round(k.likelihood, 2)},
                "answers": [{"text": k.question.answers[0], "answer_start": place(k.question)}],
            }
            for k in kept
        ]
        if qas:
            paragraphs.append({"context": passage.text, "heading": passage.heading, "qas": qas})
        for k in kept:
            if k.twin is not None:
                none = {"id": f"{k.question.id}-none", "question": k.question.text, "style": k.style, "answers": [], "is_impossible": True}
                paragraphs.append({"context": k.twin, "heading": passage.heading, "qas": [none]})
    first = passages_[0][0]
    return {"title": first.title, "document": document, "kind": first.kind, "paragraphs": paragraphs}


def write_chunk(number: int, chunk: list[tuple[Passage, Paragraph]], writer: Writer, reading: Reading, config: dict) -> list[list[Kept]]:
    """What is kept of each passage."""
    rng = random.Random(f"{config['seed']}:{number}")
    generator = torch.Generator().manual_seed(config["seed"] * 100_003 + number)
    made: list[list[Kept]] = [[] for _ in chunk]
    order = sorted(range(len(chunk)), key=lambda i: len(chunk[i][1].ids))
    for at in range(0, len(order), AT_ONCE):
        places = order[at : at + AT_ONCE]
        paragraphs = [chunk[i][1] for i in places]
        with torch.no_grad():
            encoded = encode(writer, paragraphs)
            wanted = np.stack([counts_of(rng, chunk[i][0], paragraph, config) for i, paragraph in zip(places, paragraphs)])
            answers = propose(writer, encoded, wanted, config["answer_temperature"], generator)
            asked = ask(writer, encoded, paragraphs, answers, temperature=config["temperature"], mass=config["mass"], generator=generator)
        for i, paragraph, some in zip(places, paragraphs, asked):
            known: set[str] = set()
            for one in some:
                kept = reading.kept(chunk[i][0], paragraph, one, f"n{number:04d}-{i}-{len(made[i])}", rng.random() < config["twins"])
                if kept is not None and kept.question.text not in known:
                    known.add(kept.question.text)
                    made[i].append(kept)
    return made


def save_chunk(out: Path, number: int, chunk: list[tuple[Passage, Paragraph]], made: list[list[Kept]], written: Counter[str]) -> None:
    joined = [(passage, paragraph, kept) for (passage, paragraph), kept in zip(chunk, made) if kept]
    articles = [article_of(document, list(some)) for document, some in groupby(joined, key=lambda one: one[0].document)]
    write_part(out / f"part-{number:04d}.npz", [p for _, p, _ in joined], [(i, k.question.id, k.logits) for i, (_, _, kept) in enumerate(joined) for k in kept])
    partial = out / f"unfinished-{number:04d}.json"
    partial.write_text(json.dumps({"data": articles, "written": written}, ensure_ascii=False), encoding="utf-8")
    os.replace(partial, out / f"part-{number:04d}.json")


def collect(out: Path) -> dict:
    """Joins the parts. @returns counts by kind of document and by style"""
    articles, written = [], Counter()
    for path in sorted(out.glob("part-*.json")):
        part = json.loads(path.read_text(encoding="utf-8"))
        articles += part["data"]
        written.update(part["written"])
    (out / "network-questions.json").write_text(json.dumps({"data": articles}, ensure_ascii=False), encoding="utf-8")
    asked = [(article["kind"], qa) for article in articles for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
    counts = {
        "passages": sum(len(article["paragraphs"]) for article in articles),
        "written": dict(written),
        "kept": dict(Counter(kind for kind, qa in asked if qa["answers"])),
        "unanswerable": dict(Counter(kind for kind, qa in asked if not qa["answers"])),
        "styles": dict(Counter(qa["style"] for _, qa in asked if qa["answers"])),
    }
    (out / "figures.json").write_text(json.dumps(counts, indent=1) + "\n")
    return counts


class Work:
    """What a process needs to write parts."""

    def __init__(self, config: dict, out: Path, given: list[tuple[Passage, Paragraph]], threads: int):
        torch.set_num_threads(threads)
        self.config, self.out, self.given = config, out, given
        self.writer = restore(Path(config["writer"]), Writer)[0].to(torch.bfloat16).eval()
        self.reading = Reading(scorer_of(Path(config["reader"]), threads), config)

    def part(self, number: int) -> dict:
        size = self.config["passages_per_part"]
        chunk = self.given[number * size : (number + 1) * size]
        self.reading.written.clear()
        made = write_chunk(number, chunk, self.writer, self.reading, self.config)
        save_chunk(self.out, number, chunk, made, self.reading.written)
        return {"part": number, "written": self.reading.written.total(), "kept": sum(map(len, made)), "twins": sum(k.twin is not None for some in made for k in some)}


working: Work  # of a process that writes parts


def start_working(*arguments: object) -> None:
    """Begins a process that writes parts. It inherits the passages, which would take long to send."""
    global working
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it ends it
    working = Work(*arguments)


def write_part_of(number: int) -> dict:
    return working.part(number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--data", "--out"):
        parser.add_argument(name, required=True, type=Path)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begins no further part after this time")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="each computes with one thread")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    config = json.loads(args.config.read_text())
    given = drawn_passages(config, args.data)
    count = -(-len(given) // config["passages_per_part"])
    missing = [number for number in range(count) if not (args.out / f"part-{number:04d}.json").exists()]
    print(f"{len(given)} passages of {len({p.document for p, _ in given})} documents, {len(missing)} of {count} parts are missing", flush=True)
    started = time.time()
    within = (number for number in missing if time.time() - started < 60 * args.minutes)
    with multiprocessing.get_context("fork").Pool(args.processes, start_working, (config, args.out, given, 1)) as pool:
        for row in in_turn(pool, within, args.processes):
            print(json.dumps({"minutes": round((time.time() - started) / 60, 1), **row}), flush=True)
    print(json.dumps(collect(args.out)), flush=True)


def in_turn(pool: Pool, numbers: Iterator[int], at_once: int) -> Iterator[dict]:
    """Rows of the parts, of which at most `at_once` have been begun; the numbers are asked for one at a time."""
    begun = deque(pool.apply_async(write_part_of, (number,)) for number in islice(numbers, at_once))
    while begun:
        yield begun.popleft().get()
        begun.extend(pool.apply_async(write_part_of, (number,)) for number in islice(numbers, 1))


if __name__ == "__main__":
    main()
