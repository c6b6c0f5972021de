"""The losses and their equations. One call scores a batch of paragraphs with all their questions.

    dense   l_ij      = qs·a_i + qe·b_j + qc·(c1_i · c2_j)                                      DenSPI Eq. 3-5
    sparse  l_i^start = Σ_t S_i,t u_t,  u_t = Σ_m [gram_t = gram_m] S'_CLS,m                    SPARC Eq. 2 (kernel trick)
    own     L/2 + (L1 + L2)/4 over the paragraph's spans i ≤ j < i + window, with a no-answer logit in L's denominator
            `concatenate`: also over the spans of a negative paragraph, with tf-idf matching added to the tokens' logits          SPARC §3.3
    batch   cross-entropy of the start (end) among all passage tokens of the batch
    terms   cross-entropy over all sentences, and all passages, of scale · Σ_t gain_t log(1 + relu(max_j e_t·s_j + b))   SPARTA Eq. 3-4
"""

from __future__ import annotations

from dataclasses import dataclass

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph, Question
from model import Verbatim, flat_batch, gram_masks, half, linear

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
    distil: float = 0.0  # weight of the teacher's span distributions (Hinton et al. 2015)
    temperature: float = 2.0
    ngrams: bool = True
    concatenate: bool = False  # `own` also sees the paragraph of the most similar foreign question
    tfidf: float = 5.0  # weight of tf-idf matching (a cosine) on a token's logits; with `concatenate` alone
    bf16: bool = False


def gram_ids(ids: Tensor, orders: int = 2) -> list[Tensor]:
    """Identity of the n-gram that begins at every token of a flat batch, by order up to 3 (a bigram
    of tokens t, t+1). The caller masks them."""
    grams = [ids]
    for order in range(1, orders):
        grams.append(grams[-1] * 65536 + torch.roll(ids, -order))
    return grams


def question_weights(model: Verbatim, hidden: Tensor, ids: Tensor, slices: list[slice]) -> Tensor:
    """S'_CLS of all questions of a flat batch, side by side: (2 orders, N). Specials are masked,
    [CLS] itself (the diagonal) with them."""
    special = model.special(ids)
    lengths = torch.tensor([s.stop - s.start for s in slices])
    d = model.shape.ngram
    query = linear(model.ngram_query, hidden[torch.tensor([s.start for s in slices])], model.encoder.int8)
    key = linear(model.ngram_key, hidden, model.encoder.int8)
    weights = torch.relu((query.repeat_interleave(lengths, 0) * key).view(-1, 2 * model.shape.orders, d).sum(2) / math.sqrt(d)).T
    return weights * gram_masks(special, model.shape.orders)


class MatchTable:
    """What each of Q questions gives to each n-gram of one order; `weights` (N_q,) of the question
    tokens' n-grams."""

    def __init__(self, grams_q: Tensor, slices_q: list[slice], weights: Tensor):
        self.vocabulary, inverse = torch.unique(grams_q, return_inverse=True)
        rows = torch.cat([torch.full((s.stop - s.start,), i) for i, s in enumerate(slices_q)])
        table = torch.zeros(len(self.vocabulary) + 1, len(slices_q))  # one row per n-gram, because thousands of questions are looked up at once
        self.table = table.index_put((inverse, rows), weights, accumulate=True)

    def at(self, grams_p: Tensor) -> Tensor:
        """u (N, Q): weight that question q gives to the n-gram at passage token n."""
        place = torch.searchsorted(self.vocabulary, grams_p).clamp_(max=len(self.vocabulary) - 1)
        place = torch.where(self.vocabulary[place] == grams_p, place, len(self.vocabulary))
        return self.table.index_select(0, place)


def span_logits(starts: Tensor, ends: Tensor, pair: Tensor, window: int) -> Tensor:
    """(n, T), (n, T), (n, T, J) -> l_ij (n, T, J) for j = i + 0 … J-1; ends past the passage are
    NEGATIVE."""
    n, t = ends.shape
    padded = F.pad(ends, (0, window - 1), value=NEGATIVE)
    return starts[:, :, None] + padded.unfold(1, window, 1) + pair


def imitation(logits: Tensor, teacher: Tensor, temperature: float) -> Tensor:
    """T² · KL(softmax(teacher / T) ‖ softmax(logits / T)), mean over rows; both (n, t)."""
    target = torch.softmax(teacher / temperature, dim=-1)
    return temperature**2 * F.kl_div(torch.log_softmax(logits / temperature, dim=-1), target, reduction="batchmean")


