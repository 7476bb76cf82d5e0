#!/usr/bin/env python3
"""Measures how Bates numbers are found: generated documents, native and scanned, with numbers left out and stamped twice.

usage: bates.py [--pages N] [--seed N] [--prefixes A,B] [--work FOLDER] [--program PROGRAM] [--show N]

Makes documents of 4 to 24 pages, N pages in all (default 500): a quarter native, and a quarter each scanned at 150, 200 and 300 dpi,
turned by up to 3 degrees, with noise, blur and a grey background. Each has numbers of one of several forms at one of several places, a page
number, a running head, and on some pages dates, docket and telephone numbers near the edges. In a tenth of the steps from page to page,
numbers are left out. Native documents also have numbers that are stamped twice. All are ingested; `casetrack bates` says what was found.

| measured | |
|---|---|
| exact | pages whose number is the one printed on them, of all pages: the same letters, digits and number of digits; separators are not compared, because scans lose them and searches ignore them |
| wrong | pages with another number |
| gaps | gaps inside documents that are reported as they are, of all gaps; and gaps that are reported and do not exist |
| repeated | numbers stamped twice that are reported, of all of them; and numbers reported that are not |

Needs Pillow, numpy and reportlab, in an environment of its own; the fonts are DejaVu's and reportlab's. Scans take some seconds a page.
"""
import argparse, json, os, random, subprocess, tempfile
from collections import Counter
from pathlib import Path

import numpy
import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.pdfgen import canvas

WIDTH, HEIGHT = 612, 792
PREFIXES = ["SMITH", "ABC-DEF-", "JONES_", "Acme ", "PLTF", "USDC-SD-", "GOOG-", "DEFENDANT", "B2B", "OHIO", "MR.", ""]
PLACES = ["bottom right", "bottom left", "bottom centre", "top right"]
FONTS = ["DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf", "DejaVuSans-Bold.ttf",
         str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")]
STANDARD_FONTS = ["Helvetica", "Times-Roman", "Courier", "Helvetica-Bold"]
WORDS = ("the party shall deliver notice of each default and payment under this agreement before any term ends unless other "
         "parties consent in writing to a longer period or waive the claim as stated in section nine of the lease").split()
ODD = ["Case 1:20-cv-01234-ABC Document 45 Filed 03/04/21", "Tel. 212-555-0142", "March 14, 2003", "Form 10-0042 (Rev. 2004)",
       "Dallas, TX 75201", "PageID.1234"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prefixes", type=lambda text: text.split(","), default=PREFIXES,
                        help="of the numbers, with commas between; each document puts two letters of its own into one")
    parser.add_argument("--work", type=Path, help="keeps the files and the collection")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--program", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--show", type=int, default=10, help="misses to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="casetrack-bates-") as folder:
        measure(options, options.work or Path(folder))


def measure(options, work):
    rng = random.Random(options.seed)
    files = work / "files"
    files.mkdir(parents=True, exist_ok=True)
    kinds = ["native", 150, 200, 300]
    printed, left = {}, {kind: options.pages // len(kinds) for kind in kinds}
    while any(left.values()):
        for kind in kinds:
            count = min(rng.randint(4, 24), left[kind])
            if count:
                left[kind] -= count
                name = f"{len(printed):03}-{kind}.pdf"
                printed[name] = (kind, document(files / name, kind, count, options.prefixes, rng, len(printed)))
    command = [options.program, "--data-dir", work / "home"]
    if not (work / "home" / "collections").is_dir():
        subprocess.run([*command, "new", "bates", "-q"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*command, "ingest", files, "-c", "bates", "-q"], check=True, stdout=subprocess.DEVNULL)
    try:
        report = json.loads(subprocess.run([*command, "bates", "-c", "bates", "--json"], check=True, capture_output=True).stdout)
    finally:
        subprocess.run([*command, "stop"], stdout=subprocess.DEVNULL)
    evaluate(printed, report, options.show)


def document(path, kind, count, prefixes, rng, index):
    """Writes a document and returns the number printed on each page. No two documents have a series in common."""
    prefix = prefixes[index % len(prefixes)]
    if prefix:
        # Letters that no other document has.
        letters = chr(65 + index // 26 % 26) + chr(65 + index % 26)
        prefix = prefix[:1] + letters + prefix[1:]
    width = rng.choice([6, 7, 8])
    value = (index + 1) * 1000 + rng.randint(0, 900)
    place = rng.choice(PLACES)
    numbers = []
    for _ in range(count):
        numbers.append(f"{prefix}{value:0{width}}")
        draw = rng.random()
        if draw < 0.1:
            value += rng.randint(2, 5)
        elif not (draw < 0.13 and kind == "native"):
            value += 1
    pages = [page(number, n, count, place, rng) for n, number in enumerate(numbers)]
    if kind == "native":
        native(path, pages, rng)
    else:
        scans(path, pages, kind, rng)
    return numbers


def page(number, n, count, place, rng):
    """The lines of a page: text, size, baseline from the top, and where it is aligned."""
    lines = [("Master Services Agreement", 9, 36, "centre"), (f"Page {n + 1} of {count}", 9, 764, "centre")]
    if rng.random() < 0.3:
        lines.append((rng.choice(ODD), 8, rng.choice([22, 778]), "left"))
    if rng.random() < 0.3:
        lines.append(("CONFIDENTIAL", 9, 752, "left"))
    y = 80
    while y < rng.choice([300, 700, 720]):
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(9, 13)))
        lines.append((text, 10.5, y, "left"))
        y += 16
    edge, align = place.split()
    baseline = 22 if edge == "top" else 779 if align == "centre" else 766
    lines.append((number, rng.choice([8, 9, 10]), baseline, align))
    return lines


def native(path, pages, rng):
    font, stamp = rng.choice(STANDARD_FONTS), rng.choice(STANDARD_FONTS)
    sheet = canvas.Canvas(str(path), pagesize=(WIDTH, HEIGHT))
    for lines in pages:
        for n, (text, size, y, align) in enumerate(lines):
            sheet.setFont(stamp if n == len(lines) - 1 else font, size)
            draw = {"left": sheet.drawString, "right": sheet.drawRightString, "centre": sheet.drawCentredString}[align]
            draw({"left": 60, "right": WIDTH - 40, "centre": WIDTH / 2}[align], HEIGHT - y, text)
        sheet.showPage()
    sheet.save()


def scans(path, pages, dpi, rng):
    scale = dpi / 72
    body, stamp = rng.choice(FONTS), rng.choice(FONTS)
    images = []
    for lines in pages:
        image = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), 255)
        draw = ImageDraw.Draw(image)
        for n, (text, size, y, align) in enumerate(lines):
            font = ImageFont.truetype(stamp if n == len(lines) - 1 else body, round(size * scale))
            anchor = {"left": "ls", "right": "rs", "centre": "ms"}[align]
            x = {"left": 60, "right": WIDTH - 40, "centre": WIDTH / 2}[align]
            draw.text((x * scale, y * scale), text, font=font, fill=rng.randint(0, 60), anchor=anchor)
        image = image.rotate(rng.uniform(-3, 3), resample=Image.BICUBIC, fillcolor=255)
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0, 0.5) * dpi / 200))
        noise = numpy.random.default_rng(rng.randrange(1 << 30))
        grey = numpy.asarray(image, dtype=numpy.float32) - rng.uniform(0, 25)
        grey += noise.normal(0, rng.uniform(4, 18), grey.shape)
        specks = noise.random(grey.shape) < 0.0004
        grey[specks] = 0
        images.append(Image.fromarray(numpy.clip(grey, 0, 255).astype(numpy.uint8)))
    images[0].save(path, save_all=True, append_images=images[1:], resolution=dpi, quality=70)


