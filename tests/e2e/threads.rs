//! Conversations by e-mail: threads, what is missing in them, copies, attachments, and quotations in searches.

use serde_json::{Value, json};

use crate::client::{Client, run, run_expecting, run_json, write_files};

const RENT: &str =
    "The rent of the mill is due on the first Friday of each month, and the miller pays for the repair of the sluice.";

/// A message, with its id, the ids before it, and what it says.
fn mail(from: &str, to: &str, day: u32, subject: &str, [id, references]: [&str; 2], body: &str) -> String {
    let ids = |label: &str, ids: &str| match ids {
        "" => String::new(),
        ids => {
            let ids: Vec<String> = ids.split(' ').map(|id| format!("<{id}@mill>")).collect();
            format!("{label}: {}\r\n", ids.join(" "))
        }
    };
    format!(
        "Received: from mill\r\nMIME-Version: 1.0\r\nFrom: {from} <{from}@mill>\r\nTo: {to}@mill\r\nDate: {day:02} Jun 2024 10:00:00 +0000\r\n\
         Subject: {subject}\r\n{}{}Content-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n",
        ids("Message-ID", id),
        ids("References", references),
    )
}

fn matter(dir: &std::path::Path) -> Client {
    let first = mail("ann", "bob", 1, "Rent", ["a", ""], RENT);
    let answer = mail(
        "bob",
        "ann",
        2,
        "AW: Rent",
        ["b", "a"],
        &format!("Einverstanden.\n\nAm 01.06.2024 um 10:00 schrieb ann:\n> {}", RENT.replace(" and ", "\n> and ")),
    );
    let with_plan = mail("carl", "ann", 4, "Re: Rent", ["d", "a gone"], "The sluice is broken, see the plan.").replace(
        "Content-Type: text/plain; charset=utf-8\r\n\r\n",
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n",
    ) + "--b\r\nContent-Type: text/plain; name=plan.txt\r\nContent-Disposition: attachment\r\n\r\nThe plan of the sluice.\r\n--b--\r\n";
    let forwarded = mail(
        "bob",
        "dora",
        5,
        "WG: Rent",
        ["e", ""],
        &format!("-----Original Message-----\nFrom: ann\nSent: Saturday\nTo: bob\nSubject: Rent\n\n{RENT}"),
    );
    let mailbox: String = [&first, &answer, &with_plan]
        .iter()
        .map(|mail| format!("From mill Sat Jun  1 10:00:00 2024\r\n{mail}\r\n"))
        .collect();
    let other = mail("eve", "zoe", 6, "Rent", ["f", ""], "We sell slates to everybody who asks.");
    write_files(
        &dir.join("files"),
        &[("ann.mbox", &mailbox), ("bob/Rent.eml", &first), ("bob/Forwarded.eml", &forwarded), ("Slates.eml", &other)],
    );
    Client::start_in(&dir.join("home"), "Mill", &dir.join("files"))
}

/// Depth and name of each message of a thread; the id of one that is missing.
fn shown(thread: &Value) -> Vec<String> {
    let message = |message: &Value| {
        let name = message["document_name"].as_str().or(message["missing"].as_str()).unwrap();
        format!("{} {}", message["depth"], name.rsplit(std::path::is_separator).next().unwrap())
    };
    thread["messages"].as_array().unwrap().iter().map(message).collect()
}

#[test]
fn threads_have_their_messages_copies_attachments_and_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = matter(dir.path());
    let (text, found) = client.call("list_threads", json!({}));
    assert_eq!((&found["messages"], &found["total"]), (&json!(6), &json!(2)), "{found:#}");
    assert_eq!(shown(&found["threads"][0]), ["0 Slates.eml"]);
    let thread = &found["threads"][1];
    assert_eq!(
        shown(thread),
        ["0 00001 Rent.eml", "1 00002 AW: Rent.eml", "1 gone@mill", "2 00003 Re: Rent.eml", "1 Forwarded.eml"]
    );
    assert_eq!((&thread["subject"], &thread["total"], &thread["missing"]), (&json!("Rent"), &json!(4), &json!(1)));
    assert_eq!(
        (&thread["first_date"], &thread["last_date"]),
        (&json!("2024-06-01T10:00:00Z"), &json!("2024-06-05T10:00:00Z"))
    );
    assert_eq!(thread["participants"].as_array().unwrap().len(), 4, "{thread:#}");
    let messages = thread["messages"].as_array().unwrap();
    assert!(messages[0]["copies"][0].as_str().unwrap().ends_with("Rent.eml"), "{thread:#}");
    assert!(messages[3]["attachments"][0].as_str().unwrap().ends_with("plan.txt"));
    assert!(messages[0]["citation"].as_str().unwrap().ends_with("p. 1, para. 1, ll. 1-4"), "{thread:#}");
    assert_eq!((&messages[1]["linked_by"], &messages[1]["own_words"]), (&json!("headers"), &json!(1)));
    assert_eq!(messages[1]["quotes"][0]["words"], 24, "{thread:#}");
    assert_eq!((&messages[4]["linked_by"], &messages[4]["quotes"][0]["words"]), (&json!("quotation"), &json!(24)));
    assert!(text.contains("- not in the collection: message gone@mill"), "{text}");
    let (_, one) = client.call("list_threads", json!({"document_filter": "Slates"}));
    assert_eq!(one["threads"].as_array().unwrap().len(), 1);
    let (_, part) = client.call("list_threads", json!({"limit": 1}));
    assert_eq!((&part["next_offset"], part["threads"].as_array().unwrap().len()), (&json!(1), 1));
    let refused = client.call_failing("list_threads", json!({"document_filter": "ann.mbox"}));
    assert!(refused.contains("ann.mbox is not an e-mail."), "{refused}");
    client.close();
    let home = &dir.path().join("home");
    // By what is attached to a message of it.
    let plan = messages[3]["attachments"][0].as_str().unwrap();
    let found = run_json(home, &["threads", plan, "-c", "Mill"]);
    assert_eq!((found["total"].as_u64(), found["threads"][0]["total"].as_u64()), (Some(1), Some(4)));
    assert!(run(home, &["threads", "-c", "Mill", "--limit", "1"]).contains("1 more: see them with --offset 1."));
    run_expecting(1, home, &["threads", "Ghost", "-c", "Mill"]);
    let misplaced = run_expecting(1, home, &["threads", "Mill", "--json"]);
    assert!(misplaced.contains("casetrack threads -c"), "{misplaced}");
}

#[test]
fn a_message_that_only_quotes_another_result_is_folded_into_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = matter(dir.path());
    for brief in [false, true] {
        let arguments = json!({"query": "who pays for the repair of the sluice", "brief": brief});
        let (text, found) = client.call("search_documents", arguments);
        if brief {
            let quotes = found["hits"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|hit| hit["quote"].as_str().unwrap().contains("repair of the sluice"));
            assert_eq!(quotes.count(), 1, "{found:#}");
            continue;
        }
        let results = found["results"].as_array().unwrap();
        let says_so: Vec<&Value> =
            results.iter().filter(|result| result["text"].as_str().unwrap().contains("repair of the sluice")).collect();
        assert_eq!(says_so.len(), 1, "{found:#}");
        let repeated = says_so[0]["repeated_in"].as_array().unwrap();
        // A copy of the message, the answer and the forward.
        assert_eq!(repeated.len(), 3, "{found:#}");
        assert_eq!(repeated.iter().filter(|place| place["is_quotation"] == true).count(), 2, "{found:#}");
        assert!(text.contains("(quotes it)"), "{text}");
    }
    client.close();
}
