//! `casetrack users`: the users of a team server, and their permissions there.

use std::fmt::Write as _;

use casetrack_core::{CollectionId, Error, ErrorCode, Result, Timestamp};
use casetrack_engine::rights::Role;
use casetrack_engine::{Engine, collections};
use casetrack_serve::{User, Users as UserFile};
use casetrack_text::format::{counted, one_line};
use casetrack_text::terminal::{dim, strong};
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::named;

/// Manage the users of `casetrack serve`, and their roles in collections
///
/// Users are kept in users.json of the data directory, which has only digests of their tokens. A running server applies changes at once.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Users {
    #[command(subcommand)]
    change: Option<Change>,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
enum Change {
    /// List the users, with their roles (also without a command)
    List,
    /// Add a user, and show their token once
    Add(Add),
    /// Change the permissions of a user outside their roles, and how they sign in
    Set {
        /// Name of the user
        name: String,
        #[command(flatten)]
        changes: UserChanges,
    },
    /// Remove a user and end their sessions
    Remove {
        /// Name of the user
        name: String,
    },
    /// Make a new token for a user and show it; the old token stops working
    Token {
        /// Name of the user
        name: String,
    },
    /// Give a user a role in a collection; this replaces the role that they have
    Allow {
        /// Name of the user
        name: String,
        /// Name, ID or reference of the collection
        collection: String,
        /// reader (search, read, cite), editor (also add, change and remove documents, tags and evidence) or owner (also rename, close and delete
        /// the collection)
        #[arg(value_parser = named::<Role>)]
        role: Role,
    },
    /// Revoke a user's role in a collection: they no longer see the collection
    Deny {
        /// Name of the user
        name: String,
        /// Name, ID or reference of the collection
        collection: String,
    },
}

#[derive(Debug, Args, Serialize, Deserialize)]
struct Add {
    /// Name of the new user, without spaces, such as anna or anna@firm.example
    name: String,
    /// The user may create collections, and owns those
    #[arg(long)]
    collections: bool,
    /// The user owns all collections, and may use the tools that work with the disk of the server
    #[arg(long)]
    admin: bool,
    /// Create no token: the user signs in with the OpenID Connect provider of config.toml, which knows them by this name
    #[arg(long, value_name = "NAME")]
    oidc: Option<String>,
}

/// At least one of these; the others stay. If a user has fewer permissions afterwards, or signs in differently, their sessions end.
#[derive(Debug, Args, Serialize, Deserialize)]
#[group(required = true, multiple = true)]
struct UserChanges {
    /// The user may create collections, and owns those
    #[arg(long)]
    collections: bool,
    /// The user may no longer create collections; they keep those that they own
    #[arg(long, conflicts_with = "collections")]
    no_collections: bool,
    /// The user owns all collections, and may use the tools that work with the disk of the server
    #[arg(long)]
    admin: bool,
    /// The user has only the roles that they were given
    #[arg(long, conflicts_with = "admin")]
    no_admin: bool,
    /// The user can also sign in with the OpenID Connect provider of config.toml, which knows them by this name
    #[arg(long, value_name = "NAME")]
    oidc: Option<String>,
    /// The user can no longer sign in with the provider
    #[arg(long, conflicts_with = "oidc")]
    no_oidc: bool,
}

/// A user, as they are shown.
#[derive(Serialize)]
struct UserView {
    name: String,
    has_token: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    oidc: Option<String>,
    admin: bool,
    may_create: bool,
    created_at: Timestamp,
    roles: Vec<InCollection>,
}

#[derive(Serialize)]
struct InCollection {
    collection: CollectionId,
    /// `None` if it is gone, or a locked vault.
    name: Option<String>,
    role: Role,
}

