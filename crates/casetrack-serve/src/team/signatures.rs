//! The signatures of JSON web tokens, checked with ring: only its algorithms for RSA and ECDSA, and none with a shared secret.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

pub(super) const ALLOWED: [Algorithm; 8] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
];

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes the library check signatures here.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    // It fails only if a provider is already installed, and only this code installs one.
    INSTALLED.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    match method(*algorithm) {
        Some(method) => Ok(Box::new(Checked { algorithm: *algorithm, method, key: key.clone() })),
        None => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

enum Method {
    Rsa(&'static RsaParameters),
    Ecdsa(&'static dyn VerificationAlgorithm),
}

fn method(algorithm: Algorithm) -> Option<Method> {
    Some(match algorithm {
        Algorithm::RS256 => Method::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Method::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Method::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Method::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Method::Rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Method::Rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Method::Ecdsa(&ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Method::Ecdsa(&ECDSA_P384_SHA384_FIXED),
        _ => return None,
    })
}

struct Checked {
    algorithm: Algorithm,
    method: Method,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Checked {
    fn verify(&self, message: &[u8], given: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (&self.method, self.key.kind()) {
            (Method::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, given)
            }
            (Method::Ecdsa(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, given)
            }
            // A key of another kind.
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Checked {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
