use casetrack_core::{CollectionId, ErrorCode};
use proptest::prelude::*;

use super::*;
use crate::key::VaultKey;

const NAME: &str = "dense/1.usearch";
const SEALED_BLOCK: usize = BLOCK + TAG;

fn files() -> Files {
    VaultKey::random(CollectionId::random()).unwrap().files().unwrap()
}

fn bytes(length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(length as u64);
    (0..length).map(|_| random.u8(..)).collect()
}

fn code(result: Result<Vec<u8>>) -> ErrorCode {
    result.unwrap_err().code
}

#[test]
fn files_of_every_length_around_a_block_come_back() {
    let files = files();
    for length in [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK + 77] {
        let plain = bytes(length);
        let sealed = files.seal_bytes(NAME, &plain).unwrap();
        assert_eq!(sealed.len() as u64, sealed_bytes(length as u64));
        assert_eq!(files.open_bytes(NAME, &sealed).unwrap(), plain, "{length} bytes");
        assert_ne!(files.seal_bytes(NAME, &plain).unwrap()[HEAD..], sealed[HEAD..]);
    }
}

#[test]
fn writing_in_pieces_gives_the_same_file() {
    let (files, plain) = (files(), bytes(2 * BLOCK + 5));
    let mut random = fastrand::Rng::with_seed(3);
    let mut writer = files.create(NAME, Vec::new()).unwrap();
    let (id, mut rest) = (writer.id(), plain.as_slice());
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(random.usize(..=rest.len().min(9000)));
        writer.write_all(piece).unwrap();
        writer.flush().unwrap();
        rest = others;
    }
    let sealed = writer.finish().unwrap();
    let mut reader = files.open(NAME, sealed.as_slice()).unwrap();
    assert_eq!(reader.id(), id);
    let (mut read, mut piece) = (Vec::new(), vec![0; 777]);
    loop {
        match reader.read(&mut piece).unwrap() {
            0 => break,
            n => read.extend_from_slice(&piece[..n]),
        }
    }
    assert!(read == plain);
}

#[test]
fn every_changed_byte_is_noticed() {
    let (files, plain) = (files(), bytes(300));
    let sealed = files.seal_bytes(NAME, &plain).unwrap();
    for at in 0..sealed.len() {
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed[at] ^= 1 << bit;
            let newer = at == MAGIC.len() && changed[at] > VERSION;
            let expected = if newer { ErrorCode::NewerSchema } else { ErrorCode::Corrupt };
            assert_eq!(code(files.open_bytes(NAME, &changed)), expected, "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn a_changed_byte_of_any_block_is_noticed_and_nothing_of_it_given_out() {
    let (files, plain) = (files(), bytes(2 * BLOCK + 100));
    let sealed = files.seal_bytes(NAME, &plain).unwrap();
    for at in (HEAD..sealed.len()).step_by(1999).chain([HEAD + SEALED_BLOCK - 1, HEAD + SEALED_BLOCK, sealed.len() - 1])
    {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        let mut reader = files.open(NAME, changed.as_slice()).unwrap();
        let mut read = Vec::new();
        assert_eq!(reader.read_to_end(&mut read).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(read == plain[..(at - HEAD) / SEALED_BLOCK * BLOCK]);
        // It stays an error: the end is not reached by asking again.
        assert!(reader.read(&mut [0; 8]).is_err());
    }
}

#[test]
fn a_file_that_was_cut_off_or_goes_on_is_noticed() {
    let files = files();
    for length in [0, 10, BLOCK, 2 * BLOCK, 2 * BLOCK + 10] {
        let sealed = files.seal_bytes(NAME, &bytes(length)).unwrap();
        let ends =
            (0..HEAD + 40).chain((HEAD..=sealed.len()).step_by(SEALED_BLOCK)).chain(sealed.len() - 20..sealed.len());
        for end in ends.filter(|end| *end < sealed.len()) {
            assert_eq!(code(files.open_bytes(NAME, &sealed[..end])), ErrorCode::Corrupt, "{length} cut off at {end}");
        }
        let again = &sealed[HEAD..];
        for tail in [&[0][..], &[0; TAG], &[0; SEALED_BLOCK], again] {
            let longer = [sealed.as_slice(), tail].concat();
            assert_eq!(code(files.open_bytes(NAME, &longer)), ErrorCode::Corrupt, "{length} with {} more", tail.len());
        }
    }
}

#[test]
fn blocks_that_are_exchanged_repeated_or_left_out_are_noticed() {
    let files = files();
    let sealed = files.seal_bytes(NAME, &bytes(4 * BLOCK)).unwrap();
    let other = files.seal_bytes(NAME, &bytes(4 * BLOCK)).unwrap();
    let (head, blocks) = sealed.split_at(HEAD);
    let blocks: Vec<&[u8]> = blocks.chunks(SEALED_BLOCK).collect();
    let foreign: Vec<&[u8]> = other[HEAD..].chunks(SEALED_BLOCK).collect();
    let with = |blocks: &[&[u8]]| files.open_bytes(NAME, &[head, &blocks.concat()].concat());
    assert!(with(&blocks).is_ok());
    let orders = [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [3, 1, 2, 0], [0, 0, 2, 3], [0, 1, 2, 2]];
    for order in orders {
        assert_eq!(code(with(&order.map(|at| blocks[at]))), ErrorCode::Corrupt, "{order:?}");
    }
    for left_out in 0..4 {
        let rest: Vec<&[u8]> = (0..4).filter(|at| *at != left_out).map(|at| blocks[at]).collect();
        assert_eq!(code(with(&rest)), ErrorCode::Corrupt, "without {left_out}");
        let mut mixed = blocks.clone();
        mixed[left_out] = foreign[left_out];
        assert_eq!(code(with(&mixed)), ErrorCode::Corrupt, "with {left_out} of another file");
    }
    assert_eq!(code(files.open_bytes(NAME, &[&other[..HEAD], &sealed[HEAD..]].concat())), ErrorCode::Corrupt);
}

#[test]
fn a_file_opens_under_its_own_name_and_key_only() {
    let (own, other) = (files(), files());
    let sealed = own.seal_bytes("sparse/a", b"text").unwrap();
    assert_eq!(code(own.open_bytes("sparse/b", &sealed)), ErrorCode::Corrupt);
    assert_eq!(code(other.open_bytes("sparse/a", &sealed)), ErrorCode::Corrupt);
    let message = own.open_bytes("sparse/b", &sealed).unwrap_err().message;
    assert!(message.contains("sparse/b"), "{message}");
}

#[test]
fn a_file_that_was_not_finished_does_not_open() {
    let files = files();
    let mut sealed = Vec::new();
    let mut writer = files.create(NAME, &mut sealed).unwrap();
    writer.write_all(&bytes(BLOCK + 1)).unwrap();
    drop(writer);
    assert_eq!(sealed.len(), HEAD + SEALED_BLOCK);
    assert_eq!(code(files.open_bytes(NAME, &sealed)), ErrorCode::Corrupt);
}

proptest! {
    #[test]
    fn any_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400), is_file in any::<bool>()) {
        let mut bytes = bytes;
        if is_file {
            bytes.splice(0..0, [MAGIC.as_slice(), &[VERSION]].concat());
        }
        prop_assert!(files().open_bytes(NAME, &bytes).is_err());
    }
}
