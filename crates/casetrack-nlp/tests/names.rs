//! The names of whole pages, from recognized spans and rules.

use casetrack_core::EntityType::{self, Location, Organization, Person};
use casetrack_nlp::concepts::concept_candidates;
use casetrack_nlp::names::{Alias, Page, PageNames, mentions, names};
use casetrack_nlp::signatures::signatures;
use casetrack_nlp::{Label, NamedSpan};
use proptest::prelude::*;

fn cut(text: &str, start: u32, end: u32) -> String {
    text.chars().skip(start as usize).take((end - start) as usize).collect()
}

fn span(text: &str, name: &str, label: Label) -> NamedSpan {
    let byte = text.find(name).unwrap();
    let start = u32::try_from(text[..byte].chars().count()).unwrap();
    NamedSpan { char_start: start, char_end: start + u32::try_from(name.chars().count()).unwrap(), label }
}

fn found(text: &str, spans: &[NamedSpan]) -> Vec<(String, EntityType)> {
    mentions(text, spans).iter().map(|m| (cut(text, m.char_start, m.char_end), m.entity_type)).collect()
}

fn has(text: &str, spans: &[NamedSpan], name: &str, entity_type: EntityType) {
    let found = found(text, spans);
    assert!(found.contains(&(name.to_owned(), entity_type)), "{name} in {found:?}");
}

#[test]
fn forms_of_incorporation_make_organizations() {
    for (text, name) in [
        (
            "is made between\nCRYSTAL VALLEY WIDGETS,\nINC., a Delaware corporation, and",
            "CRYSTAL VALLEY WIDGETS,\nINC.",
        ),
        ("sold by Nordwind Maschinen GmbH to us", "Nordwind Maschinen GmbH"),
        ("by and between Blue Heron Capital, L.P. and", "Blue Heron Capital, L.P."),
        ("THIS AGREEMENT BETWEEN OAK & ELM LLC AND", "OAK & ELM LLC"),
        ("of Sphere (Cayman) Management Ltd. in", "Sphere (Cayman) Management Ltd."),
        ("with Yarrow Trading Co., Ltd., of", "Yarrow Trading Co., Ltd."),
        ("at First Harbor Bank, N.A., as", "First Harbor Bank, N.A."),
        ("advised by Keen, Bright & Rowe, Inc. of", "Keen, Bright & Rowe, Inc."),
        ("paid to 1234567 Ontario Limited in", "1234567 Ontario Limited"),
        ("sold by i-Trust, Inc. to", "i-Trust, Inc."),
        ("and acme, Inc., a Delaware", "acme, Inc."),
        ("by Linden Holdings S.\u{e0} r.l., a", "Linden Holdings S.\u{e0} r.l."),
        ("of Fjord Energi AB (publ), a", "Fjord Energi AB (publ)"),
        ("and PT Rimba Raya Tbk, an", "PT Rimba Raya Tbk"),
        ("by Kota Palms Sdn Bhd in", "Kota Palms Sdn Bhd"),
        ("Oak Foods LLC d/b/a Sunny Farms sells", "Sunny Farms"),
        ("Oak Capital, Ltd., a Texas limited partnership dba Bob Merrow Racing", "Bob Merrow Racing"),
        ("Oak Foods LLC (f/k/a Elm Foods LLC) sells", "Elm Foods LLC"),
    ] {
        has(text, &[], name, Organization);
    }
    assert_eq!(found("Each Party is a Company. The company limited its loss.", &[]), []);
}

#[test]
fn spans_are_trimmed_and_freed_of_what_is_no_name() {
    let text = "The Gannet Society's board met Orla Quill. SECTION 4 of the Loan Agreement";
    let spans = [
        span(text, "The Gannet Society's", Label::Org),
        span(text, "Orla Quill", Label::Person),
        span(text, "SECTION", Label::Org),
        span(text, "the Loan Agreement", Label::Org),
    ];
    assert_eq!(found(text, &spans), [("Gannet Society".to_owned(), Organization), ("Orla Quill".to_owned(), Person)]);
}

