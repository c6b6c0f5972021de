"""Decodes a question writer (question_writer.py): proposes answers in passages, and asks for each of them.

Keys and values of a passage are computed once; those of a question's tokens are appended step by step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from data import CLS, PAD, SEP, Paragraph
from question_writer import ANSWER, MOST_ANSWER, NEGATIVE, PASSAGE, QUESTION, STYLES, Writer, word_likelihoods

MOST_TOKENS = 32  # of a question
SHRINK = 0.7  # rows are dropped when fewer than this share of them is left, because dropping copies the others
STARTS, SPANS = 24, 40  # first tokens of answers, and answers, that are considered, of a passage and style


@dataclass(frozen=True)
class Asked:
    start: int  # first and last token of the answer in the passage's ids
    end: int
    style: int
    ids: tuple[int, ...]  # the question's tokens
    likelihood: float  # mean log-likelihood of a token


Heads = list[tuple[Tensor, Tensor]]  # keys and values of each layer


@dataclass
class Passages:
    """B passages that have been encoded, padded to P tokens."""

    hidden: Tensor  # (B, P, h)
    heads: Heads  # (B, heads, P, d) each
    bias: Tensor  # (B, 1, 1, P)
    inside: Tensor  # (B, P) bool: where answers may begin
    ids: Tensor  # (B, P)
    copied: Tensor  # (B, P) bool: what questions may copy
    copy_keys: Tensor  # (B, P, h)

    def rows(self, kept: Tensor) -> Passages:
        arrays = (self.bias, self.inside, self.ids, self.copied, self.copy_keys)
        return Passages(self.hidden[kept], [(k[kept], v[kept]) for k, v in self.heads], *(x[kept] for x in arrays))


def encode(writer: Writer, paragraphs: list[Paragraph]) -> Passages:
    width = max(len(p.ids) for p in paragraphs)
    ids = torch.from_numpy(np.stack([np.pad(p.ids, (0, width - len(p.ids))) for p in paragraphs]))
    columns = torch.arange(width)
    ends = torch.tensor([len(p.ids) for p in paragraphs])[:, None]
    firsts = torch.tensor([p.first for p in paragraphs])[:, None]
    x = writer.embedded(ids, columns.expand_as(ids), torch.full_like(ids, PASSAGE), torch.full_like(ids, -1))
    bias = torch.where(columns < ends, 0.0, NEGATIVE)[:, None, None].to(x.dtype)
    heads: Heads = []
    for layer in writer.encoder.layers:
        qkv = layer.qkv(x)
        _, k, v = split(qkv, layer.heads)
        heads.append((k.contiguous(), v.contiguous()))
        x = layer.feed_forward(x, layer.attend(qkv, bias))
    copied = (columns < ends) & (ids != CLS) & (ids != SEP)
    return Passages(x, heads, bias, (columns >= firsts) & (columns < ends - 1), ids, copied, writer.copy_key(x))


def split(qkv: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """(N, t, 3 h) -> queries, keys, values (N, heads, t, d)"""
    return qkv.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)


def propose(writer: Writer, passages: Passages, wanted: np.ndarray, temperature: float, generator: torch.Generator) -> list[list[tuple[int, int, int]]]:
    """Answers (start, end, style) of each passage, drawn without replacement by p(start) p(end | start) among the
    SPANS likeliest ones.

    @param wanted  (B, styles): how many answers of each style
    """
    hidden = passages.hidden.float()
    starts = torch.log_softmax(writer.answer_start(passages.hidden).float().masked_fill(~passages.inside[..., None], NEGATIVE), 1)  # (B, P, styles)
    columns = torch.arange(hidden.shape[1])
    found: list[list[tuple[int, int, int]]] = []
    for row, counts in enumerate(wanted.tolist()):
        taken: set[tuple[int, int]] = set()
        found.append([])
        for style, count in enumerate(counts):
            if count == 0:
                continue
            best, first = starts[row, :, style].topk(min(STARTS, int(passages.inside[row].sum())))
            ends = writer.end_logits(passages.hidden[row, first], passages.hidden[row].expand(len(first), -1, -1)).float()
            distance = columns[None] - first[:, None]
            allowed = passages.inside[row] & (distance >= 0) & (distance < MOST_ANSWER)
            spans = (best[:, None] + torch.log_softmax(ends.masked_fill(~allowed, NEGATIVE), 1)).masked_fill(~allowed, NEGATIVE).flatten()
            likely, places = spans.topk(min(SPANS, int(allowed.sum())))
            noise = -torch.log(-torch.log(torch.rand(likely.shape, generator=generator).clamp(1e-9, 1 - 1e-7)))  # Gumbel: the largest are a draw
            for place in places[(likely / temperature + noise).argsort(descending=True)].tolist():
                start, end = int(first[place // len(columns)]), place % len(columns)
                if (start, end) not in taken and count > 0:
                    taken.add((start, end))
                    found[-1].append((start, end, style))
                    count -= 1
    return found


class Decoder:
    """Questions that are being written, A about each of B passages: N = B · A rows, passage after passage."""

    def __init__(self, writer: Writer, passages: Passages, each: int, most: int):
        self.writer, self.passages, self.each = writer, passages, each
        first = passages.heads[0][0]
        count, heads, _, d = first.shape
        self.own = [(first.new_zeros(count * each, heads, most, d), first.new_zeros(count * each, heads, most, d)) for _ in passages.heads]
        self.seen = torch.zeros(count * each, most, dtype=torch.bool)  # own tokens that later ones see
        self.length = 0

    def together(self, x: Tensor) -> Tensor:
        """Rows (N, heads, t, d) -> those of a passage next to one another (B, heads, A · t, d)"""
        return x.unflatten(0, (-1, self.each)).transpose(1, 2).flatten(2, 3)

    def apart(self, x: Tensor) -> Tensor:
        """The inverse: (B, heads, A · t, d) -> (N, heads, t, d)"""
        return x.unflatten(2, (self.each, -1)).transpose(1, 2).flatten(0, 1)

    def advance(self, x: Tensor, seen: Tensor, bias: Tensor) -> Tensor:
        """x (N, t, h) embedded tokens, seen (N, t), bias (N, 1, t, length + t) among own tokens -> hidden (N, t, h)"""
        now = slice(self.length, self.length + x.shape[1])
        self.length = now.stop
        self.seen[:, now] = seen
        for layer, (k, v), (own_k, own_v) in zip(self.writer.encoder.layers, self.passages.heads, self.own):
            query, own_k[:, :, now], own_v[:, :, now] = split(layer.qkv(x), layer.heads)
            query = query * query.shape[-1] ** -0.5
            far = self.apart(self.together(query) @ k.transpose(-1, -2) + self.passages.bias)
            near = query @ own_k[:, :, : self.length].transpose(-1, -2) + bias
            shares = torch.softmax(torch.cat([far, near], -1), -1)
            far, near = shares.split([k.shape[2], self.length], -1)
            mixed = self.apart(self.together(far) @ v) + near @ own_v[:, :, : self.length]
            x = layer.feed_forward(x, mixed.transpose(1, 2).flatten(2))
        return x

    def begin(self, ids: list[np.ndarray], places: list[np.ndarray], styles: Tensor) -> Tensor:
        """Answers' tokens, then the style: hidden rows at the styles (N, h)."""
        width = max(map(len, ids))
        token = torch.from_numpy(np.stack([np.pad(x, (0, width - len(x))) for x in ids]))
        place = torch.from_numpy(np.stack([np.pad(x, (0, width - len(x))) for x in places]))
        known = torch.arange(width) < torch.tensor([len(x) for x in ids])[:, None]
        embed, none = self.writer.embedded, torch.full_like(token, -1)
        x = torch.cat([embed(token, place, torch.full_like(token, ANSWER), none), self.embedded(torch.full_like(styles, PAD), 0, styles)], 1)
        seen = torch.cat([known, torch.ones(len(token), 1, dtype=torch.bool)], 1)
        visible = seen[:, None].repeat(1, width + 1, 1)
        visible[:, :width, width] = False  # an answer does not see its style
        return self.advance(x, seen, torch.where(visible, 0.0, NEGATIVE)[:, None].to(x.dtype))[:, -1]

    def embedded(self, token: Tensor, place: int, styles: Tensor) -> Tensor:
        """Of the next token of each question (N,): (N, 1, h)"""
        token = token[:, None]
        return self.writer.embedded(token, torch.full_like(token, place), torch.full_like(token, QUESTION), styles[:, None])

    def next(self, token: Tensor, place: int) -> Tensor:
        x = self.embedded(token, place, torch.full_like(token, -1))
        seen = torch.cat([self.seen[:, : self.length], torch.ones(len(token), 1, dtype=torch.bool)], 1)
        return self.advance(x, seen[:, -1:], torch.where(seen, 0.0, NEGATIVE)[:, None, None].to(x.dtype))[:, 0]

    def likelihoods(self, hidden: Tensor) -> Tensor:
        """Of every next word, after the hidden rows (N, h)."""
        given = self.passages
        copies = self.writer.copy_query(hidden).unflatten(0, (-1, self.each)) @ given.copy_keys.transpose(-1, -2) * hidden.shape[-1] ** -0.5
        ids, copied = (x.repeat_interleave(self.each, 0) for x in (given.ids, given.copied))
        return word_likelihoods(self.writer, hidden, copies.flatten(0, 1), ids, copied)

    def keep(self, passages: Tensor, rows: Tensor, each: int) -> None:
        """Drops all rows but `rows`: `each` about each of the kept `passages`."""
        self.passages, self.each = self.passages.rows(passages), each
        self.own = [(k[rows], v[rows]) for k, v in self.own]
        self.seen = self.seen[rows]


