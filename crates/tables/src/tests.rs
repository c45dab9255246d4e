use crate::cell::{Change, Item, Kind, TableCell};
use crate::lines::{Field, each_line};
use crate::rows::{Elements, Target};
use ferrograph_tensor::{Bytes, DType, ErrorKind, Result, Shape, Tensor};
use std::collections::HashMap;
use std::path::Path;

fn item(dtype: DType, dims: &[usize]) -> Item {
    let shape = Shape::new(dims);
    Item { dtype, shape }
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::vector(values).unwrap()
}

fn change(cell: &TableCell, keys: &Tensor, values: &Tensor, change: Change) -> Result<()> {
    cell.change(Elements::of(keys)?, Elements::of(values)?, change)
}

fn find(cell: &TableCell, keys: &[i64], default: i64) -> Vec<i64> {
    let (keys, default) = (ints(keys), Tensor::scalar(default).unwrap());
    let mut out = vec![0u8; keys.n_elements() * 8];
    let (keys, default) = (
        Elements::of(&keys).unwrap(),
        Elements::of(&default).unwrap(),
    );
    cell.find(keys, default, &mut Target::Dense(&mut out, 0))
        .unwrap();
    let words = out.chunks_exact(8);
    words
        .map(|word| i64::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

fn mutable() -> TableCell {
    let number = item(DType::Int64, &[]);
    TableCell::new(number.clone(), number, Kind::Mutable).unwrap()
}

/// Numbers that look drawn.
fn drawn(n: u64) -> impl Iterator<Item = i64> {
    (1..=n).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).cast_signed() % 97)
}

#[test]
fn a_table_does_what_a_map_does() {
    let (cell, mut map) = (mutable(), HashMap::new());
    for (step, key) in drawn(4000).enumerate() {
        let value = i64::try_from(step).unwrap();
        if step % 3 == 2 {
            cell.remove(Elements::of(&ints(&[key])).unwrap()).unwrap();
            map.remove(&key);
        } else {
            change(&cell, &ints(&[key]), &ints(&[value]), Change::Insert).unwrap();
            map.insert(key, value);
        }
        assert_eq!(cell.size().unwrap(), map.len());
    }
    let all: Vec<i64> = (-1..98).collect();
    let expected: Vec<i64> = all
        .iter()
        .map(|key| map.get(key).copied().unwrap_or(-7))
        .collect();
    assert_eq!(find(&cell, &all, -7), expected);
    let [keys, values] = cell.export().unwrap();
    let keys = keys.as_slice::<i64>().unwrap().iter();
    let exported: HashMap<i64, i64> = keys
        .copied()
        .zip(values.as_slice::<i64>().unwrap().iter().copied())
        .collect();
    assert_eq!(exported, map);
}

#[test]
fn many_keys_are_found_piece_by_piece() {
    let cell = mutable();
    let keys: Vec<i64> = (0..200_000).collect();
    let values: Vec<i64> = keys.iter().map(|key| key * 2).collect();
    change(&cell, &ints(&keys), &ints(&values), Change::Insert).unwrap();
    assert_eq!(find(&cell, &keys, -1), values);
}

#[test]
fn what_readers_share_stays_as_it_was() {
    let cell = mutable();
    change(&cell, &ints(&[1]), &ints(&[10]), Change::Insert).unwrap();
    let [keys, _] = cell.export().unwrap();
    change(&cell, &ints(&[2]), &ints(&[20]), Change::Insert).unwrap();
    assert_eq!(keys.n_elements(), 1);
    assert_eq!(cell.size().unwrap(), 2);
}

#[test]
fn a_filled_table_takes_the_same_again_and_nothing_else() {
    let number = item(DType::Int64, &[]);
    let cell = TableCell::new(number.clone(), number, Kind::Filled).unwrap();
    assert_eq!(
        cell.size().unwrap_err().kind(),
        ErrorKind::FailedPrecondition
    );
    let twice = change(&cell, &ints(&[1, 1]), &ints(&[2, 3]), Change::Import).unwrap_err();
    assert!(
        twice.message().contains("1 has 2 and shall get 3"),
        "{twice}"
    );
    change(&cell, &ints(&[1, 1, 5]), &ints(&[2, 2, 6]), Change::Import).unwrap();
    change(&cell, &ints(&[5, 1]), &ints(&[6, 2]), Change::Import).unwrap();
    for other in [&[6, 7][..], &[6, 2, 2]] {
        let keys: &[i64] = if other.len() == 2 {
            &[5, 1]
        } else {
            &[5, 1, 9]
        };
        let refused = change(&cell, &ints(keys), &ints(other), Change::Import).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::FailedPrecondition);
    }
    assert!(change(&cell, &ints(&[7]), &ints(&[7]), Change::Insert).is_err());
}

