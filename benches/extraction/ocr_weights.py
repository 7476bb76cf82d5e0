#!/usr/bin/env python3
"""Reads the same pages with other weights of the second OCR engine, and compares the readings with the known text.

usage: ocr_weights.py DATA_DIR CONTRACTS... --models FOLDER FOLDER... [--casetrack PROGRAM] [--work FOLDER] [--part choose|report]

DATA_DIR is that of documents.py: its pictures with a ground truth, and its scans with one. Each of CONTRACTS holds pdf/ and txt/ with contracts.
Pages of 30 PDF files are drawn at 100, 150 and 200 dpi, clean or askew, blurred, noisy, stored as JPEG, or all of these; their text layer is the
truth. Ten more are drawn at 200 dpi only. Passages of 12 text files are drawn in three fonts. The first of --models is the reference. Readings stay in the work folder, so that a
second run continues the first. Even pages of each set, by name, are the part to choose on; odd ones the part to report.
Needs the Python packages pypdfium2, numpy, pillow and rapidfuzz, and the fonts DejaVu.
"""
import argparse, collections, glob, io, json, os, random, re, statistics, subprocess, tempfile, textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy, pypdfium2
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from rapidfuzz.distance import Levenshtein

from documents import overlap, plain, words

SPOILT = ["clean", "skew", "blur", "noise", "jpeg", "all"]
RESOLUTIONS = [100, 150, 200]
FONTS = ["DejaVuSansMono.ttf", "DejaVuSans.ttf", "DejaVuSerif.ttf"]
SCANS = ["kreuzberg__scanned", "docling__ocr_test_rotated_180", "docling__ocr_test_rotated_90"]
PDF_PAGES, MORE_PAGES, TEXT_PAGES = 30, 10, 12


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("contracts", nargs="+")
    parser.add_argument("--models", nargs="+", required=True)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "ocr-weights"))
    parser.add_argument("--part", choices=["choose", "report"])
    options = parser.parse_args()
    folder = os.path.join(options.work, "pages")
    if not os.path.isdir(folder):
        os.makedirs(folder + ".partial", exist_ok=True)
        chance = random.Random(20)
        draw_pdf_pages(options.contracts, folder + ".partial", chance)
        draw_texts(options.contracts, folder + ".partial", chance)
        draw_scans(options.data, folder + ".partial")
        os.rename(folder + ".partial", folder)
    pages = {path: path[:-4] + ".txt" for path in sorted(glob.glob(folder + "/*.png"))}
    pictures = sorted(glob.glob(os.path.join(options.data, "image", "*")))
    pages.update({path: path + ".gt.txt" for path in pictures if os.path.exists(path + ".gt.txt")})
    jobs = [(options, page, models) for page in pages for models in options.models]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        texts = dict(zip([job[1:] for job in jobs], threads.map(lambda job: read(*job), jobs)))
    report(options, pages, texts)


def read(options, page, models):
    """The text that the second engine alone reads on a page."""
    answer = os.path.join(options.work, os.path.basename(os.path.normpath(models)), os.path.basename(page) + ".json")
    if not os.path.exists(answer):
        os.makedirs(os.path.dirname(answer), exist_ok=True)
        environment = dict(os.environ, CASETRACK_MODELS=models, CASETRACK_TESSERACT=os.devnull)
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run([options.casetrack, "--data-dir", home, "--json", "inspect", page], stdout=subprocess.PIPE, env=environment)
        with open(answer + ".partial", "wb") as file:
            file.write(done.stdout)
        os.rename(answer + ".partial", answer)
    with open(answer, encoding="utf-8") as file:
        return "\n".join(page["text"] for page in json.load(file).get("pages", []))


def spoilt(image, how, number):
    """The page as a scanner or a camera might give it."""
    chance = numpy.random.default_rng(number)
    if how in ("skew", "all"):
        degrees = (1 if number % 2 else -1) * (0.6 + number % 3 * 0.5)
        image = image.rotate(degrees, resample=Image.BICUBIC, fillcolor=255)
    if how in ("blur", "all"):
        image = image.filter(ImageFilter.GaussianBlur(0.5 + image.width / 2200))
    if how in ("noise", "all"):
        pixels = numpy.asarray(image, dtype=float)
        image = Image.fromarray((pixels * 0.85 + 20 + chance.normal(0, 18, pixels.shape)).clip(0, 255).astype("uint8"))
    if how in ("jpeg", "all"):
        stored = io.BytesIO()
        image.save(stored, "JPEG", quality=35)
        image = Image.open(stored).convert("L")
    return image


def save(folder, name, image, text):
    image.save(os.path.join(folder, name + ".png"))
    with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
        file.write(text)


