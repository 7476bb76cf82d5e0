use casetrack_core::*;
use casetrack_extract::*;
use std::path::{Path, PathBuf};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mode = args[0].clone();
    let mut files: Vec<PathBuf> = args[1..]
        .iter()
        .flat_map(|p| {
            let p = Path::new(p);
            if p.is_dir() {
                let mut v: Vec<_> = std::fs::read_dir(p).unwrap().map(|e| e.unwrap().path()).collect();
                v.sort();
                v
            } else {
                vec![p.to_path_buf()]
            }
        })
        .collect();
    files.retain(|f| f.is_file());
    let start = Instant::now();
    let (mut pages, mut chars, mut chunks, mut tchunk) = (0, 0, 0, 0.0);
    for f in &files {
        let bytes = std::fs::read(f).unwrap();
        let t = Instant::now();
        let r = extract(f, &bytes, &ExtractOptions::default());
        let dt = t.elapsed().as_secs_f64();
        let name = f.file_name().unwrap().to_string_lossy().into_owned();
        match r {
            Ok(x) => {
                pages += x.pages.len();
                let c: usize = x.pages.iter().map(|p| p.text.chars().count()).sum();
                chars += c;
                let t = Instant::now();
                let ch = chunker::chunk_pages(DocumentId::from_bytes([1; 16]), &x.pages, &ChunkConfig::default());
                tchunk += t.elapsed().as_secs_f64();
                chunks += ch.len();
                match mode.as_str() {
                    "time" => {}
                    "sum" => println!(
                        "{name}\tOK\t{:?}\t{}p\t{c}c\t{}ch\t{:?}\t{:?}\t{}\t{dt:.3}",
                        x.format,
                        x.pages.len(),
                        ch.len(),
                        infer_document_type(&x, &name),
                        x.title,
                        x.warnings.join(" | ")
                    ),
                    "text" => {
                        for p in &x.pages {
                            println!("\x0c{}", p.text);
                        }
                    }
                    "out" => {
                        let mut s = String::new();
                        for p in &x.pages {
                            s.push_str(&p.text);
                            s.push('\x0c');
                        }
                        std::fs::write(format!("/tmp/out/{name}.txt"), s).unwrap();
                    }
                    "blocks" => {
                        for p in &x.pages {
                            println!("=== page {} {:?}", p.number, p.sheet_name);
                            let cs: Vec<char> = p.text.chars().collect();
                            for b in &p.blocks {
                                println!(
                                    "{:?}: {}",
                                    b.kind,
                                    cs[b.char_start as usize..b.char_end as usize].iter().collect::<String>()
                                );
                            }
                        }
                        println!("{:?}", x.warnings)
                    }
                    "chunks" => {
                        for c in &ch {
                            println!(
                                "--- {} p{} l{}-{} para{}-{} rows{:?} path{:?} boxes{} ctx={:?}\n{}",
                                c.index,
                                c.page,
                                c.line_start,
                                c.line_end,
                                c.paragraph_start,
                                c.paragraph_end,
                                c.row_range,
                                c.heading_path,
                                c.bounding_boxes.len(),
                                c.context,
                                c.text
                            );
                        }
                    }
                    _ => panic!(),
                }
            }
            Err(e) => println!("{name}\tERR\t{}\t{}\t{dt:.3}", e.code.name(), e.message),
        }
    }
    let dt = start.elapsed().as_secs_f64();
    eprintln!(
        "{} files {pages} pages {chars} chars {chunks} chunks in {dt:.2}s ({tchunk:.3}s chunking) {:.1} pages/s",
        files.len(),
        pages as f64 / dt
    );
}
