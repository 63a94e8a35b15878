//! The properties of the documentation interpreter, each for at least a hundred random cases.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use craig_explain::{
    CacheKey, CodeContext, Explanation, INSTRUCTION, Index, Kind, Library, MAX_BULLETS, NOT_DOCUMENTED,
    Prompt, cache, explain, is_script_project,
};
use craig_model::StaticModel;
use craig_source::{ContentHash, DocumentOptions, Language, Root};
use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};

const NAMES: [&str; 6] =
    ["openSocket", "closeSocket", "retryLater", "parseHeader", "drainQueue", "signRequest"];

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

/// A section about a name: heading, prose, sometimes a list or a fence.
fn section() -> impl Strategy<Value = String> {
    (1usize..=6, name(), "[a-z]{3,8} [a-z]{3,8} [a-z]{3,8}", 0u8..4).prop_map(|(level, name, words, kind)| {
        let marks = "#".repeat(level);
        match kind {
            0 => format!("{marks} `{name}(options)`\n\nCalls `{name}` with {words}. It returns **nothing** at all.\n\n"),
            1 => format!("{marks} About {words}\n\n- `{name}`: does {words} for you.\n- another one of them\n\n"),
            2 => format!("{marks} {name}\n```js\n# not a heading\n{name}()\n```\n\nUse `{name}` to have {words} done.\n\n"),
            _ => format!("Title {words}\n---\nProse about {words} and {name}.\n\n"),
        }
    })
}

fn document() -> impl Strategy<Value = String> {
    (".{0,40}", prop::collection::vec(section(), 0..6))
        .prop_map(|(preamble, sections)| format!("{preamble}\n\n{}", sections.concat()))
}

/// The heading that a line is, as the generator makes them.
fn heading_of(line: &str) -> Option<&str> {
    let marks = line.len() - line.trim_start_matches('#').len();
    let marked = line[marks..].strip_prefix(' ').filter(|_| (1..=6).contains(&marks));
    let heading = marked.or_else(|| line.starts_with("Title ").then_some(line))?;
    let is_plain = heading.chars().all(|c| c.is_ascii_alphanumeric() || " `()".contains(c));
    (!heading.is_empty() && is_plain && heading != "not a heading").then_some(heading)
}

fn library(documents: &[String]) -> Library {
    let path = |at: usize| format!("docs/page{at}.md");
    Library::of_texts(documents.iter().enumerate().map(|(at, text)| (path(at), text.clone())).collect())
}

fn code(name: &str) -> String {
    format!(
        "import x from 'x'\nconst y = require('./y')\n\nexport function {name} (options) {{\n  return x(options, y)\n}}\n"
    )
}

fn context(name: &str) -> CodeContext {
    CodeContext::read("src/code.js", Language::JavaScript, &code(name), Some((4, 6)))
}

fn explained(documents: &[String], name: &str) -> Explanation {
    explain(&library(documents), &context(name))
}

