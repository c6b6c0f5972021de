"""Passage vectors: the maps that are trained are those that the graph computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from int8_session import open_session
from passage_vectors import kept_or_computed
from vector_graph import Pooler, attach, layer_rows, remove_vectors
from vector_maps import Batches, Maps

TINY = Path(__file__).parent.parent / "test" / "golden" / "tiny-model" / "encoder.onnx"
KINDS = ("passage", "question")


def without_vectors() -> onnx.ModelProto:
    """The tiny model as it was before it had vectors."""
    model = onnx.load(str(TINY))
    remove_vectors(model)
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
    maps = Maps(given(rows), {"size": 4, "components": 5, "damping": 0.1, "ridge": 0.1, "whitened": 100, "seed": 1})
    model = without_vectors()
    attach(model, maps.over_rows())
    session = open_session(model.SerializeToString())
    for number, ids in enumerate(texts):
        made = session.run([f"{kind}_vector" for kind in KINDS], {"ids": ids[None]})
        for kind, vector in zip(KINDS, made, strict=True):
            wanted = maps.vectors(kind, np.array([number])).detach().numpy()
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
            assert vector == pytest.approx(wanted, abs=2e-2)  # rows have 16 bits, weights 8


def test_rows_are_means_of_every_layer(pooler: Pooler, texts: list[np.ndarray]) -> None:
    graph = without_vectors().graph
    names = layer_rows(graph)
    model = without_vectors()
    del model.graph.output[:]
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names)
    session = open_session(model.SerializeToString())
    states = session.run(None, {"ids": texts[2][None]})
    assert len(names) == 3  # the embedding and two layers
    assert pooler.rows([texts[2]])[0] == pytest.approx(np.concatenate([one[0].mean(0) for one in states]), abs=1e-2)


def test_vectors_are_removed_with_all_that_only_they_need() -> None:
    model, plain = onnx.load(str(TINY)), without_vectors()
    assert {one.name for one in model.graph.output} - {one.name for one in plain.graph.output} == {f"{kind}_vector" for kind in KINDS}
    assert not [one.name for one in (*plain.graph.node, *plain.graph.initializer) if "vector" in one.name or "pool" in one.name]
    ids = {"ids": np.array([[2, 7, 9, 3]])}
    before, after = (open_session(one.SerializeToString()).run(["cls", "start"], ids) for one in (model, plain))
    for old, new in zip(before, after, strict=True):
        assert (old == new).all()


def test_candidates_have_every_question_s_passage_and_nothing_held_out() -> None:
    given = {"owners": np.array([0, 1, 1, -1, 3]), "kinds": np.array(["a", "b", "b", "", "c"]), "documents": np.array(["a", "a", "b", "a"]), "held": np.array([False, False, False, True])}
    batches = Batches(given, {"seed": 1, "batch": 4, "siblings": 1, "candidates": 1})
    assert list(batches.tune) == [4]
    for _ in range(20):
        questions, candidates = batches.draw()
        assert sorted(questions) == [0, 1, 2, 3]
        assert {0, 1} <= set(candidates) <= {0, 1, 2}


def test_vectors_are_attached_once(texts: list[np.ndarray]) -> None:
    model = without_vectors()
    width = 3 * 64
    maps = {f"{kind}_{what}": np.zeros(shape) for kind in KINDS for what, shape in (("weight", (4, width)), ("bias", 4))} | {f"{kind}_spread": np.ones(width) for kind in KINDS}
    attach(model, maps)
    with pytest.raises(SystemExit, match="already"):
        attach(model, maps)


def test_what_was_computed_is_kept(tmp_path: Path, texts: list[np.ndarray]) -> None:
    asked: list[list[int]] = []

    def lengths(some: list[np.ndarray]) -> np.ndarray:
        asked.append([len(ids) for ids in some])
        return np.array([[len(ids)] for ids in some], np.float16)

    assert kept_or_computed(tmp_path / "rows", texts[:3], lengths).tolist() == [[5], [10], [23]]
    assert kept_or_computed(tmp_path / "rows", [texts[3], *texts[:2], texts[3]], lengths).tolist() == [[42], [5], [10], [42]]
    assert asked == [[5, 10, 23], [42]]
    (tmp_path / "rows" / "part.tmp.npz").write_bytes(b"PK")  # left by a call that was stopped
    assert kept_or_computed(tmp_path / "rows", texts[:2], lengths).tolist() == [[5], [10]]
