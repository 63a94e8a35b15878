//! Anthropic's Messages.

mod stream;

use serde::Deserialize;
use serde_json::{Value, json};

use super::json::{Fields, Object, Place, list};
use super::neutral::{
    Answer, Call, Feature, Finish, Format, Image, Part, Request, Role, Tool, ToolChoice, ToolResult,
};
use super::stream::{StreamReader, StreamWriter};
use super::{CacheMarks, Dialect, Refusal, Unreadable, or_new_id};
use crate::protocol::Usage;
use crate::raw::RawObject;

pub(super) struct Messages;

/// The fields of a request that are translated.
const READ: &[&str] = &[
    "model",
    "messages",
    "system",
    "max_tokens",
    "stream",
    "tools",
    "tool_choice",
    "temperature",
    "top_p",
    "stop_sequences",
    "output_config",
];

/// Fields that are left out: they say who asks, make an answer cheaper, or set how long the model thinks and how a provider
/// shortens a conversation, which other models do in their own way.
const HINTS: &[&str] =
    &["metadata", "service_tier", "inference_geo", "cache_control", "thinking", "context_management"];

/// The longest answer, in tokens, to a request that sets none; the protocol requires a number.
const DEFAULT_MAX_TOKENS: u64 = 8_192;

/// A schema that allows anything, for tools without one.
const ANY_SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

impl Dialect for Messages {
    fn read_request(&self, body: &[u8]) -> Result<Request, Refusal> {
        let fields = Fields::of_request(body)?;
        fields.only(&[READ, HINTS])?;
        let (tool_choice, is_parallel) =
            fields.get("tool_choice")?.map_or(Ok((None, None)), |choice| read_choice(&choice))?;
        let stop = fields.get("stop_sequences")?.map(|stop| stop.parsed("a list of texts")).transpose()?;
        let mut request = Request {
            model: fields.text("model")?,
            is_streamed: fields.flag("stream")?.unwrap_or_default(),
            system: fields.get("system")?.map_or(Ok(Vec::new()), |system| read_system(&system))?,
            tools: fields.elements("tools")?.iter().map(read_tool).collect::<Result<_, _>>()?,
            tool_choice,
            is_parallel,
            temperature: fields.number("temperature")?,
            top_p: fields.number("top_p")?,
            max_tokens: fields.count("max_tokens")?,
            stop: stop.unwrap_or_default(),
            format: fields.get("output_config")?.map_or(Ok(None), |config| read_format(&config))?,
            ..Request::default()
        };
        for message in fields.required("messages")?.elements()? {
            read_message(&message, &mut request)?;
        }
        Ok(request)
    }

    fn write_request(&self, request: &Request) -> Result<String, Feature> {
        let Request { model, stop, .. } = request;
        let format = request.format.as_ref().map(write_format).transpose()?;
        let (system, tools) = write_instructions(request);
        Ok(Object::new()
            .with_some("model", model.as_ref())
            .with("max_tokens", request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS))
            .raw_some("system", (!system.is_empty()).then(|| list(system)))
            .raw("messages", &write_turns(request))
            .raw_some("tools", (!tools.is_empty()).then(|| list(tools)))
            .with_some("tool_choice", write_choice(request))
            .raw_some("temperature", request.temperature.as_ref())
            .raw_some("top_p", request.top_p.as_ref())
            .with_some("stop_sequences", Some(stop).filter(|stop| !stop.is_empty()))
            .raw_some("output_config", format)
            .with_some("stream", request.is_streamed.then_some(true))
            .json())
    }

    fn field(&self, feature: Feature) -> &'static str {
        match feature {
            Feature::ObjectFormat => "output_config.format",
            Feature::Stop => "stop_sequences",
        }
    }

    fn read_answer(&self, body: &[u8]) -> Result<Answer, Unreadable> {
        let message: Message = serde_json::from_slice(body).map_err(|_| Unreadable)?;
        let part = |block: Block| match block.r#type.as_str() {
            "text" => Part::text(block.text.unwrap_or_default()),
            "tool_use" => Some(Part::Call(Call {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                arguments: block.input.unwrap_or_else(|| json!({})).to_string(),
            })),
            _ => None,
        };
        Ok(Answer {
            id: message.id.unwrap_or_default(),
            model: message.model.unwrap_or_default(),
            parts: message.content.into_iter().filter_map(part).collect(),
            finish: finish_of(message.stop_reason.as_deref(), message.stop_sequence),
            usage: None,
        })
    }

    fn write_answer(&self, answer: &Answer) -> Result<String, Unreadable> {
        let mut has_calls = false;
        let block = |part: &Part| match part {
            Part::Text(text) => Ok(write_text(text)),
            Part::Call(call) => {
                has_calls = true;
                RawObject::read(call.arguments.as_bytes()).map_err(|_| Unreadable)?;
                Ok(write_call(call))
            }
            Part::Image(_) | Part::Result(_) => Err(Unreadable),
        };
        let content: Vec<String> = answer.parts.iter().map(block).collect::<Result<_, _>>()?;
        let finish = answer.finish.clone().with_calls(has_calls);
        let (reason, sequence) = reason_of(&finish);
        Ok(Object::new()
            .with("id", or_new_id(answer.id.clone(), "msg"))
            .with("type", "message")
            .with("role", "assistant")
            .with("model", &answer.model)
            .raw("content", &list(content))
            .with("stop_reason", reason)
            .with("stop_sequence", sequence)
            .with("usage", write_usage(answer.usage.unwrap_or_default()))
            .json())
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::<stream::Reader>::default()
    }

    fn stream_writer(&self, _reports_usage: bool) -> Box<dyn StreamWriter> {
        Box::<stream::Writer>::default()
    }
}

