//! The files that a path, folder or pattern selects.

use craig_text::composed;
use craig_text::path::is_in;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The folders, besides the project's own, that a path may be relative to.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathBase<'a> {
    /// The project's folder, which absolute paths begin with.
    pub root: Option<&'a str>,
    /// The caller's folder relative to the project's; empty for the project's own folder.
    pub folder: &'a str,
}

/// Selects files by a path or pattern.
///
/// It may be read in several ways, which are tried in order until one selects a file: as the path of a file or folder, as the
/// name of one in any folder, as a glob, as a glob in which brackets and braces are meant literally, and as a list with
/// commas. Each of them relative to the project's folder, then to the one that is asked from.
#[derive(Clone, Debug)]
pub struct PathFilter {
    written: String,
    readings: Vec<Reading>,
    /// The one that is used, once known.
    chosen: Option<usize>,
    /// Why it is no glob, if it is none.
    syntax_error: Option<String>,
}

/// A way to read a path or pattern.
#[derive(Clone, Debug)]
enum Reading {
    /// Every file.
    All,
    /// A file, or all in a folder.
    Path(String),
    /// Files and folders of a name.
    Name(String),
    Globs(GlobSet),
    /// The files that one of these selects.
    Any(Vec<PathFilter>),
}

/// A spelling of a path, with `/` between its parts and without `.` and `..`.
struct Spelling {
    path: String,
    /// It begins in the project's folder.
    is_rooted: bool,
}

impl PathFilter {
    /// Parses a filter as the user wrote it.
    pub fn new(written: &str, base: PathBase<'_>) -> Self {
        let spellings = spellings(written, base);
        let mut readings: Vec<Reading> = spellings.iter().map(Spelling::as_path).collect();
        readings.extend(spellings.iter().filter_map(Spelling::as_name));
        let mut syntax_error = None;
        let escapes: [&[char]; 3] = [&[], &['[', ']'], &['[', ']', '{', '}']];
        for escaped in escapes {
            for spelling in
                spellings.iter().filter(|spelling| spelling.path.contains(escaped) || escaped.is_empty())
            {
                match spelling.as_globs(escaped) {
                    Ok(globs) => readings.push(Reading::Globs(globs)),
                    Err(error) => syntax_error = syntax_error.or(Some(error.kind().to_string())),
                }
            }
        }
        let parts = listed(written);
        if parts.len() > 1 {
            readings.push(Reading::Any(parts.into_iter().map(|part| Self::new(part, base)).collect()));
        }
        Self { written: written.to_owned(), readings, chosen: None, syntax_error }
    }

    /// The files or folders that the user may have meant, as paths relative to the project's folder, the likeliest
    /// first.
    pub fn paths(written: &str, base: PathBase<'_>) -> impl Iterator<Item = String> + use<> {
        spellings(written, base).into_iter().map(|spelling| spelling.path)
    }

    /// The filter as written.
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// Chooses how it is read, by the paths that there are. If no reading selects any of them, none of all paths passes.
    pub fn choose<'p>(&mut self, paths: impl Iterator<Item = &'p str> + Clone) {
        for filter in self.readings.iter_mut().flat_map(Reading::parts) {
            filter.choose(paths.clone());
        }
        let selects = |reading: &Reading| paths.clone().any(|path| reading.selects(path));
        self.chosen = self.readings.iter().position(selects);
    }

    /// Whether a path is selected, after [`choose`](Self::choose).
    pub fn selects(&self, path: &str) -> bool {
        self.chosen.is_some_and(|chosen| self.readings[chosen].selects(path))
    }

    /// After [`choose`](Self::choose): why it selects nothing, where it cannot be read as a glob.
    pub fn syntax_error(&self) -> Option<&str> {
        self.syntax_error.as_deref().filter(|_| self.chosen.is_none())
    }
}

impl Reading {
    fn selects(&self, path: &str) -> bool {
        let path = &*composed(path);
        match self {
            Self::All => true,
            Self::Path(wanted) => is_in(path, wanted),
            Self::Name(wanted) => path.split('/').any(|part| part == wanted),
            Self::Globs(globs) => globs.is_match(path),
            Self::Any(filters) => filters.iter().any(|filter| filter.selects(path)),
        }
    }

