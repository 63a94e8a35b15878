use craig_source::Language;

use super::*;

const CODE: &str = "\
export class Machine {
  start () {}
  stop () {}
  pause () {}
  resume () {}
  status () {}
}
class Drawer {
  start () {}
  open () {}
}
";

const DOCS: &str = "\
# widget
### <a name=\"start\"></a>.start(fast)
Starts it.
### .stop() and .pause()
Both end it.
### resume
Goes on.
## Drawers
* `open(wide)` Opens it.
";

/// The features of the section at a line of the only page, for the definition at a line of the code.
fn features_of(
    page: (&str, &str),
    (path, code): (&str, &str),
    code_line: usize,
    section_line: u32,
) -> (SubjectFeatures, SectionFeatures) {
    let library = Library::of_texts(vec![(page.0.into(), page.1.into())]);
    let context = CodeContext::read(path, Language::JavaScript, code, Some((code_line, code_line)));
    let evidence = evidence(&library, &context, &context.subjects()[0]);
    let found = evidence.candidates.iter().find(|one| library.heading(one.at).1 == section_line);
    (evidence.subject, found.expect("the section is a candidate").features)
}

fn features(code_line: usize, section_line: u32) -> (SubjectFeatures, SectionFeatures) {
    features_of(("README.md", DOCS), ("lib/widget.js", CODE), code_line, section_line)
}

#[test]
fn siblings_show_whose_page_it_is() {
    let (subject, start) = features(2, 2);
    assert_eq!((start.page_kin, start.heading_with_kin, subject.best_kin), (0.75, 0.75, 0.75));
    assert_eq!((start.heading_is_call, start.heading_is_member, start.callable_fits), (1.0, 1.0, 1.0));
    let (other, of_drawer) = features(9, 2);
    assert_eq!((of_drawer.page_kin, other.best_kin), (0.25, 0.25), "one of at least four");
}

#[test]
fn signatures_in_lists_are_definitions() {
    let (_, open) = features(10, 8);
    assert_eq!((open.defines, open.signatures, open.callable_fits), (1.0, 1.0, 1.0));
}

#[test]
fn both_names_of_a_heading_are_found() {
    let (_, stop) = features(3, 4);
    let (_, pause) = features(4, 4);
    assert_eq!((stop.heading_is_name, pause.heading_is_name), (1.0, 1.0));
}

#[test]
fn a_project_is_called_as_its_readme_says() {
    let of = |text: &str| Library::of_texts(vec![("README.md".into(), text.into())]);
    assert!(of("# Widget\n").is_project("WidgetFactory"));
    assert!(of("# The tool\n```js\nimport x from '@scope/widget'\n```\n").is_project("widget"));
    assert!(!of("# Widget\n").is_project("Client"));
}

const SCOPE: &str = "\
class Scope {
  done () {}
  persist () {}
  reply () {}
  clone () {}
}
class Socket {
  done () {}
  open () {}
}
";

const MOCKS: &str = "\
# mocks
## Expectations
Call `mock.done()` at the end.
## Repeating
```js
mock.persist()
mock.reply(200)
get('/').clone()
```
";

fn of_scope(code_line: usize, section_line: u32) -> (SubjectFeatures, SectionFeatures) {
    features_of(("docs/a.md", MOCKS), ("lib/scope.js", SCOPE), code_line, section_line)
}

#[test]
fn siblings_show_what_the_subject_is_called_with() {
    let (subject, done) = of_scope(2, 2);
    assert_eq!((subject.best_owner_kin, subject.kin_called, subject.foreign_share), (0.5, 0.75, 0.0));
    assert_eq!((done.owner_kin, done.foreign, done.use_share, done.use_fits), (0.5, 0.0, 1.0, 1.0));
    assert!(done.described > 0.0 && done.calls > 0.0 && done.is_first_on_page > 0.0);
    let (subject, done) = of_scope(8, 2);
    assert_eq!((subject.best_owner_kin, subject.foreign_share), (0.0, 1.0), "no kin of a socket is a mock's");
    assert!(done.foreign > 0.0);
}

#[test]
fn headings_describe_a_name_by_its_words() {
    let library = Library::of_texts(vec![(
        "docs/layouts.md".into(),
        "# Layouts\n## Basic\nTime and level.\n## Dummy\nNothing.\n".into(),
    )]);
    let code = "function basicLayout (event) {}\n";
    let context = CodeContext::read("lib/a.js", Language::JavaScript, code, Some((1, 1)));
    let evidence = evidence(&library, &context, &context.subjects()[0]);
    let features: Vec<_> = evidence
        .candidates
        .iter()
        .map(|one| (library.heading(one.at).1, one.features.heading_stems, one.features.stems_around))
        .collect();
    // The first and the last are there because there is nothing that is more like the code.
    assert_eq!(features, [(1, 0.5, 0.5), (2, 0.5, 1.0), (4, 0.0, 0.0)]);
}

const POPULATE: &str = "\
# App
## Request Config
Options of `get`.
# Client
## Class: Client
Sends. | `stop`
";

#[test]
fn what_is_named_like_the_project_is_found_without_its_name() {
    let code = "export interface AppRequestConfig {}\n";
    let (_, config) = features_of(("README.md", POPULATE), ("lib/app.ts", code), 1, 2);
    assert_eq!((config.heading_stems, config.heading_core_words), (1.0, 1.0));
}

#[test]
fn the_section_below_a_heading_without_text_describes_its_name() {
    let below =
        |line| features_of(("README.md", POPULATE), ("lib/a.js", "class Client {}\n"), 1, line).1.below_empty;
    assert_eq!((below(5), below(2)), (1.0, 0.0));
}

#[test]
fn who_is_about_changes_is_known_by_the_words_of_pages_and_headings() {
    let is_found = |title: &str| is_about_changes(&words_of(title));
    for title in [
        "Changelog",
        "migrating_to_6",
        "Migration from 1 to 2",
        "v2-UPGRADE-GUIDE",
        "Release notes",
        "history",
    ] {
        assert!(is_found(title), "{title}");
    }
    for title in
        ["Migration API", "resetHistory", "Listening to changes of state", "Releasing a lock", "migrations"]
    {
        assert!(!is_found(title), "{title}");
    }
}

#[test]
fn a_heading_in_a_history_is_no_heading_of_the_name() {
    let page = "# stop\n\nUse `stop()`.\n";
    let of = |path| features_of((path, page), ("lib/a.js", "export function stop () {}\n"), 1, 1).1;
    let (described, changed) = (of("docs/stop.md"), of("docs/migrating_to_2.md"));
    assert_eq!(
        (described.heading_is_name, described.heading_in_history, described.is_history),
        (1.0, 0.0, 0.0)
    );
    assert_eq!((changed.heading_is_name, changed.heading_in_history, changed.is_history), (0.0, 1.0, 1.0));
}

#[test]
fn cells_after_the_first_of_their_row_are_counted_apart() {
    let page = "# Coming from Other\n\n| Other | Here |\n|--|--|\n| `halt` | `stop` |\n| `go` | `start` |\n";
    let of = |name| {
        features_of(("docs/other.md", page), ("lib/a.js", &format!("function {name} () {{}}\n")), 1, 1).1
    };
    assert!(of("stop").other_cells > 0.0 && of("halt").other_cells == 0.0);
    assert_eq!(of("halt").rows, 2.0f32.ln_1p());
}
