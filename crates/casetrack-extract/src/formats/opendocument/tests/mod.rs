mod changes;
mod damage;
mod presentations;
mod tables;
mod texts;

use std::path::Path;

use casetrack_core::{BlockKind, FileFormat};

use crate::test_files::{assert_page_invariants, assert_properties, with_damaged_part, zip_file};
use crate::{ExtractOptions, Extraction};

const STYLES: &str = "<office:document-styles><office:styles>
    <style:style style:name='Heading_20_2' style:family='paragraph'/>
    <style:style style:name='Title' style:family='paragraph' style:parent-style-name='Title'/>
    <style:style style:name='New_20_page' style:family='paragraph'>
      <style:paragraph-properties fo:break-before='page'/></style:style>
    <text:outline-style style:name='Outline'>
      <text:outline-level-style text:level='1' style:num-format='I' style:num-prefix='Part '/>
      <text:outline-level-style text:level='2' style:num-format='1' text:display-levels='2'/>
      <text:outline-level-style text:level='3' style:num-format=''/>
    </text:outline-style>
    <text:list-style style:name='L'>
      <text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.' text:start-value='4'/>
      <text:list-level-style-number text:level='2' style:num-format='a' style:num-prefix='(' style:num-suffix=')'>
        <style:list-level-properties><style:list-level-label-alignment text:label-followed-by='nothing'/>
        </style:list-level-properties></text:list-level-style-number>
      <text:list-level-style-number text:level='3' style:num-format='1' loext:num-list-format='%1%/%3%:'/>
    </text:list-style>
    <text:list-style style:name='Dots'>
      <text:list-level-style-bullet text:level='1' text:bullet-char='&#xF0B7;'>
        <style:text-properties style:font-name='Symbol'/></text:list-level-style-bullet>
      <text:list-level-style-bullet text:level='2' text:bullet-char='&#xE00A;'/>
    </text:list-style>
    </office:styles><office:automatic-styles>
    <style:style style:name='P1' style:family='paragraph'><style:paragraph-properties fo:break-before='page'/></style:style>
    </office:automatic-styles></office:document-styles>";
const AUTOMATIC_STYLES: &str = "<office:automatic-styles>
    <style:style style:name='P2' style:family='paragraph' style:parent-style-name='New_20_page'/>
    <style:style style:name='P3' style:family='paragraph' style:parent-style-name='New_20_page'>
      <style:paragraph-properties fo:break-before='auto'/></style:style>
    <style:style style:name='P4' style:family='paragraph' style:master-page-name='Landscape'/>
    <style:style style:name='P5' style:family='paragraph'><style:paragraph-properties fo:break-after='page'/></style:style>
    <style:style style:name='P6' style:family='paragraph' style:parent-style-name='Heading_20_2'/>
    <style:style style:name='P7' style:family='paragraph' style:list-style-name='Dots'/>
    <style:style style:name='Secret' style:family='text'><style:text-properties text:display='none'/></style:style>
    <style:style style:name='Other' style:family='text'><style:text-properties text:display='true'/></style:style>
    <style:style style:name='Unseen' style:family='paragraph'><style:text-properties text:display='none'/></style:style>
    <style:style style:name='dp2' style:family='drawing-page'>
      <style:drawing-page-properties presentation:visibility='hidden'/></style:style>
    <style:style style:name='T1' style:family='table'><style:table-properties fo:break-before='page'/></style:style>
    </office:automatic-styles>";
const META: &str = "<office:document-meta><office:meta><dc:title>Lease  of land</dc:title><dc:creator>Eve</dc:creator>\
    <meta:initial-creator>Ann</meta:initial-creator><meta:creation-date>2024-05-03T09:00:00.123456789</meta:creation-date>\
    <dc:date>2024-05-04T10:00:00Z</dc:date><dc:language>en-GB</dc:language></office:meta></office:document-meta>";

fn content(body: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?><office:document-content>{AUTOMATIC_STYLES}<office:body>{body}</office:body>\
         </office:document-content>"
    )
}

