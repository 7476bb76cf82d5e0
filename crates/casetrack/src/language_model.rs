//! The language model of the settings.

use std::path::Path;
use std::sync::Arc;

use casetrack_core::Result;
use casetrack_core::settings::Settings;
use casetrack_mcp::LanguageModel;

/// The model that sessions with these settings may ask, if any. Connects to nothing.
///
/// Errors: a build without the feature `serve` has no client for it.
pub fn language_model(settings: &Settings, data_dir: &Path) -> Result<Option<Arc<dyn LanguageModel>>> {
    settings.language_model.as_ref().map(|model| chat_model(model, data_dir)).transpose()
}

#[cfg(feature = "serve")]
fn chat_model(
    settings: &casetrack_core::language_model::LanguageModelSettings,
    data_dir: &Path,
) -> Result<Arc<dyn LanguageModel>> {
    Ok(Arc::new(casetrack_serve::ChatModel::new(settings.clone(), data_dir)))
}

#[cfg(not(feature = "serve"))]
fn chat_model(
    settings: &casetrack_core::language_model::LanguageModelSettings,
    _: &Path,
) -> Result<Arc<dyn LanguageModel>> {
    let message = format!(
        "This build of CaseTrack cannot ask the language model at {}, which the settings name.",
        settings.host()
    );
    Err(casetrack_core::Error::invalid(message).with_hint(
        "Remove [language_model] from config.toml, or use a build with the feature serve, which is on by default.",
    ))
}
