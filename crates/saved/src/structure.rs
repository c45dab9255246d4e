//! Arguments and results of functions: structures with types in the places of tensors.

use crate::types::{dtype_of, partial_shape_of};
use ferrograph_formats::messages::{
    Structure as Message, StructuredPair, StructuredValue, TensorShapeProto, TypeSpecProto,
};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail, err};
use std::fmt;

/// A value of the program that was saved, with types in the places of tensors.
#[derive(Clone, PartialEq, Debug)]
pub enum Structure {
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
    /// A shape.
    Shape(PartialShape),
    /// The type of a tensor, and its name where it has one.
    Tensor(String, TensorSpec),
    /// The type of a value that several tensors make up.
    Composite(Composite),
    /// A list.
    List(Vec<Structure>),
    /// A tuple.
    Tuple(Vec<Structure>),
    /// A dictionary, in the order of its keys.
    Dict(Vec<(String, Structure)>),
    /// A tuple with names: that of its class, then its fields.
    Named(String, Vec<(String, Structure)>),
    /// Something else, which is told by this name.
    Other(String),
}

/// The type of a value that several tensors make up.
#[derive(Clone, PartialEq, Debug)]
pub struct Composite {
    /// What the class of the type is called.
    pub class: String,
    /// What the tensors are called and their types, in their order.
    pub parts: Vec<(String, TensorSpec)>,
}

/// The numbers of the classes of types.
const SPARSE: i32 = 1;
const RAGGED: i32 = 3;

impl Structure {
    /// What a message says; nothing is `None`.
    ///
    /// # Errors
    /// `Value` for the type of a value that is not known here, `Unimplemented` for a dtype that is not.
    pub fn of(message: Option<&StructuredValue>) -> Result<Structure> {
        let Some(kind) = message.and_then(|m| m.kind.as_ref()) else {
            return Ok(Structure::None);
        };
        let all = |items: &[StructuredValue]| -> Result<Vec<Structure>> {
            items.iter().map(|v| Structure::of(Some(v))).collect()
        };
        Ok(match kind {
            Message::None(_) => Structure::None,
            Message::Float(x) => Structure::Float(*x),
            Message::Int(x) => Structure::Int(*x),
            Message::Str(x) => Structure::Text(x.clone()),
            Message::Bool(x) => Structure::Bool(*x),
            Message::Shape(x) => Structure::Shape(partial_shape_of(x)),
            Message::DType(x) => Structure::DType(dtype_of(*x)?),
            Message::Spec(x) => tensor(&x.name, x.dtype, x.shape.as_ref())?,
            Message::Bounded(x) => tensor(&x.name, x.dtype, x.shape.as_ref())?,
            Message::Type(x) => composite(x)?,
            Message::List(x) => Structure::List(all(&x.values)?),
            Message::Tuple(x) => Structure::Tuple(all(&x.values)?),
            Message::Dict(x) => {
                let pairs = x.fields.iter();
                let pairs = pairs.map(|(k, v)| Ok((k.clone(), Structure::of(Some(v))?)));
                Structure::Dict(pairs.collect::<Result<_>>()?)
            }
            Message::Named(x) => Structure::Named(x.name.clone(), fields(&x.values)?),
            Message::Tensor(_) | Message::Array(_) => Structure::Other("an array".into()),
        })
    }

    /// The tensors in it, in the order in which a function takes or gives them. Each is called by the way to it, from
    /// `name` on.
    pub fn tensors(&self, name: &str) -> Vec<(String, TensorSpec)> {
        let mut found = Vec::new();
        self.add_tensors(name, &mut found);
        found
    }

    fn add_tensors(&self, name: &str, found: &mut Vec<(String, TensorSpec)>) {
        let inside = |part: &str| match name {
            "" => part.to_owned(),
            name => format!("{name}.{part}"),
        };
        match self {
            Structure::Tensor(own, spec) => {
                let name = if name.is_empty() { own } else { name };
                found.push((name.to_owned(), spec.clone()));
            }
            Structure::Composite(c) => {
                found.extend(c.parts.iter().map(|(n, spec)| (inside(n), spec.clone())));
            }
            Structure::List(all) | Structure::Tuple(all) => {
                for (i, part) in all.iter().enumerate() {
                    part.add_tensors(&inside(&i.to_string()), found);
                }
            }
            Structure::Dict(all) | Structure::Named(_, all) => {
                for (key, part) in all {
                    part.add_tensors(&inside(key), found);
                }
            }
            _ => {}
        }
    }

    /// The value under a key of a dictionary or a tuple with names.
    pub fn get(&self, key: &str) -> Option<&Structure> {
        match self {
            Structure::Dict(all) | Structure::Named(_, all) => {
                all.iter().find(|(k, _)| k == key).map(|(_, v)| v)
            }
            _ => None,
        }
    }

