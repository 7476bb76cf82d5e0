#!/usr/bin/env python3
"""Measures redlines: pairs of versions made from contracts, with changes that are known.

usage: redline.py CONTRACTS [--pairs N] [--seed N] [--program PROGRAM] [--show N]

CONTRACTS is a folder of contracts as plain text. Of each pair, the old version is a contract; the new one has some of these changes, in
paragraphs that are at least three apart: a number changed, words changed, a clause retitled, a sentence inserted or deleted, a paragraph
inserted, deleted, moved (by at least six paragraphs), or moved and changed. Every second new version is a DOCX file with the same
paragraphs, without the page breaks of the text.

A change is found exactly if the program gives it with the same kind, the same old and new paragraph, and, for changed paragraphs, exactly
the words that were taken out and put in. Whatever else the program gives is invented. Passages are embedded by one layer of the model, because
vectors play no part. Ingestion takes some two minutes. Needs the Python standard library only.
"""
import argparse, collections, hashlib, json, os, random, re, shutil, subprocess, tempfile, time, zipfile
from pathlib import Path
from xml.sax.saxutils import escape

TITLES = ["Duration", "Remuneration", "Oversight", "Communications", "Assurances", "Survival of Duties", "Dealings With Third Parties"]
NAMES = "Halvorsen Brightwater Castellan Oakhurst Meridian Thornbury Kestrel Vandermeer Lockridge Pemberton".split()
TITLE = re.compile(r"^((?:Section |Article |SECTION |ARTICLE )?\d+(?:\.\d+)*\.?\s+)([A-Z][A-Za-z ,;&]{2,50}?)(\.\s|$)")
HEADING = re.compile(r"^[A-Z][A-Z ,;&]{3,50}$")
WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|\w+|[^\w\s]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contracts", type=Path)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--program", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--show", type=int, default=0, help="misses and inventions to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="casetrack-redline-") as folder:
        measure(options, Path(folder))


def measure(options, work):
    rng = random.Random(options.seed)
    files = sorted(options.contracts.glob("*.txt"))
    rng.shuffle(files)
    texts = [split(file.read_text(encoding="utf-8", errors="replace")) for file in files]
    texts = [paragraphs for paragraphs in texts if len(paragraphs) >= 30]
    (work / "files").mkdir()
    pairs = []
    for number, paragraphs in enumerate(texts[: options.pairs]):
        others = [one for other in texts[number + 1 :] + texts[:number] for one in other if is_prose(one)][:200]
        new, expected = edited(paragraphs, others, rng)
        names = f"{number:03}-old.txt", f"{number:03}-new.{'docx' if number % 2 else 'txt'}"
        (work / "files" / names[0]).write_text("\n\n".join(paragraphs), encoding="utf-8")
        write(work / "files" / names[1], new)
        pairs.append((names, expected))
    environment = dict(os.environ, CASETRACK_MODELS=str(models(work)))
    run = lambda *arguments: subprocess.run([options.program, "--data-dir", work / "data", *arguments], check=True, env=environment,
                                            stdout=subprocess.PIPE, text=True).stdout
    run("new", "pairs", "-q")
    run("ingest", work / "files", "-c", "pairs", "-q")
    counts, exact, invented, seconds = collections.Counter(), collections.Counter(), collections.Counter(), []
    for (old, new), expected in pairs:
        started = time.monotonic()
        redline = json.loads(run("redline", old, new, "-c", "pairs", "--json"))
        seconds.append(time.monotonic() - started)
        given = [change_of(change) for change in redline["changes"]]
        for change in expected:
            counts[change["kind"]] += 1
            match = next((one for one in given if is_same(change, one)), None)
            if match:
                exact[change["kind"]] += 1
                given.remove(match)
            elif options.show > 0:
                options.show -= 1
                print(f"missed in {new}: {json.dumps(change, ensure_ascii=False)[:900]}")
        for change in given:
            invented[change["kind"]] += 1
            if options.show > 0:
                options.show -= 1
                print(f"not made in {new}: {json.dumps(change, ensure_ascii=False)[:900]}")
    for kind in counts:
        print(f"{kind:18} {exact[kind]:4} of {counts[kind]:4} exactly, {invented[kind]} not made")
    for kind in set(invented) - set(counts):
        print(f"{kind:18} {invented[kind]} not made")
    total, found = sum(counts.values()), sum(exact.values())
    print(f"{len(pairs)} pairs: {found} of {total} changes exactly ({found / total:.3f}), {sum(invented.values())} not made; "
          f"{sorted(seconds)[len(seconds) // 2]:.2f} s for a redline (median), {max(seconds):.2f} s at most")


