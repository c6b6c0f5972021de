"""Where a reader comes from: the base, the runs and the data that model.json names, with their licences. A new
training set needs a line in DATA."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from model import restore
from question_sets import set_name
from reader import Reader

HERE = Path(__file__).parent

BASES = {  # by the name of the folder that a config's `base` names
    None: "all-MiniLM-L6-v2 (Apache-2.0, sentence-transformers)",
    "e5-small-v2": "e5-small-v2 (MIT, Microsoft)",
    "multi-base": "multilingual-e5-small (MIT, Microsoft)",
}
DATA = {
    "squad": "SQuAD v1.1 train without 22 held-out articles (CC BY-SA 4.0)",
    "qamr": "QAMR (MIT; sentences of Wikipedia, CC BY-SA, and Wikinews, CC BY)",
    "fairytaleqa": "FairytaleQA, training part (Apache-2.0)",
    "wikitablequestions": "WikiTableQuestions, training part (CC BY-SA 4.0)",
    "contractnli": "ContractNLI, development part (CC BY 4.0)",
    "tatqa": "TAT-QA, development part (CC BY 4.0)",
    "medquad": "MedQuAD (CC BY 4.0)",
    "qmsum": "QMSum, training part (MIT)",
    "faq": "headings that are questions, of the documents below",
    "cmrc": "CMRC 2018 trial (CC BY-SA 4.0)",
    "piaf": "PIAF, French (MIT; text of Wikipedia, CC BY-SA)",
    "chinese": "questions written for this project about passages of Chinese Wikipedia (CC BY-SA)",
    "languages": "questions and documents in twelve languages that were written for this project",
    "across": "questions written for this project in another language than that of the document",
    "english": "questions and documents in English that were written for this project",
    "written": "questions written for this project about passages of Business Central and WSL manuals (CC BY 4.0), Kubernetes community documents (Apache-2.0), PEPs and the 18F handbook (public domain), GitHub policies (CC0), moby (Apache-2.0), Automattic terms (CC BY-SA 4.0), and of ContractNLI, TAT-QA, MedQuAD and QMSum",
}


def lineage(config: dict) -> Iterator[dict]:
    """Configs of the run and of the runs that it continued, the latest first."""
    yield config
    if (start := config.get("start")) is None:
        return
    runs = [json.loads(path.read_text()) for path in sorted((HERE / "runs").glob("*.json"))]
    folder = Path(start).parent.as_posix()
    yield from lineage(next((run for run in runs if run.get("command", "").endswith(f"--out {folder}")), None) or restore(HERE / start, Reader)[1]["config"])


def provenance(config: dict) -> tuple[list[dict], list[str]]:
    """(runs, earliest first; the data that they read, with licences). Runs that trained have the
    number of their steps, from the `result` of their config.

    @throws SystemExit if DATA does not name a set
    """
    configs = list(reversed(list(lineage(config))))
    earlier = configs[0].get("runs", [])  # of a reader whose checkpoint is gone (reader_weights.py)
    runs = earlier + [described(one) for one in configs]
    names = {"squad"} | names_of(config)
    if unknown := sorted(names - DATA.keys()):
        raise SystemExit(f"reader_provenance.DATA does not say whose these sets are: {', '.join(unknown)}.")
    return runs, [text for name, text in DATA.items() if name in names]


def described(run: dict) -> dict:
    steps = run.get("result", {}).get("steps") or run.get("steps")
    return {key: run[key] for key in ("purpose", "command")} | ({"steps": steps} if steps else {})


def taught_by(config: dict) -> str | None:
    """The teacher of one of the runs, in words: `taught_by` of its config, or of the model that a
    run started from."""
    return next((one["taught_by"] for one in lineage(config) if "taught_by" in one), None)


def names_of(config: dict) -> set[str]:
    """Sets that the run and those before it read."""
    return {set_name(entry) for one in lineage(config) for entry in one.get("sets", [])}
