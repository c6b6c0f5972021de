"""Pairs that look like use: real questions with the passages that our own search ranks first, to be
labelled by the teacher.

    ../verbatim index CORPUS.jsonl --index work/use.index
    ../verbatim ask --questions work/nq.questions.jsonl --index work/use.index --reader off --min-confidence 0 --top-k 10 --out work/nq.answers.jsonl
    python search_pairs.py --questions nq-train-8757.jsonl --answers work/nq.answers.jsonl --corpus CORPUS.jsonl.xz --kind nq --out work/pairs-nq.jsonl

`--write-questions FILE` only writes the questions in the form that `ask` reads. Files that are
reserved for measuring are refused (data_rules.py). Lines of the result: {id, question, title, text,
kind}, the passages of a question one after the other, best first.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path

from data_rules import require


def lines(path: str) -> Iterator[dict]:
    with lzma.open(path, "rt", encoding="utf-8") if path.endswith(".xz") else open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def ranked(answers: Iterable[dict], passages: int) -> dict[str, list[tuple[str, int, int]]]:
    """Question id -> (document, start, end) of its first distinct passages."""
    found: dict[str, list[tuple[str, int, int]]] = {}
    for line in answers:
        places: list[tuple[str, int, int]] = []
        for answer in line.get("answers", []):
            place = (answer["documentId"], answer["passageStart"], answer["passageEnd"])
            if place not in places and len(places) < passages:
                places.append(place)
        if places:
            found[line["id"]] = places
    return found


def cut(text: str, start: int, end: int) -> str:
    """The part between two offsets in UTF-16 units, as the engine counts."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", errors="replace")


def pairs(questions: dict[str, str], places: dict[str, list[tuple[str, int, int]]], documents: dict[str, tuple[str, str]], kind: str) -> Iterator[dict]:
    """@param documents  title and text by id; passages of documents that are not there are left
    out"""
    for name, some in places.items():
        for document, start, end in some:
            if name in questions and document in documents:
                title, text = documents[document]
                yield {"id": f"{kind}-{name}", "question": questions[name], "title": title, "text": cut(text, start, end), "kind": kind}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--write-questions", help="write the questions for `ask`, and nothing else")
    parser.add_argument("--answers", help="what `ask --questions --out` wrote")
    parser.add_argument("--corpus", action="append", default=[], help="JSON Lines of {id, title, text}; may be given more than once")
    parser.add_argument("--kind", help="name of the questions' set")
    parser.add_argument("--passages", type=int, default=5, help="for each question, at most")
    parser.add_argument("--out")
    args = parser.parse_args()
    for path in (args.questions, *args.corpus):
        require(path, "train")
    questions = {str(one["id"]): one["question"] for one in lines(args.questions)}
    if args.write_questions:
        text = "".join(json.dumps({"id": name, "question": question}) + "\n" for name, question in questions.items())
        Path(args.write_questions).write_text(text, encoding="utf-8")
        return
    if not (args.answers and args.corpus and args.kind and args.out):
        parser.error("--answers, --corpus, --kind and --out are needed, or --write-questions")
    places = ranked(lines(args.answers), args.passages)
    wanted = {document for some in places.values() for document, _, _ in some}
    documents = {one["id"]: (one["title"], one["text"]) for path in args.corpus for one in lines(path) if one["id"] in wanted}
    count = 0
    with open(args.out, "w", encoding="utf-8") as out:
        for pair in pairs(questions, places, documents, args.kind):
            out.write(json.dumps(pair, ensure_ascii=False) + "\n")
            count += 1
    print(json.dumps({"questions": len(places), "pairs": count, "documentsMissing": len(wanted - set(documents))}))


if __name__ == "__main__":
    main()
