//! Follows the exports of a package: from the module that code imports to the one that defines the name.

use craig_chunk::names::{Imported, Names, names};
use craig_store::{Project, Store};
use craig_symbols::Ecosystem;

use crate::EngineError;

/// Exports of exports are followed this far.
const MAX_STEPS: usize = 6;

/// The modules of a package.
pub(super) struct Exports<'s> {
    pub(super) store: &'s Store,
    pub(super) corpus: &'s Project,
    pub(super) ecosystem: Ecosystem,
}

impl Exports<'_> {
    /// The module that defines a name, and its name there. `module` is that of the import, from the root of the package; if
    /// it exports the name of no other module, it stays.
    pub(super) fn origin(
        &self,
        mut module: Vec<String>,
        name: &str,
    ) -> Result<(Vec<String>, String), EngineError> {
        let mut name = name.to_owned();
        for _ in 0..MAX_STEPS {
            let Some((path, names)) = self.read(&module)? else { break };
            let resolve = |target| resolved(self.ecosystem, &module, is_folder(&path), target);
            let Some((target, imported)) = export(&names, &name) else {
                let all = all_of(&names).map(resolve).collect();
                return Ok((self.defining(all, &name)?.unwrap_or(module), name));
            };
            (module, name) = (resolve(target), imported.to_owned());
        }
        Ok((module, name))
    }

    /// The first of several modules that defines a name.
    fn defining(&self, modules: Vec<Vec<String>>, name: &str) -> Result<Option<Vec<String>>, EngineError> {
        for module in modules {
            if let Some((_, names)) = self.read(&module)?
                && names.definitions.iter().any(|of| of.parent.is_none() && names.text(of.name) == name)
            {
                return Ok(Some(module));
            }
        }
        Ok(None)
    }

    fn read(&self, module: &[String]) -> Result<Option<(String, Names)>, EngineError> {
        for path in files_of(self.ecosystem, module) {
            if let Some(file) = self.store.file_text(self.corpus.id, &path)? {
                let names = names(file.record.language, file.content.as_deref().unwrap_or_default());
                return Ok(Some((path, names)));
            }
        }
        Ok(None)
    }
}

/// The files that a module of a package may be.
pub(super) fn files_of(ecosystem: Ecosystem, module: &[String]) -> Vec<String> {
    let path = module.join("/");
    match ecosystem {
        Ecosystem::PyPi => {
            vec![
                format!("{path}/__init__.py"),
                format!("{path}.py"),
                format!("{path}/__init__.pyi"),
                format!("{path}.pyi"),
            ]
        }
        Ecosystem::Cargo if module.is_empty() => vec!["src/lib.rs".to_owned()],
        Ecosystem::Cargo => vec![format!("src/{path}.rs"), format!("src/{path}/mod.rs")],
        _ => Vec::new(),
    }
}

/// Whether a file is the module of its folder.
fn is_folder(path: &str) -> bool {
    matches!(craig_text::path::file_stem(path), "__init__" | "mod" | "lib")
}

/// The module and the name that a file imports as `name`.
fn export<'n>(names: &'n Names, name: &str) -> Option<(&'n str, &'n str)> {
    names.imports.iter().find_map(|import| match import.what {
        Imported::Name(imported) if import.local.is_some_and(|local| names.text(local) == name) => {
            Some((names.text(import.module), names.text(imported)))
        }
        _ => None,
    })
}

/// The modules of which a file exports all names.
fn all_of(names: &Names) -> impl Iterator<Item = &str> {
    let all = names.imports.iter().filter(|import| import.what == Imported::All);
    all.map(|import| names.text(import.module))
}

/// The module that a file of `module` calls `target`, from the root of the package.
fn resolved(ecosystem: Ecosystem, module: &[String], is_folder: bool, target: &str) -> Vec<String> {
    match ecosystem {
        Ecosystem::PyPi => {
            let n_dots = target.len() - target.trim_start_matches('.').len();
            let n_up = n_dots.saturating_sub(usize::from(is_folder));
            let base = if n_dots == 0 { 0 } else { module.len().saturating_sub(n_up) };
            below(&module[..base], target.split('.'))
        }
        _ => {
            let mut base = module;
            let mut rest = target;
            while let Some((first, after)) =
                rest.split_once("::").or((!rest.is_empty()).then_some((rest, "")))
            {
                base = match first {
                    "crate" => &[],
                    "self" => base,
                    "super" => &base[..base.len().saturating_sub(1)],
                    _ => break,
                };
                rest = after;
            }
            below(base, rest.split("::"))
        }
    }
}

fn below<'t>(base: &[String], parts: impl Iterator<Item = &'t str>) -> Vec<String> {
    base.iter().cloned().chain(parts.filter(|part| !part.is_empty()).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_resolved_from_the_file_that_names_them() {
        let resolve = |ecosystem, module: &str, is_folder, target| {
            let module: Vec<String> =
                module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            resolved(ecosystem, &module, is_folder, target).join("/")
        };
        assert_eq!(resolve(Ecosystem::PyPi, "flask", true, ".helpers"), "flask/helpers");
        assert_eq!(resolve(Ecosystem::PyPi, "flask/app", false, ".helpers"), "flask/helpers");
        assert_eq!(resolve(Ecosystem::PyPi, "a/b/c", false, "..d.e"), "a/d/e");
        assert_eq!(resolve(Ecosystem::PyPi, "attrs", true, "attr"), "attr");
        assert_eq!(resolve(Ecosystem::Cargo, "", true, "crate::de"), "de");
        assert_eq!(resolve(Ecosystem::Cargo, "a/b", false, "super::c"), "a/c");
        assert_eq!(resolve(Ecosystem::Cargo, "a", true, "self"), "a");
        assert_eq!(resolve(Ecosystem::Cargo, "a", true, "b::c"), "a/b/c");
    }
}
