//! Vector loops over integers against the kernels, bit for bit, over the edges and their pairs.

use ferrograph_kernels::elementwise::{self as k, Binary, BinaryOp, Unary, UnaryOp};
use ferrograph_machine::Op;
use ferrograph_machine::vector::{Element, Float, Inst, Loop, Program, Width};

/// Integers that vectors have.
trait Whole: Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    const FLOAT: Float;
    fn edges() -> Vec<Self>;
    fn wide(self) -> i64;
}

macro_rules! wholes {
    ($($t:ident $float:ident;)*) => {$(
        impl Whole for $t {
            const FLOAT: Float = Float::$float;
            fn edges() -> Vec<$t> {
                let low = [0, 1, 2, 3, 5, 6, 7, 8, 16, 31, 32, 63, 64, 97, 1000, 65_535, 65_536, 1 << 30];
                let high = [0, 1, 2, 7, 1000].map(|x| <$t>::MAX - x);
                let lowest = [0, 1, 2, 8, 999].map(|x| <$t>::MIN + x);
                let negative = low.map(|x: $t| x.wrapping_neg());
                [&low[..], &high, &lowest, &negative].concat()
            }
            fn wide(self) -> i64 {
                i64::from(self)
            }
        }
    )*};
}
wholes! { i32 F32; i64 F64; }

/// The values that a program makes of two arrays, of which it reads the elements; its last instruction says what.
fn made<T: Whole, U: Clone + Default>(insts: Vec<Inst>, a: &[T], b: &[T], out: Element) -> Vec<U> {
    let load = |pointer| Inst::Load {
        pointer,
        element: Element::Integer,
    };
    let mut all = vec![load(0), load(1)];
    all.extend(insts);
    let value = all.len() as u32 - 1;
    all.push(Inst::Store { pointer: 2, value });
    let program = Program {
        float: T::FLOAT,
        pointers: 3,
        insts: all,
        in_place: false,
    };
    let code = Loop::compile(&program, Width::Wide).unwrap_or_else(|e| panic!("{out:?}: {e:?}"));
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let mut results = vec![U::default(); a.len()];
    let mut frame = vec![0u8; code.frame_bytes()];
    let pointers = [
        a.as_mut_ptr().cast::<u8>(),
        b.as_mut_ptr().cast(),
        results.as_mut_ptr().cast(),
    ];
    // SAFETY: the three arrays have as many elements of the types that the program names.
    unsafe {
        code.prepare(frame.as_mut_ptr());
        code.run(&pointers, a.len(), frame.as_mut_ptr());
    }
    results
}

/// All pairs of edges.
fn pairs<T: Whole>() -> (Vec<T>, Vec<T>) {
    let edges = T::edges();
    let pairs = edges
        .iter()
        .flat_map(|&a| T::edges().into_iter().map(move |b| (a, b)));
    pairs.unzip()
}

fn two<
    T: Whole,
    O: BinaryOp<T, Out = U>,
    U: Copy + Clone + Default + PartialEq + std::fmt::Debug + Send,
>(
    op: Op,
    out: Element,
) {
    let (a, b) = pairs::<T>();
    let args = [0, 1, 0];
    let found: Vec<U> = made(vec![Inst::Compute { op, args }], &a, &b, out);
    let mut wanted = vec![U::default(); a.len()];
    Binary::<T, U>::of::<O>().run(&a, &b, &mut wanted);
    for (i, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        assert_eq!(found, wanted, "{op:?} of {:?} and {:?}", a[i], b[i]);
    }
}

fn one<T: Whole, O: UnaryOp<T, Out = T>>(op: Op) {
    let a = T::edges();
    let compute = Inst::Compute { op, args: [0; 3] };
    let found: Vec<T> = made(vec![compute], &a, &a, Element::Integer);
    let mut wanted = vec![T::default(); a.len()];
    Unary::<T, T>::of::<O>().run(&a, &mut wanted);
    assert_eq!(found, wanted, "{op:?} of {a:?}");
}

/// Division by each edge as a constant.
fn divided<T: Whole, O: BinaryOp<T, Out = T>>(op: Op, divides: impl Fn(i64) -> bool) {
    let a = T::edges();
    for by in T::edges().into_iter().filter(|by| divides(by.wide())) {
        let insts = vec![
            Inst::Constant { value: by.wide() },
            Inst::Compute {
                op,
                args: [0, 2, 0],
            },
        ];
        let found: Vec<T> = made(insts, &a, &a, Element::Integer);
        let mut wanted = vec![T::default(); a.len()];
        Binary::<T, T>::of::<O>().run(&a, &vec![by; a.len()], &mut wanted);
        assert_eq!(found, wanted, "{op:?} of {a:?} by {by:?}");
    }
}

