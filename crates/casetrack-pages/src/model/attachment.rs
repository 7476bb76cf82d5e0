//! The files inside a container, in bounded number and size.

use std::collections::HashMap;

use casetrack_core::{FileLimit, Limits};
use serde::{Deserialize, Serialize};

/// Longest file or folder name kept, in characters; file systems end at 255 bytes.
const MAX_NAME_CHARS: usize = 150;

/// A file inside a container: an attachment of a mail, a message of a mailbox, a member of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Unique in the container without regard to case. Folders inside an archive are joined by `/`; it never begins
    /// with one and never contains `.` or `..` as a folder.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Collects attachments up to the limits and counts the others.
#[derive(Default)]
pub struct Attachments {
    kept: Vec<Attachment>,
    /// Names in lower case, each with the last number that was added to keep others apart from it.
    names: HashMap<String, u32>,
    places_left: u32,
    bytes_left: u64,
    /// The number left out for being too many, and too large.
    too_many: u32,
    too_large: u32,
}

impl Attachments {
    pub fn new(limits: &Limits) -> Self {
        Self { places_left: limits.max_attachments, bytes_left: limits.max_attachment_bytes, ..Self::default() }
    }

    pub fn bytes_left(&self) -> u64 {
        if self.places_left == 0 { 0 } else { self.bytes_left }
    }

    /// Adds a file. `path` is made safe and unique; folders are split at slashes of either kind.
    pub fn push(&mut self, path: &str, bytes: Vec<u8>) {
        if bytes.len() as u64 > self.bytes_left || self.places_left == 0 {
            self.leave_out();
            return;
        }
        self.bytes_left -= bytes.len() as u64;
        self.places_left -= 1;
        let name = self.unique(safe_path(path));
        self.kept.push(Attachment { name, bytes });
    }

    /// Counts a file that does not fit.
    pub fn leave_out(&mut self) {
        let count = if self.places_left == 0 { &mut self.too_many } else { &mut self.too_large };
        *count = count.saturating_add(1);
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|attachment| attachment.name.as_str())
    }

    pub fn warning(&self) -> Option<String> {
        let left_out = self.too_many.saturating_add(self.too_large);
        let mut limits = Vec::new();
        if self.too_many > 0 {
            limits.push(FileLimit::Attachments.quantity());
        }
        if self.too_large > 0 {
            limits.extend([FileLimit::AttachmentSize.quantity(), FileLimit::PartSize.quantity()]);
        }
        (left_out > 0).then(|| {
            format!(
                "{left_out} of the files inside were left out, because together they exceed limits that can be raised: {}.",
                limits.join(", ")
            )
        })
    }

    pub fn into_vec(self) -> Vec<Attachment> {
        self.kept
    }

    fn unique(&mut self, name: String) -> String {
        let key = name.to_lowercase();
        let mut number = self.names.get(&key).map_or(1, |last| last.saturating_add(1));
        if number == 1 {
            self.names.insert(key, 1);
            return name;
        }
        let folder = name.rfind('/').map_or(0, |at| at + 1);
        let stem_end = name[folder..].rfind('.').filter(|&at| at > 0).map_or(name.len(), |at| folder + at);
        let mut candidate = format!("{} ({number}){}", &name[..stem_end], &name[stem_end..]);
        while self.names.contains_key(&candidate.to_lowercase()) {
            number = number.saturating_add(1);
            candidate = format!("{} ({number}){}", &name[..stem_end], &name[stem_end..]);
        }
        self.names.insert(key, number);
        self.names.insert(candidate.to_lowercase(), 1);
        candidate
    }
}

/// A file name without folders: slashes become underscores.
pub fn file_name(name: &str) -> String {
    name.replace(['/', '\\'], "_")
}

/// A relative path of visible names.
fn safe_path(path: &str) -> String {
    let parts: Vec<String> = path
        .split(['/', '\\'])
        .map(|part| {
            let part: String = part.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            shortened(part.trim())
        })
        .filter(|part| !matches!(part.as_str(), "" | "." | ".."))
        .collect();
    if parts.is_empty() { "unnamed".to_owned() } else { parts.join("/") }
}

/// Cuts the middle, so that the extension stays.
fn shortened(name: &str) -> String {
    let chars = name.chars().count();
    if chars <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    let tail = 20;
    let head: String = name.chars().take(MAX_NAME_CHARS - tail).collect();
    head + &name.chars().skip(chars - tail).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_unique() {
        let mut attachments = Attachments::new(&Limits::default());
        for name in
            ["a.pdf", "A.pdf", "a.pdf", "../../etc/passwd", "x\\y.txt", "/", "b/a.pdf", "b/a.pdf", ".env", ".env"]
        {
            attachments.push(name, Vec::new());
        }
        let names: Vec<&str> = attachments.names().collect();
        let expected = [
            "a.pdf",
            "A (2).pdf",
            "a (3).pdf",
            "etc/passwd",
            "x/y.txt",
            "unnamed",
            "b/a.pdf",
            "b/a (2).pdf",
            ".env",
            ".env (2)",
        ];
        assert_eq!(names, expected);
        assert_eq!(safe_path(&"ä".repeat(400)).chars().count(), MAX_NAME_CHARS);
    }

    #[test]
    fn number_and_size_are_limited_and_said() {
        let limits = Limits { max_attachments: 2, max_attachment_bytes: 5, ..Limits::default() };
        let mut attachments = Attachments::new(&limits);
        for bytes in [3, 3, 2, 0] {
            attachments.push("a", vec![0; bytes]);
        }
        let warning = attachments.warning().unwrap();
        assert!(warning.starts_with("2 of the files"), "{warning}");
        assert!(
            warning.ends_with(": number of files in one, size of the files in one, size of the parts of a file."),
            "{warning}"
        );
        assert_eq!(attachments.into_vec().len(), 2);
    }
}
