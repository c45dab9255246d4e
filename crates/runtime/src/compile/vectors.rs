//! Which members of a fused step become vector code, and the programs of it.
//!
//! Members whose function is vector code and that make rows of one width form runs. A member joins the first run that
//! stands behind all that it needs; the others keep their kernels, in their order. Variables, of which any two may be
//! one, are read and written in the order of the members. What only its own run needs is never written.

mod functions;
mod writer;

use super::rows::StepKind;
use super::tile::{Fusion, Run, Value};
use super::totals::extent_of;
use crate::plan::{self, BroadcastIndex, Member, Order, Rows, Summed, Task, Vectors};
use ferrograph_graph::ReduceCode;
use ferrograph_machine::vector::{Float, Loop};
use ferrograph_tensor::DType;
use functions::{Function, function, kind};
use hashbrown::HashMap;
use writer::Writer;

/// Members of a run, at most, so that making its loop takes microseconds.
const MOST: usize = 64;

/// Elements of rows, at least, that are taken one by one, because something repeats along them or from row to row. Of
/// shorter ones about as many elements are taken at once, with what repeats written out.
const LONG: usize = 192;

/// How a value goes with the rows that a member makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// An element for each.
    Each,
    /// One element for all.
    One,
    /// An element for each row.
    OfRow,
    /// One row for all.
    Row,
    /// Elements that a broadcast index gives for those of any row.
    Within(BroadcastIndex),
    /// An element for each, in rows that are so many elements apart.
    Apart(usize),
}

/// A member that may be vector code.
#[derive(Clone, Copy)]
struct Elementwise {
    function: Function,
    /// Beside floats of which type its numbers are, where it has some.
    float: Option<Float>,
    /// Elements of a row of what it makes.
    width: usize,
    /// Whether its function is dozens of instructions.
    is_large: bool,
}

/// Members that are done together.
enum Group {
    /// One, by its kernel.
    Kernel(usize),
    /// Some, in their order, and whether one of them is large.
    Run(Option<Float>, usize, bool, Vec<usize>),
}

impl Group {
    fn takes(&self, member: &Elementwise) -> bool {
        let Group::Run(float, width, has_large, members) = self else {
            return false;
        };
        let fits = float.is_none() || member.float.is_none() || *float == member.float;
        // One large function a loop: a processor looks ahead over the next elements only so many instructions.
        let has_room = members.len() < MOST && !(*has_large && member.is_large);
        fits && *width == member.width && has_room
    }

    fn members(&self) -> &[usize] {
        match self {
            Group::Kernel(member) => std::slice::from_ref(member),
            Group::Run(_, _, _, members) => members,
        }
    }
}

/// The order of a fused step's tasks with vector code, where there is some.
pub(super) fn vectors(fusion: &Fusion<'_>) -> Option<Vectors> {
    if !fusion.facts.vectors || !Loop::is_supported() {
        return None;
    }
    let groups = worth(fusion, grouped(fusion));
    let mut runs = Vec::new();
    let mut steps: Vec<Member> = Vec::with_capacity(groups.len());
    let mut tasks = Vec::with_capacity(groups.len());
    for (at, group) in groups.iter().enumerate() {
        match group {
            Group::Kernel(member) => {
                tasks.push(Task::Member(*member));
                steps.push(fusion.members[*member].clone());
            }
            Group::Run(float, width, _, members) => {
                let is_needed = |value: u32| is_needed(fusion, &groups, at, value, None);
                let mut writer = Writer::new(fusion, (*float)?, *width);
                members
                    .iter()
                    .try_for_each(|&member| writer.member(member, &is_needed))?;
                tasks.push(Task::Run(runs.len()));
                steps.push(writer.outside());
                let summed = fed(fusion, members);
                let summed = summed.and_then(|fed| summing(fusion, &groups, at, fed));
                let last = summed.as_ref().map(|summed| fusion.totals[summed.total].0);
                let operations = members.iter().filter_map(|&m| operation(fusion, m));
                runs.push(plan::Run {
                    operations: operations.chain(last).collect(),
                    summed,
                    values: writer.values.clone().into(),
                    width: *width,
                    rows: writer.rows()?,
                    program: writer.finish(),
                });
            }
        }
    }
    let (places, scratch_bytes, bool_bytes) = fusion.places(&steps);
    let order = Order {
        tasks,
        places,
        scratch_bytes,
        bool_bytes,
    };
    let elements = fusion.touched(&steps);
    (!runs.is_empty()).then(|| Vectors::new(order, runs, elements))
}

