"""Tests of the question writer, its candidates and the round trip; seconds on a CPU.

    python -m pytest -q test_writer.py
"""

from __future__ import annotations

import argparse
import json
import random

import numpy as np
import pytest
import torch

from answer_candidates import candidates, passages, pick
from text_base import load_tokenizer
from data_rules import ReservedData
from labels import Label, read_shard, write_shard
from round_trip import best_and_rival, judge, passes, prepare
from search_pairs import cut, pairs, ranked
from span_sets import load_spans
from made_up import TINY, made_up_squad
from train_writer import stream
from write_questions import main as write_main
from write_questions import sources, write
from writer_data import examples, tensors
from writer_model import QUESTION, Writer, draw, writer_loss

TEXT = "In March 2019 the harbour office moved to Pier Street because the old building had no lift. The move cost 45,000 euros. Boats pay at the new office."


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    paragraphs = load_spans(str(made_up_squad(tmp_path_factory.mktemp("squad") / "train-v1.1.json")), "train")
    return examples(paragraphs, [(p, q) for p in range(len(paragraphs)) for q in range(2)], 64, "1")


@pytest.fixture()
def writer() -> Writer:
    torch.manual_seed(3)
    made = Writer(TINY).eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.08)
    return made


def test_the_answer_is_marked_and_the_question_follows(given):
    ids, kinds, mask = tensors(given[:3])
    for i, (source, question) in enumerate(given[:3]):
        assert source.answer == question.answers[0]
        marked = ids[i][kinds[i] == 1].tolist()
        assert marked == load_tokenizer().encode(question.answers[0], add_special_tokens=False).ids
        assert ids[i][(kinds[i] == QUESTION) & mask[i]].tolist() == question.ids[1:].tolist()


def test_a_question_token_does_not_see_what_follows_and_the_source_sees_no_question(writer, given):
    ids, kinds, mask = tensors(given[:1])
    first = int((kinds[0] == QUESTION).nonzero()[0])
    with torch.no_grad():
        before = writer(ids, kinds, mask)
        changed = ids.clone()
        changed[0, first + 2] = 2000
        after = writer(changed, kinds, mask)
    assert torch.allclose(before[0, : first + 2], after[0, : first + 2], atol=1e-6)
    assert not torch.allclose(before[0, first + 2 :], after[0, first + 2 :], atol=1e-3)


def test_drawing_token_by_token_gives_the_probability_of_the_whole_pass(writer, given):
    source, question = given[0]
    ids, kinds = torch.as_tensor(source.paragraph.ids)[None], torch.as_tensor(source.kinds)[None]
    generator = torch.Generator().manual_seed(1)
    (tokens, score), (same, _) = draw(writer, ids.repeat(2, 1), kinds.repeat(2, 1), 6, 1e-6, 1.0, generator)  # top ≈ 0: the likeliest token
    assert tokens == same and 1 <= len(tokens) <= 6
    whole = torch.cat([ids, torch.tensor([tokens])], 1)
    marks = torch.cat([kinds, torch.full((1, len(tokens)), QUESTION)], 1)
    with torch.no_grad():
        logits = writer.next(writer(whole, marks, torch.ones_like(whole, dtype=torch.bool))[0])
    first = ids.shape[1] - 1
    assert [int(logits[first + n].argmax()) for n in range(len(tokens))] == tokens
    if len(tokens) == 6:
        logs = torch.log_softmax(logits, 1)
        assert score == pytest.approx(sum(float(logs[first + n, t]) for n, t in enumerate(tokens)) / 7, abs=1e-4)


def test_the_writer_learns_a_handful(writer, given):
    optimiser = torch.optim.AdamW(writer.parameters(), lr=4e-3)
    batch = tensors(given[:8])
    losses = []
    for _ in range(40):
        loss = writer_loss(writer, *batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]


def test_resuming_gives_the_batches_that_are_left(given):
    config = {"batch_tokens": 200, "seed": 5}
    names = lambda batch: [q.id for _, q in batch]  # noqa: E731
    whole, rest = stream(given, config, 0), stream(given, config, 7)
    first = [names(next(whole)) for _ in range(12)]
    assert first[7:] == [names(next(rest)) for _ in range(5)]


def test_candidates_are_dates_numbers_names_phrases_and_clauses():
    found = {(kind, TEXT[a:b]) for kind, a, b in candidates(TEXT)}
    assert {("date", "March 2019"), ("name", "Pier Street"), ("number", "45,000 euros"), ("noun", "harbour office moved")} & found
    assert ("date", "March 2019") in found and ("number", "45,000 euros") in found and ("name", "Pier Street") in found
    assert ("clause", "because the old building had no lift") in found
    chosen = pick(TEXT, 4, random.Random(1))
    assert len(chosen) == 4 and chosen == pick(TEXT, 4, random.Random(1))
    for _, a, b in chosen:
        assert all(b <= c or a >= d for _, c, d in chosen if (c, d) != (a, b))


