"""The reference implementation that the benches compare with: the models of models/ in float32 through ONNX Runtime.

Needs: pip install numpy onnx onnxruntime safetensors tokenizers
"""
import hashlib
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

import onnx_export

MODELS = Path(__file__).resolve().parents[2] / "models"
E1 = MODELS / "e1-all-minilm-l6-v2"
E6 = MODELS / "e6-splade-tiny"
MAX_TOKENS = 512
WINDOW, STRIDE = 2000, 1800  # characters


def windows(text, size=WINDOW, stride=STRIDE):
    """(start, text) of overlapping windows that cover the text; the last one may be shorter."""
    return [(start, text[start:start + size]) for start in range(0, max(1, len(text) - (size - stride)), stride)]


def session(model, threads):
    """An ONNX Runtime session on the processor, of a path or of a model's bytes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Encoder:
    """A model of models/ with its tokenizer; texts are cut at max_tokens, [CLS] and [SEP] among them."""

    def __init__(self, model_dir, head="hidden", max_tokens=MAX_TOKENS, threads=2):
        self.model_dir, self.head, self.max_tokens = Path(model_dir), head, max_tokens
        self.threads, self._session = threads, None
        self.tokenizer = Tokenizer.from_file(str(self.model_dir / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)

    @property
    def session(self):
        if self._session is None:
            model = onnx_export.bert(self.model_dir, self.head)
            self._session = session(model.SerializeToString(), self.threads)
        return self._session

    def tokenize(self, texts):
        """The token ids of each text."""
        return [np.array(encoding.ids) for encoding in self.tokenizer.encode_batch(list(texts))]

    def run(self, ids, batch_tokens=4096):
        """Yields (index, output) of each text: states [tokens, hidden] or sparse weights [vocabulary]. Texts of like length
        share a batch, so that little padding is computed."""
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        while order:
            size = max(1, batch_tokens // len(ids[order[-1]]))
            batch, order = order[-size:], order[:-size]
            for i, out in zip(batch, run_batch(self.session, [ids[i] for i in batch])):
                yield i, out[:len(ids[i])] if self.head == "hidden" else out

    def all(self, texts):
        """The outputs of the texts, in their order."""
        out = dict(self.run(self.tokenize(texts)))
        return [out[i] for i in range(len(out))]

    def dense(self, texts):
        """Normalised means of the states, [texts, hidden]."""
        ids = self.tokenize(texts)
        vectors = np.zeros((len(ids), 384), np.float32)
        for i, states in self.run(ids):
            vectors[i] = states.mean(0)
        return normalised(vectors)


def run_batch(session, ids):
    """One forward pass over texts padded to the longest."""
    padded = np.zeros((len(ids), max(map(len, ids))), np.int64)
    mask = np.zeros_like(padded)
    for row, tokens in enumerate(ids):
        padded[row, :len(tokens)] = tokens
        mask[row, :len(tokens)] = 1
    return session.run(None, {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)})[0]


def normalised(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


class Cache:
    """Keeps what a function computed from texts as .npy files of a directory, named by the texts' hash."""

    def __init__(self, directory):
        self.directory = directory and Path(directory)
        if self.directory:
            self.directory.mkdir(parents=True, exist_ok=True)

    def get(self, name, texts, compute):
        if not self.directory:
            return compute(texts)
        digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
        path = self.directory / f"{name}-{digest}.npy"
        if not path.exists():
            np.save(path, compute(texts))
        return np.load(path, mmap_mode="r")


def token_states(encoder, texts, cache):
    """(token ids of each text, states of all tokens one after another [all tokens, 384] float16, the texts' bounds in them)."""
    ids = encoder.tokenize(texts)
    bounds = np.concatenate([[0], np.cumsum([len(i) for i in ids])])

    def compute(_):
        states = np.zeros((bounds[-1], 384), np.float16)
        for i, out in encoder.run(ids):
            states[bounds[i]:bounds[i + 1]] = out
        return states

    return ids, cache.get(f"states-{encoder.max_tokens}", texts, compute), bounds
