//! Values of inputs that are written as text.

use crate::array::Item;
use crate::error::Result;
use crate::trace::TensorInfo;
use crate::value::Value;
use ferrograph_files::base64;
use ferrograph_tensor::{Complex32, Complex64, DType, Shape, Tensor, bf16, err, f16, with_element};
use serde_json::Value as Json;

/// The value that a text gives an input, of its dtype and with the dimensions of the lists in the text.
///
/// # Errors
/// `InvalidArgument` where it gives none, with the name and the type of the input.
pub(super) fn value_of(info: &TensorInfo, text: &str) -> Result<Value> {
    let found = json_of(info.dtype(), text).and_then(|json| {
        let lists = Lists::of(info, &json)?;
        lists.value(info.dtype())
    });
    found.map_err(|wrong| {
        let (name, wanted) = (info.name(), info.of_type());
        err!(InvalidArgument, "input {name:?} takes {wanted}: {wrong}").into()
    })
}

/// A sentence that says why a text is no value.
type Wrong = String;

/// What a text is as JSON. A string, NaN and an infinity may be without quotes, which a shell takes away.
fn json_of(dtype: DType, text: &str) -> Result<Json, Wrong> {
    let is_plain = match dtype {
        DType::String => !text.starts_with(['"', '[', '{']),
        _ => NONFINITE.iter().any(|(name, _)| *name == text),
    };
    if is_plain {
        return Ok(Json::from(text));
    }
    serde_json::from_str(text).map_err(|e| {
        let text = shortened(text);
        format!("{text:?} is neither JSON ({e}) nor a file (FILE.npy or @FILE)")
    })
}

/// How much of a text an error repeats.
const SHOWN: usize = 60;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn shown(json: &Json) -> String {
    shortened(&json.to_string())
}

/// Numbers that JSON does not have, by the strings that denote them there.
const NONFINITE: [(&str, f64); 3] = [
    ("NaN", f64::NAN),
    ("Infinity", f64::INFINITY),
    ("-Infinity", f64::NEG_INFINITY),
];

/// Nested lists: their lengths, and what is in the innermost ones.
struct Lists<'j> {
    dims: Vec<usize>,
    elements: Vec<&'j Json>,
}