@dataclass
class Scores:
    """The network's outputs for a batch: Q questions against the N tokens of all its paragraphs."""

    questions: list[tuple[int, Question]]  # (paragraph, question)
    slices_p: list[slice]
    slices_q: list[slice]
    ids_p: Tensor
    ids_q: Tensor
    hidden: Tensor  # of the paragraphs' tokens
    question: tuple[Tensor, Tensor, Tensor]  # start, end, coherency
    coherency: tuple[Tensor, Tensor]  # c1, c2 (N, coherency)
    keep: Tensor  # (N, 2)
    dense: tuple[Tensor, Tensor]  # start, end (Q, N)
    sparse: tuple[Tensor, Tensor]  # the n-gram logits, or zeros


def encode(model: Verbatim, sequences: list, config: LossConfig) -> tuple[Tensor, Tensor, list[slice]]:
    """Hidden rows (N, h) and ids (N,) of token sequences, one after the other, and the slice of
    each sequence."""
    ids, position, groups, inverse, slices = flat_batch(sequences, 900)
    with half(config.bf16):
        return model.encoder(ids, position, groups, inverse).float(), ids, slices


def score_batch(model: Verbatim, paragraphs: list[Paragraph], config: LossConfig, kinds: tuple[int, ...] = (1, 2, 3)) -> Scores:
    """One encoder pass over the paragraphs and all their questions. `kinds`: orders of n-grams that
    count."""
    questions = [(p, q) for p, par in enumerate(paragraphs) for q in par.questions if q.start >= 0]
    hidden, ids, slices = encode(model, [p.ids for p in paragraphs] + [q.ids for _, q in questions], config)
    count = len(paragraphs)
    slices_p, slices_q = slices[:count], slices[count:]
    cut = slices_p[-1].stop
    hp, hq, ids_p, ids_q = hidden[:cut], hidden[cut:], ids[:cut], ids[cut:]
    slices_q = [slice(s.start - cut, s.stop - cut) for s in slices_q]
    asked = Asked(model, hq, ids_q, slices_q, config, kinds)
    read = Read(model, hp, ids_p, slices_p, config)
    dense = asked.start @ read.start.T, asked.end @ read.end.T
    question = (asked.start, asked.end, asked.coherency)
    return Scores(questions, slices_p, slices_q, ids_p, ids_q, hp, question, (read.c1, read.c2), read.keep, dense, sparse_logits(model, asked, read))


class Asked:
    """The question side of the scores: Q questions, hidden (N, h), flat."""

    def __init__(self, model: Verbatim, hidden: Tensor, ids: Tensor, slices: list[slice], config: LossConfig, kinds: tuple[int, ...]):
        self.start, self.end, self.coherency = model.question_heads(hidden[torch.tensor([s.start for s in slices])])
        self.tables: list[MatchTable] = []  # start's orders, then end's; none without n-grams
        if config.ngrams:
            orders = model.shape.orders
            counts = torch.tensor([float(order + 1 in kinds) for order in range(orders)] * 2)
            weights = question_weights(model, hidden, ids, slices) * counts[:, None]
            grams = gram_ids(ids, orders)
            self.tables = [MatchTable(grams[k % orders], slices, weights[k]) for k in range(2 * orders)]


class Read:
    """The passage side of the scores: N tokens of paragraphs, hidden (N, h), flat."""

    def __init__(self, model: Verbatim, hidden: Tensor, ids: Tensor, slices: list[slice], config: LossConfig):
        self.lengths = [s.stop - s.start for s in slices]
        self.special = model.special(ids)
        self.grams = gram_ids(ids, model.shape.orders)
        with half(config.bf16):
            self.start, self.end, self.c1, self.c2, self.keep = (head.float() for head in model.passage_heads(hidden))
            if config.ngrams:
                maps = (model.ngram_query, model.ngram_key)
                self.ngram_query, self.ngram_key = (linear(m, hidden, model.encoder.int8).float() for m in maps)


