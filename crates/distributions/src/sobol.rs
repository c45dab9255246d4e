//! Points of the Sobol sequence, which fill the unit cube evenly.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, vec_of, with_element,
};
use num_traits::AsPrimitive;
use smallvec::smallvec;

declare! {
    trait EmitSobol;

    /// The points behind the first `skip` ones of the Sobol sequence of `dim` dimensions, without the point of zeros.
    SobolSample: sobol_sample(dim: int32 rank 0, num_results: int32 rank 0, skip: int32 rank 0)
        -> (samples: dtype in float_parts), gradient Stops {
        /// The dtype of the points.
        dtype: DType = DType::Float32,
    };
}

/// The primitive polynomials and first direction numbers of S. Joe and F. Y. Kuo (SIAM J. Sci. Comput. 30 (2008), 2635),
/// copyright 2008, Stephen Joe and Frances Y. Kuo, free to redistribute with this notice: for each dimension from the
/// second one on the polynomial, whose highest bit is its degree, then that many numbers, in two bytes each.
static TABLE: &[u8] = include_bytes!("sobol.bin");

/// How many dimensions the table reaches.
const MOST_DIMENSIONS: usize = 1111;
const BITS: usize = 32;

/// The direction numbers of each dimension.
type Directions = Vec<[u32; BITS]>;

fn directions(dim: usize) -> Directions {
    let mut words = TABLE
        .chunks_exact(2)
        .map(|w| u32::from(u16::from_le_bytes([w[0], w[1]])));
    let mut all = Directions::with_capacity(dim);
    all.push(std::array::from_fn(|k| 1 << (BITS - 1 - k)));
    while all.len() < dim {
        let polynomial = words.next().unwrap_or(1);
        let degree = polynomial.ilog2() as usize;
        let mut v = [0u32; BITS];
        for (k, (v, word)) in v.iter_mut().zip(words.by_ref().take(degree)).enumerate() {
            *v = word << (BITS - 1 - k);
        }
        for k in degree..BITS {
            v[k] = v[k - degree] ^ (v[k - degree] >> degree);
            for j in 1..degree {
                if polynomial >> (degree - j) & 1 == 1 {
                    v[k] ^= v[k - j];
                }
            }
        }
        all.push(v);
    }
    all
}

/// Point `index` of the sequence; the next one differs in one direction number, that of the lowest bit which the Gray
/// code of the index changes.
fn point(directions: &Directions, index: u64, out: &mut [u32]) {
    let gray = index ^ (index >> 1);
    for (o, v) in out.iter_mut().zip(directions) {
        *o = (0..BITS)
            .filter(|k| gray >> k & 1 == 1)
            .fold(0, |x, k| x ^ v[k]);
    }
}

/// Writes the points from `first` on, a row each.
fn fill<T>(directions: &Directions, first: u64, out: &mut [T]) -> Result<()>
where
    T: Copy + Send + Sync + 'static,
    f64: AsPrimitive<T>,
{
    let dim = directions.len();
    let mut at = vec_of(0u32, dim)?;
    for (i, row) in out.chunks_mut(dim).enumerate() {
        poll_cancellation();
        let index = first + i as u64;
        match i {
            0 => point(directions, index, &mut at),
            _ => {
                let k = index.trailing_zeros() as usize;
                at.iter_mut().zip(directions).for_each(|(x, v)| *x ^= v[k]);
            }
        }
        for (o, &x) in row.iter_mut().zip(&at) {
            *o = (f64::from(x) / 2f64.powi(BITS as i32)).as_();
        }
    }
    Ok(())
}

/// The only element of an integer input, held against the least that it may be and the most.
fn within(name: &str, value: i32, least: i32, most: i32) -> Result<usize> {
    if value < least || value > most {
        bail!(
            InvalidArgument,
            "{name} must be between {least} and {most}, got {value}"
        );
    }
    Ok(value as usize)
}

impl Op for SobolSample {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let size = |i: usize| match inputs.ints(i).as_deref() {
            Some(&[n]) => usize::try_from(n).map_or(Dim::UNKNOWN, Dim::new),
            _ => Dim::UNKNOWN,
        };
        let shape: PartialShape = [size(1), size(0)].into_iter().collect();
        Ok(smallvec![TensorSpec::new(self.dtype, shape)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let dim = within("dim", inputs[0].item()?, 1, MOST_DIMENSIONS as i32)?;
        let n = within("num_results", inputs[1].item()?, 1, i32::MAX)?;
        let skip = within("skip", inputs[2].item()?, 0, i32::MAX)?;
        let directions = directions(dim);
        let mut points = Tensor::zeros(self.dtype, [n, dim].into())?;
        with_element!(self.dtype, floating, T => {
            fill(&directions, skip as u64 + 1, points.as_mut_slice::<T>()?)?;
        }, else => bail!(DType, "dtype must be float32 or float64, got {}", self.dtype));
        Ok(smallvec![points])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(dim: usize, first: u64, n: usize) -> Vec<f64> {
        let mut out = vec![0f64; n * dim];
        fill(&directions(dim), first, &mut out).unwrap();
        out
    }

    #[test]
    fn the_first_points_are_the_documented_ones() {
        assert_eq!(
            rows(3, 1, 4),
            [
                0.5, 0.5, 0.5, 0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.375, 0.375, 0.625
            ]
        );
    }

    #[test]
    fn a_later_start_gives_the_same_points() {
        let all = rows(5, 1, 100);
        assert_eq!(rows(5, 38, 10), all[37 * 5..47 * 5]);
    }

    #[test]
    fn each_dimension_fills_each_interval_once() {
        let (n, dim) = (256, MOST_DIMENSIONS);
        let points = rows(dim, n as u64, n);
        for d in 0..dim {
            let mut seen = vec![false; n];
            for row in points.chunks(dim) {
                let place = (row[d] * n as f64) as usize;
                assert!(!std::mem::replace(&mut seen[place], true), "dimension {d}");
            }
        }
    }
}
