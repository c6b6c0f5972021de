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
from smooth import factors
from teacher_data import Row, tensors
from teacher_model import Teacher

MAX_LENGTH = 400
HEADS = "teacher_heads"  # the node that quantisation leaves alone
FIRST_POSITION = 2  # MPNet counts positions from its padding id on


def position_bias(teacher: Teacher) -> np.ndarray:
    """(1, heads, MAX_LENGTH, MAX_LENGTH): what each layer adds to its attention logits."""
    with torch.no_grad():
        return teacher.mpnet.encoder.compute_position_bias(torch.zeros(1, MAX_LENGTH, 1)).numpy()


def products(teacher: Teacher) -> dict[str, list[torch.nn.Linear]]:
    """Name -> the linear maps that share one input; the name is that of the input in the graph."""
    found = {}
    for i, layer in enumerate(teacher.mpnet.encoder.layer):
        attention = layer.attention.attn
        found[f"{i}.qkv"] = [attention.q, attention.k, attention.v]
        found[f"{i}.out"] = [attention.o]
        found[f"{i}.up"] = [layer.intermediate.dense]
        found[f"{i}.down"] = [layer.output.dense]
    return found


@torch.no_grad()
def teacher_smoothing(teacher: Teacher, rows: list[Row], alpha: float) -> dict[str, np.ndarray]:
    """Factors that move outliers of a product's input into its weights (smooth.py), measured on
    some rows. MPNet needs them: without them int8 changes half of the best spans."""
    largest: dict[str, torch.Tensor] = {}
    handles = []
    for name, maps in products(teacher).items():

        def look(_, inputs, name=name):
            seen = inputs[0].abs().flatten(0, -2).amax(0)
            largest[name] = torch.maximum(largest[name], seen) if name in largest else seen

        handles.append(maps[0].register_forward_pre_hook(look))
    for row in rows:
        teacher(*tensors([row])[:2])
    for handle in handles:
        handle.remove()
    weights = {name: torch.cat([m.weight for m in maps]).abs().amax(0).numpy() for name, maps in products(teacher).items()}
    return {name: factors(seen.numpy(), weights[name], alpha) for name, seen in largest.items()}


def teacher_graph(teacher: Teacher, smooth: dict[str, np.ndarray] | None = None) -> onnx.ModelProto:
    """@param smooth  factors by the names of `products`"""
    config = teacher.mpnet.config
    w = {name: value.detach().float().numpy() for name, value in teacher.state_dict().items()}
    g = Graph()

    def norm(x: str, skip: str, name: str, bias: np.ndarray) -> str:
        scale, shift = g.constant(w[f"{name}.weight"]), g.constant(w[f"{name}.bias"])
        return g.op("SkipLayerNormalization", x, skip, scale, shift, g.constant(bias), domain=MICROSOFT, epsilon=config.layer_norm_eps)

    def product(x: str, weight: np.ndarray, name: str) -> str:
        """x · weightᵀ; with smoothing x is divided by the factors and the weight multiplied by
        them."""
        if smooth is not None and name in smooth:
            x, weight = g.op("Mul", x, g.constant(1 / smooth[name])), weight * smooth[name]
        return g.op("MatMul", x, g.constant(weight.T))

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
        weight, shift = (np.concatenate([w[n + kind] for n in (q, k, v)]) for kind in ("weight", "bias"))
        together = g.op("Add", product(x, weight, f"{i}.qkv"), g.constant(shift))
        parts = [f"layer{i}_{name}" for name in ("query", "key", "value")]
        g.nodes.append(helper.make_node("Split", [together, g.constant(np.array([hidden] * 3, np.int64))], parts, name=f"layer{i}_split", axis=2))
        mixed = g.op("MultiHeadAttention", *parts, "", "mask", bias, domain=MICROSOFT, num_heads=config.num_attention_heads)
        x = norm(product(mixed, w[o + "weight"], f"{i}.out"), x, p + "attention.LayerNorm", w[o + "bias"])
        inner = product(x, w[p + "intermediate.dense.weight"], f"{i}.up")
        inner = g.op("BiasGelu", inner, g.constant(w[p + "intermediate.dense.bias"]), domain=MICROSOFT)
        x = norm(product(inner, w[p + "output.dense.weight"], f"{i}.down"), x, p + "output.LayerNorm", w[p + "output.dense.bias"])
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


def write_teacher(teacher: Teacher, path: Path, int8: bool, smooth: dict[str, np.ndarray] | None = None) -> None:
    save_graph(teacher_graph(teacher, smooth), path, int8, leave=(HEADS,))


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
