"""An encoder's weights out of an int8 model folder: where a run starts whose checkpoint is gone. What
int8 rounded stays rounded.

    python encoder_weights.py --model ../models/verbatim-en --out work/encoder-shipped

An export keeps the dimensions of start, end and coherency that carry the scores (project.py). The
others are new: random for passages and zero for questions, so that scores start as they were. The
no-answer logit, which no export has, is 0; `no_answer_rate` in a run's config lets it find its place.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import numpy as np
import torch

from model import Shape, Verbatim, load_base, save
from project import Head
from reader_weights import Constants, layers
from text_base import base_folder, base_shape

HEADS = {"start": "start", "end": "end", "coherency": "coherency", "keep": "filter", "head_query": "ngram_query", "head_key": "ngram_key", "head_context": "term_context", "head_gate": "term_gate"}  # output of the graph -> layer


def passage_heads(graph: Constants) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Weight (out, hidden) and bias of each head, by its layer's name."""
    split = next(node for node in graph.nodes if node.name == "heads")
    add = graph.makers[split.input[0]]
    product = graph.makers[graph.makers[graph.makers[add.input[0]].input[0]].input[0]]
    edges = np.cumsum(graph.values[split.input[1]])[:-1]
    weights, biases = np.split(graph.product(product), edges), np.split(graph.values[add.input[1]], edges)
    heads = {HEADS[name]: (weight, bias) for name, weight, bias in zip(split.output, weights, biases)}
    query, width = heads["ngram_query"], math.sqrt(len(heads["ngram_query"][1]) / 4)  # the graph has start and end × 2 orders
    heads["ngram_query"] = query[0] * width, query[1] * width
    heads["term_gate"] = heads["term_gate"][0], heads["term_gate"][1] - 1
    return heads


def term_map(graph: Constants, term: int) -> np.ndarray:
    """W (term, hidden)."""
    made = {node.output[0]: node for node in graph.nodes}
    lexical = next(name for name in made[made["terms"].input[0]].input if name != "head_gate")
    product = made[made[made[made[lexical].input[0]].input[0]].input[0]]
    weight = graph.product(product)
    assert weight.shape[0] == term
    return weight


def term_bias(path: Path) -> float:
    graph = Constants(path)
    relu = graph.of("Relu")[0]
    return graph.values[graph.makers[relu.input[0]].input[1]].item()


def restored(folder: Path, base: str | None) -> Verbatim:
    """The network of a model folder, in the shape that is trained."""
    info = json.loads((folder / "model.json").read_text())
    model = load_base(base_shape(Shape(), base), base_folder(base))
    graph, head, state = Constants(folder / "encoder.onnx"), Head(folder, info), model.state_dict()

    def put(name: str, array: np.ndarray, at: int = 0) -> None:
        """Rows of a parameter from `at` on."""
        state[name][at : at + len(array)] = torch.from_numpy(np.array(array, np.float32))

    for name, array in layers(graph).items():
        put(name, array)
    for name, (weight, bias) in passage_heads(graph).items():
        halves = 2 if name == "coherency" else 1  # c1, then c2
        wide = len(state[f"{name}.bias"]) // halves
        for half, (w, b) in enumerate(zip(np.split(weight, halves), np.split(bias, halves))):
            put(f"{name}.weight", w, half * wide)
            put(f"{name}.bias", b, half * wide)
    put("term_map.weight", term_map(graph, info["term"]))
    state["question.weight"].zero_()
    state["question.bias"].zero_()
    dense, coherency = info["dense"], info["coherency"]
    for at, start, count in ((0, 0, dense), (model.shape.dense, dense, dense), (2 * model.shape.dense, 2 * dense, coherency)):
        put("question.weight", head.weight[start : start + count], at)
        put("question.bias", head.bias[start : start + count], at)
    put("term_gain", np.log(head.gains))
    state["term_bias"].fill_(term_bias(folder / "terms.onnx"))
    state["term_scale"].fill_(math.log(info["weights"]["terms"]))
    model.load_state_dict(state)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=Path, help="model folder")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--base", help="folder of the base, if it is not all-MiniLM-L6-v2")
    args = parser.parse_args()
    torch.manual_seed(1)
    model = restored(args.model, args.base)
    args.out.mkdir(parents=True, exist_ok=True)
    command = f"python encoder_weights.py --model {args.model} --out {args.out}"
    save(model, args.out / "model.pt", step=0, config={"purpose": f"{args.model.name} as it shipped, out of its int8 graphs", "base": args.base, "max_tokens": 256, "held_out": 0.05, "held_out_seed": 17, "seed": 17, "loss": {"bf16": True}, "command": command})


if __name__ == "__main__":
    main()
