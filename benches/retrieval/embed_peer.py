#!/usr/bin/env python3
"""Speed of CaseTrack's embedding against ONNX Runtime on the same weights and text, in the same run.

usage: embed_peer.py PATH... [--threads N] [--chunks M] [--rounds R] [--lab PROGRAM] [--precision float32 int8]
                     [--peers float32 int8]

PATH: text files, or folders of *.txt. Both programs embed their first M windows of 2000 characters, stride 1800, from text to
normalised means; ONNX Runtime sorted by length and padded to the longest of a batch, in float32 and dynamically quantised to
int8, each with the batch size of 1, 4, 8 and 16 that is fastest here. They take turns, R rounds. Prints the median, the lowest
and the highest speed of each, and the ratio of the medians of tokens/s, which does not depend on how the text was cut.
Needs: pip install numpy onnx onnxruntime safetensors tokenizers
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import onnx

import onnx_export
import reference

BATCHES = (1, 4, 8, 16)


class OnnxRuntime:
    """One model file, its windows, and the batch size that is fastest."""

    def __init__(self, path, tokenizer, texts, threads):
        self.session = reference.session(path, threads)
        self.tokenizer, self.texts = tokenizer, texts
        few = texts[:32]
        self.batch = None  # until it is chosen
        self.batch = max(BATCHES, key=lambda batch: max(self.embed(few, batch)["tokens_per_second"] for _ in range(2)))

    def embed(self, texts, batch):
        started = time.perf_counter()
        ids = sorted((encoding.ids for encoding in self.tokenizer.encode_batch(texts)), key=len)
        for start in range(0, len(ids), batch):
            part = ids[start:start + batch]
            states = reference.run_batch(self.session, part)
            for tokens, out in zip(part, states):
                reference.normalised(out[:len(tokens)].mean(0))
        seconds = time.perf_counter() - started
        return {"tokens_per_second": sum(map(len, ids)) / seconds, "chunks_per_second": len(ids) / seconds}

    def run(self):
        return self.embed(self.texts, self.batch)


class CaseTrack:
    def __init__(self, program, precision, files, threads, chunks):
        self.command = [program, "bench", "embed", "--model", "e1", "--json", "--precision", precision, "--threads", str(threads),
                        "--rounds", "1", "--chunks", str(chunks), *map(str, files)]

    def run(self):
        return json.loads(subprocess.run(self.command, stdout=subprocess.PIPE, check=True).stdout)


def text_files(paths):
    return [file for path in map(Path, paths) for file in (sorted(path.glob("*.txt")) if path.is_dir() else [path])]


def windows(files, most):
    found = []
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        found += [part for _, part in reference.windows(text) if part.strip()]
        if len(found) >= most:
            break
    return found[:most]


def int8(float32_path, path):
    """Dynamic quantisation of the weights, as ONNX Runtime's tool does it; None where the tool cannot be imported."""
    try:
        from onnxruntime.quantization import QuantType, quantize_dynamic
    except ImportError as error:
        print(f"no int8: {error}")
        return None
    quantize_dynamic(float32_path, path, weight_type=QuantType.QInt8)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--chunks", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lab", default=os.path.join(target, "release", "casetrack-lab"), help='"" leaves CaseTrack out')
    parser.add_argument("--precision", nargs="+", choices=("float32", "int8"), default=["float32"], help="of CaseTrack")
    parser.add_argument("--peers", nargs="*", choices=("float32", "int8"), default=["float32", "int8"])
    options = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = str(options.threads)  # of the tokenizer
    files = text_files(options.paths)
    texts = windows(files, options.chunks)
    tokenizer = reference.Encoder(reference.E1).tokenizer

    runners = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.lab:
            for precision in options.precision:
                runners[f"casetrack {precision}"] = CaseTrack(options.lab, precision, files, options.threads, options.chunks)
        models = {"float32": os.path.join(folder, "float32.onnx")}
        onnx.save(onnx_export.bert(reference.E1, "hidden"), models["float32"])
        if "int8" in options.peers:
            models["int8"] = int8(models["float32"], os.path.join(folder, "int8.onnx"))
        for name in options.peers:
            if models[name]:
                runners[f"onnxruntime {name}"] = OnnxRuntime(models[name], tokenizer, texts, options.threads)
        results = {name: [] for name in runners}
        for _ in range(options.rounds):
            for name, runner in runners.items():
                results[name].append(runner.run())

    tokens = sum(len(encoding.ids) for encoding in tokenizer.encode_batch(texts))
    print(f"{len(texts)} windows, {tokens / len(texts):.0f} tokens on average, {options.threads} threads, {options.rounds} rounds")
    print(f"{'':24} {'chunks/s':>9} {'tokens/s':>9} {'lowest':>9} {'highest':>9}")
    medians = {}
    for name, rounds in results.items():
        speeds = [r["tokens_per_second"] for r in rounds]
        medians[name] = statistics.median(speeds)
        label = name + (f", batch {runners[name].batch}" if hasattr(runners[name], "batch") else "")
        print(f"{label:24} {statistics.median(r['chunks_per_second'] for r in rounds):9.2f} {medians[name]:9.0f} "
              f"{min(speeds):9.0f} {max(speeds):9.0f}")
    for own in (name for name in runners if isinstance(runners[name], CaseTrack)):
        for name in (name for name in runners if isinstance(runners[name], OnnxRuntime)):
            print(f"{own} / {name}: {medians[own] / medians[name]:.2f}")
        last = results[own][-1]
        print(own, ", ".join(f"{key} {last[key]}" for key in
                             ("gflops", "peak_gflops", "share_of_peak", "peak_memory_mb", "query_p50_ms", "load_ms") if key in last))
    print(f"peak memory of this script with ONNX Runtime: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
