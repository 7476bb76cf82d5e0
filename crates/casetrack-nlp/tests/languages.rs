//! Precision and recall of dates, amounts and references in languages other than English, over sentences written for the
//! purpose: one half to write the rules with, the other written before them and held back.
//!
//! A mention counts as right with its exact place and its value: an ISO date or two for a range, a decimal with its unit, a normalised name.

use std::collections::BTreeMap;

use casetrack_core::{Cancel, EntityType, EntityValue, ReferenceKind, Result};
use casetrack_nlp::{NamedSpan, Recognizer, annotate};

const SETS: &[(&str, &str, &str)] = &[
    ("de", include_str!("fixtures/languages/de-dev.txt"), include_str!("fixtures/languages/de-held.txt")),
    ("fr", include_str!("fixtures/languages/fr-dev.txt"), include_str!("fixtures/languages/fr-held.txt")),
    ("es", include_str!("fixtures/languages/es-dev.txt"), include_str!("fixtures/languages/es-held.txt")),
    ("it", include_str!("fixtures/languages/it-dev.txt"), include_str!("fixtures/languages/it-held.txt")),
];
const FLOOR: f64 = 0.9;

struct NoNames;

impl Recognizer for NoNames {
    fn recognize(&self, _: &str, _: &Cancel) -> Result<Vec<NamedSpan>> {
        Ok(Vec::new())
    }
}

/// Kind, place and value.
type Labels = Vec<(char, u32, u32, String)>;

/// The text of a line, and the expected labels.
fn labelled(line: &str) -> (String, Labels) {
    let (mut text, mut labels) = (String::new(), Labels::new());
    let mut rest = line;
    while let Some((before, marked)) = rest.split_once('{') {
        text += before;
        let (marked, after) = marked.split_once('}').unwrap();
        let (words, label) = marked.rsplit_once('|').unwrap();
        let (kind, value) = label.split_once(' ').unwrap();
        let start = text.chars().count() as u32;
        text += words;
        labels.push((kind.chars().next().unwrap(), start, text.chars().count() as u32, value.to_owned()));
        rest = after;
    }
    (text + rest, labels)
}

fn found(text: &str, language: &str) -> Labels {
    let annotations = annotate(&NoNames, &[text], Some(language), &Cancel::default()).unwrap();
    let mut found = Labels::new();
    for mention in &annotations.mentions {
        let entity = &annotations.entities[mention.entity as usize];
        let (kind, value) = match (entity.entity_type, &entity.value) {
            (EntityType::Date, Some(EntityValue::Date(date))) if date.first == date.last => ('d', date.first.clone()),
            (EntityType::Date, Some(EntityValue::Date(date))) => ('d', format!("{}/{}", date.first, date.last)),
            (EntityType::Amount, Some(EntityValue::Amount(amount))) => {
                ('a', format!("{} {}", amount.value, amount.unit))
            }
            _ => continue,
        };
        found.push((kind, mention.char_start, mention.char_end, value));
    }
    for placed in annotations.references {
        let reference = placed.reference;
        let kinds = [ReferenceKind::Regulation, ReferenceKind::Internal, ReferenceKind::LegalCase];
        assert!(kinds.contains(&reference.kind), "{text}: {reference:?}");
        found.push(('r', reference.char_start, reference.char_end, reference.name));
    }
    found.sort_by_key(|(_, start, ..)| *start);
    found
}

#[test]
fn dates_amounts_and_references_are_read_in_each_language() {
    let mut low = Vec::new();
    let mut wrong = Vec::new();
    for (language, dev, held) in SETS {
        for (half, sentences) in [("dev", dev), ("held", held)] {
            let mut counts: BTreeMap<char, [usize; 3]> = BTreeMap::new();
            for line in sentences.lines().filter(|line| !line.starts_with('#')) {
                let (text, expected) = labelled(line);
                let found = found(&text, language);
                for label in &expected {
                    counts.entry(label.0).or_default()[0] += 1;
                    counts.entry(label.0).or_default()[2] += usize::from(found.contains(label));
                }
                found.iter().for_each(|label| counts.entry(label.0).or_default()[1] += 1);
                if found != expected {
                    wrong.push(format!("{language} {half}: {text}\n  expected {expected:?}\n  found    {found:?}"));
                }
            }
            for (kind, [expected, found, right]) in counts {
                assert!(expected >= 6, "{language} {half} {kind}: {expected} to be read");
                let (precision, recall) = (right as f64 / found.max(1) as f64, right as f64 / expected as f64);
                println!(
                    "{language} {half:4} {kind} expected {expected:3}  precision {precision:.3}  recall {recall:.3}"
                );
                if precision < FLOOR || recall < FLOOR {
                    low.push(format!("{language} {half} {kind}"));
                }
            }
        }
    }
    println!("{}", wrong.join("\n"));
    assert!(low.is_empty(), "below {FLOOR}: {low:?}\n{}", wrong.join("\n"));
}

