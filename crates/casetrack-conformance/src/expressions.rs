use casetrack_store::{Collection, Conditions, Expression, Words};

use crate::fixture::*;

fn phrase(words: &str) -> Words {
    Words::Phrase(words.to_owned())
}

fn word(words: &str) -> Expression {
    Expression::Words(phrase(words))
}

fn near(left: Words, right: Words, words: u32) -> Expression {
    Expression::Words(near_words(left, right, words))
}

fn near_words(left: Words, right: Words, words: u32) -> Words {
    Words::Near { left: Box::new(left), right: Box::new(right), words }
}

fn not(one: Expression) -> Expression {
    Expression::Not(Box::new(one))
}

/// The indexes of the chunks of the only document that fulfil an expression.
fn fulfilling(collection: &Collection, expression: Expression) -> Vec<u32> {
    let conditions = Conditions { expression: Some(expression), ..Conditions::default() };
    let selection = collection.select(&conditions).unwrap();
    collection.places(&selection).into_iter().map(|(_, index)| index).collect()
}

/// Each paragraph is a chunk.
const TEXT: &str = "The agreement may be terminated for convenience by the buyer.\n\n\
    Termination for the buyer's convenience needs notice.\n\n\
    The terminal is rented with the café; INV-2023-0042 under 4.2(b) is paid.\n\n\
    The word termination stands here, and then a great many other words follow it, so that it is far from convenience.\n\n\
    Women and a woman of a well-known house, notice notice.\n\n\
    Termini are not meant.";

pub fn expressions_are_fulfilled_by_the_words_of_one_chunk(store: &dyn Store) {
    let collection = new_collection(store);
    collection.put_document(&document("/data/a.txt", &[TEXT])).unwrap();
    let all = Expression::All;
    let any = Expression::Any;
    for (expression, expected) in [
        // A stem is shorter than a word: "terminal" has the stem of "termination".
        (word("termination"), vec![0, 1, 2, 3]),
        (word("terminat*"), vec![0, 1, 3]),
        (word("TERMIN*"), vec![0, 1, 2, 3, 5]),
        (word("terminatio*"), vec![1, 3]),
        (word("wom*n"), vec![4]),
        (word("caf*"), vec![2]),
        (word("Café*"), vec![2]),
        (word("INV-2023*"), vec![2]),
        (word("inv*"), vec![2]),
        (word("4.2*"), vec![2]),
        (word("absent*"), vec![]),
        (word("terminat* for"), vec![0, 1]),
        (word("terminat* for convenience"), vec![0]),
        (word("well-know* house"), vec![4]),
        (word("INV-2023-0042 under 4.2(b) is"), vec![2]),
        (word("for buyer"), vec![]),
        (all(vec![word("termination"), word("notice")]), vec![1]),
        (all(vec![word("termination"), not(word("notice"))]), vec![0, 2, 3]),
        (not(any(vec![word("termination"), word("notice")])), vec![5]),
        (any(vec![word("notice"), word("café")]), vec![1, 2, 4]),
        (all(vec![not(word("notice")), not(word("termination"))]), vec![5]),
        (near(phrase("terminat*"), phrase("convenience"), 2), vec![0]),
        (near(phrase("terminat*"), phrase("convenience"), 4), vec![0, 1]),
        (near(phrase("convenience"), phrase("terminat*"), 100), vec![0, 1, 3]),
        (near(phrase("for convenience"), phrase("buyer"), 3), vec![0]),
        (near(phrase("for convenience"), phrase("buyer"), 2), vec![]),
        (near(phrase("notice"), phrase("notice"), 1), vec![4]),
        (near(Words::Any(vec![phrase("needs"), phrase("agreement")]), phrase("terminat*"), 5), vec![0, 1]),
        (near(near_words(phrase("agreement"), phrase("terminated"), 3), phrase("buyer"), 5), vec![0]),
        (near(near_words(phrase("agreement"), phrase("terminated"), 3), phrase("buyer"), 4), vec![]),
        (word(&"x".repeat(300)), vec![]),
        (word("—"), vec![]),
    ] {
        assert_eq!(fulfilling(&collection, expression.clone()), expected, "{expression:?}");
    }
}

pub fn deleted_documents_fulfil_nothing(store: &dyn Store) {
    let collection = new_collection(store);
    let stored = document("/data/a.txt", &[TEXT]);
    collection.put_document(&stored).unwrap();
    collection.put_document(&document("/data/b.txt", &["Termination, once."])).unwrap();
    assert_eq!(fulfilling(&collection, word("terminat*")).len(), 4);
    collection.delete_document(stored.meta.id).unwrap();
    assert_eq!(fulfilling(&collection, word("terminat*")), [0]);
    assert_eq!(fulfilling(&collection, not(word("absent"))), [0]);
    assert_clean(&collection);
}
