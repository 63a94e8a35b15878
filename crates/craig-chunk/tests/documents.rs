//! Documents by heading, components by script, and texts by window.

use std::fmt::Write as _;

use craig_chunk::{chunk, cut_point, document_sections};
use craig_source::Language;
use expect_test::{Expect, expect};

/// Lists chunks with their first words, then definitions and imports.
fn check(path: &str, text: &str, expect: Expect) {
    let text = text.trim_start_matches('\n');
    let outline = chunk(Language::from_path(path).expect("a language by its extension"), text);
    let mut out = String::new();
    for chunk in &outline.chunks {
        let name = chunk.symbol_name.as_deref().unwrap_or("-");
        let parent = chunk.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        let first: String = chunk.text(text).trim().chars().take(24).collect::<String>().replace('\n', " ");
        writeln!(
            out,
            "{}-{} {} {name}{parent}: {first}",
            chunk.line_start,
            chunk.line_end,
            chunk.kind.as_str()
        )
        .expect("a string");
    }
    for symbol in &outline.symbols {
        let parent = symbol.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        writeln!(out, "symbol {}-{} {}{parent}", symbol.line, symbol.line_end, symbol.name)
            .expect("a string");
    }
    for import in &outline.imports {
        writeln!(out, "import {} {}", import.line, import.target).expect("a string");
    }
    expect.assert_eq(&out);
}

fn words(n: usize) -> String {
    "Some words on a line of text.\n".repeat(n)
}

