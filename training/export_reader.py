"""From a reader's checkpoint to the folder that TypeScript reads (docs/model-format.md, "The
reader's folder").

    python export_reader.py --model work/reader/model.pt --data SQUAD_TRAIN.json --out ../models/verbatim-reader-en --golden ../test/golden/verbatim-reader-en.json
    python export_reader.py --model work/reader-multi/model.pt --data DATA_FOLDER --name verbatim-reader-multi --out ../models/verbatim-reader-multi --golden ../test/golden/verbatim-reader-multi.json
    python export_reader.py --tiny --out ../test/golden/tiny-reader      # random, fp32: parity to 1e-4

Products become int8 as the encoder's do. How far outliers move into the weights (smooth.py, α) is
chosen on pairs of held-out training articles: the one whose distributions over starts and ends are
nearest to fp32. They come from SQuAD; if the run's config has a `base` (text_base.py), from its
sets in `SMOOTHED_ON`, the same number of paragraphs from each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from data import MAX_HEADING_TOKENS, MAX_TITLE_TOKENS, Paragraph, Question, load_squad, split_held_out
from export import numpy_state
from golden import FOREIGN_QUESTIONS, FOREIGN_TEXTS, GOLDEN_QUESTIONS, GOLDEN_TEXTS, MORE_QUESTIONS, MORE_TEXTS
from graph import save_graph
from int8_session import open_session
from mixed_sets import prepared
from model import Shape, restore
from model_hash import file_facts
from question_sets import load_set, set_name
from reader import NEGATIVE, Pair, Reader, sequence, tensors
from reader_graph import HEADS, logit_bounds, reader_graph
from reader_provenance import BASES, names_of, provenance, taught_by
from smooth import largest_while, smoothing
from text_base import Unigram, base_of, load_tokenizer

FORMAT_VERSION = 1
ALPHAS = (None, 0.5, 0.6, 0.7, 0.8, 0.9)  # None: no smoothing
SMOOTHED_ON = ("squad", "cmrc", "piaf")  # English, Chinese and French
MOST_QUESTION_TOKENS = 64
# Networks whose rows differ so much in size that int8 loses answers without row steps (graph.layers),
# which take six percent more time: training/README.md has the figures.
WITH_ROW_STEPS = {"verbatim-reader-multi"}
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Rounding:
    """How the graph keeps what it multiplies."""

    int8: bool = True  # products; without it everything stays in float32
    word_bits: int = 8  # of the word table: 8, or 4 for a network that was trained above such a table
    row_steps: bool = False  # as graph.layers takes it


def write_graph(reader: Reader, path: Path, rounding: Rounding, smooth: dict[str, np.ndarray] | None = None) -> None:
    bits = rounding.word_bits if rounding.int8 else 32
    graph = reader_graph(numpy_state(reader), reader.shape, table_bits=bits, smooth=smooth, row_steps=rounding.row_steps)
    save_graph(graph, path, rounding.int8, leave=(HEADS,))


def read_with(session, ids, kinds, mask) -> list[np.ndarray]:
    """start, end (B, T), answer (B) of ONNX."""
    return session.run(["start", "end", "answer"], {"ids": ids.numpy().astype(np.int32), "kinds": kinds.numpy().astype(np.int32), "mask": mask.numpy().astype(np.int32)})


def draw_pairs(paragraphs: list[Paragraph], count: int, seed: int) -> list[Pair]:
    """Questions with their own paragraph; every fourth gets another paragraph instead."""
    rng = np.random.default_rng(seed)
    own = [(i, q) for i, p in enumerate(paragraphs) for q, question in enumerate(p.questions) if question.start >= 0]
    picked = [own[i] for i in rng.permutation(len(own))[:count]]
    return [(i, q, i if n % 4 else int(rng.integers(len(paragraphs)))) for n, (i, q) in enumerate(picked)]


def level(sets: list[list[Paragraph]], seed: int) -> list[Paragraph]:
    """Paragraphs drawn from every set, as many as the smallest one has."""
    count = min(len(paragraphs) for paragraphs in sets)
    return [paragraph for paragraphs in sets for paragraph in random.Random(seed).sample(paragraphs, count)]


def paragraphs_for_smoothing(config: dict, data: str, cache: Path) -> tuple[list[Paragraph], list[Paragraph]]:
    """(train, held out)"""
    if (base := base_of(config)) is None:
        paragraphs = load_squad(data, config["max_tokens"], cache, config.get("limit"))
        return split_held_out(paragraphs, config["held_out"], config["held_out_seed"])
    parts = [load_set(entry, config, Path(data), cache=cache) for entry in config["sets"] if set_name(entry) in SMOOTHED_ON]
    train, held = ([prepared(part, config, base) for part in side] for side in zip(*parts))
    return level(train, config["seed"]), level(held, config["seed"])


Logits = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@torch.no_grad()
def exact_logits(reader: Reader, paragraphs: list[Paragraph], pairs: list[Pair]) -> list[Logits]:
    """The network's start, end and answer logits of every pair."""
    return [reader(*tensors(paragraphs, [pair])[:3]) for pair in pairs]


