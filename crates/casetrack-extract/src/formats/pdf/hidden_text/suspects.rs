//! The texts of a page that may be hidden, by their properties and by the objects around them.

use std::collections::HashMap;

use casetrack_core::Rect;

use super::super::pictures::{intersection, size};
use super::super::view::View;
use super::objects::{Cover, Key, Objects, Text};

/// How far each channel of a colour may be from that of the ground, of 255.
const SAME_COLOUR: u8 = 10;
/// Opacity, of 255, up to which nothing is seen.
const FAINT: u8 = 12;
/// Least share of a text that is on its ground.
const ON_GROUND: f32 = 0.5;
/// Least share of the height of a text that something covers, and least width of that in points.
const COVERED_HEIGHT: f32 = 0.5;
const COVERED_WIDTH: f32 = 3.0;
/// Height in points of text that may be too small to read. The height depends on the letters, and is small for a full stop.
const MAYBE_TINY: f32 = 1.5;
/// How far the sides of two texts may be apart in points to be one that was drawn twice.
const TWICE: f32 = 1.5;
/// Maximum pairs of a text and an object that may cover it on a page. Above this number, no text counts as covered.
const MAX_PAIRS: usize = 20_000_000;
const WHITE: [u8; 3] = [255; 3];

#[derive(Debug, Clone, Default)]
pub(super) struct Suspect {
    pub order: usize,
    /// Drawn without ink.
    pub is_invisible: bool,
    /// Drawn with next to none.
    pub is_faint: bool,
    pub is_covered: bool,
    /// Its colour, if the background has the same.
    pub ground_colour: Option<[u8; 3]>,
    /// It has the colour of paper, but is on a picture.
    pub is_on_picture: bool,
    pub is_outside: bool,
    pub is_tiny: bool,
    pub may_be_off: bool,
}

impl Suspect {
    /// True if only the drawn page shows if it is hidden.
    pub fn is_drawn(&self) -> bool {
        self.is_invisible || self.is_faint || self.is_covered || self.ground_colour.is_some() || self.may_be_off
    }
}

/// The texts that may be hidden. `layers_are_off` makes one of every text; `also_on_pictures` of white ones on pictures.
pub(super) fn suspects(
    objects: &Objects,
    view: &View,
    layers_are_off: bool,
    also_on_pictures: bool,
) -> HashMap<Key, Suspect> {
    let page = view.area();
    let can_compare = objects.texts.len().saturating_mul(objects.covers.len()) <= MAX_PAIRS;
    let mut found = HashMap::new();
    let mut others: Vec<&Text> = Vec::new();
    for text in &objects.texts {
        let (width, height) = (text.area.right - text.area.left, text.area.bottom - text.area.top);
        let mut suspect = Suspect {
            order: text.order,
            is_invisible: text.is_invisible,
            is_outside: !is_inside(&text.area, &page),
            is_tiny: width.min(height) < MAYBE_TINY,
            may_be_off: layers_are_off && !text.is_invisible,
            ..Suspect::default()
        };
        if let Some([red, green, blue, opacity]) = text.fill {
            suspect.is_faint = opacity <= FAINT;
            let colour = [red, green, blue];
            let ground = if can_compare { objects.below(text.order).find(|cover| is_under(cover, text)) } else { None };
            let (has_ground_colour, is_on_picture) = match ground {
                None => (is_like(colour, WHITE), false),
                Some(Cover { colour: Some(ground), .. }) => (is_like(colour, *ground), false),
                Some(_) => (is_like(colour, WHITE) && also_on_pictures, true),
            };
            (suspect.ground_colour, suspect.is_on_picture) = (has_ground_colour.then_some(colour), is_on_picture);
        }
        suspect.is_covered = can_compare && objects.above(text.order, view).any(|cover| is_over(cover, text));
        if suspect.is_drawn() || suspect.is_outside || suspect.is_tiny {
            suspect.is_on_picture &= !suspect.is_invisible && !suspect.is_covered;
            found.insert(text.key, (suspect, text.area));
        } else {
            others.push(text);
        }
    }
    if found.is_empty() {
        return HashMap::new();
    }
    // The same text is shown by another object, which the library does not read twice.
    let is_twin = |area: &Rect, other: &Text| {
        let sides = |area: &Rect| [area.left, area.top, area.right, area.bottom];
        sides(area).iter().zip(sides(&other.area)).all(|(a, b)| (a - b).abs() <= TWICE)
    };
    let is_alone = |(suspect, area): &(Suspect, Rect)| {
        suspect.is_outside || suspect.is_tiny || !others.iter().any(|other| is_twin(area, other))
    };
    found.into_iter().filter(|(_, found)| is_alone(found)).map(|(key, (suspect, _))| (key, suspect)).collect()
}

fn is_inside(area: &Rect, page: &Rect) -> bool {
    area.left >= page.left && area.top >= page.top && area.right <= page.right && area.bottom <= page.bottom
}

fn is_like(colour: [u8; 3], ground: [u8; 3]) -> bool {
    colour.iter().zip(ground).all(|(a, b)| a.abs_diff(b) <= SAME_COLOUR)
}

fn is_under(cover: &Cover, text: &Text) -> bool {
    intersection(&cover.area, &text.area).is_some_and(|shared| size(&shared) >= ON_GROUND * size(&text.area))
}

fn is_over(cover: &Cover, text: &Text) -> bool {
    let Some(shared) = intersection(&cover.area, &text.area) else { return false };
    let (width, height) = (text.area.right - text.area.left, text.area.bottom - text.area.top);
    let (over_width, over_height) = (shared.right - shared.left, shared.bottom - shared.top);
    // The text may be turned.
    let is_over = |along: f32, whole: f32, across: f32, height: f32| {
        along >= COVERED_WIDTH.min(whole) && across >= COVERED_HEIGHT * height
    };
    is_over(over_width, width, over_height, height) || is_over(over_height, height, over_width, width)
}
