//! Databases on a PostgreSQL server: how one is reached, its tables, and the locks of its projects.

use std::cell::RefCell;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use craig_model::{tls_client_config, tls_client_config_with_root};
use postgres::NoTls;
use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use rustls::ClientConfig;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::access::{Access, DatabaseIdentity};
use crate::address::{ServerAddress, ServerSettings};
use crate::derived::is_exposed;
use crate::lock::RecordedRun;
use crate::sql::{self, Client, Connection, params};
use crate::store::{BUSY_TIMEOUT, OpenedBy, Place};
use crate::{Project, Role, Store, StoreError};

/// How long connecting waits for each address of a host, unless the address of the database tells.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long data that was sent may be unacknowledged before the connection counts as lost.
const ACKNOWLEDGE_TIMEOUT: Duration = Duration::from_secs(30);

/// Step i brings the tables from version i to i + 1. A released step is never edited: add another.
const MIGRATIONS: [&str; 5] = [
    include_str!("../migrations/postgres/1.sql"),
    include_str!("../migrations/postgres/2.sql"),
    include_str!("../migrations/postgres/3.sql"),
    include_str!("../migrations/postgres/4.sql"),
    include_str!("../migrations/postgres/5.sql"),
];

/// Lets the server notice within a minute that the holder of a lock is gone, even if the network was cut; by default, it
/// checks only after two hours.
const KEEPALIVE: &str =
    "SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3";

/// Held while tables are created or migrated. Any number that other programs are unlikely to use.
const MIGRATION_LOCK: i64 = 0x6372_6169_6720_6462;

impl ServerAddress {
    /// The place of this database; its derived data is in `data_folder`.
    pub(crate) fn place(&self, data_folder: Option<&Path>) -> Result<Place, StoreError> {
        let path = PathBuf::from(self.to_string());
        let Some(data_folder) = data_folder else {
            let reason = "there is no home directory to keep its index in".to_owned();
            return Err(StoreError::unusable(&path, reason));
        };
        Ok(Place {
            path,
            role: Role::Index,
            // Its last part is the identity of the database, which is known when it is connected.
            derived_folder: data_folder.join("servers").join("unknown"),
            opened_by: OpenedBy::Server(self.clone()),
            is_read_only: false,
        })
    }
}

/// Connects to the server at `address`. Tables are created if they are missing, and migrated.
pub(crate) fn connect(address: &ServerAddress, place: Place) -> Result<Store, StoreError> {
    let mut client = connected(address, &place.path)?;
    let failed = |error| StoreError::from_sql(&place.path, error);
    let is_standby =
        client.query_one("SELECT pg_is_in_recovery()", &[]).map_err(|error| failed(error.into()))?;
    let is_standby = is_standby.get::<_, bool>(0);
    let identity = prepare(&mut client, is_standby, &place)?;
    let history = history(&mut client).map_err(|error| failed(error.into()))?;
    // Also where a store is reopened: another database may be at the address by then.
    let place = Place { derived_folder: place.derived_folder.with_file_name(&identity[..32]), ..place };
    let mut store = Store {
        connection: Connection::Postgres(Box::new(RefCell::new(Client::new(client)))),
        identity: Some(DatabaseIdentity::of_server(&identity, &history)),
        place,
        access: if is_standby { Access::ReadOnly } else { Access::Shared },
        opened_as: None,
        has_deleted: false,
        shows_some: false,
        patience: BUSY_TIMEOUT,
    };
    store.set_patience(BUSY_TIMEOUT)?;
    Ok(store)
}

fn connected(address: &ServerAddress, path: &Path) -> Result<postgres::Client, StoreError> {
    let ServerSettings { mut config, root_certificate } = address.settings()?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(ACKNOWLEDGE_TIMEOUT);
    }
    if config.get_application_name().is_none() {
        config.application_name(&own_name());
    }
    let unusable = |reason| StoreError::unusable(path, reason);
    if let Some(password) = password(&config).map_err(unusable)? {
        config.password(password);
    }
    let connected = if is_plain(&config) {
        config.connect(NoTls)
    } else {
        config.connect(MakeRustlsConnect::new(tls(root_certificate.as_deref()).map_err(unusable)?))
    };
    connected.map_err(|error| StoreError::from_connecting(path, &error))
}

