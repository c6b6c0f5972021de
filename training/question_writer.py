"""The question writer: a network that reads a passage, proposes answers in it, and asks for each of them.

One encoder does all three (UniLM, Dong et al. 2019, §2.3). A sequence is a passage and any number of
*asked parts*, one per question:

    [CLS] title [SEP] passage [SEP]  |  answer's tokens, style, question's tokens [SEP]  |  answer's tokens, …

    passage    sees itself
    answer     a copy of the answer's tokens at their positions in the passage; sees the passage and itself
    question   sees the passage, its answer, its style, and its own tokens so far

So a passage is computed once for all its questions. The *style* says what kind of question follows: one of
a training set, or a form of the written ones (keywords, yes or no, …).

    question   p(w | x_t) = (1 - g) softmax(norm(gelu(W x_t)) · Eᵀ + b)_w + g Σ_{i: w_i = w} softmax(Q x_t · K h_i)    g = σ(v · x_t)
               E: the word embeddings; i: the passage's tokens, with the title, which are copied (See et al. 2017, §2.2)
    answer     p(s) = softmax(h_s · w_style), p(e | s) = softmax(h_e · U h_s), e in [s, s + MOST_ANSWER)   Lewis et al. 2021 (PAQ), §3.2

    python question_writer.py --config runs/question-writer.json --data DATA_FOLDER --out work/question-writer
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from data import CLS, PAD, SEP, Paragraph, Question
from mixed_sets import load_prepared
from model import Encoder, Shape, half, load_base, placed, restore
from run import Run, begin
from text_base import base_folder, base_of, base_shape

NEGATIVE = -1e4
MOST_ANSWER = 30  # tokens
PASSAGE, ANSWER, QUESTION = range(3)
STYLES = ("squad", "question", "keywords", "long", "command", "yes-no", "paraphrased", "story", "report", "sentence")


class Writer(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        h = shape.hidden
        self.shape = shape
        self.encoder = Encoder(shape)
        self.kinds = nn.Embedding(3, h)
        self.styles = nn.Embedding(len(STYLES), h)
        self.word_map, self.word_norm = nn.Linear(h, h), nn.LayerNorm(h, eps=1e-12)
        self.word_bias = nn.Parameter(torch.zeros(shape.vocabulary))
        self.copy_query, self.copy_key, self.copy_gate = nn.Linear(h, h), nn.Linear(h, h), nn.Linear(h, 1)
        self.answer_start = nn.Linear(h, len(STYLES))
        self.answer_end = nn.Linear(h, h)
        for table in (self.kinds, self.styles):
            nn.init.normal_(table.weight, std=0.02)
        nn.init.constant_(self.copy_gate.bias, -1.0)

    def embedded(self, ids: Tensor, places: Tensor, kinds: Tensor, styles: Tensor) -> Tensor:
        """All (..., T) -> (..., T, h). `styles`: a style's number at its token, -1 elsewhere."""
        words = torch.where((styles >= 0)[..., None], self.styles(styles.clamp(min=0)), self.encoder.words(ids))
        return self.encoder.norm(words + self.encoder.places(places) + self.kinds(kinds))

    def forward(self, batch: Batch) -> Tensor:
        """Hidden rows (B, T, h)."""
        x = self.embedded(batch.ids, batch.places, batch.kinds, batch.styles)
        bias = torch.where(batch.seen, 0.0, NEGATIVE)[:, None].to(torch.bfloat16 if torch.is_autocast_enabled(x.device.type) else x.dtype)
        for layer in self.encoder.layers:
            x = layer.feed_forward(x, layer.attend(layer.qkv(x), bias), dropout=self.encoder.dropout)
        return x

    def word_logits(self, rows: Tensor) -> Tensor:
        """(N, h) -> logits of the next token (N, vocabulary)."""
        return F.linear(self.word_norm(F.gelu(self.word_map(rows))), self.encoder.words.weight, self.word_bias)

    def copy_logits(self, rows: Tensor, hidden: Tensor) -> Tensor:
        """Rows (…, t, h) that a token follows and hidden rows of their passages (…, P, h) -> logits of copying a
        passage's token (…, t, P)."""
        return self.copy_query(rows) @ self.copy_key(hidden).transpose(-1, -2) * hidden.shape[-1] ** -0.5

    def end_logits(self, starts: Tensor, hidden: Tensor) -> Tensor:
        """hidden rows of starts (N, h) and of their passages (N, P, h) -> logits of the answer's last token (N, P)."""
        return (hidden @ self.answer_end(starts)[..., None])[..., 0] * hidden.shape[-1] ** -0.5


