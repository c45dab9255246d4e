//! The gradients that a model registers for nodes of functions, and how what these captured reaches the nodes.
//!
//! The function of a gradient takes the gradients of all outputs of its node, then what it captured: objects of the
//! model, and tensors of the function in which the node stands or of one around it. A function that holds such a node,
//! or calls one that does, takes as further inputs what is neither its own tensor nor bound to it.

use crate::import::{arg_spec, signature_args};
use crate::order::node_name;
use crate::vocabulary::{GRADIENT, OWN_OP};
use ferrograph_formats::messages::{
    AttrContent, FunctionDef, FunctionDefLibrary, NodeDef, SavedKind, SavedObjectGraph,
    StructuredValue,
};
use ferrograph_tensor::TensorSpec;
use hashbrown::{HashMap, HashSet};

/// How many further inputs a function may have.
const MAX_FURTHER: usize = 1 << 12;

/// What the function of a gradient captured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Captured<'a> {
    /// An object of the model, by its number.
    Object(i32),
    /// A tensor of a function.
    Tensor {
        /// The function.
        function: &'a str,
        /// The tensor in it, as graphs name outputs.
        name: &'a str,
    },
}

/// How a node uses a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    /// It calls it, and can hand over further inputs.
    Call,
    /// The function is its gradient.
    Gradient,
    /// It holds it, and decides itself what it is run on.
    Hold,
}

/// The gradients that a model registers.
#[derive(Default)]
pub struct Registered<'a> {
    by_type: HashMap<&'a [u8], &'a str>,
    // What the last inputs of functions are.
    bound: HashMap<&'a str, Vec<Captured<'a>>>,
    results: HashMap<&'a str, &'a StructuredValue>,
    specs: HashMap<Captured<'a>, TensorSpec>,
    // What functions need that is not their own: what they take as further inputs, and what does not reach them.
    further: HashMap<&'a str, Vec<Captured<'a>>>,
    missing: HashMap<&'a str, HashSet<Captured<'a>>>,
    rings: HashSet<&'a str>,
}

