use casetrack_embed::*;
use std::io::Write;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a: Vec<String> = std::env::args().collect();
    let texts: Vec<String> = serde_json::from_str(&std::fs::read_to_string(&a[1])?)?;
    let e = Embedder::new(find_models_dir(None)?, EmbedOptions { threads: 2 });
    let v = e.embed_passages(&texts, &casetrack_core::Cancel::default())?;
    let mut f = std::io::BufWriter::new(std::fs::File::create(&a[2])?);
    for row in v {
        for x in row {
            f.write_all(&x.to_le_bytes())?;
        }
    }
    Ok(())
}
