use std::collections::HashMap;

use super::*;

fn check_paths(rows: &[(&str, Option<Language>)]) {
    for (path, language) in rows {
        assert_eq!(Language::from_path(path), *language, "{path}");
    }
}

#[test]
fn languages_are_recognised_by_path() {
    use Language::*;
    check_paths(&[
        ("src/a.ts", Some(TypeScript)),
        ("src/a.d.ts", Some(TypeScript)),
        ("a.TSX", Some(Tsx)),
        ("a.jsx", Some(JavaScript)),
        ("a.mjs", Some(JavaScript)),
        ("a.pyi", Some(Python)),
        ("a.h", Some(C)),
        ("a.hxx", Some(Cpp)),
        ("Gemfile", Some(Ruby)),
        ("x/Rakefile", Some(Ruby)),
        ("x.gemspec", Some(Ruby)),
        ("build.gradle", Some(Groovy)),
        ("build.gradle.kts", Some(Kotlin)),
        ("build.sbt", Some(Scala)),
        ("run.bats", Some(Bash)),
        ("Makefile", Some(Makefile)),
        ("Makefile.PL", Some(Perl)),
        ("Dockerfile", Some(Dockerfile)),
        ("Dockerfile.dev", Some(Dockerfile)),
        ("dockerfile.ts", Some(TypeScript)),
        ("api.Dockerfile", Some(Dockerfile)),
        ("CMakeLists.txt", Some(CMake)),
        ("notes.txt", Some(Text)),
        ("README", Some(Text)),
        ("doc.mdx", Some(Markdown)),
        ("web.config", Some(Ini)),
        (".env.local", Some(DotEnv)),
        ("view.html.erb", Some(Erb)),
        ("erlang/x.app.src", Some(Erlang)),
        ("a b/c d.rs", Some(Rust)),
        ("page.blade.php", Some(Php)),
        ("go.mod", Some(GoMod)),
        ("Cargo.lock", Some(Toml)),
        ("nb/a.ipynb", Some(Notebook)),
        ("setup.py.in", Some(Python)),
        ("config.h.in", Some(C)),
        ("Makefile.in", Some(Makefile)),
        ("configure.in", Some(Autoconf)),
        ("nginx.conf.j2", Some(Nginx)),
        ("app.conf.j2", Some(Ini)),
        ("deploy.yaml.tmpl", Some(Yaml)),
        ("page.html.j2", Some(Html)),
        ("macros.j2", Some(Jinja)),
        ("Entity.java.ejs", Some(Java)),
        ("page.html.twig", Some(Twig)),
        ("Dockerfile.j2", Some(Dockerfile)),
        ("a.py.j2.dist", Some(Python)),
        ("MANIFEST.in", None),
        (".in", None),
        ("x.unknown", None),
        ("noextension", None),
        ("", None),
        ("dir.rs/file", None),
        ("trailing.", None),
    ]);
}

#[test]
fn languages_are_recognised_by_shebang() {
    for (line, language) in [
        ("#!/bin/sh", Some(Language::Bash)),
        ("#!/bin/bash -eu", Some(Language::Bash)),
        ("#! /usr/bin/env node", Some(Language::JavaScript)),
        ("#!/usr/bin/env -S python3.12 -u", Some(Language::Python)),
        ("#!/usr/bin/env -S PYTHONPATH=. python", Some(Language::Python)),
        ("#!/usr/local/bin/Rscript", Some(Language::R)),
        ("#!/usr/bin/perl5.36", Some(Language::Perl)),
        ("#!/opt/own-tool", None),
        ("#!", None),
        ("#!/usr/bin/env", None),
        ("# not one", None),
    ] {
        assert_eq!(Language::from_shebang(line), language, "{line}");
    }
}

#[test]
fn ids_and_aliases_are_understood() {
    for (id, language) in [
        ("ts", Some(Language::TypeScript)),
        ("TypeScript", Some(Language::TypeScript)),
        ("tsx", Some(Language::Tsx)),
        ("javascriptreact", Some(Language::JavaScript)),
        ("py", Some(Language::Python)),
        ("C++", Some(Language::Cpp)),
        ("c", Some(Language::C)),
        ("c#", Some(Language::CSharp)),
        (" bash ", Some(Language::Bash)),
        ("Shell", Some(Language::Bash)),
        ("md", Some(Language::Markdown)),
        ("klingon", None),
    ] {
        assert_eq!(Language::from_id(id), language, "{id}");
    }
}

#[test]
fn every_language_is_found_by_its_id_and_serialized_as_it() {
    for language in Language::all() {
        assert_eq!(Language::from_id(language.id()), Some(language));
        let json = serde_json::to_string(&language).unwrap();
        assert_eq!(json, format!("\"{}\"", language.id()));
        assert_eq!(serde_json::from_str::<Language>(&json).unwrap(), language);
    }
    assert!(serde_json::from_str::<Language>("\"klingon\"").is_err());
}

#[test]
fn no_two_rows_claim_the_same_word() {
    for column in [
        |f: &Facts| f.extensions,
        |f: &Facts| f.file_names,
        |f: &Facts| f.interpreters,
        |f: &Facts| f.aliases,
    ] as [fn(&Facts) -> &'static [&'static str]; 4]
    {
        let mut owners = HashMap::new();
        for facts in TABLE {
            for word in column(facts) {
                assert_eq!(*word, word.to_lowercase());
                assert_eq!(owners.insert(*word, facts.id), None, "{word} is claimed twice");
            }
        }
    }
}

#[test]
fn kinds_follow_the_filter_of_a_search() {
    assert_eq!(Language::Rust.kind(), FileKind::Code);
    assert_eq!(Language::Markdown.kind(), FileKind::Docs);
    assert_eq!(Language::Text.kind(), FileKind::Docs);
    assert_eq!(Language::Yaml.kind(), FileKind::Config);
}

#[test]
fn languages_mark_comments() {
    for (language, comment) in [
        (Language::Rust, "// x"),
        (Language::Python, "# x"),
        (Language::Lua, "-- x"),
        (Language::Css, "/* x */"),
        (Language::OCaml, "(* x *)"),
        (Language::Html, "<!-- x -->"),
        (Language::Batch, "rem x"),
        (Language::Json, "x"),
    ] {
        assert_eq!(language.comments().comment("x"), comment);
    }
}
