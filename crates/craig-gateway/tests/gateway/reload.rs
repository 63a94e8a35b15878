//! A configuration that changes while the gateway runs.

use std::time::Duration;

use http::StatusCode;
use serde_json::json;

use crate::harness::{Gateway, Plan, until};
use crate::upstream::{End, Reply, Upstream};

fn providers(upstream: &Upstream, model: &str) -> String {
    format!("[[upstream]]\nname = \"{model}\"\nbase_url = \"{}\"\nmodel = \"{model}\"\n", upstream.url)
}

async fn answering(text: &'static str) -> Upstream {
    Upstream::start(move |_, _| Reply::completion(text)).await
}

async fn ask(gateway: &Gateway) -> String {
    let answer = gateway.chat(json!({ "messages": [{ "role": "user", "content": "hello" }] })).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    answer.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_edited_file_of_providers_is_served_and_a_bad_one_changes_nothing() {
    let (first, second) = (answering("first").await, answering("second").await);
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &providers(&first, "one"));
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    assert_eq!(ask(&gateway).await, "first");
    std::fs::write(&file, providers(&second, "two")).unwrap();
    until("the new provider answers", async || ask(&gateway).await == "second").await;
    until("it is logged", async || gateway.log.events("config_reloaded").len() == 1).await;

    std::fs::write(&file, "[[upstream]]\nname = \"three\"\nurl = \"x\"\n").unwrap();
    until("the refusal is logged", async || !gateway.log.events("config_refused").is_empty()).await;
    let refused = &gateway.log.events("config_refused")[0];
    let reason = refused["reason"].as_str().unwrap();
    assert!(reason.contains("upstreams.toml") && reason.contains("unknown field `url`"), "{reason}");
    assert_eq!((refused["level"].as_str(), ask(&gateway).await.as_str()), (Some("warn"), "second"));
    // A file that stays bad is refused once.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(gateway.log.events("config_refused").len(), 1);
    assert_eq!(gateway.metric("reloads_total{outcome=\"refused\"}").await, 1.0);
    assert_eq!(gateway.metric("config_last_reload_successful").await, 0.0);

    std::fs::write(&file, providers(&first, "one")).unwrap();
    gateway.reload();
    until("the repaired file is served", async || ask(&gateway).await == "first").await;
    let metric = "config_last_reload_successful";
    until("the last reload was successful", async || gateway.metric(metric).await == 1.0).await;
}

#[tokio::test]
async fn a_file_that_is_edited_between_its_reading_and_the_start_is_read_again() {
    let (first, second) = (answering("first").await, answering("second").await);
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &providers(&first, "one"));
    let plan = plan.set("gateway.upstreams", &file);
    let config = plan.config();
    std::fs::write(&file, providers(&second, "another")).unwrap();
    let gateway = plan.start_with(config).await.unwrap();
    until("the edited file is served", async || ask(&gateway).await == "second").await;
}

#[tokio::test]
async fn a_stream_that_runs_during_a_reload_ends_whole_and_costs_what_it_cost_when_it_began() {
    let slow = Upstream::start(|_, _| {
        Reply::stream("one two three four five six ", Duration::from_millis(150), End::Well)
    })
    .await;
    let other = answering("second").await;
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &providers(&slow, "one"));
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    let streamed = gateway.chat(json!({ "messages": [], "stream": true }));
    let replaced = async {
        until("the stream has begun", async || !slow.asked().is_empty()).await;
        std::fs::write(&file, providers(&other, "two")).unwrap();
        gateway.reload();
        until("the new provider answers", async || !gateway.log.events("config_reloaded").is_empty()).await;
        assert_eq!(slow.open(), 1, "the stream goes on");
        assert_eq!(ask(&gateway).await, "second");
    };
    let (streamed, ()) = tokio::join!(streamed, replaced);
    let text = streamed.text();
    assert!(text.ends_with("data: [DONE]\n\n") && text.contains("six "), "{text}");
    assert_eq!(gateway.metric("streams_cut{by=\"upstream\"}").await, 0.0);
}

#[tokio::test]
async fn requests_under_load_are_answered_through_every_reload() {
    let (first, second) = (answering("first").await, answering("second").await);
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &providers(&first, "one"));
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    let mut n_answers = 0;
    for n in 0..20 {
        let upstream = if n % 2 == 0 { &second } else { &first };
        std::fs::write(&file, providers(upstream, "m")).unwrap();
        gateway.reload();
        let (one, other) = tokio::join!(ask(&gateway), ask(&gateway));
        n_answers += usize::from(!one.is_empty()) + usize::from(!other.is_empty());
    }
    assert_eq!((n_answers, first.asked().len() + second.asked().len()), (40, 40));
}

#[tokio::test]
async fn settings_change_and_those_that_need_a_restart_are_named() {
    let upstream = answering("yes").await;
    let plan = Plan::with(&upstream);
    let settings = plan.path("config.toml");
    let gateway = plan.start().await;
    assert_eq!(gateway.chat("{").await.status, StatusCode::BAD_REQUEST);
    until("the request is logged", async || !gateway.log.events("request_completed").is_empty()).await;
    std::fs::write(&settings, "[gateway]\nlog_requests = false\nmax_body = \"1kB\"\nmax_connections = 7\n")
        .unwrap();
    until("the settings are read", async || !gateway.log.events("config_reloaded").is_empty()).await;
    let reloaded = &gateway.log.events("config_reloaded")[0];
    assert_eq!(reloaded["restart_needed"], json!(["gateway.max_connections"]));
    let n_logged = gateway.log.events("request_completed").len();
    let large = json!({ "messages": [{ "role": "user", "content": "x".repeat(2_000) }] });
    assert_eq!(gateway.chat(large).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    std::fs::write(&settings, "[gateway]\nno_such_setting = 1\n").unwrap();
    gateway.reload();
    until("the refusal is logged", async || !gateway.log.events("config_refused").is_empty()).await;
    assert_eq!(gateway.log.events("request_completed").len(), n_logged, "the old settings are still served");
}

#[tokio::test]
async fn a_failing_provider_stays_paused_when_others_change() {
    let down = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let up = answering("up").await;
    let plan = Plan::new().set("gateway.tries", "1").set("gateway.breaker_probe_ms", "3600000");
    let plan = plan.set("gateway.breaker_max_probe_ms", "3600000");
    let file = plan.write("upstreams.toml", &(providers(&down, "m") + &providers(&up, "n")));
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    for _ in 0..25 {
        ask(&gateway).await;
    }
    let n_asked = down.asked().len();
    assert_eq!(n_asked, 20, "then its breaker is open");
    std::fs::write(&file, providers(&down, "m") + &providers(&up, "other")).unwrap();
    gateway.reload();
    until("it is served", async || !gateway.log.events("config_reloaded").is_empty()).await;
    ask(&gateway).await;
    assert_eq!(down.asked().len(), n_asked);
}
