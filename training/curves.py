"""Plots the losses and held-out figures of training runs.

    python curves.py --out runs/curves.svg first=runs/first.log.jsonl second=runs/second.log.jsonl

Needs matplotlib (pip install matplotlib), which no other command of this folder does.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

SHOWN = ("loss", "own", "own_dense", "batch", "batch_dense", "terms", "span")


def load(path: str) -> list[dict]:
    """Rows of a log, ascending by step. A run that was interrupted logs some steps twice: the later
    row counts."""
    rows = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "step" in row:
            rows[row["step"]] = row
    return [rows[step] for step in sorted(rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", metavar="NAME=LOG")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "verbatim"  # equal logs give equal bytes
    import matplotlib.pyplot as plt

    runs = dict(log.split("=", 1) for log in args.logs)
    runs = {name: load(path) for name, path in runs.items()}
    shown = [key for key in SHOWN if any(key in row for rows in runs.values() for row in rows)]
    figure, axes = plt.subplots(len(shown), 1, figsize=(8, 2 * len(shown)), sharex=True)
    for axis, key in zip(axes, shown):
        for name, rows in runs.items():
            points = [(row["step"], row[key]) for row in rows if key in row]
            if points:
                axis.plot(*zip(*points), label=name, linewidth=1)
        axis.set_ylabel(key)
        axis.set_yscale("log")
        axis.legend(fontsize=7)
    axes[-1].set_xlabel("step")
    figure.tight_layout()
    figure.savefig(args.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
