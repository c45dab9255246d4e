//! Attributes from and to their messages.

use crate::types::{dtype_of, partial_shape_of, shape_message};
use ferrograph_formats::messages::{AttrContent, AttrList, AttrValue, NameAttrList, TensorProto};
use ferrograph_graph::{Attr, AttrKind};
use ferrograph_tensor::{DType, PartialShape, Result, Tensor, bail};
use std::sync::Arc;

/// The message of that content.
pub fn value(content: AttrContent) -> AttrValue {
    AttrValue {
        value: Some(content),
    }
}

/// The message of a list.
fn list(fill: impl FnOnce(&mut AttrList)) -> AttrContent {
    let mut all = AttrList::default();
    fill(&mut all);
    AttrContent::List(Box::new(all))
}

/// The message of a dtype.
pub fn dtype_value(dtype: DType) -> AttrValue {
    value(AttrContent::Type(dtype.graphdef_code()))
}

/// The message of dtypes.
pub fn dtypes_value(dtypes: &[DType]) -> AttrValue {
    let codes = dtypes.iter().map(|d| d.graphdef_code()).collect();
    value(list(|l| l.r#type = codes))
}

/// The message of shapes.
pub fn shapes_value(shapes: impl Iterator<Item = PartialShape>) -> AttrValue {
    let all = shapes.map(|s| shape_message(&s)).collect();
    value(list(|l| l.shape = all))
}

/// The message of the name of a function.
pub fn function_value(name: String) -> AttrValue {
    let attr = Default::default();
    value(AttrContent::Func(Box::new(NameAttrList { name, attr })))
}

/// The message of an attribute that is no graph.
///
/// # Errors
/// `Unimplemented` for objects of this process.
#[allow(clippy::cast_possible_truncation)]
pub fn message_of(attr: &Attr) -> Result<AttrValue> {
    let content = match attr {
        Attr::Bool(x) => AttrContent::B(*x),
        Attr::Int(x) => AttrContent::I(*x),
        Attr::Float(x) => AttrContent::F(*x as f32),
        Attr::Str(x) => AttrContent::S(x.to_vec()),
        Attr::DType(x) => return Ok(dtype_value(*x)),
        Attr::Shape(x) => AttrContent::Shape(shape_message(x)),
        Attr::Bools(x) => list(|l| l.b.clone_from(x)),
        Attr::Ints(x) => list(|l| l.i.clone_from(x)),
        Attr::Floats(x) => list(|l| l.f = x.iter().map(|x| *x as f32).collect()),
        Attr::Strs(x) => list(|l| l.s = x.iter().map(|x| x.to_vec()).collect()),
        Attr::DTypes(x) => return Ok(dtypes_value(x)),
        Attr::Shapes(x) => return Ok(shapes_value(x.iter().cloned())),
        Attr::Tensor(x) => AttrContent::Tensor(Box::new(TensorProto::of(x)?)),
        Attr::Graph(_) | Attr::Object(_) => {
            bail!(Unimplemented, "it holds an object of this process")
        }
    };
    Ok(value(content))
}

/// The floats of an attribute whose message, of fewer digits, is not all of it.
#[allow(clippy::cast_possible_truncation)]
pub fn exact_floats(attr: &Attr) -> Result<Option<AttrValue>> {
    let all = match attr {
        Attr::Float(x) => std::slice::from_ref(x),
        Attr::Floats(x) => x.as_slice(),
        _ => return Ok(None),
    };
    if all
        .iter()
        .all(|x| f64::from(*x as f32).to_bits() == x.to_bits())
    {
        return Ok(None);
    }
    let tensor = TensorProto::of(&Tensor::vector(all)?)?;
    Ok(Some(value(AttrContent::Tensor(Box::new(tensor)))))
}

/// The attribute of that kind that a message is; graphs come from elsewhere.
///
/// # Errors
/// `InvalidArgument` for a message of another kind.
pub fn attr_of(message: &AttrValue, kind: AttrKind) -> Result<Attr> {
    use AttrContent as C;
    let Some(content) = &message.value else {
        bail!(InvalidArgument, "it has no value");
    };
    Ok(match (kind, content) {
        (AttrKind::Bool, C::B(x)) => Attr::Bool(*x),
        (AttrKind::Int, C::I(x)) => Attr::Int(*x),
        (AttrKind::Float, C::F(x)) => Attr::Float(f64::from(*x)),
        (AttrKind::Float, C::Tensor(x)) => match exact(x)?[..] {
            [x] => Attr::Float(x),
            _ => bail!(InvalidArgument, "it is no single float"),
        },
        (AttrKind::Str, C::S(x)) => Attr::Str(Arc::from(&x[..])),
        (AttrKind::DType, C::Type(x)) => Attr::DType(dtype_of(*x)?),
        (AttrKind::Shape, C::Shape(x)) => Attr::Shape(partial_shape_of(x)),
        (AttrKind::Tensor, C::Tensor(x)) => Attr::Tensor(x.to_tensor()?),
        (AttrKind::Floats, C::Tensor(x)) => Attr::Floats(exact(x)?),
        (kind, C::List(l)) => list_of(l, kind)?,
        _ => bail!(InvalidArgument, "it is no {kind:?}"),
    })
}

fn exact(message: &TensorProto) -> Result<Vec<f64>> {
    Ok(message.to_tensor()?.as_slice::<f64>()?.to_vec())
}

fn list_of(l: &AttrList, kind: AttrKind) -> Result<Attr> {
    Ok(match kind {
        AttrKind::Bools => Attr::Bools(l.b.clone()),
        AttrKind::Ints => Attr::Ints(l.i.clone()),
        AttrKind::Floats => Attr::Floats(l.f.iter().map(|x| f64::from(*x)).collect()),
        AttrKind::Strs => Attr::Strs(l.s.iter().map(|x| Arc::from(&x[..])).collect()),
        AttrKind::DTypes => Attr::DTypes(
            l.r#type
                .iter()
                .map(|x| dtype_of(*x))
                .collect::<Result<_>>()?,
        ),
        AttrKind::Shapes => Attr::Shapes(l.shape.iter().map(partial_shape_of).collect()),
        _ => bail!(InvalidArgument, "it is a list, not a {kind:?}"),
    })
}

/// The attribute that a message is by itself: for types and counts that follow from inputs or outputs.
///
/// # Errors
/// For a dtype that is none here.
pub fn plain_attr(message: &AttrValue) -> Result<Option<Attr>> {
    Ok(match &message.value {
        Some(AttrContent::Type(x)) => Some(Attr::DType(dtype_of(*x)?)),
        Some(AttrContent::I(x)) => Some(Attr::Int(*x)),
        Some(AttrContent::List(l)) => Some(list_of(l, AttrKind::DTypes)?),
        _ => None,
    })
}

/// The attribute that a message is, of an operation whose declaration nobody has: an empty list is one of numbers.
///
/// # Errors
/// For a dtype that is none here.
pub fn any_attr(message: &AttrValue) -> Result<Option<Attr>> {
    use AttrContent as C;
    let kind = match &message.value {
        Some(C::B(_)) => AttrKind::Bool,
        Some(C::I(_)) => AttrKind::Int,
        Some(C::F(_)) => AttrKind::Float,
        Some(C::S(_)) => AttrKind::Str,
        Some(C::Type(_)) => AttrKind::DType,
        Some(C::Shape(_)) => AttrKind::Shape,
        Some(C::List(l)) if !l.r#type.is_empty() => AttrKind::DTypes,
        Some(C::List(l)) if !l.s.is_empty() => AttrKind::Strs,
        Some(C::List(l)) if !l.f.is_empty() => AttrKind::Floats,
        Some(C::List(l)) if !l.b.is_empty() => AttrKind::Bools,
        Some(C::List(l)) if !l.shape.is_empty() => AttrKind::Shapes,
        Some(C::List(_)) => AttrKind::Ints,
        _ => return Ok(None),
    };
    attr_of(message, kind).map(Some)
}
