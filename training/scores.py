"""The scores of a batch of paragraphs and all their questions, which the losses compare.

    dense   l_ij      = qs·a_i + qe·b_j + qc·(c1_i · c2_j)                                      DenSPI Eq. 3-5
    sparse  l_i^start = Σ_t S_i,t u_t,  u_t = Σ_m [gram_t = gram_m] S'_CLS,m                    SPARC Eq. 2 (kernel trick)

What depends on token ids alone is computed in numpy, so that a GPU need not be waited for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph, Question
from model import Gather, Ungather, Verbatim, flat_batch, gram_masks, half, linear, padded_index, placed

NEGATIVE = -1e4
CACHE_TOKENS, ACCELERATOR_TOKENS = 900, 8192  # padded tokens of one attention group, at most


@dataclass
class LossConfig:
    window: int = 20  # tokens of the longest span
    own: float = 1.0
    batch: float = 1.0
    dense_only: float = 0.5
    terms: float = 0.5
    passages: float = 0.25
    keep: float = 0.1
    no_answer: float = 0.1
    sparsity: float = 0.5
    sampled_terms: int = 512
    distil: float = 0.0  # weight of the teacher's span distributions (Hinton et al. 2015)
    temperature: float = 2.0
    ngrams: bool = True
    ngram_weight: float = 1.0  # λ_n: what n-gram logits are multiplied by
    stored: float = 0.0  # share of the steps whose scores are those of an index: `Storage`
    concatenate: bool = False  # `own` also sees the paragraph of the most similar foreign question
    tfidf: float = 5.0  # weight of tf-idf matching (a cosine) on a token's logits; with `concatenate` alone
    bf16: bool = False


@dataclass(frozen=True)
class Storage:
    """What an index keeps of a passage's rows (docs/adr/0003). Rows below the filter's threshold are stored
    by no index; here their logits get log σ((filter logit − threshold) / SOFTNESS), so that the losses decide
    which rows pass. Of each row, the unigrams with the largest weights count, and no bigrams."""

    threshold: float = -2.5
    ngrams_per_row: int = 20


SOFTNESS = 0.5  # of the threshold


def gram_ids(ids: np.ndarray, orders: int = 2) -> list[np.ndarray]:
    """Identity of the n-gram that begins at every token of a flat batch, by order up to 3 (a bigram
    of tokens t, t+1). The caller masks them."""
    grams = [ids]
    for order in range(1, orders):
        grams.append(grams[-1] * 65536 + np.roll(ids, -order))
    return grams


def specials(model: Verbatim, ids: np.ndarray) -> np.ndarray:
    """`Verbatim.special` for an array."""
    return np.isin(ids, model.shape.specials)


def firsts(slices: list[slice]) -> Tensor:
    """(len(slices),): where the slices begin."""
    return placed(np.array([s.start for s in slices]))


def question_weights(model: Verbatim, hidden: Tensor, ids: np.ndarray, slices: list[slice]) -> Tensor:
    """S'_CLS of all questions of a flat batch, side by side: (2 orders, N). Specials are masked,
    [CLS] itself (the diagonal) with them."""
    special = placed(specials(model, ids))
    d = model.shape.ngram
    query = linear(model.ngram_query, hidden.index_select(0, firsts(slices)), model.encoder.int8)
    key = linear(model.ngram_key, hidden, model.encoder.int8)
    weights = torch.relu((query.index_select(0, numbers(slices)) * key).view(-1, 2 * model.shape.orders, d).sum(2) / math.sqrt(d)).T
    return weights * gram_masks(special, model.shape.orders)


def numbers(slices: list[slice]) -> Tensor:
    """(N,): of each item of a flat batch, the number of its slice."""
    return placed(np.repeat(np.arange(len(slices)), [s.stop - s.start for s in slices]))


class MatchTable:
    """What each of Q questions gives to each n-gram of one order; `weights` (N_q,) of the question
    tokens' n-grams."""

    def __init__(self, grams_q: np.ndarray, slices_q: list[slice], weights: Tensor):
        self.vocabulary, inverse = np.unique(grams_q, return_inverse=True)
        table = torch.zeros(len(self.vocabulary) + 1, len(slices_q))  # one row per n-gram, because thousands of questions are looked up at once
        self.table = table.index_put((placed(inverse), numbers(slices_q)), weights, accumulate=True)

    def at(self, grams_p: np.ndarray) -> Tensor:
        """u (N, Q): weight that question q gives to the n-gram at passage token n; 0 for one that no
        question has, as -1."""
        place = np.minimum(np.searchsorted(self.vocabulary, grams_p), len(self.vocabulary) - 1)
        return self.table.index_select(0, placed(np.where(self.vocabulary[place] == grams_p, place, len(self.vocabulary))))


