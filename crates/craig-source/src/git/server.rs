//! The server of a repository: its addresses, and which of them may be reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};

use super::{GitError, GitUrl};

/// Which servers git may connect to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Any: the user named the repository.
    #[default]
    Anywhere,
    /// Only publicly reachable servers, to prevent server-side request forgery: the URL came from an assistant.
    Public,
}

/// Addresses of the server of `url`, which git is then bound to.
///
/// Fails if its name does not resolve, and if one of its addresses belongs to this machine or only this machine can reach
/// it. Files have no server, and no addresses.
pub fn public_addresses(url: &GitUrl) -> Result<Vec<IpAddr>, GitError> {
    let Some(name) = url.server() else { return Ok(Vec::new()) };
    let found: Vec<IpAddr> = match name.parse() {
        Ok(literal) => vec![literal],
        Err(_) => (name, 0).to_socket_addrs().into_iter().flatten().map(|found| found.ip()).collect(),
    };
    match found.iter().find(|address| is_local(address)) {
        _ if found.is_empty() => Err(GitError::UnknownHost { url: url.to_string() }),
        Some(address) => Err(GitError::LocalServer { url: url.to_string(), address: address.to_string() }),
        None => Ok(found),
    }
}

/// Settings and environment that bind git to one resolution of a server's name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) settings: Vec<String>,
    /// The host name that is sent to a server of the `git` protocol.
    pub(super) virtual_host: Option<String>,
}

impl Binding {
    /// Resolves the server of `url`. Git neither resolves it again nor follows it to another one.
    ///
    /// SSH resolves names itself, by the user's configuration; it is bound by the host keys that it knows.
    pub(super) fn new(url: &GitUrl) -> Result<Self, GitError> {
        let addresses = public_addresses(url)?;
        Ok(Self::to(url, &addresses))
    }

    fn to(url: &GitUrl, addresses: &[IpAddr]) -> Self {
        let (Some(name), Some(port), Some(first)) = (url.server(), url.port(), addresses.first()) else {
            return Self::default();
        };
        let text = url.as_str();
        if text.starts_with("git://") {
            let base = format!("git://{}/", SocketAddr::new(*first, port));
            let prefix = format!("git://{}/", url.host());
            let settings = vec![format!("url.{base}.insteadOf={prefix}")];
            return Self { settings, virtual_host: Some(url.host().to_owned()) };
        }
        if !text.starts_with("http") {
            return Self::default();
        }
        let bracketed = |address: &IpAddr| match address {
            IpAddr::V4(v4) => v4.to_string(),
            IpAddr::V6(v6) => format!("[{v6}]"),
        };
        let listed: Vec<String> = addresses.iter().map(bracketed).collect();
        let mut settings = vec!["http.followRedirects=false".to_owned()];
        if name.parse::<IpAddr>().is_err() {
            settings.push(format!("http.curloptResolve={name}:{port}:{}", listed.join(",")));
        }
        Self { settings, virtual_host: None }
    }
}

/// Loopback, link-local (where clouds serve credentials of the machine), multicast, and no address at all.
fn is_local(address: &IpAddr) -> bool {
    /// Metadata addresses of two clouds outside the link-local range.
    const METADATA: [IpAddr; 2] = [
        IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
        IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    ];
    let address = embedded(address.to_canonical());
    METADATA.contains(&address)
        || match address {
            IpAddr::V4(v4) => {
                v4.is_loopback()
                    || v4.is_link_local()
                    || v4.is_multicast()
                    || v4.is_broadcast()
                    || v4.octets()[0] == 0
            }
            IpAddr::V6(v6) => {
                v6.is_loopback() || v6.is_unspecified() || v6.is_unicast_link_local() || v6.is_multicast()
            }
        }
}

/// The IPv4 address that a gateway of the network makes of an IPv6 one: `64:ff9b::7f00:1` (RFC 6052), `::127.0.0.1`.
fn embedded(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let segments = v6.segments();
    let is_translated = segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let is_compatible = segments[..6] == [0; 6] && segments[6] != 0;
    if !(is_translated || is_compatible) {
        return address;
    }
    let [.., a, b, c, d] = v6.octets();
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> GitUrl {
        GitUrl::parse(text).unwrap().unwrap()
    }

    #[track_caller]
    fn check_binding(cases: &[(&str, &[&str])], expect: expect_test::Expect) {
        let bound = |(text, addresses): &(&str, &[&str])| {
            let addresses: Vec<IpAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
            let Binding { settings, virtual_host } = Binding::to(&url(text), &addresses);
            let host = virtual_host.map(|host| format!("\n  as {host}")).unwrap_or_default();
            let settings: String = settings.iter().map(|setting| format!("\n  {setting}")).collect();
            format!("{text}{settings}{host}\n")
        };
        expect.assert_eq(&cases.iter().map(bound).collect::<String>());
    }

    #[test]
    fn git_is_bound_to_the_addresses_that_were_checked() {
        check_binding(
            &[
                ("https://host.example/a", &["192.0.2.7", "2001:db8::1"]),
                ("http://host.example:8080/a", &["192.0.2.7"]),
                ("https://192.0.2.7/a", &["192.0.2.7"]),
                ("git://host.example/a", &["2001:db8::1"]),
                ("git://host.example:1234/a", &["192.0.2.7"]),
                ("git@host.example:a", &["192.0.2.7"]),
                ("file:///srv/a", &[]),
            ],
            expect_test::expect![[r#"
                https://host.example/a
                  http.followRedirects=false
                  http.curloptResolve=host.example:443:192.0.2.7,[2001:db8::1]
                http://host.example:8080/a
                  http.followRedirects=false
                  http.curloptResolve=host.example:8080:192.0.2.7
                https://192.0.2.7/a
                  http.followRedirects=false
                git://host.example/a
                  url.git://[2001:db8::1]:9418/.insteadOf=git://host.example/
                  as host.example
                git://host.example:1234/a
                  url.git://192.0.2.7:1234/.insteadOf=git://host.example:1234/
                  as host.example:1234
                git@host.example:a
                file:///srv/a
            "#]],
        );
    }

    #[test]
    fn servers_of_this_machine_and_unknown_names_are_refused() {
        let refusal = |text: &str| public_addresses(&url(text)).unwrap_err().to_string();
        for local in [
            "http://127.0.0.1:80/a",
            "http://localhost/a",
            "http://127.1/a",
            "http://2130706433/a",
            "git://[::1]/a",
            "http://[::ffff:127.0.0.1]/a",
            "http://[64:ff9b::7f00:1]/a",
            "http://[::7f00:1]/a",
            "git@169.254.169.254:a",
        ] {
            assert!(refusal(local).contains("belongs to this machine"), "{local}: {}", refusal(local));
        }
        assert_eq!(
            refusal("http://craig-nowhere.invalid/a"),
            "the host of http://craig-nowhere.invalid/a cannot be resolved"
        );
        // Some resolvers know such names, and curl always does.
        let refused = public_addresses(&url("http://foo.localhost:9/a"));
        assert!(refused.is_err(), "{refused:?}");
        assert_eq!(
            public_addresses(&url("https://10.1.2.3/a")).unwrap(),
            ["10.1.2.3".parse::<IpAddr>().unwrap()]
        );
        assert_eq!(public_addresses(&url("file:///srv/a")).unwrap(), Vec::<IpAddr>::new());
    }
}
