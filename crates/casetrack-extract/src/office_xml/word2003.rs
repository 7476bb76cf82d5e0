//! Word 2003 XML ([WordprocessingML of 2003]) as the parts of a package. Most of its elements are still in use. The others are renamed:
//! lists, revisions, and notes, comments, headers and pictures that are placed where they are referred to.
//!
//! [WordprocessingML of 2003]: https://learn.microsoft.com/previous-versions/office/developer/office-2003/aa212812(v=office.11)

use std::fmt::Write;

use casetrack_pages::container::xml::{Element, Node, XmlError, XmlReader};

use super::{Parts, escaped, of_base64};

pub(super) const NAMESPACE: &str = "http://schemas.microsoft.com/office/word/2003/wordml";

const MAIN: &str = "word/document.xml";
const MAIN_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

/// Reads `w:wordDocument`, whose start `root` was read.
pub(super) fn read(xml: &mut XmlReader, root: &Element, parts: &mut Parts) -> Result<(), XmlError> {
    let mut converter = Converter { prefix: root.prefix().to_owned(), ..Converter::default() };
    let outcome = converter.document(xml);
    converter.finish(parts, outcome.is_err());
    outcome
}

/// The parts so far, without their root elements.
#[derive(Default)]
struct Converter {
    /// Of the elements that are copied; the others wrap them.
    prefix: String,
    body: String,
    styles: String,
    numbering: String,
    properties: String,
    pages: String,
    comments: String,
    footnotes: String,
    endnotes: String,
    /// Headers and footers with the kinds of their relationships, and pictures with the names that the text gives them.
    margins: Vec<(&'static str, String)>,
    pictures: Vec<(String, Vec<u8>)>,
    /// The number of notes and comments so far.
    notes: u32,
}

impl Converter {
    fn document(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(element) = xml.child()? {
            match element.name() {
                "body" => self.apart(xml, |converter| &mut converter.body)?,
                "styles" => self.apart(xml, |converter| &mut converter.styles)?,
                "lists" => self.apart(xml, |converter| &mut converter.numbering)?,
                "DocumentProperties" => self.properties(xml)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// Copies the children of the element started last to one of the parts, up to the damage.
    fn apart(&mut self, xml: &mut XmlReader, part: impl Fn(&mut Self) -> &mut String) -> Result<(), XmlError> {
        let mut out = String::new();
        let outcome = self.children(xml, &mut out);
        part(self).push_str(&out);
        outcome
    }

    fn properties(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(property) = xml.child()? {
            let name = match property.name() {
                "Title" => "title",
                "Author" => "creator",
                "Created" => "created",
                "LastSaved" => "modified",
                "Pages" => {
                    self.pages = escaped(&xml.text()?);
                    continue;
                }
                _ => {
                    xml.skip()?;
                    continue;
                }
            };
            let _ = write!(self.properties, "<{name}>{}</{name}>", escaped(&xml.text()?));
        }
        Ok(())
    }

    fn children(&mut self, xml: &mut XmlReader, out: &mut String) -> Result<(), XmlError> {
        loop {
            match xml.next()? {
                Node::Start(element) => self.element(xml, &element, out)?,
                Node::Text(text) => out.push_str(&escaped(&text)),
                Node::End | Node::Eof => return Ok(()),
            }
        }
    }

    /// Copies the children into an element of this name, with this attribute.
    fn renamed(&mut self, xml: &mut XmlReader, out: &mut String, name: &str, attributes: &str) -> Result<(), XmlError> {
        let _ = write!(out, "<w:{name}{attributes}>");
        self.children(xml, out)?;
        let _ = write!(out, "</w:{name}>");
        Ok(())
    }

    fn element(&mut self, xml: &mut XmlReader, element: &Element, out: &mut String) -> Result<(), XmlError> {
        let value = |name: &str| escaped(&element.attribute(name).unwrap_or_default());
        let own = |name: &str| format!(" w:val=\"{}\"", value(name));
        match element.name() {
            "annotation" => self.annotation(xml, element, out),
            "listPr" => self.renamed(xml, out, "numPr", ""),
            "ilfo" => self.renamed(xml, out, "numId", &own("val")),
            "vmerge" => self.renamed(xml, out, "vMerge", &own("val")),
            "listDef" => {
                let attributes = format!(" w:abstractNumId=\"{}\"", value("listDefId"));
                self.renamed(xml, out, "abstractNum", &attributes)
            }
            "list" => self.renamed(xml, out, "num", &format!(" w:numId=\"{}\"", value("ilfo"))),
            "ilst" => self.renamed(xml, out, "abstractNumId", &own("val")),
            "listStyleLink" => self.renamed(xml, out, "numStyleLink", &own("val")),
            // Numbers without a format are decimal.
            "lvl" => {
                let _ = write!(out, "<w:lvl w:ilvl=\"{}\"><w:numFmt w:val=\"decimal\"/>", value("ilvl"));
                self.children(xml, out)?;
                out.push_str("</w:lvl>");
                Ok(())
            }
            "nfc" => self.renamed(xml, out, "numFmt", &format!(" w:val=\"{}\"", number_format(&value("val")))),
            "footnote" => {
                self.note(xml, out, "footnote", "footnoteReference", "", |converter| &mut converter.footnotes)
            }
            "endnote" => self.note(xml, out, "endnote", "endnoteReference", "", |converter| &mut converter.endnotes),
            "hdr" => self.margin(xml, out, "header"),
            "ftr" => self.margin(xml, out, "footer"),
            "binData" => {
                let name = element.attribute("name").unwrap_or_default();
                self.pictures.extend(of_base64(&xml.text()?).ok().map(|bytes| (name, bytes)));
                Ok(())
            }
            "imagedata" => {
                let _ = write!(out, "<v:imagedata r:id=\"{}\"/>", value("src"));
                xml.skip()
            }
            "docOleData" | "docSuppData" => xml.skip(),
            _ if element.prefix() == self.prefix => {
                let _ = write!(out, "<{}>", element.markup());
                self.children(xml, out)?;
                let _ = write!(out, "</{}>", element.qualified_name());
                Ok(())
            }
            // Sections, the contents of annotations, drawings, elements of other schemas.
            _ => self.children(xml, out),
        }
    }

    /// Revisions and comments.
    fn annotation(&mut self, xml: &mut XmlReader, element: &Element, out: &mut String) -> Result<(), XmlError> {
        let [kind, author, date] = element.attributes(["type", "author", "createdate"]).map(Option::unwrap_or_default);
        let by = format!(" w:author=\"{}\" w:date=\"{}\"", escaped(&author), escaped(&date));
        match kind.as_str() {
            "Word.Insertion" => self.renamed(xml, out, "ins", &by),
            "Word.Deletion" => self.renamed(xml, out, "del", &by),
            "Word.Comment" => {
                self.note(xml, out, "comment", "commentReference", &by, |converter| &mut converter.comments)
            }
            _ => xml.skip(),
        }
    }

    /// Moves a note to the part of its kind and leaves a reference to it.
    fn note(
        &mut self,
        xml: &mut XmlReader,
        out: &mut String,
        name: &str,
        reference: &str,
        attributes: &str,
        part: impl Fn(&mut Self) -> &mut String,
    ) -> Result<(), XmlError> {
        self.notes += 1;
        let id = self.notes;
        let mut note = String::new();
        self.renamed(xml, &mut note, name, &format!(" w:id=\"{id}\"{attributes}"))?;
        part(self).push_str(&note);
        let _ = write!(out, "<w:{reference} w:id=\"{id}\"/>");
        Ok(())
    }

    fn margin(&mut self, xml: &mut XmlReader, out: &mut String, kind: &'static str) -> Result<(), XmlError> {
        let mut margin = String::new();
        self.renamed(xml, &mut margin, kind, "")?;
        let _ = write!(out, "<w:{kind}Reference r:id=\"margin{}\"/>", self.margins.len());
        self.margins.push((kind, margin));
        Ok(())
    }

    fn finish(self, parts: &mut Parts, is_cut: bool) {
        let mut related = String::from("<Relationships>");
        let mut relate = |id: &str, kind: &str, target: &str| {
            let _ = write!(related, "<Relationship Id=\"{}\" Type=\"x/{kind}\" Target=\"{target}\"/>", escaped(id));
        };
        for (number, (kind, margin)) in self.margins.into_iter().enumerate() {
            relate(&format!("margin{number}"), kind, &format!("margin{number}.xml"));
            parts.add(&format!("word/margin{number}.xml"), margin);
        }
        for (number, (name, bytes)) in self.pictures.into_iter().enumerate() {
            relate(&name, "image", &format!("media/{number}"));
            parts.add(&format!("word/media/{number}"), bytes);
        }
        parts.add("word/_rels/document.xml.rels", related + "</Relationships>");
        for (name, root, content) in [
            ("word/styles.xml", "styles", self.styles),
            ("word/numbering.xml", "numbering", self.numbering),
            ("word/comments.xml", "comments", self.comments),
            ("word/footnotes.xml", "footnotes", self.footnotes),
            ("word/endnotes.xml", "endnotes", self.endnotes),
            ("docProps/core.xml", "coreProperties", self.properties),
            ("docProps/app.xml", "Properties", format!("<Pages>{}</Pages>", self.pages)),
        ] {
            parts.add(name, format!("<{root}>{content}</{root}>"));
        }
        // If the file is damaged, the part is truncated, and the extractor reports it.
        let end = if is_cut { "" } else { "</w:body></w:document>" };
        parts.add(MAIN, format!("<w:document><w:body>{}{end}", self.body));
        parts.declare([("/word/document.xml", MAIN_TYPE)].into_iter());
    }
}

/// A format of numbers by its number ([MS-DOC] 2.9.155, `MSONFC`).
fn number_format(number: &str) -> &'static str {
    match number {
        "1" => "upperRoman",
        "2" => "lowerRoman",
        "3" => "upperLetter",
        "4" => "lowerLetter",
        "5" => "ordinal",
        "22" => "decimalZero",
        "23" => "bullet",
        "255" => "none",
        _ => "decimal",
    }
}