def span_logits(starts: Tensor, ends: Tensor, pair: Tensor, window: int) -> Tensor:
    """(..., T), (..., T), (..., T, J) -> l_ij (..., T, J) for j = i + 0 … J-1; ends past the
    passage are NEGATIVE."""
    return starts[..., None] + F.pad(ends, (0, window - 1), value=NEGATIVE).unfold(-1, window, 1) + pair


def pair_logits(c1: Tensor, c2: Tensor, qc: Tensor, window: int) -> Tensor:
    """qc · (c1_i · c2_j) of a passage's spans: c1, c2 (..., t, dc), qc (..., n, dc) -> (..., n, t, J)."""
    ahead = F.pad(c2, (0, 0, 0, window - 1)).unfold(-2, window, 1)  # (..., t, dc, J)
    product = (c1[..., None] * ahead).transpose(-1, -2).flatten(-3, -2)
    return (qc @ product.transpose(-1, -2)).unflatten(-1, (c1.shape[-2], window))


@dataclass
class Scores:
    """The network's outputs for a batch: Q questions against the N tokens of all its paragraphs."""

    questions: list[tuple[int, Question]]  # (paragraph, question)
    slices_p: list[slice]
    slices_q: list[slice]
    ids_p: np.ndarray
    ids_q: np.ndarray
    hidden: Tensor  # of the paragraphs' tokens
    question: tuple[Tensor, Tensor, Tensor]  # start, end, coherency
    coherency: tuple[Tensor, Tensor]  # c1, c2 (N, coherency)
    keep: Tensor  # (N, 2)
    dense: tuple[Tensor, Tensor]  # start, end (Q, N)
    sparse: tuple[Tensor, Tensor]  # the n-gram logits, or zeros


def encode(model: Verbatim, sequences: list, config: LossConfig) -> tuple[Tensor, np.ndarray, list[slice]]:
    """Hidden rows (N, h) and ids (N,) of token sequences, one after the other, and the slice of
    each sequence."""
    room = CACHE_TOKENS if torch.get_default_device().type == "cpu" else ACCELERATOR_TOKENS
    ids, position, groups, inverse, slices = flat_batch(sequences, room)
    with half(config.bf16):
        return model.encoder(ids, position, groups, inverse).float(), np.concatenate(sequences), slices


def score_batch(model: Verbatim, paragraphs: list[Paragraph], config: LossConfig, kinds: tuple[int, ...] = (1, 2, 3), storage: Storage | None = None) -> Scores:
    """One encoder pass over the paragraphs and all their questions. `kinds`: orders of n-grams that
    count; only the first with `storage`."""
    questions = [(p, q) for p, par in enumerate(paragraphs) for q in par.questions if q.start >= 0]
    hidden, ids, slices = encode(model, [p.ids for p in paragraphs] + [q.ids for _, q in questions], config)
    count = len(paragraphs)
    slices_p, slices_q = slices[:count], slices[count:]
    cut = slices_p[-1].stop
    hp, hq, ids_p, ids_q = hidden[:cut], hidden[cut:], ids[:cut], ids[cut:]
    slices_q = [slice(s.start - cut, s.stop - cut) for s in slices_q]
    asked = Asked(model, hq, ids_q, slices_q, config, kinds if storage is None else (1,))
    read = Read(model, hp, ids_p, slices_p, config)
    dense = asked.start @ read.start.T, asked.end @ read.end.T
    if storage is not None:
        passes = F.logsigmoid((read.keep - storage.threshold) / SOFTNESS).T
        dense = dense[0] + passes[:1], dense[1] + passes[1:]
    question = (asked.start, asked.end, asked.coherency)
    return Scores(questions, slices_p, slices_q, ids_p, ids_q, hp, question, (read.c1, read.c2), read.keep, dense, sparse_logits(model, asked, read, storage))


