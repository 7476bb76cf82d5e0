#!/usr/bin/env python3
"""Makes samples/harbour-point/, the fictional matter that the demo and the end-to-end tests search.

The files are committed, so nobody needs to run this to use CaseTrack. After a change in sample_sources/:

    python3 -m venv /tmp/samples && /tmp/samples/bin/pip install -r scripts/make/sample_sources/requirements.txt
    /tmp/samples/bin/python scripts/make/samples.py

With the pinned packages the output is the same byte for byte: dates inside the files are fixed, archives are repacked with
fixed times, and the noise of the scan has a fixed seed. Prose is kept in sample_sources/*.txt in the light markup that
`parse` reads, tables in sample_sources/tables.py and their writers in sample_sources/spreadsheets.py.
"""

import random
import re
import shutil
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "sample_sources"
OUTPUT = Path(__file__).resolve().parents[2] / "samples" / "harbour-point"

sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCES))
from fixed import MADE, repack  # noqa: E402
from spreadsheets import write_cost_plan, write_deliveries, write_payments, write_programme  # noqa: E402


def parse(name):
    """The blocks of a source text as (kind, content) pairs.

    `# ` title, `^ ` centred line, `## ` and `### ` headings, `* `, `** `, `*** ` items of one automatically numbered list,
    `| a | b |` table rows (the first is the header), `---` page break; any other line is a paragraph.
    """
    blocks = []
    for line in (SOURCES / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            row = [cell.strip() for cell in line.strip("|").split("|")]
            if blocks and blocks[-1][0] == "table":
                blocks[-1][1].append(row)
            else:
                blocks.append(("table", [row]))
        elif line == "---":
            blocks.append(("break", ""))
        elif match := re.match(r"(#{1,3}|\^|\*{1,3}) (.*)", line):
            blocks.append(match.groups())
        else:
            blocks.append(("text" if line else "gap", line))
    return blocks


def write_pdf(path, name, running_title, letter=False):
    """Sets a source text with the standard fonts. A letter keeps its lines and has no running title."""
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.lib.units import mm
    from reportlab.pdfgen.canvas import Canvas
    from reportlab.platypus import KeepTogether, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=14.4, spaceAfter=5)
    numbered = ParagraphStyle("numbered", body, bulletFontName="Times-Roman", bulletFontSize=11)
    clause = ParagraphStyle("clause", numbered, leftIndent=11 * mm)
    item = ParagraphStyle("item", numbered, leftIndent=19 * mm, bulletIndent=11 * mm)
    title = ParagraphStyle("title", body, fontName="Times-Bold", fontSize=17, leading=22, alignment=1, spaceAfter=8)
    centred = ParagraphStyle("centred", body, alignment=1)
    heading = ParagraphStyle(
        "heading", body, fontName="Times-Bold", fontSize=12, leading=15, spaceBefore=9, keepWithNext=1
    )
    subject = ParagraphStyle("subject", body, fontName="Times-Bold", fontSize=11.5, spaceBefore=4)
    cell = ParagraphStyle("cell", body, spaceAfter=0)

    story = []
    for kind, content in parse(name):
        if kind == "#":
            story.append(Paragraph(content, subject if letter else title))
        elif kind == "^":
            story.append(Paragraph(content, centred))
        elif kind == "##":
            story.append(Paragraph(content, heading))
        elif kind == "table":
            rows = [[Paragraph(text, cell) for text in row] for row in content]
            table = Table(rows, hAlign="LEFT", colWidths=[76 * mm, 40 * mm, 50 * mm])
            style = [
                ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
                ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ]
            table.setStyle(TableStyle(style))
            story += [KeepTogether(table), Spacer(1, 4 * mm)]
        elif kind == "break":
            story.append(PageBreak())
        elif kind == "text":
            number, rest = re.match(r"(\d+\.\d+|\d\.|\([a-zA-Z0-9]\))? ?(.*)", content).groups()
            style = body if not number else item if re.match(r"\([a-z]", number) else clause
            story.append(Paragraph(rest, style, bulletText=number))
        elif kind == "gap" and letter:
            story.append(Spacer(1, 2.4 * mm))

    class NumberedCanvas(Canvas):
        """Writes `Page n of m`, which needs the number of pages, when the document is saved."""

        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self._pages = []

        def showPage(self):
            self._pages.append(dict(self.__dict__))
            self._startPage()

        def save(self):
            for number, state in enumerate(self._pages, start=1):
                self.__dict__.update(state)
                self.setFont("Times-Italic", 8.5)
                if not letter:
                    self.drawString(22 * mm, 284 * mm, running_title)
                self.drawRightString(188 * mm, 12 * mm, f"Page {number} of {len(self._pages)}")
                super().showPage()
            super().save()

    margins = {"leftMargin": 22 * mm, "rightMargin": 22 * mm, "topMargin": 24 * mm, "bottomMargin": 22 * mm}
    document = SimpleDocTemplate(str(path), pagesize=A4, title=running_title, author="", invariant=1, **margins)
    document.build(story, canvasmaker=NumberedCanvas)


