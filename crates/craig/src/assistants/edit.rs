//! Adds a server to the text of a configuration, or removes it; everything else is preserved.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use thiserror::Error;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::table::{ARGUMENTS, Entry, Form};

/// Name of the server in every configuration.
const NAME: &str = "craig";

/// Why a configuration is not edited.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It cannot be read.
    #[error("it is malformed: {0}")]
    Malformed(String),
    /// The place of the servers has another kind of value.
    #[error("its {0:?} is not an object of servers by name")]
    Unexpected(String),
}

/// The configuration with the server in it.
pub(super) fn with_server(form: Form, text: &str, program: &str) -> Result<String, Trouble> {
    kept_line_ends(text, |text| match form {
        Form::Json(key, entry) => json_with_server(text, key, entry, program),
        Form::Toml(table) => toml_with_server(text, table, program),
    })
}

/// The configuration without the server; the same text when it has none.
pub(super) fn without_server(form: Form, text: &str) -> Result<String, Trouble> {
    kept_line_ends(text, |text| match form {
        Form::Json(key, _) => json_without_server(text, key),
        Form::Toml(table) => toml_without_server(text, table),
    })
}

/// The program that the configuration starts as the server; `None` when it has no such server.
pub(super) fn program(form: Form, text: &str) -> Option<String> {
    match form {
        Form::Json(key, _) => {
            let (_root, object) = json_root(text).ok()?;
            let servers = object.object_value(key)?;
            let servers = nested(&servers).unwrap_or(servers);
            let own = servers.get(NAME)?.to_serde_value()?;
            let command = own.get("command")?;
            command.as_str().or_else(|| command.get(0)?.as_str()).map(str::to_owned)
        }
        Form::Toml(table) => {
            let document = toml_document(text).ok()?;
            let own = document.get(table)?.as_table_like()?.get(NAME)?.as_table_like()?;
            own.get("command")?.as_str().map(str::to_owned)
        }
    }
}

/// Edits with plain line ends, then restores the file's own line ends and its byte order mark.
fn kept_line_ends(text: &str, edit: impl Fn(&str) -> Result<String, Trouble>) -> Result<String, Trouble> {
    let (mark, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
    let has_windows_ends = text.contains("\r\n");
    let edited = edit(&text.replace("\r\n", "\n"))?;
    let edited = if has_windows_ends { edited.replace('\n', "\r\n") } else { edited };
    Ok(format!("{mark}{edited}"))
}

/// JSON as editors accept it: with comments and trailing commas, but no other extensions.
const LENIENT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn json_root(text: &str) -> Result<(CstRootNode, CstObject), Trouble> {
    let malformed = |error: &dyn std::fmt::Display| Trouble::Malformed(error.to_string());
    let root = CstRootNode::parse(text, &LENIENT).map_err(|error| malformed(&error))?;
    let object = root.object_value().ok_or_else(|| malformed(&"it is not an object"))?;
    Ok((root, object))
}

fn json_with_server(text: &str, key: &str, entry: Entry, program: &str) -> Result<String, Trouble> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let (root, object) = json_root(text)?;
    let unexpected = || Trouble::Unexpected(key.to_owned());
    let servers = object.object_value_or_create(key).ok_or_else(unexpected)?;
    let servers = nested(&servers).unwrap_or(servers);
    let wanted = entry.fields(program);
    let is_wanted = |old: Value| old == wanted.iter().cloned().collect::<Value>();
    let input =
        || CstInputValue::Object(wanted.iter().map(|(name, value)| (name.clone(), input(value))).collect());
    match servers.get(NAME) {
        Some(old) if old.to_serde_value().is_some_and(is_wanted) => {}
        Some(old) => old.set_value(input()),
        None => drop(servers.append(NAME, input())),
    }
    Ok(root.to_string())
}

