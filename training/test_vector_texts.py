"""What the maps of passage vectors are fitted on, for the multilingual model."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from vector_texts import MOST_OF_PART, MOST_TOKENS, SENTENCE, Drawn, a_sentence, manuals, part_of


def test_a_sentence_is_a_whole_one_of_the_right_length() -> None:
    text = "Ja. Die Kaution ist drei Wochen nach dem Einzug fällig. " + "Sehr lang und ohne Ende " * 20
    assert {a_sentence(text, random.Random(seed)) for seed in range(20)} == {"Die Kaution ist drei Wochen nach dem Einzug fällig."}
    assert a_sentence("Ja. Nein.", random.Random(1)) is None


@pytest.mark.parametrize(
    "text",
    [
        "押金在搬入後三個星期內支付。鑰匙由管理員保管，不得複製。",
        "保証金は入居後三週間以内に支払う。鍵は管理人の事務所が保管する。",
        "Залог вносится после заселения. Ключи хранит управляющий.",
        "보증금은 입주 후 삼 주 안에 냅니다. 열쇠는 관리인이 보관합니다.",
        "تدفع الكفالة بعد ثلاثة أسابيع. هل المفاتيح عند الحارس؟",
    ],
)
def test_a_sentence_of_another_script(text: str) -> None:
    found = {a_sentence(text, random.Random(seed)) for seed in range(20)}
    assert len(found) == 2
    assert all(SENTENCE[0] <= len(one) <= SENTENCE[1] and one[-1] in "。.؟" for one in found)


def test_manuals_are_paragraphs_in_a_row_without_corpora(tmp_path: Path) -> None:
    lines = [
        {"source": "manpages-de/usr/share/man/de/man1/ls.1.gz", "half": "choose", "text": "\n".join(f"Absatz {n} " + "Wort " * 60 for n in range(9))},
        {"source": "other/piaf-fr.json.xz/Titre", "half": "choose", "text": "Paragraphe " * 200},
        {"source": "manpages-de/usr/share/man/de/man1/short.1.gz", "half": "choose", "text": "Kurz."},
    ]
    (tmp_path / "de.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = manuals(tmp_path / "de.jsonl", "de", random.Random(1))
    assert len(found) == 2
    for source, name, piece in found:
        assert source == lines[0]["source"]
        assert name in ("", "ls")
        numbers = [int(line.split()[1]) for line in piece.split("\n")]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_drawn_questions_name_their_passage() -> None:
    drawn = Drawn()
    drawn.add("squad 1", np.arange(300), [np.array([1, 7, 2])])
    drawn.ask(np.array([1, 8, 2]))
    assert drawn.add("faq 2", np.arange(10), [np.array([1, 9, 2])], held=True) == 1
    drawn.ask(np.array([1, 4, 2]), "across", 0)
    assert drawn.owners == [0, -1, 1, 0]
    assert drawn.kinds == ["squad", "", "faq", "across"]
    assert [len(one) for one in drawn.passages] == [MOST_TOKENS, 10]
    assert drawn.held == [False, True]


def test_a_part_keeps_what_is_held_out_and_the_questions_of_its_passages() -> None:
    drawn = Drawn()
    for number in range(100):
        drawn.add(f"squad {number}", np.full(4, number), [np.array([number, q]) for q in range(5)], held=number < 10)
    drawn.ask(np.array([500]))
    part = part_of(drawn, 0.3, seed=1)
    assert part.held[:10] == [True] * 10 and 15 < len(part.passages) - 10 < 40
    assert all(q[0] == part.passages[owner][0] for q, owner in zip(part.questions, part.owners) if owner >= 0)
    assert sum(owner >= 0 for owner in part.owners) == MOST_OF_PART * len(part.passages)
    assert len(part_of(drawn, 1.0, seed=1).passages) == 100
