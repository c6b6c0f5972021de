"""Writes development questions in several languages, for tuning and never for measuring.

    python bench/development/languages.py --data DATA --squad train-v1.1.json --out FOLDER [--seed 1]

    FOLDER/spans.json         SQuAD layout: the articles asked about, and others of the same sets as distractors
    FOLDER/questions.jsonl    {id, language, question, answers, document}: the input of `verbatim eval open`,
                              scripts/tune-reader.ts and scripts/calibrate.ts; `asked` is the language of a
                              question that is in another one than its document
    FOLDER/same-language.jsonl  those without the ones in another language

The questions are of articles that neither verbatim-multi nor its reader was trained on: the held-out
articles of SQuAD train (English), CMRC 2018 trial (Chinese) and PIAF (French), and the held-out
documents of the questions that were written in twelve languages (training/written_multilingual.py,
which needs training/requirements.txt). Questions in another language than the document's are about the
same documents, and about held-out documents of training/written/english.jsonl. Index them with

    verbatim index FOLDER/spans.json --format squad --model multi --index LANGUAGES.index
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

from mix import TRAINING, answered_questions, load, without_questions, write_corpus, write_questions

# mix.py made the modules in TRAINING importable.
from held_out import split_articles
from written_multilingual import CHINESE, LANGUAGES, asked_across, asked_articles, json_lines
from written_multilingual import held_out as is_held_out

SETS = {"en": "train-v1.1.json", "zh": "zh/cmrc2018-trial.json", "fr": "other/piaf-fr.json.xz"}
ARTICLES = {"en": 4, "zh": 1000, "fr": 1000}  # held-out ones at most: SQuAD's are long
DISTRACTORS = {"en": 0, "zh": 60, "fr": 12}  # other articles
QUESTIONS = {"en": 150, "zh": 150, "fr": 150}
WRITTEN_CHINESE = 120  # questions
WRITTEN_DISTRACTORS = 60  # documents


def question_of(item: dict, document: str, language: str) -> dict:
    return {"id": item["id"], "language": language, "question": item["question"], "answers": [item["answer"]], "document": document}


def article_of(line: dict) -> dict:
    """A document that was written for training, as an article."""
    return {"title": f"{line['title']} ({line['id']})", "paragraphs": [{"context": line["text"], "qas": []}]}


def questions_of(line: dict) -> list[dict]:
    """Its answered questions."""
    document, language = f"{article_of(line)['title']}#0", line["language"].removesuffix("-Hant")
    asked = [item for item in line["questions"] if item["answer"]]
    return [question_of(item, document, language) | ({"asked": item["asked"]} if "asked" in item else {}) for item in asked]


def written_documents(draw: random.Random) -> tuple[list[dict], list[dict]]:
    """(articles, questions) of the documents that were written in twelve languages."""
    lines = json_lines(TRAINING / "written" / LANGUAGES)
    held = [line for line in lines if is_held_out(line["id"])]
    others = draw.sample([line for line in lines if not is_held_out(line["id"])], WRITTEN_DISTRACTORS)
    return [article_of(line) for line in held + others], [question for line in held for question in questions_of(line)]


def across_languages(known: list[dict]) -> tuple[list[dict], list[dict]]:
    """(articles, questions) asked in another language than the document's; the articles that are not `known` yet."""
    held = [line for line in asked_across(TRAINING / "written") if is_held_out(line["id"])]
    articles = [article for line in held if (article := article_of(line)) not in known]
    return articles, [question for line in held for question in questions_of(line)]


def written_chinese(data: Path, draw: random.Random) -> tuple[list[dict], list[dict]]:
    """(articles, questions) of the held-out articles of Chinese Wikipedia."""
    articles, questions = [], []
    for name, title, texts, items in asked_articles(TRAINING / "written" / CHINESE, data):
        if not is_held_out(name):
            continue
        title = f"{title} ({name})"
        articles.append({"title": title, "paragraphs": [{"context": text, "qas": []} for text in texts]})
        questions += [question_of(item, f"{title}#0", "zh") for item in items if item["answer"]]
    return articles, draw.sample(questions, min(WRITTEN_CHINESE, len(questions)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--squad", required=True, type=Path)
    parser.add_argument("--config", default=TRAINING / "runs/reader-multi.json", type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    draw, config = random.Random(args.seed), load(args.config)
    kept: list[dict] = []
    questions: list[dict] = []
    for language, name in SETS.items():
        articles = load(args.squad if language == "en" else args.data / name)["data"]
        held, _ = split_articles(articles, config)
        asked = draw.sample(held, min(ARTICLES[language], len(held)))
        others = draw.sample([article for article in articles if article not in held], DISTRACTORS[language])
        found: list[dict] = []
        for article in asked + others:
            title = article["title"]
            if any(title == one["title"] for one in kept):  # two articles of CMRC have none
                title += f" ({len(kept)})"
            kept.append(without_questions(article, title))
            if article in asked:
                found += answered_questions(article, title, {"language": language})
        questions += draw.sample(found, min(QUESTIONS[language], len(found)))
    for articles, found in (written_documents(draw), written_chinese(args.data, draw)):
        kept += articles
        questions += found
    articles, across = across_languages(kept)
    kept += articles
    questions += across
    write_corpus(args.out, kept)
    write_questions(args.out, questions)
    write_questions(args.out, [question for question in questions if "asked" not in question], "same-language.jsonl")
    print(json.dumps({"paragraphs": sum(len(a["paragraphs"]) for a in kept), **Counter(q["language"] for q in questions), "across": len(across)}))


if __name__ == "__main__":
    main()
