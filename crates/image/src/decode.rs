//! Reading pictures from the contents of files.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, err, printed_name,
};
use smallvec::smallvec;

use crate::codec::{JpegRead, Method, Picture, is_jpeg, read, shape_of};

declare! {
    trait EmitDecode;

    /// The picture that `contents` hold, in PNG or another format, as `[h, w, c]`.
    DecodePng: decode_png(contents: string rank 0) -> (image: dtype), gradient Stops {
        /// How many channels; 0 for as many as there are.
        channels: i64 = 0,
        /// uint8 or uint16.
        dtype: DType = DType::UInt8,
    };

    /// The picture that `contents` hold, in JPEG or another format, as `[h, w, c]`.
    DecodeJpeg: decode_jpeg(contents: string rank 0) -> (image: uint8), gradient Stops {
        /// How many channels; 0 for as many as there are.
        channels: i64 = 0,
        /// By how much the picture is made smaller.
        ratio: i64 = 1,
        /// Whether colours of fewer samples are interpolated rather than repeated.
        fancy_upscaling: bool = true,
        /// Whether what the file lacks is made up for.
        try_recover_truncated: bool = false,
        /// How much of the picture has to be there; what is made up for counts.
        acceptable_fraction: f64 = 1.0,
        /// "INTEGER_FAST", which nothing means as well, or "INTEGER_ACCURATE".
        dct_method: String = String::new(),
    };

    /// As `DecodeJpeg`, of the pixels in `[y, x, height, width]`.
    DecodeAndCropJpeg: decode_and_crop_jpeg(contents: string rank 0, crop_window: int32 rank 1)
        -> (image: uint8), gradient Stops {
        /// As in `DecodeJpeg`, like all that follow.
        channels: i64 = 0,
        /// As there.
        ratio: i64 = 1,
        /// As there.
        fancy_upscaling: bool = true,
        /// As there.
        try_recover_truncated: bool = false,
        /// As there.
        acceptable_fraction: f64 = 1.0,
        /// As there.
        dct_method: String = String::new(),
    };

    /// All frames that `contents` hold, in GIF or another format, as `[n, h, w, 3]`.
    DecodeGif: decode_gif(contents: string rank 0) -> (image: uint8), gradient Stops;

    /// The picture that `contents` hold, in BMP or another format, as `[h, w, c]`.
    DecodeBmp: decode_bmp(contents: string rank 0) -> (image: uint8), gradient Stops {
        /// How many channels; 0 for as many as there are.
        channels: i64 = 0,
    };

    /// The picture that `contents` hold, in any format: `[h, w, c]`, and `[n, h, w, 3]` of an animation.
    DecodeImage: decode_image(contents: string rank 0) -> (image: dtype), gradient Stops {
        /// How many channels; 0 for as many as there are.
        channels: i64 = 0,
        /// uint8, uint16, or float32 for numbers from 0 to 1.
        dtype: DType = DType::UInt8,
        /// Whether all frames of an animation are read rather than the first.
        expand_animations: bool = true,
    };

    /// Height, width and channels of a JPEG file, without reading its pixels.
    ExtractJpegShape: extract_jpeg_shape(contents: string rank 0) -> (image_shape: output_type in index), gradient Stops {
        /// The dtype of the sizes.
        output_type: DType = DType::Int32,
    };
}

/// The shape of a picture of that many channels.
fn picture_shape(channels: i64, least: &[i64]) -> Result<PartialShape> {
    if !least.contains(&channels) {
        bail!(
            InvalidArgument,
            "`channels` must be one of {least:?} but got {channels}"
        );
    }
    let deep = usize::try_from(channels).ok().filter(|n| *n > 0);
    Ok(PartialShape::new(&[
        Dim::UNKNOWN,
        Dim::UNKNOWN,
        deep.into(),
    ]))
}

fn spec(dtype: DType, shape: PartialShape) -> Result<Specs> {
    Ok(smallvec![TensorSpec::new(dtype, shape)])
}

/// The contents that input 0 is.
fn contents(inputs: &[Tensor]) -> Result<&[u8]> {
    Ok(&inputs[0].as_strings()?[0])
}

fn channels_of(channels: i64) -> usize {
    usize::try_from(channels).unwrap_or(0)
}

const FORMATS: &[i64] = &[0, 1, 3, 4];

/// A picture as a tensor, of one frame unless it may have more.
fn tensor(picture: Picture, dtype: DType, more: bool, scale: u16) -> Result<Tensor> {
    let sizes = [picture.frames, picture.h, picture.w, picture.c];
    let sizes = if more { &sizes[..] } else { &sizes[1..] };
    let n: usize = sizes.iter().product();
    match dtype {
        DType::UInt8 => Tensor::from_slice(sizes, &picture.bytes()?[..n]),
        DType::UInt16 => Tensor::from_slice(sizes, &picture.words(scale)?[..n]),
        DType::Float32 => Tensor::from_slice(sizes, &picture.floats()?[..n]),
        other => bail!(InvalidArgument, "pictures are not read as {other}"),
    }
}

/// Refuses more frames than one.
fn single(picture: Picture, what: &str) -> Result<Picture> {
    if picture.frames > 1 {
        let fg = printed_name();
        bail!(
            InvalidArgument,
            "Got {} frames, but animated gifs can only be decoded by {fg}.io.decode_gif or {fg}.io.decode_image, not {what}",
            picture.frames
        );
    }
    Ok(picture)
}

impl Op for DecodePng {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        if !matches!(self.dtype, DType::UInt8 | DType::UInt16) {
            bail!(
                InvalidArgument,
                "dtype must be uint8 or uint16, got {}",
                self.dtype
            );
        }
        spec(self.dtype, picture_shape(self.channels, FORMATS)?)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let picture = read(
            contents(inputs)?,
            channels_of(self.channels),
            JpegRead::default(),
        )?;
        let picture = single(picture, "DecodePng")?;
        Ok(smallvec![tensor(picture, self.dtype, false, 257)?])
    }
}

