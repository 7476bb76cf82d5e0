//! Counts of the session.

use casetrack_engine::space;
use casetrack_engine::space::SessionInfo as Info;

use crate::tools::prelude::*;

space_tool!(SessionInfo: "session-info", "Session and database", Reads, NoParameters => Info,
    "{}",
    "Get session and database information.",
    |_, host, _| space::space_info(host));
