//! The pinned questions: about sources of crates that `Cargo.lock` pins, which are on disk wherever Craig is built.
//!
//! Their score is a test, so that a change that makes answers worse fails before it lands.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::questions::{self, Repository};

/// What of `cargo metadata` is read.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
}

/// The crates of `evals/pinned.json`, each with the folder of its sources.
///
/// Fails when `Cargo.lock` has another version of one: its questions have to be read again.
pub(crate) fn sources() -> Result<Vec<(Repository, PathBuf)>> {
    let packages = locked_packages()?;
    let repositories = questions::load(&workspace().join("evals/pinned.json"))?;
    repositories
        .into_iter()
        .map(|repository| {
            let folder = folder(&repository, &packages)?;
            Ok((repository, folder))
        })
        .collect()
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The packages that are built on this platform, without asking any network.
fn locked_packages() -> Result<Vec<Package>> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--filter-platform", "host-tuple"])
        .current_dir(workspace())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cannot read cargo metadata")?;
    Ok(metadata.packages)
}

/// Where the sources of a crate lie, at the version that its questions are about.
fn folder(repository: &Repository, packages: &[Package]) -> Result<PathBuf> {
    let Repository { name, revision, root, .. } = repository;
    let same_name: Vec<&Package> = packages.iter().filter(|package| package.name == *name).collect();
    let Some(package) = same_name.iter().find(|package| package.version == *revision) else {
        let locked: Vec<&str> = same_name.iter().map(|package| package.version.as_str()).collect();
        bail!(
            "the questions are about {name} {revision}, but Cargo.lock has {locked:?}: update evals/pinned.json \
             (revision, and files that moved; another crate when this one is gone), then accept the new ranks \
             as evals/README.md says"
        );
    };
    let folder = package.manifest_path.parent().context("a manifest without a folder")?;
    Ok(folder.join(root.as_deref().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use craig_engine::{Config, Engine, SearchRequest};

    use super::*;
    use crate::answered::{ask, golden, mean_over_repositories};
    use crate::corpus::ingest;

    /// A change of the ranking may cost this much.
    const MAX_LOSS: f64 = 0.01;

    const SCORE: &str = "# NDCG@10 ";

    /// Lines that differ, those that were before with `-`.
    fn changes(before: &str, now: &str) -> String {
        fn by_question(text: &str) -> BTreeMap<&str, &str> {
            text.lines().filter_map(|line| line.rsplit_once('\t')).collect()
        }
        let before = by_question(before);
        let changed = by_question(now)
            .into_iter()
            .map(|(question, ranks)| (question, before.get(question).copied().unwrap_or("not asked"), ranks))
            .filter(|(_, before, ranks)| before != ranks);
        changed.map(|(question, before, ranks)| format!("{question}\t{before} -> {ranks}\n")).collect()
    }

    fn golden_score(golden: &str) -> f64 {
        golden.lines().next().and_then(|line| line.strip_prefix(SCORE)).unwrap().parse().unwrap()
    }

    #[test]
    fn pinned_questions_are_answered_as_well_as_before() {
        let database = tempfile::tempdir().unwrap();
        let engine = Engine::open(&Config::new(database.path().join("pinned.db"))).unwrap();
        let repositories = ingest(&engine, sources().unwrap()).unwrap();
        let answered = ask(&engine, &repositories, &SearchRequest::default()).unwrap();
        let score = mean_over_repositories(&answered);
        let now = format!("{SCORE}{score:.4}\n{}", golden(&answered));
        let path = workspace().join("evals/pinned.golden.tsv");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, now).unwrap();
            return;
        }
        let before = std::fs::read_to_string(&path).unwrap();
        let accepted = golden_score(&before);
        assert!(
            score >= accepted - MAX_LOSS,
            "NDCG@10 of the pinned questions fell from {accepted:.4} to {score:.4}. Ranks of targets that changed:\n\
             {}\nTo see why: cargo run -p craig-train -- eval --pinned --db FILE --misses\n\
             To accept: UPDATE_EXPECT=1 cargo test -p craig-train pinned, then look at git diff evals/",
            changes(&before, &now),
        );
    }

    #[test]
    fn pinned_targets_are_files() {
        let missing: Vec<String> = sources()
            .unwrap()
            .iter()
            .flat_map(|(repository, folder)| {
                let targets = repository.queries.iter().flat_map(|question| question.targets());
                targets.map(|target| folder.join(target.path())).filter(|path| !path.is_file())
            })
            .map(|path| path.display().to_string())
            .collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }

    #[test]
    fn another_version_of_a_crate_is_an_error() {
        let repository: Repository = serde_json::from_str(
            r#"{"name": "rayon", "language": "rust", "revision": "1.0.0", "root": null, "queries": []}"#,
        )
        .unwrap();
        let package = |version: &str| Package {
            name: "rayon".into(),
            version: version.into(),
            manifest_path: "/crates/rayon/Cargo.toml".into(),
        };
        assert_eq!(folder(&repository, &[package("1.0.0")]).unwrap(), Path::new("/crates/rayon"));
        let error = folder(&repository, &[package("1.0.1")]).unwrap_err().to_string();
        assert!(error.starts_with(
            r#"the questions are about rayon 1.0.0, but Cargo.lock has ["1.0.1"]: update evals/pinned.json"#
        ));
    }

    #[test]
    fn changed_ranks_are_reported() {
        let (before, now) =
            ("# NDCG@10 0.9\na\tq\t[1]\na\tr\t[1]\n", "# NDCG@10 0.8\na\tq\t[3]\na\tr\t[1]\na\ts\t[2]\n");
        assert_eq!(changes(before, now), "a\tq\t[1] -> [3]\na\ts\tnot asked -> [2]\n");
        assert_eq!(golden_score(before), 0.9);
    }
}
