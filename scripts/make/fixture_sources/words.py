"""The licence as Word, OpenDocument, Rich Text and HTML, written by hand so that nothing but the content is in the files."""

import zipfile
from html import escape

from archive import CORE, CORE_TYPE, content_types, core_properties, relationships, xml, zipped
from content import LICENCE, NOTE, NOTE_MARK, TITLE

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def docx(compression=zipfile.ZIP_DEFLATED):
    def run(text):
        return f'<w:r><w:t xml:space="preserve">{escape(text, quote=False)}</w:t></w:r>'

    def runs(text):
        before, mark, after = text.partition(NOTE_MARK)
        if not mark:
            return run(text)
        return run(before) + '<w:r><w:footnoteReference w:id="1"/></w:r>' + run(after)

    def paragraph(text, properties=""):
        return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{runs(text)}</w:p>"

    def listed(text, number, level=0):
        return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')

    def table(rows):
        grid = "<w:tblGrid>" + '<w:gridCol w:w="3000"/>' * len(rows[0]) + "</w:tblGrid>"
        lines = []
        for index, row in enumerate(rows):
            head = "<w:trPr><w:tblHeader/></w:trPr>" if index == 0 else ""
            cells = "".join(
                f'<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>{paragraph(text)}</w:tc>' for text in row
            )
            lines.append(f"<w:tr>{head}{cells}</w:tr>")
        return f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr>{grid}{"".join(lines)}</w:tbl>'

    body = []
    for number, blocks in enumerate(LICENCE):
        if number:
            body.append('<w:p><w:r><w:br w:type="page"/></w:r></w:p>')
        for kind, *rest in blocks:
            if kind == "heading":
                body.append(paragraph(rest[1], f'<w:pStyle w:val="Heading{rest[0]}"/>'))
            elif kind == "text":
                body.append(paragraph(rest[0]))
            elif kind == "number":
                body.append(listed(rest[1], 1, rest[0]))
            elif kind == "bullet":
                body.append(listed(rest[0], 2))
            else:
                body.append(table(rest[0]))
    body.append('<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>')

    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>'
        for level in (1, 2)
    )
    normal = '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'

    def level(number, number_format, text):
        return (
            f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/>'
            f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
            f'<w:pPr><w:ind w:left="{567 * (number + 1)}" w:hanging="567"/></w:pPr></w:lvl>'
        )

    numbering = (
        f'<w:abstractNum w:abstractNumId="0">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "(%2)")}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1">{level(0, "bullet", "•")}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    )
    footnotes = (
        '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r>{run(" " + NOTE)}</w:p></w:footnote>'
    )

    def part(root, content):
        return xml(f'<w:{root} xmlns:w="{WORD}">{content}</w:{root}>')

    return zipped(
        [
            (
                "[Content_Types].xml",
                content_types(
                    [("word/document.xml", f"{WORD_TYPE}.document.main+xml")]
                    + [(f"word/{name}.xml", f"{WORD_TYPE}.{name}+xml") for name in ("styles", "numbering", "footnotes")]
                    + [("docProps/core.xml", CORE_TYPE)]
                ),
            ),
            ("_rels/.rels", relationships([("officeDocument", "word/document.xml"), (CORE, "docProps/core.xml")])),
            (
                "word/_rels/document.xml.rels",
                relationships([(name, f"{name}.xml") for name in ("styles", "numbering", "footnotes")]),
            ),
            ("word/document.xml", part("document", f"<w:body>{''.join(body)}</w:body>")),
            ("word/styles.xml", part("styles", normal + headings)),
            ("word/numbering.xml", part("numbering", numbering)),
            ("word/footnotes.xml", part("footnotes", footnotes)),
            ("docProps/core.xml", core_properties(TITLE)),
        ],
        compression,
    )


ODF_NAMESPACES = (
    " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in [
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("style", "style"),
            ("draw", "drawing"),
            ("presentation", "presentation"),
            ("number", "datastyle"),
            ("meta", "meta"),
            ("fo", "xsl-fo-compatible"),
            ("svg", "svg-compatible"),
            ("manifest", "manifest"),
        ]
    )
    + ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def opendocument(kind, title, automatic_styles, body, styles=""):
    """An OpenDocument container; `kind` is text, presentation or spreadsheet."""
    mime_type = f"application/vnd.oasis.opendocument.{kind}"
    files = [("/", mime_type), ("content.xml", "text/xml"), ("styles.xml", "text/xml"), ("meta.xml", "text/xml")]
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media_type}"/>'
        for path, media_type in files
    )
    content = f"<office:automatic-styles>{automatic_styles}</office:automatic-styles><office:body>{body}</office:body>"
    meta = (
        f"<office:meta><dc:title>{title}</dc:title><meta:creation-date>2024-05-03T09:00:00</meta:creation-date>"
        "<dc:date>2024-05-03T09:00:00</dc:date></office:meta>"
    )

    def part(root, inner):
        prefix = root.partition(":")[0]
        return xml(f'<{root} {ODF_NAMESPACES} {prefix}:version="1.3">{inner}</{root}>')

    return zipped(
        [
            ("mimetype", mime_type),
            ("META-INF/manifest.xml", part("manifest:manifest", entries)),
            ("content.xml", part("office:document-content", content)),
            ("styles.xml", part("office:document-styles", styles)),
            ("meta.xml", part("office:document-meta", meta)),
        ]
    )