def draw_tokens(likelihood: Tensor, temperature: float, mass: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """One token of each row of log-likelihoods, among the likeliest that have `mass` of the probability together
    (Holtzman et al. 2020, §3.1), and its log-likelihood. Temperature 0: the likeliest one."""
    likelihood[:, PAD] = NEGATIVE
    best, tokens = likelihood.topk(50, 1)
    if temperature == 0:
        return tokens[:, 0], best[:, 0]
    shares = torch.softmax(best / temperature, 1)
    shares = shares.masked_fill(shares.cumsum(1) - shares >= mass, 0.0)
    drawn = torch.multinomial(shares, 1, generator=generator)
    return tokens.gather(1, drawn)[:, 0], best.gather(1, drawn)[:, 0]


def grid(owners: list[int]) -> list[list[int]]:
    """Places in the list `owners` of what belongs to the same owner, filled up to equal lengths with -1."""
    groups: dict[int, list[int]] = {}
    for place, owner in enumerate(owners):
        groups.setdefault(owner, []).append(place)
    width = max(map(len, groups.values()))
    return [places + [-1] * (width - len(places)) for _, places in sorted(groups.items())]


@torch.no_grad()
def ask(
    writer: Writer, passages: Passages, paragraphs: list[Paragraph], answers: list[list[tuple[int, int, int]]], *, temperature: float, mass: float, generator: torch.Generator
) -> list[list[Asked]]:
    """A question for each proposed answer; one that is not complete after MOST_TOKENS tokens is left out.
    `temperature` and `mass` as `draw_tokens` takes them."""
    made: list[list[Asked]] = [[] for _ in paragraphs]
    wanted = [(row, *one) for row, some in enumerate(answers) for one in some]
    if not wanted:
        return made
    cells = grid([row for row, *_ in wanted])
    rows = [number for group in cells for number in group]  # the question of each row, -1 for none, or once it is complete
    about = [wanted[max(number, group[0])] for group in cells for number in group]  # a row of none asks what the group's first one does
    copied = [np.arange(start, end + 1)[:MOST_ANSWER] for _, start, end, _ in about]
    decoder = Decoder(writer, passages.rows(torch.tensor([wanted[group[0]][0] for group in cells])), len(cells[0]), max(map(len, copied)) + 1 + MOST_TOKENS)
    hidden = decoder.begin([paragraphs[one[0]].ids[places] for one, places in zip(about, copied)], copied, torch.tensor([style for *_, style in about]))
    written: list[list[int]] = [[] for _ in wanted]
    sums = [0.0] * len(wanted)
    for place in range(1, MOST_TOKENS + 1):
        token, likelihood = draw_tokens(decoder.likelihoods(hidden), temperature, mass, generator)
        for at, (number, one, gain) in enumerate(zip(rows, token.tolist(), likelihood.tolist())):
            if number < 0:
                continue
            sums[number] += gain
            if one != SEP:
                written[number].append(one)
                continue
            rows[at] = -1
            if written[number]:
                row, start, end, style = wanted[number]
                made[row].append(Asked(start, end, style, tuple(written[number]), sums[number] / (len(written[number]) + 1)))
        left = [at for at, number in enumerate(rows) if number >= 0]
        if not left:
            break
        if len(left) < SHRINK * len(rows):
            groups = grid([at // decoder.each for at in left])
            cells = [left[max(at, group[0])] for group in groups for at in group]
            numbers = [rows[left[at]] if at >= 0 else -1 for group in groups for at in group]
            decoder.keep(torch.tensor([left[group[0]] // decoder.each for group in groups]), torch.tensor(cells), len(groups[0]))
            rows, token = numbers, token[cells]
        hidden = decoder.next(token, place)
    return made


def style_numbers(shares: dict[str, float]) -> np.ndarray:
    """Shares of the styles by their numbers, which add up to 1."""
    made = np.array([shares.get(style, 0.0) for style in STYLES])
    return made / made.sum()