fn read_system(system: &Place<'_>) -> Result<Vec<String>, Refusal> {
    if system.is_text() {
        return Ok(vec![system.text()?]);
    }
    let text = |block: &Place<'_>| {
        let fields = block.fields()?;
        fields.only_values("type", &["\"text\""])?;
        read_text(&fields)
    };
    system.elements()?.iter().map(text).collect()
}

fn read_text(fields: &Fields<'_>) -> Result<String, Refusal> {
    fields.only(&[&["type", "text", "cache_control"]])?;
    fields.required_text("text")
}

fn read_message(message: &Place<'_>, request: &mut Request) -> Result<(), Refusal> {
    let fields = message.fields()?;
    fields.only(&[&["role", "content"]])?;
    let role = fields.required("role")?;
    let content = fields.required("content")?;
    match role.text()?.as_str() {
        "user" => request.push_turn(Role::User, read_content(&content, read_user_block)?),
        "assistant" => request.push_turn(Role::Assistant, read_content(&content, read_assistant_block)?),
        "system" => request.system.extend(read_system(&content)?),
        _ => return Err(role.untranslatable()),
    }
    Ok(())
}

/// Reads the kind of a block that is not a text.
type ReadBlock = fn(&Place<'_>, &Fields<'_>) -> Result<Part, Refusal>;

fn read_content(content: &Place<'_>, read: ReadBlock) -> Result<Vec<Part>, Refusal> {
    if content.is_text() {
        return Ok(Part::text(content.text()?).into_iter().collect());
    }
    let block = |block: Place<'_>| {
        let fields = block.fields()?;
        let kind = fields.required("type")?;
        match kind.text()?.as_str() {
            "text" => Ok(Part::text(read_text(&fields)?)),
            _ => read(&kind, &fields).map(Some),
        }
    };
    content.elements()?.into_iter().filter_map(|place| block(place).transpose()).collect()
}

fn read_user_block(kind: &Place<'_>, fields: &Fields<'_>) -> Result<Part, Refusal> {
    match kind.text()?.as_str() {
        "image" => read_image(fields).map(Part::Image),
        "tool_result" => read_result(fields).map(Part::Result),
        _ => Err(kind.untranslatable()),
    }
}

fn read_assistant_block(kind: &Place<'_>, fields: &Fields<'_>) -> Result<Part, Refusal> {
    match kind.text()?.as_str() {
        "tool_use" => {
            fields.only(&[&["type", "id", "name", "input", "cache_control", "caller"]])?;
            let input = fields.required("input")?;
            input.fields()?;
            Ok(Part::Call(Call {
                id: fields.required_text("id")?,
                name: fields.required_text("name")?,
                arguments: input.json.to_owned(),
            }))
        }
        _ => Err(kind.untranslatable()),
    }
}

