//! A pull parser for the XML parts of office files, over quick-xml.
//!
//! Elements and attributes are matched by local name, because strict and transitional OOXML differ in their namespaces
//! and producers choose prefixes freely.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use casetrack_core::Error;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

const MAX_DEPTH: usize = 256;

/// Why XML could not be read on.
#[derive(Debug)]
pub enum XmlError {
    Malformed(quick_xml::Error),
    EndsEarly,
    TooDeep,
    Invalid(String),
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XmlError::Malformed(error) => write!(f, "malformed XML: {error}"),
            XmlError::EndsEarly => f.write_str("the XML is cut off"),
            XmlError::TooDeep => write!(f, "XML elements are nested more than {MAX_DEPTH} deep"),
            XmlError::Invalid(problem) => f.write_str(problem),
        }
    }
}

/// Why reading a part ended early.
pub enum Stop {
    Xml(XmlError),
    /// The document exceeds a limit.
    Limit(Error),
}

impl Stop {
    /// The damage at which reading ended, if any; a limit that was exceeded is an error.
    pub fn damage(outcome: Result<(), Stop>) -> casetrack_core::Result<Option<XmlError>> {
        match outcome {
            Ok(()) => Ok(None),
            Err(Stop::Xml(error)) => Ok(Some(error)),
            Err(Stop::Limit(error)) => Err(error),
        }
    }
}

impl From<XmlError> for Stop {
    fn from(error: XmlError) -> Self {
        Stop::Xml(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Limit(error)
    }
}

#[derive(Debug)]
pub enum Node<'a> {
    Start(Element<'a>),
    /// The end of the element started last and not ended yet; empty elements have one too.
    End,
    Text(Cow<'a, str>),
    Eof,
}

#[derive(Debug)]
pub struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    pub fn name(&self) -> &str {
        let name = self.0.name().into_inner();
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// Name with its prefix, if it has one.
    pub fn qualified_name(&self) -> &str {
        self.0.name().into_inner()
    }

    /// The prefix of the name; empty without one.
    pub fn prefix(&self) -> &str {
        self.qualified_name().split_once(':').map_or("", |(prefix, _)| prefix)
    }

    /// Name and attributes as they are written in the file.
    pub fn markup(&self) -> &str {
        self.0.as_ref()
    }

    /// The namespaces that the element declares.
    pub fn namespaces(&self) -> impl Iterator<Item = String> {
        let declares = |found: &Attribute| {
            found.key.as_ref() == "xmlns" || found.key.prefix().is_some_and(|prefix| prefix.as_ref() == "xmlns")
        };
        self.all().filter(declares).map(|found| value_of(&found))
    }

    /// The value of the first attribute with this local name.
    pub fn attribute(&self, local_name: &str) -> Option<String> {
        self.all().find(|attribute| attribute.key.local_name().as_ref() == local_name).map(|found| value_of(&found))
    }

    /// The values of several attributes, in one walk through all of them.
    pub fn attributes<const N: usize>(&self, names: [&str; N]) -> [Option<String>; N] {
        let mut values = [const { None }; N];
        for attribute in self.all() {
            let Some(at) = names.iter().position(|name| attribute.key.local_name().as_ref() == *name) else { continue };
            values[at].get_or_insert_with(|| value_of(&attribute));
        }
        values
    }

    /// The value of the first attribute with this local name and any prefix: `r:id` in addition to `id`.
    pub fn qualified_attribute(&self, local_name: &str) -> Option<String> {
        let is_wanted =
            |found: &Attribute| found.key.prefix().is_some() && found.key.local_name().as_ref() == local_name;
        self.all().find(is_wanted).map(|found| value_of(&found))
    }

    fn all(&self) -> impl Iterator<Item = Attribute<'_>> {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        attributes.flatten()
    }

    pub fn number<T: FromStr>(&self, local_name: &str) -> Option<T> {
        self.attribute(local_name)?.parse().ok()
    }

    pub fn has(&self, local_name: &str, value: &str) -> bool {
        self.attribute(local_name).is_some_and(|found| found == value)
    }

    pub fn bytes(&self, local_name: &str) -> Option<Vec<u8>> {
        let text: String = self.attribute(local_name)?.split_ascii_whitespace().collect();
        BASE64_STANDARD.decode(text).ok()
    }

    /// `val`, the attribute that carries most settings in WordprocessingML.
    pub fn value(&self) -> Option<String> {
        self.attribute("val")
    }

    pub fn numeric_value<T: FromStr>(&self) -> Option<T> {
        self.number("val")
    }

    /// An on/off setting (`ST_OnOff`): on when present, unless its value is off.
    pub fn is_on(&self) -> bool {
        !matches!(self.value().as_deref(), Some("0" | "false" | "off"))
    }
}

fn value_of(attribute: &Attribute) -> String {
    attribute.normalized_value(XmlVersion::Implicit1_0).map_or_else(|_| attribute.value.to_string(), Cow::into_owned)
}

pub struct XmlReader<'a> {
    reader: Reader<&'a [u8]>,
    depth: usize,
}

impl<'a> XmlReader<'a> {
    pub fn new(xml: &'a str) -> Self {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, depth: 0 }
    }

