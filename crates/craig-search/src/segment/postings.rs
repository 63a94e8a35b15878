//! Postings lists: for each term, the documents that hold it and how often.

/// One document of a postings list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    /// Chunk or file, numbered within the segment.
    pub(crate) doc: u32,
    /// Occurrences, at least 1.
    pub(crate) tf: u32,
}

/// A list under construction: varints of (gap to the previous document · 2 + one occurrence?), then the occurrences.
#[derive(Debug, Default)]
pub(crate) struct PostingsWriter {
    bytes: Vec<u8>,
    n_docs: u32,
    last_doc: u32,
}

impl PostingsWriter {
    /// Appends a document; documents come in ascending order.
    pub(crate) fn push(&mut self, posting: Posting) {
        debug_assert!(self.n_docs == 0 || posting.doc > self.last_doc, "documents come in ascending order");
        let gap = if self.n_docs == 0 { posting.doc } else { posting.doc - self.last_doc };
        let single = posting.tf == 1;
        write_varint(&mut self.bytes, u64::from(gap) << 1 | u64::from(single));
        if !single {
            write_varint(&mut self.bytes, u64::from(posting.tf));
        }
        self.last_doc = posting.doc;
        self.n_docs += 1;
    }

    /// Bytes that it holds in memory.
    pub(crate) fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Appends the finished list to `out`: the number of documents, then the documents.
    pub(crate) fn finish(&self, out: &mut Vec<u8>) {
        write_varint(out, u64::from(self.n_docs));
        out.extend_from_slice(&self.bytes);
    }
}

/// Reads the list that starts at `bytes[0]` into `out`; stops early when the bytes end.
pub(crate) fn read_postings(bytes: &[u8], out: &mut Vec<Posting>) {
    let mut rest = bytes;
    let n_docs = read_varint(&mut rest).unwrap_or(0) as usize;
    out.reserve(n_docs.min(bytes.len()));
    let mut doc = 0u32;
    for _ in 0..n_docs {
        let Some(head) = read_varint(&mut rest) else { return };
        let tf = if head & 1 == 1 { Some(1) } else { read_varint(&mut rest) };
        let Some(tf) = tf else { return };
        doc = doc.wrapping_add((head >> 1) as u32);
        out.push(Posting { doc, tf: tf as u32 });
    }
}

/// Number of documents of the list that starts at `bytes[0]`.
pub(crate) fn n_postings(mut bytes: &[u8]) -> u32 {
    read_varint(&mut bytes).unwrap_or(0) as u32
}

fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    let mut shift = 0;
    loop {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
        if shift > 56 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(docs in proptest::collection::btree_map(0u32..1_000_000, 1u32..5_000, 0..200)) {
            let postings: Vec<_> = docs.into_iter().map(|(doc, tf)| Posting { doc, tf }).collect();
            let mut writer = PostingsWriter::default();
            postings.iter().for_each(|&posting| writer.push(posting));
            let mut bytes = Vec::new();
            writer.finish(&mut bytes);
            let mut read = Vec::new();
            read_postings(&bytes, &mut read);
            prop_assert_eq!(read, postings);
        }

        #[test]
        fn damaged_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            read_postings(&bytes, &mut Vec::new());
        }
    }
}
