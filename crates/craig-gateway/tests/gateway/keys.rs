//! What keys may do: requests, tokens, money, models, providers and projects; and what is kept of their usage.

use std::sync::Arc;
use std::time::Duration;

use craig_gateway::keys::{self, KeyRecord, Policy};
use craig_gateway::usage::{self, Sums};
use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{Answer, Gateway, Plan, until};
use crate::upstream::{End, Reply, Upstream};

/// What one answer of [`Reply::completion`] costs at the price of [`providers`].
pub(crate) const USD_EACH: f64 = (9.0 + 2.0 * 3.0) / 1e3;

/// A provider whose model costs a dollar for a thousand input tokens and two for output, and one that serves the same model.
pub(crate) fn providers(plan: &Plan, first: &Upstream, second: &Upstream) -> String {
    let text = format!(
        "[[upstream]]\nname = \"one\"\nbase_url = \"{}\"\nmodels = {{ fast = \"fast\" }}\n\
         [[upstream]]\nname = \"two\"\nbase_url = \"{}\"\nmodels = {{ fast = \"fast\" }}\n\
         [prices.fast]\ninput_usd_per_million_tokens = 1000.0\noutput_usd_per_million_tokens = 2000.0\n",
        first.url, second.url
    );
    plan.write("upstreams.toml", &text)
}

/// A gateway with a key of this policy.
async fn gateway_with(upstream: &Upstream, policy: Policy) -> (Gateway, KeyRecord, String) {
    let plan = Plan::new();
    let file = providers(&plan, upstream, upstream);
    let (record, key) = keys::add(&plan.path("keys.json"), "alice").unwrap();
    keys::set(&plan.path("keys.json"), "alice", |record| record.policy = policy).unwrap();
    let plan = plan.set("gateway.upstreams", &file).set("gateway.open_metrics", "true");
    (plan.start().await, record, key)
}

async fn ask(gateway: &Gateway, key: &str, body: Value) -> Answer {
    let authorization = format!("Bearer {key}");
    gateway.post_with("/v1/chat/completions", body, &[("authorization", &authorization)]).await
}

fn plain() -> Value {
    json!({ "model": "fast", "messages": [{ "role": "user", "content": "hello" }] })
}

/// Status and code of an answer.
fn outcome(answer: &Answer) -> (u16, String) {
    let code = if answer.status.is_success() { String::new() } else { answer.code() };
    (answer.status.as_u16(), code)
}

fn used(gateway: &Gateway) -> Sums {
    let mut all = Sums::default();
    usage::read(&gateway.path("gateway-usage.jsonl")).unwrap().into_values().for_each(|sums| all += sums);
    all
}

#[tokio::test]
async fn requests_and_tokens_a_minute_are_limited() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let policy = Policy { requests_per_minute: Some(2), ..Policy::default() };
    let (gateway, _, key) = gateway_with(&upstream, policy).await;
    assert_eq!(ask(&gateway, &key, plain()).await.status, StatusCode::OK);
    assert_eq!(ask(&gateway, &key, plain()).await.status, StatusCode::OK);
    let third = ask(&gateway, &key, plain()).await;
    assert_eq!(outcome(&third), (429, "rate_limit_exceeded".into()));
    assert!((1..=30).contains(&third.header("retry-after").parse::<u64>().unwrap()), "{third:?}");
    assert_eq!(upstream.asked().len(), 2);

    // 12 tokens an answer: what is answered counts for the requests after it.
    let policy = Policy { tokens_per_minute: Some(20), ..Policy::default() };
    let (gateway, _, key) = gateway_with(&upstream, policy).await;
    assert_eq!(ask(&gateway, &key, plain()).await.status, StatusCode::OK);
    assert_eq!(ask(&gateway, &key, plain()).await.status, StatusCode::OK);
    let third = ask(&gateway, &key, plain()).await;
    assert_eq!(outcome(&third), (429, "rate_limit_exceeded".into()));
    assert!(third.text().contains("20 tokens a minute"), "{}", third.text());
}

