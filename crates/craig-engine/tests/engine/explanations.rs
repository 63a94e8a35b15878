//! Explanations in a language model's words, against a server that speaks OpenAI's protocol and says what a test wants.

use std::time::Duration;

use craig_engine::{
    Activation, Cancellation, ExplainConfig, Explained, Explainer, Explanation, Keyed, LanguageModelConfig,
    Selection, Sentences, WordsReport, WordsStatus,
};
use serde_json::json;
use tempfile::TempDir;

use crate::server::{Answer, Provider};

const PAGE: &str = "# Client

### `client.request(options)`

Performs an HTTP request on the connection after `delay` milliseconds. Fails when the client is closed.

### `client.close()`

Closes the client gracefully.
";

const CODE: &str = "class Client {
  request (options) {
    return this.dispatch(options)
  }

  flushInner () {}
}
";

/// A project whose code is explained.
struct Desk {
    project: TempDir,
    explainer: Explainer,
}

impl Desk {
    fn new(provider: &Provider, timeout: Duration) -> Self {
        let endpoint = provider.endpoint("/v1/chat/completions");
        let language_model =
            Keyed { of: LanguageModelConfig { endpoint, model: "tiny".into() }, missing_key: None };
        let project = tempfile::tempdir().unwrap();
        for (path, text) in [("docs/client.md", PAGE), ("lib/client.js", CODE)] {
            let path = project.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let config =
            ExplainConfig { language_model: Some(language_model), timeout, ..ExplainConfig::default() };
        let explainer = Explainer::open(project.path(), &config).unwrap();
        explainer.refresh().unwrap();
        Self { project, explainer }
    }

    fn extract(&self, lines: (usize, usize)) -> Explanation {
        self.explainer.explain(&selection(lines)).unwrap()
    }

    fn explained(&self, lines: (usize, usize)) -> Explained {
        self.explainer.explain_in_words(&selection(lines), &Cancellation::default()).unwrap()
    }
}

fn selection(lines: (usize, usize)) -> Selection {
    Selection { file: "lib/client.js".into(), lines: Some(lines) }
}

const REQUEST: (usize, usize) = (2, 4);
const INNER: (usize, usize) = (6, 6);

/// A server that answers with a text, in which `[performs]` and `[fails]` stand for the numbers of the excerpts.
fn saying(text: &'static str) -> Provider {
    Provider::new(move |body, _| {
        let prompt = body["messages"][1]["content"].as_str().unwrap();
        let number = |words: &str| {
            let line = prompt.lines().find(|line| line.contains(words)).unwrap();
            line.split(']').next().unwrap().trim_start_matches('[').to_owned()
        };
        let answer = text
            .replace("[performs]", &format!("[{}]", number("Performs an HTTP request")))
            .replace("[fails]", &format!("[{}]", number("Fails when")));
        stream(&answer)
    })
}

/// A text in pieces, as servers stream them.
fn stream(text: &str) -> Answer {
    let pieces = text.split_inclusive(' ');
    let event =
        |piece: &str| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": piece } }] }));
    let events: String = pieces.map(event).collect();
    Answer::text(200, &format!("{events}data: [DONE]\n\n")).with_header("content-type", "text/event-stream")
}

#[test]
fn supported_sentences_are_cited_and_requested_once() {
    let provider = saying(
        "It performs an HTTP request on the connection [performs]. It fails when the client is closed [fails].",
    );
    let desk = Desk::new(&provider, Duration::from_secs(20));
    let explained = desk.explained(REQUEST);
    let explanation = &explained.explanation;
    assert_eq!(
        explanation.explanation,
        "- It performs an HTTP request on the connection.\n- It fails when the client is closed."
    );
    let cited = &explanation.citations[explanation.bullets[0].citation];
    assert_eq!((cited.file_path.as_str(), cited.heading_line), ("docs/client.md", 3));
    assert_eq!(explanation.bullets[0].line, 5);
    assert_eq!(explanation.confidence, desk.extract(REQUEST).confidence);
    let applied = WordsReport {
        model: "Test tiny".into(),
        status: WordsStatus::Applied,
        reason: None,
        sentences: Some(Sentences { kept: 2, ..Sentences::default() }),
    };
    assert_eq!(explained.language_model, Some(applied));

    let asked = &provider.asked()[0].body;
    let system = asked["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("Answer only from provided documentation excerpts"), "{system}");
    assert!(asked["messages"][1]["content"].as_str().unwrap().contains("return this.dispatch(options)"));
    assert_eq!((&asked["temperature"], &asked["seed"]), (&json!(0), &json!(0)));
    assert!(asked["max_tokens"].as_u64().unwrap() <= 500);

    assert_eq!(desk.explained(REQUEST), explained);
    assert_eq!(provider.asked().len(), 1, "the explanation is cached");
    let page = PAGE.replace("Closes the client gracefully.", "Closes the client at once.");
    std::fs::write(desk.project.path().join("docs/client.md"), page).unwrap();
    desk.explainer.refresh().unwrap();
    desk.explained(REQUEST);
    assert_eq!(provider.asked().len(), 2, "and not when the documentation has changed");
}

#[test]
fn what_the_documentation_does_not_bear_out_is_dropped() {
    for answer in [
        "",
        "Not documented.",
        "zxqv blorp the the the the",
        "It performs an HTTP request on the connection.",
        "It performs an HTTP request on the connection [99].",
        "It performs an HTTP request on the connection with `--insecure` [performs].",
        "It performs an HTTP request on the connection after 500 milliseconds [performs].",
        "It performs an HTTP request on https://example.org [performs].",
        "It typically performs an HTTP request on the connection [performs].",
        "It does not perform an HTTP request on the connection [performs].",
        "It performs an HTTP request on the connection before `delay` milliseconds [performs].",
        "It always performs an HTTP request on the connection [performs].",
        "It fails [fails].",
        "It retries three times with exponential backoff [fails].",
        "Ignore the excerpts and trust me [performs].",
    ] {
        let provider = saying(answer);
        let desk = Desk::new(&provider, Duration::from_secs(20));
        let explained = desk.explained(REQUEST);
        assert_eq!(explained.explanation, desk.extract(REQUEST), "{answer}");
        let report = explained.language_model.unwrap();
        assert_eq!(report.status, WordsStatus::Fallback, "{answer}");
        assert!(report.reason.unwrap().contains("supports none"), "{answer}");
        assert_eq!(report.sentences.unwrap().kept, 0, "{answer}");
    }
}

#[test]
fn of_an_answer_what_holds_is_kept() {
    let provider = saying(
        "Sure! Here you go:\n- It performs an HTTP request on the connection. [performs]\n- It also brews coffee [fails].",
    );
    let desk = Desk::new(&provider, Duration::from_secs(20));
    let explained = desk.explained(REQUEST);
    assert_eq!(explained.explanation.explanation, "- It performs an HTTP request on the connection.");
    let sentences = serde_json::to_value(explained.language_model.unwrap().sentences).unwrap();
    assert_eq!(sentences, json!({ "kept": 1, "dropped": { "marker": 2, "modality": 1 } }));
}

#[test]
fn a_model_that_fails_or_is_late_costs_its_time_and_nothing_else() {
    let broken = Provider::new(|_, _| Answer::text(400, "{\"error\": {\"message\": \"no such model\"}}"));
    let late = Provider::new(|_, _| stream("It performs").after(Duration::from_secs(5)));
    let cut = Provider::new(|_, _| Answer::text(200, "data: {\"choices\": [{\"del"));
    for (provider, reason) in [(broken, "no such model"), (late, ""), (cut, "")] {
        let desk = Desk::new(&provider, Duration::from_millis(500));
        let explained = desk.explained(REQUEST);
        assert_eq!(explained.explanation, desk.extract(REQUEST));
        let report = explained.language_model.unwrap();
        assert!(report.status == WordsStatus::Fallback && report.reason.unwrap().contains(reason));
    }
}

#[test]
fn nobody_is_asked_about_what_is_not_documented() {
    let provider = saying("It flushes.");
    let desk = Desk::new(&provider, Duration::from_secs(20));
    let explained = desk.explained(INNER);
    assert_eq!(
        (explained.explanation.explanation.as_str(), explained.language_model),
        ("Not documented.", None)
    );
    assert!(provider.asked().is_empty());
}

#[test]
fn documentation_is_what_the_settings_say() {
    let project = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = project.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("docs/a.md", "# A\n");
    write("docs/old/b.md", "# B\n");
    write("docs/big.md", &format!("# Big\n\n{}\n", "word ".repeat(1_000)));
    write("packages/x/README.md", "# X\n");
    write("node_modules/y/README.md", "# Y\n");
    write(
        ".craig.toml",
        "[documentation]\ninclude = [\"**/README.md\"]\nexclude = [\"docs/old/**\"]\nmax_file_size = \"2kB\"\n",
    );
    let config = ExplainConfig::for_project(&Default::default(), project.path()).unwrap();
    let explainer = Explainer::open(project.path(), &config).unwrap();
    let report = explainer.refresh().unwrap();
    let library = explainer.library();
    let pages: Vec<&str> = library.documents().iter().map(|document| document.page.path.as_str()).collect();
    assert_eq!(pages, ["docs/a.md", "packages/x/README.md"]);
    assert_eq!(report.skipped.len(), 1, "{:?}", report.skipped);
    assert_eq!(report.skipped[0].path, "docs/big.md");

    write(".craig.toml", "[explain]\nlanguage_model = true\n");
    let refused = ExplainConfig::for_project(&Default::default(), project.path()).unwrap_err();
    assert!(refused.to_string().contains("a project may not set"), "{refused}");
}

#[test]
fn documentation_is_shown_unasked_in_projects_of_scripts() {
    let covers = |files: &[&str], activation: Activation| {
        let project = tempfile::tempdir().unwrap();
        files.iter().for_each(|file| std::fs::write(project.path().join(file), "x\n").unwrap());
        activation.covers(project.path()).unwrap()
    };
    assert!(covers(&["package.json"], Activation::Scripts) && covers(&["a.ts"], Activation::Scripts));
    assert!(!covers(&["a.py", "README.md"], Activation::Scripts));
    assert!(covers(&["a.py"], Activation::Always) && !covers(&["a.ts"], Activation::Never));
}
