//! Settings files: TOML, each key checked against its definition.

use std::io::ErrorKind;
use std::path::Path;

use craig_source::{Content, ReadError, Root, SourceOptions};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::definition::{self, Definition};
use super::value::{Kind, Value};
use super::{PROJECT_FILE, Scope, SettingsError};

/// The user's file, if there is one.
pub(super) fn user_text(path: &Path, must_exist: bool) -> Result<Option<String>, SettingsError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => Ok(None),
        Err(error) => Err(SettingsError::Unreadable { path: path.to_owned(), reason: error.to_string() }),
    }
}

/// The project's file, if there is one. Like every file of a project, it is not read through links.
pub(super) fn project_text(root: &Root) -> Result<Option<String>, SettingsError> {
    let unreadable =
        |reason: String| SettingsError::Unreadable { path: root.path().join(PROJECT_FILE), reason };
    match craig_source::read(root, PROJECT_FILE, &SourceOptions::default()) {
        Ok(file) => match file.content {
            Content::Text(text) | Content::Unindexed(text, _) => Ok(Some(text)),
            Content::Secret => {
                Err(unreadable("it contains a key, which belongs in the environment".to_owned()))
            }
            Content::Binary => Err(unreadable("it is not text".to_owned())),
        },
        Err(ReadError::Vanished { .. }) => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// The settings of a file, in its order.
pub(super) fn parse(
    path: &Path,
    text: &str,
    scope: Scope,
) -> Result<Vec<(&'static Definition, Value)>, SettingsError> {
    let file = File { path, text, scope };
    let table = DeTable::parse(text).map_err(|error| SettingsError::Syntax {
        path: path.to_owned(),
        line: error.span().map_or(1, |span| file.line(span.start)),
        reason: error.message().to_owned(),
    })?;
    let mut found = Vec::new();
    file.collect("", table.get_ref(), &mut found)?;
    Ok(found)
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
    scope: Scope,
}

impl File<'_> {
    fn collect(
        &self,
        section: &str,
        table: &DeTable<'_>,
        found: &mut Vec<(&'static Definition, Value)>,
    ) -> Result<(), SettingsError> {
        // In the order of the file, so that the first mistake is reported.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let key = if section.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{section}.{}", name.get_ref())
            };
            if let DeValue::Table(inner) = value.get_ref() {
                if !is_section(&key) {
                    // An unknown section is reported as the first key in it.
                    let key = format!("{key}.{}", inner.keys().next().unwrap_or(name).get_ref());
                    definition::find(&key, || self.place(name.span().start))?;
                }
                self.collect(&key, inner, found)?;
                continue;
            }
            found.push(self.setting(&key, name.span().start, value)?);
        }
        Ok(())
    }

    fn setting(
        &self,
        key: &str,
        at: usize,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(&'static Definition, Value), SettingsError> {
        let definition = definition::find(key, || self.place(at))?;
        if self.scope == Scope::Project && definition.scope == Scope::User {
            return Err(SettingsError::NotForProjects { key: key.to_owned(), place: self.place(at) });
        }
        let retired = || value.get_ref().as_str().and_then(|value| definition.retired_value(value));
        let value = from_toml(definition.kind, value.get_ref()).map_err(|reason| SettingsError::Value {
            key: key.to_owned(),
            place: self.place(at),
            reason: retired().unwrap_or(reason),
        })?;
        Ok((definition, value))
    }

    fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path.display(), self.line(at))
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count()
    }
}

fn is_section(name: &str) -> bool {
    let keys = definition::DEFINITIONS.iter().map(|definition| definition.key);
    let mut keys = keys.chain(definition::RETIRED.iter().map(|retired| retired.key));
    keys.any(|key| key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn from_toml(kind: Kind, value: &DeValue<'_>) -> Result<Value, String> {
    match (kind, value) {
        (_, DeValue::String(text)) => kind.checked_text(text),
        (_, DeValue::Integer(number)) => {
            let digits = number.as_str().replace('_', "");
            let number = u64::from_str_radix(&digits, number.radix()).map_err(|_| kind.expected())?;
            kind.checked_whole(number)
        }
        (Kind::Number | Kind::Share, DeValue::Float(number)) => {
            let number = number.as_str().replace('_', "").parse().map_err(|_| kind.expected());
            number.and_then(|number| kind.checked_number(number))
        }
        (Kind::Switch, DeValue::Boolean(is_on)) => Ok(Value::Switch(*is_on)),
        (Kind::Texts, DeValue::Array(items)) => {
            let text = |item: &Spanned<DeValue<'_>>| item.get_ref().as_str().map(str::to_owned);
            let texts: Option<Vec<String>> = items.iter().map(text).collect();
            texts.map(Value::Texts).ok_or_else(|| kind.expected())
        }
        _ => Err(kind.expected()),
    }
}
