"""The base model that a run starts from, by its config's `base`: a folder with weights and a
vocabulary, or nothing for all-MiniLM-L6-v2.

A folder with a `vocab.unigram` (vocabulary.py) is tokenised with Unigram, any other one with
WordPiece. Both tokenizers have `encode`, whose result has ids and offsets in code points, and the
ids of their special pieces.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from tokenizers import Encoding, Tokenizer

from base import BaseError, minilm
from model import Shape
from unigram_file import CLS, PAD, SEP, encode_vocabulary, read_vocabulary
from unigram_text import Encoded, UnigramTokenizer

UNIGRAM_FILE = "vocab.unigram"


class WordPiece:
    """BERT's tokenizer."""

    vocabulary_file = "vocab.txt"

    def __init__(self, tokenizer: Tokenizer, pieces: list[str]):
        self.tokenizer, self.pieces = tokenizer, pieces
        self.cls, self.sep = pieces.index("[CLS]"), pieces.index("[SEP]")
        self.specials = (pieces.index("[PAD]"), self.cls, self.sep)

    @staticmethod
    def of_folder(folder: Path) -> WordPiece:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return WordPiece(tokenizer, (folder / WordPiece.vocabulary_file).read_text(encoding="utf-8").rstrip("\n").split("\n"))

    def vocabulary_bytes(self) -> bytes:
        """The vocabulary file of a model folder."""
        return ("\n".join(self.pieces) + "\n").encode()

    def encode(self, text: str, add_special_tokens: bool = True) -> Encoding:
        return self.tokenizer.encode(text, add_special_tokens=add_special_tokens)

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids)


class Unigram:
    """The multilingual tokenizer. Its pieces keep the case of letters."""

    cls, sep, specials = CLS, SEP, (PAD, CLS, SEP)
    vocabulary_file = UNIGRAM_FILE

    def __init__(self, folder: Path):
        self.vocabulary = read_vocabulary(folder / UNIGRAM_FILE)
        self.tokenizer = UnigramTokenizer(self.vocabulary)
        self.pieces = self.vocabulary.pieces

    def vocabulary_bytes(self) -> bytes:
        return encode_vocabulary(self.vocabulary)

    def encode(self, text: str, add_special_tokens: bool = True) -> Encoded:
        ids, offsets = self.tokenizer(text)
        if add_special_tokens:
            return Encoded([CLS, *ids, SEP], [(0, 0), *offsets, (0, 0)])
        return Encoded(ids, offsets)


def base_folder(base: str | None = None) -> Path:
    """@throws SystemExit if the folder, or the package of all-MiniLM-L6-v2, is missing"""
    if base is None:
        try:
            return minilm()
        except BaseError as error:
            raise SystemExit(str(error)) from error
    if not (Path(base) / "model.safetensors").exists():
        raise SystemExit(f"{base} has no model.safetensors. training/README.md says how to make the multilingual base.")
    return Path(base)


@cache
def load_tokenizer(base: str | None = None) -> WordPiece | Unigram:
    folder = base_folder(base)
    return Unigram(folder) if (folder / UNIGRAM_FILE).exists() else WordPiece.of_folder(folder)


def base_of(config: dict) -> str | None:
    """The base that a run's config names; a config without one, or with `false` for random
    weights, uses the vocabulary of all-MiniLM-L6-v2."""
    return config.get("base") or None


def base_shape(shape: Shape, base: str | None) -> Shape:
    """The shape with the base's layers, vocabulary and special ids."""
    if base is None:
        return shape
    size = json.loads((base_folder(base) / "config.json").read_text())
    return replace(shape, vocabulary=size["vocab_size"], layers=size["num_hidden_layers"], specials=load_tokenizer(base).specials)
