//! The notice of ingestion on new documents that are versions or copies of others.

use std::collections::{HashMap, HashSet};

use casetrack_core::hint::Part;
use casetrack_core::{Action, CollectionId, DocumentId, Notice, Result};

use super::groups::groups;
use super::sketch::Sketch;
use super::version_list::{USUAL_SIMILARITY, sketch};
use casetrack_host::Host;
use casetrack_host::documents::facts::ByVersion;

/// Earlier documents that are read for it if no request listed versions since the program began: about a second. With
/// more of them there is no notice, and the list of versions shows them on request.
const MOST_READ: usize = 500;
/// Likewise if the collection has more documents: the samples for comparison take 2 kB of memory each.
const MOST_DOCUMENTS: usize = 20_000;

/// The notice of an ingestion that lists the `new` documents that are versions or copies of others; `None` if none is,
/// or if they could not be compared.
pub fn versions_notice(host: &Host, id: CollectionId, new: &HashSet<DocumentId>) -> Option<Notice> {
    versions_among(host, id, new)
        .inspect_err(|error| tracing::warn!(%error, "new documents were not compared with the others"))
        .unwrap_or_default()
}

/// A notice if some of these `new` documents are versions or copies of others of the collection, with the name of one. E-mail messages are
/// left out, since most quote one another. Reads the new documents, and at most [`MOST_READ`] earlier ones.
fn versions_among(host: &Host, id: CollectionId, new: &HashSet<DocumentId>) -> Result<Option<Notice>> {
    let collection = host.collection(id)?;
    let entries: Vec<_> = collection.catalogue()?.iter().filter(|entry| !entry.format.is_message()).cloned().collect();
    let documents: Vec<DocumentId> = entries.iter().map(|entry| entry.id).collect();
    let known = collection.derived::<ByVersion<Sketch>>();
    let unread = || known.unknown(&collection, &documents).iter().filter(|document| !new.contains(document)).count();
    if new.is_empty() || documents.len() > MOST_DOCUMENTS || unread() > MOST_READ {
        return Ok(None);
    }
    let sketches = known.of(&collection, &documents, |document| sketch(&collection, document))?;
    let sketches: Vec<&Sketch> = sketches.iter().map(|(_, sketch)| sketch.as_ref()).collect();
    let is_new = |at: &usize| new.contains(&documents[*at]);
    let groups = alike(&sketches);
    let count: usize = groups.iter().map(|members| members.iter().filter(|at| is_new(at)).count()).sum();
    // In a group with a new document, that one and the one most like it.
    let example = groups.iter().find_map(|members| {
        let new = *members.iter().find(|at| is_new(at))?;
        let similarity = |at: &usize| sketches[new].similarity(sketches[*at]);
        let others = members.iter().copied().filter(|at| *at != new);
        let other = others.max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
        let share = (sketches[new] != sketches[other]).then(|| similarity(&other));
        Some((&entries[new].name, &entries[other].name, share))
    });
    let Some((name, other, share)) = example else { return Ok(None) };
    let said = said(count, name, other, share);
    let parts = [Part::Text(said + "See "), Part::Action(Action::ListVersions), Part::Text(".".to_owned())];
    Ok(Some(Notice::new(parts)))
}

/// Groups of documents that are probably versions or copies. Short texts from one form, such as letters, deeds and entries of a calendar, have most of
/// their words in common and are no versions of each other, so those must be the same.
fn alike(sketches: &[&Sketch]) -> Vec<Vec<usize>> {
    let (short, long): (Vec<usize>, Vec<usize>) = (0..sketches.len()).partition(|&at| sketches[at].is_short());
    let of_long: Vec<&Sketch> = long.iter().map(|&at| sketches[at]).collect();
    let mut found: Vec<Vec<usize>> = groups(&of_long, USUAL_SIMILARITY as f32);
    found.iter_mut().flatten().for_each(|at| *at = long[*at]);
    let mut same: HashMap<&Sketch, Vec<usize>> = HashMap::new();
    for at in short.into_iter().filter(|&at| sketches[at].is_comparable()) {
        same.entry(sketches[at]).or_default().push(at);
    }
    found.extend(same.into_values().filter(|members| members.len() > 1));
    found.sort_by_key(|members| members[0]);
    found
}

/// The notice about `count` new documents, one of which is `name`, which has this share of its wording in common with `other`; `None` if
/// they have the same words. Whether one was made of the other is for people to decide.
fn said(count: usize, name: &str, other: &str, share: Option<f32>) -> String {
    let percent = share.map(|share| format!("about {} % of the wording", (share * 100.0).round()));
    match (count, percent) {
        (1, None) => format!("“{name}” has the same words as “{other}”. "),
        (1, Some(percent)) => format!("“{name}” may be a version of “{other}”: {percent} of both is the same. "),
        (_, percent) => {
            let share = percent.unwrap_or_else(|| "all words".to_owned());
            format!(
                "{count} of the new documents may be versions or copies of others: “{name}” and “{other}” have {share} in common. "
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sketch::tests::{sketch, words};
    use super::*;

    fn alike_among(texts: &[String]) -> Vec<Vec<usize>> {
        let sketches: Vec<Sketch> = texts.iter().map(|text| sketch(text)).collect();
        alike(&sketches.iter().collect::<Vec<_>>())
    }

    #[test]
    fn short_texts_from_one_form_are_no_versions() {
        let deed = |name: &str, date: &str| {
            format!(
                "DEED OF ASSIGNMENT. This deed is made on {date} between {name} and Northfield Estates Ltd. The assignor assigns the \
                 benefit of the lease to the assignee. This deed is governed by the law of England and Wales."
            )
        };
        let entry = |day: &str| {
            format!("Hearing in room 4 of the district court on {day} at ten, please bring the file and the keys")
        };
        let texts = [
            deed("Ann Lee", "5 May 2021"),
            deed("Bo Reed", "6 May 2021"),
            deed("Cy Dunn", "7 June 2022"),
            entry("Monday"),
            entry("Tuesday"),
            entry("Monday"),
        ];
        assert_eq!(alike_among(&texts), [[3, 5]]);
    }

    #[test]
    fn drafts_and_copies_of_long_texts_are_named() {
        let texts = [words(0..500), words(1_000..1_500), words(20..500), words(1_000..1_500)];
        assert_eq!(alike_among(&texts), [[0, 2], [1, 3]]);
    }

    #[test]
    fn only_the_same_words_are_called_that() {
        assert_eq!(said(1, "b", "a", None), "“b” has the same words as “a”. ");
        assert_eq!(
            said(1, "b", "a", Some(0.731)),
            "“b” may be a version of “a”: about 73 % of the wording of both is the same. "
        );
        assert_eq!(
            said(6, "b", "a", Some(0.5)),
            "6 of the new documents may be versions or copies of others: “b” and “a” have about 50 % of the wording in common. "
        );
    }
}
