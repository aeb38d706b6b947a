//! A reader for the ordinary part of JSON.
//!
//! Objects, lists, strings without escapes, unsigned numbers, nodes, variants and `null`. Nothing nests deeper than the
//! type that is read: what no field asks for is skipped only where it is a string, a number or a word.

use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::node::node;
use crate::merkle::Node;

/// Reads a whole text, or nothing where it is not JSON of the ordinary sort that has the type's form.
pub(crate) fn quick<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Option<T> {
    let mut quick = Quick { rest: text };
    let value = T::deserialize(&mut quick).ok()?;
    skip_space(quick.rest).is_empty().then_some(value)
}

/// Something that is left to the thorough reader. It carries nothing, so that every result fits a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unusual;

impl fmt::Display for Unusual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("out of the ordinary")
    }
}

impl std::error::Error for Unusual {}

impl de::Error for Unusual {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

type Result<T> = std::result::Result<T, Unusual>;

/// What follows the white space at the start.
#[inline]
pub(super) fn skip_space(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\n' | b'\t' | b'\r', rest @ ..] = text {
        text = rest;
    }
    text
}

/// What follows `byte`, after white space.
#[inline]
pub(super) fn past(text: &[u8], byte: u8) -> Result<&[u8]> {
    match text {
        [first, rest @ ..] if *first == byte => Ok(rest),
        _ => match skip_space(text) {
            [first, rest @ ..] if *first == byte => Ok(rest),
            _ => Err(Unusual),
        },
    }
}

/// A text that is being read.
struct Quick<'de> {
    rest: &'de [u8],
}

impl<'de> Quick<'de> {
    fn peek(&mut self) -> Result<u8> {
        self.rest = skip_space(self.rest);
        self.rest.first().copied().ok_or(Unusual)
    }

    fn past(&mut self, byte: u8) -> Result<()> {
        self.rest = past(self.rest, byte)?;
        Ok(())
    }

    /// Whether the next thing is `byte`, which is then read.
    fn past_if(&mut self, byte: u8) -> Result<bool> {
        let found = self.peek()? == byte;
        if found {
            self.past(byte)?;
        }
        Ok(found)
    }

    /// A string without escapes. Its bytes need not be UTF-8.
    fn string(&mut self) -> Result<&'de [u8]> {
        self.past(b'"')?;
        let length = memchr::memchr2(b'"', b'\\', self.rest).ok_or(Unusual)?;
        let (string, rest) = self.rest.split_at_checked(length).ok_or(Unusual)?;
        self.rest = past(rest, b'"')?;
        Ok(string)
    }

    /// A string without escapes, as the text that it must be.
    fn text(&mut self) -> Result<&'de str> {
        let string = self.string()?;
        let plain = string.iter().all(|byte| *byte >= b' ');
        std::str::from_utf8(string).ok().filter(|_| plain).ok_or(Unusual)
    }

    fn number(&mut self) -> Result<u64> {
        let digit = |byte: u8| Some(byte.wrapping_sub(b'0')).filter(|digit| *digit < 10);
        let mut value = u64::from(digit(self.peek()?).ok_or(Unusual)?);
        let mut rest = self.rest.get(1..).ok_or(Unusual)?;
        let zero = value == 0;
        while let [first, after @ ..] = rest {
            let Some(digit) = digit(*first) else { break };
            if zero {
                return Err(Unusual);
            }
            value = value.checked_mul(10).and_then(|tens| tens.checked_add(digit.into())).ok_or(Unusual)?;
            rest = after;
        }
        self.rest = rest;
        Ok(value)
    }

    fn word(&mut self, word: &[u8]) -> Result<()> {
        self.rest = skip_space(self.rest).strip_prefix(word).ok_or(Unusual)?;
        Ok(())
    }
}

impl<'de> de::Deserializer<'de> for &mut Quick<'de> {
    type Error = Unusual;

    /// Where the type does not say what it wants.
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(Unusual)
    }

    /// Skips what no field asks for.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek()? {
            b'n' => self.word(b"null")?,
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'"' => drop(self.text()?),
            _ => drop(self.number()?),
        }
        visitor.visit_unit()
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.text()?)
    }

    /// A string's bytes, where the type looks at them itself.
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_bytes(self.string()?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.peek()? != b'n' {
            return visitor.visit_some(self);
        }
        self.word(b"null")?;
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.past(b'[')?;
        visitor.visit_seq(List { quick: self, first: true })
    }

    /// The only tuples in a payload are nodes.
    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        if length != size_of::<Node>() {
            return Err(Unusual);
        }
        let (node, rest) = node(self.rest)?;
        self.rest = rest;
        visitor.visit_seq(SeqDeserializer::<_, Unusual>::new(node.into_iter()))
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &str, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.past(b'{')?;
        visitor.visit_map(Object { quick: self, first: true })
    }

    /// `"Variant"`, or an object with one key.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if self.peek()? == b'"' {
            return visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?));
        }
        self.past(b'{')?;
        let value = visitor.visit_enum(&mut *self)?;
        self.past(b'}')?;
        Ok(value)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u128 f32 f64 char str string byte_buf unit unit_struct tuple_struct
    }
}

/// The elements of a list that is being read.
struct List<'a, 'de> {
    quick: &'a mut Quick<'de>,
    first: bool,
}

impl<'de> SeqAccess<'de> for List<'_, 'de> {
    type Error = Unusual;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.quick.past_if(b']')? {
            return Ok(None);
        }
        if !self.first {
            self.quick.past(b',')?;
        }
        self.first = false;
        seed.deserialize(&mut *self.quick).map(Some)
    }
}

/// The fields of an object that is being read.
struct Object<'a, 'de> {
    quick: &'a mut Quick<'de>,
    first: bool,
}

impl<'de> MapAccess<'de> for Object<'_, 'de> {
    type Error = Unusual;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.quick.past_if(b'}')? {
            return Ok(None);
        }
        if !self.first {
            self.quick.past(b',')?;
        }
        self.first = false;
        seed.deserialize(&mut *self.quick).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.quick.past(b':')?;
        seed.deserialize(&mut *self.quick)
    }
}

impl<'de> EnumAccess<'de> for &mut Quick<'de> {
    type Error = Unusual;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let variant = seed.deserialize(&mut *self)?;
        self.past(b':')?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Quick<'de> {
    type Error = Unusual;

    fn unit_variant(self) -> Result<()> {
        Err(Unusual)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        Err(Unusual)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_map(self, visitor)
    }
}
