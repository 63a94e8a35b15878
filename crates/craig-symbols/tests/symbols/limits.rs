//! Files whose references would be as many as the square of their lines.

use craig_symbols::SymbolGraph;

#[test]
fn a_name_that_is_defined_in_every_line_has_references_in_proportion_to_its_uses() {
    const N: usize = 2_000;
    for (path, line, around) in [
        ("a.py", "def f(): return f(f(f))\n", ["", ""]),
        ("a.js", "function f(a) { return f(f(a)) }\n", ["", ""]),
        ("a.c", "int f(int a) { return f(f(a)); }\n", ["", ""]),
        ("A.java", "  int f(int a) { return f(f(a)); }\n", ["class A {\n", "}\n"]),
        ("A.java", "  A(int a) { new A(1); }\n", ["class A {\n", "}\n"]),
    ] {
        let text = format!("{}{}{}", around[0], line.repeat(N), around[1]);
        let graph = SymbolGraph::from_texts([(path, text.as_str())]);
        assert!(graph.definitions.len() >= N, "{path}: {}", graph.definitions.len());
        let (n, most) = (graph.references.len(), 3 * 20 * N);
        assert!((N / 2..most).contains(&n), "{path} {line}: {n} references");
    }
}

#[test]
fn types_in_comments_may_be_nested_deeply() {
    let nested = |name: &str| format!("{}{name}{}", format!("{name}<").repeat(200_000), ">".repeat(200_000));
    let suffixes = format!("Cart{}", "[]".repeat(200_000));
    for of in [nested("Cart"), suffixes] {
        for (path, text) in [
            ("a.js", format!("/** @type {{{of}}} */\nconst cart = load();\n")),
            ("a.php", format!("<?php\nclass Cart {{}}\n/** @return {of} */\nfunction load() {{}}\n")),
            ("a.rb", format!("# @return [{of}]\ndef load\nend\n")),
        ] {
            SymbolGraph::from_texts([(path, text.as_str())]);
        }
    }
}

/// Each link of a chain asks several times for the type of the one before it.
#[test]
fn long_chains_of_calls_are_followed() {
    let links = ".put(1).filter(2)".repeat(40);
    for (path, text) in [
        ("A.java", format!("import a.Maps;\nclass A {{ Object f() {{ return Maps.stream(){links}; }} }}\n")),
        ("a.kt", format!("import a.Maps\nfun f() = Maps.stream(){links}\n")),
        ("a.ts", format!("import {{ maps }} from 'maps'\nexport const f = () => maps.stream(){links}\n")),
        ("a.py", format!("from maps import stream\nf = stream(){links}\n")),
    ] {
        let graph = SymbolGraph::from_texts([(path, text.as_str())]);
        assert!(!graph.definitions.is_empty(), "{path}");
    }
}
