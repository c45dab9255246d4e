//! Keeping the best of boxes that overlap.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::{push, vec_for, vec_of};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, check_bytes, err,
};
use smallvec::smallvec;

mod choice;

use crate::pixels::{check_single, singles_of};
use choice::{Choice, kept_of, overlap};

declare! {
    trait EmitSuppression;

    /// Which of the boxes `[y1, x1, y2, x2]` are kept, best scores first: those that no better one covers beyond the
    /// threshold.
    NonMaxSuppressionV3: non_max_suppression_v3(
        boxes: T in floating rank 2, scores: T rank 1, max_output_size: int32 rank 0,
        iou_threshold: T_threshold in floating rank 0, score_threshold: T_threshold rank 0,
    ) -> (selected_indices: int32), gradient Stops;

    /// As `NonMaxSuppressionV3`, of stacks of boxes too, with how many are kept; zeros fill up the others.
    NonMaxSuppressionV4: non_max_suppression_v4(
        boxes: T in floating, scores: T, max_output_size: int32 rank 0,
        iou_threshold: T_threshold in floating rank 0, score_threshold: T_threshold rank 0,
    ) -> (selected_indices: int32, valid_outputs: int32), gradient Stops {
        /// Whether there are as many as there may be.
        pad_to_max_output_size: bool = false,
        /// Whether boxes that cover a better one just as much as the threshold are left out, too.
        covers_at_threshold: bool = false,
    };

    /// As `NonMaxSuppressionV3`, with scores and how many are kept. Where sigma is positive, scores of covered boxes become
    /// less, and none is left out for being covered.
    NonMaxSuppressionV5: non_max_suppression_v5(
        boxes: T in floating rank 2, scores: T rank 1, max_output_size: int32 rank 0,
        iou_threshold: T rank 0, score_threshold: T rank 0, soft_nms_sigma: T rank 0,
    ) -> (selected_indices: int32, selected_scores: T, valid_outputs: int32), gradient Stops {
        /// Whether there are as many as there may be; zeros fill up the others.
        pad_to_max_output_size: bool = false,
    };

    /// As `NonMaxSuppressionV3`, where `overlaps` says how much boxes cover one another.
    NonMaxSuppressionWithOverlaps: non_max_suppression_with_overlaps(
        overlaps: float32 rank 2, scores: float32 rank 1, max_output_size: int32 rank 0,
        overlap_threshold: float32 rank 0, score_threshold: float32 rank 0,
    ) -> (selected_indices: int32), gradient Stops;

    /// The best boxes of all classes of each image, chosen class by class; zeros fill up the others.
    CombinedNonMaxSuppression: combined_non_max_suppression(
        boxes: float32 rank 4, scores: float32 rank 3, max_output_size_per_class: int32 rank 0,
        max_total_size: int32 rank 0, iou_threshold: float32 rank 0, score_threshold: float32 rank 0,
    ) -> (nmsed_boxes: float32, nmsed_scores: float32, nmsed_classes: float32, valid_detections: int32),
    gradient Stops {
        /// Whether there are no more than all classes may have together.
        pad_per_class: bool = false,
        /// Whether corners are moved to between 0 and 1.
        clip_boxes: bool = true,
    };
}

/// What the scalars from input 2 on say.
fn choice(inputs: &[Tensor]) -> Result<Choice> {
    let float = |i: usize| -> Result<f32> { Ok(singles_of(&inputs[i])?[0]) };
    let most = inputs[2].item::<i32>()?;
    let choice = Choice {
        most: usize::try_from(most).map_err(|_| {
            err!(
                InvalidArgument,
                "output size must be non-negative, got {most}"
            )
        })?,
        overlap: float(3)?,
        score: float(4)?,
        sigma: 0.0,
        at_threshold: false,
    };
    check_threshold(choice.overlap)?;
    Ok(choice)
}

fn check_threshold(threshold: f32) -> Result<()> {
    if !(0.0..=1.0).contains(&threshold) {
        bail!(
            InvalidArgument,
            "iou_threshold must be in [0, 1], got {threshold}"
        );
    }
    Ok(())
}