    fn parts(&mut self) -> &mut [PathFilter] {
        match self {
            Self::Any(filters) => filters,
            _ => &mut [],
        }
    }
}

impl Spelling {
    /// `None` if it leads out of the project.
    fn new(path: &str, is_rooted: bool) -> Option<Self> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            match part {
                ".." => drop(parts.pop()?),
                _ => parts.push(part),
            }
        }
        let is_rooted = is_rooted || path.starts_with('/') || path.starts_with("./") || path.ends_with('/');
        Some(Self { path: composed(&parts.join("/")).into_owned(), is_rooted })
    }

    fn as_path(&self) -> Reading {
        if self.path.is_empty() { Reading::All } else { Reading::Path(self.path.clone()) }
    }

    fn as_name(&self) -> Option<Reading> {
        let is_name = !self.is_rooted && !self.path.contains('/') && !self.path.is_empty();
        is_name.then(|| Reading::Name(self.path.clone()))
    }

    /// Globs for it as a file and as a folder, in any folder if it has no `/`. The characters `escaped` are meant literally.
    fn as_globs(&self, escaped: &[char]) -> Result<GlobSet, globset::Error> {
        let mut pattern = String::new();
        for c in self.path.chars() {
            if escaped.contains(&c) {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        let is_name = !self.is_rooted && !pattern.contains('/');
        let mut globs = GlobSetBuilder::new();
        for before in if is_name { &["", "**/"][..] } else { &[""] } {
            for after in ["", "/**"] {
                let glob =
                    GlobBuilder::new(&format!("{before}{pattern}{after}")).literal_separator(true).build()?;
                globs.add(glob);
            }
        }
        globs.build()
    }
}

/// The ways to spell what was written, the likeliest first.
fn spellings(written: &str, base: PathBase<'_>) -> Vec<Spelling> {
    let written = written.trim().trim_start_matches("file://");
    let in_root = base.root.and_then(|root| {
        let rest = written.strip_prefix(root.trim_end_matches(['/', '\\']))?;
        (rest.is_empty() || rest.starts_with(['/', '\\'])).then_some(rest)
    });
    if let Some(rest) = in_root {
        return with_slashes(rest).filter_map(|path| Spelling::new(&path, true)).collect();
    }
    let from_root = with_slashes(written).filter_map(|path| Spelling::new(&path, false));
    if base.folder.is_empty() || written.is_empty() || written.starts_with('/') {
        return from_root.collect();
    }
    let in_folder = |path: String| Spelling::new(&format!("{}/{path}", base.folder), true);
    let from_folder = with_slashes(written).filter_map(in_folder);
    let first = written.split(['/', '\\']).next();
    match matches!(first, Some("." | "..")) {
        true => from_folder.chain(from_root).collect(),
        false => from_root.chain(from_folder).collect(),
    }
}

/// A path, and the same with slashes for backslashes.
fn with_slashes(path: &str) -> impl Iterator<Item = String> {
    let slashed = path.contains('\\').then(|| path.replace('\\', "/"));
    std::iter::once(path.to_owned()).chain(slashed)
}

/// The entries of a list with commas outside of braces.
fn listed(written: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = written.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: &[&str] = &[
        "README.md",
        "app/(group)/[[...slug]]/route.ts",
        "app/[id]/page.tsx",
        "app/i/page.tsx",
        "docs/src/a.md",
        "src/back\\slash.ts",
        "src/co,ma/x.ts",
        "src/e\u{301}/nfd.ts",
        "src/lib/a.rs",
        "src/lib/b.rs",
        "src/{a,b}/c.ts",
        "web/a/c.ts",
    ];

    fn check_from(folder: &str, written: &str, expected: &[&str]) {
        let base = PathBase { root: Some("/home/me/shop"), folder };
        let mut filter = PathFilter::new(written, base);
        filter.choose(PATHS.iter().copied());
        let found: Vec<&str> = PATHS.iter().copied().filter(|path| filter.selects(path)).collect();
        assert_eq!(found, expected, "{written:?} from {folder:?}");
    }

    fn check(written: &str, expected: &[&str]) {
        check_from("", written, expected);
    }

    #[test]
    fn a_path_that_exists_is_meant_literally() {
        for path in PATHS {
            check(path, &[path]);
            check(&format!("./{path}"), &[path]);
            check(&format!("/home/me/shop/{path}"), &[path]);
        }
        check("app/[id]", &["app/[id]/page.tsx"]);
        check("app\\[id]\\", &["app/[id]/page.tsx"]);
        check("[id]", &["app/[id]/page.tsx"]);
        check("src\\lib\\a.rs", &["src/lib/a.rs"]);
        check("src/\u{e9}", &["src/e\u{301}/nfd.ts"]);
        check("src/../README.md", &["README.md"]);
    }

    #[test]
    fn a_path_has_several_spellings() {
        let all = |written: &str, folder: &str| {
            let base = PathBase { root: Some("/home/me/shop"), folder };
            PathFilter::paths(written, base).collect::<Vec<_>>()
        };
        assert_eq!(all("src\\.\\a.py", ""), ["src\\.\\a.py", "src/a.py"]);
        assert_eq!(all("/src/../a.py", ""), ["a.py"]);
        assert_eq!(all("/home/me/shop/a.py", "src"), ["a.py"]);
        assert_eq!(all("./a.py", "src"), ["src/a.py", "a.py"]);
        assert!(all("../a.py", "").is_empty());
    }

    #[test]
    fn other_patterns_are_globs() {
        check("*.md", &["README.md", "docs/src/a.md"]);
        check("/*.md", &["README.md"]);
        check("src/lib/*.rs", &["src/lib/a.rs", "src/lib/b.rs"]);
        check("**/page.tsx", &["app/[id]/page.tsx", "app/i/page.tsx"]);
        check("page.tsx", &["app/[id]/page.tsx", "app/i/page.tsx"]);
        check("{src,web}/lib/{a,b}.rs", &["src/lib/a.rs", "src/lib/b.rs"]);
        check("src/lib/[ab].rs", &["src/lib/a.rs", "src/lib/b.rs"]);
        check("src/lib", &["src/lib/a.rs", "src/lib/b.rs"]);
        check("/src/lib/", &["src/lib/a.rs", "src/lib/b.rs"]);
        check("app/[[...slug]]/*.ts", &[]);
        check("app/*/[[...slug]]/*.ts", &["app/(group)/[[...slug]]/route.ts"]);
        check("src/{a,b}/*.ts", &["src/{a,b}/c.ts"]);
        check("README.md, src/lib/{a,z}.rs", &["README.md", "src/lib/a.rs"]);
    }

    #[test]
    fn a_dot_is_everything_and_an_unknown_path_is_nothing() {
        for everything in [".", "./", "", "/", "/home/me/shop", "/home/me/shop/", "**"] {
            check(everything, PATHS);
        }
        for nothing in ["lib2", "/home/me/other", "/home/me/shop2/src", "*.py", "../other", "src/["] {
            check(nothing, &[]);
        }
        let mut filter = PathFilter::new("src/[a", PathBase::default());
        filter.choose(PATHS.iter().copied());
        assert!(filter.syntax_error().is_some());
    }

    #[test]
    fn paths_may_be_relative_to_the_folder_that_is_asked_from() {
        check_from("src", "lib/*.rs", &["src/lib/a.rs", "src/lib/b.rs"]);
        check_from("src/lib", ".", &["src/lib/a.rs", "src/lib/b.rs"]);
        check_from("src/lib", "../{a,b}", &["src/{a,b}/c.ts"]);
        check_from("src/lib", "./a.rs", &["src/lib/a.rs"]);
        check_from("web", "a", &["web/a/c.ts"]);
        check_from("src", "docs/src", &["docs/src/a.md"]);
    }
}
