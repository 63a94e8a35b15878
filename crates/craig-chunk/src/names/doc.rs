//! Types as doc comments write them: `?Order`, `Order[]`, `Map<string, Order>`.
//!
//! PHP, JavaScript and Ruby differ in their tags and in how they name a type, and share this grammar.

use tree_sitter::Node;

use super::Value;
use super::walk::Walk;

/// Longer types are not read: each level of nesting is a level of recursion.
const MAX_TYPE_BYTES: usize = 1_000;

/// A doc comment; in Ruby, several lines of comments.
#[derive(Clone, Copy)]
pub(crate) struct Comment<'t> {
    /// The node, or the first of several.
    pub(crate) node: Node<'t>,
    /// The whole text.
    pub(crate) text: &'t str,
}

/// How types are written in the comments of a language.
pub(crate) struct TypeRules {
    /// Generic types that hold instances of their last argument.
    pub(crate) collections: &'static [&'static str],
    /// Generic types that stand for their first argument.
    pub(crate) wrappers: &'static [&'static str],
    /// Names of types that no project defines.
    pub(crate) builtin: &'static [&'static str],
    /// What separates the alternatives of a union.
    pub(crate) separators: &'static [char],
    /// The value of a name, or of another form that only this language has.
    pub(crate) named: for<'t> fn(&mut Walk<'t>, Comment<'t>, &'t str) -> Value,
}

impl TypeRules {
    /// An instance of a type; of a union, of its first alternative that is known.
    pub(crate) fn instance<'t>(&self, walk: &mut Walk<'t>, comment: Comment<'t>, written: &'t str) -> Value {
        if written.len() > MAX_TYPE_BYTES {
            return Value::Unknown;
        }
        let mut value = Value::Unknown;
        for part in split(written.trim_start_matches(['?', '!']), self.separators) {
            let found = self.alternative(walk, comment, part.trim_ascii());
            value = if value.is_typed() { value } else { found };
        }
        value
    }

    fn alternative<'t>(&self, walk: &mut Walk<'t>, comment: Comment<'t>, written: &'t str) -> Value {
        if let Some(element) = written.strip_suffix("[]") {
            let element = self.instance(walk, comment, unparenthesized(element));
            return walk.several(element);
        }
        let written = unparenthesized(written);
        if let Some((name, arguments)) = applied(written) {
            return self.generic(walk, comment, name, arguments);
        }
        if self.collections.contains(&written) {
            return Value::Unknown;
        }
        match self.builtin.contains(&written) {
            true => Value::Builtin,
            false => (self.named)(walk, comment, written).instance(),
        }
    }

    fn generic<'t>(
        &self,
        walk: &mut Walk<'t>,
        comment: Comment<'t>,
        name: &'t str,
        arguments: &'t str,
    ) -> Value {
        let arguments = split(arguments, &[',']);
        let arguments = arguments.into_iter().map(|argument| self.instance(walk, comment, argument.trim()));
        let arguments: Vec<Value> = arguments.collect();
        if self.wrappers.contains(&name) {
            return arguments.first().copied().unwrap_or_default();
        }
        if self.collections.contains(&name) {
            return walk.several(arguments.last().copied().unwrap_or_default());
        }
        let whole = (self.named)(walk, comment, name);
        walk.applied(whole, arguments).instance()
    }
}

/// `Order` of `(Order)`.
fn unparenthesized(written: &str) -> &str {
    let inner = written.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    inner.map_or(written, str::trim_ascii)
}

/// A generic type and what it is applied to: `Map` and `string, Order` of `Map<string, Order>` and `Map.<string, Order>`.
pub(crate) fn applied(written: &str) -> Option<(&str, &str)> {
    let (name, arguments) = written.strip_suffix('>')?.split_once('<')?;
    Some((name.trim_end_matches('.'), arguments))
}

/// The parts of a text between separators outside of brackets.
pub(crate) fn split<'t>(text: &'t str, separators: &[char]) -> Vec<&'t str> {
    let (mut depth, mut before) = (0_usize, ' ');
    let is_between = |c: char| {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            // The arrow of a function is no bracket.
            '>' if before == '=' => {}
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = c;
        depth == 0 && separators.contains(&c)
    };
    text.split(is_between).collect()
}

/// The length of the word that a text begins with.
pub(crate) fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len())
}
