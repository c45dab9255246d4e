//! The memory that machine code is in.

use cranelift_codegen::CodegenError;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, default_libcall_names};
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::OnceLock;

/// Why there is no machine code.
#[derive(Clone, Debug)]
pub struct Refused(pub(crate) String);

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

/// Memory with one function in it, which goes back to the system when it is dropped.
pub(crate) struct Memory {
    module: ManuallyDrop<JITModule>,
}

// SAFETY: the code is never changed, and the module is looked at only when it is dropped, by whoever drops it.
unsafe impl Send for Memory {}
// SAFETY: as above; to run the code needs no access to the module.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory for the function that `define` adds to a module, and where its code begins.
    pub fn of(
        define: impl FnOnce(&mut JITModule) -> Result<FuncId, Refused>,
    ) -> Result<(Memory, *const u8), Refused> {
        let builder = JITBuilder::with_isa(machine()?, default_libcall_names());
        let mut memory = Memory {
            module: ManuallyDrop::new(JITModule::new(builder)),
        };
        let function = define(&mut memory.module)?;
        memory.module.finalize_definitions()?;
        let code = memory.module.get_finalized_function(function);
        Ok((memory, code))
    }

    /// Memory that holds these instructions, which name no other addresses, and where they begin.
    pub fn holding(code: &[u8]) -> Result<(Memory, *const u8), Refused> {
        Memory::of(|module| {
            let signature = module.make_signature();
            let function = module.declare_anonymous_function(&signature)?;
            module.define_function_bytes(function, 64, code, &[])?;
            Ok(function)
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: nobody runs the code, as that takes a reference; the module is not touched again.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() }
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