fn read_result_block(kind: &Place<'_>, fields: &Fields<'_>) -> Result<Part, Refusal> {
    match kind.text()?.as_str() {
        "image" => read_image(fields).map(Part::Image),
        _ => Err(kind.untranslatable()),
    }
}

fn read_image(fields: &Fields<'_>) -> Result<Image, Refusal> {
    fields.only(&[&["type", "source", "cache_control"]])?;
    let source = fields.required("source")?.fields()?;
    let kind = source.required("type")?;
    match kind.text()?.as_str() {
        "base64" => Ok(Image::Base64 {
            media_type: source.required_text("media_type")?,
            data: source.required_text("data")?,
        }),
        "url" => Ok(Image::Url(source.required_text("url")?)),
        _ => Err(kind.untranslatable()),
    }
}

/// `is_error` is left out, since the result's text describes the error.
fn read_result(fields: &Fields<'_>) -> Result<ToolResult, Refusal> {
    fields.only(&[&["type", "tool_use_id", "content", "is_error", "cache_control"]])?;
    let content = fields.get("content")?;
    Ok(ToolResult {
        call_id: fields.required_text("tool_use_id")?,
        parts: content.map_or(Ok(Vec::new()), |content| read_content(&content, read_result_block))?,
    })
}

/// The fields of a tool. `eager_input_streaming`, which is left out, only asks for arguments in smaller pieces.
const TOOL: &[&str] =
    &["type", "name", "description", "input_schema", "strict", "cache_control", "eager_input_streaming"];

fn read_tool(tool: &Place<'_>) -> Result<Tool, Refusal> {
    let fields = tool.fields()?;
    fields.only_values("type", &["\"custom\""])?;
    fields.only(&[TOOL])?;
    Ok(Tool {
        name: fields.required_text("name")?,
        description: fields.text("description")?,
        parameters: fields.get("input_schema")?.map(|schema| schema.json.to_owned()),
        is_strict: fields.flag("strict")?,
    })
}

fn read_choice(choice: &Place<'_>) -> Result<(Option<ToolChoice>, Option<bool>), Refusal> {
    let fields = choice.fields()?;
    fields.only(&[&["type", "name", "disable_parallel_tool_use"]])?;
    let kind = fields.required("type")?;
    let read = match kind.text()?.as_str() {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::Never,
        "any" => ToolChoice::Any,
        "tool" => ToolChoice::Named(fields.required_text("name")?),
        _ => return Err(kind.untranslatable()),
    };
    Ok((Some(read), fields.flag("disable_parallel_tool_use")?.map(|is_disabled| !is_disabled)))
}

/// `effort` is left out, as `thinking` is.
fn read_format(config: &Place<'_>) -> Result<Option<Format>, Refusal> {
    let config = config.fields()?;
    config.only(&[&["format", "effort"]])?;
    let Some(format) = config.get("format")? else { return Ok(None) };
    let fields = format.fields()?;
    fields.only_values("type", &["\"json_schema\""])?;
    fields.only(&[&["type", "schema"]])?;
    let schema = fields.required("schema")?.json.to_owned();
    Ok(Some(Format::Schema { name: None, schema, is_strict: None }))
}

/// The instructions and the tools. Anthropic caches tools before instructions, so the mark of the last instruction covers both.
fn write_instructions(request: &Request) -> (Vec<String>, Vec<String>) {
    let mut system: Vec<String> = request.system.iter().map(|text| write_text(text)).collect();
    let mut tools: Vec<String> = request.tools.iter().map(write_tool).collect();
    if request.cache_marks != CacheMarks::None {
        mark_for_cache(system.last_mut().or(tools.last_mut()));
    }
    (system, tools)
}

