//! Operations that read strings.

use super::formats::{example_message, sequence_message};
use super::{LITTLE, computed, damaged, decoded, fuzz, tensors, text, texts_of};
use ferrograph_formats::messages::TensorProto;
use ferrograph_graph::Attr;
use ferrograph_tensor::{DType, Dim, PartialShape, Tensor};
use prost::Message;

#[test]
fn rows_of_values() {
    let [floats, number, _] = tensors();
    let defaults = [
        floats.rows(0, 1).unwrap(),
        number.reshaped([1].into()).unwrap(),
        texts_of(&["d"]),
    ];
    let files = [b"1.5,2,\"a \"\"b\"\"\"".to_vec(), b",,".to_vec()];
    fuzz("rows of values", &files, LITTLE, |file| {
        decoded("DecodeCSV", &[], file, &defaults)
    });
}

#[test]
fn json() {
    let json = br#"{"features":{"feature":{"a":{"int64List":{"value":["1",2]}},"b":{"floatList":{"value":[1.5]}}}}}"#;
    fuzz("json", &[json.to_vec()], LITTLE, |file| {
        decoded("DecodeJSONExample", &[], file, &[])
    });
}

#[test]
fn numbers() {
    for dtype in [DType::Float32, DType::Float64, DType::Int32, DType::Int64] {
        let attrs = [("out_type", Attr::DType(dtype))];
        let files = match dtype.is_floating() {
            true => [b"-12.5e3".to_vec(), b"inf".to_vec()],
            false => [b"-123".to_vec(), b"2147483647".to_vec()],
        };
        fuzz(&format!("texts of {dtype}"), &files, LITTLE, |file| {
            decoded("StringToNumber", &attrs, file, &[])
        });
    }
}

#[test]
fn encodings() {
    fuzz("base64", &[b"aGVsbG8".to_vec()], LITTLE, |file| {
        decoded("DecodeBase64", &[], file, &[])
    });
    for (encoding, file) in [
        ("UTF-8", "aé€😀".as_bytes().to_vec()),
        ("UTF-16-BE", vec![0, 97, 0xd8, 0x3d, 0xde, 0]),
        ("UTF-32-BE", vec![0, 0, 0, 97, 0, 1, 0xf6, 0]),
    ] {
        let attrs = [
            ("input_encoding", Attr::str(encoding)),
            ("errors", Attr::str("strict")),
        ];
        fuzz(encoding, &[file], LITTLE, |file| {
            decoded("UnicodeDecodeWithOffsets", &attrs, file, &[])
        });
    }
}

#[test]
fn raw_bytes() {
    let attrs = [("out_type", Attr::DType(DType::Int16))];
    fuzz("raw bytes", &[vec![1, 2, 3, 4]], LITTLE, |file| {
        decoded("DecodeRaw", &attrs, file, &[])
    });
    let zlib = vec![
        120, 156, 75, 76, 74, 78, 4, 35, 29, 133, 196, 188, 20, 133, 226, 124, 133, 252, 60, 0, 74,
        78, 6, 241,
    ];
    let attrs = [("compression_type", Attr::str("ZLIB"))];
    fuzz("compressed bytes", &[zlib], LITTLE, |file| {
        decoded("DecodeCompressed", &attrs, file, &[])
    });
}

#[test]
fn patterns() {
    let words = texts_of(&["one two", "aaa", ""]);
    let files = [b"(a|b)*c{1,3}".to_vec(), b"[^a-z]+\\d?$".to_vec()];
    fuzz("patterns", &files, 64 << 20, |file| {
        computed("RegexFullMatch", &[], &[words.clone(), text(file)]).map(drop)
    });
    // A pattern and a rewrite: no rewrite alone is refused.
    let files = [b"(o)n(e)/\\1 and \\0".to_vec(), b"a+/\\\\".to_vec()];
    fuzz("replacements", &files, 64 << 20, |file| {
        let at = file.iter().position(|b| *b == b'/').unwrap_or(file.len());
        let (pattern, rewrite) = file.split_at(at);
        let inputs = [
            words.clone(),
            text(pattern),
            text(rewrite.get(1..).unwrap_or(&[])),
        ];
        computed("RegexReplace", &[], &inputs).map(drop)
    });
    let files = [b"/nowhere/*.{a,b}".to_vec(), b"/nowhere/[a-z]?\\*".to_vec()];
    fuzz("names of files", &files, LITTLE, |file| {
        // Only there is searched: the rest of the disk is not looked through.
        match file.starts_with(b"/nowhere/") {
            true => decoded("MatchingFiles", &[], file, &[]),
            false => Err(damaged(&"it begins otherwise")),
        }
    });
}

