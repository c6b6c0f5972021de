"""What the maps of passage vectors (passage_vectors.py) are fitted on: passages, and questions about
one of them or about none.

`collect` draws it for the English model, `collect_multilingual` for the multilingual one.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from data import Paragraph, build_paragraph, question_ids, split_held_out, without_heading
from data_rules import require
from draw_chinese import articles as chinese_articles
from draw_chinese import measured, runs
from draw_chinese import paragraphs as chinese_paragraphs
from draw_passages import documents, passages
from held_out_documents import held_out
from span_sets import load_spans
from text_base import load_tokenizer
from traditional import traditional
from written import load_pairs, load_written, strip_markup
from written_multilingual import ACROSS, CHINESE, ENGLISH, LANGUAGES, json_lines, load_written_file

HERE = Path(__file__).parent
CACHE = HERE / "work" / "cache"

MOST_TOKENS = 200  # of a passage, while the maps are trained
PAIRS = {"medquad": 4000, "qmsum": 900, "faq": 900}  # questions of sets that name the passage alone
STORIES = 1500  # passages of fairytaleqa, two questions each
REAL = ("nq-train-8757", "webquestions-train")  # questions without a passage
MOST_OF_PART = 3  # questions of a passage, where only a part of the passages is taken
UNLABELLED = 3500  # passages of other kinds without a question, at most two of a document
ENCYCLOPEDIAS = {"enwiki-2015": (4, 7000), "simplewiki-2017": (12, 9000)}  # (one article in n, until there are m passages)

# For the multilingual model
LANGUAGES_OF_MANUALS = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ko", "ar")
MANUALS = 300  # passages of translated manuals in each of these languages, without a question
MANUAL_LENGTH = {"zh": 220, "ja": 260, "ko": 330}  # characters of such a passage, at least
USUAL_LENGTH = 550
SPANS = {"squad": ("squad/train-v1.1.json", 0.05), "piaf": ("other/piaf-fr.json.xz", 0.05), "cmrc": ("zh/cmrc2018-trial.json", 0.34)}
HELD_OUT_SEED = 17  # of the articles, as in train_reader.py; the shares that are held out are in SPANS
MOST_PASSAGES = {"squad": 5000}  # that are trained on
MOST_QUESTIONS = {"squad": 3, "written": 6, "english": 6}  # of a passage of the set
FEWER_PAIRS = {"medquad": 700, "qmsum": 300, "faq": 300}
FEWER_REAL = 6000  # questions of people
OTHERS = 800  # passages of other English kinds, of simplewiki and of Chinese Wikipedia, without a question
CHINESE_SHARE = 0.12  # of the articles of Chinese Wikipedia, of which OTHERS are drawn
SENTENCE_END = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")  # in any script; abbreviations do no harm here
SENTENCE = (12, 160)  # characters of a sentence that serves as a question, at least and at most


@dataclass
class Drawn:
    """Passages, and questions about one of them or about none."""

    documents: list[str] = field(default_factory=list)  # of each passage
    passages: list[np.ndarray] = field(default_factory=list)  # token ids
    held: list[bool] = field(default_factory=list)  # whether the passage is held out
    owners: list[int] = field(default_factory=list)  # each question's passage, −1: none
    kinds: list[str] = field(default_factory=list)  # each question's set
    questions: list[np.ndarray] = field(default_factory=list)

    def add(self, document: str, ids: np.ndarray, questions: Iterable[np.ndarray] = (), held: bool = False) -> int:
        """@param document  a set's name, and a document in it
        @returns the passage's number"""
        self.documents.append(document)
        self.passages.append(ids[:MOST_TOKENS])
        self.held.append(held)
        for one in questions:
            self.ask(one, document.split()[0], len(self.passages) - 1)
        return len(self.passages) - 1

    def ask(self, question: np.ndarray, kind: str = "", owner: int = -1) -> None:
        """@param owner  number of the passage that answers; −1 if none is known to"""
        self.owners.append(owner)
        self.kinds.append(kind)
        self.questions.append(question)


def part_of(drawn: Drawn, share: float, seed: int) -> Drawn:
    """A random share of the passages that are not held out, and of the questions without a passage; with
    every held-out passage, and at most MOST_OF_PART questions of each passage."""
    rng, part, number = random.Random(f"{seed}:part"), Drawn(), {}
    for old, (document, ids, held) in enumerate(zip(drawn.documents, drawn.passages, drawn.held)):
        if held or rng.random() < share:
            number[old] = part.add(document, ids, held=held)
    asked: dict[int, int] = {}
    for question, kind, owner in zip(drawn.questions, drawn.kinds, drawn.owners):
        if owner < 0:
            if rng.random() < share:
                part.ask(question, kind)
        elif owner in number:
            asked[owner] = asked.get(owner, 0) + 1
            if asked[owner] <= MOST_OF_PART:
                part.ask(question, kind, number[owner])
    return part


