//! JSON as all surfaces write it.

use serde::Serialize;
use serde_json::Value;

/// JSON with numbers as the command line prints them: an `f32` that becomes an `f64` gets noise in its last digits.
pub(crate) fn as_printed(value: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::from_str(&serde_json::to_string(value)?)
}
