//! Compressed bytes.

use ferrograph_formats::compression::{Bounded, kind_of};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_ops::text::{like_input, map_strings};
use ferrograph_tensor::{Bytes, DType, Error, Result, Tensor, bail, check_bytes, string_of};
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use smallvec::smallvec;
use std::io::Read;

declare! {
    trait EmitCompressed;

    /// Each of `bytes` decompressed.
    DecodeCompressed: decode_compressed(bytes: string) -> (output: string like bytes), gradient Stops, batch Broadcasts {
        /// "GZIP", "ZLIB", or empty for what is not compressed.
        compression_type: String = String::new(),
    };
}

/// What is decompressed before the program is asked whether to go on.
const STEP: u64 = 1 << 20;

/// All that a decoder gives.
fn all(from: impl Read) -> Result<Bytes> {
    let mut from = Bounded::new(from);
    let mut bytes = Vec::new();
    loop {
        poll_cancellation();
        let step = from.by_ref().take(STEP).read_to_end(&mut bytes);
        let more = step.map_err(|e| Error::new(kind_of(&e), format!("inflate() failed: {e}")))?;
        check_bytes(bytes.len())?;
        if more == 0 {
            return string_of(&bytes);
        }
    }
}

impl Op for DecodeCompressed {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if !matches!(&self.compression_type[..], "" | "GZIP" | "ZLIB") {
            bail!(
                InvalidArgument,
                "Only ZLIB, GZIP or NONE are supported compressions, got {:?}",
                self.compression_type
            );
        }
        like_input(inputs, DType::String)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let decoded = |bytes: &[u8]| match &self.compression_type[..] {
            "GZIP" => all(MultiGzDecoder::new(bytes)),
            "ZLIB" => all(ZlibDecoder::new(bytes)),
            _ => string_of(bytes),
        };
        Ok(smallvec![map_strings(&inputs[0], decoded)?])
    }
}
