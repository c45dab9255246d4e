//! Steps as a program: each element of a slot is a variable.

use super::Constants;
use super::codegen_eligibility::{computed, length};
use super::functions::{Scalar, divides, raw_type};
use super::moved::{Element, Indexed, indexed, moved};
use super::product::product;
use crate::compile::lower::{Program, SlotInfo, Storage};
use crate::compile::reads::each_read;
use crate::plan::{
    Action, Block, Bound, Conditional, ENTRY, HostCall, HostWork, Loop, Move, Part, Path, Slot,
    SlotSet, Step, Taken,
};
use ferrograph_graph::{IndexTerm, Kernel};
use ferrograph_machine::{Arg, Each, Inst, Op, Place, Program as Machine, Type, Var};
use ferrograph_tensor::{DType, Shape};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::ops::Range;

pub(super) struct Writer<'a> {
    slots: &'a [SlotInfo],
    constants: &'a Constants<'a>,
    /// The variable of a slot's first element; those of the others follow it.
    vars: HashMap<Slot, Var, FixedState>,
    machine: Machine,
    /// Slots that surely have been written here.
    full: SlotSet,
    /// Slots that are written here, now and then.
    written: Vec<Slot>,
    /// Slots of which the code reads what is in memory when it is entered.
    entering: Vec<Slot>,
    hosts: Vec<HostCall>,
    /// Slots that kernels read in place.
    in_memory: Vec<Slot>,
    drops: Vec<Slot>,
    path: Path,
}

impl<'a> Writer<'a> {
    /// A writer of one part.
    pub fn new(program: &'a Program, constants: &'a Constants<'a>) -> Writer<'a> {
        Writer {
            slots: &program.slots,
            constants,
            vars: HashMap::default(),
            machine: Machine::default(),
            full: SlotSet::new(program.slots.len()),
            written: Vec::new(),
            entering: Vec::new(),
            hosts: Vec::new(),
            in_memory: Vec::new(),
            drops: Vec::new(),
            path: Path::new(),
        }
    }

    /// The part that the steps in a range are; `reads` says how often slots are read in the whole plan.
    pub fn part(mut self, steps: &[Step], range: Range<usize>, reads: &[u32], loops: bool) -> Part {
        let steps = &steps[range.clone()];
        let mut body = Vec::new();
        for (i, step) in range.clone().zip(steps) {
            self.path.push(i as u32);
            self.step(step, &mut body);
            self.path.pop();
        }
        let mut inside = vec![0; self.slots.len()];
        for step in steps {
            each_read(step, &mut |slot| inside[slot as usize] += 1);
        }
        let mut leaving = self.written.clone();
        leaving.sort_unstable();
        leaving.dedup();
        leaving.retain(|&slot| reads[slot as usize] > inside[slot as usize]);
        for &slot in &leaving {
            self.enter(slot);
        }
        let fresh = self.fresh(&leaving);
        for &slot in &leaving {
            let stores = self.stores(slot);
            self.machine.stores.extend(stores);
        }
        for slot in self.entering.clone() {
            let loads = self.loads(slot);
            self.machine.loads.extend(loads);
        }
        self.machine.body = body;
        self.drops.sort_unstable();
        self.drops.dedup();
        self.drops.retain(|slot| !leaving.contains(slot));
        Part::new(
            range,
            self.machine,
            self.hosts,
            fresh,
            self.drops.into(),
            loops,
        )
    }

    /// The tensors that the code writes: those that stay behind, and those that kernels read.
    fn fresh(&self, leaving: &[Slot]) -> Box<[(Slot, DType, Shape)]> {
        let mut slots = [leaving, &self.in_memory].concat();
        slots.retain(|&slot| {
            self.info(slot).storage == Storage::Boxed && self.written.contains(&slot)
        });
        slots.sort_unstable();
        slots.dedup();
        let typed = slots.into_iter().filter_map(|slot| {
            let info = self.info(slot);
            Some((slot, info.dtype, info.shape.clone()?))
        });
        typed.collect()
    }

    fn info(&self, slot: Slot) -> &'a SlotInfo {
        &self.slots[slot as usize]
    }

    fn length(&self, slot: Slot) -> usize {
        self.info(slot).shape.as_ref().map_or(0, Shape::n_elements)
    }

    fn type_of(&self, slot: Slot) -> Type {
        raw_type(self.info(slot).dtype).unwrap_or(Type::Bool)
    }

