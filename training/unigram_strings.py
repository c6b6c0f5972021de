"""Strings in fifteen scripts with their tokens, for comparing other implementations.

    python unigram_strings.py --vocabulary work/multi-base/vocab.unigram --text work/text --count 20000 --out work/strings.jsonl
    python unigram_strings.py --vocabulary … --text … --count 300 --small ../src/text/unigram/golden

A line: {"text", "ids", "starts", "ends"}; offsets are code points of the text. A part of the strings
are lines of real text, the others random words of one script or of several, decomposed, half-width,
with emoji, controls and odd spaces. With the package `sentencepiece`, every ids list is compared
with its result too, and the number of differences is printed. With --small, a vocabulary of only the
pieces and single characters that the strings use is written too, with the tokens that it gives.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import tempfile
import unicodedata
from pathlib import Path

import numpy as np

from multilingual_text import LANGUAGES
from unigram_file import SPECIALS, UnigramVocabulary, read_vocabulary, write_vocabulary
from unigram_text import LEADS, TAILS, VOWELS, UnigramTokenizer

SCRIPTS = {
    "latin": (0x41, 0x5A, 0x61, 0x7A, 0xC0, 0x17F, 0x1E00, 0x1EFF),
    "greek": (0x391, 0x3A1, 0x3A3, 0x3CE, 0x1F00, 0x1F15),
    "cyrillic": (0x400, 0x45F),
    "arabic": (0x621, 0x63A, 0x641, 0x652, 0x660, 0x669, 0xFB50, 0xFBB1),
    "hebrew": (0x5D0, 0x5EA, 0x5B0, 0x5BC),
    "devanagari": (0x905, 0x94D, 0x966, 0x96F),
    "bengali": (0x985, 0x98C, 0x9BE, 0x9CD),
    "tamil": (0xB85, 0xB8A, 0xBBE, 0xBCD),
    "thai": (0xE01, 0xE3A, 0xE40, 0xE4E),
    "georgian": (0x10D0, 0x10F0),
    "armenian": (0x531, 0x556, 0x561, 0x587),
    "han": (0x4E00, 0x9FA5, 0x3400, 0x4DB5, 0x20000, 0x2A6D6),
    "kana": (0x3041, 0x3096, 0x30A1, 0x30FA, 0xFF66, 0xFF9F),
    "hangul": (0xAC00, 0xD7A3, 0x1100, 0x1112, 0x1161, 0x1175, 0x11A8, 0x11C2),
    "symbols": (0x1F300, 0x1F64F, 0x2000, 0x206F, 0x2190, 0x22FF, 0xFF01, 0xFF5E, 0x2460, 0x24FF, 0x1D400, 0x1D7FF),
}
ODD = ["\u200d", "\u200b", "\ufeff", "\u3000", "\u00a0", "\t", "\u0301", "\u0308", "\u3099", "\u202e", "\x01", "\u00ad", "👩‍👩‍👧", "🇩🇪", "½", "ﬁ", "㌀", "…", "ﷺ"]


def word(rng: random.Random, script: str) -> str:
    ranges = SCRIPTS[script]
    pairs = [(ranges[i], ranges[i + 1]) for i in range(0, len(ranges), 2)]
    return "".join(chr(rng.randint(*rng.choice(pairs))) for _ in range(rng.randint(1, 9)))


def made_up(rng: random.Random) -> str:
    scripts = rng.sample(sorted(SCRIPTS), rng.choice([1, 1, 2, 4]))
    parts = []
    for _ in range(rng.randint(1, 12)):
        parts.append(word(rng, rng.choice(scripts)))
        parts.append(rng.choice([" ", " ", " ", "  ", "", ", ", ". ", "。", str(rng.randint(0, 99999)), rng.choice(ODD)]))
    text = "".join(parts)
    form = rng.choice([None, None, "NFD", "NFKD", "NFC"])
    return unicodedata.normalize(form, text) if form else text


def real(folder: Path, rng: random.Random, count: int) -> list[str]:
    texts: list[str] = []
    for language in LANGUAGES:
        rows = (folder / f"{language}.jsonl").open(encoding="utf-8")
        lines = [line for _, row in zip(range(60), rows) for line in json.loads(row)["text"].split("\n") if line]
        texts += rng.sample(lines, min(len(lines), count // len(LANGUAGES)))
    return [unicodedata.normalize("NFD", text) if rng.random() < 0.1 else text for text in texts]


def strings(folder: Path | None, count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    texts = [] if folder is None else [text[:600] for text in real(folder, rng, count // 2)]
    # Unassigned code points normalise alike everywhere, but Python's own tables would decompose newer ones.
    return texts + [made_up(rng) for _ in range(count - len(texts))]


def sentencepiece_of(vocabulary):
    """The same pieces and rules as a SentencePiece model. Sequences of Hangul letters become rules."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as pb

    rules = dict(vocabulary.rules)
    for lead in range(19):
        for vowel in range(21):
            syllable = 0xAC00 + (lead * 21 + vowel) * 28
            rules[chr(LEADS + lead) + chr(VOWELS + vowel)] = chr(syllable)
            for tail in range(1, 28):
                rules[chr(LEADS + lead) + chr(VOWELS + vowel) + chr(TAILS + tail)] = chr(syllable + tail)
                rules[chr(syllable) + chr(TAILS + tail)] = chr(syllable + tail)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as file:
        for source, target in rules.items():
            file.write(" ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target) + "\n")
        file.flush()
        made = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g h"] * 20), model_writer=made, vocab_size=12, hard_vocab_limit=False,
            normalization_rule_tsv=file.name, minloglevel=2, add_dummy_prefix=True, remove_extra_whitespaces=True,
        )
    model = pb.ModelProto()
    model.ParseFromString(made.getvalue())
    del model.pieces[:]
    rarest = float(vocabulary.scores.min())
    for i, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores)):
        kind = pb.ModelProto.SentencePiece.Type
        special = kind.UNKNOWN if i == SPECIALS.index("<unk>") else kind.CONTROL
        model.pieces.add(piece=piece, score=rarest if i < 5 else float(score), type=special if i < 5 else kind.NORMAL)
    for name, piece in (("unk", "<unk>"), ("bos", "<s>"), ("eos", "</s>"), ("pad", "<pad>")):
        setattr(model.trainer_spec, f"{name}_id", SPECIALS.index(piece))
        setattr(model.trainer_spec, f"{name}_piece", piece)
    return sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())


