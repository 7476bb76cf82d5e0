//! Passwords that are kept in the places of PostgreSQL's clients, so that no address has to hold one: `PGPASSWORD`,
//! else the file that `PGPASSFILE` names, else `~/.pgpass` (on Windows `%APPDATA%\postgresql\pgpass.conf`).

use std::path::{Path, PathBuf};

/// The password of a user of a database, for the first of these hosts and ports with a stored password.
pub(crate) fn find(places: &[(String, u16)], database: &str, user: Option<&str>) -> Option<String> {
    if let Some(password) = std::env::var("PGPASSWORD").ok().filter(|password| !password.is_empty()) {
        return Some(password);
    }
    let file = file()?;
    let text = std::fs::read_to_string(&file).ok()?;
    if !is_private(&file) {
        tracing::warn!(file = %file.display(), "a file of passwords is left out, since others may read it: give it the mode 0600");
        return None;
    }
    let own = std::env::var("USER").ok();
    let user = user.or(own.as_deref()).unwrap_or_default();
    places.iter().find_map(|(host, port)| look_up(&text, host, *port, database, user))
}

fn file() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("PGPASSFILE").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    match cfg!(windows) {
        true => std::env::var_os("APPDATA").map(|data| Path::new(&data).join("postgresql").join("pgpass.conf")),
        false => std::env::var_os("HOME").map(|home| Path::new(&home).join(".pgpass")),
    }
}

#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

/// The password of the first line `host:port:database:user:password` that fits, in which `*` fits everything.
fn look_up(text: &str, host: &str, port: u16, database: &str, user: &str) -> Option<String> {
    let port = port.to_string();
    // Clients write the usual folder of sockets so.
    let hosts = if Path::new(host).is_absolute() { [host, "localhost"] } else { [host, host] };
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let [of_host, of_port, of_database, of_user, password] = fields.as_slice() else { return None };
        let fits = |field: &String, value: &str| field == "*" || field == value;
        let all = hosts.iter().any(|host| fits(of_host, host))
            && fits(of_port, &port)
            && fits(of_database, database)
            && fits(of_user, user);
        all.then(|| password.clone())
    })
}

/// The fields of a line, in which `\` escapes a colon or another `\`.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut chars) = (Vec::new(), String::new(), line.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => field.extend(chars.next()),
            ':' if fields.len() < 4 => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text = "# a comment\ndb:5432:matters:ann:one\ndb:*:*:ann:t\\:w\\\\o\nlocalhost:*:*:ben:three\n*:*:*:carl\n";
        let found = |host, port, database, user| look_up(text, host, port, database, user);
        assert_eq!(found("db", 5432, "matters", "ann").as_deref(), Some("one"));
        assert_eq!(found("db", 5433, "matters", "ann").as_deref(), Some("t:w\\o"));
        assert_eq!(found("/run/postgresql", 5432, "matters", "ben").as_deref(), Some("three"));
        assert_eq!(found("db", 5432, "matters", "ben"), None);
        assert_eq!(found("db", 5432, "matters", "carl"), None);
    }
}
