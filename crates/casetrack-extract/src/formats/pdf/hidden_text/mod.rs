//! Text that a page has but does not show: covered, in the colour of its background, without ink, tiny, outside the
//! page, on a layer that is off.
//!
//! The properties of objects show cheaply which texts may be hidden. For those the page is drawn twice, with them and
//! without: text that makes no difference cannot be seen. So white text on a dark ground, and text under something
//! transparent, is never taken for hidden, and few pages are drawn.
//!
//! The invisible text over a scan comes from OCR: it repeats the visible text, and is not hidden.

mod layers;
mod objects;
mod pixels;
mod suspects;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use casetrack_core::{HiddenReason, Rect};
use pdfium_render::prelude::{PdfPage, PdfPageText, PdfPageTextChar};

use self::objects::{Key, Objects};
use self::pixels::{Drawing, Pixels};
use self::suspects::{Suspect, suspects};
use super::pictures::{intersection, size};
use super::view::View;

/// Most pages of a document that are drawn.
const MAX_DRAWN: u32 = 300;
/// Pages that were drawn only for white text on a picture, and hid nothing, after which such text is taken to be seen:
/// slides often have it.
const MAX_FRUITLESS: u32 = 5;
/// Least share of a glyph that something covers.
const COVERED: f32 = 0.6;
/// Least share of the glyphs without ink that are on pictures or drawn letters in a text layer over these.
const SHOWN_OTHERWISE: f32 = 0.5;
/// Height and width in points of a glyph, with the space that its font gives it, up to which nothing can be read.
const TINY: f32 = 1.5;
/// How far two glyphs of the same letter may be apart, as a share of their boxes, to be one that was drawn twice.
const TWICE: f32 = 0.5;

pub(super) struct Search {
    layers_are_off: bool,
    drawn: u32,
    fruitless: u32,
}

/// The glyphs of a page that are hidden, by their number in the library's text.
#[derive(Default)]
pub(super) struct HiddenGlyphs(HashMap<usize, HiddenReason>);

impl HiddenGlyphs {
    pub fn reason(&self, index: usize) -> Option<HiddenReason> {
        self.0.get(&index).copied()
    }
}

struct Glyph {
    index: usize,
    area: Rect,
    key: Key,
    is_tiny: bool,
}

impl Search {
    /// `file` is the whole file.
    pub fn of(file: &[u8]) -> Self {
        Self { layers_are_off: layers::are_off(file), drawn: 0, fruitless: 0 }
    }

    /// The hidden glyphs of a page. Costs some microseconds for each object, and the time to draw the page twice where
    /// something may be hidden.
    pub fn hidden(&mut self, page: &PdfPage, text: &PdfPageText, view: &View) -> HiddenGlyphs {
        let objects = Objects::of(page, view);
        let suspects = suspects(&objects, view, self.layers_are_off, self.fruitless < MAX_FRUITLESS);
        if suspects.is_empty() {
            return HiddenGlyphs::default();
        }
        let glyphs = glyphs(text, view, &suspects);
        let mut found = HashMap::new();
        let mut unseen = Vec::new();
        let page_area = view.area();
        for glyph in &glyphs {
            let Some(suspect) = suspects.get(&glyph.key) else { continue };
            if intersection(&glyph.area, &page_area).is_none() {
                found.insert(glyph.index, HiddenReason::OutsidePage);
            } else if glyph.is_tiny {
                found.insert(glyph.index, HiddenReason::Tiny);
            } else if suspect.is_drawn() {
                unseen.push(glyph);
            }
        }
        if !unseen.is_empty() && self.drawn < MAX_DRAWN {
            self.drawn += 1;
            let before = found.len();
            if let Ok(drawing) = Drawing::of(page, &suspects) {
                look(&drawing, &objects, &suspects, &unseen, view, &mut found);
            }
            let only_on_pictures = suspects.values().all(|suspect| suspect.is_on_picture);
            self.fruitless += u32::from(found.len() == before && only_on_pictures);
        }
        if !found.is_empty() {
            drop_twins(text, view, &mut found);
        }
        HiddenGlyphs(found)
    }
}

