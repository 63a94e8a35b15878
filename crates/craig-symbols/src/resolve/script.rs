//! Imports of JavaScript and TypeScript: relative files, `paths` and `baseUrl`, packages of a monorepo, Node's own modules.

use std::collections::HashMap;

use craig_text::PathRole;
use craig_text::path::{ancestors, extension, file_stem, folder, is_in, join, name, under};
use serde_json::Value;

use super::{Target, standard};
use crate::declared::Ecosystem;
use crate::workspace::{FileIx, SourceFile, Workspace};
use crate::{json, manifest};

/// Extensions that an import may omit, in the order in which TypeScript tries them, except that implementations come before
/// declarations.
const LEFT_OUT: &[&str] =
    &["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "astro", "d.ts", "json"];

/// What may be the source of a written extension.
const WRITTEN_FOR: &[(&str, &[&str])] = &[
    ("js", &["ts", "tsx", "jsx", "d.ts"]),
    ("jsx", &["tsx"]),
    ("mjs", &["mts", "ts", "d.mts"]),
    ("cjs", &["cts", "ts", "d.cts"]),
    ("ts", &["d.ts"]),
    ("mts", &["d.mts"]),
    ("cts", &["d.cts"]),
];

/// Extensions of declaration files.
const DECLARATIONS: &[&str] = &["d.ts", "d.mts", "d.cts"];

/// Platforms that have files of their own: `button.ios.js`.
const PLATFORMS: &[&str] = &["native", "web", "ios", "android"];

/// Folders of built files and where their sources are.
const BUILT: &[&str] = &["dist", "lib", "build", "out", "es", "esm", "cjs", "types", "compiled"];

/// In place of a field, for the `index.js` of a package without `main`.
const IMPLICIT_MAIN: &str = "implicit main";

/// Configurations extend each other no deeper than this.
const MAX_EXTENDS: usize = 8;

/// `compilerOptions` that decide where imports lead.
#[derive(Clone, Default)]
struct Config {
    base_url: Option<String>,
    /// Patterns with the places they stand for, relative to the project.
    paths: Vec<(String, Vec<String>)>,
}

/// A `package.json` with a name.
struct Package {
    folder: String,
    manifest: Value,
}

/// Imports of scripts, by compiler options and manifests.
pub struct Scripts<'w> {
    workspace: &'w Workspace,
    configs: HashMap<String, Vec<Config>>,
    packages: HashMap<String, Vec<Package>>,
    manifests: HashMap<String, Value>,
}

impl<'w> Scripts<'w> {
    /// Reads the compiler options and manifests of a workspace.
    pub fn new(workspace: &'w Workspace) -> Self {
        let mut scripts =
            Self { workspace, configs: HashMap::new(), packages: HashMap::new(), manifests: HashMap::new() };
        for (path, text) in workspace.manifests_named("package.json") {
            let Some(manifest) = json::parse(text) else { continue };
            if let Some(name) = manifest["name"].as_str() {
                let package = Package { folder: folder(path).to_owned(), manifest: manifest.clone() };
                scripts.packages.entry(name.to_owned()).or_default().push(package);
            }
            scripts.manifests.insert(folder(path).to_owned(), manifest);
        }
        for (path, _) in workspace.manifests().filter(|(path, _)| manifest::is_script_config(path)) {
            let config = scripts.config(path, MAX_EXTENDS);
            let is_main = matches!(name(path), "tsconfig.json" | "jsconfig.json");
            let configs = scripts.configs.entry(folder(path).to_owned()).or_default();
            if is_main { configs.insert(0, config) } else { configs.push(config) }
        }
        scripts
    }

