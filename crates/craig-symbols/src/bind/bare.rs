//! Names that stand by themselves.

use craig_chunk::names::{DefinitionIx, DefinitionKind, Role, Traits};

use super::super::modules::Entity;
use super::super::table::{Family, GroupIx, Name, Scope};
use super::{Bound, CERTAIN, FileBinder, GLOBAL, Sought, SymbolIx, TYPED};

impl<'b, 't, 'n> FileBinder<'b, 't, 'n> {
    /// In Rust a field may have the name of a method: the one is called, the other is not.
    pub(super) fn for_role(&self, mut found: Vec<SymbolIx>, role: Role) -> Vec<SymbolIx> {
        let fits = |at: SymbolIx| self.binder.table.entry(at).kind.is_callable() == (role == Role::Call);
        if self.family == Family::Rust && found.iter().any(|&at| fits(at)) {
            found.retain(|&at| fits(at));
        }
        found
    }

    /// A name by itself: members of what encloses it, names of the file, imports, the package, then what is seen everywhere.
    pub(super) fn bare(&mut self, sought: Sought, within: Option<DefinitionIx>) -> Bound {
        let Sought { name, role, .. } = sought;
        let (table, modules) = (self.binder.table, self.binder.modules);
        let binder = self.binder;
        if self.family == Family::C {
            return self.bare_of_c(sought, within);
        }
        let fitting = self.enclosing_member(name, within, |at| binder.fits(at, sought));
        let found = fitting.or_else(|| self.enclosing_member(name, within, |at| binder.may_fit(at, sought)));
        if let Some(found) = found {
            return Bound::symbols(&found, CERTAIN);
        }
        let is_import = |entity: &Entity| matches!(*entity, Entity::Symbol(at) if binder.fits(at, sought));
        let mut imported = None;
        // An import goes before what the file's package has by the name.
        if self.family == Family::Jvm {
            imported = modules.imported(self.file, name);
            let found: Vec<Entity> = imported.iter().flatten().copied().filter(is_import).collect();
            if !found.is_empty() {
                return Bound::certain(found);
            }
        }
        if let Some(found) = self.fitting(&table.top[self.file], sought) {
            // A value of the file and an imported type may have one name.
            let is_type_sought = matches!(role, Role::Type | Role::Inherit | Role::Implement);
            if self.family == Family::Script
                && is_type_sought
                && !found.iter().any(|&at| table.entry(at).kind.is_type())
                && let Some(imported) = modules.imported(self.file, name).filter(|found| !found.is_empty())
            {
                return Bound::certain(imported);
            }
            return Bound::symbols(&found, CERTAIN);
        }
        if let Some(mut found) = imported.or_else(|| modules.imported(self.file, name)) {
            if self.family == Family::Script {
                self.keep_meant(&mut found, role);
            }
            let fits = |entity: &Entity| !matches!(entity, Entity::Symbol(_)) || is_import(entity);
            if found.iter().any(fits) {
                found.retain(fits);
            }
            let is_known = found.iter().any(|entity| *entity != Entity::External);
            if self.family == Family::Rust && role == Role::Call && !is_known {
                return self.rust_root(name, role);
            }
            return Bound::certain(found);
        }
        let group = table.group_of[self.file];
        if self.family.has_packages()
            && let Some(found) = self.fitting(&table.group_top[group as usize], sought)
        {
            return Bound::symbols(&found, CERTAIN);
        }
        let mut found = modules.by_stars(self.file, name);
        found.retain(|entity| !matches!(*entity, Entity::Symbol(at) if !binder.has_arity(at, sought)));
        if !found.is_empty() {
            return Bound { entities: found, confidence: TYPED };
        }
        if self.family == Family::Ruby {
            return self.ruby_bare(sought, within);
        }
        if let Some(found) = self.of_outer_package(sought, group) {
            return found;
        }
        if self.family.has_global_names() {
            return self.global(sought);
        }
        match self.family {
            Family::Rust => self.rust_root(name, role),
            // What a module of CommonJS exports itself.
            Family::Script if table.text(name) == Some("exports") => {
                Bound::certain(vec![Entity::Module(self.file)])
            }
            Family::Script => self.script_global(sought),
            _ => Bound::external(),
        }
    }

    /// Of a type and a value that have one name, the one that is meant.
    pub(super) fn keep_meant(&self, found: &mut Vec<Entity>, role: Role) {
        let kind = |entity: &Entity| match *entity {
            Entity::Symbol(at) => Some(self.binder.table.entry(at).kind),
            _ => None,
        };
        let is_type = |entity: &Entity| kind(entity).is_some_and(DefinitionKind::is_type);
        let is_no_value =
            |entity: &Entity| matches!(kind(entity), Some(DefinitionKind::Interface | DefinitionKind::Type));
        // A namespace adds members to the function of its name.
        let is_not_called = |entity: &Entity| {
            is_no_value(entity) || role == Role::Call && kind(entity) == Some(DefinitionKind::Module)
        };
        match role {
            Role::Type | Role::Inherit | Role::Implement if found.iter().any(is_type) => {
                found.retain(is_type)
            }
            Role::Call | Role::Write if !found.iter().all(is_not_called) => {
                found.retain(|entity| !is_not_called(entity));
            }
            _ => {}
        }
    }

