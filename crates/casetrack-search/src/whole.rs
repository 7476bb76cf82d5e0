//! Documents that fulfil an expression as a whole. AND and NOT of passages miss a document with its words in two passages; reviewers who count
//! documents by terms expect both numbers.

use std::collections::HashSet;

use casetrack_core::{DocumentId, Result};
use casetrack_store::{Collection, Conditions, Expression, Selection};

use super::query::Understood;

/// The number of documents that fulfil a query if AND and NOT hold for a document as a whole, and phrases and w/n within one passage of it. Only
/// passages of `base` (`None` for all) are looked at. `None` if it is the same for passages: without AND and NOT, or with other conditions on words.
pub(super) fn documents(
    collection: &Collection,
    understood: &Understood,
    base: Option<&Selection>,
) -> Result<Option<u64>> {
    let joins = |expression: &&Expression| understood.words.is_empty() && joins_passages(expression);
    let Some(expression) = understood.expression.as_ref().filter(joins) else { return Ok(None) };
    let all = match base {
        Some(base) => base.document_ids().collect(),
        None => collection.select(&Conditions::default())?.document_ids().collect(),
    };
    Ok(Some(fulfilling(collection, expression, base, &all)?.len() as u64))
}

fn joins_passages(expression: &Expression) -> bool {
    match expression {
        Expression::Words(_) => false,
        Expression::All(_) | Expression::Not(_) => true,
        Expression::Any(any) => any.iter().any(joins_passages),
    }
}

fn fulfilling(
    collection: &Collection,
    expression: &Expression,
    base: Option<&Selection>,
    all: &HashSet<DocumentId>,
) -> Result<HashSet<DocumentId>> {
    let of = |one: &Expression| fulfilling(collection, one, base, all);
    match expression {
        Expression::Words(_) => {
            let conditions = Conditions { expression: Some(expression.clone()), ..Conditions::default() };
            let found = collection.select(&conditions)?;
            Ok(base.map(|base| base.within(&found)).unwrap_or(found).document_ids().collect())
        }
        Expression::Any(any) => {
            any.iter().try_fold(HashSet::new(), |known, one| Ok(known.union(&of(one)?).copied().collect()))
        }
        Expression::All(parts) => {
            parts.iter().try_fold(all.clone(), |known, one| Ok(known.intersection(&of(one)?).copied().collect()))
        }
        Expression::Not(one) => Ok(all.difference(&of(one)?).copied().collect()),
    }
}
