//! Nodes of a message to nodes of a graph.

use crate::attributes::{any_attr, attr_of, plain_attr};
use crate::choice::choice;
use crate::custom::with_gradient;
use crate::import::{Expander, Functions, Told};
use crate::names::counts_of;
use crate::order::{in_order, node_name};
use crate::region;
use crate::registered::{Captured, has_own_gradient};
use crate::types::{dtype_of, partial_shape_of};
use crate::vocabulary::{
    COUNTED, OUTPUT_SHAPES, OWN, OWN_OP, default_type, is_hint, is_neutral, public_output,
};
use ferrograph_formats::messages::{
    AttrContent, AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef,
};
use ferrograph_graph::{Attr, AttrKind, Decl, Graph, GraphBuilder, Kind, OpRef, ValueId};
use ferrograph_ops::{Call, Const, GatherV2, Placeholder, ReadVariableOp};
use ferrograph_tensor::{Error, PartialShape, Result, Tensor, TensorSpec, bail, err};
use hashbrown::HashMap;
use std::sync::Arc;

/// What a node gave: its values, and what tells in which port each of them is.
struct Given {
    values: Vec<ValueId>,
    decl: Option<&'static Decl>,
    op: &'static str,
    counts: Vec<usize>,
    // Of a call of a function by its name: what its results are called.
    results: Vec<String>,
}

/// A graph under construction, and the values of its nodes by their names.
pub struct Scope {
    /// The graph.
    pub builder: GraphBuilder,
    given: HashMap<String, Given>,
    is_function: bool,
}

impl Scope {
    /// A function: its nodes name ports.
    pub fn function(builder: GraphBuilder) -> Scope {
        Scope {
            builder,
            given: HashMap::new(),
            is_function: true,
        }
    }

    /// A graph: its nodes name outputs by numbers.
    pub fn graph(builder: GraphBuilder) -> Scope {
        Scope {
            is_function: false,
            ..Scope::function(builder)
        }
    }

    /// Gives a value a name.
    pub fn name_input(&mut self, name: &str, value: ValueId) {
        self.give(name, vec![value], None, "", Vec::new());
    }

    fn give(
        &mut self,
        name: &str,
        values: Vec<ValueId>,
        decl: Option<&'static Decl>,
        op: &'static str,
        counts: Vec<usize>,
    ) {
        let given = Given {
            values,
            decl,
            op,
            counts,
            results: Vec::new(),
        };
        self.given.insert(name.to_owned(), given);
    }

    fn give_results(&mut self, name: &str, values: Vec<ValueId>, results: Vec<String>) {
        let given = Given {
            values,
            decl: None,
            op: "",
            counts: Vec::new(),
            results,
        };
        self.given.insert(name.to_owned(), given);
    }

    /// The value that an input names.
    ///
    /// # Errors
    /// `InvalidArgument` where there is none.
    pub fn value(&self, input: &str) -> Result<ValueId> {
        let missing = || err!(InvalidArgument, "nothing gives {input:?}");
        let given = self.given.get(node_name(input)).ok_or_else(missing)?;
        let mut parts = input.split(':').skip(1);
        let (first, second) = (parts.next(), parts.next());
        let at = match (first, second) {
            (None, _) => 0,
            (Some(n), None) if !self.is_function || n.parse::<usize>().is_ok() => {
                n.parse().map_err(|_| missing())?
            }
            (Some(port), n) => {
                let n = n.map_or(Ok(0), |n| n.parse::<usize>().map_err(|_| missing()))?;
                given
                    .start_of(port)
                    .ok_or_else(missing)?
                    .checked_add(n)
                    .ok_or_else(missing)?
            }
        };
        given.values.get(at).copied().ok_or_else(missing)
    }
}

impl Given {
    /// Which value is the first of a port.
    fn start_of(&self, port: &str) -> Option<usize> {
        if !self.results.is_empty() {
            return self.results.iter().position(|name| name == port);
        }
        let ports = self.decl.map_or(&[][..], |d| d.outputs);
        if ports.len() <= 1 {
            return Some(0);
        }
        let at = ports
            .iter()
            .position(|p| p.name == port || public_output(self.op, p.name) == port)?;
        Some(self.counts[..at].iter().sum())
    }
}

