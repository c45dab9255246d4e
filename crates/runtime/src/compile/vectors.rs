//! Which members of a joined step become vector code, and the programs of it.
//!
//! Members whose function is vector code and that make rows of one width form runs. A member joins the first run that
//! stands behind all that it needs; the others keep their kernels, in their order. Variables, of which any two may be
//! one, are read and written in the order of the members. What only its own run needs is never written.

use super::machine::{Scalar, scalar};
use super::rows::Doing;
use super::tile::{Joining, Run, Value};
use crate::plan::{self, Bound, Member, Order, Task, Vectors};
use ferrograph_graph::{Kernel, ScalarCode};
use ferrograph_machine::vector::{Element, Float, Inst, Loop, Program};
use ferrograph_machine::{Op, Type};
use ferrograph_ops::AssignKind;
use ferrograph_tensor::DType;
use hashbrown::HashMap;

/// Members of a run, at most, so that making its loop takes microseconds.
const MOST: usize = 64;

/// Elements of rows, at least, that are taken one by one, because something repeats along them or from row to row.
const LONG: usize = 192;

/// How a value goes with the rows that a member makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// An element for each.
    Each,
    /// One element for all.
    One,
    /// An element for each row.
    OfRow,
    /// One row for all.
    Row,
}

/// What a member does to each element.
#[derive(Clone, Copy)]
enum Function {
    Compute(Op),
    /// The value as it is.
    Same,
}

/// A member that may be vector code.
#[derive(Clone, Copy)]
struct Elementwise {
    function: Function,
    /// The type of its numbers, where it has some.
    float: Option<Float>,
    /// Elements of a row of what it makes.
    width: usize,
}

/// Members that are done together.
enum Group {
    /// One, by its kernel.
    Kernel(usize),
    /// Some, in their order.
    Run(Option<Float>, usize, Vec<usize>),
}

impl Group {
    fn takes(&self, member: &Elementwise) -> bool {
        let Group::Run(float, width, members) = self else {
            return false;
        };
        let fits = float.is_none() || member.float.is_none() || *float == member.float;
        fits && *width == member.width && members.len() < MOST
    }

    fn members(&self) -> &[usize] {
        match self {
            Group::Kernel(member) => std::slice::from_ref(member),
            Group::Run(_, _, members) => members,
        }
    }
}

/// The order of a joined step's tasks with vector code, where there is some.
pub(super) fn vectors(joining: &Joining<'_>) -> Option<Vectors> {
    if !joining.facts.vectors || !Loop::is_supported() {
        return None;
    }
    let groups = worth(grouped(joining));
    let mut runs = Vec::new();
    let mut steps: Vec<Member> = Vec::with_capacity(groups.len());
    let mut tasks = Vec::with_capacity(groups.len());
    for (at, group) in groups.iter().enumerate() {
        match group {
            Group::Kernel(member) => {
                tasks.push(Task::Member(*member));
                steps.push(joining.members[*member].clone());
            }
            Group::Run(float, width, members) => {
                let is_needed = |value: u32| is_needed(joining, &groups, at, value);
                let mut writer = Writer::new(joining, (*float)?, *width);
                members
                    .iter()
                    .try_for_each(|&member| writer.member(member, &is_needed))?;
                tasks.push(Task::Run(runs.len()));
                steps.push(writer.outside());
                runs.push(plan::Run {
                    operations: members
                        .iter()
                        .filter_map(|&m| operation(joining, m))
                        .collect(),
                    values: writer.values.clone().into(),
                    width: *width,
                    steps: writer.steps(),
                    program: writer.finish(),
                });
            }
        }
    }
    let (places, scratch_bytes, bool_bytes) = joining.places(&steps);
    let order = Order {
        tasks,
        places,
        scratch_bytes,
        bool_bytes,
    };
    let elements = joining.touched(&steps);
    (!runs.is_empty()).then(|| Vectors::new(order, runs, elements))
}

/// The operation that a member does, by its number; of copies, none.
fn operation(joining: &Joining<'_>, member: usize) -> Option<usize> {
    match joining.runs[member] {
        Run::Part(part) => Some(part),
        _ => None,
    }
}

