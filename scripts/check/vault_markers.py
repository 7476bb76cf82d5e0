#!/usr/bin/env python3
"""Looks for readable words of a vault in everything that CaseTrack leaves on disk.

    scripts/check/vault_markers.py --binary PROGRAM [--kills 100]      a vault: nothing may be found
    scripts/check/vault_markers.py --binary PROGRAM --seal [--kills 20] a plain collection that is moved into a vault, out of it and in again
    scripts/check/vault_markers.py --binary PROGRAM --plain            a plain collection: everything must be found, or the search is blind

It makes documents with 1,000 marker words, in texts and in names, ingests them with archives, mails and copies of the sources, uploads some
to the workbench, and searches, reads, exports, watches and repairs. Then it reads every file below the data directory, the temporary folder
and the home folder, and looks for the markers in UTF-8 and UTF-16, and inside of zlib, gzip, zip and, where the program zstd is there,
zstd streams. (LZ4 and Snappy leave the first occurrence of a random word as it is.) With --kills, it kills the owner and the processes that
read files at random moments of such work, and looks again each time; every tenth time with a signal that asks for a core dump. With --seal, it kills
them at random moments of sealing: what is then a vault must hold nothing, and what is not must be whole.

What is plain by intention is left out: the sources themselves, exports that ask for it, and the lists of files (catalog.sqlite, space.sqlite), which
describe the disk; the script says which files it did not look into. Exits with 1 where the vault has a readable
word, or where fewer than nine of ten markers of a plain collection are found.
"""

import argparse
import email.message
import gzip
import http.client
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zipfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
from mcp_client import Client, Failure  # noqa: E402

LETTERS = "bcdfghjklmnpqrtvwx"
WORD = re.compile(rb"(?i)qz[" + LETTERS.encode() + rb"]{8}")
WIDE = [re.compile(b"(?i)" + b"".join(before + part + after for part in [b"q", b"z"] + [b"[" + LETTERS.encode() + b"]"] * 8))
        for before, after in ((b"", b"\0"), (b"\0", b""))]
PASSPHRASE = "correct horse of the markers"
# What describes the disk and not a collection.
CATALOGUE = re.compile(r"/(catalog|space)\.sqlite(-wal|-shm)?$")


class Markers:
    """Words that occur nowhere else. Each is given out once, for a place that is remembered."""

    def __init__(self, count, seed):
        self.random = random.Random(seed)
        words = set()
        while len(words) < count:
            words.add("qz" + "".join(self.random.choices(LETTERS, k=8)))
        self.left = sorted(words)
        self.random.shuffle(self.left)
        self.place = {}

    def take(self, place):
        word = self.left.pop()
        self.place[word] = place
        return word

    def some(self, number, place):
        return [self.take(place) for _ in range(min(number, len(self.left)))]


def sentences(words):
    return "".join(f"The agreement names {word} as a party, and {word} pays the rent on the first of each month. " for word in words)


def docx(text):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>')
        archive.writestr("_rels/.rels", '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>')
        archive.writestr("word/document.xml", f'<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>')
    return body.getvalue()


def pdf(text):
    stream = b"BT /F1 8 Tf 20 700 Td 10 TL " + b"".join(b"(" + line.encode() + b") Tj T* " for line in text.split(". ")) + b"ET"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
               b"<</Length %d>>stream\n" % len(stream) + stream + b"\nendstream", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    out, places = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + item + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % table


def zipped(files):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return body.getvalue()


