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
        content: definition,
        word: |word| escaped(&quoted(word)),
        before: vec![command("/End")],
        install: vec![create, command("/Run")],
        start: vec![command("/Run")],
        // The task ends as soon as it has started the process, which nothing starts again before the next logon.
        stop: Vec::new(),
        status: words(&format!("schtasks /Query /TN {NAME} /FO CSV /NH")),
        is_loaded: |output: &Output| output.status.success(),
        // That the task exists; its process is asked.
        is_running: |output: &Output| output.status.success(),
        lets_go: true,
        uninstall: vec![words(&format!("schtasks /Delete /F /TN {NAME}"))],
        after: Vec::new(),
        file,
    }
}

fn definition(definition: &Definition) -> String {
    let Definition { program, options } = definition;
    let arguments: Vec<String> = options.iter().map(|option| quoted(option)).collect();
    format!(
        "<?xml version=\"1.0\"?>\n\
         <Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n  <Triggers>\n    <LogonTrigger>\n      \
         <Enabled>true</Enabled>\n    </LogonTrigger>\n  </Triggers>\n  <Principals>\n    <Principal id=\"Author\">\n      \
         <LogonType>InteractiveToken</LogonType>\n      <RunLevel>LeastPrivilege</RunLevel>\n    </Principal>\n  </Principals>\n  \
         <Settings>\n    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\n    \
         <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\n    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\n    \
         <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\n    <Hidden>true</Hidden>\n  </Settings>\n  <Actions Context=\"Author\">\n    \
         <Exec>\n      <Command>{}</Command>\n      <Arguments>{} owner --stay --detach</Arguments>\n    </Exec>\n  </Actions>\n</Task>\n",
        escaped(program),
        escaped(&arguments.join(" "))
    )
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
        let task = definition(&Definition { program: r"C:\Program Files\casetrack.exe".to_owned(), options });
        assert!(task.contains(r#"<Arguments>"--data-dir" "C:\R&amp;D" owner --stay --detach</Arguments>"#), "{task}");
    }
}
