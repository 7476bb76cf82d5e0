//! All rules over all pages of a document: dates, amounts, patterns and references.

use casetrack_core::{Mention, Result};

use crate::dates::{self, Anchors, DateOrder};
use crate::findings::{PageFindings, inside_citation, links, overlap};
use crate::languages::{amounts_in_words, days_in_words};
use crate::tokens::Tokens;
use crate::{amounts, patterns, references};

/// The findings of the rules in a document, page by page.
///
/// All pages of a document are needed together: they decide the currency of "kr", and a date may count from one on another
/// page. The result depends only on the texts. Linear in their length; one page's tokens are in memory at a time.
pub fn find(pages: &[&str], order: DateOrder) -> Result<Vec<PageFindings>> {
    let conventions = amounts::Conventions::of(pages.iter().copied());
    let mut anchors = Anchors::default();
    let mut all = Vec::with_capacity(pages.len());
    let mut pending = Vec::with_capacity(pages.len());
    for (number, page) in (1..).zip(pages) {
        let tokens = Tokens::new(page);
        let references = references::find(&tokens, order);
        let found = dates::find(&tokens, order);
        let mut mentions = in_any_language(found.mentions, page)?;
        dates::without_left_out(page, &mut mentions);
        mentions.retain(|date| !inside_citation(date, &references));
        anchors.add(&mentions, number);
        let amounts = with_foreign(amounts::find(&tokens, &conventions), page)?;
        mentions.extend(amounts.into_iter().filter(|amount| !inside_citation(amount, &references)));
        mentions.extend(patterns::find(&tokens).into_iter().filter(|concept| !inside_citation(concept, &references)));
        mentions.extend(links(&references));
        pending.push(found.relative);
        all.push(PageFindings { mentions, references });
    }
    for (page, relative) in all.iter_mut().zip(pending) {
        page.mentions.extend(relative.iter().filter_map(|(date, span)| anchors.resolve(date, *span)));
        page.mentions.sort_by_key(|mention| (mention.char_start, mention.char_end, mention.entity_type));
    }
    Ok(all)
}

/// The dates of a page, with the days that name a month in another language, as letters and short texts do.
fn in_any_language(mut dates: Vec<Mention>, page: &str) -> Result<Vec<Mention>> {
    let mut foreign = days_in_words(page)?;
    foreign.extend(dates::east_asian::find(page));
    if !foreign.is_empty() {
        dates.retain(|date| !foreign.iter().any(|day| overlap(date, day)));
        dates.extend(foreign);
        dates.sort_by_key(|date| date.char_start);
    }
    Ok(dates)
}

/// The amounts of a page, with those that it names in another language: "2 millions d'euros". Of two that overlap, the longer one counts.
fn with_foreign(mut amounts: Vec<Mention>, page: &str) -> Result<Vec<Mention>> {
    let mut foreign = amounts_in_words(page)?;
    let covers = |other: &Mention, amount: &Mention| {
        let length = |mention: &Mention| mention.char_end - mention.char_start;
        overlap(other, amount) && length(other) > length(amount)
    };
    amounts.retain(|amount| !foreign.iter().any(|other| covers(other, amount)));
    foreign.retain(|other| !amounts.iter().any(|amount| overlap(amount, other)));
    amounts.extend(foreign);
    Ok(amounts)
}

#[cfg(test)]
mod tests {
    use casetrack_core::EntityValue;
    use proptest::prelude::*;

    use super::*;
    use crate::languages::{self, Language};

