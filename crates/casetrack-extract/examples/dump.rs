use std::path::Path;
fn main() {
    let out = std::env::args().nth(1).unwrap();
    std::fs::create_dir_all(&out).unwrap();
    for f in std::env::args().skip(2) {
        let bytes = std::fs::read(&f).unwrap();
        let name = Path::new(&f).file_name().unwrap().to_string_lossy().into_owned();
        let t = std::time::Instant::now();
        match casetrack_extract::extract(Path::new(&f), &bytes, &Default::default()) {
            Ok(e) => {
                let n: usize = e.pages.iter().map(|p| p.text.chars().count()).sum();
                println!(
                    "OK\t{name}\t{:?}\t{} pages\t{} chars\t{:?}\t{:?}\t{:?}",
                    e.format,
                    e.pages.len(),
                    n,
                    e.title,
                    e.warnings,
                    t.elapsed()
                );
                let mut s = String::new();
                let mut k = String::new();
                for p in &e.pages {
                    let c: Vec<char> = p.text.chars().collect();
                    s += &p.text;
                    s.push('\n');
                    for b in &p.blocks {
                        k += &format!(
                            "{} {:?}: {}\n",
                            p.number,
                            b.kind,
                            c[b.char_start as usize..b.char_end as usize]
                                .iter()
                                .collect::<String>()
                                .replace('\n', "\\n")
                        );
                    }
                }
                std::fs::write(format!("{out}/{name}.txt"), s).unwrap();
                std::fs::write(format!("{out}/{name}.blocks"), k).unwrap();
            }
            Err(e) => println!("ERR\t{name}\t{:?}\t{}", e.code, e.message),
        }
    }
}
