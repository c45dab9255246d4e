//! Lists as values, and the gradients of what is written to them and read.

use super::TensorList;
use crate::tests::support::*;
use ferrograph_graph::{Attr, Grad, Val, VjpCall};
use ferrograph_tensor::{DType, PartialShape, Shape, Tensor};

fn float() -> (&'static str, Attr) {
    ("element_dtype", Attr::DType(DType::Float32))
}

fn reserve(n: i32) -> Tensor {
    one("TensorListReserve", &[float()], &[&s(-1), &s(n)])
}

fn set(list: &Tensor, i: i32, x: f32) -> Tensor {
    one("TensorListSetItem", &[float()], &[list, &s(i), &s(x)])
}

fn stack(list: &Tensor) -> Vec<f32> {
    let shape = v::<i32>(&[]);
    let t = one("TensorListStack", &[float()], &[list, &shape]);
    t.as_slice::<f32>().unwrap().to_vec()
}

#[test]
fn a_written_list_is_another_list() {
    let empty = reserve(3);
    let a = set(&empty, 1, 5.0);
    let b = set(&a, 1, 6.0);
    assert_eq!(stack(&empty), [0.0; 3]);
    assert_eq!(stack(&a), [0.0, 5.0, 0.0]);
    assert_eq!(stack(&b), [0.0, 6.0, 0.0]);
    assert!(
        fault("TensorListSetItem", &[float()], &[&a, &s(3), &s(1.0f32)])
            .contains("3 of a list of 3")
    );
    let shape = v::<i32>(&[]);
    assert!(run("TensorListGetItem", &[float()], &[&a, &s(-1), &shape]).is_err());
    assert!(run("TensorListGetItem", &[float()], &[&empty, &s(0), &s(-1)]).is_err());
}

#[test]
fn long_lists_keep_every_element() {
    let mut list = TensorList::new(DType::Int32, PartialShape::scalar(), 0).unwrap();
    for i in 0..5000 {
        list.push(s(i)).unwrap();
    }
    for i in [0, 15, 16, 255, 256, 4095, 4096, 4999] {
        assert_eq!(list.get(i).unwrap().item::<i32>().unwrap(), i as i32);
    }
    let mut short = list.clone();
    short.resize(300).unwrap();
    short.resize(4999).unwrap();
    assert!(short.get(299).is_some() && short.get(300).is_none());
    assert!(list.get(300).is_some());
    list.resize(4990).unwrap();
    list.resize(5000).unwrap();
    assert_eq!(list.items(&PartialShape::scalar()).unwrap().len(), 5000);
    assert!(list.get(4989).is_some() && list.get(4990).is_none());
    assert!(list.push(s(1.0f32)).is_err());
    assert!(TensorList::new(DType::Int32, PartialShape::UNKNOWN, usize::MAX).is_err());
}

#[test]
fn small_elements_lie_side_by_side_until_one_differs() {
    let mut list = TensorList::new(DType::Float32, PartialShape::UNKNOWN, 70).unwrap();
    for i in 0..70 {
        if i != 40 {
            list.set(i, s(i as f32)).unwrap();
        }
    }
    let all = list.packed(&Shape::scalar()).unwrap().unwrap();
    assert_eq!(all.as_slice::<f32>().unwrap()[39..42], [39.0, 0.0, 41.0]);
    let before = list.clone();
    let vector = v(&[1.0f32, 2.0]);
    list.set(3, vector.clone()).unwrap();
    assert!(list.packed(&Shape::scalar()).unwrap().is_none());
    assert_eq!(list.get(3).unwrap().bytes(), vector.bytes());
    assert_eq!(list.get(4).unwrap().item::<f32>().unwrap(), 4.0);
    assert_eq!(before.get(3).unwrap().item::<f32>().unwrap(), 3.0);
    let mut out = [0u8; 4];
    let read = |i, out: &mut [u8]| list.read(i, DType::Float32, &Shape::scalar(), out);
    read(69, &mut out).unwrap();
    assert_eq!(f32::from_ne_bytes(out), 69.0);
    read(40, &mut out).unwrap();
    assert_eq!(out, [0; 4]);
    assert!(read(3, &mut out).is_err() && read(70, &mut out).is_err());
    let large = Tensor::zeros(DType::Float32, [100].into()).unwrap();
    list.set(69, large.clone()).unwrap();
    assert!(list.get(69).unwrap().shares_storage(&large));
}

