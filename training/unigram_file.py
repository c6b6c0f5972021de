"""The vocabulary file of a Unigram model folder, `vocab.unigram`: pieces with costs, and the rules of
normalisation. docs/model-format.md specifies it; src/text/unigram/file.ts reads it.

    "VUGM", u32 version, u32 pieces, u32 rules, u32 bytes of piece tails, of rule tails, of targets
    u16 costs[pieces]; u8 shared[pieces]; u8 tail[pieces]; UTF-8 tails
    u8 shared[rules]; u8 tail[rules]; u8 target[rules]; UTF-8 tails; UTF-8 targets

The first five pieces are the special ones, all others are sorted by code point and front-coded: a
piece is the first `shared` UTF-16 units of the one before it and `tail` units of its own. A cost is
−2048 · log probability, rounded. Sums of costs are exact in any order, so every implementation finds
the same segmentation.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MAGIC = b"VUGM"
VERSION = 1
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")
PAD, UNKNOWN, CLS, SEP, MASK = range(5)
COSTS_PER_NAT = 2048


@dataclass
class UnigramVocabulary:
    pieces: list[str]
    """The five specials, then sorted by code point."""
    costs: np.ndarray
    """uint16 [pieces]; 0 for specials"""
    rules: dict[str, str]
    """Sequences of one to three characters and what they normalise to."""

    @property
    def scores(self) -> np.ndarray:
        return -self.costs.astype(np.float64) / COSTS_PER_NAT


def cost_of(score: float) -> int:
    return min(0xFFFF, max(0, round(-score * COSTS_PER_NAT)))


def units(text: str) -> int:
    """UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def shared_prefix(a: str, b: str) -> int:
    """Code points at the start that both have."""
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


def front_code(strings: list[str]) -> tuple[bytes, bytes, bytes]:
    """(shared lengths, tail lengths, tails)"""
    shared, lengths, tails = bytearray(), bytearray(), []
    before = ""
    for string in strings:
        same = shared_prefix(before, string)
        shared.append(units(string[:same]))
        lengths.append(units(string[same:]))
        tails.append(string[same:])
        before = string
    return bytes(shared), bytes(lengths), "".join(tails).encode()


def front_decode(shared: bytes, lengths: bytes, tails: bytes) -> list[str]:
    rest = tails.decode().encode("utf-16-le")
    strings: list[str] = []
    before, at = b"", 0
    for same, length in zip(shared, lengths):
        before = before[: 2 * same] + rest[at : at + 2 * length]
        at += 2 * length
        strings.append(before.decode("utf-16-le"))
    return strings


def encode_vocabulary(vocabulary: UnigramVocabulary) -> bytes:
    pieces, rules = vocabulary.pieces, sorted(vocabulary.rules.items())
    if tuple(pieces[:5]) != SPECIALS or pieces[5:] != sorted(set(pieces[5:])):
        raise ValueError("Pieces must be the five specials, then sorted by code point without repetition.")
    shared, lengths, tails = front_code(pieces)
    rule_shared, rule_lengths, rule_tails = front_code([source for source, _ in rules])
    targets = "".join(target for _, target in rules).encode()
    return b"".join(
        (
            MAGIC,
            struct.pack("<6I", VERSION, len(pieces), len(rules), len(tails), len(rule_tails), len(targets)),
            vocabulary.costs.astype("<u2").tobytes(),
            shared,
            lengths,
            tails,
            rule_shared,
            rule_lengths,
            bytes(units(target) for _, target in rules),
            rule_tails,
            targets,
        )
    )


def decode_vocabulary(data: bytes) -> UnigramVocabulary:
    if data[:4] != MAGIC:
        raise ValueError("Not a Unigram vocabulary: it does not begin with VUGM.")
    version, count, rules, tail_bytes, rule_tail_bytes, target_bytes = struct.unpack_from("<6I", data, 4)
    if version != VERSION:
        raise ValueError(f"The Unigram vocabulary has version {version}, expected {VERSION}.")
    at = 28

    def take(size: int) -> bytes:
        nonlocal at
        at += size
        return data[at - size : at]

    costs = np.frombuffer(take(2 * count), "<u2").copy()
    pieces = front_decode(take(count), take(count), take(tail_bytes))
    shared, lengths, target_lengths = take(rules), take(rules), take(rules)
    sources = front_decode(shared, lengths, take(rule_tail_bytes))
    targets = take(target_bytes).decode().encode("utf-16-le")
    table: dict[str, str] = {}
    start = 0
    for source, length in zip(sources, target_lengths):
        table[source] = targets[start : start + 2 * length].decode("utf-16-le")
        start += 2 * length
    return UnigramVocabulary(pieces, costs, table)


def write_vocabulary(path: Path, vocabulary: UnigramVocabulary) -> None:
    path.write_bytes(encode_vocabulary(vocabulary))


def read_vocabulary(path: Path) -> UnigramVocabulary:
    return decode_vocabulary(path.read_bytes())