/// Marks a block, so that the provider caches everything up to its end.
fn mark_for_cache(block: Option<&mut String>) {
    if let Some(block) = block.filter(|block| block.ends_with('}')) {
        block.pop();
        block.push_str(r#","cache_control":{"type":"ephemeral"}}"#);
    }
}

/// The turns as messages whose roles alternate: the results of all calls of a message must be in the next one.
fn write_turns(request: &Request) -> String {
    let mut messages: Vec<(Role, Vec<String>)> = Vec::new();
    for turn in &request.turns {
        let blocks = turn.parts.iter().map(write_part);
        match messages.last_mut() {
            Some((role, written)) if *role == turn.role => written.extend(blocks),
            _ => messages.push((turn.role, blocks.collect())),
        }
    }
    if request.cache_marks == CacheMarks::Conversation {
        mark_for_cache(messages.last_mut().and_then(|(_, blocks)| blocks.last_mut()));
    }
    list(messages.into_iter().map(|(role, blocks)| {
        let role = if role == Role::User { "user" } else { "assistant" };
        Object::new().with("role", role).raw("content", &list(blocks)).json()
    }))
}

fn write_part(part: &Part) -> String {
    match part {
        Part::Text(text) => write_text(text),
        Part::Image(Image::Url(url)) => {
            let source = Object::typed("url").with("url", url).json();
            Object::typed("image").raw("source", &source).json()
        }
        Part::Image(Image::Base64 { media_type, data }) => {
            let source = Object::typed("base64").with("media_type", media_type).with("data", data).json();
            Object::typed("image").raw("source", &source).json()
        }
        Part::Call(call) => write_call(call),
        Part::Result(ToolResult { call_id, parts }) => {
            let result = Object::typed("tool_result").with("tool_use_id", call_id);
            match parts.as_slice() {
                [] => result.with("content", ""),
                [Part::Text(text)] => result.with("content", text),
                parts => result.raw("content", &list(parts.iter().map(write_part))),
            }
            .json()
        }
    }
}

fn write_text(text: &str) -> String {
    Object::typed("text").with("text", text).json()
}

fn write_call(call: &Call) -> String {
    Object::typed("tool_use")
        .with("id", &call.id)
        .with("name", &call.name)
        .raw("input", &call.arguments)
        .json()
}

fn write_tool(tool: &Tool) -> String {
    Object::new()
        .with("name", &tool.name)
        .with_some("description", tool.description.as_ref())
        .raw("input_schema", tool.parameters.as_deref().unwrap_or(ANY_SCHEMA))
        .with_some("strict", tool.is_strict.filter(|is_strict| *is_strict))
        .json()
}

/// The choice, which also sets whether tools are called in parallel; none without tools.
fn write_choice(request: &Request) -> Option<Value> {
    let is_serial = request.is_parallel == Some(false);
    let mut choice = match &request.tool_choice {
        _ if request.tools.is_empty() => return None,
        None if !is_serial => return None,
        None | Some(ToolChoice::Auto) => json!({ "type": "auto" }),
        Some(ToolChoice::Never) => return Some(json!({ "type": "none" })),
        Some(ToolChoice::Any) => json!({ "type": "any" }),
        Some(ToolChoice::Named(name)) => json!({ "type": "tool", "name": name }),
    };
    if is_serial {
        choice["disable_parallel_tool_use"] = true.into();
    }
    Some(choice)
}

fn write_format(format: &Format) -> Result<String, Feature> {
    match format {
        Format::Object => Err(Feature::ObjectFormat),
        Format::Schema { schema, .. } => {
            let format = Object::typed("json_schema").raw("schema", schema).json();
            Ok(Object::new().raw("format", &format).json())
        }
    }
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    model: Option<String>,
    content: Vec<Block>,
    stop_reason: Option<String>,
    stop_sequence: Option<String>,
}

/// A block of an answer. Thoughts and other kinds are left out.
#[derive(Deserialize)]
struct Block {
    r#type: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Value>,
}

fn finish_of(reason: Option<&str>, sequence: Option<String>) -> Finish {
    match reason {
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("tool_use") => Finish::Calls,
        Some("stop_sequence") => Finish::StopSequence(sequence),
        Some("refusal") => Finish::Refusal,
        _ => Finish::Stop,
    }
}

/// `stop_reason` and `stop_sequence`.
fn reason_of(finish: &Finish) -> (&'static str, Option<&str>) {
    match finish {
        Finish::Stop => ("end_turn", None),
        Finish::StopSequence(sequence) => ("stop_sequence", sequence.as_deref()),
        Finish::Length => ("max_tokens", None),
        Finish::Calls => ("tool_use", None),
        Finish::Refusal => ("refusal", None),
    }
}

/// Anthropic counts cached tokens apart from the others.
fn write_usage(usage: Usage) -> Value {
    let from_cache = usage.cached_tokens + usage.cache_write_tokens;
    json!({
        "input_tokens": usage.input_tokens.saturating_sub(from_cache),
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    })
}
