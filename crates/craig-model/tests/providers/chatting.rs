//! Language models over HTTP: whole answers, streams, cancellation, and what is sent.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use craig_model::{Cancellation, ChatModel, Generation, LanguageModel as _, Message, ModelError, Role};
use serde_json::json;

use crate::server::{Answer, Provider};

const ASKED: [Message<'static>; 2] =
    [Message { role: Role::System, content: "Be brief." }, Message { role: Role::User, content: "Hello?" }];

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

fn model(server: &Provider) -> ChatModel {
    ChatModel::new(server.endpoint("/v1/chat/completions"), "small")
}

fn events(pieces: &[&str]) -> Answer {
    let event =
        |piece: &&str| format!("data: {}\r\n\r\n", json!({ "choices": [{ "delta": { "content": piece } }] }));
    let all: String = pieces.iter().map(event).collect();
    Answer::text(200, &format!(": a comment\n\n{all}data: [DONE]\n\ndata: behind the end\n"))
        .with_header("content-type", "text/event-stream")
}

fn streamed(model: &ChatModel, request: &Generation<'_>) -> (Vec<String>, Result<String, ModelError>) {
    let mut pieces = Vec::new();
    let answer = model.stream(request, &mut |piece| {
        pieces.push(piece.to_owned());
        ControlFlow::Continue(())
    });
    (pieces, answer)
}

#[test]
fn an_answer_comes_whole_or_piece_by_piece() {
    let server = Provider::new(|body, _| match body["stream"].as_bool() {
        Some(true) => events(&["Hel", "", "lo, ", "wörld"]),
        _ => Answer::json(json!({ "choices": [{ "message": { "content": "Hello, wörld" } }] })),
    });
    let model = model(&server);
    assert_eq!(model.complete(&Generation::new(&ASKED, soon())).unwrap(), "Hello, wörld");
    let request = Generation { max_tokens: Some(9), seed: Some(7), ..Generation::new(&ASKED, soon()) };
    let (pieces, answer) = streamed(&model, &request);
    assert_eq!(
        (pieces.as_slice(), answer.unwrap().as_str()),
        (&["Hel", "lo, ", "wörld"].map(str::to_owned)[..], "Hello, wörld")
    );

    let asked = server.asked();
    assert_eq!(asked[0].body["temperature"], 0);
    assert_eq!(asked[0].body["messages"][1], json!({ "role": "user", "content": "Hello?" }));
    assert_eq!(
        [&asked[1].body["temperature"], &asked[1].body["max_tokens"], &asked[1].body["seed"]],
        [&json!(0), &json!(9), &json!(7)]
    );
    assert_eq!(asked[1].authorization.as_deref(), Some("Bearer sk-planted"));
}

#[test]
fn a_callback_can_end_the_stream() {
    let server = Provider::new(|_, _| events(&["one", "two", "three"]));
    let mut received = 0;
    let answer = model(&server).stream(&Generation::new(&ASKED, soon()), &mut |_| {
        received += 1;
        if received == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(answer.unwrap(), "onetwo");
}

#[test]
fn a_request_can_be_cancelled_while_the_model_thinks() {
    let server = Provider::new(|_, _| events(&["late"]).after(Duration::from_secs(3)));
    let request = Generation::new(&ASKED, soon());
    let cancellation: Cancellation = request.cancellation.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancellation.cancel();
    });
    let (pieces, answer) = streamed(&model(&server), &request);
    assert!(matches!(answer, Err(ModelError::Cancelled { .. })), "{answer:?}");
    assert_eq!(pieces, [""; 0]);
}

#[test]
fn the_deadline_ends_a_stream() {
    let server = Provider::new(|_, _| events(&["late"]).after(Duration::from_secs(3)));
    let request = Generation::new(&ASKED, Instant::now() + Duration::from_millis(150));
    let (_, answer) = streamed(&model(&server), &request);
    assert!(matches!(answer, Err(ModelError::TimedOut { .. })), "{answer:?}");
}

#[test]
fn broken_streams_and_refusals_are_errors() {
    let broken = [
        ("data: {not json\n", "not JSON"),
        ("data: {\"error\": {\"message\": \"out of memory\"}}\n", "out of memory"),
    ];
    for (body, reason) in broken {
        let server = Provider::new(move |_, _| Answer::text(200, body));
        let (_, answer) = streamed(&model(&server), &Generation::new(&ASKED, soon()));
        let error = answer.unwrap_err();
        assert!(
            matches!(error, ModelError::BadAnswer { .. }) && error.to_string().contains(reason),
            "{error}"
        );
    }
    let server = Provider::new(|_, _| Answer::text(401, "sk-planted is wrong"));
    let (_, answer) = streamed(&model(&server), &Generation::new(&ASKED, soon()));
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("401") && !error.contains("sk-planted"), "{error}");
}
