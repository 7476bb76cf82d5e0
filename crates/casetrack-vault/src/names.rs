//! Ids and digests within keys of a database.
//!
//! Values can be sealed; keys must stay comparable. An id that follows from a text, or a digest of a path or a content,
//! would reveal to anyone who has the text that it is there. So blocks of 16 bytes are replaced by others: AES-256 as a
//! permutation with a secret key. Equal blocks stay equal: an observer who reads a database twice sees which entries
//! stayed, but not their content.

use aes::Aes256;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

use crate::secret::Secret;

pub struct Names(Aes256);

impl Names {
    pub(crate) fn new(ids: &Secret) -> Self {
        Self(Aes256::new(&Array::from(*ids.reveal())))
    }

    /// The block that stands for another. No two get the same.
    pub fn mask(&self, id: &[u8; 16]) -> [u8; 16] {
        let mut block = Array::from(*id);
        self.0.encrypt_block(&mut block);
        block.into()
    }

    /// The block that [`mask`](Self::mask) replaced.
    pub fn unmask(&self, masked: &[u8; 16]) -> [u8; 16] {
        let mut block = Array::from(*masked);
        self.0.decrypt_block(&mut block);
        block.into()
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Names(***)")
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::CollectionId;
    use proptest::prelude::*;

    use super::*;
    use crate::key::VaultKey;

    proptest! {
        #[test]
        fn ids_come_back(id in any::<[u8; 16]>(), other in any::<[u8; 16]>()) {
            let names = VaultKey::random(CollectionId::random()).unwrap().names().unwrap();
            prop_assert_eq!(names.unmask(&names.mask(&id)), id);
            prop_assert_eq!(names.mask(&id) == names.mask(&other), id == other);
        }
    }

    /// FIPS 197, appendix C.3.
    #[test]
    fn aes_is_that_of_the_standard() {
        let bytes = |range: std::ops::Range<u8>| range.collect::<Vec<u8>>();
        let key = Secret::copied(&bytes(0..32)).unwrap();
        let names = Names::new(&key);
        let block = std::array::from_fn(|at| 0x11 * at as u8);
        let expected = [0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89];
        assert_eq!(names.mask(&block), expected);
    }
}
