//! Operations that make queues, and on queues.

use crate::line::Line;
use crate::queue::{Plan, QueueCell};
use crate::stack::{split, stacked};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;
use std::collections::{BTreeMap, VecDeque};

/// What an operation counts as that may wait for another thread: plans with it run without the lock of a caller.
const WAITING_FLOPS: f64 = 1e9;

declare! {
    trait EmitQueues;

    /// A fresh queue whose elements leave it in the order in which they came.
    FIFOQueueV2 as "fifo_queue": fifo_queue() -> (handle: resource), gradient Stops, effect World {
        /// The types of the components of an element.
        element as ("component_types", "shapes"): Vec<TensorSpec>,
        /// How many elements it holds at most; any number where negative.
        capacity: i64 = -1,
    };

    /// As `FIFOQueueV2`; elements of several shapes are padded when they are taken at once.
    PaddingFIFOQueueV2 as "padding_fifo_queue": padding_fifo_queue() -> (handle: resource), gradient Stops, effect World {
        /// The types of the components of an element.
        element as ("component_types", "shapes"): Vec<TensorSpec>,
        /// How many elements it holds at most; any number where negative.
        capacity: i64 = -1,
    };

    /// A fresh queue whose elements leave it by their first component, the least first.
    PriorityQueueV2 as "priority_queue": priority_queue() -> (handle: resource), gradient Stops, effect World {
        /// The types of the components of an element, the first of them int64.
        element as ("component_types", "shapes"): Vec<TensorSpec>,
        /// How many elements it holds at most; any number where negative.
        capacity: i64 = -1,
    };

    /// A fresh queue whose elements leave it in random order.
    RandomShuffleQueueV2 as "random_shuffle_queue": random_shuffle_queue()
        -> (handle: resource), gradient Stops, effect World {
        /// The types of the components of an element.
        element as ("component_types", "shapes"): Vec<TensorSpec>,
        /// How many elements it holds at most; any number where negative.
        capacity: i64 = -1,
        /// How many elements stay in it until it is closed.
        min_after_dequeue: i64 = 0,
        /// The first seed.
        seed: i64 = 0,
        /// The second seed; where both are 0 the order is anyone's.
        seed2: i64 = 0,
    };

    /// Adds an element once there is room.
    QueueEnqueueV2: queue_enqueue(handle: resource, components: [Tcomponents]) -> (), gradient Stops, effect Writes;

    /// Adds the rows of `components`, each once there is room.
    QueueEnqueueManyV2: queue_enqueue_many(handle: resource, components: [Tcomponents])
        -> (), gradient Stops, effect Writes;

    /// Takes an element once there is one.
    QueueDequeueV2: queue_dequeue(handle: resource) -> (components: [component_types]), gradient Stops, effect Writes {
        /// The types of the components.
        element as ("component_types", "_shapes"): Vec<TensorSpec>,
    };

    /// Takes `n` elements as one once they are there.
    QueueDequeueManyV2: queue_dequeue_many(handle: resource, n: int32 rank 0)
        -> (components: [component_types]), gradient Stops, effect Writes {
        /// The types of the components of an element.
        element as ("component_types", "_shapes"): Vec<TensorSpec>,
    };

    /// As `QueueDequeueManyV2`, fewer where a closed queue has no more.
    QueueDequeueUpToV2: queue_dequeue_up_to(handle: resource, n: int32 rank 0)
        -> (components: [component_types]), gradient Stops, effect Writes {
        /// The types of the components of an element.
        element as ("component_types", "_shapes"): Vec<TensorSpec>,
    };

    /// How many elements wait in the queue.
    QueueSizeV2: queue_size(handle: resource) -> (size: int32 rank 0), gradient Stops, effect Reads;

    /// Lets no further elements in.
    QueueCloseV2: queue_close(handle: resource) -> (), gradient Stops, effect Writes {
        /// Whether those that wait for room shall give up.
        cancel_pending_enqueues: bool = false,
    };

    /// Whether the queue is closed.
    QueueIsClosedV2: queue_is_closed(handle: resource) -> (is_closed: bool rank 0), gradient Stops, effect Reads;
}

fn made(
    name: &'static str,
    element: &[TensorSpec],
    capacity: i64,
    stay: usize,
    line: Line,
) -> Result<Tensors> {
    let plan = Plan {
        name,
        capacity: usize::try_from(capacity).unwrap_or(usize::MAX),
        stay,
        components: element.to_vec(),
        pads: name == "PaddingFIFOQueue",
    };
    Ok(smallvec![QueueCell::new(plan, line).into_tensor()])
}

impl Op for FIFOQueueV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        let line = Line::First(VecDeque::new());
        made("FIFOQueue", &self.element, self.capacity, 0, line)
    }
}

