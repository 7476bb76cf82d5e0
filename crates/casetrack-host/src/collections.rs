//! Create, list, find, describe and delete collections.

use std::sync::Mutex;

use casetrack_core::{
    Action, CollectionId, CollectionMeta, CollectionStatus, CollectionType, Error, ErrorCode, Hint, Notice, Result,
    Timestamp, hint,
};
use casetrack_embed::ModelProfile;
use casetrack_store::{Store, VectorModels, locked};
use schemars::JsonSchema;
use serde::Serialize;

use crate::changes::Change;
use crate::documents::{DocumentSort, DocumentSummary};
use crate::names::{Candidate, Kind, resolve};
use crate::paging::Paging;
use crate::rights::Role;
use crate::{Host, StorePlace, documents, lock, of_files, vector_models};

/// Longest name of a collection, in characters.
const MAX_NAME_CHARS: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct CreateCollection {
    pub name: String,
    /// The user's own identifier.
    pub reference: Option<String>,
    pub collection_type: CollectionType,
    /// Models that make its vectors. `None` for the models of the settings; if these are the usual ones, the multilingual ones take their place if
    /// they are installed and the first documents need them.
    pub models: Option<ModelProfile>,
    /// True if its chunks also get token vectors, for late interaction (E12).
    pub late_interaction: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CollectionSummary {
    #[serde(flatten)]
    pub meta: CollectionMeta,
    /// True for a vault, which is unlocked then; otherwise absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vault: bool,
    /// Number of documents; absent when the collection could not be read, with the reason in `problem`.
    pub documents: Option<u64>,
    pub pages: Option<u64>,
    pub chunks: Option<u64>,
    /// The time of the last change of a document; absent if there was none.
    pub changed_at: Option<Timestamp>,
    /// Documents that were stored without analysis: their names, dates and references are not found.
    #[serde(skip_serializing_if = "is_none_or_zero")]
    pub incomplete: Option<u64>,
    #[schemars(with = "Option<String>")]
    pub problem: Option<Notice>,
}

/// Leaves out counts without faults.
fn is_none_or_zero(documents: &Option<u64>) -> bool {
    documents.is_none_or(|documents| documents == 0)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LockedCollection {
    pub id: CollectionId,
    /// Always true.
    pub locked: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CollectionInfo {
    #[serde(flatten)]
    pub summary: CollectionSummary,
    /// Directory or database that holds it.
    pub path: String,
    pub dense_model: String,
    /// The model of its learned-sparse vectors, if it has one.
    pub sparse_model: Option<String>,
    /// The model of its token vectors, if it has one.
    pub token_model: Option<String>,
    pub sparse_chunks: u64,
    pub storage: Storage,
    /// The first [`MAX_LISTED`] by name; a list of documents has them all.
    pub document_list: Vec<DocumentSummary>,
}

/// Most documents in a [`CollectionInfo`].
pub const MAX_LISTED: u32 = 100;

/// Bytes on disk by kind.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Storage {
    pub total_bytes: u64,
    /// Documents, pages, chunks and vectors (RocksDB).
    pub truth_bytes: u64,
    /// Nearest-neighbour index.
    pub dense_bytes: u64,
    pub bm25_bytes: u64,
    pub sparse_bytes: u64,
    /// Copies of source files.
    pub originals_bytes: u64,
}

/// The name of the collection of the file search, and its name if the user has a collection of that name.
const OF_FILES: [&str; 2] = ["Files", "Files (search of files)"];
/// Two clients may need it at the same time.
static MAKING_FILES: Mutex<()> = Mutex::new(());

/// The collection of the search of files, `None` before anything was indexed.
pub fn files_collection(host: &Host) -> Result<Option<CollectionMeta>> {
    Ok(host.store().list()?.into_iter().find(|meta| meta.id == of_files()))
}

pub fn files_collection_to_index(host: &Host) -> Result<CollectionMeta> {
    let _making = lock(&MAKING_FILES);
    if let Some(meta) = files_collection(host)? {
        return Ok(meta);
    }
    let taken = host.store().list()?;
    let is_free = |name: &&str| !taken.iter().any(|meta| meta.name.to_lowercase() == name.to_lowercase());
    let name = OF_FILES.into_iter().find(is_free).ok_or_else(|| {
        Error::new(
            ErrorCode::AlreadyExists,
            format!("Collections named \"{}\" exist already.", OF_FILES.join("\" and \"")),
        )
        .with_hint("The user can rename one of them.")
    })?;
    let meta = CollectionMeta {
        id: of_files(),
        name: name.to_owned(),
        reference: None,
        collection_type: CollectionType::Other,
        status: CollectionStatus::Active,
        created_at: Timestamp::now(),
    };
    host.open_collections().adopt(host.store().create(&meta, &vector_models(&host.embedder()?)?)?);
    Ok(meta)
}

/// Makes an empty collection. Refuses a name that is taken, or that differs only in case, and more collections than the
/// tier allows.
pub fn create_collection(host: &Host, request: CreateCollection) -> Result<CollectionMeta> {
    let is_open = leaves_models_open(host, &request);
    let (meta, models) = new_collection(host, request)?;
    let mut collection = host.store().create(&meta, &models)?;
    if let Err(error) = host.sight().made(meta.id) {
        drop(collection);
        host.store().delete(meta.id)?;
        return Err(error);
    }
    if is_open {
        collection.leave_models_open()?;
    }
    host.open_collections().adopt(collection);
    Ok(meta)
}

/// True if the request leaves the models of a new collection open: see `reindex::fit_models`.
pub fn leaves_models_open(host: &Host, request: &CreateCollection) -> bool {
    request.models.is_none() && !request.late_interaction && host.config().profile == ModelProfile::default()
}

pub fn new_collection(host: &Host, request: CreateCollection) -> Result<(CollectionMeta, VectorModels)> {
    let name = request.name.trim();
    check_new(host, name, hint!["Use that collection (", Action::SwitchCollection, "), or choose another name."])?;
    let embedder = match request.models {
        Some(profile) => host.embedder_with(profile, host.config().precision_of(profile))?,
        None => host.embedder()?,
    };
    let mut models = vector_models(&embedder)?;
    if request.late_interaction {
        models.tokens = Some(host.token_model_of(&embedder)?);
    }
    let meta = CollectionMeta {
        id: CollectionId::random(),
        name: name.to_owned(),
        reference: request.reference.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
        collection_type: request.collection_type,
        status: CollectionStatus::Active,
        created_at: Timestamp::now(),
    };
    Ok((meta, models))
}

/// All collections, oldest first, without looking into them.
pub fn collections(host: &Host) -> Result<Vec<CollectionMeta>> {
    let mut all = host.store().list()?;
    all.retain(|meta| host.sight().sees(meta.id));
    Ok(all)
}

pub fn locked_ids(host: &Host) -> Result<Vec<CollectionId>> {
    let mut locked = host.registry().locked()?;
    locked.retain(|id| host.sight().sees(*id));
    Ok(locked)
}

/// All collections with `status`, or all if it is `None`, oldest first. A collection that cannot be read is listed with its problem.
pub fn list_collections(host: &Host, status: Option<CollectionStatus>) -> Result<Vec<CollectionSummary>> {
    let all = collections(host)?;
    Ok(all
        .into_iter()
        .filter(|meta| status.is_none_or(|status| meta.status == status))
        .map(|meta| summarise(host, meta))
        .collect())
}

/// The locked vaults. Only their ids are known.
pub fn locked_collections(host: &Host) -> Result<Vec<LockedCollection>> {
    Ok(locked_ids(host)?.into_iter().map(|id| LockedCollection { id, locked: true }).collect())
}

/// Finds the collection that `name` means: its id, the beginning of it, its name or the user's reference.
///
/// Errors: [`ErrorCode::Locked`] for the id of a vault that is locked, whose name is not known.
pub fn find_collection(host: &Host, name: &str) -> Result<CollectionMeta> {
    let mut all = collections(host)?;
    let candidates: Vec<Candidate<'_>> = all
        .iter()
        .map(|meta| Candidate {
            name: &meta.name,
            aliases: meta.reference.as_deref().into_iter().collect(),
            id: meta.id.to_string(),
        })
        .collect();
    let found = resolve(Kind::Collection, name, &candidates)
        .map_err(|error| unreadable(host, name, &all).unwrap_or_else(|| or_locked(host, name, error)))?;
    let meta = all.swap_remove(found);
    host.sight().admit(meta.id)?;
    host.note_use(meta.id);
    Ok(meta)
}

/// The ids of the collections that these names mean, each once, also of vaults that are locked.
pub fn find_collections(host: &Host, names: &[String]) -> Result<Vec<CollectionId>> {
    let mut found = Vec::new();
    for name in names {
        let id = match find_collection(host, name) {
            Err(error) if error.code == ErrorCode::Locked => locked_by_id(host, name).ok_or(error)?,
            found => found?.id,
        };
        if !found.contains(&id) {
            found.push(id);
        }
    }
    Ok(found)
}

/// The default collection, if none is named: the only active one. `None` if there are also locked vaults, since the user could mean one of them.
///
/// Errors: [`ErrorCode::Locked`] if the only collection is a vault that is locked.
pub fn sole_collection(host: &Host) -> Result<Option<CollectionMeta>> {
    let mut active = collections(host)?;
    active.retain(|meta| meta.status == CollectionStatus::Active && meta.id != of_files());
    match (locked_ids(host)?.as_slice(), active.len()) {
        ([], 1) => {
            let sole = active.pop();
            if let Some(meta) = &sole {
                host.sight().admit(meta.id)?;
                host.note_use(meta.id);
            }
            Ok(sole)
        }
        ([only], 0) => Err(locked(*only)),
        _ => Ok(None),
    }
}

/// Details of a collection, with its documents by name.
pub fn collection_info(host: &Host, id: CollectionId) -> Result<CollectionInfo> {
    let collection = host.collection(id)?;
    let usage = collection.disk_usage()?;
    let storage = Storage {
        total_bytes: usage.truth + usage.dense + usage.bm25 + usage.sparse + usage.originals,
        truth_bytes: usage.truth,
        dense_bytes: usage.dense,
        bm25_bytes: usage.bm25,
        sparse_bytes: usage.sparse,
        originals_bytes: usage.originals,
    };
    Ok(CollectionInfo {
        summary: summarise(host, collection.meta().clone()),
        path: match host.store_place() {
            StorePlace::Database(address) if id != of_files() => address.to_string(),
            _ => host.registry().path(id).display().to_string(),
        },
        dense_model: collection.models().dense.clone(),
        sparse_model: collection.models().sparse.clone(),
        token_model: collection.models().tokens.as_ref().map(|model| model.id.clone()),
        sparse_chunks: collection.counts()?.sparse_chunks,
        storage,
        document_list: Paging { offset: 0, limit: MAX_LISTED }
            .of(documents::list_documents(host, id, DocumentSort::Name)?)
            .items,
    })
}

/// Removes a collection and everything in it, for good; its watches end.
pub fn delete_collection(host: &Host, id: CollectionId) -> Result<()> {
    host.sight().admit_as(id, Role::Owner)?;
    host.open_collections().close(id)?;
    host.store().delete(id)?;
    host.changes().notify(Change::Collection(id));
    Ok(())
}

/// Checks that a collection of this name may be added; `taken` is the hint if there is one already.
pub fn check_new(host: &Host, name: &str, taken: Hint) -> Result<()> {
    let existing = check_name_is_free(host, name, None, taken)?;
    host.config().tier.check_new_collection(existing)
}

/// Checks that no collection except `own` has this name, and returns the number of collections.
pub fn check_name_is_free(host: &Host, name: &str, own: Option<CollectionId>, taken: Hint) -> Result<usize> {
    check_name(name)?;
    let mut existing = host.store().list()?;
    let is_same = |meta: &&CollectionMeta| Some(meta.id) != own && meta.name.to_lowercase() == name.to_lowercase();
    // A refused name would reveal a hidden collection that has it.
    let is_same = |meta: &&CollectionMeta| is_same(meta) && host.sight().sees(meta.id);
    if let Some(same) = existing.iter().find(is_same) {
        let message = format!("A collection named \"{}\" exists already (ID: {}).", same.name, same.id.short());
        return Err(Error::new(ErrorCode::AlreadyExists, message).with_hint(taken));
    }
    existing.retain(|meta| meta.id != of_files());
    Ok(existing.len() + host.registry().locked()?.len())
}

/// The vault that is locked and whose id begins so.
fn locked_by_id(host: &Host, name: &str) -> Option<CollectionId> {
    let ids = locked_ids(host).ok()?;
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let candidates: Vec<Candidate<'_>> =
        texts.iter().map(|id| Candidate { name: id, aliases: Vec::new(), id: id.clone() }).collect();
    resolve(Kind::Collection, name, &candidates).ok().and_then(|found| ids.get(found).copied())
}

/// Why the collection of this name or id, which is not in `readable`, cannot be read; `None` if there is no such collection.
fn unreadable(host: &Host, name: &str, readable: &[CollectionMeta]) -> Option<Error> {
    let mut all = host.registry().repairable().ok()?;
    all.retain(|(id, _)| host.sight().sees(*id) && !readable.iter().any(|meta| meta.id == *id));
    let known: Vec<(CollectionId, String)> =
        all.into_iter().map(|(id, name)| (id, name.unwrap_or_else(|| id.to_string()))).collect();
    let candidates: Vec<Candidate<'_>> =
        known.iter().map(|(id, name)| Candidate { name, aliases: Vec::new(), id: id.to_string() }).collect();
    let (id, _) = known.get(resolve(Kind::Collection, name, &candidates).ok()?)?;
    host.registry().meta(*id).err().filter(|error| error.code != ErrorCode::Locked)
}

/// The error for a name that no readable collection has: a locked vault may have it.
fn or_locked(host: &Host, name: &str, error: Error) -> Error {
    if let Some(id) = locked_by_id(host, name) {
        return locked(id);
    }
    match locked_ids(host).unwrap_or_default().as_slice() {
        [] => error,
        ids => {
            let short: Vec<String> = ids.iter().map(|id| id.short()).collect();
            let which = match short.as_slice() {
                [one] => format!("The vault {one} is locked, so its name is not known. To look there: "),
                all => {
                    format!("The vaults {} are locked, so their names are not known. To look there: ", all.join(", "))
                }
            };
            let unlock = Action::Unlock(Some(short[0].clone()).filter(|_| short.len() == 1));
            let hint = match &error.hint {
                Some(hint) => hint.followed_by(hint![" ", which, unlock]),
                None => hint![which, unlock],
            };
            error.with_hint(hint)
        }
    }
}

/// The counts of a collection, without opening it. A damaged collection has its problem instead.
pub fn summarise(host: &Host, meta: CollectionMeta) -> CollectionSummary {
    // An open collection has its counts in memory; the others are read without taking
    // ownership away from a process that has them open.
    let counts = match host.open_collections().if_open(meta.id) {
        Some(open) => open.counts_and_last_change(),
        None => host.store().counts_and_last_change(meta.id),
    };
    let (found, problem) = match counts {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error.notice(""))),
    };
    let counts = found.map(|(counts, _)| counts);
    CollectionSummary {
        incomplete: counts.map(|counts| counts.documents.saturating_sub(counts.annotated_documents)),
        vault: host.registry().is_vault(meta.id),
        meta,
        documents: counts.map(|counts| counts.documents),
        pages: counts.map(|counts| counts.pages),
        chunks: counts.map(|counts| counts.chunks),
        changed_at: found.and_then(|(_, changed_at)| changed_at),
        problem,
    }
}

fn check_name(name: &str) -> Result<()> {
    let problem = if name.is_empty() {
        "The collection needs a name.".to_owned()
    } else if name.chars().count() > MAX_NAME_CHARS {
        format!("The collection's name is longer than {MAX_NAME_CHARS} characters.")
    } else if name.chars().any(char::is_control) {
        "The collection's name contains a line break or another control character.".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::invalid(problem).with_hint("Give a short name such as \"Acme Corp Partnership\"."))
}
