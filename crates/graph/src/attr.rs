//! Attributes: what of an operation is fixed when its node is made.

use crate::Graph;
use ferrograph_tensor::{DType, Object, PartialShape, Result, Tensor, err};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// The value of an attribute.
#[derive(Clone)]
pub enum Attr {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text or bytes.
    Str(Arc<[u8]>),
    /// A dtype.
    DType(DType),
    /// A partial shape.
    Shape(PartialShape),
    /// Truth values.
    Bools(Vec<bool>),
    /// Integers.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Texts or bytes.
    Strs(Vec<Arc<[u8]>>),
    /// Dtypes.
    DTypes(Vec<DType>),
    /// Partial shapes.
    Shapes(Vec<PartialShape>),
    /// A constant.
    Tensor(Tensor),
    /// A region: the body of a loop, a branch, a called function.
    Graph(Arc<Graph>),
    /// Something of the host language, such as a callback.
    Object(Arc<dyn Object>),
}

impl Attr {
    /// An attribute of text.
    pub fn str(text: &str) -> Attr {
        Attr::Str(Arc::from(text.as_bytes()))
    }

    /// Whether this is a list without items, which in many host languages does not tell of what it is one.
    pub fn is_empty_list(&self) -> bool {
        match self {
            Attr::Bools(x) => x.is_empty(),
            Attr::Ints(x) => x.is_empty(),
            Attr::Floats(x) => x.is_empty(),
            Attr::Strs(x) => x.is_empty(),
            Attr::DTypes(x) => x.is_empty(),
            Attr::Shapes(x) => x.is_empty(),
            _ => false,
        }
    }
}

impl fmt::Debug for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Bool(x) => write!(f, "{x}"),
            Attr::Int(x) => write!(f, "{x}"),
            Attr::Float(x) => write!(f, "{x:?}"),
            Attr::Str(x) => write!(f, "{:?}", String::from_utf8_lossy(x)),
            Attr::DType(x) => write!(f, "{x}"),
            Attr::Shape(x) => write!(f, "{x}"),
            Attr::Bools(x) => write!(f, "{x:?}"),
            Attr::Ints(x) => write!(f, "{x:?}"),
            Attr::Floats(x) => write!(f, "{x:?}"),
            Attr::Strs(x) => f
                .debug_list()
                .entries(x.iter().map(|x| String::from_utf8_lossy(x)))
                .finish(),
            Attr::DTypes(x) => write!(f, "{x:?}"),
            Attr::Shapes(x) => write!(f, "{x:?}"),
            Attr::Tensor(x) => write!(f, "{x:?}"),
            Attr::Graph(x) => write!(f, "@{}", x.name),
            Attr::Object(x) => write!(f, "{x:?}"),
        }
    }
}

/// Attributes in the operation's own order.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Attrs(SmallVec<[(&'static str, Attr); 4]>);

impl Attrs {
    /// No attributes.
    pub fn new() -> Attrs {
        Attrs::default()
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: Attr) -> Attrs {
        self.0.push((name, value));
        self
    }

    /// With the attribute that a value is, unless it is left out.
    #[must_use]
    pub fn with_value(self, name: &'static str, value: &impl crate::AttrValue) -> Attrs {
        match value.to_attr() {
            Some(attr) => self.with(name, attr),
            None => self,
        }
    }

    /// Name and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Attr)> {
        self.0.iter().map(|(n, a)| (*n, a))
    }

    /// The attribute of that name.
    pub fn get(&self, name: &str) -> Option<&Attr> {
        self.iter().find(|(n, _)| *n == name).map(|(_, a)| a)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the attributes an operation is made from, with errors that name operation and attribute.
pub struct AttrReader<'a> {
    op: &'a str,
    attrs: &'a [(String, Attr)],
}