#[test]
fn labels_and_numbers_of_documents_are_no_names() {
    let text = "Cc: Anna Lindqvist\nRevised drawings under HP-2025-014 and RFI 088 of Oakfield. The drawings were revised on Monday; Change Order \
                CO-07 follows.";
    let spans = [
        span(text, "Cc", Label::Person),
        span(text, "Anna Lindqvist", Label::Person),
        span(text, "Revised", Label::Org),
        span(text, "HP-2025-014", Label::Org),
        span(text, "RFI 088", Label::Org),
        span(text, "Oakfield", Label::Org),
        span(text, "Change Order CO-07", Label::Person),
    ];
    let expected = [("Anna Lindqvist".to_owned(), Person), ("Oakfield".to_owned(), Organization)];
    assert_eq!(found(text, &spans), expected);
}

#[test]
fn a_surname_is_the_person_whom_another_page_names() {
    let first = "Orla Quill wrote the report.";
    let second = "Later Quill left for Lisbon.";
    let spans = [span(first, "Orla Quill", Label::Person)];
    let wrong = [span(second, "Quill", Label::Org)];
    let pages = names(&[Page { text: first, spans: &spans }, Page { text: second, spans: &wrong }]);
    let second: Vec<_> = pages[1]
        .mentions
        .iter()
        .map(|m| (cut(second, m.mention.char_start, m.mention.char_end), m.mention.entity_type))
        .collect();
    assert_eq!(second, [("Quill".to_owned(), Person), ("Lisbon".to_owned(), Location)]);
}

/// A contract: it defines three terms.
const TERMS: &str = " (the \"Term\"), goods (the \"Goods\") and a price (the \"Price\").";

#[test]
fn a_person_who_begins_an_organization_is_that_organization() {
    let text = "Merrow Widgets, Inc. pays. Merrow sells, and so does Jane Quill.";
    let spans = [span(text, "Merrow sells", Label::Person), span(text, "Jane Quill", Label::Person)];
    let spans = [NamedSpan { char_end: spans[0].char_end - 6, ..spans[0] }, spans[1]];
    has(text, &spans, "Merrow", Organization);
    has(text, &spans, "Jane Quill", Person);
}

#[test]
fn a_contract_supports_its_people() {
    for (person, sentence) in [
        (true, "Ansbert Gadick, Chief Executive Officer, signs."),
        (true, "Mr. Gadick signs for Ansbert Gadick."),
        (true, "Jane Gadick signs."),
        (true, "Ansbert Q. Gadick signs."),
        (false, "Ansbert Gadick is installed."),
        (false, "The Jane Gadick is installed."),
        (false, "Jane Gadick\u{ae} is installed."),
        (false, "Ansbert Quinn Module is installed."),
    ] {
        let text = format!("{sentence} A period{TERMS}");
        let name = ["Ansbert Q. Gadick", "Ansbert Gadick", "Jane Gadick", "Ansbert Quinn"]
            .into_iter()
            .find(|name| text.contains(name))
            .unwrap();
        let found = found(&text, &[span(&text, name, Label::Person)]);
        assert_eq!(
            found.iter().any(|(found, _)| found.contains("Gadick") || found.contains("Quinn")),
            person,
            "{sentence}: {found:?}"
        );
    }
    // Prose without defined terms keeps the labels of the recognizer.
    let text = "Ansbert Gadick left.";
    has(text, &[span(text, "Ansbert Gadick", Label::Person)], "Ansbert Gadick", Person);
}

