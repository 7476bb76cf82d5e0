//! The embedding service: the models of a profile, each loaded on first need, shared by everyone who embeds.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, Error, Result};

use crate::manifest::{ModelManifest, ModelProfile, ModelSpec};
use crate::memory::{Loaded, MemoryMode, available_memory};
use crate::model::Model;
use crate::outputs::{Embeddings, Outputs};
use crate::precision::Precision;
use crate::workers::{Task, Workers};

/// Interval between checks for unused models.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbedOptions {
    /// Threads that embed passages; 0, the default, for one per core. Queries have their own thread.
    pub threads: usize,
    /// The models that stay in memory; `None`, the default, decides by the memory available at the first load.
    pub memory: Option<MemoryMode>,
    /// Which models; the compact ones ship with CaseTrack, the others must have been pulled.
    pub profile: ModelProfile,
    pub precision: Precision,
    pub sparse_precision: Precision,
}

/// Embeds texts with the models of a models folder. Clones share the models and the threads.
#[derive(Clone)]
pub struct Embedder(Arc<Shared>);

struct Shared {
    models_dir: PathBuf,
    options: EmbedOptions,
    manifest: OnceLock<ModelManifest>,
    workers: Mutex<Option<Arc<Workers>>>,
    loaded: Mutex<Option<Loaded<Model>>>,
}

impl Embedder {
    /// Reads no file and starts no thread; the first call that needs them does.
    pub fn new(models_dir: PathBuf, options: EmbedOptions) -> Self {
        Self(Arc::new(Shared {
            models_dir,
            options,
            manifest: OnceLock::new(),
            workers: Mutex::new(None),
            loaded: Mutex::new(None),
        }))
    }

    /// Identifies the weights of the model for dense vectors, as `<model id>@<start of their SHA-256>`, and the
    /// precision they are used in; reads the manifest only.
    ///
    /// Vectors made under different identities must not be compared.
    pub fn model_id(&self) -> Result<String> {
        self.identity(self.spec(Outputs::DENSE)?)
    }

    /// Identifies the weights of the model for learned-sparse vectors in the same way; reads the manifest only.
    pub fn sparse_model_id(&self) -> Result<String> {
        self.identity(self.spec(Outputs::SPARSE)?)
    }

    /// Identifies the weights of the model for token vectors in the same way, with the length of a vector; reads the manifest only.
    pub fn token_model(&self) -> Result<(String, usize)> {
        let spec = self.spec(Outputs::TOKENS)?;
        Ok((self.identity(spec)?, spec.late_interaction.as_ref().map_or(spec.dimension, |late| late.dimension)))
    }

    /// Length of a dense vector; reads the manifest only.
    pub fn dimension(&self) -> Result<usize> {
        Ok(self.spec(Outputs::DENSE)?.dimension)
    }

    /// True if the profile has a model that makes this output, installed or not; reads only the manifest.
    pub fn makes(&self, output: Outputs) -> Result<bool> {
        let profile = self.0.options.profile;
        let mut models = self.manifest()?.models().iter().filter(|model| model.profile == profile);
        Ok(models.any(|model| !model.outputs().and(output).is_empty()))
    }

    /// True if the model that makes this output covers the language of a BCP 47 tag; reads only the manifest.
    pub fn knows(&self, output: Outputs, tag: &str) -> Result<bool> {
        Ok(self.spec(output)?.knows(tag))
    }

    /// True if the model of dense vectors covers languages other than English; reads only the manifest.
    pub fn is_multilingual(&self) -> Result<bool> {
        Ok(self.spec(Outputs::DENSE)?.languages != ["en"])
    }

    /// True if a word, as written, is one token of the model of dense vectors, as frequent words are. Loads the model.
    pub fn is_word(&self, word: &str) -> Result<bool> {
        self.model(Outputs::DENSE)?.tokenizer().is_word(word)
    }

    /// True if the model that makes this output is in memory.
    pub fn is_loaded(&self, output: Outputs) -> bool {
        let Ok(spec) = self.spec(output) else { return false };
        lock(&self.0.loaded).as_ref().is_some_and(|loaded| loaded.contains(&spec.id))
    }

