"""Factors that move the outliers of a product's input into its weight before both become int8
(SmoothQuant, Xiao et al. 2023, §4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from data import Paragraph
from model import Encoder, Verbatim, flat_batch

PRODUCTS = ("qkv", "up", "down")


def largest_inputs(model: Verbatim, paragraphs: list[Paragraph]) -> dict[str, np.ndarray]:
    """Largest magnitude of every input channel of the encoder's products over the paragraphs and
    two questions of each."""

    def run() -> None:
        for paragraph in paragraphs:
            for ids in (paragraph.ids, *(q.ids for q in paragraph.questions[:2])):
                flat, position, groups, inverse, _ = flat_batch([ids], 100_000)
                model.encoder(flat, position, groups, inverse)

    return largest_while(model.encoder, run)


@torch.no_grad()
def largest_while(encoder: Encoder, run: Callable[[], None]) -> dict[str, np.ndarray]:
    """Largest magnitude of every input channel of the products while `run` sends inputs through the
    encoder."""
    largest: dict[str, torch.Tensor] = {}
    handles = []
    for i, layer in enumerate(encoder.layers):
        for product in PRODUCTS:
            name = f"encoder.layers.{i}.{product}"

            def look(_, inputs, name=name):
                seen = inputs[0].abs().flatten(0, -2).amax(0)
                largest[name] = torch.maximum(largest[name], seen) if name in largest else seen

            handles.append(getattr(layer, product).register_forward_pre_hook(look))
    run()
    for handle in handles:
        handle.remove()
    return {name: value.numpy() for name, value in largest.items()}


def factors(largest: np.ndarray, weight: np.ndarray, alpha: float) -> np.ndarray:
    """s_j = max|x_j|^alpha / max|w_j|^(1 - alpha) per input channel, scaled to a geometric mean of
    1."""
    factor = np.maximum(largest, 1e-6) ** alpha / np.maximum(weight, 1e-6) ** (1 - alpha)
    return np.clip(factor / np.exp(np.log(factor).mean()), 1e-2, 1e2).astype(np.float32)


def smoothing(model: nn.Module, largest: dict[str, np.ndarray], alpha: float) -> dict[str, np.ndarray]:
    """Factors of every product in `largest`."""
    weight = lambda name: np.abs(model.get_submodule(name).weight.detach().numpy()).max(0)  # noqa: E731
    return {name: factors(seen, weight(name), alpha) for name, seen in largest.items()}
