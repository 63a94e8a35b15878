//! The other endpoints: reranking, embeddings, health, the description.

use base64::Engine as _;
use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::Plan;
use crate::upstream::{Reply, Upstream};

#[tokio::test]
async fn reranking_is_asked_and_answered_in_each_dialect() {
    let voyage = Upstream::start(|_, _| Reply::voyage(&[(1, 0.9), (0, 0.2)])).await;
    let upstream = Upstream::start(|_, _| Reply::completion("")).await;
    let gateway = Plan::with(&upstream).voyage(&voyage).start().await;
    let documents = json!(["alpha", { "text": "beta" }]);
    let common = gateway
        .post("/v1/rerank", json!({ "model": "any", "query": "q", "documents": documents, "top_n": 1, "return_documents": true }))
        .await;
    assert_eq!(common.header("x-craig-rerank"), "voyage");
    assert_eq!(
        common.json(),
        json!({ "object": "list", "model": "rerank-2-lite", "usage": { "total_tokens": 40 },
            "results": [{ "index": 1, "relevance_score": 0.9, "document": { "text": "beta" } }] })
    );
    assert_eq!(voyage.last()["top_k"], 1);
    let own =
        gateway.post("/v1/rerank", json!({ "query": "q", "documents": documents, "top_k": 2 })).await.json();
    assert_eq!(own["data"].as_array().unwrap().len(), 2);
    assert_eq!((&own["data"][0]["index"], own.get("results")), (&json!(1), None));
}

#[tokio::test]
async fn documents_with_paths_are_ranked_as_the_files_of_a_project() {
    let gateway = Plan::new().start().await;
    let test = "test('issue a token', () => { expect(issueToken(user)).toBeDefined() })";
    let code = "export function issueToken(user: User): Token { return sign(user.id) }";
    let first = async |paths: [&str; 2]| {
        let documents = json!([{ "text": test, "path": paths[0] }, { "text": code, "file": paths[1] }]);
        let body = json!({ "query": "how are tokens issued", "documents": documents, "top_n": 2 });
        let answer = gateway.post("/v1/rerank", body).await;
        assert_eq!(answer.header("x-craig-rerank"), "local", "another path is another question");
        answer.json()["results"].clone()
    };
    let ranked = first(["test/token.test.ts", "src/token.ts"]).await;
    assert_eq!(ranked[0]["index"], 1, "{ranked}");
    let unlikely = first(["test/token.test.ts", "vendor/fixtures/token.spec.ts"]).await;
    assert_ne!(unlikely, ranked);
}

#[tokio::test]
async fn who_does_not_say_how_many_is_answered_so_that_every_client_understands_it() {
    let voyage = Upstream::start(|_, _| Reply::voyage(&[(1, 0.9), (0, 0.2)])).await;
    let gateway = Plan::new().voyage(&voyage).start().await;
    let ask = async |extra: Value| {
        let mut body = json!({ "query": "q", "documents": ["a", "b"], "return_documents": true });
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        gateway.post("/v1/rerank", body).await.json()
    };
    // Voyage's Python client writes the field whether it is set or not.
    let by_voyage = ask(json!({ "top_k": null, "truncation": true })).await;
    assert_eq!((by_voyage["data"].as_array().unwrap().len(), by_voyage.get("results")), (2, None));
    let by_anybody = ask(json!({})).await;
    assert_eq!(by_anybody["data"][0]["document"], "b");
    assert_eq!(by_anybody["results"][0]["document"], json!({ "text": "b" }));
    let by_cohere = json!({ "model": "rerank-v3.5", "query": "q", "documents": ["a", "b"], "top_n": 1 });
    assert_eq!(gateway.post("/v2/rerank", by_cohere).await.json()["results"][0]["index"], 1);
}

