//! Mailboxes: messages one after the other (RFC 4155 and the older kinds). Each message is a document of its own; the
//! mailbox itself is one page that lists them.

use std::borrow::Cow;

use casetrack_core::{BlockKind, ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::{Source, attachment};

use super::eml;

/// Characters of a subject in the name of its message.
const MAX_SUBJECT_CHARS: usize = 80;

pub(crate) struct Mbox;

impl Extractor for Mbox {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        document.start_page(ExtractionMethod::Native, None);
        for (message, number) in messages(source.bytes).zip(1u32..) {
            let summary = eml::summary(message);
            let shown: Vec<&str> = summary.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
            document.push_block(BlockKind::ListItem, format!("{number}. {}", shown.join(" · ")).trim_end())?;
            let subject: String = attachment::file_name(&summary[2]).chars().take(MAX_SUBJECT_CHARS).collect();
            let name = format!("{number:05} {}", subject.trim());
            let message = unquoted(message);
            document.attachments().push(&format!("{}.eml", name.trim()), message.into_owned());
        }
        Ok(())
    }
}

fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut after_empty) = (0, true);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"From ") && (after_empty || starts.is_empty()) && is_separator(line) {
            starts.push((at, at + line.len()));
        }
        at += line.len();
        after_empty = line.trim_ascii().is_empty();
    }
    if starts.is_empty() {
        starts.push((0, 0));
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(start, _)| *start).chain([bytes.len()]).collect();
    starts
        .into_iter()
        .zip(ends)
        .filter_map(|((_, start), end)| bytes.get(start..end))
        .filter(|message| !message.trim_ascii().is_empty())
}

/// `From address Mon Jun  1 10:00:00 2009`: text may begin a line with "From" too, but not with a time of day after it.
fn is_separator(line: &[u8]) -> bool {
    line.windows(4).any(
        |window| matches!(window, [a, b':', b, c] if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit()),
    )
}

/// Takes back the `>` that keeps lines of a message from being separators.
fn unquoted(message: &[u8]) -> Cow<'_, [u8]> {
    let is_quoted = |line: &[u8]| {
        let marks = line.iter().take_while(|&&byte| byte == b'>').count();
        marks > 0 && line[marks..].starts_with(b"From ")
    };
    let lines = || message.split_inclusive(|&byte| byte == b'\n');
    if !lines().any(is_quoted) {
        return Cow::Borrowed(message);
    }
    Cow::Owned(lines().flat_map(|line| if is_quoted(line) { &line[1..] } else { line }).copied().collect())
}