#[test]
fn look_alikes_are_not_read() {
    for (language, text) in [
        ("de", "Version 1.2.3, Fassung 2.0, Build 10.12.2023.4"),
        ("de", "Tel. 030 123456, Fax 0049-30-123456, IBAN DE89 3704 0044 0532 0130 00"),
        ("de", "um 14.30 Uhr, 12:00 Uhr, Nr. 4711/23, 3 x 5, 1.2.2 Pflichten"),
        ("de", "§ 4 Kündigung\nDie Kündigung bedarf der Schriftform.\n\n§ 5\nSonstiges"),
        ("de", "Der Mai war kalt, im März 12 Grad, die 3. Kammer, am 31.02.2023"),
        ("fr", "version 1.2.3, tél. 01 42 34 56 78, à 14h30, n° 12/34, IBAN FR14 2004 1010 0505 0001 3M02 606"),
        ("fr", "Article 5 - Prix\nLe prix est ferme.\n\nArticle 6\nDurée"),
        ("fr", "le mois de mars, 12 pages, le 31/02/2023, 4.2.1 Prestations"),
        ("es", "versión 1.2.3, tel. 91 123 45 67, a las 14:30, n.º 12/34, ES76 2077 0024 0031 0257 5766"),
        ("es", "Artículo 5. Precio\nEl precio es fijo.\n\nArtículo 6\nDuración"),
        ("it", "versione 1.2.3, tel. 06 1234567, alle 14.30, n. 12/34, IT60 X054 2811 1010 0000 0123 456"),
        ("it", "Articolo 5 - Prezzo\nIl prezzo è fisso.\n\nArticolo 6\nDurata"),
    ] {
        assert_eq!(found(text, language), Labels::new(), "{language}: {text}");
    }
}

#[test]
fn what_is_written_alike_everywhere_is_read_in_every_language() {
    for language in ["de", "fr", "es", "it"] {
        let text = "https://example.com/a, info@example.com, ISO 27001, ECLI:EU:C:2020:559, C-311/18, 2024-03-01";
        let found = annotate(&NoNames, &[text], Some(language), &Cancel::default()).unwrap();
        let names: Vec<&str> = found.references.iter().map(|placed| placed.reference.name.as_str()).collect();
        assert_eq!(
            names,
            ["https://example.com/a", "ISO/IEC 27001", "ECLI:EU:C:2020:559", "Case C-311/18"],
            "{language}"
        );
        assert!(found.entities.iter().any(|entity| entity.key == "info@example.com"), "{language}");
        assert!(found.entities.iter().any(|entity| entity.key == "2024-03-01"), "{language}");
    }
}

#[test]
fn a_date_has_the_role_that_the_words_before_it_give() {
    for (language, text, role) in [
        ("de", "Der Vertrag tritt am 1. März 2024 in Kraft.", "effective date"),
        ("de", "Rechnungsdatum: 5.4.2023", "invoice date"),
        ("de", "geboren am 12.08.1975", "birth date"),
        ("fr", "Le bail prend effet le 1er juillet 2023.", "effective date"),
        ("fr", "payable avant le 01/03/2024", "due date"),
        ("es", "entra en vigor el 1 de marzo de 2024", "effective date"),
        ("it", "Il contratto entra in vigore il 1º marzo 2024", "effective date"),
    ] {
        let found = annotate(&NoNames, &[text], Some(language), &Cancel::default()).unwrap();
        assert_eq!(found.mentions[0].role.as_deref(), Some(role), "{language}: {text}");
    }
}

#[test]
fn english_days_are_read_in_every_language() {
    let days = |text: &str, language: &str| -> Vec<String> {
        found(text, language).into_iter().filter(|label| label.0 == 'd').map(|label| label.3).collect()
    };
    for (language, own) in [
        ("de", "Der Vertrag beginnt am 1. März 2024."),
        ("fr", "Le contrat prend effet le 1er mars 2024."),
        ("es", "El contrato entra en vigor el 1 de marzo de 2024."),
        ("it", "Il contratto decorre dal 1° marzo 2024."),
    ] {
        for (line, day) in [
            ("Date: Tue, 12 Dec 2023 10:00:00 +0200", "2023-12-12"),
            ("Saved: Tue, 4 Jun 2024", "2024-06-04"),
            ("Sent: Tuesday, May 3, 2022 4:05 PM", "2022-05-03"),
            ("> On 9 October 2020 at 10:00, Max Weber wrote:", "2020-10-09"),
            ("When: 2 Jan 2021 10:00 to 12:00", "2021-01-02"),
            ("Modified: August 31st, 2019", "2019-08-31"),
        ] {
            assert_eq!(days(&format!("{line}\n\n{own}"), language), [day, "2024-03-01"], "{language}");
        }
        // The year of a citation, and words that begin as a month does.
        assert_eq!(days("Decision 2023, marca 12, Septima 2024", language), Vec::<String>::new(), "{language}");
    }
}
