//! Failing servers: what is retried, how long, and which error the user gets.

use std::time::Duration;

use craig_model::{Endpoint, FailureClass, HostedReranker, ModelError, Patience, RerankDialect};
use serde_json::json;

use crate::reranking::rerank;
use crate::server::{Answer, Provider};

fn good() -> Answer {
    Answer::json(json!({"ok": true}))
}

fn post(endpoint: &Endpoint, patience: Patience) -> Result<serde_json::Value, ModelError> {
    endpoint.post(&json!({"text": "fn planted_marker() {}"}), &patience)
}

/// Three tries, with hardly a wait between them.
fn hasty() -> Patience {
    Patience { tries: 3, deadline: None, first_wait: Duration::from_millis(10) }
}

#[test]
fn trouble_that_passes_is_tried_again() {
    for status in [408, 429, 500, 502, 503, 529] {
        let provider = Provider::new(
            move |_, n_before| {
                if n_before < 2 { Answer::text(status, "busy") } else { good() }
            },
        );
        assert_eq!(post(&provider.endpoint("/"), hasty()).unwrap(), json!({"ok": true}), "{status}");
        assert_eq!(provider.asked().len(), 3, "{status}");
    }
}

#[test]
fn trouble_that_stays_ends_after_the_last_try() {
    let provider =
        Provider::with_answers(vec![|| Answer::text(500, r#"{"error": {"message": "out of memory"}}"#)]);
    let error = post(&provider.endpoint("/"), hasty()).unwrap_err();
    assert_eq!(error.to_string(), "Test refused the request with status 500: out of memory");
    assert_eq!((error.class(), provider.asked().len()), (FailureClass::Server, 3));
}

#[test]
fn what_cannot_succeed_is_asked_once() {
    for (status, class) in [
        (400, FailureClass::InvalidRequest),
        (401, FailureClass::Auth),
        (402, FailureClass::Auth),
        (403, FailureClass::Auth),
        (404, FailureClass::InvalidRequest),
        (413, FailureClass::InvalidRequest),
        (422, FailureClass::InvalidRequest),
    ] {
        let provider = Provider::new(move |_, _| Answer::text(status, "no"));
        let error = post(&provider.endpoint("/"), hasty()).unwrap_err();
        assert_eq!((error.class(), provider.asked().len()), (class, 1), "{status}");
    }
}

#[test]
fn retry_after_is_the_least_wait() {
    let provider =
        Provider::with_answers(vec![|| Answer::text(429, "slow down").with_header("Retry-After", "1"), good]);
    post(&provider.endpoint("/"), hasty()).unwrap();
    let asked = provider.asked();
    let waited = asked[1].at - asked[0].at;
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
}

#[test]
fn nobody_waits_beyond_the_deadline() {
    let provider =
        Provider::with_answers(vec![|| Answer::text(429, "slow down").with_header("Retry-After", "60")]);
    let reranker = HostedReranker::new(provider.endpoint("/v1/rerank"), RerankDialect::Common, "m");
    let error = rerank(&reranker, Duration::from_millis(300)).unwrap_err();
    assert_eq!((error.class(), provider.asked().len()), (FailureClass::RateLimit, 1));
}

#[test]
fn a_server_that_hangs_is_left_in_time() {
    let provider = Provider::with_answers(vec![|| good().after(Duration::from_secs(20))]);
    let reranker = HostedReranker::new(provider.endpoint("/v1/rerank"), RerankDialect::Common, "m");
    let error = rerank(&reranker, Duration::from_millis(400)).unwrap_err();
    assert_eq!(error.class(), FailureClass::Timeout, "{error}");
}

#[test]
fn an_address_where_nobody_listens_is_named() {
    let provider = Provider::with_answers(vec![good]);
    let endpoint = provider.endpoint("/v1");
    drop(provider);
    let mut closed = endpoint.clone();
    closed.url = "http://127.0.0.1:1/v1".into();
    let error = post(&closed, hasty()).unwrap_err();
    assert_eq!(error.class(), FailureClass::Network);
    assert!(error.to_string().starts_with("cannot reach Test at http://127.0.0.1:1/v1: "), "{error}");
    assert!(error.hint().unwrap().contains("base_url"));
}

#[test]
fn errors_hold_neither_keys_nor_texts() {
    let echo =
        |status: u16| Provider::new(move |_, _| Answer::text(status, r#"{"error": "bad key sk-planted"}"#));
    for status in [400, 401, 500] {
        let error = post(&echo(status).endpoint("/"), hasty()).unwrap_err();
        let shown = format!("{error} {error:?} {:?}", error.hint());
        assert!(shown.contains("bad key [key]") && !shown.contains("sk-planted"), "{shown}");
        assert!(!shown.contains("planted_marker"), "{shown}");
    }
}

#[test]
fn an_error_about_a_wrong_key_names_its_variable() {
    let provider = Provider::with_answers(vec![|| Answer::text(401, "{}")]);
    let error = post(&provider.endpoint("/"), hasty()).unwrap_err();
    assert!(error.hint().unwrap().contains("TEST_API_KEY"));
    let without = Endpoint { key: None, key_variable: None, ..provider.endpoint("/") };
    let error = post(&without, hasty()).unwrap_err();
    assert!(error.hint().unwrap().contains("key_env"));
    assert_eq!(provider.asked()[1].authorization, None);
}

/// A redirect could carry a key and code to somewhere else.
#[test]
fn redirects_are_not_followed() {
    let elsewhere = Provider::with_answers(vec![good]);
    let target = elsewhere.endpoint("/stolen").url;
    let provider = Provider::new(move |_, _| Answer::text(302, "").with_header("Location", &target));
    assert!(post(&provider.endpoint("/"), hasty()).is_err());
    assert!(elsewhere.asked().is_empty());
}
