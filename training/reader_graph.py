"""The reader as an ONNX graph, written node by node as the encoder's (graph.py).

`reader.onnx`   ids, kinds, mask int32 [B, T] -> start, end [B, T], answer [B], float32

`mask` is 1 for a token and 0 for padding. Logits outside of the passage are the caller's to leave out. The last product stays in float32 (3 rows
of weights), so that the bounds of the logits hold whatever int8 did before them: see `logit_bounds`.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

from graph import MICROSOFT, Graph, skip_norm

HEADS = "reader_heads"  # the node that quantisation leaves alone


def reader_graph(w: dict[str, np.ndarray], shape, int8_table: bool, smooth: dict[str, np.ndarray] | None = None) -> onnx.ModelProto:
    """`w`: the reader's state dict as numpy arrays. `smooth` as `encoder_graph` takes it."""
    g = Graph()

    def smoothed(x: str, name: str) -> tuple[str, np.ndarray]:
        """Input and weight (in, out) of a product."""
        weight = w[f"{name}.weight"].T
        if smooth is None or name not in smooth:
            return x, weight
        factor = smooth[name].astype(np.float32)
        return g.op("Mul", x, g.constant(1 / factor)), weight * factor[:, None]

    table = w["encoder.words.weight"]
    if int8_table:
        scale = np.maximum(np.abs(table).max(1, keepdims=True), 1e-8).astype(np.float32) / 127
        codes = np.clip(np.rint(table / scale), -127, 127).astype(np.int8)
        rows = g.op("Cast", g.op("Gather", g.constant(codes, "words"), "ids"), to=TensorProto.FLOAT)
        words = g.op("Mul", rows, g.op("Gather", g.constant(scale, "word_scales"), "ids"))
    else:
        words = g.op("Gather", g.constant(table, "words"), "ids")  # [B, T, h]
    length = g.op("Gather", g.op("Shape", "ids"), g.constant(np.array([1], np.int64)), axis=0)
    zero, one = g.constant(np.array([0], np.int64)), g.constant(np.array([1], np.int64))
    places = g.op("Slice", g.constant(w["encoder.places.weight"]), zero, length, zero)
    kinds = g.op("Gather", g.constant(w["kinds.weight"]), "kinds")
    whole = g.op("Add", g.op("Add", words, places), kinds)
    x = g.op("LayerNormalization", whole, g.constant(w["encoder.norm.weight"]), g.constant(w["encoder.norm.bias"]), axis=-1, epsilon=1e-12)
    for i in range(shape.layers):
        p = f"encoder.layers.{i}."
        given, weight = smoothed(x, p + "qkv")
        mixed = g.op("Attention", given, g.constant(weight), g.constant(w[p + "qkv.bias"]), "mask", domain=MICROSOFT, num_heads=shape.attention_heads)
        mixed = g.op("MatMul", mixed, g.constant(w[p + "out.weight"].T))
        x = skip_norm(g, mixed, x, w, p, "norm1", "out")
        given, weight = smoothed(x, p + "up")
        inner = g.op("BiasGelu", g.op("MatMul", given, g.constant(weight)), g.constant(w[p + "up.bias"]), domain=MICROSOFT)
        inner, weight = smoothed(inner, p + "down")
        x = skip_norm(g, g.op("MatMul", inner, g.constant(weight)), x, w, p, "norm2", "down")
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
    """What no start, end or answer logit of any input exceeds.

    The last layer ends with a normalisation: its row is γ ⊙ n + β with Σ n = 0 and |n|² ≤ h, so that
    w · (γ ⊙ n + β) + b = (w ⊙ γ) · n + w · β + b ≤ |w ⊙ γ − mean(w ⊙ γ)| √h + w · β + b      (Cauchy, Schwarz).
    """
    norm = f"encoder.layers.{shape.layers - 1}.norm2."
    gain, shift = w[norm + "weight"].astype(np.float64), w[norm + "bias"].astype(np.float64)
    bounds = {}
    for name, row, bias in (("start", w["span.weight"][0], w["span.bias"][0]), ("end", w["span.weight"][1], w["span.bias"][1]), ("answer", w["answer.weight"][0], w["answer.bias"][0])):
        scaled = row * gain
        bounds[name] = float(np.linalg.norm(scaled - scaled.mean()) * np.sqrt(len(gain)) + row @ shift + bias)
    return bounds
