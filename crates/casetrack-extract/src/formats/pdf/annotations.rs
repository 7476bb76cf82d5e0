//! Annotations of a page: values of form fields, notes and comments, signatures, marks for redaction. Each is a block
//! of its own, at its place.

use casetrack_core::{Rect, single_spaced};
use casetrack_pages::text::dates;
use pdfium_render::prelude::{
    PdfDocument, PdfFormField, PdfFormFieldCommon, PdfPage, PdfPageAnnotation, PdfPageAnnotationCommon,
    PdfPageAnnotationType, PdfPageIndex, PdfPageText, PdfiumError,
};

use super::layout::Paragraph;
use super::line::Line;
use super::pictures::intersection;
use super::scan::line_of;
use super::signatures::Signatures;
use super::view::View;

/// A page that can be read, and the text of its annotations.
pub(super) struct AnnotatedPage<'a> {
    pub page: PdfPage<'a>,
    pub units: Vec<AnnotationText>,
    pub holds_file: bool,
    /// Places of annotations whose text is part of the page's content now.
    stamps: Vec<Rect>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnnotationText {
    pub text: String,
    pub area: Rect,
    /// True if the page itself shows this text there, as it shows the value of a form field. A comment has other text
    /// below it.
    pub is_shown: bool,
}

enum Reading {
    AnnotationText(String),
    /// The text, and the appearance shows more.
    UnitAndAppearance(String),
    /// No text.
    Nothing,
    Appearance,
}

/// A page with its annotations read. Those that can only be read as they are shown become part of its content, in memory.
pub(super) fn annotated<'a>(
    pdf: &'a PdfDocument,
    index: PdfPageIndex,
    signatures: &mut Signatures,
) -> Result<AnnotatedPage<'a>, PdfiumError> {
    let mut page = pdf.pages().get(index)?;
    let count = page.annotations().len();
    if count == 0 {
        return Ok(AnnotatedPage { page, units: Vec::new(), holds_file: false, stamps: Vec::new() });
    }
    let view = View::of(&page);
    let (mut units, mut stamps, mut read) = (Vec::new(), Vec::new(), Vec::new());
    let mut holds_file = false;
    {
        let text = page.text().ok();
        for (annotation, index) in page.annotations().iter().zip(0..) {
            let area = annotation.bounds().ok().and_then(|bounds| view.visible(&bounds));
            holds_file |= is_file(&annotation);
            let is_shown = shows_text(&annotation);
            let mut say = |text| units.push(AnnotationText { text, area: area.unwrap_or(NOWHERE), is_shown });
            match reading(&annotation, text.as_ref(), signatures) {
                Reading::AnnotationText(text) => {
                    say(text);
                    read.push(index);
                }
                Reading::UnitAndAppearance(text) => {
                    say(text);
                    stamps.extend(area);
                }
                Reading::Nothing => read.push(index),
                Reading::Appearance => stamps.extend(area),
            }
        }
    }
    if stamps.is_empty() {
        return Ok(AnnotatedPage { page, units, holds_file, stamps });
    }
    // The others are taken away, so that they are not read twice.
    for index in read.into_iter().rev() {
        let annotations = page.annotations_mut();
        let annotation = annotations.get(index)?;
        if let Err(error) = annotations.delete_annotation(annotation) {
            tracing::debug!("an annotation stays: {error:?}");
        }
    }
    if let Err(error) = page.flatten() {
        tracing::debug!("annotations are left out: {error:?}");
    }
    // pdfium-render 0.9.5 closes the page when it flattens it, but leaves its boundaries and objects with the old handle.
    drop(page);
    Ok(AnnotatedPage { page: pdf.pages().get(index)?, units, holds_file, stamps })
}

/// The signatures that no field on a page shows, for the top of the first page.
pub(super) fn of_hidden_signatures(signatures: &mut Signatures) -> impl Iterator<Item = AnnotationText> {
    let said = signatures.others().into_iter();
    let text = said.map(|signature| format!("Signature that no page shows: {signature}"));
    text.map(|text| AnnotationText { text, area: NOWHERE, is_shown: false })
}

const NOWHERE: Rect = Rect { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 };