/// A graph being made of nodes that may call functions.
pub struct Body<'f, 'a> {
    /// The functions.
    pub functions: &'f mut Functions<'a>,
    /// The graph.
    pub scope: Scope,
    /// The function.
    pub name: &'a str,
    // What its last inputs are.
    bound: HashMap<Captured<'a>, ValueId>,
    // The first and the last output that is used of each node of which that matters.
    used: HashMap<&'a str, [usize; 2]>,
}

impl<'f, 'a> Body<'f, 'a> {
    /// A graph that is no function.
    fn of_graph(functions: &'f mut Functions<'a>, scope: Scope) -> Body<'f, 'a> {
        Body {
            functions,
            scope,
            name: "",
            bound: HashMap::new(),
            used: HashMap::new(),
        }
    }

    /// The function of that message.
    pub fn of_function(
        functions: &'f mut Functions<'a>,
        scope: Scope,
        name: &'a str,
        def: &'a FunctionDef,
    ) -> Body<'f, 'a> {
        Body {
            name,
            used: used_outputs(def, functions, name),
            ..Body::of_graph(functions, scope)
        }
    }

    /// Notes which of the function's inputs is what gradients in it captured, and adds those that are further ones.
    ///
    /// # Errors
    /// `InvalidArgument` for one of which nothing tells the type.
    pub fn bind(&mut self, inputs: &mut Vec<ValueId>) -> Result<()> {
        let registered = &self.functions.registered;
        let bound = registered.bound(self.name);
        let first = inputs.len().saturating_sub(bound.len());
        self.bound
            .extend(bound.iter().copied().zip(inputs[first..].iter().copied()));
        for &captured in registered.further(self.name) {
            let Some(spec) = registered.spec(captured) else {
                bail!(
                    InvalidArgument,
                    "a gradient takes {captured}, of unknown type"
                );
            };
            let op = Arc::new(Placeholder::from(spec.clone()));
            let node = self.scope.builder.add(op, &[], Some("captured"), None)?;
            let value = self.scope.builder.node(node).outputs[0];
            self.bound.insert(captured, value);
            inputs.push(value);
        }
        Ok(())
    }

    /// What a gradient captured.
    ///
    /// # Errors
    /// `InvalidArgument` where the function has no such value.
    pub fn captured(&self, captured: Captured<'a>) -> Result<ValueId> {
        if let Some(value) = self.bound.get(&captured) {
            return Ok(*value);
        }
        match captured {
            Captured::Tensor { function, name } if function == self.name => self.scope.value(name),
            _ => bail!(
                InvalidArgument,
                "a gradient takes {captured}, which is not there"
            ),
        }
    }

    /// What a node hands over to a function that it calls, behind its inputs.
    ///
    /// # Errors
    /// As [`Body::captured`].
    pub fn further(&self, function: &str) -> Result<Vec<ValueId>> {
        let further = self.functions.registered.further(function).iter();
        further.map(|c| self.captured(*c)).collect()
    }

    /// How many outputs are used of a node with a gradient of the program's own: at least one.
    pub fn n_used(&self, node: &NodeDef) -> usize {
        self.used
            .get(&node.name[..])
            .map_or(1, |[_, last]| last + 1)
    }

    /// The first output that is used of a loop that counts.
    pub fn first_used(&self, node: &NodeDef) -> usize {
        self.used.get(&node.name[..]).map_or(0, |[first, _]| *first)
    }

    /// Adds nodes, in an order in which each follows what it takes.
    ///
    /// # Errors
    /// `Unimplemented` for an operation that there is not here, `InvalidArgument` for what is not well formed; the node
    /// is named.
    pub fn add_all(&mut self, nodes: &[NodeDef]) -> Result<()> {
        let taken = |node: &NodeDef| self.functions.registered.taken(self.name, node);
        // A gradient that takes what is made of its node does not reach it.
        let order = in_order(nodes, taken).or_else(|_| in_order(nodes, |_| Vec::new()))?;
        for i in order {
            let node = &nodes[i];
            self.add(node).map_err(|e| {
                // What was said within a function that the node calls names a node there.
                match e.message().starts_with("function ") {
                    true => e,
                    false => {
                        let told = format!("node {:?} ({}): {}", node.name, node.op, e.message());
                        Error::new(e.kind(), told)
                    }
                }
            })?;
        }
        Ok(())
    }

