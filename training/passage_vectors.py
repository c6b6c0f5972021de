"""Passage vectors from a network that is already trained: the means of every layer's rows, and
linear maps from those to one vector of a passage or a question. The rest of the network stays as it
is, so phrases, n-grams and terms do not change.

    python passage_vectors.py features --model work/encoder --data DATA_FOLDER --written written/questions.jsonl --out work/passage
    python passage_vectors.py fit --config runs/passage-vectors.json --out work/passage
    python passage_vectors.py attach --model work/encoder --maps work/passage/maps.npz --weight 30 --to ../models/verbatim-en --golden ../test/golden/verbatim-en.json

The maps start where they give the sentence vectors of the untouched base model best (ridge
regression), and are then trained on pairs of a question and its passage, against the passages of
the other questions in the batch and others of the same document. A second term of the loss holds
their distribution over those passages near that of the base model.

    pooled(ids) = the means over all tokens of the embedding's normalised rows and of each layer's
                  output, one after the other: (layers + 1) · hidden numbers
    vector      = x / |x|,  x = W pooled + b;  one W and b for passages, one for questions
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

from data import build_paragraph, split_held_out
from draw_passages import documents, passages
from span_sets import load_spans
from text_base import base_folder, load_tokenizer
from written import held_out, load_pairs, load_written, plain

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "bench" / "ranking"))

MOST_TOKENS = 200  # of a passage, while the maps are trained
PAIRS = {"medquad": 1000, "qmsum": 500, "faq": 700}  # questions of sets that name the passage alone
SPANS = {"fairytaleqa": ("other/fairytaleqa.json.xz", 500), "squad": ("squad/train-v1.1.json", 2000)}  # passages, two questions each
UNLABELLED = 1500  # passages without a question


def layer_rows(graph: onnx.GraphProto) -> list[str]:
    """The embedding's normalised rows and each layer's output, [1, T, hidden]."""
    first = next(node.output[0] for node in graph.node if node.op_type == "LayerNormalization")
    norms = [node.output[0] for node in graph.node if node.op_type == "SkipLayerNormalization"]
    return [first, *norms[1::2]]


def add_pooled(graph: onnx.GraphProto) -> str:
    """Adds the pooled rows of a text. @returns the name of what holds them, [1, (layers + 1) · hidden]"""
    means = []
    for number, rows in enumerate(layer_rows(graph)):
        means.append(f"pooled{number}")
        graph.node.append(helper.make_node("ReduceMean", [rows], [means[-1]], name=f"pool{number}", axes=[1], keepdims=0))
    graph.node.append(helper.make_node("Concat", means, ["pooled"], name="pooled", axis=1))
    return "pooled"


def attach(model: onnx.ModelProto, maps: dict[str, np.ndarray]) -> None:
    """Adds the outputs passage_vector and question_vector [1, V], each of length 1.

    @param maps  {passage, question}_weight (V, P) and _bias (V,); weights are kept in 16 bits"""
    graph = model.graph
    if any(one.name == "passage_vector" for one in graph.output):
        raise SystemExit("The graph has passage vectors already: attach to one without.")
    pooled = add_pooled(graph)
    for kind in ("passage", "question"):
        weight, bias = maps[f"{kind}_weight"].T.astype(np.float16), maps[f"{kind}_bias"].astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(weight, f"vector.{kind}.weight"))
        graph.initializer.append(numpy_helper.from_array(bias, f"vector.{kind}.bias"))
        graph.node.append(helper.make_node("Cast", [f"vector.{kind}.weight"], [f"{kind}_map"], name=f"{kind}_map", to=TensorProto.FLOAT))
        graph.node.append(helper.make_node("Gemm", [pooled, f"{kind}_map", f"vector.{kind}.bias"], [f"{kind}_raw"], name=f"{kind}_raw"))
        graph.node.append(helper.make_node("LpNormalization", [f"{kind}_raw"], [f"{kind}_vector"], name=f"{kind}_vector", axis=1, p=2))
        graph.output.append(helper.make_tensor_value_info(f"{kind}_vector", TensorProto.FLOAT, [1, len(bias)]))


class Pooler:
    """Pooled rows by the graph that ships."""

    def __init__(self, path: Path):
        model = onnx.load(str(path))
        name = add_pooled(model.graph)
        del model.graph.output[:]
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options)

    def rows(self, inputs: list[np.ndarray]) -> np.ndarray:
        """@returns float16 [inputs, P]"""
        found = []
        for number, ids in enumerate(inputs, 1):
            found.append(self.session.run(None, {"ids": ids[None].astype(np.int64)})[0][0].astype(np.float16))
            if number % 1000 == 0:
                print(f"{number} of {len(inputs)} texts", flush=True)
        return np.stack(found)


def collect(data: Path, written: Path, seed: int) -> tuple[list[tuple[str, np.ndarray]], list[tuple[int, np.ndarray]]]:
    """Passages as (document, ids), and questions as (index of the passage, ids); nothing held out."""
    rng, tokenizer = random.Random(seed), load_tokenizer()
    texts: list[tuple[str, np.ndarray]] = []
    asked: list[tuple[int, np.ndarray]] = []

    def add(document: str, ids: np.ndarray, questions: list[np.ndarray]) -> None:
        asked.extend((len(texts), one) for one in questions)
        texts.append((document, ids[:MOST_TOKENS]))

    for paragraph in load_written(written, data)[0]:
        if questions := [one.ids for one in paragraph.questions if one.start >= 0]:
            add(f"written {paragraph.article}", paragraph.ids, questions)
    for name, count in PAIRS.items():
        for question, own, _ in load_pairs(data / f"other/{name}.jsonl.xz", count, seed):
            add(f"{name} {len(texts)}", own.ids, [question.ids])
    for name, (path, count) in SPANS.items():
        known = [one for one in load_spans(str(data / path), "train", HERE / "work" / "cache") if one.questions]
        known = split_held_out(known, 0.05, 17)[0]  # as tune_reader.py
        for paragraph in rng.sample(known, min(count, len(known))):
            drawn = rng.sample(paragraph.questions, min(2, len(paragraph.questions)))
            add(f"{name} {paragraph.article}", paragraph.ids, [one.ids for one in drawn])
    rest = []
    for _, document, title, text in documents(data):
        if not held_out(document):
            pieces = list(passages(text))
            rest += [(document, title, piece) for _, _, piece in rng.sample(pieces, min(1, len(pieces)))]
    for document, title, piece in rng.sample(rest, min(UNLABELLED, len(rest))):
        add(document, build_paragraph(tokenizer, 0, title, plain(piece), MOST_TOKENS).ids, [])
    return texts, asked


def features(args: argparse.Namespace) -> None:
    from base_vectors import SentenceVectors

    args.out.mkdir(parents=True, exist_ok=True)
    texts, asked = collect(args.data, args.written, args.seed)
    print(f"{len(texts)} passages, {sum(len(ids) for _, ids in texts)} tokens, {len(asked)} questions", flush=True)
    pooler, base = Pooler(args.model / "encoder.onnx"), SentenceVectors(base_folder())
    inputs = {"passage": [ids for _, ids in texts], "question": [ids for _, ids in asked]}
    made = {}
    for kind, given in inputs.items():
        made[f"{kind}_rows"] = pooler.rows(given)
        made[f"{kind}_base"] = base.encode([list(map(int, ids)) for ids in given])
    owners = np.array([owner for owner, _ in asked])
    np.savez(args.out / "features.npz", owners=owners, documents=np.array([document for document, _ in texts]), **made)


class Maps:
    """Both maps over whitened principal components of the pooled rows: few numbers to train, and
    steps of like size in every direction."""

    def __init__(self, given: dict[str, np.ndarray], config: dict, rows: dict[str, np.ndarray] | None = None):
        """@param rows  numbers of the passages and questions that the maps begin with; default all"""
        self.size, components = config["size"], config["components"]
        rows = {kind: slice(None) for kind in ("passage", "question")} if rows is None else rows
        base = np.concatenate([given[f"{kind}_base"][chosen] for kind, chosen in rows.items()])
        mean = base.mean(0)
        axes = np.linalg.eigh(np.cov(base.T))[1][:, ::-1][:, : self.size]
        self.inputs, self.parameters, self.white = {}, {}, {}
        for kind in ("passage", "question"):
            pooled = given[f"{kind}_rows"].astype(np.float32)
            own = pooled[rows[kind]]
            centre, spread = own.mean(0), own.std(0) + 1e-6
            scaled = (own - centre) / spread
            values, vectors = np.linalg.eigh(scaled.T @ scaled / len(scaled))
            values, vectors = values[::-1][:components], vectors[:, ::-1][:, :components]
            white = vectors / np.sqrt(values + config["damping"] * values.mean())
            x, y = scaled @ white, (given[f"{kind}_base"][rows[kind]] - mean) @ axes
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
        """The same maps over the pooled rows as they are: the input of `attach`."""
        made = {}
        for kind, (weight, bias) in self.parameters.items():
            centre, spread, white = self.white[kind]
            whole = (white @ weight.detach().numpy()) / spread[:, None]
            made[f"{kind}_weight"], made[f"{kind}_bias"] = whole.T, bias.detach().numpy() - centre @ whole
        return made


def fit(args: argparse.Namespace) -> None:
    config = json.loads(args.config.read_text())
    torch.manual_seed(config["seed"])
    rng = np.random.default_rng(config["seed"])
    given = dict(np.load(args.out / "features.npz"))
    owners, names = given["owners"], given["documents"]
    held = np.array([int(hashlib.sha256(str(name).encode()).hexdigest()[:4], 16) % 10 == 0 for name in names])
    train, tune = np.flatnonzero(~held[owners]), np.flatnonzero(held[owners])
    maps = Maps(given, config, {"passage": np.flatnonzero(~held), "question": train})
    base = {kind: torch.from_numpy(given[f"{kind}_base"]) for kind in ("passage", "question")}
    siblings: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        siblings.setdefault(str(name), []).append(number)

    @torch.no_grad()
    def found() -> dict[str, float]:
        """Shares of held-out questions whose passage is among the first, of all passages."""
        scores = maps.vectors("question", tune) @ maps.vectors("passage", np.arange(len(names))).T
        own = scores[torch.arange(len(tune)), torch.from_numpy(owners[tune])]
        ranks = (scores > own[:, None]).sum(1)
        return {str(n): round(100 * float((ranks < n).float().mean()), 1) for n in (1, 4, 20)}

    print(json.dumps({"step": 0, "questions": len(train), "heldOut": len(tune), "among": found()}), flush=True)
    optimiser = torch.optim.Adam([one for pair in maps.parameters.values() for one in pair], lr=config["rate"])
    steps = config["epochs"] * len(train) // config["batch"]
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = config["rate"] * (1 - step / steps)
        batch = rng.choice(train, config["batch"], replace=False)
        others = [rng.choice(siblings[str(names[owner])]) for owner in owners[batch] for _ in range(config["siblings"])]
        candidates = np.unique(np.concatenate([owners[batch], others]).astype(np.int64))
        right = torch.from_numpy(np.searchsorted(candidates, owners[batch]))
        scores = maps.vectors("question", batch, config["dropout"]) @ maps.vectors("passage", candidates, config["dropout"]).T
        loss = F.cross_entropy(scores / config["temperature"], right)
        wanted = base["question"][batch] @ base["passage"][candidates].T / config["base_temperature"]
        loss = loss + config["base_weight"] * F.cross_entropy(scores / config["temperature"], wanted.softmax(1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(json.dumps({"step": steps, "loss": round(loss.item(), 3), "among": found()}))
    np.savez(args.out / "maps.npz", **maps.over_rows())


def add_to_golden(path: Path, pooler: Pooler, maps: dict[str, np.ndarray]) -> None:
    """Adds the vectors of golden texts: pooled rows of the int8 graph, mapped in float64."""
    records = json.loads(path.read_text())
    for kind in ("passage", "question"):
        given = records[f"{kind}s"]
        rows = pooler.rows([np.array(record["ids"]) for record in given]).astype(np.float64)
        found = rows @ maps[f"{kind}_weight"].T + maps[f"{kind}_bias"]
        for record, vector in zip(given, found / np.linalg.norm(found, axis=1, keepdims=True), strict=True):
            record["vector"] = [float(f"{value:.6g}") for value in vector]
    path.write_text(json.dumps(records) + "\n")


def write_model(args: argparse.Namespace) -> None:
    """A model folder with the vectors' outputs. Its passage hash is that of the old model, the new
    graph and the number of dimensions: an index of the old model does not fit."""
    shutil.copytree(args.model, args.to, dirs_exist_ok=True)
    graph, path = onnx.load(str(args.model / "encoder.onnx")), args.to / "encoder.onnx"
    maps = dict(np.load(args.maps))
    attach(graph, maps)
    onnx.save(graph, str(path))
    info = json.loads((args.model / "model.json").read_text())
    digest, size = hashlib.sha256(path.read_bytes()).hexdigest(), len(maps["passage_bias"])
    text = json.dumps([info["passageModelHash"], digest, size])
    info.update(vector=size, passageModelHash=hashlib.sha256(text.encode()).hexdigest())
    info["files"]["encoder.onnx"] = {"bytes": path.stat().st_size, "sha256": digest}
    info["weights"]["vector"] = int(args.weight) if args.weight.is_integer() else args.weight
    (args.to / "model.json").write_text(json.dumps(info, indent=1, ensure_ascii=False) + "\n")
    if args.golden is not None:
        add_to_golden(args.golden, Pooler(args.model / "encoder.onnx"), maps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("features")
    for name in ("--model", "--data", "--written", "--out"):
        made.add_argument(name, required=True, type=Path)
    made.add_argument("--seed", type=int, default=3)
    trained = commands.add_parser("fit")
    for name in ("--config", "--out"):
        trained.add_argument(name, required=True, type=Path)
    joined = commands.add_parser("attach")
    for name in ("--model", "--maps", "--to"):
        joined.add_argument(name, required=True, type=Path)
    joined.add_argument("--weight", required=True, type=float, help="of the vectors' part in the score")
    joined.add_argument("--golden", type=Path, help="golden outputs that export.py wrote, which get the vectors")
    args = parser.parse_args()
    torch.set_num_threads(1)
    {"features": features, "fit": fit, "attach": write_model}[args.command](args)


if __name__ == "__main__":
    main()
