"""The briefing as PowerPoint and OpenDocument presentations."""

from html import escape

from archive import CORE, CORE_TYPE, OFFICE, content_types, core_properties, relationships, xml, zipped
from content import BRIEFING, BRIEFING_TITLE
from words import list_styles, lists, odf_list, odf_table, opendocument

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
PART_TYPE = "application/vnd.openxmlformats-officedocument.presentationml"
EMPTY_GROUP = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
COLOURS = [
    ("dk1", "000000"),
    ("lt1", "FFFFFF"),
    ("dk2", "1F3040"),
    ("lt2", "EEEEEE"),
    *((f"accent{number}", "336699") for number in range(1, 7)),
    ("hlink", "0000FF"),
    ("folHlink", "800080"),
]


def part(root, content, attributes=""):
    return xml(
        f'<p:{root} xmlns:a="{DRAWING}" xmlns:r="{OFFICE}" xmlns:p="{PRESENTATION}"{attributes}>{content}</p:{root}>'
    )


def tree(shapes):
    return f"<p:cSld><p:spTree>{EMPTY_GROUP}{shapes}</p:spTree></p:cSld>"


def place(number):
    """Shapes stand below each other."""
    return f'<a:off x="900000" y="{1200000 * number}"/><a:ext cx="7000000" cy="1000000"/>'


def shape(number, placeholder, paragraphs):
    marked = f"<p:ph{placeholder}/>" if placeholder is not None else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number + 2}" name="Shape {number}"/><p:cNvSpPr/><p:nvPr>{marked}</p:nvPr></p:nvSpPr>'
        f'<p:spPr><a:xfrm>{place(number)}</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody></p:sp>"
    )


def paragraph(text, properties=""):
    inner = f"<a:pPr>{properties}</a:pPr>" if properties else ""
    return f'<a:p>{inner}<a:r><a:rPr lang="en-GB"/><a:t>{escape(text, quote=False)}</a:t></a:r></a:p>'


def pptx_table(number, rows):
    grid = "".join('<a:gridCol w="2000000"/>' for _ in rows[0])
    lines = "".join(
        '<a:tr h="400000">'
        + "".join(f"<a:tc><a:txBody><a:bodyPr/>{paragraph(cell)}</a:txBody><a:tcPr/></a:tc>" for cell in row)
        + "</a:tr>"
        for row in rows
    )
    return (
        f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number + 2}" name="Table {number}"/><p:cNvGraphicFramePr/><p:nvPr/>'
        f"</p:nvGraphicFramePr><p:xfrm>{place(number)}</p:xfrm>"
        '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table">'
        f'<a:tbl><a:tblPr firstRow="1"/><a:tblGrid>{grid}</a:tblGrid>{lines}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
    )


def theme():
    colours = "".join(f'<a:{name}><a:srgbClr val="{value}"/></a:{name}>' for name, value in COLOURS)
    font = '<a:latin typeface="Arial"/><a:ea typeface=""/><a:cs typeface=""/>'
    fill = '<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    return xml(
        f'<a:theme xmlns:a="{DRAWING}" name="Plain"><a:themeElements><a:clrScheme name="Plain">{colours}</a:clrScheme>'
        f'<a:fontScheme name="Plain"><a:majorFont>{font}</a:majorFont><a:minorFont>{font}</a:minorFont></a:fontScheme>'
        f'<a:fmtScheme name="Plain"><a:fillStyleLst>{fill * 3}</a:fillStyleLst><a:lnStyleLst>{f"<a:ln>{fill}</a:ln>" * 3}'
        "</a:lnStyleLst><a:effectStyleLst>"
        + "<a:effectStyle><a:effectLst/></a:effectStyle>"
        * 3
        + "</a:effectStyleLst>"
        f"<a:bgFillStyleLst>{fill * 3}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>"
    )


def slide(title, blocks):
    shapes, body = [shape(0, ' type="title"', paragraph(title))], []
    for kind, *rest in blocks:
        if kind == "bullet":
            body.append(paragraph(rest[0], '<a:buChar char="•"/>'))
        elif kind == "number":
            body.append(paragraph(rest[1], '<a:buAutoNum type="arabicPeriod"/>'))
    if body:
        shapes.append(shape(1, ' idx="1"', "".join(body)))
    for number, (kind, *rest) in enumerate(blocks, start=2):
        if kind == "table":
            shapes.append(pptx_table(number, rest[0]))
        elif kind == "text":
            shapes.append(shape(number, None, paragraph(rest[0])))
    return part("sld", tree("".join(shapes)) + "<p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr>")


def notes_page(text):
    return part("notes", tree(shape(0, ' type="body" idx="1"', paragraph(text))))


