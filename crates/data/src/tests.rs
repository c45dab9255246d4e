//! Pipelines against what they should give.

use crate::{DatasetHandle, Elements, IteratorCell, registry};
use ferrograph_graph::{Attr, AttrField, Attrs, Runner, Tensors};
use ferrograph_runtime::PlanRunner;
use ferrograph_tensor::{DType, ErrorKind, PartialShape, Result, Tensor, TensorSpec};

fn spec() -> TensorSpec {
    TensorSpec::scalar(DType::Int64)
}

/// The attributes that give the type of elements of one component.
fn element_attrs(component: TensorSpec) -> Attrs {
    vec![component].write(Attrs::new(), &["output_types", "output_shapes"])
}

/// What an operation with these attributes gives; one with the types of elements has those of `spec`.
fn run(op: &str, attrs: Vec<(&str, Attr)>, inputs: &[Tensor]) -> Result<Tensors> {
    let specs = element_attrs(spec());
    let declared = registry().decl(op).map_or(&[][..], |decl| decl.attrs);
    let mut all: Vec<(String, Attr)> = specs
        .iter()
        .filter(|(n, _)| declared.iter().any(|attr| attr.name == *n))
        .map(|(n, a)| (n.to_owned(), a.clone()))
        .collect();
    all.extend(attrs.into_iter().map(|(n, a)| (n.to_owned(), a)));
    let op = registry().make(op, &all)?;
    let infer = ferrograph_graph::Inputs::of_specs;
    let specs: Vec<TensorSpec> = inputs.iter().map(Tensor::spec).collect();
    op.infer(&infer(&specs))?;
    op.eval(&PlanRunner, inputs)
}

fn dataset(op: &str, inputs: &[Tensor]) -> Tensor {
    run(op, vec![], inputs).unwrap().remove(0)
}

fn n(value: i64) -> Tensor {
    Tensor::scalar(value).unwrap()
}

fn flag(value: bool) -> Tensor {
    Tensor::scalar(value).unwrap()
}

fn range(to: i64) -> Tensor {
    dataset("RangeDataset", &[n(0), n(to), n(1)])
}

fn open(dataset: &Tensor) -> Box<dyn Elements> {
    let handle = DatasetHandle::of(dataset).unwrap();
    handle.dataset.clone().open().unwrap()
}

fn numbers(dataset: &Tensor) -> Vec<Vec<i64>> {
    let mut elements = open(dataset);
    let mut all = Vec::new();
    while let Some(element) = elements.next(&PlanRunner).unwrap() {
        all.push(element[0].as_slice::<i64>().unwrap().to_vec());
    }
    assert!(elements.next(&PlanRunner).unwrap().is_none());
    all
}

fn scalars(dataset: &Tensor) -> Vec<i64> {
    numbers(dataset).concat()
}

fn cardinality(dataset: &Tensor) -> i64 {
    let count = run("DatasetCardinality", vec![], std::slice::from_ref(dataset));
    count.unwrap()[0].item::<i64>().unwrap()
}

#[test]
fn ranges_run_both_ways_and_end() {
    let of = |a, b, c| dataset("RangeDataset", &[n(a), n(b), n(c)]);
    assert_eq!(scalars(&of(2, 9, 3)), [2, 5, 8]);
    assert_eq!(scalars(&of(5, 0, -2)), [5, 3, 1]);
    assert_eq!(scalars(&of(5, 5, 1)), [0i64; 0]);
    assert_eq!(cardinality(&of(i64::MIN, i64::MAX - 1, 1)), i64::MAX);
    assert_eq!(cardinality(&of(0, i64::MAX, 1)), -1);
    assert_eq!(cardinality(&of(0, 10, 4)), 3);
    assert!(run("RangeDataset", vec![], &[n(0), n(1), n(0)]).is_err());
}

#[test]
fn elements_by_number() {
    let five = range(5);
    assert_eq!(
        scalars(&dataset("TakeDataset", &[five.clone(), n(2)])),
        [0, 1]
    );
    assert_eq!(
        scalars(&dataset("SkipDataset", &[five.clone(), n(3)])),
        [3, 4]
    );
    assert_eq!(
        scalars(&dataset("SkipDataset", &[five.clone(), n(-1)])),
        [0i64; 0]
    );
    let shard = dataset("ShardDataset", &[five.clone(), n(2), n(1)]);
    assert_eq!((scalars(&shard), cardinality(&shard)), (vec![1, 3], 2));
    let twice = dataset("RepeatDataset", &[range(2), n(2)]);
    assert_eq!(
        (scalars(&twice), cardinality(&twice)),
        (vec![0, 1, 0, 1], 4)
    );
    assert_eq!(
        scalars(&dataset("RepeatDataset", &[range(0), n(-1)])),
        [0i64; 0]
    );
    assert_eq!(cardinality(&dataset("RepeatDataset", &[five, n(-1)])), -1);
}

