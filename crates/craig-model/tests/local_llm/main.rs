//! A real language model run in the process: Gemma 3 270M, a base model, so that what it says is of no account. Whether it says
//! the same twice, ends when it is told to, and agrees with llama.cpp's own server is.
//!
//! `scripts/local-model` brings the model, starts that server, and runs these tests. Without the model, or the server, the
//! tests that need it say so and end.
#![cfg(feature = "local-llm")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use craig_model::{
    Cancellation, ChatModel, Endpoint, Generation, LanguageModel, Message, ModelError, Role,
    gguf_language_model,
};

/// Questions with and without a system's turn, code, other scripts, and a prompt of several hundred tokens.
const QUESTIONS: &[(&str, &str)] = &[
    ("", "What does a hash map do?"),
    ("", "The capital of France is"),
    (
        "Answer only from provided documentation excerpts.",
        "[1] `close()` closes the client.\nExplain this code: close () {}",
    ),
    ("You are brief.", "function add(a, b) { return a + b }\nExplain."),
    ("", "Größe, длина, 長さ, 😀: what do these words mean?"),
];

fn long_question() -> String {
    let lines: String = (0..60)
        .map(|n| format!("[{n}] (docs/page{n}.md) Option number {n} sets the limit to {n}.\n"))
        .collect();
    format!("Documentation excerpts:\n{lines}\nWhich option sets the limit to 7?")
}

fn file() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let file = cache.join("craig-tests/gemma-3-270m-q4_k_m.gguf");
    let is_there = file.exists();
    if !is_there {
        eprintln!("skipped: no {}: run scripts/local-model", file.display());
    }
    is_there.then_some(file)
}

/// The model, loaded once for all tests.
fn model() -> Option<Arc<dyn LanguageModel>> {
    static MODEL: Mutex<Option<Arc<dyn LanguageModel>>> = Mutex::new(None);
    let file = file()?;
    let mut model = MODEL.lock().unwrap_or_else(PoisonError::into_inner);
    Some(Arc::clone(model.get_or_insert_with(|| gguf_language_model(&file, b"GGUF").unwrap())))
}

fn messages<'a>(system: &'a str, user: &'a str) -> Vec<Message<'a>> {
    let system = Message { role: Role::System, content: system };
    let user = Message { role: Role::User, content: user };
    [system, user].into_iter().filter(|message| !message.content.is_empty()).collect()
}

fn said(model: &dyn LanguageModel, system: &str, user: &str, max_tokens: u32) -> String {
    let messages = messages(system, user);
    let mut asked = Generation::new(&messages, Instant::now() + Duration::from_secs(300));
    asked.max_tokens = Some(max_tokens);
    let mut pieces = String::new();
    let whole = model.stream(&asked, &mut |piece| {
        pieces += piece;
        ControlFlow::Continue(())
    });
    let whole = whole.unwrap();
    assert_eq!(pieces, whole, "the pieces are the answer");
    whole
}

/// Resident memory of this process, in bytes.
fn memory_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? * 1024)
}

#[test]
fn it_loads_in_seconds_and_says_the_same_twice() {
    let Some(file) = file() else { return };
    let before = memory_bytes().unwrap_or_default();
    let started = Instant::now();
    let first = gguf_language_model(&file, b"GGUF").unwrap();
    let loaded = started.elapsed();
    let ask = |model: &dyn LanguageModel| {
        let questions = QUESTIONS.iter().map(|(system, user)| said(model, system, user, 60));
        questions.collect::<Vec<String>>()
    };
    let (started, answers) = (Instant::now(), ask(&*first));
    eprintln!(
        "loaded in {:.2} s; {} answers of up to 60 tokens in {:.1} s; {} MB more",
        loaded.as_secs_f32(),
        answers.len(),
        started.elapsed().as_secs_f32(),
        memory_bytes().unwrap_or_default().saturating_sub(before) / 1_000_000
    );
    assert!(loaded < Duration::from_secs(20), "{loaded:?}");
    assert!(answers.iter().all(|answer| !answer.trim().is_empty()), "{answers:?}");
    assert_eq!(ask(&*first), answers, "the same model again");
    drop(first);
    assert_eq!(ask(&*gguf_language_model(&file, b"GGUF").unwrap()), answers, "the model loaded anew");
}

