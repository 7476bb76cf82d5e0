//! Images of pages, drawn once for each size and kept for a while.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::{Cancel, Error, Result};
use casetrack_engine::pages::PictureRequest;
use casetrack_engine::{collections, documents};
use http::{HeaderValue, StatusCode, Uri};
use hyper::body::Bytes;
use tokio::sync::Semaphore;

use super::answers::{Answer, of_type, refusal};
use super::files::{CancelOnDrop, blocking, failure};
use super::parameters::query;
use casetrack_mcp::Session;

/// Widths of images, in pixels; a request gets the next larger one, so a resized window needs no new image.
const WIDTHS: [u32; 5] = [240, 600, 1000, 1600, 2400];
/// Most images drawn at the same time; others wait.
const AT_ONCE: usize = 4;
/// Most bytes of images in memory.
const KEPT: usize = 64 << 20;

/// The header with the size of the page, in the points that the places of lines use.
const SIZE_HEADER: &str = "x-page-size";

pub(super) struct Pictures {
    drawing: Semaphore,
    kept: Mutex<VecDeque<(Key, Picture)>>,
}

#[derive(Debug, Clone)]
struct Picture {
    png: Bytes,
    /// Width and height of the page in points: `595.28 841.89`.
    size: String,
}

/// The file, its page and the width. The digest of the file distinguishes changed files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    sha256: String,
    page: u32,
    width: u32,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { drawing: Semaphore::new(AT_ONCE), kept: Mutex::default() }
    }
}

impl Pictures {
    /// Answers `GET /page?collection=C&document=ID&page=N&width=PX`.
    pub async fn answer(&self, session: Session, uri: &Uri) -> Answer {
        let number = |name: &str| query(uri, name).and_then(|value| value.parse::<u32>().ok());
        let (Some(collection), Some(document), Some(page)) =
            (query(uri, "collection"), query(uri, "document"), number("page"))
        else {
            return refusal(StatusCode::BAD_REQUEST, "Name the collection, the document and the page.");
        };
        let width = number("width").unwrap_or(WIDTHS[2]);
        let width = WIDTHS.into_iter().find(|drawn| *drawn >= width).unwrap_or(WIDTHS[WIDTHS.len() - 1]);
        match self.drawn(Arc::new(session), collection, document, page, width).await {
            Ok(picture) => {
                let mut answer = of_type(StatusCode::OK, "image/png", picture.png);
                if let Ok(size) = HeaderValue::try_from(picture.size) {
                    answer.headers_mut().insert(SIZE_HEADER, size);
                }
                answer
            }
            Err(error) => failure(&error),
        }
    }

    async fn drawn(
        &self,
        session: Arc<Session>,
        collection: String,
        document: String,
        page: u32,
        width: u32,
    ) -> Result<Picture> {
        let _permit = self.drawing.acquire().await.map_err(|error| Error::internal(error.to_string()))?;
        let find = {
            let (session, collection, document) = (Arc::clone(&session), collection.clone(), document.clone());
            move || {
                let engine = session.engine();
                let collection = collections::find_collection(engine.host(), &collection)?.id;
                Ok((collection, documents::document(engine.host(), collection, &document)?.meta))
            }
        };
        let (collection, meta) = blocking(find).await?;
        let key = Key { sha256: meta.sha256.to_string(), page, width };
        if let Some(picture) = self.kept(&key) {
            return Ok(picture);
        }
        // Ends the drawing when the browser no longer waits.
        let cancel = Cancel::default();
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        let draw = move || {
            let id = meta.id.to_string();
            let request = PictureRequest { document: &id, page, width: Some(width), ..PictureRequest::default() };
            documents::page_picture(session.engine().host(), collection, &request, &cancel)
        };
        let drawn = blocking(draw).await?;
        let points = |pixels: u32| pixels as f32 / drawn.pixels_per_point.max(f32::EPSILON);
        let size = format!("{:.2} {:.2}", points(drawn.width), points(drawn.height));
        let picture = Picture { png: drawn.png.into(), size };
        self.keep(key, picture.clone());
        Ok(picture)
    }

    fn kept(&self, key: &Key) -> Option<Picture> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(at)?;
        let picture = found.1.clone();
        kept.push_back(found);
        Some(picture)
    }

    /// The least recently used images are dropped first.
    fn keep(&self, key: Key, picture: Picture) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != key);
        kept.push_back((key, picture));
        while kept.len() > 1 && kept.iter().map(|(_, picture)| picture.png.len()).sum::<usize>() > KEPT {
            kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_is_kept() {
        let pictures = Pictures::default();
        let key = |page| Key { sha256: "a".to_owned(), page, width: 600 };
        let picture = |bytes: usize| Picture { png: Bytes::from(vec![0; bytes]), size: String::new() };
        let third = picture(KEPT / 3);
        for page in 1..=3 {
            pictures.keep(key(page), third.clone());
        }
        assert!(pictures.kept(&key(1)).is_some());
        pictures.keep(key(4), third.clone());
        assert!(pictures.kept(&key(1)).is_some() && pictures.kept(&key(4)).is_some());
        assert!(pictures.kept(&key(2)).is_none());
        // One that is larger than all that is kept is still answered from here.
        pictures.keep(key(5), picture(KEPT + 1));
        assert!(pictures.kept(&key(5)).is_some() && pictures.kept(&key(4)).is_none());
    }
}
