"""One network for three systems: a BERT-shaped encoder with the heads of DenSPI, SPARC and SPARTA.

    H = Encoder(ids)                                            (T, 384)
    DenSPI   start a = Wa H, end b = Wb H, coherency c1 = W1 H, c2 = W2 H; question: its own maps of the [CLS] row
    SPARC    S = relu(Q K' / sqrt(d)), zero diagonal, specials masked; start/end × n-gram order; question: [CLS] row, same maps
    SPARTA   s_j = (1 + g(h_j)) W (E_{x_j} - mean) + V h_j,  e_t = W (E_t - mean),
             weight(t, unit) = gain_t · log(1 + relu(max_{j in unit} e_t · s_j + b))

Linear layers run on one flat list of tokens (no padding is multiplied); only attention sees padded
groups of like length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn


LEXICAL_NORM = 1.1052  # median norm of all-MiniLM-L6-v2's word embeddings without their mean


@dataclass
class Shape:
    vocabulary: int = 30522
    hidden: int = 384
    layers: int = 6
    attention_heads: int = 12
    inner: int = 1536
    positions: int = 512
    dense: int = 128  # start and end vectors, each
    coherency: int = 32  # c1 and c2, each
    ngram: int = 64  # queries and keys of each n-gram attention
    orders: int = 2  # unigrams, bigrams, … up to this order; what ships has 2
    term: int = 192  # term vectors
    vector: int = 0  # passage and question vectors; 0: none, passage_vectors.py adds them to an exported model
    specials: tuple[int, ...] = (0, 101, 102)  # ids of [PAD], [CLS] and [SEP]
    # How start, end and coherency are made from hidden rows:
    #   "apart"   linear maps for passages, and one of its own for the question's [CLS] row (what ships)
    #   "shared"  the same linear maps for both (ablation)
    #   "split"   no map: the hidden row itself in four pieces (DenSPI §4.1), 2 (dense + coherency) = hidden (ablation)
    # In the last two a question's coherency is one number, c' = c1' · c2' (DenSPI Eq. 5), which question.bin has no place for.
    heads: str = "apart"


class Gather(torch.autograd.Function):
    """x (N, h) -> rows `index` (M,), where N stands for a row of zeros and every row of x is used
    exactly once, so that the gradient is a gather too, by `inverse` (N,). Indexing would add up the
    gradient row by row instead."""

    @staticmethod
    def forward(ctx, x: Tensor, index: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(inverse)
        return F.pad(x, (0, 0, 0, 1)).index_select(0, index)

    @staticmethod
    def backward(ctx, gradient: Tensor):
        return gradient.index_select(0, ctx.saved_tensors[0]), None, None


class Ungather(torch.autograd.Function):
    """The inverse: rows `inverse` (N,) of the padded groups (M, h); padding gets a gradient of
    zero."""

    @staticmethod
    def forward(ctx, x: Tensor, index: Tensor, inverse: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        return x.index_select(0, inverse)

    @staticmethod
    def backward(ctx, gradient: Tensor):
        return F.pad(gradient, (0, 0, 0, 1)).index_select(0, ctx.saved_tensors[0]), None, None


def fake_int8(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    """What dynamic int8 quantisation makes of a product: 8-bit activations with one step per
    tensor, 8-bit weights with one per row.

    The gradient passes as if nothing had been rounded (straight through). Jacob et al. 2018, §3;
    ONNX Runtime's MatMulInteger.
    """
    with torch.no_grad():
        low, high = x.amin().clamp(max=0).float(), x.amax().clamp(min=0).float()
        step = ((high - low) / 255).clamp(min=1e-8)
        zero = torch.round(-low / step)
        rounded = (torch.clamp(torch.round(x / step) + zero, 0, 255) - zero) * step
        scale = w.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        weights = torch.round(w / scale) * scale
    return x + (rounded - x).detach(), w + (weights - w).detach()


def linear(layer: nn.Linear, x: Tensor, int8: bool) -> Tensor:
    """x · weightᵀ + bias, with the rounding of int8 if asked for: the last steps of training see
    what will ship."""
    if not int8:
        return layer(x)
    x, w = fake_int8(x, layer.weight)
    return F.linear(x, w, layer.bias)


class Layer(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        h = shape.hidden
        self.heads = shape.attention_heads
        self.qkv = nn.Linear(h, 3 * h)
        self.out = nn.Linear(h, h)
        self.norm1 = nn.LayerNorm(h, eps=1e-12)
        self.up = nn.Linear(h, shape.inner)
        self.down = nn.Linear(shape.inner, h)
        self.norm2 = nn.LayerNorm(h, eps=1e-12)

    def forward(self, x: Tensor, groups: list[tuple[Tensor, Tensor]], inverse: Tensor, int8: bool = False, dropout: float = 0.0) -> Tensor:
        """x (N, h) flat; groups of (index (B, T) into x with N for padding, bias (B, 1, 1, T));
        inverse (N,) back to flat order."""
        whole = torch.cat([index.flatten() for index, _ in groups])
        padded = Gather.apply(linear(self.qkv, x, int8), whole, inverse).split([index.numel() for index, _ in groups])
        parts = [self.attend(rows.view(*index.shape, -1), bias.to(rows.dtype)).flatten(0, 1) for (index, bias), rows in zip(groups, padded)]
        return self.feed_forward(x, Ungather.apply(torch.cat(parts), whole, inverse), int8, dropout)

    def attend(self, qkv: Tensor, bias: Tensor) -> Tensor:
        """Self-attention of a padded group: qkv (B, T, 3 h), bias (B, 1, 1, T) -> (B, T, h), before
        the output's product."""
        b, t, width = qkv.shape
        q, k, v = qkv.view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if qkv.is_cuda:  # one kernel; on a processor it is several times slower in bf16 than three products
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        else:
            mixed = torch.softmax((q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + bias, dim=-1) @ v
        return mixed.transpose(1, 2).reshape(b, t, width // 3)

    def feed_forward(self, x: Tensor, mixed: Tensor, int8: bool = False, dropout: float = 0.0) -> Tensor:
        """The rest of the layer: x its input, mixed what attention made of it; both (..., h).
        `dropout`: of both branches, while training."""
        x = self.norm1(x + F.dropout(linear(self.out, mixed, int8), dropout))
        return self.norm2(x + F.dropout(linear(self.down, F.gelu(linear(self.up, x, int8)), int8), dropout))


class Encoder(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.words = nn.Embedding(shape.vocabulary, shape.hidden)
        self.places = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.int8 = False  # round as int8 will, for the last steps of training
        self.dropout = 0.0  # share of each branch's outputs that a training step leaves out; 0 outside of training

    def forward(self, ids: Tensor, position: Tensor, groups, inverse) -> Tensor:
        for x in self.states(ids, position, groups, inverse):
            pass
        return x

    def states(self, ids: Tensor, position: Tensor, groups, inverse) -> Iterator[Tensor]:
        """The normalised embeddings, then each layer's output: layers + 1 times (N, h)."""
        x = self.norm(self.words(ids) + self.places(position))
        yield x
        for layer in self.layers:
            x = layer(x, groups, inverse, self.int8, self.dropout)
            yield x


def gram_masks(special: Tensor, orders: int) -> Tensor:
    """special (..., T) -> (..., 2 orders, T): 1 where the n-gram that begins at a token has no
    special in it; start's orders, then end's."""
    masks = [(~special).float()]
    for order in range(1, orders):
        masks.append(masks[-1] * F.pad(masks[0][..., order:], (0, min(order, special.shape[-1]))))
    return torch.stack(masks * 2, -2)


class Verbatim(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        h = shape.hidden
        self.encoder = Encoder(shape)
        if shape.heads != "split":
            self.start, self.end = nn.Linear(h, shape.dense), nn.Linear(h, shape.dense)
            self.coherency = nn.Linear(h, 2 * shape.coherency)
        elif 2 * (shape.dense + shape.coherency) != h:
            raise ValueError(f"a hidden row of {h} does not split into 2 × {shape.dense} + 2 × {shape.coherency}")
        if shape.heads == "apart":
            self.question = nn.Linear(h, 2 * shape.dense + shape.coherency)
        self.filter = nn.Linear(h, 2)  # start, end
        attentions = 2 * shape.orders * shape.ngram
        self.ngram_query, self.ngram_key = nn.Linear(h, attentions), nn.Linear(h, attentions)
        self.no_answer = nn.Parameter(torch.zeros(()))
        self.term_map = nn.Linear(h, shape.term, bias=False)  # W
        self.term_context = nn.Linear(h, shape.term)  # V
        self.term_gate = nn.Linear(h, 1)  # g
        self.term_bias = nn.Parameter(torch.tensor(-0.2))
        self.term_scale = nn.Parameter(torch.tensor(math.log(8.0)))
        self.term_gain = nn.Parameter(torch.zeros(shape.vocabulary))  # log of the gain
        self.register_buffer("word_mean", torch.zeros(h))
        # idf of word pieces over the training paragraphs, for tf-idf matching while training; not saved
        self.register_buffer("term_idf", torch.ones(shape.vocabulary), persistent=False)
        self.reset_heads()
        if shape.vector > 0:
            pooled = (shape.layers + 1) * h
            with torch.random.fork_rng(devices=[]):  # the other weights begin the same with and without vectors
                self.vector = nn.ModuleDict({kind: nn.Linear(pooled, shape.vector) for kind in ("passage", "question")})

    def reset_heads(self) -> None:
        for name in ("start", "end", "coherency", "question", "ngram_query", "ngram_key"):
            if (linear := getattr(self, name, None)) is None:
                continue
            nn.init.normal_(linear.weight, std=0.04)
            nn.init.zeros_(linear.bias)
        for linear in (self.term_context, self.term_gate):
            nn.init.zeros_(linear.weight)
            nn.init.zeros_(linear.bias)
        nn.init.orthogonal_(self.term_map.weight)

    def special(self, ids: Tensor) -> Tensor:
        """Which ids are special tokens: no n-gram holds one, and no question asks for one."""
        return torch.isin(ids, torch.tensor(self.shape.specials))

    # ---- heads on flat hidden rows -------------------------------------------------------------------------------

    def term_table(self, ids: Tensor | None = None) -> Tensor:
        """e_t = W (E_t - mean) of all terms or of `ids`: (V, term)."""
        words = self.encoder.words.weight if ids is None else self.encoder.words(ids)
        return self.term_map(words - self.word_mean)

    def term_vectors(self, hidden: Tensor, ids: Tensor) -> Tensor:
        """s_j (N, term)."""
        q = self.encoder.int8
        return (1 + linear(self.term_gate, hidden, q)) * self.term_table(ids) + linear(self.term_context, hidden, q)

    def passage_heads(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """start, end (N, dense), c1, c2 (N, coherency), filter logits (N, 2)."""
        return *self.phrase_vectors(hidden), linear(self.filter, hidden, self.encoder.int8)

    def phrase_vectors(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """start, end (N, dense), c1, c2 (N, coherency)."""
        if self.shape.heads == "split":
            return hidden.split([self.shape.dense, self.shape.dense, self.shape.coherency, self.shape.coherency], dim=-1)
        q = self.encoder.int8
        return linear(self.start, hidden, q), linear(self.end, hidden, q), *linear(self.coherency, hidden, q).chunk(2, dim=-1)

    def unit_vector(self, states: Iterable[Tensor], kind: str) -> Tensor:
        """What one whole sequence is about: the mean over its tokens of every state (T, h) of the
        encoder, mapped and normalised: (vector,). `kind`: "passage" or "question"."""
        pooled = torch.cat([x.mean(0) for x in states])
        return F.normalize(self.vector[kind](pooled), dim=0)

    def ngram_attention(self, hidden: Tensor, special: Tensor, rows: int | None = None) -> Tensor:
        """S of one sequence (SPARC Eq. 1): hidden (T, h), special (T,) bool -> (2 orders, T or
        rows, T): start/end × n-gram order.

        A unigram column is masked at specials; the bigram column t stands for tokens (t, t + 1) and
        is masked if either is special.
        """
        q = self.encoder.int8
        return self.ngram_weights(linear(self.ngram_query, hidden[:rows], q), linear(self.ngram_key, hidden, q), special)

    def ngram_weights(self, query: Tensor, key: Tensor, special: Tensor) -> Tensor:
        """The same from the rows of the linear maps, for one sequence or several padded ones: query
        (..., rows, 2 orders d), key (..., T, 2 orders d), special (..., T) -> (..., 2 orders, rows, T)."""
        d, kinds = self.shape.ngram, 2 * self.shape.orders
        query, key = (x.unflatten(-1, (kinds, d)).transpose(-3, -2) for x in (query, key))
        weights = torch.relu(query @ key.transpose(-2, -1) / math.sqrt(d))
        allowed = gram_masks(special, self.shape.orders).to(weights.dtype)[..., None, :]
        off_diagonal = 1 - torch.eye(key.shape[-2], dtype=weights.dtype)[: weights.shape[-2]]
        return weights * allowed * off_diagonal

    def question_heads(self, hidden_cls: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """start, end (Q, dense), coherency (Q, coherency) of questions' [CLS] rows (Q, h)."""
        if self.shape.heads in ("shared", "split"):
            start, end, c1, c2 = self.phrase_vectors(hidden_cls)
            return start, end, (c1 * c2).sum(-1, keepdim=True).expand(-1, self.shape.coherency)
        return tuple(F.linear(hidden_cls, *self.question_map()).split([self.shape.dense, self.shape.dense, self.shape.coherency], dim=-1))

    def question_map(self) -> tuple[Tensor, Tensor]:
        """Weight (2 dense + coherency, h) and bias of the one linear map from a question's [CLS]
        row to its start, end and coherency."""
        if self.shape.heads != "apart":
            raise ValueError(f'with heads "{self.shape.heads}" a question\'s coherency is no linear map of its [CLS] row: only "apart" can be exported')
        return self.question.weight, self.question.bias


def load_base(shape: Shape, folder: Path) -> Verbatim:
    """The base encoder's weights under our names; token type 0 is folded into the place
    embeddings."""
    from safetensors.torch import load_file

    weights = load_file(str(folder / "model.safetensors"))
    weights = {k.removeprefix("bert."): v for k, v in weights.items()}
    model = Verbatim(shape)
    own = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "places.weight": weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": weights["embeddings.LayerNorm.weight"],
        "norm.bias": weights["embeddings.LayerNorm.bias"],
    }
    for i in range(shape.layers):
        src = f"encoder.layer.{i}."
        for kind in ("weight", "bias"):
            own[f"layers.{i}.qkv.{kind}"] = torch.cat([weights[f"{src}attention.self.{n}.{kind}"] for n in ("query", "key", "value")])
            own[f"layers.{i}.out.{kind}"] = weights[f"{src}attention.output.dense.{kind}"]
            own[f"layers.{i}.norm1.{kind}"] = weights[f"{src}attention.output.LayerNorm.{kind}"]
            own[f"layers.{i}.up.{kind}"] = weights[f"{src}intermediate.dense.{kind}"]
            own[f"layers.{i}.down.{kind}"] = weights[f"{src}output.dense.{kind}"]
            own[f"layers.{i}.norm2.{kind}"] = weights[f"{src}output.LayerNorm.{kind}"]
    model.encoder.load_state_dict(own)
    words = own["words.weight"]
    model.word_mean.copy_(words.mean(0))
    with torch.no_grad():  # lexical matches begin as large as all-MiniLM-L6-v2's, whatever the base's embeddings measure
        model.term_map.weight.mul_(LEXICAL_NORM / (words - words.mean(0)).norm(dim=1).median())
    return model


def half(enabled: bool = True) -> torch.autocast:
    """Products in bf16, where `enabled`, on the default device."""
    return torch.autocast(torch.get_default_device().type, torch.bfloat16, enabled=enabled)


def save(model: nn.Module, path: Path, **extra) -> None:
    """A network that has a `shape`: the encoder or the reader."""
    torch.save({"shape": asdict(model.shape), "model": model.state_dict(), **extra}, path)


def restore(path: Path, kind: type = Verbatim) -> tuple:
    """(network of the kind, all that was saved with it)."""
    state = torch.load(path, map_location="cpu", weights_only=False)
    model = kind(Shape(**state["shape"]))
    model.load_state_dict(state["model"])
    return model, state


def placed(array: np.ndarray) -> Tensor:
    """The array on the default device. An accelerator's copy is queued behind its work, so nothing waits for it."""
    tensor, device = torch.from_numpy(array), torch.get_default_device()
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def padded_index(slices: list[slice], total: int) -> np.ndarray:
    """(P, T) places in a flat batch of `total` items, slice after slice; `total` for padding."""
    lengths = np.array([s.stop - s.start for s in slices])
    columns = np.arange(lengths.max())
    return np.where(columns < lengths[:, None], np.array([s.start for s in slices])[:, None] + columns, total)


def flat_batch(sequences: list, group_size: int) -> tuple[Tensor, Tensor, list[tuple[Tensor, Tensor]], Tensor, list[slice]]:
    """Lists of token ids -> (ids (N,), position (N,), attention groups, inverse (N,), slice of each
    sequence). Index arrays are made in numpy, so that an accelerator gets few large copies.

    `group_size`: padded tokens of an attention group, at most (a single longer sequence aside).
    """
    lengths = np.array([len(s) for s in sequences])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    total = int(starts[-1])
    slices = [slice(int(a), int(b)) for a, b in zip(starts, starts[1:])]
    ids = np.concatenate([np.asarray(s) for s in sequences]).astype(np.int64)
    position = np.arange(total) - np.repeat(starts[:-1], lengths)
    inverse = np.empty(total, dtype=np.int64)
    groups, base = [], 0
    order = np.argsort(lengths, kind="stable")
    # sequences of similar length share a group; on a processor the budget keeps one group's attention in the cache
    i = 0
    while i < len(order):
        j = i + 1
        while j < len(order) and (j - i + 1) * lengths[order[j]] <= group_size:
            j += 1
        members = order[i:j]
        index = padded_index([slices[member] for member in members], total)
        inside = index < total
        inverse[index[inside]] = base + np.flatnonzero(inside)
        groups.append((placed(index), placed(np.where(inside, 0.0, -1e4).astype(np.float32))[:, None, None, :]))
        base += index.size
        i = j
    return placed(ids), placed(position), groups, placed(inverse), slices
