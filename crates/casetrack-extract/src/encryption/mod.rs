//! Files that open with a password: the same file without the encryption, so that extractors never see it.
//!
//! Office files are decrypted here, before their format is detected; PDF files by pdfium. From [MS-OFFCRYPTO], agile
//! and standard encryption of Office Open XML (2.3.4) are read, and RC4, RC4 CryptoAPI and XOR obfuscation of Excel 5
//! to 2003 and Word 6 to 2003 (2.3.5 to 2.3.7); from OpenDocument, AES and Blowfish with PBKDF2.

mod agile;
mod attempt;
mod crypto;
mod doc;
mod odf;
mod ooxml;
mod package;
mod rc4;
mod standard;
mod xls;
mod xor;

use casetrack_pages::container::ole::{self, CompoundFile};
use casetrack_pages::container::zip;
use casetrack_pages::model::Source;

pub(crate) use self::attempt::DecryptedFile;

/// The passwords of files that Office only protects against changes, and opens without a prompt: Excel's and
/// PowerPoint's.
const DEFAULT_PASSWORDS: [&str; 2] = ["VelvetSweatshop", "/01Hannes Ruescher/01"];

/// The file without its encryption; `None` when it is not encrypted, or is a PDF.
///
/// A password takes up to some seconds to try: each scheme bounds the work that a file can demand.
///
/// Errors: `NeedsPassword` when neither the password of the options nor those that Office uses by itself open it;
/// `UnreadableFile` for a damaged or unknown kind of encryption.
pub(crate) fn decrypted(source: &Source) -> casetrack_core::Result<Option<DecryptedFile>> {
    let given = source.options.password.as_ref().map(|password| password.reveal());
    if zip::SIGNATURES.iter().any(|signature| source.bytes.starts_with(signature)) {
        return odf::decrypted(source, given);
    }
    let container = Some(source.bytes).filter(|bytes| bytes.starts_with(ole::SIGNATURE));
    let Some(file) = container.and_then(CompoundFile::open) else { return Ok(None) };
    let names = file.root_names();
    let has = |name: &str| names.iter().any(|candidate| candidate.eq_ignore_ascii_case(name));
    let passwords: Vec<&str> = given.into_iter().chain(DEFAULT_PASSWORDS).collect();
    let opened = if has("EncryptedPackage") || has("EncryptionInfo") {
        ooxml::decrypted(&file, &passwords).map(Some)
    } else if has("WordDocument") {
        doc::decrypted(&file, source.bytes, &passwords)
    } else {
        xls::decrypted(&file, source.bytes, &passwords)
    };
    opened.map_err(|refusal| refusal.into_error(source))
}

#[cfg(test)]
mod tests;
