//! OpenAI's Responses.

mod stream;

use serde::Deserialize;
use serde_json::{Value, json};

use super::chat::{SCHEMA_NAME, read_arguments, read_choice_word, read_function, read_schema};
use super::json::{Fields, Object, Place, list, quoted};
use super::neutral::{
    Answer, Call, Feature, Finish, Format, Image, Part, Request, Role, Tool, ToolChoice, ToolResult, Turn,
};
use super::stream::{StreamReader, StreamWriter};
use super::{Dialect, Refusal, Unreadable, now, or_new_id};
use crate::protocol::Usage;

pub(super) struct Responses;

/// The fields of a request that are translated, and those that must have their default.
const READ: &[&str] = &[
    "model",
    "input",
    "instructions",
    "stream",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "max_output_tokens",
    "text",
    "reasoning",
    "include",
    "store",
    "background",
    "truncation",
    "top_logprobs",
];

/// Fields that are left out: they say who asks, or may make an answer cheaper or faster.
const HINTS: &[&str] = &[
    "user",
    "metadata",
    "client_metadata",
    "service_tier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "stream_options",
];

impl Dialect for Responses {
    fn read_request(&self, body: &[u8]) -> Result<Request, Refusal> {
        let fields = Fields::of_request(body)?;
        fields.only(&[READ, HINTS])?;
        fields.only_values("store", &["false"])?;
        fields.only_values("background", &["false"])?;
        fields.only_values("truncation", &["\"disabled\""])?;
        fields.only_values("top_logprobs", &["0"])?;
        // Other models give no reasoning back, encrypted or not.
        fields.only_values("include", &["[]", r#"["reasoning.encrypted_content"]"#])?;
        let mut request = Request {
            model: fields.text("model")?,
            is_streamed: fields.flag("stream")?.unwrap_or_default(),
            system: fields.text("instructions")?.into_iter().collect(),
            tools: fields.elements("tools")?.iter().map(read_tool).collect::<Result<_, _>>()?,
            tool_choice: fields.get("tool_choice")?.map(|choice| read_choice(&choice)).transpose()?,
            is_parallel: fields.flag("parallel_tool_calls")?,
            temperature: fields.number("temperature")?,
            top_p: fields.number("top_p")?,
            max_tokens: fields.count("max_output_tokens")?,
            format: fields.get("text")?.map_or(Ok(None), |text| read_format(&text))?,
            effort: fields.get("reasoning")?.map_or(Ok(None), |reasoning| read_effort(&reasoning))?,
            ..Request::default()
        };
        let input = fields.required("input")?;
        if input.is_text() {
            request.push_turn(Role::User, Part::text(input.text()?).into_iter().collect());
            return Ok(request);
        }
        for item in input.elements()? {
            read_item(&item, &mut request)?;
        }
        Ok(request)
    }

    fn write_request(&self, request: &Request) -> Result<String, Feature> {
        let Request { model, tools, tool_choice, is_parallel, .. } = request;
        if !request.stop.is_empty() {
            return Err(Feature::Stop);
        }
        let instructions = (!request.system.is_empty()).then(|| request.system.join("\n\n"));
        let text = request.format.as_ref().map(write_format);
        Ok(Object::new()
            .with_some("model", model.as_ref())
            .with_some("instructions", instructions)
            .raw("input", &list(request.turns.iter().flat_map(write_turn)))
            .raw_some("tools", (!tools.is_empty()).then(|| list(tools.iter().map(write_tool))))
            .with_some("tool_choice", tool_choice.as_ref().map(write_choice))
            .with_some("parallel_tool_calls", *is_parallel)
            .raw_some("temperature", request.temperature.as_ref())
            .raw_some("top_p", request.top_p.as_ref())
            .with_some("max_output_tokens", request.max_tokens)
            .raw_some("text", text)
            .with_some("reasoning", request.effort.as_ref().map(|effort| json!({ "effort": effort })))
            .with("store", false)
            .with_some("stream", request.is_streamed.then_some(true))
            .json())
    }

    fn field(&self, feature: Feature) -> &'static str {
        match feature {
            Feature::ObjectFormat => "text.format",
            // The protocol has no such field, so no request of it asks for that.
            Feature::Stop => "stop",
        }
    }

    fn read_answer(&self, body: &[u8]) -> Result<Answer, Unreadable> {
        let response: Response = serde_json::from_slice(body).map_err(|_| Unreadable)?;
        let finish = response.finish();
        let mut parts = Vec::new();
        for item in response.output {
            match item.r#type.as_str() {
                "message" => {
                    let texts = item.content.into_iter().filter_map(|part| part.text.or(part.refusal));
                    parts.extend(texts.filter_map(Part::text));
                }
                "function_call" => parts.push(Part::Call(Call {
                    id: item.call_id.unwrap_or_default(),
                    name: item.name.unwrap_or_default(),
                    arguments: item.arguments.unwrap_or_default(),
                })),
                _ => {}
            }
        }
        let has_calls = parts.iter().any(|part| matches!(part, Part::Call(_)));
        Ok(Answer {
            id: response.id.unwrap_or_default(),
            model: response.model.unwrap_or_default(),
            parts,
            finish: finish.with_calls(has_calls),
            usage: None,
        })
    }

