//! `casetrack inspect`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use casetrack_core::{Page, Password, Properties, Result};
use casetrack_engine::inspect::{self, Inspection};
use casetrack_text::format::{one_line, visible};
use clap::Args;

use crate::options::Global;
use crate::output;

/// Show what ingestion would read from a file, without storing anything
#[derive(Debug, Args)]
pub struct Inspect {
    file: PathBuf,
    /// Also show the text of every page with its line numbers
    #[arg(long)]
    text: bool,
    /// Password of a protected file. Prefer the environment variable: process lists do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
}

impl Inspect {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let inspection = inspect::inspect(global.engine()?.host(), &self.file, self.password.as_ref())?;
        output::print(&inspection, global, |inspection| visible(&describe(inspection, self.text)).into_owned())?;
        Ok(ExitCode::SUCCESS)
    }
}

fn describe(inspection: &Inspection, with_text: bool) -> String {
    let mut out = format!(
        "{}\n  format {:?}, type {:?}, {} bytes, SHA-256 {}\n",
        one_line(&inspection.path),
        inspection.format,
        inspection.document_type,
        inspection.size_bytes,
        inspection.sha256
    );
    if let Some(title) = &inspection.title {
        let _ = writeln!(out, "  title \"{}\"", one_line(title));
    }
    let Properties { author, created, modified, language, mail } = &inspection.properties;
    for (name, value) in [("author", author), ("created", created), ("modified", modified), ("language", language)] {
        if let Some(value) = value {
            let _ = writeln!(out, "  {name} {}", one_line(value));
        }
    }
    if let Some(id) = mail.as_ref().and_then(|mail| mail.message_id.as_ref()) {
        let _ = writeln!(out, "  message id {id}");
    }
    if inspection.unpaged {
        out.push_str("  the file does not mark the ends of pages; each part ends at a page break\n");
    }
    for warning in &inspection.warnings {
        let _ = writeln!(out, "  warning: {warning}");
    }
    for attachment in &inspection.attachments {
        let _ = writeln!(out, "  contains \"{}\", {} bytes", one_line(&attachment.name), attachment.size_bytes);
    }
    inspection.pages.iter().for_each(|page| push_page(&mut out, page, inspection, with_text));
    out
}

fn push_page(out: &mut String, page: &Page, inspection: &Inspection, with_text: bool) {
    let _ = write!(
        out,
        "\n{} {}{}: {} characters, {} lines, {} paragraphs, {}\n",
        if inspection.unpaged { "part" } else { "page" },
        page.number,
        page.sheet_name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default(),
        page.text.chars().count(),
        page.text.lines().count(),
        page.blocks.len(),
        page.method.label(),
    );
    for chunk in inspection.chunks.iter().filter(|chunk| chunk.page == page.number) {
        let _ = writeln!(
            out,
            "  chunk {}: chars {}-{}, paras. {}-{}, ll. {}-{}",
            chunk.index,
            chunk.char_start,
            chunk.char_end,
            chunk.paragraph_start,
            chunk.paragraph_end,
            chunk.line_start,
            chunk.line_end
        );
    }
    if with_text {
        for (number, line) in (1..).zip(page.text.lines()) {
            let _ = writeln!(out, "{number:6} │ {line}");
        }
    }
}
