//! The user of a team server, for a session, and the engines that limit the session to their rights.

use std::sync::Arc;

use casetrack_core::settings::ServeSettings;
use casetrack_core::{Error, ErrorCode, Result};
use casetrack_engine::rights::{Rights, Role, Sight};
use casetrack_engine::{Engine, EngineConfig};

/// The rights that a user of a team server needs to call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// This role in the collection of the call. Lists of collections, jobs and watches show those that the user may read.
    Role(Role),
    Create,
    /// The rights of an administrator: the tool works with the disk of the server, or with data that all users share.
    Disk,
}

impl Need {
    pub const READ: Self = Self::Role(Role::Reader);
    /// For files that the user uploaded or that are in folders of the settings: see `Access::for_user`.
    pub const EDIT: Self = Self::Role(Role::Editor);
    pub const OWN: Self = Self::Role(Role::Owner);
    pub const CREATE: Self = Self::Create;
    pub const DISK: Self = Self::Disk;
}

/// A user of a server. A user with the right to the disk is an administrator. Rights are read again at every call.
pub trait Member: Rights {
    fn may_create(&self) -> bool;

    fn record_refusal(&self, reason: &str);
}

/// The engines of a user's session, one for each role that a call can need.
pub(crate) struct Engines {
    pub member: Arc<dyn Member>,
    reading: Arc<Engine>,
    editing: Arc<Engine>,
    owning: Arc<Engine>,
}

impl Engines {
    pub fn new(engine: &Engine, member: Arc<dyn Member>, serve: &ServeSettings) -> Self {
        let of = |needed: Role| {
            let sight = Sight::of(Arc::clone(&member) as Arc<dyn Rights>, needed);
            let access = engine.host().config().access.clone().for_user(sight.clone(), &serve.folders);
            Arc::new(engine.with_config(EngineConfig { sight, access, ..engine.host().config().clone() }))
        };
        let (reading, editing, owning) = (of(Role::Reader), of(Role::Editor), of(Role::Owner));
        Self { member, reading, editing, owning }
    }

    pub fn of(&self, role: Role) -> &Arc<Engine> {
        match role {
            Role::Reader => &self.reading,
            Role::Editor => &self.editing,
            Role::Owner => &self.owning,
        }
    }

    /// The engine for a tool. It refuses collections in which the user's role is too low.
    ///
    /// Errors: [`ErrorCode::AccessDenied`] if the user may not call the tool in any collection.
    pub fn for_tool(&self, tool: &str, need: Need) -> Result<&Arc<Engine>> {
        let purpose = match need {
            Need::Role(role) => return Ok(self.of(role)),
            Need::Create if self.member.may_create() => return Ok(self.of(Role::Reader)),
            Need::Disk if self.member.has_disk() => return Ok(self.of(Role::Owner)),
            Need::Create => "makes collections",
            Need::Disk => "works with the disk of the server",
        };
        let message = format!("{tool} {purpose}, which you may not do on this server.");
        Err(Error::new(ErrorCode::AccessDenied, message).with_hint("Ask the administrator of the server."))
    }
}
