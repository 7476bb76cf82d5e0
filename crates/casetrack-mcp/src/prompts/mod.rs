//! Prompts: ready-made tasks that a person chooses. Each is a short text that names the tools to use.

mod texts;

use std::collections::BTreeMap;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_engine::{Engine, collections, documents};
use rmcp::model::PromptArgument;
use serde_json::{Map, Value};

use crate::arguments::closest;
use casetrack_text::format::{one_line, shorten};

/// Longest argument, in characters.
const MAX_ARGUMENT_CHARS: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// A collection, by name or id.
    Collections,
    /// A document of the collection, by name or id.
    Documents,
    Pages,
    /// The id of a chunk on the page.
    Chunks,
    /// Anything: nothing is suggested.
    Any,
    Views,
    /// Resource sets, plans, metrics and jobs of the space browser.
    Sets,
    Plans,
    Metrics,
    SpaceJobs,
}

/// A prompt: its name and description, its arguments, and the text made from them.
pub(crate) struct Prompt {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    pub arguments: &'static [Argument],
    text: fn(&ArgumentValues) -> String,
}

pub(crate) struct Argument {
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    required: bool,
    is_date: bool,
    pub values: Values,
}

pub(crate) struct ArgumentValues(BTreeMap<&'static str, String>);

impl ArgumentValues {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn required(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }
}

impl Argument {
    const fn new(name: &'static str, title: &'static str, description: &'static str, values: Values) -> Self {
        Self { name, title, description, required: true, is_date: false, values }
    }

    const fn date(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self { name, title, description, required: false, is_date: true, values: Values::Any }
    }

    const fn optional(self) -> Self {
        Self { required: false, ..self }
    }
}

const COLLECTION: Argument =
    Argument::new("collection", "Collection", "Name or ID of the collection", Values::Collections);

/// All prompts, in the order in which clients list them. A new one is a row here and a function in `texts`.
pub(crate) const PROMPTS: [Prompt; 6] = [
    Prompt {
        name: "brief-me",
        title: "Brief me",
        description: "A briefing on a collection: subject, people, events and documents to read first, all cited.",
        arguments: &[COLLECTION],
        text: texts::brief_me,
    },
    Prompt {
        name: "find-and-cite",
        title: "Find and cite",
        description: "Answer a question only from the documents, with word-for-word quotations and their exact \
            places.",
        arguments: &[
            Argument::new("question", "Question", "The question to answer", Values::Any),
            Argument { description: "Name or ID of the collection (default: the active one)", ..COLLECTION }.optional(),
        ],
        text: texts::find_and_cite,
    },
    Prompt {
        name: "compare-documents",
        title: "Compare documents",
        description: "Compare two documents of the active collection: agreements, differences, and points on which \
            one is silent.",
        arguments: &[
            Argument::new("document_a", "First document", "Name or ID of the first document", Values::Documents),
            Argument::new("document_b", "Second document", "Name or ID of the second document", Values::Documents),
            Argument::new(
                "topic",
                "Topic",
                "Topic to compare, such as payment terms (default: the main points)",
                Values::Any,
            )
            .optional(),
        ],
        text: texts::compare_documents,
    },
    Prompt {
        name: "build-timeline",
        title: "Build a timeline",
        description: "List the events in order, each with its date and the passage that states it.",
        arguments: &[
            Argument { description: "Name or ID of the collection (default: the active one)", ..COLLECTION }.optional(),
            Argument::date("from", "From", "First date: YYYY, YYYY-MM or YYYY-MM-DD"),
            Argument::date("to", "To", "Last date: YYYY, YYYY-MM or YYYY-MM-DD"),
        ],
        text: texts::build_timeline,
    },
    Prompt {
        name: "review-contracts",
        title: "Review contracts",
        description: "Review all contracts of a collection: a table of their terms, and which of them have a clause or lack it.",
        arguments: &[
            Argument { description: "Name or ID of the collection (default: the active one)", ..COLLECTION }.optional(),
            Argument::new(
                "clauses",
                "Clauses",
                "Clauses to look for, separated by commas (default: those that matter most)",
                Values::Any,
            )
            .optional(),
        ],
        text: texts::review_contracts,
    },
    Prompt {
        name: "check-my-draft",
        title: "Check my draft",
        description: "Check every quotation and citation of a draft against the documents, word for word.",
        arguments: &[
            Argument { description: "Name or ID of the collection (default: the active one)", ..COLLECTION }.optional()
        ],
        text: texts::check_my_draft,
    },
];

pub(crate) fn list() -> Vec<rmcp::model::Prompt> {
    let describe = |prompt: &Prompt| {
        let arguments = prompt.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_title(argument.title)
                .with_description(argument.description)
                .with_required(argument.required)
        });
        rmcp::model::Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
            .with_title(prompt.title)
    };
    PROMPTS.iter().map(describe).collect()
}

