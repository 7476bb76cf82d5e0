//! The certificate of a server, read again when its files change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use casetrack_core::{Error, ErrorCode, Result};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate with its key, in two files.
pub struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<(Modified, Arc<ServerConfig>)>,
}

type Modified = [Option<SystemTime>; 2];

impl Certificate {
    /// Reads both files, in PEM format: the certificate chain and the key.
    ///
    /// Errors: files that cannot be read, and those that do not belong together.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self> {
        let current = RwLock::new((modified(certificate, key), read(certificate, key)?));
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&current.1))
    }

    /// Reloads the files, if they have changed. Blocks.
    pub(crate) fn refresh(&self) {
        let found = modified(&self.certificate, &self.key);
        if self.current.read().unwrap_or_else(PoisonError::into_inner).0 == found {
            return;
        }
        let read = read(&self.certificate, &self.key);
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        current.0 = found;
        match read {
            Ok(config) => current.1 = config,
            // Perhaps only one of both is new as yet.
            Err(error) => tracing::warn!(%error, "the certificate stays the one that was read before"),
        }
    }
}

fn modified(certificate: &Path, key: &Path) -> Modified {
    [certificate, key].map(|file| file.metadata().and_then(|metadata| metadata.modified()).ok())
}

fn read(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let unreadable = |what: &str, path: &Path, why: &dyn std::fmt::Display| {
        let message = format!("The {what} of the server cannot be read from {}: {why}.", path.display());
        Error::new(ErrorCode::FileNotFound, message).with_hint("Check the path, and that the file is in PEM format.")
    };
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| unreadable("certificate", certificate, &error))?;
    if chain.is_empty() {
        return Err(unreadable("certificate", certificate, &"there is none in it"));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("private key", key, &error))?;
    let internal = |error: rustls::Error| Error::internal(format!("TLS cannot be set up: {error}."));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = builder.map_err(internal)?.with_no_client_auth().with_single_cert(chain, private);
    let mut config = config.map_err(|error| {
        let message = format!("{} and {} cannot be used: {error}.", certificate.display(), key.display());
        Error::invalid(message).with_hint("Name a certificate and the private key that belongs to it.")
    })?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(Arc::new(config))
}
