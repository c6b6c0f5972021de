"""Sessions of ONNX Runtime as at run time (adapters/node/models/encoder/session-options.ts)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

PROBE = 64  # length of the sums whose exactness is checked


@cache
def saturates() -> bool:
    """Whether this CPU's fastest product of unsigned with signed bytes is inexact: without VNNI, it adds
    pairs of products in 16 bits."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    codes = numpy_helper.from_array(np.full((PROBE, PROBE), 127, np.int8), "codes")
    inputs = [helper.make_tensor_value_info("x", TensorProto.UINT8, [PROBE, PROBE])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.INT32, [PROBE, PROBE])]
    graph = helper.make_graph([helper.make_node("MatMulInteger", ["x", "codes"], ["y"])], "probe", inputs, outputs, [codes])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    (made,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": np.full((PROBE, PROBE), 255, np.uint8)})
    return not (made == PROBE * 255 * 127).all()


def open_session(model: Path | bytes, threads: int = 0):
    """Exact products of int8. The option that makes them exact on CPUs without VNNI takes the others half as
    long again, and is left out there.

    @param model  a file, or its content
    @param threads  0: as many as there are cores
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, threads
    if saturates():
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), options)
