//! Packages of Office Open XML (ISO/IEC 29500-2): XML parts and pictures in a ZIP archive.

use std::io::{Cursor, Write};

use casetrack_core::{Error, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const DECLARATION: &[u8] = br#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;

pub(crate) struct Package(ZipWriter<Cursor<Vec<u8>>>);

impl Package {
    /// A package with these XML parts, each with its name.
    pub fn with_parts<'a>(parts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut package = Self(ZipWriter::new(Cursor::new(Vec::new())));
        for (name, text) in parts {
            package.add(name, &[DECLARATION, text.as_bytes()], CompressionMethod::Deflated)?;
        }
        Ok(package)
    }

    /// Adds a picture, which is compressed already.
    pub fn add_picture(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.add(name, &[bytes], CompressionMethod::Stored)
    }

    fn add(&mut self, name: &str, content: &[&[u8]], method: CompressionMethod) -> Result<()> {
        self.0.start_file(name, SimpleFileOptions::default().compression_method(method)).map_err(unwritable)?;
        content.iter().try_for_each(|bytes| self.0.write_all(bytes)).map_err(unwritable)
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        Ok(self.0.finish().map_err(unwritable)?.into_inner())
    }
}

pub(crate) fn unwritable(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("The file could not be written: {error}."))
}

/// Appends text without markup, on one line. Characters that XML cannot hold are left out.
pub(crate) fn push_escaped(text: &mut String, content: &str) {
    for c in content.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' | '\n' | '\r' => text.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => text.push(c),
        }
    }
}