impl<'a> Registered<'a> {
    /// Those of a library, given the objects of its model.
    pub fn of(library: &'a FunctionDefLibrary, objects: &'a SavedObjectGraph) -> Registered<'a> {
        let mut made = Registered::default();
        for gradient in &library.registered_gradients {
            let kind = gradient.registered_op_type.as_bytes();
            made.by_type.insert(kind, &gradient.gradient_func);
        }
        if made.by_type.is_empty() {
            return made;
        }
        for (name, function) in &objects.concrete_functions {
            let bound = function.bound_inputs.iter();
            let bound = bound.map(|&number| captured(objects, number)).collect();
            made.bound.insert(name, bound);
            if let Some(results) = &function.output_signature {
                made.results.insert(name, results);
            }
        }
        let named = |def: &'a FunctionDef| Some((&def.signature.as_ref()?.name[..], def));
        let defs: HashMap<&str, &FunctionDef> = library.function.iter().filter_map(named).collect();
        for name in made.by_type.values() {
            if let (Some(def), Some(bound)) = (defs.get(name), made.bound.get(name)) {
                let args = signature_args(def);
                let first = args.len().saturating_sub(bound.len());
                for (&c, (i, arg)) in bound.iter().zip(args.iter().enumerate().skip(first)) {
                    if let Ok(spec) = arg_spec(def, i, arg) {
                        made.specs.insert(c, spec);
                    }
                }
            }
        }
        made.spread(&defs, objects);
        made
    }

    /// The function that is the gradient of a node, or why there is none.
    ///
    /// `within` is the function of the node.
    pub fn of_node(&self, node: &NodeDef, within: &str) -> Result<&'a str, String> {
        let kind = gradient_type(node).unwrap_or_default();
        let Some(&name) = self.by_type.get(kind) else {
            return Err(format!(
                "no gradient of type {:?} was saved with it. Save the model with \
                 SaveOptions(experimental_custom_gradients=True)",
                String::from_utf8_lossy(kind)
            ));
        };
        if self.rings.contains(name) && self.rings.contains(within) {
            return Err(format!(
                "its gradient {name:?} calls the function {within:?} itself"
            ));
        }
        let missing = self.missing.get(within);
        let mut lacking = self
            .bound(name)
            .iter()
            .filter(|c| missing.is_some_and(|m| m.contains(*c)));
        match lacking.next() {
            None => Ok(name),
            Some(c) => Err(format!("its gradient takes {c}, which does not reach it")),
        }
    }

    /// What the last inputs of a function are.
    pub fn bound(&self, name: &str) -> &[Captured<'a>] {
        self.bound.get(name).map_or(&[], |all| all)
    }

    /// The structure of what a function gives.
    pub fn results(&self, name: &str) -> Option<&'a StructuredValue> {
        self.results.get(name).copied()
    }

    /// What a function takes behind its arguments.
    pub fn further(&self, name: &str) -> &[Captured<'a>] {
        self.further.get(name).map_or(&[], |all| all)
    }

    /// The type of what was captured, as far as gradients say it.
    pub fn spec(&self, captured: Captured<'a>) -> Option<&TensorSpec> {
        self.specs.get(&captured)
    }

    /// The tensors of a function that a node of it takes besides its inputs, for the gradients of what it does.
    pub fn taken(&self, function: &str, node: &NodeDef) -> Vec<&'a str> {
        if self.by_type.is_empty() {
            return Vec::new();
        }
        let mut taken = Vec::new();
        self.each_use(node, |name, how| {
            let bound = if how == Use::Gradient {
                self.bound(name)
            } else {
                &[]
            };
            for c in bound.iter().chain(self.further(name)) {
                if let Captured::Tensor { function: f, name } = c
                    && *f == function
                {
                    taken.push(*name);
                }
            }
        });
        taken
    }

    fn each_use<'n>(&self, node: &'n NodeDef, mut found: impl FnMut(&'n str, Use))
    where
        'a: 'n,
    {
        if has_own_gradient(node) {
            if let Some(name) = gradient_type(node).and_then(|kind| self.by_type.get(kind)) {
                found(name, Use::Gradient);
            }
            return;
        }
        found(&node.op, Use::Call);
        for (attr, value) in &node.attr {
            let how = match is_call(&node.op, attr) {
                true => Use::Call,
                false => Use::Hold,
            };
            match &value.value {
                Some(AttrContent::Func(f)) => found(&f.name, how),
                Some(AttrContent::List(all)) => {
                    all.func.iter().for_each(|f| found(&f.name, how));
                }
                _ => {}
            }
        }
    }

    /// Finds what functions need that is not their own: first what they would take, from those that are called to those
    /// that call, then back what does not reach them.
    fn spread(&mut self, defs: &HashMap<&'a str, &'a FunctionDef>, objects: &SavedObjectGraph) {
        let uses = Uses::of(self, defs);
        let rings = uses.rings();
        let mut closed: HashSet<&str> = rings.clone();
        closed.extend(uses.held());
        let mut needs: HashMap<&str, HashSet<Captured<'_>>> = HashMap::new();
        let mut open: Vec<&str> = uses.with_gradients();
        while let Some(name) = open.pop() {
            let mut found = needs.get(name).cloned().unwrap_or_default();
            let before = found.len();
            for &(other, how) in uses.of_function(name) {
                if how == Use::Gradient {
                    found.extend(self.bound(other).iter().filter(|c| !self.is_own(name, c)));
                }
                if let Some(more) = needs.get(other).filter(|_| how != Use::Hold)
                    && !closed.contains(other)
                {
                    found.extend(more.iter().filter(|c| !self.is_own(name, c)));
                }
            }
            if found.len() > MAX_FURTHER {
                closed.insert(name);
            }
            if found.len() > before {
                needs.insert(name, found);
                open.extend(uses.users(name));
            }
        }
        let entries = entries(objects);
        let unknown = self.unknown(defs);
        let mut open: Vec<&str> = Vec::new();
        for (name, found) in &needs {
            let is_entry = entries.contains(name) || !uses.is_called(name);
            let lost = |c: &&Captured<'_>| {
                let is_tensor = matches!(c, Captured::Tensor { .. });
                closed.contains(name) || is_entry && is_tensor || unknown.contains(*c)
            };
            self.missing
                .insert(name, found.iter().filter(lost).copied().collect());
            open.push(name);
        }
        while let Some(name) = open.pop() {
            let lost = self.missing.get(name).cloned().unwrap_or_default();
            for (other, _) in uses.of_function(name).iter().filter(|u| u.1 != Use::Hold) {
                let Some(of_other) = needs.get(other) else {
                    continue;
                };
                let known = self.missing.entry(*other).or_default();
                let before = known.len();
                known.extend(lost.intersection(of_other));
                if known.len() > before {
                    open.push(other);
                }
            }
        }
        for (name, found) in needs {
            let missing = self.missing.get(name);
            let reaches = |c: &&Captured<'_>| !missing.is_some_and(|m| m.contains(*c));
            let mut further: Vec<Captured<'_>> = found.iter().filter(reaches).copied().collect();
            further.sort_unstable();
            self.further.insert(name, further);
        }
        self.rings = rings;
    }

    /// Captured tensors that no function has.
    fn unknown(&self, defs: &HashMap<&'a str, &'a FunctionDef>) -> HashSet<Captured<'a>> {
        let mut named: HashMap<&str, HashSet<&str>> = HashMap::new();
        let mut has = |function: &'a str, tensor: &'a str| {
            let names = named.entry(function).or_insert_with(|| {
                let def = defs.get(function);
                let args = def
                    .into_iter()
                    .flat_map(|def| signature_args(def))
                    .map(|a| &a.name[..]);
                let nodes = def
                    .into_iter()
                    .flat_map(|def| &def.node_def)
                    .map(|n| &n.name[..]);
                args.chain(nodes).collect()
            });
            names.contains(node_name(tensor))
        };
        let all = self
            .by_type
            .values()
            .flat_map(|name| self.bound(name))
            .copied();
        let is_unknown = |c: &Captured<'a>| match *c {
            Captured::Tensor { function, name } => !has(function, name),
            Captured::Object(_) => false,
        };
        all.filter(is_unknown).collect()
    }

    /// Whether a function has that by itself.
    fn is_own(&self, name: &str, captured: &Captured<'_>) -> bool {
        let is_inside = matches!(captured, Captured::Tensor { function, .. } if *function == name);
        is_inside || self.bound(name).contains(captured)
    }
}

