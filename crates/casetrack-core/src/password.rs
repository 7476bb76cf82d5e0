//! The password of a protected file.

use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroize;

/// A password that does not show in logs and is overwritten in memory when it is dropped.
///
/// It is serialised in clear text, only for the pipe to a worker process.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Password(String);

impl Password {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for Password {
    fn from(password: String) -> Self {
        Self(password)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Drop for Password {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_does_not_show() {
        let shown =
            format!("{:?} {:#?}", Password::from("secret".to_owned()), Some(Password::from("secret".to_owned())));
        assert!(shown.contains("***") && !shown.contains("secret"), "{shown}");
    }
}
