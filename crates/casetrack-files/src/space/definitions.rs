//! The definitions of users: sources and plans. They are read strictly, so that a mistake is found when they are made and not when they run.

use casetrack_catalog::space::{Condition, Mode, Plan, Source};
use casetrack_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contents::ClassifierOperations;
use super::sources::SourceSpec;
use super::{conditions, in_field, of_type, refused};
use casetrack_host::{Host, collections};

/// Most sources and outcomes of one plan.
const MAX_PARTS: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanSourceDefinition {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub target_set: String,
    #[serde(default)]
    pub config: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_mode: Option<String>,
}

/// An outcome for the entries that meet the conditions of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    #[serde(rename_all = "camelCase")]
    SelectionSet {
        selection_set_name: String,
        #[serde(default = "add")]
        operation: String,
    },
    /// Files go into a collection.
    Ingest { collection: String },
    /// Reads the properties of files.
    Classify {
        #[serde(default)]
        operations: Vec<String>,
    },
}

fn add() -> String {
    "add".to_owned()
}

/// A plan as it is given; the same form is kept.
#[derive(Debug, Clone, Default)]
pub struct PlanDefinition {
    pub name: String,
    pub description: Option<String>,
    pub mode: Option<String>,
    pub sources: Value,
    pub conditions: Option<Value>,
    pub outcomes: Option<Value>,
}

/// A plan that is ready to run.
#[derive(Debug, Clone)]
pub struct Definition {
    pub is_continuous: bool,
    pub sources: Vec<(String, String, Mode, SourceSpec)>,
    pub conditions: Option<Condition>,
    pub outcomes: Vec<Outcome>,
}

/// The way in which entries are put into the set of a source.
///
/// Errors: a name that is not in the contract.
pub(super) fn update_mode(name: &str, field: String) -> Result<Mode> {
    match name {
        "append" => Ok(Mode::Append),
        "merge" => Ok(Mode::Merge),
        "replace" => Ok(Mode::Replace),
        _ => Err(refused(field, "update_mode must be one of replace, append, merge")),
    }
}

/// Reads a plan that is stored, or is to be stored.
///
/// Errors: an invalid form; the field is the place.
pub fn read_plan(
    host: &Host,
    mode: &str,
    sources: &Value,
    conditions: Option<&Value>,
    outcomes: Option<&Value>,
) -> Result<Definition> {
    let is_continuous = match mode {
        "oneshot" => false,
        "continuous" => true,
        _ => return Err(refused("mode", "mode must be one of oneshot, continuous")),
    };
    let list = |field: &'static str, value: &Value| {
        let items = value.as_array().filter(|items| items.len() <= MAX_PARTS).cloned();
        items.ok_or_else(|| refused(field, format!("{field} must be a list of at most {MAX_PARTS} objects")))
    };
    let listed = list("sources", sources)?;
    if listed.is_empty() {
        return Err(refused("sources", "a plan needs at least one source"));
    }
    let mut read: Vec<(String, String, Mode, SourceSpec)> = Vec::new();
    for (place, value) in listed.iter().enumerate() {
        let at = format!("sources[{place}]");
        let source = PlanSourceDefinition::deserialize(value)
            .map_err(|error| refused(at.clone(), format!("this is not a source: {error}")))?;
        let named = |what: &str, text: &str| match text.trim().is_empty() {
            true => Err(refused(format!("{at}.{what}"), format!("{what} must not be blank"))),
            false => Ok(()),
        };
        named("name", &source.name)?;
        named("target_set", &source.target_set)?;
        let mode = update_mode(source.update_mode.as_deref().unwrap_or("append"), format!("{at}.update_mode"))?;
        let spec = SourceSpec::read(host, &source.kind, &source.config, &format!("{at}."))?;
        if read.iter().any(|(name, ..)| *name == source.name) {
            return Err(refused(format!("{at}.name"), format!("two sources have the name {}", source.name)));
        }
        read.push((source.name, source.target_set, mode, spec));
    }
    let conditions = conditions.filter(|tree| !tree.is_null()).map(conditions::read).transpose()?;
    let listed = match outcomes.filter(|outcomes| !outcomes.is_null()) {
        Some(outcomes) => list("outcomes", outcomes)?,
        None => Vec::new(),
    };
    let outcome = |(place, value): (usize, &Value)| outcome(value, &format!("outcomes[{place}]"));
    let outcomes = listed.iter().enumerate().map(outcome).collect::<Result<_>>()?;
    Ok(Definition { is_continuous, sources: read, conditions, outcomes })
}

fn outcome(value: &Value, at: &str) -> Result<Outcome> {
    let outcome: Outcome = of_type(value, &["selection_set", "ingest", "classify"], at)?;
    match &outcome {
        Outcome::SelectionSet { selection_set_name, operation } => {
            if selection_set_name.trim().is_empty() {
                return Err(refused(format!("{at}.selectionSetName"), "selectionSetName must not be blank"));
            }
            if !matches!(operation.as_str(), "add" | "remove" | "replace") {
                return Err(refused(format!("{at}.operation"), "operation must be one of add, remove, replace"));
            }
        }
        Outcome::Ingest { collection } if collection.trim().is_empty() => {
            return Err(refused(format!("{at}.collection"), "collection must not be blank"));
        }
        Outcome::Ingest { .. } => {}
        Outcome::Classify { operations } => drop(ClassifierOperations::of(operations, &format!("{at}.operations"))?),
    }
    Ok(outcome)
}

impl Definition {
    pub fn of(host: &Host, plan: &Plan) -> Result<Self> {
        read_plan(host, &plan.mode, &plan.sources, plan.conditions.as_ref(), plan.outcomes.as_ref())
    }

    pub fn of_source(host: &Host, source: &Source) -> Result<Self> {
        let mode = update_mode(&source.update_mode, "update_mode".to_owned())?;
        let spec = SourceSpec::read(host, &source.kind, &source.config, "")?;
        let sources = vec![(source.name.clone(), source.target_set.clone(), mode, spec)];
        Ok(Self { is_continuous: true, sources, conditions: None, outcomes: Vec::new() })
    }

    /// Errors: an outcome that feeds a collection that there is not.
    pub fn check_collections(&self, host: &Host) -> Result<()> {
        for (place, outcome) in self.outcomes.iter().enumerate() {
            if let Outcome::Ingest { collection } = outcome {
                in_field(format!("outcomes[{place}].collection"), collections::find_collection(host, collection))?;
            }
        }
        Ok(())
    }

    pub fn sets(&self) -> Vec<String> {
        let outcomes = self.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::SelectionSet { selection_set_name, .. } => Some(selection_set_name.clone()),
            _ => None,
        });
        self.sources.iter().map(|(_, set, ..)| set.clone()).chain(outcomes).collect()
    }
}
