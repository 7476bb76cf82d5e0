use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use casetrack_core::{EntityType, Mention};

use super::aliases::Aliases;
use super::definitions::{self, DefinedEntity, Definition, WordDefinition};
use super::{
    Alias, Name, NameMention, Page, PageNames, Source, organizations, persons, roles, signatures, spans, support,
};
use crate::places;
use crate::words::{Class, Gap, Shape, Word, fold, is_party_word, mark_lowered, surface, words};

pub(super) struct Draft<'t> {
    pub words: Vec<Word<'t>>,
    pub names: Vec<Name>,
    pub definitions: Vec<WordDefinition>,
    addresses: Vec<places::Address>,
}

impl Draft<'_> {
    /// Characters of the page, half-open, of the words `first..last`.
    fn place(&self, first: usize, last: usize) -> (u32, u32) {
        (self.words[first].start, self.words[last - 1].end)
    }

    fn definition(&self, found: &WordDefinition) -> Definition {
        let (char_start, char_end) = self.place(found.term.start, found.term.end);
        let entity = found.name.map(|i| {
            let name = &self.names[i];
            let (char_start, char_end) = self.place(name.first, name.last);
            DefinedEntity { entity_type: name.entity_type, char_start, char_end }
        });
        let subject = found.subject.as_ref().filter(|subject| subject.start < subject.end);
        let subject = subject.map(|subject| self.place(subject.start, subject.end)).map(|(start, end)| start..end);
        Definition {
            term: surface(&self.words, found.term.start, found.term.end),
            char_start,
            char_end,
            entity,
            subject,
        }
    }

    /// Drops the names whose place in `keep` is false. Definitions refer to names by their places.
    pub fn retain(&mut self, keep: &[bool]) {
        let kept = |i: usize| keep.get(i).copied().unwrap_or(true);
        let before = |i: usize| (0..i).filter(|&other| kept(other)).count();
        for definition in &mut self.definitions {
            definition.name = definition.name.filter(|&i| kept(i)).map(before);
        }
        let mut i = 0..;
        self.names.retain(|_| i.next().is_none_or(kept));
    }
}

pub(super) fn names(pages: &[Page<'_>]) -> Vec<PageNames> {
    let mut split: Vec<_> = pages.iter().map(|page| words(page.text)).collect();
    mark_lowered(&mut split);
    let mut drafts: Vec<_> = split.into_iter().zip(pages).map(|(words, page)| draft(words, page)).collect();
    drop_defined_things(&mut drafts);
    support::settle(&mut drafts);
    one_type_for_one_name(&mut drafts);
    let aliases = Aliases::of(&drafts);
    let known = NameTable::of(&drafts);
    drafts.into_iter().map(|draft| finish(draft, &aliases, &known)).collect()
}

fn draft<'t>(words: Vec<Word<'t>>, page: &Page<'_>) -> Draft<'t> {
    let mut found = signatures::find(&words);
    found.extend(organizations::find(&words));
    found.extend(persons::find(&words));
    let recognized = spans::names(&words, page.spans);
    found.extend(table_places(&words, &recognized));
    found.extend(recognized);
    let addresses = addresses(&words);
    // The street is no person: "40 William St".
    let mut street = vec![false; words.len()];
    for address in &addresses {
        street[address.first..address.street].fill(true);
    }
    found.retain(|name| name.source >= Source::Form || !street[name.first..name.last].contains(&true));
    let mut names = without_overlaps(found, words.len());
    let definitions = definitions::find(&words, &mut names);
    let mut draft = Draft { words, names, definitions, addresses };
    // A name that its definition shows may overlap weaker ones; definitions refer to names by index.
    let kept = without_overlaps(draft.names.clone(), draft.words.len());
    for definition in &mut draft.definitions {
        definition.name = definition.name.and_then(|i| {
            let name = &draft.names[i];
            let at = kept.partition_point(|other| other.last <= name.first);
            kept.get(at).filter(|other| other.first <= name.first && name.last <= other.last).map(|_| at)
        });
    }
    draft.names = kept;
    draft
}

/// The strongest first, of these the longest; in the order of the text.
fn without_overlaps(mut names: Vec<Name>, words: usize) -> Vec<Name> {
    // The table and the recognizer have one rank: the longer counts, then the table.
    let rank =
        |source: Source| if matches!(source, Source::Table | Source::Hint) { Source::Recognizer } else { source };
    names.sort_by_key(|name| {
        (Reverse(rank(name.source)), Reverse(name.last - name.first), name.first, Reverse(name.source))
    });
    let mut taken = vec![false; words];
    names.retain(|name| {
        let free = !taken[name.first..name.last].contains(&true);
        if free {
            taken[name.first..name.last].fill(true);
        }
        free
    });
    names.sort_by_key(|name| name.first);
    names
}

fn table_places(words: &[Word<'_>], recognized: &[Name]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let Some(place) = places::place_at(words, i) else {
            i += 1;
            continue;
        };
        i = place.last;
        let at = recognized.partition_point(|name| name.last <= place.first);
        let same = recognized.get(at).is_some_and(|name| (name.first, name.last) == (place.first, place.last));
        let stated =
            matches!(fold(words[place.first].text).as_str(), "state" | "commonwealth" | "province" | "republic")
                && place.last - place.first > 2;
        // "Boston Bruins", "Delaware Trust": the first word of a longer name.
        let goes_on = words.get(place.last).is_some_and(|next| {
            (next.shape == Shape::Title || organizations::is_head(next))
                && next.gap == Gap::Space
                && !next.is_common()
                && places::place_at(words, place.last).is_none()
        });
        if stated {
            found.push(Name::new(place.first, place.last, EntityType::Location, Source::Form));
        } else if same && !place.ambiguous || !goes_on && (!place.ambiguous || supported(words, &place)) {
            found.push(Name::new(place.first, place.last, EntityType::Location, Source::Table));
        }
    }
    found
}

