//! The head of a definition: `CREATE OR REPLACE … FUNCTION schema.name`.

use std::ops::Range;

use super::tokens::{Kind, Token, Tokens};
use crate::kind::ChunkKind;

/// What a statement defines.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) kind: ChunkKind,
    /// Bytes of the name, without its schema and quotes.
    pub(super) name: Range<usize>,
    /// Where the statement goes on.
    pub(super) end: usize,
    /// A package or the body of a type: it has members.
    pub(super) is_package: bool,
    pub(super) is_alter: bool,
}

impl Head {
    /// Whether its body may hold statements.
    pub(super) fn is_routine(&self) -> bool {
        self.is_package || self.kind == ChunkKind::Function
    }
}

/// Words that may be between `CREATE` and what is created, with all that belongs to them.
const MAX_MODIFIERS: usize = 16;

/// Reads the head of a definition behind its first word; `None` if it creates nothing that has a name here.
pub(super) fn head(mut tokens: Tokens<'_>, first: Token<'_>) -> Option<Head> {
    let (object, kind) = (0..MAX_MODIFIERS).find_map(|_| {
        let token = tokens.next().filter(|token| token.kind != Kind::Delimiter)?;
        kind(token).map(|kind| (token, kind))
    })?;
    let is_alter = first.is("alter");
    let is_body_next = tokens.clone().next().is_some_and(|next| next.is("body"));
    let is_package = object.is("package") || object.is("type") && is_body_next;
    let kind = if is_package { ChunkKind::Module } else { kind };
    let (name, end) = name(tokens)?;
    (!is_alter || kind == ChunkKind::Function).then_some(Head { kind, name, end, is_package, is_alter })
}

/// Reads the head of a member of a package behind its first word.
pub(super) fn member(tokens: Tokens<'_>) -> Option<Head> {
    let (name, end) = name(tokens)?;
    Some(Head { kind: ChunkKind::Function, name, end, is_package: false, is_alter: false })
}

fn kind(token: Token<'_>) -> Option<ChunkKind> {
    const KINDS: &[(ChunkKind, &[&str])] = &[
        (ChunkKind::Function, &["procedure", "proc", "function", "trigger", "event", "aggregate", "macro"]),
        (ChunkKind::Class, &["table", "view"]),
        (ChunkKind::Type, &["type", "domain"]),
        (ChunkKind::Constant, &["index", "sequence"]),
        (ChunkKind::Module, &["schema", "database", "package"]),
    ];
    let is_of = |(_, words): &&(ChunkKind, &[&str])| words.iter().any(|word| token.is(word));
    KINDS.iter().find(is_of).map(|(kind, _)| *kind)
}

/// The last part of a name, and where the statement goes on.
fn name(mut tokens: Tokens<'_>) -> Option<(Range<usize>, usize)> {
    const BEFORE: [&str; 7] = ["body", "concurrently", "if", "not", "exists", "only", "function"];
    let mut token = tokens.next()?;
    while token.kind == Kind::Word && BEFORE.iter().any(|word| token.is(word)) {
        token = tokens.next()?;
    }
    loop {
        let is_name =
            matches!(token.kind, Kind::Word | Kind::Quoted) && !token.is("on") && !token.is("authorization");
        if !is_name || token.text.is_empty() || token.text.starts_with(['#', '@']) {
            return None;
        }
        let mut ahead = tokens.clone();
        let is_qualified = ahead.next().is_some_and(|dot| dot.text == "." && dot.kind == Kind::Other);
        match is_qualified.then(|| ahead.next()).flatten() {
            Some(next) => (token, tokens) = (next, ahead),
            None => {
                let start = token.start + usize::from(token.kind == Kind::Quoted);
                return Some((start..start + token.text.len(), token.end));
            }
        }
    }
}
