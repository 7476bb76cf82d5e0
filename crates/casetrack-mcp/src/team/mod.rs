//! A server for a team: its users, what each of their calls needs, how they prove who they are, and TLS.

mod needs;
mod oidc;
pub(crate) mod outgoing;
mod refusals;
mod signatures;
mod tls;
mod users;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_engine::rights::{People, Rights, Role, Sight};
use casetrack_engine::{Engine, EngineConfig};

pub(crate) use self::needs::Need;
pub(crate) use self::oidc::Holder;
pub use self::oidc::Oidc;
pub(crate) use self::refusals::Refusals;
pub use self::tls::Certificate;
pub use self::users::{User, Users};
use crate::settings::Serve;

/// A user of this server, by name. What they may do is read anew at every call.
pub(crate) struct Person {
    pub users: Arc<Users>,
    pub name: String,
}

impl Person {
    fn user(&self) -> Option<User> {
        self.users.find(&self.name)
    }

    pub fn is_admin(&self) -> bool {
        self.user().is_some_and(|user| user.admin)
    }

    pub fn may_create(&self) -> bool {
        self.user().is_some_and(|user| user.admin || user.may_create)
    }
}

impl Rights for Person {
    fn user(&self) -> &str {
        &self.name
    }

    fn role(&self, collection: CollectionId) -> Option<Role> {
        self.users.role(&self.name, collection)
    }

    fn has_disk(&self) -> bool {
        self.is_admin()
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

/// The users of a data directory, for jobs that they asked for.
pub struct Askers {
    users: Arc<Users>,
    folders: Vec<PathBuf>,
}

impl Askers {
    pub fn new(data_dir: &Path, serve: &Serve) -> Self {
        Self { users: Arc::new(Users::new(data_dir)), folders: serve.folders.clone() }
    }
}

impl People for Askers {
    fn rights(&self, user: &str) -> Option<Arc<dyn Rights>> {
        self.users.find(user)?;
        Some(Arc::new(Person { users: Arc::clone(&self.users), name: user.to_owned() }))
    }

    fn folders(&self) -> &[PathBuf] {
        &self.folders
    }
}

/// The engines of a user's session, one for each role that a call can need.
pub(crate) struct Engines {
    pub person: Arc<Person>,
    reading: Arc<Engine>,
    editing: Arc<Engine>,
    owning: Arc<Engine>,
}

impl Engines {
    pub fn new(engine: &Engine, person: Arc<Person>, serve: &Serve) -> Self {
        let of = |needed: Role| {
            let sight = Sight::of(Arc::clone(&person) as Arc<dyn Rights>, needed);
            let access = engine.host().config().access.clone().for_user(sight.clone(), &serve.folders);
            Arc::new(engine.with_config(EngineConfig { sight, access, ..engine.host().config().clone() }))
        };
        let (reading, editing, owning) = (of(Role::Reader), of(Role::Editor), of(Role::Owner));
        Self { person, reading, editing, owning }
    }

    pub fn of(&self, role: Role) -> &Arc<Engine> {
        match role {
            Role::Reader => &self.reading,
            Role::Editor => &self.editing,
            Role::Owner => &self.owning,
        }
    }

    /// The engine for a tool. It refuses collections in which the user's role is not enough.
    ///
    /// Errors: [`ErrorCode::AccessDenied`] for what the user may not do at all.
    pub fn for_tool(&self, tool: &str) -> Result<&Arc<Engine>> {
        let need = Need::of(tool);
        match need {
            Some(Need::Role(role)) => Ok(self.of(role)),
            Some(Need::Create) if self.person.may_create() => Ok(self.of(Role::Reader)),
            Some(Need::Disk) if self.person.is_admin() => Ok(self.of(Role::Owner)),
            Some(Need::Create) => Err(denied(tool, "makes collections")),
            Some(Need::Disk) => Err(denied(tool, "works with the disk of the server")),
            // A new tool that says nothing is for nobody.
            None => Err(denied(tool, "is not offered on a server")),
        }
    }
}

fn denied(tool: &str, why: &str) -> Error {
    Error::new(ErrorCode::AccessDenied, format!("{tool} {why}, which you may not do on this server."))
        .with_hint("Ask the administrator of the server.")
}
