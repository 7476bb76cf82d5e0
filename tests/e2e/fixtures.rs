//! One file of every format: the exact text that is read from it, and its places. `tests/fixtures/README.md` describes how they are made.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use casetrack_core::FileFormat;
use serde_json::{Value, json};

use crate::client::casetrack;

fn fixtures() -> PathBuf {
    casetrack_core::real_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")).unwrap()
}

/// File names in a folder, sorted; folders and the README are left out.
fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(fixtures().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    names.sort();
    names
}

fn expected(name: &str) -> Value {
    let path = fixtures().join("expected").join(format!("{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The output of `inspect`, which is an error if the file could not be read.
fn inspect(name: &str, prepare: impl FnOnce(&mut Command)) -> Value {
    let data = tempfile::tempdir().unwrap();
    let mut command = casetrack(data.path());
    command
        .args(["inspect", "--json"])
        .arg(fixtures().join(name))
        .env_remove("CASETRACK_PASSWORD")
        .stdin(Stdio::null());
    prepare(&mut command);
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| json!({"error": String::from_utf8_lossy(&output.stderr)}))
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}")) as usize
}

/// The characters from `from` on, before `to`.
fn slice(text: &str, from: &Value, to: &Value) -> String {
    text.chars().take(number(to)).skip(number(from)).collect()
}

/// The first difference, in words, as an error.
fn same(what: &str, actual: &Value, expected: &Value) -> Result<(), String> {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{what}\n  expected {expected}\n  found    {actual}"))
}

/// The first line that differs says more than two whole texts.
fn same_text(what: &str, actual: &str, expected: &str) -> Result<(), String> {
    let (actual, expected): (Vec<&str>, Vec<&str>) = (actual.split('\n').collect(), expected.split('\n').collect());
    for line in 0..actual.len().max(expected.len()) {
        let found = |lines: &[&str]| lines.get(line).map_or(Value::Null, |text| json!(text));
        same(&format!("{what}, line {}", line + 1), &found(&actual), &found(&expected))?;
    }
    Ok(())
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn compare(actual: &Value, expected: &Value) -> Result<(), String> {
    same("error", &actual["error"], &Value::Null)?;
    for field in ["format", "title", "warnings"] {
        same(field, &actual[field], &expected[field])?;
    }
    same("unpaged", &actual["unpaged"], &json!(expected["unpaged"].as_bool().unwrap_or(false)))?;
    let attachments = array(&actual["attachments"]).iter().map(|attachment| attachment["name"].clone()).collect();
    same("attachments", &Value::Array(attachments), &expected["attachments"])?;
    let (pages, expected_pages) = (array(&actual["pages"]), array(&expected["pages"]));
    for (page, expected) in pages.iter().zip(expected_pages) {
        compare_page(page, expected)?;
    }
    same("number of pages", &json!(pages.len()), &json!(expected_pages.len()))?;
    array(&expected["provenance"]).iter().try_for_each(|place| compare_place(actual, place))
}

fn compare_page(page: &Value, expected: &Value) -> Result<(), String> {
    let what = |field: &str| format!("page {}, {field}", page["number"]);
    same(&what("method"), &page["method"], &expected["method"])?;
    same(&what("sheet_name"), &page["sheet_name"], &expected["sheet_name"])?;
    let (text, expected_text) = (page["text"].as_str().unwrap(), expected["text"].as_str().unwrap());
    if expected["method"] == "Ocr" {
        // The OCR guesses the lines that form a paragraph.
        return same_text(&what("text"), &folded(text), &folded(expected_text));
    }
    same_text(&what("text"), text, expected_text)?;
    let blocks: Vec<Value> = array(&page["blocks"])
        .iter()
        .map(|block| json!({"kind": block["kind"], "text": slice(text, &block["char_start"], &block["char_end"])}))
        .collect();
    let expected_blocks = array(&expected["blocks"]);
    for (index, (block, expected)) in blocks.iter().zip(expected_blocks).enumerate() {
        same(&what(&format!("block {}", index + 1)), block, expected)?;
    }
    same(&what("number of blocks"), &json!(blocks.len()), &json!(expected_blocks.len()))
}

/// A phrase is at its expected place, in the text and in a chunk that can be cited.
fn compare_place(actual: &Value, place: &Value) -> Result<(), String> {
    let what = |field: &str| format!("{} of {}", field, place["phrase"]);
    let text = actual["pages"][number(&place["page"]) - 1]["text"].as_str().unwrap();
    let (start, end) = (number(&place["char_start"]), number(&place["char_end"]));
    same(&what("text"), &json!(slice(text, &place["char_start"], &place["char_end"])), &place["phrase"])?;
    let line = text.chars().take(start).filter(|&c| c == '\n').count() + 1;
    same(&what("line"), &json!(line), &place["line"])?;
    let cited = array(&actual["chunks"]).iter().any(|chunk| {
        let range = |first: &str, last: &str| number(&chunk[first])..=number(&chunk[last]);
        chunk["page"] == place["page"]
            && range("char_start", "char_end").contains(&start)
            && range("char_start", "char_end").contains(&end)
            && range("line_start", "line_end").contains(&line)
            && chunk["text"].as_str().unwrap().contains(place["phrase"].as_str().unwrap())
    });
    same(&what("a chunk"), &json!(cited), &json!(true))
}

#[test]
fn every_fixture_is_read_as_it_was_made() {
    let names = names("");
    let mut differences = Vec::new();
    for name in &names {
        let expected = expected(name);
        let mut check = |how: &str, outcome: Result<(), String>| {
            differences.extend(outcome.err().map(|difference| format!("{name}{how}: {difference}")));
        };
        let plain = inspect(name, |_| {});
        let Some(password) = expected["password"].as_str() else {
            check("", compare(&plain, &expected));
            continue;
        };
        check(" without its password", same("error code", &plain["error"]["code"], &json!("needs_password")));
        let given = inspect(name, |command| _ = command.args(["--password", password]));
        check(" with --password", compare(&given, &expected));
        let given = inspect(name, |command| _ = command.env("CASETRACK_PASSWORD", password));
        check(" with CASETRACK_PASSWORD", compare(&given, &expected));
    }
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn every_format_has_a_fixture() {
    let files = names("");
    let described: Vec<String> = files.iter().map(|name| format!("{name}.json")).collect();
    assert_eq!(names("expected"), described);
    let has = |extension: &str| files.iter().any(|name| name.ends_with(&format!(".{extension}")));
    let formats: Vec<Value> = files.iter().map(|name| expected(name)["format"].clone()).collect();
    for format in FileFormat::ALL {
        assert!(formats.contains(&json!(format)), "{format:?} has no fixture");
    }
    // Decoders of their own behind one format, and separators behind another.
    for extension in ["jpg", "png", "tiff", "bmp", "gif", "webp", "csv", "tsv"] {
        assert!(has(extension), "{extension} has no fixture");
    }
}
