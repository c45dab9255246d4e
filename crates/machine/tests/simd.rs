//! Elements in lanes of vectors: the bits of the kernels, and of the same functions of single numbers.

use ferrograph_kernels::elementwise::{self as k, Unary, UnaryOp, unary_scalar};
use ferrograph_machine::vector::Function;
use ferrograph_machine::{Arg, Circular, Code, Each, Inst, Op, Place, Program, Type, Var};
use std::fmt::Debug;

trait Number: Copy + Debug + Default + Send + Sync + 'static {
    const TYPE: Type;
    fn of(x: f64) -> Self;
    /// The bits; the same of all that are no number.
    fn bits(self) -> u64;
    fn is_above_zero(self) -> bool;
}

macro_rules! numbers {
    ($($t:ident $name:ident;)*) => {$(
        impl Number for $t {
            const TYPE: Type = Type::$name;
            fn of(x: f64) -> $t {
                x as $t
            }
            fn bits(self) -> u64 {
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
            fn is_above_zero(self) -> bool {
                self > 0.0
            }
        }
    )*};
}
numbers! { f32 F32; f64 F64; }

/// Numbers of all kinds, `from` some place on.
fn inputs<T: Number>(from: usize, n: usize) -> Vec<T> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        3.5,
        1e-42,
        1e-310,
        0.1,
        -0.7,
        7.25,
        88.0,
        -104.0,
        1e3,
        -1e9,
        3e8,
        1e30,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        6.0,
        1.57,
        -3.25,
        0.3,
        20.0,
        1e-5,
    ];
    (0..n)
        .map(|i| T::of(edges[(from + i) % edges.len()]))
        .collect()
}

fn places(pointer: u32, n: usize, t: Type) -> impl Iterator<Item = Place> {
    (0..n as u32).map(move |i| Place {
        pointer,
        offset: i * t.bytes(),
    })
}

/// What a body makes of numbers in the variables from 0 on, in those behind them; as many bools follow.
fn results<T: Number>(x: &[T], body: Vec<Inst>, in_lanes: bool) -> Vec<u64> {
    let (n, t) = (x.len(), T::TYPE);
    let to = n as Var;
    let program = Program {
        vars: [vec![t; 2 * n], vec![Type::Bool; n]].concat(),
        runs: match in_lanes {
            true => vec![(0, n as u32), (to, n as u32)],
            false => vec![],
        },
        loads: places(0, n, t).zip(0..).collect(),
        body,
        stores: (to..)
            .map(Arg::Var)
            .zip(places(1, n, t))
            .map(|(arg, place)| (arg, t, place))
            .collect(),
    };
    let code = Code::compile(&program).unwrap();
    let (mut x, mut y) = (x.to_vec(), vec![T::default(); n]);
    let pointers = [x.as_mut_ptr().cast::<u8>(), y.as_mut_ptr().cast()];
    // SAFETY: both pointers are to as many numbers as the program names.
    let ended = unsafe { code.run(pointers.as_ptr(), &mut |_| true) };
    assert!(ended);
    y.into_iter().map(Number::bits).collect()
}

fn each<T: Number>(function: Each, n: usize) -> Vec<Inst> {
    vec![Inst::Each {
        function,
        on: T::TYPE,
        to: n as Var,
        args: (0..n as Var)
            .map(|i| [Arg::Var(i), Arg::Var((i + 1) % n as Var), Arg::Bits(0)])
            .collect(),
    }]
}

fn spelled<T: Number, O: UnaryOp<T, Out = T>>(function: Each) {
    if !Each::is_spelled() {
        return;
    }
    for n in 1..=9 {
        for from in 0..28 {
            let x = inputs::<T>(from, n);
            let mut wanted = vec![T::default(); n];
            Unary::<T, T>::of::<O>().run(&x, &mut wanted);
            let wanted: Vec<u64> = wanted.into_iter().map(Number::bits).collect();
            for in_lanes in [true, false] {
                let found = results(&x, each::<T>(function, n), in_lanes);
                assert_eq!(found, wanted, "{function:?} of {x:?}");
            }
        }
    }
}

#[test]
fn functions_have_the_bits_of_the_kernels() {
    macro_rules! all {
        ($t:ident; $($name:ident)*) => {
            $(spelled::<$t, k::$name>(Each::Apply(Function::$name));)*
        };
    }
    all!(f32; Exp Expm1 Log Log1p Tanh Sigmoid Softplus Erf Erfc);
    all!(f64; Exp Log Log1p Tanh Sigmoid);
}

