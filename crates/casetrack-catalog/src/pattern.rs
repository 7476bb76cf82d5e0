//! Conditions on names and paths.

use std::path::{MAIN_SEPARATOR, Path};

use casetrack_core::{Error, Result, same_text};
use regex::{Regex, RegexBuilder};

use crate::paths;

/// Longest pattern, in bytes, and the memory that a compiled one may take.
pub(crate) const MAX_BYTES: usize = 4096;
const MAX_COMPILED: usize = 4 << 20;

/// The text that a pattern is matched against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The last name of the path.
    Name,
    /// The path from the start of the query on.
    Path,
}

/// A condition on the name or the path of an entry. Its cost is linear in the text for every pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    target: Target,
    rule: Rule,
}

#[derive(Debug, Clone)]
enum Rule {
    /// The spellings of a text, of which a name has one.
    Contains(Vec<String>),
    Regex(Regex),
}

impl Pattern {
    /// The text occurs in it; case, accents and forms of one text ([`same_text`]) make no difference.
    pub fn contains(target: Target, text: &str) -> Self {
        Self { target, rule: Rule::Contains(same_text::spellings(text)) }
    }

    /// The name ends in this extension, without a dot; case is ignored.
    ///
    /// Errors: as [`Self::glob`].
    pub fn extension(extension: &str) -> Result<Self> {
        let source = format!("(?is)\\.{}$", regex::escape(extension.trim_start_matches('.')));
        Self::compiled(Target::Name, extension, &source)
    }

    /// A glob over paths: `*` and `?` match characters of one name, `**` any folders, `[…]` one of several characters, `{a,b}` one of
    /// several texts. One without `/` is matched against names, so that it matches at any depth.
    ///
    /// Errors: an invalid or oversized pattern. The message is one sentence.
    pub fn glob(glob: &str) -> Result<Self> {
        let target = if glob.contains('/') { Target::Path } else { Target::Name };
        let source = glob_regex(glob, true).ok_or_else(|| {
            Error::invalid(format!("The glob pattern '{}' is invalid: a bracket or brace is not closed.", short(glob)))
        })?;
        Self::compiled(target, glob, &source)
    }

    /// A regular expression that occurs anywhere in the name or path.
    ///
    /// Errors: as [`Self::glob`].
    pub fn regex(target: Target, source: &str) -> Result<Self> {
        Self::compiled(target, source, source)
    }

    /// Letters and their marks are compared as one, whether the name has them composed or not.
    fn compiled(target: Target, given: &str, source: &str) -> Result<Self> {
        if given.len() > MAX_BYTES {
            return Err(Error::invalid(format!("A pattern may have at most {MAX_BYTES} bytes.")));
        }
        let regex = regex(&same_text::composed(source), false)
            .map_err(|reason| Error::invalid(format!("The pattern '{}' is invalid: {reason}.", short(given))))?;
        Ok(Self { target, rule: Rule::Regex(regex) })
    }

    /// True if an entry matches. `relative` is its path from the start of the query.
    pub(crate) fn matches(&self, relative: &Path) -> bool {
        let text = match self.target {
            Target::Name => relative.file_name().map(|name| name.to_string_lossy()).unwrap_or_default(),
            Target::Path => paths::shown(relative),
        };
        self.matches_text(&text)
    }

    /// True if a name matches; `None` for a pattern over paths.
    pub(crate) fn matches_name(&self, name: &str) -> Option<bool> {
        (self.target == Target::Name).then(|| self.matches_text(name))
    }

    fn matches_text(&self, text: &str) -> bool {
        match &self.rule {
            Rule::Contains(needles) => {
                let spellings = same_text::spellings(text);
                needles.iter().any(|needle| spellings.iter().any(|spelling| spelling.contains(needle)))
            }
            Rule::Regex(regex) if MAIN_SEPARATOR != '/' => {
                regex.is_match(&same_text::composed(text).replace(MAIN_SEPARATOR, "/"))
            }
            Rule::Regex(regex) => regex.is_match(&same_text::composed(text)),
        }
    }

