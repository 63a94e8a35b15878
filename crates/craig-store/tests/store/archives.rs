//! Archives: what one store writes, another one takes in, or refuses.

use std::path::{Path, PathBuf};

use craig_store::{Archive, ArchiveError, ArchiveHeader, FileIdentity, Project, Store, TrackedFile};

use crate::fixture::{EMBEDDER, GUIDE, QUEUE, TestStore, bytes, file};

/// A store with a project of four files, and its archive.
struct Exported {
    fixture: TestStore,
    project: Project,
    archive: PathBuf,
}

impl Exported {
    fn new() -> Self {
        let mut fixture = TestStore::new();
        let project = fixture.project("jobs");
        let files = vec![
            file("GUIDE.md", GUIDE),
            file("src/queue.rs", QUEUE),
            bytes("logo.png", vec![0x89, 0, 1]),
            bytes(".env", b"TOKEN=hush\n".to_vec()),
        ];
        fixture.apply(&project, files, vec![]);
        let archive = fixture.folder.path().join("jobs.craig");
        let header = ArchiveHeader {
            made: "1".to_owned(),
            embedder: Some(EMBEDDER.to_owned()),
            project: "jobs".to_owned(),
            n_files: 4,
        };
        let out = std::fs::File::create(&archive).unwrap();
        fixture.store.export(project.id, &header, out, &mut |_| ()).unwrap();
        assert_eq!(*Archive::open(&archive).unwrap().header(), header);
        Self { fixture, project, archive }
    }

    fn tracked(&self) -> Vec<TrackedFile> {
        self.fixture.store.tracked_files(self.project.id).unwrap()
    }

    /// Imports the archive with changed bytes and the hash that matches them.
    fn import_forged(&self, into: &mut Store, change: impl FnOnce(&mut Vec<u8>)) -> Result<(), ArchiveError> {
        let mut forged = std::fs::read(&self.archive).unwrap();
        forged.truncate(forged.len() - 32);
        change(&mut forged);
        let hash = blake3::hash(&forged);
        forged.extend_from_slice(hash.as_bytes());
        let path = self.archive.with_extension("forged");
        std::fs::write(&path, forged).unwrap();
        let imported = import(into, &path);
        into.drop_unused_files().unwrap();
        imported
    }
}

fn import(store: &mut Store, archive: &Path) -> Result<(), ArchiveError> {
    store.import(Archive::open(archive)?, &mut |_| ())
}

#[test]
fn a_store_that_imports_has_what_the_other_one_read() {
    let exported = Exported::new();
    let mut other = TestStore::new();
    let project = other.project("jobs");
    import(&mut other.store, &exported.archive).unwrap();
    let tracked = exported.tracked();
    let identities: Vec<FileIdentity> =
        tracked.iter().map(|file| FileIdentity::new("1", &file.path, file.hash)).collect();
    let found = other.store.find_files(&identities).unwrap();
    let shared =
        tracked.iter().zip(&found).map(|(file, found)| TrackedFile { id: found.unwrap().0, ..file.clone() });
    other.share(&project, shared.collect());
    assert_eq!(other.outline(&project), exported.fixture.outline(&exported.project));
    for path in ["GUIDE.md", "src/queue.rs"] {
        let load = |fixture: &TestStore, project: &Project| {
            let id = fixture.file_id(project, path);
            let file = fixture.store.load_files(project.id, &[id], EMBEDDER).unwrap().remove(0);
            let named = fixture.store.load_names(project.id, &[id]).unwrap().remove(0).unpacked().unwrap();
            (file.text, file.chunks, file.symbols, file.imports, named.names, named.references)
        };
        assert_eq!(load(&other, &project), load(&exported.fixture, &exported.project));
    }
    assert_eq!(other.store.damaged_files(project.id, &mut |_| ()).unwrap(), []);
}

#[test]
fn imported_files_that_no_project_takes_are_dropped() {
    let exported = Exported::new();
    let mut other = TestStore::new();
    import(&mut other.store, &exported.archive).unwrap();
    other.store.drop_unused_files().unwrap();
    let file = exported.tracked().remove(0);
    let identity = FileIdentity::new("1", &file.path, file.hash);
    assert_eq!(other.store.find_files(&[identity]).unwrap(), [None]);
}

#[test]
fn archives_that_are_cut_off_altered_or_something_else_are_refused() {
    let exported = Exported::new();
    let whole = std::fs::read(&exported.archive).unwrap();
    let path = exported.archive.with_extension("damaged");
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Archive::open(&path).err().unwrap().to_string()
    };
    assert_eq!(refused(b"SQLite format 3\0"), "the archive cannot be used: it is no archive of an index");
    assert_eq!(refused(b""), "the archive cannot be used: it is no archive of an index");
    assert_eq!(refused(&whole[..20]), "the archive cannot be used: it is cut off");
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    for bytes in [&altered[..], &whole[..whole.len() - 1], &[&whole[..], b"x"].concat()] {
        assert_eq!(refused(bytes), "the archive cannot be used: its bytes do not match its hash");
    }
}

#[test]
fn forged_archives_are_refused() {
    let exported = Exported::new();
    let mut other = TestStore::new();
    let mut refused =
        |change: fn(&mut Vec<u8>)| exported.import_forged(&mut other.store, change).unwrap_err().to_string();
    assert_eq!(
        refused(|bytes| bytes[8] = 9),
        "the archive has format 9, but this version of craig reads format 1"
    );
    assert_eq!(
        refused(|bytes| bytes.truncate(bytes.len() - 40)),
        "the archive cannot be used: it is cut off"
    );
    assert_eq!(refused(|bytes| bytes.push(0)), "the archive cannot be used: it has more than its files");
    let odd = "the archive cannot be used: a file in it is not what an export writes";
    assert_eq!(refused(|bytes| bytes[9..13].fill(0xff)), odd, "a frame of four gigabytes");
    // Whatever is altered, the import ends.
    let n_bytes = std::fs::metadata(&exported.archive).unwrap().len() as usize - 32;
    let mut is_refused =
        |at: usize| exported.import_forged(&mut other.store, |bytes| bytes[at] ^= 0x15).is_err();
    let n_refused = (13..n_bytes).filter(|&at| is_refused(at)).count();
    assert!(n_refused > n_bytes / 2, "{n_refused} of {n_bytes}");
}
