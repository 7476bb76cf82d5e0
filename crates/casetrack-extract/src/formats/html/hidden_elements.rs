//! Elements that a page does not show.

/// Never shown; `title` is read apart.
const NEVER_SHOWN: [&str; 13] = [
    "script", "style", "template", "noscript", "svg", "iframe", "datalist", "noframes", "noembed", "audio", "video",
    "canvas", "object",
];
/// Elements that end without an end tag, before another of their kind or at the end of their parent.
const OPTIONAL_END: [&str; 9] = ["p", "li", "td", "th", "tr", "dt", "dd", "option", "optgroup"];
const HOLDERS: [&str; 10] = ["ul", "ol", "menu", "dl", "table", "select", "tbody", "thead", "div", "blockquote"];
pub(super) const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// True if an element with these attributes hides its content.
pub(super) fn is_hidden<'a>(name: &str, attribute: impl Fn(&str) -> Option<&'a [u8]>) -> bool {
    if VOID.contains(&name) {
        return false;
    }
    NEVER_SHOWN.contains(&name)
        || attribute("hidden").is_some_and(|value| !value.eq_ignore_ascii_case(b"until-found"))
        || attribute("style").is_some_and(hides)
}

fn hides(style: &[u8]) -> bool {
    let style: String =
        style.iter().filter(|b| !b.is_ascii_whitespace()).map(|b| b.to_ascii_lowercase() as char).collect();
    ["display:none", "visibility:hidden", "mso-hide:all"]
        .iter()
        .any(|rule| style.match_indices(rule).any(|(at, _)| at == 0 || style[..at].ends_with([';', '/'])))
}

pub(super) struct SkippedElement {
    name: String,
    /// Elements open inside it that may end it: those of its name, or those that hold its kind.
    depth: u32,
}

impl SkippedElement {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), depth: 0 }
    }

    pub fn start(&mut self, name: &str) -> bool {
        if OPTIONAL_END.contains(&&*self.name) {
            if self.depth == 0 && self.is_followed_by(name) {
                return true;
            }
            self.depth += u32::from(HOLDERS.contains(&name));
        } else {
            self.depth += u32::from(self.name == name);
        }
        false
    }

    /// Takes an end tag. Returns whether the hidden element ended, and whether it ended with this tag.
    pub fn end(&mut self, name: &str) -> (bool, bool) {
        let counts = if OPTIONAL_END.contains(&&*self.name) {
            if self.depth == 0 && self.name == name {
                return (true, true);
            }
            HOLDERS.contains(&name) || (self.depth == 0 && name == "tr")
        } else {
            self.name == name
        };
        if counts && self.depth == 0 {
            return (true, self.name == name);
        }
        self.depth -= u32::from(counts);
        (false, false)
    }

    fn is_followed_by(&self, name: &str) -> bool {
        match &*self.name {
            "p" => super::blocks::is_block(name),
            "td" | "th" => matches!(name, "td" | "th" | "tr" | "tbody" | "tfoot"),
            "tr" => matches!(name, "tr" | "tbody" | "tfoot"),
            "dt" | "dd" => matches!(name, "dt" | "dd"),
            own => own == name,
        }
    }
}
