//! Listens, serves each connection within its bounds, and shuts down gracefully.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;

use crate::config::GatewayConfig;
use crate::gateway::StartError;
use crate::housekeeping::{keep_current, keep_house, keep_usage};
use crate::intake::{MAX_HEADER_BYTES, MAX_HEADERS};
use crate::journal::{Event, Journal};
use crate::live::{Live, Reread};
use crate::metrics::Counted;

/// Most threads that pass bytes on. Each keeps buffers, and computing runs elsewhere.
const MAX_WORKERS: usize = 4;

/// Connections to the status page.
const MAX_OPERATORS: usize = 32;

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
    /// Where the status page is, if there is one.
    pub admin_address: Option<SocketAddr>,
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
        let (listener, address) =
            listen(address).await.map_err(|source| StartError::Listen { address, source })?;
        let admin = match gateway.config.admin.as_ref().map(|admin| admin.address) {
            Some(address) => {
                Some(listen(address).await.map_err(|source| StartError::AdminListen { address, source })?)
            }
            None => None,
        };
        let admin_address = admin.as_ref().map(|(_, address)| *address);
        gateway.journal.log(Event::Started {
            address: address.to_string(),
            admin: admin_address.map(|address| address.to_string()),
            tls: live.generation().acceptor.is_some(),
            keys: gateway.gate.n_keys(),
            shared: gateway.redis.is_some(),
        });
        gateway.log_unused_prices();
        let (stop, stopped) = watch::channel(Stop::No);
        let reload = Arc::new(Notify::new());
        let serving = tokio::spawn(serve(
            live,
            (listener, admin.map(|(listener, _)| listener)),
            stopped,
            Arc::clone(&reload),
        ));
        Ok(Self { address, admin_address, stop, reload, serving })
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

