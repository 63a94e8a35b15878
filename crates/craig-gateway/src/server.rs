//! Listens, serves each connection within its bounds, and ends without cutting off who is being served.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;

use crate::config::GatewayConfig;
use crate::gateway::{Gateway, StartError};
use crate::housekeeping::keep_house;
use crate::intake::MAX_HEADER_BYTES;
use crate::journal::{Event, Journal};
use crate::queue::Counted;
use crate::{routes, tls};

/// Most headers of a request.
const MAX_HEADERS: usize = 100;

/// Wait after the system has no more connections to give.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);

/// A gateway that is served.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
}

impl Running {
    /// Starts to serve on the runtime of the caller; logs go to `log`.
    pub async fn start(
        config: GatewayConfig,
        log: impl std::io::Write + Send + 'static,
    ) -> Result<Self, StartError> {
        let journal = Journal::new(log).map_err(|error| StartError::System(error.to_string()))?;
        let address = config.address;
        let acceptor = match &config.tls {
            Some((certificate, key)) => Some(tls::acceptor(certificate, key)?),
            None => None,
        };
        let gateway = Arc::new(Gateway::new(config, journal)?);
        let listen = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        gateway.journal.tell(Event::Started {
            address: address.to_string(),
            tls: acceptor.is_some(),
            keys: gateway.gate.n_keys(),
            shared: gateway.redis.is_some(),
        });
        let (stop, stopped) = watch::channel(false);
        let serving = tokio::spawn(serve(gateway, listener, acceptor, stopped));
        Ok(Self { address, stop, serving })
    }

    /// Stops taking connections, lets streams come to their end as far as the configured grace allows, and returns then.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        // The task ends by itself; when it was cut off, there is nothing to wait for.
        let _ = self.serving.await;
    }
}

/// Takes connections until it is told to stop, then waits for the last ones.
async fn serve(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    mut stopped: watch::Receiver<bool>,
) {
    let housekeeping = tokio::spawn(keep_house(Arc::clone(&gateway)));
    let connections = Connections {
        router: routes::router(Arc::clone(&gateway)),
        places: Arc::new(Semaphore::new(gateway.config.bounds.max_connections)),
        open: TaskTracker::new(),
        gateway: Arc::clone(&gateway),
        acceptor,
        stopped: stopped.clone(),
    };
    tokio::select! {
        () = connections.take_from(listener) => {}
        _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
    }
    gateway.stop();
    gateway.journal.tell(Event::Stopping { open_requests: usize_of(gateway.metrics.open_requests.get()) });
    connections.open.close();
    // What is not over by then is cut off with the runtime.
    let _ = tokio::time::timeout(gateway.config.bounds.grace, connections.open.wait()).await;
    housekeeping.abort();
    gateway.tracer.flush().await;
    let unfinished = usize_of(gateway.metrics.open_requests.get());
    gateway.journal.tell(Event::Stopped { unfinished, dropped_lines: gateway.journal.dropped() });
    gateway.journal.flush();
}

fn usize_of(gauge: i64) -> usize {
    usize::try_from(gauge).unwrap_or_default()
}

/// All connections of clients.
struct Connections {
    router: Router,
    places: Arc<Semaphore>,
    open: TaskTracker,
    gateway: Arc<Gateway>,
    acceptor: Option<TlsAcceptor>,
    stopped: watch::Receiver<bool>,
}

impl Connections {
    async fn take_from(&self, listener: TcpListener) {
        loop {
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let connection = self.connection(stream);
                    self.open.spawn(async move {
                        connection.await;
                        drop(place);
                    });
                }
                // Too many open files, most likely: some will be closed.
                Err(_) => tokio::time::sleep(PAUSE_AFTER_FAILURE).await,
            }
        }
    }

    /// One connection, from its first byte to its last.
    fn connection(&self, stream: TcpStream) -> impl Future<Output = ()> + use<> {
        let counted = Counted::new(&self.gateway.metrics.open_connections);
        let timeout = self.gateway.config.bounds.client_timeout;
        let (router, acceptor, stopped) = (self.router.clone(), self.acceptor.clone(), self.stopped.clone());
        async move {
            let _counted = counted;
            let _ = stream.set_nodelay(true);
            // A client that does not read on for so long is gone.
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(timeout));
            let stream = Box::pin(stream);
            match acceptor {
                None => serve_http(stream, router, timeout, stopped).await,
                Some(acceptor) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(timeout, acceptor.accept(stream)).await {
                        serve_http(stream, router, timeout, stopped).await;
                    }
                }
            }
        }
    }
}

async fn serve_http<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    router: Router,
    timeout: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeout)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    // What a connection fails with concerns its client, who is gone.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Serves until the process is told to stop by SIGINT or SIGTERM.
pub fn serve_until_told(
    config: GatewayConfig,
    log: impl std::io::Write + Send + 'static,
) -> Result<(), StartError> {
    let system = |error: std::io::Error| StartError::System(error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(system)?;
    let served = runtime.block_on(async {
        let running = Running::start(config, log).await?;
        told_to_stop().await.map_err(system)?;
        running.stop().await;
        Ok(())
    });
    runtime.shutdown_background();
    served
}

#[cfg(unix)]
async fn told_to_stop() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn told_to_stop() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
