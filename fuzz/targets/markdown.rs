//! Any Markdown as a project's documentation: an explanation quotes it to the letter, or says that there is none.
#![no_main]

use craig_explain::{CodeContext, Library, explain};
use craig_source::Language;
use libfuzzer_sys::fuzz_target;

const CODE: &str = "export class Client {\n  connect(url) {\n    return parse(url);\n  }\n}\n";

fuzz_target!(|text: &str| {
    let library = Library::of_texts(vec![("docs/page.md".to_owned(), text.to_owned())]);
    for line in [1, 2, 3] {
        let context = CodeContext::read("src/client.js", Language::JavaScript, CODE, Some((line, line)));
        let explanation = explain(&library, &context);
        explanation.markdown(&|path| Some(format!("file:///{path}")));
        explanation.hover(&|_| None);
    }
});
