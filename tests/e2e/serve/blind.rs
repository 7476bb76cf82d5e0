//! A user without a role in a collection learns nothing of it: a thousand random calls are answered as by a server that never had it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Member, Team, add};
use crate::client::{copy, run, run_json, samples, write_files};

const CALLS: usize = 1_000;
/// Words that only documents of the hidden collection have.
const SECRETS: [&str; 4] = ["Zephyrine", "Quillfeather", "Marrowgate", "Ostrobank"];

/// The material of arguments: much of it is of the hidden collection.
struct Known {
    words: Vec<String>,
    uris: Vec<String>,
}

/// Two homes that differ in one collection, which the user must not know of; the user's token; what there is to ask for.
fn homes(dir: &Path) -> ([PathBuf; 2], String, Known) {
    let [with, without] = ["with", "without"].map(|name| dir.join(name));
    let lease = samples().join("harbour-point/contract/Amendment_No_1.docx");
    run(&with, &["new", "Visible"]);
    run(&with, &["ingest", lease.to_str().unwrap(), "-c", "Visible"]);
    let token = add(&with, "anna", &[]);
    run(&with, &["users", "allow", "anna", "Visible", "reader"]);
    run(&with, &["stop"]);
    copy(&with, &without);

    let folder = dir.join("hidden");
    write_files(
        &folder,
        &[
            ("Zephyrine lease.txt", "Zephyrine Quillfeather of Marrowgate pays 5,000 EUR to Ostrobank on 3 May 2031."),
            ("Marrowgate letter.txt", "Dear Zephyrine, the notice of Ostrobank of 4 June 2031 is void. Quillfeather."),
        ],
    );
    run(&with, &["new", "Zephyrine v Ostrobank", "--id", "REF-7713"]);
    let hidden = ["-c", "Zephyrine v Ostrobank"];
    run(&with, &["ingest", folder.to_str().unwrap(), hidden[0], hidden[1]]);
    run(&with, &["watch", folder.to_str().unwrap(), hidden[0], hidden[1], "--schedule", "manual"]);
    let documents = run_json(&with, &["documents", hidden[0], hidden[1]]);
    let found = run_json(&with, &["search", "notice", hidden[0], hidden[1]]);
    let jobs = run_json(&with, &["jobs"]);
    let listed = run_json(&with, &["collections"]);
    let visible = run_json(&with, &["documents", "-c", "Visible"]);
    let passage = run_json(&with, &["search", "rent", "-c", "Visible"]);
    run(&with, &["stop"]);

    // Every id that these say.
    let mut ids = Vec::new();
    for said in [&documents, &found, &jobs, &listed, &visible, &passage] {
        strings(said, &mut ids);
    }
    ids.retain(|id| id.len() == 36 && id.matches('-').count() == 4);
    ids.sort();
    ids.dedup();
    assert!(ids.len() > 6, "{ids:?}");
    let mut words: Vec<String> = SECRETS.iter().map(|word| word.to_string()).collect();
    words.extend(ids.iter().map(|id| id[..8].to_owned()));
    words.extend(ids.iter().cloned());
    let others = [
        "Zephyrine v Ostrobank",
        "zephyrine",
        "REF-7713",
        "Visible",
        "Zephyrine lease.txt",
        "Marrowgate letter.txt",
        "Amendment_No_1.docx",
        "rent",
        "notice",
        "landlord",
        "Zephyrine OR rent",
        "2031",
        "active",
        "all",
        "",
    ];
    words.extend(others.iter().map(|word| word.to_string()));
    words.push(folder.display().to_string());
    words.push(folder.join("Zephyrine lease.txt").display().to_string());
    let fixed = ["casetrack://collections", "synthesis://nodes", "synthesis://jobs", "synthesis://selection-sets"];
    let mut uris: Vec<String> = fixed.iter().map(|uri| uri.to_string()).collect();
    for collection in ids.iter().map(String::as_str).chain(["Visible", "Zephyrine%20v%20Ostrobank", "REF-7713"]) {
        uris.push(format!("casetrack://collections/{collection}/documents"));
        uris.push(format!("casetrack://collections/{collection}/evidence"));
        for id in ids.iter().take(12) {
            uris.push(format!("casetrack://collections/{collection}/documents/{id}"));
            uris.push(format!("casetrack://collections/{collection}/chunks/{id}"));
            uris.push(format!("casetrack://collections/{collection}/pages/{id}/1"));
        }
    }
    ([with, without], token, Known { words, uris })
}

fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, found)),
        _ => {}
    }
}

/// The tools, with their input schemas.
fn tools() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let mut tools: Vec<(String, Value)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap().parse::<Value>().unwrap())
        .filter_map(|tool| Some((tool["name"].as_str()?.to_owned(), tool["inputSchema"].clone())))
        .collect();
    tools.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(tools.len() > 100);
    tools
}

fn value(random: &mut fastrand::Rng, schema: &Value, known: &Known) -> Value {
    if let Some(allowed) = schema["enum"].as_array() {
        return random.choice(allowed).unwrap().clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("integer") => {
            let (least, most) = (schema["minimum"].as_u64().unwrap_or(0), schema["maximum"].as_u64().unwrap_or(9));
            json!(random.u64(least..=most.min(least + 9)))
        }
        Some("number") => json!(random.u8(0..10)),
        Some("boolean") => json!(random.bool()),
        Some("array") => (0..random.usize(0..3)).map(|_| value(random, &schema["items"], known)).collect(),
        Some("object") => json!({}),
        _ => json!(random.choice(&known.words).unwrap()),
    }
}

/// A request of the protocol, and what it asks for.
fn request(random: &mut fastrand::Rng, tools: &[(String, Value)], known: &Known) -> (&'static str, Value) {
    let word = |random: &mut fastrand::Rng| random.choice(&known.words).unwrap().clone();
    match random.u8(0..20) {
        0 => ("resources/read", json!({"uri": random.choice(&known.uris).unwrap()})),
        1 => ("resources/list", json!({})),
        2 => ("resources/subscribe", json!({"uri": random.choice(&known.uris).unwrap()})),
        3 => {
            let template = "casetrack://collections/{collection}/documents/{id}";
            let argument = json!({"name": random.choice(["collection", "id"]).unwrap(), "value": word(random)});
            let context = json!({"arguments": {"collection": word(random)}});
            let reference = json!({"type": "ref/resource", "uri": template});
            ("completion/complete", json!({"ref": reference, "argument": argument, "context": context}))
        }
        4 => ("tasks/get", json!({"taskId": word(random)})),
        5 => ("tasks/cancel", json!({"taskId": word(random)})),
        6 => {
            let cursor = format!("{} ", random.choice(&known.words).unwrap());
            ("resources/list", json!({"cursor": cursor}))
        }
        7 => {
            let switch = json!({"name": "switch_collection", "arguments": {"collection_name": word(random)}});
            ("tools/call", switch)
        }
        _ => {
            let (name, schema) = random.choice(tools).unwrap();
            let mut arguments = Map::new();
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            for (field, of) in schema["properties"].as_object().into_iter().flatten() {
                // Waiting reveals nothing.
                if field != "wait_seconds" && (required.contains(&field.as_str()) || random.u8(0..3) == 0) {
                    arguments.insert(field.clone(), value(random, of, known));
                }
            }
            ("tools/call", json!({"name": name, "arguments": arguments}))
        }
    }
}

/// An answer without what differs between any two servers and from call to call: paths, times, sizes on disk and random marks.
fn plain(answer: &Value, home: &Path) -> String {
    fn without(value: &Value) -> Value {
        const VARIES: [&str; 4] = ["loaded", "pid", "data_dir", "memory"];
        match value {
            Value::Array(items) => items.iter().map(without).collect(),
            Value::Object(fields) => {
                let varies = |name: &str| {
                    VARIES.contains(&name) || ["_ms", "_at", "bytes", "seconds"].iter().any(|part| name.contains(part))
                };
                let kept = fields.iter().filter(|(name, _)| !varies(name));
                Value::Object(kept.map(|(name, value)| (name.clone(), without(value))).collect())
            }
            other => other.clone(),
        }
    }
    let mut text = without_sizes(&without(answer).to_string().replace(home.to_str().unwrap(), "HOME"));
    for mark in ["<doc ", "</doc "] {
        let parts: Vec<&str> = text.split(mark).collect();
        let rest = parts[1..].iter().map(|part| part.split_once('>').map_or(*part, |(_, rest)| rest));
        text = [parts[0]].into_iter().chain(rest).collect::<Vec<_>>().join("<mark>");
    }
    text
}

