use casetrack_core::{Cancel, DocumentType};
use casetrack_nlp::{Fact, FactKind, annotate, facts_of_kind};

use super::{NoNames, values};

fn facts_of(page: &str, kind: DocumentType) -> Vec<Fact> {
    let annotations = annotate(&NoNames, &[page], None, &Cancel::default()).unwrap();
    let found = facts_of_kind(&[page], &annotations, kind).known;
    let chars: Vec<char> = page.chars().collect();
    for fact in &found {
        assert!(fact.char_start < fact.char_end && fact.char_end as usize <= chars.len(), "{fact:?}");
        let written: String = chars[fact.char_start as usize..fact.char_end as usize].iter().collect();
        let is_read = matches!(fact.kind, FactKind::Date | FactKind::Total);
        assert!(is_read || written == fact.value, "{written}: {fact:?}");
    }
    found
}

#[test]
fn a_letter_has_a_sender_a_recipient_and_a_day() {
    for (text, from, to, date) in [
        (
            "From: Ann Lee <ann@lee.example>\nTo: Tom Ray\nDate: Mon, 5 Feb 2018 10:00:00 +0000\nSubject: Rent of 1 March 2019\n\nIt is due.",
            "Ann Lee <ann@lee.example>",
            "Tom Ray",
            "2018-02-05",
        ),
        (
            "Lee & Sons Ltd\n1 Mill Lane, Leeds\n\n4 May 2020\n\nRay Trading plc\n7 Dock Road\nHull\n\nYour letter of 2 May 2020\n\n\
             Dear Mr Ray,\n\nThe rent of 1 June 2020 is due.\n\nYours sincerely,\n\n/s/ Ann Lee\nManaging Director",
            "Ann Lee",
            "Ray Trading plc",
            "2020-05-04",
        ),
        (
            "Leeds, 4 May 2020\n\nDear Ms. Jones:\nWe agree.\nKind regards\nTom Ray",
            "Tom Ray",
            "Ms. Jones",
            "2020-05-04",
        ),
        (
            "Dear Sir or Madam,\nOn 4 May 2020 we met and agreed on the terms of the lease.\nNo name follows.",
            "",
            "",
            "",
        ),
        (
            "MEMORANDUM\n\nTO:\nAll staff\nFROM: The Board\nDATE: May 4, 2020\nRE: Holidays",
            "The Board",
            "All staff",
            "2020-05-04",
        ),
    ] {
        let found = facts_of(text, DocumentType::Correspondence);
        let all = [FactKind::From, FactKind::To, FactKind::Date].map(|kind| values(&found, kind));
        assert_eq!(all, [from, to, date], "{text}");
    }
}

#[test]
fn an_invoice_has_a_number_a_day_and_a_total() {
    for (text, number, date, total) in [
        (
            "Lee Ltd\nInvoice No.: 2024-17\nInvoice date: 4 May 2024   Due date: 3 June 2024\nBooks 2 x 10.00\nSubtotal 20.00\nTotal VAT 4.00\n\
             Total \u{20ac} 24.00",
            "2024-17",
            "2024-05-04",
            "EUR 24",
        ),
        (
            "TAX INVOICE\nInvoice # : OR1803\n14 Mar 2018 18:40\nTotal Amount: 8.20\nCash 10.00\nGST summary\nTotal 7.74 0.46",
            "OR1803",
            "2018-03-14",
            "8.20",
        ),
        (
            "Facture FA-2017-0010\nLivraison 3 mai 2017\nDate : 13 November 2017\nTotal TTC\n1.624,35",
            "FA-2017-0010",
            "2017-11-13",
            "1624.35",
        ),
        ("Receipt\nThe invoice of 30 days is not numbered. Total quantity 12.00", "", "", ""),
    ] {
        let found = facts_of(text, DocumentType::Invoice);
        let all = [FactKind::Number, FactKind::Date, FactKind::Total].map(|kind| values(&found, kind));
        assert_eq!(all, [number, date, total], "{text}");
    }
}

#[test]
fn minutes_have_a_meeting_a_day_and_people() {
    for (text, meeting, date, present) in [
        (
            "Minutes of the Annual General Meeting\n\nDate: 4 May 2020\nPresent: Ann Lee (Chair), Dr. Tom Ray, Finance Director; Bo van Dam\n\
             Apologies: Max Poe\n\n1. The accounts of 3 March 2019 were approved.",
            "Annual General Meeting",
            "2020-05-04",
            "Ann Lee; Dr. Tom Ray; Bo van Dam",
        ),
        (
            "ACME LTD\nBoard Meeting Minutes\nHeld at Leeds on 4 May 2020\n\nIn attendance\n- Ann Lee\n- Tom Ray - Company Secretary\n\nMax Poe was absent.",
            "Board Meeting",
            "2020-05-04",
            "Ann Lee; Tom Ray",
        ),
        (
            "Meeting of the Works Council\nMINUTES OF MEETING\n4 May 2020",
            "Meeting of the Works Council",
            "2020-05-04",
            "",
        ),
        (
            "# Progress Meeting No. 9 \u{2013} Minutes\n\n**Held:** Monday 4 May 2020, site office\n\n| Present | Organisation |\n|---|---|\n\
             | Ann Lee | Lee Architects LLP |\n| Tom Ray | Ray Building Limited |\n\nApologies: Max Poe",
            "Progress Meeting No. 9",
            "2020-05-04",
            "Ann Lee; Tom Ray",
        ),
        ("The Board met on 4 May 2020 for thirty minutes\nPresent: Ann Lee", "", "", ""),
    ] {
        let found = facts_of(text, DocumentType::Report);
        let all = [FactKind::Meeting, FactKind::Date, FactKind::Present].map(|kind| values(&found, kind));
        assert_eq!(all, [meeting, date, present], "{text}");
        assert_eq!(facts_of(text, DocumentType::Contract), []);
    }
}
