"""Data: SQuAD-layout files -> paragraphs with token ids, character offsets, sentence numbers and
answer token spans.

A paragraph is encoded once for all its questions, so the unit of data is a paragraph with its
questions:

    ids        [CLS] title [SEP] passage tokens [SEP]      (T,)  int
    first      position of the first passage token               int
    offsets    (T, 2) code-point offsets into the paragraph's text; (0, 0) outside the passage
    sentence   (T,) sentence number of each passage token, -1 elsewhere
    questions  token ids with [CLS] … [SEP], answer (start, end) positions in `ids`, end inclusive
"""

from __future__ import annotations

import hashlib
import json
import pickle
import random
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from held_out import draw_held_out
from text_base import Unigram, WordPiece, load_tokenizer

CLS, SEP, PAD = 101, 102, 0  # of WordPiece
MAX_QUESTION_TOKENS = 62
MAX_TITLE_TOKENS = 16
MAX_HEADING_TOKENS = 12


@dataclass
class Question:
    id: str
    text: str
    ids: np.ndarray
    start: int  # position in the paragraph's ids, -1 when the answer was cut off
    end: int  # inclusive
    answers: list[str]
    teacher: np.ndarray | None = None  # (2, passage tokens): the reader's start and end logits


@dataclass
class Paragraph:
    article: int
    title: str
    text: str
    ids: np.ndarray
    first: int
    offsets: np.ndarray
    sentence: np.ndarray
    questions: list[Question] = field(default_factory=list)


SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|(?<=[。！？])[」』”’）]*(?=.)")
ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Gen|Col|Sen|Rep|Gov|Jr|Sr|vs|No|Inc|Ltd|Co|ca|cf|al)|\b[A-Z])\.$")


def sentence_starts(text: str) -> list[int]:
    """Character offsets at which sentences begin; a plain rule is enough for training."""
    starts = [0]
    for match in SENTENCE_END.finditer(text):
        if not ABBREVIATION.search(text[: match.start()].rstrip("\"'”’)]")[-12:]):
            starts.append(match.end())
    return starts


def title_prefix(tokenizer: WordPiece | Unigram, title: str, heading: str = "") -> list[int]:
    """The tokens before a passage: [CLS] title [SEP], or [CLS] title : heading [SEP]."""
    ids = tokenizer.encode(title, add_special_tokens=False).ids[:MAX_TITLE_TOKENS]
    if heading and heading != title:
        ids = ids + tokenizer.encode(f": {heading}" if title else heading, add_special_tokens=False).ids[:MAX_HEADING_TOKENS]
    return [tokenizer.cls, *ids, tokenizer.sep]


def build_paragraph(tokenizer: WordPiece | Unigram, article: int, title: str, text: str, max_tokens: int, heading: str = "") -> Paragraph:
    """`heading`: what the passage is below in its document; it follows the title."""
    body = tokenizer.encode(text, add_special_tokens=False)
    prefix = title_prefix(tokenizer, title, heading)
    room = max_tokens - len(prefix) - 1
    ids = np.array(prefix + body.ids[:room] + [tokenizer.sep], dtype=np.int64)
    offsets = np.zeros((len(ids), 2), dtype=np.int64)
    kept = len(ids) - len(prefix) - 1
    offsets[len(prefix) : len(prefix) + kept] = body.offsets[:kept]
    sentence = np.full(len(ids), -1, dtype=np.int64)
    starts = np.array(sentence_starts(text))
    inside = slice(len(prefix), len(prefix) + kept)
    sentence[inside] = np.searchsorted(starts, offsets[inside, 0], side="right") - 1
    return Paragraph(article, title, text, ids, len(prefix), offsets, sentence)


def without_heading(paragraph: Paragraph, tokenizer) -> Paragraph:
    """The paragraph with its title alone before the passage, as an index has it encoded. Some sets come
    with headings, for readers."""
    prefix = np.array(title_prefix(tokenizer, paragraph.title))
    if len(prefix) == paragraph.first and np.array_equal(prefix, paragraph.ids[: paragraph.first]):
        return paragraph
    shift = paragraph.first - len(prefix)
    before = np.arange(len(prefix))  # offsets and sentences are the same before every passage
    arrays = {name: np.concatenate([getattr(paragraph, name)[before], getattr(paragraph, name)[paragraph.first :]]) for name in ("offsets", "sentence")}
    questions = [replace(q, start=q.start - shift, end=q.end - shift) for q in paragraph.questions]
    ids = np.concatenate([prefix, paragraph.ids[paragraph.first :]])
    return replace(paragraph, ids=ids, first=len(prefix), questions=questions, **arrays)


def question_ids(tokenizer: WordPiece | Unigram, text: str) -> np.ndarray:
    return np.array([tokenizer.cls, *tokenizer.encode(text, add_special_tokens=False).ids[:MAX_QUESTION_TOKENS], tokenizer.sep])