#[test]
fn a_section_of_restructuredtext_begins_at_its_title() {
    check(
        "guide.rst",
        "
.. _guide:

=======
 Guide
=======

First words.

Install
=======

More words.
",
        expect![[r#"
            1-12 section Install in Guide: .. _guide:  =======  Gui
            symbol 4-7 Guide
            symbol 9-12 Install in Guide
        "#]],
    );
}

#[test]
fn markdown_headings_of_both_kinds_nest() {
    check(
        "a.md",
        &format!(
            "Intro before any heading.\n\n# Top\n\n{0}\n## First *part* `code`\n\n{0}\nSecond part\n-----------\n\n{0}\n### Deep\n\n{0}\n# Next top\n\n{0}",
            words(8)
        ),
        expect![[r#"
            1-12 section Top: Intro before any heading
            14-23 section First part code in Top: ## First *part* `code`  
            25-35 section Second part in Top: Second part ----------- 
            37-46 section Deep in Top > Second part: ### Deep  Some words on 
            48-57 section Next top: # Next top  Some words o
            symbol 3-12 Top
            symbol 14-23 First part code in Top
            symbol 25-35 Second part in Top
            symbol 37-46 Deep in Top > Second part
            symbol 48-57 Next top
        "#]],
    );
}

#[test]
fn headings_in_code_quotes_and_comments_are_none() {
    check(
        "a.md",
        &format!(
            "# Real\n\n{0}\n```sh\n# not a heading\n```\n\n    # nor this\n\n<!--\n# nor that\n-->\n\n{0}\n## Also real\n\n{0}",
            words(8)
        ),
        expect![[r#"
            1-29 section Real: # Real  Some words on a 
            31-40 section Also real in Real: ## Also real  Some words
            symbol 1-29 Real
            symbol 31-40 Also real in Real
        "#]],
    );
}

#[test]
fn short_sections_go_with_the_one_below() {
    check(
        "a.md",
        &format!("# A\n\n## B\n\n### C\n\n{}\n## D\n\nShort.\n", words(10)),
        expect![[r#"
        1-16 section C in A > B: # A  ## B  ### C  Some w
        18-20 section D in A: ## D  Short.
        symbol 1-1 A
        symbol 3-3 B in A
        symbol 5-16 C in A > B
        symbol 18-20 D in A
    "#]],
    );
}

#[test]
fn front_matter_and_empty_headings() {
    check(
        "a.md",
        &format!("---\ntitle: x\n---\n\n# \n\n{0}\n## Named\n\n{0}", words(8)),
        expect![[r#"
        1-14 section -: --- title: x ---  #   So
        16-25 section Named: ## Named  Some words on 
        symbol 5-14 
        symbol 16-25 Named
    "#]],
    );
}

#[test]
fn restructured_text_orders_its_adornments_by_appearance() {
    check(
        "a.rst",
        &format!(
            "=====\nTitle\n=====\n\n{0}\nSection\n=======\n\n{0}\nSub\n---\n\n{0}\nOther\n=======\n\n{0}",
            words(8)
        ),
        expect![[r#"
            1-12 section Title: ===== Title =====  Some 
            14-24 section Section in Title: Section =======  Some wo
            26-36 section Sub in Title > Section: Sub ---  Some words on a
            38-48 section Other in Title: Other =======  Some word
            symbol 2-12 Title
            symbol 14-24 Section in Title
            symbol 26-36 Sub in Title > Section
            symbol 38-48 Other in Title
        "#]],
    );
}

#[test]
fn sections_of_a_document_have_their_headings_and_ranges() {
    let text = "Intro.\n\n# Top\n\nText.\n\n## Part\n\n- a\n- b\n\n# End\n";
    let sections: Vec<String> =
        document_sections(text).iter().map(|section| format!("{section:?}\n")).collect();
    expect![[r#"
        DocumentSection { heading: "", level: 1, path: [], bytes: 0..8, content_start: 0, line: 1 }
        DocumentSection { heading: "Top", level: 1, path: [], bytes: 8..22, content_start: 14, line: 3 }
        DocumentSection { heading: "Part", level: 2, path: ["Top"], bytes: 22..40, content_start: 30, line: 7 }
        DocumentSection { heading: "End", level: 1, path: [], bytes: 40..46, content_start: 46, line: 12 }
    "#]].assert_eq(&sections.concat());
    assert!(document_sections("").is_empty());
}

#[test]
fn components_are_their_scripts_and_their_markup() {
    check(
        "a.vue",
        r#"
<template>
  <div class="cart">{{ total }}</div>
</template>

<script setup lang="ts">
import { ref } from "vue"
const total = ref(0)
function add(price: number) { total.value += price }
</script>

<style scoped>
.cart { color: red }
</style>
"#,
        expect![[r#"
            1-5 block -: <template>   <div class=
            5-8 function add: import { ref } from "vue
            9-13 block -: </script>  <style scoped
            symbol 7-7 total
            symbol 8-8 add
            import 6 vue
        "#]],
    );
    check(
        "a.svelte",
        r#"
<script context="module">
  export const prerender = true
</script>
<script lang="ts">
  import Line from "./Line.svelte"
  export let items: string[] = []
  $: count = items.length
  function clear() { items = [] }
</script>

{#each items as item}
  <Line {item} />
{/each}
"#,
        expect![[r#"
            1-2 constant prerender: <script context="module"
            3-8 function clear: </script> <script lang="
            9-13 block -: </script>  {#each items 
            symbol 2-2 prerender
            symbol 6-6 items
            symbol 8-8 clear
            import 5 ./Line.svelte
        "#]],
    );
    check(
        "a.astro",
        "---\nimport Card from './Card.astro'\nconst title = 'x'\n---\n<Card {title} />\n<script>\nfunction onClick() {}\n</script>\n",
        expect![[r#"
            1-3 import -: --- import Card from './
            4-6 block -: --- <Card {title} /> <sc
            6-8 function onClick: function onClick() {} </
            symbol 3-3 title
            symbol 7-7 onClick
            import 2 ./Card.astro
        "#]],
    );
}

#[test]
fn scripts_are_found_by_their_tags() {
    check(
        "a.vue",
        "<!-- <script>no()</script> -->\n<SCRIPT setup lang='ts' generic=\"T extends Map<string, X>\">\nfunction f(a: T): void {}\n</SCRIPT>\n<script type=\"text/x-template\">\nfunction no() {}\n</script>\n",
        expect![[r#"
            1-2 block -: <!-- <script>no()</scrip
            2-3 function f: function f(a: T): void {
            4-7 block -: </SCRIPT> <script type="
            symbol 3-3 f
        "#]],
    );
    check(
        "a.html",
        "<!DOCTYPE html>\n<script type=\"application/json\">\n{\"a\": 1}\n</script>\n<p>words</p>\n<script>\nfunction go(x) {\n  return x;\n}\n</script>\n",
        expect![[r#"
            1-6 block -: <!DOCTYPE html> <script 
            6-10 function go: function go(x) {   retur
            symbol 7-9 go
        "#]],
    );
}

#[test]
fn scripts_of_templates_are_code() {
    check(
        "a.html.erb",
        "<p><%= name %></p>\n<ul>\n</ul>\n<script>\nfunction go() { return 1 }\n</script>\n",
        expect![[r#"
            1-4 block -: <p><%= name %></p> <ul> 
            4-6 function go: function go() { return 1
            symbol 5-5 go
        "#]],
    );
}

#[test]
fn notebooks_are_cut_into_cells() {
    check(
        "a.ipynb",
        r##"


# %% [markdown]
# Churn
## Load

# %%
%matplotlib inline
import pandas as pd
if colab:
    !pip install \
       shop
from shop import silent_days






# %% [markdown]
Customers are scored by how long they have been silent: the longer a customer is silent, the likelier it is that they leave,
which is what the score says. It is a number between zero and one, and is shown to nobody outside of the company.
## Score
# %%
def churn_score(row):
    return 1 - 0.5 ** (silent_days(row) / 30)
# %%
%%bash
deploy() { echo; }
# %% language="sql"
create table scores (id int);
# %%
%%time
class Model:
    def fit(self): pass
"##,
        expect![[r#"
            1-11 import - in Churn > Load: # %% [markdown] # Churn 
            18-21 section Score in Churn: # %% [markdown] Customer
            22-24 function churn_score in Churn > Score: # %% def churn_score(row
            25-27 function deploy in Churn > Score: # %% %%bash deploy() { e
            28-29 class scores in Churn > Score: # %% language="sql" crea
            30-33 class Model in Churn > Score: # %% %%time class Model:
            symbol 2-2 Churn
            symbol 3-20 Load in Churn
            symbol 21-33 Score in Churn
            symbol 23-24 churn_score
            symbol 27-27 deploy
            symbol 29-29 scores
            symbol 32-33 Model
            symbol 33-33 fit in Model
            import 7 pandas
            import 11 shop
        "#]],
    );
    check(
        "b.ipynb",
        "no cells\n",
        expect![[r#"
        1-1 block -: no cells
    "#]],
    );
}

#[test]
fn broken_components_keep_what_can_be_read() {
    check(
        "a.vue",
        "<template>\n<div>\n<script>\nfunction f() {}\n",
        expect![[r#"
        1-3 block -: <template> <div> <script
        3-4 function f: function f() {}
        symbol 4-4 f
    "#]],
    );
    check(
        "a.vue",
        "<script lang=\"ts\"></script>\n<p>only markup</p>\n",
        expect![[r#"
        1-2 block -: <script lang="ts"></scri
    "#]],
    );
    check(
        "a.vue",
        "<script",
        expect![[r#"
        1-1 block -: <script
    "#]],
    );
}

#[test]
fn texts_are_windows_that_overlap_at_paragraphs() {
    let paragraph = format!("{}\n\n", "Words of a paragraph that go on. ".repeat(12).trim_end());
    let text = paragraph.repeat(20);
    let outline = chunk(Language::Text, &text);
    assert!(outline.chunks.len() >= 3);
    for chunk in &outline.chunks[1..] {
        assert!(chunk.overlap_bytes > 0, "{chunk:?}");
        assert!(text[..chunk.bytes.start].ends_with('\n'), "it begins at a line");
    }
}

#[test]
fn very_long_lines_are_cut() {
    for text in ["several words in a very long line ".repeat(500), "x".repeat(20_000)] {
        let sizes: Vec<usize> =
            chunk(Language::Text, &text).chunks.iter().map(|chunk| chunk.bytes.len()).collect();
        assert!(sizes.len() > 4 && sizes.iter().all(|size| *size <= 3_600), "{sizes:?}");
    }
}

#[test]
fn minified_code_is_cut_too() {
    let text = format!("var a={{}};{}", "function f(a,b){return a+b*2};a.b=f(1,2);".repeat(400));
    let outline = chunk(Language::JavaScript, &text);
    assert!(outline.chunks.len() > 4);
    assert!(outline.chunks.iter().all(|chunk| chunk.bytes.len() <= 3_600));
}

/// Shows where texts are cut so that at most so many bytes are left.
fn check_cuts(cases: &[(Language, &str, usize)], expect: Expect) {
    let cut = |(language, text, most): &(Language, &str, usize)| {
        let at = cut_point(*language, text, *most);
        assert!(at <= text.len() && text.is_char_boundary(at));
        format!("{most}: {:?} | {:?}\n", &text[..at], &text[at..])
    };
    expect.assert_eq(&cases.iter().map(cut).collect::<String>());
}

#[test]
fn a_text_that_fits_is_not_cut() {
    check_cuts(
        &[(Language::Text, "", 3), (Language::Text, "short", 5), (Language::Rust, "fn f() {}", 100)],
        expect![[r#"
            3: "" | ""
            5: "short" | ""
            100: "fn f() {}" | ""
        "#]],
    );
}

#[test]
fn texts_are_cut_at_lines() {
    check_cuts(
        &[
            (Language::Text, "line one\nline two\nline three\n", 20),
            (Language::Text, "line one\nline two", 9),
            (Language::Text, "a first line that is too long\nsecond", 10),
            (Language::Text, "größe", 4),
        ],
        expect![[r#"
            20: "line one\nline two" | "\nline three\n"
            9: "line one" | "\nline two"
            10: "a first li" | "ne that is too long\nsecond"
            4: "grö" | "ße"
        "#]],
    );
}

#[test]
fn code_is_cut_after_whole_statements() {
    let code = "fn one() {\n    a();\n    b();\n}\n\nfn two() {\n    c();\n    d();\n}\n";
    check_cuts(
        &[
            (Language::Rust, code, 60),
            (Language::Rust, code, 50),
            (Language::Rust, code, 30),
            (Language::Python, "def f():\n    if a:\n        b()\n        c()\n    d()\n", 40),
        ],
        expect![[r#"
            60: "fn one() {\n    a();\n    b();\n}" | "\n\nfn two() {\n    c();\n    d();\n}\n"
            50: "fn one() {\n    a();\n    b();\n}" | "\n\nfn two() {\n    c();\n    d();\n}\n"
            30: "fn one() {\n    a();\n    b();\n}" | "\n\nfn two() {\n    c();\n    d();\n}\n"
            40: "def f():\n    if a:\n        b()" | "\n        c()\n    d()\n"
        "#]],
    );
}