def models(work):
    """The embedding model with one of its six layers: vectors play no part here, and ingestion takes a fifth of the time."""
    source, target = Path(__file__).resolve().parents[2] / "models", work / "models"
    dense = source / "e1-all-minilm-l6-v2"
    (target / dense.name).mkdir(parents=True)
    config = (dense / "config.json").read_bytes()
    short = json.dumps(json.loads(config) | {"num_hidden_layers": 1}).encode()
    hashes = [hashlib.sha256(text).hexdigest() for text in (config, short)]
    (target / "manifest.toml").write_text((source / "manifest.toml").read_text().replace(*hashes))
    (target / dense.name / "config.json").write_bytes(short)
    for file in dense.iterdir():
        if file.name != "config.json":
            shutil.copy(file, target / dense.name)
    return target


def split(text):
    """Paragraphs: runs of lines between blank lines."""
    return [one.strip() for one in re.split(r"\n[ \t\r]*\n", text.replace("\r\n", "\n").replace("\x0c", "\n\n")) if one.strip()]


def joined(text):
    return " ".join(text.replace("\u00ad", "").replace("\u200b", "").replace("\ufeff", "").split())


def is_prose(paragraph):
    words = paragraph.split()
    return (len(words) >= 15 and sum(word.isalpha() for word in words) > 9 and not paragraph.startswith("Source:")
            and paragraph[0].isupper() and paragraph.rstrip()[-1] in ".;:")


def is_closed(paragraph):
    """Whether it ends with its sentence, so that something can be put after it; page numbers may stand in the middle of one."""
    return len(paragraph.split()) >= 8 and paragraph.rstrip()[-1] in ".;"


def edited(paragraphs, others, rng):
    """The paragraphs of a new version, and the changes that were made."""
    places = list(range(2, len(paragraphs) - 1))
    rng.shuffle(places)
    taken, expected = set(), []
    after, result = collections.defaultdict(list), list(paragraphs)
    counts = collections.Counter(paragraphs)

    def take(accepts):
        for place in places:
            free = all(near not in taken for near in range(place - 2, place + 3))
            # Neighbours that end within a sentence may belong to the same paragraph.
            apart = paragraphs[place - 1].rstrip()[-1] in ".;:" or not paragraphs[place][0].islower()
            closed = paragraphs[place].rstrip()[-1] in ".;:" or not paragraphs[place + 1][0].islower()
            if free and apart and closed and counts[paragraphs[place]] == 1 and accepts(paragraphs[place]):
                taken.add(place)
                return place
        return None

    def change(place, new, kind="changed"):
        old = paragraphs[place]
        expected.append({"kind": kind, "old": joined(old), "new": joined(new), **words(old, new)})
        return new

    def insert_after(place, text):
        after[place].append(text)

    for edit in 3 * ["number"] + 2 * ["word"] + 2 * ["title"] + ["sentence in", "sentence out", "in", "in", "out", "out", "moved", "moved", "both"]:
        if edit in ("number", "word"):
            alter = number_changed if edit == "number" else word_changed
            place = take(lambda text: is_prose(text) and alter(text, random.Random(0)))
            if place is not None:
                result[place] = change(place, alter(paragraphs[place], rng))
        elif edit == "title":
            place = take(lambda text: retitled(text, random.Random(0)))
            if place is not None:
                result[place] = change(place, retitled(paragraphs[place], rng))
        elif edit == "sentence in":
            place, sentence = take(is_prose), sentence_of(rng.choice(others))
            if place is not None and sentence:
                result[place] = change(place, f"{paragraphs[place].rstrip()} {sentence}")
        elif edit == "sentence out":
            place = take(lambda text: is_prose(text) and len(sentences(text)) > 2)
            if place is not None:
                parts = sentences(paragraphs[place])
                result[place] = change(place, " ".join(parts[:1] + parts[2:]))
        elif edit == "in":
            place, text = take(is_closed), rng.choice(others)
            if place is not None and text not in counts:
                counts[text] += 1
                insert_after(place, text)
                expected.append({"kind": "inserted", "old": None, "new": joined(text)})
        elif edit == "out":
            place = take(is_prose)
            if place is not None:
                result[place] = None
                expected.append({"kind": "deleted", "old": joined(paragraphs[place]), "new": None})
        else:
            place = take(lambda text: is_prose(text) and (edit == "moved" or number_changed(text, random.Random(0))))
            to = take(is_closed) if place is not None else None
            if to is not None and abs(to - place) >= 6:
                text = paragraphs[place]
                if edit == "both":
                    text = change(place, number_changed(text, rng), "moved_and_changed")
                else:
                    expected.append({"kind": "moved", "old": joined(text), "new": joined(text)})
                result[place] = None
                insert_after(to, text)
    new = []
    for place, text in enumerate(result):
        new.extend([text] if text is not None else [])
        new.extend(after[place])
    return new, expected


