//! Wordings as regular expressions. Most texts cannot match most of them: each is tried only where its words are.
//!
//! An expression such as `not[^.;:]{0,100}engage[^.;:]{0,80}business` has as many states as its repetitions allow together, and costs more the
//! more of them are joined. What it needs is known beforehand: its literals, all between two of the characters that it cannot pass.

use std::cell::Cell;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most bytes of the automaton of an expression. Repetitions of any characters exceed the library's limit, which makes it several times slower.
const AUTOMATON_BYTES: usize = 16 << 20;
/// Characters that end a part of a text for expressions that cannot pass them. Words never touch them, so each part can be searched separately.
const STOPS: [u8; 3] = *b".;:";
/// Shortest literal that is looked for, in bytes.
const SHORTEST: usize = 3;

/// Regular expressions that work as if they were joined by `|`: the first match counts. If two match at one place, the first in the list
/// counts. They match only ASCII letters, which makes them three times as fast, and ignore case.
#[derive(Debug, Default)]
pub(super) struct Ways {
    ways: Vec<Way>,
    literals: Option<AhoCorasick>,
}

#[derive(Debug)]
struct Way {
    expression: Regex,
    /// Numbers of literals, in groups: a match has at least one of each group.
    needs: Vec<Vec<usize>>,
    /// Those of [`STOPS`] that no match has.
    stops: Vec<u8>,
}

struct Trying<'w, 't> {
    way: &'w Way,
    text: &'t [u8],
    /// The parts of the text with these literals, in order.
    parts: Vec<Range<usize>>,
    /// Its next place; `None` if it has not been looked for.
    next: Cell<Option<Option<(usize, usize)>>>,
}

impl Ways {
    /// `None` if a line is not a regular expression. There may be no lines.
    pub fn new(lines: &[&str]) -> Option<Self> {
        let mut literals: Vec<String> = Vec::new();
        let mut number = |literal: String| {
            literals.iter().position(|known| *known == literal).unwrap_or_else(|| {
                literals.push(literal);
                literals.len() - 1
            })
        };
        let mut ways = Vec::new();
        for line in lines {
            let mut builder = RegexBuilder::new(line);
            let builder = builder.case_insensitive(true).unicode(false).dfa_size_limit(AUTOMATON_BYTES);
            let expression = builder.build().ok()?;
            let read = ParserBuilder::new().unicode(false).utf8(false).build().parse(line).ok()?;
            let needs = needs(&read).into_iter().map(|any| any.into_iter().map(&mut number).collect()).collect();
            let stops = STOPS.into_iter().filter(|stop| !may_match(&read, *stop)).collect();
            ways.push(Way { expression, needs, stops });
        }
        let finder = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(&literals).ok()?;
        Some(Self { ways, literals: (!literals.is_empty()).then_some(finder) })
    }

    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// The matches in a text, from left to right, without overlap. Costs one pass over the text if it has none of the literals.
    pub fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let text = text.as_bytes();
        let mut places: Vec<Vec<usize>> = Vec::new();
        if let Some(literals) = &self.literals {
            places.resize(literals.patterns_len(), Vec::new());
            for found in literals.find_overlapping_iter(text) {
                places[found.pattern().as_usize()].push(found.start());
            }
        }
        let trying = |way| Trying { way, text, parts: parts(way, text, &places), next: Cell::new(None) };
        let trying: Vec<Trying<'_, '_>> =
            self.ways.iter().map(trying).filter(|trying| !trying.parts.is_empty()).collect();
        let mut found = Vec::new();
        let mut at = 0;
        // Of several that begin at one place `min_by_key` gives the first.
        while let Some((start, end)) =
            trying.iter().filter_map(|trying| trying.next(at)).min_by_key(|(start, _)| *start)
        {
            found.push(start..end);
            at = end.max(start + 1);
        }
        found
    }
}

