"""Where the terms' part of the network starts: exact matches count before anything is learned.

`term_map` keeps word embeddings apart (model.py), and a term's gain is its inverse document
frequency. Over the training paragraphs that is only known for the languages they are in. A Unigram
vocabulary has log probabilities over a hundred languages, which replace the rest.
"""

from __future__ import annotations

import numpy as np
import torch

MIN_PARAGRAPHS = 20  # paragraphs with a piece, for its frequency to be used


def term_idf(vocabulary: int, paragraphs) -> torch.Tensor:
    """(vocabulary,): idf of every word piece over the training paragraphs."""
    count = torch.zeros(vocabulary)
    for paragraph in paragraphs:
        count[torch.unique(torch.as_tensor(paragraph.ids))] += 1
    n = len(paragraphs)
    return torch.log(1 + (n - count + 0.5) / (count + 0.5))


def idf_by_cost(idf: np.ndarray, costs: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The smaller of a piece's idf and of what its cost in the vocabulary predicts: the line that
    fits the pieces `seen` often enough."""
    slope, offset = np.polyfit(costs[seen], idf[seen], 1)
    return np.minimum(idf, np.maximum(slope * costs + offset, 0))


def idf_gain(model, paragraphs, tokenizer) -> None:
    """Initialises the terms' gains to log idf, scaled so that the mean question token has gain
    1."""
    idf = term_idf(model.shape.vocabulary, paragraphs)
    if (vocabulary := getattr(tokenizer, "vocabulary", None)) is not None:
        often = float(np.log(1 + (len(paragraphs) - MIN_PARAGRAPHS + 0.5) / (MIN_PARAGRAPHS + 0.5)))
        costs = vocabulary.costs.astype(np.float64)
        idf = torch.from_numpy(idf_by_cost(idf.numpy(), costs, (idf.numpy() <= often) & (costs > 0))).float()
    asked = torch.cat([torch.as_tensor(q.ids[1:-1]) for p in paragraphs[:2000] for q in p.questions])
    gain = torch.log((idf / idf[asked].mean()).clamp(min=0.05)) * 0.5
    model.term_gain.data.copy_(gain)
