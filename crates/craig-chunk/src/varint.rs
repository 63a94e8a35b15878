//! Numbers and texts in few bytes, for what is kept.

/// Bytes that numbers and texts are added to.
#[derive(Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Adds what another writer has.
    pub fn append(&mut self, other: Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Adds bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Adds a byte.
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Adds a number: seven bits a byte.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Adds a number.
    pub fn u32(&mut self, number: u32) {
        self.number(u64::from(number));
    }

    /// A difference: small ones of either sign are short.
    pub fn difference(&mut self, from: u32, to: u32) {
        let difference = i64::from(to) - i64::from(from);
        self.number(((difference << 1) ^ (difference >> 63)) as u64);
    }

    /// Adds a number of things that follow.
    pub fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Adds a number, if there is one.
    pub fn optional(&mut self, number: Option<u32>) {
        self.number(number.map_or(0, |number| u64::from(number) + 1));
    }
}

/// Bytes that a [`Writer`] made, or any others: reading ends with `None` where they cannot be what was written.
pub struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number of 32 bits.
    pub fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// The number that differs from `from` as was written.
    pub fn difference(&mut self, from: u32) -> Option<u32> {
        u32::try_from(i64::from(from).checked_add(self.signed()?)?).ok()
    }

    /// A difference.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A number of things that each take a byte at least.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len())
    }

    /// A text.
    pub fn text(&mut self) -> Option<&'b str> {
        let count = self.count()?;
        std::str::from_utf8(self.bytes(count)?).ok()
    }

    /// A number, if there is one.
    pub fn optional(&mut self) -> Option<Option<u32>> {
        let number = self.number()?;
        Some(match number.checked_sub(1) {
            Some(number) => Some(u32::try_from(number).ok()?),
            None => None,
        })
    }

    /// As many things as are said to follow.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| read(self)).collect()
    }
}