impl Trying<'_, '_> {
    /// Its first place at or after this byte, which never moves back.
    fn next(&self, at: usize) -> Option<(usize, usize)> {
        let known = self.next.get().filter(|known| known.is_none_or(|(start, _)| start >= at));
        let next = known.unwrap_or_else(|| {
            let parts = self.parts.iter().filter(|part| part.end > at);
            let mut found = parts.filter_map(|part| {
                let found = self.way.expression.find_at(self.text.get(part.clone())?, at.saturating_sub(part.start))?;
                Some((part.start + found.start(), part.start + found.end()))
            });
            found.next()
        });
        self.next.set(Some(next));
        next
    }
}

/// The parts of a text, between the characters that a way cannot pass, with all its literals. `places` has the places of each literal.
fn parts(way: &Way, text: &[u8], places: &[Vec<usize>]) -> Vec<Range<usize>> {
    let Some(rarest) = way.needs.iter().min_by_key(|any| places_of(any, places).count()) else {
        return std::iter::once(0..text.len()).collect();
    };
    let is_stop = |byte: &u8| way.stops.contains(byte);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut anchors: Vec<usize> = places_of(rarest, places).collect();
    anchors.sort_unstable();
    for anchor in anchors {
        if found.last().is_some_and(|part| part.contains(&anchor)) {
            continue;
        }
        let start = text[..anchor].iter().rposition(is_stop).map_or(0, |stop| stop + 1);
        let end = text[anchor..].iter().position(is_stop).map_or(text.len(), |stop| anchor + stop);
        found.push(start..end);
    }
    found.retain(|part| way.needs.iter().all(|any| places_of(any, places).any(|place| part.contains(&place))));
    found
}

fn places_of<'a>(literals: &'a [usize], places: &'a [Vec<usize>]) -> impl Iterator<Item = usize> + 'a {
    literals.iter().filter_map(|literal| places.get(*literal)).flatten().copied()
}

