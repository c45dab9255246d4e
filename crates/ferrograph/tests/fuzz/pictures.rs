//! Pictures and sound.

use super::{computed, decoded, fuzz, fuzz_within};
use ferrograph_graph::Attr;
use ferrograph_tensor::Tensor;

/// What a picture may take: as many bytes as elements are allowed, twice over while it is converted, and the decoder's.
const MOST: usize = 5 << 30;

/// A picture of that height, width and channels.
fn pixels([h, w, c]: [usize; 3]) -> Tensor {
    let pixels: Vec<u8> = (0..h * w * c).map(|i| (i * 37 % 251) as u8).collect();
    let image = Tensor::vector(&pixels).unwrap();
    image.reshaped([h, w, c].into()).unwrap()
}

/// The string that an operation makes of a picture.
fn encoded(op: &str, attrs: &[(&str, Attr)], sizes: [usize; 3]) -> Vec<u8> {
    computed(op, attrs, &[pixels(sizes)]).unwrap()[0]
        .as_strings()
        .unwrap()[0]
        .to_vec()
}

fn png() -> Vec<u8> {
    encoded("EncodePng", &[], [7, 5, 3])
}

#[test]
fn png_files() {
    let files = [png(), encoded("EncodePng", &[], [3, 4, 2])];
    fuzz("png", &files, MOST, |file| {
        decoded("DecodePng", &[], file, &[])
    });
}

/// The checksum of a chunk of PNG.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
        })
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// Chunks of PNG in a file, each a length of four bytes, a kind of four, and contents, with their checksums put right.
fn summed(file: Vec<u8>) -> Vec<u8> {
    let (head, mut rest) = file.split_at(file.len().min(8));
    let mut all = head.to_vec();
    while let Some((length, from)) = rest.split_first_chunk::<4>() {
        let n = (u32::from_be_bytes(*length) as usize).saturating_add(4);
        let (chunk, behind) = from.split_at(n.min(from.len()));
        all.extend(length);
        all.extend(chunk);
        all.extend(crc(chunk).to_be_bytes());
        rest = behind.get(4..).unwrap_or_default();
    }
    all
}

#[test]
fn png_chunks() {
    let words = [("dtype", Attr::DType(ferrograph_tensor::DType::UInt16))];
    let files = [png(), encoded("EncodePng", &[], [2, 9, 1])];
    fuzz_within("chunks of png", &files, MOST, summed, |file| {
        decoded("DecodePng", &words, file, &[])
    });
}

#[test]
fn jpeg_files() {
    let progressive = [
        ("format", Attr::str("rgb")),
        ("progressive", Attr::Bool(true)),
    ];
    let files = [
        encoded("EncodeJpeg", &[], [7, 5, 3]),
        encoded("EncodeJpeg", &progressive, [17, 20, 3]),
        encoded("EncodeJpeg", &[], [9, 9, 1]),
    ];
    fuzz("jpeg", &files, MOST, |file| {
        decoded("DecodeJpeg", &[], file, &[])
    });
    let recovering = [
        ("try_recover_truncated", Attr::Bool(true)),
        ("ratio", Attr::Int(2)),
    ];
    fuzz("jpeg recovered", &files, MOST, |file| {
        decoded("DecodeJpeg", &recovering, file, &[])
    });
    let window = Tensor::vector(&[1i32, 1, 3, 2]).unwrap();
    fuzz("jpeg cropped", &files, MOST, |file| {
        decoded(
            "DecodeAndCropJpeg",
            &[],
            file,
            std::slice::from_ref(&window),
        )
    });
    fuzz("sizes of jpeg", &files, MOST, |file| {
        decoded("ExtractJpegShape", &[], file, &[])
    });
}

fn gif() -> Vec<u8> {
    let mut gif = b"GIF89a".to_vec();
    gif.extend_from_slice(&[2, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
    gif.extend_from_slice(&[0x21, 0xf9, 4, 5, 10, 0, 1, 0]);
    gif.extend_from_slice(&[0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x44, 2, 5, 0]);
    gif.extend_from_slice(&[0x2c, 1, 0, 1, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0, 0x3b]);
    gif
}

fn bmp() -> Vec<u8> {
    let mut bmp = b"BM".to_vec();
    bmp.extend_from_slice(&[70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0]);
    bmp.extend_from_slice(&[2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0]);
    bmp.extend_from_slice(&[0; 24]);
    bmp.extend_from_slice(&[9; 16]);
    bmp
}

#[test]
fn gif_and_bmp_files() {
    fuzz("gif", &[gif()], MOST, |file| {
        decoded("DecodeGif", &[], file, &[])
    });
    fuzz("bmp", &[bmp()], MOST, |file| {
        decoded("DecodeBmp", &[], file, &[])
    });
}

#[test]
fn pictures_of_any_kind() {
    let files = [png(), encoded("EncodeJpeg", &[], [7, 5, 3]), gif(), bmp()];
    let attrs = [("channels", Attr::Int(3))];
    fuzz("pictures", &files, MOST, |file| {
        decoded("DecodeImage", &attrs, file, &[])
    });
}

#[test]
fn sound() {
    let samples = Tensor::from_slice([5, 2], &[0.5f32; 10]).unwrap();
    let file = computed(
        "EncodeWav",
        &[],
        &[samples, Tensor::scalar(8000i32).unwrap()],
    )
    .unwrap();
    let file = file[0].as_strings().unwrap()[0].to_vec();
    fuzz("wav", &[file], super::LITTLE, |file| {
        decoded("DecodeWav", &[], file, &[])
    });
}
