"""The network as an ONNX graph, written node by node; no tracer is involved.

`encoder.onnx`   ids [1, T] -> hidden row of [CLS] [1, 384], start [T, ds], end [T, ds], coherency
[T, 2 dc], keep [T, 2],
                 terms [T, dt], ngrams [4, T, T] (relu, not yet masked: the packer skips diagonal and specials),
                 passage_vector [1, dv], question_vector [1, dv] (of length 1; a caller uses one of them; absent if
                 the checkpoint has no maps to them, see passage_vectors.py)
`terms.onnx`     vectors [t, dt] -> weights [V] = log(1 + relu(max over rows of vectors · e_t + b))

The question's head stays outside the graph (question.bin): it may be tuned while old indexes stay
valid.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from word_table import BLOCK, MIDDLE, four_bits

MICROSOFT = "com.microsoft"


class Graph:
    """Nodes and constants in order; every method returns the name of its output.
    @param prefix  of all names: those of a graph in a graph must differ from the outer ones"""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.count = 0

    def constant(self, array: np.ndarray, name: str | None = None) -> str:
        self.count += 1
        name = name or f"{self.prefix}c{self.count}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def op(self, kind: str, *inputs: str, output: str | None = None, domain: str = "", **attributes) -> str:
        self.count += 1
        output = output or f"{self.prefix}{kind.lower()}{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=f"{self.prefix}n{self.count}", domain=domain, **attributes))
        return output

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray | None, output: str | None = None) -> str:
        """x · weightᵀ + bias, weight as PyTorch keeps it (out, in)."""
        if bias is None:
            return self.op("MatMul", x, self.constant(weight.T), output=output)
        return self.op("Add", self.op("MatMul", x, self.constant(weight.T)), self.constant(bias), output=output)

    def model(self, inputs, outputs) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, "verbatim", inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)])
        model.ir_version = 8
        return model


def embeddings(g: Graph, w: dict[str, np.ndarray], table_bits: int) -> tuple[str, str, str, str]:
    """Word rows [B, T, h] and position rows of the input, and the constants [0] and [1].
    @param table_bits  of a value of the word table as the graph keeps it: 32, 8 with a step per row,
    or 4 with a step per block (word_table.py)"""
    table = w["encoder.words.weight"]
    if table_bits == 4:
        words = four_bit_rows(g, table)
    elif table_bits == 8:
        scale = np.maximum(np.abs(table).max(1, keepdims=True), 1e-8).astype(np.float32) / 127
        codes = np.clip(np.rint(table / scale), -127, 127).astype(np.int8)
        rows = g.op("Cast", g.op("Gather", g.constant(codes, "words"), "ids"), to=TensorProto.FLOAT)
        words = g.op("Mul", rows, g.op("Gather", g.constant(scale, "word_scales"), "ids"))
    else:
        words = g.op("Gather", g.constant(table, "words"), "ids")
    length = g.op("Gather", g.op("Shape", "ids"), g.constant(np.array([1], np.int64)), axis=0)
    zero, one = g.constant(np.array([0], np.int64)), g.constant(np.array([1], np.int64))
    places = g.op("Slice", g.constant(w["encoder.places.weight"]), zero, length, zero)
    return words, places, zero, one


def four_bit_rows(g: Graph, table: np.ndarray) -> str:
    """The input's rows of a table in four bits. Byte j of a row holds code j in its low half and code
    j + h / 2 in its high half."""
    codes, steps = four_bits(table)
    half = codes.shape[1] // 2
    packed = g.constant(codes[:, :half] | codes[:, half:] << 4, "words")
    pairs = g.op("Cast", g.op("Gather", packed, "ids"), to=TensorProto.FLOAT)
    sixteen = g.constant(np.array(16, np.float32))
    high = g.op("Floor", g.op("Div", pairs, sixteen))
    low = g.op("Sub", pairs, g.op("Mul", high, sixteen))
    centred = g.op("Sub", g.op("Concat", low, high, axis=-1), g.constant(np.array(MIDDLE, np.float32)))
    blocks = g.op("Reshape", centred, g.constant(np.array([0, 0, -1, BLOCK], np.int64)))
    scales = g.op("Cast", g.op("Gather", g.constant(steps[:, :, None], "word_scales"), "ids"), to=TensorProto.FLOAT)
    return g.op("Reshape", g.op("Mul", blocks, scales), g.constant(np.array([0, 0, -1], np.int64)))


def layers(
    g: Graph, rows: str, w: dict[str, np.ndarray], shape, smooth: dict[str, np.ndarray] | None, *mask: str, states: list[str] | None = None, row_steps: bool = False
) -> str:
    """The first normalisation and all layers. `mask`: an input [B, T], 0 for padding; none where
    nothing is padded.

    `smooth`: for the products named in it ("encoder.layers.0.up"), one factor per channel that their
    input is divided by and their weight multiplied by: nothing changes but how well the input fits
    into 8 bits (SmoothQuant, Xiao et al. 2023, §4).

    `states`: receives the names of the normalised embeddings and of every layer's output.

    `row_steps`: every token's row is divided by its largest magnitude before the products of the
    feed-forward part, and the result is multiplied by it. Otherwise the few tokens whose rows are
    tens of times as large as the others' set the step that all of them are rounded to."""
    states = [] if states is None else states

    def product(x: str, weight: np.ndarray) -> str:
        if not row_steps:
            return g.op("MatMul", x, g.constant(weight))
        largest = g.op("ReduceMax", g.op("Abs", x), axes=[-1], keepdims=1)
        return g.op("Mul", g.op("MatMul", g.op("Div", x, largest), g.constant(weight)), largest)

    def smoothed(x: str, name: str) -> tuple[str, np.ndarray]:
        """Input and weight (in, out) of a product."""
        weight = w[f"{name}.weight"].T
        if smooth is None or name not in smooth:
            return x, weight
        factor = smooth[name].astype(np.float32)
        return g.op("Mul", x, g.constant(1 / factor)), weight * factor[:, None]

    x = g.op("LayerNormalization", rows, g.constant(w["encoder.norm.weight"]), g.constant(w["encoder.norm.bias"]), axis=-1, epsilon=1e-12)
    states.append(x)
    for i in range(shape.layers):
        p = f"encoder.layers.{i}."
        given, weight = smoothed(x, p + "qkv")
        mixed = g.op(
            "Attention", given, g.constant(weight), g.constant(w[p + "qkv.bias"]), *mask, domain=MICROSOFT, num_heads=shape.attention_heads
        )
        mixed = g.op("MatMul", mixed, g.constant(w[p + "out.weight"].T))
        x = skip_norm(g, mixed, x, w, p, norm="norm1", bias="out")
        given, weight = smoothed(x, p + "up")
        inner = g.op("Gelu", g.op("Add", product(given, weight), g.constant(w[p + "up.bias"])), domain=MICROSOFT)
        inner, weight = smoothed(inner, p + "down")
        x = skip_norm(g, product(inner, weight), x, w, p, norm="norm2", bias="down", output=f"layer{i}")
        states.append(x)
    return x


