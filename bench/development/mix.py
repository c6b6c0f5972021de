"""Writes the development mix: documents and questions of several kinds, for tuning and never for measuring.

    python bench/development/mix.py --data DATA --squad train-v1.1.json --out FOLDER [--seed 1]

    FOLDER/manuals/…          150 Markdown files of plain-other: manuals, minutes, handbooks, policies, specifications
    FOLDER/spans.json         SQuAD layout: stories, reports, tables, and articles of SQuAD train that no model was trained on
    FOLDER/questions.jsonl    {id, kind, question, answers, document}: the input of `verbatim eval open` and scripts/calibrate.ts

Kinds and their parts: `story` fairytaleqa val and test, `report` tatqa-text test, `table`
wikitablequestions unseen, `encyclopedia` the held-out articles (training/held_out.py), `manual`
manual-questions.jsonl in this folder, written for 34 of the Markdown files. DATA has the other
sets, xz-compressed. Index it with

    verbatim index FOLDER/manuals FOLDER/spans.json --index MIX.index        (run in FOLDER)
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
TRAINING = HERE.parent.parent / "training"
sys.path.insert(0, str(TRAINING))

from held_out import split_articles  # noqa: E402

QUESTIONS = {"story": 160, "report": 110, "table": 110, "encyclopedia": 160}
ARTICLES = {"story": 22, "report": 300, "table": 110, "encyclopedia": 8}
MANUALS = 150
MANUAL_CHARACTERS = (1200, 12_000)


def load(path: Path) -> dict:
    opened = lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8")
    with opened as file:
        return json.load(file)


def spans(data: Path, squad: Path, config: dict) -> dict[str, list[dict]]:
    def part(name: str, splits: tuple[str, ...]) -> list[dict]:
        return [article for article in load(data / name)["data"] if article["split"] in splits]

    return {
        "story": part("fairytaleqa.json.xz", ("val", "test")),
        "report": part("tatqa-text.json", ("test",)),
        "table": part("wikitablequestions.json.xz", ("unseen",)),
        "encyclopedia": split_articles(load(squad)["data"], config)[0],
    }


def file_name(document: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", document).strip("-").removesuffix(".rst").removesuffix(".md") + ".md"


def write_manuals(data: Path, out: Path, draw: random.Random) -> list[dict]:
    """Writes the Markdown files. @returns the questions about them"""
    with lzma.open(data / "plain-other.jsonl.xz", "rt", encoding="utf-8") as file:
        documents = {row["id"]: row for row in map(json.loads, file)}
    asked = [json.loads(line) for line in (HERE / "manual-questions.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = sorted({question["document"] for question in asked})
    by_source: dict[str, list[str]] = defaultdict(list)
    for name, row in documents.items():
        if MANUAL_CHARACTERS[0] < len(row["text"]) < MANUAL_CHARACTERS[1] and name not in chosen:
            by_source[row["source"]].append(name)
    while len(chosen) < MANUALS:  # as many of each source, so that no manual dominates
        for names in by_source.values():
            if names and len(chosen) < MANUALS:
                chosen.append(names.pop(draw.randrange(len(names))))
    (out / "manuals").mkdir(parents=True, exist_ok=True)
    for name in chosen:
        row = documents[name]
        title = json.dumps(row["title"], ensure_ascii=False)
        (out / "manuals" / file_name(name)).write_text(f"---\ntitle: {title}\n---\n{row['text']}", encoding="utf-8")
    return [{**question, "kind": "manual", "document": f"manuals/{file_name(question['document'])}"} for question in asked]


def without_questions(article: dict, title: str) -> dict:
    return {"title": title, "paragraphs": [{"context": p["context"], "qas": []} for p in article["paragraphs"]]}


def answered_questions(article: dict, title: str, label: dict[str, str]) -> list[dict]:
    """The questions with an answer, each with `label` and the id of its document."""
    found = []
    for number, paragraph in enumerate(article["paragraphs"]):
        for qa in paragraph["qas"]:
            if answers := sorted({answer["text"] for answer in qa["answers"]}):
                found.append({"id": qa["id"], **label, "question": qa["question"], "answers": answers, "document": f"{title}#{number}"})
    return found


def write_corpus(out: Path, articles: list[dict]) -> None:
    (out / "spans.json").write_text(json.dumps({"version": "1.1", "data": articles}, ensure_ascii=False), encoding="utf-8")


def write_questions(out: Path, questions: list[dict], name: str = "questions.jsonl") -> None:
    lines = (json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    (out / name).write_text("".join(lines), encoding="utf-8")


def write_spans(articles: dict[str, list[dict]], out: Path, draw: random.Random) -> list[dict]:
    """Writes spans.json. @returns the questions drawn from it"""
    kept: list[dict] = []
    questions: list[dict] = []
    titles: set[str] = set()
    for kind, all_articles in articles.items():
        found: list[dict] = []
        count = min(ARTICLES[kind], len(all_articles))
        for article in draw.sample(all_articles, count):
            title = article["title"]
            if title in titles:
                continue
            titles.add(title)
            kept.append(without_questions(article, title))
            found += answered_questions(article, title, {"kind": kind})
        questions += draw.sample(found, min(QUESTIONS[kind], len(found)))
    write_corpus(out, kept)
    return questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--squad", required=True, type=Path)
    parser.add_argument("--config", default=TRAINING / "runs/first.json", type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    draw = random.Random(args.seed)
    questions = write_spans(spans(args.data, args.squad, load(args.config)), args.out, draw)
    questions += write_manuals(args.data, args.out, draw)
    write_questions(args.out, questions)
    counts: dict[str, int] = defaultdict(int)
    for question in questions:
        counts[question["kind"]] += 1
    print(json.dumps({"questions": len(questions), **counts}))


if __name__ == "__main__":
    main()
