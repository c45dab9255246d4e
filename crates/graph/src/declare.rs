//! The macro that declares operations, and what it expands to.

use crate::{Attr, AttrReader, AttrValue, Attrs, Decl, Emitter, Op, OpRef, Val, Vals};
use ferrograph_tensor::{Result, err};

/// An operation with a declaration of its own: what [`declare!`](crate::declare) implements for each struct it makes.
pub trait Declared: Op + Sized {
    /// The declaration.
    const DECL: &'static Decl;

    /// The declaration under the name that it has where the graphs it holds have no effects.
    const PURE: Option<&'static Decl>;

    /// The operation with these attributes.
    ///
    /// # Errors
    /// `Type` where an attribute is missing or of another kind.
    fn from_attrs(attrs: &AttrReader<'_>) -> Result<Self>;

    /// Its attributes.
    fn to_attrs(&self) -> Attrs;
}

/// What typed emission gives: nothing, a value, several, or a list.
pub trait FromOutputs: Sized {
    /// The outputs of the operation of that name in this form.
    ///
    /// # Errors
    /// `Internal` where their number differs.
    fn from_outputs(outputs: Vals, name: &str) -> Result<Self>;
}

impl FromOutputs for () {
    fn from_outputs(_outputs: Vals, _name: &str) -> Result<()> {
        Ok(())
    }
}

impl FromOutputs for Vals {
    fn from_outputs(outputs: Vals, _name: &str) -> Result<Vals> {
        Ok(outputs)
    }
}

impl FromOutputs for Val {
    fn from_outputs(outputs: Vals, name: &str) -> Result<Val> {
        let first = outputs.into_iter().next();
        first.ok_or_else(|| err!(Internal, "operation {name} has no output"))
    }
}

impl<const N: usize> FromOutputs for [Val; N] {
    fn from_outputs(outputs: Vals, name: &str) -> Result<[Val; N]> {
        let n = outputs.len();
        let all: Result<[Val; N], Vec<Val>> = outputs.into_vec().try_into();
        all.map_err(|_| err!(Internal, "operation {name} has {n} outputs, expected {N}"))
    }
}

/// Emits an operation and gives its outputs in the form that is asked for.
///
/// # Errors
/// Those of emitting it.
pub fn emit_as<T: FromOutputs, E: Emitter + ?Sized>(
    emitter: &mut E,
    op: OpRef,
    inputs: &[Val],
) -> Result<T> {
    let name = op.name();
    T::from_outputs(emitter.emit(op, inputs)?, name)
}

/// Declares the operations of a family: of each its documentation, public name, inputs, outputs, gradient decision,
/// effect and attributes.
///
/// ```ignore
/// declare! {
///     trait EmitCreate;
///
///     /// Vectors of `depth` along a new axis that hold `on_value` at the index and `off_value` elsewhere.
///     OneHot as "one_hot": one_hot(indices: TI in label, depth: Tdepth in index, on_value: T, off_value: T)
///         -> (output: T), gradient Stops {
///         /// Where the new axis lies in the output; -1 for last.
///         axis: i64 = -1,
///     };
/// }
/// ```
///
/// An input or output is of a fixed dtype (`bool`, `int32`, …, `variant`), of a type attribute (`T`, with `in` a set out
/// of [`sets`](crate::sets)), of a dtype of its own (`_ in` a set), a list of one dtype `[T; N]` or of several `[Tin]`; an input
/// that must have one rank says so last (`rank 1`). Where all outputs have a known rank (`rank 0`), the shape of an input
/// (`like x`), or are handles, that is their inference. `as` gives nodes another name; an
/// attribute's `as` gives it a public name that is no Rust identifier or differs from the field, or the names of the two
/// attributes that tell it together (see [`AttrField`](crate::AttrField)). `is` gives an operation a name that differs
/// from the struct; `batch` says how it runs for many rows at once ([`Batching`](crate::Batching), a loop by
/// default); `pure` is the name of one that holds graphs where these have no effects.
///
/// For each operation this makes the struct, whose fields are the attributes, and its [`Declared`]; for the family a
/// trait with a typed method each that emits it, implemented for every [`Emitter`]; and `register`, which adds them all
/// to a registry. What is left to write is `impl Op` with [`declared!`](crate::declared) in it.
#[macro_export]
macro_rules! declare {
    (
        trait $emits:ident;
        $(
            $(#[doc = $doc:literal])*
            $op:ident $(is $name:literal)? $(as $node:literal)? : $method:ident (
                $($input:ident : $kind:tt $(in $set:ident)? $(rank $rank:literal)?),* $(,)?
            ) -> ( $($output:ident : $okind:tt $(in $oset:ident)? $(rank $orank:literal)? $(like $like:ident)?),* $(,)? ),
            gradient $gradient:ident $(, effect $effect:ident)? $(, pure $pure:literal)? $(, identity $identity:ident)?
            $(, batch $batch:ident $(($n:literal))?)?
            $({ $(
                $(#[doc = $adoc:literal])*
                $attr:ident $(as $public:literal)? $(as ($first:literal, $second:literal))?
                    : $type:ty $(= $default:expr)?
            ),* $(,)? })? ;
        )*
    ) => {
        $(
            $crate::declare! { @struct [$(#[doc = $doc])*] $op
                $({ $( $(#[doc = $adoc])* pub $attr: $type, )* })?
            }

            impl $crate::Declared for $op {
                const DECL: &'static $crate::Decl = &$crate::Decl {
                    name: $crate::declare!(@or $($name,)? stringify!($op)),
                    node_name: $crate::declare!(@or $($node,)? $($name,)? stringify!($op)),
                    doc: concat!($($doc, "\n"),*),
                    inputs: &[$(
                        $crate::Port::new(stringify!($input), $crate::port_kind!($kind $(in $set)?))
                            $(.of_rank($rank))?
                    ),*],
                    outputs: &[$(
                        $crate::Port::new(stringify!($output), $crate::port_kind!($okind $(in $oset)?))
                            $(.of_rank($orank))?
                            $(.shaped_like(stringify!($like)))?
                    ),*],
                    attrs: &[$($(
                        $crate::AttrDecl {
                            name: $crate::declare!(@or $($public,)? $($first,)? stringify!($attr)),
                            kind: <$type as $crate::AttrField>::KINDS[0],
                            default: $crate::declare!(@default $type $(= $default)?),
                        },
                        $($crate::AttrDecl {
                            name: $second,
                            kind: <$type as $crate::AttrField>::KINDS[1],
                            default: None,
                        },)?
                    )*)?],
                    effect: $crate::declare!(@effect $($effect)?),
                    gradient: $crate::Differentiability::$gradient,
                    identity: $crate::declare!(@identity $($identity)?),
                    batch: $crate::declare!(@batch $($batch $(($n))?)?),
                };

                const PURE: Option<&'static $crate::Decl> =
                    $crate::declare!(@pure [$($node)?] $($pure)?);

                fn from_attrs(
                    attrs: &$crate::AttrReader<'_>,
                ) -> ::ferrograph_tensor::Result<Self> {
                    let _ = attrs;
                    Ok($op { $($(
                        $attr: <$type as $crate::AttrField>::read_field(
                            attrs,
                            &$crate::declare!(@names $attr $($public)? $($first, $second)?),
                            $crate::declare!(@value $(= $default)?),
                        )?,
                    )*)? })
                }

                fn to_attrs(&self) -> $crate::Attrs {
                    let attrs = $crate::Attrs::new();
                    $($(let attrs = $crate::AttrField::write(
                        &self.$attr,
                        attrs,
                        &$crate::declare!(@names $attr $($public)? $($first, $second)?),
                    );)*)?
                    attrs
                }
            }
        )*

        /// Typed emission of the operations of this family.
        pub trait $emits: $crate::Emitter {
            $(
                $(#[doc = $doc])*
                #[allow(clippy::too_many_arguments)]
                fn $method(
                    &mut self,
                    $($input: $crate::port_value!($kind),)*
                    $($($attr: $type,)*)?
                ) -> ::ferrograph_tensor::Result<$crate::port_values!($($okind)*)> {
                    #[allow(unused_mut)]
                    let mut inputs = $crate::Vals::new();
                    $($crate::push_port!(inputs, $input, $kind);)*
                    let op = ::std::sync::Arc::new($op { $($($attr),*)? });
                    $crate::emit_as(self, op, &inputs)
                }
            )*
        }

        impl<E: $crate::Emitter + ?Sized> $emits for E {}

        /// Adds the operations of this family.
        pub(crate) fn register(registry: &mut $crate::Registry) {
            $(registry.declare::<$op>();)*
        }
    };

    (@struct [$($doc:tt)*] $op:ident { $($fields:tt)* }) => {
        $($doc)*
        #[derive(Clone, Debug)]
        pub struct $op { $($fields)* }
    };
    (@struct [$($doc:tt)*] $op:ident) => {
        $($doc)*
        #[derive(Clone, Debug)]
        pub struct $op;
    };
    (@pure [$($node:literal)?]) => { None };
    (@pure [$($node:literal)?] $pure:literal) => {
        Some(&$crate::Decl {
            name: $pure,
            node_name: $crate::declare!(@or $($node,)? $pure),
            effect: $crate::Effect::Pure,
            ..*Self::DECL
        })
    };
    (@or $first:expr $(, $rest:expr)*) => { $first };
    (@names $attr:ident) => { [stringify!($attr)] };
    (@names $attr:ident $public:literal) => { [$public] };
    (@names $attr:ident $first:literal, $second:literal) => { [$first, $second] };
    (@default $type:ty = $default:expr) => {
        Some(|| {
            let default: $type = $default;
            $crate::declared_default(&default)
        })
    };
    (@default $type:ty) => { None };
    (@value = $default:expr) => { Some($default) };
    (@value) => { None };
    (@effect $effect:ident) => { $crate::Effect::$effect };
    (@effect) => { $crate::Effect::Pure };
    (@identity $identity:ident) => { $crate::AlgebraicIdentity::$identity };
    (@identity) => { $crate::AlgebraicIdentity::None };
    (@batch $batch:ident ($n:literal)) => { $crate::Batching::$batch($n) };
    (@batch $batch:ident) => { $crate::Batching::$batch };
    (@batch) => { $crate::Batching::Loop };
}

/// The [`Kind`](crate::Kind) that a declaration spells.
#[macro_export]
macro_rules! port_kind {
    (bool) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::Bool)
    };
    (int32) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::Int32)
    };
    (int64) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::Int64)
    };
    (uint8) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::UInt8)
    };
    (uint64) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::UInt64)
    };
    (float32) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::Float32)
    };
    (string) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::String)
    };
    (resource) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::Resource)
    };
    (variant) => {
        $crate::Kind::Is(::ferrograph_tensor::DType::Variant)
    };
    ([string; $count:ident]) => {
        $crate::Kind::Copies(::ferrograph_tensor::DType::String, stringify!($count))
    };
    ([int64; $count:ident]) => {
        $crate::Kind::Copies(::ferrograph_tensor::DType::Int64, stringify!($count))
    };
    ([variant; $count:ident]) => {
        $crate::Kind::Copies(::ferrograph_tensor::DType::Variant, stringify!($count))
    };
    ([$var:ident; $count:ident]) => {
        $crate::Kind::List(stringify!($var), $crate::sets::any, stringify!($count))
    };
    ([$var:ident; $count:ident] in $set:ident) => {
        $crate::Kind::List(stringify!($var), $crate::sets::$set, stringify!($count))
    };
    ([$vars:ident]) => {
        $crate::Kind::Each(stringify!($vars))
    };
    (_ in $set:ident) => {
        $crate::Kind::Of($crate::sets::$set)
    };
    ($var:ident in $set:ident) => {
        $crate::Kind::Var(stringify!($var), $crate::sets::$set)
    };
    ($var:ident) => {
        $crate::Kind::Var(stringify!($var), $crate::sets::any)
    };
}