    pub(super) fn new_var(&mut self, t: Type) -> Var {
        self.machine.vars.push(t);
        self.machine.vars.len() as Var - 1
    }

    /// The variable of a slot's first element.
    pub(super) fn var(&mut self, slot: Slot) -> Var {
        if let Some(&var) = self.vars.get(&slot) {
            return var;
        }
        let (t, n) = (self.type_of(slot), self.length(slot));
        let first = self.machine.vars.len() as Var;
        self.machine.vars.extend(std::iter::repeat_n(t, n));
        self.vars.insert(slot, first);
        self.hold(first, t, n);
        first
    }

    /// Has vectors hold variables that follow one another, where they may.
    pub(super) fn hold(&mut self, first: Var, t: Type, n: usize) {
        if Self::in_vectors(t, n) {
            self.machine.runs.push((first, n as u32));
        }
    }

    /// Whether vectors hold so many values of a type.
    pub(super) fn in_vectors(t: Type, n: usize) -> bool {
        Each::is_spelled() && t.is_float() && n > 1
    }

    /// Whether vectors hold the elements of a slot.
    fn is_run(&self, slot: Slot) -> bool {
        Self::in_vectors(self.type_of(slot), self.length(slot))
    }

    /// Says that a slot holds a value from before, unless it surely was written here.
    fn enter(&mut self, slot: Slot) {
        if !self.full.has(slot) {
            self.full.add(slot);
            self.entering.push(slot);
            self.var(slot);
        }
    }

    pub(super) fn read(&mut self, slot: Slot, element: usize) -> Arg {
        if let Some(tensor) = self.constants.get(&slot) {
            let size = self.type_of(slot).bytes() as usize;
            let mut bits = [0; 8];
            bits[..size].copy_from_slice(&tensor.bytes()[element * size..][..size]);
            return Arg::Bits(u64::from_le_bytes(bits));
        }
        self.enter(slot);
        Arg::Var(self.var(slot) + element as Var)
    }

    pub(super) fn write(&mut self, slot: Slot) -> Var {
        self.full.add(slot);
        self.written.push(slot);
        self.var(slot)
    }

    fn places(&self, slot: Slot) -> impl Iterator<Item = Place> + use<> {
        let size = self.type_of(slot).bytes();
        (0..self.length(slot) as u32).map(move |i| Place {
            pointer: slot,
            offset: i * size,
        })
    }

    fn stores(&mut self, slot: Slot) -> Vec<(Arg, Type, Place)> {
        let (var, t) = (self.var(slot), self.type_of(slot));
        let stores = (var..).zip(self.places(slot));
        stores.map(|(v, place)| (Arg::Var(v), t, place)).collect()
    }

    fn loads(&mut self, slot: Slot) -> Vec<(Place, Var)> {
        let var = self.var(slot);
        self.places(slot).zip(var..).collect()
    }

    fn step(&mut self, step: &Step, out: &mut Vec<Inst>) {
        match &step.action {
            Action::Kernel(bound) => self.kernel(bound, out),
            Action::Alias { from, to, .. } => self.copy(*from, *to, out),
            Action::If(branch) => self.branch(branch, out),
            Action::While(repeat) => self.repeat(repeat, out),
            Action::Object { bound, .. } => {
                let call = self.call(bound);
                out.push(call);
            }
            Action::Eval { ins, .. } => self.assertion(ins, out),
            Action::Update { .. } => {}
        }
        self.dropped(&step.drops, out);
    }

    /// Drops what is in memory alone; copies of what registers hold are dropped when the code is left.
    fn dropped(&mut self, drops: &[Slot], out: &mut Vec<Inst>) {
        let slots = self.slots;
        let is_held = |slot: &Slot| length(slots, *slot).is_ok();
        self.drops.extend(drops.iter().filter(|slot| is_held(slot)));
        let drops: Box<[Slot]> = drops
            .iter()
            .copied()
            .filter(|slot| !is_held(slot))
            .collect();
        if drops.is_empty() {
            return;
        }
        let call = self.asked(HostWork::Drop);
        if let Some(host) = self.hosts.last_mut() {
            host.drops = drops;
        }
        out.push(call);
    }

    fn copy(&mut self, from: Slot, to: Slot, out: &mut Vec<Inst>) {
        let from = (0..self.length(to)).map(|i| self.read(from, i)).collect();
        let to = self.write(to);
        out.push(Inst::Copies { to, from });
    }