#[test]
fn functions_of_angles_have_the_bits_of_the_kernels_near_zero_and_far_from_it() {
    let (sin, cos) = (unary_scalar::<f32, k::Sin>, unary_scalar::<f32, k::Cos>);
    spelled::<f32, k::Sin>(Each::Circular(Circular::Sin, sin));
    spelled::<f32, k::Cos>(Each::Circular(Circular::Cos, cos));
}

/// A function of elements in lanes and of single ones.
fn agree<T: Number>(op: Op) {
    for n in [2, 3, 4, 5, 8] {
        for from in 0..28 {
            let x = inputs::<T>(from, n);
            let one = |i: Var| {
                let args = [Arg::Var(i), Arg::Var((i + 1) % n as Var), Arg::Bits(0)];
                let (on, to) = (T::TYPE, n as Var + i);
                Inst::Compute { op, on, to, args }
            };
            let wanted = results(&x, (0..n as Var).map(one).collect(), false);
            let found = results(&x, each::<T>(Each::Op(op), n), true);
            assert_eq!(found, wanted, "{op:?} of {x:?}");
        }
    }
}

#[test]
fn functions_in_lanes_have_the_bits_of_those_of_single_numbers() {
    if !Each::is_spelled() {
        return;
    }
    let all = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::FloorDiv,
        Op::TruncateDiv,
        Op::Maximum,
        Op::Minimum,
        Op::SquaredDifference,
        Op::Neg,
        Op::Abs,
        Op::Sign,
        Op::Square,
        Op::Sqrt,
        Op::Rsqrt,
        Op::Reciprocal,
        Op::Relu,
        Op::Relu6,
        Op::Floor,
        Op::Ceil,
        Op::Round,
        Op::ReluGrad,
        Op::TanhGrad,
        Op::SigmoidGrad,
        Op::Clip,
    ];
    for op in all {
        agree::<f32>(op);
        agree::<f64>(op);
    }
}

#[test]
fn one_condition_chooses_for_all_lanes() {
    if !Each::is_spelled() {
        return;
    }
    for holds in [0, 1] {
        let x = inputs::<f32>(2, 5);
        let args = (0..5).map(|i| [Arg::Bits(holds), Arg::Var(i), Arg::Bits(0)]);
        let chosen = vec![Inst::Each {
            function: Each::Op(Op::Select),
            on: Type::F32,
            to: 5,
            args: args.collect(),
        }];
        let wanted: Vec<u64> = match holds {
            1 => x.iter().map(|x| x.bits()).collect(),
            _ => vec![0; 5],
        };
        assert_eq!(results(&x, chosen, true), wanted);
    }
}

/// Selects between an element and the next one by a comparison of both, in a program of its own.
fn selected<T: Number>(x: &[T], op: Op, in_lanes: bool) -> Vec<u64> {
    let n = x.len() as Var;
    let (on, next) = (T::TYPE, |i: Var| Arg::Var((i + 1) % n));
    let truth = |i: Var| 2 * n + i;
    let compared = (0..n).map(|i| [Arg::Var(i), next(i), Arg::Bits(0)]);
    let chosen = (0..n).map(|i| [Arg::Var(truth(i)), Arg::Var(i), next(i)]);
    let shifted = (0..n).map(|i| [Arg::Var(truth((i + 1) % n)), Arg::Var(n + i), Arg::Bits(0)]);
    let steps: [(Op, Var, Vec<[Arg; 3]>); 3] = [
        (op, truth(0), compared.collect()),
        (Op::Select, n, chosen.collect()),
        (Op::Select, n, shifted.collect()),
    ];
    let mut body = Vec::new();
    for (op, to, args) in steps {
        match in_lanes {
            true => body.push(Inst::Each {
                function: Each::Op(op),
                on,
                to,
                args,
            }),
            false => {
                let each = (to..).zip(args);
                body.extend(each.map(|(to, args)| Inst::Compute { op, on, to, args }));
            }
        }
    }
    results(x, body, in_lanes)
}

#[test]
fn comparisons_and_selections_agree_in_lanes_and_outside() {
    if !Each::is_spelled() {
        return;
    }
    let all = [
        Op::Less,
        Op::LessEqual,
        Op::Greater,
        Op::GreaterEqual,
        Op::Equal,
        Op::NotEqual,
    ];
    for op in all {
        for n in [2, 3, 4, 6, 8] {
            for from in 0..28 {
                let x = inputs::<f32>(from, n);
                assert_eq!(
                    selected(&x, op, true),
                    selected(&x, op, false),
                    "{op:?} of {x:?}"
                );
                let x = inputs::<f64>(from, n);
                assert_eq!(
                    selected(&x, op, true),
                    selected(&x, op, false),
                    "{op:?} of {x:?}"
                );
            }
        }
    }
}

