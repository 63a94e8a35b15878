//! Files of an index or texts of the database that are not what was written: answered rightly, or not at all.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use craig_engine::{Config, EngineError, Examination, GrepRequest, Hit, Progress, SearchRequest};
use expect_test::{Expect, expect};

use crate::workshop::{Workshop, open};

const FILES: &[(&str, &str)] = &[
    (
        "src/token.rs",
        "/// Takes a token back.\npub fn revoke(token: &Token) {\n    store.remove(token);\n}\n",
    ),
    ("src/shapes.rs", "pub fn area(circle: &Circle) -> f64 {\n    PI * circle.radius * circle.radius\n}\n"),
    ("docs/guide.md", "# Guide\n\nHow a token is revoked, and what a circle is.\n"),
];

const QUERY: &str = "how is a token revoked";

impl Workshop {
    /// Hits of the query, and what was said beside them.
    fn asked(&self) -> (Vec<Hit>, Vec<String>) {
        let answer = self.engine.search("tree", QUERY, &SearchRequest::default()).unwrap();
        (answer.hits, answer.notes)
    }

    /// Number of lines with a text.
    fn n_lines(&self, text: &str) -> u64 {
        self.engine.grep("tree", text, &GrepRequest::default()).unwrap().total_lines
    }

    fn reopen(&mut self) {
        self.engine = open(&self.database());
    }

    /// The only segment of the index.
    fn segment(&self) -> PathBuf {
        let entries = fs::read_dir(self.index_folder()).unwrap().map(|entry| entry.unwrap().path());
        entries.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "seg")).unwrap()
    }

    /// Flips a bit of the segment, wherever it is mapped.
    fn flip(&self, at: u64) {
        let file = OpenOptions::new().read(true).write(true).open(self.segment()).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
    }

    fn examined(&self, examine: Examine) -> String {
        let config = Config { threads: 2, ..Config::new(self.database()) };
        let found = examine(&config, &mut |_| ()).unwrap();
        let mut text = format!("sound: {}\n", found.is_sound);
        for finding in found.findings.iter().filter(|finding| finding.is_damage) {
            let state = if finding.is_repaired { "repaired" } else { "damaged" };
            let place = finding.path.as_deref().unwrap_or_default();
            text += &format!("{state} {:?} {place}: {}; {}\n", finding.part, finding.problem, finding.remedy);
        }
        text.replace(&*self.database().to_string_lossy(), "DATABASE")
    }

    fn check_examination(&self, expect: Expect) {
        expect.assert_eq(&self.examined(Examination::examine));
    }

    fn check_repair(&self, expect: Expect) {
        expect.assert_eq(&self.examined(Examination::repair));
    }
}

type Examine = fn(&Config, &mut dyn FnMut(&Progress)) -> Result<Examination, EngineError>;

#[test]
fn every_part_of_a_segment_is_verified_and_made_anew_from_the_database() {
    let mut workshop = Workshop::with_files(FILES);
    let (right, _) = workshop.asked();
    let n_bytes = fs::metadata(workshop.segment()).unwrap().len();
    let mut n_notes = 0;
    for step in 0..48 {
        workshop.flip(step * (n_bytes - 1) / 47);
        workshop.reopen();
        assert_eq!(workshop.n_lines("circle"), 3, "bit flipped in {step}/47");
        let (hits, notes) = workshop.asked();
        assert_eq!(hits, right, "bit flipped in {step}/47");
        n_notes += notes.len();
        let (hits, notes) = workshop.asked();
        assert_eq!((hits, notes.len()), (right.clone(), 0), "reported once");
        workshop.check_examination_is_sound_or_repair();
    }
    assert!(n_notes > 10, "most of a segment is read by a search: {n_notes}");
}

impl Workshop {
    /// What no search has read, an examination does.
    fn check_examination_is_sound_or_repair(&self) {
        let found = self.examined(Examination::examine);
        assert_eq!(found.starts_with("sound: true"), self.examined(Examination::repair) == "sound: true\n");
        assert_eq!(self.examined(Examination::examine), "sound: true\n");
    }
}

#[test]
fn an_index_that_is_damaged_while_it_is_open_is_made_anew() {
    // Its engine has the index open, and has read none of it yet but what it is opened by.
    let workshop = Workshop::with_files(FILES);
    let right = workshop.another_engine().search("tree", QUERY, &SearchRequest::default()).unwrap().hits;
    let n_bytes = fs::metadata(workshop.segment()).unwrap().len();
    (n_bytes / 4..n_bytes - 16).for_each(|at| workshop.flip(at));
    // Of several that meet the damage at once, one rebuilds the index, and its answer says so.
    let answers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| workshop.asked())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|(hits, _)| *hits == right), "{answers:?}");
    let notes: Vec<String> = answers.into_iter().flat_map(|(_, notes)| notes).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("was damaged") && notes[0].contains("was rebuilt"), "{notes:?}");
}

