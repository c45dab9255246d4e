//! Writing pictures as the contents of files.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{
    Bytes, DType, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, string_of, vec_for,
};
use jpeg_encoder::Density;
use smallvec::smallvec;

use crate::codec::{JpegWrite, write_jpeg, write_png};

declare! {
    trait EmitEncode;

    /// Each of a stack of pictures `[…, h, w, c]`, of one to four channels, as the contents of a PNG file.
    EncodePng: encode_png(image: T in integer) -> (contents: string), gradient Stops {
        /// How much work is spent to make it small, from 0 to 9; -1 for the usual.
        compression: i64 = -1,
    };

    /// A picture `[h, w, c]` of one or three channels as the contents of a JPEG file.
    EncodeJpeg: encode_jpeg(image: uint8 rank 3) -> (contents: string), gradient Stops {
        /// "grayscale", "rgb", or empty for what the channels say.
        format: String = String::new(),
        /// From 0 to 100.
        quality: i64 = 95,
        /// Whether it can be shown while it comes.
        progressive: bool = false,
        /// Whether work is spent to make it small without loss.
        optimize_size: bool = false,
        /// Whether colours have half the pixels of brightness.
        chroma_downsampling: bool = true,
        /// "in" or "cm": what the density counts by.
        density_unit: String = String::from("in"),
        /// Pixels in a unit, along a row.
        x_density: i64 = 300,
        /// Pixels in a unit, along a column.
        y_density: i64 = 300,
        /// What the file says about itself.
        xmp_metadata: String = String::new(),
    };

    /// As `EncodeJpeg`, of a quality that is computed.
    EncodeJpegVariableQuality: encode_jpeg_variable_quality(images: uint8 rank 3, quality: int32 rank 0)
        -> (contents: string), gradient Stops;
}

fn text(shape: PartialShape) -> Result<Specs> {
    Ok(smallvec![TensorSpec::new(DType::String, shape)])
}

/// Refuses other numbers of channels.
fn check_channels(image: &PartialShape, fits: impl Fn(usize) -> bool, what: &str) -> Result<()> {
    let rank = image.rank().unwrap_or(3);
    if image.dim(rank - 1).known().is_some_and(|c| !fits(c)) {
        bail!(
            InvalidArgument,
            "image must have {what} channels, got {image}"
        );
    }
    Ok(())
}

impl Op for EncodePng {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = inputs.shape(0);
        if !matches!(inputs.dtype(0), DType::UInt8 | DType::UInt16) {
            bail!(
                DType,
                "image must be uint8 or uint16, got {}",
                inputs.dtype(0)
            );
        }
        if !(-1..=9).contains(&self.compression) {
            bail!(
                InvalidArgument,
                "compression should be in [-1,9], got {}",
                self.compression
            );
        }
        let Some(dims) = shape.dims() else {
            return text(PartialShape::UNKNOWN);
        };
        if dims.len() < 3 {
            bail!(
                InvalidArgument,
                "images must be at least rank 3, got shape {shape}"
            );
        }
        check_channels(shape, |c| (1..=4).contains(&c), "1, 2, 3, or 4")?;
        text(PartialShape::new(&dims[..dims.len() - 3]))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let shape = inputs[0].shape();
        let (lead, sizes) = shape.split_at(shape.rank() - 3);
        let sizes = [sizes[0], sizes[1], sizes[2]];
        let is_words = inputs[0].dtype() == DType::UInt16;
        let size = sizes.iter().product::<usize>() << usize::from(is_words);
        let count: usize = lead.iter().product();
        let mut files: Vec<Bytes> = vec_for(count)?;
        for i in 0..count {
            let data = &inputs[0].bytes()[i * size..(i + 1) * size];
            let file = match is_words {
                true => write_png(&turned(data)?, sizes, true, self.compression)?,
                false => write_png(data, sizes, false, self.compression)?,
            };
            files.push(string_of(&file)?);
        }
        Ok(smallvec![Tensor::from_strings(Shape::new(lead), files)?])
    }
}

/// Words in the order that files have.
fn turned(data: &[u8]) -> Result<Vec<u8>> {
    let mut all = vec_for(data.len())?;
    all.extend(
        data.as_chunks()
            .0
            .iter()
            .flat_map(|b| u16::from_ne_bytes(*b).to_be_bytes()),
    );
    Ok(all)
}

fn quality_of(quality: i64) -> Result<u8> {
    let found = u8::try_from(quality).ok().filter(|q| *q <= 100);
    found.ok_or_else(|| err!(InvalidArgument, "quality must be in [0,100], got {quality}"))
}

/// The contents of a file for input 0.
fn jpeg(inputs: &[Tensor], how: &JpegWrite) -> Result<Tensors> {
    let shape = inputs[0].shape();
    let file = write_jpeg(
        inputs[0].as_slice::<u8>()?,
        [shape[0], shape[1], shape[2]],
        how,
    )?;
    let file = string_of(&file)?;
    Ok(smallvec![Tensor::from_strings(
        Shape::scalar(),
        vec![file]
    )?])
}

impl EncodeJpeg {
    fn how(&self) -> Result<JpegWrite> {
        let side = |n: i64| u16::try_from(n).unwrap_or(u16::MAX);
        let (x, y) = (side(self.x_density), side(self.y_density));
        Ok(JpegWrite {
            quality: quality_of(self.quality)?,
            progressive: self.progressive,
            optimize_size: self.optimize_size,
            chroma_downsampling: self.chroma_downsampling,
            density: match self.density_unit.as_str() {
                "in" => Density::Inch { x, y },
                "cm" => Density::Centimeter { x, y },
                other => bail!(
                    InvalidArgument,
                    "density_unit must be \"in\" or \"cm\", got {other:?}"
                ),
            },
            xmp: self.xmp_metadata.clone().into_bytes(),
        })
    }
}

impl Op for EncodeJpeg {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        self.how()?;
        let only = match self.format.as_str() {
            "" => None,
            "grayscale" => Some(1),
            "rgb" => Some(3),
            other => bail!(
                InvalidArgument,
                "format must be \"\", \"grayscale\" or \"rgb\", got {other:?}"
            ),
        };
        let fits = |c: usize| matches!(c, 1 | 3) && only.is_none_or(|n| n == c);
        check_channels(
            inputs.shape(0),
            fits,
            if only == Some(3) { "3" } else { "1 or 3" },
        )?;
        text(PartialShape::scalar())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        jpeg(inputs, &self.how()?)
    }
}

impl Op for EncodeJpegVariableQuality {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_channels(inputs.shape(0), |c| matches!(c, 1 | 3), "1 or 3")?;
        text(PartialShape::scalar())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let quality = quality_of(i64::from(inputs[1].item::<i32>()?))?;
        let how = JpegWrite {
            quality,
            ..JpegWrite::default()
        };
        jpeg(inputs, &how)
    }
}
