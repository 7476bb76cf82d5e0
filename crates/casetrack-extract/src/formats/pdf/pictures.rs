//! The pictures on a page: how much of it they cover, and which may hold text that the text layer lacks.

use casetrack_core::Rect;
use casetrack_pages::model::union;
use pdfium_render::prelude::{PdfPage, PdfPageObject, PdfPageObjectCommon, PdfPageObjectsCommon};

use super::line::Line;
use super::view::View;

/// Pictures may be wrapped in forms this deep.
const MAX_FORM_DEPTH: u32 = 4;
/// Share of the page below which a picture is a logo, an icon or a signature.
const MIN_PICTURE: f32 = 0.05;
/// Share of the page below which pictures together are not worth the seconds that reading them takes.
const MIN_PICTURES: f32 = 0.15;
/// Share of the page from which unread pictures are worth a warning.
const LARGE_PICTURES: f32 = 0.5;
/// Share of a picture that the boxes of lines cover if the text layer repeats its text, or it is the ground under a
/// text. The stamp of a court on a scanned page covers 0.01, a page with a title and ten short lines 0.07.
const COVERED_BY_TEXT: f32 = 0.04;
/// Pixels per inch below which letters of usual size are no longer legible.
const MIN_RESOLUTION: f32 = 70.0;
/// Scanners cut pages into strips; strips at most this far apart in points are one picture.
const MAX_SEAM: f32 = 2.0;

/// Where pictures are on a page as it is shown, in points.
pub(super) struct Pictures {
    pictures: Vec<Picture>,
    page_size: f32,
}

struct Picture {
    area: Rect,
    /// Fine enough for letters, and only a picture: not a form with text in it.
    is_legible: bool,
}

/// Pictures to read besides the text layer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Unread {
    pub areas: Vec<Rect>,
    /// True if they are most of the page.
    pub is_large: bool,
}

impl Pictures {
    /// Each object of the page is shown to `see`, too: going through them takes time.
    pub fn of(page: &PdfPage, view: &View, mut see: impl FnMut(&PdfPageObject)) -> Self {
        let objects = page.objects().iter().inspect(|object| see(object));
        let pictures = objects.filter_map(|object| picture(&object, view)).collect();
        Self { pictures, page_size: view.size() }
    }

    pub fn cover(&self, share: f32) -> bool {
        self.pictures.iter().map(|picture| size(&picture.area)).sum::<f32>() >= share * self.page_size
    }

    /// True if one of them that is fine enough for letters covers at least this share of the page.
    pub fn one_covers(&self, share: f32) -> bool {
        self.joined().iter().any(|area| size(area) >= share * self.page_size)
    }

    /// The places of the pictures that are fine enough for letters; the strips of a page are one.
    fn joined(&self) -> Vec<Rect> {
        let mut areas: Vec<Rect> = Vec::new();
        for picture in self.pictures.iter().filter(|picture| picture.is_legible) {
            let mut area = picture.area;
            // A joined area may touch others in turn.
            while let Some(touching) = areas.iter().position(|other| touches(other, &area)) {
                area = union(&areas.swap_remove(touching), &area);
            }
            areas.push(area);
        }
        areas
    }

    /// Pictures that may hold text which the text layer, these lines, lacks.
    pub fn unread(&self, lines: &[Line]) -> Unread {
        let mut areas = self.joined();
        areas.retain(|area| {
            let covered: f32 =
                lines.iter().filter_map(|line| intersection(&line.area, area)).map(|area| size(&area)).sum();
            size(area) >= MIN_PICTURE * self.page_size && covered < COVERED_BY_TEXT * size(area)
        });
        let sum: f32 = areas.iter().map(size).sum();
        if sum < MIN_PICTURES * self.page_size {
            areas.clear();
        }
        areas.sort_by(|a, b| a.top.total_cmp(&b.top).then(a.left.total_cmp(&b.left)));
        Unread { is_large: !areas.is_empty() && sum >= LARGE_PICTURES * self.page_size, areas }
    }
}