/// The type of an argument of typed emission.
#[macro_export]
#[doc(hidden)]
macro_rules! port_value {
    ([$($list:tt)*]) => {
        &[$crate::Val]
    };
    ($kind:tt) => {
        &$crate::Val
    };
}

/// The type of the result of typed emission.
#[macro_export]
#[doc(hidden)]
macro_rules! port_values {
    () => {
        ()
    };
    ([$($list:tt)*]) => {
        $crate::Vals
    };
    ($one:ident) => {
        $crate::Val
    };
    ($one:ident $two:ident) => {
        [$crate::Val; 2]
    };
    ($one:ident $two:ident $three:ident) => {
        [$crate::Val; 3]
    };
    ($($more:tt)*) => {
        $crate::Vals
    };
}

/// Adds an argument of typed emission to the inputs.
#[macro_export]
#[doc(hidden)]
macro_rules! push_port {
    ($inputs:ident, $value:ident, [$($list:tt)*]) => {
        $inputs.extend($value.iter().cloned())
    };
    ($inputs:ident, $value:ident, $kind:tt) => {
        $inputs.push($value.clone())
    };
}

/// The part of `impl Op` that follows from the declaration.
#[macro_export]
macro_rules! declared {
    () => {
        fn decl(&self) -> &'static $crate::Decl {
            <Self as $crate::Declared>::DECL
        }
        fn attrs(&self) -> $crate::Attrs {
            $crate::Declared::to_attrs(self)
        }
        $crate::op_object!();
    };
}

/// As [`declared!`](crate::declared), for an operation that holds graphs and has a name for such without effects.
#[macro_export]
macro_rules! declared_by_effect {
    () => {
        fn decl(&self) -> &'static $crate::Decl {
            match (<Self as $crate::Declared>::PURE, $crate::Op::effect(self)) {
                (Some(pure), $crate::Effect::Pure) => pure,
                _ => <Self as $crate::Declared>::DECL,
            }
        }
        fn attrs(&self) -> $crate::Attrs {
            $crate::Declared::to_attrs(self)
        }
        $crate::op_object!();
    };
}

/// The attribute that a default value is.
#[doc(hidden)]
pub fn declared_default<T: AttrValue>(value: &T) -> Option<Attr> {
    value.to_attr()
}
