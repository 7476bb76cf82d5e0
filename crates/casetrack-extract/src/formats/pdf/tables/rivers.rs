//! Columns of rows without rules: the white between them.

#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub left: f32,
    pub right: f32,
    /// Indices, in the order of reading.
    pub words: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Level {
    pub top: f32,
    pub bottom: f32,
    /// Of its print, in points.
    pub size: f32,
    /// From left to right.
    pub segments: Vec<Segment>,
}

impl Level {
    pub fn is_divided(&self) -> bool {
        self.segments.len() >= 2
    }
}

/// Share of the rows that may have text in the white between two columns: headings over several columns.
const MAX_ACROSS: f32 = 0.12;
/// Width of the white between columns, as a share of the size of the print.
const MIN_WHITE: f32 = 0.55;
/// Share of the rows in which a column must have text.
const MIN_ENTRIES: f32 = 0.15;

/// Where columns are: left ends, and right ends, from left to right.
pub(super) fn columns(rows: &[Level]) -> Vec<(f32, f32)> {
    let divided: Vec<&Level> = rows.iter().filter(|row| row.is_divided()).collect();
    let size = divided.iter().map(|row| row.size).fold(0.0, f32::max);
    let allowed = (MAX_ACROSS * divided.len() as f32) as i32;
    // How many rows have text, from place to place.
    let mut edges: Vec<(f32, i32)> = divided
        .iter()
        .flat_map(|row| &row.segments)
        .flat_map(|segment| [(segment.left, 1), (segment.right, -1)])
        .collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut columns: Vec<(f32, f32)> = Vec::new();
    let (mut covered, mut open) = (0, None);
    for (place, change) in edges {
        covered += change;
        match open {
            None if covered > allowed => open = Some(place),
            Some(start) if covered <= allowed => {
                columns.push((start, place));
                open = None;
            }
            _ => {}
        }
    }
    let mut apart: Vec<(f32, f32)> = Vec::new();
    for (left, right) in columns {
        match apart.last_mut() {
            Some(last) if left - last.1 < MIN_WHITE * size => last.1 = right,
            _ => apart.push((left, right)),
        }
    }
    let needed = (MIN_ENTRIES * divided.len() as f32).max(2.0) as usize;
    let entries = |(left, right): (f32, f32)| {
        let is_inside = |row: &&&Level| row.segments.iter().any(|segment| left < segment.right && segment.left < right);
        divided.iter().filter(is_inside).count()
    };
    apart.retain(|column| entries(*column) >= needed);
    apart
}

/// The column that a segment begins in: the first that it overlaps, else the nearest.
pub(super) fn column_of(segment: &Segment, columns: &[(f32, f32)]) -> usize {
    let overlaps = |(left, right): &(f32, f32)| segment.left < *right && *left < segment.right;
    let distance = |(left, right): &(f32, f32)| (left - segment.right).max(segment.left - right);
    columns.iter().position(overlaps).unwrap_or_else(|| {
        let nearest = columns.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        nearest.map_or(0, |(index, _)| index)
    })
}
