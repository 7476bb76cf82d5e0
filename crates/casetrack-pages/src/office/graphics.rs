//! Charts and diagrams: parts of their own next to a slide or text (DrawingML).

use super::paragraphs::{Paragraph, text_body};
use crate::build::table::{Cell, Row};
use crate::container::xml::{XmlError, XmlReader};

/// Points of a chart series that are read; Excel allows as many rows.
const MAX_POINTS: usize = 1 << 20;

/// Adds the text of a diagram's points (21.4), as SmartArt shows it, in the order of its outline.
pub fn diagram(xml: &str, texts: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    let mut paragraphs = Vec::new();
    let outcome = (|| {
        while let Some(element) = xml.next_start(0)? {
            if element.name() == "t" {
                text_body(&mut xml, &mut paragraphs)?;
            }
        }
        Ok(())
    })();
    texts.extend(paragraphs.into_iter().map(|paragraph| paragraph.text));
    outcome
}

#[derive(Default)]
pub struct Chart {
    pub title: String,
    /// Names of the series, then a row for each category.
    pub rows: Vec<Row>,
}

/// Reads the values that a chart shows (21.2), as they are cached in it. Values before damage are kept.
pub fn chart(xml: &str, chart: &mut Chart) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    let (mut title, mut series): (Vec<Paragraph>, Vec<Series>) = (Vec::new(), Vec::new());
    let outcome = (|| {
        while let Some(element) = xml.next_start(0)? {
            match element.name() {
                "rich" => text_body(&mut xml, &mut title)?,
                "ser" => {
                    let mut one = Series::default();
                    let outcome = one.read(&mut xml);
                    series.push(one);
                    outcome?;
                }
                _ => {}
            }
        }
        Ok(())
    })();
    chart.title = title.into_iter().map(|paragraph| paragraph.text).collect::<Vec<_>>().join("\n");
    chart.rows = rows_of(&series);
    outcome
}

fn rows_of(series: &[Series]) -> Vec<Row> {
    let categories = series.iter().map(|one| &one.categories).find(|found| !found.is_empty());
    let points = series.iter().map(|one| one.values.len()).chain(categories.map(Vec::len)).max().unwrap_or(0);
    let text = |texts: &[String], index: usize| texts.get(index).cloned().unwrap_or_default();
    let names = series.iter().zip(2..).map(|(one, column)| Cell::from_text(column, one.name.clone())).collect();
    let mut rows = vec![Row { cells: names, header: true }];
    rows.extend((0..points).map(|index| {
        let mut cells = vec![Cell::from_text(1, categories.map(|found| text(found, index)).unwrap_or_default())];
        cells.extend(series.iter().zip(2..).map(|(one, column)| Cell::from_text(column, text(&one.values, index))));
        Row { cells, header: false }
    }));
    rows
}

#[derive(Default)]
struct Series {
    name: String,
    categories: Vec<String>,
    values: Vec<String>,
}

impl Series {
    fn read(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(element) = xml.child()? {
            match element.name() {
                "tx" => {
                    let mut name = Vec::new();
                    points(xml, &mut name)?;
                    self.name = name.join(" ");
                }
                "cat" | "xVal" => points(xml, &mut self.categories)?,
                "val" | "yVal" => {
                    points(xml, &mut self.values)?;
                    self.values.iter_mut().for_each(shorten_number);
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }
}

/// Numbers are stored with seventeen digits: 8.1999999999999993 is 8.2.
fn shorten_number(text: &mut String) {
    if text.len() > 15
        && let Ok(number) = text.parse::<f64>()
    {
        *text = number.to_string();
    }
}

/// Reads the cached points of a reference or literal to its end: `c:pt` with its index, its text in `c:v`.
fn points(xml: &mut XmlReader, found: &mut Vec<String>) -> Result<(), XmlError> {
    let (depth, mut index) = (xml.depth(), 0);
    while let Some(element) = xml.next_start(depth)? {
        match element.name() {
            "pt" => index = element.number("idx").unwrap_or(found.len()),
            "v" => {
                let text = xml.text()?;
                // Indexes may leave gaps, but a hostile one must not ask for memory.
                if index < MAX_POINTS.min(found.len() + 4096) {
                    found.resize(found.len().max(index + 1), String::new());
                    found[index] = text;
                }
            }
            "f" | "formatCode" => xml.skip()?,
            _ => {}
        }
    }
    Ok(())
}
