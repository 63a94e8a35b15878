//! JSON with comments and trailing commas.

use serde_json::Value;

/// Parses a text; `None` if it is not JSON.
pub fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text)
        .ok()
        .or_else(|| jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok())
}
