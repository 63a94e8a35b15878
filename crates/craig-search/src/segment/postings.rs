//! Postings lists: for each term, the documents that contain it and its frequency in each.

/// One document of a postings list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    /// Chunk or file, numbered within the segment.
    pub(crate) doc: u32,
    /// Occurrences, at least 1.
    pub(crate) tf: u32,
}

/// Documents between two skip entries.
const BLOCK_DOCS: u32 = 128;

/// A list under construction: for each document a varint of (gap to the previous document · 2 + whether tf is 1), then tf unless
/// it is 1.
#[derive(Debug, Default)]
pub(crate) struct PostingsWriter {
    bytes: Vec<u8>,
    /// For each block but the first, the document before it and its offset.
    skips: Vec<[u32; 2]>,
    n_docs: u32,
    last_doc: u32,
}

impl PostingsWriter {
    /// Appends a document; documents come in ascending order.
    pub(crate) fn push(&mut self, posting: Posting) {
        debug_assert!(self.n_docs == 0 || posting.doc > self.last_doc, "documents come in ascending order");
        if self.n_docs > 0 && self.n_docs.is_multiple_of(BLOCK_DOCS) {
            self.skips.push([self.last_doc, self.bytes.len() as u32]);
        }
        let gap = posting.doc - self.last_doc;
        let single = posting.tf == 1;
        write_varint(&mut self.bytes, u64::from(gap) << 1 | u64::from(single));
        if !single {
            write_varint(&mut self.bytes, u64::from(posting.tf));
        }
        self.last_doc = posting.doc;
        self.n_docs += 1;
    }

    /// Bytes in memory.
    pub(crate) fn n_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(self.skips.as_slice())
    }

    /// Appends the finished list to `out`: the number of documents, the skips, the documents.
    pub(crate) fn finish(&self, out: &mut Vec<u8>) {
        write_varint(out, u64::from(self.n_docs));
        out.extend(self.skips.iter().flatten().flat_map(|number| number.to_le_bytes()));
        out.extend_from_slice(&self.bytes);
    }
}

/// A finished list, decoded in place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PostingsList<'s> {
    n_docs: u32,
    /// Number of documents in the segment: an upper bound of those in the list.
    n_all: u32,
    skips: &'s [[u8; 8]],
    bytes: &'s [u8],
}

impl<'s> PostingsList<'s> {
    /// The list that starts at `bytes[0]`, of some of `n_all` documents; empty if the bytes are not a list.
    pub(crate) fn new(mut bytes: &'s [u8], n_all: u32) -> Self {
        let n_docs = read_varint(&mut bytes).unwrap_or(0).min(n_all.into()) as u32;
        let n_skips = (n_docs.saturating_sub(1) / BLOCK_DOCS) as usize;
        match bytes.split_at_checked(n_skips * size_of::<[u8; 8]>()) {
            Some((skips, bytes)) => Self { n_docs, n_all, skips: skips.as_chunks().0, bytes },
            None => Self::default(),
        }
    }

    /// Number of documents of the list that starts at `bytes[0]`.
    pub(crate) fn length(mut bytes: &[u8]) -> u32 {
        read_varint(&mut bytes).unwrap_or(0).min(u32::MAX.into()) as u32
    }

    /// Number of documents according to the list's header.
    pub(crate) fn n_docs(self) -> u32 {
        self.n_docs
    }

    /// Appends all documents to `out`, in ascending order; fewer if the bytes are damaged.
    pub(crate) fn read(self, out: &mut Vec<Posting>) {
        out.reserve((self.n_docs as usize).min(self.bytes.len()));
        self.read_block(0, 0, self.n_docs, |posting| {
            out.push(posting);
            true
        });
    }

    /// Appends the documents in `docs` to `out`.
    pub(crate) fn read_within(self, docs: std::ops::Range<u32>, out: &mut Vec<Posting>) {
        let before = |skip: &[u8; 8]| u32::from_le_bytes([skip[0], skip[1], skip[2], skip[3]]);
        let block = self.skips.partition_point(|skip| before(skip) < docs.start);
        let (doc, offset) = match block.checked_sub(1).map(|at| &self.skips[at]) {
            Some(skip) => (before(skip), u32::from_le_bytes([skip[4], skip[5], skip[6], skip[7]])),
            None => (0, 0),
        };
        let n_left = self.n_docs.saturating_sub(block as u32 * BLOCK_DOCS);
        self.read_block(doc, offset as usize, n_left, |posting| {
            if posting.doc >= docs.start && posting.doc < docs.end {
                out.push(posting);
            }
            posting.doc < docs.end
        });
    }

    /// Calls `take` with up to `n_docs` documents from byte `offset` on, until it returns false. For all bytes, the documents ascend
    /// and exist.
    fn read_block(self, doc: u32, offset: usize, n_docs: u32, mut take: impl FnMut(Posting) -> bool) {
        let (mut doc, n_all) = (u64::from(doc), u64::from(self.n_all));
        let mut rest = self.bytes.get(offset..).unwrap_or_default();
        for _ in 0..n_docs {
            let Some(head) = read_varint(&mut rest) else { return };
            let tf = if head & 1 == 1 { Some(1) } else { read_varint(&mut rest) };
            let Some(tf) = tf else { return };
            doc += head >> 1;
            if doc >= n_all || !take(Posting { doc: doc as u32, tf: tf as u32 }) {
                return;
            }
        }
    }
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
        fn written_postings_are_read_back(
            docs in proptest::collection::btree_map(0u32..100_000, 1u32..5_000, 0..1_000),
            range in (0u32..110_000, 0u32..20_000),
        ) {
            let postings: Vec<_> = docs.into_iter().map(|(doc, tf)| Posting { doc, tf }).collect();
            let mut writer = PostingsWriter::default();
            postings.iter().for_each(|&posting| writer.push(posting));
            let mut bytes = Vec::new();
            writer.finish(&mut bytes);
            let list = PostingsList::new(&bytes, 100_000);
            let (mut all, mut some) = (Vec::new(), Vec::new());
            list.read(&mut all);
            prop_assert_eq!(&all, &postings);
            prop_assert_eq!(list.n_docs() as usize, postings.len());
            let range = range.0..range.0 + range.1;
            list.read_within(range.clone(), &mut some);
            all.retain(|posting| range.contains(&posting.doc));
            prop_assert_eq!(some, all);
        }

        #[test]
        fn documents_of_damaged_bytes_ascend_and_exist(
            bytes in proptest::collection::vec(any::<u8>(), 0..100),
            n_all in prop_oneof![0u32..300, Just(u32::MAX)],
            start in 0u32..300,
        ) {
            let list = PostingsList::new(&bytes, n_all);
            let (mut all, mut some) = (Vec::new(), Vec::new());
            list.read(&mut all);
            list.read_within(start..start + 50, &mut some);
            for postings in [&all, &some] {
                prop_assert!(postings.is_sorted_by_key(|posting| posting.doc));
                prop_assert!(postings.iter().all(|posting| posting.doc < n_all));
            }
        }
    }
}
