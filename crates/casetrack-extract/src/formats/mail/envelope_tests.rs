//! Signed, compressed and encrypted messages. The content belongs to the message, and only encrypted mail is called encrypted.

use std::io::{Cursor, Write};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::formats::signed::tests::{encrypted, signed};
use crate::{ExtractOptions, Extraction};

const ENTITY: &str = "Content-Type: multipart/mixed; boundary=in\r\n\r\n--in\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n\
    Die W\u{E4}nde sind feucht.\r\n--in\r\nContent-Type: text/csv; name=a.csv\r\n\r\n1;2\r\n--in--\r\n";
const SIGNED: &str = "The message is signed; the signature was not verified.";
const ENCRYPTED: &str = "The message is encrypted; only its headers could be read.";

fn extract(name: &str, bytes: &[u8]) -> Extraction {
    crate::extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap()
}

/// A message whose whole content is this, in base64.
fn mail(content_type: &str, content: &[u8]) -> Vec<u8> {
    let lines = STANDARD.encode(content);
    format!(
        "From: a@b.example\r\nSubject: Walls\r\nMIME-Version: 1.0\r\nContent-Type: {content_type}\r\n\
         Content-Disposition: attachment; filename=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n{lines}\r\n"
    )
    .into_bytes()
}

fn names(extraction: &Extraction) -> Vec<&str> {
    extraction.attachments.iter().map(|file| file.name.as_str()).collect()
}

#[test]
fn a_message_in_one_piece_with_its_signature_is_read() {
    for content_type in [
        "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
        "application/x-pkcs7-mime; name=smime.p7m",
        // A wrong claim.
        "application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m",
        "application/octet-stream; name=smime.p7m",
    ] {
        let extraction = extract("a.eml", &mail(content_type, &signed(ENTITY.as_bytes())));
        let text = &extraction.pages[0].text;
        assert_eq!(
            text, "From: a@b.example\nSubject: Walls\nAttachments: a.csv\n\nDie Wände sind feucht.",
            "{content_type}"
        );
        assert_eq!((names(&extraction), &extraction.warnings[..]), (vec!["a.csv"], &[SIGNED.to_owned()][..]));
    }
    // Signed twice.
    let inner = format!(
        "Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
        STANDARD.encode(signed(b"Content-Type: text/plain\r\n\r\nTwice."))
    );
    let twice = extract("a.eml", &mail("application/pkcs7-mime", &signed(inner.as_bytes())));
    assert!(twice.pages[0].text.ends_with("\n\nTwice."));
}

#[test]
fn a_message_beside_its_signature_is_read() {
    for (protocol, signature) in [
        ("application/pkcs7-signature", "Content-Type: application/pkcs7-signature; name=smime.p7s"),
        ("application/x-pkcs7-signature", "Content-Type: application/octet-stream; name=smime.p7s"),
        ("application/pgp-signature", "Content-Type: application/pgp-signature; name=signature.asc"),
    ] {
        let mail = format!(
            "Subject: Walls\r\nMIME-Version: 1.0\r\nContent-Type: multipart/signed; protocol=\"{protocol}\"; boundary=b\r\n\r\n\
             --b\r\n{ENTITY}\r\n--b\r\n{signature}\r\nContent-Disposition: attachment\r\n\r\nMIAG\r\n--b--\r\n"
        );
        let extraction = extract("a.eml", mail.as_bytes());
        assert_eq!(
            (names(&extraction), &extraction.warnings[..]),
            (vec!["a.csv"], &[SIGNED.to_owned()][..]),
            "{protocol}"
        );
        assert!(extraction.pages[0].text.ends_with("\n\nDie Wände sind feucht."));
    }
}

