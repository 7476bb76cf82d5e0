use std::io::{Cursor, Write};
use std::path::Path;

use casetrack_core::{ErrorCode, FileFormat, Limits};

use crate::test_files::{assert_page_invariants, assert_properties};
use crate::{ExtractOptions, Extraction};

fn extract(name: &str, bytes: impl AsRef<[u8]>) -> Extraction {
    let extraction = crate::extract(Path::new(name), bytes.as_ref(), &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn attachments(extraction: &Extraction) -> Vec<(&str, &[u8])> {
    extraction.attachments.iter().map(|file| (&*file.name, &*file.bytes)).collect()
}

const HEADERS: &str = "From: =?utf-8?Q?J=C3=BCrgen_M=C3=BCller?= <jm@example.com>\r\nTo: \"Ann B.\" <ann@example.com>,\r\n \
bob@example.com\r\nDate: Thu, 20 Jun 2024 09:15:30 +0200\r\nMIME-Version: 1.0\r\nSubject: =?iso-8859-1?B?TeRuZ2Vs?= im \
Keller\r\n";

const SHOWN: &str = "From: Jürgen Müller <jm@example.com>\nTo: Ann B. <ann@example.com>, bob@example.com\nDate: Thu, 20 Jun \
2024 09:15:30 +0200\nSubject: Mängel im Keller";

#[test]
fn a_message_is_a_page_of_headers_and_body() {
    let extraction = extract(
        "a.eml",
        format!(
            "{HEADERS}Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nDie W=E4nde\r\nsind feucht.\r\n\r\nGru=DF\r\n"
        ),
    );
    assert_eq!(extraction.format, FileFormat::Eml);
    assert_eq!(extraction.title.as_deref(), Some("Mängel im Keller"));
    assert_properties(&extraction, ["Jürgen Müller <jm@example.com>", "2024-06-20T09:15:30+02:00", "", "de"]);
    assert_eq!(extraction.pages[0].text, format!("{SHOWN}\n\nDie Wände\nsind feucht.\n\nGruß"));
    assert_eq!(extraction.pages[0].blocks.len(), 3);
    assert!(extraction.attachments.is_empty() && extraction.warnings.is_empty());
}

#[test]
fn attachments_keep_their_names_and_bytes() {
    let extraction = extract(
        "a.eml",
        format!(
            "{HEADERS}Content-Type: multipart/mixed; boundary=\"b 1\"\r\n\r\nFor old programs.\r\n\
             --b 1\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n\
             --b\r\n\r\nPlain body\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Plain body</p>\r\n--b--\r\n\
             --b 1\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\
             Content-Disposition: attachment; filename*=utf-8''M%C3%A4ngel%2F1.pdf\r\n\r\nJVBERi0=\r\n\
             --b 1\r\nContent-Type: text/plain; charset=iso-8859-1; name=\"=?utf-8?Q?=C3=A4.txt?=\"\r\n\r\n\u{E4}\r\n\
             --b 1\r\nContent-Type: image/png\r\nContent-ID: <1>\r\n\r\nlogo\r\n\
             --b 1\r\nContent-Type: message/rfc822\r\n\r\nSubject: Inner\r\n\r\nInner body\r\n\
             --b 1\r\nContent-Type: application/pgp-signature\r\n\r\nsigned\r\n--b 1--\r\nAfter the end.\r\n"
        ),
    );
    assert_eq!(extraction.pages[0].text, format!("{SHOWN}\nAttachments: Mängel_1.pdf; ä.txt; Inner.eml\n\nPlain body"));
    assert_eq!(
        attachments(&extraction),
        [
            ("Mängel_1.pdf", &b"%PDF-"[..]),
            ("ä.txt", "ä".as_bytes()),
            ("Inner.eml", b"Subject: Inner\r\n\r\nInner body"),
        ]
    );
    assert_eq!(extraction.warnings, ["Small pictures that its text shows were left out: attachment.png."]);
}

#[test]
fn headers_that_threads_are_made_of_are_kept() {
    let extraction = extract(
        "a.eml",
        format!(
            "{HEADERS}Message-ID: <m3@example.com>\r\nIn-Reply-To: Your message <m2@example.com>\r\nReferences: <m1@example.com>\r\n\
             \t<m2@example.com>\r\nCc: Carl\r\n\r\nText"
        ),
    );
    let mail = extraction.properties.mail.unwrap();
    assert_eq!(mail.message_id.as_deref(), Some("m3@example.com"));
    assert_eq!((mail.in_reply_to, mail.references.len()), (vec!["m2@example.com".to_owned()], 2));
    assert_eq!(mail.references, ["m1@example.com", "m2@example.com"]);
    assert_eq!(mail.subject.as_deref(), Some("Mängel im Keller"));
    assert_eq!(mail.to, ["Ann B. <ann@example.com>", "bob@example.com"]);
    assert_eq!((mail.cc, mail.bcc.len()), (vec!["Carl".to_owned()], 0));
    // Of an Outlook message in properties of their own, or in the headers as they travelled.
    let travelled = "Message-ID: <other@x>\r\nReferences: <m1@x> <m2@x>\r\n";
    let item = compound(&[
        ("/__properties_version1.0", table(32, &[])),
        ("/__substg1.0_1000001F", unicode("Text")),
        ("/__substg1.0_1035001F", unicode("<m3@x>")),
        ("/__substg1.0_1042001F", unicode("<m2@x>")),
        ("/__substg1.0_007D001F", unicode(travelled)),
        ("/__substg1.0_0E04001F", unicode("Bob; Carl")),
    ]);
    let mail = extract("a.msg", item).properties.mail.unwrap();
    assert_eq!((mail.message_id.as_deref(), mail.to), (Some("m3@x"), vec!["Bob".to_owned(), "Carl".to_owned()]));
    assert_eq!(
        (mail.in_reply_to, mail.references),
        (vec!["m2@x".to_owned()], vec!["m1@x".to_owned(), "m2@x".to_owned()])
    );
}

#[test]
fn html_is_read_where_plain_text_is_missing_or_a_stub() {
    let html =
        "<html><head><title>x</title><style>p{}</style></head><body><p>One &amp; two</p><p>three four five six</p>";
    let alone = extract("a.eml", format!("{HEADERS}Content-Type: text/html\r\n\r\n{html}"));
    let text = &alone.pages[0].text;
    assert!(text.starts_with(SHOWN) && text.contains("One & two") && !text.contains("<p"), "{text}");
    let stub = extract(
        "a.eml",
        format!(
            "{HEADERS}Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\nHTML\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}\r\n--b--"
        ),
    );
    assert!(stub.pages[0].text.contains("One & two"), "{}", stub.pages[0].text);
}

#[test]
fn damaged_structures_give_what_they_hold() {
    let multipart = format!("{HEADERS}Content-Type: multipart/mixed; boundary=b\r\n\r\n");
    let open =
        extract("a.eml", format!("{multipart}--b\r\n\r\nText\r\n--b\r\nContent-Type: text/csv; name=a.csv\r\n\r\n1;2"));
    assert_eq!(open.pages[0].text, format!("{SHOWN}\nAttachments: a.csv\n\nText"));
    assert_eq!(attachments(&open), [("a.csv", &b"1;2"[..])]);
    let missing = extract("a.eml", format!("{multipart}Text without any boundary"));
    assert_eq!(missing.pages[0].text, format!("{SHOWN}\n\nText without any boundary"));
    let headless = extract("a.eml", "Just a text\nin a file.");
    assert_eq!(headless.pages[0].text, "Just a text\nin a file.");
    let whole = format!("{multipart}--b\r\n\r\nText\r\n--b\r\nContent-Type: a/b; name=a\r\n\r\n1\r\n--b--");
    for cut in 1..whole.len() {
        // The beginning of a header has no text yet.
        match crate::extract(Path::new("a.eml"), &whole.as_bytes()[..cut], &ExtractOptions::default()) {
            Ok(extraction) => extraction.pages.iter().for_each(assert_page_invariants),
            Err(error) => assert!(error.code == ErrorCode::EmptyFile && cut < 10, "{cut}: {error}"),
        }
    }
}

#[test]
fn deep_nesting_costs_nothing() {
    let messages = "Content-Type: message/rfc822\r\n\r\n".repeat(100_000) + "Subject: deepest\r\n\r\nText";
    let extraction = extract("a.eml", format!("{HEADERS}{messages}"));
    assert_eq!(extraction.attachments.len(), 1);
    let mut multiparts = String::from(HEADERS);
    for level in 0..1000 {
        multiparts += &format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n");
    }
    extract("a.eml", multiparts + "\r\nText");
}

#[test]
fn encrypted_messages_say_so() {
    let extraction = extract(
        "a.eml",
        format!(
            "{HEADERS}Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\nMIAG"
        ),
    );
    assert_eq!(extraction.warnings, ["The message is encrypted; only its headers could be read."]);
}

#[test]
fn each_message_of_a_mailbox_is_an_attachment() {
    let extraction = extract(
        "a.mbox",
        "From a@b.c Mon Jun  1 10:00:00 2009\nFrom: a@b.c\nDate: 1 Jun 2009\nSubject: One/1\n\nText\n>From here on\n>>From\n>> From x\n\
         \nFrom now on: text\n\nFrom b@c.d Tue Jun  2 10:00:00 2009\nSubject: Two\nMessage-ID: <1@b>\n\nMore",
    );
    assert_eq!(extraction.format, FileFormat::Mbox);
    assert_eq!(extraction.pages[0].text, "1. 1 Jun 2009 · a@b.c · One/1\n2. Two");
    assert_eq!(
        attachments(&extraction),
        [
            (
                "00001 One_1.eml",
                &b"From: a@b.c\nDate: 1 Jun 2009\nSubject: One/1\n\nText\nFrom here on\n>>From\n>> From x\n\nFrom now on: text\n\n"[..]
            ),
            ("00002 Two.eml", b"Subject: Two\nMessage-ID: <1@b>\n\nMore"),
        ]
    );
}

/// A compound file of these streams; their storages are made.
fn compound(streams: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (path, bytes) in streams {
        file.create_storage_all(Path::new(path).parent().unwrap()).unwrap();
        file.create_stream(path).unwrap().write_all(bytes).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

fn unicode(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn table(header: usize, entries: &[(u32, u64)]) -> Vec<u8> {
    let mut bytes = vec![0; header];
    for (tag, value) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

fn outlook_message() -> Vec<u8> {
    let inner = "/__attach_version1.0_#00000001/__substg1.0_3701000D";
    compound(&[
        // Sent at 2024-06-20 07:15:30; strings in windows-1251.
        ("/__properties_version1.0", table(32, &[(0x0039_0040, 133_633_413_300_000_000), (0x3FFD_0003, 1251)])),
        ("/__substg1.0_0037001F", unicode("Mängel")),
        ("/__substg1.0_1000001E", b"\xCF\xF0\xE8\xE2\xE5\xF2\r\n".to_vec()),
        ("/__substg1.0_0C1A001F", unicode("Ann")),
        ("/__substg1.0_0C1F001F", unicode("/O=ORG/CN=ANN")),
        ("/__substg1.0_5D01001F", unicode("ann@example.com")),
        ("/__recip_version1.0_#00000000/__properties_version1.0", table(8, &[(0x0C15_0003, 2)])),
        ("/__recip_version1.0_#00000000/__substg1.0_3001001F", unicode("Bob")),
        ("/__attach_version1.0_#00000000/__properties_version1.0", table(8, &[])),
        ("/__attach_version1.0_#00000000/__substg1.0_3707001F", unicode("note.txt")),
        ("/__attach_version1.0_#00000000/__substg1.0_37010102", b"a note".to_vec()),
        ("/__attach_version1.0_#00000001/__properties_version1.0", table(8, &[])),
        ("/__attach_version1.0_#00000001/__substg1.0_3001001F", unicode("Inner")),
        (&format!("{inner}/__properties_version1.0"), table(24, &[(0x0039_0040, 133_633_413_300_000_000)])),
        (&format!("{inner}/__substg1.0_0037001F"), unicode("Inner subject")),
        (&format!("{inner}/__attach_version1.0_#00000000/__substg1.0_37010102"), vec![b'x'; 5000]),
    ])
}

#[test]
fn outlook_messages_are_read_like_others() {
    let bytes = outlook_message();
    let extraction = extract("a.msg", &bytes);
    assert_eq!(extraction.format, FileFormat::Msg);
    assert_eq!(extraction.title.as_deref(), Some("Mängel"));
    assert_properties(&extraction, ["Ann <ann@example.com>", "2024-06-20T07:15:30Z", "", ""]);
    assert_eq!(
        extraction.pages[0].text,
        "From: Ann <ann@example.com>\nCc: Bob\nDate: Thu, 20 Jun 2024 07:15:30 +0000\nSubject: Mängel\n\
         Attachments: note.txt; Inner.msg\n\nПривет"
    );
    assert_eq!(attachments(&extraction)[0], ("note.txt", &b"a note"[..]));
    let inner = extract("Inner.msg", &extraction.attachments[1].bytes);
    assert_eq!(inner.format, FileFormat::Msg);
    assert_eq!(
        inner.pages[0].text,
        "Date: Thu, 20 Jun 2024 07:15:30 +0000\nSubject: Inner subject\nAttachments: attachment.bin"
    );
    assert_eq!(inner.attachments[0].bytes, [b'x'; 5000]);
    // Messages have times in units of 100 nanoseconds, and no time of this extraction may be among them.
    let now = std::time::Instant::now();
    while now.elapsed() < std::time::Duration::from_micros(1) {}
    assert_eq!(extract("a.msg", &bytes).attachments, extraction.attachments, "the same bytes each time");
}

#[test]
fn a_sector_that_is_used_twice_costs_nothing() {
    let bytes = outlook_message();
    let whole = extract("a.msg", &bytes);
    let sector = 1 << u16::from_le_bytes([bytes[30], bytes[31]]);
    let table = (u32::from_le_bytes(bytes[76..80].try_into().unwrap()) as usize + 1) * sector;
    let entries: Vec<[u8; 4]> = bytes[table..table + sector].as_chunks::<4>().0.to_vec();
    let followed = entries.iter().find(|next| u32::from_le_bytes(**next) < 128).unwrap();
    let ends = entries.iter().enumerate().filter(|(_, next)| **next == [0xFE, 0xFF, 0xFF, 0xFF]);
    let changed = ends.map(|(sector, _)| {
        let mut changed = bytes.clone();
        changed[table + 4 * sector..][..4].copy_from_slice(followed);
        assert!(cfb::CompoundFile::open(Cursor::new(&changed)).is_err());
        let extraction = extract("a.msg", &changed);
        assert_eq!((extraction.pages, extraction.attachments), (whole.pages.clone(), whole.attachments.clone()));
    });
    assert!(changed.count() > 0);
}

#[test]
fn damaged_outlook_messages_end_as_an_error_or_with_text() {
    let whole = outlook_message();
    for cut in (8..whole.len()).step_by(97) {
        if let Err(error) = crate::extract(Path::new("a.msg"), &whole[..cut], &ExtractOptions::default()) {
            assert!(matches!(
                error.code,
                ErrorCode::UnreadableFile | ErrorCode::UnsupportedFormat | ErrorCode::EmptyFile
            ));
        }
    }
}

#[test]
fn attachments_beyond_the_limits_are_left_out_and_said() {
    let limits = Limits { max_attachments: 3, ..Limits::default() };
    let options = ExtractOptions { limits, ..ExtractOptions::default() };
    let message = format!(
        "{HEADERS}Content-Type: multipart/mixed; boundary=b\r\n\r\n{}",
        "--b\r\nContent-Type: a/b\r\n\r\nx\r\n".repeat(9)
    );
    let extraction = crate::extract(Path::new("a.eml"), message.as_bytes(), &options).unwrap();
    assert_eq!(extraction.attachments.len(), 3);
    assert_eq!(extraction.warnings.len(), 1);
}

#[test]
fn meetings_of_outlook_have_their_times_and_place() {
    let named = |number: u32, index: u16| [&number.to_le_bytes()[..], &[6, 0], &index.to_le_bytes()].concat();
    let set = [2, 0x20, 6, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];
    // 2024-06-11 08:00 and 10:00.
    let times = [(0x8000_0040, 133_625_664_000_000_000), (0x8001_0040, 133_625_736_000_000_000)];
    let meeting = |class: &str| {
        compound(&[
            ("/__properties_version1.0", table(32, &times)),
            ("/__nameid_version1.0/__substg1.0_00020102", set.to_vec()),
            (
                "/__nameid_version1.0/__substg1.0_00030102",
                [named(0x820D, 0), named(0x820E, 1), named(0x8208, 2)].concat(),
            ),
            ("/__substg1.0_001A001F", unicode(class)),
            ("/__substg1.0_0037001F", unicode("Walk")),
            ("/__substg1.0_1000001F", unicode("See you.")),
            ("/__substg1.0_8002001F", unicode("Saal 3")),
        ])
    };
    let text = |class| extract("a.msg", meeting(class)).pages[0].text.clone();
    let when = "When: 2024-06-11 08:00 to 10:00 (UTC)\nWhere: Saal 3";
    assert!(text("IPM.Schedule.Meeting.Request").ends_with(&format!("\n\nSee you.\n\nInvitation: Walk\n{when}")));
    let cancelled = text("IPM.Schedule.Meeting.Canceled");
    assert!(cancelled.ends_with(&format!("\n\nCancellation: Walk\nStatus: cancelled\n{when}")), "{cancelled}");
    assert!(text("IPM.Note").ends_with("\n\nSee you."));
}
