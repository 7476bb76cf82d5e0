use super::*;
use crate::test_provenance::provenance;
use casetrack_core::{BlockKind, ChunkId, DocumentId, Provenance};

/// The excerpt's text.
fn excerpt(query: &str, chunk: &ChunkView, brief: bool) -> String {
    around(&[], query, chunk, brief)
}

fn around(said: &[String], query: &str, chunk: &ChunkView, brief: bool) -> String {
    let extent = if brief { Extent::Line } else { Extent::Usual };
    let chars = super::around(said, &Question::of(query), chunk, &[], extent);
    chunk.text.chars().take(chars.end).skip(chars.start).collect()
}

pub fn chunk(text: &str) -> ChunkView {
    let document_id = DocumentId::random();
    ChunkView {
        chunk_id: ChunkId::derive(document_id, 1, 0, text),
        text: text.to_owned(),
        viewed: None,
        table_header: None,
        citation: String::new(),
        short_citation: String::new(),
        provenance: Provenance {
            document_id,
            document_name: "a.txt".into(),
            page: 1,
            paragraph_start: 1,
            paragraph_end: 1,
            line_start: 10,
            line_end: 12,
            char_start: 100,
            char_end: 100 + text.chars().count() as u32,
            ..provenance()
        },
        chunk_count: 1,
        embeddings: Vec::new(),
    }
}

#[test]
fn the_sentence_with_the_words_of_the_query_is_shown_with_its_own_place() {
    let filler = "Nothing of note is said in this sentence at all. ".repeat(12);
    let text = format!("{filler}\nLate payments bear interest — at 1.5% per month. {filler}");
    let found = excerpt("interest on late payment", &chunk(&text), false);
    assert!(found.starts_with("Late payments bear interest"), "{}", found);
    assert!(found.chars().count() <= Extent::Usual.most());
}

#[test]
fn an_excerpt_begins_with_the_section_that_the_query_names() {
    let filler = "Nothing of note is in this sentence at all. ".repeat(12);
    let clause = "7.6 If the Employer fails to pay a sum due, it shall pay interest at 4 per cent. This is a remedy.";
    let text = format!("{filler}\n{clause}\n7.7 The Contractor may suspend performance. {filler}");
    assert!(excerpt("clause 7.6", &chunk(&text), false).starts_with(clause));
    assert!(excerpt("may the Contractor suspend under section 7.6?", &chunk(&text), true).starts_with(clause));
}

#[test]
fn an_excerpt_ends_with_its_sentence_where_that_is_near() {
    let long =
        format!("The tenant shall pay rent {}monthly. Nothing else is due.", "and, where it is due, ".repeat(21));
    let found = excerpt("rent", &chunk(&long), false);
    assert!(found.ends_with("monthly."), "{}", found);
    assert!(excerpt("rent", &chunk(&long), true).ends_with("monthly."));
    let longer = long.replace("monthly", &"and, if it is late, ".repeat(12));
    assert!(excerpt("rent", &chunk(&longer), true).chars().count() <= Extent::Line.most());
    let quoted = long.replace("monthly. Nothing", "monthly.” Nothing");
    assert!(excerpt("rent", &chunk(&quoted), false).ends_with("monthly.”"));
    let endless = "The tenant shall pay rent and then some more ".repeat(60);
    assert!(excerpt("rent", &chunk(&endless), false).chars().count() <= Extent::Usual.most());
    let to_the_end = format!("The tenant shall pay rent {}monthly", "and, where it is due, ".repeat(21));
    assert!(excerpt("rent", &chunk(&to_the_end), false).ends_with("monthly"));
}

