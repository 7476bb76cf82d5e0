//! The rules that a page draws: lines and thin rectangles, level or upright.

use casetrack_core::Rect;
use pdfium_render::prelude::{
    PdfMatrix, PdfPageObject, PdfPageObjectCommon, PdfPagePathObject, PdfPathSegmentType, PdfPathSegments, PdfRect,
};

use super::view::View;

/// Most thickness of a rule, in points.
const MAX_THICKNESS: f32 = 3.0;
/// Shorter ones, in points, are parts of letters and signs.
const MIN_LENGTH: f32 = 4.0;
const MAX_PATHS: usize = 4_000;
const MAX_SEGMENTS: u32 = 2_000;

/// Forms may be wrapped in forms this deep.
const MAX_FORM_DEPTH: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    /// How far down a level rule is, or how far to the right an upright one.
    pub at: f32,
    pub from: f32,
    pub to: f32,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rules {
    pub level: Vec<Rule>,
    pub upright: Vec<Rule>,
    paths: usize,
}

/// The mapping from objects to the page as it is shown.
struct Placement<'a> {
    view: &'a View,
    /// From places in a form to those on the page.
    form: Option<PdfMatrix>,
}

impl Placement<'_> {
    fn place(&self, area: &PdfRect) -> Rect {
        let Some(form) = self.form else { return self.view.place(area) };
        let a = form.apply_to_points(area.left(), area.bottom());
        let b = form.apply_to_points(area.right(), area.top());
        let (left, right) = (a.0.value.min(b.0.value), a.0.value.max(b.0.value));
        let (bottom, top) = (a.1.value.min(b.1.value), a.1.value.max(b.1.value));
        self.view.place(&PdfRect::new_from_values(bottom, left, top, right))
    }
}

impl Rules {
    /// Takes note of an object of the page's content. Of paths it costs a few calls to the library.
    pub fn see(&mut self, object: &PdfPageObject, view: &View) {
        self.see_inside(object, &Placement { view, form: None }, 0);
    }

    fn see_inside(&mut self, object: &PdfPageObject, placing: &Placement, depth: u32) {
        match object {
            PdfPageObject::Path(path) if self.paths <= MAX_PATHS => self.see_path(path, placing),
            PdfPageObject::XObjectForm(form) if depth < MAX_FORM_DEPTH && self.paths <= MAX_PATHS => {
                let Ok(matrix) = form.matrix() else { return };
                // Places inside a form are its own.
                let matrix = placing.form.map_or(matrix, |outer| matrix.multiply(outer));
                let inside = Placement { view: placing.view, form: Some(matrix) };
                form.iter().for_each(|object| self.see_inside(&object, &inside, depth + 1));
            }
            _ => {}
        }
    }

    fn see_path(&mut self, path: &PdfPagePathObject, placing: &Placement) {
        self.paths += 1;
        if self.paths > MAX_PATHS {
            self.level.clear();
            self.upright.clear();
            return;
        }
        let Ok(bounds) = path.bounds() else { return };
        let area = placing.place(&bounds.to_rect());
        if !self.add(&area) && area.right - area.left > MAX_THICKNESS && area.bottom - area.top > MAX_THICKNESS {
            self.take_apart(path, placing);
        }
    }

    /// True if there may be a grid.
    pub fn may_cross(&self) -> bool {
        self.level.len() >= 2 && self.upright.len() >= 2
    }

    fn add(&mut self, area: &Rect) -> bool {
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        if height <= MAX_THICKNESS && width >= MIN_LENGTH {
            self.level.push(Rule { at: (area.top + area.bottom) / 2.0, from: area.left, to: area.right });
        } else if width <= MAX_THICKNESS && height >= MIN_LENGTH {
            self.upright.push(Rule { at: (area.left + area.right) / 2.0, from: area.top, to: area.bottom });
        } else {
            return false;
        }
        true
    }

    /// Adds the rules that a larger path consists of: its straight sides if they are drawn, and parts that are thin.
    fn take_apart(&mut self, path: &PdfPagePathObject, placing: &Placement) {
        let (Ok(matrix), Ok(is_drawn)) = (path.matrix(), path.is_stroked()) else { return };
        let segments = path.segments().transform(matrix);
        if segments.len() > MAX_SEGMENTS {
            return;
        }
        let mut part: Vec<(f32, f32)> = Vec::new();
        for segment in segments.iter() {
            let (x, y) = segment.point();
            let place = placing.place(&PdfRect::new(y, x, y, x));
            match segment.segment_type() {
                PdfPathSegmentType::LineTo => part.push((place.left, place.top)),
                PdfPathSegmentType::MoveTo => {
                    self.add_part(&part, is_drawn);
                    part.clear();
                    part.push((place.left, place.top));
                }
                // Nothing with curves is a rule.
                PdfPathSegmentType::BezierTo | PdfPathSegmentType::Unknown => part.clear(),
            }
            if segment.is_close()
                && let Some(&first) = part.first()
            {
                part.push(first);
            }
        }
        self.add_part(&part, is_drawn);
    }

    fn add_part(&mut self, part: &[(f32, f32)], is_drawn: bool) {
        let around = part.iter().fold(None, |area: Option<Rect>, &(x, y)| {
            Some(area.map_or(Rect { left: x, top: y, right: x, bottom: y }, |area| Rect {
                left: area.left.min(x),
                top: area.top.min(y),
                right: area.right.max(x),
                bottom: area.bottom.max(y),
            }))
        });
        if part.len() < 2 || around.is_some_and(|area| self.add(&area)) || !is_drawn {
            return;
        }
        for side in part.windows(2) {
            let ((ax, ay), (bx, by)) = (side[0], side[1]);
            // A sloping line is not a side.
            if (ax - bx).abs() < 0.5 || (ay - by).abs() < 0.5 {
                self.add(&Rect { left: ax.min(bx), top: ay.min(by), right: ax.max(bx), bottom: ay.max(by) });
            }
        }
    }
}
