"""Questions in the forms in which people type them: as keywords, and with a typing mistake. Which questions of a
set are changed is drawn by their ids, so it is the same in every epoch."""

from __future__ import annotations

import random
import re
from dataclasses import replace

from data import Question, question_ids
from text_base import Unigram, WordPiece

WORD = re.compile(r"[^\W_]+(?:['’.\-/][^\W_]+)*")
# Words that people leave out of keyword searches.
LEFT_OUT = frozenset(
    """a about am an and any are as at be been being but by can could did do does doing during each every for from get gets got had has have
    having he her hers him his how i if in into is it its many me much my no not of off on one or our ours out over own she should so some
    such than that the their theirs them then there these they this those to us was we were what what's whatever when when's where where's
    which who who's whom whose why will with would you your yours""".split()
)
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
LEAST_LETTERS = 4  # of a word that gets a typing mistake


def keywords(text: str) -> str:
    """The question's words without those that keyword searches leave out; the text itself if fewer than two are left."""
    words = [word for word in WORD.findall(text) if word.lower() not in LEFT_OUT]
    return " ".join(words) if len(words) >= 2 else text


def mistyped(text: str, rng: random.Random) -> str:
    """The text with a mistake in one word: a letter swapped with the next, left out, doubled, or replaced by its
    neighbour on the keyboard. The first letter stays. The text itself if no word has LEAST_LETTERS letters."""
    words = [match for match in WORD.finditer(text) if len(match.group()) >= LEAST_LETTERS and match.group().isalpha() and match.group().lower() not in LEFT_OUT]
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end())
    before, letter, after = text[:at], text[at], text[at + 1 :]
    kind = rng.choice(("swap", "drop", "double", "near"))
    if kind == "swap" and at + 1 < word.end():
        return before + after[0] + letter + after[1:]
    if kind == "drop":
        return before + after
    row = next((row for row in KEYBOARD if letter.lower() in row), "")
    if kind == "near" and row:
        place = row.index(letter.lower())
        return before + rng.choice(row[max(0, place - 1) : place] + row[place + 1 : place + 2]) + after
    return before + letter + letter + after


def in_form(tokenizer: WordPiece | Unigram, question: Question, shares: dict[str, float]) -> Question:
    """The question, or for the shares `keywords` and `mistyped` of all questions, the question in that form."""
    rng = random.Random(f"form {question.id}")
    drawn, text = rng.random(), question.text
    if drawn < shares["keywords"]:
        text = keywords(text)
    elif drawn < shares["keywords"] + shares["mistyped"]:
        text = mistyped(text, rng)
    return question if text == question.text else replace(question, text=text, ids=question_ids(tokenizer, text))