    /// The model that makes this output, loaded if need be; it stays in memory at least as long as it is held.
    pub fn model(&self, output: Outputs) -> Result<Arc<Model>> {
        self.load(self.spec(output)?)
    }

    /// One vector of length 1 for each text, in order; see [`Self::embed`].
    pub fn embed_passages(&self, texts: &[String], cancel: &Cancel) -> Result<Vec<Vec<f32>>> {
        Ok(self.embed(texts, Outputs::DENSE, cancel)?.dense)
    }

    /// The wanted outputs of passages, in order.
    ///
    /// Takes any number of texts; of a text longer than a model's input, only the beginning counts. Working memory does not grow with
    /// their number, apart from the result. Fails with `Cancelled` within a fraction of a second after `cancel` is set.
    pub fn embed(&self, texts: &[String], wanted: Outputs, cancel: &Cancel) -> Result<Embeddings> {
        self.workers()?.embed_passages(texts, &self.tasks(wanted)?, cancel)
    }

    /// The vector of a query, of length 1. Does not wait for passages that are being embedded.
    pub fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        let vector = self.embed_query_as(text, Outputs::DENSE)?.dense.pop();
        vector.ok_or_else(|| Error::internal("The model gave no vector for the query"))
    }

    /// The wanted outputs of one query. Does not wait for passages that are being embedded.
    pub fn embed_query_as(&self, text: &str, wanted: Outputs) -> Result<Embeddings> {
        self.workers()?.embed_query(text, &self.tasks(wanted)?)
    }

    fn manifest(&self) -> Result<&ModelManifest> {
        if let Some(manifest) = self.0.manifest.get() {
            return Ok(manifest);
        }
        let manifest = ModelManifest::load(&self.0.models_dir)?;
        Ok(self.0.manifest.get_or_init(|| manifest))
    }

    fn spec(&self, outputs: Outputs) -> Result<&ModelSpec> {
        self.manifest()?.that_makes(outputs, self.0.options.profile)
    }

    fn identity(&self, spec: &ModelSpec) -> Result<String> {
        Ok(spec.weights_id()? + self.precision(spec).suffix())
    }

    fn precision(&self, spec: &ModelSpec) -> Precision {
        let outputs = spec.outputs();
        match (outputs.dense, outputs.sparse) {
            (true, _) => self.0.options.precision,
            (false, true) => self.0.options.sparse_precision,
            (false, false) => Precision::Float32,
        }
    }

    /// The models with their outputs: a model that makes several of the wanted outputs makes them in one pass.
    fn tasks(&self, wanted: Outputs) -> Result<Vec<Task>> {
        let mut left = wanted;
        let mut tasks: Vec<Task> = Vec::new();
        for kind in [Outputs::DENSE, Outputs::SPARSE, Outputs::TOKENS] {
            if left.and(kind).is_empty() {
                continue;
            }
            let spec = self.spec(kind)?;
            let made = left.and(spec.outputs());
            left = left.without(made);
            tasks.push((self.load(spec)?, made));
        }
        Ok(tasks)
    }

    /// The model, from memory or disk. After a failure the next call tries again.
    fn load(&self, spec: &ModelSpec) -> Result<Arc<Model>> {
        let mut slot = lock(&self.0.loaded);
        let first = slot.as_ref().is_none_or(Loaded::is_empty);
        let mode = || self.0.options.memory.unwrap_or_else(|| MemoryMode::for_available(available_memory()));
        let loaded = slot.get_or_insert_with(|| Loaded::new(mode()));
        if let Some(model) = loaded.get(&spec.id, Instant::now()) {
            return Ok(model);
        }
        let precision = self.precision(spec);
        if !precision.is_fast() {
            tracing::warn!("int8 is slower than float32 on this processor, which has no fast products of bytes");
        }
        let started = Instant::now();
        loaded.before_loading();
        let model = Arc::new(Model::load(self.manifest()?, spec, precision)?);
        tracing::info!(model = spec.id, milliseconds = started.elapsed().as_millis(), "model loaded");
        loaded.insert(&spec.id, model.clone(), Instant::now());
        if first {
            sweep_while_loaded(Arc::downgrade(&self.0))?;
        }
        Ok(model)
    }

    fn workers(&self) -> Result<Arc<Workers>> {
        let mut slot = lock(&self.0.workers);
        if let Some(workers) = slot.as_ref() {
            return Ok(workers.clone());
        }
        let threads = match self.0.options.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let workers = Arc::new(Workers::start(threads)?);
        *slot = Some(workers.clone());
        Ok(workers)
    }
}

