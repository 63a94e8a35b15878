//! Listens, serves each connection within its bounds, and shuts down gracefully.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tokio_util::task::TaskTracker;

use crate::config::GatewayConfig;
use crate::gateway::StartError;
use crate::housekeeping::{keep_current, keep_house, keep_usage};
use crate::intake::MAX_HEADER_BYTES;
use crate::journal::{Event, Journal};
use crate::live::{Live, Reread};
use crate::metrics::Counted;

/// Most headers of a request.
const MAX_HEADERS: usize = 100;

/// Most threads that pass bytes on. Each keeps buffers, and computing runs elsewhere.
const MAX_WORKERS: usize = 4;

/// Wait after the system could not accept a connection.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);

/// Whether a gateway is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    No,
    /// After a while in which it reports that it stops.
    Drain,
    Now,
}

/// A running gateway.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    stop: watch::Sender<Stop>,
    reload: Arc<Notify>,
    serving: tokio::task::JoinHandle<()>,
}

impl Running {
    /// Starts to serve on the runtime of the caller; logs go to `log`. `reread` reads the configuration again when one of
    /// its files changes.
    pub async fn start(
        config: GatewayConfig,
        reread: Reread,
        log: impl std::io::Write + Send + 'static,
    ) -> Result<Self, StartError> {
        let journal = Journal::new(log).map_err(|error| StartError::System(error.to_string()))?;
        let address = config.address;
        let live = Arc::new(Live::new(config, reread, journal)?);
        let gateway = live.gateway();
        let listen = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        gateway.journal.log(Event::Started {
            address: address.to_string(),
            tls: live.generation().acceptor.is_some(),
            keys: gateway.gate.n_keys(),
            shared: gateway.redis.is_some(),
        });
        let (stop, stopped) = watch::channel(Stop::No);
        let reload = Arc::new(Notify::new());
        let serving = tokio::spawn(serve(live, listener, stopped, Arc::clone(&reload)));
        Ok(Self { address, stop, reload, serving })
    }

    /// Reads the configuration again; one that cannot be used is logged, and changes nothing.
    pub fn reload(&self) {
        self.reload.notify_one();
    }

    /// Reports that it stops and accepts connections for the configured drain time; then waits for open streams for the
    /// configured grace time, and returns.
    pub async fn stop(self) {
        self.end(Stop::Drain).await;
    }

    /// The same without the drain time.
    pub async fn stop_now(self) {
        self.end(Stop::Now).await;
    }

    async fn end(self, stop: Stop) {
        self.stop.send_replace(stop);
        // An error means that the task was aborted.
        let _ = self.serving.await;
    }
}

/// Accepts connections until it is stopped, then waits for the last ones.
async fn serve(
    live: Arc<Live>,
    listener: TcpListener,
    mut stopped: watch::Receiver<Stop>,
    reload: Arc<Notify>,
) {
    let gateway = live.gateway();
    let (closing, closed) = watch::channel(false);
    let housekeeping = [
        tokio::spawn(keep_house(Arc::clone(&live))),
        tokio::spawn(keep_current(Arc::clone(&live), reload)),
        tokio::spawn(keep_usage(Arc::clone(&gateway))),
    ];
    let connections = Connections {
        places: Arc::new(Semaphore::new(gateway.config.bounds.max_connections)),
        open: TaskTracker::new(),
        live: Arc::clone(&live),
        closed,
    };
    tokio::select! {
        () = connections.accept_from(listener) => {}
        () = drained(&live, &mut stopped) => {}
    }
    let gateway = live.gateway();
    closing.send_replace(true);
    gateway.journal.log(Event::Stopping { open_requests: usize_of(gateway.metrics.open_requests.get()) });
    connections.open.close();
    // What is left then is aborted with the runtime.
    let _ = tokio::time::timeout(gateway.config.bounds.grace, connections.open.wait()).await;
    housekeeping.iter().for_each(tokio::task::JoinHandle::abort);
    if gateway.usage().flush().is_err() {
        gateway.journal.log(Event::UsageUnwritable);
    }
    gateway.tracer.flush().await;
    let unfinished = usize_of(gateway.metrics.open_requests.get());
    gateway.journal.log(Event::Stopped { unfinished, dropped_lines: gateway.journal.dropped() });
    gateway.journal.flush();
}

