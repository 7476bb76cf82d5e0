//! The properties that files state, and their thumbnails: kept by the digest of the content, so that each is found once.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use casetrack_catalog::space::{Content, Job, Thumbnail};
use casetrack_catalog::{Facts, Kind, Time, shown};
use casetrack_core::{Cancel, Error, ErrorCode, FileFormat, Result, Sha256};
use casetrack_extract::{RenderRequest, exif_fields};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::Digest;

use super::index_jobs::JobItem;
use super::{in_field, index_jobs, is_denied_in_space, media, nodes, refused};
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, caught};

/// Longer side of a thumbnail, in pixels.
const LONGEST_SIDE: u32 = 320;
/// Dots per inch of pages without pixels; the longer side bounds it for all that are larger than a stamp.
const RESOLUTION: f32 = 150.0;
/// Read at once, in bytes.
const BUFFER: usize = 1 << 18;
/// The bytes that are read of a picture for its camera's properties.
const BEGINNING: usize = 1 << 18;
/// Longest time to draw a page, in seconds.
const MAX_SECONDS: u64 = 20;
/// The longest wait of a call for the end of a job.
const PATIENCE: Duration = Duration::from_secs(10);

const OPERATIONS: [&str; 5] = ["thumbnail", "metadata", "media_type", "sha256", "all"];