/// Whether a connection is never encrypted: then the certificates that the system trusts, which take a while, are not read.
fn is_plain(config: &postgres::Config) -> bool {
    #[cfg(unix)]
    let is_local = config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_)));
    #[cfg(not(unix))]
    let is_local = false;
    config.get_ssl_mode() == SslMode::Disable || is_local && config.get_ssl_mode() == SslMode::Prefer
}

fn tls(root_certificate: Option<&Path>) -> Result<ClientConfig, String> {
    match root_certificate {
        Some(certificate) => tls_client_config_with_root(certificate)
            .map_err(|error| format!("{}: {error}", certificate.display())),
        None => tls_client_config().map_err(|error| error.to_string()),
    }
}

/// The password from the environment, or from the user's file of passwords, as other clients of PostgreSQL find it.
fn password(config: &postgres::Config) -> Result<Option<String>, String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Ok(Some(password));
    }
    let named = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    let Some(file) = named.or_else(|| Some(std::env::home_dir()?.join(".pgpass"))) else { return Ok(None) };
    let Ok(lines) = fs::read_to_string(&file) else { return Ok(None) };
    if is_exposed(&file) {
        return Err(format!("{} can be read by others: chmod 600 it", file.display()));
    }
    Ok(lines.lines().find_map(|line| password_of(line, config)))
}

/// The password in a line `host:port:database:user:password`, if it is for this database.
fn password_of(line: &str, config: &postgres::Config) -> Option<String> {
    let fields = unescaped_fields(line);
    let [host, port, database, user, password] = fields.as_slice() else { return None };
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.as_str(),
        #[cfg(unix)]
        Host::Unix(_) => "localhost",
    });
    let is_host = |pattern: &str| pattern == "*" || hosts.clone().any(|host| host == pattern);
    let ports = config.get_ports().iter().chain(config.get_ports().is_empty().then_some(&5432));
    let is_port = |pattern: &str| pattern == "*" || ports.clone().any(|port| port.to_string() == pattern);
    let is = |pattern: &str, value: Option<&str>| pattern == "*" || Some(pattern) == value;
    let is_right =
        is_host(host) && is_port(port) && is(database, config.get_dbname()) && is(user, config.get_user());
    is_right.then(|| password.clone())
}

/// The parts of a line between colons; a backslash quotes what follows it.
fn unescaped_fields(line: &str) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => field.extend(letters.next()),
            ':' if fields.len() < 4 => fields.push(mem::take(&mut field)),
            _ => field.push(letter),
        }
    }
    fields.push(field);
    fields
}

/// The name by which the server knows this process.
fn own_name() -> String {
    let id = std::process::id();
    #[cfg(unix)]
    return format!("craig {id} on {}", rustix::system::uname().nodename().to_string_lossy());
    #[cfg(not(unix))]
    format!("craig {id}")
}

/// Creates or migrates the tables, and returns the identity of the database.
fn prepare(client: &mut postgres::Client, is_standby: bool, place: &Place) -> Result<String, StoreError> {
    let failed = |error| StoreError::from_postgres(&place.path, error);
    let mut version = version(client).map_err(failed)?;
    let is_outdated = version.is_none_or(|version| version < MIGRATIONS.len() as i64);
    if is_outdated && !is_standby && may_migrate(client).map_err(failed)? {
        version = Some(migrate(client, &place.path)?);
    }
    let path = place.path.clone();
    let (found, supported) = (version.unwrap_or_default() as u32, MIGRATIONS.len() as u32);
    if found > supported {
        return Err(StoreError::Newer { path, found, supported });
    }
    if found < supported {
        return Err(StoreError::Older { path, found, supported });
    }
    let rows = client.query("SELECT identity FROM craig", &[]).map_err(failed)?;
    let [row] = rows.as_slice() else {
        let detail = "its tables are not complete: a backup is restored into an empty database, while no craig process uses it";
        return Err(StoreError::Corrupt { path, detail: detail.to_owned() });
    };
    let identity: String = row.get(0);
    match identity.len() >= 32 && identity.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(identity),
        false => Err(StoreError::Corrupt { path, detail: "its identity was not made by craig".to_owned() }),
    }
}

