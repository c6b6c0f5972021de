"""The teacher: all-mpnet-base-v2 as a reader of question and passage together.

    ids     <s> question </s> title </s> passage </s>
    span    start and end logits of every token: s_i = ws·h_i, e_j = we·h_j
    answer  logit that the passage answers the question: wa·h_<s>

MPNet's vocabulary is that of BERT uncased, shifted by four to make room for its own special tokens,
so a pair that was tokenised for the student only needs its ids translated, and token i of one is
token i of the other.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import MPNetConfig, MPNetModel

from data import CLS, PAD, SEP

BERT_TO_MPNET = 4
BERT_VOCABULARY = 30522


def translation() -> Tensor:
    """MPNet's id of every BERT id."""
    table = torch.arange(BERT_VOCABULARY) + BERT_TO_MPNET
    table[CLS], table[PAD], table[SEP] = 0, 1, 2
    return table


class Teacher(nn.Module):
    def __init__(self, config: MPNetConfig):
        super().__init__()
        self.mpnet = MPNetModel(config, add_pooling_layer=False)
        self.span = nn.Linear(config.hidden_size, 2)
        self.answer = nn.Linear(config.hidden_size, 1)
        self.register_buffer("translation", translation(), persistent=False)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """BERT ids and mask (B, T) -> start, end logits (B, T) and answer logits (B,), in fp32."""
        x = self.mpnet(input_ids=self.translation[ids], attention_mask=mask.long()).last_hidden_state.float()
        with torch.autocast(x.device.type, enabled=False):
            start, end = self.span(x).unbind(-1)
            return start, end, self.answer(x[:, 0])[:, 0]

    def freeze(self, layers: int) -> None:
        """Fixes the embeddings, the relative positions and the lower layers: no gradient is
        computed for them."""
        for part in (self.mpnet.embeddings, self.mpnet.encoder.relative_attention_bias, *self.mpnet.encoder.layer[:layers]):
            part.requires_grad_(False)


def quiet(config: MPNetConfig) -> MPNetConfig:
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    return config


def from_base(folder: Path) -> Teacher:
    teacher = Teacher(quiet(MPNetConfig.from_pretrained(folder)))
    teacher.mpnet = MPNetModel.from_pretrained(folder, config=teacher.mpnet.config, add_pooling_layer=False, dtype=torch.float32)
    return teacher


def save_teacher(teacher: Teacher, path: Path, **extra) -> None:
    torch.save({"shape": teacher.mpnet.config.to_dict(), "model": teacher.state_dict(), **extra}, path)


def restore_teacher(path: Path) -> tuple[Teacher, dict]:
    """(teacher, all that was saved with it)"""
    state = torch.load(path, map_location="cpu", weights_only=False)
    teacher = Teacher(quiet(MPNetConfig.from_dict(state["shape"])))
    teacher.load_state_dict(state["model"])
    return teacher, state