impl std::fmt::Display for Captured<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Captured::Object(number) => write!(f, "object {number} of the model"),
            Captured::Tensor { function, name } => {
                write!(f, "tensor {name:?} of function {function:?}")
            }
        }
    }
}

/// Whether a node has a gradient of the program's own, which the library may register.
pub fn has_own_gradient(node: &NodeDef) -> bool {
    node.op == "IdentityN" && node.attr.contains_key(GRADIENT) && !node.attr.contains_key(OWN_OP)
}

fn gradient_type(node: &NodeDef) -> Option<&[u8]> {
    match node.attr.get(GRADIENT)?.value.as_ref()? {
        AttrContent::S(kind) => Some(kind),
        _ => None,
    }
}

/// Whether an attribute names what an operation calls.
fn is_call(op: &str, attr: &str) -> bool {
    match op {
        "PartitionedCall" | "StatefulPartitionedCall" => attr == "f",
        "If" | "StatelessIf" => matches!(attr, "then_branch" | "else_branch"),
        "While" | "StatelessWhile" => matches!(attr, "cond" | "body"),
        "Case" | "StatelessCase" => attr == "branches",
        _ => false,
    }
}

fn captured(objects: &SavedObjectGraph, number: i32) -> Captured<'_> {
    let node = usize::try_from(number)
        .ok()
        .and_then(|n| objects.nodes.get(n));
    match node.and_then(|n| n.kind.as_ref()) {
        Some(SavedKind::Captured(c)) => Captured::Tensor {
            function: &c.concrete_function,
            name: &c.name,
        },
        _ => Captured::Object(number),
    }
}

