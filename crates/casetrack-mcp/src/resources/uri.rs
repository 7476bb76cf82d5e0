//! The URIs of resources.

use std::fmt;

use casetrack_core::{Error, ErrorCode, Result, TextView};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::KINDS;
use casetrack_text::format::shorten;

const ROOT: &str = "casetrack://collections";
/// All but RFC 3986's unreserved characters.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The resource that a URI names. Collections and documents are given by id or name; links from the server use ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Collections,
    Documents { collection: String },
    Evidence { collection: String },
    Document { collection: String, document: String },
    Chunk { collection: String, chunk: String },
    Page { collection: String, document: String, page: u32, view: TextView },
    Picture { collection: String, document: String, page: u32, chunk: Option<String> },
}

impl Target {
    /// Errors: [`ErrorCode::NotFound`] for a string that is not the URI of a resource.
    pub fn parse(uri: &str) -> Result<Self> {
        Self::read(uri).ok_or_else(|| {
            let templates: Vec<&str> = KINDS.iter().map(|kind| kind.template).collect();
            Error::new(ErrorCode::NotFound, format!("No resource has the URI \"{}\".", shorten(uri, 200)))
                .with_hint(format!("The URIs of resources have these forms:\n  {}", templates.join("\n  ")))
        })
    }

    fn read(uri: &str) -> Option<Self> {
        let (path, query) = uri.split_once('?').map_or((uri, None), |(path, query)| (path, Some(query)));
        let rest = path.strip_prefix(ROOT)?;
        if rest.is_empty() || rest == "/" {
            return query.is_none().then_some(Self::Collections);
        }
        let mut segments = Vec::new();
        for segment in rest.strip_prefix('/')?.split('/') {
            segments.push(decoded(segment)?);
        }
        let target = match <[String; 4]>::try_from(segments) {
            Ok([collection, pages, document, page]) if pages == "pages" => {
                let (number, is_picture) =
                    page.strip_suffix(".png").map_or((page.as_str(), false), |page| (page, true));
                let page = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
                if is_picture {
                    let chunk = match query {
                        Some(query) => Some(decoded(query.strip_prefix("chunk=")?)?),
                        None => None,
                    };
                    return Some(Self::Picture { collection, document, page, chunk });
                }
                let view = match query {
                    Some(query) => view(query)?,
                    None => TextView::Final,
                };
                return Some(Self::Page { collection, document, page, view });
            }
            Ok(_) => return None,
            Err(segments) => match (<[String; 2]>::try_from(segments.clone()), <[String; 3]>::try_from(segments)) {
                (Ok([collection, kind]), _) => match kind.as_str() {
                    "documents" => Self::Documents { collection },
                    "evidence" => Self::Evidence { collection },
                    _ => return None,
                },
                (_, Ok([collection, kind, id])) => match kind.as_str() {
                    "documents" => Self::Document { collection, document: id },
                    "chunks" => Self::Chunk { collection, chunk: id },
                    _ => return None,
                },
                _ => return None,
            },
        };
        query.is_none().then_some(target)
    }
}

/// `view=redline`
fn view(query: &str) -> Option<TextView> {
    let name = query.strip_prefix("view=")?;
    TextView::ALL.iter().copied().find(|view| view.label() == name)
}

/// A part of a URI that is not empty.
fn decoded(part: &str) -> Option<String> {
    let text = percent_decode_str(part).decode_utf8().ok()?;
    (!text.trim().is_empty()).then(|| text.into_owned())
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = |text| utf8_percent_encode(text, ESCAPED);
        f.write_str(ROOT)?;
        match self {
            Self::Collections => Ok(()),
            Self::Documents { collection } => write!(f, "/{}/documents", escaped(collection)),
            Self::Evidence { collection } => write!(f, "/{}/evidence", escaped(collection)),
            Self::Document { collection, document } => {
                write!(f, "/{}/documents/{}", escaped(collection), escaped(document))
            }
            Self::Chunk { collection, chunk } => write!(f, "/{}/chunks/{}", escaped(collection), escaped(chunk)),
            Self::Page { collection, document, page, view } => {
                write!(f, "/{}/pages/{}/{page}", escaped(collection), escaped(document))?;
                if *view == TextView::Final { Ok(()) } else { write!(f, "?view={}", view.label()) }
            }
            Self::Picture { collection, document, page, chunk } => {
                write!(f, "/{}/pages/{}/{page}.png", escaped(collection), escaped(document))?;
                chunk.as_deref().map_or(Ok(()), |chunk| write!(f, "?chunk={}", escaped(chunk)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name() -> impl Strategy<Value = String> {
        any::<String>().prop_filter("a name", |name| !name.trim().is_empty())
    }

    fn target() -> impl Strategy<Value = Target> {
        prop_oneof![
            Just(Target::Collections),
            name().prop_map(|collection| Target::Documents { collection }),
            name().prop_map(|collection| Target::Evidence { collection }),
            (name(), name()).prop_map(|(collection, document)| Target::Document { collection, document }),
            (name(), name()).prop_map(|(collection, chunk)| Target::Chunk { collection, chunk }),
            (name(), name(), any::<u32>(), proptest::sample::select(TextView::ALL))
                .prop_map(|(collection, document, page, view)| Target::Page { collection, document, page, view }),
            (name(), name(), any::<u32>(), proptest::option::of(name()))
                .prop_map(|(collection, document, page, chunk)| Target::Picture { collection, document, page, chunk }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(target in target()) {
            let uri = target.to_string();
            prop_assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
            prop_assert_eq!(Target::parse(&uri).unwrap(), target);
        }

        #[test]
        fn nothing_makes_it_panic(rest in "[/a-z0-9%?=.]{0,40}", any in any::<String>()) {
            let _ = Target::parse(&format!("{ROOT}{rest}"));
            let _ = Target::parse(&any);
        }
    }

    #[test]
    fn names_may_hold_anything_when_they_are_encoded() {
        let target = Target::parse("casetrack://collections/Acme%20%26%20S%C3%B6hne/documents/a%2Fb%3F.pdf").unwrap();
        let (collection, document) = ("Acme & Söhne".to_owned(), "a/b?.pdf".to_owned());
        assert_eq!(target, Target::Document { collection, document });
        // As some clients send it.
        let collection = "Acme & Söhne".to_owned();
        assert_eq!(
            Target::parse("casetrack://collections/Acme & Söhne/documents").unwrap(),
            Target::Documents { collection }
        );
    }

    #[test]
    fn what_is_no_resource_is_not_found() {
        for uri in [
            "",
            "casetrack://",
            "casetrack://documents",
            "casetrack://collectionsX",
            "casetrack://collections?x=1",
            "casetrack://collections/a",
            "casetrack://collections/a/documents/",
            "casetrack://collections/a/documents/b/c",
            "casetrack://collections//documents",
            "casetrack://collections/a/documents?x",
            "casetrack://collections/a/notes",
            "casetrack://collections/%FF/documents",
            "casetrack://collections/a/pages/b/0x1",
            "casetrack://collections/a/pages/b/+1",
            "casetrack://collections/a/pages/b/1.jpg",
            "casetrack://collections/a/pages/b/1?chunk=c",
            "casetrack://collections/a/pages/b/1?view=all",
            "casetrack://collections/a/pages/b/1.png?page=c",
            "file:///etc/passwd",
        ] {
            assert_eq!(Target::parse(uri).unwrap_err().code, ErrorCode::NotFound, "{uri}");
        }
    }
}
