//! Tests by folder: files that tests import, that have a test at the mirrored path, or tests inside.

use std::collections::HashSet;

use craig_source::Language;
use craig_text::path::{file_stem, folder, name};
use craig_text::{compact, is_test};
use serde::{Deserialize, Serialize};

use super::Measured;
use crate::modules::{Modules, shown};

/// Most modules reported.
const MOST_MODULES: usize = 40;

/// A folder with its tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleTests {
    /// Folder; `.` for the top.
    pub module: String,
    /// Code files that are not tests.
    pub files: usize,
    /// Number of these that a test imports, with a test at the mirrored path, or with tests inside.
    pub tested_files: usize,
    /// Lines of these.
    pub lines: u64,
    /// Files that are tests.
    pub test_files: usize,
    /// Lines of tests, with those inside of Rust files.
    pub test_lines: u64,
}

pub(super) fn modules(measured: &[Measured], used_by_tests: &HashSet<&str>) -> Vec<ModuleTests> {
    let paths: Vec<Option<&str>> = measured.iter().map(|file| Some(file.path.as_str())).collect();
    let modules = Modules::from_paths(&paths, MOST_MODULES);
    let mirrors: HashSet<Mirror> = measured.iter().filter(|file| file.is_test).flat_map(mirrors).collect();
    let is_tested = |file: &Measured| {
        file.has_tests_inside
            || used_by_tests.contains(file.path.as_str())
            || mirrored(file).any(|mirror| mirrors.contains(&mirror))
    };
    let mut found: Vec<ModuleTests> = modules
        .paths
        .iter()
        .map(|path| ModuleTests {
            module: shown(path).to_owned(),
            files: 0,
            tested_files: 0,
            lines: 0,
            test_files: 0,
            test_lines: 0,
        })
        .collect();
    for (file, module) in measured.iter().zip(&modules.of_file) {
        let Some(module) = module.map(|module| &mut found[module]) else { continue };
        module.test_lines += file.test_lines();
        if file.is_test {
            module.test_files += 1;
        } else {
            module.files += 1;
            module.lines += u64::from(file.lines);
            module.tested_files += usize::from(is_tested(file));
        }
    }
    found
}

/// Where a file is whose test is called after it.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    /// In the folder of the test.
    Folder(String),
    /// In the folder around that of the tests, or in one of sources there, such as `src`.
    Above(String),
    /// In a folder of that name, as the test is below a folder of tests.
    Named(String),
}

/// What a test is called after.
#[derive(PartialEq, Eq, Hash)]
struct Mirror {
    language: Language,
    place: Place,
    stem: String,
}

/// `cart` in `shop` for `shop/cart.test.ts`, `shop/tests/test_cart.py` and `test/shop/CartTest.java`.
fn mirrors(test: &Measured) -> Vec<Mirror> {
    if !is_test(name(&test.path)) {
        return Vec::new();
    }
    let is_of_tests = |folder: &&str| is_test(&format!("{folder}/_"));
    let folders: Vec<&str> = folder(&test.path).split('/').collect();
    let bare = folders.iter().map(|folder| match is_of_tests(folder) {
        true => unmarked(folder).last().unwrap_or_default(),
        false => compact(folder),
    });
    let mut bare = bare;
    let place = match folders.iter().rev().position(is_of_tests) {
        None => Place::Folder(joined(bare)),
        Some(0) => Place::Above(joined(bare)),
        Some(_) => Place::Named(bare.next_back().unwrap_or_default()),
    };
    let stem = name(&test.path).split('.').next().unwrap_or_default();
    let subjects = unmarked(stem).chain([compact(stem)]).filter(|subject| !subject.is_empty());
    subjects.map(|stem| Mirror { language: test.language, place: place.clone(), stem }).collect()
}

/// A name without the word that marks a test at its beginning or end.
fn unmarked(name: &str) -> impl Iterator<Item = String> {
    let name = name.trim_matches('_');
    let lower = name.to_ascii_lowercase();
    let is_mark = |c: char| matches!(c, '_' | '-');
    let ends = ["testcase", "tests", "test", "specs", "spec"];
    let without_end = ends.iter().find_map(|end| {
        let (rest, word) = name.split_at(lower.strip_suffix(end)?.len());
        (rest.is_empty() || rest.ends_with(is_mark) || word.starts_with(char::is_uppercase)).then_some(rest)
    });
    let rest = lower.strip_prefix("test").map(|rest| &name[name.len() - rest.len()..]);
    let without_start = rest.filter(|rest| rest.starts_with(|c| is_mark(c) || char::is_uppercase(c)));
    [without_start, without_end].into_iter().flatten().map(compact).collect::<Vec<_>>().into_iter()
}

/// The tests that may be called after a file.
fn mirrored(file: &Measured) -> impl Iterator<Item = Mirror> {
    let folders: Vec<String> = folder(&file.path).split('/').map(compact).collect();
    let without = |left_out: usize| {
        let kept = folders.iter().enumerate().filter(|(at, _)| *at != left_out);
        Place::Above(joined(kept.map(|(_, folder)| folder.clone())))
    };
    let whole = joined(folders.iter().cloned());
    let named = Place::Named(folders.last().cloned().unwrap_or_default());
    let mut places = vec![Place::Folder(whole.clone()), Place::Above(whole), named];
    places.extend((0..folders.len()).map(without));
    let (language, stem) = (file.language, compact(file_stem(&file.path)));
    places.into_iter().map(move |place| Mirror { language, place, stem: stem.clone() })
}

fn joined(folders: impl Iterator<Item = String>) -> String {
    folders.filter(|folder| !folder.is_empty()).collect::<Vec<_>>().join("/")
}
