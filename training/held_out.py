"""Writes the held-out training articles as a SQuAD file: what weights and thresholds are tuned on.

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
    args = parser.parse_args()
    config = json.loads(Path(args.config).read_text())
    data = json.loads(Path(args.data).read_text(encoding="utf-8"))["data"]
    articles = list(range(len(data)))
    random.Random(config["seed"]).shuffle(articles)  # the same draw as data.split_held_out
    held = sorted(articles[: round(len(articles) * config["held_out"])])
    Path(args.out).write_text(json.dumps({"version": "1.1", "data": [data[i] for i in held]}), encoding="utf-8")
    questions = sum(len(p["qas"]) for i in held for p in data[i]["paragraphs"])
    print(json.dumps({"articles": len(held), "paragraphs": sum(len(data[i]["paragraphs"]) for i in held), "questions": questions}))


if __name__ == "__main__":
    main()
