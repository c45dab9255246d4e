//! The program of a run, and how it goes over rows.

use super::functions::{Function, integer, kind};
use super::{LONG, Reach, elementwise, operands, reach};
use crate::compile::tile::{Fusion, Value};
use crate::plan::{BroadcastIndex, Member, Repeated, Rows, Together};
use ferrograph_machine::Op;
use ferrograph_machine::vector::{Element, Float, Inst, Program};
use hashbrown::HashMap;
use smallvec::SmallVec;

/// Writes the program of a run.
pub(super) struct Writer<'a> {
    fusion: &'a Fusion<'a>,
    program: Program,
    /// The values that pointers point to.
    pub values: Vec<u32>,
    /// Elements of a row.
    width: usize,
    /// The instructions that made the values at hand.
    made: HashMap<u32, u32>,
}

impl<'a> Writer<'a> {
    pub fn new(fusion: &'a Fusion<'a>, float: Float, width: usize) -> Writer<'a> {
        Writer {
            fusion,
            program: Program {
                float,
                pointers: 0,
                insts: Vec::new(),
                in_place: false,
            },
            values: Vec::new(),
            width,
            made: HashMap::new(),
        }
    }

    pub fn member(&mut self, at: usize, is_needed: &dyn Fn(u32) -> bool) -> Option<()> {
        let member = &self.fusion.members[at];
        let read = operands(self.fusion, at).iter();
        let read: SmallVec<[u32; 4]> = read.map(|&number| self.value(number)).collect();
        let mut args = [0; 3];
        args.iter_mut()
            .zip(&read)
            .for_each(|(arg, &value)| *arg = value);
        let made = match elementwise(self.fusion, at)?.function {
            Function::Same => args[0],
            Function::AddUp => {
                let mut sum = args[0];
                for &term in &read[1..] {
                    let args = [sum, term, 0];
                    sum = self.push(Inst::Compute { op: Op::Add, args });
                }
                sum
            }
            Function::Compute(op) => self.push(Inst::Compute { op, args }),
            Function::Convert(to) => {
                let [arg, ..] = args;
                self.push(Inst::Convert { to, arg })
            }
            Function::Apply(function) => {
                let [arg, ..] = args;
                self.push(Inst::Apply { function, arg })
            }
        };
        let &out = member.outs.first()?;
        let is_variable = self.fusion.is_variable(out);
        if is_variable {
            // Any other variable may be this one.
            let fusion = self.fusion;
            self.made.retain(|&number, _| !fusion.is_variable(number));
            self.program.in_place = true;
        }
        self.made.insert(out, made);
        if is_variable || is_needed(out) {
            let pointer = self.pointer(out);
            self.push(Inst::Store {
                pointer,
                value: made,
            });
        }
        Some(())
    }

    /// Adds a value that is at hand to the sums of a total, whose pointer is the last one.
    pub fn sum(&mut self, number: u32) -> Option<()> {
        let value = *self.made.get(&number)?;
        let pointer = self.values.len() as u32;
        self.push(Inst::Sum { pointer, value });
        Some(())
    }

    fn push(&mut self, inst: Inst) -> u32 {
        self.program.insts.push(inst);
        self.program.insts.len() as u32 - 1
    }

    fn pointer(&mut self, number: u32) -> u32 {
        let known = self.values.iter().position(|&value| value == number);
        let at = known.unwrap_or_else(|| {
            self.values.push(number);
            self.values.len() - 1
        });
        at as u32
    }

    /// The instruction that has a value, which is read if need be.
    fn value(&mut self, number: u32) -> u32 {
        if let Some(&made) = self.made.get(&number) {
            return made;
        }
        let value = self.fusion.values[number as usize];
        if let Value::All(slot, _) = value
            && let Some(value) = integer(self.fusion, slot)
        {
            let made = self.push(Inst::Constant { value });
            self.made.insert(number, made);
            return made;
        }
        let pointer = self.pointer(number);
        let element = match kind(self.fusion.dtype(value)) {
            Some((_, element)) => element,
            None => Element::Truth,
        };
        let made = self.push(match reach(self.fusion, value, self.width) {
            Some(Reach::One) => Inst::Single { pointer, element },
            Some(Reach::OfRow) if self.width >= LONG => Inst::Single { pointer, element },
            _ => Inst::Load { pointer, element },
        });
        self.made.insert(number, made);
        made
    }

    /// What the run reads from memory, and what it writes there.
    pub fn outside(&self) -> Member {
        let of = |writes: bool| -> Box<[u32]> {
            let touched = self.program.insts.iter().filter_map(|inst| match *inst {
                Inst::Store { pointer, .. } if writes => Some(pointer),
                Inst::Load { pointer, .. } | Inst::Single { pointer, .. } if !writes => {
                    Some(pointer)
                }
                _ => None,
            });
            touched
                .map(|pointer| self.values[pointer as usize])
                .collect()
        };
        Member {
            ins: of(false),
            outs: of(true),
        }
    }

    /// Whether the rows of all that is read and written follow one another from tile to tile, or are one for all.
    pub fn follows(&self) -> bool {
        let value = |number: &u32| self.fusion.values[*number as usize];
        let mut values = self.values.iter().map(value);
        values.all(|value| !matches!(value, Value::Broadcast(..)))
    }

    /// How rows are taken.
    pub fn rows(&self) -> Option<Rows> {
        let value = |number: &u32| self.fusion.values[*number as usize];
        let reaches = self
            .values
            .iter()
            .map(|number| reach(self.fusion, value(number), self.width));
        let reaches: Vec<Reach> = reaches.collect::<Option<_>>()?;
        let repeats = |reach: &Reach| !matches!(reach, Reach::Each | Reach::One);
        if !reaches.iter().any(repeats) {
            return Some(Rows::AsOne);
        }
        let is_long = self.width >= LONG;
        let count = if is_long {
            1
        } else {
            LONG.div_ceil(self.width)
        };
        let size = |number: &u32| self.fusion.dtype(value(number)).size();
        let step = |(number, reach): (&u32, &Reach)| match reach {
            Reach::OfRow if is_long => size(number),
            Reach::Apart(step) => step * size(number),
            Reach::Each | Reach::OfRow => count * self.width * size(number),
            Reach::One | Reach::Row | Reach::Within(_) => 0,
        };
        let values = || self.values.iter().zip(&reaches);
        let steps = values().map(step).collect();
        if is_long {
            return Some(Rows::OneByOne(steps));
        }
        let repeated = values()
            .enumerate()
            .filter(|(_, (_, reach))| repeats(reach));
        let repeated = repeated.map(|(pointer, (number, reach))| {
            let within = match *reach {
                Reach::OfRow => None,
                Reach::Within(index) => Some(index),
                _ => Some(BroadcastIndex {
                    every: 1,
                    count: self.width,
                }),
            };
            let rows = within.map_or(self.fusion.tile, |_| count);
            Repeated {
                pointer,
                size: size(number),
                within,
                changes: within.is_none() || matches!(value(number), Value::Broadcast(..)),
                bytes: rows * self.width * size(number),
            }
        });
        Some(Rows::Together(Together {
            count,
            repeated: repeated.collect(),
            steps,
        }))
    }

    pub fn finish(mut self) -> Program {
        let sums = |inst: &Inst| matches!(inst, Inst::Sum { .. });
        let has_sums = self.program.insts.iter().any(sums);
        self.program.pointers = self.values.len() as u32 + u32::from(has_sums);
        self.program
    }
}