    /// Moves on that side of the step at hand.
    fn moves(&mut self, side: u32, moves: &[Move], out: &mut Vec<Inst>) {
        for (at, step) in moves.iter().enumerate() {
            match *step {
                Move::Bytes { from, to, .. } => self.copy(from, to, out),
                Move::Tensor { .. } => out.push(self.asked(HostWork::Move(side, at))),
            }
        }
    }

    fn kernel(&mut self, bound: &Bound<Kernel>, out: &mut Vec<Inst>) {
        if let Some(scalar) = computed(self.slots, bound) {
            self.map(scalar, bound, out);
        } else if let Some(of) = product(self.slots, bound) {
            self.product(bound, &of, out);
        } else if let Some(parts) = moved(self.slots, bound) {
            self.rearrange(bound, &parts, out);
        } else if let Some(found) = indexed(self.slots, bound) {
            self.read_indexed(bound, &found, out);
        } else {
            let call = self.call(bound);
            out.push(call);
        }
    }

    /// Elements at other places.
    fn rearrange(&mut self, bound: &Bound<Kernel>, parts: &[Vec<Element>], out: &mut Vec<Inst>) {
        for (&to, elements) in bound.outs.iter().zip(parts) {
            let values = elements.iter().map(|&(slot, i)| self.read(slot, i));
            let from = values.collect();
            let to = self.write(to);
            out.push(Inst::Copies { to, from });
        }
    }

    /// Elements that an index names, from memory; the kernel says what is wrong with the index.
    fn read_indexed(&mut self, bound: &Bound<Kernel>, found: &Indexed<'_>, out: &mut Vec<Inst>) {
        let (mut place, mut wrong) = (Arg::Bits(0), None);
        for term in found.terms {
            let index = self.place_along(found.index, term, out);
            let len = Arg::Bits(term.len as u64);
            for (op, than) in [(Op::Less, Arg::Bits(0)), (Op::GreaterEqual, len)] {
                let outside = self.computed(op, Type::I64, [index, than], out);
                wrong = Some(self.either(wrong, outside, out));
            }
            let stride = Arg::Bits(term.stride as u64);
            let step = self.compute(Op::Mul, Type::I64, Type::I64, &[index, stride], out);
            place = self.compute(Op::Add, Type::I64, Type::I64, &[place, step], out);
        }
        let to = bound.outs[0];
        let read = Inst::Read {
            stores: self.put(found.from),
            pointer: found.from,
            at: place,
            loads: found.elements.iter().copied().zip(self.var(to)..).collect(),
        };
        match wrong {
            None => out.push(read),
            Some(condition) => {
                let call = self.call(bound);
                out.push(Inst::If {
                    condition,
                    then_side: vec![call],
                    else_side: vec![read],
                });
            }
        }
        self.write(to);
    }

    /// An entry of an index as a number of places from the begin of its axis.
    fn place_along(&mut self, index: Slot, term: &IndexTerm, out: &mut Vec<Inst>) -> Arg {
        let (entry, t) = (self.read(index, term.entry), self.type_of(index));
        let at = self.compute(Op::Cast, t, Type::I64, &[entry], out);
        if !term.wraps {
            return at;
        }
        let len = Arg::Bits(term.len as u64);
        let is_negative = self.computed(Op::Less, Type::I64, [at, Arg::Bits(0)], out);
        let around = self.compute(Op::Add, Type::I64, Type::I64, &[at, len], out);
        let args = [is_negative, around, at];
        self.compute(Op::Select, Type::I64, Type::I64, &args, out)
    }

    /// The operation at hand, which fails, where a condition does not hold.
    fn assertion(&mut self, ins: &[Taken], out: &mut Vec<Inst>) {
        let condition = self.read(ins[0].slot, 0);
        let mut stores = Vec::new();
        for taken in ins {
            stores.extend(self.put(taken.slot));
            if taken.last {
                self.drops.push(taken.slot);
            }
        }
        let call = Inst::Host {
            number: self.host(HostWork::Run),
            stores,
            loads: Vec::new(),
        };
        out.push(Inst::If {
            condition,
            then_side: Vec::new(),
            else_side: vec![call],
        });
    }