#[test]
fn an_abbreviation_before_a_number_ends_no_sentence() {
    let filler = "Nothing of note is said in this sentence at all. ".repeat(12);
    let text = format!("{filler}Subject: Application No. 6, interest on it. {filler}");
    assert!(excerpt("interest", &chunk(&text), false).starts_with("Subject: Application No. 6, interest"));
    let text = format!("{filler}The rent is {}due under Art. 4 of the lease. {filler}", "and was and is ".repeat(28));
    assert!(excerpt("rent", &chunk(&text), false).ends_with("Art. 4 of the lease."));
    let text = format!("{filler}Is it due? No, it is not. 6 days are left for interest. {filler}");
    assert!(excerpt("interest", &chunk(&text), false).contains("6 days are left for interest."));
}

#[test]
fn the_phrase_that_decides_is_shown_rather_than_a_sentence_with_more_words() {
    let decides = "The aggregate liability of either side\nshall not exceed the fees. ";
    let other = "No party limits its right to cap what the other party may be liable for to any third party. ";
    let text = format!("{}{decides}{}", other.repeat(4), other.repeat(4));
    let query = "do the parties cap or limit what a party may be liable for liability shall not exceed";
    let said = ["liability of either side shall not exceed".to_owned()];
    assert!(excerpt(query, &chunk(&text), true).starts_with("No party"));
    assert!(around(&said, query, &chunk(&text), true).contains("shall not exceed the fees"));
    // Also if its sentence began long before.
    let long = format!(
        "{} and without any effect on {}, {decides}",
        other.trim_end_matches(". "),
        other.repeat(4).replace('.', ",")
    );
    let found = around(&said, query, &chunk(&format!("{long}{}", other.repeat(4))), true);
    assert!(found.starts_with("The aggregate liability of either side\nshall not exceed the fees."), "{}", found);
}

#[test]
fn what_a_heading_heads_is_shown_with_it() {
    let before =
        "Neither party is liable for delay where performance is limited by events that it cannot control. ".repeat(2);
    let text = format!(
        "{before}16.15 Limitation of Liability. In no event shall the supplier's total liability exceed the fees paid in \
         the year before the claim arose, whatever the cause of action, and whether or not it was told of the loss. {before}"
    );
    let found = excerpt("limitation of liability", &chunk(&text), false);
    assert!(found.contains("total liability exceed the fees"), "{}", found);
}

#[test]
fn function_words_decide_nothing_beside_others() {
    let text =
        "The contractor and the client are what they are in the contract, and it is for them to do what is in it. \
        Section 6.1 is amended by deleting the date.\nNothing else changes. "
            .to_owned()
            + &"The rest is about something else and is here to fill the passage. ".repeat(8);
    let found = excerpt("what is amended and deleted in it", &chunk(&text), true);
    assert!(found.starts_with("Section 6.1 is amended"), "{}", found);
    assert!(excerpt("what is it", &chunk(&text), true).starts_with("The contractor"));
}

#[test]
fn the_clause_that_states_the_rate_is_shown_rather_than_the_recital_that_mentions_it() {
    let recital = "The parties have agreed the effect on time, and the Employer has agreed to shorten the period for payment in \
        return for a lower rate of interest on late payments.";
    let lines = [
        recital,
        "Changes to the Agreement",
        "1. Time",
        "1.1 In clause 1.1(f) the words “28 November 2025” are replaced by “6 February 2026”.",
        "2. Payment and interest on late payment",
        "2.1 In clause 7.4 the words “30 days” are replaced by “21 days”.",
        "2.2 Clause 7.6 is deleted and replaced by the following: “If the Employer fails to pay a sum due by the final date for \
         payment, it shall pay simple interest on the overdue amount at 2.5 per cent per annum above the Base Rate.”",
        "3. No other change. Everything else stays as it is.",
    ];
    let mut at = 100;
    let blocks: Vec<Block> = lines
        .iter()
        .map(|line| {
            let (char_start, char_end) = (at, at + line.chars().count() as u32);
            at = char_end + 1;
            Block { kind: BlockKind::Paragraph, char_start, char_end }
        })
        .collect();
    let passage = chunk(&lines.join("\n"));
    for question in [
        "What is the late payment interest rate after the amendment?",
        "Which rate of interest applies to late payment?",
        "What interest is due on late payments?",
    ] {
        for extent in [Extent::Usual, Extent::Short, Extent::Line] {
            let chars = super::excerpt(&Question::of(question), &passage, &blocks, extent);
            let shown: String = passage.text.chars().take(chars.end).skip(chars.start).collect();
            assert!(shown.contains("2.5 per cent per annum"), "{question}: {shown}");
        }
    }
}

