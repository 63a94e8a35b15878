//! `craig group` and `--project a,b`: several projects as one.

use expect_test::expect;
use serde_json::Value;

use crate::harness::Home;

/// A library and a service that uses it, each a project of its own.
fn home() -> Home {
    let home = Home::new();
    home.write("money/package.json", "{\"name\": \"@acme/money\", \"main\": \"src/index.ts\"}\n");
    home.write(
        "money/src/index.ts",
        "export function convert(amount: number, rate: number) {\n  return amount * rate;\n}\n",
    );
    home.write("money/README.md", "# Money\n\nConverts amounts between currencies.\n");
    home.write("shop/package.json", "{\"name\": \"shop\", \"dependencies\": {\"@acme/money\": \"1.0.0\"}}\n");
    home.write(
        "shop/src/cart.ts",
        "import { convert } from '@acme/money';\n\nexport function total(prices: number[], rate: number) {\n  \
         return prices.reduce((sum, price) => sum + convert(price, rate), 0);\n}\n",
    );
    home.write("mail/send.py", "def send(message):\n    return deliver(message)\n");
    for project in ["money", "shop", "mail"] {
        home.succeed(&["ingest", project]);
    }
    home
}

fn json(home: &Home, args: &[&str]) -> Value {
    serde_json::from_str(&home.succeed(&[args, &["--format", "json"]].concat())).unwrap()
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect()
}

