"""Written questions about passages of Chinese Wikipedia (draw_chinese.py), and about short documents
that were written with them, in twelve languages and in English.

    python written_multilingual.py work/asked-chinese --to written

Checks what was written and collects it in three files: written/chinese.jsonl, lines of {id, document,
at, length, traditional, question, answer, start}, and written/languages.jsonl and
written/english.jsonl, lines of {id, language, title, text, questions: [{id, question, answer,
start}]}. `start` is the answer's place in the passage, in characters; `answer` is null, and `start`
is -1, if the passage does not answer.

The folder holds written-<n>.jsonl next to the passages-<n>.json that it asks about, a line {id,
questions} for each passage, and own-<name>.jsonl, lines of {language, title, text, questions}. A
question is [question, answer] or [question, answer, before]: `before` are the characters right
before an answer that occurs more than once, and the answer is null if the passage does not answer.

written/across.jsonl repeats questions of the last two files in another language: {id, asked, question}, where `id`
is the question that it repeats and `asked` the language.

A tenth of the documents is held out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from check_written import place
from data import Paragraph, answer_span, build_paragraph
from draw_chinese import articles, paragraphs
from held_out_documents import in_share
from span_sets import MAX_TOKENS
from text_base import load_tokenizer
from traditional import traditional
from written import question_of

HELD_OUT = 0.1  # of the documents
LONGEST = 240  # characters of a question
OTHERS = 6  # paragraphs of an article without questions that are read as well, at most

CHINESE, LANGUAGES, ENGLISH, ACROSS = "chinese.jsonl", "languages.jsonl", "english.jsonl", "across.jsonl"
Parts = tuple[list[Paragraph], list[Paragraph]]


def held_out(document: str) -> bool:
    return in_share(document, HELD_OUT)


def checked(text: str, asked: list) -> dict:
    """{question, answer, start} of [question, answer] or [question, answer, before].

    @throws ValueError if the question is empty or too long, or the answer is not in the text, or
    there more than once
    """
    question, answer, before = (*asked, "")[:3]
    if not question.strip() or len(question) > LONGEST:
        raise ValueError(f"the question is empty or longer than {LONGEST} characters: {question!r}")
    if answer is None:
        return {"question": question, "answer": None, "start": -1}
    if not answer or answer != answer.strip():
        raise ValueError(f"the answer is empty or has spaces at its ends: {answer!r}")
    return {"question": question, "answer": answer, "start": place(text, answer, before)}


def usable_questions(name: str, text: str, asked: list[list]) -> list[dict]:
    """What `checked` accepts; the rest is reported and left out."""
    made = []
    for one in asked:
        try:
            made.append(checked(text, one))
        except ValueError as error:
            print(f"{name}, left out: {error}")
    return made


def json_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def write_lines(path: Path, lines: list[dict]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def collect_chinese(folder: Path) -> list[dict]:
    made = []
    for path in sorted(folder.glob("written-*.jsonl")):
        passages = {one["id"]: one for one in json.loads((folder / path.name.replace("written", "passages").replace("jsonl", "json")).read_text(encoding="utf-8"))}
        for line in json_lines(path):
            passage = passages[line["id"]]
            where = {key: passage[key] for key in ("document", "at", "length", "traditional")}
            for number, said in enumerate(usable_questions(line["id"], passage["text"], line["questions"])):
                made.append({"id": f"{line['id']}-{number}", **where, **said})
    return made


def collect_languages(folder: Path) -> list[dict]:
    made = []
    for path in sorted(folder.glob("own-*.jsonl")):
        for number, line in enumerate(json_lines(path)):
            name = f"{path.stem}-{number:03d}"
            asked = [{"id": f"{name}-{at}", **said} for at, said in enumerate(usable_questions(name, line["text"], line["questions"]))]
            made.append({"id": name, "language": line["language"], "title": line["title"], "text": line["text"], "questions": asked})
    return made


def with_questions(tokenizer, paragraph: Paragraph, asked: list[dict]) -> Paragraph:
    for item in asked:
        start = end = -1
        if item["answer"] is not None:
            start, end = answer_span(paragraph, item["start"], item["answer"])
        paragraph.questions.append(question_of(tokenizer, item["id"], item["question"], start, end, [item["answer"]] if item["answer"] else []))
    return paragraph


def asked_articles(path: Path, data: Path) -> Iterator[tuple[str, str, list[str], list[dict]]]:
    """(article's id, title, passages, questions) of chinese.jsonl, in the characters of the questions.
    The questions are about the first passage.

    @throws SystemExit at the end, if an article of the file is not in the data
    """
    asked: dict[str, list[dict]] = {}
    for item in json_lines(path):
        asked.setdefault(item["document"], []).append(item)
    for article in articles(data):
        name = str(article["id"])
        if (items := asked.pop(name, None)) is None:
            continue
        convert = traditional if items[0]["traditional"] else str
        at, length = items[0]["at"], items[0]["length"]
        others = (text for start, text in paragraphs(article["text"]) if start != at)
        yield name, convert(article["title"]), [convert(text) for text in (article["text"][at : at + length], *others)], items
    if asked:
        raise SystemExit(f"{path} asks about {len(asked)} articles that {data} does not have.")


def load_chinese(path: Path, data: Path, base: str | None = None) -> Parts:
    """(train, tune) of chinese.jsonl. The other paragraphs of an article come without questions, as
    passages that do not answer.

    @throws SystemExit if an article of the file is not in the data
    """
    tokenizer = load_tokenizer(base)
    parts: Parts = ([], [])
    for number, (name, title, texts, items) in enumerate(asked_articles(path, data)):
        made = [build_paragraph(tokenizer, number, title, text, MAX_TOKENS) for text in texts[: 1 + OTHERS]]
        with_questions(tokenizer, made[0], items)
        parts[held_out(name)].extend(made)
    return parts


def asked_across(folder: Path) -> list[dict]:
    """The documents of languages.jsonl and english.jsonl that across.jsonl asks about, with its questions instead of
    their own; each has the language that it is `asked` in, and an id that ends with it.

    @throws SystemExit if a question repeats one that the documents do not have"""
    lines = json_lines(folder / ACROSS)
    asked = {item["id"]: item for item in lines}
    if len(asked) < len(lines):
        raise SystemExit(f"{folder / ACROSS} repeats a question more than once.")
    made = []
    for line in (*json_lines(folder / LANGUAGES), *json_lines(folder / ENGLISH)):
        questions = []
        for own in line["questions"]:
            if (item := asked.pop(own["id"], None)) is not None:
                questions.append({**own, "id": f"{own['id']}-{item['asked']}", "asked": item["asked"], "question": item["question"]})
        if questions:
            made.append({**line, "questions": questions})
    if asked:
        raise SystemExit(f"{folder / ACROSS} repeats {len(asked)} questions that no document has, such as {next(iter(asked))}.")
    return made


def load_languages(lines: list[dict], base: str | None = None) -> Parts:
    """(train, tune) of the documents of languages.jsonl, english.jsonl or across.jsonl. The documents of a language
    count as one article, so that the passages that do not answer are in the answer's language."""
    tokenizer = load_tokenizer(base)
    parts: Parts = ([], [])
    numbers = {language: number for number, language in enumerate(sorted({line["language"] for line in lines}))}
    for line in lines:
        paragraph = build_paragraph(tokenizer, numbers[line["language"]], line["title"], line["text"], MAX_TOKENS)
        parts[held_out(line["id"])].append(with_questions(tokenizer, paragraph, line["questions"]))
    return parts


def is_written_file(path: str) -> bool:
    return Path(path).name in (CHINESE, LANGUAGES, ENGLISH, ACROSS)


def load_written_file(path: str, data: Path, base: str | None = None) -> Parts:
    """@param path  of one of the four files, from this folder"""
    found = Path(__file__).parent / path
    if found.name == CHINESE:
        return load_chinese(found, data, base)
    return load_languages(asked_across(found.parent) if found.name == ACROSS else json_lines(found), base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", required=True, type=Path)
    args = parser.parse_args()
    chinese, documents = collect_chinese(args.folder), collect_languages(args.folder)
    languages, english = ([line for line in documents if (line["language"] == "en") == wanted] for wanted in (False, True))
    for name, lines in ((CHINESE, chinese), (LANGUAGES, languages), (ENGLISH, english)):
        write_lines(args.to / name, lines)
    print(f"{len(chinese)} questions in Chinese")
    for name, lines in (("other languages", languages), ("English", english)):
        print(f"{len(lines)} documents in {name} with {sum(len(line['questions']) for line in lines)} questions")


if __name__ == "__main__":
    main()
