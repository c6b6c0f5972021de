"""PyTorch's outputs for a few inputs: what ONNX and TypeScript must agree with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch

from data import MAX_TITLE_TOKENS, question_ids
from model import Verbatim, flat_batch


def unit_vector(model: Verbatim, ids: np.ndarray, kind: str) -> torch.Tensor:
    flat, position, groups, inverse, _ = flat_batch([ids], 100_000)
    return model.unit_vector(model.encoder.states(flat, position, groups, inverse), kind)


def hidden_of(model: Verbatim, ids: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    flat, position, groups, inverse, _ = flat_batch([ids], 100_000)
    return model.encoder(flat, position, groups, inverse), flat


def write_encoder_golden(model: Verbatim, texts: list[tuple[str, str]], questions: list[str], path: Path, *, tokenizer, limit: int = 12) -> None:
    """PyTorch's outputs for a few inputs, rounded to 6 digits.
    @param limit  heaviest terms of each text that are written"""
    rounded = lambda a: [float(f"{v:.6g}") for v in a.detach().numpy().ravel()]  # noqa: E731
    records = {"passages": [], "questions": []}
    table = model.term_table()
    with torch.no_grad():
        for title, text in texts:
            title_ids = tokenizer.encode(title, add_special_tokens=False).ids[:MAX_TITLE_TOKENS]
            body = tokenizer.encode(text, add_special_tokens=False).ids[:200]
            ids = np.array([tokenizer.cls, *title_ids, tokenizer.sep, *body, tokenizer.sep])
            hidden, flat = hidden_of(model, ids)
            start, end, c1, c2, keep = model.passage_heads(hidden)
            special = torch.zeros(len(ids), dtype=torch.bool)
            ngrams = model.ngram_attention(hidden, special)
            vectors = model.term_vectors(hidden, flat)
            weights = torch.log1p(torch.relu((vectors @ table.T).amax(0) + model.term_bias))
            top = torch.topk(weights, min(limit, len(weights)))
            rows = [1, len(ids) // 2, len(ids) - 2]
            records["passages"].append(
                {
                    "title": title,
                    "text": text,
                    "ids": ids.tolist(),
                    "rows": rows,
                    "start": rounded(start[rows]),
                    "end": rounded(end[rows]),
                    "coherency": rounded(torch.cat([c1, c2], 1)[rows]),
                    "keep": rounded(keep[rows]),
                    "ngrams": rounded(ngrams[:, rows]),
                    "terms": rounded(vectors[rows]),
                    "topTerms": top.indices.tolist(),
                    "topWeights": rounded(top.values),
                    **({"vector": rounded(unit_vector(model, ids, "passage"))} if model.shape.vector else {}),
                }
            )
        for text in questions:
            ids = question_ids(tokenizer, text)
            hidden, flat = hidden_of(model, ids)
            s, e, c = model.question_heads(hidden[:1])
            special = torch.zeros(len(ids), dtype=torch.bool)
            ngrams = model.ngram_attention(hidden, special, rows=1)[:, 0]
            records["questions"].append(
                {
                    "text": text,
                    "ids": ids.tolist(),
                    "start": rounded(s),
                    "end": rounded(e),
                    "coherency": rounded(c),
                    "ngrams": rounded(ngrams),
                    **({"vector": rounded(unit_vector(model, ids, "question"))} if model.shape.vector else {}),
                }
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records) + "\n")


GOLDEN_TEXTS = [
    ("Calder Observatory", "The observatory was founded by Ines Calder in 1911 after a gift of land on Mount Orrin. It opened to visitors in 1920."),
    ("Pump manual", "Close valve B before you remove the cover. The pressure must be below 2.5 bar; otherwise the seal (part 17-A) tears."),
    ("Odd text", "Ünïcödé — “quotes”, 東京 and emoji 🙂; 3.14159, a_b_c, https-like strings... END"),
    ("", "x"),
    ("Tea", "Black tea steeps for 3 to 4 minutes at 95 °C. Green tea wants 75 °C and two minutes. " * 3),
]
MORE_TEXTS = [
    ("Garden diary", "Sowed two rows of carrots by the south wall. The frost of 3 April killed the first beans, so I sowed them again on the 20th."),
    ("Server guide", "Set `max_connections` to 200 in kestrel.toml, then run `kestrel reload`. The default port is 7411; TLS is off unless a certificate is named."),
    ("Lease", "The deposit of 1,250 euros is paid back within thirty days after the keys are handed over, less the cost of repairs that were agreed on in writing."),
    ("Bee survey", "Between 2014 and 2018 we counted 61 species of wild bees in the valley; Andrena fulva was the most frequent on plum and blackthorn."),
    ("Meeting notes", "Present: Ruth, Tom, Lena. Decided: the launch moves to 9 May. Open: who pays for the tent? Next meeting on Tuesday at 10."),
    ("List", "- flour 500 g\n- water 320 g\n- salt 10 g\n- rye starter 150 g\n\nMix, rest 30 minutes, fold three times."),
    ("Bridges", "name: Nettle Bridge. river: Orrin. opened: 1891. length in metres: 118. material: wrought iron."),
]
FOREIGN_TEXTS = [
    ("Mietvertrag", "Die Kaution von 1.250 Euro wird innerhalb von dreißig Tagen nach der Übergabe der Schlüssel zurückgezahlt, abzüglich vereinbarter Reparaturen."),
    ("Journal du jardin", "J'ai semé deux rangs de carottes près du mur sud. Le gel du 3 avril a tué les premiers haricots ; je les ai ressemés le 20."),
    ("观测站", "该观测站由何林于1911年创建，位于奥林山上。1920年起向公众开放，每年接待约三万名访客。"),
    ("橋", "ネトル橋は1891年に開通した。長さは118メートルで、材料は錬鉄である。"),
    ("Отчёт о пчёлах", "С 2014 по 2018 год в долине насчитали 61 вид диких пчёл; чаще всего встречалась Andrena fulva."),
    ("دليل المضخة", "أغلق الصمام ب قبل رفع الغطاء. يجب أن يكون الضغط أقل من 2.5 بار."),
    ("회의록", "참석자: 민준, 서연. 결정: 출시는 5월 9일로 연기한다. 다음 회의는 화요일 10시이다."),
]
FOREIGN_QUESTIONS = ["Wann wird die Kaution zurückgezahlt?", "观测站是谁创建的？", "Quand le gel a-t-il tué les haricots ?"]
MORE_QUESTIONS = ["What killed the first beans?", "which port does it listen on by default", "How many species of wild bees were counted?"]
GOLDEN_QUESTIONS = ["Who founded the observatory?", "At what pressure may the cover be removed?", "how long does black tea steep", "東京 🙂?", "when"]