/// Returns when the gateway was stopped and its drain time is over. Until then it serves, and reports that it stops, so that
/// a load balancer can choose another gateway first.
async fn drained(live: &Live, stopped: &mut watch::Receiver<Stop>) {
    // An error means that nothing can stop it any more.
    let _ = stopped.wait_for(|stop| *stop != Stop::No).await;
    let gateway = live.gateway();
    gateway.stop();
    let drain = gateway.config.bounds.drain;
    if *stopped.borrow() == Stop::Drain && !drain.is_zero() {
        let open_requests = usize_of(gateway.metrics.open_requests.get());
        gateway.journal.log(Event::Draining { open_requests });
        let _ = tokio::time::timeout(drain, stopped.wait_for(|stop| *stop == Stop::Now)).await;
    }
}

fn usize_of(gauge: i64) -> usize {
    usize::try_from(gauge).unwrap_or_default()
}

/// The connections of clients.
struct Connections {
    places: Arc<Semaphore>,
    open: TaskTracker,
    live: Arc<Live>,
    /// Whether no new requests are accepted.
    closed: watch::Receiver<bool>,
}

impl Connections {
    async fn accept_from(&self, listener: TcpListener) {
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
                // Most likely too many open files.
                Err(_) => tokio::time::sleep(PAUSE_AFTER_FAILURE).await,
            }
        }
    }

    /// One connection, from its first byte to its last.
    fn connection(&self, stream: TcpStream) -> impl Future<Output = ()> + use<> {
        let generation = self.live.generation();
        let counted = Counted::new(&generation.gateway.metrics.open_connections);
        let timeout = generation.gateway.config.bounds.client_timeout;
        let acceptor = generation.acceptor.clone();
        drop(generation);
        let (live, closed) = (Arc::clone(&self.live), self.closed.clone());
        async move {
            let _counted = counted;
            let _ = stream.set_nodelay(true);
            // A client that reads nothing for this long is gone.
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(timeout));
            let stream = Box::pin(stream);
            match acceptor {
                None => serve_http(stream, live, timeout, closed).await,
                Some(acceptor) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(timeout, acceptor.accept(stream)).await {
                        serve_http(stream, live, timeout, closed).await;
                    }
                }
            }
        }
    }
}

async fn serve_http<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    live: Arc<Live>,
    timeout: Duration,
    mut closed: watch::Receiver<bool>,
) {
    // A request gets the configuration of its time, and keeps it.
    let answer = service_fn(move |request: http::Request<Incoming>| {
        TowerToHyperService::new(live.router()).call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeout)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    // The error of a connection concerns its client, which is gone.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = closed.wait_for(|is_closed| *is_closed) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Serves until the process gets a signal: SIGTERM drains first, SIGINT, from a person who waits, does not; a second signal
/// ends it at once. On SIGHUP, `reread` reads the configuration again.
pub fn serve_until_stopped(
    config: GatewayConfig,
    reread: Reread,
    log: impl std::io::Write + Send + 'static,
) -> Result<(), StartError> {
    let system = |error: std::io::Error| StartError::System(error.to_string());
    let n_workers = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(n_workers).enable_all().build().map_err(system)?;
    let served = runtime.block_on(async {
        let mut signals = Signals::new().map_err(system)?;
        let running = Running::start(config, reread, log).await?;
        let stop = loop {
            match signals.next().await {
                Signal::Stop(stop) => break stop,
                Signal::Reload => running.reload(),
            }
        };
        running.stop.send_replace(stop);
        let stop = running.stop.clone();
        let hurried = async {
            signals.next_stop().await;
            stop.send_replace(Stop::Now);
            signals.next_stop().await;
        };
        tokio::select! {
            // An error means that the task was aborted.
            _ = running.serving => {}
            () = hurried => {}
        }
        Ok(())
    });
    runtime.shutdown_background();
    served
}

/// A signal to the process.
enum Signal {
    Stop(Stop),
    #[cfg_attr(not(unix), expect(dead_code, reason = "the system has no such signal"))]
    Reload,
}

impl Signals {
    /// The next signal to stop.
    async fn next_stop(&mut self) -> Stop {
        loop {
            if let Signal::Stop(stop) = self.next().await {
                return stop;
            }
        }
    }
}

/// The signals that stop or reload the process.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Stop(Stop::Now),
            _ = self.terminate.recv() => Signal::Stop(Stop::Drain),
            _ = self.hangup.recv() => Signal::Reload,
        }
    }
}

/// The signals that stop the process.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Signal {
        // Without a handler, the system ends the process.
        let _ = tokio::signal::ctrl_c().await;
        Signal::Stop(Stop::Now)
    }
}
