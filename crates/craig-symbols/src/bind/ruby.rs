//! Names of Ruby that no enclosing type defines: what stands outside of types, and what a block is called on, which nobody says.

use craig_chunk::names::{DefinitionIx, DefinitionKind, Role, Traits, Value};
use rustc_hash::FxHashSet;

use super::{Binder, Bound, FileBinder, GLOBAL, Sought, Type};
use crate::SymbolIx;
use crate::table::Family;

/// Of a module of Ruby, so many places that open it are named.
const MAX_OPENED: usize = 64;

/// Methods that all objects, or all classes, have.
#[rustfmt::skip]
const OF_OBJECTS: &[&str] = &[
    "abort", "allocate", "at_exit", "autoload", "binding", "block_given?", "caller", "catch", "class",
    "clone", "define_method", "display", "dup", "eval", "exec", "exit", "extend", "fail", "fork",
    "format", "freeze", "frozen?", "gets", "hash", "include", "inspect", "instance_eval",
    "instance_exec", "instance_of?", "instance_variable_get", "instance_variable_set", "is_a?",
    "itself", "kind_of?", "lambda", "load", "loop", "method", "methods", "name", "new", "nil?",
    "object_id", "open", "p", "prepend", "print", "printf", "private", "proc", "protected", "public",
    "public_send", "puts", "raise", "rand", "require", "require_relative", "respond_to?", "select",
    "send", "singleton_class", "sleep", "spawn", "sprintf", "srand", "syscall", "system", "tap", "test",
    "then", "throw", "to_enum", "to_s", "trap", "warn",
];

/// Methods that frameworks of tests bring.
#[rustfmt::skip]
const OF_TESTS: &[&str] = &[
    "after", "all", "allow", "assert", "assert_equal", "assert_nil", "assert_raises", "be", "before",
    "context", "describe", "double", "eq", "example", "expect", "include_examples", "is_expected", "it",
    "it_behaves_like", "its", "let", "match", "mock", "pending", "raise_error", "receive", "refute",
    "setup", "shared_examples", "skip", "specify", "stub", "subject", "teardown",
];

/// Constants of the language and its standard library, which others hide where they enclose the code.
#[rustfmt::skip]
const OF_RUBY: &[&str] = &[
    "ArgumentError", "Array", "BasicObject", "BigDecimal", "Binding", "CGI", "Class", "Comparable",
    "Complex", "Data", "Date", "DateTime", "Dir", "ENV", "ERB", "Encoding", "Enumerable", "Enumerator",
    "Errno", "Exception", "FalseClass", "File", "FileTest", "FileUtils", "Float", "Forwardable", "GC",
    "Hash", "IO", "IOError", "IndexError", "Integer", "JSON", "Kernel", "KeyError", "LoadError",
    "Logger", "Marshal", "MatchData", "Math", "Method", "Module", "Mutex", "NameError", "NilClass",
    "NoMethodError", "NotImplementedError", "Numeric", "Object", "ObjectSpace", "Observable", "OpenSSL",
    "OpenStruct", "Pathname", "Proc", "Process", "Queue", "Rack", "Ractor", "Random", "Range",
    "RangeError", "Rational", "Regexp", "RuntimeError", "SecureRandom", "Set", "Signal",
    "SimpleDelegator", "Singleton", "SizedQueue", "StandardError", "StopIteration", "String",
    "StringIO", "StringScanner", "Struct", "Symbol", "SystemExit", "Tempfile", "Thread", "Time",
    "Timeout", "TracePoint", "TrueClass", "TypeError", "URI", "YAML", "ZeroDivisionError",
];

/// Requests that a framework of tests sends: `get "/"`.
const REQUESTS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put", "request"];

impl Binder<'_, '_> {
    /// What `new` of a type of Ruby makes, where the type has a `new` of its own that says so.
    pub(super) fn made_by_new(&self, of: SymbolIx) -> Option<Type> {
        if self.table.family(of) != Family::Ruby {
            return None;
        }
        let of = self.table.canonical(of);
        let above = self.all_supers.get(of as usize).map_or(&[][..], Vec::as_slice);
        let is_own = |at: &SymbolIx| {
            let entry = self.table.entry(*at);
            let owner = entry.parent.map(|owner| self.table.canonical(owner));
            entry.traits.has(Traits::STATIC)
                && owner.is_some_and(|owner| owner == of || above.contains(&owner))
        };
        let found = self.table.named(self.table.find("new")?).iter().copied().filter(is_own);
        let mut made = found.map(|at| self.types[at as usize]);
        made.find(|made| matches!(made, Type::Instance(_)))
    }
}

