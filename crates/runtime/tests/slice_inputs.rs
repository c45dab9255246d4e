//! Fused steps that read slices without a copy against the interpreter, bit for bit.

use ferrograph_graph::{Graph, Interpreter, Runner, text};
use ferrograph_runtime::{PlanRunner, plan_for};
use ferrograph_tensor::{Shape, Tensor};
use smallvec::smallvec;
use std::sync::Arc;

/// The mean of the four neighbours inside of a plane of so many rows and columns, and the greatest of each row.
fn neighbours(rows: usize, columns: usize) -> String {
    let (r, c) = (rows - 2, columns - 2);
    let slice = |n: usize, at: [usize; 2]| {
        format!(
            "  %b{n} = Const \"begin\" {{value: tensor int32 [2] {{{}, {}}}}} () : int32 [2] is const\n  \
               %s{n} = Slice \"part{n}\" (%x, %b{n}, %size) : float32 [{r},{c}]\n",
            at[0], at[1]
        )
    };
    let slices = [[0, 1], [2, 1], [1, 0], [1, 2]];
    let slices = slices.into_iter().enumerate().map(|(n, at)| slice(n, at));
    let text = format!(
        "graph \"near\" (%x) {{\n  \
           %x = Placeholder \"x\" {{dtype: float32, shape: shape [{rows}, {columns}]}} () : float32 [{rows},{columns}]\n  \
           %size = Const \"size\" {{value: tensor int32 [2] {{{r}, {c}}}}} () : int32 [2] is const\n{}  \
           %p = AddV2 \"p\" (%s0, %s1) : float32 [{r},{c}]\n  \
           %q = AddV2 \"q\" (%s2, %s3) : float32 [{r},{c}]\n  \
           %y = Mul \"y\" (%p, %q) : float32 [{r},{c}]\n  \
           %axis = Const \"axis\" {{value: tensor int32 [] {{1}}}} () : int32 [] is const\n  \
           %m = Max \"m\" {{keep_dims: false}} (%y, %axis) : float32 [{r}]\n  \
           return %y, %m\n}}\n",
        slices.collect::<String>()
    );
    numbered(&text)
}

/// The text with numbers for the names of values, in their order.
fn numbered(text: &str) -> String {
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().split_once(" = ").map(|(name, _)| name))
        .collect();
    let mut text = text.to_owned();
    for (n, name) in names.iter().enumerate() {
        for end in [",", ")", " ", "\n"] {
            text = text.replace(&format!("{name}{end}"), &format!("%{n}{end}"));
        }
    }
    text
}

#[test]
fn neighbours_of_a_plane() {
    for (rows, columns) in [
        (90, 60),
        (70, 100),
        (40, 194),
        (41, 195),
        (33, 700),
        (3, 5000),
        (2000, 4),
    ] {
        let source = neighbours(rows, columns);
        let graph: Arc<Graph> = text::parse(&source, ferrograph_ops::registry()).unwrap();
        let n = rows * columns;
        let numbers: Vec<f32> = (0..n)
            .map(|i| ((i * 7919 % 10_007) as f32 - 5000.3) * 1e-3)
            .collect();
        let x = Tensor::from_slice(Shape::new(&[rows, columns]), &numbers).unwrap();
        let wanted = Interpreter.run(&graph, smallvec![x.clone()]).unwrap();
        for _ in 0..4 {
            let found = PlanRunner.run(&graph, smallvec![x.clone()]).unwrap();
            for (found, wanted) in found.iter().zip(&wanted) {
                let (found, wanted) = (
                    found.as_slice::<f32>().unwrap(),
                    wanted.as_slice::<f32>().unwrap(),
                );
                assert_eq!(found, wanted, "{rows} rows of {columns}");
            }
        }
        let plan = plan_for(&graph, [&x].into_iter()).unwrap().to_string();
        if n > 10_000 {
            let fused = plan.lines().find(|line| line.contains("fusing"));
            assert!(fused.is_some_and(|line| line.contains("Slice, ")), "{plan}");
        }
    }
}
