"""Hard negatives: what a search mistakes for each training paragraph, found with an index of the
training paragraphs themselves.

    python held_out.py --config runs/third.json --data train-v1.1.json --out work/held-out.json --rest work/train.json --questions work/asked.jsonl
    ../verbatim index work/train.json --format squad --index work/train.index
    ../verbatim ask --questions work/asked.jsonl --index work/train.index --reader off --min-confidence 0 --top-k 10 --out work/answers.jsonl
    python mine.py --answers work/answers.jsonl --data work/train.json --out work/mined.json

For each question these are the documents of its best answers other than its own paragraph. A
document that contains a gold answer is skipped, because it may be right.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path


def confusers(answers: list[dict], paragraphs: dict[str, str], golds: dict[str, tuple[str, list[str]]]) -> dict[str, list[str]]:
    """Paragraph name -> names of the paragraphs that are mistaken for it, the most frequent and
    highest-ranked first.

    @param answers  objects of `verbatim ask --questions`
    @param paragraphs  text by name
    @param golds  question id -> name of its paragraph and texts of its answers
    """
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for line in answers:
        own, texts = golds[line["id"]]
        for rank, answer in enumerate(line["answers"]):
            other = answer["documentId"]
            if other == own or other not in paragraphs or any(text.lower() in paragraphs[other].lower() for text in texts):
                continue
            found[own][other] += 1 / (1 + rank)
    return {own: sorted(others, key=lambda name: (-others[name], name)) for own, others in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--answers", "--data", "--out"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    paragraphs: dict[str, str] = {}
    golds: dict[str, tuple[str, list[str]]] = {}
    for article in json.loads(Path(args.data).read_text(encoding="utf-8"))["data"]:
        for number, record in enumerate(article["paragraphs"]):
            name = f"{article['title']}#{number}"
            paragraphs[name] = record["context"]
            for qa in record["qas"]:
                golds[qa["id"]] = (name, [a["text"] for a in qa["answers"]])
    with open(args.answers, encoding="utf-8") as lines:
        mined = confusers([json.loads(line) for line in lines], paragraphs, golds)
    Path(args.out).write_text(json.dumps(mined), encoding="utf-8")
    print(json.dumps({"paragraphs": len(mined), "confusers": sum(map(len, mined.values()))}))


if __name__ == "__main__":
    main()
