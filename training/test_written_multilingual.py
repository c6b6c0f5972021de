"""Tests of questions in other languages than English: drawing passages, checking, collecting and
loading them.

    python -m pytest -q test_written_multilingual.py
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from draw_chinese import LEAST, measured, paragraphs, runs
from reader_sets import load_reader_sets
from written_multilingual import CHINESE, asked_across, checked, collect_chinese, collect_languages, held_out, is_written_file, json_lines, load_chinese, load_languages, write_lines

HERE = Path(__file__).parent
FIRST = "这座桥由工程师王明设计。" + "桥建于1904年，全长一百二十米，横跨清水河，连接东西两岸的老城区。" * 7
SECOND = "清水河全长八十公里，发源于北山，向南流入大湖，沿岸有七个村庄和三座水库。" * 6


@pytest.fixture()
def data(tmp_path):
    """A corpus of two articles, and the sets for measuring, whose only paragraph begins as the
    second article's."""
    (tmp_path / "corpora").mkdir()
    with lzma.open(tmp_path / "corpora" / "zhwiki.jsonl.xz", "wt", encoding="utf-8") as file:
        for number, text in enumerate([f"短。\n{FIRST}\n{SECOND}", SECOND]):
            file.write(json.dumps({"id": 10 + number, "title": f"文章{number}", "text": text}, ensure_ascii=False) + "\n")
    (tmp_path / "zh").mkdir()
    for name in ("cmrc2018-dev", "drcd-dev", "cmrc2018-trial"):
        (tmp_path / "zh" / f"{name}.json").write_text(json.dumps({"data": [{"title": "清水河", "paragraphs": [{"context": SECOND[:40]}]}]}))
    return tmp_path


def test_passages_are_whole_paragraphs_with_their_place():
    text = f"短。\n{FIRST}\n{'abc ' * 80}\n{SECOND}"
    found = list(paragraphs(text))
    assert [piece for _, piece in found] == [FIRST, SECOND]
    assert all(text.startswith(piece, at) for at, piece in found)
    assert len(FIRST) >= LEAST


def test_text_in_common_with_a_measured_set_is_seen_in_either_script(data):
    titles, common = measured(data)
    assert "清水河" in titles
    assert not common.isdisjoint(runs(SECOND))
    assert not common.isdisjoint(runs("清水河全長八十公里，發源於北山，向南流入大湖"))
    assert common.isdisjoint(runs(FIRST))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["", "x"], "empty"),
        (["q" * 241, "x"], "longer"),
        (["Who?", " Ann"], "spaces"),
        (["Who?", "Bob"], "not in the passage"),
        (["When?", "1904"], "more than once"),
    ],
)
def test_a_wrong_question_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        checked("Ann came in 1904, left in 1904.", asked)


def test_an_answer_that_occurs_twice_is_placed_by_what_precedes_it():
    text = "Ann came in 1904, left in 1904."
    assert checked(text, ["When did Ann leave?", "1904", "left in "]) == {"question": "When did Ann leave?", "answer": "1904", "start": 26}
    assert checked(text, ["Why?", None]) == {"question": "Why?", "answer": None, "start": -1}


def asked_in_chinese(folder: Path, convert: bool) -> Path:
    text = FIRST.replace("东", "東") if convert else FIRST
    passage = {"id": "z0000", "document": "10", "title": "文章0", "at": 3, "length": len(FIRST), "traditional": convert, "text": text}
    (folder / "passages-00.json").write_text(json.dumps([passage]))
    asked = [["谁设计了这座桥？", "王明"], ["桥是哪一年拆除的？", None], ["错？", "没有的答案"]]
    write_lines(folder / "written-00.jsonl", [{"id": "z0000", "questions": asked}])
    write_lines(folder / CHINESE, collect_chinese(folder))
    return folder / CHINESE


def test_chinese_questions_are_collected_and_loaded_with_the_articles_other_paragraphs(data, tmp_path, capsys):
    file = asked_in_chinese(tmp_path, False)
    assert "z0000, left out: not in the passage" in capsys.readouterr().out
    assert [(line["answer"], line["start"]) for line in json_lines(file)] == [("王明", FIRST.index("王明")), (None, -1)]
    parts = load_chinese(file, data)
    own, other = parts[held_out("10")]
    assert parts[not held_out("10")] == []
    assert own.text == FIRST and own.title == "文章0"
    assert other.text == SECOND and other.questions == []
    answered, unanswered = own.questions
    assert (unanswered.start, unanswered.answers) == (-1, [])
    assert FIRST[own.offsets[answered.start, 0] : own.offsets[answered.end, 1]] == "王明"