/// The shape of the scores: one a box of four numbers.
///
/// # Errors
/// `Shape` where boxes and scores are not such.
fn check_boxes(inputs: &Inputs<'_>) -> Result<PartialShape> {
    let (boxes, scores) = (inputs.shape(0), inputs.shape(1));
    check_single(inputs.dtype(0), "boxes")?;
    let of_boxes = match boxes.dims() {
        None => PartialShape::UNKNOWN,
        Some([_, .., four]) if !four.is_compatible(Dim::new(4)) => {
            bail!(Shape, "boxes must have 4 columns, got shape {boxes}")
        }
        Some([rest @ .., _]) => PartialShape::new(rest),
        Some([]) => PartialShape::scalar(),
    };
    match scores.merge(&of_boxes) {
        Ok(shape) if shape.rank() != Some(0) => Ok(shape),
        _ => bail!(
            Shape,
            "boxes of shape {boxes} do not have scores of shape {scores}"
        ),
    }
}

/// The size that scalar input `i` says, where it is known and pads.
fn padded(inputs: &Inputs<'_>, i: usize, pads: bool) -> Dim {
    let known = inputs.ints(i).filter(|_| pads);
    let size = known.and_then(|all| all.first().copied());
    size.and_then(|n| usize::try_from(n).ok()).into()
}

/// Places as integers, followed by zeros up to `size`.
fn places(kept: &[(usize, f32)], size: usize) -> Result<Vec<i32>> {
    check_bytes(size.saturating_mul(4))?;
    let mut all = vec_of(0i32, size);
    for (to, (place, _)) in all.iter_mut().zip(kept) {
        *to =
            i32::try_from(*place).map_err(|_| err!(InvalidArgument, "there are too many boxes"))?;
    }
    Ok(all)
}

impl Op for NonMaxSuppressionV3 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_boxes(inputs)?;
        Ok(smallvec![TensorSpec::new(
            DType::Int32,
            PartialShape::of_rank(1)
        )])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (boxes, scores) = (singles_of(&inputs[0])?, singles_of(&inputs[1])?);
        let kept = kept_of(choice(inputs)?, &boxes, &scores);
        Ok(smallvec![Tensor::vector(&places(&kept, kept.len())?)?])
    }
}

impl Op for NonMaxSuppressionV4 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let scores = check_boxes(inputs)?;
        let Some([lead @ .., _]) = scores.dims() else {
            return Ok([(); 2]
                .map(|()| TensorSpec::new(DType::Int32, PartialShape::UNKNOWN))
                .into());
        };
        let size = padded(inputs, 2, self.pad_to_max_output_size || !lead.is_empty());
        let all: PartialShape = lead.iter().copied().chain([size]).collect();
        let counts: PartialShape = lead.iter().copied().collect();
        Ok([all, counts]
            .map(|shape| TensorSpec::new(DType::Int32, shape))
            .into())
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (boxes, scores) = (singles_of(&inputs[0])?, singles_of(&inputs[1])?);
        let (mut choice, shape) = (choice(inputs)?, inputs[1].shape());
        choice.at_threshold = self.covers_at_threshold;
        let (lead, n) = (&shape[..shape.rank() - 1], shape[shape.rank() - 1]);
        let stacks: usize = lead.iter().product();
        let (mut all, mut counts) = (Vec::new(), vec_for(stacks));
        let mut size = choice.most;
        for i in 0..stacks {
            let kept = kept_of(choice, &boxes[4 * i * n..], &scores[i * n..(i + 1) * n]);
            if lead.is_empty() && !self.pad_to_max_output_size {
                size = kept.len();
            }
            counts.push(i32::try_from(kept.len()).unwrap_or(i32::MAX));
            if i == 0 {
                check_bytes(stacks.saturating_mul(size).saturating_mul(4))?;
            }
            let places = places(&kept, size)?;
            ferrograph_kernels::scratch::reserve(&mut all, places.len());
            all.extend(places);
        }
        let dims: Vec<usize> = lead.iter().copied().chain([size]).collect();
        Ok(smallvec![
            Tensor::from_slice(dims.as_slice(), &all)?,
            Tensor::from_slice(lead, &counts)?
        ])
    }
}

