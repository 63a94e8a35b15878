//! People who sign in at an identity provider: tokens that open, tokens that do not, and what the page needs.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::harness::{Answer, Gateway, Plan, until};
use crate::upstream::{Asked, Reply, Upstream};

const AUDIENCE: &str = "https://craig.example/mcp";

/// A key of the provider.
struct Signer {
    id: &'static str,
    pair: EcdsaKeyPair,
}

/// An identity provider, and the address that it answers at.
struct Provider {
    upstream: Upstream,
    /// The keys that it publishes.
    published: Arc<Mutex<Vec<Value>>>,
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    fn new(id: &'static str) -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap();
        Self { id, pair }
    }

    fn jwk(&self) -> Value {
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id, "x": encoded(x), "y": encoded(y) })
    }

    fn signed(&self, head: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encoded(head.to_string()), encoded(claims.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", encoded(signature))
    }

    fn token(&self, claims: &Value) -> String {
        self.signed(&json!({ "alg": "ES256", "typ": "JWT", "kid": self.id }), claims)
    }
}

impl Provider {
    /// One that publishes the keys of `signers`, and answers everything else by `others`.
    async fn start(signers: &[&Signer], others: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let published: Arc<Mutex<Vec<Value>>> =
            Arc::new(Mutex::new(signers.iter().map(|signer| signer.jwk()).collect()));
        let keys = Arc::clone(&published);
        let upstream = Upstream::start(move |asked, _| {
            let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
            let issuer = format!("http://{host}");
            match asked.path.as_str() {
                "/.well-known/openid-configuration" => Reply::json(json!({
                    "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
                })),
                "/keys" => {
                    // A key of an unknown kind.
                    let mut all = vec![json!({ "kty": "LATTICE", "kid": "new" })];
                    all.extend(keys.lock().unwrap().iter().cloned());
                    Reply::json(json!({ "keys": all }))
                }
                _ => others(asked),
            }
        })
        .await;
        Self { upstream, published }
    }

    /// Claims of somebody in `groups`.
    fn claims(&self, groups: &[&str]) -> Value {
        json!({
            "iss": self.upstream.url, "sub": "7", "aud": AUDIENCE, "exp": now() + 300, "groups": groups,
            "preferred_username": "alice",
        })
    }