#[tokio::test]
async fn a_limit_of_zero_blocks() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let none = Policy::default;
    for policy in [
        Policy { requests_per_minute: Some(0), ..none() },
        Policy { tokens_per_minute: Some(0), ..none() },
        Policy { concurrent_requests: Some(0), ..none() },
    ] {
        let (gateway, _, key) = gateway_with(&upstream, policy.clone()).await;
        let answer = ask(&gateway, &key, plain()).await;
        assert_eq!(outcome(&answer), (429, "rate_limit_exceeded".into()), "{policy:?}");
    }
    let (gateway, _, key) = gateway_with(&upstream, Policy { monthly_usd: Some(0.0), ..none() }).await;
    assert_eq!(outcome(&ask(&gateway, &key, plain()).await), (402, "budget_exceeded".into()));
    assert_eq!(upstream.asked().len(), 0);
}

#[tokio::test]
async fn a_key_has_so_many_requests_at_the_same_time() {
    let pause = Duration::from_millis(200);
    let upstream = Upstream::start(move |_, _| Reply::stream("one two three", pause, End::Well)).await;
    let policy = Policy { concurrent_requests: Some(1), ..Policy::default() };
    let (gateway, _, key) = gateway_with(&upstream, policy).await;
    let streamed =
        json!({ "model": "fast", "stream": true, "messages": [{ "role": "user", "content": "hello" }] });
    let (first, second) = tokio::join!(ask(&gateway, &key, streamed.clone()), async {
        until("the first is asked", async || !upstream.asked().is_empty()).await;
        ask(&gateway, &key, streamed.clone()).await
    });
    assert_eq!((first.status, outcome(&second)), (StatusCode::OK, (429, "rate_limit_exceeded".into())));
    // The place is free again when the stream has ended.
    assert_eq!(ask(&gateway, &key, streamed).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_budget_ends_requests_and_is_announced() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let policy = Policy {
        monthly_usd: Some(2.5 * USD_EACH),
        soft_monthly_usd: Some(0.5 * USD_EACH),
        ..Policy::default()
    };
    let (gateway, record, key) = gateway_with(&upstream, policy).await;
    let first = ask(&gateway, &key, plain()).await;
    assert_eq!((first.status, first.header("x-craig-budget")), (StatusCode::OK, ""));
    for _ in 0..2 {
        let beyond_soft = ask(&gateway, &key, plain()).await;
        assert_eq!((beyond_soft.status, beyond_soft.header("x-craig-budget")), (StatusCode::OK, "soft"));
    }
    assert_eq!(outcome(&ask(&gateway, &key, plain()).await), (402, "budget_exceeded".into()));
    assert_eq!(upstream.asked().len(), 3);
    until("the soft budget is logged", async || !gateway.log.events("soft_budget_reached").is_empty()).await;
    let noticed = gateway.log.events("soft_budget_reached");
    assert_eq!(noticed.len(), 1, "once a month");
    assert_eq!(noticed[0]["user"], keys::hashed(&record.id).as_str());

    // The sums are kept by another process, too: a second gateway on the same files refuses at once.
    until("usage is kept", async || used(&gateway).requests == 3).await;
    assert!((used(&gateway).usd - 3.0 * USD_EACH).abs() < 1e-9);
    // More money, more answers, without a restart.
    keys::set(&gateway.path("keys.json"), "alice", |record| record.policy.monthly_usd = Some(1.0)).unwrap();
    until("the new budget is known", async || ask(&gateway, &key, plain()).await.status == StatusCode::OK)
        .await;
}

/// Clients that ask at the same time.
pub(crate) const CLIENTS: usize = 64;

/// The number of answers that [`CLIENTS`] get before each is refused for the budget; they take the gateways in turns.
pub(crate) async fn race(gateways: Vec<Arc<Gateway>>, key: &str) -> usize {
    let client = |at: usize| {
        let (gateway, key) = (Arc::clone(&gateways[at % gateways.len()]), key.to_owned());
        tokio::spawn(async move {
            let mut n_answered = 0;
            for _ in 0..20 {
                let (status, code) = outcome(&ask(&gateway, &key, plain()).await);
                assert!(status == 200 || code == "budget_exceeded", "{status} {code}");
                n_answered += usize::from(status == 200);
            }
            n_answered
        })
    };
    let mut n_answered = 0;
    for client in (0..CLIENTS).map(client).collect::<Vec<_>>() {
        n_answered += client.await.unwrap();
    }
    n_answered
}

#[tokio::test]
async fn a_race_for_the_last_cent_overspends_by_what_is_in_flight() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let policy = Policy { monthly_usd: Some(10.0 * USD_EACH), ..Policy::default() };
    let (gateway, _, key) = gateway_with(&upstream, policy).await;
    let gateway = Arc::new(gateway);
    let n_answered = race(vec![Arc::clone(&gateway)], &key).await;
    assert!((10..10 + CLIENTS).contains(&n_answered), "{n_answered}");
    until("usage is kept", async || used(&gateway).requests == n_answered as u64).await;
}