    fn write_answer(&self, answer: &Answer) -> Result<String, Unreadable> {
        let id = or_new_id(answer.id.clone(), "resp");
        let mut output = Vec::new();
        for (at, part) in answer.parts.iter().enumerate() {
            output.push(match part {
                Part::Text(text) => message_item(&item_id("msg", &id, at), "completed", Some(text)),
                Part::Call(call) => call_item(&item_id("fc", &id, at), "completed", call),
                Part::Image(_) | Part::Result(_) => return Err(Unreadable),
            });
        }
        let ended = Ended { finish: &answer.finish, usage: answer.usage };
        Ok(response_object(&id, &answer.model, now(), Some(ended), output).to_string())
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::<stream::Reader>::default()
    }

    fn stream_writer(&self, _reports_usage: bool) -> Box<dyn StreamWriter> {
        Box::new(stream::Writer::new())
    }
}

fn read_item(item: &Place<'_>, request: &mut Request) -> Result<(), Refusal> {
    let fields = item.fields()?;
    let Some(kind) = fields.get("type")? else { return read_message(&fields, request) };
    match kind.text()?.as_str() {
        "message" => read_message(&fields, request)?,
        "function_call" => {
            fields.only(&[&["type", "id", "status", "call_id", "name", "arguments"]])?;
            request.push_call(Call {
                id: fields.required_text("call_id")?,
                name: fields.required_text("name")?,
                arguments: read_arguments(fields.get("arguments")?)?,
            });
        }
        "function_call_output" => {
            fields.only(&[&["type", "id", "status", "call_id", "output"]])?;
            request.push_result(ToolResult {
                call_id: fields.required_text("call_id")?,
                parts: read_content(&fields.required("output")?)?,
            });
        }
        _ => return Err(kind.untranslatable()),
    }
    Ok(())
}

fn read_message(fields: &Fields<'_>, request: &mut Request) -> Result<(), Refusal> {
    fields.only(&[&["type", "id", "status", "role", "content", "phase"]])?;
    let role = fields.required("role")?;
    let content = fields.required("content")?;
    let parts = read_content(&content)?;
    let has_images = parts.iter().any(|part| matches!(part, Part::Image(_)));
    match role.text()?.as_str() {
        "user" => request.push_turn(Role::User, parts),
        "assistant" | "system" | "developer" if has_images => return Err(content.untranslatable()),
        "assistant" => request.push_turn(Role::Assistant, parts),
        "system" | "developer" => {
            let text = |part| if let Part::Text(text) = part { Some(text) } else { None };
            request.system.extend(parts.into_iter().filter_map(text));
        }
        _ => return Err(role.untranslatable()),
    }
    Ok(())
}