macro_rules! list_getters {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $t:ty;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, attr: &str) -> Result<Vec<$t>> {
            match self.find(attr) {
                Some(Attr::$variant(x)) => Ok(x.clone()),
                Some(list) if list.is_empty_list() => Ok(Vec::new()),
                found => Err(self.wrong(attr, stringify!($variant), found)),
            }
        }
    )* };
}

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $t:ty;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, attr: &str) -> Result<$t> {
            match self.find(attr) {
                Some(Attr::$variant(x)) => Ok(x.clone()),
                found => Err(self.wrong(attr, stringify!($variant), found)),
            }
        }
    )* };
}

impl<'a> AttrReader<'a> {
    /// A reader of these attributes of that operation.
    pub fn new(op: &'a str, attrs: &'a [(String, Attr)]) -> AttrReader<'a> {
        AttrReader { op, attrs }
    }

    /// The attribute of that name, of any type.
    pub fn find(&self, attr: &str) -> Option<&'a Attr> {
        self.attrs.iter().find(|(n, _)| n == attr).map(|(_, a)| a)
    }

    fn wrong(&self, attr: &str, expected: &str, found: Option<&Attr>) -> ferrograph_tensor::Error {
        match found {
            Some(found) => err!(
                Type,
                "{}: attribute {attr} must be {expected}, got {found:?}",
                self.op
            ),
            None => err!(
                Type,
                "{}: attribute {attr} ({expected}) is missing",
                self.op
            ),
        }
    }

    getters! {
        /// A truth value.
        bool, Bool, bool;
        /// An integer.
        int, Int, i64;
        /// Bytes.
        bytes, Str, Arc<[u8]>;
        /// A dtype.
        dtype, DType, DType;
        /// A partial shape.
        shape, Shape, PartialShape;
        /// A constant.
        tensor, Tensor, Tensor;
        /// A region.
        graph, Graph, Arc<Graph>;
        /// A host object.
        object, Object, Arc<dyn Object>;
    }

    list_getters! {
        /// Truth values; here and below an empty list of any kind is taken.
        bools, Bools, bool;
        /// Integers.
        ints, Ints, i64;
        /// Byte strings.
        strs, Strs, Arc<[u8]>;
        /// Dtypes.
        dtypes, DTypes, DType;
        /// Partial shapes.
        shapes, Shapes, PartialShape;
    }

    /// Floats; integers are taken as such.
    pub fn floats(&self, attr: &str) -> Result<Vec<f64>> {
        match self.find(attr) {
            Some(Attr::Floats(x)) => Ok(x.clone()),
            #[allow(clippy::cast_precision_loss)]
            Some(Attr::Ints(x)) => Ok(x.iter().map(|&x| x as f64).collect()),
            Some(list) if list.is_empty_list() => Ok(Vec::new()),
            found => Err(self.wrong(attr, "Floats", found)),
        }
    }

    /// A float; an integer is taken as one.
    pub fn float(&self, attr: &str) -> Result<f64> {
        match self.find(attr) {
            Some(Attr::Float(x)) => Ok(*x),
            #[allow(clippy::cast_precision_loss)]
            Some(Attr::Int(x)) => Ok(*x as f64),
            found => Err(self.wrong(attr, "Float", found)),
        }
    }

    /// Text.
    pub fn str(&self, attr: &str) -> Result<String> {
        let bytes = self.bytes(attr)?;
        String::from_utf8(bytes.to_vec())
            .map_err(|_| err!(Value, "{}: attribute {attr} is not UTF-8", self.op))
    }

    /// A truth value, or `default` where it is missing.
    pub fn bool_or(&self, attr: &str, default: bool) -> Result<bool> {
        self.find(attr).map_or(Ok(default), |_| self.bool(attr))
    }

    /// An integer, or `default` where it is missing.
    pub fn int_or(&self, attr: &str, default: i64) -> Result<i64> {
        self.find(attr).map_or(Ok(default), |_| self.int(attr))
    }

    /// Text, or `default` where it is missing.
    pub fn str_or(&self, attr: &str, default: &str) -> Result<String> {
        self.find(attr)
            .map_or_else(|| Ok(default.to_owned()), |_| self.str(attr))
    }
}