#[test]
fn keys_and_values_have_their_shapes() {
    let cell = TableCell::new(
        item(DType::Int64, &[2]),
        item(DType::String, &[]),
        Kind::Mutable,
    )
    .unwrap();
    let keys = ints(&[1, 2, 3, 4]).reshaped(Shape::new(&[2, 2])).unwrap();
    let texts = ["a", "b"].map(|s| Bytes::from(s.as_bytes())).to_vec();
    let values = Tensor::from_strings(Shape::new(&[2]), texts).unwrap();
    change(&cell, &keys, &values, Change::Insert).unwrap();
    let refused = change(&cell, &ints(&[1, 2, 3]), &values, Change::Insert).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    let [exported, _] = cell.export().unwrap();
    assert_eq!(exported.shape().dims(), [2, 2]);
}

#[test]
fn reserved_keys_are_refused() {
    let number = item(DType::Int64, &[]);
    let reserved = [0i64, -1].map(|key| Tensor::scalar(key).unwrap());
    let cell = TableCell::new(number.clone(), number, Kind::Reserved(reserved)).unwrap();
    for key in [0, -1] {
        let refused = change(&cell, &ints(&[5, key]), &ints(&[1, 2]), Change::Insert);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
    assert_eq!(cell.size().unwrap(), 0);
}

#[test]
fn places_of_reserved_keys_hold_nothing() {
    let number = item(DType::Int64, &[]);
    let reserved = [0i64, -1].map(|key| Tensor::scalar(key).unwrap());
    let cell = TableCell::new(number.clone(), number, Kind::Reserved(reserved)).unwrap();
    let matrix = |values: &[i64]| {
        let n = values.len();
        ints(values).reshaped(Shape::new(&[n, 1])).unwrap()
    };
    let keys = matrix(&[0, 7, -1, 9, 0]);
    let values = matrix(&[1, 2, 3, 4, 5]);
    change(&cell, &keys, &values, Change::Import).unwrap();
    assert_eq!(find(&cell, &[7, 9, 5], -8), [2, 4, -8]);
    let [keys, values] = cell.export().unwrap();
    assert_eq!(keys.shape().dims(), [2, 1]);
    change(&cell, &keys, &values, Change::Import).unwrap();
    assert_eq!(cell.size().unwrap(), 2);
    let refused = change(&cell, &keys, &ints(&[1]), Change::Import).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn floats_are_no_keys_and_objects_no_values() {
    let number = item(DType::Int64, &[]);
    assert!(TableCell::new(item(DType::Float32, &[]), number.clone(), Kind::Mutable).is_err());
    assert!(TableCell::new(number, item(DType::Variant, &[]), Kind::Mutable).is_err());
}

/// The numbers of lines and their second columns.
fn read(text: &str, most: Option<usize>) -> Result<Vec<(i64, i64)>> {
    let name = format!("ferrograph-lines-{}-{:p}", std::process::id(), text);
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    let mut found = Vec::new();
    let number = Field::of(-1, 3).unwrap();
    let read = each_line(&path, b' ', most, |line| {
        let value = |field| line.value(field, DType::Int64, &path)?.item::<i64>();
        found.push((value(number)?, value(Field::Column(1))?));
        Ok(())
    });
    std::fs::remove_file(&path).unwrap();
    read.map(|()| found)
}

#[test]
fn lines_have_numbers_and_columns() {
    assert_eq!(
        read("a 1\r\nb 2\nc 3", None).unwrap(),
        [(3, 1), (4, 2), (5, 3)]
    );
    assert_eq!(read("a 1\nb 2\nc\n", Some(2)).unwrap(), [(3, 1), (4, 2)]);
    for (text, most, part) in [
        ("a 1\n\nb 2\n", None, "empty line found at position 5"),
        ("a 1\nb\n", None, "line 1 (b) : expected at least 2 got 1"),
        ("a x\n", None, "Field x in line 0 is not a valid int64"),
        ("a 1\n", Some(2), "expected 2 but got 1"),
        ("", None, "has no lines"),
    ] {
        let refused = read(text, most).unwrap_err();
        assert!(refused.message().contains(part), "{refused}");
    }
    let missing = each_line(Path::new("/nowhere/at/all"), b' ', None, |_| Ok(())).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}
