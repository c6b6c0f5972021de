"""Source tokens that never pool into term weights: punctuation and function words (they still count
as question terms).

Leaving them out halves the cost of the term weights, which are the most expensive part of indexing,
and loses nothing that the evaluation shows: their own term matches say little, and their context is
carried by the words beside them. docs/adr/0002.
"""

from __future__ import annotations

import unicodedata

import numpy as np

from text_base import Unigram, WordPiece
from unigram_file import SPECIALS
from unigram_text import SPACE_MARK

FUNCTION_WORDS = """a an the of and or but nor in on at to from by with for as into onto over under between among through during
before after above below up down out off about against is are was were be been being am has have had having do does did doing will would
shall should can could may might must it its he she him her his they them their theirs we us our you your i me my this that these those
there here which who whom whose what when where why how than then so such not no if because while although though until since also
s t d ll m re ve""".split()


FREQUENT = 7.8  # nats: a Unigram piece likelier than this is a function word or an ending of some language


def term_stop_list(vocabulary: list[str], costs: list[float] | None = None) -> list[int]:
    """@param costs  of Unigram pieces, in nats"""
    stop = []
    words = set(FUNCTION_WORDS) if costs is None else {f"{SPACE_MARK}{form}" for word in FUNCTION_WORDS for form in (word, word.capitalize())}
    for index, token in enumerate(vocabulary):
        if costs is not None and (index < len(SPECIALS) or (costs[index] < FREQUENT and not token[-1].isdigit())):
            stop.append(index)
            continue
        bare = token.removeprefix("##") if costs is None else token.removeprefix(SPACE_MARK)
        punctuation = bare != "" and all(unicodedata.category(c)[0] in "PSZC" for c in bare)
        if punctuation or token in words or (costs is None and token.startswith("[") and token.endswith("]")):
            stop.append(index)
    return stop


def stop_list_of(tokenizer: WordPiece | Unigram) -> list[int]:
    if isinstance(tokenizer, Unigram):
        return term_stop_list(tokenizer.pieces, (-tokenizer.vocabulary.scores).tolist())
    return term_stop_list(tokenizer.pieces)


def term_stop_mask(tokenizer: WordPiece | Unigram, size: int) -> np.ndarray:
    return np.isin(np.arange(size), stop_list_of(tokenizer))
