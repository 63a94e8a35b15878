//! Places that a query names, as stack traces and compilers do: `src/pool.py:41`, `File "src/pool.py", line 41, in take`.

/// A line of a file that a query names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// As the query has it: a name, a path of the project, or one that begins above it; `/`-separated.
    path: String,
    pub(crate) line: u32,
    /// The function that the trace names with it: lines move from version to version, names rarely.
    pub(crate) function: Option<String>,
}

/// Frames that are looked for: the rest of a long trace is not.
const MAX_FRAMES: usize = 50;

impl Frame {
    /// The frames of a query, each once, the innermost call first: Python writes it last, the others first.
    pub(crate) fn all(query: &str) -> Vec<Self> {
        let is_python = query.contains("\", line ");
        // Python, C#, PHP and links to a line write it behind the path in ways of their own.
        let mut query = query.replace('\\', "/");
        for written in ["\", line ", ":line ", "#L"] {
            query = query.replace(written, ":");
        }
        let query = query.replace(".php(", ".php:");
        let mut found: Vec<Self> = Vec::new();
        let mut before = "";
        for line in query.lines() {
            for frame in line.split(is_apart).filter_map(Self::from_word) {
                let function = function_named(line, before);
                if !found.iter().any(|other| other.path == frame.path && other.line == frame.line) {
                    found.push(Self { function, ..frame });
                }
            }
            before = line;
        }
        if is_python {
            found.reverse();
        }
        found.truncate(MAX_FRAMES);
        found
    }

    fn from_word(word: &str) -> Option<Self> {
        let word = word.split_once("://").map_or(word, |(_, rest)| rest);
        let at = word.match_indices(':').map(|(at, _)| at).find(|at| starts_with_digit(&word[at + 1..]))?;
        let (path, rest) = (&word[..at], &word[at + 1..]);
        let line = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
        let is_file = !stem.is_empty() && ending.chars().next()?.is_ascii_alphabetic() && ending.len() <= 10;
        is_file.then(|| Self { path: path.trim_start_matches("./").to_owned(), line, function: None })
    }

    /// Whether it is of this file of the project.
    pub(crate) fn is_of(&self, path: &str) -> bool {
        ends_with_path(path, &self.path) || ends_with_path(&self.path, path)
    }
}

fn is_apart(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | ',')
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// The last part of the name of the function that a line of a trace is in. Go and Rust write it on the line before.
fn function_named(line: &str, before: &str) -> Option<String> {
    let own = line.trim();
    let named = match () {
        // Python: `…, in take`. Ruby: `…:in 'Pool#take'`.
        () if own.contains(", in ") => own.rsplit_once(", in ")?.1,
        () if own.contains(":in ") => own.rsplit_once(":in ")?.1,
        // JavaScript, Java and C#: `at Pool.take (…`.
        () if own.starts_with("at ") && own.contains('(') => own[3..].split_once('(')?.0,
        // Go: `main.(*Pool).Take(…)`. Rust: `3: pool::take`.
        () if before.trim_end().ends_with(')') => before.trim_end().rsplit_once('(')?.0,
        () if own.starts_with("at ") => before.trim_end(),
        () => return None,
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name = named.trim_matches(|c: char| !is_part(c)).rsplit(|c| !is_part(c)).next()?;
    (!name.is_empty() && !starts_with_digit(name)).then(|| name.to_owned())
}

/// Whether a path is another one, or ends with it behind a `/`.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(query: &str) -> Vec<String> {
        let shown = |frame: &Frame| {
            format!("{} {} {}", frame.path, frame.line, frame.function.as_deref().unwrap_or("-"))
        };
        Frame::all(query).iter().map(shown).collect()
    }

    #[test]
    fn frames_of_many_languages_are_read() {
        assert_eq!(frames("at Pool.take (src/pool.js:41:9)"), ["src/pool.js 41 take"]);
        assert_eq!(frames("\tat org.shop.Pool.take(Pool.java:41)"), ["Pool.java 41 take"]);
        assert_eq!(
            frames("  --> crates/a/src/pool.rs:41:9 \n  ./pool.go:7 +0x1d"),
            ["crates/a/src/pool.rs 41 -", "pool.go 7 -"]
        );
        assert_eq!(frames("main.(*Pool).Take(0x0)\n\t/srv/pool.go:7 +0x1d"), ["/srv/pool.go 7 Take"]);
        assert_eq!(frames("  3: shop::pool::take\n    at ./src/pool.rs:41:9"), ["src/pool.rs 41 take"]);
        assert_eq!(frames("   at Shop.Pool.Take() in C:\\app\\Pool.cs:line 41"), ["C:/app/Pool.cs 41 Take"]);
        assert_eq!(frames("/srv/app/pool.rb:41:in `take'"), ["/srv/app/pool.rb 41 take"]);
        assert_eq!(frames("#0 /srv/src/Pool.php(41): Shop\\Pool->take()"), ["/srv/src/Pool.php 41 -"]);
        assert_eq!(
            frames("https://git.example/shop/blob/1a2b/src/pool.py#L41-L50"),
            ["git.example/shop/blob/1a2b/src/pool.py 41 -"]
        );
        assert_eq!(frames("listen on http://localhost:80 at 12:30, version 1.2:3"), Vec::<String>::new());
    }

    #[test]
    fn the_innermost_call_comes_first() {
        let python =
            "File \"/srv/app/main.py\", line 3, in <module>\n  File \"/srv/app/pool.py\", line 41, in take";
        assert_eq!(frames(python), ["/srv/app/pool.py 41 take", "/srv/app/main.py 3 module"]);
        let script = "at take (src/pool.js:41:9)\nat main (src/main.js:3:1)";
        assert_eq!(frames(script), ["src/pool.js 41 take", "src/main.js 3 main"]);
    }

    #[test]
    fn frames_are_of_files_whose_paths_end_alike() {
        let frame = |word| Frame::from_word(word).unwrap();
        assert!(frame("/srv/app/src/pool.py:4").is_of("src/pool.py"));
        assert!(frame("Pool.java:4").is_of("core/src/Pool.java"));
        assert!(!frame("Pool.java:4").is_of("core/src/WorkerPool.java"));
    }
}