@dataclass
class Batch:
    """B passages with their asked parts, padded to T tokens; N tokens of questions, M answers."""

    ids: Tensor  # (B, T)
    places: Tensor  # (B, T)
    kinds: Tensor  # (B, T)
    styles: Tensor  # (B, T)
    seen: Tensor  # (B, T, T) bool: whether a token, by row, sees another, by column
    asking: Tensor  # (N,) flat places of the tokens that a next one is predicted from
    wanted: Tensor  # (N,) the next tokens
    answers: Tensor  # (M, 4) row in the batch, first token, last token, style
    inside: Tensor  # (B, T) bool: tokens of the passage that an answer may begin at
    copied: Tensor  # (B, T) bool: tokens that a question may copy: the title and the passage
    tokens: int


def batch_of(paragraphs: list[Paragraph], asked: list[list[tuple[Question, int]]]) -> Batch:
    """@param asked  each paragraph's questions with their styles"""
    parts, answers = [], []
    for row, (paragraph, questions) in enumerate(zip(paragraphs, asked)):
        size = len(paragraph.ids)
        ids, places, styles = [paragraph.ids], [np.arange(size)], [np.full(size, -1)]
        kinds, owners, wanted = [np.full(size, PASSAGE)], [np.zeros(size, int)], [np.full(size, -1)]
        for number, (question, style) in enumerate(questions, 1):
            answer = np.arange(question.start, question.end + 1)[:MOST_ANSWER]
            text = question.ids[1:-1]
            length = len(answer) + 1 + len(text)
            ids.append(np.concatenate([paragraph.ids[answer], [PAD], text]))
            places.append(np.concatenate([answer, np.arange(1 + len(text))]))
            styles.append(np.where(np.arange(length) == len(answer), style, -1))
            kinds.append(np.where(np.arange(length) < len(answer), ANSWER, QUESTION))
            owners.append(np.full(length, number))
            wanted.append(np.concatenate([np.full(len(answer), -1), text, [SEP]]))
            answers.append((row, question.start, min(question.end, question.start + MOST_ANSWER - 1), style))
        parts.append([np.concatenate(x) for x in (ids, places, styles, kinds, owners, wanted)])
    width = max(len(part[0]) for part in parts)
    fill = (PAD, 0, -1, PASSAGE, -1, -1)
    ids, places, styles, kinds, owners, wanted = (
        np.stack([np.pad(part[i], (0, width - len(part[i])), constant_values=fill[i]) for part in parts]).astype(np.int64) for i in range(6)
    )
    own = owners[:, :, None] == owners[:, None]
    earlier = np.tri(width, dtype=bool)[None]
    in_question = (kinds == QUESTION)[:, None]
    seen = (owners == 0)[:, None] | (own & ~in_question) | (own & in_question & (kinds == QUESTION)[:, :, None] & earlier)
    seen &= (owners >= 0)[:, None]
    inside = np.zeros(ids.shape, dtype=bool)
    for row, paragraph in enumerate(paragraphs):
        inside[row, paragraph.first : len(paragraph.ids) - 1] = True
    copied = (owners == 0) & (ids != CLS) & (ids != SEP)
    asking = np.flatnonzero(wanted.ravel() >= 0)
    return Batch(
        *(placed(x) for x in (ids, places, kinds, styles, seen, asking, wanted.ravel()[asking], np.array(answers, dtype=np.int64).reshape(-1, 4), inside, copied)),
        int((owners >= 0).sum()),
    )


def word_likelihoods(writer: Writer, rows: Tensor, copies: Tensor, ids: Tensor, copied: Tensor) -> Tensor:
    """log p of every word after rows (N, h), with their copy logits, their passages' ids and what may be copied
    (N, P): (N, vocabulary)."""
    gate = writer.copy_gate(rows).float()
    words = torch.softmax(writer.word_logits(rows).float(), 1) * torch.sigmoid(-gate)
    shares = torch.softmax(copies.float().masked_fill(~copied, NEGATIVE), 1)
    return words.scatter_add(1, ids, shares * torch.sigmoid(gate)).clamp(min=1e-30).log()


def losses(writer: Writer, batch: Batch, bf16: bool) -> dict[str, Tensor]:
    """Mean cross-entropies: `question` per token, `start` and `end` per answer."""
    with half(bf16):
        hidden = writer(batch)
        asking = hidden.flatten(0, 1).index_select(0, batch.asking)
        words = writer.word_logits(asking)
        copies = writer.copy_logits(hidden, hidden).flatten(0, 1).index_select(0, batch.asking)
    hidden, gate, owner = hidden.float(), writer.copy_gate(asking.float())[:, 0], batch.asking // batch.ids.shape[1]
    word = F.logsigmoid(-gate) - F.cross_entropy(words.float(), batch.wanted, reduction="none")
    copies = torch.log_softmax(copies.float().masked_fill(~batch.copied[owner], NEGATIVE), 1)
    copy = F.logsigmoid(gate) + torch.logsumexp(copies.masked_fill(batch.ids[owner] != batch.wanted[:, None], NEGATIVE), 1)
    row, first, last, style = batch.answers.unbind(1)
    starts = writer.answer_start(hidden)[row, :, style].masked_fill(~batch.inside[row], NEGATIVE)
    ends = writer.end_logits(hidden[row, first], hidden[row])
    distance = torch.arange(ends.shape[1])[None] - first[:, None]
    allowed = batch.inside[row] & (distance >= 0) & (distance < MOST_ANSWER)
    return {
        "question": -torch.logaddexp(word, copy).mean(),
        "start": F.cross_entropy(starts, first),
        "end": F.cross_entropy(ends.masked_fill(~allowed, NEGATIVE), last),
    }


