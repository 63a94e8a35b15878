//! What each provider has of its own: headers, a share of the requests, bounds, models; and what the log keeps of an answer.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use craig_gateway::keys::{self, Policy};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::harness::{Gateway, PROVIDER_HEADER, PROVIDER_KEY, Plan, until};
use crate::upstream::{End, Reply, Upstream};

/// A provider of the model `m`, with these further lines.
fn provider(name: &str, upstream: &Upstream, more: &str) -> String {
    format!(
        "[[upstream]]\nname = \"{name}\"\nbase_url = \"{}\"\nmodels = {{ m = \"m\" }}\n{more}\n",
        upstream.url
    )
}

async fn serving(providers: &[String]) -> Gateway {
    let plan = Plan::new();
    let file = plan.write("upstreams.toml", &providers.concat());
    plan.set("gateway.upstreams", &file).start().await
}

fn asking(text: &str) -> Value {
    json!({ "model": "m", "messages": [{ "role": "user", "content": text }] })
}

fn too_long() -> Reply {
    Reply::status(
        400,
        json!({ "error": {
        "message": "Your input exceeds the context window of this model.", "type": "invalid_request_error",
        "param": "messages", "code": "context_length_exceeded",
    } }),
    )
}

#[tokio::test]
async fn headers_come_from_the_environment_and_are_shown_to_nobody() {
    let repeats = |text: &str| json!({ "error": { "message": format!("wrong: {text}"), "code": "bad" } });
    let upstream = Upstream::start(move |asked, n| match n {
        0 => Reply::completion("yes"),
        _ => Reply::status(400, repeats(asked.header("x-team").unwrap_or("no header"))),
    })
    .await;
    let more = "key_env = \"PROVIDER_KEY\"\nheaders_env = { X-Team = \"PROVIDER_HEADER\" }";
    let gateway = serving(&[provider("one", &upstream, more)]).await;
    assert_eq!(gateway.chat(asking("hello")).await.status, StatusCode::OK);
    let asked = &upstream.asked()[0];
    let key = format!("Bearer {PROVIDER_KEY}");
    assert_eq!((asked.header("x-team"), asked.header("authorization")), (Some(PROVIDER_HEADER), Some(&*key)));
    let refused = gateway.chat(asking("hello")).await;
    assert_eq!((refused.status, refused.code().as_str()), (StatusCode::BAD_REQUEST, "bad"));
    assert!(refused.text().contains("wrong: [key]"), "{}", refused.text());
    until("both are logged", async || gateway.log.events("answer_completed").len() == 2).await;
    assert!(!gateway.log.text().contains(PROVIDER_HEADER));
}

#[tokio::test]
async fn headers_that_cannot_be_sent_are_refused() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    for (more, expected) in [
        ("headers_env = { Host = \"PROVIDER_HEADER\" }", "which the gateway sets itself"),
        ("headers_env = { X-Team = \"NO_SUCH\" }", "names NO_SUCH, which is not set"),
        ("headers_env = { \"a b\" = \"PROVIDER_HEADER\" }", "is not a header"),
        ("weight = -1.0", "'weight' of \"one\" is not 0 or more"),
        ("tries = 0", "upstreams.toml:5: provider \"one\": invalid value"),
        (
            "[prices.m]\noutput_usd_per_million_tokens = -1.0",
            "upstreams.toml:5: 'output_usd_per_million_tokens' of the price of \"m\" is not 0 or more",
        ),
    ] {
        let gateway = serving(&[provider("one", &upstream, "")]).await;
        std::fs::write(gateway.path("upstreams.toml"), provider("one", &upstream, more)).unwrap();
        gateway.reload();
        until("it is refused", async || !gateway.log.events("config_refused").is_empty()).await;
        let reason = gateway.log.events("config_refused")[0]["reason"].to_string().replace('\\', "");
        assert!(reason.contains(expected) && !reason.contains(PROVIDER_HEADER), "{reason}");
    }
}

