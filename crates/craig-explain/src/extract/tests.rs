use super::*;

/// The quotes about `start` from all sections of a text, each with its citation.
fn quoted(text: &str) -> Vec<String> {
    quoted_of("start", text)
}

fn quoted_of(name: &str, text: &str) -> Vec<String> {
    let library = Library::of_texts(vec![("README.md".into(), text.into())]);
    let cited: Vec<Cited> =
        (0..library.n_sections()).map(|at| Cited { at, is_owned: true, is_headed_by_owner: true }).collect();
    let subject = Subject { name: name.into(), kind: Some(ChunkKind::Function), ..Subject::default() };
    let sentence = |quote: Quote| {
        format!("{} {}", quote.citation, &library.place(cited[quote.citation].at).page.text[quote.bytes])
    };
    quotes(&library, &cited, &subject).into_iter().map(sentence).collect()
}

#[test]
fn a_section_of_the_name_is_quoted_from_its_beginning() {
    let text = "# start\nComposes the parts, from left to right. Order matters a lot. Errors stop it. Call `start` once.\n";
    let expected =
        ["0 Composes the parts, from left to right.", "0 Order matters a lot.", "0 Call `start` once."];
    assert_eq!(quoted(text), expected);
}

#[test]
fn a_short_sentence_is_quoted_where_there_is_no_other() {
    assert_eq!(quoted("# start\nGoes on.\n"), ["0 Goes on."]);
    assert_eq!(quoted("# start\nGoes on. It begins the whole work.\n"), ["0 It begins the whole work."]);
    assert_eq!(quoted("# start\nExample\n"), Vec::<String>::new());
}

#[test]
fn a_row_of_a_table_is_quoted_whole() {
    let text = "# Methods\n\n| Name | Meaning |\n|---|---|\n| `start()` | Begins. |\n| `stop()` | Ends the work. |\n";
    assert_eq!(quoted(text), ["0 `start()` | Begins."]);
}

#[test]
fn an_entry_is_quoted_with_what_follows_it() {
    let text =
        "# Methods\n\n- `start()`\n\n  Begins the work. Call it once.\n- `stop()`\n\n  Ends it at once.\n";
    assert_eq!(quoted(text), ["0 Begins the work.", "0 Call it once."]);
}

#[test]
fn a_row_without_words_is_not_quoted() {
    let text = "# Methods\n\n| Name | Type |\n|---|---|\n| `start()` | `Server` |\n";
    assert_eq!(quoted(text), Vec::<String>::new());
}

#[test]
fn an_entry_ends_where_the_list_goes_on() {
    let text =
        "# Methods\n\n- `start()` begins the work.\n- Never call anything twice.\n\nAll of this is safe.\n";
    assert_eq!(quoted(text), ["0 `start()` begins the work."]);
    let text = "# Methods\n\n`start()`\n\nBegins the whole work.\n";
    assert_eq!(quoted(text), ["0 Begins the whole work."]);
}

#[test]
fn what_announces_is_quoted_with_what_it_announces_alone() {
    assert_eq!(quoted("# start\nThis is the same as:\n\n- one\n- two\n"), Vec::<String>::new());
    assert_eq!(quoted("# Methods\n\n- `start()` has these options:\n  - one\n"), Vec::<String>::new());
}

#[test]
fn a_sentence_that_goes_on_is_quoted_behind_the_one_before() {
    let text = "# Usage\nAll parts are checked. This is what `start` does first. Nothing else is.\n";
    let expected = ["0 All parts are checked.", "0 This is what `start` does first.", "0 Nothing else is."];
    assert_eq!(quoted(text), expected);
    let text = "# Usage\n- This is what `start` does first.\n";
    assert_eq!(quoted(text), Vec::<String>::new());
}

#[test]
fn a_sample_is_quoted_where_the_prose_says_little() {
    let text = "# start\n\n```js\nawait start() // opens the port\n```\n";
    assert_eq!(quoted(text), ["0 ```js\nawait start() // opens the port\n```"]);
    let text = "# Usage\n\nOpen the port before anything else:\n\n```js\nopenPort()\nstart()\n```\n";
    let sample = "0 ```js\nopenPort()\nstart()\n```";
    assert_eq!(quoted_of("openPort", text), ["0 Open the port before anything else:", sample]);
    assert_eq!(quoted_of("start", text), Vec::<String>::new(), "samples have plain words of anything");
}