/// The functions that objects name: nothing is around them.
fn entries(objects: &SavedObjectGraph) -> HashSet<&str> {
    let kinds = objects.nodes.iter().filter_map(|n| n.kind.as_ref());
    let names = kinds.flat_map(|kind| match kind {
        SavedKind::Function(f) => &f.concrete_functions[..],
        SavedKind::Concrete(c) => std::slice::from_ref(&c.concrete_function_name),
        _ => &[],
    });
    names.map(String::as_str).collect()
}

/// Which functions of a library use which.
struct Uses<'a> {
    of: HashMap<&'a str, Vec<(&'a str, Use)>>,
    users: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Uses<'a> {
    fn of(registered: &Registered<'a>, defs: &HashMap<&'a str, &'a FunctionDef>) -> Uses<'a> {
        let mut made = Uses {
            of: HashMap::new(),
            users: HashMap::new(),
        };
        for (&name, &def) in defs {
            let mut all: HashSet<(&'a str, Use)> = HashSet::new();
            for node in &def.node_def {
                registered.each_use(node, |other, how| {
                    if let Some((&other, _)) = defs.get_key_value(other) {
                        all.insert((other, how));
                    }
                });
            }
            for (other, _) in &all {
                made.users.entry(other).or_default().push(name);
            }
            made.of.insert(name, all.into_iter().collect());
        }
        made
    }

    fn of_function(&self, name: &str) -> &[(&'a str, Use)] {
        self.of.get(name).map_or(&[], |all| all)
    }

    fn users(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.users.get(name).into_iter().flatten().copied()
    }

    fn with_gradients(&self) -> Vec<&'a str> {
        let has = |all: &[(&str, Use)]| all.iter().any(|(_, how)| *how == Use::Gradient);
        let found = self.of.iter().filter(|(_, all)| has(all));
        found.map(|(name, _)| *name).collect()
    }

    fn held(&self) -> impl Iterator<Item = &'a str> {
        let all = self.of.values().flatten();
        all.filter(|(_, how)| *how == Use::Hold)
            .map(|(name, _)| *name)
    }

    fn is_called(&self, name: &str) -> bool {
        let mut users = self.users(name);
        users.any(|user| {
            let uses = self.of_function(user).iter();
            let mut uses = uses.filter(|(other, _)| *other == name);
            uses.any(|(_, how)| *how != Use::Hold)
        })
    }

    /// The functions that use themselves, by way of others or not, and those between them.
    fn rings(&self) -> HashSet<&'a str> {
        let mut left: HashSet<&'a str> = self.of.keys().copied().collect();
        let others = |name: &&'a str| -> Vec<&'a str> {
            self.of_function(name)
                .iter()
                .map(|(other, _)| *other)
                .collect()
        };
        let users = |name: &&'a str| -> Vec<&'a str> { self.users(name).collect() };
        peel(&mut left, others, users);
        peel(&mut left, users, others);
        left
    }
}

/// Takes away what has nothing before it among what is left, again and again. Each of `before` may be told twice.
fn peel<'a>(
    left: &mut HashSet<&'a str>,
    before: impl Fn(&&'a str) -> Vec<&'a str>,
    after: impl Fn(&&'a str) -> Vec<&'a str>,
) {
    let unique = |all: Vec<&'a str>| all.into_iter().collect::<HashSet<_>>();
    let mut counts: HashMap<&'a str, usize> = HashMap::new();
    for name in left.iter() {
        let n = unique(before(name))
            .iter()
            .filter(|b| left.contains(*b))
            .count();
        counts.insert(name, n);
    }
    let mut free: Vec<&'a str> = counts
        .iter()
        .filter(|(_, n)| **n == 0)
        .map(|(n, _)| *n)
        .collect();
    while let Some(name) = free.pop() {
        left.remove(name);
        for next in unique(after(&name)) {
            if let Some(n) = counts.get_mut(next).filter(|_| left.contains(next)) {
                *n = n.saturating_sub(1);
                if *n == 0 {
                    free.push(next);
                }
            }
        }
    }
}
