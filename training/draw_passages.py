"""Draws the passages for which training questions are written, from documents of other kinds than an
encyclopedia: whole paragraphs, at most SIZE characters.

    python draw_passages.py --data DATA_FOLDER --out work/asked --seed 61

Writes work/asked/passages-<n>.json, 20 passages each, {id, kind, document, title, heading, at,
text}: `at` is where the text starts in the document, in characters. An id is the same for the same
seed and the passages that the folder has already, which are not drawn again. Nothing that is
reserved for measuring is drawn: items of reserved sets by their id (data_rules.py), documents of
plain-other that a reserved item of faq comes from.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections.abc import Iterator
from pathlib import Path

from data_rules import require, reserved, usable

SIZE = 1500  # characters of a passage, at most
LEAST = 350  # and at least
PER_FILE = 20
# kind -> how many passages are drawn; a source of plain-other, or another set
COUNTS = {
    "MicrosoftDocs/dynamics365smb-docs": 200,
    "MicrosoftDocs/WSL": 30,
    "kubernetes/community": 110,
    "18F/handbook": 100,
    "github/site-policy": 50,
    "Automattic/legalmattic": 30,
    "moby/moby": 40,
    "python/peps": 100,
    "contractnli": 40,
    "tatqa-text": 20,
    "medquad": 50,
    "qmsum": 30,
}
CLUTTER = re.compile(r"https?://|\]\(|[|{}<>\[\]]")


def lines(path: Path) -> Iterator[dict]:
    require(path, "train")
    with lzma.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def span_document(title: str, number: int) -> str:
    """The document of a span set's article that is its paragraph `number`."""
    return f"{title}#{number}"


def documents(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """(kind, document, title, text)"""
    other = data / "other"
    held = {item["source"] for item in lines(other / "faq.jsonl.xz") if reserved(item["id"])}
    for item in lines(other / "plain-other.jsonl.xz"):
        if not any(source.endswith(item["id"]) for source in held):
            yield item["source"], item["id"], item["title"], item["text"]
    for name in ("medquad", "qmsum"):
        items = list(lines(other / f"{name}.jsonl.xz"))
        kept = {item["passage"] for item in items if reserved(item["id"])}  # some passages come again with another question
        for item in items:
            if usable(name, "train", item["source"].split()[-1], item["id"]) and item["passage"] not in kept:
                yield name, item["id"], item["title"], item["passage"]
    for name, opener in (("contractnli.json.xz", lzma.open), ("tatqa-text.json", open)):
        require(other / name, "train")
        with opener(other / name, "rt", encoding="utf-8") as file:
            articles = json.load(file)["data"]
        for article in articles:
            for number, record in enumerate(article["paragraphs"]):
                if all(usable(name, "train", article.get("split"), qa["id"]) for qa in record["qas"]) and article.get("split") == "dev":
                    yield name.split(".")[0], span_document(article["title"], number), "", record["context"]


def passages(text: str) -> Iterator[tuple[int, str, str]]:
    """(start, heading, passage): runs of whole paragraphs under one heading."""
    heading, start, stop = "", -1, -1
    at = 0
    for block in re.split(r"(\n[ \t]*\n+)" if "\n\n" in text else r"(\n)", text):
        first, at = at, at + len(block)
        if not block.strip():
            continue
        title = re.match(r"#{1,6} (.+)", block)
        if title or (start >= 0 and at - start > SIZE):
            if start >= 0 and stop - start >= LEAST:
                yield start, heading, text[start:stop]
            start = -1
        if title:
            heading = title[1].strip()
            continue
        if len(block) > SIZE:
            continue
        start = first if start < 0 else start
        stop = at
    if start >= 0 and stop - start >= LEAST:
        yield start, heading, text[start:stop]


def is_cluttered(text: str) -> bool:
    """Whether links, tables or code take up much of it."""
    return len(CLUTTER.findall(text)) * 40 >= len(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=61)
    args = parser.parse_args()
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    before = sorted(out.glob("passages-*.json"))
    known = {(one["document"], one["at"]) for path in before for one in json.loads(path.read_text())}
    found: dict[str, list[dict]] = {kind: [] for kind in COUNTS}
    for kind, document, title, text in documents(Path(args.data)):
        pieces = [piece for piece in passages(text) if not is_cluttered(piece[2])]
        rng = random.Random(f"{args.seed}:{document}")
        pieces = [piece for piece in pieces if (document, piece[0]) not in known]
        for at, heading, piece in rng.sample(pieces, min(2, len(pieces))):
            found[kind].append({"kind": kind, "document": document, "title": title, "heading": heading, "at": at, "text": piece})
    rng = random.Random(args.seed)
    drawn = [one for kind, count in COUNTS.items() for one in rng.sample(found[kind], min(count, len(found[kind])))]
    rng.shuffle(drawn)
    for n in range(0, len(drawn), PER_FILE):
        part = [{"id": f"w{args.seed}-{n + i:04d}", **one} for i, one in enumerate(drawn[n : n + PER_FILE])]
        (out / f"passages-{len(before) + n // PER_FILE:02d}.json").write_text(json.dumps(part, indent=1, ensure_ascii=False) + "\n")
    print({kind: min(count, len(found[kind])) for kind, count in COUNTS.items()}, len(drawn), "passages")


if __name__ == "__main__":
    main()