/// A member that feeds a total with what another one makes.
#[derive(Clone, Copy)]
struct Feed {
    member: usize,
    total: usize,
    value: u32,
}

/// The sum of all elements of what one of these members makes, if there is one that vector code may add up.
fn fed(fusion: &Fusion<'_>, members: &[usize]) -> Option<Feed> {
    let makes = |value: &u32| {
        let mut made = members.iter().map(|&m| &fusion.members[m].outs);
        made.any(|outs| outs.contains(value))
    };
    let each = fusion.runs.iter().zip(&fusion.members).enumerate();
    let mut feeds = each.filter_map(|(member, (run, reads))| match *run {
        Run::Feed(total, _) if makes(&reads.ins[0]) => Some(Feed {
            member,
            total,
            value: reads.ins[0],
        }),
        _ => None,
    });
    feeds.find(|feed| {
        let StepKind::Total(bound) = fusion.parts[fusion.totals[feed.total].0].kind else {
            return false;
        };
        let code = bound.reduced.as_ref().map(|reduced| reduced.code);
        let is_sum = matches!(code, Some(ReduceCode::Sum | ReduceCode::Mean));
        let extent = extent_of(fusion.facts.slots(), bound);
        let is_whole = extent.is_some_and(|extent| extent.outer == 1 && extent.inner == 1);
        let dtype = fusion.dtype(fusion.values[feed.value as usize]);
        is_sum && is_whole && matches!(dtype, DType::Float32 | DType::Float64)
    })
}

/// The program of a group that also sums, where its rows are taken as one.
fn summing(fusion: &Fusion<'_>, groups: &[Group], at: usize, feed: Feed) -> Option<Summed> {
    let Group::Run(float, width, _, members) = &groups[at] else {
        return None;
    };
    let mut writer = Writer::new(fusion, (*float)?, *width);
    let is_needed = |value: u32| is_needed(fusion, groups, at, value, Some(feed.member));
    members
        .iter()
        .try_for_each(|&member| writer.member(member, &is_needed))?;
    writer.sum(feed.value)?;
    matches!(writer.rows()?, Rows::AsOne).then(|| Summed {
        values: writer.values.clone().into(),
        member: feed.member,
        total: feed.total,
        follows: writer.follows(),
        program: writer.finish(),
    })
}

/// The operation that a member does, by its number; of copies, none.
fn operation(fusion: &Fusion<'_>, member: usize) -> Option<usize> {
    match fusion.runs[member] {
        Run::Part(part) => Some(part),
        _ => None,
    }
}

/// What a member does, where that may be vector code.
fn elementwise(fusion: &Fusion<'_>, at: usize) -> Option<Elementwise> {
    let member = &fusion.members[at];
    let &[out] = &member.outs[..] else {
        return None;
    };
    let value = |number: u32| fusion.values[number as usize];
    let out = value(out);
    let width = fusion.width(out);
    let function = function(fusion, at)?;
    let mut float = None;
    let operands = operands(fusion, at);
    for value in operands.iter().map(|&number| value(number)).chain([out]) {
        reach(fusion, value, width)?;
        let of_value = match fusion.dtype(value) {
            DType::Bool => None,
            dtype => Some(kind(dtype)?.0),
        };
        if float.is_some() && of_value.is_some() && float != of_value {
            return None;
        }
        float = float.or(of_value);
    }
    Some(Elementwise {
        is_large: function.is_large(),
        function,
        float,
        width,
    })
}

/// What a member reads of its inputs: where it repeats one to a shape, that shape is in the rows already.
fn operands<'a>(fusion: &'a Fusion<'_>, at: usize) -> &'a [u32] {
    let ins = &fusion.members[at].ins;
    match fusion.runs[at] {
        Run::Part(part) => match fusion.parts[part].kind {
            StepKind::Compute(bound) if bound.repeats => &ins[..1],
            _ => ins,
        },
        _ => ins,
    }
}

