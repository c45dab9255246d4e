//! What every operation means: inference, evaluation and gradient side by side