/// A form counts as a whole when it holds a picture: positions inside it are its own.
fn picture(object: &PdfPageObject, view: &View) -> Option<Picture> {
    let is_legible = match object {
        PdfPageObject::Image(image) => image.horizontal_dpi().map_or(true, |resolution| resolution >= MIN_RESOLUTION),
        PdfPageObject::XObjectForm(_) => match content(object, 0) {
            Content { has_picture: true, has_text } => !has_text,
            _ => return None,
        },
        _ => return None,
    };
    let area = view.visible(&object.bounds().ok()?.to_rect())?;
    Some(Picture { area, is_legible })
}

#[derive(Default)]
struct Content {
    has_picture: bool,
    has_text: bool,
}

fn content(object: &PdfPageObject, depth: u32) -> Content {
    match object {
        PdfPageObject::Image(_) => Content { has_picture: true, has_text: false },
        PdfPageObject::Text(_) => Content { has_picture: false, has_text: true },
        PdfPageObject::XObjectForm(form) if depth < MAX_FORM_DEPTH => {
            form.iter().map(|inner| content(&inner, depth + 1)).fold(Content::default(), |a, b| Content {
                has_picture: a.has_picture || b.has_picture,
                has_text: a.has_text || b.has_text,
            })
        }
        _ => Content::default(),
    }
}

pub(super) fn size(area: &Rect) -> f32 {
    (area.right - area.left) * (area.bottom - area.top)
}

fn touches(a: &Rect, b: &Rect) -> bool {
    a.left < b.right + MAX_SEAM
        && b.left < a.right + MAX_SEAM
        && a.top < b.bottom + MAX_SEAM
        && b.top < a.bottom + MAX_SEAM
}

pub(super) fn intersection(a: &Rect, b: &Rect) -> Option<Rect> {
    let shared = Rect {
        left: a.left.max(b.left),
        top: a.top.max(b.top),
        right: a.right.min(b.right),
        bottom: a.bottom.min(b.bottom),
    };
    (shared.right > shared.left && shared.bottom > shared.top).then_some(shared)
}

#[cfg(test)]
mod tests {
    use super::super::line::QuarterTurn;
    use super::*;

    fn area(left: f32, top: f32, right: f32, bottom: f32) -> Rect {
        Rect { left, top, right, bottom }
    }

    fn unread(pictures: &[Rect], lines: &[Rect]) -> Unread {
        let pictures = pictures.iter().map(|area| Picture { area: *area, is_legible: true }).collect();
        let lines: Vec<Line> = lines
            .iter()
            .map(|area| Line {
                text: "x".into(),
                area: *area,
                size: 10.0,
                first_word: 5.0,
                is_running: false,
                turn: QuarterTurn::NONE,
                hidden: Vec::new(),
                words: Vec::new(),
                row: None,
            })
            .collect();
        Pictures { pictures, page_size: 600.0 * 800.0 }.unread(&lines)
    }

    #[test]
    fn only_large_pictures_are_read() {
        assert_eq!(unread(&[area(0.0, 0.0, 200.0, 100.0)], &[]), Unread::default());
        let half = area(0.0, 0.0, 400.0, 200.0);
        assert_eq!(unread(&[half], &[]), Unread { areas: vec![half], is_large: false });
        let page = area(0.0, 0.0, 600.0, 800.0);
        assert_eq!(unread(&[page], &[]), Unread { areas: vec![page], is_large: true });
    }

    #[test]
    fn the_strips_of_a_scan_are_one_picture() {
        let strips: Vec<Rect> =
            (0..100).map(|strip| area(0.0, 8.0 * strip as f32, 600.0, 8.0 * strip as f32 + 8.0)).collect();
        assert_eq!(unread(&strips, &[]).areas, [area(0.0, 0.0, 600.0, 800.0)]);
    }

    #[test]
    fn a_ground_under_a_text_is_not_read_but_a_scan_under_a_stamp_is() {
        let page = area(0.0, 0.0, 600.0, 800.0);
        let lines: Vec<Rect> =
            (0..10).map(|line| area(50.0, 50.0 * line as f32, 350.0, 50.0 * line as f32 + 12.0)).collect();
        assert!(unread(&[page], &lines).areas.is_empty());
        assert_eq!(unread(&[page], &lines[..1]).areas, [page]);
    }
}
