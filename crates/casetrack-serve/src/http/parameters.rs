//! Parameters in the query of a URL.

use http::Uri;
use percent_encoding::percent_decode_str;

/// The decoded value of a parameter in the query of a URL. `None` if it is missing or not UTF-8.
pub(super) fn query(uri: &Uri, name: &str) -> Option<String> {
    all(uri, name).into_iter().next()
}

/// All values of a parameter that can be given several times, in order.
pub(super) fn all(uri: &Uri, name: &str) -> Vec<String> {
    let parts = uri.query().unwrap_or_default().split('&').filter_map(|part| part.split_once('='));
    let values = parts.filter(|(key, _)| *key == name).map(|(_, value)| value.replace('+', " "));
    values.filter_map(|value| Some(percent_decode_str(&value).decode_utf8().ok()?.into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let uri: Uri = "/page?collection=A%20B+C&document=%E2%82%AC&page=3&bad=%ff".parse().unwrap();
        assert_eq!(query(&uri, "collection").as_deref(), Some("A B C"));
        assert_eq!(query(&uri, "document").as_deref(), Some("€"));
        assert_eq!((query(&uri, "bad"), query(&uri, "width")), (None, None));
    }
}
