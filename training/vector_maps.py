"""Fits the linear maps of passage vectors: passage_vectors.py says what they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F


def load_features(folder: Path) -> dict[str, np.ndarray]:
    """{kind}_rows [n, P], {kind}_base [n, 384]; owners, kinds, documents, held as in Drawn."""
    arrays = {f"{kind}_{what}": np.load(folder / f"{kind}-{what}.npy") for kind in ("passage", "question") for what in ("rows", "base")}
    return {**arrays, **np.load(folder / "drawn.npz")}


class Maps:
    """Both maps over whitened principal components of the pooled rows: few numbers to train, and
    steps of like size in every direction."""

    def __init__(self, given: dict[str, np.ndarray], config: dict, rows: dict[str, np.ndarray] | None = None):
        """@param rows  numbers of the passages and questions that the maps begin with; default all"""
        rng = np.random.default_rng(config["seed"])
        size, components = config["size"], config["components"]
        chosen = {}
        for kind in ("passage", "question"):
            known = np.arange(len(given[f"{kind}_rows"])) if rows is None else rows[kind]
            chosen[kind] = rng.choice(known, min(config["whitened"], len(known)), replace=False)
        base = np.concatenate([given[f"{kind}_base"][chosen[kind]] for kind in chosen]).astype(np.float32)
        mean = base.mean(0)
        axes = np.linalg.eigh(np.cov(base.T))[1][:, ::-1][:, :size]
        self.inputs, self.parameters, self.white = {}, {}, {}
        for kind in ("passage", "question"):
            pooled = given[f"{kind}_rows"].astype(np.float32)
            own = pooled[chosen[kind]]
            centre, spread = own.mean(0), own.std(0) + 1e-6
            scaled = (own - centre) / spread
            values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
            values, vectors = values[::-1][:components], vectors[:, ::-1][:, :components]
            white = vectors / np.sqrt(values + config["damping"] * values.mean())
            x, y = scaled @ white, (given[f"{kind}_base"][chosen[kind]] - mean) @ axes
            ridge = x.T @ x + config["ridge"] * len(x) * np.eye(components)
            weight, bias = np.linalg.solve(ridge, x.T @ (y - y.mean(0))), y.mean(0)
            self.white[kind] = (centre, spread, white)
            self.inputs[kind] = torch.tensor(((pooled - centre) / spread) @ white, dtype=torch.float32)
            self.parameters[kind] = [torch.tensor(one, dtype=torch.float32, requires_grad=True) for one in (weight, bias)]

    def vectors(self, kind: str, chosen: np.ndarray, dropout: float = 0.0) -> torch.Tensor:
        weight, bias = self.parameters[kind]
        x = F.dropout(self.inputs[kind][torch.from_numpy(chosen)], dropout)
        return F.normalize(x @ weight + bias, dim=1)

    def over_rows(self) -> dict[str, np.ndarray]:
        """The same maps over pooled rows that are divided by their spread: the input of `attach`."""
        made = {}
        for kind, (weight, bias) in self.parameters.items():
            centre, spread, white = self.white[kind]
            whole = white @ weight.detach().numpy()
            made[f"{kind}_weight"], made[f"{kind}_spread"] = whole.T, spread
            made[f"{kind}_bias"] = bias.detach().numpy() - (centre / spread) @ whole
        return made


class Batches:
    """Questions, and the passages that they are to distinguish."""

    def __init__(self, given: dict[str, np.ndarray], config: dict):
        self.config, self.owners, self.kinds, self.names = config, given["owners"], given["kinds"], given["documents"]
        self.rng = np.random.default_rng(config["seed"])
        held = given["held"]
        self.free = np.flatnonzero(~held)
        asked = self.owners >= 0
        self.train = np.flatnonzero(~asked | ~held[self.owners])
        self.tune = np.flatnonzero(asked & held[self.owners])
        self.siblings: dict[str, list[int]] = {}
        for number in self.free:
            self.siblings.setdefault(str(self.names[number]), []).append(int(number))

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """(questions; candidates: their passages, others of the same documents, others at random, in order)"""
        questions = self.rng.choice(self.train, self.config["batch"], replace=False)
        own = self.owners[questions]
        own = own[own >= 0]
        others = [self.rng.choice(self.siblings[str(self.names[one])]) for one in own for _ in range(self.config["siblings"])]
        random_ones = self.rng.choice(self.free, min(self.config["candidates"], len(self.free)), replace=False)
        return questions, np.unique(np.concatenate([own, others, random_ones]).astype(np.int64))


@torch.no_grad()
def found(maps: Maps, batches: Batches) -> dict[str, dict[str, float]]:
    """Shares of held-out questions whose passage is among the first of all passages, in percent."""
    passages, made = maps.vectors("passage", np.arange(len(batches.names))), {}
    own = batches.owners[batches.tune]
    kinds = batches.kinds[batches.tune]
    for kind in sorted(set(kinds)):
        of_kind = kinds == kind
        scores = maps.vectors("question", batches.tune[of_kind]) @ passages.T
        ranks = (scores > scores[torch.arange(len(scores)), torch.from_numpy(own[of_kind])][:, None]).sum(1)
        made[kind] = {str(n): round(100 * float((ranks < n).float().mean()), 1) for n in (1, 4, 10, 20)}
    return made


def fit(folder: Path, config: dict) -> None:
    """Fits the maps to the features in the folder, and writes maps.npz there."""
    torch.manual_seed(config["seed"])
    given = load_features(folder)
    batches = Batches(given, config)
    maps = Maps(given, config, {"passage": batches.free, "question": batches.train})
    base = {kind: torch.from_numpy(given[f"{kind}_base"].astype(np.float32)) for kind in ("passage", "question")}
    print(json.dumps({"step": 0, "questions": len(batches.train), "heldOut": len(batches.tune), "among": found(maps, batches)}), flush=True)
    optimiser = torch.optim.AdamW([one for pair in maps.parameters.values() for one in pair], lr=config["rate"], weight_decay=0.01)
    steps = config["epochs"] * len(batches.train) // config["batch"]
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = config["rate"] * min(1, (step + 1) / config["warmup"]) * (1 - step / steps)
        questions, candidates = batches.draw()
        asked = batches.owners[questions] >= 0
        right = torch.from_numpy(np.searchsorted(candidates, batches.owners[questions][asked]))
        scores = maps.vectors("question", questions, config["dropout"]) @ maps.vectors("passage", candidates, config["dropout"]).T
        logits = scores / config["temperature"]
        wanted = base["question"][questions] @ base["passage"][candidates].T / config["base_temperature"]
        loss = F.cross_entropy(logits[torch.from_numpy(asked)], right) + config["base_weight"] * F.cross_entropy(logits, wanted.softmax(1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if (step + 1) % config["log_every"] == 0:
            print(json.dumps({"step": step + 1, "loss": round(loss.item(), 3), "among": found(maps, batches)}), flush=True)
    print(json.dumps({"step": steps, "among": found(maps, batches)}))
    np.savez(folder / "maps.npz", **maps.over_rows())