#[test]
fn a_manifest_that_is_not_what_was_written_is_made_anew() {
    let mut workshop = Workshop::with_files(FILES);
    let (right, _) = workshop.asked();
    let path = workshop.index_folder().join("manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let outside = workshop.database().with_file_name("000000.seg");
    fs::copy(workshop.segment(), &outside).unwrap();
    for damaged in [
        manifest.replace("\"removed\":[]", "\"removed\":[0]"),
        manifest.replace(".seg", ".sog"),
        manifest.replace("\"file\":\"", "\"file\":\"../../"),
        manifest[..manifest.len() / 2].to_owned(),
        String::new(),
        "[]".to_owned(),
    ] {
        assert_ne!(damaged, manifest);
        fs::write(&path, &damaged).unwrap();
        workshop.reopen();
        let (hits, notes) = workshop.asked();
        assert_eq!(hits, right, "{damaged}");
        assert_eq!(notes.len(), 1, "{damaged}");
    }
}

#[test]
fn a_segment_of_another_project_is_not_taken_for_this_ones() {
    let mut workshop = Workshop::with_files(FILES);
    let other = Workshop::with_files(&[("src/other.rs", "/// Revokes a token.\nfn revoke_token() {}\n")]);
    let (right, _) = workshop.asked();
    fs::copy(other.segment(), workshop.segment()).unwrap();
    workshop.reopen();
    let (hits, notes) = workshop.asked();
    assert_eq!((hits, notes.len()), (right, 1));
}

#[test]
fn a_text_that_is_not_what_was_stored_is_an_error_until_it_is_repaired() {
    let mut workshop = Workshop::with_files(FILES);
    let (right, _) = workshop.asked();
    workshop.damage_database(b"Takes", b"Gives");
    let failed = workshop.engine.search("tree", QUERY, &SearchRequest::default()).unwrap_err();
    expect![[r#"the stored text of "src/token.rs" is damaged"#]].assert_eq(&failed.to_string());
    expect!["run 'craig doctor --repair', which rereads the file from its source"]
        .assert_eq(&failed.hint().unwrap());
    let failed = workshop.engine.file("tree", "src/token.rs").unwrap_err();
    expect![[r#"the stored text of "src/token.rs" is damaged"#]].assert_eq(&failed.to_string());
    let found = workshop.engine.definitions("tree", "revoke", 5).unwrap_err();
    expect![[r#"the stored text of "src/token.rs" is damaged"#]].assert_eq(&found.to_string());
    assert!(workshop.engine.file("tree", "src/shapes.rs").is_ok(), "others are as they were");
    workshop.check_examination(expect![[r#"
        sound: false
        damaged File src/token.rs: its text is damaged; run 'craig doctor --repair', which rereads the file from its source
    "#]]);
    workshop.check_repair(expect![[r#"
        sound: true
        repaired File src/token.rs: its text is damaged; it was reread from its source
    "#]]);
    workshop.check_examination(expect![[r#"
        sound: true
    "#]]);
    workshop.reopen();
    assert_eq!(workshop.asked().0, right);
}

#[test]
fn an_index_is_not_made_of_damaged_texts() {
    let mut workshop = Workshop::with_files(FILES);
    workshop.damage_database(b"Takes", b"Gives");
    fs::remove_dir_all(workshop.index_folder()).unwrap();
    workshop.reopen();
    let failed = workshop.engine.search("tree", QUERY, &SearchRequest::default()).unwrap_err();
    expect![[r#"the stored text of "src/token.rs" is damaged"#]].assert_eq(&failed.to_string());
}

#[test]
fn what_is_not_cut_into_chunks_is_verified_as_well() {
    let long_line = "x".repeat(15_000) + " = 1;\n";
    let mut workshop = Workshop::with_files(&[("a.rs", "fn alpha() {}\n"), ("dist.min.js", &long_line)]);
    workshop.damage_database(b" = 1;", b" = 2;");
    workshop.check_examination(expect![[r#"
        sound: false
        damaged File dist.min.js: its text is damaged; run 'craig doctor --repair', which rereads the file from its source
    "#]]);
}

#[test]
fn a_database_that_cannot_be_repaired_is_set_aside_and_nothing_else_is() {
    let mut workshop = Workshop::with_files(FILES);
    let (right, _) = workshop.asked();
    let elsewhere = workshop.database().with_file_name("letter.txt");
    workshop.engine = open(&workshop.database().with_file_name("other.db"));
    let mut bytes = fs::read(workshop.database()).unwrap();
    bytes[..16].fill(0xa5);
    fs::write(workshop.database(), &bytes).unwrap();
    workshop.check_repair(expect![[r#"
        sound: false
        damaged Database : file is not a database; it was set aside as DATABASE.damaged-1; ingest its projects again: sources were not touched
    "#]]);
    assert_eq!(fs::read(workshop.database().with_file_name("craig.db.damaged-1")).unwrap(), bytes);
    workshop.reopen();
    workshop.ingest();
    assert_eq!(workshop.asked().0, right);

    fs::write(&elsewhere, "a letter, and no database").unwrap();
    let found = Examination::repair(&Config::new(elsewhere.as_path()), &mut |_| ()).unwrap();
    assert_eq!(found.findings[0].remedy, "it does not look like a Craig database: check --db");
    assert!(elsewhere.exists());
}