impl AnnotatedPage<'_> {
    /// Takes the lines that annotations brought into the content out of those of the page.
    pub fn take_stamps(&mut self, lines: &mut Vec<Line>) {
        for stamp in &self.stamps {
            let is_inside = |line: &mut Line| {
                let (x, y) = ((line.area.left + line.area.right) / 2.0, (line.area.top + line.area.bottom) / 2.0);
                (stamp.left..=stamp.right).contains(&x) && (stamp.top..=stamp.bottom).contains(&y)
            };
            let inside: Vec<String> = lines.extract_if(.., is_inside).map(|line| line.text).collect();
            if !inside.is_empty() {
                self.units.push(AnnotationText { text: inside.join("\n"), area: *stamp, is_shown: true });
            }
        }
    }
}

fn reading(annotation: &PdfPageAnnotation, text: Option<&PdfPageText>, signatures: &mut Signatures) -> Reading {
    if annotation.is_hidden() {
        return Reading::Nothing;
    }
    let contents = annotation.contents().map(|text| one_text(&text)).filter(|text| !text.is_empty());
    let shown = || marked_text(annotation, text).map(|text| format!(" “{text}”")).unwrap_or_default();
    let comment = |what: &str| match &contents {
        Some(contents) => Reading::AnnotationText(format!("{what}{}: {contents}", by_whom(annotation))),
        None => Reading::Nothing,
    };
    let comment_on = |what: &str| match (&contents, shown()) {
        (Some(contents), shown) => {
            Reading::AnnotationText(format!("{what}{}:{shown} – {contents}", by_whom(annotation)))
        }
        (None, shown) if !shown.is_empty() => Reading::AnnotationText(format!("{what}{}:{shown}", by_whom(annotation))),
        (None, _) => Reading::Nothing,
    };
    match annotation {
        PdfPageAnnotation::Widget(_) | PdfPageAnnotation::XfaWidget(_) => match annotation.as_form_field() {
            Some(PdfFormField::Signature(field)) => {
                let name = field.name();
                match signatures.in_field(name.as_deref().unwrap_or_default()) {
                    // The appearance of a signature need not match the signature.
                    Some(signature) => Reading::UnitAndAppearance(format!("{}: {signature}", label(name, "Signature"))),
                    None => Reading::Appearance,
                }
            }
            Some(field) => of_field(field),
            None => Reading::Appearance,
        },
        PdfPageAnnotation::FreeText(_) => contents.map_or(Reading::Appearance, Reading::AnnotationText),
        PdfPageAnnotation::Stamp(_) => Reading::Appearance,
        PdfPageAnnotation::Text(_) => comment("Note"),
        PdfPageAnnotation::Highlight(_) => comment_on("Highlight"),
        PdfPageAnnotation::Underline(_) | PdfPageAnnotation::Squiggly(_) => comment_on("Underlined"),
        PdfPageAnnotation::Strikeout(_) => match comment_on("Struck out") {
            // A scan has no words under the marks.
            Reading::Nothing => Reading::AnnotationText(format!("Struck out{}", by_whom(annotation))),
            said => said,
        },
        PdfPageAnnotation::Redacted(_) => Reading::AnnotationText(format!("Marked for redaction:{}", shown())),
        other => match other.annotation_type() {
            PdfPageAnnotationType::FileAttachment => {
                let contents = contents.map(|contents| format!(": {contents}")).unwrap_or_default();
                Reading::AnnotationText(format!("Attached file{}{contents}", by_whom(annotation)))
            }
            // Reviewers use a caret to insert text, and to replace text that they strike out.
            PdfPageAnnotationType::Caret => comment("Inserted"),
            PdfPageAnnotationType::Watermark => Reading::Appearance,
            // The text of links and of windows of notes is read elsewhere.
            PdfPageAnnotationType::Link | PdfPageAnnotationType::Popup => Reading::Nothing,
            // Squares, lines, drawings and every other object with a comment.
            _ => comment("Comment"),
        },
    }
}

fn shows_text(annotation: &PdfPageAnnotation) -> bool {
    matches!(
        annotation,
        PdfPageAnnotation::Widget(_) | PdfPageAnnotation::XfaWidget(_) | PdfPageAnnotation::FreeText(_)
    )
}

