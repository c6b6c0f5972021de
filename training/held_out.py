"""Which articles are held out of training. As a script, writes those of SQuAD train to a file, on which
weights and thresholds are tuned.

    python held_out.py --config runs/first.json --data train-v1.1.json --out work/held-out.json
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable
from pathlib import Path


def draw_held_out(articles: Iterable[int], share: float, seed: int) -> set[int]:
    """The articles that are held out: a share of them, drawn with the seed."""
    order = sorted(articles)
    random.Random(seed).shuffle(order)
    return set(order[: round(len(order) * share)])


def split_articles(articles: list[dict], config: dict) -> tuple[list[dict], list[dict]]:
    """(held out, rest) of the articles of a file, each in the file's order."""
    held = draw_held_out(range(len(articles)), config["held_out"], config.get("held_out_seed", config["seed"]))
    return [article for n, article in enumerate(articles) if n in held], [article for n, article in enumerate(articles) if n not in held]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--data", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--rest", help="also write the other articles, which are trained on")
    parser.add_argument("--questions", help="also write one question for each of their paragraphs, for mine.py")
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    data = json.loads(Path(args.data).read_text(encoding="utf-8"))["data"]
    held, rest = split_articles(data, config)
    Path(args.out).write_text(json.dumps({"version": "1.1", "data": held}), encoding="utf-8")
    if args.rest:
        Path(args.rest).write_text(json.dumps({"version": "1.1", "data": rest}), encoding="utf-8")
    if args.questions:
        draw = random.Random(config["seed"])
        asked = [draw.choice(p["qas"]) for article in rest for p in article["paragraphs"] if p["qas"]]
        lines = (json.dumps({"id": one["id"], "question": one["question"]}) + "\n" for one in asked)
        Path(args.questions).write_text("".join(lines), encoding="utf-8")
    paragraphs = [paragraph for article in held for paragraph in article["paragraphs"]]
    print(json.dumps({"articles": len(held), "paragraphs": len(paragraphs), "questions": sum(len(p["qas"]) for p in paragraphs)}))


if __name__ == "__main__":
    main()
