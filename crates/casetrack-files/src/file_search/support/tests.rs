use super::*;

const LEASE: &str = "The rent is EUR 500 per month and the deposit is EUR 900. Harbour Point Ltd pays within thirty (30) days after \
                     receipt. The tenant may not sublet the premises.";
const LOAN: &str = "Interest of 5 % is due on 12 May 2021. Acme Foods guarantees the loan of 2.5 million dollars. Late payment bears \
                    interest of 8 %, and early payment has a discount of 3 %. The term changes from 24 to 12 months.";

fn snippets() -> Vec<Snippet> {
    vec![Snippet::new("lease.txt", LEASE), Snippet::new("Loan 2021.docx", LOAN)]
}

fn is_supported(sentence: &str) -> bool {
    let (text, count) = marked(sentence, &snippets());
    assert_eq!(count == 0, text == sentence, "{text}");
    count == 0
}

#[test]
fn what_a_snippet_states_has_support() {
    for sentence in [
        "The rent is EUR 500 per month.",
        "The rent is €500 per month (lease.txt).",
        "- The deposit is 900 EUR. (lease.txt)",
        "* **Harbour Point Ltd** pays within 30 days after receipt.",
        "Harbour Point Ltd pays within thirty days.",
        "The tenant may not sublet the premises.",
        "1. Acme Foods guarantees the loan of 2,500,000 dollars.",
        "According to Loan 2021.docx, interest of 5 percent is due on 12 May 2021.",
        "Late payment bears interest of 8 %.",
        "Key files: lease.txt, Loan 2021.docx.",
        "",
        "## Summary",
        "```",
    ] {
        assert!(is_supported(sentence), "{sentence}");
    }
}

#[test]
fn a_wrong_number_never_has_support() {
    for sentence in [
        "The rent is EUR 501 per month.",
        "The rent is EUR 900 per month.",
        "The deposit is EUR 500.",
        "The rent is USD 500 per month.",
        "The rent is EUR 5,000 per month.",
        "The rent is EUR 50.0 per month.",
        "The rent is minus EUR -500 per month.",
        "Harbour Point Ltd pays within 300 days after receipt.",
        "Harbour Point Ltd pays within sixty days after receipt.",
        "Harbour Point Ltd pays within 30 months after receipt.",
        "Harbour Point Ltd pays within 30 business days after receipt.",
        "Interest of 8 % is due on 12 May 2021.",
        "Interest of 5 % is due on 13 May 2021.",
        "Interest of 5 % is due on 12 June 2021.",
        "Interest of 5 % is due on 12 May 2022.",
        "Acme Foods guarantees the loan of 25 million dollars.",
        "Acme Foods guarantees the loan of two million dollars.",
        "Late payment has a discount of 8 %.",
        "Early payment bears interest of 3 %.",
        "The rent of 2020 is EUR 500 per month.",
        "The term changes from 12 to 24 months.",
        "The term changes from 24 to 24 months.",
    ] {
        assert!(!is_supported(sentence), "{sentence}");
    }
}

#[test]
fn names_bounds_and_denials_are_compared() {
    for sentence in [
        "Meridian Ltd pays within thirty days after receipt.",
        "Harbour Foods pays within thirty days after receipt.",
        "Acme Point guarantees the loan of 2.5 million dollars.",
        "The tenant may sublet the premises.",
        "Harbour Point Ltd never pays within thirty days after receipt.",
        "Harbour Point Ltd pays within thirty days before receipt.",
        "Harbour Point Ltd pays at least thirty days after receipt.",
        "The landlord must insure the building against fire.",
        "The rent is EUR 500 per month (Loan 2021.docx).",
        "The rent is EUR 500 per month. (Loan 2021.docx)",
        "Interest of 5 % is due on 12 May 2021 (lease.txt).",
    ] {
        assert!(!is_supported(sentence), "{sentence}");
    }
}

#[test]
fn one_snippet_has_all_of_a_sentence() {
    assert!(!is_supported("The rent is EUR 500 per month and interest of 5 % is due."));
    let both = "The fees are 500 and 900 EUR for rent and deposit respectively.";
    assert_eq!(marked("The deposit is 900 EUR.", &[Snippet::new("a.txt", both)]).1, 1);
    assert_eq!(marked(both, &[Snippet::new("a.txt", both)]).1, 0);
    assert_eq!(marked("The rent is due.", &[]).1, 1);
}

#[test]
fn a_mark_is_behind_its_sentence() {
    let text = "- The rent is EUR 500. The rent is EUR 600. (lease.txt) The tenant may not sublet.\n\n- No. 7 applies";
    let (shown, count) = marked(text, &snippets());
    let expected = format!(
        "- The rent is EUR 500. The rent is EUR 600. (lease.txt) {MARK} The tenant may not sublet.\n\n- No. 7 applies {MARK}"
    );
    assert_eq!((shown, count), (expected, 2));
    let table =
        "| File | Statement |\n| --- | --- |\n| lease.txt | The rent is EUR 500 |\n| lease.txt | The rent is EUR 600|";
    let (shown, count) = marked(table, &snippets());
    assert!(shown.contains("| The rent is EUR 500 |\n") && shown.ends_with(&format!("EUR 600 {MARK} |")), "{shown}");
    assert_eq!(count, 1);
}

#[test]
fn any_text_is_read() {
    for text in [
        "İ lease.txt İ",
        "—",
        "|",
        "- ",
        "1.",
        "-5",
        "½ m² of ١٢",
        "'s",
        "a.b.c",
        "5.",
        "(lease.txt)",
        "| - |",
        "…\u{0}",
    ] {
        let (shown, _) = marked(text, &snippets());
        assert!(shown.starts_with(text), "{shown}");
    }
    assert_eq!(marked("  ", &snippets()), ("  ".to_owned(), 0));
}
