//! Lists of requests, read so that they take no more memory than a request of their length may: a short element in memory is
//! many times as long as in JSON.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

/// Reads a list. If it has more than `MOST` elements, the first `MOST + 1` are kept, so that its length shows that
/// it is too long.
pub(crate) fn list<'de, D, T, const MOST: usize>(field: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    field.deserialize_seq(List::<T, MOST>(PhantomData))
}

/// The same, or a text by itself.
pub(crate) fn text_or_list<'de, D: Deserializer<'de>, const MOST: usize>(
    field: D,
) -> Result<Vec<String>, D::Error> {
    field.deserialize_any(List::<String, MOST>(PhantomData))
}

struct List<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for List<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut kept = Vec::new();
        while kept.len() <= MOST {
            match elements.next_element()? {
                Some(element) => kept.push(element),
                None => return Ok(kept),
            }
        }
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(kept)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<T>, E> {
        T::deserialize(serde::de::value::StrDeserializer::new(text)).map(|text| vec![text])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_up_to_one_element_too_many() {
        let read = |json: &str| list::<_, u8, 3>(&mut serde_json::Deserializer::from_str(json));
        assert_eq!(read("[1,2,3]").unwrap(), [1, 2, 3]);
        assert_eq!(read("[1,2,3,4,5,\"x\",{}]").unwrap(), [1, 2, 3, 4]);
        assert!(read("[1,\"x\"]").is_err() && read("{}").is_err());
        let read = |json: &str| text_or_list::<_, 3>(&mut serde_json::Deserializer::from_str(json));
        assert_eq!(
            (read("\"a\\n\"").unwrap(), read("[\"a\",\"b\"]").unwrap().len()),
            (vec!["a\n".to_owned()], 2)
        );
        assert!(read("1").is_err());
    }
}
