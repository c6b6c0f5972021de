"""Chinese paragraphs in traditional characters, so that questions in simplified ones teach both.

Characters are converted one by one (OpenCC's table of characters, opencc-python-reimplemented), so
offsets stay as they are.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from data import Paragraph, answer_span, build_paragraph, question_ids
from span_sets import MAX_TOKENS
from text_base import load_tokenizer


@cache
def table() -> dict[int, str]:
    """Simplified character -> its first traditional form."""
    import importlib.resources

    lines = importlib.resources.files("opencc").joinpath("dictionary/STCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if "\t" in line)
    return {ord(simplified): forms.split(" ")[0] for simplified, forms in pairs}


def traditional(text: str) -> str:
    """@returns text of the same length"""
    converted = text.translate(table())
    assert len(converted) == len(text)
    return converted


def in_traditional_characters(paragraphs: list[Paragraph], base: str | None) -> list[Paragraph]:
    tokenizer = load_tokenizer(base)
    made = []
    for given in paragraphs:
        paragraph = build_paragraph(tokenizer, given.article, traditional(given.title), traditional(given.text), MAX_TOKENS)
        for question in given.questions:
            start = end = -1
            if question.start >= 0:
                begin, stop = given.offsets[question.start, 0], given.offsets[question.end, 1]
                start, end = answer_span(paragraph, int(begin), paragraph.text[begin:stop])
                if start < 0:
                    continue
            text = traditional(question.text)
            answers = [traditional(answer) for answer in question.answers]
            paragraph.questions.append(replace(question, id=f"{question.id}-traditional", text=text, ids=question_ids(tokenizer, text), start=start, end=end, answers=answers))
        made.append(paragraph)
    return made
