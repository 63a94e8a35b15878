use super::*;

const CODE: &str = "\
import { a } from './a.js'
const b = require('b')

export class Client extends Dispatcher {
  /** Sends. */
  request (options) {
    return a(options)
  }
  #secret () {}
}

function helper () {
  return new Client().request({ method: 'GET' })
}

Client.prototype.stream = function () {}

module.exports = { Client }
const table = { open () {}, shut: () => 1 }
";

fn drawn(first: usize, last: usize) -> String {
    let context = CodeContext::read("lib/client.js", Language::JavaScript, CODE, Some((first, last)));
    let subjects: Vec<String> = context
        .subjects()
        .iter()
        .map(|subject| {
            let owner = subject.owner.as_deref().map(|owner| format!("{owner}.")).unwrap_or_default();
            let mark = if subject.kind.is_none() { " used" } else { "" };
            format!("{owner}{}{mark}", subject.name)
        })
        .collect();
    let name = |name: &Option<String>| name.clone().unwrap_or("–".into());
    format!(
        "{first}-{last}: {} | {} | {}\n",
        subjects.join(", "),
        name(&context.function_name),
        name(&context.class_name)
    )
}

#[test]
fn a_selection_is_about_what_it_defines_or_stands_in() {
    let places =
        [(4, 10), (6, 8), (6, 6), (7, 7), (9, 9), (12, 14), (13, 13), (16, 16), (19, 19), (1, 1), (1, 999)];
    let drawing: String = places.iter().map(|&(first, last)| drawn(first, last)).collect();
    expect_test::expect![[r#"
        4-10: Client | request | Client
        6-8: Client.request | request | Client
        6-6: Client.request | request | Client
        7-7: Client.request | request | Client
        9-9: Client.secret | secret | Client
        12-14: helper | helper | –
        13-13: helper, Client used, request used, GET used | helper | –
        16-16: Client.stream | stream | Client
        19-19: table | open | table
        1-1: a.js used | – | –
        1-999: Client | request | Client
    "#]]
    .assert_eq(&drawing);
}

#[test]
fn a_line_that_declares_something_is_about_that() {
    let names = |path: &str, language: Language, text: &str, line: usize| {
        let context = CodeContext::read(path, language, text, Some((line, line)));
        context.subjects().iter().map(|subject| subject.name.clone()).collect::<Vec<_>>()
    };
    let clauses = "defmodule Sup do\n  def init(:ok) do\n    start(:a)\n  end\n\n  def init(_other) do\n    start(:b)\n  end\nend\n";
    assert_eq!(names("sup.ex", Language::Elixir, clauses, 6), ["init"]);
    let object = "fun sink(): Sink = object : Sink {\n  override fun timeout(): Timeout = limit\n}\n";
    assert_eq!(names("pipe.kt", Language::Kotlin, object, 2), ["timeout"]);
    let node = "class Node {\n  private Node next;\n}\n";
    assert_eq!(names("Node.java", Language::Java, node, 2), ["next"]);
    let used = "fun open(): Port {\n  return connect(limit)\n}\n";
    assert_eq!(names("port.kt", Language::Kotlin, used, 2), ["open", "connect"]);
}

#[test]
fn imports_and_surroundings_are_kept() {
    let context = CodeContext::read("lib/client.js", Language::JavaScript, CODE, Some((6, 8)));
    assert_eq!(context.imports, ["./a.js", "b"]);
    assert!(context.selected_text.starts_with("  request") && context.selected_text.ends_with('}'));
    assert!(context.surrounding_context.contains(&context.selected_text));
    assert_eq!(context.subjects()[0].ancestors, ["Dispatcher"]);
}

#[test]
fn other_names_of_an_export_are_known() {
    let text = "class _Parser {}\nexport { _Parser as Parser }\nfunction go () {}\nexports.run = go\nfunction stop () {}\nexport { stop as halt }\n";
    let aliases = |line| {
        CodeContext::read("a.js", Language::JavaScript, text, Some((line, line))).subjects()[0]
            .aliases
            .clone()
    };
    assert_eq!(aliases(1), ["Parser"]);
    assert_eq!(aliases(3), ["run"]);
    assert_eq!(aliases(5), ["halt"]);
}

/// The first subject of a line: its owner, its name and its siblings.
fn subject_at(code: &str, line: usize) -> String {
    let context = CodeContext::read("lib/a.js", Language::JavaScript, code, Some((line, line)));
    let subject = &context.subjects()[0];
    let owner = subject.owner.as_deref().unwrap_or("–");
    format!("{owner}.{}: siblings {:?}", subject.name, subject.siblings)
}

#[test]
fn members_of_objects_that_are_assigned_in_passing_are_subjects() {
    let code = "\
const proto = module.exports = {
  /** Throws. */
  throw (...args) {
    if (args) {
      fail(args)
    }
  },
  get size () { return 1 },
}
const local = {
  go () {},
}
module.exports = {
  accepts (type) { return type },
  local,
}
";
    expect_test::expect![[r#"
        proto.throw: siblings ["size"]
        proto.throw: siblings ["size"]
        proto.size: siblings ["throw"]
    "#]]
    .assert_eq(&[3, 5, 8].map(|line| subject_at(code, line) + "\n").concat());
    assert!(subject_at(code, 11).contains(".go:"), "{}", subject_at(code, 11));
    assert!(subject_at(code, 10).contains(".local:"), "{}", subject_at(code, 10));
    assert!(subject_at(code, 14).contains("accepts:"), "{}", subject_at(code, 14));
}

#[test]
fn members_of_what_a_function_makes_are_subjects() {
    let code = "\
function make () {
  const api = {
    start () {
      return go()
    },
    stop: function () {},
  }
  return api
}
";
    assert!(subject_at(code, 3).contains("api.start:"), "{}", subject_at(code, 3));
    assert!(subject_at(code, 6).contains("api.stop:"), "{}", subject_at(code, 6));
    assert!(subject_at(code, 4).contains("api.start:"), "{}", subject_at(code, 4));
}

#[test]
fn owners_are_alike_by_their_words() {
    for (written, actual, expected) in [
        ("Client", "_client", 1.0),
        ("app", "Application", 1.0),
        ("ctx", "Context", 1.0),
        ("string", "StringSchema", 0.5),
        ("mockPool", "MockClient", 0.5),
        ("server", "Client", 0.0),
        ("", "Client", 0.0),
    ] {
        assert_eq!(owner_likeness(written, actual), expected, "{written} {actual}");
    }
}

const DECLARED: &str = "\
export const config: Config = {
  maxDepth: 5,
  hooks: {
    'before': null,
  },
  open () {},
}
export interface Options {
  readonly timeout?: number
  retry: {
    count: number
  }
}
function send (request) {
  const finish = () => {
    request.end({
      status: 1,
    })
    const auth = {
      credentials: request.credentials,
    }
  }
  return finish
}
";

#[test]
fn properties_and_inner_functions_are_subjects_of_their_own() {
    let found = |line: usize| {
        let context = CodeContext::read("lib/a.ts", Language::TypeScript, DECLARED, Some((line, line)));
        let subject = &context.subjects()[0];
        (subject.owner.clone().unwrap_or_default(), subject.name.clone())
    };
    let expected = [
        (2, ("config", "maxDepth")),
        (4, ("hooks", "before")),
        (6, ("config", "open")),
        (9, ("Options", "timeout")),
        (11, ("retry", "count")),
        (15, ("send", "finish")),
        // What is handed to a call is no property of anything: it is in the function.
        (17, ("send", "finish")),
        // Objects inside functions are not read.
        (20, ("send", "finish")),
    ];
    for (line, (owner, name)) in expected {
        assert_eq!(found(line), (owner.into(), name.into()), "line {line}");
    }
}

#[test]
fn a_multibyte_sign_before_a_name_is_skipped() {
    let code = "function f () {\n  …table = {\n    open () {},\n  }\n}\n";
    let context = CodeContext::read("a.js", Language::JavaScript, code, Some((3, 3)));
    assert_eq!(context.subjects()[0].name, "open");
}

#[test]
fn a_line_of_the_body_of_a_type_declares_its_member() {
    let declared = |path: &str, text: &str, line: usize| {
        let language = Language::from_path(path).unwrap();
        let context = CodeContext::read(path, language, text, Some((line, line)));
        let first = &context.subjects()[0];
        format!("{}.{}", first.owner.as_deref().unwrap_or_default(), first.name)
    };
    let rust = "pub struct Version {\n    pub major: u8,\n    pub minor: Option<u8>,\n}\n";
    assert_eq!(declared("a.rs", rust, 3), "Version.minor");
    let go = "package etcd\n\ntype Config struct {\n\t// a limit\n\tLimit bool\n}\n";
    assert_eq!(declared("etcd/a.go", go, 5), "Config.Limit");
    let java = "class Server {\n  private final int port;\n  void run() {\n    int port = 3;\n  }\n}\n";
    assert_eq!(declared("A.java", java, 2), "Server.port");
    assert_eq!(declared("A.java", java, 4), "Server.run");
    let csharp = "public class Server\n{\n    public int Port { get; set; }\n}\n";
    assert_eq!(declared("A.cs", csharp, 3), "Server.Port");
    let cpp = "struct Server {\npublic:\n    int port;\n};\n";
    assert_eq!(declared("a.hpp", cpp, 3), "Server.port");
}

#[test]
fn a_dotted_name_of_a_module_is_its_last_part() {
    let text = "defmodule Shop.Order.Line do\n  def total(line), do: line\nend\n";
    let context =
        CodeContext::read("lib/line.ex", Language::from_path("lib/line.ex").unwrap(), text, Some((1, 1)));
    assert_eq!(context.symbol(), Some("Line"));
    assert_eq!(context.subjects()[0].owner.as_deref(), Some("Order"));
}

#[test]
fn a_member_has_the_ancestors_of_its_owner() {
    let ancestors = |path: &str, text: &str| {
        let language = Language::from_path(path).unwrap();
        let context = CodeContext::read(path, language, text, Some((2, 2)));
        context.subjects()[0].ancestors.join(" ")
    };
    for (path, text, expected) in [
        ("a.py", "class Port(Base, abc.ABC):\n    def open(self): pass\n", "Base ABC"),
        ("a.rb", "class Port < Faces::Base\n  def open\n  end\nend\n", "Base"),
        ("A.java", "class Port extends Base<T> implements Face {\n  void open() {}\n}\n", "Base Face"),
        ("a.ts", "class Port extends Base<string> implements Face {\n  open() {}\n}\n", "Base Face"),
        ("A.cs", "class Port<T> : Base<T>, IFace {\n  void Open() {}\n}\n", "Base IFace"),
        ("a.kt", "class Port(val x: Int) : Base(x), Face {\n  fun open() {}\n}\n", "Base Face"),
        ("a.cpp", "struct Port final : public ns::Base {\n  void open() {}\n};\n", "Base"),
        ("a.rs", "impl Extract<'_> for Cow {\n    fn extract(&self) {}\n}\n", "Extract"),
        ("b.cs", "static class Ports {\n  public static void Open(this Port port) {}\n}\n", "Ports"),
        ("b.py", "class Port:\n    def open(self): pass\n", ""),
    ] {
        assert_eq!(ancestors(path, text), expected, "{path}");
    }
}

#[test]
fn an_import_of_a_file_beside_it_is_not_asked_about() {
    let asked = |line: &str| {
        let context = CodeContext::read("a.js", Language::JavaScript, line, Some((1, 1)));
        context.subjects().len()
    };
    assert_eq!((asked("const parser = require('./parser')\n"), asked("const parser = make()\n")), (0, 1));
}

#[test]
fn a_package_of_go_is_called_as_its_clause_says() {
    let package = |path: &str, text: &str| {
        let context = CodeContext::read(path, Language::from_path(path).unwrap(), text, Some((3, 3)));
        context.subjects()[0].package.clone()
    };
    assert_eq!(package("context.go", "package zerolog\n\nfunc Open() {}\n").as_deref(), Some("zerolog"));
    assert_eq!(package("main.go", "package main\n\nfunc Open() {}\n"), None);
    assert_eq!(package("a.rs", "\n\nfn open() {}\n"), None);
}

#[test]
fn a_line_is_not_copied_for_each_of_its_names() {
    let text = "A_b(c) ".repeat(20_000);
    let context = CodeContext::read("a.md", Language::Markdown, &text, Some((1, 1)));
    let n_bytes: usize = context.subjects().iter().map(|subject| subject.definition.len()).sum();
    assert!(!context.subjects().is_empty() && n_bytes <= MAX_USED_NAMES * MAX_DEFINITION_BYTES, "{n_bytes}");
}
