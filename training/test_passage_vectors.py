"""Passage vectors: the maps that are trained are those that the graph computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from passage_vectors import Maps, Pooler, attach, layer_rows

TINY = Path(__file__).parent.parent / "test" / "golden" / "tiny-model" / "encoder.onnx"
KINDS = ("passage", "question")


def without_vectors() -> onnx.ModelProto:
    """The tiny model as it was before it had vectors."""
    model = onnx.load(str(TINY))
    kept = [one for one in model.graph.output if not one.name.endswith("_vector")]
    made = {one.name for one in model.graph.output if one.name.endswith("_vector")}
    nodes = [node for node in model.graph.node if not made & set(node.output)]
    del model.graph.output[:], model.graph.node[:]
    model.graph.output.extend(kept)
    model.graph.node.extend(nodes)
    return model


@pytest.fixture
def texts() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [np.array([2, *rng.integers(5, 60, size=n), 3]) for n in (3, 8, 21, 40, 5, 17, 9, 30)]


@pytest.fixture
def pooler(tmp_path: Path) -> Pooler:
    onnx.save(without_vectors(), str(tmp_path / "tiny.onnx"))
    return Pooler(tmp_path / "tiny.onnx")


def given(rows: np.ndarray) -> dict[str, np.ndarray]:
    base = np.random.default_rng(2).normal(size=(len(rows), 6)).astype(np.float32)
    return {f"{kind}_{what}": array for kind in KINDS for what, array in (("rows", rows), ("base", base))}


def test_graph_computes_the_vectors_of_the_maps(pooler: Pooler, texts: list[np.ndarray]) -> None:
    rows = pooler.rows(texts)
    maps = Maps(given(rows), {"size": 4, "components": 5, "damping": 0.1, "ridge": 0.1})
    model = without_vectors()
    attach(model, maps.over_rows())
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for number, ids in enumerate(texts):
        made = session.run([f"{kind}_vector" for kind in KINDS], {"ids": ids[None]})
        for kind, vector in zip(KINDS, made, strict=True):
            wanted = maps.vectors(kind, np.array([number])).detach().numpy()
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
            assert vector == pytest.approx(wanted, abs=2e-2)  # rows and weights have 16 bits


def test_rows_are_means_of_every_layer(pooler: Pooler, texts: list[np.ndarray]) -> None:
    graph = without_vectors().graph
    names = layer_rows(graph)
    model = without_vectors()
    del model.graph.output[:]
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    states = session.run(None, {"ids": texts[2][None]})
    assert len(names) == 3  # the embedding and two layers
    assert pooler.rows([texts[2]])[0] == pytest.approx(np.concatenate([one[0].mean(0) for one in states]), abs=1e-2)


def test_vectors_are_attached_once(texts: list[np.ndarray]) -> None:
    model = without_vectors()
    width = 3 * 64
    maps = {f"{kind}_{what}": np.zeros(shape) for kind in KINDS for what, shape in (("weight", (4, width)), ("bias", 4))}
    attach(model, maps)
    with pytest.raises(SystemExit, match="already"):
        attach(model, maps)
