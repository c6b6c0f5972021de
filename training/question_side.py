"""The question's own head alone, trained while an index stays as it is (query-side fine-tuning: Lee et al. 2021, DensePhrases §4.4).

    npx tsx ../scripts/question-candidates.ts QUESTIONS --index DIR --out work/candidates          # once for every set of questions
    npx tsx ../scripts/question-candidates.ts HELD_OUT --index HELD_INDEX --out work/held-candidates --all
    python question_side.py --model ../models/verbatim-en --train work/candidates --held work/held-candidates --out question.bin

score = (W cls + b) · (rows of the span) + rest;  loss = − log Σ_right softmax(score / T) over a question's candidates, plus an anchor that keeps
W near where it was. Nothing but question.bin changes: an index made before stays valid (its `passageModelHash` is the same).
Prints exact match of the first of the held-out questions' candidates, before and after each epoch; the best epoch is written.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


def read_head(model: Path) -> tuple[dict, np.ndarray, np.ndarray, np.ndarray]:
    """(model.json, W (outputs, hidden), b (outputs,), the terms' gains)."""
    about = json.loads((model / "model.json").read_text())
    outputs, hidden = 2 * about["dense"] + about["coherency"], about["hidden"]
    numbers = np.fromfile(model / "question.bin", dtype="<f4")
    cut = outputs * hidden
    return about, numbers[:cut].reshape(outputs, hidden).copy(), numbers[cut : cut + outputs].copy(), numbers[cut + outputs :]


class Candidates:
    """One folder of `question-candidates.ts`: rows (N, outputs) in the scale of the head's outputs, and what stands beside them."""

    def __init__(self, folder: Path, about: dict, session):
        dense, coherency, scales = about["dense"], about["coherency"], about["scales"]
        self.questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
        read = lambda name, kind, width: np.fromfile(folder / name, dtype=kind).reshape(-1, width).astype(np.float32)  # noqa: E731
        starts, ends, pairs = read("starts.i8", "i1", dense), read("ends.i8", "i1", dense), read("pairs.i16", "<i2", coherency)
        rows = [starts / scales["start"], ends / scales["end"], pairs / (scales["coherencyStart"] * scales["coherencyEnd"])]
        self.rows = torch.from_numpy(np.concatenate(rows, 1))
        self.rest = torch.from_numpy(np.fromfile(folder / "rest.f32", dtype="<f4"))
        self.dense = torch.from_numpy(np.fromfile(folder / "dense.f32", dtype="<f4"))
        self.right = torch.from_numpy(np.fromfile(folder / "right.u8", dtype="u1")).bool()
        self.cls = torch.from_numpy(np.stack([session.run(["cls"], {"ids": np.array([q["ids"]], np.int64)})[0][0] for q in self.questions]))

    def scores(self, head: torch.nn.Linear, numbers: list[int]) -> tuple[Tensor, Tensor]:
        """Scores (n, most) and which are right, of some questions; places that a question has no candidate for are −∞."""
        spans = [(self.questions[n]["from"], self.questions[n]["to"]) for n in numbers]
        most = max(to - at for at, to in spans)
        scores, right = torch.full((len(spans), most), float("-inf")), torch.zeros(len(spans), most, dtype=torch.bool)
        asked = head(self.cls[numbers])
        for i, (at, to) in enumerate(spans):
            scores[i, : to - at] = self.rows[at:to] @ asked[i] + self.rest[at:to]
            right[i, : to - at] = self.right[at:to]
        return scores, right

    @torch.no_grad()
    def first_right(self, head: torch.nn.Linear) -> float:
        """Share of questions whose first candidate is right, 0-100."""
        hits = 0
        for at in range(0, len(self.questions), 256):
            scores, right = self.scores(head, list(range(at, min(at + 256, len(self.questions)))))
            hits += int(right.gather(1, scores.argmax(1, keepdim=True)).sum())
        return 100 * hits / len(self.questions)


def loss_of(scores: Tensor, right: Tensor, temperature: float) -> Tensor:
    """−log Σ_right softmax, mean over questions that have a right candidate."""
    logs = torch.log_softmax(scores / temperature, 1)
    some = right.any(1)
    return -torch.logsumexp(logs.masked_fill(~right, float("-inf"))[some], 1).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", required=True, action="append", help="a folder of question-candidates.ts; may be given more than once")
    parser.add_argument("--held", required=True, action="append")
    parser.add_argument("--out", required=True)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--anchor", type=float, default=1.0, help="weight of the mean squared distance from the first outputs, in units of their variance")
    parser.add_argument("--temperature", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    import onnxruntime

    torch.manual_seed(args.seed)
    about, weight, bias, gains = read_head(Path(args.model))
    session = onnxruntime.InferenceSession(str(Path(args.model) / "encoder.onnx"))
    train, held = ([Candidates(Path(folder), about, session) for folder in folders] for folders in (args.train, args.held))
    head = torch.nn.Linear(weight.shape[1], weight.shape[0])
    head.weight.data, head.bias.data = torch.from_numpy(weight), torch.from_numpy(bias)
    with torch.no_grad():
        for part in (*train, *held):  # what is read is what was scored, but for the engine's rounding of the question
            asked = torch.repeat_interleave(head(part.cls), torch.tensor([q["to"] - q["from"] for q in part.questions]), 0)
            off = ((part.rows * asked).sum(1) - part.dense).abs().mean()
            if off > 0.05:
                raise SystemExit(f"the candidates' dense parts are off by {off:.3f}: they are of another model")
    first = torch.nn.Linear(weight.shape[1], weight.shape[0])
    first.load_state_dict(head.state_dict())
    row = {"epoch": 0, "train": [round(part.first_right(head), 2) for part in train], "held": [round(part.first_right(head), 2) for part in held]}
    print(json.dumps(row), flush=True)
    best, kept = sum(row["held"]), None
    optimiser = torch.optim.AdamW(head.parameters(), lr=args.rate, weight_decay=0.0)
    batches = [(part, list(range(at, min(at + 64, len(part.questions))))) for part in train for at in range(0, len(part.questions), 64)]
    for epoch in range(args.epochs):
        total = 0.0
        for number in torch.randperm(len(batches)).tolist():
            part, numbers = batches[number]
            scores, right = part.scores(head, numbers)
            before = first(part.cls[numbers]).detach()
            apart = F.mse_loss(head(part.cls[numbers]), before) / before.var()
            loss = loss_of(scores, right, args.temperature) + args.anchor * apart
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach())
        row = {"epoch": epoch + 1, "loss": round(total / len(batches), 4), "apart": round(float(apart.detach()), 4)}
        row |= {"train": [round(part.first_right(head), 2) for part in train], "held": [round(part.first_right(head), 2) for part in held]}
        print(json.dumps(row), flush=True)
        if sum(row["held"]) > best:
            best, kept = sum(row["held"]), {k: v.clone() for k, v in head.state_dict().items()}
    if kept is None:
        print("no epoch was better on the held-out questions: nothing is written", flush=True)
        return
    np.concatenate([kept["weight"].numpy().ravel(), kept["bias"].numpy(), gains]).astype("<f4").tofile(args.out)


if __name__ == "__main__":
    main()
