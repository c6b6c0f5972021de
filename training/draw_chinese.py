"""Draws the passages of Chinese Wikipedia that training questions are written about: whole
paragraphs of 200 to 650 characters, one of an article, a little more than half of them converted to
traditional characters.

    python draw_chinese.py --data DATA_FOLDER --out work/asked-chinese --seed 20

Writes work/asked-chinese/passages-<n>.json, 50 passages each, {id, document, title, at, length,
traditional, text}: `document` is the article's id in the corpus, and `at` and `length` are the
paragraph's place in its text, in characters. The same seed gives the same passages. Articles whose
title is one of CMRC 2018 or DRCD are left out, and so is a paragraph that has sixteen characters in a
row in common with a paragraph of theirs: CMRC dev and DRCD dev are for measuring, and CMRC trial has
its own held-out articles.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections.abc import Iterator
from pathlib import Path

from data_rules import require
from traditional import traditional

CORPUS = "corpora/zhwiki.jsonl.xz"
MEASURED = ("zh/cmrc2018-dev.json", "zh/drcd-dev.json", "zh/cmrc2018-trial.json")
LEAST, MOST = 200, 650  # characters of a passage
RUN = 16  # characters in a row that must not be common
PER_FILE = 50
SHARE = 0.05  # of the articles
TRADITIONAL = 0.55  # of the passages
HAN = re.compile("[\u4e00-\u9fff]")


def articles(data: Path) -> Iterator[dict]:
    """{id, title, text}"""
    require(data / CORPUS, "train")
    with lzma.open(data / CORPUS, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """(start, paragraph): those of a passage's length that are mostly Chinese characters."""
    at = 0
    for paragraph in text.split("\n"):
        if LEAST <= len(paragraph) <= MOST and len(HAN.findall(paragraph)) > 0.6 * len(paragraph):
            yield at, paragraph
        at += len(paragraph) + 1


def runs(text: str) -> set[str]:
    """All runs of RUN characters, spaces aside, in traditional characters."""
    plain = traditional(re.sub(r"\s", "", text))
    return {plain[at : at + RUN] for at in range(len(plain) - RUN + 1)}


def measured(data: Path) -> tuple[set[str], set[str]]:
    """(titles, runs of characters) of the sets that are for measuring."""
    titles, common = set(), set()
    for name in MEASURED:
        for article in json.loads((data / name).read_text(encoding="utf-8"))["data"]:
            titles.add(traditional(article.get("title", "").replace("_", " ").strip().lower()))
            for paragraph in article["paragraphs"]:
                common |= runs(paragraph["context"])
    return titles, common


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=20)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    titles, common = measured(args.data)
    rng = random.Random(args.seed)
    drawn = []
    for article in articles(args.data):
        if traditional(article["title"].strip().lower()) in titles or rng.random() > SHARE:
            continue
        if not (candidates := list(paragraphs(article["text"]))):
            continue
        at, text = rng.choice(candidates)
        if common.isdisjoint(runs(text)):
            drawn.append({"document": str(article["id"]), "title": article["title"], "at": at, "length": len(text), "text": text})
    rng.shuffle(drawn)
    for number, one in enumerate(drawn):
        one["traditional"] = rng.random() < TRADITIONAL
        one["id"] = f"z{number:04d}"
        if one["traditional"]:
            one["title"], one["text"] = traditional(one["title"]), traditional(one["text"])
    for at in range(0, len(drawn), PER_FILE):
        (args.out / f"passages-{at // PER_FILE:02d}.json").write_text(json.dumps(drawn[at : at + PER_FILE], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(drawn)} passages")


if __name__ == "__main__":
    main()
