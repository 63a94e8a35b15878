//! The workspace of one client: what the user named, what the client names as roots, or the working directory.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use craig_engine::{distinct, protected_folder};
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ClientResult, ProtocolVersion};
#[expect(
    deprecated,
    reason = "roots are deprecated by the protocol, and clients of today have nothing else"
)]
use rmcp::model::{
    InputRequest, InputRequests, InputResponses, ListRootsRequest, ListRootsResult, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions};
use tokio::sync::Notify;

use super::uri;

/// Further roots are ignored.
const MOST_ROOTS: usize = 64;

/// How long a call waits for the roots that were requested after the handshake.
const PATIENCE_BEHIND_HANDSHAKE: Duration = Duration::from_millis(300);

/// How long a client may take to name its roots during a call.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the roots of a client that sends no change notifications are cached.
const LONGEST_TRUST: Duration = Duration::from_secs(30);

/// Name of the request for roots among the inputs of a call.
const INPUT: &str = "roots";

/// The workspace of a client without roots.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// The user named it.
    Named(PathBuf),
    /// The directory that the server was started in.
    WorkingDirectory(PathBuf),
    /// It was started in a directory that cannot be a workspace, such as a home directory.
    None(PathBuf),
    /// It serves other machines: none of its folders is a client's, and a client's folders are not here.
    Elsewhere,
}

impl Base {
    /// From `--root`, otherwise from the working directory. Fails if the directory does not exist.
    pub(crate) fn find(named: Option<&Path>) -> anyhow::Result<Self> {
        let directory = named.unwrap_or(Path::new("."));
        let real = directory
            .canonicalize()
            .map_err(|error| anyhow::anyhow!("the workspace {}: {error}", directory.display()))?;
        Ok(match named {
            Some(_) => Self::Named(real),
            None if protected_folder(&real).is_some() => Self::None(real),
            None => Self::WorkingDirectory(real),
        })
    }

    /// Whether clients and their folders are on other machines.
    pub(super) fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Elsewhere)
    }

    /// The workspace, if there is one.
    pub(crate) fn directory(&self) -> Option<&Path> {
        match self {
            Self::Named(directory) | Self::WorkingDirectory(directory) => Some(directory),
            Self::None(_) | Self::Elsewhere => None,
        }
    }
}

/// The roots of a client.
#[derive(Clone, Debug, Default)]
enum Roots {
    /// Not requested yet.
    #[default]
    Unknown,
    /// Not answered yet.
    Silent,
    /// These, as canonical directories.
    Known(Vec<PathBuf>, Instant),
}

/// The workspace of one client.
#[derive(Debug)]
pub(super) struct Workspace {
    base: Base,
    /// Whether roots may also be ingested; not if any user of this machine could be the client.
    roots_grant_access: bool,
    /// Locked only to read or set.
    roots: Mutex<Roots>,
    answered: Notify,
}

impl Workspace {
    pub(super) fn new(base: Base, roots_grant_access: bool) -> Self {
        Self { base, roots_grant_access, roots: Mutex::default(), answered: Notify::new() }
    }

