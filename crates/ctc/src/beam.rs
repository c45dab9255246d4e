//! Decoding by a search over prefixes that keeps the best of them.

use crate::decoded::{sparse, sparse_specs};
use crate::frames::{Frames, batch, log_add};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::push;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec, bail};
use num_traits::AsPrimitive;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

declare! {
    trait EmitCtcBeam;

    /// The most probable label sequences, each as a sparse matrix, a row each sequence, and their log probabilities. The
    /// last class is blank.
    CTCBeamSearchDecoder: ctc_beam_search_decoder(inputs: T in float_parts rank 3, sequence_length: int32 rank 1)
        -> (decoded_indices: [int64; top_paths], decoded_values: [int64; top_paths], decoded_shape: [int64; top_paths],
            log_probability: T), gradient Stops {
        /// How many prefixes are kept.
        beam_width: usize,
        /// How many label sequences are given.
        top_paths: usize,
        /// Whether equal labels one after the other are made one in what is given.
        merge_repeated: bool = true,
    };
}

impl Op for CTCBeamSearchDecoder {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if self.top_paths == 0 || self.beam_width == 0 {
            bail!(
                InvalidArgument,
                "top_paths and beam_width must be at least 1"
            );
        }
        if self.top_paths > self.beam_width {
            bail!(
                InvalidArgument,
                "top_paths, {}, must not be more than beam_width, {}",
                self.top_paths,
                self.beam_width
            );
        }
        let batch = batch(inputs, 1)?;
        let mut specs = Specs::new();
        for spec in sparse_specs() {
            specs.extend(std::iter::repeat_n(spec, self.top_paths));
        }
        let paths = PartialShape::new(&[batch, Dim::new(self.top_paths)]);
        specs.push(TensorSpec::new(inputs.dtype(0), paths));
        Ok(specs)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs[0].dtype() {
            DType::Float32 => self.decoded::<f32>(inputs),
            _ => self.decoded::<f64>(inputs),
        }
    }
}

impl CTCBeamSearchDecoder {
    fn decoded<T>(&self, inputs: &[Tensor]) -> Result<Tensors>
    where
        T: Element + AsPrimitive<f64>,
        f64: AsPrimitive<T>,
    {
        let frames = Frames::<T>::new(&inputs[0], &inputs[1])?;
        if frames.classes == 0 {
            bail!(InvalidArgument, "inputs must have a class at least, blank");
        }
        let mut paths: Vec<Vec<Vec<i64>>> = (0..self.top_paths).map(|_| Vec::new()).collect();
        let mut scores = Vec::new();
        for b in 0..frames.batch {
            let log_probs = frames.log_probabilities(b)?;
            let mut search = Search::new(self.beam_width);
            for row in log_probs.chunks(frames.classes) {
                search.step(row);
            }
            let best = search.best(self.top_paths)?;
            for (path, (labels, score)) in paths.iter_mut().zip(best) {
                push(path, self.given(labels));
                push(&mut scores, AsPrimitive::<T>::as_(score));
            }
        }
        let parts: Vec<[Tensor; 3]> = paths.iter().map(|p| sparse(p)).collect::<Result<_>>()?;
        let mut outputs = Tensors::new();
        for part in 0..3 {
            outputs.extend(parts.iter().map(|p| p[part].clone()));
        }
        outputs.push(Tensor::from_slice([frames.batch, self.top_paths], &scores)?);
        Ok(outputs)
    }

    fn given(&self, labels: Vec<usize>) -> Vec<i64> {
        let mut labels: Vec<i64> = labels.into_iter().map(|l| l as i64).collect();
        if self.merge_repeated {
            labels.dedup();
        }
        labels
    }
}

/// A prefix: the one that it continues, and by which label. The first one is empty.
struct Node {
    parent: usize,
    label: usize,
}

/// A kept prefix, and the log probabilities of the alignments that end with a blank, and with its label.
#[derive(Clone, Copy)]
struct Kept {
    node: usize,
    blank: f64,
    label: f64,
}

impl Kept {
    fn total(&self) -> f64 {
        log_add(self.blank, self.label)
    }
}

/// A prefix that may be kept, the better the smaller, so that the worst one is found first.
struct Candidate {
    total: f64,
    /// Tells equal ones apart: the earlier is better.
    number: usize,
    what: Next,
}

enum Next {
    /// One that was kept before.
    Stays(Kept),
    /// A new one: a kept prefix, continued by a label.
    Grows { from: usize, label: usize },
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        let by_total = other.total.total_cmp(&self.total);
        by_total.then(self.number.cmp(&other.number))
    }
}

