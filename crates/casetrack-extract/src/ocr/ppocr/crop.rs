//! Cuts lines of text out of a picture, level and at the size that a network wants.

use super::area::{LineArea, Point};
use crate::ocr::GrayImage;

/// Points of the picture that make one of a line, in each direction, at most.
const MAX_SAMPLES: usize = 8;

/// Channels of a picture for the networks: three that are equal, from -1 (black) to 1.
pub(super) const CHANNELS: usize = 3;

/// A line for a network: `CHANNELS` planes of `height` rows of `width`, filled up with 0, which is grey.
pub(super) struct Strip {
    pub numbers: Vec<f32>,
    pub width: usize,
    pub height: usize,
    /// How much of the width the line takes.
    pub filled: usize,
}

impl Strip {
    /// A line at this height, as long as its proportions ask for, but between these widths.
    pub fn of(image: &GrayImage, line: &LineArea, height: usize, widths: std::ops::RangeInclusive<usize>) -> Self {
        let wanted = (height as f32 * line.length / line.height.max(1.0)).ceil() as usize;
        let filled = wanted.clamp(1, *widths.end());
        let width = filled.max(*widths.start());
        let (step_along, step_down) = (line.length / filled as f32, line.height / height as f32);
        let samples = |step: f32| (step.round() as usize).clamp(1, MAX_SAMPLES);
        let (across, downwards) = (samples(step_along), samples(step_down));
        let corner = line.middle.plus(line.along, -line.length / 2.0).plus(line.down, -line.height / 2.0);
        let mut plane = vec![0.0; width * height];
        for (row, numbers) in plane.chunks_exact_mut(width).enumerate() {
            for (column, number) in numbers.iter_mut().take(filled).enumerate() {
                let mut sum = 0.0;
                for down in 0..downwards {
                    let down = (row as f32 + (down as f32 + 0.5) / downwards as f32) * step_down;
                    for along in 0..across {
                        let along = (column as f32 + (along as f32 + 0.5) / across as f32) * step_along;
                        sum += shade(image, corner.plus(line.along, along).plus(line.down, down));
                    }
                }
                *number = sum / (across * downwards) as f32 / 127.5 - 1.0;
            }
        }
        Self { numbers: plane.repeat(CHANNELS), width, height, filled }
    }
}

/// The shade at a place, between the four pixels around it; beyond the edge, that of the edge.
fn shade(image: &GrayImage, place: Point) -> f32 {
    let (x, y) = (place.x - 0.5, place.y - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let at = |column: f32, row: f32| {
        let clamped = |place: f32, size: usize| (place.max(0.0) as usize).min(size.saturating_sub(1));
        let place = clamped(row, image.height) * image.width + clamped(column, image.width);
        f32::from(image.pixels.get(place).copied().unwrap_or(u8::MAX))
    };
    let between = |row: f32| at(left, row) + (at(left + 1.0, row) - at(left, row)) * (x - left);
    between(top) + (between(top + 1.0) - between(top)) * (y - top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> GrayImage {
        let pixels = (0..100 * 50).map(|place| if place % 100 < 50 { 0 } else { 255 }).collect();
        GrayImage { width: 100, height: 50, pixels }
    }

    fn line(along: Point, down: Point) -> LineArea {
        LineArea { middle: Point::new(50.0, 25.0), along, down, length: 40.0, height: 20.0 }
    }

    #[test]
    fn a_line_is_cut_out_in_its_direction_and_filled_up() {
        let level = line(Point::new(1.0, 0.0), Point::new(0.0, 1.0));
        let strip = Strip::of(&picture(), &level, 10, 30..=100);
        assert_eq!((strip.width, strip.filled, strip.numbers.len()), (30, 20, 900));
        assert_eq!((strip.numbers[0], strip.numbers[19], strip.numbers[29]), (-1.0, 1.0, 0.0));
        let turned = Strip::of(&picture(), &level.on_its_head(), 10, 30..=100);
        assert_eq!((turned.numbers[0], turned.numbers[19]), (1.0, -1.0));
        // From top to bottom: the upper edge of the line is on the right.
        let upright = Strip::of(&picture(), &line(Point::new(0.0, 1.0), Point::new(-1.0, 0.0)), 10, 5..=12);
        assert_eq!((upright.width, upright.filled), (12, 12));
        assert_eq!((upright.numbers[0], upright.numbers[9 * 12]), (1.0, -1.0));
    }

    #[test]
    fn an_empty_picture_and_a_line_beyond_it_do_no_harm() {
        let far = LineArea { middle: Point::new(1e9, -1e9), ..line(Point::new(1.0, 0.0), Point::new(0.0, 1.0)) };
        assert_eq!(Strip::of(&picture(), &far, 10, 1..=20).filled, 20);
        let nothing = GrayImage { width: 0, height: 0, pixels: Vec::new() };
        assert_eq!(Strip::of(&nothing, &far, 10, 1..=20).numbers[0], 1.0);
    }
}
