//! Vaults that the keychain of the system opens: with GNOME Keyring if it is installed, and everywhere without any keychain.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use casetrack_vault::header::{Credential, Header, Protector, SlotId};
use casetrack_vault::keychain::KeychainSecret;
use casetrack_vault::passphrase::Passphrase;
use dbus::Path as ObjectPath;
use dbus::arg::{RefArg, Variant};
use dbus::blocking::{Connection, Proxy};
use dbus::channel::Channel;
use serde_json::Value;

use crate::client::{PATIENCE, casetrack, run, run_json};
use crate::vault::{NAME, PASSPHRASE, new_vault};

const QUESTION: &str = "with the keychain of this computer? [Y/n] ";
const PROMPT: &str = "Passphrase: ";

/// A session of a desktop: a bus of its own, and what is on it.
struct Desktop {
    address: String,
    home: tempfile::TempDir,
    children: Vec<Child>,
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Desktop {
    /// One with an unlocked keychain; `None` if something for it is not installed.
    fn start() -> Option<Self> {
        for program in ["dbus-daemon", "gnome-keyring-daemon", "script"] {
            let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            if !found.is_ok_and(|status| status.success()) {
                println!("skipped: {program} is not installed (Debian: dbus, gnome-keyring, bsdutils)");
                return None;
            }
        }
        let home = tempfile::tempdir().unwrap();
        let mut bus = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address"])
            .env("HOME", home.path())
            .env("XDG_DATA_HOME", home.path())
            .env("XDG_RUNTIME_DIR", home.path())
            .stdout(Stdio::piped())
            // It reports every program that it starts, and those that find no screen.
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let mut desktop = Self { address: address.trim().to_owned(), home, children: vec![bus] };
        let mut keyring = desktop.on_bus(Command::new("gnome-keyring-daemon"));
        keyring.args(["--foreground", "--unlock", "--components=secrets", "--control-directory"]);
        keyring.arg(desktop.home.path()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut keyring = keyring.spawn().unwrap();
        keyring.stdin.take().unwrap().write_all(b"of the login").unwrap();
        desktop.children.push(keyring);
        let deadline = Instant::now() + PATIENCE;
        let connection = desktop.connection();
        let names = connection.with_proxy("org.freedesktop.DBus", "/org/freedesktop/DBus", PATIENCE);
        loop {
            let (has,): (bool,) =
                names.method_call("org.freedesktop.DBus", "NameHasOwner", ("org.freedesktop.secrets",)).unwrap();
            if has {
                return Some(desktop);
            }
            assert!(Instant::now() < deadline, "the keychain does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn on_bus(&self, mut command: Command) -> Command {
        for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
            command.env(name, self.home.path());
        }
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }

    fn connection(&self) -> Connection {
        let mut channel = Channel::open_private(&self.address).unwrap();
        channel.register().unwrap();
        Connection::from(channel)
    }

    /// The entries of CaseTrack.
    fn entries(&self, connection: &Connection) -> Vec<ObjectPath<'static>> {
        let wanted = HashMap::from([("service", "CaseTrack")]);
        let (unlocked, locked): (Vec<ObjectPath>, Vec<ObjectPath>) = secrets(connection, "/org/freedesktop/secrets")
            .method_call("org.freedesktop.Secret.Service", "SearchItems", (wanted,))
            .unwrap();
        unlocked.into_iter().chain(locked).collect()
    }

    /// Replaces a secret as another program does.
    fn overwrite(&self, secret: &str) {
        let connection = self.connection();
        let (_, session): (Variant<Box<dyn RefArg>>, ObjectPath) = secrets(&connection, "/org/freedesktop/secrets")
            .method_call("org.freedesktop.Secret.Service", "OpenSession", ("plain", Variant("")))
            .unwrap();
        let [entry] = &self.entries(&connection)[..] else { panic!("one entry") };
        let value = (session, Vec::<u8>::new(), secret.as_bytes().to_vec(), "text/plain");
        let _: () =
            secrets(&connection, entry).method_call("org.freedesktop.Secret.Item", "SetSecret", (value,)).unwrap();
    }

    fn count(&self) -> usize {
        self.entries(&self.connection()).len()
    }

    fn delete_entries(&self) {
        let connection = self.connection();
        for entry in self.entries(&connection) {
            let _: (ObjectPath,) =
                secrets(&connection, &entry).method_call("org.freedesktop.Secret.Item", "Delete", ()).unwrap();
        }
    }

    fn lock(&self) {
        let connection = self.connection();
        let keyrings = vec![ObjectPath::from("/org/freedesktop/secrets/collection/login")];
        let (locked, _): (Vec<ObjectPath>, ObjectPath) = secrets(&connection, "/org/freedesktop/secrets")
            .method_call("org.freedesktop.Secret.Service", "Lock", (keyrings,))
            .unwrap();
        assert_eq!(locked.len(), 1);
    }
}

fn secrets<'c>(connection: &'c Connection, path: &'c str) -> Proxy<'c, &'c Connection> {
    connection.with_proxy("org.freedesktop.secrets", path, PATIENCE)
}

/// A command at a terminal, with a person who reads what it says before they type.
struct AtTerminal {
    child: Child,
    stdin: ChildStdin,
    output: Receiver<Vec<u8>>,
    said: String,
}

impl AtTerminal {
    /// `address` is the address of the bus.
    fn start(home: &Path, address: &str, args: &[&str]) -> Self {
        let program = casetrack(home);
        let words = std::iter::once(program.get_program()).chain(program.get_args());
        let words = words.map(|word| word.to_str().unwrap()).chain(args.iter().copied());
        // Of paths and words of commands: nothing in them means anything to a shell but spaces.
        let line = words.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let mut command = Command::new("script");
        command.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]);
        command.env("CASETRACK_IDLE_SECONDS", "3").env("DBUS_SESSION_BUS_ADDRESS", address).env_remove("DISPLAY");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stdout.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, output, said: String::new() }
    }

    /// Waits until it asks, and types a line.
    fn answer(&mut self, question: &str, line: &str) -> &mut Self {
        while !self.said.ends_with(question) {
            self.hear();
        }
        let asked = self.said.len();
        loop {
            self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
            while !self.said[asked..].contains('\n') {
                self.hear();
            }
            // A passphrase that shows was typed before the terminal stopped showing what is typed, which throws it away.
            if question != PROMPT || !self.said[asked..].trim_end().ends_with(line) {
                return self;
            }
            self.said.truncate(asked);
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn hear(&mut self) {
        let bytes = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("it waits: {}", self.said));
        self.said.push_str(&String::from_utf8_lossy(&bytes));
    }

    /// All that it said.
    fn end(&mut self) -> String {
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.said.push_str(&String::from_utf8_lossy(&bytes));
        }
        assert!(self.child.wait().unwrap().success(), "{}", self.said);
        std::mem::take(&mut self.said)
    }
}

