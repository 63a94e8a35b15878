//! Packs the parse tables of grammars: they are most of a grammar, and nine tenths of them is repetition.
//!
//! A grammar's `parser.c` is compiled a second time, with its two tables of transitions as uninitialised memory; what they
//! hold is written as LZ4 beside it and compiled into the crate, which unpacks it when the grammar is first used. Scanners
//! are those of the grammars' own crates. Debug builds do this only with the grammar that a test compares.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// Every grammar: our name, its package, the folder of `parser.c`, the constant of its crate.
const GRAMMARS: &[(&str, &str, &str, &str)] = &[
    ("BASH", "tree-sitter-bash", "src", "LANGUAGE"),
    ("C", "tree-sitter-c", "src", "LANGUAGE"),
    ("C_SHARP", "tree-sitter-c-sharp", "src", "LANGUAGE"),
    ("CPP", "tree-sitter-cpp", "src", "LANGUAGE"),
    ("CSS", "tree-sitter-css", "src", "LANGUAGE"),
    ("DART", "tree-sitter-dart", "src", "LANGUAGE"),
    ("ELIXIR", "tree-sitter-elixir", "src", "LANGUAGE"),
    ("GO", "tree-sitter-go", "src", "LANGUAGE"),
    ("HASKELL", "tree-sitter-haskell", "src", "LANGUAGE"),
    ("HTML", "tree-sitter-html", "src", "LANGUAGE"),
    ("JAVA", "tree-sitter-java", "src", "LANGUAGE"),
    ("JAVASCRIPT", "tree-sitter-javascript", "src", "LANGUAGE"),
    ("JSON", "tree-sitter-json", "src", "LANGUAGE"),
    ("KOTLIN", "tree-sitter-kotlin-ng", "src", "LANGUAGE"),
    ("LUA", "tree-sitter-lua", "src", "LANGUAGE"),
    ("PHP", "tree-sitter-php", "php/src", "LANGUAGE_PHP"),
    ("POWERSHELL", "tree-sitter-powershell", "src", "LANGUAGE"),
    ("PYTHON", "tree-sitter-python", "src", "LANGUAGE"),
    ("RUBY", "tree-sitter-ruby", "src", "LANGUAGE"),
    ("RUST", "tree-sitter-rust", "src", "LANGUAGE"),
    ("SCALA", "tree-sitter-scala", "src", "LANGUAGE"),
    ("SWIFT", "tree-sitter-swift", "src", "LANGUAGE"),
    ("TOML", "tree-sitter-toml-ng", "src", "LANGUAGE"),
    ("TSX", "tree-sitter-typescript", "tsx/src", "LANGUAGE_TSX"),
    ("TYPESCRIPT", "tree-sitter-typescript", "typescript/src", "LANGUAGE_TYPESCRIPT"),
    ("YAML", "tree-sitter-yaml", "src", "LANGUAGE"),
    ("ZIG", "tree-sitter-zig", "src", "LANGUAGE"),
];

/// The grammar that debug builds pack, for the test.
const PACKED_IN_DEBUG: &str = "GO";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=Cargo.toml");
    println!("cargo:rustc-check-cfg=cfg(packed_grammars)");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release {
        println!("cargo:rustc-cfg=packed_grammars");
    }
    let sizes = pack_all(&|name| is_release || name == PACKED_IN_DEBUG, &out);
    let mut constants = String::new();
    let mut pairs = String::new();
    let mut all = String::new();
    for (name, package, _, constant) in GRAMMARS {
        let package_name = package.replace('-', "_");
        let plain = format!("{package_name}::{constant}");
        let packed = sizes.get(name).map(|tables| packed_constant(name, tables));
        let chosen = packed.as_ref().filter(|_| is_release).unwrap_or(&plain);
        constants += &format!("/// The grammar of `{package}`.\npub const {name}: LanguageFn = {chosen};\n");
        all += &format!("({:?}, {name}),\n", name.to_lowercase());
        if let Some(packed) = packed {
            constants += &format!("use {package_name} as _;\n");
            pairs += &format!("({name:?}, {packed}, {plain}),\n");
        }
    }
    constants +=
        &format!("/// All grammars with their names.\npub const ALL: &[(&str, LanguageFn)] = &[{all}];\n");
    fs::write(out.join("grammars.rs"), constants).expect("the output folder can be written");
    fs::write(out.join("pairs.rs"), format!("[{pairs}]")).expect("the output folder can be written");
}

