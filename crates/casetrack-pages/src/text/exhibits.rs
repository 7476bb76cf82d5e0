//! Stamps of exhibits: `EXHIBIT A`, `Plaintiff's Exhibit 12`, `Exhibit 10.1`, on their own line near the edge of a page
//! or on a sheet with little else, or over two or three lines, as on stickers.

use std::collections::HashSet;

use casetrack_core::Page;

use super::bates::edge_lines;

/// Most stamps of a page: more are a list of exhibits.
const MOST: usize = 2;
/// A page with at most as many words is a sheet between exhibits: a stamp may be anywhere on it.
const FEW_WORDS: usize = 40;
/// Lines of a sticker.
const MOST_LINES: usize = 3;
/// Most characters of the name of an exhibit.
const MAX_NAME: usize = 8;

/// The party of an exhibit, without possessives, and the occasion on which it was marked.
const PARTIES: [&str; 26] = [
    "PLAINTIFF",
    "DEFENDANT",
    "PETITIONER",
    "RESPONDENT",
    "CLAIMANT",
    "APPELLANT",
    "APPELLEE",
    "APPLICANT",
    "RELATOR",
    "MOVANT",
    "INTERVENOR",
    "GOVERNMENT",
    "GOVT",
    "STATE",
    "PEOPLE",
    "COMMONWEALTH",
    "PROSECUTION",
    "DEFENSE",
    "JOINT",
    "COURT",
    "TRIAL",
    "HEARING",
    "DEPOSITION",
    "DEPO",
    "DEP",
    "COMPLAINT",
];

/// Notes the stamps of exhibits on pages. Linear in their text.
pub fn note_exhibits(unpaged: bool, pages: &mut [Page]) {
    if unpaged || pages.iter().any(|page| page.sheet_name.is_some()) {
        return;
    }
    for page in pages {
        page.notes.exhibits = exhibits(page);
    }
}

fn exhibits(page: &Page) -> Vec<String> {
    if !page.text.to_lowercase().contains("ex") {
        return Vec::new();
    }
    let is_sheet = page.text.split_whitespace().nth(FEW_WORDS).is_none();
    let edges: HashSet<&str> = edge_lines(page).iter().map(|line| line.text).collect();
    // Where blocks begin and end: inside a paragraph a line may end with the name of an exhibit.
    let begins: HashSet<u32> = page.blocks.iter().map(|block| block.char_start).collect();
    let ends: HashSet<u32> = page.blocks.iter().map(|block| block.char_end).collect();
    let mut at = 0;
    let mut lines: Vec<(&str, u32, u32)> = Vec::new();
    for line in page.text.split('\n') {
        let length = line.chars().count() as u32;
        let lead = (line.len() - line.trim_start().len()) as u32;
        if !line.trim().is_empty() {
            lines.push((line.trim(), at + lead, at + line.trim_end().chars().count() as u32));
        }
        at += length + 1;
    }
    let mut found: Vec<String> = Vec::new();
    let mut first = 0;
    while first < lines.len() {
        let stamped = (1..=MOST_LINES.min(lines.len() - first)).find_map(|count| {
            let sticker = &lines[first..first + count];
            let (begin, end) = (sticker.first()?.1, sticker.last()?.2);
            let is_apart = begins.contains(&begin) && ends.contains(&end);
            let is_near = is_sheet || sticker.iter().all(|(text, ..)| edges.contains(text));
            let text = sticker.iter().map(|(text, ..)| *text).collect::<Vec<_>>().join(" ");
            stamp(&text).filter(|_| is_apart && is_near).map(|stamp| (stamp, count))
        });
        match stamped {
            Some((stamp, count)) => {
                if !found.iter().any(|known| known.eq_ignore_ascii_case(&stamp)) {
                    found.push(stamp);
                }
                first += count;
            }
            None => first += 1,
        }
    }
    if found.len() > MOST { Vec::new() } else { found }
}

fn stamp(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| -> String {
        let upper = word.replace(['\'', '’'], "").to_uppercase();
        upper.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
    };
    let is_party = |word: &&str| {
        let word = bare(word);
        PARTIES.contains(&&*word) || word.strip_suffix('S').is_some_and(|word| PARTIES.contains(&word))
    };
    let parties = words.iter().take(3).take_while(|word| is_party(word)).count();
    let mut at = parties;
    let exhibit = words.get(at).filter(|word| word.starts_with(char::is_uppercase))?;
    matches!(&*bare(exhibit), "EXHIBIT" | "EXH" | "EX").then_some(())?;
    at += 1;
    if words.get(at).is_some_and(|word| matches!(&*bare(word), "NO" | "NUMBER") || *word == "#") {
        at += 1;
    }
    let written = words.get(at)?;
    let name = written.trim_end_matches([',', ';', ':', '-', '–', '—']).trim_start_matches('#');
    let name = name.trim_matches(['"', '“', '”']);
    at += 1;
    (is_name(name) && is_of_pages(&words[at..])).then(|| {
        let before = words[..at - 1].join(" ");
        format!("{before} {name}")
    })
}