class Asked:
    """The question side of the scores: Q questions, hidden (N, h), flat."""

    def __init__(self, model: Verbatim, hidden: Tensor, ids: np.ndarray, slices: list[slice], config: LossConfig, kinds: tuple[int, ...]):
        self.start, self.end, self.coherency = model.question_heads(hidden.index_select(0, firsts(slices)))
        self.tables: list[MatchTable] = []  # start's orders, then end's; none without n-grams
        if config.ngrams:
            orders = model.shape.orders
            counts = placed(np.array([float(order + 1 in kinds) for order in range(orders)] * 2, dtype=np.float32))
            weights = config.ngram_weight * question_weights(model, hidden, ids, slices) * counts[:, None]
            grams = gram_ids(ids, orders)
            self.tables = [MatchTable(grams[k % orders], slices, weights[k]) for k in range(2 * orders)]


class Read:
    """The passage side of the scores: N tokens of P paragraphs, hidden (N, h), flat."""

    def __init__(self, model: Verbatim, hidden: Tensor, ids: np.ndarray, slices: list[slice], config: LossConfig):
        self.slices = slices
        self.special = specials(model, ids)
        self.grams = gram_ids(ids, model.shape.orders)
        with half(config.bf16):
            self.start, self.end, self.c1, self.c2, self.keep = (head.float() for head in model.passage_heads(hidden))
            if config.ngrams:
                maps = (model.ngram_query, model.ngram_key)
                self.ngram_query, self.ngram_key = (linear(m, hidden, model.encoder.int8).float() for m in maps)


def largest(weights: Tensor, count: int) -> Tensor:
    """weights (..., T) with all but the `count` largest of each row set to 0 (more, if some are equal)."""
    if weights.shape[-1] <= count:
        return weights
    with torch.no_grad():
        least = weights.topk(count, dim=-1, sorted=False).values.amin(-1, keepdim=True)
        kept = weights >= least
    return weights * kept


def sparse_logits(model: Verbatim, asked: Asked, read: Read, storage: Storage | None = None) -> tuple[Tensor, Tensor]:
    """The n-grams' share of start and end (Q, N); two zeros without n-grams."""
    if not asked.tables:
        return torch.zeros(()), torch.zeros(())
    orders, total = model.shape.orders, len(read.special)
    index = padded_index(read.slices, total)
    shape = index.shape  # (P, T)
    flat, inverse = placed(index.flatten()), placed(np.flatnonzero(index < total))
    query, key = (Gather.apply(x, flat, inverse).unflatten(0, shape) for x in (read.ngram_query, read.ngram_key))
    special = placed(np.append(read.special, True)[index])
    attention = model.ngram_weights(query, key, special)  # (P, 2 orders, T, T)
    grams = [np.append(gram, -1)[index.flatten()] for gram in read.grams]
    sums = []
    for first in (0, orders):
        side = range(first, first + (orders if storage is None else 1))
        tables = [asked.tables[k].at(grams[k % orders]).unflatten(0, shape) for k in side]  # (P, T, Q) each
        weights = torch.cat([attention[:, k] for k in side], 2)  # (P, T, orders T)
        if storage is not None:
            weights = largest(weights, storage.ngrams_per_row)
        matched = torch.bmm(weights, torch.cat(tables, 1)).flatten(0, 1)
        sums.append(Ungather.apply(matched, flat, inverse).T.contiguous())
    return sums[0], sums[1]
