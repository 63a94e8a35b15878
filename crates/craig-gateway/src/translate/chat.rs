//! OpenAI's chat completions.

mod stream;

use serde::Deserialize;
use serde_json::{Value, json};

use super::json::{Fields, Object, Place, list, quoted};
use super::neutral::{
    Answer, Call, Feature, Finish, Format, Image, Part, Request, Role, Tool, ToolChoice, ToolResult, Turn,
};
use super::stream::{StreamReader, StreamWriter};
use super::{Dialect, Refusal, Unreadable, now, or_new_id};
use crate::protocol::Usage;

pub(super) struct Chat;

/// The fields of a request that are translated, and those that must have their default.
const READ: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "response_format",
    "reasoning_effort",
    "n",
    "logprobs",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "modalities",
];

/// Fields that are left out: they say who asks, or may make an answer cheaper, faster or easier to repeat.
const HINTS: &[&str] = &[
    "user",
    "metadata",
    "store",
    "service_tier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "seed",
    "prediction",
    "verbosity",
];

/// Fields of a message that are left out: those of an answer that comes back, and a name of its author.
const MESSAGE_HINTS: &[&str] = &["name", "annotations", "reasoning", "reasoning_content"];

impl Dialect for Chat {
    fn read_request(&self, body: &[u8]) -> Result<Request, Refusal> {
        let fields = Fields::of_request(body)?;
        fields.only(&[READ, HINTS])?;
        fields.only_values("n", &["1"])?;
        fields.only_values("logprobs", &["false"])?;
        fields.only_values("frequency_penalty", &["0", "0.0"])?;
        fields.only_values("presence_penalty", &["0", "0.0"])?;
        fields.only_values("logit_bias", &["{}"])?;
        fields.only_values("modalities", &[r#"["text"]"#])?;
        let mut request = Request {
            model: fields.text("model")?,
            is_streamed: fields.flag("stream")?.unwrap_or_default(),
            tools: fields.elements("tools")?.iter().map(read_tool).collect::<Result<_, _>>()?,
            tool_choice: fields.get("tool_choice")?.map(|choice| read_choice(&choice)).transpose()?,
            is_parallel: fields.flag("parallel_tool_calls")?,
            temperature: fields.number("temperature")?,
            top_p: fields.number("top_p")?,
            max_tokens: fields.count("max_completion_tokens")?.or(fields.count("max_tokens")?),
            stop: fields.get("stop")?.map_or(Ok(Vec::new()), |stop| read_stop(&stop))?,
            format: fields.get("response_format")?.map_or(Ok(None), |format| read_format(&format))?,
            effort: fields.text("reasoning_effort")?,
            ..Request::default()
        };
        for message in fields.required("messages")?.elements()? {
            read_message(&message, &mut request)?;
        }
        Ok(request)
    }

    fn write_request(&self, request: &Request) -> Result<String, Feature> {
        let Request { model, is_streamed, tools, tool_choice, is_parallel, stop, .. } = request;
        let system = (!request.system.is_empty()).then(|| {
            Object::new().with("role", "system").with("content", request.system.join("\n\n")).json()
        });
        let messages = system.into_iter().chain(request.turns.iter().flat_map(write_turn));
        Ok(Object::new()
            .with_some("model", model.as_ref())
            .raw("messages", &list(messages))
            .raw_some("tools", (!tools.is_empty()).then(|| list(tools.iter().map(write_tool))))
            .with_some("tool_choice", tool_choice.as_ref().map(write_choice))
            .with_some("parallel_tool_calls", is_parallel.filter(|_| !tools.is_empty()))
            .raw_some("temperature", request.temperature.as_ref())
            .raw_some("top_p", request.top_p.as_ref())
            .with_some("max_tokens", request.max_tokens)
            .with_some("stop", Some(stop).filter(|stop| !stop.is_empty()))
            .raw_some("response_format", request.format.as_ref().map(write_format))
            .with_some("reasoning_effort", request.effort.as_ref())
            .with_some("stream", is_streamed.then_some(true))
            .with_some("stream_options", is_streamed.then(|| json!({ "include_usage": true })))
            .json())
    }

    fn field(&self, feature: Feature) -> &'static str {
        match feature {
            Feature::ObjectFormat => "response_format",
            Feature::Stop => "stop",
        }
    }

    fn read_answer(&self, body: &[u8]) -> Result<Answer, Unreadable> {
        let completion: Completion = serde_json::from_slice(body).map_err(|_| Unreadable)?;
        let choice = completion.choices.into_iter().next().ok_or(Unreadable)?;
        let message = choice.message;
        let texts = message.content.map(Content::into_text).into_iter().chain(message.refusal.clone());
        let calls = message.tool_calls.unwrap_or_default().into_iter().map(|call| {
            Part::Call(Call {
                id: or_new_id(call.id.unwrap_or_default(), "call"),
                name: call.function.name.unwrap_or_default(),
                arguments: call.function.arguments.unwrap_or_default(),
            })
        });
        let has_refused = message.refusal.is_some_and(|refusal| !refusal.is_empty());
        let finish = if has_refused { Finish::Refusal } else { finish_of(choice.finish_reason.as_deref()) };
        Ok(Answer {
            id: completion.id.unwrap_or_default(),
            model: completion.model.unwrap_or_default(),
            parts: texts.filter_map(Part::text).chain(calls).collect(),
            finish,
            usage: None,
        })
    }

    fn write_answer(&self, answer: &Answer) -> Result<String, Unreadable> {
        let mut text = None;
        let mut calls = Vec::new();
        for part in &answer.parts {
            match part {
                Part::Text(part) => text.get_or_insert_with(String::new).push_str(part),
                Part::Call(call) => calls.push(write_call(call)),
                Part::Image(_) | Part::Result(_) => return Err(Unreadable),
            }
        }
        let finish = reason_of(&answer.finish.clone().with_calls(!calls.is_empty()));
        let message = Object::new()
            .with("role", "assistant")
            .with("content", text)
            .with("refusal", Value::Null)
            .raw_some("tool_calls", (!calls.is_empty()).then(|| list(calls)))
            .json();
        let choice = Object::new()
            .with("index", 0)
            .raw("message", &message)
            .with("logprobs", Value::Null)
            .with("finish_reason", finish)
            .json();
        Ok(Object::new()
            .with("id", or_new_id(answer.id.clone(), "chatcmpl"))
            .with("object", "chat.completion")
            .with("created", now())
            .with("model", &answer.model)
            .raw("choices", &list([choice]))
            .with_some("usage", answer.usage.map(write_usage))
            .json())
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::<stream::Reader>::default()
    }

    fn stream_writer(&self, reports_usage: bool) -> Box<dyn StreamWriter> {
        Box::new(stream::Writer::new(reports_usage))
    }
}

fn read_message(message: &Place<'_>, request: &mut Request) -> Result<(), Refusal> {
    let fields = message.fields()?;
    let role = fields.required("role")?;
    let content = fields.get("content")?;
    match role.text()?.as_str() {
        "system" | "developer" => {
            fields.only(&[&["role", "content"], MESSAGE_HINTS])?;
            request.system.extend(read_texts(&fields.required("content")?)?);
        }
        "user" => {
            fields.only(&[&["role", "content"], MESSAGE_HINTS])?;
            request.push_turn(Role::User, read_content(&fields.required("content")?)?);
        }
        "assistant" => {
            fields.only(&[&["role", "content", "refusal", "tool_calls"], MESSAGE_HINTS])?;
            let texts = content.map_or(Ok(Vec::new()), |content| read_texts(&content))?;
            let texts = texts.into_iter().chain(fields.text("refusal")?).filter_map(Part::text);
            let calls = fields.elements("tool_calls")?.into_iter().map(|call| read_call(&call));
            let parts = texts.map(Ok).chain(calls.map(|call| call.map(Part::Call)));
            request.push_turn(Role::Assistant, parts.collect::<Result<_, _>>()?);
        }
        "tool" => {
            fields.only(&[&["role", "content", "tool_call_id"], MESSAGE_HINTS])?;
            let texts = read_texts(&fields.required("content")?)?;
            request.push_result(ToolResult {
                call_id: fields.required_text("tool_call_id")?,
                parts: texts.into_iter().filter_map(Part::text).collect(),
            });
        }
        _ => return Err(role.untranslatable()),
    }
    Ok(())
}

/// Reads a content that has only texts.
fn read_texts(content: &Place<'_>) -> Result<Vec<String>, Refusal> {
    if content.is_text() {
        return Ok(vec![content.text()?]);
    }
    let text = |part: Place<'_>| {
        let fields = part.fields()?;
        let kind = fields.required("type")?;
        fields.only(&[&["type", "text", "refusal", "cache_control"]])?;
        match kind.text()?.as_str() {
            "text" => fields.required_text("text"),
            "refusal" => fields.required_text("refusal"),
            _ => Err(kind.untranslatable()),
        }
    };
    content.elements()?.into_iter().map(text).collect()
}