def write_scan(path):
    """A page that is only a picture: a delivery note as a scanner sees it, slightly turned and speckled."""
    import reportlab
    from PIL import Image, ImageDraw, ImageFont

    typeface = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    lines = [
        (44, "FERRONNERIE DELACROIX SARL"),
        (24, "18 rue des Forges, Besançon"),
        (36, ""),
        (36, "Bon de livraison / Delivery note 2025-0817"),
        (26, "12 août 2025"),
        (26, ""),
        (26, "Chantier / Site: Harbour Point, Quayside Road, Saltmere"),
        (26, "Client: Calder & Finch Building Limited"),
        (26, ""),
        (26, "1   Volée d'escalier n° 2 (stair flight no. 2)     1 420 kg"),
        (26, "1   Volée d'escalier n° 3 (stair flight no. 3)     1 460 kg"),
        (26, "1   Caisse de boulons M20 (crate of bolts)            85 kg"),
        (26, ""),
        (26, "Total     2 965 kg"),
        (26, ""),
        (26, "Received 10.40, subject to weld inspection.   S. Whitlock"),
    ]
    page = Image.new("L", (1240, 1754), 255)
    draw = ImageDraw.Draw(page)
    y = 150
    for size, text in lines:
        draw.text((130, y), text, font=ImageFont.truetype(str(typeface), size), fill=0)
        y += int(size * 1.7)
    draw.rectangle((110, 600, 1130, 845), outline=0, width=2)
    page = page.rotate(0.7, fillcolor=255, resample=Image.Resampling.BICUBIC)
    noise = random.Random(1911)
    for _ in range(600):
        page.putpixel((noise.randrange(1240), noise.randrange(1754)), 0)
    bilevel = page.point(lambda grey: 255 if grey > 140 else 0).convert("1")
    bilevel.save(path, "PDF", resolution=150, creationDate=MADE.timetuple(), modDate=MADE.timetuple())


def write_docx(path, name, title):
    """A source text as a Word document with real headings, an automatically numbered list in three levels, and tables."""
    import docx
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Mm

    document = docx.Document()
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    properties = document.core_properties
    properties.title, properties.author, properties.comments = title, "", ""
    properties.created = properties.modified = MADE

    numbering = None
    for kind, content in parse(name):
        if not kind.startswith("*"):
            numbering = numbering if kind == "gap" else None
        if kind in ("#", "##", "###"):
            document.add_heading(content, level={"#": 0, "##": 1, "###": 2}[kind])
        elif kind == "^":
            document.add_paragraph(content).alignment = WD_ALIGN_PARAGRAPH.CENTER
        elif kind.startswith("*"):
            numbering = numbering or new_numbering(document)
            number_paragraph(document.add_paragraph(content), numbering, level=len(kind) - 1)
        elif kind == "table":
            table = document.add_table(rows=0, cols=len(content[0]), style="Table Grid")
            for row_index, row in enumerate(content):
                for cell, text in zip(table.add_row().cells, row):
                    cell.paragraphs[0].add_run(text).bold = row_index == 0 or None
        elif kind == "break":
            document.add_page_break()
        elif kind == "text":
            document.add_paragraph(content)
    document.save(path)
    repack(path)