#[tokio::test]
async fn a_batch_of_a_hundred_is_not_too_much_for_an_idle_gateway() {
    let voyage = Upstream::start(|_, _| {
        std::thread::sleep(std::time::Duration::from_millis(2));
        Reply::voyage(&[(0, 0.9)])
    })
    .await;
    let plan = Plan::new().voyage(&voyage).set("gateway.reranks_per_hour", "99");
    let gateway = plan.set("gateway.max_reranks", "3").set("gateway.max_waiting_reranks", "0").start().await;
    let requests: Vec<Value> =
        (0..100).map(|n| json!({ "query": format!("q{n}"), "documents": ["a"] })).collect();
    let answer = gateway.post("/v1/rerank/batch", json!({ "requests": requests })).await;
    let responses = answer.json()["responses"].as_array().unwrap().clone();
    let n_ranked = responses.iter().filter(|one| one["source"] == "voyage").count();
    assert_eq!((n_ranked, voyage.asked().len()), (99, 99));
    assert_eq!(responses[99]["error"]["code"], "rate_limit_exceeded", "beyond the limit is who comes last");
    assert_eq!((answer.header("x-ratelimit-limit"), answer.header("x-ratelimit-remaining")), ("99", "0"));
}

#[tokio::test]
async fn a_common_reranker_is_asked_in_its_own_words() {
    let reranker = Upstream::start(|_, _| {
        Reply::json(json!({ "results": [{ "index": 0, "relevance_score": 3.5 }, { "index": 1, "relevance_score": -2.0 }] }))
    })
    .await;
    let gateway =
        Plan::new().set("reranker.provider", "http").set("reranker.base_url", &reranker.url).start().await;
    let answer =
        gateway.post("/v1/rerank", json!({ "query": "q", "documents": ["a", "b"], "top_n": 2 })).await;
    assert_eq!(answer.header("x-craig-rerank"), "provider");
    assert_eq!(
        reranker.last(),
        json!({ "query": "q", "documents": ["a", "b"], "top_n": 2, "return_documents": false })
    );
    let scores: Vec<f64> = answer.json()["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["relevance_score"].as_f64())
        .collect();
    assert!(scores[0] > 0.9 && scores[1] < 0.2, "logits become probabilities: {scores:?}");
}

#[tokio::test]
async fn a_batch_answers_each_on_its_own() {
    let gateway = Plan::new().start().await;
    let batch = json!({ "requests": [
        { "query": "where are tokens checked", "documents": ["sum of prices", "checks tokens"], "top_n": 1 },
        { "query": " ", "documents": [] },
        { "query": "q", "documents": [] },
    ] });
    let answer = gateway.post("/v1/rerank/batch", batch).await.json();
    let responses = answer["responses"].as_array().unwrap();
    assert_eq!((&responses[0]["results"][0]["index"], &responses[0]["source"]), (&json!(1), &json!("local")));
    assert_eq!(responses[1]["error"]["param"], "query");
    assert_eq!(responses[2]["results"], json!([]));
    let many: Vec<Value> = (0..101).map(|_| json!({ "query": "q", "documents": [] })).collect();
    assert_eq!(
        gateway.post("/v1/rerank/batch", json!({ "requests": many })).await.status,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn reranking_that_is_not_to_be_had_keeps_the_order_that_came_with_the_documents() {
    let voyage = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let gateway = Plan::new().voyage(&voyage).set("gateway.tries", "1").start().await;
    let scored = json!([{ "text": "a", "score": 0.1 }, { "text": "b", "score": 0.7 }]);
    let answer = gateway.post("/v1/rerank", json!({ "query": "q", "documents": scored })).await;
    assert_eq!((answer.header("x-craig-rerank"), answer.header("x-craig-trouble")), ("fallback", "server"));
    assert_eq!(answer.json()["results"][0]["index"], 1);
    let bare = gateway.post("/v1/rerank", json!({ "query": "q", "documents": ["a", "b"] })).await;
    assert_eq!((bare.status, bare.code()), (StatusCode::BAD_GATEWAY, "upstream_error".to_owned()));
}

#[tokio::test]
async fn embeddings_are_numbers_or_base_64() {
    let gateway = Plan::new().start().await;
    let floats = gateway
        .post("/v1/embeddings", json!({ "model": "craig", "input": ["fn main() {}", "x"] }))
        .await
        .json();
    assert_eq!(floats["data"].as_array().unwrap().len(), 2);
    let vector: Vec<f32> = floats["data"][0]["embedding"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap() as f32)
        .collect();
    assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3, "unit length");
    let packed = gateway
        .post("/v1/embeddings", json!({ "input": "fn main() {}", "encoding_format": "base64" }))
        .await
        .json();
    let bytes =
        base64::prelude::BASE64_STANDARD.decode(packed["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let unpacked: Vec<f32> =
        bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert_eq!(unpacked, vector);
    let other =
        gateway.post("/v1/embeddings", json!({ "input": "x", "model": "text-embedding-3-small" })).await;
    assert_eq!((other.status, other.code()), (StatusCode::NOT_FOUND, "model_not_found".to_owned()));
    let tokens = gateway.post("/v1/embeddings", json!({ "input": [[1, 2]] })).await;
    assert_eq!(tokens.status, StatusCode::BAD_REQUEST);
    let wrong = gateway.post("/v1/embeddings", json!({ "input": "x", "dimensions": 7 })).await;
    assert_eq!(wrong.json()["error"]["param"], "dimensions");
}

#[tokio::test]
async fn a_field_that_is_wrong_is_named() {
    let gateway = Plan::new().start().await;
    for (path, body, message, param) in [
        (
            "/v1/search",
            r#"{"projct": "shop", "query": "q"}"#,
            "a field is unknown (line 1, column 9): expected one of `project`",
            None,
        ),
        ("/v1/search", r#"{"project": "shop"}"#, "the field 'query' is missing", Some("query")),
        (
            "/v1/search",
            "{\"query\": \"q\",\n \"limit\": \"many\"}",
            "the field 'limit' has a value of the wrong type (line 2",
            Some("limit"),
        ),
        ("/v1/context", r#"{"project": "shop", "message": "m", "max_chunk": 3}"#, "a field is unknown", None),
        ("/v1/files", r#"{"project": "shop", "folders": "src"}"#, "a field is unknown", None),
        ("/v1/file", r#"{"project": "shop", "path": ["a"]}"#, "the field 'path' has a value", Some("path")),
        ("/v1/references", r#"{"project": "shop", "name": "f"}"#, "a field is unknown", None),
        (
            "/v1/rerank",
            r#"{"query": "q", "documents": [{"text": 7}]}"#,
            "the field 'documents' has a value",
            Some("documents"),
        ),
    ] {
        let refused = gateway.post(path, body).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{path} {body}");
        let error = &refused.json()["error"];
        assert!(error["message"].as_str().unwrap().starts_with(message), "{body}: {error}");
        assert_eq!(error["param"], json!(param), "{body}");
    }
    // Clients of other servers send fields that those know.
    let ranked =
        gateway.post("/v1/rerank", json!({ "query": "q", "documents": ["a"], "truncation": true })).await;
    assert_eq!(ranked.status, StatusCode::OK);
}

#[tokio::test]
async fn readiness_is_about_this_process_alone() {
    let upstream = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let plan = Plan::with(&upstream).set("gateway.tries", "1").set("gateway.breaker_min_requests", "5");
    let gateway = plan.set("gateway.breaker_probe_ms", "3600000").start().await;
    assert_eq!(gateway.get("/healthz").await.json(), json!({ "status": "ok" }));
    assert_eq!(gateway.get("/readyz").await.status, StatusCode::OK);
    for _ in 0..6 {
        gateway.chat(json!({ "messages": [] })).await;
    }
    assert_eq!(gateway.metric("breaker_state{model=\"mock\",provider=\"default\"}").await, 2.0);
    let ready = gateway.get("/readyz").await;
    assert_eq!((ready.status, ready.json()["status"].clone()), (StatusCode::OK, json!("ready")));
}

#[tokio::test]
async fn the_description_has_every_route() {
    let gateway = Plan::new().start().await;
    let described = gateway.get("/openapi.json").await.json();
    assert_eq!(described["openapi"], "3.1.0");
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() >= 17);
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            let path = path.replace("{id}", "craig");
            let answer =
                if method == "get" { gateway.get(&path).await } else { gateway.post(&path, "{").await };
            assert!(![404, 405].contains(&answer.status.as_u16()), "{method} {path}: {}", answer.status);
            assert!(
                operation["summary"].is_string() && operation["responses"].is_object(),
                "{method} {path}"
            );
        }
    }
}
