//! The parameters of the tools of the workbench.

use serde_json::{Value, json};

pub(super) fn specified() -> Value {
    let string = json!({"type": "string"});
    let no = json!({"type": "boolean", "default": false});
    let empty = json!({"type": "string", "default": ""});
    let from = |minimum: u32| json!({"type": "integer", "minimum": minimum});
    json!({
        "add_evidence": [[], {
            "chunk_id": string, "document": string, "page": from(1), "quote": string, "char_start": from(0), "char_end": from(0),
            "note": empty, "exhibit": empty, "include_boxes": no,
        }],
        "list_evidence": [[], {
            "offset": {"type": "integer", "default": 0, "minimum": 0, "maximum": 1_000_000},
            "limit": {"type": "integer", "default": 50, "minimum": 1, "maximum": 500},
            "include_boxes": no,
        }],
        "update_evidence": [["id"], {
            "id": from(1), "note": string, "exhibit": string, "position": from(1), "remove": no, "include_boxes": no,
        }],
        "export_evidence": [["format"], {
            "format": {"type": "string", "enum": ["docx", "pdf", "markdown", "csv"]},
            "file_path": string,
            "pictures": {"type": "boolean", "default": true},
        }],
        "read_page": [["document", "page"], {"document": string, "page": from(1), "names": no}],
        "update_collection": [["collection"], {
            "collection": string, "name": string, "state": {"type": "string", "enum": ["active", "closed", "archived"]},
        }],
        "list_paths": [["prefix"], {"prefix": string}],
    })
}
