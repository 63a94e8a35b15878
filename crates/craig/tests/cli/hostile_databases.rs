//! Repositories that bring databases, or links to the user's: the user's index stays, and nothing forged is shown.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::{Value, json};

use crate::explain::{CODE, Editor, PAGE, hello};
use crate::harness::Home;

/// A home with an index, and a repository beside it that is documented.
struct Fixture {
    home: Home,
}

impl Fixture {
    fn new() -> Self {
        let home = Home::with_ingested_shop();
        home.write("evil/docs/api/Client.md", PAGE);
        home.write("evil/lib/client.js", CODE);
        home.write("evil/package.json", "{}");
        Self { home }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join("evil").join(path)
    }

    fn link(&self, path: &str, to: &Path) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        symlink(to, self.path(path)).unwrap();
    }

    /// What `craig explain` quotes.
    fn explained(&self) -> String {
        self.home.succeed(&["explain", "lib/client.js:5-7", "--root", "evil"])
    }

    fn projects(&self) -> Value {
        serde_json::from_str(&self.home.succeed(&["list", "--format", "json"])).unwrap()
    }

    /// Opens the repository in an editor, until it is indexed.
    fn edited(&self) {
        let (mut editor, _) = Editor::start(&self.home, hello(&self.home, "evil", json!({}), Value::Null));
        editor.await_state("ready");
        editor.close();
    }
}

/// A way to have Craig index the documentation of the repository.
type Command = fn(&Fixture);

const COMMANDS: &[(&str, Command)] = &[
    ("explain", |fixture| drop(fixture.explained())),
    ("docs index", |fixture| drop(fixture.home.succeed(&["docs", "index", "evil"]))),
    ("lsp", Fixture::edited),
];

fn others(projects: Value) -> Vec<Value> {
    projects.as_array().unwrap().iter().filter(|project| project["name"] != "evil").cloned().collect()
}

#[test]
fn a_link_to_the_users_index_is_not_followed() {
    for (name, command) in COMMANDS {
        let fixture = Fixture::new();
        let before = fixture.projects();
        fixture.link(".aidocs/docs.db", &fixture.home.database());
        command(&fixture);
        // An explanation indexes the code of the repository itself.
        assert_eq!(Value::from(others(fixture.projects())), before, "{name}");
        assert!(!fixture.path(".aidocs/docs.db").is_symlink(), "{name}");
        assert!(fixture.explained().contains("Performs an HTTP request"), "{name}");
    }
}

#[test]
fn a_folder_that_is_a_link_gets_nothing() {
    let fixture = Fixture::new();
    fixture.home.write("precious/mine", "");
    fixture.link(".aidocs", &fixture.home.path().join("precious"));
    for (_, command) in COMMANDS {
        command(&fixture);
    }
    assert_eq!(fs::read_dir(fixture.home.path().join("precious")).unwrap().count(), 1);
    fixture.home.check(
        &["docs", "index", "evil"],
        expect![[r#"
            exit 0
            -- stdout
            indexed 1 file  4 sections of documentation: 1 read, 0 removed, took DURATION
            -- stderr
            warning: cannot open the database HOME/evil/.aidocs/docs.db: HOME/evil/.aidocs is a link, and Craig follows none there; the documentation is kept in memory for now
        "#]],
    );
}

#[test]
fn forged_documentation_is_not_quoted() {
    let fixture = Fixture::new();
    let forge = || {
        let mut bytes = fs::read(fixture.path(".aidocs/docs.db")).unwrap();
        let at = bytes.windows(16).position(|window| window == b"Performs an HTTP").unwrap();
        bytes[at..at + 16].copy_from_slice(b"Performs an EVIL");
        bytes
    };
    // Made by somebody else for the same place, and brought by the clone.
    let other = fixture.home.path().join("other");
    let mut attacker = fixture.home.craig(&["docs", "index", "evil"]);
    assert!(attacker.env("HOME", other).status().unwrap().success());
    let forged = forge();
    fs::remove_file(fixture.path(".aidocs/docs.db")).unwrap();
    fs::write(fixture.path(".aidocs/docs.db"), &forged).unwrap();
    assert!(fixture.explained().contains("Performs an HTTP request"));

    // The user's own, committed, changed by somebody else, and pulled.
    let forged = forge();
    fs::remove_file(fixture.path(".aidocs/docs.db")).unwrap();
    fs::write(fixture.path(".aidocs/docs.db"), &forged).unwrap();
    assert!(fixture.explained().contains("Performs an HTTP request"));
}

#[test]
fn the_index_of_a_workspace_is_the_users_own() {
    let fixture = Fixture::new();
    let before = fixture.projects();
    fixture.link(".puku/embeddings.db", &fixture.home.database());
    fixture.home.write("precious/old.seg", "mine");
    fixture.link(".puku/embeddings.db.d", &fixture.home.path().join("precious"));
    let workspace = ["--db", "evil/.puku/embeddings.db"];
    let found = fixture.home.succeed(&[&workspace[..], &["ingest", "evil"]].concat());
    assert!(found.contains("evil"), "{found}");
    let listed = fixture.home.succeed(&[&workspace[..], &["list"]].concat());
    assert!(listed.contains("evil") && !listed.contains("shop"), "{listed}");
    let found = fixture.home.succeed(&[&workspace[..], &["search", "request", "-p", "evil"]].concat());
    assert!(found.contains("lib/client.js"), "{found}");
    assert_eq!(fixture.projects(), before);
    assert_eq!(fs::read_dir(fixture.home.path().join("precious")).unwrap().count(), 1);

    // Copied away it is still what it was made for.
    fs::copy(fixture.path(".puku/embeddings.db"), fixture.home.path().join("copy.db")).unwrap();
    fixture.home.check(
        &["--db", "copy.db", "list"],
        expect![[r#"
            exit 1
            -- stderr
            error: copy.db holds the index of an editor's workspace, not an index of projects
            hint: point --db (or CRAIG_DB) to another file, which is created if it does not exist; or move this one away
        "#]],
    );
}
