//! The contract of the search module: its schemas, examples and error texts, over the protocol.

use super::*;
use casetrack_core::settings::Toolset;

async fn connect() -> Client {
    let settings = Settings { toolsets: Some(vec![Toolset::Index]), ..Settings::default() };
    let mut client = Client::connect_with(settings, None);
    client.initialize("2025-11-25").await;
    client
}

impl Client {
    /// The structured content of an answer, which is also its text.
    async fn answered(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{answer}");
        same_text(result)
    }

    /// The field of an error.
    async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        let error = same_text(result);
        assert_eq!(error.as_object().unwrap().len(), 1, "{answer}");
        error["error"].as_str().unwrap().to_owned()
    }
}

fn same_text(result: &Value) -> Value {
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 1);
    assert_eq!(
        serde_json::from_str::<Value>(content[0]["text"].as_str().unwrap()).unwrap(),
        result["structuredContent"]
    );
    result["structuredContent"].clone()
}

#[tokio::test]
async fn schemas_have_the_parameters_of_the_contract_in_its_words() {
    let mut client = connect().await;
    let listed = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let string = |description: &str| json!({"type": "string", "description": description});
    let index = json!({
        "type": "string", "default": "default", "description": "Target index instance (default: \"default\")",
    });
    let expected = json!([
        ["search_index", ["query"], {
            "query": string("Search query (supports +/- and phrase operators)"),
            "k": {"type": "integer", "default": 10, "description": "Maximum results to return (default: 10)"},
            "index_name": index,
        }],
        ["search_add_document", ["doc_id", "content"], {
            "doc_id": string("Unique document identifier"),
            "content": string("Text content to index"),
            "metadata": {"type": "object", "description": "Arbitrary key-value metadata"},
            "index_name": index,
        }],
        ["search_create_index", ["index_name"], {
            "index_name": string("Name for the new index"),
            "backend": {"type": "string", "default": "memory", "description": "Index backend type (default: \"memory\")"},
            "tokenizer_config": {
                "type": "object", "description": "Tokenizer settings", "additionalProperties": false,
                "properties": {
                    "lowercase": {"type": "boolean", "default": true, "description": "Convert tokens to lowercase"},
                    "min_length": {"type": "integer", "default": 2, "description": "Minimum token character length"},
                },
            },
        }],
    ]);
    let found: Vec<Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| json!([tool["name"], tool["inputSchema"]["required"], tool["inputSchema"]["properties"]]))
        .collect();
    assert_eq!(Value::from(found), expected);
    assert_eq!(listed[0]["outputSchema"]["required"], json!(["results", "total_matches"]));
    assert_eq!(listed[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(listed[1]["annotations"]["idempotentHint"], true);
    assert_eq!(listed[2]["annotations"]["idempotentHint"], false);
}

#[tokio::test]
async fn the_examples_are_answered_and_adding_again_changes_no_bit() {
    let mut client = connect().await;
    let created = client
        .answered(
            "search_create_index",
            json!({"index_name": "codebase_search", "tokenizer_config": {"lowercase": true, "min_length": 3}}),
        )
        .await;
    assert_eq!(created, json!({"status": "created", "index_name": "codebase_search", "backend": "memory"}));
    let document = json!({
        "doc_id": "readme-rate-limiting",
        "content": "Rate limiting protects APIs from abuse by throttling request frequency.",
        "metadata": {"module": "rate_limiting", "type": "readme", "hint": ["kept", {"as": "it is"}]},
    });
    let added = client.answered("search_add_document", document.clone()).await;
    assert_eq!(added, json!({"status": "indexed", "doc_id": "readme-rate-limiting", "token_count": 10}));
    let other = json!({"doc_id": "doc-001", "content": "Python rate limiting with token buckets"});
    assert_eq!(client.answered("search_add_document", other).await["token_count"], 6);

    let query = json!({"query": "rate limiting API APIs", "k": 3});
    let first = client.answered("search_index", query.clone()).await;
    assert_eq!((&first["total_matches"], &first["results"][0]["metadata"]), (&json!(2), &document["metadata"]));
    assert_eq!(first["results"][0]["highlights"], json!([document["content"]]));
    assert_eq!(first["results"][1]["metadata"], json!({}));
    assert_eq!(first["query_parsed"], json!({"terms": ["rate", "limiting", "api", "apis"], "must": []}));
    let again = client.answered("search_add_document", document).await;
    assert_eq!(again, json!({"status": "re-indexed", "doc_id": "readme-rate-limiting", "token_count": 10}));
    let second = client.answered("search_index", query).await;
    assert_eq!(second.to_string(), first.to_string());
}

#[tokio::test]
async fn errors_are_the_contracts_and_one_field() {
    let mut client = connect().await;
    let cases = [
        ("search_index", json!({"query": "", "index_name": "nope"}), "Index not found: nope"),
        ("search_index", json!({"query": "x", "index_name": 7}), "Index not found: 7"),
        ("search_add_document", json!({"doc_id": "a"}), "Content must be a non-empty string"),
        ("search_add_document", json!({"doc_id": "a", "content": null}), "Content must be a non-empty string"),
        ("search_add_document", json!({"doc_id": "a", "content": ["x"]}), "Content must be a non-empty string"),
        ("search_add_document", json!({"doc_id": "a", "content": " \n"}), "Content must be a non-empty string"),
        ("search_create_index", json!({"index_name": "default"}), "Index already exists: default"),
        ("search_create_index", json!({"index_name": "x", "backend": "redis"}), "Unknown backend: redis"),
        ("search_create_index", json!({"index_name": "my docs"}), "Invalid index name: my docs"),
        ("search_index", json!({"query": "x", "k": "many"}), "k is \"many\"; it must be an integer, such as 10."),
        ("search_index", json!({"query": "x", "k": -1}), "k is -1; it must be between 0 and 1000."),
        (
            "search_add_document",
            json!({"doc_id": "a", "content": "x", "metadata": "y"}),
            "metadata is \"y\"; it must be an object, such as {\"name\":\"value\"}.",
        ),
        (
            "search_index",
            json!({}),
            "search_index needs the parameter \"query\". query: Search query (supports +/- and phrase operators)",
        ),
    ];
    for (tool, arguments, said) in cases {
        assert_eq!(client.refused(tool, arguments.clone()).await, said, "{tool} {arguments}");
    }
    let unknown = client.refused("search_index", json!({"query": "x", "top_k": 3})).await;
    assert!(unknown.starts_with("search_index has no parameter \"top_k\"."), "{unknown}");
    assert_eq!(client.answered("search_index", json!({"query": ""})).await, json!({"results": [], "total_matches": 0}));
}

#[tokio::test]
async fn numbers_and_strings_stand_for_each_other() {
    let mut client = connect().await;
    let config = json!({"index_name": 2026, "tokenizer_config": {"min_length": "4"}});
    assert_eq!(client.answered("search_create_index", config).await["index_name"], "2026");
    let document = json!({"doc_id": 123, "content": "four words, two long", "index_name": 2026});
    let added = client.answered("search_add_document", document).await;
    assert_eq!(added, json!({"status": "indexed", "doc_id": "123", "token_count": 3}));
    let found = client.answered("search_index", json!({"query": "four", "k": "1", "index_name": "2026"})).await;
    assert_eq!(found["results"][0]["doc_id"], "123");
    let none = client.answered("search_index", json!({"query": "four", "k": 0, "index_name": "2026"})).await;
    assert_eq!((&none["results"], &none["total_matches"]), (&json!([]), &json!(1)));
}

#[tokio::test]
async fn a_long_answer_has_as_many_results_as_fit_and_says_so() {
    let mut client = connect().await;
    let note = "n".repeat(15_000);
    for i in 0..12 {
        let document = json!({"doc_id": format!("{i:02}"), "content": "one\u{202e} word", "metadata": {"note": note}});
        client.answered("search_add_document", document).await;
    }
    let found = client.answered("search_index", json!({"query": "word", "k": 12})).await;
    let results = found["results"].as_array().unwrap();
    assert!((1..12).contains(&results.len()) && found.to_string().len() <= 60_000, "{}", results.len());
    assert_eq!(results[0]["doc_id"], "00");
    assert_eq!(results[0]["highlights"], json!(["one\\u{202e} word"]));
    assert_eq!(found["total_matches"], 12);
    let notices = found["notices"].as_array().unwrap();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].as_str().unwrap().starts_with(&format!("Only {} of 12 results are here", results.len())));
}
