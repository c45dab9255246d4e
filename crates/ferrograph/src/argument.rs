//! Arguments of functions, and results.

use crate::array::IntoValue;
use crate::error::Result;
use crate::value::Value;
use ferrograph_saved::Structure;
use ferrograph_tensor::DType;
use std::collections::BTreeMap;
use std::fmt;

/// An argument of a function: a tensor, or a value of the program that calls it, which chooses among the function's
/// traces as it did in Python.
///
/// ```
/// use ferrograph::Argument;
/// use ndarray::array;
///
/// # fn main() -> ferrograph::Result<()> {
/// let x = Argument::tensor(array![1.0f32, 2.0])?;
/// let pair = Argument::List(vec![x, true.into()]);
/// assert_eq!(pair.to_string(), "[float32[2], True]");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Argument {
    /// A tensor.
    Tensor(Value),
    /// The tensors of a ragged or sparse tensor, in the order in which the trace names them.
    Parts(Vec<Value>),
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Text(String),
    /// A dtype.
    DType(DType),
    /// A list or tuple.
    List(Vec<Argument>),
    /// A dictionary.
    Dict(BTreeMap<String, Argument>),
}

impl Argument {
    /// A tensor of an array or a number.
    ///
    /// # Errors
    /// `ResourceExhausted` where there is no memory for it.
    pub fn tensor(array: impl IntoValue) -> Result<Argument> {
        Ok(Argument::Tensor(array.into_value()?))
    }

    /// The argument that a default value is; none for one that no argument can be.
    pub(crate) fn of_default(value: &Structure) -> Option<Argument> {
        let pairs = |all: &[(String, Structure)]| {
            let pair =
                |(key, v): &(String, Structure)| Some((key.clone(), Argument::of_default(v)?));
            all.iter().map(pair).collect::<Option<_>>()
        };
        Some(match value {
            Structure::None => Argument::None,
            Structure::Bool(x) => Argument::Bool(*x),
            Structure::Int(x) => Argument::Int(*x),
            Structure::Float(x) => Argument::Float(*x),
            Structure::Text(x) => Argument::Text(x.clone()),
            Structure::DType(x) => Argument::DType(*x),
            Structure::List(all) | Structure::Tuple(all) => Argument::List(
                all.iter()
                    .map(Argument::of_default)
                    .collect::<Option<_>>()?,
            ),
            Structure::Named(_, all) => {
                let all = all.iter().map(|(_, v)| Argument::of_default(v));
                Argument::List(all.collect::<Option<_>>()?)
            }
            Structure::Dict(all) => Argument::Dict(pairs(all)?),
            _ => return None,
        })
    }
}

macro_rules! literals {
    ($($T:ty => $variant:ident),*) => { $(
        impl From<$T> for Argument {
            fn from(value: $T) -> Argument {
                Argument::$variant(value.into())
            }
        }
    )* };
}

literals!(
    Value => Tensor, bool => Bool, i32 => Int, i64 => Int, f64 => Float, &str => Text, String => Text,
    DType => DType, Vec<Argument> => List, BTreeMap<String, Argument> => Dict
);

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |parts: Vec<String>| parts.join(", ");
        match self {
            Argument::Tensor(v) => write!(f, "{}", v.0.spec()),
            Argument::Parts(all) => {
                let parts = all.iter().map(|v| v.0.spec().to_string());
                write!(f, "the parts {}", join(parts.collect()))
            }
            Argument::None => f.write_str("None"),
            Argument::Bool(x) => f.write_str(if *x { "True" } else { "False" }),
            Argument::Int(x) => write!(f, "{x}"),
            Argument::Float(x) => write!(f, "{x:?}"),
            Argument::Text(x) => write!(f, "{x:?}"),
            Argument::DType(x) => write!(f, "{x}"),
            Argument::List(all) => {
                write!(
                    f,
                    "[{}]",
                    join(all.iter().map(ToString::to_string).collect())
                )
            }
            Argument::Dict(all) => {
                let pairs = all.iter().map(|(k, v)| format!("{k}: {v}"));
                write!(f, "{{{}}}", join(pairs.collect()))
            }
        }
    }
}
