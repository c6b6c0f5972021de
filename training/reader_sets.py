"""The sets that a reader's config names -> (train, tune) paragraphs: span sets, written questions
in English, and those in other languages."""

from __future__ import annotations

from pathlib import Path

from data import Paragraph
from span_sets import train_and_tune
from text_base import base_of
from traditional import in_traditional_characters
from written import is_pairs, load_written
from written_multilingual import is_written_file, load_written_file

SUFFIX = "-traditional"  # of the name of a Chinese set that is read in traditional characters


def load_set(config: dict, path: str, data: Path, written: Path | None, cache: Path) -> tuple[list[Paragraph], list[Paragraph]]:
    """@param path  as in the config's `sets`"""
    base = base_of(config)
    if path == "written":
        return load_written(written, data, base)
    if is_written_file(path):
        return load_written_file(path, data, base)
    return train_and_tune(str(data / path), config["held_out"], config["held_out_seed"], cache, base)


def load_sets(config: dict, names: list[str], data: Path, written: Path | None, cache: Path) -> dict[str, tuple[list[Paragraph], list[Paragraph]]]:
    """name -> (train, tune), without those that are pairs; a set in `traditional` comes a second
    time, in traditional characters."""
    made = {}
    for name in names:
        path = config["sets"][name]
        if is_pairs(path):
            continue
        made[name] = load_set(config, path, data, written, cache)
        if name in config.get("traditional", []):
            made[name + SUFFIX] = tuple(in_traditional_characters(part, base_of(config)) for part in made[name])
    return made
