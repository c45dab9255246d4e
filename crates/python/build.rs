//! Says for which Python is built, and asks the linker to keep one of several functions of the same code, where it can.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// What linkers of the family of LLVM are told; others refuse it.
const FOLD: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    pyo3_build_config::use_pyo3_cfgs();
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") && folds() {
        println!("cargo:rustc-cdylib-link-arg={FOLD}");
    }
}

/// Whether the linker that the compiler calls takes the option: an empty library is linked with it.
fn folds() -> bool {
    let variable = |name| env::var(name).unwrap_or_default();
    let (folder, target) = (variable("OUT_DIR"), variable("TARGET"));
    let source = Path::new(&folder).join("probe.rs");
    if std::fs::write(&source, "").is_err() {
        return false;
    }
    let mut probe = Command::new(variable("RUSTC"));
    probe.args(["--crate-type", "cdylib", "--target", &target, "--out-dir"]);
    probe
        .arg(&folder)
        .arg(&source)
        .arg("-C")
        .arg(format!("link-arg={FOLD}"));
    let linker = variable("RUSTC_LINKER");
    if !linker.is_empty() {
        probe.arg("-C").arg(format!("linker={linker}"));
    }
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    probe.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let probe = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}
