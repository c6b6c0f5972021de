"""Passage vectors from a network that is already trained: the means of every layer's rows, and
linear maps from those to one vector of a passage or a question. The rest of the network stays as it
is, so phrases, n-grams and terms do not change.

    python passage_vectors.py features --model work/encoder --data DATA_FOLDER --written written/questions.jsonl --out work/passage
    python passage_vectors.py fit --config runs/passage-vectors.json --out work/passage
    python passage_vectors.py maps --model ../models/verbatim-en --out work/passage         # of an encoder that this one differs little from
    python passage_vectors.py attach --model work/encoder --maps work/passage/maps.npz --config runs/passage-vectors.json --weight 30 --to ../models/verbatim-en --golden ../test/golden/verbatim-en.json

With `--base` and `--text`, `features` draws the texts for the multilingual model (vector_texts.py).

The maps start where they give the sentence vectors of the untouched base model best (ridge
regression), and are then trained on pairs of a question and its passage, against other passages of
the same document and passages drawn at random. A second term of the loss holds their distribution
over those passages near that of the base model; questions without a passage count for it alone.

    pooled(ids) = the means over all tokens of the embedding's normalised rows and of each layer's
                  output, one after the other: (layers + 1) · hidden numbers
    vector      = x / |x|,  x = W (pooled / spread) + b;  one W, b and spread for passages, one for
                  questions; W is stored in 8 bits with a scale per dimension of the vector
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, takewhile
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

from int8_session import open_session
from model_hash import file_facts, passage_hash
from text_base import base_folder, load_tokenizer
from vector_texts import collect, collect_multilingual, part_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "bench" / "ranking"))

PART = 4000  # texts per saved part


def layer_rows(graph: onnx.GraphProto) -> list[str]:
    """The embedding's normalised rows and each layer's output, [1, T, hidden]."""
    first = next(node.output[0] for node in graph.node if node.op_type == "LayerNormalization")
    made = {name for node in graph.node for name in node.output}
    return [first, *takewhile(made.__contains__, (f"layer{i}" for i in count()))]


def add_pooled(graph: onnx.GraphProto) -> str:
    """Adds the pooled rows of a text. @returns the name of what holds them, [1, (layers + 1) · hidden]"""
    means = []
    for number, rows in enumerate(layer_rows(graph)):
        means.append(f"pooled{number}")
        graph.node.append(helper.make_node("ReduceMean", [rows], [means[-1]], name=f"pool{number}", axes=[1], keepdims=0))
    graph.node.append(helper.make_node("Concat", means, ["pooled"], name="pooled", axis=1))
    return "pooled"


def remove_vectors(model: onnx.ModelProto) -> None:
    """Takes away the vectors' outputs and all that only they need."""
    graph = model.graph
    kept = [one for one in graph.output if not one.name.endswith("_vector")]
    del graph.output[:]
    graph.output.extend(kept)
    needed, nodes = {one.name for one in kept}, []
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed.update(node.input)
            nodes.insert(0, node)
    constants = [one for one in graph.initializer if one.name in needed]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(constants)


def attach(model: onnx.ModelProto, maps: dict[str, np.ndarray]) -> None:
    """Adds the outputs passage_vector and question_vector [1, V], each of length 1.

    @param maps  of each kind _weight (V, P), _bias (V,) and _spread (P,)"""
    graph = model.graph
    if any(one.name == "passage_vector" for one in graph.output):
        raise SystemExit("The graph has passage vectors already: attach to one without.")
    pooled = add_pooled(graph)
    for kind in ("passage", "question"):
        weight, scale = in_8_bits(maps[f"{kind}_weight"])
        constants = {"weight": weight.T, "scale": scale, "bias": maps[f"{kind}_bias"], "spread": 1 / maps[f"{kind}_spread"]}
        for name, array in constants.items():
            kept = array if name == "weight" else array.astype(np.float32)
            graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(kept), f"vector.{kind}.{name}"))
        step = f"{kind}_map"
        graph.node.extend(
            [
                helper.make_node("Mul", [pooled, f"vector.{kind}.spread"], [f"{step}.even"], name=f"{step}.even"),
                helper.make_node("Cast", [f"vector.{kind}.weight"], [f"{step}.weight"], name=f"{step}.weight", to=TensorProto.FLOAT),
                helper.make_node("MatMul", [f"{step}.even", f"{step}.weight"], [f"{step}.whole"], name=f"{step}.whole"),
                helper.make_node("Mul", [f"{step}.whole", f"vector.{kind}.scale"], [f"{step}.scaled"], name=f"{step}.scaled"),
                helper.make_node("Add", [f"{step}.scaled", f"vector.{kind}.bias"], [f"{step}.raw"], name=f"{step}.raw"),
                helper.make_node("LpNormalization", [f"{step}.raw"], [f"{kind}_vector"], name=f"{kind}_vector", axis=1, p=2),
            ]
        )
        graph.output.append(helper.make_tensor_value_info(f"{kind}_vector", TensorProto.FLOAT, [1, len(maps[f"{kind}_bias"])]))


