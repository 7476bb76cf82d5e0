//! A configuration as text: an entry is put in or taken out, and everything else stays as it is, byte for byte.
//!
//! Every change is read again and compared with what was there: unless the entry is the only difference, nothing is written.

use casetrack_core::{Error, Result};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike};

use super::server::Server;

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
    /// The value of `type` in an entry, where the client has that.
    pub transport: Option<&'static str>,
}

impl Style {
    /// The server of this name, as far as an entry says how to start one.
    pub fn server(self, text: &str, name: &str) -> Result<Option<Server>> {
        let all = self.value(text)?;
        let entry = &all[self.section][name];
        let Some(command) = entry["command"].as_str() else { return Ok(None) };
        let args =
            entry["args"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let env = entry["env"].as_object().into_iter().flatten();
        let env = env.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
        Ok(Some(Server { command: command.to_owned(), args, env }))
    }

    /// Whether there is an entry of this name, of whatever kind.
    pub fn has(self, text: &str, name: &str) -> Result<bool> {
        Ok(!self.value(text)?[self.section][name].is_null())
    }

    /// The text with this server in it. Of an entry that is there, command and arguments are replaced, and its other settings stay.
    pub fn with(self, text: &str, name: &str, server: &Server) -> Result<String> {
        let new = match self.format {
            Format::Json => self.with_in_json(text, name, server)?,
            Format::Toml => self.with_in_toml(text, name, server)?,
        };
        let written = self.server(&new, name)?;
        let is_written =
            written.is_some_and(|written| written.command == server.command && written.args == server.args);
        if is_written && self.others(text, name)? == self.others(&new, name)? { Ok(new) } else { Err(unsafe_change()) }
    }

    /// The text without the entry of this name.
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

    fn with_in_json(self, text: &str, name: &str, server: &Server) -> Result<String> {
        if text.trim().is_empty() {
            return self.with_in_json("{}\n", name, server);
        }
        let root = json(text)?;
        let object = root.object_value().ok_or_else(|| wrong_shape("it is not an object"))?;
        let section = match object.get(self.section) {
            None => object.object_value_or_set(self.section),
            Some(found) => {
                found.object_value().ok_or_else(|| wrong_shape(&format!("{} is not an object", self.section)))?
            }
        };
        let fields = self.fields(server);
        match section.get(name) {
            None => drop(section.append(name, CstInputValue::Object(fields))),
            Some(entry) => match entry.object_value().filter(|entry| entry.get("command").is_some()) {
                Some(entry) => fields.into_iter().for_each(|(key, value)| set(&entry, &key, value)),
                None => entry.set_value(CstInputValue::Object(fields)),
            },
        }
        Ok(root.to_string())
    }

    fn fields(self, server: &Server) -> Vec<(String, CstInputValue)> {
        let args = server.args.iter().map(|arg| arg.as_str().into()).collect();
        let transport = self.transport.map(|kind| ("type".to_owned(), kind.into()));
        let start =
            [("command".to_owned(), server.command.as_str().into()), ("args".to_owned(), CstInputValue::Array(args))];
        transport.into_iter().chain(start).collect()
    }

    fn with_in_toml(self, text: &str, name: &str, server: &Server) -> Result<String> {
        in_toml(text, |document| {
            let section = document.entry(self.section).or_insert_with(|| {
                let mut table = Table::new();
                // Written as [section.name] alone.
                table.set_implicit(true);
                Item::Table(table)
            });
            let not_a_table = || wrong_shape(&format!("{} is not a table", self.section));
            let section = section.as_table_like_mut().ok_or_else(not_a_table)?;
            let has_command = |entry: &dyn TableLike| entry.contains_key("command");
            if !section.get(name).and_then(Item::as_table_like).is_some_and(has_command) {
                section.insert(name, Item::Table(Table::new()));
            }
            let entry = section.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(not_a_table)?;
            let args: Array = server.args.iter().map(String::as_str).collect();
            for (key, value) in [("command", server.command.as_str().into()), ("args", toml_edit::Value::from(args))] {
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

    /// What a text says without the entry, and without the section if that has nothing else.
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

    /// The whole configuration, as one value.
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

fn set(object: &CstObject, key: &str, value: CstInputValue) {
    match object.get(key) {
        Some(property) => property.set_value(value),
        None => drop(object.append(key, value)),
    }
}

/// Reads what editors accept: JSON with comments and commas after the last item, and nothing looser.
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
    Error::invalid(format!("It is not {format} that can be read: {reason}"))
}

fn wrong_shape(what: &str) -> Error {
    Error::invalid(format!("It does not have the form that was expected: {what}."))
}

fn unsafe_change() -> Error {
    Error::invalid("The entry cannot be changed without changing something else.")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const JSON: Style = Style { format: Format::Json, section: "mcpServers", transport: None };
    const VSCODE: Style = Style { format: Format::Json, section: "servers", transport: Some("stdio") };
    const TOML: Style = Style { format: Format::Toml, section: "mcp_servers", transport: None };

    fn server() -> Server {
        Server {
            command: "/usr/bin/casetrack".to_owned(),
            args: vec!["mcp".to_owned(), "--collection".to_owned(), "Größe \"1\"".to_owned()],
            env: BTreeMap::new(),
        }
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
        assert_eq!(JSON.server(&new, "casetrack").unwrap().unwrap(), server());
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
        let found = VSCODE.server(&new, "casetrack").unwrap().unwrap();
        assert_eq!((found.command.as_str(), found.env["A"].as_str()), ("/usr/bin/casetrack", "1"));
        assert!(new.contains("\"disabled\": true") && new.contains("\"type\": \"stdio\""), "{new}");
        // An entry of another kind gives way as a whole.
        let new = VSCODE.with(text, "b", &server()).unwrap();
        assert!(!new.contains("\"url\""), "{new}");
        let text = "[mcp_servers.casetrack]\ncommand = \"old\" # mine\nstartup_timeout_sec = 60\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert!(new.contains("command = \"/usr/bin/casetrack\" # mine\nstartup_timeout_sec = 60\n"), "{new}");
    }

    #[test]
    fn a_new_configuration_is_made_where_there_is_none() {
        for text in ["", "  \n", "{}"] {
            let new = JSON.with(text, "casetrack", &server()).unwrap();
            assert!(new.starts_with("{\n  \"mcpServers\": {\n    \"casetrack\": {\n      \"command\""), "{new}");
        }
        let new = TOML.with("", "casetrack", &server()).unwrap();
        assert!(new.starts_with("[mcp_servers.casetrack]\ncommand = \"/usr/bin/casetrack\"\n"), "{new}");
        assert_eq!(TOML.server(&new, "casetrack").unwrap().unwrap(), server());
    }

    #[test]
    fn toml_keeps_comments_order_and_inline_tables() {
        let text = "# mine\nmodel = \"o\"   # late\n\n[profiles.x]\na = 1\n\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [ \"-y\" ]\n\n[tui]\nb = 2\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert!(new.contains("# mine\nmodel = \"o\"   # late") && new.contains("args = [ \"-y\" ]"), "{new}");
        assert_eq!(TOML.without(&new, "casetrack").unwrap(), text);
        let text = "mcp_servers = { files = { command = \"npx\" } }\n";
        let new = TOML.with(text, "casetrack", &server()).unwrap();
        assert_eq!(TOML.server(&new, "casetrack").unwrap().unwrap(), server());
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
        // A key that is there twice: what the client reads of it is not known.
        let twice = "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}, \"mcpServers\": {\"b\": {\"command\": \"b\"}}}";
        assert!(JSON.with(twice, "casetrack", &server()).is_err());
    }
}