    /// The folders whose projects answer when a call names none, in order.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        match (&self.base, &*self.roots.lock().unwrap_or_else(PoisonError::into_inner)) {
            (Base::Elsewhere, _) => Vec::new(),
            (Base::Named(directory), _) => vec![directory.clone()],
            (_, Roots::Known(roots, _)) if roots.iter().any(|root| is_usable(root)) => {
                roots.iter().filter(|root| is_usable(root)).cloned().collect()
            }
            (base, _) => base.directory().map(Path::to_owned).into_iter().collect(),
        }
    }

    /// The folders whose contents may be ingested.
    pub(super) fn permitted(&self) -> Vec<PathBuf> {
        let base = self.base.directory().map(Path::to_owned);
        match self.roots_grant_access {
            false => base.into_iter().collect(),
            true => {
                let mut folders = self.folders();
                folders.extend(base);
                folders.extend(self.known_roots());
                folders
            }
        }
    }

    /// Whether a call depends on the client's roots; `names_source` if the call names a source.
    pub(super) fn depends_on_roots(&self, names_source: bool) -> bool {
        match self.base {
            Base::Elsewhere => false,
            Base::Named(_) => names_source && self.roots_grant_access,
            Base::WorkingDirectory(_) | Base::None(_) => true,
        }
    }

    /// Whether names of projects may be paths of this machine.
    pub(super) fn is_here(&self) -> bool {
        !self.base.is_elsewhere()
    }

    /// Why there is no workspace.
    pub(super) fn absence(&self) -> String {
        let (Base::Named(directory) | Base::WorkingDirectory(directory) | Base::None(directory)) = &self.base
        else {
            return "this server serves other machines".to_owned();
        };
        let why = protected_folder(directory).map(|why| format!(", which is {why}")).unwrap_or_default();
        format!(
            "this server was started in {}{why}, and the client names no folder as a root",
            directory.display()
        )
    }

    fn known_roots(&self) -> Vec<PathBuf> {
        match &*self.roots.lock().unwrap_or_else(PoisonError::into_inner) {
            Roots::Known(roots, _) => roots.clone(),
            _ => Vec::new(),
        }
    }

    fn set(&self, roots: Roots) {
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = roots;
        self.answered.notify_waiters();
    }

    fn is_unknown(&self) -> bool {
        matches!(*self.roots.lock().unwrap_or_else(PoisonError::into_inner), Roots::Unknown)
    }

    /// Requests the roots after the handshake, or when they have changed.
    pub(super) async fn ask(&self, peer: &Peer<RoleServer>) {
        let capabilities = peer.peer_info().map(|info| info.capabilities.clone());
        if !self.is_here() || !names_roots(capabilities.as_ref()) {
            return;
        }
        self.set(Roots::Unknown);
        // Over HTTP, the request waits until the client listens.
        if let Some(roots) = list(peer, None).await {
            self.set(Roots::Known(roots, Instant::now()));
        }
    }

    /// Waits a moment for the roots of a client that supports them, before a call is answered.
    pub(super) async fn await_roots(
        &self,
        peer: &Peer<RoleServer>,
        capabilities: Option<&ClientCapabilities>,
    ) {
        let answered = self.answered.notified();
        if !names_roots(capabilities) || !self.is_unknown() {
            return;
        }
        let _ = tokio::time::timeout(PATIENCE_BEHIND_HANDSHAKE, answered).await;
        if !self.is_unknown() {
            return;
        }
        match list(peer, Some(PATIENCE)).await {
            Some(roots) => self.set(Roots::Known(roots, Instant::now())),
            None if self.is_unknown() => self.set(Roots::Silent),
            None => {}
        }
    }

    /// Reads the roots from the inputs of a call, in protocols where a server asks by an answer; returns the request if it
    /// has to be sent.
    pub(super) fn take_inputs(
        &self,
        capabilities: Option<&ClientCapabilities>,
        inputs: Option<&InputResponses>,
    ) -> Option<InputRequests> {
        if !names_roots(capabilities) {
            return None;
        }
        if let Some(answer) = inputs.and_then(|inputs| inputs.get(INPUT)) {
            let uris =
                answer["roots"].as_array().into_iter().flatten().filter_map(|root| root["uri"].as_str());
            self.set(Roots::Known(directories(uris), Instant::now()));
            return None;
        }
        match &*self.roots.lock().unwrap_or_else(PoisonError::into_inner) {
            Roots::Known(_, at) if at.elapsed() < LONGEST_TRUST => None,
            _ => Some(InputRequests::from([(INPUT.to_owned(), question())])),
        }
    }
}

/// From this protocol on, servers send no requests to clients.
pub(super) fn asks_by_answer(version: Option<&ProtocolVersion>) -> bool {
    version.is_some_and(|version| *version >= ProtocolVersion::V_2026_07_28)
}

fn names_roots(capabilities: Option<&ClientCapabilities>) -> bool {
    capabilities.is_some_and(|capabilities| capabilities.roots.is_some())
}

/// A home directory is no workspace, even if an editor has it open.
fn is_usable(root: &Path) -> bool {
    protected_folder(root).is_none()
}

#[expect(deprecated, reason = "roots are deprecated by the protocol, and clients of today have nothing else")]
fn question() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest { method: Default::default(), extensions: Default::default() })
}