#[test]
fn a_contracts_own_words_are_no_organizations() {
    for (organization, name) in [
        (true, "Quillworks"),
        (true, "SEC"),
        (true, "Quill Petroleum Institute"),
        (false, "QXV"),
        (false, "Quill Content"),
        (false, "Content and Quills"),
        (false, "Quill Index"),
        (false, "Quill Reform Act of 1999"),
    ] {
        let text = format!("Sold by {name} for content. A period{TERMS}");
        let found = found(&text, &[span(&text, name, Label::Org)]);
        assert_eq!(found.contains(&(name.to_owned(), Organization)), organization, "{name}: {found:?}");
    }
}

#[test]
fn a_position_behind_a_name_is_no_part_of_it() {
    has("Printed: Jane Merrow Associate Director of Quality", &[], "Jane Merrow", Person);
}

#[test]
fn a_blank_before_a_party_word_names_nobody() {
    for text in [
        "between Acme Inc. (\"Seller\") and (\"Buyer\"). The Buyer pays.",
        "by Acme Inc. and the undersigned buyer (\"Buyer\"). The Buyer pays.",
    ] {
        assert!(aliases(text).iter().all(|(term, of)| term != "Buyer" || of.is_none()), "{:?}", aliases(text));
    }
}

#[test]
fn roles_are_what_the_text_says() {
    let role = |text: &str, name: &str| {
        mentions(text, &[]).into_iter().find(|m| cut(text, m.char_start, m.char_end) == name).and_then(|m| m.role)
    };
    assert_eq!(
        role("John Merrow, Chief Executive Officer of Acme Corp", "John Merrow").as_deref(),
        Some("Chief Executive Officer")
    );
    assert_eq!(role("before Hon. Alice Merrow in court", "Alice Merrow").as_deref(), Some("judge"));
    assert_eq!(
        role("Acme Corp.\n\nBy: ____\nName: Jane Merrow\nTitle: President", "Jane Merrow").as_deref(),
        Some("President")
    );
    assert_eq!(role("sold by Merrow Works Inc. (the \"Vendor\") to", "Merrow Works Inc.").as_deref(), Some("Vendor"));
}

#[test]
fn places_come_from_the_table_and_from_addresses() {
    has("under the laws of the State of New York, without", &[], "State of New York", Location);
    has("GOVERNED BY THE LAWS OF DELAWARE", &[], "DELAWARE", Location);
    let text = "at 12 Main Street, Suite 4, Boston, MA 02110, and";
    has(text, &[], "12 Main Street, Suite 4, Boston, MA 02110", Location);
    has(text, &[], "Boston", Location);
    // A name that is also a person's needs support.
    assert_eq!(found("then Jordan left", &[]), []);
    has("an office in Jordan and", &[], "Jordan", Location);
}

fn page(text: &str) -> PageNames {
    names(&[Page { text, spans: &[] }]).remove(0)
}

fn aliases(text: &str) -> Vec<(String, Option<String>)> {
    page(text)
        .mentions
        .iter()
        .filter_map(|m| {
            let of = match m.alias.as_ref()? {
                Alias::Of(name) => Some(name.clone()),
                Alias::Unnamed => None,
            };
            Some((cut(text, m.mention.char_start, m.mention.char_end), of))
        })
        .collect()
}

#[test]
fn defined_terms_are_aliases_in_their_document() {
    let text = "Merrow Widgets, Inc., a Delaware corporation with its office in Boston (\"Merrow\" or the \"Company\"), and Jane Quill \
                (hereinafter referred to as \"Buyer\"). The Company pays BUYER. A company is not meant.";
    let of = |name: &str| Some(name.to_owned());
    assert_eq!(
        aliases(text),
        [
            ("Merrow".to_owned(), of("Merrow Widgets, Inc.")),
            ("Company".to_owned(), of("Merrow Widgets, Inc.")),
            ("Buyer".to_owned(), of("Jane Quill")),
            ("Company".to_owned(), of("Merrow Widgets, Inc.")),
            ("BUYER".to_owned(), of("Jane Quill")),
        ]
    );
}

