//! Printing, formatting into strings, and assertions.

use crate::format::{quote, summary};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, TensorSpec, bail, err};
use parking_lot::RwLock;
use smallvec::smallvec;
use std::io::Write;
use std::sync::Arc;

declare! {
    trait EmitPrint;

    /// Prints the scalar `input`.
    PrintV2: print_v2(input: string rank 0) -> (), gradient Stops, effect World {
        /// `stderr`, `stdout`, a log or `file://` with a path.
        output_stream: String = "stderr".to_owned(),
        /// What follows the text.
        end: String = "\n".to_owned(),
    };

    /// The template with each placeholder replaced by the text of the next of `inputs`.
    StringFormat: string_format(inputs: [T]) -> (output: string), gradient Stops {
        /// The template.
        template: String = "%s".to_owned(),
        /// What of it is replaced.
        placeholder: String = "%s".to_owned(),
        /// How many elements are shown at each end of an axis; all where negative.
        summarize: i64 = 3,
    };

    /// Fails with the text of `data` unless the scalar `condition` holds.
    Assert: assert(condition: bool rank 0, data: [T]) -> (), gradient Stops, effect World, batch Rule {
        /// How many elements of each tensor the message shows.
        summarize: i64 = 3,
    };
}

/// Where printed text goes: given the stream's name (`stderr`, `stdout`, `log(info)` and the like) and the text.
pub type PrintSink = dyn Fn(&str, &[u8]) -> Result<()> + Send + Sync;

static SINK: RwLock<Option<Arc<PrintSink>>> = RwLock::new(None);

/// Sends what is printed from now on to another place than the process's own streams; text for files is not affected.
pub fn set_print_sink(sink: Option<Arc<PrintSink>>) {
    *SINK.write() = sink;
}

fn write_text(stream: &str, text: &[u8]) -> Result<()> {
    if let Some(path) = stream.strip_prefix("file://") {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path);
        return file
            .and_then(|mut file| file.write_all(text))
            .map_err(|e| err!(NotFound, "cannot print to {path}: {e}"));
    }
    let sink = SINK.read().clone();
    match sink {
        Some(sink) => sink(stream, text),
        None => {
            write_standard(stream, text).map_err(|e| err!(Unknown, "cannot print to {stream}: {e}"))
        }
    }
}

fn write_standard(stream: &str, text: &[u8]) -> std::io::Result<()> {
    match stream {
        "stdout" => {
            let mut out = std::io::stdout().lock();
            out.write_all(text)?;
            out.flush()
        }
        _ => std::io::stderr().lock().write_all(text),
    }
}

fn is_stream(name: &str) -> bool {
    const LOGS: [&str; 3] = ["log(info)", "log(warning)", "log(error)"];
    matches!(name, "stderr" | "stdout") || LOGS.contains(&name) || name.starts_with("file://")
}

impl Op for PrintV2 {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        if !is_stream(&self.output_stream) {
            bail!(
                Value,
                "output_stream must be stdout, stderr, log(info), log(warning), log(error) or file:// with a path, \
                 got {:?}",
                self.output_stream
            );
        }
        Ok(Specs::new())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [text] = inputs[0].as_strings()? else {
            bail!(Shape, "input must be a scalar, got {}", inputs[0].spec());
        };
        let text = [text, self.end.as_bytes()].concat();
        write_text(&self.output_stream, &text)?;
        Ok(Tensors::new())
    }
}

impl Op for StringFormat {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = self.template.matches(&self.placeholder).count();
        if self.placeholder.is_empty() || n != inputs.len() {
            bail!(
                Value,
                "the template {:?} has {n} placeholders {:?} for {} tensors",
                self.template,
                self.placeholder,
                inputs.len()
            );
        }
        Ok(smallvec![TensorSpec::scalar(DType::String)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut text = String::new();
        let mut pieces = self.template.split(&self.placeholder);
        text.push_str(pieces.next().unwrap_or(""));
        for (piece, t) in pieces.zip(inputs) {
            text.push_str(&summary(t, self.summarize)?);
            text.push_str(piece);
        }
        let text: Bytes = Arc::from(text.into_bytes());
        Ok(smallvec![Tensor::from_strings(
            Shape::scalar(),
            vec![text]
        )?])
    }
}

/// Whether all that an operation does is to fail where its first input, a bool, does not hold.
pub fn is_assertion(op: &dyn Op) -> bool {
    op.downcast::<Assert>().is_some()
}

impl Op for Assert {
    declared!();
    fn commutes(&self) -> bool {
        true
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (condition, data) = (&inputs[0], &inputs[1..]);
        if condition.item::<bool>()? {
            return Ok(Tensors::new());
        }
        let limit = usize::try_from(self.summarize).unwrap_or(usize::MAX);
        let texts: Vec<String> = data
            .iter()
            .map(|t| quote(t, limit))
            .collect::<Result<_>>()?;
        Err(err!(
            InvalidArgument,
            "assertion failed: {}",
            texts.join(" ")
        ))
    }
}
