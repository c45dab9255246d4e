//! Machine code: made, run, and given back.

use crate::Program;
use crate::emit::emit;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, ModuleError, default_libcall_names};
use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;

/// What a program calls, by number; says whether to go on.
pub type Host<'a> = dyn FnMut(u32) -> bool + 'a;

/// Why there is no machine code.
#[derive(Clone, Debug)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl From<ModuleError> for Refused {
    fn from(e: ModuleError) -> Refused {
        match e {
            ModuleError::Compilation(CodegenError::Verifier(errors)) => Refused(errors.to_string()),
            e => Refused(e.to_string()),
        }
    }
}

/// The pointers, the host, and how it is called; the answer is whether the program came to its end.
type Entry =
    extern "C" fn(*const *mut u8, *mut c_void, extern "C" fn(*mut c_void, u32) -> u8) -> u8;

/// A compiled program. Its memory goes back to the system when it is dropped.
pub struct Code {
    entry: Entry,
    module: ManuallyDrop<JITModule>,
}

// SAFETY: the code is never changed, and the module is looked at only when it is dropped, by whoever drops it.
unsafe impl Send for Code {}
// SAFETY: as above; to run the code needs no access to the module.
unsafe impl Sync for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

/// The machine that this process runs on.
fn machine() -> Result<OwnedTargetIsa, Refused> {
    static MACHINE: OnceLock<Result<OwnedTargetIsa, Refused>> = OnceLock::new();
    let found = MACHINE.get_or_init(|| {
        let mut flags = settings::builder();
        let chosen = [
            ("opt_level", "speed"),
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("unwind_info", "false"),
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
            (
                "enable_verifier",
                if cfg!(debug_assertions) {
                    "true"
                } else {
                    "false"
                },
            ),
        ];
        for (name, value) in chosen {
            flags.set(name, value).map_err(|e| Refused(e.to_string()))?;
        }
        let host = cranelift_native::builder().map_err(|e| Refused(e.to_owned()))?;
        let isa = host.finish(settings::Flags::new(flags));
        isa.map_err(|e| Refused(e.to_string()))
    });
    found.clone()
}

impl Code {
    /// Machine code of a program.
    ///
    /// # Errors
    /// Where the machine is not known, or the system gives no memory for code.
    pub fn compile(program: &Program) -> Result<Code, Refused> {
        let builder = JITBuilder::with_isa(machine()?, default_libcall_names());
        let mut module = JITModule::new(builder);
        match define(&mut module, program) {
            Ok(entry) => Ok(Code {
                entry,
                module: ManuallyDrop::new(module),
            }),
            Err(e) => {
                // SAFETY: no code of this module was handed out.
                unsafe { module.free_memory() };
                Err(e)
            }
        }
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

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: nobody runs the code, as that takes a reference; the module is not touched again.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() }
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

fn define(module: &mut JITModule, program: &Program) -> Result<Entry, Refused> {
    let mut context = Context::new();
    emit(
        &mut context.func,
        &mut FunctionBuilderContext::new(),
        module.isa(),
        program,
    );
    let id = module.declare_anonymous_function(&context.func.signature)?;
    module.define_function(id, &mut context)?;
    module.finalize_definitions()?;
    let code = module.get_finalized_function(id);
    // SAFETY: the function was defined with this signature; its memory stays until the module is freed.
    Ok(unsafe { std::mem::transmute::<*const u8, Entry>(code) })
}
