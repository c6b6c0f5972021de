"""Builds the development set: documents of the kinds that people own, questions that they answer, and
questions that they do not. For choosing rules and weights and fitting confidence; never for training
or measuring.

    python bench/development/build.py --data DATA_FOLDER --out FOLDER

    FOLDER/documents/…           files and single passages that held-out written questions are about (training/written_open.py),
                                 manuals, and paragraphs of an encyclopedia, stories, reports and tables (mix.py)
    FOLDER/questions.jsonl       669 that the documents answer: {id, kind, question, answers, document}
    FOLDER/unanswerable.jsonl    317 that they do not, about a third of all: {id, kind, question}

Nine of ten questions come with one gold answer, although a person accepts others ("Nov 18" for "Thu
November 18"), and a question that its own passage does not answer may be answered elsewhere.
judged.jsonl corrects both. It was written by reading the first answers of the engine that the gold
answers called wrong:

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
SEED = 1


def run(script: str, **options: Path) -> None:
    given = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    subprocess.run([sys.executable, str(ROOT / script), *given], check=True)


def corrected(answerable: list[str], unanswerable: list[str]) -> tuple[list[str], list[str]]:
    """Both lists of lines after judged.jsonl. ValueError if it names a question that neither has."""
    judged = {one["id"]: one for one in map(json.loads, JUDGED.read_text(encoding="utf-8").splitlines())}
    questions, left = [json.loads(line) for line in answerable], [json.loads(line) for line in unanswerable]
    if unknown := judged.keys() - {one["id"] for one in questions + left}:
        raise ValueError(f"{JUDGED.name} names questions that are in neither list: {sorted(unknown)}")
    for one in questions:
        one["answers"] += judged.get(one["id"], {}).get("alsoRight", [])
    left = [one for one in left if "answered" not in judged.get(one["id"], {})]
    return tuple([json.dumps(one, ensure_ascii=False) + "\n" for one in part] for part in (questions, left))


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
        answerable = (written / "development.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        unanswerable = (written / "unanswerable.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(SEED).shuffle(unanswerable)
    answerable, unanswerable = corrected(answerable, unanswerable[: len(answerable) // 2])
    (args.out / "questions.jsonl").write_text("".join(answerable), encoding="utf-8")
    (args.out / "unanswerable.jsonl").write_text("".join(unanswerable), encoding="utf-8")
    print(f"{len(answerable)} questions with an answer, {len(unanswerable)} without, in {args.out}")


if __name__ == "__main__":
    main()