/// What tells databases with the same identity apart: the number of a table, new after a restored dump; the cluster; and its
/// timeline, new after a promotion. Some servers that speak PostgreSQL report only the first.
fn history(client: &mut postgres::Client) -> Result<String, postgres::Error> {
    let tables = "SELECT 'projects'::regclass::oid::text";
    // Until the first checkpoint after a promotion, only the recovery knows the new timeline.
    let cluster = "SELECT s.system_identifier || ' ' || greatest(c.timeline_id, r.min_recovery_end_timeline)
                   FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r";
    let tables: String = client.query_one(tables, &[])?.get(0);
    let cluster = client.query_one(cluster, &[]).map_or_else(|_| String::new(), |row| row.get(0));
    Ok(format!("{tables} {cluster}"))
}

/// The version of the tables; `None` if there are none.
fn version(client: &mut impl postgres::GenericClient) -> Result<Option<i64>, postgres::Error> {
    let row = client.query_one("SELECT to_regclass('craig') IS NOT NULL", &[])?;
    if !row.get::<_, bool>(0) {
        return Ok(None);
    }
    Ok(client.query_one("SELECT max(version) FROM craig", &[])?.get(0))
}

/// Whether the user of the connection owns the tables, or there are none yet.
fn may_migrate(client: &mut postgres::Client) -> Result<bool, postgres::Error> {
    let owns = "SELECT coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('craig')), true)";
    Ok(client.query_one(owns, &[])?.get(0))
}

/// Brings the tables to the present version, in one transaction, while no other process does.
fn migrate(client: &mut postgres::Client, path: &Path) -> Result<i64, StoreError> {
    let failed = |error| StoreError::from_postgres(path, error);
    let mut transaction = client.transaction().map_err(failed)?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).map_err(failed)?;
    let from = version(&mut transaction).map_err(failed)?;
    let foreign = "SELECT to_regclass('projects') IS NOT NULL OR to_regclass('files') IS NOT NULL";
    if from.is_none() && transaction.query_one(foreign, &[]).map_err(failed)?.get::<_, bool>(0) {
        let detail =
            "it has tables of another program: name another database, or another schema by its 'options'";
        return Err(StoreError::Corrupt { path: path.to_owned(), detail: detail.to_owned() });
    }
    for step in MIGRATIONS.iter().skip(from.unwrap_or_default() as usize) {
        transaction.batch_execute(step).map_err(failed)?;
    }
    let version = MIGRATIONS.len() as i64;
    if from.is_none() {
        let identity = "INSERT INTO craig VALUES ($1, replace(gen_random_uuid()::text, '-', ''))";
        transaction.execute(identity, &[&version]).map_err(failed)?;
    }
    let version = version.max(from.unwrap_or_default());
    transaction.execute("UPDATE craig SET version = $1", &[&version]).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(version)
}

/// Whether a transaction failed because of another one, and may be run again.
pub(crate) fn is_conflict(error: &sql::Error) -> bool {
    let sql::Error::Postgres(error) = error else { return false };
    [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        // A shared file or an embedder was removed meanwhile.
        SqlState::FOREIGN_KEY_VIOLATION,
        SqlState::UNIQUE_VIOLATION,
    ]
    .iter()
    .any(|state| error.code() == Some(state))
}

/// The write lock of a project on a server. It belongs to a connection of its own, and ends with it.
pub(crate) struct ServerLock {
    connection: Mutex<postgres::Client>,
}

