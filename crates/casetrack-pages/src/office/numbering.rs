//! List labels as Word prints them: "4.2", "(b)", "•" (17.9).

use std::collections::{HashMap, HashSet};

use super::number_format::format_number;
use super::styles::{ListReference, Styles};
use super::symbols;
use crate::container::xml::{XmlError, XmlReader};

const LEVELS: usize = 9;

/// The label format of one level.
#[derive(Debug, Clone, Default)]
pub struct Level {
    pub start: u32,
    /// As [`format_number`] takes it.
    pub format: String,
    /// `%1` to `%9` stand for the numbers of the levels.
    pub text: String,
    /// The level after which the numbers start again; 0 for never. Without it, every higher level.
    pub restart_after: Option<usize>,
    /// Numbers of higher levels print as decimals (`w:isLgl`).
    pub all_decimal: bool,
    /// The font of a bullet.
    pub font: Option<String>,
    pub paragraph_style: Option<String>,
    /// No white space follows the label.
    pub is_tight: bool,
}

#[derive(Debug, Clone, Default)]
struct AbstractList {
    levels: HashMap<usize, Level>,
    /// The list style that defines it instead.
    style_link: Option<String>,
}

#[derive(Debug, Clone, Default)]
struct List {
    abstract_id: String,
    starts: HashMap<usize, u32>,
    levels: HashMap<usize, Level>,
}

#[derive(Debug, Clone, Default)]
pub struct Numbering {
    abstract_lists: HashMap<String, AbstractList>,
    lists: HashMap<String, List>,
    /// By abstract list: lists made from the same definition continue counting.
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    /// Overridden starts apply once.
    started: HashSet<(String, usize)>,
}

impl Numbering {
    pub fn parse(xml: &str, styles: &Styles) -> Result<Self, XmlError> {
        let mut numbering = Self::default();
        if xml.is_empty() {
            return Ok(numbering);
        }
        let mut xml = XmlReader::new(xml);
        xml.root()?;
        while let Some(element) = xml.child()? {
            match (element.name(), element.attribute("abstractNumId"), element.attribute("numId")) {
                ("abstractNum", Some(id), _) => {
                    let list = AbstractList::parse(&mut xml)?;
                    numbering.abstract_lists.insert(id, list);
                }
                ("num", _, Some(id)) => {
                    let list = List::parse(&mut xml)?;
                    numbering.lists.insert(id, list);
                }
                _ => xml.skip()?,
            }
        }
        numbering.follow_style_links(styles);
        Ok(numbering)
    }

    /// Adds a definition of levels, for lists to refer to.
    pub fn define(&mut self, id: String, levels: HashMap<usize, Level>) {
        self.abstract_lists.insert(id, AbstractList { levels, style_link: None });
    }

    /// Adds a list over a definition, with the starts and levels that it overrides.
    pub fn add_list(
        &mut self,
        id: String,
        definition: String,
        starts: HashMap<usize, u32>,
        levels: HashMap<usize, Level>,
    ) {
        self.lists.insert(id, List { abstract_id: definition, starts, levels });
    }

    /// Lists that refer to a list style take the definition that the style's own list refers to.
    fn follow_style_links(&mut self, styles: &Styles) {
        let target = |list: &List| {
            let link = self.abstract_lists.get(&list.abstract_id)?.style_link.as_deref()?;
            let number_id = styles.list(Some(link))?.number_id?;
            Some(self.lists.get(&number_id)?.abstract_id.clone())
        };
        let targets: Vec<(String, String)> =
            self.lists.iter().filter_map(|(id, list)| Some((id.clone(), target(list)?))).collect();
        for (id, abstract_id) in targets {
            if let Some(list) = self.lists.get_mut(&id) {
                list.abstract_id = abstract_id;
            }
        }
    }

    /// Counts a paragraph of a list and gives its label with the white space that follows it; `None` when the reference
    /// leads nowhere or the label is empty.
    ///
    /// `style`: the paragraph's style, which chooses the level when the reference does not.
    pub fn label(&mut self, reference: &ListReference, style: Option<&str>) -> Option<String> {
        let number_id = reference.number_id.as_deref()?;
        let list = self.lists.get(number_id)?;
        let definition = self.abstract_lists.get(&list.abstract_id)?;
        let level_of = |index: usize| list.levels.get(&index).or_else(|| definition.levels.get(&index));
        let by_style = || {
            let style = style?;
            (0..LEVELS)
                .find(|&index| level_of(index).is_some_and(|level| level.paragraph_style.as_deref() == Some(style)))
        };
        let index = reference.level.or_else(by_style).unwrap_or(0).min(LEVELS - 1);
        let level = level_of(index)?;

        let counters = self.counters.entry(list.abstract_id.clone()).or_default();
        let overridden = list.starts.get(&index).filter(|_| self.started.insert((number_id.to_owned(), index)));
        counters[index] = Some(match (overridden, counters[index]) {
            (Some(start), _) => *start,
            (None, Some(last)) => last.saturating_add(1),
            (None, None) => level.start,
        });
        for (lower, counter) in counters.iter_mut().enumerate().skip(index + 1) {
            if level_of(lower).and_then(|level| level.restart_after).is_none_or(|after| index < after) {
                *counter = None;
            }
        }

        let label = if level.format == "bullet" {
            symbols::bullet(&level.text, level.font.as_deref())
        } else {
            let mut label = String::new();
            let mut rest = level.text.as_str();
            while let Some(at) = rest.find('%') {
                label.push_str(&rest[..at]);
                rest = &rest[at + 1..];
                let Some(number @ 1..=9) = rest.chars().next().and_then(|c| c.to_digit(10)) else {
                    label.push('%');
                    continue;
                };
                rest = &rest[1..];
                let other = number as usize - 1;
                let other_level = level_of(other);
                // A level that was skipped counts as begun.
                let start = other_level.map_or(1, |level| level.start);
                let value = *counters[other].get_or_insert(start);
                let format = match other_level {
                    Some(other_level) if !level.all_decimal => other_level.format.as_str(),
                    _ => "decimal",
                };
                label.push_str(&format_number(value, format));
            }
            label.push_str(rest);
            label
        };
        let label = label.trim();
        (!label.is_empty()).then(|| format!("{label}{}", if level.is_tight { "" } else { " " }))
    }
}

