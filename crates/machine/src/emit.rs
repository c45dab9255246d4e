//! From programs to Cranelift's representation.

use crate::aside::{self, Callers};
use crate::program::count;
use crate::scalar::{Operand, compute, machine_type};
use crate::simd::{Home, homes};
use crate::{ASK, Arg, Function, Inst, Place, Program, Type, Var};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, StackSlotData,
    StackSlotKind, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use std::collections::HashMap;

/// Instructions that run between two questions whether to go on, roughly.
const FUEL: i64 = 1 << 16;

/// Writes a program as a function of the pointers, the host and how it is called.
pub(crate) fn emit(
    function: &mut ir::Function,
    context: &mut FunctionBuilderContext,
    isa: &dyn TargetIsa,
    callers: Callers,
    program: &Program,
) {
    let pointer = isa.pointer_type();
    let convention = isa.default_call_conv();
    function.signature = Signature {
        params: vec![AbiParam::new(pointer); 3],
        returns: vec![AbiParam::new(types::I8)],
        call_conv: convention,
    };
    let mut builder = FunctionBuilder::new(function, context);
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [pointers, host, answer] = [0, 1, 2].map(|i| builder.block_params(entry)[i]);
    let answers = builder.import_signature(Signature {
        params: vec![AbiParam::new(pointer), AbiParam::new(types::I32)],
        returns: vec![AbiParam::new(types::I8)],
        call_conv: convention,
    });
    let vars = homes(&mut builder, &program.vars, &program.runs);
    let fuel = builder.declare_var(types::I64);
    let stopped = builder.create_block();
    let mut emitter = Emitter {
        callers,
        pointer,
        pointers,
        host,
        answer,
        answers,
        vars,
        types: &program.vars,
        masks: HashMap::new(),
        fuel,
        stopped,
        b: builder,
    };
    emitter.program(program);
    emitter.b.finalize(isa.frontend_config());
}

pub(crate) struct Emitter<'a, 'b> {
    pub b: FunctionBuilder<'b>,
    callers: Callers,
    pointer: ir::Type,
    pointers: Value,
    host: Value,
    answer: Value,
    answers: SigRef,
    pub vars: Vec<Home>,
    pub types: &'a [Type],
    /// Bools that are lanes of what comparisons of vectors made.
    pub masks: HashMap<Value, (Value, u8)>,
    /// How much may run before the next question.
    fuel: Variable,
    /// Where runs end that the host stops.
    stopped: Block,
}

impl Emitter<'_, '_> {
    fn program(&mut self, program: &Program) {
        self.refuel();
        self.loads(&program.loads, false);
        // A block of its own: what was loaded is not folded into instructions, where operands could change sides.
        let body = self.b.create_block();
        self.b.ins().jump(body, &[]);
        self.b.switch_to_block(body);
        self.insts(&program.body);
        self.stores(&program.stores);
        let one = self.b.ins().iconst(types::I8, 1);
        self.b.ins().return_(&[one]);
        self.b.switch_to_block(self.stopped);
        self.b.set_cold_block(self.stopped);
        let zero = self.b.ins().iconst(types::I8, 0);
        self.b.ins().return_(&[zero]);
        self.b.seal_all_blocks();
    }

    fn refuel(&mut self) {
        let full = self.b.ins().iconst(types::I64, FUEL);
        self.b.def_var(self.fuel, full);
    }

    /// The address that a place is behind.
    fn base(&mut self, place: Place) -> Value {
        let step = self.pointer.bytes() as i32;
        let at = place.pointer as i32 * step;
        let flags = MemFlagsData::trusted();
        self.b.ins().load(self.pointer, flags, self.pointers, at)
    }

    /// Reads variables, element by element where `apart`.
    fn loads(&mut self, mut loads: &[(Place, Var)], apart: bool) {
        while let [(place, var), rest @ ..] = loads {
            let base = self.base(*place);
            let lanes = self.vector_of_loads(loads);
            if lanes > 0 {
                self.load_vector((base, place.offset as i32), *var, lanes, apart);
                loads = &loads[lanes..];
                continue;
            }
            let t = machine_type(self.types[*var as usize]);
            let flags = MemFlagsData::trusted();
            let value = self.b.ins().load(t, flags, base, place.offset as i32);
            self.set(*var, value);
            loads = rest;
        }
    }