fn json_without_server(text: &str, key: &str) -> Result<String, Trouble> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let (root, object) = json_root(text)?;
    let Some(servers) = object.object_value(key) else { return Ok(text.to_owned()) };
    let inner = nested(&servers);
    let Some(own) = inner.as_ref().unwrap_or(&servers).get(NAME) else { return Ok(text.to_owned()) };
    own.remove();
    if inner.is_none() && servers.properties().is_empty() {
        object.get(key).into_iter().for_each(|property| property.remove());
    }
    Ok(root.to_string())
}

/// OpenCode 2 keeps its servers one level deeper, in `mcp.servers`.
fn nested(servers: &CstObject) -> Option<CstObject> {
    let inner = servers.object_value("servers")?;
    let is_server = ["command", "url", "type"].iter().any(|name| inner.get(name).is_some());
    (!is_server).then_some(inner)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn toml_document(text: &str) -> Result<DocumentMut, Trouble> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Trouble::Malformed(error.to_string().trim().replace('\n', " "))
    })
}

fn toml_with_server(text: &str, table: &str, program: &str) -> Result<String, Trouble> {
    let mut document = toml_document(text)?;
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let servers = document.entry(table).or_insert(Item::Table(implicit));
    let servers = servers.as_table_like_mut().ok_or_else(|| Trouble::Unexpected(table.to_owned()))?;
    let fill = |own: &mut dyn TableLike| {
        own.insert("command", value(program));
        own.insert("args", value(ARGUMENTS.into_iter().collect::<Array>()));
    };
    match servers.get_mut(NAME).and_then(Item::as_table_like_mut) {
        Some(own) => fill(own),
        None => {
            let mut own = Table::new();
            fill(&mut own);
            servers.insert(NAME, Item::Table(own));
        }
    }
    Ok(document.to_string())
}