#[tokio::test]
async fn models_providers_and_projects_are_restricted() {
    let first = Upstream::start(|_, _| Reply::completion("from the first")).await;
    let second = Upstream::start(|_, _| Reply::completion("from the second")).await;
    let plan = Plan::new();
    plan.write("shop/a.py", "def total():\n    return 1\n");
    plan.ingest("shop");
    let file = providers(&plan, &first, &second);
    let (_, key) = keys::add(&plan.path("keys.json"), "alice").unwrap();
    let restrict = |policy: &mut Policy| {
        policy.models = vec!["fast".into()];
        policy.providers = vec!["two".into()];
        policy.projects = vec!["shop".into()];
    };
    keys::set(&plan.path("keys.json"), "alice", |record| restrict(&mut record.policy)).unwrap();
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    assert!(ask(&gateway, &key, plain()).await.text().contains("from the second"));
    assert_eq!(first.asked().len(), 0);
    let other = json!({ "model": "slow", "messages": [] });
    assert_eq!(outcome(&ask(&gateway, &key, other).await), (403, "model_not_allowed".into()));
    let search = async |project: &str| {
        let authorization = format!("Bearer {key}");
        let body = json!({ "project": project, "query": "total" });
        let answer = gateway.post_with("/v1/search", body, &[("authorization", &authorization)]).await;
        outcome(&answer)
    };
    assert_eq!(search("shop").await, (200, String::new()));
    // The answer is the same whether or not there is such a project.
    assert_eq!(search("secret").await, (403, "project_not_allowed".into()));
    assert_eq!(search("nothing").await, (403, "project_not_allowed".into()));
    let mut chat = plain();
    chat["project"] = json!("secret");
    assert_eq!(outcome(&ask(&gateway, &key, chat).await), (403, "project_not_allowed".into()));
}

#[tokio::test]
async fn keys_expire_and_rotate() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let (gateway, _, old) = gateway_with(&upstream, Policy::default()).await;
    let file = gateway.path("keys.json");
    let (_, new) = keys::rotate(&file, "alice", "1h").unwrap();
    until("the new key opens", async || ask(&gateway, &new, plain()).await.status == StatusCode::OK).await;
    assert_eq!(ask(&gateway, &old, plain()).await.status, StatusCode::OK, "within the overlap");
    let past = "2020-01-01T00:00:00Z".to_owned();
    keys::set(&file, "alice", |record| record.replaced.as_mut().unwrap().until = past.clone()).unwrap();
    until("the old key ends", async || ask(&gateway, &old, plain()).await.status == StatusCode::UNAUTHORIZED)
        .await;
    assert_eq!(ask(&gateway, &new, plain()).await.status, StatusCode::OK);
    keys::set(&file, "alice", |record| record.expires_at = Some(past)).unwrap();
    until("the key expires", async || ask(&gateway, &new, plain()).await.status == StatusCode::UNAUTHORIZED)
        .await;
}

#[tokio::test]
async fn tokens_are_estimated_where_a_provider_does_not_count_them() {
    let upstream =
        Upstream::start(|_, _| Reply::stream("one two three four", Duration::ZERO, End::Well)).await;
    let (gateway, _, key) = gateway_with(&upstream, Policy::default()).await;
    let body = json!({ "model": "fast", "stream": true, "messages": [{ "role": "user", "content": "x".repeat(4_000) }] });
    assert_eq!(ask(&gateway, &key, body).await.status, StatusCode::OK);
    until("usage is kept", async || used(&gateway).requests == 1).await;
    let used = used(&gateway);
    assert_eq!(used.estimated, 1);
    assert!((1_000..1_100).contains(&used.input_tokens) && (4..=8).contains(&used.output_tokens), "{used:?}");
    let tokens =
        |direction| format!("llm_tokens_used{{direction=\"{direction}\",model=\"fast\",upstream=\"one\"}}");
    assert_eq!(gateway.metric(&tokens("input")).await, used.input_tokens as f64);
    assert_eq!(gateway.metric(&tokens("output")).await, used.output_tokens as f64);
    assert!(
        used.usd > 1.0 && (gateway.metric("estimated_cost_usd").await - used.usd).abs() < 1e-9,
        "{used:?}"
    );
}
