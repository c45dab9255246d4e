//! What operations lower to, and what declarations refuse.

use super::support::*;
use crate::registry;
use ferrograph_graph::{Attr, IndexTerm, Inputs, Lowered, Places, lower};
use ferrograph_tensor::{DType, ErrorKind, Tensor};
use smallvec::SmallVec;

fn lowered(name: &str, attrs: &[(&str, Attr)], inputs: &[&Tensor]) -> Lowered {
    let op = op(name, attrs);
    let specs: Vec<_> = inputs.iter().map(|t| t.spec()).collect();
    let inputs = Inputs::new(specs.iter().zip(inputs).map(|(s, t)| (s, Some(*t), None)));
    let outputs = op.specs(&inputs).unwrap();
    lower(&*op, &inputs, &outputs).unwrap()
}

fn places(name: &str, attrs: &[(&str, Attr)], inputs: &[&Tensor]) -> Places {
    match lowered(name, attrs, inputs) {
        Lowered::Move(movement) => movement.places,
        other => panic!("{name} lowers to {}", other.kind()),
    }
}

fn strided(start: usize, dims: &[usize], strides: &[isize]) -> Places {
    Places::Strided {
        input: 0,
        start,
        dims: SmallVec::from_slice(dims),
        strides: SmallVec::from_slice(strides),
    }
}

#[test]
fn views_say_where_they_read() {
    let x = iota(&[2, 3]);
    let transposed = places("Transpose", &[], &[&x, &v(&[1, 0])]);
    assert_eq!(transposed, strided(0, &[3, 2], &[1, 3]));
    let reversed = places("ReverseV2", &[], &[&x, &v(&[1])]);
    assert_eq!(reversed, strided(2, &[2, 3], &[3, -1]));
    let repeated = places("BroadcastTo", &[], &[&iota(&[3, 1]), &v(&[2, 3, 4])]);
    assert_eq!(repeated, strided(0, &[2, 3, 4], &[0, 1, 0]));
    let sliced = places("Slice", &[], &[&x, &v(&[1, 1]), &v(&[1, 2])]);
    assert_eq!(sliced, strided(4, &[1, 2], &[3, 1]));
    let every_other = [&x, &v(&[0, 0]), &v(&[2, 3]), &v(&[1, 2])];
    assert_eq!(
        places("StridedSlice", &[], &every_other),
        strided(0, &[2, 2], &[3, 2])
    );
}

#[test]
fn an_axis_taken_away_is_one_step_of_the_walk() {
    let row = [&iota(&[2, 3]), &v(&[1]), &v(&[2]), &v(&[1])];
    let shrink = [("shrink_axis_mask", Attr::Int(1))];
    let places = places("StridedSlice", &shrink, &row);
    assert_eq!(places, strided(3, &[1, 3], &[3, 1]));
}

fn indexed(terms: &[IndexTerm], dims: &[usize], strides: &[isize]) -> Places {
    Places::Indexed {
        index: 1,
        terms: SmallVec::from_slice(terms),
        start: 0,
        dims: SmallVec::from_slice(dims),
        strides: SmallVec::from_slice(strides),
    }
}

#[test]
fn what_one_index_names_is_a_walk_from_there() {
    let x = iota(&[2, 3]);
    let term = |len, stride, wraps| IndexTerm {
        entry: 0,
        len,
        stride,
        wraps,
    };
    let rows = places("GatherV2", &[], &[&x, &v(&[1]), &s(0)]);
    assert_eq!(rows, indexed(&[term(2, 3, false)], &[1, 3], &[6, 1]));
    let columns = places("GatherV2", &[], &[&x, &s(1), &s(1)]);
    assert_eq!(columns, indexed(&[term(3, 1, false)], &[2, 1], &[3, 1]));

    let shrink = op("StridedSlice", &[("shrink_axis_mask", Attr::Int(1))]);
    let inputs = [x, v(&[1]), v(&[2]), v(&[1])];
    let specs: Vec<_> = inputs.iter().map(Tensor::spec).collect();
    let known = |i: usize| (i == 3).then_some(&inputs[i]);
    let inputs = Inputs::new((0..4).map(|i| (&specs[i], known(i), None)));
    let outputs = shrink.specs(&inputs).unwrap();
    let lowered = lower(&*shrink, &inputs, &outputs).unwrap();
    let expected = indexed(&[term(2, 3, true)], &[1, 3], &[3, 1]);
    assert_eq!(lowered.places(), Some(&expected));
}

#[test]
fn other_movements_have_kinds() {
    let x = iota(&[2, 3]);
    assert_eq!(places("ConcatV2", &[], &[&x, &x, &s(-1)]), Places::Join(1));
    assert_eq!(places("Pack", &[], &[&x, &x]), Places::Join(0));
    assert_eq!(
        places("Unpack", &[("num", Attr::Int(2))], &[&x]),
        Places::Split { input: 0, axis: 0 }
    );
    let two = v(&[1, 0]);
    assert_eq!(places("GatherV2", &[], &[&x, &two, &s(0)]), Places::Rows);
    assert_eq!(places("GatherV2", &[], &[&x, &two, &s(1)]), Places::Opaque);
    assert_eq!(places("Fill", &[], &[&v(&[2]), &s(7)]), Places::Fill);
    assert_eq!(lowered("Reshape", &[], &[&x, &v(&[6])]).kind(), "alias");
    assert_eq!(lowered("Shape", &[], &[&x]).kind(), "kernel");
    assert_eq!(lowered("Where", &[], &[&x]).kind(), "eval");
    assert_eq!(
        lowered("Tile", &[], &[&words(&[1], &["a"]), &v(&[2])]).kind(),
        "eval"
    );
}

#[test]
fn attributes_of_dtypes_are_held_against_their_sets() {
    let attrs = [("out_type".to_owned(), Attr::DType(DType::Float32))];
    let refused = registry().make("Shape", &attrs).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::DType);
    assert!(
        refused
            .message()
            .starts_with("out_type must be an int32 or int64")
    );
    let wide = [("out_type", Attr::DType(DType::Int64))];
    assert_eq!(one("Shape", &wide, &[&iota(&[2, 3])]).dtype(), DType::Int64);
}

#[test]
fn inputs_with_a_dtype_of_their_own_need_not_agree() {
    let x = iota(&[4]);
    let mixed = one("Slice", &[], &[&x, &v(&[1i32]), &v(&[2i64])]);
    assert_eq!(mixed.to_i64s().unwrap(), [1, 2]);
    let refused = fault("Slice", &[], &[&x, &v(&[1i32]), &v(&[2f32])]);
    assert!(
        refused.starts_with("size must be an int32 or int64 tensor"),
        "{refused}"
    );
}