def pptx():
    colour_map = (
        '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" '
        + " ".join(f'accent{number}="accent{number}"' for number in range(1, 7))
        + ' hlink="hlink" folHlink="folHlink"/>'
    )
    slides = range(1, len(BRIEFING) + 1)
    notes = [number for number in slides if BRIEFING[number - 1][2]]
    # In this order so that their ids are rId1 and up.
    related = [("slideMaster", "slideMasters/slideMaster1.xml")]
    related += [("slide", f"slides/slide{number}.xml") for number in slides]
    related.append(("notesMaster", "notesMasters/notesMaster1.xml"))
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number + 1}"/>' for number in slides)
    main = (
        '<p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/></p:sldMasterIdLst>'
        f'<p:notesMasterIdLst><p:notesMasterId r:id="rId{len(related)}"/></p:notesMasterIdLst>'
        f'<p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
    )
    master = tree("") + colour_map + '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'
    parts = [
        ("ppt/presentation.xml", "presentation.main", part("presentation", main)),
        ("ppt/slideMasters/slideMaster1.xml", "slideMaster", part("sldMaster", master)),
        ("ppt/slideLayouts/slideLayout1.xml", "slideLayout", part("sldLayout", tree(""))),
        ("ppt/notesMasters/notesMaster1.xml", "notesMaster", part("notesMaster", tree("") + colour_map)),
    ]
    links = [
        ("_rels/.rels", [("officeDocument", "ppt/presentation.xml"), (CORE, "docProps/core.xml")]),
        ("ppt/_rels/presentation.xml.rels", related),
        (
            "ppt/slideMasters/_rels/slideMaster1.xml.rels",
            [("slideLayout", "../slideLayouts/slideLayout1.xml"), ("theme", "../theme/theme1.xml")],
        ),
        ("ppt/slideLayouts/_rels/slideLayout1.xml.rels", [("slideMaster", "../slideMasters/slideMaster1.xml")]),
        ("ppt/notesMasters/_rels/notesMaster1.xml.rels", [("theme", "../theme/theme2.xml")]),
    ]
    for number, (title, blocks, spoken) in zip(slides, BRIEFING):
        parts.append((f"ppt/slides/slide{number}.xml", "slide", slide(title, blocks)))
        targets = [("slideLayout", "../slideLayouts/slideLayout1.xml")]
        if spoken:
            targets.append(("notesSlide", f"../notesSlides/notesSlide{number}.xml"))
            parts.append((f"ppt/notesSlides/notesSlide{number}.xml", "notesSlide", notes_page(spoken)))
        links.append((f"ppt/slides/_rels/slide{number}.xml.rels", targets))
    for number in notes:
        targets = [("notesMaster", "../notesMasters/notesMaster1.xml"), ("slide", f"../slides/slide{number}.xml")]
        links.append((f"ppt/notesSlides/_rels/notesSlide{number}.xml.rels", targets))
    themes = ["ppt/theme/theme1.xml", "ppt/theme/theme2.xml"]
    overrides = [(name, f"{PART_TYPE}.{kind}+xml") for name, kind, _ in parts]
    overrides += [(name, "application/vnd.openxmlformats-officedocument.theme+xml") for name in themes]
    overrides.append(("docProps/core.xml", CORE_TYPE))
    return zipped(
        [("[Content_Types].xml", content_types(overrides))]
        + [(name, relationships(targets)) for name, targets in links]
        + [(name, content) for name, _, content in parts]
        + [(name, theme()) for name in themes]
        + [("docProps/core.xml", core_properties(BRIEFING_TITLE))]
    )


AREA = 'svg:x="2cm" svg:width="22cm" svg:height="3cm"'


def odp():
    def frame(number, kind, content):
        marked = f'presentation:class="{kind}" presentation:style-name="{kind}"' if kind else ""
        return f'<draw:frame {marked} {AREA} svg:y="{2 + 4 * number}cm">{content}</draw:frame>'

    def text_box(number, kind, content):
        return frame(number, kind, f"<draw:text-box>{content}</draw:text-box>")

    pages = []
    for number, (title, blocks, spoken) in enumerate(BRIEFING, start=1):
        frames = [text_box(0, "title", f"<text:p>{title}</text:p>")]
        items = [odf_list(*rest) for kind, *rest in lists(blocks) if kind == "list"]
        if items:
            frames.append(text_box(1, "outline", "".join(items)))
        for position, (kind, *rest) in enumerate(blocks, start=1):
            if kind == "table":
                frames.append(frame(position, "", odf_table(rest[0], "")))
            elif kind == "text":
                frames.append(text_box(position, "", f"<text:p>{rest[0]}</text:p>"))
        layout = "TitleAndBody" if items else "TitleOnly"
        notes = text_box(3, "notes", f"<text:p>{spoken}</text:p>") if spoken else ""
        pages.append(
            f'<draw:page draw:name="page{number}" draw:master-page-name="Default" '
            f'presentation:presentation-page-layout-name="{layout}">{"".join(frames)}'
            f"<presentation:notes>{notes}</presentation:notes></draw:page>"
        )

    def placeholder(kind):
        return f'<presentation:placeholder presentation:object="{kind}" svg:y="2cm" {AREA}/>'

    presentation_styles = "".join(
        f'<style:style style:name="{kind}" style:family="presentation" style:parent-style-name="Default-{parent}"/>'
        for kind, parent in [("title", "title"), ("outline", "outline1"), ("notes", "notes")]
    )
    # LibreOffice takes shapes for titles only where the page's layout has a place for them.
    layouts = "".join(
        f'<style:presentation-page-layout style:name="{name}">{"".join(map(placeholder, kinds))}</style:presentation-page-layout>'
        for name, kinds in [("TitleAndBody", ["title", "outline"]), ("TitleOnly", ["title"])]
    )
    styles = (
        f"<office:styles>{layouts}</office:styles>"
        '<office:automatic-styles><style:page-layout style:name="PM1"><style:page-layout-properties '
        'fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles>'
        '<office:master-styles><style:master-page style:name="Default" style:page-layout-name="PM1"/></office:master-styles>'
    )
    return opendocument(
        "presentation",
        BRIEFING_TITLE,
        list_styles() + presentation_styles,
        f"<office:presentation>{''.join(pages)}</office:presentation>",
        styles,
    )