/// Packs the grammars whose names are `wanted`, as many at a time as cargo allows.
fn pack_all(wanted: &(impl Fn(&str) -> bool + Sync), out: &Path) -> HashMap<&'static str, TableSizes> {
    let folders = package_folders(out);
    let next = AtomicUsize::new(0);
    let n_jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    let work = || {
        let mut sizes = Vec::new();
        while let Some((name, package, folder, _)) = GRAMMARS.get(next.fetch_add(1, Ordering::Relaxed)) {
            if wanted(name) {
                sizes.push((*name, pack(name, &folders[*package].join(folder), out)));
            }
        }
        sizes
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n_jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a grammar can be packed")).collect()
    })
}

/// Where the sources of the grammars' packages are, by name.
///
/// Cargo is asked about a package that depends on them and nothing else: for our own it would want everything that the
/// workspace's tests and other systems need, which need not be there.
fn package_folders(out: &Path) -> HashMap<String, PathBuf> {
    let own_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let own = fs::read_to_string(own_folder.join("Cargo.toml")).expect("the manifest can be read");
    let grammars =
        own.lines().filter(|line| GRAMMARS.iter().any(|one| line.starts_with(&format!("{} =", one.1))));
    let head = "[package]\nname = \"grammars\"\nversion = \"0.0.0\"\n[workspace]\n[lib]\npath = \"lib.rs\"\n[dependencies]\n";
    let manifest = out.join("Cargo.toml");
    fs::write(&manifest, head.to_owned() + &grammars.collect::<Vec<_>>().join("\n"))
        .expect("the output folder can be written");
    fs::write(out.join("lib.rs"), "").expect("the output folder can be written");
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    cargo.args(["metadata", "--format-version=1", "--offline", "--manifest-path"]).arg(&manifest);
    let output = cargo.current_dir(own_folder).output().expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("cargo lists packages").iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let folder = |package: &serde_json::Value| Path::new(&text(&package["manifest_path"])).with_file_name("");
    packages.map(|package| (text(&package["name"]), folder(package))).collect()
}

/// The bytes of a grammar's two tables.
struct TableSizes {
    large: usize,
    small: usize,
}

/// What the crate says to use a packed grammar; the macro is in `lib.rs`.
fn packed_constant(name: &str, sizes: &TableSizes) -> String {
    let id = name.to_lowercase();
    let TableSizes { large, small } = sizes;
    format!("packed!({id}_grammar, {id}_large_table: {large}, {id}_small_table: {small}, \"{id}.lz4\")")
}

/// Compiles the grammar in `folder` with empty tables, and writes what belongs in them to `out`.
fn pack(name: &str, folder: &Path, out: &Path) -> TableSizes {
    let id = name.to_lowercase();
    let parser = fs::read_to_string(folder.join("parser.c")).expect("the grammar has a parser");
    let mut source = Source::new(parser);
    let large =
        source.take_table("ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT]", &format!("{id}_large_table"));
    let small = source.take_table("ts_small_parse_table[]", &format!("{id}_small_table"));
    source.rename_language(&format!("{id}_grammar"));
    let file = out.join(format!("{id}.c"));
    fs::write(&file, source.text).expect("the output folder can be written");
    cc::Build::new().std("c11").warnings(false).include(folder).file(file).compile(&format!("{id}_grammar"));
    let compressed = [&large, &small].map(|table| lz4_flex::block::compress(table));
    let n_large = u32::try_from(compressed[0].len()).expect("tables are small").to_le_bytes();
    let packed = [&n_large[..], &compressed[0], &compressed[1]].concat();
    fs::write(out.join(format!("{id}.lz4")), packed).expect("the output folder can be written");
    TableSizes { large: large.len(), small: small.len() }
}

/// The text of a `parser.c`, as tree-sitter generates it.
struct Source {
    text: String,
    /// The numbers of symbols, and of what is defined.
    names: HashMap<String, usize>,
}

