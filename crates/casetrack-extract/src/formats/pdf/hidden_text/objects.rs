//! The texts of a page, and the objects drawn before and after them.

use casetrack_core::Rect;
use pdfium_render::prelude::{
    PdfColor, PdfPage, PdfPageAnnotationCommon, PdfPageAnnotationType, PdfPageObject, PdfPageObjectCommon,
    PdfPageObjectsCommon, PdfPageTextObject, PdfPageTextRenderMode, PdfPathFillMode, PdfQuadPoints, PdfRect,
};

use super::super::pictures::{intersection, size};
use super::super::view::View;

/// Forms may hold forms this deep.
const MAX_FORM_DEPTH: u32 = 4;
/// Most objects of a page that are looked at: a drawing has some ten thousand. On a page with more, nothing counts as hidden.
const MAX_OBJECTS: usize = 50_000;
/// Most things that may cover text; on a page with more, none counts.
const MAX_COVERS: usize = 4_000;
/// Shortest side in points of an object that may cover text: rules and underlines are thinner.
const MIN_COVER: f32 = 3.0;
/// Lowest opacity of a covering object.
const OPAQUE: u8 = 250;
/// Share of the page from which a picture is a scan, or the ground of the page.
const LARGE_PICTURE: f32 = 0.5;

/// Identifies a text object among those of its page: its corners, in bits. The library does not give its objects another identity.
pub(super) type Key = [u32; 8];

pub(super) fn key(text: &PdfPageTextObject) -> Option<Key> {
    Some(key_of(&text.bounds().ok()?))
}

fn key_of(bounds: &PdfQuadPoints) -> Key {
    let sides =
        [bounds.x1(), bounds.y1(), bounds.x2(), bounds.y2(), bounds.x3(), bounds.y3(), bounds.x4(), bounds.y4()];
    sides.map(|side| side.value.to_bits())
}

pub(super) struct Text {
    pub key: Key,
    /// Place in the order in which the page is drawn.
    pub order: usize,
    pub area: Rect,
    pub is_invisible: bool,
    /// Red, green, blue and opacity, if it is filled and not drawn as outlines.
    pub fill: Option<[u8; 4]>,
}

pub(super) struct Cover {
    pub order: usize,
    pub area: Rect,
    /// `None` for pictures and annotations.
    pub colour: Option<[u8; 3]>,
    pub is_picture: bool,
}

#[derive(Default)]
pub(super) struct Objects {
    pub texts: Vec<Text>,
    pub covers: Vec<Cover>,
}

impl Objects {
    pub fn of(page: &PdfPage, view: &View) -> Self {
        let mut objects = Self::default();
        let mut seen = 0;
        let is_whole = walk(page, &mut |order, object, matrix| {
            seen = order;
            objects.add(order, object, matrix, view);
        });
        if !is_whole {
            return Self::default();
        }
        if !page.annotations().is_empty() {
            objects.covers.extend(annotations(page, view, seen + 1));
        }
        if objects.covers.len() > MAX_COVERS {
            objects.covers.retain(|cover| cover.is_picture);
            objects.covers.truncate(MAX_COVERS);
        }
        objects
    }

    fn add(&mut self, order: usize, object: &PdfPageObject, matrix: &Matrix, view: &View) {
        match object {
            PdfPageObject::Text(text) => {
                let Ok(bounds) = text.bounds() else { return };
                let mode = text.render_mode();
                let is_filled = matches!(
                    mode,
                    PdfPageTextRenderMode::FilledUnstroked | PdfPageTextRenderMode::FilledUnstrokedClipping
                );
                let fill = is_filled.then(|| text.fill_color().ok()).flatten();
                self.texts.push(Text {
                    key: key_of(&bounds),
                    order,
                    area: view.place(&matrix.apply(&bounds.to_rect())),
                    is_invisible: mode == PdfPageTextRenderMode::Invisible,
                    fill: fill.map(|fill| [fill.red(), fill.green(), fill.blue(), fill.alpha()]),
                });
            }
            PdfPageObject::Path(path) => {
                let Ok(bounds) = path.bounds() else { return };
                let area = view.place(&matrix.apply(&bounds.to_rect()));
                if !is_large(&area) || !path.fill_mode().is_ok_and(|mode| mode != PdfPathFillMode::None) {
                    return;
                }
                let fill = path.fill_color().ok().filter(|fill| fill.alpha() >= OPAQUE && !path.has_transparency());
                let colour = fill.map(|fill: PdfColor| [fill.red(), fill.green(), fill.blue()]);
                self.covers.extend(colour.map(|colour| Cover { order, area, colour: Some(colour), is_picture: false }));
            }
            PdfPageObject::Image(image) => {
                let Ok(bounds) = image.bounds() else { return };
                let area = view.place(&matrix.apply(&bounds.to_rect()));
                if is_large(&area) {
                    self.covers.push(Cover { order, area, colour: None, is_picture: true });
                }
            }
            _ => {}
        }
    }