def list_styles():
    """Lists numbered `1.` and `(a)`, and with bullets."""

    def indent(level):
        return (
            '<style:list-level-properties text:list-level-position-and-space-mode="label-alignment">'
            '<style:list-level-label-alignment text:label-followed-by="listtab" '
            f'fo:text-indent="-1cm" fo:margin-left="{level}cm"/></style:list-level-properties>'
        )

    return (
        '<text:list-style style:name="Numbers">'
        f'<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=".">{indent(1)}'
        "</text:list-level-style-number>"
        '<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")">'
        f"{indent(2)}</text:list-level-style-number></text:list-style>"
        '<text:list-style style:name="Bullets">'
        f'<text:list-level-style-bullet text:level="1" text:bullet-char="•">{indent(1)}</text:list-level-style-bullet>'
        "</text:list-style>"
    )


def lists(blocks):
    """Blocks with the items of each list drawn together: ("list", kind, [(level, text), …])."""
    found = []
    for block in blocks:
        if block[0] not in ("number", "bullet"):
            found.append(block)
            continue
        item = (block[1], block[2]) if block[0] == "number" else (0, block[1])
        if found and found[-1][:2] == ("list", block[0]):
            found[-1][2].append(item)
        else:
            found.append(("list", block[0], [item]))
    return found


def odf_list(kind, items):
    """A `text:list`; items of the second level stand in a list inside the item before."""
    style = "Numbers" if kind == "number" else "Bullets"
    out, depth = [f'<text:list text:style-name="{style}">'], 0
    for index, (level, text) in enumerate(items):
        if level > depth:
            out.append("<text:list>")
        elif index:
            out.append("</text:list-item>" + "</text:list></text:list-item>" * (depth - level))
        out.append(f"<text:list-item><text:p>{escape(text, quote=False)}</text:p>")
        depth = level
    return "".join(out) + "</text:list-item></text:list>" * (depth + 1)


def odf_table(rows, header):
    """`header` wraps the first row, or is empty: presentations have no header rows."""

    def row(cells):
        inner = "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(cell, quote=False)}</text:p></table:table-cell>'
            for cell in cells
        )
        return f"<table:table-row>{inner}</table:table-row>"

    first = f"<{header}>{row(rows[0])}</{header}>" if header else row(rows[0])
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>'
    return f'<table:table table:name="Table1">{columns}{first}{"".join(map(row, rows[1:]))}</table:table>'