impl Source {
    fn new(text: String) -> Self {
        let mut names = HashMap::from([("ts_builtin_sym_end".to_owned(), 0)]);
        let (before, symbols) = text.split_once("\nenum ").expect("symbols are listed");
        let symbols = symbols.split("};").next().unwrap_or_default();
        for line in symbols.lines() {
            if let Some((name, number)) = line.trim().trim_end_matches(',').split_once(" = ") {
                names.insert(name.to_owned(), number.parse().expect("symbols have numbers"));
            }
        }
        for line in before.lines() {
            let mut words = line.split_whitespace();
            if let (Some("#define"), Some(name), Some(Ok(number))) =
                (words.next(), words.next(), words.next().map(str::parse))
            {
                names.insert(name.to_owned(), number);
            }
        }
        Self { text, names }
    }

    /// Replaces a table by uninitialised memory called `symbol`; returns what it holds.
    fn take_table(&mut self, declaration: &str, symbol: &str) -> Vec<u8> {
        let head = format!("static const uint16_t {declaration} = {{");
        let start = self.text.find(&head).expect("the parser has the table");
        let body = start + head.len();
        let end = body + self.text[body..].find("\n};").expect("the table ends");
        let is_large = declaration.contains("SYMBOL_COUNT");
        let columns = if is_large { self.names["SYMBOL_COUNT"] } else { 1 };
        let mut numbers = self.numbers(&self.text[body..end], columns);
        if is_large {
            numbers.resize(self.names["LARGE_STATE_COUNT"] * columns, 0);
        }
        let own_name = declaration.split('[').next().unwrap_or_default();
        let dimensions = if is_large {
            "[LARGE_STATE_COUNT][SYMBOL_COUNT]".to_owned()
        } else {
            format!("[{}]", numbers.len())
        };
        let empty = format!("uint16_t {symbol}{dimensions};\n#define {own_name} {symbol}\n");
        self.text.replace_range(start..end + "\n};".len(), &empty);
        let is_big = env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big");
        let bytes = |number: u16| if is_big { number.to_be_bytes() } else { number.to_le_bytes() };
        numbers.into_iter().flat_map(bytes).collect()
    }

    /// Evaluates an initialiser: values in order, and `[index] =` before those that stand elsewhere. A row in braces begins
    /// at its index times `columns`.
    fn numbers(&self, initialiser: &str, columns: usize) -> Vec<u16> {
        let mut numbers = Vec::new();
        let (mut row, mut at) = (0, 0);
        let mut rest = initialiser.trim_start();
        while let Some(first) = rest.chars().next() {
            if first == '[' {
                let (index, after) = rest[1..].split_once("] =").expect("an index is followed by a value");
                at = row + self.number(index);
                rest = after.trim_start();
                if let Some(inside) = rest.strip_prefix('{') {
                    row = at * columns;
                    at = row;
                    rest = inside.trim_start();
                }
                continue;
            }
            if let Some(after) = rest.strip_prefix('}') {
                row = 0;
                rest = after.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
                continue;
            }
            let end = rest.find([',', '\n']).unwrap_or(rest.len());
            if numbers.len() <= at {
                numbers.resize(at + 1, 0);
            }
            numbers[at] =
                u16::try_from(self.number(rest[..end].trim())).expect("tables hold numbers of 16 bits");
            at += 1;
            rest = rest[end..].trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        }
        numbers
    }

    fn number(&self, value: &str) -> usize {
        let inner = |name: &str| value.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(state) = inner("SMALL_STATE") {
            return self.number(state) - self.names["LARGE_STATE_COUNT"];
        }
        let value = inner("ACTIONS").or_else(|| inner("STATE")).unwrap_or(value);
        value
            .parse()
            .ok()
            .or_else(|| self.names.get(value).copied())
            .unwrap_or_else(|| panic!("no number: {value:?}"))
    }

    /// Gives the function that returns the language another name, so that it is not the one of the grammar's own crate.
    fn rename_language(&mut self, name: &str) {
        let parameters = self.text.find("(void) {").expect("a function returns the language");
        let start = self.text[..parameters].rfind("tree_sitter_").expect("it is called after the language");
        self.text.replace_range(start..parameters, name);
    }
}