#[test]
fn each_party_has_its_own_term() {
    let text = "between ALDER FOODS, INC. (\"Alder\"), and Birch Mills LLC, a Texas company (the “Supplier”). Supplier sells to Alder.";
    let of = |name: &str| Some(name.to_owned());
    assert_eq!(
        aliases(text),
        [
            ("Alder".to_owned(), of("ALDER FOODS, INC.")),
            ("Supplier".to_owned(), of("Birch Mills LLC")),
            ("Supplier".to_owned(), of("Birch Mills LLC")),
            ("Alder".to_owned(), of("ALDER FOODS, INC.")),
        ]
    );
}

#[test]
fn a_party_without_a_name_is_one_all_the_same() {
    assert_eq!(
        aliases("between Acme Inc. and [*] (\"Distributor\"). The Distributor pays.")[0],
        ("Distributor".to_owned(), None)
    );
}

#[test]
fn other_terms_stand_for_no_name_and_say_where_their_meaning_is() {
    let text = "dated May 1, 2020 (the \"Effective Date\"). \"Products\" means all goods.";
    let definitions = page(text).definitions;
    let terms: Vec<_> =
        definitions.iter().map(|d| (d.term.as_str(), cut(text, d.char_start, d.char_end), d.entity)).collect();
    assert_eq!(
        terms,
        [("Effective Date", "Effective Date".to_owned(), None), ("Products", "Products".to_owned(), None)]
    );
    let subject = definitions[0].subject.clone().unwrap();
    assert!(cut(text, subject.start, subject.end).ends_with("May 1, 2020"));
}

fn tokens() -> impl Strategy<Value = String> {
    let parts = [
        "Acme",
        "Inc.",
        "ACME",
        "LLC",
        ",",
        "(",
        ")",
        "\"",
        "“",
        "”",
        "the",
        "Company",
        "John",
        "Smith",
        "J.",
        "By:",
        "/s/",
        "Name:",
        "Title:",
        "President",
        "hereinafter",
        "means",
        "12",
        "Main",
        "Street",
        "Suite",
        "4",
        "IL",
        "62701",
        "New",
        "York",
        "State",
        "of",
        "and",
        "&",
        "'s",
        "’",
        "\n",
        "\n\n",
        "\t",
        "     ",
        "Dr.",
        "van",
        "ü",
        "𝒳",
        "e\u{301}",
        "d/b/a",
        "University",
        "Bank",
        ".",
        ":",
        "-",
        "_",
        "[*]",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..60).prop_map(|parts| parts.join(" "))
}

proptest! {
    #[test]
    fn any_text_gives_places_within_it(text in prop_oneof![any::<String>(), tokens()], spans in prop::collection::vec((0u32..200, 0u32..30), 0..6)) {
        let length = u32::try_from(text.chars().count()).unwrap();
        let mut spans: Vec<_> = spans
            .into_iter()
            .map(|(start, size)| NamedSpan { char_start: start, char_end: start + size, label: [Label::Org, Label::Person, Label::Gpe][(size % 3) as usize] })
            .collect();
        spans.sort_by_key(|span| span.char_start);
        let chars: Vec<char> = text.chars().collect();
        let page = names(&[Page { text: &text, spans: &spans }]).remove(0);
        let concepts = concept_candidates(&[&text], std::slice::from_ref(&page)).remove(0);
        for mention in page.mentions.iter().map(|m| &m.mention).chain(&concepts) {
            prop_assert!(mention.char_start < mention.char_end && mention.char_end <= length);
            prop_assert!(!chars[mention.char_start as usize].is_whitespace() && !chars[mention.char_end as usize - 1].is_whitespace());
        }
        for definition in &page.definitions {
            prop_assert!(definition.char_start < definition.char_end && definition.char_end <= length);
        }
        for signature in signatures(&text) {
            prop_assert!(signature.char_start < signature.char_end && signature.char_end <= length);
        }
        prop_assert_eq!(page, names(&[Page { text: &text, spans: &spans }]).remove(0));
    }
}
