//! How languages mark comments.

/// The marks that begin and end a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentSyntax {
    /// The start of a line comment.
    pub line: Option<&'static str>,
    /// What begins and ends a comment that may span lines. Where it begins like a line comment, it wins.
    pub block: Option<(&'static str, &'static str)>,
}

impl CommentSyntax {
    pub(super) const BANG: Self = line("!");
    pub(super) const BATCH: Self = line("rem ");
    pub(super) const C: Self = both("//", ("/*", "*/"));
    pub(super) const COBOL: Self = line("*>");
    pub(super) const CSS: Self = block("/*", "*/");
    pub(super) const DASH: Self = line("--");
    pub(super) const FSHARP: Self = both("//", ("(*", "*)"));
    pub(super) const HANDLEBARS: Self = block("{{!--", "--}}");
    pub(super) const HASH: Self = line("#");
    pub(super) const HASKELL: Self = both("--", ("{-", "-}"));
    pub(super) const LEAN: Self = both("--", ("/-", "-/"));
    pub(super) const LIQUID: Self = block("{% comment %}", "{% endcomment %}");
    pub(super) const LUA: Self = both("--", ("--[[", "]]"));
    pub(super) const M4: Self = line("dnl");
    pub(super) const MARKUP: Self = block("<!--", "-->");
    pub(super) const ML: Self = block("(*", "*)");
    pub(super) const NONE: Self = Self { line: None, block: None };
    pub(super) const PASCAL: Self = both("//", ("{", "}"));
    pub(super) const PERCENT: Self = line("%");
    pub(super) const QUOTE: Self = line("'");
    pub(super) const RST: Self = line("..");
    pub(super) const SEMICOLON: Self = line(";");
    pub(super) const SQL: Self = both("--", ("/*", "*/"));
    pub(super) const TEMPLATE: Self = block("{#", "#}");
    pub(super) const VIM: Self = line("\"");

    /// `text` as a comment on one line; unchanged if the language has no comments.
    pub fn comment(&self, text: &str) -> String {
        match (self.line, self.block) {
            (Some(mark), _) => format!("{} {text}", mark.trim_end()),
            (None, Some((open, close))) => format!("{open} {text} {close}"),
            (None, None) => text.to_owned(),
        }
    }
}

const fn line(mark: &'static str) -> CommentSyntax {
    CommentSyntax { line: Some(mark), block: None }
}

const fn block(open: &'static str, close: &'static str) -> CommentSyntax {
    CommentSyntax { line: None, block: Some((open, close)) }
}

const fn both(mark: &'static str, block: (&'static str, &'static str)) -> CommentSyntax {
    CommentSyntax { line: Some(mark), block: Some(block) }
}
