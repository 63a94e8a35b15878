//! Parts of paths: relative, separated by `/`.

/// The folder of a path; empty at the top.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The name of a file without its extension: `lib/queue.test.ts` gives `queue.test`, `.bashrc` itself.
pub fn file_stem(path: &str) -> &str {
    let name = name(path);
    name.rfind('.').filter(|dot| *dot > 0).map_or(name, |dot| &name[..dot])
}

/// The last extension, without the dot.
pub fn extension(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// `relative` as seen from `folder`; `None` when it leads out of the project.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `a/b`, or `b` when there is no `a`.
pub fn under(folder: &str, name: &str) -> String {
    match (folder.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{name}"),
    }
}

/// The folder and all above it, nearest first, ending with the top.
pub fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| self::folder(current));
        Some(current)
    })
}

/// Leading folders that two paths share.
pub fn shared_folders(a: &str, b: &str) -> usize {
    let (a, b) = (folder(a), folder(b));
    let pairs = a.split('/').zip(b.split('/'));
    pairs.take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// Whether `path` lies in `folder`, or is it.
pub fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty() || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_paths_stay_inside() {
        assert_eq!(join("a/b", "../c.ts").as_deref(), Some("a/c.ts"));
        assert_eq!(join("", "./c.ts").as_deref(), Some("c.ts"));
        assert_eq!(join("a", "../../c"), None);
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(shared_folders("a/b/c.h", "a/b/d/e.h"), 2);
    }
}