def collect(data: Path, written: Path, seed: int) -> Drawn:
    """What the maps are trained on, and the held-out questions that they are judged by."""
    rng, tokenizer, drawn = random.Random(seed), load_tokenizer(), Drawn()
    for held, paragraphs in enumerate(load_written(written, data)):
        for paragraph in paragraphs:
            if asked := [one.ids for one in paragraph.questions if one.start >= 0]:
                drawn.add(f"written {paragraph.article}", without_heading(paragraph, tokenizer).ids, asked, bool(held))
    for name, count in PAIRS.items():
        for question, own, _ in load_pairs(data / f"other/{name}.jsonl.xz", count, seed):
            drawn.add(f"{name} {len(drawn.passages)}", own.ids, [question.ids])
    stories = [one for one in load_spans(str(data / "other/fairytaleqa.json.xz"), "train", CACHE) if one.questions]
    for paragraph in rng.sample(stories, min(STORIES, len(stories))):
        drawn.add(f"fairytaleqa {paragraph.article}", paragraph.ids, [one.ids for one in paragraph.questions[:2]])
    squad = [one for one in load_spans(str(data / "squad/train-v1.1.json"), "train", CACHE) if one.questions]
    for held, paragraphs in enumerate(split_held_out(squad, SPANS["squad"][1], HELD_OUT_SEED)):
        for paragraph in paragraphs:
            drawn.add(f"squad {paragraph.article}", paragraph.ids, [one.ids for one in paragraph.questions], bool(held))
    for document, title, piece in (*other_kinds(data, rng, UNLABELLED), *encyclopedias(data, rng, ENCYCLOPEDIAS)):
        drawn.add(document, build_paragraph(tokenizer, 0, title, piece, MOST_TOKENS).ids)
    for question in real_questions(data):
        drawn.ask(question_ids(tokenizer, question))
    return drawn


def collect_multilingual(data: Path, text: Path, base: str, seed: int) -> Drawn:
    """The same for the multilingual model. Few sets have questions in other languages than English. So
    across.jsonl has questions in another language than their documents', and sentences of passages in
    thirteen languages serve as questions that no passage is known to answer.

    @param text  folder of multilingual_text.py
    @param base  folder of the multilingual base"""
    rng, tokenizer, drawn = random.Random(seed), load_tokenizer(base), Drawn()
    numbers: dict[bytes, int] = {}  # of passages, by their token ids: some sets ask about the same ones

    def add_asked(kind: str, parts: Iterable[list[Paragraph]]) -> None:
        for held, paragraphs in enumerate(parts):
            asked = [(without_heading(one, tokenizer), [q.ids for q in one.questions if q.start >= 0]) for one in paragraphs]
            asked = [(one, questions) for one, questions in asked if questions]
            for paragraph, questions in asked if held else rng.sample(asked, min(MOST_PASSAGES.get(kind, len(asked)), len(asked))):
                key = paragraph.ids.tobytes()
                if key not in numbers:
                    numbers[key] = drawn.add(f"{kind} {paragraph.article}", paragraph.ids, held=bool(held))
                if drawn.held[numbers[key]] != bool(held):
                    continue  # held out in one of the two sets that it is in
                for question in rng.sample(questions, min(MOST_QUESTIONS.get(kind, len(questions)), len(questions))):
                    drawn.ask(question, kind, numbers[key])

    add_asked("written", load_written(HERE / "written" / "questions.jsonl", data, base))
    for name in (ENGLISH, LANGUAGES, CHINESE):
        add_asked(name.removesuffix(".jsonl"), load_written_file(f"written/{name}", data, base))
    for kind, (name, share) in SPANS.items():
        add_asked(kind, split_held_out(load_spans(str(data / name), "train", CACHE, base), share, HELD_OUT_SEED))
    for name, count in FEWER_PAIRS.items():
        for question, own, _ in load_pairs(data / f"other/{name}.jsonl.xz", count, seed, base):
            drawn.add(f"{name} {len(drawn.passages)}", own.ids, [question.ids])
    simple = encyclopedias(data, rng, ["simplewiki-2017"])
    unlabelled = [*other_kinds(data, rng, OTHERS), *islice(simple, OTHERS), *chinese_wikipedia(data, rng)]
    for language in LANGUAGES_OF_MANUALS:
        unlabelled += manuals(text / f"{language}.jsonl", language, rng)
    for document, title, piece in unlabelled:
        drawn.add(document, build_paragraph(tokenizer, 0, title, piece, MOST_TOKENS).ids)
        if (sentence := a_sentence(piece, rng)) is not None:
            drawn.ask(question_ids(tokenizer, sentence))
    for question in rng.sample(list(real_questions(data)), FEWER_REAL):
        drawn.ask(question_ids(tokenizer, question))
    add_asked("across", load_written_file(f"written/{ACROSS}", data, base))
    return drawn


