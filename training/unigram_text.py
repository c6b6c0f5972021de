"""Unigram tokenisation for training: SentencePiece's segmentation over normalised text, with offsets
into the original text. src/text/unigram/tokenizer.ts is the same in TypeScript. unigram_strings.py
compares this tokenizer with `sentencepiece`, and scripts/compare-unigram.ts compares the two.

Normalisation replaces the longest rule that matches at each position (table of the base model and
compositions of decomposed letters), composes Hangul, collapses white space and puts "▁" before
every word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

from tokenizers import Tokenizer, models, pre_tokenizers

from unigram_file import UNKNOWN, UnigramVocabulary

SPACE_MARK = "\u2581"
LEADS, VOWELS, TAILS, FIRST_SYLLABLE = 0x1100, 0x1161, 0x11A7, 0xAC00


def compositions(table: dict[str, str]) -> dict[str, str]:
    """Sequences of a letter and combining marks, for every composed letter: all partly composed
    forms of it, in canonical order, also with half-width and full-width letters and marks. Hangul is
    composed by arithmetic instead."""
    forms: dict[str, list[str]] = {}
    widths: dict[str, list[str]] = {}
    for source, target in table.items():
        if 0xFF01 <= ord(source) <= 0xFF9F:
            widths.setdefault(target, []).append(source)

    def forms_of(letter: str) -> list[str]:
        if letter not in forms:
            parts = unicodedata.decomposition(letter).split()
            if len(parts) != 2 or parts[0].startswith("<") or unicodedata.normalize("NFC", letter) != letter:
                forms[letter] = []
            else:
                base, mark = (chr(int(part, 16)) for part in parts)
                starts = (base, *widths.get(base, ()), *forms_of(base))
                forms[letter] = [start + end for start in starts for end in (mark, *widths.get(mark, ()))]
        return forms[letter]

    letters = (chr(code) for code in range(0xC0, 0x30000) if not FIRST_SYLLABLE <= code < 0xD7A4 and not 0xD800 <= code < 0xE000)
    return {form: table.get(letter, letter) for letter in letters for form in forms_of(letter)}


@dataclass
class Normalised:
    text: str
    starts: list[int]
    """Code point of the original where each character's source begins."""
    ends: list[int]


class Encoded(NamedTuple):
    ids: list[int]
    offsets: list[tuple[int, int]]


class Normalizer:
    def __init__(self, rules: dict[str, str]):
        self.rules = rules
        self.longest = max((len(source) for source in rules), default=1)
        self.plain = {ord(source): target for source, target in rules.items() if len(source) == 1}
        followers = "".join(sorted({character for source in rules for character in source[1:]}))
        self.followers = re.compile(f"[{re.escape(followers)}\u1100-\u11ff]") if followers else re.compile("[\u1100-\u11ff]")

    def __call__(self, text: str) -> str:
        """The normalised text, words divided by single spaces, without marks."""
        if not self.followers.search(text):
            return re.sub(" +", " ", text.translate(self.plain)).strip(" ")
        return self.aligned(text).text.replace(SPACE_MARK, " ")[1:]

    def aligned(self, text: str) -> Normalised:
        """The normalised text with a mark before each word, and where each character comes from."""
        characters: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        space = True
        at = 0
        while at < len(text):
            length, target = self.replacement(text, at)
            for character in target:
                if character == " ":
                    space = True
                    continue
                if space:
                    characters.append(SPACE_MARK)
                    starts.append(at)
                    ends.append(at)
                    space = False
                characters.append(character)
                starts.append(at)
                ends.append(at + length)
            at += length
        return Normalised("".join(characters), starts, ends)

    def replacement(self, text: str, at: int) -> tuple[int, str]:
        """(characters read, what they normalise to)"""
        for length in range(min(self.longest, len(text) - at), 0, -1):
            if (target := self.rules.get(text[at : at + length])) is not None:
                return length, target
        return compose_hangul(text, at)


def compose_hangul(text: str, at: int) -> tuple[int, str]:
    code = ord(text[at])
    syllable, length = code, 1
    if LEADS <= code < LEADS + 19 and at + 1 < len(text) and VOWELS <= ord(text[at + 1]) < VOWELS + 21:
        syllable = FIRST_SYLLABLE + ((code - LEADS) * 21 + ord(text[at + 1]) - VOWELS) * 28
        length = 2
    if FIRST_SYLLABLE <= syllable < 0xD7A4 and (syllable - FIRST_SYLLABLE) % 28 == 0 and at + length < len(text):
        if TAILS < ord(text[at + length]) < TAILS + 28:
            return length + 1, chr(syllable + ord(text[at + length]) - TAILS)
    return length, chr(syllable)


def segmenter(pieces: list[str], scores, unknown: int) -> Tokenizer:
    """Viterbi over the pieces, word by word, on text that is normalised already."""
    made = Tokenizer(models.Unigram([(piece, float(score)) for piece, score in zip(pieces, scores)], unk_id=unknown))
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE_MARK, prepend_scheme="always", split=True)
    return made


class UnigramTokenizer:
    def __init__(self, vocabulary: UnigramVocabulary):
        self.normalizer = Normalizer(vocabulary.rules)
        # Special pieces never match text: their scores are below any alternative, and unknown
        # characters stay the worst ones.
        scores = vocabulary.scores.copy()
        rarest = scores.min()
        scores[:5] = rarest
        names = [chr(0x10FFF0 + i) for i in range(5)]
        self.segmenter = segmenter([*names, *vocabulary.pieces[5:]], scores, UNKNOWN)

    def __call__(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """(ids, offsets in code points of the original text)"""
        normalised = self.normalizer.aligned(text)
        if not normalised.text:
            return [], []
        encoded = self.segmenter.encode(normalised.text.replace(SPACE_MARK, " "), add_special_tokens=False)
        offsets = []
        for start, end in encoded.offsets:
            offsets.append((normalised.starts[start], normalised.ends[end - 1]))
        return encoded.ids, offsets
