//! `casetrack rights`

use casetrack_core::Result;
use casetrack_engine::database_rights::{AdmittedRole, Right, RightsReport};
use casetrack_engine::{collections, database_rights};
use casetrack_text::format::visible;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::console::Console;
use crate::options::{InCollection, named};

/// List and change the rights to collections in a database
///
/// Each user is a role of the database. The role that creates a collection owns it, and gives other roles rights to it. The administrator
/// owns the tables, has all rights, and admits roles to the database.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Rights {
    #[command(subcommand)]
    action: RightsAction,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
enum RightsAction {
    /// List the roles that have a right to a collection; or, as the administrator, those that may use the database
    List {
        /// Name, ID or reference of the collection [default: list the roles that may use the database, and whether they may make collections]
        #[arg(short, long, value_name = "NAME")]
        collection: Option<String>,
    },
    /// Give a role a right to a collection; this replaces the right that it has
    Give {
        /// A role of the database, which may have others as members
        role: String,
        /// reader: searches, reads and exports; editor: adds, changes and removes documents as well; owner: also renames and deletes the collection
        /// and gives rights
        #[arg(value_name = "reader|editor|owner", value_parser = named::<Right>)]
        right: Right,
        #[command(flatten)]
        target: InCollection,
    },
    /// Revoke the right of a role to a collection
    Take {
        /// A role of the database
        role: String,
        #[command(flatten)]
        target: InCollection,
    },
    /// As the administrator, let a role use the database for collections
    ///
    /// The role must exist (CREATE ROLE anna LOGIN). To change whether it may create collections, admit it again.
    Admit {
        /// A role of the database
        role: String,
        /// The role may create collections
        #[arg(long)]
        collections: bool,
    },
    /// As the administrator, revoke all rights of a role, including the use of the database for collections
    Dismiss {
        /// A role of the database
        role: String,
    },
}

impl Rights {
    pub fn run(self, console: &Console) -> Result<u8> {
        match self.action {
            RightsAction::List { collection: Some(name) } => console.print(
                &database_rights::rights(console.host(), collections::find_collection(console.host(), &name)?.id)?,
                list,
            ),
            RightsAction::List { collection: None } => {
                console.print(&database_rights::admitted_roles(console.host())?, |roles| list_admitted(roles))
            }
            RightsAction::Give { role, right, target } => {
                let collection = target.find(&console.engine)?;
                database_rights::give_right(console.host(), collection.id, &role, right)?;
                let said =
                    format!("{} is now {} of \"{}\".", visible(&role), article(right), visible(&collection.name));
                console.print(&json!({"collection": collection.name, "role": role, "right": right}), |_| said)
            }
            RightsAction::Take { role, target } => {
                let collection = target.find(&console.engine)?;
                database_rights::take_right(console.host(), collection.id, &role)?;
                let said = format!(
                    "{} no longer has a right of its own to \"{}\". It keeps its rights as a member of other roles.",
                    visible(&role),
                    visible(&collection.name)
                );
                console.print(&json!({"collection": collection.name, "role": role, "right": null}), |_| said)
            }
            RightsAction::Admit { role, collections } => {
                database_rights::admit_role(console.host(), &role, collections)?;
                let makes = if collections { ", and may make collections" } else { "" };
                let said = format!(
                    "{} may use this database{makes}. Owners of collections give it rights to them.",
                    visible(&role)
                );
                console.print(&json!({"role": role, "admitted": true, "makes_collections": collections}), |_| said)
            }
            RightsAction::Dismiss { role } => {
                database_rights::dismiss_role(console.host(), &role)?;
                let said = format!("{} no longer has rights in this database.", visible(&role));
                console.print(&json!({"role": role, "admitted": false}), |_| said)
            }
        }
    }
}

fn article(right: Right) -> &'static str {
    match right {
        Right::Reader => "a reader",
        Right::Editor => "an editor",
        Right::Owner => "an owner",
    }
}

fn list(report: &RightsReport) -> String {
    let name = visible(&report.collection);
    if report.rights.is_empty() {
        return format!("Only the administrator of the database has a right to \"{name}\".");
    }
    let rights = report.rights.iter().map(|one| format!("\n  {}: {}", visible(&one.role), article(one.right)));
    format!(
        "Rights to \"{name}\":\n{}\n\nThe administrator of the database has all rights.",
        rights.collect::<String>()
    )
}

fn list_admitted(roles: &[AdmittedRole]) -> String {
    if roles.is_empty() {
        return "Only the administrator may use this database.".to_owned();
    }
    let line = |one: &AdmittedRole| {
        let makes = if one.makes_collections { ", and may make collections" } else { "" };
        format!("\n  {}{makes}", visible(&one.role))
    };
    format!(
        "Roles that may use this database:\n{}\n\nThe administrator of the database has all rights. To list the \
         rights to a collection: casetrack rights list -c NAME",
        roles.iter().map(line).collect::<String>()
    )
}