def new_numbering(document):
    """Adds a list numbered `1.`, `1.1`, `(a)` to the document and returns its id."""
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    root = document.part.numbering_part.element
    abstract_id = 100 + len(root.xpath("w:abstractNum"))
    levels = [("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)")]
    xml = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/><w:lvlText w:val="{text}"/>'
        f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{567 * (level + 1)}" w:hanging="567"/></w:pPr></w:lvl>'
        for level, (number_format, text) in enumerate(levels)
    )
    abstract = parse_xml(
        f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{abstract_id}"><w:multiLevelType w:val="multilevel"/>{xml}'
        "</w:abstractNum>"
    )
    # The schema wants every w:abstractNum before the first w:num.
    root.xpath("w:num")[0].addprevious(abstract)
    return root.add_num(abstract_id).numId


def number_paragraph(paragraph, numbering, level):
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = level
    properties.get_or_add_numId().val = numbering


def source(name):
    return (SOURCES / name).read_text(encoding="utf-8")


def main():
    shutil.rmtree(OUTPUT, ignore_errors=True)
    for folder in ("contract", "correspondence", "finance", "meetings", "site"):
        (OUTPUT / folder).mkdir(parents=True)

    contract, letters, finance, site = (OUTPUT / name for name in ("contract", "correspondence", "finance", "site"))
    write_pdf(
        contract / "Refurbishment_Works_Agreement.pdf",
        "agreement.txt",
        "Harbour Point Refurbishment – Works Agreement HP-2025-014",
    )
    write_docx(contract / "Amendment_No_1.docx", "amendment_1.txt", "Amendment No. 1")
    write_pdf(
        contract / "Change_Order_07_East_Stair.pdf",
        "change_order_07.txt",
        "Harbour Point Refurbishment – Change Order CO-07",
    )

    write_pdf(
        letters / "2025-09-02_Notice_of_Delay.pdf",
        "notice_of_delay.txt",
        "Notice of delay, 2 September 2025",
        letter=True,
    )
    (letters / "2025-09-24_Extension_of_Time_Decision.txt").write_text(
        source("eot_decision.txt"), encoding="utf-8", newline="\n"
    )
    (letters / "Interest on Application 6 (e-mails).txt").write_bytes(
        b"\xff\xfe" + source("email_thread.txt").replace("\n", "\r\n").encode("utf-16-le")
    )
    shutil.copyfile(contract / "Amendment_No_1.docx", letters / "Amendment No 1 (copy for signature).docx")

    write_cost_plan(finance / "Cost_Plan.xlsx")
    write_payments(finance / "Payment_Ledger.xls")
    write_programme(site / "Programme_Revision_F.ods")
    write_deliveries(site / "Delivery_Log.csv")

    minutes = OUTPUT / "meetings" / "Progress_Meeting_09.md"
    minutes.write_text(source("progress_meeting_09.md"), encoding="utf-8", newline="\n")
    write_docx(
        site / "East_Stair_Condition_Report.docx", "condition_report.txt", "East Stair: Structural Condition Report"
    )
    (site / "Site_Diary_August_2025.txt").write_text(source("site_diary.txt"), encoding="utf-8", newline="\n")
    write_scan(site / "Delivery_Note_2025-0817_scan.pdf")

    files = sorted(path for path in OUTPUT.rglob("*") if path.is_file())
    print(f"{len(files)} files, {sum(path.stat().st_size for path in files):,} bytes in {OUTPUT}")


if __name__ == "__main__":
    main()