impl Op for NonMaxSuppressionV5 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_boxes(inputs)?;
        let shape = PartialShape::new(&[padded(inputs, 2, self.pad_to_max_output_size)]);
        Ok(smallvec![
            TensorSpec::new(DType::Int32, shape.clone()),
            TensorSpec::new(inputs.dtype(0), shape),
            TensorSpec::new(DType::Int32, PartialShape::scalar())
        ])
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (boxes, scores) = (singles_of(&inputs[0])?, singles_of(&inputs[1])?);
        let mut choice = choice(inputs)?;
        choice.sigma = singles_of(&inputs[5])?[0];
        if choice.sigma.is_nan() || choice.sigma < 0.0 {
            bail!(
                InvalidArgument,
                "soft_nms_sigma must be non-negative, got {}",
                choice.sigma
            );
        }
        let kept = kept_of(choice, &boxes, &scores);
        let size = if self.pad_to_max_output_size {
            choice.most
        } else {
            kept.len()
        };
        let places = places(&kept, size)?;
        let mut scores = vec_of(0f32, size);
        scores
            .iter_mut()
            .zip(&kept)
            .for_each(|(to, (_, s))| *to = *s);
        let count = i32::try_from(kept.len()).unwrap_or(i32::MAX);
        let cast = ferrograph_ops::Cast {
            dtype: inputs[0].dtype(),
        };
        let scores = cast.eval(runner, &[Tensor::vector(&scores)?])?;
        Ok(smallvec![
            Tensor::vector(&places)?,
            scores[0].clone(),
            Tensor::scalar(count)?
        ])
    }
}

impl Op for NonMaxSuppressionWithOverlaps {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (overlaps, scores) = (inputs.shape(0), inputs.shape(1));
        let n = scores.dim(0);
        if [0, 1].iter().any(|&i| !overlaps.dim(i).is_compatible(n)) {
            bail!(
                Shape,
                "overlaps of shape {overlaps} are not those of scores of shape {scores}"
            );
        }
        Ok(smallvec![TensorSpec::new(
            DType::Int32,
            PartialShape::of_rank(1)
        )])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (overlaps, scores) = (inputs[0].as_slice::<f32>()?, inputs[1].as_slice::<f32>()?);
        let float = |i: usize| inputs[i].item::<f32>();
        let most = inputs[2].item::<i32>()?;
        let choice = Choice {
            most: usize::try_from(most).map_err(|_| {
                err!(
                    InvalidArgument,
                    "output size must be non-negative, got {most}"
                )
            })?,
            overlap: float(3)?,
            score: float(4)?,
            sigma: 0.0,
            at_threshold: false,
        };
        let n = scores.len();
        let kept = choice.made(scores.iter().copied(), |a, b| overlaps[a * n + b]);
        Ok(smallvec![Tensor::vector(&places(&kept, kept.len())?)?])
    }
}

