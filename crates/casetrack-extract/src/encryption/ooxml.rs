//! Office Open XML packages in a compound file ([MS-OFFCRYPTO] 1.3.2): the stream EncryptionInfo describes the
//! encryption, EncryptedPackage holds the package behind its size.

use casetrack_pages::container::ole::{CompoundFile, u16_at};

use super::attempt::{Attempt, DecryptedFile, Refusal, first_right};
use super::package::{SIZE_BYTES, without_size};
use super::{agile, standard};

pub(super) fn decrypted(file: &CompoundFile, passwords: &[&str]) -> Attempt<DecryptedFile> {
    let missing = Refusal::Damaged("the description of its encryption is missing or incomplete");
    let Some(info) = file.stream(&["EncryptionInfo"]) else { return Err(missing) };
    let Some((major, minor)) = u16_at(&info, 0).zip(u16_at(&info, 2)) else { return Err(missing) };
    let package = file.stream(&["EncryptedPackage"]).filter(|package| package.len() > SIZE_BYTES);
    let package = package.ok_or(Refusal::Damaged("its encrypted package is missing"))?;
    match (major, minor) {
        (4, 4) => {
            let description = agile::Description::parse(info.get(SIZE_BYTES..).unwrap_or_default())?;
            let key = first_right(passwords, |password| description.key(password))?;
            description.open(&key, package)
        }
        (2..=4, 2) => {
            let description = standard::Description::parse(&info).ok_or(missing)??;
            let key = first_right(passwords, |password| description.key(password))?;
            let mut bytes = package;
            standard::decrypt_blocks(&key, &mut bytes[SIZE_BYTES..])?;
            Ok(without_size(bytes))
        }
        _ => Err(Refusal::Unsupported(format!("version {major}.{minor} of Office encryption"))),
    }
}
