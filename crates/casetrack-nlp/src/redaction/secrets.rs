//! Addresses, keys, tokens and passwords, by the forms that their issuers document.

use std::sync::LazyLock;

use regex::Regex;

use super::{Found, Kind};

/// A form, with the part of it that is taken out in the group `s`, where that is not all of it.
struct Form {
    kind: Kind,
    regex: Regex,
}

#[rustfmt::skip]
const FORMS: &[(Kind, &str)] = &[
    (Kind::Email, r"(?i)[\p{L}\p{N}._%+'\-]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}\b"),
    (Kind::Email, r"(?i)\b[a-z0-9._%+\-]+ ?[\[(](?:at|@)[\])] ?(?:[a-z0-9\-]+ ?(?:\.|[\[(](?:dot|\.)[\])]) ?)+[a-z]{2,24}\b"),
    // The key to its end, or as far as the text goes; and the end of one whose beginning is not there.
    (Kind::PrivateKey, r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)"),
    (Kind::PrivateKey, r"[A-Za-z0-9+/=\s]{16,}-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"),
    (Kind::PrivateKey, r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    // Lines of Base64, as of keys without their frame.
    (Kind::Token, r"(?m)(?:^[ \t>]*[A-Za-z0-9+/]{60,76}={0,2}[ \t\r]*\n){2,}(?:^[ \t>]*[A-Za-z0-9+/]{4,76}={0,2}[ \t\r]*$)?"),
    // JSON Web Tokens (RFC 7519): both parts are JSON objects.
    (Kind::Token, r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?"),
    // Amazon Web Services
    (Kind::Token, r"\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA|AIPA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    (Kind::Token, r#"(?i)\baws.{0,20}?(?:secret|private).{0,20}?["']?\s*[:=]\s*["']?(?P<s>[A-Za-z0-9/+=]{40})"#),
    // Google, GitHub, GitLab, Slack, Stripe, OpenAI and Anthropic, SendGrid, Twilio, npm, PyPI, Hugging Face, Telegram, DigitalOcean,
    // Shopify, Square, Mailgun, Dropbox, Databricks, Atlassian, Azure
    (Kind::Token, r"\bAIza[A-Za-z0-9_\-]{35}"),
    (Kind::Token, r"\bya29\.[A-Za-z0-9_\-]{20,}"),
    (Kind::Token, r"\bGOCSPX-[A-Za-z0-9_\-]{20,}"),
    (Kind::Token, r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    (Kind::Token, r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    (Kind::Token, r"\bgl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_\-]{20,}"),
    (Kind::Token, r"\bxox[abeoprs]-[A-Za-z0-9\-]{10,}"),
    (Kind::Token, r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    (Kind::Token, r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    (Kind::Token, r"\bwhsec_[A-Za-z0-9]{24,}"),
    (Kind::Token, r"\bsk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_\-]{20,}"),
    (Kind::Token, r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"),
    (Kind::Token, r"\b(?:AC|SK)[0-9a-f]{32}\b"),
    (Kind::Token, r"\bnpm_[A-Za-z0-9]{36}"),
    (Kind::Token, r"\bpypi-[A-Za-z0-9_\-]{16,}"),
    (Kind::Token, r"\bhf_[A-Za-z0-9]{30,}"),
    (Kind::Token, r"\b\d{8,10}:AA[A-Za-z0-9_\-]{33}"),
    (Kind::Token, r"\bdo[opr]_v1_[a-f0-9]{64}"),
    (Kind::Token, r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    (Kind::Token, r"\bsq0(?:atp|csp)-[A-Za-z0-9_\-]{22,}"),
    (Kind::Token, r"\bkey-[0-9a-f]{32}\b"),
    (Kind::Token, r"\bsl\.[A-Za-z0-9_\-]{60,}"),
    (Kind::Token, r"\bdapi[0-9a-f]{32}\b"),
    (Kind::Token, r"\bATATT3[A-Za-z0-9_\-=]{40,}"),
    (Kind::Token, r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<s>[A-Za-z0-9+/]{40,}={0,2})"),
    (Kind::Token, r"(?i)\bsig=(?P<s>[A-Za-z0-9%+/]{40,})"),
    // In headers and settings. A word alone is prose ("trade secret: information"); a value has a digit or stands behind "=".
    (Kind::Token, r"(?i)\b(?:bearer|basic|token)\s+(?P<s>[A-Za-z0-9._~+/\-]{8,}[0-9][A-Za-z0-9._~+/\-]{8,}={0,2})"),
    (Kind::Token, r#"(?i)\b(?:api|access|auth|secret|private|client|encryption|signing)[ _\-]?(?:key|token|secret)(?:[ _\-]?id)?["']?\s*(?::|=|\bis\b)\s*["']?(?P<s>[A-Za-z0-9._~+/=\-]*[0-9][A-Za-z0-9._~+/=\-]*[A-Za-z][A-Za-z0-9._~+/=\-]{6,}|[A-Za-z0-9._~+/=\-]*[A-Za-z][A-Za-z0-9._~+/=\-]*[0-9][A-Za-z0-9._~+/=\-]{6,})"#),
    (Kind::Password, r#"(?i)\b(?:password|passwd|passphrase|passwort|kennwort|pwd)["']?\s*=\s*["']?(?P<s>[^\s"';,]{4,})"#),
    (Kind::Password, r#"(?i)\b(?:password|passwd|passphrase|passwort|kennwort|pwd)["']?\s*(?::|\bis\b|\bist\b|\blautet\b)\s*["“„']?(?P<s>[^\s"”“';,]*[0-9!@#$%^&*?~](?:[^\s"”“';,]*[^\s"”“';,.?!])?)"#),
    (Kind::Password, r#"[A-Za-z][A-Za-z0-9+.\-]*://[^\s/:@"']+:(?P<s>[^\s/@"']{3,})@"#),
];

static COMPILED: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let form = |&(kind, source): &(Kind, &str)| Some(Form { kind, regex: Regex::new(source).ok()? });
    FORMS.iter().filter_map(form).collect()
});

/// All places, in no order.
pub(super) fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for Form { kind, regex } in COMPILED.iter() {
        for captures in regex.captures_iter(text) {
            let Some(place) = captures.name("s").or_else(|| captures.get(0)) else { continue };
            found.push(Found { kind: *kind, bytes: place.range() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_can_be_read() {
        assert_eq!(COMPILED.len(), FORMS.len());
    }
}
