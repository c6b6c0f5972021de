"""Divides a vocabulary's terms by script, so that indexing computes only the weights of scripts that a passage has.

    python term_groups.py --model ../models/verbatim-multi      # rewrites terms.onnx and model.json in place
"""

from __future__ import annotations

import argparse
import json
import unicodedata
from itertools import groupby
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from graph import terms_graph
from model_hash import file_facts, passage_hash
from unigram_file import read_vocabulary

# Shorter runs of one script are computed for every passage: a product over few terms gains nothing.
MIN_RUN = 48
ALWAYS = -1
# The first words of a character's Unicode name, and what its script is called here. Japanese is written in three.
SCRIPTS = {
    "LATIN": "latin",
    "CYRILLIC": "cyrillic",
    "ARABIC": "arabic",
    "HANGUL": "hangul",
    "CJK": "han-kana",
    "HIRAGANA": "han-kana",
    "KATAKANA": "han-kana",
}


def script_of(piece: str) -> str | None:
    """The script of a piece's first letter, if it is one of SCRIPTS."""
    letter = next((c for c in piece if c.isalpha()), None)
    return None if letter is None else SCRIPTS.get(unicodedata.name(letter, "").split(" ")[0])


def term_groups(pieces: list[str]) -> dict:
    """{"scripts": names, "runs": [[first id, index of the script or ALWAYS]]}; runs cover all ids in order."""
    runs: list[tuple[int, str | None]] = []
    for script, run in groupby(enumerate(map(script_of, pieces)), key=lambda one: one[1]):
        ids = [at for at, _ in run]
        known = script if len(ids) >= MIN_RUN else None
        if not runs or runs[-1][1] != known:
            runs.append((ids[0], known))
    names = sorted({script for _, script in runs if script is not None})
    return {"scripts": names, "runs": [[at, ALWAYS if script is None else names.index(script)] for at, script in runs]}


def table_of(graph: onnx.ModelProto) -> tuple[np.ndarray, float]:
    """(vectors of all terms (V, dt), bias) of an int8 terms.onnx without groups."""
    constants = {one.name: numpy_helper.to_array(one) for one in graph.graph.initializer}
    products = [n for n in graph.graph.node if n.op_type == "MatMulInteger"]
    codes = np.concatenate([constants[n.input[1]].T for n in products])
    scales = np.concatenate([constants[n.input[1]] for n in graph.graph.node if n.op_type == "Mul" and n.input[1] in constants])
    bias = next(constants[n.input[1]] for n in graph.graph.node if n.op_type == "Add" and n.input[1] in constants)
    return codes.astype(np.float32) * scales[:, None], float(bias.reshape(-1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="folder of a model whose terms are not divided yet")
    folder: Path = parser.parse_args().model
    info = json.loads((folder / "model.json").read_text())
    if "termGroups" in info:
        raise SystemExit(f"The terms of {folder} are divided already.")
    groups = term_groups(read_vocabulary(folder / "vocab.unigram").pieces)
    table, bias = table_of(onnx.load(str(folder / "terms.onnx")))
    onnx.save(terms_graph(table, bias, int8=True, groups=groups), str(folder / "terms.onnx"))
    info["termGroups"] = groups
    info["files"]["terms.onnx"] = file_facts(folder / "terms.onnx")
    info["passageModelHash"] = passage_hash(info)
    (folder / "model.json").write_text(json.dumps(info, indent=1, ensure_ascii=False) + "\n")
    sizes = {name: 0 for name in [*groups["scripts"], "always"]}
    for (start, group), (end, _) in zip(groups["runs"], [*groups["runs"][1:], [len(table), 0]]):
        sizes["always" if group == ALWAYS else groups["scripts"][group]] += end - start
    print(json.dumps(sizes))


if __name__ == "__main__":
    main()
