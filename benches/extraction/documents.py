#!/usr/bin/env python3
"""Reads a folder of real files of every kind and reports what comes of each, beside other programs that read the same.

usage: documents.py DATA_DIR [--casetrack PROGRAM] [--only FORMAT] [--other-models FOLDER] [--list]

DATA_DIR holds manifest.tsv with a header line and the columns file, flags and password (more are ignored), the files, and
beside some of them a ground truth: NAME.gt.md or NAME.gt.txt. Flags name files of which an error is the right answer.
Prints tables: (1) what comes of the files of each folder, of those without a flag, and the most time and memory a file took;
every file without text is listed with its reason under --list; (2) words of PDF files against `pdftotext`, and the time
beside pypdfium2 reading the same pages as plain text in the same run; (3) pictures against their ground truth beside the
`tesseract` command, with --other-models also by the program with that models folder (one with the second OCR engine, or one
without), each picture by all in turn, and for the two halves of the pictures, every second by name; (4) office files against their ground truth. Words are runs of letters and digits, in lower case, counted as
a multiset. Needs pdftotext, tesseract and the Python package pypdfium2 for the comparisons; a table whose program is not
there is left out and named.
"""
import argparse, collections, csv, json, os, re, shutil, statistics, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor

ERROR_EXPECTED = re.compile("corrupt|encrypted|needs-password|password|protected|expects-failure|no-text-layer|not-a-zip|not-ole|"
                            "bad-zip|cannot-open")
PICTURES = {"image"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    target = os.environ.get("CARGO_TARGET_DIR", os.path.expanduser("~/.cache/casetrack-target"))
    parser.add_argument("--casetrack", default=os.path.join(target, "release", "casetrack"))
    parser.add_argument("--only", help="one folder of DATA_DIR")
    parser.add_argument("--other-models", metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="also list the files behind each figure")
    options = parser.parse_args()
    with open(os.path.join(options.data, "manifest.tsv"), encoding="utf-8", newline="") as manifest:
        files = [File(options, row) for row in csv.DictReader(manifest, delimiter="\t")
                 if options.only in (None, row["file"].split("/")[0])]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(File.read, files))
    outcomes(files, options.list)
    pdf_words(files, options.list)
    pdf_speed(files, os.path.join(os.path.dirname(options.casetrack), "casetrack-lab"))
    pictures(files, options.list, options.other_models)
    ground_truth(files, options.list)


class File:
    """What one run of `casetrack inspect` says of a file, in processes of its own."""

    def __init__(self, options, row):
        self.program, self.name = options.casetrack, row["file"]
        self.path = os.path.join(options.data, row["file"])
        self.folder, self.flags, self.password = row["file"].split("/")[0], row["flags"] or "", row["password"] or ""
        self.sound = not ERROR_EXPECTED.search(self.flags)
        stems = [self.path, os.path.splitext(self.path)[0]]
        truths = [stem + end for stem in stems for end in (".gt.md", ".gt.txt") if os.path.exists(stem + end)]
        self.truth = truths[0] if truths else None

    def read(self, models=None):
        environment = dict(os.environ, **({"CASETRACK_MODELS": models} if models else {}), **({"CASETRACK_PASSWORD": self.password} if self.password else {}))
        started = time.time()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, tempfile.TemporaryDirectory() as home:
            process = subprocess.Popen([self.program, "--data-dir", home, "--json", "inspect", self.path],
                                       stdout=output, stderr=errors, env=environment)
            # Of this process and the worker it waited for.
            _, self.status, usage = os.wait4(process.pid, 0)
            output.seek(0)
            text = output.read()
        self.seconds, self.memory = time.time() - started, usage.ru_maxrss / 1024
        self.computed = usage.ru_utime + usage.ru_stime
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {"error": {"code": "CRASHED", "message": f"status {self.status}, no answer"}}
        self.error = answer.get("error")
        self.pages = answer.get("pages", [])
        self.warnings = answer.get("warnings", [])
        self.attachments = answer.get("attachments", [])
        self.text = "\n".join(page["text"] for page in self.pages)
        self.by_ocr = any(page.get("ocr_confidence") is not None for page in self.pages)


def words(text):
    return collections.Counter(re.findall(r"\w+", text.lower()))


def overlap(found, wanted):
    """Recall, precision and F1 of words."""
    common = sum((found & wanted).values())
    recall, precision = common / max(sum(wanted.values()), 1), common / max(sum(found.values()), 1)
    return recall, precision, 2 * recall * precision / max(recall + precision, 1e-9)