def odt():
    note = (
        '<text:note text:id="ftn1" text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body><text:p>{NOTE}</text:p></text:note-body></text:note>"
    )
    body = []
    for number, blocks in enumerate(LICENCE):
        for index, (kind, *rest) in enumerate(lists(blocks)):
            if kind == "heading":
                style = "Break" if number and index == 0 else f"Heading_20_{rest[0]}"
                body.append(f'<text:h text:style-name="{style}" text:outline-level="{rest[0]}">{rest[1]}</text:h>')
            elif kind == "text":
                body.append(f"<text:p>{rest[0].replace(NOTE_MARK, note)}</text:p>")
            elif kind == "list":
                body.append(odf_list(*rest))
            else:
                body.append(odf_table(rest[0], "table:table-header-rows"))
    automatic = (
        '<style:style style:name="Break" style:family="paragraph" style:parent-style-name="Heading_20_2">'
        '<style:paragraph-properties fo:break-before="page"/></style:style>' + list_styles()
    )
    headings = "".join(
        f'<style:style style:name="Heading_20_{level}" style:display-name="Heading {level}" style:family="paragraph" '
        f'style:default-outline-level="{level}"><style:text-properties fo:font-weight="bold"/></style:style>'
        for level in (1, 2)
    )
    return opendocument(
        "text",
        TITLE,
        automatic,
        f"<office:text>{''.join(body)}</office:text>",
        f"<office:styles>{headings}</office:styles>",
    )


def rtf():
    def text(value):
        return "".join(
            f"\\{character}" if character in "\\{}" else character if character.isascii() else f"\\u{ord(character)}?"
            for character in value
        )

    note = text(NOTE)
    out = [
        r"{\rtf1\ansi\ansicpg1252\deff0\uc1{\fonttbl{\f0\froman\fcharset0 Times New Roman;}{\f1\fcharset2 Symbol;}}",
        r"{\stylesheet{\s0 Normal;}{\s1\sbasedon0\outlinelevel0\b heading 1;}{\s2\sbasedon0\outlinelevel1\b heading 2;}}",
        rf"{{\info{{\title {TITLE}}}}}",
    ]
    counters = [0, 0]
    for number, blocks in enumerate(LICENCE):
        if number:
            out.append(r"\pard\plain\page")
        for kind, *rest in blocks:
            if kind == "heading":
                out.append(rf"\pard\plain\s{rest[0]}\outlinelevel{rest[0] - 1}\b {text(rest[1])}\par")
            elif kind == "text":
                marked = text(rest[0]).replace(
                    NOTE_MARK, rf"{{\super\chftn{{\footnote\pard\plain {{\super\chftn}} {note}}}}}"
                )
                out.append(rf"\pard\plain {marked}\par")
            elif kind == "number":
                level, value = rest
                counters[level] += 1
                label = f"{counters[0]}." if level == 0 else f"({'abc'[counters[1] - 1]})"
                indent = 360 * (level + 1)
                out.append(rf"\pard\plain\fi-360\li{indent}{{\listtext {label}\tab}}{text(value)}\par")
            elif kind == "bullet":
                out.append(rf"\pard\plain\fi-360\li360{{\listtext\f1 \'b7\tab}}{text(rest[0])}\par")
            else:
                for index, row in enumerate(rest[0]):
                    head = r"\trhdr" if index == 0 else ""
                    edges = "".join(rf"\cellx{3000 * (column + 1)}" for column in range(len(row)))
                    cells = "".join(rf"{text(cell)}\cell " for cell in row)
                    out.append(rf"\trowd{head}{edges}\pard\plain\intbl {cells}\row")
    return ("\n".join(out) + "}\n").encode("ascii")


def html():
    out = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>',
        "<style>td { padding: 0 1em }</style></head><body>",
    ]
    for blocks in LICENCE:
        for kind, *rest in lists(blocks):
            if kind == "heading":
                out.append(f"<h{rest[0]}>{rest[1]}</h{rest[0]}>")
            elif kind == "text":
                out.append(f"<p>{rest[0].replace(NOTE_MARK, '')}</p>")
            elif kind == "list" and rest[0] == "bullet":
                out.append("<ul>" + "".join(f"<li>{text}</li>" for _, text in rest[1]) + "</ul>")
            elif kind == "list":
                outer, inner = ([text for level, text in rest[1] if level == wanted] for wanted in (0, 1))
                items = "".join(f"<li>{text}</li>" for text in inner)
                first, last = outer
                out.append(f'<ol><li>{first}</li><li>{last}\n<ol type="a">{items}</ol></li></ol>')
            else:
                head, *rows = rest[0]
                out.append("<table><thead><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr></thead><tbody>")
                out += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
                out.append("</tbody></table>")
    return ("\n".join(out) + "\n</body></html>\n").encode()
