"""Tests of the training code on made-up data: every one runs in seconds on a CPU and needs no file
outside this folder.

    python -m pytest -q test_training.py
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch

import train
from ablations import config_of
from average import mean
from data import Paragraph, answer_span, build_paragraph, epoch_batches, load_squad, load_tokenizer, sentence_starts, split_held_out
from evaluate import KINDS, best_spans, exact_match, f1, open_figures
from export import rotate_start
from graph import encoder_graph, terms_graph
from losses import LossConfig, MatchTable, batch_losses, gram_ids, imitation, pair_logits, question_weights, score_batch, span_logits
from model import SPECIALS, Gather, Shape, Ungather, Verbatim, fake_int8, flat_batch, gram_masks, half, linear
from run import rate

HERE = Path(__file__).parent
TINY = Shape(vocabulary=30522, hidden=32, layers=2, attention_heads=4, inner=64, dense=16, coherency=16, ngram=8, term=16)


def made_up_squad(path: Path) -> Path:
    people = ["Ines Calder", "Otto Brandt", "Mira Voss", "Jan Pelt"]
    things = ["observatory", "lighthouse", "mill", "archive"]
    data = []
    for person, thing in zip(people, things):
        paragraphs = []
        for year in (1911, 1925, 1940, 1968):
            context = f"The {thing} was founded by {person} in {year}. Visitors came from the valley. It closed in {year + 30}."
            paragraphs.append(
                {
                    "context": context,
                    "qas": [
                        {"id": f"{thing}{year}a", "question": f"Who founded the {thing}?", "answers": [{"text": person, "answer_start": context.index(person)}]},
                        {"id": f"{thing}{year}b", "question": f"When did the {thing} close?", "answers": [{"text": str(year + 30), "answer_start": context.index(str(year + 30))}]},
                    ],
                }
            )
        data.append({"title": f"The_{thing}", "paragraphs": paragraphs})
    path.write_text(json.dumps({"version": "1.1", "data": data}))
    return path


@pytest.fixture(scope="module")
def paragraphs(tmp_path_factory) -> list[Paragraph]:
    return load_squad(str(made_up_squad(tmp_path_factory.mktemp("squad") / "train.json")), 128)


@pytest.fixture(scope="module")
def tiny() -> Verbatim:
    torch.manual_seed(1)
    return Verbatim(TINY)


def test_answer_spans_give_back_the_answer(paragraphs):
    for paragraph in paragraphs:
        for question in paragraph.questions:
            start, end = paragraph.offsets[question.start, 0], paragraph.offsets[question.end, 1]
            assert paragraph.text[start:end] == question.answers[0]


def test_an_answer_that_was_cut_off_has_no_span():
    paragraph = build_paragraph(load_tokenizer(), 0, "t", "one two three four five six", 8)
    assert answer_span(paragraph, 0, "one") == (paragraph.first, paragraph.first)
    assert answer_span(paragraph, 23, "six") == (-1, -1)


def test_sentences_end_at_stops_but_not_at_abbreviations():
    text = 'Dr. Calder came. "Who is it?" asked J. R. Voss. Nobody knew.'
    assert [text[s:][:6] for s in sentence_starts(text)] == ["Dr. Ca", '"Who i', "Nobody"]


def test_held_out_articles_share_nothing_with_training(paragraphs):
    train, held = split_held_out(paragraphs, 0.25, 3)
    assert len(held) == 4 and len(train) == 12
    assert not {p.article for p in train} & {p.article for p in held}
    assert split_held_out(paragraphs, 0.25, 3)[1][0].text == held[0].text


def test_batches_hold_every_paragraph_once_in_groups_of_one_article(paragraphs):
    batches = epoch_batches(paragraphs, 2, 2, 7)
    assert sorted(sum(batches, [])) == list(range(len(paragraphs)))
    for batch in batches:
        for i in range(0, len(batch), 2):
            assert paragraphs[batch[i]].article == paragraphs[batch[i + 1]].article


def test_how_sequences_are_grouped_does_not_change_the_encoding(tiny):
    rng = np.random.default_rng(0)
    sequences = [rng.integers(1000, 30000, size=n) for n in (5, 17, 9, 30)]
    outputs = []
    for size in (30, 1000):
        ids, position, groups, inverse, slices = flat_batch(sequences, size)
        outputs.append(tiny.encoder(ids, position, groups, inverse))
    alone = [tiny.encoder(*flat_batch([s], 100)[:4]) for s in sequences]
    assert torch.allclose(outputs[0], outputs[1], atol=1e-5)
    assert torch.allclose(outputs[0], torch.cat(alone), atol=1e-5)


def test_span_logits_are_start_plus_end_plus_pair():
    starts, ends, pair = torch.randn(2, 5), torch.randn(2, 5), torch.randn(2, 5, 3)
    logits = span_logits(starts, ends, pair, 3)
    for i in range(5):
        for width in range(3):
            if i + width < 5:
                expected = starts[:, i] + ends[:, i + width] + pair[:, i, width]
                assert torch.allclose(logits[:, i, width], expected, atol=1e-5)
            else:
                assert (logits[:, i, width] < -1000).all()


def test_kernel_trick_equals_one_hot_ngrams():
    """S F · (S' F')ᵀ with F written out (SPARC Eq. 1) equals the table look-up (Eq. 2)."""
    ids_q, ids_p = torch.tensor([7, 8, 7, 9]), torch.tensor([9, 7, 5, 8, 7])
    weights = torch.rand(4, 4)
    table = MatchTable(ids_q, [slice(0, 4)], weights[0]).at(ids_p)
    one_hot = lambda ids: torch.nn.functional.one_hot(ids, 10).float()  # noqa: E731
    expected = weights[0] @ one_hot(ids_q) @ one_hot(ids_p).T
    assert torch.allclose(table[:, 0], expected)


def test_ngram_attention_masks_its_diagonal_and_specials(tiny):
    hidden = torch.randn(6, TINY.hidden)
    special = torch.tensor([True, False, False, False, False, True])
    weights = tiny.ngram_attention(hidden, special)
    assert (weights >= 0).all() and weights.shape == (4, 6, 6)
    assert (torch.diagonal(weights, dim1=1, dim2=2) == 0).all()
    assert (weights[:, :, 0] == 0).all() and (weights[:, :, 5] == 0).all()
    assert (weights[1, :, 4] == 0).all() and (weights[3, :, 4] == 0).all()  # a bigram with [SEP]
    assert torch.allclose(tiny.ngram_attention(hidden, special, rows=1)[:, 0], weights[:, 0], atol=1e-6)


def test_weights_of_all_questions_at_once_equal_each_alone(tiny):
    """Specials are masked, and with [CLS] the diagonal of its row."""
    rng = np.random.default_rng(1)
    sequences = [np.concatenate([[101], rng.integers(1000, 30000, size=n), [102]]) for n in (3, 7, 1)]
    ids, _, _, _, slices = flat_batch(sequences, 100)
    hidden = torch.randn(len(ids), TINY.hidden)
    together = question_weights(tiny, hidden, ids, slices)
    for s in slices:
        alone = tiny.ngram_attention(hidden[s], torch.isin(ids[s], torch.tensor(SPECIALS)), rows=1)[:, 0]
        assert torch.allclose(together[:, s], alone, atol=1e-6)


def test_gathering_has_the_gradient_of_indexing():
    x = torch.randn(7, 3, requires_grad=True)
    index = torch.tensor([4, 7, 0, 2, 7, 1, 3, 5, 6])  # 7 is the padding
    inverse = torch.tensor([2, 5, 3, 6, 0, 7, 8])
    weights = torch.randn(9, 3)
    plain = torch.nn.functional.pad(x, (0, 0, 0, 1))[index]
    (expected,) = torch.autograd.grad((plain * weights).sum(), x)
    (found,) = torch.autograd.grad((Gather.apply(x, index, inverse) * weights).sum(), x)
    assert torch.equal(Gather.apply(x, index, inverse), plain) and torch.allclose(found, expected)
    y = torch.randn(9, 3, requires_grad=True)
    back = torch.randn(7, 3)
    (expected,) = torch.autograd.grad((y[inverse] * back).sum(), y)
    (found,) = torch.autograd.grad((Ungather.apply(y, index, inverse) * back).sum(), y)
    assert torch.equal(Ungather.apply(y, index, inverse), y[inverse]) and torch.allclose(found, expected)


def test_int8_rounding_is_small_and_lets_the_gradient_through():
    torch.manual_seed(4)
    layer = torch.nn.Linear(32, 8)
    x = torch.randn(20, 32, requires_grad=True)
    exact, rounded = layer(x), linear(layer, x, int8=True)
    assert 0 < (exact - rounded).abs().max() < 0.1
    codes = fake_int8(x, layer.weight)[0].detach()
    step = (max(float(x.max()), 0) - min(float(x.min()), 0)) / 255
    assert torch.allclose(codes / step, torch.round(codes / step), atol=1e-3)
    rounded.sum().backward()
    assert torch.allclose(x.grad, layer.weight.sum(0).expand_as(x), atol=0.05)


def test_imitation_is_zero_for_the_teacher_itself_and_grows_apart():
    teacher = torch.randn(3, 9)
    assert abs(float(imitation(teacher + 5, teacher, 2.0))) < 1e-5
    assert float(imitation(torch.zeros(3, 9), teacher, 2.0)) > 0.1


def test_loss_falls_on_one_batch(paragraphs):
    torch.manual_seed(2)
    model = Verbatim(TINY)
    stop = torch.zeros(TINY.vocabulary, dtype=torch.bool)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    config = LossConfig(sampled_terms=64)
    losses = []
    for step in range(12):
        total, parts = batch_losses(model, paragraphs[:4] + paragraphs[8:10], config, torch.Generator().manual_seed(step), stop)
        assert all(torch.isfinite(v) for v in parts.values())
        optimiser.zero_grad()
        total.backward()
        optimiser.step()
        losses.append(float(total.detach()))
    assert losses[-1] < 0.85 * losses[0]


def test_every_head_gets_a_gradient(paragraphs):
    torch.manual_seed(2)
    model = Verbatim(TINY)
    torch.nn.init.normal_(model.term_context.weight, std=0.05)
    stop = torch.zeros(TINY.vocabulary, dtype=torch.bool)
    total, _ = batch_losses(model, paragraphs[:6], LossConfig(sampled_terms=64), torch.Generator().manual_seed(0), stop)
    total.backward()
    silent = [n for n, p in model.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.abs().sum() > 0)]
    assert silent == []


def test_schedule_rises_then_falls_to_zero():
    values = [rate(step / 100, 0.1) for step in range(101)]
    assert max(values) == pytest.approx(1.0) and values[100] == 0.0
    assert values[:11] == sorted(values[:11]) and values[10:] == sorted(values[10:], reverse=True)


@pytest.mark.parametrize("int8", [False, True])
def test_graphs_equal_the_network(tiny, int8):
    import onnxruntime

    ids = np.array([101, 2000, 3000, 102, 4000, 5000, 6000, 102])
    flat, position, groups, inverse, _ = flat_batch([ids], 100)
    with torch.no_grad():
        hidden = tiny.encoder(flat, position, groups, inverse)
        start, end, c1, c2, keep = tiny.passage_heads(hidden)
        vectors = tiny.term_vectors(hidden, flat)
        best = (vectors @ tiny.term_table().T).amax(0)
    state = {k: v.detach().numpy() for k, v in tiny.state_dict().items()}
    session = onnxruntime.InferenceSession(encoder_graph(state, TINY, int8_table=int8).SerializeToString())
    got = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"ids": ids[None]})))
    tolerance = 0.05 if int8 else 1e-4
    for name, expected in (("start", start), ("end", end), ("coherency", torch.cat([c1, c2], 1)), ("keep", keep), ("terms", vectors)):
        assert np.abs(got[name] - expected.numpy()).max() < tolerance, name
    terms = onnxruntime.InferenceSession(terms_graph(tiny.term_table().detach().numpy(), -0.2, int8).SerializeToString())
    weights = terms.run(None, {"vectors": vectors.numpy()})[0]
    expected = torch.log1p(torch.relu(best - 0.2)).numpy()
    if int8:  # one scale for all rows of the unit: single terms may be off by more than the rows are
        assert np.corrcoef(weights, expected)[0, 1] > 0.999 and np.abs(weights - expected).mean() < 0.02
    else:
        assert np.abs(weights - expected).max() < tolerance


def test_turning_the_start_space_changes_no_product(paragraphs):
    torch.manual_seed(4)
    model = Verbatim(TINY)
    hidden, asked = torch.randn(40, TINY.hidden), torch.randn(6, TINY.hidden)
    products = lambda: [q @ p.T for q, p in zip(model.question_heads(asked), model.phrase_vectors(hidden))]  # noqa: E731
    with torch.no_grad():
        before = products()
        rows = {"start": model.phrase_vectors(hidden)[0].numpy(), "question": torch.cat(model.question_heads(asked), 1).numpy()}
        first = rows["start"].copy()
        rotate_start(model, rows)
        for old, new in zip(before, products()):
            assert torch.allclose(old, new, atol=1e-4)
        weight, bias = model.question_map()
        assert torch.allclose(asked @ weight.T + bias, torch.cat(model.question_heads(asked), 1), atol=1e-5)
    assert not np.allclose(first, rows["start"])
    with pytest.raises(ValueError, match="can be exported"):
        Verbatim(replace(TINY, heads="shared")).question_map()


def test_a_run_resumes_where_it_stopped(tmp_path, monkeypatch):
    """Six steps at once and three plus three give the same weights."""
    squad = made_up_squad(tmp_path / "train.json")
    config = {
        "purpose": "test", "seed": 3, "held_out": 0.25, "max_tokens": 128, "groups": 2, "group_size": 2, "rate": 1e-3, "head_rate": 2,
        "warmup": 0.2, "steps": 6, "base": False, "log_every": 2,
        "shape": {"hidden": 32, "layers": 1, "attention_heads": 2, "inner": 64, "dense": 16, "coherency": 16, "ngram": 8, "term": 16},
        "loss": {"sampled_terms": 32},
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))

    def arguments(out: str) -> list[str]:
        return ["train.py", "--config", str(tmp_path / "config.json"), "--data", str(squad), "--out", str(tmp_path / out), "--threads", "1"]

    def run(out: str, *more: str) -> dict:
        subprocess.run([sys.executable, *arguments(out), *more], cwd=HERE, check=True, capture_output=True)
        return torch.load(tmp_path / out / "model.pt", weights_only=False)["model"]

    class Interrupted(train.Run):
        def learn(self, *given) -> None:
            super().learn(*given)
            self.stopped = "SIGTERM" if self.step == 3 else ""

    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(train, "Run", Interrupted)
    monkeypatch.setattr("sys.argv", arguments("parts"))
    with pytest.raises(SystemExit, match="Stopped by SIGTERM at step 3"):
        train.main()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    whole, parts = run("whole"), run("parts", "--resume")
    for name, value in whole.items():
        assert torch.allclose(value, parts[name], atol=1e-5), name


def test_held_out_figures_follow_the_rule_of_squad(tiny, paragraphs):
    assert exact_match("the Ines Calder.", ["Ines Calder"]) == 1 and exact_match("Ines", ["Ines Calder"]) == 0
    assert f1("by Ines Calder", ["Ines Calder"]) == pytest.approx(0.8)
    all_rows, share = best_spans(tiny, paragraphs[:3], KINDS["full"], bf16=False, threshold=-1e9)
    assert share == 1 and [t for _, t in all_rows] == [t for _, t in best_spans(tiny, paragraphs[:3], KINDS["full"], bf16=False)[0]]
    for (question, text), paragraph in zip(all_rows, [p for p in paragraphs[:3] for _ in range(2)]):
        assert text in paragraph.text and question in paragraph.questions
    assert best_spans(tiny, paragraphs[:3], KINDS["full"], bf16=False, threshold=1e9)[1] == 0


def test_the_mean_of_weights_says_where_it_comes_from(tmp_path):
    first, second = ({"w": torch.full((2, 3), value), "n": torch.tensor([int(value)])} for value in (1.0, 4.0))
    assert torch.equal(mean([first, second])["w"], torch.full((2, 3), 2.5)) and mean([first, second])["n"].item() == 4
    for name, model in (("a", first), ("b", second)):
        torch.save({"shape": {}, "model": model, "config": {"steps": 7, "command": f"train {name}", "purpose": name, "max_tokens": 9}}, tmp_path / f"{name}.pt")
    subprocess.run([sys.executable, "average.py", str(tmp_path / "a.pt"), str(tmp_path / "b.pt"), "--out", str(tmp_path / "mean")], cwd=HERE, check=True)
    saved = torch.load(tmp_path / "mean" / "model.pt", weights_only=False)
    assert torch.equal(saved["model"]["w"], torch.full((2, 3), 2.5))
    assert saved["config"]["max_tokens"] == 9 and saved["config"]["start"].endswith("b.pt") and "average.py" in saved["config"]["command"]


def test_concatenated_negatives_and_other_heads_learn(paragraphs):
    """Each variant that an ablation switches on has finite losses and reaches every parameter that
    it has."""
    stop = torch.zeros(TINY.vocabulary, dtype=torch.bool)
    split = {"dense": 12, "coherency": 4}
    for changes, loss in (({}, {"concatenate": True}), ({"heads": "shared"}, {}), ({"heads": "split", **split}, {}), ({"orders": 1}, {}), ({"orders": 3}, {})):
        torch.manual_seed(2)
        model = Verbatim(replace(TINY, **changes))
        torch.nn.init.normal_(model.term_context.weight, std=0.05)
        total, parts = batch_losses(model, paragraphs[:6], LossConfig(sampled_terms=64, **loss), torch.Generator().manual_seed(0), stop)
        assert all(torch.isfinite(v) for v in parts.values()), changes
        total.backward()
        silent = [n for n, p in model.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.abs().sum() > 0)]
        assert silent == [], (changes, loss)
    plain, joined = (
        batch_losses(Verbatim(TINY), paragraphs[:6], LossConfig(sampled_terms=64, concatenate=c), torch.Generator().manual_seed(0), stop)[1] for c in (False, True)
    )
    assert joined["own"] > plain["own"]  # more to choose from
    with pytest.raises(ValueError, match="does not split"):
        Verbatim(replace(TINY, heads="split"))


def test_an_ngram_is_its_tokens_in_order():
    ids = torch.tensor([101, 5, 6, 7, 5, 6, 102])
    one, two, three = gram_ids(ids, 3)
    assert one[1] == one[4] and two[1] == two[4] and three[1] != three[4]
    masks = gram_masks(torch.isin(ids, torch.tensor(SPECIALS)), 3)
    assert masks.tolist()[:3] == [[0, 1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 0, 0], [0, 1, 1, 1, 0, 0, 0]] and torch.equal(masks[:3], masks[3:])


def test_asking_all_paragraphs_finds_what_scores_of_pairs_say(tiny, paragraphs):
    """The best span of all paragraphs is the best of the best spans of each, scored together."""
    found = open_figures(tiny, paragraphs[:5], KINDS["full"], bf16=False, limit=100)
    scores = score_batch(tiny, paragraphs[:5], LossConfig())
    right = 0
    start, end = (dense + sparse for dense, sparse in zip(scores.dense, scores.sparse))
    for i, (owner, _) in enumerate(scores.questions):
        tops = []
        for p, (paragraph, s) in enumerate(zip(paragraphs[:5], scores.slices_p)):
            body = slice(s.start + paragraph.first, s.stop - 1)
            pair = pair_logits(scores.coherency[0][body], scores.coherency[1][body], scores.question[2][i : i + 1], 20)
            tops.append(span_logits(start[i : i + 1, body], end[i : i + 1, body], pair, 20).amax().detach())
        right += int(torch.stack(tops).argmax()) == owner
    assert found["questions"] == 10 and found["passageFirst"] == pytest.approx(100 * right / 10)


def test_a_row_of_an_ablation_changes_what_it_says_alone():
    plan = json.loads((HERE / "runs" / "ablations.json").read_text())
    assert len({row["name"] for row in plan["rows"]}) == len(plan["rows"])
    for row in plan["rows"]:
        config = config_of(plan, row)
        assert set(config.get("loss", {})) <= {f.name for f in fields(LossConfig)} and config["loss"]["bf16"] is True
        Verbatim(replace(Shape(**config.get("shape", {})), layers=1))
        assert config["steps"] == plan["common"]["steps"]


def test_the_network_makes_its_tensors_on_the_device_that_is_chosen():
    """The `meta` device refuses to mix with tensors of another: what a GPU would refuse, too."""
    try:
        torch.set_default_device("meta")
        model = Verbatim(TINY)
        ids, position, groups, inverse, slices = flat_batch([np.array([101, 2000, 3000, 102]), np.array([101, 5000, 102])], 100)
        hidden = model.encoder(ids, position, groups, inverse)
        start, end, c1, c2, keep = model.passage_heads(hidden)
        weights = model.ngram_attention(hidden[slices[0]], torch.isin(ids[slices[0]], torch.tensor(SPECIALS)))
        pair = pair_logits(c1, c2, model.question_heads(hidden[:1])[2], 5)
        spans = span_logits((start @ start.T)[:1], (end @ end.T)[:1], pair, 5)
        assert {t.device.type for t in (hidden, keep, weights, spans)} == {"meta"} and spans.shape == (1, 7, 5)
    finally:
        torch.set_default_device(None)
    with half():
        assert torch.nn.Linear(4, 2)(torch.ones(1, 4)).dtype == torch.bfloat16
    with half(False):
        assert torch.nn.Linear(4, 2)(torch.ones(1, 4)).dtype == torch.float32