/// The literals of every match, in groups of alternatives, in lower case.
fn needs(of: &Hir) -> Vec<Vec<String>> {
    match of.kind() {
        HirKind::Literal(literal) => {
            let literal = String::from_utf8_lossy(&literal.0).to_lowercase();
            if literal.len() >= SHORTEST && literal.is_ascii() { vec![vec![literal]] } else { Vec::new() }
        }
        HirKind::Capture(capture) => needs(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needs(&repetition.sub),
        HirKind::Concat(all) => all.iter().flat_map(needs).collect(),
        HirKind::Alternation(any) => {
            // Of each the set whose shortest literal is the longest.
            let clearest = |of: &Hir| {
                needs(of).into_iter().max_by_key(|any| any.iter().map(String::len).min().unwrap_or_default())
            };
            let all: Option<Vec<Vec<String>>> = any.iter().map(clearest).collect();
            all.map(|all| all.concat()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// True if a match may have this byte.
fn may_match(of: &Hir, byte: u8) -> bool {
    match of.kind() {
        HirKind::Empty => false,
        // The beginning and the end of a text are not those of its parts.
        HirKind::Look(_) => of.properties().look_set().contains_anchor(),
        HirKind::Literal(literal) => literal.0.contains(&byte),
        HirKind::Class(Class::Bytes(class)) => class.iter().any(|range| (range.start()..=range.end()).contains(&byte)),
        HirKind::Class(Class::Unicode(_)) => true,
        HirKind::Repetition(repetition) => may_match(&repetition.sub, byte),
        HirKind::Capture(capture) => may_match(&capture.sub, byte),
        HirKind::Concat(all) | HirKind::Alternation(all) => all.iter().any(|of| may_match(of, byte)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    fn found(lines: &[&str], text: &str) -> Vec<String> {
        let ways = Ways::new(lines).unwrap();
        ways.find_all(text).into_iter().map(|place| text[place].to_owned()).collect()
    }

    #[test]
    fn what_an_expression_needs_is_read_from_it() {
        let needs = |line| needs(&ParserBuilder::new().unicode(false).utf8(false).build().parse(line).unwrap());
        assert_eq!(
            needs(r"\b(never|neither)\b[^.;:]{0,9}(engage|own)\w* (?:Business)?"),
            [["never", "neither"].map(str::to_owned).to_vec(), ["engage", "own"].map(str::to_owned).to_vec()]
        );
        // Each of the words may be missing.
        assert!(needs(r"(in|escrow)\w*").is_empty());
        assert_eq!(needs(r"(?:Audit)+"), [["audit".to_owned()]]);
    }

    #[test]
    fn an_expression_is_tried_between_the_characters_that_it_cannot_pass() {
        let ways = Ways::new(&[r"not[^.;]{0,60}compete"]).unwrap();
        assert_eq!(ways.ways[0].stops, b".;");
        let text = "It may not. It may compete; it shall not: ever compete.";
        assert_eq!(found(&[r"not[^.;]{0,60}compete"], text), ["not: ever compete"]);
        // A word ends and begins at a stop as at the end of a text.
        assert_eq!(found(&[r"\bnot compete\b"], "a.not compete;b"), ["not compete"]);
    }

    #[test]
    fn the_first_way_counts_where_several_begin() {
        let lines = ["right of first", "right of first refusal", "first \\w+", "refusal"];
        assert_eq!(found(&lines, "a Right of First refusal"), ["Right of First", "refusal"]);
        assert_eq!(found(&[], "anything"), Vec::<String>::new());
        assert!(Ways::new(&["("]).is_none());
    }

    /// The expressions of the file, those of a clause together.
    fn of_file() -> Vec<Vec<&'static str>> {
        let blocks = include_str!("../data/clauses.txt").split("\n[").skip(1);
        let lines = |key: &'static str| {
            move |block: &'static str| {
                block.lines().filter_map(|line| line.strip_prefix(key)).map(str::trim).collect::<Vec<_>>()
            }
        };
        let all: Vec<Vec<&str>> = ["said:", "hint:", "other:", "denied:"]
            .into_iter()
            .flat_map(|key| blocks.clone().map(lines(key)))
            .collect();
        all.into_iter().filter(|lines| !lines.is_empty()).collect()
    }

    /// The words of expressions, and the text that may be between them.
    fn words_of(lines: &[&str]) -> Vec<String> {
        let words = lines.iter().flat_map(|line| line.split(|c: char| !c.is_ascii_alphabetic()));
        let words = words.filter(|word| word.len() > 1).map(str::to_owned);
        words.chain([".", ";", ":", ",", "-", "%", "50", "'s", "(", "the", "NOT", "other"].map(str::to_owned)).collect()
    }

    /// For each list of the file: its words, its ways, and all of them joined to one expression, which needs nothing.
    static OF_FILE: LazyLock<Vec<(Vec<String>, Ways, Regex)>> = LazyLock::new(|| {
        let made = |lines: Vec<&'static str>| {
            let joined: Vec<String> = lines.iter().map(|line| format!("(?:{line})")).collect();
            let joined = RegexBuilder::new(&joined.join("|")).case_insensitive(true).unicode(false).build().unwrap();
            (words_of(&lines), Ways::new(&lines).unwrap(), joined)
        };
        of_file().into_iter().map(made).collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn every_clause_is_found_as_with_one_expression(seed in proptest::collection::vec((0usize..1000, 0u8..8), 1..60)) {
            for (words, ways, joined) in OF_FILE.iter() {
                let mut text = String::new();
                for (word, joint) in &seed {
                    text.push_str(&words[word % words.len()]);
                    text.push_str(if *joint == 0 { "" } else { " " });
                }
                let expected: Vec<Range<usize>> = joined.find_iter(text.as_bytes()).map(|found| found.range()).collect();
                prop_assert_eq!(ways.find_all(&text), expected, "{}", text);
            }
        }
    }
}