impl Op for CombinedNonMaxSuppression {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (boxes, scores) = (inputs.shape(0), inputs.shape(1));
        let shared = boxes.dim(2).is_compatible(Dim::new(1));
        if !boxes.dim(3).is_compatible(Dim::new(4))
            || [0, 1]
                .iter()
                .any(|&i| !boxes.dim(i).is_compatible(scores.dim(i)))
            || !(shared || boxes.dim(2).is_compatible(scores.dim(2)))
        {
            bail!(
                Shape,
                "boxes of shape {boxes} do not have scores of shape {scores}"
            );
        }
        let batch = boxes.dim(0).known().or(scores.dim(0).known()).into();
        let known = [2, 3].map(|i| padded(inputs, i, true).known());
        let size: Dim = match (self.pad_per_class, known, scores.dim(2).known()) {
            (false, [_, total], _) => total.into(),
            (true, [Some(each), Some(total)], Some(classes)) => {
                Dim::new(total.min(each.saturating_mul(classes)))
            }
            _ => Dim::UNKNOWN,
        };
        let spec = |dims: &[Dim]| TensorSpec::new(DType::Float32, PartialShape::new(dims));
        Ok(smallvec![
            spec(&[batch, size, Dim::new(4)]),
            spec(&[batch, size]),
            spec(&[batch, size]),
            TensorSpec::new(DType::Int32, PartialShape::new(&[batch]))
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let all = Classes::read(inputs)?;
        let total = inputs[3].item::<i32>()?;
        let total = usize::try_from(total).ok().filter(|n| *n > 0);
        let total = total.ok_or_else(|| err!(InvalidArgument, "max_total_size must be > 0"))?;
        let size = match self.pad_per_class {
            true => total.min(all.choice.most.saturating_mul(all.classes)),
            false => total,
        };
        let n = size.saturating_mul(all.batch);
        check_bytes(n.saturating_mul(24))?;
        let (mut boxes, mut scores) = (vec_of(0f32, n * 4), vec_of(0f32, n));
        let (mut classes, mut counts) = (vec_of(0f32, n), vec_for(all.batch));
        for i in 0..all.batch {
            let best = all.best(i, size);
            counts.push(i32::try_from(best.len()).unwrap_or(i32::MAX));
            for (k, found) in best.iter().enumerate() {
                let at = i * size + k;
                let clip = |x: f32| {
                    if self.clip_boxes {
                        x.clamp(0.0, 1.0)
                    } else {
                        x
                    }
                };
                for (to, x) in
                    boxes[4 * at..]
                        .iter_mut()
                        .zip(all.corners(i, found.class, found.place))
                {
                    *to = clip(*x);
                }
                scores[at] = found.score;
                #[allow(clippy::cast_precision_loss)]
                {
                    classes[at] = found.class as f32;
                }
            }
        }
        let (batch, size) = (all.batch, size);
        Ok(smallvec![
            Tensor::from_slice(&[batch, size, 4][..], &boxes)?,
            Tensor::from_slice(&[batch, size][..], &scores)?,
            Tensor::from_slice(&[batch, size][..], &classes)?,
            Tensor::vector(&counts)?
        ])
    }
}

/// A box of a class.
struct Found {
    score: f32,
    class: usize,
    place: usize,
}

/// Boxes and scores of all classes.
struct Classes<'a> {
    boxes: &'a [f32],
    scores: &'a [f32],
    choice: Choice,
    batch: usize,
    n: usize,
    /// How many boxes each place has: one for all classes, or one each.
    each: usize,
    classes: usize,
}

impl<'a> Classes<'a> {
    fn read(inputs: &'a [Tensor]) -> Result<Classes<'a>> {
        let (boxes, scores) = (&inputs[0], &inputs[1]);
        let most = inputs[2].item::<i32>()?;
        let most = usize::try_from(most).ok().filter(|n| *n > 0);
        let most = most.ok_or_else(|| err!(InvalidArgument, "max_size_per_class must be > 0"))?;
        let choice = Choice {
            most,
            overlap: inputs[4].item()?,
            score: inputs[5].item()?,
            sigma: 0.0,
            at_threshold: false,
        };
        check_threshold(choice.overlap)?;
        Ok(Classes {
            boxes: boxes.as_slice()?,
            scores: scores.as_slice()?,
            choice,
            batch: boxes.shape()[0],
            n: boxes.shape()[1],
            each: boxes.shape()[2],
            classes: scores.shape()[2],
        })
    }

    fn corners(&self, image: usize, class: usize, place: usize) -> &[f32] {
        let class = if self.each == 1 { 0 } else { class };
        &self.boxes[((image * self.n + place) * self.each + class) * 4..][..4]
    }

    /// The best boxes of an image.
    fn best(&self, image: usize, size: usize) -> Vec<Found> {
        let mut all: Vec<Found> = Vec::new();
        for class in 0..self.classes {
            let score = |i: usize| self.scores[(image * self.n + i) * self.classes + class];
            let kept = self.choice.made((0..self.n).map(score), |a, b| {
                overlap(self.corners(image, class, a), self.corners(image, class, b))
            });
            for (place, score) in kept {
                push(
                    &mut all,
                    Found {
                        score,
                        class,
                        place,
                    },
                );
            }
        }
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        all.truncate(size);
        all
    }
}
