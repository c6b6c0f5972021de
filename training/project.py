"""Reduces an exported encoder's start and end vectors to the dimensions that questions use.

A score is q · x. With Cq the second moment of the question vectors and Cx the covariance of the
kept rows, and Cq = L Lᵀ, the eigenvectors U of Lᵀ Cx L are the directions in which scores vary most:

    q · x = (Uᵀ L⁻¹ q) · (Uᵀ Lᵀ (x − m)) + q · m

The first 32 of 128 directions carry 99.8 % of the variance. Questions vary equally in all of them,
so one step of rounding suits them all. q · m is the same for all rows: the question head computes
it as its last output, and rows are stored without their mean m, which needs fewer bits.

The same is done to start and end. Coherency keeps the dimensions whose products vary most.
export.py does this to every model that it exports.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from int8_session import open_session
from model_hash import file_facts, passage_hash

DENSE = 32  # of 128: 99.9 % of the variance of scores
COHERENCY = 16  # of 32: 82 %; open EM − 0.1 (docs/research/2026-11-23-index-size.md)
PARAGRAPHS = 400


def some_of(paragraphs: list, seed: int) -> list:
    return [paragraphs[i] for i in np.random.default_rng(seed).permutation(len(paragraphs))[:PARAGRAPHS]]


class Head:
    """question.bin: weight [2·dense + coherency + 1, hidden], bias, gains (docs/model-format.md)."""

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
    session = open_session(folder / "encoder.onnx", 1)
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
    """Applies x → M x + c to outputs of the graph, in the product that computes all heads."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    constants = {t.name: t for t in model.graph.initializer}
    nodes = {n.output[0]: n for n in model.graph.node}
    split = next(n for n in model.graph.node if n.name == "heads")
    add = nodes[split.input[0]]
    product = nodes[add.input[0]]
    names = {"weight": product.input[1], "bias": add.input[1], "widths": split.input[1]}
    int8 = product.op_type != "MatMul"
    if int8:  # (codes · codes) · scales
        codes, scales = nodes[nodes[product.input[0]].input[0]], nodes[product.input[1]]
        names.update(weight=codes.input[1], zero=codes.input[3], scale=scales.input[1])
    old = {k: numpy_helper.to_array(constants[v]) for k, v in names.items()}
    weight = old["weight"].astype(np.float64)
    if int8:
        weight = (weight - old["zero"]) * old["scale"]
    edges = np.cumsum(old["widths"])[:-1]
    parts = {n: (w, b) for n, w, b in zip(split.output, np.split(weight.T, edges), np.split(old["bias"].astype(np.float64), edges))}
    for name, (m, c) in maps.items():
        w, b = parts[name]
        parts[name] = (m @ w, m @ b + c)
    whole = np.concatenate([w for w, _ in parts.values()]).T
    new = {
        "weight": whole.astype(np.float32),
        "bias": np.concatenate([b for _, b in parts.values()]).astype(np.float32),
        "widths": np.array([len(b) for _, b in parts.values()], np.int64),
    }
    if int8:
        scale = np.maximum(np.abs(whole).max(0), 1e-8) / 127
        new.update(weight=np.rint(whole / scale).astype(np.int8), scale=scale.astype(np.float32), zero=np.zeros(len(scale), np.int8))
    for key, array in new.items():
        constants[names[key]].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), names[key]))
    for output in model.graph.output:
        if output.name in maps:
            output.type.tensor_type.shape.dim[1].dim_value = len(maps[output.name][1])
    onnx.save(model, path)


def project(folder: Path, paragraphs, dense: int, coherency: int, golden: Path | None = None) -> None:
    """Rewrites encoder.onnx, question.bin and model.json of an exported int8 model, and PyTorch's
    outputs in `golden`. Directions are chosen on the paragraphs, which are of the training articles."""
    info = json.loads((folder / "model.json").read_text())
    head = Head(folder, info)
    rows = sample(folder, info, head, paragraphs)
    old, c = info["dense"], info["coherency"]
    at = {"start": slice(0, old), "end": slice(old, 2 * old), "coherency": slice(2 * old, 2 * old + c)}
    passages, questions = {}, {}  # name -> (M, c): what was x becomes M x + c
    scales = dict(info["scales"])
    offset = np.zeros(len(head.bias))
    offset[-1] = 1
    for name in ("start", "end"):
        a, b, mean = directions(rows[name], rows["question"][:, at[name]], dense)
        passages[name], questions[name] = (a, -a @ mean), b
        offset[at[name]] = mean
        scales[name] = round(float(127 / np.quantile(np.abs((rows[name] - mean) @ a.T), 0.9999)), 4)
    kept = largest_products(rows, rows["question"][:, at["coherency"]], coherency)
    questions["coherency"] = np.eye(c)[kept]
    pairs = np.eye(2 * c)[np.concatenate([kept, c + kept])]
    passages["coherency"] = (pairs, np.zeros(len(pairs)))

    turn = np.concatenate([*(m @ np.eye(len(head.bias))[at[name]] for name, m in questions.items()), offset[None]])
    head.weight, head.bias = turn @ head.weight, turn @ head.bias
    head.write(folder / "question.bin")
    replace_heads(folder / "encoder.onnx", passages)
    if golden is not None:
        records = json.loads(golden.read_text())
        project_golden(records, passages, questions)
        golden.write_text(json.dumps(records) + "\n")
    info.update(dense=dense, coherency=coherency, scales=scales)
    hash_again(folder, info)
    (folder / "model.json").write_text(json.dumps(info, indent=1, ensure_ascii=False) + "\n")


def largest_products(rows: dict[str, np.ndarray], q: np.ndarray, count: int) -> np.ndarray:
    """The dimensions d with the largest variance of q_d · c1_d · c2_d over random pairs of rows."""
    draw = np.random.default_rng(1).integers
    products = rows["c1"][draw(0, len(rows["c1"]), 50_000)] * rows["c2"][draw(0, len(rows["c2"]), 50_000)]
    spread = products.var(0) * (q**2).mean(0)
    kept = np.sort(np.argsort(-spread)[:count])
    print(json.dumps({"share of coherency's variance": round(float(spread[kept].sum() / spread.sum()), 4)}))
    return kept


def project_golden(records: dict, passages: dict, questions: dict) -> None:
    """The same maps on PyTorch's outputs."""
    rounded = lambda a: [float(f"{v:.6g}") for v in np.ravel(a)]  # noqa: E731
    for record in records["passages"]:
        for name, (m, c) in passages.items():
            record[name] = rounded(np.reshape(record[name], (len(record["rows"]), -1)) @ m.T + c)
    for record in records["questions"]:
        for name, m in questions.items():
            record[name] = rounded(m @ np.array(record[name]))


def hash_again(folder: Path, info: dict) -> None:
    """Sizes and hashes of the two changed files, and the hashes made of them."""
    for name in ("encoder.onnx", "question.bin"):
        info["files"][name] = file_facts(folder / name)
    info["passageModelHash"] = passage_hash(info)
    info["questionModelHash"] = info["files"]["question.bin"]["sha256"]