/// How the attributes of an operation say a JPEG file is read.
macro_rules! jpeg_read {
    ($op:expr) => {
        jpeg_read(
            $op.ratio,
            $op.fancy_upscaling,
            $op.try_recover_truncated,
            &$op.dct_method,
        )
    };
}

fn jpeg_read(ratio: i64, is_fancy: bool, recovers: bool, method: &str) -> Result<JpegRead> {
    let method = match method {
        "" | "INTEGER_FAST" => Method::Fast,
        "INTEGER_ACCURATE" => Method::Accurate,
        other => bail!(
            InvalidArgument,
            "dct_method must be one of {{'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}}, got {other:?}"
        ),
    };
    match ratio {
        1 | 2 | 4 | 8 => Ok(JpegRead {
            ratio: channels_of(ratio),
            recovers,
            is_fancy,
            method,
            columns: None,
        }),
        _ => bail!(InvalidArgument, "ratio must be 1, 2, 4, or 8, got {ratio}"),
    }
}

impl Op for DecodeJpeg {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        jpeg_read!(self)?;
        if self.channels == 4 {
            bail!(InvalidArgument, "JPEG does not support 4 channels");
        }
        spec(DType::UInt8, picture_shape(self.channels, FORMATS)?)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let how = jpeg_read!(self)?;
        let picture = read(contents(inputs)?, channels_of(self.channels), how)?;
        let picture = single(picture, "DecodeJpeg")?;
        Ok(smallvec![tensor(picture, DType::UInt8, false, 257)?])
    }
}

impl Op for DecodeAndCropJpeg {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        jpeg_read!(self)?;
        if !inputs.shape(1).dim(0).is_compatible(Dim::new(4)) {
            bail!(
                Shape,
                "crop_window must have four elements, got {}",
                inputs.shape(1)
            );
        }
        let shape = picture_shape(self.channels, &[0, 1, 3])?;
        let size = |i: usize| -> Dim {
            let known = inputs
                .known(1)
                .and_then(|all| all.get(i).copied().flatten());
            let known = known.filter(|_| self.ratio == 1);
            known.and_then(|n| usize::try_from(n).ok()).into()
        };
        spec(
            DType::UInt8,
            PartialShape::new(&[size(2), size(3), shape.dim(2)]),
        )
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let bytes = contents(inputs)?;
        if !is_jpeg(bytes) {
            bail!(
                InvalidArgument,
                "Invalid JPEG data: it does not begin as JPEG does"
            );
        }
        let window = inputs[1].to_i64s()?;
        let bad = || {
            err!(
                InvalidArgument,
                "Invalid JPEG data or crop window: {window:?}"
            )
        };
        let sizes = [0, 1, 2, 3].map(|i| usize::try_from(window[i]).ok());
        let [Some(top), Some(left), Some(h), Some(w)] = sizes else {
            return Err(bad());
        };
        let how = JpegRead {
            columns: Some([left, w]),
            ..jpeg_read!(self)?
        };
        let picture = read(bytes, channels_of(self.channels), how)?;
        if h == 0 || top.checked_add(h).is_none_or(|end| end > picture.h) {
            return Err(bad());
        }
        let (line, c) = (picture.w * picture.c, picture.c);
        let data = picture.bytes()?;
        let out = Tensor::from_slice([h, w, c], &data[top * line..][..h * line])?;
        Ok(smallvec![out])
    }
}

impl Op for DecodeGif {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let [n, h, w] = [Dim::UNKNOWN; 3];
        spec(DType::UInt8, PartialShape::new(&[n, h, w, Dim::new(3)]))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let picture = read(contents(inputs)?, 3, JpegRead::default())?;
        Ok(smallvec![tensor(picture, DType::UInt8, true, 257)?])
    }
}

impl Op for DecodeBmp {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        spec(DType::UInt8, picture_shape(self.channels, FORMATS)?)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let picture = read(
            contents(inputs)?,
            channels_of(self.channels),
            JpegRead::default(),
        )?;
        let picture = single(picture, "DecodeBmp")?;
        Ok(smallvec![tensor(picture, DType::UInt8, false, 257)?])
    }
}

impl Op for DecodeImage {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        if !matches!(self.dtype, DType::UInt8 | DType::UInt16 | DType::Float32) {
            bail!(
                InvalidArgument,
                "dtype must be uint8, uint16 or float32, got {}",
                self.dtype
            );
        }
        let shape = picture_shape(self.channels, FORMATS)?;
        let open = self.expand_animations;
        spec(self.dtype, if open { PartialShape::UNKNOWN } else { shape })
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let picture = read(
            contents(inputs)?,
            channels_of(self.channels),
            JpegRead::default(),
        )?;
        let more = picture.is_animation && self.expand_animations;
        // Formats of bytes alone are doubled into words in another way than PNG.
        let scale = if contents(inputs)?.starts_with(b"\x89PNG") {
            257
        } else {
            256
        };
        Ok(smallvec![tensor(picture, self.dtype, more, scale)?])
    }
}

impl Op for ExtractJpegShape {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        spec(self.output_type, PartialShape::new(&[Dim::new(3)]))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let sizes = shape_of(contents(inputs)?)?.map(|n| i32::try_from(n).unwrap_or(i32::MAX));
        Ok(smallvec![match self.output_type {
            DType::Int64 => Tensor::vector(&sizes.map(i64::from))?,
            _ => Tensor::vector(&sizes)?,
        }])
    }
}
