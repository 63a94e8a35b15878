//! Fences: code, and directives of MyST; blocks between colons.

use super::syntax::{closes, fence, myst_directive};
use super::{MAX_DEPTH, Reader, TAB, columns};
use crate::markup::directive::{Directive, directive, signature};
use crate::markup::lines::{language, leading};
use crate::markup::rest;

impl<'t> Reader<'t> {
    /// A fence, and what is in it as far as that is no text.
    pub(super) fn fence(&mut self, line: &'t str) -> bool {
        let content = line.trim_start();
        let Some(fence) = fence(content) else { return false };
        let is_close = |&(mark, length): &(char, usize)| closes(content, mark, length);
        if self.directives.last().is_some_and(is_close) {
            self.directives.pop();
            self.blank();
            return true;
        }
        let known = myst_directive(fence.info).and_then(|(name, argument)| {
            let found = if name == "eval-rst" { Some(Directive::Dropped) } else { directive(name) };
            found.map(|found| (found, name, argument))
        });
        let marks = (fence.mark, fence.length);
        match known {
            None => self.code(marks),
            Some((_, "eval-rst", _)) => self.rest(marks),
            Some((Directive::Code, _, argument)) => {
                let start = &line[..line.len() - content.len()];
                let fence = &content[..fence.length];
                self.push(format!("{start}{fence}{}", language(argument)));
                self.options();
                self.code_body(marks);
            }
            Some((Directive::Dropped | Directive::Auto, ..)) => {
                let end = self.close(marks);
                self.blank_until(end + 1);
            }
            Some((found, name, argument)) => {
                self.directive(found, name, argument);
                if self.directives.len() < MAX_DEPTH {
                    self.directives.push(marks);
                }
            }
        }
        true
    }

    /// The line that closes a fence which is open on the line before the next one, or the end.
    fn close(&self, (mark, length): (char, usize)) -> usize {
        let from = self.at() + 1;
        let rest = self.lines.get(from..).unwrap_or_default();
        from + rest.iter().position(|line| closes(line, mark, length)).unwrap_or(rest.len())
    }

    fn code(&mut self, marks: (char, usize)) {
        self.push(self.dedented(self.lines[self.at()]));
        self.code_body(marks);
    }

    /// The lines up to the closing fence, and that.
    fn code_body(&mut self, (mark, length): (char, usize)) {
        while let Some(line) = self.lines.get(self.at()).copied() {
            self.push(self.dedented(line));
            if closes(line, mark, length) {
                break;
            }
        }
        self.was_blank = true;
    }

    /// A block of reStructuredText.
    fn rest(&mut self, marks: (char, usize)) {
        let close = self.close(marks);
        self.blank();
        let lines = self.lines.get(self.at()..close).unwrap_or_default();
        if !lines.is_empty() {
            // The line that closes the fence may be taken to close code.
            let end = if close < self.lines.len() { "\n " } else { "" };
            let rendered = rest::render(&(lines.join("\n") + end)).into_owned();
            self.out.extend(rendered.split('\n').map(|line| line.to_owned().into()));
        }
        self.blank_until(close + 1);
    }

    /// The first line of a directive whose body is text, and its options.
    fn directive(&mut self, found: Directive, name: &str, argument: &'t str) {
        match found {
            Directive::Object => {
                let level = (self.level + 1).min(6);
                self.push(format!("{} {}", "#".repeat(level), signature(name, argument)));
            }
            Directive::Version(marker) if !argument.is_empty() => self.push(format!("{marker} {argument}:")),
            Directive::Titled if !argument.is_empty() => self.push(format!("**{argument}**")),
            Directive::Admonition => self.push(argument),
            _ => self.push(""),
        }
        self.options();
        self.was_blank = true;
    }