#[tokio::test]
async fn a_price_that_no_provider_needs_is_reported() {
    let upstream = Upstream::start(|_, _| Reply::completion("yes")).await;
    let priced = |models: &[&str]| {
        let price = |model: &&str| format!("[prices.{model}]\ninput_usd_per_million_tokens = 1.0\n");
        models.iter().map(price).collect::<String>()
    };
    let unused = async |gateway: &Gateway, n: usize| {
        until("it is logged", async || gateway.log.events("prices_unused").len() == n).await;
        gateway.log.events("prices_unused")[n - 1]["models"].clone()
    };
    let listed =
        format!("[[upstream]]\nname = \"one\"\nbase_url = \"{}\"\nmodels.fast = \"tiny\"\n", upstream.url);
    let gateway = serving(&[listed.clone(), priced(&["tiny", "other", "fast"])]).await;
    assert_eq!(unused(&gateway, 1).await, json!(["fast"]), "a price is that of the provider's name");
    let closed = format!("{listed}only_listed = true\n{}", priced(&["tiny", "other"]));
    std::fs::write(gateway.path("upstreams.toml"), closed).unwrap();
    gateway.reload();
    assert_eq!(unused(&gateway, 2).await, json!(["other"]));
}

/// The address of a server that does not speak TLS.
async fn without_tls() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        }
    });
    address
}

#[tokio::test]
async fn a_failed_request_is_logged_with_its_provider_and_the_cause() {
    let https = format!("https://{}", without_tls().await);
    for (url, cause) in [
        ("http://127.0.0.1:9", "connection refused"),
        ("http://no-such-host.invalid", "the name cannot be resolved"),
        (&https, "TLS: "),
    ] {
        let entry =
            format!("[[upstream]]\nname = \"wrong\"\nbase_url = \"{url}\"\nmodel = \"m\"\ntries = 1\n");
        let gateway = serving(&[entry]).await;
        let answer = gateway.chat(asking("hello")).await;
        assert_eq!(answer.json()["error"]["message"], "the provider cannot be reached");
        until("it is logged", async || !gateway.log.events("answer_completed").is_empty()).await;
        let logged = gateway.log.events("answer_completed").remove(0);
        let named = ["provider", "model", "outcome"].map(|name| &logged[name]);
        assert_eq!(named, ["wrong", "m", "network"]);
        assert!(logged["cause"].as_str().unwrap_or_default().starts_with(cause), "{logged}");
    }
}

#[tokio::test]
async fn weights_share_conversations_and_a_conversation_stays_where_it_began() {
    let answering = async || Upstream::start(|_, _| Reply::completion("yes")).await;
    let (one, three, none) = (answering().await, answering().await, answering().await);
    let gateway = serving(&[
        provider("one", &one, "weight = 1.0"),
        provider("three", &three, "weight = 3.0"),
        provider("none", &none, "weight = 0.0"),
    ])
    .await;
    let n_conversations: usize = 200;
    for n in 0..n_conversations {
        let mut body = asking(&format!("question {n}"));
        let first = gateway.chat(&body).await.header("x-craig-provider").to_owned();
        let turns = body["messages"].as_array_mut().unwrap();
        turns.push(json!({ "role": "assistant", "content": "yes" }));
        turns.push(json!({ "role": "user", "content": "and then" }));
        assert_eq!(gateway.chat(&body).await.header("x-craig-provider"), first);
    }
    let n_one = one.asked().len() / 2;
    // Binomial: 50 expected, standard deviation 6.1; five of them on each side.
    assert!((20..=80).contains(&n_one), "{n_one} of {n_conversations}");
    assert_eq!((one.asked().len() + three.asked().len(), none.asked().len()), (2 * n_conversations, 0));
}

#[tokio::test]
async fn a_provider_has_its_own_time_and_tries() {
    let hanging = Upstream::start(|_, _| Reply::Hang).await;
    let failing = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let gateway = serving(&[
        provider("slow", &hanging, "timeout_ms = 200\ntries = 1"),
        provider("down", &failing, "tries = 2"),
    ])
    .await;
    let started = Instant::now();
    let answer = gateway.chat(asking("hello")).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!((hanging.asked().len(), failing.asked().len()), (1, 2));
    until("it is logged", async || !gateway.log.events("answer_completed").is_empty()).await;
    let logged = &gateway.log.events("answer_completed")[0];
    assert_eq!((&logged["tries"], &logged["outcome"]), (&json!(3), &json!("server")));
    assert_eq!((&logged["provider"], &logged["usd"]), (&json!("down"), &json!(0.0)));
}

