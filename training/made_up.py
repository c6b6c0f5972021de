"""Made-up data and a tiny network for the tests, which need no file outside this folder."""

from __future__ import annotations

import json
from pathlib import Path

from model import Shape

TINY = Shape(vocabulary=30522, hidden=32, layers=2, attention_heads=4, inner=64, dense=16, coherency=16, ngram=8, term=16, vector=16)


def made_up_squad(path: Path) -> Path:
    people = ["Ines Calder", "Otto Brandt", "Mira Voss", "Jan Pelt"]
    things = ["observatory", "lighthouse", "mill", "archive"]
    data = []
    for person, thing in zip(people, things):
        paragraphs = []
        for year in (1911, 1925, 1940, 1968):
            context = f"The {thing} was founded by {person} in {year}. Visitors came from the valley. It closed in {year + 30}."
            paragraphs.append(
                {
                    "context": context,
                    "qas": [
                        {"id": f"{thing}{year}a", "question": f"Who founded the {thing}?", "answers": [{"text": person, "answer_start": context.index(person)}]},
                        {"id": f"{thing}{year}b", "question": f"When did the {thing} close?", "answers": [{"text": str(year + 30), "answer_start": context.index(str(year + 30))}]},
                    ],
                }
            )
        data.append({"title": f"The_{thing}", "paragraphs": paragraphs})
    path.write_text(json.dumps({"version": "1.1", "data": data}))
    return path
