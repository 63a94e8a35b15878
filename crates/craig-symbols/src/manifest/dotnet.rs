//! Project files of .NET, central package versions, and `packages.config`.

use roxmltree::Document;

use super::{Manifest, declare};
use crate::declared::{Ecosystem, Scope};

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let document = Document::parse(text.trim_start_matches('\u{feff}')).ok()?;
    let mut manifest = Manifest::default();
    for node in document.descendants() {
        let scope = match node.tag_name().name() {
            "PackageReference" if is_private(node) => Scope::Build,
            "PackageReference" if craig_text::is_test(path) => Scope::Dev,
            "PackageReference" => Scope::Runtime,
            "package" if node.has_attribute("id") => Scope::Runtime,
            "PackageVersion" => Scope::Workspace,
            _ => continue,
        };
        let name =
            node.attribute("Include").or_else(|| node.attribute("Update")).or_else(|| node.attribute("id"));
        let inner = |name: &str| {
            node.children().find(|child| child.has_tag_name(name)).and_then(|child| child.text())
        };
        let version =
            node.attribute("Version").or_else(|| node.attribute("version")).or_else(|| inner("Version"));
        if let Some(name) = name.filter(|name| !name.contains("$(")) {
            manifest.declared.push(declare(Ecosystem::NuGet, name, version, scope, path));
        }
    }
    Some(manifest)
}

/// Whether it is an analyzer or tool that no code refers to.
fn is_private(node: roxmltree::Node<'_, '_>) -> bool {
    let is_all = |text: &str| text.trim().eq_ignore_ascii_case("all");
    let inner =
        node.children().find(|child| child.has_tag_name("PrivateAssets")).and_then(|child| child.text());
    node.attribute("PrivateAssets").is_some_and(is_all) || inner.is_some_and(is_all)
}
