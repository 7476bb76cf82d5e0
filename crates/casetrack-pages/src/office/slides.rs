//! Titles and warnings that presentations of every format share.

use casetrack_core::{BlockKind, Result};

use crate::build::DocumentBuilder;

pub const DEFAULT_TITLES: [&str; 12] = [
    "PowerPoint Presentation",
    "PowerPoint-Präsentation",
    "Présentation PowerPoint",
    "PowerPoint 演示文稿",
    "PowerPoint プレゼンテーション",
    "Slide 1",
    "Folie 1",
    "スライド 1",
    "幻灯片 1",
    "No Slide Title",
    "Kein Folientitel",
    "没有幻灯片标题",
];

pub fn push_notes(document: &mut DocumentBuilder, notes: &str) -> Result<()> {
    if notes.trim().is_empty() {
        return Ok(());
    }
    document.push_block(BlockKind::Paragraph, &format!("Notes: {}", notes.trim()))
}

/// Names the slides that are damaged, with the reason, and those that are hidden.
pub fn warn_of_slides(document: &mut DocumentBuilder, damaged: Vec<(u32, String)>, hidden: &[u32]) {
    for (number, reason) in damaged {
        document.warn(format!("Slide {number} is damaged ({reason}); what follows on it is missing."));
    }
    if !hidden.is_empty() {
        let numbers: Vec<String> = hidden.iter().map(u32::to_string).collect();
        document.warn(format!("Hidden when the presentation is shown: slide {}.", numbers.join(", ")));
    }
}
