//! Ends of sentences (UAX #29), without those after abbreviations.

use unicode_segmentation::UnicodeSegmentation;

/// Words, in lower case, after which a full stop rarely ends a sentence. Abbreviations that often do end one ("Inc.",
/// "Ltd.", "etc.") are left out.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "art", "arts", "bd", "cf", "ch", "cl", "dept", "dr", "e.g", "eq", "esp", "ex", "exh", "fig",
    "figs", "hon", "i.e", "jr", "messrs", "mr", "mrs", "ms", "no", "nos", "p", "para", "paras", "pp", "prof", "pt",
    "r", "rev", "s", "sec", "secs", "sect", "sr", "st", "v", "viz", "vol", "vols", "vs",
];

/// Offsets in characters, in order, at which sentences of `text` end, behind the last character that is no white space.
///
/// `chars` are the characters of `text`. The end of `text` itself is not among the offsets: the text may continue. Line
/// ends count as spaces, because lines are broken anywhere.
pub fn sentence_ends(text: &str, chars: &[char]) -> Vec<usize> {
    let spaced = text.replace(['\n', '\r'], " ");
    let mut ends = Vec::new();
    let mut offset = 0;
    for sentence in spaced.split_sentence_bounds() {
        offset += sentence.chars().count();
        let content = sentence.trim_end();
        let end = offset - sentence[content.len()..].chars().count();
        let spaced = content.len() < sentence.len();
        // Without a space, only scripts that write none end sentences: "a?b" may be an address.
        let closes = content.ends_with(['。', '！', '？', '｡', '．', '」', '』', '）', '”', '’']);
        if offset < chars.len() && !content.is_empty() && (spaced || closes) && !ends_in_abbreviation(content) {
            ends.push(end);
        }
    }
    ends
}

/// The next character that is no white space behind each of `ends`.
pub fn starts_after(ends: &[usize], chars: &[char]) -> Vec<usize> {
    ends.iter().filter_map(|&end| Some(end + chars.get(end..)?.iter().position(|c| !c.is_whitespace())?)).collect()
}

/// "No.", "v.", "J.", "4.": the text after it belongs to it.
fn ends_in_abbreviation(sentence: &str) -> bool {
    let Some(content) = sentence.strip_suffix('.') else { return false };
    let word = content.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“')).next().unwrap_or("");
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let is_item_number =
        content.trim_start().len() == word.len() && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_initial || is_item_number || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let ends = sentence_ends(text, &chars);
        let starts = [0].into_iter().chain(starts_after(&ends, &chars));
        starts
            .zip(ends.iter().copied().chain([chars.len()]))
            .map(|(start, end)| chars[start..end].iter().collect())
            .collect()
    }

    #[test]
    fn sentences_end_where_they_seem_to() {
        assert_eq!(
            sentences("First one. Second\none!  Third? “So?” Yes"),
            ["First one.", "Second\none!", "Third?", "“So?”", "Yes"]
        );
        assert_eq!(sentences("第一条。第二条！第三"), ["第一条。", "第二条！", "第三"]);
    }

    #[test]
    fn abbreviations_numbers_and_addresses_end_nothing() {
        for text in [
            "See No. 5 and Smith v. Jones (cf. Art. 4",
            "J. R. Smith signed",
            "12. Term of the agreement",
            "Mr. Smith",
            "at http://a.b/c?D=e&f in 3.5 parts",
        ] {
            assert_eq!(sentences(text), [text]);
        }
    }
}