fn read_content(content: &Place<'_>) -> Result<Vec<Part>, Refusal> {
    if content.is_text() {
        return Ok(Part::text(content.text()?).into_iter().collect());
    }
    let part = |part: Place<'_>| {
        let fields = part.fields()?;
        let kind = fields.required("type")?;
        match kind.text()?.as_str() {
            "text" => {
                fields.only(&[&["type", "text", "cache_control"]])?;
                Ok(Part::text(fields.required_text("text")?))
            }
            "image_url" => {
                fields.only(&[&["type", "image_url", "cache_control"]])?;
                let image = fields.required("image_url")?.fields()?;
                image.only(&[&["url", "detail"]])?;
                Ok(Some(Part::Image(Image::from_url(&image.required("url")?)?)))
            }
            _ => Err(kind.untranslatable()),
        }
    };
    content.elements()?.into_iter().filter_map(|place| part(place).transpose()).collect()
}

fn read_call(call: &Place<'_>) -> Result<Call, Refusal> {
    let fields = call.fields()?;
    fields.only(&[&["id", "type", "index", "function"]])?;
    fields.only_values("type", &["\"function\""])?;
    let function = fields.required("function")?.fields()?;
    function.only(&[&["name", "arguments"]])?;
    Ok(Call {
        id: fields.required_text("id")?,
        name: function.required_text("name")?,
        arguments: read_arguments(function.get("arguments")?)?,
    })
}

