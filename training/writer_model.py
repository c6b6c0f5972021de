"""The question writer: the base encoder with UniLM's mask (Dong et al. 2019, §2.3,
"sequence-to-sequence").

    ids      [CLS] title [SEP] passage [SEP] question [SEP]
    kinds    0 the source, 1 the answer's tokens in it, 2 the question
    mask     source tokens see the source; a question token sees the source and the question up to itself
    logits   of the next token, from a question token (the first one from the source's last [SEP]): E · norm(gelu(W h)) + b, E the word table

A question is drawn token by token; keys and values of what is already there are kept, so a token
costs one row of the network.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model import Encoder, Shape

NEGATIVE = -1e4
SOURCE, ANSWER, QUESTION = 0, 1, 2
SEP = 102


class Writer(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape)
        self.kinds = nn.Embedding(3, shape.hidden)
        self.transform = nn.Linear(shape.hidden, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(shape.vocabulary))
        nn.init.normal_(self.kinds.weight, std=0.02)
        with torch.no_grad():
            self.kinds.weight[SOURCE] = 0

    def rows(self, ids: Tensor, kinds: Tensor, first: int) -> Tensor:
        """Input rows of tokens whose first one is at position `first`."""
        e = self.encoder
        return e.norm(e.words(ids) + e.places.weight[first : first + ids.shape[1]] + self.kinds(kinds))

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """ids, kinds, mask (B, T) -> hidden rows (B, T, h). `mask` is false for padding, which only
        follows the question."""
        steps = torch.arange(ids.shape[1])
        asked = kinds == QUESTION
        seen = mask[:, None, :] & (~asked[:, None, :] | (asked[:, :, None] & (steps[None, None, :] <= steps[None, :, None])))
        bias = torch.where(seen, 0.0, NEGATIVE)[:, None]
        if torch.is_autocast_enabled(ids.device.type):
            bias = bias.to(torch.bfloat16)
        x = self.rows(ids, kinds, 0)
        for layer in self.encoder.layers:
            x = layer.feed_forward(x, layer.attend(layer.qkv(x), bias), dropout=self.encoder.dropout)
        return x

    def next(self, hidden: Tensor) -> Tensor:
        """(N, h) -> logits (N, vocabulary) of the token that follows, fp32."""
        x = self.norm(F.gelu(self.transform(hidden)).float())
        return (x @ self.encoder.words.weight.T + self.bias).float()


def writer_loss(writer: Writer, ids: Tensor, kinds: Tensor, mask: Tensor, smoothing: float = 0.0) -> Tensor:
    """Mean cross-entropy of the questions' tokens, their closing [SEP] included."""
    hidden = writer(ids, kinds, mask)
    wanted = (kinds[:, 1:] == QUESTION) & mask[:, 1:]
    return F.cross_entropy(writer.next(hidden[:, :-1][wanted]), ids[:, 1:][wanted], label_smoothing=smoothing)


class Memory:
    """Keys and values of each layer for B sequences: (B, heads, T, d)."""

    def __init__(self, layers: int):
        self.layers: list[tuple[Tensor, Tensor] | None] = [None] * layers

    def add(self, number: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        known = self.layers[number]
        self.layers[number] = (key, value) if known is None else (torch.cat([known[0], key], 2), torch.cat([known[1], value], 2))
        return self.layers[number]


def read(writer: Writer, memory: Memory, ids: Tensor, kinds: Tensor, first: int) -> Tensor:
    """Passes tokens (B, n) that see each other and all that `memory` holds; adds theirs to it.
    @returns hidden rows (B, n, h)"""
    heads = writer.shape.attention_heads
    x = writer.rows(ids, kinds, first)
    count, length, width = x.shape
    for number, layer in enumerate(writer.encoder.layers):
        query, key, value = layer.qkv(x).view(count, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        key, value = memory.add(number, key, value)
        attention = torch.softmax(query @ key.transpose(-1, -2) / (width // heads) ** 0.5, -1)
        x = layer.feed_forward(x, (attention @ value).transpose(1, 2).reshape(count, length, width), dropout=0.0)
    return x


@torch.no_grad()
def draw(writer: Writer, ids: Tensor, kinds: Tensor, most: int, top: float, temperature: float, generator: torch.Generator) -> list[tuple[list[int], float]]:
    """One question for each source (B, T; all of one length): its token ids, and the mean
    log-probability of them and of the end.

    Each token is drawn from the smallest set of likely tokens whose probability reaches `top`
    (nucleus; Holtzman et al. 2020)."""
    memory = Memory(writer.shape.layers)
    hidden = read(writer, memory, ids, kinds, 0)[:, -1]
    count, place = len(ids), ids.shape[1]
    words: list[list[int]] = [[] for _ in range(count)]
    sums, done = torch.zeros(count), torch.zeros(count, dtype=torch.bool)
    for _ in range(most):
        logs = torch.log_softmax(writer.next(hidden), 1)
        chances, order = torch.softmax(writer.next(hidden) / temperature, 1).sort(1, descending=True)
        chances = chances.masked_fill(chances.cumsum(1) - chances >= top, 0.0)
        token = order.gather(1, torch.multinomial(chances, 1, generator=generator))
        sums = sums + torch.where(done, 0.0, logs.gather(1, token)[:, 0])
        for i, one in enumerate(token[:, 0].tolist()):
            if not done[i] and one != SEP:
                words[i].append(one)
        done = done | (token[:, 0] == SEP)
        if bool(done.all()):
            break
        hidden = read(writer, memory, token, torch.full_like(token, QUESTION), place)[:, -1]
        place += 1
    return [(tokens, float(total) / (len(tokens) + 1)) for tokens, total in zip(words, sums)]