#[derive(Serialize)]
struct WithToken {
    user: UserView,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl Users {
    pub fn may_be_repeated(&self) -> bool {
        !matches!(self.change, Some(Change::Add(_) | Change::Remove { .. } | Change::Token { .. }))
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let file = UserFile::new(&engine.host().config().data_dir);
        match self.change {
            None | Some(Change::List) => {
                let users: Vec<UserView> = file.all()?.iter().map(|user| shown(engine, user)).collect::<Result<_>>()?;
                console.print(&users, |users| list(users))
            }
            Some(Change::Add(add)) => add.run(&file, console),
            Some(Change::Set { name, changes }) => {
                let user = file.change(|users| {
                    let at = position(users, &name)?;
                    changes.apply(&mut users[at])?;
                    check_called(users, &users[at])?;
                    Ok(users[at].clone())
                })?;
                console.print(&shown(engine, &user)?, |user| list(std::slice::from_ref(user)))
            }
            Some(Change::Remove { name }) => {
                let user = file.change(|users| Ok(users.remove(position(users, &name)?)))?;
                let said = format!("Removed {}. Their sessions end.", strong(&user.name));
                console.print(&shown(engine, &user)?, |_| said)
            }
            Some(Change::Token { name }) => {
                let mut token = None;
                let user = change_user(&file, &name, |user| {
                    token = Some(user.new_token()?);
                    Ok(())
                })?;
                console.print(&WithToken { user: shown(engine, &user)?, token }, renewed)
            }
            Some(Change::Allow { name, collection, role }) => {
                let meta = collections::find_collection(engine.host(), &collection)?;
                let user = change_user(&file, &name, |user| {
                    user.roles.insert(meta.id, role);
                    Ok(())
                })?;
                let article = if role.name().starts_with(['e', 'o']) { "an" } else { "a" };
                let said =
                    format!("{} is now {article} {} of {}.", strong(&user.name), role.name(), one_line(&meta.name));
                console.print(&shown(engine, &user)?, |_| said)
            }
            Some(Change::Deny { name, collection }) => deny(&file, &name, &collection, console),
        }
    }
}

impl Add {
    fn run(self, file: &UserFile, console: &Console) -> Result<u8> {
        let mut user = User::new(&self.name)?;
        (user.admin, user.may_create) = (self.admin, self.collections);
        let token = match &self.oidc {
            Some(called) => user.set_provider_name(called).map(|()| None)?,
            None => Some(user.new_token()?),
        };
        file.change(|users| {
            if users.iter().any(|other| other.name == user.name) {
                let message = format!("There is already a user {}.", user.name);
                return Err(Error::new(ErrorCode::AlreadyExists, message)
                    .with_hint("Give them a new token with `casetrack users token NAME`, or choose another name."));
            }
            check_called(users, &user)?;
            users.push(user.clone());
            Ok(())
        })?;
        console.print(&WithToken { user: shown(&console.engine, &user)?, token }, added)
    }
}

fn deny(file: &UserFile, name: &str, collection: &str, console: &Console) -> Result<u8> {
    let engine = &console.engine;
    let id = found_or_gone(engine, collection)?;
    let user = change_user(file, name, |user| match user.roles.remove(&id) {
        Some(_) => Ok(()),
        None => Err(Error::new(ErrorCode::NotFound, format!("{name} has no role in this collection."))
            .with_hint("List the roles with `casetrack users list`.")),
    })?;
    let said = match user.admin {
        true => format!("{} has no role there, and owns the collection as an administrator.", strong(&user.name)),
        false => format!("{} no longer sees this collection.", strong(&user.name)),
    };
    console.print(&shown(engine, &user)?, |_| said)
}

/// Changes a user. Returns the changed one.
fn change_user(file: &UserFile, name: &str, change: impl FnOnce(&mut User) -> Result<()>) -> Result<User> {
    file.change(|users| {
        let at = position(users, name)?;
        change(&mut users[at])?;
        Ok(users[at].clone())
    })
}

impl UserChanges {
    fn apply(&self, user: &mut User) -> Result<()> {
        user.admin = self.admin || user.admin && !self.no_admin;
        user.may_create = self.collections || user.may_create && !self.no_collections;
        if let Some(called) = &self.oidc {
            user.set_provider_name(called)?;
        } else if self.no_oidc {
            user.oidc = None;
        }
        Ok(())
    }
}

/// Refuses a provider's name that another user has.
fn check_called(users: &[User], user: &User) -> Result<()> {
    let is_other = |other: &&User| other.name != user.name && user.oidc.is_some() && other.oidc == user.oidc;
    match users.iter().find(is_other) {
        None => Ok(()),
        Some(other) => {
            let message = format!("The user {} already has this name with the provider.", other.name);
            Err(Error::new(ErrorCode::AlreadyExists, message)
                .with_hint("Take it from that user with `casetrack users set NAME --no-oidc`, or remove them."))
        }
    }
}

fn position(users: &[User], name: &str) -> Result<usize> {
    users.iter().position(|user| user.name == name).ok_or_else(|| {
        Error::new(ErrorCode::NotFound, format!("There is no user \"{}\".", one_line(name)))
            .with_hint("List the users with `casetrack users list`.")
    })
}

/// The collection of this name or id, or the given id if the collection is gone.
fn found_or_gone(engine: &Engine, collection: &str) -> Result<CollectionId> {
    match collections::find_collection(engine.host(), collection) {
        Ok(meta) => Ok(meta.id),
        Err(error) => collection.parse().map_err(|_| error),
    }
}

fn shown(engine: &Engine, user: &User) -> Result<UserView> {
    let all = collections::collections(engine.host())?;
    let named = |id: &CollectionId| all.iter().find(|meta| meta.id == *id).map(|meta| meta.name.clone());
    let roles = user.roles.iter().map(|(id, role)| InCollection { collection: *id, name: named(id), role: *role });
    Ok(UserView {
        name: user.name.clone(),
        has_token: user.token_sha256.is_some(),
        oidc: user.oidc.clone(),
        admin: user.admin,
        may_create: user.may_create,
        created_at: user.created_at,
        roles: roles.collect(),
    })
}

fn list(users: &[UserView]) -> String {
    if users.is_empty() {
        return "There are no users.\n\nAdd one with `casetrack users add NAME`.".to_owned();
    }
    let mut text = counted(users.len() as u64, "user");
    text.push('\n');
    for user in users {
        let _ = write!(text, "\n{}", strong(&user.name));
        let by = match (&user.oidc, user.has_token) {
            (Some(called), false) => format!("by OpenID Connect as {called}"),
            (Some(called), true) => format!("by token, or by OpenID Connect as {called}"),
            (None, true) => "by token".to_owned(),
            (None, false) => "cannot sign in: has no token".to_owned(),
        };
        let _ = write!(text, "  {}", dim(&by));
        if user.admin {
            text.push_str("\n  administrator: owns all collections");
        }
        if user.may_create {
            text.push_str("\n  may make collections");
        }
        for role in &user.roles {
            let named = role.name.as_deref().map(one_line);
            let named =
                named.map_or_else(|| format!("{} (gone, or locked)", role.collection), |name| name.into_owned());
            let _ = write!(text, "\n  {} of {named}", role.role.name());
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn added(added: &WithToken) -> String {
    let name = strong(&added.user.name);
    let next = match added.user.admin {
        true => String::new(),
        false => format!(
            "\n\nGive them a role in a collection with `casetrack users allow {} COLLECTION reader`.",
            added.user.name
        ),
    };
    match &added.token {
        Some(token) => format!("Added {name}. Their token, which is not shown again:\n\n{token}{next}"),
        None => format!("Added {name}, who signs in with OpenID Connect.{next}"),
    }
}

fn renewed(renewed: &WithToken) -> String {
    let token = renewed.token.as_deref().unwrap_or_default();
    format!(
        "The new token of {}, which is not shown again; the old token no longer works:\n\n{token}",
        strong(&renewed.user.name)
    )
}
