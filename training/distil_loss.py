"""What the reader learns from the teacher's labels.

Over all passages P of a question the teacher gives one distribution of the start (and one of the
end):

    t(p, i) = softmax_p(a_p) · softmax_i(s_pi / T)          a_p its answer logit, s_pi its start logits in passage p

    loss = T² · KL(t ‖ softmax_(p, i)(l_pi / T))            the student's logits, normalised over all passages: they stay comparable
         + gold · −log softmax_(p, i)(l_pi)[span]           where the span is known
         + answer · BCE(student's answer logit, target)     target: (1 − trust) · known + trust · σ(a_p), σ(a_p) where nothing is known

The KL of a group counts in proportion to how likely it is that any of its passages answers (1 where
that is known): where none does, a distribution over its tokens would teach noise.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from labels import Label
from model import half
from reader import NEGATIVE, Reader


def tensors(batch: list[list[Label]]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """ids, kinds, mask, passage mask: (B, T), the groups' rows one after the other."""
    rows = [r for group in batch for r in group]
    width = max(len(r.ids) for r in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    kinds, mask, passage = torch.zeros_like(ids), torch.zeros_like(ids, dtype=torch.bool), torch.zeros_like(ids, dtype=torch.bool)
    for i, r in enumerate(rows):
        ids[i, : len(r.ids)] = torch.as_tensor(r.ids)
        asked = int((r.ids == 102).argmax()) + 1  # the question ends with the first [SEP]
        kinds[i, asked : len(r.ids)] = 1
        mask[i, : len(r.ids)] = True
        passage[i, r.passage : len(r.ids) - 1] = True
    return ids, kinds, mask, passage


def target(group: list[Label], side: int, width: int, temperature: float) -> Tensor:
    """t (rows, width) of one group; sums to 1."""
    share = torch.softmax(torch.tensor([r.answer for r in group]), 0)
    made = torch.zeros(len(group), width)
    for i, r in enumerate(group):
        logits = torch.as_tensor(r.logits[side]).float()
        made[i, r.passage : r.passage + len(logits)] = share[i] * torch.softmax(logits / temperature, 0)
    return made


def answered(group: list[Label]) -> float:
    """Probability that any passage of the group answers: 1 where that is known, 0 where all are
    known not to."""
    if any(r.known == 1 for r in group):
        return 1.0
    none = 1.0
    for r in group:
        none *= 1.0 if r.known == 0 else 1 - torch.sigmoid(torch.tensor(r.answer)).item()
    return 1 - none


def distil_loss(reader: Reader, batch: list[list[Label]], config: dict) -> tuple[Tensor, dict[str, Tensor]]:
    ids, kinds, mask, passage = tensors(batch)
    with half(config.get("bf16", False)):
        start, end, answer = reader(ids, kinds, mask)
    temperature, width = config["temperature"], ids.shape[1]
    imitation, gold, weight, spans, at = torch.zeros(()), torch.zeros(()), 0.0, 0, 0
    for group in batch:
        inside = slice(at, at + len(group))
        share = answered(group)
        weight += share
        for side, logits in enumerate((start, end)):
            all_logits = logits[inside].masked_fill(~passage[inside], NEGATIVE).flatten()
            guide = target(group, side, width, temperature).flatten()
            log_student = torch.log_softmax(all_logits / temperature, 0)
            log_guide = guide.clamp(min=1e-9).log()
            imitation = imitation + share * temperature**2 * (guide * (log_guide - log_student)).sum() / 2
            for i, r in enumerate(group):
                if r.known == 1:
                    gold = gold - torch.log_softmax(all_logits, 0)[i * width + (r.end if side else r.start)] / 2
        spans += sum(r.known == 1 for r in group)
        at += len(group)
    imitation, gold = imitation / max(1.0, weight), gold / max(1, spans)
    rows = [r for group in batch for r in group]
    believed = torch.sigmoid(torch.tensor([r.answer for r in rows]))
    known = torch.tensor([float(r.known) for r in rows])
    wanted = torch.where(known >= 0, (1 - config["trust"]) * known + config["trust"] * believed, believed)
    answerable = F.binary_cross_entropy_with_logits(answer, wanted)
    loss = imitation + config["gold"] * gold + config["answer"] * answerable
    return loss, {"imitation": imitation, "gold": gold, "answerable": answerable}
