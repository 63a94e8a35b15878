//! JSON of translated requests and answers: objects are read so that no field is lost unnoticed, and written in order.

use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::failure::Problem;
use crate::raw::{RawObject, elements};

/// An object of a request, and where it is: `messages[2].content[0]`, or nothing for the request itself.
pub(super) struct Fields<'a> {
    object: RawObject<'a>,
    path: String,
}

/// A part of a request whose form is not known yet, and where it is.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) json: &'a str,
    pub(super) path: String,
}

impl<'a> Place<'a> {
    pub(super) fn is_text(&self) -> bool {
        self.json.starts_with('"')
    }

    pub(super) fn text(&self) -> Result<String, Refusal> {
        self.parsed("a text")
    }

    pub(super) fn parsed<T: Deserialize<'a>>(&self, what: &'static str) -> Result<T, Refusal> {
        serde_json::from_str(self.json).map_err(|_| self.malformed(what))
    }

    pub(super) fn fields(&self) -> Result<Fields<'a>, Refusal> {
        let object = RawObject::read(self.json.as_bytes()).map_err(|_| self.malformed("an object"))?;
        Ok(Fields { object, path: self.path.clone() })
    }

    pub(super) fn elements(&self) -> Result<Vec<Self>, Refusal> {
        let elements = elements(self.json).ok_or_else(|| self.malformed("a list"))?;
        let place = |(at, json)| Place { json, path: format!("{}[{at}]", self.path) };
        Ok(elements.into_iter().enumerate().map(place).collect())
    }

    pub(super) fn untranslatable(&self) -> Refusal {
        Refusal::Untranslatable(self.path.clone())
    }

    pub(super) fn malformed(&self, what: &'static str) -> Refusal {
        Refusal::Malformed { field: self.path.clone(), message: format!("'{}' is not {what}", self.path) }
    }
}

impl<'a> Fields<'a> {
    /// The request itself.
    pub(super) fn of_request(body: &'a [u8]) -> Result<Self, Refusal> {
        let malformed = |message| Refusal::Malformed { field: String::new(), message };
        Ok(Self { object: RawObject::read(body).map_err(malformed)?, path: String::new() })
    }

    fn path(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        }
    }

    /// Refuses the object if it has a field that is not among `known`; a field that is `null` counts as missing.
    pub(super) fn only(&self, known: &[&[&str]]) -> Result<(), Refusal> {
        let is_known = |name: &str| known.iter().any(|names| names.contains(&name));
        match self.object.iter().find(|(name, value)| *value != "null" && !is_known(name)) {
            Some((name, _)) => Err(self.untranslatable(name)),
            None => Ok(()),
        }
    }

    /// Refuses a field with another value than `allowed`, which are JSON texts without spaces.
    pub(super) fn only_values(&self, name: &str, allowed: &[&str]) -> Result<(), Refusal> {
        let Some(value) = self.get(name)? else { return Ok(()) };
        let dense: String = value.json.split_ascii_whitespace().collect();
        if allowed.contains(&dense.as_str()) { Ok(()) } else { Err(self.untranslatable(name)) }
    }

    pub(super) fn untranslatable(&self, name: &str) -> Refusal {
        Refusal::Untranslatable(self.path(name))
    }

    /// A field; `None` if it is missing or `null`.
    pub(super) fn get(&self, name: &str) -> Result<Option<Place<'a>>, Refusal> {
        let malformed = |Problem { message, .. }| Refusal::Malformed { field: self.path(name), message };
        let json = self.object.get(name).map_err(malformed)?.filter(|json| *json != "null");
        Ok(json.map(|json| Place { json, path: self.path(name) }))
    }

    pub(super) fn required(&self, name: &str) -> Result<Place<'a>, Refusal> {
        let missing = || {
            let field = self.path(name);
            Refusal::Malformed { message: format!("'{field}' is missing"), field }
        };
        self.get(name)?.ok_or_else(missing)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Refusal> {
        self.get(name)?.map(|place| place.text()).transpose()
    }

    pub(super) fn required_text(&self, name: &str) -> Result<String, Refusal> {
        self.required(name)?.text()
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Refusal> {
        self.get(name)?.map(|place| place.parsed("true or false")).transpose()
    }

    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, Refusal> {
        self.get(name)?.map(|place| place.parsed("a whole number")).transpose()
    }

    /// A number as it is written.
    pub(super) fn number(&self, name: &str) -> Result<Option<String>, Refusal> {
        let Some(place) = self.get(name)? else { return Ok(None) };
        place.parsed::<f64>("a number")?;
        Ok(Some(place.json.to_owned()))
    }

    /// The elements of a list; none if it is missing.
    pub(super) fn elements(&self, name: &str) -> Result<Vec<Place<'a>>, Refusal> {
        self.get(name)?.map_or(Ok(Vec::new()), |place| place.elements())
    }
}

/// Writes an object.
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self("{".to_owned())
    }

    /// An object with a field `type`.
    pub(super) fn typed(kind: &str) -> Self {
        Self::new().with("type", kind)
    }

    pub(super) fn with(self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_string(&value).unwrap_or_else(|_| "null".to_owned());
        self.raw(name, &value)
    }

    pub(super) fn with_some(self, name: &str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a value that is JSON.
    pub(super) fn raw(mut self, name: &str, json: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
        self.0.push_str(json);
        self
    }

    pub(super) fn raw_some(self, name: &str, json: Option<impl AsRef<str>>) -> Self {
        match json {
            Some(json) => self.raw(name, json.as_ref()),
            None => self,
        }
    }

    pub(super) fn json(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// A list of values that are JSON.
pub(super) fn list(values: impl IntoIterator<Item = String>) -> String {
    let values: Vec<String> = values.into_iter().collect();
    format!("[{}]", values.join(","))
}

/// A text in JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
