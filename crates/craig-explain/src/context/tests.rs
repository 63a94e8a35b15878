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
            let marks = [
                (subject.is_exported, " exported"),
                (subject.is_private, " private"),
                (subject.kind.is_none(), " used"),
            ];
            let marks: String = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
            format!("{owner}{}{marks}", subject.name)
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
        4-10: Client exported | request | Client
        6-8: Client.request exported | request | Client
        6-6: Client.request exported | request | Client
        7-7: Client.request exported | request | Client
        9-9: Client.secret exported private | #secret | Client
        12-14: helper | helper | –
        13-13: helper, Client used, request used, GET used | helper | –
        16-16: Client.stream exported | stream | Client
        19-19: table | open | table
        1-1: a.js used | – | –
        1-999: Client exported | request | Client
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
    let text = "class _Parser {}\nexport { _Parser as Parser }\nfunction go () {}\nexports.run = go\n";
    let aliases = |line| {
        CodeContext::read("a.js", Language::JavaScript, text, Some((line, line))).subjects()[0]
            .aliases
            .clone()
    };
    assert_eq!(aliases(1), ["Parser"]);
    assert_eq!(aliases(3), ["run"]);
}

/// The first subject of a line: its owner, name, whether it is exported, and what stands beside it.
fn subject_at(code: &str, line: usize) -> String {
    let context = CodeContext::read("lib/a.js", Language::JavaScript, code, Some((line, line)));
    let subject = &context.subjects()[0];
    let owner = subject.owner.as_deref().unwrap_or("–");
    let exported = if subject.is_exported { "exported" } else { "kept" };
    format!("{owner}.{} {exported} beside {:?}", subject.name, subject.siblings)
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
Object.assign(Foo.prototype, {
  mixed () {
    return 1
  },
})
const local = {
  go () {},
}
module.exports = {
  accepts (type) { return type },
  local,
}
";
    expect_test::expect![[r#"
        –.throw exported beside ["size"]
        –.throw exported beside ["size"]
        –.size exported beside ["throw"]
        Foo.mixed kept beside []
    "#]]
    .assert_eq(&[3, 5, 8, 12].map(|line| subject_at(code, line) + "\n").concat());
    assert!(subject_at(code, 16).contains(".go kept"), "{}", subject_at(code, 16));
    assert!(subject_at(code, 15).contains("local exported"), "{}", subject_at(code, 15));
    assert!(subject_at(code, 19).contains("accepts exported"), "{}", subject_at(code, 19));
}

#[test]
fn members_that_a_function_makes_are_subjects_where_a_selection_begins_with_them() {
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
    assert!(subject_at(code, 3).contains("api.start kept"), "{}", subject_at(code, 3));
    assert!(subject_at(code, 6).contains("api.stop kept"), "{}", subject_at(code, 6));
    assert!(subject_at(code, 4).contains(".make kept"), "{}", subject_at(code, 4));
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
        (subject.owner.clone().unwrap_or_default(), subject.name.clone(), subject.is_exported)
    };
    let expected = [
        (2, ("config", "maxDepth", true)),
        (4, ("hooks", "before", false)),
        (6, ("config", "open", true)),
        (9, ("Options", "timeout", true)),
        (11, ("retry", "count", false)),
        (15, ("send", "finish", false)),
        // What is handed to a call is no property of anything: it stands in the function.
        (17, ("send", "finish", false)),
        (20, ("auth", "credentials", false)),
    ];
    for (line, (owner, name, is_exported)) in expected {
        assert_eq!(found(line), (owner.into(), name.into(), is_exported), "line {line}");
    }
}

#[test]
fn a_line_that_begins_with_a_sign_is_no_member() {
    let code = "const table = {\n  →a: 1,\n}\n";
    let context = CodeContext::read("a.js", Language::JavaScript, code, Some((2, 2)));
    assert_eq!(context.subjects()[0].name, "table");
    // What a sign stands before is cut behind the sign, however many bytes it has.
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
fn what_a_type_extends_and_implements_are_its_ancestors() {
    let ancestors = |path: &str, language: Language, text: &str, line: usize| {
        CodeContext::read(path, language, text, Some((line, line))).subjects()[0].ancestors.join(" ")
    };
    let rust = "struct Cow;\ntrait Extract {}\nimpl Extract for Cow {\n    fn extract(&self) {}\n}\n";
    assert_eq!(ancestors("a.rs", Language::Rust, rust, 4), "Extract");
    let python = "class Widget(Base, Shown):\n    def draw(self):\n        pass\n";
    assert_eq!(ancestors("a.py", Language::Python, python, 2), "Base Shown");
    let java = "class Widget extends Base implements Shown {\n  void draw() {}\n}\n";
    assert_eq!(ancestors("Widget.java", Language::Java, java, 1), "Base Shown");
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
