//! Loops of vector instructions against the kernels, bit for bit; of two NaNs either may be the result.

use ferrograph_kernels::elementwise::{
    self as k, Binary, BinaryOp, Broadcast, CastTo, Unary, UnaryOp,
};
use ferrograph_machine::Op;
use ferrograph_machine::vector::{Element, Float, Inst, Loop, Program};

/// Numbers that look random, from a seed.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 16 ^ self.0 >> 40
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

trait Number:
    Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + CastTo<bool> + 'static
where
    bool: CastTo<Self>,
{
    const FLOAT: Float;
    fn edges() -> Vec<Self>;
    fn drawn(draws: &mut Draws) -> Self;
    fn bits(self) -> u64;
    fn kernels() -> Kernels<Self>;
    fn is_number(self) -> bool;
}

/// The kernels of all functions.
struct Kernels<T: 'static> {
    unary: Vec<(Op, Unary<T, T>)>,
    binary: Vec<(Op, Binary<T, T>)>,
    comparisons: Vec<(Op, Binary<T, bool>)>,
}

macro_rules! numbers {
    ($($t:ident $float:ident;)*) => {$(
        impl Number for $t {
            const FLOAT: Float = Float::$float;
            fn edges() -> Vec<$t> {
                let ends = [<$t>::MIN, <$t>::MAX, <$t>::MIN_POSITIVE, <$t>::EPSILON, <$t>::INFINITY, <$t>::NEG_INFINITY,
                    <$t>::NAN, -<$t>::NAN, <$t>::from_bits(1), -<$t>::from_bits(1), <$t>::from_bits(<$t>::NAN.to_bits() + 0x1234)];
                let around = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.0, 0.1, 1e-30, -1e30, 8388609.0, 4503599627370497.0];
                [&ends[..], &around].concat()
            }
            fn drawn(draws: &mut Draws) -> $t {
                match draws.below(3) {
                    0 => <$t>::from_bits(draws.next() as _),
                    1 => (draws.next() % 2001) as $t / 100.0 - 10.0,
                    _ => { let edges = Self::edges(); edges[draws.below(edges.len())] }
                }
            }
            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }
            fn is_number(self) -> bool {
                !self.is_nan()
            }
            fn kernels() -> Kernels<$t> {
                Kernels {
                    unary: vec![
                        (Op::Neg, one::<$t, k::Neg>()), (Op::Abs, one::<$t, k::Abs>()), (Op::Sign, one::<$t, k::Sign>()),
                        (Op::Square, one::<$t, k::Square>()), (Op::Sqrt, one::<$t, k::Sqrt>()),
                        (Op::Rsqrt, one::<$t, k::Rsqrt>()), (Op::Reciprocal, one::<$t, k::Reciprocal>()),
                        (Op::Relu, one::<$t, k::Relu>()), (Op::Floor, one::<$t, k::Floor>()),
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
                }
            }
        }
    )*};
}
numbers! { f32 F32; f64 F64; }

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
enum Values<T> {
    Numbers(Vec<T>),
    Truths(Vec<bool>),
}