/// Starts a thread that unloads models; it ends when none is left, or the service is gone.
fn sweep_while_loaded(shared: Weak<Shared>) -> Result<()> {
    let sweep = move || {
        loop {
            thread::sleep(SWEEP_INTERVAL);
            let Some(shared) = shared.upgrade() else { return };
            let mut slot = lock(&shared.loaded);
            let Some(loaded) = slot.as_mut() else { return };
            for id in loaded.sweep(Instant::now(), available_memory()) {
                tracing::info!(model = id, "model unloaded");
            }
            if loaded.is_empty() {
                return;
            }
        }
    };
    let spawned = thread::Builder::new().name("model-memory".to_owned()).spawn(sweep);
    spawned.map(drop).map_err(|error| Error::io("a new thread for the models' memory", error))
}

/// Locked values are only ever replaced whole, so they are sound even after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::models_dir::find_models_dir;

    fn embedder(threads: usize, memory: MemoryMode) -> Embedder {
        let options = EmbedOptions { threads, memory: Some(memory), ..EmbedOptions::default() };
        Embedder::new(find_models_dir(None).unwrap(), options)
    }

    fn texts() -> Vec<String> {
        let sentence = "The Supplier shall deliver the goods within thirty (30) days of the order. ";
        (0..24).map(|i| format!("Clause {i}: {}", sentence.repeat(i * 7 % 24))).collect()
    }

    fn assert_same(found: &Embeddings, expected: &Embeddings) {
        let close = |a: &[f32], b: &[f32]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(found.dense.iter().zip(&expected.dense).all(|(a, b)| close(a, b)));
        assert!(
            found
                .tokens
                .iter()
                .zip(&expected.tokens)
                .all(|(a, b)| a.tokens == b.tokens && close(&a.vectors, &b.vectors))
        );
        for (found, expected) in found.sparse.iter().zip(&expected.sparse) {
            let (ids, weights): (Vec<u32>, Vec<f32>) = found.terms.iter().copied().unzip();
            let (expected_ids, expected_weights): (Vec<u32>, Vec<f32>) = expected.terms.iter().copied().unzip();
            assert!(ids == expected_ids && close(&weights, &expected_weights));
        }
    }

    #[test]
    fn outputs_do_not_depend_on_threads_nor_on_what_else_is_embedded() {
        let texts = texts();
        let together = embedder(1, MemoryMode::Full).embed(&texts, Outputs::ALL, &Cancel::default()).unwrap();
        assert_eq!((together.dense.len(), together.sparse.len(), together.tokens.len()), (24, 24, 24));
        let threaded = embedder(3, MemoryMode::Full);
        assert_same(&threaded.embed(&texts, Outputs::ALL, &Cancel::default()).unwrap(), &together);
        for (i, text) in texts.iter().enumerate().step_by(5) {
            let alone = threaded.embed(std::slice::from_ref(text), Outputs::ALL, &Cancel::default()).unwrap();
            let expected = Embeddings {
                dense: vec![together.dense[i].clone()],
                sparse: vec![together.sparse[i].clone()],
                tokens: vec![together.tokens[i].clone()],
            };
            assert_same(&alone, &expected);
        }
    }

    #[test]
    fn models_load_on_first_need_and_one_at_a_time_if_so_asked() {
        let embedder = embedder(1, MemoryMode::Constrained);
        assert_eq!(embedder.dimension().unwrap(), 384);
        assert!(embedder.model_id().unwrap().starts_with("e1-all-minilm-l6-v2@"));
        assert!(!embedder.is_loaded(Outputs::DENSE));
        embedder.embed_query("notice period").unwrap();
        assert!(embedder.is_loaded(Outputs::DENSE));
        assert!(embedder.sparse_model_id().unwrap().starts_with("e6-splade-tiny@"));
        embedder.embed_query_as("notice period", Outputs::SPARSE).unwrap();
        assert!(!embedder.is_loaded(Outputs::DENSE));
    }

    #[test]
    fn in_integers_vectors_are_nearly_the_same_under_another_name() {
        let options = EmbedOptions { threads: 2, precision: Precision::Int8, ..EmbedOptions::default() };
        let both = EmbedOptions { sparse_precision: Precision::Int8, ..options };
        let service = |options| Embedder::new(find_models_dir(None).unwrap(), options);
        let (exact, found, whole) = (embedder(2, MemoryMode::Full), service(options), service(both));
        assert_eq!(found.model_id().unwrap(), exact.model_id().unwrap() + "+int8");
        assert_eq!(found.sparse_model_id().unwrap(), exact.sparse_model_id().unwrap());
        assert_eq!(whole.sparse_model_id().unwrap(), exact.sparse_model_id().unwrap() + "+int8");
        let vectors = |embedder: &Embedder| embedder.embed_passages(&texts(), &Cancel::default()).unwrap();
        for (a, b) in vectors(&exact).iter().zip(&vectors(&found)) {
            let cosine: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.985 && a != b, "{cosine}");
        }
        let sparse = |embedder: &Embedder| embedder.embed(&texts(), Outputs::SPARSE, &Cancel::default()).unwrap();
        assert_same(&sparse(&found), &sparse(&exact));
        for (a, b) in sparse(&exact).sparse.iter().zip(&sparse(&whole).sparse) {
            let b: HashMap<u32, f32> = b.terms.iter().copied().collect();
            let weight = |id: &u32| b.get(id).copied().unwrap_or_default();
            let product: f32 = a.terms.iter().map(|(id, x)| x * weight(id)).sum();
            let squares = |weights: &mut dyn Iterator<Item = f32>| weights.map(|x| x * x).sum::<f32>();
            let lengths = squares(&mut a.terms.iter().map(|term| term.1)) * squares(&mut b.values().copied());
            let cosine = product / lengths.sqrt();
            assert!((0.985..1.0).contains(&cosine), "{cosine}");
        }
        let alone = found.embed_passages(&texts()[5..6], &Cancel::default()).unwrap();
        assert_eq!(alone[0], vectors(&found)[5]);
    }

    #[test]
    fn sparse_terms_are_those_of_the_text_and_related_ones() {
        let embedder = embedder(1, MemoryMode::Full);
        let found = embedder.embed_query_as("termination of the lease", Outputs::SPARSE).unwrap().sparse.remove(0);
        let model = embedder.model(Outputs::SPARSE).unwrap();
        let mut terms = found.terms;
        terms.sort_by(|a, b| b.1.total_cmp(&a.1));
        let best: Vec<String> = terms[..5].iter().map(|&(id, _)| model.tokenizer().token(id).unwrap()).collect();
        assert!(best.contains(&"lease".to_owned()) && best.contains(&"termination".to_owned()), "{best:?}");
    }

    #[test]
    fn a_profile_that_was_not_pulled_is_a_clear_error() {
        let models = tempfile::tempdir().unwrap();
        std::fs::copy(find_models_dir(None).unwrap().join("manifest.toml"), models.path().join("manifest.toml"))
            .unwrap();
        let manifest = ModelManifest::load(models.path()).unwrap();
        let spec = manifest.that_makes(Outputs::TOKENS, ModelProfile::Quality).unwrap();
        if manifest.model_dir(spec).is_dir() {
            return; // this user has pulled it
        }
        let error = Model::load(&manifest, spec, Precision::Float32).err().unwrap();
        assert!(
            error.message.contains("has not been downloaded")
                && error.hint == Some(casetrack_core::Action::PullModels.into())
        );
    }
}
