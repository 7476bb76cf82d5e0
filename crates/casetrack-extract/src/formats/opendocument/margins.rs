//! Headers and footers of the kinds of pages ([ODF] Part 3, 16.9 to 16.11).

use std::collections::{HashMap, HashSet};

use casetrack_pages::build::flow::marked_text;
use casetrack_pages::build::{DocumentBuilder, changes};
use casetrack_pages::container::xml::Stop;

use super::body::{Body, LoadObject};
use super::styles::Styles;

/// The kind of page with which a text begins that names none.
const STANDARD: &str = "Standard";

/// The headers and footers, by the names of kinds of pages. Each text is given once, although it is on many pages.
#[derive(Default)]
pub(super) struct Margins {
    kinds: HashMap<String, PageStyle>,
    seen: HashSet<String>,
    has_begun: bool,
}

struct PageStyle {
    /// The kind that the page after one of this kind has.
    next: Option<String>,
    texts: Vec<String>,
}

impl Margins {
    /// Reads those of a part, up to the first damage, which the reader of the part's styles reports.
    pub fn read(
        xml: &str,
        styles: &Styles,
        load_object: LoadObject,
        document: &mut DocumentBuilder,
    ) -> casetrack_core::Result<Self> {
        let mut margins = Self::default();
        if !xml.is_empty() {
            let mut body = Body::new(xml, styles, load_object, document);
            Stop::damage(margins.read_kinds(&mut body))?;
        }
        Ok(margins)
    }

    fn read_kinds(&mut self, body: &mut Body) -> Result<(), Stop> {
        body.xml.root()?;
        while let Some(element) = body.xml.child()? {
            if element.name() != "master-styles" {
                body.xml.skip()?;
                continue;
            }
            while let Some(kind) = body.xml.child()? {
                if kind.name() != "master-page" {
                    body.xml.skip()?;
                    continue;
                }
                let mut texts = Vec::new();
                while let Some(part) = body.xml.child()? {
                    let name = match part.name() {
                        "header" | "header-left" | "header-first" => "Header",
                        "footer" | "footer-left" | "footer-first" => "Footer",
                        _ => "",
                    };
                    if name.is_empty() || part.has("display", "false") {
                        body.xml.skip()?;
                        continue;
                    }
                    let (blocks, outcome) = body.collected();
                    let found = blocks.iter().map(|block| changes::fold(&marked_text(&block.text)));
                    // Not those of only a page number.
                    let found = found.filter(|text| changes::plain(text).chars().any(char::is_alphabetic));
                    texts.extend(found.map(|text| format!("{name}: {text}")));
                    outcome?;
                }
                let next = kind.attribute("next-style-name");
                self.kinds.insert(kind.attribute("name").unwrap_or_default(), PageStyle { next, texts });
            }
        }
        Ok(())
    }

    /// The texts of a kind of page, and of the kinds of the pages after it, that have not been given before. `None` is
    /// the first kind at the beginning, and later the kind before.
    pub fn of(&mut self, name: Option<&str>) -> Vec<String> {
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        let mut name = name.or((!has_begun).then_some(STANDARD)).map(str::to_owned);
        let mut found = Vec::new();
        while let Some(kind) = name.take().and_then(|name| self.kinds.remove(&name)) {
            found.extend(kind.texts.into_iter().filter(|text| self.seen.insert(changes::plain(text).into_owned())));
            name = kind.next;
        }
        found
    }
}
