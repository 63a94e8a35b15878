//! Grammars of tree-sitter. In release builds their parse tables, 34 MB, are packed into 4 MB (`build.rs`), and unpacked
//! when a grammar is first used.

#![cfg_attr(
    any(test, packed_grammars),
    expect(unsafe_code, reason = "functions and tables of grammars are C")
)]

use tree_sitter_language::LanguageFn;

/// A grammar whose tables are in a file of `build.rs`: its function, its tables with their bytes, the file.
#[cfg(any(test, packed_grammars))]
macro_rules! packed {
    ($grammar:ident, $large:ident: $n_large:literal, $small:ident: $n_small:literal, $file:literal) => {{
        // SAFETY: `build.rs` compiles these, with these types and sizes.
        unsafe extern "C" {
            static mut $large: [u8; $n_large];
            static mut $small: [u8; $n_small];
            fn $grammar() -> *const ();
        }
        // SAFETY: it is as safe as the function that it calls.
        unsafe extern "C" fn unpacked() -> *const () {
            static UNPACKED: std::sync::Once = std::sync::Once::new();
            UNPACKED.call_once(|| {
                let packed = include_bytes!(concat!(env!("OUT_DIR"), "/", $file));
                // SAFETY: nobody reads them yet, since the language is returned after this, and nobody else writes them.
                let (large, small) = unsafe { (&mut *(&raw mut $large), &mut *(&raw mut $small)) };
                $crate::unpack(packed, large, small);
            });
            // SAFETY: it takes nothing and returns the address of a constant.
            unsafe { $grammar() }
        }
        // SAFETY: it is the function of a grammar that tree-sitter generated.
        unsafe { tree_sitter_language::LanguageFn::from_raw(unpacked) }
    }};
}

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));

/// Fills both tables of a grammar.
#[cfg(any(test, packed_grammars))]
fn unpack(packed: &[u8], large: &mut [u8], small: &mut [u8]) {
    let (n_large, packed) = packed.split_at(4);
    let n_large = n_large.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
    let (packed_large, packed_small) = packed.split_at(n_large);
    for (table, packed) in [(large, packed_large), (small, packed_small)] {
        let n_bytes = lz4_flex::block::decompress_into(packed, table);
        assert_eq!(n_bytes.ok(), Some(table.len()), "the tables were packed when Craig was built");
    }
}

#[cfg(test)]
mod tests {
    use tree_sitter::Parser;

    const TEXTS: [&str; 3] = [
        "package main\n\nfunc add(a, b int) int {\n\treturn a + b // sum\n}\n",
        "class A { int f(int x) { if (x > 1) { return g(x, \"y\"); } else { return [1, 2]; } } }\n",
        "# a\ndef f(x):\n    y = {'k': [1, 2, x]}\n    return y\n<p class=\"a\">b</p>\nselect a from b where c = 1;\n",
    ];

    #[test]
    fn a_packed_grammar_parses_as_the_grammar_does() {
        let tree = |language, text| {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter::Language::new(language)).unwrap();
            parser.parse(text, None).unwrap().root_node().to_sexp()
        };
        let pairs = include!(concat!(env!("OUT_DIR"), "/pairs.rs"));
        for (name, packed, plain) in pairs {
            for text in TEXTS {
                assert_eq!(tree(packed, text), tree(plain, text), "{name}");
            }
        }
    }
}