impl FileBinder<'_, '_, '_> {
    /// A name of Ruby outside of all types; else a member of what includes the module, is included, or the block is called on.
    pub(super) fn ruby_bare(&self, sought: Sought, within: Option<DefinitionIx>) -> Bound {
        let name = sought.name;
        let table = self.binder.table;
        let is_top = |&&at: &&SymbolIx| {
            let entry = table.entry(at);
            let is_seen = !entry.traits.has(Traits::PRIVATE) || entry.file as usize == self.file;
            entry.parent.is_none() && is_seen && table.families[entry.file as usize] == Family::Ruby
        };
        let mut found: Vec<SymbolIx> = table.named(name).iter().filter(is_top).copied().collect();
        if found.is_empty() {
            let is_constant = table.text(name).is_some_and(|name| name.starts_with(char::is_uppercase));
            if !is_constant {
                return self.called_on_something(sought, within);
            }
            if table.text(name).is_some_and(|name| OF_RUBY.contains(&name)) {
                return Bound::external();
            }
            return match self.candidates(sought) {
                nothing if nothing.entities.is_empty() => Bound::external(),
                found => found,
            };
        }
        // A module is one however often it is opened.
        let mut seen = FxHashSet::default();
        let n_distinct = found.iter().filter(|&&at| seen.insert(table.canonical(at))).count();
        if n_distinct == 1 {
            found.truncate(MAX_OPENED);
            return Bound::symbols(&found, GLOBAL);
        }
        Bound::global(&found, n_distinct)
    }

    /// A call by a bare name, of a method of whatever `self` is there.
    fn called_on_something(&self, sought: Sought, within: Option<DefinitionIx>) -> Bound {
        let table = self.binder.table;
        let mut found = self.members_named(sought, true);
        self.keep_likely(&mut found, sought);
        // `ClassMethods` of one extension call those of another.
        let around = self.types_around(within);
        self.prefer(&mut found, |at| {
            let owner = table.entry(at).parent.map(|of| table.entry(of).name);
            around.iter().any(|&of| Some(table.entry(of).name) == owner)
        });
        self.prefer(&mut found, |at| self.is_in_test(at) == self.is_test(self.file));
        self.prefer(&mut found, |at| table.entry(at).file as usize == self.file);
        let text = table.text(sought.name).unwrap_or_default();
        let inherits_more = |&of: &SymbolIx| {
            let definition = table.definition(of);
            definition.supers.len() > self.binder.supers[table.canonical(of) as usize].len()
        };
        let is_common = OF_OBJECTS.contains(&text)
            || self.is_test(self.file) && OF_TESTS.contains(&text)
            || self.is_test(self.file) && REQUESTS.contains(&text) && sought.arguments != Some(0)
            || self.is_common(sought.name) && around.iter().any(inherits_more);
        self.weighed(&found, is_common)
    }

    /// Leaves out what a call cannot mean: what takes another number of arguments, what only tests define, and what takes
    /// the place of another.
    pub(super) fn keep_likely(&self, found: &mut Vec<SymbolIx>, sought: Sought) {
        let table = self.binder.table;
        let is_called_with = |n: u8| sought.role == Role::Call && sought.arguments == Some(n);
        found.retain(|&at| match table.entry(at).kind {
            DefinitionKind::Field => {
                is_called_with(0) || sought.role != Role::Call || sought.arguments.is_none()
            }
            _ => self.binder.takes(at, sought.arguments),
        });
        // Nobody else names a class without a name.
        let is_near = |at: SymbolIx| {
            let entry = table.entry(at);
            let is_nameless = entry.parent.is_some_and(|of| table.entry(of).traits.has(Traits::LOCAL));
            entry.file as usize == self.file || !is_nameless
        };
        found.retain(|&at| is_near(at));
        if !self.is_test(self.file) {
            found.retain(|&at| !self.is_in_test(at));
        }
        self.prefer(found, |at| {
            let definition = table.definition(at);
            !definition.supers.iter().any(|value| matches!(value, Value::Super(_)))
        });
    }

    /// Keeps of several candidates those that are likelier, if any is.
    fn prefer(&self, found: &mut Vec<SymbolIx>, is_likelier: impl Fn(SymbolIx) -> bool) {
        if found.len() > 1 && found.iter().any(|&at| is_likelier(at)) {
            found.retain(|&at| is_likelier(at));
        }
    }

    fn is_test(&self, file: usize) -> bool {
        self.binder.table.workspace.files[file].is_test
    }

    fn is_in_test(&self, at: SymbolIx) -> bool {
        self.is_test(self.binder.table.entry(at).file as usize)
    }

    /// The types that enclose a definition, from the innermost.
    fn types_around(&self, within: Option<DefinitionIx>) -> Vec<SymbolIx> {
        let table = self.binder.table;
        let first = within.map(|within| table.offsets[self.file] + within);
        let around = std::iter::successors(first, |&at| table.entry(at).parent);
        let is_type = |&at: &SymbolIx| {
            let kind = table.entry(at).kind;
            kind.is_type() || kind == DefinitionKind::Module
        };
        around.filter(is_type).collect()
    }
}
