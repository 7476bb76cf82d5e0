//! References by the data of a language: parts of laws and of the document itself, acts with a number, decisions of courts.
//!
//! A part of a law is known by the law first, as in English ("BGB § 312 Abs. 1", "Code civil art. 1240"); law of the
//! European Union has its English name in every language ("GDPR Article 6(1)(f)").

use casetrack_core::{ReferenceKind, single_spaced};
use regex::{Captures, Regex};

use super::dates::{Calendar, next_char};
use super::rules::{Expressions, LevelData, PartData, Read, ReferencesData};
use super::{Match, stands_alone, without_overlap};

/// Maximum parts in one list, and maximum levels of one part.
const LONGEST_LIST: usize = 40;
const MOST_LEVELS: usize = 6;

type Reference = Match<(ReferenceKind, String)>;

#[derive(Debug)]
pub(super) struct References {
    parts: Vec<Part>,
    /// Any word for a part.
    head: Regex,
    levels: Vec<Level>,
    of: Regex,
    and: Regex,
    to: Regex,
    other: Regex,
    following: Option<(Regex, String)>,
    /// After a part: its law. The normalised name, and whether it is law of the European Union.
    laws: Vec<(Regex, Name, bool)>,
    abbreviation: Option<(Regex, String)>,
    /// Anywhere in a text.
    standing: Vec<(Regex, Name, ReferenceKind)>,
    calendar: Calendar,
}

#[derive(Debug)]
enum Name {
    /// With groups in braces.
    Of(String),
    /// An act of the European Union: the English word.
    European(String),
}

#[derive(Debug)]
struct Part {
    head: Regex,
    label: Regex,
    law: Option<(String, String)>,
    own: String,
}

#[derive(Debug)]
struct Level {
    pattern: Regex,
    name: String,
    european: bool,
    under: Option<String>,
}

/// One part with its levels: "312 Abs. 1".
#[derive(Debug, Clone)]
struct PartCitation {
    /// Bytes of the word or the label that it begins with, and after its last level.
    start: usize,
    end: usize,
    label: String,
    /// The levels as names of the language, and of European law, have them.
    levels: String,
    european_levels: String,
    /// The end of a range, or the words for further parts ("ff.").
    through: Option<String>,
}

/// Whose part it is.
enum Owner {
    Law { name: String, european: bool, end: usize },
    Own,
    Unknown,
}

