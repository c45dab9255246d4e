//! What is declared of an operation: its name, inputs, attributes, outputs, effect and gradient decision.
//!
//! A declaration is data that everybody may read: inference checks arity and dtypes by it, with errors that name the
//! argument; the registry makes operations by it; printing, GraphDef's type attributes and the documentation come from
//! it. [`declare!`](crate::declare) writes declarations; what an operation means beside them is its [`Op`](crate::Op).

use crate::{
    AlgebraicIdentity, Attr, AttrKind, Attrs, Batching, Differentiability, Effect, Inputs,
};
use ferrograph_tensor::{DType, Error, Result, bail, err};
use std::fmt;

/// A set of dtypes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DTypeSet {
    bits: u32,
    /// What its members are called, such as `an int32 or int64`.
    what: &'static str,
}

impl DTypeSet {
    /// The set of these dtypes, called `what` where another one is refused.
    pub const fn of(what: &'static str, dtypes: &[DType]) -> DTypeSet {
        let (mut bits, mut i) = (0, 0);
        while i < dtypes.len() {
            bits |= 1 << dtypes[i] as u32;
            i += 1;
        }
        DTypeSet { bits, what }
    }

    /// The dtypes of both, called `what`.
    pub const fn and(self, what: &'static str, other: DTypeSet) -> DTypeSet {
        let bits = self.bits | other.bits;
        DTypeSet { bits, what }
    }

    /// Whether it holds that dtype.
    pub const fn contains(self, dtype: DType) -> bool {
        self.bits & (1 << dtype as u32) != 0
    }

    /// Its dtypes in declaration order.
    pub fn iter(self) -> impl Iterator<Item = DType> {
        let all = DType::ALL.iter().copied();
        all.filter(move |dtype| self.contains(*dtype))
    }
}

impl fmt::Debug for DTypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The sets that declarations name.
#[allow(non_upper_case_globals, missing_docs)]
pub mod sets {
    use super::DTypeSet;
    use ferrograph_tensor::DType::*;

    pub const truth: DTypeSet = DTypeSet::of("a bool", &[Bool]);
    pub const integer: DTypeSet = DTypeSet::of(
        "an integer",
        &[Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64],
    );
    pub const floating: DTypeSet =
        DTypeSet::of("a floating point", &[Float16, BFloat16, Float32, Float64]);
    pub const complex: DTypeSet = DTypeSet::of("a complex", &[Complex64, Complex128]);
    const float8: DTypeSet = DTypeSet::of(
        "a float8",
        &[
            Float8E5M2,
            Float8E4M3FN,
            Float8E4M3FNUZ,
            Float8E4M3B11FNUZ,
            Float8E5M2FNUZ,
        ],
    );

    pub const inexact: DTypeSet = floating.and("a floating point or complex", complex);
    pub const real: DTypeSet = integer.and("an integer or floating point", floating);
    pub const ordered: DTypeSet = real.and("a bool, integer or floating point", truth);
    pub const numeric: DTypeSet = real.and("a numeric", complex);
    pub const summed: DTypeSet = numeric.and(
        "a numeric or variant",
        DTypeSet::of("a variant", &[Variant]),
    );
    pub const dense: DTypeSet = numeric.and("a bool or numeric", truth);
    pub const plain: DTypeSet = dense.and(
        "a bool, numeric or string",
        DTypeSet::of("a string", &[String]),
    );
    pub const stored: DTypeSet = plain.and("a bool, numeric, float8 or string", float8);
    pub const any: DTypeSet = stored.and("a", DTypeSet::of("a handle", &[Resource, Variant]));

    pub const index: DTypeSet = DTypeSet::of("an int32 or int64", &[Int32, Int64]);
    pub const seed: DTypeSet = DTypeSet::of("an int32 or int64", &[Int32, Int64, UInt32, UInt64]);
    pub const float_parts: DTypeSet = DTypeSet::of("a float32 or float64", &[Float32, Float64]);
    pub const field: DTypeSet = float_parts.and("a float32, float64 or complex", complex);
    pub const label: DTypeSet = DTypeSet::of(
        "a uint8, int8, int32 or int64",
        &[UInt8, Int8, Int32, Int64],
    );
}

