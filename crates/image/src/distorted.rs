//! Windows of an image that cover part of some box, drawn from a stream of numbers.
//!
//! A window takes up to four numbers of the stream: its width by its height, its height, its upper edge and its left one.
//! How many depends on what they are, so that the stream is an input, as numbers of 32 bits.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;

declare! {
    trait EmitDistorted;

    /// The first window that suits, of an image of height and width `image_size`: where it begins, its size, and the window as
    /// a box. It covers the part `covered` of some of `boxes`; the image where no attempt suits. `words` are drawn.
    DistortedWindow: distorted_window(
        image_size: T in index rank 1, boxes: float32 rank 2, covered: float32 rank 0, words: uint32 rank 1,
    ) -> (begin: T, size: T, window: float32), gradient Stops {
        /// The least and the greatest width by height.
        least_ratio: f64 = 0.75,
        /// As there.
        greatest_ratio: f64 = 1.33,
        /// Which part of the image it has at least and at most.
        least_area: f64 = 0.05,
        /// As there.
        greatest_area: f64 = 1.0,
        /// How many windows are drawn.
        attempts: i64 = 100,
    };
}

/// Rows and columns of pixels, the last ones left out: upper, left, lower, right.
type Rectangle = [i64; 4];

fn area([top, left, bottom, right]: Rectangle) -> i64 {
    (bottom - top) * (right - left)
}

fn shared(a: Rectangle, b: Rectangle) -> i64 {
    let both = [
        a[0].max(b[0]),
        a[1].max(b[1]),
        a[2].min(b[2]),
        a[3].min(b[3]),
    ];
    if both[0] > both[2] || both[1] > both[3] {
        return 0;
    }
    area(both)
}

/// Numbers that are drawn.
struct Words<'a>(std::slice::Iter<'a, u32>);

impl Words<'_> {
    fn next(&mut self) -> Option<u32> {
        self.0.next().copied()
    }

    /// A number from 0 to 1.
    fn unit(&mut self) -> Option<f32> {
        let word = self.next()?;
        Some(f32::from_bits(word & 0x7f_ffff | 0x3f80_0000) - 1.0)
    }

    /// A whole number below `n`, all as often: numbers that would make the first ones more frequent are passed over.
    fn below(&mut self, n: u32) -> Option<i64> {
        if n.is_power_of_two() {
            return Some(i64::from(self.next()? & (n - 1)));
        }
        let passed = u32::MAX % n + 1;
        loop {
            let word = self.next()?;
            if word >= passed {
                return Some(i64::from(word % n));
            }
        }
    }
}

/// What windows are asked for.
struct Request {
    height: i64,
    width: i64,
    least: f32,
    greatest: f32,
}

fn rounded(x: f32) -> i64 {
    x.round_ties_even() as i64
}

impl Request {
    /// A window of that width by height; none where there is none of an area that is asked for.
    fn window(&self, ratio: f32, words: &mut Words<'_>) -> Option<Option<Rectangle>> {
        let Request { height, width, .. } = *self;
        let (h, w) = (height as f32, width as f32);
        let (least, greatest) = (self.least * w * h, self.greatest * w * h);
        let across = |rows: i64| rounded(rows as f32 * ratio);
        let mut most = rounded((greatest / ratio).sqrt());
        if across(most) > width {
            most = ((width as f64 + 0.5 - f64::from(1e-7f32)) / f64::from(ratio)) as i64;
            most -= i64::from(across(most) > width);
        }
        most = most.min(height);
        let mut rows = rounded((least / ratio).sqrt()).min(most);
        if rows < most {
            rows += words.below(u32::try_from(most - rows + 1).ok()?)?;
        }
        // What rounding took away or added is put right by a row.
        let has = |rows: i64| (across(rows) * rows) as f32;
        rows += i64::from(has(rows) < least);
        rows -= i64::from(has(rows) > greatest);
        let columns = across(rows);
        let fits = (least..=greatest).contains(&has(rows))
            && (1..=width).contains(&columns)
            && (1..=height).contains(&rows);
        if !fits {
            return Some(None);
        }
        let mut edge = |all: i64, own: i64| match u32::try_from(all - own) {
            Ok(0) | Err(_) => Some(0),
            Ok(n) => words.below(n),
        };
        let (top, left) = (edge(height, rows)?, edge(width, columns)?);
        Some(Some([top, left, top + rows, left + columns]))
    }
}