fn is_file(annotation: &PdfPageAnnotation) -> bool {
    annotation.annotation_type() == PdfPageAnnotationType::FileAttachment
}

/// The values that are filled in, ticked or chosen.
fn of_field(field: &PdfFormField) -> Reading {
    let name = label(field.name(), "Field");
    let said = |value: Option<String>| match value.map(|value| one_text(&value)).filter(|value| !value.is_empty()) {
        Some(value) if matches!(field, PdfFormField::Text(_)) && is_generic(&name) => Reading::AnnotationText(value),
        Some(value) => Reading::AnnotationText(format!("{name}: {value}")),
        None => Reading::Nothing,
    };
    let is_on = |value: Option<String>| match field.appearance_stream() {
        Some(state) => !state.trim_start_matches('/').eq_ignore_ascii_case("off"),
        None => value.is_some_and(|value| !value.is_empty() && !value.eq_ignore_ascii_case("off")),
    };
    match field {
        PdfFormField::Text(text) if text.is_password() => Reading::Nothing,
        PdfFormField::Text(text) => said(text.value()),
        PdfFormField::Checkbox(ticked) if is_on(ticked.group_value()) => said(Some("ticked".to_owned())),
        PdfFormField::RadioButton(chosen) if is_on(None) => said(chosen.group_value()),
        PdfFormField::ComboBox(choice) => said(chosen(choice.options().iter()).or_else(|| choice.value())),
        // A list also shows its choices.
        PdfFormField::ListBox(choice) => match said(chosen(choice.options().iter()).or_else(|| choice.value())) {
            Reading::AnnotationText(text) => Reading::UnitAndAppearance(text),
            _ => Reading::Appearance,
        },
        PdfFormField::PushButton(_) | PdfFormField::Unknown(_) => Reading::Appearance,
        _ => Reading::Nothing,
    }
}

fn chosen(options: impl Iterator<Item = pdfium_render::prelude::PdfFormFieldOption>) -> Option<String> {
    let labels: Vec<String> =
        options.filter(|option| option.is_set()).filter_map(|option| option.label().cloned()).collect();
    (!labels.is_empty()).then(|| labels.join(", "))
}

/// The last part of a field's name, without its number: "Tenant" of "form1[0].Page1[0].Tenant[0]".
fn label(name: Option<String>, without: &str) -> String {
    let name = name.unwrap_or_default();
    let last = name.rsplit('.').find(|part| !part.is_empty()).unwrap_or_default();
    let last = last.split_once('[').map_or(last, |(name, _)| name).trim();
    if last.is_empty() { without.to_owned() } else { last.to_owned() }
}

/// True for a name that programs give, such as "Text 12" or "f1_02": it does not describe the value.
fn is_generic(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    matches!(
        &*letters,
        "" | "f" | "t" | "p" | "text" | "textbox" | "field" | "textfield" | "fill" | "undefined" | "untitled"
    )
}

