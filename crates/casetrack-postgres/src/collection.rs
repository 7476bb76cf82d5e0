//! An open collection, and its description.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionMeta, DocumentId, Error, ErrorCode, Result, Timestamp};
use casetrack_store::parts::{PagePlace, decode, decode_json, encode, encode_json, mismatch};
use casetrack_store::{CollectionFiles, Counts, DescribeCollection, DocumentChange, Observer, Right, VectorModels};
use serde_json::Value;

use crate::error::{Failure, Step};
use crate::moment::{Moment, gone};
use crate::reader::{Reader, counted};
use crate::route::{Layout, Routes};
use crate::server::{Connection, Server, Session};
use crate::sql::id;

/// A collection in PostgreSQL. Any number of clients may have it open; each sees the changes of the others. Its
/// [`CollectionMeta`] and [`VectorModels`] are as of when it was opened: [`is_current`](DescribeCollection::is_current)
/// checks that it still holds.
pub struct PostgresCollection {
    pub(crate) server: Arc<Server>,
    pub(crate) routes: Routes,
    pub(crate) layout: Layout,
    pub(crate) meta: CollectionMeta,
    pub(crate) models: VectorModels,
    pub(crate) models_open: bool,
    pub(crate) files: PathBuf,
    known: Mutex<Arc<Moment>>,
    /// By the first slots of documents.
    pub(crate) page_places: Mutex<HashMap<u64, Arc<[PagePlace]>>>,
    pub(crate) observer: OnceLock<Observer>,
}

impl PostgresCollection {
    pub(crate) fn new(
        server: Arc<Server>,
        (routes, layout): (Routes, Layout),
        meta: CollectionMeta,
        models: VectorModels,
        models_open: bool,
        files: PathBuf,
    ) -> Self {
        let (known, page_places, observer) = (Mutex::default(), Mutex::default(), OnceLock::new());
        Self { server, routes, layout, meta, models, models_open, files, known, page_places, observer }
    }

    pub(crate) fn follow(&self, connection: &mut Connection) -> Step<Arc<Moment>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Moment::follow(&mut known, connection, &self.routes)?;
        Ok(Arc::clone(&known))
    }

    /// The same, with the postings that are not in leaves.
    pub(crate) fn follow_with_postings(&self, connection: &mut Connection) -> Step<Arc<Moment>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Moment::follow_with_postings(&mut known, connection, &self.routes)?;
        Ok(Arc::clone(&known))
    }

    pub(crate) fn now(&self) -> Result<Arc<Moment>> {
        self.server.read(|connection| self.follow(connection))
    }

    /// All documents as of now, or of when the server could be asked last.
    pub(crate) fn lately(&self) -> Arc<Moment> {
        self.now().unwrap_or_else(|error| {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if error.code == ErrorCode::NotFound {
                // It was deleted, or the right to it was taken back.
                *known = Arc::default();
            }
            tracing::warn!(%error, "the data of a collection may be outdated");
            Arc::clone(&known)
        })
    }

    /// The result that `make` makes of documents as one transaction sees them.
    pub(crate) fn with_reading<T>(&self, make: impl Fn(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.server.read(|connection| {
            let reading = self.reading(connection);
            let made = make(&reading);
            reading.answer(made)
        })
    }

    /// Documents as of now, for as long as it is held.
    pub(crate) fn moment(&self) -> Result<Reader<'_>> {
        let asked = Session::now(&self.server, &self.routes).map_err(Failure::into_error)?;
        Ok(Reader::new(&self.routes, &self.models, asked))
    }

    pub(crate) fn reading<'t>(&'t self, connection: &'t mut Connection) -> Reader<'t> {
        Reader::new(&self.routes, &self.models, Session::lent(connection))
    }

    pub(crate) fn notify(&self, document: DocumentId, change: DocumentChange) {
        if let Some(observer) = self.observer.get() {
            observer(document, change);
        }
    }

    /// The counts, when a document was changed last, and how many chunks that are gone have postings in leaves.
    pub(crate) fn counted(&self) -> Result<(Counts, Option<Timestamp>, u64)> {
        self.server.read(|connection| counted(connection, &self.routes))
    }

    fn set(&self, connection: &mut Connection, columns: &str, values: &[Vec<u8>]) -> Step<()> {
        let (route, collection) = (self.routes.first(), id(self.routes.collection()));
        let mut params: Vec<&(dyn postgres::types::ToSql + Sync)> = vec![&route, &collection];
        params.extend(values.iter().map(|value| value as &(dyn postgres::types::ToSql + Sync)));
        let sql = format!("UPDATE collections SET {columns} WHERE route = $1 AND collection = $2");
        match connection.change(&sql, &params)? {
            0 => Err(gone(&self.routes).into()),
            _ => Ok(()),
        }
    }

    /// Notes are about files of this machine, and are stored on it.
    fn note_path(&self, name: &str) -> PathBuf {
        self.files.join("notes").join(name)
    }

    pub(crate) fn set_durably(&self, right: Right, columns: &str, values: &[Vec<u8>]) -> Result<()> {
        self.change(right, |connection| self.set(connection, columns, values))
    }
}

