//! A team server: its users, their authentication, refusals, and TLS.

mod oidc;
mod refusals;
pub(crate) mod requests;
mod signatures;
mod tls;
mod users;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::settings::ServeSettings;
use casetrack_core::{CollectionId, Result};
use casetrack_engine::rights::{People, Rights, Role};
use casetrack_mcp::Member;

pub use self::oidc::Oidc;
pub(crate) use self::oidc::TokenSubject;
pub(crate) use self::refusals::Refusals;
pub use self::tls::Certificate;
pub use self::users::{User, Users};

/// A user of this server, by name. Their rights are read again at every call.
pub(crate) struct TeamUser {
    pub users: Arc<Users>,
    pub name: String,
    pub refusals: Arc<Refusals>,
}

impl TeamUser {
    fn user(&self) -> Option<User> {
        self.users.find(&self.name)
    }
}

impl Member for TeamUser {
    fn may_create(&self) -> bool {
        self.user().is_some_and(|user| user.admin || user.may_create)
    }

    fn record_refusal(&self, reason: &str) {
        self.refusals.record(reason, Some(&self.name), None);
    }
}

impl Rights for TeamUser {
    fn user(&self) -> &str {
        &self.name
    }

    fn role(&self, collection: CollectionId) -> Option<Role> {
        self.users.role(&self.name, collection)
    }

    fn has_disk(&self) -> bool {
        self.user().is_some_and(|user| user.admin)
    }

    fn made(&self, collection: CollectionId) -> Result<()> {
        self.users.change(|users| {
            if let Some(user) = users.iter_mut().find(|user| user.name == self.name) {
                user.roles.insert(collection, Role::Owner);
            }
            Ok(())
        })
    }
}

/// The users of a data directory, for their jobs.
pub struct JobOwners {
    users: Arc<Users>,
    folders: Vec<PathBuf>,
}

impl JobOwners {
    pub fn new(data_dir: &Path, serve: &ServeSettings) -> Self {
        Self { users: Arc::new(Users::new(data_dir)), folders: serve.folders.clone() }
    }
}

impl People for JobOwners {
    fn rights(&self, user: &str) -> Option<Arc<dyn Rights>> {
        self.users.find(user)?;
        let refusals = Arc::new(Refusals::new(None));
        Some(Arc::new(TeamUser { users: Arc::clone(&self.users), name: user.to_owned(), refusals }))
    }

    fn folders(&self) -> &[PathBuf] {
        &self.folders
    }
}