/// What dtypes an input or output may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// That one.
    Is(DType),
    /// One of a set, whatever the others have; no attribute tells which.
    Of(DTypeSet),
    /// One of a set, the same for all inputs and outputs that name this type attribute.
    Var(&'static str, DTypeSet),
    /// Any number of values of one dtype: the attributes of that dtype, and of the number.
    List(&'static str, DTypeSet, &'static str),
    /// Any number of values of that dtype: the attribute of the number.
    Copies(DType, &'static str),
    /// Any number of values, each of a dtype of its own: the attribute that lists them.
    Each(&'static str),
}

impl Kind {
    /// Whether it represents any number of values.
    pub const fn is_list(&self) -> bool {
        matches!(self, Kind::List(..) | Kind::Copies(..) | Kind::Each(_))
    }
}

/// An input or output by its name.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Its public name.
    pub name: &'static str,
    /// What dtypes it may have.
    pub kind: Kind,
    /// The rank that an input must have, where there is but one; the rank that an output always has.
    pub rank: Option<usize>,
    /// The input whose shape an output has.
    pub like: Option<&'static str>,
}

impl Port {
    /// An input or output of that name and kind, of any rank.
    pub const fn new(name: &'static str, kind: Kind) -> Port {
        Port {
            name,
            kind,
            rank: None,
            like: None,
        }
    }

    /// The same of that rank only.
    #[must_use]
    pub const fn of_rank(self, rank: usize) -> Port {
        Port {
            rank: Some(rank),
            ..self
        }
    }

    /// The same, an output of the shape of that input.
    #[must_use]
    pub const fn shaped_like(self, input: &'static str) -> Port {
        Port {
            like: Some(input),
            ..self
        }
    }
}

/// An attribute.
#[derive(Clone, Copy, Debug)]
pub struct AttrDecl {
    /// Its public name.
    pub name: &'static str,
    /// What kind of value it holds.
    pub kind: AttrKind,
    /// Its value where none is given; without one it must be given, unless it is optional by its type.
    pub default: Option<fn() -> Option<Attr>>,
}

/// What is declared of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Decl {
    /// The name in the public GraphDef vocabulary, such as `AddV2`.
    pub name: &'static str,
    /// The name that nodes get by default.
    pub node_name: &'static str,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
    /// The inputs in order.
    pub inputs: &'static [Port],
    /// The outputs in order.
    pub outputs: &'static [Port],
    /// The attributes in order.
    pub attrs: &'static [AttrDecl],
    /// What running it does beyond computing.
    pub effect: Effect,
    /// Whether and how gradients flow.
    pub gradient: Differentiability,
    /// Its algebraic identity.
    pub identity: AlgebraicIdentity,
    /// How it runs for many rows at once.
    pub batch: Batching,
}

impl Decl {
    /// A pure operation of that name with these inputs and outputs and no attributes, through which no gradient flows.
    pub const fn new(
        name: &'static str,
        inputs: &'static [Port],
        outputs: &'static [Port],
    ) -> Decl {
        Decl {
            name,
            node_name: name,
            doc: "",
            inputs,
            outputs,
            attrs: &[],
            effect: Effect::Pure,
            gradient: Differentiability::Stops,
            identity: AlgebraicIdentity::None,
            batch: Batching::Loop,
        }
    }

    /// The inputs in front of the list among them and those behind it; all are in front where there is none.
    fn around_list(&self) -> (usize, Option<usize>) {
        match self.inputs.iter().position(|i| i.kind.is_list()) {
            Some(at) => (at, Some(self.inputs.len() - at - 1)),
            None => (self.inputs.len(), None),
        }
    }

