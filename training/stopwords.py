"""Source tokens that never pool into term weights: punctuation and function words (they still count
as question terms).

Leaving them out halves the cost of the term weights, which are the most expensive part of indexing,
and loses nothing that the evaluation shows: their own term matches say little, and their context is
carried by the words beside them. docs/adr/0002.
"""

from __future__ import annotations

import unicodedata

import torch

from data import base_folder

FUNCTION_WORDS = """a an the of and or but nor in on at to from by with for as into onto over under between among through during
before after above below up down out off about against is are was were be been being am has have had having do does did doing will would
shall should can could may might must it its he she him her his they them their theirs we us our you your i me my this that these those
there here which who whom whose what when where why how than then so such not no if because while although though until since also
s t d ll m re ve""".split()


def term_stop_list(vocabulary: list[str]) -> list[int]:
    stop = []
    words = set(FUNCTION_WORDS)
    for index, token in enumerate(vocabulary):
        bare = token.removeprefix("##")
        punctuation = bare != "" and all(unicodedata.category(c)[0] in "PSZC" for c in bare)
        if punctuation or token in words or (token.startswith("[") and token.endswith("]")):
            stop.append(index)
    return stop


def term_stop_mask(size: int) -> torch.Tensor:
    vocabulary = (base_folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")[:size]
    mask = torch.zeros(size, dtype=torch.bool)
    mask[torch.tensor(term_stop_list(vocabulary))] = True
    return mask