/// The search: all prefixes there were, and the best of them.
struct Search {
    width: usize,
    nodes: Vec<Node>,
    children: HashMap<(usize, usize), usize>,
    kept: Vec<Kept>,
}

impl Search {
    fn new(width: usize) -> Search {
        Search {
            width,
            nodes: vec![Node {
                parent: usize::MAX,
                label: usize::MAX,
            }],
            children: HashMap::new(),
            kept: vec![Kept {
                node: 0,
                blank: 0.0,
                label: f64::NEG_INFINITY,
            }],
        }
    }

    /// One time further, by the log probabilities of the classes.
    fn step(&mut self, log_probs: &[f64]) {
        let Some((blank, labels)) = log_probs.split_last() else {
            return;
        };
        let active: HashMap<usize, usize> = self
            .kept
            .iter()
            .enumerate()
            .map(|(i, k)| (k.node, i))
            .collect();
        let mut best = BinaryHeap::new();
        let mut number = 0;
        let mut offer = |best: &mut BinaryHeap<Candidate>, total: f64, what: Next, width: usize| {
            number += 1;
            let candidate = Candidate {
                total,
                number,
                what,
            };
            if best.len() < width {
                best.push(candidate);
            } else if let Some(mut worst) = best.peek_mut()
                && candidate < *worst
            {
                *worst = candidate;
            }
        };
        for kept in &self.kept {
            let next = self.stayed(kept, *blank, labels, &active);
            offer(&mut best, next.total(), Next::Stays(next), self.width);
        }
        for (from, kept) in self.kept.iter().enumerate() {
            poll_cancellation();
            let total = kept.total();
            let own = self.nodes[kept.node].label;
            for (label, log_prob) in labels.iter().enumerate() {
                let child = self.children.get(&(kept.node, label));
                if child.is_some_and(|c| active.contains_key(c)) {
                    continue;
                }
                let before = if label == own { kept.blank } else { total };
                let grown = before + log_prob;
                if grown > f64::NEG_INFINITY {
                    offer(&mut best, grown, Next::Grows { from, label }, self.width);
                }
            }
        }
        self.keep(best.into_sorted_vec());
    }

    /// A kept prefix one time later: a blank, its label again, or its label behind its parent.
    fn stayed(
        &self,
        kept: &Kept,
        blank: f64,
        labels: &[f64],
        active: &HashMap<usize, usize>,
    ) -> Kept {
        let Node { parent, label } = self.nodes[kept.node];
        let mut ends = f64::NEG_INFINITY;
        if let Some(seen) = labels.get(label) {
            ends = kept.label;
            if let Some(&i) = active.get(&parent) {
                let parent = &self.kept[i];
                let repeats = self.nodes[parent.node].label == label;
                let before = if repeats {
                    parent.blank
                } else {
                    parent.total()
                };
                ends = log_add(ends, before);
            }
            ends += seen;
        }
        Kept {
            node: kept.node,
            blank: kept.total() + blank,
            label: ends,
        }
    }

    fn keep(&mut self, best: Vec<Candidate>) {
        let mut kept = Vec::new();
        for candidate in best {
            let next = match candidate.what {
                Next::Stays(next) => next,
                Next::Grows { from, label } => Kept {
                    node: self.child(self.kept[from].node, label),
                    blank: f64::NEG_INFINITY,
                    label: candidate.total,
                },
            };
            push(&mut kept, next);
        }
        self.kept = kept;
    }

    fn child(&mut self, parent: usize, label: usize) -> usize {
        if let Some(&child) = self.children.get(&(parent, label)) {
            return child;
        }
        let child = self.nodes.len();
        push(&mut self.nodes, Node { parent, label });
        self.children.insert((parent, label), child);
        child
    }

    /// The best prefixes and their log probabilities.
    fn best(mut self, n: usize) -> Result<Vec<(Vec<usize>, f64)>> {
        if self.kept.len() < n {
            bail!(
                InvalidArgument,
                "there are only {} label sequences, top_paths is {n}",
                self.kept.len()
            );
        }
        self.kept.sort_by(|a, b| b.total().total_cmp(&a.total()));
        let all = self.kept[..n].iter();
        Ok(all.map(|k| (self.labels(k.node), k.total())).collect())
    }

    fn labels(&self, mut node: usize) -> Vec<usize> {
        let mut labels = Vec::new();
        while node != 0 {
            push(&mut labels, self.nodes[node].label);
            node = self.nodes[node].parent;
        }
        labels.reverse();
        labels
    }
}
