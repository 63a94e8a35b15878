//! Reads the events of a provider's stream, however it is cut.

use memchr::memchr2;

/// A stream with a longer event is broken off. The longest ones repeat the whole answer.
const MAX_EVENT_BYTES: usize = 4 << 20;

/// The stream has an event that is too long.
#[derive(Debug)]
pub(super) struct TooLong;

/// The event that is being read.
#[derive(Default)]
pub(super) struct EventReader {
    line: Vec<u8>,
    /// Whether the last byte was a CR: a LF after it ends no other line.
    is_after_cr: bool,
    name: Vec<u8>,
    data: Vec<u8>,
}

impl EventReader {
    /// Reads bytes and calls `on_event` with the name and the data of each event that they complete.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut on_event: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), TooLong> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.is_after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = memchr2(b'\n', b'\r', bytes);
            self.line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
            if self.line.len() + self.data.len() > MAX_EVENT_BYTES {
                return Err(TooLong);
            }
            let Some(end) = end else { return Ok(()) };
            self.is_after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line(&mut on_event);
        }
        Ok(())
    }

    /// Bytes of the event that is incomplete.
    pub(super) fn held_bytes(&self) -> usize {
        self.line.capacity() + self.name.capacity() + self.data.capacity()
    }

    fn end_line(&mut self, on_event: &mut impl FnMut(&[u8], &[u8])) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
            if !data.is_empty() {
                on_event(&name, &data);
            }
        } else if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.trim_ascii());
        } else if let Some(name) = line.strip_prefix(b"event:") {
            self.name = name.trim_ascii().to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_a_stream_is_cut() {
        let stream =
            ": hello\n\nevent: a\ndata: {\"x\":\ndata: 1}\n\ndata:2\n\nid: 7\n\nevent: b\n\ndata: é\n\n";
        for stream in [stream.to_owned(), stream.replace('\n', "\r\n"), stream.replace('\n', "\r")] {
            for size in 1..=stream.len() {
                let (mut reader, mut events) = (EventReader::default(), Vec::new());
                for piece in stream.as_bytes().chunks(size) {
                    let read = reader.push(piece, |name, data| {
                        events.push(format!(
                            "{}:{}",
                            String::from_utf8_lossy(name),
                            String::from_utf8_lossy(data)
                        ));
                    });
                    assert!(read.is_ok());
                }
                assert_eq!(events, ["a:{\"x\":\n1}", ":2", ":é"], "in pieces of {size}");
            }
        }
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut reader = EventReader::default();
        let piece = vec![b'x'; 1 << 20];
        let n_read = (0..8).take_while(|_| reader.push(&piece, |_, _| {}).is_ok()).count();
        assert_eq!(n_read, 4);
    }
}