macro_rules! all {
    ($t:ty; $($op:ident)*; $($ask:ident)*; $($unary:ident)*) => {{
        $(two::<$t, k::$op, $t>(Op::$op, Element::Integer);)*
        $(two::<$t, k::$ask, bool>(Op::$ask, Element::Truth);)*
        $(one::<$t, k::$unary>(Op::$unary);)*
        two::<$t, k::BitAnd, $t>(Op::And, Element::Integer);
        two::<$t, k::BitOr, $t>(Op::Or, Element::Integer);
        two::<$t, k::BitXor, $t>(Op::Xor, Element::Integer);
        one::<$t, k::Invert>(Op::Not);
    }};
}

#[test]
fn functions_of_integers() {
    if !Loop::is_supported() {
        return;
    }
    all!(i32; Add Sub Mul Maximum Minimum SquaredDifference ReluGrad ShiftLeft ShiftRight;
        Less LessEqual Greater GreaterEqual Equal NotEqual; Neg Abs Sign Square Relu Relu6);
    all!(i64; Add Sub Mul Maximum Minimum SquaredDifference ReluGrad ShiftLeft;
        Less LessEqual Greater GreaterEqual Equal NotEqual; Neg Square Relu Relu6);
}

#[test]
fn division_by_constants() {
    if !Loop::is_supported() {
        return;
    }
    let any = |by: i64| by != 0;
    divided::<i32, k::FloorDiv>(Op::FloorDiv, any);
    divided::<i32, k::FloorMod>(Op::FloorMod, any);
    divided::<i32, k::TruncateDiv>(Op::TruncateDiv, any);
    divided::<i32, k::TruncateMod>(Op::TruncateMod, any);
    let is_power = |by: i64| by > 0 && by.cast_unsigned().is_power_of_two();
    divided::<i64, k::FloorMod>(Op::FloorMod, is_power);
}

#[test]
fn quotients_are_exact_beside_multiples() {
    if !Loop::is_supported() {
        return;
    }
    for by in [3i32, 7, 97, 1_000_003, i32::MAX, -3, -1_000_003, i32::MIN] {
        let multiples = (0..4000i32).map(|i| by.wrapping_mul(i.wrapping_mul(524_287)));
        let a: Vec<i32> = multiples
            .flat_map(|x| [-1, 0, 1].map(|d| x.wrapping_add(d)))
            .collect();
        let insts = vec![
            Inst::Constant {
                value: i64::from(by),
            },
            Inst::Compute {
                op: Op::TruncateDiv,
                args: [0, 2, 0],
            },
        ];
        let found: Vec<i32> = made(insts, &a, &a, Element::Integer);
        let wanted: Vec<i32> = a.iter().map(|x| x.wrapping_div(by)).collect();
        assert_eq!(found, wanted, "by {by}");
    }
}

#[test]
fn conversions_and_choices() {
    if !Loop::is_supported() {
        return;
    }
    let (a, b) = pairs::<i32>();
    let number = Inst::Convert {
        to: Element::Number,
        arg: 0,
    };
    let floats: Vec<f32> = made(vec![number.clone()], &a, &b, Element::Number);
    assert!(a.iter().zip(&floats).all(|(&a, &f)| a as f32 == f));
    let back = Inst::Convert {
        to: Element::Integer,
        arg: 2,
    };
    let integers: Vec<i32> = made(vec![number, back], &a, &b, Element::Integer);
    let mut wanted = vec![0i32; a.len()];
    k::cast::<f32, i32>(&floats, &mut wanted);
    assert_eq!(integers, wanted);
    let truth = Inst::Convert {
        to: Element::Truth,
        arg: 0,
    };
    let truths: Vec<bool> = made(vec![truth.clone()], &a, &b, Element::Truth);
    assert!(a.iter().zip(&truths).all(|(&a, &t)| (a != 0) == t));
    let insts = vec![
        truth,
        Inst::Convert {
            to: Element::Integer,
            arg: 2,
        },
        Inst::Compute {
            op: Op::Select,
            args: [2, 1, 3],
        },
    ];
    let chosen: Vec<i32> = made(insts, &a, &b, Element::Integer);
    let wanted = a.iter().zip(&b).map(|(&a, &b)| if a != 0 { b } else { 0 });
    assert!(chosen.into_iter().eq(wanted));
    let clip = Inst::Compute {
        op: Op::Clip,
        args: [0, 1, 2],
    };
    let insts = vec![Inst::Constant { value: 100 }, clip];
    let clipped: Vec<i32> = made(insts, &a, &b, Element::Integer);
    let wanted = a.iter().zip(&b).map(|(&a, &b)| k::clipped_to(a, b, 100));
    assert!(clipped.into_iter().eq(wanted));
}