    fn map(&mut self, scalar: Scalar, bound: &Bound<Kernel>, out: &mut Vec<Inst>) {
        let to = bound.outs[0];
        let args = (0..self.length(to)).map(|element| {
            let mut args = [Arg::Bits(0); 3];
            for (arg, &slot) in args.iter_mut().zip(&bound.ins) {
                let at = self.broadcast(slot, to, element);
                *arg = self.read(slot, at);
            }
            args
        });
        let args: Vec<[Arg; 3]> = args.collect();
        let mut insts = self.elements(scalar, bound, args);
        if let Scalar::Op(op, on) = scalar
            && divides(op, on)
            && let Some(condition) = self.any_zero(bound.ins[1], on, out)
        {
            let call = self.call(bound);
            out.push(Inst::If {
                condition,
                then_side: vec![call],
                else_side: insts,
            });
        } else {
            out.append(&mut insts);
        }
        self.write(to);
    }

    /// What sets the elements of a result.
    fn elements(
        &mut self,
        scalar: Scalar,
        bound: &Bound<Kernel>,
        args: Vec<[Arg; 3]>,
    ) -> Vec<Inst> {
        let to = bound.outs[0];
        let (first, t) = (self.var(to), self.type_of(to));
        let in_lanes = match scalar {
            Scalar::Spelled(function, on) => Some((function, on)),
            Scalar::Op(op, on) => {
                let of = match (op, on) {
                    (Op::Cast, Type::Bool) => Some(t),
                    (Op::Cast, _) => None,
                    _ => (on == t || op.is_comparison()).then_some(on),
                };
                of.filter(|&of| Self::in_vectors(of, args.len()))
                    .map(|of| (Each::Op(op), of))
            }
            Scalar::Call(_) => None,
        };
        if let Some((function, on)) = in_lanes {
            let to = first;
            return vec![Inst::Each {
                function,
                on,
                to,
                args,
            }];
        }
        let mut insts = Vec::with_capacity(args.len() + 1);
        // A vector is set at once.
        let is_run = self.is_run(to);
        let vars: Vec<Var> = (first..)
            .take(args.len())
            .map(|var| if is_run { self.new_var(t) } else { var })
            .collect();
        for (&to, args) in vars.iter().zip(args) {
            match scalar {
                Scalar::Op(op, on) => insts.push(Inst::Compute { op, on, to, args }),
                Scalar::Call(function) => insts.push(Inst::Call {
                    function,
                    to,
                    args: [args[0], args[1]],
                }),
                Scalar::Spelled(..) => {}
            }
        }
        if is_run {
            let from = vars.into_iter().map(Arg::Var).collect();
            insts.push(Inst::Copies { to: first, from });
        }
        insts
    }

    /// Which element of an operand stands at an element of the result.
    fn broadcast(&self, from: Slot, to: Slot, element: usize) -> usize {
        let (Some(from), Some(to)) = (&self.info(from).shape, &self.info(to).shape) else {
            return 0;
        };
        let (mut rest, mut stride, mut at) = (element, 1, 0);
        for back in 1..=to.len() {
            let size = to[to.len() - back];
            let here = rest % size;
            rest /= size;
            if back <= from.len() && from[from.len() - back] != 1 {
                at += here * stride;
                stride *= from[from.len() - back];
            }
        }
        at
    }

    /// Whether there is a zero in a slot, where that is not known.
    fn any_zero(&mut self, slot: Slot, on: Type, out: &mut Vec<Inst>) -> Option<Arg> {
        let mut found: Option<Arg> = None;
        for element in 0..self.length(slot) {
            let value = self.read(slot, element);
            if matches!(value, Arg::Bits(bits) if bits != 0) {
                continue;
            }
            let zero = self.computed(Op::Equal, on, [value, Arg::Bits(0)], out);
            found = Some(self.either(found, zero, out));
        }
        found
    }

    fn either(&mut self, before: Option<Arg>, now: Arg, out: &mut Vec<Inst>) -> Arg {
        match before {
            Some(before) => self.computed(Op::Or, Type::Bool, [before, now], out),
            None => now,
        }
    }

    /// A bool.
    fn computed(&mut self, op: Op, on: Type, args: [Arg; 2], out: &mut Vec<Inst>) -> Arg {
        self.compute(op, on, Type::Bool, &args, out)
    }

    /// A new variable of type `t`.
    fn compute(&mut self, op: Op, on: Type, t: Type, args: &[Arg], out: &mut Vec<Inst>) -> Arg {
        let to = self.new_var(t);
        let mut all = [Arg::Bits(0); 3];
        all[..args.len()].copy_from_slice(args);
        out.push(Inst::Compute {
            op,
            on,
            to,
            args: all,
        });
        Arg::Var(to)
    }