/// "Springfield, IL", "Austin, Texas", "in Jordan": the text around an ambiguous name makes it a place.
fn supported(words: &[Word<'_>], place: &places::Place) -> bool {
    let followed = words.get(place.last).is_some_and(|word| word.is(','))
        && words
            .get(place.last + 1)
            .is_some_and(|word| places::is_state_code(word) || places::place_at(words, place.last + 1).is_some());
    let before = place.first.checked_sub(1).map(|i| words[i].folded());
    followed || before.is_some_and(|word| matches!(word.as_str(), "in" | "near" | "throughout"))
}

fn addresses(words: &[Word<'_>]) -> Vec<places::Address> {
    let mut found: Vec<places::Address> = Vec::new();
    for i in 0..words.len() {
        if found.last().is_none_or(|before| before.last <= i) {
            found.extend(places::address_at(words, i));
        }
    }
    found
}

/// A defined term for no person, organization or place is no name: "Perfection Certificate".
fn drop_defined_things(drafts: &mut [Draft<'_>]) {
    let mut things = HashSet::new();
    let mut parties = HashSet::new();
    for draft in drafts.iter() {
        for definition in &draft.definitions {
            let term = surface(&draft.words, definition.term.start, definition.term.end);
            if definition.name.is_some() {
                parties.insert(term)
            } else {
                things.insert(term)
            };
        }
    }
    for draft in drafts {
        let referred: HashSet<usize> = draft.definitions.iter().filter_map(|definition| definition.name).collect();
        let wanted = |(i, name): (usize, &Name)| {
            let text = surface(&draft.words, name.first, name.last);
            let one = text.strip_suffix('s').unwrap_or(&text);
            let thing = |term: &str| things.contains(term) && !parties.contains(term);
            // A term for a name is found as the alias that it is.
            let term = parties.contains(&text) && !referred.contains(&i);
            name.source >= Source::Table || !(thing(&text) || thing(one) || term)
        };
        let keep: Vec<bool> = draft.names.iter().enumerate().map(wanted).collect();
        draft.retain(&keep);
    }
}

/// The weight of a name's type by its source.
fn weight(source: Source) -> u32 {
    match source {
        Source::Repeat | Source::Hint | Source::Recognizer => 1,
        Source::Table => 2,
        Source::Person => 3,
        Source::Form | Source::Signature => 5,
    }
}

/// The weight of a person's full name for the surname, against a label of the recognizer.
const SURNAME: u32 = 20;

/// The weight of "in Springfield" for a place, against a label of the recognizer.
const IN: u32 = 2;

fn is_in(words: &[Word<'_>], first: usize) -> bool {
    first > 0 && matches!(words[first - 1].text, "in" | "near")
}

const TYPES: [EntityType; 3] = [EntityType::Person, EntityType::Organization, EntityType::Location];

/// If the recognizer gives a name several types, the type of most of its occurrences counts. A surname
/// or given name of a person whom the document names in full is that person.
fn one_type_for_one_name(drafts: &mut [Draft<'_>]) {
    let mut votes: HashMap<String, [u32; 3]> = HashMap::new();
    for draft in drafts.iter() {
        for name in &draft.names {
            let weight = weight(name.source);
            let slot = TYPES.iter().position(|t| *t == name.entity_type).unwrap_or(0);
            let votes_for = votes.entry(surface(&draft.words, name.first, name.last)).or_default();
            votes_for[slot] += weight;
            if name.source == Source::Recognizer && is_in(&draft.words, name.first) {
                votes_for[2] += IN;
            }
            if name.entity_type == EntityType::Person && name.last - name.first > 1 {
                votes.entry(draft.words[name.first].text.to_owned()).or_default()[0] += weight + 1;
                votes.entry(draft.words[name.last - 1].text.to_owned()).or_default()[0] += weight * SURNAME;
            }
        }
    }
    for draft in drafts {
        let Draft { words, names, .. } = draft;
        for name in names.iter_mut().filter(|name| name.source <= Source::Table) {
            let Some(votes) = votes.get(&surface(words, name.first, name.last)) else { continue };
            let own = TYPES.iter().position(|t| *t == name.entity_type).unwrap_or(0);
            let best = (0..3).max_by_key(|&slot| (votes[slot], slot == own)).unwrap_or(own);
            name.entity_type = TYPES[best];
        }
    }
}

/// The document's names.
struct NameTable<'t> {
    names: HashMap<Vec<&'t str>, EntityType>,
    /// How many words the names have that begin with a word, most first.
    lengths: HashMap<&'t str, Vec<usize>>,
}

impl<'t> NameTable<'t> {
    fn of(drafts: &[Draft<'t>]) -> Self {
        let mut names: HashMap<Vec<&'t str>, EntityType> = HashMap::new();
        let mut add = |words: Vec<&'t str>, entity_type| {
            names.entry(words).or_insert(entity_type);
        };
        for draft in drafts {
            for name in &draft.names {
                let own = &draft.words[name.first..name.last];
                // A single party word is found if it is an alias.
                let telling = own[0].text.chars().count() > 2 && !own[0].is_common() && !own[0].has(Class::PARTY);
                if own.len() > 1 || telling {
                    add(own.iter().map(|word| word.text).collect(), name.entity_type);
                }
            }
        }
        for draft in drafts {
            for name in
                draft.names.iter().filter(|name| name.entity_type == EntityType::Person && name.last - name.first > 1)
            {
                for part in [&draft.words[name.last - 1], &draft.words[name.first]] {
                    if matches!(part.shape, Shape::Title) && part.text.chars().count() > 2 && !part.is_common() {
                        add(vec![part.text], EntityType::Person);
                    }
                }
            }
        }
        let mut lengths: HashMap<&'t str, Vec<usize>> = HashMap::new();
        for name in names.keys() {
            let of_word = lengths.entry(name[0]).or_default();
            if !of_word.contains(&name.len()) {
                of_word.push(name.len());
            }
        }
        for of_word in lengths.values_mut() {
            of_word.sort_unstable_by_key(|length| Reverse(*length));
        }
        Self { names, lengths }
    }

    fn at(&self, words: &[Word<'_>], at: usize) -> Option<(usize, EntityType)> {
        self.lengths.get(words[at].text)?.iter().find_map(|&length| {
            let own = words.get(at..at + length)?;
            let apart = own[1..].iter().any(|word| word.gap == Gap::Blank);
            let texts: Vec<&str> = own.iter().map(|word| word.text).collect();
            self.names.get(&texts).filter(|_| !apart).map(|entity_type| (length, *entity_type))
        })
    }
}

/// A name on a page, and its meaning if it is the document's own word.
type PageName = (Name, Option<Alias>);

fn finish(draft: Draft<'_>, aliases: &Aliases<'_>, table: &NameTable<'_>) -> PageNames {
    let mut taken = vec![false; draft.words.len()];
    let mut found = alias_names(&draft, aliases, &mut taken);
    let (strong, weak): (Vec<&Name>, Vec<&Name>) = draft.names.iter().partition(|name| is_strong(name));
    for name in weak {
        if !std::mem::replace(&mut taken[name.first], true) {
            found.push((name.clone(), None));
        }
    }
    found.extend(strong.into_iter().map(|name| (name.clone(), None)));
    found.extend(repeats(&draft.words, table, &mut taken).into_iter().map(|name| (name, None)));
    add_roles(&draft, &mut found);
    add_addresses(&draft, &mut found);
    found.sort_by_key(|(name, _)| (name.first, Reverse(name.last)));
    let definitions = draft.definitions.iter().map(|found| draft.definition(found)).collect();
    let mention = |(name, alias): PageName| {
        let (char_start, char_end) = draft.place(name.first, name.last);
        let confidence = name.source.confidence();
        let mention = Mention { entity_type: name.entity_type, char_start, char_end, value: None, role: name.role };
        NameMention { mention, alias, confidence }
    };
    PageNames { mentions: found.into_iter().map(mention).collect(), definitions }
}

/// True for a name that the document's own terms do not replace: any but a single word of the recognizer.
fn is_strong(name: &Name) -> bool {
    name.source >= Source::Table || name.last - name.first > 1
}

/// The document's own words for names. A term is stronger than the recognizer, not than a whole name around it.
fn alias_names(draft: &Draft<'_>, aliases: &Aliases<'_>, taken: &mut [bool]) -> Vec<PageName> {
    let Draft { words, names, .. } = draft;
    for name in names.iter().filter(|name| is_strong(name)) {
        taken[name.first..name.last].fill(true);
    }
    // "Borrower Equity Interest" is the borrower's; "Distributor Agreement" is a title.
    let titled = |at: usize| {
        words.get(at).is_some_and(|next| next.gap <= Gap::Space && matches!(next.text, "Agreement" | "AGREEMENT"))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let term = aliases.at(words, at).filter(|term| {
            let behind = at + term.words.len();
            !taken[at] && !titled(behind) && (term.party || !goes_on(words, behind))
        });
        let Some(term) = term else {
            at += 1;
            continue;
        };
        let last = at + term.words.len();
        let role = term.party.then(|| term.words.join(" "));
        let name = Name { role, ..Name::new(at, last, term.entity_type, Source::Repeat) };
        taken[at..last].fill(true);
        found.push((name, Some(term.alias.clone())));
        at = last;
    }
    found
}

/// Adds the roles of parties by their definition, and of persons by the text around them.
fn add_roles(draft: &Draft<'_>, found: &mut [PageName]) {
    let Draft { words, names, definitions, .. } = draft;
    let mut party_roles: HashMap<usize, String> = HashMap::new();
    for definition in definitions {
        let term = surface(words, definition.term.start, definition.term.end);
        if let Some(name) = definition.name.filter(|_| is_party_word(&term)) {
            party_roles.entry(names[name].first).or_insert(term);
        }
    }
    for (name, alias) in found {
        if alias.is_none() && name.role.is_none() {
            name.role = party_roles.get(&name.first).cloned();
        }
        if name.entity_type == EntityType::Person && name.role.is_none() {
            name.role = roles::of_person(words, name.first, name.last);
        }
    }
}

/// Adds the addresses, and drops other names in them except places.
fn add_addresses(draft: &Draft<'_>, found: &mut Vec<PageName>) {
    let addresses = &draft.addresses;
    let wholes: HashSet<(usize, usize)> = addresses.iter().map(|address| (address.first, address.last)).collect();
    let mut inside = vec![false; draft.words.len()];
    for address in addresses {
        inside[address.first..address.last].fill(true);
    }
    found.retain(|(name, _)| {
        let part = name.entity_type == EntityType::Location && !wholes.contains(&(name.first, name.last));
        part || !inside[name.first..name.last].contains(&true)
    });
    found.extend(addresses.iter().map(|address| {
        let whole = Name::new(address.first, address.last, EntityType::Location, Source::Form);
        (Name { role: Some("address".to_owned()), ..whole }, None)
    }));
}

fn goes_on(words: &[Word<'_>], at: usize) -> bool {
    words.get(at).is_some_and(|next| {
        next.shape == Shape::Title
            && next.gap == Gap::Space
            && !next.has(Class::STOP)
            && words.get(at - 1).is_some_and(|word| word.shape == Shape::Title)
    })
}

/// The further occurrences of the document's names, as whole words that no other capitalised word continues.
fn repeats(words: &[Word<'_>], table: &NameTable<'_>, taken: &mut [bool]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let Some((length, entity_type)) =
            table.at(words, i).filter(|(length, _)| !taken[i..i + length].contains(&true))
        else {
            i += 1;
            continue;
        };
        let last = i + length;
        let before = i > 0
            && words[i].gap == Gap::Space
            && words[i - 1].is_capital()
            && !taken[i - 1]
            && !words[i - 1].has(Class::STOP)
            && !persons::is_honorific(&words[i - 1])
            && !words[i - 1].text.eq_ignore_ascii_case("the")
            && !words[i - 1].text.eq_ignore_ascii_case("and");
        if !(before || goes_on(words, last) && !taken[last]) {
            taken[i..last].fill(true);
            found.push(Name::new(i, last, entity_type, Source::Repeat));
        }
        i = last;
    }
    found
}