/// The arguments of a call, which are JSON within a text.
pub(super) fn read_arguments(arguments: Option<Place<'_>>) -> Result<String, Refusal> {
    let Some(place) = arguments else { return Ok("{}".to_owned()) };
    let text = place.text()?;
    if text.trim_ascii().is_empty() {
        return Ok("{}".to_owned());
    }
    let inner = Place { json: &text, path: place.path };
    inner.fields().map_err(|_| inner.malformed("the JSON of an object"))?;
    Ok(text)
}

fn read_tool(tool: &Place<'_>) -> Result<Tool, Refusal> {
    let fields = tool.fields()?;
    fields.only_values("type", &["\"function\""])?;
    fields.only(&[&["type", "function", "cache_control"]])?;
    let function = fields.required("function")?.fields()?;
    function.only(&[&["name", "description", "parameters", "strict"]])?;
    read_function(&function)
}

/// A function of OpenAI's protocols, whose fields are known to be allowed.
pub(super) fn read_function(function: &Fields<'_>) -> Result<Tool, Refusal> {
    Ok(Tool {
        name: function.required_text("name")?,
        description: function.text("description")?,
        parameters: function.get("parameters")?.map(|schema| schema.json.to_owned()),
        is_strict: function.flag("strict")?,
    })
}

fn read_choice(choice: &Place<'_>) -> Result<ToolChoice, Refusal> {
    if choice.is_text() {
        return read_choice_word(choice);
    }
    let fields = choice.fields()?;
    fields.only_values("type", &["\"function\""])?;
    fields.only(&[&["type", "function"]])?;
    Ok(ToolChoice::Named(fields.required("function")?.fields()?.required_text("name")?))
}

/// OpenAI's words for a choice of tools.
pub(super) fn read_choice_word(choice: &Place<'_>) -> Result<ToolChoice, Refusal> {
    match choice.text()?.as_str() {
        "auto" => Ok(ToolChoice::Auto),
        "none" => Ok(ToolChoice::Never),
        "required" => Ok(ToolChoice::Any),
        _ => Err(choice.untranslatable()),
    }
}

fn read_stop(stop: &Place<'_>) -> Result<Vec<String>, Refusal> {
    if stop.is_text() { Ok(vec![stop.text()?]) } else { stop.parsed("a text or a list of texts") }
}

fn read_format(format: &Place<'_>) -> Result<Option<Format>, Refusal> {
    let fields = format.fields()?;
    let kind = fields.required("type")?;
    match kind.text()?.as_str() {
        "text" => Ok(None),
        "json_object" => Ok(Some(Format::Object)),
        "json_schema" => read_schema(&fields.required("json_schema")?.fields()?).map(Some),
        _ => Err(kind.untranslatable()),
    }
}

/// OpenAI's description of a schema.
pub(super) fn read_schema(fields: &Fields<'_>) -> Result<Format, Refusal> {
    fields.only(&[&["type", "name", "schema", "strict", "description"]])?;
    Ok(Format::Schema {
        name: fields.text("name")?,
        schema: fields.required("schema")?.json.to_owned(),
        is_strict: fields.flag("strict")?,
    })
}