impl References {
    pub fn new(data: &ReferencesData, calendar: Calendar, expressions: &Expressions) -> Read<References> {
        let mut laws: Vec<(Regex, Name, bool)> = Vec::new();
        let mut standing: Vec<(Regex, Name, ReferenceKind)> = Vec::new();
        for (english, written) in &data.european_acts {
            let act = european_act(written, &data.number);
            laws.push((expressions.here(&act)?, Name::European(english.clone()), true));
            standing.push((expressions.anywhere(&act)?, Name::European(english.clone()), ReferenceKind::Regulation));
        }
        let of = |names: &[(String, String)], european| -> Read<Vec<_>> {
            let law =
                |(name, written): &(String, String)| Ok((expressions.here(written)?, Name::Of(name.clone()), european));
            names.iter().map(law).collect()
        };
        laws.extend(of(&data.european_laws, true)?);
        laws.extend(of(&data.acts, false)?);
        laws.extend(of(&data.laws, false)?);
        for (names, kind) in [(&data.acts, ReferenceKind::Regulation), (&data.cases, ReferenceKind::LegalCase)] {
            for (name, written) in names {
                standing.push((expressions.anywhere(written)?, Name::Of(name.clone()), kind));
            }
        }
        let parts = data.parts.iter().map(|part| Part::new(part, expressions)).collect::<Read<Vec<_>>>()?;
        let heads: Vec<String> = data.parts.iter().map(|part| part.head.replace("(?P<many>", "(?:")).collect();
        let level = |level: &LevelData| {
            let pattern = expressions.here(&format!("(?:{{o}},)?{{o}}(?:{})", level.pattern))?;
            Ok(Level { pattern, name: level.name.clone(), european: level.european, under: level.under.clone() })
        };
        let following = data.following.as_ref();
        let abbreviation = match data.abbreviated {
            true => Some((expressions.here(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]*[A-ZÄÖÜ](?:/[A-Z])?\b")?, data.not_laws.clone())),
            false => None,
        };
        Ok(References {
            head: expressions
                .anywhere(&heads.iter().map(|head| format!("(?:{head})")).collect::<Vec<_>>().join("|"))?,
            parts,
            levels: data.levels.iter().map(level).collect::<Read<_>>()?,
            of: expressions.here(&data.of)?,
            and: expressions.here(&data.and)?,
            to: expressions.here(&data.to)?,
            other: expressions.here(&data.other)?,
            following: following
                .map(|(written, name)| {
                    Ok::<_, String>((expressions.here(&format!("{{o}}(?:{written})"))?, name.clone()))
                })
                .transpose()?,
            laws,
            abbreviation,
            standing,
            calendar,
        })
    }

    pub fn find(&self, text: &str) -> Vec<Reference> {
        let mut found: Vec<Reference> = Vec::new();
        for (pattern, name, kind) in &self.standing {
            let mut at = 0;
            while let Some(groups) = pattern.captures_at(text, at) {
                let Some(all) = groups.get(0) else { break };
                let alone = stands_alone(text, all.start(), all.end());
                let named = alone.then(|| self.named(name, &groups)).flatten();
                at = match named {
                    Some(name) => {
                        found.push(Match { start: all.start(), end: all.end(), what: (*kind, name) });
                        all.end()
                    }
                    None => next_char(text, all.start()),
                };
            }
        }
        let mut at = 0;
        while let Some(head) = self.head.find_at(text, at) {
            let (parts, end) = self.list(text, head.start());
            found.extend(parts);
            at = end.max(next_char(text, head.start()));
        }
        without_overlap(found)
    }

    /// The parts that are listed from here on, and the byte after them.
    fn list(&self, text: &str, start: usize) -> (Vec<Reference>, usize) {
        let inside =
            text.get(..start).and_then(|before| before.chars().next_back()).is_some_and(|c| c.is_alphanumeric());
        let at = |from: usize| text.get(from..).unwrap_or_default();
        let mut cited: Vec<(PartCitation, &Part, bool)> = Vec::new();
        let mut next = start;
        while cited.len() < LONGEST_LIST && !inside {
            let Some((part, many, first)) = self.part(at(next)).map(|(part, many, end)| (part, many, next + end))
            else {
                break;
            };
            // "§ 312 und § 313 BGB" have one law, "§ 312 und Anlage 1" have not
            let alike = cited.first().is_none_or(|(_, before, _)| before.own == part.own && part.law.is_some());
            let Some(one) = self.cited(text, part, next, first).filter(|_| alike) else { break };
            if cited.is_empty() && is_heading(text, start, &one) {
                return (Vec::new(), one.end);
            }
            next = one.end;
            cited.push((one, part, many));
            while many
                && cited.len() < LONGEST_LIST
                && let Some(and) = self.and.find(at(next))
                && let Some(further) = self.cited(text, part, next + and.end(), next + and.end())
            {
                next = further.end;
                match cited.last_mut() {
                    // "§§ 280 Abs. 1, 3, 281": 3 is another paragraph of the first
                    Some((last, ..)) if !last.levels.is_empty() && !rises(&last.label, &further.label) => {
                        last.end = next
                    }
                    _ => cited.push((further, part, many)),
                }
            }
            match self.and.find(at(next)) {
                Some(and) if self.part(at(next + and.end())).is_some() => next += and.end(),
                _ => break,
            }
        }
        let Some((last, part, _)) = cited.last() else { return (Vec::new(), start) };
        let (end, is_law) = (last.end, part.law.is_some());
        match if is_law { self.owner(text, end) } else { Owner::Own } {
            Owner::Unknown => (Vec::new(), end),
            Owner::Own => (cited.into_iter().map(|(one, part, _)| one.own(part)).collect(), end),
            Owner::Law { name, european, end } => {
                let count = cited.len();
                let of_law = |(n, (one, part, many)): (usize, (PartCitation, &Part, bool))| {
                    let end = if n + 1 == count { end } else { one.end };
                    one.of(part, many, &name, european, end)
                };
                (cited.into_iter().enumerate().map(of_law).collect(), end)
            }
        }
    }

    /// The part whose word begins a text, whether it is in the plural, and the byte after it.
    fn part(&self, rest: &str) -> Option<(&Part, bool, usize)> {
        self.parts.iter().find_map(|part| {
            let groups = part.head.captures(rest)?;
            Some((part, groups.name("many").is_some(), groups.get(0)?.end()))
        })
    }

    /// The label at a byte with its levels; `start` is the beginning of the reference.
    fn cited(&self, text: &str, part: &Part, start: usize, at: usize) -> Option<PartCitation> {
        let rest = |from: usize| text.get(from..).unwrap_or_default();
        let (label, mut end) = part.label(text, at)?;
        let mut cited =
            PartCitation { start, end, label, levels: String::new(), european_levels: String::new(), through: None };
        if let Some(to) = self.to.find(rest(end)) {
            let after = end + to.end();
            let word = self.part(rest(after)).filter(|(again, ..)| again.own == part.own).map_or(0, |(.., end)| end);
            if let Some((last, after)) = part.label(text, after + word)
                && rises(&cited.label, &last)
            {
                cited.through = Some(format!("-{last}"));
                end = after;
            }
        }
        for _ in 0..MOST_LEVELS {
            let of_part = |level: &&Level| level.under.as_ref().is_none_or(|under| *under == part.own);
            let level = self.levels.iter().filter(of_part).find_map(|level| {
                let groups = level.pattern.captures(rest(end))?;
                let after = end + groups.get(0)?.end();
                let cut = text.get(after..).and_then(|after| after.chars().next()).is_some_and(char::is_alphanumeric);
                (!cut).then_some((level, groups.name("n")?.as_str(), after))
            });
            let Some((level, number, after)) = level else { break };
            let number = single_spaced(number);
            cited.levels.push_str(&level.name.replace("{n}", &number));
            if level.european {
                cited.european_levels.push_str(&format!("({number})"));
            }
            end = after;
        }
        if let Some((following, name)) = &self.following
            && let Some(found) = following.find(rest(end))
        {
            cited.through = Some(format!(" {name}"));
            end += found.end();
        }
        cited.end = end;
        Some(cited)
    }

    /// Whose the parts before a byte are.
    fn owner(&self, text: &str, end: usize) -> Owner {
        let rest = |from: usize| text.get(from..).unwrap_or_default();
        let of = end + self.of.find(rest(end)).map_or(0, |of| of.end());
        let law = self.laws.iter().find_map(|(written, name, european)| {
            let groups = written.captures(rest(of))?;
            let after = of + groups.get(0)?.end();
            let cut = rest(after).starts_with(|c: char| c.is_alphanumeric());
            Some((self.named(name, &groups).filter(|_| !cut)?, *european, after))
        });
        if let Some((name, european, end)) = law {
            return Owner::Law { name, european, end };
        }
        if let Some((abbreviation, not_laws)) = &self.abbreviation
            && let Some(found) = abbreviation.find(rest(of))
            && of > end
            && !not_laws.split(' ').any(|other| other == found.as_str())
        {
            return Owner::Law { name: found.as_str().to_owned(), european: false, end: of + found.end() };
        }
        if self.other.is_match(rest(end)) { Owner::Unknown } else { Owner::Own }
    }

    fn named(&self, name: &Name, groups: &Captures) -> Option<String> {
        match name {
            Name::European(word) => european_name(word, groups),
            Name::Of(name) => {
                let mut named = name.clone();
                if named.contains("{date}") {
                    named = named.replace("{date}", &self.calendar.iso(groups)?);
                }
                for group in ["number", "year", "court"] {
                    if let Some(value) = groups.name(group) {
                        let value: Vec<&str> = value.as_str().split_whitespace().collect();
                        named = named.replace(&format!("{{{group}}}"), &value.join(" "));
                    }
                }
                Some(named)
            }
        }
    }
}

impl Part {
    fn new(data: &PartData, expressions: &Expressions) -> Read<Part> {
        Ok(Part {
            head: expressions.here(&data.head)?,
            label: expressions.here(&format!("{{o}}(?P<label>{})", data.label))?,
            law: data.law.clone(),
            own: data.own.clone(),
        })
    }

    /// A label without white space, and the byte after it. Of "312 d" the letter belongs to it, of "312 d. h." it does not.
    fn label(&self, text: &str, at: usize) -> Option<(String, usize)> {
        let label = self.label.captures(text.get(at..)?)?.name("label")?;
        let mut written = label.as_str();
        let after = |length: usize| text.get(at + label.start() + length..).unwrap_or_default();
        let ends = |written: &str| {
            let mut next = after(written.len()).chars();
            let joined = match next.next() {
                Some(c) if c.is_alphanumeric() => true,
                Some('.') => written.ends_with(char::is_alphabetic) && written.contains(char::is_whitespace),
                Some('%' | '€') => true,
                _ => false,
            };
            !joined
        };
        if !ends(written) {
            written = written.trim_end_matches(char::is_alphabetic).trim_end();
        }
        let words: Vec<&str> = written.split_whitespace().collect();
        let name = match written.chars().next()? {
            first if first.is_ascii_digit() => words.concat(),
            // "L.121-1", "L 121-1": an article that a code numbers with a letter
            first if self.law.is_some() && written.contains(|c: char| c.is_ascii_digit()) => {
                let number = words.concat();
                format!("{first}. {}", number.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '*'))
            }
            _ => words.join(" "),
        };
        ends(written).then(|| (name, at + label.start() + written.len()))
    }
}

impl PartCitation {
    fn own(self, part: &Part) -> Reference {
        let through = self.through.unwrap_or_default();
        let name = format!("{} {}{through}{}", part.own, self.label, self.levels);
        Match { start: self.start, end: self.end, what: (ReferenceKind::Internal, name) }
    }

