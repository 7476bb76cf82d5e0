//! A configuration as text: an entry is put in or taken out, and everything else stays as it is, byte for byte.
//!
//! Every change is read again and compared with the former content: unless the entry is the only difference, nothing is written.

use casetrack_core::{Error, Result};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table};

use super::remote::{Reach, Remote};
use super::server::{Entry, Server};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, in which comments and commas after the last item are accepted.
    Json,
    Toml,
}

/// How a client lists its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub format: Format,
    /// The key of the object or table of servers.
    pub section: &'static str,
    /// The value of `type` in an entry, if the client has it.
    pub transport: Option<&'static str>,
    pub reach: Reach,
}

impl Style {
    /// The entry of this name, reduced to the settings that start or reach a server.
    pub fn entry(self, text: &str, name: &str) -> Result<Option<Entry>> {
        let all = self.value(text)?;
        let entry = &all[self.section][name];
        if let Some(remote) = self.reach.read(entry) {
            return Ok(Some(Entry::Remote(remote)));
        }
        let Some(command) = entry["command"].as_str() else { return Ok(None) };
        let args =
            entry["args"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let env = entry["env"].as_object().into_iter().flatten();
        let env = env.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
        Ok(Some(Entry::Program(Server { command: command.to_owned(), args, env })))
    }

    /// True if there is an entry of this name, of any kind.
    pub fn has(self, text: &str, name: &str) -> Result<bool> {
        Ok(!self.value(text)?[self.section][name].is_null())
    }

    /// The text with this entry in it. In an existing entry of the same kind, the values are replaced, and its other settings stay; an
    /// entry of another kind is replaced as a whole.
    pub fn with(self, text: &str, name: &str, entry: &Entry) -> Result<String> {
        let fields = match entry {
            Entry::Program(server) => self.fields(server),
            Entry::Remote(remote) => self.reach.fields(remote),
        };
        let is_same_kind = match self.entry(text, name)? {
            Some(Entry::Program(_)) => matches!(entry, Entry::Program(_)),
            Some(Entry::Remote(before)) => matches!(entry, Entry::Remote(new) if self.has_same_keys(&before, new)),
            None => false,
        };
        let new = match self.format {
            Format::Json => self.with_in_json(text, name, &fields, is_same_kind)?,
            Format::Toml => self.with_in_toml(text, name, &fields, is_same_kind)?,
        };
        let written = &self.value(&new)?[self.section][name];
        let is_written = fields.iter().all(|(key, value)| written[key] == *value);
        if is_written && self.others(text, name)? == self.others(&new, name)? { Ok(new) } else { Err(unsafe_change()) }
    }

    fn has_same_keys(self, before: &Remote, new: &Remote) -> bool {
        let keys = |remote| self.reach.fields(remote).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        keys(before) == keys(new)
    }

    pub fn without(self, text: &str, name: &str) -> Result<String> {
        let new = match self.format {
            Format::Json => {
                let root = json(text)?;
                let section = root.object_value().and_then(|object| object.object_value(self.section));
                if let Some(entry) = section.and_then(|section| section.get(name)) {
                    entry.remove();
                }
                root.to_string()
            }
            Format::Toml => in_toml(text, |document| {
                if let Some(section) = document.get_mut(self.section).and_then(Item::as_table_like_mut) {
                    section.remove(name);
                }
                Ok(())
            })?,
        };
        let is_gone = !self.has(&new, name)?;
        if is_gone && self.others(text, name)? == self.others(&new, name)? { Ok(new) } else { Err(unsafe_change()) }
    }

    fn with_in_json(self, text: &str, name: &str, fields: &[Field], is_same_kind: bool) -> Result<String> {
        if text.trim().is_empty() {
            return self.with_in_json("{}\n", name, fields, is_same_kind);
        }
        let root = json(text)?;
        let object = root.object_value().ok_or_else(|| wrong_shape("it is not an object"))?;
        let section = match object.get(self.section) {
            None => object.object_value_or_set(self.section),
            Some(found) => {
                found.object_value().ok_or_else(|| wrong_shape(&format!("{} is not an object", self.section)))?
            }
        };
        let whole =
            || CstInputValue::Object(fields.iter().map(|(key, value)| ((*key).to_owned(), in_json(value))).collect());
        match section.get(name) {
            None => drop(section.append(name, whole())),
            Some(entry) => match entry.object_value().filter(|_| is_same_kind) {
                Some(entry) => fields.iter().for_each(|(key, value)| set(&entry, key, in_json(value))),
                None => entry.set_value(whole()),
            },
        }
        Ok(root.to_string())
    }

    fn fields(self, server: &Server) -> Vec<Field> {
        let transport = self.transport.map(|kind| ("type", kind.into()));
        let start = [("command", server.command.as_str().into()), ("args", server.args.as_slice().into())];
        transport.into_iter().chain(start).collect()
    }

    fn with_in_toml(self, text: &str, name: &str, fields: &[Field], is_same_kind: bool) -> Result<String> {
        in_toml(text, |document| {
            let section = document.entry(self.section).or_insert_with(|| {
                let mut table = Table::new();
                // Written only as [section.name].
                table.set_implicit(true);
                Item::Table(table)
            });
            let not_a_table = || wrong_shape(&format!("{} is not a table", self.section));
            let section = section.as_table_like_mut().ok_or_else(not_a_table)?;
            if !is_same_kind {
                section.insert(name, Item::Table(Table::new()));
            }
            let entry = section.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(not_a_table)?;
            for (key, value) in fields {
                let value = in_toml_value(value).ok_or_else(unsafe_change)?;
                match entry.get_mut(key).and_then(Item::as_value_mut) {
                    Some(found) => {
                        let decor = found.decor().clone();
                        *found = value;
                        *found.decor_mut() = decor;
                    }
                    None => drop(entry.insert(key, Item::Value(value))),
                }
            }
            Ok(())
        })
    }

    /// The content of a text without the entry, and without the section if that is otherwise empty.
    fn others(self, text: &str, name: &str) -> Result<Value> {
        let mut all = self.value(text)?;
        if let Some(object) = all.as_object_mut()
            && let Some(section) = object.get_mut(self.section).and_then(Value::as_object_mut)
        {
            section.remove(name);
            if section.is_empty() {
                object.remove(self.section);
            }
        }
        Ok(all)
    }

    fn value(self, text: &str) -> Result<Value> {
        match self.format {
            Format::Json if text.trim().is_empty() => Ok(Value::Object(serde_json::Map::new())),
            Format::Json => json(text)?.to_serde_value().ok_or_else(|| wrong_shape("it has no value")),
            Format::Toml => {
                let table: toml::Table = toml::from_str(text).map_err(|error| not_readable("TOML", &error))?;
                serde_json::to_value(table).map_err(|error| not_readable("TOML", &error))
            }
        }
    }
}

/// A key of an entry and its value: texts, lists and objects of them.
type Field = (&'static str, Value);

fn in_json(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(in_json).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), in_json(value))).collect())
        }
    }
}

