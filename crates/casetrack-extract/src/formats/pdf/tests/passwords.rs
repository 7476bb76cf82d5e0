use md5::{Digest, Md5};
use rc4::{KeyInit, Rc4, StreamCipher};

use super::*;

/// The file, to be opened with one of these passwords (ISO 32000-1, 7.6.2 and 7.6.3, RC4 with 128 bits).
fn protected(file: &[u8], user: &str, owner: &str) -> Vec<u8> {
    /// Fills passwords up.
    const PADDING: &[u8; 32] = b"\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\
        \x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A";
    const ID: &[u8] = b"0123456789abcdef";
    let padded = |password: &str| [password.as_bytes(), PADDING].concat()[..32].to_vec();
    let hashed =
        |bytes: &[u8], rounds: u32| (1..rounds).fold(Md5::digest(bytes).to_vec(), |last, _| Md5::digest(last).to_vec());
    let encrypted = |key: &[u8], plain: &[u8]| {
        let mut data = plain.to_vec();
        for round in 0..20 {
            let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
            Rc4::new_from_slice(&key).unwrap().apply_keystream(&mut data);
        }
        data
    };
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let owner = encrypted(&hashed(&padded(owner), 51), &padded(user));
    let key = hashed(&[&padded(user), &owner, &(-4i32).to_le_bytes()[..], ID].concat(), 51);
    let mut user = encrypted(&key, &Md5::digest([PADDING, ID].concat()));
    user.resize(32, 0);
    let dictionary = format!(
        "<< /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{}> /U <{}> >> /ID [<{id}> <{id}>]",
        hex(&owner),
        hex(&user),
        id = hex(ID)
    );
    let text = std::str::from_utf8(file).unwrap();
    let mut file = file.to_vec();
    const BEGINNING: &str = " >>\nstream\n";
    for (at, _) in text.match_indices(BEGINNING) {
        let (object, _) = text[..at].rsplit_once(" 0 obj").unwrap();
        let number: u32 = object.rsplit('\n').next().unwrap().parse().unwrap();
        let length: usize = text[..at].rsplit(' ').next().unwrap().parse().unwrap();
        let key = Md5::digest([&key, &number.to_le_bytes()[..3], &[0, 0]].concat());
        let start = at + BEGINNING.len();
        Rc4::new_from_slice(&key).unwrap().apply_keystream(&mut file[start..start + length]);
    }
    let at = text.rfind("trailer\n<<").unwrap();
    file.splice(at..at + 10, format!("trailer\n{dictionary}").into_bytes());
    file
}

#[test]
fn the_password_of_the_user_or_the_owner_opens() {
    let plain = pdf_file("", &[text(&PARAGRAPH)]);
    let read = |bytes: &[u8], password: Option<&str>| {
        let password = password.map(|password| password.to_owned().into());
        crate::extract(Path::new("lease.pdf"), bytes, &ExtractOptions { password, ..ExtractOptions::default() })
    };
    let file = protected(&plain, "tenant", "landlord");
    for password in ["tenant", "landlord"] {
        assert_eq!(read(&file, Some(password)).unwrap().pages, read(&plain, None).unwrap().pages);
    }
    let missing = read(&file, None).unwrap_err();
    assert_eq!((missing.code, missing.message.as_str()), (ErrorCode::NeedsPassword, "lease.pdf needs a password."));
    let wrong = read(&file, Some("stranger")).unwrap_err();
    assert!(wrong.code == ErrorCode::NeedsPassword && wrong.message.contains("is wrong"), "{}", wrong.message);
    // Protected against changes only.
    let file = protected(&plain, "", "landlord");
    assert!(read(&file, None).is_ok() && read(&file, Some("of other files")).is_ok());
}
