"""Chooses the pieces of multilingual-e5-small that the multilingual model keeps, and measures them.

    python multilingual_text.py --data DATA_FOLDER --out work/text
    python vocabulary.py --config runs/vocabulary.json --text work/text --base work/base --out work/multi-base
    python vocabulary.py --pieces ../models/verbatim-multi/vocab.unigram --base work/base --out work/multi-base     # of pieces that were chosen before

Keeps all single characters that the base knows, and the pieces with the largest max_l p_l(piece),
except those that join punctuation to other characters. p_l is a piece's relative frequency in
language l: one part from text of the half "choose", one part from the word frequencies of the Python
package wordfreq. The share of unknown tokens, and how many more tokens text needs than with all
250,002 pieces, are measured on the half "measure" and the files named with --also.

Writes OUT/vocab.unigram (unigram_file.py), OUT/pieces.npy (the base's id of each kept piece),
OUT/model.safetensors and OUT/config.json (the base with the kept rows of its embedding matrix, as
transformers.BertModel), and OUT/figures.json (not with --pieces).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

from base import BaseError, download, e5
from e5_file import E5File, bert_model, read_e5
from unigram_file import SPECIALS, UnigramVocabulary, cost_of, encode_vocabulary, read_vocabulary, write_vocabulary
from unigram_text import SPACE_MARK, Normalizer, compositions, segmenter

WORDFREQ = ("wordfreq", "3.1.1")
UNSPACED = ("zh", "ja")


def texts_of(folder: Path, language: str, half: str, characters: int) -> list[str]:
    """Text of one half, sources taken in the order of their hash, up to a number of characters."""
    rows = [json.loads(line) for line in (folder / f"{language}.jsonl").open(encoding="utf-8")]
    rows = [row for row in rows if row["half"] == half]
    rows.sort(key=lambda row: hashlib.sha256(row["source"].encode()).digest())
    taken, count = [], 0
    for row in rows:
        text = row["text"][: max(0, min(200_000, characters - count))]
        if text:
            taken += text.split("\n")
            count += len(text)
    return taken


def word_frequencies(wheel: Path, language: str, words: int) -> list[tuple[str, float]]:
    """The most frequent words and their relative frequencies. wordfreq's files are a header and then
    a list of words for each hundredth of a decade below 1."""
    import msgpack

    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        name = next(n for size in ("large", "small") if (n := f"wordfreq/data/{size}_{language}.msgpack.gz") in names)
        groups = msgpack.unpackb(gzip.decompress(files.read(name)), raw=False)[1:]
    listed = [(word, 10 ** (-level / 100)) for level, group in enumerate(groups) for word in group]
    return listed[:words]


def normalised_share(counts: Counter) -> dict[int, float]:
    total = sum(counts.values()) or 1
    return {piece: count / total for piece, count in counts.items()}


def piece_shares(texts: list[str], words: list[tuple[str, float]], language: str, *, tokenizer, normalizer, config) -> dict[int, float]:
    """Relative frequency of the base's pieces in one language."""
    from_text: Counter = Counter()
    for encoded in tokenizer.encode_batch([normalizer(text) for text in texts if text]):
        from_text.update(encoded.ids)
    from_words: Counter = Counter()
    rows = [(normalizer(word), weight) for word, weight in words]
    if language in UNSPACED:
        # A word inside a sentence has no mark before it; its first piece is looked up without one.
        for (word, weight), encoded in zip(rows, tokenizer.encode_batch([f"\u3002{word}" for word, _ in rows])):
            for piece in encoded.ids[2:]:
                from_words[piece] += weight
    else:
        for form, factor in ((str, 1.0), (str.capitalize, config["capitalised"])):
            for (_, weight), encoded in zip(rows, tokenizer.encode_batch([form(word) for word, _ in rows])):
                for piece in encoded.ids:
                    from_words[piece] += weight * factor
    share = config["share_of_words"]
    text_shares, word_shares = normalised_share(from_text), normalised_share(from_words)
    return {piece: (1 - share) * text_shares.get(piece, 0) + share * word_shares.get(piece, 0) for piece in text_shares.keys() | word_shares.keys()}


def choose(pieces: list[str], shares: dict[str, dict[int, float]], limit: int, specials: set[int]) -> list[int]:
    """The base's ids of the kept pieces besides the special ones: all single characters, then the
    pieces with the largest share in any language; ties by id."""
    best: dict[int, float] = {}
    for of_language in shares.values():
        for piece, share in of_language.items():
            best[piece] = max(best.get(piece, 0.0), share)
    single = [i for i, piece in enumerate(pieces) if i not in specials and len(piece) == 1]
    rest = sorted((i for i in best if i not in specials and len(pieces[i]) > 1), key=lambda i: (-best[i], i))
    return sorted((single + rest)[:limit])


def joins_punctuation(piece: str) -> bool:
    """Whether a piece holds punctuation or a symbol together with another character ("2008,",
    "▁(1"): answers begin and end between those."""
    bare = piece.removeprefix(SPACE_MARK)
    return len(bare) > 1 and any(unicodedata.category(character)[0] in "PS" for character in bare)


def reduced(file: E5File, kept: list[int], rules: dict[str, str]) -> tuple[UnigramVocabulary, np.ndarray]:
    """(vocabulary, the base's id of each of its pieces)"""
    ids = file.specials
    rows = [ids["pad"], ids["unk"], ids["bos"], ids["eos"], file.pieces.index("<mask>"), *sorted(kept, key=lambda i: file.pieces[i])]
    costs = [0] * len(SPECIALS) + [cost_of(float(file.scores[i])) for i in rows[len(SPECIALS) :]]
    vocabulary = UnigramVocabulary([*SPECIALS, *(file.pieces[i] for i in rows[len(SPECIALS) :])], np.array(costs, dtype=np.uint16), rules)
    return vocabulary, np.array(rows, dtype=np.int32)


