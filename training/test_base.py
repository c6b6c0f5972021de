"""Base models out of other packages' files, on made-up ones."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from base import BaseError, e5_en, verify, verify_file
from onnx_weights import OnnxWeightsError, bert_weights, expected


def export(path, layers: int, without: str = "") -> dict[str, np.ndarray]:
    """A file as PyTorch writes it: products' weights transposed and without a name. @returns the weights"""
    rng = np.random.default_rng(1)
    nodes, constants, weights = [], [], {}
    for name in sorted(expected(layers)):
        is_product = name.startswith("encoder.") and name.endswith(".weight") and "LayerNorm" not in name
        value = rng.normal(size=(4, 6) if is_product or "embeddings.weight" in name else (4,)).astype(np.float32)
        weights[name] = value
        if name == without:
            continue
        if is_product:
            hidden = f"onnx::MatMul_{len(constants)}"
            constants.append(numpy_helper.from_array(np.ascontiguousarray(value.T), hidden))
            module = name.removesuffix(".weight").replace(".", "/").replace("layer/", "layer.")
            nodes.append(helper.make_node("MatMul", ["x", hidden], [f"{name}_out"], name=f"/{module}/MatMul"))
        else:
            constants.append(numpy_helper.from_array(value, name))
    given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["T", 6])]
    onnx.save(helper.make_model(helper.make_graph(nodes, "export", given, [], constants)), path)
    return weights


def test_weights_come_back_from_an_export_as_pytorch_keeps_them(tmp_path):
    weights = export(tmp_path / "model.onnx", layers=2)
    found = bert_weights(tmp_path / "model.onnx", layers=2)
    assert found.keys() == weights.keys()
    assert all(np.array_equal(found[name], value) for name, value in weights.items())


def test_an_incomplete_export_is_named_by_what_it_lacks(tmp_path):
    export(tmp_path / "model.onnx", layers=2, without="encoder.layer.1.output.dense.weight")
    with pytest.raises(OnnxWeightsError, match="encoder.layer.1.output.dense.weight"):
        bert_weights(tmp_path / "model.onnx", layers=2)


def test_a_file_with_another_hash_is_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"not the model")
    with pytest.raises(BaseError, match="expected"):
        verify_file(tmp_path / "model.onnx", "e5-en-export")


def test_a_folder_without_weights_or_with_other_ones_is_refused(tmp_path):
    with pytest.raises(BaseError, match="no model.safetensors"):
        verify(tmp_path, "minilm")
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(BaseError, match="SHA-256"):
        verify(tmp_path, "minilm")


def test_an_unpacked_base_is_verified_each_time(tmp_path):
    (tmp_path / "e5-small-v2").mkdir()
    (tmp_path / "e5-small-v2" / "model.safetensors").write_bytes(b"changed since")
    with pytest.raises(BaseError, match="SHA-256"):
        e5_en(tmp_path)