def small_vocabulary(vocabulary: UnigramVocabulary, texts: list[str]) -> UnigramVocabulary:
    """The pieces that the texts use, and the single characters of these."""
    tokenizer = UnigramTokenizer(vocabulary)
    used = {vocabulary.pieces[i] for text in texts for i in tokenizer(text)[0]} - set(SPECIALS)
    used |= {character for piece in used for character in piece} & set(vocabulary.pieces)
    cost_of = dict(zip(vocabulary.pieces, vocabulary.costs))
    pieces = sorted(used)
    costs = [*vocabulary.costs[: len(SPECIALS)], *(cost_of[piece] for piece in pieces)]
    return UnigramVocabulary([*SPECIALS, *pieces], np.array(costs, dtype=np.uint16), vocabulary.rules)


def row_of(tokenizer: UnigramTokenizer, text: str) -> dict:
    ids, offsets = tokenizer(text)
    return {"text": text, "ids": ids, "starts": [start for start, _ in offsets], "ends": [end for _, end in offsets]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", required=True, type=Path)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--small", type=Path, help="folder for a small vocabulary and its strings, instead of --out")
    args = parser.parse_args()
    vocabulary = read_vocabulary(args.vocabulary)
    if args.small is not None:
        texts = [text[:160] for text in strings(args.text, args.count, args.seed)]
        small = small_vocabulary(vocabulary, texts)
        tokenizer = UnigramTokenizer(small)
        args.small.mkdir(parents=True, exist_ok=True)
        write_vocabulary(args.small / "vocab.unigram", small)
        rows = ",\n".join(json.dumps(row_of(tokenizer, text), ensure_ascii=False, separators=(",", ":")) for text in texts)
        (args.small / "strings.json").write_text(f"[\n{rows}\n]\n", encoding="utf-8")
        return
    if args.out is None:
        parser.error("--out or --small is needed")
    tokenizer = UnigramTokenizer(vocabulary)
    try:
        peer = sentencepiece_of(vocabulary)
    except ImportError as error:
        peer = None
        print(f"not compared with sentencepiece: {error}")
    different, tokens = [], 0
    with args.out.open("w", encoding="utf-8") as file:
        for text in strings(args.text, args.count, args.seed):
            row = row_of(tokenizer, text)
            tokens += len(row["ids"])
            if peer is not None and peer.encode(text) != row["ids"]:
                different.append(text)
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(json.dumps({"strings": args.count, "tokens": tokens, "differentFromSentencepiece": None if peer is None else len(different)}))
    for text in different[:5]:
        print(ascii(text), tokenizer(text)[0], peer.encode(text))


if __name__ == "__main__":
    main()
