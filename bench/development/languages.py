"""Writes development questions in several languages, for tuning and never for measuring.

    python bench/development/languages.py --data DATA --squad train-v1.1.json --out FOLDER [--seed 1]

    FOLDER/spans.json         SQuAD layout: the articles asked about, and as many others of the same sets as distractors
    FOLDER/questions.jsonl    {id, language, question, answers, document}: the input of `verbatim eval open`,
                              scripts/tune-reader.ts and scripts/calibrate.ts

The questions are of articles that neither verbatim-multi nor its reader was trained on: the held-out
articles of SQuAD train (English), CMRC 2018 trial (Chinese) and PIAF (French). Index them with

    verbatim index FOLDER/spans.json --format squad --model multi --index LANGUAGES.index
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

from mix import HERE, answered_questions, held_out, load, without_questions, write_corpus, write_questions

SETS = {"en": "train-v1.1.json", "zh": "zh/cmrc2018-trial.json", "fr": "other/piaf-fr.json.xz"}
ARTICLES = {"en": 4, "zh": 1000, "fr": 1000}  # held-out ones at most: SQuAD's are long
DISTRACTORS = {"en": 0, "zh": 60, "fr": 12}  # other articles
QUESTIONS = {"en": 150, "zh": 150, "fr": 150}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--squad", required=True, type=Path)
    parser.add_argument("--config", default=HERE.parent.parent / "training/runs/reader-multi.json", type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    draw, config = random.Random(args.seed), load(args.config)
    kept: list[dict] = []
    questions: list[dict] = []
    for language, name in SETS.items():
        articles = load(args.squad if language == "en" else args.data / name)["data"]
        held = held_out(articles, config)
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
    write_corpus(args.out, kept)
    write_questions(args.out, questions)
    print(json.dumps({"paragraphs": sum(len(a["paragraphs"]) for a in kept), **Counter(q["language"] for q in questions)}))


if __name__ == "__main__":
    main()