fn read_content(content: &Place<'_>) -> Result<Vec<Part>, Refusal> {
    if content.is_text() {
        return Ok(Part::text(content.text()?).into_iter().collect());
    }
    let part = |part: Place<'_>| {
        let fields = part.fields()?;
        let kind = fields.required("type")?;
        match kind.text()?.as_str() {
            "input_text" | "output_text" | "text" => {
                fields.only(&[&["type", "text", "annotations", "logprobs"]])?;
                fields.only_values("annotations", &["[]"])?;
                fields.only_values("logprobs", &["[]"])?;
                Ok(Part::text(fields.required_text("text")?))
            }
            "refusal" => Ok(Part::text(fields.required_text("refusal")?)),
            "input_image" => {
                fields.only(&[&["type", "image_url", "detail"]])?;
                Ok(Some(Part::Image(Image::from_url(&fields.required("image_url")?)?)))
            }
            _ => Err(kind.untranslatable()),
        }
    };
    content.elements()?.into_iter().filter_map(|place| part(place).transpose()).collect()
}

fn read_tool(tool: &Place<'_>) -> Result<Tool, Refusal> {
    let fields = tool.fields()?;
    fields.only_values("type", &["\"function\""])?;
    fields.only(&[&["type", "name", "description", "parameters", "strict"]])?;
    read_function(&fields)
}

fn read_choice(choice: &Place<'_>) -> Result<ToolChoice, Refusal> {
    if choice.is_text() {
        return read_choice_word(choice);
    }
    let fields = choice.fields()?;
    fields.only_values("type", &["\"function\""])?;
    fields.only(&[&["type", "name"]])?;
    Ok(ToolChoice::Named(fields.required_text("name")?))
}

fn read_format(text: &Place<'_>) -> Result<Option<Format>, Refusal> {
    let text = text.fields()?;
    text.only(&[&["format", "verbosity"]])?;
    let Some(format) = text.get("format")? else { return Ok(None) };
    let fields = format.fields()?;
    let kind = fields.required("type")?;
    match kind.text()?.as_str() {
        "text" => Ok(None),
        "json_object" => Ok(Some(Format::Object)),
        "json_schema" => read_schema(&fields).map(Some),
        _ => Err(kind.untranslatable()),
    }
}

/// Summaries of reasoning are left out, as reasoning is.
fn read_effort(reasoning: &Place<'_>) -> Result<Option<String>, Refusal> {
    let fields = reasoning.fields()?;
    fields.only(&[&["effort", "summary", "generate_summary"]])?;
    fields.text("effort")
}

/// The items of a turn: texts and images form messages, calls and results are items of their own.
fn write_turn(turn: &Turn) -> Vec<String> {
    let mut items = Vec::new();
    let mut content = Vec::new();
    for part in &turn.parts {
        let item = match part {
            Part::Text(_) | Part::Image(_) => {
                content.push(part);
                continue;
            }
            Part::Call(call) => write_call(call),
            Part::Result(result) => Object::typed("function_call_output")
                .with("call_id", &result.call_id)
                .raw("output", &write_content(&result.parts.iter().collect::<Vec<_>>(), Role::User))
                .json(),
        };
        items.extend(write_message(&std::mem::take(&mut content), turn.role));
        items.push(item);
    }
    items.extend(write_message(&content, turn.role));
    items
}

fn write_message(content: &[&Part], role: Role) -> Option<String> {
    let name = if role == Role::User { "user" } else { "assistant" };
    let message = Object::typed("message").with("role", name).raw("content", &write_content(content, role));
    (!content.is_empty()).then(|| message.json())
}

fn write_content(parts: &[&Part], role: Role) -> String {
    let kind = if role == Role::User { "input_text" } else { "output_text" };
    let write = |part: &&Part| match part {
        Part::Text(text) => Some(Object::typed(kind).with("text", text).json()),
        Part::Image(image) => {
            let url = image.clone().into_url();
            Some(Object::typed("input_image").with("image_url", url).with("detail", "auto").json())
        }
        Part::Call(_) | Part::Result(_) => None,
    };
    match parts {
        [] => quoted(""),
        [Part::Text(text)] => quoted(text),
        parts => list(parts.iter().filter_map(write)),
    }
}

