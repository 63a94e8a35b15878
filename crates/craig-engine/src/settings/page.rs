//! The reference page, made from the definitions.

use super::definition::{DEFINITIONS, Definition, Scope};

const HEAD: &str = "\
# Settings

Generated from the definitions in `craig-engine/src/settings/definition.rs`: change them there, then run
`UPDATE_EXPECT=1 cargo nextest run -p craig-engine settings`.

Each of these sources overrides the previous ones: the built-in default, your `config.toml`, the project's
`.craig.toml`, the environment, the command line (`--set KEY=VALUE`, or a flag of its own). `craig settings` shows each
value and its source. An unknown key is an error; for a key of an older version, the error names the replacement.

Your file is `$XDG_CONFIG_HOME/craig/config.toml` (`~/.config/craig/config.toml`), or the one that `CRAIG_CONFIG`
names. A project's `.craig.toml` may have been written by somebody else, so it can set only the keys marked **project**.
These select the project's files to track and its documentation. Only you can set anything that uses the network, names
a file or looks up a key. `craig ingest` applies the settings of `source` and stores them with the project.

Settings that begin with `puku.`, the folder `.puku` and the file `.pukuignore` are named after Puku, the editor for
which they were first specified. They apply to all editors, the gateway and the command line.

A setting never contains a provider's key; it names the environment variable that holds the key.

```toml
threads = 2

[embedder]
provider = \"voyage\"          # the key is in VOYAGE_API_KEY

[reranker]
provider = \"http\"
base_url = \"http://127.0.0.1:8081\"
```
";

/// `docs/settings.md`.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut section = None;
    for definition in DEFINITIONS {
        let own = definition.key.rsplit_once('.').map(|(section, _)| section);
        if section != Some(own) {
            page += &heading(own);
            section = Some(own);
        }
        page += &row(definition);
    }
    page
}

fn heading(section: Option<&str>) -> String {
    let title = section.map_or_else(|| "Everywhere".to_owned(), |section| format!("`[{section}]`"));
    format!("\n## {title}\n\n| key | value | default | environment | meaning |\n|---|---|---|---|---|\n")
}

fn row(definition: &Definition) -> String {
    let Definition { key, default, meaning, scope, kind, .. } = definition;
    let name = key.rsplit('.').next().unwrap_or(key);
    let mark = if *scope == Scope::Project { " **project**" } else { "" };
    let variables: Vec<String> = definition.variables().map(|name| format!("`{name}`")).collect();
    let default = if default.is_empty() { String::new() } else { format!("`{default}`") };
    format!("| `{name}`{mark} | {} | {default} | {} | {meaning} |\n", kind.name(), variables.join(", "))
}