def outcomes(files, listing):
    print("1. What comes of the files\n")
    print("folder   files  text   partly  | errors                                                    | unflagged: text of  | most s   most MB")
    for folder in [*sorted({file.folder for file in files}), "all"]:
        here = [file for file in files if folder in (file.folder, "all")]
        sound = [file for file in here if file.sound]
        codes = collections.Counter(file.error["code"] for file in here if file.error)
        with_text = [file for file in here if not file.error]
        print(f"{folder:8} {len(here):5} {len(with_text):5}   {sum(bool(file.warnings) for file in with_text):5}   | "
              f"{', '.join(f'{code} {count}' for code, count in sorted(codes.items())):57} | "
              f"{sum(not file.error for file in sound):5} of {len(sound):4} {sum(not file.error for file in sound) / max(len(sound), 1):6.1%} | "
              f"{max(file.seconds for file in here):6.1f}   {max(file.memory for file in here):6.0f}")
    blank = [file.name for file in files if not file.error and not file.text.strip()]
    print(f"\nwithout an answer: {sum(file.error is not None and file.error['code'] == 'CRASHED' for file in files)}; "
          f"said to be read but empty: {len(blank)}; unflagged with another error than that there is no text: "
          f"{sum(file.sound and file.error is not None and file.error['code'] != 'empty_file' for file in files)}")
    if listing:
        for file in files:
            if file.error:
                print(f"  {file.name} [{file.flags}] {file.error['code']}: {file.error['message']}")


def pdf_words(files, listing):
    print("\n2. PDF against pdftotext (word F1)\n")
    if not shutil.which("pdftotext"):
        return print("pdftotext is not installed: left out")
    rows = []
    for file in files:
        if file.folder != "pdf":
            continue
        password = ["-upw", file.password] if file.password else []
        done = subprocess.run(["pdftotext", "-q", *password, file.path, "-"], capture_output=True)
        wanted = words(done.stdout.decode("utf-8", "replace"))
        # A scan has nothing to compare.
        if done.returncode == 0 and sum(wanted.values()) >= 10:
            rows.append((overlap(words(file.text), wanted), file))
    scores = sorted(score[2] for score, _ in rows)
    if rows:
        print(f"{len(rows)} files with a text layer: median {statistics.median(scores):.4f}, mean {statistics.mean(scores):.4f}, "
              f"{sum(score >= 0.98 for score in scores)} of them at least 0.98")
    if listing:
        for (recall, precision, f1), file in sorted(rows, key=lambda row: row[0][2])[:20]:
            print(f"  {f1:.3f} (recall {recall:.3f}, precision {precision:.3f}) {file.name}{' OCR' if file.by_ocr else ''}")


def pdf_speed(files, lab):
    try:
        import pypdfium2
    except ImportError:
        return print("\npypdfium2 is not installed: no comparison of speed")
    files = [file for file in files if file.folder == "pdf" and not file.error and not file.by_ocr and not file.password]
    if not files:
        return
    ours = theirs = pages = 0
    # Text layers only: a picture on which OCR finds nothing would count, too.
    without_ocr = dict(os.environ, CASETRACK_TESSERACT=os.devnull)
    for _ in range(3):
        done = subprocess.run([*one_core(), lab, "--json", "bench", "extract", *[file.path for file in files]],
                              stdout=subprocess.PIPE, env=without_ocr)
        ours += sum(file["seconds"] for file in json.loads(done.stdout))
        done = subprocess.run([*one_core(), sys.executable, "-c", PYPDFIUM2, *[file.path for file in files]], stdout=subprocess.PIPE)
        seconds, pages = json.loads(done.stdout)
        theirs += seconds
    print(f"{len(files)} files, {pages} pages, one core each, three rounds: casetrack {3 * pages / ours:.0f} pages/s (with lines, boxes, paragraphs "
          f"and chunks, in its worker), pypdfium2 {3 * pages / theirs:.0f} pages/s: {theirs / ours:.2f} times its speed")


PYPDFIUM2 = """
import json, sys, time, pypdfium2
started, pages = time.time(), 0
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        document = pypdfium2.PdfDocument(file.read())
    for page in document:
        page.get_textpage().get_text_range()
        pages += 1
print(json.dumps([time.time() - started, pages]))
"""


def one_core():
    return ["taskset", "-c", "0"] if shutil.which("taskset") else []


