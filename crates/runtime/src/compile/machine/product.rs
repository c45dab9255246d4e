//! Small products of matrices, as the kernel makes them: the terms of an element added one after the other to zero.

use super::codegen_eligibility::length;
use super::functions::number_type;
use super::write::Writer;
use crate::compile::lower::SlotInfo;
use crate::plan::Bound;
use ferrograph_graph::Kernel;
use ferrograph_machine::{Arg, Each, Inst, Op, Type, Var};

/// A product of two matrices whose elements registers hold.
pub(super) struct Product {
    rows: usize,
    terms: usize,
    columns: usize,
    transpose: [bool; 2],
    on: Type,
}

impl Product {
    /// Multiplications.
    pub fn size(&self) -> usize {
        self.rows * self.terms * self.columns
    }
}

/// The product that a kernel is.
pub(super) fn product(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Product> {
    let transpose = bound.transposed?;
    let (&[a, b], &[out]) = (&bound.ins[..], &bound.outs[..]) else {
        return None;
    };
    let all = [a, b, out];
    if !all.iter().all(|&slot| length(slots, slot).is_ok()) {
        return None;
    }
    let matrix = |slot: u32| match slots[slot as usize].shape.as_ref()?[..] {
        [rows, columns] => Some([rows, columns]),
        _ => None,
    };
    let [rows, columns] = matrix(out)?;
    let terms = matrix(a)?[usize::from(!transpose[0])];
    matrix(b)?;
    Some(Product {
        rows,
        terms,
        columns,
        transpose,
        on: number_type(slots[out as usize].dtype)?,
    })
}

impl Writer<'_> {
    /// A product, term by term for all elements.
    pub(super) fn product(&mut self, bound: &Bound<Kernel>, of: &Product, out: &mut Vec<Inst>) {
        let (a, b, to) = (bound.ins[0], bound.ins[1], bound.outs[0]);
        let n = of.rows * of.columns;
        let (sum, on) = (self.var(to), of.on);
        let term = self.new_run(on, n);
        let element =
            |at: usize, of_term: usize, sides: [usize; 2], transposed: bool| match transposed {
                true => of_term * sides[0] + at,
                false => at * sides[1] + of_term,
            };
        for l in 0..of.terms {
            let pairs = (0..n).map(|at| {
                let (i, j) = (at / of.columns, at % of.columns);
                let left = element(i, l, [of.rows, of.terms], of.transpose[0]);
                let right = element(j, l, [of.columns, of.terms], !of.transpose[1]);
                [self.read(a, left), self.read(b, right), Arg::Bits(0)]
            });
            let pairs = pairs.collect();
            self.of_all(Op::Mul, on, term, pairs, out);
            let sums = (0..n as Var).map(|at| {
                let before = match l {
                    0 => Arg::Bits(0),
                    _ => Arg::Var(sum + at),
                };
                [before, Arg::Var(term + at), Arg::Bits(0)]
            });
            self.of_all(Op::Add, on, sum, sums.collect(), out);
        }
        self.write(to);
    }

    /// New variables that follow one another, in vectors where those of slots are.
    fn new_run(&mut self, t: Type, n: usize) -> Var {
        let first = self.new_var(t);
        (1..n).for_each(|_| {
            self.new_var(t);
        });
        self.hold(first, t, n);
        first
    }

    /// A function for each of some elements.
    fn of_all(&mut self, op: Op, on: Type, to: Var, args: Vec<[Arg; 3]>, out: &mut Vec<Inst>) {
        if Writer::in_vectors(on, args.len()) {
            let function = Each::Op(op);
            return out.push(Inst::Each {
                function,
                on,
                to,
                args,
            });
        }
        let each = (to..).zip(args);
        out.extend(each.map(|(to, args)| Inst::Compute { op, on, to, args }));
    }
}
