//! Whether an import belongs to a package: by the package's name, by known names in code, by naming conventions.

use super::code_names::{MAVEN, PACKAGIST, PYTHON, known};
use crate::declared::{Declared, Ecosystem};
use crate::manifest::normal_python_name;

/// How well `import` fits a declared package, by the length of the match; `None` if it does not.
pub(super) fn score(declared: &Declared, import: &str) -> Option<u32> {
    let name = declared.name.as_str();
    match declared.ecosystem {
        Ecosystem::Npm => npm(name, import),
        Ecosystem::Cargo => {
            let called = declared.called.as_deref().unwrap_or(name);
            (called == import || name.replace('-', "_") == import).then_some(1)
        }
        Ecosystem::Go => by_segments(name, import, '/'),
        Ecosystem::PyPi => python(name, import),
        Ecosystem::Maven => maven(name, import).map(|(score, _)| score),
        Ecosystem::RubyGems => ruby(name, import),
        Ecosystem::Packagist => packagist(declared, import),
        Ecosystem::NuGet => by_segments(&name.to_lowercase(), &import.to_lowercase(), '.'),
        Ecosystem::Hex => hex(name, import),
        Ecosystem::Swift => swift(declared, import),
        Ecosystem::Hackage => haskell(name, import),
        Ecosystem::Pub | Ecosystem::LuaRocks => (name == import).then_some(1),
        Ecosystem::C => c(name, import),
    }
}

fn length(parts: usize) -> u32 {
    u32::try_from(parts).unwrap_or(u32::MAX)
}

/// `name` is `import`, or its leading segments.
fn by_segments(name: &str, import: &str, separator: char) -> Option<u32> {
    let rest = import.strip_prefix(name)?;
    (rest.is_empty() || rest.starts_with(separator)).then(|| length(name.split(separator).count()))
}

/// The types of a package come from itself or from `@types`.
fn npm(name: &str, import: &str) -> Option<u32> {
    let types = name.strip_prefix("@types/").map(|of| match of.split_once("__") {
        Some((scope, name)) => format!("@{scope}/{name}"),
        None => of.to_owned(),
    });
    (name == import || types.as_deref() == Some(import)).then_some(1)
}

fn python(name: &str, import: &str) -> Option<u32> {
    let name = normal_python_name(name);
    if let Some(modules) = known(PYTHON, &name) {
        return modules
            .iter()
            .filter_map(|module| by_segments(module, import, '.'))
            .max()
            .map(|score| score + 1);
    }
    let import = import.to_lowercase();
    let parts: Vec<&str> = import.split('.').collect();
    let bare = name.strip_prefix("python_").or_else(|| name.strip_suffix("_python")).unwrap_or(&name);
    (1..=parts.len().min(4)).rev().find_map(|n| {
        let joined = parts[..n].join("_");
        (joined == name || joined == bare).then(|| length(n))
    })
}

/// Gems are required by their name, or by the folder of the same words.
fn ruby(name: &str, import: &str) -> Option<u32> {
    let as_folder = name.replace('-', "/");
    let as_word = name.replace('-', "_");
    let joined = import.split('/').next().unwrap_or(import).replace('_', "");
    by_segments(name, import, '/')
        .or_else(|| by_segments(&as_folder, import, '/'))
        .or_else(|| by_segments(&as_word, import, '/'))
        .map(|score| score + 1)
        .or_else(|| (joined == name.replace(['_', '-'], "")).then_some(1))
}