@torch.no_grad()
def distance(reader: Reader, session, paragraphs: list[Paragraph], pairs: list[Pair], logits: list[Logits] | None = None) -> dict[str, float]:
    """How far a graph is from the network: mean KL of its starts' and ends' distributions over the
    passage, mean difference of the answer logit, share of pairs whose most likely start and end do
    not change.
    @param logits  the network's, if they are known"""
    divergence, answers, same = 0.0, 0.0, 0
    for pair, exact in zip(pairs, logits or exact_logits(reader, paragraphs, pairs)):
        ids, kinds, mask, passage = tensors(paragraphs, [pair])
        got = [torch.as_tensor(x) for x in read_with(session, ids, kinds, mask)]
        stays = True
        for a, b in zip(exact[:2], got[:2]):
            p = torch.log_softmax(a.masked_fill(~passage, NEGATIVE), 1)
            q = torch.log_softmax(b.masked_fill(~passage, NEGATIVE), 1)
            divergence += float((p.exp() * (p - q)).sum()) / 2
            stays &= bool(p.argmax() == q.argmax())
        answers += float((exact[2] - got[2]).abs())
        same += stays
    return {"divergence": round(divergence / len(pairs), 5), "answerDifference": round(answers / len(pairs), 4), "sameSpan": round(same / len(pairs), 4)}


def choose_smoothing(reader: Reader, train: list[Paragraph], held: list[Paragraph], count: int, seed: int, rounding: Rounding):
    """(α, factors, figures of every α): largest inputs over `count` training pairs, α by the
    divergence of `count` held-out pairs."""
    seen = draw_pairs(train, count, seed)

    def run() -> None:
        for pair in seen:
            reader(*tensors(train, [pair])[:3])

    largest = largest_while(reader.encoder, run)
    asked = draw_pairs(held, count, seed + 1)
    exact = exact_logits(reader, held, asked)
    figures, best = {}, None
    with tempfile.TemporaryDirectory() as folder:
        for alpha in ALPHAS:
            factors = None if alpha is None else smoothing(reader, largest, alpha)
            path = Path(folder) / "reader.onnx"
            write_graph(reader, path, rounding, smooth=factors)
            figures[str(alpha or 0)] = found = distance(reader, open_session(path), held, asked, exact)
            print(json.dumps({"alpha": alpha, **found}), flush=True)
            if best is None or found["divergence"] < best[0]:
                best = (found["divergence"], alpha, factors)
    return best[1], best[2], figures


def write_reader_folder(reader: Reader, out: Path, about: dict, *, vocabulary: bytes, rounding: Rounding, smooth: dict[str, np.ndarray] | None = None) -> None:
    """reader.onnx and model.json. What was tuned for an earlier export (interpolation, calibration) is not
    carried over: it belongs to those weights."""
    out.mkdir(parents=True, exist_ok=True)
    write_graph(reader, out / "reader.onnx", rounding, smooth)
    bounds = {k: round(v + 1e-3, 4) for k, v in logit_bounds(numpy_state(reader), reader.shape).items()}
    files = {"reader.onnx": file_facts(out / "reader.onnx")}
    words = hashlib.sha256(vocabulary).hexdigest()
    info = {
        "formatVersion": FORMAT_VERSION,
        "kind": "reader",
        "name": about["name"],
        "readerHash": hashlib.sha256(f"{files['reader.onnx']['sha256']} {words}".encode()).hexdigest(),
        "vocabularySize": reader.shape.vocabulary,
        "vocabularySha256": words,
        "hidden": reader.shape.hidden,
        "layers": reader.shape.layers,
        "maxInputTokens": about.get("inputTokens", reader.shape.positions),
        "maxQuestionTokens": MOST_QUESTION_TOKENS,
        "maxTitleTokens": MAX_TITLE_TOKENS,
        "maxHeadingTokens": about.get("headingTokens", 0),
        "bounds": bounds,
        "interpolation": {"reader": 0.8, "answer": 0, "most": round(bounds["start"] + bounds["end"], 4)},
        "files": files,
        "training": about.get("training", {}),
        "quantisation": about.get("quantisation", {}),
        "metrics": about.get("metrics", {}),
        "notice": about["notice"],
    }
    (out / "model.json").write_text(json.dumps(info, indent=1) + "\n")


