//! Rust types that are values of attributes.

use crate::{Attr, AttrReader, Graph};
use ferrograph_tensor::{DType, Object, PartialShape, Result, Tensor, err};
use std::sync::Arc;

/// What kind of value an attribute holds.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttrKind {
    Bool,
    Int,
    Float,
    Str,
    DType,
    Shape,
    Bools,
    Ints,
    Floats,
    Strs,
    DTypes,
    Shapes,
    Tensor,
    Graph,
    Object,
}

/// A type that a field of an operation may have.
pub trait AttrValue: Sized {
    /// What kind of attribute it is.
    const KIND: AttrKind;

    /// The attribute; `None` where it is left out.
    fn to_attr(&self) -> Option<Attr>;

    /// The value of the attribute of that name, which must be there.
    ///
    /// # Errors
    /// `Type` where it is missing or of another kind.
    fn read(reader: &AttrReader<'_>, name: &str) -> Result<Self>;

    /// The value where the attribute is missing, if it need not be given.
    fn absent() -> Option<Self> {
        None
    }
}

macro_rules! attr_values {
    ($($t:ty, $kind:ident, $read:ident, |$x:ident| $attr:expr;)*) => { $(
        impl AttrValue for $t {
            const KIND: AttrKind = AttrKind::$kind;
            fn to_attr(&self) -> Option<Attr> {
                let $x = self;
                Some($attr)
            }
            fn read(reader: &AttrReader<'_>, name: &str) -> Result<$t> {
                reader.$read(name)
            }
        }
    )* };
}

attr_values! {
    bool, Bool, bool, |x| Attr::Bool(*x);
    i64, Int, int, |x| Attr::Int(*x);
    f64, Float, float, |x| Attr::Float(*x);
    String, Str, str, |x| Attr::str(x);
    Arc<[u8]>, Str, bytes, |x| Attr::Str(x.clone());
    DType, DType, dtype, |x| Attr::DType(*x);
    PartialShape, Shape, shape, |x| Attr::Shape(x.clone());
    Vec<i64>, Ints, ints, |x| Attr::Ints(x.clone());
    Vec<bool>, Bools, bools, |x| Attr::Bools(x.clone());
    Vec<f64>, Floats, floats, |x| Attr::Floats(x.clone());
    Vec<Arc<[u8]>>, Strs, strs, |x| Attr::Strs(x.clone());
    Vec<DType>, DTypes, dtypes, |x| Attr::DTypes(x.clone());
    Vec<PartialShape>, Shapes, shapes, |x| Attr::Shapes(x.clone());
    Tensor, Tensor, tensor, |x| Attr::Tensor(x.clone());
    Arc<Graph>, Graph, graph, |x| Attr::Graph(x.clone());
    Arc<dyn Object>, Object, object, |x| Attr::Object(x.clone());
}

impl AttrValue for usize {
    const KIND: AttrKind = AttrKind::Int;
    fn to_attr(&self) -> Option<Attr> {
        Some(Attr::Int(i64::try_from(*self).unwrap_or(i64::MAX)))
    }
    fn read(reader: &AttrReader<'_>, name: &str) -> Result<usize> {
        let n = reader.int(name)?;
        usize::try_from(n).map_err(|_| err!(Value, "{name} must not be negative, got {n}"))
    }
}

impl<T: AttrValue> AttrValue for Option<T> {
    const KIND: AttrKind = T::KIND;
    fn to_attr(&self) -> Option<Attr> {
        self.as_ref().and_then(AttrValue::to_attr)
    }
    fn read(reader: &AttrReader<'_>, name: &str) -> Result<Option<T>> {
        T::read(reader, name).map(Some)
    }
    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

impl AttrReader<'_> {
    /// The value of the attribute of that name, or the default, or what the type says for a missing one.
    ///
    /// # Errors
    /// `Type` where it is of another kind, or missing without a default.
    pub fn get<T: AttrValue>(&self, name: &str, default: Option<T>) -> Result<T> {
        match (self.find(name), default.or_else(T::absent)) {
            (None, Some(default)) => Ok(default),
            _ => T::read(self, name),
        }
    }
}
