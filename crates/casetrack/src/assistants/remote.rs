//! How an assistant's configuration names a server elsewhere (`casetrack serve`), and shows the token of its user.

use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub url: String,
    pub token: Token,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Variable(String),
    Held(String),
}

/// How a client reaches servers that it does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// By itself, with headers that the configuration names.
    Headers {
        url: &'static str,
        /// The value of `type` in an entry, if the client has it.
        transport: Option<&'static str>,
        /// The text before and after the name of a variable in a header, if the client substitutes variables.
        variable: Option<[&'static str; 2]>,
    },
    /// As Codex does, which has keys of its own for this.
    Codex,
    /// Not at all: a program goes between, mcp-remote, which npx fetches and starts.
    Bridge,
}

const SCHEME: &str = "Bearer ";
const CODEX_VARIABLE: &str = "bearer_token_env_var";
const CODEX_HEADERS: &str = "http_headers";
/// The variable from which mcp-remote has the header: a space in an argument does not survive everywhere.
const BRIDGED: &str = "CASETRACK_AUTH";

impl Reach {
    /// True if a configuration may name a variable instead of the token.
    pub fn takes_variables(self) -> bool {
        match self {
            Self::Headers { variable, .. } => variable.is_some(),
            Self::Codex => true,
            Self::Bridge => false,
        }
    }

    /// The entry for a server, in its order.
    pub fn fields(self, Remote { url: address, token }: &Remote) -> Vec<(&'static str, Value)> {
        match self {
            Self::Headers { url, transport, variable } => {
                let shown = match (token, variable) {
                    (Token::Variable(name), Some([before, after])) => format!("{before}{name}{after}"),
                    (Token::Variable(text) | Token::Held(text), _) => text.clone(),
                };
                let transport = transport.map(|kind| ("type", kind.into()));
                let rest =
                    [(url, address.as_str().into()), ("headers", json!({"Authorization": format!("{SCHEME}{shown}")}))];
                transport.into_iter().chain(rest).collect()
            }
            Self::Codex => {
                let token = match token {
                    Token::Variable(name) => (CODEX_VARIABLE, name.as_str().into()),
                    Token::Held(text) => (CODEX_HEADERS, json!({"Authorization": format!("{SCHEME}{text}")})),
                };
                vec![("url", address.as_str().into()), token]
            }
            Self::Bridge => {
                let (Token::Variable(token) | Token::Held(token)) = token;
                vec![
                    ("command", "npx".into()),
                    ("args", json!(["mcp-remote", address, "--header", format!("Authorization:${{{BRIDGED}}}")])),
                    ("env", json!({BRIDGED: format!("{SCHEME}{token}")})),
                ]
            }
        }
    }

    /// The server that an entry names, if it names one as this does.
    pub fn read(self, entry: &Value) -> Option<Remote> {
        let held = |text: &Value| Some(Token::Held(text.as_str()?.strip_prefix(SCHEME)?.to_owned()));
        let (url, token) = match self {
            Self::Headers { url, variable, .. } => {
                let token = held(&entry["headers"]["Authorization"])?;
                let named = |text: &str| {
                    let [before, after] = variable?;
                    Some(text.strip_prefix(before)?.strip_suffix(after)?.to_owned())
                };
                let token = match token {
                    Token::Held(text) => named(&text).map_or(Token::Held(text), Token::Variable),
                    variable => variable,
                };
                (&entry[url], token)
            }
            Self::Codex => match entry[CODEX_VARIABLE].as_str() {
                Some(name) => (&entry["url"], Token::Variable(name.to_owned())),
                None => (&entry["url"], held(&entry[CODEX_HEADERS]["Authorization"])?),
            },
            Self::Bridge => (&entry["args"][1], held(&entry["env"][BRIDGED])?),
        };
        Some(Remote { url: url.as_str()?.to_owned(), token })
    }
}

impl Remote {
    /// The part of it that must not be shown.
    pub fn secret(&self) -> Option<&str> {
        match &self.token {
            Token::Held(text) => Some(text),
            Token::Variable(_) => None,
        }
    }
}