#[test]
fn only_lists_that_nothing_shares_change_in_place() {
    let mut list = TensorList::new(DType::Int32, PartialShape::scalar(), 40).unwrap();
    list.set(20, s(1)).unwrap();
    let mut a = list.into_tensor();
    let b = a.clone();
    let write = |list: &mut TensorList, x: i32| list.set(20, s(x));
    TensorList::change(&mut a, |list| write(list, 2)).unwrap();
    assert!(!a.shares_storage(&b));
    let place = std::ptr::from_ref(TensorList::of(&a).unwrap());
    TensorList::change(&mut a, |list| write(list, 3)).unwrap();
    assert_eq!(std::ptr::from_ref(TensorList::of(&a).unwrap()), place);
    let item = |t: &Tensor| TensorList::of(t).unwrap().get(20).unwrap().item::<i32>();
    assert_eq!((item(&a).unwrap(), item(&b).unwrap()), (3, 1));
}

#[test]
fn tensors_and_lists_change_into_each_other() {
    let x = Tensor::from_slice([3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let list = one("TensorListFromTensor", &[float()], &[&x, &s(-1)]);
    let back = one("TensorListStack", &[float()], &[&list, &v(&[2])]);
    assert_eq!(back.bytes(), x.bytes());
    let some = one(
        "TensorListGather",
        &[float()],
        &[&list, &v(&[2, 0]), &v(&[2])],
    );
    assert_eq!(some.as_slice::<f32>().unwrap(), [5.0, 6.0, 1.0, 2.0]);
    let parts = run("TensorListPopBack", &[float()], &[&list, &v(&[2])]).unwrap();
    assert_eq!(parts[1].as_slice::<f32>().unwrap(), [5.0, 6.0]);
    let cut = one("TensorListSplit", &[float()], &[&x, &s(-1), &v(&[1, 2])]);
    let joined = run(
        "TensorListConcatV2",
        &[float()],
        &[&cut, &s(-1), &v::<i64>(&[])],
    )
    .unwrap();
    assert_eq!(joined[0].bytes(), x.bytes());
    assert_eq!(joined[1].to_i64s().unwrap(), [1, 2]);
    let put = one(
        "TensorListScatterV2",
        &[float()],
        &[&x, &v(&[2, 0, 1]), &s(-1), &s(-1)],
    );
    let put = one("TensorListGetItem", &[float()], &[&put, &s(2), &s(-1)]);
    assert_eq!(put.as_slice::<f32>().unwrap(), [1.0, 2.0]);
}

#[test]
fn gradients_go_to_what_was_written_and_read() {
    let list = reserve(2);
    let (index, item) = (s(1), s(3.0f32));
    let out = one("TensorListSetItem", &[float()], &[&list, &index, &item]);
    let grad = set(&set(&reserve(2), 0, 7.0), 1, 8.0);
    let vals = |ts: &[&Tensor]| {
        ts.iter()
            .map(|t| Val::eager((*t).clone()))
            .collect::<Vec<_>>()
    };
    let grads = op("TensorListSetItem", &[float()])
        .vjp(
            &mut Eager,
            &VjpCall {
                inputs: &vals(&[&list, &index, &item]),
                outputs: &vals(&[&out]),
                grads: &[Some(Val::eager(grad))],
                needs: &[true; 3],
            },
        )
        .unwrap();
    let dense = |g: &Option<Grad>| match g {
        Some(Grad::Dense(v)) => v.tensor().unwrap().clone(),
        _ => panic!("no dense gradient"),
    };
    assert_eq!(stack(&dense(&grads[0])), [7.0, 0.0]);
    assert_eq!(dense(&grads[2]).item::<f32>().unwrap(), 8.0);
}

#[test]
fn lists_add_up_where_both_hold_something() {
    let a = set(&reserve(40), 1, 5.0);
    let b = set(&set(&reserve(40), 1, 2.0), 39, 1.0);
    let sum = super::sum_of_lists(&ferrograph_graph::Interpreter, &[a.clone(), b]).unwrap();
    let sum = stack(&sum);
    assert_eq!((sum[0], sum[1], sum[39]), (0.0, 7.0, 1.0));
    assert_eq!(
        stack(&set(&super::zeros_like_list(&a).unwrap(), 0, 1.0))[1],
        0.0
    );
}
