//! Definitions found by what somebody calls them.

use craig_chunk::ChunkKind;
use craig_search::{Description, Filter, KindFilter, PathBase, PathFilter};
use expect_test::{Expect, expect};

use crate::fixture::{TestProject, shown};

const FILES: &str = "\
//- /src/auth/login.ts
import { hash } from \"./hash\"

/** Checks a password. */
export function login(user: string, password: string) { return hash(password) }

export function loginWithToken(token: string) { return token }

export class SessionManager {
  open() { return 1 }
  close() { return 2 }
}
//- /src/auth/test/login.test.ts
export function login() { return \"a test\" }
//- /src/worker.py
class QueueWorker:
    @retry(3)
    @logged
    def run(self):
        pass

class MailWorker:
    def run(self):
        pass

def login_user(name):
    return name
//- /src/config.ts
export const loginTimeout = 5
export interface LoginOptions { timeout: number }
";

/// Checks the definitions that fit a description: `names ~ words ~ place ~ kinds`, each separated by blanks.
fn check(description: &str, expect: Expect) {
    let project = TestProject::new(FILES);
    let mut parts =
        description.split('~').map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let mut next = || parts.next().unwrap_or_default();
    let (names, words, place, kinds) = (next(), next(), next(), next());
    let kinds: Vec<ChunkKind> = kinds.iter().map(|kind| ChunkKind::from_name(kind).unwrap()).collect();
    let description = Description { names: &names, words: &words, kinds: &kinds, place: &place };
    let found = project
        .index()
        .definitions(&project.store, project.project().id, &description, &Filter::default(), 0.3, 5)
        .unwrap();
    let lines: String = found.iter().map(|hit| format!("{:.2} {}\n", hit.score, shown(hit))).collect();
    expect.assert_eq(&lines);
}

#[test]
fn a_word_is_the_name_or_a_part_of_it() {
    check(
        "~ login",
        expect![[r#"
        1.00 src/auth/login.ts:4-4 function login
        0.93 src/auth/test/login.test.ts:1-1 function login
        0.86 src/config.ts:2-2 interface LoginOptions
        0.86 src/worker.py:11-12 function login_user
        0.82 src/config.ts:1-1 constant loginTimeout
    "#]],
    );
}

#[test]
fn several_words_are_one_name_in_whatever_spelling() {
    check(
        "~ session manager",
        expect![[r#"
        1.00 src/auth/login.ts:8-11 class SessionManager
    "#]],
    );
    check(
        "~ login with token",
        expect![[r#"
        1.00 src/auth/login.ts:6-6 function loginWithToken
    "#]],
    );
}

#[test]
fn names_are_taken_as_written() {
    check(
        "loginWithToken",
        expect![[r#"
        1.00 src/auth/login.ts:6-6 function loginWithToken
    "#]],
    );
    check(
        "login_user",
        expect![[r#"
        1.00 src/worker.py:11-12 function login_user
    "#]],
    );
}

#[test]
fn qualified_names_say_what_encloses_a_definition() {
    check(
        "QueueWorker.run",
        expect![[r#"
        1.00 src/worker.py:2-5 method run in QueueWorker
        0.93 src/worker.py:8-9 method run in MailWorker
    "#]],
    );
    check(
        "MailWorker::run",
        expect![[r#"
        1.00 src/worker.py:8-9 method run in MailWorker
        0.93 src/worker.py:2-5 method run in QueueWorker
    "#]],
    );
    check(
        "SessionManager#close",
        expect![[r#"
        1.00 src/auth/login.ts:10-10 method close in SessionManager
    "#]],
    );
}

#[test]
fn words_for_the_place_and_kinds_choose_among_equals() {
    check(
        "run ~ ~ MailWorker",
        expect![[r#"
        1.00 src/worker.py:8-9 method run in MailWorker
        0.93 src/worker.py:2-5 method run in QueueWorker
    "#]],
    );
    check(
        "~ login ~ ~ function",
        expect![[r#"
        1.00 src/auth/login.ts:4-4 function login
        0.93 src/auth/test/login.test.ts:1-1 function login
        0.86 src/worker.py:11-12 function login_user
        0.81 src/auth/login.ts:6-6 function loginWithToken
        0.76 src/config.ts:1-1 constant loginTimeout
    "#]],
    );
    check(
        "~ login ~ ~ interface",
        expect![[r#"
        0.88 src/auth/login.ts:4-4 function login
        0.86 src/config.ts:2-2 interface LoginOptions
        0.82 src/auth/test/login.test.ts:1-1 function login
        0.76 src/config.ts:1-1 constant loginTimeout
        0.76 src/worker.py:11-12 function login_user
    "#]],
    );
}

#[test]
fn test_code_comes_after_product_code_unless_it_is_asked_for() {
    check(
        "login",
        expect![[r#"
        1.00 src/auth/login.ts:4-4 function login
        0.93 src/auth/test/login.test.ts:1-1 function login
        0.86 src/config.ts:2-2 interface LoginOptions
        0.86 src/worker.py:11-12 function login_user
        0.82 src/config.ts:1-1 constant loginTimeout
    "#]],
    );
    check(
        "login ~ test",
        expect![[r#"
        1.00 src/auth/test/login.test.ts:1-1 function login
        0.85 src/auth/login.ts:4-4 function login
        0.73 src/config.ts:2-2 interface LoginOptions
        0.73 src/worker.py:11-12 function login_user
        0.69 src/config.ts:1-1 constant loginTimeout
    "#]],
    );
}

#[test]
fn nothing_fits_an_unknown_name() {
    check("frobnicate", expect![[""]]);
    check("auth.ts", expect![[""]]);
    check("", expect![[""]]);
}

#[test]
fn attributes_are_shown_with_a_definition() {
    let project = TestProject::new(FILES);
    let names = ["QueueWorker.run".to_owned()];
    let description = Description { names: &names, ..Description::default() };
    let found = project
        .index()
        .definitions(&project.store, project.project().id, &description, &Filter::default(), 0.5, 1)
        .unwrap();
    assert_eq!(found[0].content, "    @retry(3)\n    @logged\n    def run(self):\n        pass");
    assert_eq!((found[0].evidence.len(), found[0].evidence[0].signal.as_str()), (1, "name_fit"));
}

#[test]
fn filters_and_limits_hold_for_definitions() {
    let project = TestProject::new(FILES);
    let words = ["login".to_owned()];
    let description = Description { words: &words, ..Description::default() };
    let paths = |filter: &Filter, min_fit, limit| {
        let found = project
            .index()
            .definitions(&project.store, project.project().id, &description, filter, min_fit, limit)
            .unwrap();
        found.into_iter().map(|hit| hit.path).collect::<Vec<_>>()
    };
    let path = PathFilter::new("*.py", PathBase::default());
    let python = Filter::new(KindFilter::Code, Vec::new(), Some(path));
    assert_eq!(paths(&python, 0.3, 10), ["src/worker.py"]);
    assert_eq!(paths(&Filter::default(), 0.99, 10), ["src/auth/login.ts"]);
    assert_eq!(paths(&Filter::default(), 0.0, 2).len(), 2);
}
