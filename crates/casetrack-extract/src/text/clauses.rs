//! Headings of numbered clauses. Contracts often print them like the text, so that only their numbers show what they are.

use casetrack_core::{Block, BlockKind, Page};

use super::Cursor;

/// A longer line is a clause, not its heading.
const MAX_HEADING_CHARS: usize = 100;

/// Makes headings of the lines that a clause begins with: "5. Time and delay" before "5.1 The Contractor …". Linear in the text.
///
/// The level is one below that of the document's title for "5.", two for "5.2".
pub(crate) fn mark_headings(page: &mut Page) {
    let is_open = |block: &Block| matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem);
    let mut cursor = Cursor::new(&page.text);
    let mut found = Vec::new();
    let mut last: Option<(usize, &str)> = None;
    for (index, block) in page.blocks.iter().enumerate() {
        if !is_open(block) {
            last = None;
            continue;
        }
        let text = cursor.slice(block);
        if let Some((before, heading)) = last
            && let Some(number) = heading_number(heading)
            && text.strip_prefix(number).is_some_and(|rest| rest.starts_with(".1 ") || rest.starts_with(".1. "))
        {
            let depth = number.split('.').count();
            found.push((before, u8::try_from(depth + 1).unwrap_or(u8::MAX).min(6)));
        }
        last = Some((index, text));
    }
    for (index, level) in found {
        page.blocks[index].kind = BlockKind::Heading { level };
    }
}

/// The number that a line begins with, "5" or "5.2", if what follows may be a heading.
fn heading_number(line: &str) -> Option<&str> {
    let (number, title) = line.split_once(' ')?;
    let number = number.strip_suffix('.').unwrap_or(number);
    let is_number =
        number.split('.').all(|part| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
    let is_title = !line.contains('\n')
        && line.chars().count() <= MAX_HEADING_CHARS
        && title.chars().any(char::is_alphabetic)
        && !title.trim_end().ends_with([';', ',', ':']);
    (is_number && is_title).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::test_files::assert_page_invariants;

    /// The texts of the headings of a plain text, with their levels.
    fn headings(text: &str) -> Vec<(u8, String)> {
        let extraction =
            crate::extract(Path::new("a.txt"), text.as_bytes(), &crate::ExtractOptions::default()).unwrap();
        let page = &extraction.pages[0];
        assert_page_invariants(page);
        let chars: Vec<char> = page.text.chars().collect();
        let text = |block: &Block| chars[block.char_start as usize..block.char_end as usize].iter().collect();
        let level = |block: &Block| match block.kind {
            BlockKind::Heading { level } => Some((level, text(block))),
            _ => None,
        };
        page.blocks.iter().filter_map(level).collect()
    }

    #[test]
    fn a_number_before_its_first_part_is_a_heading() {
        let contract = "LEASE\n\n1. Définitions\n\n1.1 \"Rent\" means the rent.\n\n1.2 Other terms\n\n1.2.1 Words in the singular.\n\n\
                        2 Rent\n\n2.1 The tenant pays it.\n\n3. The end.";
        let heading = |level, text: &str| (level, text.to_owned());
        assert_eq!(
            headings(contract),
            [heading(2, "1. Définitions"), heading(3, "1.2 Other terms"), heading(2, "2 Rent")]
        );
    }

    #[test]
    fn items_of_a_list_are_none() {
        assert_eq!(headings("1. Apples\n\n2. Pears\n\n2.5 kg of them\n\n3. The following:\n\n3.1 Plums"), []);
    }
}
