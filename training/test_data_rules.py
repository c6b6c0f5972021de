"""Tests of the rules on what may be trained on, and of the loader that applies them."""

from __future__ import annotations

import hashlib
import json
import lzma
import random
from pathlib import Path

import numpy as np
import pytest

import set_cache
import span_sets
from data_rules import ReservedData, allowed_parts, check_items, require, reserved, stem, usable
from held_out_documents import held_out
from set_cache import cache_key
from span_sets import load_spans, train_and_tune, window
from text_base import WordPiece, load_tokenizer


def item(part: str, digits: str) -> str:
    """An id of the part whose SHA-256 starts with one of the digits."""
    return next(name for n in range(999) if hashlib.sha256((name := f"{part}-{n}").encode()).hexdigest()[0] in digits)


def contracts(path: Path, title: str = "agreement.pdf") -> Path:
    """A ContractNLI-like file: two parts, in each a reserved question, a free one and one without
    an answer."""
    data = []
    for part in ("dev", "test"):
        context = "The Receiving Party shall return the documents within 30 days. It shall keep no copies of any kind. The law of Ohio applies."
        qas = [{"id": item(f"{part}-reserved", "0123"), "question": "Who?", "answers": [{"text": "The Receiving Party", "answer_start": 0}]}]
        qas.append({"id": item(f"{part}-free", "456789abcdef"), "question": "How long?", "answers": [{"text": "30 days", "answer_start": 54}]})
        qas.append({"id": item(f"{part}-none", "456789abcdef"), "question": "What price?", "answers": [], "is_impossible": True})
        data.append({"title": title, "split": part, "paragraphs": [{"context": context, "qas": qas}]})
    path.write_bytes(lzma.compress(json.dumps({"data": data}).encode()))
    return path


@pytest.mark.parametrize("name", ["dev-v1.1.json", "efficientqa-dev.jsonl", "nq-open-test.jsonl", "squad-test.json", "drcd-dev.json", "unknown.json"])
@pytest.mark.parametrize("use", ["train", "tune"])
def test_files_for_measuring_are_refused(name, use):
    with pytest.raises(ReservedData, match=name):
        require(f"/data/{name}", use)


def test_policies_are_refused_for_training_because_of_their_terms():
    with pytest.raises(ReservedData):
        require("other/policyqa.json.xz", "train")


def test_an_unknown_use_is_an_error():
    with pytest.raises(ValueError, match="measure"):
        require("other/qamr.json.xz", "measure")


def test_parts_and_reserved_ids_decide_about_an_item():
    free, kept = item("x", "456789abcdef"), item("x", "0123")
    assert reserved(kept) and not reserved(free)
    assert allowed_parts("contractnli.json.xz", "train") == ("dev",)
    assert usable("contractnli.json.xz", "train", "dev", free)
    assert not usable("contractnli.json.xz", "train", "dev", kept)
    assert not usable("contractnli.json.xz", "train", "test", free)
    assert not usable("contractnli.json.xz", "tune", "test", kept)
    assert usable("qamr.json.xz", "train", "test", kept)  # nothing of it is measured
    assert stem("a/b/faq.jsonl.xz") == "faq"
    with pytest.raises(ReservedData, match=kept):
        check_items("faq.jsonl.xz", [free, kept])


def test_the_loader_leaves_out_reserved_questions_and_other_parts(tmp_path):
    train, tune = train_and_tune(str(contracts(tmp_path / "contractnli.json.xz")), 0.05, 1)
    for paragraphs, part in ((train, "dev"), (tune, "test")):
        (paragraph,) = paragraphs
        assert [q.id.split("-")[:2] for q in paragraph.questions] == [[part, "free"], [part, "none"]]
        assert paragraph.title == ""  # a file name is no title
        known, unknown = paragraph.questions
        assert paragraph.text[paragraph.offsets[known.start, 0] : paragraph.offsets[known.end, 1]] == "30 days"
        assert (unknown.start, unknown.end) == (-1, -1)


def test_contracts_that_held_out_written_questions_are_about_are_not_trained_on(tmp_path):
    title = next(name for n in range(99) if held_out(f"{(name := f'agreement-{n}.pdf')}#0"))
    path = str(contracts(tmp_path / "contractnli.json.xz", title))
    assert load_spans(path, "train") == [] and len(load_spans(path, "tune")) == 1


def test_a_cache_key_changes_with_the_rules_the_file_and_the_options(tmp_path, monkeypatch):
    path, rules = contracts(tmp_path / "contractnli.json.xz"), tmp_path / "rules.py"
    rules.write_text("first")
    monkeypatch.setattr(set_cache, "RULES", (rules,))
    keys = [cache_key(path, None, {"held_out_seed": seed}) for seed in (1, 2, 1)]
    assert keys[0] == keys[2] != keys[1]
    rules.write_text("second")
    keys.append(cache_key(path, None, {"held_out_seed": 1}))
    contracts(path, "other.pdf")
    keys.append(cache_key(path, None, {"held_out_seed": 1}))
    vocabulary = load_tokenizer().vocabulary_bytes()
    monkeypatch.setattr(WordPiece, "vocabulary_bytes", lambda _: vocabulary + b"more\n")
    keys.append(cache_key(path, None, {"held_out_seed": 1}))
    assert len(set(keys)) == 5


def test_spans_come_from_the_cache_the_second_time(tmp_path, monkeypatch):
    path = str(contracts(tmp_path / "contractnli.json.xz"))
    first = load_spans(path, "train", tmp_path / "cache")
    monkeypatch.setattr(span_sets, "read_spans", None)
    again = load_spans(path, "train", tmp_path / "cache")
    assert [q.id for p in again for q in p.questions] == [q.id for p in first for q in p.questions]


def test_a_window_keeps_the_answer_and_the_frame(tmp_path):
    paragraph = load_spans(str(contracts(tmp_path / "contractnli.json.xz")), "train")[0]
    question = paragraph.questions[0]
    places = set()
    for seed in range(20):
        shorter, start, end = window(paragraph, question.start, question.end, 8, random.Random(seed))
        assert len(shorter.ids) == paragraph.first + 8 + 1 and shorter.ids[-1] == paragraph.ids[-1]
        assert shorter.text[shorter.offsets[start, 0] : shorter.offsets[end, 1]] == "30 days"
        assert (np.diff(shorter.offsets[shorter.first : -1, 0]) > 0).all()
        places.add(start)
    assert len(places) > 3
    assert window(paragraph, question.start, question.start + 8, 8, random.Random(1)) is None
    assert window(paragraph, question.start, question.end, 500, random.Random(1))[0] is paragraph
    assert window(paragraph, -1, -1, 8, random.Random(1))[1:] == (-1, -1)
