//! The configuration that is served now, and its replacement while requests run.
//!
//! A request keeps the configuration that it began with. One that cannot be read or used is refused, and the present one
//! stays.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;
use axum::Router;
use tokio_rustls::TlsAcceptor;

use crate::config::GatewayConfig;
use crate::gateway::{Gateway, StartError};
use crate::journal::{Event, Journal};
use crate::server::Surface;
use crate::usage::identity;
use crate::{admin, routes, tls};

/// Reads the configuration again, from the same sources; an error is the text for the log.
pub type Reread = Box<dyn Fn() -> Result<GatewayConfig, String> + Send + Sync>;

/// The configuration that is served now.
pub(crate) struct Live {
    current: ArcSwap<Generation>,
    reread: Reread,
}

/// Everything that was made from one configuration.
pub(crate) struct Generation {
    pub(crate) gateway: Arc<Gateway>,
    router: Router,
    admin: Router,
    /// `None` to speak HTTP without TLS.
    pub(crate) acceptor: Option<TlsAcceptor>,
}

/// What changes with a file: its time, its size and its identity; `None` if it is missing.
type Stamp = Option<(Option<SystemTime>, u64, u64)>;

/// The state of the files of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps(Vec<(PathBuf, Stamp)>);

impl Live {
    pub(crate) fn new(config: GatewayConfig, reread: Reread, journal: Journal) -> Result<Self, StartError> {
        let acceptor = acceptor(&config)?;
        let first = Generation::new(Gateway::new(config, journal)?, acceptor);
        Ok(Self { current: ArcSwap::from_pointee(first), reread })
    }

    /// What is served now.
    pub(crate) fn generation(&self) -> Arc<Generation> {
        self.current.load_full()
    }

    /// The router that is served now.
    pub(crate) fn router(&self, surface: Surface) -> Router {
        let generation = self.current.load();
        match surface {
            Surface::Clients => generation.router.clone(),
            Surface::Admin => generation.admin.clone(),
        }
    }

    pub(crate) fn gateway(&self) -> Arc<Gateway> {
        Arc::clone(&self.current.load().gateway)
    }

    /// Reads the configuration again, and serves it from now on. It reads files, and so may block.
    pub(crate) fn reload(&self) {
        let before = self.gateway();
        let outcome = match self.replace(&before) {
            Ok(restart_needed) => {
                before.journal.log(Event::ConfigReloaded { restart_needed });
                "done"
            }
            Err(reason) => {
                before.journal.log(Event::ConfigRefused { reason });
                "refused"
            }
        };
        before.metrics.reloads.with_label_values(&[outcome]).inc();
        before.metrics.is_config_current.set((outcome == "done").into());
    }

    /// Returns the settings that wait for a restart.
    fn replace(&self, before: &Gateway) -> Result<Vec<&'static str>, String> {
        let text = |error: StartError| error.to_string();
        let mut config = (self.reread)()?;
        let restart_needed = config.keep_fixed(&before.config);
        let acceptor = acceptor(&config).map_err(text)?;
        let next = before.with_config(config).map_err(text)?;
        next.metrics.budget_usd.set(next.config.monthly_budget_usd.unwrap_or_default());
        // Providers and models may be gone.
        next.metrics.breaker_state.reset();
        self.current.store(Arc::new(Generation::new(next, acceptor)));
        Ok(restart_needed)
    }

    /// The state of the files of the configuration that is served.
    pub(crate) fn stamps(&self) -> Stamps {
        let files = &self.current.load().gateway.config.files;
        let stamp = |path: &PathBuf| {
            let metadata = path.metadata().ok()?;
            Some((metadata.modified().ok(), metadata.len(), identity(&metadata)))
        };
        Stamps(files.iter().map(|path| (path.clone(), stamp(path))).collect())
    }
}

impl Stamps {
    /// These stamps, with the earlier one of each file that `before` has: a change during the reload then counts as a change.
    pub(crate) fn with_earlier(self, before: &Self) -> Self {
        let earlier =
            |path: &PathBuf| before.0.iter().find(|(known, _)| known == path).map(|(_, stamp)| *stamp);
        let stamps = self.0.into_iter().map(|(path, stamp)| (earlier(&path).unwrap_or(stamp), path));
        Self(stamps.map(|(stamp, path)| (path, stamp)).collect())
    }
}

impl Generation {
    fn new(gateway: Gateway, acceptor: Option<TlsAcceptor>) -> Self {
        let gateway = Arc::new(gateway);
        let (router, admin) = (routes::router(Arc::clone(&gateway)), admin::router(Arc::clone(&gateway)));
        Self { router, admin, gateway, acceptor }
    }
}

fn acceptor(config: &GatewayConfig) -> Result<Option<TlsAcceptor>, StartError> {
    let acceptor = config.tls.as_ref().map(|(certificate, key)| tls::acceptor(certificate, key));
    Ok(acceptor.transpose()?)
}
