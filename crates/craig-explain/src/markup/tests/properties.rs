use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::markup::to_markdown;

const PATHS: &[&str] = &["a.rst", "a.adoc", "a.mdx", "a.md"];

/// What hostile files are made of.
const PIECES: &[&str] = &[
    "`",
    "``",
    "```",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "*",
    "**",
    "_",
    "<",
    ">",
    "<a ",
    "{",
    "}",
    "{%",
    "%}",
    "{/*",
    "*/}",
    "[",
    "]",
    "[[",
    "<<",
    ">>",
    ":",
    "::",
    ":::",
    ":a:`",
    "\\",
    "|",
    "|===",
    "+",
    "+--+",
    "=",
    "== ==",
    "====",
    "----",
    ".. x::",
    ".. py:function:: f(\\",
    ".. list-table::",
    "* - ",
    "- ",
    "1. ",
    "!!! note",
    "=== \"T\"",
    "```{note}",
    ":::{code} x",
    "{{<",
    "import {",
    "export const x = `",
    "\"`",
    "'",
    "x",
    "é",
    "~~~",
    "--",
    "[source]",
    "a:: b",
    ":a: {a}{a}",
    "{a}",
    "https://x[",
    ">>> ",
    "{% highlight x %}",
    "---",
    "\r",
    "x_",
    "[1]_",
    "\u{a0}",
    "///",
];

#[test]
fn hostile_files_take_linear_time() {
    for path in PATHS {
        for piece in PIECES {
            for between in ["", " ", "\n", "\n\n", "\n "] {
                let unit = format!("{piece}{between}");
                let text = unit.repeat(100_000 / unit.len());
                let start = Instant::now();
                let rendered = to_markdown(path, &text);
                let elapsed = start.elapsed();
                assert_eq!(rendered.split('\n').count(), text.split('\n').count());
                assert!(elapsed < Duration::from_secs(1), "{path} {unit:?} takes {elapsed:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_keeps_its_lines(text in "(?s).{0,200}") {
        for path in PATHS {
            prop_assert_eq!(to_markdown(path, &text).split('\n').count(), text.split('\n').count());
        }
    }

    #[test]
    fn any_markup_keeps_its_lines(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        for path in PATHS {
            let rendered = to_markdown(path, &text);
            prop_assert_eq!(rendered.split('\n').count(), text.split('\n').count(), "{} {:?}", path, rendered);
        }
    }
}