    #[expect(clippy::should_implement_trait, reason = "the end is a node, and errors end the reading")]
    pub fn next(&mut self) -> Result<Node<'a>, XmlError> {
        loop {
            return Ok(match self.reader.read_event().map_err(XmlError::Malformed)? {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(XmlError::TooDeep);
                    }
                    Node::Start(Element(start))
                }
                Event::End(_) => {
                    self.depth -= 1;
                    Node::End
                }
                Event::Text(text) => Node::Text(text.xml10_content()),
                Event::CData(text) => Node::Text(text.xml10_content()),
                Event::GeneralRef(reference) => Node::Text(resolve(&reference)),
                Event::Eof if self.depth > 0 => return Err(XmlError::EndsEarly),
                Event::Eof => Node::Eof,
                _ => continue,
            });
        }
    }

    /// Skips to the end of the element started last.
    pub fn skip(&mut self) -> Result<(), XmlError> {
        let depth = self.depth;
        while self.next_start(depth)?.is_some() {}
        Ok(())
    }

    /// All text inside the element started last, to its end.
    pub fn text(&mut self) -> Result<String, XmlError> {
        let mut content = String::new();
        self.text_into(&mut content)?;
        Ok(content)
    }

    /// As [`text`](Self::text); also adds the text before damage.
    pub fn text_into(&mut self, content: &mut String) -> Result<(), XmlError> {
        let depth = self.depth;
        while let Some(node) = self.next_inside(depth)? {
            if let Node::Text(text) = node {
                content.push_str(&text);
            }
        }
        Ok(())
    }

    /// The place behind the last event, in bytes.
    pub fn offset(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// The number of open elements: taken when an element has started, it identifies the end of that element.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The next start of an element or text, however deep, inside the element at `depth`; `None` at its end. 0 is the
    /// depth of the document.
    pub fn next_inside(&mut self, depth: usize) -> Result<Option<Node<'a>>, XmlError> {
        loop {
            match self.next()? {
                Node::End if self.depth < depth => return Ok(None),
                Node::End => {}
                Node::Eof if depth > 0 => return Err(XmlError::EndsEarly),
                Node::Eof => return Ok(None),
                node => return Ok(Some(node)),
            }
        }
    }

    /// As [`next_inside`](Self::next_inside), without the text.
    pub fn next_start(&mut self, depth: usize) -> Result<Option<Element<'a>>, XmlError> {
        loop {
            match self.next_inside(depth)? {
                Some(Node::Start(element)) => return Ok(Some(element)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    /// The next child of the element started last; `None` at its end. Text between children is skipped.
    ///
    /// The caller must consume each child to its end (by `children`, [`skip`](Self::skip) or [`text`](Self::text)).
    pub fn child(&mut self) -> Result<Option<Element<'a>>, XmlError> {
        loop {
            match self.next()? {
                Node::Start(element) => return Ok(Some(element)),
                Node::End => return Ok(None),
                Node::Text(_) => {}
                Node::Eof => return Err(XmlError::EndsEarly),
            }
        }
    }

    /// Moves into the root element. Documents without one end early.
    pub fn root(&mut self) -> Result<Element<'a>, XmlError> {
        loop {
            match self.next()? {
                Node::Start(element) => return Ok(element),
                Node::Eof => return Err(XmlError::EndsEarly),
                Node::End | Node::Text(_) => {}
            }
        }
    }
}

/// Character references and the predefined entities. Others need a DTD, which office files must not have; they stay as
/// they are written.
fn resolve<'a>(reference: &BytesRef<'a>) -> Cow<'a, str> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Cow::Owned(c.to_string());
    }
    match &**reference {
        "amp" => "&".into(),
        "lt" => "<".into(),
        "gt" => ">".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        other => Cow::Owned(format!("&{other};")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_ignored_and_references_resolved() {
        let mut xml =
            XmlReader::new("<?xml version='1.0'?><x:a y:val='1 &amp; 2'><b/>R&amp;D &#233;<![CDATA[<!]]></x:a>");
        let root = xml.root().unwrap();
        assert_eq!((root.name(), root.value().unwrap()), ("a", "1 & 2".into()));
        assert_eq!(xml.child().unwrap().unwrap().name(), "b");
        xml.skip().unwrap();
        assert_eq!(xml.text().unwrap(), "R&D é<!");
        assert!(matches!(xml.next().unwrap(), Node::Eof));
    }

    #[test]
    fn truncated_and_bottomless_documents_are_errors() {
        let mut xml = XmlReader::new("<a><b>text");
        xml.root().unwrap();
        assert!(matches!(xml.skip(), Err(XmlError::EndsEarly)));
        let bottomless = "<a>".repeat(10_000);
        let mut xml = XmlReader::new(&bottomless);
        xml.root().unwrap();
        assert!(matches!(xml.skip(), Err(XmlError::TooDeep)));
    }

    #[test]
    fn settings_are_on_unless_they_say_otherwise() {
        for (xml, on) in [("<b/>", true), ("<b val='1'/>", true), ("<b val='0'/>", false), ("<b val='false'/>", false)]
        {
            assert_eq!(XmlReader::new(xml).root().unwrap().is_on(), on, "{xml}");
        }
    }
}
