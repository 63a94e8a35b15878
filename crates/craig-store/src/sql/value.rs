//! Values of parameters and columns.

use std::borrow::Cow;

/// A value, or a list of values for `= ANY(?)`. Texts and bytes are borrowed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'v str),
    Blob(&'v [u8]),
    Ints(Vec<i64>),
    Texts(Vec<&'v str>),
    Blobs(Vec<&'v [u8]>),
}

/// What can be a parameter.
pub(crate) trait ToValue {
    fn to_value(&self) -> Value<'_>;
}

/// What can be read from a column.
pub(crate) trait FromValue: Sized {
    /// `None` if a value of this kind was never written there.
    fn from_value(value: &Value<'_>) -> Option<Self>;
}

macro_rules! integers {
    ($($name:ty),*) => {$(
        impl ToValue for $name {
            fn to_value(&self) -> Value<'_> {
                Value::Int(i64::from(*self))
            }
        }

        impl FromValue for $name {
            fn from_value(value: &Value<'_>) -> Option<Self> {
                match value {
                    Value::Int(number) => (*number).try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}
integers!(u8, u32, i64);

impl ToValue for u64 {
    fn to_value(&self) -> Value<'_> {
        Value::Int(self.cast_signed())
    }
}

impl ToValue for usize {
    fn to_value(&self) -> Value<'_> {
        Value::Int(*self as i64)
    }
}

impl ToValue for bool {
    fn to_value(&self) -> Value<'_> {
        Value::Bool(*self)
    }
}

impl FromValue for bool {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(is) => Some(*is),
            Value::Int(number) => Some(*number != 0),
            _ => None,
        }
    }
}

impl ToValue for f64 {
    fn to_value(&self) -> Value<'_> {
        Value::Real(*self)
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Real(number) => Some(*number),
            _ => None,
        }
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for Cow<'_, str> {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl FromValue for String {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => Some((*text).to_owned()),
            _ => None,
        }
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl<const N: usize> ToValue for [u8; N] {
    fn to_value(&self) -> Value<'_> {
        Value::Blob(self)
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes.to_vec()),
            _ => None,
        }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Blob(bytes) => (*bytes).try_into().ok(),
            _ => None,
        }
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl ToValue for Value<'_> {
    fn to_value(&self) -> Value<'_> {
        self.clone()
    }
}

impl<'v> Value<'v> {
    /// A list of numbers.
    pub(crate) fn ints<T>(values: impl IntoIterator<Item = T>) -> Self
    where
        i64: From<T>,
    {
        Value::Ints(values.into_iter().map(i64::from).collect())
    }

    /// A list of byte strings.
    pub(crate) fn blobs(values: impl IntoIterator<Item = &'v [u8]>) -> Self {
        Value::Blobs(values.into_iter().collect())
    }
}
