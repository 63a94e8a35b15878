use std::fs;
use std::path::Path;

use super::*;

/// A project, and the data folder of its user.
struct Project(tempfile::TempDir, tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        files.iter().for_each(|(path, text)| project.write(path, text));
        project
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn index(&self) -> (Index, IndexReport) {
        let root = Root::open(self.path()).unwrap();
        let mut index = Index::open(root, DocumentOptions::default(), Some(self.1.path()));
        let report = index.refresh().unwrap();
        (index, report)
    }
}

fn vectors(index: &Index) -> Vec<Vec<Vec<craig_model::Quantized>>> {
    index.library().documents().iter().map(|document| document.vectors.clone()).collect()
}

#[test]
fn an_index_is_kept_and_brought_up_to_date() {
    let project = Project::new(&[("README.md", "# One\ntext\n"), ("docs/a.md", "# Two\n## Three\n")]);
    // What is stored of it is not what is in the file.
    project.write("docs/key.md", "# Key\nSECRET_KEY = \"f83hf9a8h2f98ahsdf98h2f\"\n");
    let (first, report) = project.index();
    assert!(first.library().documents()[2].page.text.contains("***"));
    assert_eq!((report.files, report.sections, report.indexed, report.removed), (3, 4, 3, 0));
    assert!(project.path().join(".aidocs/docs.db").exists() && report.notices.is_empty());

    let (again, report) = project.index();
    assert_eq!((report.indexed, report.removed), (0, 0));
    assert_eq!(vectors(&again), vectors(&first));

    project.write("docs/a.md", "# Two\n");
    fs::remove_file(project.path().join("README.md")).unwrap();
    let (_, report) = project.index();
    assert_eq!((report.files, report.sections, report.indexed, report.removed), (2, 2, 1, 1));
}

#[test]
fn trouble_with_a_document_leaves_the_others() {
    let project = Project::new(&[("docs/good.md", "# Good\n")]);
    project.write("docs/binary.md", [0u8, 159, 146, 150, 0, 0, 1, 2].repeat(100));
    project.write("docs/big.md", "x".repeat(5_000_000));
    project.write("docs/latin.md", b"# caf\xe9\n");
    let (_, report) = project.index();
    assert_eq!(report.files, 2, "{report:?}");
    let skipped: Vec<_> = report.skipped.iter().map(|one| (one.path.as_str(), one.reason.as_str())).collect();
    assert_eq!(skipped.len(), 2, "{skipped:?}");
    assert!(skipped[0].0 == "docs/big.md" && skipped[0].1.contains("bytes"));
    assert_eq!(skipped[1], ("docs/binary.md", "it is not text"));
}

#[test]
fn a_damaged_database_is_rebuilt_and_reported_once() {
    let project = Project::new(&[("README.md", "# One\n")]);
    drop(project.index());
    fs::write(project.path().join(".aidocs/docs.db"), "nonsense ".repeat(1_000)).unwrap();
    let (mut index, report) = project.index();
    assert_eq!((report.files, report.indexed, report.notices.len()), (1, 1, 1), "{report:?}");
    assert!(report.notices[0].contains("made anew"));
    assert!(index.refresh().unwrap().notices.is_empty());
    assert_eq!(project.index().1.indexed, 0);
}

#[test]
fn where_nothing_can_be_written_the_documentation_is_in_memory() {
    let project = Project::new(&[("README.md", "# One\n"), (".aidocs", "a file where the folder should be")]);
    let (index, report) = project.index();
    assert_eq!((report.files, report.notices.len()), (1, 1), "{report:?}");
    assert!(report.notices[0].contains("in memory"));
    assert_eq!(index.library().n_sections(), 1);
}

#[test]
fn a_folder_without_documentation_is_an_empty_library() {
    let (index, report) = Project::new(&[("src/a.js", "x")]).index();
    assert_eq!((report.files, index.library().n_sections()), (0, 0));
}
