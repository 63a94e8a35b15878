use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    process::Command,
};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::Withheld;

const STAMP: FileStamp = FileStamp { size: 0, modified_ns: 0, changed_ns: 0 };

fn check(path: &str, bytes: impl AsRef<[u8]>, expected: Expect) {
    let file = interpret(path, STAMP, bytes.as_ref().to_vec());
    let content = match &file.content {
        Content::Text(text) => format!("text {text:?}"),
        Content::Unindexed(_, why) => format!("unindexed {why:?}"),
        other => format!("{other:?}"),
    };
    expected.assert_eq(&format!("{} {:?} {:?} {content}", file.language.id(), file.kind, file.file_type));
}

fn key_block() -> String {
    let line = "MIIEpAIBAAKCAQEA7bq2Xo5yKfJ9sVhT3mZr8uQwPdL1nCgYxBtEiRk0vHaFj4Os\n";
    ["-----BEGIN RSA PRIVATE ", "KEY-----\n", &line.repeat(4), "-----END RSA PRIVATE ", "KEY-----\n"].concat()
}

#[test]
fn ordinary_files() {
    check("a.rs", "fn f() {}\n", expect![[r#"rust Code Text text "fn f() {}\n""#]]);
    check("empty.py", "", expect![[r#"python Code Text text """#]]);
    check("notes", "plain", expect![[r#"plaintext Docs Text text "plain""#]]);
    check("a.ts", b"\xef\xbb\xbflet x;", expect![[r#"typescript Code Text text "let x;""#]]);
    check("a.txt", b"caf\xe9 au lait", expect![[r#"plaintext Docs Text text "café au lait""#]]);
}

#[test]
fn shared_extensions_are_resolved_by_content() {
    check("a.h", "int f(void);\n", expect![[r#"c Code Text text "int f(void);\n""#]]);
    check("b.h", "  class A {};\n", expect![[r#"cpp Code Text text "  class A {};\n""#]]);
    let cpp_headers =
        ["#include <string>\nstruct A { A(); };\n", "enum class A { B };\n", "int f(std::string);\n"];
    for text in cpp_headers {
        assert_eq!(language("b.h", text), Language::Cpp, "{text}");
    }
    let comment =
        "/* The\n   class of numbers, using\n   namespace words */\n#include <time.h>\nenum a { b };\n";
    assert_eq!(language("b.h", comment), Language::C);
    check("c.h", "@interface A\n", expect![[r#"objective-c Code Text text "@interface A\n""#]]);
    check(
        "d.m",
        "% adds\nfunction x = f()\n",
        expect![[r#"matlab Code Text text "% adds\nfunction x = f()\n""#]],
    );
    for (path, text, language) in [
        ("a.inc", "<?php\nfunction f() {}\n", Language::Php),
        ("a.inc", "static const int table[] = {\n  1,\n};\n", Language::C),
        ("a.inc", "#include <vector>\n", Language::Cpp),
        ("a.inc", "PROCEDURE Draw;\nbegin\nend;\n", Language::Pascal),
        ("a.inc", "SUMMARY = \"x\"\n", Language::Text),
        ("a.cls", "% A class.\n\\ProvidesClass{thesis}\n", Language::Latex),
        ("A.cls", "public with sharing class A {\n}\n", Language::Apex),
        ("A.cls", "VERSION 1.0 CLASS\nAttribute VB_Name = \"A\"\n", Language::VisualBasic),
        ("a.pl", ":- module(a, [b/1]).\n", Language::Prolog),
        ("a.pl", "use strict;\n", Language::Perl),
        ("a.pro", ":- module(a, [b/1]).\n\n% Adds.\nb(X) :-\n  ( X > 1\n  -> true ).\n", Language::Prolog),
        ("proguard-rules.pro", "-keep class acme.** { *; }\n", Language::Properties),
        ("proguard-rules.pro", "# Add project specific ProGuard rules here.\n", Language::Properties),
        ("a.v", "Theorem x : True.\n", Language::Coq),
        ("a.v", "module adder(input a);\n", Language::Verilog),
        ("a.cl", "__kernel void add() {}\n", Language::OpenCl),
        ("config.h.in", "namespace a {\n", Language::Cpp),
        ("web.config", "<configuration/>", Language::Xml),
    ] {
        assert_eq!(interpret(path, STAMP, text.into()).language, language, "{path} {text}");
    }
    check("web.config", "<configuration/>", expect![[r#"xml Config Text text "<configuration/>""#]]);
    check("app.config", "[a]\n", expect![[r#"ini Config Text text "[a]\n""#]]);
}

#[test]
fn notebooks_are_their_cells() {
    check(
        "a.ipynb",
        r#"{"cells": [{"cell_type": "code", "outputs": ["no"], "source": "x = 1"}]}"#,
        expect![[r##"jupyter Code Text text "# %%\nx = 1\n""##]],
    );
    check("b.ipynb", "{\"a\": 1}", expect![[r#"json Config Text text "{\"a\": 1}""#]]);
    let token = ["gh", "p_r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK"].concat();
    let secret = format!(r#"{{"cells": [{{"source": "t = \"{token}\""}}]}}"#);
    let masked = format!("# %%\nt = \"{}\"\n", "*".repeat(token.len()));
    assert_eq!(interpret("c.ipynb", STAMP, secret.into_bytes()).content, Content::Text(masked));
}

#[test]
fn first_lines_speak_where_names_are_silent() {
    for (path, line, language) in [
        ("bin/run", "#!/usr/bin/env python3\n", Language::Python),
        ("build", "#!/bin/sh\n", Language::Bash),
        ("a.js", "#!/bin/sh\n", Language::JavaScript),
        ("unknown", "", Language::Text),
    ] {
        assert_eq!(interpret(path, STAMP, line.into()).language, language, "{path}");
    }
}

#[test]
fn binary_files() {
    check("a.svg", "<svg/>", expect!["plaintext Docs Image Binary"]);
    check("a.zip", "PK", expect!["plaintext Docs Archive Binary"]);
    check("data", b"\x01\x00\x02", expect!["plaintext Docs Binary Binary"]);
    check("a.rs", b"\x01\x00\x02", expect!["rust Code Binary Binary"]);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    check("data/a.csv", pointer, expect!["csv Config Binary Binary"]);
    check("data/b.csv", "/annex/objects/SHA256E-s12--4d7a.csv\n", expect!["csv Config Binary Binary"]);
    check(
        "lfs.md",
        "version https://git-lfs.github.com/spec/ begins a pointer",
        expect![[r#"markdown Docs Text text "version https://git-lfs.github.com/spec/ begins a pointer""#]],
    );
}

#[test]
fn withheld_files() {
    check("Cargo.lock", "[[package]]", expect!["toml Config Text unindexed Generated"]);
    check("a.min.js", "x()", expect!["javascript Code Text unindexed Minified"]);
    check("a.go", "// Code generated by x. DO NOT EDIT.\n", expect!["go Code Text unindexed Generated"]);
}

#[test]
fn secrets_never_leave() {
    check(".env", "A=b", expect!["dotenv Config Text Secret"]);
    check("sub/.env.local", "A=b", expect!["dotenv Config Text Secret"]);
    check("id_rsa", "x", expect!["plaintext Docs Text Secret"]);
    check(
        "cert.pem",
        "-----BEGIN CERTIFICATE-----\n",
        expect![[r#"plaintext Docs Text text "-----BEGIN CERTIFICATE-----\n""#]],
    );
}

#[test]
fn secrets_are_overwritten_and_the_rest_stays() {
    let token = ["gh", "p_r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK"].concat();
    let key = key_block();
    for secret in [&key, &token] {
        let code = format!("const KEY: &str = \"{secret}\";\nfn verify() {{}}\n");
        let utf16: Vec<u8> = format!("\u{feff}{code}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for path in ["tests/ssh.rs", "settings.yml", "notes.txt", "server.key", "plain", "a.min.js"] {
            for bytes in [code.clone().into_bytes(), utf16.clone()] {
                let file = interpret(path, STAMP, bytes.clone());
                let (Content::Text(text) | Content::Unindexed(text, _)) = file.content else {
                    panic!("{path} has no text")
                };
                assert!(
                    text.contains("fn verify()") && !text.contains("r8Zt4k") && !text.contains("MIIE"),
                    "{path}"
                );
                assert_eq!(text.len(), code.len());
                assert_eq!(file.hash, ContentHash::from_content(&bytes));
            }
        }
    }
}

fn folder() -> (TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    (folder, root)
}

fn error(root: &Root, path: &str) -> String {
    read(root, path, &SourceOptions::default()).unwrap_err().to_string()
}

#[test]
fn what_is_read_is_what_is_there() {
    let (folder, root) = folder();
    fs::create_dir(folder.path().join("a b")).unwrap();
    fs::write(folder.path().join("a b/ü.rs"), "fn f() {}").unwrap();
    let file = read(&root, "a b/ü.rs", &SourceOptions::default()).unwrap();
    assert_eq!((file.path.as_str(), file.stamp.size), ("a b/ü.rs", 9));
    assert_eq!(file.content, Content::Text("fn f() {}".into()));
    assert_eq!(file.hash, ContentHash::from_content(b"fn f() {}"));
    assert!(
        file.stamp.modified_ns > 1_600_000_000_000_000_000 && file.stamp.changed_ns >= file.stamp.modified_ns
    );
}

#[test]
fn the_stamp_is_the_one_of_the_walk_until_the_file_changes() {
    let (folder, root) = folder();
    fs::write(folder.path().join("a.rs"), "1").unwrap();
    let options = SourceOptions::default();
    let listed = crate::walk(&root, &options).unwrap().entries.remove(0);
    assert_eq!(read(&root, "a.rs", &options).unwrap().stamp, listed.stamp);
    fs::write(folder.path().join("a.rs"), "12").unwrap();
    assert_ne!(read(&root, "a.rs", &options).unwrap().stamp, listed.stamp);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let (folder, root) = folder();
    let base = folder.path();
    fs::write(base.join("big"), vec![b'x'; 1_048_577]).unwrap();
    fs::write(base.join("file"), "").unwrap();
    fs::create_dir(base.join("folder")).unwrap();
    symlink("/etc/hostname", base.join("link")).unwrap();
    assert!(Command::new("mkfifo").arg(base.join("pipe")).status().unwrap().success());

    let paths =
        ["gone", "file/below", "big", "folder", "link", "pipe", "../x", "/etc/passwd", "", "a/../../x"];
    let errors: Vec<_> = paths.iter().map(|path| error(&root, path)).collect();
    expect![[r#"
        gone was deleted after it was listed; the next ingest removes it
        file/below was deleted after it was listed; the next ingest removes it
        big is over the size limit (1048577 of 1048576 bytes); raise the limit to have it tracked
        folder is not a regular file
        link is not a regular file
        pipe is not a regular file
        ../x is outside the project; give a path relative to the project's directory
        /etc/passwd is outside the project; give a path relative to the project's directory
         is outside the project; give a path relative to the project's directory
        a/../../x is outside the project; give a path relative to the project's directory"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn a_file_without_permission_is_named() {
    let (folder, root) = folder();
    let path = folder.path().join("locked.rs");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    if fs::read(&path).is_err() {
        assert_eq!(error(&root, "locked.rs"), "cannot read locked.rs: Permission denied (os error 13)");
    }
}

#[test]
fn withheld_text_is_kept() {
    let file = interpret("yarn.lock", STAMP, b"x".to_vec());
    assert_eq!(file.content, Content::Unindexed("x".into(), Withheld::Generated));
    assert_eq!(file.indexed_text(), None);
}

proptest! {
    #[test]
    fn any_file_can_be_interpreted(path in "[a-zA-Z./_-]{0,20}", bytes: Vec<u8>) {
        let file = interpret(&path, STAMP, bytes.clone());
        prop_assert_eq!(file.hash, ContentHash::from_content(&bytes));
        prop_assert_eq!(file.kind, file.language.kind());
    }

    #[test]
    fn masking_keeps_every_line_where_it_was(before in "\\PC{0,40}\n", after in "\n\\PC{0,40}") {
        let text = [before.as_str(), key_block().as_str(), after.as_str()].concat();
        let file = interpret("a.md", STAMP, text.clone().into_bytes());
        let masked = file.indexed_text().unwrap();
        prop_assert!(!masked.contains("MIIE"));
        prop_assert_eq!(masked.len(), text.len());
        prop_assert!(masked.lines().map(str::len).eq(text.lines().map(str::len)));
    }
}