def evaluate(printed, report, show):
    found = {name: {} for name in printed}
    for run in report["ranges"]:
        prefix, first = split(run["first"])
        digits = len(bare(run["first"])) - len(prefix)
        for page in range(run["first_page"], run["last_page"] + 1):
            found[run["document_name"]][page] = f"{prefix}{first + page - run['first_page']:0{digits}}"
    counts, misses = {}, []
    for name, (kind, numbers) in printed.items():
        tally = counts.setdefault(str(kind), Counter())
        for page, number in enumerate(numbers, 1):
            shown = found[name].get(page)
            tally["pages"] += 1
            tally["exact"] += bare(shown) == bare(number)
            tally["wrong"] += bare(shown) not in (bare(number), None)
            if bare(shown) != bare(number):
                misses.append(f"{name} p. {page}: {number} is {shown}")
    print("| pages | | exact | wrong | not found |\n|---|---|---|---|---|")
    for kind, tally in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        none = tally["pages"] - tally["exact"] - tally["wrong"]
        print(f"| {kind} | {tally['pages']} | {tally['exact'] / tally['pages']:.4f} | {tally['wrong']} | {none} |")
    gaps, repeated = set(), set()
    for _, numbers in printed.values():
        for number, after in zip(numbers, numbers[1:]):
            (prefix, a), (_, b) = split(number), split(after)
            if b > a + 1:
                gaps.add((prefix, a + 1, b - 1))
            if a == b:
                repeated.add(bare(number))
    of_one = [gap for gap in report["gaps"] if gap["after"] == gap["before"]]
    said = {(split(gap["first"])[0], split(gap["first"])[1], split(gap["last"])[1]) for gap in of_one}
    print(f"\ngaps: {len(gaps & said)} of {len(gaps)} reported, {len(said - gaps)} that do not exist")
    said_twice = {bare(run["first"]) for run in report["repeated"]}
    print(f"repeated: {len(repeated & said_twice)} of {len(repeated)} reported, {len(said_twice - repeated)} that are not")
    print(*misses[:show], *[f"gap not reported: {gap}" for gap in sorted(gaps - said)][:show],
          *[f"gap that does not exist: {gap}" for gap in sorted(said - gaps)][:show], sep="\n")


def split(number):
    """The prefix without separators, and the number."""
    prefix = number.rstrip("0123456789")
    return bare(prefix), int(number[len(prefix):])


def bare(number):
    return number and "".join(c for c in number if c.isalnum())


if __name__ == "__main__":
    main()