    fn file(&self, rest: &str) -> String {
        let issuer = &self.upstream.url;
        format!("issuer = '{issuer}'\nurl = 'https://craig.example'\naudience = ['{AUDIENCE}']\n{rest}")
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A gateway with the projects `shop` and `secret`, at which the members of the group `shop` may use the former.
async fn gateway(provider: &Provider) -> Gateway {
    let plan = Plan::new();
    for project in ["shop", "secret"] {
        plan.write(&format!("{project}/main.rs"), "/// Sums up orders.\nfn total() {}\n");
        plan.ingest(project);
    }
    let file = plan
        .write("sign-in.toml", &provider.file("client_id = 'page'\n[groups.shop]\nprojects = ['shop']\n"));
    let plan = plan.set("gateway.sign_in", &file);
    let mut config = plan.config();
    config.team = Some(Router::new());
    plan.start_with(config).await.unwrap()
}

async fn search(gateway: &Gateway, project: &str, token: &str) -> Answer {
    let body = json!({ "query": "total", "project": project });
    gateway.post_with("/v1/search", body, &[("authorization", &format!("Bearer {token}"))]).await
}

#[tokio::test]
async fn a_token_opens_what_its_groups_may_use() {
    let signer = Signer::new("a");
    let provider = Provider::start(&[&signer], |_| Reply::Close).await;
    let gateway = gateway(&provider).await;
    let token = signer.token(&provider.claims(&["shop", "other"]));
    assert_eq!(search(&gateway, "shop", &token).await.status, StatusCode::OK);
    let refused = search(&gateway, "secret", &token).await;
    assert!(refused.status.is_client_error() && !refused.text().contains("main.rs"), "{}", refused.text());

    // Their lines in the log have the hash of a person, which one line explains.
    until("a person is named", async || !gateway.log.events("person_admitted").is_empty()).await;
    let named = gateway.log.events("person_admitted");
    assert_eq!((named.len(), &named[0]["subject"], &named[0]["name"]), (1, &json!("7"), &json!("alice")));
    let completed = gateway.log.events("request_completed");
    assert!(completed.iter().all(|line| line["user"] == named[0]["user"]), "{completed:?}");

    let none = search(&gateway, "shop", &signer.token(&provider.claims(&["other"]))).await;
    assert_eq!((none.status, none.code().as_str()), (StatusCode::FORBIDDEN, "no_group"));
    // The provider was asked for its description and its keys, and never again.
    assert_eq!(provider.upstream.asked().len(), 2);
}

#[tokio::test]
async fn tokens_for_others_and_forgeries_are_refused() {
    let (signer, other) = (Signer::new("a"), Signer::new("a"));
    let provider = Provider::start(&[&signer], |_| Reply::Close).await;
    let gateway = gateway(&provider).await;
    let claims = provider.claims(&["shop"]);
    let with = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        signer.token(&claims)
    };
    let without = |name: &str| {
        let mut claims = claims.clone();
        claims.as_object_mut().unwrap().remove(name);
        signer.token(&claims)
    };
    let genuine = signer.token(&claims);
    assert_eq!(search(&gateway, "shop", &genuine).await.status, StatusCode::OK);
    let (head, rest) = genuine.split_once('.').unwrap();
    let (_, signature) = rest.split_once('.').unwrap();
    let raised = encoded(provider.claims(&["shop", "root"]).to_string());
    let with_secret = |algorithm: &str| {
        let message = format!(
            "{}.{}",
            encoded(json!({ "alg": algorithm, "kid": "a" }).to_string()),
            encoded(claims.to_string())
        );
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, signer.pair.public_key().as_ref());
        format!("{message}.{}", encoded(ring::hmac::sign(&key, message.as_bytes())))
    };
    let refused = [
        ("another key", other.token(&claims)),
        ("changed", format!("{head}.{raised}.{signature}")),
        ("no signature", format!("{head}.{}.", rest.split('.').next().unwrap())),
        ("no algorithm", signer.signed(&json!({ "alg": "none" }), &claims)),
        ("the public key as a secret", with_secret("HS256")),
        ("another algorithm", signer.signed(&json!({ "alg": "RS256", "kid": "a" }), &claims)),
        ("expired", with("exp", json!(now() - 60))),
        ("not yet", with("nbf", json!(now() + 300))),
        ("another issuer", with("iss", json!("https://evil.example"))),
        ("another audience", with("aud", json!(["https://other.example"]))),
        ("for nobody", without("aud")),
        ("for ever", without("exp")),
        ("of nobody", without("sub")),
        ("malformed", "a.b.c".to_owned()),
        ("empty", "..".to_owned()),
    ];
    for (name, token) in refused {
        let answer = search(&gateway, "shop", &token).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (StatusCode::UNAUTHORIZED, "invalid_token"),
            "{name}"
        );
        let challenge = answer.header("www-authenticate");
        assert!(
            challenge.starts_with("Bearer error=\"invalid_token\", resource_metadata="),
            "{name}: {challenge}"
        );
    }
    let nothing = gateway.post("/v1/search", json!({ "query": "total", "project": "shop" })).await;
    let expected =
        "Bearer resource_metadata=\"https://craig.example/.well-known/oauth-protected-resource/mcp\"";
    assert_eq!((nothing.status, nothing.header("www-authenticate")), (StatusCode::UNAUTHORIZED, expected));
    let metadata = gateway.get("/.well-known/oauth-protected-resource/mcp").await.json();
    assert_eq!(metadata["resource"], AUDIENCE);
    assert_eq!(metadata["authorization_servers"], json!([provider.upstream.url]));
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_found_and_an_unknown_one_asks_little() {
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    let provider = Provider::start(&[&old], |_| Reply::Close).await;
    let gateway = gateway(&provider).await;
    let claims = provider.claims(&["shop"]);
    for _ in 0..5 {
        assert_eq!(search(&gateway, "shop", &new.token(&claims)).await.code(), "invalid_token");
    }
    assert_eq!(provider.upstream.asked().len(), 2);
    *provider.published.lock().unwrap() = vec![new.jwk()];
    let opens = async || search(&gateway, "shop", &new.token(&claims)).await.status == StatusCode::OK;
    until("the new key is known", opens).await;
    assert_eq!(search(&gateway, "shop", &old.token(&claims)).await.code(), "invalid_token");
}