#[test]
fn a_short_sample_shows_what_it_calls() {
    let text = "# Time zones\nUTC is supported directly, too:\n\n```js\nDate.now().toUtc()\n```\n";
    assert_eq!(quoted_of("toUtc", text).len(), 2);
    assert_eq!(quoted_of("now", text).len(), 0);
}

#[test]
fn a_long_sample_shows_nothing() {
    let long = format!("# Usage\n\nOpen it:\n\n```js\nopenPort()\n{}```\n", "go()\n".repeat(20));
    assert_eq!(quoted_of("openPort", &long), Vec::<String>::new());
}

#[test]
fn a_heading_has_all_words_of_a_name_of_several_or_is_the_one_word() {
    assert_eq!(quoted_of("openPort", "# Opening a port\nWaits for callers.\n"), ["0 Waits for callers."]);
    assert_eq!(quoted_of("Lru", "# LRU\nForgets the oldest values.\n"), ["0 Forgets the oldest values."]);
    assert_eq!(quoted_of("Input", "# All about inputs\nEvery program has some.\n"), Vec::<String>::new());
}

#[test]
fn a_sentence_is_about_the_name_that_it_begins_with() {
    for sentence in ["The `Client` sends it.", "`Client` sends it.", "Use `net.Client` to send."] {
        assert!(begins_with(sentence, "Client"), "{sentence}");
    }
    for sentence in ["`Client.close()` closes.", "`Client::close`", "Client-side code is run."] {
        assert!(!begins_with(sentence, "Client"), "{sentence}");
    }
    assert!(begins_with("`client.close()` closes.", "close"));
    assert!(!begins_with("When needed, you can send just a `Client`.", "Client"));
    assert!(!begins_with("You start the engine.", "start"));
}

#[test]
fn a_quote_is_direct_below_a_heading_that_is_the_name_and_no_fragment() {
    let is_direct_in = |text: &str| {
        let library = Library::of_texts(vec![("README.md".into(), text.into())]);
        let subject = Subject { name: "start".into(), ..Subject::default() };
        let cited = Cited { at: 0, is_owned: true, is_headed_by_owner: true };
        let quotes = quotes(&library, &[cited], &subject);
        quotes.first().is_some_and(|first| is_direct(&library, cited, &subject, &first.bytes))
    };
    assert!(is_direct_in("# start\nComposes the parts, from left to right.\n"));
    assert!(is_direct_in("# The `start` method\nComposes the parts, from left to right.\n"));
    assert!(!is_direct_in("# start\nFirst you have to open all of these:\n"));
    assert!(is_direct_in("# Usage\n`start` opens all ports at once.\n"));
    assert!(!is_direct_in(
        "# Usage\n\n| A | B |\n|---|---|\n| other | Prints `App.start` again and again |\n"
    ));
    assert!(!is_direct_in("# start\n- the parts that are composed, from left to right\n"));
    assert!(!is_direct_in("# Types must not be like `start`\nThis is a rule of severity one.\n"));
}

/// The quotes about a member of `Version`.
fn quoted_of_member(kind: ChunkKind, is_owned: bool, text: &str) -> Vec<String> {
    let library = Library::of_texts(vec![("docs/a.md".into(), text.into())]);
    let subject = Subject {
        name: "minor".into(),
        owner: Some("Version".into()),
        kind: Some(kind),
        ..Subject::default()
    };
    let quotes = quotes(&library, &[Cited { at: 0, is_owned, is_headed_by_owner: is_owned }], &subject);
    quotes.into_iter().map(|quote| library.place(0).page.text[quote.bytes].to_owned()).collect()
}