def number_changed(text, rng):
    numbers = [match for match in re.finditer(r"(?<![\w.,/])\d{1,3}(?![\w/]|[.,]\d)", text)]
    if not numbers:
        return None
    match = rng.choice(numbers)
    return text[: match.start()] + str(int(match.group()) + rng.randint(1, 40)) + text[match.end() :]


def word_changed(text, rng):
    found = [match for match in re.finditer(r"(?<=[a-z] )[a-z]{5,}(?= [a-z])", text)]
    if not found:
        return None
    match = rng.choice(found)
    return text[: match.start()] + rng.choice(NAMES) + text[match.end() :]


def retitled(text, rng):
    title = rng.choice(TITLES)
    if HEADING.match(text):
        return title.upper()
    match = TITLE.match(text)
    return text[: match.start(2)] + title + text[match.end(2) :] if match else None


def sentences(text):
    return re.split(r"(?<=[a-z]\.)\s+(?=[A-Z])", text)


def sentence_of(text):
    return next((one for one in sentences(text) if len(one.split()) >= 6), None)


def words(old, new):
    """The words, numbers and signs that are on one side only."""
    a, b = (collections.Counter(folded(WORD.findall(text))) for text in (old, new))
    return {"out": sorted((a - b).elements()), "in": sorted((b - a).elements())}


def folded(tokens):
    shapes = str.maketrans("‘’“”–—‑", "''\"\"---")
    return [token.translate(shapes) for token in tokens]


def change_of(change):
    found = {"kind": change["kind"], "old": (change.get("old") or {}).get("quote"), "new": (change.get("new") or {}).get("quote")}
    if change.get("marked"):
        deleted, inserted = (collections.Counter(folded(WORD.findall(" ".join(re.findall(pattern, change["marked"])))))
                             for pattern in (r"\[-(.*?)-\]", r"\{\+(.*?)\+\}"))
        # What stands on both sides of a rearranged stretch did not change.
        found["out"], found["in"] = sorted((deleted - inserted).elements()), sorted((inserted - deleted).elements())
        found["marks"] = change["marked"]
    return found


def is_same(expected, given):
    if any(expected.get(key) != given.get(key) for key in ("kind", "out", "in")):
        return False
    return all(is_within(expected[side], given[side], "out" in expected) for side in ("old", "new"))


def is_within(expected, given, is_marked):
    """Whether the program gives the paragraph, or, with exactly its words marked, one that goes on beyond the number of a page."""
    if expected is None or given is None:
        return expected == given
    return expected == joined(given) or is_marked and expected in joined(given)


def write(path, paragraphs):
    if path.suffix == ".txt":
        path.write_text("\n\n".join(paragraphs), encoding="utf-8")
        return
    keep = lambda text: "".join(c for c in text if c in "\t\n" or ord(c) >= 32)
    body = "".join(f'<w:p><w:r><w:t xml:space="preserve">{escape(keep(joined(text)))}</w:t></w:r></w:p>' for text in paragraphs)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                         '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                         '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
        package.writestr("_rels/.rels", '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                         '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>')
        package.writestr("word/document.xml", '<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
                         f"<w:body>{body}</w:body></w:document>")


if __name__ == "__main__":
    main()
