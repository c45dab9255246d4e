//! Every movement against `ndarray` or plain index arithmetic, on random shapes.

use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD, Axis, IxDyn, Slice};

use super::*;

/// A source of numbers that are the same on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// A shape of up to five axes, some of them long, few of them empty.
    fn shape(&mut self) -> Vec<usize> {
        let rank = self.below(6);
        let longest = [0, 70_000, 400, 60, 17, 9][rank];
        (0..rank)
            .map(|_| match self.below(12) {
                0 => 1,
                1 if self.below(4) == 0 => 0,
                2..6 => 1 + self.below(longest),
                _ => 1 + self.below(longest.min(9)),
            })
            .collect()
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}

fn numbers(shape: &[usize]) -> ArrayD<u32> {
    let n = shape.iter().product::<usize>() as u32;
    ArrayD::from_shape_vec(IxDyn(shape), (0..n).collect()).unwrap()
}

/// A random sequence of permutations, slices and reversals, of a view and of `ndarray`'s alike.
fn wander(dice: &mut Dice, view: View, array: &mut impl Wanders) -> View {
    let mut view = view;
    for _ in 0..dice.below(4) {
        let shape = view.shape();
        if shape.is_empty() {
            break;
        }
        let axis = dice.below(shape.len());
        view = match dice.below(4) {
            0 => {
                let order = dice.order(shape.len());
                array.permute(&order);
                view.permute(&order)
            }
            1 => {
                array.reverse(axis);
                view.reverse(axis)
            }
            2 if shape[axis] > 0 => {
                let begin = dice.below(shape[axis]);
                let step = 1 + dice.below(3);
                let len = dice.below((shape[axis] - begin).div_ceil(step) + 1);
                array.slice(axis, begin, step, len);
                view.slice(axis, begin, step as isize, len)
            }
            3 if shape[axis] > 0 => {
                let step = 1 + dice.below(3);
                let last = shape[axis] - 1;
                array.reverse(axis);
                let len = shape[axis].div_ceil(step);
                array.slice(axis, 0, step, len);
                view.slice(axis, last, -(step as isize), len)
            }
            _ => view,
        };
    }
    view
}

trait Wanders {
    fn permute(&mut self, order: &[usize]);
    fn reverse(&mut self, axis: usize);
    fn slice(&mut self, axis: usize, begin: usize, step: usize, len: usize);
}

macro_rules! wanders {
    ($($t:ident)*) => {$(
        impl<T> Wanders for $t<'_, T> {
            fn permute(&mut self, order: &[usize]) {
                let none = $t::from_shape(IxDyn(&[0]), Default::default()).unwrap();
                *self = std::mem::replace(self, none).permuted_axes(order.to_vec());
            }
            fn reverse(&mut self, axis: usize) {
                self.invert_axis(Axis(axis));
            }
            fn slice(&mut self, axis: usize, begin: usize, step: usize, len: usize) {
                let end = if len == 0 { begin } else { begin + (len - 1) * step + 1 };
                self.slice_axis_inplace(Axis(axis), Slice::new(begin as isize, Some(end as isize), step as isize));
            }
        }
    )*};
}
wanders!(ArrayViewD ArrayViewMutD);

#[test]
fn reads_agree_with_ndarray() {
    let mut dice = Dice(1);
    for round in 0..600 {
        let shape = dice.shape();
        let x = numbers(&shape);
        let mut array = x.view();
        let view = wander(&mut dice, View::of(&shape), &mut array);
        let want: Vec<u32> = array.iter().copied().collect();
        let mut out = vec![u32::MAX; want.len()];
        Strided::read(&view).copy(x.as_slice().unwrap(), &mut out);
        assert!(out == want, "round {round}: {shape:?} as {view:?}");
    }
}

#[test]
fn writes_and_combinations_agree_with_ndarray() {
    let mut dice = Dice(2);
    for round in 0..400 {
        let shape = dice.shape();
        let mut want = numbers(&shape);
        let mut out = want.as_slice().unwrap().to_vec();
        let mut summed = out.clone();
        let mut array = want.view_mut();
        let view = wander(&mut dice, View::of(&shape), &mut array);
        let x: Vec<u32> = (0..array.len() as u32).map(|i| i * 3 + 1_000_000).collect();
        array.iter_mut().zip(&x).for_each(|(a, &x)| *a = x);
        let bound = Strided::write(&view);
        bound.copy(&x, &mut out);
        assert!(
            out == want.as_slice().unwrap(),
            "round {round}: {shape:?} as {view:?}"
        );
        bound.combine(&x, &mut summed, |a, b| a + b);
        let added = |(i, (&s, &w)): (usize, (&u32, &u32))| s == w || s == w + i as u32;
        assert!(
            summed.iter().zip(&want).enumerate().all(added),
            "round {round}"
        );
    }
}

