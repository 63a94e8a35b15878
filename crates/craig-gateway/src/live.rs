//! The configuration that is served now, and its replacement while requests run.
//!
//! A request keeps the configuration that it began with. One that cannot be read or used is refused, and the present one
//! stays.

use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::Router;
use tokio_rustls::TlsAcceptor;

use crate::config::GatewayConfig;
use crate::gateway::{Gateway, StartError};
use crate::journal::{Event, Journal};
use crate::server::Surface;
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

    /// Reads the configuration again, and serves it from now on; false if it is refused. It reads files, and so may block.
    pub(crate) fn reload(&self) -> bool {
        let before = self.gateway();
        let replaced = self.replace(&before);
        let is_replaced = replaced.is_ok();
        before.journal.log(match replaced {
            Ok(restart_needed) => Event::ConfigReloaded { restart_needed },
            Err(reason) => Event::ConfigRefused { reason },
        });
        let outcome = if is_replaced { "done" } else { "refused" };
        before.metrics.reloads.with_label_values(&[outcome]).inc();
        before.metrics.is_config_current.set(is_replaced.into());
        is_replaced
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
        next.log_unused_prices();
        self.current.store(Arc::new(Generation::new(next, acceptor)));
        Ok(restart_needed)
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
