use std::collections::HashMap;

use casetrack_core::BatesNumber;

use crate::text::page_list;

const MOST: usize = 10;

/// Numbers that are missing, repeated or out of order, and pages without one among pages that have one.
pub(super) fn warnings(numbers: &[Option<BatesNumber>]) -> Vec<String> {
    let found: Vec<(usize, &BatesNumber)> =
        (1..).zip(numbers).filter_map(|(page, number)| Some((page, number.as_ref()?))).collect();
    let (mut missing, mut falling) = (Vec::new(), Vec::new());
    for pair in found.windows(2) {
        let [(page, number), (next_page, next)] = pair else { continue };
        if number.series() != next.series() {
            continue;
        }
        let pages = (next_page - page) as u64;
        match next.number.checked_sub(number.number) {
            Some(step) if step > pages => {
                let between = |value: u64| BatesNumber { number: value, ..(*number).clone() };
                let (first, last) = (between(number.number + 1), between(next.number - 1));
                missing.push(match (pages, step) {
                    (1, 2) => format!("The Bates number {first} is missing between pages {page} and {next_page}."),
                    (1, _) => {
                        format!("The Bates numbers {first} to {last} are missing between pages {page} and {next_page}.")
                    }
                    _ => format!(
                        "Between pages {page} and {next_page}, {} of the Bates numbers {first} to {last} are missing.",
                        step - pages
                    ),
                });
            }
            None => falling
                .push(format!("The Bates numbers go back from {number} on page {page} to {next} on page {next_page}.")),
            // One that stays is repeated.
            Some(_) => {}
        }
    }
    let mut pages_of: HashMap<(String, u64), Vec<usize>> = HashMap::new();
    for (page, number) in &found {
        pages_of.entry((number.series(), number.number)).or_default().push(*page);
    }
    let repeated: Vec<String> = found
        .iter()
        .filter_map(|(page, number)| {
            let pages = pages_of.get(&(number.series(), number.number))?;
            (pages.len() > 1 && pages.first() == Some(page))
                .then(|| format!("The Bates number {number} is on {}.", page_list(pages)))
        })
        .collect();
    let (first, last) = (found.first().map_or(0, |(page, _)| *page), found.last().map_or(0, |(page, _)| *page));
    let without: Vec<usize> = (1..)
        .zip(numbers)
        .filter(|(page, number)| number.is_none() && (first..last).contains(page))
        .map(|(page, _)| page)
        .collect();
    let mut warnings: Vec<String> = [missing, repeated, falling].into_iter().flat_map(bounded).collect();
    if !without.is_empty() {
        warnings.push(format!("No Bates number was found on {}, though pages around have one.", page_list(&without)));
    }
    warnings
}

/// The first ones, and how many there are besides.
fn bounded(mut warnings: Vec<String>) -> Vec<String> {
    let more = warnings.len().saturating_sub(MOST);
    warnings.truncate(MOST);
    if more > 0 {
        warnings.push(format!("{more} more of the same kind: list the Bates numbers of the collection to see all."));
    }
    warnings
}
