//! Functions of scalars against the kernels, bit for bit, over the edges of each type.

use ferrograph_kernels::elementwise::{self as k, Binary, BinaryOp, CastTo, Unary, UnaryOp};
use ferrograph_machine::{Arg, Code, Inst, Op, Place, Program, Type};
use std::fmt::Debug;

/// A type of Rust as machine code has it.
trait Scalar: Copy + Debug + Default + Send + Sync + 'static {
    const TYPE: Type;
    fn edges() -> Vec<Self>;
    fn bits(self) -> u64;
    fn is_number(self) -> bool {
        true
    }
}

macro_rules! integers {
    ($($t:ident $name:ident;)*) => {$(
        impl Scalar for $t {
            const TYPE: Type = Type::$name;
            fn edges() -> Vec<$t> {
                let low = [0, 1, 2, 3, 5, 7, 8, 16, 100, 127];
                let high = [0, 1, 2, 7].map(|x| <$t>::MAX - x);
                let lowest = [0, 1, 2, 8].map(|x| <$t>::MIN + x);
                let negative = [1 as $t, 2, 3, 4, 9].map(|x| x.wrapping_neg());
                [&low[..], &high, &lowest, &negative].concat()
            }
            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}
integers! { i8 I8; i16 I16; i32 I32; i64 I64; u8 U8; u16 U16; u32 U32; u64 U64; }

macro_rules! floats {
    ($($t:ident $name:ident $quiet:expr, $marked:expr;)*) => {$(
        impl Scalar for $t {
            const TYPE: Type = Type::$name;
            fn edges() -> Vec<$t> {
                let around = [-129.5, -128.0, -3.5, -2.5, -1.5, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 255.5,
                    256.0, 65535.9, 65536.0, 2147483647.5, 2147483648.0, -2147483648.0, -2147483649.0, -2147483904.0,
                    4294967295.5, 4294967296.0, 9223372036854775808.0, -9223372036854775808.0, 1e19, 18446744073709551616.0,
                    -1e19, 1e30, 0.1, 1.0 / 3.0];
                let ends = [<$t>::MIN, <$t>::MAX, <$t>::MIN_POSITIVE, <$t>::EPSILON, <$t>::INFINITY, <$t>::NEG_INFINITY,
                    <$t>::from_bits(1), <$t>::from_bits($quiet), -<$t>::from_bits($quiet), <$t>::from_bits($marked)];
                [&around[..], &ends].concat()
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn is_number(self) -> bool {
                !self.is_nan()
            }
        }
    )*};
}
floats! { f32 F32 0x7fc0_0000, 0x7fc0_1234; f64 F64 0x7ff8_0000_0000_0000, 0x7ff8_0000_1234_5678; }

impl Scalar for bool {
    const TYPE: Type = Type::Bool;
    fn edges() -> Vec<bool> {
        vec![false, true]
    }
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

/// A program that sets one variable by a function of variables 0 and 1, which are behind pointers 0 and 1.
fn program(op: Op, on: Type, to: Type, args: [Arg; 3]) -> Program {
    let place = |pointer| Place { pointer, offset: 0 };
    Program {
        vars: vec![on, on, to],
        runs: vec![],
        loads: vec![(place(0), 0), (place(1), 1)],
        body: vec![Inst::Compute {
            op,
            on,
            to: 2,
            args,
        }],
        stores: vec![(Arg::Var(2), to, place(2))],
    }
}

fn run<T: Scalar, U: Scalar>(code: &Code, a: T, b: T) -> U {
    let (mut a, mut b, mut out) = (a, b, U::default());
    let pointers = [
        (&raw mut a).cast(),
        (&raw mut b).cast(),
        (&raw mut out).cast(),
    ];
    // SAFETY: the three pointers are to values of the types that the program names.
    let ended = unsafe { code.run(pointers.as_ptr(), &mut |_| true) };
    assert!(ended);
    out
}

const VARS: [Arg; 3] = [Arg::Var(0), Arg::Var(1), Arg::Bits(0)];

fn binary<T: Scalar, O: BinaryOp<T, Out = U>, U: Scalar>(op: Op, divides: bool) {
    let kernel = Binary::<T, U>::of::<O>();
    let code = Code::compile(&program(op, T::TYPE, U::TYPE, VARS)).unwrap();
    for b in T::edges() {
        let is_zero = b.bits() == 0;
        if divides && is_zero {
            continue; // kept from it
        }
        let args = [Arg::Var(0), Arg::Bits(b.bits()), Arg::Bits(0)];
        let by_constant = Code::compile(&program(op, T::TYPE, U::TYPE, args)).unwrap();
        for a in T::edges() {
            let mut wanted = [U::default()];
            kernel.run(&[a], &[b], &mut wanted);
            for code in [&code, &by_constant] {
                let found: U = run(code, a, b);
                let either = !(a.is_number() || b.is_number());
                if either && !(found.is_number() || wanted[0].is_number()) {
                    continue; // of two NaNs either may be the result
                }
                assert_eq!(
                    found.bits(),
                    wanted[0].bits(),
                    "{op:?} of {a:?} and {b:?}: {found:?}, not {wanted:?}"
                );
            }
        }
    }
}

fn unary<T: Scalar, O: UnaryOp<T, Out = U>, U: Scalar>(op: Op) {
    let kernel = Unary::<T, U>::of::<O>();
    let code = Code::compile(&program(op, T::TYPE, U::TYPE, VARS)).unwrap();
    for a in T::edges() {
        let mut wanted = [U::default()];
        kernel.run(&[a], &mut wanted);
        let found: U = run(&code, a, a);
        assert_eq!(
            found.bits(),
            wanted[0].bits(),
            "{op:?} of {a:?}: {found:?}, not {wanted:?}"
        );
    }
}

fn cast<T: Scalar + CastTo<U>, U: Scalar>() {
    let code = Code::compile(&program(Op::Cast, T::TYPE, U::TYPE, VARS)).unwrap();
    for a in T::edges() {
        let mut wanted = [U::default()];
        k::cast(&[a], &mut wanted);
        let found: U = run(&code, a, a);
        assert_eq!(
            found.bits(),
            wanted[0].bits(),
            "{a:?} as {:?}: {found:?}, not {wanted:?}",
            U::TYPE
        );
    }
}

macro_rules! binaries {
    ($divides:expr; $($t:ty)*; $ops:tt) => {$( binaries!(@ $divides; $t; $ops); )*};
    (@ $divides:expr; $t:ty; ($($op:ident)*)) => {$( binary::<$t, k::$op, $t>(Op::$op, $divides); )*};
}

macro_rules! comparisons {
    ($($t:ty)*; $ops:tt) => {$( comparisons!(@ $t; $ops); )*};
    (@ $t:ty; ($($op:ident)*)) => {$( binary::<$t, k::$op, bool>(Op::$op, false); )*};
}

macro_rules! unaries {
    ($($t:ty)*; $ops:tt) => {$( unaries!(@ $t; $ops); )*};
    (@ $t:ty; ($($op:ident)*)) => {$( unary::<$t, k::$op, $t>(Op::$op); )*};
}

#[test]
fn arithmetic() {
    binaries!(false; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; (Add Sub Mul Maximum Minimum SquaredDifference ReluGrad));
    binaries!(false; f32 f64; (Div FloorDiv TruncateDiv TanhGrad SigmoidGrad));
}

#[test]
fn division_of_integers() {
    binaries!(true; i8 i16 i32 i64 u8 u16 u32 u64; (Div FloorDiv FloorMod TruncateDiv TruncateMod));
}

#[test]
fn comparison() {
    comparisons!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; (Less LessEqual Greater GreaterEqual Equal NotEqual));
    comparisons!(bool; (Equal NotEqual));
}

#[test]
fn logic() {
    binary::<bool, k::LogicalAnd, bool>(Op::And, false);
    binary::<bool, k::LogicalOr, bool>(Op::Or, false);
    binary::<bool, k::LogicalXor, bool>(Op::Xor, false);
    unary::<bool, k::LogicalNot, bool>(Op::Not);
}

#[test]
fn bits_of_integers() {
    macro_rules! bits {
        ($($t:ty)*) => {$(
            binary::<$t, k::BitAnd, $t>(Op::And, false);
            binary::<$t, k::BitOr, $t>(Op::Or, false);
            binary::<$t, k::BitXor, $t>(Op::Xor, false);
            unary::<$t, k::Invert, $t>(Op::Not);
        )*};
    }
    bits!(i8 i16 i32 i64 u8 u16 u32 u64);
    binaries!(false; i8 i16 i32 i64 u8 u16 u32 u64; (ShiftLeft ShiftRight));
}

#[test]
fn functions_of_one_number() {
    unaries!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; (Relu6));
    unaries!(i8 i16 i32 i64 f32 f64; (Neg Abs Sign Square Relu));
    unaries!(u8 u16 u32 u64; (Abs Sign Square Relu));
    unaries!(f32 f64; (Sqrt Rsqrt Reciprocal Floor Ceil Round));
}

macro_rules! casts {
    ($($t:ty)*) => {$( casts!(@ $t; bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64); )*};
    (@ $t:ty; $($u:ty)*) => {$( cast::<$t, $u>(); )*};
}

#[test]
fn conversions() {
    casts!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
}
