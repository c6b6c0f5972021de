"""Writes the held-out training articles as a SQuAD file, on which weights and thresholds are tuned.

    python held_out.py --config runs/first.json --data train-v1.1.json --out work/held-out.json
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--config", "--data", "--out"):
        parser.add_argument(name, required=True)
    parser.add_argument("--rest", help="also write the other articles, which are trained on")
    parser.add_argument("--questions", help="also write one question for each of their paragraphs, for mine.py")
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    data = json.loads(Path(args.data).read_text(encoding="utf-8"))["data"]
    articles = list(range(len(data)))
    random.Random(config.get("held_out_seed", config["seed"])).shuffle(articles)  # the same draw as data.split_held_out
    held = sorted(articles[: round(len(articles) * config["held_out"])])
    Path(args.out).write_text(json.dumps({"version": "1.1", "data": [data[i] for i in held]}), encoding="utf-8")
    rest = [data[i] for i in range(len(data)) if i not in set(held)]
    if args.rest:
        Path(args.rest).write_text(json.dumps({"version": "1.1", "data": rest}), encoding="utf-8")
    if args.questions:
        draw = random.Random(config["seed"])
        asked = [draw.choice(p["qas"]) for article in rest for p in article["paragraphs"] if p["qas"]]
        lines = (json.dumps({"id": one["id"], "question": one["question"]}) + "\n" for one in asked)
        Path(args.questions).write_text("".join(lines), encoding="utf-8")
    questions = sum(len(p["qas"]) for i in held for p in data[i]["paragraphs"])
    print(json.dumps({"articles": len(held), "paragraphs": sum(len(data[i]["paragraphs"]) for i in held), "questions": questions}))


if __name__ == "__main__":
    main()