    /// What a name is in the packages around that of the file, or a package by the first part of its name.
    pub(super) fn of_outer_package(&self, sought: Sought, group: GroupIx) -> Option<Bound> {
        let table = self.binder.table;
        let outer = table.outer_groups(self.family, group);
        // Functions and constants of PHP are sought in the global namespace, but classes are not.
        let seen = match self.family {
            Family::CSharp => &outer[..],
            Family::Php if sought.role == Role::Read || sought.role == Role::Call => {
                &outer[outer.len().saturating_sub(1)..]
            }
            _ => &[],
        };
        let is_function = |at: SymbolIx| !table.entry(at).kind.is_type() || self.family != Family::Php;
        let found = seen.iter().find_map(|&outer| self.fitting(&table.group_top[outer as usize], sought));
        if let Some(found) = found.filter(|found| found.iter().all(|&at| is_function(at))) {
            return Some(Bound::symbols(&found, TYPED));
        }
        let around: Vec<GroupIx> = match self.family {
            Family::Php => vec![group],
            Family::CSharp => std::iter::once(group).chain(outer).collect(),
            Family::Jvm => {
                let text = table.text(sought.name)?;
                // A script sees what is in no package.
                let is_script = table.workspace.files[self.file].path.ends_with(".kts");
                let unnamed = table.group(self.family, "").filter(|_| is_script);
                if let Some(found) =
                    unnamed.and_then(|unnamed| self.fitting(&table.group_top[unnamed as usize], sought))
                {
                    return Some(Bound::symbols(&found, GLOBAL));
                }
                // `ShapeKt` has what stands outside of types in `Shape.kt`.
                let of_file = || (sought.role != Role::Call && text.ends_with("Kt")).then_some(group);
                return table.group(self.family, text).or_else(of_file).map(Bound::package);
            }
            _ => return None,
        };
        // A qualified name of C# may begin at the outermost namespace.
        let outermost = || table.group(self.family, table.text(sought.name)?);
        let found = around.into_iter().find_map(|outer| table.inner_group(self.family, outer, sought.name));
        found.or_else(|| outermost().filter(|_| self.family == Family::CSharp)).map(Bound::package)
    }

    /// The definitions of a scope that are what is sought.
    pub(super) fn fitting(&self, scope: &Scope, sought: Sought) -> Option<Vec<SymbolIx>> {
        let found = scope.get(&sought.name)?;
        let those = |fits: &dyn Fn(SymbolIx) -> bool| -> Option<Vec<SymbolIx>> {
            let found: Vec<SymbolIx> = found.iter().copied().filter(|&at| fits(at)).collect();
            (!found.is_empty()).then_some(found)
        };
        let extends = |at: SymbolIx| self.binder.table.entry(at).traits.has(Traits::EXTENSION);
        those(&|at| self.binder.fits(at, sought) && !extends(at))
            .or_else(|| those(&|at| self.binder.fits(at, sought)))
            .or_else(|| those(&|at| self.binder.may_fit(at, sought)))
    }

    pub(super) fn enclosing_member(
        &self,
        name: Name,
        within: Option<DefinitionIx>,
        fits: impl Fn(SymbolIx) -> bool + Copy,
    ) -> Option<Vec<SymbolIx>> {
        let table = self.binder.table;
        let offset = table.offsets[self.file];
        let mut at = within.map(|within| offset + within);
        let mut is_direct = true;
        while let Some(current) = at {
            let entry = table.entry(current);
            let is_space = entry.kind.is_type() || entry.kind == DefinitionKind::Module;
            // The body of a class of Python sees what it defines itself, but nothing that it inherits.
            let is_body = is_direct && self.family == Family::Python && entry.kind.is_type();
            let sees_members =
                is_body || self.family.has_implicit_members() || entry.kind == DefinitionKind::Module;
            if is_space && sees_members {
                let found = match is_body {
                    true => table.own_members(current, name).iter().copied().filter(|&at| fits(at)).collect(),
                    false => self.binder.member_where(current, name, fits),
                };
                if !found.is_empty() {
                    return Some(found);
                }
                // Constants of Ruby are sought further out, methods are not.
                let is_method = || table.text(name).is_some_and(|name| !name.starts_with(char::is_uppercase));
                if self.family == Family::Ruby && is_method() {
                    return None;
                }
            }
            is_direct = false;
            at = entry.parent;
        }
        None
    }
}
