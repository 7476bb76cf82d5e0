"""PDF files with a text layer, and pictures of text."""

import io
from datetime import datetime
from pathlib import Path

from content import NOTICE

RULES_TITLE = "Harbour rules"
HEADER = "Søndervig Marina · Harbour rules 2024"
TITLE = "Rules of the harbour"
# Two columns; the lines stand as they are set. An empty line is a gap between paragraphs.
LEFT = [
    ("heading", "Arrival"),
    ("line", "Every vessel reports to the harbour office"),
    ("line", "within an hour of mooring. The office is open"),
    ("line", "from 8.00 to 18.00, also on Sundays."),
    ("gap", ""),
    ("line", "1. Moor only at the berth that is assigned."),
    ("gap", ""),
    ("line", "2. Keep the fairway free."),
    ("heading", "Speed"),
    ("line", "No vessel goes faster than three knots"),
    ("line", "between the moles."),
]
RIGHT = [
    ("heading", "Waste"),
    ("line", "Oil is taken to the blue tank at the crane;"),
    ("line", "nothing is emptied into the water. Café"),
    ("line", "guests use the bins on the quay."),
    ("gap", ""),
    ("line", "• Glass: green bin"),
    ("gap", ""),
    ("line", "• Paper: grey bin"),
    ("heading", "Noise"),
    ("line", "Engines and halyards are quiet between"),
    ("line", "22.00 and 7.00."),
]
TABLE = [["Length", "Day", "Month"], ["up to 8 m", "€18", "€310"], ["8 to 12 m", "€27", "€465"]]
SECOND_PAGE = [
    ("heading", "Complaints"),
    ("line", "Complaints go to the harbour master, Renée Dupont, at the office on the north mole."),
]


def footer(number):
    return f"Page {number} of 2"


def pdf():
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.setTitle(RULES_TITLE)

    def frame(number):
        canvas.setFont("Times-Italic", 8)
        canvas.drawString(60, 800, HEADER)
        return lambda: (canvas.setFont("Times-Italic", 8), canvas.drawCentredString(297, 40, footer(number)))

    def column(left, top, lines):
        for kind, text in lines:
            if kind == "gap":
                top -= 6
                continue
            top -= 24 if kind == "heading" else 13
            canvas.setFont(*(("Times-Bold", 14) if kind == "heading" else ("Times-Roman", 11)))
            canvas.drawString(left, top, text)
            top -= 4 if kind == "heading" else 0
        return top

    close = frame(1)
    canvas.setFont("Times-Bold", 20)
    canvas.drawString(60, 750, TITLE)
    bottom = min(column(60, 735, LEFT), column(310, 735, RIGHT)) - 20
    for row in TABLE:
        canvas.setFont("Times-Bold" if row is TABLE[0] else "Times-Roman", 11)
        for position, cell in enumerate(row):
            canvas.drawString(65 + 150 * position, bottom - 14, cell)
        canvas.grid([60, 210, 360, 510], [bottom, bottom - 20])
        bottom -= 20
    close()
    canvas.showPage()
    close = frame(2)
    column(60, 770, SECOND_PAGE)
    close()
    canvas.save()
    return buffer.getvalue()


def locked_pdf(password):
    """The same, encrypted with AES-256."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf())))
    writer.encrypt(password, algorithm="AES-256")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


RESOLUTION = 200


def picture(lines):
    """Black text on white, as if printed at 12 points."""
    import reportlab
    from PIL import Image, ImageDraw, ImageFont

    typeface = ImageFont.truetype(str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"), 33)
    page = Image.new("L", (832, 288), 255)
    draw = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        draw.text((48, 48 + 64 * number), line, font=typeface, fill=0)
    return page


def bilevel(lines):
    return picture(lines).point(lambda grey: 255 if grey > 128 else 0).convert("1")


def saved(image, format, **options):
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def pictures():
    """The notice in every kind of picture, by extension."""
    first, second = NOTICE
    resolution = (RESOLUTION, RESOLUTION)
    return {
        "jpg": saved(picture(first), "JPEG", quality=60, dpi=resolution),
        "png": saved(bilevel(first), "PNG", dpi=resolution),
        "tiff": saved(
            bilevel(first),
            "TIFF",
            compression="group4",
            dpi=resolution,
            save_all=True,
            append_images=[bilevel(second)],
        ),
        "bmp": saved(bilevel(first), "BMP", dpi=resolution),
        "gif": saved(bilevel(first), "GIF"),
        "webp": saved(picture(first), "WEBP", lossless=True, method=6),
    }


def scan():
    """A PDF of two pages that are pictures."""
    made = datetime(2024, 5, 3, 9).timetuple()
    first, second = (bilevel(lines) for lines in NOTICE)
    return saved(
        first,
        "PDF",
        save_all=True,
        append_images=[second],
        resolution=RESOLUTION,
        creationDate=made,
        modDate=made,
    )