async fn listen(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Accepts connections until it is stopped, then waits for the last ones.
async fn serve(
    live: Arc<Live>,
    (listener, admin): (TcpListener, Option<TcpListener>),
    mut stopped: watch::Receiver<Stop>,
    reload: Arc<Notify>,
) {
    let (closing, closed) = watch::channel(false);
    let housekeeping = [
        tokio::spawn(keep_house(Arc::clone(&live))),
        tokio::spawn(keep_current(Arc::clone(&live), reload)),
        tokio::spawn(keep_usage(Arc::clone(&live))),
    ];
    let open = TaskTracker::new();
    let connections = |surface, places| Connections {
        surface,
        places: Arc::new(Semaphore::new(places)),
        open: open.clone(),
        live: Arc::clone(&live),
        closed: closed.clone(),
    };
    let clients = connections(Surface::Clients, live.gateway().config.bounds.max_connections);
    let operators = connections(Surface::Admin, MAX_OPERATORS);
    let for_operators = async {
        match admin {
            Some(listener) => operators.accept_from(listener).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = clients.accept_from(listener) => {}
        () = for_operators => {}
        () = drained(&live, &mut stopped) => {}
    }
    let gateway = live.gateway();
    closing.send_replace(true);
    gateway.journal.log(Event::Stopping { open_requests: usize_of(gateway.metrics.open_requests.get()) });
    open.close();
    // What is left then is aborted with the runtime.
    let _ = tokio::time::timeout(gateway.config.bounds.grace, open.wait()).await;
    housekeeping.iter().for_each(tokio::task::JoinHandle::abort);
    if gateway.usage.flush().is_err() {
        gateway.journal.log(Event::UsageUnwritable);
    }
    gateway.meter.send().await;
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

/// Whom a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    Clients,
    /// The operator's status page.
    Admin,
}

/// The connections of clients, or of operators.
struct Connections {
    surface: Surface,
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
        let bounds = generation.gateway.config.bounds;
        let acceptor = generation.acceptor.clone();
        drop(generation);
        let served = Served {
            surface: self.surface,
            live: Arc::clone(&self.live),
            timeout: bounds.client_timeout,
            max_age: bounds.stream_total,
            closed: self.closed.clone(),
        };
        async move {
            let _counted = counted;
            let _ = stream.set_nodelay(true);
            match acceptor {
                None => served.plain(stream).await,
                Some(acceptor) => served.over_tls(stream, &acceptor).await,
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HttpVersion {
    One,
    Two,
}

/// The first bytes of HTTP/2, and how long to wait for the rest of them.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const PREFACE_PAUSE: Duration = Duration::from_millis(5);

/// Streams of one connection at the same time, and bytes that wait to be sent on each.
const MAX_STREAMS: u32 = 128;
const MAX_SEND_BYTES: usize = 64 << 10;

/// The client's version of HTTP, by its first bytes, which stay unread; `None` if they do not arrive in time.
async fn http_version(stream: &TcpStream, within: Duration) -> Option<HttpVersion> {
    let version = async {
        let mut head = [0; PREFACE.len()];
        loop {
            let n = stream.peek(&mut head).await.ok().filter(|n| *n > 0)?;
            if head[..n] != PREFACE[..n] {
                return Some(HttpVersion::One);
            }
            if n == PREFACE.len() {
                return Some(HttpVersion::Two);
            }
            tokio::time::sleep(PREFACE_PAUSE).await;
        }
    };
    tokio::time::timeout(within, version).await.ok().flatten()
}

/// How a connection is served.
struct Served {
    surface: Surface,
    live: Arc<Live>,
    timeout: Duration,
    /// After this time, an HTTP/2 connection accepts no more requests, and those in progress get as much again: a stream that
    /// its client does not read cannot stay for ever.
    max_age: Duration,
    closed: watch::Receiver<bool>,
}

impl Served {
    /// Serves a connection without TLS. A client with prior knowledge starts with HTTP/2.
    async fn plain(mut self, stream: TcpStream) {
        let version = tokio::select! {
            version = http_version(&stream, self.timeout) => version,
            _ = self.closed.wait_for(|is_closed| *is_closed) => None,
        };
        let Some(version) = version else { return };
        let mut stream = self.bounded(stream);
        if version == HttpVersion::Two {
            self.end_if_silent(stream.as_mut());
        }
        self.serve(stream, version).await;
    }

    async fn over_tls(self, stream: TcpStream, acceptor: &TlsAcceptor) {
        let accepted = tokio::time::timeout(self.timeout, acceptor.accept(self.bounded(stream))).await;
        let Ok(Ok(mut stream)) = accepted else { return };
        let (tcp, tls) = stream.get_mut();
        let version = match tls.alpn_protocol() {
            Some(b"h2") => HttpVersion::Two,
            _ => HttpVersion::One,
        };
        if version == HttpVersion::Two {
            self.end_if_silent(tcp.as_mut());
        }
        self.serve(stream, version).await;
    }

    /// A client that reads nothing for this long is gone.
    fn bounded(&self, stream: TcpStream) -> Pin<Box<TimeoutStream<TcpStream>>> {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.timeout));
        Box::pin(stream)
    }

    /// Ends an HTTP/2 connection whose client does not even answer pings.
    fn end_if_silent(&self, stream: Pin<&mut TimeoutStream<TcpStream>>) {
        stream.set_read_timeout_pinned(Some(2 * self.timeout));
    }

    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, version: HttpVersion) {
        let Self { surface, live, timeout, max_age, closed } = self;
        // A request gets the configuration of its time, and keeps it.
        let answer = service_fn(move |request: http::Request<Incoming>| {
            TowerToHyperService::new(live.router(surface)).call(request)
        });
        let stream = TokioIo::new(stream);
        match version {
            HttpVersion::One => {
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(timeout)
                    .max_headers(MAX_HEADERS)
                    .max_buf_size(MAX_HEADER_BYTES)
                    .serve_connection(stream, answer);
                run(connection, closed, std::future::pending()).await;
            }
            HttpVersion::Two => {
                let connection = http2::Builder::new(TokioExecutor::new())
                    .timer(TokioTimer::new())
                    .keep_alive_interval(timeout)
                    .keep_alive_timeout(timeout)
                    .max_concurrent_streams(MAX_STREAMS)
                    .max_header_list_size(MAX_HEADER_BYTES as u32)
                    .max_send_buf_size(MAX_SEND_BYTES)
                    .serve_connection(stream, answer);
                let served = run(connection, closed, tokio::time::sleep(max_age));
                let _ = tokio::time::timeout(2 * max_age, served).await;
            }
        }
    }
}

/// Serves a connection; once it is `closed` or `aged`, until its requests have ended.
async fn run(
    connection: impl GracefulConnection,
    mut closed: watch::Receiver<bool>,
    aged: impl Future<Output = ()>,
) {
    tokio::pin!(connection);
    // The error of a connection concerns its client, which is gone.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = closed.wait_for(|is_closed| *is_closed) => {}
        () = aged => {}
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