    /// Options of a directive are blank: `:name: value`, or YAML between dashes.
    fn options(&mut self) {
        let is_option = |line: &str| {
            let name = line.trim_start().strip_prefix(':').and_then(|rest| rest.split_once(':'));
            name.is_some_and(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace))
        };
        while self.lines.get(self.at()).is_some_and(|line| is_option(line)) {
            self.blank();
        }
        let is_dashes = |line: &&str| line.trim() == "---";
        if self.lines.get(self.at()).is_some_and(is_dashes) {
            let rest = &self.lines[self.at() + 1..];
            let end = rest.iter().take_while(|line| !line.trim().is_empty()).position(is_dashes);
            self.blank_until(end.map_or(self.at(), |end| self.at() + end + 2));
        }
    }

    /// A line that begins with three colons, and what belongs to it as far as that is no text.
    pub(super) fn colons(&mut self, line: &'t str) -> bool {
        let content = line.trim();
        let length = leading(content, ':');
        if length < 3 {
            return false;
        }
        let rest = content[length..].trim();
        let marks = (':', length);
        let known =
            myst_directive(rest).and_then(|(name, argument)| Some((directive(name)?, name, argument)));
        match known {
            Some((Directive::Code, _, argument)) => self.colon_code(marks, argument),
            Some((Directive::Dropped | Directive::Auto, ..)) => {
                let end = self.close(marks);
                self.blank_until(end + 1);
            }
            Some((found, name, argument)) => self.directive(found, name, argument),
            None => {
                self.blank();
                if is_object_path(rest) || self.has_settings() {
                    self.blank_until(self.end_of_indented(columns(line)));
                }
            }
        }
        true
    }

    fn colon_code(&mut self, marks: (char, usize), argument: &str) {
        let end = self.close(marks);
        let fence = crate::markup::lines::fence(self.lines[self.at()..end].iter().copied());
        self.push(format!("{fence}{}", language(argument)));
        self.options();
        while self.at() < end {
            self.push(self.dedented(self.lines[self.at()]));
        }
        if end < self.lines.len() {
            self.push(fence);
        }
    }

    /// Whether the next line is a setting of mkdocstrings.
    fn has_settings(&self) -> bool {
        let next = self.lines.get(self.at()).copied().unwrap_or_default();
        columns(next) >= TAB && ["options:", "handler:", "selection:", "rendering:"].contains(&next.trim())
    }

    /// Behind the lines that are indented more than `indent` by a tab at least.
    fn end_of_indented(&self, indent: usize) -> usize {
        let is_inside = |line: &&&str| line.trim().is_empty() || columns(line) >= indent + TAB;
        self.at() + self.lines[self.at()..].iter().take_while(is_inside).count()
    }

    /// Code between tags of Jekyll or Hugo: `{% highlight js %}`.
    pub(super) fn highlighted(&mut self, line: &'t str) -> bool {
        let content = line.trim();
        let inside = ["{%", "{{<"].iter().find_map(|open| content.strip_prefix(open));
        let words = inside.map(|inside| inside.trim_start_matches('-').trim_start());
        let Some(argument) = words.and_then(|words| words.strip_prefix("highlight ")) else { return false };
        let is_end = |line: &&str| {
            let line = line.trim();
            line.starts_with("{%") && line.contains("endhighlight")
                || line.starts_with("{{<") && line.contains("/highlight")
        };
        let from = self.at() + 1;
        let n_lines = self.lines[from..].iter().position(is_end).unwrap_or(self.lines.len() - from);
        let fence = crate::markup::lines::fence(self.lines[from..from + n_lines].iter().copied());
        self.push(format!("{fence}{}", language(argument)));
        while self.at() < from + n_lines {
            self.push(self.dedented(self.lines[self.at()]));
        }
        if self.at() < self.lines.len() {
            self.push(fence);
        }
        true
    }
}

/// Whether a text is the path of an object that mkdocstrings describes: `package.module`.
fn is_object_path(text: &str) -> bool {
    text.contains('.') && text.chars().all(|c| c.is_alphanumeric() || "._:/".contains(c))
}
