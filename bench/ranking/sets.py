"""Writes the five sets of `bench/ranking.ts` as folders in BEIR's layout, from public data.

    python bench/ranking/sets.py --data DATA --out FOLDER [--seed 1]

DATA holds medquad.jsonl.xz, qmsum.jsonl.xz, faq.jsonl.xz, contractnli.json.xz and policyqa.json.xz.
Each set becomes FOLDER/<name>/corpus.jsonl, queries.jsonl and two judgements:

    qrels/measure.tsv       questions whose id has a SHA-256 that begins with 0, 1, 2 or 3: for measuring only
    qrels/development.tsv   other questions that may be used for tuning

At most 150 questions of each part are drawn. The corpus holds their passages and up to 200 others
of the same set. A question of contractnli or policyqa is about one contract or policy: its `scope`
is the prefix of the ids of that document's passages, and only those are ranked. All passages with
evidence for it are relevant.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

QUESTIONS = 150
OTHERS = 200
CONTRACTS = 40


@dataclass
class Query:
    text: str
    ids: list[str] = field(default_factory=list)
    relevant: set[str] = field(default_factory=set)
    tunes: bool = True
    scope: str | None = None


@dataclass
class RankingSet:
    """`corpus`: id → (title, text)."""

    corpus: dict[str, tuple[str, str]]
    queries: list[Query]


def is_measured(item: str) -> bool:
    return hashlib.sha256(item.encode()).hexdigest()[0] in "0123"


def lines(path: Path) -> list[dict]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def articles(path: Path) -> list[dict]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)["data"]


def pairs(path: Path, tunes) -> RankingSet:
    """A set of question and passage pairs; equal passages are one document, equal questions one query."""
    corpus: dict[str, tuple[str, str]] = {}
    known: dict[str, str] = {}
    queries: dict[str, Query] = {}
    for row in lines(path):
        document = known.setdefault(row["passage"], row["id"])
        corpus.setdefault(document, (row.get("title", ""), row["passage"]))
        query = queries.setdefault(row["question"].strip().lower(), Query(row["question"]))
        query.ids.append(row["id"])
        query.relevant.add(document)
        query.tunes &= tunes(row)
    return RankingSet(corpus, list(queries.values()))


def scoped(data: list[dict], tunes) -> RankingSet:
    """A set in SQuAD's layout whose questions are about one article."""
    corpus: dict[str, tuple[str, str]] = {}
    queries: dict[tuple[str, str], Query] = {}
    for article in data:
        title = article["title"]
        for number, paragraph in enumerate(article["paragraphs"]):
            document = f"{title}#{number}"
            corpus[document] = (title, paragraph["context"])
            for qa in paragraph["qas"]:
                if not qa["answers"]:
                    continue
                query = queries.setdefault((title, qa["question"]), Query(qa["question"], scope=f"{title}#"))
                query.ids.append(qa["id"])
                query.relevant.add(document)
                query.tunes &= tunes(article)
    return RankingSet(corpus, list(queries.values()))


def all_sets(data: Path, draw: random.Random) -> Iterator[tuple[str, RankingSet]]:
    yield "medquad", pairs(data / "medquad.jsonl.xz", lambda row: True)
    yield "qmsum", pairs(data / "qmsum.jsonl.xz", lambda row: not row["source"].endswith("train"))
    yield "faq", pairs(data / "faq.jsonl.xz", lambda row: True)
    contracts = articles(data / "contractnli.json.xz")
    yield "contractnli", scoped(draw.sample(contracts, CONTRACTS), lambda article: article["split"] == "test")
    yield "policyqa", scoped(articles(data / "policyqa.json.xz"), lambda article: True)


def write(folder: Path, ranking: RankingSet, draw: random.Random) -> dict[str, int]:
    def drawn(queries: list[Query]) -> list[Query]:
        return queries if len(queries) <= QUESTIONS else draw.sample(queries, QUESTIONS)

    parts = {
        # A query with several ids belongs to the part of its first one.
        "measure": drawn([query for query in ranking.queries if is_measured(query.ids[0])]),
        "development": drawn([query for query in ranking.queries if query.tunes and not any(map(is_measured, query.ids))]),
    }
    queries = parts["measure"] + parts["development"]
    scopes = any(query.scope for query in queries)
    wanted = set(ranking.corpus) if scopes else set().union(*(query.relevant for query in queries))
    others = sorted(set(ranking.corpus) - wanted)
    wanted |= set(others if len(others) <= OTHERS else draw.sample(others, OTHERS))
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for document in sorted(wanted):
            title, text = ranking.corpus[document]
            file.write(json.dumps({"_id": document, "title": title, "text": text}, ensure_ascii=False) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for query in queries:
            scope = {} if query.scope is None else {"scope": query.scope}
            file.write(json.dumps({"_id": query.ids[0], "text": query.text, **scope}, ensure_ascii=False) + "\n")
    for part, members in parts.items():
        with (folder / "qrels" / f"{part}.tsv").open("w", encoding="utf-8") as file:
            file.write("query-id\tcorpus-id\tscore\n")
            for query in members:
                for document in sorted(query.relevant):
                    file.write(f"{query.ids[0]}\t{document}\t1\n")
    return {"documents": len(wanted), **{part: len(members) for part, members in parts.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw = random.Random(args.seed)
    for name, ranking in all_sets(args.data, draw):
        print(json.dumps({"set": name, **write(args.out / name, ranking, draw)}), flush=True)


if __name__ == "__main__":
    main()