    /// The options of a configuration and of those it extends.
    fn config(&self, path: &str, depth: usize) -> Config {
        let Some(value) = self.workspace.text(path).and_then(json::parse) else {
            return Config::default();
        };
        let bases = match &value["extends"] {
            Value::String(one) => vec![one.as_str()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut config = Config::default();
        for base in bases.into_iter().filter(|_| depth > 0) {
            if let Some(base) = self.extended(folder(path), base) {
                let base = self.config(&base, depth - 1);
                config.base_url = base.base_url.or(config.base_url);
                config.paths = if base.paths.is_empty() { config.paths } else { base.paths };
            }
        }
        self.own_options(path, &value["compilerOptions"], &mut config);
        config
    }

    fn own_options(&self, path: &str, options: &Value, config: &mut Config) {
        if let Some(base) = options["baseUrl"].as_str() {
            config.base_url = join(folder(path), base);
        }
        let Some(written) = options["paths"].as_object() else { return };
        let base = config.base_url.clone().unwrap_or_else(|| folder(path).to_owned());
        let places = |value: &Value| -> Vec<String> {
            let targets = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            targets.filter_map(|target| join(&base, target)).collect()
        };
        config.paths = written.iter().map(|(pattern, value)| (pattern.clone(), places(value))).collect();
        // The longest prefix wins.
        config.paths.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.find('*').unwrap_or(usize::MAX)));
    }

    fn extended(&self, from: &str, written: &str) -> Option<String> {
        let found = |path: String| {
            let with = [path.clone(), format!("{path}.json"), under(&path, "tsconfig.json")];
            with.into_iter().find(|path| self.workspace.text(path).is_some())
        };
        if written.starts_with('.') {
            return found(join(from, written)?);
        }
        let (package, rest) = self.package_of(written)?;
        found(under(&package.folder, if rest.is_empty() { "tsconfig.json" } else { rest }))
    }

    /// The file or package that an import resolves to. For a declaration file, that is another one, if there is one.
    pub(super) fn resolve(&self, from: FileIx, written: &str) -> Target {
        match self.implementation(from, written) {
            Target::File(file) if is_declaration(&self.workspace.files[from].path) => {
                Target::File(self.declaration_of(file).unwrap_or(file))
            }
            target => target,
        }
    }

    /// The declaration file of a JavaScript file in the same folder: `button.d.ts` of `button.js`, and of `button.ios.js`.
    pub(crate) fn declaration_of(&self, file: FileIx) -> Option<FileIx> {
        let path = &self.workspace.files[file].path;
        let written = extension(path);
        if !matches!(written, "js" | "jsx" | "mjs" | "cjs") {
            return None;
        }
        let bare = path.strip_suffix(written)?.strip_suffix('.')?;
        let shared = PLATFORMS.iter().find_map(|platform| bare.strip_suffix(platform)?.strip_suffix('.'));
        std::iter::once(bare).chain(shared).find_map(|bare| {
            DECLARATIONS.iter().find_map(|ending| self.workspace.file(&format!("{bare}.{ending}")))
        })
    }

    fn implementation(&self, from: FileIx, written: &str) -> Target {
        let target = written.rsplit('!').next().unwrap_or(written);
        let target = target.split('?').next().unwrap_or(target);
        let here = folder(&self.workspace.files[from].path);
        if target.is_empty() {
            return Target::Unknown;
        }
        if target.starts_with('.') {
            let path = join(here, target).unwrap_or_default();
            // `import("../dist/cli.js")` of a program leads to what is built.
            let built = || {
                let package = ancestors(folder(&path)).find(|folder| self.manifests.contains_key(*folder))?;
                self.source_of(package, path[package.len()..].trim_start_matches('/'))
            };
            return self.file_at(&path).or_else(built).map_or(Target::Unknown, Target::File);
        }
        let inside = self.mapped(here, target).or_else(|| self.own_import(here, target));
        let inside = inside.or_else(|| self.in_monorepo(here, target));
        if let Some(file) = inside {
            return Target::File(file);
        }
        if standard::is_node_module(target) {
            return Target::Standard;
        }
        match self.by_convention(here, target).or_else(|| self.by_folder(here, target)) {
            Some(file) => Target::File(file),
            None => {
                package_name(target).map_or(Target::Unknown, |name| Target::Package(Ecosystem::Npm, name))
            }
        }
    }

    /// The file that a path without query names.
    fn file_at(&self, path: &str) -> Option<FileIx> {
        let named = self.file_named(path);
        if named.is_some_and(|file| is_declaration(&self.workspace.files[file].path)) {
            return self.for_a_platform(path).or(named);
        }
        named.or_else(|| self.folder_at(path)).or_else(|| self.for_a_platform(path))
    }

