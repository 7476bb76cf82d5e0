//! A scheduled task of Windows that starts at logon (schtasks /Create, task definitions in XML). Written from its documentation, and never
//! tried.

use std::path::Path;
use std::process::Output;

use super::{Definition, Manager, path_text, words};

const NAME: &str = "CaseTrack";

pub fn manager(local: &Path) -> Manager {
    let file = local.join("casetrack").join("service.xml");
    let mut create = words(&format!("schtasks /Create /F /TN {NAME} /XML"));
    create.push(path_text(&file));
    let command = |action: &str| words(&format!("schtasks {action} /TN {NAME}"));
    Manager {
        name: "the Task Scheduler",
        content: |definition| task(definition, account().as_deref()),
        word: |word| escaped(&quoted(word)),
        encode: utf_16,
        before: vec![command("/End")],
        install: vec![create, command("/Run")],
        start: vec![command("/Run")],
        // The task ends as soon as it has started the process, which nothing starts again before the next logon.
        stop: Vec::new(),
        status: words(&format!("schtasks /Query /TN {NAME} /FO CSV /NH")),
        is_loaded: |output: &Output| output.status.success(),
        // True if the task exists; the process reports for itself.
        is_running: |output: &Output| output.status.success(),
        lets_go: true,
        refuses_for_a_while: false,
        uninstall: vec![words(&format!("schtasks /Delete /F /TN {NAME}"))],
        after: Vec::new(),
        file,
    }
}

/// The user who logs on, as `DOMAIN\name`. Without it, the task is for every user, which only administrators may install.
fn account() -> Option<String> {
    let domain = std::env::var("USERDOMAIN").ok()?;
    let name = std::env::var("USERNAME").ok()?;
    Some(format!("{domain}\\{name}"))
}

fn task(definition: &Definition, account: Option<&str>) -> String {
    let Definition { program, options } = definition;
    let arguments: Vec<String> = options.iter().map(|option| quoted(option)).collect();
    let user = account.map(|account| format!("      <UserId>{}</UserId>\n", escaped(account))).unwrap_or_default();
    format!(
        "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n\
         <Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n  <Triggers>\n    <LogonTrigger>\n      \
         <Enabled>true</Enabled>\n{user}    </LogonTrigger>\n  </Triggers>\n  <Principals>\n    <Principal id=\"Author\">\n{user}      \
         <LogonType>InteractiveToken</LogonType>\n      <RunLevel>LeastPrivilege</RunLevel>\n    </Principal>\n  </Principals>\n  \
         <Settings>\n    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\n    \
         <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\n    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\n    \
         <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\n    <Hidden>true</Hidden>\n  </Settings>\n  <Actions Context=\"Author\">\n    \
         <Exec>\n      <Command>{}</Command>\n      <Arguments>{} owner --stay --detach</Arguments>\n    </Exec>\n  </Actions>\n</Task>\n",
        escaped(program),
        escaped(&arguments.join(" "))
    )
}

/// As the Task Scheduler itself writes definitions; it reads others in the code page of the system.
fn utf_16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A word of a command line, as programs on Windows take it apart: backslashes are doubled before a quote and at the end.
fn quoted(word: &str) -> String {
    let mut quoted = String::from('"');
    let mut backslashes = 0;
    for c in word.chars() {
        if c == '"' {
            quoted.push_str(&"\\".repeat(backslashes + 1));
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        quoted.push(c);
    }
    quoted.push_str(&"\\".repeat(backslashes));
    quoted.push('"');
    quoted
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_programs_on_windows_take_them_apart() {
        assert_eq!(quoted(r"C:\Users\Ann Lee\data\"), r#""C:\Users\Ann Lee\data\\""#);
        assert_eq!(quoted(r#"a\"b"#), r#""a\\\"b""#);
        let options = vec!["--data-dir".to_owned(), r"C:\R&D".to_owned()];
        let definition = Definition { program: r"C:\Program Files\casetrack.exe".to_owned(), options };
        let text = task(&definition, None);
        assert!(text.contains(r#"<Arguments>"--data-dir" "C:\R&amp;D" owner --stay --detach</Arguments>"#), "{text}");
        assert!(!text.contains("UserId"), "{text}");
    }

    #[test]
    fn a_task_is_of_its_user_and_written_as_the_scheduler_writes_it() {
        let options = vec!["--data-dir".to_owned(), r"C:\Users\Zoë".to_owned()];
        let text = task(&Definition { program: r"C:\casetrack.exe".to_owned(), options }, Some(r"OFFICE\Zoë"));
        assert_eq!(text.matches(r"      <UserId>OFFICE\Zoë</UserId>").count(), 2, "{text}");
        let bytes = utf_16(&text);
        assert_eq!(bytes[..4], [0xff, 0xfe, b'<', 0]);
        let word = utf_16(&quoted(r"C:\Users\Zoë"));
        assert!(bytes.windows(word.len()).any(|part| part == word));
    }
}
