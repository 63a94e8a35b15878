use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(json: &str, expected: Expect) {
    let text = cells_of(json).unwrap_or_else(|| "no notebook".to_owned());
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.is_empty());
    expected.assert_eq(&lines.map(|(line, number)| format!("{number} {line}\n")).collect::<String>());
}

const INDENTED: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Churn\n",
    "\n",
    "![x](data:image/png;base64,iVBORw0KGgo=) of \u00fc\ud83d\ude00"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {},
   "outputs": [
    {
     "data": {"text/plain": ["1\n"], "cells": [{"source": "no"}]},
     "output_type": "execute_result"
    }
   ],
   "source": [
    "def f(x):\n",
    "    return \"a\\n\"\n",
    "f(1)"
   ]
  },
  {"cell_type": "code", "source": []},
  {
   "cell_type": "code",
   "metadata": {"vscode": {"languageId": "sql"}},
   "source": "select 1\nfrom t"
  },
  {
   "cell_type": "raw",
   "source": ["r"]
  }
 ],
 "metadata": {
  "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
 },
 "nbformat": 4
}
"##;

#[test]
fn lines_of_cells_are_those_of_the_file() {
    check(
        INDENTED,
        expect![[r#"
            6 # %% [markdown]
            7 # Churn
            9 ![x](data:image/png;base64,) of ü😀
            22 # %%
            23 def f(x):
            24     return "a\n"
            25 f(1)
            31 # %% language="sql"
            32 select 1
            33 from t
            35 # %% [raw]
            36 r
        "#]],
    );
}

#[test]
fn a_notebook_on_one_line_is_its_cells_one_after_another() {
    check(
        r#"{"metadata":{"language_info":{"name":"julia"}},"cells":[{"cell_type":"code","source":["f(x) = x\n","f(2)"],"outputs":[]},{"source":"a\nb","cell_type":"markdown"}]}"#,
        expect![[r#"
             1 # %% language="julia"
             2 f(x) = x
             3 f(2)
             5 # %% [markdown]
             6 a
             7 b
        "#]],
    );
}

#[test]
fn nbformat_3_has_worksheets_inputs_and_headings() {
    check(
        r#"{"metadata": {"name": "R"}, "nbformat": 3, "worksheets": [{"cells": [
{"cell_type": "heading", "level": 2,
 "source": ["Load"]},
{"cell_type": "code", "language": "python", "prompt_number": 1,
 "input": ["import os\n",
  "os.name"], "outputs": [{"text": ["posix"]}]}]}]}"#,
        expect![[r#"
             2 # %% [markdown]
             3 ## Load
             4 # %%
             5 import os
             6 os.name
        "#]],
    );
}

#[test]
fn broken_notebooks_are_read_as_far_as_they_go() {
    check(
        "{\"cells\": [\n{\"cell_type\": \"code\",\n<<<<<<< HEAD\n\"source\": [\n\"a = 1\"]\n=======\n\"source\": [\n\"a = 2\"]\n>>>>>>> x\n}, {\"source\": [\"b\\u12",
        expect![[r#"
            4 # %%
            5 a = 1
            8 a = 2
            9 # %%
            10 b\u12
        "#]],
    );
    check("{\"cells\": {}", expect![""]);
    for json in ["[]", "{\"a\": 1}", "version https://git-lfs", ""] {
        assert_eq!(cells_of(json), None, "{json}");
    }
    assert_eq!(cells_of("{\"cells\": []}").as_deref(), Some(""));
}

#[test]
fn cells_partition_the_text() {
    let text = cells_of(INDENTED).unwrap();
    let found: Vec<_> = cells(&text)
        .into_iter()
        .map(|cell| (cell.kind, text[cell.content_start..cell.bytes.end].trim()))
        .collect();
    let expected = [
        (CellKind::Markdown, "# Churn\n\n![x](data:image/png;base64,) of ü😀"),
        (CellKind::Code(Language::Python), "def f(x):\n    return \"a\\n\"\nf(1)"),
        (CellKind::Code(Language::Sql), "select 1\nfrom t"),
        (CellKind::Raw, "r"),
    ];
    assert_eq!(found, expected);
}

proptest! {
    #[test]
    fn any_text_is_read(json in r#"(\{|\}|\[|\]|"cells":|"source":|"[a\\nu0"]{0,9}"|[ ,:é\n1x\\"]){0,60}"#) {
        let text = cells_of(&json).unwrap_or_default();
        let mut end = 0;
        for cell in cells(&text) {
            prop_assert!(cell.bytes.start == end && cell.content_start <= cell.bytes.end);
            end = cell.bytes.end;
        }
    }

    #[test]
    fn a_string_is_what_json_says(text: String) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(unescaped(&json[1..json.len() - 1]), text);
    }
}
