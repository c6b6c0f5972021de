"""The sets that a reader is trained on (question_sets.py), read whole. Those that are pairs of a question
and a passage are loaded by written.load_pairs.

An entry with `"traditional": true` is a Chinese set that is read a second time, in traditional
characters, as a set of its own: <name>-traditional.
"""

from __future__ import annotations

from pathlib import Path

from question_sets import Parts, load_set, set_entries, set_name
from text_base import base_of
from traditional import in_traditional_characters
from written import is_pairs


def traditional_name(name: str) -> str:
    return f"{name}-traditional"


def set_repeats(config: dict) -> dict[str, int]:
    """How often an epoch has each set, by name; a set in traditional characters as often as the one it is made from."""
    repeats = {}
    for entry in config["sets"]:
        name = set_name(entry)
        repeats[name] = repeats[traditional_name(name)] = entry.get("repeat", 1)
    return repeats


def load_reader_sets(config: dict, data: Path, *, cache: Path, names: list[str] | None = None) -> dict[str, Parts]:
    """name -> (train, tune) of the config's sets, or of those with the given names, without pairs."""
    made: dict[str, Parts] = {}
    for entry in set_entries(config, names):
        if is_pairs(entry["file"]):
            continue
        name = set_name(entry)
        made[name] = load_set(entry, config, data, cache=cache)
        if entry.get("traditional"):
            train, tune = (in_traditional_characters(part, base_of(config)) for part in made[name])
            made[traditional_name(name)] = train, tune
    return made