impl DistortedWindow {
    /// The first window that suits.
    fn found(
        &self,
        request: &Request,
        boxes: &[Rectangle],
        covered: f32,
        words: &[u32],
    ) -> Option<Rectangle> {
        let mut words = Words(words.iter());
        let (low, high) = (self.least_ratio as f32, self.greatest_ratio as f32);
        for _ in 0..self.attempts {
            let ratio = words.unit()? * (high - low) + low;
            let Some(window) = request.window(ratio, &mut words)? else {
                continue;
            };
            let covers = |of: &&Rectangle| {
                area(**of) >= 1 && shared(window, **of) as f32 / area(**of) as f32 >= covered
            };
            if boxes.iter().find(covers).is_some() {
                return Some(window);
            }
        }
        None
    }
}

impl Op for DistortedWindow {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if !inputs.shape(0).dim(0).is_compatible(Dim::new(3)) {
            bail!(
                Shape,
                "image_size must be a vector of three, got shape {}",
                inputs.shape(0)
            );
        }
        let three = TensorSpec::new(inputs.dtype(0), PartialShape::new(&[Dim::new(3)]));
        let window = PartialShape::new(&[Dim::new(1), Dim::new(1), Dim::new(4)]);
        Ok(smallvec![
            three.clone(),
            three,
            TensorSpec::new(DType::Float32, window)
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let sizes = inputs[0].to_i64s()?;
        let side = |n: i64| {
            u32::try_from(n)
                .ok()
                .filter(|n| (1..1 << 24).contains(n))
                .map(i64::from)
        };
        let (Some(height), Some(width)) = (side(sizes[0]), side(sizes[1])) else {
            return Err(err!(
                InvalidArgument,
                "image_size must be positive, got {sizes:?}"
            ));
        };
        let request = Request {
            height,
            width,
            least: self.least_area as f32,
            greatest: self.greatest_area as f32,
        };
        let pixels = |x: f32, side: i64| (x * side as f32) as i64;
        let boxes = inputs[1].as_slice::<f32>()?.as_chunks::<4>().0.iter();
        let boxes = boxes.map(|b| {
            [
                pixels(b[0], height),
                pixels(b[1], width),
                pixels(b[2], height),
                pixels(b[3], width),
            ]
        });
        let boxes: Vec<Rectangle> = boxes.collect();
        let (covered, words) = (inputs[2].item::<f32>()?, inputs[3].as_slice::<u32>()?);
        let found = self.found(&request, &boxes, covered, words);
        let [top, left, bottom, right] = found.unwrap_or([0, 0, height, width]);
        let part = |n: i64, side: i64| n as f32 / side as f32;
        let window = [
            part(top, height),
            part(left, width),
            part(bottom, height),
            part(right, width),
        ];
        let (begin, size) = ([top, left, 0], [bottom - top, right - left, -1]);
        let whole = |all: [i64; 3]| match inputs[0].dtype() {
            DType::Int64 => Tensor::vector(&all),
            _ => Tensor::vector(&all.map(|n| i32::try_from(n).unwrap_or(i32::MAX))),
        };
        let window = Tensor::from_slice([1, 1, 4], &window)?;
        Ok(smallvec![whole(begin)?, whole(size)?, window])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words and windows of tensorflow-cpu 2.21.0 for three seeds.
    #[test]
    fn windows_are_those_of_tensorflow() {
        let usual = DistortedWindow {
            least_ratio: 0.75,
            greatest_ratio: 1.33,
            least_area: 0.05,
            greatest_area: 1.0,
            attempts: 100,
        };
        let wide = DistortedWindow {
            greatest_ratio: 4.0 / 3.0,
            least_area: 0.08,
            ..usual.clone()
        };
        let cases: [(_, _, [u32; 8], Rectangle); 3] = [
            (
                &usual,
                [300, 400],
                [
                    3498084074, 3206674878, 2609218792, 85608007, 3728548258, 1431625833,
                    3713487481, 3691676255,
                ],
                [19, 87, 298, 297],
            ),
            (
                &usual,
                [7, 5],
                [
                    3951404868, 4086539535, 623810609, 788261682, 3471124766, 1928011860,
                    1542633941, 4109320548,
                ],
                [1, 0, 6, 4],
            ),
            (
                &wide,
                [224, 180],
                [
                    269121604, 381398211, 2141233008, 3514895689, 675889085, 3115393115,
                    1633318452, 1143222389,
                ],
                [0, 1, 223, 179],
            ),
        ];
        for (op, [height, width], words, want) in cases {
            let request = Request {
                height,
                width,
                least: op.least_area as f32,
                greatest: op.greatest_area as f32,
            };
            let edge = |x: f32, side: i64| (x * side as f32) as i64;
            let boxes = [[0.1f32, 0.2, 0.5, 0.9], [0.3, 0.3, 0.9, 0.6]].map(|b| {
                [
                    edge(b[0], height),
                    edge(b[1], width),
                    edge(b[2], height),
                    edge(b[3], width),
                ]
            });
            assert_eq!(op.found(&request, &boxes, 0.1, &words), Some(want));
        }
    }
}
