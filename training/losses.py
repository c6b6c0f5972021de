"""The losses and their equations. One call takes a batch of paragraphs with all their questions (scores.py).

    own         L/2 + (L1 + L2)/4 over the paragraph's spans i ≤ j < i + window, with a no-answer logit in L's denominator
                `concatenate`: also over the spans of a negative paragraph, with tf-idf matching added to the tokens' logits     SPARC §3.3
    batch       cross-entropy of the start (end) among all passage tokens of the batch
    own_dense, batch_dense      the same without n-grams
    distil      T² · KL(teacher ‖ ours) of start and end, at temperature T, plus dense_only times the same without
                n-grams; mean over the batch's questions
    keep        binary cross-entropy of "an answer starts (ends) here", without the question
    no_answer   cross-entropy of the no-answer logit for the two most similar questions of other paragraphs
    terms       cross-entropy over all sentences of scale · Σ_t gain_t log(1 + relu(max_j e_t·s_j + b))                          SPARTA Eq. 3-4
    passages    the same over all passages
    sparsity    mean weight of words drawn at random in the passages

In a share `stored` of the steps, all of these use the scores that an index serves: unigrams alone, the
largest weights of each row, and rows that pass the filter (`Storage` in scores.py).

The total is their sum, each times the weight of its name in LossConfig (scores.py).
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph
from model import Verbatim, padded_index, placed
from scores import NEGATIVE, LossConfig, Scores, Storage, numbers, pair_logits, score_batch, span_logits, specials

ANSWER_WEIGHT = 8.0  # of a token at which an answer starts (ends): few do
FIRST_WORD = 1000  # the vocabulary's ids before it are special and unused tokens


def imitation(logits: Tensor, teacher: Tensor, temperature: float) -> Tensor:
    """T² · KL(softmax(teacher / T) ‖ softmax(logits / T)) of each row: (..., t), (..., t) -> (...)"""
    target = torch.softmax(teacher / temperature, dim=-1)
    return temperature**2 * F.kl_div(torch.log_softmax(logits / temperature, dim=-1), target, reduction="none").sum(-1)


def tfidf_matching(model: Verbatim, scores: Scores) -> Tensor:
    """(Q, P): cosine of question and paragraph as bags of word pieces, weighted log(1 + count) ·
    idf; the idf is that of `term_idf`."""

    def bags(ids: np.ndarray, slices: list[slice]) -> Tensor:
        places = numbers(slices), placed(np.searchsorted(vocabulary, ids))
        counts = torch.zeros(len(slices), len(vocabulary)).index_put(places, torch.ones(len(ids)), accumulate=True)
        return F.normalize(torch.log1p(counts) * model.term_idf[placed(vocabulary)], dim=1)

    vocabulary = np.unique(np.concatenate([scores.ids_p, scores.ids_q]))
    return bags(scores.ids_q, scores.slices_q) @ bags(scores.ids_p, scores.slices_p).T


class Layout:
    """Where a batch's passages and questions are. P paragraphs, padded to B passage tokens and M
    questions of their own; Q questions and N tokens in all."""

    def __init__(self, paragraphs: list[Paragraph], scores: Scores):
        owner = np.array([p for p, _ in scores.questions])
        counts = np.bincount(owner, minlength=len(paragraphs))
        asked = np.arange(counts.max()) < counts[:, None]
        bodies = [slice(s.start + p.first, s.stop - 1) for p, s in zip(paragraphs, scores.slices_p)]
        self.total = scores.slices_p[-1].stop
        body = padded_index(bodies, self.total)
        first = np.array([q.start - paragraphs[p].first for p, q in scores.questions])
        last = np.array([q.end - paragraphs[p].first for p, q in scores.questions])
        teacher = np.full((*asked.shape, 2, body.shape[1]), NEGATIVE, dtype=np.float32)
        taught = np.zeros(asked.shape, dtype=bool)
        for (p, m), (_, question) in zip(np.argwhere(asked).tolist(), scores.questions):
            if question.teacher is not None:
                teacher[p, m, :, : question.teacher.shape[1]] = question.teacher
                taught[p, m] = True
        spread = np.zeros(asked.shape, dtype=np.int64)
        spread[asked] = np.arange(len(owner))  # questions are in the order of their paragraphs
        on = placed
        self.owner = on(owner)  # (Q,) paragraph
        self.own, self.asked = on(spread), on(asked)  # (P, M) question, 0 for padding; whether it is one
        self.body = on(body)  # (P, B) token, N for padding
        self.first, self.last = on(first), on(last)  # (Q,) answer, counted from the first passage token
        begin = np.array([body.start for body in bodies])[owner]
        self.gold_start, self.gold_end = on(begin + first), on(begin + last)  # (Q,) answer's tokens
        self.articles = on(np.array([p.article for p in paragraphs]))
        self.teacher, self.taught = (on(teacher) if taught.any() else None), on(taught)  # (P, M, 2, B), (P, M)

    def of(self, logits: Tensor, questions: Tensor, body: Tensor) -> Tensor:
        """logits (Q, N) of questions (P, M) over the passages body (P, B): (P, M, B), NEGATIVE for
        padding."""
        flat = F.pad(logits, (0, 1), value=NEGATIVE).flatten()
        index = questions[:, :, None] * (self.total + 1) + body[:, None]
        return flat.gather(0, index.flatten()).view(index.shape)

    def rows(self, x: Tensor, body: Tensor) -> Tensor:
        """x (N, d) over the passages body (P, B): (P, B, d), zero for padding."""
        return F.pad(x, (0, 0, 0, 1)).index_select(0, body.flatten()).unflatten(0, body.shape)

    def nearest(self, closeness: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """closeness, allowed (P, Q) -> each paragraph's closest allowed question (P,), and whether it
        has one."""
        return torch.where(allowed, closeness, -1e9).argmax(1), allowed.any(1) & self.asked.any(1)


def cross_entropy(logits: Tensor, gold: Tensor) -> Tensor:
    """-log softmax(logits)[gold] of each row: (..., C), (...) -> (...)"""
    return torch.logsumexp(logits, -1) - logits.gather(-1, gold[..., None])[..., 0]


def mean_of(values: Tensor, counted: Tensor) -> Tensor:
    """Mean of the values that count; 0 if none does."""
    return torch.where(counted, values, 0.0).sum() / counted.sum().clamp(min=1)


def own_losses(model: Verbatim, scores: Scores, layout: Layout, dense: tuple[Tensor, Tensor], full: tuple[Tensor, Tensor], config: LossConfig) -> dict[str, Tensor]:
    """Spans of each paragraph for its own questions, and for its two most similar foreign ones,
    which it does not answer (DenSPI's negatives)."""
    own, asked, owner, window = layout.own, layout.asked, layout.owner, config.window
    here = torch.arange(len(own))[:, None]
    with torch.no_grad():
        embedded = torch.cat(scores.question, 1)
        similar = embedded @ embedded.T  # (Q, Q)
        closeness = torch.where(asked[..., None], similar[own], -1e9).amax(1)  # (P, Q)
        others, same = owner[None] != here, layout.articles[owner][None] == layout.articles[:, None]
        foreign = [layout.nearest(closeness, others & kind) for kind in (same, ~same)]
        negatives, counted = (torch.stack(pair, 1) for pair in zip(*foreign))  # (P, 2)
        rivals, joined = layout.nearest(closeness, others)
        rivals = owner[rivals]
        matching = config.tfidf * tfidf_matching(model, scores) if config.concatenate else None
    rows, count = torch.cat([own, negatives], 1), own.shape[1]
    coherency = scores.question[2][rows]
    c1, c2 = (layout.rows(x, layout.body) for x in scores.coherency)
    pair = pair_logits(c1, c2, coherency, window)
    first, last = layout.first[own], layout.last[own]
    width = last - first
    inside = asked & (width < window)
    gold = torch.where(inside, first * window + width, 0)
    parts: dict[str, Tensor] = {}
    distilled = torch.zeros(())
    for name, (all_starts, all_ends) in (("own", full), ("own_dense", dense)):
        starts, ends = layout.of(all_starts, rows, layout.body), layout.of(all_ends, rows, layout.body)
        spans = span_logits(starts, ends, pair, window).flatten(2)
        none = model.no_answer.expand(*rows.shape, 1)
        if name == "own":
            refused = cross_entropy(torch.cat([spans[:, count:], none[:, count:]], 2), torch.full_like(negatives, spans.shape[2]))
            parts["no_answer"] = mean_of(torch.where(counted, refused, 0.0).sum(1) / counted.sum(1).clamp(min=1), counted.any(1))
        starts, ends, spans, none = starts[:, :count], ends[:, :count], spans[:, :count], none[:, :count]
        if config.distil and layout.teacher is not None:
            imitated = sum(imitation(x, layout.teacher[:, :, side], config.temperature) for side, x in enumerate((starts, ends))) / 2
            distilled = distilled + (1.0 if name == "own" else config.dense_only) * torch.where(layout.taught, imitated, 0.0).sum()
        if matching is not None:
            near, far = matching[own, here][..., None], matching[own, rivals[:, None]][..., None]
            body = torch.where(joined[:, None], layout.body[rivals], layout.total)
            starts2, ends2 = layout.of(all_starts, own, body) + far, layout.of(all_ends, own, body) + far
            pair2 = pair_logits(*(layout.rows(x, body) for x in scores.coherency), coherency[:, :count], window)
            spans = torch.cat([spans + 2 * near, span_logits(starts2, ends2, pair2, window).flatten(2)], 2)
            starts, ends = torch.cat([starts + near, starts2], 2), torch.cat([ends + near, ends2], 2)
        joint = torch.where(inside, cross_entropy(torch.cat([spans, none], 2), gold), 0.0)
        each = joint / 2 + (cross_entropy(starts, first) + cross_entropy(ends, last)) / 4
        parts[name] = mean_of(each, asked)
    return {**parts, "distil": distilled / len(owner)}


def batch_losses(model: Verbatim, paragraphs: list[Paragraph], config: LossConfig, generator: torch.Generator, term_stop: np.ndarray):
    """Returns (total, dict of parts)."""
    stored = torch.rand((), generator=generator).item() < config.stored
    scores = score_batch(model, paragraphs, config, storage=Storage() if stored else None)
    layout = Layout(paragraphs, scores)
    valid = np.concatenate([p.sentence for p in paragraphs]) >= 0
    blocked = torch.where(placed(valid), 0.0, NEGATIVE)[None]
    dense = tuple(x + blocked for x in scores.dense)
    full = tuple(x + n for x, n in zip(dense, scores.sparse))

    def across(logits: tuple[Tensor, ...]) -> Tensor:
        return (F.cross_entropy(logits[0], layout.gold_start) + F.cross_entropy(logits[1], layout.gold_end)) / 2

    parts = {"batch": across(full), "batch_dense": across(dense), **own_losses(model, scores, layout, dense, full, config)}

    # filter: "an answer starts (ends) here", without the question
    label = torch.zeros(len(valid), 2)
    label[layout.gold_start, 0] = 1
    label[layout.gold_end, 1] = 1
    inside = placed(np.flatnonzero(valid))
    kept, wanted = (x.index_select(0, inside) for x in (scores.keep, label))
    parts["keep"] = F.binary_cross_entropy_with_logits(kept, wanted, pos_weight=torch.full((), ANSWER_WEIGHT))

    parts.update(term_losses(model, paragraphs, scores, config, generator, term_stop))
    total = (
        config.own * parts["own"]
        + config.batch * parts["batch"]
        + config.distil * parts["distil"]
        + config.dense_only * (parts["own_dense"] + parts["batch_dense"])
        + config.keep * parts["keep"]
        + config.no_answer * parts["no_answer"]
        + config.terms * parts["terms"]
        + config.passages * parts["passages"]
        + config.sparsity * parts["sparsity"]
    )
    return total, parts


def term_units(paragraphs: list[Paragraph], slices: list[slice]) -> tuple[np.ndarray, np.ndarray]:
    """(unit of each token (N,), paragraph of each unit): sentences are units, then each paragraph's
    title; -1 for tokens that belong to none."""
    units, owners, count = [], [], 0
    for number, paragraph in enumerate(paragraphs):
        inside = paragraph.sentence >= 0
        used, place = np.unique(paragraph.sentence[inside], return_inverse=True)
        unit = np.full(len(paragraph.ids), -1)
        unit[inside] = count + place
        units.append(unit)
        owners += [number] * len(used)
        count += len(used)
    for number, (paragraph, unit) in enumerate(zip(paragraphs, units)):
        unit[1 : paragraph.first - 1] = count + number
    return np.concatenate(units), np.array([*owners, *range(len(paragraphs))])


def term_losses(model, paragraphs, scores: Scores, config, generator, term_stop) -> dict[str, Tensor]:
    """SPARTA over all sentences and passages of the batch; source tokens in the stop list never
    pool (they still count as question terms)."""
    questions, ids_p, ids_q = scores.questions, scores.ids_p, scores.ids_q
    unit_of, owner_of = term_units(paragraphs, scores.slices_p)
    sentences = len(owner_of) - len(paragraphs)
    rows = np.flatnonzero(~term_stop[ids_p] & (unit_of >= 0))
    unit, owner = placed(unit_of[rows]), placed(owner_of)
    vectors = model.term_vectors(scores.hidden.index_select(0, placed(rows)), placed(ids_p[rows]))
    asked = np.flatnonzero(~specials(model, ids_q))
    terms, inverse = map(placed, np.unique(ids_q[asked], return_inverse=True))
    sampled = torch.randint(FIRST_WORD, model.shape.vocabulary, (config.sampled_terms,), generator=generator)
    table = model.term_table(torch.cat([terms, sampled]))
    similarity = vectors @ table.T  # (rows, U)
    pooled = torch.full((len(owner), similarity.shape[1]), NEGATIVE)
    pooled = pooled.scatter_reduce(0, unit[:, None].expand_as(similarity), similarity, "amax", include_self=False)
    passages = torch.full((len(paragraphs), similarity.shape[1]), NEGATIVE)
    passages = passages.scatter_reduce(0, owner[:, None].expand_as(pooled), pooled, "amax", include_self=False)
    weight = lambda y: torch.log1p(torch.relu(y + model.term_bias))  # noqa: E731
    known = len(terms)
    bag = torch.zeros(len(questions), known).index_put((numbers(scores.slices_q).index_select(0, placed(asked)), inverse), torch.ones(len(asked)), accumulate=True)
    bag = bag * torch.exp(model.term_gain[terms] + model.term_scale)
    by_sentence = bag @ weight(pooled[:sentences, :known]).T
    by_passage = bag @ weight(passages[:, :known]).T
    gold = placed(np.array([unit_of[scores.slices_p[p].start + q.start] for p, q in questions]))
    gold_passage = placed(np.array([p for p, _ in questions]))
    return {
        "terms": F.cross_entropy(by_sentence, gold),
        "passages": F.cross_entropy(by_passage, gold_passage),
        "sparsity": weight(passages[:, known:]).mean(),
    }