    /// The declaration of input `i` of `n`.
    pub fn input(&self, i: usize, n: usize) -> &'static Port {
        match self.around_list() {
            (before, Some(after)) if i >= before && i + after >= n => {
                &self.inputs[self.inputs.len() + i - n]
            }
            (before, Some(_)) => &self.inputs[i.min(before)],
            (_, None) => &self.inputs[i],
        }
    }

    /// Checks the number of inputs.
    pub(crate) fn check_arity(&self, n: usize) -> Result<()> {
        if self.inputs.iter().filter(|i| i.kind.is_list()).count() > 1 {
            return Ok(());
        }
        match self.around_list() {
            (before, None) if n != before => bail!(Type, "expected {before} inputs, got {n}"),
            (before, Some(after)) if n < before + after => {
                bail!(Type, "expected {} inputs at least, got {n}", before + after)
            }
            _ => Ok(()),
        }
    }

    /// Checks number, dtypes and ranks of the inputs.
    ///
    /// # Errors
    /// `Type` for a wrong number of inputs, `DType` for a wrong dtype, `Shape` for a wrong rank, which name the argument.
    pub fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        let n = inputs.len();
        self.check_arity(n)?;
        for i in 0..n {
            let port = self.input(i, n);
            match port.kind {
                Kind::Is(dtype) | Kind::Copies(dtype, _) if inputs.dtype(i) != dtype => {
                    return Err(self.other_dtype(i, dtype, inputs.dtype(i)));
                }
                Kind::Of(set) | Kind::Var(_, set) | Kind::List(_, set, _)
                    if !set.contains(inputs.dtype(i)) =>
                {
                    bail!(
                        DType,
                        "{} must be {} tensor, got {}",
                        port.name,
                        set.what,
                        inputs.spec(i)
                    )
                }
                Kind::Var(..) | Kind::List(..) => self.check_same(inputs, i)?,
                Kind::Is(_) | Kind::Of(_) | Kind::Copies(..) | Kind::Each(_) => {}
            }
        }
        self.check_ranks(inputs)
    }

    /// Checks the ranks of inputs, as far as they are known.
    fn check_ranks(&self, inputs: &Inputs<'_>) -> Result<()> {
        if self.inputs.iter().all(|port| port.rank.is_none()) {
            return Ok(());
        }
        for i in 0..inputs.len() {
            let (port, shape) = (self.input(i, inputs.len()), inputs.shape(i));
            if let (Some(expected), Some(rank)) = (port.rank, shape.rank())
                && rank != expected
            {
                bail!(
                    Shape,
                    "{} must have rank {expected}, got shape {shape}",
                    port.name
                );
            }
        }
        Ok(())
    }

    /// Checks that attributes are declared, or say the dtype of an input or output or the length of a list, and holds
    /// dtypes of inputs and outputs against the sets that they are declared with.
    ///
    /// # Errors
    /// `Type` for another attribute, `DType` for another dtype, which name the attribute.
    pub fn check_attrs(&self, attrs: &[(String, Attr)]) -> Result<()> {
        for (name, attr) in attrs {
            if !self.has_attr(name) {
                bail!(Type, "{} has no attribute {name}", self.name);
            }
            if let Attr::DType(dtype) = attr
                && let Some(set) = self.type_set(name)
                && !set.contains(*dtype)
            {
                bail!(DType, "{name} must be {} dtype, got {dtype}", set.what);
            }
        }
        Ok(())
    }

    /// Whether there is an attribute of that name, one that follows from inputs or outputs included.
    fn has_attr(&self, attr: &str) -> bool {
        let mut ports = self.inputs.iter().chain(self.outputs);
        self.attrs.iter().any(|a| a.name == attr)
            || ports.any(|port| match port.kind {
                Kind::Is(_) | Kind::Of(_) => false,
                Kind::Var(name, _) | Kind::Copies(_, name) | Kind::Each(name) => name == attr,
                Kind::List(name, _, count) => name == attr || count == attr,
            })
    }

    /// The dtypes that the type attribute of that name may be.
    fn type_set(&self, attr: &str) -> Option<DTypeSet> {
        let mut ports = self.inputs.iter().chain(self.outputs);
        ports.find_map(|port| match port.kind {
            Kind::Var(name, set) | Kind::List(name, set, _) if name == attr => Some(set),
            _ => None,
        })
    }

    /// Checks that input `i` has the dtype of the first one of its type attribute.
    fn check_same(&self, inputs: &Inputs<'_>, i: usize) -> Result<()> {
        match self.first_of_type(i, inputs.len()) {
            Some(j) if inputs.dtype(i) != inputs.dtype(j) => {
                Err(self.other_dtype(i, inputs.dtype(j), inputs.dtype(i)))
            }
            _ => Ok(()),
        }
    }

    fn other_dtype(&self, i: usize, expected: DType, found: DType) -> Error {
        err!(
            DType,
            "cannot compute {} as input #{i}(zero-based) was expected to be a {} tensor but is a {} tensor",
            self.name,
            expected.type_name(),
            found.type_name()
        )
    }

    /// GraphDef's attributes that follow from the inputs: their dtypes and the lengths of lists.
    pub fn type_attrs(&self, inputs: &[DType]) -> Attrs {
        let n = inputs.len();
        let lists = self.inputs.iter().filter(|p| p.kind.is_list()).count();
        let mut attrs = Attrs::new();
        if lists > 1 || self.check_arity(n).is_err() {
            return attrs;
        }
        let (before, after) = self.around_list();
        let listed = before..n - after.unwrap_or(0);
        for (at, port) in self.inputs.iter().enumerate() {
            let first = if at <= before {
                at
            } else {
                n + at - self.inputs.len()
            };
            match port.kind {
                Kind::Is(_) | Kind::Of(_) => {}
                Kind::Copies(_, count) => {
                    attrs = attrs.with(count, Attr::Int(listed.len() as i64));
                }
                Kind::Each(name) => {
                    let dtypes = inputs[listed.clone()].to_vec();
                    attrs = attrs.with(name, Attr::DTypes(dtypes));
                }
                Kind::Var(name, _) if attrs.get(name).is_none() => {
                    attrs = attrs.with(name, Attr::DType(inputs[first]));
                }
                Kind::List(name, _, count) => {
                    attrs = attrs.with(count, Attr::Int(listed.len() as i64));
                    if let (None, Some(dtype)) = (attrs.get(name), inputs.get(first)) {
                        attrs = attrs.with(name, Attr::DType(*dtype));
                    }
                }
                Kind::Var(..) => {}
            }
        }
        attrs
    }
}