def test_a_passage_marked_traditional_is_converted(data, tmp_path):
    parts = load_chinese(asked_in_chinese(tmp_path, True), data)
    assert all("東" in paragraph.text or "長" in paragraph.text for paragraph in parts[held_out("10")])


def test_an_article_that_the_corpus_lacks_stops_the_run(data, tmp_path):
    file = asked_in_chinese(tmp_path, False)
    write_lines(file, [{**line, "document": "99"} for line in json_lines(file)])
    with pytest.raises(SystemExit, match="1 articles"):
        load_chinese(file, data)


def test_documents_of_a_language_are_one_article(tmp_path):
    lines = [{"language": language, "title": "Haus", "text": f"Die Miete von Haus {n} ist 640 Euro.", "questions": [["Miete?", "640 Euro"], ["Kaution?", None]]} for n, language in enumerate(["de", "de", "nl"])]
    write_lines(tmp_path / "own-a.jsonl", lines)
    write_lines(tmp_path / "languages.jsonl", collect_languages(tmp_path))
    made = [paragraph for part in load_languages(json_lines(tmp_path / "languages.jsonl")) for paragraph in part]
    assert sorted(paragraph.article for paragraph in made) == [0, 0, 1]
    for paragraph in made:
        answered, unanswered = paragraph.questions
        assert paragraph.text[paragraph.offsets[answered.start, 0] : paragraph.offsets[answered.end, 1]] == "640 Euro"
        assert unanswered.start == -1


def test_questions_in_another_language_repeat_those_of_a_document(tmp_path):
    lines = [{"language": "de", "title": "Haus", "text": "Die Miete ist 640 Euro.", "questions": [["Miete?", "640 Euro"], ["Kaution?", None], ["Was?", "Die Miete"]]}]
    write_lines(tmp_path / "own-a.jsonl", lines)
    write_lines(tmp_path / "languages.jsonl", collect_languages(tmp_path))
    write_lines(tmp_path / "english.jsonl", [])
    asked = [{"id": f"own-a-000-{number}", "asked": language, "question": question} for number, language, question in ((0, "en", "How much is the rent?"), (1, "fr", "La caution ?"))]
    write_lines(tmp_path / "across.jsonl", asked)
    (made,) = asked_across(tmp_path)
    assert [(q["id"], q["question"], q["answer"], q["start"]) for q in made["questions"]] == [
        ("own-a-000-0-en", "How much is the rent?", "640 Euro", 14),
        ("own-a-000-1-fr", "La caution ?", None, -1),
    ]
    assert (made["language"], made["text"]) == ("de", "Die Miete ist 640 Euro.")
    write_lines(tmp_path / "across.jsonl", [*asked, {"id": "own-b-000-0", "asked": "en", "question": "Who?"}])
    with pytest.raises(SystemExit, match="own-b-000-0"):
        asked_across(tmp_path)


def test_the_files_of_the_project_are_whole():
    """Every answer is where its line says; ids are unique; each set has a held-out part."""
    parts = [json_lines(HERE / "written" / name) for name in ("languages.jsonl", "english.jsonl")]
    assert [len({line["language"] for line in part}) for part in parts] == [13, 1]  # Chinese in two kinds of characters
    lines = sum(parts, [])
    asked = [question for line in lines for question in line["questions"]]
    assert all(line["text"].startswith(q["answer"], q["start"]) for line in lines for q in line["questions"] if q["answer"])
    chinese = json_lines(HERE / "written" / "chinese.jsonl")
    names = [q["id"] for q in asked + chinese]
    assert len(names) == len(set(names)) > 1000
    for documents in (*([line["id"] for line in part] for part in parts), [line["document"] for line in chinese]):
        assert {held_out(document) for document in documents} == {True, False}
    assert all((q["answer"] is None) == (q["start"] < 0) for q in asked + chinese)
    across = asked_across(HERE / "written")
    assert {held_out(line["id"]) for line in across} == {True, False}
    assert all(q["asked"] != line["language"].removesuffix("-Hant") and q["question"] for line in across for q in line["questions"])
    assert not [q for line in across for q in line["questions"] if q["answer"] and len(q["answer"]) > 12 and q["answer"] in q["question"]]


def test_a_config_names_the_sets_by_their_file(tmp_path):
    assert is_written_file("written/chinese.jsonl") and not is_written_file("written")
    config = {"sets": [{"file": "written/languages.jsonl"}, {"file": "other/faq.jsonl.xz"}]}
    loaded = load_reader_sets(config, tmp_path, cache=tmp_path)
    assert list(loaded) == ["languages"]  # pairs are loaded elsewhere
    train, tune = loaded["languages"]
    assert len(train) > len(tune) > 0
