"""Which files and items may be trained on, tuned on, or only measured on. Loaders call these
checks, so a run that would read what is reserved for measuring stops before its first step.

    reserved(id)            true for ids whose SHA-256 starts with 0, 1, 2 or 3
    require(path, use)      refuses a file whose name is not listed for that use
    allowed_parts(path, use)  the `split` values of a span set that the use may read; None means all of them
"""

from __future__ import annotations

import hashlib
from pathlib import Path

USES = ("train", "tune")
RESERVED_DIGITS = "0123"
# Sets in which the ids with RESERVED_DIGITS are for measuring only, in every part.
RESERVED_SETS = ("medquad", "qmsum", "faq", "contractnli", "policyqa")

ALL = None
# file stem -> use -> parts (the article's or item's `split`). A stem that is missing here is never read.
PARTS: dict[str, dict[str, tuple[str, ...] | None]] = {
    "train-v1.1": {"train": ALL, "tune": ALL},  # tuned on articles that are held out of training
    "qamr": {"train": ALL, "tune": ALL},  # likewise
    "cmrc2018-trial": {"train": ALL, "tune": ALL},  # likewise
    "piaf-fr": {"train": ALL, "tune": ALL},  # likewise
    "contractnli": {"train": ("dev",), "tune": ("test",)},
    "fairytaleqa": {"train": ("train",), "tune": ("val", "test")},
    "wikitablequestions": {"train": ("train",), "tune": ("unseen",)},
    "tatqa-text": {"train": ("dev",), "tune": ("test",)},
    "medquad": {"train": ALL},
    "qmsum": {"train": ("train",), "tune": ("val", "test")},
    "faq": {"train": ALL},
    "plain-other": {"train": ALL},
    "network-questions": {"train": ALL, "tune": ALL},  # written by write_questions.py; tuned on articles that are held out
    "nq-train-8757": {"train": ALL},
    "webquestions-train": {"train": ALL},
    "enwiki-2015": {"train": ALL},
    "simplewiki-2017": {"train": ALL},
    "zhwiki": {"train": ALL},
}


class ReservedData(Exception):
    """Training or tuning would read data that is reserved for measuring."""


def stem(path: str | Path) -> str:
    name = Path(path).name
    for suffix in (".xz", ".jsonl", ".json"):
        name = name.removesuffix(suffix)
    return name


def reserved(item: str) -> bool:
    return hashlib.sha256(item.encode()).hexdigest()[0] in RESERVED_DIGITS


def require(path: str | Path, use: str) -> None:
    """@throws ReservedData if the file is not listed for this use"""
    if use not in USES:
        raise ValueError(f"Unknown use {use!r}, expected one of {', '.join(USES)}")
    if use not in PARTS.get(stem(path), {}):
        raise ReservedData(f"{Path(path).name} is not listed for use: {use}. See data_rules.py and the data's README.")


def allowed_parts(path: str | Path, use: str) -> tuple[str, ...] | None:
    require(path, use)
    return PARTS[stem(path)][use]


def usable(path: str | Path, use: str, part: str | None, item: str) -> bool:
    """Whether one item of a file may be read for the use, by its part and its id."""
    parts = allowed_parts(path, use)
    if parts is not None and part not in parts:
        return False
    return not (stem(path) in RESERVED_SETS and reserved(item))


def check_items(path: str | Path, items: list[str]) -> None:
    """Last check before training on ids that come from a file. @throws ReservedData naming the
    first reserved id"""
    if stem(path) in RESERVED_SETS:
        for item in items:
            if reserved(item):
                raise ReservedData(f"{item} of {Path(path).name} is reserved for measuring (its SHA-256 starts with 0-3).")
