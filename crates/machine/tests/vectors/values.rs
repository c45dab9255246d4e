//! Arrays of numbers and bools, how they are drawn, and the kernels of all functions.

use ferrograph_kernels::elementwise::{self as k, Binary, BinaryOp, CastTo, Unary, UnaryOp};
use ferrograph_machine::Op;
use ferrograph_machine::vector::{Element, Float, Function};

/// Numbers that look random, from a seed.
pub struct Draws(pub u64);

impl Draws {
    pub fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16 ^ self.0 >> 40
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

pub trait Number:
    Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + CastTo<bool> + 'static
where
    bool: CastTo<Self>,
{
    const FLOAT: Float;
    fn edges() -> Vec<Self>;
    fn drawn(draws: &mut Draws) -> Self;
    fn bits(self) -> u64;
    fn kernels() -> Kernels<Self>;
    /// The kernels of functions that are more than a few instructions.
    fn functions() -> Vec<(Function, Unary<Self, Self>)>;
    fn is_number(self) -> bool;
    fn power(x: &[Self], exponent: f64, out: &mut [Self]);
}

/// The kernels of all functions.
pub struct Kernels<T: 'static> {
    pub unary: Vec<(Op, Unary<T, T>)>,
    pub binary: Vec<(Op, Binary<T, T>)>,
    pub comparisons: Vec<(Op, Binary<T, bool>)>,
    pub functions: Vec<(Function, Unary<T, T>)>,
}

macro_rules! numbers {
    ($($t:ident $float:ident, $($function:ident)*;)*) => {$(
        impl Number for $t {
            const FLOAT: Float = Float::$float;
            fn edges() -> Vec<$t> {
                let ends = [<$t>::MIN, <$t>::MAX, <$t>::MIN_POSITIVE, <$t>::EPSILON, <$t>::INFINITY, <$t>::NEG_INFINITY,
                    <$t>::NAN, -<$t>::NAN, <$t>::from_bits(1), -<$t>::from_bits(1), <$t>::from_bits(<$t>::NAN.to_bits() + 0x1234)];
                let around = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.0, 0.1, 1e-30, -1e30, 8388609.0, 4503599627370497.0];
                [&ends[..], &around].concat()
            }
            fn drawn(draws: &mut Draws) -> $t {
                match draws.below(4) {
                    0 => <$t>::from_bits(draws.next() as _),
                    1 => (draws.next() % 2001) as $t / 100.0 - 10.0,
                    2 => (draws.next() % 2001) as $t - 1000.0,
                    _ => { let edges = Self::edges(); edges[draws.below(edges.len())] }
                }
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn power(x: &[$t], exponent: f64, out: &mut [$t]) {
                Binary::of::<k::Pow>().run(x, &vec![exponent as $t; x.len()], out);
            }
            fn is_number(self) -> bool {
                !self.is_nan()
            }
            fn functions() -> Vec<(Function, Unary<$t, $t>)> {
                vec![$((Function::$function, one::<$t, k::$function>()),)*]
            }
            fn kernels() -> Kernels<$t> {
                Kernels {
                    unary: vec![
                        (Op::Neg, one::<$t, k::Neg>()), (Op::Abs, one::<$t, k::Abs>()), (Op::Sign, one::<$t, k::Sign>()),
                        (Op::Square, one::<$t, k::Square>()), (Op::Sqrt, one::<$t, k::Sqrt>()),
                        (Op::Rsqrt, one::<$t, k::Rsqrt>()), (Op::Reciprocal, one::<$t, k::Reciprocal>()),
                        (Op::Relu, one::<$t, k::Relu>()), (Op::Relu6, one::<$t, k::Relu6>()), (Op::Floor, one::<$t, k::Floor>()),
                        (Op::Ceil, one::<$t, k::Ceil>()), (Op::Round, one::<$t, k::Round>()),
                    ],
                    binary: vec![
                        (Op::Add, two::<$t, k::Add>()), (Op::Sub, two::<$t, k::Sub>()), (Op::Mul, two::<$t, k::Mul>()),
                        (Op::Div, two::<$t, k::Div>()), (Op::FloorDiv, two::<$t, k::FloorDiv>()),
                        (Op::TruncateDiv, two::<$t, k::TruncateDiv>()), (Op::Maximum, two::<$t, k::Maximum>()),
                        (Op::Minimum, two::<$t, k::Minimum>()),
                        (Op::SquaredDifference, two::<$t, k::SquaredDifference>()),
                        (Op::ReluGrad, two::<$t, k::ReluGrad>()), (Op::TanhGrad, two::<$t, k::TanhGrad>()),
                        (Op::SigmoidGrad, two::<$t, k::SigmoidGrad>()),
                    ],
                    comparisons: vec![
                        (Op::Less, asks::<$t, k::Less>()), (Op::LessEqual, asks::<$t, k::LessEqual>()),
                        (Op::Greater, asks::<$t, k::Greater>()), (Op::GreaterEqual, asks::<$t, k::GreaterEqual>()),
                        (Op::Equal, asks::<$t, k::Equal>()), (Op::NotEqual, asks::<$t, k::NotEqual>()),
                    ],
                    functions: Self::functions(),
                }
            }
        }
    )*};
}
numbers! {
    f32 F32, Exp Expm1 Log Log1p Tanh Sigmoid Softplus Erf Erfc;
    f64 F64, Exp Log Log1p Tanh Sigmoid;
}

