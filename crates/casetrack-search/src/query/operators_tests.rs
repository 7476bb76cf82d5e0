use proptest::prelude::*;

use super::*;

/// The reading of a query; `None` if it is text.
fn read(query: &str) -> Option<String> {
    let parsed = in_query(query, &mut Vec::new()).unwrap_or_else(|error| panic!("{query}: {error}"));
    parsed.and_then(|parsed| parsed.expression).map(|expression| written(&expression))
}

fn refused(query: &str) -> String {
    in_query(query, &mut Vec::new()).expect_err(query).message
}

#[test]
fn operators_group_words() {
    for (query, expected) in [
        ("rent AND deposit", "rent AND deposit"),
        ("rent OR lease AND deposit", "rent OR (lease AND deposit)"),
        ("(rent OR lease) AND deposit", "(rent OR lease) AND deposit"),
        ("rent AND NOT garage", "rent AND NOT garage"),
        ("rent NOT garage", "rent AND NOT garage"),
        ("rent AND NOT (garage OR cellar)", "rent AND NOT (garage OR cellar)"),
        ("NOT NOT rent AND lease", "rent AND lease"),
        ("late payment AND \"interest rate\" fee", "\"late payment\" AND \"interest rate\" AND fee"),
        ("terminat*", "terminat*"),
        ("terminat* w/10 convenience", "terminat* w/10 convenience"),
        (
            "(terminat* OR cancel*) W/5 \"for convenience\" AND notice",
            "((terminat* OR cancel*) w/5 \"for convenience\") AND notice",
        ),
        ("a w/2 b w/3 c", "(a w/2 b) w/3 c"),
        ("notice w/3 (days OR (weeks w/2 two))", "notice w/3 (days OR (weeks w/2 two))"),
        ("wom*n OR 4.2(b)", "wom*n OR 4.2(b)"),
        ("INV-2023*", "INV-2023*"),
        ("\"terminat* for cause\"", "\"terminat* for cause\""),
        ("the \"AND\" clause OR rent", "(the AND \"AND\" AND clause) OR rent"),
        ("(rent)AND(lease)", "rent AND lease"),
        ("rent AND(lease OR fee)", "rent AND (lease OR fee)"),
        ("nda OR MSA", "nda OR MSA"),
        ("\"NDA\" OR MSA", "NDA OR MSA"),
    ] {
        assert_eq!(read(query).as_deref(), Some(expected), "{query}");
    }
}

#[test]
fn prose_is_text() {
    for query in [
        "terms and conditions",
        "and/or",
        "delivered w/o notice",
        "not later than rent or lease",
        "TERMS AND CONDITIONS",
        "WHEREAS THE PARTIES OR EITHER",
        "Does the tenant pay for repairs AND for heating",
        "the price* of the goods is fixed",
        "**important** 5*3 12* * a*",
        "w/0 w/ w/x",
        "OR",
        "AND OR",
        "section 4.2(b) (see above)",
        "AND/OR",
        "",
    ] {
        assert_eq!(read(query), None, "{query}");
    }
    let mut notices = Vec::new();
    in_query("TERMS AND CONDITIONS", &mut notices).unwrap();
    assert!(
        notices[0].starts_with("\"AND\" was searched as text, because the whole query is in capitals"),
        "{notices:?}"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (query, expected) in [
        ("rent AND", "\"AND\" at character 6 of the query has nothing after it."),
        ("rent AND OR lease", "\"AND\" at character 6 of the query has nothing after it."),
        ("OR rent lease", "\"OR\" at character 1 of the query has nothing before it."),
        ("(rent OR lease AND x", "The parenthesis at character 1 of the query is not closed."),
        ("rent AND (lease", "The parenthesis at character 10 of the query is not closed."),
        ("rent) AND lease", "The closing parenthesis at character 5 of the query has no opening one."),
        ("rent AND ()", "The pair of parentheses at character 10 of the query is empty."),
        ("(AND rent)", "\"AND\" at character 2 of the query has nothing before it."),
        ("w/5 rent", "\"w/5\" at character 1 of the query has nothing before it."),
        ("é rent w/5", "\"w/5\" at character 8 of the query has nothing after it."),
        ("rent w/5000 lease", "\"w/5000\" at character 6 of the query is too far: at most w/1000."),
        (
            "(rent AND lease) w/5 fee",
            "\"w/5\" at character 18 of the query is among parts joined by OR, but a neighbouring part has AND or NOT.",
        ),
        ("rent AND *tion", "\"*tion\" at character 10 of the query needs 2 letters or digits before the *."),
        ("rent AND \"lease", "The quotation mark at character 10 of the query is not closed."),
        (
            "rent OR document:Lease",
            "\"OR\" at character 6 of the query cannot apply to a field or a word with a sign, which hold for the whole query.",
        ),
    ] {
        assert_eq!(refused(query), expected, "{query}");
    }
    assert!(refused(&"(".repeat(60).replace('(', "(a OR ")).contains("too deep"));
}

#[test]
fn fields_and_signs_hold_for_the_whole_query() {
    let parsed =
        in_query("rent AND document:\"A B.pdf\" (lease OR fee) -garage +\"a b\"", &mut Vec::new()).unwrap().unwrap();
    assert_eq!(written(&parsed.expression.unwrap()), "rent AND (lease OR fee)");
    assert_eq!(parsed.conditions.len(), 3);
}

#[test]
fn a_term_is_a_condition_whatever_it_says() {
    let read = |term: &str| in_term(term).unwrap().expression.map(|expression| written(&expression));
    assert_eq!(
        read("limitation of liability under this agreement").as_deref(),
        Some("\"limitation of liability under this agreement\"")
    );
    assert_eq!(read("NDA AND MSA").as_deref(), Some("NDA AND MSA"));
    assert_eq!(read("+rent"), None);
}

#[test]
fn words_that_would_read_otherwise_are_written_in_quotes() {
    for (query, expected) in [
        ("(rent OR f(x ) AND fee", "(rent OR \"f(x\") AND fee"),
        ("rent AND \"termina*+fee\"", "rent AND \"termina*+fee\""),
    ] {
        assert_eq!(written(&in_term(query).unwrap().expression.unwrap()), expected, "{query}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(query in "\\PC{0,60}") {
        let _ = (in_query(&query, &mut Vec::new()), in_term(&query));
    }

    #[test]
    fn any_mixture_of_operators_is_read_or_refused(query in "(AND |OR |NOT |w/3 |[(]|[)]| |a1|terminat[*]|\"x y\"|\"|[*]|-b|[+]c|page:3 |é){0,20}") {
        if let Ok(Some(parsed)) = in_query(&query, &mut Vec::new()) && let Some(expression) = parsed.expression {
            // What is written reads as the same.
            let again = in_term(&written(&expression)).unwrap().expression.unwrap();
            prop_assert_eq!(written(&again), written(&expression));
        }
    }

    #[test]
    fn prose_without_operators_is_text(query in "[a-zA-Z0-9é.,;?!'/_() -]{0,60}") {
        let has_operator = query.split(|c: char| c.is_whitespace() || "()".contains(c)).any(|word| {
            matches!(word, "AND" | "OR" | "NOT") || distance(word).is_some()
        });
        prop_assume!(!has_operator);
        let mut notices = Vec::new();
        prop_assert!(in_query(&query, &mut notices).unwrap().is_none());
        prop_assert!(notices.is_empty());
    }
}