/// `None` for values that no entry has.
fn in_toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(in_toml_value).collect::<Option<Array>>()?.into(),
        Value::Object(fields) => {
            let mut table = InlineTable::new();
            for (key, value) in fields {
                table.insert(key, in_toml_value(value)?);
            }
            table.into()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    })
}

fn set(object: &CstObject, key: &str, value: CstInputValue) {
    match object.get(key) {
        Some(property) => property.set_value(value),
        None => drop(object.append(key, value)),
    }
}

/// Reads the dialect of editors: JSON with comments and commas after the last item, and nothing looser.
fn json(text: &str) -> Result<CstRootNode> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| not_readable("JSON", &error))
}

/// Changes a TOML text, whose line breaks stay as they are.
fn in_toml(text: &str, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<String> {
    let is_crlf = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
    let lines = if is_crlf { text.replace("\r\n", "\n") } else { text.to_owned() };
    let mut document: DocumentMut = lines.parse().map_err(|error| not_readable("TOML", &error))?;
    change(&mut document)?;
    let new = document.to_string();
    Ok(if is_crlf { new.replace('\n', "\r\n") } else { new })
}

fn not_readable(format: &str, error: &dyn std::fmt::Display) -> Error {
    let error = error.to_string();
    let reason = error.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    Error::invalid(format!("It is not valid {format}: {reason}"))
}

fn wrong_shape(what: &str) -> Error {
    Error::invalid(format!("It does not have the expected form: {what}."))
}

fn unsafe_change() -> Error {
    Error::invalid("The entry cannot be changed without changing something else.")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::remote::Token;
    use super::*;

    const JSON: Style = Style { format: Format::Json, section: "mcpServers", transport: None, reach: Reach::Bridge };
    const HEADERS: Reach = Reach::Headers { url: "url", transport: Some("http"), variable: Some(["${env:", "}"]) };
    const VSCODE: Style = Style { format: Format::Json, section: "servers", transport: Some("stdio"), reach: HEADERS };
    const TOML: Style = Style { format: Format::Toml, section: "mcp_servers", transport: None, reach: Reach::Codex };

    fn server() -> Entry {
        Entry::Program(Server {
            command: "/usr/bin/casetrack".to_owned(),
            args: vec!["mcp".to_owned(), "--collection".to_owned(), "Größe \"1\"".to_owned()],
            env: BTreeMap::new(),
        })
    }

    #[test]
    fn comments_indentation_and_other_servers_stay_as_they_are() {
        let text = "// mine\n{\n\t\"theme\": \"dark\", // late\n\t\"mcpServers\": {\n\t\t/* kept */\n\t\t\"files\": {\"command\": \"npx\", \
                    \"args\": [\"-y\", \"x\"],},\n\t},\n\t\"z\": 1.50,\n}\n";
        let new = JSON.with(text, "casetrack", &server()).unwrap();
        for kept in [
            "// mine\n",
            "\"dark\", // late",
            "/* kept */",
            "{\"command\": \"npx\", \"args\": [\"-y\", \"x\"],}",
            "1.50,",
        ] {
            assert!(new.contains(kept), "{kept} is not in\n{new}");
        }
        assert!(new.contains("\n\t\t\"casetrack\": {\n\t\t\t\"command\": \"/usr/bin/casetrack\""), "{new}");
        assert_eq!(JSON.entry(&new, "casetrack").unwrap().unwrap(), server());
        assert_eq!(JSON.with(&new, "casetrack", &server()).unwrap(), new);
        assert_eq!(JSON.without(&new, "casetrack").unwrap(), text);
    }

    #[test]
    fn line_breaks_of_windows_stay() {
        let text = "{\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"a\"\r\n    }\r\n  }\r\n}\r\n";
        let new = JSON.with(text, "casetrack", &server()).unwrap();
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count(), "{new:?}");
        assert_eq!(JSON.without(&new, "casetrack").unwrap(), text);
        let text = "model = \"o\"\r\n\r\n[mcp_servers.a]\r\ncommand = \"a\"\r\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count(), "{new:?}");
        assert_eq!(TOML.without(&new, "casetrack").unwrap(), text);
    }

    #[test]
    fn an_entry_keeps_its_other_settings() {
        let text =
            r#"{"servers": {"casetrack": {"command": "old", "env": {"A": "1"}, "disabled": true}, "b": {"url": "x"}}}"#;
        let new = VSCODE.with(text, "casetrack", &server()).unwrap();
        let Some(Entry::Program(found)) = VSCODE.entry(&new, "casetrack").unwrap() else { panic!("{new}") };
        assert_eq!((found.command.as_str(), found.env["A"].as_str()), ("/usr/bin/casetrack", "1"));
        assert!(new.contains("\"disabled\": true") && new.contains("\"type\": \"stdio\""), "{new}");
        // An entry of another kind is replaced as a whole.
        let new = VSCODE.with(text, "b", &server()).unwrap();
        assert!(!new.contains("\"url\""), "{new}");
        let text = "[mcp_servers.casetrack]\ncommand = \"old\" # mine\nstartup_timeout_sec = 60\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert!(new.contains("command = \"/usr/bin/casetrack\" # mine\nstartup_timeout_sec = 60\n"), "{new}");
    }

    #[test]
    fn servers_elsewhere_are_written_read_and_taken_out_as_others_are() {
        let remote = |token| Entry::Remote(Remote { url: "https://c.example/mcp".to_owned(), token });
        let (held, variable) =
            (remote(Token::Held("t0ken".to_owned())), remote(Token::Variable("CASETRACK_TOKEN".to_owned())));
        for (style, text) in [
            (VSCODE, "{\n  \"servers\": {\n    \"b\": {\n      \"url\": \"x\" // kept\n    }\n  }\n}\n"),
            (TOML, "# kept\n[mcp_servers.b]\nurl = \"x\"\n"),
            (JSON, "{\n  \"mcpServers\": {\n    \"b\": {\n      \"url\": \"x\" // kept\n    }\n  }\n}\n"),
        ] {
            let with = |text: &str, entry: &Entry| style.with(text, "casetrack", entry).unwrap();
            let new = with(text, &held);
            assert!(new.contains("Bearer t0ken") && new.contains("kept"), "{new}");
            assert_eq!(style.entry(&new, "casetrack").unwrap(), Some(held.clone()), "{new}");
            assert_eq!(style.without(&new, "casetrack").unwrap(), text);
            // An entry with a program keeps no token, and an entry with a token keeps no command.
            let program = with(&new, &server());
            assert_eq!(style.entry(&program, "casetrack").unwrap(), Some(server()), "{program}");
            assert!(!program.contains("t0ken"), "{program}");
            assert_eq!(with(&program, &held), new);
            if style.reach.takes_variables() {
                let named = with(&new, &variable);
                assert_eq!(style.entry(&named, "casetrack").unwrap(), Some(variable.clone()), "{named}");
                assert!(!named.contains("t0ken") && named.contains("CASETRACK_TOKEN"), "{named}");
            }
        }
    }

    #[test]
    fn a_new_configuration_is_made_where_there_is_none() {
        for text in ["", "  \n", "{}"] {
            let new = JSON.with(text, "casetrack", &server()).unwrap();
            assert!(new.starts_with("{\n  \"mcpServers\": {\n    \"casetrack\": {\n      \"command\""), "{new}");
        }
        let new = TOML.with("", "casetrack", &server()).unwrap();
        assert!(new.starts_with("[mcp_servers.casetrack]\ncommand = \"/usr/bin/casetrack\"\n"), "{new}");
        assert_eq!(TOML.entry(&new, "casetrack").unwrap().unwrap(), server());
    }

    #[test]
    fn toml_keeps_comments_order_and_inline_tables() {
        let text = "# mine\nmodel = \"o\"   # late\n\n[profiles.x]\na = 1\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [ \"-y\" ]\n\n[tui]\nb = 2\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert!(new.contains("# mine\nmodel = \"o\"   # late") && new.contains("args = [ \"-y\" ]"), "{new}");
        assert_eq!(TOML.without(&new, "casetrack").unwrap(), text);
        let text = "mcp_servers = { files = { command = \"npx\" } }\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert_eq!(TOML.entry(&new, "casetrack").unwrap().unwrap(), server());
        assert!(TOML.has(&new, "files").unwrap());
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in
            ["{", "[]", "{\"a\" 1}", "{'a': 1}", "{\"mcpServers\": []}", "{a: 1}", "{\"a\": 1 \"b\": 2}", "null"]
        {
            assert!(JSON.with(text, "casetrack", &server()).is_err(), "{text}");
        }
        for text in ["a = ", "mcp_servers = 1", "[a\n"] {
            assert!(TOML.with(text, "casetrack", &server()).is_err(), "{text}");
        }
        // A duplicate key: the value that the client reads is unknown.
        let twice = "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}, \"mcpServers\": {\"b\": {\"command\": \"b\"}}}";
        assert!(JSON.with(twice, "casetrack", &server()).is_err());
    }
}
