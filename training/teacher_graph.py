"""The teacher as an ONNX graph, for labelling: int8 products read faster than PyTorch does.

`teacher.onnx`   ids, mask int32 [B, T] -> start, end [B, T], answer [B], float32

Ids are those of BERT: the word table is permuted when the graph is written. T is at most
MAX_LENGTH, because the relative position bias is stored written out, one [heads, MAX_LENGTH,
MAX_LENGTH] table for all layers. The last product stays in float32.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

from graph import MICROSOFT, Graph, save_graph
from teacher_model import Teacher

MAX_LENGTH = 400
HEADS = "teacher_heads"  # the node that quantisation leaves alone
FIRST_POSITION = 2  # MPNet counts positions from its padding id on


def position_bias(teacher: Teacher) -> np.ndarray:
    """(1, heads, MAX_LENGTH, MAX_LENGTH): what each layer adds to its attention logits."""
    with torch.no_grad():
        return teacher.mpnet.encoder.compute_position_bias(torch.zeros(1, MAX_LENGTH, 1)).numpy()


def teacher_graph(teacher: Teacher) -> onnx.ModelProto:
    config = teacher.mpnet.config
    w = {name: value.detach().float().numpy() for name, value in teacher.state_dict().items()}
    g = Graph()

    def norm(x: str, skip: str, name: str, bias: np.ndarray) -> str:
        scale, shift = g.constant(w[f"{name}.weight"]), g.constant(w[f"{name}.bias"])
        return g.op("SkipLayerNormalization", x, skip, scale, shift, g.constant(bias), domain=MICROSOFT, epsilon=config.layer_norm_eps)

    zero, one, two = (g.constant(np.array([n], np.int64)) for n in (0, 1, 2))
    three, axis = g.constant(np.array([3], np.int64)), g.constant(np.array([2, 3], np.int64))
    length = g.op("Gather", g.op("Shape", "ids"), one, axis=0)
    table = w["mpnet.embeddings.word_embeddings.weight"][teacher.translation.numpy()]
    words = g.op("Gather", g.constant(table, "words"), "ids")
    positions = w["mpnet.embeddings.position_embeddings.weight"][FIRST_POSITION : FIRST_POSITION + MAX_LENGTH]
    rows = g.op("Add", words, g.op("Slice", g.constant(positions), zero, length, zero))
    first = "mpnet.embeddings.LayerNorm."
    x = g.op("LayerNormalization", rows, g.constant(w[first + "weight"]), g.constant(w[first + "bias"]), axis=-1, epsilon=config.layer_norm_eps)
    square = g.op("Concat", length, length, axis=0)
    bias = g.op("Slice", g.constant(position_bias(teacher), "position_bias"), g.constant(np.array([0, 0], np.int64)), square, axis)
    hidden = config.hidden_size
    for i in range(config.num_hidden_layers):
        p = f"mpnet.encoder.layer.{i}."
        q, k, v, o = (f"{p}attention.attn.{name}." for name in "qkvo")
        together = g.linear(x, np.concatenate([w[n + "weight"] for n in (q, k, v)]), np.concatenate([w[n + "bias"] for n in (q, k, v)]))
        parts = [f"layer{i}_{name}" for name in ("query", "key", "value")]
        g.nodes.append(helper.make_node("Split", [together, g.constant(np.array([hidden] * 3, np.int64))], parts, name=f"layer{i}_split", axis=2))
        mixed = g.op("MultiHeadAttention", *parts, "", "mask", bias, domain=MICROSOFT, num_heads=config.num_attention_heads)
        x = norm(g.op("MatMul", mixed, g.constant(w[o + "weight"].T)), x, p + "attention.LayerNorm", w[o + "bias"])
        inner = g.op("MatMul", x, g.constant(w[p + "intermediate.dense.weight"].T))
        inner = g.op("BiasGelu", inner, g.constant(w[p + "intermediate.dense.bias"]), domain=MICROSOFT)
        x = norm(g.op("MatMul", inner, g.constant(w[p + "output.dense.weight"].T)), x, p + "output.LayerNorm", w[p + "output.dense.bias"])
    heads = np.concatenate([w["span.weight"], w["answer.weight"]])  # start, end, answer
    g.nodes.append(helper.make_node("MatMul", [x, g.constant(heads.T)], ["products"], name=HEADS))
    logits = g.op("Add", "products", g.constant(np.concatenate([w["span.bias"], w["answer.bias"]])))
    g.op("Squeeze", g.op("Slice", logits, zero, one, two), two, output="start")
    g.op("Squeeze", g.op("Slice", logits, one, two, two), two, output="end")
    row = g.op("Slice", g.op("Slice", logits, two, three, two), zero, one, one)
    g.op("Squeeze", row, g.constant(np.array([1, 2], np.int64)), output="answer")
    f = TensorProto.FLOAT
    return g.model(
        [helper.make_tensor_value_info(name, TensorProto.INT32, ["B", "T"]) for name in ("ids", "mask")],
        [
            helper.make_tensor_value_info("start", f, ["B", "T"]),
            helper.make_tensor_value_info("end", f, ["B", "T"]),
            helper.make_tensor_value_info("answer", f, ["B"]),
        ],
    )


def write_teacher(teacher: Teacher, path: Path, int8: bool) -> None:
    save_graph(teacher_graph(teacher), path, int8, leave=(HEADS,))


def open_teacher(path: Path, threads: int):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # other processes share the cores
    return onnxruntime.InferenceSession(str(path), options)


def read_with(session, ids: torch.Tensor, mask: torch.Tensor) -> list[np.ndarray]:
    """start, end (B, T), answer (B,)"""
    return session.run(["start", "end", "answer"], {"ids": ids.numpy().astype(np.int32), "mask": mask.numpy().astype(np.int32)})