    fn of(self, part: &Part, many: bool, law: &str, european: bool, end: usize) -> Reference {
        let through = self.through.unwrap_or_default();
        let name = match &part.law {
            _ if european => format!("{law} Article {}{}{through}", european_label(&self.label), self.european_levels),
            Some((one, several)) => {
                let part = if many && !through.is_empty() { several } else { one };
                format!("{law} {part} {}{through}{}", without_thousands(&self.label), self.levels)
            }
            None => law.to_owned(),
        };
        Match { start: self.start, end, what: (ReferenceKind::Regulation, name) }
    }
}

/// True if the second of two labels can end a range that begins with the first: "3 - 5", not "312 - 3".
fn rises(first: &str, last: &str) -> bool {
    let number =
        |label: &str| label.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse::<u32>().ok());
    match (number(first), number(last)) {
        (Some(first), Some(last)) => first < last,
        (first, last) => first.is_none() == last.is_none(),
    }
}

/// "1.124" as codes number their articles: "1124".
fn without_thousands(label: &str) -> String {
    match label.split_once('.') {
        Some((one, three)) if one.len() == 1 && three.len() == 3 && three.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{one}{three}")
        }
        _ => label.to_owned(),
    }
}

/// "6.1.b" as European law is cited in English: "6(1)(b)".
fn european_label(label: &str) -> String {
    let mut levels = label.split('.');
    let article = levels.next().unwrap_or_default().to_owned();
    levels.fold(article, |label, level| label + "(" + level + ")")
}

