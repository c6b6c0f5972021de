"""A cache of tokenised question sets, because tokenising one takes up to a minute."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from held_out_documents import DEVELOPMENT
from text_base import load_tokenizer

HERE = Path(__file__).parent
# Files that decide which items a loader reads.
RULES = (HERE / "data_rules.py", HERE / "held_out_documents.py", HERE / "draw_passages.py", DEVELOPMENT)

T = TypeVar("T")


def cache_key(path: Path, base: str | None, options: dict) -> str:
    """Changes with the set's file, the rules on what may be read, the tokenizer's vocabulary, and the
    loader's options.

    @param base  as text_base.load_tokenizer takes it
    @param options  JSON values: whatever else changes what the loader returns
    """
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (path, *RULES)]
    vocabulary = hashlib.sha256(load_tokenizer(base).vocabulary_bytes()).hexdigest()
    stamp = json.dumps([path.name, hashes, base, vocabulary, options], sort_keys=True)
    return hashlib.sha256(stamp.encode()).hexdigest()[:16]


def cached(file: Path, make: Callable[[], T]) -> T:
    """What the file holds, or else what `make` returns, which is then written to it."""
    if file.exists():
        return pickle.loads(file.read_bytes())
    made = make()
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".tmp")
    partial.write_bytes(pickle.dumps(made))
    os.replace(partial, file)
    return made
