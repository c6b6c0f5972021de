"""Fixtures of several test files."""

from __future__ import annotations

import pytest
import torch

from data import Paragraph, load_squad
from made_up import TINY, made_up_squad
from model import Verbatim


@pytest.fixture(scope="module")
def paragraphs(tmp_path_factory) -> list[Paragraph]:
    return load_squad(str(made_up_squad(tmp_path_factory.mktemp("squad") / "train.json")), 128)


@pytest.fixture(scope="module")
def tiny() -> Verbatim:
    torch.manual_seed(1)
    return Verbatim(TINY)
