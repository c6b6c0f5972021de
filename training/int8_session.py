"""Sessions of ONNX Runtime as at run time (adapters/node/models/encoder/session-options.ts)."""

from __future__ import annotations

from pathlib import Path


def open_session(model: Path | bytes, threads: int = 0):
    """Exact products of int8: without the option, CPUs that have AVX2 or AVX-512 but not VNNI add pairs of them
    in 16 bits, where they saturate.

    @param model  a file, or its content
    @param threads  0: as many as there are cores
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, threads
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(model if isinstance(model, bytes) else str(model), options)
