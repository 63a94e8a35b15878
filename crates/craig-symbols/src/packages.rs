//! External packages: the declarations of manifests with the versions of lock files, and the one that an import belongs to.

mod code_names;
mod matching;

use std::collections::{BTreeMap, HashMap, HashSet};

use craig_source::Language;
use craig_text::path::{folder, is_in, shared_folders, under};

use crate::declared::{Declared, Ecosystem, Scope};
use crate::manifest::{self, Catalog, Lock, Manifest};
use crate::workspace::Workspace;

/// All declared dependencies that are not part of the project itself, by manifest and name.
pub struct Packages {
    /// By manifest and name. Other methods give indexes into it.
    pub declared: Vec<Declared>,
    by_ecosystem: BTreeMap<Ecosystem, Vec<usize>>,
    /// Names that crates give to crates of the same project, by folder of the manifest: the package's own name.
    renamed: HashMap<(String, String), String>,
    /// Crates of the project that manifests declare, by folder of the manifest.
    own_crates: HashSet<(String, String)>,
    /// What packages of the project's own Java, Kotlin or Scala begin with.
    own_prefixes: HashSet<String>,
    /// Names of the project's own modules of Python, wherever they are: a test may add their folder to the path.
    own_modules: HashSet<String>,
}

/// So many parts of a package's name belong to one project: `org.apache.kafka`.
const PARTS_OF_PROJECT: usize = 3;

/// The leading parts of a package's name that belong to one project.
fn project_prefix(package: &str) -> String {
    package.split('.').take(PARTS_OF_PROJECT).collect::<Vec<_>>().join(".")
}

/// What the packages of at least a tenth of the project's files of the JVM begin with. A file may lie in a package of others, to
/// reach what is private to it.
fn own_prefixes(workspace: &Workspace) -> HashSet<String> {
    let jvm = [Language::Java, Language::Kotlin, Language::Scala, Language::Groovy];
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut n_files = 0;
    for (_, file) in workspace.files_in(&jvm) {
        let package = file.references.packages.join(".");
        n_files += 1;
        if package.split('.').count() >= PARTS_OF_PROJECT {
            *counts.entry(project_prefix(&package)).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, n)| n * 10 >= n_files).map(|(prefix, _)| prefix).collect()
}

impl Packages {
    /// Reads the manifests and lock files of a workspace; those that cannot be parsed declare nothing.
    pub fn read(workspace: &Workspace) -> Self {
        let mut found = Manifest::default();
        let mut locks: BTreeMap<Ecosystem, Vec<(String, Lock)>> = BTreeMap::new();
        let mut catalog = Catalog::default();
        for (path, text) in workspace.manifests() {
            catalog.add(path, text);
            if let Some(manifest) = manifest::manifest(path, text) {
                found.declared.extend(manifest.declared);
                found.own.extend(manifest.own);
            }
            if let Some((ecosystem, lock)) = manifest::lock(path, text) {
                locks.entry(ecosystem).or_default().push((folder(path).to_owned(), lock));
            }
        }
        let mut declared = found.declared;
        fill_aliases(&mut declared, &catalog);
        fill_shared(&mut declared);
        let own: HashSet<(Ecosystem, String)> =
            found.own.into_iter().map(|(ecosystem, name)| (ecosystem, own_name(ecosystem, &name))).collect();
        let is_own = |declared: &Declared| {
            own.contains(&(declared.ecosystem, own_name(declared.ecosystem, &declared.name)))
        };
        let own_crates = declared
            .iter()
            .filter(|declared| declared.ecosystem == Ecosystem::Cargo && is_own(declared))
            .map(|declared| (folder(&declared.manifest).to_owned(), declared.name.clone()))
            .collect();
        let renamed = declared
            .iter()
            .filter(|declared| declared.ecosystem == Ecosystem::Cargo && is_own(declared))
            .filter_map(|declared| {
                let called = declared.called.clone()?;
                let real = declared.name.replace('-', "_");
                (called != real).then(|| ((folder(&declared.manifest).to_owned(), called), real))
            })
            .collect();
        declared.retain(|declared| !is_own(declared));
        declared.iter_mut().for_each(|declared| fill_version(declared, &locks));
        declared.sort_by(|a, b| (&a.manifest, &a.name, a.scope).cmp(&(&b.manifest, &b.name, b.scope)));
        declared.dedup_by(|b, a| a.manifest == b.manifest && a.name == b.name && a.ecosystem == b.ecosystem);
        let mut by_ecosystem: BTreeMap<Ecosystem, Vec<usize>> = BTreeMap::new();
        for (at, declared) in declared.iter().enumerate() {
            by_ecosystem.entry(declared.ecosystem).or_default().push(at);
        }
        let (own_prefixes, own_modules) = (own_prefixes(workspace), own_modules(workspace));
        Self { declared, by_ecosystem, renamed, own_crates, own_prefixes, own_modules }
    }

    /// Whether an import of Python may mean a module of the project itself.
    pub fn is_own(&self, ecosystem: Ecosystem, import: &str) -> bool {
        ecosystem == Ecosystem::PyPi
            && import.split('.').next().is_some_and(|first| self.own_modules.contains(first))
    }

