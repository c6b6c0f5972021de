"""Reads a BERT-shaped network's weights out of an ONNX file that PyTorch exported.

The exporter keeps the names of biases, norms and embeddings. The weights of products lose theirs:
they are found by the node that multiplies by them, whose name is the module's, and are transposed
back to PyTorch's [out, in].
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


class OnnxWeightsError(Exception):
    """The file is not such an export; the message says what it lacks."""


def bert_weights(file: Path, layers: int) -> dict[str, np.ndarray]:
    """Tensors under the names of `transformers.BertModel`, float32.
    @throws OnnxWeightsError unless every layer is complete"""
    graph = onnx.load(str(file)).graph
    constants = {one.name: one for one in graph.initializer}
    found = {
        name: numpy_helper.to_array(one)
        for name, one in constants.items()
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids")
    }
    for node in graph.node:
        if node.op_type != "MatMul":
            continue
        for name in node.input:
            if name in constants and name not in found:
                module = node.name.strip("/").rpartition("/")[0].replace("/", ".")
                found[f"{module}.weight"] = numpy_helper.to_array(constants[name]).T.copy()
    if missing := expected(layers) - found.keys():
        raise OnnxWeightsError(f"{file.name} has no {sorted(missing)[0]} ({len(missing)} of {len(expected(layers))} tensors are missing).")
    return {name: found[name].astype(np.float32) for name in expected(layers)}


def expected(layers: int) -> set[str]:
    """Names of the tensors of a network with this many layers."""
    parts = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")
    tables = {f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")}
    modules = ["embeddings.LayerNorm", *(f"encoder.layer.{n}.{part}" for n in range(layers) for part in parts)]
    return tables | {f"{module}.{kind}" for module in modules for kind in ("weight", "bias")}