/// How a value goes with rows of that width; none for others.
fn reach(fusion: &Fusion<'_>, value: Value, width: usize) -> Option<Reach> {
    match value {
        Value::All(_, within) => repeated(within?, width),
        Value::Slice(at) => {
            let slice_input = fusion
                .slice_input(at)
                .filter(|w| w.is_whole() && w.width == width)?;
            match slice_input.step {
                step if step == width => Some(Reach::Each),
                step => (width >= LONG).then_some(Reach::Apart(step)),
            }
        }
        Value::Broadcast(_, index, within) if index.every > 1 => repeated(within?, width),
        value => match fusion.width(value) {
            n if n == width => Some(Reach::Each),
            n => (n == 1).then_some(Reach::OfRow),
        },
    }
}

/// How elements that a broadcast index gives for those of any row go with rows of that width.
fn repeated(within: BroadcastIndex, width: usize) -> Option<Reach> {
    match within {
        BroadcastIndex { count: 1, .. } => Some(Reach::One),
        BroadcastIndex { every: 1, count } if count == width => Some(Reach::Row),
        index => (width < LONG && width.is_multiple_of(index.every * index.count))
            .then_some(Reach::Within(index)),
    }
}

/// The members in groups, each behind those that it needs.
fn grouped(fusion: &Fusion<'_>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut made: HashMap<u32, usize> = HashMap::new();
    // The last groups that read memory which changes, and that wrote some.
    let (mut read, mut written) = (None, None);
    for (at, member) in fusion.members.iter().enumerate() {
        let changes = |&&number: &&u32| fusion.may_change(number);
        let reads = member.ins.iter().find(changes).is_some();
        let writes = member.outs.iter().find(changes).is_some();
        let mut behind = member
            .ins
            .iter()
            .filter_map(|number| made.get(number).copied())
            .max();
        if reads || writes {
            behind = behind.max(written);
        }
        if writes {
            behind = behind.max(read);
        }
        let elementwise = elementwise(fusion, at);
        let found = elementwise.and_then(|member| {
            let from = behind.unwrap_or(0);
            let places = groups.iter_mut().enumerate().skip(from);
            let mut fitting = places.filter(|(_, group)| group.takes(&member));
            fitting.next().map(|(place, group)| {
                if let Group::Run(float, _, has_large, members) = group {
                    *float = float.or(member.float);
                    *has_large |= member.is_large;
                    members.push(at);
                }
                place
            })
        });
        let place = found.unwrap_or_else(|| {
            groups.push(match elementwise {
                Some(member) => Group::Run(member.float, member.width, member.is_large, vec![at]),
                None => Group::Kernel(at),
            });
            groups.len() - 1
        });
        made.extend(member.outs.iter().map(|&out| (out, place)));
        if reads {
            read = read.max(Some(place));
        }
        if writes {
            written = written.max(Some(place));
        }
    }
    groups
}

/// Leaves runs of one small member that nothing sums, and those without numbers, to the kernels.
fn worth(fusion: &Fusion<'_>, groups: Vec<Group>) -> Vec<Group> {
    let kernels = |members: Vec<usize>| members.into_iter().map(Group::Kernel).collect();
    let each = groups.into_iter().flat_map(|group| -> Vec<Group> {
        match group {
            Group::Run(float, _, has_large, members)
                if float.is_none()
                    || members.len() < 2 && !has_large && fed(fusion, &members).is_none() =>
            {
                kernels(members)
            }
            group => vec![group],
        }
    });
    each.collect()
}

/// Whether what a group makes is needed outside of it, by others than that member.
fn is_needed(
    fusion: &Fusion<'_>,
    groups: &[Group],
    at: usize,
    value: u32,
    but: Option<usize>,
) -> bool {
    let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
    let members = others.flat_map(|(_, group)| group.members());
    let mut members = members.filter(|&&member| Some(member) != but);
    fusion.is_output(value) || members.any(|&member| fusion.members[member].ins.contains(&value))
}