def rows_of(file: E5File, vocabulary: UnigramVocabulary) -> np.ndarray:
    """The base's id of each piece of a vocabulary that `reduced` made."""
    ids, numbers = file.specials, {piece: i for i, piece in enumerate(file.pieces)}
    special = [ids["pad"], ids["unk"], ids["bos"], ids["eos"], numbers["<mask>"]]
    return np.array([*special, *(numbers[piece] for piece in vocabulary.pieces[len(special) :])], dtype=np.int32)


def write_base(out: Path, file: E5File, vocabulary: UnigramVocabulary, rows: np.ndarray) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_vocabulary(out / "vocab.unigram", vocabulary)
    np.save(out / "pieces.npy", rows)
    bert_model(file, rows).save_pretrained(out)


def figures(texts: list[str], *, normalizer, full, full_unknown: int, small, small_unknown: int) -> dict[str, float]:
    """Share of unknown tokens (percent) with the kept pieces and with all, and tokens relative to all."""
    rows = [normalizer(text) for text in texts if text]
    small_ids = [i for encoded in small.encode_batch(rows) for i in encoded.ids]
    full_ids = [i for encoded in full.encode_batch(rows) for i in encoded.ids]
    return {
        "characters": sum(map(len, rows)),
        "tokens": len(small_ids),
        "unknown": round(100 * small_ids.count(small_unknown) / max(1, len(small_ids)), 4),
        "unknownOfAllPieces": round(100 * full_ids.count(full_unknown) / max(1, len(full_ids)), 4),
        "tokensRelativeToAllPieces": round(len(small_ids) / max(1, len(full_ids)), 4),
    }


def squad_texts(path: Path) -> list[str]:
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    return [text for article in articles for p in article["paragraphs"] for text in (p["context"], *(q["question"] for q in p["qas"]))]


def run(config: dict, text: Path, base: Path, out: Path, also: list[Path]) -> dict:
    file = read_e5(e5(base))
    wheel = download(*WORDFREQ, base)
    rules = {**file.table, **compositions(file.table)}
    normalizer = Normalizer(rules)
    # As in UnigramTokenizer: special pieces must not match text.
    special = set(file.specials.values()) | {file.pieces.index("<mask>")}
    scores = file.scores.astype(np.float64)
    scores[list(special)] = scores.min()
    names = [chr(0x10FFF0 + i % 16) * (1 + i // 16) if i in special else piece for i, piece in enumerate(file.pieces)]
    full = segmenter(names, scores, file.specials["unk"])
    shares = {}
    for language in config["languages"]:
        words = word_frequencies(wheel, language, config["words"])
        texts = texts_of(text, language, "choose", config["characters"])
        shares[language] = piece_shares(texts, words, language, tokenizer=full, normalizer=normalizer, config=config)
        print(language, len(shares[language]), "pieces", flush=True)
    kept = [i for i in choose(file.pieces, shares, config["pieces"], special) if not joins_punctuation(file.pieces[i])]
    vocabulary, rows = reduced(file, kept, rules)
    small_names = [chr(0x10FFF0 + i) if i < len(SPECIALS) else piece for i, piece in enumerate(vocabulary.pieces)]
    small_scores = vocabulary.scores
    small_scores[: len(SPECIALS)] = small_scores.min()
    small = segmenter(small_names, small_scores, SPECIALS.index("<unk>"))
    measured = {}
    sources = {language: texts_of(text, language, "measure", config["characters"]) for language in config["languages"]}
    for name, texts in [*sources.items(), *((path.name, squad_texts(path)) for path in also)]:
        measured[name] = figures(texts, normalizer=normalizer, full=full, full_unknown=file.specials["unk"], small=small, small_unknown=SPECIALS.index("<unk>"))
        print(name, json.dumps(measured[name]), flush=True)
    write_base(out, file, vocabulary, rows)
    data = encode_vocabulary(vocabulary)
    result = {
        "pieces": len(vocabulary.pieces),
        "singleCharacters": sum(len(piece) == 1 for piece in vocabulary.pieces),
        "wordStarts": sum(piece.startswith(SPACE_MARK) for piece in vocabulary.pieces),
        "rules": len(rules),
        "vocabularyBytes": len(data),
        "vocabularySha256": hashlib.sha256(data).hexdigest(),
        "measured": measured,
    }
    (out / "figures.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--pieces", type=Path, help="a vocab.unigram whose pieces are kept; without it they are chosen by --config and --text")
    parser.add_argument("--base", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--also", nargs="*", default=[], type=Path, help="files of SQuAD layout to measure on")
    args = parser.parse_args()
    if args.pieces is None and (args.config is None or args.text is None):
        parser.error("--config and --text, or --pieces, are needed")
    try:
        if args.pieces is not None:
            file, vocabulary = read_e5(e5(args.base)), read_vocabulary(args.pieces)
            write_base(args.out, file, vocabulary, rows_of(file, vocabulary))
            print(json.dumps({"pieces": len(vocabulary.pieces)}))
            return
        result = run(json.loads(args.config.read_text()), args.text, args.base, args.out, args.also)
    except (BaseError, OSError) as error:
        raise SystemExit(str(error)) from error
    print(json.dumps({key: value for key, value in result.items() if key != "measured"}))


if __name__ == "__main__":
    main()
