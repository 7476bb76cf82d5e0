#!/usr/bin/env python3
"""Makes tests/fixtures/: one small file of every format, and what must be read from it in tests/fixtures/expected/.

The files are committed, so nobody needs to run this to test CaseTrack. After a change in fixture_sources/:

    python3 -m venv /tmp/fixtures && /tmp/fixtures/bin/pip install -r scripts/make/fixture_sources/requirements.txt
    apt-get install --no-install-recommends libreoffice-{writer,impress,calc}-nogui
    /tmp/fixtures/bin/python scripts/make/fixtures.py

LibreOffice makes the DOC, PPT and XLS from our ODT, ODP and ODS; without it these three are left as they are. With the same
programs the output is the same byte for byte: dates are fixed, and what encryption draws at random has a fixed seed.
"""

import io
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "fixture_sources"
OUTPUT = Path(__file__).resolve().parents[2] / "tests" / "fixtures"

sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCES))
import binary_workbook  # noqa: E402
import rare_encodings  # noqa: E402
import drafts  # noqa: E402
import enclosures  # noqa: E402
import envelopes  # noqa: E402
import expected  # noqa: E402
import filing  # noqa: E402
import mail  # noqa: E402
import plain  # noqa: E402
import printed  # noqa: E402
import sheets  # noqa: E402
import slides  # noqa: E402
import words  # noqa: E402
from compound import repacked  # noqa: E402
from content import BRIEFING_TITLE, TITLE, WORKBOOK_TITLE  # noqa: E402
from outcome import PASSWORD, all_outcomes  # noqa: E402


@contextmanager
def fixed_secrets():
    """Keys and salts that are the same in every run: the files are secret to nobody."""
    drawn, original = random.Random(1911), secrets.token_bytes
    secrets.token_bytes = lambda count=32: drawn.randbytes(count)
    try:
        yield
    finally:
        secrets.token_bytes = original


def locked_docx():
    from msoffcrypto.format.ooxml import OOXMLFile

    buffer = io.BytesIO()
    # Not compressed, because msoffcrypto-tool cannot write packages of less than 4096 bytes.
    OOXMLFile(io.BytesIO(words.docx(zipfile.ZIP_STORED))).encrypt(PASSWORD, buffer)
    return repacked(buffer.getvalue())


def converted(source, kind, title):
    """A file of OpenDocument in the format of Office 97, by LibreOffice; `None` without it."""
    program = shutil.which("soffice")
    if not program:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.odf"
        path.write_bytes(source)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = [program, profile, "--headless", "--convert-to", kind, "--outdir", folder, str(path)]
        subprocess.run(command, check=True, capture_output=True)
        return repacked(path.with_suffix(f".{kind}").read_bytes(), title)


def files():
    """The content of every fixture by name."""
    odt, odp, ods = words.odt(), slides.odp(), sheets.ods()
    found = {
        "licence.txt": plain.txt(),
        "licence_utf16.txt": plain.utf16(),
        "licence.md": plain.markdown(),
        "licence.html": words.html(),
        "licence.rtf": words.rtf(),
        "licence.docx": words.docx(),
        "licence.odt": odt,
        "licence.doc": converted(odt, "doc", TITLE),
        "briefing.pptx": slides.pptx(),
        "briefing.odp": odp,
        "briefing.ppt": converted(odp, "ppt", BRIEFING_TITLE),
        # Spreadsheet programs mark UTF-8 in a CSV.
        "deliveries.csv": sheets.delimited(",", "utf-8-sig"),
        "deliveries.tsv": sheets.delimited("\t", "utf-8"),
        "fees.xlsx": sheets.xlsx(),
        "fees.xlsb": binary_workbook.xlsb(),
        "fees.ods": ods,
        "fees.xls": converted(ods, "xls", WORKBOOK_TITLE),
        "rules.pdf": printed.pdf(),
        "notice_scan.pdf": printed.scan(),
        "mail.eml": mail.eml(),
        "mail.msg": mail.msg(),
        "mailbox.mbox": mail.mbox(),
        "papers.zip": mail.papers(),
        "inspection.ics": envelopes.calendar(),
        "berths.mht": envelopes.web_archive(),
        "winmail.dat": envelopes.tnef(),
        "statutes.txt.p7m": envelopes.signed(),
        "enclosures.docx": enclosures.docx(),
        "enclosures.rtf": enclosures.rtf(),
        "mac.doc": rare_encodings.mac_word(),
        "word95_japanese.doc": rare_encodings.japanese_word(),
        "fees_backslashes.xlsx": rare_encodings.backslashes(),
        "stray_zeros.txt": rare_encodings.stray_zeros(),
        "draft.docx": drafts.docx(),
        "draft.doc": drafts.doc(),
        "draft.odt": drafts.odt(),
        "draft.rtf": drafts.rtf(),
        "binder.pdf": drafts.binder(),
        "form.pdf": drafts.form(),
        "filing.pdf": filing.pdf(),
        "pasted.docx": filing.letter(),
    }
    found |= {f"notice.{extension}": content for extension, content in printed.pictures().items()}
    with fixed_secrets():
        found["licence_locked.docx"] = locked_docx()
        found["rules_locked.pdf"] = printed.locked_pdf(PASSWORD)
    return found


def main():
    outcomes = all_outcomes()
    (OUTPUT / "expected").mkdir(parents=True, exist_ok=True)
    total = 0
    for name, content in sorted(files().items()):
        if content is None:
            print(f"{name} needs LibreOffice and was left as it is", file=sys.stderr)
        else:
            (OUTPUT / name).write_bytes(content)
            total += len(content)
        expected.write(OUTPUT / "expected", name, outcomes.pop(name))
    if outcomes:
        raise ValueError(f"expectations without a file: {sorted(outcomes)}")
    print(f"{total:,} bytes in {OUTPUT}")


if __name__ == "__main__":
    main()