impl<T: Number> Values<T>
where
    bool: CastTo<T>,
{
    fn element(&self) -> Element {
        match self {
            Values::Numbers(_) => Element::Number,
            Values::Truths(_) => Element::Truth,
        }
    }

    fn numbers(&self) -> &[T] {
        match self {
            Values::Numbers(x) => x,
            Values::Truths(_) => panic!("these are truths"),
        }
    }

    fn truths(&self) -> &[bool] {
        match self {
            Values::Truths(x) => x,
            Values::Numbers(_) => panic!("these are numbers"),
        }
    }

    fn part(&self, from: usize, n: usize) -> Values<T> {
        match self {
            Values::Numbers(x) => Values::Numbers(x[from..from + n].to_vec()),
            Values::Truths(x) => Values::Truths(x[from..from + n].to_vec()),
        }
    }

    fn pointer(&mut self, at: usize) -> *mut u8 {
        match self {
            Values::Numbers(x) => x[at..].as_mut_ptr().cast(),
            Values::Truths(x) => x[at..].as_mut_ptr().cast(),
        }
    }

    /// The first place where these and others differ in their bits; two NaNs do not.
    fn difference(&self, other: &Values<T>) -> Option<usize> {
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

/// What the kernels make of one instruction.
fn by_kernel<T: Number>(kernels: &Kernels<T>, op: Op, args: &[&Values<T>], n: usize) -> Values<T>
where
    bool: CastTo<T>,
{
    let mut numbers = vec![T::default(); n];
    let mut truths = vec![false; n];
    let is_truth = args[0].element() == Element::Truth;
    match op {
        Op::Select => {
            let plan = Broadcast::new([&[n], &[n], &[n]], &[n]);
            if args[1].element() == Element::Number {
                k::select_broadcast(
                    &plan,
                    args[0].truths(),
                    args[1].numbers(),
                    args[2].numbers(),
                    &mut numbers,
                );
                return Values::Numbers(numbers);
            }
            k::select_broadcast(
                &plan,
                args[0].truths(),
                args[1].truths(),
                args[2].truths(),
                &mut truths,
            );
            return Values::Truths(truths);
        }
        Op::Cast if is_truth => {
            k::cast(args[0].truths(), &mut numbers);
            return Values::Numbers(numbers);
        }
        Op::Cast => {
            k::cast(args[0].numbers(), &mut truths);
            return Values::Truths(truths);
        }
        Op::Not => {
            Unary::of::<k::LogicalNot>().run(args[0].truths(), &mut truths);
            return Values::Truths(truths);
        }
        _ if is_truth => {
            let kernel: Binary<bool, bool> = match op {
                Op::And => Binary::of::<k::LogicalAnd>(),
                Op::Or => Binary::of::<k::LogicalOr>(),
                Op::Xor => Binary::of::<k::LogicalXor>(),
                Op::Equal => Binary::of::<k::Equal>(),
                _ => Binary::of::<k::NotEqual>(),
            };
            kernel.run(args[0].truths(), args[1].truths(), &mut truths);
            return Values::Truths(truths);
        }
        _ => {}
    }
    let a = args[0].numbers();
    if let Some((_, kernel)) = kernels.comparisons.iter().find(|(of, _)| *of == op) {
        kernel.run(a, args[1].numbers(), &mut truths);
        return Values::Truths(truths);
    }
    match kernels.unary.iter().find(|(of, _)| *of == op) {
        Some((_, kernel)) => kernel.run(a, &mut numbers),
        None => {
            let (_, kernel) = kernels.binary.iter().find(|(of, _)| *of == op).unwrap();
            kernel.run(a, args[1].numbers(), &mut numbers);
        }
    }
    Values::Numbers(numbers)
}

/// Every value that the kernels make of a program.
fn interpreted<T: Number>(
    kernels: &Kernels<T>,
    program: &Program,
    arrays: &[Values<T>],
    n: usize,
) -> Vec<Values<T>>
where
    bool: CastTo<T>,
{
    let mut arrays = arrays.to_vec();
    let mut made: Vec<Values<T>> = Vec::new();
    for inst in &program.insts {
        let value = match *inst {
            Inst::Load { pointer, .. } => arrays[pointer as usize].clone(),
            Inst::Single { pointer, .. } => match &arrays[pointer as usize] {
                Values::Numbers(x) => Values::Numbers(vec![x[0]; n]),
                Values::Truths(x) => Values::Truths(vec![x[0]; n]),
            },
            Inst::Compute { op, args } => {
                let args: Vec<&Values<T>> = args[..op.arity()]
                    .iter()
                    .map(|&arg| &made[arg as usize])
                    .collect();
                by_kernel(kernels, op, &args, n)
            }
            Inst::Store { pointer, value } => {
                arrays[pointer as usize] = made[value as usize].clone();
                made[value as usize].clone()
            }
        };
        made.push(value);
    }
    arrays
}

/// Runs a program over elements `from..from + n` of arrays, and compares with the kernels; all else stays as it was.
fn check<T: Number>(
    kernels: &Kernels<T>,
    program: &Program,
    code: &Loop,
    arrays: &[Values<T>],
    from: usize,
    n: usize,
) where
    bool: CastTo<T>,
{
    let is_single = |at: usize| {
        let names =
            |inst: &Inst| matches!(inst, Inst::Single { pointer, .. } if *pointer as usize == at);
        program.insts.iter().any(names)
    };
    let start = |at: usize| if is_single(at) { 0 } else { from };
    let parts: Vec<Values<T>> = (0..arrays.len())
        .map(|at| {
            if is_single(at) {
                arrays[at].part(0, 1)
            } else {
                arrays[at].part(from, n)
            }
        })
        .collect();
    let wanted = interpreted(kernels, program, &parts, n);
    let mut found = arrays.to_vec();
    let pointers: Vec<*mut u8> = found
        .iter_mut()
        .enumerate()
        .map(|(at, array)| array.pointer(start(at)))
        .collect();
    let mut frame = vec![0u8; code.frame_bytes()];
    // SAFETY: the arrays have these elements, and nothing else reaches them or the frame.
    unsafe { code.run(&pointers, n, frame.as_mut_ptr()) };
    for (at, (array, before)) in found.iter().zip(arrays).enumerate() {
        let len = if is_single(at) { 1 } else { n };
        let inside = array.part(start(at), len);
        if let Some(place) = inside.difference(&wanted[at]) {
            panic!(
                "array {at} at {place} of {n} from {from}: {:?} of {:?}\n{program:#?}\n{before:?}",
                inside.part(place, 1),
                wanted[at].part(place, 1)
            );
        }
        let end = start(at) + len;
        let rest = before.part(0, before.len()).len() - end;
        assert_eq!(
            array
                .part(0, start(at))
                .difference(&before.part(0, start(at))),
            None,
            "before the elements"
        );
        assert_eq!(
            array.part(end, rest).difference(&before.part(end, rest)),
            None,
            "behind the elements"
        );
    }
}

impl<T> Values<T> {
    fn len(&self) -> usize {
        match self {
            Values::Numbers(x) => x.len(),
            Values::Truths(x) => x.len(),
        }
    }
}

fn drawn<T: Number>(draws: &mut Draws, element: Element, n: usize) -> Values<T>
where
    bool: CastTo<T>,
{
    match element {
        Element::Number => Values::Numbers((0..n).map(|_| T::drawn(draws)).collect()),
        Element::Truth => Values::Truths((0..n).map(|_| draws.below(2) == 1).collect()),
    }
}

/// The result of a function, without arrays.
fn result(op: Op, of: Element) -> Element {
    match op {
        Op::Cast if of == Element::Number => Element::Truth,
        Op::Cast => Element::Number,
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
            Element::Truth
        }
        _ => of,
    }
}

fn function<T: Number>(op: Op, elements: &[Element], to: Element)
where
    bool: CastTo<T>,
{
    let kernels = T::kernels();
    let mut draws = Draws(op as u64 + 1);
    let n = elements.len() as u32;
    let load = |pointer: u32| Inst::Load {
        pointer,
        element: elements[pointer as usize],
    };
    let mut insts: Vec<Inst> = (0..n).map(load).collect();
    insts.push(Inst::Compute {
        op,
        args: [0, 1, 2],
    });
    insts.push(Inst::Store {
        pointer: n,
        value: n,
    });
    let program = Program {
        float: T::FLOAT,
        pointers: n + 1,
        insts,
        in_place: false,
    };
    let code = Loop::compile(&program).unwrap();
    let mut arrays = |len: usize| -> Vec<Values<T>> {
        elements
            .iter()
            .chain([&to])
            .map(|&element| drawn(&mut draws, element, len))
            .collect()
    };
    for len in 0..100 {
        check(&kernels, &program, &code, &arrays(len + 9), len % 7, len);
    }
    let edges = T::edges();
    let all = edges.len() * edges.len();
    let mut pairs = arrays(all);
    for (at, array) in pairs.iter_mut().take(elements.len()).enumerate() {
        if let Values::Numbers(x) = array {
            *x = (0..all)
                .map(|i| {
                    edges[if at % 2 == 0 {
                        i / edges.len()
                    } else {
                        i % edges.len()
                    }]
                })
                .collect();
        }
    }
    check(&kernels, &program, &code, &pairs, 0, all);
}

fn functions<T: Number>()
where
    bool: CastTo<T>,
{
    let number = Element::Number;
    let kernels = T::kernels();
    for (op, _) in &kernels.unary {
        function::<T>(*op, &[number], number);
    }
    for (op, _) in &kernels.binary {
        function::<T>(*op, &[number; 2], number);
    }
    for (op, _) in &kernels.comparisons {
        function::<T>(*op, &[number; 2], Element::Truth);
    }
    for op in [Op::And, Op::Or, Op::Xor, Op::Equal, Op::NotEqual] {
        function::<T>(op, &[Element::Truth; 2], Element::Truth);
    }
    function::<T>(Op::Not, &[Element::Truth], Element::Truth);
    function::<T>(Op::Cast, &[Element::Truth], number);
    function::<T>(Op::Cast, &[number], Element::Truth);
    function::<T>(Op::Select, &[Element::Truth, number, number], number);
    function::<T>(Op::Select, &[Element::Truth; 3], Element::Truth);
}

#[test]
fn every_function_agrees_with_its_kernel() {
    if Loop::is_supported() {
        functions::<f32>();
        functions::<f64>();
    }
}

/// A program of many instructions, which reads some arrays, some of them as one element, and writes others.
fn program<T: Number>(draws: &mut Draws, in_place: bool) -> (Program, Vec<Element>)
where
    bool: CastTo<T>,
{
    let kernels = T::kernels();
    let (mut insts, mut elements, mut arrays) = (Vec::new(), Vec::new(), Vec::new());
    let n_inputs = 1 + draws.below(14) as u32;
    for pointer in 0..n_inputs {
        let element = if pointer > 0 && draws.below(4) == 0 {
            Element::Truth
        } else {
            Element::Number
        };
        insts.push(match draws.below(3) {
            0 if pointer > 0 => Inst::Single { pointer, element },
            _ => Inst::Load { pointer, element },
        });
        elements.push(element);
        arrays.push(element);
    }
    for _ in 0..1 + draws.below(40) {
        let mut pick = |element: Element| {
            let fitting: Vec<u32> = (0..elements.len() as u32)
                .filter(|&i| elements[i as usize] == element)
                .collect();
            fitting.get(draws.below(fitting.len().max(1))).copied()
        };
        let (a, b) = (
            pick(Element::Number).unwrap(),
            pick(Element::Number).unwrap(),
        );
        let (p, q) = (pick(Element::Truth), pick(Element::Truth));
        let (op, args) = match (draws.below(8), p, q) {
            (0, Some(p), _) => (Op::Select, [p, a, b]),
            (1, Some(p), Some(q)) => ([Op::And, Op::Or, Op::Xor][draws.below(3)], [p, q, 0]),
            (2, Some(p), _) => ([Op::Not, Op::Cast][draws.below(2)], [p, 0, 0]),
            (3, ..) => (kernels.comparisons[draws.below(6)].0, [a, b, 0]),
            (4, ..) => (kernels.unary[draws.below(kernels.unary.len())].0, [a, 0, 0]),
            _ => (
                kernels.binary[draws.below(kernels.binary.len())].0,
                [a, b, 0],
            ),
        };
        elements.push(result(op, elements[args[0] as usize]));
        if op == Op::Select {
            *elements.last_mut().unwrap() = Element::Number;
        }
        insts.push(Inst::Compute { op, args });
    }
    let made = n_inputs as usize..elements.len();
    let mut pointers = n_inputs;
    for value in made.rev().step_by(3).take(1 + draws.below(6)) {
        let element = elements[value];
        let loaded = |inst: &Inst| matches!(inst, Inst::Load { pointer: 0, .. });
        let own =
            in_place && element == Element::Number && loaded(&insts[0]) && draws.below(2) == 0;
        let pointer = if own { 0 } else { pointers };
        if !own {
            arrays.push(element);
            pointers += 1;
        }
        insts.push(Inst::Store {
            pointer,
            value: value as u32,
        });
    }
    (
        Program {
            float: T::FLOAT,
            pointers,
            insts,
            in_place,
        },
        arrays,
    )
}

fn programs<T: Number>(count: u64)
where
    bool: CastTo<T>,
{
    let kernels = T::kernels();
    for seed in 0..count {
        let mut draws = Draws(seed);
        let (program, elements) = program::<T>(&mut draws, seed % 3 == 0);
        let code = Loop::compile(&program).unwrap();
        for n in [draws.below(100), draws.below(20), 64] {
            let arrays: Vec<Values<T>> = elements
                .iter()
                .map(|&element| drawn(&mut draws, element, n + 12))
                .collect();
            check(&kernels, &program, &code, &arrays, draws.below(9), n);
        }
    }
}

#[test]
fn random_programs_agree_with_the_kernels() {
    if Loop::is_supported() {
        programs::<f32>(400);
        programs::<f64>(400);
    }
}

/// Two arrays that may be one: `a += b` and then `b += a`, over elements that no vector divides.
#[test]
fn arrays_that_are_one_see_what_was_written() {
    if !Loop::is_supported() {
        return;
    }
    let load = |pointer| Inst::Load {
        pointer,
        element: Element::Number,
    };
    let add = |a, b| Inst::Compute {
        op: Op::Add,
        args: [a, b, 0],
    };
    let insts = vec![
        load(0),
        load(1),
        add(0, 1),
        Inst::Store {
            pointer: 0,
            value: 2,
        },
        load(1),
        add(4, 2),
        Inst::Store {
            pointer: 1,
            value: 5,
        },
    ];
    let program = Program {
        float: Float::F32,
        pointers: 2,
        insts,
        in_place: true,
    };
    let code = Loop::compile(&program).unwrap();
    let mut frame = vec![0u8; code.frame_bytes()];
    let mut x: Vec<f32> = (0..21).map(|i| i as f32).collect();
    let pointers = [x.as_mut_ptr().cast::<u8>(); 2];
    // SAFETY: both are the same 21 elements, and the program is in place.
    unsafe { code.run(&pointers, 21, frame.as_mut_ptr()) };
    assert!(
        x.iter().enumerate().all(|(i, &x)| x == 4.0 * i as f32),
        "{x:?}"
    );
}

#[test]
fn programs_that_make_no_sense_are_refused() {
    let insts = vec![
        Inst::Load {
            pointer: 0,
            element: Element::Truth,
        },
        Inst::Compute {
            op: Op::Sqrt,
            args: [0; 3],
        },
    ];
    let program = Program {
        float: Float::F32,
        pointers: 1,
        insts,
        in_place: false,
    };
    assert!(Loop::compile(&program).is_err());
    let insts = vec![Inst::Store {
        pointer: 0,
        value: 3,
    }];
    let program = Program { insts, ..program };
    assert!(Loop::compile(&program).is_err());
}