/// Copies elements of another type where `u32` went, and compares.
fn agrees<T: Clone + Send + Sync + PartialEq>(view: &View, n: usize, make: impl Fn(u32) -> T) {
    let places: Vec<u32> = (0..n as u32).collect();
    let mut order = vec![0; view.shape().iter().product()];
    let bound = Strided::read(view);
    bound.copy(&places, &mut order);
    let x: Vec<T> = places.iter().map(|&i| make(i)).collect();
    let mut out = vec![make(u32::MAX); order.len()];
    bound.copy(&x, &mut out);
    assert!(out.iter().zip(&order).all(|(o, &i)| *o == make(i)));
}

#[test]
fn elements_of_every_size_move_alike() {
    let views = [
        View::of(&[37, 53]).permute(&[1, 0]),
        View::of(&[20, 18, 33]).permute(&[2, 0, 1]),
        View::of(&[30, 40, 3]).permute(&[1, 0, 2]),
        View::of(&[300, 200, 7]).permute(&[1, 2, 0]),
        View::of(&[100, 90]).slice(1, 80, -3, 20).reverse(0),
        View::of(&[50, 1, 60]).tile(&[2, 3, 1]),
    ];
    for view in views {
        let n = view.reach().unwrap().1 as usize + 1;
        agrees(&view, n, |i| [i as u8]);
        agrees(&view, n, |i| (i as u16).to_ne_bytes());
        agrees(&view, n, |i| i.to_ne_bytes());
        agrees(&view, n, |i| u64::from(i).to_ne_bytes());
        agrees(&view, n, |i| u128::from(i).to_ne_bytes());
        agrees(&view, n, |i| -> Arc<[u8]> {
            i.to_string().into_bytes().into()
        });
    }
}

#[test]
fn large_transposes_agree_with_the_loop() {
    // Rows that begin at cache lines and rows that do not, with and without parts of squares at the edges.
    for (n_rows, n_columns) in [(1024, 1088), (1023, 1100), (1100, 1033)] {
        let x: Vec<u64> = (0..(n_rows * n_columns) as u64).collect();
        let view = View::of(&[n_rows, n_columns]).permute(&[1, 0]);
        let want: Vec<u64> = (0..n_columns)
            .flat_map(|c| (0..n_rows).map(move |r| (r * n_columns + c) as u64))
            .collect();
        let mut out = vec![0; x.len()];
        Strided::read(&view).copy(&x, &mut out);
        assert!(out == want);
        let halves: Vec<u32> = x.iter().map(|&x| x as u32).collect();
        let mut out = vec![0; x.len()];
        Strided::read(&view).copy(&halves, &mut out);
        assert!(out.iter().zip(&want).all(|(&o, &w)| u64::from(o) == w));
    }
}

