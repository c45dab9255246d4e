//! How tables of operations are written: loops by dtype, rows, registration.

/// A function from dtype to the loops of a kernel type, for the dtypes of a set (see `with_element!`), with `bool`
/// besides where asked.
macro_rules! loops {
    ($family:ident, $op:ty, bool + $set:ident) => {
        |dtype| match dtype {
            ferrograph_tensor::DType::Bool => Some(const { &$family::<bool, _>::of::<$op>() }),
            other => crate::elementwise::families::loops!(@ $family, $op, $set, other),
        }
    };
    ($family:ident, $op:ty, bool) => {
        |dtype| match dtype {
            ferrograph_tensor::DType::Bool => Some(const { &$family::<bool, _>::of::<$op>() }),
            _ => None,
        }
    };
    ($family:ident, $op:ty, f32_f64) => {
        |dtype| match dtype {
            ferrograph_tensor::DType::Float32 => Some(const { &$family::<f32, _>::of::<$op>() }),
            ferrograph_tensor::DType::Float64 => Some(const { &$family::<f64, _>::of::<$op>() }),
            _ => None,
        }
    };
    ($family:ident, $op:ty, complex) => {
        |dtype| match dtype {
            ferrograph_tensor::DType::Complex64 =>
                Some(const { &$family::<ferrograph_tensor::Complex32, _>::of::<$op>() }),
            ferrograph_tensor::DType::Complex128 =>
                Some(const { &$family::<ferrograph_tensor::Complex64, _>::of::<$op>() }),
            _ => None,
        }
    };
    ($family:ident, $op:ty, $set:ident) => {
        |dtype| crate::elementwise::families::loops!(@ $family, $op, $set, dtype)
    };
    (@ $family:ident, $op:ty, $set:ident, $dtype:expr) => {
        ferrograph_tensor::with_element!($dtype, $set, T => Some(const { &$family::<T, _>::of::<$op>() }),
            else => None)
    };
}
pub(crate) use loops;

/// Declares operations of a family as statics, a trait that emits them, and `register`, which adds them all. Attributes
/// that all of them have stand behind the inputs, each with its type and default.
macro_rules! table {
    (trait $emits:ident; $op:ident $inputs:tt: $($rest:tt)*) => {
        crate::elementwise::families::table! { trait $emits; $op $inputs {}: $($rest)* }
    };
    (
        trait $emits:ident; $op:ident $inputs:tt $attrs:tt: $def:ty;
        $($(#[doc = $doc:literal])* $name:ident: $method:ident = $value:expr;)*
    ) => {
        $(pub(crate) static $name: $def = $value.doc(concat!($($doc, "\n"),*));)*

        /// Typed emission of the operations of this family.
        pub trait $emits: ferrograph_graph::Emitter {
            $(crate::elementwise::families::table! {
                @method [$(#[doc = $doc])*] $op $name $method $inputs $attrs
            })*
        }

        impl<E: ferrograph_graph::Emitter + ?Sized> $emits for E {}

        pub(crate) fn register(r: &mut ferrograph_graph::Registry) {
            $(crate::elementwise::families::table! { @register r $op $name $attrs })*
        }
    };
    (@register $r:ident $op:ident $name:ident { $($attr:ident: $type:ty = $default:expr),* }) => {
        $r.row(&$name.decl, |attrs| {
            let _ = attrs;
            Ok(std::sync::Arc::new($op {
                def: &$name,
                $($attr: attrs.get::<$type>(stringify!($attr), Some($default))?,)*
            }))
        });
    };
    (
        @method [$($doc:tt)*] $op:ident $name:ident $method:ident ($($input:ident),*)
        { $($attr:ident: $type:ty = $default:expr),* }
    ) => {
        $($doc)*
        fn $method(
            &mut self,
            $($input: &ferrograph_graph::Val,)*
            $($attr: $type,)*
        ) -> ferrograph_tensor::Result<ferrograph_graph::Val> {
            let op = std::sync::Arc::new($op { def: &$name, $($attr,)* });
            let inputs = [$($input.clone()),*];
            ferrograph_graph::emit_as(self, op, &inputs)
        }
    };
}
pub(crate) use table;