/// True if a part is named here as the heading over it: at the beginning of a line, before a title or nothing.
fn is_heading(text: &str, start: usize, cited: &PartCitation) -> bool {
    let blank = |c: char| c != '\n' && c.is_whitespace();
    let before = text.get(..start).unwrap_or_default().trim_end_matches(blank);
    let rest = text.get(cited.end..).unwrap_or_default().trim_start_matches(blank);
    let opens = before.is_empty() || before.ends_with('\n');
    let titled = rest.is_empty()
        || rest.starts_with(|c: char| c.is_uppercase() || matches!(c, '\n' | '.' | ':' | '-' | '–' | '—' | '('));
    let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let law = word.chars().skip(1).any(char::is_uppercase);
    opens && titled && !law && cited.levels.is_empty() && cited.through.is_none()
}

/// "Verordnung (EU) Nr. 575/2013", "Richtlinie 95/46/EG".
fn european_act(written: &str, number: &str) -> String {
    const BODY: &str = "EU|EG|EWG|UE|CE|CEE|EEC|EC";
    format!(
        r"(?i:{written}){{o}}(?:\((?P<body>{BODY})\){{o}})?(?:(?:{number}){{o}})?(?P<number>\d{{1,4}}/\d{{1,4}})(?:/(?P<suffix>{BODY})\b)?"
    )
}

/// The English name of such an act; `None` if only the word makes it one.
fn european_name(word: &str, groups: &Captures) -> Option<String> {
    let english = |group: &str| {
        groups.name(group).map(|body| match body.as_str() {
            "EU" | "UE" => "EU",
            "EG" | "CE" | "EC" => "EC",
            _ => "EEC",
        })
    };
    let number = groups.name("number")?.as_str();
    match (english("body"), english("suffix")) {
        (_, _) if word == "Regulation" && number == "2016/679" => Some("GDPR".to_owned()),
        (Some(body), _) => Some(format!("{word} ({body}) {number}")),
        (None, Some(suffix)) => Some(format!("{word} {number}/{suffix}")),
        (None, None) => None,
    }
}
