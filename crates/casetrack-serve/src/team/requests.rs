//! Requests of this program: for the keys of a provider, to a remote server, and to a language model.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

pub(crate) fn is_local(address: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| {
        let rest = address.strip_prefix("http://").and_then(|rest| rest.strip_prefix(host));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    })
}

/// The HTTP client. Except to this machine it uses only HTTPS, with the authorities of the system. It follows no redirects.
pub(crate) fn agent(is_local: bool, patience: Duration) -> Agent {
    let found = rustls_native_certs::load_native_certs().certs;
    let certificates: Vec<_> = found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    let roots = match certificates.as_slice() {
        [] => RootCerts::WebPki,
        _ => RootCerts::Specific(Arc::new(certificates)),
    };
    let config = Agent::config_builder()
        .user_agent(concat!("casetrack/", env!("CARGO_PKG_VERSION")))
        .https_only(!is_local)
        .max_redirects(0)
        .timeout_global(Some(patience))
        .tls_config(TlsConfig::builder().root_certs(roots).build());
    if is_local { config.proxy(None).build().into() } else { config.build().into() }
}