/// True if it can name an exhibit: a letter or the same one twice, a number, or both.
fn is_name(name: &str) -> bool {
    let parts: Vec<&str> = name.split(['-', '.']).collect();
    let letters = |part: &str| {
        let first = part.chars().next();
        part.len() <= 3 && first.is_some_and(|first| first.is_ascii_uppercase() && part.chars().all(|c| c == first))
    };
    let digits = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let mixed = |part: &str| {
        let number = part.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let own = &part[..part.len() - number.len()];
        let tail = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &number[..number.len() - tail.len()];
        digits(number) && own.len() <= 3 && tail.len() <= 1 && tail.chars().all(|c| c.is_ascii_alphabetic())
    };
    name.len() <= MAX_NAME
        && parts.len() <= 3
        && parts.iter().enumerate().all(|(n, part)| letters(part) || mixed(part) || (n > 0 && digits(part)))
        || (name.len() <= MAX_NAME
            && parts.len() == 2
            && (1..=3).contains(&parts[0].len())
            && parts[0].bytes().all(|byte| byte.is_ascii_uppercase())
            && digits(parts[1]))
}

/// True if words name only a page: `- Page 3 of 10`.
fn is_of_pages(words: &[&str]) -> bool {
    let mut words =
        words.iter().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty());
    let is_number = |word: Option<&str>| word.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    match words.next() {
        None => true,
        Some(word) if matches!(&*word.to_lowercase(), "page" | "p" | "pg") => {
            is_number(words.next())
                && words.next().is_none_or(|of| of.eq_ignore_ascii_case("of") && is_number(words.next()))
        }
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{Block, BlockKind};

    use super::*;
    use crate::test_files::page_of;

    fn noted(blocks: &[&str]) -> Vec<String> {
        let mut page = page_of(1, &blocks.join("\n"));
        let mut at = 0;
        for text in blocks {
            let char_end = at + text.chars().count() as u32;
            page.blocks.push(Block { char_start: at, char_end, kind: BlockKind::Paragraph });
            at = char_end + 1;
        }
        note_exhibits(false, std::slice::from_mut(&mut page));
        page.notes.exhibits
    }

    #[test]
    fn stamps_are_read_and_prose_is_not() {
        for (text, expected) in [
            ("EXHIBIT A", Some("EXHIBIT A")),
            ("Plaintiff's Exhibit 12", Some("Plaintiff's Exhibit 12")),
            ("DEFENDANTS’ TRIAL EXHIBIT NO. 7B", Some("DEFENDANTS’ TRIAL EXHIBIT NO. 7B")),
            ("Exhibit 10.1", Some("Exhibit 10.1")),
            ("Ex. \"B-2\"", Some("Ex. B-2")),
            ("Exhibit PX-104", Some("Exhibit PX-104")),
            ("Exhibit A, Page 3 of 10", Some("Exhibit A")),
            ("EXHIBIT AA -", Some("EXHIBIT AA")),
            ("Exhibit A to the Lease", None),
            ("Exhibit to", None),
            ("EXHIBIT", None),
            ("exhibit A", None),
            ("Exhibit A.", None),
            ("Extra 12", None),
        ] {
            assert_eq!(stamp(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_stamp_stands_apart_near_an_edge_or_on_a_sheet() {
        let body = ["The parties agree on this point of the page, as they said before, and so on.\n"; 12].concat();
        let body = body.trim_end();
        assert_eq!(noted(&["EXHIBIT B", body, "SMITH000042"]), ["EXHIBIT B"]);
        assert_eq!(noted(&[body, "PLAINTIFF'S\nEXHIBIT\n12"]), ["PLAINTIFF'S EXHIBIT 12"]);
        assert_eq!(noted(&["EXHIBIT", "C"]), ["EXHIBIT C"]);
        assert_eq!(noted(&["EXHIBIT A", "Exhibit \"A\""]), ["EXHIBIT A"]);
        // In the middle of a page, at the end of a line, and in a list.
        assert_eq!(noted(&[body, "Exhibit D", body]), Vec::<String>::new());
        assert_eq!(noted(&[body, "as set out in\nExhibit D"]), Vec::<String>::new());
        assert_eq!(noted(&["Exhibit A", "Exhibit B", "Exhibit C"]), Vec::<String>::new());
    }
}