impl Op for PaddingFIFOQueueV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        let line = Line::First(VecDeque::new());
        made("PaddingFIFOQueue", &self.element, self.capacity, 0, line)
    }
}

impl Op for PriorityQueueV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        let is_first =
            |spec: &TensorSpec| spec.dtype == DType::Int64 && spec.shape.rank() == Some(0);
        if !self.element.first().is_some_and(is_first) {
            bail!(
                InvalidArgument,
                "the first component is the priority, an int64"
            );
        }
        let line = Line::Least(BTreeMap::new(), 0);
        made("PriorityQueue", &self.element, self.capacity, 0, line)
    }
}

impl Op for RandomShuffleQueueV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        let stay = self.min_after_dequeue;
        if stay < 0 || self.capacity >= 0 && stay >= self.capacity {
            bail!(
                InvalidArgument,
                "min_after_dequeue {stay} must be >= 0 and < capacity {}",
                self.capacity
            );
        }
        let stay = usize::try_from(stay).unwrap_or(0);
        let line = Line::any(self.seed, self.seed2);
        made(
            "RandomShuffleQueue",
            &self.element,
            self.capacity,
            stay,
            line,
        )
    }
}

impl Op for QueueEnqueueV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let element = inputs[1..].iter().cloned().collect();
        QueueCell::of(&inputs[0])?.add(vec![element])?;
        Ok(Tensors::new())
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for QueueEnqueueManyV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let columns: Vec<Vec<Tensor>> = inputs[1..].iter().map(split).collect::<Result<_>>()?;
        let n = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != n) {
            bail!(InvalidArgument, "components have different numbers of rows");
        }
        let element = |i: usize| columns.iter().map(|column| column[i].clone()).collect();
        QueueCell::of(&inputs[0])?.add((0..n).map(element).collect())?;
        Ok(Tensors::new())
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for QueueDequeueV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut taken = QueueCell::of(&inputs[0])?.take(1, false)?;
        taken
            .pop()
            .ok_or_else(|| err!(Internal, "a queue gave no element"))
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

/// The types of `n` elements in one.
fn several(element: &[TensorSpec], n: Dim) -> Specs {
    let one = |spec: &TensorSpec| {
        let dims = spec.shape.dims();
        let all = dims.map(|dims| std::iter::once(n).chain(dims.iter().copied()));
        let shape = all.map_or(PartialShape::UNKNOWN, |all| {
            PartialShape::new(&all.collect::<Vec<_>>())
        });
        TensorSpec::new(spec.dtype, shape)
    };
    element.iter().map(one).collect()
}

/// Takes `n` elements as one.
fn taken(inputs: &[Tensor], fewer: bool) -> Result<Tensors> {
    let queue = QueueCell::of(&inputs[0])?;
    let n = inputs[1].item::<i32>()?;
    let Ok(n) = usize::try_from(n) else {
        bail!(InvalidArgument, "{n} elements of a queue were asked for");
    };
    let (specs, pads) = (&queue.plan.components, queue.plan.pads);
    let known = |spec: &TensorSpec| spec.shape.is_static() || pads && spec.shape.rank().is_some();
    if !specs.iter().all(known) {
        bail!(
            InvalidArgument,
            "{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
            queue.plan.name
        );
    }
    let elements = if n == 0 {
        Vec::new()
    } else {
        queue.take(n, fewer)?
    };
    let column = |(i, spec): (usize, &TensorSpec)| {
        let parts: Vec<&Tensor> = elements.iter().map(|element| &element[i]).collect();
        let dims = spec.shape.dims().unwrap_or_default();
        let none: Shape = dims.iter().map(|d| d.known().unwrap_or(0)).collect();
        stacked(&parts, spec.dtype, &none, pads)
    };
    specs.iter().enumerate().map(column).collect()
}

impl Op for QueueDequeueManyV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = inputs
            .ints(1)
            .and_then(|n| usize::try_from(*n.first()?).ok());
        Ok(several(&self.element, n.map_or(Dim::UNKNOWN, Dim::new)))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        taken(inputs, false)
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for QueueDequeueUpToV2 {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(several(&self.element, Dim::UNKNOWN))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        taken(inputs, true)
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        WAITING_FLOPS
    }
}

impl Op for QueueSizeV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = QueueCell::of(&inputs[0])?.size();
        let n = i32::try_from(n).map_err(|_| err!(OutOfRange, "a queue of {n} elements"))?;
        Ok(smallvec![Tensor::scalar(n)?])
    }
}

impl Op for QueueCloseV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        QueueCell::of(&inputs[0])?.close(self.cancel_pending_enqueues)?;
        Ok(Tensors::new())
    }
}

impl Op for QueueIsClosedV2 {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let closed = QueueCell::of(&inputs[0])?.is_closed();
        Ok(smallvec![Tensor::scalar(closed)?])
    }
}