#[test]
fn it_agrees_with_the_server_of_llama_cpp() {
    let (Some(model), Ok(base)) = (model(), std::env::var("CRAIG_TEST_LLAMA_SERVER")) else {
        eprintln!("skipped: CRAIG_TEST_LLAMA_SERVER names no server: run scripts/local-model");
        return;
    };
    let endpoint = Endpoint {
        provider: "llama.cpp".into(),
        url: format!("{base}/chat/completions"),
        key: None,
        key_variable: None,
        timeout: Duration::from_secs(300),
        masked: |text| text.into(),
    };
    let server = ChatModel::new(endpoint, "");
    let long = long_question();
    let questions = QUESTIONS.iter().copied().chain([("", long.as_str())]);
    for (system, user) in questions {
        let (own, theirs) = (said(&*model, system, user, 20), said(&server, system, user, 20));
        eprintln!("{:?}: {own:?}", user.chars().take(40).collect::<String>());
        assert_eq!(own, theirs, "20 tokens to {user:?}");
    }
}

#[test]
fn it_ends_within_a_token_when_it_is_told_to() {
    let Some(model) = model() else { return };
    let messages = messages("", "Count from one to one thousand:");
    let ask = |cancellation: &Cancellation, on_piece: &mut dyn FnMut(&str) -> ControlFlow<()>| {
        let mut asked = Generation::new(&messages, Instant::now() + Duration::from_secs(300));
        asked.cancellation = cancellation.clone();
        model.stream(&asked, on_piece)
    };
    let mut n_pieces = 0;
    let whole = ask(&Cancellation::default(), &mut |_| {
        n_pieces += 1;
        if n_pieces == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(n_pieces == 3 && !whole.unwrap().is_empty(), "{n_pieces} pieces");

    let (cancellation, mut n_pieces) = (Cancellation::default(), 0);
    let result = ask(&cancellation, &mut |_| {
        n_pieces += 1;
        if n_pieces == 3 {
            cancellation.cancel();
        }
        ControlFlow::Continue(())
    });
    assert!(matches!(result, Err(ModelError::Cancelled { .. })), "{result:?}");
    assert_eq!(n_pieces, 3, "no piece comes after it was cancelled");
}

#[test]
fn requests_take_turns_and_whoever_waits_may_leave() {
    let Some(model) = model() else { return };
    let alone = said(&*model, "", "The capital of France is", 30);
    thread::scope(|scope| {
        let asked = [(); 3].map(|()| scope.spawn(|| said(&*model, "", "The capital of France is", 30)));
        asked.into_iter().for_each(|asked| assert_eq!(asked.join().unwrap(), alone));
    });

    let messages = messages("", "Tell a long story.");
    let cancellation = Cancellation::default();
    thread::scope(|scope| {
        let mut first = Generation::new(&messages, Instant::now() + Duration::from_secs(300));
        first.cancellation = cancellation.clone();
        let (begun, wait) = std::sync::mpsc::channel();
        let (model, cancellation) = (&model, &cancellation);
        let talking = scope.spawn(move || {
            model.stream(&first, &mut |_| {
                let _ = begun.send(());
                ControlFlow::Continue(())
            })
        });
        wait.recv().unwrap();
        let second = Generation::new(&messages, Instant::now() + Duration::from_millis(50));
        let late = model.stream(&second, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(late, Err(ModelError::TimedOut { .. })), "{late:?}");
        cancellation.cancel();
        assert!(matches!(talking.join().unwrap(), Err(ModelError::Cancelled { .. })));
    });
}

#[test]
fn a_prompt_that_is_too_long_is_refused() {
    let Some(model) = model() else { return };
    let long = "word ".repeat(40_000);
    let messages = messages("", &long);
    let asked = Generation::new(&messages, Instant::now() + Duration::from_secs(300));
    let error = model.complete(&asked).unwrap_err();
    assert!(matches!(error, ModelError::PromptTooLong { most: 32_768, .. }), "{error}");
}

#[test]
fn a_file_that_only_begins_like_a_model_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let error = gguf_language_model(&file, b"GGUF").err().unwrap();
        assert!(matches!(error, ModelError::UnusableFile { .. }), "{error}");
        assert!(error.to_string().contains(name) && error.hint().is_some(), "{error}");
    };
    check("empty.gguf", b"");
    check("cut.gguf", b"GGUF\x03\0\0\0");
    check("noise.gguf", &[b"GGUF\x03\0\0\0".as_slice(), &[0xff; 4096]].concat());
    if let Some(whole) = file() {
        check("half.gguf", &std::fs::read(&whole).unwrap()[..1_000_000]);
    }
    let missing: &Path = "/nowhere/model.gguf".as_ref();
    assert!(matches!(gguf_language_model(missing, b"GGUF").err(), Some(ModelError::UnusableFile { .. })));
}
