"""A word table in four bits, for networks whose table is most of the file.

Each block of 32 values of a row has one step (half precision); a value is (k − 7.5) · step with k
from 0 to 15, so there is no exact zero and both ends are used alike. A network that trains above a
table rounded so (`word_bits` in a run's config; the table itself is frozen) loses nothing by it.
"""

from __future__ import annotations

import numpy as np

BLOCK = 32
MIDDLE = 7.5


def four_bits(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(V, h) -> codes uint8 (V, h), 0 to 15, and steps float16 (V, h / BLOCK). A table that was rounded
    before gives the same codes and steps again."""
    blocks = table.astype(np.float32).reshape(len(table), -1, BLOCK)
    steps = np.maximum(np.abs(blocks).max(2) / MIDDLE, 1e-6).astype(np.float16)
    codes = np.clip(np.rint(blocks / steps[:, :, None].astype(np.float32) + MIDDLE), 0, 15)
    return codes.astype(np.uint8).reshape(table.shape), steps


def table_of(codes: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """What codes (V, h) and steps (V, h / BLOCK) stand for, float32 (V, h)."""
    blocks = (codes.reshape(len(codes), -1, BLOCK).astype(np.float32) - MIDDLE) * steps[:, :, None].astype(np.float32)
    return blocks.reshape(codes.shape)


def rounded(table: np.ndarray) -> np.ndarray:
    """The table that four bits keep, float32 (V, h)."""
    return table_of(*four_bits(table))