impl<'j> Lists<'j> {
    fn of(info: &TensorInfo, json: &'j Json) -> Result<Lists<'j>, Wrong> {
        let mut lists = Lists {
            dims: Vec::new(),
            elements: Vec::new(),
        };
        lists.add(info.dtype(), json, 0)?;
        if lists.dims.contains(&0) {
            // An empty list does not show what would be within it.
            let known = info.shape().unwrap_or_default();
            let inner = known.iter().skip(lists.dims.len());
            lists.dims.extend(inner.map(|dim| dim.unwrap_or(0)));
        }
        Ok(lists)
    }

    fn add(&mut self, dtype: DType, json: &'j Json, depth: usize) -> Result<(), Wrong> {
        let items = match json {
            Json::Array(items) if !is_complex(dtype, items) => items,
            _ if self.dims.len() == depth => {
                self.elements.push(json);
                return Ok(());
            }
            _ => return Err(format!("{} is beside a list", shown(json))),
        };
        match self.dims.get(depth) {
            None if self.elements.is_empty() && !self.dims.contains(&0) => {
                self.dims.push(items.len());
            }
            None => return Err(format!("the list {} is beside an element", shown(json))),
            Some(&length) if length == items.len() => {}
            Some(length) => {
                return Err(format!(
                    "lists of {length} and {} elements in one array",
                    items.len()
                ));
            }
        }
        items
            .iter()
            .try_for_each(|item| self.add(dtype, item, depth + 1))
    }

    fn value(&self, dtype: DType) -> Result<Value, Wrong> {
        with_element!(dtype, integer, T => self.of_each::<T>(dtype, int), else => match dtype {
            DType::Bool => self.of_each(dtype, Json::as_bool),
            DType::Float16 => self.of_each(dtype, |x| float(x, f16::from_f64)),
            DType::BFloat16 => self.of_each(dtype, |x| float(x, bf16::from_f64)),
            DType::Float32 => self.of_each(dtype, |x| float(x, |x| x as f32)),
            DType::Float64 => self.of_each(dtype, |x| float(x, |x| x)),
            DType::Complex64 => self.of_each(dtype, |x| {
                let [re, im] = pair(x)?;
                Some(Complex32::new(float(re, |x| x as f32)?, float(im, |x| x as f32)?))
            }),
            DType::Complex128 => self.of_each(dtype, |x| {
                let [re, im] = pair(x)?;
                Some(Complex64::new(float(re, |x| x)?, float(im, |x| x)?))
            }),
            DType::String => self.of_each(dtype, bytes),
            other if other.float8().is_some() => {
                let all = self.each(dtype, |x| float(x, |x| x))?;
                let made = Tensor::of_float8(dtype, Shape::new(&self.dims), all.into_iter());
                made.map(Value).map_err(|e| e.to_string())
            }
            other => Err(format!("no text is a {other}")),
        })
    }

    /// All elements as numbers or strings of a type.
    fn each<T>(&self, dtype: DType, read: impl Fn(&Json) -> Option<T>) -> Result<Vec<T>, Wrong> {
        let read = |x: &&Json| read(x).ok_or_else(|| format!("{} is no {dtype}", shown(x)));
        self.elements.iter().map(read).collect()
    }

    fn of_each<T: Item>(
        &self,
        dtype: DType,
        read: impl Fn(&Json) -> Option<T>,
    ) -> Result<Value, Wrong> {
        let all = self.each(dtype, read)?;
        T::value_of_slice(&self.dims, &all).map_err(|e| e.to_string())
    }
}

/// Whether a list is a complex number.
fn is_complex(dtype: DType, items: &[Json]) -> bool {
    dtype.is_complex() && !items.is_empty() && !items.iter().any(Json::is_array)
}

fn pair(json: &Json) -> Option<[&Json; 2]> {
    match &json.as_array()?[..] {
        [re, im] => Some([re, im]),
        _ => None,
    }
}

fn int<T: TryFrom<i128>>(json: &Json) -> Option<T> {
    let wide = json.as_i64().map(i128::from);
    let wide = wide.or_else(|| json.as_u64().map(i128::from));
    wide.and_then(|n| T::try_from(n).ok())
}

/// The nearest number; none where a finite one is beyond the finite numbers of the type.
fn float<T: Copy + Into<f64>>(json: &Json, narrow: impl Fn(f64) -> T) -> Option<T> {
    if let Json::String(name) = json {
        let (_, number) = NONFINITE.iter().find(|(own, _)| own == name)?;
        return Some(narrow(*number));
    }
    Some(narrow(json.as_f64()?)).filter(|&x| x.into().is_finite())
}

fn bytes(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => Some(text.clone().into_bytes()),
        Json::Object(fields) if fields.len() == 1 => base64::decode(fields.get("b64")?.as_str()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_tensor::{Dim, Element, PartialShape, TensorSpec};
    use ndarray::{ArrayD, array};

    fn input(dtype: DType, dims: Option<&[Option<usize>]>) -> TensorInfo {
        let dim = |d: &Option<usize>| d.map_or(Dim::UNKNOWN, Dim::new);
        let shape = dims.map(|dims| PartialShape::new(&dims.iter().map(dim).collect::<Vec<_>>()));
        let shape = shape.unwrap_or(PartialShape::UNKNOWN);
        TensorInfo::new("x".into(), TensorSpec::new(dtype, shape))
    }

    fn value(dtype: DType, text: &str) -> Value {
        value_of(&input(dtype, None), text).unwrap()
    }

    fn array<T: Element>(text: &str) -> ArrayD<T> {
        value(T::DTYPE, text).array().unwrap()
    }

    #[test]
    fn numbers_are_of_the_dtype_of_the_input() {
        assert_eq!(array::<f32>("1.5")[[]], 1.5);
        // Read to the nearest number, the last bit too.
        for text in [
            "0.1",
            "9007199254740993",
            "1.7976931348623157e308",
            "51.24817837550540",
        ] {
            let want: f64 = text.parse().unwrap();
            assert_eq!(array::<f64>(text)[[]].to_bits(), want.to_bits(), "{text}");
        }
        assert_eq!(
            array::<f32>("[1, 2, 3e2]"),
            array![1.0f32, 2.0, 300.0].into_dyn()
        );
        assert_eq!(
            array::<i8>("[[-128], [127]]"),
            array![[-128i8], [127]].into_dyn()
        );
        assert_eq!(array::<u64>("18446744073709551615")[[]], u64::MAX);
        assert_eq!(array::<i64>("-9223372036854775808")[[]], i64::MIN);
        assert_eq!(
            array::<bool>("[true, false]"),
            array![true, false].into_dyn()
        );
        assert_eq!(array::<f16>("65504")[[]], f16::MAX);
        assert_eq!(array::<bf16>("-1.5")[[]], bf16::from_f32(-1.5));
        assert!(array::<f32>("-0.0")[[]].is_sign_negative());
        let pairs = array::<Complex32>("[[1, -2], [0.5, \"NaN\"]]");
        assert_eq!(pairs[[0]], Complex32::new(1.0, -2.0));
        assert!(pairs[[1]].re == 0.5 && pairs[[1]].im.is_nan());
        assert_eq!(array::<Complex64>("[0, 1]")[[]], Complex64::new(0.0, 1.0));
        let small = value(DType::Float8E5M2, "[1, -2.5]").widened().unwrap();
        assert_eq!(
            small.array::<f32>().unwrap(),
            array![1.0f32, -2.5].into_dyn()
        );
    }

    #[test]
    fn numbers_that_json_does_not_have_are_strings() {
        let found = array::<f32>("[\"NaN\", \"Infinity\", \"-Infinity\"]");
        assert!(found[[0]].is_nan());
        assert_eq!((found[[1]], found[[2]]), (f32::INFINITY, f32::NEG_INFINITY));
        assert_eq!(array::<f64>("-Infinity")[[]], f64::NEG_INFINITY);
    }

    #[test]
    fn strings_may_be_without_quotes_and_of_any_bytes() {
        let strings = |text: &str| value(DType::String, text).byte_strings().unwrap();
        for (text, want) in [
            ("red", &b"red"[..]),
            ("1.5", b"1.5"),
            ("true", b"true"),
            ("\"a\\n\"", b"a\n"),
            ("\"\"", b""),
            ("{\"b64\": \"/wA=\"}", b"\xff\0"),
        ] {
            assert_eq!(strings(text)[[]], want, "{text}");
        }
        let found = strings("[[\"a\", \"zé\"]]");
        assert_eq!(found, array![[b"a".to_vec(), "zé".into()]].into_dyn());
    }

    #[test]
    fn empty_lists_have_the_inner_dimensions_of_the_input() {
        let shape = |dims: Option<&[Option<usize>]>, text: &str| {
            let found = value_of(&input(DType::Float32, dims), text).unwrap();
            found.shape().to_vec()
        };
        assert_eq!(shape(Some(&[None, Some(2)]), "[]"), [0, 2]);
        assert_eq!(shape(Some(&[None, None]), "[]"), [0, 0]);
        assert_eq!(shape(Some(&[None, None]), "[[], []]"), [2, 0]);
        assert_eq!(shape(None, "[[]]"), [1, 0]);
        assert_eq!(shape(Some(&[]), "[]"), [0]);
    }

    #[test]
    fn what_is_no_value_of_the_input_is_said() {
        for (dtype, text, said) in [
            (DType::Float32, "x.npz", "\"x.npz\" is neither JSON ("),
            (DType::Float32, "[1, 2", "is neither JSON ("),
            (
                DType::Float32,
                "[1, [2]]",
                "the list [2] is beside an element",
            ),
            (DType::Float32, "[[1], 2]", "2 is beside a list"),
            (
                DType::Float32,
                "[[1], [2, 3]]",
                "lists of 1 and 2 elements in one array",
            ),
            (
                DType::Float32,
                "[[], [2]]",
                "lists of 0 and 1 elements in one array",
            ),
            (DType::Float32, "[[], 2]", "2 is beside a list"),
            (DType::Float32, "1e39", "1e+39 is no float32"),
            (DType::Float32, "true", "true is no float32"),
            (DType::Float32, "\"1\"", "\"1\" is no float32"),
            (DType::Float16, "65520", "65520 is no float16"),
            (DType::Float32, "{\"a\": 1}", "{\"a\":1} is no float32"),
            (DType::Int32, "1.5", "1.5 is no int32"),
            (DType::Int32, "2147483648", "2147483648 is no int32"),
            (DType::UInt8, "[-1]", "-1 is no uint8"),
            (DType::Bool, "1", "1 is no bool"),
            (DType::Complex64, "1", "1 is no complex64"),
            (DType::Complex64, "[1, 2, 3]", "[1,2,3] is no complex64"),
            (DType::String, "[1]", "1 is no string"),
            (DType::String, "[red]", "\"[red]\" is neither JSON ("),
            (
                DType::String,
                "{\"b64\": \"?\"}",
                "{\"b64\":\"?\"} is no string",
            ),
            (DType::Variant, "1", "no text is a variant"),
        ] {
            let found = value_of(&input(dtype, None), text).unwrap_err().to_string();
            let start = format!("input \"x\" takes {}: ", input(dtype, None).of_type());
            assert!(found.starts_with(&start), "{found}");
            assert!(found.contains(said), "{dtype} {text}: {found}");
        }
        let deep = value_of(&input(DType::Float32, None), &"[".repeat(100_000));
        let said = deep.unwrap_err().to_string();
        assert!(
            said.contains("[...\" is neither JSON") && said.len() < 300,
            "{said}"
        );
    }
}
