"""Questions that people asked, each with passages that a search ranks high: some answer, most do not.

    python real_questions.py ask --data DATA_FOLDER --out work/real          # work/real/questions.jsonl, documents.jsonl
    ../verbatim index work/real/documents.jsonl --level lexical --index work/real/index
    ../verbatim ask --questions work/real/questions.jsonl --index work/real/index --reader off --min-confidence 0 --top-k 20 --out work/real/answers.jsonl
    python real_questions.py label --config runs/real-questions.json --out work/real

The questions are those of Natural Questions, WebQuestions and TriviaQA, which come with answers but without
passages. The documents are those of two encyclopedias, without the articles of SQuAD dev and those that are held
out of SQuAD's training part.

A passage that contains an answer does not always answer (distant supervision, Mintz et al. 2009). So one is kept
as answering if an English reader finds a gold answer as its best span (`answerable`: least logit that the
passage answers, `answer_margin`: how far a gold span may be below the best one). A passage without any gold
answer, in the title neither, counts as not answering. The best `read` passages with a gold answer are read, and a
question keeps at most `most_right` passages that answer it and `most_wrong` that do not. If no passage contains a
gold answer, a share of the questions, `unanswered`, keeps one passage. If the reader finds the gold answer in none of
those that contain it, the question is left out.

    real-questions.json    SQuAD layout; each question is an article, whose paragraphs have their own titles
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import lzma
import multiprocessing
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from asked_passages import measured_titles
from data import Paragraph, Question, build_paragraph, question_ids
from data_rules import require
from evaluate import normalise_answer
from reader_figures import scorer_of
from reader_rows import Row, batches, row
from text_base import WordPiece, load_tokenizer
from write_questions import best_span

SETS = ("nq-train-8757", "webquestions-train", "triviaqa-dev")
CORPORA = ("enwiki-2015", "simplewiki-2017")
HELD_OUT, HELD_OUT_SEED = 0.05, 17  # the share of SQuAD's articles that every run holds out, and its seed
LONGEST_ANSWER = 60  # characters of a gold answer
LEAST_PASSAGE, MOST_PASSAGE = 300, 900  # characters
AT_ONCE = 200  # questions whose passages are read together
BATCH_TOKENS = 8000
ID_FIRST = b'{"id": "'  # how a line of documents.jsonl begins


def golds(value: list[str] | str) -> list[str]:
    """Gold answers, as text has them: without spaces before punctuation, and without notes in brackets. A string is a
    list as Python writes it; there are none if it is damaged."""
    try:
        texts = ast.literal_eval(value) if isinstance(value, str) else value
    except (SyntaxError, ValueError):
        return []
    texts = [text.replace(" - ", "-") for text in texts]
    tidied = (re.sub(r"\s*\([^)]*\)$", "", re.sub(r" ([,.;:'’)%])", r"\1", text)).strip() for text in texts)
    return list(dict.fromkeys(text for text in tidied if len(text) <= LONGEST_ANSWER and normalise_answer(text)))


def questions(data: Path) -> Iterator[dict]:
    for name in SETS:
        path = data / f"open/{name}.jsonl"
        require(path, "train")
        with path.open(encoding="utf-8") as lines:
            for item in map(json.loads, lines):
                if answers := golds(item["answers"]):
                    yield {"id": f"{name}-{item['id']}", "question": item["question"].strip(), "answers": answers}


def articles(data: Path, left_out: set[str]) -> Iterator[dict]:
    for name in CORPORA:
        path = data / f"corpora/{name}.jsonl.xz"
        require(path, "train")
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                article = json.loads(line)
                if article["title"].lower() not in left_out:
                    yield {"id": f"{name}-{article['id']}", "title": article["title"], "text": article["text"]}


def write_lines(path: Path, items: Iterator[dict]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for count, item in enumerate(items, 1):
            file.write(json.dumps(item, ensure_ascii=False) + "\n")
    return count


def passage_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines that contain the characters start..end, with the lines after and before them until there are
    LEAST_PASSAGE characters; not more than MOST_PASSAGE, around the middle of start..end."""
    low, high = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    high = len(text) if high < 0 else high
    while high - low < LEAST_PASSAGE and (low > 0 or high < len(text)):
        if high < len(text):
            after = text.find("\n", high + 1)
            high = len(text) if after < 0 else after
        if high - low < LEAST_PASSAGE and low > 0:
            low = text.rfind("\n", 0, low - 1) + 1
    if high - low > MOST_PASSAGE:
        middle = (start + end) // 2
        low = max(low, min(middle - MOST_PASSAGE // 2, high - MOST_PASSAGE))
        cut = text.find(" ", low) + 1 if low > 0 and text[low - 1] not in " \n" else low
        low, high = cut, min(high, low + MOST_PASSAGE)
        if high < len(text) and text[high] not in " \n":
            high = max(text.rfind(" ", low, high), low + 1)
    return low, high


def answer_pattern(answers: list[str]) -> re.Pattern[str]:
    """Finds any of the answers as whole words, whatever their case."""
    longest_first = sorted(answers, key=len, reverse=True)
    return re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)" for text in longest_first), re.IGNORECASE)


@dataclass
class Candidate:
    """A passage that may answer a question. `places`: token ranges (first, last) of gold answers in it, counted
    from its first token."""

    title: str
    paragraph: Paragraph
    row: Row
    places: list[tuple[int, int]]


class Documents:
    """Documents of a file of JSON lines, read by their ids."""

    def __init__(self, path: Path):
        self.file = path.open("rb")
        self.places: dict[str, int] = {}
        at = 0
        for line in self.file:
            self.places[line[len(ID_FIRST) : line.index(b'"', len(ID_FIRST))].decode()] = at
            at += len(line)

    def read(self, name: str) -> dict:
        self.file.seek(self.places[name])
        return json.loads(self.file.readline())


def tokens_at(paragraph: Paragraph, start: int, end: int) -> tuple[int, int] | None:
    """First and last token of the characters start..end, counted from the passage's first token; None if the
    passage is cut before them."""
    offsets = paragraph.offsets[paragraph.first : -1]
    inside = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < end))
    if len(inside) == 0 or offsets[-1, 1] < end:
        return None
    return int(inside[0]), int(inside[-1])