#[test]
fn a_group_is_made_listed_changed_and_removed() {
    let home = home();
    home.check(
        &["group", "add", "store", "shop", "money"],
        expect![[r#"
            exit 0
            -- stdout
            store: money, shop (5 files)
        "#]],
    );
    home.check(
        &["group", "add", "store", "mail"],
        expect![[r#"
        exit 0
        -- stdout
        store: mail, money, shop (6 files)
    "#]],
    );
    home.check(
        &["group", "remove", "store", "mail"],
        expect![[r#"
        exit 0
        -- stdout
        store: money, shop (5 files)
    "#]],
    );
    home.check(
        &["group", "list"],
        expect![[r#"
        exit 0
        -- stdout
        name   files  chunks  projects
        store      5       5  money, shop
    "#]],
    );
    home.check(
        &["status", "store"],
        expect![[r#"
        exit 0
        -- stdout
        project   shop
        status    completed
        progress  100%, 2 of 2 files
        started   TIME
        ended     TIME
    "#]],
    );
    home.check(
        &["group", "remove", "store"],
        expect![[r#"
        exit 0
        -- stdout
        removed the group store
    "#]],
    );
    home.check(
        &["group", "list"],
        expect![[r#"
        exit 0
        -- stdout
        no groups yet: 'craig group add <name> <project>...' creates one
    "#]],
    );
    assert_eq!(json(&home, &["list"]).as_array().unwrap().len(), 3);
}

#[test]
fn what_is_no_group_or_has_no_directory_is_refused() {
    let home = home();
    home.succeed(&["group", "add", "store", "shop", "money"]);
    home.check(
        &["group", "remove", "store", "mail"],
        expect![[r#"
        exit 1
        -- stderr
        error: "mail" is not in the group "store"
        hint: its members: money, shop
    "#]],
    );
    home.check(
        &["group", "remove", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: "shop" is a project, not a group
            hint: 'craig group list' shows all groups; a new group needs a name that no project has
        "#]],
    );
    home.check(
        &["group", "add", "shop", "mail"],
        expect![[r#"
            exit 1
            -- stderr
            error: "shop" is a project, not a group
            hint: 'craig group list' shows all groups; a new group needs a name that no project has
        "#]],
    );
    home.check(
        &["group", "add", "store", "nothing"],
        expect![[r#"
        exit 1
        -- stderr
        error: no project "nothing"
        hint: known projects: money, shop, mail, store
    "#]],
    );
    home.check(
        &["watch", "store"],
        expect![[r#"
        exit 1
        -- stderr
        error: "store" is a group of projects, but a single project is needed
        hint: name one of its members; 'craig group list' shows them
    "#]],
    );
    home.check(
        &["index", "export", "store.craig", "store"],
        expect![[r#"
        exit 1
        -- stderr
        error: "store" is a group of projects, but a single project is needed
        hint: name one of its members; 'craig group list' shows them
    "#]],
    );
}

#[test]
fn one_list_of_results_and_references_from_one_project_to_another() {
    let home = home();
    home.succeed(&["group", "add", "store", "shop", "money"]);
    let found = json(&home, &["search", "convert an amount between currencies", "-p", "store"]);
    assert_eq!(found["project"], "store");
    assert_eq!(paths(&found)[0], "money/src/index.ts");
    assert!(paths(&found).contains(&"shop/src/cart.ts") && !paths(&found).contains(&"mail/send.py"));
    home.check(&["references", "convert", "-p", "store"], expect![[r#"
        exit 0
        -- stdout
        convert  function  money/src/index.ts:1-3
        where               use     sure  in     text
        shop/src/cart.ts:1  import   99%         import { convert } from '@acme/money';
        shop/src/cart.ts:4  call     99%  total  return prices.reduce((sum, price) => sum + convert(price, rate), 0);
    "#]]);
    home.check(
        &["callers", "convert", "-p", "money"],
        expect![[r#"
        exit 0
        -- stdout
        convert  function  src/index.ts:1-3
        no callers found
    "#]],
    );
    home.check(&["grep", "convert", "-p", "store", "--path", "shop"], expect![[r#"
        exit 0
        -- stdout
        shop/src/cart.ts:1:10: import { convert } from '@acme/money';
        shop/src/cart.ts:4:46:   return prices.reduce((sum, price) => sum + convert(price, rate), 0);  in total
    "#]]);
    let checked = home.succeed(&["doctor"]);
    assert!(checked.contains("sound") && !checked.contains("left over"), "{checked}");
    home.check(
        &["file", "store", "shop/src/cart.ts", "--lines", "1"],
        expect![[r#"
        exit 0
        -- stdout
        import { convert } from '@acme/money';
    "#]],
    );

    // Whatever changes in a member is found in the group at the next question, and what is purged is not.
    home.write("shop/src/refund.ts", "export function refund(order: string) {\n  return order;\n}\n");
    assert_eq!(paths(&json(&home, &["search", "refund", "-p", "store"]))[0], "shop/src/refund.ts");
    home.succeed(&["purge", "money", "--yes"]);
    let found = json(&home, &["search", "convert an amount between currencies", "-p", "store"]);
    assert!(paths(&found).iter().all(|path| path.starts_with("shop/")), "{found}");
}

#[test]
fn projects_that_commas_separate_are_a_group() {
    let home = home();
    let found = json(&home, &["search", "deliver a message", "-p", "shop,mail"]);
    assert_eq!((&found["project"], paths(&found)[0]), (&Value::from("mail,shop"), "mail/send.py"));
    // In any order, with any name: the group of these projects is the same.
    assert_eq!(json(&home, &["search", "deliver", "-p", "mail, shop"])["project"], "mail,shop");
    assert_eq!(json(&home, &["search", "deliver", "-p", "mail,mail"])["project"], "mail");
    assert_eq!(json(&home, &["group", "list"]).as_array().unwrap().len(), 1);
    let context =
        json(&home, &["context", "chat", "how is a message delivered to somebody", "-p", "mail,shop"]);
    assert_eq!(context["blocks"][0]["path"], "mail/send.py", "{context}");
    // A project that was purged and ingested again is in the group again.
    home.succeed(&["purge", "mail", "--yes"]);
    home.succeed(&["ingest", "mail"]);
    let found = json(&home, &["search", "deliver a message", "-p", "shop,mail"]);
    assert_eq!((&found["project"], paths(&found)[0]), (&Value::from("mail,shop"), "mail/send.py"));
    home.check(
        &["group", "add", "mail,shop", "money"],
        expect![[r#"
        exit 1
        -- stderr
        error: "mail,shop" is not a valid project name: a comma separates the names of projects
        hint: choose another name with --name
    "#]],
    );
    home.check(
        &["search", "deliver", "-p", "mail,post"],
        expect![[r#"
        exit 1
        -- stderr
        error: no project "post"
        hint: known projects: money, shop, mail, mail,shop
    "#]],
    );
}

/// Paths and texts.
type Files = &'static [(&'static str, &'static str)];

/// A library that publishes a package, and an application that imports it: files of both, and the line that refers to the library.
const PACKAGES: [(&str, Files, &str); 7] = [
    (
        "python",
        &[
            ("lib/pyproject.toml", "[project]\nname = \"acme-money\"\n"),
            ("lib/src/acme_money/__init__.py", ""),
            ("lib/src/acme_money/rates.py", "def convert(amount):\n    return amount\n"),
            (
                "app/shop/cart.py",
                "from acme_money.rates import convert\n\ndef total():\n    return convert(2)\n",
            ),
        ],
        "app/shop/cart.py:4",
    ),
    (
        "go",
        &[
            ("lib/go.mod", "module github.com/acme/money\n"),
            ("lib/rates.go", "package money\n\nfunc convert() {}\n\nfunc Convert() { convert() }\n"),
            ("app/go.mod", "module github.com/acme/shop\n\nrequire github.com/acme/money v1.0.0\n"),
            (
                "app/main.go",
                "package main\n\nimport \"github.com/acme/money\"\n\nfunc main() { money.Convert() }\n",
            ),
        ],
        "app/main.go:5",
    ),
    (
        "rust",
        &[
            ("lib/Cargo.toml", "[package]\nname = \"acme-money\"\n"),
            ("lib/src/lib.rs", "pub fn convert(a: u32) -> u32 { a }\n"),
            ("app/Cargo.toml", "[package]\nname = \"shop\"\n[dependencies]\nacme-money = \"1\"\n"),
            ("app/src/main.rs", "fn main() { acme_money::convert(2); }\n"),
        ],
        "app/src/main.rs:1",
    ),
    (
        "java",
        &[
            (
                "lib/src/main/java/acme/money/Rates.java",
                "package acme.money;\npublic class Rates { public static int convert() { return 1; } }\n",
            ),
            (
                "app/src/main/java/acme/shop/Cart.java",
                "package acme.shop;\nimport acme.money.Rates;\nclass Cart { int total() { return Rates.convert(); } }\n",
            ),
        ],
        "app/src/main/java/acme/shop/Cart.java:3",
    ),
    (
        "php",
        &[
            (
                "lib/composer.json",
                r#"{"name": "acme/money", "autoload": {"psr-4": {"Acme\\Money\\": "src/"}}}"#,
            ),
            (
                "lib/src/Rates.php",
                "<?php\nnamespace Acme\\Money;\nclass Rates { public static function convert() {} }\n",
            ),
            (
                "app/src/Cart.php",
                "<?php\nnamespace Acme\\Shop;\nuse Acme\\Money\\Rates;\nclass Cart { function total() { Rates::convert(); } }\n",
            ),
        ],
        "app/src/Cart.php:4",
    ),
    (
        "csharp",
        &[
            (
                "lib/Rates.cs",
                "namespace Acme.Money;\npublic static class Rates { public static int convert() => 1; }\n",
            ),
            (
                "app/Cart.cs",
                "using Acme.Money;\nnamespace Acme.Shop;\nclass Cart { int Total() => Rates.convert(); }\n",
            ),
        ],
        "app/Cart.cs:3",
    ),
    (
        "ruby",
        &[
            ("lib/lib/acme_money.rb", "module AcmeMoney\n  def self.convert\n  end\nend\n"),
            ("app/cart.rb", "require \"acme_money\"\n\nAcmeMoney.convert\n"),
        ],
        "app/cart.rb:3",
    ),
];

#[test]
fn an_import_of_a_package_refers_to_the_project_that_publishes_it() {
    for (language, files, place) in PACKAGES {
        let home = Home::new();
        files.iter().for_each(|(path, text)| home.write(path, text));
        home.succeed(&["ingest", "lib"]);
        home.succeed(&["ingest", "app"]);
        let name = if language == "go" { "Convert" } else { "convert" };
        let found = home.succeed(&["references", name, "-p", "app,lib"]);
        assert!(found.contains(place), "{language}: {found}");
    }
}

#[test]
fn groups_answer_for_their_members_where_everything_is_searched() {
    let home = home();
    let places = |args: &[&str]| -> Vec<String> {
        let answer = json(&home, &[&["search", "--all"], args].concat());
        assert_eq!(answer["project"], "3 projects");
        let mut places: Vec<String> = paths(&answer).into_iter().map(str::to_owned).collect();
        places.sort();
        places
    };
    let each = places(&["convert"]);
    assert!(each.contains(&"money/src/index.ts".to_owned()), "{each:?}");
    home.succeed(&["group", "add", "store", "shop", "money"]);
    assert_eq!(places(&["convert"]), each, "a group of two, and a project outside it");
    home.succeed(&["group", "add", "everything", "--all"]);
    assert_eq!(places(&["convert"]), each);
    // Paths are those of the projects.
    assert_eq!(places(&["convert", "--path", "src"]).len(), 2);
    for n in 0..16 {
        home.write(&format!("tool{n}/run.py"), format!("def run{n}():\n    return {n}\n"));
        home.succeed(&["ingest", &format!("tool{n}")]);
    }
    let answer = json(&home, &["search", "--all", "convert"]);
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.starts_with("17 indexes were searched one by one: 'craig group add NAME --all'"), "{note}");
    home.succeed(&["group", "add", "everything", "--all"]);
    let answer = json(&home, &["search", "--all", "convert"]);
    assert_eq!((&answer["notes"], paths(&answer)[0]), (&Value::Null, "money/src/index.ts"));
}
