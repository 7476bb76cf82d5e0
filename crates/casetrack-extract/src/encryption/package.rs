//! The stream EncryptedPackage, once it is decrypted: its size, then the package.

use casetrack_pages::container::ole::u32_at;

use super::attempt::DecryptedFile;

/// The size of the package before its first encrypted byte.
pub(super) const SIZE_BYTES: usize = 8;

pub(super) fn without_size(mut decrypted: Vec<u8>) -> DecryptedFile {
    let size = u32_at(&decrypted, 0)
        .zip(u32_at(&decrypted, 4))
        .map_or(0, |(low, high)| u64::from(high) << 32 | u64::from(low));
    decrypted.drain(..SIZE_BYTES.min(decrypted.len()));
    let is_short = size > decrypted.len() as u64;
    decrypted.truncate(usize::try_from(size).unwrap_or(usize::MAX));
    DecryptedFile {
        bytes: decrypted,
        warning: is_short.then_some("The encrypted file is damaged: its end is missing."),
    }
}
