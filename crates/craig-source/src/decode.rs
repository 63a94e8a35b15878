//! Decodes bytes to text, or classifies them as binary.

mod east_asian;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memmem;

/// A NUL this far in makes a file binary; git looks as far.
const NUL_WINDOW_BYTES: usize = 8 * 1024;

/// Decodes text; `None` for binary data.
///
/// Valid UTF-8 is moved, not copied, and checked once. A byte order mark decides before anything else and is dropped.
/// Without one, a text is UTF-16 if nearly every other byte of its beginning is NUL, as in mostly Latin text, and
/// UTF-32 where four bytes each are a character. Otherwise a NUL near the beginning makes the file binary. ISO-2022-JP
/// is made of ASCII and recognised by its escape sequences. What is not UTF-8 then is taken for UTF-8 with some damage
/// or for a legacy encoding, if control characters do not speak against text.
pub(crate) fn decode(bytes: Vec<u8>) -> Option<String> {
    if let Some(text) = decode_utf32(&bytes) {
        return Some(text);
    }
    if let Some((encoding, mark_length)) = Encoding::for_bom(&bytes) {
        return decode_marked(&bytes[mark_length..], encoding);
    }
    let beginning = &bytes[..bytes.len().min(NUL_WINDOW_BYTES)];
    if memchr::memchr(0, beginning).is_some() {
        return decode_without_errors(&bytes, guess_utf16(beginning)?);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(decode_iso_2022_jp(&text).unwrap_or(text)),
        Err(error) => decode_not_utf8(error.as_bytes()),
    }
}

/// Text in UTF-32, with a mark or mostly in ASCII; `None` for anything else, numbers of four bytes among it.
fn decode_utf32(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    let first = units.first().filter(|_| rest.is_empty())?;
    let from_bytes = match first {
        [_, _, _, 0] => u32::from_le_bytes,
        [0, _, _, _] => u32::from_be_bytes,
        _ => return None,
    };
    let is_text = |c: &char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    let characters = units.iter().map(|unit| char::from_u32(from_bytes(*unit)).filter(is_text));
    let text: String = characters.collect::<Option<_>>()?;
    if let Some(marked) = text.strip_prefix('\u{feff}') {
        return Some(marked.to_owned());
    }
    let n_ascii = text.bytes().filter(u8::is_ascii).count();
    (2 * n_ascii >= units.len()).then_some(text)
}

/// Text whose escape sequences switch to Japanese characters.
fn decode_iso_2022_jp(text: &str) -> Option<String> {
    memmem::find(text.as_bytes(), b"\x1b$").filter(|_| text.is_ascii())?;
    decode_without_errors(text.as_bytes(), ISO_2022_JP)
}

/// A mark is a promise, so a broken character in the middle is replaced; but binary data may start like UTF-16, full of NULs.
fn decode_marked(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let beginning = &text.as_bytes()[..text.len().min(NUL_WINDOW_BYTES)];
    memchr::memchr(0, beginning).is_none().then(|| text.into_owned())
}

fn decode_without_errors(bytes: &[u8], encoding: &'static Encoding) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(|text| text.into_owned())
}

fn guess_utf16(beginning: &[u8]) -> Option<&'static Encoding> {
    let n_pairs = beginning.len() / 2;
    let count_nul = |at: usize| beginning.chunks_exact(2).filter(|pair| pair[at] == 0).count();
    let (n_first, n_second) = (count_nul(0), count_nul(1));
    let is_most = |n: usize| n * 10 >= n_pairs * 7 && n_pairs >= 2;
    match (n_first, n_second) {
        (0, n) if is_most(n) => Some(UTF_16LE),
        (n, 0) if is_most(n) => Some(UTF_16BE),
        _ => None,
    }
}

fn decode_not_utf8(bytes: &[u8]) -> Option<String> {
    if !looks_like_text(bytes) {
        return None;
    }
    if is_mostly_utf8(bytes) {
        return Some(String::from_utf8_lossy(bytes).into_owned());
    }
    [guess_legacy(bytes), WINDOWS_1252].into_iter().find_map(|encoding| {
        // C1 controls are what binary data turns into; nobody types them.
        decode_without_errors(bytes, encoding)
            .filter(|text| !text.contains(|c| ('\u{80}'..='\u{9f}').contains(&c)))
    })
}

