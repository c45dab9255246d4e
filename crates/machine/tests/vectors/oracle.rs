//! What the kernels make of programs.

use crate::values::{Kernels, Number, Values};
use ferrograph_kernels::elementwise::{self as k, Binary, CastTo, Unary};
use ferrograph_machine::Op;
use ferrograph_machine::vector::{Element, Function, Inst, Program};

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
            fn chosen<T: Copy>(holds: &[bool], a: &[T], b: &[T]) -> Vec<T> {
                let each = holds.iter().zip(a.iter().zip(b));
                each.map(|(&holds, (&a, &b))| if holds { a } else { b })
                    .collect()
            }
            let (holds, [_, a, b]) = (args[0].truths(), args) else {
                unreachable!("a choice of two values");
            };
            return match a.element() {
                Element::Number => Values::Numbers(chosen(holds, a.numbers(), b.numbers())),
                _ => Values::Truths(chosen(holds, a.truths(), b.truths())),
            };
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

/// What the kernels make of numbers by a function; those of powers have their exponent as second operand.
fn applied<T: Number>(kernels: &Kernels<T>, function: Function, x: &[T]) -> Vec<T>
where
    bool: CastTo<T>,
{
    let mut out = vec![T::default(); x.len()];
    match kernels.functions.iter().find(|(of, _)| *of == function) {
        Some((_, kernel)) => kernel.run(x, &mut out),
        None => T::power(
            x,
            if function == Function::Cube { 3.0 } else { 0.5 },
            &mut out,
        ),
    }
    out
}

/// Every value that the kernels make of a program.
pub fn interpreted<T: Number>(
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
            Inst::Constant { .. } | Inst::Convert { .. } => {
                unreachable!("these programs are over numbers")
            }
            Inst::Compute { op, args } => {
                let args: Vec<&Values<T>> = args[..op.arity()]
                    .iter()
                    .map(|&arg| &made[arg as usize])
                    .collect();
                by_kernel(kernels, op, &args, n)
            }
            Inst::Apply { function, arg } => {
                let arg = made[arg as usize].numbers();
                Values::Numbers(applied(kernels, function, arg))
            }
            Inst::Sum { .. } => unreachable!("these programs sum nothing"),
            Inst::Store { pointer, value } => {
                arrays[pointer as usize] = made[value as usize].clone();
                made[value as usize].clone()
            }
        };
        made.push(value);
    }
    arrays
}
