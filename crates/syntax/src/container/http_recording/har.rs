//! HAR: the log of a browser or a proxy, in JSON (HTTP Archive 1.2).

use std::time::Duration;

use super::body::{Body, media_type};
use super::{Exchange, Exchanges};
use crate::container::fragment::Fragment;
use crate::container::json::{JsonKind, JsonValue};
use crate::container::messages::unknown;
use crate::container::writer::TextWriter;
use crate::container::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, RecordReader, moment_of,
};

pub(super) const NAME: &str = "har";

pub(in crate::container) static ABOUT: ContainerInfo = ContainerInfo {
    name: NAME,
    title: "an HTTP archive (HAR) with requests and answers",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Har> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let log = head.value()?.get("log")?;
    let first = log.get("entries")?.items().next()?;
    let has_url = first.path(&["request", "url"]).is_some();
    has_url.then_some(Claim::Sure("it is a log with entries that have a request"))
}

#[derive(Default)]
struct Har {
    exchanges: Exchanges,
}

impl RecordReader for Har {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["log", "log.entries"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match (record.member, record.part) {
            (Some("log"), Some("entries")) if value.kind() == JsonKind::Object => self.entry(value, out),
            // The version, the creator and the pages.
            (Some("log"), Some(_)) => {}
            _ => unknown(value, out),
        }
    }
}

impl Har {
    fn entry(&mut self, entry: JsonValue<'_>, out: &mut TextWriter) {
        let Some(request) = entry.get("request") else { return unknown(entry, out) };
        let response = entry.get("response");
        let status = response.and_then(|response| response.get("status"));
        let sent = entry.words_of("startedDateTime");
        let took = entry.get("time").and_then(|time| time.fraction()).filter(|time| *time > 0.0 && *time < 1e12);
        let took = took.and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
        let answered =
            sent.as_deref().and_then(moment_of).zip(took).and_then(|(sent, took)| sent.checked_add(took).ok());
        let exchange = Exchange {
            method: request.words_of("method").unwrap_or_default().into(),
            url: request.string_of("url").map(Fragment::from_value).unwrap_or_default(),
            request: request.get("postData").and_then(body),
            response: response.and_then(|response| response.get("content")).and_then(body),
            // A request that failed before an answer has a status of 0.
            status: status.and_then(|status| status.number()).filter(|status| *status > 0),
            status_source: status.unwrap_or(entry).source(),
            reason: response.and_then(|response| response.words_of("statusText")).unwrap_or_default().into(),
            sent,
            answered: answered.map(|answered| answered.to_string().into()),
            duration: took.map(|took| format!("{took:.1?}")).unwrap_or_default(),
        };
        self.exchanges.take(&exchange, out);
    }
}

fn body(holder: JsonValue<'_>) -> Option<Body> {
    let text = holder.string_of("text").filter(|text| !text.is_void())?;
    let media = holder.text_of("mimeType").and_then(|media| media_type(&media));
    let is_base64 = holder.is_string("encoding", "base64");
    Some(Body { text: Fragment::from_value(text), media, encoding: None, is_base64 })
}
