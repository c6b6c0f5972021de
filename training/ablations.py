"""Ablations: rows that differ in one thing, each trained from the base encoder for the same number
of steps and measured the same way.

    python ablations.py --config runs/ablations.json --data SQUAD_TRAIN.json --measure SQUAD_DEV.json --out work/ablations [--rows NAME,NAME] [--threads N]
    python ablations.py --config runs/ablations.json --out work/ablations --table

An interrupted row resumes; one that has been measured is skipped, so several processes can share
the rows. The figures are exact match and F1 with the paragraph given (of every `every`-th
paragraph), and of `questions` questions over all paragraphs of the file at once
(`evaluate.open_figures`: exhaustive, the span's score alone), in bf16.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from data import load_squad
from evaluate import KINDS, figures, open_figures
from model import restore
from run import machine_arguments, use_machine


def config_of(plan: dict, row: dict) -> dict:
    """The common config with the row's changes; `shape` and `loss` are merged, everything else is
    replaced."""
    config = {**plan["common"], "purpose": f"ablation: {row['what']}"}
    for key, value in row.get("changes", {}).items():
        config[key] = {**config.get(key, {}), **value} if isinstance(value, dict) else value
    return config


def measure(checkpoint: Path, data: str, ngrams: bool, plan: dict) -> dict:
    model, state = restore(checkpoint)
    paragraphs = load_squad(data, 512, checkpoint.parent.parent / "cache")
    found = {"steps": state["step"]}
    best = "full" if ngrams else "denseOnly"
    for name in dict.fromkeys((best, "denseOnly")):
        found[name] = {"given": figures(model, paragraphs[:: plan["every"]], KINDS[name])}
    found[best]["open"] = open_figures(model, paragraphs, KINDS[best], limit=plan["questions"])
    print(json.dumps(found), flush=True)
    return found


def table(plan: dict, out: Path) -> str:
    lines = ["| row | paragraph given: EM / F1 | its dense part alone | all paragraphs: EM / right paragraph first |", "|---|---|---|---|"]
    for row in plan["rows"]:
        file = out / row["name"] / "figures.json"
        if not file.exists():
            continue
        found = json.loads(file.read_text())
        best = found.get("full", found["denseOnly"])
        given = lambda one: "{exactMatch} / {f1}".format(**one["given"])  # noqa: E731
        asked = "{exactMatch} / {passageFirst}".format(**best["open"])
        lines.append(f"| {row['what']} | {given(best)} | {given(found['denseOnly'])} | {asked} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--data")
    parser.add_argument("--measure")
    parser.add_argument("--rows", help="comma-separated names; default: all")
    machine_arguments(parser)
    parser.add_argument("--table", action="store_true", help="only print the table of what has been measured")
    args = parser.parse_args()
    plan, out = json.loads(Path(args.config).read_text()), Path(args.out)
    if args.table:
        print(table(plan, out))
        return
    if not args.data or not args.measure:
        parser.error("--data and --measure are needed, or --table")
    use_machine(args)
    known = {row["name"]: row for row in plan["rows"]}
    names = args.rows.split(",") if args.rows else list(known)
    if missing := [name for name in names if name not in known]:
        parser.error(f"unknown row: {', '.join(missing)}; known rows: {', '.join(known)}")
    for name in names:
        folder = out / name
        if (folder / "figures.json").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        config = config_of(plan, known[name])
        (folder / "config.json").write_text(json.dumps(config, indent=2))
        if not (folder / "model.pt").exists():
            command = ["train.py", "--config", str(folder / "config.json"), "--data", args.data, "--out", str(folder), "--threads", str(args.threads), "--device", args.device, "--resume"]
            subprocess.run([sys.executable, *command], cwd=Path(__file__).parent, check=True)
            (folder / "checkpoint.pt").unlink(missing_ok=True)
        found = measure(folder / "model.pt", args.measure, config.get("loss", {}).get("ngrams", True), plan)
        (folder / "figures.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
