//! Web pages, also under other names.

use casetrack_core::FileFormat;
use casetrack_pages::model::Source;

/// Elements that a part of a page begins with, when a program saves it under the name of an office document.
const FIRST_ELEMENTS: [&str; 28] = [
    "a",
    "b",
    "blockquote",
    "br",
    "center",
    "div",
    "font",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "img",
    "link",
    "meta",
    "ol",
    "p",
    "pre",
    "script",
    "section",
    "span",
    "style",
    "table",
    "tbody",
    "title",
    "tr",
    "ul",
];
/// Characters of a file that are searched for the rows of a table, where text precedes it.
const ROWS_WITHIN: usize = 64 * 1024;

/// A page says so in its first tag, after comments and an XML declaration. Parts of pages are recognised by the name of the file, which
/// promises a page or an office document.
pub(super) fn is_html(source: &Source, text: &str) -> bool {
    let mut start = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    while let Some((_, rest)) = start
        .strip_prefix("<!--")
        .and_then(|comment| comment.split_once("-->"))
        .or_else(|| start.strip_prefix("<?xml").and_then(|declaration| declaration.split_once("?>")))
    {
        start = rest.trim_start();
    }
    let lower = |chars: usize| start.chars().take(chars).collect::<String>().to_ascii_lowercase();
    let tag = lower(200);
    if ["<!doctype html", "<html", "<head>", "<body"].iter().any(|first| tag.starts_with(first)) {
        return true;
    }
    match source.promised_format() {
        Some(FileFormat::Html) => tag.starts_with('<') && !tag.starts_with("<svg"),
        Some(format) if promises_office(format) => {
            let name = tag.strip_prefix('<').and_then(|tag| tag.split(|c: char| !c.is_ascii_alphanumeric()).next());
            let text = lower(ROWS_WITHIN);
            name.is_some_and(|name| FIRST_ELEMENTS.contains(&name))
                || (text.contains("<table") && text.contains("<td") && text.contains("</tr>"))
        }
        _ => false,
    }
}

fn promises_office(format: FileFormat) -> bool {
    let is_text = matches!(format, FileFormat::Docx | FileFormat::Doc | FileFormat::Rtf | FileFormat::Odt);
    is_text || format.is_spreadsheet() || format.is_presentation()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::FileFormat;

    use crate::detect;

    #[test]
    fn parts_of_pages_under_the_names_of_office_files_are_pages() {
        for page in [
            "<table border=1><tr><th>Payee</th></tr></table>",
            "\u{FEFF}<TABLE><TR><TD>Payee</TD></TR></TABLE>",
            "<style>td{mso-number-format:\"\\@\";}</style><table><tr><td>x</td></tr></table>",
            "<meta http-equiv=\"Content-Type\" content=\"text/html\"><table><tr><td>x</td></tr></table>",
            "<!-- made by a program --><div class=x>Notice</div>",
            "<p class=MsoNormal>fragment of Word</p>",
            "Report of May\r\n<table><tr><td>x</td></tr></table>",
            "\r\n\r\n<br/>Rent",
        ] {
            for name in ["a.xls", "a.xlsx", "a.doc", "a.docx", "a.rtf", "a.csv", "a.ods", "a.ppt", "a.htm"] {
                let expected =
                    if name == "a.htm" && page.starts_with("Report") { FileFormat::Text } else { FileFormat::Html };
                assert_eq!(detect(Path::new(name), page.as_bytes()).unwrap(), expected, "{name}: {page}");
            }
            assert_eq!(detect(Path::new("a.txt"), page.as_bytes()).unwrap(), FileFormat::Text, "{page}");
        }
        for text in ["<5 units;<6 units\n1;2\n", "<http://example.com>", "The element <table> has rows."] {
            assert_ne!(detect(Path::new("a.xls"), text.as_bytes()).unwrap(), FileFormat::Html, "{text}");
        }
    }
}