def vectors(g: Graph, states: list[str], w: dict[str, np.ndarray]) -> None:
    """Outputs `passage_vector` and `question_vector`: the mean of every state over the tokens, one
    affine map, normalised. Gemm stays in float32: one step for all of the pooled numbers, some of
    which are far larger than others, would cost more than the product."""
    pooled = g.op("Concat", *(g.op("ReduceMean", x, axes=[1], keepdims=0) for x in states), axis=1)
    for kind in ("passage", "question"):
        weight, bias = g.constant(w[f"vector.{kind}.weight"]), g.constant(w[f"vector.{kind}.bias"])
        mapped = g.op("Gemm", pooled, weight, bias, transB=1)
        g.op("LpNormalization", mapped, axis=1, p=2, output=f"{kind}_vector")


def encoder_graph(w: dict[str, np.ndarray], shape, table_bits: int, smooth: dict[str, np.ndarray] | None = None) -> onnx.ModelProto:
    """`w`: the model's state dict as numpy arrays; `smooth` as `layers` takes it."""
    g = Graph()
    words, places, zero, one = embeddings(g, w, table_bits)
    states: list[str] = []
    x = layers(g, g.op("Add", words, places), w, shape, smooth, states=states)
    if shape.vector:
        vectors(g, states, w)
    rows = g.op("Squeeze", x, zero)  # [T, h]
    g.op("Slice", rows, zero, one, zero, output="cls")
    # one product for all heads of the passage: start, end, coherency, keep, n-gram queries and keys, term context, term gate
    heads = [
        ("start", w["start.weight"], w["start.bias"]),
        ("end", w["end.weight"], w["end.bias"]),
        ("coherency", w["coherency.weight"], w["coherency.bias"]),
        ("keep", w["filter.weight"], w["filter.bias"]),
        ("query", w["ngram_query.weight"] / np.sqrt(shape.ngram), w["ngram_query.bias"] / np.sqrt(shape.ngram)),
        ("key", w["ngram_key.weight"], w["ngram_key.bias"]),
        ("context", w["term_context.weight"], w["term_context.bias"]),
        ("gate", w["term_gate.weight"], w["term_gate.bias"] + 1),
    ]
    widths = [len(bias) for _, _, bias in heads]
    together = g.linear(rows, np.concatenate([w for _, w, _ in heads]).astype(np.float32), np.concatenate([b for _, _, b in heads]).astype(np.float32))
    made = {name: name if name in ("start", "end", "coherency", "keep") else f"head_{name}" for name, _, _ in heads}
    g.nodes.append(helper.make_node("Split", [together, g.constant(np.array(widths, np.int64))], list(made.values()), name="heads", axis=1))
    split = g.constant(np.array([-1, 4, shape.ngram], np.int64))
    query = g.op("Transpose", g.op("Reshape", made["query"], split), perm=[1, 0, 2])
    key = g.op("Transpose", g.op("Reshape", made["key"], split), perm=[1, 2, 0])
    g.op("Relu", g.op("MatMul", query, key), output="ngrams")
    lexical = g.linear(g.op("Squeeze", words, zero), w["term_map.weight"], -(w["term_map.weight"] @ w["word_mean"]))
    g.op("Add", g.op("Mul", made["gate"], lexical), made["context"], output="terms")
    f = TensorProto.FLOAT
    return g.model(
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "T"])],
        [
            helper.make_tensor_value_info("cls", f, [1, shape.hidden]),
            helper.make_tensor_value_info("start", f, ["T", shape.dense]),
            helper.make_tensor_value_info("end", f, ["T", shape.dense]),
            helper.make_tensor_value_info("coherency", f, ["T", 2 * shape.coherency]),
            helper.make_tensor_value_info("keep", f, ["T", 2]),
            helper.make_tensor_value_info("terms", f, ["T", shape.term]),
            helper.make_tensor_value_info("ngrams", f, [4, "T", "T"]),
            *(helper.make_tensor_value_info(f"{kind}_vector", f, [1, shape.vector]) for kind in ("passage", "question") if shape.vector),
        ],
    )


