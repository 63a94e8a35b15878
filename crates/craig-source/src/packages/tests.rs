use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::*;

/// A folder with a project in it, and places for package managers beside it.
struct Machine {
    folder: tempfile::TempDir,
    places: PackagePlaces,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("app")).unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        let places = PackagePlaces::from_environment(|name| (name == "HOME").then_some(&*home));
        let machine = Self { folder, places };
        files.iter().for_each(|(path, text)| machine.write(path, text.as_bytes()));
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn find(
        &self,
        manager: PackageManager,
        name: &str,
        version: Option<&str>,
    ) -> Result<InstalledPackage, PackageError> {
        let project = Root::open(self.at("app")).unwrap();
        self.places.find(&project, &WantedPackage { manager, name, version, folder: "web" })
    }

    /// The paths that are listed of a package, or why there are none.
    fn listed(
        &self,
        manager: PackageManager,
        name: &str,
        version: Option<&str>,
    ) -> Result<Vec<String>, String> {
        let found = self.find(manager, name, version).map_err(|error| error.to_string())?;
        let listing = found.list(&PackageLimits::default()).listing;
        Ok(listing.entries.into_iter().map(|entry| entry.path).collect())
    }
}

fn text_of(package: &InstalledPackage, path: &str) -> String {
    match package.interpret(package.read(path, &PackageLimits::default()).unwrap()).content {
        Content::Text(text) => text,
        other => panic!("{path} is {other:?}"),
    }
}

/// A jar of files, each deflated, with the sizes that it claims.
fn jar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (path, text) in files {
        let (mut entry, config) =
            archive.new_file(path).compression_method(rawzip::CompressionMethod::DEFLATE).start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::default());
        let mut writer = config.wrap(encoder);
        writer.write_all(text).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

