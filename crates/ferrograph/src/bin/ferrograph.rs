//! Inspects and runs saved models: see [`ferrograph::command`].

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let args = std::env::args_os().skip(1);
    match ferrograph::command::command(args, &mut out, &mut io::stderr()) {
        Ok(status) => ExitCode::from(status),
        Err(e) => {
            // Where even that cannot be written, the status tells it.
            let _ = writeln!(io::stderr(), "ferrograph: {e}");
            ExitCode::FAILURE
        }
    }
}