    fn stores(&mut self, mut stores: &[(Arg, Type, Place)]) {
        while let [(arg, t, place), rest @ ..] = stores {
            let lanes = self.vector_of_stores(stores);
            if lanes > 0 {
                let base = self.base(*place);
                self.store_vector(*arg, base, place.offset as i32);
                stores = &stores[lanes..];
                continue;
            }
            let value = self.value(*arg, *t);
            let base = self.base(*place);
            let flags = MemFlagsData::trusted();
            self.b.ins().store(flags, value, base, place.offset as i32);
            stores = rest;
        }
    }

    fn read(&mut self, pointer: u32, at: Arg, mut loads: &[(u32, Var)]) {
        let (base, at) = (
            self.base(Place { pointer, offset: 0 }),
            self.value(at, Type::I64),
        );
        while let [(element, var), rest @ ..] = loads {
            let t = self.types[*var as usize];
            let bytes = self.b.ins().imul_imm_u(at, i64::from(t.bytes()));
            let address = self.b.ins().iadd(base, bytes);
            let offset = (element * t.bytes()) as i32;
            let lanes = self.vector_of_elements(loads);
            if lanes > 0 {
                self.load_vector((address, offset), *var, lanes, false);
                loads = &loads[lanes..];
                continue;
            }
            let flags = MemFlagsData::trusted();
            let value = self.b.ins().load(machine_type(t), flags, address, offset);
            self.set(*var, value);
            loads = rest;
        }
    }

    fn operand(&mut self, arg: Arg, t: Type) -> Operand {
        let bits = match arg {
            Arg::Bits(bits) => Some(bits),
            Arg::Var(_) => None,
        };
        Operand {
            value: self.value(arg, t),
            bits,
        }
    }

    fn insts(&mut self, insts: &[Inst]) {
        insts.iter().for_each(|inst| self.inst(inst));
    }

    fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Compute { op, on, to, args } => {
                let result = self.types[*to as usize];
                let mut operands = Vec::with_capacity(3);
                for (i, arg) in args.iter().take(op.arity()).enumerate() {
                    let t = if op.is_selection() && i == 0 {
                        Type::Bool
                    } else {
                        *on
                    };
                    operands.push(self.operand(*arg, t));
                }
                let value = compute(&mut self.b, *op, *on, result, &operands);
                self.set(*to, value);
            }
            Inst::Copy { to, from } => {
                let value = self.value(*from, self.types[*to as usize]);
                self.set(*to, value);
            }
            Inst::Copies { to, from } => self.copies(*to, from),
            Inst::Each {
                function,
                on,
                to,
                args,
            } => self.each(*function, *on, *to, args),
            Inst::Call { function, to, args } => self.call(*function, *to, args),
            Inst::Host {
                number,
                stores,
                loads,
            } => {
                self.stores(stores);
                self.ask(*number);
                // Kernels may have just written single elements, for which a wider read would wait.
                self.loads(loads, true);
            }
            Inst::Read {
                stores,
                pointer,
                at,
                loads,
            } => {
                self.stores(stores);
                self.read(*pointer, *at, loads);
            }
            Inst::If {
                condition,
                then_side,
                else_side,
            } => self.branch(*condition, then_side, else_side),
            Inst::Loop {
                head,
                condition,
                body,
            } => self.repeat(head, *condition, body),
        }
    }

    fn call(&mut self, function: Function, to: Var, args: &[Arg]) {
        let (t, n) = match function {
            Function::F32(_) => (Type::F32, 1),
            Function::F64(_) => (Type::F64, 1),
            Function::F32x2(_) => (Type::F32, 2),
            Function::F64x2(_) => (Type::F64, 2),
        };
        let values: Vec<Value> = args[..n].iter().map(|arg| self.value(*arg, t)).collect();
        let value = self.result(function, &values);
        self.set(to, value);
    }

    /// What a function gives for these operands.
    pub(crate) fn result(&mut self, function: Function, values: &[Value]) -> Value {
        let (address, t) = match function {
            Function::F32(f) => (f as usize, Type::F32),
            Function::F64(f) => (f as usize, Type::F64),
            Function::F32x2(f) => (f as usize, Type::F32),
            Function::F64x2(f) => (f as usize, Type::F64),
        };
        let param = AbiParam::new(machine_type(t));
        let signature = self.b.import_signature(Signature {
            params: vec![param; values.len()],
            returns: vec![param],
            call_conv: self.b.func.signature.call_conv,
        });
        let address = self.b.ins().iconst(self.pointer, address as i64);
        let called = self.b.ins().call_indirect(signature, address, values);
        self.b.inst_results(called)[0]
    }

    /// Calls the host, and ends the run where it says so.
    fn ask(&mut self, number: u32) {
        let number = self.b.ins().iconst(types::I32, i64::from(number));
        let args = [self.host, number];
        let called = self.b.ins().call_indirect(self.answers, self.answer, &args);
        let goes_on = self.b.inst_results(called)[0];
        self.end_unless(goes_on);
    }

    /// Ends the run unless it goes on.
    fn end_unless(&mut self, goes_on: Value) {
        let next = self.b.create_block();
        self.b.ins().brif(goes_on, next, &[], self.stopped, &[]);
        self.b.switch_to_block(next);
    }

    /// Asks the host whether to go on, and keeps all registers.
    fn ask_aside(&mut self) {
        let slot = self.place_of(1);
        let number = self.b.ins().iconst(self.pointer, i64::from(ASK));
        let args = [self.answer, self.host, number, slot];
        self.call_aside(self.callers.host, &args);
        let goes_on = self
            .b
            .ins()
            .load(types::I8, MemFlagsData::trusted(), slot, 0);
        self.end_unless(goes_on);
    }

    /// The address of so many bytes of the stack.
    pub(crate) fn place_of(&mut self, bytes: u32) -> Value {
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4);
        let slot = self.b.create_sized_stack_slot(data);
        self.b.ins().stack_addr(self.pointer, slot, 0)
    }

    /// Has a function change so many single numbers, and keeps all registers.
    pub(crate) fn change_aside(
        &mut self,
        function: extern "C" fn(f32) -> f32,
        place: Value,
        n: usize,
    ) {
        let [function, n] =
            [function as usize, n].map(|x| self.b.ins().iconst(self.pointer, x as i64));
        self.call_aside(self.callers.each, &[function, place, n]);
    }

    fn call_aside(&mut self, caller: usize, args: &[Value]) {
        let signature = aside::signature(self.pointer, args.len());
        let signature = self.b.import_signature(signature);
        let address = self.b.ins().iconst(self.pointer, caller as i64);
        self.b.ins().call_indirect(signature, address, args);
    }

    fn branch(&mut self, condition: Arg, then_side: &[Inst], else_side: &[Inst]) {
        let condition = self.value(condition, Type::Bool);
        let [then_block, else_block, next] = [(); 3].map(|()| self.b.create_block());
        self.b
            .ins()
            .brif(condition, then_block, &[], else_block, &[]);
        for (block, side) in [(then_block, then_side), (else_block, else_side)] {
            self.b.switch_to_block(block);
            self.insts(side);
            self.b.ins().jump(next, &[]);
        }
        self.b.switch_to_block(next);
    }

    fn repeat(&mut self, head: &[Inst], condition: Arg, body: &[Inst]) {
        let [top, inside, next] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().jump(top, &[]);
        self.b.switch_to_block(top);
        self.insts(head);
        let goes_on = self.value(condition, Type::Bool);
        self.b.ins().brif(goes_on, inside, &[], next, &[]);
        self.b.switch_to_block(inside);
        self.insts(body);
        self.burn(count(head) + count(body) + 1);
        self.b.ins().jump(top, &[]);
        self.b.switch_to_block(next);
    }

    /// Says that so many instructions ran, and asks now and then whether to go on.
    fn burn(&mut self, n: usize) {
        let cost = self.b.ins().iconst(types::I64, n as i64);
        let fuel = self.b.use_var(self.fuel);
        let left = self.b.ins().isub(fuel, cost);
        self.b.def_var(self.fuel, left);
        let zero = self.b.ins().iconst(types::I64, 0);
        let is_out = self.b.ins().icmp(IntCC::SignedLessThan, left, zero);
        let [out, next] = [(); 2].map(|()| self.b.create_block());
        self.b.ins().brif(is_out, out, &[], next, &[]);
        self.b.switch_to_block(out);
        self.b.set_cold_block(out);
        self.ask_aside();
        self.refuel();
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }
}