/// What a member does, where that may be vector code.
fn elementwise(joining: &Joining<'_>, at: usize) -> Option<Elementwise> {
    let member = &joining.members[at];
    let &[out] = &member.outs[..] else {
        return None;
    };
    let value = |number: u32| joining.values[number as usize];
    let out = value(out);
    let width = joining.width(out);
    let function = function(joining, at)?;
    let mut float = None;
    for value in member.ins.iter().map(|&number| value(number)).chain([out]) {
        reach(joining, value, width)?;
        let of_value = match joining.dtype(value) {
            DType::Float32 => Some(Float::F32),
            DType::Float64 => Some(Float::F64),
            DType::Bool => None,
            _ => return None,
        };
        if float.is_some() && of_value.is_some() && float != of_value {
            return None;
        }
        float = float.or(of_value);
    }
    Some(Elementwise {
        function,
        float,
        width,
    })
}

/// How a value goes with rows of that width; none for others.
fn reach(joining: &Joining<'_>, value: Value, width: usize) -> Option<Reach> {
    let is_long = width >= LONG;
    match value {
        Value::All(_) => match joining.elements(value) {
            1 => Some(Reach::One),
            n => (n == width && is_long).then_some(Reach::Row),
        },
        value => match joining.width(value) {
            n if n == width => Some(Reach::Each),
            n => (n == 1 && is_long).then_some(Reach::OfRow),
        },
    }
}

fn function(joining: &Joining<'_>, at: usize) -> Option<Function> {
    match joining.runs[at] {
        Run::Feed(..) | Run::Update(AssignKind::Set, _) => None,
        Run::Copy => Some(Function::Same),
        Run::Update(AssignKind::Add, _) => Some(Function::Compute(Op::Add)),
        Run::Update(AssignKind::Sub, _) => Some(Function::Compute(Op::Sub)),
        Run::Part(part) => {
            let Doing::Compute(bound) = joining.parts[part].doing else {
                return None;
            };
            if bound.reduced.is_some() || bound.repeats {
                return None;
            }
            let slots = joining.facts.slots();
            if let Some(op) = power(joining, bound) {
                return Some(Function::Compute(op));
            }
            let Scalar::Op(op, on) = scalar(slots, bound)? else {
                return None;
            };
            let to = slots[bound.outs[0] as usize].dtype;
            let keeps = matches!((on, to), (Type::Bool, DType::Bool))
                || matches!(
                    (on, to),
                    (Type::F32, DType::Float32) | (Type::F64, DType::Float64)
                );
            match op {
                Op::Cast if keeps => Some(Function::Same),
                Op::FloorMod | Op::TruncateMod => None,
                op => Some(Function::Compute(op)),
            }
        }
    }
}

/// The function that a power with a constant exponent is, where it is one.
fn power(joining: &Joining<'_>, bound: &Bound<Kernel>) -> Option<Op> {
    if bound.code != Some(ScalarCode::Pow) {
        return None;
    }
    let exponent = joining.facts.constants.get(&bound.ins[1])?;
    let is_two = match exponent.dtype() {
        DType::Float32 => exponent.as_slice::<f32>().ok()? == [2.0],
        DType::Float64 => exponent.as_slice::<f64>().ok()? == [2.0],
        _ => false,
    };
    is_two.then_some(Op::Square)
}

/// The members in groups, each behind those that it needs.
fn grouped(joining: &Joining<'_>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut made: HashMap<u32, usize> = HashMap::new();
    // The last groups that read memory which changes, and that wrote some.
    let (mut read, mut written) = (None, None);
    for (at, member) in joining.members.iter().enumerate() {
        let changes = |&&number: &&u32| joining.may_change(number);
        let reads = member.ins.iter().find(changes).is_some();
        let writes = member.outs.iter().find(changes).is_some();
        let mut behind = member
            .ins
            .iter()
            .filter_map(|number| made.get(number).copied())
            .max();
        if reads || writes {
            behind = behind.max(written);
        }
        if writes {
            behind = behind.max(read);
        }
        let elementwise = elementwise(joining, at);
        let found = elementwise.and_then(|member| {
            let from = behind.unwrap_or(0);
            let places = groups.iter_mut().enumerate().skip(from);
            let mut fitting = places.filter(|(_, group)| group.takes(&member));
            fitting.next().map(|(place, group)| {
                if let Group::Run(float, _, members) = group {
                    *float = float.or(member.float);
                    members.push(at);
                }
                place
            })
        });
        let place = found.unwrap_or_else(|| {
            groups.push(match elementwise {
                Some(member) => Group::Run(member.float, member.width, vec![at]),
                None => Group::Kernel(at),
            });
            groups.len() - 1
        });
        made.extend(member.outs.iter().map(|&out| (out, place)));
        if reads {
            read = read.max(Some(place));
        }
        if writes {
            written = written.max(Some(place));
        }
    }
    groups
}