def pictures(files, listing, other_models):
    print("\n3. Pictures against their ground truth, beside the tesseract command\n")
    files = sorted((file for file in files if file.folder in PICTURES and file.truth), key=lambda file: file.name)
    if not shutil.which("tesseract"):
        return print("tesseract is not installed: left out")
    if not files:
        return
    names = ["casetrack", "tesseract command", *(["with the other models"] if other_models else [])]
    rows = []
    for file in files:
        truth, results = plain(file.truth), []
        for name in names:
            if name == "tesseract command":
                before = os.times()
                done = subprocess.run(["tesseract", file.path, "-", "-l", "eng"], capture_output=True, env=dict(os.environ, OMP_THREAD_LIMIT="1"))
                after = os.times()
                text = done.stdout.decode("utf-8", "replace")
                computed = after.children_user + after.children_system - before.children_user - before.children_system
            else:
                file.read(None if name == "casetrack" else other_models)
                text, computed = file.text, file.computed
            results.append((*overlap(words(text), words(truth))[:2], *error_rates(text, truth), computed))
        rows.append((file, results))
    halves = [("all", rows), *([("first half", rows[0::2]), ("second half", rows[1::2])] if other_models else [])]
    for part, chosen in halves:
        print(f"{len(chosen):3} pictures ({part:11})    word recall  precision   character error  word error   CPU s   (means)")
        for who, name in enumerate(names):
            means = [statistics.mean(row[1][who][column] for row in chosen) for column in range(5)]
            print(f"{name:22}       {means[0]:.4f}     {means[1]:.4f}           {means[2]:.4f}       {means[3]:.4f}     {means[4]:.2f}")
    with tempfile.TemporaryDirectory() as home:
        started = time.time()
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(File.read, files))
        print(f"{60 * len(files) / (time.time() - started):.0f} pages a minute on {os.cpu_count()} cores")
    if listing:
        for file, (ours, theirs, *_) in sorted(rows, key=lambda row: row[1][0][0] - row[1][1][0])[:15]:
            print(f"  recall {ours[0]:.3f} against {theirs[0]:.3f}, CER {ours[2]:.3f} against {theirs[2]:.3f}: {file.name}")


def error_rates(text, truth):
    """Character and word error rate: edits per character and word of the truth, white space folded, at most 1."""
    fold = " ".join
    return tuple(min(edits(a, b) / max(len(b), 1), 1) for a, b in
                 ((fold(text.split()), fold(truth.split())), (text.split(), truth.split())))


def edits(a, b):
    """Levenshtein's distance, by rows."""
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


def ground_truth(files, listing):
    print("\n4. Files against their ground truth\n")
    rows = [(overlap(words(file.text), words(plain(file.truth)))[0], headings_found(file), file)
            for file in files if file.truth and file.folder not in PICTURES | {"pdf"} and not file.error]
    print("folder   files  word recall: median  mean    least | headings found")
    for folder in sorted({file.folder for *_, file in rows}):
        recalls = [recall for recall, _, file in rows if file.folder == folder]
        found, wanted = (sum(numbers) for numbers in zip(*[headings for _, headings, file in rows if file.folder == folder]))
        print(f"{folder:8} {len(recalls):5}               {statistics.median(recalls):.3f}   {statistics.mean(recalls):.3f}   {min(recalls):.3f}"
              f" | {found} of {wanted}")
    if rows:
        print(f"all      {len(rows):5}               {statistics.median(recall for recall, *_ in rows):.3f}")
    for recall, _, file in sorted(rows, key=lambda row: row[0])[:15 if listing else 0]:
        print(f"  {recall:.3f} {file.name}")


def plain(path):
    """A ground truth without its markup: Markdown's marks, comments and links to pictures."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if path.endswith(".md"):
        text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
        text = re.sub(r"&(amp|lt|gt);", lambda m: {"amp": "&", "lt": "<", "gt": ">"}[m[1]], text).replace("\\_", "_")
    return text


def headings_found(file):
    """How many of the truth's headings are headings, and how many there are."""
    fold = lambda text: " ".join(re.findall(r"\w+", text.lower()))
    wanted = [fold(line.lstrip("#")) for line in open(file.truth, encoding="utf-8", errors="replace") if re.match("#{1,6} ", line)]
    ours = {fold(page["text"][block["char_start"]:block["char_end"]])
            for page in file.pages for block in page["blocks"] if "heading" in json.dumps(block["kind"]).lower()}
    # The name of a sheet heads it, and is cited by itself.
    ours |= {fold(page["sheet_name"]) for page in file.pages if page.get("sheet_name")}
    return sum(any(heading and heading in own for own in ours) for heading in wanted), len(wanted)


if __name__ == "__main__":
    main()
