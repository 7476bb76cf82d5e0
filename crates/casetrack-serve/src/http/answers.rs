//! Answers outside the protocol.

use std::convert::Infallible;

use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;

pub(super) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The content security policy of the workbench: pages load only what this server sends, in no frame, and send nothing elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// The headers of every answer to a browser.
const GUARDS: [(&str, &str); 8] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("cross-origin-resource-policy", "same-origin"),
    // Nothing of a document stays in the browser's files.
    ("cache-control", "no-store"),
];

pub(super) fn refusal(status: StatusCode, text: &'static str) -> Answer {
    plain(status, Bytes::from_static(text.as_bytes()))
}

pub(super) fn plain(status: StatusCode, text: Bytes) -> Answer {
    of_type(status, "text/plain; charset=utf-8", text)
}

pub(super) fn of_type(status: StatusCode, content_type: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

pub(super) fn page(status: StatusCode, text: &'static str) -> Answer {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>CaseTrack</title><h1>CaseTrack</h1><p>{text}</p></html>\n"
    );
    of_type(status, "text/html; charset=utf-8", page.into())
}

/// The answer with the headers that keep it from other pages.
pub(super) fn guarded(mut answer: Answer) -> Answer {
    for (name, value) in GUARDS {
        answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    answer
}