def documents(markers, folder, rounds, each):
    """Files of every way in which texts and names come in."""
    for number in range(rounds):
        below = os.path.join(folder, f"{markers.take('name of a folder')} {number}")
        os.makedirs(below)

        def write(extension, content, place):
            path = os.path.join(below, f"{markers.take('name of ' + place)}.{extension}")
            with open(path, "wb") as file:
                file.write(content)
            return path

        def text(place):
            return sentences(markers.some(each, "text of " + place))

        write("txt", text("a text file").encode(), "a text file")
        write("docx", docx(text("a Word file")), "a Word file")
        write("pdf", pdf(text("a PDF file")), "a PDF file")
        write("md", f"# {markers.take('heading')}\n\n{text('Markdown')}".encode(), "a Markdown file")
        write("csv", f"party,{markers.take('column')}\n{markers.take('cell')},12\n".encode(), "a table")
        inner = zipped({f"{markers.take('name in an archive')}.txt": text("a file in an archive")})
        write("zip", zipped({f"{markers.take('name of an archive in an archive')}.zip": inner, f"{markers.take('name in an archive')}.txt": text("a file in an archive")}), "an archive")
        mail = email.message.EmailMessage()
        mail["Subject"] = markers.take("subject")
        mail["From"] = f"{markers.take('sender')} <{markers.take('address')}@example.com>"
        mail["To"] = "someone@example.com"
        mail.set_content(text("a mail"))
        mail.add_attachment(text("an attachment").encode(), maintype="text", subtype="plain", filename=f"{markers.take('name of an attachment')}.txt")
        write("eml", mail.as_bytes(), "a mail")
        # What fails, and what is not read, is reported by name.
        write("pdf", b"%PDF-1.4 " + markers.take("text of a damaged file").encode(), "a damaged file")
        write("exe", b"MZ\0\0" + markers.take("text of an unknown file").encode(), "an unknown file")


