//! Legacy form fields (Rich Text Format 1.9.1, "Form Fields"): check boxes and drop-down lists, whose state is part of their instruction.

/// The choice of a list or the state of a box that its default decides.
const BY_DEFAULT: i32 = 25;

/// A field being read.
#[derive(Default)]
pub(super) struct FormField {
    /// The number of open groups in its instruction, and the length of the text where it begins.
    pub depth: usize,
    pub start: usize,
    kind: i32,
    state: Option<i32>,
    default: i32,
    pub entries: Vec<String>,
}

impl FormField {
    /// One whose instruction has `depth` open groups, and which begins behind `start` bytes of text.
    pub fn new(depth: usize, start: usize) -> Self {
        Self { depth, start, ..Self::default() }
    }

    pub fn set(&mut self, name: &str, value: i32) {
        match name {
            "fftype" => self.kind = value,
            "ffres" => self.state = Some(value).filter(|state| *state != BY_DEFAULT),
            "ffdefres" => self.default = value,
            _ => {}
        }
    }

    /// The text that a box or a list shows; nothing for fields of text, which have a result.
    pub fn shown(&self) -> &str {
        let state = self.state.unwrap_or(self.default);
        match self.kind {
            1 if state == 1 => "☒",
            1 => "☐",
            2 => usize::try_from(state).ok().and_then(|state| self.entries.get(state)).map_or("", String::as_str),
            _ => "",
        }
    }
}
