"""Ranks a folder in BEIR's layout by the sentence vectors of the untouched base model.

    python bench/ranking/base_vectors.py FOLDER --model DIR --out run.json

DIR is all-MiniLM-L6-v2 (`python training/base.py minilm` prints it). A vector is the mean of the last
layer's rows over a text's tokens, of length 1. A document's score is the largest inner product of the
question's vector with one of its windows: 254 tokens of title and text, 54 of them shared.
run.json: {query id: [[document id, score], …]}, all documents, best first.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

WINDOW = 254
STEP = 200
BATCH = 16


class BaseModel:
    """The untouched base model: vectors of token ids."""

    def __init__(self, folder: Path) -> None:
        self.model = AutoModel.from_pretrained(folder, local_files_only=True).eval()

    @torch.no_grad()
    def encode(self, inputs: list[list[int]]) -> np.ndarray:
        """@returns float32 [inputs, 384], each row of length 1"""
        order = sorted(range(len(inputs)), key=lambda n: len(inputs[n]))
        out = np.zeros((len(inputs), self.model.config.hidden_size), dtype=np.float32)
        for first in range(0, len(order), BATCH):
            batch = order[first : first + BATCH]
            width = max(len(inputs[n]) for n in batch)
            ids = torch.tensor([inputs[n] + [0] * (width - len(inputs[n])) for n in batch])
            mask = torch.tensor([[1] * len(inputs[n]) + [0] * (width - len(inputs[n])) for n in batch])
            rows = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
            means = (rows * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
            out[batch] = torch.nn.functional.normalize(means, dim=1).float().numpy()
        return out


class SentenceVectors(BaseModel):
    """Vectors of text, by the tokenizer of all-MiniLM-L6-v2."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.cls, self.sep = (self.tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def windows(self, text: str) -> list[list[int]]:
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        starts = range(0, max(1, len(ids) - (WINDOW - STEP)), STEP)
        return [[self.cls, *ids[start : start + WINDOW], self.sep] for start in starts]


def records(path: Path) -> list[dict]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    vectors = SentenceVectors(args.model)
    documents = records(args.folder / "corpus.jsonl")
    owners: list[int] = []
    inputs: list[list[int]] = []
    for number, document in enumerate(documents):
        for window in vectors.windows(f"{document['title']} {document['text']}"):
            owners.append(number)
            inputs.append(window)
    passages = vectors.encode(inputs)
    queries = records(args.folder / "queries.jsonl")
    asked = vectors.encode([vectors.windows(query["text"])[0] for query in queries])
    run: dict[str, list[tuple[str, float]]] = {}
    for query, scores in zip(queries, asked @ passages.T, strict=True):
        best = np.full(len(documents), -2.0)
        np.maximum.at(best, owners, scores)
        order = np.argsort(-best, kind="stable")
        run[query["_id"]] = [(documents[n]["_id"], round(float(best[n]), 6)) for n in order]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(run))
    print(json.dumps({"documents": len(documents), "windows": len(inputs), "queries": len(queries)}))


if __name__ == "__main__":
    main()
