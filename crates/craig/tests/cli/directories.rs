//! Commands that answer about a project take a directory in it, and default to the current one.

use crate::harness::Home;

/// Stdout of a command that runs in a folder of the home and succeeds.
fn in_folder(home: &Home, folder: &str, args: &[&str]) -> String {
    let output = home.craig(args).current_dir(home.path().join(folder)).output().unwrap();
    assert!(output.status.success(), "{args:?} in {folder}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_directory_stands_for_its_project() {
    let home = Home::with_ingested_shop();
    for command in [
        &["tree"][..],
        &["stats"],
        &["status"],
        &["check-updates"],
        &["insight", "architecture"],
        &["insight", "dependencies"],
        &["insight", "quality"],
    ] {
        let with = |more: &[&'static str]| [command, more, &["--format", "json"]].concat();
        let by_name = in_folder(&home, "", &with(&["shop"]));
        for (folder, named) in [("shop", &[][..]), ("shop/src", &[]), ("shop", &["."]), ("", &["./shop/src"])]
        {
            assert_eq!(in_folder(&home, folder, &with(named)), by_name, "{command:?} {named:?} in {folder}");
        }
    }
}

#[test]
fn files_and_targets_may_be_relative_to_the_directory() {
    let home = Home::with_ingested_shop();
    let by_name = in_folder(&home, "", &["file", "shop", "src/auth.py"]);
    let relative =
        [("shop", &["src/auth.py"][..]), ("shop/src", &["auth.py"]), ("", &["shop/src", "auth.py"])];
    for (folder, args) in relative {
        assert_eq!(in_folder(&home, folder, &[&["file"], args].concat()), by_name, "{args:?} in {folder}");
    }
    let relations = ["insight", "relations"];
    let by_name = in_folder(&home, "", &[&relations[..], &["shop", "src/auth.py"]].concat());
    assert_eq!(in_folder(&home, "shop/src", &[&relations[..], &["auth.py"]].concat()), by_name);
    let symbol = in_folder(&home, "shop", &[&relations[..], &["verify_token"]].concat());
    assert!(symbol.contains("src/auth.py"), "{symbol}");
}

#[test]
fn a_dot_is_the_folder_itself() {
    let home = Home::with_ingested_shop();
    for command in [&["outline"][..], &["map"], &["grep", "price|token", "--path"]] {
        let of = |folder: &str, path: &'static str| in_folder(&home, folder, &[command, &[path]].concat());
        let here = of("shop/src/cart", ".");
        assert_eq!(here, of("shop", "src/cart"), "{command:?}");
        assert_eq!(of("shop/src", "./cart"), here, "{command:?}");
        assert_eq!(of("shop/src/cart", ".."), of("shop", "src"), "{command:?}");
        // A map only prefers what it focuses on.
        let is_map = command[0] == "map";
        assert!(here.starts_with("src/cart/prices.rs") && is_map == here.contains("auth.py"), "{here}");
    }
}

#[test]
fn settings_that_the_index_does_not_apply_are_reported() {
    let home = Home::with_ingested_shop();
    let reports = || {
        let commands = [&["status", "shop"], &["check-updates", "shop"], &["ingest-delta", "shop"]];
        commands.map(|command| {
            let output = home.run(command);
            assert!(output.status.success(), "{}", home.transcript(&output));
            String::from_utf8(output.stderr).unwrap().replace(&*home.path().to_string_lossy(), "HOME")
        })
    };
    assert_eq!(reports(), ["", "", ""]);
    home.write("shop/.craig.toml", "source.exclude = [\"src/cart/\"]\n");
    let warning = "warning: the index was built without the present settings of source.exclude: run 'craig ingest \
                   HOME/shop' to apply them\n";
    assert_eq!(reports(), [warning, warning, warning]);
    home.succeed(&["ingest", "shop", "--exclude", "*.md", "--max-file-size", "2MB"]);
    assert_eq!(reports(), ["", "", ""], "flags are no settings");
    assert!(!home.succeed(&["tree", "shop"]).contains("prices.rs"));
}

#[test]
fn a_project_goes_before_a_directory_of_its_name() {
    let home = Home::with_ingested_shop();
    home.write("other/shop/only.py", "x = 1\n");
    home.succeed(&["ingest", "other"]);
    assert!(in_folder(&home, "other", &["tree", "shop"]).contains("auth.py"));
    assert!(in_folder(&home, "other", &["tree", "./shop"]).contains("only.py"));
}

#[test]
fn outside_of_every_project_stats_are_of_all_and_others_fail() {
    let home = Home::with_ingested_shop();
    home.write("elsewhere/a.py", "x = 1\n");
    let all = in_folder(&home, "elsewhere", &["stats", "--format", "json"]);
    assert_eq!(in_folder(&home, "shop", &["stats", "--all", "--format", "json"]), all);
    let output = home.craig(&["tree"]).current_dir(home.path().join("elsewhere")).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("elsewhere is not ingested") && error.contains("run 'craig ingest .'"), "{error}");
    // As a search does, an analysis ingests a directory first.
    assert!(in_folder(&home, "elsewhere", &["insight", "quality"]).contains("1 file"));
}

#[test]
fn a_database_in_the_directory_is_no_part_of_the_project() {
    let home = Home::with_shop();
    for database in ["./own.db", "data/own.db"] {
        std::fs::create_dir_all(home.path().join("shop/data")).unwrap();
        let run = |args: &[&'static str]| in_folder(&home, "shop", &[args, &["--db", database]].concat());
        run(&["search", "verify token"]);
        let changes = run(&["check-updates", "--format", "json"]);
        assert!(changes.contains("\"up_to_date\":true"), "{changes}");
        let files = run(&["tree"]);
        assert!(!files.contains("own.db") && files.contains("auth.py"), "{files}");
        std::fs::remove_dir_all(home.path().join("shop/own.db.d")).ok();
        std::fs::remove_file(home.path().join("shop/own.db")).ok();
    }
}
