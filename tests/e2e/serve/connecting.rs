//! `casetrack connect --server`: assistants of a user's machine are connected to a server elsewhere.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use super::{Team, add};
use crate::client::{casetrack, run};

/// A command of a user with this home folder, who has a token in the environment or passes it on standard input.
fn connect(home: &Path, args: &[&str], variable: Option<&str>, input: &str) -> Output {
    let mut command = casetrack(&home.join("data"));
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "CASETRACK_TOKEN"] {
        command.env_remove(name);
    }
    variable.map(|token| command.env("CASETRACK_TOKEN", token));
    command.args(args).env("HOME", home);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that refuses to begin does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn assistants_are_connected_to_a_server_that_takes_the_token_and_disconnected_again() {
    let dir = tempfile::tempdir().unwrap();
    let (server, home) = (dir.path().join("server"), dir.path().join("user"));
    run(&server, &["new", "Flat 3"]);
    let token = add(&server, "anna", &[]);
    let team = Team::start(&server, &[]);
    let address = format!("http://{}", team.address);
    std::fs::create_dir_all(home.join(".cursor")).unwrap();
    let (cursor, zed) = (home.join(".cursor/mcp.json"), home.join(".config/zed/settings.json"));
    let before = "{\n  // mine\n  \"mcpServers\": {\n    \"docs\": {\"url\": \"https://docs.example/mcp\"}\n  }\n}\n";
    std::fs::write(&cursor, before).unwrap();
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();

    // Nothing is written if the server does not answer or refuses.
    let connect_to = |address: &str, more: &[&str], variable: Option<&str>, input: &str| {
        let output = connect(
            &home,
            &[&["connect", "cursor", "zed", "--yes", "--server", address], more].concat(),
            variable,
            input,
        );
        assert_eq!(text(&cursor) == before, !output.status.success(), "{}", said(&output));
        (output.status.success(), said(&output))
    };
    for (address, more, variable, input, why) in [
        (&*address, &[][..], None, "", "The environment variable CASETRACK_TOKEN"),
        (&address, &[], Some("casetrack_wrong"), "", "does not accept the token"),
        (&address, &["--token-stdin"], None, "", "The token is empty"),
        (&address, &["--token-env", "NOT_THERE"], Some(&token), "", "The environment variable NOT_THERE"),
        (&address, &["--read-only"], Some(&token), "", "defines its own tools"),
        ("http://127.0.0.1:1", &[], Some(&token), "", "cannot be reached"),
        ("http://casetrack.firm.example", &[], Some(&token), "", "read your token"),
        (&format!("{address}/healthz"), &[], Some(&token), "", "is not the address"),
    ] {
        let (done, said) = connect_to(address, more, variable, input);
        assert!(!done && said.contains(why) && !said.contains(&token), "{said}");
    }
    assert!(!zed.exists());

    // By a variable, which the one names and the other cannot.
    let (done, told) = connect_to(&address, &[], Some(&token), "");
    assert!(done && told.contains("accepts the token") && !told.contains(&token), "{told}");
    assert!(told.contains("in an environment that has CASETRACK_TOKEN"), "{told}");
    assert!(told.contains("contains your token"), "{told}");
    let (of_cursor, of_zed) = (text(&cursor), text(&zed));
    assert!(of_cursor.contains("Bearer ${env:CASETRACK_TOKEN}") && !of_cursor.contains(&token), "{of_cursor}");
    assert!(of_cursor.contains(&format!("{address}/mcp")) && of_cursor.contains("// mine"), "{of_cursor}");
    assert!(of_zed.contains(&format!("Bearer {token}")), "{of_zed}");
    let checked = connect(&home, &["connect", "--check"], Some(&token), "");
    assert!(checked.status.success() && said(&checked).matches("casetrack ").count() >= 2, "{}", said(&checked));
    let listed = said(&connect(&home, &["connect"], None, ""));
    assert!(listed.contains("cursor           connected"), "{listed}");

    // The same with the token on standard input, and undone.
    let again = ["connect", "cursor", "--yes", "--server", &address, "--token-stdin"];
    let output = connect(&home, &again, None, &format!("{token}\n"));
    assert!(output.status.success() && !said(&output).contains(&token), "{}", said(&output));
    assert!(text(&cursor).contains(&format!("Bearer {token}")), "{}", text(&cursor));
    let output = connect(&home, &["disconnect", "--yes"], None, "");
    assert!(output.status.success() && !said(&output).contains(&token), "{}", said(&output));
    assert!(!text(&cursor).contains("casetrack") && text(&cursor).contains("https://docs.example/mcp"));
    assert!(!zed.exists(), "it was made for this");
    team.stop();
}