/// A document that certainly documents `name`.
fn about(name: &str) -> String {
    format!(
        "# API\n\n## `{name}(options)`\n\nOpens the connection of `{name}` to the server. Fails when there is none.\n"
    )
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn paths(index: &Index) -> Vec<String> {
    index.library().documents().iter().map(|document| document.page.path.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    // Feature: ai-docs-interpreter, Property 1: activates only in JavaScript/Node projects (package.json or .js/.ts files)
    #[test]
    fn activates_in_script_projects_alone(files in prop::collection::vec("(src/)?[a-z]{1,4}\\.(js|ts|py|rs|md)|package\\.json", 0..5)) {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|file| write(folder.path(), file, "x"));
        let expected = files.iter().any(|f| f == "package.json" || f.ends_with(".js") || f.ends_with(".ts"));
        prop_assert_eq!(is_script_project(&Root::open(folder.path()).unwrap()).unwrap(), expected);
    }

    // Feature: ai-docs-interpreter, Property 2: finds README.md and what lies in docs
    // Feature: ai-docs-interpreter, Property 5: processes only documents of the kinds that are read
    // Feature: ai-docs-interpreter, Property 6: everything is kept under .aidocs/
    #[test]
    fn finds_the_documentation_and_keeps_it_in_its_folder(
        files in prop::collection::btree_set("(README|readme)\\.md|(docs/|docs/[a-z]{1,3}/|other/)[a-z]{1,4}\\.(md|txt|js|mdx)", 0..6)
    ) {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|file| write(folder.path(), file, "# Title\n"));
        let is_document = |file: &str| file.ends_with(".md") || file.ends_with(".mdx");
        let others: Vec<&String> = files.iter().filter(|file| file.starts_with("other/")).collect();
        let n_documents = others.iter().filter(|file| is_document(file)).count();
        // A folder that consists of documents is one of documentation, whatever it is called.
        let is_other_one = n_documents >= 3 && n_documents >= 2 * (others.len() - n_documents);
        let mut expected: Vec<String> = files
            .iter()
            .filter(|file| is_document(file) && (!file.starts_with("other/") || is_other_one))
            .cloned()
            .collect();
        expected.sort();
        let data_folder = tempfile::tempdir().unwrap();
        let open = || Index::open(Root::open(folder.path()).unwrap(), DocumentOptions::default(), Some(data_folder.path()));
        let mut index = open();
        index.refresh().unwrap();
        prop_assert_eq!(paths(&index), expected.clone());
        drop(index);
        // What is kept is enough to answer from: nothing is read again.
        prop_assert_eq!(paths(&open()), expected);
        let mut made: Vec<String> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        made.retain(|name| !files.iter().any(|file| file.split('/').next() == Some(name)));
        prop_assert_eq!(made, [".aidocs"]);
    }

    // Feature: ai-docs-interpreter, Property 3: one section per chunk, with its heading and content
    #[test]
    fn sections_partition_a_document(text in document(), noise in "\\PC{0,60}") {
        let text = format!("{text}{noise}");
        let library = library(std::slice::from_ref(&text));
        let page = &library.documents()[0].page;
        let whole: String = page.sections.iter().map(|s| &page.text[s.outline.bytes.clone()]).collect();
        prop_assert_eq!(&whole, &page.text);
        // Marks of dialects are rendered, line by line.
        prop_assert_eq!(whole.matches('\n').count(), text.matches('\n').count());
        for section in &page.sections {
            let inside = craig_chunk::document_sections(&page.text[section.outline.bytes.clone()]);
            prop_assert!(inside.iter().filter(|inner| inner.content_start > inner.bytes.start).count() <= 1);
        }
    }

    // Feature: ai-docs-interpreter, Property 3: against headings counted line by line
    #[test]
    fn every_heading_begins_a_section(sections in prop::collection::vec(section(), 1..6)) {
        let text = sections.concat();
        let library = library(std::slice::from_ref(&text));
        let headings: Vec<&str> =
            library.documents()[0].page.sections.iter().map(|section| section.outline.heading.as_str()).collect();
        let expected: Vec<&str> = text.lines().filter_map(heading_of).collect();
        prop_assert_eq!(headings, expected);
    }

    // Feature: ai-docs-interpreter, Property 4: metadata is complete
    #[test]
    fn metadata_is_complete(text in document()) {
        let library = library(&[text]);
        for document in library.documents() {
            for section in &document.page.sections {
                prop_assert_eq!(document.page.path.as_str(), "docs/page0.md");
                prop_assert!((1..=6).contains(&section.outline.level));
                let content = &document.page.text[section.outline.content_start..section.outline.bytes.end];
                prop_assert_eq!(section.n_words, craig_text::count_words(content));
                let before = &document.page.text[..section.outline.bytes.start];
                prop_assert_eq!(section.outline.line as usize, before.matches('\n').count() + 1);
            }
        }
    }

    // Feature: ai-docs-interpreter, Property 7: an embedding for every chunk
    #[test]
    fn every_section_has_an_embedding(text in document()) {
        let library = library(&[text]);
        let dimensions = StaticModel::builtin().query("x").as_slice().len();
        for document in library.documents() {
            prop_assert_eq!(document.vectors.len(), document.page.sections.len());
            for vectors in &document.vectors {
                prop_assert!(!vectors.is_empty() && vectors.iter().all(|vector| vector.codes.len() == dimensions));
            }
        }
    }

    // Feature: ai-docs-interpreter, Property 8: results in descending similarity
    #[test]
    fn results_fall(documents in prop::collection::vec(document(), 1..4), name in name()) {
        let (library, context) = (library(&documents), context(name));
        let relevances: Vec<f32> = explain(&library, &context).citations.iter().map(|c| c.relevance_score).collect();
        prop_assert!(relevances.is_sorted_by(|a, b| a >= b), "{:?}", relevances);
    }

    // Feature: ai-docs-interpreter, Property 9: selection, file name and imports are captured
    // Feature: ai-docs-interpreter, Property 10: the function or class name is extracted
    #[test]
    fn the_context_is_captured(name in "[a-z][a-zA-Z]{3,12}", kind in 0u8..6) {
        let defined = match kind {
            0 => format!("function {name} () {{\n}}\n"),
            1 => format!("class {name} {{\n}}\n"),
            2 => format!("const {name} = async (a) => {{\n}}\n"),
            3 => format!("Foo.prototype.{name} = function () {{\n}}\n"),
            4 => format!("module.exports.{name} = function () {{\n}}\n"),
            _ => format!("export default class {name} extends Base {{\n}}\n"),
        };
        let text = format!("import a from 'alpha'\nconst b = require('beta')\n{defined}");
        let context = CodeContext::read("lib/x.js", Language::JavaScript, &text, Some((3, 4)));
        prop_assert_eq!(context.selected_text.trim_end(), defined.trim_end());
        prop_assert_eq!(context.file_name.as_str(), "lib/x.js");
        prop_assert_eq!(&context.imports, &["alpha", "beta"]);
        prop_assert_eq!(context.symbol(), Some(name.as_str()));
        let found = if matches!(kind, 1 | 5) { context.class_name } else { context.function_name };
        prop_assert_eq!(found, Some(name));
    }

    // Feature: ai-docs-interpreter, Property 11: any selection size
    #[test]
    fn any_selection_is_handled(text in "(\\PC|\n){0,200}", first in 0usize..40, last in 0usize..400, language in 0u8..3) {
        let language = [Language::JavaScript, Language::TypeScript, Language::Text][usize::from(language)];
        let context = CodeContext::read("x.js", language, &text, Some((first, last)));
        prop_assert!(text.contains(&context.selected_text));
        prop_assert!(context.surrounding_context.contains(&context.selected_text));
        prop_assert!(context.lines.0 <= context.lines.1);
        explain(&library(&["# x\n".to_owned()]), &context);
    }

    // Feature: ai-docs-interpreter, Property 12: retrieved chunks are in the prompt
    // Feature: ai-docs-interpreter, Property 13: the system instruction is in every prompt
    #[test]
    fn prompts_hold_the_instruction_and_the_excerpts(documents in prop::collection::vec(document(), 0..3), name in name()) {
        let documents: Vec<String> = documents.into_iter().chain([about(name)]).collect();
        let extract = explained(&documents, name);
        let prompt = Prompt::new(&context(name), &extract);
        prop_assert!(prompt.system.contains(INSTRUCTION));
        prop_assert_eq!(prompt.excerpts.len(), extract.bullets.len());
        for bullet in &extract.bullets {
            let cited = &extract.citations[bullet.citation];
            prop_assert!(prompt.user.contains(&bullet.text) && prompt.user.contains(&cited.section_heading));
        }
    }

    // Feature: ai-docs-interpreter, Property 14: citations on every explanation
    #[test]
    fn every_explanation_is_cited_and_verbatim(documents in prop::collection::vec(document(), 0..4), name in name()) {
        let documents: Vec<String> = documents.into_iter().chain([about(name)]).collect();
        let explanation = explained(&documents, name);
        prop_assert!(explanation.has_relevant_docs);
        // The best section speaks first, and none is cited that is not quoted.
        let mut quoted: Vec<usize> = explanation.bullets.iter().map(|bullet| bullet.citation).collect();
        quoted.dedup();
        prop_assert_eq!(quoted, (0..explanation.citations.len()).collect::<Vec<_>>());
        prop_assert_eq!(explanation.citations[0].relevance_score, explanation.confidence);
        let library = library(&documents);
        for bullet in &explanation.bullets {
            let cited = &explanation.citations[bullet.citation];
            let page = &library.documents().iter().find(|d| d.page.path == cited.file_path).unwrap().page;
            prop_assert!(page.text.contains(&bullet.text));
            let section = page.sections.iter().find(|s| s.outline.line == cited.heading_line).unwrap();
            prop_assert!(page.text[section.outline.bytes.clone()].contains(&bullet.text));
        }
    }

    // Feature: ai-docs-interpreter, Property 15: a hover has two or three lines at most
    #[test]
    fn hovers_are_short(documents in prop::collection::vec(document(), 0..3), name in name()) {
        let is_short = |hover: String| (2..=3).contains(&hover.lines().count());
        prop_assert!(explained(&[about(name)], name).hover(&|_| None).is_some_and(is_short));
        // Where several sections are called like the name, none may be sure.
        let documents: Vec<String> = documents.into_iter().chain([about(name)]).collect();
        prop_assert!(explained(&documents, name).hover(&|_| None).is_none_or(is_short));
    }

    // Of two kinds, documented comes first; a hover shows no other.
    #[test]
    fn mentions_come_last_and_never_hover(documents in prop::collection::vec(document(), 0..4), name in name()) {
        let explanation = explained(&documents, name);
        let kinds: Vec<Kind> = explanation.bullets.iter().map(|bullet| bullet.kind).collect();
        prop_assert!(kinds.is_sorted());
        prop_assert_eq!(explanation.kind, kinds.first().copied());
        if explanation.kind != Some(Kind::Documented) {
            prop_assert_eq!(explanation.hover(&|_| None), None);
        }
    }

    // Feature: ai-docs-interpreter, Property 16: panel: bullets and citations
    // Feature: ai-docs-interpreter, Property 17: Markdown is preserved
    #[test]
    fn the_panel_has_bullets_with_citations_and_markdown(documents in prop::collection::vec(document(), 0..3), name in name()) {
        let documents: Vec<String> = documents.into_iter().chain([about(name)]).collect();
        let explanation = explained(&documents, name);
        prop_assert!(explanation.bullets.len() <= MAX_BULLETS);
        let panel = explanation.markdown(&|_| None);
        for bullet in &explanation.bullets {
            let cited = &explanation.citations[bullet.citation];
            prop_assert!(panel.contains(&cited.section_heading));
        }
        // What was a code span, emphasis or a code block in the documentation is one on the page.
        let marks = |text: &str| -> Vec<String> {
            let is_mark = |event: &Event<'_>| {
                matches!(event, Event::Code(_) | Event::Start(Tag::Strong | Tag::CodeBlock(_)))
            };
            Parser::new(text).filter(is_mark).map(|event| format!("{event:?}")).collect()
        };
        let body = panel.split_once('\n').map_or("", |(_, body)| body);
        let shown = marks(body);
        for bullet in &explanation.bullets {
            let written = marks(&bullet.text);
            prop_assert!(written.iter().all(|mark| shown.contains(mark)), "{written:?} in {panel}");
        }
        let items = Parser::new(body).filter(|event| matches!(event, Event::Start(Tag::Item))).count();
        prop_assert_eq!(items, explanation.bullets.len());
    }

    // Feature: ai-docs-interpreter, Property 18: a new selection gives a new explanation
    #[test]
    fn another_selection_is_explained_anew(at in 0usize..6, other in 0usize..6) {
        prop_assume!(at != other);
        let documents: Vec<String> = NAMES.iter().map(|name| about(name)).collect();
        let (first, second) = (explained(&documents, NAMES[at]), explained(&documents, NAMES[other]));
        prop_assert_ne!(&first.explanation, &second.explanation);
        prop_assert_eq!(second.symbol.as_deref(), Some(NAMES[other]));
    }

    // Feature: ai-docs-interpreter, Property 19: nothing relevant: "Not documented."
    #[test]
    fn what_nobody_documents_is_refused(documents in prop::collection::vec(document(), 0..4), name in "[a-z]{4,8}[A-Z][a-z]{4,8}") {
        prop_assume!(!documents.iter().any(|text| text.to_lowercase().contains(&name.to_lowercase())));
        let explanation = explained(&documents, &name);
        prop_assert_eq!(explanation.explanation.as_str(), NOT_DOCUMENTED);
        prop_assert!(!explanation.has_relevant_docs && explanation.citations.is_empty() && explanation.hover(&|_| None).is_none());
    }

    // Feature: ai-docs-interpreter, Property 19: a name that unrelated text says by the way
    #[test]
    fn what_is_named_by_the_way_is_refused(name in "[a-z]{4,8}[A-Z][a-z]{4,8}", place in 0usize..4) {
        let by_the_way = [
            format!("# Thanks\nThanks to {name} for the coffee.\n"),
            format!("# Travel\nWe went to {name} by train, and came back on foot.\n"),
            format!("# Sponsors\n- Somebody\n- {name}\n- Somebody else\n"),
            format!("# Releases\nThe sixth one is dedicated to {name}.\n"),
        ];
        let explanation = explained(&by_the_way[place..=place], &name).explanation;
        prop_assert_eq!(explanation.as_str(), NOT_DOCUMENTED);
    }

    // Feature: ai-docs-interpreter, Property 20: the cached result comes back
    #[test]
    fn what_was_explained_comes_back(documents in prop::collection::vec(document(), 0..3), name in name(), changed in any::<u8>()) {
        let (text, lines) = (code(name), Some((4, 6)));
        let key = |hash: u8| CacheKey::new("src/code.js", &text, lines, ContentHash([hash; 32]), "extractive");
        let explanation = explained(&documents, name);
        let kept = cache();
        kept.insert(key(0), explanation.clone());
        prop_assert_eq!(kept.get(&key(0)), Some(explanation));
        prop_assert_eq!(kept.get(&key(changed)).is_some(), changed == 0, "documents that change give another key");
        prop_assert_eq!(kept.policy().time_to_live(), Some(Duration::from_secs(600)));
    }

    // Feature: ai-docs-interpreter, Property 21: identical selection, identical explanation
    #[test]
    fn the_same_selection_gives_the_same_bytes(documents in prop::collection::vec(document(), 1..4), name in name()) {
        let answer = || serde_json::to_string(&explained(&documents, name)).unwrap();
        prop_assert_eq!(answer(), answer());
    }
}
