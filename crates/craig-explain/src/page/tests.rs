use super::*;

fn listed(text: &str) -> String {
    let page = Page::read("docs/a.md", text.to_owned(), 0);
    let mut list = String::new();
    for section in &page.sections {
        let names: Vec<String> = section
            .names
            .iter()
            .map(|HeadingName { named, is_all, is_call, .. }| {
                let marks = [(*is_all, "!"), (*is_call, "()")];
                let marks: String = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
                format!("{}.{}{marks}", named.owner, named.name)
            })
            .collect();
        list += &format!("{} {:?} {names:?}\n", section.outline.line, section.outline.heading);
        for unit in &section.units {
            let sentences: Vec<&str> = unit.sentences.iter().map(|range| &page.text[range.clone()]).collect();
            let defined = unit.defines.as_ref().map(|defined| defined.name.as_str()).unwrap_or_default();
            list += &format!("  {defined} {sentences:?}\n");
        }
    }
    list
}

#[test]
fn sections_list_what_they_are_about() {
    let text = "\
# Class: `Client`
The client. It is
*fast*.

### `client.request(options[, callback])`

* **options** `Object` - What to send. Nothing else.
* `callback` - Called.
  - deeper item

| Name | Meaning |
|---|---|
| `retries` | How often it tries. |

> A quote over
> two lines. One.

### unique [-MY]
```js
client.request()
```
### Why `retry` is hard
### About sorting
";
    expect_test::expect![[r#"
        1 "Class: `Client`" [".Client!"]
           ["The client.", "It is\n*fast*."]
        5 "`client.request(options[, callback])`" ["client.request!()"]
          options ["**options** `Object` - What to send.", "Nothing else."]
          callback ["`callback` - Called."]
           ["deeper item"]
           []
           []
          retries []
           []
          retries ["`retries` | How often it tries."]
           ["One."]
        18 "unique [-MY]" [".unique!"]
        22 "Why `retry` is hard" [".retry"]
        23 "About sorting" []
    "#]]
    .assert_eq(&listed(text));
}

#[test]
fn mentions_are_counted_by_where_they_stand() {
    let text = "Say `client.request(x)` and request.\n\n```\nclient.request()\nrequest\n```\n";
    let page = Page::read("a.md", text.to_owned(), 0);
    let of = |name: &str| page.sections[0].mentions.get(name).copied().unwrap_or_default();
    let request = of("request");
    assert_eq!((request.spans, request.fences, request.prose), (1, 2, 1));
    assert_eq!((of("client.request").spans, of("client.request").fences), (1, 1));
    assert_eq!(of("nothing"), Mentions::default());
}

#[test]
fn uses_of_a_name_are_counted_by_what_stands_around_it() {
    let text = "Use `a.retry(2)` or not `retry`.\n\n[`retry`](#retry)\n\n```\na.retry()\nretry\n```\n";
    let section = &Page::read("a.md", text.to_owned(), 0).sections[0];
    let retry = section.mentions["retry"];
    assert_eq!((retry.spans, retry.fences, retry.uses), (3, 2, 2));
}

#[test]
fn odd_documents_are_read_whole() {
    for text in [
        "",
        "\u{feff}# a",
        "```\n# open",
        "#",
        "####### seven",
        "# a\r\n\r\nb\r\n",
        "---\ntitle: x\n",
        "> # q\n> b",
    ] {
        let page = Page::read("a.md", text.to_owned(), 0);
        let whole: String =
            page.sections.iter().map(|section| &page.text[section.outline.bytes.clone()]).collect();
        assert_eq!(whole, text);
    }
}

#[test]
fn names_of_headings_are_found_through_markup_and_in_lists() {
    let defined = |heading: &str| {
        let names = heading_names(heading);
        names
            .iter()
            .map(|one| format!("{}{}", one.named.name, if one.is_all { "!" } else { "" }))
            .collect::<Vec<_>>()
    };
    assert_eq!(defined("<a name=\"alias\"></a>.alias(key, alias)"), ["alias!"]);
    assert_eq!(defined("<a name=\"x\"></a>\n.pkgConf(key, [cwd])"), ["pkgConf!"]);
    assert_eq!(defined("[`retry(times)`](#retry)"), ["retry!"]);
    assert_eq!(defined(".parse() and .parseAsync()"), ["parse!", "parseAsync!"]);
    assert_eq!(defined("`omit(a, b)`, `pick(a)`"), ["omit!", "pick!"]);
    assert_eq!(defined(".demand(count, [max]) [DEPRECATED]"), ["demand!"]);
    assert_eq!(defined("ajv.compile(schema: object) <Badge text=\"NEW\" />"), ["compile!"]);
    assert_eq!(defined("unit.valueOf ⇒ <code>string</code>"), ["valueOf!"]);
    assert_eq!(defined("Unit.parse(str) → Unit"), ["parse!"]);
    assert_eq!(defined("close(force) - Ends all"), ["close!"]);
    assert_eq!(defined("Install and use"), Vec::<String>::new());
    assert_eq!(defined("Promise<Function> of a<b"), Vec::<String>::new());
    assert_eq!(defined("Map<string, number>"), ["Map!"]);
    assert_eq!(defined("`var spy = sinon.spy(object);`"), ["spy!"]);
    assert_eq!(defined("`const x = 3`"), ["x!"]);
    assert_eq!(defined(r"\App\Errors\OrderError"), ["OrderError!"]);
    assert_eq!(defined(r"`App\\Errors\\OrderError`"), ["OrderError!"]);
    assert_eq!(defined(r"find\_all"), ["find_all!"]);
}

#[test]
fn an_entry_in_italics_is_called_by_what_is_in_them() {
    let text = "# Handlers\n\n- [_SocketHandler_](a.php): Writes to sockets.\n";
    let page = Page::read("a.md", text.to_owned(), 0);
    let defined = page.sections[0].units[0].defines.as_ref().map(|defined| defined.name.as_str());
    assert_eq!(defined, Some("SocketHandler"));
}
