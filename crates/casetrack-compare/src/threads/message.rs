//! A message for comparison: its headers, its own text, and its quotations.

use casetrack_core::{DocumentId, MailHeaders, Page, Result, Timestamp};

use crate::mail::quotations::parts_of;
use crate::mail::sequences::Sequences;
use crate::mail::subject::Subject;
use casetrack_host::OpenCollection;
use casetrack_host::documents::facts::CitedPlace;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Message {
    pub headers: MailHeaders,
    /// True if the headers were stored; those of messages ingested by earlier versions are read from the text.
    pub has_headers: bool,
    pub subject: Subject,
    /// As shown.
    pub from: Option<String>,
    /// As the message states it, in ISO 8601.
    pub date: Option<String>,
    /// To order by.
    pub time: Option<Timestamp>,
    /// The place of the headers: `p. 1, para. 1, ll. 1-5`.
    pub place: String,
    pub own: Sequences,
    pub quoted: Vec<(u32, Sequences)>,
}

/// An address as people are compared by: in lower case, without the name if both are given.
pub(super) fn address(shown: &str) -> String {
    let inside = shown.rsplit_once('<').map_or(shown, |(_, rest)| rest.split('>').next().unwrap_or(rest));
    inside.trim().to_lowercase()
}

impl Message {
    pub fn read(collection: &OpenCollection, document: DocumentId) -> Result<Self> {
        let Some(meta) = collection.document(document)? else { return Ok(Self::default()) };
        // A message is one page.
        let page = collection.page(document, 1)?;
        let properties = meta.properties;
        let mut message = Self { from: properties.author, date: properties.created, ..Self::default() };
        message.has_headers = properties.mail.is_some();
        message.headers = match properties.mail {
            Some(headers) => headers,
            None => MailHeaders { subject: meta.title, ..shown_headers(page.as_ref()) },
        };
        if let Some(page) = &page {
            message.take(page, meta.unpaged);
        }
        Ok(message.completed())
    }

    /// Adds the text of the page.
    fn take(&mut self, page: &Page, unpaged: bool) {
        let parts = parts_of(&page.text);
        let headers = page.blocks.first().map_or(0..0, |block| block.char_start..block.char_end);
        self.place = CitedPlace::new(page, unpaged, headers).place;
        self.own = Sequences::of(parts.own(page.text.len()).into_iter().map(|range| &page.text[range]));
        let quoted = parts.quotations.iter();
        self.quoted = quoted
            .map(|quotation| {
                (quotation.depth, Sequences::of(quotation.lines.iter().map(|line| &page.text[line.clone()])))
            })
            .collect();
    }

    /// Completes the message with the values that follow from the headers.
    pub fn completed(mut self) -> Self {
        self.subject = Subject::parse(self.headers.subject.as_deref().unwrap_or_default());
        self.time = self.date.as_deref().and_then(Timestamp::of_iso);
        self
    }

    /// Ids of the messages before it, the oldest first: the last is the one that it answers.
    pub fn references(&self) -> Vec<&str> {
        let MailHeaders { message_id, references, in_reply_to, .. } = &self.headers;
        let mut ids: Vec<&str> = Vec::new();
        // Of several ids that it answers, which is the one before is not known.
        let answered = in_reply_to.first().filter(|id| !references.contains(id));
        for id in references.iter().chain(answered) {
            if !ids.contains(&id.as_str()) && Some(id) != message_id.as_ref() {
                ids.push(id);
            }
        }
        ids
    }

    pub fn sender(&self) -> Option<String> {
        self.from.as_deref().map(address)
    }

    pub fn recipients(&self) -> impl Iterator<Item = &str> {
        let MailHeaders { to, cc, bcc, .. } = &self.headers;
        to.iter().chain(cc).chain(bcc).map(String::as_str)
    }

    /// Everyone that it names, as shown; the sender first.
    pub fn people(&self) -> impl Iterator<Item = &str> {
        self.from.as_deref().into_iter().chain(self.recipients())
    }
}

/// The recipients that are shown above the text of a message.
fn shown_headers(page: Option<&Page>) -> MailHeaders {
    let mut headers = MailHeaders::default();
    for line in page.map_or("", |page| page.text.as_str()).lines().take_while(|line| !line.trim().is_empty()) {
        let Some((label, people)) = line.split_once(": ") else { continue };
        let people =
            || people.split([',', ';']).map(|person| person.trim().to_owned()).filter(|person| !person.is_empty());
        match label {
            "To" => headers.to = people().collect(),
            "Cc" => headers.cc = people().collect(),
            "Bcc" => headers.bcc = people().collect(),
            _ => {}
        }
    }
    headers.bounded()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A message with the text as extraction shows it.
    pub fn message(from: &str, to: &str, date: &str, subject: &str, ids: [&str; 2], body: &str) -> Message {
        let text = format!("From: {from}\nTo: {to}\nSubject: {subject}\n\n{body}");
        let parts = parts_of(&text);
        let [id, references] = ids;
        Message {
            headers: MailHeaders {
                message_id: (!id.is_empty()).then(|| id.to_owned()),
                references: references.split_whitespace().map(str::to_owned).collect(),
                subject: Some(subject.to_owned()),
                to: to.split(", ").map(str::to_owned).collect(),
                ..MailHeaders::default()
            },
            has_headers: true,
            from: Some(from.to_owned()),
            date: (!date.is_empty()).then(|| date.to_owned()),
            own: Sequences::of(parts.own(text.len()).into_iter().map(|range| &text[range])),
            quoted: parts
                .quotations
                .iter()
                .map(|quotation| {
                    (quotation.depth, Sequences::of(quotation.lines.iter().map(|line| &text[line.clone()])))
                })
                .collect(),
            ..Message::default()
        }
        .completed()
    }

    #[test]
    fn people_are_compared_by_their_addresses() {
        assert_eq!(address("Ann B. <Ann@Example.com>"), "ann@example.com");
        assert_eq!(address(" Ann B. "), "ann b.");
    }

    #[test]
    fn the_message_answered_is_the_last_reference() {
        let mut reply = message("a", "b", "", "Re: x", ["m4", "m1 m2 m1 m4"], "");
        assert_eq!(reply.references(), ["m1", "m2"]);
        reply.headers.in_reply_to = vec!["m3".to_owned(), "m9".to_owned()];
        assert_eq!(reply.references(), ["m1", "m2", "m3"]);
        reply.headers.in_reply_to = vec!["m1".to_owned()];
        assert_eq!(reply.references(), ["m1", "m2"]);
    }
}