#[test]
fn a_member_is_bound_by_its_owner() {
    let none = Vec::<String>::new();
    let headed = "# minor\nCounts what was added.\n";
    assert_eq!(quoted_of_member(ChunkKind::Method, true, headed), ["Counts what was added."]);
    assert_eq!(quoted_of_member(ChunkKind::Method, false, headed), none);
    let plain = "# Numbers\nThere are `major` and `minor` of them.\n";
    assert_eq!(quoted_of_member(ChunkKind::Method, true, plain).len(), 1);
    assert_eq!(quoted_of_member(ChunkKind::Constant, false, plain), none, "a field that is a plain word");
    let called = "# Numbers\nGet the second one by `.minor()` of it.\n";
    assert_eq!(quoted_of_member(ChunkKind::Method, false, called).len(), 1, "a call is a method's");
    assert_eq!(quoted_of_member(ChunkKind::Constant, false, called), none);
    let with_owner = "# Numbers\nSet the `minor` property of your `Version`.\n";
    assert_eq!(quoted_of_member(ChunkKind::Constant, false, with_owner).len(), 1);
    let owned = "# Numbers\nThere is `Version.minor`, too.\n\nOther things have `minor`, as well.\n";
    assert_eq!(quoted_of_member(ChunkKind::Constant, false, owned), ["There is `Version.minor`, too."]);
    let foreign = "# minor\nUse `Release.minor` here.\n# `Release.minor`\nOf a release.\n";
    assert_eq!(quoted_of_member(ChunkKind::Method, false, foreign), none);
}

#[test]
fn a_heading_that_has_a_word_among_others_is_not_about_it() {
    let text = "# Bundled parsers\nInstall them all at once.\n\n- Call `Parser()` for one.\n";
    assert_eq!(quoted_of("Parser", text), ["0 Call `Parser()` for one."]);
    let text = "# Factory.register_one\nRegisters one at a time.\n";
    assert_eq!(quoted_of("FactoryOne", text), Vec::<String>::new());
    let text = "# `OpenPort.name` was added\nKeep the names of before.\n";
    assert_eq!(quoted_of("OpenPort", text), Vec::<String>::new());
}

#[test]
fn a_referral_is_no_description() {
    let text = "# Usage\nSee also the pages on `openPort()` for more. Call `openPort()` first.\n";
    assert_eq!(quoted_of("openPort", text), ["0 Call `openPort()` first."]);
}

#[test]
fn the_row_of_the_own_module_is_quoted() {
    let rows =
        "| `etcd` | `etcd.open(x)` | Opens an etcd. |\n| `vault` | `vault.open(x)` | Opens a vault. |\n";
    let text = format!("# Kinds\n\n| Name | Call | Meaning |\n|---|---|---|\n{rows}");
    let library = Library::of_texts(vec![("README.md".into(), text)]);
    let quoted_in = |homes: &[&str]| -> Vec<String> {
        let homes = homes.iter().map(|home| (*home).to_owned()).collect();
        let kind = Some(ChunkKind::Function);
        let subject = Subject { name: "open".into(), kind, homes, ..Subject::default() };
        let quotes =
            quotes(&library, &[Cited { at: 0, is_owned: false, is_headed_by_owner: false }], &subject);
        quotes.into_iter().map(|quote| library.place(0).page.text[quote.bytes].to_owned()).collect()
    };
    assert_eq!(quoted_in(&["vault"]), ["`vault` | `vault.open(x)` | Opens a vault."]);
    assert_eq!(quoted_in(&["consul"]), Vec::<String>::new());
}

/// What is quoted of a subject that the documentation says no owner of, from the first of some sections.
fn quoted_unowned(subject: &Subject, pages: &[(&str, &str)], at: usize) -> Vec<String> {
    let texts = pages.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let library = Library::of_texts(texts);
    let cited = Cited { at, is_owned: false, is_headed_by_owner: false };
    let text = |quote: Quote| library.place(at).page.text[quote.bytes].to_owned();
    quotes(&library, &[cited], subject).into_iter().map(text).collect()
}

fn named(name: &str, kind: ChunkKind) -> Subject {
    Subject { name: name.into(), kind: Some(kind), ..Subject::default() }
}

#[test]
fn an_announcement_that_a_section_begins_with_is_quoted_with_what_follows() {
    let text = "# start\nOpens the port and waits for callers where:\n- `port` is the number of the port.\n";
    let expected = ["0 Opens the port and waits for callers where:", "0 `port` is the number of the port."];
    assert_eq!(quoted(text), expected);
}