#[tokio::test]
async fn failures_and_times_are_counted_for_their_own_provider() {
    let hanging = Upstream::start(|_, _| Reply::Hang).await;
    let failing_once = Upstream::start(|_, n| match n {
        0 => Reply::status(500, json!({})),
        _ => Reply::completion("yes"),
    })
    .await;
    let slow = provider("slow", &hanging, "timeout_ms = 800\ntries = 1");
    let gateway = serving(&[slow, provider("up", &failing_once, "")]).await;
    let answer = gateway.chat(asking("hello")).await;
    assert_eq!((answer.header("x-craig-provider"), answer.header("x-craig-tries")), ("up", "3"));
    let errors = async |gateway: &Gateway, class: &str, name: &str| {
        gateway.metric(&format!("upstream_errors{{class=\"{class}\",upstream=\"{name}\"}}")).await
    };
    assert_eq!(errors(&gateway, "timeout", "slow").await, 1.0);
    assert_eq!(errors(&gateway, "server", "up").await, 1.0);
    until("it is logged", async || !gateway.log.events("answer_completed").is_empty()).await;
    let logged = &gateway.log.events("answer_completed")[0];
    for ms in [
        gateway.metric("time_to_first_byte_ms_sum{upstream=\"up\"}").await,
        gateway.metric("llm_ms_sum{model=\"m\",upstream=\"up\"}").await,
        logged["total_ms"].as_f64().unwrap(),
    ] {
        assert!(ms > 0.0 && ms < 800.0, "{ms}: {logged}");
    }

    let refusing = Upstream::start(|_, _| Reply::status(400, json!({}))).await;
    let failing = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let gateway =
        serving(&[provider("down", &failing, "tries = 1"), provider("refusing", &refusing, "")]).await;
    assert_eq!(gateway.chat(asking("hello")).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(errors(&gateway, "server", "down").await, 1.0);
    assert_eq!(errors(&gateway, "invalid_request", "refusing").await, 1.0);

    let pausing = Upstream::start(|_, _| Reply::Stream {
        events: vec![
            ": one moment\n\n".to_owned(),
            "data: {\"choices\":[{}]}\n\ndata: [DONE]\n\n".to_owned(),
        ],
        pause: Duration::from_secs(1),
        end: End::Well,
    })
    .await;
    let pausing = provider("pausing", &pausing, "first_byte_timeout_ms = 900");
    let gateway = serving(&[pausing, provider("late", &hanging, "")]).await;
    assert_eq!(gateway.chat(asking("hello")).await.header("x-craig-tries"), "2");
    assert_eq!(errors(&gateway, "timeout", "late").await, 0.0, "it had a tenth of a second");
}

#[tokio::test]
async fn a_request_that_is_too_long_for_one_model_goes_to_the_next() {
    let anthropic = |message: &str| {
        let error = json!({ "type": "invalid_request_error", "message": message });
        Reply::status(400, json!({ "type": "error", "error": error }))
    };
    let vllm = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.";
    let refusals: Vec<(Box<dyn Fn() -> Reply + Send + Sync>, bool)> = vec![
        (Box::new(too_long), true),
        (Box::new(move || anthropic("prompt is too long: 205323 tokens > 200000 maximum")), true),
        (Box::new(move || anthropic("input length and `max_tokens` exceed context limit: 9 + 9 > 10")), true),
        (
            Box::new(move || Reply::status(400, json!({ "object": "error", "message": vllm, "code": 400 }))),
            true,
        ),
        (Box::new(move || anthropic("messages: roles must alternate")), false),
    ];
    for (refusal, goes_on) in refusals {
        let short = Upstream::start(move |_, _| refusal()).await;
        let long = Upstream::start(|_, _| Reply::completion("yes")).await;
        let gateway = serving(&[provider("short", &short, ""), provider("long", &long, "")]).await;
        let answer = gateway.chat(asking("hello")).await;
        let asked = (short.asked().len(), long.asked().len());
        assert_eq!(
            (answer.status.is_success(), asked),
            (goes_on, (1, usize::from(goes_on))),
            "{}",
            answer.text()
        );
        if goes_on {
            let headers = (answer.header("x-craig-provider"), answer.header("x-craig-tries"));
            assert_eq!(headers, ("long", "2"));
            let errors = "upstream_errors{class=\"context_too_long\",upstream=\"short\"}";
            assert_eq!(gateway.metric(errors).await, 1.0);
        }
    }
    // If it is too long for all, the client sees why.
    let short = Upstream::start(|_, _| too_long()).await;
    let gateway = serving(&[provider("a", &short, ""), provider("b", &short, "")]).await;
    let refused = gateway.chat(asking("hello")).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (StatusCode::BAD_REQUEST, "context_length_exceeded")
    );
}

