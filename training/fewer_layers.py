"""Distils an encoder of fewer layers: every second layer of a finished one, taught by the finished one.

    python fewer_layers.py --config runs/encoder-multi-six.json --data DATA_FOLDER --out work/encoder-multi-six [--resume]

The embeddings and the heads are the teacher's; the embeddings stay as they are. The loss is the distance to the
teacher on passages and questions alike: of the hidden rows after each kept layer, and of what the heads make of the
last one, each divided by the mean square of the teacher's. (Sanh et al. 2019, DistilBERT, §3: student initialisation;
Jiao et al. 2020, TinyBERT, Eq. 7: hidden states.) Held-out figures are those of train.py, the teacher's first.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from data import Paragraph, epoch_batches
from mixed_sets import load_paragraphs
from model import Verbatim, flat_batch, half, restore
from run import Run, begin
from scores import ACCELERATOR_TOKENS, CACHE_TOKENS
from train import held_figures


def kept_layers(layers: int) -> list[int]:
    """Every second layer, the last one included: 1, 3, … of 12."""
    return list(range(1, layers, 2))


def student_of(teacher: Verbatim) -> Verbatim:
    """The teacher without every other layer. @throws ValueError for an odd number of layers"""
    kept = kept_layers(teacher.shape.layers)
    if 2 * len(kept) != teacher.shape.layers:
        raise ValueError(f"{teacher.shape.layers} layers cannot be halved")
    student = Verbatim(replace(teacher.shape, layers=len(kept), vector=0))
    state = {name: value for name, value in teacher.state_dict().items() if not name.startswith(("encoder.layers.", "vector."))}
    for own, layer in enumerate(kept):
        of_layer = teacher.encoder.layers[layer].state_dict()
        state |= {f"encoder.layers.{own}.{name}": value for name, value in of_layer.items()}
    student.load_state_dict(state)
    return student


def head_rows(model: Verbatim, hidden: Tensor) -> list[Tensor]:
    """What every head makes of hidden rows (N, h), the question's map of each row included."""
    maps = (model.ngram_query, model.ngram_key, model.term_context, model.term_gate)
    return [*model.passage_heads(hidden), *(apply(hidden) for apply in maps), F.linear(hidden, *model.question_map())]


def distance(given: Tensor, wanted: Tensor) -> Tensor:
    """Mean square error over the mean square of what is wanted."""
    given, wanted = given.float(), wanted.float()
    return F.mse_loss(given, wanted) / wanted.square().mean().clamp(min=1e-6)


def losses(student: Verbatim, teacher: Verbatim, sequences: list, bf16: bool) -> dict[str, Tensor]:
    """Distance of the hidden rows after each layer of the student, mean, and of the rows of its heads, mean."""
    room = CACHE_TOKENS if torch.get_default_device().type == "cpu" else ACCELERATOR_TOKENS
    ids, position, groups, inverse, _ = flat_batch(sequences, room)
    with half(bf16):
        with torch.no_grad():
            wanted = list(teacher.encoder.states(ids, position, groups, inverse))
            wanted_heads = head_rows(teacher, wanted[-1])
        own = list(student.encoder.states(ids, position, groups, inverse))
        own_heads = head_rows(student, own[-1])
        hidden = [distance(x, wanted[layer + 1]) for x, layer in zip(own[1:], kept_layers(teacher.shape.layers))]
        heads = [distance(x, y) for x, y in zip(own_heads, wanted_heads)]
    return {"hidden": torch.stack(hidden).mean(), "heads": torch.stack(heads).mean()}


def parameter_groups(student: Verbatim, rate: float) -> list[dict]:
    student.encoder.words.weight.requires_grad_(False)  # keeps the terms' lexical identity
    student.term_map.weight.requires_grad_(False)
    for name in ("term_gain", "term_bias", "term_scale", "no_answer"):
        getattr(student, name).requires_grad_(False)
    learned = [p for p in student.parameters() if p.requires_grad]
    return [{"params": learned, "factor": rate, "weight_decay": 0.01}]


def sequences_of(batch: list[Paragraph]) -> list[np.ndarray]:
    return [p.ids for p in batch] + [q.ids for p in batch for q in p.questions]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args, config, out = begin(parser)

    train, held = load_paragraphs(config, args.data, out.parent / "cache")
    bf16 = config["loss"]["bf16"]
    teacher = restore(Path(config["teacher_model"]))[0].eval().requires_grad_(False)
    checkpoint = out / "checkpoint.pt"
    student, state = restore(checkpoint) if args.resume and checkpoint.exists() else (student_of(teacher), None)
    run = Run(out, student, parameter_groups(student, config["rate"]), config, state)

    def measured(model: Verbatim) -> dict:
        return {name: held_figures(model, some, config["held_out_paragraphs"], bf16) for name, some in held.items() if some}

    print(json.dumps({"teacher": measured(teacher)}), flush=True)
    for places in run.batches(lambda epoch: epoch_batches(train, config["groups"], config["group_size"], config["seed"] + epoch)):
        sequences = sequences_of([train[i] for i in places])
        parts = losses(student, teacher, sequences, bf16)
        run.learn(parts["hidden"] + parts["heads"], parts, sum(len(s) for s in sequences))
        if (row := run.row(config.get("log_every", 20))) is not None:
            if run.crossed(config["evaluate_every"]):
                row["heldOut"] = measured(student)
            run.write(row)
        run.checkpoint()
    run.finish()


if __name__ == "__main__":
    main()