@torch.no_grad()
def write_reader_golden(reader: Reader, texts: list[tuple[str, str]], questions: list[str], path: Path, *, tokenizer, specials: tuple[int, int]) -> None:
    """PyTorch's outputs for every question over two of the texts, all in one padded batch, rounded
    to 6 digits.
    @param specials  ids of [CLS] and [SEP]"""
    cls, sep = specials
    paragraphs, pairs = [], []
    for title, text in texts:
        title_ids = tokenizer.encode(title, add_special_tokens=False).ids[:MAX_TITLE_TOKENS]
        body = tokenizer.encode(text, add_special_tokens=False).ids[:200]
        ids = np.array([cls, *title_ids, sep, *body, sep])
        paragraphs.append(Paragraph(0, title, text, ids, len(title_ids) + 2, np.zeros((len(ids), 2)), np.zeros(len(ids))))
    for n, text in enumerate(questions):
        body = tokenizer.encode(text, add_special_tokens=False).ids[: MOST_QUESTION_TOKENS - 2]
        paragraphs[0].questions.append(Question(str(n), text, np.array([cls, *body, sep]), 0, 0, []))
        pairs += [(0, n, n % len(texts)), (0, n, (n + 1) % len(texts))]
    start, end, answer = reader(*tensors(paragraphs, pairs)[:3])
    rounded = lambda row: [float(f"{v:.6g}") for v in row.tolist()]  # noqa: E731
    records = []
    for i, (p, q, r) in enumerate(pairs):
        question, passage = paragraphs[p].questions[q], paragraphs[r]
        ids = sequence(question, passage)
        records.append(
            {
                "question": question.text,
                "title": passage.title,
                "text": passage.text,
                "ids": ids.tolist(),
                "questionTokens": len(question.ids),
                "firstToken": len(question.ids) - 1 + passage.first,
                "start": rounded(start[i, : len(ids)]),
                "end": rounded(end[i, : len(ids)]),
                "answer": rounded(answer[i : i + 1])[0],
            }
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records) + "\n")


def tiny(out: Path) -> None:
    """A random reader over the vocabulary of the tiny model, fp32."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    torch.manual_seed(7)
    vocabulary = (HERE.parent / "test" / "golden" / "tiny-model" / "vocab.txt").read_bytes()
    words = vocabulary.decode().rstrip("\n").split("\n")
    reader = Reader(Shape(vocabulary=len(words), hidden=64, layers=2, attention_heads=4, inner=128, positions=512)).eval()
    with torch.no_grad():
        for parameter in reader.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.15)
        reader.encoder.words.weight.normal_(0, 0.5)
    tokenizer = Tokenizer(models.WordPiece({t: i for i, t in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    about = {"name": "tiny-random-reader", "notice": "Random weights, for tests only."}
    write_reader_folder(reader, out, about, vocabulary=vocabulary, rounding=Rounding(int8=False))
    specials = words.index("[CLS]"), words.index("[SEP]")
    write_reader_golden(reader, GOLDEN_TEXTS, GOLDEN_QUESTIONS, out / "golden.json", tokenizer=tokenizer, specials=specials)


NAMES = ("verbatim-reader-en", "verbatim-reader-multi")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--model", help="model.pt of reader.py or train_reader.py")
    parser.add_argument("--data", help="SQuAD train, or the data folder of a config with a base: smoothing is measured there, and α chosen on held-out articles")
    parser.add_argument("--name", choices=NAMES, default=NAMES[0])
    parser.add_argument("--golden", help="file for PyTorch's outputs")
    parser.add_argument("--sample", type=int, default=200, help="pairs that smoothing is measured on, and chosen on")
    parser.add_argument("--fp32", action="store_true", help="no quantisation: to measure what int8 loses")
    args = parser.parse_args()
    if args.tiny:
        tiny(Path(args.out))
        return
    if args.model is None or (args.data is None and not args.fp32):
        parser.error("--model and --data are needed (--data not with --fp32)")
    reader, state = restore(Path(args.model), Reader)
    reader.eval()
    config = state["config"]
    tokenizer = load_tokenizer(base_of(config))
    runs, data = provenance(config)
    base = BASES[base_of(config) and Path(base_of(config)).name]
    about = {
        "name": args.name,
        "inputTokens": config.get("input_tokens", reader.shape.positions),
        "headingTokens": MAX_HEADING_TOKENS if "written" in names_of(config) else 0,
        "training": {"base": base, "data": data, "runs": runs, "again": "training/README.md"} | ({"taughtBy": teacher} if (teacher := taught_by(config)) else {}),
        "notice": f"Fine-tuned from {base}. Trained on {'; '.join(data)}. See NOTICE.",
    }
    smooth, rounding = None, Rounding(not args.fp32, config.get("word_bits", 8), args.name in WITH_ROW_STEPS)
    if not args.fp32:
        train, held = paragraphs_for_smoothing(config, args.data, HERE / "work" / "cache")
        alpha, smooth, figures = choose_smoothing(reader, train, held, args.sample, config["seed"], rounding)
        about["quantisation"] = {"smoothing": alpha or 0, "rowSteps": rounding.row_steps, "wordBits": rounding.word_bits, "heldOutPairs": args.sample, "byAlpha": figures}
    write_reader_folder(reader, Path(args.out), about, vocabulary=tokenizer.vocabulary_bytes(), rounding=rounding, smooth=smooth)
    if args.golden:
        texts, questions = (FOREIGN_TEXTS, FOREIGN_QUESTIONS) if isinstance(tokenizer, Unigram) else (MORE_TEXTS, MORE_QUESTIONS)
        specials = tokenizer.cls, tokenizer.sep
        write_reader_golden(reader, GOLDEN_TEXTS + texts, GOLDEN_QUESTIONS + questions, Path(args.golden), tokenizer=tokenizer, specials=specials)
    print(json.dumps({p.name: p.stat().st_size for p in sorted(Path(args.out).iterdir())}))


if __name__ == "__main__":
    main()
