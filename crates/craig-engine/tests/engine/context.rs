//! Context for chats and inline edits, from outside.

use std::time::Duration;

use craig_engine::{
    ChatContextRequest, Config, ContextAnswer, Engine, EngineError, InlineContextRequest, NoContext,
    Settings, Sources, Steps,
};
use serde_json::json;

use crate::server::{Answer, Provider};
use crate::workshop::Workshop;

const LOGIN: &str = "import { db } from './db';\n\n/** Checks a password and begins a session. */\nexport async function \
    loginUser(name: string, password: string) {\n  try {\n    const user = await db.find(name);\n    return \
    startSession(user, password);\n  } catch (error) {\n    throw new LoginError(error);\n  }\n}\n\nexport class \
    LoginError extends Error {\n  constructor(readonly cause: unknown) {\n    super('cannot log in');\n  }\n}\n";

const USERS: &str = "export function fetchUser(id: string) {\n  return fetch(`/api/users/${id}`).then((res) => \
    res.json());\n}\n\nexport function fetchGroup(id: string) {\n  return fetch(`/api/groups/${id}`).then((res) => \
    res.json());\n}\n";

const MATHS: &str = "/** Area of a circle. */\nexport function circleArea(radius: number) {\n  return Math.PI * radius \
    ** 2;\n}\n";

