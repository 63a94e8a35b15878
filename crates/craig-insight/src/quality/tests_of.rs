//! Tests by folder: by names of files, and by tests inside the code.

use std::collections::HashSet;

use craig_text::compact;
use craig_text::path::{file_stem, name};
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
    /// Number of these with a test file of a matching name, or with tests inside.
    pub tested_files: usize,
    /// Lines of these files.
    pub lines: u64,
    /// Files that are tests.
    pub test_files: usize,
    /// Lines of tests.
    pub test_lines: u64,
}

pub(super) fn modules(measured: &[Measured]) -> Vec<ModuleTests> {
    let paths: Vec<Option<&str>> = measured.iter().map(|file| Some(file.path.as_str())).collect();
    let modules = Modules::from_paths(&paths, MOST_MODULES);
    let tested: HashSet<String> =
        measured.iter().filter(|file| file.is_test).map(|file| subject(&file.path)).collect();
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
        if file.is_test {
            module.test_files += 1;
            module.test_lines += u64::from(file.lines);
        } else {
            module.files += 1;
            module.lines += u64::from(file.lines);
            let own = compact(file_stem(&file.path));
            module.tested_files += usize::from(file.has_tests_inside || tested.contains(&own));
        }
    }
    found
}

/// The subject in the name of a test: `cart` of `cart.test.ts`, `test_cart.py`, `CartTest.java`.
fn subject(path: &str) -> String {
    let name = compact(name(path).split('.').next().unwrap_or_default());
    let bare = name.strip_prefix("test").unwrap_or(&name);
    ["testcase", "tests", "test", "spec"]
        .iter()
        .find_map(|end| bare.strip_suffix(end))
        .unwrap_or(bare)
        .to_owned()
}
