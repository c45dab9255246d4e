//! Sound as the contents of WAV files of 16 bits a sample.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, string_of, vec_for,
    vec_of,
};
use smallvec::smallvec;

use crate::chunks::{Bytes, Format, HEADER, find_chunks};

declare! {
    trait EmitWav;

    /// The samples of a WAV file of 16 bits, as numbers from -1 to 1, a row for each time and a column for each channel.
    DecodeWav: decode_wav(contents: string rank 0) -> (audio: float32, sample_rate: int32), gradient Stops {
        /// How many channels come out, the last one repeated where the file has fewer; -1 for those of the file.
        desired_channels: i64 = -1,
        /// How many samples come out, zeros behind those of the file; -1 for those of the file.
        desired_samples: i64 = -1,
    };

    /// Samples from -1 to 1, a row for each time and a column for each channel, as a WAV file of 16 bits.
    EncodeWav: encode_wav(audio: float32 rank 2, sample_rate: int32 rank 0) -> (contents: string), gradient Stops;
}

/// What a number of channels or samples says: one, or that of the file.
fn desired(n: i64, what: &str) -> Result<Option<usize>> {
    match (n, usize::try_from(n)) {
        (-1, _) => Ok(None),
        (_, Ok(n)) => Ok(Some(n)),
        _ => bail!(InvalidArgument, "{what} must be >= -1, got {n}"),
    }
}

impl Op for DecodeWav {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let dim = |n: Option<usize>| n.map_or(Dim::UNKNOWN, Dim::new);
        let dims = [
            dim(desired(self.desired_samples, "desired_samples")?),
            dim(desired(self.desired_channels, "desired_channels")?),
        ];
        Ok(smallvec![
            TensorSpec::new(DType::Float32, PartialShape::new(&dims)),
            TensorSpec::scalar(DType::Int32)
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let Some(contents) = inputs[0].as_strings()?.first() else {
            bail!(Internal, "a scalar has an element");
        };
        let (format, data) = find_chunks(contents)?;
        let wanted = [
            desired(self.desired_samples, "desired_samples")?,
            desired(self.desired_channels, "desired_channels")?,
        ];
        let rate = i32::try_from(format.rate).map_err(|_| {
            err!(
                InvalidArgument,
                "a sample rate of {} is too high",
                format.rate
            )
        })?;
        Ok(smallvec![
            samples(format, data, wanted)?,
            Tensor::scalar(rate)?
        ])
    }
}

/// The samples, in as many rows and columns as are wanted.
fn samples(format: Format, data: &[u8], wanted: [Option<usize>; 2]) -> Result<Tensor> {
    let there = data.len() / (2 * format.channels);
    let (n, channels) = (
        wanted[0].unwrap_or(there),
        wanted[1].unwrap_or(format.channels),
    );
    let shape = Shape::from(&[n, channels][..]);
    TensorSpec::new(DType::Float32, PartialShape::from(&shape[..])).check_fits()?;
    let mut out = vec_of(0.0_f32, n * channels)?;
    if channels > 0 {
        let rows = out.chunks_exact_mut(channels);
        for (row, from) in rows.zip(data.chunks_exact(2 * format.channels)) {
            for (c, to) in row.iter_mut().enumerate() {
                let at = 2 * c.min(format.channels - 1);
                *to = f32::from(i16::from_le_bytes([from[at], from[at + 1]])) / 32768.0;
            }
        }
    }
    Tensor::from_slice(shape, &out)
}

impl Op for EncodeWav {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.shape(0).rank() == Some(2)
            && let Some(channels @ (0 | 65536..)) = inputs.shape(0).dim(1).known()
        {
            bail!(
                InvalidArgument,
                "a WAV file has from 1 to 65535 channels, got {channels}"
            );
        }
        Ok(smallvec![TensorSpec::scalar(DType::String)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let rate = inputs[1].item::<i32>()?;
        let rate = u32::try_from(rate)
            .ok()
            .filter(|rate| *rate > 0)
            .ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "sample_rate must be in (0, 2^31), got {rate}"
                )
            })?;
        let channels = inputs[0].shape()[1];
        let audio = inputs[0].as_slice::<f32>()?;
        let file = encoded(audio, channels, rate)?;
        Ok(smallvec![Tensor::from_strings(
            Shape::scalar(),
            vec![string_of(&file)?]
        )?])
    }
}

fn encoded(audio: &[f32], channels: usize, rate: u32) -> Result<Vec<u8>> {
    let mut file = vec_for(HEADER + 2 * audio.len())?;
    let format = Format { channels, rate };
    file.extend_from_slice(&Bytes::header(format, 2 * audio.len())?);
    for x in audio {
        // NaN is silence.
        #[allow(clippy::cast_possible_truncation)]
        let sample = (x * 32768.0).round().clamp(-32768.0, 32767.0) as i16;
        file.extend_from_slice(&sample.to_le_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        let file = encoded(&[0.0, 0.5, -0.5, 2.0, -2.0, f32::NAN], 2, 8000).expect("it fits");
        let (format, data) = find_chunks(&file).expect("it is a file");
        assert_eq!((format.channels, format.rate, data.len()), (2, 8000, 12));
        let back = samples(format, data, [Some(4), Some(3)]).expect("it fits");
        let want = [
            0.0,
            0.5,
            0.5,
            -0.5,
            32767.0 / 32768.0,
            32767.0 / 32768.0,
            -1.0,
            0.0,
            0.0,
        ];
        assert_eq!(back.as_slice::<f32>().expect("floats")[..9], want);
        assert_eq!(back.shape()[..], [4, 3]);
    }
}
