//! Marks around log fields that may reveal something about documents, and a log without the values of such fields.

use std::fmt;

use tracing::field::Field;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

/// Around the value of a field that may reveal something.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];
const LEFT_OUT: &str = "(left out)";
/// Fields whose values are constants of the program.
const CONSTANTS: [&str; 4] = ["index", "model", "place", "tool"];

/// Formats fields as usual, with [`MARKS`] around values that may reveal something.
pub fn marked_fields() -> impl for<'w> FormatFields<'w> + Send + Sync + 'static {
    let field = |to: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug| {
        let value = format!("{value:?}").replace(MARKS, " ");
        match field.name() {
            "message" => write!(to, "{value}"),
            name if CONSTANTS.contains(&name) || tells_nothing(&value) => write!(to, "{name}={value}"),
            name => write!(to, "{name}={}{value}{}", MARKS[0], MARKS[1]),
        }
    };
    debug_fn(field).delimited(" ")
}

/// Numbers, ids and truth values.
fn tells_nothing(value: &str) -> bool {
    let is_id = value.len() == 36 && value.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    is_id || value.parse::<f64>().is_ok_and(f64::is_finite) || value.parse::<bool>().is_ok()
}

/// A line without the marks, and on request without the values between them. A mark that is not closed is left out, too.
pub fn unmarked(line: &str, without_values: bool) -> String {
    if !without_values {
        return line.replace(MARKS, "");
    }
    let mut parts = line.split(MARKS[0]);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(LEFT_OUT);
        out.push_str(part.split_once(MARKS[1]).map_or("\n", |(_, rest)| rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_may_tell_something_are_left_out() {
        let [from, to] = MARKS;
        let line = format!("WARN a job is left out job=12 path={from}/a/Secret.pdf{to} n=3 error={from}cut off\n");
        assert_eq!(unmarked(&line, true), "WARN a job is left out job=12 path=(left out) n=3 error=(left out)\n");
        assert_eq!(unmarked(&line, false), "WARN a job is left out job=12 path=/a/Secret.pdf n=3 error=cut off\n");
        for (value, nothing) in [
            ("12", true),
            ("-0.5", true),
            ("true", true),
            ("6f1d2c3a-0000-4000-8000-00000000000a", true),
            ("/a", false),
            ("NaN", false),
            ("Secret", false),
            ("deadbeef", false),
        ] {
            assert_eq!(tells_nothing(value), nothing, "{value}");
        }
    }
}
