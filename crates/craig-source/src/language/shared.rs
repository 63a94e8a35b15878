//! Extensions that several languages share, distinguished by content.

use craig_text::path::extension;

use super::{Language, inner_name};

/// The language of a text whose extension `by_name` shares with others, if it is one of those.
pub(crate) fn of_shared_extension(name: &str, by_name: Language, text: &str) -> Option<Language> {
    let starts_with = |mark: &str| text.trim_start().starts_with(mark);
    match (by_name, extension(inner_name(name)).to_ascii_lowercase().as_str()) {
        (Language::Notebook, _) => starts_with("{").then_some(Language::Json),
        (Language::Ini, _) => starts_with("<").then_some(Language::Xml),
        (Language::TypeScript, _) => starts_with("<?xml").then_some(Language::Xml),
        (Language::ObjectiveC, _) => looks_like_matlab(text).then_some(Language::Matlab),
        (Language::C, "h") => Some(header(text)),
        (Language::Php, "inc") => Some(included(text)),
        (_, extension) => marked(extension, text),
    }
}

/// Lines that begin like this are of the language, in files of the extension.
const MARKS: &[(&str, Language, &[&str])] = &[
    ("cls", Language::Latex, &["\\"]),
    ("cls", Language::VisualBasic, &["VERSION 1.0 CLASS", "Attribute VB_"]),
    ("cl", Language::OpenCl, &["__kernel", "kernel void", "#pragma OPENCL", "#include", "#define"]),
    ("fs", Language::Glsl, &["#version", "uniform ", "varying ", "precision ", "void main"]),
    ("pl", Language::Prolog, &[":- "]),
    // Rules of ProGuard and projects of Qt; comments of Prolog begin with `%`.
    ("pro", Language::Properties, &["# ", "-keep", "-dont"]),
    ("v", Language::Coq, &["Require ", "From Coq", "Theorem ", "Lemma ", "Definition ", "Inductive "]),
    ("v", Language::Vlang, &["fn ", "pub fn ", "module main"]),
];

fn marked(extension: &str, text: &str) -> Option<Language> {
    let of_extension = || MARKS.iter().filter(|(shared, ..)| *shared == extension);
    of_extension().next()?;
    text.lines().find_map(|line| {
        let is_mark = |mark: &&str| line.trim_start().starts_with(*mark);
        of_extension().find(|(_, _, marks)| marks.iter().any(is_mark)).map(|(_, language, _)| *language)
    })
}

/// `.inc` is included by whatever the project is written in: PHP has tags, Pascal and assembly begin lines in ways that C
/// does not, and the rest is C if it has lines like C.
fn included(text: &str) -> Language {
    if text.contains("<?") {
        return Language::Php;
    }
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let begins = |marks: &[&str]| lines().any(|line| marks.iter().any(|mark| starts_with(line, mark)));
    if begins(&["{$", "procedure ", "function ", "begin", "unit "]) {
        Language::Pascal
    } else if begins(&[".macro", ".equ", ".section", ".global", "%macro", "%define", "; "]) {
        Language::Assembly
    } else if text.trim_start().starts_with('<') {
        Language::Html
    } else if begins(&["#include", "#define", "#if", "//", "/*"])
        || lines().any(|line| line.ends_with([';', '{', ',']))
    {
        header(text)
    } else {
        Language::Text
    }
}

/// Whether a line starts with a word in lower case, however it is written.
fn starts_with(line: &str, word: &str) -> bool {
    line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// C unless a line is such as only C++ or Objective-C has.
fn header(text: &str) -> Language {
    let language_of = |line: &str| match line {
        _ if is_of_objective_c(line) => Some(Language::ObjectiveC),
        _ if is_of_cpp(line) => Some(Language::Cpp),
        _ => None,
    };
    text.lines().map(str::trim).find_map(language_of).unwrap_or(Language::C)
}

fn is_of_objective_c(line: &str) -> bool {
    ["@interface", "@protocol", "@class", "#import"].iter().any(|word| line.starts_with(word))
}

/// Comments of C begin lines with `class`, `using` and `namespace` as well: those have to end like code.
fn is_of_cpp(line: &str) -> bool {
    match line.split([' ', '<']).next() {
        Some("public:" | "private:" | "protected:" | "template" | "constexpr" | "virtual") => true,
        Some("explicit") => line.contains('('),
        Some("class" | "namespace") => line.ends_with(['{', '}', ';', ':']) || line.contains(" : "),
        Some("using") => line.ends_with(';'),
        // Headers of the standard library of C++ have no extension.
        Some("#include") => line.contains('<') && !line.contains(['.', '/']),
        Some("inline") => line.starts_with("inline namespace "),
        Some("enum") => line.starts_with("enum class "),
        _ => ["std::", ") const", ") override"].iter().any(|mark| line.contains(mark)),
    }
}

/// `.m` is shared: MATLAB comments with `%` and starts with functions, Objective-C does neither.
fn looks_like_matlab(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty()).unwrap_or_default();
    ["%", "function ", "classdef ", "clear", "close all"].iter().any(|word| first.starts_with(word))
}