    fn add(&mut self, node: &NodeDef) -> Result<()> {
        if matches!(&node.op[..], "NoOp" | "DisableCopyOnRead") {
            self.scope
                .give(&node.name, Vec::new(), None, "", Vec::new());
            return Ok(());
        }
        let inputs = node.input.iter().filter(|i| !i.starts_with('^'));
        let inputs = inputs
            .map(|i| self.scope.value(i))
            .collect::<Result<Vec<_>>>()?;
        let values = match &node.op[..] {
            "PartitionedCall" | "StatefulPartitionedCall" => region::call(self, node, &inputs)?,
            "If" | "StatelessIf" => region::branch(self, node, &inputs)?,
            "Case" | "StatelessCase" => choice(self, node, &inputs)?,
            "While" | "StatelessWhile" => region::looped(self, node, &inputs)?,
            "ResourceGather" => gathered(&mut self.scope.builder, node, &inputs)?,
            "IdentityN" if has_own_gradient(node) => with_gradient(self, node, &inputs)?,
            op if self.functions.contains(op) => {
                let values = region::call_of(self, op, node, &inputs)?;
                let results = self.functions.results(op);
                self.scope.give_results(&node.name, values, results);
                return Ok(());
            }
            _ => return self.plain(node, &inputs),
        };
        self.scope.give(&node.name, values, None, "", Vec::new());
        Ok(())
    }

    fn plain(&mut self, node: &NodeDef, inputs: &[ValueId]) -> Result<()> {
        let registry = ferrograph_data::registry();
        let name = own_op(node)?;
        let Some(decl) = registry.decl(name) else {
            return self.expanded(name, node, inputs);
        };
        let mut attrs = Vec::new();
        for (attr, message) in &node.attr {
            if let Some(found) = self
                .attr(decl, attr, message)
                .map_err(|e| Error::new(e.kind(), format!("attribute {attr}: {}", e.message())))?
            {
                attrs.push(found);
            }
        }
        complete(decl, node, &mut attrs)?;
        let op = registry.make(name, &attrs)?;
        let values = emitted(&mut self.scope.builder, op, inputs, node)?;
        let attr = |name: &str| attrs.iter().find(|(n, _)| n == name).map(|(_, a)| a);
        let counts = counts_of(decl, values.len(), attr);
        self.scope
            .give(&node.name, values, Some(decl), decl.name, counts);
        Ok(())
    }

    /// A call of the graph that replaces an operation that there is not here.
    fn expanded(&mut self, op: &str, node: &NodeDef, inputs: &[ValueId]) -> Result<()> {
        let mut attrs = Vec::new();
        for (name, message) in &node.attr {
            if !name.starts_with('_')
                && let Some(attr) = any_attr(message)?
            {
                attrs.push((name.clone(), attr));
            }
        }
        let builder = &mut self.scope.builder;
        let told = inputs.iter().map(|v| {
            let value = builder.value(*v);
            let constant = builder.node(value.node).op.downcast::<Const>();
            (value.spec.clone(), constant.map(|c| c.value.clone()))
        });
        let told: Vec<Told> = told.collect();
        let Some((graph, results)) = self.functions.expanded(op, &attrs, &told)? else {
            bail!(
                Unimplemented,
                "there is no operation {op} here; see which ones there are in docs/coverage.md"
            );
        };
        region::expect_args(builder, &graph, inputs, "the operation")?;
        let values = emitted(builder, Arc::new(Call::of(graph)), inputs, node)?;
        self.scope.give_results(&node.name, values, results);
        Ok(())
    }

