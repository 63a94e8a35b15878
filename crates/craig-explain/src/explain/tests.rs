use craig_source::Language;
use expect_test::{Expect, expect};

use super::*;
use crate::judge::JudgeModel;

/// Explains `start` of a file with a model that finds every place as likely.
fn check(documented: f32, mentioned: f32, text: &str, expected: &Expect) {
    let model = JudgeModel { run: Vec::new(), documented, mentioned, bias: 0.0, trees: Vec::new() };
    let library = Library::of_texts(vec![("README.md".into(), text.into())]);
    let code = "export function start (options) {\n  return options\n}\n";
    let context = CodeContext::read("src/start.js", Language::JavaScript, code, Some((1, 1)));
    let told = explain_with(&Judge::new(&model).unwrap(), &library, &context);
    expected.assert_eq(&format!("{:?} {}\n{}", told.kind, told.citations.len(), told.explanation));
}

const PAGE: &str = "\
# Engine

Call `start` before all else. Nothing works before.

## start(options)

Opens all ports. Waits for callers.

## Ports

They are opened by `start` one after the other.
";

#[test]
fn what_documents_comes_before_what_mentions() {
    check(
        0.5,
        0.5,
        PAGE,
        &expect![[r#"
            Some(Documented) 3
            - Opens all ports.
            - Waits for callers.
            - Mentioned in README.md: Call `start` before all else.
            - Mentioned in README.md: They are opened by `start` one after the other."#]],
    );
}

#[test]
fn a_name_of_which_the_model_is_less_sure_is_a_mention() {
    let expected = expect![[r#"
        Some(Mentioned) 1
        - Mentioned in README.md: Opens all ports.
        - Mentioned in README.md: Waits for callers."#]];
    check(0.9, 0.5, "# start(options)\n\nOpens all ports. Waits for callers.\n", &expected);
    check(0.9, 0.9, PAGE, &expect![["None 0\nNot documented."]]);
}

#[test]
fn what_is_left_out_leaves_its_sections_out() {
    let model = JudgeModel { run: Vec::new(), documented: 0.5, mentioned: 0.5, bias: 0.0, trees: Vec::new() };
    let library = Library::of_texts(vec![("README.md".into(), PAGE.into())]);
    let context = CodeContext::read("a.js", Language::JavaScript, "function start () {}\n", None);
    let mut told = explain_with(&Judge::new(&model).unwrap(), &library, &context);
    told.truncate(1);
    assert_eq!((told.explanation.as_str(), told.citations.len()), ("- Opens all ports.", 1));
    assert_eq!(told.kind, Some(Kind::Documented));
}