#[test]
fn serialized_tensors() {
    let [floats, _, words] = tensors();
    for (name, t) in [("floats", &floats), ("strings", &words)] {
        let attrs = [("out_type", Attr::DType(t.dtype()))];
        let file = TensorProto::of(t).unwrap().encode_to_vec();
        fuzz(&format!("serialized {name}"), &[file], LITTLE, |file| {
            decoded("ParseTensor", &attrs, file, &[])
        });
    }
    let indices = Tensor::from_slice([2, 2], &[0i64, 1, 1, 0]).unwrap();
    let values = Tensor::vector(&[5i32, 6]).unwrap();
    let shape = Tensor::vector(&[2i64, 2]).unwrap();
    let parts = computed("SerializeSparse", &[], &[indices, values, shape]).unwrap();
    let parts = parts[0].as_strings().unwrap().to_vec();
    let attrs = [("dtype", Attr::DType(DType::Int32))];
    for changed in 0..3 {
        let (name, file) = (format!("sparse part {changed}"), parts[changed].to_vec());
        fuzz(&name, &[file], LITTLE, |file| {
            let mut all = parts.clone();
            all[changed] = file.into();
            let all = Tensor::from_strings([1, 3].into(), all)?;
            computed("DeserializeManySparse", &attrs, &[all]).map(drop)
        });
    }
}

fn dtypes(all: &[DType]) -> Attr {
    Attr::DTypes(all.to_vec())
}

fn unknown() -> Attr {
    Attr::Shapes(vec![PartialShape::new(&[Dim::UNKNOWN])])
}

#[test]
fn features_of_examples() {
    let attrs = [
        ("num_sparse", Attr::Int(1)),
        ("sparse_types", dtypes(&[DType::Int64])),
        ("ragged_value_types", dtypes(&[DType::String])),
        ("ragged_split_types", dtypes(&[DType::Int64])),
        ("dense_shapes", unknown()),
        ("Tdense", dtypes(&[DType::Float32])),
    ];
    let none = texts_of(&[]);
    let default = Tensor::vector(&[0.0f32]).unwrap();
    fuzz("features", &[example_message()], LITTLE, |file| {
        let mut inputs = vec![texts_of(&[]), none.clone()];
        inputs[0] = Tensor::from_strings([1].into(), vec![file.into()])?;
        inputs.extend([texts_of(&["i"]), texts_of(&["f"]), texts_of(&["w"])]);
        inputs.push(
            default
                .rows(0, 1)?
                .reshaped(Vec::<usize>::new().as_slice().into())?,
        );
        computed("ParseExampleV2", &attrs, &inputs).map(drop)
    });
}

#[test]
fn features_of_sequences() {
    let attrs = [
        ("Ncontext_sparse", Attr::Int(1)),
        ("context_sparse_types", dtypes(&[DType::Int64])),
        ("Nfeature_list_dense", Attr::Int(0)),
        ("Nfeature_list_sparse", Attr::Int(1)),
        ("feature_list_sparse_types", dtypes(&[DType::Int64])),
        ("feature_list_ragged_value_types", dtypes(&[DType::Int64])),
        ("feature_list_ragged_split_types", dtypes(&[DType::Int64])),
    ];
    fuzz(
        "features of sequences",
        &[sequence_message()],
        LITTLE,
        |file| {
            let none = || texts_of(&[]);
            let missing = Tensor::from_slice([0], &[true; 0])?;
            let inputs = [
                Tensor::from_strings([1].into(), vec![file.into()])?,
                none(),
                texts_of(&["i"]),
                none(),
                none(),
                texts_of(&["l"]),
                none(),
                texts_of(&["l"]),
                missing,
            ];
            computed("ParseSequenceExampleV2", &attrs, &inputs).map(drop)
        },
    );
}