/// A job of the classifier, with its results once it has ended.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClassifierJob {
    pub job_id: i64,
    pub source_path: String,
    /// pending, running, completed, failed or cancelled.
    pub status: String,
    /// 0–100.
    pub progress: f64,
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetadataItem {
    /// SHA-256 of the content.
    pub hash: String,
    /// A file that had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Bytes.
    pub size: u64,
    pub media_type: String,
    /// Metadata in the file: title, author, dates, language and pages of a document; Exif fields of a photograph.
    pub properties: Value,
    pub thumbnail: Option<ThumbnailItem>,
    /// Why there is no thumbnail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_thumbnail: Option<String>,
    /// Seconds since 1970.
    pub generated_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThumbnailItem {
    /// Pixels.
    pub width: u32,
    pub height: u32,
    pub mime_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MetadataPage {
    pub metadata: Vec<MetadataItem>,
    /// The address of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A PNG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThumbnailPicture(pub Vec<u8>);

impl MetadataItem {
    fn new(content: Content, path: Option<&Path>) -> Self {
        let Content { sha256, size, media_type, properties, thumbnail, no_thumbnail, made: generated_at } = content;
        let (mime_type, uri) = ("image/png".to_owned(), path.map(|path| format!("{}/thumbnail", nodes::uri(path))));
        let thumbnail =
            thumbnail.map(|Thumbnail { width, height, .. }| ThumbnailItem { width, height, mime_type, uri });
        let (hash, path) = (sha256.to_string(), path.map(|path| shown(path).into_owned()));
        Self { hash, path, size, media_type, properties, thumbnail, no_thumbnail, generated_at }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ClassifierOperations {
    thumbnail: bool,
    metadata: bool,
}

impl ClassifierOperations {
    /// All if nothing is named. The type and the digest are found in any case.
    ///
    /// Errors: an operation that there is not.
    pub fn of(operations: &[String], field: &str) -> Result<Self> {
        if let Some(unknown) = operations.iter().find(|name| !OPERATIONS.contains(&name.as_str())) {
            return Err(refused(
                field.to_owned(),
                format!("unknown operation: {unknown}; the operations are {}", OPERATIONS.join(", ")),
            ));
        }
        let has = |wanted: &str| operations.is_empty() || operations.iter().any(|name| name == wanted || name == "all");
        Ok(Self { thumbnail: has("thumbnail"), metadata: has("metadata") })
    }
}

// Errors name the parameter that they are about: see [`InField`](super::InField).
/// Reads the properties of a file again, in a job, and waits a moment for it.
///
/// Errors: a path that may not be read, is not there or is no file; an operation that there is not.
pub fn classify_in_job(host: &Host, path: &str, operations: &[String], cancel: &Cancel) -> Result<ClassifierJob> {
    let wanted = ClassifierOperations::of(operations, "operations")?;
    let path = in_field("sourcePath", index_jobs::existing_in_space(host, path))?;
    if !path.is_file() {
        return Err(refused("sourcePath", format!("{} is not a file", path.display())));
    }
    let path = in_field("sourcePath", host.config().access.check(&path))?;
    let stop = Cancel::default();
    let job = in_field("sourcePath", index_jobs::begin_job(host, "classify", &path, &stop))?;
    let (owned, running, file) = (host.clone(), job.clone(), path.clone());
    let work = move || drop(run_classifier(&owned, running, &file, wanted, &stop));
    if let Err(error) = std::thread::Builder::new().name("classify".to_owned()).spawn(work) {
        host.space_work().end(job.id);
        return Err(Error::io("a new thread", error));
    }
    let started = Instant::now();
    loop {
        let now = classifier_job(host, job.id)?;
        let has_ended = !matches!(now.status.as_str(), "pending" | "running");
        if has_ended || started.elapsed() > PATIENCE || cancel.is_cancelled() {
            return Ok(now);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn run_classifier(host: &Host, mut job: Job, path: &Path, wanted: ClassifierOperations, cancel: &Cancel) -> Result<()> {
    (job.status, job.started) = ("running".to_owned(), Some(Time::now().seconds));
    let begun = host.space().and_then(|space| space.set_job(&job));
    let done = begun.and_then(|()| caught(|| classify(host, path, wanted, true, cancel)));
    (job.files, job.bytes) = done.as_ref().map_or((0, 0), |content| (1, content.size));
    index_jobs::end_job(host, &mut job, &done.map(drop), cancel)
}

/// A job of the classifier.
///
/// Errors: a job that does not exist or is another one.
pub fn classifier_job(host: &Host, id: i64) -> Result<ClassifierJob> {
    let space = host.space()?;
    let job = index_jobs::visible_job(host, id)?;
    if job.kind != "classify" {
        return Err(refused("jobId", "this job is not one of the classifier; ask job-progress"));
    }
    let path = PathBuf::from(&job.path);
    let metadata = match (job.status.as_str(), Facts::read(&path)) {
        ("completed", Ok(facts)) => space.content_of(&path, &facts)?,
        _ => None,
    };
    let JobItem { job_id, root, status, progress, error, .. } = job.into();
    let metadata = metadata.map(|content| MetadataItem::new(content, Some(&path)));
    Ok(ClassifierJob { job_id, source_path: root, status, progress, error, metadata })
}

/// Reads the properties of a file. Known properties of its content are reused, unless `anew` is set.
pub(crate) fn classify(
    host: &Host,
    path: &Path,
    wanted: ClassifierOperations,
    anew: bool,
    cancel: &Cancel,
) -> Result<Content> {
    let path = host.config().access.check(path)?;
    let facts = Facts::read(&path).map_err(|error| Error::io(path.display(), error))?;
    if facts.kind != Kind::File {
        return Err(Error::invalid(format!("{} is not a file", path.display())));
    }
    let space = host.space()?;
    let known = if anew { None } else { space.content_of(&path, &facts)? };
    if let Some(known) = known.filter(|known| is_enough(known, wanted)) {
        return Ok(known);
    }
    let (sha256, beginning) = digest(&path, cancel)?;
    let before = space.content(&sha256.to_string())?;
    if let Some(known) = before.clone().filter(|known| !anew && is_enough(known, wanted)) {
        space.keep_content(&path, &facts, &known)?;
        return Ok(known);
    }
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let media_type = media::media_type(&beginning, &extension.unwrap_or_default());
    let mut content = before.unwrap_or_else(|| Content {
        sha256,
        size: facts.size,
        media_type: media_type.to_owned(),
        properties: Value::Null,
        thumbnail: None,
        no_thumbnail: None,
        made: 0,
    });
    if wanted.metadata {
        content.properties = properties(host, &path, media_type, &beginning, cancel)?;
    }
    if wanted.thumbnail {
        (content.thumbnail, content.no_thumbnail) = match thumbnail(host, &path, media_type, cancel) {
            Ok(thumbnail) => (Some(thumbnail), None),
            Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
            Err(error) => (None, Some(error.message)),
        };
    }
    space.keep_content(&path, &facts, &content)?;
    host.space_changed(SpaceChange::Metadata);
    Ok(content)
}

/// Reads the properties of a file unless they are known.
pub fn classify_if_new(host: &Host, path: &Path, operations: &[String], cancel: &Cancel) -> Result<()> {
    classify(host, path, ClassifierOperations::of(operations, "operations")?, false, cancel).map(drop)
}

/// The properties that a file states. Pictures are not read by OCR for them.
fn properties(host: &Host, path: &Path, media_type: &str, beginning: &[u8], cancel: &Cancel) -> Result<Value> {
    let mut found = Map::new();
    if media_type.starts_with("image/") {
        found.extend(exif_fields(beginning).into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        return Ok(found.into());
    }
    let read = bytes_of(host, path)
        .and_then(|bytes| host.readers().extract(path, &bytes, &host.config().extract_options(), cancel));
    match read {
        Ok(extraction) => {
            let properties = extraction.properties;
            let texts = [
                ("title", extraction.title),
                ("author", properties.author),
                ("created", properties.created),
                ("modified", properties.modified),
                ("language", properties.language),
            ];
            let format = extraction.format.extension();
            found.insert("format".into(), format.into());
            found.extend(texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into()))));
            if !extraction.unpaged {
                found.insert("pages".into(), extraction.pages.len().into());
            }
        }
        Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
        // A program or a film has no properties that are read here, which is not a failure.
        Err(error) => drop(found.insert("unavailable".into(), json!(error.message))),
    }
    Ok(found.into())
}

/// A picture of a picture, or of the first page of a PDF file.
fn thumbnail(host: &Host, path: &Path, media_type: &str, cancel: &Cancel) -> Result<Thumbnail> {
    if !FileFormat::from_media_type(media_type).is_some_and(FileFormat::is_drawn) {
        let reason = "thumbnails are made of PDF files and of pictures in BMP, GIF, JPEG, PNG, TIFF and WebP";
        return Err(Error::new(ErrorCode::UnsupportedFormat, format!("{media_type} has no thumbnail: {reason}")));
    }
    let bytes = bytes_of(host, path)?;
    let mut options = host.config().extract_options();
    options.limits.max_page_seconds = options.limits.max_page_seconds.min(MAX_SECONDS);
    let request = RenderRequest { page: 1, highlights: Vec::new(), longest_side: LONGEST_SIDE, resolution: RESOLUTION };
    let drawn = host.readers().render(path, &bytes, &options, &request, cancel)?;
    Ok(Thumbnail { png: drawn.png, width: drawn.width, height: drawn.height })
}

fn bytes_of(host: &Host, path: &Path) -> Result<Vec<u8>> {
    casetrack_host::read(path, None, host.config()).map(|(bytes, _)| bytes)
}

/// The known properties of a file's content, which is read if they are not known.
///
/// Errors: a path that may not be read or is not a file.
pub fn node_metadata(host: &Host, path: &str, cancel: &Cancel) -> Result<MetadataItem> {
    let path = index_jobs::existing_in_space(host, path)?;
    let content = classify(host, &path, ClassifierOperations { thumbnail: true, metadata: true }, false, cancel)?;
    Ok(MetadataItem::new(content, Some(&path)))
}

/// A thumbnail of a file, which is made if there is none.
///
/// Errors: a path that may not be read, a file that has none.
pub fn node_thumbnail(host: &Host, path: &str, cancel: &Cancel) -> Result<ThumbnailPicture> {
    let path = index_jobs::existing_in_space(host, path)?;
    let content = classify(host, &path, ClassifierOperations { thumbnail: true, metadata: false }, false, cancel)?;
    let reason = content.no_thumbnail.unwrap_or_else(|| "it has no thumbnail".to_owned());
    let thumbnail = content.thumbnail.ok_or_else(|| Error::new(ErrorCode::UnsupportedFormat, reason))?;
    Ok(ThumbnailPicture(thumbnail.png))
}

/// The metadata of a content.
///
/// Errors: [`ErrorCode::NotFound`].
pub fn metadata_by_hash(host: &Host, hash: &str) -> Result<MetadataItem> {
    let (space, hash) = (host.space()?, hash.to_lowercase());
    // Properties of files that the session may not see are not for it.
    let path = space.paths_with(&hash)?.into_iter().find(|path| !is_denied_in_space(host, path));
    let content = path.as_ref().map_or(Ok(None), |_| space.content(&hash))?;
    let content = content.ok_or_else(|| Error::new(ErrorCode::NotFound, "metadata not found"))?;
    Ok(MetadataItem::new(content, path.as_deref()))
}

/// A page of all known contents, or of those with thumbnails, except the properties of files that the session may not see.
pub fn metadata_page(host: &Host, thumbnails: bool, offset: u64) -> Result<MetadataPage> {
    let limit = u32::try_from(super::MAX_ENTRIES).unwrap_or(u32::MAX);
    let from = u32::try_from(offset).unwrap_or(u32::MAX);
    let mut found = host.space()?.contents(thumbnails, limit.saturating_add(1), from)?;
    let has_more = found.len() > super::MAX_ENTRIES;
    found.truncate(super::MAX_ENTRIES);
    let item = |(content, path): (Content, Option<PathBuf>)| {
        let path = path.filter(|path| !is_denied_in_space(host, path))?;
        Some(MetadataItem::new(content, Some(&path)))
    };
    let list = if thumbnails { "metadata/thumbnails" } else { "metadata" };
    let next = has_more.then(|| format!("synthesis://{list}?offset={}", u64::from(from) + u64::from(limit)));
    Ok(MetadataPage { metadata: found.into_iter().filter_map(item).collect(), next })
}

/// True if all that is wanted is known already, or cannot be.
fn is_enough(known: &Content, wanted: ClassifierOperations) -> bool {
    let has_thumbnail = known.thumbnail.is_some() || known.no_thumbnail.is_some();
    (!wanted.metadata || !known.properties.is_null()) && (!wanted.thumbnail || has_thumbnail)
}

fn digest(path: &Path, cancel: &Cancel) -> Result<(Sha256, Vec<u8>)> {
    let io = |error| Error::io(path.display(), error);
    let mut file = File::open(path).map_err(io)?;
    let (mut digest, mut buffer, mut beginning) = (sha2::Sha256::new(), vec![0; BUFFER], Vec::new());
    loop {
        cancel.check()?;
        let read = file.read(&mut buffer).map_err(io)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return Ok((Sha256(digest.finalize().into()), beginning));
        };
        digest.update(bytes);
        let room = BEGINNING.saturating_sub(beginning.len()).min(read);
        beginning.extend_from_slice(&bytes[..room]);
    }
}