    /// Whether an artifact is of the group that the project publishes itself under: its templates and examples declare such.
    fn is_of_own_group(&self, at: usize, import: &str) -> bool {
        let rest = import.strip_prefix(group(&self.declared[at]));
        self.declared[at].ecosystem == Ecosystem::Maven
            && self.own_prefixes.contains(&project_prefix(import))
            && rest.is_some_and(|rest| rest.starts_with('.'))
    }

    /// Whether an artifact is the one that an import must come from: it matches by more than its group, or there is no other of
    /// the group.
    fn is_certain(&self, at: usize, import: &str, of: &[usize]) -> bool {
        let declared = &self.declared[at];
        let is_other = |other: &usize| {
            let other = &self.declared[*other];
            other.name != declared.name && group(other) == group(declared)
        };
        !matching::is_by_group_alone(declared, import) || !of.iter().any(is_other)
    }

    /// The declarations that an import in `from` belongs to: those of the nearest manifest with such a package.
    pub fn find(&self, from: &str, ecosystem: Ecosystem, import: &str) -> Vec<usize> {
        let of = self.by_ecosystem.get(&ecosystem).map(Vec::as_slice).unwrap_or_default();
        let others = of.iter().filter(|&&at| !self.is_of_own_group(at, import));
        let scores: Vec<(u32, usize)> =
            others.filter_map(|&at| Some((matching::score(&self.declared[at], import)?, at))).collect();
        let Some(best) = scores.iter().map(|(score, _)| *score).max() else { return Vec::new() };
        let best = scores.into_iter().filter(|(score, _)| *score == best).map(|(_, at)| at);
        let best = best.filter(|&at| self.is_certain(at, import, of));
        let with_distance: Vec<((bool, usize), usize)> = best
            .map(|at| (self.nearness(from, at), at))
            .filter(|(near, at)| near.0 || !needs_manifest_above(self.declared[*at].ecosystem))
            .collect();
        let Some(nearest) = with_distance.iter().map(|(near, _)| *near).max() else { return Vec::new() };
        let mut nearest: Vec<usize> =
            with_distance.into_iter().filter(|(near, _)| *near == nearest).map(|(_, at)| at).collect();
        // Two artifacts that fit equally: it is not known which.
        let name = |at: usize| &self.declared[at].name;
        if ecosystem == Ecosystem::Maven && nearest.iter().any(|&at| name(at) != name(nearest[0])) {
            nearest.clear();
        }
        nearest
    }

    /// Whether the manifest is in a folder above the file, and how many folders both share.
    fn nearness(&self, from: &str, at: usize) -> (bool, usize) {
        let manifest = &self.declared[at].manifest;
        let place = governed(self.declared[at].ecosystem, folder(manifest));
        let is_above = is_in(from, place);
        (
            is_above,
            if is_above {
                place.split('/').filter(|part| !part.is_empty()).count()
            } else {
                shared_folders(from, &under(place, "x"))
            },
        )
    }

    /// Whether a manifest declares a package that an import in `from` belongs to.
    pub fn declares(&self, from: &str, ecosystem: Ecosystem, import: &str) -> bool {
        !self.find(from, ecosystem, import).is_empty()
    }

    /// Whether any manifest declares a package that an import may belong to, be it that of the file or not.
    pub fn is_declared(&self, ecosystem: Ecosystem, import: &str) -> bool {
        let of = self.by_ecosystem.get(&ecosystem).map(Vec::as_slice).unwrap_or_default();
        of.iter().any(|&at| matching::score(&self.declared[at], import).is_some())
    }

    /// Whether a manifest declares a package of that name.
    pub fn declares_exactly(&self, from: &str, ecosystem: Ecosystem, name: &str) -> bool {
        self.find(from, ecosystem, name).iter().any(|&at| self.declared[at].name.eq_ignore_ascii_case(name))
    }

    /// Whether the nearest manifest of a Rust file declares a crate that the code calls `name`.
    pub fn declares_crate(&self, from: &str, name: &str) -> bool {
        self.declares(from, Ecosystem::Cargo, name)
    }

    /// Whether the manifest in a folder declares a crate of the project.
    pub fn declares_own_crate(&self, folder: &str, name: &str) -> bool {
        self.own_crates.contains(&(folder.to_owned(), name.to_owned()))
    }

    /// The own name of a crate of the project that the manifest above `from` calls `name`.
    pub fn renamed_crate(&self, from: &str, name: &str) -> Option<String> {
        if self.renamed.is_empty() {
            return None;
        }
        craig_text::path::ancestors(folder(from))
            .find_map(|folder| self.renamed.get(&(folder.to_owned(), name.to_owned())).cloned())
    }
}

/// The group of an artifact.
fn group(declared: &Declared) -> &str {
    declared.name.split(':').next().unwrap_or_default()
}

fn own_modules(workspace: &Workspace) -> HashSet<String> {
    let files = workspace.files_in(&[Language::Python]);
    let parts = files.flat_map(|(_, file)| file.path.trim_end_matches(".py").split('/'));
    parts.map(str::to_owned).collect()
}

