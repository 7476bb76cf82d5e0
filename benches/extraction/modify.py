#!/usr/bin/env python3
"""What it costs when one paragraph of a long document changes, as a part of its full ingestion.

usage: modify.py [--casetrack PROGRAM] [--pages N] [--seed N] [--keep FOLDER] [FORMAT...]

Makes a report of invented text as PDF, DOCX and text (pages ended by form feeds), ingests each into a collection of its own, rewrites one
paragraph in the middle and syncs the folder; both in the same process, which has loaded its models before. Printed are both times, their ratio,
and how many chunks were embedded again. --keep leaves the files and collections. Needs the Python standard library only.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile
import zipfile
import zlib
from pathlib import Path

PARAGRAPHS = 5  # a page
SENTENCES = 4  # a paragraph
COLUMNS = 92  # characters a line

NAMES = ["Orla Quill", "Teodor Marsh", "Ines Valdano", "Kofi Brandt", "Maeve Sorel", "Ruben Ashby", "Linnea Doyle", "Pavel Orsini"]
FIRMS = ["Harrow Vale Ltd.", "Quayside Partners LLP", "Norwick Foods, Inc.", "Tarn & Beck GmbH", "Solent Freight Corp."]
PLACES = ["Bristol", "Rotterdam", "Lisbon", "Gdansk", "Oslo", "Toronto"]
NOUNS = """inspection schedule drainage footing permit tender variation allowance ledger survey bulkhead culvert retention warranty invoice
scaffold membrane conduit stairwell lintel mortar parapet gutter cladding glazing partition switchboard sprinkler pump valve""".split()
VERBS = "reviewed postponed approved measured revised rejected completed documented disputed certified replaced tested".split()
ADVERBS = "promptly partly twice reluctantly formally jointly provisionally thoroughly".split()


def sentence(rng):
    noun, other = rng.sample(NOUNS, 2)
    return rng.choice([
        f"The {noun} was {rng.choice(VERBS)} {rng.choice(ADVERBS)} by {rng.choice(NAMES)} before the {other} in {rng.choice(PLACES)} was due.",
        f"{rng.choice(FIRMS)} {rng.choice(VERBS)} the {noun} on {rng.randint(1, 28)} March {rng.randint(2015, 2024)} for ${rng.randint(2, 900)},{rng.randint(100, 999)}.",
        f"Under Section {rng.randint(1, 30)}.{rng.randint(1, 9)} each {noun} and every {other} numbered {rng.randint(100, 9999)} is {rng.choice(VERBS)} {rng.choice(ADVERBS)}.",
        f"No {noun} may be {rng.choice(VERBS)} until the {other} of {rng.choice(FIRMS)} has been {rng.choice(VERBS)} and {rng.choice(VERBS)}.",
    ])


def pages(count, seed):
    """Pages of paragraphs of text."""
    rng = random.Random(seed)
    return [[" ".join(sentence(rng) for _ in range(SENTENCES)) for _ in range(PARAGRAPHS)] for _ in range(count)]


def lines(paragraph):
    found = [""]
    for word in paragraph.split():
        if found[-1] and len(found[-1]) + 1 + len(word) > COLUMNS:
            found.append(word)
        else:
            found[-1] = f"{found[-1]} {word}".strip()
    return found


def write_text(path, report):
    path.write_text("\f".join("\n\n".join("\n".join(lines(p)) for p in page) + "\n" for page in report), encoding="utf-8")


def write_docx(path, report):
    body = []
    for number, page in enumerate(report):
        for place, paragraph in enumerate(page):
            brk = '<w:r><w:br w:type="page"/></w:r>' if number and not place else ""
            text = paragraph.replace("&", "&amp;")
            body.append(f"<w:p>{brk}<w:r><w:t>{text}</w:t></w:r></w:p>")
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    packages = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", f'<Types xmlns="{packages}/content-types"><Default Extension="rels" '
                      'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                      f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>')
        file.writestr("_rels/.rels", f'<Relationships xmlns="{packages}/relationships"><Relationship Id="r1" '
                      f'Type="{office}" Target="word/document.xml"/></Relationships>')
        file.writestr("word/document.xml", f'<w:document xmlns:w="{main}"><w:body>{"".join(body)}</w:body></w:document>')


def write_pdf(path, report):
    objects = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in report:
        text = ["BT /F1 10 Tf 13 TL 50 800 Td"]
        for paragraph in page:
            for line in lines(paragraph):
                text.append("(%s) '" % line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)"))
            text.append("T*")
        stream = zlib.compress("\n".join([*text, "ET"]).encode("ascii"))
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                       b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects))
        kids.append(b"%d 0 R" % len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out, offsets = bytearray(b"%PDF-1.5\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, xref)
    path.write_bytes(out)


FORMATS = {"pdf": write_pdf, "docx": write_docx, "txt": write_text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="pdf, docx, txt")
    parser.add_argument("--casetrack", default="casetrack")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        measure(options, options.keep or Path(temporary))


def measure(options, work):
    home = work / "home"
    environment = {**os.environ, "CASETRACK_HOME": str(home)}

    def casetrack(*arguments):
        answer = subprocess.run([options.casetrack, *map(str, arguments), "--json"], env=environment, capture_output=True, text=True)
        if answer.returncode:
            raise SystemExit(f"casetrack {' '.join(map(str, arguments))}: {answer.stderr or answer.stdout}")
        return json.loads(answer.stdout)

    try:
        warm = work / "warm.txt"
        warm.parent.mkdir(parents=True, exist_ok=True)
        write_text(warm, pages(1, options.seed + 1))
        casetrack("new", "warm")
        casetrack("ingest", warm, "-c", "warm")
        print(f"{'format':8}{'pages':>7}{'chunks':>8}{'full s':>9}{'modify s':>10}{'ratio':>8}{'embedded':>10}{'kept':>7}")
        for extension in options.formats or FORMATS:
            folder = work / extension
            folder.mkdir()
            path, report = folder / f"report.{extension}", pages(options.pages, options.seed)
            FORMATS[extension](path, report)
            casetrack("new", extension)
            full = casetrack("ingest", folder, "-c", extension)
            changed = report[len(report) // 2]
            changed[2] = sentence(random.Random(options.seed + 2)) + " " + changed[2].split(". ", 1)[1]
            FORMATS[extension](path, report)
            sync = casetrack("sync", folder, "-c", extension)
            [document] = sync["changed"]
            ratio = sync["duration_ms"] / full["duration_ms"]
            print(f"{extension:8}{document['pages']:>7}{document['chunks']:>8}{full['duration_ms'] / 1000:>9.2f}"
                  f"{sync['duration_ms'] / 1000:>10.3f}{ratio:>8.2%}{sync['chunks_embedded']:>10}{sync['chunks_reused']:>7}", flush=True)
    finally:
        subprocess.run([options.casetrack, "stop"], env=environment, capture_output=True)


if __name__ == "__main__":
    main()
