//! The test vectors of age (<https://c2sp.org/CCTV/age>), unchanged in `tests/age`, without those about armour and
//! hybrid keys and three long ones. Each file begins with the expected result.

use std::io::Read;

use casetrack_core::ErrorCode;
use sha2::Digest;

use super::*;

struct Vector {
    name: String,
    expect: String,
    payload: Option<String>,
    identities: Vec<Identity>,
    passphrases: Vec<String>,
    file: Vec<u8>,
}

impl Vector {
    fn read(path: &std::path::Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
        let (head, file) = (std::str::from_utf8(&bytes[..end]).unwrap(), &bytes[end + 2..]);
        let all = |wanted: &str| -> Vec<String> {
            let pairs = head.lines().filter_map(|line| line.split_once(": "));
            pairs.filter(|(key, _)| *key == wanted).map(|(_, value)| value.to_owned()).collect()
        };
        let mut unpacked = Vec::new();
        match all("compressed").first().map(String::as_str) {
            None => unpacked.extend_from_slice(file),
            Some("zlib") => drop(flate2::read::ZlibDecoder::new(file).read_to_end(&mut unpacked).unwrap()),
            Some(other) => panic!("{other}"),
        }
        Self {
            name: path.file_name().unwrap().to_str().unwrap().to_owned(),
            expect: all("expect").remove(0),
            payload: all("payload").pop(),
            identities: match all("identity") {
                // A file without any header is refused for every identity.
                none if none.is_empty() && all("passphrase").is_empty() => vec![Identity::random().unwrap()],
                some => some.iter().map(|text| Identity::from_text(text).unwrap()).collect(),
            },
            passphrases: all("passphrase"),
            file: unpacked,
        }
    }

    fn keys(&self) -> impl Iterator<Item = Key<'_>> {
        let passphrases = self.passphrases.iter().map(|text| Key::Passphrase(text));
        self.identities.iter().map(Key::Identity).chain(passphrases)
    }

    /// The content that the first fitting key opens, or the error.
    fn decrypted<R: Read>(&self, open: impl Fn(Key<'_>) -> Result<Option<R>>) -> String {
        let mut opened = None;
        for key in self.keys() {
            match open(key) {
                Ok(found) => opened = opened.or(found),
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::Corrupt, "{}", self.name);
                    return "refused".into();
                }
            }
        }
        let Some(mut reader) = opened else { return "no match".into() };
        let mut content = Vec::new();
        match reader.read_to_end(&mut content) {
            Ok(_) => sha2::Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect(),
            Err(_) => "refused".into(),
        }
    }
}

#[test]
fn the_test_vectors_of_age_come_out_as_they_should() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/age");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let vector = Vector::read(&entry.unwrap().path());
        let expected = match vector.expect.as_str() {
            "success" => vector.payload.clone().unwrap(),
            "no match" => "no match".to_owned(),
            "header failure" | "HMAC failure" | "payload failure" => "refused".to_owned(),
            other => panic!("{}: {other}", vector.name),
        };
        let in_order = vector.decrypted(|key| Decryptor::new(key, vector.file.as_slice()));
        assert_eq!(in_order, expected, "{}", vector.name);
        let in_any = vector.decrypted(|key| RandomDecryptor::new(key, io::Cursor::new(vector.file.as_slice())));
        // A change in the middle is noticed when it is read: all of it was.
        assert_eq!(in_any, expected, "{}, in any order", vector.name);
        seen += 1;
    }
    assert!(seen > 80, "{seen}");
}
