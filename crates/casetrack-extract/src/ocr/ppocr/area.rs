//! Places of text lines: tilted rectangles around the spots of a probability map (the postprocessing of "Real-time
//! Scene Text Detection with Differentiable Binarization", Liao et al. 2020).

use std::f32::consts::FRAC_PI_2;

/// Settings of RapidOCR 3.10 for PP-OCRv6 (its config.yaml): the least probability of a pixel of text, the least mean
/// of a line, how much wider a line is than its kernel, and the most lines.
const MIN_PIXEL: f32 = 0.3;
const MIN_MEAN: f32 = 0.5;
const UNCLIP: f32 = 1.6;
const MAX_LINES: usize = 1000;
/// Least shorter side of a spot, and of the line around it, in pixels of the map.
const MIN_SPOT: f32 = 3.0;
const MIN_LINE: f32 = 5.0;
/// A line this many times as high as wide runs from top to bottom.
const UPRIGHT: f32 = 1.5;
/// Pixels that are looked at for the means, as a multiple of the map. Rectangles of lines hardly overlap.
const MAX_LOOKED_AT: usize = 8;

/// A point or a direction; y runs down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub x: f32,
    pub y: f32,
}

impl Point {
    pub fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    pub fn dot(self, other: Point) -> f32 {
        self.x * other.x + self.y * other.y
    }

    pub fn plus(self, other: Point, times: f32) -> Point {
        Point::new(self.x + other.x * times, self.y + other.y * times)
    }

    fn length(self) -> f32 {
        self.x.hypot(self.y)
    }
}

/// The rectangle of a line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineArea {
    pub middle: Point,
    /// The direction of the text, and that to its next line; both of length 1.
    pub along: Point,
    pub down: Point,
    pub length: f32,
    pub height: f32,
}

impl LineArea {
    /// The same rectangle for a text that is upside down.
    pub fn on_its_head(self) -> Self {
        let back = |point: Point| Point::new(-point.x, -point.y);
        Self { along: back(self.along), down: back(self.down), ..self }
    }

    fn scaled(self, x: f32, y: f32) -> Self {
        let along = Point::new(self.along.x * x, self.along.y * y);
        let down = Point::new(self.down.x * x, self.down.y * y);
        let unit = |point: Point| Point::new(point.x / point.length(), point.y / point.length());
        Self {
            middle: Point::new(self.middle.x * x, self.middle.y * y),
            length: self.length * along.length(),
            height: self.height * down.length(),
            along: unit(along),
            down: unit(down),
        }
    }

    /// Along the line, whichever way the rectangle was found.
    fn level(self) -> Self {
        let turned = Self { along: self.down, down: self.along, length: self.height, height: self.length, ..self };
        let mut level = if self.along.x.abs() >= self.along.y.abs() { self } else { turned };
        if level.along.x < 0.0 {
            level = level.on_its_head();
        }
        // The next line is a quarter turn clockwise from the direction of the text.
        level.down = Point::new(-level.along.y, level.along.x);
        if level.height < UPRIGHT * level.length {
            return level;
        }
        let left = Point::new(-level.along.x, -level.along.y);
        Self { along: level.down, down: left, length: level.height, height: level.length, ..level }
    }
}

/// The probability of text at each pixel of a picture, row by row.
pub(super) struct TextMap<'a> {
    pub width: usize,
    pub height: usize,
    pub pixels: &'a [f32],
}

