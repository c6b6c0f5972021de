"""Terms are divided by script, and those of present scripts keep their weights."""

import numpy as np
import pytest

from graph import terms_graph
from int8_session import open_session
from term_groups import ALWAYS, MIN_RUN, script_of, table_of, term_groups

LATIN = [f"▁{chr(0x61 + i // 26)}{chr(0x61 + i % 26)}" for i in range(MIN_RUN)]
HAN = [chr(0x4E00 + i) for i in range(MIN_RUN + 5)]
PIECES = ["<s>", "1", "▁,", *LATIN, "я", "→", *HAN]


@pytest.mark.parametrize(
    ("piece", "script"),
    [("▁über", "latin"), ("▁Дом", "cyrillic"), ("カ", "han-kana"), ("押", "han-kana"), ("방", "hangul"), ("م", "arabic"), ("▁12", None), ("ก", None)],
)
def test_a_piece_is_in_the_script_of_its_first_letter(piece, script):
    assert script_of(piece) == script


def test_runs_cover_all_pieces_and_short_ones_are_always_computed():
    assert term_groups(PIECES) == {"scripts": ["han-kana", "latin"], "runs": [[0, ALWAYS], [3, 1], [3 + MIN_RUN, ALWAYS], [5 + MIN_RUN, 0]]}


@pytest.mark.parametrize("int8", [False, True])
def test_terms_of_present_scripts_keep_their_weights_and_others_have_none(int8):
    rng = np.random.default_rng(3)
    table, vectors = rng.normal(size=(len(PIECES), 16)).astype(np.float32), rng.normal(size=(7, 16)).astype(np.float32)
    groups = term_groups(PIECES)
    whole = open_session(terms_graph(table, 0.1, int8).SerializeToString()).run(None, {"vectors": vectors})[0]
    divided = open_session(terms_graph(table, 0.1, int8, tile=32, groups=groups).SerializeToString())
    of_script = np.full(len(PIECES), ALWAYS)
    for (start, group), end in zip(groups["runs"], [one for one, _ in groups["runs"][1:]] + [len(PIECES)]):
        of_script[start:end] = group
    for present in ([True, True], [False, False], [True, False], [False, True]):
        weights = divided.run(None, {"vectors": vectors, "scripts": np.array(present)})[0]
        computed = np.array([group == ALWAYS or present[group] for group in of_script])
        assert np.array_equal(weights[computed], whole[computed]) and not weights[~computed].any()


def test_the_table_of_a_graph_gives_the_same_graph():
    table = np.random.default_rng(4).normal(size=(len(PIECES), 16)).astype(np.float32)
    graph = terms_graph(table, -0.2, int8=True, tile=32)
    again, bias = table_of(graph)
    assert terms_graph(again, bias, int8=True, tile=32).SerializeToString() == graph.SerializeToString()