#[test]
fn indented_lines_begin_excerpts() {
    let clause =
        "(a)  Section 6.1 of the Agreement is amended by deleting the date and inserting another in its place.";
    let filler = "Nothing of note is said in this sentence at all. ".repeat(8);
    let text = format!("FIRST AMENDMENT   TO THE AGREEMENT\n\n     {filler}\n\n          {clause}");
    let found = excerpt("what is amended, deleted and inserted", &chunk(&text), true);
    assert!(found.starts_with("(a)"), "{}", found);
}

#[test]
fn without_a_match_or_a_space_the_beginning_is_shown() {
    let text = "x".repeat(1000);
    let found = excerpt("query", &chunk(&text), false);
    assert_eq!(found.chars().count(), Extent::Usual.most());
    assert_eq!(excerpt("query", &chunk("short"), false), "short");
}

#[test]
fn a_statement_is_shown_with_its_whole_sentences() {
    let stated = |text: &str, words: &str| {
        let start = text[..text.find(words).unwrap()].chars().count();
        let chars = super::of_statement(&(start..start + words.chars().count()), &chunk(text), &[], Extent::Line);
        text.chars().take(chars.end).skip(chars.start).collect::<String>()
    };
    let text = "Nothing is said here. The term ends on 3 May 2024 unless it is renewed. Rent is due.";
    assert_eq!(stated(text, "3 May 2024"), "The term ends on 3 May 2024 unless it is renewed.");
    assert_eq!(stated(text, "is renewed. Rent is"), "The term ends on 3 May 2024 unless it is renewed. Rent is due.");
    // A long sentence is whole. Of one that is too long, the part with the statement is shown.
    let long =
        |times| format!("The tenant shall leave {}the term ends on 3 May 2024.", "and pay, as due, ".repeat(times));
    assert_eq!(stated(&long(40), "3 May 2024"), long(40));
    let shown = stated(&long(60), "3 May 2024");
    assert!(shown.contains("3 May 2024") && shown.chars().count() <= Extent::Line.room(), "{shown}");
}

#[test]
fn an_excerpt_begins_with_the_heading_on_its_line() {
    let filler = "Nothing of note is said in this sentence at all. ".repeat(12);
    let clause = "7.6 Late Payment. If the employer fails to pay, simple interest is due on the overdue amount.";
    let text = format!("{filler}\n{clause}\n{filler}");
    assert!(excerpt("interest overdue", &chunk(&text), false).starts_with("7.6 Late Payment. If the employer"));
    // A heading on a line of its own stays out.
    let text = format!("{filler}\nLate Payment\nIf the employer fails to pay, simple interest is due.\n{filler}");
    assert!(excerpt("simple interest due", &chunk(&text), true).starts_with("If the employer"));
}

#[test]
fn a_clause_is_shown_whole_as_far_as_there_is_room() {
    let text = "One is here. Two is there; three is more. Four ends it.";
    let sentences = sentences(text, 0, &[]);
    let at = |part: &str| text.find(part).unwrap()..text.find(part).unwrap() + part.len();
    let shown =
        |clause: &str, shown: &str, room| text[with_clause(&sentences, &[at(clause)], at(shown), room)].to_owned();
    assert_eq!(shown("Two is there; three", "Two is there; three is more.", 100), "Two is there; three is more.");
    assert_eq!(shown("three is more. Four", "Four ends it.", 100), "Two is there; three is more. Four ends it.");
    assert_eq!(shown("three is more. Four", "Four ends it.", 20), "Four ends it.");
    assert_eq!(shown("One is here.", "Four ends it.", 100), "Four ends it.");
}