fn one<T: Number, O: UnaryOp<T, Out = T>>() -> Unary<T, T>
where
    bool: CastTo<T>,
{
    Unary::of::<O>()
}

fn two<T: Number, O: BinaryOp<T, Out = T>>() -> Binary<T, T>
where
    bool: CastTo<T>,
{
    Binary::of::<O>()
}

fn asks<T: Number, O: BinaryOp<T, Out = bool>>() -> Binary<T, bool>
where
    bool: CastTo<T>,
{
    Binary::of::<O>()
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub enum Values<T> {
    Numbers(Vec<T>),
    Truths(Vec<bool>),
}

impl<T: Number> Values<T>
where
    bool: CastTo<T>,
{
    pub fn element(&self) -> Element {
        match self {
            Values::Numbers(_) => Element::Number,
            Values::Truths(_) => Element::Truth,
        }
    }

    pub fn numbers(&self) -> &[T] {
        match self {
            Values::Numbers(x) => x,
            Values::Truths(_) => panic!("these are truths"),
        }
    }

    pub fn truths(&self) -> &[bool] {
        match self {
            Values::Truths(x) => x,
            Values::Numbers(_) => panic!("these are numbers"),
        }
    }

    pub fn part(&self, from: usize, n: usize) -> Values<T> {
        match self {
            Values::Numbers(x) => Values::Numbers(x[from..from + n].to_vec()),
            Values::Truths(x) => Values::Truths(x[from..from + n].to_vec()),
        }
    }

    pub fn pointer(&mut self, at: usize) -> *mut u8 {
        match self {
            Values::Numbers(x) => x[at..].as_mut_ptr().cast(),
            Values::Truths(x) => x[at..].as_mut_ptr().cast(),
        }
    }

    /// The first place where these and others differ in their bits; two NaNs do not.
    pub fn difference(&self, other: &Values<T>) -> Option<usize> {
        match (self, other) {
            (Values::Numbers(a), Values::Numbers(b)) => {
                let same =
                    |(a, b): (&T, &T)| a.bits() == b.bits() || !a.is_number() && !b.is_number();
                a.iter().zip(b).position(|pair| !same(pair))
            }
            (Values::Truths(a), Values::Truths(b)) => a.iter().zip(b).position(|(a, b)| a != b),
            _ => Some(0),
        }
    }
}

impl<T> Values<T> {
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(x) => x.len(),
            Values::Truths(x) => x.len(),
        }
    }
}
