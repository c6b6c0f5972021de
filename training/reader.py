"""The reader: one network that reads a question and a passage together. It answers better than
phrase search, costs one pass per passage, and teaches the encoder.

    ids      [CLS] question [SEP] title [SEP] passage [SEP]                    kinds  0 for the question's part, 1 for the rest
    span     start and end logits of every passage token: s_i = ws·h_i, e_j = we·h_j
    answer   logit that the passage answers the question at all: wa·h_CLS

Loss of a question with its passages P: its own passage and, for some questions, one that does not
answer (another one of the same article, or its own without the answer's sentences, negatives.py):

    -log  Σ_gold exp(s_i) / Σ_{p in P} Σ_i exp(s_pi)    and the same for e      normalised over all passages (Clark & Gardner 2018, §3.3)
    + binary cross-entropy of the answer logit of every passage, and of some questions that were altered so that their passage does not answer

    python reader.py --config runs/reader.json --data SQUAD_TRAIN.json --out work/reader
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from data import Paragraph, Question, load_squad, split_held_out
from text_base import base_folder, load_tokenizer
from model import Encoder, Shape, half, load_base, restore
from negatives import Alterations, cut
from run import Run, begin

NEGATIVE = -1e4


class Reader(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape)
        self.kinds = nn.Embedding(2, shape.hidden)
        self.span = nn.Linear(shape.hidden, 2)
        self.answer = nn.Linear(shape.hidden, 1)
        nn.init.zeros_(self.kinds.weight)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """ids, kinds, mask (B, T) -> start, end logits (B, T) in fp32, answer logits (B,). The
        caller masks logits outside the passage."""
        e = self.encoder
        x = e.norm(e.words(ids) + e.places.weight[: ids.shape[1]] + self.kinds(kinds))
        bias = torch.where(mask, 0.0, NEGATIVE)[:, None, None, :].to(torch.bfloat16 if torch.is_autocast_enabled(x.device.type) else x.dtype)
        for layer in e.layers:
            x = layer.feed_forward(x, layer.attend(layer.qkv(x), bias), dropout=e.dropout)
        x = x.float()
        with half(False):
            start, end = self.span(x).unbind(-1)
            return start, end, self.answer(x[:, 0])[:, 0]


def load_reader_base(shape: Shape, base: str | None = None) -> Reader:
    from safetensors.torch import load_file

    reader = Reader(shape)
    reader.encoder.load_state_dict(load_base(shape, base_folder(base)).encoder.state_dict())
    weights = load_file(str(base_folder(base) / "model.safetensors"))
    kinds = weights[next(k for k in weights if k.endswith("token_type_embeddings.weight"))]
    with torch.no_grad():
        reader.kinds.weight[1] = kinds[1] - kinds[0]  # kind 0 is folded into the places
    return reader


def sequence(question: Question, paragraph: Paragraph) -> np.ndarray:
    """Token ids of the pair; a passage token at `p` in the paragraph's ids is at `p +
    len(question.ids) - 1` here."""
    return np.concatenate([question.ids, paragraph.ids[1:]])


Pair = tuple[int, int, int]  # paragraph, number of its question, paragraph that is read; the answer is in it if both paragraphs are the same


class Pairs:
    """All (question, passage) pairs of an epoch: every question with its own paragraph and, for
    shares of the questions, a pair without an answer:

    other    another paragraph       cut      its own one without the answer's sentences
    altered    its own one, with a changed question

    `paragraphs` holds the given ones, then those made for the epoch.
    """

    def __init__(self, paragraphs: list[Paragraph], seed: int, tokenizer: Tokenizer | None = None):
        self.given, self.paragraphs, self.seed = paragraphs, list(paragraphs), seed
        self.by_article: dict[int, list[int]] = {}
        for index, paragraph in enumerate(paragraphs):
            self.by_article.setdefault(paragraph.article, []).append(index)
        count = Counter(int(t) for p in paragraphs for t in set(p.ids.tolist()))
        self.idf = {t: math.log(1 + len(paragraphs) / n) for t, n in count.items()}
        self.sets = [set(p.ids[p.first : -1].tolist()) for p in paragraphs]
        self.alterations = None if tokenizer is None else Alterations(tokenizer, paragraphs)

    def tokens(self, batch: list[list[Pair]]) -> int:
        return sum(len(self.paragraphs[p].questions[q].ids) + len(self.paragraphs[r].ids) - 1 for asked in batch for p, q, r in asked)

    def negative(self, rng: random.Random, index: int, question: Question) -> int | None:
        """A paragraph without the answer: the one that shares most with the question, out of 12 of
        the same article (one time in six, of the whole set)."""
        pool = self.by_article[self.given[index].article]
        if rng.random() < 1 / 6 or len(pool) < 3:
            pool = range(len(self.given))
        answer = question.answers[0].lower()
        asked = set(question.ids[1:-1].tolist())
        best, found = -1.0, None
        for candidate in rng.sample(pool, min(12, len(pool))):
            if candidate == index or answer in self.paragraphs[candidate].text.lower():
                continue
            shared = sum(self.idf.get(t, 0.0) for t in asked & self.sets[candidate])
            if shared > best:
                best, found = shared, candidate
        return found

    def made(self, paragraph: Paragraph | None) -> int | None:
        """Adds a paragraph that was made for the epoch. @returns its index"""
        if paragraph is None:
            return None
        self.paragraphs.append(paragraph)
        return len(self.paragraphs) - 1

    def unanswerable(self, rng: random.Random, index: int, place: int, shares: dict[str, float]) -> tuple[str, Pair] | None:
        """Draws whether the question gets a pair without an answer. @returns its kind and the pair,
        if one can be made"""
        paragraph, drawn = self.given[index], rng.random()
        question = paragraph.questions[place]
        for kind, share in shares.items():
            if drawn >= share:
                drawn -= share
                continue
            if kind == "altered":
                other = None if self.alterations is None else self.alterations.altered(rng, paragraph, question)
                asks = self.made(None if other is None else replace(paragraph, questions=[other]))
                return None if asks is None else (kind, (asks, 0, index))
            read = self.made(cut(paragraph, question)) if kind == "cut" else self.negative(rng, index, question)
            return None if read is None else (kind, (index, place, read))
        return None

    def epoch(self, number: int, shares: dict[str, float], tokens: int) -> list[list[list[Pair]]]:
        """Batches of questions, each a list of its pairs, the gold pair first (an altered question
        has none). Similar lengths share a batch, which has at most `tokens` padded tokens."""
        rng = random.Random(self.seed * 7919 + number)
        del self.paragraphs[len(self.given) :]
        asked: list[list[Pair]] = []
        for index, paragraph in enumerate(self.given):
            for place, question in enumerate(paragraph.questions):
                if question.start < 0:
                    continue
                asked.append([(index, place, index)])
                if (found := self.unanswerable(rng, index, place, shares)) is not None:
                    kind, pair = found
                    if kind == "altered":
                        asked.append([pair])  # a separate question: its spans do not compete with the original's
                    else:
                        asked[-1].append(pair)
        rng.shuffle(asked)
        size = lambda pairs: max(len(self.paragraphs[p].questions[q].ids) + len(self.paragraphs[r].ids) - 1 for p, q, r in pairs)  # noqa: E731
        batches = []
        for at in range(0, len(asked), 4000):
            batch: list[list[Pair]] = []
            rows = longest = 0
            for pairs in sorted(asked[at : at + 4000], key=size):
                longest_then = max(longest, size(pairs))
                if batch and (rows + len(pairs)) * longest_then > tokens:
                    batches.append(batch)
                    batch, rows, longest_then = [], 0, size(pairs)
                batch.append(pairs)
                rows, longest = rows + len(pairs), longest_then
            batches.append(batch)
        rng.shuffle(batches)
        return batches


def tensors(paragraphs: list[Paragraph], pairs: list[Pair]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """ids, kinds, mask, passage mask: (B, T)."""
    rows = [sequence(paragraphs[p].questions[q], paragraphs[r]) for p, q, r in pairs]
    width = max(len(r) for r in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    kinds, mask, passage = torch.zeros_like(ids), torch.zeros(len(rows), width, dtype=torch.bool), torch.zeros(len(rows), width, dtype=torch.bool)
    for i, ((p, q, r), row) in enumerate(zip(pairs, rows)):
        asked = len(paragraphs[p].questions[q].ids)
        ids[i, : len(row)] = torch.as_tensor(row)
        kinds[i, asked : len(row)] = 1
        mask[i, : len(row)] = True
        passage[i, asked - 1 + paragraphs[r].first : len(row) - 1] = True
    return ids, kinds, mask, passage


def span_loss(logits: tuple[Tensor, Tensor], gold: tuple[Tensor, Tensor], first: Tensor, owner: Tensor) -> Tensor:
    """-log p(start) - log p(end), halved, mean over the rows that have a span; p is normalised over
    all rows of a question.
    @param logits  start and end (B, T), NEGATIVE outside the passage
    @param gold  positions of start and end, one for each of `first`
    @param first  rows with a span
    @param owner  (B,) number of each row's question, from 0
    """
    span = torch.zeros(())
    for given, positions in zip(logits, gold):
        each = torch.logsumexp(given, 1)
        peak = each.detach().max()
        whole = torch.zeros(len(owner)).index_add(0, owner, torch.exp(each - peak)).log() + peak
        span = span + (whole[owner[first]] - given[first, positions]).sum() / max(1, len(first)) / 2
    return span


def reader_loss(reader: Reader, paragraphs: list[Paragraph], batch: list[list[Pair]], bf16: bool) -> tuple[Tensor, dict[str, Tensor]]:
    pairs = [pair for asked in batch for pair in asked]
    ids, kinds, mask, passage = tensors(paragraphs, pairs)
    with half(bf16):
        start, end, answer = reader(ids, kinds, mask)
    start, end = start.masked_fill(~passage, NEGATIVE), end.masked_fill(~passage, NEGATIVE)
    first = torch.tensor([i for i, (p, _, r) in enumerate(pairs) if p == r], dtype=torch.long)
    owner = torch.tensor([i for i, asked in enumerate(batch) for _ in asked])
    questions = [paragraphs[p].questions[q] for p, q, r in pairs if p == r]
    gold_start = torch.tensor([q.start + len(q.ids) - 1 for q in questions], dtype=torch.long)
    gold_end = torch.tensor([q.end + len(q.ids) - 1 for q in questions], dtype=torch.long)
    span = span_loss((start, end), (gold_start, gold_end), first, owner)
    right = torch.tensor([float(p == r) for p, _, r in pairs])
    answerable = F.binary_cross_entropy_with_logits(answer, right)
    return span + 0.3 * answerable, {"span": span, "answerable": answerable}


@torch.no_grad()
def exact(reader: Reader, paragraphs: list[Paragraph], count: int, window: int = 20, bf16: bool = True) -> float:
    """Share of questions whose best span (i <= j < i + window) is the gold one, token for token: a
    quick figure while training."""
    pairs = [(i, q, i) for i, p in enumerate(paragraphs) for q, question in enumerate(p.questions) if question.start >= 0]
    random.Random(1).shuffle(pairs)
    pairs = sorted(pairs[:count], key=lambda x: len(paragraphs[x[0]].ids))
    hits = 0
    for at in range(0, len(pairs), 32):
        part = pairs[at : at + 32]
        ids, kinds, mask, passage = tensors(paragraphs, part)
        with half(bf16):
            start, end, _ = reader(ids, kinds, mask)
        start, end = start.masked_fill(~passage, NEGATIVE), end.masked_fill(~passage, NEGATIVE)
        spans = start[:, :, None] + F.pad(end, (0, window - 1), value=NEGATIVE).unfold(1, window, 1)
        best = spans.flatten(1).argmax(1)
        for (p, q, _), place in zip(part, best.tolist()):
            question = paragraphs[p].questions[q]
            shift = len(question.ids) - 1
            hits += (place // window, place // window + place % window) == (question.start + shift, question.end + shift)
    return hits / len(pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", help="initial weights (a model.pt), instead of the config's")
    args, config, out = begin(parser)
    paragraphs = load_squad(args.data, config["max_tokens"], out.parent / "cache", config.get("limit"))
    train, held = split_held_out(paragraphs, config["held_out"], config["held_out_seed"])
    pairs = Pairs(train, config["seed"], load_tokenizer())
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        reader, state = restore(checkpoint, Reader)
    elif start := args.start or config.get("start"):
        reader, state = restore(Path(start), Reader)[0], None
    else:
        shape = Shape(**config.get("shape", {}))
        reader, state = (load_reader_base(shape) if config.get("base", True) else Reader(shape)), None
    reader.encoder.words.weight.requires_grad_(False)
    group = {"params": [p for p in reader.parameters() if p.requires_grad], "factor": config["rate"], "weight_decay": 0.01}
    run = Run(out, reader, [group], config, state)
    bf16 = config.get("bf16", False)
    for batch in run.batches(lambda epoch: pairs.epoch(epoch, config["negatives"], config["batch_tokens"])):
        reader.encoder.dropout = config.get("dropout", 0.0)
        loss, parts = reader_loss(reader, pairs.paragraphs, batch, bf16)
        reader.encoder.dropout = 0.0
        run.learn(loss, parts, pairs.tokens(batch))
        if (row := run.row(config.get("log_every", 50))) is not None:
            if run.crossed(config.get("held_out_every", 1000)):
                row["heldOutExact"] = round(exact(reader, held, 600, bf16=bf16), 4)
            run.write(row)
        run.checkpoint()
    run.finish()


if __name__ == "__main__":
    main()
