/// Maximum bytes of an address; the rest is left out. It bounds the work for a text without white space.
const LONGEST: usize = 2048;

/// The addresses in a text: bytes, half-open, and the normalised address. In order, without overlap.
///
/// Scheme and host are in lower case, `https` is added if there is no scheme, and a slash at the end is left out.
pub fn find(text: &str) -> Vec<(usize, usize, String)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        // "://" and "www." both need a character that is rare in prose
        let start = match bytes[at] {
            b':' if bytes[at..].starts_with(b"://") => scheme_start(bytes, at),
            b'w' | b'W' if bytes.len() > at + 4 && bytes[at..at + 4].eq_ignore_ascii_case(b"www.") => {
                let inside = at > 0
                    && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'/' | b'.' | b'@' | b'-'));
                (!inside).then_some(at)
            }
            _ => None,
        };
        match start
            .filter(|start| found.last().is_none_or(|last| last.1 <= *start))
            .and_then(|start| address(text, start))
        {
            Some((start, end, name)) => {
                at = end;
                found.push((start, end, name));
            }
            None => at += 1,
        }
    }
    found
}

fn scheme_start(bytes: &[u8], colon: usize) -> Option<usize> {
    ["https", "http", "ftp"].iter().find_map(|scheme| {
        let start = colon.checked_sub(scheme.len())?;
        let alone = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
        (alone && bytes[start..colon].eq_ignore_ascii_case(scheme.as_bytes())).then_some(start)
    })
}

fn address(text: &str, start: usize) -> Option<(usize, usize, String)> {
    let mut limit = text.len().min(start + LONGEST);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let rest = text.get(start..limit)?;
    let mut end = rest
        .find(|c: char| {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, '<' | '>' | '"' | '“' | '”' | '’' | '‘' | '{' | '}' | '|' | '\\' | '^' | '`')
        })
        .unwrap_or(rest.len());
    // what ends the sentence or closes a parenthesis opened before the address is not part of it
    let mut open = 0i32;
    for byte in rest[..end].bytes() {
        open += i32::from(byte == b'(') - i32::from(byte == b')');
    }
    while let Some(last) = rest[..end].chars().next_back() {
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | ']' | '*' | '…' => {}
            ')' if open < 0 => open += 1,
            _ => break,
        }
        end -= last.len_utf8();
    }
    let url = &rest[..end];
    let (scheme, after) = match url.find("://") {
        Some(colon) => (url[..colon].to_ascii_lowercase(), &url[colon + 3..]),
        None => ("https".to_owned(), url),
    };
    let host_end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (host, path) = after.split_at(host_end);
    let name_start = host.rfind('@').map_or(0, |at| at + 1);
    let labels: Vec<&str> = host[name_start..].split(':').next().unwrap_or("").split('.').collect();
    let valid = (labels.len() > usize::from(url.len() == after.len()) + 1 || host.starts_with("localhost"))
        && labels.iter().all(|label| !label.is_empty());
    let path = if path.ends_with('/') && !path.contains(['?', '#']) { path.trim_end_matches('/') } else { path };
    valid.then(|| (start, start + end, format!("{scheme}://{}{path}", host.to_ascii_lowercase())))
}