def a_sentence(text: str, rng: random.Random) -> str | None:
    """One sentence of a passage, if it has one of the right length."""
    fitting = [one for one in map(str.strip, SENTENCE_END.split(text)) if SENTENCE[0] <= len(one) <= SENTENCE[1]]
    return rng.choice(fitting) if fitting else None


def manuals(path: Path, language: str, rng: random.Random) -> list[tuple[str, str, str]]:
    """(file, name, passage) of translated manuals: some paragraphs in a row of each file."""
    least, found = MANUAL_LENGTH.get(language, USUAL_LENGTH), []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            if item["source"].startswith(("corpora/", "other/")):
                continue
            pieces, piece = [], ""
            for paragraph in item["text"].split("\n"):
                piece = f"{piece}\n{paragraph}".strip()
                if len(piece) >= least:
                    pieces.append(piece)
                    piece = ""
            name = Path(item["source"]).name.split(".")[0]
            found += [(item["source"], name if rng.random() < 0.5 else "", one) for one in rng.sample(pieces, min(2, len(pieces)))]
    return rng.sample(found, min(MANUALS, len(found)))


def chinese_wikipedia(data: Path, rng: random.Random) -> list[tuple[str, str, str]]:
    """(article, title, paragraph) of Chinese Wikipedia, half of them in traditional characters; nothing of the sets
    that are for measuring (draw_chinese.py), nor of the articles that chinese.jsonl asks about."""
    titles, common = measured(data)
    asked = {item["document"] for item in json_lines(HERE / "written" / CHINESE)}
    found = []
    for article in chinese_articles(data):
        if rng.random() > CHINESE_SHARE or str(article["id"]) in asked or traditional(article["title"].strip().lower()) in titles:
            continue
        fitting = [text for _, text in chinese_paragraphs(article["text"]) if common.isdisjoint(runs(text))]
        if fitting:
            convert = traditional if rng.random() < 0.5 else str
            found.append((f"zhwiki {article['id']}", convert(article["title"]), convert(rng.choice(fitting))))
    return rng.sample(found, min(OTHERS, len(found)))


def real_questions(data: Path) -> Iterator[str]:
    """Questions of people, without a passage."""
    for name in REAL:
        require(data / f"open/{name}.jsonl", "train")
        for line in (data / f"open/{name}.jsonl").open(encoding="utf-8"):
            yield json.loads(line)["question"]


def other_kinds(data: Path, rng: random.Random, most: int) -> Iterator[tuple[str, str, str]]:
    """(document, title, passage) of manuals, policies and contracts, at most two of a document."""
    rest = []
    for _, document, title, text in documents(data):
        if not held_out(document):
            pieces = list(passages(text))
            rest += [(document, title, piece) for _, _, piece in rng.sample(pieces, min(2, len(pieces)))]
    for document, title, piece in rng.sample(rest, min(most, len(rest))):
        yield document, title, strip_markup(piece)


def encyclopedias(data: Path, rng: random.Random, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """(article, title, paragraph): one paragraph each of articles drawn by the hash of their line's number.

    Articles of SQuAD dev are left out: only their titles are read.

    @param names  keys of ENCYCLOPEDIAS"""
    dev = {article["title"].replace("_", " ").lower() for article in json.loads((data / "squad/dev-v1.1.json").read_text(encoding="utf-8"))["data"]}
    for name in names:
        every, most = ENCYCLOPEDIAS[name]
        given, path = 0, data / f"corpora/{name}.jsonl.xz"
        require(path, "train")
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if int(hashlib.sha256(f"{name}{number}".encode()).hexdigest()[:6], 16) % every:
                    continue
                article = json.loads(line)
                fitting = [one for one in article["text"].split("\n") if 250 < len(one) < 1600]
                if article["title"].lower() in dev or not fitting:
                    continue
                yield f"{name} {number}", article["title"], rng.choice(fitting)
                given += 1
                if given >= most:
                    break
