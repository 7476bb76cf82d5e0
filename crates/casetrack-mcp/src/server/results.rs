//! Results of tools, and errors, as messages of the protocol.

use casetrack_core::{CollectionId, Error, ErrorKind, Result};
use casetrack_text::Reader;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::answer::ToolOutput;
use crate::contract::Contract;
use crate::resources;

/// `collection` is the one that links may lead to.
pub(super) fn answer(
    result: Result<ToolOutput>,
    collection: Option<CollectionId>,
    contract: Contract,
) -> CallToolResult {
    result.map_or_else(|error| contract.failure(&error), |output| success(output, collection, contract))
}

fn success(output: ToolOutput, collection: Option<CollectionId>, contract: Contract) -> CallToolResult {
    let links = collection.map(|collection| resources::links::links(collection, &output.structured));
    let mut content = contract.blocks(&output);
    content.extend(links.unwrap_or_default().into_iter().map(ContentBlock::resource_link));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(output.structured);
    result.with_meta(contract.meta())
}

/// The protocol's error for a request that is not the call of a tool.
pub(super) fn protocol_error(error: Error) -> ErrorData {
    match error.kind() {
        ErrorKind::User => ErrorData::invalid_params(Reader::Assistant.error(&error), None),
        _ => ErrorData::internal_error(Reader::Assistant.error(&error), None),
    }
}