    /// The file of one platform, if each has its own.
    fn for_a_platform(&self, path: &str) -> Option<FileIx> {
        PLATFORMS.iter().find_map(|platform| {
            ["tsx", "ts", "js", "jsx"]
                .iter()
                .find_map(|ext| self.workspace.file(&format!("{path}.{platform}.{ext}")))
        })
    }

    /// The file of a path, with the extension that it leaves out, or the source of the one that it has.
    fn file_named(&self, path: &str) -> Option<FileIx> {
        let file = |path: &str| self.workspace.file(path);
        if let Some(exact) = file(path) {
            return Some(exact);
        }
        let written = extension(path);
        if let Some((_, sources)) = WRITTEN_FOR.iter().find(|(extension, _)| *extension == written) {
            let bare = &path[..path.len() - written.len()];
            if let Some(source) = sources.iter().find_map(|source| file(&format!("{bare}{source}"))) {
                return Some(source);
            }
        }
        LEFT_OUT.iter().find_map(|extension| file(&format!("{path}.{extension}")))
    }

    /// The file that stands for a folder.
    fn folder_at(&self, path: &str) -> Option<FileIx> {
        let by_manifest = self.manifests.get(path).and_then(|manifest| self.entry(path, manifest));
        by_manifest.or_else(|| self.index_of(path))
    }

    fn index_of(&self, folder: &str) -> Option<FileIx> {
        let index = under(folder, "index");
        LEFT_OUT.iter().find_map(|extension| self.workspace.file(&format!("{index}.{extension}")))
    }

    /// The file that a manifest names as an entry. Like Node, this reads no other manifest on the way: a manifest may name the
    /// folder that it is in.
    fn entry_at(&self, path: &str) -> Option<FileIx> {
        self.file_named(path).or_else(|| self.index_of(path))
    }

    /// Through `paths` and `baseUrl` of the nearest configuration that knows the way.
    fn mapped(&self, here: &str, target: &str) -> Option<FileIx> {
        let configs = ancestors(here).filter_map(|folder| self.configs.get(folder)).flatten();
        let mut found = configs.filter_map(|config| {
            let by_path = config.paths.iter().find_map(|(pattern, places)| {
                let rest = matched(pattern, target)?;
                places.iter().find_map(|place| self.file_at(&place.replacen('*', rest, 1)))
            });
            by_path.or_else(|| self.file_at(&join(config.base_url.as_deref()?, target)?))
        });
        found.next()
    }

    /// `#name` by the `imports` of the nearest manifest.
    fn own_import(&self, here: &str, target: &str) -> Option<FileIx> {
        if !target.starts_with('#') {
            return None;
        }
        ancestors(here).find_map(|folder| {
            let imports = self.manifests.get(folder)?.get("imports")?.as_object()?;
            imports.iter().find_map(|(pattern, value)| {
                let rest = matched(pattern, target)?;
                self.exported(folder, value, rest)
            })
        })
    }

    /// A package of the project itself, or a file of it.
    fn in_monorepo(&self, here: &str, target: &str) -> Option<FileIx> {
        let (package, rest) = self.package_near(here, target)?;
        if rest.is_empty() {
            return self.entry(&package.folder, &package.manifest);
        }
        let exports = package.manifest["exports"].as_object();
        let exported = exports.into_iter().flatten().find_map(|(pattern, value)| {
            let inner = matched(pattern.strip_prefix("./")?, rest)?;
            self.exported(&package.folder, value, inner)
        });
        exported
            .or_else(|| self.file_at(&under(&package.folder, rest)))
            .or_else(|| self.source_of(&package.folder, rest))
            .or_else(|| self.file_at(&under(&package.folder, &format!("src/{rest}"))))
    }

