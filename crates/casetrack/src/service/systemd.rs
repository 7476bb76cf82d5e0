//! A unit of the user's systemd (systemd.service(5), systemd.syntax(7)).

use std::path::Path;
use std::process::Output;

use super::{Definition, Manager, words};

pub fn manager(config: &Path) -> Manager {
    Manager {
        name: "systemd",
        file: config.join("systemd").join("user").join("casetrack.service"),
        content: unit,
        word: quoted,
        encode: |text| text.as_bytes().to_vec(),
        before: Vec::new(),
        install: ["daemon-reload", "enable casetrack.service", "restart casetrack.service"].map(command).into(),
        start: vec![command("start casetrack.service")],
        stop: vec![command("stop casetrack.service")],
        status: command("is-active casetrack.service"),
        // A unit between two starts is not active, and is to be stopped all the same.
        is_loaded: |_| true,
        is_running: |output: &Output| output.status.success(),
        lets_go: false,
        refuses_for_a_while: false,
        uninstall: vec![command("disable casetrack.service")],
        after: vec![command("daemon-reload")],
    }
}

fn command(action: &str) -> Vec<String> {
    words(&format!("systemctl --user {action}"))
}

fn unit(definition: &Definition) -> String {
    let Definition { program, options } = definition;
    let start: Vec<String> = [as_program(program)].into_iter().chain(options.iter().map(|word| quoted(word))).collect();
    format!(
        "[Unit]\n\
         Description=CaseTrack, which keeps collections up to date with watched folders\n\
         \n\
         [Service]\n\
         # A program that cannot be started fails the command that starts the service.\n\
         Type=exec\n\
         ExecStart={} owner --stay\n\
         # Another version of CaseTrack may end it, to take over; then the new program is started.\n\
         Restart=always\n\
         RestartSec=15\n\
         Environment=MALLOC_ARENA_MAX=2\n\
         Nice=5\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        start.join(" ")
    )
}

/// The program, in which systemd expands no variables.
fn as_program(path: &str) -> String {
    quoted(path).replace("$$", "$")
}

/// An argument of ExecStart: in quotes, with systemd's special characters escaped.
fn quoted(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '$' => quoted.push_str("$$"),
            '%' => quoted.push_str("%%"),
            '\n' => quoted.push_str("\\n"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_program_as_they_are() {
        let definition = Definition {
            program: "/opt/case $track/50%/casetrack".to_owned(),
            options: vec!["--data-dir".to_owned(), "/home/a/100% \"mine\" $HOME\\x".to_owned()],
        };
        let line = r#"ExecStart="/opt/case $track/50%%/casetrack" "--data-dir" "/home/a/100%% \"mine\" $$HOME\\x" owner --stay"#;
        let unit = unit(&definition);
        assert!(unit.lines().any(|found| found == line), "{unit}");
        assert!(unit.contains("\n[Install]\nWantedBy=default.target\n"), "{unit}");
    }
}