/// The client's roots; `None` if it does not answer, or answers with an error.
#[expect(deprecated, reason = "roots are deprecated by the protocol, and clients of today have nothing else")]
async fn list(peer: &Peer<RoleServer>, patience: Option<Duration>) -> Option<Vec<PathBuf>> {
    let request = ListRootsRequest { method: Default::default(), extensions: Default::default() };
    let options = patience.map(PeerRequestOptions::with_timeout).unwrap_or_default();
    let handle =
        peer.send_request_with_option(ServerRequest::ListRootsRequest(request), options).await.ok()?;
    match handle.await_response().await.ok()? {
        ClientResult::ListRootsResult(ListRootsResult { roots, .. }) => {
            Some(directories(roots.iter().map(|root| &*root.uri)))
        }
        _ => None,
    }
}

/// The existing directories of `file:` URIs, canonical.
fn directories<'a>(uris: impl Iterator<Item = &'a str>) -> Vec<PathBuf> {
    distinct(uris.take(MOST_ROOTS).filter_map(directory_of)).collect()
}

fn directory_of(uri: &str) -> Option<PathBuf> {
    let real = |path: PathBuf| path.canonicalize().ok().filter(|path| path.is_dir());
    uri::paths_of_file(uri).into_iter().find_map(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(path: &Path) -> String {
        format!("file://{}", path.display())
    }

    #[test]
    fn roots_are_directories_of_this_machine() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("my project")).unwrap();
        std::fs::write(base.join("file"), "").unwrap();
        let read = |uris: &[&str]| directories(uris.iter().copied());
        let encoded = uri(&base.join("my project")).replace(' ', "%20");
        assert_eq!(
            read(&[&encoded, &format!("{encoded}/"), &format!("{encoded}/../my%20project")]),
            [base.join("my project")]
        );
        // As clients send them that do not escape, or do not know URIs.
        let plain = base.join("my project").display().to_string();
        for root in [plain.clone(), format!("file://{plain}"), format!("FILE://localhost{plain}/")] {
            assert_eq!(read(&[&root]), [base.join("my project")], "{root}");
        }
        let odd = [
            "https://host.example/a",
            "file://host.example/etc",
            "file:relative",
            "file:///nowhere/at/all",
            "file://%ff",
            &uri(&base.join("file")),
        ];
        assert_eq!(read(&odd), Vec::<PathBuf>::new());
        let many: Vec<String> = (0..MOST_ROOTS + 1).map(|n| uri(&base.join(n.to_string()))).collect();
        (0..MOST_ROOTS + 1).for_each(|n| std::fs::create_dir(base.join(n.to_string())).unwrap());
        assert_eq!(directories(many.iter().map(String::as_str)).len(), MOST_ROOTS);
    }

    #[test]
    fn roots_say_where_the_workspace_is_unless_the_user_does() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let home = std::env::home_dir().unwrap().canonicalize().unwrap();
        let workspace = |base: Base, roots_grant_access: bool| {
            let workspace = Workspace::new(base, roots_grant_access);
            workspace
                .set(Roots::Known(vec![home.clone(), folder.path().canonicalize().unwrap()], Instant::now()));
            workspace
        };
        let cwd = Base::WorkingDirectory("/cwd".into());
        assert_eq!(Workspace::new(cwd.clone(), true).folders(), [Path::new("/cwd")]);
        assert_eq!(Workspace::new(Base::None(home.clone()), true).folders(), Vec::<PathBuf>::new());
        assert_eq!(workspace(cwd.clone(), true).folders(), [&*base], "a home directory is no workspace");
        assert_eq!(workspace(Base::Named("/named".into()), true).folders(), [Path::new("/named")]);
        let permitted = workspace(Base::Named("/named".into()), true).permitted();
        assert!(permitted.contains(&base) && permitted.contains(&"/named".into()));
        assert_eq!(workspace(cwd, false).permitted(), [Path::new("/cwd")], "roots grant no access");
        let only_home = Workspace::new(Base::WorkingDirectory("/cwd".into()), true);
        only_home.set(Roots::Known(vec![home], Instant::now()));
        assert_eq!(only_home.folders(), [Path::new("/cwd")]);
    }
}