#[test]
fn bools_become_floats_in_lanes() {
    if !Each::is_spelled() {
        return;
    }
    fn cast<T: Number>(n: usize) {
        let x = inputs::<T>(0, n);
        let truth = |i: Var| 2 * n as Var + i;
        let (function, on) = (Each::Op(Op::Greater), T::TYPE);
        let zero = Arg::Bits(0);
        let compared = Inst::Each {
            function,
            on,
            to: truth(0),
            args: (0..n as Var).map(|i| [Arg::Var(i), zero, zero]).collect(),
        };
        let turned = |i: Var| Arg::Var(truth((i + 1) % n as Var));
        for one in [(|i, _| i) as fn(Arg, Arg) -> Arg, |_, i| i] {
            let args = (0..n as Var).map(|i| [one(Arg::Var(truth(i)), turned(i)), zero, zero]);
            let body = vec![
                compared.clone(),
                Inst::Each {
                    function: Each::Op(Op::Cast),
                    on,
                    to: n as Var,
                    args: args.collect(),
                },
            ];
            let by = match one(Arg::Var(0), Arg::Var(1)) {
                Arg::Var(by) => by as usize,
                Arg::Bits(_) => 0,
            };
            let holds = |i: usize| x[(i + by) % n].is_above_zero();
            let wanted = (0..n).map(|i| T::of(f64::from(u8::from(holds(i)))).bits());
            assert_eq!(results(&x, body, true), wanted.collect::<Vec<u64>>());
        }
    }
    for n in [2, 3, 4, 5, 8, 9] {
        cast::<f32>(n);
        cast::<f64>(n);
    }
}

#[test]
fn elements_are_copied_across_lanes_and_vectors() {
    if !Each::is_spelled() {
        return;
    }
    for n in [2, 3, 4, 5, 7, 8] {
        for by in 0..n {
            let x = inputs::<f64>(1, n);
            let from: Vec<usize> = (0..n).map(|i| (i + by) % n).collect();
            let copies = vec![Inst::Copies {
                to: n as Var,
                from: from.iter().map(|&i| Arg::Var(i as Var)).collect(),
            }];
            let wanted: Vec<u64> = from.iter().map(|&i| x[i].bits()).collect();
            assert_eq!(results(&x, copies.clone(), true), wanted);
            assert_eq!(results(&x, copies, false), wanted);
        }
    }
}

#[test]
fn copies_read_all_before_they_write() {
    if !Each::is_spelled() {
        return;
    }
    let x = inputs::<f32>(3, 6);
    for in_lanes in [true, false] {
        let reversed = |to: Var, from: std::iter::Rev<std::ops::Range<Var>>| Inst::Copies {
            to,
            from: from.map(Arg::Var).collect(),
        };
        let body = vec![reversed(6, (0..6).rev()), reversed(6, (6..12).rev())];
        let wanted: Vec<u64> = x.iter().map(|x| x.bits()).collect();
        assert_eq!(results(&x, body, in_lanes), wanted);
    }
}

#[test]
fn a_host_sees_lanes_in_memory_and_gives_others_back() {
    if !Each::is_spelled() {
        return;
    }
    let n = 7usize;
    let t = Type::F32;
    let all = |pointer| places(pointer, n, t);
    let program = Program {
        vars: vec![t; n],
        runs: vec![(0, n as u32)],
        loads: all(0).zip(0..).collect(),
        body: vec![Inst::Host {
            number: 3,
            stores: (0..)
                .map(Arg::Var)
                .zip(all(1))
                .map(|(arg, place)| (arg, t, place))
                .collect(),
            loads: all(1).zip(0..).collect(),
        }],
        stores: (0..)
            .map(Arg::Var)
            .zip(all(0))
            .map(|(arg, place)| (arg, t, place))
            .collect(),
    };
    let code = Code::compile(&program).unwrap();
    let mut x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut there = vec![0f32; n];
    let place = there.as_mut_ptr();
    let pointers = [x.as_mut_ptr().cast::<u8>(), place.cast()];
    // SAFETY: both pointers are to seven numbers, and the host is called while nothing else touches them.
    let ended = unsafe {
        code.run(pointers.as_ptr(), &mut |_| {
            for i in 0..n {
                *place.add(i) = *place.add(i) * 2.0 + 1.0;
            }
            true
        })
    };
    assert!(ended);
    assert_eq!(x, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0]);
}