def save_graph(graph: onnx.ModelProto, path: Path, int8: bool, leave: tuple[str, ...] = ()) -> None:
    """`int8`: products of activations with weights become integer products with one scale per
    channel of the weight; nodes in `leave` stay in float32."""
    if not int8:
        onnx.save(graph, path)
        return
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / path.name
        onnx.save(graph, plain)
        quantize_dynamic(
            plain,
            path,
            op_types_to_quantize=["MatMul", "Attention"],
            nodes_to_exclude=list(leave),
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": onnx.TensorProto.FLOAT},
        )


def skip_norm(g: Graph, x: str, skip: str, w: dict[str, np.ndarray], p: str, *, norm: str, bias: str, output: str | None = None) -> str:
    """Normalised rows of x + bias + skip. ONNX Runtime 1.30 computes MeanVarianceNormalization with vector
    instructions, and SkipLayerNormalization one number after the other: a pass takes a sixth less time.
    @param p  prefix in `w` of the layer's weights"""
    rows = g.op("Add", g.op("Add", x, g.constant(w[f"{p}{bias}.bias"])), skip)
    even = g.op("MeanVarianceNormalization", rows, axes=[-1])
    scaled = g.op("Mul", even, g.constant(w[f"{p}{norm}.weight"]))
    return g.op("Add", scaled, g.constant(w[f"{p}{norm}.bias"]), output=output)


