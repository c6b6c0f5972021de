"""The exported graphs of the encoder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from graph import encoder_graph, terms_graph
from int8_session import open_session
from made_up import TINY
from model import Verbatim, flat_batch


@pytest.mark.parametrize("int8", [False, True])
def test_graphs_equal_the_network(tiny, int8):
    ids = np.array([101, 2000, 3000, 102, 4000, 5000, 6000, 102])
    flat, position, groups, inverse, _ = flat_batch([ids], 100)
    with torch.no_grad():
        hidden = tiny.encoder(flat, position, groups, inverse)
        start, end, c1, c2, keep = tiny.passage_heads(hidden)
        vectors = tiny.term_vectors(hidden, flat)
        best = (vectors @ tiny.term_table().T).amax(0)
        states = list(tiny.encoder.states(flat, position, groups, inverse))
        units = {f"{kind}_vector": tiny.unit_vector(states, kind) for kind in ("passage", "question")}
    state = {k: v.detach().numpy() for k, v in tiny.state_dict().items()}
    session = open_session(encoder_graph(state, TINY, table_bits=8 if int8 else 32).SerializeToString())
    got = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"ids": ids[None]})))
    tolerance = 0.05 if int8 else 1e-4
    rows = {"start": start, "end": end, "coherency": torch.cat([c1, c2], 1), "keep": keep, "terms": vectors}
    for name, expected in {**rows, **units}.items():
        assert np.abs(got[name] - expected.numpy()).max() < tolerance, name
    terms = open_session(terms_graph(tiny.term_table().detach().numpy(), -0.2, int8).SerializeToString())
    weights = terms.run(None, {"vectors": vectors.numpy()})[0]
    expected = torch.log1p(torch.relu(best - 0.2)).numpy()
    if int8:  # one scale for all rows of the unit: single terms may be off by more than the rows are
        assert np.corrcoef(weights, expected)[0, 1] > 0.999 and np.abs(weights - expected).mean() < 0.02
    else:
        assert np.abs(weights - expected).max() < tolerance


def test_a_model_without_vector_maps_has_no_vector_outputs(tiny):
    state = {k: v.detach().numpy() for k, v in tiny.state_dict().items() if not k.startswith("vector.")}
    graph = encoder_graph(state, replace(TINY, vector=0), table_bits=32).graph
    assert [one.name for one in graph.output] == ["cls", "start", "end", "coherency", "keep", "terms", "ngrams"]
