"""From a checkpoint to a model folder that TypeScript reads (docs/model-format.md).

    python export.py --checkpoint work/first/model.pt --data SQUAD_TRAIN.json --out ../models/verbatim-en
    python export.py --tiny --out ../test/golden/tiny-model          # random, fp32: parity to 1e-4

Steps: choose the quantisation scales on training paragraphs, write the graphs, quantise (int8,
per-channel weights, embedding table by row), write golden outputs, and reduce start and end vectors
to the dimensions that questions use (project.py).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from golden import FOREIGN_QUESTIONS, FOREIGN_TEXTS, GOLDEN_QUESTIONS, GOLDEN_TEXTS, MORE_QUESTIONS, MORE_TEXTS, hidden_of, write_encoder_golden
from graph import encoder_graph, save_graph, terms_graph
from mixed_sets import load_paragraphs
from model import Shape, Verbatim, restore
from model_hash import file_facts, passage_hash
from project import COHERENCY, DENSE, project, some_of
from smooth import largest_inputs, smoothing
from stopwords import stop_list_of
from term_groups import term_groups
from text_base import UNIGRAM_FILE, Unigram, WordPiece, base_of, load_tokenizer

FORMAT_VERSION = 1
SMOOTHING = 0.8  # of 0.3 … 1.0 the one whose outputs are nearest to fp32 on 40 held-out paragraphs (docs/evaluation.md)
LIMITS = {"maxInputTokens": 256, "maxTitleTokens": 16, "maxQuestionTokens": 64, "ngramsPerRow": 24, "bigramsPerRow": 0, "termsPerUnit": 512}


def sample_rows(model: Verbatim, paragraphs, count: int, seed: int) -> dict[str, np.ndarray]:
    """Vectors of every kind over `count` paragraphs, to choose scales."""
    rng = np.random.default_rng(seed)
    picked = [paragraphs[i] for i in rng.permutation(len(paragraphs))[:count]]
    kinds: dict[str, list[np.ndarray]] = {k: [] for k in ("start", "end", "c1", "c2", "ngram", "terms")}
    table = model.term_table()
    with torch.no_grad():
        for paragraph in picked:
            hidden, ids = hidden_of(model, paragraph.ids)
            start, end, c1, c2, _ = model.passage_heads(hidden)
            inside = slice(paragraph.first, len(paragraph.ids) - 1)
            special = model.special(ids)
            for kind, value in (("start", start[inside]), ("end", end[inside]), ("c1", c1[inside]), ("c2", c2[inside])):
                kinds[kind].append(value.numpy())
            kinds["ngram"].append(model.ngram_attention(hidden, special)[:, inside].flatten()[::7].numpy())
            best = (model.term_vectors(hidden, ids)[inside] @ table.T).amax(0)
            kinds["terms"].append(torch.log1p(torch.relu(best + model.term_bias)).numpy())
    return {k: np.concatenate(v) for k, v in kinds.items()}


def choose_scales(rows: dict[str, np.ndarray]) -> dict[str, float]:
    """Steps per unit: the 99.95th percentile of magnitudes reaches the end of the byte; the rest is
    clamped."""

    def signed(kind: str) -> float:
        return float(127 / np.quantile(np.abs(rows[kind]), 0.9995))

    def positive(kind: str) -> float:
        values = rows[kind][rows[kind] > 1e-3]
        return float(255 / np.quantile(values, 0.9999)) if len(values) else 255.0

    scales = {"start": signed("start"), "end": signed("end"), "coherencyStart": signed("c1"), "coherencyEnd": signed("c2")}
    return {k: round(v, 4) for k, v in {**scales, "ngram": positive("ngram"), "term": positive("terms")}.items()}


def numpy_state(model: torch.nn.Module) -> dict[str, np.ndarray]:
    return {k: v.detach().numpy().astype(np.float32) for k, v in model.state_dict().items()}


def write_graphs(model: Verbatim, out: Path, int8: bool, smooth: dict[str, np.ndarray] | None = None, groups: dict | None = None) -> None:
    import onnx

    table = model.term_table().detach().numpy()
    onnx.save(terms_graph(table, float(model.term_bias.detach()), int8, groups=groups), out / "terms.onnx")
    save_graph(encoder_graph(numpy_state(model), model.shape, table_bits=8 if int8 else 32, smooth=smooth), out / "encoder.onnx", int8)


def write_encoder_folder(
    model: Verbatim, out: Path, about: dict, *, scales: dict[str, float], tokenizer: WordPiece | Unigram, int8: bool, smooth: dict[str, np.ndarray] | None = None
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    vocabulary = tokenizer.vocabulary_file
    groups = term_groups(tokenizer.pieces) if vocabulary == UNIGRAM_FILE else None
    write_graphs(model, out, int8, smooth, groups)
    (out / vocabulary).write_bytes(tokenizer.vocabulary_bytes())
    weight, bias = model.question_map()
    none = torch.zeros(1, model.shape.hidden)  # of the offset, which project.py fills in
    question = torch.cat([torch.cat([weight, none]).flatten(), bias, torch.zeros(1), model.term_gain.exp()]).detach().numpy().astype("<f4")
    (out / "question.bin").write_bytes(question.tobytes())
    files = {n: file_facts(out / n) for n in ("encoder.onnx", "terms.onnx", vocabulary, "question.bin")}
    limits = about.pop("limits", LIMITS)
    info = {
        "formatVersion": FORMAT_VERSION,
        "name": about["name"],
        "passageModelHash": "",
        "questionModelHash": files["question.bin"]["sha256"],
        "vocabularySize": len(tokenizer.pieces),
        "hidden": model.shape.hidden,
        "term": model.shape.term,
        "dense": model.shape.dense,
        "coherency": model.shape.coherency,
        "vector": model.shape.vector,
        **limits,
        "scales": scales,
        "weights": about["weights"],
        "filter": about["filter"],
        **({"storage": about["storage"]} if "storage" in about else {}),
        "files": files,
        "training": about.get("training", {}),
        "notice": about.get("notice", ""),
        **({"termGroups": groups} if groups else {}),
        "termStop": stop_list_of(tokenizer),
    }
    info["passageModelHash"] = passage_hash(info)
    (out / "model.json").write_text(json.dumps(info, indent=1) + "\n")


def tiny(out: Path) -> None:
    """A random model of a few hundred kB over a small vocabulary, fp32: the whole path is compared
    to 1e-4."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    torch.manual_seed(5)
    words = sorted({w for t, x in GOLDEN_TEXTS for w in (t + " " + x).lower().replace(".", " ").replace(",", " ").split() if w.isascii() and w.isalnum()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz0123456789.,;:?!-()'\"", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz0123456789"), *words]
    vocabulary = list(dict.fromkeys(vocabulary))
    shape = Shape(vocabulary=len(vocabulary), hidden=64, layers=2, attention_heads=4, inner=128, positions=512, dense=32, coherency=16, ngram=16, term=32, vector=16)
    model = Verbatim(shape)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1 and not name.startswith("vector."):
                parameter.normal_(0, 0.15)
        model.encoder.words.weight.normal_(0, 0.5)
        model.word_mean.copy_(model.encoder.words.weight.mean(0))
        model.term_gain.normal_(0, 0.3)
        model.term_bias.fill_(-0.05)
        for kind in ("passage", "question"):  # last: the other weights stay the same
            model.vector[kind].weight.normal_(0, 0.15)
            model.vector[kind].bias.normal_(0, 0.15)
    tokenizer = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces = WordPiece(tokenizer, vocabulary)
    about = {
        "name": "tiny-random",
        "weights": {"ngrams": 1.0, "terms": 1.0, "tfidf": 1.0, "vector": 1.0},
        "filter": {"start": -1e9, "end": -1e9},
        "notice": "Random weights, for tests only.",
    }
    scales = {"start": 40.0, "end": 40.0, "coherencyStart": 40.0, "coherencyEnd": 40.0, "ngram": 60.0, "term": 60.0}
    write_encoder_folder(model, out, about, scales=scales, tokenizer=pieces, int8=False)
    write_encoder_golden(model, GOLDEN_TEXTS, GOLDEN_QUESTIONS, out / "golden.json", tokenizer=pieces)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--checkpoint")
    parser.add_argument("--data")
    parser.add_argument("--about", default="about.json", help="name, score weights, filter thresholds and provenance that go into model.json")
    parser.add_argument("--golden", help="file for PyTorch's outputs")
    parser.add_argument("--sample", type=int, default=150, help="training paragraphs that scales are chosen on")
    parser.add_argument("--fp32", action="store_true", help="no quantisation: to measure what int8 loses")
    args = parser.parse_args()
    if args.tiny:
        tiny(Path(args.out))
        return
    model, state = restore(Path(args.checkpoint))
    model.eval()
    config = state["config"]
    train, _ = load_paragraphs(config, args.data, Path(args.checkpoint).parent.parent / "cache")
    tokenizer = load_tokenizer(base_of(config))
    rows = sample_rows(model, train, args.sample, config["seed"])
    about = json.loads(Path(args.about).read_text())
    about["weights"]["terms"] = round(float(torch.exp(model.term_scale.detach())) * about.pop("termFactor", 1.0), 4)
    smooth = None
    if not args.fp32:
        picked = [train[i] for i in np.random.default_rng(config["seed"] + 1).permutation(len(train))[: args.sample]]
        smooth = smoothing(model, largest_inputs(model, picked), SMOOTHING)
    write_encoder_folder(model, Path(args.out), about, scales=choose_scales(rows), tokenizer=tokenizer, int8=not args.fp32, smooth=smooth)
    if args.golden:
        texts, questions = (FOREIGN_TEXTS, FOREIGN_QUESTIONS) if isinstance(tokenizer, Unigram) else (MORE_TEXTS, MORE_QUESTIONS)
        write_encoder_golden(model, GOLDEN_TEXTS + texts, GOLDEN_QUESTIONS + questions, Path(args.golden), tokenizer=tokenizer)
    project(Path(args.out), some_of(train, config["seed"]), DENSE, COHERENCY, Path(args.golden) if args.golden else None)
    print(json.dumps({"files": {p.name: p.stat().st_size for p in sorted(Path(args.out).iterdir())}}))


if __name__ == "__main__":
    main()