/// The row of a prompt, or an error that suggests a similar name.
pub(crate) fn find(name: &str) -> Result<&'static Prompt> {
    PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        let names: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        let similar = closest(name, names.iter().copied()).map(|similar| format!(" Did you mean \"{similar}\"?"));
        let message = format!("Unknown prompt: \"{}\".{}", shorten(name, 80), similar.unwrap_or_default());
        Error::invalid(message).with_hint(format!("The prompts are: {}.", names.join(", ")))
    })
}

/// The description of a prompt and its text with these arguments. Names of collections, and of documents if the collection is known, are resolved to
/// full names.
///
/// Errors: [`ErrorCode::InvalidArgument`] for an unknown prompt or argument, a required argument that is missing, and one that is not
/// valid; [`ErrorCode::NotFound`] for a collection or document that does not exist.
pub(crate) fn get(
    engine: &Engine,
    active: Option<CollectionId>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<(&'static str, String)> {
    let prompt = find(name)?;
    if let Some(unknown) = arguments.keys().find(|name| !prompt.arguments.iter().any(|known| known.name == **name)) {
        let names: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name).collect();
        let message = format!("The prompt {name} has no argument \"{}\".", shorten(unknown, 80));
        return Err(Error::invalid(message).with_hint(format!("Its arguments are: {}.", names.join(", "))));
    }
    let mut given = BTreeMap::new();
    for argument in prompt.arguments {
        let value = match arguments.get(argument.name) {
            None | Some(Value::Null) => "",
            Some(Value::String(text)) => text.trim(),
            Some(_) => {
                return Err(Error::invalid(format!("The argument {} of {name} must be a string.", argument.name)));
            }
        };
        if value.is_empty() {
            if argument.required {
                let message = format!("The prompt {name} needs the argument {}.", argument.name);
                return Err(Error::invalid(message).with_hint(format!("{}: {}.", argument.name, argument.description)));
            }
            continue;
        }
        given.insert(argument.name, checked(engine, active, argument, value)?);
    }
    Ok((prompt.description, (prompt.text)(&ArgumentValues(given))))
}

fn checked(engine: &Engine, active: Option<CollectionId>, argument: &Argument, value: &str) -> Result<String> {
    if value.chars().count() > MAX_ARGUMENT_CHARS {
        let message = format!("The argument {} is longer than {MAX_ARGUMENT_CHARS} characters.", argument.name);
        return Err(Error::invalid(message).with_hint("Shorten it."));
    }
    if argument.is_date && !is_date(value) {
        let message = format!("The argument {} is \"{}\", which is not a date.", argument.name, shorten(value, 40));
        return Err(Error::invalid(message).with_hint("Write it as YYYY, YYYY-MM or YYYY-MM-DD."));
    }
    Ok(match (argument.values, active) {
        (Values::Collections, _) => one_line(&collections::find_collection(engine.host(), value)?.name).into_owned(),
        (Values::Documents, Some(collection)) => match documents::find_document(engine.host(), collection, value) {
            Ok(document) => one_line(&document.name).into_owned(),
            // The active collection was deleted: the tools report that.
            Err(error)
                if error.code == ErrorCode::NotFound
                    && collections::find_collection(engine.host(), &collection.to_string()).is_err() =>
            {
                one_line(value).into_owned()
            }
            Err(error) => return Err(error),
        },
        _ => one_line(value).into_owned(),
    })
}

/// `2023`, `2023-05` or `2023-05-31`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, length: usize, range: std::ops::RangeInclusive<u32>| {
        let digits = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        digits && part.parse().is_ok_and(|number| range.contains(&number))
    };
    let bounds = [(4, 1..=9999), (2, 1..=12), (2, 1..=31)];
    parts.len() <= 3 && parts.iter().zip(bounds).all(|(part, (length, range))| number(part, length, range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_only_existing_tools_and_contain_the_arguments() {
        for prompt in &PROMPTS {
            for full in [true, false] {
                let given = prompt.arguments.iter().filter(|argument| full || argument.required);
                let given =
                    ArgumentValues(given.map(|argument| (argument.name, format!("<{}>", argument.name))).collect());
                let text = (prompt.text)(&given);
                assert!(given.0.values().all(|value| text.contains(value)), "{text}");
                assert!(!text.contains("  ") && text.len() < 2500, "{}: {text}", prompt.name);
                let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
                let named: Vec<&str> = words.filter(|word| word.contains('_')).collect();
                assert!(!named.is_empty());
                let parameters = ["document_a", "document_b", "document_filter", "start_date", "end_date"];
                for word in named.into_iter().filter(|word| !parameters.contains(word)) {
                    assert!(crate::table::find(word).is_ok(), "{word} in {}", prompt.name);
                }
            }
        }
    }

    #[test]
    fn dates_are_accepted_as_the_tools_accept_them() {
        for date in ["2023", "2023-05", "2023-05-31"] {
            assert!(is_date(date), "{date}");
        }
        for other in ["", "23", "2023-13", "2023-5", "2023-05-32", "2023-05-31-1", "May 2023", "-2023", "２０２３"]
        {
            assert!(!is_date(other), "{other}");
        }
    }
}