/// Leaves runs of one member, and those without numbers, to the kernels.
fn worth(groups: Vec<Group>) -> Vec<Group> {
    let kernels = |members: Vec<usize>| members.into_iter().map(Group::Kernel).collect();
    let each = groups.into_iter().flat_map(|group| -> Vec<Group> {
        match group {
            Group::Run(float, _, members) if float.is_none() || members.len() < 2 => {
                kernels(members)
            }
            group => vec![group],
        }
    });
    each.collect()
}

/// Whether what a group makes is needed outside of it.
fn is_needed(joining: &Joining<'_>, groups: &[Group], at: usize, value: u32) -> bool {
    let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
    let mut members = others.flat_map(|(_, group)| group.members());
    joining.is_output(value) || members.any(|&member| joining.members[member].ins.contains(&value))
}

/// Writes the program of a run.
struct Writer<'a> {
    joining: &'a Joining<'a>,
    program: Program,
    /// The values that pointers point to.
    values: Vec<u32>,
    /// Elements of a row.
    width: usize,
    /// The instructions that made the values at hand.
    made: HashMap<u32, u32>,
}

impl<'a> Writer<'a> {
    fn new(joining: &'a Joining<'a>, float: Float, width: usize) -> Writer<'a> {
        Writer {
            joining,
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

    fn member(&mut self, at: usize, is_needed: &dyn Fn(u32) -> bool) -> Option<()> {
        let member = &self.joining.members[at];
        let mut args = [0; 3];
        for (arg, &number) in args.iter_mut().zip(&member.ins) {
            *arg = self.value(number);
        }
        let made = match elementwise(self.joining, at)?.function {
            Function::Same => args[0],
            Function::Compute(op) => self.push(Inst::Compute { op, args }),
        };
        let &out = member.outs.first()?;
        let is_variable = self.joining.is_variable(out);
        if is_variable {
            // Any other variable may be this one.
            let joining = self.joining;
            self.made.retain(|&number, _| !joining.is_variable(number));
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
        let pointer = self.pointer(number);
        let value = self.joining.values[number as usize];
        let element = match self.joining.dtype(value) {
            DType::Bool => Element::Truth,
            _ => Element::Number,
        };
        let made = self.push(match reach(self.joining, value, self.width) {
            Some(Reach::One | Reach::OfRow) => Inst::Single { pointer, element },
            _ => Inst::Load { pointer, element },
        });
        self.made.insert(number, made);
        made
    }

    /// What the run reads from memory, and what it writes there.
    fn outside(&self) -> Member {
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

    /// Bytes from row to row of each value, where rows are not taken as one.
    fn steps(&self) -> Option<Box<[usize]>> {
        let value = |number: &u32| self.joining.values[*number as usize];
        let reaches = self
            .values
            .iter()
            .map(|number| reach(self.joining, value(number), self.width));
        let reaches: Vec<Reach> = reaches.collect::<Option<_>>()?;
        let step = |(number, reach): (&u32, &Reach)| match reach {
            Reach::Each => self.width * self.joining.dtype(value(number)).size(),
            Reach::OfRow => self.joining.dtype(value(number)).size(),
            Reach::One | Reach::Row => 0,
        };
        let mut repeats = reaches
            .iter()
            .map(|r| matches!(r, Reach::OfRow | Reach::Row));
        repeats
            .any(|repeats| repeats)
            .then(|| self.values.iter().zip(&reaches).map(step).collect())
    }

    fn finish(mut self) -> Program {
        self.program.pointers = self.values.len() as u32;
        self.program
    }
}