#[test]
fn a_summary_is_about_what_the_heading_above_it_names() {
    let text =
        "# openPort\n## Summary\nWaits for callers at once.\n## Returns\nNothing that anybody needs.\n";
    let of = |at| quoted_unowned(&named("openPort", ChunkKind::Function), &[("a.md", text)], at);
    assert_eq!(of(1), ["Waits for callers at once."]);
    assert_eq!(of(2), Vec::<String>::new());
}

#[test]
fn an_argument_is_neither_a_function_nor_a_type() {
    let text = "# Extensions\nWhere:\n- `type`: the kind of schema.\n- **Cleanup**: what is done at last.\n";
    let of = |name, kind| quoted_unowned(&named(name, kind), &[("a.md", text)], 0).len();
    assert_eq!(of("type", ChunkKind::Function), 0);
    assert_eq!(of("type", ChunkKind::Method), 1);
    assert_eq!(of("Cleanup", ChunkKind::Type), 0);
    let call = [("a.md", "# Methods\n- `type(x)`: makes a schema of it.\n")];
    assert_eq!(quoted_unowned(&named("type", ChunkKind::Function), &call, 0).len(), 1);
}

#[test]
fn a_short_sentence_is_quoted_with_the_one_that_goes_on_from_it() {
    let text = "# Usage\nThere are several `openPort` methods. These take a number or a name. All wait.\n";
    let expected = ["0 There are several `openPort` methods.", "0 These take a number or a name."];
    assert_eq!(quoted_of("openPort", text), expected);
}

#[test]
fn a_sentence_that_the_name_says_as_well_is_not_quoted() {
    assert_eq!(quoted_of("OpenPort", "# OpenPort\nOpen port interface.\n"), Vec::<String>::new());
}

#[test]
fn notes_of_changes_explain_nothing() {
    let notes = "Added `openPort()`, which opens one.\n";
    let subject = named("openPort", ChunkKind::Function);
    let n_from = |path: &str| quoted_unowned(&subject, &[(path, notes)], 0).len();
    let of_changes =
        ["CHANGELOG.md", "blog/first.md", "migration/v3-to-v4.md", "MIGRATION-0.x.md", "ROADMAP.md"];
    let of_plans = ["rfcs/0012-ports.md", "sep/sep-015.md", "doc/PLAN-ports.md"];
    for path in of_changes.into_iter().chain(of_plans) {
        assert_eq!(n_from(path), 0, "{path}");
    }
    assert_eq!((n_from("ports.md"), n_from("docs/migrations.md")), (1, 1));
}

#[test]
fn internals_are_explained_by_pages_on_internals_alone() {
    let text = "Use `openPort()` to open one of the ports.\n";
    let homes = ["src", "internal", "ports"].map(str::to_owned).to_vec();
    let internal = Subject { homes, ..named("openPort", ChunkKind::Function) };
    let of_program = Subject { package: Some("internal".into()), ..internal.clone() };
    let n_from = |subject: &Subject, path: &str| quoted_unowned(subject, &[(path, text)], 0).len();
    assert_eq!((n_from(&internal, "usage.md"), n_from(&internal, "internals.md")), (0, 1));
    assert_eq!(n_from(&of_program, "usage.md"), 1);
}

#[test]
fn tasks_requirements_and_bare_rows_are_not_quoted() {
    let text = "# OpenPort\n\nRequires Ruby version 4.0\n\n| Enabled | Safe | Version |\n|---|---|---|\n| Pending | Always \
        (Unsafe) | 1.84 |\n\nIdentifies places where a port is opened twice.\n\n- [ ] Add `OpenPort` to the list of all cops.\n";
    assert_eq!(quoted_of("OpenPort", text), ["0 Identifies places where a port is opened twice."]);
}

#[test]
fn a_plain_word_amidst_code_is_a_part_of_something_else() {
    assert!(mentions_name("Use `missing` here.", "missing") && mentions_name("It is `@missing`.", "missing"));
    assert!(mentions_name("Call `x.missing()`.", "missing"));
    assert!(!mentions_name("By `missing parts: {1}`.", "missing"));
    assert!(
        !mentions_name("Use `ignore missing` here.", "missing")
            && !mentions_name("By `{ \"code\": 80 }`.", "code")
    );
}