    /// The values of a list or tuple.
    pub fn items(&self) -> &[Structure] {
        match self {
            Structure::List(all) | Structure::Tuple(all) => all,
            _ => &[],
        }
    }
}

fn fields(pairs: &[StructuredPair]) -> Result<Vec<(String, Structure)>> {
    let field = |p: &StructuredPair| Ok((p.key.clone(), Structure::of(p.value.as_ref())?));
    pairs.iter().map(field).collect()
}

fn tensor(name: &str, dtype: i32, shape: Option<&TensorShapeProto>) -> Result<Structure> {
    let shape = shape.map_or(PartialShape::UNKNOWN, partial_shape_of);
    let spec = TensorSpec::new(dtype_of(dtype)?, shape);
    Ok(Structure::Tensor(name.to_owned(), spec))
}

fn composite(message: &TypeSpecProto) -> Result<Structure> {
    let class = &message.type_spec_class_name;
    let state = Structure::of(message.type_state.as_deref())?;
    let damaged = || err!(DataLoss, "a value of type {class} is not fully described");
    let made = |parts| {
        Structure::Composite(Composite {
            class: class.clone(),
            parts,
        })
    };
    let vector = |dtype| TensorSpec::new(dtype, PartialShape::of_rank(1));
    match (message.type_spec_class, state.items()) {
        (SPARSE, [Structure::Shape(shape), Structure::DType(dtype), ..]) => {
            let rank = Dim::from(shape.rank());
            let indices = PartialShape::new(&[Dim::from(None), rank]);
            Ok(made(vec![
                ("indices".into(), TensorSpec::new(DType::Int64, indices)),
                ("values".into(), vector(*dtype)),
                (
                    "dense_shape".into(),
                    TensorSpec::new(DType::Int64, PartialShape::new(&[rank])),
                ),
            ]))
        }
        (
            RAGGED,
            [
                Structure::Shape(shape),
                Structure::DType(dtype),
                Structure::Int(rank),
                Structure::DType(splits),
                ..,
            ],
        ) => {
            let rank = usize::try_from(*rank)
                .ok()
                .filter(|r| *r < 256)
                .ok_or_else(damaged)?;
            if rank == 0 {
                return Ok(Structure::Tensor(
                    String::new(),
                    TensorSpec::new(*dtype, shape.clone()),
                ));
            }
            let inner = shape.dims().map(|dims| {
                let rest = dims.get(rank + 1..).unwrap_or_default();
                std::iter::once(Dim::from(None))
                    .chain(rest.iter().copied())
                    .collect()
            });
            let values = TensorSpec::new(*dtype, inner.unwrap_or(PartialShape::UNKNOWN));
            let mut parts = vec![("flat_values".to_owned(), values)];
            parts.extend((0..rank).map(|i| (format!("row_splits_{i}"), vector(*splits))));
            Ok(made(parts))
        }
        (SPARSE | RAGGED, _) => Err(damaged()),
        _ => bail!(
            Value,
            "the saved model holds a value of type {class}, which is not read here"
        ),
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |f: &mut fmt::Formatter<'_>, all: &[Structure]| {
            for (i, part) in all.iter().enumerate() {
                write!(f, "{}{part}", if i == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        let paired = |f: &mut fmt::Formatter<'_>, all: &[(String, Structure)], between: &str| {
            for (i, (key, part)) in all.iter().enumerate() {
                write!(f, "{}{key}{between}{part}", if i == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        match self {
            Structure::None => f.write_str("None"),
            Structure::Bool(true) => f.write_str("True"),
            Structure::Bool(false) => f.write_str("False"),
            Structure::Int(x) => write!(f, "{x}"),
            Structure::Float(x) => write!(f, "{x:?}"),
            Structure::Text(x) => write!(f, "{x:?}"),
            Structure::DType(x) => write!(f, "{x}"),
            Structure::Shape(x) => write!(f, "{x}"),
            Structure::Tensor(_, spec) => write!(f, "{spec}"),
            Structure::Composite(c) => {
                write!(f, "{}(", c.class.trim_end_matches("Spec"))?;
                for (i, (name, spec)) in c.parts.iter().enumerate() {
                    write!(f, "{}{name}: {spec}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Structure::List(all) => {
                f.write_str("[")?;
                listed(f, all)?;
                f.write_str("]")
            }
            Structure::Tuple(all) => {
                f.write_str("(")?;
                listed(f, all)?;
                f.write_str(if all.len() == 1 { ",)" } else { ")" })
            }
            Structure::Dict(all) => {
                f.write_str("{")?;
                paired(f, all, ": ")?;
                f.write_str("}")
            }
            Structure::Named(name, all) => {
                write!(f, "{name}(")?;
                paired(f, all, "=")?;
                f.write_str(")")
            }
            Structure::Other(what) => f.write_str(what),
        }
    }
}
