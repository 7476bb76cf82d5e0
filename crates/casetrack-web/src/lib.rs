//! The built front end of the workbench, embedded in the program: `dist/`, which `npm run build` makes from `ui/`.
//!
//! The files are served only on this machine, so they are kept as they are and not compressed.

/// A file of the front end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    pub bytes: &'static [u8],
    /// The value of `Content-Type`.
    pub content_type: &'static str,
}

/// The page that loads the others.
pub const INDEX: &str = "index.html";
/// The view for hosts of MCP Apps, a page that needs no other file.
pub const APP: &str = "evidence.html";

/// Names and bytes, in the order of the names.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The file with this name; names have no folders. `None` if there is none, or its kind is not served.
pub fn asset(name: &str) -> Option<Asset> {
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name)?;
    let content_type = content_type(name.rsplit_once('.')?.1)?;
    Some(Asset { bytes, content_type })
}

fn content_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_served_under_its_own_name_only() {
        for (name, bytes) in FILES {
            let asset = asset(name).unwrap_or_else(|| panic!("{name} has a kind that is not served"));
            assert_eq!(asset.bytes, *bytes);
        }
        for name in ["", "index", "../Cargo.toml", "dist/index.html", "INDEX.HTML", "index.html/"] {
            assert_eq!(asset(name), None, "{name}");
        }
    }
}