#[tokio::test]
async fn models_are_those_of_all_providers_that_the_key_may_use() {
    let listing = |ids: &'static [&'static str]| {
        Upstream::start(move |asked, _| match asked.path.as_str() {
            "/v1/models" => {
                let data: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "object": "model" })).collect();
                Reply::json(json!({ "object": "list", "data": data }))
            }
            _ => Reply::completion("yes"),
        })
    };
    let (one, two) = (listing(&["big", "shared"]).await, listing(&["shared", "other"]).await);
    let down = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let plan = Plan::new();
    let file = [
        provider("one", &one, "key_env = \"PROVIDER_KEY\""),
        provider("two", &two, ""),
        provider("listed", &two, "only_listed = true"),
        provider("down", &down, ""),
    ];
    let file = plan.write("upstreams.toml", &file.concat());
    let with_policy = |name: &str, policy: Policy| {
        let path = plan.path("keys.json");
        let (_, key) = keys::add(&path, name).unwrap();
        keys::set(&path, name, |record| record.policy = policy).unwrap();
        key
    };
    let all = with_policy("all", Policy::default());
    let some = with_policy("some", Policy { models: vec!["m".into(), "other".into()], ..Policy::default() });
    let of_two = with_policy("two", Policy { providers: vec!["two".into()], ..Policy::default() });
    let gateway = plan.set("gateway.upstreams", &file).start().await;
    let get = async |path: &str, key: &str| {
        let request = http::Request::get(format!("{}{path}", gateway.url)).header("x-api-key", key);
        gateway.send(request.body(Default::default()).unwrap()).await.json()
    };
    let listed = async |key: &str| {
        let list = get("/v1/models", key).await;
        let pairs = list["data"].as_array().unwrap().iter();
        pairs
            .map(|model| format!("{} {}", model["id"], model["owned_by"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(&all).await, ["big one", "craig craig", "m one", "other two", "shared one"]);
    assert_eq!(listed(&some).await, ["craig craig", "m one", "other two"]);
    assert_eq!(listed(&of_two).await, ["craig craig", "m two", "other two", "shared two"]);
    assert_eq!(get("/v1/models/big", &some).await["error"]["code"], "model_not_found");
    assert_eq!(get("/v1/models/shared", &of_two).await["owned_by"], "two");
    // Providers are asked once a minute.
    let n_asked =
        |upstream: &Upstream| upstream.asked().iter().filter(|asked| asked.path == "/v1/models").count();
    assert_eq!((n_asked(&one), n_asked(&two), n_asked(&down)), (1, 1, 1));
    let key = format!("Bearer {PROVIDER_KEY}");
    assert_eq!(one.asked()[0].header("authorization"), Some(&*key));
}

#[tokio::test]
async fn an_answer_is_logged_with_what_it_took() {
    let failing = Upstream::start(|_, _| Reply::status(500, json!({}))).await;
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 30, "completion_tokens": 4,
        "prompt_tokens_details": { "cached_tokens": 20 } } });
    let streaming =
        Upstream::start(move |_, _| match Reply::stream("one two ", Duration::from_millis(50), End::Well) {
            Reply::Stream { mut events, pause, end } => {
                events.insert(events.len() - 1, format!("data: {usage}\n\n"));
                Reply::Stream { events, pause, end }
            }
            other => other,
        })
        .await;
    let prices =
        "[prices.m]\ninput_usd_per_million_tokens = 1000.0\noutput_usd_per_million_tokens = 2000.0\n";
    let gateway = serving(&[
        provider("down", &failing, "tries = 1"),
        provider("up", &streaming, ""),
        prices.to_owned(),
    ])
    .await;
    let mut body = asking("hello");
    body["stream"] = true.into();
    let path = "/v1/chat/completions";
    let answer = gateway.post_with(path, body, &[("x-request-id", "mine-1")]).await;
    assert_eq!((answer.header("x-craig-provider"), answer.header("x-craig-tries")), ("up", "2"));
    until("it is logged", async || !gateway.log.events("answer_completed").is_empty()).await;
    let logged = gateway.log.events("answer_completed").remove(0);
    let named = ["request_id", "provider", "model", "operation", "outcome", "user"].map(|name| &logged[name]);
    assert_eq!(named, ["mine-1", "up", "m", "chat", "ok", "local"]);
    let counted = ["tries", "input_tokens", "cached_tokens", "output_tokens"].map(|name| &logged[name]);
    assert_eq!(counted, [2, 30, 20, 4]);
    assert!((logged["usd"].as_f64().unwrap() - 0.038).abs() < 1e-9, "{logged}");
    let (first, total) = (logged["first_byte_ms"].as_f64().unwrap(), logged["total_ms"].as_f64().unwrap());
    assert!(total > first + 50.0 && first > 0.0, "{logged}");
}
