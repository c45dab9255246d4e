//! Elements in the lanes of vector registers of 128 bits.
//!
//! A run of variables is held by vectors: each by the next of them, whose last lanes may be unused and hold anything.
//! Operands of elements are put together where they are not lanes of one vector already.

mod circular;
mod functions;

use crate::emit::Emitter;
use crate::program::Each;
use crate::scalar::{Operand, compute, constant, machine_type};
use crate::{Arg, Op, Place, Type, Var};
use cranelift_codegen::ir::{self, Endianness, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};

/// Bytes of a vector.
const BYTES: usize = 16;

/// Where a variable of a program is.
#[derive(Clone, Copy)]
pub(crate) enum Home {
    /// In a register of its own.
    Alone(Variable),
    /// In that lane of a vector, of which so many are used.
    Lane(Variable, u8, u8),
}

/// Lanes of a vector of a type.
fn lanes(t: Type) -> usize {
    BYTES / t.bytes() as usize
}

/// The type of vectors of floats of a type.
fn vector_type(t: Type) -> ir::Type {
    match t {
        Type::F32 => types::F32X4,
        _ => types::F64X2,
    }
}

/// The same bits as a value of another vector type.
pub(crate) fn as_type(b: &mut FunctionBuilder<'_>, t: ir::Type, value: Value) -> Value {
    if b.func.dfg.value_type(value) == t {
        return value;
    }
    let flags = MemFlagsData::new().with_endianness(Endianness::Little);
    b.ins().bitcast(t, flags, value)
}

/// A vector with these bits in each lane.
pub(crate) fn repeated(b: &mut FunctionBuilder<'_>, t: Type, bits: u64) -> Value {
    let all = vec![bits; lanes(t)];
    of_bits(b, t, &all)
}

/// A vector of these bits.
fn of_bits(b: &mut FunctionBuilder<'_>, t: Type, bits: &[u64]) -> Value {
    let size = t.bytes() as usize;
    let mut bytes = Vec::with_capacity(BYTES);
    for one in bits {
        bytes.extend(&one.to_le_bytes()[..size]);
    }
    bytes.resize(BYTES, 0);
    let constant = b.func.dfg.constants.insert(bytes.into());
    b.ins().vconst(vector_type(t), constant)
}

/// The homes of the variables of a program.
pub(crate) fn homes(b: &mut FunctionBuilder<'_>, vars: &[Type], runs: &[(Var, u32)]) -> Vec<Home> {
    let mut held = vec![None; vars.len()];
    for &(first, n) in runs {
        let (first, t) = (first as usize, vars[first as usize]);
        let all: Vec<usize> = (first..first + n as usize).collect();
        for part in all.chunks(lanes(t)) {
            let vector = b.declare_var(vector_type(t));
            for (lane, &var) in part.iter().enumerate() {
                held[var] = Some(Home::Lane(vector, lane as u8, part.len() as u8));
            }
        }
    }
    let homes = held.into_iter().zip(vars);
    homes
        .map(|(home, &t)| home.unwrap_or_else(|| Home::Alone(b.declare_var(machine_type(t)))))
        .collect()
}

impl Emitter<'_, '_> {
    /// The vector that holds these variables in its first lanes, and nothing else that is used.
    fn whole(&self, first: Var, n: usize) -> Option<Variable> {
        match self.vars[first as usize] {
            Home::Lane(vector, 0, used) if usize::from(used) == n => Some(vector),
            _ => None,
        }
    }