fn write_call(call: &Call) -> String {
    let item = Object::typed("function_call").with("call_id", &call.id);
    item.with("name", &call.name).with("arguments", &call.arguments).json()
}

/// Tools are strict by default in this protocol only.
fn write_tool(tool: &Tool) -> String {
    Object::typed("function")
        .with("name", &tool.name)
        .with_some("description", tool.description.as_ref())
        .raw("parameters", tool.parameters.as_deref().unwrap_or("null"))
        .with("strict", tool.is_strict.unwrap_or_default())
        .json()
}

fn write_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::Never => "none".into(),
        ToolChoice::Any => "required".into(),
        ToolChoice::Named(name) => json!({ "type": "function", "name": name }),
    }
}

fn write_format(format: &Format) -> String {
    let format = match format {
        Format::Object => Object::typed("json_object").json(),
        Format::Schema { name, schema, is_strict } => Object::typed("json_schema")
            .with("name", name.as_deref().unwrap_or(SCHEMA_NAME))
            .with_some("strict", *is_strict)
            .raw("schema", schema)
            .json(),
    };
    Object::new().raw("format", &format).json()
}

#[derive(Deserialize)]
struct Response {
    id: Option<String>,
    model: Option<String>,
    status: Option<String>,
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    output: Vec<Item>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

/// An item of an answer. Reasoning and other kinds are left out.
#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    content: Vec<OutputPart>,
    call_id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct OutputPart {
    text: Option<String>,
    refusal: Option<String>,
}

impl Response {
    fn finish(&self) -> Finish {
        let has_refusal =
            self.output.iter().flat_map(|item| &item.content).any(|part| part.refusal.is_some());
        let reason = self.incomplete_details.as_ref().and_then(|details| details.reason.as_deref());
        match (self.status.as_deref(), reason) {
            (_, Some("content_filter")) => Finish::Refusal,
            (Some("incomplete"), _) => Finish::Length,
            _ if has_refusal => Finish::Refusal,
            _ => Finish::Stop,
        }
    }
}

/// How an answer has ended.
struct Ended<'a> {
    finish: &'a Finish,
    usage: Option<Usage>,
}

/// The object of an answer that has `ended`, or is in progress.
fn response_object(
    id: &str,
    model: &str,
    created: i64,
    ended: Option<Ended<'_>>,
    output: Vec<Value>,
) -> Value {
    let (status, reason) = match ended.as_ref().map(|ended| ended.finish) {
        None => ("in_progress", None),
        Some(Finish::Length) => ("incomplete", Some("max_output_tokens")),
        Some(Finish::Refusal) => ("incomplete", Some("content_filter")),
        Some(_) => ("completed", None),
    };
    json!({
        "id": id, "object": "response", "created_at": created, "status": status, "error": null,
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })), "instructions": null, "model": model,
        "output": output, "parallel_tool_calls": true, "previous_response_id": null, "store": false,
        "temperature": null, "tool_choice": "auto", "tools": [], "top_p": null, "metadata": {},
        "usage": ended.and_then(|ended| ended.usage).map(write_usage),
    })
}

/// The id of the item of an answer at an index.
fn item_id(prefix: &str, id: &str, at: usize) -> String {
    format!("{prefix}_{id}_{at}")
}

fn message_item(id: &str, status: &str, text: Option<&str>) -> Value {
    let content: Vec<Value> = text.map(text_part).into_iter().collect();
    json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": content })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn call_item(id: &str, status: &str, call: &Call) -> Value {
    let Call { id: call_id, name, arguments } = call;
    json!({
        "id": id, "type": "function_call", "status": status, "call_id": call_id, "name": name, "arguments": arguments,
    })
}

fn write_usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": { "cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.input_tokens + usage.output_tokens,
    })
}
