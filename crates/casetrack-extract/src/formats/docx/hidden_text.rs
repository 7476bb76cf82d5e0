//! Hidden text: runs that are formatted as hidden, too small to read, or white on paper.

use casetrack_core::HiddenReason;
use casetrack_pages::build::changes;
use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::container::xml::Stop;
use casetrack_pages::office::character_visibility::CharacterVisibility;
use casetrack_pages::text::encoding;

use super::body::{Body, Paragraph};

impl Body<'_, '_> {
    pub fn run(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        let (mut look, start) = (CharacterVisibility::default(), paragraph.text.len());
        let outcome = (|| {
            while let Some(element) = self.xml.child()? {
                match element.name() {
                    "rPr" => look.read(&mut self.xml)?,
                    _ => self.inline(&element, paragraph)?,
                }
            }
            Ok(())
        })();
        if let Some(reason) = self.hides(&look, paragraph)
            && !changes::is_blank(&paragraph.text[start..])
        {
            let id = self.flow.document.hidden().cause(reason, None);
            paragraph.text.insert_str(start, &changes::hide(id));
            paragraph.text.push_str(&changes::show(id));
        }
        outcome
    }

    fn hides(&self, look: &CharacterVisibility, paragraph: &Paragraph) -> Option<HiddenReason> {
        if self.revisions.is_deleting() {
            return None;
        }
        let of_style = self.styles.look_of_characters(look.style.as_deref());
        let of_paragraph = self.styles.look(paragraph.style.as_deref());
        look.hides(&of_style, &of_paragraph, self.is_on_paper && !paragraph.is_shaded)
    }
}

/// True if only the paper is behind the text of the main part: no colour of the page, and no picture or shape that
/// is anchored behind text, there or in a header.
pub(super) fn is_on_paper(main: &str, package: &mut Package, related: &Relationships) -> bool {
    let has_backdrop = |xml: &str| {
        ["behindDoc=\"1\"", "behindDoc='1'", "behindDoc=\"true\"", "z-index:-"].iter().any(|mark| xml.contains(mark))
    };
    // What cannot be read may hold one.
    let is_plain = |(_, target): (&str, &str)| match package.part(target) {
        Ok(Some(part)) => !has_backdrop(&encoding::decode_xml(&part)),
        _ => false,
    };
    !main.contains(":background ")
        && !has_backdrop(main)
        && related.of_kind("header").chain(related.of_kind("footer")).all(is_plain)
}
