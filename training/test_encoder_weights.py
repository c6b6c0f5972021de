"""An encoder restored from its int8 folder computes what the folder's graphs compute."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from encoder_weights import restored
from golden import hidden_of
from int8_session import open_session
from model import Verbatim
from project import Head
from text_base import load_tokenizer

FOLDER = Path(__file__).parent.parent / "models" / "verbatim-en"
TEXT = "The lease ends on 31 March 2024, and the tenant pays a deposit of 1,200 euros within ten days."


@pytest.fixture(scope="module")
def network() -> Verbatim:
    return restored(FOLDER, None).eval()


def distance(a: torch.Tensor, b: np.ndarray) -> float:
    return float(np.linalg.norm(a.numpy() - b) / np.linalg.norm(b))


@torch.no_grad()
def test_passages_get_the_rows_of_the_graph(network):
    ids = np.array(load_tokenizer().encode(TEXT).ids)
    names = ["start", "end", "coherency", "keep", "ngrams", "terms"]
    graph = dict(zip(names, open_session(FOLDER / "encoder.onnx", 1).run(names, {"ids": ids[None]})))
    hidden, tokens = hidden_of(network, ids)
    start, end, c1, c2, keep = network.passage_heads(hidden)
    shape = network.shape
    query, key = (m(hidden).view(len(ids), -1, shape.ngram) for m in (network.ngram_query, network.ngram_key))
    ngrams = torch.relu(torch.einsum("tkd,skd->kts", query, key) / shape.ngram**0.5)
    kept = graph["start"].shape[1], graph["coherency"].shape[1] // 2
    made = (start[:, : kept[0]], end[:, : kept[0]], torch.cat([c1[:, : kept[1]], c2[:, : kept[1]]], 1), keep, ngrams, network.term_vectors(hidden, tokens))
    for name, one in zip(names, made):
        assert distance(one, graph[name]) < 0.06, name


@torch.no_grad()
def test_questions_and_terms_get_those_of_the_folder(network):
    info = json.loads((FOLDER / "model.json").read_text())
    head, cls = Head(FOLDER, info), torch.randn(3, network.shape.hidden)
    expected = cls.numpy() @ head.weight[:-1].T + head.bias[:-1]
    parts = network.question_heads(cls)
    widths = (info["dense"], info["dense"], info["coherency"])
    for part, width, wanted in zip(parts, widths, np.split(expected, np.cumsum(widths)[:-1], axis=1)):
        assert distance(part[:, :width], wanted) < 1e-5
        assert not part[:, width:].any()  # dimensions that no export has add nothing at first
    assert distance(network.term_gain.exp(), head.gains) < 1e-5
    assert float(network.term_scale.exp()) == pytest.approx(info["weights"]["terms"], rel=1e-5)
    vectors = network.term_table()[1000:1004]
    (weights,) = open_session(FOLDER / "terms.onnx", 1).run(["weights"], {"vectors": vectors.numpy()})
    expected = torch.log1p(torch.relu((vectors @ network.term_table().T).amax(0) + network.term_bias))
    assert distance(expected, weights) < 0.03