    /// The kernel of the step at hand, as it is.
    fn call<K>(&mut self, bound: &Bound<K>) -> Inst {
        let mut stores = Vec::new();
        for &slot in &bound.ins {
            stores.extend(self.put(slot));
        }
        let loads = self.made(&bound.outs);
        Inst::Host {
            number: self.host(HostWork::Run),
            stores,
            loads,
        }
    }

    /// What brings values that the host made to registers, where these hold them.
    fn made(&mut self, made: &[Slot]) -> Vec<(Place, Var)> {
        let slots = self.slots;
        let mut loads = Vec::new();
        for &slot in made.iter().filter(|slot| length(slots, **slot).is_ok()) {
            self.full.add(slot);
            if self.info(slot).storage != Storage::Boxed {
                self.written.push(slot);
            }
            loads.extend(self.loads(slot));
        }
        loads
    }

    /// What brings a slot's value to where kernels read it.
    fn put(&mut self, slot: Slot) -> Vec<(Arg, Type, Place)> {
        if self.constants.contains_key(&slot) || length(self.slots, slot).is_err() {
            return Vec::new();
        }
        self.enter(slot);
        self.in_memory.push(slot);
        match self.written.contains(&slot) {
            true => self.stores(slot),
            false => Vec::new(),
        }
    }

    fn host(&mut self, what: HostWork) -> u32 {
        self.hosts.push(HostCall {
            what,
            path: self.path.clone(),
            drops: Box::default(),
        });
        self.hosts.len() as u32 - 1
    }

    /// A block on that side of the step at hand.
    fn block(&mut self, side: u32, block: &Block, out: &mut Vec<Inst>) {
        self.dropped(&block.entry_drops, out);
        self.path.push(side);
        for (i, step) in (0..).zip(&block.steps) {
            self.path.push(i);
            self.step(step, out);
            self.path.pop();
        }
        self.path.pop();
    }

    fn branch(&mut self, branch: &Conditional, out: &mut Vec<Inst>) {
        let condition = self.read(branch.condition, 0);
        let entered = self.entering.len();
        let before = self.full.clone();
        let mut then_side = Vec::new();
        self.block(0, &branch.then_block, &mut then_side);
        self.moves(0, &branch.then_block.moves, &mut then_side);
        let then_full = std::mem::replace(&mut self.full, before);
        let mut else_side = Vec::new();
        for &slot in &self.entering[entered..] {
            self.full.add(slot);
        }
        self.block(1, &branch.else_block, &mut else_side);
        self.moves(1, &branch.else_block.moves, &mut else_side);
        self.full.intersect(&then_full);
        for &slot in &self.entering[entered..] {
            self.full.add(slot);
        }
        out.push(Inst::If {
            condition,
            then_side,
            else_side,
        });
    }

    fn repeat(&mut self, repeat: &Loop, out: &mut Vec<Inst>) {
        self.moves(ENTRY, &repeat.entry, out);
        if repeat.recorded.is_some() {
            out.push(self.asked(HostWork::Begin));
        }
        let mut head = Vec::new();
        self.block(0, &repeat.cond_block, &mut head);
        let condition = self.read(repeat.condition, 0);
        let (after_head, entered) = (self.full.clone(), self.entering.len());
        let mut body = Vec::new();
        self.block(1, &repeat.body, &mut body);
        self.records(repeat, &mut body);
        self.moves(1, &repeat.body.moves, &mut body);
        self.full = after_head;
        for &slot in &self.entering[entered..] {
            self.full.add(slot);
        }
        out.push(Inst::Loop {
            head,
            condition,
            body,
        });
        self.dropped(&repeat.exit_drops, out);
        if let Some((_, lists)) = &repeat.recorded {
            let loads = self.made(lists);
            out.push(Inst::Host {
                number: self.host(HostWork::End),
                stores: Vec::new(),
                loads,
            });
        }
    }

    fn records(&mut self, repeat: &Loop, body: &mut Vec<Inst>) {
        if repeat.recorded.is_none() {
            return;
        }
        let mut stores = Vec::new();
        for record in &repeat.body.records {
            stores.extend(self.put(record.from.slot));
        }
        body.push(Inst::Host {
            number: self.host(HostWork::Record),
            stores,
            loads: Vec::new(),
        });
    }

    fn asked(&mut self, what: HostWork) -> Inst {
        Inst::Host {
            number: self.host(what),
            stores: Vec::new(),
            loads: Vec::new(),
        }
    }
}