/// A project of more files than a chat gets blocks.
fn project() -> Workshop {
    let mut files: Vec<(String, String)> =
        [("auth/login.ts", LOGIN), ("api/users.ts", USERS), ("maths/circle.ts", MATHS)]
            .map(|(path, text)| (format!("src/{path}"), text.to_owned()))
            .into();
    for shape in ["square", "triangle", "hexagon", "ellipse", "polygon", "trapeze", "rhombus", "kite"] {
        let text = format!(
            "/** Area of a {shape}. */\nexport function {shape}Area(side: number) {{\n  return side * 2;\n}}\n"
        );
        files.push((format!("src/maths/{shape}.ts"), text));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Workshop::with_files(&files)
}

fn chat(engine: &Engine, message: &str) -> ContextAnswer {
    engine.chat_context("tree", &asking(message)).unwrap()
}

fn asking(message: &str) -> ChatContextRequest {
    ChatContextRequest {
        message: message.to_owned(),
        deadline: Some(Duration::from_secs(20)),
        ..Default::default()
    }
}

fn editing(instruction: &str, path: &str, lines: (u32, u32)) -> InlineContextRequest {
    InlineContextRequest {
        instruction: instruction.to_owned(),
        path: path.to_owned(),
        lines,
        deadline: Some(Duration::from_secs(20)),
        ..Default::default()
    }
}

fn symbols(answer: &ContextAnswer) -> Vec<&str> {
    answer.blocks.iter().filter_map(|block| block.symbol_name.as_deref()).collect()
}

#[test]
fn a_question_gets_the_code_that_it_names() {
    let workshop = project();
    let answer = chat(&workshop.engine, "Hi, what does loginUser do? thanks");
    assert_eq!((answer.reason.as_deref(), answer.reason_code), (None, None), "{answer:?}");
    let block = &answer.blocks[0];
    assert_eq!((block.path.as_str(), block.language.as_str()), ("src/auth/login.ts", "typescript"));
    assert!(block.content.contains("await db.find(name)") && block.score >= 0.7 && block.tokens > 20);
    assert!(answer.markdown.starts_with("## Relevant Code Context\n\nThe following code snippets"));
    assert!(answer.markdown.contains("**File**: `src/auth/login.ts` (lines "));
    assert!(answer.tokens > block.tokens && answer.blocks.len() <= 5);
    assert_eq!(answer.keywords, ["loginuser"]);
}

#[test]
fn a_function_comes_with_the_types_of_its_signature_and_what_it_calls_if_asked() {
    const STORE: &str = "/** What is known of somebody who logs in. */\nexport interface Credentials {\n  login: string;\n  \
        secret: string;\n}\n\nexport function hashSecret(secret: string): string {\n  return secret.split('').reverse().join('');\n}\n";
    const CHECK: &str = "import { Credentials, hashSecret } from './store';\n\n/** Verifies credentials against the vault. \
        */\nexport function verifyVault(given: Credentials): boolean {\n  const hashed = hashSecret(given.secret);\n  \
        return vault.get(given.login) === hashed;\n}\n";
    let shapes: Vec<(String, String)> = (0..12)
        .map(|at| {
            (
                format!("shapes/{at}.ts"),
                format!("export function area{at}(side: number) {{\n  return side * {at};\n}}\n"),
            )
        })
        .collect();
    let mut files = vec![("store.ts", STORE), ("check.ts", CHECK)];
    files.extend(shapes.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let workshop = Workshop::with_files(&files);
    let needed = |message: &str| {
        let answer = chat(&workshop.engine, message);
        assert_eq!(symbols(&answer).first(), Some(&"verifyVault"), "{answer:?}");
        let beside = answer.blocks.iter().filter(|block| block.path == "store.ts");
        beside
            .map(|block| (block.why[0].signal.clone(), block.symbol_name.clone().unwrap()))
            .collect::<Vec<_>>()
    };
    let expected = |signal: &str, name: &str| (signal.to_owned(), name.to_owned());
    assert_eq!(needed("how does verifyVault work?"), [expected("type_of_signature", "Credentials")]);
    assert_eq!(
        needed("what does verifyVault call?"),
        [expected("called", "hashSecret"), expected("type_of_signature", "Credentials")]
    );
}

#[test]
fn what_wants_no_context_gets_none_and_the_reason() {
    let workshop = project();
    for (message, reason) in [
        ("/no-context what does loginUser do?", NoContext::NotWanted),
        ("hi", NoContext::TooShort),
        ("hello, can you please help me?", NoContext::Generic),
        ("write a haiku about autumn", NoContext::NothingRelevant),
    ] {
        let answer = chat(&workshop.engine, message);
        assert_eq!(answer.reason_code, Some(reason), "{message}: {:?}", symbols(&answer));
        assert!(answer.blocks.is_empty() && answer.markdown.is_empty() && answer.tokens == 0);
        assert!(!answer.reason.unwrap().is_empty());
    }
    let answer = workshop.engine.chat_context("nobody", &asking("what does loginUser do?")).unwrap();
    assert_eq!(answer.reason_code, Some(NoContext::NotReady));
}

#[test]
fn requests_that_make_no_sense_are_errors() {
    let workshop = project();
    let few = ChatContextRequest { max_chunks: Some(0), ..asking("loginUser") };
    assert!(matches!(
        workshop.engine.chat_context("tree", &few),
        Err(EngineError::OutOfRange { value: 0, .. })
    ));
    let high = ChatContextRequest { min_similarity: Some(1.5), ..asking("loginUser") };
    assert!(matches!(workshop.engine.chat_context("tree", &high), Err(EngineError::ScoreOutOfRange { .. })));
    let lines =
        workshop.engine.inline_context("tree", &editing("like loginUser", "src/maths/circle.ts", (7, 9)));
    assert!(matches!(lines, Err(EngineError::NoSuchLines { n_lines: 4, .. })), "{lines:?}");
    let file = workshop.engine.inline_context("tree", &editing("like loginUser", "src/nothing.ts", (1, 1)));
    assert!(matches!(file, Err(EngineError::UnknownFile { .. })), "{file:?}");
}

#[test]
fn a_small_budget_is_kept() {
    let workshop = project();
    for budget in [100, 120, 160, 400] {
        let request = ChatContextRequest { token_budget: Some(budget), ..asking("what does loginUser do?") };
        let answer = workshop.engine.chat_context("tree", &request).unwrap();
        assert!(answer.tokens <= budget, "{} of {budget}", answer.tokens);
    }
}

#[test]
fn a_project_that_fits_is_given_whole() {
    let workshop = Workshop::with_files(&[("login.ts", LOGIN), ("users.ts", USERS)]);
    let answer = chat(&workshop.engine, "what does loginUser do?");
    assert!(answer.is_whole_project);
    let paths: Vec<&str> = answer.blocks.iter().map(|block| block.path.as_str()).collect();
    assert_eq!(paths, ["login.ts", "users.ts"]);
    assert!(answer.markdown.contains("fetchGroup"));
    let answer = chat(&workshop.engine, "write a haiku about autumn");
    assert_eq!(answer.reason_code, Some(NoContext::NothingRelevant));
}

#[test]
fn a_follow_up_is_about_what_was_spoken_of() {
    let workshop = project();
    let request = ChatContextRequest {
        history: vec!["What does loginUser do?".into()],
        ..asking("and how does it report errors?")
    };
    let answer = workshop.engine.chat_context("tree", &request).unwrap();
    assert!(answer.query.contains("loginUser"), "{}", answer.query);
    assert_eq!(answer.blocks[0].path, "src/auth/login.ts");
}

#[test]
fn an_edit_gets_what_its_instruction_points_to() {
    let workshop = project();
    let request =
        editing("Refactor this to use async/await like the login function", "src/api/users.ts", (1, 3));
    let answer = workshop.engine.inline_context("tree", &request).unwrap();
    assert_eq!(answer.query, "login function async await");
    assert_eq!(answer.blocks[0].symbol_name.as_deref(), Some("loginUser"), "{answer:?}");
    assert!(answer.blocks[0].content.starts_with("export async function loginUser"));
    assert!(answer.markdown.starts_with("## Relevant Code from Workspace\n"));
    assert!(answer.blocks.iter().all(|block| block.content.len() <= 500 && block.score >= 0.7));
}

#[test]
fn the_selection_is_never_given() {
    let workshop = project();
    for lines in [(1, 3), (2, 2), (5, 7), (1, 7)] {
        let request = editing("handle errors like fetchUser and fetchGroup", "src/api/users.ts", lines);
        let answer = workshop.engine.inline_context("tree", &request).unwrap();
        let is_selected = |block: &&craig_engine::ContextBlock| {
            block.path == "src/api/users.ts" && block.line_start <= lines.1 && lines.0 <= block.line_end
        };
        assert_eq!(answer.blocks.iter().find(is_selected), None, "{lines:?}");
    }
    // Its neighbour in the same file is.
    let answer = workshop
        .engine
        .inline_context("tree", &editing("like fetchGroup", "src/api/users.ts", (1, 3)))
        .unwrap();
    assert_eq!(symbols(&answer)[0], "fetchGroup");
}

#[test]
fn the_selection_of_an_unsaved_buffer_is_found_where_it_was() {
    let workshop = project();
    let buffer = format!("// one\n// two\n// three\n// four\n{USERS}");
    let request = InlineContextRequest {
        text: Some(buffer.clone()),
        ..editing("like fetchUser or fetchGroup", "src/api/users.ts", (5, 7))
    };
    let answer = workshop.engine.inline_context("tree", &request).unwrap();
    assert!(!symbols(&answer).contains(&"fetchUser"), "{:?}", symbols(&answer));
    let request =
        InlineContextRequest { text: Some(buffer), ..editing("like fetchUser", "src/api/users.ts", (9, 11)) };
    let answer = workshop.engine.inline_context("tree", &request).unwrap();
    assert_eq!(symbols(&answer)[0], "fetchUser");
}

#[test]
fn a_conversation_is_answered_from_memory_until_a_file_changes() {
    let workshop = project();
    let request = ChatContextRequest { conversation: Some("c1".into()), ..asking("what does loginUser do?") };
    let first = workshop.engine.chat_context("tree", &request).unwrap();
    let again = workshop.engine.chat_context("tree", &request).unwrap();
    assert!(!first.is_cached && again.is_cached && again.blocks == first.blocks);
    let other = ChatContextRequest { conversation: Some("c2".into()), ..request.clone() };
    assert!(!workshop.engine.chat_context("tree", &other).unwrap().is_cached);

    // A file that is not in it.
    workshop.write("src/maths/circle.ts", MATHS.replace("Area", "Surface"));
    workshop.delta();
    let paths: Vec<_> = first.blocks.iter().map(|block| block.path.as_str()).collect();
    assert!(!paths.contains(&"src/maths/circle.ts"));
    assert!(workshop.engine.chat_context("tree", &request).unwrap().is_cached);
    // One that is.
    workshop.write("src/auth/login.ts", LOGIN.replace("await db.find(name)", "await db.seek(name)"));
    workshop.delta();
    let changed = workshop.engine.chat_context("tree", &request).unwrap();
    assert!(!changed.is_cached && changed.markdown.contains("db.seek"));
}

#[test]
fn an_answer_from_memory_has_its_own_time() {
    let workshop = project();
    let request = ChatContextRequest { conversation: Some("c1".into()), ..asking("what does loginUser do?") };
    let first = workshop.engine.chat_context("tree", &request).unwrap();
    let again = workshop.engine.chat_context("tree", &request).unwrap();
    assert!(first.elapsed.search_ms > 0.0 && again.is_cached);
    let total_ms = again.elapsed.total_ms;
    assert_eq!(again.elapsed, Steps { total_ms, ..Steps::default() });
}

#[test]
fn an_answer_that_lacks_a_step_is_not_kept() {
    let workshop = project();
    let request = ChatContextRequest { conversation: Some("c1".into()), ..asking("what does loginUser do?") };
    let late = ChatContextRequest { deadline: Some(Duration::ZERO), ..request.clone() };
    assert!(workshop.engine.chat_context("tree", &late).unwrap().is_degraded);
    let again = workshop.engine.chat_context("tree", &request).unwrap();
    assert!(!again.is_cached && !again.is_degraded, "{again:?}");

    let broken = Provider::new(|_, _| Answer::text(400, "no"));
    let settings = asking_model(&broken);
    let mut all: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    all.push(("puku.chat.semanticContext.rephrase", "always"));
    let engine = engine(&workshop, &all);
    for _ in 0..2 {
        let answer = engine.chat_context("tree", &request).unwrap();
        assert!(answer.is_degraded && !answer.is_cached && answer.notes.len() == 1, "{answer:?}");
    }
}

#[test]
fn an_edit_gets_the_definitions_that_are_found_in_time() {
    let workshop = project();
    let edit = editing("like the login function", "src/api/users.ts", (1, 3));
    let edit = InlineContextRequest { min_score: Some(0.0), max_chunks: Some(20), ..edit };
    let n_blocks = |deadline: Duration| {
        let edit = InlineContextRequest { deadline: Some(deadline), ..edit.clone() };
        let answer = workshop.engine.inline_context("tree", &edit).unwrap();
        assert_eq!(symbols(&answer)[0], "loginUser");
        answer.blocks.len()
    };
    assert!(n_blocks(Duration::ZERO) < n_blocks(Duration::from_secs(20)));
    // Without any, the search is all there is.
    let edit = editing("handle errors and log them", "src/api/users.ts", (1, 3));
    let edit = InlineContextRequest { deadline: Some(Duration::ZERO), min_score: Some(0.0), ..edit };
    assert!(!workshop.engine.inline_context("tree", &edit).unwrap().blocks.is_empty());
}

#[test]
fn figures_are_kept_and_feedback_is_counted() {
    let workshop = project();
    let none = workshop.engine.rate_context(None, true, None);
    assert!(matches!(none, Err(EngineError::NoContextToRate { id: None })));
    let given = chat(&workshop.engine, "what does loginUser do?");
    chat(&workshop.engine, "hi");
    let edit = editing("like the login function", "src/api/users.ts", (1, 3));
    workshop.engine.inline_context("tree", &edit).unwrap();
    assert_eq!(workshop.engine.rate_context(given.id, true, Some("just right")).unwrap(), given.id.unwrap());
    let newest = workshop.engine.rate_context(None, false, None).unwrap();
    assert!(newest > given.id.unwrap());
    let sums = workshop.engine.context_statistics(Some("tree")).unwrap();
    assert_eq!((sums.chats, sums.inline_edits, sums.with_context), (2, 1, 2));
    assert_eq!(sums.without.get("too_short"), Some(&1));
    assert_eq!((sums.helpful, sums.unhelpful), (1, 1));
    assert!(sums.tokens >= given.tokens as u64 && sums.latency.len() == 5);
    assert_eq!(workshop.engine.context_statistics(None).unwrap(), sums);
}

fn texts_kept(workshop: &Workshop) -> Vec<Option<String>> {
    let store = workshop.store();
    store.context_uses(None).unwrap().into_iter().map(|used| used.query).collect()
}

#[test]
fn what_is_kept_is_what_the_settings_allow() {
    let workshop = project();
    chat(&workshop.engine, "what does loginUser do?");
    assert_eq!(texts_kept(&workshop), [None]);
    let silent = engine(&workshop, &[("telemetry.enabled", "false")]);
    assert_eq!(chat(&silent, "what does loginUser do?").id, None);
    assert_eq!(texts_kept(&workshop).len(), 1);
    let talkative = engine(&workshop, &[("telemetry.texts", "true")]);
    chat(&talkative, "what does loginUser do?");
    assert_eq!(texts_kept(&workshop)[1].as_deref(), Some("what does loginUser do?"));
}

/// An engine on the workshop's database with these settings.
fn engine(workshop: &Workshop, settings: &[(&str, &str)]) -> Engine {
    let flags = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let settings = Settings::resolve(&Sources { flags, ..Sources::default() }).unwrap();
    Engine::open(&Config::from_settings(&settings, workshop.database()).unwrap()).unwrap()
}

#[test]
fn settings_switch_it_off_and_limit_it() {
    let workshop = project();
    let off = engine(
        &workshop,
        &[
            ("puku.chat.semanticContext.enabled", "false"),
            ("puku.inlineEdit.context.semantic.enabled", "false"),
        ],
    );
    assert_eq!(chat(&off, "what does loginUser do?").reason_code, Some(NoContext::Disabled));
    let edit = editing("like the login function", "src/api/users.ts", (1, 3));
    assert_eq!(off.inline_context("tree", &edit).unwrap().reason_code, Some(NoContext::Disabled));

    let short = engine(
        &workshop,
        &[
            ("puku.inlineEdit.context.semantic.maxCodeLength", "120"),
            ("puku.inlineEdit.context.semantic.maxChunks", "1"),
        ],
    );
    let answer = short.inline_context("tree", &edit).unwrap();
    assert_eq!(answer.blocks.len(), 1);
    assert!(answer.blocks[0].is_truncated && answer.blocks[0].content.len() <= 120);
    assert!(answer.blocks[0].content.ends_with("// ... (truncated)"), "{}", answer.blocks[0].content);

    let count = |workshop: &Workshop, name: &str| {
        let request = ChatContextRequest {
            tokenizer: craig_engine::Tokenizer::from_name(name),
            ..asking("what does loginUser do?")
        };
        workshop.engine.chat_context("tree", &request).unwrap().tokens
    };
    assert_ne!(count(&workshop, "o200k_base"), count(&workshop, "r50k_base"));
    let bad = [("context.tokenizer".to_owned(), "abacus".to_owned())].into();
    let settings = Settings::resolve(&Sources { flags: bad, ..Sources::default() }).unwrap();
    assert!(Config::from_settings(&settings, "db").is_err());
}

/// Settings for a language model at `server`.
fn asking_model(server: &Provider) -> Vec<(&'static str, String)> {
    vec![
        ("language_model.provider", "openai".to_owned()),
        ("language_model.base_url", server.endpoint("").url),
    ]
}

fn answer_with_model(workshop: &Workshop, server: &Provider, more: &[(&str, &str)]) -> ContextAnswer {
    let settings = asking_model(server);
    let mut all: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    all.extend(more);
    chat(&engine(workshop, &all), IN_OTHER_WORDS)
}

const IN_OTHER_WORDS: &str = "where is the password of a user checked?";

/// A provider whose model expects the code to log somebody in.
fn guessing() -> Provider {
    let guesses = json!({ "names": ["loginUser", "session"], "code": ["loginUser(name, password);"] });
    Provider::new(move |_, _| {
        Answer::json(json!({ "choices": [{ "message": { "content": guesses.to_string() } }] }))
    })
}

fn place_of_login(answer: &ContextAnswer) -> Option<usize> {
    answer.blocks.iter().position(|block| block.content.contains("function loginUser"))
}

#[test]
fn an_unsure_question_is_searched_for_with_the_guesses_of_the_model() {
    let workshop = project();
    let server = guessing();
    let answer = answer_with_model(&workshop, &server, &[("puku.chat.semanticContext.rephrase", "always")]);
    assert_eq!(place_of_login(&answer), Some(0));
    assert_eq!(answer.notes, Vec::<String>::new());
    assert_eq!(server.asked()[0].body["temperature"], 0);

    let never = guessing();
    answer_with_model(&workshop, &never, &[("puku.chat.semanticContext.rephrase", "never")]);
    assert!(never.asked().is_empty());
}

#[test]
fn guesses_are_asked_for_once() {
    let workshop = project();
    let server = guessing();
    let settings = asking_model(&server);
    let mut all: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    all.push(("puku.chat.semanticContext.rephrase", "always"));
    let engine = engine(&workshop, &all);
    for _ in 0..2 {
        assert_eq!(place_of_login(&chat(&engine, IN_OTHER_WORDS)), Some(0));
    }
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_message_about_something_else_is_no_reason_to_ask_the_model() {
    let workshop = project();
    let server = guessing();
    let settings = asking_model(&server);
    let all: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let answer = chat(&engine(&workshop, &all), "write a haiku about autumn leaves");
    assert!(answer.blocks.is_empty() && server.asked().is_empty());
}

#[test]
fn a_language_model_that_fails_or_is_late_is_done_without() {
    let workshop = project();
    let always = ("puku.chat.semanticContext.rephrase", "always");
    let broken = Provider::new(|_, _| Answer::text(400, "no"));
    let answer = answer_with_model(&workshop, &broken, &[always]);
    assert!(answer.notes[0].contains("400"), "{:?}", answer.notes);

    // An answer that would be taken if it were waited for.
    let reply = json!({ "names": ["loginUser"] }).to_string();
    let late = Provider::new(move |_, _| {
        Answer::json(json!({ "choices": [{ "message": { "content": reply } }] }))
            .after(Duration::from_secs(5))
    });
    let answer = answer_with_model(&workshop, &late, &[always, ("context.rephrase_timeout_ms", "200")]);
    assert_eq!(answer.notes.len(), 1);
}