def terms_graph(table: np.ndarray, bias: float, int8: bool, tile: int = 2048, groups: dict | None = None) -> onnx.ModelProto:
    """`table` (V, dt). Tiles of the vocabulary keep each product in the cache; the maximum is taken
    before scaling. With `groups` (term_groups.py), a second input (one bool per script) says of which scripts
    the weights are computed; those of the others are 0."""
    g = Graph()
    if int8:
        g.nodes.append(helper.make_node("DynamicQuantizeLinear", ["vectors"], ["codes", "step", "zero"], name="quantise"))
    runs = [[0, -1]] if groups is None else groups["runs"]
    ends = [start for start, _ in runs[1:]] + [len(table)]
    tiles = [(at, min(at + tile, end), group) for (start, group), end in zip(runs, ends) for at in range(start, end, tile)]
    maxima = {at: best_of(g, table[at:end], int8) for at, end, group in tiles if group < 0}
    for number, script in enumerate(groups["scripts"] if groups else []):
        own = [(at, end) for at, end, group in tiles if group == number]
        wanted = g.op("Gather", "scripts", g.constant(np.array(number, np.int64)), axis=0)
        branches = {kind: Graph(f"{script}_{kind}_") for kind in ("then", "else")}
        outputs = {
            "then": [best_of(branches["then"], table[at:end], int8) for at, end in own],
            "else": [constant_of(branches["else"], LOWEST, end - at) for at, end in own],
        }
        graphs = {
            f"{kind}_branch": helper.make_graph(
                branch.nodes,
                f"{script}_{kind}",
                [],
                [helper.make_tensor_value_info(name, TensorProto.FLOAT, [end - at]) for name, (at, end) in zip(outputs[kind], own)],
                branch.constants,
            )
            for kind, branch in branches.items()
        }
        names = [f"{script}{at}" for at, _ in own]
        g.nodes.append(helper.make_node("If", [wanted], names, name=script, **graphs))
        maxima.update(zip((at for at, _ in own), names))
    best = g.op("Concat", *(maxima[at] for at, _, _ in tiles), axis=0)
    if int8:
        best = g.op("Mul", best, "step")
    shifted = g.op("Relu", g.op("Add", best, g.constant(np.array(bias, np.float32))))
    g.op("Log", g.op("Add", shifted, g.constant(np.array(1, np.float32))), output="weights")
    inputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["t", table.shape[1]])]
    if groups:
        inputs.append(helper.make_tensor_value_info("scripts", TensorProto.BOOL, [len(groups["scripts"])]))
    return g.model(inputs, [helper.make_tensor_value_info("weights", TensorProto.FLOAT, [len(table)])])


# Product of a term that is not computed. Its weight is 0.
LOWEST = -1e30


def constant_of(g: Graph, value: float, count: int) -> str:
    """A vector with the same number `count` times, which takes no space in the file."""
    filled = helper.make_tensor("value", TensorProto.FLOAT, [1], [value])
    return g.op("ConstantOfShape", g.constant(np.array([count], np.int64)), value=filled)


def best_of(g: Graph, part: np.ndarray, int8: bool) -> str:
    """The largest product of each term in `part` (v, dt) with any row; in int8 before the rows' step."""
    if not int8:
        return g.op("ReduceMax", g.op("MatMul", "vectors", g.constant(part.T)), axes=[0], keepdims=0)
    scale = np.maximum(np.abs(part).max(1), 1e-8).astype(np.float32) / 127
    codes = np.clip(np.rint(part / scale[:, None]), -127, 127).astype(np.int8)
    best = g.op("ReduceMax", g.op("MatMulInteger", "codes", g.constant(codes.T), "zero"), axes=[0], keepdims=0)
    return g.op("Mul", g.op("Cast", best, to=TensorProto.FLOAT), g.constant(scale))
