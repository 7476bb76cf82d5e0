//! List labels as they are shown: "4.2", "(b)", "•" ([ODF] Part 3, 5.3 and 16.31).

use std::collections::HashMap;

use casetrack_pages::container::xml::Element;

use super::list_style::{Counters, LEVELS, ListStyle};
use super::styles::Styles;

/// A `text:list` that has not ended.
#[derive(Debug)]
struct OpenList {
    style: Option<String>,
    /// Index of the counters.
    counted_by: usize,
    item: Item,
}

#[derive(Debug, Default)]
struct Item {
    /// Its first paragraph carries the label.
    awaits_label: bool,
    start: Option<u32>,
    style: Option<String>,
    has_list: bool,
}

/// The lists of a document, and how far they are counted.
#[derive(Debug, Default)]
pub(super) struct Lists {
    counters: Vec<Counters>,
    by_id: HashMap<String, usize>,
    by_style: HashMap<String, usize>,
    open: Vec<OpenList>,
    headings: Counters,
    /// In a presentation.
    run: Option<Run>,
}

/// Lists that follow each other in a drawing object. Presentations count through them, since a level with another style
/// is another list there.
#[derive(Debug, Default)]
struct Run {
    counted_by: Option<usize>,
    styles: [Option<String>; LEVELS],
}

/// Lists that are open around a cell, frame or note. The paragraphs inside are not items of these lists.
pub(super) struct Outside(Vec<OpenList>);

impl Lists {
    /// A `text:list` begins.
    pub fn start_list(&mut self, element: &Element) {
        let own = element.attribute("continue-numbering").map(|on| on == "true");
        let level = self.open.len().min(LEVELS - 1);
        let own_style = element.attribute("style-name");
        let list = match self.open.last_mut() {
            Some(outer) => {
                // The numbers start again below a new number anyway; a second list in the same item starts them too.
                let continues = own.unwrap_or(!outer.item.has_list);
                outer.item.has_list = true;
                if !continues && let Some(counters) = self.counters.get_mut(outer.counted_by) {
                    counters[level..].fill(None);
                }
                let style = own_style.or_else(|| outer.item.style.clone()).or_else(|| outer.style.clone());
                OpenList { style, counted_by: outer.counted_by, item: Item::default() }
            }
            None if self.run.is_some() => {
                let counted_by = self.counted_by(self.run.as_ref().and_then(|run| run.counted_by));
                self.run.get_or_insert_default().counted_by = Some(counted_by);
                OpenList { style: own_style, counted_by, item: Item::default() }
            }
            None => {
                let key = own_style.clone().unwrap_or_default();
                let before = element
                    .attribute("continue-list")
                    .and_then(|id| self.by_id.get(&id))
                    .or_else(|| self.by_style.get(&key).filter(|_| own == Some(true)))
                    .copied();
                let counted_by = self.counted_by(before);
                self.by_style.insert(key, counted_by);
                OpenList { style: own_style, counted_by, item: Item::default() }
            }
        };
        self.by_id.extend(element.attribute("id").map(|id| (id, list.counted_by)));
        self.open.push(list);
    }

    /// A `text:numbered-paragraph` begins: an item without its list, as deep as its level states (5.3.6).
    pub fn start_numbered_paragraph(&mut self, element: &Element) {
        let level = element.number("level").unwrap_or(1).clamp(1, LEVELS);
        let id = element.attribute("list-id").unwrap_or_default();
        let counted_by = self.counted_by(self.by_id.get(&id).copied());
        self.by_id.insert(id, counted_by);
        for _ in 0..level {
            let style = element.attribute("style-name");
            self.open.push(OpenList { style, counted_by, item: Item::default() });
        }
        self.start_item(element);
    }

    /// The counters of a list that continues with another one, or new ones.
    fn counted_by(&mut self, before: Option<usize>) -> usize {
        before.unwrap_or_else(|| {
            self.counters.push(Counters::default());
            self.counters.len() - 1
        })
    }

    pub fn end_list(&mut self) {
        self.open.pop();
    }

    /// An item begins. A `text:list-header` has no label.
    pub fn start_item(&mut self, element: &Element) {
        if let Some(list) = self.open.last_mut() {
            list.item = Item {
                awaits_label: element.name() != "list-header",
                start: element.number("start-value"),
                style: element.attribute("style-override"),
                has_list: false,
            };
        }
    }

    /// In a presentation, lists that follow are others than those before.
    pub fn start_run(&mut self) {
        self.run = Some(Run::default());
    }

    pub fn end_run(&mut self) {
        self.run = self.run.is_some().then(Run::default);
    }

    pub fn step_outside(&mut self) -> Outside {
        Outside(std::mem::take(&mut self.open))
    }

    pub fn step_back(&mut self, outside: Outside) {
        self.open = outside.0;
    }

    /// Counts a paragraph and gives its label, which may be empty; `None` for one that does not begin an item.
    pub fn label(&mut self, styles: &Styles, paragraph_style: Option<&str>) -> Option<String> {
        let level = self.open.len().checked_sub(1)?.min(LEVELS - 1);
        let list = self.open.last_mut()?;
        if !std::mem::take(&mut list.item.awaits_label) {
            return None;
        }
        let counters = self.counters.get_mut(list.counted_by)?;
        let style = list.item.style.as_deref().or(list.style.as_deref());
        let style = style.or_else(|| styles.list_of_paragraph(paragraph_style));
        if let Some(run) = &mut self.run
            && run.styles[level].as_deref() != style
        {
            counters[level..].fill(None);
            run.styles[level] = style.map(str::to_owned);
        }
        let style = style.and_then(|name| styles.list(name));
        let label = count(style, level, list.item.start, counters);
        Some(label.unwrap_or_default())
    }

    /// Counts a heading outside lists.
    pub fn heading_label(&mut self, styles: &Styles, level: u8, start: Option<u32>) -> Option<String> {
        let index = usize::from(level).clamp(1, LEVELS) - 1;
        count(styles.outline(), index, start, &mut self.headings)
    }

    pub fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }
}

fn count(style: Option<&ListStyle>, level: usize, start: Option<u32>, counters: &mut Counters) -> Option<String> {
    let first = |index| style.map_or(1, |style| style.start(index));
    // A level that was skipped counts as begun.
    for (index, counter) in counters.iter_mut().enumerate().take(level) {
        counter.get_or_insert(first(index));
    }
    let next = counters[level].map_or(first(level), |last| last.saturating_add(1));
    counters[level] = Some(start.unwrap_or(next));
    counters[level + 1..].fill(None);
    style?.label(level, counters)
}
