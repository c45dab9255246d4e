//! The graph IR: nodes, values, regions, the Op trait, builder, verifier, text form, interpreter
