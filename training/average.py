"""Averages the weights of several networks. If one run continues another, the average often beats
both (Wortsman et al. 2022).

    python average.py work/reader/model.pt work/reader-second/model.pt --out work/reader-average
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def mean(states: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Averages floating-point weights in double precision; other values are taken from the last
    network."""
    last = states[-1]
    return {
        name: sum(state[name].double() for state in states).div(len(states)).to(value.dtype) if value.is_floating_point() else value
        for name, value in last.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="model.pt files, the latest run last")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    saved = [torch.load(path, map_location="cpu", weights_only=False) for path in args.models]
    config = {
        **saved[-1]["config"],
        "purpose": f"the mean of the weights of {len(saved)} runs",
        "command": f"python average.py {' '.join(args.models)} --out {args.out}",
        "start": args.models[-1],
    }
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.save({**saved[-1], "model": mean([one["model"] for one in saved]), "config": config}, out / "model.pt")


if __name__ == "__main__":
    main()