impl Drop for ServerLock {
    /// Frees the lock before the connection ends: the server notices its end a little later, and the next holder would be
    /// refused until then.
    fn drop(&mut self) {
        if let Ok(connection) = self.connection.get_mut() {
            // If the connection is lost, so is the lock.
            let _ = connection.execute("SELECT pg_advisory_unlock_all()", &[]);
        }
    }
}

impl std::fmt::Debug for ServerLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerLock")
    }
}

impl Store {
    /// Takes the write lock of `project` on the server; fails with [`StoreError::Held`] if it is held and `waits` is not set.
    pub(crate) fn lock_on_server(
        &self,
        address: &ServerAddress,
        project: &Project,
        waits: bool,
    ) -> Result<ServerLock, StoreError> {
        let mut connection = connected(address, &self.place.path)?;
        let failed = |error| StoreError::from_postgres(&self.place.path, error);
        // Not every server that speaks PostgreSQL has these settings.
        let _ = connection.batch_execute(KEEPALIVE);
        let key = self.lock_key(project);
        if waits {
            connection.execute("SELECT pg_advisory_lock($1)", &[&key]).map_err(failed)?;
            return Ok(ServerLock { connection: Mutex::new(connection) });
        }
        let row = connection.query_one("SELECT pg_try_advisory_lock($1)", &[&key]).map_err(failed)?;
        match row.get(0) {
            true => Ok(ServerLock { connection: Mutex::new(connection) }),
            false => {
                let holder = self.lock_holder(key).unwrap_or_else(|| "another process".to_owned());
                Err(StoreError::Held { holder })
            }
        }
    }

    /// The number of a project's lock: those of all databases of a server are in one list. Connections that have outlived a
    /// promotion know another history, and must use the same locks.
    fn lock_key(&self, project: &Project) -> i64 {
        let database = self.place.derived_folder.file_name().unwrap_or_default().to_string_lossy();
        let owner = format!("{database}\0{}", project.reference);
        let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(owner.as_bytes()).as_bytes();
        i64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// The name of the process that has a lock; `None` if nobody has it.
    fn lock_holder(&self, key: i64) -> Option<String> {
        let (high, low) = ((key >> 32) & 0xFFFF_FFFF, key & 0xFFFF_FFFF);
        let sql =
            "SELECT coalesce(a.application_name, '') FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                   WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                   AND CAST(l.classid AS BIGINT) = ?1 AND CAST(l.objid AS BIGINT) = ?2 LIMIT 1";
        let name: String = self.read_one(sql, &params![high, low], |row| row.get(0)).ok().flatten()?;
        Some(match name {
            name if name == own_name() => "another thread of this process".to_owned(),
            name if name.is_empty() => "another process".to_owned(),
            name => name,
        })
    }

    /// Whether the lock of `project` is held on the server.
    pub(crate) fn run_on_server(&self, project: &Project) -> RecordedRun {
        match self.lock_holder(self.lock_key(project)) {
            Some(_) => RecordedRun::Running,
            None => RecordedRun::Unknown,
        }
    }

    /// Bytes of the tables on the server.
    pub(crate) fn bytes_on_server(&self) -> u64 {
        let sql = "SELECT CAST(coalesce(sum(pg_total_relation_size(oid)), 0) AS BIGINT) FROM pg_class
                   WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace";
        self.read_one(sql, &[], |row| row.unsigned(0)).ok().flatten().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(address: &str) -> postgres::Config {
        address.parse().unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    #[test]
    fn a_password_is_found_by_host_port_database_and_user() {
        let here = config("postgres://craig@db.example:5433/index");
        for (line, password) in [
            ("db.example:5433:index:craig:secret", Some("secret")),
            ("*:*:*:craig:se\\:cr\\\\et", Some("se:cr\\et")),
            ("*:*:*:*:with:colons", Some("with:colons")),
            ("db.example:5432:index:craig:secret", None),
            ("other:5433:index:craig:secret", None),
            ("db.example:5433:other:craig:secret", None),
            ("# a comment", None),
        ] {
            assert_eq!(password_of(line, &here).as_deref(), password, "{line}");
        }
    }
}