fn toml_without_server(text: &str, table: &str) -> Result<String, Trouble> {
    let mut document = toml_document(text)?;
    let Some(servers) = document.get_mut(table).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    if servers.remove(NAME).is_none() {
        return Ok(text.to_owned());
    }
    let is_implicit = servers.is_empty();
    if is_implicit {
        document.remove(table);
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    const PLAIN: Form = Form::Json("mcpServers", Entry::Plain);
    const TOML: Form = Form::Toml("mcp_servers");

    #[track_caller]
    fn check(form: Form, before: &str, expect: Expect) {
        let after = with_server(form, before, "/bin/craig").unwrap();
        expect.assert_eq(&after);
        assert_eq!(with_server(form, &after, "/bin/craig").unwrap(), after, "twice is once");
        assert_eq!(program(form, &after), Some("/bin/craig".to_owned()));
        let without = without_server(form, &after).unwrap();
        assert_eq!(without_server(form, &without).unwrap(), without);
        assert!(!without.contains("/bin/craig"), "{without}");
    }

    #[test]
    fn json_keeps_comments_and_order() {
        check(
            PLAIN,
            "// mine\n{\n    \"theme\": \"dark\", // really\n    \"mcpServers\": {\n        /* the first */\n        \"git\": { \"command\": \"uvx\" },\n    },\n    \"last\": [1,2],\n}\n",
            expect![[r#"
                // mine
                {
                    "theme": "dark", // really
                    "mcpServers": {
                        /* the first */
                        "git": { "command": "uvx" },
                        "craig": {
                            "command": "/bin/craig",
                            "args": ["mcp", "--tools", "core"],
                        },
                    },
                    "last": [1,2],
                }
            "#]],
        );
        check(
            PLAIN,
            "",
            expect![[r#"
            {
              "mcpServers": {
                "craig": {
                  "command": "/bin/craig",
                  "args": ["mcp", "--tools", "core"]
                }
              }
            }
        "#]],
        );
        check(
            PLAIN,
            "{\"a\":1}",
            expect![[r#"
            {
              "a":1,
              "mcpServers": {
                "craig": {
                  "command": "/bin/craig",
                  "args": ["mcp", "--tools", "core"]
                }
              }
            }"#]],
        );
    }

    #[test]
    fn a_server_that_is_there_is_brought_up_to_date() {
        let before = "{\n  \"mcpServers\": {\n    \"craig\": { \"command\": \"/old\" }\n  }\n}\n";
        check(
            PLAIN,
            before,
            expect![[r#"
            {
              "mcpServers": {
                "craig": {
                  "command": "/bin/craig",
                  "args": ["mcp", "--tools", "core"]
                }
              }
            }
        "#]],
        );
    }

    #[test]
    fn opencode_keeps_servers_in_one_of_two_places() {
        let form = Form::Json("mcp", Entry::OneCommand);
        check(
            form,
            "{\n  \"mcp\": { \"servers\": {} }\n}\n",
            expect![[r#"
            {
              "mcp": { "servers": {
                  "craig": {
                    "type": "local",
                    "command": ["/bin/craig", "mcp", "--tools", "core"],
                    "enabled": true
                  }
                } }
            }
        "#]],
        );
        check(
            form,
            "{\n  \"mcp\": { \"servers\": { \"type\": \"local\", \"command\": [] } }\n}\n",
            expect![[r#"
                {
                  "mcp": {
                    "servers": { "type": "local", "command": [] },
                    "craig": {
                      "type": "local",
                      "command": ["/bin/craig", "mcp", "--tools", "core"],
                      "enabled": true
                    }
                  }
                }
            "#]],
        );
    }

    #[test]
    fn toml_keeps_comments_and_order() {
        check(
            TOML,
            "# mine\nmodel = \"x\" # really\n\n[mcp_servers.git] # first\ncommand = 'uvx'\n\n[profiles.a]\nmodel = \"y\"\n# the end\n",
            expect![[r##"
                # mine
                model = "x" # really

                [mcp_servers.git] # first
                command = 'uvx'

                [mcp_servers.craig]
                command = "/bin/craig"
                args = ["mcp", "--tools", "core"]

                [profiles.a]
                model = "y"
                # the end
            "##]],
        );
        check(
            TOML,
            "",
            expect![[r#"
            [mcp_servers.craig]
            command = "/bin/craig"
            args = ["mcp", "--tools", "core"]
        "#]],
        );
        check(
            TOML,
            "mcp_servers = { git = { command = \"uvx\" } }\n",
            expect![[r#"
            mcp_servers = { git = { command = "uvx" } , craig = { command = "/bin/craig", args = ["mcp", "--tools", "core"] } }
        "#]],
        );
    }

    #[test]
    fn line_ends_and_marks_are_kept() {
        for (form, before) in
            [(PLAIN, "\u{feff}{\r\n  \"a\": 1\r\n}\r\n"), (TOML, "a = 1\r\n[b]\r\nc = 2\r\n")]
        {
            let after = with_server(form, before, "/bin/craig").unwrap();
            assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
            assert_eq!(after.starts_with('\u{feff}'), before.starts_with('\u{feff}'));
        }
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let bad = [
            (PLAIN, "{"),
            (PLAIN, "[]"),
            (PLAIN, "{\"a\": 1 \"b\": 2}"),
            (PLAIN, "{a: 1}"),
            (PLAIN, "{\"mcpServers\": []}"),
            (PLAIN, "nothing"),
            (TOML, "a = "),
            (TOML, "mcp_servers = 3"),
        ];
        let errors: String = bad
            .iter()
            .map(|(form, text)| format!("{}\n", with_server(*form, text, "x").unwrap_err()))
            .collect();
        expect![[r#"
            it is malformed: Unterminated object on line 1 column 1
            it is malformed: it is not an object
            it is malformed: Expected comma on line 1 column 8
            it is malformed: Expected string for object property on line 1 column 2
            its "mcpServers" is not an object of servers by name
            it is malformed: Unexpected word on line 1 column 1
            it is malformed: TOML parse error at line 1, column 5   | 1 | a =    |     ^ string values must be quoted, expected literal string
            its "mcp_servers" is not an object of servers by name
        "#]].assert_eq(&errors);
    }
}
