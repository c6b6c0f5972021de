"""A reader's weights out of an int8 graph: where a run starts whose checkpoint is gone. What int8
rounded stays rounded. From an encoder's graph come the layers; the heads are new.

    python reader_weights.py --graph ../models/verbatim-reader-en/reader.onnx --out work/reader-shipped
    python reader_weights.py --graph ../models/verbatim-multi/encoder.onnx --base work/multi-base --out work/multi-layers
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from model import Shape, save
from reader import Reader, load_reader_base
from text_base import base_shape
from word_table import table_of


class Constants:
    """Constants of a graph, and its nodes in order."""

    def __init__(self, path: Path):
        graph = onnx.load(str(path)).graph
        self.values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        self.nodes = list(graph.node)
        self.makers = {name: node for node in self.nodes for name in node.output}
        self.users = {name: node for node in self.nodes for name in node.input}

    def product(self, node: onnx.NodeProto) -> np.ndarray:
        """Weight (out, in) of an int8 product, without the factors that smoothing moved into it."""
        name = node.input[1].removesuffix("_quantized")
        codes, zero = self.values[f"{name}_quantized"].astype(np.float32), self.values[f"{name}_zero_point"].astype(np.float32)
        weight = (codes - zero) * self.values[f"{name}_scale"]
        given = self.makers[self.makers[node.input[0]].input[0]]  # what made the input of DynamicQuantizeLinear
        if given.op_type == "Div":  # by the row's largest magnitude
            given = self.makers[given.input[0]]
        if given.op_type == "Mul" and given.input[1] in self.values:
            weight = weight * self.values[given.input[1]][:, None]
        return weight.T

    def norm(self, node: onnx.NodeProto) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(gain, shift, bias of the product before it) of a normalisation as `graph.skip_norm` writes it."""
        scaled = self.users[node.output[0]]
        shifted = self.users[scaled.output[0]]
        biased = self.makers[self.makers[node.input[0]].input[0]]
        return self.values[scaled.input[1]], self.values[shifted.input[1]], self.values[biased.input[1]]

    def of(self, kind: str) -> list[onnx.NodeProto]:
        return [node for node in self.nodes if node.op_type == kind]


def word_table(codes: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """The table of `graph.embeddings`, float32 (V, h), from 8 bits or from 4."""
    if codes.dtype == np.int8:
        return codes.astype(np.float32) * scales
    unpacked = np.concatenate([codes & 15, codes >> 4], axis=1)
    return table_of(unpacked, scales[:, :, 0])


def layers(graph: Constants) -> dict[str, np.ndarray]:
    """Embeddings and layers, in the names of reader.py."""
    value = graph.values
    found = {"encoder.words.weight": word_table(value["words"], value["word_scales"])}
    found["encoder.places.weight"] = next(value[node.input[0]] for node in graph.of("Slice") if node.input[0] in value)
    norm = graph.of("LayerNormalization")[0]
    found["encoder.norm.weight"], found["encoder.norm.bias"] = value[norm.input[1]], value[norm.input[2]]
    norms = [graph.norm(node) for node in graph.of("MeanVarianceNormalization")]
    up_biases = [value[graph.makers[node.input[0]].input[1]] for node in graph.of("Gelu")]
    hidden, inner = len(value[norm.input[1]]), len(up_biases[0])
    shapes = ((hidden, hidden), (hidden, inner), (inner, hidden))  # of a layer's products; an encoder has others for its heads
    products = [node for node in graph.of("MatMulInteger") if value[node.input[1]].shape in shapes]
    for i, attention in enumerate(graph.of("QAttention")):
        p = f"encoder.layers.{i}."
        found[p + "qkv.weight"], found[p + "qkv.bias"] = graph.product(attention), value[attention.input[2]]
        for name, node in zip(("out", "up", "down"), products[3 * i : 3 * i + 3]):
            found[f"{p}{name}.weight"] = graph.product(node)
        found[p + "up.bias"] = up_biases[i]
        for name, product, constants in (("norm1", "out", norms[2 * i]), ("norm2", "down", norms[2 * i + 1])):
            found[f"{p}{name}.weight"], found[f"{p}{name}.bias"], found[f"{p}{product}.bias"] = constants
    return found


def weights(path: Path) -> dict[str, np.ndarray]:
    """The reader's state dict, in the names of reader.py."""
    graph = Constants(path)
    value, found = graph.values, layers(graph)
    found["kinds.weight"] = next(value[node.input[0]] for node in graph.of("Gather") if node.input[1] == "kinds")
    heads = next(node for node in graph.of("MatMul") if node.output[0] == "products")
    bias = next(value[node.input[1]] for node in graph.of("Add") if node.input[0] == "products")
    rows = value[heads.input[1]].T
    found["span.weight"], found["answer.weight"] = rows[:2], rows[2:]
    found["span.bias"], found["answer.bias"] = bias[:2], bias[2:]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--base", help="folder of the base, if it is not all-MiniLM-L6-v2")
    args = parser.parse_args()
    reader = load_reader_base(base_shape(Shape(), args.base), args.base)
    found = layers(Constants(args.graph)) if args.graph.name == "encoder.onnx" else weights(args.graph)
    missing, unknown = reader.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in found.items()}, strict=False)
    if unknown or any(name.startswith("encoder.") for name in missing):
        raise SystemExit(f"{args.graph} is not a graph of this shape: missing {missing}, unknown {unknown}.")
    args.out.mkdir(parents=True, exist_ok=True)
    training = json.loads((args.graph.parent / "model.json").read_text())["training"]
    earlier = {name: training[key] for name, key in (("runs", "runs"), ("taught_by", "taughtBy")) if key in training}
    command = f"python reader_weights.py --graph {args.graph} --out {args.out}"
    config = {"purpose": f"the weights of {args.graph.parent.name} that shipped, out of its int8 graph", "base": args.base, "command": command, **earlier}
    save(reader, args.out / "model.pt", step=0, config=config)


if __name__ == "__main__":
    main()