def load_writer_base(shape: Shape, base: str | None) -> Writer:
    writer = Writer(shape)
    writer.encoder.load_state_dict(load_base(shape, base_folder(base)).encoder.state_dict())
    return writer


def forms() -> dict[str, str]:
    """Question -> its form, of the written ones."""
    lines = (Path(__file__).parent / "written" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return {item["id"]: item["form"] for item in map(json.loads, lines)}


def load_styled(config: dict, data: Path, cache: Path) -> tuple[list[tuple[Paragraph, str]], list[tuple[Paragraph, str]]]:
    """(to train on, held out): paragraphs with the style of their set, "written" where each question has its own."""
    train, held = [], []
    for entry in config["sets"]:
        own, out = load_prepared(entry, config, data, cache)
        train += [(p, entry["style"]) for p in own] * entry.get("repeat", 1)
        held += [(p, entry["style"]) for p in out]
        print(json.dumps({"set": entry["file"], "paragraphs": len(own), "heldOut": len(out)}), flush=True)
    return train, held


def epoch_batches(styled: list[tuple[Paragraph, str]], form: dict[str, str], config: dict, seed: int) -> list[list[tuple[Paragraph, list[tuple[Question, int]]]]]:
    """Batches of like lengths with at most `batch_tokens` padded tokens, in random order; of each paragraph, at most
    `most_questions` questions."""
    rng = random.Random(seed)
    drawn = []
    for paragraph, style in styled:
        questions = rng.sample(paragraph.questions, min(config["most_questions"], len(paragraph.questions)))
        asked = [(q, STYLES.index(form[q.id] if style == "written" else style)) for q in questions]
        length = len(paragraph.ids) + sum(len(q.ids) + min(MOST_ANSWER, q.end - q.start + 1) for q in questions)
        drawn.append((length + rng.random() * 20, paragraph, asked))
    drawn.sort(key=lambda one: one[0])
    batches, now = [], []
    for length, paragraph, asked in drawn:
        if now and (len(now) + 1) * length > config["batch_tokens"]:
            batches.append(now)
            now = []
        now.append((paragraph, asked))
    batches.append(now)
    rng.shuffle(batches)
    return batches


@torch.no_grad()
def held_out_losses(writer: Writer, held: list[tuple[Paragraph, str]], form: dict[str, str], config: dict) -> dict[str, float]:
    batches = epoch_batches(held[:: max(1, len(held) // config["held_out_paragraphs"])], form, config, config["seed"])
    sums: dict[str, float] = {}
    for batch in batches:
        for name, loss in losses(writer, batch_of(*map(list, zip(*batch))), config["bf16"]).items():
            sums[name] = sums.get(name, 0.0) + float(loss) / len(batches)
    return {name: round(value, 4) for name, value in sums.items()}


def main() -> None:
    args, config, out = begin(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter))
    train, held = load_styled(config, Path(args.data), out.parent / "cache")
    form, base = forms(), base_of(config)
    checkpoint = out / "checkpoint.pt"
    if args.resume and checkpoint.exists():
        writer, state = restore(checkpoint, Writer)
    elif start := config.get("start"):
        writer, state = Writer(base_shape(Shape(), base)), None
        writer.load_state_dict(torch.load(start, weights_only=False)["model"], strict=False)
    else:
        writer, state = load_writer_base(base_shape(Shape(), base), base), None
    writer.encoder.words.weight.requires_grad_(config["words_learn"])
    group = {"params": [p for p in writer.parameters() if p.requires_grad], "factor": config["rate"], "weight_decay": 0.01}
    run = Run(out, writer, [group], config, state)
    for asked in run.batches(lambda epoch: epoch_batches(train, form, config, config["seed"] + epoch)):
        batch = batch_of(*map(list, zip(*asked)))
        writer.encoder.dropout = config["dropout"]
        parts = losses(writer, batch, config["bf16"])
        writer.encoder.dropout = 0.0
        run.learn(parts["question"] + config["answer_weight"] * (parts["start"] + parts["end"]), parts, batch.tokens)
        if (row := run.row(config["log_every"])) is not None:
            if run.crossed(config["evaluate_every"]):
                row["heldOut"] = held_out_losses(writer, held, form, config)
            run.write(row)
        run.checkpoint()
    run.finish()
    run.write({"step": run.step, "heldOut": held_out_losses(writer, held, form, config)})


if __name__ == "__main__":
    main()