#[test]
fn npm_packages_are_in_the_nearest_node_modules() {
    let machine = Machine::new(&[
        ("app/node_modules/ms/package.json", r#"{"name":"ms","version":"2.0.0"}"#),
        ("app/node_modules/ms/readme.md", "# ms"),
        ("app/web/node_modules/ms/package.json", r#"{"name":"ms","version":"2.1.3"}"#),
        ("app/web/node_modules/ms/README.md", "# ms"),
        ("app/web/node_modules/ms/CHANGELOG.md", "# 2.1.3"),
        ("app/web/node_modules/ms/docs/units.md", "# Units"),
        ("app/web/node_modules/ms/dist/index.d.ts", "export function ms(text: string): number;"),
        ("app/web/node_modules/ms/dist/index.js", "function ms() {}"),
        ("app/web/node_modules/ms/test/ms.test.js", "test()"),
        ("app/web/node_modules/ms/node_modules/deep/README.md", "# deep"),
        ("app/node_modules/@scope/name/package.json", r#"{"name":"@scope/name","version":"1.0.0"}"#),
        ("app/node_modules/@scope/name/index.js", "/** Says hello. */ exports.hello = () => {}"),
    ]);
    let listed = |name, version| machine.listed(PackageManager::Npm, name, version);
    assert_eq!(
        listed("ms", Some("2.1.3")).unwrap(),
        ["README.md", "dist/index.d.ts", "docs/units.md", "package.json"]
    );
    assert_eq!(listed("@scope/name", None).unwrap(), ["index.js", "package.json"]);
    assert_eq!(listed("ms", Some("9.0.0")).unwrap_err(), "version 2.1.3 is installed, but 9.0.0 is locked");
    assert_eq!(listed("left-pad", None).unwrap_err(), "it is not installed");
}

#[test]
fn python_packages_are_what_their_records_list() {
    let site = "app/.venv/lib/python3.12/site-packages";
    let machine = Machine::new(&[
        (
            &format!("{site}/Flask-3.0.0.dist-info/METADATA"),
            "Name: Flask\nVersion: 3.0.0\n\nFlask\n=====\n\nA framework.\n",
        ),
        (
            &format!("{site}/Flask-3.0.0.dist-info/RECORD"),
            "flask/app.py,sha256=x,10\n../../../../secret.py,,\nflask/__pycache__/app.pyc,,\n/etc/passwd.py,,\n",
        ),
        (&format!("{site}/flask/app.py"), "class Flask:\n    \"\"\"The application.\"\"\"\n"),
        (&format!("{site}/other/module.py"), "x = 1\n"),
        ("app/secret.py", "no\n"),
    ]);
    let listed = machine.listed(PackageManager::PyPi, "flask", Some("3.0.0")).unwrap();
    assert_eq!(listed, ["Flask-3.0.0.dist-info/METADATA", "flask/app.py"]);
    let found = machine.find(PackageManager::PyPi, "FLASK", None).unwrap();
    let read = found.read("Flask-3.0.0.dist-info/METADATA", &PackageLimits::default());
    let description = found.interpret(read.unwrap());
    assert_eq!(description.language, Language::ReStructuredText);
    for outside in ["../../../../secret.py", "/etc/passwd", "flask/../../secret.py"] {
        let error = found.read(outside, &PackageLimits::default()).unwrap_err();
        assert!(matches!(error, ReadError::OutsideRoot { .. }), "{outside}: {error}");
    }
}

#[test]
fn crates_modules_and_jars_are_in_the_caches_of_their_managers() {
    let machine = Machine::new(&[
        (".cargo/registry/src/index-1/anyhow-1.0.80/src/lib.rs", "/// An error.\npub struct Error;\n"),
        (".cargo/registry/src/index-1/anyhow-1.0.80/README.md", "# anyhow"),
        (".cargo/registry/src/index-1/anyhow-1.0.80/tests/test.rs", "fn t() {}"),
        ("go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/decode.go", "package toml\n"),
        ("go/pkg/mod/github.com/!burnt!sushi/toml@v1.3.2/decode_test.go", "package toml\n"),
    ]);
    let anyhow = machine.listed(PackageManager::Cargo, "anyhow", Some("1.0.80")).unwrap();
    assert_eq!(anyhow, ["README.md", "src/lib.rs"]);
    let other = machine.listed(PackageManager::Cargo, "anyhow", Some("1.0.79")).unwrap_err();
    assert_eq!(other, "version 1.0.80 is installed, but 1.0.79 is locked");
    assert_eq!(machine.listed(PackageManager::Cargo, "any", Some("1")).unwrap_err(), "it is not installed");
    let toml = machine.listed(PackageManager::Go, "github.com/BurntSushi/toml", Some("v1.3.2")).unwrap();
    assert_eq!(toml, ["decode.go"]);
    let sources =
        jar(&[("com/google/gson/Gson.java", b"package com.google.gson;\n"), ("META-INF/MANIFEST.MF", b"x")]);
    machine.write(".m2/repository/com/google/code/gson/gson/2.10/gson-2.10-sources.jar", &sources);
    machine.write(".m2/repository/org/x/y/1.0/y-1.0.jar", b"compiled");
    let gson = machine.find(PackageManager::Maven, "com.google.code.gson:gson", None).unwrap();
    assert_eq!(gson.version, "2.10");
    assert_eq!(text_of(&gson, "com/google/gson/Gson.java"), "package com.google.gson;\n");
    let without = machine.listed(PackageManager::Maven, "org.x:y", Some("1.0")).unwrap_err();
    assert_eq!(without, "its sources are not installed; the build tool downloads them on request");
}

#[test]
fn a_vendored_crate_counts_in_its_own_version() {
    let machine = Machine::new(&[
        ("app/vendor/ryu/Cargo.toml", "[package]\nname = \"ryu\"\nversion = \"1.0.5\"\n"),
        ("app/vendor/ryu/src/lib.rs", "pub struct Buffer;\n"),
    ]);
    let listed = machine.listed(PackageManager::Cargo, "ryu", Some("1.0.5")).unwrap();
    assert_eq!(listed, ["Cargo.toml", "src/lib.rs"]);
    let other = machine.listed(PackageManager::Cargo, "ryu", Some("1.0.6")).unwrap_err();
    assert_eq!(other, "version 1.0.5 is installed, but 1.0.6 is locked");
}

#[test]
fn forged_names_and_versions_reach_nothing() {
    let machine = Machine::new(&[
        ("secrets/package.json", r#"{"name":"../../secrets","version":"1.0.0"}"#),
        ("secrets/README.md", "# secret"),
        ("app/node_modules/good/package.json", r#"{"name":"../../secrets","version":"1.0.0"}"#),
        ("app/node_modules/bad/package.json", r#"{"name":"bad","version":"../../../secrets"}"#),
        ("app/node_modules/broken/package.json", "{"),
    ]);
    let reason =
        |manager, name: &str, version: Option<&str>| machine.find(manager, name, version).err().unwrap();
    for manager in [PackageManager::Npm, PackageManager::PyPi, PackageManager::Cargo, PackageManager::Go] {
        assert_eq!(reason(manager, "../../secrets", Some("1.0.0")), PackageError::BadName);
        assert_eq!(reason(manager, "a", Some("../../../secrets")), PackageError::BadName);
        assert_eq!(reason(manager, "", Some("1")), PackageError::BadName);
    }
    assert_eq!(reason(PackageManager::Maven, "..:..", Some("1")), PackageError::BadName);
    for name in ["good", "bad", "broken"] {
        assert_eq!(reason(PackageManager::Npm, name, None), PackageError::OtherPackage, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn links_out_of_a_package_are_not_followed() {
    use std::os::unix::fs::symlink;

    let manifest = r#"{"name":"linked","version":"1.0.0"}"#;
    let machine = Machine::new(&[
        ("private/package.json", manifest),
        ("private/README.md", "# private"),
        ("app/node_modules/.pnpm/linked@1.0.0/node_modules/linked/package.json", manifest),
        ("app/node_modules/.pnpm/linked@1.0.0/node_modules/linked/README.md", "# linked"),
        ("app/node_modules/hostile/package.json", r#"{"name":"hostile","version":"1.0.0"}"#),
        ("app/node_modules/hostile/index.js", "x()"),
    ]);
    symlink(".pnpm/linked@1.0.0/node_modules/linked", machine.at("app/node_modules/linked")).unwrap();
    assert_eq!(
        machine.listed(PackageManager::Npm, "linked", None).unwrap(),
        ["README.md", "package.json"],
        "as pnpm does"
    );
    symlink(machine.at("private"), machine.at("app/node_modules/outside")).unwrap();
    assert_eq!(machine.find(PackageManager::Npm, "outside", None).err(), Some(PackageError::LeadsElsewhere));
    symlink(machine.at("private"), machine.at("app/node_modules/hostile/docs")).unwrap();
    symlink(machine.at("private/README.md"), machine.at("app/node_modules/hostile/README.md")).unwrap();
    assert_eq!(machine.listed(PackageManager::Npm, "hostile", None).unwrap(), ["index.js", "package.json"]);
    let hostile = machine.find(PackageManager::Npm, "hostile", None).unwrap();
    for path in ["README.md", "docs/README.md"] {
        assert!(hostile.read(path, &PackageLimits::default()).is_err(), "{path}");
    }
    let outside = machine.at("environment/lib/python3.12/site-packages/evil-1.dist-info");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("RECORD"), "evil.py,,\n").unwrap();
    symlink(machine.at("environment"), machine.at("app/.venv")).unwrap();
    assert_eq!(machine.find(PackageManager::PyPi, "evil", None).err(), Some(PackageError::LeadsElsewhere));
}

#[test]
fn a_package_of_very_many_files_is_cut() {
    let manifest = r#"{"name":"huge","version":"1.0.0"}"#;
    let machine = Machine::new(&[
        ("app/node_modules/huge/package.json", manifest),
        ("app/node_modules/huge/README.md", "# huge"),
    ]);
    let folder = machine.at("app/node_modules/huge/lib");
    fs::create_dir(&folder).unwrap();
    for at in 0..5_000 {
        fs::write(folder.join(format!("{at}.js")), "x()\n").unwrap();
    }
    let huge = machine.find(PackageManager::Npm, "huge", None).unwrap();
    let limits = PackageLimits { n_files: 100, n_looked_at: 1_000, ..PackageLimits::default() };
    let listed = huge.list(&limits);
    assert_eq!(listed.listing.entries.len(), 100);
    assert!((800..=900).contains(&listed.n_over_limits), "{}", listed.n_over_limits);
    let paths: Vec<&str> = listed.listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert!(paths.contains(&"README.md"), "documents come first");
    let n_bytes = manifest.len() as u64 + 40;
    let by_bytes = huge.list(&PackageLimits { n_bytes, ..PackageLimits::default() });
    let listed = by_bytes.listing.entries.iter().map(|entry| entry.stamp.size).sum::<u64>();
    assert_eq!(listed, manifest.len() as u64 + 6 + 8 * 4);
}

#[test]
fn folders_nested_very_deep_end() {
    let machine =
        Machine::new(&[("app/node_modules/deep/package.json", r#"{"name":"deep","version":"1.0.0"}"#)]);
    let below = "d/".repeat(200);
    machine.write(&format!("app/node_modules/deep/{below}README.md"), b"# deep");
    assert_eq!(machine.listed(PackageManager::Npm, "deep", None).unwrap(), Vec::<String>::new());
}

#[test]
fn bombs_and_broken_jars_are_refused() {
    let path = ".m2/repository/org/x/bomb/1/bomb-1-sources.jar";
    let machine = Machine::new(&[]);
    let large = vec![b' '; 64 << 20];
    machine.write(path, &jar(&[("org/x/Bomb.java", &large), ("org/x/Good.java", b"class Good {}\n")]));
    let bomb = machine.find(PackageManager::Maven, "org.x:bomb", Some("1")).unwrap();
    let listed = bomb.list(&PackageLimits::default()).listing;
    assert_eq!(listed.entries.iter().map(|entry| &*entry.path).collect::<Vec<_>>(), ["org/x/Good.java"]);
    assert_eq!(listed.too_large[0].stamp.size, 64 << 20);
    assert!(matches!(
        bomb.read("org/x/Bomb.java", &PackageLimits::default()),
        Err(ReadError::TooLarge { .. })
    ));

    // The directory claims that the bomb is small.
    let mut lying = jar(&[("org/x/Bomb.java", &large)]);
    let claimed = (64u32 << 20).to_le_bytes();
    let places: Vec<usize> = (0..lying.len() - 4).filter(|&at| lying[at..at + 4] == claimed).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| lying[at..at + 4].copy_from_slice(&100u32.to_le_bytes()));
    machine.write(path, &lying);
    let lying = machine.find(PackageManager::Maven, "org.x:bomb", Some("1")).unwrap();
    let error = lying.read("org/x/Bomb.java", &PackageLimits::default()).unwrap_err().to_string();
    assert!(error.contains("its size is not the one that the archive claims"), "{error}");

    // A writer of archives makes such names harmless, so they are put in afterwards.
    let mut outside = jar(&[("AAAAAAescape/README.md", b"# out\n"), ("Babs/README.md", b"# out\n")]);
    for (harmless, name) in [(&b"AAAAAAescape"[..], &b"../../escape"[..]), (b"Babs", b"/abs")] {
        let places: Vec<usize> =
            (0..outside.len() - name.len()).filter(|&at| outside[at..].starts_with(harmless)).collect();
        assert_eq!(places.len(), 2, "in the entry and in the directory");
        places.into_iter().for_each(|at| outside[at..at + name.len()].copy_from_slice(name));
    }
    machine.write(path, &outside);
    assert_eq!(machine.listed(PackageManager::Maven, "org.x:bomb", Some("1")).unwrap(), Vec::<String>::new());
    machine.write(path, b"PK\x03\x04 no archive");
    let error = machine.listed(PackageManager::Maven, "org.x:bomb", Some("1")).unwrap_err();
    assert!(error.starts_with("it cannot be read: "), "{error}");
}

#[test]
fn secrets_in_packages_are_masked() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let readme = format!("# leaky\n\nUse token {token} here.\n");
    let machine = Machine::new(&[
        ("app/node_modules/leaky/package.json", r#"{"name":"leaky","version":"1.0.0"}"#),
        ("app/node_modules/leaky/README.md", &readme),
    ]);
    let leaky = machine.find(PackageManager::Npm, "leaky", None).unwrap();
    let text = text_of(&leaky, "README.md");
    assert!(!text.contains(&token) && text.contains("Use token"), "{text}");
}

#[test]
fn places_are_those_of_the_environment() {
    let variables = [("HOME", "/h"), ("CARGO_HOME", "/c"), ("GOPATH", "/g")];
    let places = PackagePlaces::from_environment(|name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    });
    assert_eq!(places.cargo_home.as_deref(), Some(Path::new("/c")));
    assert_eq!(places.go_modules.as_deref(), Some(Path::new("/g/pkg/mod")));
    assert_eq!(places.maven_repository.as_deref(), Some(Path::new("/h/.m2/repository")));
    assert_eq!(places.virtual_environment, None);
}