    fn days(pages: &[&str]) -> Vec<Vec<String>> {
        find(pages, crate::facts::date_order(pages, None))
            .unwrap()
            .iter()
            .map(|page| {
                page.mentions
                    .iter()
                    .filter_map(|mention| match &mention.value {
                        Some(EntityValue::Date(date)) => Some(date.first.clone()),
                        _ => None,
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn an_english_text_may_have_amounts_in_other_languages() {
        for (text, expected) in [
            ("The price is 2 millions d'euros.", "2000000 EUR"),
            ("The price is 3 millones de euros.", "3000000 EUR"),
            ("The price is 2 milioni di euro and 4 million euros.", "2000000 EUR; 4000000 EUR"),
            ("The price is 2,5 Millionen Euro.", "2500000 EUR"),
            ("The price is 3 millions et demi d’euros.", "3500000 EUR"),
            ("The price is 1,5 miliardi di euro.", "1500000000 EUR"),
            ("The price is 5 milliards de dollars.", "5000000000 USD"),
            ("The price is € 2 milioni.", "2000000 EUR"),
            ("Un millón de personas came.", ""),
            ("The price is 2.500 millones de euros.", ""),
            ("Millions de visiteurs, 3 miles from here.", ""),
        ] {
            let found = find(&[text], DateOrder::Unknown).unwrap().remove(0);
            let amount = |mention: &casetrack_core::Mention| match &mention.value {
                Some(EntityValue::Amount(amount)) => Some(format!("{} {}", amount.value, amount.unit)),
                _ => None,
            };
            let amounts: Vec<String> = found.mentions.iter().filter_map(amount).collect();
            assert_eq!(amounts.join("; "), expected, "{text}");
        }
    }

    #[test]
    fn a_relative_date_counts_from_a_date_of_another_page() {
        let pages = [
            "Payment is due thirty (30) days after the Effective Date, and not ten business days after the Effective Date.",
            "This Agreement is made on May 4, 2020 (the \"Effective Date\").",
            "It ends on the third (3rd) anniversary of the Effective Date or ten days after the Closing Date.",
        ];
        assert_eq!(days(&pages), [vec!["2020-06-03"], vec!["2020-05-04"], vec!["2023-05-04"]]);
    }

    #[test]
    fn a_term_names_the_kind_of_its_end() {
        let roles = |pages: &[&str]| -> Vec<String> {
            let found = find(pages, crate::facts::date_order(pages, None)).unwrap();
            found.into_iter().flat_map(|page| page.mentions).filter_map(|mention| mention.role).collect()
        };
        for (day, kind) in [("August 31, 2025", "to the last day of the month"), ("May 4, 2020", "the anniversary")] {
            let text = format!(
                "This Agreement is made on {day} (the \"Effective Date\"). The term is six months from the Effective Date."
            );
            let found = roles(&[&text]);
            assert!(found.iter().any(|role| role.ends_with(kind)), "{found:?}");
        }
    }

    #[test]
    fn one_date_without_doubt_decides_the_order_for_all_pages() {
        assert_eq!(days(&["on 01/05/2023", "on 31/05/2023"]), [["2023-05-01"], ["2023-05-31"]]);
        assert_eq!(days(&["on 01/05/2023", "on 05/31/2023"]), [["2023-01-05"], ["2023-05-31"]]);
    }

    #[test]
    fn years_of_laws_cases_and_standards_are_no_dates() {
        let text = "Under the Securities Exchange Act of 1934 and since Brown v. Board of Education, 347 U.S. 483 (1954), see ISO 9001:2015 \
                    and http://example.com/2023-01-05.";
        assert_eq!(days(&[text]), [Vec::<String>::new()]);
    }

    #[test]
    fn days_that_a_calendar_leaves_out_are_no_dates() {
        let text = "Event: Hearing über 3 Tage\nWhen: 2024-09-05 14:00\nNot on: 2024-09-12 14:00, 2024-09-26\nRepeated on: 2024-09-19\n\
                    Event: Walk\nIn place of the date: 2024-10-01\nWhen: 2024-10-02 (all day)\nIt is not on: 2024-11-03";
        let taken = ["2024-09-05", "2024-09-19", "2024-10-02", "2024-11-03"];
        assert_eq!(days(&[text]), [taken]);
        for &language in Language::ALL {
            let found = languages::find(language, &[text], DateOrder::Unknown).unwrap().remove(0);
            let dates: Vec<String> = found
                .mentions
                .into_iter()
                .filter_map(|mention| match mention.value {
                    Some(EntityValue::Date(date)) => Some(date.first),
                    _ => None,
                })
                .collect();
            assert_eq!(dates, taken, "{language:?}");
        }
    }

    /// Pieces that the rules look for, so that random texts reach deep into them.
    const PIECES: &[&str] = &[
        "January ",
        "Feb. ",
        "5th ",
        "day of ",
        "2023",
        "Q3 ",
        "FY",
        "third quarter of ",
        "days after the Effective Date",
        "$",
        "USD ",
        "million ",
        "twenty ",
        "thousand ",
        "hundred ",
        "percent",
        "basis points",
        "Section ",
        "Sections ",
        "Exhibit ",
        "A",
        "(c)",
        " and ",
        " of ",
        "the ",
        "Exchange Act",
        "C.F.R. ",
        "U.S.C. ",
        "U.S. ",
        "v. ",
        "In re ",
        "Brown ",
        "ISO/IEC ",
        "NIST SP 800-",
        "Rev. ",
        "Agreement ",
        "dated as of ",
        "Amendment No. ",
        "Form 10-",
        "K",
        "http://",
        "www.",
        "a.b",
        "@",
        "+",
        "Tel. ",
        "Invoice No. ",
        "é",
        "漢",
        "ſ",
        "İ",
        "\u{feff}",
        "[●] ",
        "____ ",
        "Report ",
        "Directive ",
        "/EC",
        "Cal. Civ. Code ",
        "Pub. L. No. ",
        "Case C-",
    ];

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[ \\n.,;:()\\[\\]/$€%§_'\"-]{1,3}",
            "[0-9]{1,12}",
            prop::sample::select(PIECES).prop_map(str::to_owned),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn any_text_is_read_and_every_place_is_in_it(pieces in prop::collection::vec(piece(), 0..30)) {
            let text = pieces.concat();
            let chars: Vec<char> = text.chars().collect();
            let found = find(&[&text], DateOrder::Unknown).unwrap();
            prop_assert_eq!(&found, &find(&[&text], DateOrder::Unknown).unwrap());
            let spans = found[0].mentions.iter().map(|m| (m.char_start, m.char_end));
            for (start, end) in spans.chain(found[0].references.iter().map(|r| (r.char_start, r.char_end))) {
                prop_assert!(start < end && end as usize <= chars.len());
                prop_assert!(!chars[start as usize].is_whitespace() && !chars[end as usize - 1].is_whitespace());
            }
            for pair in found[0].references.windows(2) {
                prop_assert!(pair[0].char_end <= pair[1].char_start);
            }
        }
    }
}
