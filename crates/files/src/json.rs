//! Examples written as JSON.

use crate::base64;
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_ops::text::map_strings;
use ferrograph_tensor::{Bytes, Result, Tensor, bail, err, string_of};
use serde_json::{Map, Value};
use smallvec::smallvec;

declare! {
    trait EmitJson;

    /// Each of `json_examples`, an `Example` in the JSON form of protocol buffers, as the serialised message.
    DecodeJSONExample: decode_json_example(json_examples: string)
        -> (binary_examples: string like json_examples), gradient Stops, batch Broadcasts;
}

/// A field of bytes: its key, its length, and they.
fn put(field: u8, content: &[u8], to: &mut Vec<u8>) {
    to.push(field << 3 | 2);
    put_varint(content.len() as u64, to);
    to.extend_from_slice(content);
}

fn put_varint(mut value: u64, to: &mut Vec<u8>) {
    while value > 0x7f {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// The fields of an object, which may be null.
fn fields<'a>(value: &'a Value, what: &str) -> Result<Option<&'a Map<String, Value>>> {
    match value {
        Value::Null => Ok(None),
        Value::Object(fields) => Ok(Some(fields)),
        other => bail!(
            InvalidArgument,
            "Error while parsing JSON: {what} must be an object, got {other}"
        ),
    }
}

/// The one field that a message has.
fn field<'a>(value: &'a Value, what: &str, name: &str) -> Result<Option<&'a Value>> {
    let Some(fields) = fields(value, what)? else {
        return Ok(None);
    };
    if let Some(other) = fields.keys().find(|key| *key != name) {
        bail!(
            InvalidArgument,
            "Error while parsing JSON: {what} has no such field: {other:?}"
        );
    }
    Ok(fields.get(name).filter(|value| !value.is_null()))
}

fn example(value: &Value) -> Result<Vec<u8>> {
    let mut message = Vec::new();
    if let Some(features) = field(value, "an Example", "features")? {
        let mut entries = Vec::new();
        if let Some(map) = field(features, "Features", "feature")? {
            for (key, value) in fields(map, "feature")?.into_iter().flatten() {
                let mut entry = Vec::new();
                put(1, key.as_bytes(), &mut entry);
                put(2, &feature(value)?, &mut entry);
                put(1, &entry, &mut entries);
            }
        }
        put(1, &entries, &mut message);
    }
    Ok(message)
}

fn feature(value: &Value) -> Result<Vec<u8>> {
    let mut message = Vec::new();
    for (kind, list) in fields(value, "a Feature")?.into_iter().flatten() {
        let mut content = Vec::new();
        let number = match &kind[..] {
            "bytesList" | "bytes_list" => 1,
            "floatList" | "float_list" => 2,
            "int64List" | "int64_list" => 3,
            other => bail!(
                InvalidArgument,
                "Error while parsing JSON: a Feature has no such field: {other:?}"
            ),
        };
        if !message.is_empty() {
            bail!(
                InvalidArgument,
                "Error while parsing JSON: a Feature has two lists"
            );
        }
        let values = field(list, kind, "value")?;
        let values = values.map(|v| v.as_array().ok_or_else(|| unfit(v)));
        for value in values.transpose()?.into_iter().flatten() {
            element(number, value, &mut content)?;
        }
        put(number, &content, &mut message);
    }
    Ok(message)
}

/// Adds an element of a list.
fn element(kind: u8, value: &Value, to: &mut Vec<u8>) -> Result<()> {
    match kind {
        1 => {
            let text = value.as_str().ok_or_else(|| unfit(value))?;
            put(1, &base64::decode(text).ok_or_else(|| no_base64(text))?, to);
        }
        2 => {
            to.push(1 << 3 | 5);
            to.extend_from_slice(&float(value)?.to_le_bytes());
        }
        _ => {
            to.push(1 << 3);
            put_varint(int(value)?.cast_unsigned(), to);
        }
    }
    Ok(())
}

#[cold]
fn unfit(value: &Value) -> ferrograph_tensor::Error {
    err!(
        InvalidArgument,
        "Error while parsing JSON: {value} is no value of its list"
    )
}

#[cold]
fn no_base64(text: &str) -> ferrograph_tensor::Error {
    err!(
        InvalidArgument,
        "Error while parsing JSON: {text:?} is no base64"
    )
}

fn float(value: &Value) -> Result<f32> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match &text[..] {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            text => text.parse().ok().filter(|x: &f64| x.is_finite()),
        },
        _ => None,
    };
    let number = number.ok_or_else(|| unfit(value))?;
    if number.is_finite() && number.abs() > f64::from(f32::MAX) {
        return Err(unfit(value));
    }
    Ok(number as f32)
}

fn int(value: &Value) -> Result<i64> {
    let whole = |x: f64| (x.fract() == 0.0 && x.abs() < 9e18).then_some(x as i64);
    let number = match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(whole)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| unfit(value))
}

fn decoded(text: &[u8]) -> Result<Bytes> {
    let value: Value = serde_json::from_slice(text)
        .map_err(|e| err!(InvalidArgument, "Error while parsing JSON: {e}"))?;
    string_of(&example(&value)?)
}

impl Op for DecodeJSONExample {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![map_strings(&inputs[0], decoded)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_all_kinds() {
        let text = br#"{"features": {"feature": {"a": {"int64List": {"value": ["1", 2, -2]}},
            "b": {"bytes_list": {"value": ["YWI="]}}, "c": {"floatList": {"value": [1.5]}}}}}"#;
        let bytes = b"\n3\n\x16\n\x01a\x12\x11\x1a\x0f\x08\x01\x08\x02\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\
            \n\x0b\n\x01b\x12\x06\n\x04\n\x02ab\n\x0c\n\x01c\x12\x07\x12\x05\r\x00\x00\xc0?";
        assert_eq!(&decoded(text).unwrap()[..], &bytes[..]);
        assert_eq!(&decoded(b"{}").unwrap()[..], b"");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "[",
            "3",
            r#"{"features": 1}"#,
            r#"{"feat": {}}"#,
            r#"{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}"#,
            r#"{"features": {"feature": {"a": {"int64List": {"value": 1}}}}}"#,
            r#"{"features": {"feature": {"a": {"bytesList": {"value": ["Y"]}}}}}"#,
            r#"{"features": {"feature": {"a": {"floatList": {"value": [1e300]}}}}}"#,
            r#"{"features": {"feature": {"a": {"other": {}}}}}"#,
        ] {
            assert!(decoded(text.as_bytes()).is_err(), "{text}");
        }
        assert!(decoded("[".repeat(100_000).as_bytes()).is_err());
    }
}