    /// The attribute of an operation that a message is; none for one that changes nothing.
    fn attr(
        &mut self,
        decl: &Decl,
        name: &str,
        message: &AttrValue,
    ) -> Result<Option<(String, Attr)>> {
        let own = name.strip_prefix(OWN);
        let known = own.unwrap_or(name);
        let kind = decl.attrs.iter().find(|a| a.name == known).map(|a| a.kind);
        match kind {
            Some(AttrKind::Graph) => {
                let Some(AttrContent::Func(f)) = &message.value else {
                    bail!(InvalidArgument, "it names no function");
                };
                let graph = self.functions.graph(&f.name)?;
                Ok(Some((known.to_owned(), Attr::Graph(graph))))
            }
            Some(kind) => Ok(Some((known.to_owned(), attr_of(message, kind)?))),
            None if name.starts_with('_') => Ok(None),
            None if has_type(decl, name) => {
                Ok(plain_attr(message)?.map(|attr| (name.to_owned(), attr)))
            }
            None if is_hint(name) || is_neutral(name, message) => Ok(None),
            None => bail!(Unimplemented, "its value is not supported here"),
        }
    }
}

/// The first and the last output that is used of each node of a function with a gradient of the program's own, and of
/// each loop that counts.
fn used_outputs<'a>(
    def: &'a FunctionDef,
    functions: &Functions<'a>,
    name: &str,
) -> HashMap<&'a str, [usize; 2]> {
    let own = |n: &&NodeDef| has_own_gradient(n) || n.attr.contains_key(COUNTED);
    let own = def.node_def.iter().filter(own);
    let mut used: HashMap<&str, _> = own.map(|n| (&n.name[..], [usize::MAX, 0])).collect();
    if used.is_empty() {
        return used;
    }
    let taken = def
        .node_def
        .iter()
        .flat_map(|n| functions.registered.taken(name, n));
    let inputs = def.node_def.iter().flat_map(|n| &n.input);
    for input in inputs.chain(def.ret.values()).map(|i| &i[..]).chain(taken) {
        let is_control = input.starts_with('^');
        if let Some([first, last]) = used.get_mut(node_name(input)).filter(|_| !is_control) {
            let index = input.rsplit(':').next().and_then(|i| i.parse().ok());
            let index: usize = index.unwrap_or(0);
            (*first, *last) = (index.min(*first), index.max(*last));
        }
    }
    used
}

/// The operation that a node represents.
fn own_op(node: &NodeDef) -> Result<&str> {
    match node.attr.get(OWN_OP).and_then(|a| a.value.as_ref()) {
        Some(AttrContent::S(name)) => std::str::from_utf8(name)
            .map_err(|_| err!(InvalidArgument, "{OWN_OP} names no operation")),
        _ => Ok(&node.op),
    }
}

/// Whether a type or number that follows from inputs or outputs has that name.
fn has_type(decl: &Decl, name: &str) -> bool {
    decl.inputs
        .iter()
        .chain(decl.outputs)
        .any(|p| match p.kind {
            Kind::Is(_) | Kind::Of(_) => false,
            Kind::Var(n, _) | Kind::Copies(_, n) | Kind::Each(n) => n == name,
            Kind::List(n, _, count) => n == name || count == name,
        })
}

