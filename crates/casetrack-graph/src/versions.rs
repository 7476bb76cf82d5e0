//! The version and the document that a file name or a title states: "Agreement v2", "Budget_final", "2023-05 draft",
//! "Amendment No. 1 to the Credit Agreement".

use super::fold::{fold, words};

/// A name without its version, and the version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionName {
    /// Folded; may be empty, if a name states only its version.
    pub base: String,
    pub marker: Marker,
}

/// The properties that distinguish the versions of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Marker {
    /// 0 is an amendment without a number.
    pub amendment: Option<u32>,
    /// "v2.1" is `[2, 1]`.
    version: Vec<u32>,
    /// `YYYY-MM` or `YYYY-MM-DD`.
    date: Option<String>,
    /// "draft", "final", in the order of the name.
    stages: Vec<String>,
}

const STAGES: &[&str] = &[
    "draft",
    "final",
    "executed",
    "signed",
    "redline",
    "redlined",
    "clean",
    "copy",
    "conformed",
    "revised",
    "restated",
];
const ORDINALS: &[&str] =
    &["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

impl VersionName {
    /// `None` if the name has no letter or digit.
    pub fn parse(name: &str) -> Option<Self> {
        let folded = fold(name);
        let all: Vec<&str> = words(&folded).collect();
        let (mut base, mut marker) = (Vec::new(), Marker::default());
        let mut at = 0;
        while at < all.len() {
            match marker.take(&all[at..]) {
                0 => {
                    base.push(all[at]);
                    at += 1;
                }
                taken => at += taken,
            }
        }
        if base.first() == Some(&"the") {
            base.remove(0);
        }
        (!folded.is_empty()).then(|| Self { base: base.join(" "), marker })
    }

    /// True if both name versions of one document, and not the same one.
    pub fn is_other_version_of(&self, other: &VersionName) -> bool {
        !self.base.is_empty() && self.base == other.base && self.marker != other.marker
    }
}

impl Marker {
    /// Takes the words at the beginning that belong to the marker, and returns their number.
    fn take(&mut self, words: &[&str]) -> usize {
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        if let Some(number) = numbered(word(0), "v") {
            self.version = number;
            return 1;
        }
        if matches!(word(0), "v" | "ver" | "version" | "rev" | "revision")
            && let Some(number) = numbered(word(1), "")
        {
            self.version = number;
            return 2;
        }
        if word(0) == "amended" && word(1) == "and" && word(2) == "restated" {
            self.stages.push("amended and restated".to_owned());
            return 3;
        }
        let ordinal = ORDINALS.iter().position(|ordinal| *ordinal == word(0)).map(|at| at as u32 + 1);
        let amendment = usize::from(ordinal.is_some());
        if word(amendment) == "amendment" && self.amendment.is_none() {
            let mut taken = amendment + 1;
            taken += usize::from(matches!(word(taken), "no" | "nr" | "number"));
            let number = word(taken).parse().ok();
            taken += usize::from(number.is_some());
            if word(taken) == "to" {
                taken += 1;
                taken += usize::from(matches!(word(taken), "the" | "that"));
            }
            self.amendment = Some(ordinal.or(number).unwrap_or(0));
            return taken;
        }
        if ordinal.is_some() && word(1) == "amended" && word(2) == "and" && word(3) == "restated" {
            self.stages.push(format!("{} amended and restated", word(0)));
            return 4;
        }
        if STAGES.contains(&word(0)) {
            self.stages.push(word(0).to_owned());
            return 1;
        }
        self.take_date(word(0), word(1), word(2))
    }

    fn take_date(&mut self, first: &str, second: &str, third: &str) -> usize {
        let within = |text: &str, length: usize, range: std::ops::RangeInclusive<u32>| {
            text.len() == length && text.parse().is_ok_and(|number| range.contains(&number))
        };
        let (year, month, day) = (1900..=2099, 1..=12, 1..=31);
        if first.len() == 8 && first.is_ascii() {
            let (y, m, d) = (&first[..4], &first[4..6], &first[6..]);
            if within(y, 4, year) && within(m, 2, month) && within(d, 2, day) {
                self.date = Some(format!("{y}-{m}-{d}"));
                return 1;
            }
            return 0;
        }
        if !within(first, 4, year) || !within(second, 2, month) {
            return 0;
        }
        let has_day = within(third, 2, day);
        self.date = Some(if has_day { format!("{first}-{second}-{third}") } else { format!("{first}-{second}") });
        2 + usize::from(has_day)
    }

    /// `YYYY-MM` or `YYYY-MM-DD`.
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// Greater for later versions of one document: drafts, then numbered and unmarked ones by their numbers, then final
    /// ones, then signed ones.
    pub fn stage(&self) -> (u8, Vec<u32>, Option<u32>) {
        let is = |names: &[&str]| self.stages.iter().any(|stage| names.contains(&stage.as_str()));
        let rank = if is(&["executed", "signed", "conformed"]) {
            3
        } else if is(&["final"]) {
            2
        } else {
            u8::from(!is(&["draft"]) || !self.version.is_empty())
        };
        (rank, self.version.clone(), self.amendment)
    }

    /// In words; the one without marks is "the unmarked one".
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        match self.amendment {
            Some(0) => parts.push("amendment".to_owned()),
            Some(number) => parts.push(format!("amendment no. {number}")),
            None => {}
        }
        if !self.version.is_empty() {
            let numbers: Vec<String> = self.version.iter().map(u32::to_string).collect();
            parts.push(format!("version {}", numbers.join(".")));
        }
        parts.extend(self.date.clone());
        parts.extend(self.stages.iter().cloned());
        if parts.is_empty() { "the unmarked one".to_owned() } else { parts.join(", ") }
    }
}

/// The parts of "v2.1" after its prefix.
fn numbered(word: &str, prefix: &str) -> Option<Vec<u32>> {
    let number = word.strip_prefix(prefix)?;
    let parts: Result<Vec<u32>, _> = number.split('.').map(str::parse).collect();
    parts.ok().filter(|parts| parts.iter().all(|part| *part < 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_document_share_their_base() {
        for (name, base, marker) in [
            ("Vendor_Agreement_v2.1", "vendor agreement", "version 2.1"),
            ("Vendor Agreement Version 3", "vendor agreement", "version 3"),
            ("Budget_final", "budget", "final"),
            ("2023-05 draft Budget", "budget", "2023-05, draft"),
            ("Minutes 20230514", "minutes", "2023-05-14"),
            ("Amendment No. 1 to the Credit Agreement", "credit agreement", "amendment no. 1"),
            ("Second Amendment to Credit Agreement", "credit agreement", "amendment no. 2"),
            ("Amended and Restated Credit Agreement", "credit agreement", "amended and restated"),
            ("The Credit Agreement", "credit agreement", "the unmarked one"),
            ("Budget 2023", "budget 2023", "the unmarked one"),
            ("Exhibit 10.2 First Report", "exhibit 10.2 first report", "the unmarked one"),
        ] {
            let parsed = VersionName::parse(name).unwrap();
            assert_eq!((parsed.base.as_str(), parsed.marker.describe().as_str()), (base, marker), "{name}");
        }
        assert_eq!(VersionName::parse("—"), None);
    }

    #[test]
    fn years_are_no_versions() {
        let [a, b] = ["Budget 2023", "Budget 2024"].map(|name| VersionName::parse(name).unwrap());
        assert!(!a.is_other_version_of(&b));
    }
}
