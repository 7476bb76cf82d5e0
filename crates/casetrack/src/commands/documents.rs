//! `casetrack documents`, `show` and `page`

use std::ffi::OsString;
use std::path::Path;

use casetrack_core::{ChunkId, Error, Password, Result, TextView};
use casetrack_engine::documents;
use casetrack_engine::documents::DocumentSort;
use casetrack_engine::pages::PictureRequest;
use casetrack_engine::search::{MarkFilter, admit};
use casetrack_text::format::{bytes, one_line};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::last_search::LastSearch;
use crate::console::Console;
use crate::options::{InCollection, named};

/// List the documents of a collection, contracts with their parties, date and governing law
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Documents {
    #[command(flatten)]
    target: InCollection,
    /// Sort by name, date (newest first), pages (longest first) or type
    #[arg(long, value_name = "BY", default_value = "name", value_parser = named::<DocumentSort>)]
    sort: DocumentSort,
    /// List only documents with this tag of yours, or without it (--tag=-privileged)
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
}

impl Documents {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let filters: Vec<MarkFilter> = self.tag.iter().map(|tag| MarkFilter::tag(tag)).collect::<Result<_>>()?;
        let mut documents = documents::list_documents(console.host(), collection.id, self.sort)?;
        let tag = self.tag.as_deref().filter(|_| !documents.is_empty());
        documents.retain(|document| admit(&filters, &document.marks));
        documents::describe_contracts(console.host(), collection.id, &mut documents)?;
        let unread = documents::list_unread(console.host(), collection.id)?.len() as u64;
        console.print(&documents, |documents| {
            let list = text::documents::list(&collection.name, documents, tag, Reader::CommandLine);
            list + &text::unread::remark(unread, Reader::CommandLine)
        })
    }
}

/// List the files and parts of files that were not read, or read with loss
///
/// Each with its container, the reason and what to do. A file leaves the list when it is read or deleted and the folder is synced again.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Unread {
    #[command(flatten)]
    target: InCollection,
}

impl Unread {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let unread = documents::list_unread(console.host(), collection.id)?;
        let total = unread.len() as u64;
        console.print(&unread, |unread| {
            text::unread::list(&collection.name, unread, (0, total), None, Reader::CommandLine)
        })
    }
}

/// Show a passage in its context, or a document
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Show {
    /// Number of a result of the last search, ID of a passage, or ID or name of a document
    id: String,
    #[command(flatten)]
    target: InCollection,
    /// Passages to show before and after a passage
    #[arg(long, default_value_t = 1, value_name = "N")]
    window: u32,
    /// How to show tracked changes: final (as if all were accepted), original or redline
    #[arg(long, default_value = "final", value_name = "VIEW", value_parser = named::<TextView>)]
    view: TextView,
    /// Show this page of a document
    #[arg(long, value_name = "N")]
    page: Option<u32>,
}

impl Show {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        if let (None, Some((collection, chunk, last))) = (self.page, LastSearch::chunk(engine, &self.id)?) {
            let context =
                documents::source_context(engine.host(), collection, &chunk.to_string(), self.window, self.view)?;
            return console.print(&context, |context| {
                format!("{}\n{}", last.heading(&self.id), text::chunks::source_context(context, Reader::CommandLine))
            });
        }
        let collection = self.target.find(engine)?.id;
        if let Some(page) = self.page {
            let page = documents::page_text(engine.host(), collection, &self.id, page, self.view)?;
            return console.print(&page, text::chunks::page);
        }
        // An ID may name either.
        let document = documents::document(engine.host(), collection, &self.id);
        if document.is_err() && ChunkId::beginning_with(&self.id).is_some() {
            console.print(
                &documents::source_context(engine.host(), collection, &self.id, self.window, self.view)?,
                |context| text::chunks::source_context(context, Reader::CommandLine),
            )
        } else {
            if self.view != TextView::Final {
                return Err(Error::invalid("A view shows a passage or a page, not a whole document.")
                    .with_hint("Add --page N, or give the ID of a passage."));
            }
            console.print(&document?, |document| text::documents::details(document, Reader::CommandLine))
        }
    }
}

/// Draw a page of a PDF file or an image, with a passage marked on it
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Page {
    /// Name or ID of a document, or the file it was ingested from
    document: String,
    /// Page number, from 1
    page: u32,
    #[command(flatten)]
    target: InCollection,
    /// ID of a passage on this page, whose lines are marked
    #[arg(long, value_name = "ID")]
    chunk: Option<String>,
    /// PNG file to write
    #[arg(long, value_name = "FILE")]
    out: OsString,
    /// Password of a protected file. Prefer the environment variable: process lists do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
}

impl Page {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        // A file is known by its absolute path.
        let file = console.path(&self.document);
        let file = if file.is_file() { std::path::absolute(&file).ok() } else { None };
        let document = file.as_deref().and_then(Path::to_str).unwrap_or(&self.document);
        let (page, chunk, password) = (self.page, self.chunk.as_deref(), self.password);
        let request = PictureRequest { document, page, chunk, password, ..PictureRequest::default() };
        let picture = documents::page_picture(console.host(), collection, &request, &console.cancel)?;
        let out = console.path(&self.out);
        console.write(&out, &picture.png)?;
        let written = json!({
            "document_id": picture.document.id,
            "document_name": picture.document.name,
            "page": picture.page,
            "file": out.display().to_string(),
            "width": picture.width,
            "height": picture.height,
            "bytes": picture.png.len(),
        });
        console.print(&written, |_| {
            format!(
                "Page {} of {} ({} by {} pixels, {})\n{}",
                picture.page,
                one_line(&picture.document.name),
                picture.width,
                picture.height,
                bytes(picture.png.len() as u64),
                one_line(&out.display().to_string()),
            )
        })
    }
}
