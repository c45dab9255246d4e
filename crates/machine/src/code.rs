//! Machine code: made, run, and given back.

use crate::Program;
use crate::aside::callers;
use crate::emit::emit;
use crate::memory::{Memory, Refused};
use cranelift_codegen::Context;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module};
use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a program calls, by number; says whether to go on.
pub type Host<'a> = dyn FnMut(u32) -> bool + 'a;

/// The pointers, the host, and how it is called; the answer is whether the program came to its end.
type Entry =
    extern "C" fn(*const *mut u8, *mut c_void, extern "C" fn(*mut c_void, u32) -> u8) -> u8;

/// A compiled program. Its memory goes back to the system when it is dropped.
pub struct Code {
    entry: Entry,
    _memory: Memory,
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Code {
    /// Machine code of a program.
    ///
    /// # Errors
    /// Where the machine is not known, or the system gives no memory for code.
    pub fn compile(program: &Program) -> Result<Code, Refused> {
        let (memory, code) = Memory::of(|module| define(module, program))?;
        // SAFETY: the function was defined with this signature; its memory is kept beside it.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(code) };
        Ok(Code {
            entry,
            _memory: memory,
        })
    }

    /// Runs the code; whether it came to its end, which it does unless the host says to stop. A panic of the host
    /// stops it, too, and goes on from here.
    ///
    /// # Safety
    /// For each place that the program names, while it runs, `pointers` must hold a pointer to memory that may be read
    /// and written there as a value of the program's type; bools in it are 0 or 1.
    pub unsafe fn run(&self, pointers: *const *mut u8, host: &mut Host<'_>) -> bool {
        let mut call = HostCall { host, panic: None };
        let at = (&raw mut call).cast::<c_void>();
        let ended = (self.entry)(pointers, at, answer);
        if let Some(panic) = call.panic {
            resume_unwind(panic);
        }
        ended != 0
    }
}

struct HostCall<'a, 'b> {
    host: &'a mut Host<'b>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Asks the host, whose panics must not unwind through machine code.
extern "C" fn answer(call: *mut c_void, number: u32) -> u8 {
    // SAFETY: `run` gave this pointer, and waits for the code that hands it on.
    let call = unsafe { &mut *call.cast::<HostCall<'_, '_>>() };
    match catch_unwind(AssertUnwindSafe(|| (call.host)(number))) {
        Ok(goes_on) => u8::from(goes_on),
        Err(panic) => {
            call.panic = Some(panic);
            0
        }
    }
}

fn define(module: &mut JITModule, program: &Program) -> Result<FuncId, Refused> {
    let mut context = Context::new();
    emit(
        &mut context.func,
        &mut FunctionBuilderContext::new(),
        module.isa(),
        callers()?,
        program,
    );
    let id = module.declare_anonymous_function(&context.func.signature)?;
    module.define_function(id, &mut context)?;
    Ok(id)
}
