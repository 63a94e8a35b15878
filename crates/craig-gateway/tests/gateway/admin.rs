//! The operator's status page: who gets it, and what it shows.

use http::{Request, StatusCode};
use serde_json::{Value, json};

use crate::harness::{ADMIN_TOKEN, Answer, Gateway, Plan, until};
use crate::keys::USD_EACH;
use crate::upstream::{Reply, Upstream};

async fn admin(gateway: &Gateway, path: &str, token: Option<&str>) -> Answer {
    let request = Request::get(format!("{}{path}", gateway.admin_url()));
    let request = token.into_iter().fold(request, |request, token| request.header("authorization", token));
    gateway.send(request.body(Default::default()).unwrap()).await
}

fn with_page(plan: Plan) -> Plan {
    plan.set("gateway.admin_address", "127.0.0.1:0").set("gateway.admin_token_env", "ADMIN_TOKEN")
}

#[tokio::test]
async fn the_page_is_for_those_with_its_token_and_at_its_address_only() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let gateway = with_page(Plan::with(&upstream)).start().await;
    for (path, kind) in [("/", "text/html"), ("/status.js", "text/javascript"), ("/status.css", "text/css")] {
        let answer = admin(&gateway, path, None).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(answer.header("content-type").starts_with(kind), "{path}");
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"),
            "{policy}"
        );
        let text = answer.text();
        assert!(
            !text.contains("style=") && !text.contains("onclick") && !text.contains("http://127"),
            "{path}"
        );
    }
    let token = format!("Bearer {ADMIN_TOKEN}");
    let almost = format!("Bearer {}", &ADMIN_TOKEN[1..]);
    for wrong in [None, Some("Bearer "), Some(&*almost), Some("Bearer x")] {
        let refused = admin(&gateway, "/status.json", wrong).await;
        assert_eq!((refused.status, refused.code().as_str()), (StatusCode::UNAUTHORIZED, "invalid_token"));
    }
    assert_eq!(admin(&gateway, "/status.json", Some(&token)).await.status, StatusCode::OK);
    assert_eq!(admin(&gateway, "/v1/models", Some(&token)).await.status, StatusCode::NOT_FOUND);
    assert_eq!(gateway.get("/status.json").await.status, StatusCode::NOT_FOUND);
    assert!(!gateway.log.text().contains(ADMIN_TOKEN));
}

#[tokio::test]
async fn a_page_needs_a_token_that_nobody_guesses() {
    let plan = Plan::new().set("gateway.admin_address", "127.0.0.1:0");
    let refused = |plan: &Plan| plan.try_config().unwrap_err();
    assert!(refused(&plan).contains("'gateway.admin_address' needs 'gateway.admin_token_env'"));
    for (variable, expected) in [("NO_SUCH", "is not set"), ("SHORT", "shorter than 16 characters")] {
        let plan = Plan::new().set("gateway.admin_address", "127.0.0.1:0");
        assert!(refused(&plan.set("gateway.admin_token_env", variable)).contains(expected), "{variable}");
    }
}

#[tokio::test]
async fn it_shows_requests_errors_money_and_breakers() {
    let down = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let up = Upstream::start(|_, _| Reply::completion("yes")).await;
    let plan = with_page(Plan::new()).set("gateway.tries", "1").set("gateway.monthly_budget_usd", "50");
    let file = crate::keys::providers(&plan, &down, &up);
    let (_, key) = craig_gateway::keys::add(&plan.path("keys.json"), "alice").unwrap();
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    let show = async || -> Value {
        admin(&gateway, "/status.json", Some(&format!("Bearer {ADMIN_TOKEN}"))).await.json()
    };
    until("the first sample has begun", async || {
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
        !show().await["samples"].as_array().unwrap().is_empty()
    })
    .await;
    let body = json!({ "model": "fast", "messages": [{ "role": "user", "content": "hello" }] });
    let authorization = format!("Bearer {key}");
    for _ in 0..22 {
        let answer =
            gateway.post_with("/v1/chat/completions", &body, &[("authorization", &authorization)]).await;
        assert_eq!(answer.header("x-craig-provider"), "two");
    }
    gateway.post("/v1/chat/completions", &body).await;
    let shown = show().await;
    let sample = shown["samples"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&sample["answered"], &sample["refused"], &sample["failed"]),
        (&json!(22), &json!(1), &json!(0))
    );
    assert_eq!(sample["errors"], json!({ "one": 20 }), "it is not called once its breaker is open");
    assert!(sample["first_byte_ms"][1].as_f64().unwrap() > 0.0, "{sample}");
    let used = &shown["usage"][0];
    assert_eq!(
        (&used["key"], &used["model"], &used["requests"]),
        (&json!("alice"), &json!("fast"), &json!(22))
    );
    assert!((used["usd"].as_f64().unwrap() - 22.0 * USD_EACH).abs() < 1e-9, "{used}");
    let breaker = json!({ "provider": "one", "model": "fast", "state": "open" });
    assert!(shown["breakers"].as_array().unwrap().contains(&breaker), "{}", shown["breakers"]);
    assert_eq!((&shown["providers"][0]["errors"], &shown["monthly_budget_usd"]), (&json!(20), &json!(50.0)));
    assert!(!shown.to_string().contains(&key));
}
