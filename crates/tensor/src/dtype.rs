//! The element types.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use std::fmt;

macro_rules! dtypes {
    ($($variant:ident, $name:literal, $size:literal, $code:literal;)*) => {
        /// The type of a tensor's elements.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum DType { $(#[doc = $name] $variant),* }

        impl DType {
            /// Every dtype, in declaration order.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The public name, such as `float32`.
            pub const fn name(self) -> &'static str {
                match self { $(DType::$variant => $name),* }
            }

            /// Bytes an element takes in a dense buffer; 0 for strings, resources and variants, which are objects.
            pub const fn size(self) -> usize {
                match self { $(DType::$variant => $size),* }
            }

            /// The number of this dtype in the public GraphDef vocabulary (`DT_FLOAT` is 1).
            pub const fn graphdef_code(self) -> i32 {
                match self { $(DType::$variant => $code),* }
            }
        }
    };
}

dtypes! {
    Bool, "bool", 1, 10;
    Int8, "int8", 1, 6;
    Int16, "int16", 2, 5;
    Int32, "int32", 4, 3;
    Int64, "int64", 8, 9;
    UInt8, "uint8", 1, 4;
    UInt16, "uint16", 2, 17;
    UInt32, "uint32", 4, 22;
    UInt64, "uint64", 8, 23;
    Float16, "float16", 2, 19;
    BFloat16, "bfloat16", 2, 14;
    Float32, "float32", 4, 1;
    Float64, "float64", 8, 2;
    Complex64, "complex64", 8, 8;
    Complex128, "complex128", 16, 18;
    String, "string", 0, 7;
    Resource, "resource", 0, 20;
    Variant, "variant", 0, 21;
    Float8E5M2, "float8_e5m2", 1, 24;
    Float8E4M3FN, "float8_e4m3fn", 1, 25;
    Float8E4M3FNUZ, "float8_e4m3fnuz", 1, 26;
    Float8E4M3B11FNUZ, "float8_e4m3b11fnuz", 1, 27;
    Float8E5M2FNUZ, "float8_e5m2fnuz", 1, 28;
}

impl DType {
    /// The dtype of that public name; `half`, `double` and `complex` are not names of dtypes.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.iter().copied().find(|d| d.name() == name)
    }

    /// The dtype of that GraphDef number.
    pub fn from_graphdef_code(code: i32) -> Option<DType> {
        DType::ALL
            .iter()
            .copied()
            .find(|d| d.graphdef_code() == code)
    }

    /// The name as GraphDef's types spell it, in which messages of mixed dtypes are documented: `float` for float32.
    pub const fn type_name(self) -> &'static str {
        match self {
            DType::Float16 => "half",
            DType::Float32 => "float",
            DType::Float64 => "double",
            other => other.name(),
        }
    }

    /// Real floating point that is computed with. The floats of one byte are not: they are moved, and cast to others.
    pub const fn is_floating(self) -> bool {
        matches!(
            self,
            DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64
        )
    }

    /// Real floating point, floats of one byte among it.
    pub const fn takes_fractions(self) -> bool {
        self.is_floating() || self.float8().is_some()
    }

    /// Complex floating point.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::Complex64 | DType::Complex128)
    }

    /// A signed or unsigned integer; bool is none.
    pub const fn is_integer(self) -> bool {
        (self as u8) >= (DType::Int8 as u8) && (self as u8) <= (DType::UInt64 as u8)
    }

    /// An unsigned integer.
    pub const fn is_unsigned(self) -> bool {
        (self as u8) >= (DType::UInt8 as u8) && (self as u8) <= (DType::UInt64 as u8)
    }

    /// An integer, real or complex number.
    pub const fn is_numeric(self) -> bool {
        self.is_integer() || self.is_floating() || self.is_complex()
    }

    /// Whether gradients flow through values of this dtype.
    pub const fn is_differentiable(self) -> bool {
        self.is_floating() || self.is_complex()
    }

    /// Whether elements are plain bytes in a buffer.
    pub const fn is_dense(self) -> bool {
        self.size() != 0
    }

    /// The dtype of the Rust type by which elements are moved: floats of one byte have none of their own.
    pub const fn moved_as(self) -> DType {
        if self.float8().is_some() {
            DType::UInt8
        } else {
            self
        }
    }

    /// The dtype of the real part of a complex dtype; other dtypes give themselves.
    pub const fn real(self) -> DType {
        match self {
            DType::Complex64 => DType::Float32,
            DType::Complex128 => DType::Float64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of some dense dtype. Sealed: buffers are reinterpreted on the strength of it.
pub trait Element:
    sealed::Sealed + Copy + Send + Sync + fmt::Debug + PartialEq + Default + 'static
{
    /// The dtype whose elements have this type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($t:ty => $d:ident),*) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t { const DTYPE: DType = DType::$d; }
    )* };
}

elements! {
    bool => Bool, i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64,
    u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64,
    f16 => Float16, bf16 => BFloat16, f32 => Float32, f64 => Float64,
    Complex32 => Complex64, Complex64 => Complex128
}

/// Runs an expression with `$T` bound to the element type of a dtype out of one of the named sets.
/// Sets: `dense` (all with bytes but floats of one byte), `numeric`, `real` (no complex), `integer`, `signed` (numbers that can be negated),
/// `floating`, `inexact` (floating and complex). Other dtypes run the `else` arm.
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, dense, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Bool bool, Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64,
            Float16 $crate::f16, BFloat16 $crate::bf16, Float32 f32, Float64 f64,
            Complex64 $crate::Complex32, Complex128 $crate::Complex64)
    };
    ($dtype:expr, numeric, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64,
            Float16 $crate::f16, BFloat16 $crate::bf16, Float32 f32, Float64 f64,
            Complex64 $crate::Complex32, Complex128 $crate::Complex64)
    };
    ($dtype:expr, real, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64,
            Float16 $crate::f16, BFloat16 $crate::bf16, Float32 f32, Float64 f64)
    };
    ($dtype:expr, integer, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64)
    };
    ($dtype:expr, floating, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Float16 $crate::f16, BFloat16 $crate::bf16, Float32 f32, Float64 f64)
    };
    ($dtype:expr, inexact, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Float16 $crate::f16, BFloat16 $crate::bf16, Float32 f32, Float64 f64,
            Complex64 $crate::Complex32, Complex128 $crate::Complex64)
    };
    ($dtype:expr, signed, $T:ident => $body:expr, else => $other:expr) => {
        $crate::with_element!(@ $dtype, $T, $body, $other;
            Int8 i8, Int16 i16, Int32 i32, Int64 i64,
            Float16 $crate::f16, BFloat16 $crate::bf16, Float32 f32, Float64 f64,
            Complex64 $crate::Complex32, Complex128 $crate::Complex64)
    };
    (@ $dtype:expr, $T:ident, $body:expr, $other:expr; $($variant:ident $t:ty),*) => {
        match $dtype {
            $($crate::DType::$variant => { type $T = $t; $body })*
            #[allow(unreachable_patterns)]
            _ => $other,
        }
    };
}
