"""Checks written questions against their passages, and finds where each answer is.

    python check_written.py work/asked/passages-00.json work/asked/written-00.jsonl
    python check_written.py work/asked written/questions.jsonl            # all of them into one file

A line of a file of written questions: {passage, question, answer, form} and `before` where the
answer occurs more than once: a few characters that come right before it. `answer` is null if the
passage does not answer the question.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

FORMS = ("question", "keywords", "long", "command", "yes-no", "none")


def place(text: str, answer: str, before: str = "") -> int:
    """Start of the answer in the text.

    @throws ValueError if it is not there, or is there more than once
    """
    found = text.find(before + answer)
    if found < 0:
        raise ValueError(f"not in the passage: {before + answer!r}")
    if text.find(before + answer, found + 1) >= 0:
        raise ValueError(f"more than once in the passage, give `before`: {before + answer!r}")
    return found + len(before)


def check(item: dict, passages: dict[str, dict]) -> int:
    """Start of the answer in the passage's text, -1 if it has none.

    @throws ValueError if a field is wrong, KeyError if one is missing or the passage is unknown
    """
    text = passages[item["passage"]]["text"]
    if not item["question"].strip() or len(item["question"]) > 240:
        raise ValueError("the question is empty or longer than 240 characters")
    if item["form"] not in FORMS or (item["form"] == "none") != (item["answer"] is None):
        raise ValueError(f"form must be one of {', '.join(FORMS)}, and `none` exactly where answer is null")
    if item["answer"] is None:
        return -1
    if item["answer"] != item["answer"].strip() or not item["answer"]:
        raise ValueError("the answer is empty or has spaces at its ends")
    return place(text, item["answer"], item.get("before", ""))


def report(passages: dict[str, dict], lines: list[str]) -> int:
    """Prints what is wrong and the counts. @returns the number of wrong lines"""
    wrong, forms, asked = 0, Counter(), Counter()
    for number, line in enumerate(lines, 1):
        try:
            item = json.loads(line)
            check(item, passages)
            forms[item["form"]] += 1
            asked[item["passage"]] += 1
        except (ValueError, KeyError) as error:
            wrong += 1
            print(f"line {number}: {error}")
    print(dict(forms), f"{len(asked)} of {len(passages)} passages, {wrong} wrong lines")
    return wrong


def collect(folder: Path, out: Path) -> None:
    """All written-*.jsonl of a folder, each followed by the twins-*.jsonl of its number, as one file.

    Lines are {id, kind, document, at, length, question, answer, start, form}: `at` and `length` are
    the passage in its document, `start` is the answer in the passage, in characters.
    """
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for path in sorted(folder.glob("written-*.jsonl")):
            passages = {one["id"]: one for one in json.loads((folder / path.name.replace("written", "passages").replace("jsonl", "json")).read_text())}
            twins = folder / path.name.replace("written", "twins")
            lines = path.read_text().splitlines() + (twins.read_text().splitlines() if twins.exists() else [])
            for number, line in enumerate(lines):
                item = json.loads(line)
                try:
                    start = check(item, passages)
                except (ValueError, KeyError) as error:
                    print(f"{path.name}, line {number + 1}, left out: {error}")
                    continue
                passage = passages[item["passage"]]
                where = {"kind": passage["kind"], "document": passage["document"], "at": passage["at"], "length": len(passage["text"])}
                said = {"question": item["question"], "answer": item["answer"], "start": start, "form": item["form"]}
                file.write(json.dumps({"id": f"{item['passage']}-{number}", **where, **said}, ensure_ascii=False) + "\n")
                count += 1
    print(f"{count} questions in {out}")


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    first, second = map(Path, sys.argv[1:])
    if first.is_dir():
        collect(first, second)
        return
    passages = {one["id"]: one for one in json.loads(first.read_text())}
    raise SystemExit(1 if report(passages, second.read_text().splitlines()) else 0)


if __name__ == "__main__":
    main()
