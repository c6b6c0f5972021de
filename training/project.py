"""Reduces an exported encoder's start and end vectors to the dimensions that questions use.

    python project.py --model ../models/verbatim-en --config runs/first.json --data SQUAD_TRAIN.json --dense 32

A score is q · x. With Cq the second moment of the question vectors and Cx the covariance of the
kept rows, and Cq = L Lᵀ, the eigenvectors U of Lᵀ Cx L are the directions in which scores vary most:

    q · x = (Uᵀ L⁻¹ q) · (Uᵀ Lᵀ (x − m)) + q · m

The first 32 of 128 directions carry 99.8 % of the variance. Questions vary equally in all of them,
so one step of rounding suits them all. q · m is the same for all rows: the question head computes
it as its last output, and rows are stored without their mean m, which needs fewer bits.

The same is done to start and end. Coherency keeps the `--coherency` dimensions whose products vary
most. Centroids (scripts/learn-centroids.ts) have to be learned again afterwards.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np

from data import load_squad, split_held_out

HEADS = ("start", "end", "coherency")


class Head:
    """question.bin: W [2·dense + 2 … + 1, hidden], bias, gains. docs/model-format.md"""

    def __init__(self, folder: Path, info: dict) -> None:
        outputs = 2 * info["dense"] + info["coherency"] + 1
        numbers = np.fromfile(folder / "question.bin", "<f4").astype(np.float64)
        self.weight = numbers[: outputs * info["hidden"]].reshape(outputs, info["hidden"])
        self.bias = numbers[self.weight.size : self.weight.size + outputs]
        self.gains = numbers[self.weight.size + outputs :]

    def write(self, path: Path) -> None:
        path.write_bytes(np.concatenate([self.weight.ravel(), self.bias, self.gains]).astype("<f4").tobytes())


def directions(x: np.ndarray, q: np.ndarray, dense: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maps A of rows and B of questions [dense, d], and the mean m: q · x ≈ (B q) · A (x − m) + q · m."""
    mean = x.mean(0)
    moment = q.T @ q / len(q)
    moment += 1e-4 * np.trace(moment) / len(moment) * np.eye(len(moment))
    lower = np.linalg.cholesky(moment)
    values, vectors = np.linalg.eigh(lower.T @ np.cov((x - mean).T) @ lower)
    turn = vectors[:, ::-1].T[:dense]
    print(json.dumps({"share of the scores' variance": round(float(values[::-1][:dense].sum() / values.sum()), 5)}))
    return turn @ lower.T, turn @ np.linalg.inv(lower), mean


