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
from pathlib import Path

import numpy as np
import onnx
import torch

from model_hash import file_facts, passage_hash
from text_base import base_folder, load_tokenizer
from vector_graph import Pooler, add_to_golden, attach, maps_of, remove_vectors
from vector_maps import fit
from vector_texts import collect, collect_multilingual, part_of

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "bench" / "ranking"))

PART = 4000  # texts per saved part


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


def fit_maps(args: argparse.Namespace) -> None:
    fit(args.out, json.loads(args.config.read_text()))


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
    {"features": features, "fit": fit_maps, "maps": write_maps, "attach": write_model}[args.command](args)


if __name__ == "__main__":
    main()
