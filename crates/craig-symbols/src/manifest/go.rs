//! `go.mod`.

use super::{Manifest, declare};
use crate::declared::{Ecosystem, Scope};

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut block = "";
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words = code.split_whitespace();
        let Some(first) = words.next() else { continue };
        let (directive, name) = match first {
            ")" => {
                block = "";
                continue;
            }
            "module" | "require" | "replace" | "exclude" | "retract" | "tool" | "go" | "toolchain" => {
                match words.next() {
                    Some("(") => {
                        block = first_word(code);
                        continue;
                    }
                    Some(name) => (first, name),
                    None => continue,
                }
            }
            name => (block, name),
        };
        let name = name.trim_matches('"');
        match directive {
            "module" => manifest.own.push((Ecosystem::Go, name.to_owned())),
            "require" => {
                let is_indirect = comment.trim().starts_with("indirect");
                let scope = if is_indirect { Scope::Indirect } else { Scope::Runtime };
                manifest.declared.push(declare(Ecosystem::Go, name, words.next(), scope, path));
            }
            _ => {}
        }
    }
    Some(manifest)
}

fn first_word(code: &str) -> &str {
    code.split_whitespace().next().unwrap_or_default()
}
