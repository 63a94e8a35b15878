//! The user's editor, at a line of a file.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// The editor if no variable names one.
const DEFAULT: &str = "vi";

/// Opens a file in `$VISUAL` or `$EDITOR` at a line, and waits until the editor ends.
pub(super) fn open(path: &Path, line: u32) -> io::Result<()> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| env::var(name).ok());
    let editor = named.filter(|editor| !editor.trim().is_empty()).unwrap_or_else(|| DEFAULT.to_owned());
    let command = command(&editor, path, line);
    let status = Command::new(&command[0]).args(&command[1..]).status().map_err(|error| {
        io::Error::new(error.kind(), format!("{}: {error}; set EDITOR to your editor", command[0].display()))
    })?;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{}: {status}", command[0].display()))),
    }
}

/// The program and the arguments that open a file at a line. The value of the variable may have arguments, as in `code --wait`.
fn command(editor: &str, path: &Path, line: u32) -> Vec<OsString> {
    let mut command: Vec<OsString> = editor.split_whitespace().map(OsString::from).collect();
    let program = Path::new(&command[0]).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let with_line = || {
        let mut place = path.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    match program {
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
            command.extend(["--goto".into(), with_line()]);
        }
        "hx" | "helix" | "zed" | "subl" | "micro" => command.push(with_line()),
        "idea" | "pycharm" | "webstorm" | "goland" | "rider" | "clion" => {
            command.extend(["--line".into(), line.to_string().into(), path.into()]);
        }
        // vi, vim, nvim, nano, emacs, emacsclient, kak, joe, ed
        _ => command.extend([format!("+{line}").into(), path.into()]),
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_given_the_line_as_it_expects_it() {
        let shown = |editor: &str| {
            let command = command(editor, Path::new("/w/a b.rs"), 7);
            command.iter().map(|part| part.display().to_string()).collect::<Vec<_>>().join("|")
        };
        let all = ["vim", "/usr/bin/nvim -p", "code --wait", "hx", "idea"].map(shown).join("\n");
        expect_test::expect![[r#"
            vim|+7|/w/a b.rs
            /usr/bin/nvim|-p|+7|/w/a b.rs
            code|--wait|--goto|/w/a b.rs:7
            hx|/w/a b.rs:7
            idea|--line|7|/w/a b.rs"#]]
        .assert_eq(&all);
    }
}
