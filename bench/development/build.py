"""Builds the development set: documents of the kinds that people own, questions that they answer, and
questions that they do not. For choosing rules and weights and fitting confidence; never for training
or measuring.

    python bench/development/build.py --data DATA_FOLDER --out FOLDER

    FOLDER/documents/…           files and single passages that held-out written questions are about (training/written_open.py),
                                 manuals, paragraphs of an encyclopedia, stories, reports and tables (mix.py), and invented/
    FOLDER/questions.jsonl       1,641 that the documents answer: {id, kind, question, answers, document}
    FOLDER/unanswerable.jsonl    749 that they do not, about a third of all: {id, kind, question}

invented/ beside this file: 108 documents as people and firms own them (leases, minutes, manuals,
policies, letters, notes), and questions.jsonl with 972 questions that they answer and 432 that they do
not. A language model that works on this project wrote them without seeing test/own-set. Each
question lists every way in which its document says the answer.

Of the others, nine of ten have a single gold answer, although a person would accept more ("Nov 18" for
"Thu November 18"), and a question that its own passage does not answer may be answered elsewhere.
judged.jsonl corrects both. It comes from reading those first answers of the engine that did not match
a gold answer, and the answers to most questions that were thought to have none:

    {id, alsoRight: [...]}       further answers that are right, added to the gold answers
    {id, answered}               a question of unanswerable.jsonl that a document answers, left out

    verbatim index . --index ../dev.index        (run in FOLDER/documents)

Needs numpy and torch (training/requirements.txt). DATA_FOLDER has `squad/train-v1.1.json` and `other/`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
JUDGED = Path(__file__).parent / "judged.jsonl"
INVENTED = Path(__file__).parent / "invented"
SEED = 1


def run(script: str, **options: Path) -> None:
    given = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    subprocess.run([sys.executable, str(ROOT / script), *given], check=True)


def corrected(answerable: list[dict], unanswerable: list[dict]) -> tuple[list[dict], list[dict]]:
    """Both lists with the corrections of judged.jsonl. ValueError if it names a question that is in neither."""
    judged = {one["id"]: one for one in read(JUDGED)}
    if unknown := judged.keys() - {one["id"] for one in answerable + unanswerable}:
        raise ValueError(f"{JUDGED.name} names questions that are in neither list: {sorted(unknown)}")
    questions = [{**one, "answers": one["answers"] + judged.get(one["id"], {}).get("alsoRight", [])} for one in answerable]
    return questions, [one for one in unanswerable if "answered" not in judged.get(one["id"], {})]


def invented() -> tuple[list[dict], list[dict]]:
    """The questions about invented documents: those with an answer, and those without."""
    questions = [{"id": one["id"], "kind": "invented", "question": one["question"], "answers": one["answers"], "document": one["document"]} for one in read(INVENTED / "questions.jsonl")]
    answerable = [{**one, "document": f"invented/{one['document']}"} for one in questions if one["document"]]
    return answerable, [{key: one[key] for key in ("id", "kind", "question")} for one in questions if not one["document"]]


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, items: list[dict]) -> None:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in items), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--data", "--out"):
        parser.add_argument(name, required=True, type=Path)
    args = parser.parse_args()
    documents = args.out / "documents"
    with tempfile.TemporaryDirectory() as folder:
        mix, written = Path(folder, "mix"), Path(folder, "written")
        run("bench/development/mix.py", data=args.data / "other", squad=args.data / "squad/train-v1.1.json", out=mix)
        questions = ROOT / "training/written/questions.jsonl"
        run("training/written_open.py", written=questions, data=args.data, mix=mix / "questions.jsonl", out=written)
        for source in (mix / "manuals", mix / "spans.json", written / "documents", written / "pieces.jsonl"):
            target = documents / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target, dirs_exist_ok=True) if source.is_dir() else shutil.copy(source, target)
        answerable, unanswerable = read(written / "development.jsonl"), read(written / "unanswerable.jsonl")
    random.Random(SEED).shuffle(unanswerable)
    answerable, unanswerable = corrected(answerable, unanswerable[: len(answerable) // 2])
    shutil.copytree(INVENTED / "documents", documents / "invented", dirs_exist_ok=True)
    more, without = invented()
    answerable, unanswerable = answerable + more, unanswerable + without
    write(args.out / "questions.jsonl", answerable)
    write(args.out / "unanswerable.jsonl", unanswerable)
    print(f"{len(answerable)} questions with an answer, {len(unanswerable)} without, in {args.out}")


if __name__ == "__main__":
    main()