/// Puts exact values in the place of those of fewer digits, and adds what public operations have by default, or tell
/// in other ways.
fn complete(decl: &Decl, node: &NodeDef, attrs: &mut Vec<(String, Attr)>) -> Result<()> {
    // Own attributes begin with a character that sorts before letters: of two, the first is exact.
    let mut seen = Vec::new();
    attrs.retain(|(name, _)| {
        let is_new = !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    let has = |attrs: &[(String, Attr)], name: &str| attrs.iter().any(|(n, _)| n == name);
    if decl.name == "ReadVariableOp" && !has(attrs, "shape") {
        attrs.push(("shape".into(), Attr::Shape(output_shape(node))));
    }
    if decl.name == "Placeholder" && !has(attrs, "shape") {
        attrs.push(("shape".into(), Attr::Shape(PartialShape::UNKNOWN)));
    }
    if decl.name == "CompositeTensorVariantToComponents"
        && !has(attrs, "output_shapes")
        && let Some((_, Attr::DTypes(types))) = attrs.iter().find(|(n, _)| n == "Tcomponents")
    {
        let shapes = vec![PartialShape::UNKNOWN; types.len()];
        attrs.push(("output_shapes".into(), Attr::Shapes(shapes)));
    }
    let n_state = "n_state";
    if decl.attrs.iter().any(|a| a.name == n_state)
        && !has(attrs, n_state)
        && let Some(AttrContent::List(l)) = node.attr.get("Tstate").and_then(|a| a.value.as_ref())
    {
        attrs.push((n_state.into(), Attr::Int(l.r#type.len() as i64)));
    }
    for attr in decl.attrs {
        if let Some(code) = default_type(decl.name, attr.name).filter(|_| !has(attrs, attr.name)) {
            attrs.push((attr.name.into(), Attr::DType(dtype_of(code)?)));
        }
    }
    Ok(())
}

/// The shape of the first output as the message tells it.
fn output_shape(node: &NodeDef) -> PartialShape {
    match node.attr.get(OUTPUT_SHAPES).and_then(|a| a.value.as_ref()) {
        Some(AttrContent::List(l)) => l
            .shape
            .first()
            .map_or(PartialShape::UNKNOWN, partial_shape_of),
        _ => PartialShape::UNKNOWN,
    }
}

/// Adds an operation; the values that it gives.
pub fn emitted(
    builder: &mut GraphBuilder,
    op: OpRef,
    inputs: &[ValueId],
    node: &NodeDef,
) -> Result<Vec<ValueId>> {
    let id = builder.add(op, inputs, Some(&node.name), None)?;
    Ok(builder.node(id).outputs.to_vec())
}

/// Rows of a variable: a read, and a gather of what was read.
fn gathered(
    builder: &mut GraphBuilder,
    node: &NodeDef,
    inputs: &[ValueId],
) -> Result<Vec<ValueId>> {
    let &[handle, indices] = inputs else {
        bail!(
            InvalidArgument,
            "it takes a variable and indices, got {} inputs",
            inputs.len()
        );
    };
    let Some(AttrContent::Type(dtype)) = node.attr.get("dtype").and_then(|a| a.value.as_ref())
    else {
        bail!(InvalidArgument, "attribute dtype is missing");
    };
    let n = match node.attr.get("batch_dims").and_then(|a| a.value.as_ref()) {
        Some(AttrContent::I(n)) => *n,
        _ => 0,
    };
    let spec = TensorSpec::new(dtype_of(*dtype)?, PartialShape::UNKNOWN);
    let read = emitted(builder, Arc::new(ReadVariableOp::of(spec)), &[handle], node)?;
    let value = Tensor::scalar(n)?;
    let axis = emitted(builder, Arc::new(Const { value }), &[], node)?;
    let gather = Arc::new(GatherV2 { batch_dims: n });
    emitted(builder, gather, &[read[0], indices, axis[0]], node)
}

/// A graph of a message, whose `Placeholder` nodes are its inputs, with the values of these names as its outputs. The
/// names of inputs and the graph are given.
///
/// # Errors
/// As [`Functions::graph`].
pub fn graph_of(
    message: &GraphDef,
    name: &str,
    inputs: &[String],
    outputs: &[String],
    expander: Option<Expander<'_>>,
) -> Result<Arc<Graph>> {
    let none = FunctionDefLibrary::default();
    let mut functions = Functions::new(message.library.as_ref().unwrap_or(&none));
    if let Some(expander) = expander {
        functions = functions.with_expander(expander);
    }
    let scope = Scope::graph(GraphBuilder::new(name));
    let mut body = Body::of_graph(&mut functions, scope);
    body.add_all(&message.node)?;
    let scope = body.scope;
    let inputs = inputs
        .iter()
        .map(|n| scope.value(n))
        .collect::<Result<Vec<_>>>()?;
    for v in &inputs {
        let node = scope.builder.node(scope.builder.value(*v).node);
        if node.op.downcast::<Placeholder>().is_none() {
            bail!(InvalidArgument, "input {:?} is no Placeholder", node.name);
        }
    }
    let outputs = outputs
        .iter()
        .map(|n| scope.value(n))
        .collect::<Result<Vec<_>>>()?;
    let n_args = inputs.len();
    Ok(Arc::new(scope.builder.finish(inputs, n_args, outputs)))
}