    /// The vector whose first lanes are these values.
    fn together(&mut self, args: &[Arg], t: Type) -> Value {
        if let Some(vector) = self.held(args) {
            return self.b.use_var(vector);
        }
        let bits = args.iter().map(|arg| match arg {
            Arg::Bits(bits) => Some(*bits),
            Arg::Var(_) => None,
        });
        if let Some(bits) = bits.collect::<Option<Vec<u64>>>() {
            return match bits.iter().all(|&one| one == bits[0]) {
                true => repeated(&mut self.b, t, bits[0]),
                false => of_bits(&mut self.b, t, &bits),
            };
        }
        let first = self.value(args[0], t);
        if args.len() > 1 && args.iter().all(|arg| *arg == args[0]) {
            return self.b.ins().splat(vector_type(t), first);
        }
        let mut all = self.b.ins().scalar_to_vector(vector_type(t), first);
        for (lane, &arg) in args.iter().enumerate().skip(1) {
            let value = self.value(arg, t);
            all = self.b.ins().insertlane(all, value, lane as u8);
        }
        all
    }

    /// The vector whose first lanes are these variables.
    fn held(&self, args: &[Arg]) -> Option<Variable> {
        let mut found = None;
        for (at, arg) in args.iter().enumerate() {
            let Arg::Var(var) = *arg else { return None };
            match self.vars[var as usize] {
                Home::Lane(vector, lane, _) if usize::from(lane) == at => {
                    if *found.get_or_insert(vector) != vector {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        found
    }

    /// Sets variables that follow one another to the first lanes of vectors, each of which has as many as the type has.
    fn set_lanes(&mut self, to: Var, n: usize, t: Type, vectors: &[Value]) {
        let size = lanes(t);
        for (at, &vector) in vectors.iter().enumerate() {
            let (first, used) = (to + (at * size) as Var, size.min(n - at * size));
            if let Some(whole) = self.whole(first, used) {
                self.b.def_var(whole, vector);
                continue;
            }
            for lane in 0..used {
                let value = self.b.ins().extractlane(vector, lane as u8);
                self.set(first + lane as Var, value);
            }
        }
    }

    /// Sets variables that follow one another.
    pub(crate) fn copies(&mut self, to: Var, from: &[Arg]) {
        let t = self.types[to as usize];
        if !matches!(self.vars[to as usize], Home::Lane(..)) {
            let values: Vec<Value> = from.iter().map(|&arg| self.value(arg, t)).collect();
            for (var, value) in (to..).zip(values) {
                self.set(var, value);
            }
            return;
        }
        let parts = from.chunks(lanes(t));
        let vectors: Vec<Value> = parts.map(|part| self.together(part, t)).collect();
        self.set_lanes(to, from.len(), t, &vectors);
    }

    pub(crate) fn each(&mut self, function: Each, t: Type, to: Var, args: &[[Arg; 3]]) {
        let vectors = match function {
            Each::Op(op) => {
                let parts = args.chunks(lanes(t));
                let made: Vec<Value> = parts.map(|part| self.computed(op, t, part)).collect();
                if op.is_comparison() {
                    return self.set_bools(to, args.len(), lanes(t), &made);
                }
                made
            }
            Each::Apply(function) => {
                let parts = self.operands(0, t, args).into_iter();
                let float = functions::float(t);
                parts
                    .map(|x| functions::spelled(&mut self.b, function, float, x))
                    .collect()
            }
            Each::Circular(function, far) => {
                let parts = self.operands(0, t, args);
                self.circular(function, far, &parts, args.len())
            }
        };
        self.set_lanes(to, args.len(), t, &vectors);
    }

    /// The vectors of that operand of all elements.
    fn operands(&mut self, at: usize, t: Type, args: &[[Arg; 3]]) -> Vec<Value> {
        let all: Vec<Arg> = args.iter().map(|args| args[at]).collect();
        let parts = all.chunks(lanes(t));
        parts.map(|part| self.together(part, t)).collect()
    }

    /// A function of the elements of one vector.
    fn computed(&mut self, op: Op, t: Type, args: &[[Arg; 3]]) -> Value {
        let of = |at: usize| -> Vec<Arg> { args.iter().map(|args| args[at]).collect() };
        if op == Op::Cast {
            let mask = self.mask(&of(0), t);
            let mask = as_type(&mut self.b, vector_type(t), mask);
            let one = match t {
                Type::F32 => u64::from(1f32.to_bits()),
                _ => 1f64.to_bits(),
            };
            let one = repeated(&mut self.b, t, one);
            return self.b.ins().band(mask, one);
        }
        if op.is_selection() {
            let [conditions, x, y] = [0, 1, 2].map(of);
            let [x, y] = [x, y].map(|all| self.together(&all, t));
            return self.chosen(&conditions, t, x, y);
        }
        let operands = (0..op.arity()).map(|at| Operand {
            value: self.together(&of(at), t),
            bits: None,
        });
        let operands: Vec<Operand> = operands.collect();
        compute(&mut self.b, op, t, t, &operands)
    }

    /// The lanes of the first where conditions hold, else those of the second.
    fn chosen(&mut self, conditions: &[Arg], t: Type, x: Value, y: Value) -> Value {
        if conditions.iter().all(|one| *one == conditions[0]) {
            let condition = self.value(conditions[0], Type::Bool);
            return self.b.ins().select(condition, x, y);
        }
        let mask = self.mask(conditions, t);
        let mask = as_type(&mut self.b, vector_type(t), mask);
        self.b.ins().bitselect(mask, x, y)
    }

    /// All bits of the lanes whose conditions hold: what a comparison made, where they are its.
    fn mask(&mut self, conditions: &[Arg], t: Type) -> Value {
        let values = conditions.iter().map(|&one| self.value(one, Type::Bool));
        let conditions: Vec<Value> = values.collect();
        let whole = vector_type(t).as_truthy();
        if let Some(&(mask, 0)) = self.masks.get(&conditions[0])
            && self.b.func.dfg.value_type(mask) == whole
            && (0..)
                .zip(&conditions)
                .all(|(lane, one)| self.masks.get(one) == Some(&(mask, lane)))
        {
            return mask;
        }
        let spread = conditions.iter().map(|&one| {
            let wide = self.b.ins().uextend(whole.lane_type(), one);
            self.b.ins().ineg(wide)
        });
        let spread: Vec<Value> = spread.collect();
        let mut mask = self.b.ins().scalar_to_vector(whole, spread[0]);
        for (lane, &one) in (1u8..).zip(&spread[1..]) {
            mask = self.b.ins().insertlane(mask, one, lane);
        }
        mask
    }

    /// Sets bools that follow one another to whether the lanes of masks are set.
    fn set_bools(&mut self, to: Var, n: usize, size: usize, masks: &[Value]) {
        for at in 0..n {
            let (mask, lane) = (masks[at / size], (at % size) as u8);
            let bits = self.b.ins().extractlane(mask, lane);
            let byte = self.b.ins().ireduce(types::I8, bits);
            let one = self.b.ins().iconst(types::I8, 1);
            let bool = self.b.ins().band(byte, one);
            self.masks.insert(bool, (mask, lane));
            self.set(to + at as Var, bool);
        }
    }

    /// Reads the value of a variable that is a lane.
    pub(crate) fn lane(&mut self, vector: Variable, lane: u8) -> Value {
        let all = self.b.use_var(vector);
        self.b.ins().extractlane(all, lane)
    }

    pub(crate) fn set_lane(&mut self, vector: Variable, lane: u8, value: Value) {
        let all = self.b.use_var(vector);
        let all = self.b.ins().insertlane(all, value, lane);
        self.b.def_var(vector, all);
    }

    /// How many of the first of these elements are all that a vector holds; 0 where they are none such. Places are in bytes.
    fn vector_at(&self, vars: impl Iterator<Item = (Option<Var>, u64)>) -> usize {
        let mut first = None;
        let mut n = 0;
        for (var, place) in vars {
            let Some(var) = var else { break };
            let Home::Lane(vector, lane, used) = self.vars[var as usize] else {
                break;
            };
            let (of, from) = *first.get_or_insert((vector, place));
            let bytes = u64::from(self.types[var as usize].bytes());
            let follows =
                of == vector && usize::from(lane) == n && place == from + n as u64 * bytes;
            if !follows {
                return 0;
            }
            n += 1;
            if n == usize::from(used) {
                return n;
            }
        }
        0
    }

    /// How many of the loads that begin here are one of a vector.
    pub(crate) fn vector_of_loads(&self, loads: &[(Place, Var)]) -> usize {
        let pointer = loads[0].0.pointer;
        let all = loads
            .iter()
            .take_while(|(place, _)| place.pointer == pointer);
        self.vector_at(all.map(|&(place, var)| (Some(var), u64::from(place.offset))))
    }

    /// How many of the stores that begin here are one of a whole vector.
    pub(crate) fn vector_of_stores(&self, stores: &[(Arg, Type, Place)]) -> usize {
        let (_, t, Place { pointer, .. }) = stores[0];
        let all = stores
            .iter()
            .take_while(|(_, _, place)| place.pointer == pointer);
        let n = self.vector_at(all.map(|&(arg, _, place)| {
            let var = match arg {
                Arg::Var(var) => Some(var),
                Arg::Bits(_) => None,
            };
            (var, u64::from(place.offset))
        }));
        if n * t.bytes() as usize == BYTES {
            n
        } else {
            0
        }
    }

    /// How many of the elements that begin here are read as one vector.
    pub(crate) fn vector_of_elements(&self, loads: &[(u32, Var)]) -> usize {
        self.vector_at(loads.iter().map(|&(element, var)| {
            let bytes = u64::from(self.types[var as usize].bytes());
            (Some(var), u64::from(element) * bytes)
        }))
    }

    /// Reads the vector whose first lanes are `n` variables from that one on, element by element where `apart`.
    pub(crate) fn load_vector(&mut self, at: (Value, i32), var: Var, n: usize, apart: bool) {
        let Home::Lane(vector, ..) = self.vars[var as usize] else {
            return;
        };
        let (t, (base, offset)) = (self.types[var as usize], at);
        let flags = MemFlagsData::new().with_notrap();
        if !apart && n == lanes(t) {
            let value = self.b.ins().load(vector_type(t), flags, base, offset);
            return self.b.def_var(vector, value);
        }
        let one = machine_type(t);
        let first = self.b.ins().load(one, flags, base, offset);
        let mut all = self.b.ins().scalar_to_vector(vector_type(t), first);
        for lane in 1..n {
            let place = offset + (lane as u32 * t.bytes()) as i32;
            let value = self.b.ins().load(one, flags, base, place);
            all = self.b.ins().insertlane(all, value, lane as u8);
        }
        self.b.def_var(vector, all);
    }

    /// Writes the vector that holds a value in its first lane.
    pub(crate) fn store_vector(&mut self, arg: Arg, base: Value, offset: i32) {
        if let Arg::Var(var) = arg
            && let Home::Lane(vector, ..) = self.vars[var as usize]
        {
            let value = self.b.use_var(vector);
            let flags = MemFlagsData::new().with_notrap();
            self.b.ins().store(flags, value, base, offset);
        }
    }

    /// The value of an operand.
    pub(crate) fn value(&mut self, arg: Arg, t: Type) -> Value {
        match arg {
            Arg::Var(var) => match self.vars[var as usize] {
                Home::Alone(var) => self.b.use_var(var),
                Home::Lane(vector, lane, _) => self.lane(vector, lane),
            },
            Arg::Bits(bits) => constant(&mut self.b, t, bits),
        }
    }

    pub(crate) fn set(&mut self, to: Var, value: Value) {
        match self.vars[to as usize] {
            Home::Alone(var) => self.b.def_var(var, value),
            Home::Lane(vector, lane, _) => self.set_lane(vector, lane, value),
        }
    }
}