impl AbstractList {
    fn parse(xml: &mut XmlReader) -> Result<Self, XmlError> {
        let mut list = Self::default();
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "numStyleLink" => list.style_link = element.value(),
                "lvl" => {
                    list.levels.insert(element.number("ilvl").unwrap_or(0), Level::parse(xml)?);
                }
                _ => {}
            }
        }
        Ok(list)
    }
}

impl List {
    fn parse(xml: &mut XmlReader) -> Result<Self, XmlError> {
        let mut list = Self::default();
        // The level whose override is being read.
        let mut index = 0;
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "abstractNumId" => list.abstract_id = element.value().unwrap_or_default(),
                "lvlOverride" => index = element.number("ilvl").unwrap_or(0),
                "startOverride" => list.starts.extend(element.numeric_value().map(|start| (index, start))),
                "lvl" => {
                    list.levels.insert(index, Level::parse(xml)?);
                }
                _ => {}
            }
        }
        Ok(list)
    }
}

impl Level {
    fn parse(xml: &mut XmlReader) -> Result<Self, XmlError> {
        let mut level = Self::default();
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "start" => level.start = element.numeric_value().unwrap_or(0),
                "numFmt" => level.format = element.value().unwrap_or_default(),
                "lvlText" => level.text = element.value().unwrap_or_default(),
                "lvlRestart" => level.restart_after = element.numeric_value(),
                "isLgl" => level.all_decimal = element.is_on(),
                "pStyle" => level.paragraph_style = element.value(),
                "suff" => level.is_tight = element.has("val", "nothing"),
                "rFonts" => level.font = element.attribute("ascii").or_else(|| element.attribute("hAnsi")),
                "pPr" | "rPrChange" => xml.skip()?,
                _ => {}
            }
        }
        Ok(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: &str = "<w:numbering>
        <w:abstractNum w:abstractNumId='0'>
          <w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='upperRoman'/><w:lvlText w:val='Article %1'/></w:lvl>
          <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl>
          <w:lvl w:ilvl='2'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='(%3)'/></w:lvl>
          <w:lvl w:ilvl='3'><w:start w:val='1'/><w:numFmt w:val='bullet'/><w:lvlText w:val='&#xF0B7;'/></w:lvl>
        </w:abstractNum>
        <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>
        <w:num w:numId='2'><w:abstractNumId w:val='0'/>
          <w:lvlOverride w:ilvl='2'><w:startOverride w:val='5'/></w:lvlOverride></w:num>
        </w:numbering>";

    #[test]
    fn labels_count_restart_and_combine_levels() {
        let mut numbering = Numbering::parse(LISTS, &Styles::default()).unwrap();
        let mut label = |number_id: &str, level| {
            let reference = ListReference { number_id: Some(number_id.into()), level: Some(level) };
            numbering.label(&reference, None).unwrap_or_default()
        };
        let labels: Vec<String> = [("1", 0), ("1", 1), ("1", 2), ("1", 2), ("1", 1), ("1", 2), ("2", 2), ("2", 2)]
            .into_iter()
            .map(|(id, level)| label(id, level))
            .collect();
        assert_eq!(labels, ["Article I ", "1.1 ", "(a) ", "(b) ", "1.2 ", "(a) ", "(e) ", "(f) "]);
        assert_eq!((label("1", 0), label("1", 1), label("1", 3)), ("Article II ".into(), "2.1 ".into(), "• ".into()));
        assert_eq!(label("9", 0), "");
    }

    #[test]
    fn a_skipped_level_counts_as_begun() {
        let mut numbering = Numbering::parse(LISTS, &Styles::default()).unwrap();
        let reference = ListReference { number_id: Some("1".into()), level: Some(1) };
        assert_eq!(numbering.label(&reference, None).as_deref(), Some("1.1 "));
    }
}