#[test]
fn batches_of_slices_share_their_elements() {
    let rows = Tensor::from_slice([5], &[1i64, 2, 3, 4, 5]).unwrap();
    let slices = dataset("TensorSliceDataset", std::slice::from_ref(&rows));
    let batches = |drops| dataset("BatchDatasetV2", &[slices.clone(), n(2), flag(drops)]);
    assert_eq!(numbers(&batches(false)), [vec![1, 2], vec![3, 4], vec![5]]);
    assert_eq!(numbers(&batches(true)), [vec![1, 2], vec![3, 4]]);
    let first = open(&batches(false)).next(&PlanRunner).unwrap().unwrap();
    assert_eq!(first[0].bytes().as_ptr(), rows.bytes().as_ptr());
}

#[test]
fn batches_and_what_is_left_over() {
    let seven = range(7);
    let all = dataset("BatchDatasetV2", &[seven.clone(), n(3), flag(false)]);
    assert_eq!(numbers(&all), [vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
    let whole = dataset("BatchDatasetV2", &[seven, n(3), flag(true)]);
    assert_eq!((numbers(&whole).len(), cardinality(&whole)), (2, 2));
    assert_eq!(
        scalars(&dataset("UnbatchDataset", &[all])),
        (0..7).collect::<Vec<_>>()
    );
}

#[test]
fn padding_fills_behind_each_axis() {
    let matrix = |rows: usize, columns: usize| {
        let elements: Vec<i64> = (1..=(rows * columns) as i64).collect();
        dataset(
            "TensorDataset",
            &[Tensor::from_slice([rows, columns], &elements).unwrap()],
        )
    };
    let both = dataset("ConcatenateDataset", &[matrix(1, 2), matrix(2, 1)]);
    let shape = Tensor::vector(&[-1i64, 3]).unwrap();
    let inputs = [both, n(2), flag(false), shape, n(0)];
    let padded = run("PaddedBatchDatasetV2", vec![("N", Attr::Int(1))], &inputs).unwrap();
    assert_eq!(
        numbers(&padded[0]),
        [vec![1, 2, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0]]
    );
}

#[test]
fn windows_overlap_or_leave_gaps() {
    let windows = |size, shift, stride, drop| {
        let inputs = [range(7), n(size), n(shift), n(stride), flag(drop)];
        let made = dataset("WindowDataset", &inputs);
        let mut elements = open(&made);
        let mut all = Vec::new();
        while let Some(window) = elements.next(&PlanRunner).unwrap() {
            all.push(scalars(&window[0]));
        }
        assert_eq!(cardinality(&made), all.len() as i64);
        all
    };
    assert_eq!(
        windows(3, 3, 1, false),
        [vec![0, 1, 2], vec![3, 4, 5], vec![6]]
    );
    assert_eq!(windows(2, 4, 1, false), [vec![0, 1], vec![4, 5]]);
    assert_eq!(windows(3, 2, 2, true), [vec![0, 2, 4], vec![2, 4, 6]]);
}

#[test]
fn a_shuffle_is_a_permutation_from_its_buffer() {
    let shuffled = |again| {
        let attrs = vec![("reshuffle_each_iteration", Attr::Bool(again))];
        run("ShuffleDatasetV3", attrs, &[range(100), n(10), n(3), n(4)])
            .unwrap()
            .remove(0)
    };
    let same = shuffled(false);
    let order = scalars(&same);
    assert_eq!(order, scalars(&same));
    assert!(order.iter().enumerate().all(|(i, &x)| x <= i as i64 + 9));
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    let other = shuffled(true);
    assert_ne!(scalars(&other), scalars(&other));
}

#[test]
fn an_iterator_looks_ahead_without_taking() {
    let cell = IteratorCell::new();
    assert!(cell.next(&PlanRunner).is_err());
    cell.start(DatasetHandle::of(&range(2)).unwrap()).unwrap();
    for expected in 0..2 {
        assert!(cell.has_next(&PlanRunner).unwrap());
        assert!(cell.has_next(&PlanRunner).unwrap());
        let element = cell.next(&PlanRunner).unwrap().unwrap();
        assert_eq!(element[0].item::<i64>().unwrap(), expected);
    }
    assert!(!cell.has_next(&PlanRunner).unwrap());
    assert!(cell.next(&PlanRunner).unwrap().is_none());
    assert!(cell.next(&PlanRunner).unwrap().is_none());
}

#[test]
fn components_are_checked_where_graphs_rely_on_them() {
    let handle = IteratorCell::new().into_tensor();
    let vector = TensorSpec::new(
        DType::Int64,
        PartialShape::new(&[ferrograph_tensor::Dim::new(3)]),
    );
    let attrs = element_attrs(vector);
    let attrs: Vec<_> = attrs
        .iter()
        .map(|(n, a)| (n.to_owned(), a.clone()))
        .collect();
    run("MakeIterator", vec![], &[range(2), handle.clone()]).unwrap();
    let next = registry().make("IteratorGetNext", &attrs).unwrap();
    let runner: &dyn Runner = &PlanRunner;
    let failed = next.eval(runner, &[handle]).unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::InvalidArgument);
}
