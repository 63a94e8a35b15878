//! Searches limited to kinds, languages and paths.

use craig_search::{Filter, KindFilter, PathBase, PathFilter, SearchError};
use expect_test::expect;

use crate::fixture::check;

const FILES: &str = "\
//- /src/session.rs
/// Opens a session.
pub fn open_session() {}
//- /src/web/session.ts
// Opens a session.
export function openSession() {}
//- /src/web/session.test.ts
// Opens a session.
test(\"open session\", () => openSession())
//- /docs/session.md
# Session

How to open a session.
//- /settings/session.yaml
session:
  open: true
";

fn check_filters(queries: &str, expect: expect_test::Expect) {
    check(&format!("{FILES}{queries}"), expect);
}

#[test]
fn kinds_are_code_documentation_and_configuration() {
    check_filters(
        "\
//- query: open session | kind=all
//- query: open session | kind=code
//- query: open session | kind=docs
//- query: open session | kind=config
",
        expect![[r#"
            open session | kind=all
              1 src/web/session.ts:1-2 function openSession
              2 src/session.rs:1-2 function open_session
              3 settings/session.yaml:1-2 block session
              4 docs/session.md:1-3 section Session
              5 src/web/session.test.ts:1-2 block -
            open session | kind=code
              1 src/web/session.ts:1-2 function openSession
              2 src/session.rs:1-2 function open_session
              3 src/web/session.test.ts:1-2 block -
            open session | kind=docs
              1 docs/session.md:1-3 section Session
            open session | kind=config
              1 settings/session.yaml:1-2 block session
        "#]],
    );
}

#[test]
fn languages_are_alternatives() {
    check_filters(
        "\
//- query: open session | language=rust
//- query: open session | language=rust,markdown
//- query: open session | language=go
",
        expect![[r#"
            open session | language=rust
              1 src/session.rs:1-2 function open_session
            open session | language=rust,markdown
              1 src/session.rs:1-2 function open_session
              2 docs/session.md:1-3 section Session
            open session | language=go
        "#]],
    );
}

#[test]
fn paths_match_names_folders_and_globs() {
    check_filters(
        "\
//- query: open session | path=session.ts
//- query: open session | path=*.rs
//- query: open session | path=src
//- query: open session | path=src/
//- query: open session | path=./src/web
//- query: open session | path=src/*.rs
//- query: open session | path=**/web/**
//- query: open session | path=web
//- query: open session | path=nowhere
",
        expect![[r#"
            open session | path=session.ts
              1 src/web/session.ts:1-2 function openSession
            open session | path=*.rs
              1 src/session.rs:1-2 function open_session
            open session | path=src
              1 src/web/session.ts:1-2 function openSession
              2 src/session.rs:1-2 function open_session
              3 src/web/session.test.ts:1-2 block -
            open session | path=src/
              1 src/web/session.ts:1-2 function openSession
              2 src/session.rs:1-2 function open_session
              3 src/web/session.test.ts:1-2 block -
            open session | path=./src/web
              1 src/web/session.ts:1-2 function openSession
              2 src/web/session.test.ts:1-2 block -
            open session | path=src/*.rs
              1 src/session.rs:1-2 function open_session
            open session | path=**/web/**
              1 src/web/session.ts:1-2 function openSession
              2 src/web/session.test.ts:1-2 block -
            open session | path=web
              1 src/web/session.ts:1-2 function openSession
              2 src/web/session.test.ts:1-2 block -
            open session | path=nowhere
        "#]],
    );
}

#[test]
fn filters_are_combined() {
    check_filters(
        "\
//- query: open session | path=src kind=code language=typescript
//- query: open session | path=docs kind=code
",
        expect![[r#"
            open session | path=src kind=code language=typescript
              1 src/web/session.ts:1-2 function openSession
              2 src/web/session.test.ts:1-2 block -
            open session | path=docs kind=code
        "#]],
    );
}

#[test]
fn a_filtered_search_finds_what_an_unfiltered_one_has_no_place_for() {
    let mut files = crate::fixture::distractors(400).replace("pub fn", "// opens a session\npub fn");
    files.push_str(FILES);
    check(
        &format!("{files}//- query: open session | path=docs\n//- query: open session | kind=config\n"),
        expect![[r#"
            open session | path=docs
              1 docs/session.md:1-3 section Session
            open session | kind=config
              1 settings/session.yaml:1-2 block session
        "#]],
    );
}

#[test]
fn a_pattern_that_is_no_glob_is_an_error() {
    let path = PathFilter::new("src/[a", PathBase::default());
    let filter = Filter::new(KindFilter::All, Vec::new(), Some(path));
    let error = filter.for_paths(["src/a.rs"].into_iter()).unwrap_err();
    assert!(matches!(&error, SearchError::Glob { pattern, .. } if pattern == "src/[a"), "{error}");
}

#[test]
fn an_existing_path_is_literal_first() {
    check(
        "
//- /app/[id]/page.ts
export function openSession() {}
//- /app/i/page.ts
export function openSession() {}
//- query: open session | path=app/[id]
//- query: open session | path=app/[hi]
//- query: open session | path=.
",
        expect![[r#"
            open session | path=app/[id]
              1 app/[id]/page.ts:1-1 function openSession
            open session | path=app/[hi]
              1 app/i/page.ts:1-1 function openSession
            open session | path=.
              1 app/i/page.ts:1-1 function openSession
              2 app/[id]/page.ts:1-1 function openSession
        "#]],
    );
}
