"""The reader as an ONNX graph, written node by node like the encoder's (graph.py).

`reader.onnx`   ids, kinds, mask int32 [B, T] -> start, end [B, T], answer [B], float32

`mask` is 1 for a token and 0 for padding. The caller ignores logits outside the passage. The last
product stays in float32 (3 rows of weights), so that the bounds of the logits hold whatever int8
did before them: see `logit_bounds`.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

from graph import Graph, embeddings, layers

HEADS = "reader_heads"  # the node that quantisation leaves alone


def reader_graph(w: dict[str, np.ndarray], shape, table_bits: int, smooth: dict[str, np.ndarray] | None = None, row_steps: bool = False) -> onnx.ModelProto:
    """`w`: the reader's state dict as numpy arrays. `table_bits` as `embeddings`
    takes it, `smooth` and `row_steps` as `layers` does."""
    g = Graph()
    words, places, zero, one = embeddings(g, w, table_bits)
    kinds = g.op("Gather", g.constant(w["kinds.weight"]), "kinds")
    x = layers(g, g.op("Add", g.op("Add", words, places), kinds), w, shape, smooth, "mask", row_steps=row_steps)
    heads = np.concatenate([w["span.weight"], w["answer.weight"]]).astype(np.float32)  # start, end, answer
    biases = np.concatenate([w["span.bias"], w["answer.bias"]]).astype(np.float32)
    g.nodes.append(helper.make_node("MatMul", [x, g.constant(heads.T)], ["products"], name=HEADS))
    logits = g.op("Add", "products", g.constant(biases))
    axis = g.constant(np.array([2], np.int64))
    g.nodes.append(helper.make_node("Split", [logits], ["start3", "end3", "answer3"], name="kinds_of_logits", axis=2))
    g.op("Squeeze", "start3", axis, output="start")
    g.op("Squeeze", "end3", axis, output="end")
    g.op("Squeeze", g.op("Slice", "answer3", zero, one, one), g.constant(np.array([1, 2], np.int64)), output="answer")
    i32, f = TensorProto.INT32, TensorProto.FLOAT
    return g.model(
        [helper.make_tensor_value_info(name, i32, ["B", "T"]) for name in ("ids", "kinds", "mask")],
        [
            helper.make_tensor_value_info("start", f, ["B", "T"]),
            helper.make_tensor_value_info("end", f, ["B", "T"]),
            helper.make_tensor_value_info("answer", f, ["B"]),
        ],
    )


def logit_bounds(w: dict[str, np.ndarray], shape) -> dict[str, float]:
    """Upper bounds on the start, end and answer logits over all inputs.

    The last layer ends with a normalisation: its row is γ ⊙ n + β with Σ n = 0 and |n|² ≤ h, so
    that w · (γ ⊙ n + β) + b = (w ⊙ γ) · n + w · β + b ≤ |w ⊙ γ − mean(w ⊙ γ)| √h + w · β + b
    (Cauchy–Schwarz).
    """
    norm = f"encoder.layers.{shape.layers - 1}.norm2."
    gain, shift = w[norm + "weight"].astype(np.float64), w[norm + "bias"].astype(np.float64)
    bounds = {}
    for name, row, bias in (("start", w["span.weight"][0], w["span.bias"][0]), ("end", w["span.weight"][1], w["span.bias"][1]), ("answer", w["answer.weight"][0], w["answer.bias"][0])):
        scaled = row * gain
        bounds[name] = float(np.linalg.norm(scaled - scaled.mean()) * np.sqrt(len(gain)) + row @ shift + bias)
    return bounds
