//! `pom.xml`. Versions that come from a parent or from managed dependencies are filled in later.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::{Manifest, declare};
use crate::declared::{Ecosystem, Scope};

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let document = Document::parse(text).ok()?;
    let project = document.root_element();
    let properties = properties(project);
    let mut manifest = Manifest::default();
    let group = text_of(project, "groupId").or_else(|| text_of(child(project, "parent")?, "groupId"));
    if let (Some(group), Some(artifact)) = (group, text_of(project, "artifactId")) {
        manifest.own.push((Ecosystem::Maven, format!("{group}:{artifact}")));
    }
    for dependency in project.descendants().filter(|node| node.tag_name().name() == "dependency") {
        let (Some(group), Some(artifact)) =
            (text_of(dependency, "groupId"), text_of(dependency, "artifactId"))
        else {
            continue;
        };
        let is_managed = ancestor(dependency, "dependencyManagement");
        let is_of_plugin = ancestor(dependency, "plugin");
        let is_optional = text_of(dependency, "optional") == Some("true");
        let scope = match text_of(dependency, "scope") {
            _ if is_managed => Scope::Workspace,
            _ if is_of_plugin => Scope::Build,
            _ if is_optional => Scope::Optional,
            Some("test") => Scope::Dev,
            Some("provided" | "system") => Scope::Provided,
            _ => Scope::Runtime,
        };
        let version = text_of(dependency, "version").map(|version| filled(version, &properties));
        let group = filled(group, &properties);
        let name = format!("{group}:{artifact}");
        manifest.declared.push(declare(Ecosystem::Maven, &name, version.as_deref(), scope, path));
    }
    Some(manifest)
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn text_of<'a>(node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}

fn ancestor(node: Node<'_, '_>, name: &str) -> bool {
    node.ancestors().any(|above| above.tag_name().name() == name)
}

fn properties<'a>(project: Node<'a, 'a>) -> HashMap<String, &'a str> {
    let mut found = HashMap::new();
    for property in child(project, "properties").into_iter().flat_map(|node| node.children()) {
        if let Some(text) = property.text().filter(|_| property.is_element()) {
            found.insert(property.tag_name().name().to_owned(), text.trim());
        }
    }
    let parent = child(project, "parent");
    let version = text_of(project, "version").or_else(|| text_of(parent?, "version"));
    let group = text_of(project, "groupId").or_else(|| text_of(parent?, "groupId"));
    for (name, value) in [("version", version), ("groupId", group)] {
        if let Some(value) = value {
            found.insert(format!("project.{name}"), value);
            found.insert(format!("pom.{name}"), value);
        }
    }
    found
}

/// Replaces `${name}` if the file itself defines it.
fn filled(text: &str, properties: &HashMap<String, &str>) -> String {
    let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
    let Some((name, after)) = rest.split_once('}') else { return text.to_owned() };
    match properties.get(name) {
        Some(value) if !value.contains("${") => format!("{before}{value}{}", filled(after, properties)),
        _ => text.to_owned(),
    }
}