    fn package_of<'t>(&self, target: &'t str) -> Option<(&Package, &'t str)> {
        self.package_near("", target)
    }

    fn package_near<'t>(&self, here: &str, target: &'t str) -> Option<(&Package, &'t str)> {
        let name = package_name(target)?;
        let packages = self.packages.get(&name)?;
        let nearest = packages.iter().max_by_key(|package| {
            let shared = craig_text::path::shared_folders(&under(here, "x"), &under(&package.folder, "x"));
            (shared, std::cmp::Reverse(package.folder.len()))
        })?;
        let rest = target[name.len()..].trim_start_matches('/').trim_end_matches('/');
        Some((nearest, rest))
    }

    /// The file that a package is entered by: its source where that is in the project.
    fn entry(&self, folder: &str, manifest: &Value) -> Option<FileIx> {
        let usual = || {
            ["src/index", "index", "lib/index", "src/main"]
                .iter()
                .find_map(|usual| self.without_extension(&under(folder, usual)))
        };
        self.declared_entry(folder, manifest).map(|(_, file)| file).or_else(usual)
    }

    /// The entry file of a package according to its manifest, and the field that names it. Without `main` and `exports`,
    /// the entry file is `index.js`, as in npm.
    pub fn declared_entry(&self, folder: &str, manifest: &Value) -> Option<(&'static str, FileIx)> {
        let exports = &manifest["exports"];
        let root = if exports.get(".").is_some() { &exports["."] } else { exports };
        let is_root = root.is_string() || root.get(".").is_some() || !has_subpaths(root);
        let exported = is_root.then(|| self.exported(folder, root, "")).flatten();
        let first_of = |fields: &[&'static str]| {
            fields.iter().find_map(|&field| Some((field, self.written(folder, manifest[field].as_str()?)?)))
        };
        let is_implicit = exports.is_null() && manifest["main"].is_null() && manifest["name"].is_string();
        let implicit = || self.workspace.file(&under(folder, "index.js")).filter(|_| is_implicit);
        exported
            .map(|file| ("exports", file))
            .or_else(|| first_of(&["source", "module", "main"]))
            .or_else(|| Some((IMPLICIT_MAIN, implicit()?)))
            .or_else(|| first_of(&["types", "typings", "browser", "svelte"]))
    }

    /// The file that a manifest names, or the source that it is built from.
    pub fn written(&self, folder: &str, written: &str) -> Option<FileIx> {
        let written = written.trim_start_matches("./");
        self.source_of(folder, written).or_else(|| self.entry_at(&join(folder, written)?))
    }

    /// The only source below a package that is called as a built file is: `src/bin/cli.ts` of `build/cli.js`.
    pub fn only_source(&self, folder: &str, written: &str) -> Option<FileIx> {
        let (first, _) = written.trim_start_matches("./").split_once('/')?;
        let is_source = |(_, file): &(FileIx, &SourceFile)| {
            is_in(&file.path, folder)
                && LEFT_OUT.contains(&extension(&file.path))
                && file_stem(&file.path) == file_stem(written)
                && PathRole::from_path(&file.path).is_product()
        };
        let mut found = self.workspace.files.iter().enumerate().filter(is_source).map(|(at, _)| at);
        let source = found.next().filter(|_| BUILT.contains(&first));
        source.filter(|_| found.next().is_none())
    }

    /// The first file that a value of `exports` leads to, with `rest` for its star.
    fn exported(&self, folder: &str, value: &Value, rest: &str) -> Option<FileIx> {
        match value {
            Value::String(written) => {
                let written = written.trim_start_matches("./").replacen('*', rest, 1);
                self.source_of(folder, &written).or_else(|| self.entry_at(&join(folder, &written)?))
            }
            Value::Object(conditions) => {
                conditions.values().find_map(|value| self.exported(folder, value, rest))
            }
            Value::Array(several) => several.iter().find_map(|value| self.exported(folder, value, rest)),
            _ => None,
        }
    }

    /// The source of a built file: `src/index.ts` of `dist/index.js`.
    fn source_of(&self, folder: &str, written: &str) -> Option<FileIx> {
        let (first, mut rest) = written.split_once('/')?;
        if !BUILT.contains(&first) {
            return None;
        }
        if let Some((second, inner)) = rest.split_once('/')
            && (BUILT.contains(&second) || second == "src")
        {
            rest = inner;
        }
        let bare = [".d.ts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".js", ".min.js", ".umd.js"]
            .iter()
            .find_map(|end| rest.strip_suffix(end))
            .unwrap_or(rest);
        let bare = bare.strip_suffix(".min").unwrap_or(bare);
        self.without_extension(&under(folder, &format!("src/{bare}")))
            .or_else(|| self.without_extension(&under(folder, bare)))
    }

    fn without_extension(&self, path: &str) -> Option<FileIx> {
        let with = LEFT_OUT.iter().find_map(|extension| self.workspace.file(&format!("{path}.{extension}")));
        with.or_else(|| {
            LEFT_OUT.iter().find_map(|extension| self.workspace.file(&format!("{path}/index.{extension}")))
        })
    }

    /// Names that no manifest declares, by where they would be: `components/x` and `@components/x` in `src`, `@scope/name` in
    /// `packages/name`.
    fn by_folder(&self, here: &str, target: &str) -> Option<FileIx> {
        let (first, rest) = target.split_once('/')?;
        if self.is_declared(here, target) {
            return None;
        }
        let bare = first.trim_start_matches(['@', '~', '#']);
        let is_alias = bare.len() < first.len();
        let written = || under(bare, rest);
        let at = |path: String| self.file_at(&path);
        ancestors(here).find_map(|folder| {
            let in_folder = (!bare.is_empty()).then(|| {
                at(under(folder, &format!("src/{}", written()))).or_else(|| at(under(folder, &written())))
            });
            in_folder.flatten().or_else(|| {
                let member = ["packages", "libs", "apps", "modules"].iter().find_map(|members| {
                    let (package, inner) = rest.split_once('/').unwrap_or((rest, "index"));
                    let place = under(folder, &format!("{members}/{package}"));
                    at(format!("{place}/src/{inner}")).or_else(|| at(format!("{place}/{inner}")))
                });
                member.filter(|_| is_alias)
            })
        })
    }

    /// Whether a manifest above declares the package of an import.
    fn is_declared(&self, here: &str, target: &str) -> bool {
        let Some(package) = package_name(target) else { return false };
        let lists = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
        ancestors(here)
            .filter_map(|folder| self.manifests.get(folder))
            .any(|manifest| lists.iter().any(|list| manifest[*list].get(&package).is_some()))
    }

    /// Aliases that bundlers give without any configuration that could be read: `@/x`, `~/x`, `$lib/x`, `src/x`.
    fn by_convention(&self, here: &str, target: &str) -> Option<FileIx> {
        let rest = ["@/", "~/", "~~/", "@@/"].iter().find_map(|alias| target.strip_prefix(alias));
        let sub = if let Some(rest) = target.strip_prefix("$lib") {
            format!("src/lib/{}", rest.trim_start_matches('/'))
        } else if target.starts_with("src/") {
            target.to_owned()
        } else {
            rest?.to_owned()
        };
        ancestors(here).find_map(|folder| {
            let in_src = self.file_at(&under(folder, &format!("src/{sub}")));
            in_src
                .or_else(|| self.file_at(&under(folder, &sub)))
                .or_else(|| rest.and_then(|rest| self.file_at(&under(folder, &format!("app/{rest}")))))
        })
    }
}

/// Whether a path is that of a declaration file.
fn is_declaration(path: &str) -> bool {
    DECLARATIONS.iter().any(|ending| path.strip_suffix(ending).is_some_and(|bare| bare.ends_with('.')))
}

fn has_subpaths(exports: &Value) -> bool {
    exports.as_object().is_some_and(|fields| fields.keys().any(|key| key.starts_with('.')))
}

/// What stands for the star of a pattern; empty for a pattern without one.
fn matched<'t>(pattern: &str, target: &'t str) -> Option<&'t str> {
    match pattern.split_once('*') {
        Some((before, after)) => target.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == target).then_some(""),
    }
}

/// `@scope/name` or `name` of an import of a package; `None` for what cannot be one, such as an absolute path.
pub fn package_name(target: &str) -> Option<String> {
    let mut parts = target.splitn(3, '/');
    let first = parts.next()?;
    let name = match first.strip_prefix('@') {
        Some("") => return None,
        Some(_) => format!("{first}/{}", parts.next()?),
        None => first.to_owned(),
    };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "@/-_.~".contains(c));
    (is_name && !name.is_empty() && !name.starts_with(['.', '/', '~'])).then_some(name)
}
