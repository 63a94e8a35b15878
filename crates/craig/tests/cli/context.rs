//! `craig context` and `craig feedback`, and what `craig stats` shows of them.

use serde_json::Value;

use crate::harness::Home;

/// A shop with more files than a chat gets blocks, so that it is not given whole.
fn home() -> Home {
    let home = Home::with_shop();
    home.write(
        "shop/src/login.ts",
        "export async function loginUser(name: string) {\n  try {\n    return await db.find(name);\n  } catch (error) {\n    \
         throw new LoginError(error);\n  }\n}\n",
    );
    home.write(
        "shop/src/users.ts",
        "export function fetchUser(id: string) {\n  return fetch(`/users/${id}`);\n}\n\nexport function \
         fetchGroup(id: string) {\n  return fetch(`/groups/${id}`);\n}\n",
    );
    home
}

fn json(home: &Home, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&home.succeed(&all)).unwrap()
}

#[test]
fn a_chat_gets_code_of_a_directory_that_was_never_ingested() {
    let home = home();
    let answer = json(&home, &["context", "chat", "what does loginUser do?", "--root", "shop"]);
    let block = &answer["blocks"][0];
    assert_eq!(
        (&block["path"], &block["symbol_name"]),
        (&"src/login.ts".into(), &"loginUser".into()),
        "{answer}"
    );
    assert!(block["score"].as_f64().unwrap() >= 0.7 && block["tokens"].as_u64().unwrap() > 10);
    assert!(answer["reason"].is_null() && answer["tokens"].as_u64() > block["tokens"].as_u64());

    let markdown = home.succeed(&[
        "context",
        "chat",
        "what does loginUser do?",
        "--root",
        "shop",
        "--format",
        "markdown",
    ]);
    assert_eq!(markdown, answer["markdown"].as_str().unwrap());
    // The message may stand behind its history.
    let args = [
        "context",
        "chat",
        "--history",
        "what does loginUser do?",
        "and how does it report errors?",
        "--root",
        "shop",
    ];
    assert_eq!(json(&home, &args)["blocks"][0]["path"], "src/login.ts");
}

#[test]
fn no_context_is_no_error() {
    let home = home();
    let output = home.run(&["context", "chat", "write a haiku about autumn", "--root", "shop"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("no context: nothing in the project is relevant enough")
    );
    let answer = json(&home, &["context", "chat", "what does loginUser do? /no-context", "--root", "shop"]);
    assert_eq!(
        (&answer["reason_code"], answer["blocks"].as_array().map(Vec::len)),
        (&"not_wanted".into(), Some(0))
    );
}

#[test]
fn an_edit_gets_what_it_points_to_and_never_the_selection() {
    let home = home();
    let edit = |file: &str, more: &[&str]| {
        let args =
            ["context", "inline", "handle errors like the login function", "--root", "shop", "--file", file];
        json(&home, &[&args, more].concat())
    };
    for file in ["src/users.ts", "shop/src/users.ts"] {
        let answer = edit(file, &["--lines", "1-3"]);
        assert_eq!(answer["blocks"][0]["symbol_name"], "loginUser", "{answer}");
        assert!(answer["blocks"].as_array().unwrap().len() <= 3);
    }
    let answer = edit("src/login.ts", &["--lines", "2"]);
    let is_login = |block: &Value| block["path"] == "src/login.ts";
    assert!(!answer["blocks"].as_array().unwrap().iter().any(is_login), "{answer}");
}

#[test]
fn requests_that_make_no_sense_say_what_to_do() {
    let home = home();
    let fails = |args: &[&str], message: &str| {
        let output = home.run(args);
        let reported = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{reported}");
        assert!(reported.contains(message), "{reported}");
    };
    fails(&["context", "chat", "--root", "shop"], "the message is missing");
    fails(
        &["context", "chat", "loginUser", "--root", "shop", "-n", "0"],
        "the maximum number of chunks is 0, outside 1 to 20",
    );
    let edit = ["context", "inline", "like loginUser", "--root", "shop", "--file"];
    fails(&[&edit[..], &["src/users.ts", "--lines", "9-4"]].concat(), "lines are counted from 1");
    fails(&[&edit[..], &["src/users.ts", "--lines", "90-94"]].concat(), "it ends at line 7");
    fails(&[&edit[..], &["src/nothing.ts", "--lines", "1-2"]].concat(), "has no file \"src/nothing.ts\"");
    fails(&["feedback", "helpful"], "no context has been returned yet");
}

#[test]
fn feedback_and_figures_are_shown() {
    let home = home();
    let given = json(&home, &["context", "chat", "what does loginUser do?", "--root", "shop"]);
    assert_eq!(json(&home, &["feedback", "helpful", "--note", "fine"])["id"], given["id"]);
    let sums = &json(&home, &["stats"])["context"];
    assert_eq!([&sums["chats"], &sums["with_context"], &sums["helpful"]], [&1, &1, &1]);
    let text = home.succeed(&["stats"]);
    assert!(text.contains("1 of chats, 0 of inline edits") && text.contains("1 helpful, 0 not"), "{text}");
}
