//! JSON as all surfaces give it.

use serde::Serialize;
use serde_json::Value;

/// As the command line prints it: numbers of 32 bits have noise behind their digits when they become ones of 64.
pub(crate) fn as_printed(told: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::from_str(&serde_json::to_string(told)?)
}
