//! `sslmode` in the address has its meaning of libpq. The server of the tests was built without TLS, so the TLS part of
//! a server is done here, and the rest is passed to that server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use casetrack_core::{ErrorCode, Result};
use casetrack_postgres::PostgresStore;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsAcceptor;

use crate::own_server::OwnServer;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn issued(authority: &Authority, name: &str) -> (rcgen::Certificate, KeyPair) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, authority).unwrap(), key)
}

/// The first message of a client that wants TLS: the length of the message, and a number for the request.
const REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// The first byte of TLS, if it was not requested first.
const HANDSHAKE: u8 = 0x16;

/// A server with a certificate for `localhost`, unless it has no TLS.
struct Secured {
    port: u16,
    /// Connections with TLS, and without.
    connections: Arc<[AtomicU32; 2]>,
    files: tempfile::TempDir,
    _runtime: tokio::runtime::Runtime,
    server: OwnServer,
}

#[derive(Clone, Copy, PartialEq)]
enum Tls {
    None,
    Offered,
    /// Of clients with a certificate.
    Mutual,
}

impl Secured {
    fn new(tls: Tls) -> Option<Self> {
        let server = OwnServer::for_tests("-c fsync=off")?;
        let (ours, other) = (authority("ours"), authority("another"));
        let files = tempfile::tempdir().unwrap();
        let (own, own_key) = issued(&ours, "casetrack");
        for (name, content) in [
            ("ours.crt", ours.pem()),
            ("other.crt", other.pem()),
            ("own.crt", own.pem()),
            ("own.key", own_key.serialize_pem()),
        ] {
            std::fs::write(files.path().join(name), content).unwrap();
        }
        let acceptor = (tls != Tls::None).then(|| acceptor(&ours, tls));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (connections, socket) = (Arc::<[AtomicU32; 2]>::default(), server.socket());
        let counted = Arc::clone(&connections);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, socket, counted) = (acceptor.clone(), socket.clone(), Arc::clone(&counted));
                // Clients that are refused go away.
                tokio::spawn(async move { passed_on(stream, acceptor, &socket, &counted).await.ok() });
            }
        });
        Some(Self { port, connections, files, _runtime: runtime, server })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    fn connect(&self, host: &str, settings: &str) -> Result<PostgresStore> {
        let address = format!("postgres://casetrack@{host}:{}/postgres?{settings}", self.port);
        PostgresStore::connect(&address, &self.file("files"))
    }

    /// True if a store connects with TLS, and not without it.
    fn is_encrypted(&self, host: &str, settings: &str) -> bool {
        let count = || [0, 1].map(|n| self.connections[n].load(Ordering::SeqCst));
        let before = count();
        self.connect(host, settings).unwrap();
        let after = count();
        match [0, 1].map(|n: usize| after[n] > before[n]) {
            [true, false] => true,
            [false, true] => false,
            both => panic!("{both:?}"),
        }
    }

    fn refused(&self, host: &str, settings: &str) -> String {
        let error = self.connect(host, settings).err().expect("refused");
        assert_eq!(error.code, ErrorCode::Network, "{error}");
        assert!(error.hint.is_some(), "{error}");
        error.message
    }
}

fn acceptor(ours: &Authority, tls: Tls) -> TlsAcceptor {
    let (certificate, key) = issued(ours, "localhost");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
    let builder = match tls {
        Tls::Mutual => {
            let mut roots = rustls::RootCertStore::empty();
            let authority: &rcgen::Certificate = ours.as_ref();
            roots.add(authority.der().clone()).unwrap();
            builder.with_client_cert_verifier(
                WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build().unwrap(),
            )
        }
        _ => builder.with_no_client_auth(),
    };
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

async fn passed_on(
    mut stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    socket: &Path,
    [encrypted, plain]: &[AtomicU32; 2],
) -> std::io::Result<()> {
    let mut first = [0; 8];
    let is_direct = stream.peek(&mut first[..1]).await? == 1 && first[0] == HANDSHAKE;
    if !is_direct {
        while stream.peek(&mut first).await? < first.len() {}
        if first == REQUEST {
            stream.read_exact(&mut first).await?;
            stream.write_all(if acceptor.is_some() { b"S" } else { b"N" }).await?;
        }
    }
    let mut server = UnixStream::connect(socket).await?;
    match acceptor {
        Some(acceptor) if is_direct || first == REQUEST => {
            let mut stream = acceptor.accept(stream).await?;
            encrypted.fetch_add(1, Ordering::SeqCst);
            copy_bidirectional(&mut stream, &mut server).await?;
        }
        _ => {
            plain.fetch_add(1, Ordering::SeqCst);
            copy_bidirectional(&mut stream, &mut server).await?;
        }
    }
    Ok(())
}

fn named(path: &Path) -> String {
    format!("&sslrootcert={}", path.display())
}

#[test]
fn certificates_are_checked_as_the_address_asks() {
    let Some(secured) = Secured::new(Tls::Offered) else { return };
    let (ours, other) = (named(&secured.file("ours.crt")), named(&secured.file("other.crt")));
    // The certificate is for localhost.
    let (right, wrong) = ("localhost", "127.0.0.1");
    assert!(!secured.is_encrypted(wrong, "sslmode=disable"));
    assert!(secured.is_encrypted(wrong, "sslmode=prefer"));
    assert!(secured.is_encrypted(wrong, ""));
    assert!(secured.is_encrypted(wrong, &format!("sslmode=require{ours}")));
    assert!(secured.is_encrypted(wrong, &format!("sslmode=verify-ca{ours}")));
    assert!(secured.is_encrypted(right, &format!("sslmode=verify-full{ours}")));
    assert!(secured.is_encrypted(right, &format!("sslmode=verify-full&sslnegotiation=direct{ours}")));
    for mode in ["require", "verify-ca", "verify-full"] {
        let told = secured.refused(right, &format!("sslmode={mode}{other}"));
        assert!(told.contains("certificate") && told.contains("not accepted"), "{mode}: {told}");
    }
    let told = secured.refused(wrong, &format!("sslmode=verify-full{ours}"));
    assert!(told.contains("localhost"), "{told}");
    let absent = secured.connect(right, "sslmode=verify-full&sslrootcert=/nowhere/ca.crt").err().unwrap();
    assert!(absent.message.contains("/nowhere/ca.crt"), "{absent}");
}

#[test]
fn clients_have_certificates_too() {
    let Some(secured) = Secured::new(Tls::Mutual) else { return };
    let settings = format!("sslmode=verify-full{}", named(&secured.file("ours.crt")));
    assert!(secured.connect("localhost", &settings).is_err());
    let certificate = format!("{settings}&sslcert={}", secured.file("own.crt").display());
    assert_eq!(secured.connect("localhost", &certificate).err().unwrap().code, ErrorCode::InvalidArgument);
    assert!(secured.is_encrypted("localhost", &format!("{certificate}&sslkey={}", secured.file("own.key").display())));
}

#[test]
fn a_server_without_tls_is_refused_where_tls_is_asked_for() {
    let Some(secured) = Secured::new(Tls::None) else { return };
    assert!(!secured.is_encrypted("localhost", "sslmode=prefer"));
    assert!(!secured.is_encrypted("localhost", "sslmode=disable"));
    let told = secured.refused("localhost", "sslmode=require");
    assert!(told.contains("does not offer"), "{told}");
    // Sockets of this machine need none.
    let address = secured.server.address("postgres") + "?sslmode=require";
    PostgresStore::connect(&address, &secured.file("files")).unwrap();
}
