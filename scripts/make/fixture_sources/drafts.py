"""A draft with tracked changes and hidden text as Word, OpenDocument and Rich Text, a binder whose pages are labelled and stamped, and a
form with fields, comments, white text and files inside."""

import io
import struct

from archive import content_types, relationships, xml, zipped
from compound import compound_file
from words import WORD, WORD_TYPE

RENT = ("The tenant pays ", "one million", "two million", " euros a year for the quay.")
MOVED = "Keys are returned at the end of the lease."
INSURED = "The landlord insures the quay."
SECRET = "Not agreed yet."
SCHEDULE = "Schedule: the keys are kept at the office."
ANNEX = "Annex: the tenant has two keys."
AUTHOR, DATE = "Ann Lee", "2024-05-03T09:00:00Z"


def docx():
    who = f'w:author="{AUTHOR}" w:date="{DATE}"'

    def run(text, properties="", kind="t"):
        return f'<w:r>{properties}<w:{kind} xml:space="preserve">{text}</w:{kind}></w:r>'

    before, deleted, inserted, after = RENT
    body = [
        f'<w:p>{run(before)}<w:del w:id="1" {who}>{run(deleted, kind="delText")}</w:del>'
        f'<w:ins w:id="2" {who}>{run(inserted)}</w:ins>{run(after)}</w:p>',
        f'<w:p><w:moveFromRangeStart w:id="3" w:name="m1" {who}/><w:moveFrom w:id="4" {who}>{run(MOVED)}</w:moveFrom>'
        f'<w:moveFromRangeEnd w:id="3"/>{run(INSURED)}{run(" " + SECRET, "<w:rPr><w:vanish/></w:rPr>")}</w:p>',
        f'<w:p><w:moveToRangeStart w:id="5" w:name="m1" {who}/><w:moveTo w:id="6" {who}>{run(MOVED)}</w:moveTo>'
        '<w:moveToRangeEnd w:id="5"/></w:p>',
        '<w:altChunk r:id="rId1"/><w:altChunk r:id="rId2"/>',
    ]
    # As a browser saves a page.
    annex = (
        'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n'
        f"Content-Transfer-Encoding: quoted-printable\r\n\r\n<html><body><p>{ANNEX}</p></body></html>\r\n--b--\r\n"
    )
    names = f'xmlns:w="{WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    return zipped(
        [
            (
                "[Content_Types].xml",
                content_types([("word/document.xml", f"{WORD_TYPE}.document.main+xml")], [("html", "text/html"), ("mht", "message/rfc822")]),
            ),
            ("_rels/.rels", relationships([("officeDocument", "word/document.xml")])),
            ("word/_rels/document.xml.rels", relationships([("aFChunk", "schedule.html"), ("aFChunk", "annex.mht")])),
            ("word/document.xml", xml(f'<w:document {names}><w:body>{"".join(body)}</w:body></w:document>')),
            ("word/schedule.html", f"<html><body><p>{SCHEDULE}</p></body></html>".encode()),
            ("word/annex.mht", annex.encode("ascii")),
        ]
    )


