//! The macro that declares operations which share a struct.

/// Declares the operations of a struct that several names share: one signature, a row a name.
///
/// ```ignore
/// declare_family! {
///     trait EmitEquality;
///
///     /// Whether elements are equal, or are not.
///     Equality {
///         /// Asks for equality; else for its opposite.
///         equal: bool,
///     } (x: T, y: T) -> (z: bool) {
///         /// Refuses shapes that do not broadcast.
///         incompatible_shape_error: bool = true,
///     };
///
///     /// Whether elements are equal.
///     Equal: equal, gradient Stops { equal: true };
///     /// Whether elements differ.
///     NotEqual: not_equal, gradient Stops { equal: false };
/// }
/// ```
///
/// The struct has the fields that rows fix, the attributes, and `decl`, its row's declaration. Inputs, outputs and
/// attributes are written as in [`declare!`](crate::declare), and so is what else is made. What is left to write is
/// `impl Op` with [`of_family!`](crate::of_family) in it.
#[macro_export]
macro_rules! declare_family {
    (
        trait $emits:ident;
        $(#[doc = $doc:literal])*
        $op:ident { $($(#[doc = $fdoc:literal])* $fixed:ident : $ftype:ty),* $(,)? }
        $inputs:tt -> $outputs:tt $attrs:tt;
        $(
            $(#[doc = $rdoc:literal])*
            $name:ident $(as $node:literal)? : $method:ident,
            gradient $gradient:ident $(, effect $effect:ident)? $(, identity $identity:ident)?
            $(, batch $batch:ident $(($n:literal))?)? { $($values:tt)* };
        )*
    ) => {
        $crate::declare_family! { @struct [$(#[doc = $doc])*] $op
            [$($(#[doc = $fdoc])* pub(crate) $fixed: $ftype,)*] $attrs }

        impl $op {
            $(
                $(#[doc = $rdoc])*
                #[allow(non_upper_case_globals)]
                pub const $name: &'static $crate::Decl = &$crate::Decl {
                    name: stringify!($name),
                    node_name: $crate::declare!(@or $($node,)? stringify!($name)),
                    doc: concat!($($rdoc, "\n"),*),
                    inputs: $crate::declare_family!(@ports $inputs),
                    outputs: $crate::declare_family!(@ports $outputs),
                    attrs: $crate::declare_family!(@attrs $attrs),
                    effect: $crate::declare!(@effect $($effect)?),
                    gradient: $crate::Differentiability::$gradient,
                    identity: $crate::declare!(@identity $($identity)?),
                    batch: $crate::declare!(@batch $($batch $(($n))?)?),
                };
            )*
        }

        /// Typed emission of the operations of this family.
        pub trait $emits: $crate::Emitter {
            $($crate::declare_family! {
                @method [$(#[doc = $rdoc])*] $op $name $method $inputs $outputs $attrs { $($values)* }
            })*
        }

        impl<E: $crate::Emitter + ?Sized> $emits for E {}

        /// Adds the operations of this family.
        pub(crate) fn register(registry: &mut $crate::Registry) {
            $($crate::declare_family! { @register registry $op $name $attrs { $($values)* } })*
        }
    };

    (@struct [$($doc:tt)*] $op:ident [$($fixed:tt)*] { $(
        $(#[doc = $adoc:literal])*
        $attr:ident $(as $public:literal)? : $type:ty $(= $default:expr)?
    ),* $(,)? }) => {
        $($doc)*
        #[derive(Clone, Debug)]
        pub struct $op {
            /// What is declared of it.
            pub decl: &'static $crate::Decl,
            $($fixed)*
            $($(#[doc = $adoc])* pub $attr: $type,)*
        }

        impl $op {
            /// Its attributes.
            pub(crate) fn to_attrs(&self) -> $crate::Attrs {
                $crate::Attrs::new()
                    $(.with_value(
                        $crate::declare!(@or $($public,)? stringify!($attr)),
                        &self.$attr,
                    ))*
            }
        }
    };
    (@ports ($(
        $port:ident : $kind:tt $(in $set:ident)? $(rank $rank:literal)? $(like $like:ident)?
    ),* $(,)?)) => {
        &[$(
            $crate::Port::new(stringify!($port), $crate::port_kind!($kind $(in $set)?))
                $(.of_rank($rank))?
                $(.shaped_like(stringify!($like)))?
        ),*]
    };
    (@attrs { $(
        $(#[doc = $adoc:literal])*
        $attr:ident $(as $public:literal)? : $type:ty $(= $default:expr)?
    ),* $(,)? }) => {
        &[$($crate::AttrDecl {
            name: $crate::declare!(@or $($public,)? stringify!($attr)),
            kind: <$type as $crate::AttrValue>::KIND,
            default: $crate::declare!(@default $type $(= $default)?),
        }),*]
    };
    (@method [$($doc:tt)*] $op:ident $name:ident $method:ident
        ($($input:ident : $kind:tt $(in $set:ident)? $(rank $rank:literal)?),* $(,)?)
        ($(
            $output:ident : $okind:tt $(in $oset:ident)? $(rank $orank:literal)? $(like $like:ident)?
        ),* $(,)?)
        { $(
            $(#[doc = $adoc:literal])*
            $attr:ident $(as $public:literal)? : $type:ty $(= $default:expr)?
        ),* $(,)? }
        { $($values:tt)* }
    ) => {
        $($doc)*
        #[allow(clippy::too_many_arguments)]
        fn $method(
            &mut self,
            $($input: $crate::port_value!($kind),)*
            $($attr: $type,)*
        ) -> ::ferrograph_tensor::Result<$crate::port_values!($($okind)*)> {
            #[allow(unused_mut)]
            let mut inputs = $crate::Vals::new();
            $($crate::push_port!(inputs, $input, $kind);)*
            let op = ::std::sync::Arc::new($op { decl: $op::$name, $($attr,)* $($values)* });
            $crate::emit_as(self, op, &inputs)
        }
    };
    (@register $registry:ident $op:ident $name:ident
        { $(
            $(#[doc = $adoc:literal])*
            $attr:ident $(as $public:literal)? : $type:ty $(= $default:expr)?
        ),* $(,)? }
        { $($values:tt)* }
    ) => {
        $registry.row($op::$name, |attrs| {
            let _ = attrs;
            Ok(::std::sync::Arc::new($op {
                decl: $op::$name,
                $($attr: attrs.get::<$type>(
                    $crate::declare!(@or $($public,)? stringify!($attr)),
                    $crate::declare!(@value $(= $default)?),
                )?,)*
                $($values)*
            }))
        });
    };
}

/// The part of `impl Op` that follows from the declaration of a family.
#[macro_export]
macro_rules! of_family {
    () => {
        fn decl(&self) -> &'static $crate::Decl {
            self.decl
        }
        fn attrs(&self) -> $crate::Attrs {
            self.to_attrs()
        }
        $crate::op_object!();
    };
}
