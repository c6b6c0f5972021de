"""A larger reader on all-mpnet-base-v2 (110 M parameters), as a teacher of the readers that ship. It
takes the same rows as reader.Reader: ids of all-MiniLM-L6-v2's vocabulary, which it maps to MPNet's.

    x       LayerNorm(E_token + P_position)                        positions begin at 2
    layers  softmax(q_i · k_j / sqrt(d) + r_bucket(j - i)) v       the same r, one number per head and bucket, in all layers
    heads   as in reader.py

Song et al. 2020 (MPNet); Raffel et al. 2020, §2.1 (relative position buckets).
"""

from __future__ import annotations

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model import Encoder, Shape, half
from reader import NEGATIVE
from text_base import load_tokenizer

FIRST_POSITION = 2  # the rows before it belong to padding and are never read
EPS = 1e-5
BUCKETS = 32
# Distances where a bucket begins: one each up to 8, then ceil(8 · 16^(k/8)), so that 128 and more would begin a 16th and share the 15th
BUCKET_STARTS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91)
ALIGNMENT = 8  # the memory-efficient attention kernel reads rows of the bias in steps of this many values
SPECIAL_PIECES = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>"}
MPNET_SHAPE = Shape(vocabulary=30527, hidden=768, layers=12, attention_heads=12, inner=3072, positions=514)


def position_buckets(length: int, device: torch.device | None = None) -> Tensor:
    """(length, length) from query i to key j: 0 to 15 for j ≤ i, 16 to 31 for j > i."""
    places = torch.arange(length, device=device)
    distance = places[None, :] - places[:, None]
    starts = torch.tensor(BUCKET_STARTS, device=device)
    return torch.bucketize(distance.abs(), starts, right=True) + (distance > 0) * (BUCKETS // 2)


class MPNetReader(nn.Module):
    """`shape` is MPNet's own (MPNET_SHAPE); ids that come in are always all-MiniLM-L6-v2's."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape)
        for module in self.encoder.modules():
            if isinstance(module, nn.LayerNorm):
                module.eps = EPS
        self.kinds = nn.Identity()  # in the place of Reader.kinds; MPNet has no token types
        # Fixed, because its gradient would need a tensor as large as the attention scores of each layer
        self.relative = nn.Embedding(BUCKETS, shape.attention_heads).requires_grad_(False)
        self.span = nn.Linear(shape.hidden, 2)
        self.answer = nn.Linear(shape.hidden, 1)
        self.register_buffer("mpnet_ids", torch.zeros(Shape().vocabulary, dtype=torch.long))  # by our id; load_mpnet_base fills it

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """ids, mask (B, T); kinds are ignored -> start, end logits (B, T) in fp32, answer logits
        (B,). The caller masks logits outside the passage."""
        x = self.states(ids, mask).float()
        with half(False):
            start, end = self.span(x).unbind(-1)
            return start, end, self.answer(x[:, 0])[:, 0]

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The last layer's output (B, T, h); rows are padded at their end."""
        e, length = self.encoder, ids.shape[1]
        extra = -length % ALIGNMENT
        ids, mask = F.pad(ids, (0, extra)), F.pad(mask, (0, extra))
        places = e.places.weight[FIRST_POSITION : FIRST_POSITION + length + extra]
        x = e.norm(e.words(self.mpnet_ids[ids]) + places)
        kind = x.device.type
        bias = self.bias(mask, torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype)
        for layer in e.layers:
            x = layer.feed_forward(x, layer.attend(layer.qkv(x), bias), dropout=e.dropout)
        return x[:, :length]

    def bias(self, mask: Tensor, dtype: torch.dtype) -> Tensor:
        """What is added to the attention scores of all layers: (B, heads, T, T)."""
        relative = self.relative(position_buckets(mask.shape[1], mask.device)).permute(2, 0, 1).to(dtype).contiguous()
        return relative + torch.where(mask, 0.0, NEGATIVE).to(dtype)[:, None, None, :]


def id_map(pieces: list[str], mpnet_pieces: list[str]) -> Tensor:
    """MPNet's id of each of our pieces: (len(pieces),).
    @throws ValueError if MPNet's vocabulary lacks one"""
    places = {piece: place for place, piece in enumerate(mpnet_pieces)}
    wanted = [SPECIAL_PIECES.get(piece, piece) for piece in pieces]
    if missing := [piece for piece in wanted if piece not in places]:
        raise ValueError(f"MPNet's vocabulary lacks {len(missing)} pieces, the first is {missing[0]!r}.")
    return torch.tensor([places[piece] for piece in wanted])


def encoder_weights(weights: dict[str, Tensor], layers: int) -> dict[str, Tensor]:
    """The base's weights under our names."""
    own = {"words.weight": weights["embeddings.word_embeddings.weight"], "places.weight": weights["embeddings.position_embeddings.weight"]}
    for kind in ("weight", "bias"):
        own[f"norm.{kind}"] = weights[f"embeddings.LayerNorm.{kind}"]
        for i in range(layers):
            src = f"encoder.layer.{i}."
            own[f"layers.{i}.qkv.{kind}"] = torch.cat([weights[f"{src}attention.attn.{n}.{kind}"] for n in "qkv"])
            own[f"layers.{i}.out.{kind}"] = weights[f"{src}attention.attn.o.{kind}"]
            own[f"layers.{i}.norm1.{kind}"] = weights[f"{src}attention.LayerNorm.{kind}"]
            own[f"layers.{i}.up.{kind}"] = weights[f"{src}intermediate.dense.{kind}"]
            own[f"layers.{i}.down.{kind}"] = weights[f"{src}output.dense.{kind}"]
            own[f"layers.{i}.norm2.{kind}"] = weights[f"{src}output.LayerNorm.{kind}"]
    return own


def load_mpnet_base(folder: Path) -> MPNetReader:
    """@param folder  of all-mpnet-base-v2 (`python base.py mpnet`). The heads are new."""
    from safetensors.torch import load_file

    weights = load_file(str(folder / "model.safetensors"), device=str(torch.get_default_device()))
    reader = MPNetReader(MPNET_SHAPE)
    reader.encoder.load_state_dict(encoder_weights(weights, MPNET_SHAPE.layers))
    reader.relative.load_state_dict({"weight": weights["encoder.relative_attention_bias.weight"]})
    mpnet_pieces = (folder / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    reader.mpnet_ids.copy_(id_map(load_tokenizer().pieces, mpnet_pieces))
    return reader