fn package(kind: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let mime_type = format!("application/vnd.oasis.opendocument.{kind}");
    let mut all = vec![("mimetype", mime_type.as_bytes())];
    all.extend(parts.iter().map(|(name, content)| (*name, content.as_bytes())));
    zip_file(&all)
}

fn extract_bytes(bytes: &[u8]) -> Extraction {
    let extraction = crate::extract(Path::new("file"), bytes, &ExtractOptions::default()).unwrap();
    extraction.pages.iter().for_each(assert_page_invariants);
    extraction
}

fn extract(body: &str) -> Extraction {
    let content = content(&format!("<office:text>{body}</office:text>"));
    let extraction =
        extract_bytes(&package("text", &[("content.xml", &content), ("styles.xml", STYLES), ("meta.xml", META)]));
    assert_eq!(extraction.format, FileFormat::Odt);
    assert_eq!(extraction.title.as_deref(), Some("Lease of land"));
    assert_properties(&extraction, ["Ann", "2024-05-03T09:00:00", "2024-05-04T10:00:00Z", "en-GB"]);
    extraction
}

/// The blocks of all pages: page number, kind, text.
fn blocks_of(extraction: &Extraction) -> Vec<(u32, BlockKind, String)> {
    let mut found = Vec::new();
    for page in &extraction.pages {
        let chars: Vec<char> = page.text.chars().collect();
        found.extend(page.blocks.iter().map(|block| {
            let text = chars[block.char_start as usize..block.char_end as usize].iter().collect();
            (page.number, block.kind.clone(), text)
        }));
    }
    found
}

fn blocks(body: &str) -> Vec<(BlockKind, String)> {
    blocks_of(&extract(body)).into_iter().map(|(_, kind, text)| (kind, text)).collect()
}

fn texts(body: &str) -> Vec<String> {
    blocks(body).into_iter().map(|(_, text)| text).collect()
}

fn p(text: &str) -> String {
    format!("<text:p>{text}</text:p>")
}

fn styled(style: &str, text: &str) -> String {
    format!("<text:p text:style-name='{style}'>{text}</text:p>")
}

fn h(level: u8, text: &str) -> String {
    format!("<text:h text:outline-level='{level}'>{text}</text:h>")
}

fn list(attributes: &str, items: &[&str]) -> String {
    let items: String = items.iter().map(|item| format!("<text:list-item>{item}</text:list-item>")).collect();
    format!("<text:list {attributes}>{items}</text:list>")
}

fn cell(content: &str) -> String {
    format!("<table:table-cell office:value-type='string'>{content}</table:table-cell>")
}

fn row(cells: &[&str]) -> String {
    format!("<table:table-row>{}</table:table-row>", cells.concat())
}

fn frame(content: &str) -> String {
    format!("<draw:frame><svg:title>not read</svg:title>{content}</draw:frame>")
}

fn slide(attributes: &str, content: &str) -> String {
    format!("<draw:page {attributes}>{content}</draw:page>")
}

fn placeholder(class: &str, content: &str) -> String {
    format!("<draw:frame presentation:class='{class}'><draw:text-box>{content}</draw:text-box></draw:frame>")
}

fn presentation(slides: &str) -> Vec<u8> {
    let content = content(&format!("<office:presentation>{slides}</office:presentation>"));
    package(
        "presentation",
        &[
            ("content.xml", &content),
            ("styles.xml", STYLES),
            ("meta.xml", "<m><office:meta><dc:title>PowerPoint Presentation</dc:title></office:meta></m>"),
            ("C/content.xml", &chart()),
        ],
    )
}

fn chart() -> String {
    let table = format!(
        "<table:table><table:table-header-rows>{}</table:table-header-rows><table:table-rows>{}</table:table-rows></table:table>",
        row(&[&cell(""), &cell(&p("Cost"))]),
        row(&[&cell(&p("May")), &cell(&p("7"))])
    );
    content(&format!(
        "<office:chart><chart:chart><chart:title>{}</chart:title><chart:plot-area/>{table}</chart:chart></office:chart>",
        p("Costs")
    ))
}
