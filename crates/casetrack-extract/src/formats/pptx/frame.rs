//! The places of shapes on a slide, and whether they can be seen there.

use casetrack_core::HiddenReason;
use casetrack_pages::container::xml::{Element, XmlError, XmlReader};

/// Width and height of the slides, in EMU (19.2.1.36); `None` if the presentation does not state them.
pub(super) type SlideSize = Option<(f64, f64)>;

#[derive(Clone, Default)]
pub(super) struct Frame {
    sheet: SlideSize,
    is_group: bool,
    is_hidden: bool,
    /// Left, top, right and bottom on the slide; `None` for a placeholder at the place of its layout.
    area: Option<[f64; 4]>,
    /// How places in the group become places on the slide.
    scale: Option<Scale>,
}

#[derive(Clone, Copy)]
struct Scale {
    factor: (f64, f64),
    distance: (f64, f64),
}

impl Scale {
    fn apply(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (x * self.factor.0 + self.distance.0, y * self.factor.1 + self.distance.1)
    }
}

impl Frame {
    pub fn of_slide(sheet: SlideSize) -> Self {
        Self { sheet, is_group: true, ..Self::default() }
    }

    /// The place of the drawings in this group.
    pub fn inner(&self, is_group: bool) -> Self {
        Self { sheet: self.sheet, is_group, is_hidden: false, area: None, scale: self.scale }
    }

    /// Takes `p:cNvPr` (20.1.2.2.8), or reads `a:xfrm` (20.1.7.6) to its end.
    pub fn read(&mut self, element: &Element, xml: &mut XmlReader) -> Result<(), XmlError> {
        if element.name() == "cNvPr" {
            self.is_hidden |= element.attribute("hidden").is_some_and(|on| on == "1" || on == "true");
            return Ok(());
        }
        let is_turned = element.attribute("rot").is_some_and(|angle| angle != "0");
        let (mut offset, mut size, mut inner_offset, mut inner_size) = (None, None, None, None);
        while let Some(property) = xml.child()? {
            let pair = |names| -> Option<(f64, f64)> {
                let [x, y] = property.attributes(names);
                Some((x?.parse().ok()?, y?.parse().ok()?))
            };
            match property.name() {
                "off" => offset = pair(["x", "y"]),
                "ext" => size = pair(["cx", "cy"]),
                "chOff" => inner_offset = pair(["x", "y"]),
                "chExt" => inner_size = pair(["cx", "cy"]),
                _ => {}
            }
            xml.skip()?;
        }
        if let Some((offset, size)) = offset.zip(size) {
            self.place(offset, size, is_turned);
            if let Some((inner_offset, inner_size)) = inner_offset.zip(inner_size).filter(|_| self.is_group) {
                self.scale_by(offset, size, inner_offset, inner_size);
            }
        }
        Ok(())
    }

    fn place(&mut self, offset: (f64, f64), size: (f64, f64), is_turned: bool) {
        let end = (offset.0 + size.0, offset.1 + size.1);
        let (start, end) = match self.scale {
            Some(scale) => (scale.apply(offset), scale.apply(end)),
            None => (offset, end),
        };
        let mut area = [start.0, start.1, end.0, end.1];
        if is_turned {
            // However it is turned, it is within this distance of its middle.
            let reach = f64::hypot(end.0 - start.0, end.1 - start.1) / 2.0;
            let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
            area = [middle.0 - reach, middle.1 - reach, middle.0 + reach, middle.1 + reach];
        }
        self.area = Some(area);
    }

    fn scale_by(&mut self, offset: (f64, f64), size: (f64, f64), inner: (f64, f64), inner_size: (f64, f64)) {
        let factor = |whole: f64, part: f64| if part == 0.0 { 1.0 } else { whole / part };
        let own = (factor(size.0, inner_size.0), factor(size.1, inner_size.1));
        let outer = self.scale.unwrap_or(Scale { factor: (1.0, 1.0), distance: (0.0, 0.0) });
        let moved = outer.apply((offset.0 - inner.0 * own.0, offset.1 - inner.1 * own.1));
        let factor = (outer.factor.0 * own.0, outer.factor.1 * own.1);
        self.scale = Some(Scale { factor, distance: moved });
    }

    /// Why it cannot be seen. A group is hidden only by itself: its shapes have places of their own.
    pub fn hides(&self) -> Option<HiddenReason> {
        if self.is_hidden {
            return Some(HiddenReason::HiddenFormat);
        }
        let ((width, height), [left, top, right, bottom]) = self.sheet.zip(self.area.filter(|_| !self.is_group))?;
        let is_outside = right < 0.0 || bottom < 0.0 || left > width || top > height;
        is_outside.then_some(HiddenReason::OutsidePage)
    }
}