fn guess_legacy(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    east_asian::corrected(detector.guess(None, Utf8Detection::Deny), bytes)
}

/// Text holds next to no control characters; of random bytes one in ten is one.
fn looks_like_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    bytes.iter().filter(is_control).count() * 200 <= bytes.len()
}

/// UTF-8 with a few damaged places, such as a character cut in half, rather than another encoding.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut n_good, mut n_bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        n_good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        n_bad += usize::from(!chunk.invalid().is_empty());
    }
    n_good > 4 * n_bad
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    fn check(bytes: impl Into<Vec<u8>>, expected: Option<&str>) {
        let bytes = bytes.into();
        assert_eq!(decode(bytes.clone()).as_deref(), expected, "{:?}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn utf8_with_and_without_mark() {
        check("", Some(""));
        check("grüße 日本", Some("grüße 日本"));
        check(*b"\xef\xbb\xbfint x;", Some("int x;"));
    }

    #[test]
    fn utf16_with_and_without_mark() {
        let text = "class Größe { }\r\n";
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            check(utf16(&format!("\u{feff}{text}"), to_bytes), Some(text));
            check(utf16(text, to_bytes), Some(text));
        }
    }

    #[test]
    fn utf32_with_and_without_mark() {
        let text = "class Größe { } // 日本😀\r\n";
        for to_bytes in [u32::to_le_bytes, u32::to_be_bytes] {
            let utf32 = |text: &str| text.chars().flat_map(|c| to_bytes(c.into())).collect::<Vec<u8>>();
            check(utf32(&format!("\u{feff}{text}")), Some(text));
            check(utf32(text), Some(text));
        }
    }

    #[test]
    fn iso_2022_jp_is_decoded() {
        let text = "int x; // 合計を計算する\n";
        check(ISO_2022_JP.encode(text).0.into_owned(), Some(text));
        check(*b"\x1b$Bnot japanese\xff", Some("\x1b$Bnot japanese\u{ff}"));
        check(*b"prompt=\"\x1b[0m\x1b$\"", Some("prompt=\"\x1b[0m\x1b$\""));
    }

    #[test]
    fn legacy_encodings_are_decoded() {
        check(*b"// caf\xe9 cr\xe8me, d\xe9j\xe0 vu\nint x;\n", Some("// café crème, déjà vu\nint x;\n"));
        check(*b"author = \"Jos\xe9\"\n", Some("author = \"José\"\n"));
        let japanese = "これは日本語のコメントです。ファイルを読み込みます。";
        check(encoding_rs::SHIFT_JIS.encode(japanese).0.into_owned(), Some(japanese));
        let russian = "// Эта функция читает файл и возвращает его содержимое";
        check(encoding_rs::WINDOWS_1251.encode(russian).0.into_owned(), Some(russian));
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let mut bytes = "Größenänderung für Übergänge".as_bytes().to_vec();
        bytes.push(0xc3);
        check(bytes, Some("Größenänderung für Übergänge\u{fffd}"));
    }

    #[test]
    fn binary_data_is_not_text() {
        check(*b"\x7fELF\x02\x01\x01\0\0\0", None);
        check(*b"a\0b", None);
        check(*b"\xff\xfe\0\0a\0\0\0\x01\0\0\0", None);
        // Numbers of four bytes are no text in UTF-32.
        check([7u32, 65, 66, 1 << 20].map(u32::to_le_bytes).concat(), None);
        check([0u8, 1, 2, 255].repeat(500), None);
        check((1..=255).collect::<Vec<u8>>(), None);
        check(*b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x01\x02\xfe", None);
    }

    proptest! {
        #[test]
        fn text_without_nul_comes_back(text in "[^\0\u{feff}]*") {
            prop_assert_eq!(decode(text.clone().into_bytes()), Some(text));
        }

        #[test]
        fn any_bytes_are_decided(bytes: Vec<u8>) {
            decode(bytes);
        }

        #[test]
        fn ascii_in_utf16_is_guessed(text in "[ -~\n]{4,200}") {
            prop_assert_eq!(decode(utf16(&text, u16::to_le_bytes)), Some(text));
        }
    }
}
