//! How much there is of everything.

use casetrack_engine::space;
use casetrack_engine::space::SessionInfo as Info;

use crate::tool::NoParameters;

space_imports!();

space_tool!(SessionInfo: "session-info", "Session and database", Reads, NoParameters => Info,
    "Get session and database information.",
    |_, host, _| space::space_info(host));