def draw_pdf_pages(contracts, folder, chance):
    paths = [path for contract in contracts for path in sorted(glob.glob(contract + "/pdf/*.pdf"))]
    chance.shuffle(paths)
    number = 0
    for path in paths:
        document = pypdfium2.PdfDocument(path)
        if number == PDF_PAGES or len(document) < 3:
            continue
        page = document[1 + number % 2]
        text = page.get_textpage().get_text_range()
        if 900 < len(text) < 3000 and "\ufffd" not in text:
            resolution, how = RESOLUTIONS[number % 3], SPOILT[number // 3 % 6]
            image = page.render(scale=resolution / 72, grayscale=True).to_pil().convert("L")
            save(folder, f"pdf{resolution}_{how}_{number:02}", spoilt(image, how, number), text)
            number += 1
    draw_more_pages(reversed(paths), folder)


def draw_more_pages(paths, folder):
    """Third pages at 200 dpi."""
    number = 0
    for path in paths:
        document = pypdfium2.PdfDocument(path)
        if number == MORE_PAGES or len(document) < 4:
            continue
        text = document[2].get_textpage().get_text_range()
        if 900 < len(text) < 2200 and "\ufffd" not in text:
            image = document[2].render(scale=200 / 72, grayscale=True).to_pil().convert("L")
            how = SPOILT[number % 5]
            save(folder, f"more200_{how}_{number:02}", spoilt(image, how, number + 500), text)
            number += 1


def draw_texts(contracts, folder, chance):
    paths = sorted(glob.glob(contracts[0] + "/txt/*.txt"))
    chance.shuffle(paths)
    number = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = " ".join(file.read().split())
        if number == TEXT_PAGES or len(text) < 6000:
            continue
        lines = textwrap.wrap(text[3000:4500].partition(" ")[2].rpartition(" ")[0], 70, break_long_words=False)
        resolution, how = RESOLUTIONS[number % 3], SPOILT[(number + 2) % 6]
        size = round(11 * resolution / 72)
        font = ImageFont.truetype(FONTS[number % 3], size)
        image = Image.new("L", (round(8.27 * resolution), 8 * resolution), 255)
        for row, line in enumerate(lines):
            ImageDraw.Draw(image).text((resolution * 0.6, resolution * 0.5 + row * size * 1.45), line, font=font, fill=20)
        save(folder, f"txt{resolution}_{how}_{number:02}", spoilt(image, how, 100 + number), "\n".join(lines))
        number += 1


def draw_scans(data, folder):
    for name in SCANS:
        path = os.path.join(data, "pdf", name + ".pdf")
        page = pypdfium2.PdfDocument(path)[0]
        truth = path + ".gt.md"
        text = plain(truth) if os.path.exists(truth) else page.get_textpage().get_text_range()
        save(folder, f"scan_{name}", page.render(scale=200 / 72, grayscale=True).to_pil().convert("L"), text)


def kind(page):
    name = os.path.basename(page)
    found = re.match(r"txt|(pdf|more)\d+", name)
    return found[0] if found else "receipts" if name.startswith("sroie") else "scans"


def score(text, truth):
    """Character error rate, recall and precision of words."""
    # U+FFFE is pdfium's hyphen at the end of a line.
    text, truth = " ".join(text.split()), " ".join(re.sub(r"\s*\ufffe\s*", "", truth).split())
    recall, precision, _ = overlap(words(text), words(truth))
    return min(Levenshtein.distance(text, truth) / max(len(truth), 1), 1), recall, precision


def report(options, pages, texts):
    sets = collections.defaultdict(list)
    for page in sorted(pages, key=os.path.basename):
        sets[kind(page)].append(page)
    chosen = {name: here[{"choose": 0, "report": 1}[options.part]::2] if options.part else here for name, here in sets.items()}
    chosen["all"] = [page for here in chosen.values() for page in here]
    print("set       pages  weights      character error   word recall   precision   change of error, with its standard error   better, worse")
    for name, here in chosen.items():
        reference = None
        for models in options.models:
            scores = [score(texts[page, models], plain(pages[page])) for page in here]
            reference = reference or scores
            changes = [new[0] - old[0] for new, old in zip(scores, reference)]
            spread = statistics.stdev(changes) / len(changes) ** 0.5 if len(changes) > 1 else 0
            means = [statistics.mean(column) for column in zip(*scores)]
            print(f"{name:9} {len(here):5}  {os.path.basename(os.path.normpath(models)):12} {means[0]:.4f}            {means[1]:.4f}        {means[2]:.4f}      "
                  f"{statistics.mean(changes):+.4f} ± {spread:.4f}   {sum(change < 0 for change in changes)}, {sum(change > 0 for change in changes)}")


if __name__ == "__main__":
    main()
