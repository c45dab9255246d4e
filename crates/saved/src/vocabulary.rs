//! Where declarations here and the public vocabulary differ: names of outputs, and attributes that only one side knows.

use ferrograph_formats::messages::{AttrContent, AttrValue};

/// What the names of attributes that only this project knows begin with in files.
pub const OWN: &str = "_ferrograph_";

/// The attribute that names the operation of a node that stands there as one of the public vocabulary.
pub const OWN_OP: &str = "_ferrograph_op";

/// The attribute that names the gradient of a node that is not its operation's.
pub const GRADIENT: &str = "_gradient_op_type";

/// The gradient of nodes that have one of the program's own which is not registered: no program knows it, so that each
/// asks for it in vain and says so.
pub const OWN_GRADIENT: &str = "FerrographCustomGradient";

/// The attribute of a call in whose place the nodes of its function stand here.
pub const INLINE: &str = "_ferrograph_inline";

/// The attribute of a loop whose first variables only count its iterations.
pub const COUNTED: &str = "_ferrograph_counted";

/// The attribute of any node that lists the shapes of its outputs.
pub const OUTPUT_SHAPES: &str = "_output_shapes";

/// Outputs by another public name: operation, name here, public name.
const OUTPUTS: [(&str, &str, &str); 13] = [
    ("Angle", "y", "output"),
    ("Conj", "y", "output"),
    ("Imag", "y", "output"),
    ("Real", "y", "output"),
    ("Elu", "y", "activations"),
    ("Relu", "y", "activations"),
    ("Relu6", "y", "activations"),
    ("Selu", "y", "activations"),
    ("Softplus", "y", "activations"),
    ("Softsign", "y", "activations"),
    ("ReluGrad", "z", "backprops"),
    ("LogSoftmax", "softmax", "logsoftmax"),
    ("NextAfter", "z", "output"),
];

/// The public name of an output.
pub fn public_output<'a>(op: &str, name: &'a str) -> &'a str {
    let found = OUTPUTS.iter().find(|(o, own, _)| *o == op && *own == name);
    found.map_or(name, |(_, _, public)| public)
}

/// Attributes that the public operation lacks; an empty name matches any operation.
const ONLY_HERE: [(&str, &str); 19] = [
    ("", "shared"),
    ("ReadVariableOp", "shape"),
    ("CompositeTensorVariantToComponents", "output_shapes"),
    ("CustomGradient", "n_results"),
    ("CustomGradient", "gradients"),
    ("CustomGradient", "backward"),
    ("MaxPoolGradGrad", "explicit_paddings"),
    ("NonMaxSuppressionV4", "covers_at_threshold"),
    ("ResizeArea", "half_pixel_centers"),
    ("SaveV2", "shards"),
    ("TensorListScatterIntoExistingList", "add"),
    ("FixedLengthRecordDatasetV2", "output_types"),
    ("FixedLengthRecordDatasetV2", "output_shapes"),
    ("TFRecordDataset", "output_types"),
    ("TFRecordDataset", "output_shapes"),
    ("TextLineDataset", "output_types"),
    ("TextLineDataset", "output_shapes"),
    ("TensorDataset", "output_types"),
    ("TensorSliceDataset", "output_types"),
];

/// The name in files of an attribute.
pub fn public_attr(op: &str, name: &str) -> String {
    let own = (ONLY_HERE.iter()).any(|(o, n)| (o.is_empty() || *o == op) && *n == name);
    if own {
        return format!("{OWN}{name}");
    }
    name.to_owned()
}

/// The public operation in whose place one stands that only this project knows.
pub fn public_op(op: &str) -> &str {
    match op {
        "CustomGradient" => "IdentityN",
        _ => op,
    }
}

/// Type attributes of public operations that declarations here derive from nothing.
pub fn further_types(op: &str) -> Option<&'static str> {
    matches!(op, "Angle" | "ComplexAbs" | "Imag" | "Real").then_some("Tout")
}

/// Type attributes that the public operation lacks.
pub fn has_no_type(op: &str, name: &str) -> bool {
    match op {
        "LogicalAnd" | "LogicalNot" | "LogicalOr" => name == "T",
        "OneHot" => name == "Tdepth",
        _ => false,
    }
}

/// Whether a public attribute that is not declared here changes no result: a hint, or a type that follows.
pub fn is_hint(name: &str) -> bool {
    matches!(
        name,
        "T" | "N"
            | "Tcond"
            | "Tin"
            | "Tout"
            | "TInput"
            | "Tshape"
            | "Targuments"
            | "bad_indices_policy"
            | "cardinality_options"
            | "config"
            | "config_proto"
            | "container"
            | "executor_type"
            | "grad_a"
            | "grad_b"
            | "grad_x"
            | "grad_y"
            | "metadata"
            | "output_shapes"
            | "parallel_copy"
            | "parallel_iterations"
            | "shared_name"
            | "use_inter_op_parallelism"
            | "use_node_name_sharing"
            | "validate_indices"
            | "validate_shape"
    )
}

/// Whether a public attribute that is not declared here has the value under which it changes no result.
pub fn is_neutral(name: &str, value: &AttrValue) -> bool {
    match (name, &value.value) {
        ("Truncate" | "is_files" | "log_warning", Some(v))
        | ("require_non_empty" | "replicate_on_split" | "force_synchronous", Some(v)) => {
            *v == AttrContent::B(false)
        }
        ("timeout_ms", Some(v)) => *v == AttrContent::I(-1),
        ("index_type", Some(v)) => *v == AttrContent::Type(3),
        ("out_type", Some(v)) => *v == AttrContent::Type(7),
        ("buffer_size_min" | "slack_period" | "legacy_autotune" | "use_default_device", _)
        | ("preserve_cardinality", _) => true,
        _ => false,
    }
}

/// The dtype that an attribute has by the public vocabulary where a node leaves it out.
pub fn default_type(op: &str, name: &str) -> Option<i32> {
    const FLOAT: i32 = 1;
    const UINT64: i32 = 23;
    match (op, name) {
        ("StatelessRandomUniformFullInt" | "StatelessRandomUniformFullIntV2", "dtype") => {
            Some(UINT64)
        }
        (
            "StatelessRandomNormal"
            | "StatelessRandomNormalV2"
            | "StatelessRandomUniform"
            | "StatelessRandomUniformV2"
            | "StatelessTruncatedNormal"
            | "StatelessTruncatedNormalV2",
            "dtype",
        ) => Some(FLOAT),
        _ => None,
    }
}
