//! Bytes with a checksum behind them: damage to packed data shows before it is unpacked.

/// Bytes of BLAKE3 behind what they are of.
const CHECKSUM_BYTES: usize = 4;

/// These bytes with their checksum.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(&checksum.as_bytes()[..CHECKSUM_BYTES]);
    bytes
}

/// The bytes that were sealed; `None` if they have changed. Data that was never stored is empty.
pub(crate) fn unsealed(sealed: &[u8]) -> Option<&[u8]> {
    if sealed.is_empty() {
        return Some(sealed);
    }
    let (bytes, checksum) = sealed.split_last_chunk::<CHECKSUM_BYTES>()?;
    blake3::hash(bytes).as_bytes().starts_with(checksum).then_some(bytes)
}