def candidates(item: dict, found: list[dict], documents: Documents, config: dict, tokenizer: WordPiece) -> list[Candidate]:
    """Passages around the answers that a search returned, best first and none twice: at most `read` that contain a
    gold answer, and `most_wrong` that do not."""
    pattern = answer_pattern(item["answers"])
    question = Question(item["id"], item["question"], question_ids(tokenizer, item["question"]), -1, -1, item["answers"])
    made: list[Candidate] = []
    taken: list[tuple[str, int, int]] = []
    left = {True: config["read"], False: config["most_wrong"]}
    for one in found:
        name, document = one["documentId"], documents.read(one["documentId"])
        low, high = passage_around(document["text"], one["startCodePoint"], one["endCodePoint"])
        if any(other == name and low < b and a < high for other, a, b in taken):
            continue
        passage = document["text"][low:high]
        paragraph = build_paragraph(tokenizer, 0, document["title"], passage, config["most_tokens"])
        spans = [match.span() for match in pattern.finditer(passage)]
        places = [place for span in spans if (place := tokens_at(paragraph, *span)) is not None]
        uncertain = not places if spans else pattern.search(document["title"])
        if uncertain or left[bool(spans)] == 0:
            continue
        left[bool(spans)] -= 1
        taken.append((name, low, high))
        made.append(Candidate(document["title"], paragraph, row("", question, paragraph, -1, -1), places))
    return made


def answer_place(one: Candidate, start: np.ndarray, end: np.ndarray, answers: float, config: dict) -> tuple[int, int] | None:
    """Token range of the gold answer that the passage gives; None if it may be there by chance.

    @param start, end  logits of the passage's tokens
    @param answers  logit that the passage answers
    """
    if answers < config["answerable"]:
        return None
    first, last, _ = best_span(start, end)
    score = lambda place: float(start[place[0]] + end[place[1]])  # noqa: E731
    place = max(one.places, key=score)
    return place if score(place) >= score((first, last)) - config["answer_margin"] else None