def odt():
    def region(name, kind, content):
        info = f"<office:change-info><dc:creator>{AUTHOR}</dc:creator><dc:date>{DATE[:-1]}</dc:date></office:change-info>"
        return f'<text:changed-region text:id="{name}"><text:{kind}>{info}{content}</text:{kind}></text:changed-region>'

    before, deleted, inserted, after = RENT
    changes = region("a", "deletion", f"<text:p>{deleted}</text:p>") + region("b", "insertion", "")
    body = (
        f"<text:tracked-changes>{changes}</text:tracked-changes>"
        f'<text:p>{before}<text:change text:change-id="a"/><text:change-start text:change-id="b"/>{inserted}'
        f'<text:change-end text:change-id="b"/>{after}</text:p>'
        f'<text:p>{INSURED} <text:span text:style-name="H">{SECRET}</text:span></text:p><text:p>{MOVED}</text:p>'
    )
    namespaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in [("office", "office"), ("text", "text"), ("style", "style")]
    )
    content = (
        f'<office:document-content {namespaces} xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2">'
        '<office:automatic-styles><style:style style:name="H" style:family="text">'
        '<style:text-properties text:display="none"/></style:style></office:automatic-styles>'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    return zipped([("mimetype", kind.encode()), ("content.xml", xml(content)), ("META-INF/manifest.xml", xml(manifest))])


def rtf():
    before, deleted, inserted, after = RENT
    lines = [
        r"{\rtf1\ansi\deff0{\fonttbl{\f0 Times;}}{\*\revtbl{Unknown;}{" + AUTHOR + ";}}",
        rf"\pard {before}{{\deleted\revauthdel1\revdttmdel-1 {deleted}}}{{\revised\revauth1\revdttm-1 {inserted}}}{after}\par",
        rf"{INSURED} {{\v {SECRET}}}\par",
        rf"{MOVED}\par",
        "}",
    ]
    return "\r\n".join(lines).encode("ascii")


def doc():
    """The draft in the format of Word 97: the text, a page of properties of its characters, and the tables that say where they are."""
    text_at, page_bytes = 2048, 512

    def sprm(operation, operand):
        return struct.pack("<H", operation) + operand

    def by(*operations):
        # 3 May 2024, nine o'clock: minutes, hours, day, month, years from 1900.
        done, author, when = operations
        packed = struct.pack("<I", 9 << 6 | 3 << 11 | 5 << 16 | 124 << 20)
        return sprm(done, b"\1") + sprm(author, struct.pack("<H", 1)) + sprm(when, packed)

    before, deleted, inserted, after = RENT
    runs = [
        (before, b""),
        (deleted, by(0x0800, 0x4863, 0x6864)),
        (inserted, by(0x0801, 0x4804, 0x6805)),
        (f"{after}\r{INSURED} ", b""),
        (SECRET, sprm(0x083C, b"\1")),
        (f"\r{MOVED}\r", b""),
    ]
    text = "".join(run for run, _ in runs).encode("ascii")
    places, entries, heap = [text_at], [], bytearray(page_bytes)
    top = page_bytes - 2
    for run, properties in runs:
        places.append(places[-1] + len(run))
        if properties:
            top = (top - 1 - len(properties)) & ~1
            heap[top] = len(properties)
            heap[top + 1 : top + 1 + len(properties)] = properties
        entries.append(top // 2 if properties else 0)
    head = struct.pack(f"<{len(places)}I", *places) + bytes(entries)
    heap[: len(head)] = head
    heap[-1] = len(runs)
    stream = bytearray(text_at) + text
    stream += bytes(-len(stream) % page_bytes)
    page = len(stream) // page_bytes
    stream += heap
    names = ["Unknown", AUTHOR]
    pieces = struct.pack("<IIHIH", 0, len(text), 0, text_at * 2 | 0x40000000, 0)
    tables = {
        12: struct.pack("<III", text_at, 0xFFFFFFFF, page),
        33: b"\2" + struct.pack("<I", len(pieces)) + pieces,
        51: struct.pack("<HHH", 0xFFFF, len(names), 0)
        + b"".join(struct.pack("<H", len(name)) + name.encode("utf-16-le") for name in names),
    }
    table = b""
    for index, content in tables.items():
        struct.pack_into("<II", stream, 0x9A + 8 * index, len(table), len(content))
        table += content
    struct.pack_into("<II", stream, 0, 0x00C1A5EC, 0)
    struct.pack_into("<I", stream, 8, 0x02000000)
    struct.pack_into("<I", stream, 0x4C, len(text))
    # How many words, numbers and tables the head has.
    for at, count in ((32, 14), (62, 22), (0x98, 93)):
        struct.pack_into("<H", stream, at, count)
    return compound_file({"WordDocument": bytes(stream), "1Table": table})


LABELS = ["i", "A-1", "A-2"]
BATES = [f"MOLE{number:06}" for number in (41, 42, 43)]
LEDGER = [["Berth", "Holder", "Fee"], ["B12", "Ana Reis", "4,800"], ["B13", "Tom Rask", "5,250"], ["B14", "Ida Holm", "3,900"]]
COVERED = "The arrears are 91,000 euros."
PAGES = [
    ["Binder of the mole", "It was put together for the harbour board, which meets in June and decides on it."],
    ["Duties of the keeper", "The keeper trims the lamp every evening and writes into the log what ships were seen."],
    ["The ledger", "The fees of the year are paid in May, and a reminder is sent out in the first week of June."],
]


def binder():
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.addPageLabel(0, style="ROMAN_LOWER")
    canvas.addPageLabel(1, style="ARABIC", start=1, prefix="A-")
    for number, (title, text) in enumerate(PAGES):
        canvas.setFont("Times-Roman", 11)
        canvas.bookmarkPage(str(number))
        canvas.addOutlineEntry(title, str(number), level=min(number, 1))
        canvas.drawString(60, 760, title)
        canvas.drawString(60, 746, text)
        if number == 1:
            canvas.drawString(60, 700, COVERED)
            canvas.rect(55, 694, 200, 18, fill=1)
        if number == 2:
            for row, cells in enumerate(LEDGER):
                bottom = 700 - 20 * row
                for position, cell in enumerate(cells):
                    canvas.drawString(65 + 150 * position, bottom - 14, cell)
                canvas.grid([60, 210, 360, 510], [bottom, bottom - 20])
        canvas.setFont("Helvetica", 9)
        canvas.drawRightString(550, 24, BATES[number])
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


LINES = ["Tenant:", "The rent is due in May.", "Both keep the house in good repair."]
WHITE = "The survey is missing."
PLAN = ("plan.txt", "The northern wall.\n")
KEYS = ("keys.txt", "Two keys.\n")
# Stands where the signature says which bytes of the file it covers, in front of what was signed.
RANGE, SIGNED = "[0 0000000000 0000000000 0000000000]", "<0102>"


def form():
    """A form whose fields have no appearances, with comments, an insertion, white text, a file inside and one on its page. One field for a
    signature is empty. Nothing in it is compressed."""
    tops = (692, 650, 600)
    content = "".join(f"BT /F1 12 Tf 72 {top} Td ({line}) Tj ET " for line, top in zip(LINES, tops))
    content += f"1 g BT /F1 12 Tf 72 550 Td ({WHITE}) Tj ET"

    def stream(text, entries=""):
        return f"<< {entries} /Length {len(text)} >>\nstream\n{text}\nendstream"

    def annotation(entries):
        return f"<< /Type /Annot /P 4 0 R /F 4 {entries} >>"

    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(plan) 7 0 R] >> >> /AcroForm << /NeedAppearances true "
        "/DR << /Font << /F1 3 0 R >> >> /Fields [9 0 R 10 0 R 11 0 R 18 0 R 16 0 R] >> >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> >> "
        "/Annots [9 0 R 10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R 18 0 R 16 0 R 19 0 R 20 0 R] >>",
        "<< /Title (Form of the harbour) >>",
        stream(content),
        f"<< /Type /Filespec /F ({PLAN[0]}) /UF ({PLAN[0]}) /EF << /F 8 0 R >> >>",
        stream(PLAN[1]),
        annotation("/Subtype /Widget /FT /Tx /T (Tenant) /V (Ann Bell) /DA (/F1 12 Tf) /Rect [150 688 350 704]"),
        annotation("/Subtype /Widget /FT /Btn /T (Pets) /V /On /AS /On /Rect [400 688 412 700]"),
        annotation(
            "/Subtype /Widget /FT /Ch /Ff 131072 /T (Payment) /Opt [(monthly) (yearly)] /V (monthly) /Rect [150 646 350 662]"
        ),
        annotation("/Subtype /Text /Contents (Ask Ben.) /T (Ann B.) /M (D:20240503) /Rect [500 646 520 666]"),
        annotation(
            "/Subtype /Highlight /Contents (Agreed.) /T (Ann B.) /Rect [72 646 300 662] /QuadPoints [72 662 300 662 72 646 300 646]"
        ),
        annotation("/Subtype /Redact /Rect [72 596 300 612] /QuadPoints [72 612 300 612 72 596 300 596]"),
        annotation("/Subtype /FreeText /Contents (Draft only) /DA (/F1 12 Tf) /Rect [72 500 200 516]"),
        annotation("/Subtype /Widget /FT /Sig /T (Landlord) /V 17 0 R /Rect [300 500 450 516]"),
        f"<< /Type /Sig /Filter /Adobe.PPKLite /Name ({AUTHOR}) /M (D:20240503090000Z) /ByteRange {RANGE} /Contents {SIGNED} >>",
        annotation("/Subtype /Widget /FT /Sig /T (Witness) /Rect [300 470 450 486]"),
        annotation("/Subtype /Caret /Contents (and dry) /T (Ann B.) /M (D:20240503) /Rect [300 596 306 612]"),
        annotation("/Subtype /FileAttachment /Contents (The keys) /FS 21 0 R /Rect [310 440 330 460]"),
        f"<< /Type /Filespec /F ({KEYS[0]}) /UF ({KEYS[0]}) /EF << /F 22 0 R >> >>",
        stream(KEYS[1]),
    ]
    file, places = "%PDF-1.7\n", []
    for number, entries in enumerate(objects, start=1):
        places.append(len(file))
        file += f"{number} 0 obj\n{entries}\nendobj\n"
    start = len(file)
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{place:010} 00000 n \n" for place in places)
    file += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{start}\n%%EOF\n"
    gap = file.index(SIGNED)
    rest = gap + len(SIGNED)
    return file.replace(RANGE, f"[0 {gap:010} {rest:010} {len(file) - rest:010}]").encode("ascii")
