//! TLS to the server, with rustls: as much of the server's certificate is checked as `sslmode` in the address asks for, by the rules of libpq.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Error, ErrorCode, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::sslmode::{Mode, TlsOptions};

/// The name of PostgreSQL in the handshake, which `sslnegotiation=direct` needs.
const PROTOCOL: &[u8] = b"postgresql";

pub(crate) fn connector(wanted: &TlsOptions) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let versions = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let versions = versions.map_err(|error| Error::internal(format!("TLS cannot be set up: {error}.")))?;
    let verifier = verifier(wanted, provider, algorithms)?;
    let builder = versions.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = match (&wanted.certificate, &wanted.key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let read = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("private key", key, &error))?;
            builder
                .with_client_auth_cert(certificates(certificate)?, read)
                .map_err(|error| unreadable("certificate and key", certificate, &error))?
        }
        _ => {
            return Err(Error::invalid("The address of the PostgreSQL server has a certificate without its key, or a key without its certificate.")
                .with_hint("Name both: sslcert and sslkey."));
        }
    };
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

fn verifier(
    wanted: &TlsOptions,
    provider: Arc<CryptoProvider>,
    algorithms: WebPkiSupportedAlgorithms,
) -> Result<Arc<dyn ServerCertVerifier>> {
    let authorities = match wanted.mode {
        Mode::Disable | Mode::Prefer => None,
        // As libpq: a file of authorities is there to be used.
        Mode::Require => match &wanted.authorities {
            Some(file) => Some(roots(file)?),
            None => default_file().filter(|file| file.exists()).map(|file| roots(&file)).transpose()?,
        },
        Mode::VerifyCa | Mode::VerifyFull => Some(match &wanted.authorities {
            Some(file) => roots(file)?,
            None => roots(&default_file().ok_or_else(without_authorities)?)?,
        }),
    };
    let Some(authorities) = authorities else {
        return Ok(Arc::new(Lenient { algorithms, authorities: None }));
    };
    let strict = WebPkiServerVerifier::builder_with_provider(Arc::new(authorities), provider).build();
    let strict = strict.map_err(|error| Error::internal(format!("TLS cannot be set up: {error}.")))?;
    match wanted.mode {
        Mode::VerifyFull => Ok(strict),
        _ => Ok(Arc::new(Lenient { algorithms, authorities: Some(strict) })),
    }
}

fn without_authorities() -> Error {
    Error::invalid("The address of the PostgreSQL server requires a check of its certificate, but names no authority.")
        .with_hint("Name the file of its authority as sslrootcert, or write sslrootcert=system.")
}

/// The default file of authorities in libpq.
fn default_file() -> Option<PathBuf> {
    match cfg!(windows) {
        true => Some(PathBuf::from(std::env::var_os("APPDATA")?).join("postgresql").join("root.crt")),
        false => Some(PathBuf::from(std::env::var_os("HOME")?).join(".postgresql").join("root.crt")),
    }
}

fn unreadable(what: &str, path: &Path, why: &dyn std::fmt::Display) -> Error {
    let message = format!("The {what} for the PostgreSQL server cannot be read from {}: {why}.", path.display());
    Error::new(ErrorCode::FileNotFound, message)
        .with_hint("Check the path in the address, and that the file is in PEM format.")
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
    match read {
        Ok(read) if read.is_empty() => Err(unreadable("certificate", path, &"there is none in it")),
        read => read.map_err(|error| unreadable("certificate", path, &error)),
    }
}

fn roots(file: &Path) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    if file == "system" {
        let found = rustls_native_certs::load_native_certs();
        if roots.add_parsable_certificates(found.certs).0 == 0 {
            let why = found.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            return Err(Error::new(
                ErrorCode::MissingDependency,
                format!("The system has no certificates of authorities{why}."),
            )
            .with_hint("Install them (the package ca-certificates), or name a file as sslrootcert."));
        }
        return Ok(roots);
    }
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|error| unreadable("certificate", file, &error))?;
    }
    Ok(roots)
}

/// Checks that the server has the key of its certificate, and whether that comes from one of the `authorities`, if
/// there are any. For which host it is does not matter.
#[derive(Debug)]
struct Lenient {
    algorithms: WebPkiSupportedAlgorithms,
    authorities: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(authorities) = &self.authorities else { return Ok(ServerCertVerified::assertion()) };
        // The name is the last thing that is checked.
        match authorities.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
