#!/usr/bin/env python3
"""Turns a BERT encoder's folder (config.json, model.safetensors) into an ONNX float32 graph, for ONNX Runtime.

usage: onnx_export.py MODEL_DIR OUT.onnx [--head hidden|splade]

Inputs: input_ids, attention_mask, token_type_ids, int64 [batch, tokens]. Output "out", float32:
  hidden   the last layer's states, [batch, tokens, hidden]
  splade   log(1 + max(0, the highest logit over the tokens)) of each vocabulary entry, [batch, vocabulary]
Weights in half precision are widened, so that the graph computes in float32 what the file holds.
Needs: pip install numpy onnx safetensors
"""
import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

HEADS = ("hidden", "splade")
MASKED = 1e9  # larger than any score or logit of these models


class Graph:
    """ONNX nodes and constants; every method returns the name of what it adds."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def op(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values, dtype=np.float32):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype=dtype, order="C"), name))
        return name

    def weight(self, name):
        return self.constant(self.weights[name])

    def linear(self, x, name):
        product = self.op("MatMul", x, self.constant(self.weights[name + ".weight"].T))
        return self.op("Add", product, self.weight(name + ".bias"))

    def layer_norm(self, x, name, epsilon):
        weight, bias = self.weight(name + ".weight"), self.weight(name + ".bias")
        return self.op("LayerNormalization", x, weight, bias, axis=-1, epsilon=epsilon)

    def gelu(self, x):
        """x / 2 · (1 + erf(x / √2)), the exact form that BERT was trained with."""
        erf = self.op("Erf", self.op("Mul", x, self.constant(0.5**0.5)))
        return self.op("Mul", self.op("Mul", x, self.constant(0.5)), self.op("Add", erf, self.constant(1.0)))

    def masked(self, axes):
        """0 where a token stands, a large negative number where padding does, with new axes to broadcast over."""
        mask = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        mask = self.op("Mul", self.op("Sub", mask, self.constant(1.0)), self.constant(MASKED))
        return self.op("Unsqueeze", mask, self.constant(axes, np.int64))


def bert(model_dir, head):
    """The ONNX model of an encoder with one of HEADS."""
    model_dir = Path(model_dir)
    config = json.loads((model_dir / "config.json").read_text(encoding="utf-8"))
    # Old checkpoints call a layer norm's weight and bias gamma and beta, and some put "bert." before the encoder's names.
    old = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
    weights = {}
    for name, tensor in load_file(model_dir / "model.safetensors").items():
        name = name.removeprefix("bert.")
        for before, after in old.items():
            name = name.replace(before, after)
        weights[name] = tensor
    g = Graph(weights)
    epsilon = config["layer_norm_eps"]
    x = embeddings(g, epsilon)
    attention_mask = g.masked([1, 2])
    for layer in range(config["num_hidden_layers"]):
        x = encoder_layer(g, x, f"encoder.layer.{layer}.", attention_mask, config)
    if head == "splade":
        x = splade(g, x, epsilon)
    g.nodes.append(helper.make_node("Identity", [x], ["out"]))
    shape = ["batch", config["vocab_size"]] if head == "splade" else ["batch", "tokens", config["hidden_size"]]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
              for name in ("input_ids", "attention_mask", "token_type_ids")]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, shape)
    graph = helper.make_graph(g.nodes, "bert", inputs, [output], g.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def embeddings(g, epsilon):
    tokens = g.op("Gather", g.op("Shape", "input_ids"), g.constant(1, np.int64), axis=0)
    positions = g.op("Range", g.constant(0, np.int64), tokens, g.constant(1, np.int64))
    x = g.op("Add", g.op("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids"),
             g.op("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"))
    x = g.op("Add", x, g.op("Gather", g.weight("embeddings.position_embeddings.weight"), positions))
    return g.layer_norm(x, "embeddings.LayerNorm", epsilon)


def encoder_layer(g, x, name, mask, config):
    hidden, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    width = hidden // heads

    def split(part, order):
        """[batch, tokens, hidden] to one matrix a head."""
        y = g.linear(x, f"{name}attention.self.{part}")
        return g.op("Transpose", g.op("Reshape", y, g.constant([0, 0, heads, width], np.int64)), perm=order)

    scores = g.op("MatMul", split("query", [0, 2, 1, 3]), split("key", [0, 2, 3, 1]))
    scores = g.op("Add", g.op("Mul", scores, g.constant(width**-0.5)), mask)
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), split("value", [0, 2, 1, 3]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.constant([0, 0, hidden], np.int64))
    y = g.op("Add", g.linear(y, f"{name}attention.output.dense"), x)
    x = g.layer_norm(y, f"{name}attention.output.LayerNorm", epsilon)
    y = g.gelu(g.linear(x, f"{name}intermediate.dense"))
    y = g.op("Add", g.linear(y, f"{name}output.dense"), x)
    return g.layer_norm(y, f"{name}output.LayerNorm", epsilon)


def splade(g, x, epsilon):
    """The masked-language-model head, its decoder tied to the word embeddings, and SPLADE's max pooling (Formal et al. 2021).
    The logarithm grows with its argument, so that the maximum may be taken first."""
    x = g.gelu(g.linear(x, "cls.predictions.transform.dense"))
    x = g.layer_norm(x, "cls.predictions.transform.LayerNorm", epsilon)
    x = g.op("MatMul", x, g.constant(g.weights["embeddings.word_embeddings.weight"].T))
    x = g.op("Add", g.op("Add", x, g.weight("cls.predictions.bias")), g.masked([2]))
    x = g.op("Relu", g.op("ReduceMax", x, axes=[1], keepdims=0))
    return g.op("Log", g.op("Add", x, g.constant(1.0)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model_dir")
    parser.add_argument("out")
    parser.add_argument("--head", choices=HEADS, default="hidden")
    options = parser.parse_args()
    onnx.save(bert(options.model_dir, options.head), options.out)
