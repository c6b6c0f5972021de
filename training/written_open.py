"""Written questions of held-out documents as questions over an index: for choosing weights, what is
read, and confidence; never for training.

    python written_open.py --written written/questions.jsonl --data DATA_FOLDER --out work/written-open

    OUT/documents/…        the documents that the questions are about, whole, in their own format
    OUT/pieces.jsonl       those that are single passages: contracts' windows, medical answers, meetings, reports
    OUT/questions.jsonl    {id, kind, question, answers, document}: the input of `verbatim eval open`
    OUT/unanswerable.jsonl {id, kind, question}
    OUT/development.jsonl  with --mix: COUNT of the questions, and those of the mix (bench/development/mix.py) about an encyclopedia and manuals

    verbatim index documents pieces.jsonl --index OPEN.index        (run in OUT)
"""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path

from draw_passages import documents
from held_out_documents import held_out
from written import strip_markup

PIECES = ("contractnli", "tatqa-text", "medquad", "qmsum")


def file_name(document: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", document).strip("-")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--written", "--data", "--out"):
        parser.add_argument(name, required=True, type=Path)
    parser.add_argument("--mix", type=Path, help="questions.jsonl of bench/development/mix.py; index its documents, too")
    parser.add_argument("--count", type=int, default=450)
    args = parser.parse_args()
    asked = [item for item in map(json.loads, args.written.read_text(encoding="utf-8").splitlines()) if held_out(item["document"])]
    names = {item["document"] for item in asked}
    (args.out / "documents").mkdir(parents=True, exist_ok=True)
    with (args.out / "pieces.jsonl").open("w", encoding="utf-8") as file:
        for kind, document, title, text in documents(args.data):
            if document not in names:
                continue
            if kind in PIECES:
                file.write(json.dumps({"id": document, "title": title, "text": text}, ensure_ascii=False) + "\n")
                continue
            head = "" if document.endswith(".rst") else f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n"
            (args.out / "documents" / file_name(document)).write_text(head + text, encoding="utf-8")
    with (args.out / "questions.jsonl").open("w", encoding="utf-8") as right, (args.out / "unanswerable.jsonl").open("w", encoding="utf-8") as none:
        for item in asked:
            base = {"id": item["id"], "kind": item["kind"], "question": item["question"]}
            if item["answer"] is None:
                none.write(json.dumps(base, ensure_ascii=False) + "\n")
                continue
            where = item["document"] if item["kind"] in PIECES else f"documents/{file_name(item['document'])}"
            answers = sorted({item["answer"], strip_markup(item["answer"])})
            right.write(json.dumps({**base, "answers": answers, "document": where}, ensure_ascii=False) + "\n")
    if args.mix:
        drawn = (args.out / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(1).shuffle(drawn)
        mixed = [line for line in args.mix.read_text(encoding="utf-8").splitlines(keepends=True) if json.loads(line)["kind"] in ("encyclopedia", "manual")]
        (args.out / "development.jsonl").write_text("".join(mixed + drawn[: args.count]), encoding="utf-8")
    print(f"{len(names)} documents, {len(asked)} questions, {sum(item['answer'] is None for item in asked)} of them without an answer")


if __name__ == "__main__":
    main()
