//! Metadata of the contents of files, by their digest: computed once for all names of a content.

use std::path::{Path, PathBuf};

use casetrack_core::{Result, Sha256};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};
use serde_json::Value;

use super::{Space, now};
use crate::entry::Facts;
use crate::paths;
use crate::rows::stored;

/// Contents that are kept, the last that were made. A thumbnail takes some 30 kB.
const KEPT: i64 = 20_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub sha256: Sha256,
    pub size: u64,
    pub media_type: String,
    /// Metadata inside the file; null if it was not read.
    pub properties: Value,
    pub thumbnail: Option<Thumbnail>,
    /// Why there is no thumbnail.
    pub no_thumbnail: Option<String>,
    /// Seconds since 1970.
    pub made: i64,
}

/// A picture of a content, as a PNG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thumbnail {
    pub png: Vec<u8>,
    /// Pixels.
    pub width: u32,
    pub height: u32,
}

const SELECT: &str =
    "SELECT sha256, size, media_type, properties, thumbnail, width, height, no_thumbnail, made FROM contents";

impl Space {
    /// Stores the metadata of a content, replacing older ones, and the file that has it.
    pub fn keep_content(&self, path: &Path, facts: &Facts, content: &Content) -> Result<()> {
        let Content { sha256, size, media_type, properties, thumbnail, no_thumbnail, .. } = content;
        let digest = sha256.to_string();
        let (png, width, height) = match thumbnail {
            Some(Thumbnail { png, width, height }) => (Some(png), Some(*width), Some(*height)),
            None => (None, None, None),
        };
        self.write_rows(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    digest,
                    stored(*size),
                    media_type,
                    properties.to_string(),
                    png,
                    width,
                    height,
                    no_thumbnail,
                    now()
                ],
            )?;
            transaction.execute(
                "INSERT OR REPLACE INTO digests VALUES (?, ?, ?, ?)",
                params![paths::bytes(path), stored(facts.size), facts.modified.stored(), digest],
            )?;
            transaction.execute(
                "DELETE FROM contents WHERE sha256 NOT IN (SELECT sha256 FROM contents ORDER BY made DESC LIMIT ?)",
                [KEPT],
            )?;
            transaction.execute("DELETE FROM digests WHERE sha256 NOT IN (SELECT sha256 FROM contents)", [])?;
            Ok(())
        })
    }

    pub fn content(&self, sha256: &str) -> Result<Option<Content>> {
        self.read(|connection| {
            connection.prepare(&format!("{SELECT} WHERE sha256 = ?"))?.query_row([sha256], read_content).optional()
        })
    }

    /// The metadata of the content of a file that has not changed since, by size and time of change.
    pub fn content_of(&self, path: &Path, facts: &Facts) -> Result<Option<Content>> {
        let digest: Option<String> = self.read(|connection| {
            connection
                .prepare("SELECT sha256 FROM digests WHERE path = ? AND size = ? AND modified = ?")?
                .query_row(params![paths::bytes(path), stored(facts.size), facts.modified.stored()], |row| row.get(0))
                .optional()
        })?;
        digest.map_or(Ok(None), |digest| self.content(&digest))
    }

    /// The files that had a content, the first hundred by path.
    pub fn paths_with(&self, sha256: &str) -> Result<Vec<PathBuf>> {
        self.read(|connection| {
            connection
                .prepare("SELECT path FROM digests WHERE sha256 = ? ORDER BY path LIMIT 100")?
                .query_map([sha256], |row| row.get::<_, Vec<u8>>(0).map(paths::from_bytes))?
                .collect()
        })
    }

    /// The contents that are known, the latest first, those with a thumbnail or all, each with a file that had it.
    pub fn contents(&self, thumbnails: bool, limit: u32, offset: u32) -> Result<Vec<(Content, Option<PathBuf>)>> {
        self.read(|connection| {
            let sql =
                format!("{SELECT} WHERE NOT ?1 OR thumbnail IS NOT NULL ORDER BY made DESC, sha256 LIMIT ?2 OFFSET ?3");
            let mut rows = connection.prepare(&sql)?;
            let contents: Vec<Content> =
                rows.query_map(params![thumbnails, limit, offset], read_content)?.collect::<rusqlite::Result<_>>()?;
            let mut path = connection.prepare("SELECT path FROM digests WHERE sha256 = ? ORDER BY path LIMIT 1")?;
            let with_path = |content: Content| {
                let path = path.query_row([content.sha256.to_string()], |row| row.get::<_, Vec<u8>>(0)).optional()?;
                Ok((content, path.map(paths::from_bytes)))
            };
            contents.into_iter().map(with_path).collect()
        })
    }
}

fn read_content(row: &Row<'_>) -> rusqlite::Result<Content> {
    fn unreadable(column: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    }
    let (digest, properties): (String, String) = (row.get(0)?, row.get(3)?);
    let (png, width, height): (Option<Vec<u8>>, Option<u32>, Option<u32>) = (row.get(4)?, row.get(5)?, row.get(6)?);
    let thumbnail = png.zip(width).zip(height).map(|((png, width), height)| Thumbnail { png, width, height });
    Ok(Content {
        sha256: digest.parse().map_err(|error| unreadable(0, error))?,
        size: row.get::<_, i64>(1)?.unsigned_abs(),
        media_type: row.get(2)?,
        properties: serde_json::from_str(&properties).map_err(|error| unreadable(3, error))?,
        thumbnail,
        no_thumbnail: row.get(7)?,
        made: row.get(8)?,
    })
}