    /// The query for the index of names: for each spelling, all runs of three characters that every matching name has. `None` if one has none.
    pub(crate) fn index_query(&self) -> Option<String> {
        let Rule::Contains(needles) = &self.rule else { return None };
        let runs: Option<Vec<String>> = needles.iter().map(|needle| runs_of_three(needle)).collect();
        let of_any = match runs?.as_slice() {
            [one] => one.clone(),
            all => format!("(({}))", all.join(") OR (")),
        };
        (self.target == Target::Name).then_some(of_any)
    }
}

/// The condition of the index for a text; `None` if it is too short.
fn runs_of_three(needle: &str) -> Option<String> {
    let characters: Vec<char> = needle.chars().collect();
    let runs = characters.windows(3).map(|run| {
        let run: String = run.iter().collect();
        format!("\"{}\"", run.replace('"', "\"\""))
    });
    let runs: Vec<String> = runs.take(64).collect();
    (!runs.is_empty()).then(|| runs.join(" AND "))
}

/// Compiles a regular expression. The error is the reason, without a stop.
pub(crate) fn regex(source: &str, ignores_case: bool) -> std::result::Result<Regex, String> {
    let regex = RegexBuilder::new(source).case_insensitive(ignores_case).size_limit(MAX_COMPILED).build();
    regex.map_err(|error| {
        let reason = error.to_string();
        reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The regular expression of the class of a glob after its opening bracket, and the text behind the class; `None` if the bracket is not
/// closed. A negated class does not match `never` either.
fn class<'g>(glob: &'g str, never: &str) -> Option<(String, &'g str)> {
    let negated = glob.starts_with(['!', '^']);
    let body = if negated { &glob[1..] } else { glob };
    // A bracket directly behind the opening one is a character of the class.
    let first = body.chars().next()?.len_utf8();
    let end = first + body[first..].find(']')?;
    let class = body[..end].replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
    let class = class.replace("&&", "&\\&").replace("~~", "~\\~").replace('^', "\\^");
    let opening = if negated { format!("[^{never}") } else { "[".to_owned() };
    Some((format!("{opening}{class}]"), &body[end + 1..]))
}

/// The regular expression of a glob; `None` if a bracket or brace is not closed. Over paths, `*` and `?` stop at a separator and `**` does
/// not, and braces and backslashes have their meaning.
pub(crate) fn glob_regex(glob: &str, over_paths: bool) -> Option<String> {
    let (any, one, separator) = if over_paths { ("[^/]*", "[^/]", "/") } else { (".*", ".", "") };
    let mut regex = String::from("(?s)^");
    let mut rest = glob.strip_prefix("./").filter(|_| over_paths).unwrap_or(glob);
    let mut open_braces = 0;
    while let Some(c) = rest.chars().next() {
        let deep = [("**/", "(?:[^/]+/)*"), ("**", ".*")].into_iter().filter(|_| over_paths);
        if let Some((after, any)) = deep.filter_map(|(deep, any)| Some((rest.strip_prefix(deep)?, any))).next() {
            regex.push_str(any);
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => regex.push_str(any),
            '?' => regex.push_str(one),
            '[' => {
                let (class, behind) = class(rest, separator)?;
                regex.push_str(&class);
                rest = behind;
            }
            '{' if over_paths => {
                open_braces += 1;
                regex.push_str("(?:");
            }
            '}' if open_braces > 0 => {
                open_braces -= 1;
                regex.push(')');
            }
            ',' if open_braces > 0 => regex.push('|'),
            '\\' if over_paths => {
                let literal = rest.chars().next().unwrap_or('\\');
                regex.push_str(&regex::escape(&literal.to_string()));
                rest = rest.get(literal.len_utf8()..).unwrap_or_default();
            }
            literal => regex.push_str(&regex::escape(&literal.to_string())),
        }
    }
    regex.push('$');
    (open_braces == 0).then_some(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_at_any_depth_or_paths_from_the_start() {
        for (glob, path, expected) in [
            ("*.md", "a/b/c.md", true),
            ("*.md", "c.md", true),
            ("*.md", "c.mdx", false),
            ("**/*.md", "c.md", true),
            ("**/*.md", "a/b/c.md", true),
            ("a/*.md", "a/c.md", true),
            ("a/*.md", "a/b/c.md", false),
            ("a/**", "a/b/c.md", true),
            ("a/**/c.md", "a/c.md", true),
            ("a/**/c.md", "a/x/y/c.md", true),
            ("./a/*", "a/b", true),
            ("report-[0-9][!0-9].txt", "x/report-1a.txt", true),
            ("report-[0-9][!0-9].txt", "x/report-12.txt", false),
            ("[]x]", "]", true),
            ("[[]", "[", true),
            ("*.{md,txt}", "a/b.txt", true),
            ("*.{md,txt}", "a/b.pdf", false),
            ("a,b", "a,b", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("a.b", "axb", false),
            ("?.txt", "ü.txt", true),
            ("*", "a\nb", true),
        ] {
            assert_eq!(Pattern::glob(glob).unwrap().matches(Path::new(path)), expected, "{glob} {path}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_one_sentence() {
        for glob in ["[", "a[b", "{a,b", "[z-a]", &"a".repeat(5000)] {
            let message = Pattern::glob(glob).unwrap_err().message;
            assert!(message.ends_with('.') && !message.contains('\n') && message.len() < 250, "{message}");
        }
        assert!(Pattern::regex(Target::Name, "(").is_err());
        assert!(Pattern::regex(Target::Name, "(a{1000}){1000}").is_err());
    }

    #[test]
    fn forms_of_one_name_are_found_by_each_other() {
        for (text, name, expected) in [
            ("Besta\u{308}tigung", "Bestätigung.html", true),
            ("Bestätigung", "Besta\u{308}tigung.pdf", true),
            ("bestatigung", "Bestätigung.html", true),
            ("resume", "Re\u{301}sume\u{301}.doc", true),
            ("학점", "\u{1112}\u{1161}\u{11a8}\u{110c}\u{1165}\u{11b7}.md", true),
            ("strasse", "Straße.txt", true),
            ("straße", "STRASSE.txt", true),
            ("istanbul", "İstanbul.txt", true),
            ("vertrag - 2021", "Vertrag – 2021.txt", true),
            ("Mueller", "Müller.pdf", true),
            ("Müller", "Mueller.pdf", true),
            ("Ｎｏ．５", "No.5.txt", true),
            ("o'brien", "O’Brien.txt", true),
            ("Mueller", "Muller.pdf", false),
        ] {
            assert_eq!(Pattern::contains(Target::Name, text).matches(Path::new(name)), expected, "{text} {name}");
        }
        for name in ["Bestätigung.html", "Besta\u{308}tigung.pdf"] {
            assert!(Pattern::glob("*ätigung*").unwrap().matches(Path::new(name)));
            assert!(Pattern::glob("Best?tigung*").unwrap().matches(Path::new(name)));
            assert!(Pattern::regex(Target::Name, "Best.tigung").unwrap().matches(Path::new(name)));
        }
    }

    #[test]
    fn the_index_is_asked_for_runs_of_three_characters() {
        assert_eq!(
            Pattern::contains(Target::Name, "Vert\"").index_query().unwrap(),
            "\"ver\" AND \"ert\" AND \"rt\"\"\""
        );
        assert_eq!(Pattern::contains(Target::Name, "ab").index_query(), None);
        assert_eq!(Pattern::contains(Target::Path, "abcd").index_query(), None);
        assert_eq!(
            Pattern::contains(Target::Name, "Müll").index_query().unwrap(),
            "((\"mul\" AND \"ull\") OR (\"mue\" AND \"uel\" AND \"ell\"))"
        );
        assert!(Pattern::contains(Target::Name, "ÜBER").matches(Path::new("a/Das Überblick.pdf")));
        assert!(Pattern::extension(".PDF").unwrap().matches(Path::new("a/b.pdf")));
        assert!(!Pattern::extension("pdf").unwrap().matches(Path::new("pdf")));
    }
}
