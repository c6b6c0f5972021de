"""Tests of written questions: drawing passages, checking answers, loading, and training on them.

    python -m pytest -q test_written.py
"""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path

import pytest
import torch

from check_written import check, collect, place
from data_rules import ReservedData, reserved
from draw_passages import LEAST, SIZE, documents, passages
from held_out_documents import held_out
from model import Shape
from reader import Reader
from reader_rows import group_batches
from train_reader import Sets, loss_of
from written import load_pairs, load_written, strip_markup, trainable

CONFIG = {
    "seed": 3,
    "counts": {"written": 100, "faq": 10},
    "window": [40, 60],
    "negatives": {"cut": 0.0, "other": 1.0},
    "bf16": False,
    "answer_weight": 0.4,
}


def write_lines(path, items) -> None:
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(item) + "\n" for item in items)


def section(number: int, fact: str) -> str:
    body = f"The {fact} of pump {number} is **{number + 30} litres** a minute. See [the table](https://example.org/{number})."
    filler = " ".join(f"Valve {i} is opened by hand before the pump runs and closed again afterwards." for i in range(5))
    return f"## Pump {number}\n\n{body}\n\n{filler}\n\n"


@pytest.fixture()
def data(tmp_path):
    """A data folder with 12 manuals of 3 sections each; a reserved question of faq comes from the
    first."""
    other = tmp_path / "other"
    other.mkdir()
    manuals = [{"id": f"works:manual-{n}.md", "title": f"Manual {n}", "source": "moby/moby", "text": "# Manual\n\n" + "".join(section(3 * n + i, "flow") for i in range(3))} for n in range(12)]
    write_lines(other / "plain-other.jsonl.xz", manuals)
    kept = next(f"faq-{i}" for i in range(99) if reserved(f"faq-{i}"))
    free = [f"faq-{i}" for i in range(99) if not reserved(f"faq-{i}")][:6]
    faq = [{"id": kept, "question": "Held?", "passage": "Held.", "title": "Held", "source": "moby/moby:works:manual-0.md"}]
    faq += [{"id": name, "question": f"What about {name}?", "passage": f"All about {name} is said here.", "title": "About", "source": "works:about.md"} for name in free]
    write_lines(other / "faq.jsonl.xz", faq)
    for name in ("medquad", "qmsum"):
        write_lines(other / f"{name}.jsonl.xz", [])
    (other / "tatqa-text.json").write_text('{"data": []}')
    with lzma.open(other / "contractnli.json.xz", "wt") as file:
        file.write('{"data": []}')
    return tmp_path


@pytest.fixture()
def questions(data, tmp_path):
    """One question with an answer and a twin without one for every section that passages() finds."""
    folder = tmp_path / "asked"
    folder.mkdir()
    drawn, lines, twins = [], [], []
    for kind, document, title, text in documents(data):
        for at, heading, piece in passages(text):
            name = f"p{len(drawn)}"
            drawn.append({"id": name, "kind": kind, "document": document, "title": title, "heading": heading, "at": at, "text": piece})
            litres = piece.split("**")[1]
            lines.append({"passage": name, "question": f"How much does {heading} move?", "answer": litres, "form": "question"})
            twins.append({"passage": name, "question": f"Who built {heading}?", "answer": None, "form": "none"})
    (folder / "passages-00.json").write_text(json.dumps(drawn))
    for file, items in (("written-00.jsonl", lines), ("twins-00.jsonl", twins)):
        (folder / file).write_text("".join(json.dumps(item) + "\n" for item in items))
    collect(folder, tmp_path / "questions.jsonl")
    return tmp_path / "questions.jsonl"


def test_passages_are_whole_paragraphs_below_one_heading():
    text = "# A\n\n" + "".join(section(n, "flow") for n in range(4)) + "## Short\n\nToo short.\n"
    found = list(passages(text))
    assert [heading for _, heading, _ in found] == [f"Pump {n}" for n in range(4)]
    assert all(text[at : at + len(piece)] == piece and LEAST <= len(piece) <= SIZE for at, _, piece in found)


def test_documents_of_reserved_items_are_not_drawn(data):
    names = [document for _, document, _, _ in documents(data)]
    assert "works:manual-0.md" not in names and len(names) == 11