def test_passages_keep_their_heading_and_leave_code_out():
    text = "# Guide\n\nShort.\n\n## Fees\n\n" + "Boats pay **two** [coins](http://x) a day. " * 6 + "\n\n```\ncode here\n```\n\n- " + "Crews pay nothing at all. " * 10
    made = list(passages("Harbour", text, 100, 600))
    assert made[0][0] == "Harbour: Fees" and "**" not in made[0][1] and "two coins a day" in made[0][1]
    assert not any("code here" in said or len(said) > 600 for _, said in made)
    made = list(passages("PEP 1", "Abstract\n========\n\n> [!NOTE] This proposal adds a keyword to the language.", 20, 500))
    assert made == [("PEP 1: Abstract", "This proposal adds a keyword to the language.")]
    wiki = "First paragraph of some length here.\nSecond paragraph, also of some length."
    assert list(passages("A", wiki, 20, 50)) == [("A", "First paragraph of some length here."), ("A", "Second paragraph, also of some length.")]


def test_written_lines_name_an_answer_that_is_in_the_text(writer):
    documents = [{"id": "d1", "title": "Harbour", "text": TEXT + " " + TEXT}]
    some = list(sources(documents, "other", 3, 100, random.Random(2)))
    assert len(some) == 3
    for line, source in some:
        assert line["text"][line["start"] : line["start"] + len(line["answer"])] == line["answer"] == source.answer
    for line in write(writer, some, load_tokenizer(), torch.Generator().manual_seed(1), False):
        assert line["question"] and line["score"] < 0


def test_questions_are_not_written_for_sets_that_are_partly_reserved(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["write_questions.py", "--writer", "x", "--documents", "faq.jsonl.xz", "--kind", "faq", "--out", str(tmp_path / "out")])
    with pytest.raises(ReservedData, match="faq"):
        write_main()


class Finder:
    """A teacher that finds a given answer, and says how sure it is of the passage by whether the
    answer is in it."""

    def __init__(self, answer: str):
        self.answer = load_tokenizer().encode(answer, add_special_tokens=False).ids

    def run(self, _, inputs):
        ids = inputs["ids"]
        start, end, answer = np.zeros(ids.shape, np.float32), np.zeros(ids.shape, np.float32), np.full(len(ids), -3, np.float32)
        for i, row in enumerate(ids.tolist()):
            for at in range(len(row) - len(self.answer)):
                if row[at : at + len(self.answer)] == self.answer:
                    start[i, at], end[i, at + len(self.answer) - 1], answer[i] = 6, 6, 3
        return [start, end, answer]


def line_of(answer: str) -> dict:
    return {"id": "w1", "kind": "other", "question": "What did the move cost?", "title": "Harbour", "text": TEXT, "answer": answer, "start": TEXT.index(answer)}


def test_a_question_is_kept_when_the_teacher_finds_its_answer(tmp_path):
    args = argparse.Namespace(answer=0.0, margin=2.0, twins=1.0, batch_tokens=1000)
    tokenizer = load_tokenizer()
    line = line_of("45,000 euros")
    groups, kept = judge(Finder("45,000 euros"), [(line, *prepare(tokenizer, line))], args, random.Random(1))
    assert kept == [line] and [r.known for r in groups[0]] == [1, 0]
    own, twin = groups[0]
    assert tokenizer.decode(own.ids[own.start : own.end + 1].tolist()) == "45, 000 euros"
    assert len(twin.ids) < len(own.ids) and twin.start == -1 and twin.answer == -3
    write_shard(tmp_path / "part-0000.npz", groups)
    assert len(read_shard(tmp_path / "part-0000.npz")[0]) == 2
    groups, kept = judge(Finder("lift"), [(line, *prepare(tokenizer, line))], args, random.Random(1))
    assert not groups and not kept


def test_the_lead_is_over_spans_that_do_not_overlap():
    logits = np.zeros((2, 10), np.float16)
    logits[0, 3], logits[1, 4], logits[0, 8], logits[1, 8] = 5, 5, 3, 3
    start, end, lead = best_and_rival(logits)
    assert (start, end) == (3, 4) and lead == pytest.approx(4)
    paragraph, question = prepare(load_tokenizer(), line_of("45,000 euros"))
    wrong = Label("other", "w1", paragraph.ids, 0, 1, 0, 0, np.zeros((2, len(paragraph.ids) - 1 - paragraph.first)), 9.0)
    assert not passes(wrong, paragraph, question, 0.0, 0.0)


def test_pairs_hold_the_first_passages_of_each_question_by_the_engines_offsets():
    text = "😀 First passage. Second passage."
    answers = [{"id": "1", "answers": [{"documentId": "d", "passageStart": 3, "passageEnd": 17}] * 2 + [{"documentId": "d", "passageStart": 18, "passageEnd": 33}]}, {"id": "2", "error": "x"}]
    places = ranked(answers, 5)
    assert places == {"1": [("d", 3, 17), ("d", 18, 33)]} and ranked(answers, 1) == {"1": [("d", 3, 17)]}
    assert cut(text, 3, 17) == "First passage."
    made = list(pairs({"1": "Which?"}, places, {"d": ("T", text)}, "nq"))
    assert [one["text"] for one in made] == ["First passage.", "Second passage."] and made[0]["id"] == "nq-1"
    assert json.dumps(made[0]) and not list(pairs({"1": "Which?"}, places, {}, "nq"))
