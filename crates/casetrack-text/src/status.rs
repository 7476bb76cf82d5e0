//! The state of the engine.

use casetrack_engine::status::{ModelStatus, Status};

use crate::Reader;

use super::format::{bytes, one_line, push_fact, thousands, trimmed};

/// `active` is the name of the active collection of the session, `model` the name and host of the language model of the settings.
pub fn status(status: &Status, active: Option<&str>, model: Option<(&str, &str)>) -> String {
    let mut text = format!("CaseTrack {}\n\n", status.version);
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Tier", status.tier.label());
    fact("Data", &one_line(&status.data_dir));
    if let Some(notice) = &status.data_dir_notice {
        fact("Notice", &one_line(notice));
    }
    fact("Collections", &format!(" {} ({} on disk)", thousands(status.collections), bytes(status.storage_bytes)));
    fact("Active", &active.map_or_else(|| "no collection".into(), one_line));
    if let Some((name, host)) = model {
        let shown = format!(" {} at {} (gets redacted snippets and queries)", one_line(name), one_line(host));
        fact("Language model", &shown);
    }
    text.push_str("\nModels:\n");
    for model in &status.models {
        let name = if model.model.is_empty() { String::new() } else { format!("{} ", one_line(&model.model)) };
        text.push_str(&format!("  {:<4}{}: {name}({})\n", model.id, model.role, state(model)));
    }
    trimmed(text)
}

fn state(model: &ModelStatus) -> String {
    match (&model.problem, model.loaded) {
        (Some(problem), _) => format!("unavailable: {}", one_line(&Reader::Assistant.hint(problem))),
        (None, true) => "loaded".to_owned(),
        (None, false) => "loads at first use".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::Tier;

    use super::*;

    #[test]
    fn shows_version_tier_models_and_storage() {
        let model = |id: &str, loaded, problem: Option<&str>| ModelStatus {
            id: id.to_owned(),
            role: "dense".to_owned(),
            model: "all-MiniLM-L6-v2".to_owned(),
            loaded,
            problem: problem.map(Into::into),
        };
        let shown = status(
            &Status {
                version: "0.1.0".to_owned(),
                tier: Tier::Pro,
                data_dir: "/data".to_owned(),
                data_dir_notice: None,
                collections: 1,
                storage_bytes: 2_500_000,
                models: vec![
                    model("E1", true, None),
                    model("E6", false, None),
                    model("E12", false, Some("not installed")),
                ],
            },
            Some("Acme"),
            Some(("llama3.2", "127.0.0.1:11434")),
        );
        assert_eq!(
            shown,
            "CaseTrack 0.1.0\n\n  Tier:       Pro\n  Data:       /data\n  Collections: 1 (2.5 MB on disk)\n  Active:     \
             Acme\n  Language model: llama3.2 at 127.0.0.1:11434 (gets redacted snippets and queries)\n\nModels:\n  E1  dense: all-MiniLM-L6-v2 (loaded)\n  E6  dense: all-MiniLM-L6-v2 (loads at first use)\n  \
             E12 dense: all-MiniLM-L6-v2 (unavailable: not installed)"
        );
    }
}