/// The text without numbers of bytes and times.
fn without_sizes(text: &str) -> String {
    const UNITS: [&str; 7] = ["bytes", "kB", "MB", "GB", "ms", "seconds", "s\\n"];
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && !".,".contains(c)).unwrap_or(rest.len());
        let is_measured = UNITS.iter().any(|unit| rest[end..].trim_start_matches(' ').starts_with(unit));
        kept.push_str(if is_measured { "#" } else { &rest[..end] });
        rest = &rest[end..];
    }
    kept + rest
}

#[test]
fn a_thousand_random_calls_tell_nothing_of_a_collection_without_a_role() {
    let dir = tempfile::tempdir().unwrap();
    let (homes, token, known) = homes(dir.path());
    let all = "toolsets = [\"all\", \"workbench\", \"files\", \"index\", \"space\", \"time\"]\n\
               [limits]\ncalls_per_minute = 100000\n";
    homes.iter().for_each(|home| std::fs::write(home.join("config.toml"), all).unwrap());
    let teams = homes.each_ref().map(|home| Team::start(home, &[]));
    let members = teams.each_ref().map(|team| Member::open(team, &token));
    for member in &members {
        assert_eq!(member.collections(), ["Visible"]);
    }
    let (tools, mut random) = (tools(), fastrand::Rng::with_seed(26));
    let (mut answered, mut switched, mut differences) = (0, 0, Vec::new());
    for number in 0..CALLS {
        let (method, params) = request(&mut random, &tools, &known);
        // Sizes and times are also in its text.
        let is_about_the_disk = matches!(params["name"].as_str(), Some("get_status" | "get_collection_info"));
        let [first, second] = members.each_ref().map(|member| member.ask(method, params.clone()));
        let pick =
            |answer: &Value| if is_about_the_disk { answer["structuredContent"].clone() } else { answer.clone() };
        let (mine, other) = (plain(&pick(&first), &homes[0]), plain(&pick(&second), &homes[1]));
        if mine != other {
            let at = mine.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| {
                String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(60)..(at + 60).min(text.len())]).into_owned()
            };
            differences.push(format!("call {number}: {method} {params}\n  {}\n  {}", around(&mine), around(&other)));
        }
        // A name that the request does not contain is in no answer at all.
        let asked = params.to_string();
        for secret in SECRETS.iter().filter(|secret| !asked.contains(**secret)) {
            assert!(!first.to_string().contains(secret), "call {number}: {method} {params}: {first}");
        }
        answered +=
            usize::from(method == "tools/call" && first["isError"] != json!(true) && first.get("code").is_none());
        switched += usize::from(params["name"] == "switch_collection" && first["isError"] != json!(true));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    // Calls that nothing hinders are among them.
    assert!(answered > 100 && switched > 3, "{answered} answers, {switched} of them to switch_collection");

    // Names that are taken there are free for one who does not see that; the other collection stays what it is.
    let ben = Member::open(&teams[0], &add(&homes[0], "ben", &["--collections"]));
    let made = ben.call("create_collection", json!({"name": "Zephyrine v Ostrobank"}));
    assert_eq!(ben.collections(), ["Zephyrine v Ostrobank"]);
    let listed = run_json(&homes[0], &["collections"]);
    let same: Vec<&Value> =
        listed.as_array().unwrap().iter().filter(|collection| collection["name"] == "Zephyrine v Ostrobank").collect();
    assert!(same.len() == 2 && same.iter().any(|collection| collection["id"] == made["id"]), "{listed}");
}