/// Runs a command that is given the passphrase, without a terminal. Standard output and error.
fn given(status: i32, home: &Path, address: &str, passphrase: &str, args: &[&str]) -> (String, String) {
    let mut command = casetrack(home);
    command.args(args).env("DBUS_SESSION_BUS_ADDRESS", address).env_remove("DISPLAY");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses to begin does not read.
    let _ = child.stdin.take().unwrap().write_all(format!("{passphrase}\n").as_bytes());
    let output = child.wait_with_output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(status), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn is_unlocked(home: &Path) -> bool {
    run_json(home, &["collections"])[0]["name"] == NAME
}

fn keychain_slots(home: &Path) -> Vec<String> {
    let slots = run_json(home, &["vault", "slots"])["slots"].as_array().unwrap().clone();
    slots.iter().filter(|slot| slot["kind"] == "keychain").map(|slot| slot["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn gnome_keyring_opens_a_vault_when_a_person_at_the_terminal_agrees() {
    let Some(desktop) = Desktop::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    let add = ["vault", "add-slot", "keychain", "--passphrase-stdin"];
    // Nothing stays in the keychain of what does not come to be.
    given(1, &home, &desktop.address, "wrong", &add);
    assert!(keychain_slots(&home).is_empty());
    assert_eq!(desktop.count(), 0);
    let (said, _) = given(0, &home, &desktop.address, PASSPHRASE, &add);
    let slots = keychain_slots(&home);
    assert!(said.contains(&format!("Added slot {} (keychain).", slots[0])) && said.contains("every program"), "{said}");
    assert!(run(&home, &["vault", "slots"]).contains("  keychain "));
    let (connection, labels) = (desktop.connection(), "org.freedesktop.Secret.Item");
    let entries = desktop.entries(&connection);
    use dbus::blocking::stdintf::org_freedesktop_dbus::Properties;
    let attributes: HashMap<String, String> = secrets(&connection, &entries[0]).get(labels, "Attributes").unwrap();
    assert_eq!(attributes["username"], format!("{id}/{}", slots[0]));

    let lock = || {
        run(&home, &["lock", "--all"]);
    };
    let unlock = || AtTerminal::start(&home, &desktop.address, &["unlock"]);
    lock();
    // Without a person at a terminal, as an assistant runs commands, nothing is unlocked.
    let (_, said) = given(1, &home, &desktop.address, "", &["unlock"]);
    assert!(said.contains("not a terminal") && !is_unlocked(&home), "{said}");
    let said = unlock().answer(QUESTION, "").end();
    assert!(said.contains("Unlocked") && !said.contains(PROMPT) && is_unlocked(&home), "{said}");
    lock();
    let said = unlock().answer(QUESTION, "n").answer(PROMPT, PASSPHRASE).end();
    assert!(said.contains("Unlocked") && is_unlocked(&home), "{said}");

    // A secret that is not the vault's, something that is no secret, and none.
    for other in [KeychainSecret::random().unwrap().text().as_str(), "something else"] {
        desktop.overwrite(other);
        lock();
        let said = unlock().answer(QUESTION, "").answer(PROMPT, PASSPHRASE).end();
        assert!(said.contains("does not open the vault, so another key must") && is_unlocked(&home), "{said}");
    }
    desktop.delete_entries();
    lock();
    let said = unlock().answer(QUESTION, "").answer(PROMPT, PASSPHRASE).end();
    assert!(said.contains("has no entry for the vault") && is_unlocked(&home), "{said}");
    let remove = |slot: &str| {
        given(0, &home, &desktop.address, PASSPHRASE, &["vault", "remove-slot", slot, "--passphrase-stdin"]).1
    };
    let said = remove(&slots[0]);
    assert!(said.contains("no entry for slot"), "{said}");

    // The entry goes with its slot, and with the vault.
    given(0, &home, &desktop.address, PASSPHRASE, &add);
    assert_eq!(desktop.count(), 1);
    let said = remove(&keychain_slots(&home)[0].to_uppercase());
    assert!(said.contains("is deleted") && keychain_slots(&home).is_empty(), "{said}");
    assert_eq!(desktop.count(), 0);
    given(0, &home, &desktop.address, PASSPHRASE, &add);

    // The keychain stays locked: there is no window that could ask.
    desktop.lock();
    lock();
    let said = unlock().answer(QUESTION, "").answer(PROMPT, PASSPHRASE).end();
    assert!(said.contains("The keychain is locked") && is_unlocked(&home), "{said}");
    let (_, said) = given(1, &home, &desktop.address, PASSPHRASE, &add);
    assert!(said.contains("not changed: the keychain is locked") && keychain_slots(&home).len() == 1, "{said}");
    let unseal = ["vault", "unseal", "--yes", "--passphrase-stdin"];
    let (_, said) = given(0, &home, &desktop.address, PASSPHRASE, &unseal);
    assert!(said.contains("could not be deleted: the keychain is locked"), "{said}");
}

/// As on a server, or after the vault came from another computer.
#[test]
fn without_a_keychain_a_vault_opens_as_before() {
    let nowhere = "unix:path=/nonexistent/bus";
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let (id, _) = new_vault(&home);
    run(&home, &["lock", "--all"]);
    let files = ["vault.header", "vault.header.copy"].map(|name| home.join("collections").join(&id).join(name));
    let before = files.each_ref().map(|file| std::fs::read(file).unwrap());
    let add = ["vault", "add-slot", "keychain", "--passphrase-stdin"];
    let (_, said) = given(1, &home, nowhere, PASSPHRASE, &add);
    assert!(said.contains("The vault was not changed: there is no keychain"), "{said}");
    assert_eq!(files.each_ref().map(|file| std::fs::read(file).unwrap()), before);

    // A slot that was added elsewhere.
    let passphrase = Passphrase::new(PASSPHRASE).unwrap();
    let header = Header::decode(&before[0]).unwrap();
    let key = header.unlock(&Credential::Passphrase(&passphrase)).unwrap();
    let protector = Protector::Keychain(&KeychainSecret::random().unwrap(), SlotId::random().unwrap());
    let (header, slot) = header.with_slot(&key, &protector).unwrap();
    for file in &files {
        std::fs::write(file, header.encode()).unwrap();
    }
    assert_eq!(keychain_slots(&home), [slot.to_string()]);
    let (_, said) = given(1, &home, nowhere, "", &["unlock"]);
    assert!(said.contains("not a terminal"), "{said}");
    given(0, &home, nowhere, PASSPHRASE, &["unlock", "--passphrase-stdin"]);
    run(&home, &["lock", "--all"]);
    if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
        let unlock = &mut AtTerminal::start(&home, nowhere, &["unlock", &id[..8]]);
        let said = unlock.answer(QUESTION, "").answer(PROMPT, PASSPHRASE).end();
        assert!(said.contains("There is no keychain that can be reached") && is_unlocked(&home), "{said}");
    } else {
        println!("skipped in part: script is not installed (Debian: bsdutils)");
    }
    let remove = ["vault", "remove-slot", &slot.to_string(), "--passphrase-stdin"];
    let (_, said) = given(0, &home, nowhere, PASSPHRASE, &remove);
    assert!(said.contains("could not be deleted: there is no keychain"), "{said}");
    assert!(keychain_slots(&home).is_empty());
    let listed: Value = run_json(&home, &["documents", "-c", NAME]);
    assert_eq!(listed, serde_json::json!([]));
}
