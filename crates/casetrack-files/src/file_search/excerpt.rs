//! Excerpts of pages: redacted first, cut afterwards.

use std::ops::Range;

use casetrack_nlp::redaction::{MARKER, redact};

/// Longest preview and snippet, in bytes of UTF-8.
pub const MAX_PREVIEW_BYTES: usize = 2048;
/// A page is redacted as a whole up to this length, a longer one this far on each side of the excerpt, in bytes.
const WHOLE_PAGE: usize = 1 << 16;
const AROUND: usize = 1 << 15;
const BEFORE: &str = "… ";
const AFTER: &str = " …";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    /// At most [`MAX_PREVIEW_BYTES`].
    pub text: String,
    pub redacted: bool,
    /// True if the page has more text before or after.
    pub truncated: bool,
}

/// The part `chars` of a page, without secrets, and with "…" if the page has more.
pub(super) fn shown(page: &str, chars: Range<usize>) -> Shown {
    let byte = |char: usize| page.char_indices().nth(char).map_or(page.len(), |(at, _)| at);
    let bytes = byte(chars.start)..byte(chars.end.max(chars.start));
    let (from, to) = match page.len() <= WHOLE_PAGE {
        true => (0, page.len()),
        false => (
            page.floor_char_boundary(bytes.start.saturating_sub(AROUND)),
            page.ceil_char_boundary(page.len().min(bytes.end + AROUND)),
        ),
    };
    let part = redact(&page[from..to], bytes.start - from..bytes.end - from);
    let has_before = page[..bytes.start].contains(|c: char| !c.is_whitespace());
    let has_after = page[bytes.end..].contains(|c: char| !c.is_whitespace());
    let mut text = String::new();
    if has_before {
        text.push_str(BEFORE);
    }
    text.push_str(part.text.trim());
    let mut truncated = has_before || has_after;
    if has_after {
        text.push_str(AFTER);
    }
    if text.len() > MAX_PREVIEW_BYTES {
        text = cut(&text);
        truncated = true;
    }
    Shown { text, redacted: part.count > 0, truncated }
}

/// At most [`MAX_PREVIEW_BYTES`] of a redacted text, without a piece of a marker at the end, and with "…" if something is cut off.
pub fn cut(text: &str) -> String {
    if text.len() <= MAX_PREVIEW_BYTES {
        return text.to_owned();
    }
    let mut kept = &text[..text.floor_char_boundary(MAX_PREVIEW_BYTES - AFTER.len())];
    // A marker has no bracket inside.
    if let Some(at) = kept.rfind(MARKER.trim_end()).filter(|at| !kept[*at..].contains(']')) {
        kept = &kept[..at];
    }
    format!("{}{AFTER}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_at_the_edge_is_shown_nowhere() {
        let page = format!("{} jane.roe@example.org {}", "word ".repeat(20), "word ".repeat(20));
        let length = page.chars().count();
        for start in 0..length {
            let part = shown(&page, start..(start + 12).min(length));
            assert!(!part.text.contains("jane") && !part.text.contains("example"), "{}", part.text);
        }
        let whole = shown(&page, 0..length);
        assert!(whole.redacted && !whole.truncated && whole.text.contains("[redacted: e-mail address]"));
    }

    #[test]
    fn previews_are_short_and_end_before_a_marker_that_does_not_fit() {
        for shift in 0..40 {
            let page = format!("{}{}", "x".repeat(shift), "é jane.roe@example.org, ".repeat(200));
            let part = shown(&page, 0..page.chars().count());
            assert!(part.text.len() <= MAX_PREVIEW_BYTES && part.truncated);
            assert!(part.text.ends_with(" …"), "{}", part.text);
            let (opened, closed) = (part.text.matches(MARKER).count(), part.text.matches(']').count());
            assert_eq!(opened, closed, "{}", &part.text[part.text.len() - 60..]);
        }
    }

    #[test]
    fn long_pages_are_redacted_around_what_is_shown() {
        let page = format!("{}jane.roe@example.org{}", "a word ".repeat(20_000), " and more".repeat(20_000));
        let at = page.find("example").unwrap();
        let part = shown(&page, at..at + 40);
        assert!(part.redacted && part.text.starts_with("… [redacted: e-mail address]"), "{}", part.text);
    }
}