def sample(folder: Path, info: dict, head: Head, paragraphs) -> dict[str, np.ndarray]:
    """Kept rows and question vectors of training paragraphs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "encoder.onnx"), options)
    rows: dict[str, list[np.ndarray]] = {k: [] for k in ("start", "end", "c1", "c2", "question")}
    for paragraph in paragraphs:
        start, end, coherency, keep = session.run(["start", "end", "coherency", "keep"], {"ids": paragraph.ids[None].astype(np.int64)})
        own = np.arange(len(paragraph.ids))
        own = (own >= paragraph.first) & (own < len(paragraph.ids) - 1)
        starts, ends = own & (keep[:, 0] >= info["filter"]["start"]), own & (keep[:, 1] >= info["filter"]["end"])
        c = info["coherency"]
        for kind, value in (("start", start[starts]), ("end", end[ends]), ("c1", coherency[starts, :c]), ("c2", coherency[ends, c:])):
            rows[kind].append(value)
        for question in paragraph.questions:
            (cls,) = session.run(["cls"], {"ids": question.ids[None].astype(np.int64)})
            rows["question"].append(cls @ head.weight.T + head.bias)
    return {k: np.concatenate(v).astype(np.float64) for k, v in rows.items()}


def replace_heads(path: Path, maps: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Replaces rows of the product of all heads: W → M W, bias → M bias + c, for (M, c) of each name."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    constants = {t.name: t for t in model.graph.initializer}
    nodes = {n.output[0]: n for n in model.graph.node}
    split = next(n for n in model.graph.node if n.name == "heads")
    add = nodes[split.input[0]]
    scaled = nodes[add.input[0]]
    product, scales = nodes[nodes[scaled.input[0]].input[0]], nodes[scaled.input[1]]
    names = {"weight": product.input[1], "zero": product.input[3], "scale": scales.input[1], "bias": add.input[1], "widths": split.input[1]}
    old = {k: numpy_helper.to_array(constants[v]) for k, v in names.items()}
    weight = (old["weight"].astype(np.float64) - old["zero"]) * old["scale"]
    parts = {name: (w, b) for name, w, b in zip(split.output, np.split(weight.T, np.cumsum(old["widths"])[:-1]), np.split(old["bias"].astype(np.float64), np.cumsum(old["widths"])[:-1]))}
    for name, (m, c) in maps.items():
        w, b = parts[name]
        parts[name] = (m @ w, m @ b + c)
    whole = np.concatenate([w for w, _ in parts.values()]).T
    scale = (np.abs(whole).max(0) / 127).astype(np.float32)
    new = {
        "weight": np.clip(np.rint(whole / scale), -127, 127).astype(np.int8),
        "zero": np.zeros(len(scale), np.int8),
        "scale": scale,
        "bias": np.concatenate([b for _, b in parts.values()]).astype(np.float32),
        "widths": np.array([len(b) for _, b in parts.values()], np.int64),
    }
    for key, array in new.items():
        constants[names[key]].CopyFrom(numpy_helper.from_array(array, names[key]))
    for output in model.graph.output:
        if output.name in maps:
            output.type.tensor_type.shape.dim[1].dim_value = len(maps[output.name][1])
    onnx.save(model, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--model", "--config", "--data"):
        parser.add_argument(name, required=True)
    parser.add_argument("--dense", type=int, default=32)
    parser.add_argument("--coherency", type=int, default=32)
    parser.add_argument("--paragraphs", type=int, default=600, help="training paragraphs that the directions are chosen on")
    args = parser.parse_args()
    folder = Path(args.model)
    info = json.loads((folder / "model.json").read_text())
    config = json.loads(Path(args.config).read_text())
    paragraphs = load_squad(args.data, config["max_tokens"], Path("work/cache"), config.get("limit"))
    train, _ = split_held_out(paragraphs, config["held_out"], config.get("held_out_seed", config["seed"]))
    head = Head(folder, info)
    picked = np.random.default_rng(config["seed"]).permutation(len(train))[: args.paragraphs]
    rows = sample(folder, info, head, [train[i] for i in picked])

    dense, coherency = info["dense"], info["coherency"]
    at = {"start": slice(0, dense), "end": slice(dense, 2 * dense), "coherency": slice(2 * dense, 2 * dense + coherency)}
    maps, weights, biases = {}, [], []
    scales = dict(info["scales"])
    offset_weight, offset_bias = head.weight[-1], head.bias[-1]
    for name in ("start", "end"):
        a, b, mean = directions(rows[name], rows["question"][:, at[name]], args.dense)
        maps[name] = (a, -a @ mean)
        weights.append(b @ head.weight[at[name]])
        biases.append(b @ head.bias[at[name]])
        offset_weight = offset_weight + mean @ head.weight[at[name]]
        offset_bias = offset_bias + mean @ head.bias[at[name]]
        scales[name] = round(float(127 / np.quantile(np.abs((rows[name] - mean) @ a.T), 0.9999)), 4)
    draw = np.random.default_rng(config["seed"] + 1).integers
    products = rows["c1"][draw(0, len(rows["c1"]), 50_000)] * rows["c2"][draw(0, len(rows["c2"]), 50_000)]
    spread = products.var(0) * (rows["question"][:, at["coherency"]] ** 2).mean(0)
    kept = np.sort(np.argsort(-spread)[: args.coherency])
    print(json.dumps({"share of coherency's variance": round(float(spread[kept].sum() / spread.sum()), 4)}))
    pick = np.eye(2 * coherency)[np.concatenate([kept, coherency + kept])]
    maps["coherency"] = (pick, np.zeros(len(pick)))
    weights.append(head.weight[at["coherency"]][kept])
    biases.append(head.bias[at["coherency"]][kept])
    head.weight = np.concatenate([*weights, offset_weight[None]])
    head.bias = np.concatenate([*biases, np.array([offset_bias])])

    replace_heads(folder / "encoder.onnx", maps)
    head.write(folder / "question.bin")
    info.update(dense=args.dense, coherency=args.coherency, scales=scales)
    for name in ("encoder.onnx", "question.bin"):
        data = (folder / name).read_bytes()
        info["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    limits = ("maxInputTokens", "maxTitleTokens", "maxQuestionTokens", "ngramsPerRow", "bigramsPerRow", "termsPerUnit")
    decisive = {
        "shape": {"dense": info["dense"], "coarse": info["coarse"], "coherency": info["coherency"]},
        "scales": scales,
        "filter": info["filter"],
        "limits": {name: info[name] for name in limits},
        "termStop": info["termStop"],
    }
    hashes = [info["files"][name]["sha256"] for name in ("encoder.onnx", "terms.onnx", "vocab.txt")]
    info["passageModelHash"] = hashlib.sha256(json.dumps([*hashes, decisive], sort_keys=True).encode()).hexdigest()
    info["questionModelHash"] = info["files"]["question.bin"]["sha256"]
    info.pop("coarseCentroids", None)
    (folder / "model.json").write_text(json.dumps(info, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
