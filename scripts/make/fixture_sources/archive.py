"""Zipped documents whose bytes do not depend on when they are made."""

import io
import zipfile


def zipped(parts, compression=zipfile.ZIP_DEFLATED):
    """The bytes of an archive of (name, content) pairs. OpenDocument wants its first part, `mimetype`, uncompressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else compression
            archive.writestr(entry, content)
    return buffer.getvalue()


def xml(body):
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{body}'.encode()


def content_types(overrides, defaults=()):
    """`[Content_Types].xml` of an Open Packaging container: content types by part name."""
    known = [
        ("rels", "application/vnd.openxmlformats-package.relationships+xml"),
        ("xml", "application/xml"),
        *defaults,
    ]
    lines = [f'<Default Extension="{extension}" ContentType="{kind}"/>' for extension, kind in known]
    lines += [f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in overrides]
    return xml(f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{"".join(lines)}</Types>')


OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CORE = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
CORE_TYPE = "application/vnd.openxmlformats-package.core-properties+xml"


def relationships(targets):
    """A `.rels` part; ids are rId1, rId2 … in order. A kind is the last word of its type, or a whole type."""
    lines = [
        f'<Relationship Id="rId{number}" Type="{kind if ":" in kind else f"{OFFICE}/{kind}"}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    ]
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    return xml(f'<Relationships xmlns="{namespace}">{"".join(lines)}</Relationships>')


def core_properties(title):
    return xml(
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{title}</dc:title>"
        '<dcterms:created xsi:type="dcterms:W3CDTF">2024-05-03T09:00:00Z</dcterms:created>'
        '<dcterms:modified xsi:type="dcterms:W3CDTF">2024-05-03T09:00:00Z</dcterms:modified></cp:coreProperties>'
    )