def in_8_bits(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int8 weights, scale of each row): weight ≈ int8 · scale[:, None]"""
    scale = np.abs(weight).max(1) / 127 + 1e-12
    return np.rint(weight / scale[:, None]).astype(np.int8), scale


def maps_of(path: Path) -> dict[str, np.ndarray]:
    """The maps that a graph has, as `attach` takes them; their weights are in 8 bits already."""
    values = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer if one.name.startswith("vector.")}
    if not values:
        raise SystemExit(f"{path} has no passage vectors.")
    maps = {}
    for kind in ("passage", "question"):
        weight, scale, bias, factor = (values[f"vector.{kind}.{name}"] for name in ("weight", "scale", "bias", "spread"))
        maps |= {f"{kind}_weight": weight.T * scale[:, None], f"{kind}_bias": bias, f"{kind}_spread": 1 / factor}
    return maps


class Pooler:
    """Pooled rows by the graph that ships."""

    def __init__(self, path: Path):
        model = onnx.load(str(path))
        remove_vectors(model)
        name = add_pooled(model.graph)
        del model.graph.output[:]
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
        self.session = open_session(model.SerializeToString(), 1)

    def rows(self, inputs: list[np.ndarray]) -> np.ndarray:
        """@returns float16 [inputs, P]"""
        found = []
        for ids in inputs:
            found.append(self.session.run(None, {"ids": ids[None].astype(np.int64)})[0][0].astype(np.float16))
        return np.stack(found)


class BaseVectors:
    """The untouched base model's sentence vectors, in bfloat16: twice as fast, and the cosine to those in float32 is
    above 0.9999. The multilingual base expects a word in front that says what a text is (Wang et al. 2024,
    "Multilingual E5 text embeddings", §2)."""

    def __init__(self, base: str | None):
        from base_vectors import BaseModel

        self.model, self.front = BaseModel(base_folder(base)), {"question": [], "passage": []}
        if base is not None:
            for kind, word in (("question", "query: "), ("passage", "passage: ")):
                self.front[kind] = load_tokenizer(base).encode(word, add_special_tokens=False).ids

    def of(self, kind: str, inputs: list[np.ndarray]) -> np.ndarray:
        """@returns float32 [inputs, 384]"""
        with torch.autocast("cpu", torch.bfloat16):
            return self.model.encode([[int(ids[0]), *self.front[kind], *map(int, ids[1:])] for ids in inputs])


def features(args: argparse.Namespace) -> None:
    """Draws the texts, and computes what the maps are between. What an earlier call computed for the same texts with
    the same model is kept, so a call that was stopped resumes."""
    args.out.mkdir(parents=True, exist_ok=True)
    drawn = collect_multilingual(args.data, args.text, args.base, args.seed) if args.base else collect(args.data, args.written, args.seed)
    if args.share < 1:
        drawn = part_of(drawn, args.share, args.seed)
    print(f"{len(drawn.passages)} passages, {sum(map(len, drawn.passages))} tokens, {len(drawn.questions)} questions", flush=True)
    facts = {name: np.array(getattr(drawn, name)) for name in ("owners", "kinds", "documents", "held")}
    given = {"question": drawn.questions, "passage": drawn.passages}

    def rows() -> None:
        pooler = Pooler(args.model / "encoder.onnx")
        model = file_facts(args.model / "encoder.onnx")["sha256"][:8]
        for kind, inputs in given.items():
            np.save(args.out / f"{kind}-rows.npy", kept_or_computed(args.out / f"{kind}-rows-{model}", inputs, pooler.rows))

    def vectors() -> None:
        torch.set_num_threads(1)  # counts for this thread
        base = BaseVectors(args.base)
        for kind, inputs in given.items():
            np.save(args.out / f"{kind}-base.npy", kept_or_computed(args.out / f"{kind}-base", inputs, partial(base.of, kind)))

    with ThreadPoolExecutor(2) as pool:
        for made in [pool.submit(rows), pool.submit(vectors)]:
            made.result()
    np.savez(args.out / "drawn.npz", **facts)


def kept_or_computed(folder: Path, inputs: list[np.ndarray], compute: Callable[[list[np.ndarray]], np.ndarray]) -> np.ndarray:
    """`compute` of the inputs, in parts, each of which is kept in the folder. A folder is for one model."""
    folder.mkdir(exist_ok=True)
    known: dict[bytes, np.ndarray] = {}
    for path in sorted(folder.glob("[0-9]*.npz")):
        part = np.load(path)
        known.update(zip((ids.tobytes() for ids in np.split(part["ids"], part["ends"][:-1])), part["rows"], strict=True))
    number, missing = len(known), {ids.tobytes(): ids for ids in (one.astype(np.int64) for one in inputs)}
    left = [ids for key, ids in missing.items() if key not in known]
    for at in range(0, len(left), PART):
        some = left[at : at + PART]
        made = compute(some)
        known.update(zip((ids.tobytes() for ids in some), made, strict=True))
        np.savez(folder / "part.tmp.npz", ids=np.concatenate(some), ends=np.cumsum([len(ids) for ids in some]), rows=made)
        (folder / "part.tmp.npz").replace(folder / f"{number + at:07d}.npz")
        print(f"{folder.name}: {min(at + PART, len(left))} of {len(left)} texts", flush=True)
    return np.stack([known[one.astype(np.int64).tobytes()] for one in inputs])


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
    """Questions, and the passages that they are to tell apart."""

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


def fit(args: argparse.Namespace) -> None:
    config = json.loads(args.config.read_text())
    torch.manual_seed(config["seed"])
    given = load_features(args.out)
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
    np.savez(args.out / "maps.npz", **maps.over_rows())


def add_to_golden(path: Path, pooler: Pooler, maps: dict[str, np.ndarray]) -> None:
    """Adds the vectors of golden texts: pooled rows of the int8 graph, mapped in float64 by weights in 8 bits."""
    records = json.loads(path.read_text())
    for kind in ("passage", "question"):
        given = records[f"{kind}s"]
        weight, scale = in_8_bits(maps[f"{kind}_weight"])
        rows = pooler.rows([np.array(record["ids"]) for record in given]).astype(np.float64) / maps[f"{kind}_spread"]
        vectors = rows @ (weight.astype(np.float64) * scale[:, None]).T + maps[f"{kind}_bias"]
        for record, vector in zip(given, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True):
            record["vector"] = [float(f"{value:.6g}") for value in vector]
    path.write_text(json.dumps(records) + "\n")


def write_maps(args: argparse.Namespace) -> None:
    args.out.mkdir(parents=True, exist_ok=True)
    np.savez(args.out / "maps.npz", **maps_of(args.model / "encoder.onnx"))


def write_model(args: argparse.Namespace) -> None:
    """A model folder with the vectors' outputs, which replace those that the model has. An index of
    the old model does not fit: the graph is part of the passage hash."""
    if args.to.resolve() != args.model.resolve():
        shutil.copytree(args.model, args.to, dirs_exist_ok=True)
    graph, path = onnx.load(str(args.model / "encoder.onnx")), args.to / "encoder.onnx"
    remove_vectors(graph)
    maps = dict(np.load(args.maps))
    attach(graph, maps)
    onnx.save(graph, str(path))
    info = json.loads((args.model / "model.json").read_text())
    info["vector"] = len(maps["passage_bias"])
    info["files"]["encoder.onnx"] = file_facts(path)
    info["passageModelHash"] = passage_hash(info)
    info["training"]["vectors"] = f"training/runs/{args.config.name}; models/{info['name']}/README.md names the data"
    info["weights"]["vector"] = int(args.weight) if args.weight.is_integer() else args.weight
    (args.to / "model.json").write_text(json.dumps(info, indent=1, ensure_ascii=False) + "\n")
    if args.golden is not None:
        add_to_golden(args.golden, Pooler(path), maps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("features")
    for name in ("--model", "--data", "--out"):
        made.add_argument(name, required=True, type=Path)
    made.add_argument("--written", type=Path, help="written/questions.jsonl, for the English model")
    made.add_argument("--base", help="folder of the multilingual base, for the multilingual model")
    made.add_argument("--text", type=Path, help="folder of multilingual_text.py, for the multilingual model")
    made.add_argument("--seed", type=int, default=3)
    made.add_argument("--share", type=float, default=1.0, help="share of the passages, 0 to 1: less is faster")
    trained = commands.add_parser("fit")
    for name in ("--config", "--out"):
        trained.add_argument(name, required=True, type=Path)
    taken = commands.add_parser("maps")
    for name in ("--model", "--out"):
        taken.add_argument(name, required=True, type=Path)
    joined = commands.add_parser("attach")
    for name in ("--model", "--maps", "--to"):
        joined.add_argument(name, required=True, type=Path)
    joined.add_argument("--config", required=True, type=Path, help="what the maps were fitted with, for the description of the model")
    joined.add_argument("--weight", required=True, type=float, help="of the vectors' part in the score")
    joined.add_argument("--golden", type=Path, help="golden outputs that export.py wrote, which get the vectors")
    args = parser.parse_args()
    if args.command == "features" and not (args.base and args.text if args.base or args.text else args.written):
        parser.error("features needs --written, or both --base and --text")
    torch.set_num_threads(1)
    {"features": features, "fit": fit, "maps": write_maps, "attach": write_model}[args.command](args)


if __name__ == "__main__":
    main()
