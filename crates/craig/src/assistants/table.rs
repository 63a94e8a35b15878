//! The files in which each assistant keeps its servers and its instructions.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// One assistant.
#[derive(Debug)]
pub(crate) struct Assistant {
    /// Name on the command line.
    pub(crate) id: &'static str,
    /// Its own name.
    pub(crate) name: &'static str,
    /// Files or folders, one of which exists if the assistant is installed.
    traces: fn(&Places) -> Vec<PathBuf>,
    config: fn(&Places) -> PathBuf,
    /// Format of the configuration, and the key of the servers in it.
    pub(super) form: Form,
    /// Instructions that the assistant reads in every project; `None` if it keeps none in a file.
    note: Option<fn(&Places) -> PathBuf>,
    /// Whether the file of instructions is Craig's alone.
    pub(super) owns_note: bool,
}

/// Form of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON, with or without comments: the key that holds the servers, and what one looks like.
    Json(&'static str, Entry),
    /// TOML: the table that holds the servers.
    Toml(&'static str),
}

/// The format of a server entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// `{"command": …, "args": […]}`
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// The same with an empty environment.
    WithEnvironment,
    /// `{"type": "local", "command": …, "args": […], "tools": ["*"]}`
    WithTools,
    /// `{"type": "local", "command": […], "enabled": true}`
    OneCommand,
}

/// Arguments of the program: the tools of everyday coding.
pub(super) const ARGUMENTS: [&str; 3] = ["mcp", "--tools", "core"];

impl Entry {
    /// The entry that starts `craig mcp`, field by field.
    pub(super) fn fields(self, program: &str) -> Vec<(String, Value)> {
        let (command, args) = (("command", json!(program)), ("args", json!(ARGUMENTS)));
        let fields = match self {
            Self::Plain => vec![command, args],
            Self::Typed => vec![("type", json!("stdio")), command, args],
            Self::WithEnvironment => vec![command, args, ("env", json!({}))],
            Self::WithTools => vec![("type", json!("local")), command, args, ("tools", json!(["*"]))],
            Self::OneCommand => {
                let line: Vec<&str> = [program].into_iter().chain(ARGUMENTS).collect();
                vec![("type", json!("local")), ("command", json!(line)), ("enabled", json!(true))]
            }
        };
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Folders of the user.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Home directory.
    pub(crate) home: PathBuf,
    /// The folder of settings: `~/.config` unless the system has another one.
    pub(crate) config: PathBuf,
    /// The folder of editors' settings; differs only on macOS.
    pub(crate) editors: PathBuf,
    /// `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `COPILOT_HOME`.
    pub(crate) claude: Option<PathBuf>,
    pub(crate) codex: Option<PathBuf>,
    pub(crate) copilot: Option<PathBuf>,
}

impl Places {
    /// The folders of the current user, whose home is `home`.
    pub(crate) fn of_user(home: PathBuf) -> Self {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let roaming = folder("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"));
        let config = match cfg!(windows) {
            true => roaming.clone(),
            false => folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
        };
        let editors = match () {
            () if cfg!(windows) => roaming,
            () if cfg!(target_os = "macos") => home.join("Library/Application Support"),
            () => config.clone(),
        };
        Self {
            config,
            editors,
            claude: folder("CLAUDE_CONFIG_DIR"),
            codex: folder("CODEX_HOME"),
            copilot: folder("COPILOT_HOME"),
            home,
        }
    }

    pub(super) fn claude_folder(&self) -> PathBuf {
        self.claude.clone().unwrap_or_else(|| self.home.join(".claude"))
    }

    fn claude_file(&self) -> PathBuf {
        self.claude.as_deref().unwrap_or(&self.home).join(".claude.json")
    }

    fn codex_folder(&self) -> PathBuf {
        self.codex.clone().unwrap_or_else(|| self.home.join(".codex"))
    }

    fn copilot_folder(&self) -> PathBuf {
        self.copilot.clone().unwrap_or_else(|| self.home.join(".copilot"))
    }

    fn zed_folder(&self) -> PathBuf {
        match cfg!(windows) {
            true => self.config.join("Zed"),
            // On macOS, too.
            false => self.home_config().join("zed"),
        }
    }

    fn opencode_folder(&self) -> PathBuf {
        self.home_config().join("opencode")
    }

    /// `~/.config` on every system.
    fn home_config(&self) -> PathBuf {
        if cfg!(windows) { self.home.join(".config") } else { self.config.clone() }
    }
}

