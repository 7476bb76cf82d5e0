//! The conditions of plans: a tree of rules that entries meet or not.

use casetrack_catalog::TimeField;
use casetrack_catalog::space::{Condition, End, Field, Match, Text, bound};
use casetrack_core::Result;
use serde::Deserialize;
use serde_json::Value;

use super::{in_field, media, of_type, refused};

/// The deepest nesting of conditions, and their largest number in all.
const MAX_DEPTH: usize = 16;
const MAX_CONDITIONS: usize = 1_000;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Rule {
    All {
        conditions: Vec<Value>,
    },
    Any {
        conditions: Vec<Value>,
    },
    None {
        conditions: Vec<Value>,
    },
    #[serde(rename_all = "camelCase")]
    MediaType {
        media_type: String,
    },
    #[serde(rename_all = "camelCase")]
    Size {
        min_size: Option<u64>,
        max_size: Option<u64>,
    },
    #[serde(rename_all = "camelCase")]
    Time {
        min_mtime: Option<Value>,
        max_mtime: Option<Value>,
        min_ctime: Option<Value>,
        max_ctime: Option<Value>,
    },
    #[serde(rename_all = "camelCase")]
    Path {
        path_contains: Option<String>,
        path_prefix: Option<String>,
        path_suffix: Option<String>,
        path_pattern: Option<String>,
    },
}

/// Reads a tree of conditions.
///
/// Errors: an invalid form; the field is the place in the tree.
pub(super) fn read(tree: &Value) -> Result<Condition> {
    let mut left = MAX_CONDITIONS;
    rule(tree, "conditions", MAX_DEPTH, &mut left)
}

fn rule(tree: &Value, at: &str, depth: usize, left: &mut usize) -> Result<Condition> {
    if depth == 0 || *left == 0 {
        return Err(refused(
            at.to_owned(),
            format!("conditions may be {MAX_CONDITIONS} in all and {MAX_DEPTH} deep in each other"),
        ));
    }
    *left -= 1;
    let read: Rule = of_type(tree, &["all", "any", "none", "media_type", "size", "time", "path"], at)?;
    let mut each = |conditions: &[Value]| -> Result<Vec<Condition>> {
        let each = conditions.iter().enumerate();
        each.map(|(place, tree)| rule(tree, &format!("{at}.conditions[{place}]"), depth - 1, left)).collect()
    };
    let field = |name: &str| format!("{at}.{name}");
    Ok(match read {
        Rule::All { conditions } => Condition::All(each(&conditions)?),
        Rule::Any { conditions } => Condition::Any(each(&conditions)?),
        Rule::None { conditions } => Condition::None(each(&conditions)?),
        Rule::MediaType { media_type } => {
            in_field(field("mediaType"), media::condition(&media_type))?.ok_or_else(|| {
                refused(
                    field("mediaType"),
                    "no file names belong to this media type: write one such as image/*, image/png, document",
                )
            })?
        }
        Rule::Size { min_size, max_size } => Condition::Size(min_size, max_size),
        Rule::Time { min_mtime, max_mtime, min_ctime, max_ctime } => {
            let time = |name: &str, value: Option<Value>, end| {
                let text = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                text.map(|text| in_field(field(name), bound(&text, end))).transpose()
            };
            let mtime = (time("minMtime", min_mtime, End::Min)?, time("maxMtime", max_mtime, End::Max)?);
            let ctime = (time("minCtime", min_ctime, End::Min)?, time("maxCtime", max_ctime, End::Max)?);
            Condition::All(vec![
                Condition::Time(TimeField::Modified, mtime.0, mtime.1),
                Condition::Time(TimeField::Changed, ctime.0, ctime.1),
            ])
        }
        Rule::Path { path_contains, path_prefix, path_suffix, path_pattern } => {
            let texts = [
                ("pathContains", Match::Contains, path_contains),
                ("pathPrefix", Match::Prefix, path_prefix),
                ("pathSuffix", Match::Suffix, path_suffix),
                ("pathPattern", Match::Regex, path_pattern),
            ];
            let given = texts.into_iter().filter_map(|(name, how, text)| Some((name, how, text?)));
            let text = |(name, how, text): (&str, Match, String)| {
                Ok(Condition::Text(in_field(field(name), Text::new(Field::Path, how, &text, false))?))
            };
            Condition::All(given.map(text).collect::<Result<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::InField;
    use super::*;

    #[test]
    fn a_tree_is_read_and_a_fault_is_named_by_its_place() {
        let tree = json!({"type": "all", "conditions": [
            {"type": "media_type", "mediaType": "image/*"},
            {"type": "any", "conditions": [{"type": "size", "minSize": 5}, {"type": "time", "minMtime": 1732492800}]},
            {"type": "none", "conditions": [{"type": "path", "pathContains": "cache", "pathPattern": r"\.tmp$"}]},
        ]});
        assert!(matches!(read(&tree).unwrap(), Condition::All(conditions) if conditions.len() == 3));
        for (tree, field) in [
            (json!({"type": "other"}), "conditions"),
            (json!({"type": "size", "min": 5}), "conditions"),
            (
                json!({"type": "all", "conditions": [{"type": "media_type", "mediaType": "x"}]}),
                "conditions.conditions[0].mediaType",
            ),
            (json!({"type": "path", "pathPattern": "("}), "conditions.pathPattern"),
            (json!({"type": "time", "minCtime": "soon"}), "conditions.minCtime"),
        ] {
            assert_eq!(InField::of(&read(&tree).unwrap_err()), Some(field), "{tree}");
        }
        let types = "type must be one of all, any, none, media_type, size, time, path";
        for (tree, message) in [
            (json!({"type": "other"}), types),
            (json!({}), types),
            (json!("size"), types),
            (json!({"type": "size", "min": 5}), "unknown field `min`, expected `minSize` or `maxSize`"),
        ] {
            assert_eq!(read(&tree).unwrap_err().message, message, "{tree}");
        }
        let deep = (0..20).fold(json!({"type": "size"}), |inner, _| json!({"type": "all", "conditions": [inner]}));
        assert!(read(&deep).is_err());
        let many = json!({"type": "any", "conditions": vec![json!({"type": "size"}); 1_001]});
        assert!(read(&many).is_err());
    }
}
