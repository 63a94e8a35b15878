//! A gateway with settings of a test's own, a client for it, and everything that it has logged.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use craig_engine::{Config, Environment, Settings, Sources};
use craig_gateway::{GatewayConfig, Running, StartError, WatchedFile};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tempfile::TempDir;

use crate::upstream::Upstream;

/// The provider's key; it must be seen by the provider and by nobody else.
pub(crate) const PROVIDER_KEY: &str = "sk-provider-planted-key";
pub(crate) const ADMIN_TOKEN: &str = "admin-planted-token";
pub(crate) const PROVIDER_HEADER: &str = "provider-planted-header";
pub(crate) const VOYAGE_KEY: &str = "pa-voyage-planted-key";

/// What a gateway is started with.
pub(crate) struct Plan {
    folder: TempDir,
    options: Options,
}

/// Everything that decides about a configuration.
#[derive(Clone)]
struct Options {
    folder: PathBuf,
    flags: Vec<(String, String)>,
    redis: Option<String>,
}

/// Everything that a gateway has logged.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

/// A running gateway.
pub(crate) struct Gateway {
    running: Option<Running>,
    pub(crate) url: String,
    pub(crate) log: Log,
    folder: TempDir,
    client: Client<hyper_util::client::legacy::connect::HttpConnector, Full<Bytes>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Plan {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { folder: folder.path().to_owned(), flags: Vec::new(), redis: None };
        Self { folder, options }
    }

    /// A plan whose models are served by `upstream`.
    pub(crate) fn with(upstream: &Upstream) -> Self {
        Self::new()
            .set("gateway.upstream_url", &upstream.url)
            .set("gateway.upstream_key_env", "PROVIDER_KEY")
            .set("gateway.upstream_model", "mock")
    }

    /// The same, with Voyage at `voyage`.
    pub(crate) fn voyage(self, voyage: &Upstream) -> Self {
        self.set("reranker.provider", "voyage")
            .set("reranker.base_url", &voyage.url)
            .set("reranker.key_env", "VOYAGE_API_KEY")
    }

    /// The same, sharing what it knows through Redis.
    pub(crate) fn redis(self, url: &str) -> Self {
        let mut plan = self.set("gateway.redis_env", "REDIS");
        plan.options.redis = Some(url.to_owned());
        plan
    }

    pub(crate) fn set(mut self, key: &str, value: &str) -> Self {
        self.options.flags.push((key.to_owned(), value.to_owned()));
        self
    }

    /// A file of this plan's own folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn config(&self) -> GatewayConfig {
        self.try_config().unwrap()
    }

    pub(crate) fn try_config(&self) -> Result<GatewayConfig, String> {
        self.options.config()
    }

    /// Ingests a folder of this plan as a project of its name.
    pub(crate) fn ingest(&self, folder: &str) {
        let engine = craig_engine::Engine::new(&self.config().engine);
        let directory = self.path(folder);
        engine.prepare(&craig_engine::PrepareRequest::for_directory(&directory), &mut |_| {}).unwrap();
    }

    pub(crate) async fn start(self) -> Gateway {
        self.try_start().await.unwrap()
    }

    pub(crate) async fn try_start(self) -> Result<Gateway, StartError> {
        let config = self.config();
        self.start_with(config).await
    }

    /// Starts with a configuration that was read before.
    pub(crate) async fn start_with(self, config: GatewayConfig) -> Result<Gateway, StartError> {
        let log = Log::default();
        let options = self.options.clone();
        let running = Running::start(config, Box::new(move || options.config()), log.clone()).await?;
        let url = format!("http://{}", running.address);
        let client = Client::builder(TokioExecutor::new()).build_http();
        Ok(Gateway { running: Some(running), url, log, folder: self.folder, client })
    }
}

impl Options {
    /// The configuration as the files are now; the settings may be in `config.toml`.
    fn config(&self) -> Result<GatewayConfig, String> {
        let path = |name: &str| self.folder.join(name);
        let environment: Environment = [
            ("PROVIDER_KEY", PROVIDER_KEY),
            ("VOYAGE_API_KEY", VOYAGE_KEY),
            ("PROVIDER_HEADER", PROVIDER_HEADER),
            ("ADMIN_TOKEN", ADMIN_TOKEN),
            ("SHORT", "short"),
        ]
        .into_iter()
        .chain(self.redis.as_deref().map(|url| ("REDIS", url)))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
        let own = [("gateway.address", "127.0.0.1:0"), ("gateway.drain_ms", "0")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let flags = own.into_iter().chain(self.flags.clone()).collect();
        let user_file = WatchedFile::new(path("config.toml"));
        let sources =
            Sources { environment, flags, user_file: Some(path("config.toml")), ..Sources::default() };
        let settings = Settings::resolve(&sources).map_err(|error| error.to_string())?;
        let engine = Config::from_settings(&settings, path("craig.db")).map_err(|error| error.to_string())?;
        let config = GatewayConfig::from_settings(&settings, engine, path("keys.json"));
        let mut config = config.map_err(|error| error.to_string())?;
        config.files.push(user_file);
        Ok(config)
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap()
    }

    /// The events of a kind.
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let lines: Vec<Value> = self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.into_iter().filter(|line| line["event"] == kind).collect()
    }
}

impl Gateway {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let response = self.client.request(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: head.status, headers: head.headers, body }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(format!("{}{path}", self.url)).body(Full::default()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl ToString) -> Answer {
        self.post_with(path, body, &[]).await
    }

    pub(crate) async fn post_with(
        &self,
        path: &str,
        body: impl ToString,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request =
            Request::post(format!("{}{path}", self.url)).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Full::from(body.to_string())).unwrap()).await
    }

    pub(crate) async fn chat(&self, body: impl ToString) -> Answer {
        self.post("/v1/chat/completions", body).await
    }

    /// The value of a metric with all its labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let page = self.get("/metrics").await.text();
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0.0, |value| value.parse().unwrap())
    }

    /// The gateway as such, for tests that stop it in their own way.
    pub(crate) fn take_running(&mut self) -> Running {
        self.running.take().unwrap()
    }

    /// Where the status page is.
    pub(crate) fn admin_url(&self) -> String {
        format!("http://{}", self.running.as_ref().unwrap().admin_address.unwrap())
    }

    /// Reads the configuration again, as on SIGHUP.
    pub(crate) fn reload(&self) {
        self.running.as_ref().unwrap().reload();
    }

    pub(crate) async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
    }
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The code of an error.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Waits until `is_so`, for at most ten seconds.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !is_so().await {
        assert!(started.elapsed() < Duration::from_secs(10), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Says why a test cannot show anything here. Where `CRAIG_TEST_TOOLS_REQUIRED` is set, as in continuous integration, a
/// missing tool is a failure instead.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should see what was not tested")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}
