//! Calls beside the way: functions that machine code seldom calls, by callers that keep all registers.
//!
//! A call by the convention of the system may change every vector register, so that code around it keeps values in
//! memory, also where the call hardly ever happens. These callers save what the function changes; they give results
//! back through memory.

use crate::memory::{Memory, Refused};
use cranelift_codegen::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Function, InstBuilder, MemFlagsData, Signature, Type, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use std::sync::OnceLock;

/// The addresses of the callers.
#[derive(Clone, Copy)]
pub(crate) struct Callers {
    /// Given a function, the host, a number and a place: calls the function with the host and the number, and writes the
    /// byte that it answers to the place.
    pub host: usize,
    /// Given a function, a place and a count, which is not 0: has the function change as many single numbers there.
    pub each: usize,
}

struct Kept {
    callers: Callers,
    _memory: [Memory; 2],
}

/// The callers, made once.
pub(crate) fn callers() -> Result<Callers, Refused> {
    static KEPT: OnceLock<Result<Kept, Refused>> = OnceLock::new();
    let kept = KEPT.get_or_init(|| {
        let (host, asks) = Memory::of(|module| define(module, 4, ask))?;
        let (each, changes) = Memory::of(|module| define(module, 3, change))?;
        Ok(Kept {
            callers: Callers {
                host: asks as usize,
                each: changes as usize,
            },
            _memory: [host, each],
        })
    });
    match kept {
        Ok(kept) => Ok(kept.callers),
        Err(e) => Err(e.clone()),
    }
}

/// The signature of a caller of so many arguments.
pub(crate) fn signature(pointer: Type, arguments: usize) -> Signature {
    Signature {
        params: vec![AbiParam::new(pointer); arguments],
        returns: Vec::new(),
        call_conv: CallConv::PreserveAll,
    }
}

/// What calls are written with: the builder, the pointer type, the system's convention.
struct Writer<'a> {
    b: FunctionBuilder<'a>,
    pointer: Type,
    system: CallConv,
}

fn define(
    module: &mut JITModule,
    arguments: usize,
    write: fn(&mut Writer<'_>, &[Value]),
) -> Result<FuncId, Refused> {
    let mut context = Context::new();
    let pointer = module.isa().pointer_type();
    context.func = Function::with_name_signature(
        cranelift_codegen::ir::UserFuncName::default(),
        signature(pointer, arguments),
    );
    let mut shared = FunctionBuilderContext::new();
    let mut writer = Writer {
        b: FunctionBuilder::new(&mut context.func, &mut shared),
        pointer,
        system: module.isa().default_call_conv(),
    };
    let entry = writer.b.create_block();
    writer.b.append_block_params_for_function_params(entry);
    writer.b.switch_to_block(entry);
    let arguments = writer.b.block_params(entry).to_vec();
    write(&mut writer, &arguments);
    writer.b.ins().return_(&[]);
    writer.b.seal_all_blocks();
    writer.b.finalize(module.isa().frontend_config());
    let id = module.declare_anonymous_function(&context.func.signature)?;
    module.define_function(id, &mut context)?;
    Ok(id)
}

fn ask(writer: &mut Writer<'_>, arguments: &[Value]) {
    let &[function, host, number, place] = arguments else {
        return;
    };
    let number = writer.b.ins().ireduce(types::I32, number);
    let signature = writer.b.import_signature(Signature {
        params: vec![AbiParam::new(writer.pointer), AbiParam::new(types::I32)],
        returns: vec![AbiParam::new(types::I8)],
        call_conv: writer.system,
    });
    let called = writer
        .b
        .ins()
        .call_indirect(signature, function, &[host, number]);
    let answer = writer.b.inst_results(called)[0];
    writer
        .b
        .ins()
        .store(MemFlagsData::trusted(), answer, place, 0);
}

fn change(writer: &mut Writer<'_>, arguments: &[Value]) {
    let &[function, place, count] = arguments else {
        return;
    };
    let number = AbiParam::new(types::F32);
    let signature = writer.b.import_signature(Signature {
        params: vec![number],
        returns: vec![number],
        call_conv: writer.system,
    });
    let [at, left] = [place, count].map(|begin| {
        let var = writer.b.declare_var(writer.pointer);
        writer.b.def_var(var, begin);
        var
    });
    let [top, next] = [(); 2].map(|()| writer.b.create_block());
    writer.b.ins().jump(top, &[]);
    writer.b.switch_to_block(top);
    let here = writer.b.use_var(at);
    let flags = MemFlagsData::trusted();
    let x = writer.b.ins().load(types::F32, flags, here, 0);
    let called = writer.b.ins().call_indirect(signature, function, &[x]);
    let y = writer.b.inst_results(called)[0];
    writer.b.ins().store(flags, y, here, 0);
    let step = writer.b.ins().iconst(writer.pointer, 4);
    let further = writer.b.ins().iadd(here, step);
    writer.b.def_var(at, further);
    let one = writer.b.ins().iconst(writer.pointer, 1);
    let rest = writer.b.use_var(left);
    let rest = writer.b.ins().isub(rest, one);
    writer.b.def_var(left, rest);
    let zero = writer.b.ins().iconst(writer.pointer, 0);
    let goes_on = writer.b.ins().icmp(IntCC::NotEqual, rest, zero);
    writer.b.ins().brif(goes_on, top, &[], next, &[]);
    writer.b.switch_to_block(next);
}
