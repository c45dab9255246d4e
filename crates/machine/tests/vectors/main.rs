//! Loops of vector instructions against the kernels, bit for bit; of two NaNs either may be the result.

mod oracle;
mod values;

use ferrograph_kernels::elementwise::CastTo;
use ferrograph_machine::Op;
use ferrograph_machine::vector::{
    BLOCK, Element, Float, Function, Inst, Loop, Program, SUMS, Width,
};
use oracle::interpreted;
use values::{Draws, Kernels, Number, Values};

/// A program as loops over vectors of both widths, where the machine has the wider ones.
fn loops(program: &Program) -> [Loop; 2] {
    [Width::Narrow, Width::Wide].map(|width| Loop::compile(program, width).unwrap())
}

/// Runs loops over elements `from..from + n` of arrays, and compares with the kernels; all else stays as it was.
fn check<T: Number>(
    kernels: &Kernels<T>,
    program: &Program,
    loops: &[Loop],
    arrays: &[Values<T>],
    from: usize,
    n: usize,
) where
    bool: CastTo<T>,
{
    for code in loops {
        check_one(kernels, program, code, arrays, from, n);
    }
}

fn check_one<T: Number>(
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
    unsafe {
        code.prepare(frame.as_mut_ptr());
        code.run(&pointers, n, frame.as_mut_ptr());
    };
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

fn drawn<T: Number>(draws: &mut Draws, element: Element, n: usize) -> Values<T>
where
    bool: CastTo<T>,
{
    match element {
        Element::Number => Values::Numbers((0..n).map(|_| T::drawn(draws)).collect()),
        Element::Truth => Values::Truths((0..n).map(|_| draws.below(2) == 1).collect()),
        Element::Integer => unreachable!("these programs are over numbers"),
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
    let args = [0, 1, 2];
    agrees::<T>(Inst::Compute { op, args }, elements, to, op as u64 + 1);
}

/// One instruction over arrays of all lengths, and all pairs of edges.
fn agrees<T: Number>(inst: Inst, elements: &[Element], to: Element, seed: u64)
where
    bool: CastTo<T>,
{
    let kernels = T::kernels();
    let mut draws = Draws(seed);
    let n = elements.len() as u32;
    let load = |pointer: u32| Inst::Load {
        pointer,
        element: elements[pointer as usize],
    };
    let mut insts: Vec<Inst> = (0..n).map(load).collect();
    insts.push(inst);
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
    let code = loops(&program);
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
    for function in Function::ALL {
        if function.is_known(T::FLOAT) {
            let apply = Inst::Apply { function, arg: 0 };
            agrees::<T>(apply, &[number], number, function as u64 + 100);
        }
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
        if draws.below(5) == 0 {
            let function = Function::ALL[draws.below(Function::ALL.len())];
            if function.is_known(T::FLOAT) {
                elements.push(Element::Number);
                insts.push(Inst::Apply { function, arg: a });
            }
            continue;
        }
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
        let code = loops(&program);
        for n in [draws.below(100), draws.below(20), 64] {
            let arrays: Vec<Values<T>> = elements
                .iter()
                .map(|&element| drawn(&mut draws, element, n + 12))
                .collect();
            check(&kernels, &program, &code, &arrays, draws.below(9), n);
        }
    }
}

/// Functions over many numbers of all sizes.
fn many<T: Number>()
where
    bool: CastTo<T>,
{
    let element = Element::Number;
    let kernels = T::kernels();
    for function in Function::ALL.into_iter().filter(|f| f.is_known(T::FLOAT)) {
        let program = Program::of_function(function, T::FLOAT);
        let code = loops(&program);
        let mut draws = Draws(function as u64);
        let n = 50_000;
        let arrays = [(); 2].map(|()| drawn::<T>(&mut draws, element, n));
        check(&kernels, &program, &code, &arrays, 0, n);
    }
}

#[test]
fn functions_agree_with_their_kernels_over_many_numbers() {
    if Loop::is_supported() {
        many::<f32>();
        many::<f64>();
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
    for code in loops(&program) {
        let mut frame = vec![0u8; code.frame_bytes()];
        let mut x: Vec<f32> = (0..21).map(|i| i as f32).collect();
        let pointers = [x.as_mut_ptr().cast::<u8>(); 2];
        // SAFETY: both are the same 21 elements, and the program is in place.
        unsafe {
            code.prepare(frame.as_mut_ptr());
            code.run(&pointers, 21, frame.as_mut_ptr());
        };
        assert!(
            x.iter().enumerate().all(|(i, &x)| x == 4.0 * i as f32),
            "{x:?}"
        );
    }
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
    assert!(Loop::compile(&program, Width::Wide).is_err());
    let insts = vec![Inst::Store {
        pointer: 0,
        value: 3,
    }];
    let program = Program { insts, ..program };
    assert!(Loop::compile(&program, Width::Wide).is_err());
}

/// `out = x * row + of_row` over rows that no vector divides.
#[test]
fn rows_repeat_what_has_no_step() {
    if !Loop::is_supported() {
        return;
    }
    let element = Element::Number;
    let load = |pointer| Inst::Load { pointer, element };
    let insts = vec![
        load(0),
        load(1),
        Inst::Single {
            pointer: 2,
            element,
        },
        Inst::Compute {
            op: Op::Mul,
            args: [0, 1, 0],
        },
        Inst::Compute {
            op: Op::Add,
            args: [3, 2, 0],
        },
        Inst::Store {
            pointer: 3,
            value: 4,
        },
    ];
    let program = Program {
        float: Float::F64,
        pointers: 4,
        insts,
        in_place: false,
    };
    let codes = loops(&program);
    for (width, code) in [1, 3, 4, 7, 21]
        .into_iter()
        .flat_map(|n| codes.iter().map(move |c| (n, c)))
    {
        let rows = 5;
        let mut x: Vec<f64> = (0..rows * width).map(|i| i as f64).collect();
        let mut row: Vec<f64> = (0..width).map(|i| 0.5 * i as f64).collect();
        let mut of_row: Vec<f64> = (0..rows).map(|i| 100.0 * i as f64).collect();
        let mut out = vec![0.0f64; rows * width + 1];
        let wanted: Vec<f64> = (0..rows * width)
            .map(|i| x[i] * row[i % width] + of_row[i / width])
            .collect();
        let mut frame = vec![0u8; code.frame_bytes()];
        let mut pointers =
            [&mut x, &mut row, &mut of_row, &mut out].map(|v| v.as_mut_ptr().cast::<u8>());
        // SAFETY: the arrays have these rows, and nothing else reaches them or the frame.
        unsafe {
            code.prepare(frame.as_mut_ptr());
            code.run_rows(
                &mut pointers,
                &[8 * width, 0, 8, 8 * width],
                rows,
                width,
                frame.as_mut_ptr(),
            )
        };
        assert_eq!(out[..rows * width], wanted);
        assert_eq!(out[rows * width], 0.0);
    }
}

/// Sums of `x * y`, those of elements in turn, beside what is stored.
fn sums_of<T: Number + std::ops::Mul<Output = T> + std::ops::AddAssign + PartialEq>(
    float: Float,
    of: impl Fn(usize) -> T,
) where
    bool: CastTo<T>,
{
    let element = Element::Number;
    let load = |pointer| Inst::Load { pointer, element };
    let (op, args) = (Op::Mul, [0, 1, 0]);
    for is_stored in [false, true] {
        let (pointer, value) = (2, 2);
        let mut insts = vec![load(0), load(1), Inst::Compute { op, args }];
        insts.extend(is_stored.then_some(Inst::Store { pointer, value }));
        insts.push(Inst::Sum { pointer: 3, value });
        let program = Program {
            float,
            pointers: 4,
            insts,
            in_place: false,
        };
        for width in [Width::Narrow, Width::Wide] {
            let Ok(code) = Loop::compile(&program, width) else {
                assert!(float == Float::F64, "single numbers fit any vectors");
                continue;
            };
            let lengths = [1, 2, 7, 32, 64, 65, 200].map(|times| times * code.unit());
            for n in lengths {
                let mut x: Vec<T> = (0..n).map(&of).collect();
                let mut y: Vec<T> = (0..n).map(|i| of(3 * i + 1)).collect();
                let mut z = vec![of(0); n];
                let blocks = n.div_ceil(BLOCK);
                let mut sums: Vec<T> = (0..blocks * SUMS).map(|i| of(5 * i)).collect();
                let mut wanted = vec![of(0); blocks * SUMS];
                let products: Vec<T> = x.iter().zip(&y).map(|(&x, &y)| x * y).collect();
                for (i, &product) in products.iter().enumerate() {
                    wanted[i / BLOCK * SUMS + i % SUMS] += product;
                }
                let mut frame = vec![0u8; code.frame_bytes()];
                let pointers =
                    [&mut x, &mut y, &mut z, &mut sums].map(|v| v.as_mut_ptr().cast::<u8>());
                // SAFETY: the arrays have these elements, the last one the sums, and nothing else reaches them.
                unsafe {
                    code.prepare(frame.as_mut_ptr());
                    code.run(&pointers, n, frame.as_mut_ptr());
                }
                assert!(sums == wanted, "{float:?} {width:?} {n}");
                assert!(!is_stored || z == products, "{float:?} {width:?} {n}");
            }
        }
    }
}

#[test]
fn sums_are_those_of_a_plain_loop() {
    if Loop::is_supported() {
        sums_of::<f32>(Float::F32, |i| (i as f32 * 0.37).sin());
        sums_of::<f64>(Float::F64, |i| (i as f64 * 0.37).sin());
    }
}