/// The messages of a turn: results of tools are messages of their own, and images among them follow as the user's.
fn write_turn(turn: &Turn) -> Vec<String> {
    if turn.role == Role::Assistant {
        return vec![write_assistant(&turn.parts)];
    }
    let mut messages = Vec::new();
    let mut content = Vec::new();
    for part in &turn.parts {
        let Part::Result(result) = part else {
            content.push(part);
            continue;
        };
        let (images, texts): (Vec<_>, Vec<_>) =
            result.parts.iter().partition(|part| matches!(part, Part::Image(_)));
        content.extend(images);
        let message = Object::new().with("role", "tool").with("tool_call_id", &result.call_id);
        messages.push(message.raw("content", &write_content(&texts)).json());
    }
    if !content.is_empty() {
        messages.push(Object::new().with("role", "user").raw("content", &write_content(&content)).json());
    }
    messages
}

fn write_assistant(parts: &[Part]) -> String {
    let texts: Vec<&Part> = parts.iter().filter(|part| matches!(part, Part::Text(_))).collect();
    let calls = parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(write_call(call)),
        _ => None,
    });
    let calls: Vec<String> = calls.collect();
    let content = if texts.is_empty() { "null".to_owned() } else { write_content(&texts) };
    Object::new()
        .with("role", "assistant")
        .raw("content", &content)
        .raw_some("tool_calls", (!calls.is_empty()).then(|| list(calls)))
        .json()
}

/// A single text as it is, which all servers understand; anything else as a list.
fn write_content(parts: &[&Part]) -> String {
    let write = |part: &&Part| match part {
        Part::Image(image) => {
            let url = Object::new().with("url", image.clone().into_url()).json();
            Some(Object::typed("image_url").raw("image_url", &url).json())
        }
        Part::Text(text) => Some(Object::typed("text").with("text", text).json()),
        Part::Call(_) | Part::Result(_) => None,
    };
    match parts {
        [] => quoted(""),
        [Part::Text(text)] => quoted(text),
        parts => list(parts.iter().filter_map(write)),
    }
}

fn write_call(call: &Call) -> String {
    let function = Object::new().with("name", &call.name).with("arguments", &call.arguments).json();
    Object::new().with("id", &call.id).with("type", "function").raw("function", &function).json()
}

fn write_tool(tool: &Tool) -> String {
    let function = Object::new()
        .with("name", &tool.name)
        .with_some("description", tool.description.as_ref())
        .raw_some("parameters", tool.parameters.as_ref())
        .with_some("strict", tool.is_strict)
        .json();
    Object::typed("function").raw("function", &function).json()
}

fn write_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::Never => "none".into(),
        ToolChoice::Any => "required".into(),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

fn write_format(format: &Format) -> String {
    match format {
        Format::Object => Object::typed("json_object").json(),
        Format::Schema { name, schema, is_strict } => {
            let schema = Object::new()
                .with("name", name.as_deref().unwrap_or(SCHEMA_NAME))
                .with_some("strict", *is_strict)
                .raw("schema", schema);
            Object::typed("json_schema").raw("json_schema", &schema.json()).json()
        }
    }
}

/// The name of a schema that has none, which OpenAI's protocols require.
pub(super) const SCHEMA_NAME: &str = "answer";

#[derive(Deserialize)]
struct Completion {
    id: Option<String>,
    model: Option<String>,
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Content>,
    refusal: Option<String>,
    tool_calls: Option<Vec<ToolCall>>,
}

/// A call, or in a stream a piece of one.
#[derive(Deserialize)]
struct ToolCall {
    index: Option<usize>,
    id: Option<String>,
    #[serde(default)]
    function: Function,
}

#[derive(Default, Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

/// Text, or as some servers have it a list of parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    text: Option<String>,
}

impl Content {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|part| part.text).collect(),
        }
    }
}

fn finish_of(reason: Option<&str>) -> Finish {
    match reason {
        Some("length") => Finish::Length,
        Some("tool_calls" | "function_call") => Finish::Calls,
        Some("content_filter") => Finish::Refusal,
        _ => Finish::Stop,
    }
}

fn reason_of(finish: &Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::StopSequence(_) => "stop",
        Finish::Length => "length",
        Finish::Calls => "tool_calls",
        Finish::Refusal => "content_filter",
    }
}

fn write_usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": { "cached_tokens": usage.cached_tokens },
    })
}
