"""The question sets of a run: the entries of its config's `sets`.

    {"file": "zh/cmrc2018-trial.json", "name": "cmrc", "held_out": 0.05, "repeat": 3}

file       path in the data folder, or in this folder: the files of written_multilingual.py, which are
           known by their names, and those of entries with `written` or `made`
name       what logs, draws and other keys of the config call the set; default: the file's name up to its first dot
held_out   share of the articles that is not trained on (sets with a part for tuning keep that instead)
repeat     how often an epoch has the set
written    true: the file is one of check_written.py
made       true: write_questions.py made the file

Further keys belong to one network: `join` to the encoder (mixed_sets.py), `traditional` to the
reader (reader_sets.py), `style` to the question writer.
"""

from __future__ import annotations

from pathlib import Path

from data import Paragraph
from span_sets import train_and_tune
from text_base import base_of
from written import load_written
from written_multilingual import is_written_file, load_written_file

HERE = Path(__file__).parent
Parts = tuple[list[Paragraph], list[Paragraph]]  # paragraphs to train on, and held-out ones


def set_name(entry: dict) -> str:
    return entry.get("name") or Path(entry["file"]).name.split(".")[0]


def set_path(entry: dict, data: Path) -> Path:
    in_this_folder = entry.get("written") or entry.get("made") or is_written_file(entry["file"])
    return (HERE if in_this_folder else data) / entry["file"]


def set_entries(config: dict, names: list[str] | None = None) -> list[dict]:
    """All sets of the config, or those with the given names, in the config's order.

    @throws SystemExit if no set has one of the names
    """
    entries = config["sets"]
    known = [set_name(entry) for entry in entries]
    if unknown := sorted(set(names or ()) - set(known)):
        raise SystemExit(f"The config has no set {', '.join(unknown)}. Its sets are {', '.join(known)}.")
    return [entry for entry, name in zip(entries, known) if names is None or name in names]


def load_set(entry: dict, config: dict, data: Path, *, cache: Path | None = None) -> Parts:
    """The set's whole paragraphs with all their questions.

    @param cache  folder in which tokenised span sets are kept
    """
    base, path = base_of(config), set_path(entry, data)
    if is_written_file(entry["file"]):
        return load_written_file(entry["file"], data, base)
    if entry.get("written"):
        return load_written(path, data, base)
    return train_and_tune(str(path), entry.get("held_out", 0.0), config["held_out_seed"], cache, base)
