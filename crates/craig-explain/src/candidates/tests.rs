use craig_chunk::ChunkKind;

use super::*;

fn function(name: &str) -> Subject {
    Subject { name: name.into(), kind: Some(ChunkKind::Function), ..Subject::default() }
}

fn method(owner: &str, name: &str) -> Subject {
    Subject { owner: Some(owner.into()), kind: Some(ChunkKind::Method), ..function(name) }
}

/// The places of a README that may explain a subject: form, spelling, whose, and what would be quoted.
fn places(subject: &Subject, text: &str) -> Vec<String> {
    let library = Library::of_texts(vec![("README.md".into(), text.into())]);
    let line = |one: Candidate| {
        let page = library.place(one.at).page;
        let quotes: Vec<&str> = one.quotes.iter().map(|bytes| &page.text[bytes.clone()]).collect();
        format!("{:?} {:?} {:?} {quotes:?}", one.form, one.spelling, one.whose)
    };
    candidates(&library, subject).into_iter().map(line).collect()
}

#[track_caller]
fn check(subject: &Subject, text: &str, expected: &[&str]) {
    assert_eq!(places(subject, text), expected, "{text}");
}

#[test]
fn a_heading_that_is_the_name_is_quoted_from_the_beginning_of_its_section() {
    let text = "# start\nComposes the parts, from left to right. Order matters a lot. Errors stop it. Call `start` once.\n";
    let found = places(&function("start"), text);
    let expected = r#"Heading Exact Unknown ["Composes the parts, from left to right.", "Order matters a lot.", "Call `start` once."]"#;
    assert_eq!(found[0], expected);
    let kinds: Vec<&str> = ["# The `start` method", "# `start(x)`", "# start", "# Using `start` well"]
        .map(|heading| format!("{heading}\nComposes all parts.\n"))
        .map(|text| if places(&function("start"), &text)[0].starts_with("Heading") { "is" } else { "has" })
        .to_vec();
    assert_eq!(kinds, ["is", "is", "is", "has"]);
}

#[test]
fn names_are_varied_as_programmers_and_writers_do() {
    let text = "# Spot check\nLooks at a few of them.\n";
    check(&function("spot_check"), text, &[r#"Heading Words Unknown ["Looks at a few of them."]"#]);
    let text = "# upper_first\nMakes the first letter large.\n";
    check(&function("upperFirst"), text, &[r#"Heading Variant Unknown ["Makes the first letter large."]"#]);
    check(&function("Input"), "# All about inputs\nEvery program has some.\n", &[]);
}

#[test]
fn an_entry_is_quoted_with_what_follows_inside_of_it() {
    let text =
        "# Methods\n\n- `start()`\n\n  Begins the work. Call it once.\n- `stop()`\n\n  Ends it at once.\n";
    check(&function("start"), text, &[r#"Entry Exact Unknown ["Begins the work.", "Call it once."]"#]);
    let text =
        "# Methods\n\n- `start()` begins the work.\n- Never call anything twice.\n\nAll of this is safe.\n";
    check(&function("start"), text, &[r#"Entry Exact Unknown ["`start()` begins the work."]"#]);
    let table = "# Methods\n\n| Name | Meaning |\n|---|---|\n| `start()` | Begins the work. |\n| `stop()` | `Server` |\n";
    check(&function("start"), table, &[r#"Entry Exact Unknown ["`start()` | Begins the work."]"#]);
    check(&function("stop"), table, &[]);
}

#[test]
fn a_sentence_that_goes_on_comes_behind_the_one_before() {
    let text = "# Usage\nAll parts are checked. This is what `start` does first. Nothing else is.\n";
    let expected = r#"Sentence Exact Unknown ["All parts are checked.", "This is what `start` does first."]"#;
    check(&function("start"), text, &[expected]);
}

#[test]
fn a_sample_helps_a_heading_with_few_words() {
    let text = "# start\n\n```js\nawait start() // opens the port\n```\n";
    check(
        &function("start"),
        text,
        &[r#"Heading Exact Unknown ["```js\nawait start() // opens the port\n```"]"#],
    );
    check(&function("start"), "# start\nThis is the same as:\n", &[]);
}

#[test]
fn a_place_knows_whose_name_it_has() {
    let text =
        "# Server\n\n## server.close()\nEnds all connections.\n\n## Pool.close()\nEnds the whole pool.\n";
    let found = places(&method("Server", "close"), text);
    let whose: Vec<&str> = found.iter().filter_map(|one| one.split(' ').nth(2)).collect();
    assert_eq!(whose, ["Own", "Foreign"]);
}

#[test]
fn what_a_namesake_has_is_left_out() {
    let text = "# TestModule\nA runner calls `setKind()` before anything else.\n";
    let subject = Subject { namesakes: vec!["TestModule".into()], ..method("Autospied", "setKind") };
    check(&subject, text, &[]);
    assert_eq!(places(&method("Autospied", "setKind"), text).len(), 1);
}
