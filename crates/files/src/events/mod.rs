//! Operations that write event files.

mod file;

use ferrograph_formats::files::path_of;
use ferrograph_formats::messages::{Event, Summary, SummaryMetadata, SummaryValue, TensorProto};
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{Bytes, Result, Tensor, bail, err};
use file::EventFile;
use prost::Message;
use smallvec::smallvec;
use std::time::Duration;

declare! {
    trait EmitEvents;

    /// A writer of summaries without a file.
    SummaryWriter: summary_writer() -> (writer: resource), gradient Stops, effect World;

    /// Makes the event file of `writer` in the folder `logdir`, unless it has one.
    CreateSummaryFileWriter: create_summary_file_writer(
        writer: resource, logdir: string rank 0, max_queue: int32 rank 0, flush_millis: int32 rank 0,
        filename_suffix: string rank 0,
    ) -> (), gradient Stops, effect World;

    /// Appends `tensor` to the event file of `writer`, under a tag and as that serialised metadata says.
    WriteSummary: write_summary(
        writer: resource, step: int64 rank 0, tensor: T in stored, tag: string rank 0, summary_metadata: string rank 0,
    ) -> (), gradient Stops, effect World;

    /// Appends a serialised `Summary` to the event file of `writer`.
    WriteRawProtoSummary: write_raw_proto_summary(writer: resource, step: int64 rank 0, tensor: string)
        -> (), gradient Stops, effect World;

    /// Appends a serialised graph to the event file of `writer`.
    WriteGraphSummary: write_graph_summary(writer: resource, step: int64 rank 0, tensor: string rank 0)
        -> (), gradient Stops, effect World;

    /// Writes what waits for the event file of `writer`.
    FlushSummaryWriter: flush_summary_writer(writer: resource) -> (), gradient Stops, effect World;

    /// Writes what waits for the event file of `writer`, which takes nothing more.
    CloseSummaryWriter: close_summary_writer(writer: resource) -> (), gradient Stops, effect World;
}

/// The string of a scalar.
fn text(t: &Tensor) -> Result<&Bytes> {
    match t.as_strings()? {
        [one] => Ok(one),
        _ => bail!(Shape, "expected a scalar, got {}", t.spec()),
    }
}

fn utf8(t: &Tensor) -> Result<String> {
    let text = text(t)?;
    let text = std::str::from_utf8(text);
    text.map(str::to_owned)
        .map_err(|_| err!(InvalidArgument, "the text is no UTF-8"))
}

fn decoded<M: Message + Default>(bytes: &[u8], what: &str) -> Result<M> {
    M::decode(bytes).map_err(|e| err!(InvalidArgument, "{what} can't be parsed: {e}"))
}

impl Op for SummaryWriter {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![EventFile::default().into_tensor()])
    }
}

impl Op for CreateSummaryFileWriter {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let most = usize::try_from(inputs[2].item::<i32>()?).unwrap_or(0);
        let wait = u64::try_from(inputs[3].item::<i32>()?).unwrap_or(0);
        let (folder, suffix) = (text(&inputs[1])?, utf8(&inputs[4])?);
        if suffix.contains(['/', '\0']) {
            bail!(
                InvalidArgument,
                "filename_suffix must be part of a name, got {suffix:?}"
            );
        }
        let file = EventFile::of(&inputs[0])?;
        file.create(&path_of(folder), &suffix, most, Duration::from_millis(wait))?;
        Ok(Tensors::new())
    }
}

impl Op for WriteSummary {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let metadata = text(&inputs[4])?;
        let metadata: Option<SummaryMetadata> = match metadata.is_empty() {
            true => None,
            false => Some(decoded(metadata, "summary_metadata")?),
        };
        let value = SummaryValue {
            tag: utf8(&inputs[3])?,
            tensor: Some(TensorProto::of(&inputs[2])?),
            metadata,
        };
        let summary = Summary { value: vec![value] };
        EventFile::of(&inputs[0])?.write_summary(inputs[1].item()?, summary)?;
        Ok(Tensors::new())
    }
}

impl Op for WriteRawProtoSummary {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let file = EventFile::of(&inputs[0])?;
        for bytes in inputs[2].as_strings()? {
            file.write_summary(inputs[1].item()?, decoded(bytes, "a Summary")?)?;
        }
        Ok(Tensors::new())
    }
}

impl Op for WriteGraphSummary {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let event = Event {
            step: inputs[1].item()?,
            graph_def: Some(text(&inputs[2])?.to_vec()),
            ..Event::default()
        };
        EventFile::of(&inputs[0])?.write(event)?;
        Ok(Tensors::new())
    }
}

impl Op for FlushSummaryWriter {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        EventFile::of(&inputs[0])?.flush()?;
        Ok(Tensors::new())
    }
}

impl Op for CloseSummaryWriter {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        EventFile::of(&inputs[0])?.close()?;
        Ok(Tensors::new())
    }
}