/// The printed glyphs of texts that may be hidden.
fn glyphs(text: &PdfPageText, view: &View, suspects: &HashMap<Key, Suspect>) -> Vec<Glyph> {
    let chars = text.chars();
    let glyph = |index: usize| {
        let glyph = chars.get(index).ok()?;
        printed(&glyph)?;
        let key = objects::key(&glyph.text_object().ok()?)?;
        let suspect = suspects.get(&key)?;
        let area = view.place(&glyph.tight_bounds().ok()?);
        let is_tiny = suspect.is_tiny
            && glyph.loose_bounds().is_ok_and(|bounds| {
                let area = view.place(&bounds);
                (area.right - area.left).max(area.bottom - area.top) < TINY
            });
        Some(Glyph { index, area, key, is_tiny })
    };
    (0..chars.len()).filter_map(glyph).collect()
}

fn printed(glyph: &PdfPageTextChar) -> Option<u32> {
    let code = glyph.unicode_value();
    let is_printed = char::from_u32(code).is_none_or(|c| !c.is_whitespace() && !c.is_control());
    is_printed.then_some(code)
}

/// Looks at the page, with and without the texts that may be hidden, where their glyphs are.
fn look(
    drawing: &Drawing,
    objects: &Objects,
    suspects: &HashMap<Key, Suspect>,
    glyphs: &[&Glyph],
    view: &View,
    found: &mut HashMap<usize, HiddenReason>,
) {
    let (mut without_ink, mut shown_otherwise) = (Vec::new(), 0);
    for glyph in glyphs {
        let Some(suspect) = suspects.get(&glyph.key) else { continue };
        let Some(pixels) = drawing.pixels(&glyph.area) else { continue };
        if suspect.is_invisible {
            match pixels.is_even() && objects.picture_share(&glyph.area) < COVERED {
                true => without_ink.push(glyph.index),
                false => shown_otherwise += 1,
            }
            continue;
        }
        if !pixels.is_unchanged() {
            continue;
        }
        if let Some(reason) = reason(suspect, objects, glyph, &pixels, view) {
            found.insert(glyph.index, reason);
        }
    }
    let all = without_ink.len() + shown_otherwise;
    if (shown_otherwise as f32) < SHOWN_OTHERWISE * all as f32 {
        found.extend(without_ink.into_iter().map(|index| (index, HiddenReason::Invisible)));
    }
}

/// Why a glyph that makes no difference to the page is not seen.
fn reason(suspect: &Suspect, objects: &Objects, glyph: &Glyph, pixels: &Pixels, view: &View) -> Option<HiddenReason> {
    let covers = |cover: &&objects::Cover| {
        let shared = intersection(&cover.area, &glyph.area).map_or(0.0, |shared| size(&shared));
        shared >= COVERED * size(&glyph.area).max(f32::EPSILON)
    };
    let mut above = objects.above(suspect.order, view).filter(covers);
    // A picture may show the text that it covers, as the scan over a text layer does.
    if suspect.is_covered && above.any(|cover| !cover.is_picture || pixels.is_even()) {
        return Some(HiddenReason::Covered);
    }
    // Clipped text makes no difference either.
    if suspect.ground_colour.is_some_and(|colour| pixels.are_mostly(colour)) {
        return Some(HiddenReason::Colour);
    }
    if suspect.is_faint {
        return Some(HiddenReason::Invisible);
    }
    suspect.may_be_off.then_some(HiddenReason::HiddenLayer)
}

/// Removes texts that are drawn twice, so that one of the two is seen: shadows, and text that is drawn again over a box.
fn drop_twins(text: &PdfPageText, view: &View, found: &mut HashMap<usize, HiddenReason>) {
    let chars = text.chars();
    let mut hidden = Vec::new();
    let mut seen: HashMap<u32, Vec<Rect>> = HashMap::new();
    for index in 0..chars.len() {
        let Ok(glyph) = chars.get(index) else { continue };
        let Some((code, bounds)) = printed(&glyph).zip(glyph.tight_bounds().ok()) else { continue };
        let area = view.place(&bounds);
        match found.get(&index) {
            Some(_) => hidden.push((index, code, area)),
            None => seen.entry(code).or_default().push(area),
        }
    }
    for (index, code, area) in hidden {
        let is_twin = |other: &Rect| {
            let shared = intersection(other, &area).map_or(0.0, |shared| size(&shared));
            shared > TWICE * size(&area).max(size(other))
        };
        if seen.get(&code).is_some_and(|others| others.iter().any(is_twin)) {
            found.remove(&index);
        }
    }
}