def sparse_logits(model: Verbatim, asked: Asked, read: Read) -> tuple[Tensor, Tensor]:
    """The n-grams' share of start and end (Q, N); two zeros without n-grams."""
    if not asked.tables:
        return torch.zeros(()), torch.zeros(())
    orders = model.shape.orders
    tables = torch.stack([table.at(read.grams[k % orders]) for k, table in enumerate(asked.tables)])
    starts, ends = [], []
    pieces = (tables.split(read.lengths, 1), *(of.split(read.lengths) for of in (read.ngram_query, read.ngram_key, read.special)))
    for table, query, key, masked in zip(*pieces):
        attention = model.ngram_weights(query, key, masked)  # (2 orders, T, T)
        matched = torch.bmm(attention, table)  # (2 orders, T, Q)
        starts.append(matched[:orders].sum(0))
        ends.append(matched[orders:].sum(0))
    return torch.cat(starts).T.contiguous(), torch.cat(ends).T.contiguous()


def pair_logits(c1: Tensor, c2: Tensor, qc: Tensor, window: int) -> Tensor:
    """qc · (c1_i · c2_j) of a passage's spans: c1, c2 (t, dc), qc (n, dc) -> (n, t, J)."""
    t = c1.shape[0]
    ahead = F.pad(c2, (0, 0, 0, window - 1)).unfold(0, window, 1)  # (t, dc, J)
    product = (c1[:, :, None] * ahead).transpose(1, 2).reshape(t * window, -1)
    return (qc @ product.T).view(len(qc), t, window)


def tfidf_matching(model: Verbatim, scores: Scores) -> Tensor:
    """(Q, P): cosine of question and paragraph as bags of word pieces, weighted log(1 + count) ·
    idf; the idf is that of `term_idf`."""

    def bags(ids: Tensor, slices: list[slice]) -> Tensor:
        rows = torch.cat([torch.full((s.stop - s.start,), i) for i, s in enumerate(slices)])
        counts = torch.zeros(len(slices), len(vocabulary)).index_put((rows, torch.searchsorted(vocabulary, ids)), torch.ones(len(ids)), accumulate=True)
        return F.normalize(torch.log1p(counts) * model.term_idf[vocabulary], dim=1)

    vocabulary = torch.unique(torch.cat([scores.ids_p, scores.ids_q]))
    return bags(scores.ids_q, scores.slices_q) @ bags(scores.ids_p, scores.slices_p).T


