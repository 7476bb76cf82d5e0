"""A PDF as it comes from a court's files: text that is turned, a text layer in a code of its own, and a scan that lies askew under
stamps. And a letter in which a picture of a text was pasted."""

import io
import zlib
from pathlib import Path

from archive import content_types, relationships, xml, zipped
from words import WORD, WORD_TYPE

LEVEL = ["The keeper lives on the mole and keeps the lamp in", "good order from the first of May until October."]
TURNED = "Received on 3 May 2024"
# Long enough for a text layer to be judged by.
GARBLED = [
    "The harbour board keeps the roof of the lamp house and",
    "the stairs in good repair and the keeper pays for the oil",
    "in the month of May of every year until the lease ends",
]
ASKEW = [
    "The ships that came in during the month of June are",
    "listed by the keeper with the name of the master and",
    "the goods that were landed on the mole of the harbour",
    "and the list is sent to the board on the last Friday",
]
DEGREES = 9
HEADER = "Case 3:20-cv-00123-ABC Document 45-2 Filed 05/03/24 Page 3 of 3"
BATES = "QUAY000107"
LETTER, PASTED = "Dear Ana, here is what the board wrote.", ["The fee of the berth is", "sixty euros a month."]


def drawn(lines, size, place, degrees=0, font=40):
    """Black text on white."""
    import reportlab
    from PIL import Image, ImageDraw, ImageFont

    typeface = ImageFont.truetype(str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"), font)
    page = Image.new("L", size, 255)
    draw = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        draw.text((place[0], place[1] + font * 1.8 * number), line, font=typeface, fill=0)
    page = page.rotate(-degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    return page.point(lambda grey: 255 if grey > 128 else 0).convert("1")


def pdf():
    size = (1700, 2200)
    pictures = [drawn(GARBLED, size, (220, 400)), drawn(ASKEW, size, (260, 700), DEGREES)]

    def stream(content, entries=""):
        return f"<< {entries} /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"

    def image(picture):
        entries = "/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode"
        return stream(zlib.compress(picture.tobytes(), 9), f"{entries} /Width {size[0]} /Height {size[1]}")

    def text(matrix, line, font=12):
        line = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        return f"BT /F1 {font} Tf {matrix} Tm ({line}) Tj ET\n"

    def level(lines, left, top, font=12):
        return "".join(text(f"1 0 0 1 {left} {top - 16 * row}", line, font) for row, line in enumerate(lines))

    shown = "q 612 0 0 792 0 0 cm /Im1 Do Q\n"
    moved = ["".join(c if c == " " else chr(ord(c) - 29) for c in line) for line in GARBLED]
    contents = [
        level(LEVEL, 72, 700) + text("0 1 -1 0 560 200", TURNED),
        shown + "3 Tr " + level(moved, 72, 640),
        shown + level([HEADER], 72, 772, 10) + level([BATES], 480, 24, 10),
    ]
    kids = " ".join(f"{6 + 2 * page} 0 R" for page in range(3))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count 3 >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        *map(image, pictures),
    ]
    for page, content in enumerate(contents):
        picture = f"/XObject << /Im1 {3 + page} 0 R >>" if page else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {7 + 2 * page} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> {picture} >> >>".encode()
        )
        objects.append(stream(content.encode("latin-1")))
    file, places = b"%PDF-1.7\n", []
    for number, entries in enumerate(objects, start=1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + entries + b"\nendobj\n"
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return file + table.encode() + trailer.encode()


def letter():
    buffer = io.BytesIO()
    drawn(PASTED, (900, 220), (40, 40)).save(buffer, "PNG", dpi=(200, 200))
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    names = (
        f'xmlns:w="{WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="{drawing}/main" '
        f'xmlns:wp="{drawing}/wordprocessingDrawing" xmlns:pic="{drawing}/picture"'
    )
    picture = (
        '<w:drawing><wp:inline><wp:extent cx="4000000" cy="1000000"/><a:graphic><a:graphicData><pic:pic><pic:blipFill>'
        '<a:blip r:embed="rId1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>'
    )
    body = f"<w:p><w:r><w:t>{LETTER}</w:t></w:r></w:p><w:p><w:r>{picture}</w:r></w:p>"
    return zipped(
        [
            ("[Content_Types].xml", content_types([("word/document.xml", f"{WORD_TYPE}.document.main+xml")], [("png", "image/png")])),
            ("_rels/.rels", relationships([("officeDocument", "word/document.xml")])),
            ("word/_rels/document.xml.rels", relationships([("image", "media/image1.png")])),
            ("word/document.xml", xml(f"<w:document {names}><w:body>{body}</w:body></w:document>")),
            ("word/media/image1.png", buffer.getvalue()),
        ]
    )