def test_an_answer_is_found_at_its_one_place():
    assert place("fee 5, cap 5", "5", "cap ") == 11
    with pytest.raises(ValueError, match="more than once"):
        place("fee 5, cap 5", "5")
    with pytest.raises(ValueError, match="not in the passage"):
        place("fee 5", "6")
    with pytest.raises(ValueError, match="form"):
        check({"passage": "p", "question": "Why?", "answer": None, "form": "question"}, {"p": {"text": ""}})


def test_marks_are_removed_from_text():
    assert strip_markup("see **[the page](https://example.org/a)** and ``x``, :pep:`8`") == "see the page and x, 8"


def test_written_questions_keep_their_answers_and_their_documents_apart(data, questions):
    train, tune = load_written(questions, data)
    assert {p.title for p in train} & {p.title for p in tune} == set()
    asked = [(p, q) for p in train + tune for q in p.questions]
    assert len(asked) == 66 and sum(q.start < 0 for _, q in asked) == 33
    for paragraph, question in asked:
        if question.start >= 0:
            found = paragraph.text[paragraph.offsets[question.start, 0] : paragraph.offsets[question.end, 1]]
            assert [found] == question.answers and found.endswith("litres")
    assert all("](" not in p.text and "**" not in p.text for p in train + tune)


def test_held_out_documents_are_a_fifth_and_those_of_the_development_mix():
    share = sum(held_out(f"document {n}") for n in range(2000)) / 2000
    assert 0.17 < share < 0.23
    assert held_out("MicrosoftDocs/dynamics365smb-docs:business-central/report-analyze-excel.md")


def test_reserved_items_are_never_paired(data):
    made = load_pairs(data / "other" / "faq.jsonl.xz", 100, 1)
    assert made and not any(reserved(question.id) for question, _, _ in made)
    with pytest.raises(ReservedData):
        load_pairs(data / "other" / "policyqa.json.xz", 1, 1)


def test_pairs_leave_out_held_out_documents_and_what_repeats_a_reserved_or_held_out_item():
    reserved_id = next(f"m-{i}" for i in range(99) if reserved(f"m-{i}"))
    held_id = next(f"m-{i}" for i in range(99) if held_out(f"m-{i}") and not reserved(f"m-{i}"))
    free = [f"m-{i}" for i in range(99) if not held_out(f"m-{i}") and not reserved(f"m-{i}")]

    def item(name: str, question: str, passage: str) -> dict:
        return {"id": name, "question": question, "passage": passage, "title": "", "source": "MedQuAD GHR"}

    items = [
        item(reserved_id, "What is gout ?", "Gout is painful."),
        item(held_id, "What is flu?", "Flu is a virus."),
        item(free[0], "what is gout ?", "Another text."),
        item(free[1], "Is it painful?", "Gout is painful."),
        item(free[2], "Is it a virus?", "Flu is a virus."),
        item(free[3], "What is flu?", "Influenza."),
    ]
    assert [one["id"] for one in trainable(Path("medquad.jsonl.xz"), items)] == [free[3]]
    sources = ["works:manual-1.md", next(f"works:manual-{i}.md" for i in range(99) if held_out(f"works:manual-{i}.md"))]
    assert not held_out(sources[0])
    faq = [{**item(name, f"{name}?", name), "source": source} for name, source in zip(free, sources)]
    assert [one["source"] for one in trainable(Path("faq.jsonl.xz"), faq)] == sources[:1]


def test_negatives_come_from_the_same_document_and_the_loss_falls(data, questions):
    torch.manual_seed(1)
    config = {**CONFIG, "sets": [{"file": str(questions), "name": "written", "written": True}, {"file": "other/faq.jsonl.xz"}]}
    sets = Sets(config, data, data / "cache")
    groups = sets.epoch(0)
    assert sum(len(group) == 2 and group[0].answers and not group[1].answers for group in groups) > 20
    made = group_batches(groups, 800, random.Random(1))
    assert sum(map(len, made)) == len(groups)
    assert all(max(len(r.ids) for g in b for r in g) * sum(map(len, b)) <= 800 or len(b) == 1 for b in made)
    reader = Reader(Shape(hidden=32, layers=1, attention_heads=4, inner=64))
    optimiser = torch.optim.Adam(reader.parameters(), lr=3e-3)
    losses = []
    for batch in (made * 3)[:60]:
        loss, parts = loss_of(reader, batch, CONFIG)
        assert torch.isfinite(loss) and set(parts) == {"span", "answerable"}
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
