"""The losses, each beside its equation. One call scores a batch of paragraphs with all their questions.

    dense   l_ij      = qs·a_i + qe·b_j + qc·(c1_i · c2_j)                                      DenSPI Eq. 3-5
    sparse  l_i^start = Σ_t S_i,t u_t,  u_t = Σ_m [gram_t = gram_m] S'_CLS,m                    SPARC Eq. 2 (kernel trick)
    own     L/2 + (L1 + L2)/4 over the paragraph's spans i ≤ j < i + window, with a no-answer logit in L's denominator
    batch   cross-entropy of the start (end) among all passage tokens of the batch
    terms   cross-entropy over all sentences, and all passages, of scale · Σ_t gain_t log(1 + relu(max_j e_t·s_j + b))   SPARTA Eq. 3-4
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph
from model import SPECIALS, Verbatim, flat_batch

NEGATIVE = -1e4


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
    ngrams: bool = True


def gram_ids(ids: Tensor, slices: list[slice]) -> tuple[Tensor, Tensor]:
    """Unigram and bigram identity of every token of a flat batch (a bigram of tokens t, t+1; the masks are the caller's)."""
    nxt = torch.roll(ids, -1)
    return ids, ids * 65536 + nxt


def question_weights(model: Verbatim, hidden: Tensor, ids: Tensor, slices: list[slice]) -> list[Tensor]:
    """S'_CLS of each question: list of (4, M)."""
    special = torch.isin(ids, torch.tensor(SPECIALS))
    return [model.ngram_attention(hidden[s], special[s], rows=1)[:, 0] for s in slices]


def match_table(kind: int, grams_q: Tensor, slices_q: list[slice], weights: list[Tensor], grams_p: Tensor) -> Tensor:
    """u (Q, N): weight that question q gives to the n-gram at passage token n; `kind` 0..3 start/end × uni/bigram."""
    vocabulary, inverse = torch.unique(grams_q, return_inverse=True)
    rows = torch.cat([torch.full((s.stop - s.start,), i) for i, s in enumerate(slices_q)])
    table = torch.zeros(len(slices_q), len(vocabulary) + 1)
    table = table.index_put((rows, inverse), torch.cat([w[kind] for w in weights]), accumulate=True)
    place = torch.searchsorted(vocabulary, grams_p).clamp_(max=len(vocabulary) - 1)
    place = torch.where(vocabulary[place] == grams_p, place, len(vocabulary))
    return table[:, place]


def span_logits(starts: Tensor, ends: Tensor, pair: Tensor, window: int) -> Tensor:
    """(n, T), (n, T), (n, T, J) -> l_ij (n, T, J) for j = i + 0 … J-1; ends past the passage are NEGATIVE."""
    n, t = ends.shape
    padded = F.pad(ends, (0, window - 1), value=NEGATIVE)
    return starts[:, :, None] + padded.unfold(1, window, 1) + pair


def early_sum(logits: Tensor, gold: Tensor) -> Tensor:
    """-log softmax at gold; rows without gold (-1) are left out. Mean over rows."""
    return F.cross_entropy(logits, gold, ignore_index=-100)


def batch_losses(model: Verbatim, paragraphs: list[Paragraph], config: LossConfig, generator: torch.Generator, term_stop: Tensor):
    """Returns (total, dict of parts)."""
    questions = [(p, q) for p, par in enumerate(paragraphs) for q in par.questions if q.start >= 0]
    sequences = [p.ids for p in paragraphs] + [q.ids for _, q in questions]
    ids, position, groups, inverse, slices = flat_batch(sequences, 900)
    hidden = model.encoder(ids, position, groups, inverse)
    count = len(paragraphs)
    slices_p, slices_q = slices[:count], slices[count:]
    cut = slices_p[-1].stop
    hp, hq, ids_p, ids_q = hidden[:cut], hidden[cut:], ids[:cut], ids[cut:]
    slices_q = [slice(s.start - cut, s.stop - cut) for s in slices_q]
    owner = torch.tensor([p for p, _ in questions])
    cls = hq[torch.tensor([s.start for s in slices_q])]
    qs, qe, qc = model.question_heads(cls)
    start, end, c1, c2, keep = model.passage_heads(hp)
    valid = torch.cat([torch.as_tensor(p.sentence) >= 0 for p in paragraphs])

    dense_start, dense_end = qs @ start.T, qe @ end.T  # (Q, N)
    gold_start = torch.tensor([slices_p[p].start + q.start for p, q in questions])
    gold_end = torch.tensor([slices_p[p].start + q.end for p, q in questions])
    sparse_start, sparse_end = torch.zeros(()), torch.zeros(())
    if config.ngrams:
        weights = question_weights(model, hq, ids_q, slices_q)
        uni_q, bi_q = gram_ids(ids_q, slices_q)
        uni_p, bi_p = gram_ids(ids_p, slices_p)
        tables = [match_table(k, (uni_q, bi_q)[k % 2], slices_q, weights, (uni_p, bi_p)[k % 2]) for k in range(4)]
        special = torch.isin(ids_p, torch.tensor(SPECIALS))
        pieces_start, pieces_end = [], []
        for s in slices_p:
            attention = model.ngram_attention(hp[s], special[s])  # (4, T, T)
            pieces_start.append(tables[0][:, s] @ attention[0].T + tables[1][:, s] @ attention[1].T)
            pieces_end.append(tables[2][:, s] @ attention[2].T + tables[3][:, s] @ attention[3].T)
        sparse_start, sparse_end = torch.cat(pieces_start, 1), torch.cat(pieces_end, 1)

    blocked = torch.where(valid, 0.0, NEGATIVE)[None]
    full_start, full_end = dense_start + sparse_start + blocked, dense_end + sparse_end + blocked
    dense_start, dense_end = dense_start + blocked, dense_end + blocked
    parts: dict[str, Tensor] = {}

    def across(s: Tensor, e: Tensor) -> Tensor:
        return (F.cross_entropy(s, gold_start) + F.cross_entropy(e, gold_end)) / 2

    parts["batch"] = across(full_start, full_end)
    parts["batch_dense"] = across(dense_start, dense_end)

    # spans of each paragraph for its own questions, and for its two most similar foreign ones (DenSPI's negatives)
    with torch.no_grad():
        q_dense = torch.cat([qs, qe, qc], 1)
        similar = q_dense @ q_dense.T  # (Q, Q)
        articles = torch.tensor([par.article for par in paragraphs])
    own_loss, own_dense, none_loss = [], [], []
    for p, (paragraph, s) in enumerate(zip(paragraphs, slices_p)):
        body = slice(s.start + paragraph.first, s.stop - 1)
        mine = torch.nonzero(owner == p).flatten()
        if len(mine) == 0:
            continue
        closeness = similar[mine].amax(0)
        others = owner != p
        same = others & (articles[owner] == paragraph.article)
        foreign = others & (articles[owner] != paragraph.article)
        picks = [torch.where(m, closeness, -1e9).argmax() for m in (same, foreign) if m.any()]
        asked = torch.cat([mine, torch.stack(picks)]) if picks else mine
        t, n = body.stop - body.start, len(mine)
        ahead = F.pad(c2[body], (0, 0, 0, config.window - 1)).unfold(0, config.window, 1)  # (t, dc, J)
        product = (c1[body][:, :, None] * ahead).transpose(1, 2).reshape(t * config.window, -1)
        pair = (qc[asked] @ product.T).view(len(asked), t, config.window)
        first = torch.tensor([questions[i][1].start - paragraph.first for i in mine.tolist()])
        last = torch.tensor([questions[i][1].end - paragraph.first for i in mine.tolist()])
        width = last - first
        gold = torch.where(width < config.window, first * config.window + width, -100)
        for store, starts, ends in ((own_loss, full_start, full_end), (own_dense, dense_start, dense_end)):
            spans = span_logits(starts[asked][:, body], ends[asked][:, body], pair, config.window).flatten(1)
            with_none = torch.cat([spans, model.no_answer.expand(len(asked), 1)], 1)
            joint = F.cross_entropy(with_none[:n], gold, ignore_index=-100, reduction="sum") / n
            one = F.cross_entropy(starts[mine][:, body], first)
            two = F.cross_entropy(ends[mine][:, body], last)
            store.append((joint / 2 + (one + two) / 4) * n)
            if store is own_loss and len(asked) > n:
                none_loss.append(-torch.log_softmax(with_none[n:], 1)[:, -1].mean())
    total_questions = len(questions)
    parts["own"] = torch.stack(own_loss).sum() / total_questions
    parts["own_dense"] = torch.stack(own_dense).sum() / total_questions
    parts["no_answer"] = torch.stack(none_loss).mean() if none_loss else torch.zeros(())

    # filter: "an answer starts (ends) here", without the question
    label = torch.zeros(cut, 2)
    label[gold_start, 0] = 1
    label[gold_end, 1] = 1
    parts["keep"] = F.binary_cross_entropy_with_logits(keep[valid], label[valid], pos_weight=torch.tensor(8.0))

    parts.update(term_losses(model, paragraphs, questions, hp, ids_p, slices_p, ids_q, slices_q, config, generator, term_stop))
    total = (
        config.own * parts["own"]
        + config.batch * parts["batch"]
        + config.dense_only * (parts["own_dense"] + parts["batch_dense"])
        + config.keep * parts["keep"]
        + config.no_answer * parts["no_answer"]
        + config.terms * parts["terms"]
        + config.passages * parts["passages"]
        + config.sparsity * parts["sparsity"]
    )
    return total, parts


def term_losses(model, paragraphs, questions, hp, ids_p, slices_p, ids_q, slices_q, config, generator, term_stop) -> dict[str, Tensor]:
    """SPARTA over all sentences and passages of the batch; source tokens in the stop list never pool (they still count as question terms)."""
    source = ~term_stop[ids_p]
    unit, owner_of_unit, first_unit = torch.full((len(ids_p),), -1), [], []
    for p, (paragraph, s) in enumerate(zip(paragraphs, slices_p)):
        first_unit.append(len(owner_of_unit))
        sentence = torch.as_tensor(paragraph.sentence)
        used = torch.unique(sentence[sentence >= 0])
        lookup = torch.full((int(used.max()) + 1,), -1)
        lookup[used] = torch.arange(len(used)) + len(owner_of_unit)
        unit[s] = torch.where(sentence >= 0, lookup[sentence.clamp(min=0)], -1)
        title = slice(s.start + 1, s.start + paragraph.first - 1)
        unit[title] = -2 - p  # the title pools into the passage only
        owner_of_unit += [p] * len(used)
    units = len(owner_of_unit)
    rows = torch.nonzero(source & (unit != -1)).flatten()
    group = torch.where(unit[rows] >= 0, unit[rows], units - 2 - unit[rows])  # titles become units of their own behind the sentences
    vectors = model.term_vectors(hp[rows], ids_p[rows])
    special = torch.isin(ids_q, torch.tensor(SPECIALS))
    asked = torch.nonzero(~special).flatten()
    terms, inverse = torch.unique(ids_q[asked], return_inverse=True)
    sampled = torch.randint(1000, model.shape.vocabulary, (config.sampled_terms,), generator=generator)
    table = model.term_table(torch.cat([terms, sampled]))
    scores = vectors @ table.T  # (rows, U)
    groups = units + len(paragraphs)
    pooled = torch.full((groups, scores.shape[1]), NEGATIVE)
    pooled = pooled.scatter_reduce(0, group[:, None].expand_as(scores), scores, "amax", include_self=False)
    owner = torch.cat([torch.tensor(owner_of_unit), torch.arange(len(paragraphs))])
    passages = torch.full((len(paragraphs), scores.shape[1]), NEGATIVE)
    passages = passages.scatter_reduce(0, owner[:, None].expand_as(pooled), pooled, "amax", include_self=False)
    weight = lambda y: torch.log1p(torch.relu(y + model.term_bias))  # noqa: E731
    known = len(terms)
    rows_q = torch.cat([torch.full((s.stop - s.start,), i) for i, s in enumerate(slices_q)])[asked]
    bag = torch.zeros(len(slices_q), known).index_put((rows_q, inverse), torch.ones(len(asked)), accumulate=True)
    bag = bag * torch.exp(model.term_gain[terms] + model.term_scale)
    by_sentence = bag @ weight(pooled[:units, :known]).T
    by_passage = bag @ weight(passages[:, :known]).T
    gold = torch.tensor([int(unit[slices_p[p].start + q.start]) for p, q in questions])
    gold_passage = torch.tensor([p for p, _ in questions])
    return {
        "terms": F.cross_entropy(by_sentence, gold),
        "passages": F.cross_entropy(by_passage, gold_passage),
        "sparsity": weight(passages[:, known:]).mean(),
    }