impl TextMap<'_> {
    pub fn lines(&self, width: usize, height: usize) -> Vec<LineArea> {
        if self.width == 0 || self.pixels.len() != self.width * self.height {
            return Vec::new();
        }
        let (x, y) = (width as f32 / self.width as f32, height as f32 / self.height as f32);
        let mut looked_at = 0;
        let mut lines = Vec::new();
        for spot in self.spots() {
            let Some(area) = smallest_around(&spot).filter(|area| area.length.min(area.height) >= MIN_SPOT) else {
                continue;
            };
            if looked_at > MAX_LOOKED_AT * self.pixels.len() || lines.len() == MAX_LINES {
                break;
            }
            if self.mean(&area, &mut looked_at) < MIN_MEAN {
                continue;
            }
            // As much larger on each side.
            let margin = area.length * area.height * UNCLIP / (2.0 * (area.length + area.height));
            let line = LineArea { length: area.length + 2.0 * margin, height: area.height + 2.0 * margin, ..area };
            if line.length.min(line.height) >= MIN_LINE {
                lines.push(line.scaled(x, y).level());
            }
        }
        lines
    }

    /// Connected pixels of text, each as the ends of its rows, which have the same hull.
    fn spots(&self) -> Vec<Vec<Point>> {
        let (width, height) = (self.width, self.height);
        let is_text = |x: usize, y: usize| self.pixels[y * width + x] > MIN_PIXEL;
        // Grown by a pixel to the right and down, so that hair's breadths do not part a line.
        let mut unseen: Vec<bool> = (0..width * height)
            .map(|place| {
                let (x, y) = (place % width, place / width);
                let (left, above) = (x.saturating_sub(1), y.saturating_sub(1));
                is_text(x, y) || is_text(left, y) || is_text(x, above) || is_text(left, above)
            })
            .collect();
        let mut ends: Vec<Option<(usize, usize)>> = vec![None; height];
        let (mut spots, mut stack) = (Vec::new(), Vec::new());
        for start in 0..unseen.len() {
            if !std::mem::take(&mut unseen[start]) {
                continue;
            }
            stack.push(start);
            let (mut first, mut last) = (height, 0);
            while let Some(place) = stack.pop() {
                let (x, y) = (place % width, place / width);
                (first, last) = (first.min(y), last.max(y));
                let (left, right) = ends[y].unwrap_or((x, x));
                ends[y] = Some((left.min(x), right.max(x)));
                for near_y in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                    for near_x in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                        let near = near_y * width + near_x;
                        if std::mem::take(&mut unseen[near]) {
                            stack.push(near);
                        }
                    }
                }
            }
            let rows = (first..=last).filter_map(|y| ends[y].take().map(|ends| (y as f32 + 0.5, ends)));
            spots.push(
                rows.flat_map(|(y, (left, right))| {
                    [Point::new(left as f32 + 0.5, y), Point::new(right as f32 + 0.5, y)]
                })
                .collect(),
            );
        }
        spots
    }

    fn mean(&self, area: &LineArea, looked_at: &mut usize) -> f32 {
        let half = |a: f32, b: f32| (a.abs() * area.length + b.abs() * area.height) / 2.0;
        let (half_width, half_height) = (half(area.along.x, area.down.x), half(area.along.y, area.down.y));
        let range = |middle: f32, half: f32, size: usize| {
            let end = ((middle + half).ceil().max(0.0) as usize).min(size);
            ((middle - half).max(0.0) as usize).min(end)..end
        };
        let (mut sum, mut count) = (0.0, 0usize);
        for y in range(area.middle.y, half_height, self.height) {
            for x in range(area.middle.x, half_width, self.width) {
                *looked_at += 1;
                let from_middle = Point::new(x as f32 + 0.5, y as f32 + 0.5).plus(area.middle, -1.0);
                if from_middle.dot(area.along).abs() <= area.length / 2.0
                    && from_middle.dot(area.down).abs() <= area.height / 2.0
                {
                    sum += self.pixels[y * self.width + x];
                    count += 1;
                }
            }
        }
        sum / count.max(1) as f32
    }
}

