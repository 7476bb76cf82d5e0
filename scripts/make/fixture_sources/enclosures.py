"""A letter in Word with files inside: a workbook as a part, a text in an OLE package, and the data behind a chart, which is no file. A letter
in Rich Text with the same OLE package."""

import struct

import sheets
from archive import content_types, relationships, xml, zipped
from compound import compound_file
from words import WORD, WORD_TYPE

TEXT = "The fees and the keys are enclosed."
KEYS = ("Keys – Ærø.txt", "Key 7 opens the gate.\n")
CHART = [["Berths", "2024"], ["B12", "4800"]]


def packaged(name, content):
    """The stream of the object packager: names in Windows-1252, the content, then the names in Unicode."""
    label = name.encode("cp1252") + b"\0"
    path = b"C:\\mail\\" + label
    data = content.encode()
    stream = struct.pack("<H", 2) + label + path + struct.pack("<II", 0x00030000, len(path)) + path
    stream += struct.pack("<I", len(data)) + data
    for text in (f"C:\\mail\\{name}", name, f"C:\\mail\\{name}"):
        stream += struct.pack("<I", len(text)) + text.encode("utf-16-le")
    return struct.pack("<I", len(stream)) + stream


def docx():
    drawing = '<w:r><w:drawing><c:chart xmlns:c="urn:chart" xmlns:r="urn:r" r:id="rId3"/></w:drawing></w:r>'
    body = f"<w:p><w:r><w:t>{TEXT}</w:t></w:r></w:p><w:p>{drawing}</w:p>"

    def points(value):
        return f'<c:strCache><c:pt idx="0"><c:v>{value}</c:v></c:pt></c:strCache>'

    (_, series), (category, value) = CHART
    chart = (
        f'<c:chartSpace xmlns:c="urn:chart"><c:ser><c:tx>{points(series)}</c:tx><c:cat>{points(category)}</c:cat>'
        f"<c:val>{points(value)}</c:val></c:ser></c:chartSpace>"
    )
    data = zipped([("xl/workbook.xml", xml("<workbook/>"))])
    ole = compound_file({"\x01Ole10Native": packaged(*KEYS)})
    return zipped(
        [
            ("[Content_Types].xml", content_types([("word/document.xml", f"{WORD_TYPE}.document.main+xml")])),
            ("_rels/.rels", relationships([("officeDocument", "word/document.xml")])),
            (
                "word/_rels/document.xml.rels",
                relationships(
                    [
                        ("package", "embeddings/Fees.xlsx"),
                        ("oleObject", "embeddings/oleObject1.bin"),
                        ("chart", "charts/chart1.xml"),
                    ]
                ),
            ),
            ("word/document.xml", xml(f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')),
            ("word/embeddings/Fees.xlsx", sheets.xlsx()),
            ("word/embeddings/oleObject1.bin", ole),
            ("word/charts/chart1.xml", chart.encode()),
            ("word/charts/_rels/chart1.xml.rels", relationships([("package", "../embeddings/data.xlsx")])),
            ("word/embeddings/data.xlsx", data),
        ]
    )


def rtf():
    """The package is an object of OLE 1.0: version, kind, class, topic and item, then the stream without its size."""
    package = packaged(*KEYS)[4:]
    kind = b"Package\0"
    data = struct.pack("<III", 0x0501, 2, len(kind)) + kind + bytes(8) + struct.pack("<I", len(package)) + package
    return rf"{{\rtf1\ansi {TEXT}{{\object\objemb{{\*\objclass Package}}{{\*\objdata {data.hex()}}}{{\result }}}}\par}}".encode("ascii")