/// " (Ann B., 2024-05-03)", as far as it is known.
fn by_whom(annotation: &PdfPageAnnotation) -> String {
    let author = annotation.creator().map(|name| one_text(&name)).filter(|name| !name.is_empty());
    let date = annotation.modification_date().or_else(|| annotation.creation_date());
    let date = date.and_then(|date| dates::of_pdf(&date)).map(|date| date.chars().take(10).collect());
    let parts: Vec<String> = [author, date].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// The text under the marks of an annotation, on one line.
fn marked_text(annotation: &PdfPageAnnotation, text: Option<&PdfPageText>) -> Option<String> {
    let text = text?;
    let points = annotation.attachment_points();
    let marks: Vec<_> = match points.is_empty() {
        true => annotation.bounds().into_iter().collect(),
        false => points.iter().map(|points| points.to_rect()).collect(),
    };
    let marked: Vec<String> = marks.into_iter().map(|mark| text.inside_rect(mark)).collect();
    let marked = marked.iter().flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ");
    (!marked.is_empty()).then_some(marked)
}

/// Its lines without white space around them; control characters are dropped.
fn one_text(text: &str) -> String {
    let lines = text.lines().flat_map(|line| line.split('\r')).map(|line| {
        let line: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
        single_spaced(&line)
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Puts units among the paragraphs of a page: each behind the text next to it, else below.
pub(super) fn insert(paragraphs: &mut Vec<Paragraph>, mut units: Vec<AnnotationText>) {
    units.sort_by(|a, b| a.area.top.total_cmp(&b.area.top).then(a.area.left.total_cmp(&b.area.left)));
    for AnnotationText { text, area, .. } in units {
        let unit = Paragraph { lines: text.lines().map(|line| line_of(line.to_owned(), area)).collect() };
        let Some((paragraph, line)) = place(paragraphs, &area) else {
            paragraphs.insert(0, unit);
            continue;
        };
        let before = &mut paragraphs[paragraph].lines;
        let after = before.split_off((line + 1).min(before.len()));
        let rest = (!after.is_empty()).then_some(Paragraph { lines: after });
        paragraphs.splice(paragraph + 1..paragraph + 1, [unit].into_iter().chain(rest));
    }
}

/// The line after which a unit is placed, by its paragraph and its place in there: the nearest to the left on its
/// level, else the nearest above it, else the last one that is higher.
fn place(paragraphs: &[Paragraph], unit: &Rect) -> Option<(usize, usize)> {
    let lines = || {
        let all = paragraphs.iter().enumerate();
        all.flat_map(|(index, paragraph)| {
            paragraph.lines.iter().enumerate().map(move |(line, at)| ((index, line), at.area))
        })
    };
    let is_level = |line: &Rect| {
        let shared = line.bottom.min(unit.bottom) - line.top.max(unit.top);
        shared > 0.5 * (line.bottom - line.top).min(unit.bottom - unit.top) && line.left <= unit.left
    };
    let beside = lines().filter(|(_, line)| is_level(line)).max_by(|a, b| a.1.left.total_cmp(&b.1.left));
    let middle = |area: &Rect| (area.top + area.bottom) / 2.0;
    let higher = || lines().filter(|(_, line)| middle(line) <= middle(unit));
    let column = Rect { top: f32::MIN, bottom: f32::MAX, ..*unit };
    let above = || {
        higher()
            .filter(|(_, line)| intersection(line, &column).is_some())
            .max_by(|a, b| a.1.bottom.total_cmp(&b.1.bottom))
    };
    beside.or_else(above).or_else(|| higher().next_back()).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(left: f32, top: f32) -> Rect {
        Rect { left, top, right: left + 100.0, bottom: top + 10.0 }
    }

    #[test]
    fn units_stand_behind_the_text_beside_or_above_them() {
        let line = |text: &str, left, top| line_of(text.to_owned(), area(left, top));
        let mut paragraphs = vec![
            Paragraph { lines: vec![line("Tenant:", 0.0, 0.0), line("Rent:", 0.0, 20.0), line("Due:", 0.0, 40.0)] },
            Paragraph { lines: vec![line("Other column", 300.0, 0.0)] },
        ];
        let unit =
            |text: &str, left, top| AnnotationText { text: text.to_owned(), area: area(left, top), is_shown: true };
        let units = vec![
            unit("Rent: 400", 120.0, 21.0),
            unit("Tenant: Ann\nBell", 120.0, 1.0),
            unit("Note: why?", 320.0, 70.0),
            unit("Paid: ticked", 200.0, 20.0),
            unit("Comment: all of it", 0.0, -30.0),
        ];
        insert(&mut paragraphs, units);
        let texts: Vec<String> = paragraphs
            .iter()
            .map(|paragraph| paragraph.lines.iter().map(|line| &*line.text).collect::<Vec<_>>().join("|"))
            .collect();
        let expected = [
            "Comment: all of it",
            "Tenant:",
            "Tenant: Ann|Bell",
            "Rent:",
            "Rent: 400",
            "Paid: ticked",
            "Due:",
            "Other column",
            "Note: why?",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn names_of_fields_are_shown_without_their_form() {
        for (name, shown) in [
            ("Tenant", "Tenant"),
            ("topmostSubform[0].Page1[0].Tenant name[0]", "Tenant name"),
            ("lease.rent.", "rent"),
            ("", "Field"),
        ] {
            assert_eq!(label(Some(name.to_owned()), "Field"), shown);
        }
        assert!(is_generic("Text12") && is_generic("f1_02") && is_generic("Field") && !is_generic("Tenant"));
    }
}