/// The folder that a manifest applies to: Python requirement lists may have a folder of their own.
fn governed(ecosystem: Ecosystem, place: &str) -> &str {
    let is_list =
        ecosystem == Ecosystem::PyPi && matches!(craig_text::path::name(place), "requirements" | "reqs");
    let is_settings =
        ecosystem == Ecosystem::Maven && matches!(craig_text::path::name(place), "gradle" | "project");
    // Scripts that those of other folders apply.
    let shared = place.find("buildSrc").filter(|_| ecosystem == Ecosystem::Maven);
    match shared {
        Some(at) => place[..at].trim_end_matches('/'),
        None if is_list || is_settings => folder(place),
        None => place,
    }
}

/// Ecosystems in which only manifests in folders above a file apply to it.
fn needs_manifest_above(ecosystem: Ecosystem) -> bool {
    matches!(ecosystem, Ecosystem::Cargo | Ecosystem::Npm | Ecosystem::Go | Ecosystem::Maven)
}

/// The normal form of a name, for comparison with the project's own packages.
fn own_name(ecosystem: Ecosystem, name: &str) -> String {
    match ecosystem {
        Ecosystem::PyPi => manifest::normal_python_name(name),
        _ => name.to_owned(),
    }
}

/// Fills in coordinates and versions from catalogs.
fn fill_aliases(declared: &mut Vec<Declared>, catalog: &Catalog) {
    declared.retain_mut(|declared| {
        if declared.ecosystem != Ecosystem::Maven {
            return true;
        }
        if declared.name.starts_with(manifest::BY_ALIAS) {
            let Some((name, version)) = catalog.library(&declared.name) else { return false };
            declared.name = name;
            declared.requirement = version;
        }
        declared.requirement = declared.requirement.as_deref().map(|text| catalog.filled(text));
        true
    });
}

/// Fills in requirements that members inherit from a workspace, managed dependencies or central versions.
fn fill_shared(declared: &mut Vec<Declared>) {
    let shared: HashMap<(Ecosystem, String), (String, Option<String>)> = declared
        .iter()
        .filter(|declared| declared.scope == Scope::Workspace)
        .map(|shared| {
            // In a workspace of Cargo, members name the key, which may stand for another package.
            let key = shared.called.clone().unwrap_or_else(|| shared.name.clone());
            ((shared.ecosystem, key), (shared.name.clone(), shared.requirement.clone()))
        })
        .collect();
    for member in declared.iter_mut().filter(|declared| declared.scope != Scope::Workspace) {
        let asks = member
            .requirement
            .as_deref()
            .is_none_or(|text| text == manifest::OF_WORKSPACE || text.contains("${"));
        let key = member.called.clone().unwrap_or_else(|| member.name.clone());
        if let Some((name, requirement)) = shared.get(&(member.ecosystem, key)).filter(|_| asks) {
            member.name.clone_from(name);
            member.requirement.clone_from(requirement);
        }
    }
    declared.retain(|declared| declared.scope != Scope::Workspace);
}

/// Fills in the version from the nearest lock file above the manifest.
fn fill_version(declared: &mut Declared, locks: &BTreeMap<Ecosystem, Vec<(String, Lock)>>) {
    let above = locks
        .get(&declared.ecosystem)
        .into_iter()
        .flatten()
        .filter(|(place, _)| is_in(&declared.manifest, place));
    let Some((_, lock)) = above.max_by_key(|(place, _)| place.len()) else { return };
    let requirement = declared.requirement.clone().unwrap_or_default();
    if let Some(prefixes) = lock.prefixes.get(&declared.name) {
        declared.prefixes.clone_from(prefixes);
    }
    if let Some(version) = lock.asked.get(&(declared.name.clone(), requirement.clone())) {
        declared.version = Some(version.clone());
        return;
    }
    let wanted = lock_name(declared.ecosystem, &declared.name);
    let versions = lock.versions.get(&declared.name).or_else(|| {
        lock.versions
            .iter()
            .find(|(name, _)| lock_name(declared.ecosystem, name) == wanted)
            .map(|(_, versions)| versions)
    });
    declared.version = versions.and_then(|versions| fitting(versions, &requirement)).cloned();
}

fn lock_name(ecosystem: Ecosystem, name: &str) -> String {
    match ecosystem {
        Ecosystem::PyPi => manifest::normal_python_name(name),
        Ecosystem::Swift => name.to_lowercase(),
        _ => name.to_owned(),
    }
}

/// The last of several versions that begins like the requirement.
fn fitting<'v>(versions: &'v [String], requirement: &str) -> Option<&'v String> {
    let wanted = requirement.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut wanted: Vec<&str> =
        wanted.split(['.', '-', ',', ' ']).take_while(|part| part.parse::<u64>().is_ok()).collect();
    while !wanted.is_empty() {
        let fits = |version: &&String| {
            let parts = version.split(['.', '-', '+']);
            parts.zip(&wanted).filter(|(part, wanted)| part == *wanted).count() == wanted.len()
        };
        if let Some(found) = versions.iter().rfind(fits) {
            return Some(found);
        }
        wanted.pop();
    }
    versions.first()
}
