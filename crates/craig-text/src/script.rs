//! Scripts, by how words are separated in them, and spellings that count as one.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How words are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// By spaces.
    Spaced,
    /// By knowing the language: Chinese, Japanese, Thai and others have no spaces, and those of Korean are between words with
    /// their particles.
    Unspaced,
    /// Each character is a word: emoji, arrows, mathematical symbols.
    Symbol,
}

impl Script {
    pub(crate) fn from_char(c: char) -> Self {
        let is_in = |ranges: &[(u32, u32)]| {
            let at = ranges.partition_point(|&(_, last)| last < u32::from(c));
            ranges.get(at).is_some_and(|&(first, _)| first <= u32::from(c))
        };
        match () {
            () if u32::from(c) < UNSPACED[0].0 => Self::Spaced,
            () if is_in(UNSPACED) => Self::Unspaced,
            () if is_in(SYMBOLS) && !c.is_alphanumeric() => Self::Symbol,
            () => Self::Spaced,
        }
    }
}

/// Whether a letter is of a script in which spaces do not tell words apart, as in Chinese, Japanese, Korean and Thai.
pub fn is_unspaced(letter: char) -> bool {
    Script::from_char(letter) == Script::Unspaced
}

/// Whether a word is one character of a script without spaces.
pub fn is_character(word: &str) -> bool {
    word.starts_with(is_unspaced) && word.chars().filter(|&c| !is_mark(c)).count() == 1
}

/// Whether a character is a mark on the letter before it: an accent, or a vowel or tone of scripts that write them so.
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && is_combining_mark(c)
}

/// Whether a mark ends a sentence with no blank behind it, as in Chinese and Japanese.
pub fn is_unspaced_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '।')
}

/// How wide a text is in columns: a character of a script without spaces counts as two, as it tells as much.
pub fn columns(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(is_unspaced(c))).sum()
}

/// A text with each letter and the marks on it as one character where there is one: files and questions from a Mac may have
/// them apart.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { text.nfc().collect::<String>().into() }
}

/// Code points of scripts without spaces between words, and of Hangul. Source: Unicode 16, blocks of these scripts.
const UNSPACED: &[(u32, u32)] = &[
    (0x0E00, 0x0EFF),   // Thai, Lao
    (0x1000, 0x109F),   // Myanmar
    (0x1100, 0x11FF),   // Hangul letters
    (0x1780, 0x17FF),   // Khmer
    (0x1950, 0x19DF),   // Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),   // Tai Tham
    (0x2E80, 0xA4CF),   // radicals, kana, bopomofo, Han, Yi
    (0xA960, 0xA97F),   // Hangul letters
    (0xA9E0, 0xA9FF),   // Myanmar
    (0xAA60, 0xAADF),   // Myanmar, Tai Viet
    (0xAC00, 0xD7FF),   // Hangul
    (0xF900, 0xFAFF),   // Han
    (0xFF66, 0xFFDC),   // kana and Hangul of half width
    (0x1B000, 0x1B16F), // kana
    (0x20000, 0x3FFFF), // Han
];

/// Code points of symbols that are searched for. Lines and blocks that boxes are drawn with are left out.
const SYMBOLS: &[(u32, u32)] = &[
    (0x20A0, 0x20CF),   // currencies
    (0x2190, 0x24FF),   // arrows, mathematics, technology
    (0x25A0, 0x27FF),   // shapes, weather, dingbats
    (0x2900, 0x2BFF),   // arrows, mathematics
    (0x1F000, 0x1FAFF), // emoji
];

/// A text in the spelling that it is compared in: characters of any width as those of the usual one, composed, Latin, Greek,
/// Cyrillic, Arabic and Hebrew letters without accents.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !is_accent(c)).nfc() {
        match plain_letters(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
    folded
}

/// Marks that are left out where one types in a hurry. Those of other scripts are vowels and tones.
fn is_accent(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036F // Latin, Greek, Cyrillic
        | 0x0483..=0x0487 // Cyrillic
        | 0x0591..=0x05C7 // points of Hebrew
        | 0x0610..=0x061A | 0x0640 | 0x064B..=0x065F | 0x0670 | 0x06D6..=0x06ED // vowels of Arabic, kashida
        | 0x20D0..=0x20FF // around symbols
        | 0xFE00..=0xFE0F // how a symbol is drawn
    )
}

/// A letter that has no accent and yet is typed as others.
fn plain_letters(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'ẞ' => "SS",
        'æ' => "ae",
        'Æ' => "AE",
        'œ' => "oe",
        'Œ' => "OE",
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'þ' => "th",
        'Þ' => "Th",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}

/// A text with a second letter for each umlaut, `ueber` for `über`; `None` if it has none.
pub(crate) fn respelled(text: &str) -> Option<String> {
    let letters = |c: char| {
        Some(match c {
            'ä' => "ae",
            'ö' | 'ø' => "oe",
            'ü' => "ue",
            'å' => "aa",
            'Ä' => "Ae",
            'Ö' | 'Ø' => "Oe",
            'Ü' => "Ue",
            'Å' => "Aa",
            _ => return None,
        })
    };
    let composed = composed(text);
    if !composed.contains(|c| letters(c).is_some()) {
        return None;
    }
    let mut respelled = String::with_capacity(text.len() + 4);
    for c in composed.chars() {
        match letters(c) {
            Some(letters) => respelled.push_str(letters),
            None => respelled.push(c),
        }
    }
    Some(respelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        for table in [UNSPACED, SYMBOLS] {
            assert!(table.iter().all(|(first, last)| first <= last));
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

    #[test]
    fn characters_have_the_script_of_their_block() {
        use Script::{Spaced, Symbol, Unspaced};
        for (chars, script) in
            [("aéßяלع٣अ_", Spaced), ("会のスｽ한ไဗខ々〇𠀀", Unspaced), ("🚀✅→∑☃€★", Symbol)]
        {
            for c in chars.chars() {
                assert_eq!(Script::from_char(c), script, "{c}");
            }
        }
        assert_ne!(Script::from_char('─'), Symbol);
        assert_eq!(columns("é 会话。"), 8);
    }

    #[test]
    fn spellings_of_one_word_are_one() {
        for (spelling, folded) in [
            ("überfällig", "uberfallig"),
            ("u\u{308}berfa\u{308}llig", "uberfallig"),
            ("Straße", "Strasse"),
            ("Łódź", "Lodz"),
            ("ｆｕｌｌ１２", "full12"),
            ("ｸﾚｼﾞｯﾄ", "クレジット"),
            ("か\u{3099}", "が"),
            ("ё", "е"),
            ("άς", "ασ"),
            ("أُمّ", "ام"),
            ("שָׁלוֹם", "שלום"),
            ("ที่", "ที่"),
            ("हिन्दी", "हिन्दी"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
        ] {
            assert_eq!(fold(spelling), folded);
        }
        assert_eq!(respelled("u\u{308}ber Ärger").as_deref(), Some("ueber Aerger"));
        assert_eq!(respelled("uber"), None);
    }
}