/// The smallest rectangle around points; one of its sides is on their hull.
fn smallest_around(points: &[Point]) -> Option<LineArea> {
    let hull = hull(points);
    let around = |along: Point| {
        let down = Point::new(-along.y, along.x);
        let extent = |direction: Point| {
            hull.iter()
                .map(|point| point.dot(direction))
                .fold((f32::MAX, f32::MIN), |(least, most), place| (least.min(place), most.max(place)))
        };
        let ((left, right), (top, bottom)) = (extent(along), extent(down));
        let origin = Point::new(0.0, 0.0);
        let middle = origin.plus(along, (left + right) / 2.0).plus(down, (top + bottom) / 2.0);
        LineArea { middle, along, down, length: right - left, height: bottom - top }
    };
    let sides = hull.iter().zip(hull.iter().cycle().skip(1)).filter_map(|(from, to)| {
        let side = to.plus(*from, -1.0);
        let length = side.length();
        (length > 0.0).then(|| around(Point::new(side.x / length, side.y / length)))
    });
    sides.min_by(|a, b| (a.length * a.height).total_cmp(&(b.length * b.height)))
}

/// The convex hull, by Andrew's monotone chain.
fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    let chain = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., before, last] = chain[..] {
                let (a, b) = (last.plus(before, -1.0), point.plus(before, -1.0));
                if a.x * b.y - a.y * b.x > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut sorted.iter().copied());
    hull.extend(chain(&mut sorted.iter().rev().copied()));
    hull
}

/// The angle between the directions of two lines, in radians from 0 to π.
pub(super) fn angle(a: Point, b: Point) -> f32 {
    let sine = a.x * b.y - a.y * b.x;
    let angle = sine.abs().atan2(a.dot(b).abs());
    if a.dot(b) < 0.0 { 2.0 * FRAC_PI_2 - angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(length: f32, height: f32, degrees: f32) -> Vec<f32> {
        let (sin, cos) = degrees.to_radians().sin_cos();
        (0..200 * 160)
            .map(|place| {
                let from = Point::new((place % 200) as f32 + 0.5 - 100.0, (place / 200) as f32 + 0.5 - 80.0);
                let (along, down) = (from.x * cos + from.y * sin, from.y * cos - from.x * sin);
                if along.abs() < length / 2.0 && down.abs() < height / 2.0 { 0.9 } else { 0.01 }
            })
            .collect()
    }

    fn lines(pixels: &[f32]) -> Vec<LineArea> {
        TextMap { width: 200, height: 160, pixels }.lines(400, 320)
    }

    #[test]
    fn a_bar_gives_a_line_at_its_place_and_angle() {
        for (degrees, expected) in [(0.0, 0.0), (20.0, 20.0), (-35.0, -35.0), (90.0, 90.0f32)] {
            let lines = lines(&map(100.0, 12.0, degrees));
            let [line] = lines[..] else { panic!("{lines:?}") };
            assert!((line.middle.x - 200.0).abs() < 4.0 && (line.middle.y - 160.0).abs() < 4.0, "{line:?}");
            let along = Point::new(expected.to_radians().cos(), expected.to_radians().sin());
            assert!(angle(line.along, along) < 0.05, "{degrees}: {line:?}");
            // The margin is 100 · 12 · 1.6 / 224 on each side, and the picture twice as large as the map.
            assert!((line.length - 234.0).abs() < 8.0 && (line.height - 58.0).abs() < 8.0, "{degrees}: {line:?}");
            assert!(line.along.x * line.down.y - line.along.y * line.down.x > 0.99);
        }
    }

    #[test]
    fn specks_faint_spots_and_nothing_are_no_lines() {
        assert!(lines(&map(2.0, 2.0, 0.0)).is_empty());
        let faint: Vec<f32> = map(100.0, 12.0, 0.0).iter().map(|pixel| pixel * 0.5).collect();
        assert!(lines(&faint).is_empty());
        assert!(lines(&vec![0.0; 200 * 160]).is_empty());
        assert!(TextMap { width: 0, height: 0, pixels: &[] }.lines(0, 0).is_empty());
    }

    #[test]
    fn a_map_full_of_spots_has_a_bounded_number_of_lines() {
        let pixels: Vec<f32> =
            (0..1000 * 500).map(|place| if place % 1000 % 8 < 5 && place / 1000 % 8 < 5 { 1.0 } else { 0.0 }).collect();
        assert_eq!(TextMap { width: 1000, height: 500, pixels: &pixels }.lines(1000, 500).len(), MAX_LINES);
    }
}