#[test]
fn the_entry_of_another_name_is_about_that_one() {
    let text =
        "# Usage\n- `closePort` waits until `openPort` is done.\n- Before that, call `openPort` once.\n";
    assert_eq!(quoted_of("openPort", text), ["0 Before that, call `openPort` once."]);
}

#[test]
fn what_is_all_code_is_not_quoted() {
    for text in ["`openPort(x) => Port`", "▸ static `openPort` of a port"] {
        assert_eq!(quoted_of("openPort", &format!("# Usage\n{text}\n")), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_words_of_another_name_are_there_by_chance() {
    assert_eq!(
        quoted_of("BlockStart", "# `BlockStartParser`\nReads the first line.\n"),
        Vec::<String>::new()
    );
}

#[test]
fn a_type_is_not_the_event_of_the_same_word() {
    let text = "# `progress`\nIs emitted again and again.\n";
    assert_eq!(quoted_of("progress", text), ["0 Is emitted again and again."]);
    assert_eq!(quoted_of("Progress", text), Vec::<String>::new());
}

#[test]
fn a_word_of_the_prose_is_no_name() {
    assert_eq!(quoted("# Usage\nYou start the engine with a key.\n"), Vec::<String>::new());
}

#[test]
fn links_images_and_other_names_are_not_quoted() {
    let text = "\
# start
[![Build](a.svg)](b)
- [How to start it](#start)
- See [the documentation of starting](https://example.org)

Begins the whole work.
# stop
This ends the whole work.
# Usage
You have to call `start` before.
";
    assert_eq!(quoted(text), ["0 Begins the whole work.", "2 You have to call `start` before."]);
}

#[test]
fn few_words_are_quoted_with_the_sentence_beside_them() {
    let of = |text: &str| quoted_of("openPort", text);
    let after = "# Usage\nCallers are met by `openPort`. They wait until it is done.\n";
    assert_eq!(of(after), ["0 Callers are met by `openPort`.", "0 They wait until it is done."]);
    let before = "# Usage\nNames of kinds of ports are case-sensitive.\n\nOne of them is `openPort`.\n";
    let expected = ["0 Names of kinds of ports are case-sensitive.", "0 One of them is `openPort`."];
    assert_eq!(of(before), expected);
    let other = "# Usage\nCallers are met by `openPort`. `closePort` sends them away.\n";
    assert_eq!(of(other), ["0 Callers are met by `openPort`."]);
    let listed = "# Usage\n- Callers are met by `openPort`.\n- All others are sent away.\n";
    assert_eq!(of(listed), ["0 Callers are met by `openPort`."]);
}

#[test]
fn what_an_announcement_lists_is_quoted_whole() {
    let items = ["The number of a port.", "The name of another host.", "All addresses at once."];
    let list: String = items.iter().map(|item| format!("- {item}\n")).collect();
    let headed = format!("# start\nWaits for callers, who are met at any of:\n{list}");
    assert_eq!(quoted(&headed).len(), 1 + items.len());
    let entry = format!("# Usage\n`openPort` can be given:\n\n{list}");
    assert_eq!(quoted_of("openPort", &entry).len(), 1 + items.len());
}

#[test]
fn a_namesake_of_the_code_is_not_quoted() {
    let owner = Some("Autospied".into());
    let subject = Subject { owner, ..named("setKind", ChunkKind::Method) };
    let distinguished = Subject { namesakes: vec!["TestModule".into()], ..subject.clone() };
    let of = |subject: &Subject, path: &str, text: &str| quoted_unowned(subject, &[(path, text)], 0).len();
    let [page, headed] =
        ["# Usage\nCall `setKind()` at first.\n", "# test module\nCall `setKind()` at first.\n"];
    assert_eq!((of(&subject, "a.md", page), of(&distinguished, "a.md", page)), (1, 1));
    assert_eq!((of(&subject, "test-module.md", page), of(&distinguished, "test-module.md", page)), (1, 0));
    assert_eq!((of(&subject, "a.md", headed), of(&distinguished, "a.md", headed)), (1, 0));
}

#[test]
fn words_of_other_names_in_a_heading_are_none_of_it() {
    let route = Subject { owner: Some("Router".into()), ..named("route", ChunkKind::Method) };
    let text = "# What `S` in `Router<S>` means\nIt is the state that is missing.\n";
    assert_eq!(quoted_unowned(&route, &[("a.md", text)], 0), Vec::<String>::new());
    let text = "# Pool: resetOnRelease\nConnections are made anew each time.\n";
    assert_eq!(quoted_of("reset", text), Vec::<String>::new());
    let schema = named("CoreSchema", ChunkKind::Type);
    let text = "# Implementing `__get_core_schema__`\nTypes may implement it at will.\n";
    assert_eq!(quoted_unowned(&schema, &[("a.md", text)], 0), Vec::<String>::new());
}

#[test]
fn what_is_called_is_no_type() {
    let text = "# `z.input()`\nReplaces each pipe by what goes in.\n";
    let of = |kind: ChunkKind| quoted_unowned(&named("input", kind), &[("a.md", text)], 0).len();
    assert_eq!((of(ChunkKind::Function), of(ChunkKind::Type)), (1, 0));
}

#[test]
fn a_sentence_on_something_else_of_its_kind_is_not_quoted() {
    assert_eq!(
        quoted_of("Service", "# Usage\n`Service` guards values of this type.\n"),
        Vec::<String>::new()
    );
    assert_eq!(quoted_of("Service", "# Usage\nEach `Service` instance has a port.\n").len(), 1);
    assert_eq!(quoted_of("Service", "# Service\nGuards values of this type.\n").len(), 1);
}

#[test]
fn below_two_headings_of_a_page_a_name_is_that_of_two_things() {
    let quoted_below = |above: &str| {
        let text = format!("# Port\n## `start`\nSends the head.\n# {above}\n## `start`\nOpens a socket.\n");
        let library = Library::of_texts(vec![("a.md".into(), text)]);
        let cited = [1, 3].map(|at| Cited { at, is_owned: true, is_headed_by_owner: true });
        quotes(&library, &cited, &named("start", ChunkKind::Method)).len()
    };
    assert_eq!((quoted_below("Port"), quoted_below("Socket")), (2, 1));
}

#[test]
fn a_caveat_is_no_description() {
    let text = "# openPort\n⚠️ Unlike its name, it shuts ports. It is for experts.\n\nOpens the next port at once.\n";
    assert_eq!(quoted_of("openPort", text), ["0 Opens the next port at once."]);
    assert_eq!(quoted_of("openPort", "# Usage\nNote that `openPort` waits.\n"), Vec::<String>::new());
    let changes = "# Upgrading from 2 to 3\nCall `openPort` instead of all others.\n# Upgrade requests\nCall `openPort` at first.\n";
    assert_eq!(quoted_of("openPort", changes).len(), 0);
}

#[test]
fn sentences_without_spaces_are_quoted() {
    let chinese = "# 用户\n`fetchUser` 根据用户编号从数据库读取用户信息。用户不存在时返回空值！\n";
    assert_eq!(
        quoted_of("fetchUser", chinese),
        ["0 `fetchUser` 根据用户编号从数据库读取用户信息。", "0 用户不存在时返回空值！"]
    );
    let list = "# 列表\n- `openPort`：在指定的地址上监听连接请求\n- `closePort`：好\n";
    assert_eq!(quoted_of("openPort", list), ["0 `openPort`：在指定的地址上监听连接请求"]);
    assert_eq!(quoted_of("closePort", list), Vec::<String>::new());
    let japanese = "# 使い方\n先に`open_port`関数を呼び出してください。接続が始まります。\n\n\
        ## `fetch_user`\n指定されたIDのユーザーをデータベースから取得します。\n";
    assert_eq!(
        quoted_of("open_port", japanese),
        ["0 先に`open_port`関数を呼び出してください。", "0 接続が始まります。"]
    );
    let headed = "# `fetch_user`\n指定されたIDのユーザーをデータベースから取得します。\n";
    assert_eq!(quoted_of("fetch_user", headed), ["0 指定されたIDのユーザーをデータベースから取得します。"]);
    assert_eq!(quoted_of("start", "# start\n次のとおりです：\n\n- `a`\n"), Vec::<String>::new());
}

#[test]
fn two_sentences_without_spaces_are_two() {
    let text = "# start\n注册所有的服务接口。`start` 监听端口并等待客户端的连接。`start` 写入日志文件。\n";
    assert_eq!(quoted(text).len(), 3);
}
