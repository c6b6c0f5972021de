"""Writes the reader's start and end logits of every training question over its own paragraph: what
the encoder is distilled from.

    python teacher.py --reader work/reader/model.pt --data SQUAD_TRAIN.json --out work/teacher

Files hold 4,000 questions each, so an interrupted run continues where it stopped: part-<n>.npz with
`ids` (question ids), `at` (n + 1 offsets) and `logits` (2, tokens) float16, the passage tokens of
one question after another.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch

from data import Paragraph, load_squad
from run import machine_arguments, use_machine

PART = 4000


def attach(paragraphs: list[Paragraph], folder: str) -> int:
    """Sets every question's teacher logits. @returns how many questions have them"""
    known: dict[str, np.ndarray] = {}
    for path in sorted(Path(folder).glob("part-*.npz")):
        part = np.load(path)
        at, logits = part["at"], part["logits"]
        for i, name in enumerate(part["ids"].tolist()):
            known[name] = logits[:, at[i] : at[i + 1]]
    count = 0
    for paragraph in paragraphs:
        for question in paragraph.questions:
            found = known.get(question.id)
            if found is not None and found.shape[1] == len(paragraph.ids) - 1 - paragraph.first:
                question.teacher = found
                count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--reader", "--data", "--out"):
        parser.add_argument(name, required=True)
    machine_arguments(parser)
    args = parser.parse_args()
    from model import half, restore
    from reader import Reader, tensors

    use_machine(args)
    reader, state = restore(Path(args.reader), Reader)
    config = state["config"]
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    paragraphs = load_squad(args.data, config["max_tokens"], out.parent / "cache", config.get("limit"))
    pairs = [(i, q, i) for i, p in enumerate(paragraphs) for q in range(len(p.questions)) if p.questions[q].start >= 0]
    size = lambda x: len(paragraphs[x[0]].ids) + len(paragraphs[x[0]].questions[x[1]].ids)  # noqa: E731
    started, tokens = time.time(), 0
    for number in range(0, len(pairs), PART):
        path = out / f"part-{number // PART:03d}.npz"
        if path.exists():
            continue
        some = sorted(pairs[number : number + PART], key=size)
        names, lengths, rows = [], [], []
        at = 0
        while at < len(some):
            batch = some[at : at + max(1, 6000 // size(some[min(at + 24, len(some) - 1)]))]
            at += len(batch)
            ids, kinds, mask, _ = tensors(paragraphs, batch)
            with torch.no_grad(), half(config.get("bf16", False)):
                start, end, _ = reader(ids, kinds, mask)
            for row, (p, q, _) in enumerate(batch):
                paragraph, question = paragraphs[p], paragraphs[p].questions[q]
                first = len(question.ids) - 1 + paragraph.first
                inside = slice(first, first + len(paragraph.ids) - 1 - paragraph.first)
                rows.append(torch.stack([start[row, inside], end[row, inside]]).cpu().numpy().astype(np.float16))
                names.append(question.id)
                lengths.append(rows[-1].shape[1])
            tokens += int(mask.sum())
        part = out / "part.tmp.npz"
        np.savez(part, ids=np.array(names), at=np.concatenate([[0], np.cumsum(lengths)]), logits=np.concatenate(rows, 1))
        os.replace(part, path)
        print(f"{min(number + PART, len(pairs))} of {len(pairs)} questions, {tokens / (time.time() - started):.0f} tokens/s", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main()
