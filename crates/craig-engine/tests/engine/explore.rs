//! What answers, with what is around it.

use craig_engine::{Detail, ExploreRequest, Guesses, SearchRequest};
use expect_test::{Expect, expect};

use crate::symbol_graph::FILES;
use crate::workshop::Workshop;

fn check(question: &str, request: &ExploreRequest, expect: Expect) {
    let workshop = Workshop::with_files(FILES);
    workshop.ingest();
    let explored = workshop.engine.explore("tree", question, request).unwrap();
    expect.assert_eq(&explored.text());
}

#[test]
fn a_name_is_shown_with_its_callers_callees_and_tests() {
    check(
        "price_of",
        &ExploreRequest::default(),
        expect![[r#"
            shop/prices.py:1-14  price_of 4-5, rounded 8-9, Invoice.total 13-14  82%
            1	# The price of an item,
            2	# in cents.
            3	@cached
            4	def price_of(item):
            5	    return rounded(item.price)
            6	
            7	
            8	def rounded(price):
            9	    return round(price)
            10	
            11	
            12	class Invoice:
            13	    def total(self):
            14	        return rounded(0)
            price_of called by
              Cart.total  shop/cart.py:10-12 at 12
                Cart.is_free  shop/cart.py:14-15 at 15
                main  shop/main.py:4-6 at 6
                  top level  shop/main.py:9
            tested by test_total  tests/test_cart.py:4

            The code above counts as read.
        "#]],
    );
    check(
        "Cart.total",
        &ExploreRequest::default(),
        expect![[r#"
            shop/cart.py:1-15  Cart.__init__ 7-8, Cart.total 10-12, Cart.is_free 14-15  85%
            1	from shop.prices import price_of
            2	
            3	
            4	class Cart:
            5	    """What a customer buys."""
            6	
            7	    def __init__(self, items):
            8	        self.items = items
            9	
            10	    def total(self):
            11	        # Sums the prices.
            12	        return sum(price_of(item) for item in self.items)
            13	
            14	    def is_free(self):
            15	        return self.total() == 0
            calls price_of  shop/prices.py:4-5
            Cart.total called by
              Cart.is_free  :14-15 at 15
              main  shop/main.py:4-6 at 6
                top level  shop/main.py:9
            tested by test_total  tests/test_cart.py:4

            The code above counts as read.
        "#]],
    );
}

#[test]
fn a_question_is_answered_with_guesses_within_a_path() {
    let request = ExploreRequest {
        guesses: Guesses { names: vec!["total".into()], code: vec!["return sum(prices)".into()] },
        path: Some("shop".into()),
        ..ExploreRequest::default()
    };
    check(
        "what does somebody have to pay",
        &request,
        expect![[r#"
            shop/cart.py:1-15  Cart.__init__ 7-8, Cart.total 10-12, Cart.is_free 14-15  25%
            1	from shop.prices import price_of
            2	
            3	
            4	class Cart:
            5	    """What a customer buys."""
            6	
            7	    def __init__(self, items):
            8	        self.items = items
            9	
            10	    def total(self):
            11	        # Sums the prices.
            12	        return sum(price_of(item) for item in self.items)
            13	
            14	    def is_free(self):
            15	        return self.total() == 0
            Cart.total called by
              Cart.is_free  :14-15 at 15
              main  shop/main.py:4-6 at 6
                top level  shop/main.py:9
            tested by test_total  tests/test_cart.py:4

            shop/prices.py:1-14  price_of 4-5, rounded 8-9, Invoice.total 13-14  8%
            1	# The price of an item,
            2	# in cents.
            3	@cached
            4	def price_of(item):
            5	    return rounded(item.price)
            6	
            7	
            8	def rounded(price):
            9	    return round(price)
            10	
            11	
            12	class Invoice:
            13	    def total(self):
            14	        return rounded(0)

            The code above counts as read.
        "#]],
    );
    check(
        "which volcanoes erupted",
        &ExploreRequest::default(),
        expect![[r#"
            nothing here seems to answer this; closest:
              shop/prices.py:1-14  price_of  1%
              shop/main.py:1-9  main  1%
              README.md:1-1  0%
              shop/cart.py:1-15  Cart  0%
            Ask again with names that the code may use and a line of code that it may contain.
        "#]],
    );
}

#[test]
fn the_calls_between_what_is_named_are_shown_in_order() {
    let workshop = Workshop::with_files(FILES);
    workshop.ingest();
    let request = ExploreRequest {
        guesses: Guesses { names: vec!["main".into(), "rounded".into()], code: Vec::new() },
        ..ExploreRequest::default()
    };
    let explored = workshop.engine.explore("tree", "how main comes to round a price", &request).unwrap();
    let names: Vec<Vec<&str>> =
        explored.ways.iter().map(|way| way.iter().map(|step| step.name.as_str()).collect()).collect();
    assert_eq!(names, [["main", "Cart.total", "price_of", "rounded"]]);
    assert!(
        explored
            .text()
            .contains("calls in order: main  shop/main.py:4-6 → Cart.total  shop/cart.py:10-12 → ")
    );
}

#[test]
fn a_member_that_is_named_is_shown_with_its_own_tests() {
    let member = |at: usize| {
        let lines: String = (0..9).map(|n| format!("        total += self.items[{n}] * {at}\n")).collect();
        format!("\n    def sum_{at}(self):\n        total = 0\n{lines}        return total\n")
    };
    let members: String = (0..8).map(member).collect();
    let class = format!("class Cart:\n    def __init__(self, items):\n        self.items = items\n{members}");
    let tests = "from cart import Cart\n\n\ndef test_first():\n    assert Cart([]).sum_0() == 0\n\n\ndef test_last():\n    assert Cart([1]).sum_7() == 1\n";
    let workshop = Workshop::with_files(&[("cart.py", class.as_str()), ("tests/test_cart.py", tests)]);
    workshop.ingest();
    let request = ExploreRequest { path: Some("cart.py".into()), ..ExploreRequest::default() };
    let tested = |question: &str| {
        let explored = workshop.engine.explore("tree", question, &request).unwrap();
        explored.text().lines().find(|line| line.contains("tested by")).unwrap_or_default().to_owned()
    };
    expect![[r#"
        tested by test_last  tests/test_cart.py:8
        Cart tested by test_first  tests/test_cart.py:4; test_last  tests/test_cart.py:8"#]]
    .assert_eq(&["Cart.sum_7", "Cart"].map(tested).join("\n"));
}

const FINDERS: &[(&str, &str)] = &[
    ("src/Finder.java", "interface Finder {\n  boolean applies(String path);\n}\n"),
    (
        "src/First.java",
        "class First implements Finder {\n  public boolean applies(String path) { return path.isEmpty(); }\n}\n",
    ),
    (
        "src/Second.java",
        "class Second implements Finder {\n  Finder first;\n  public boolean applies(String path) { return first.applies(path); }\n  void \
         find() { first.applies(\"\"); }\n}\n",
    ),
    ("test/SecondTest.java", "class SecondTest {\n  @Test void finds() { new Second().find(); }\n}\n"),
];

#[test]
fn a_member_that_only_its_interface_is_called_for_has_those_callers() {
    let workshop = Workshop::with_files(FINDERS);
    workshop.ingest();
    let explored = workshop.engine.explore("tree", "First.applies", &ExploreRequest::default()).unwrap();
    let text = explored.text();
    let calls = text.lines().skip_while(|line| !line.contains("called through")).take(4);
    expect![[r#"
        called through Finder.applies by
          Second.applies  src/Second.java:3 at 3
          Second.find  src/Second.java:4 at 4
        tested through Finder.applies by SecondTest.finds  test/SecondTest.java:2"#]]
    .assert_eq(&calls.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_member_does_not_run_another_that_overrides_the_same() {
    let workshop = Workshop::with_files(&[
        ("src/Task.java", "abstract class Task {\n  abstract void run();\n}\n"),
        ("src/Open.java", "class Open extends Task {\n  void run() { read(); }\n  void read() {}\n}\n"),
        ("src/Save.java", "class Save extends Task {\n  void run() { write(); }\n  void write() {}\n}\n"),
        ("src/Runner.java", "class Runner {\n  void start(Task task) { task.run(); }\n}\n"),
    ]);
    workshop.ingest();
    let guesses = Guesses { names: vec!["Open.run".into(), "Save.write".into()], code: Vec::new() };
    let request = ExploreRequest { guesses, ..ExploreRequest::default() };
    let explored = workshop.engine.explore("tree", "what runs", &request).unwrap();
    let names: Vec<Vec<&str>> =
        explored.ways.iter().map(|way| way.iter().map(|step| step.name.as_str()).collect()).collect();
    assert_eq!(names, [["Runner.start", "Save.run", "Save.write"]]);
}

#[test]
fn a_function_that_calls_link_to_the_answer_is_listed() {
    let filler: String = (0..9).map(|n| format!("def unrelated_{n}(x):\n    return x * {n}\n\n\n")).collect();
    let steps = [
        (
            "src/desk.py",
            "from src.belt import hand_on\n\n\ndef receive_parcel(parcel):\n    hand_on(parcel)\n",
        ),
        ("src/belt.py", "from src.yard import vanish\n\n\ndef hand_on(thing):\n    vanish(thing)\n"),
        ("src/yard.py", "def vanish(thing):\n    del thing\n"),
        ("src/other.py", filler.as_str()),
    ];
    let workshop = Workshop::with_files(&steps);
    workshop.ingest();
    let explored =
        workshop.engine.explore("tree", "where is a parcel received", &ExploreRequest::default()).unwrap();
    assert_eq!(explored.pieces.len(), 1, "{}", explored.text());
    let text = explored.text();
    assert!(text.contains("linked by calls:\n  src/yard.py: vanish 1-2\n"), "{text}");
    assert!(!text.contains("unrelated_"), "{text}");
    let in_belt = ExploreRequest { path: Some("src/belt.py".into()), ..ExploreRequest::default() };
    let text = workshop.engine.explore("tree", "hand_on", &in_belt).unwrap().text();
    assert!(text.contains("calls vanish  src/yard.py:1-2") && !text.contains("desk.py: "), "{text}");
}

#[test]
fn a_caller_that_is_shown_is_not_listed_again() {
    let callers: Vec<(String, String)> = (1..9)
        .map(|n| {
            let text = format!(
                "from settle import settle\n\n\ndef pay{n}():\n    return settle({n})\n\n\n\
                 def run{n}():\n    return pay{n}()\n"
            );
            (format!("c{n}.py"), text)
        })
        .collect();
    let mut files: Vec<(&str, &str)> =
        vec![("settle.py", "def settle(order):\n    \"\"\"Settles an order.\"\"\"\n    return order\n")];
    files.extend(callers.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let workshop = Workshop::with_files(&files);
    let text = workshop.engine.explore("tree", "settle", &ExploreRequest::default()).unwrap().text();
    for n in 1..9 {
        let shown = text.matches(&format!("\n  pay{n}  ")).count();
        let linked = text.lines().filter(|line| line.starts_with(&format!("  c{n}.py: "))).count();
        assert!(shown == 1 && linked <= 1, "{n}\n{text}");
        assert!(!text.contains(&format!("c{n}.py: pay{n} ")), "{n}\n{text}");
    }
}

/// Files of a class: the path, the beginning, a member in which `NAME`, `DOC` and `BODY` are replaced, and the end.
const CLASSES: &[(&str, &str, &str, &str)] = &[
    (
        "C.java",
        "class C extends B {\n",
        "    /** DOC */\n    @Override\n    public Object NAME(Book book) {\nBODY    }\n\n",
        "}\n",
    ),
    (
        "C.cs",
        "class C : B {\n",
        "  /// <summary>DOC</summary>\n  [HttpGet]\n  [Authorize]\n  public object NAME(Book book) {\nBODY  }\n\n",
        "}\n",
    ),
    (
        "C.php",
        "<?php\nclass C extends B {\n",
        "  /**\n   * DOC\n   */\n  #[Route('/book')]\n  public function NAME(Book $book) {\nBODY  }\n\n",
        "}\n",
    ),
    (
        "C.kt",
        "class C : B() {\n",
        "    /** DOC */\n    @Synchronized\n    fun NAME(book: Book): Any {\nBODY    }\n\n",
        "}\n",
    ),
    (
        "c.ts",
        "export class C extends B {\n",
        "  /**\n   DOC\n   */\n  @Audited({\n    level: 3,\n  })\n  NAME(book: Book): object {\nBODY  }\n\n",
        "}\n",
    ),
    ("c.py", "class C(B):\n", "    # DOC\n    @audited(level=3)\n    def NAME(self, book):\nBODY\n\n", ""),
    (
        "c.rs",
        "impl C {\n",
        "    /// DOC\n    #[must_use]\n    pub fn NAME(&self, book: &Book) -> Object {\nBODY    }\n\n",
        "}\n",
    ),
];

const MEMBERS: [(&str, &str); 7] = [
    ("share", "Publishes an entry for everybody."),
    ("archive", "Puts an entry into the cellar."),
    ("star", "Marks an entry as a favourite."),
    ("unshare", "Withdraws the public address."),
    ("label", "Attaches a label to an entry."),
    ("export", "Writes an entry into a file."),
    ("reload", "Fetches the content once more."),
];

#[test]
fn a_member_with_a_comment_and_an_annotation_is_called_by_its_name() {
    let body: String = (0..8).map(|n| format!("        step_{n}(book, {n});\n")).collect();
    let called = |(path, begin, member, end): &(&str, &str, &str, &str)| {
        let members = MEMBERS
            .iter()
            .map(|(name, doc)| member.replace("NAME", name).replace("DOC", doc).replace("BODY", &body));
        let class = format!("{begin}{}{end}", members.collect::<String>());
        let workshop = Workshop::with_files(&[(path, class.as_str())]);
        workshop.ingest();
        let request = SearchRequest { detail: Detail::Lines, ..SearchRequest::default() };
        let answer = workshop.engine.search("tree", "withdraws the public address", &request).unwrap();
        let hit = &answer.hits[0];
        format!("{path} {} {}", hit.symbol_name.as_deref().unwrap_or_default(), hit.chunk_type.as_str())
    };
    expect![[r#"
        C.java unshare method
        C.cs unshare method
        C.php unshare method
        C.kt unshare method
        c.ts unshare method
        c.py unshare method
        c.rs unshare method"#]]
    .assert_eq(&CLASSES.iter().map(called).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_long_function_is_shown_whole_if_the_question_is_its_name() {
    let function = |n_lines: usize| {
        let steps: String =
            (0..n_lines - 2).map(|n| format!("    total = step_{}(total, {n})\n", n % 7)).collect();
        format!("def settle(total):\n{steps}    return total\n")
    };
    let n_shown = |n_lines: usize| {
        let workshop = Workshop::with_files(&[
            ("settle.py", function(n_lines).as_str()),
            ("main.py", "from settle import settle\n\n\ndef main():\n    settle(1)\n"),
        ]);
        workshop.ingest();
        let text = workshop.engine.explore("tree", "settle", &ExploreRequest::default()).unwrap().text();
        assert!(text.len() < 12_000 && text.contains("main  main.py:4-5 at 5"), "{text}");
        text.lines().filter(|line| line.contains("\t    total = step_")).count() + 2
    };
    assert_eq!([120, 180, 200].map(n_shown), [120, 180, 200]);
    assert!(n_shown(201) < 60);
}

#[test]
fn a_test_double_is_no_test() {
    let workshop = Workshop::with_files(&[
        (
            "src/main/java/Player.java",
            "interface Callback {\n  void changed(int state);\n}\nclass Screen implements Callback {\n  \
             public void changed(int state) { show(state); }\n  void show(int state) {}\n}\n",
        ),
        (
            "src/test/java/Cancelable.java",
            "class Cancelable implements Callback {\n  Screen screen;\n  public void changed(int state) { \
             screen.changed(state); }\n}\n",
        ),
        (
            "src/test/java/ScreenTest.java",
            "class ScreenTest {\n  @Test void changes() { new Screen().changed(1); }\n}\n",
        ),
    ]);
    workshop.ingest();
    let explored = workshop.engine.explore("tree", "Screen.changed", &ExploreRequest::default()).unwrap();
    let tests: Vec<&str> = explored.pieces[0].around.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(tests, ["ScreenTest.changes"]);
}

#[test]
fn a_person_is_not_told_what_counts_as_read() {
    let workshop = Workshop::with_files(FILES);
    workshop.ingest();
    let explored = workshop.engine.explore("tree", "price_of", &ExploreRequest::default()).unwrap();
    assert_eq!(explored.text(), explored.terminal_text() + "The code above counts as read.\n");
}
