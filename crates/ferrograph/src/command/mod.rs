//! The program `ferrograph`: inspects and runs saved models.
//!
//! ```text
//! ferrograph inspect PATH [--graph NAME] [--json]
//! ferrograph run PATH [--signature NAME] [--input NAME=VALUE]... [--inputs FILE.npz] [--output FILE.npz] [--json]
//! ferrograph help [COMMAND]
//! ```

mod files;
mod help;
mod inputs;
mod json;
mod options;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::signature::{Outputs, Signature};
use crate::value::Value;
use ferrograph_tensor::{DType, err, with_element};
use options::{Action, Given, Inspect, Run};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, ErrorKind as Io, Write};

/// What went well.
const DONE: u8 = 0;

/// A model, file or run that failed.
const FAILED: u8 = 1;

/// A command line that is none.
const MISUSED: u8 = 2;

/// What a command does that failed: with the status to exit with.
enum Failure {
    Misuse(String),
    Failed(Error),
    /// Nobody reads what is written.
    Unread,
}

impl From<Error> for Failure {
    fn from(e: Error) -> Failure {
        Failure::Failed(e)
    }
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Failure {
        match e.kind() {
            Io::BrokenPipe => Failure::Unread,
            _ => Failure::Failed(err!(Unknown, "the output can't be written: {e}").into()),
        }
    }
}

/// Does what the arguments of a command line ask for, the program's name left out, and gives the status to exit with:
/// 0 where all went well, 1 where a model, a file or the run failed, 2 for a command line that is none. What fails is said
/// in one line.
///
/// # Errors
/// `Cancelled` where the user stopped it.
///
/// ```
/// use ferrograph::command::command;
///
/// # fn main() -> ferrograph::Result<()> {
/// let (mut out, mut errors) = (Vec::new(), Vec::new());
/// let status = command(["inspect".into(), "/nowhere".into()], &mut out, &mut errors)?;
/// assert_eq!(status, 1);
/// let said = String::from_utf8_lossy(&errors);
/// assert_eq!(said, "ferrograph: SavedModel file does not exist at: /nowhere/saved_model.pb\n");
/// # Ok(())
/// # }
/// ```
pub fn command(
    args: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> Result<u8> {
    let (status, text) = match done(args.into_iter().collect(), out) {
        Ok(()) | Err(Failure::Unread) => return Ok(DONE),
        Err(Failure::Failed(e)) if e.kind() == ErrorKind::Cancelled => return Err(e),
        Err(Failure::Failed(e)) => (FAILED, one_line(&e.to_string())),
        Err(Failure::Misuse(text)) => (MISUSED, misuse(&text)),
    };
    // Where even that cannot be written, the status tells it.
    let _ = writeln!(errors, "ferrograph: {text}");
    Ok(status)
}

/// What is said of a command line that is none.
fn misuse(text: &str) -> String {
    let end = if text.ends_with('?') { "" } else { "." };
    format!("{text}{end} See ferrograph --help")
}

/// A message in one line.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    lines.collect::<Vec<_>>().join(" | ")
}

fn done(args: Vec<OsString>, out: &mut dyn Write) -> Result<(), Failure> {
    match options::parse(args).map_err(Failure::Misuse)? {
        Action::Help(topic) => out.write_all(help::text(topic).as_bytes())?,
        Action::Version => writeln!(out, "ferrograph {}", env!("CARGO_PKG_VERSION"))?,
        Action::Inspect(what) => inspect(&what, out)?,
        Action::Run(what) => run(&what, out)?,
    }
    Ok(out.flush()?)
}

fn inspect(what: &Inspect, out: &mut dyn Write) -> Result<(), Failure> {
    let model = Model::load(&what.path)?;
    if let Some(name) = &what.graph {
        let text = model.graph_text(name)?;
        match what.json {
            true => writeln!(out, "{}", json::graph(name, &text))?,
            false => out.write_all(text.as_bytes())?,
        }
        return Ok(());
    }
    if what.json {
        return Ok(writeln!(out, "{}", json::model(&model))?);
    }
    writeln!(out, "tags: {}", model.tags().join(", "))?;
    writeln!(out, "signatures:")?;
    for signature in model.signatures() {
        writeln!(out, "  {signature}")?;
    }
    writeln!(out, "functions:")?;
    for function in model.functions() {
        for line in function.signatures() {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out, "objects:")?;
    for line in model.tree().lines() {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn run(what: &Run, out: &mut dyn Write) -> Result<(), Failure> {
    let model = Model::load(&what.path)?;
    let signature = chosen(&model, what.signature.as_deref())?;
    let mut inputs: Vec<(String, Value)> = Vec::new();
    if let Some(path) = &what.inputs {
        inputs.extend(files::read_all(path)?);
    }
    for (name, given) in &what.input {
        let value = match given {
            Given::File(path) => files::read_one(path)?,
            Given::Text(text) => inputs::value_of(signature.input(name)?, text)?,
        };
        inputs.push((name.clone(), value));
    }
    let found = signature.run(inputs.iter().map(|(n, v)| (n, v)))?;
    if let Some(path) = &what.output {
        files::write_all(path, &found)?;
    }
    match what.json {
        true => json::write_outputs(signature.name(), &found, out),
        false if what.output.is_none() => print(&found, out),
        false => Ok(()),
    }
}

/// The signature of that name; without one `serving_default`, or the only one.
fn chosen<'m>(model: &'m Model, name: Option<&str>) -> Result<Signature<'m>> {
    if let Some(name) = name {
        return model.signature(name);
    }
    let mut all = model.signatures();
    match all.iter().position(|s| s.name() == "serving_default") {
        Some(at) => Ok(all.swap_remove(at)),
        None if all.len() == 1 => Ok(all.swap_remove(0)),
        None => {
            let names: Vec<&str> = all.iter().map(Signature::name).collect();
            Err(err!(
                NotFound,
                "the saved model has no signature \"serving_default\"; choose by --signature one of {names:?}"
            )
            .into())
        }
    }
}

fn print(found: &Outputs, out: &mut dyn Write) -> Result<(), Failure> {
    for (name, value) in found.iter() {
        writeln!(out, "{name}: {}", value.0.spec())?;
        let text = shown(value)?;
        for line in text.lines() {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// The elements of a value, in the middle of a large one dots.
fn shown(value: &Value) -> Result<String> {
    let mut text = String::new();
    let value = &value.widened()?;
    // Writing to a string does not fail.
    let _ = with_element!(value.dtype(), dense, T => write!(text, "{}", value.view::<T>()?), else => match value.dtype() {
        DType::String => write!(text, "{}", value.byte_strings()?.map(|s| format!("{:?}", String::from_utf8_lossy(s)))),
        other => write!(text, "a {other}"),
    });
    Ok(text)
}
