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

/// The features of the section at a line for the definition at a line of the code.
fn features(code_line: usize, section_line: u32) -> (SubjectFeatures, SectionFeatures) {
    let library = Library::of_texts(vec![("README.md".into(), DOCS.into())]);
    let context =
        CodeContext::read("lib/widget.js", Language::JavaScript, CODE, Some((code_line, code_line)));
    let evidence = evidence(&library, &context, &context.subjects()[0]);
    let found = evidence.candidates.iter().find(|one| library.heading(one.at).1 == section_line);
    (evidence.subject, found.expect("the section is a candidate").features)
}

#[test]
fn names_beside_the_subject_tell_whose_page_it_is() {
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