#[tokio::test]
async fn while_the_provider_is_away_keys_open_and_its_name_must_be_its_own() {
    let signer = Signer::new("a");
    let plan = Plan::new();
    plan.write("shop/main.rs", "fn total() {}\n");
    plan.ingest("shop");
    let (_, key) = craig_gateway::keys::add(&plan.path("keys.json"), "alice").unwrap();
    let provider = Provider::start(&[&signer], |_| Reply::Close).await;
    // The same server by another name.
    let url = provider.upstream.url.replace("127.0.0.1", "localhost");
    let file = provider.file("[everyone]\n").replace(&provider.upstream.url, &format!("{url}/"));
    let file = plan.write("sign-in.toml", &file);
    let gateway = plan.set("gateway.sign_in", &file).start().await;
    let refused = search(&gateway, "shop", &signer.token(&provider.claims(&[]))).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, "no_identity_provider")
    );
    let failed = || gateway.log.events("identity_provider_failed");
    until("the reason is logged", async || !failed().is_empty()).await;
    assert!(failed()[0]["reason"].as_str().unwrap().contains("calls itself"), "{:?}", failed());
    assert_eq!(search(&gateway, "shop", &key).await.status, StatusCode::OK);
    // Without the page of a team there is nothing to sign in for.
    assert_eq!(gateway.get("/sign-in").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_page_gets_a_token_for_a_code() {
    let signer = Arc::new(Signer::new("a"));
    let claims = Arc::new(Mutex::new(Value::Null));
    let (signing, given) = (Arc::clone(&signer), Arc::clone(&claims));
    let provider = Provider::start(&[&signer], move |asked| {
        let form = String::from_utf8(asked.body.clone()).unwrap();
        let expected = "grant_type=authorization%5Fcode&code=c%2F1&code_verifier=v&redirect_uri=https%3A%2F%2Fcraig%2Eexample%2F&client_id=page";
        let is_good = asked.path == "/token" && form == expected;
        assert!(asked.head.contains("application/x-www-form-urlencoded"), "{}", asked.head);
        match is_good {
            // An access token may be opaque.
            true => Reply::json(json!({ "access_token": "opaque", "id_token": signing.token(&given.lock().unwrap()) })),
            false => Reply::status(400, json!({ "error": "invalid_grant" })),
        }
    })
    .await;
    *claims.lock().unwrap() = provider.claims(&["shop"]);
    let gateway = gateway(&provider).await;
    let offered = gateway.get("/sign-in").await.json();
    assert_eq!(offered["authorization_endpoint"], format!("{}/authorize", provider.upstream.url));
    assert_eq!(
        (&offered["client_id"], &offered["redirect_uri"]),
        (&json!("page"), &json!("https://craig.example/"))
    );

    let exchanged = gateway.post("/sign-in", json!({ "code": "c/1", "verifier": "v" })).await;
    assert_eq!(exchanged.status, StatusCode::OK, "{}", exchanged.text());
    let token = exchanged.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(search(&gateway, "shop", &token).await.status, StatusCode::OK);
    let wrong = gateway.post("/sign-in", json!({ "code": "c/2", "verifier": "v" })).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (StatusCode::UNAUTHORIZED, "invalid_token"));
    let foreign = gateway
        .post_with(
            "/sign-in",
            json!({ "code": "c/1", "verifier": "v" }),
            &[("origin", "https://evil.example")],
        )
        .await;
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    // Nobody who may use nothing gets a token.
    *claims.lock().unwrap() = provider.claims(&[]);
    assert_eq!(gateway.post("/sign-in", json!({ "code": "c/1", "verifier": "v" })).await.code(), "no_group");
}