impl DescribeCollection for PostgresCollection {
    fn meta(&self) -> &CollectionMeta {
        &self.meta
    }

    fn models(&self) -> &VectorModels {
        &self.models
    }

    fn models_are_open(&self) -> bool {
        self.models_open
    }

    fn describe(&mut self, meta: CollectionMeta) -> Result<()> {
        if meta.id != self.meta.id {
            return Err(Error::internal(format!("Collection {} cannot become {}.", self.meta.id, meta.id)));
        }
        self.set_durably(Right::Owner, "meta = $3", &[encode_json(&meta)?])?;
        self.notify_others();
        self.meta = meta;
        Ok(())
    }

    fn leave_models_open(&mut self) -> Result<()> {
        self.set_durably(Right::Editor, "models_open = true", &[])?;
        self.models_open = true;
        Ok(())
    }

    fn adopt_sparse_model(&mut self, model: &str) -> Result<()> {
        let models = self.change(Right::Editor, |connection| {
            let row = connection.some(
                "SELECT models FROM collections WHERE route = $1 AND collection = $2",
                &[&self.routes.first(), &id(self.routes.collection())],
            )?;
            let row = row.ok_or_else(|| gone(&self.routes))?;
            let mut models: VectorModels = decode_json("list of models", row.try_get(0)?)?;
            match models.sparse.as_deref() {
                Some(own) if own == model => return Ok(models),
                Some(own) => {
                    let what = "learned-sparse vectors";
                    return Err(mismatch("New learned-sparse vectors", model, what, own).into());
                }
                None => models.sparse = Some(model.to_owned()),
            }
            self.set(connection, "models = $3", &[encode_json(&models)?])?;
            Ok(models)
        })?;
        self.models = models;
        Ok(())
    }

    fn columns(&self) -> Result<Option<Value>> {
        self.with_reading(|reading| reading.columns())
    }

    fn set_columns(&self, columns: &Value) -> Result<()> {
        self.set_durably(Right::Editor, "columns = $3", &[encode_json(columns)?])
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        self.with_reading(|reading| reading.evidence())
    }

    fn update_evidence(&self, change: &mut dyn FnMut(&mut EvidenceTray) -> Result<()>) -> Result<()> {
        // The closure is called once. A repeated transaction reuses its result for the same tray.
        let mut changed: Option<(EvidenceTray, EvidenceTray)> = None;
        self.change(Right::Editor, |connection| {
            let row = connection.some(
                "SELECT evidence FROM collections WHERE route = $1 AND collection = $2",
                &[&self.routes.first(), &id(self.routes.collection())],
            )?;
            let row = row.ok_or_else(|| gone(&self.routes))?;
            let value: Option<&[u8]> = row.try_get(0)?;
            let before = value.map_or_else(|| Ok(EvidenceTray::default()), |value| decode("evidence", value))?;
            let after = match &changed {
                // The second: it was made already, but the answer was lost.
                Some((known, after)) if *known == before || *after == before => after.clone(),
                Some(_) => return Err(Error::internal("The evidence was changed by others in the meantime.").into()),
                None => {
                    let mut after = before.clone();
                    change(&mut after)?;
                    after.check().map_err(|error| Error::internal(error.message))?;
                    changed.insert((before, after)).1.clone()
                }
            };
            self.set(connection, "evidence = $3", &[encode(&after)?])
        })?;
        self.notify_others();
        Ok(())
    }

    fn note(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.note_path(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(path.display(), error)),
        }
    }

    fn set_note(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.write_kept(&self.note_path(name), bytes)
    }

    fn has_failed(&self) -> bool {
        // A change that failed was not made; the next one has a connection of its own.
        false
    }

    fn is_current(&self) -> Result<bool> {
        self.server.read(|connection| {
            let row = connection.some(
                "SELECT meta, models, models_open FROM collections WHERE route = $1 AND collection = $2",
                &[&self.routes.first(), &id(self.routes.collection())],
            )?;
            let row = row.ok_or_else(|| gone(&self.routes))?;
            let meta: CollectionMeta = decode_json("description of a collection", row.try_get(0)?)?;
            let models: VectorModels = decode_json("list of models", row.try_get(1)?)?;
            Ok((&meta, &models, row.try_get(2)?) == (&self.meta, &self.models, self.models_open))
        })
    }

    fn counts(&self) -> Result<Counts> {
        Ok(self.counted()?.0)
    }

    fn counts_and_last_change(&self) -> Result<(Counts, Option<Timestamp>)> {
        self.counted().map(|(counts, changed, _)| (counts, changed))
    }
}