#[test]
fn tiles_and_broadcasts() {
    let read = |view: &View, x: &[i32]| {
        let mut out = vec![-1; view.shape().iter().product()];
        Strided::read(view).copy(x, &mut out);
        out
    };
    let x = [0, 1, 2, 3, 4, 5];
    assert_eq!(
        read(&View::of(&[2, 3]).tile(&[2, 2]), &x),
        [
            0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5
        ]
    );
    let wide = View::of(&[2, 1]).broadcast_to(&[2, 2, 3]).unwrap();
    assert_eq!(read(&wide, &x[..2]), [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
    assert!(View::of(&[2, 3]).broadcast_to(&[3, 2]).is_none());
    assert!(View::of(&[2, 3]).broadcast_to(&[3]).is_none());
    assert_eq!(read(&View::of(&[2, 3]).at(1, 2), &x), [2, 5]);
    assert_eq!(read(&View::of(&[]), &x), [0]);
    assert_eq!(read(&View::of(&[0, 3]).tile(&[4, 4]), &[]), []);
}

#[test]
#[should_panic(expected = "each place is written once")]
fn a_view_that_repeats_cannot_be_written() {
    let _ = Strided::write(&View::of(&[1]).tile(&[3]));
}

#[test]
fn rolls_and_mirrors() {
    let mut dice = Dice(3);
    for _ in 0..200 {
        let shape: Vec<usize> = (0..1 + dice.below(3)).map(|_| 1 + dice.below(12)).collect();
        let symmetric = dice.below(2) == 0;
        let mode = if symmetric {
            PadMode::Symmetric
        } else {
            PadMode::Reflect
        };
        let (mut axes, mut maps) = (Vec::new(), Vec::new());
        for &n in &shape {
            let most = if symmetric { n + 1 } else { n };
            let pad = (dice.below(most), dice.below(most));
            let shift = dice.below(n);
            if dice.below(2) == 0 {
                axes.push(mirrored(n, pad, mode));
                maps.push(mirror_map(n, pad, !symmetric));
            } else {
                axes.push(rolled(n, shift));
                maps.push((0..n).map(|i| (i + n - shift) % n).collect());
            }
        }
        let x: Vec<i64> = (0..shape.iter().product::<usize>() as i64).collect();
        let want = by_maps(&shape, &maps);
        let mut out = vec![-1; want.len()];
        mapped(&shape, &axes)
            .iter()
            .for_each(|s| s.copy(&x, &mut out));
        assert_eq!(out, want, "{shape:?} {axes:?}");
        let mut back = vec![0; x.len()];
        unmapped(&shape, &axes)
            .iter()
            .for_each(|s| s.combine(&out, &mut back, |a, b| a + b));
        let count = |i: &i64| i * want.iter().filter(|w| *w == i).count() as i64;
        assert_eq!(back, x.iter().map(count).collect::<Vec<_>>());
    }
    assert_eq!(rolled(0, 0).len(), 0);
}

/// Which element of an axis each place of the padded one shows.
fn mirror_map(n: usize, (before, after): (usize, usize), reflect: bool) -> Vec<usize> {
    let (n, edge) = (n as isize, isize::from(reflect));
    (-(before as isize)..n + after as isize)
        .map(|i| {
            if i < 0 {
                edge - 1 - i
            } else if i >= n {
                2 * n - 1 - edge - i
            } else {
                i
            }
        })
        .map(|i| i as usize)
        .collect()
}

/// The places that maps of the axes show, in order.
fn by_maps(shape: &[usize], maps: &[Vec<usize>]) -> Vec<i64> {
    let mut places = vec![0];
    for (&n, map) in shape.iter().zip(maps) {
        places = places
            .iter()
            .flat_map(|p| map.iter().map(move |&i| p * n as i64 + i as i64))
            .collect();
    }
    places
}

#[test]
fn arrays_join_side_by_side() {
    let mut dice = Dice(4);
    for round in 0..60 {
        let outer = [1, 2, 50, 3000][round % 4];
        let longest = [9000, 5000, 60, 40][round % 4];
        let widths: Vec<usize> = (0..1 + dice.below(5))
            .map(|_| dice.below(longest))
            .collect();
        let mut next = 0u32;
        let mut piece = |w: &usize| -> Vec<u32> {
            (0..w * outer)
                .map(|_| {
                    next += 1;
                    next
                })
                .collect()
        };
        let pieces: Vec<Vec<u32>> = widths.iter().map(&mut piece).collect();
        let row = |r: usize| {
            pieces
                .iter()
                .zip(&widths)
                .flat_map(move |(p, w)| p[r * w..(r + 1) * w].to_vec())
        };
        let want: Vec<u32> = (0..outer).flat_map(row).collect();
        let mut out = vec![0; want.len()];
        let slices: Vec<&[u32]> = pieces.iter().map(Vec::as_slice).collect();
        Join::new(outer, &widths).run(&slices, &mut out);
        assert!(out == want, "{outer} {widths:?}");
    }
}

#[test]
fn gathers_slices() {
    let mut dice = Dice(5);
    for round in 0..60 {
        let long = if round % 6 == 0 { 300 } else { 5 };
        let g = Gather {
            batch: 1 + dice.below(3),
            outer: 1 + dice.below(3),
            n: 1 + dice.below(long),
            inner: [1, 2, 5, 40][dice.below(4)],
            k: 1 + dice.below(long),
        };
        let x: Vec<u16> = (0..g.batch * g.outer * g.n * g.inner)
            .map(|i| i as u16)
            .collect();
        let indices: Vec<i32> = (0..g.batch * g.k).map(|_| dice.below(g.n) as i32).collect();
        let mut want = Vec::new();
        for slab in 0..g.batch * g.outer {
            for j in 0..g.k {
                let row = slab * g.n + indices[slab / g.outer * g.k + j] as usize;
                want.extend_from_slice(&x[row * g.inner..(row + 1) * g.inner]);
            }
        }
        let mut out = vec![0; want.len()];
        assert_eq!(g.run(&x, Indices::Narrow(&indices), &mut out), Ok(()));
        assert_eq!(out, want, "{g:?}");
        let mut wrong: Vec<i64> = indices.iter().map(|&i| i64::from(i)).collect();
        let place = dice.below(wrong.len());
        wrong[place..].fill([-1, g.n as i64][round % 2]);
        assert_eq!(
            g.run(&x, Indices::Wide(&wrong), &mut out),
            Err(place),
            "{g:?}"
        );
    }
    let none = Gather {
        batch: 1,
        outer: 1,
        n: 3,
        inner: 0,
        k: 2,
    };
    assert_eq!(
        none.run::<u8>(&[], Indices::Bytes(&[2, 3]), &mut []),
        Err(1)
    );
    assert_eq!(
        none.run::<u8>(&[], Indices::Bytes(&[2, 0]), &mut []),
        Ok(())
    );
}

#[test]
fn tuples_name_rows() {
    let narrow = [1, 2, 0, 0];
    let rows = Rows::new(Indices::Narrow(&narrow), &[2, 3]);
    assert_eq!(
        (rows.count(), rows.get(0), rows.get(1)),
        (2, Some(5), Some(0))
    );
    let far = [1i64, 2, 0, 3];
    assert_eq!(Rows::new(Indices::Wide(&far), &[2, 3]).check(), Err(1));
    assert_eq!(Rows::new(Indices::Wide(&[-1]), &[2]).check(), Err(0));
    assert_eq!(Rows::of_one(3).get(2), Some(0));
    let mut out = [0; 4];
    let places = [2i64, 0];
    let rows = Rows::new(Indices::Wide(&places), &[3]);
    assert_eq!(gather_rows(&[1, 2, 3, 4, 5, 6], 2, rows, &mut out), Ok(()));
    assert_eq!(out, [5, 6, 1, 2]);
    assert_eq!(
        gather_rows::<u8>(&[], 0, Rows::new(Indices::Wide(&[3]), &[3]), &mut []),
        Err(0)
    );
}

#[test]
fn scatters_in_order() {
    let dice: fn(usize) -> i64 = |i| (i as i64 * 7919 % 100) - 3;
    let rising: fn(usize) -> i64 = |i| i as i64 / 37;
    for (inner, n, row) in [
        (32, 5000, dice),
        (1, 9001, dice),
        (1, 9001, rising),
        (3, 700, rising),
    ] {
        let ids: Vec<i64> = (0..n).map(row).collect();
        let updates: Vec<f32> = (0..n * inner).map(|i| (i % 1013) as f32 * 0.1).collect();
        let mut out = vec![0.0f32; 95 * inner];
        scatter_rows(
            &updates,
            inner,
            &|first, places| Indices::Wide(&ids).places(first, places),
            &mut out,
            |out, inner, rows, updates| merge_rows(out, inner, rows, updates, |a, b| a + b),
        );
        let mut want = vec![0.0f32; 95 * inner];
        let kept = |id: &i64| usize::try_from(*id).ok().filter(|id| *id < 95);
        for (i, r) in ids
            .iter()
            .enumerate()
            .filter_map(|(i, id)| kept(id).map(|r| (i, r)))
        {
            (0..inner).for_each(|c| want[r * inner + c] += updates[i * inner + c]);
        }
        assert_eq!(out, want);
    }
    let (mut set, dims) = ([0; 3], [3]);
    let rows = Rows::new(Indices::Narrow(&[0, 2, 0]), &dims);
    scatter_rows(
        &[1, 2, 3],
        1,
        &|at, to| rows.places(at, to),
        &mut set,
        put_rows,
    );
    assert_eq!(set, [3, 0, 2]);
}

#[test]
fn indices_that_reach_a_number_are_found() {
    let ids = [-1i32, 5, 3];
    assert!(Indices::Narrow(&ids).reach(5) && !Indices::Narrow(&ids).reach(6));
    assert!(!Indices::Wide(&[i64::MIN, -7]).reach(0) && Indices::Bytes(&[200]).reach(200));
    let (dims, mut places) = ([2, 3], [0; 2]);
    Rows::new(Indices::Signed(&[1, 2, 0, 3]), &dims).places(0, &mut places);
    assert_eq!(places, [5, usize::MAX]);
}

#[test]
fn one_hot_leaves_bad_indices_off() {
    let mut out = [9; 6];
    one_hot(Indices::Wide(&[1, -1, 2]), 2, 1, &1, &0, &mut out);
    assert_eq!(out, [0, 1, 0, 0, 0, 0]);
    one_hot(Indices::Bytes(&[1, 0, 2]), 2, 3, &1, &0, &mut out);
    assert_eq!(out, [0, 1, 0, 1, 0, 0]);
}

#[test]
fn bands_and_diagonals() {
    let mut dice = Dice(6);
    for _ in 0..100 {
        let (batch, rows, cols) = (1 + dice.below(2), 1 + dice.below(6), 1 + dice.below(6));
        let x: Vec<i32> = (1..=(batch * rows * cols) as i32).collect();
        let (lower, upper) = (dice.below(8) as i64 - 1, dice.below(8) as i64 - 1);
        let away = |i: usize| (i % cols) as i64 - (i / cols % rows) as i64;
        let kept = |d: i64| (lower < 0 || -d <= lower) && (upper < 0 || d <= upper);
        let want: Vec<i32> = (0..x.len())
            .map(|i| if kept(away(i)) { x[i] } else { 0 })
            .collect();
        let mut out = vec![-1; x.len()];
        band_part(&x, (rows, cols), (lower, upper), &0, &mut out);
        assert_eq!(out, want, "{rows} {cols} {lower} {upper}");
        for d in 1 - rows as i64..cols as i64 {
            let view = diagonal((batch, rows, cols), d);
            let mut out = vec![0; view.shape().iter().product()];
            Strided::read(&view).copy(&x, &mut out);
            let want: Vec<i32> = (0..x.len())
                .filter(|&i| away(i) == d)
                .map(|i| x[i])
                .collect();
            assert_eq!(out, want, "{rows} {cols} {d}");
        }
    }
}

#[test]
fn scans_run_both_ways() {
    let mut dice = Dice(7);
    for round in 0..80 {
        let outer = 1 + dice.below(4);
        let scan = Scan {
            n: 1 + dice.below([6, 500][round % 2]),
            inner: [1, 1, 3, 1500][dice.below(4)],
            exclusive: dice.below(2) == 0,
            reverse: dice.below(2) == 0,
        };
        let x: Vec<i64> = (0..outer * scan.n * scan.inner)
            .map(|i| i as i64 % 17 - 5)
            .collect();
        let before = |i: usize, j: usize| match scan.reverse {
            true => j > i,
            false => j < i,
        };
        let mut out = vec![0; x.len()];
        scan.run(&x, 0, |a, b| a + b, &mut out);
        for _ in 0..200 {
            let (o, i, c) = (
                dice.below(outer),
                dice.below(scan.n),
                dice.below(scan.inner),
            );
            let at = |i: usize| (o * scan.n + i) * scan.inner + c;
            let counts = |j: &usize| before(i, *j) || (*j == i && !scan.exclusive);
            let want: i64 = (0..scan.n).filter(counts).map(|j| x[at(j)]).sum();
            assert_eq!(out[at(i)], want, "{scan:?}");
        }
    }
}

#[test]
fn places_are_within_where_each_is() {
    let all = |i: Indices<'_>, n| i.all_within(n);
    assert!(all(Indices::Narrow(&[0, 4, 2]), 5) && !all(Indices::Narrow(&[0, 5]), 5));
    assert!(!all(Indices::Narrow(&[-1, 0]), 5) && !all(Indices::Signed(&[-1]), 500));
    assert!(all(Indices::Signed(&[127]), 500) && all(Indices::Bytes(&[255]), 256));
    assert!(!all(Indices::Bytes(&[255]), 255) && all(Indices::Wide(&[]), 0));
    assert!(!all(Indices::Wide(&[i64::MAX]), usize::MAX >> 2));
}

#[test]
fn sums_in_any_order_are_those_in_order() {
    let n = 300_000;
    let updates: Vec<i32> = (0..n).map(|i| i * 7 - 1000).collect();
    let places = |first: usize, to: &mut [usize]| {
        let all = to.iter_mut().zip(first..);
        all.for_each(|(to, i)| *to = if i % 13 == 0 { usize::MAX } else { i * 31 % 97 });
    };
    let put: Put<i32> =
        |out, inner, rows, updates| merge_rows(out, inner, rows, updates, i32::wrapping_add);
    let (mut one, mut other) = ([0; 97], [0; 97]);
    scatter_rows(&updates, 1, &places, &mut one, put);
    scatter_in_any_order(&updates, &places, &mut other, put, 0);
    assert_eq!(one, other);
}
