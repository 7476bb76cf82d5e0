//! A launch agent of macOS (launchd.plist(5), launchctl(1)). Written from its manual, and never tried.

use std::path::Path;
use std::process::Output;

use super::{Definition, Manager, path_text};

const LABEL: &str = "casetrack.owner";

pub fn manager(home: &Path) -> Manager {
    let file = home.join("Library").join("LaunchAgents").join(format!("{LABEL}.plist"));
    let domain = format!("gui/{}", user(home));
    let command = |words: &[&str]| ["launchctl"].iter().chain(words).map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let service = format!("{domain}/{LABEL}");
    Manager {
        name: "launchd",
        content: property_list,
        word: string,
        encode: |text| text.as_bytes().to_vec(),
        before: vec![command(&["bootout", &service])],
        // A service that was disabled once is not bootstrapped.
        install: vec![command(&["enable", &service]), command(&["bootstrap", &domain, &path_text(&file)])],
        start: vec![command(&["bootstrap", &domain, &path_text(&file)])],
        stop: vec![command(&["bootout", &service])],
        status: command(&["print", &service]),
        is_loaded: |output: &Output| output.status.success(),
        is_running: |output: &Output| {
            output.status.success() && String::from_utf8_lossy(&output.stdout).contains("state = running")
        },
        lets_go: false,
        // `bootout` returns before the name is free: `bootstrap` fails with an I/O error for about five seconds.
        refuses_for_a_while: true,
        uninstall: Vec::new(),
        after: Vec::new(),
        file,
    }
}

#[cfg(unix)]
fn user(home: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(home).map_or(0, |metadata| metadata.uid())
}

#[cfg(not(unix))]
fn user(_: &Path) -> u32 {
    0
}

fn property_list(definition: &Definition) -> String {
    let Definition { program, options } = definition;
    let ours = ["owner".to_owned(), "--stay".to_owned()];
    let words: String =
        [program].into_iter().chain(options).chain(&ours).map(|word| format!("        {}\n", string(word))).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n    <key>Label</key>\n    <string>{LABEL}</string>\n    <key>ProgramArguments</key>\n    \
         <array>\n{words}    </array>\n    <key>RunAtLoad</key>\n    <true/>\n    <key>KeepAlive</key>\n    <true/>\n    \
         <key>ThrottleInterval</key>\n    <integer>15</integer>\n    <key>ProcessType</key>\n    <string>Background</string>\n\
         </dict>\n</plist>\n"
    )
}

fn string(word: &str) -> String {
    let escaped = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<string>{escaped}</string>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_argument_is_a_string_of_its_own() {
        let definition = Definition {
            program: "/Applications/Case Track/casetrack".to_owned(),
            options: vec!["--data-dir".to_owned(), "/Users/a/R&D <x>".to_owned()],
        };
        let list = property_list(&definition);
        let strings: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("        <string>")).collect();
        let expected =
            ["/Applications/Case Track/casetrack", "--data-dir", "/Users/a/R&amp;D &lt;x&gt;", "owner", "--stay"];
        assert_eq!(strings, expected.map(|word| format!("{word}</string>")));
    }
}