def article_of(item: dict, made: list[Candidate], answered: dict[int, tuple[int, int]], config: dict) -> dict | None:
    """A question as an article of the SQuAD layout; None if it is left out.

    @param answered  token range of the answer, by the `id` of the candidate's row
    """
    right = [(one, answered[id(one.row)]) for one in made if id(one.row) in answered][: config["most_right"]]
    wrong = [(one, None) for one in made if not one.places]
    if not right:
        if any(one.places for one in made):
            return None
        wrong = wrong[:1] if random.Random(f"unanswered {item['id']}").random() < config["unanswered"] else []
    paragraphs = []
    for number, (one, place) in enumerate(right + wrong):
        qa = {"id": f"{item['id']}-{number}", "question": item["question"], "answers": [], "is_impossible": place is None}
        if place is not None:
            offsets, text = one.paragraph.offsets[one.paragraph.first :], one.paragraph.text
            at = int(offsets[place[0], 0])
            quoted = text[at : int(offsets[place[1], 1])]
            others = [{"text": other, "answer_start": -1} for other in item["answers"] if other != quoted]
            qa["answers"] = [{"text": quoted, "answer_start": at}, *others]
        paragraphs.append({"title": one.title, "context": one.paragraph.text, "qas": [qa]})
    return {"title": item["question"], "paragraphs": paragraphs} if paragraphs else None


def ask(args: argparse.Namespace) -> None:
    args.out.mkdir(parents=True, exist_ok=True)
    count = write_lines(args.out / "questions.jsonl", questions(args.data))
    left_out = measured_titles(args.data, HELD_OUT, HELD_OUT_SEED)
    print(json.dumps({"questions": count, "documents": write_lines(args.out / "documents.jsonl", articles(args.data, left_out))}))


class Labelling:
    """What a process needs to label passages."""

    def __init__(self, config: dict, folder: Path):
        torch.set_num_threads(1)
        self.config, self.tokenizer, self.documents = config, load_tokenizer(), Documents(folder / "documents.jsonl")
        self.score = scorer_of(Path(config["reader"]), 1)
        self.asked = {item["id"]: item for item in map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))}

    def articles(self, lines: list[str]) -> tuple[list[dict], Counter[str]]:
        """Articles of some questions, from their lines in answers.jsonl, and counts."""
        found = {one["id"]: candidates(self.asked[one["id"]], one["answers"], self.documents, self.config, self.tokenizer) for one in map(json.loads, lines)}
        owner = {id(one.row): one for each in found.values() for one in each if one.places}
        answered: dict[int, tuple[int, int]] = {}
        for batch in batches([one.row for one in owner.values()], BATCH_TOKENS, 0):
            for one, *logits, answers in zip(batch, *self.score(batch)):
                start, end = (side[one.passage : len(one.ids) - 1].numpy() for side in logits)
                if (place := answer_place(owner[id(one)], start, end, float(answers), self.config)) is not None:
                    answered[id(one)] = place
        made = [article for name, each in found.items() if (article := article_of(self.asked[name], each, answered, self.config)) is not None]
        counts = Counter(questions=len(found), read=len(owner), answering=len(answered), kept=len(made))
        counts.update("right" if paragraph["qas"][0]["answers"] else "wrong" for article in made for paragraph in article["paragraphs"])
        return made, counts


labelling: Labelling  # of a process that labels passages


def start_labelling(config: dict, folder: Path) -> None:
    global labelling
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it ends it
    labelling = Labelling(config, folder)


def label_some(lines: list[str]) -> tuple[list[dict], Counter[str]]:
    return labelling.articles(lines)


def label(args: argparse.Namespace) -> None:
    config = json.loads(args.config.read_text())
    counts: Counter[str] = Counter()
    made: list[dict] = []
    started = time.time()
    with (args.out / "answers.jsonl").open(encoding="utf-8") as lines, multiprocessing.get_context("fork").Pool(args.processes, start_labelling, (config, args.out)) as pool:
        parts = iter(lambda: list(itertools.islice(lines, AT_ONCE)), [])
        for articles_, counted in pool.imap(label_some, parts):
            made += articles_
            counts.update(counted)
            print(json.dumps({"minutes": round((time.time() - started) / 60, 1), **counts}), flush=True)
    partial = args.out / "unfinished.json"
    partial.write_text(json.dumps({"data": made}, ensure_ascii=False), encoding="utf-8")
    os.replace(partial, args.out / "real-questions.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    for name, run, given in (("ask", ask, "data"), ("label", label, "config")):
        step = steps.add_parser(name)
        step.set_defaults(run=run)
        step.add_argument(f"--{given}", required=True, type=Path)
        step.add_argument("--out", required=True, type=Path)
        step.add_argument("--processes", type=int, default=os.cpu_count(), help="each computes with one thread")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
