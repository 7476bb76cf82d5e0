//! Speed of XChaCha20-Poly1305, with which a vault encrypts, beside AES-256-GCM-SIV, which it could use instead.
//!
//! usage: cargo run --release --manifest-path benches/store/aead-peer/Cargo.toml [ROUNDS]
//!
//! Values of 256 bytes (a record), 16 KiB (a block) and 64 KiB (a block of a file) are sealed and opened in place, by one thread, with the
//! instructions that the processor has. The two take turns in each of the ROUNDS [default: 9]. Printed are the medians in MB/s, and how many times as
//! fast AES-256-GCM-SIV is.

use std::env;
use std::hint::black_box;
use std::time::Instant;

use aes_gcm_siv::Aes256GcmSiv;
use chacha20poly1305::aead::{AeadInOut, KeyInit, Nonce};
use chacha20poly1305::XChaCha20Poly1305;

const SIZES: [usize; 3] = [256, 16 << 10, 64 << 10];
/// Bytes that are sealed, and opened, in a round.
const BYTES: usize = 64 << 20;

fn main() {
    let rounds = env::args().nth(1).map_or(9, |rounds| rounds.parse().expect("ROUNDS is a number"));
    for size in SIZES {
        let (mut chacha, mut aes) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            chacha.push(speed::<XChaCha20Poly1305>(size));
            aes.push(speed::<Aes256GcmSiv>(size));
        }
        for (what, of) in [("seal", 0), ("open", 1)] {
            let median = |speeds: &[[f64; 2]]| {
                let mut speeds: Vec<f64> = speeds.iter().map(|speeds| speeds[of]).collect();
                speeds.sort_by(f64::total_cmp);
                speeds[speeds.len() / 2]
            };
            let (chacha, aes) = (median(&chacha), median(&aes));
            println!("{what} {size} bytes: XChaCha20-Poly1305 {chacha:.0} MB/s, AES-256-GCM-SIV {aes:.0} MB/s, {:.2} times", aes / chacha);
        }
    }
}

/// MB/s of sealing and of opening.
fn speed<C: AeadInOut + KeyInit>(size: usize) -> [f64; 2] {
    let cipher = C::new_from_slice(&[7; 32]).expect("a key of 32 bytes");
    let nonce = Nonce::<C>::default();
    let mut value = vec![7; size];
    let count = BYTES / size;
    let mut sealing = 0.0;
    let mut opening = 0.0;
    for _ in 0..count {
        let begun = Instant::now();
        let tag = cipher.encrypt_inout_detached(&nonce, b"place", value.as_mut_slice().into()).expect("it is short enough");
        let sealed = Instant::now();
        cipher.decrypt_inout_detached(&nonce, b"place", value.as_mut_slice().into(), &tag).expect("it is as it was sealed");
        opening += sealed.elapsed().as_secs_f64();
        sealing += (sealed - begun).as_secs_f64();
        black_box(&value);
    }
    [sealing, opening].map(|seconds| (count * size) as f64 / seconds / 1e6)
}