class Program:
    def __init__(self, options, work):
        self.work, self.binary = work, os.path.abspath(options.binary)
        self.data, self.temporary, self.home, self.out = (os.path.join(work, name) for name in ("data", "tmp", "home", "out"))
        for folder in (self.data, self.temporary, self.home, self.out):
            os.makedirs(folder, exist_ok=True)
        passed = ("PATH", "LD_LIBRARY_PATH", "CASETRACK_MODELS", "CASETRACK_PDFIUM", "LANG")
        keep = {name: os.environ[name] for name in passed if name in os.environ}
        self.environment = {**keep, "HOME": self.home, "TMPDIR": self.temporary, "CASETRACK_HOME": self.data,
                            "CASETRACK_IDLE_SECONDS": "600", "CASETRACK_LOG": "debug"}
        self.failed = []

    def start(self, *arguments, **more):
        return subprocess.Popen([self.binary, *arguments], env=self.environment, cwd=self.temporary, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True, **more)

    def run(self, *arguments, given=None, must=False):
        process = self.start(*arguments)
        out, error = process.communicate(given, timeout=600)
        # A quotation that is not found is an answer.
        if process.returncode != 0 and (arguments[0], process.returncode) != ("verify-quote", 3):
            if must:
                sys.exit(f"{' '.join(arguments)} failed:\n{out[-500:]}{error[-500:]}")
            self.failed.append((arguments[0], (error.strip().splitlines() or [""])[-1][:160]))
        return out

    def processes(self):
        """The owner of our data directory, and the processes that it started."""
        commands, parents = {}, {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/cmdline", "rb") as file:
                        commands[int(name)] = file.read().split(b"\0")
                    with open(f"/proc/{name}/stat") as file:
                        parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
                except OSError:
                    continue
        owners = [pid for pid, command in commands.items() if self.data.encode() in command and b"owner" in command]
        return owners, [pid for pid, parent in parents.items() if parent in owners]

    def kill(self, number=signal.SIGKILL):
        owners, readers = self.processes()
        for pid in owners + readers:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        until = time.monotonic() + 60
        while any(self.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        return len(owners)


def workbench(program, collection, files):
    """Uploads files as the workbench does, and ingests them."""
    found = re.search(r"http://(127\.0\.0\.1:\d+)(/\S*)", program.run("open", "--no-browser"))
    if not found:
        program.failed.append(("upload", "no address of the workbench"))
        return
    address, path = found.groups()
    connection = http.client.HTTPConnection(address, timeout=120)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    cookie = (answer.getheader("Set-Cookie") or "").split(";")[0]
    for name, content in files.items():
        connection.request("POST", f"/upload?collection={urllib.parse.quote(collection)}", content, {
            "Cookie": cookie, "Origin": f"http://{address}", "Sec-Fetch-Site": "same-origin", "X-CaseTrack": "1",
            "X-File-Path": urllib.parse.quote(name)})
        answer = connection.getresponse()
        body = answer.read().decode()
        if answer.status != 200:
            program.failed.append(("upload", body[:160]))
            continue
        program.run("ingest", json.loads(body)["path"], "-c", collection)


def assistant(program, collection, calls):
    """Calls tools as an assistant does, whose calls are logged."""
    command = [program.binary, "mcp", "--toolsets", "all,workbench", "--collection", collection]
    client = Client(command, "markers", env=program.environment, cwd=program.temporary)
    try:
        for tool, arguments in calls:
            client.request("tools/call", {"name": tool, "arguments": arguments})
        client.close()
    except Failure as failure:
        program.failed.append(("mcp", str(failure)[:160]))


def work(program, markers, collection, folder, sealed_later):
    """Everything that a person does with a matter."""
    run = program.run
    run("ingest", folder, "-c", collection, "--copy-original")
    names = {f"{markers.take('folder of an upload')}/{markers.take('name of an upload')}.txt":
             sentences(markers.some(8, "text of an upload")).encode()}
    workbench(program, collection, names)
    listed = json.loads(run("documents", "-c", collection, "--json") or "{}")
    listed = listed if isinstance(listed, list) else listed.get("documents", [])
    name_of = lambda end: next((item["name"] for item in listed if item["name"].endswith(end)), "")
    run("search", f"who pays the rent {markers.take('query')}", "-c", collection)
    run("show", "1")
    run("evidence", "add", "1", "-c", collection, "--note", markers.take("note of evidence"))
    run("tag", name_of(".docx"), "-c", collection, "--add", markers.take("tag"), "--set", f"custodian={markers.take('field')}")
    run("page", name_of(".pdf"), "1", "-c", collection, "--out", os.path.join(program.out, "page.png"))
    run("sheet", collection)
    run("obligations", "-c", collection)
    run("entities", "-c", collection)
    run("threads", "-c", collection)
    run("ask", "Who pays the rent?", "-c", collection)
    run("search-terms", markers.take("search term"), "-c", collection)
    run("verify-quote", f"pays the rent {markers.take('quotation')}", "-c", collection)
    run("watch", folder, "-c", collection, "--schedule", "manual")
    run("sync", folder, "-c", collection)
    run("reindex", name_of(".txt"), "-c", collection, "--force")
    # Asked for no place, a plain collection has its evidence in a file below the data directory, and a vault must refuse. What was exported
    # before a collection is sealed stays.
    exported = [] if sealed_later else [("export_evidence", {"format": "markdown"})]
    assistant(program, collection, [("search_documents", {"query": f"rent {markers.take('query of an assistant')}"}),
                                    ("ingest_folder", {"folder_path": folder}), ("list_documents", {}),
                                    ("define_column", {"name": markers.take("name of a column"), "pattern": markers.take("pattern of a column")}), *exported])
    run("jobs")
    run("verify", "-c", collection)
    run("compact", "-c", collection)


def readable(content, zstd):
    """The content, and what unpacks from the streams in it."""
    yield content
    for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08|PK\x03\x04|\x28\xb5\x2f\xfd", content):
        at, magic = found.start(), found.group()
        try:
            if magic == b"PK\x03\x04":
                names = struct.unpack_from("<HH", content, at + 26)
                yield zlib.decompressobj(-15).decompress(content[at + 30 + sum(names):], 1 << 24)
            elif magic == b"\x28\xb5\x2f\xfd":
                if zstd:
                    yield subprocess.run([zstd, "-dcq"], input=content[at:at + (1 << 22)], capture_output=True, timeout=60).stdout
            else:
                yield zlib.decompressobj(47).decompress(content[at:], 1 << 24)
        except (zlib.error, struct.error, subprocess.TimeoutExpired):
            continue


def words_in(content, zstd=None):
    for piece in readable(content, zstd):
        for found in WORD.finditer(piece):
            yield found.group().lower().decode()
        for pattern in WIDE:
            for found in pattern.finditer(piece):
                yield found.group().replace(b"\0", b"").lower().decode()


def look(program, markers, zstd):
    """Markers that can be read, with the files or names that hold them."""
    leaks, files = {}, 0
    program.skipped = set()
    for root in (program.data, program.temporary, program.home):
        for folder, folders, names in os.walk(root):
            for name in folders + names:
                path = os.path.join(folder, name)
                where = os.path.relpath(path, program.work)
                found = set(words_in(where.encode()))
                if name in names and CATALOGUE.search(path):
                    program.skipped.add(where)
                elif name in names:
                    files += 1
                    try:
                        # A pipe or socket has nothing to read.
                        if os.path.isfile(path):
                            with open(path, "rb") as file:
                                found.update(words_in(file.read(), zstd))
                    except FileNotFoundError:
                        continue
                for word in found & markers.place.keys():
                    leaks.setdefault(word, set()).add(where)
    return leaks, files


def report(leaks, markers, files, what):
    print(f"{what}: {len(leaks)} of {len(markers.place)} markers in {files} files")
    places = {}
    for word, paths in leaks.items():
        for path in paths:
            short = WORD.sub(b"MARKER", path.encode()).decode()
            short = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}(-[0-9a-f]{16})?|[0-9a-f]{32}", "ID", short)
            places.setdefault(re.sub(r"\d{6}", "NUMBER", short), set()).add(markers.place[word])
    for path, kinds in sorted(places.items()):
        print(f"  {path}: {', '.join(sorted(kinds)[:6])}{' …' if len(kinds) > 6 else ''}")


def check_search(zstd):
    """The search finds what it should, however it is written."""
    word = "qzbcdfghjk"
    forms = {"UTF-8": word.encode(), "UTF-16LE": word.encode("utf-16-le"), "UTF-16BE": word.encode("utf-16-be"),
             "zlib": b"x" + zlib.compress(word.encode() * 9), "gzip": gzip.compress(word.encode()), "zip": zipped({"a": word * 9}),
             "capitals": word.upper().encode()}
    if zstd:
        forms["zstd"] = b"y" + subprocess.run([zstd, "-cq"], input=word.encode() * 9, capture_output=True).stdout
    for form, content in forms.items():
        if word not in words_in(content, zstd):
            sys.exit(f"The search does not find {form}.")


def seal(program, collection, wait=True):
    """Moves a collection into a vault; the process where it is not waited for."""
    arguments = ("vault", "seal", collection, "--passphrase-stdin")
    if wait:
        return program.run(*arguments, given=PASSPHRASE + "\n", must=True)
    process = program.start(*arguments)
    process.stdin.write(PASSPHRASE + "\n")
    process.stdin.flush()
    return process


def unseal(program):
    program.run("vault", "unseal", "--yes", "--passphrase-stdin", given=PASSPHRASE + "\n", must=True)


def seal_and_kill(program, markers, collection, zstd, options):
    """Seals, and kills the owner at random moments; whether a marker could be read in a vault."""
    leaked, vaults = False, 0
    for number in range(options.kills):
        process = seal(program, collection, wait=False)
        time.sleep(random.Random(options.seed - number).uniform(0.5, 6))
        program.kill()
        process.communicate(timeout=600)
        # The next owner ends what was begun.
        locked = [one["id"] for one in json.loads(program.run("collections", "--json", must=True)) if one.get("locked")]
        if locked:
            vaults += 1
            leaks, files = look(program, markers, zstd)
            if leaks:
                report(leaks, markers, files, f"after kill {number + 1} while it was sealed")
                leaked = True
            unseal(program)
        if "Clean." not in program.run("verify", "-c", collection, must=True):
            sys.exit(f"The collection is damaged after kill {number + 1}.")
    print(f"{options.kills} kills while it was sealed: {vaults} times it was a vault then")
    return leaked


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", required=True)
    options.add_argument("--plain", action="store_true", help="a plain collection, in which the markers must be found")
    options.add_argument("--seal", action="store_true", help="a plain collection that is moved into a vault")
    options.add_argument("--kills", type=int, default=0)
    options.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options.add_argument("--keep", action="store_true", help="keep the folder with everything")
    options = options.parse_args()
    zstd = shutil.which("zstd")
    check_search(zstd)
    print(f"seed {options.seed}, zstd {'is looked into' if zstd else 'is not looked into'}")
    work_folder = tempfile.mkdtemp(prefix="ctmark-")
    # Enough that 1,000 are in place before anything is killed.
    markers = Markers(1000 + 20 + 2 * options.kills, options.seed)
    program = Program(options, work_folder)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError):
        print("core dumps are not allowed here, so that none can be looked for")
    with open(os.path.join(program.data, "config.toml"), "w") as file:
        # What was recorded of a plain collection stays.
        file.write(f"[audit]\nenabled = true\nqueries = {'false' if options.seal else 'true'}\n")
    sources = os.path.join(work_folder, "sources")
    documents(markers, sources, 6, 12)
    collection = markers.take("name of the collection")
    leaked = False
    try:
        if options.plain or options.seal:
            program.run("new", collection, must=True)
        else:
            # Marker words in the vault itself, from its first moment.
            program.run("new", collection, "--vault", "--passphrase-stdin", given=PASSPHRASE + "\n", must=True)
        work(program, markers, collection, sources, options.seal)
        # What was not used so far, in one long document.
        rest = os.path.join(sources, "rest.txt")
        with open(rest, "w") as file:
            file.write(sentences(markers.some(len(markers.left) - 20 - 2 * options.kills, "text of a long file")))
        program.run("ingest", rest, "-c", collection)
        if options.seal:
            leaks, files = look(program, markers, zstd)
            report(leaks, markers, files, "before it is sealed")
            if len(leaks) < 0.9 * len(markers.place):
                sys.exit("The search is blind.")
            seal(program, collection)
        leaks, files = look(program, markers, zstd)
        report(leaks, markers, files, "while it is open")
        if options.plain:
            program.run("stop")
            leaks, files = look(program, markers, zstd)
            report(leaks, markers, files, "after the end")
            seen = len(leaks) / len(markers.place)
            print(f"found {seen:.1%}; not looked into: {', '.join(sorted(program.skipped)) or 'nothing'}")
            for name, error in program.failed:
                print(f"  failed: {name}: {error}")
            sys.exit(seen < 0.9)
        leaked |= bool(leaks)
        program.run("lock", "--all")
        leaks, files = look(program, markers, zstd)
        report(leaks, markers, files, "locked")
        leaked |= bool(leaks)
        if options.seal:
            unseal(program)
            leaked |= seal_and_kill(program, markers, collection, zstd, options)
            seal(program, collection)
            leaks, files = look(program, markers, zstd)
            report(leaks, markers, files, "sealed again")
            leaked |= bool(leaks)
            options.kills = 0
        killed = 0
        for number in range(options.kills):
            program.run("unlock", "--passphrase-stdin", given=PASSPHRASE + "\n", must=True)
            word = markers.take("text of a file while it was killed") if markers.left else "qz"
            path = os.path.join(sources, f"{word} {number}.txt")
            with open(path, "w") as file:
                file.write(sentences([word]) * 40)
            under_way = random.Random(options.seed + number).choice([
                ("ingest", path, "-c", collection, "--copy-original"), ("ingest", sources, "-c", collection, "--reingest"),
                ("sync", sources, "-c", collection), ("search", word, "-c", collection), ("verify", "-c", collection),
                ("reindex", "-c", collection, "--force"), ("compact", "-c", collection)])
            process = program.start(*under_way)
            time.sleep(random.Random(options.seed - number).uniform(0, 2.5))
            killed += program.kill(signal.SIGSEGV if number % 10 == 9 else signal.SIGKILL)
            # It may have started another owner, which finds the vault locked.
            process.communicate(timeout=600)
            leaks, files = look(program, markers, zstd)
            if leaks:
                report(leaks, markers, files, f"after kill {number + 1}, during {under_way[0]}")
                leaked = True
        if options.kills:
            print(f"{killed} owners killed in {options.kills} rounds, the last look at {files} files")
            program.run("unlock", "--passphrase-stdin", given=PASSPHRASE + "\n", must=True)
            program.failed.clear()
            program.run("repair", "-c", collection)
            print(program.run("verify", "-c", collection).strip().splitlines()[-1:])
            leaks, files = look(program, markers, zstd)
            report(leaks, markers, files, "after a repair")
            leaked |= bool(leaks)
        for name, error in program.failed:
            print(f"  failed: {name}: {error}")
        print("not looked into:", ", ".join(sorted(program.skipped)) or "nothing")
        print("a marker can be read" if leaked else "nothing can be read")
        sys.exit(leaked)
    finally:
        program.kill()
        if options.keep:
            print(work_folder)
        else:
            shutil.rmtree(work_folder, ignore_errors=True)


if __name__ == "__main__":
    main()