/// By the prefixes in the lock file, else by vendor and name.
fn packagist(declared: &Declared, import: &str) -> Option<u32> {
    let by_prefix =
        |prefixes: &[&str]| prefixes.iter().filter_map(|prefix| by_segments(prefix, import, '\\')).max();
    if !declared.prefixes.is_empty() {
        let prefixes: Vec<&str> = declared.prefixes.iter().map(String::as_str).collect();
        return by_prefix(&prefixes).map(|score| score + 10);
    }
    if let Some(prefixes) = known(PACKAGIST, &declared.name) {
        return by_prefix(prefixes).map(|score| score + 10);
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', '.'], "");
    let parts: Vec<String> = import.split('\\').map(plain).collect();
    let (vendor, name) = declared.name.split_once('/')?;
    let (vendor, name) = (plain(vendor), plain(name));
    let first = parts.first()?;
    // `symfony/event-dispatcher` is `Symfony\Component\EventDispatcher`.
    let has_name = parts.iter().skip(1).take(3).any(|part| *part == name)
        || (2..=3).any(|n| parts.get(1..=n).is_some_and(|some| some.concat() == name));
    match (*first == vendor, *first == name) {
        (true, _) if has_name => Some(4),
        (true, true) | (false, true) => Some(3),
        (true, false) if name.contains(&vendor) || vendor.contains(&name) => Some(2),
        _ => None,
    }
}

/// Modules are the name in camel case: `phoenix_html` is `Phoenix.HTML` or `PhoenixHTML`.
fn hex(name: &str, import: &str) -> Option<u32> {
    let name = name.replace('_', "");
    let mut joined = String::new();
    for (n, part) in import.split('.').enumerate() {
        joined += &part.to_lowercase();
        if joined == name {
            return Some(length(n + 1));
        }
    }
    None
}

fn swift(declared: &Declared, import: &str) -> Option<u32> {
    if declared.prefixes.iter().any(|product| product == import) {
        return Some(3);
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', '.'], "");
    let (name, import) = (plain(&declared.name), plain(import));
    let bare = name.strip_prefix("swift").unwrap_or(&name);
    let bare = bare.strip_suffix("swift").filter(|bare| !bare.is_empty()).unwrap_or(bare);
    (name == import || bare == import).then_some(2)
}

/// Packages whose modules have other names.
const HASKELL: &[(&str, &[&str])] = &[
    (
        "base",
        &[
            "Prelude",
            "Control.Monad",
            "Control.Exception",
            "Control.Applicative",
            "Control.Concurrent",
            "Data.Bits",
            "Data.Char",
            "Data.Either",
            "Data.Foldable",
            "Data.Function",
            "Data.Functor",
            "Data.IORef",
            "Data.Int",
            "Data.Kind",
            "Data.List",
            "Data.Maybe",
            "Data.Monoid",
            "Data.Ord",
            "Data.Proxy",
            "Data.Semigroup",
            "Data.String",
            "Data.Traversable",
            "Data.Tuple",
            "Data.Typeable",
            "Data.Version",
            "Data.Void",
            "Data.Word",
            "Data.Data",
            "Data.Dynamic",
            "Data.Coerce",
            "Data.Bifunctor",
            "Debug.Trace",
            "Foreign",
            "GHC",
            "Numeric",
            "System.IO",
            "System.Environment",
            "System.Exit",
            "System.Mem",
            "System.Info",
            "Text.Printf",
            "Text.Read",
            "Text.Show",
            "Unsafe.Coerce",
            "Type.Reflection",
        ],
    ),
    (
        "containers",
        &["Data.Map", "Data.Set", "Data.IntMap", "Data.IntSet", "Data.Sequence", "Data.Tree", "Data.Graph"],
    ),
    (
        "mtl",
        &[
            "Control.Monad.State",
            "Control.Monad.Reader",
            "Control.Monad.Writer",
            "Control.Monad.Except",
            "Control.Monad.RWS",
        ],
    ),
    ("transformers", &["Control.Monad.Trans", "Control.Monad.IO.Class"]),
    ("directory", &["System.Directory"]),
    ("filepath", &["System.FilePath"]),
    ("process", &["System.Process"]),
    ("time", &["Data.Time"]),
    ("bytestring", &["Data.ByteString"]),
    ("text", &["Data.Text"]),
    ("parsec", &["Text.Parsec"]),
    ("blaze-html", &["Text.Blaze"]),
    ("blaze-markup", &["Text.Blaze"]),
    ("unordered-containers", &["Data.HashMap", "Data.HashSet"]),
    ("random", &["System.Random"]),
    ("tasty", &["Test.Tasty"]),
];

fn haskell(name: &str, import: &str) -> Option<u32> {
    if let Some((_, modules)) = HASKELL.iter().find(|(package, _)| *package == name) {
        return modules
            .iter()
            .filter_map(|module| by_segments(module, import, '.'))
            .max()
            .map(|score| score * 2 + 1);
    }
    // `zip-archive` is `Codec.Archive.Zip`: all words of the name are parts of the module.
    let parts: Vec<String> = import.split('.').map(str::to_lowercase).collect();
    let words = name.split('-').filter(|word| word.parse::<u32>().is_err());
    let has = |word: &str| parts.iter().any(|part| part == word || part.contains(word) && word.len() > 4);
    let joined = name.replace('-', "");
    let fits = parts.contains(&joined) || words.clone().count() > 0 && words.clone().all(has);
    fits.then(|| 2 * length(words.count()))
}

/// The folder of a header, or the header itself, has the name of the package.
fn c(name: &str, import: &str) -> Option<u32> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let name = plain(name);
    let path = import.to_lowercase();
    let first = plain(path.split('/').next().unwrap_or(&path));
    let stem = first.rsplit_once('.').map_or(first.as_str(), |(stem, _)| stem);
    let bare = name.strip_prefix("lib").unwrap_or(&name);
    if stem == name || stem == bare {
        return Some(1);
    }
    // `boost-asio` is `boost/asio.hpp`.
    let joined: String =
        path.split('/').take(2).map(|part| plain(part.split('.').next().unwrap_or(part))).collect();
    (joined == name).then_some(2)
}

/// Groups under which an organisation publishes all that it has: they alone say nothing about an artifact.
const VENDORS: &[&str] = &[
    "com.amazonaws",
    "com.facebook",
    "com.github",
    "com.google",
    "com.microsoft",
    "com.netflix",
    "com.squareup",
    "com.twitter",
    "io.github",
    "net.sf",
    "org.apache",
    "org.eclipse",
    "org.jboss",
    "org.jetbrains",
];

/// Words of artifacts that their packages need not have.
const GENERAL: &[&str] = &["all", "api", "bom", "common", "core", "impl", "java", "jvm", "lib", "starter"];

/// `cats-core` of `cats-core_2.13` and `cats-core_$version`.
fn without_scala_version(artifact: &str) -> &str {
    let version = artifact
        .rsplit_once('_')
        .filter(|(_, version)| version.starts_with(|c: char| c == '$' || c.is_ascii_digit()));
    version.map_or(artifact, |(name, _)| name)
}

/// Whether nothing but its group connects an artifact of Java with an import.
pub(super) fn is_by_group_alone(declared: &Declared, import: &str) -> bool {
    declared.ecosystem == Ecosystem::Maven && maven(&declared.name, import).is_some_and(|(_, alone)| alone)
}

/// By the leading parts of the group, and the words of the artifact after them, all but general ones. Also whether it fits by
/// its group alone, as `org.acme:acme-core` fits `org.acme.mail`.
fn maven(coordinates: &str, import: &str) -> Option<(u32, bool)> {
    if let Some(prefixes) = known(MAVEN, coordinates) {
        let score = |prefix: &&str| by_segments(prefix, import, '.');
        return prefixes.iter().filter_map(score).max().map(|score| (score * 100 + 50, false));
    }
    let (group, artifact) = coordinates.split_once(':')?;
    let artifact = without_scala_version(artifact);
    // Names of types say nothing about the artifact.
    let is_package = |part: &&str| !part.starts_with(char::is_uppercase);
    let import: Vec<&str> = import.split('.').take_while(is_package).collect();
    let group: Vec<&str> = group.split('.').collect();
    let common = group.iter().zip(&import).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let is_vendor = VENDORS.contains(&group.join(".").as_str());
    let plain = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
    let words: Vec<String> =
        artifact.split(['-', '.', '_']).map(plain).filter(|word| !word.is_empty()).collect();
    let parts: Vec<String> = import.iter().map(|part| plain(part)).collect();
    // What the artifact adds to the part of the group that the import has: `spring-web` of `org.springframework` adds `web`.
    let added =
        words.iter().filter(|word| !group[..common].iter().any(|part| part.starts_with(word.as_str())));
    let (found, missing): (Vec<&String>, Vec<&String>) =
        added.partition(|word| parts[common..].contains(word));
    let is_complete = missing.iter().all(|word| GENERAL.contains(&word.as_str()));
    let whole_group = common == group.len() && common >= 2 && !(is_vendor && found.is_empty());
    let most_of_group = common + 1 >= group.len() && common >= 2 && !found.is_empty();
    let in_a_row = words.len() > 1
        && (parts.windows(words.len()).any(|row| row == words) || parts.contains(&words.concat()));
    let is_single = words.len() == 1
        && group.last().map(|last| plain(last)).as_ref() == words.first()
        && parts.get(1) == words.first();
    (is_complete && (whole_group || most_of_group) || in_a_row || is_single).then(|| {
        let score = common * 100 + found.len() * 60 + usize::from(in_a_row) * 60;
        let is_by_group = found.is_empty() && !missing.is_empty() && !in_a_row && !is_single;
        (length((score + 20).saturating_sub(missing.len().min(20))), is_by_group)
    })
}
