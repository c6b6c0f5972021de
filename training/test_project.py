"""Start and end vectors with fewer dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from graph import encoder_graph, save_graph
from int8_session import open_session
from made_up import TINY
from project import directions, largest_products, replace_heads


def test_all_directions_together_change_no_product():
    rng = np.random.default_rng(1)
    x, q = rng.normal(2, 1, (300, 12)) @ rng.normal(size=(12, 12)), rng.normal(size=(50, 12))
    a, b, mean = directions(x, q, 12)
    assert np.allclose((q @ b.T) @ (a @ (x - mean).T) + (q @ mean)[:, None], q @ x.T, atol=1e-6)


def test_few_directions_keep_the_products_that_questions_make():
    rng = np.random.default_rng(2)
    used = rng.normal(size=(3, 20))
    x, q = rng.normal(size=(400, 20)), rng.normal(size=(60, 3)) @ used
    a, b, mean = directions(x, q, 3)
    products = q @ (x - mean).T
    assert np.abs((q @ b.T) @ (a @ (x - mean).T) - products).std() < 0.03 * products.std()
    assert np.allclose((q @ b.T).T @ (q @ b.T) / len(q), np.eye(3), atol=0.03)  # one step suits all


@pytest.mark.parametrize("int8", [False, True])
def test_the_graph_returns_mapped_outputs_and_leaves_the_others(tiny, int8, tmp_path):
    state = {k: v.detach().numpy() for k, v in tiny.state_dict().items()}
    path = tmp_path / "encoder.onnx"
    save_graph(encoder_graph(state, TINY, table_bits=8 if int8 else 32), path, int8)
    ids = {"ids": np.array([[101, 2000, 3000, 102, 4000, 5000, 6000, 102]])}

    def run() -> dict[str, np.ndarray]:
        session = open_session(path)
        return dict(zip([o.name for o in session.get_outputs()], session.run(None, ids)))

    before = run()
    rng = np.random.default_rng(3)
    maps = {"start": (rng.normal(size=(5, TINY.dense)), rng.normal(size=5)), "coherency": (np.eye(2 * TINY.coherency)[1::2], np.zeros(TINY.coherency))}
    replace_heads(path, maps)
    after = run()
    for name, value in before.items():
        m, c = maps.get(name, (None, None))
        expected = value if m is None else value @ m.T + c
        assert np.abs(after[name] - expected).max() < (0.05 if int8 else 1e-4), name


def test_coherency_keeps_the_dimensions_whose_products_vary():
    rng = np.random.default_rng(4)
    spread = np.array([0.1, 3, 1, 0.1])
    rows = {"c1": rng.normal(size=(500, 4)) * spread, "c2": rng.normal(size=(500, 4))}
    assert largest_products(rows, np.ones((9, 4)), 2).tolist() == [1, 2]
