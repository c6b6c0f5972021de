"""The graph of an encoder with passage vectors: passage_vectors.py says what they are."""

from __future__ import annotations

import json
from itertools import count, takewhile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from int8_session import open_session


def layer_rows(graph: onnx.GraphProto) -> list[str]:
    """The embedding's normalised rows and each layer's output, [1, T, hidden]."""
    first = next(node.output[0] for node in graph.node if node.op_type == "LayerNormalization")
    made = {name for node in graph.node for name in node.output}
    return [first, *takewhile(made.__contains__, (f"layer{i}" for i in count()))]


def add_pooled(graph: onnx.GraphProto) -> str:
    """Adds the pooled rows of a text. @returns the name of what holds them, [1, (layers + 1) · hidden]"""
    means = []
    for number, rows in enumerate(layer_rows(graph)):
        means.append(f"pooled{number}")
        graph.node.append(helper.make_node("ReduceMean", [rows], [means[-1]], name=f"pool{number}", axes=[1], keepdims=0))
    graph.node.append(helper.make_node("Concat", means, ["pooled"], name="pooled", axis=1))
    return "pooled"


def remove_vectors(model: onnx.ModelProto) -> None:
    """Takes away the vectors' outputs and all that only they need."""
    graph = model.graph
    kept = [one for one in graph.output if not one.name.endswith("_vector")]
    del graph.output[:]
    graph.output.extend(kept)
    needed, nodes = {one.name for one in kept}, []
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed.update(node.input)
            nodes.insert(0, node)
    constants = [one for one in graph.initializer if one.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(constants)


def attach(model: onnx.ModelProto, maps: dict[str, np.ndarray]) -> None:
    """Adds the outputs passage_vector and question_vector [1, V], each of length 1.

    @param maps  of each kind _weight (V, P), _bias (V,) and _spread (P,)"""
    graph = model.graph
    if any(one.name == "passage_vector" for one in graph.output):
        raise SystemExit("The graph has passage vectors already: attach to one without.")
    pooled = add_pooled(graph)
    for kind in ("passage", "question"):
        weight, scale = in_8_bits(maps[f"{kind}_weight"])
        constants = {"weight": weight.T, "scale": scale, "bias": maps[f"{kind}_bias"], "spread": 1 / maps[f"{kind}_spread"]}
        for name, array in constants.items():
            kept = array if name == "weight" else array.astype(np.float32)
            graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(kept), f"vector.{kind}.{name}"))
        step = f"{kind}_map"
        graph.node.extend(
            [
                helper.make_node("Mul", [pooled, f"vector.{kind}.spread"], [f"{step}.even"], name=f"{step}.even"),
                helper.make_node("Cast", [f"vector.{kind}.weight"], [f"{step}.weight"], name=f"{step}.weight", to=TensorProto.FLOAT),
                helper.make_node("MatMul", [f"{step}.even", f"{step}.weight"], [f"{step}.whole"], name=f"{step}.whole"),
                helper.make_node("Mul", [f"{step}.whole", f"vector.{kind}.scale"], [f"{step}.scaled"], name=f"{step}.scaled"),
                helper.make_node("Add", [f"{step}.scaled", f"vector.{kind}.bias"], [f"{step}.raw"], name=f"{step}.raw"),
                helper.make_node("LpNormalization", [f"{step}.raw"], [f"{kind}_vector"], name=f"{kind}_vector", axis=1, p=2),
            ]
        )
        graph.output.append(helper.make_tensor_value_info(f"{kind}_vector", TensorProto.FLOAT, [1, len(maps[f"{kind}_bias"])]))


def in_8_bits(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int8 weights, scale of each row): weight ≈ int8 · scale[:, None]"""
    scale = np.abs(weight).max(1) / 127 + 1e-12
    return np.rint(weight / scale[:, None]).astype(np.int8), scale


def maps_of(path: Path) -> dict[str, np.ndarray]:
    """The maps that a graph has, as `attach` takes them; their weights are in 8 bits already."""
    values = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer if one.name.startswith("vector.")}
    if not values:
        raise SystemExit(f"{path} has no passage vectors.")
    maps = {}
    for kind in ("passage", "question"):
        weight, scale, bias, factor = (values[f"vector.{kind}.{name}"] for name in ("weight", "scale", "bias", "spread"))
        maps |= {f"{kind}_weight": weight.T * scale[:, None], f"{kind}_bias": bias, f"{kind}_spread": 1 / factor}
    return maps


class Pooler:
    """Pooled rows by the graph that ships."""

    def __init__(self, path: Path):
        model = onnx.load(str(path))
        remove_vectors(model)
        name = add_pooled(model.graph)
        del model.graph.output[:]
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        self.session = open_session(model.SerializeToString(), 1)

    def rows(self, inputs: list[np.ndarray]) -> np.ndarray:
        """@returns float16 [inputs, P]"""
        found = []
        for ids in inputs:
            found.append(self.session.run(None, {"ids": ids[None].astype(np.int64)})[0][0].astype(np.float16))
        return np.stack(found)


def add_to_golden(path: Path, pooler: Pooler, maps: dict[str, np.ndarray]) -> None:
    """Adds the vectors of golden texts: pooled rows of the int8 graph, mapped in float64 by weights in 8 bits."""
    records = json.loads(path.read_text())
    for kind in ("passage", "question"):
        given = records[f"{kind}s"]
        weight, scale = in_8_bits(maps[f"{kind}_weight"])
        rows = pooler.rows([np.array(record["ids"]) for record in given]).astype(np.float64) / maps[f"{kind}_spread"]
        vectors = rows @ (weight.astype(np.float64) * scale[:, None]).T + maps[f"{kind}_bias"]
        for record, vector in zip(given, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True):
            record["vector"] = [float(f"{value:.6g}") for value in vector]
    path.write_text(json.dumps(records) + "\n")
