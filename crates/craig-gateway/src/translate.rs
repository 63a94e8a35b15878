//! Translation of conversations between the protocols, for clients whose model is served in another protocol than theirs.
//!
//! Each protocol is read into one neutral form and written from it, so that a further protocol needs one reader and one
//! writer. Requests are read strictly: a field that cannot be translated is refused by its name, unless it is a hint that
//! answers can do without. Answers and streams are read leniently: what the neutral form lacks is left out.

mod chat;
mod json;
mod messages;
mod neutral;
mod responses;
mod sse;
mod stream;

use crate::call::CallFailure;
use crate::failure::Problem;
use crate::protocol::{ProtocolName, Usage};
use neutral::{Answer, Feature, Request};
pub(crate) use stream::StreamTranslation;
use stream::{StreamReader, StreamWriter};

/// The protocols of a client and of the provider that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Translation {
    pub(crate) client: ProtocolName,
    pub(crate) provider: ProtocolName,
}

/// The part of a conversation that a provider is asked to cache, if it caches only what is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CacheMarks {
    #[default]
    None,
    /// Tools and instructions: what follows will not be sent again as it is.
    Instructions,
    /// All of it: the next request begins with the same messages.
    Conversation,
}

/// Why a request is not translated.
#[derive(Debug, PartialEq)]
enum Refusal {
    /// The provider's protocol cannot express this field of the request.
    Untranslatable(String),
    /// A field of the request is wrong; empty for the request itself.
    Malformed { field: String, message: String },
}

/// An answer or an event that cannot be read or written.
#[derive(Debug, PartialEq)]
struct Unreadable;

/// The reader and the writer of a protocol.
trait Dialect: Sync {
    fn read_request(&self, body: &[u8]) -> Result<Request, Refusal>;

    /// Fails with a feature that the protocol lacks.
    fn write_request(&self, request: &Request) -> Result<String, Feature>;

    /// The field of a request that asks for a feature.
    fn field(&self, feature: Feature) -> &'static str;

    /// Reads an answer without its usage.
    fn read_answer(&self, body: &[u8]) -> Result<Answer, Unreadable>;

    fn write_answer(&self, answer: &Answer) -> Result<String, Unreadable>;

    fn stream_reader(&self) -> Box<dyn StreamReader>;

    /// `reports_usage`: whether the client has asked for counts, in protocols that have a choice.
    fn stream_writer(&self, reports_usage: bool) -> Box<dyn StreamWriter>;
}

fn dialect(name: ProtocolName) -> &'static dyn Dialect {
    match name {
        ProtocolName::Chat => &chat::Chat,
        ProtocolName::Responses => &responses::Responses,
        ProtocolName::Messages => &messages::Messages,
    }
}

impl Translation {
    /// The request for the provider. Fails with an error for the client that names the field.
    pub(crate) fn request(self, body: &[u8], cache_marks: CacheMarks) -> Result<Vec<u8>, Box<Problem>> {
        let client = dialect(self.client);
        let request = client.read_request(body).map_err(|refusal| self.problem(refusal))?;
        let request = Request { cache_marks, ..request };
        let written = dialect(self.provider).write_request(&request);
        let lacking = |feature| self.problem(Refusal::Untranslatable(client.field(feature).to_owned()));
        Ok(written.map_err(lacking)?.into_bytes())
    }

    /// The answer for the client. Fails if the client's protocol cannot express it.
    pub(crate) fn answer(self, body: &[u8], usage: Option<Usage>) -> Result<Vec<u8>, CallFailure> {
        let read = dialect(self.provider).read_answer(body);
        let written = read.and_then(|answer| dialect(self.client).write_answer(&Answer { usage, ..answer }));
        let invalid = |Unreadable| CallFailure::new(craig_engine::FailureClass::BadAnswer);
        written.map(String::into_bytes).map_err(invalid)
    }

    fn problem(self, refusal: Refusal) -> Box<Problem> {
        let Self { client, provider } = self;
        Box::new(match refusal {
            Refusal::Malformed { field, message } if field.is_empty() => Problem::invalid(message),
            Refusal::Malformed { field, message } => Problem::invalid_field(&field, message),
            Refusal::Untranslatable(field) => Problem {
                code: "untranslatable".to_owned(),
                ..Problem::invalid_field(
                    &field,
                    format!(
                        "'{field}' cannot be translated from \"{}\" to \"{}\", the protocol of this model's \
                         provider: leave it out, or use a model whose provider supports \"{}\"",
                        client.name(),
                        provider.name(),
                        client.name(),
                    ),
                )
            },
        })
    }
}

/// An id for something that a provider has given none.
fn or_new_id(id: String, prefix: &str) -> String {
    if id.is_empty() { format!("{prefix}_{:016x}", fastrand::u64(..)) } else { id }
}

/// Seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

#[cfg(test)]
mod tests;
