//! Printing, formatting into strings, and assertions.

use crate::format::{quote, summary};
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Effect, Inputs, Op, Registry, Runner, Specs,
    Tensors, op_object,
};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, TensorSpec, bail, err};
use parking_lot::RwLock;
use smallvec::smallvec;
use std::io::Write;
use std::sync::Arc;

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

/// Prints the string scalar input 0.
#[derive(Debug)]
pub struct PrintV2 {
    /// `stderr`, `stdout`, a log or `file://` with a path.
    pub output_stream: String,
    /// What follows the text.
    pub end: String,
}

impl Op for PrintV2 {
    op_object!();
    fn name(&self) -> &'static str {
        "PrintV2"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("output_stream", Attr::str(&self.output_stream))
            .with("end", Attr::str(&self.end))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::String)?;
        crate::args::expect_rank(inputs, 0, 0, "input")?;
        Ok(Specs::new())
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let [text] = inputs[0].as_strings()? else {
            bail!(Shape, "input must be a scalar, got {}", inputs[0].spec());
        };
        let text = [text, self.end.as_bytes()].concat();
        write_text(&self.output_stream, &text)?;
        Ok(Tensors::new())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The template with each placeholder replaced by the text of the next input.
#[derive(Debug)]
pub struct StringFormat {
    /// The template.
    pub template: String,
    /// What of it is replaced.
    pub placeholder: String,
    /// How many elements are shown at each end of an axis; all where negative.
    pub summarize: i64,
}

impl Op for StringFormat {
    op_object!();
    fn name(&self) -> &'static str {
        "StringFormat"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("template", Attr::str(&self.template))
            .with("placeholder", Attr::str(&self.placeholder))
            .with("summarize", Attr::Int(self.summarize))
    }
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
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
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
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Fails with the text of inputs 1.. unless the bool scalar input 0 holds.
#[derive(Debug)]
pub struct Assert {
    /// How many elements of each tensor the message shows.
    pub summarize: i64,
}

impl Op for Assert {
    op_object!();
    fn name(&self) -> &'static str {
        "Assert"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("summarize", Attr::Int(self.summarize))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.is_empty() {
            bail!(Type, "expected a condition and data");
        }
        inputs.expect_dtype(0, DType::Bool)?;
        crate::args::expect_rank(inputs, 0, 0, "condition")?;
        Ok(Specs::new())
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let Some((condition, data)) = inputs.split_first() else {
            bail!(Type, "expected a condition and data");
        };
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
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

fn print_v2(a: &AttrReader<'_>) -> Result<PrintV2> {
    let output_stream = a.str_or("output_stream", "stderr")?;
    if !is_stream(&output_stream) {
        bail!(
            Value,
            "output_stream must be stdout, stderr, log(info), log(warning), log(error) or file:// with a path, \
             got {output_stream:?}"
        );
    }
    Ok(PrintV2 {
        output_stream,
        end: a.str_or("end", "\n")?,
    })
}

pub(crate) fn register(r: &mut Registry) {
    r.add("PrintV2", |a| Ok(Arc::new(print_v2(a)?)));
    r.add("StringFormat", |a| {
        Ok(Arc::new(StringFormat {
            template: a.str_or("template", "%s")?,
            placeholder: a.str_or("placeholder", "%s")?,
            summarize: a.int_or("summarize", 3)?,
        }))
    });
    r.add("Assert", |a| {
        Ok(Arc::new(Assert {
            summarize: a.int_or("summarize", 3)?,
        }))
    });
}
