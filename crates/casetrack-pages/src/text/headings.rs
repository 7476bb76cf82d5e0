//! Headings as they are shown.

/// A heading without its marks: `# Title #`, or `Title` underlined by `===`.
pub fn plain_heading(heading: &str) -> &str {
    let heading = match heading.trim_end().rsplit_once('\n') {
        Some((title, mark)) if mark.trim().bytes().all(|b| matches!(b, b'=' | b'-')) => title,
        _ => heading,
    };
    let heading = heading.trim();
    let unmarked = heading.trim_start_matches('#');
    if unmarked.len() == heading.len() || !unmarked.starts_with([' ', '\t']) {
        return heading;
    }
    unmarked.trim_end_matches('#').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_marks_are_not_part_of_the_heading() {
        assert_eq!(plain_heading("## Two ##"), "Two");
        assert_eq!(plain_heading("Under\nlined\n=== "), "Under\nlined");
        assert_eq!(plain_heading("#5 is no mark"), "#5 is no mark");
    }
}