    /// The objects that are drawn after an object and may hide it: not the picture of a whole page.
    pub fn above(&self, order: usize, view: &View) -> impl Iterator<Item = &Cover> {
        let most = LARGE_PICTURE * view.size();
        let start = self.covers.partition_point(|cover| cover.order <= order);
        self.covers[start..].iter().filter(move |cover| !cover.is_picture || size(&cover.area) < most)
    }

    /// The objects that are drawn before an object, the nearest first.
    pub fn below(&self, order: usize) -> impl Iterator<Item = &Cover> {
        let end = self.covers.partition_point(|cover| cover.order < order);
        self.covers[..end].iter().rev()
    }

    /// The share of an area that pictures cover, at most 1.
    pub fn picture_share(&self, area: &Rect) -> f32 {
        let pictures = self.covers.iter().filter(|cover| cover.is_picture);
        let covered: f32 = pictures.filter_map(|cover| intersection(&cover.area, area)).map(|area| size(&area)).sum();
        (covered / size(area).max(f32::EPSILON)).min(1.0)
    }
}

fn is_large(area: &Rect) -> bool {
    (area.right - area.left).min(area.bottom - area.top) >= MIN_COVER
}

/// Annotations that can be drawn over text so that it is covered. Their colours and shapes are not known here.
fn annotations(page: &PdfPage, view: &View, order: usize) -> Vec<Cover> {
    use PdfPageAnnotationType as Type;
    let cover = |annotation: pdfium_render::prelude::PdfPageAnnotation| {
        let is_drawn = matches!(
            annotation.annotation_type(),
            Type::Square | Type::Circle | Type::Polygon | Type::Ink | Type::Highlight | Type::Redacted | Type::Stamp
        );
        let area = is_drawn.then(|| annotation.bounds().ok()).flatten().map(|bounds| view.place(&bounds))?;
        is_large(&area).then_some(Cover { order, area, colour: None, is_picture: false })
    };
    page.annotations().iter().filter_map(cover).collect()
}

/// Goes through the objects of a page, also those in forms, in the order in which they are drawn. Returns whether that were all.
pub(super) fn walk(page: &PdfPage, visit: &mut impl FnMut(usize, &mut PdfPageObject, &Matrix)) -> bool {
    let mut order = 0;
    let objects = page.objects();
    (0..objects.len())
        .filter_map(|index| objects.get(index).ok())
        .all(|mut object| visit_object(&mut object, &Matrix::IDENTITY, 0, &mut order, visit))
}

fn visit_object(
    object: &mut PdfPageObject,
    matrix: &Matrix,
    depth: u32,
    order: &mut usize,
    visit: &mut impl FnMut(usize, &mut PdfPageObject, &Matrix),
) -> bool {
    *order += 1;
    if *order > MAX_OBJECTS {
        return false;
    }
    visit(*order, object, matrix);
    let PdfPageObject::XObjectForm(form) = object else { return true };
    if depth >= MAX_FORM_DEPTH {
        return true;
    }
    let Ok(of_form) = form.matrix() else { return true };
    let inner = Matrix([of_form.a(), of_form.b(), of_form.c(), of_form.d(), of_form.e(), of_form.f()]).then(matrix);
    form.as_range()
        .filter_map(|index| form.get(index).ok())
        .all(|mut object| visit_object(&mut object, &inner, depth + 1, order, &mut *visit))
}

/// From the coordinates of a form to those of the page (ISO 32000-1, 8.3.4).
pub(super) struct Matrix([f32; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn then(&self, next: &Self) -> Self {
        let ([a, b, c, d, e, f], [k, l, m, n, o, p]) = (self.0, next.0);
        Self([a * k + b * m, a * l + b * n, c * k + d * m, c * l + d * n, e * k + f * m + o, e * l + f * n + p])
    }

    fn apply(&self, area: &PdfRect) -> PdfRect {
        let [a, b, c, d, e, f] = self.0;
        let (left, right, bottom, top) = (area.left().value, area.right().value, area.bottom().value, area.top().value);
        let corners = [(left, bottom), (left, top), (right, bottom), (right, top)];
        let xs = corners.map(|(x, y)| a * x + c * y + e);
        let ys = corners.map(|(x, y)| b * x + d * y + f);
        let least = |values: [f32; 4]| values.into_iter().fold(f32::INFINITY, f32::min);
        let greatest = |values: [f32; 4]| values.into_iter().fold(f32::NEG_INFINITY, f32::max);
        PdfRect::new_from_values(least(ys), least(xs), greatest(ys), greatest(xs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_of_nested_forms_are_those_of_the_page() {
        let double = Matrix([2.0, 0.0, 0.0, 2.0, 10.0, 0.0]);
        let turned = Matrix([0.0, 1.0, -1.0, 0.0, 100.0, 0.0]);
        let area = double.then(&turned).apply(&PdfRect::new_from_values(1.0, 2.0, 3.0, 4.0));
        let sides = [area.left(), area.bottom(), area.right(), area.top()].map(|side| side.value);
        // Doubled: x from 14 to 18, y from 2 to 6; turned: x from 94 to 98, y from 14 to 18.
        assert_eq!(sides, [94.0, 14.0, 98.0, 18.0]);
    }
}