def answer_span(paragraph: Paragraph, start: int, text: str) -> tuple[int, int]:
    """Positions (start, end inclusive) of the tokens that cover the answer, or (-1, -1)."""
    end = start + len(text)
    last = len(paragraph.ids) - 1
    inside = np.arange(paragraph.first, last)
    begin, finish = paragraph.offsets[inside, 0], paragraph.offsets[inside, 1]
    covered = inside[(finish > start) & (begin < end)]
    if len(covered) == 0 or paragraph.offsets[last - 1, 1] < end:
        return -1, -1
    return int(covered[0]), int(covered[-1])


def load_squad(path: str, max_tokens: int, cache: Path | None = None, limit: int | None = None) -> list[Paragraph]:
    """All paragraphs of a SQuAD-layout file, tokenised; cached next to the runs because it takes a
    minute."""
    key = None
    if cache is not None:
        stamp = f"{Path(path).resolve()}:{Path(path).stat().st_size}:{max_tokens}:{limit}:3"
        key = cache / f"squad-{hashlib.sha256(stamp.encode()).hexdigest()[:16]}.pickle"
        if key.exists():
            return pickle.loads(key.read_bytes())
    tokenizer = load_tokenizer()
    paragraphs: list[Paragraph] = []
    for number, article in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))["data"]):
        title = article["title"].replace("_", " ")
        for record in article["paragraphs"]:
            paragraph = build_paragraph(tokenizer, number, title, record["context"], max_tokens)
            for qa in record["qas"]:
                answer = qa["answers"][0]
                start, end = answer_span(paragraph, answer["answer_start"], answer["text"])
                ids = question_ids(tokenizer, qa["question"])
                paragraph.questions.append(
                    Question(qa["id"], qa["question"], ids, start, end, [a["text"] for a in qa["answers"]])
                )
            paragraphs.append(paragraph)
        if limit is not None and len(paragraphs) >= limit:
            break
    if key is not None:
        key.parent.mkdir(parents=True, exist_ok=True)
        key.write_bytes(pickle.dumps(paragraphs))
    return paragraphs


def split_held_out(paragraphs: list[Paragraph], share: float, seed: int) -> tuple[list[Paragraph], list[Paragraph]]:
    """(train, held out) by whole articles. Every decision is made on the held-out articles, never
    on SQuAD dev."""
    held = draw_held_out({p.article for p in paragraphs}, share, seed)
    return [p for p in paragraphs if p.article not in held], [p for p in paragraphs if p.article in held]


def paragraph_names(paragraphs: list[Paragraph]) -> list[str]:
    """Each paragraph's id in an index of the same file: `<title>#<number within its article>`."""
    seen: dict[int, int] = {}
    names = []
    for paragraph in paragraphs:
        number = seen.get(paragraph.article, 0)
        seen[paragraph.article] = number + 1
        names.append(f"{paragraph.title.replace(' ', '_')}#{number}")
    return names


def mined_batches(
    paragraphs: list[Paragraph], confusers: dict[str, list[str]], groups: int, group_size: int, seed: int
) -> list[list[int]]:
    """Batches of `groups` × `group_size` paragraphs; a group is one paragraph with those that a
    search mistakes for it (`mine.py`), then others of its article. Every paragraph with a question
    is in exactly one group per epoch; the last groups are shorter."""
    rng = random.Random(seed)
    places = {name: index for index, name in enumerate(paragraph_names(paragraphs))}
    free = {index for index, paragraph in enumerate(paragraphs) if any(q.start >= 0 for q in paragraph.questions)}
    names = {index: name for name, index in places.items()}
    by_article: dict[int, list[int]] = {}
    for index in free:
        by_article.setdefault(paragraphs[index].article, []).append(index)
    for members in by_article.values():
        rng.shuffle(members)
    chunks: list[list[int]] = []
    order = sorted(free)
    rng.shuffle(order)
    for index in order:
        if index not in free:
            continue
        mined = [places[name] for name in confusers.get(names[index], []) if name in places]
        group = [index]
        for other in mined + by_article[paragraphs[index].article]:
            if len(group) == group_size:
                break
            if other in free and other not in group:
                group.append(other)
        free.difference_update(group)
        chunks.append(group)
    rng.shuffle(chunks)
    return filled(chunks, groups * group_size)


def filled(chunks: list[list[int]], least: int) -> list[list[int]]:
    """Batches of whole chunks, in their order, each of `least` paragraphs or just more; the last may have fewer."""
    batches: list[list[int]] = [[]]
    for chunk in chunks:
        if len(batches[-1]) >= least:
            batches.append([])
        batches[-1] += chunk
    return batches


def epoch_batches(paragraphs: list[Paragraph], groups: int, group_size: int, seed: int) -> list[list[int]]:
    """Batches of at least `groups` × `group_size` paragraphs, made of whole groups; a group comes from one
    article, so its members are hard negatives of each other."""
    rng = random.Random(seed)
    by_article: dict[int, list[int]] = {}
    for index, paragraph in enumerate(paragraphs):
        if any(q.start >= 0 for q in paragraph.questions):
            by_article.setdefault(paragraph.article, []).append(index)
    chunks: list[list[int]] = []
    for members in by_article.values():
        rng.shuffle(members)
        chunks += [members[i : i + group_size] for i in range(0, len(members), group_size)]
    rng.shuffle(chunks)
    return filled(chunks, groups * group_size)
