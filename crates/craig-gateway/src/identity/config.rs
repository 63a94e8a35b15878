//! The file that `gateway.sign_in` names: an identity provider, and what its groups may use.

use std::collections::BTreeMap;
use std::path::Path;

use craig_engine::{Secret, Settings};
use http::Uri;
use serde::Deserialize;

use crate::caller::is_own;
use crate::config_file::{ConfigFileError, text_of};
use crate::keys::Policy;

/// An identity provider, and what its groups may use.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityConfig {
    /// The provider, as tokens name it: `https://login.example.com/realms/dev`.
    pub issuer: String,
    /// This server's address for its clients, without a path: `https://craig.example.com`.
    pub url: String,
    /// Accepted audiences of tokens.
    pub audience: Vec<String>,
    /// The claim with a person's groups; dots descend into objects.
    #[serde(default = "groups")]
    pub groups_claim: String,
    /// What the members of a group may do.
    #[serde(default)]
    pub groups: BTreeMap<String, Policy>,
    /// What people of no such group may do; its projects are open to the others, too.
    pub everyone: Option<Policy>,
    /// The page's name at the provider; without one, the page asks for a key or a token.
    pub client_id: Option<String>,
    /// Environment variable with the page's secret, if the provider has given it one.
    client_secret_env: Option<String>,
    /// The page's secret.
    #[serde(skip)]
    pub client_secret: Option<Secret>,
    /// The scopes that the page and MCP clients ask for.
    #[serde(default = "openid")]
    pub scopes: Vec<String>,
    /// The `resource` that the page asks for, at providers that issue tokens for one (RFC 8707).
    pub resource: Option<String>,
}

fn groups() -> String {
    "groups".to_owned()
}

fn openid() -> Vec<String> {
    vec!["openid".to_owned()]
}

impl IdentityConfig {
    /// Reads the file at `path`; the secret is from the environment of `settings`.
    pub(crate) fn read(path: &Path, settings: &Settings) -> Result<Self, ConfigFileError> {
        let text = text_of(path)?;
        Self::parse(path, &text, |variable| settings.environment().get(variable).map(Secret::new))
    }

    fn parse(
        path: &Path,
        text: &str,
        secret: impl Fn(&str) -> Option<Secret>,
    ) -> Result<Self, ConfigFileError> {
        let config: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            ConfigFileError::at(path, text, at, error.message().to_owned())
        })?;
        config.checked(secret).map_err(|reason| ConfigFileError::malformed(path, reason))
    }

    /// The same with its secret, if its values make sense.
    fn checked(mut self, secret: impl Fn(&str) -> Option<Secret>) -> Result<Self, String> {
        for (name, address) in [("issuer", &self.issuer), ("url", &self.url)] {
            if !is_private(address) {
                return Err(format!(
                    "'{name}' must be an https:// address, or an http:// address of this machine"
                ));
            }
        }
        if self.url.trim_end_matches('/').matches('/').count() > 2 {
            return Err("'url' has a path: give the address of the server alone".to_owned());
        }
        self.url.truncate(self.url.trim_end_matches('/').len());
        if self.audience.is_empty() {
            return Err(
                "'audience' is empty: list a value, since tokens for other services would be accepted otherwise".to_owned()
            );
        }
        if self.groups.is_empty() && self.everyone.is_none() {
            return Err(
                "it has neither [groups.NAME] nor [everyone], so nobody could use this server: add one"
                    .to_owned(),
            );
        }
        if let Some(variable) = &self.client_secret_env {
            let missing = || format!("'client_secret_env' names {variable}, which is not set");
            self.client_secret = Some(secret(variable).ok_or_else(missing)?);
        }
        Ok(self)
    }

    /// What a member of `groups` may do; `None` if that is nothing.
    pub(crate) fn policy<'a>(&self, groups: impl Iterator<Item = &'a str>) -> Option<Policy> {
        let of_groups = groups.filter_map(|group| self.groups.get(group)).cloned().reduce(Policy::or);
        let Some(policy) = of_groups else { return self.everyone.clone() };
        Some(match &self.everyone {
            Some(everyone) => policy.with_projects_of(everyone),
            None => policy,
        })
    }
}

/// Whether nobody in between can read what is sent to an address: it uses HTTPS, or is on this machine.
pub(crate) fn is_private(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    match (uri.scheme_str(), uri.host()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(host)) => is_own(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "issuer = 'https://login.example'\nurl = 'https://craig.example/'\naudience = ['craig']\n";

    fn parsed(rest: &str) -> Result<IdentityConfig, String> {
        let secret = |name: &str| (name == "SET").then(|| Secret::new("s"));
        let parsed = IdentityConfig::parse(Path::new("sign-in.toml"), &format!("{HEAD}{rest}"), secret);
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn groups_add_up() {
        let config = parsed(
            "[everyone]\nprojects = ['handbook']\nrequests_per_minute = 5\n[groups.shop]\nprojects = ['shop']\n\
             requests_per_minute = 60\n[groups.platform]\nmodels = ['small']",
        );
        let config = config.unwrap();
        assert_eq!(config.url, "https://craig.example");
        let policy = |groups: &[&str]| config.policy(groups.iter().copied()).unwrap();
        assert_eq!(policy(&["unknown"]).projects, ["handbook"]);
        let both = policy(&["shop"]);
        assert_eq!((both.projects.len(), both.requests_per_minute), (2, Some(60)));
        // The limits of a group are its own.
        assert_eq!(policy(&["platform"]).requests_per_minute, None);
        let strict = parsed(
            "[everyone]\nprojects = ['handbook']\n[groups.shop]\nprojects = ['shop']\nrequests_per_minute = 60\nmodels = ['small']",
        );
        let strict = strict.unwrap().policy(["shop"].into_iter()).unwrap();
        assert_eq!(
            (strict.projects.len(), strict.requests_per_minute, strict.models.len()),
            (2, Some(60), 1)
        );
        // No limit is more than any limit.
        let all = policy(&["shop", "platform"]);
        assert_eq!((all.projects.len(), all.requests_per_minute, all.models.len()), (0, None, 0));
        let closed = parsed("[groups.shop]").unwrap();
        assert!(closed.policy(["other"].into_iter()).is_none());
    }

    #[test]
    fn files_that_would_open_too_much_are_refused() {
        assert!(parsed("client_secret_env = 'SET'\n[everyone]").unwrap().client_secret.is_some());
        for (rest, expected) in [
            ("", "neither"),
            ("client_secret_env = 'UNSET'\n[everyone]", "UNSET"),
            ("[groups.a]\nproject = ['b']", "sign-in.toml:5: unknown field"),
        ] {
            assert!(parsed(rest).unwrap_err().contains(expected), "{rest}");
        }
        let with = |from: &str, to: &str| {
            let text = format!("{}[everyone]", HEAD.replace(from, to));
            IdentityConfig::parse(Path::new("sign-in.toml"), &text, |_| None).unwrap_err().to_string()
        };
        assert!(with("['craig']", "[]").contains("other services"));
        assert!(with("https://login", "http://login").contains("'issuer'"));
        assert!(with("craig.example/", "craig.example/path").contains("'url' has a path"));
    }
}
