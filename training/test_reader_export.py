"""Tests of the reader's export on made-up data; seconds on a CPU.

    python -m pytest -q test_reader_export.py
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from export import write_graphs
from export_reader import Rounding, choose_smoothing, distance, draw_pairs, read_with, write_graph, write_reader_folder, write_reader_golden
from reader_provenance import DATA, described, lineage, taught_by
from int8_session import open_session
from model import Verbatim
from question_sets import set_name
from reader import Reader, tensors
from reader_graph import logit_bounds
from reader_weights import Constants, layers, weights
from smooth import largest_while, smoothing
from made_up import TINY
from word_table import BLOCK, four_bits, rounded, table_of

PLAIN = Rounding(int8=False)


@pytest.fixture(scope="module")
def reader() -> Reader:
    torch.manual_seed(11)
    made = Reader(TINY).eval()
    with torch.no_grad():
        made.kinds.weight.normal_(0, 0.5)
    return made


def state_of(reader: Reader) -> dict[str, np.ndarray]:
    return {k: v.detach().numpy() for k, v in reader.state_dict().items()}


@pytest.mark.parametrize("int8", [False, True])
def test_the_graph_equals_the_network_with_padding(reader, paragraphs, tmp_path, int8):
    write_graph(reader, tmp_path / "reader.onnx", Rounding(int8))
    session = open_session(tmp_path / "reader.onnx")
    ids, kinds, mask, passage = tensors(paragraphs, [(0, 0, 0), (5, 1, 2), (3, 1, 15)])
    with torch.no_grad():
        exact = reader(ids, kinds, mask)
    got = read_with(session, ids, kinds, mask)
    tolerance = 0.1 if int8 else 1e-4
    for a, b in zip(exact[:2], got[:2]):
        assert np.abs((a.numpy() - b)[mask.numpy()]).max() < tolerance
    assert np.abs(exact[2].numpy() - got[2]).max() < tolerance


def test_what_stands_in_the_padding_changes_nothing(reader, paragraphs, tmp_path):
    write_graph(reader, tmp_path / "reader.onnx", PLAIN)
    session = open_session(tmp_path / "reader.onnx")
    ids, kinds, mask, _ = tensors(paragraphs, [(0, 0, 0)])
    width = ids.shape[1]
    pad = torch.nn.functional.pad
    alone = read_with(session, ids, kinds, mask)
    padded = read_with(session, pad(ids, (0, 9), value=77), pad(kinds, (0, 9), value=1), pad(mask, (0, 9), value=False))
    assert np.abs(alone[0] - padded[0][:, :width]).max() < 1e-5 and np.abs(alone[2] - padded[2]).max() < 1e-5


@pytest.mark.parametrize("row_steps", [False, True])
@pytest.mark.parametrize("smoothed", [False, True])
def test_the_weights_come_back_from_the_int8_graph(reader, paragraphs, tmp_path, smoothed, row_steps):
    factors = smoothing(reader, largest_while(reader.encoder, lambda: reader(*tensors(paragraphs, [(0, 0, 0)])[:3])), 0.7) if smoothed else None
    write_graph(reader, tmp_path / "reader.onnx", Rounding(row_steps=row_steps), smooth=factors)
    found, given = weights(tmp_path / "reader.onnx"), state_of(reader)
    assert set(found) == set(given)
    for name, array in found.items():
        assert np.abs(array - given[name]).max() <= 0.02 * np.abs(given[name]).max() + 1e-6, name


def test_four_bits_keep_a_word_table_to_half_a_step_and_change_it_only_once():
    table = np.random.default_rng(3).normal(0, 0.05, (50, 2 * BLOCK)).astype(np.float32)
    codes, steps = four_bits(table)
    assert codes.max() == 15 and codes.min() == 0
    kept = table_of(codes, steps)
    assert (np.abs(kept - table).reshape(50, 2, BLOCK).max(2) <= steps.astype(np.float32) * 0.51).all()
    assert np.array_equal(rounded(kept), kept)


def test_a_graph_with_a_table_of_four_bits_equals_the_network_above_that_table(reader, paragraphs, tmp_path):
    above = copy.deepcopy(reader)
    above.encoder.words.weight.data = torch.from_numpy(rounded(reader.encoder.words.weight.detach().numpy()))
    write_graph(above, tmp_path / "eight.onnx", Rounding())
    write_graph(above, tmp_path / "four.onnx", Rounding(word_bits=4))
    ids, kinds, mask, _ = tensors(paragraphs, [(0, 0, 0), (5, 1, 2)])
    with torch.no_grad():
        exact = above(ids, kinds, mask)
    got = read_with(open_session(tmp_path / "four.onnx"), ids, kinds, mask)
    assert np.abs((exact[0].numpy() - got[0])[mask.numpy()]).max() < 0.1
    assert np.abs(exact[2].numpy() - got[2]).max() < 0.1
    assert np.abs(weights(tmp_path / "four.onnx")["encoder.words.weight"] - state_of(above)["encoder.words.weight"]).max() < 1e-6
    assert (tmp_path / "four.onnx").stat().st_size < (tmp_path / "eight.onnx").stat().st_size


def test_the_layers_come_back_from_an_encoders_graph(tmp_path):
    torch.manual_seed(5)
    encoder = Verbatim(TINY).eval()
    write_graphs(encoder, tmp_path, int8=True)
    found = layers(Constants(tmp_path / "encoder.onnx"))
    given = {k: v.numpy() for k, v in encoder.state_dict().items() if k.startswith("encoder.")}
    assert set(found) == set(given)
    for name, array in found.items():
        assert np.abs(array - given[name]).max() <= 0.02 * np.abs(given[name]).max() + 1e-6, name


@pytest.mark.parametrize("row_steps", [False, True])
def test_smoothing_and_row_steps_do_not_change_the_graph_before_int8(reader, paragraphs, tmp_path, row_steps):
    pairs = draw_pairs(paragraphs, 4, 1)
    largest = largest_while(reader.encoder, lambda: [reader(*tensors(paragraphs, [pair])[:3]) for pair in pairs] and None)
    assert set(largest) == {f"encoder.layers.{i}.{p}" for i in range(TINY.layers) for p in ("qkv", "up", "down")}
    write_graph(reader, tmp_path / "reader.onnx", Rounding(int8=False, row_steps=row_steps), smooth=smoothing(reader, largest, 0.8))
    assert distance(reader, open_session(tmp_path / "reader.onnx"), paragraphs, pairs)["divergence"] < 1e-5


def test_row_steps_round_small_rows_as_finely_as_large_ones(reader, paragraphs, tmp_path):
    """The inner row of [CLS] is far larger than those of other tokens."""
    torch.manual_seed(5)
    wild = Reader(TINY).eval()
    with torch.no_grad():
        wild.encoder.places.weight[0] = 0
        wild.encoder.places.weight[0, 0] = 1000
        wild.span.weight.mul_(20)
        for layer in wild.encoder.layers:
            layer.up.weight[:, 0] *= 100
    pairs = draw_pairs(paragraphs, 4, 1)
    found = {}
    for row_steps in (False, True):
        write_graph(wild, tmp_path / "reader.onnx", Rounding(row_steps=row_steps))
        found[row_steps] = distance(wild, open_session(tmp_path / "reader.onnx"), paragraphs, pairs)["divergence"]
    assert found[True] < found[False]


def test_the_smoothing_that_is_nearest_on_held_out_pairs_is_chosen(reader, paragraphs):
    alpha, factors, figures = choose_smoothing(reader, paragraphs[:8], paragraphs[8:], 4, 1, Rounding())
    assert figures[str(alpha or 0)]["divergence"] == min(f["divergence"] for f in figures.values())
    assert (factors is None) == (alpha is None)


def test_no_logit_exceeds_its_bound_even_where_the_network_is_driven_to_it(reader, paragraphs):
    """Over made-up rows of the last normalisation, the worst one among them."""
    torch.manual_seed(5)
    wild = Reader(TINY).eval()
    with torch.no_grad():
        wild.encoder.layers[-1].norm2.weight.normal_(1, 0.5)
        wild.encoder.layers[-1].norm2.bias.normal_(0, 0.5)
        wild.span.bias.normal_()
    for network in (reader, wild):
        bounds = logit_bounds(state_of(network), TINY)
        norm = network.encoder.layers[-1].norm2
        weights = torch.cat([network.span.weight, network.answer.weight])
        worst = weights * norm.weight  # the direction that reaches the bound
        rows = torch.cat([torch.randn(200, TINY.hidden) * 3, worst, -worst])
        with torch.no_grad():
            x = norm(rows)
            logits = torch.cat([network.span(x), network.answer(x)], 1).numpy()
        for i, name in enumerate(("start", "end", "answer")):
            assert logits[:, i].max() <= bounds[name] + 1e-3
            assert logits[200 + i, i] > bounds[name] - 1e-2  # and it is reached, so it is no idle number


def test_the_folder_says_what_it_holds(reader, paragraphs, tmp_path):
    from data import CLS, SEP
    from text_base import load_tokenizer

    write_reader_folder(reader, tmp_path / "model", {"name": "x", "notice": "none"}, vocabulary=b"a\nb\n", rounding=Rounding())
    info = json.loads((tmp_path / "model" / "model.json").read_text())
    assert info["kind"] == "reader" and info["files"]["reader.onnx"]["bytes"] == (tmp_path / "model" / "reader.onnx").stat().st_size
    assert info["interpolation"]["most"] <= info["bounds"]["start"] + info["bounds"]["end"] + 1e-3
    texts, questions = [("A", "one two three"), ("", "four")], ["who?", "when was it?"]
    write_reader_golden(reader, texts, questions, tmp_path / "golden.json", tokenizer=load_tokenizer(), specials=(CLS, SEP))
    records = json.loads((tmp_path / "golden.json").read_text())
    assert len(records) == 4
    for record in records:
        assert len(record["ids"]) == len(record["start"]) == len(record["end"])
        assert record["ids"][record["questionTokens"] - 1] == SEP and record["ids"][record["firstToken"] - 1] == SEP and record["ids"][-1] == SEP


def test_an_export_names_every_run_that_it_comes_from():
    runs = list(lineage(json.loads((Path(__file__).parent / "runs" / "reader-second.json").read_text())))
    assert [run["steps"] for run in runs] == [4200, 4800]
    assert all("reader.py --config runs/" in run["command"] for run in runs)


def test_an_export_names_the_data_of_every_config():
    for path in (Path(__file__).parent / "runs").glob("reader-*.json"):
        assert {set_name(entry) for entry in json.loads(path.read_text()).get("sets", [])} <= DATA.keys(), path.name


def test_an_export_says_who_taught_the_reader():
    config = json.loads((Path(__file__).parent / "runs" / "reader-large-second.json").read_text())
    first = json.loads((Path(__file__).parent / "runs" / "reader-large.json").read_text())
    assert taught_by({**config, "start": "work/reader-large/model.pt"}) == first["taught_by"]


def test_only_runs_that_trained_have_steps():
    assert described({"purpose": "a", "command": "b", "result": {"steps": 3}}) == {"purpose": "a", "command": "b", "steps": 3}
    assert described({"purpose": "the mean", "command": "python average.py"}) == {"purpose": "the mean", "command": "python average.py"}