/// All assistants, in the order in which they are listed.
pub(crate) const ASSISTANTS: &[Assistant] = &[
    Assistant {
        id: "claude-code",
        name: "Claude Code",
        traces: |places| vec![places.claude_file(), places.claude_folder()],
        config: Places::claude_file,
        form: Form::Json("mcpServers", Entry::Typed),
        note: Some(|places| places.claude_folder().join("CLAUDE.md")),
        owns_note: false,
    },
    Assistant {
        id: "codex",
        name: "Codex",
        traces: |places| vec![places.codex_folder()],
        config: |places| places.codex_folder().join("config.toml"),
        form: Form::Toml("mcp_servers"),
        note: Some(|places| places.codex_folder().join("AGENTS.md")),
        owns_note: false,
    },
    Assistant {
        id: "cursor",
        name: "Cursor",
        traces: |places| vec![places.home.join(".cursor")],
        config: |places| places.home.join(".cursor/mcp.json"),
        form: Form::Json("mcpServers", Entry::Typed),
        note: None,
        owns_note: false,
    },
    Assistant {
        id: "vscode",
        name: "VS Code",
        traces: |places| vec![places.editors.join("Code")],
        config: |places| places.editors.join("Code/User/mcp.json"),
        form: Form::Json("servers", Entry::Typed),
        note: Some(|places| places.editors.join("Code/User/prompts/craig.instructions.md")),
        owns_note: true,
    },
    Assistant {
        id: "zed",
        name: "Zed",
        traces: |places| vec![places.zed_folder()],
        config: |places| places.zed_folder().join("settings.json"),
        form: Form::Json("context_servers", Entry::WithEnvironment),
        note: Some(|places| places.zed_folder().join("AGENTS.md")),
        owns_note: false,
    },
    Assistant {
        id: "opencode",
        name: "OpenCode",
        traces: |places| vec![places.opencode_folder()],
        config: |places| first_there(&places.opencode_folder(), &["opencode.jsonc", "opencode.json"]),
        form: Form::Json("mcp", Entry::OneCommand),
        note: Some(|places| places.opencode_folder().join("AGENTS.md")),
        owns_note: false,
    },
    Assistant {
        id: "gemini",
        name: "Gemini CLI",
        traces: |places| vec![places.home.join(".gemini")],
        config: |places| places.home.join(".gemini/settings.json"),
        form: Form::Json("mcpServers", Entry::Plain),
        note: Some(|places| places.home.join(".gemini/GEMINI.md")),
        owns_note: false,
    },
    Assistant {
        id: "windsurf",
        name: "Windsurf",
        traces: |places| vec![places.home.join(".codeium/windsurf")],
        config: |places| places.home.join(".codeium/windsurf/mcp_config.json"),
        form: Form::Json("mcpServers", Entry::Plain),
        note: Some(|places| places.home.join(".codeium/windsurf/memories/global_rules.md")),
        owns_note: false,
    },
    Assistant {
        id: "copilot",
        name: "Copilot CLI",
        traces: |places| vec![places.copilot_folder()],
        config: |places| places.copilot_folder().join("mcp-config.json"),
        form: Form::Json("mcpServers", Entry::WithTools),
        note: Some(|places| places.copilot_folder().join("copilot-instructions.md")),
        owns_note: false,
    },
    Assistant {
        id: "cline",
        name: "Cline",
        traces: |places| vec![places.home.join(".cline")],
        config: |places| places.home.join(".cline/data/settings/cline_mcp_settings.json"),
        form: Form::Json("mcpServers", Entry::Plain),
        note: None,
        owns_note: false,
    },
    Assistant {
        id: "continue",
        name: "Continue",
        traces: |places| vec![places.home.join(".continue")],
        // Each file in this folder adds servers.
        config: |places| places.home.join(".continue/mcpServers/craig.json"),
        form: Form::Json("mcpServers", Entry::Plain),
        note: None,
        owns_note: false,
    },
    Assistant {
        id: "claude-desktop",
        name: "Claude Desktop",
        traces: |places| vec![places.editors.join("Claude")],
        config: |places| places.editors.join("Claude/claude_desktop_config.json"),
        form: Form::Json("mcpServers", Entry::Plain),
        note: None,
        owns_note: false,
    },
    Assistant {
        id: "junie",
        name: "Junie",
        traces: |places| vec![places.home.join(".junie")],
        config: |places| places.home.join(".junie/mcp/mcp.json"),
        form: Form::Json("mcpServers", Entry::Plain),
        note: None,
        owns_note: false,
    },
];

/// The first of these files that is there; the last when none is.
fn first_there(folder: &Path, names: &[&str]) -> PathBuf {
    let paths = names.iter().map(|name| folder.join(name));
    let there = paths.clone().find(|path| path.exists());
    there.or_else(|| paths.into_iter().next_back()).unwrap_or_else(|| folder.to_owned())
}

impl Assistant {
    /// Whether it seems to be on this machine.
    pub(crate) fn is_there(&self, places: &Places) -> bool {
        (self.traces)(places).iter().any(|path| path.exists())
    }

    pub(super) fn config(&self, places: &Places) -> PathBuf {
        (self.config)(places)
    }

    pub(super) fn note(&self, places: &Places) -> Option<PathBuf> {
        self.note.map(|note| note(places))
    }
}
