"""A draft with tracked changes and hidden text as Word, OpenDocument and Rich Text, and a binder whose pages are labelled and stamped."""

import io

from archive import content_types, relationships, xml, zipped
from words import WORD, WORD_TYPE

RENT = ("The tenant pays ", "one million", "two million", " euros a year for the quay.")
MOVED = "Keys are returned at the end of the lease."
INSURED = "The landlord insures the quay."
SECRET = "Not agreed yet."
SCHEDULE = "Schedule: the keys are kept at the office."
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
        '<w:altChunk r:id="rId1"/>',
    ]
    names = f'xmlns:w="{WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    return zipped(
        [
            (
                "[Content_Types].xml",
                content_types([("word/document.xml", f"{WORD_TYPE}.document.main+xml")], [("html", "text/html")]),
            ),
            ("_rels/.rels", relationships([("officeDocument", "word/document.xml")])),
            ("word/_rels/document.xml.rels", relationships([("aFChunk", "schedule.html")])),
            ("word/document.xml", xml(f'<w:document {names}><w:body>{"".join(body)}</w:body></w:document>')),
            ("word/schedule.html", f"<html><body><p>{SCHEDULE}</p></body></html>".encode()),
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