def batch_losses(model: Verbatim, paragraphs: list[Paragraph], config: LossConfig, generator: torch.Generator, term_stop: Tensor):
    """Returns (total, dict of parts)."""
    scores = score_batch(model, paragraphs, config)
    questions, slices_p = scores.questions, scores.slices_p
    owner = torch.tensor([p for p, _ in questions])
    valid = torch.cat([torch.as_tensor(p.sentence) >= 0 for p in paragraphs])
    gold_start = torch.tensor([slices_p[p].start + q.start for p, q in questions])
    gold_end = torch.tensor([slices_p[p].start + q.end for p, q in questions])
    blocked = torch.where(valid, 0.0, NEGATIVE)[None]
    dense_start, dense_end = scores.dense[0] + blocked, scores.dense[1] + blocked
    full_start, full_end = dense_start + scores.sparse[0], dense_end + scores.sparse[1]
    parts: dict[str, Tensor] = {}

    def across(s: Tensor, e: Tensor) -> Tensor:
        return (F.cross_entropy(s, gold_start) + F.cross_entropy(e, gold_end)) / 2

    parts["batch"] = across(full_start, full_end)
    parts["batch_dense"] = across(dense_start, dense_end)

    # spans of each paragraph for its own questions, and for its two most similar foreign ones (DenSPI's negatives)
    with torch.no_grad():
        q_dense = torch.cat(scores.question, 1)
        similar = q_dense @ q_dense.T  # (Q, Q)
        matching = config.tfidf * tfidf_matching(model, scores) if config.concatenate else None
        articles = torch.tensor([par.article for par in paragraphs])
    own_loss, own_dense, none_loss, taught = [], [], [], []
    lengths = [s.stop - s.start for s in slices_p]
    stores = [(own_loss, full_start.split(lengths, 1), full_end.split(lengths, 1)), (own_dense, dense_start.split(lengths, 1), dense_end.split(lengths, 1))]
    c1, c2 = scores.coherency[0].split(lengths), scores.coherency[1].split(lengths)
    for p, (paragraph, s) in enumerate(zip(paragraphs, slices_p)):
        body = slice(paragraph.first, s.stop - s.start - 1)
        mine = torch.nonzero(owner == p).flatten()
        if len(mine) == 0:
            continue
        closeness = similar[mine].amax(0)
        others = owner != p
        same = others & (articles[owner] == paragraph.article)
        foreign = others & (articles[owner] != paragraph.article)
        picks = [torch.where(m, closeness, -1e9).argmax() for m in (same, foreign) if m.any()]
        asked = torch.cat([mine, torch.stack(picks)]) if picks else mine
        n = len(mine)
        rival = int(owner[torch.where(others, closeness, -1e9).argmax()]) if config.concatenate and others.any() else None
        pair = pair_logits(c1[p][body], c2[p][body], scores.question[2][asked], config.window)
        first = torch.tensor([questions[i][1].start - paragraph.first for i in mine.tolist()])
        last = torch.tensor([questions[i][1].end - paragraph.first for i in mine.tolist()])
        width = last - first
        gold = torch.where(width < config.window, first * config.window + width, -100)
        for store, all_starts, all_ends in stores:
            starts, ends = all_starts[p][asked][:, body], all_ends[p][asked][:, body]
            spans = span_logits(starts, ends, pair, config.window).flatten(1)
            with_none = torch.cat([spans, model.no_answer.expand(len(asked), 1)], 1)
            joined, joined_starts, joined_ends = with_none[:n], starts[:n], ends[:n]
            if rival is not None:
                s2 = slices_p[rival]
                other = slice(paragraphs[rival].first, s2.stop - s2.start - 1)
                here, there = matching[mine, p][:, None], matching[mine, rival][:, None]
                starts2, ends2 = all_starts[rival][mine][:, other] + there, all_ends[rival][mine][:, other] + there
                pair2 = pair_logits(c1[rival][other], c2[rival][other], scores.question[2][mine], config.window)
                own_spans = torch.cat([spans[:n] + 2 * here, with_none[:n, -1:]], 1)
                joined = torch.cat([own_spans, span_logits(starts2, ends2, pair2, config.window).flatten(1)], 1)
                joined_starts, joined_ends = torch.cat([starts[:n] + here, starts2], 1), torch.cat([ends[:n] + here, ends2], 1)
            joint = F.cross_entropy(joined, gold, ignore_index=-100, reduction="sum") / n
            one = F.cross_entropy(joined_starts, first)
            two = F.cross_entropy(joined_ends, last)
            store.append((joint / 2 + (one + two) / 4) * n)
            if config.distil and all(questions[i][1].teacher is not None for i in mine.tolist()):
                guide = torch.stack([torch.as_tensor(questions[i][1].teacher) for i in mine.tolist()]).float()  # (n, 2, t)
                share = 1.0 if store is own_loss else config.dense_only
                taught.append(share * n * (imitation(starts[:n], guide[:, 0], config.temperature) + imitation(ends[:n], guide[:, 1], config.temperature)) / 2)
            if store is own_loss and len(asked) > n:
                none_loss.append(-torch.log_softmax(with_none[n:], 1)[:, -1].mean())
    total_questions = len(questions)
    parts["own"] = torch.stack(own_loss).sum() / total_questions
    parts["own_dense"] = torch.stack(own_dense).sum() / total_questions
    parts["distil"] = torch.stack(taught).sum() / total_questions if taught else torch.zeros(())
    parts["no_answer"] = torch.stack(none_loss).mean() if none_loss else torch.zeros(())

    # filter: "an answer starts (ends) here", without the question
    label = torch.zeros(len(valid), 2)
    label[gold_start, 0] = 1
    label[gold_end, 1] = 1
    parts["keep"] = F.binary_cross_entropy_with_logits(scores.keep[valid], label[valid], pos_weight=torch.tensor(8.0))

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


def term_losses(model, paragraphs, scores: Scores, config, generator, term_stop) -> dict[str, Tensor]:
    """SPARTA over all sentences and passages of the batch; source tokens in the stop list never
    pool (they still count as question terms)."""
    questions, hp, ids_p, slices_p, ids_q, slices_q = scores.questions, scores.hidden, scores.ids_p, scores.slices_p, scores.ids_q, scores.slices_q
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
    group = torch.where(unit[rows] >= 0, unit[rows], units - 2 - unit[rows])  # titles become separate units after the sentences
    vectors = model.term_vectors(hp[rows], ids_p[rows])
    special = model.special(ids_q)
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