#[test]
fn only_encrypted_messages_are_called_encrypted() {
    let opaque = extract("a.eml", &mail("application/pkcs7-mime; name=smime.p7m", &encrypted()));
    assert_eq!(opaque.warnings, [ENCRYPTED]);
    let pgp = "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/encrypted; boundary=b\r\n\r\n--b\r\n\
        Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b\r\nContent-Type: application/octet-stream; name=encrypted.asc\r\n\r\n\
        -----BEGIN PGP MESSAGE-----\r\nhQ\r\n--b--\r\n";
    let pgp = extract("a.eml", pgp.as_bytes());
    assert_eq!((&pgp.warnings[..], pgp.attachments.len()), (&[ENCRYPTED.to_owned()][..], 0));
    let in_text = extract("a.eml", b"Subject: x\r\nMIME-Version: 1.0\r\n\r\n-----BEGIN PGP MESSAGE-----\r\n\r\nhQ\r\n");
    assert_eq!(in_text.warnings, [ENCRYPTED]);
    // A signed or an encrypted file in a mail that is neither.
    for file in [signed(b"The rent."), encrypted()] {
        let mail = format!(
            "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello.\r\n--b\r\n\
             Content-Type: application/pkcs7-mime; name=lease.txt.p7m\r\nContent-Disposition: attachment; filename=lease.txt.p7m\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--b--\r\n",
            STANDARD.encode(file)
        );
        let extraction = extract("a.eml", mail.as_bytes());
        assert_eq!((names(&extraction), extraction.warnings.len()), (vec!["lease.txt.p7m"], 0));
    }
}

/// An Outlook message of a class, with one attachment.
fn item(class: &str, attachment: &[u8]) -> Vec<u8> {
    let unicode = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (path, bytes) in [
        ("/__properties_version1.0", vec![0; 32]),
        ("/__substg1.0_001A001F", unicode(class)),
        ("/__substg1.0_0037001F", unicode("Walls")),
        ("/__attach_version1.0_#00000000/__properties_version1.0", vec![0; 8]),
        ("/__attach_version1.0_#00000000/__substg1.0_3707001F", unicode("smime.p7m")),
        ("/__attach_version1.0_#00000000/__substg1.0_37010102", attachment.to_vec()),
    ] {
        file.create_storage_all(Path::new(path).parent().unwrap()).unwrap();
        file.create_stream(path).unwrap().write_all(&bytes).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

#[test]
fn messages_of_outlook_are_opened_alike() {
    let beside = format!(
        "Content-Type: multipart/signed; protocol=\"application/pkcs7-signature\"; boundary=b\r\n\r\n--b\r\n{ENTITY}\r\n--b\r\n\
         Content-Type: application/pkcs7-signature\r\n\r\nMIAG\r\n--b--\r\n"
    );
    for (class, attachment) in
        [("IPM.Note.SMIME", signed(ENTITY.as_bytes())), ("IPM.Note.SMIME.MultipartSigned", beside.into_bytes())]
    {
        let extraction = extract("a.msg", &item(class, &attachment));
        assert_eq!(extraction.pages[0].text, "Subject: Walls\nAttachments: a.csv\n\nDie Wände sind feucht.", "{class}");
        assert_eq!(extraction.warnings, [SIGNED]);
    }
    assert_eq!(extract("a.msg", &item("IPM.Note.SMIME", &encrypted())).warnings, [ENCRYPTED]);
    let unknown = extract("a.msg", &item("IPM.Note.SMIME", b"?"));
    assert_eq!(unknown.warnings, ["The message is in an envelope of S/MIME that could not be opened."]);
}

#[test]
fn a_message_of_apple_mail_and_files_in_its_text_are_read() {
    let message = "From: a@b.example\nSubject: Walls\n\nSee file.\n\nbegin 644 note.txt\n#0V%T\n`\nend\n";
    let list = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict/></plist>\n";
    let extraction = extract("1.emlx", format!("{}\n{message}{list}", message.len()).as_bytes());
    assert_eq!(extraction.pages[0].text, "From: a@b.example\nSubject: Walls\nAttachments: note.txt\n\nSee file.");
    assert_eq!(names(&extraction), ["note.txt"]);
}
